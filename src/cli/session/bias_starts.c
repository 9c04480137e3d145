/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a file was loaded, by the addresses that flow went to: a file is moved by whole pages, so these
 * have the low bits of places where its code can be entered. */
#include <stdlib.h>

#include "base/bytes.h"
#include "cli/session/bias.h"

#define PAGE 4096u
#define STARTS_MOST ((size_t)1 << 22)
#define STARTS_FIRST 1024
#define PAIRS_MOST ((size_t)1 << 21)
#define A64_NOP 0xd503201fu

struct starts {
    uint64_t *list;
    size_t count, capacity;
};

static void add(struct starts *starts, uint64_t address)
{
    if (starts->count == starts->capacity) {
        const size_t capacity = starts->capacity ? 2 * starts->capacity : STARTS_FIRST;
        uint64_t *list =
            capacity <= STARTS_MOST ? realloc(starts->list, capacity * sizeof *list) : NULL;

        if (!list)
            return;
        starts->list = list;
        starts->capacity = capacity;
    }
    starts->list[starts->count++] = address;
}

static bool is_inside(const struct cli_file_code *code, uint64_t address)
{
    uint64_t left;

    for (size_t i = 0; i < code->count; i++)
        if (cairn_bytes_at(&code->parts[i], address, &left))
            return true;
    return false;
}

/* The targets of direct branches, what is behind calls and conditional branches, where these return to or
 * go on, and behind other branches, where the next function begins. */
static void scan(const struct cli_file_code *code, const struct cairn_bytes *part,
                 enum cairn_isa isa, struct starts *starts)
{
    const struct cairn_arch arch = cairn_arch_any_a();
    const unsigned step = isa == CAIRN_ISA_T32 ? 2 : 4;
    uint64_t at = -part->address % step;
    bool behind = at < part->size; /* a branch, or the beginning */

    while (at < part->size) {
        struct cairn_insn insn;
        const uint64_t left = part->size - at;
        const unsigned size = cairn_insn_decode(&arch, isa, part->address + at, part->bytes + at,
                                                left < 4 ? (size_t)left : 4, &insn);

        if (!size)
            return;
        const bool is_pad = isa == CAIRN_ISA_A64 && (insn.opcode == A64_NOP || !insn.opcode);

        if (behind && !is_pad)
            add(starts, part->address + at);
        behind = (behind && is_pad) || insn.kind == CAIRN_INSN_BRANCH_DIRECT ||
                 insn.kind == CAIRN_INSN_BRANCH_INDIRECT;
        if (insn.kind == CAIRN_INSN_BRANCH_DIRECT && is_inside(code, insn.target))
            add(starts, insn.target);
        at += size;
    }
}

static int by_page_offset(const void *one, const void *other)
{
    const uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

    if (a % PAGE != b % PAGE)
        return a % PAGE < b % PAGE ? -1 : 1;
    return a < b ? -1 : a > b;
}

static size_t unique(uint64_t *list, size_t count)
{
    size_t kept = 0;

    qsort(list, count, sizeof *list, by_page_offset);
    for (size_t i = 0; i < count; i++)
        if (!kept || list[i] != list[kept - 1])
            list[kept++] = list[i];
    return kept;
}

/* The first one with this offset in its page. */
static size_t find(const struct starts *starts, uint64_t offset)
{
    size_t low = 0, high = starts->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (starts->list[middle] % PAGE < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void cli_bias_by_starts(const struct cli_file_code *code, const uint64_t *addresses, size_t count,
                        struct cli_votes *votes)
{
    struct starts starts = {0};
    size_t pairs = 0;

    for (size_t i = 0; i < code->count; i++) {
        if (code->is_64 || !code->is_known)
            scan(code, &code->parts[i], CAIRN_ISA_A64, &starts);
        if (!code->is_64 || !code->is_known) {
            scan(code, &code->parts[i], CAIRN_ISA_A32, &starts);
            scan(code, &code->parts[i], CAIRN_ISA_T32, &starts);
        }
    }
    if (starts.count)
        starts.count = unique(starts.list, starts.count);
    for (size_t i = 0; i < count && pairs < PAIRS_MOST; i++)
        for (size_t at = find(&starts, addresses[i] % PAGE);
             at < starts.count && starts.list[at] % PAGE == addresses[i] % PAGE; at++, pairs++)
            cli_votes_add(votes, addresses[i] - starts.list[at]);
    free(starts.list);
}
