/* SPDX-License-Identifier: BSD-2-Clause */
/* Atoms, addresses and Cycle Counts straight from the bytes, as the hot loop has them, but in words
 * that go on over the Cycle Counts. What follows an Atom counts only once the next Atom packet is
 * reached with nothing before it that could change the first: whatever else ends the loop, it goes
 * back to its last Atom packet. */
#include "flow/follow.h"
#include "flow/scanned_word.h"

#include <string.h>

enum {
    ATOM = 0xc0,
    LOOK_AHEAD = 64,
    HISTORY = 3,
    NUMBER_MOST = 3, /* bytes of a cycle count */
};

/* A place to go back to: an Atom packet. */
struct place {
    const uint8_t *at;
    const uint8_t *before; /* the Atom packet before it; NULL: none */
    const uint64_t *newest;
    size_t events;
    uint64_t cycles;
    unsigned count; /* Atoms in the word */
};

static inline uint64_t load(const uint8_t *at)
{
    uint64_t value;

    memcpy(&value, at, sizeof value);
    return value;
}

/* The length of a Cycle Count packet; 0: it is for the scan. */
static inline unsigned read_cycles(unsigned form, const uint8_t *at, uint32_t threshold,
                                   uint32_t *cycles)
{
    uint32_t number = 0;

    switch (form) {
    case CAIRN_HOT_CYCLES_HEADER: *cycles = threshold + (at[0] & 3); return 1;
    case CAIRN_HOT_CYCLES_NIBBLE: *cycles = threshold + (at[1] & 0xf); return 2;
    case CAIRN_HOT_CYCLES_UNKNOWN: *cycles = 0; return 1;
    default: break;
    }
    for (unsigned i = 0; i < NUMBER_MOST; i++) {
        number |= (at[1 + i] & 0x7fu) << (7 * i);
        if (at[1 + i] & 0x80)
            continue;
        *cycles = threshold + number;
        return i == NUMBER_MOST - 1 && at[1 + i] >= 0x40 ? 0 : i + 2;
    }
    return 0;
}

/* The length of an Address packet; 0: it is none. */
static inline unsigned address_length(const struct cairn_hot_table *table, const uint8_t *at)
{
    return table->length[(at[0] | (unsigned)at[1] << 8) & CAIRN_HOT_LENGTH_MASK];
}

bool cairn_scanned_lead_to_atom(const struct cairn_scanned_bytes *bytes)
{
    const uint8_t *at = bytes->at;

    while (at - bytes->at < LOOK_AHEAD) {
        uint32_t cycles;
        unsigned length;

        if (*at >= ATOM)
            return true;
        if (bytes->cycles->form[*at] != CAIRN_HOT_CYCLES_NONE)
            length = read_cycles(bytes->cycles->form[*at], at, 0, &cycles);
        else
            length = address_length(bytes->table, at);
        if (length == 0)
            return false;
        at += length;
    }
    return false;
}

/* What packets between two places were counted as is taken back. */
static void uncount(struct cairn_scanned_bytes *bytes, const uint8_t *at, const uint8_t *end)
{
    while (at < end) {
        const unsigned form = bytes->cycles->form[*at];
        uint32_t cycles;
        unsigned length = 1;

        if (*at >= ATOM) {
            at++;
            continue;
        }
        if (form != CAIRN_HOT_CYCLES_NONE) {
            length = read_cycles(form, at, 0, &cycles);
            bytes->cycle_packets--;
            bytes->cycle_bytes -= length;
        } else {
            length = address_length(bytes->table, at);
            bytes->address_packets--;
            bytes->address_bytes -= length;
        }
        at += length;
    }
}

HOT_INLINE enum cairn_scanned_stop take(struct cairn_hot_state *state, struct cairn_lane *lane,
                                        struct cairn_scanned_job *job,
                                        struct cairn_scanned_bytes *bytes, const bool stacked)
{
    const struct cairn_hot_table *table = bytes->table;
    const uint8_t *const forms = bytes->cycles->form;
    const uint8_t *const limit = bytes->limit;
    const uint8_t *at = bytes->at;
    const uint64_t bias = bytes->offset - (uint64_t)(uintptr_t)at; /* offset of address 0 */
    const uint32_t threshold = state->threshold;
    struct cairn_word_batch *out = job->out;
    struct cairn_flow *flow = job->flow;
    uint64_t history[CAIRN_HOT_MOST + HISTORY];
    uint64_t *newest = history + HISTORY - 1;
    const uint64_t *known = newest; /* the address that execution goes on at, or before */
    struct place word_start;
    struct place last;
    const uint8_t *atom = NULL;
    enum cairn_scanned_stop stop = CAIRN_SCANNED_TOKENS;
    enum looked_up how = LOOKED_UP;
    uint64_t word = 0;
    uint64_t total = flow->total_cycles;
    unsigned count = 0;
    unsigned most = MOST;
    unsigned covers = 0;

    for (unsigned i = 0; i < HISTORY; i++)
        newest[-(ptrdiff_t)i] = state->history[i];
    word_start = (struct place){at, NULL, newest, out->event_count, total, 0};
    last = word_start;
    while (at < limit) {
        const unsigned header = *at;

        if (header >= ATOM) {
            const unsigned n = table->atoms[header];

            if (__builtin_expect(newest != known || count + n > most, 0)) {
                if (count > 0) {
                    how = take_word(lane, job, word, count,
                                    (uint64_t)(uintptr_t)word_start.at + bias, &covers, stacked);
                    if (__builtin_expect(how != LOOKED_UP, 0)) {
                        if (how != LOOKED_CUT || covers == 0)
                            break;
                        most = covers;
                        uncount(bytes, word_start.at, at);
                        at = word_start.at;
                        newest = history + (word_start.newest - history);
                        known = newest;
                        atom = word_start.before;
                        out->event_count = word_start.events;
                        total = word_start.cycles;
                        word = 0;
                        count = 0;
                        continue;
                    }
                    word = 0;
                    count = 0;
                    most = MOST;
                }
                if (n > most) { /* a packet that has to be taken in parts */
                    how = LOOKED_CUT;
                    break;
                }
                if (newest != known) {
                    if (__builtin_expect(
                            lane->expected != CAIRN_CODE_NEED && lane->expected != known[1], 0)) {
                        stop = CAIRN_SCANNED_TOKEN;
                        break;
                    }
                    if (flow->clear_stack) {
                        lane->stack.sp = lane->stack.bottom;
                        lane->stack.base = lane->stack.bottom;
                        flow->clear_stack = false;
                    }
                    lane->code = *newest;
                    lane->expected = CAIRN_CODE_NEED;
                    known = newest;
                }
            }
            last = (struct place){at, atom, newest, out->event_count, total, count};
            atom = at;
            if (count == 0)
                word_start = last;
            if (job->listing)
                put_event(out, CAIRN_WORD_PACKET, count, (uint64_t)(uintptr_t)at + bias, 1);
            word |= (uint64_t)table->bits[header] << count;
            count += n;
            at++;
        } else if (forms[header] != CAIRN_HOT_CYCLES_NONE) {
            struct cairn_word_event *event;
            uint32_t cycles;
            const unsigned length = read_cycles(forms[header], at, threshold, &cycles);

            if (length == 0 || length > limit - at) {
                stop = length == 0 ? CAIRN_SCANNED_TOKEN : CAIRN_SCANNED_TOKENS;
                break;
            }
            total += cycles;
            event =
                put_event(out, CAIRN_FLOW_CYCLES, count, (uint64_t)(uintptr_t)at + bias, length);
            event->flags = cycles == 0 ? CAIRN_FLOW_UNKNOWN : 0;
            event->value = cycles;
            event->address = total;
            bytes->cycle_packets++;
            bytes->cycle_bytes += length;
            at += length;
        } else {
            const uint64_t y = load(at + 1);
            const unsigned length = table->length[(header | y << 8) & CAIRN_HOT_LENGTH_MASK];
            const struct cairn_hot_address *address = &table->address[header | (y & 0x80) << 1];

            if (length == 0 || length > limit - at) {
                stop = length == 0 ? CAIRN_SCANNED_TOKEN : CAIRN_SCANNED_TOKENS;
                break;
            }
            newest[1] = (newest[-(ptrdiff_t)address->entry] & address->keep) |
                        cairn_hot_gather(y, address->mask) << address->shift | address->sub_isa;
            newest++;
            bytes->address_packets++;
            bytes->address_bytes += length;
            at += length;
        }
    }
    if (how == LOOKED_UP && count > 0) {
        /* back to the last Atom packet, and what is before it is taken */
        uncount(bytes, last.at, at);
        at = last.at;
        atom = last.before;
        newest = history + (last.newest - history);
        out->event_count = last.events;
        total = last.cycles;
        count = last.count;
        word &= (UINT64_C(1) << count) - 1;
        if (count > 0)
            how = take_word(lane, job, word, count, (uint64_t)(uintptr_t)word_start.at + bias,
                            &covers, stacked);
    } else if (how == LOOKED_UP && newest != known) {
        /* the address behind the last word, or what was before, is not for this loop */
        const size_t packets = atom && job->listing ? 1 : 0;
        const uint8_t *behind = atom ? last.at + 1 : last.at;

        uncount(bytes, behind, at);
        at = behind;
        newest = history + (last.newest - history);
        out->event_count = last.events + packets;
        total = last.cycles;
    }
    if (how != LOOKED_UP) {
        uncount(bytes, word_start.at, at);
        at = word_start.at;
        atom = word_start.before;
        newest = history + (word_start.newest - history);
        out->event_count = word_start.events;
        total = word_start.cycles;
        stop = how == LOOKED_FULL ? CAIRN_SCANNED_FULL : CAIRN_SCANNED_ATOM;
    }
    bytes->at = at;
    bytes->atom = atom;
    flow->total_cycles = total;
    for (unsigned i = 0; i < HISTORY; i++)
        state->history[i] = newest[-(ptrdiff_t)i];
    return stop;
}

enum cairn_scanned_stop cairn_scanned_take_bytes(struct cairn_hot_state *state,
                                                 struct cairn_lane *lane,
                                                 struct cairn_scanned_job *job,
                                                 struct cairn_scanned_bytes *bytes)
{
    return job->builder.return_stack ? take(state, lane, job, bytes, true)
                                     : take(state, lane, job, bytes, false);
}
