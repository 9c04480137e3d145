/* SPDX-License-Identifier: BSD-2-Clause */
/* Transfers -> data packets (IHI0014 7.4). */
#include "unit/etm/words.h"
#include "unit/etmv3/core.h"

#define MINOR_STORE_FAILED 1u /* and an address wherever a transfer is not behind the last one */
#define LATE_INSTRUCTIONS 3u  /* how many begin before a value that is out of order comes */

/* --- whether --- */

bool cairn_etmv3_suppresses(const struct cairn_etmv3_unit *unit)
{
    const uint32_t *values = unit->registers.values;
    const uint64_t level = cairn_unit_pipe_level(&unit->pipe);

    return (values[CAIRN_ETMV3_REG_ETMCR] & CAIRN_ETMCR3_SUPPRESS_DATA) &&
           unit->pipe.fifo_bytes > 0 &&
           level + values[CAIRN_ETMV3_REG_ETMFFLR] > unit->pipe.fifo_bytes;
}

/* True when the packet is left out; the first one so is told (7.4.6). */
static bool suppress(struct cairn_etmv3_unit *unit)
{
    const bool now = cairn_etmv3_suppresses(unit);

    if (!now && !unit->mover.suppressed) {
        unit->suppressing = false;
        return false;
    }
    if (!unit->suppressing && !unit->data_only)
        cairn_etmv3_put(
            unit, CAIRN_ELEMENT_DATA, 0,
            &(struct cairn_element_data){.cycles = CAIRN_DATA_FORM(CAIRN_DATA_SUPPRESSED, 0, 0)});
    unit->suppressing = true;
    unit->mover.suppressed = true;
    return true;
}

/* --- values out of order --- */

static void put_late(struct cairn_etmv3_unit *unit, unsigned n)
{
    struct cairn_etmv3_late *late = &unit->late[n];
    const unsigned words = late->words;

    late->words = 0;
    for (unsigned i = 0; i < words && !suppress(unit); i++)
        cairn_etmv3_put(unit, CAIRN_ELEMENT_DATA, 0,
                        &(struct cairn_element_data){
                            .value = late->values[i],
                            .info = CAIRN_DATA_HAS_VALUE,
                            .cycles = CAIRN_DATA_FORM(CAIRN_DATA_LATE, CAIRN_ETM_WORD, n + 1)});
}

void cairn_etmv3_return_data(struct cairn_etmv3_unit *unit)
{
    for (unsigned n = 0; n < CAIRN_ETMV3_TAGS; n++)
        if (unit->late[n].words > 0 && --unit->late[n].due == 0)
            put_late(unit, n);
}

void cairn_etmv3_return_all_data(struct cairn_etmv3_unit *unit)
{
    for (unsigned n = 0; n < CAIRN_ETMV3_TAGS; n++)
        if (unit->late[n].words > 0)
            put_late(unit, n);
}

/* The tag, from 1, that is free; 0: none. */
static unsigned free_tag(const struct cairn_etmv3_unit *unit)
{
    for (unsigned n = 0; n < CAIRN_ETMV3_TAGS; n++)
        if (unit->late[n].words == 0)
            return n + 1;
    return 0;
}

static bool wants(const struct cairn_etmv3_unit *unit, const struct cairn_unit_transfer *transfer,
                  bool viewed)
{
    const uint32_t control = unit->registers.values[CAIRN_ETMV3_REG_ETMCR];

    if (!(transfer->flags & CAIRN_UNIT_DATA_COPROCESSOR))
        return unit->data && viewed;
    return unit->values && (control & CAIRN_ETMCR3_MONITOR_CPRT) &&
           (viewed || !(control & CAIRN_ETMCR3_FILTER_CPRT));
}

/* --- packets --- */

static struct cairn_element_data element_of(const struct cairn_etm_word *word, bool first,
                                            unsigned kind, unsigned tag)
{
    return (struct cairn_element_data){
        .address = first ? word->address : 0,
        .value = word->value,
        .info = (uint8_t)((first ? CAIRN_DATA_FIRST | CAIRN_DATA_HAS_ADDRESS : 0) |
                          (word->has_value ? CAIRN_DATA_HAS_VALUE : 0) |
                          (word->big_endian ? CAIRN_DATA_BIG_ENDIAN : 0)),
        .cycles = CAIRN_DATA_FORM(kind, word->bytes, tag),
    };
}

static void put_word(struct cairn_etmv3_unit *unit, const struct cairn_etm_word *word, bool first,
                     unsigned kind, unsigned tag)
{
    const struct cairn_element_data data = element_of(word, first, kind, tag);

    if (!unit->data_only)
        cairn_etmv3_put_waits(unit);
    cairn_etmv3_put(unit, CAIRN_ELEMENT_DATA, 0, &data);
    unit->mover.started = true;
}

/* Whether the packet has an address: of the first, and of those not behind the one before them. */
static bool is_first(const struct cairn_etmv3_unit *unit, const struct cairn_etm_word *word)
{
    if (!word->has_address)
        return false;
    return !unit->mover.started ||
           (unit->minor >= MINOR_STORE_FAILED && word->address != unit->mover.next_data);
}

/* False: it has no packet. */
static bool trace_word(struct cairn_etmv3_unit *unit, const struct cairn_etm_word *word,
                       bool wanted, unsigned tag)
{
    const bool first = is_first(unit, word);

    unit->mover.next_data = word->address + word->bytes;
    if ((!wanted && !unit->mover.started) || suppress(unit))
        return false;
    if (!wanted || (unit->values && !word->has_value))
        put_word(unit, word, first, CAIRN_DATA_NOT_TRACED, 0);
    else
        put_word(unit, word, first, tag ? CAIRN_DATA_PLACEHOLDER : CAIRN_DATA_NORMAL, tag);
    return true;
}

/* The tag of a transfer whose value is to come later; 0: it comes at once. */
static unsigned choose_tag(const struct cairn_etmv3_unit *unit,
                           const struct cairn_unit_transfer *transfer, bool wanted)
{
    const uint32_t at_once = CAIRN_UNIT_DATA_STORE | CAIRN_UNIT_DATA_NO_VALUE |
                             CAIRN_UNIT_DATA_COPROCESSOR | CAIRN_UNIT_DATA_STACKING;

    if (!(unit->choices & CAIRN_UNIT_DATA_OUT_OF_ORDER) || !wanted || !unit->values ||
        unit->mover.transfers > 1 || (transfer->flags & at_once) || cairn_etmv3_suppresses(unit))
        return 0;
    return free_tag(unit);
}

/* What is looked at while the instruction executes whose transfer it is. */
static struct cairn_etmv3_resources resources_of_mover(const struct cairn_etmv3_unit *unit)
{
    struct cairn_etmv3_resources resources = unit->resources;

    resources.instruction_matches = unit->mover.matches;
    resources.instruction_ranges = unit->mover.ranges;
    return resources;
}

/* ViewData goes by the instruction whose transfer it is, whatever executes by now (2.11.2). */
static bool is_viewed(const struct cairn_etmv3_unit *unit)
{
    const struct cairn_etmv3_resources resources = resources_of_mover(unit);

    return !unit->watches || cairn_etmv3_view_data(&resources, &unit->registers);
}

/* TraceEnable at a transfer goes by what executes: what was excluded by its address stays so. */
static bool is_enabled(const struct cairn_etmv3_unit *unit)
{
    const struct cairn_etmv3_resources resources = resources_of_mover(unit);

    if (!unit->watches || cairn_etmv3_is_beneath(unit))
        return cairn_etmv3_is_enabled(unit);
    return cairn_etmv3_trace_enable(&resources, &unit->registers);
}

static void trace_transfer(struct cairn_etmv3_unit *unit,
                           const struct cairn_unit_transfer *transfer)
{
    struct cairn_etm_word words[2];
    const bool wanted = wants(unit, transfer, is_viewed(unit));
    const unsigned tag = choose_tag(unit, transfer, wanted);
    const unsigned count = cairn_etm_words(transfer, words);

    for (unsigned i = 0; i < count; i++) {
        if (!trace_word(unit, &words[i], wanted, tag) || !tag)
            continue;
        struct cairn_etmv3_late *late = &unit->late[tag - 1]; /* it has a placeholder (7.4.3) */

        late->values[late->words++] = words[i].value;
        late->due = LATE_INSTRUCTIONS;
    }
    if (wanted && (transfer->flags & CAIRN_UNIT_DATA_FAILED) && unit->values &&
        unit->minor >= MINOR_STORE_FAILED && !unit->suppressing)
        cairn_etmv3_put(
            unit, CAIRN_ELEMENT_DATA, 0,
            &(struct cairn_element_data){.cycles = CAIRN_DATA_FORM(CAIRN_DATA_STORE_FAILED, 0, 0)});
    if (unit->data_only && unit->mover.started)
        cairn_etmv3_give_timestamp(unit);
}

/* Trace goes on because of a transfer: from the instruction that makes it, and if others execute
 * beneath that, from the one that does just now. If none does, the next one is told by a branch
 * packet, and no Atom tells of this one (2.6.4, 7.7.3). */
static void start_by_transfer(struct cairn_etmv3_unit *unit)
{
    const bool beneath = cairn_etmv3_is_beneath(unit);

    if (unit->tracing || unit->last.traced || unit->last.place.isa == CAIRN_ISA_UNKNOWN ||
        unit->exception.pending || !is_enabled(unit))
        return;
    if (beneath && unit->last.left && !unit->data_only) {
        unit->mover.beneath = false;
        unit->mover.traced = cairn_etmv3_make_ready(unit, unit->mover.place);
        unit->mover.beneath = true;
        unit->owes_branch = unit->mover.traced;
        return;
    }
    if (!cairn_etmv3_make_ready(unit, unit->last.place))
        return;
    cairn_etmv3_trace_last(unit);
    unit->mover.traced = true;
}

/* Trace goes on while the core stacks or unstacks: from the instruction that was interrupted, or
 * that returns, which has no Atom (7.5.3, 7.5.4). */
static void start_stacking(struct cairn_etmv3_unit *unit, bool store)
{
    const struct cairn_etmv3_unit_exception exception = unit->exception;

    if (unit->tracing || unit->last.place.isa == CAIRN_ISA_UNKNOWN || exception.pending != store ||
        unit->last.popped || !cairn_etmv3_is_enabled(unit) ||
        !cairn_etmv3_make_ready(unit, unit->last.place))
        return;
    unit->exception = exception;
    unit->last.traced = unit->mover.traced = true;
    unit->owes_branch = !store;
}

/* M profile: the transfers are those of an exception's entry, behind 7E, or of its return, behind
 * 76 (7.5.3, 7.5.4). */
static void begin_stacking(struct cairn_etmv3_unit *unit, bool store)
{
    const bool begins = store ? unit->exception.pending && !unit->exception.stacked
                              : !unit->last.popped && !unit->exception.pending;

    if (!begins)
        return;
    if (store && !unit->data_only)
        cairn_etmv3_put_kind(unit, CAIRN_ELEMENT_STACKING);
    if (!store && !unit->last.returns && !unit->data_only)
        cairn_etmv3_put_kind(unit, CAIRN_ELEMENT_EXCEPTION_RETURN);
    unit->exception.stacked = store;
    unit->last.popped = !store;
    unit->mover.started = false;
    unit->mover.suppressed = false;
    unit->mover.transfers = 0;
}

void cairn_etmv3_unit_data(struct cairn_unit *base, const struct cairn_unit_transfer *transfer)
{
    struct cairn_etmv3_unit *unit = cairn_etmv3_unit(base);
    const bool stacking = (transfer->flags & CAIRN_UNIT_DATA_STACKING) != 0;
    const bool store = (transfer->flags & CAIRN_UNIT_DATA_STORE) != 0;

    if (!unit->enabled || unit->debug || unit->resources.prohibited)
        return;
    if (transfer->flags & CAIRN_UNIT_DATA_ABORTED) {
        unit->last.aborted = !cairn_etmv3_is_beneath(unit);
        return;
    }
    if (stacking)
        cairn_etmv3_end_return(unit);
    if (unit->watches)
        cairn_etmv3_see_transfer(&unit->resources, &unit->registers, transfer);
    if (stacking)
        unit->mover.pending = 0;
    else
        start_by_transfer(unit);
    if (stacking && unit->data)
        start_stacking(unit, store);
    if (stacking && unit->tracing && unit->data)
        begin_stacking(unit, store);
    else if (stacking)
        unit->last.popped = !store;
    unit->mover.transfers++;
    if (unit->tracing && unit->mover.traced)
        trace_transfer(unit, transfer);
    if (unit->mover.pending > 0)
        unit->mover.pending--;
    if (unit->watches)
        cairn_etmv3_sample(unit);
}

void cairn_etmv3_unit_data_pending(struct cairn_unit *base, uint32_t transfers)
{
    struct cairn_etmv3_unit *unit = cairn_etmv3_unit(base);

    if (!unit->enabled || unit->debug || unit->resources.prohibited || !unit->data ||
        unit->last.place.isa == CAIRN_ISA_UNKNOWN || cairn_etmv3_is_beneath(unit))
        return;
    unit->mover.pending = transfers;
    unit->mover.beneath = false;
}
