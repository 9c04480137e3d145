/* SPDX-License-Identifier: BSD-2-Clause */
#include "protocol/etmv4/words.h"
#include "base/bytes.h"

#include "protocol/framing.h"
#include "protocol/pass_on.h"
#include "protocol/reader_levels.h"
#include <stdlib.h>

enum {
    WORDS_LEVELS = 256,    /* room of each level's batch */
    WORDS_SLICE = 64,      /* bytes given to the levels at once while they may soon hand back */
    WORDS_LOOK_AHEAD = 64, /* bytes that reading in step wants to have before it */
    WORDS_REACH = 1024,    /* bytes that are looked at for the next Atom packet */
    WORDS_OF_ONE = 64,     /* elements that taking a packet may need room for */
    WORDS_HISTORY = 3,
};

struct words_reader {
    struct cairn_config *config;
    struct cairn_hot_table table;
    struct cairn_etmv4_run_form forms[CAIRN_ETMV4_RUN_FORMS]; /* unless it is portable */
    bool portable;
    bool never; /* reads in step: Atoms may be taken back, or counts have packets of another kind */
    bool counts; /* cycles */
    struct cairn_hot_cycles cycles;
    bool in_step;
    bool went_on;                 /* the levels have taken a packet since they took over */
    uint64_t offset;              /* source offset of the next byte to take */
    uint64_t barren;              /* in front of this one no packet leads to an Atom packet */
    struct cairn_hot_state state; /* in step */
    uint64_t *history;            /* of a run */
    size_t history_capacity;
    struct cairn_etmv4_taker *taker;

    struct cairn_reader_levels levels;
    struct cairn_element_batch *settled; /* by the levels as they handed over, not given yet */
    size_t settled_at;
};

cairn_status cairn_etmv4_reader_new(struct cairn_config *config, struct cairn_word_bytes *bytes,
                                    void **state)
{
    struct words_reader *w = calloc(1, sizeof *w);
    cairn_status status = w ? CAIRN_OK : CAIRN_E_MEMORY;

    if (status != CAIRN_OK)
        return status;
    w->config = cairn_config_ref(config);
    w->portable = !cairn_cpu_has_avx2() || !cairn_cpu_has_fast_bits();
    w->counts = cairn_etmv4_of(config)->cc_enabled;
    w->never = !cairn_etmv4_hot_table(config, &w->table) ||
               (!cairn_etmv4_hot_cycles(config, &w->cycles) && w->counts);
#if CAIRN_AVX2
    if (!w->portable)
        cairn_etmv4_run_forms(&w->table, w->forms);
#endif
    memcpy(bytes->atoms, w->table.atoms, sizeof bytes->atoms);
    memcpy(bytes->bits, w->table.bits, sizeof bytes->bits);
    status = cairn_etmv4_taker_new(config, &w->taker);
    if (status == CAIRN_OK)
        status = cairn_reader_levels_new(&w->levels, config);
    if (status == CAIRN_OK)
        status = cairn_element_batch_new(WORDS_LEVELS, &w->settled);
    if (status != CAIRN_OK) {
        cairn_etmv4_reader_free(w);
        return status;
    }
    *state = w;
    return CAIRN_OK;
}

void cairn_etmv4_reader_amid(void *state, uint64_t offset)
{
    struct words_reader *w = state;

    cairn_framing_amid(w->levels.packets, offset);
    w->offset = offset;
}

void cairn_etmv4_reader_free(void *state)
{
    struct words_reader *w = state;

    if (!w)
        return;
    cairn_etmv4_taker_free(w->taker);
    cairn_reader_levels_free(&w->levels);
    cairn_element_batch_free(w->settled);
    free(w->history);
    cairn_config_unref(w->config);
    free(w);
}

void cairn_etmv4_reader_portable(void *state)
{
    struct words_reader *w = state;

    w->portable = true;
}

/* --- the levels --- */

/* The levels go on, in front of an Atom packet or where all before is certain. */
static void words_leave(struct words_reader *w)
{
    cairn_etmv4_parser_resume(w->levels.packets, w->offset, &w->state);
    cairn_etmv4_elements_resume(w->levels.elements);
    cairn_etmv4_resolver_resume(w->levels.resolver, &w->state);
    cairn_reader_levels_empty(&w->levels);
    w->in_step = false;
    w->went_on = false;
}

/* False: there is no room for all of it. */
static bool words_give_settled(struct words_reader *w, struct cairn_element_batch *out)
{
    return w->settled_at == w->settled->count ||
           (cairn_pass_on_run(NULL, w->settled, &w->settled_at, out) == CAIRN_OK &&
            w->settled_at == w->settled->count);
}

/* Looks at the packets from `at` on, but not far. True: an Atom packet comes behind them, and none
 * of them could change the Atom before. `*seen` is then, or else, how many bytes it has looked at. */
static bool words_lead_to_atoms(struct words_reader *w, const uint8_t *at, const uint8_t *end,
                                struct cairn_hot_state state, size_t *seen)
{
    const uint8_t *const from = at;
    const uint8_t *const far = end - at > WORDS_REACH ? at + WORDS_REACH : end;
    bool fits = true;

    while (fits && at < far && *at < CAIRN_ETMV4_FIRST_ATOM) {
        enum cairn_account account;
        size_t length;

        fits = cairn_etmv4_take(w->taker, &state, at, (size_t)(end - at), 0, &length, &account,
                                NULL) == CAIRN_HOT_TAKEN;
        at += fits ? length : 0;
    }
    *seen = (size_t)(at - from);
    return fits && at < far;
}

/* Begins to read in step if the levels stand where that can be. `floor` is the place in the bytes
 * that it does not go back behind. */
static void words_enter(struct words_reader *w, const uint8_t *data, size_t size, size_t floor,
                        size_t *position)
{
    struct cairn_hot_state state;
    uint64_t offset;

    /* A long run without Atoms is looked over once, not once for each of its packets. */
    if (w->offset < w->barren || !cairn_etmv4_elements_stand(w->levels.elements) ||
        !cairn_etmv4_resolver_stands(w->levels.resolver, &state) ||
        !cairn_etmv4_parser_stands(w->levels.packets, &offset, &state) ||
        w->offset - offset > *position - floor)
        return;
    const size_t place = *position - (size_t)(w->offset - offset);
    size_t seen;

    if (size - place < WORDS_LOOK_AHEAD || offset < w->barren)
        return;
    if (!words_lead_to_atoms(w, data + place, data + size, state, &seen)) {
        w->barren = offset + seen;
        return;
    }
    w->settled->count = 0;
    w->settled_at = 0;
    if (!cairn_etmv4_resolver_settle(w->levels.resolver, w->settled))
        return; /* the levels go on behind what fitted */
    w->state = state;
    w->offset = offset;
    w->in_step = true;
    *position = place;
}

/* The levels read, until they have handed over, there is no more room or there are no more bytes.
 */
static cairn_status words_run_levels(struct words_reader *w, const uint8_t *data, size_t size,
                                     size_t *position, struct cairn_words *out)
{
    const size_t floor = *position;

    for (;;) {
        const size_t before = *position;
        size_t slice;
        bool idle;
        cairn_status status;

        if (!words_give_settled(w, out->elements))
            return CAIRN_OK;
        status = cairn_reader_levels_pump(&w->levels, out->elements, &idle);
        if (status != CAIRN_OK || !idle)
            return status;
        if (w->went_on && !w->never)
            words_enter(w, data, size, floor, position);
        if (w->in_step)
            return CAIRN_OK;
        if (w->settled_at < w->settled->count)
            continue;
        slice = cairn_words_left(out, w->offset, size - before);
        if (slice > WORDS_SLICE && !w->never)
            slice = WORDS_SLICE;
        status = cairn_reader_levels_step(&w->levels, data, before + slice, position, out);
        w->went_on |= w->levels.taken->count > 0;
        w->offset += *position - before;
        if (status != CAIRN_OK || (w->levels.taken->count == 0 && *position == before))
            return status;
    }
}

/* --- in step --- */

void cairn_etmv4_run_portable(struct cairn_etmv4_run *run)
{
    const struct cairn_hot_table *table = run->table;
    const uint8_t *at = run->at;
    uint64_t *newest = run->history + 2 + run->addresses;
    size_t count = run->count;

    while (run->end - at >= (ptrdiff_t)CAIRN_ETMV4_WORD_MARGIN && at < run->stop &&
           count < run->capacity) {
        const uint64_t bytes = cairn_load_le64(at);
        const uint64_t others = ~(bytes & (bytes << 1)) & UINT64_C(0x8080808080808080);
        const unsigned packets =
            others ? (unsigned)__builtin_ctzll(others) / 8 : CAIRN_WORD_PACKETS_MOST;
        const uint8_t *const header = at + packets;
        const uint64_t payload = cairn_load_le64(header + 1);
        const struct cairn_hot_address *form = &table->address[header[0] | (payload & 0x80) << 1];
        const uint64_t target = (newest[-(ptrdiff_t)form->entry] & form->keep) |
                                cairn_hot_gather(payload, form->mask) << form->shift |
                                form->sub_isa;
        const bool addressed = form->length > 0 && target != CAIRN_WORD_NO_TARGET;

        if (packets == 0 && !addressed)
            break;
        run->word[count++] =
            (struct cairn_word){.atoms = others ? bytes & (((others & -others) >> 7) - 1) : bytes,
                                .target = addressed ? target : CAIRN_WORD_NO_TARGET,
                                .at = (uint32_t)(at - run->origin),
                                .before = (uint16_t)packets,
                                .target_length = addressed ? form->length : 0};
        at = header;
        if (!addressed)
            continue;
        *++newest = target;
        run->address_bytes += form->length;
        at += form->length;
    }
    run->at = at;
    run->count = count;
    run->addresses = (size_t)(newest - (run->history + 2));
}

static void words_read(const struct words_reader *w, struct cairn_etmv4_run *run)
{
#if CAIRN_AVX2
    if (!w->portable && cairn_etmv4_run_blocks(run))
        return;
#else
    (void)w;
#endif
    cairn_etmv4_run_portable(run);
}

/* Takes the packets that begin at `stop` or behind off a run, which ends there then. */
static void words_cut(struct cairn_etmv4_run *run, const uint8_t *stop)
{
    for (; run->count > 0; run->count--) {
        struct cairn_word *word = &run->word[run->count - 1];
        const uint8_t *const first = run->origin + word->at;

        if (word->target != CAIRN_WORD_NO_TARGET) {
            if (first + word->before < stop)
                return;
            run->addresses--;
            run->address_bytes -= word->target_length;
            run->at = first + word->before;
            word->target = CAIRN_WORD_NO_TARGET;
            word->target_length = 0;
        }
        if (word->before == 0)
            continue;
        if (first < stop) {
            if (stop - first < word->before) {
                word->before = (uint16_t)(stop - first);
                word->atoms &= (UINT64_C(1) << (8 * word->before)) - 1;
                run->at = stop;
            }
            return;
        }
        run->at = first;
    }
}

/* Gives up the last Atom packet of a run and what is behind it. */
static void words_shorten(struct cairn_etmv4_run *run)
{
    for (size_t i = run->count; i > 0; i--) {
        const struct cairn_word *word = &run->word[i - 1];

        if (word->before > 0) {
            words_cut(run, run->origin + word->at + word->before - 1);
            return;
        }
    }
}

/* Takes what the packets from `at` to `end` were counted as off the ledger. */
static void words_uncount(struct words_reader *w, const uint8_t *at, const uint8_t *end,
                          const uint8_t *limit, struct cairn_words *out)
{
    struct cairn_hot_state state = w->state;

    while (at < end) {
        enum cairn_account account;
        size_t length;

        if (cairn_etmv4_take(w->taker, &state, at, (size_t)(limit - at), 0, &length, &account,
                             NULL) != CAIRN_HOT_TAKEN)
            return;
        cairn_reader_count(out, account, -(uint64_t)length, -UINT64_C(1));
        at += length;
    }
}

/* Takes the packets from `at` on, at source offset `offset`, up to the next Atom packet, or to
 * `stop`. NULL: one of them is not to be taken by itself, and nothing has changed. */
static const uint8_t *words_look_ahead(struct words_reader *w, const uint8_t *at,
                                       const uint8_t *stop, const uint8_t *end, uint64_t offset,
                                       struct cairn_words *out)
{
    struct cairn_element_batch *elements = out->elements;
    struct cairn_hot_state state = w->state;
    const uint8_t *const from = at;
    const size_t count = elements->count;
    size_t seen;

    while (at < stop && *at < CAIRN_ETMV4_FIRST_ATOM) {
        enum cairn_account account;
        size_t length;

        if (elements->capacity - elements->count < WORDS_OF_ONE ||
            cairn_etmv4_take(w->taker, &state, at, (size_t)(end - at), offset, &length, &account,
                             elements) != CAIRN_HOT_TAKEN)
            break;
        cairn_reader_count(out, account, length, 1);
        at += length;
        offset += length;
    }
    if (at < end && (*at >= CAIRN_ETMV4_FIRST_ATOM ||
                     (at >= stop && words_lead_to_atoms(w, at, end, state, &seen)))) {
        w->state = state;
        return at;
    }
    words_uncount(w, from, at, end, out);
    elements->count = count;
    return NULL;
}

static bool words_reserve(struct words_reader *w, size_t capacity)
{
    if (w->history_capacity >= capacity + WORDS_HISTORY)
        return true;
    free(w->history);
    w->history = malloc((capacity + WORDS_HISTORY) * sizeof *w->history);
    w->history_capacity = w->history ? capacity + WORDS_HISTORY : 0;
    return w->history != NULL;
}

/* The last addresses of a run. */
static void words_keep_history(struct words_reader *w, const struct cairn_etmv4_run *run)
{
    const uint64_t *newest = run->history + 2 + run->addresses;

    for (unsigned i = 0; i < WORDS_HISTORY; i++)
        w->state.history[i] = newest[-(ptrdiff_t)i];
}

/* What a run took is added to the ledger. */
static void words_count(const struct words_reader *w, const struct cairn_etmv4_run *run,
                        const struct cairn_etmv4_counts *counts, struct cairn_words *out)
{
    const uint64_t flow = (uint64_t)(run->at - run->origin) - counts->bytes;

    cairn_reader_count(out, CAIRN_ACCOUNT_FLOW, flow, flow - run->address_bytes + run->addresses);
    if (counts->packets_counted > 0)
        cairn_reader_count(out, w->cycles.account, counts->bytes, counts->packets_counted);
}

/* The last Atom packet of a run is left to the levels. */
static void words_give_up(struct words_reader *w, struct cairn_etmv4_run *run,
                          struct cairn_etmv4_counts *counts)
{
    if (w->counts)
        cairn_etmv4_shorten_cycles(run, counts);
    else
        words_shorten(run);
    words_keep_history(w, run);
    w->in_step = false;
}

/* Reads a run. */
static void words_read_run(struct words_reader *w, struct cairn_etmv4_run *run,
                           struct cairn_etmv4_counts *counts, const uint8_t *stop)
{
    if (w->counts) {
        const uint8_t *const last = run->end - CAIRN_ETMV4_WORD_MARGIN;

        run->stop = stop < last ? stop : last;
        cairn_etmv4_run_cycles(run, counts);
    } else if (*run->at >= CAIRN_ETMV4_FIRST_ATOM) {
        words_read(w, run);
        if (run->at > stop)
            words_cut(run, stop);
    }
    words_keep_history(w, run);
}

/* A run of words, and what stands behind it up to the next Atom packet. */
static void words_run_in_step(struct words_reader *w, const uint8_t *data, size_t size,
                              size_t *position, struct cairn_words *out)
{
    const uint8_t *const end = data + size;
    const uint8_t *const from = data + *position;
    const uint8_t *const stop = from + cairn_words_left(out, w->offset, size - *position);
    struct cairn_etmv4_run run = {.table = &w->table,
                                  .forms = w->forms,
                                  .origin = from,
                                  .at = from,
                                  .end = end,
                                  .stop = stop,
                                  .word = out->word,
                                  .capacity = out->capacity,
                                  .history = w->history};
    struct cairn_etmv4_counts counts = {.cycles = &w->cycles,
                                        .threshold = w->state.threshold,
                                        .packets = out->packets,
                                        .aside = out->aside,
                                        .capacity = out->aside_capacity};
    const uint8_t *behind;

    for (unsigned i = 0; i < WORDS_HISTORY; i++)
        run.history[2 - i] = w->state.history[i];
    words_read_run(w, &run, &counts, stop);
    behind = run.at;
    if (*behind < CAIRN_ETMV4_FIRST_ATOM) {
        behind = words_look_ahead(w, behind, stop, end, w->offset + (uint64_t)(behind - from), out);
        if (!behind) {
            words_give_up(w, &run, &counts);
            behind = run.at;
        }
    }
    words_count(w, &run, &counts, out);
    out->origin = w->offset;
    out->count = run.count;
    out->aside_count = counts.count;
    w->offset += (uint64_t)(behind - from);
    *position += (size_t)(behind - from);
    if (!w->in_step)
        words_leave(w);
}

cairn_status cairn_etmv4_reader_words(void *state, const uint8_t *data, size_t size,
                                      size_t *position, struct cairn_words *out)
{
    struct words_reader *w = state;

    if (*position > size || out->capacity == 0 || out->elements->capacity == 0 ||
        (w->counts && out->aside_capacity < CAIRN_ETMV4_CYCLES_ASIDES))
        return CAIRN_E_ARGUMENT;
    if (!words_reserve(w, out->capacity))
        return CAIRN_E_MEMORY;
    for (;;) {
        if (!words_give_settled(w, out->elements))
            return CAIRN_OK;
        if (!w->in_step) {
            const cairn_status status = words_run_levels(w, data, size, position, out);

            if (status != CAIRN_OK || !w->in_step)
                return status;
            continue;
        }
        if (out->elements->count > 0 || cairn_words_left(out, w->offset, size - *position) == 0)
            return CAIRN_OK;
        if (size - *position < WORDS_LOOK_AHEAD) {
            words_leave(w);
            continue;
        }
        words_run_in_step(w, data, size, position, out);
        if (out->count > 0)
            return CAIRN_OK;
    }
}

cairn_status cairn_etmv4_reader_finish(void *state, struct cairn_words *out)
{
    struct words_reader *w = state;
    struct cairn_element_batch *elements = out->elements;

    if (elements->capacity == 0)
        return CAIRN_E_ARGUMENT;
    if (!words_give_settled(w, elements))
        return CAIRN_OK;
    if (w->in_step)
        words_leave(w);
    return cairn_reader_levels_finish(&w->levels, out);
}

size_t cairn_etmv4_reader_packets(void *state, const struct cairn_word *word, const uint8_t *bytes,
                                  struct cairn_aside *asides)
{
    const struct words_reader *w = state;

    return cairn_etmv4_find_packets(&w->table, &w->cycles, word, bytes, asides);
}

/* --- places --- */

enum words_place {
    PLACE_HISTORY,
    PLACE_TIMESTAMP = PLACE_HISTORY + WORDS_HISTORY,
    PLACE_IDS,
    PLACE_CONTEXT,
    PLACE_CYCLES,
};

bool cairn_etmv4_reader_stand(void *state, struct cairn_reader_place *place)
{
    const struct words_reader *w = state;
    const struct cairn_hot_state *from = &w->state;

    if (!w->in_step || w->settled_at < w->settled->count)
        return false;
    *place = (struct cairn_reader_place){.offset = w->offset};
    memcpy(&place->state[PLACE_HISTORY], from->history, sizeof from->history);
    place->state[PLACE_TIMESTAMP] = from->timestamp;
    place->state[PLACE_IDS] = from->context.context_id | (uint64_t)from->context.vmid << 32;
    place->state[PLACE_CONTEXT] = from->context.EL | (uint64_t)from->context.security << 8 |
                                  (uint64_t)from->context.SF << 16 |
                                  (uint64_t)from->context.sbz << 24;
    place->state[PLACE_CYCLES] = from->threshold | (uint64_t)from->marked << 32;
    return true;
}

void cairn_etmv4_reader_begin_at(void *state, uint64_t offset,
                                 const struct cairn_reader_place *place)
{
    struct words_reader *w = state;
    struct cairn_hot_state *to = &w->state;

    memset(to, 0, sizeof *to);
    w->offset = offset;
    w->barren = 0;
    w->settled->count = 0;
    w->settled_at = 0;
    w->in_step = true; /* behind an A-sync all depends on what is there */
    if (w->never)
        words_leave(w);
    if (!place || w->never)
        return;
    const uint64_t context = place->state[PLACE_CONTEXT];

    memcpy(to->history, &place->state[PLACE_HISTORY], sizeof to->history);
    to->timestamp = place->state[PLACE_TIMESTAMP];
    to->context.context_id = (uint32_t)place->state[PLACE_IDS];
    to->context.vmid = (uint32_t)(place->state[PLACE_IDS] >> 32);
    to->context.EL = (uint8_t)context;
    to->context.security = (uint8_t)(context >> 8);
    to->context.SF = (uint8_t)(context >> 16);
    to->context.sbz = (uint8_t)(context >> 24);
    to->threshold = (uint32_t)place->state[PLACE_CYCLES];
    to->marked = (place->state[PLACE_CYCLES] >> 32) != 0;
}
