/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets -> elements of ETMv2, which are those of ETMv3 (docs/legacy.md). Statuses run ahead of what
 * they placed in the FIFO, so they wait here: elements are in program order, and what a packet means
 * stands behind the instruction whose status placed it. */
#include "protocol/etmv2/etmv2.h"
#include "protocol/etmv2/tags.h"

#include <stdlib.h>

enum {
    PENDING = 12,                  /* elements of one step, at most: a TFO packet's */
    QUEUE = CAIRN_ETMV2_WAIT + 1u, /* the parser lets no status wait for longer */
    INFO_CC = 1 << 0,
    ARM_SIZE = 4, /* bytes of an instruction */
    NO_GAP = 0,
};

struct etmv2_pending {
    uint8_t kind;
    uint16_t flags;
    uint64_t offset;
    uint64_t length;
    struct cairn_element_data data;
};

/* A status. */
struct etmv2_entry {
    uint64_t offset;
    uint8_t length;
    uint8_t kind;
    uint8_t status; /* PIPESTAT, or what TR stands for */
    uint8_t info;
};

struct etmv2_elements {
    struct cairn_config *config;
    const struct cairn_etmv2_config *decoded;
    struct etmv2_entry queue[QUEUE]; /* a ring; the first waits for its packets */
    unsigned first, entries;
    bool told;     /* the elements of the first one's status are given */
    unsigned lost; /* so many of the first are of no use any more ... */
    unsigned gap;  /* ... and this account, unless it is NO_GAP, tells why, at `gap_packet` */
    struct etmv2_entry gap_packet;
    bool outside;      /* out of step, and that has been said */
    bool begun;        /* a TFO packet was read */
    bool synchronised; /* and nothing was lost since */
    bool at_sync;      /* nothing of the flow has come since a TFO that began trace */
    unsigned since_on; /* instructions since then */
    struct cairn_etmv2_tags tags;
    uint64_t offset; /* of the packet in hand */
    uint64_t length;
    unsigned nth; /* of the next element of one packet */
    uint64_t nth_of;
    unsigned count;
    unsigned given;
    struct etmv2_pending pending[PENDING];
};

cairn_status cairn_etmv2_elements_new(struct cairn_config *config, void **state)
{
    struct etmv2_elements *e = calloc(1, sizeof *e);

    if (!e)
        return CAIRN_E_MEMORY;
    e->config = cairn_config_ref(config);
    e->decoded = cairn_etmv2_of(config);
    cairn_etmv2_tags_clear(&e->tags);
    *state = e;
    return CAIRN_OK;
}

void cairn_etmv2_elements_free(void *state)
{
    struct etmv2_elements *e = state;

    if (!e)
        return;
    cairn_config_unref(e->config);
    free(e);
}

/* --- elements --- */

static struct cairn_element_data *etmv2_add(struct etmv2_elements *e, unsigned kind, unsigned flags)
{
    struct etmv2_pending *p = &e->pending[e->count++];

    if (e->nth_of != e->offset)
        e->nth = 0;
    e->nth_of = e->offset;
    *p = (struct etmv2_pending){
        .kind = (uint8_t)kind, .flags = (uint16_t)flags, .offset = e->offset, .length = e->length};
    p->data.nth = (uint8_t)e->nth++;
    return &p->data;
}

static void stand_at(struct etmv2_elements *e, const struct etmv2_entry *entry)
{
    e->offset = entry->offset;
    e->length = entry->length;
}

static void add_cycle(struct etmv2_elements *e)
{
    if (e->decoded->cycle_accurate)
        etmv2_add(e, CAIRN_ELEMENT_CYCLE_COUNT, 0)->value = 1;
}

static void add_executed(struct etmv2_elements *e)
{
    etmv2_add(e, CAIRN_ELEMENT_ATOM, CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E);
    e->at_sync = false;
    e->since_on++;
}

static void etmv2_add_context(struct etmv2_elements *e, const struct cairn_packet_fields *fields)
{
    struct cairn_context *context = &etmv2_add(e, CAIRN_ELEMENT_CONTEXT, 0)->context;

    context->security = CAIRN_SECURE;
    context->context_id = fields->context.context_id;
}

static void add_unknown_address(struct etmv2_elements *e)
{
    etmv2_add(e, CAIRN_ELEMENT_TARGET_ADDRESS, CAIRN_ELEMENT_UNKNOWN)->reason =
        CAIRN_GAP_NO_ADDRESS;
}

static void etmv2_add_address(struct etmv2_elements *e, uint64_t address, unsigned state,
                              unsigned flags)
{
    struct cairn_element_data *data = etmv2_add(e, CAIRN_ELEMENT_TARGET_ADDRESS, flags);

    data->address = address;
    data->sub_isa = state == CAIRN_STATE_THUMB;
}

/* --- statuses --- */

static bool counts(const struct etmv2_entry *entry)
{
    return entry->status != CAIRN_ETMV2_STATUS_TD || (entry->info & CAIRN_ETMV2_COUNTED);
}

static bool is_tfo(const struct etmv2_entry *entry)
{
    return entry->kind == CAIRN_ETMV2_TFO ||
           (entry->kind == CAIRN_ETMV2_TR && entry->status == CAIRN_ETMV2_STATUS_TD);
}

static bool has_group(const struct etmv2_entry *entry)
{
    return is_tfo(entry) || cairn_etmv2_places(entry->status);
}

/* Table 7-24, and a trigger, which has the cycle of the status that it took the place of. What a TFO
 * means, its packet tells. */
static void tell_status(struct etmv2_elements *e, const struct etmv2_entry *entry)
{
    uint32_t atoms;
    const unsigned count = cairn_etmv2_atoms(entry->status, &atoms);

    stand_at(e, entry);
    if (entry->kind == CAIRN_ETMV2_TR)
        etmv2_add(e, CAIRN_ELEMENT_EVENT, 0);
    if (is_tfo(entry))
        return;
    if (counts(entry))
        add_cycle(e);
    for (unsigned i = 0; i < count; i++) {
        const bool executed = atoms >> i & 1;

        etmv2_add(e, CAIRN_ELEMENT_ATOM, executed ? CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E : 0);
        e->at_sync = false;
        e->since_on++;
    }
}

static void pop_entry(struct etmv2_elements *e)
{
    e->first = (e->first + 1) % QUEUE;
    e->entries--;
    e->told = false;
}

/* What its status says is not told: which instruction it is of depends on what is missing. */
static void lose_entry(struct etmv2_elements *e, const struct etmv2_entry *entry)
{
    uint32_t atoms;
    const unsigned count = cairn_etmv2_atoms(entry->status, &atoms);

    stand_at(e, entry);
    if (entry->kind == CAIRN_ETMV2_TR) /* wherever it is */
        etmv2_add(e, CAIRN_ELEMENT_EVENT, 0);
    for (unsigned i = 0; i < count; i++) {
        const bool executed = atoms >> i & 1;
        const unsigned flags = executed ? CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E : 0;

        etmv2_add(e, CAIRN_ELEMENT_ATOM, flags | CAIRN_ELEMENT_LOST)->reason = CAIRN_GAP_UNRESOLVED;
    }
}

/* One thing that does not wait any more. False: there is none. */
static bool release(struct etmv2_elements *e)
{
    const struct etmv2_entry entry = e->queue[e->first];

    if (e->lost > 0) {
        if (!e->told)
            lose_entry(e, &entry);
        pop_entry(e);
        e->lost--;
        return true;
    }
    if (e->gap != NO_GAP) {
        stand_at(e, &e->gap_packet);
        etmv2_add(e, CAIRN_ELEMENT_GAP, 0)->value = e->gap;
        e->gap = NO_GAP;
        return true;
    }
    if (e->entries == 0 || e->told)
        return false;
    tell_status(e, &entry);
    if (has_group(&entry))
        e->told = true;
    else
        pop_entry(e);
    return true;
}

/* The first `count` statuses that wait do so in vain. */
static void lose(struct etmv2_elements *e, unsigned count, enum cairn_account reason)
{
    e->lost = count;
    e->gap = reason;
    e->gap_packet = (struct etmv2_entry){.offset = e->offset, .length = (uint8_t)e->length};
    e->synchronised = false;
    e->at_sync = false;
    cairn_etmv2_tags_clear(&e->tags);
}

/* Of those that wait, how many are in front of the status `cycles` before the packet in hand. */
static unsigned before(const struct etmv2_elements *e, uint64_t cycles)
{
    const uint64_t cycle = e->offset / CAIRN_SAMPLE_BYTES - cycles;
    unsigned count = 0;

    while (count < e->entries &&
           e->queue[(e->first + count) % QUEUE].offset / CAIRN_SAMPLE_BYTES < cycle)
        count++;
    return count;
}

static void take_status(struct etmv2_elements *e, unsigned kind,
                        const struct cairn_packet_fields *fields)
{
    const bool idle = cairn_etmv2_is_idle(kind, fields);

    if (fields->info & CAIRN_ETMV2_LOST)
        e->outside = false; /* out of step once more */
    if (!(fields->info & CAIRN_ETMV2_IN_STEP)) {
        if (kind == CAIRN_ETMV2_TR) /* it may come in front of any instruction (6.1.7) */
            etmv2_add(e, CAIRN_ELEMENT_EVENT, 0);
        if (e->entries == 0 && (e->outside || (idle && !e->synchronised)))
            return;
        lose(e, e->entries,
             fields->flags & CAIRN_PACKET_CONTRADICTION ? CAIRN_GAP_RESERVED : CAIRN_GAP_NO_SYNC);
        e->outside = true;
        return;
    }
    e->outside = false;
    if (e->entries == QUEUE) {
        lose(e, e->entries, CAIRN_GAP_LIMIT);
        return;
    }
    if (fields->info & CAIRN_ETMV2_LOST) /* a TFO, behind cycles that are missing */
        lose(e, e->entries, CAIRN_GAP_NO_SYNC);
    e->queue[(e->first + e->entries++) % QUEUE] = (struct etmv2_entry){
        .offset = e->offset,
        .length = (uint8_t)e->length,
        .kind = (uint8_t)kind,
        .status = (uint8_t)(fields->type & 0xf),
        .info = fields->info,
    };
}

/* --- packets of the FIFO --- */

/* Trace may begin at an LSM whose execution began before; an address behind it, or behind its status,
 * is then that of the next instruction, though the LSM is no branch (6.5.5). */
static void etmv2_add_branch(struct etmv2_elements *e, const struct cairn_packet_fields *fields)
{
    const unsigned announced = e->since_on <= 1 ? CAIRN_ELEMENT_HERE : 0;

    e->at_sync = false;
    if (fields->flags & CAIRN_PACKET_CANCEL)
        etmv2_add(e, CAIRN_ELEMENT_CANCEL, 0)->value = 1;
    if (fields->flags & CAIRN_PACKET_HAS_EXCEPTION) {
        unsigned flags = CAIRN_ELEMENT_HERE | CAIRN_ELEMENT_UNKNOWN;

        /* what an instruction transferred that aborts is not to be believed (6.8.1) */
        if (cairn_etmv2_has_data(e->decoded) && cairn_etmv2_is_data_abort(fields->type))
            flags |= CAIRN_ELEMENT_APPROXIMATE;
        if (cairn_etmv2_goes_on_again(fields->type))
            flags |= CAIRN_ELEMENT_E;
        etmv2_add(e, CAIRN_ELEMENT_EXCEPTION, flags)->value = fields->type;
    }
    if (fields->flags & CAIRN_PACKET_HAS_ADDRESS)
        etmv2_add_address(e, fields->address, fields->state, announced);
    else
        add_unknown_address(e);
}

/* The LSM counts as executed, and another instruction executes beneath it (6.5.5, 7.11.2). In between
 * others may have executed that were not traced. */
static void add_in_progress(struct etmv2_elements *e, const struct cairn_packet_fields *fields,
                            const struct etmv2_entry *entry)
{
    const bool behind = fields->type == CAIRN_STATE_ARM && fields->state == CAIRN_STATE_ARM &&
                        fields->value == fields->address + ARM_SIZE;
    const uint64_t offset = e->offset, length = e->length;

    stand_at(e, entry);
    add_executed(e);
    e->offset = offset;
    e->length = length;
    if (!behind)
        add_unknown_address(e);
    etmv2_add_address(e, fields->value, fields->state, 0);
}

/* A periodic one has taken the place of IE: the instruction at the address executed in its cycle. The
 * others begin trace, and no instruction is implied (6.5.1). */
static void add_tfo(struct etmv2_elements *e, const struct cairn_packet_fields *fields,
                    const struct etmv2_entry *entry)
{
    const bool periodic = fields->reason == CAIRN_ETMV2_PERIODIC;
    const bool in_progress = (fields->flags & CAIRN_PACKET_LSIP) != 0;

    etmv2_add(e, CAIRN_ELEMENT_TRACE_INFO, 0)->info = e->decoded->cycle_accurate ? INFO_CC : 0;
    if (fields->reason == CAIRN_ETMV2_OVERFLOW)
        etmv2_add(e, CAIRN_ELEMENT_OVERFLOW, 0);
    if ((!periodic || !e->synchronised) && e->begun && e->decoded->cycle_accurate)
        etmv2_add(e, CAIRN_ELEMENT_CYCLE_COUNT,
                  CAIRN_ELEMENT_UNKNOWN); /* 6.11, or cycles were lost */
    if (!periodic)
        etmv2_add(e, CAIRN_ELEMENT_TRACE_ON, 0);
    etmv2_add_context(e, fields);
    etmv2_add_address(e, fields->address, in_progress ? fields->type : fields->state,
                      periodic ? CAIRN_ELEMENT_CHECK : 0);
    e->begun = true;
    e->synchronised = true;
    if (!periodic)
        e->since_on = 0;
    if (in_progress) {
        add_in_progress(e, fields, entry);
        e->since_on++; /* the address behind it is in the packet */
    } else if (periodic) {
        stand_at(e, entry);
        add_cycle(e);
        add_executed(e);
    } else {
        e->at_sync = cairn_etmv2_has_data(e->decoded);
    }
}

/* Between a TFO and the first instruction they are of the LSM that it names: trace began in the middle
 * of that, and nothing executes beneath it (6.5.5). */
static void add_data(struct etmv2_elements *e, unsigned kind,
                     const struct cairn_packet_fields *fields)
{
    struct cairn_element_data *data = etmv2_add(e, CAIRN_ELEMENT_DATA, 0);
    unsigned flags = cairn_etmv2_data(&e->tags, kind, e->offset, fields, data);

    if (e->at_sync && kind != CAIRN_ETMV2_LOAD_MISS_DATA) {
        flags |= CAIRN_ELEMENT_HERE;
        e->at_sync = false;
    }
    e->pending[e->count - 1].flags = (uint16_t)flags;
}

static void take_packet(struct etmv2_elements *e, unsigned kind,
                        const struct cairn_packet_fields *fields)
{
    const struct etmv2_entry entry = e->queue[e->first];
    const bool tfo = kind == CAIRN_ETMV2_NORMAL_TFO || kind == CAIRN_ETMV2_LSM_IN_PROGRESS_TFO;

    if (e->entries == 0 || !e->told || tfo != is_tfo(&entry)) {
        if (e->entries > 0) /* not what the parser gives */
            lose(e, e->entries, CAIRN_GAP_INCONSISTENT);
        return;
    }
    cairn_etmv2_tags_part(&e->tags, kind);
    switch (kind) {
    case CAIRN_ETMV2_BRANCH_ADDRESS: etmv2_add_branch(e, fields); break;
    case CAIRN_ETMV2_CONTEXT_ID: etmv2_add_context(e, fields); break;
    case CAIRN_ETMV2_NORMAL_TFO:
    case CAIRN_ETMV2_LSM_IN_PROGRESS_TFO: add_tfo(e, fields, &entry); break;
    default: add_data(e, kind, fields); break;
    }
    if (!(fields->info & CAIRN_ETMV2_C))
        pop_entry(e);
}

/* --- packets --- */

static void etmv2_begin(struct etmv2_elements *e, const struct cairn_packet_batch *in, size_t i)
{
    const unsigned kind = in->kind[i];
    const struct cairn_packet_fields *fields = &in->fields[i];

    e->offset = in->offset[i];
    e->length = in->length[i];
    e->nth_of = UINT64_MAX;
    switch (kind) {
    case CAIRN_ETMV2_RESERVED:
    case CAIRN_ETMV2_OUT_OF_STEP:
        lose(e, fields->flags & CAIRN_PACKET_HAS_COUNT ? before(e, fields->count) : e->entries,
             CAIRN_GAP_RESERVED);
        e->outside = !(fields->flags & CAIRN_PACKET_HAS_COUNT);
        break;
    case CAIRN_ETMV2_INCOMPLETE: lose(e, e->entries, CAIRN_GAP_TRUNCATED); break;
    default:
        if (kind >= CAIRN_ETMV2_BRANCH_ADDRESS)
            take_packet(e, kind, fields);
        else
            take_status(e, kind, fields);
        break;
    }
}

static void etmv2_give(struct etmv2_elements *e, struct cairn_element_batch *out)
{
    while (e->given < e->count && out->count < out->capacity) {
        const struct etmv2_pending *p = &e->pending[e->given++];
        const size_t i = out->count++;

        out->offset[i] = p->offset;
        out->length[i] = p->length;
        out->kind[i] = p->kind;
        out->flags[i] = p->flags;
        out->data[i] = p->data;
    }
}

cairn_status cairn_etmv2_elements_run(void *state, const struct cairn_packet_batch *in,
                                      size_t *position, struct cairn_element_batch *out)
{
    struct etmv2_elements *e = state;

    if (!in->offset || !in->length || !in->kind || !in->fields || *position > in->count)
        return CAIRN_E_ARGUMENT;
    for (;;) {
        etmv2_give(e, out);
        if (e->given < e->count)
            return CAIRN_OK;
        e->count = 0;
        e->given = 0;
        if (release(e))
            continue;
        if (*position == in->count)
            return CAIRN_OK;
        etmv2_begin(e, in, (*position)++);
    }
}
