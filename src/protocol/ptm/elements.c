/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets -> elements (IHI0035 4.3, 4.5). No image is read: what was executed between two waypoints
 * is the follower's to find out. An I-sync is needed first, and after damage again; what comes
 * before it cannot be placed. */
#include "protocol/ptm/ptm.h"

#include <stdlib.h>
#include <string.h>

#include "protocol/pending.h"

enum {
    INFO_CC = 1 << 0, /* Trace Info: there are cycle counts */
    TRIGGER = 0,      /* the only event there is */
    PENDING = 8,      /* elements of one packet at most: an I-sync has six, as have five atoms */
};

/* Exceptions of A and R profile (4.5.4). */
enum {
    EXCEPTION_DEBUG = 0x1,
    EXCEPTION_ASYNCHRONOUS = 0x4,
    EXCEPTION_RESET = 0x8,
    EXCEPTION_UNDEFINED = 0x9,
};
enum { EXCEPTION_M_RESET = 0x11 }; /* of M profile: as in ETMv3 (exceptions.c) */

#define ARM_ADDRESS (~UINT64_C(3))

struct elements {
    struct cairn_config *config;
    const struct cairn_ptm_config *decoded;
    bool synchronised; /* an I-sync was seen since the start or the last damage */
    bool suspect;      /* a reserved packet was seen, and no A-sync since */
    bool updated;      /* a waypoint update was seen since the last waypoint, with this address */
    uint8_t update_sub_isa;
    uint64_t update;
    bool context_given; /* `context` is what the last Context element said */
    struct cairn_context context;
    bool waypoint_seen;       /* since the start or the last damage, */
    uint64_t waypoint_offset; /* and this is the packet of the last one */
    uint64_t offset;          /* of the packet in hand */
    uint64_t length;
    unsigned count;
    unsigned given;
    struct cairn_pending pending[PENDING];
};

cairn_status cairn_ptm_elements_new(struct cairn_config *config, void **elements)
{
    struct elements *e = calloc(1, sizeof *e);

    if (!e)
        return CAIRN_E_MEMORY;
    e->config = cairn_config_ref(config);
    e->decoded = cairn_ptm_of(config);
    *elements = e;
    return CAIRN_OK;
}

void cairn_ptm_elements_free(void *elements)
{
    struct elements *e = elements;

    if (!e)
        return;
    cairn_config_unref(e->config);
    free(e);
}

static struct cairn_element_data *ptm_add(struct elements *e, unsigned kind, unsigned flags)
{
    struct cairn_pending *p = &e->pending[e->count];

    memset(p, 0, sizeof *p);
    p->kind = (uint8_t)kind;
    p->flags = (uint16_t)flags;
    p->data.nth = (uint8_t)e->count++;
    return &p->data;
}

static void ptm_add_gap(struct elements *e, enum cairn_account account)
{
    ptm_add(e, CAIRN_ELEMENT_GAP, 0)->value = account;
}

static void ptm_add_context(struct elements *e, const struct cairn_packet_fields *fields)
{
    e->context = fields->context;
    e->context_given = true;
    ptm_add(e, CAIRN_ELEMENT_CONTEXT, 0)->context = fields->context;
}

static bool same_context(const struct cairn_context *a, const struct cairn_context *b)
{
    return a->EL == b->EL && a->security == b->security && a->vmid == b->vmid &&
           a->context_id == b->context_id;
}

/* A branch packet tells its context with every packet, changed or not. */
static void add_new_context(struct elements *e, const struct cairn_packet_fields *fields)
{
    if (!e->context_given || !same_context(&e->context, &fields->context))
        ptm_add_context(e, fields);
}

static void add_unknown_address(struct elements *e, enum cairn_account reason)
{
    ptm_add(e, CAIRN_ELEMENT_TARGET_ADDRESS, CAIRN_ELEMENT_UNKNOWN)->reason = (uint8_t)reason;
}

/* `flags`: CHECK of a periodic I-sync. Code of ThumbEE and Jazelle is not followed. */
static void ptm_add_address(struct elements *e, unsigned flags,
                            const struct cairn_packet_fields *fields)
{
    struct cairn_element_data *data;

    if (fields->state == CAIRN_STATE_THUMBEE || fields->state == CAIRN_STATE_JAZELLE) {
        add_unknown_address(e, CAIRN_GAP_NOT_DECODED);
        return;
    }
    data = ptm_add(e, CAIRN_ELEMENT_TARGET_ADDRESS, flags);
    /* bit 1 of an I-sync's is there for Thumb state; no instruction in ARM state has it */
    data->address = fields->sub_isa ? fields->address : fields->address & ARM_ADDRESS;
    data->sub_isa = fields->sub_isa;
}

/* Every packet that may have a count has one where counts are on (4.4); a count of 0 is one. */
static void add_cycles(struct elements *e, const struct cairn_packet_fields *fields)
{
    const bool known = (fields->flags & CAIRN_PACKET_HAS_CYCLES) != 0;

    if (!e->decoded->cycle_accurate)
        return;
    ptm_add(e, CAIRN_ELEMENT_CYCLE_COUNT, known ? 0 : CAIRN_ELEMENT_UNKNOWN)->value =
        known ? fields->cycles : 0;
}

static void pass_waypoint(struct elements *e)
{
    e->updated = false;
    e->waypoint_seen = true;
    e->waypoint_offset = e->offset;
}

static void ptm_add_atoms(struct elements *e, const struct cairn_packet_fields *fields)
{
    for (unsigned i = 0; i < fields->atom_count; i++)
        ptm_add(e, CAIRN_ELEMENT_ATOM,
                fields->atoms >> i & 1 ? CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E : 0);
    add_cycles(e, fields);
    pass_waypoint(e);
}

/* An exception whose packet leads to address 0 in Secure state is the fall into a prohibited
 * region (4.7): of the exceptions only Reset has its vector there. Without an exception nothing
 * leads from Non-secure to Secure state (4.12.1). */
static bool is_prohibited(const struct elements *e, const struct cairn_packet_fields *fields)
{
    if (e->decoded->m_profile || fields->address != 0 || fields->context.security != CAIRN_SECURE)
        return false;
    if (fields->flags & CAIRN_PACKET_HAS_EXCEPTION)
        return fields->type != EXCEPTION_RESET;
    return e->context_given && e->context.security == CAIRN_NONSECURE;
}

/* Taken where the waypoints before it, their targets and a waypoint update have led: the image
 * knows where that is. The trace knows of an undefined instruction, which the update names (5.3.2).
 * What ran before a reset nobody knows (5.3.1), and an update before an asynchronous abort may not
 * be exact (4.5.5). */
static void ptm_add_exception(struct elements *e, const struct cairn_packet_fields *fields)
{
    struct cairn_element_data *data;
    const bool named = !e->decoded->m_profile;

    if (fields->type == (named ? EXCEPTION_RESET : EXCEPTION_M_RESET)) {
        ptm_add(e, CAIRN_ELEMENT_EXCEPTION, CAIRN_ELEMENT_UNKNOWN)->value = fields->type;
        return;
    }
    if (named && fields->type == EXCEPTION_UNDEFINED && e->updated) {
        data = ptm_add(e, CAIRN_ELEMENT_EXCEPTION, CAIRN_ELEMENT_HERE);
        data->address = e->update;
        data->sub_isa = e->update_sub_isa;
    } else {
        unsigned flags = CAIRN_ELEMENT_HERE | CAIRN_ELEMENT_UNKNOWN;

        if (named && fields->type == EXCEPTION_ASYNCHRONOUS)
            flags |= CAIRN_ELEMENT_APPROXIMATE;
        data = ptm_add(e, CAIRN_ELEMENT_EXCEPTION, flags);
    }
    data->value = fields->type;
}

/* 4.5.4: with an exception, or in place of the E atom of a waypoint instruction. */
static void ptm_add_branch(struct elements *e, const struct cairn_packet_fields *fields)
{
    const bool exception = (fields->flags & CAIRN_PACKET_HAS_EXCEPTION) != 0;
    const bool prohibited = is_prohibited(e, fields);

    if (exception)
        ptm_add_exception(e, fields);
    else
        ptm_add(e, CAIRN_ELEMENT_ATOM,
                CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E | CAIRN_ELEMENT_ADDRESSED);
    if (exception && !e->decoded->m_profile && fields->type == EXCEPTION_DEBUG) {
        add_unknown_address(e, CAIRN_GAP_NO_ADDRESS); /* address and state mean nothing (5.3.8) */
    } else {
        add_new_context(e, fields);
        if (prohibited)
            add_unknown_address(e, CAIRN_GAP_NO_ADDRESS);
        else
            ptm_add_address(e, 0, fields);
    }
    add_cycles(e, fields);
    pass_waypoint(e);
}

/* 4.5.2. A periodic one repeats the target of the last waypoint. If a waypoint update came in
 * between, execution stands further on, where only the image knows. */
static void add_sync(struct elements *e, const struct cairn_packet_fields *fields)
{
    const bool periodic = fields->reason == CAIRN_PTM_PERIODIC;

    ptm_add(e, CAIRN_ELEMENT_TRACE_INFO, 0)->info = e->decoded->cycle_accurate ? INFO_CC : 0;
    if (fields->reason == CAIRN_PTM_AFTER_OVERFLOW)
        ptm_add(e, CAIRN_ELEMENT_OVERFLOW, 0);
    if (!periodic)
        ptm_add(e, CAIRN_ELEMENT_TRACE_ON, 0);
    ptm_add_context(e, fields);
    if (!periodic) {
        ptm_add_address(e, 0, fields);
        add_cycles(e, fields);
        pass_waypoint(e);
    } else if (e->synchronised && e->updated) {
        ptm_add(e, CAIRN_ELEMENT_TARGET_ADDRESS, CAIRN_ELEMENT_CHECK | CAIRN_ELEMENT_UNKNOWN);
    } else {
        ptm_add_address(e, CAIRN_ELEMENT_CHECK, fields);
    }
    e->synchronised = true;
}

static void add_update(struct elements *e, const struct cairn_packet_fields *fields)
{
    struct cairn_element_data *data = ptm_add(e, CAIRN_ELEMENT_WAYPOINT_UPDATE, 0);

    data->address = fields->address;
    data->sub_isa = fields->sub_isa;
    if (fields->state == CAIRN_STATE_THUMBEE)
        data->reason = CAIRN_GAP_NOT_DECODED;
    e->updated = true;
    e->update = fields->address;
    e->update_sub_isa = fields->sub_isa;
}

/* 4.5.9. In PFT 1.1 it is the time of the last waypoint, with a count of 0; in 1.0 that of the
 * packet, and its count goes into the total as those of other packets do (4.4). */
static void ptm_add_timestamp(struct elements *e, const struct cairn_packet_fields *fields)
{
    const bool known = (fields->flags & CAIRN_PACKET_HAS_TIMESTAMP) != 0 && fields->value != 0;
    const bool of_waypoint = e->decoded->minor >= 1 && e->waypoint_seen;
    const bool counted =
        e->decoded->cycle_accurate && (fields->flags & CAIRN_PACKET_HAS_CYCLES) != 0;
    unsigned flags = known ? 0 : CAIRN_ELEMENT_UNKNOWN;
    struct cairn_element_data *data;

    if (e->decoded->minor == 0)
        add_cycles(e, fields);
    if (counted)
        flags |= CAIRN_ELEMENT_CYCLES;
    data = ptm_add(e, CAIRN_ELEMENT_TIMESTAMP, flags);
    data->value = fields->value;
    data->cycles = counted && e->decoded->minor >= 1 ? fields->cycles : 0;
    data->address = of_waypoint ? e->waypoint_offset : e->offset;
}

/* Packets that mean something without an I-sync before them. */
static bool needs_sync(unsigned kind)
{
    switch ((enum cairn_ptm_kind)kind) {
    case CAIRN_PTM_NOT_SYNC:
    case CAIRN_PTM_RESERVED:
    case CAIRN_PTM_CUT:
    case CAIRN_PTM_INCOMPLETE:
    case CAIRN_PTM_INCOMPLETE_SYNC:
    case CAIRN_PTM_ALIGNMENT_SYNC:
    case CAIRN_PTM_INSTRUCTION_SYNC:
    case CAIRN_PTM_TRIGGER:
    case CAIRN_PTM_TIMESTAMP:
    case CAIRN_PTM_IGNORE: return false;
    case CAIRN_PTM_ATOM:
    case CAIRN_PTM_BRANCH_ADDRESS:
    case CAIRN_PTM_WAYPOINT_UPDATE:
    case CAIRN_PTM_CONTEXT_ID:
    case CAIRN_PTM_VMID:
    case CAIRN_PTM_EXCEPTION_RETURN: break;
    }
    return true;
}

static void lose_synchronisation(struct elements *e)
{
    e->synchronised = false;
    e->updated = false;
    e->context_given = false;
    e->waypoint_seen = false;
}

static void add_damage(struct elements *e, enum cairn_account account)
{
    ptm_add_gap(e, account);
    lose_synchronisation(e);
}

static void translate(struct elements *e, unsigned kind, const struct cairn_packet_fields *fields)
{
    switch ((enum cairn_ptm_kind)kind) {
    case CAIRN_PTM_NOT_SYNC: add_damage(e, CAIRN_GAP_NO_SYNC); break;
    case CAIRN_PTM_RESERVED:
        add_damage(e, CAIRN_GAP_RESERVED);
        e->suspect = true;
        break;
    case CAIRN_PTM_CUT: add_damage(e, CAIRN_GAP_CUT); break;
    case CAIRN_PTM_INCOMPLETE: add_damage(e, CAIRN_GAP_TRUNCATED); break;
    case CAIRN_PTM_INSTRUCTION_SYNC: add_sync(e, fields); break;
    case CAIRN_PTM_ATOM: ptm_add_atoms(e, fields); break;
    case CAIRN_PTM_BRANCH_ADDRESS: ptm_add_branch(e, fields); break;
    case CAIRN_PTM_WAYPOINT_UPDATE: add_update(e, fields); break;
    case CAIRN_PTM_TRIGGER: ptm_add(e, CAIRN_ELEMENT_EVENT, 0)->value = TRIGGER; break;
    case CAIRN_PTM_CONTEXT_ID:
    case CAIRN_PTM_VMID: ptm_add_context(e, fields); break;
    case CAIRN_PTM_TIMESTAMP: ptm_add_timestamp(e, fields); break;
    case CAIRN_PTM_EXCEPTION_RETURN: ptm_add(e, CAIRN_ELEMENT_EXCEPTION_RETURN, 0); break;
    case CAIRN_PTM_INCOMPLETE_SYNC:
    case CAIRN_PTM_ALIGNMENT_SYNC:
    case CAIRN_PTM_IGNORE: break;
    }
}

static bool is_damage(unsigned kind)
{
    return kind == CAIRN_PTM_NOT_SYNC || kind == CAIRN_PTM_RESERVED || kind == CAIRN_PTM_CUT ||
           kind == CAIRN_PTM_INCOMPLETE_SYNC || kind == CAIRN_PTM_INCOMPLETE;
}

/* The packet's elements, into `pending`. */
static void ptm_begin(struct elements *e, const struct cairn_packet_batch *in, size_t i)
{
    const unsigned kind = in->kind[i];

    e->offset = in->offset[i];
    e->length = in->length[i];
    e->count = 0;
    e->given = 0;
    if (kind == CAIRN_PTM_ALIGNMENT_SYNC)
        e->suspect = false;
    if (e->suspect && !is_damage(kind))
        ptm_add_gap(e, CAIRN_GAP_RESERVED); /* whatever it looks like: its framing is not known */
    else if (!e->synchronised && needs_sync(kind))
        ptm_add_gap(e, CAIRN_GAP_NO_ADDRESS);
    else
        translate(e, kind, &in->fields[i]);
}

cairn_status cairn_ptm_elements_run(void *elements, const struct cairn_packet_batch *in,
                                    size_t *position, struct cairn_element_batch *out)
{
    struct elements *e = elements;

    if (!in->offset || !in->length || !in->kind || !in->fields || *position > in->count)
        return CAIRN_E_ARGUMENT;
    for (;;) {
        cairn_pending_give(e->pending, e->count, &e->given, e->offset, e->length, out);
        if (e->given < e->count || *position == in->count)
            return CAIRN_OK;
        ptm_begin(e, in, (*position)++);
    }
}

bool cairn_ptm_elements_stand(const void *elements, const struct cairn_context *context)
{
    const struct elements *e = elements;

    return e->synchronised && !e->suspect && e->given == e->count && e->context_given &&
           same_context(&e->context, context);
}

void cairn_ptm_elements_skip(void *elements, uint64_t waypoint)
{
    struct elements *e = elements;

    e->offset = waypoint;
    pass_waypoint(e);
}

void cairn_ptm_elements_begin(void *elements, const struct cairn_context *context,
                              uint64_t waypoint)
{
    struct elements *e = elements;

    lose_synchronisation(e);
    e->suspect = false;
    e->count = 0;
    e->given = 0;
    if (!context)
        return;
    e->synchronised = true;
    e->context_given = true;
    e->context = *context;
    cairn_ptm_elements_skip(e, waypoint);
}
