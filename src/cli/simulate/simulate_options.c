/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>

#include "cli/simulate/simulate.h"

#define FIFO_MOST (1u << 24)
#define CLOCK_MOST UINT64_C(1000000000000)

enum {
    KEY_FOLDER = 'o',
    KEY_SYSROOT = 'L',
    KEY_PROTOCOL = CLI_OWN_KEY,
    KEY_FORCE,
    KEY_CAPTURE,
    KEY_TARMAC,
    KEY_IMAGE,
    KEY_CORE,
    KEY_SET,
    KEY_CONFIG,
    KEY_LIST,
    KEY_EVENTS,
    KEY_KEEP_EVENTS,
    KEY_CLOCK,
    KEY_FIFO,
    KEY_DRAIN,
    KEY_INCLUDE,
    KEY_EXCLUDE,
    KEY_START,
    KEY_STOP,
    KEY_MACHINE,
    KEY_LIMIT,
    KEY_SEED,
};

const struct cli_option cli_simulate_options[] = {
    {"protocol", KEY_PROTOCOL | CLI_FIRST, "ete|etmv4|ptm|etmv3|etmv2|etmv1|mtb",
     "What kind of trace unit: ete, etmv4, ptm, etmv3, etmv2, etmv1 or mtb. Default: what the\n"
     "file says, or what registers of these names and values are of; of two, ete before etmv4,\n"
     "ptm before etmv3."},
    {"capture", KEY_CAPTURE | CLI_FIRST, "CAPTURE",
     "The processor did what this capture says: its flow is told to the unit. A snapshot or a\n"
     "recording; a raw buffer with --config. Registers that are not given are the capture's own,\n"
     "if the unit is of the same kind and no FILE is given."},
    {"tarmac", KEY_TARMAC | CLI_FIRST, "LOG",
     "The processor did what this TARMAC log lists (`cairn record --tarmac`)."},
    {"output", KEY_FOLDER | CLI_FIRST, "FOLDER",
     "Write the trace there, as a capture: a folder that does not exist yet, or is empty."},
    {"force", KEY_FORCE, NULL, "Replace FOLDER if it holds an earlier recording."},
    {"list", KEY_LIST | CLI_FIRST, NULL,
     "Each run of instructions that are traced, or not for one reason, in order."},
    {"events", KEY_EVENTS | CLI_FIRST, NULL,
     "What the resources did, in order: external outputs (ETEEvents), counters that reload or\n"
     "come to 0, steps of the sequencer, single-shot comparators that fire (ETE, ETMv4)."},
    {"clock", KEY_CLOCK, "HZ",
     "Tell bytes a second at this clock of the core: a number, or with k, M or G behind it. Where\n"
     "the feed has no cycle counts an instruction takes one cycle."},
    {"fifo", KEY_FIFO, "BYTES",
     "The unit has a FIFO of so many bytes, 64 at least, and overflows when it is full."},
    {"drain", KEY_DRAIN, "BYTES",
     "So many bytes leave the FIFO in 16 cycles of the core. Default: 16."},
    {"set", KEY_SET, "REG=VALUE", "A register, as a word REG=VALUE."},
    {"include", KEY_INCLUDE, "RANGE",
     "Program the unit to trace only blocks that touch these addresses, by names as\n"
     "`cairn record --include` takes them; and so the next three."},
    {"exclude", KEY_EXCLUDE, "RANGE", "... not to trace blocks that lie within these addresses."},
    {"start", KEY_START, "PLACE", "... to start at this instruction."},
    {"stop", KEY_STOP, "PLACE", "... and to stop at this one."},
    {"image", KEY_IMAGE, "FILE[@ADDRESS]",
     "Of a capture: memory of the traced program, as `cairn flow` takes it. Of a log: an ELF file\n"
     "that has names. May be given several times."},
    {"core", KEY_CORE, "NAME",
     "The core type that the written capture names, such as Cortex-A53. Default: the capture's."},
    {"config", KEY_CONFIG, "FILE",
     "Of a raw buffer as --capture: an INI file that says what it holds (docs/formats.md)."},
    {"keep-events", KEY_KEEP_EVENTS, NULL,
     "Events in the capture's flow occur in the unit, by their numbers: to convert a capture.\n"
     "Else they are left out: they are what another unit's resources made."},
    {"machine", KEY_MACHINE, "BOARD",
     "PROGRAM is firmware for this board (`cairn record --machine`)."},
    {"limit", KEY_LIMIT, "N", "End the machine after N instructions."},
    {"sysroot", KEY_SYSROOT, "FOLDER",
     "Where PROGRAM finds its interpreter and libraries, or where the files of a recording are."},
    {"seed", KEY_SEED, "N", "Make runs of PROGRAM alike (`cairn record --seed`)."},
    {0},
};

static bool wrong(const char *option, const char *argument, const char *expected)
{
    return cli_record_wrong("simulate", option, argument, expected);
}

static bool take_filter(struct cli_record *record, enum cairn_filter_use use, const char *argument)
{
    return cli_record_take_filter(record, "simulate", use, argument);
}

/* "1000000", "800k", "50M", "1.5G" */
static bool take_clock(struct cli_simulate *simulate, const char *argument)
{
    char *end;
    const double number = strtod(argument, &end);
    double factor = 1;

    switch (*end) {
    case 'k':
    case 'K': factor = 1e3; break;
    case 'M': factor = 1e6; break;
    case 'G': factor = 1e9; break;
    case '\0': break;
    default: factor = 0; break;
    }
    if (end == argument || (*end && end[1]) || !(number * factor >= 1) ||
        number * factor > (double)CLOCK_MOST)
        return wrong("clock", argument, "a frequency in hertz, such as 800M or 1.5G");
    simulate->clock = (uint64_t)(number * factor);
    return true;
}

static bool take_bytes(uint32_t *bytes, const char *option, const char *argument, uint32_t least)
{
    uint64_t number;

    if (!cli_number(argument, &number) || number < least || number > FIFO_MOST)
        return wrong(option, argument,
                     least ? "a number of bytes from 64 to 16777216"
                           : "a number of bytes, at most 16777216");
    *bytes = (uint32_t)number;
    return true;
}

static bool take_set(struct cli_options *options, const char *argument)
{
    if (!cli_programmed_is_word(argument))
        return wrong("set", argument, "REGISTER=VALUE, such as TRCCONFIGR=0x10c1");
    return cli_list_add(&options->programming.words, argument);
}

#define FIFO_LEAST 64u
#define DRAIN_DEFAULT 16u

bool cli_simulate_take(struct cli_options *options, int key, const char *argument)
{
    struct cli_simulate *simulate = options->simulate;

    if (!simulate) {
        simulate = options->simulate = calloc(1, sizeof *simulate);
        if (!simulate)
            return wrong("capture", "", "more memory");
        simulate->record.fifo_drain = DRAIN_DEFAULT;
    }
    struct cli_record *record = &simulate->record;
    switch (key) {
    case KEY_PROTOCOL:
        options->programming.protocol = cli_programmed_protocol(argument);
        return options->programming.protocol != CAIRN_PROTOCOL_UNKNOWN;
    case KEY_CAPTURE: simulate->feed = argument; break;
    case KEY_TARMAC: record->tarmac = argument; break;
    case KEY_FOLDER: record->folder = argument; break;
    case KEY_FORCE: record->force = true; break;
    case KEY_LIST: simulate->list = true; break;
    case KEY_EVENTS: simulate->events = true; break;
    case KEY_KEEP_EVENTS: simulate->keep_events = true; break;
    case KEY_CLOCK: return take_clock(simulate, argument);
    case KEY_FIFO: return take_bytes(&record->fifo_bytes, "fifo", argument, FIFO_LEAST);
    case KEY_DRAIN: return take_bytes(&record->fifo_drain, "drain", argument, 0);
    case KEY_SET: return take_set(options, argument);
    case KEY_INCLUDE: return take_filter(record, CAIRN_FILTER_INCLUDE, argument);
    case KEY_EXCLUDE: return take_filter(record, CAIRN_FILTER_EXCLUDE, argument);
    case KEY_START: return take_filter(record, CAIRN_FILTER_START, argument);
    case KEY_STOP: return take_filter(record, CAIRN_FILTER_STOP, argument);
    case KEY_IMAGE:
        return cli_list_add(&options->images, argument) && cli_list_add(&record->images, argument);
    case KEY_CORE: options->open.core = argument; break;
    case KEY_CONFIG: options->open.config_path = argument; break;
    case KEY_MACHINE: record->machine = argument; break;
    case KEY_LIMIT: return cli_record_take_limit(record, "simulate", argument);
    case KEY_SYSROOT: options->open.sysroot = record->sysroot = argument; break;
    case KEY_SEED: return cli_record_take_seed(record, "simulate", argument);
    }
    return true;
}

void cli_simulate_free(struct cli_options *options)
{
    if (options->simulate)
        free(options->simulate->record.images.items);
    free(options->simulate);
}
