/* SPDX-License-Identifier: BSD-2-Clause */
/* LLVM's sample profile as text: of each function the counts of its lines, by their distance from the line on which
 * the function begins and by discriminator; of calls that were inlined the same one level deeper, with the lines of
 * the function that was inlined; how often a function was entered, and what was called from where.
 * Counts are as llvm-profgen makes them: of a line the greatest count of its instructions, times the duplication
 * factor of its discriminator; a function's total is each instruction's count times its bytes; lines of a function
 * that were not executed have 0. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "capture/arena.h"
#include "image/elf.h"
#include "image/lines.h"
#include "image/symbol.h"
#include "report/pgo_llvm.h"

#define NONE CAIRN_TABLE_NONE
#define NODES_MOST (1u << 24)
#define OFFSET_MASK 0xffffu /* lines farther from the function's beginning are taken modulo this */
#define MACHINE_ARM 40u     /* EM_ARM: instructions of two and of four bytes */

/* Levels of inlined calls in each other. What has more is not named. */
#define LEVELS 128u

struct llvm_event {
    uint64_t address;
    uint64_t count;
    bool begins; /* else it ends in front of the address */
};

/* --- discriminators: LLVM has three numbers in one, each in seven bits or fourteen --- */

static uint32_t llvm_component(uint32_t word)
{
    if (word & 1)
        return 0;
    word >>= 1;
    return word & 0x20 ? (word >> 1 & 0xfe0) | (word & 0x1f) : word & 0x1f;
}

static uint32_t llvm_next(uint32_t word)
{
    if (word & 1)
        return word >> 1;
    return word & 0x40 ? word >> 14 : word >> 7;
}

static uint32_t base_of(const struct cairn_frame *frame)
{
    return frame->discriminators == CAIRN_DISCRIMINATORS_LLVM ? llvm_component(frame->discriminator)
                                                              : frame->discriminator;
}

static uint64_t factor_of(const struct cairn_frame *frame)
{
    const uint32_t factor = frame->discriminators == CAIRN_DISCRIMINATORS_LLVM
                                ? llvm_component(llvm_next(frame->discriminator))
                                : 0;

    return factor ? factor : 1;
}

/* --- the tree --- */

static uint64_t times(uint64_t one, uint64_t other)
{
    uint64_t product;

    return __builtin_mul_overflow(one, other, &product) ? UINT64_MAX : product;
}

/* Without what compilers append to the names of copies. */
static size_t name_length(const char *name)
{
    static const char *const suffixes[] = {".llvm.", ".part.", ".__uniq."};
    size_t length = strlen(name);

    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        const size_t size = strlen(suffixes[i]);

        for (size_t at = length; at-- > 0;)
            if (at + size <= length && !strncmp(name + at, suffixes[i], size)) {
                if (!memchr(name + at + size, '.', length - at - size))
                    length = at;
                break;
            }
    }
    return length;
}

static uint64_t hash_name(const char *name, size_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (uint8_t)name[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static bool is_name(const char *one, size_t length, const char *other, size_t other_length)
{
    return length == other_length && !memcmp(one, other, length);
}

static cairn_status find_node(struct llvm_profile *profile, uint32_t parent,
                              struct llvm_place place, const char *name, uint32_t *found)
{
    const size_t length = name_length(name);
    const uint32_t hash = cairn_table_hash(hash_name(name, length) ^ parent,
                                           (uint64_t)place.line << 32 | place.discriminator);
    size_t at = cairn_table_begin(&profile->by_node, hash);
    uint32_t item;

    while ((item = cairn_table_next(&profile->by_node, hash, &at)) != NONE) {
        const struct llvm_node *const node = &profile->nodes[item];

        if (node->parent == parent && node->place.line == place.line &&
            node->place.discriminator == place.discriminator &&
            is_name(node->name, node->length, name, length)) {
            *found = item;
            return CAIRN_OK;
        }
    }
    if (profile->node_count == NODES_MOST ||
        cairn_grow((void **)&profile->nodes, profile->node_count, &profile->node_room,
                   sizeof *profile->nodes) ||
        cairn_table_add(&profile->by_node, hash, (uint32_t)profile->node_count))
        return CAIRN_E_MEMORY;
    profile->nodes[profile->node_count] =
        (struct llvm_node){.parent = parent, .place = place, .name = name, .length = length};
    *found = (uint32_t)profile->node_count++;
    return CAIRN_OK;
}

static cairn_status find_line(struct llvm_profile *profile, uint32_t node, struct llvm_place place,
                              uint32_t *found)
{
    const uint32_t hash = cairn_table_hash((uint64_t)place.line << 32 | place.discriminator, node);
    size_t at = cairn_table_begin(&profile->by_line, hash);
    uint32_t item;

    while ((item = cairn_table_next(&profile->by_line, hash, &at)) != NONE) {
        const struct llvm_line *const line = &profile->lines[item];

        if (line->node == node && line->place.line == place.line &&
            line->place.discriminator == place.discriminator) {
            *found = item;
            return CAIRN_OK;
        }
    }
    if (profile->line_count == NODES_MOST ||
        cairn_grow((void **)&profile->lines, profile->line_count, &profile->line_room,
                   sizeof *profile->lines) ||
        cairn_table_add(&profile->by_line, hash, (uint32_t)profile->line_count))
        return CAIRN_E_MEMORY;
    profile->lines[profile->line_count] = (struct llvm_line){.node = node, .place = place};
    *found = (uint32_t)profile->line_count++;
    return CAIRN_OK;
}

static cairn_status add_call(struct llvm_profile *profile, uint32_t line, const char *name,
                             uint64_t count)
{
    const size_t length = name_length(name);
    const uint32_t hash = cairn_table_hash(hash_name(name, length), line);
    size_t at = cairn_table_begin(&profile->by_call, hash);
    uint32_t item;

    while ((item = cairn_table_next(&profile->by_call, hash, &at)) != NONE) {
        struct llvm_call *const call = &profile->calls[item];

        if (call->line == line && is_name(call->name, call->length, name, length)) {
            call->count = llvm_plus(call->count, count);
            return CAIRN_OK;
        }
    }
    if (profile->call_count == NODES_MOST ||
        cairn_grow((void **)&profile->calls, profile->call_count, &profile->call_room,
                   sizeof *profile->calls) ||
        cairn_table_add(&profile->by_call, hash, (uint32_t)profile->call_count))
        return CAIRN_E_MEMORY;
    profile->calls[profile->call_count++] =
        (struct llvm_call){.line = line, .count = count, .name = name, .length = length};
    return CAIRN_OK;
}

/* Where an address is: the function or inlined call, and the place in it. *node NONE: nobody knows. */
static cairn_status locate(struct llvm_profile *profile, uint64_t address, uint32_t *node,
                           struct llvm_place *place, uint64_t *factor)
{
    struct cairn_frame frames[LEVELS];
    const size_t count = cairn_file_frames(profile->binary->file, address, frames, LEVELS);
    cairn_status status = CAIRN_OK;

    *node = NONE;
    *place = (struct llvm_place){0};
    for (size_t i = count < LEVELS ? count : 0; i-- > 0 && !status;) {
        const struct cairn_frame *const frame = &frames[i];

        if (!frame->function)
            break;
        status = find_node(profile, *node, *place, frame->function, node);
        *place = (struct llvm_place){.line = (frame->line - frame->start_line) & OFFSET_MASK,
                                     .discriminator = base_of(frame)};
        *factor = factor_of(frame);
    }
    return status;
}

/* --- counts --- */

static cairn_status count_address(struct llvm_profile *profile, uint64_t address, uint64_t count)
{
    struct llvm_place place;
    uint32_t node, line;
    uint64_t factor = 1;
    cairn_status status = locate(profile, address, &node, &place, &factor);

    if (status)
        return status;
    if (node == NONE) {
        profile->unnamed += count != 0;
        return CAIRN_OK;
    }
    profile->named += count != 0;
    /* each level it is in has it in its total */
    for (uint32_t at = node; at != NONE; at = profile->nodes[at].parent)
        profile->nodes[at].total = llvm_plus(profile->nodes[at].total, times(count, profile->step));
    status = find_line(profile, node, place, &line);
    count = times(count, factor);
    if (!status && profile->lines[line].count < count)
        profile->lines[line].count = count;
    return status;
}

static int by_event(const void *a, const void *b)
{
    const struct llvm_event *const one = a, *const other = b;

    if (one->address != other->address)
        return one->address < other->address ? -1 : 1;
    return one->begins < other->begins ? -1 : one->begins > other->begins;
}

static cairn_status add_interval(struct llvm_profile *profile, uint64_t first, uint64_t behind,
                                 uint64_t count)
{
    const struct llvm_event events[2] = {{first, count, true}, {behind, count, false}};

    for (unsigned i = 0; i < 2; i++) {
        if (cairn_grow((void **)&profile->events, profile->event_count, &profile->event_room,
                       sizeof *profile->events))
            return CAIRN_E_MEMORY;
        profile->events[profile->event_count++] = events[i];
    }
    return CAIRN_OK;
}

/* The ranges, and the functions that they begin in, of which all counts, if with 0. */
static cairn_status gather(struct llvm_profile *profile)
{
    size_t count;
    const size_t first = cairn_pgo_ranges_of(profile->pgo, profile->number, &count);
    uint64_t known = 0; /* up to there a function was added */
    cairn_status status = CAIRN_OK;

    for (size_t i = first; i < first + count && !status; i++) {
        const struct cairn_pgo_range *const range = &profile->pgo->ranges[i];
        uint64_t from, until;

        if (range->last < range->first || range->last > UINT64_MAX - profile->step)
            continue;
        status = add_interval(profile, range->first, range->last + profile->step, range->count);
        if (status || range->first < known ||
            !cairn_file_function(profile->binary->file, range->first, &from, &until) ||
            until == UINT64_MAX)
            continue;
        status = add_interval(profile, from, until + 1, 0);
        known = until + 1;
    }
    return status;
}

static cairn_status count_all(struct llvm_profile *profile)
{
    uint64_t count = 0, open = 0, at = 0;
    cairn_status status = gather(profile);

    if (status || !profile->event_count)
        return status;
    qsort(profile->events, profile->event_count, sizeof *profile->events, by_event);
    for (size_t i = 0; i < profile->event_count && !status; i++) {
        const struct llvm_event *const event = &profile->events[i];

        for (; open && at < event->address && !status; at += profile->step)
            status = count_address(profile, at, count);
        at = event->address;
        open += event->begins ? 1 : (uint64_t)-1;
        count += event->begins ? event->count : -event->count;
    }
    return status;
}

/* --- calls --- */

/* The function that begins at an address; NULL: none does. */
static const char *function_at(struct llvm_profile *profile, uint64_t address)
{
    const struct cairn_symbols *symbols = NULL;
    struct cairn_frame frames[LEVELS];
    const size_t count = cairn_file_frames(profile->binary->file, address, frames, LEVELS);
    const char *symbol;
    uint64_t offset, first, last;

    if (!count || !frames[count - 1].function ||
        !cairn_file_function(profile->binary->file, address, &first, &last) || first != address)
        return NULL;
    /* what was moved out of a function is no function, though the debug information has it so */
    if (cairn_file_symbols(profile->binary->file, &symbols) == CAIRN_OK &&
        cairn_symbols_find(symbols, address, &symbol, &offset) == CAIRN_OK &&
        (offset || strstr(symbol, ".cold")))
        return NULL;
    return frames[count - 1].function;
}

static cairn_status take_branch(struct llvm_profile *profile, const struct cairn_pgo_branch *branch)
{
    const char *const callee = branch->has_target && branch->to_binary == profile->number
                                   ? function_at(profile, branch->to)
                                   : NULL;
    struct llvm_place place = {0};
    uint32_t node, line;
    uint64_t factor;
    cairn_status status;

    if (!callee)
        return CAIRN_OK;
    status = find_node(profile, NONE, place, callee, &node);
    if (status)
        return status;
    profile->nodes[node].head = llvm_plus(profile->nodes[node].head, branch->count);
    if (branch->from_binary != profile->number)
        return CAIRN_OK;
    status = locate(profile, branch->from, &node, &place, &factor);
    if (status || node == NONE)
        return status;
    status = find_line(profile, node, place, &line);
    return status ? status : add_call(profile, line, callee, branch->count);
}

static cairn_status write_profile(struct llvm_profile *profile)
{
    cairn_status status = count_all(profile);

    /* all, for what was called from other files */
    for (size_t i = 0; i < profile->pgo->branch_count && !status; i++)
        status = take_branch(profile, &profile->pgo->branches[i]);
    return status ? status : cairn_pgo_llvm_write(profile);
}

static void clear(struct llvm_profile *profile)
{
    cairn_table_clear(&profile->by_node);
    cairn_table_clear(&profile->by_line);
    cairn_table_clear(&profile->by_call);
    free(profile->nodes);
    free(profile->lines);
    free(profile->calls);
    free(profile->events);
    free(profile->children);
}

/* Of Arm's 32-bit instructions some have two bytes: counted by these, four have the same weight. */
static uint32_t step_of(const struct cairn_pgo_binary *binary)
{
    struct cairn_segments segments;
    uint32_t step = 4;

    if (cairn_elf_segments(binary->code ? binary->code : binary->file, binary->path, &segments,
                           NULL))
        return step;
    if (segments.machine == MACHINE_ARM)
        step = 2;
    cairn_segments_clear(&segments);
    return step;
}

cairn_status cairn_pgo_llvm(const struct cairn_pgo *pgo, struct cairn_output *output,
                            uint64_t *named, uint64_t *unnamed)
{
    cairn_status status = CAIRN_OK;

    *named = *unnamed = 0;
    for (uint32_t i = 0; i < pgo->binary_count && !status; i++) {
        struct cairn_pgo_binary *const binary = &pgo->binaries[i];
        size_t count;

        (void)cairn_pgo_ranges_of(pgo, i, &count);
        if (!binary->chosen || !binary->file || !count)
            continue;
        struct llvm_profile profile = {
            .pgo = pgo,
            .binary = binary,
            .number = i,
            .step = step_of(binary),
            .output = output,
        };
        status = write_profile(&profile);
        *named += profile.named;
        *unnamed += profile.unnamed;
        clear(&profile);
    }
    return status;
}
