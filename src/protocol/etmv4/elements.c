/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets -> elements (DDI0608 D2, D5's "Element sequence", D9.2), implied Commits included. */
#include "protocol/etmv4/conditional.h"
#include "protocol/etmv4/payload.h"

#include <stdlib.h>
#include <string.h>

#include "protocol/pending.h"

enum {
    INFO_CC = 1 << 0,
    INFO_T = 1 << 6,
    EVENTS = 4,
    EXCEPTION_RESET = 0x00,
    EXCEPTION_M_RESET = 0x01,
    EXCEPTION_DEBUG_HALT = 0x01,   /* A and R profile: these two may not delimit exactly, and the */
    EXCEPTION_SYSTEM_ERROR = 0x04, /* packet does not tell (D2.2.2.1) */
    PENDING = 64, /* elements of one packet at most: 24 atoms, each with an implied Commit */
};

struct cairn_etmv4_elements {
    struct cairn_config *config;
    const struct cairn_etmv4_config *decoded;
    bool synchronised;   /* a Trace Info was seen since the start or the last damage */
    bool shorten;        /* implied Commits become a mark */
    bool suspect;        /* a reserved packet was seen, and no A-sync since */
    bool in_transaction; /* T of the state (DDI0608 D9.2.1.1) */
    uint32_t depth;      /* current speculation depth */
    uint64_t offset;     /* of the packet in hand */
    uint64_t length;
    struct cairn_element_batch *batch; /* has room for every element of the packet; else NULL */
    unsigned nth;
    unsigned count;
    unsigned given;
    struct cairn_pending pending[PENDING];
};

cairn_status cairn_etmv4_elements_new(struct cairn_config *config,
                                      struct cairn_etmv4_elements **elements)
{
    struct cairn_etmv4_elements *e = calloc(1, sizeof *e);

    if (!e)
        return CAIRN_E_MEMORY;
    e->config = cairn_config_ref(config);
    e->decoded = cairn_etmv4_of(config);
    *elements = e;
    return CAIRN_OK;
}

void cairn_etmv4_elements_free(struct cairn_etmv4_elements *elements)
{
    if (!elements)
        return;
    cairn_config_unref(elements->config);
    free(elements);
}

void cairn_etmv4_elements_shorten(struct cairn_etmv4_elements *elements)
{
    elements->shorten = true;
}

uint32_t cairn_etmv4_elements_depth(const struct cairn_etmv4_elements *elements)
{
    return elements->depth;
}

/* The next element of the packet: into the batch where it has room for all of them. */
static struct cairn_element_data *etmv4_add(struct cairn_etmv4_elements *e, unsigned kind,
                                            unsigned flags)
{
    struct cairn_element_data *data;

    if (e->batch) {
        const size_t i = e->batch->count++;

        e->batch->offset[i] = e->offset;
        e->batch->length[i] = e->length;
        e->batch->kind[i] = (uint8_t)kind;
        e->batch->flags[i] = (uint16_t)flags;
        data = &e->batch->data[i];
    } else {
        struct cairn_pending *p = &e->pending[e->count++];

        p->kind = (uint8_t)kind;
        p->flags = (uint16_t)flags;
        data = &p->data;
    }
    memset(data, 0, sizeof *data);
    data->nth = (uint8_t)e->nth++;
    return data;
}

/* Marks the element that was added last. */
static void etmv4_mark(struct cairn_etmv4_elements *e, unsigned flag)
{
    uint16_t *flags =
        e->batch ? &e->batch->flags[e->batch->count - 1] : &e->pending[e->count - 1].flags;

    *flags |= (uint16_t)flag;
}

/* One more P0 element: the oldest is committed when too many are outstanding (D6.11.1, D9.2.18.3).
 */
static void deepen(struct cairn_etmv4_elements *e)
{
    const uint32_t max = e->decoded->max_speculation;
    struct cairn_element_data *commit;

    e->depth++;
    if (e->depth <= max)
        return;
    e->depth = max;
    if (e->shorten && e->decoded->maxspec == max) {
        etmv4_mark(e, CAIRN_ELEMENT_COMMITS);
        return;
    }
    commit = etmv4_add(e, CAIRN_ELEMENT_COMMIT, CAIRN_ELEMENT_IMPLIED);
    commit->value = 1;
    if (e->decoded->maxspec > max) /* our bound, not the trace unit's: nothing was committed */
        commit->reason = CAIRN_GAP_LIMIT;
}

static void shallow(struct cairn_etmv4_elements *e, uint32_t count)
{
    e->depth -= count < e->depth ? count : e->depth;
}

/* The atoms of a packet while nothing is ever speculative, which is most of any trace. The batch
 * has room for all of them. */
static void add_committed_atoms(struct cairn_etmv4_elements *e,
                                const struct cairn_packet_fields *fields)
{
    struct cairn_element_batch *batch = e->batch;
    uint32_t atoms = fields->atoms;

    for (size_t at = batch->count; e->nth < fields->atom_count; at++, atoms >>= 1) {
        batch->offset[at] = e->offset;
        batch->length[at] = e->length;
        batch->kind[at] = CAIRN_ELEMENT_ATOM;
        batch->flags[at] = (uint16_t)(CAIRN_ELEMENT_COMMITS |
                                      (atoms & 1) * (CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E));
        batch->data[at] = (struct cairn_element_data){.nth = (uint8_t)e->nth++};
    }
    batch->count += fields->atom_count;
}

static void etmv4_add_atoms(struct cairn_etmv4_elements *e,
                            const struct cairn_packet_fields *fields)
{
    if (e->shorten && e->batch && e->decoded->maxspec == 0 && e->nth == 0) {
        add_committed_atoms(e, fields);
        return;
    }
    for (unsigned i = 0; i < fields->atom_count; i++) {
        const bool taken = (fields->atoms >> i) & 1;

        etmv4_add(e, CAIRN_ELEMENT_ATOM, taken ? CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E : 0);
        deepen(e);
    }
}

static void add_commit(struct cairn_etmv4_elements *e, const struct cairn_packet_fields *fields)
{
    if (!(fields->flags & CAIRN_PACKET_HAS_COUNT) || fields->count == 0)
        return;
    etmv4_add(e, CAIRN_ELEMENT_COMMIT, 0)->value = fields->count;
    shallow(e, fields->count);
}

static void add_cancel(struct cairn_etmv4_elements *e, const struct cairn_packet_fields *fields)
{
    etmv4_add(e, CAIRN_ELEMENT_CANCEL, 0)->value = fields->count;
    shallow(e, fields->count);
    if (fields->flags & CAIRN_PACKET_MISPREDICT)
        etmv4_add(e, CAIRN_ELEMENT_MISPREDICT, 0);
}

static void etmv4_add_context(struct cairn_etmv4_elements *e,
                              const struct cairn_packet_fields *fields)
{
    if (fields->flags & CAIRN_PACKET_HAS_CONTEXT)
        etmv4_add(e, CAIRN_ELEMENT_CONTEXT, 0)->context = fields->context;
}

static void etmv4_add_address(struct cairn_etmv4_elements *e, unsigned kind, unsigned flags,
                              const struct cairn_packet_fields *fields)
{
    struct cairn_element_data *data = etmv4_add(e, kind, flags);

    data->address = fields->address;
    data->sub_isa = fields->sub_isa;
}

static void add_failure(struct cairn_etmv4_elements *e, unsigned flags)
{
    etmv4_add(e, CAIRN_ELEMENT_TRANSACTION_FAILURE, flags);
    e->in_transaction = false;
}

/* The exception type that is PE Reset. */
static unsigned reset_type(const struct cairn_etmv4_elements *e)
{
    return e->decoded->profile == CAIRN_PROFILE_M ? EXCEPTION_M_RESET : EXCEPTION_RESET;
}

/* DDI0608 D5.13 to D5.23, D9.2.13.2; E=10 states the target of the previous P0 element too. */
static void etmv4_add_exception(struct cairn_etmv4_elements *e,
                                const struct cairn_packet_fields *fields)
{
    unsigned flags = 0;
    struct cairn_element_data *data;

    etmv4_add_context(e, fields);
    if (fields->flags & CAIRN_PACKET_HAS_ADDRESS) {
        if (fields->flags & CAIRN_PACKET_E10)
            etmv4_add_address(e, CAIRN_ELEMENT_TARGET_ADDRESS, 0, fields);
    } else {
        flags |= CAIRN_ELEMENT_UNKNOWN;
    }
    if (fields->type == reset_type(e)) { /* nothing is implied about execution (D2.2.2.2) */
        flags |= CAIRN_ELEMENT_UNKNOWN;
        if (e->in_transaction)
            add_failure(e, CAIRN_ELEMENT_IMPLIED);
    }
    if (e->decoded->profile != CAIRN_PROFILE_M &&
        (fields->type == EXCEPTION_DEBUG_HALT || fields->type == EXCEPTION_SYSTEM_ERROR))
        flags |= CAIRN_ELEMENT_APPROXIMATE;
    data = etmv4_add(e, CAIRN_ELEMENT_EXCEPTION, flags);
    data->value = fields->type;
    data->address = fields->address;
    data->sub_isa = fields->sub_isa;
    deepen(e);
}

/* DDI0608 D5.25; inside a transaction it implies the failure (D9.2.13.2). */
static void add_reset(struct cairn_etmv4_elements *e, const struct cairn_packet_fields *fields)
{
    if (fields->flags & CAIRN_PACKET_E10)
        etmv4_add(e, CAIRN_ELEMENT_TARGET_ADDRESS, CAIRN_ELEMENT_UNKNOWN);
    if (e->in_transaction)
        add_failure(e, CAIRN_ELEMENT_IMPLIED);
    etmv4_add(e, CAIRN_ELEMENT_EXCEPTION, CAIRN_ELEMENT_UNKNOWN)->value = fields->type;
    deepen(e);
}

/* Discard and Overflow (D9.2.4.1, D9.2.5.1): the Discard comes first, then Overflow. */
static void add_discard(struct cairn_etmv4_elements *e, unsigned kind)
{
    const bool overflow = kind == CAIRN_ETMV4_OVERFLOW;

    etmv4_add(e, CAIRN_ELEMENT_DISCARD, 0)->reason =
        overflow ? CAIRN_GAP_OVERFLOW : CAIRN_GAP_DISCARD;
    if (overflow)
        etmv4_add(e, CAIRN_ELEMENT_OVERFLOW, 0);
    if (e->in_transaction)
        add_failure(e, CAIRN_ELEMENT_IMPLIED);
    e->depth = 0;
}

static void add_trace_info(struct cairn_etmv4_elements *e, const struct cairn_packet_fields *fields)
{
    const uint32_t max = e->decoded->max_speculation;
    const uint32_t depth = fields->count < max ? fields->count : max;
    unsigned flags = 0;
    struct cairn_element_data *data;

    /* In mid-session the depth is known already and cannot have changed (D9.1.2): if it has, this
     * is another session. */
    if (fields->count != (e->synchronised ? e->depth : depth))
        flags |= CAIRN_ELEMENT_UNCERTAIN;
    e->depth = depth;
    e->synchronised = true;
    if (e->decoded->is_ete)
        e->in_transaction = (fields->info & INFO_T) != 0;
    data = etmv4_add(e, CAIRN_ELEMENT_TRACE_INFO, flags);
    data->value = depth;
    data->info = fields->info;
    data->cycles = (fields->info & INFO_CC) ? fields->cycles : 0;
}

static void etmv4_add_timestamp(struct cairn_etmv4_elements *e,
                                const struct cairn_packet_fields *fields)
{
    unsigned flags = 0;
    struct cairn_element_data *data;

    /* 0 means UNKNOWN (D2.4.2); before a Trace Info the upper bits are not known either. */
    if (fields->value == 0 || !e->synchronised)
        flags |= CAIRN_ELEMENT_UNKNOWN;
    if (fields->flags & CAIRN_PACKET_HAS_CYCLES)
        flags |= CAIRN_ELEMENT_CYCLES;
    data = etmv4_add(e, CAIRN_ELEMENT_TIMESTAMP, flags);
    data->value = fields->value;
    data->cycles = fields->cycles;
    data->address = e->offset;
}

/* A value of 0 means UNKNOWN (D6.9.18). */
static void add_cycle_count(struct cairn_etmv4_elements *e,
                            const struct cairn_packet_fields *fields)
{
    const bool known = (fields->flags & CAIRN_PACKET_HAS_CYCLES) != 0 && fields->cycles != 0;

    add_commit(e, fields);
    etmv4_add(e, CAIRN_ELEMENT_CYCLE_COUNT, known ? 0 : CAIRN_ELEMENT_UNKNOWN)->value =
        fields->cycles;
}

static void add_q(struct cairn_etmv4_elements *e, const struct cairn_packet_fields *fields)
{
    const bool counted = (fields->flags & CAIRN_PACKET_HAS_COUNT) != 0;

    etmv4_add(e, CAIRN_ELEMENT_Q, counted ? 0 : CAIRN_ELEMENT_UNKNOWN)->value = fields->count;
    deepen(e);
    if (fields->flags & CAIRN_PACKET_HAS_ADDRESS)
        etmv4_add_address(e, CAIRN_ELEMENT_TARGET_ADDRESS, 0, fields);
}

static void etmv4_add_gap(struct cairn_etmv4_elements *e, enum cairn_account account)
{
    etmv4_add(e, CAIRN_ELEMENT_GAP, 0)->value = account;
}

/* ETMv4's return packets: P0 elements on M profile (Exception Return) or always (Function Return).
 */
static void add_return(struct cairn_etmv4_elements *e, unsigned kind)
{
    etmv4_add(e, kind, 0);
    if (cairn_etmv4_is_p0(e->config, kind))
        deepen(e);
}

/* Packets that mean something only relative to a Trace Info: what they are compressed against, and
 * which P0 elements they count, is not known before it (D1.9). */
static bool needs_trace_info(unsigned kind)
{
    switch (kind) {
    case CAIRN_ETMV4_TRACE_INFO:
    case CAIRN_ETMV4_ALIGNMENT_SYNC:
    case CAIRN_ETMV4_DISCARD:
    case CAIRN_ETMV4_OVERFLOW:
    case CAIRN_ETMV4_EVENT:
    case CAIRN_ETMV4_IGNORE:
    case CAIRN_ETMV4_TIMESTAMP:
    case CAIRN_ETMV4_TIMESTAMP_MARKER:
    case CAIRN_ETMV4_INSTRUMENTATION:
    case CAIRN_ETMV4_TRACE_ON: return false;
    default: return true;
    }
}

static void translate(struct cairn_etmv4_elements *e, unsigned kind,
                      const struct cairn_packet_fields *fields)
{
    switch ((enum cairn_etmv4_kind)kind) {
    case CAIRN_ETMV4_NOT_SYNC: etmv4_add_gap(e, CAIRN_GAP_NO_SYNC); break;
    case CAIRN_ETMV4_RESERVED:
        if ((fields->flags & CAIRN_PACKET_FRAMED) && e->in_transaction)
            add_failure(
                e, CAIRN_ELEMENT_IMPLIED); /* whatever its E is: no exception leaves one going */
        etmv4_add_gap(e, CAIRN_GAP_RESERVED);
        break;
    case CAIRN_ETMV4_CUT: etmv4_add_gap(e, CAIRN_GAP_CUT); break;
    case CAIRN_ETMV4_INCOMPLETE: etmv4_add_gap(e, CAIRN_GAP_TRUNCATED); break;
    case CAIRN_ETMV4_ALIGNMENT_SYNC:
    case CAIRN_ETMV4_IGNORE: break;
    case CAIRN_ETMV4_DISCARD:
    case CAIRN_ETMV4_OVERFLOW: add_discard(e, kind); break;
    case CAIRN_ETMV4_BRANCH_FUTURE_FLUSH: etmv4_add(e, CAIRN_ELEMENT_BRANCH_FUTURE_FLUSH, 0); break;
    case CAIRN_ETMV4_TRACE_INFO: add_trace_info(e, fields); break;
    case CAIRN_ETMV4_TIMESTAMP: etmv4_add_timestamp(e, fields); break;
    case CAIRN_ETMV4_TRACE_ON: etmv4_add(e, CAIRN_ELEMENT_TRACE_ON, 0); break;
    case CAIRN_ETMV4_FUNCTION_RETURN: add_return(e, CAIRN_ELEMENT_FUNCTION_RETURN); break;
    case CAIRN_ETMV4_EXCEPTION_RETURN: add_return(e, CAIRN_ELEMENT_EXCEPTION_RETURN); break;
    case CAIRN_ETMV4_EXCEPTION: etmv4_add_exception(e, fields); break;
    case CAIRN_ETMV4_PE_RESET: add_reset(e, fields); break;
    case CAIRN_ETMV4_TRANSACTION_FAILURE:
        if (fields->flags & CAIRN_PACKET_E10)
            etmv4_add(e, CAIRN_ELEMENT_TARGET_ADDRESS, CAIRN_ELEMENT_UNKNOWN);
        add_failure(e, 0);
        break;
    case CAIRN_ETMV4_INSTRUMENTATION: {
        struct cairn_element_data *data = etmv4_add(e, CAIRN_ELEMENT_INSTRUMENTATION, 0);

        data->value = fields->value;
        data->info = fields->info;
        break;
    }
    case CAIRN_ETMV4_TRANSACTION_START:
        etmv4_add(e, CAIRN_ELEMENT_TRANSACTION_START, 0);
        e->in_transaction = true;
        if (e->decoded->commtrans_is_p0)
            deepen(e);
        break;
    case CAIRN_ETMV4_TRANSACTION_COMMIT:
        etmv4_add(e, CAIRN_ELEMENT_TRANSACTION_COMMIT, 0);
        e->in_transaction = false;
        break;
    case CAIRN_ETMV4_CYCLE_COUNT_F1:
    case CAIRN_ETMV4_CYCLE_COUNT_F2:
    case CAIRN_ETMV4_CYCLE_COUNT_F3: add_cycle_count(e, fields); break;
    case CAIRN_ETMV4_DATA_SYNC_NUMBERED:
    case CAIRN_ETMV4_DATA_SYNC_UNNUMBERED:
        etmv4_add(e, CAIRN_ELEMENT_DATA_SYNC, 0)->value = fields->type;
        break;
    case CAIRN_ETMV4_COMMIT: add_commit(e, fields); break;
    case CAIRN_ETMV4_CANCEL_F1:
    case CAIRN_ETMV4_CANCEL_F2:
    case CAIRN_ETMV4_CANCEL_F3:
        etmv4_add_atoms(e, fields);
        add_cancel(e, fields);
        break;
    case CAIRN_ETMV4_MISPREDICT:
        etmv4_add_atoms(e, fields);
        etmv4_add(e, CAIRN_ELEMENT_MISPREDICT, 0);
        break;
    case CAIRN_ETMV4_COND_INSTRUCTION_F1:
    case CAIRN_ETMV4_COND_INSTRUCTION_F2:
    case CAIRN_ETMV4_COND_INSTRUCTION_F3:
    case CAIRN_ETMV4_COND_FLUSH:
    case CAIRN_ETMV4_COND_RESULT_F1:
    case CAIRN_ETMV4_COND_RESULT_F2:
    case CAIRN_ETMV4_COND_RESULT_F3:
    case CAIRN_ETMV4_COND_RESULT_F4:
        for (unsigned i = 0; i < cairn_etmv4_conditional_count(kind, fields); i++)
            cairn_etmv4_conditional(kind, fields, i, etmv4_add(e, CAIRN_ELEMENT_CONDITIONAL, 0));
        break;
    case CAIRN_ETMV4_EVENT:
        for (unsigned i = 0; i < EVENTS; i++)
            if (fields->type & (1u << i))
                etmv4_add(e, CAIRN_ELEMENT_EVENT, 0)->value = i;
        break;
    case CAIRN_ETMV4_CONTEXT_SAME:
    case CAIRN_ETMV4_CONTEXT: etmv4_add_context(e, fields); break;
    case CAIRN_ETMV4_ADDRESS_CONTEXT_32_IS0:
    case CAIRN_ETMV4_ADDRESS_CONTEXT_32_IS1:
    case CAIRN_ETMV4_ADDRESS_CONTEXT_64_IS0:
    case CAIRN_ETMV4_ADDRESS_CONTEXT_64_IS1:
    case CAIRN_ETMV4_ADDRESS_EXACT:
    case CAIRN_ETMV4_ADDRESS_SHORT_IS0:
    case CAIRN_ETMV4_ADDRESS_SHORT_IS1:
    case CAIRN_ETMV4_ADDRESS_32_IS0:
    case CAIRN_ETMV4_ADDRESS_32_IS1:
    case CAIRN_ETMV4_ADDRESS_64_IS0:
    case CAIRN_ETMV4_ADDRESS_64_IS1:
        etmv4_add_context(e, fields);
        etmv4_add_address(e, CAIRN_ELEMENT_TARGET_ADDRESS, 0, fields);
        break;
    case CAIRN_ETMV4_TIMESTAMP_MARKER: etmv4_add(e, CAIRN_ELEMENT_TIMESTAMP_MARKER, 0); break;
    case CAIRN_ETMV4_Q_EXACT:
    case CAIRN_ETMV4_Q_SHORT_IS0:
    case CAIRN_ETMV4_Q_SHORT_IS1:
    case CAIRN_ETMV4_Q_32_IS0:
    case CAIRN_ETMV4_Q_32_IS1:
    case CAIRN_ETMV4_Q_COUNT:
    case CAIRN_ETMV4_Q: add_q(e, fields); break;
    case CAIRN_ETMV4_SOURCE_EXACT:
    case CAIRN_ETMV4_SOURCE_SHORT_IS0:
    case CAIRN_ETMV4_SOURCE_SHORT_IS1:
    case CAIRN_ETMV4_SOURCE_32_IS0:
    case CAIRN_ETMV4_SOURCE_32_IS1:
    case CAIRN_ETMV4_SOURCE_64_IS0:
    case CAIRN_ETMV4_SOURCE_64_IS1:
        etmv4_add_address(e, CAIRN_ELEMENT_SOURCE_ADDRESS, 0, fields);
        deepen(e);
        break;
    case CAIRN_ETMV4_ATOM_F1:
    case CAIRN_ETMV4_ATOM_F2:
    case CAIRN_ETMV4_ATOM_F3:
    case CAIRN_ETMV4_ATOM_F4:
    case CAIRN_ETMV4_ATOM_F5_1:
    case CAIRN_ETMV4_ATOM_F5_2:
    case CAIRN_ETMV4_ATOM_F6: etmv4_add_atoms(e, fields); break;
    }
}

static bool is_atoms(unsigned kind)
{
    return kind >= CAIRN_ETMV4_ATOM_F6 && kind <= CAIRN_ETMV4_ATOM_F3;
}

/* The packet's elements, into `pending`. */
static void etmv4_begin(struct cairn_etmv4_elements *e, const struct cairn_packet_batch *in,
                        size_t i)
{
    const unsigned kind = in->kind[i];

    e->offset = in->offset[i];
    e->length = in->length[i];
    e->count = 0;
    e->given = 0;
    e->nth = 0;
    if (is_atoms(kind) && e->synchronised && !e->suspect) {
        etmv4_add_atoms(e, &in->fields[i]);
        return;
    }
    if (kind == CAIRN_ETMV4_ALIGNMENT_SYNC)
        e->suspect = false;
    if (kind == CAIRN_ETMV4_TRACE_ON && (in->fields[i].flags & CAIRN_PACKET_GOES_ON)) {
        e->suspect = false;
        e->synchronised = true;
    }
    if (e->suspect && kind > CAIRN_ETMV4_INCOMPLETE) {
        etmv4_add_gap(e, CAIRN_GAP_RESERVED); /* whatever it looks like: its framing is not known */
        return;
    }
    if (!e->synchronised && needs_trace_info(kind) && kind > CAIRN_ETMV4_INCOMPLETE) {
        if (cairn_etmv4_account(kind) == CAIRN_ACCOUNT_FLOW)
            etmv4_add_gap(e, CAIRN_GAP_NO_ADDRESS);
        return;
    }
    translate(e, kind, &in->fields[i]);
    if (kind <= CAIRN_ETMV4_INCOMPLETE && !(in->fields[i].flags & CAIRN_PACKET_FRAMED)) {
        e->synchronised = false;
        e->suspect = e->suspect || kind == CAIRN_ETMV4_RESERVED;
        e->depth = 0;
        e->in_transaction = false;
    }
}

cairn_status cairn_etmv4_elements_run(struct cairn_etmv4_elements *e,
                                      const struct cairn_packet_batch *in, size_t *position,
                                      struct cairn_element_batch *out)
{
    for (;;) {
        cairn_pending_give(e->pending, e->count, &e->given, e->offset, e->length, out);
        if (e->given < e->count || *position == in->count)
            return CAIRN_OK;
        e->batch = out->capacity - out->count >= PENDING ? out : NULL;
        etmv4_begin(e, in, (*position)++);
    }
}

bool cairn_etmv4_elements_stand(const struct cairn_etmv4_elements *e)
{
    return e->synchronised && !e->suspect && !e->in_transaction && e->depth == 0 &&
           e->given == e->count;
}

void cairn_etmv4_elements_resume(struct cairn_etmv4_elements *e)
{
    e->synchronised = true;
    e->suspect = false;
    e->in_transaction = false;
    e->depth = 0;
    e->count = 0; /* a reader may begin elsewhere before a full batch has taken all */
    e->given = 0;
}

bool cairn_etmv4_elements_between(const struct cairn_etmv4_elements *e)
{
    return e->synchronised && !e->suspect && !e->in_transaction && e->given == e->count;
}

void cairn_etmv4_elements_restore(struct cairn_etmv4_elements *e, uint32_t depth)
{
    e->synchronised = true;
    e->suspect = false;
    e->in_transaction = false;
    e->depth = depth;
}
