/* SPDX-License-Identifier: BSD-2-Clause */
#include "code.h"

#include <string.h>

enum {
    ALWAYS = 14,
    CONDITIONS = 14,
    VECTORS_BYTES = 0x20,
    /* An instruction at the end of a region leaves it for certain. */
    END_BYTES = 8,
};

void sw_code_begin(struct sw_code *code, uint64_t seed, bool has_high_vectors)
{
    static const struct sw_place places[SW_REGIONS] = {
        {0, false},          {0x00008000, false}, {0x00012000, true},
        {0x7f008400, false}, {0xc0100100, true},
    };

    memset(code, 0, sizeof *code);
    code->random.state = seed;
    for (unsigned i = 0; i < SW_REGIONS; i++)
        code->regions[i].begin = places[i];
    if (has_high_vectors)
        code->regions[0].begin.address = 0xffff0000;
}

static struct sw_region *region_of(struct sw_code *code, struct sw_place place)
{
    for (unsigned i = 0; i < SW_REGIONS; i++) {
        const struct sw_place begin = code->regions[i].begin;

        if (begin.is_thumb == place.is_thumb && place.address - begin.address < SW_REGION_BYTES)
            return &code->regions[i];
    }
    return NULL;
}

static struct sw_slot *slot_at(struct sw_region *region, uint32_t address)
{
    return &region->slots[(address - region->begin.address) / 2];
}

/* A place in a region that can be branched to. */
static struct sw_place entry_of(struct sw_region *region, struct peer_random *random)
{
    const unsigned size = region->begin.is_thumb ? 2 : 4;
    const unsigned first = region->begin.is_thumb || region->begin.address == 0x8000 ||
                                   region->begin.address == 0x7f008400
                               ? 0
                               : VECTORS_BYTES;
    struct sw_place place = region->begin;
    const unsigned span = (SW_REGION_BYTES - END_BYTES - first) / size;

    do {
        place.address = region->begin.address + first + peer_random_below(random, span) * size;
    } while (slot_at(region, place.address)->what == SW_BL_SECOND);
    slot_at(region, place.address)->is_entry = true;
    return place;
}

struct sw_place sw_code_entry(struct sw_code *code, struct peer_random *random)
{
    return entry_of(&code->regions[peer_random_below(random, SW_REGIONS)], random);
}

struct sw_place sw_code_entry_like(struct sw_code *code, struct peer_random *random,
                                   struct sw_place from)
{
    struct sw_place place;

    do {
        place = sw_code_entry(code, random);
    } while (place.is_thumb != from.is_thumb);
    return place;
}

static uint32_t condition(struct sw_code *code, struct sw_slot *slot, unsigned percent)
{
    slot->is_conditional = peer_random_percent(&code->random, percent);
    return slot->is_conditional ? peer_random_below(&code->random, CONDITIONS) : ALWAYS;
}

static void set_transfer(struct sw_slot *slot, enum sw_what what, unsigned transfers,
                         unsigned bytes)
{
    slot->what = what;
    slot->transfers = (uint8_t)transfers;
    slot->bytes = (uint8_t)bytes;
    slot->is_lsm = transfers > 1;
}

static void draw_arm_direct(struct sw_code *code, struct sw_slot *slot, struct sw_region *region,
                            uint32_t address)
{
    struct peer_random *random = &code->random;
    uint32_t offset;

    slot->what = SW_DIRECT;
    slot->target = entry_of(region, random);
    offset = slot->target.address - (address + 8);
    if (region == &code->regions[1] && peer_random_percent(random, 25)) {
        /* BLX <immediate>, to Thumb: no other ARM region reaches one */
        slot->target = entry_of(&code->regions[2], random);
        offset = slot->target.address - (address + 8);
        slot->opcode = 0xfa000000 | (offset & 2) << 23 | (offset >> 2 & 0xffffff);
        return;
    }
    slot->opcode = (peer_random_percent(random, 30) ? 0x0b000000U : 0x0a000000U) |
                   (offset >> 2 & 0xffffff) | condition(code, slot, 60) << 28;
}

static unsigned registers_of(struct peer_random *random, unsigned mask, unsigned *count)
{
    unsigned list;

    do {
        list = (unsigned)peer_random_64(random) & mask;
    } while (__builtin_popcount(list) < 2 || __builtin_popcount(list) > 6);
    *count = (unsigned)__builtin_popcount(list);
    return list;
}

static uint32_t draw_arm_load(struct sw_code *code, struct sw_slot *slot)
{
    struct peer_random *random = &code->random;
    unsigned count;
    uint32_t list;

    switch (peer_random_below(random, 8)) {
    case 0: set_transfer(slot, SW_LOAD, 1, 1); return 0x05d12000; /* LDRB r2, [r1] */
    case 1: set_transfer(slot, SW_LOAD, 1, 2); return 0x01d120b0; /* LDRH r2, [r1] */
    case 2:
        set_transfer(slot, SW_LOAD, 2, 4); /* LDRD r2, r3, [r1] */
        slot->is_double = true;
        return 0x01c120d0;
    case 3:
        set_transfer(slot, SW_LOAD, 1, 4); /* LDR pc, [r1] */
        slot->loads_pc = true;
        return 0x0591f000;
    case 4:
        list = registers_of(random, 0x1ff0, &count); /* LDM r13!, {..., pc} */
        set_transfer(slot, SW_LOAD, count + 1, 4);
        slot->loads_pc = true;
        return 0x08bd8000 | list;
    case 5:
    case 6:
        list = registers_of(random, 0x7ffc, &count); /* LDM r1, {...} */
        set_transfer(slot, SW_LOAD, count, 4);
        return 0x08910000 | list;
    default: set_transfer(slot, SW_LOAD, 1, 4); return 0x05912000; /* LDR r2, [r1] */
    }
}

static uint32_t draw_arm_store(struct sw_code *code, struct sw_slot *slot)
{
    unsigned count;
    uint32_t list;

    switch (peer_random_below(&code->random, 6)) {
    case 0: set_transfer(slot, SW_STORE, 1, 1); return 0x05c12000; /* STRB r2, [r1] */
    case 1: set_transfer(slot, SW_STORE, 1, 2); return 0x01c120b0; /* STRH r2, [r1] */
    case 2:
        set_transfer(slot, SW_STORE, 2, 4); /* STRD r2, r3, [r1] */
        slot->is_double = true;
        return 0x01c120f0;
    case 3:
        list = registers_of(&code->random, 0x5ffc, &count); /* STM r1, {...} */
        set_transfer(slot, SW_STORE, count, 4);
        return 0x08810000 | list;
    case 4: set_transfer(slot, SW_SWAP, 2, 4); return 0x01020091;   /* SWP r0, r1, [r2] */
    default: set_transfer(slot, SW_STORE, 1, 4); return 0x05812000; /* STR r2, [r1] */
    }
}

static uint32_t draw_arm_other(struct sw_code *code, struct sw_slot *slot)
{
    switch (peer_random_below(&code->random, 8)) {
    case 0: slot->what = SW_SVC; return 0x0f000000;
    case 1:
    case 2: set_transfer(slot, SW_CONTEXT_WRITE, 1, 4); return 0x0e0d0f30;
    case 3: set_transfer(slot, SW_FROM_CP, 1, 4); return 0x0e110f10; /* MRC p15, 0, r0, c1, c0, 0 */
    case 4:
    case 5:
        slot->what = SW_INDIRECT; /* MOV pc, r14 */
        slot->stays = true;
        return 0x01a0f00e;
    default: slot->what = SW_INDIRECT; return 0x012fff10; /* BX r0 */
    }
}

static void draw_arm(struct sw_code *code, struct sw_slot *slot, struct sw_region *region,
                     uint32_t address)
{
    const uint32_t at = address - region->begin.address;
    const unsigned kind = peer_random_below(&code->random, 100);

    slot->size = 4;
    if (at >= SW_REGION_BYTES - END_BYTES) {
        slot->what = SW_INDIRECT;
        slot->opcode = 0xe12fff10;
    } else if (kind < 38) {
        slot->what = SW_PLAIN;
        slot->opcode = 0x00810002 | condition(code, slot, 40) << 28; /* ADD r0, r1, r2 */
    } else if (kind < 60) {
        draw_arm_direct(code, slot, region, address);
    } else if (kind < 75) {
        slot->opcode = draw_arm_load(code, slot) | condition(code, slot, 25) << 28;
    } else if (kind < 86) {
        slot->opcode = draw_arm_store(code, slot) | condition(code, slot, 25) << 28;
    } else if (kind < 98) {
        slot->opcode = draw_arm_other(code, slot) | condition(code, slot, 25) << 28;
    } else if (kind == 98) {
        slot->what = SW_UNDEFINED;
        slot->opcode = 0xe7f000f0;
    } else {
        slot->what = SW_PLAIN;
        slot->opcode = 0xf5d1f000; /* PLD [r1]: no data instruction (4.6.3) */
    }
}

/* Both halves of BL or BLX <immediate>; the second may have been drawn before. */
static bool draw_thumb_pair(struct sw_code *code, struct sw_slot *slot, struct sw_region *region,
                            uint32_t address)
{
    struct sw_slot *second = slot + 1;
    const bool is_exchange = region == &code->regions[2] && peer_random_percent(&code->random, 40);
    uint32_t offset;

    if (second->what != SW_UNSET || second->is_entry)
        return false;
    slot->what = SW_BL_FIRST;
    second->what = SW_BL_SECOND;
    second->size = 2;
    second->target = entry_of(is_exchange ? &code->regions[1] : region, &code->random);
    offset = second->target.address - (address + 4);
    if (is_exchange)
        offset = second->target.address - ((address + 4) & ~UINT32_C(3));
    slot->opcode = 0xf000 | (offset >> 12 & 0x7ff);
    second->opcode = (is_exchange ? 0xe800 : 0xf800) | (offset >> 1 & 0x7ff);
    return true;
}

static void draw_thumb_direct(struct sw_code *code, struct sw_slot *slot, struct sw_region *region,
                              uint32_t address)
{
    struct peer_random *random = &code->random;
    uint32_t offset;
    unsigned tries = 0;

    slot->what = SW_DIRECT;
    slot->is_conditional = peer_random_percent(random, 60);
    do {
        slot->target = entry_of(region, random);
        offset = slot->target.address - (address + 4);
        if (++tries > 50)
            slot->is_conditional = false;
    } while (slot->is_conditional && offset + 256 >= 512); /* imm8 * 2 */
    slot->opcode = slot->is_conditional
                       ? 0xd000 | peer_random_below(random, CONDITIONS) << 8 | (offset >> 1 & 0xff)
                       : 0xe000 | (offset >> 1 & 0x7ff);
}

static uint32_t draw_thumb_transfer(struct sw_code *code, struct sw_slot *slot)
{
    switch (peer_random_below(&code->random, 10)) {
    case 0: set_transfer(slot, SW_LOAD, 1, 1); return 0x780a;  /* LDRB r2, [r1] */
    case 1: set_transfer(slot, SW_STORE, 1, 1); return 0x700a; /* STRB r2, [r1] */
    case 2: set_transfer(slot, SW_LOAD, 1, 2); return 0x880a;  /* LDRH r2, [r1] */
    case 3: set_transfer(slot, SW_STORE, 1, 4); return 0x600a; /* STR r2, [r1] */
    case 4: set_transfer(slot, SW_STORE, 2, 4); return 0xb510; /* PUSH {r4, lr} */
    case 5: set_transfer(slot, SW_LOAD, 3, 4); return 0xc91c;  /* LDM r1!, {r2-r4} */
    case 6: set_transfer(slot, SW_STORE, 2, 4); return 0xc10c; /* STM r1!, {r2, r3} */
    case 7:
        set_transfer(slot, SW_LOAD, 3, 4); /* POP {r4, r5, pc} */
        slot->loads_pc = true;
        return 0xbd30;
    default: set_transfer(slot, SW_LOAD, 1, 4); return 0x680a; /* LDR r2, [r1] */
    }
}

static void draw_thumb(struct sw_code *code, struct sw_slot *slot, struct sw_region *region,
                       uint32_t address)
{
    const uint32_t at = address - region->begin.address;
    const unsigned kind = peer_random_below(&code->random, 100);

    slot->size = 2;
    slot->what = SW_PLAIN;
    slot->opcode = 0x1888; /* ADD r0, r1, r2 */
    if (at >= SW_REGION_BYTES - END_BYTES) {
        slot->what = SW_INDIRECT;
        slot->opcode = 0x4700; /* BX r0 */
    } else if (kind >= 40 && kind < 55) {
        draw_thumb_direct(code, slot, region, address);
    } else if (kind < 63 && kind >= 55) {
        if (!draw_thumb_pair(code, slot, region, address))
            slot->opcode = 0x46c0; /* NOP */
    } else if (kind >= 63 && kind < 88) {
        slot->opcode = draw_thumb_transfer(code, slot);
    } else if (kind >= 88 && kind < 91) {
        slot->what = SW_SVC;
        slot->opcode = 0xdf00;
    } else if (kind >= 91) {
        slot->what = SW_INDIRECT;
        slot->stays = kind < 94;
        slot->opcode = slot->stays ? 0x46f7 : 0x4700; /* MOV pc, lr; BX r0 */
    }
}

const struct sw_slot *sw_code_at(struct sw_code *code, struct sw_place place)
{
    struct sw_region *region = region_of(code, place);
    struct sw_slot *slot = slot_at(region, place.address);
    uint8_t *bytes = region->bytes + (place.address - region->begin.address);
    unsigned size;

    if (slot->what == SW_UNSET) {
        if (place.is_thumb)
            draw_thumb(code, slot, region, place.address);
        else
            draw_arm(code, slot, region, place.address);
    }
    size = slot->size;
    for (unsigned i = 0; i < size; i++)
        bytes[i] = (uint8_t)(slot->opcode >> (8 * i));
    if (slot->what == SW_BL_FIRST)
        for (unsigned i = 0; i < 2; i++)
            bytes[2 + i] = (uint8_t)(slot[1].opcode >> (8 * i));
    return slot;
}
