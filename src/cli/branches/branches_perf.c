/* SPDX-License-Identifier: BSD-2-Clause */
/* Branch stacks as perf has them: a perf.data file, or the text that `perf script` prints of one and
 * llvm-profgen reads. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/branches/branches.h"
#include "image/layer.h"

#define STACK_TIME UINT64_C(1000) /* nanoseconds from one stack to the next: perf sorts by time */

static bool is_script(const struct cli_branch_list *list)
{
    return list->session->options->format == CLI_FORMAT_PERFSCRIPT;
}

void cli_branches_perf_name(struct cli_branch_list *list, uint32_t thread, const char *name)
{
    if (!is_script(list))
        cairn_perf_name(&list->data, thread, name);
}

/* Device, inode and generation are not known to us, and not looked at by those who read this. */
void cli_branches_perf_map(struct cli_branch_list *list, const struct cairn_perf_map *map)
{
    struct cairn_output *output = list->session->output;
    char path[CAIRN_PERF_PATH];

    if (!is_script(list)) {
        cairn_perf_map(&list->data, map);
        return;
    }
    cli_branch_clean(map->path, path, sizeof path);
    cairn_output_format(output,
                        "PERF_RECORD_MMAP2 %" PRIu32 "/%" PRIu32 ": [0x%" PRIx64 "(0x%" PRIx64
                        ") @ 0x%" PRIx64 " 00:00 0 0]: r-xp %s",
                        map->thread, map->thread, map->address, map->size, map->offset, path);
    cairn_output_line(output);
}

static char flag_letter(const struct cairn_branch_entry *entry)
{
    if (entry->flags & CAIRN_BRANCH_ENTRY_MISPRED)
        return 'M';
    return entry->flags & CAIRN_BRANCH_ENTRY_PREDICTED ? 'P' : '-';
}

static void tell_script(struct cairn_output *output, const struct cairn_perf_sample *sample)
{
    cairn_output_format(output, "%" PRIx64, sample->address);
    for (size_t i = 0; i < sample->count; i++) {
        const struct cairn_branch_entry *entry = &sample->entries[i];

        cairn_output_format(output, " 0x%" PRIx64 "/0x%" PRIx64 "/%c/%c/%c/%u/%s", entry->from,
                            entry->to, flag_letter(entry),
                            entry->flags & CAIRN_BRANCH_ENTRY_IN_TX ? 'X' : '-',
                            entry->flags & CAIRN_BRANCH_ENTRY_ABORT ? 'A' : '-', entry->cycles,
                            cli_branch_entry_type(entry));
    }
    cairn_output_line(output);
}

void cli_branches_perf_sample(struct cli_branch_list *list, const struct cairn_perf_sample *sample)
{
    if (!is_script(list))
        cairn_perf_sample(&list->data, sample);
    else if (sample->count)
        tell_script(list->session->output, sample);
}

/* --- a dump --- */

/* The code of --image, so that perf knows names. */
static void add_maps(struct cli_branch_list *list, uint32_t thread)
{
    const struct cairn_layers *layers = list->image ? cairn_image_layers(list->image) : NULL;

    for (size_t i = 0; layers && i < layers->count; i++) {
        const struct cairn_layer *layer = &layers->list[i];
        char *path =
            layer->executable && layer->file && layer->bytes ? realpath(layer->name, NULL) : NULL;

        if (!path)
            continue;
        const struct cairn_perf_map map = {
            .thread = thread,
            .address = layer->address,
            .size = layer->size,
            .offset = (uint64_t)(layer->bytes - layer->file->data),
            .path = path,
        };
        cli_branches_perf_map(list, &map);
        free(path);
    }
}

/* Where a sample was taken: where the youngest branch went to, or came from if nothing else is known. */
void cli_branches_perf(struct cli_branch_list *list, const struct cli_branch_stack *stack,
                       size_t number)
{
    const bool at_EL2 = list->session->options->kernel_at_EL2;
    const struct cairn_branch *youngest = &stack->branches[0];
    struct cairn_branch_entry entries[CLI_BRANCHES_MOST];
    const uint32_t thread = (uint32_t)number + 1;
    struct cairn_perf_sample sample = {
        .time = (number + 1) * STACK_TIME,
        .thread = thread,
        .level = CAIRN_PERF_KERNEL,
        .entries = entries,
        .count = stack->count,
    };

    if (stack->count && (youngest->flags & CAIRN_BRANCH_TARGET)) {
        sample.address = youngest->target;
        if (youngest->EL == 0)
            sample.level = CAIRN_PERF_USER;
        else if (youngest->EL == 3 || (youngest->EL == 2 && !at_EL2))
            sample.level = CAIRN_PERF_HYPERVISOR;
    } else if (stack->count)
        sample.address = youngest->source;
    if (cairn_branch_entries(stack->branches, stack->count, at_EL2 ? CAIRN_BRANCH_KERNEL_AT_EL2 : 0,
                             entries) != CAIRN_OK)
        sample.count = 0;
    cli_branches_perf_name(list, thread, stack->dump->name ? stack->dump->name : stack->path);
    add_maps(list, thread);
    cli_branches_perf_sample(list, &sample);
}
