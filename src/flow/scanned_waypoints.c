/* SPDX-License-Identifier: BSD-2-Clause */
/* Atoms and branch packets of PTM with cycle counts straight from the bytes. Each is one Atom and a
 * count, so the Atoms are put together into words as those of tokens are (scanned_loop.c), and the
 * counts become events. Nothing takes an Atom back: all that is read can be kept. */
#include "flow/follow.h"
#include "flow/scanned_word.h"

#include <string.h>

enum {
    EVENTS_OF_ONE = 2, /* packet */
    UNITS_OF_ONE = 2,  /* what stands before it, and itself */
    ATOM = 0x80,       /* of its header; */
    ATOM_N = 0x02,
};

/* A place to go back to: where a word begins. */
struct spot {
    const uint8_t *at;
    const uint8_t *last;             /* the packet before it; NULL: none */
    struct cairn_word_event *events; /* the next one's place */
    struct cairn_branch_place place;
    uint64_t cycles; /* the total there */
    uint64_t packets;
};

/* A packet, as it is read. */
struct packet {
    unsigned length; /* 0: it is not for here */
    bool branch;
    bool executed;
    uint32_t count;
};

static inline uint64_t load(const uint8_t *at)
{
    uint64_t value;

    memcpy(&value, at, sizeof value);
    return value;
}

/* Reads the packet there. A branch packet moves the place, even one that is not for here. */
HOT_INLINE struct packet read_packet(const uint8_t *at, struct cairn_branch_place *place)
{
    const uint64_t bytes = load(at);
    struct packet packet = {.branch = cairn_branch_begins(bytes), .executed = !(bytes & ATOM_N)};

    if (packet.branch) {
        const unsigned address = cairn_branch_read(bytes, true, place);
        const unsigned count = cairn_count_read(load(at + address), &packet.count);

        packet.executed = true;
        if (address > 0 && count > 0)
            packet.length = address + count;
    } else if (bytes & ATOM) {
        packet.length = cairn_count_read(bytes, &packet.count);
    }
    /* it may be cut by an A-sync, whose zeros begin in it (4.5.1) */
    if (packet.length > 0 && at[packet.length - 1] == 0 && at[packet.length] == 0)
        packet.length = 0;
    return packet;
}

HOT_INLINE struct cairn_word_event *fill(struct cairn_word_event *event, size_t unit, unsigned kind,
                                         unsigned step, uint64_t offset, uint64_t length)
{
    *event = (struct cairn_word_event){.word = (uint32_t)unit,
                                       .step = (uint16_t)step,
                                       .kind = (uint8_t)kind,
                                       .offset = offset,
                                       .length = length};
    return event + 1;
}

HOT_INLINE struct cairn_word_event *put_count(struct cairn_word_event *event, size_t unit,
                                              unsigned step, uint64_t offset,
                                              const struct packet *packet, uint64_t *cycles)
{
    const bool known = cairn_count_is_known(packet->count);

    *cycles += known ? packet->count : 0;
    (void)fill(event, unit, CAIRN_FLOW_CYCLES, step, offset, packet->length);
    event->flags = known ? 0 : CAIRN_FLOW_UNKNOWN;
    event->value = known ? packet->count : 0;
    event->address = *cycles;
    return event + 1;
}

/* Looks a word up. False: it has to be taken in parts, of `*covers` Atoms the first, or (0) it is
 * not for here, and `*stop` says why. */
HOT_INLINE bool end_word(struct cairn_lane *lane, struct cairn_scanned_job *job, uint64_t bits,
                         unsigned count, uint64_t offset, unsigned *covers,
                         enum cairn_scanned_stop *stop, const bool stacked)
{
    const enum looked_up how = take_word(lane, job, bits, count, offset, covers, stacked);

    if (__builtin_expect(how == LOOKED_UP, 1))
        return true;
    if (how == LOOKED_FULL)
        *covers = 0;
    *stop = how == LOOKED_FULL ? CAIRN_SCANNED_FULL : CAIRN_SCANNED_ATOM;
    return false;
}

/* Goes on at an address. False: flow has found another. */
HOT_INLINE bool take_address(struct cairn_lane *lane, const struct cairn_branch_place *place)
{
    const uint64_t target = place->address | place->thumb;

    if (__builtin_expect(lane->expected != CAIRN_CODE_NEED && lane->expected != target, 0))
        return false;
    lane->code = target;
    lane->expected = CAIRN_CODE_NEED;
    return true;
}

HOT_INLINE enum cairn_scanned_stop take(struct cairn_lane *lane, struct cairn_scanned_job *job,
                                        struct cairn_scanned_waypoints *waypoints,
                                        const bool stacked)
{
    struct cairn_word_batch *const out = job->out;
    const uint8_t *const limit = waypoints->limit;
    const uint8_t *end = waypoints->at; /* there is room up to here */
    const uint64_t bias = waypoints->offset - (uint64_t)(uintptr_t)waypoints->at;
    struct spot now = {.at = waypoints->at,
                       .events = out->event + out->event_count,
                       .place = waypoints->place,
                       .cycles = job->flow->total_cycles};
    struct spot word = now;
    uint64_t bits = 0;
    unsigned count = 0;
    unsigned most = MOST;
    unsigned covers = 0;
    enum cairn_scanned_stop stop = CAIRN_SCANNED_TOKEN;

    for (;;) {
        struct cairn_branch_place place = now.place;
        struct packet packet = {0};

        if (__builtin_expect(now.at >= end, 0)) {
            const size_t left = now.at < limit ? (size_t)(limit - now.at) : 0;
            const size_t room = cairn_scanned_room(job, now.events, EVENTS_OF_ONE, UNITS_OF_ONE);

            stop = left == 0 ? CAIRN_SCANNED_TOKENS : CAIRN_SCANNED_ROOM;
            end = now.at + (left < room ? left : room);
        }
        if (__builtin_expect(now.at < end, 1)) {
            packet = read_packet(now.at, &place);
            stop = CAIRN_SCANNED_TOKEN;
        }
        if (count == most || (packet.length == 0 && count > 0)) {
            if (!end_word(lane, job, bits, count, (uint64_t)(uintptr_t)word.at + bias, &covers,
                          &stop, stacked))
                goto back;
            bits = 0;
            count = 0;
            most = MOST;
        }
        if (packet.length == 0)
            break;
        const uint64_t offset = (uint64_t)(uintptr_t)now.at + bias;

        if (count == 0)
            word = now;
        if (job->listing)
            now.events =
                fill(now.events, out->count, CAIRN_WORD_PACKET, count, offset, packet.length);
        bits |= (uint64_t)packet.executed << count;
        count++;
        now.last = now.at;
        now.at += packet.length;
        now.packets++;
        if (!packet.branch) {
            now.events = put_count(now.events, out->count, count, offset, &packet, &now.cycles);
            continue;
        }
        if (!end_word(lane, job, stacked ? bits | CAIRN_WORD_ADDRESSED : bits, count,
                      (uint64_t)(uintptr_t)word.at + bias, &covers, &stop, stacked))
            goto back;
        bits = 0;
        count = 0;
        most = MOST;
        now.place = place;
        if (!take_address(lane, &place)) {
            waypoints->left = true;
            waypoints->count = packet.count;
            break;
        }
        now.events = put_count(now.events, out->count, 0, offset, &packet, &now.cycles);
        continue;
    back:
        now = word;
        bits = 0;
        count = 0;
        most = covers;
        if (covers == 0)
            break;
    }
    waypoints->at = now.at;
    waypoints->last = now.last;
    waypoints->place = now.place;
    waypoints->packets = now.packets;
    out->event_count = (size_t)(now.events - out->event);
    job->flow->total_cycles = now.cycles;
    return stop;
}

enum cairn_scanned_stop cairn_scanned_take_waypoints(struct cairn_lane *lane,
                                                     struct cairn_scanned_job *job,
                                                     struct cairn_scanned_waypoints *waypoints)
{
    waypoints->left = false;
    return job->builder.return_stack ? take(lane, job, waypoints, true)
                                     : take(lane, job, waypoints, false);
}
