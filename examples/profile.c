/* SPDX-License-Identifier: BSD-2-Clause */
/* A profiler: how many instructions each function of a capture executed.
 *
 * usage: example-profile CAPTURE [ELF] */
#include <inttypes.h>
#include <string.h>

#include "source.h"

#define FUNCTIONS 4096

struct profile {
    struct cairn_space *space; /* memory as the core sees it now */
    const char *name[FUNCTIONS];
    uint64_t instructions[FUNCTIONS];
    size_t count;
};

static void add(struct profile *profile, uint64_t address)
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
    profile->instructions[i]++;
}

/* Each instruction of a range: code may run from one function into the next. */
static cairn_status take(void *context, const struct cairn_each_record *record)
{
    const struct cairn_arch *arch = cairn_config_arch(record->config);
    const struct cairn_place place =
        cairn_flow_place((uint32_t)record->source, record->offset, record->address, record->value);
    struct profile *profile = context;
    struct cairn_insn insn = {.size = 0};
    uint64_t at = record->address;

    if (record->kind == CAIRN_FLOW_CONTEXT)
        return cairn_space_select(profile->space, &place);
    for (uint32_t i = 0; record->kind == CAIRN_FLOW_RANGE && i < record->instructions; i++) {
        add(profile, at);
        if (cairn_space_insn(profile->space, arch, (enum cairn_isa)record->isa, at, &insn))
            at += insn.size;
    }
    return CAIRN_OK;
}

int main(int argc, char **argv)
{
    struct cairn_capture *capture = open_capture(argc > 2 ? 2 : argc, argv);
    struct cairn_image *image = cairn_capture_image(capture);
    static struct profile profile;
    struct cairn_error error = {0};

    if (argc > 2)
        must(cairn_image_add_elf(image, argv[2], 0, NULL, &error), &error);
    must(cairn_space_new(image, &profile.space), NULL);
    must(cairn_capture_each(capture, NULL, take, &profile, &error), &error);
    for (size_t i = 0; i < profile.count; i++)
        printf("%12" PRIu64 "  %s\n", profile.instructions[i], profile.name[i]);
    cairn_space_free(profile.space);
    cairn_capture_free(capture);
    return 0;
}
