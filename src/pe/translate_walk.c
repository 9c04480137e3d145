/* SPDX-License-Identifier: BSD-2-Clause */
/* One walk of one stage's tables, and marking the descriptor that it ends at. */
#include "pe/translate_stage.h"

/* Fault status codes by kind: of level 0, 1 to 3 follow; and of level -1, which only some have. */
static const struct {
    uint8_t level0, below;
    bool has_level;
} codes[] = {
    [CAIRN_PE_FAULT_ADDRESS_SIZE] = {0x00, 0x29, true},
    [CAIRN_PE_FAULT_TRANSLATION] = {0x04, 0x2b, true},
    [CAIRN_PE_FAULT_ACCESS_FLAG] = {0x08, 0x08, true},
    [CAIRN_PE_FAULT_PERMISSION] = {0x0c, 0x0c, true},
    [CAIRN_PE_FAULT_ABORT_ON_WALK] = {0x14, 0x13, true},
    [CAIRN_PE_FAULT_ALIGNMENT] = {0x21, 0x21, false},
    [CAIRN_PE_FAULT_ATOMIC_UPDATE] = {0x31, 0x31, false},
};

bool cairn_pe_fault(struct cairn_pe_walk *walk, unsigned stage, enum cairn_pe_fault_kind kind,
                    int level)
{
    struct cairn_pe_translation *out = walk->out;
    out->fault = (uint8_t)kind;
    out->stage = (uint8_t)stage;
    out->level = (int8_t)level;
    out->S1PTW = stage == 2 && walk->walking;
    out->FSC = codes[kind].level0;
    if (codes[kind].has_level)
        out->FSC = (uint8_t)(level < 0 ? codes[kind].below : codes[kind].level0 + level);
    return false;
}

static uint64_t swapped(uint64_t value)
{
    uint64_t to = 0;
    for (unsigned i = 0; i < 8; i++)
        to = to << 8 | (value >> 8 * i & 0xff);
    return to;
}

/* The physical address of a descriptor. Those of stage 1 are at IPAs where there is a stage 2. */
static bool locate(struct cairn_pe_walk *walk, const struct cairn_pe_stage *stage,
                   struct cairn_pe_leaf *leaf, enum cairn_pe_access access)
{
    leaf->at = leaf->walk_IPA;
    leaf->at_security = leaf->walk_security;
    if (stage->number == 2 || !walk->stage2)
        return true;
    struct cairn_pe_translation to = {.attributes = ATTR_WRITE_BACK, .shareability = SH_INNER};
    walk->walking = true;
    bool found =
        cairn_pe_translate_stage2(walk, leaf->walk_IPA, leaf->walk_security, access, true, &to);
    walk->walking = false;
    leaf->at = to.address;
    leaf->at_security = to.security;
    return found;
}

static bool read_descriptor(struct cairn_pe_walk *walk, const struct cairn_pe_stage *stage,
                            struct cairn_pe_leaf *leaf)
{
    uint64_t value;
    if (!locate(walk, stage, leaf, CAIRN_PE_MEMORY_READ))
        return false;
    const struct cairn_pe_memory *memory = walk->memory;
    if (memory->read(memory->user, leaf->at, leaf->at_security, &value) != CAIRN_PE_MEMORY_DONE)
        return cairn_pe_fault(walk, stage->number, CAIRN_PE_FAULT_ABORT_ON_WALK, leaf->level);
    leaf->descriptor = stage->big_endian ? swapped(value) : value;
    return true;
}

enum kind { INVALID, TABLE, LEAF };

/* Levels that may hold blocks; those of 52-bit addresses have one more. */
static enum kind kind_of(const struct cairn_pe_walk *walk, const struct cairn_pe_stage *stage,
                         uint64_t descriptor, int level)
{
    uint64_t type = CAIRN_GET(descriptor, DESC_TYPE);
    if (type == 3)
        return level == 3 ? LEAF : TABLE;
    if (type != 1 || level == 3)
        return INVALID;
    int highest = stage->granule == 12 ? 1 : 2;
    if (stage->granule == 16 ? walk->abilities.PA_bits == 52 : stage->DS)
        highest--;
    return level >= highest ? LEAF : INVALID;
}

/* The address in a descriptor, from bit `low` up. */
static uint64_t address_in(const struct cairn_pe_walk *walk, const struct cairn_pe_stage *stage,
                           uint64_t descriptor, unsigned low)
{
    uint64_t address = descriptor & CAIRN_MASK2(47, low);
    if (stage->DS)
        address = (descriptor & CAIRN_MASK2(49, low)) | CAIRN_GET2(descriptor, 9, 8) << 50;
    else if (stage->granule == 16 && walk->abilities.PA_bits == 52)
        address |= CAIRN_GET2(descriptor, 15, 12) << 48;
    return address;
}

static bool is_too_large(const struct cairn_pe_stage *stage, uint64_t address)
{
    return address >> stage->output_bits != 0;
}

/* What a table says of all that is beneath it: rights at stage 1, and that it is Non-secure. */
static void enter_table(const struct cairn_pe_stage *stage, struct cairn_pe_leaf *leaf)
{
    uint64_t table = leaf->descriptor;
    if (stage->number == 2)
        return;
    if (stage->security == CAIRN_SECURE && CAIRN_GET(table, DESC_NSTABLE))
        leaf->walk_security = CAIRN_NONSECURE;
    if (stage->HPD)
        return;
    leaf->APTable0 |= CAIRN_GET(table, DESC_APTABLE0);
    leaf->APTable1 |= CAIRN_GET(table, DESC_APTABLE1);
    leaf->UXNTable |= CAIRN_GET(table, DESC_UXNTABLE);
    leaf->PXNTable |= CAIRN_GET(table, DESC_PXNTABLE);
}

bool cairn_pe_walk_tables(struct cairn_pe_walk *walk, const struct cairn_pe_stage *stage,
                          uint64_t address, struct cairn_pe_leaf *leaf)
{
    unsigned stride = stage->granule - 3u, top = stage->input_bits;
    uint64_t table = stage->base;
    *leaf = (struct cairn_pe_leaf){.walk_security = stage->table_security};
    if (stage->fails)
        return cairn_pe_fault(walk, stage->number, CAIRN_PE_FAULT_TRANSLATION, 0);
    if (is_too_large(stage, table))
        return cairn_pe_fault(walk, stage->number, CAIRN_PE_FAULT_ADDRESS_SIZE, 0);
    for (int level = stage->start; level <= 3; level++) {
        unsigned shift = stage->granule + (unsigned)(3 - level) * stride;
        leaf->level = (int8_t)level;
        leaf->walk_IPA = table + 8 * CAIRN_GET2(address, top - 1, shift);
        if (!read_descriptor(walk, stage, leaf))
            return false;
        enum kind kind = kind_of(walk, stage, leaf->descriptor, level);
        if (kind == INVALID)
            return cairn_pe_fault(walk, stage->number, CAIRN_PE_FAULT_TRANSLATION, level);
        uint64_t to =
            address_in(walk, stage, leaf->descriptor, kind == LEAF ? shift : stage->granule);
        if (is_too_large(stage, to))
            return cairn_pe_fault(walk, stage->number, CAIRN_PE_FAULT_ADDRESS_SIZE, level);
        if (kind == LEAF) {
            leaf->bits = (uint8_t)shift;
            leaf->output = to | (address & CAIRN_MASK2(shift - 1, 0));
            leaf->security = leaf->walk_security;
            if (stage->security == CAIRN_SECURE && CAIRN_GET(leaf->descriptor, DESC_NS))
                leaf->security = CAIRN_NONSECURE;
            if (!CAIRN_GET(leaf->descriptor, DESC_AF) && !stage->HA)
                return cairn_pe_fault(walk, stage->number, CAIRN_PE_FAULT_ACCESS_FLAG, level);
            return true;
        }
        enter_table(stage, leaf);
        table = to;
        top = shift;
    }
    /* Not reached: each descriptor of level 3 ends the walk. */
    return cairn_pe_fault(walk, stage->number, CAIRN_PE_FAULT_TRANSLATION, 3);
}

/* What the descriptor is once the access is made. Bit 7 is AP[2], 0 once dirty, or S2AP[1], 1 then. */
static uint64_t marked(const struct cairn_pe_stage *stage, uint64_t descriptor, bool write)
{
    uint64_t to = descriptor;
    if (stage->HA)
        to = CAIRN_PUT(to, DESC_AF, 1);
    if (write && stage->HD && CAIRN_GET(descriptor, DESC_DBM))
        to = CAIRN_PUT(to, DESC_AP2, stage->number == 2);
    return to;
}

bool cairn_pe_mark_descriptor(struct cairn_pe_walk *walk, const struct cairn_pe_stage *stage,
                              const struct cairn_pe_leaf *leaf, bool write)
{
    struct cairn_pe_leaf place = *leaf;
    uint64_t from = leaf->descriptor, to = marked(stage, from, write);
    const struct cairn_pe_memory *memory = walk->memory;
    if (from == to)
        return true;
    if (!locate(walk, stage, &place, CAIRN_PE_MEMORY_WRITE))
        return false;
    enum cairn_pe_memory_answer answer = CAIRN_PE_MEMORY_NOT_ATOMIC;
    if (memory->update)
        answer = memory->update(memory->user, place.at, place.at_security,
                                stage->big_endian ? swapped(from) : from,
                                stage->big_endian ? swapped(to) : to);
    switch (answer) {
    case CAIRN_PE_MEMORY_DONE: return true;
    case CAIRN_PE_MEMORY_ABORT:
        return cairn_pe_fault(walk, stage->number, CAIRN_PE_FAULT_ABORT_ON_WALK, leaf->level);
    case CAIRN_PE_MEMORY_CHANGED: walk->again = true; break;
    case CAIRN_PE_MEMORY_NOT_ATOMIC: break;
    }
    return cairn_pe_fault(walk, stage->number, CAIRN_PE_FAULT_ATOMIC_UPDATE, leaf->level);
}
