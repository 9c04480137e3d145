/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/record.h"

enum {
    KEY_FOLDER = 'o',
    KEY_SYSROOT = 'L',
    KEY_TARMAC = CLI_OWN_KEY,
    KEY_EMBED,
    KEY_FORCE,
    KEY_FINISH,
    KEY_RETURN_STACK,
    KEY_BROADCAST,
    KEY_CYCLES,
    KEY_TIMESTAMPS,
    KEY_CONTEXT_IDS,
    KEY_DATA,
    KEY_SYNC,
    KEY_INCLUDE,
    KEY_EXCLUDE,
    KEY_START,
    KEY_STOP,
    KEY_DUMP,
    KEY_SEED,
    KEY_CPU,
    KEY_MACHINE,
    KEY_LIMIT,
    KEY_QEMU,
    KEY_QEMU_ARGUMENT,
    KEY_PLUGIN,
    KEY_QUIET,
};

const struct cli_option cli_record_options[] = {
    {"output", KEY_FOLDER, "FOLDER",
     "Where the capture goes: a folder that does not exist yet, or is empty. Required."},
    {"force", KEY_FORCE, NULL, "Replace FOLDER if it holds an earlier recording."},
    {"finish", KEY_FINISH, NULL,
     "Record nothing: make a capture of what a recording left in FOLDER that could not be finished,\n"
     "because `cairn record` itself was killed, or the disk was full."},
    {"tarmac", KEY_TARMAC, "LOG",
     "Instead of running a program, read what was executed from a TARMAC log (Fast Models and FVP,\n"
     "gem5, Cycle Models): a file, or - for standard input. One source a CPU, with exceptions and\n"
     "Exception levels."},
    {"machine", KEY_MACHINE, "BOARD",
     "PROGRAM is firmware: run it on this board of qemu-system-arm (-M), which has a Cortex-M core,\n"
     "such as microbit, mps2-an385 or mps2-an505; of two the first is traced. Exceptions are traced.\n"
     "Its UART is standard input and output, and semihosting is on. With --protocol mtb (default)\n"
     "or, but for Armv8-M, etmv3."},
    {"limit", KEY_LIMIT, "N",
     "End the machine after N instructions. Without it the firmware ends it by semihosting, or\n"
     "Ctrl-C does."},
    {"return-stack", KEY_RETURN_STACK, NULL,
     "TRCCONFIGR.RS: leave out the targets of returns that a decoder knows from the call."},
    {"branch-broadcast", KEY_BROADCAST, NULL,
     "TRCCONFIGR.BB: trace the target of every taken branch, direct ones too."},
    {"cycle-counts", KEY_CYCLES, "[=THRESHOLD]",
     "TRCCONFIGR.CCI: count cycles, and tell them when at least THRESHOLD (TRCCCCTLR) have passed.\n"
     "Under QEMU an instruction takes one cycle; a TARMAC log has its own clock."},
    {"timestamps", KEY_TIMESTAMPS, NULL,
     "TRCCONFIGR.TS: timestamps. Under QEMU time is the number of instructions executed."},
    {"context-ids", KEY_CONTEXT_IDS, NULL,
     "TRCCONFIGR.CID: context identifiers. Under QEMU that is the thread's number."},
    {"data", KEY_DATA, "WHAT",
     "Data trace, of ETMv3 (ETMCR.DataAccess): the address, the value, or both of every load and\n"
     "store of the program."},
    {"sync-period", KEY_SYNC, "BYTES",
     "TRCSYNCPR: synchronise every BYTES bytes of trace, a power of two from 256 to 1048576, or 0\n"
     "for only once. Default 4096. A decoder can begin, or begin again after damage, there only."},
    {"include", KEY_INCLUDE, "FIRST-LAST",
     "TRCVIIECTLR.INCLUDE: trace only blocks that touch these addresses, LAST included. May be\n"
     "given several times; with --exclude at most 8 ranges."},
    {"exclude", KEY_EXCLUDE, "FIRST-LAST",
     "TRCVIIECTLR.EXCLUDE: do not trace blocks that lie within these addresses."},
    {"start", KEY_START, "ADDRESS",
     "TRCVISSCTLR.START: trace from this instruction on, whatever it calls. May be given several\n"
     "times. Tracing is off until one is executed."},
    {"stop", KEY_STOP, "ADDRESS", "TRCVISSCTLR.STOP: and up to this one."},
    {"dump-config", KEY_DUMP, NULL,
     "Show the registers that all this comes to, and record nothing. Each line can be given back\n"
     "with --set."},
    {"seed", KEY_SEED, "N",
     "Make runs alike: no address randomisation, and N as the seed of what the system calls\n"
     "random. A program with one thread then executes the same instructions each time, unless\n"
     "time or input differ."},
    {"sysroot", KEY_SYSROOT, "FOLDER",
     "Where a dynamically linked program finds its interpreter and libraries (QEMU's -L). Default:\n"
     "/, or the cross compiler's folder (/usr/aarch64-linux-gnu ...) when the interpreter is there."},
    {"embed-debug", KEY_EMBED, NULL,
     "Copy the files that the code is from into the capture, with their symbols and debug\n"
     "information, so that it can be moved to another machine and still has names and lines."},
    {"cpu", KEY_CPU, "NAME", "The CPU that QEMU emulates (its -cpu). Default: QEMU's, max."},
    {"qemu", KEY_QEMU, "PROGRAM",
     "The emulator, with plugin support. Default: qemu-aarch64 or qemu-arm, whichever the program\n"
     "is for."},
    {"qemu-argument", KEY_QEMU_ARGUMENT, "ARGUMENT",
     "One more argument for QEMU. May be given several times."},
    {"plugin", KEY_PLUGIN, "FILE", "Cairn's plugin for QEMU, where it is not in its usual place."},
    {"quiet", KEY_QUIET, NULL, "No progress and no summary on standard error; errors only."},
    {NULL, 0, NULL, NULL},
};

static bool wrong(const char *option, const char *argument, const char *expected)
{
    fprintf(stderr, "cairn record: --%s %s: expected %s. See `cairn record --help`.\n", option,
            argument, expected);
    return false;
}

static bool take_range(const char *option, const char *argument, struct cli_address_range *ranges,
                       unsigned *count)
{
    static const char expected[] = "FIRST-LAST, such as 0x400600-0x40067c";
    struct cli_address_range *range = &ranges[*count];
    const char *dash = strchr(argument, '-');
    char first[32];

    if (*count == CLI_RECORD_RANGES)
        return wrong(option, argument, "at most 8 ranges: the unit has no more comparators");
    if (!dash || (size_t)(dash - argument) >= sizeof first)
        return wrong(option, argument, expected);
    snprintf(first, sizeof first, "%.*s", (int)(dash - argument), argument);
    if (!cli_number(first, &range->first) || !cli_number(dash + 1, &range->last) ||
        range->first > range->last)
        return wrong(option, argument, expected);
    (*count)++;
    return true;
}

static bool take_address(const char *option, const char *argument, uint64_t *addresses,
                         unsigned *count)
{
    if (*count == CLI_RECORD_ADDRESSES)
        return wrong(option, argument, "at most 16 addresses: the unit has no more comparators");
    if (!cli_number(argument, &addresses[*count]))
        return wrong(option, argument, "an address, such as 0x400600");
    (*count)++;
    return true;
}

static bool take_cycles(struct cli_record *record, const char *argument)
{
    record->cycle_counts = true;
    record->cycle_threshold = UINT64_MAX;
    if (argument &&
        (!cli_number(argument, &record->cycle_threshold) || record->cycle_threshold > 0xfff))
        return wrong("cycle-counts", argument, "a threshold of at most 4095 cycles");
    return true;
}

static bool take_sync(struct cli_record *record, const char *argument)
{
    uint64_t bytes;

    if (!cli_number(argument, &bytes) || (bytes & (bytes - 1)) ||
        (bytes && (bytes < 256 || bytes > (1u << 20))))
        return wrong("sync-period", argument, "a power of two from 256 to 1048576, or 0");
    record->sync_given = true;
    record->sync_period = bytes;
    return true;
}

static bool take_data(struct cli_record *record, const char *argument)
{
    const bool both = strcmp(argument, "both") == 0;

    record->data_addresses = both || strcmp(argument, "address") == 0;
    record->data_values = both || strcmp(argument, "value") == 0;
    return record->data_addresses || record->data_values
               ? true
               : wrong("data", argument, "address, value or both");
}

static bool take_seed(struct cli_record *record, const char *argument)
{
    record->fixed = true;
    return cli_number(argument, &record->seed) && record->seed <= UINT32_MAX
               ? true
               : wrong("seed", argument, "a number of at most 32 bits");
}

static bool take_limit(struct cli_record *record, const char *argument)
{
    return cli_number(argument, &record->limit) && record->limit > 0
               ? true
               : wrong("limit", argument, "a number of instructions");
}

static bool take_qemu_argument(struct cli_record *record, const char *argument)
{
    struct cli_list *list = &record->qemu_arguments;
    const char **grown = realloc(list->items, (list->count + 1) * sizeof *grown);

    if (!grown)
        return wrong("qemu-argument", argument, "more memory");
    grown[list->count++] = argument;
    list->items = grown;
    return true;
}

bool cli_record_take(struct cli_options *options, int key, const char *argument)
{
    struct cli_record *record = options->record;

    if (!record) {
        record = options->record = calloc(1, sizeof *record);
        if (!record)
            return wrong("output", "", "more memory");
    }
    switch (key) {
    case KEY_FOLDER: record->folder = argument; break;
    case KEY_TARMAC: record->tarmac = argument; break;
    case KEY_FORCE: record->force = true; break;
    case KEY_FINISH: record->finish = true; break;
    case KEY_RETURN_STACK: record->return_stack = true; break;
    case KEY_BROADCAST: record->branch_broadcast = true; break;
    case KEY_CYCLES: return take_cycles(record, argument);
    case KEY_TIMESTAMPS: record->timestamps = true; break;
    case KEY_CONTEXT_IDS: record->context_ids = true; break;
    case KEY_DATA: return take_data(record, argument);
    case KEY_SYNC: return take_sync(record, argument);
    case KEY_INCLUDE:
        return take_range("include", argument, record->include, &record->include_count);
    case KEY_EXCLUDE:
        return take_range("exclude", argument, record->exclude, &record->exclude_count);
    case KEY_START: return take_address("start", argument, record->start, &record->start_count);
    case KEY_STOP: return take_address("stop", argument, record->stop, &record->stop_count);
    case KEY_DUMP: record->dump_config = true; break;
    case KEY_SEED: return take_seed(record, argument);
    case KEY_SYSROOT: record->sysroot = argument; break;
    case KEY_EMBED: record->embed_debug = true; break;
    case KEY_CPU: record->cpu = argument; break;
    case KEY_MACHINE: record->machine = argument; break;
    case KEY_LIMIT: return take_limit(record, argument);
    case KEY_QEMU: record->qemu = argument; break;
    case KEY_QEMU_ARGUMENT: return take_qemu_argument(record, argument);
    case KEY_PLUGIN: record->plugin = argument; break;
    case KEY_QUIET: record->quiet = true; break;
    }
    return true;
}

void cli_record_free(struct cli_options *options)
{
    if (options->record)
        free(options->record->qemu_arguments.items);
    free(options->record);
}
