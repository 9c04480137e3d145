/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples -> cycles with what they carry, as far as it can be told without the program (5.1 to 5.6).
 *
 * Only the instructions tell how many bytes of data there are, but branch addresses are found without
 * them: TRACESYNC marks the first byte of each, all bytes of one instruction follow each other without
 * a gap (5.3), and bit 7 says where an address ends. Which branch it belongs to is their order, which
 * the address packet offset (APO) of every branch says once more. So program flow does not hang on the
 * counts of data, which a wrong image would get wrong from there on. */
#include <assert.h>

#include "protocol/etmv1/parse.h"

enum {
    PIPESTAT = 7,
    FLAGS = CAIRN_SAMPLE_SYNC | CAIRN_SAMPLE_TRIGGER | CAIRN_SAMPLE_LOST,
    APO_BITS = 2,
    APO_PART = 3,
    APO_BEYOND = 4, /* PIPESTAT[2], which is 0 in the offset cycles (5.6.1) */
    NIBBLE = 0xf,
    NIBBLE_BITS = 4,
    BYTE = 0xff,
    BYTE_BITS = 8,
    LANE_BITS = 16,
};

static_assert(CAIRN_ETMV1_TR == 6 && CAIRN_ETMV1_TD == 7, "kinds are the statuses of Table 5-1");

/* --- addresses --- */

static void label(struct cairn_etmv1_parser *p, const struct cairn_etmv1_place *place,
                  uint32_t lane)
{
    struct cairn_etmv1_cycle *c = cairn_etmv1_cycle_at(p, place->cycle);
    const unsigned shift = LANE_BITS * place->lane;

    c->lanes = (c->lanes & ~(UINT32_C(0xffff) << shift)) | lane << shift;
}

/* Says what the lanes of the address in hand carry, which has `of` bytes of address, or 0. */
static void label_all(struct cairn_etmv1_parser *p, unsigned address_bytes, unsigned bytes)
{
    const unsigned halves = p->etm->pins == NIBBLE_BITS ? 2 : 1;

    for (unsigned i = 0; i < p->place_count; i++) {
        const unsigned n = i / halves;
        const bool context = address_bytes > 0 && n >= address_bytes;
        const uint32_t lane =
            context ? CAIRN_ETMV1_LANE(CAIRN_ETMV1_LANE_CONTEXT_ID, n - address_bytes + 1,
                                       bytes - address_bytes)
                    : CAIRN_ETMV1_LANE(CAIRN_ETMV1_LANE_ADDRESS, n + 1, address_bytes);
        label(p, &p->places[i], lane);
    }
}

void cairn_etmv1_stop_collecting(struct cairn_etmv1_parser *p)
{
    if (!p->collecting)
        return;
    label_all(p, 0, 0);
    p->table[p->number % CAIRN_ETMV1_WINDOW].over = true;
    cairn_etmv1_address_lose(&p->addresses);
    p->collecting = false;
    p->place_count = 0;
}

static void start_collecting(struct cairn_etmv1_parser *p)
{
    cairn_etmv1_stop_collecting(p);
    cairn_etmv1_address_begin(&p->addresses);
    p->collecting = true;
    p->half = false;
    p->number = p->syncs++;
    p->table[p->number % CAIRN_ETMV1_WINDOW] =
        (struct cairn_etmv1_address){.number = p->number, .epoch = p->epoch};
}

/* A byte of the address in hand, or half of one. */
static void collect(struct cairn_etmv1_parser *p, unsigned lane, uint8_t unit)
{
    struct cairn_etmv1_address *address = &p->table[p->number % CAIRN_ETMV1_WINDOW];
    uint8_t byte = unit;

    p->places[p->place_count++] = (struct cairn_etmv1_place){.cycle = p->next, .lane = lane};
    if (p->etm->pins == NIBBLE_BITS) {
        p->half = !p->half;
        if (p->half) {
            p->low = unit;
            return;
        }
        byte = (uint8_t)(p->low | unit << NIBBLE_BITS);
    }
    const unsigned before = p->addresses.count;

    if (!cairn_etmv1_address_byte(&p->addresses, byte, address))
        return;
    const unsigned bytes = before + 1;

    address->over = true;
    label_all(p, bytes < CAIRN_ETMV1_ADDRESS_BYTES ? bytes : (unsigned)CAIRN_ETMV1_ADDRESS_BYTES,
              bytes);
    p->collecting = false;
    p->place_count = 0;
}

/* --- lanes --- */

/* What is on a lane that is not of an address. Outside of Wait cycles there may be nothing (5.3), and
 * on the upper one the byte of a Wait may be missing where an address comes next (5.3.1). */
static enum cairn_etmv1_lane other_lane(const struct cairn_etmv1_parser *p,
                                        const struct cairn_etmv1_cycle *c, unsigned lane)
{
    if (!cairn_etmv1_has_data(p->etm))
        return CAIRN_ETMV1_LANE_NOTHING;
    return c->kind == CAIRN_ETMV1_WT && lane == 0 ? CAIRN_ETMV1_LANE_DATA : CAIRN_ETMV1_LANE_OPEN;
}

static void take_lane(struct cairn_etmv1_parser *p, struct cairn_etmv1_cycle *c, unsigned lane,
                      uint8_t unit)
{
    if (p->collecting)
        collect(p, lane, unit);
    else
        c->lanes |= (uint32_t)other_lane(p, c, lane) << (LANE_BITS * lane);
}

/* The FIFO does not drain in the cycle of a Trigger (5.1.1), nor is there anything with TD. */
static void take_lanes(struct cairn_etmv1_parser *p, struct cairn_etmv1_cycle *c, bool sync)
{
    if (c->kind == CAIRN_ETMV1_TR) {
        c->lanes = CAIRN_ETMV1_LANE_STATUS;
        return;
    }
    if (c->status == CAIRN_ETMV1_TD)
        return;
    if (sync) {
        start_collecting(p);
        c->info |= CAIRN_ETMV1_SYNC;
        c->sync = p->number;
    }
    take_lane(p, c, 0, (uint8_t)(c->packet & (p->etm->pins == NIBBLE_BITS ? NIBBLE : BYTE)));
    if (p->etm->pins > BYTE_BITS)
        take_lane(p, c, 1, (uint8_t)(c->packet >> BYTE_BITS));
}

/* --- whose address is whose --- */

static void give_turn(struct cairn_etmv1_parser *p, struct cairn_etmv1_cycle *branch, uint64_t turn)
{
    branch->turn = turn;
    branch->info |= CAIRN_ETMV1_ADDRESS_TO_COME;
    p->next_turn = turn + 1;
    p->aligned = true;
}

/* Its offset came. In step, it says what the order of addresses says as well. No address is that of two
 * branches. */
static void decide_turn(struct cairn_etmv1_parser *p, struct cairn_etmv1_cycle *branch)
{
    const uint64_t told = branch->before + branch->apo, turn = p->next_turn;
    const bool is_told = branch->apo < CAIRN_ETMV1_APO_MOST;
    const bool in_step = p->aligned && (is_told ? turn == told : turn >= told);

    branch->has_apo = true;
    if (in_step) {
        give_turn(p, branch, turn);
        return;
    }
    if (p->aligned)
        branch->info |= CAIRN_ETMV1_CONTRADICTION;
    p->aligned = false;
    if (is_told && told >= turn)
        give_turn(p, branch, told);
}

/* A branch came in its offset cycles. Its own address comes all the same (5.6.1), and not before it. */
static void abandon(struct cairn_etmv1_parser *p)
{
    struct cairn_etmv1_cycle *branch = cairn_etmv1_cycle_at(p, p->branch);

    branch->info |= CAIRN_ETMV1_ABANDONED;
    p->aligned &= p->next_turn >= branch->before;
    if (p->aligned)
        give_turn(p, branch, p->next_turn);
    p->apo_left = 0;
}

/* Cycles are missing, or are none. What was to come from before does not come any more. */
static void lose(struct cairn_etmv1_parser *p)
{
    cairn_etmv1_stop_collecting(p);
    cairn_etmv1_address_lose(&p->addresses);
    if (p->apo_left > 0)
        cairn_etmv1_cycle_at(p, p->branch)->broken = true;
    p->apo_left = 0;
    p->aligned = false;
    p->next_turn = p->syncs;
    p->epoch++;
}

/* One of the two cycles behind a branch. False: it is none. */
static bool take_apo(struct cairn_etmv1_parser *p, struct cairn_etmv1_cycle *c)
{
    struct cairn_etmv1_cycle *branch = cairn_etmv1_cycle_at(p, p->branch);

    if (cairn_etmv1_is_branch(c->status)) {
        abandon(p);
        return false;
    }
    if (c->status & APO_BEYOND) { /* TD, which cannot be here */
        branch->broken = true;
        p->apo_left = 0;
        p->aligned = false;
        return false;
    }
    c->apo = c->status & APO_PART;
    branch->apo |=
        (uint8_t)(c->apo << (APO_BITS * (unsigned)(CAIRN_ETMV1_APO_CYCLES - (int)p->apo_left)));
    if (--p->apo_left == 0)
        decide_turn(p, branch);
    return true;
}

/* The status, also where it is on the packet pins; false: there is none such. */
static bool read_status(struct cairn_etmv1_cycle *c, struct cairn_sample sample)
{
    c->kind = sample.pipestat;
    c->status = sample.pipestat;
    if (sample.pipestat > PIPESTAT || (sample.flags & ~FLAGS))
        return false;
    if (sample.pipestat == CAIRN_ETMV1_TR)
        c->status = sample.packet & PIPESTAT;
    return c->status != CAIRN_ETMV1_TR;
}

/* One more of the cycles before it, in which there was nothing: these need no room. */
static bool is_repeated(struct cairn_etmv1_parser *p, struct cairn_sample sample)
{
    const struct cairn_etmv1_cycle *last = cairn_etmv1_cycle_at(p, p->next - 1);

    return p->first < p->next && p->apo_left == 0 && sample.pipestat == CAIRN_ETMV1_TD &&
           sample.flags == 0 && last->kind == CAIRN_ETMV1_TD && last->info == 0 &&
           last->packet == sample.packet;
}

void cairn_etmv1_scan(struct cairn_etmv1_parser *p, struct cairn_sample sample)
{
    const uint64_t number = p->cycles++;

    if (is_repeated(p, sample)) {
        cairn_etmv1_cycle_at(p, p->next - 1)->repeats++;
        return;
    }
    struct cairn_etmv1_cycle *c = cairn_etmv1_cycle_at(p, p->next);

    *c = (struct cairn_etmv1_cycle){.number = number, .packet = sample.packet, .before = p->syncs};
    if (!read_status(c, sample)) {
        c->kind = CAIRN_ETMV1_RESERVED;
        lose(p);
        c->epoch = p->epoch;
        p->next++;
        return;
    }
    if (sample.flags & CAIRN_SAMPLE_LOST) {
        c->info |= CAIRN_ETMV1_LOST;
        lose(p);
    }
    if (sample.flags & CAIRN_SAMPLE_TRIGGER)
        c->info |= CAIRN_ETMV1_CAPTURE_TRIGGER;
    c->epoch = p->epoch;
    if (p->apo_left > 0 && take_apo(p, c)) {
        if (c->kind != CAIRN_ETMV1_TR)
            c->kind = CAIRN_ETMV1_APO;
        c->status = CAIRN_ETMV1_APO;
    } else if (cairn_etmv1_is_branch(c->status)) {
        p->branch = p->next;
        p->apo_left = CAIRN_ETMV1_APO_CYCLES;
    }
    take_lanes(p, c, (sample.flags & CAIRN_SAMPLE_SYNC) != 0);
    p->next++;
}
