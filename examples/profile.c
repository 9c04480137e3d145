/* SPDX-License-Identifier: BSD-2-Clause */
/* A profiler: how many instructions each function of a capture executed.
 *
 * usage: example-profile CAPTURE [ELF] */
#include <inttypes.h>
#include <string.h>

#include "source.h"

#define FUNCTIONS 4096

struct profile {
    struct cairn_space *space; /* memory as the core sees it at `place` */
    struct cairn_place place;
    const char *name[FUNCTIONS]; /* NULL behind the last */
    uint64_t instructions[FUNCTIONS];
};

static cairn_status add(struct profile *profile, uint64_t address)
{
    struct cairn_symbol symbol = {.size = sizeof symbol};

    if (cairn_symbolize(profile->space, address, &symbol) || !symbol.function)
        symbol.function = "?";
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (!profile->name[i] || !strcmp(profile->name[i], symbol.function)) {
            profile->name[i] = symbol.function;
            profile->instructions[i]++;
            return CAIRN_OK;
        }
    return CAIRN_E_LIMIT;
}

/* Each instruction of a range: code may run from one function into the next. */
static cairn_status take(void *context, const struct cairn_each_record *record)
{
    const uint32_t count = record->kind == CAIRN_FLOW_RANGE ? record->instructions : 0;
    struct profile *profile = context;
    struct cairn_insn insn = {.size = 0};
    uint64_t at = record->address;

    if (record->kind == CAIRN_FLOW_CONTEXT)
        profile->place = cairn_flow_place((uint32_t)record->source, 0, at, record->value);
    profile->place.offset = record->offset;
    cairn_status status = cairn_space_select(profile->space, &profile->place);
    for (uint32_t i = 0; i < count && !status; i++, at += insn.size)
        status = cairn_space_insn(profile->space, cairn_config_arch(record->config),
                                  (enum cairn_isa)record->isa, at, &insn)
                     ? add(profile, at)
                     : CAIRN_E_NOT_FOUND;
    return status;
}

int main(int argc, char **argv)
{
    struct cairn_capture *capture = open_capture(argc > 2 ? 2 : argc, argv);
    static struct profile profile;
    struct cairn_error error = {0};

    if (argc > 2)
        must(cairn_image_add_elf(cairn_capture_image(capture), argv[2], 0, NULL, &error), &error);
    must(cairn_space_new(cairn_capture_image(capture), &profile.space), NULL);
    must(cairn_capture_each(capture, NULL, take, &profile, &error), &error);
    for (size_t i = 0; i < FUNCTIONS && profile.name[i]; i++)
        printf("%12" PRIu64 "  %s\n", profile.instructions[i], profile.name[i]);
    cairn_space_free(profile.space);
    cairn_capture_free(capture);
    return 0;
}
