/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/pgo_llvm.h"

#define NONE CAIRN_TABLE_NONE

/* --- in order --- */

static int by_name(const char *one, size_t length, const char *other, size_t other_length)
{
    const int order = memcmp(one, other, length < other_length ? length : other_length);

    return order ? order : (length > other_length) - (length < other_length);
}

static int by_place(const struct llvm_place *one, const struct llvm_place *other)
{
    if (one->line != other->line)
        return one->line < other->line ? -1 : 1;
    return (one->discriminator > other->discriminator) -
           (one->discriminator < other->discriminator);
}

/* Of a line together: what was called most first. */
static int by_call(const void *a, const void *b)
{
    const struct llvm_call *const one = a, *const other = b;

    if (one->line != other->line)
        return one->line < other->line ? -1 : 1;
    if (one->count != other->count)
        return one->count > other->count ? -1 : 1;
    return by_name(one->name, one->length, other->name, other->length);
}

static int by_line(const void *a, const void *b)
{
    const struct llvm_line *const one = a, *const other = b;

    if (one->node != other->node)
        return one->node < other->node ? -1 : 1;
    return by_place(&one->place, &other->place);
}

/* Those of one parent together, by their places; functions last, the one with the greatest total first. */
static int by_child(const void *a, const void *b)
{
    const struct llvm_node *const one = a, *const other = b;
    int order;

    if (one->parent != other->parent)
        return one->parent < other->parent ? -1 : 1;
    if (one->parent == NONE && one->total != other->total)
        return one->total > other->total ? -1 : 1;
    order = by_place(&one->place, &other->place);
    return order ? order : by_name(one->name, one->length, other->name, other->length);
}

static void order_calls(struct llvm_profile *profile)
{
    if (profile->call_count)
        qsort(profile->calls, profile->call_count, sizeof *profile->calls, by_call);
    for (size_t i = 0; i < profile->call_count; i++) {
        struct llvm_line *const line = &profile->lines[profile->calls[i].line];

        line->first_call = line->calls ? line->first_call : i;
        line->calls++;
        line->called = llvm_plus(line->called, profile->calls[i].count);
    }
}

static void order_lines(struct llvm_profile *profile)
{
    if (profile->line_count)
        qsort(profile->lines, profile->line_count, sizeof *profile->lines, by_line);
    for (size_t i = 0; i < profile->line_count; i++) {
        struct llvm_node *const node = &profile->nodes[profile->lines[i].node];

        node->first = node->lines ? node->first : i;
        node->lines++;
    }
}

static cairn_status order_nodes(struct llvm_profile *profile)
{
    const size_t count = profile->node_count;

    profile->children = malloc((count + 1) * sizeof *profile->children);
    if (!profile->children)
        return CAIRN_E_MEMORY;
    for (size_t i = 0; i < count; i++) {
        profile->nodes[i].number = (uint32_t)i;
        profile->children[i] = profile->nodes[i];
    }
    if (count)
        qsort(profile->children, count, sizeof *profile->children, by_child);
    profile->first_function = count;
    for (size_t i = count; i-- > 0;) {
        const uint32_t parent = profile->children[i].parent;

        if (parent == NONE) {
            profile->first_function = i;
            continue;
        }
        profile->nodes[parent].first_child = i;
        profile->nodes[parent].children++;
    }
    return CAIRN_OK;
}

/* --- text --- */

static void write_place(struct cairn_output *output, const struct llvm_place *place, unsigned depth)
{
    for (unsigned i = 0; i < depth; i++)
        cairn_output_char(output, ' ');
    cairn_output_decimal(output, place->line);
    if (place->discriminator) {
        cairn_output_char(output, '.');
        cairn_output_decimal(output, place->discriminator);
    }
    cairn_output_text(output, ": ");
}

static void write_line(const struct llvm_profile *profile, const struct llvm_line *line,
                       unsigned depth)
{
    struct cairn_output *const output = profile->output;

    write_place(output, &line->place, depth);
    cairn_output_decimal(output, line->count > line->called ? line->count : line->called);
    for (size_t i = line->first_call; i < line->first_call + line->calls; i++) {
        cairn_output_char(output, ' ');
        cairn_output_data(output, profile->calls[i].name, profile->calls[i].length);
        cairn_output_char(output, ':');
        cairn_output_decimal(output, profile->calls[i].count);
    }
    cairn_output_line(output);
}

/* An inlined call follows the place where it was. Depth is that of debug information's levels at most. */
static void write_node(const struct llvm_profile *profile, const struct llvm_node *node,
                       unsigned depth)
{
    struct cairn_output *const output = profile->output;

    cairn_output_data(output, node->name, node->length);
    cairn_output_char(output, ':');
    cairn_output_decimal(output, node->total);
    if (!depth) {
        cairn_output_char(output, ':');
        cairn_output_decimal(output, node->head);
    }
    cairn_output_line(output);
    for (size_t i = node->first; i < node->first + node->lines; i++)
        write_line(profile, &profile->lines[i], depth + 1);
    for (size_t i = node->first_child; i < node->first_child + node->children; i++) {
        const struct llvm_node *const child = &profile->nodes[profile->children[i].number];

        write_place(output, &child->place, depth + 1);
        write_node(profile, child, depth + 1);
    }
}

cairn_status cairn_pgo_llvm_write(struct llvm_profile *profile)
{
    cairn_status status;

    order_calls(profile);
    order_lines(profile);
    status = order_nodes(profile);
    for (size_t i = profile->first_function;
         i < profile->node_count && !status && cairn_output_wanted(profile->output); i++)
        write_node(profile, &profile->nodes[profile->children[i].number], 0);
    return status;
}
