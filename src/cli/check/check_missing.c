/* SPDX-License-Identifier: BSD-2-Clause */
/* What to do where memory was missed: nobody can give what nobody knows the time of. */
#include "cli/audit/findings.h"

#include <string.h>

#include "image/layer.h"

struct layers_there {
    bool is_one_of_two; /* either of two files, nobody knows which */
    bool is_other;      /* a file that is not here */
};

static bool is_within(const struct cli_range *range, const struct cairn_layer *layer,
                      uint32_t source)
{
    return (layer->scope.source == CAIRN_ANY_SOURCE || layer->scope.source == source) &&
           range->first >= layer->address && range->last - layer->address < layer->size;
}

static struct layers_there layers_at(const struct cairn_layers *layers,
                                     const struct cli_range *range, uint32_t source)
{
    struct layers_there there = {false, false};

    for (size_t i = 0; i < layers->count; i++) {
        const struct cairn_layer *const layer = &layers->list[i];
        const bool is_one_of_two = !strcmp(layer->name, CAIRN_LAYER_ONE_OF_TWO);

        if (layer->bytes || !is_within(range, layer, source))
            continue;
        there.is_one_of_two |= is_one_of_two;
        there.is_other |= !is_one_of_two;
    }
    return there;
}

static bool is_known_thread(const struct cairn_capture *capture, uint64_t thread)
{
    struct cairn_thread_info info = {.size = sizeof info};

    for (size_t i = 0; cairn_capture_thread(capture, i, &info) == CAIRN_OK; i++)
        if (info.thread_id == thread)
            return true;
    return false;
}

/* Whether the capture tells of threads, and of none that the trace is of by its contexts. */
static bool is_of_strangers(const struct cairn_capture *capture,
                            const struct cli_audit_source *source)
{
    const enum cairn_thread_mark mark = source->info.thread_mark;
    bool has_any = false;

    if (mark == CAIRN_THREAD_NOT_MARKED || source->info.thread_id || source->has_more_contexts ||
        !cairn_capture_thread_count(capture))
        return false;
    for (size_t i = 0; i < source->context_count; i++) {
        const struct cairn_context *const context = &source->contexts[i];
        const uint64_t thread =
            mark == CAIRN_THREAD_VMID ? context->vmid : (uint64_t)context->context_id;

        if (thread && is_known_thread(capture, thread))
            return false;
        has_any |= thread != 0;
    }
    return has_any;
}

const char *cli_missing_advice(const struct cli_findings *findings,
                               const struct cli_audit_source *source)
{
    const struct cairn_layers *const layers =
        cairn_image_layers(cairn_capture_image(findings->audit->session->capture));
    size_t in_doubt = 0, other = 0;

    for (size_t i = 0; i < source->missing.count; i++) {
        const struct layers_there there =
            layers_at(layers, &source->missing.items[i], cairn_config_source(source->config));

        in_doubt += there.is_one_of_two;
        other += there.is_other || !there.is_one_of_two;
    }
    if (in_doubt && !other)
        return "no file helps: either of two may have been there, and which is not known "
               "(" CLI_IMAGE_CHANGED
               "). Record with timestamps of the kernel's clock (perf record -e "
               "cs_etm/timestamp/), or in shorter parts";
    if (in_doubt)
        return "give the program or library that was loaded there (--image FILE.elf@LOAD_OFFSET, "
               "--sysroot); where either of two may have been (" CLI_IMAGE_CHANGED
               ") no file helps, but recording with timestamps of the kernel's clock";
    if (is_of_strangers(findings->audit->session->capture, source))
        return "the trace is of threads of which the recording does not tell: in a container it has "
               "other numbers than the trace, which has the system's. Record outside of the container, or "
               "a single process, or give the program with --image FILE.elf@LOAD_OFFSET";
    return layers->count
               ? "give the program or library that was loaded there: --image FILE.elf, "
                 "--image FILE.elf@LOAD_OFFSET (position independent) or --image "
                 "DUMP.bin@ADDRESS"
               : "the capture has no image at all: give the program with --image FILE.elf or "
                 "--image DUMP.bin@ADDRESS";
}
