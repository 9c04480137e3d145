/* SPDX-License-Identifier: BSD-2-Clause */
#include "protocol/etmv3/words.h"

#include "protocol/etmv3/payload.h"
#include "protocol/framing.h"
#include "protocol/reader_levels.h"

#include <stdlib.h>

enum {
    WORDS_SLICE = 64,      /* bytes given to the levels at once while they may soon hand back */
    WORDS_LOOK_AHEAD = 64, /* fewer bytes than that at the end are the levels' */
    WORDS_APART = 1 << 16, /* W's that are held may be so far from those that come to them */
};

struct etmv3_reader {
    struct cairn_config *config;
    const struct cairn_etmv3_config *decoded;
    struct cairn_reader_levels levels;
    struct cairn_etmv3_p_header headers[256];
    bool never;                      /* all of it is the levels' */
    bool in_step;                    /* in front of a P-header with atoms */
    bool went_on;                    /* the levels have taken a packet since they took over */
    uint64_t offset;                 /* source offset of the next byte to take */
    uint64_t entered;                /* in step: from here on */
    uint64_t waits;                  /* W's that stand right before, */
    uint64_t held_offset;            /* and their packet */
    struct cairn_etmv3_state *known; /* the parser's: what packets are compressed against */
};

/* Words of packets. */
static bool etmv3_has_bytes(const struct cairn_etmv3_config *config)
{
    return !config->cycle_accurate && !cairn_etmv3_has_data(config);
}

cairn_status cairn_etmv3_reader_new(struct cairn_config *config, struct cairn_word_bytes *bytes,
                                    void **state)
{
    struct etmv3_reader *w = calloc(1, sizeof *w);
    uint64_t offset;
    cairn_status status;

    if (!w)
        return CAIRN_E_MEMORY;
    w->config = cairn_config_ref(config);
    w->decoded = cairn_etmv3_of(config);
    w->never = w->decoded->data_only;
    for (unsigned header = 0; header < 256; header++) {
        w->headers[header] = cairn_etmv3_p_header(w->decoded, header);
        if (!etmv3_has_bytes(w->decoded))
            continue;
        bytes->atoms[header] = w->headers[header].atoms;
        bytes->bits[header] = w->headers[header].bits;
    }
    status = cairn_reader_levels_new(&w->levels, config);
    if (status != CAIRN_OK) {
        cairn_etmv3_reader_free(w);
        return status;
    }
    w->known = cairn_etmv3_parser_state(w->levels.packets, &offset);
    *state = w;
    return CAIRN_OK;
}

void cairn_etmv3_reader_amid(void *state, uint64_t offset)
{
    struct etmv3_reader *w = state;

    cairn_framing_amid(w->levels.packets, offset);
    w->offset = offset;
}

void cairn_etmv3_reader_free(void *state)
{
    struct etmv3_reader *w = state;

    if (!w)
        return;
    cairn_reader_levels_free(&w->levels);
    cairn_config_unref(w->config);
    free(w);
}

/* --- the levels --- */

/* They stand where reading in step does, which ends. */
static void etmv3_leave(struct etmv3_reader *w)
{
    w->known->zero_stored = false;
    cairn_etmv3_elements_skip(w->levels.elements);
    cairn_etmv3_parser_skip(w->levels.packets, (size_t)(w->offset - w->entered));
    cairn_reader_levels_empty(&w->levels);
    if (w->waits > 0)
        cairn_etmv3_resolver_hold(w->levels.resolver, w->held_offset, w->waits);
    w->waits = 0;
    w->in_step = false;
    w->went_on = false;
}

/* Whether they stand between two packets, with nothing damaged or open, and the address is known. Of
 * the bytes that they have taken, *unused are in no packet yet. */
static bool etmv3_stands(const struct etmv3_reader *w, size_t *unused)
{
    const struct cairn_etmv3_state *state = cairn_etmv3_parser_stands(w->levels.packets, unused);

    if (!state || state->address_known != 32 ||
        (state->state != CAIRN_STATE_ARM && state->state != CAIRN_STATE_THUMB))
        return false;
    const struct cairn_context context = cairn_etmv3_context(state);

    return cairn_etmv3_elements_stand(w->levels.elements, &context);
}

/* Begins to read in step if the levels stand where that can be. `floor` is the place in the bytes
 * that it does not go back behind. *idle false: first there is to be more room. */
static cairn_status etmv3_enter(struct etmv3_reader *w, const uint8_t *data, size_t size,
                                size_t floor, size_t *position, struct cairn_words *out, bool *idle)
{
    size_t unused;
    cairn_status status;

    if (!etmv3_stands(w, &unused) || unused > *position - floor ||
        size - *position + unused < WORDS_LOOK_AHEAD ||
        w->headers[data[*position - unused]].atoms == 0)
        return CAIRN_OK;
    cairn_etmv3_resolver_settle(w->levels.resolver);
    status = cairn_reader_levels_pump(&w->levels, out->elements, idle);
    if (status != CAIRN_OK || !*idle)
        return status;
    w->waits = cairn_etmv3_resolver_release(w->levels.resolver, &w->held_offset);
    if (w->waits > 0 && w->offset - unused - w->held_offset > WORDS_APART) {
        cairn_etmv3_resolver_hold(w->levels.resolver, w->held_offset, w->waits);
        w->waits = 0;
        return CAIRN_OK;
    }
    *position -= unused;
    w->offset -= unused;
    out->by_levels -= unused;
    w->entered = w->offset;
    w->in_step = true;
    return CAIRN_OK;
}

/* The levels read, until they have handed over, there is no more room or there are no more bytes.
 */
static cairn_status etmv3_run_levels(struct etmv3_reader *w, const uint8_t *data, size_t size,
                                     size_t *position, struct cairn_words *out)
{
    const size_t floor = *position;

    for (;;) {
        const size_t before = *position;
        size_t slice;
        bool idle;
        cairn_status status = cairn_reader_levels_pump(&w->levels, out->elements, &idle);

        if (status == CAIRN_OK && idle && w->went_on && !w->never)
            status = etmv3_enter(w, data, size, floor, position, out, &idle);
        if (status != CAIRN_OK || !idle || w->in_step)
            return status;
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

/* What packets are compressed against there. */
static void etmv3_put_spot(struct etmv3_reader *w, const struct cairn_etmv3_spot *spot)
{
    w->known->address = spot->place.address;
    w->known->state = spot->place.thumb ? CAIRN_STATE_THUMB : CAIRN_STATE_ARM;
    cairn_etmv3_to_data_place(w->known, &spot->data_place);
}

/* Ends the batch where the run stands. */
static void etmv3_end(struct etmv3_reader *w, const struct cairn_etmv3_word_run *run)
{
    const struct cairn_etmv3_spot *now = &run->now;
    struct cairn_words *out = run->out;
    struct cairn_word *word = &out->word[now->word];
    size_t asides = now->aside;

    w->waits = now->waits;
    if (now->waits > 0)
        w->held_offset = out->origin + out->aside[--asides].at;
    out->count = now->word;
    out->aside_count = asides;
    out->data_count = now->data;
    if (now->atoms == 0 && asides == now->first)
        return;
    if (now->atoms == 0)
        word->at = out->aside[now->first].at;
    word->atoms = now->atoms;
    word->target = CAIRN_WORD_NO_TARGET;
    word->target_length = 0;
    word->asides = (uint8_t)(asides - now->first);
    word->before = (uint16_t)((uint32_t)((uintptr_t)now->at + run->bias) - word->at);
    out->count++;
}

/* Takes packets behind the words that say nothing of their atoms, if a P-header with atoms is behind
 * them, and gives their elements. False: there are none. */
static cairn_status etmv3_take_between(struct etmv3_reader *w, struct cairn_etmv3_word_run *run,
                                       const uint8_t *from, const uint8_t *end, bool *went)
{
    const struct cairn_etmv3_spot *now = &run->now;
    const uint64_t offset = w->offset + (uint64_t)(now->at - from);
    size_t length = 0;
    bool idle;
    cairn_status status;

    *went = false;
    if (now->waits > 0 || offset + CAIRN_ETMV3_BETWEEN > run->out->until)
        return CAIRN_OK;
    cairn_etmv3_to_data_place(w->known, &now->data_place);
    cairn_reader_levels_empty(&w->levels);
    length = cairn_etmv3_parser_between(
        w->levels.packets, (size_t)(w->offset - w->entered) + (size_t)(now->at - from), &now->place,
        now->at, (size_t)(end - now->at), w->levels.taken);
    if (length == 0)
        return CAIRN_OK;
    *went = true;
    *cairn_etmv3_elements_tags(w->levels.elements) = run->tagging;
    cairn_etmv3_elements_skip(w->levels.elements);
    cairn_reader_levels_count(&w->levels, run->out);
    run->out->by_levels += length;
    w->offset += length;
    status = cairn_reader_levels_pump(&w->levels, run->out->elements, &idle);
    w->in_step = idle;
    w->went_on = true;
    return status;
}

static void etmv3_count_run(struct cairn_words *out, const struct cairn_etmv3_spot *now,
                            size_t taken)
{
    cairn_reader_count(out, CAIRN_ACCOUNT_FLOW, taken - now->data_bytes,
                       taken - now->longer - now->data);
    cairn_reader_count(out, CAIRN_ACCOUNT_METADATA, now->data_bytes, now->data);
}

/* A run of words, and what stands behind it up to the next P-header. */
static cairn_status etmv3_run_in_step(struct etmv3_reader *w, const uint8_t *data, size_t size,
                                      size_t *position, struct cairn_words *out)
{
    const uint8_t *const from = data + *position;
    const uint8_t *const whole = data + size - CAIRN_ETMV3_WORDS_MARGIN;
    const uint8_t *const until = from + cairn_words_left(out, w->offset, size - *position);
    struct cairn_etmv3_tags *const tags = cairn_etmv3_elements_tags(w->levels.elements);
    const uint64_t before = w->offset;
    struct cairn_etmv3_word_run run = {
        .config = w->decoded,
        .headers = w->headers,
        .kinds = cairn_etmv3_parser_kinds(w->levels.packets),
        .out = out,
        .limit = until < whole ? until : whole,
        .fast = (size_t)(until - from) < CAIRN_WORD_PACKETS_MOST ? from
                : until - CAIRN_WORD_PACKETS_MOST < whole        ? until - CAIRN_WORD_PACKETS_MOST
                                                                 : whole,
        .now = {.at = from,
                .waits = w->waits,
                .place = {w->known->address, w->known->state == CAIRN_STATE_THUMB},
                .data_place = cairn_etmv3_data_place_of(w->known)},
        .tags = *tags,
        .tagging = *tags,
        .other_data = CAIRN_ETMV3_NO_DATA,
    };
    const bool bytes = etmv3_has_bytes(w->decoded);
    bool went = false;
    cairn_status status = CAIRN_OK;

    out->origin = w->waits > 0 ? w->held_offset : w->offset;
    run.bias = w->offset - out->origin - (uintptr_t)from;
    if (w->waits > 0) {
        out->aside[0] =
            (struct cairn_aside){.value = w->waits, .length = 1, .kind = CAIRN_ELEMENT_CYCLE_COUNT};
        run.now.aside = 1;
    }
    if (bytes)
        cairn_etmv3_run_headers(&run);
    else
        cairn_etmv3_run_bits(&run);
    if (run.other)
        status = etmv3_take_between(w, &run, from, data + size, &went);
    if (!went) {
        if (!run.certain && bytes)
            cairn_etmv3_back_headers(&run);
        else if (!run.certain)
            cairn_etmv3_back_bits(&run);
        etmv3_put_spot(w, &run.now);
        *tags = run.tagging;
    }
    etmv3_end(w, &run);
    const size_t taken = (size_t)(run.now.at - from);

    etmv3_count_run(out, &run.now, taken);
    w->offset += taken;
    if (went)
        w->entered = w->offset;
    *position += (size_t)(w->offset - before);
    if (!went && (run.other || taken == 0))
        etmv3_leave(w);
    return status;
}

cairn_status cairn_etmv3_reader_words(void *state, const uint8_t *data, size_t size,
                                      size_t *position, struct cairn_words *out)
{
    struct etmv3_reader *w = state;

    if (*position > size || out->capacity < 2 || out->aside_capacity <= CAIRN_ETMV3_ASIDES ||
        out->data_capacity == 0 || out->elements->capacity == 0)
        return CAIRN_E_ARGUMENT;
    for (;;) {
        cairn_status status;

        if (!w->in_step) {
            status = etmv3_run_levels(w, data, size, position, out);
            if (status != CAIRN_OK || !w->in_step)
                return status;
        }
        if (out->elements->count > 0 || cairn_words_left(out, w->offset, size - *position) == 0)
            return CAIRN_OK;
        if (size - *position < WORDS_LOOK_AHEAD) {
            etmv3_leave(w);
            continue;
        }
        status = etmv3_run_in_step(w, data, size, position, out);
        if (status != CAIRN_OK || out->count > 0)
            return status;
    }
}

cairn_status cairn_etmv3_reader_finish(void *state, struct cairn_words *out)
{
    struct etmv3_reader *w = state;

    if (out->elements->capacity == 0)
        return CAIRN_E_ARGUMENT;
    if (w->in_step)
        etmv3_leave(w);
    return cairn_reader_levels_finish(&w->levels, out);
}

size_t cairn_etmv3_reader_packets(void *state, const struct cairn_word *word, const uint8_t *bytes,
                                  struct cairn_aside *asides)
{
    const struct etmv3_reader *w = state;
    const struct cairn_etmv3_word_run run = {.config = w->decoded,
                                             .headers = w->headers,
                                             .kinds = cairn_etmv3_parser_kinds(w->levels.packets)};

    return cairn_etmv3_bits_packets(&run, word, bytes, asides);
}

/* --- places --- */

enum etmv3_place {
    PLACE_TIMESTAMP,
    PLACE_ADDRESS, /* and what fits beside it */
    PLACE_DATA,
    PLACE_KNOWN,
    PLACE_WENT_ON,
    PLACE_WAITS,
    PLACE_HELD,
};

bool cairn_etmv3_reader_stand(void *state, struct cairn_reader_place *place)
{
    const struct etmv3_reader *w = state;
    const struct cairn_etmv3_state *known = w->known;
    struct cairn_etmv3_elements_spot spot;

    if (!w->in_step || !cairn_etmv3_elements_spot(w->levels.elements, &spot))
        return false;
    *place = (struct cairn_reader_place){.offset = w->offset, .atom = 1};
    place->state[PLACE_TIMESTAMP] = known->timestamp;
    place->state[PLACE_ADDRESS] = known->address | (uint64_t)known->context_id << 32;
    place->state[PLACE_DATA] = known->data_address | (uint64_t)known->vmid << 32 |
                               (uint64_t)known->state << 40 | (uint64_t)known->reason << 48;
    place->state[PLACE_KNOWN] = known->timestamp_known | (uint64_t)known->data_known << 8 |
                                (uint64_t)known->non_secure << 16 | (uint64_t)known->hyp << 17 |
                                (uint64_t)known->big_endian << 18 |
                                (uint64_t)spot.count_is_due << 19;
    place->state[PLACE_WENT_ON] = spot.went_on;
    place->state[PLACE_WAITS] = w->waits;
    place->state[PLACE_HELD] = w->waits > 0 ? w->held_offset : 0;
    return true;
}

void cairn_etmv3_reader_begin_at(void *state, uint64_t offset,
                                 const struct cairn_reader_place *place)
{
    struct etmv3_reader *w = state;

    cairn_reader_levels_empty(&w->levels);
    cairn_etmv3_resolver_empty(w->levels.resolver);
    cairn_etmv3_parser_begin(w->levels.packets, offset);
    w->offset = offset;
    w->waits = 0;
    w->in_step = false;
    w->went_on = false;
    if (!place) {
        cairn_etmv3_elements_begin(w->levels.elements, NULL, NULL);
        return;
    }
    const uint64_t known = place->state[PLACE_KNOWN];
    const struct cairn_etmv3_elements_spot spot = {place->state[PLACE_WENT_ON], known >> 19 & 1};

    *w->known = (struct cairn_etmv3_state){
        .address = (uint32_t)place->state[PLACE_ADDRESS],
        .context_id = (uint32_t)(place->state[PLACE_ADDRESS] >> 32),
        .data_address = (uint32_t)place->state[PLACE_DATA],
        .vmid = (uint8_t)(place->state[PLACE_DATA] >> 32),
        .state = (uint8_t)(place->state[PLACE_DATA] >> 40),
        .reason = (uint8_t)(place->state[PLACE_DATA] >> 48),
        .timestamp = place->state[PLACE_TIMESTAMP],
        .timestamp_known = (uint8_t)known,
        .data_known = (uint8_t)(known >> 8),
        .address_known = 32,
        .non_secure = known >> 16 & 1,
        .hyp = known >> 17 & 1,
        .big_endian = known >> 18 & 1,
    };
    const struct cairn_context context = cairn_etmv3_context(w->known);

    cairn_etmv3_elements_begin(w->levels.elements, &context, &spot);
    w->waits = place->state[PLACE_WAITS];
    w->held_offset = place->state[PLACE_HELD];
    w->entered = offset;
    w->in_step = true;
}
