/* SPDX-License-Identifier: BSD-2-Clause */
/* A profiler: how many instructions each function of a capture executed.
 *
 * usage: example-profile CAPTURE [ELF] */
#include <inttypes.h>
#include <string.h>

#include "source.h"

#define FUNCTIONS 4096

struct profile {
    struct cairn_space *space;
    const char *name[FUNCTIONS];
    uint64_t instructions[FUNCTIONS];
    size_t count;
};

static void add(struct profile *profile, uint64_t address, uint64_t times)
{
    struct cairn_symbol symbol = {.size = sizeof symbol};
    size_t i = 0;

    if (cairn_symbolize(profile->space, address, &symbol) || !symbol.function)
        symbol.function = "?";
    while (i < profile->count && strcmp(profile->name[i], symbol.function))
        i++;
    if (i == FUNCTIONS)
        return;
    profile->count += i == profile->count;
    profile->name[i] = symbol.function;
    profile->instructions[i] += times;
}

/* Each instruction: code may run from one function into the next. */
static void add_range(struct profile *profile, unsigned isa, uint64_t address, uint32_t count,
                      uint64_t times)
{
    const struct cairn_arch arch = cairn_arch_any_a();
    struct cairn_insn insn;

    for (uint32_t i = 0; i < count; i++) {
        add(profile, address, times);
        if (!cairn_space_insn(profile->space, &arch, (enum cairn_isa)isa, address, &insn))
            return;
        address += insn.size;
    }
}

/* Paths are counted: each is looked at once, however often it was executed. */
static cairn_status take_paths(void *profile, const struct cairn_dictionary *dictionary,
                               const uint64_t *counts, size_t count)
{
    size_t n;
    const struct cairn_path *path = cairn_dictionary_paths(dictionary, &n);
    const struct cairn_code_block *block = cairn_dictionary_blocks(dictionary, &n);
    const uint32_t *steps = cairn_dictionary_steps(dictionary, &n);

    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; counts[i] && k < path[i].steps; k++) {
            const struct cairn_code_block *one = &block[steps[path[i].first + k] >> 1];
            add_range(profile, one->isa, one->address, one->instructions, counts[i]);
        }
    return CAIRN_OK;
}

/* What is in no path: ranges before an exception, for one. */
static cairn_status take_events(void *profile, const struct cairn_flow_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        if (batch->kind[i] == CAIRN_FLOW_RANGE)
            add_range(profile, batch->isa[i], batch->address[i], batch->instructions[i], 1);
    return CAIRN_OK;
}

int main(int argc, char **argv)
{
    struct cairn_capture *capture = open_capture(argc > 2 ? 2 : argc, argv);
    const struct cairn_place anywhere = {.security = CAIRN_NONSECURE};
    struct cairn_source_info info = {.size = sizeof info};
    static struct profile profile;
    struct cairn_error error = {0};

    if (argc > 2)
        must(cairn_image_add_elf(cairn_capture_image(capture), argv[2], 0, NULL, &error), &error);
    must(cairn_space_new(cairn_capture_image(capture), &profile.space), NULL);
    must(cairn_space_select(profile.space, &anywhere), NULL);
    for (size_t i = 0; !cairn_capture_source(capture, i, &info); i++) {
        struct cairn_pipeline_options options = CAIRN_PIPELINE_OPTIONS_INIT;
        const struct cairn_consumer consumer = {.size = sizeof consumer,
                                                .context = &profile,
                                                .events = take_events,
                                                .dictionary_ends = take_paths};
        struct cairn_pipeline *pipeline = NULL;
        if (!cairn_protocol_decodes(info.protocol))
            continue;
        options.flags = CAIRN_PIPELINE_COUNTS | CAIRN_PIPELINE_NO_PLACES;
        must(cairn_pipeline_new(capture, i, NULL, NULL, &options, &pipeline, &error), &error);
        must(cairn_pipeline_add(pipeline, &consumer), NULL);
        must(cairn_pipeline_run(pipeline), NULL);
        cairn_pipeline_free(pipeline);
    }
    for (size_t i = 0; i < profile.count; i++)
        printf("%12" PRIu64 "  %s\n", profile.instructions[i], profile.name[i]);
    cairn_space_free(profile.space);
    cairn_capture_free(capture);
    return 0;
}
