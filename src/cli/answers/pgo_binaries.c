/* SPDX-License-Identifier: BSD-2-Clause */
/* Which of the binaries that were executed a profile is of. */
#include <string.h>

#include "cli/answers/pgo_input.h"
#include "cli/answers/pgo_run.h"

bool cli_pgo_is_by_name(enum cli_pgo_format format)
{
    return format == CLI_PGO_LLVM || format == CLI_PGO_BOLT;
}

#define BUILD_ID_LEAST 8 /* digits */

bool cli_pgo_is_called(const char *path, const char *build_id, const char *name)
{
    const size_t length = strlen(name), whole = strlen(path);

    if (length && length <= whole && !strcmp(path + whole - length, name) &&
        (length == whole || name[0] == '/' || path[whole - length - 1] == '/'))
        return true;
    return length >= BUILD_ID_LEAST && build_id && !strncmp(build_id, name, length);
}

void cli_pgo_mark_recorded(const struct cairn_capture *capture, struct cairn_pgo *pgo)
{
    struct cairn_program_info program = {.size = sizeof program};

    if (cairn_capture_program(capture, &program) || !program.path)
        return;
    for (uint32_t i = 0; i < pgo->binary_count; i++)
        pgo->binaries[i].is_recorded = !strcmp(pgo->binaries[i].path, program.path);
}

/* What was recorded, and of that what was executed most. */
static uint32_t main_binary(const struct cairn_pgo *pgo)
{
    uint32_t most = 0;

    for (uint32_t i = 1; i < pgo->binary_count; i++) {
        const struct cairn_pgo_binary *const one = &pgo->binaries[i], *const best =
                                                                          &pgo->binaries[most];

        if (one->is_recorded != best->is_recorded ? one->is_recorded
                                                  : one->executed > best->executed)
            most = i;
    }
    return most;
}

static void list_binaries(const struct pgo_run *run)
{
    for (uint32_t i = 0; i < run->pgo.binary_count; i++)
        cli_session_say(run->session, "  %s%s%s", run->pgo.binaries[i].path,
                        run->pgo.binaries[i].build_id ? ", build-id " : "",
                        run->pgo.binaries[i].build_id ? run->pgo.binaries[i].build_id : "");
}

enum cli_exit cli_pgo_choose(struct pgo_run *run)
{
    const struct cli_pgo *const options = &run->session->options->pgo;
    size_t chosen = 0;

    if (options->binary) {
        for (uint32_t i = 0; i < run->pgo.binary_count; i++) {
            struct cairn_pgo_binary *const binary = &run->pgo.binaries[i];

            binary->chosen = cli_pgo_is_called(binary->path, binary->build_id, options->binary);
            chosen += binary->chosen;
        }
        if (chosen)
            return CLI_CLEAN;
        cli_session_say(run->session, "--binary %s: none of these was executed:", options->binary);
        list_binaries(run);
        return CLI_UNUSABLE;
    }
    if (run->pgo.binary_count < 2 || options->format == CLI_PGO_JSON)
        return CLI_CLEAN;
    if (cli_pgo_is_by_name(options->format)) {
        if (run->session->capture)
            cli_pgo_mark_recorded(run->session->capture, &run->pgo);
        const uint32_t one = main_binary(&run->pgo);

        for (uint32_t i = 0; i < run->pgo.binary_count; i++)
            run->pgo.binaries[i].chosen = i == one;
        cli_session_say(run->session,
                        "the profile is that of %s; --binary NAME chooses another of these:",
                        run->pgo.binaries[one].path);
    } else {
        cli_session_say(run->session,
                        "%zu binaries were executed, and most readers take one at a time: --binary "
                        "NAME chooses one of these:",
                        run->pgo.binary_count);
    }
    list_binaries(run);
    return CLI_CLEAN;
}
