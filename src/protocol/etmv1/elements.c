/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets -> elements (docs/etmv1.md). A status is the end of an instruction, and so an Atom. */
#include "protocol/etmv1/etmv1.h"

#include <stdlib.h>

#include "protocol/pending.h"

enum {
    PENDING = 12, /* elements of one cycle, at most */
    VECTOR_BYTES = 4,
    VECTORS = 8,
    LANES = 2,
    LANE_BITS = 16,
    BYTE_BITS = 8,
    NIBBLE = 0xf,
    NIBBLE_BITS = 4,
    BYTE = 0xff,
};

#define HIGH_VECTORS UINT32_C(0xffff0000)

struct etmv1_elements {
    struct cairn_config *config;
    const struct cairn_etmv1_config *etm;
    bool lost;          /* it was told that nothing is known of what executes */
    bool context_known; /* it was given, and no gap came since */
    uint32_t context_id;
    bool counting;   /* cycles, since an instruction */
    uint64_t cycles; /* since the last instruction */
    uint64_t offset; /* of the packet in hand */
    uint64_t length;
    unsigned count;
    unsigned given;
    struct cairn_pending pending[PENDING];
};

cairn_status cairn_etmv1_elements_new(struct cairn_config *config, void **state)
{
    struct etmv1_elements *e = calloc(1, sizeof *e);

    if (!e)
        return CAIRN_E_MEMORY;
    e->config = cairn_config_ref(config);
    e->etm = cairn_etmv1_of(config);
    *state = e;
    return CAIRN_OK;
}

void cairn_etmv1_elements_free(void *state)
{
    struct etmv1_elements *e = state;

    if (!e)
        return;
    cairn_config_unref(e->config);
    free(e);
}

const char *cairn_etmv1_exception_name(const struct cairn_config *config, unsigned type)
{
    static const char *const names[VECTORS] = {
        "Processor reset",
        "Undefined Instruction",
        "Supervisor Call",
        "Prefetch Abort",
        "Data Abort",
        "Reserved",
        "IRQ",
        "FIQ",
    };

    (void)config;
    return type < VECTORS ? names[type] : "Reserved";
}

static struct cairn_element_data *etmv1_add(struct etmv1_elements *e, unsigned kind, unsigned flags)
{
    struct cairn_pending *p = &e->pending[e->count];

    *p = (struct cairn_pending){.kind = (uint8_t)kind, .flags = (uint16_t)flags};
    p->data.nth = (uint8_t)e->count++;
    return &p->data;
}

static void etmv1_add_gap(struct etmv1_elements *e, enum cairn_account reason)
{
    etmv1_add(e, CAIRN_ELEMENT_GAP, 0)->value = reason;
    e->context_known = false;
    e->counting = false;
}

/* --- cycles --- */

/* Up to the instruction in hand, with its own (5.10). */
static void add_cycles(struct etmv1_elements *e)
{
    if (e->etm->cycle_accurate && e->counting)
        etmv1_add(e, CAIRN_ELEMENT_CYCLE_COUNT, 0)->value = e->cycles;
    e->cycles = 0;
}

/* Trace was off: those in between were not all captured. */
static void add_unknown_cycles(struct etmv1_elements *e)
{
    if (e->etm->cycle_accurate)
        etmv1_add(e, CAIRN_ELEMENT_CYCLE_COUNT, CAIRN_ELEMENT_UNKNOWN);
    e->cycles = 0;
    e->counting = true;
}

/* --- data --- */

static unsigned units_of(const struct etmv1_elements *e, const struct cairn_packet_fields *fields,
                         uint64_t *value, unsigned *marks)
{
    unsigned count = 0;

    *value = 0;
    for (unsigned lane = 0; lane < LANES; lane++) {
        const unsigned what = CAIRN_ETMV1_LANE_WHAT(fields->atoms >> (LANE_BITS * lane));
        const uint64_t byte = fields->value >> (BYTE_BITS * lane) &
                              (e->etm->pins == NIBBLE_BITS ? (unsigned)NIBBLE : (unsigned)BYTE);

        if (what != CAIRN_ETMV1_LANE_DATA && what != CAIRN_ETMV1_LANE_OPEN)
            continue;
        if (what == CAIRN_ETMV1_LANE_DATA)
            *marks |= CAIRN_PINS_CERTAIN;
        *value |= byte << (BYTE_BITS * count++);
    }
    return count;
}

/* A group of packets cannot start on or before a functional status, nor its offset cycles (5.3). */
static bool ends_instruction(unsigned status)
{
    switch (status) {
    case CAIRN_ETMV1_WT:
    case CAIRN_ETMV1_TD: return false;
    default: return true;
    }
}

static void add_pins(struct etmv1_elements *e, const struct cairn_packet_fields *fields,
                     unsigned marks)
{
    uint64_t value;

    if (!cairn_etmv1_has_data(e->etm))
        return;
    const unsigned count = units_of(e, fields, &value, &marks);

    if (fields->info & CAIRN_ETMV1_SYNC_TAKEN)
        marks |= CAIRN_PINS_SYNC;
    if (ends_instruction(fields->type))
        marks |= CAIRN_PINS_FENCE;
    if (count == 0 && marks == 0)
        return;
    struct cairn_element_data *data = etmv1_add(e, CAIRN_ELEMENT_DATA, CAIRN_ELEMENT_HERE);

    data->cycles = CAIRN_DATA_FORM(CAIRN_DATA_PINS, count, 0);
    data->value = value;
    data->address = marks;
    if (count > 0)
        data->info = CAIRN_DATA_HAS_VALUE;
}

/* The instruction that is cancelled had data: said where execution stands at it. */
static void add_cancelled(struct etmv1_elements *e)
{
    struct cairn_element_data *data = etmv1_add(e, CAIRN_ELEMENT_DATA, CAIRN_ELEMENT_HERE);

    data->cycles = CAIRN_DATA_FORM(CAIRN_DATA_PINS, 0, 0);
    data->address = CAIRN_PINS_HERE;
}

/* --- branches --- */

/* Which vector the address is, of ARM state, for exceptions are taken in that (4.5.3); VECTORS: none.
 */
static unsigned vector_of(const struct etmv1_elements *e, const struct cairn_packet_fields *fields)
{
    const uint64_t base = e->etm->high_vectors ? HIGH_VECTORS : 0;
    const uint64_t place = (fields->address - base) / VECTOR_BYTES;

    if (fields->state != CAIRN_STATE_ARM || fields->address < base || place >= VECTORS ||
        place == CAIRN_ETMV1_NO_VECTOR)
        return VECTORS;
    return (unsigned)place;
}

/* Whether the instruction with the status did not execute (4.5.3). On some cores the status is that of
 * the one before, which did. */
static bool cancels(const struct etmv1_elements *e, unsigned vector)
{
    if (e->etm->executes_last)
        return false;
    return vector == CAIRN_ETMV1_RESET || vector == CAIRN_ETMV1_PREFETCH_ABORT ||
           vector == CAIRN_ETMV1_IRQ || vector == CAIRN_ETMV1_FIQ;
}

/* Behind a reset the Context ID is not known (4.7), and 0. */
static void add_context(struct etmv1_elements *e, const struct cairn_packet_fields *fields,
                        bool reset)
{
    struct cairn_context *context;
    uint32_t id = e->context_id;

    if (fields->flags & CAIRN_PACKET_HAS_CONTEXT_ID)
        id = fields->context.context_id;
    else if (reset)
        id = 0;
    if (e->context_known && e->context_id == id)
        return;
    e->context_known = true;
    e->context_id = id;
    context = &etmv1_add(e, CAIRN_ELEMENT_CONTEXT, 0)->context;
    context->security = CAIRN_NONSECURE;
    context->context_id = id;
}

static void etmv1_add_address(struct etmv1_elements *e, const struct cairn_packet_fields *fields)
{
    struct cairn_element_data *data;

    if (fields->state == CAIRN_STATE_JAZELLE) {
        data = etmv1_add(e, CAIRN_ELEMENT_TARGET_ADDRESS, CAIRN_ELEMENT_UNKNOWN);
        data->reason = CAIRN_GAP_NOT_DECODED;
        return;
    }
    data = etmv1_add(e, CAIRN_ELEMENT_TARGET_ADDRESS, 0);
    data->address = fields->address;
    data->sub_isa = fields->sub_isa;
}

/* The status of an instruction: `data`, that what it transferred is on the pins. */
static void etmv1_add_atom(struct etmv1_elements *e, bool executed, bool data)
{
    const unsigned flags = executed ? CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E : 0;

    add_cycles(e);
    etmv1_add(e, CAIRN_ELEMENT_ATOM,
              data && cairn_etmv1_has_data(e->etm) ? flags | CAIRN_ELEMENT_HERE : flags);
}

static bool begins_trace(const struct cairn_packet_fields *fields)
{
    return fields->reason >= CAIRN_ETMV1_TRACE_ON && fields->reason <= CAIRN_ETMV1_DEBUG_EXIT;
}

/* A branch that no instruction made: where trace begins or goes on (5.5.5, 5.8.1). */
static void begin_trace(struct etmv1_elements *e, const struct cairn_packet_fields *fields)
{
    if (fields->reason == CAIRN_ETMV1_OVERFLOW) {
        etmv1_add(e, CAIRN_ELEMENT_OVERFLOW, 0);
        e->context_known = false;
    }
    add_unknown_cycles(e);
    etmv1_add(e, CAIRN_ELEMENT_TRACE_ON, 0);
}

/* An instruction that branched, or that an exception came to. */
static void take_branched(struct etmv1_elements *e, const struct cairn_packet_fields *fields,
                          unsigned vector)
{
    const bool data = fields->type == CAIRN_ETMV1_BD && cairn_etmv1_has_data(e->etm);
    unsigned flags = CAIRN_ELEMENT_HERE | CAIRN_ELEMENT_UNKNOWN;

    if (!cancels(e, vector)) {
        etmv1_add_atom(e, true, data);
    } else {
        add_cycles(e);
        if (data)
            add_cancelled(e);
    }
    if (vector == VECTORS)
        return;
    /* what was transferred when it was aborted is not valid (4.5.3) */
    if (vector == CAIRN_ETMV1_DATA_ABORT && data)
        flags |= CAIRN_ELEMENT_APPROXIMATE;
    if (vector == CAIRN_ETMV1_DATA_ABORT) /* and it goes on again */
        flags |= CAIRN_ELEMENT_E;
    etmv1_add(e, CAIRN_ELEMENT_EXCEPTION, flags)->value = vector;
}

/* One that leads somewhere; `known`: where execution stood before is. Returns marks of its data. */
static unsigned take_branch(struct etmv1_elements *e, const struct cairn_packet_fields *fields,
                            bool known)
{
    const unsigned vector = vector_of(e, fields);
    unsigned marks = 0;
    bool reset = false;

    if (begins_trace(fields)) {
        begin_trace(e, fields);
        marks = CAIRN_PINS_ANEW;
        if (fields->reason == CAIRN_ETMV1_OVERFLOW)
            marks |= CAIRN_PINS_OVERFLOW;
        if (fields->reason == CAIRN_ETMV1_DEBUG_EXIT)
            marks |= CAIRN_PINS_DEBUG;
    } else if (known) {
        take_branched(e, fields, vector);
        reset = vector == CAIRN_ETMV1_RESET;
    } else {
        add_unknown_cycles(e);
    }
    add_context(e, fields, reset);
    etmv1_add_address(e, fields);
    return marks;
}

/* --- a cycle --- */

/* Once, and then nothing more until a branch leads somewhere known. */
static unsigned lose(struct etmv1_elements *e, enum cairn_account reason)
{
    if (e->lost)
        return 0;
    e->lost = true;
    etmv1_add_gap(e, reason);
    return CAIRN_PINS_BREAK;
}

/* Returns marks. */
static unsigned branch_status(struct etmv1_elements *e, const struct cairn_packet_fields *fields)
{
    const bool is_reserved = cairn_etmv1_is_reserved_reason(e->etm, fields->reason);
    const unsigned to_come =
        fields->info & CAIRN_ETMV1_ADDRESS_TO_COME ? (unsigned)CAIRN_PINS_BRANCH : 0;
    unsigned marks = 0;

    if (fields->info & CAIRN_ETMV1_ABANDONED)
        return to_come;
    if (!(fields->flags & CAIRN_PACKET_HAS_ADDRESS))
        return lose(e, (enum cairn_account)fields->tag) | to_come;
    if (is_reserved || (fields->info & CAIRN_ETMV1_CONTRADICTION)) {
        marks = lose(e, (enum cairn_account)fields->tag);
        e->counting = false;
    }
    const bool known = !e->lost && !(fields->info & CAIRN_ETMV1_NOT_SYNC);

    e->lost = false;
    return marks | take_branch(e, fields, known) | to_come;
}

/* Returns marks. */
static unsigned take_status(struct etmv1_elements *e, const struct cairn_packet_fields *fields)
{
    const bool lost = (fields->info & CAIRN_ETMV1_NOT_SYNC) != 0;

    switch (fields->type) {
    case CAIRN_ETMV1_BE:
    case CAIRN_ETMV1_BD: return branch_status(e, fields);
    case CAIRN_ETMV1_TD: return 0;
    case CAIRN_ETMV1_IE:
    case CAIRN_ETMV1_ID:
    case CAIRN_ETMV1_IN:
        if (!lost)
            etmv1_add_atom(e, fields->type != CAIRN_ETMV1_IN, fields->type == CAIRN_ETMV1_ID);
        break;
    default: break;
    }
    return lost ? lose(e, CAIRN_GAP_NO_SYNC) : 0;
}

static void etmv1_begin(struct etmv1_elements *e, const struct cairn_packet_batch *in, size_t i)
{
    const struct cairn_packet_fields *fields = &in->fields[i];
    unsigned marks = 0;

    e->offset = in->offset[i];
    e->length = in->length[i];
    e->count = 0;
    e->given = 0;
    if (in->kind[i] >= CAIRN_ETMV1_RESERVED) {
        marks =
            lose(e, in->kind[i] == CAIRN_ETMV1_RESERVED ? CAIRN_GAP_RESERVED : CAIRN_GAP_TRUNCATED);
        if (marks != 0)
            add_pins(e, &(struct cairn_packet_fields){.type = CAIRN_ETMV1_TD}, marks);
        return;
    }
    e->cycles++;
    if (in->kind[i] == CAIRN_ETMV1_TR) /* in the trace, not at an instruction (5.1.1) */
        etmv1_add(e, CAIRN_ELEMENT_EVENT, 0);
    if (fields->info & CAIRN_ETMV1_LOST)
        marks = lose(e, CAIRN_GAP_NO_SYNC);
    marks |= take_status(e, fields);
    add_pins(e, fields, marks);
}

cairn_status cairn_etmv1_elements_run(void *state, const struct cairn_packet_batch *in,
                                      size_t *position, struct cairn_element_batch *out)
{
    struct etmv1_elements *e = state;

    if (!in->offset || !in->length || !in->kind || !in->fields || *position > in->count)
        return CAIRN_E_ARGUMENT;
    for (;;) {
        cairn_pending_give(e->pending, e->count, &e->given, e->offset, e->length, out);
        if (e->given < e->count || *position == in->count)
            return CAIRN_OK;
        etmv1_begin(e, in, (*position)++);
    }
}
