/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets -> elements of ETMv3 (docs/legacy.md). Nothing is interpreted before an I-sync (IHI0014
 * 7.7.3), nor between a damaged packet and the next one. */
#include "protocol/etmv3/elements.h"

#include <stdlib.h>
#include <string.h>

#include "protocol/pending.h"

enum {
    PENDING = 20, /* elements of one packet at most: a P-header with 15 E and an N */
    INFO_CC = 1 << 0,
    EXCEPTION_HALT = 1, /* A and R profile: Halting debug (7.3.5) */
    EXCEPTION_OLD_HALT = CAIRN_ETMV3_EXCEPTION_OLD + 7,
    EXCEPTION_ASYNCHRONOUS = 4, /* A and R profile: asynchronous Data Abort */
    EXCEPTION_OLD_ASYNCHRONOUS = CAIRN_ETMV3_EXCEPTION_OLD + 6,
    ARM_SIZE = 4, /* bytes of an instruction */
    THUMB_LEAST = 2,
};

struct cairn_etmv3_elements {
    struct cairn_config *config;
    const struct cairn_etmv3_config *decoded;
    bool synchronised; /* an I-sync was seen since the start or the last damage */
    bool suspect;      /* a reserved packet was seen, and no A-sync since */
    bool at_sync;      /* nothing of the flow has come since an I-sync that began trace */
    struct cairn_context context; /* as the last Context element told */
    struct cairn_etmv3_tags tags;
    uint64_t went_on;  /* offset of the last I-sync that is not periodic, if cycles are counted */
    bool count_is_due; /* the cycles of the gap before it have not come yet (7.3.4) */
    uint64_t offset;   /* of the packet in hand */
    uint64_t length;
    unsigned count;
    unsigned given;
    struct cairn_pending pending[PENDING];
};

cairn_status cairn_etmv3_elements_new(struct cairn_config *config,
                                      struct cairn_etmv3_elements **elements)
{
    struct cairn_etmv3_elements *e = calloc(1, sizeof *e);

    if (!e)
        return CAIRN_E_MEMORY;
    e->config = cairn_config_ref(config);
    e->decoded = cairn_etmv3_of(config);
    *elements = e;
    return CAIRN_OK;
}

void cairn_etmv3_elements_free(struct cairn_etmv3_elements *elements)
{
    if (!elements)
        return;
    cairn_config_unref(elements->config);
    free(elements);
}

#define ARM_ADDRESS (~UINT64_C(3))

static struct cairn_element_data *etmv3_add(struct cairn_etmv3_elements *e, unsigned kind,
                                            unsigned flags)
{
    struct cairn_pending *p = &e->pending[e->count];

    p->kind = (uint8_t)kind;
    p->flags = (uint16_t)flags;
    p->data = (struct cairn_element_data){.nth = (uint8_t)e->count++};
    return &p->data;
}

static void etmv3_add_gap(struct cairn_etmv3_elements *e, enum cairn_account account)
{
    etmv3_add(e, CAIRN_ELEMENT_GAP, 0)->value = account;
}

/* --- P-headers --- */

static void add_atom(struct cairn_etmv3_elements *e, bool executed)
{
    etmv3_add(e, CAIRN_ELEMENT_ATOM, executed ? CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E : 0);
}

static void add_cycles(struct cairn_etmv3_elements *e, bool known, uint32_t cycles)
{
    etmv3_add(e, CAIRN_ELEMENT_CYCLE_COUNT, known ? 0 : CAIRN_ELEMENT_UNKNOWN)->value = cycles;
}

/* Those of a gap that are told behind the I-sync that ended it: they belong in front of that. */
static void add_gap_cycles(struct cairn_etmv3_elements *e, bool known, uint32_t cycles)
{
    add_cycles(e, known, cycles);
    e->pending[e->count - 1].data.address = e->went_on;
}

/* A W before each atom in the first format, elsewhere all of them before the first (7.3.1). */
static void etmv3_add_atoms(struct cairn_etmv3_elements *e, unsigned kind,
                            const struct cairn_packet_fields *fields)
{
    const bool each = kind == CAIRN_ETMV3_P_HEADER_CYCLES_F1;

    if (!each && fields->cycles > 0)
        add_cycles(e, true, fields->cycles);
    for (unsigned i = 0; i < fields->atom_count; i++) {
        if (each)
            add_cycles(e, true, 1);
        add_atom(e, fields->atoms >> i & 1);
    }
}

/* --- addresses and contexts --- */

static void etmv3_add_context(struct cairn_etmv3_elements *e, const struct cairn_context *context)
{
    etmv3_add(e, CAIRN_ELEMENT_CONTEXT, 0)->context = *context;
    e->context = *context;
}

static bool is_same_context(const struct cairn_context *a, const struct cairn_context *b)
{
    return a->EL == b->EL && a->security == b->security && a->vmid == b->vmid &&
           a->context_id == b->context_id;
}

static void add_context_if_new(struct cairn_etmv3_elements *e, const struct cairn_context *context)
{
    if (!is_same_context(&e->context, context))
        etmv3_add_context(e, context);
}

static void add_no_address(struct cairn_etmv3_elements *e, enum cairn_account reason)
{
    etmv3_add(e, CAIRN_ELEMENT_TARGET_ADDRESS, CAIRN_ELEMENT_UNKNOWN)->reason = (uint8_t)reason;
}

/* `resume`: the instruction there is resumed behind so many transfers (7.3.5). */
static void etmv3_add_address(struct cairn_etmv3_elements *e, uint64_t address, unsigned state,
                              unsigned flags, unsigned resume)
{
    if (state == CAIRN_STATE_JAZELLE || state == CAIRN_STATE_THUMBEE) {
        add_no_address(e, CAIRN_GAP_NOT_DECODED);
        return;
    }
    if (resume > 0)
        flags |= CAIRN_ELEMENT_PAUSED;
    struct cairn_element_data *data = etmv3_add(e, CAIRN_ELEMENT_TARGET_ADDRESS, flags);
    /* bit 1 of an I-sync's is there for Thumb state; no instruction in ARM state has it */
    data->address = state == CAIRN_STATE_THUMB ? address : address & ARM_ADDRESS;
    data->sub_isa = state == CAIRN_STATE_THUMB;
    data->info = (uint8_t)resume;
}

/* --- branches --- */

/* The packet's address, state and security mean nothing then (7.3.5). */
static bool is_halt(const struct cairn_etmv3_elements *e, const struct cairn_packet_fields *fields)
{
    return (fields->flags & CAIRN_PACKET_HAS_EXCEPTION) &&
           (fields->type == EXCEPTION_OLD_HALT ||
            (fields->type == EXCEPTION_HALT && !e->decoded->m_profile));
}

/* Stores traced as complete may not have been, and late values may never come (4.6.4). */
static bool leaves_doubt(const struct cairn_etmv3_elements *e,
                         const struct cairn_packet_fields *fields)
{
    return (e->decoded->data_value || e->decoded->data_address) &&
           (fields->type == EXCEPTION_OLD_ASYNCHRONOUS ||
            (fields->type == EXCEPTION_ASYNCHRONOUS && !e->decoded->m_profile));
}

static void etmv3_add_exception(struct cairn_etmv3_elements *e,
                                const struct cairn_packet_fields *fields, unsigned paused)
{
    const unsigned doubt = leaves_doubt(e, fields) ? CAIRN_ELEMENT_APPROXIMATE : 0;
    struct cairn_element_data *data = etmv3_add(
        e, CAIRN_ELEMENT_EXCEPTION, CAIRN_ELEMENT_HERE | CAIRN_ELEMENT_UNKNOWN | paused | doubt);

    data->value = fields->type;
    data->info = paused ? fields->resume : 0;
}

static void etmv3_add_branch(struct cairn_etmv3_elements *e,
                             const struct cairn_packet_fields *fields)
{
    const bool cancel = (fields->flags & CAIRN_PACKET_CANCEL) != 0;
    const bool exception = (fields->flags & CAIRN_PACKET_HAS_EXCEPTION) != 0;
    const unsigned paused = cancel && fields->resume > 0 ? CAIRN_ELEMENT_PAUSED : 0;

    if (cancel) {
        struct cairn_element_data *data = etmv3_add(e, CAIRN_ELEMENT_CANCEL, paused);

        data->value = 1;
        data->info = paused ? fields->resume : 0;
    }
    if (exception)
        etmv3_add_exception(e, fields, paused);
    if (is_halt(e, fields)) {
        add_no_address(e, CAIRN_GAP_NO_ADDRESS);
        return;
    }
    add_context_if_new(e, &fields->context);
    if (fields->flags & CAIRN_PACKET_HAS_ADDRESS)
        etmv3_add_address(e, fields->address, fields->state, 0,
                          cancel || exception ? 0u : fields->resume);
    else
        add_no_address(e, CAIRN_GAP_NO_ADDRESS);
}

/* --- I-sync --- */

/* Whether the current instruction is surely the one behind the data instruction: in Thumb state
 * four bytes may be one instruction or two. */
static bool is_directly_behind(const struct cairn_packet_fields *fields)
{
    const unsigned size = fields->state == CAIRN_STATE_ARM ? ARM_SIZE : THUMB_LEAST;

    return fields->type == fields->state && fields->value == fields->address + size;
}

/* The data instruction, which counts as executed, and the one that executes beneath it (7.7.3). In
 * between others may have executed that were not traced. */
static void add_in_progress(struct cairn_etmv3_elements *e,
                            const struct cairn_packet_fields *fields)
{
    add_atom(e, true);
    add_context_if_new(e, &fields->context);
    if (!is_directly_behind(fields))
        add_no_address(e, CAIRN_GAP_NO_ADDRESS);
    etmv3_add_address(e, fields->value, fields->state, 0, 0);
}

/* Of the data instruction, with what else the packet tells. */
static struct cairn_context context_of_data(const struct cairn_packet_fields *fields)
{
    struct cairn_context context = fields->context;

    context.security = fields->count & CAIRN_ETMV3_LSIP_NS ? CAIRN_NONSECURE : CAIRN_SECURE;
    context.EL = fields->count & CAIRN_ETMV3_LSIP_HYP ? 2 : 0;
    return context;
}

/* Each I-sync that is not periodic has a count: in it, or in a packet before the next one. An
 * overflow may have swallowed that (7.3.4). Without one there was no gap: a count of 0 would mean
 * that it is not known. */
static void expect_count(struct cairn_etmv3_elements *e, bool counted, bool overflow)
{
    if (e->count_is_due && overflow)
        add_gap_cycles(e, false, 0);
    e->count_is_due = e->decoded->cycle_accurate && e->synchronised && !counted;
    if (e->decoded->cycle_accurate)
        e->went_on = e->offset;
}

/* The cycles of the gap before it, if they are in the packet, passed before trace went on. */
static void add_i_sync(struct cairn_etmv3_elements *e, unsigned kind,
                       const struct cairn_packet_fields *fields)
{
    const bool in_progress = (fields->flags & CAIRN_PACKET_LSIP) != 0;
    const bool periodic = fields->reason == CAIRN_ETMV3_PERIODIC;

    etmv3_add(e, CAIRN_ELEMENT_TRACE_INFO, 0)->info = e->decoded->cycle_accurate ? INFO_CC : 0;
    if (!periodic)
        expect_count(e, kind == CAIRN_ETMV3_I_SYNC_CYCLES, fields->reason == CAIRN_ETMV3_OVERFLOW);
    if (fields->reason == CAIRN_ETMV3_OVERFLOW)
        etmv3_add(e, CAIRN_ELEMENT_OVERFLOW, 0);
    if (kind == CAIRN_ETMV3_I_SYNC_CYCLES)
        add_cycles(e, fields->flags & CAIRN_PACKET_HAS_CYCLES, fields->cycles);
    if (!periodic)
        etmv3_add(e, CAIRN_ELEMENT_TRACE_ON, 0);
    const struct cairn_context context = in_progress ? context_of_data(fields) : fields->context;
    etmv3_add_context(e, &context);
    e->synchronised = true;
    if (fields->flags & CAIRN_PACKET_DATA_ONLY)
        return;
    etmv3_add_address(e, fields->address, in_progress ? fields->type : fields->state,
                      periodic ? CAIRN_ELEMENT_CHECK : 0, 0);
    if (in_progress)
        add_in_progress(e, fields);
    else if (!periodic)
        e->at_sync = e->decoded->data_value || e->decoded->data_address || e->decoded->cprt;
}

/* --- the others --- */

static void etmv3_add_timestamp(struct cairn_etmv3_elements *e,
                                const struct cairn_packet_fields *fields)
{
    const bool known = (fields->flags & CAIRN_PACKET_HAS_TIMESTAMP) && fields->value != 0;
    struct cairn_element_data *data =
        etmv3_add(e, CAIRN_ELEMENT_TIMESTAMP, known ? 0 : CAIRN_ELEMENT_UNKNOWN);

    data->value = fields->value;
    data->address = e->offset;
}

static bool is_transfer(unsigned kind)
{
    return kind == CAIRN_ETMV3_NORMAL_DATA || kind == CAIRN_ETMV3_OUT_OF_ORDER_PLACEHOLDER ||
           kind == CAIRN_ETMV3_VALUE_NOT_TRACED;
}

/* Between an I-sync and the first atom they are of the instruction that it names: trace began in
 * the middle of that, and nothing executes beneath it (7.7.3). */
static void add_data(struct cairn_etmv3_elements *e, unsigned kind,
                     const struct cairn_packet_fields *fields)
{
    struct cairn_element_data *data = etmv3_add(e, CAIRN_ELEMENT_DATA, 0);

    e->pending[e->count - 1].flags =
        (uint16_t)cairn_etmv3_data(&e->tags, kind, e->offset, fields, data);
    if (e->at_sync && is_transfer(kind)) {
        e->pending[e->count - 1].flags |= CAIRN_ELEMENT_HERE;
        e->at_sync = false;
    }
}

static void translate(struct cairn_etmv3_elements *e, unsigned kind,
                      const struct cairn_packet_fields *fields)
{
    switch ((enum cairn_etmv3_kind)kind) {
    case CAIRN_ETMV3_NOT_SYNC: etmv3_add_gap(e, CAIRN_GAP_NO_SYNC); break;
    case CAIRN_ETMV3_RESERVED: etmv3_add_gap(e, CAIRN_GAP_RESERVED); break;
    case CAIRN_ETMV3_CUT: etmv3_add_gap(e, CAIRN_GAP_CUT); break;
    case CAIRN_ETMV3_INCOMPLETE: etmv3_add_gap(e, CAIRN_GAP_TRUNCATED); break;
    case CAIRN_ETMV3_INCOMPLETE_SYNC:
    case CAIRN_ETMV3_A_SYNC:
    case CAIRN_ETMV3_IGNORE: break;
    case CAIRN_ETMV3_BRANCH: etmv3_add_branch(e, fields); break;
    case CAIRN_ETMV3_I_SYNC:
    case CAIRN_ETMV3_I_SYNC_CYCLES: add_i_sync(e, kind, fields); break;
    case CAIRN_ETMV3_CYCLE_COUNT:
        add_gap_cycles(e, fields->flags & CAIRN_PACKET_HAS_CYCLES, fields->cycles);
        e->count_is_due = false;
        break;
    case CAIRN_ETMV3_TRIGGER: etmv3_add(e, CAIRN_ELEMENT_EVENT, 0); break;
    case CAIRN_ETMV3_CONTEXT_ID:
    case CAIRN_ETMV3_VMID: etmv3_add_context(e, &fields->context); break;
    case CAIRN_ETMV3_TIMESTAMP: etmv3_add_timestamp(e, fields); break;
    case CAIRN_ETMV3_OUT_OF_ORDER_DATA:
    case CAIRN_ETMV3_OUT_OF_ORDER_PLACEHOLDER:
    case CAIRN_ETMV3_NORMAL_DATA:
    case CAIRN_ETMV3_STORE_FAILED:
    case CAIRN_ETMV3_DATA_SUPPRESSED:
    case CAIRN_ETMV3_VALUE_NOT_TRACED: add_data(e, kind, fields); break;
    case CAIRN_ETMV3_EXCEPTION_EXIT: etmv3_add(e, CAIRN_ELEMENT_EXCEPTION_RETURN, 0); break;
    case CAIRN_ETMV3_EXCEPTION_ENTRY: etmv3_add(e, CAIRN_ELEMENT_STACKING, 0); break;
    case CAIRN_ETMV3_P_HEADER_F1:
    case CAIRN_ETMV3_P_HEADER_F2:
    case CAIRN_ETMV3_P_HEADER_CYCLES_F0:
    case CAIRN_ETMV3_P_HEADER_CYCLES_F1:
    case CAIRN_ETMV3_P_HEADER_CYCLES_F2:
    case CAIRN_ETMV3_P_HEADER_CYCLES_F3:
    case CAIRN_ETMV3_P_HEADER_CYCLES_F4: etmv3_add_atoms(e, kind, fields); break;
    }
}

/* Packets that say the same before an I-sync. */
static bool needs_i_sync(unsigned kind)
{
    switch (kind) {
    case CAIRN_ETMV3_A_SYNC:
    case CAIRN_ETMV3_IGNORE:
    case CAIRN_ETMV3_TRIGGER:
    case CAIRN_ETMV3_TIMESTAMP:
    case CAIRN_ETMV3_I_SYNC:
    case CAIRN_ETMV3_I_SYNC_CYCLES: return false;
    default: return kind > CAIRN_ETMV3_INCOMPLETE;
    }
}

static void desynchronise(struct cairn_etmv3_elements *e)
{
    e->synchronised = false;
    e->count_is_due = false;
    e->at_sync = false;
    memset(&e->tags, 0, sizeof e->tags);
}

/* Flow goes on from where an I-sync began it, or stands there no more. */
static void leave_sync(struct cairn_etmv3_elements *e, unsigned kind,
                       const struct cairn_packet_fields *fields)
{
    switch (kind) {
    case CAIRN_ETMV3_BRANCH:
    case CAIRN_ETMV3_EXCEPTION_EXIT:
    case CAIRN_ETMV3_EXCEPTION_ENTRY: e->at_sync = false; break;
    case CAIRN_ETMV3_I_SYNC:
    case CAIRN_ETMV3_I_SYNC_CYCLES:
        e->at_sync = e->at_sync && fields->reason == CAIRN_ETMV3_PERIODIC;
        break;
    default: e->at_sync = e->at_sync && fields->atom_count == 0; break;
    }
}

/* The packet's elements, into `pending`. */
static void etmv3_begin(struct cairn_etmv3_elements *e, const struct cairn_packet_batch *in,
                        size_t i)
{
    const unsigned kind = in->kind[i];

    e->offset = in->offset[i];
    e->length = in->length[i];
    e->count = 0;
    e->given = 0;
    if (kind == CAIRN_ETMV3_A_SYNC)
        e->suspect = false;
    if (e->suspect && kind > CAIRN_ETMV3_INCOMPLETE) {
        etmv3_add_gap(e, CAIRN_GAP_RESERVED); /* whatever it looks like: its framing is not known */
        return;
    }
    if (!e->synchronised && needs_i_sync(kind)) {
        if (cairn_etmv3_account(kind) == CAIRN_ACCOUNT_FLOW)
            etmv3_add_gap(e, CAIRN_GAP_NO_ADDRESS);
        return;
    }
    cairn_etmv3_part(&e->tags, kind);
    leave_sync(e, kind, &in->fields[i]);
    translate(e, kind, &in->fields[i]);
    if (kind <= CAIRN_ETMV3_INCOMPLETE) {
        desynchronise(e);
        e->suspect = e->suspect || kind == CAIRN_ETMV3_RESERVED;
    }
}

cairn_status cairn_etmv3_elements_run(struct cairn_etmv3_elements *e,
                                      const struct cairn_packet_batch *in, size_t *position,
                                      struct cairn_element_batch *out)
{
    if (!in->offset || !in->length || !in->kind || !in->fields || *position > in->count)
        return CAIRN_E_ARGUMENT;
    for (;;) {
        cairn_pending_give(e->pending, e->count, &e->given, e->offset, e->length, out);
        if (e->given < e->count || *position == in->count)
            return CAIRN_OK;
        etmv3_begin(e, in, (*position)++);
    }
}

bool cairn_etmv3_elements_stand(const struct cairn_etmv3_elements *e,
                                const struct cairn_context *context)
{
    return e->synchronised && !e->suspect && !e->at_sync && e->given == e->count &&
           is_same_context(&e->context, context);
}

bool cairn_etmv3_elements_spot(const struct cairn_etmv3_elements *e,
                               struct cairn_etmv3_elements_spot *spot)
{
    spot->went_on = e->went_on;
    spot->count_is_due = e->count_is_due;
    for (unsigned tag = 0; tag < CAIRN_ETMV3_TAGS; tag++)
        if (e->tags.tag[tag].count > 0)
            return false;
    return true;
}

void cairn_etmv3_elements_begin(struct cairn_etmv3_elements *e, const struct cairn_context *context,
                                const struct cairn_etmv3_elements_spot *spot)
{
    desynchronise(e);
    e->suspect = false;
    e->went_on = 0;
    e->count = 0;
    e->given = 0;
    e->context = (struct cairn_context){0};
    if (!context)
        return;
    e->synchronised = true;
    e->context = *context;
    e->went_on = spot->went_on;
    e->count_is_due = spot->count_is_due;
}

struct cairn_etmv3_tags *cairn_etmv3_elements_tags(struct cairn_etmv3_elements *e)
{
    return &e->tags;
}

void cairn_etmv3_elements_skip(struct cairn_etmv3_elements *e)
{
    cairn_etmv3_part(&e->tags, CAIRN_ETMV3_BRANCH);
}
