/* SPDX-License-Identifier: BSD-2-Clause */
/* Machines: QEMU's boards with one core of M profile, and the command line that starts one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options/protocols.h"
#include "cli/record/record.h"
#include "protocol/about.h"

/* Boards of QEMU and their cores. What is not here is told with --core. */
static const struct {
    const char *machine;
    const char *core;
} boards[] = {
    {"ast1030-evb", "Cortex-M4"}, {"emcraft-sf2", "Cortex-M3"},   {"lm3s6965evb", "Cortex-M3"},
    {"lm3s811evb", "Cortex-M3"},  {"microbit", "Cortex-M0"},      {"mps2-an385", "Cortex-M3"},
    {"mps2-an386", "Cortex-M4"},  {"mps2-an500", "Cortex-M7"},    {"mps2-an505", "Cortex-M33"},
    {"mps2-an511", "Cortex-M3"},  {"mps2-an521", "Cortex-M33"},   {"mps3-an524", "Cortex-M33"},
    {"mps3-an547", "Cortex-M55"}, {"musca-a", "Cortex-M33"},      {"musca-b1", "Cortex-M33"},
    {"netduino2", "Cortex-M3"},   {"netduinoplus2", "Cortex-M4"}, {"stm32vldiscovery", "Cortex-M3"},
};

const char *cli_record_machine_core(const char *machine)
{
    /* "NAME,property=value", as QEMU takes it */
    const size_t length = strcspn(machine, ",");

    for (size_t i = 0; i < sizeof boards / sizeof boards[0]; i++)
        if (strlen(boards[i].machine) == length && strncmp(boards[i].machine, machine, length) == 0)
            return boards[i].core;
    return NULL;
}

bool cli_record_machine_fits(const struct cli_options *options)
{
    const struct cli_record *record = options->record;
    struct cairn_arch arch;

    if (!record->machine && record->limit) {
        fprintf(stderr, "cairn record: --limit is for a machine (--machine): a program ends by "
                        "itself, or by Ctrl-C\n");
        return false;
    }
    if (cli_record_is_board(record) || record->kernel || record->initrd || record->append ||
        record->cores || record->memory || record->disk)
        return cli_record_board_fits(options);
    if (!record->machine)
        return true;
    if (record->return_stack || record->context_ids) {
        fprintf(stderr, "cairn record: %s: trace units of a Cortex-M have none\n",
                record->return_stack ? "--return-stack" : "--context-ids");
        return false;
    }
    if (record->sysroot || record->tarmac) {
        fprintf(stderr, "cairn record: --machine %s: firmware, for which there is no %s\n",
                record->machine, record->sysroot ? "--sysroot" : "--tarmac");
        return false;
    }
    if (!cli_record_machine_core(record->machine) && !options->open.core) {
        fprintf(
            stderr,
            "cairn record: --machine %s: which core has it? virt and boards with a Cortex-M are "
            "recorded; give it with --core, such as Cortex-M4 (`qemu-system-arm -M help` lists "
            "the boards)\n",
            record->machine);
        return false;
    }
    if (cairn_arch_from_name(cli_record_core(options), &arch) != CAIRN_OK)
        return true; /* which is told later */
    if (arch.profile != CAIRN_PROFILE_M) {
        fprintf(
            stderr,
            "cairn record: --core %s: of machines those whose core is a Cortex-M are recorded, and "
            "virt\n",
            cli_record_core(options));
        return false;
    }
    const struct cairn_about *about = cairn_about(cli_record_protocol(options));
    if (about->last_arch && arch.major > about->last_arch) {
        char word[CLI_PROTOCOLS_TEXT];

        cli_protocols_word(about->id, word);
        fprintf(stderr,
                "cairn record: --protocol %s: cores of Armv8-M (%s) have an ETMv4 instead, which "
                "is not modelled for the M profile; record it with --protocol mtb\n",
                word, cli_record_core(options));
        return false;
    }
    return true;
}

const char *const *cli_record_machine_arguments(bool semihosting)
{
    /* clang-format off */
    static const char *const arguments[] = {
        "-semihosting-config", "enable=on,target=native",
        "-display", "none", "-net", "none", "-monitor", "none", "-serial", "stdio", NULL,
    };
    /* clang-format on */

    return arguments + (semihosting ? 0 : 2);
}

char *cli_record_machine_append(char *const *words)
{
    size_t size = 1;
    char *text;

    for (size_t i = 0; words[i]; i++)
        size += strlen(words[i]) + 1;
    text = calloc(1, size);
    for (size_t i = 0; text && words[i]; i++) {
        if (i > 0)
            strcat(text, " ");
        strcat(text, words[i]);
    }
    return text;
}
