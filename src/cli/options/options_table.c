/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/options/options_table.h"

const struct option_entry cli_option_entries[] = {
    {CLI_TAKES_SOURCE, "source", KEY_SOURCE | CLI_FIRST, "ID",
     "Only this source: its name, its number as `cairn info` shows it, or its trace ID written\n"
     "with 0x. May be given several times."},
    {CLI_TAKES_CAPTURE, "pid", KEY_PID, "N",
     "Only what this process executed, by the number that the system gave it: of perf.data. Trace\n"
     "of several threads is told apart by `flow` and `pgo`. May be given several times."},
    {CLI_TAKES_CAPTURE, "tid", KEY_TID, "N",
     "The same of a thread; of recordings as well. May be given several times."},
    {CLI_TAKES_CAPTURE, "comm", KEY_COMM, "NAME",
     "The same of threads that ever had this name (`cairn info` lists them). May be given several\n"
     "times."},
    {CLI_TAKES_CAPTURE, "cpu", KEY_CPU, "N",
     "Only sources of this processor: cpu_N in `cairn info`. May be given several times."},
    {CLI_TAKES_CAPTURE, "time", KEY_TIME, "FROM,TO",
     "Of perf.data: only parts of the trace (AUX records) that were complete between these\n"
     "times, in seconds as perf script prints them (12.345678,12.5); one of them may be left out.\n"
     "Parts are whole: they begin before they are complete. Of samples, those taken between."},
    {CLI_TAKES_RANGE, "from", KEY_FROM, "OFFSET",
     "Only records of packets at or behind OFFSET, in the source's bytes (decimal or 0x...; with -\n"
     "before it, counted from their end). Decoding begins where all before has no bearing on them."},
    {CLI_TAKES_RANGE, "to", KEY_TO, "OFFSET", "Only records of packets before OFFSET."},
    {CLI_TAKES_MERGE, "merge", KEY_MERGE, "time",
     "One listing of all sources, ordered by the timestamps in the trace. Sources without\n"
     "timestamps follow behind, and a note says so."},
    {CLI_TAKES_RESOLVED, "resolved", KEY_RESOLVED | CLI_FIRST, NULL,
     "Show what is left after speculation and transactions are resolved: cancelled elements\n"
     "gone, Commits and Cancels consumed. Default: the stream as the trace unit generated it."},
    {CLI_TAKES_DETAIL, "ranges", KEY_RANGES | CLI_FIRST, NULL,
     "A line for each range of consecutive instructions, without disassembly."},
    {CLI_TAKES_DETAIL, "summary", KEY_SUMMARY | CLI_FIRST, NULL,
     "Only the totals of each source: instructions, ranges, events, gaps."},
    {CLI_TAKES_DECODER, "jobs", KEY_JOBS, "N",
     "Decode with N threads, 1 to 256. Default: as many as there are processors, 16 at most. What\n"
     "is printed does not depend on it; each takes 8 MiB and more of memory in long captures."},
    {CLI_TAKES_DECODER, "table-memory", KEY_TABLE_MEMORY, "SIZE",
     "Memory for what the decoder remembers of the program's paths, for each source: bytes, or\n"
     "with K, M or G behind the number, 1M to 64G. Default: 64M for each of its threads. What is\n"
     "printed does not depend on it. More helps where a long trace goes through very much code."},
    {CLI_TAKES_DECODER, "reference", KEY_REFERENCE, NULL,
     "Decode packet by packet and element by element, as the specification describes it, by one\n"
     "thread: the same answer, many times slower. To check the fast decoder with."},
    {CLI_TAKES_FORMAT, "format", KEY_FORMAT | CLI_FIRST, "text|json",
     "text (default) or json (JSON lines: one object a line)."},
    {CLI_TAKES_ADDRESSES, "format", KEY_FORMAT | CLI_FIRST, "text|json|addresses|full",
     "text (default), json (JSON lines: one object a line), addresses (one executed instruction\n"
     "a line, for other programs) or full (text with every record, its offsets and opcodes)."},
    {CLI_TAKES_JSON, "json", KEY_JSON, NULL, "The same as --format json."},
    {CLI_TAKES_OUTPUT, "output", KEY_OUTPUT | CLI_FIRST, "FILE",
     "Write to FILE instead of standard output (-). An existing file is kept unless --force is\n"
     "given."},
    {CLI_TAKES_OUTPUT, "force", KEY_FORCE, NULL, "Let --output replace an existing file."},
    {CLI_TAKES_CAPTURE, "image", KEY_IMAGE | CLI_FIRST, "FILE[@ADDRESS]",
     "Memory of the traced program, over what the capture has; but what a recording of cairn\n"
     "record has was executed, and stays. An ELF file goes where its segments say, ADDRESS added\n"
     "to each; a raw dump goes to ADDRESS, which it needs. ADDRESS may be \"auto\": the address is\n"
     "looked for at which the file fits. May be given several times. `cairn check` compares them."},
    {CLI_TAKES_CAPTURE | CLI_TAKES_FILES, "sysroot", KEY_SYSROOT, "FOLDER",
     "Of a recording: where the files that its code is from are looked for, instead of at their\n"
     "places on this machine: a copy of the root of the machine that it was recorded for."},
    {CLI_TAKES_SYMBOLS, "debug-dir", KEY_DEBUG_DIR, "FOLDER",
     "Where such a file, or one with its symbols and debug information, is looked for, by build-id\n"
     "(FOLDER/.build-id/xx/yyy.debug, FOLDER/BUILD-ID/debuginfo, FOLDER/NAME) or .gnu_debuglink;\n"
     "and what -gsplit-dwarf put into other files (FOLDER/NAME.dwo, FOLDER/PROGRAM.dwp).\n"
     "Besides /usr/lib/debug and debuginfod's cache; nothing is fetched. Several are allowed."},
    {CLI_TAKES_CAPTURE, "vmlinux", KEY_VMLINUX, "FILE",
     "Of a perf.data file with the kernel in its trace: the kernel's ELF file. It is put where the\n"
     "kernel was (KASLR), and refused if its build-id is another. Without it one is looked for by\n"
     "build-id in the folders of --debug-dir."},
    {CLI_TAKES_CAPTURE, "kcore", KEY_KCORE, "FILE",
     "The same from the kernel's memory, as it was patched, with its modules: a copy of\n"
     "/proc/kcore, or the folder that `perf record --kcore` makes. Of such a recording it is used\n"
     "without being named."},
    {CLI_TAKES_CAPTURE, "protocol", KEY_PROTOCOL | CLI_FIRST, "NAME",
     "Of a snapshot, instead of what it says of each source that traces a core; of a raw buffer\n"
     "what it holds"},
    {CLI_TAKES_REGISTERS, "protocol", KEY_PROTOCOL | CLI_FIRST, "NAME",
     "What the trace unit writes"},
    {CLI_TAKES_CAPTURE, "core", KEY_CORE, "NAME",
     "For a raw buffer: the core type, such as Cortex-A53 or ARMv8.3-A."},
    {CLI_TAKES_REGISTERS, "core", KEY_CORE, "NAME",
     "The core type that the capture names, such as Cortex-A53. Default: ARM-AA64, an A-profile\n"
     "core with all that this version knows."},
    {CLI_TAKES_CAPTURE | CLI_TAKES_REGISTERS, "set", KEY_SET, "REG=VALUE",
     "Give a trace unit register a value, over what any file says: TRCCONFIGR=0x10c1. Of one\n"
     "source of a capture: ETM_0:TRCCONFIGR=0x10c1; else of each that has such a register.\n"
     "May be given several times."},
    {CLI_TAKES_CAPTURE, "config", KEY_CONFIG, "FILE",
     "For a raw buffer: an INI file with a [source NAME] section for each source (protocol, core,\n"
     "trace_id, registers), and if need be [buffer] (format, start) and [image] (file, address\n"
     "...). With TRBPTR_EL1 and its like the buffer is a dump of a trace buffer (TRBE), with\n"
     "ETB_RWP and ETB_STS one of the RAM of an ETB."},
    {CLI_TAKES_CAPTURE, "frames", KEY_FRAMES, "auto|none|coresight|dstream",
     "For a raw buffer: auto (default), none (one source, no frames), coresight (16-byte\n"
     "formatter frames) or dstream (the same with synchronisation between)."},
    {CLI_TAKES_CAPTURE, "id", KEY_ID, "N", "For a raw buffer: the trace ID of the source."},
    {CLI_TAKES_CAPTURE, "pins", KEY_PINS, "LIST",
     "Of a trace port's file (VCD, .sr): which wire is which signal, with commas between:\n"
     "SIGNAL=WIRE (TRACECLK=D5, TRACEDATA=bus), PIN=WIRE, !WIRE for one that is upside down, and\n"
     "which pins they are: names (default), a or b (the _A or _B of two ports), mictor38,\n"
     "mictor38-a or mictor38-b (the connector's pins)."},
    {CLI_TAKES_CAPTURE, "port-mode", KEY_PORT_MODE, "MODE",
     "How such a port is clocked: normal, multiplexed, demultiplexed, half-rate,\n"
     "demultiplexed-half-rate; of ETMv3 half-rate (default: both edges) or dynamic (rising edge).\n"
     "Default of ETMv1 and ETMv2: as ETMCR and the wires' names have it."},
    {CLI_TAKES_CAPTURE, "port-width", KEY_PORT_WIDTH, "N",
     "How many pins of TRACEPKT (4, 8, 16) or TRACEDATA (1 to 32) such a port has. Default: as\n"
     "ETMCR has it (ETMv1 and ETMv2), else all that the file has."},
    {0, "help", KEY_HELP | CLI_FIRST, NULL, "Show the options that one needs first."},
    {0, "help-all", KEY_HELP_ALL | CLI_FIRST, NULL,
     "Show every option, what is printed, and the exit statuses. The manual page has the same."},
};
const size_t cli_option_count = sizeof cli_option_entries / sizeof cli_option_entries[0];
