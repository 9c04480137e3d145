/* SPDX-License-Identifier: BSD-2-Clause */
#include "protocol/ptm/words.h"

#include "base/cpu.h"
#include "protocol/branches.h"
#include "protocol/framing.h"
#include "protocol/ptm/ptm.h"
#include "protocol/reader_levels.h"

#include <stdlib.h>

enum {
    WORDS_SLICE = 64,      /* bytes given to the levels at once while they may soon hand back */
    WORDS_BETWEEN = 64,    /* bytes of packets that are taken between two words, at most */
    WORDS_APART = 1 << 30, /* bytes of a batch: distances in it have 32 bits */
    ATOM = 0x80,           /* of its header */
};

struct ptm_reader {
    struct cairn_config *config;
    struct cairn_reader_levels levels;
    bool portable;
    bool in_step;
    bool went_on;  /* the levels have taken a packet since they took over */
    bool waypoint; /* in step, one has been taken, and `last` is its packet */
    uint64_t last;
    uint64_t offset;               /* source offset of the next byte to take */
    uint64_t entered;              /* in step: from here on */
    struct cairn_ptm_state *known; /* the parser's: what packets are compressed against */
};

cairn_status cairn_ptm_reader_new(struct cairn_config *config, struct cairn_word_bytes *bytes,
                                  void **state)
{
    struct ptm_reader *w = calloc(1, sizeof *w);
    uint64_t offset;
    cairn_status status;

    (void)bytes; /* words of bits only */
    if (!w)
        return CAIRN_E_MEMORY;
    w->config = cairn_config_ref(config);
    status = cairn_reader_levels_new(&w->levels, config);
    if (status != CAIRN_OK) {
        cairn_ptm_reader_free(w);
        return status;
    }
    w->known = cairn_ptm_parser_state(w->levels.packets, &offset);
    w->portable = !cairn_cpu_has_fast_bits();
    *state = w;
    return CAIRN_OK;
}

void cairn_ptm_reader_portable(void *state)
{
    struct ptm_reader *w = state;

    w->portable = true;
}

void cairn_ptm_reader_amid(void *state, uint64_t offset)
{
    struct ptm_reader *w = state;

    cairn_framing_amid(w->levels.packets, offset);
    w->offset = offset;
}

void cairn_ptm_reader_free(void *state)
{
    struct ptm_reader *w = state;

    if (!w)
        return;
    cairn_reader_levels_free(&w->levels);
    cairn_config_unref(w->config);
    free(w);
}

/* --- the levels --- */

/* They stand where reading in step does. */
static void ptm_skip(struct ptm_reader *w)
{
    if (w->waypoint)
        cairn_ptm_elements_skip(w->levels.elements, w->last);
    cairn_ptm_parser_skip(w->levels.packets, (size_t)(w->offset - w->entered));
    w->entered = w->offset;
    w->waypoint = false;
    cairn_reader_levels_empty(&w->levels);
}

/* Whether the levels stand between two packets, in a state and at an address that are known, and
 * nothing is damaged. *unused of the last bytes that they have are not taken yet. */
static bool ptm_stands(const struct ptm_reader *w, size_t *unused)
{
    const struct cairn_ptm_state *state = cairn_ptm_parser_stands(w->levels.packets, unused);

    if (!state)
        return false;
    const struct cairn_context context = cairn_ptm_context(state);

    return state->address_known && state->alignment != CAIRN_STATE_JAZELLE && !state->alt_is &&
           cairn_ptm_elements_stand(w->levels.elements, &context);
}

/* Begins to read in step if the levels stand where that can be. `floor` is the place in the bytes
 * that it does not go back behind. */
static void ptm_enter(struct ptm_reader *w, const uint8_t *data, size_t size, size_t floor,
                      size_t *position, struct cairn_words *out)
{
    size_t unused;

    if (!ptm_stands(w, &unused) || unused > *position - floor ||
        size - *position + unused < CAIRN_WAYPOINT_MARGIN)
        return;
    const uint8_t header = data[*position - unused];

    if (!cairn_branch_begins(header) && !(header & ATOM))
        return;
    *position -= unused;
    w->offset -= unused;
    out->by_levels -= unused;
    w->entered = w->offset;
    w->waypoint = false;
    w->in_step = true;
}

/* The levels read, until they have handed over, there is no more room or there are no more bytes.
 */
static cairn_status ptm_run_levels(struct ptm_reader *w, const uint8_t *data, size_t size,
                                   size_t *position, struct cairn_words *out)
{
    const size_t floor = *position;

    for (;;) {
        const size_t before = *position;
        size_t slice;
        bool idle;
        cairn_status status = cairn_reader_levels_pump(&w->levels, out->elements, &idle);

        if (status != CAIRN_OK || !idle)
            return status;
        if (w->went_on)
            ptm_enter(w, data, size, floor, position, out);
        if (w->in_step)
            return CAIRN_OK;
        slice = cairn_words_left(out, w->offset, size - before);
        slice = slice < WORDS_SLICE ? slice : WORDS_SLICE;
        status = cairn_reader_levels_step(&w->levels, data, before + slice, position, out);
        w->went_on |= w->levels.taken->count > 0;
        w->offset += *position - before;
        if (status != CAIRN_OK || (w->levels.taken->count == 0 && *position == before))
            return status;
    }
}

/* --- in step --- */

/* Reads words. False: the levels have to go on. */
static bool ptm_run_in_step(struct ptm_reader *w, const uint8_t *data, size_t size,
                            size_t *position, struct cairn_words *out)
{
    const uint8_t *const from = data + *position;
    const size_t left = cairn_words_left(out, w->offset, size - *position);
    const size_t whole =
        size - *position < CAIRN_WAYPOINT_MARGIN ? 0 : size - *position - CAIRN_WAYPOINT_MARGIN + 1;
    struct cairn_ptm_word_run run = {
        .out = out,
        .at = from,
        .limit = from + (left < whole ? left : whole),
        .place = {.address = w->known->address, .thumb = w->known->alignment == CAIRN_STATE_THUMB},
        .last = from,
        .portable = w->portable,
    };

    if (out->count == 0)
        out->origin = w->offset;
    run.bias = w->offset - out->origin - (uintptr_t)from;
    cairn_ptm_run_words(&run, w->config);
    const size_t taken = (size_t)(run.at - from);

    if (taken > 0) {
        w->waypoint = true;
        w->last = w->offset + (uint64_t)(run.last - from);
        w->known->address = run.place.address;
        w->known->alignment = run.place.thumb ? CAIRN_STATE_THUMB : CAIRN_STATE_ARM;
        w->offset += taken;
        *position += taken;
        cairn_reader_count(out, CAIRN_ACCOUNT_FLOW, taken, run.packets);
    }
    return !run.other && (left <= whole || taken < whole);
}

/* Takes packets at hand that say nothing of atoms, if an Atom or a branch packet is behind them, and
 * gives their elements. *went false: the levels have to go on. */
static cairn_status ptm_take_between(struct ptm_reader *w, const uint8_t *data, size_t size,
                                     size_t *position, struct cairn_words *out, bool *went)
{
    const struct cairn_branch_place place = {.address = w->known->address,
                                             .thumb = w->known->alignment == CAIRN_STATE_THUMB};
    size_t unused;
    size_t length = 0;
    cairn_status status;

    ptm_skip(w);
    if (out->until - w->offset > WORDS_BETWEEN)
        length = cairn_ptm_parser_between(w->levels.packets, 0, &place, data + *position,
                                          size - *position, w->levels.taken);
    *went = false;
    if (length == 0)
        return CAIRN_OK;
    cairn_reader_levels_count(&w->levels, out);
    out->by_levels += length;
    w->levels.packet_at = 0;
    w->offset += length;
    w->entered = w->offset;
    *position += length;
    status = cairn_reader_levels_pump(&w->levels, out->elements, went);
    *went = *went && ptm_stands(w, &unused);
    return status;
}

cairn_status cairn_ptm_reader_words(void *state, const uint8_t *data, size_t size, size_t *position,
                                    struct cairn_words *out)
{
    struct ptm_reader *w = state;

    if (*position > size || out->capacity < 2 || out->aside_capacity < CAIRN_PTM_WORD_ASIDES ||
        out->elements->capacity == 0)
        return CAIRN_E_ARGUMENT;
    for (;;) {
        cairn_status status;

        if (!w->in_step) {
            status = ptm_run_levels(w, data, size, position, out);
            if (status != CAIRN_OK || !w->in_step)
                return status;
        }
        if (out->elements->count > 0 || cairn_words_left(out, w->offset, size - *position) == 0 ||
            (out->count > 0 && w->offset - out->origin > WORDS_APART))
            return CAIRN_OK;
        if (ptm_run_in_step(w, data, size, position, out))
            return CAIRN_OK;
        status = ptm_take_between(w, data, size, position, out, &w->in_step);
        if (status != CAIRN_OK)
            return status;
        w->went_on = w->levels.taken->count > 0;
    }
}

cairn_status cairn_ptm_reader_finish(void *state, struct cairn_words *out)
{
    struct ptm_reader *w = state;

    if (out->elements->capacity == 0)
        return CAIRN_E_ARGUMENT;
    if (w->in_step)
        ptm_skip(w);
    w->in_step = false;
    return cairn_reader_levels_finish(&w->levels, out);
}

/* --- places --- */

enum ptm_place {
    PLACE_TIMESTAMP,
    PLACE_ADDRESS, /* and what fits beside it */
    PLACE_CONTEXT,
    PLACE_WAYPOINT,
};

bool cairn_ptm_reader_stand(void *state, struct cairn_reader_place *place)
{
    const struct ptm_reader *w = state;
    const struct cairn_ptm_state *known = w->known;

    if (!w->in_step || !w->waypoint)
        return false;
    *place = (struct cairn_reader_place){.offset = w->offset};
    place->state[PLACE_TIMESTAMP] = known->timestamp;
    place->state[PLACE_ADDRESS] =
        known->address | (uint64_t)known->alignment << 32 | (uint64_t)known->timestamp_known << 40;
    place->state[PLACE_CONTEXT] = known->context_id | (uint64_t)known->vmid << 32 |
                                  (uint64_t)known->non_secure << 40 | (uint64_t)known->hyp << 41;
    place->state[PLACE_WAYPOINT] = w->last;
    return true;
}

void cairn_ptm_reader_begin_at(void *state, uint64_t offset, const struct cairn_reader_place *place)
{
    struct ptm_reader *w = state;

    cairn_reader_levels_empty(&w->levels);
    cairn_ptm_parser_begin(w->levels.packets, offset);
    w->offset = offset;
    w->in_step = false;
    w->went_on = false;
    if (!place) {
        cairn_ptm_elements_begin(w->levels.elements, NULL, 0);
        return;
    }
    *w->known = (struct cairn_ptm_state){
        .timestamp = place->state[PLACE_TIMESTAMP],
        .address = (uint32_t)place->state[PLACE_ADDRESS],
        .alignment = (uint8_t)(place->state[PLACE_ADDRESS] >> 32),
        .timestamp_known = (uint8_t)(place->state[PLACE_ADDRESS] >> 40),
        .context_id = (uint32_t)place->state[PLACE_CONTEXT],
        .vmid = (uint8_t)(place->state[PLACE_CONTEXT] >> 32),
        .non_secure = place->state[PLACE_CONTEXT] >> 40 & 1,
        .hyp = place->state[PLACE_CONTEXT] >> 41 & 1,
        .address_known = true,
    };
    const struct cairn_context context = cairn_ptm_context(w->known);

    cairn_ptm_elements_begin(w->levels.elements, &context, place->state[PLACE_WAYPOINT]);
    w->entered = offset;
    w->waypoint = true;
    w->last = place->state[PLACE_WAYPOINT];
    w->in_step = true;
}

const struct cairn_config *cairn_ptm_reader_config(const void *state)
{
    const struct ptm_reader *w = state;

    return w->config;
}
