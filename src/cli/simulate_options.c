/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>

#include "cli/simulate.h"

enum {
    KEY_FOLDER = 'o',
    KEY_PROTOCOL = CLI_OWN_KEY,
    KEY_FORCE,
    KEY_CAPTURE,
    KEY_TARMAC,
    KEY_IMAGE,
    KEY_CORE,
};

const struct cli_option cli_simulate_options[] = {
    CLI_PROGRAMMED_PROTOCOL(KEY_PROTOCOL),
    {"capture", KEY_CAPTURE | CLI_FIRST, "CAPTURE",
     "What some processor did is the flow of this capture: a snapshot, or a recording."},
    {"output", KEY_FOLDER | CLI_FIRST, "FOLDER", "Write the trace there, as a capture."},
    {"force", KEY_FORCE, NULL, "Replace FOLDER if it holds an earlier recording."},
    {"image", KEY_IMAGE, "FILE[@ADDRESS]", "Memory of the traced program, as `cairn flow` takes it."},
    {"core", KEY_CORE, "NAME", "The core type of the simulated trace unit."},
    {0},
};

bool cli_simulate_take(struct cli_options *options, int key, const char *argument)
{
    if (!options->simulate)
        options->simulate = calloc(1, sizeof *options->simulate);
    struct cli_simulate *simulate = options->simulate;
    if (!simulate) {
        fputs("cairn simulate: out of memory\n", stderr);
        return false;
    }
    switch (key) {
    case KEY_PROTOCOL:
        options->programming.protocol = cli_programmed_protocol(argument);
        return options->programming.protocol != CAIRN_PROTOCOL_UNKNOWN;
    case KEY_CAPTURE: simulate->feed = argument; break;
    case KEY_FOLDER: simulate->folder = argument; break;
    case KEY_FORCE: options->force = true; break;
    case KEY_IMAGE: return cli_list_add(&options->images, argument);
    case KEY_CORE: options->open.core = argument; break;
    }
    return true;
}

void cli_simulate_free(struct cli_options *options)
{
    free(options->simulate);
}
