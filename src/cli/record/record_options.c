/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/record/record.h"

enum {
    KEY_FOLDER = 'o',
    KEY_SYSROOT = 'L',
    KEY_TARMAC = CLI_OWN_KEY,
    KEY_EMBED,
    KEY_FORCE,
    KEY_FINISH,
    KEY_INDEX,
    KEY_NO_INDEX,
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
    KEY_IMAGE,
    KEY_DUMP,
    KEY_SEED,
    KEY_CPU,
    KEY_MACHINE,
    KEY_LIMIT,
    KEY_KERNEL,
    KEY_INITRD,
    KEY_APPEND,
    KEY_CORES,
    KEY_MEMORY,
    KEY_DISK,
    KEY_QEMU,
    KEY_QEMU_ARGUMENT,
    KEY_PLUGIN,
    KEY_TRBE,
    KEY_PMU,
    KEY_QUIET,
};

const struct cli_option cli_record_options[] = {
    {"output", KEY_FOLDER | CLI_FIRST, "FOLDER",
     "Where the capture goes: a folder that does not exist yet, or is empty. Required."},
    {"force", KEY_FORCE | CLI_FIRST, NULL, "Replace FOLDER if it holds an earlier recording."},
    {"finish", KEY_FINISH, NULL,
     "Record nothing: make a capture of what a recording left in FOLDER that could not be\n"
     "finished, because `cairn record` itself was killed, or the disk was full."},
    {"index", KEY_INDEX, NULL,
     "When the program has ended, write an index of each trace of 16 MiB and more, by which\n"
     "`cairn flow --function` and `--around NAME` find what they list at once. It takes about a\n"
     "tenth of the time of the recording. Without a program: of the recording that is in FOLDER.\n"
     "Traces of 128 MiB and more have one unless --no-index is given."},
    {"no-index", KEY_NO_INDEX, NULL, "Write no index, however long a trace is."},
    {"tarmac", KEY_TARMAC | CLI_FIRST, "LOG",
     "Instead of running a program, read what was executed from a TARMAC log (Fast Models and FVP,\n"
     "gem5, Cycle Models): a file, or - for standard input. One source a CPU, with exceptions and\n"
     "Exception levels."},
    {"machine", KEY_MACHINE | CLI_FIRST, "BOARD",
     "PROGRAM is firmware for this board of qemu-system-arm (-M) with a Cortex-M, such as microbit\n"
     "or mps2-an385; with --protocol mtb (default) or, but for Armv8-M, etmv3. virt has cores of A\n"
     "profile: all of a kernel (--kernel), or of firmware for AArch64, is traced, at all levels."},
    {"kernel", KEY_KERNEL, "FILE",
     "With --machine virt: the Linux kernel that it runs, an Image, with the programs on it. The\n"
     "machine is qemu-system-aarch64's; virt,virtualization=on begins at EL2, virt,secure=on at\n"
     "EL3. Each core has a source, and the terminal is the machine's console. With --protocol ete\n"
     "(default) or etmv4. Without --kernel PROGRAM is firmware, an ELF file for AArch64."},
    {"initrd", KEY_INITRD, "FILE", "And the kernel's first files."},
    {"append", KEY_APPEND, "TEXT", "Words for the kernel's command line, behind console=ttyAMA0."},
    {"cores", KEY_CORES, "N", "With --machine virt: how many cores it has; default 1."},
    {"memory", KEY_MEMORY, "MEGABYTES", "The same of its memory; default 512."},
    {"disk", KEY_DISK, "FILE",
     "A disk (/dev/vda) with the bytes of FILE, which what runs changes; for --machine virt."},
    {"limit", KEY_LIMIT, "N",
     "End the machine after N instructions; --machine virt when so many are traced. Without it\n"
     "the firmware ends it by semihosting, or Ctrl-C does."},
    {"return-stack", KEY_RETURN_STACK, NULL,
     "TRCCONFIGR.RS: leave out the targets of returns that a decoder knows from the call."},
    {"branch-broadcast", KEY_BROADCAST, NULL,
     "TRCCONFIGR.BB: trace the target of every taken branch, direct ones too."},
    {"cycle-counts", KEY_CYCLES | CLI_FIRST, "[=THRESHOLD]",
     "TRCCONFIGR.CCI: count cycles, and tell them when at least THRESHOLD (TRCCCCTLR) have passed.\n"
     "Under QEMU an instruction takes one cycle; a TARMAC log has its own clock."},
    {"timestamps", KEY_TIMESTAMPS, NULL,
     "TRCCONFIGR.TS: timestamps. Under QEMU time is the number of instructions executed."},
    {"context-ids", KEY_CONTEXT_IDS, NULL,
     "TRCCONFIGR.CID: context identifiers. Under QEMU that is the thread's number; of --machine\n"
     "virt CONTEXTIDR_EL1 and, in the VMID, CONTEXTIDR_EL2 (ete)."},
    {"data", KEY_DATA, "address|value|both",
     "Data trace, of ETMv3, ETMv2 and ETMv1 (ETMCR.DataAccess): the address, the value, or both\n"
     "of every load and store of the program."},
    {"sync-period", KEY_SYNC, "BYTES",
     "TRCSYNCPR: synchronise every BYTES bytes of trace, a power of two from 256 to 1048576, or 0\n"
     "for only once. Default 4096. A decoder can begin, or begin again after damage, there only.\n"
     "Of an ETMv2 they are cycles (ETMSYNCFR)."},
    {"include", KEY_INCLUDE | CLI_FIRST, "RANGE",
     "TRCVIIECTLR.INCLUDE: trace only blocks that touch these addresses: of a function\n"
     "(parse_input, libc.so.6:memcpy, a.c:helper), a source line (input.c:120), or from one place\n"
     "to another (main..main+0x40). Names in files that are loaded anywhere are looked up when the\n"
     "file is mapped. May be given several times; a unit has comparators for 8 ranges in all."},
    {"exclude", KEY_EXCLUDE, "RANGE",
     "TRCVIIECTLR.EXCLUDE: do not trace blocks that lie within these addresses."},
    {"start", KEY_START, "PLACE",
     "TRCVISSCTLR.START: trace from this instruction on, whatever it calls: main, main+0x40,\n"
     "input.c:120, libc.so.6:exit, 0x400600. May be given several times. Tracing of a thread is\n"
     "off until it executes one; a thread that it creates while it is traced is traced from its\n"
     "first instruction on."},
    {"stop", KEY_STOP, "PLACE", "TRCVISSCTLR.STOP: and up to this one."},
    {"image", KEY_IMAGE, "FILE[@ADDRESS]",
     "With --tarmac, or --machine: an ELF file whose names --include, --exclude, --start and\n"
     "--stop may use, ADDRESS added to its own. May be given several times."},
    {"trbe", KEY_TRBE, "SETTINGS",
     "Besides, what a trace buffer in memory (TRBE) would hold, and its registers, in FOLDER:\n"
     "SOURCE.trbe.bin and SOURCE.trbe.ini, a capture of their own (--config). SETTINGS, with\n"
     "commas between: size=BYTES (4096 to 1G), base=ADDRESS, mode=fill|wrap|circular (at the end\n"
     "of the buffer it stops, which is the default, interrupts, or just goes on), trigger=BYTES\n"
     "(TRBTRG_EL1: so many behind ETEEvent 0), on-trigger=stop|irq|ignore, irq=N: software\n"
     "empties the buffer N instructions after an interrupt; fault=KIND@BYTES[:fix], several:\n"
     "what a write at that place of the buffer meets (translation, permission, access-flag,\n"
     "abort, late-abort); with :fix software mends it after the interrupt, and goes on;\n"
     "reset=anew|stay: at a reset of the core, which disables it, it begins anew (default), or\n"
     "nobody enables it again, and what is in it stays."},
    {"pmu", KEY_PMU, "EVENT,...",
     "Count these events of the Performance Monitors, by name or number (INST_RETIRED, 0x21,\n"
     "TRB_WRAP), at most 31. The summary has the totals, SOURCE.pe.ini those of a source. With\n"
     "none there are counters, and all of them are off."},
    {"dump-config", KEY_DUMP, NULL,
     "Show the registers that all this comes to, and record nothing. Each line can be given back\n"
     "with --set."},
    {"seed", KEY_SEED, "N",
     "Make runs alike: no address randomisation, and N as the seed of what the system calls\n"
     "random. A program with one thread then executes the same instructions each time, unless\n"
     "time or input differ."},
    {"sysroot", KEY_SYSROOT, "FOLDER",
     "Where a dynamically linked program finds its interpreter and libraries (QEMU's -L).\n"
     "Default: /, or the cross compiler's folder (/usr/aarch64-linux-gnu ...) when the\n"
     "interpreter is there."},
    {"embed-debug", KEY_EMBED, NULL,
     "Copy the files that the code is from into the capture, with their symbols and debug\n"
     "information, so that it can be moved to another machine and still has names and lines."},
    {"cpu", KEY_CPU, "NAME",
     "The CPU that QEMU emulates (its -cpu). Default: QEMU's, max; of a core before ARMv7\n"
     "arm926 or arm1136, so that what it has not is an illegal instruction; of --machine virt\n"
     "cortex-a72."},
    {"qemu", KEY_QEMU, "PROGRAM",
     "The emulator, with plugin support. Default: qemu-aarch64 or qemu-arm, whichever the program\n"
     "is for."},
    {"qemu-argument", KEY_QEMU_ARGUMENT, "ARGUMENT",
     "One more argument for QEMU. May be given several times."},
    {"plugin", KEY_PLUGIN, "FILE", "Cairn's plugin for QEMU, where it is not in its usual place."},
    {"quiet", KEY_QUIET, NULL, "No progress and no summary on standard error; errors only."},
    {NULL, 0, NULL, NULL},
};

bool cli_record_wrong(const char *command, const char *option, const char *argument,
                      const char *expected)
{
    fprintf(stderr, "cairn %s: --%s %s: expected %s. See `cairn %s --help`.\n", command, option,
            argument, expected, command);
    return false;
}

bool cli_record_take_filter(struct cli_record *record, const char *command,
                            enum cairn_filter_use use, const char *argument)
{
    if (record->filter_count == CLI_FILTERS_MOST)
        return cli_record_wrong(command, cairn_filter_name(use), argument,
                                "at most 64 of --include, --exclude, --start and --stop");
    record->filters[record->filter_count++] = (struct cli_filter){use, argument};
    return true;
}

bool cli_record_take_seed(struct cli_record *record, const char *command, const char *argument)
{
    record->fixed = true;
    return (cli_number(argument, &record->seed) && record->seed <= UINT32_MAX) ||
           cli_record_wrong(command, "seed", argument, "a number of at most 32 bits");
}

bool cli_record_take_limit(struct cli_record *record, const char *command, const char *argument)
{
    return (cli_number(argument, &record->limit) && record->limit > 0) ||
           cli_record_wrong(command, "limit", argument, "a number of instructions");
}

static bool wrong(const char *option, const char *argument, const char *expected)
{
    return cli_record_wrong("record", option, argument, expected);
}

static bool take_filter(struct cli_record *record, enum cairn_filter_use use, const char *argument)
{
    return cli_record_take_filter(record, "record", use, argument);
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

static bool add_to_list(struct cli_list *list, const char *option, const char *argument)
{
    const char **grown = realloc(list->items, (list->count + 1) * sizeof *grown);

    if (!grown)
        return wrong(option, argument, "more memory");
    grown[list->count++] = argument;
    list->items = grown;
    return true;
}

static bool take_around(struct cli_record *record, const char *option, const char *argument,
                        cairn_status read(struct cairn_around_settings *, const char *,
                                          struct cairn_error *))
{
    struct cairn_error error = {0};

    if (read(&record->around, argument, &error) == CAIRN_OK)
        return true;
    fprintf(stderr, "cairn record: --%s: %s. See `cairn record --help-all`.\n", option, error.text);
    return false;
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
    case KEY_INDEX:
        record->index = true;
        record->no_index = false;
        break;
    case KEY_NO_INDEX:
        record->index = false;
        record->no_index = true;
        break;
    case KEY_RETURN_STACK: record->return_stack = true; break;
    case KEY_BROADCAST: record->branch_broadcast = true; break;
    case KEY_CYCLES: return take_cycles(record, argument);
    case KEY_TIMESTAMPS: record->timestamps = true; break;
    case KEY_CONTEXT_IDS: record->context_ids = true; break;
    case KEY_DATA: return take_data(record, argument);
    case KEY_SYNC: return take_sync(record, argument);
    case KEY_INCLUDE: return take_filter(record, CAIRN_FILTER_INCLUDE, argument);
    case KEY_EXCLUDE: return take_filter(record, CAIRN_FILTER_EXCLUDE, argument);
    case KEY_START: return take_filter(record, CAIRN_FILTER_START, argument);
    case KEY_STOP: return take_filter(record, CAIRN_FILTER_STOP, argument);
    case KEY_IMAGE: return add_to_list(&record->images, "image", argument);
    case KEY_DUMP: record->dump_config = true; break;
    case KEY_SEED: return cli_record_take_seed(record, "record", argument);
    case KEY_SYSROOT: record->sysroot = argument; break;
    case KEY_EMBED: record->embed_debug = true; break;
    case KEY_CPU: record->cpu = argument; break;
    case KEY_MACHINE: record->machine = argument; break;
    case KEY_KERNEL: record->kernel = argument; break;
    case KEY_INITRD: record->initrd = argument; break;
    case KEY_APPEND: record->append = argument; break;
    case KEY_CORES: record->cores = argument; break;
    case KEY_MEMORY: record->memory = argument; break;
    case KEY_DISK: record->disk = argument; break;
    case KEY_LIMIT: return cli_record_take_limit(record, "record", argument);
    case KEY_QEMU: record->qemu = argument; break;
    case KEY_QEMU_ARGUMENT: return add_to_list(&record->qemu_arguments, "qemu-argument", argument);
    case KEY_PLUGIN: record->plugin = argument; break;
    case KEY_TRBE:
        record->trbe = argument;
        return take_around(record, "trbe", argument, cairn_around_read_buffer);
    case KEY_PMU:
        record->pmu = argument;
        return take_around(record, "pmu", argument, cairn_around_read_events);
    case KEY_QUIET: record->quiet = true; break;
    }
    return true;
}

void cli_record_free(struct cli_options *options)
{
    if (options->record) {
        free(options->record->qemu_arguments.items);
        free(options->record->images.items);
    }
    free(options->record);
}
