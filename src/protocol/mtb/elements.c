/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets -> elements (docs/legacy.md). A packet says where a run of instructions ends and where
 * the next one begins, so what it gives depends on whether it continues what came before. */
#include "protocol/mtb/mtb.h"

#include <stdlib.h>

#include "protocol/pending.h"

enum { PENDING = 6 }; /* elements of one packet, at most */

/* What the packet before says of the next. */
enum standing {
    ANYWHERE,            /* nothing */
    AT_DESTINATION,      /* it runs on from `destination` */
    IN_EXCEPTION_RETURN, /* it is the second one of an exception return */
    IN_FUNCTION_RETURN,  /* it comes from FNC_RETURN */
};

struct elements {
    enum standing standing;
    uint32_t destination;
    bool context_known; /* it was given, and no gap came since */
    uint64_t offset;    /* of the packet in hand */
    uint64_t length;
    unsigned count;
    unsigned given;
    struct cairn_pending pending[PENDING];
};

cairn_status cairn_mtb_elements_new(struct cairn_config *config, void **state)
{
    (void)config; /* what a packet means does not depend on the registers */
    *state = calloc(1, sizeof(struct elements));
    return *state ? CAIRN_OK : CAIRN_E_MEMORY;
}

void cairn_mtb_elements_free(void *state)
{
    free(state);
}

const char *cairn_mtb_exception_name(const struct cairn_config *config, unsigned type)
{
    (void)config;
    return type == CAIRN_MTB_EXCEPTION_TYPE ? "unknown-or-debug" : "unknown";
}

/* --- elements --- */

static struct cairn_element_data *mtb_add(struct elements *e, enum cairn_element_kind kind,
                                          unsigned flags)
{
    struct cairn_pending *p = &e->pending[e->count];

    *p = (struct cairn_pending){.kind = (uint8_t)kind, .flags = (uint16_t)flags};
    p->data.nth = (uint8_t)e->count++;
    return &p->data;
}

static struct cairn_element_data *mtb_add_address(struct elements *e, enum cairn_element_kind kind,
                                                  uint64_t address)
{
    struct cairn_element_data *data = mtb_add(e, kind, 0);

    data->address = address;
    data->sub_isa = 1; /* always Thumb */
    return data;
}

/* Where execution goes on is not known, or is nowhere where code can be. */
static void add_unknown_target(struct elements *e)
{
    mtb_add(e, CAIRN_ELEMENT_TARGET_ADDRESS, CAIRN_ELEMENT_UNKNOWN)->reason = CAIRN_GAP_NO_ADDRESS;
}

static void mtb_add_gap(struct elements *e, enum cairn_account reason)
{
    mtb_add(e, CAIRN_ELEMENT_GAP, 0)->value = reason;
    e->context_known = false;
    e->standing = ANYWHERE;
}

static void mtb_add_context(struct elements *e)
{
    if (e->context_known)
        return;
    e->context_known = true;
    mtb_add(e, CAIRN_ELEMENT_CONTEXT, 0)->context.security = CAIRN_NONSECURE;
}

static void go_to(struct elements *e, const struct cairn_packet_fields *fields)
{
    e->standing = AT_DESTINATION;
    e->destination = (uint32_t)fields->address;
    if (fields->flags & CAIRN_PACKET_HAS_ADDRESS)
        mtb_add_address(e, CAIRN_ELEMENT_TARGET_ADDRESS, fields->address);
    else
        add_unknown_target(e);
}

/* --- what a packet continues --- */

/* Whether A is set in the second packet of a function return is not written anywhere. */
static bool is_from_fnc_return(const struct cairn_packet_fields *fields)
{
    return fields->value == CAIRN_MTB_FNC_RETURN;
}

static bool continues(const struct elements *e, unsigned kind,
                      const struct cairn_packet_fields *fields)
{
    if (kind == CAIRN_MTB_RETURN_TARGET)
        return e->standing == IN_EXCEPTION_RETURN && (fields->info & CAIRN_MTB_JOINED);
    if (is_from_fnc_return(fields))
        return e->standing == IN_FUNCTION_RETURN;
    return e->standing == AT_DESTINATION && fields->value >= e->destination;
}

/* True when the packet's own source is the first that is known. Without S, either nothing came
 * before, or what did does not fit: a packet is missing. */
static bool begins_anew(struct elements *e, unsigned kind, const struct cairn_packet_fields *fields)
{
    const bool started = (fields->info & CAIRN_MTB_S) != 0;

    if (!started && continues(e, kind, fields))
        return false;
    if (started)
        mtb_add(e, CAIRN_ELEMENT_TRACE_ON, 0);
    else if (e->standing == ANYWHERE)
        add_unknown_target(e);
    else
        mtb_add_gap(e, CAIRN_GAP_INCONSISTENT);
    mtb_add_context(e);
    return true;
}

/* --- packets --- */

static void branch(struct elements *e, const struct cairn_packet_fields *fields)
{
    mtb_add_address(e, CAIRN_ELEMENT_SOURCE_ADDRESS, fields->value);
    if (fields->address == CAIRN_MTB_FNC_RETURN) {
        mtb_add(e, CAIRN_ELEMENT_FUNCTION_RETURN, 0);
        e->standing = IN_FUNCTION_RETURN;
        return;
    }
    go_to(e, fields);
}

static void exception(struct elements *e, const struct cairn_packet_fields *fields)
{
    mtb_add_address(e, CAIRN_ELEMENT_EXCEPTION, fields->value)->value = CAIRN_MTB_EXCEPTION_TYPE;
    go_to(e, fields);
}

static void exception_return(struct elements *e, const struct cairn_packet_fields *fields)
{
    mtb_add_address(e, CAIRN_ELEMENT_SOURCE_ADDRESS, fields->value);
    mtb_add(e, CAIRN_ELEMENT_EXCEPTION_RETURN, 0);
    e->standing = IN_EXCEPTION_RETURN;
}

/* The second packet of a return, whose first told of it, unless that one is not there. */
static void return_target(struct elements *e, const struct cairn_packet_fields *fields,
                          enum cairn_element_kind kind, bool alone)
{
    if (alone)
        mtb_add(e, kind, 0);
    go_to(e, fields);
}

static void execution(struct elements *e, unsigned kind, const struct cairn_packet_fields *fields)
{
    const bool anew = begins_anew(e, kind, fields);

    if (kind == CAIRN_MTB_RETURN_TARGET) {
        return_target(e, fields, CAIRN_ELEMENT_EXCEPTION_RETURN, anew);
        return;
    }
    if (is_from_fnc_return(fields)) {
        return_target(e, fields, CAIRN_ELEMENT_FUNCTION_RETURN, anew);
        return;
    }
    if (anew)
        mtb_add_address(e, CAIRN_ELEMENT_TARGET_ADDRESS, fields->value);
    if (kind == CAIRN_MTB_BRANCH)
        branch(e, fields);
    else if (kind == CAIRN_MTB_EXCEPTION)
        exception(e, fields);
    else
        exception_return(e, fields);
}

static void mtb_begin(struct elements *e, const struct cairn_packet_batch *in, size_t i)
{
    const unsigned kind = in->kind[i];

    e->offset = in->offset[i];
    e->length = in->length[i];
    e->count = 0;
    e->given = 0;
    switch ((enum cairn_mtb_kind)kind) {
    case CAIRN_MTB_RESERVED:
    case CAIRN_MTB_INCOMPLETE: mtb_add_gap(e, cairn_mtb_account(kind)); break;
    case CAIRN_MTB_UNWRITTEN:
    case CAIRN_MTB_OUTSIDE: e->standing = ANYWHERE; break;
    case CAIRN_MTB_BRANCH:
    case CAIRN_MTB_EXCEPTION:
    case CAIRN_MTB_EXCEPTION_RETURN:
    case CAIRN_MTB_RETURN_TARGET: execution(e, kind, &in->fields[i]); break;
    }
}

cairn_status cairn_mtb_elements_run(void *state, const struct cairn_packet_batch *in,
                                    size_t *position, struct cairn_element_batch *out)
{
    struct elements *e = state;

    for (;;) {
        cairn_pending_give(e->pending, e->count, &e->given, e->offset, e->length, out);
        if (e->given < e->count || *position == in->count)
            return CAIRN_OK;
        mtb_begin(e, in, (*position)++);
    }
}
