/* SPDX-License-Identifier: BSD-2-Clause */
/* Ranges of executed code, cut at branches. */
#include "image/space.h"
#include "report/diff_reader.h"

static cairn_status cut_range(struct cairn_diff_reader *reader, struct diff_range *range)
{
    const struct cairn_space *const space = reader->run->space;
    const enum cairn_isa isa = (enum cairn_isa)range->isa;
    uint64_t at = range->address, first = at;
    cairn_status status = CAIRN_OK;

    range->first = reader->piece_count;
    while (at != range->end && !status) {
        struct cairn_insn insn = {.size = isa == CAIRN_ISA_T32 ? 2 : 4};
        const bool is_there = cairn_space_insn(space, reader->arch, isa, at, &insn);
        const bool is_branch = is_there && (insn.kind == CAIRN_INSN_BRANCH_DIRECT ||
                                            insn.kind == CAIRN_INSN_BRANCH_INDIRECT);

        at += insn.size;
        if (isa != CAIRN_ISA_A64)
            at &= UINT32_MAX;
        if (range->end - at > range->end - range->address)
            at = range->end;
        if (!is_branch && at != range->end)
            continue;
        if (cairn_grow((void **)&reader->pieces, reader->piece_count, &reader->piece_room,
                       sizeof *reader->pieces))
            return CAIRN_E_MEMORY;
        struct diff_piece *const piece = &reader->pieces[reader->piece_count++];
        *piece = (struct diff_piece){.end = at};
        if (is_branch)
            status = cairn_diff_block_of(reader->diff, reader->side, reader->arch, isa, first, at,
                                         &piece->block);
        first = at;
        range->count++;
    }
    return status;
}

cairn_status cairn_diff_know_range(struct cairn_diff_reader *reader, uint8_t isa, uint64_t address,
                                   uint64_t end, uint64_t offset, const struct diff_range **found)
{
    const struct cairn_space *const space = reader->run->space;
    const uint32_t hash = cairn_table_hash(address, end * 4 + isa);
    size_t at = cairn_table_begin(&reader->by_range, hash);
    uint64_t from = 0, until = 0;
    uint32_t item;

    reader->place.offset = offset;
    cairn_status status = cairn_space_select(reader->run->space, &reader->place);
    if (status)
        return status;
    const uint64_t identity = cairn_space_identity(space);
    cairn_space_hold(space, &from, &until);
    while ((item = cairn_table_next(&reader->by_range, hash, &at)) != CAIRN_TABLE_NONE) {
        const struct diff_range *const one = &reader->ranges[item];

        if (one->address == address && one->end == end && one->isa == isa &&
            one->identity == identity && one->from == from) {
            *found = one;
            return CAIRN_OK;
        }
    }
    item = (uint32_t)reader->range_count;
    if (reader->range_count >= CAIRN_DIFF_NONE - 1)
        return CAIRN_E_LIMIT;
    if (cairn_grow((void **)&reader->ranges, reader->range_count, &reader->range_room,
                   sizeof *reader->ranges) ||
        cairn_table_add(&reader->by_range, hash, item))
        return CAIRN_E_MEMORY;
    struct diff_range *const made = &reader->ranges[reader->range_count++];
    *made = (struct diff_range){
        .address = address, .end = end, .isa = isa, .identity = identity, .from = from};
    *found = made;
    return cut_range(reader, made);
}
