/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "cli/command.h"
#include "cli/listing/listing.h"
#include "cli/window/window_options.h"

static const struct cli_option own[] = {CLI_PART_OF_FLOW, CLI_LOOK_OPTIONS, {0}};

static bool take_own(struct cli_options *options, int key, const char *argument)
{
    return cli_part_take(cli_command_flow.name, options, key, argument);
}

/* What an option asks for has to be in the listing that others ask for. */
static bool fits(const struct cli_options *options)
{
    const struct cli_look *const look = &options->look;
    const bool text = options->format == CLI_FORMAT_TEXT;
    const char *wrong = NULL;

    if (look->source_lines && (!text || options->detail != CLI_DETAIL_FULL))
        wrong =
            "--source-lines are lines between instructions in text: leave out --format, --ranges "
            "and --summary";
    else if (look->path_count && !look->source_lines)
        wrong = "--source-path says where source lines are: give --source-lines as well";
    else if (look->offsets && (!text || options->detail == CLI_DETAIL_SUMMARY))
        wrong = "--offsets are a column of text: leave out --format and --summary (full and json "
                "have them anyway)";
    if (wrong)
        fprintf(stderr, "cairn flow: %s.\n", wrong);
    return !wrong;
}

static enum cli_exit run(const struct cli_options *options)
{
    if (!fits(options))
        return CLI_UNUSABLE;
    return cli_listing_run(&cli_command_flow, options, CAIRN_LEVEL_FLOW);
}

const struct cli_command cli_command_flow = {
    .name = "flow",
    .summary = "list the instructions that were executed",
    .arguments = "CAPTURE",
    .description =
        "Follows the trace through the program's memory and lists every executed instruction, "
        "with\n"
        "disassembly and symbols where they are known, and every event between: exceptions, "
        "context\n"
        "changes, timestamps, transactions, gaps. Memory comes from the capture and from --image.\n"
        "Where memory is missing there is a gap, and the flow goes on at the next address in the\n"
        "trace. `cairn check` tells which memory is missing.",
    .output =
        "text: columns, in a row that names them: time and cycles where they are traced, address, E or\n"
        "N for a branch taken or not (? where the trace leaves it open), instruction, function. Lines\n"
        "that begin with -- are events. docs/listing.md has all of it, word by word.\n"
        "full: text with a line for every record, and where its packet is in the file and in the\n"
        "source's bytes; opcodes; events begin with #; data transfers (ETMv3) are as\n"
        "`# load r4 = 0x12345678 <- [0x20000010]`, -> for a store, the register with ? if the first\n"
        "transfers of the instruction may be missing.\n"
        "addresses: one executed instruction a line: its address in lower-case hex without "
        "prefix,\n"
        "and behind each P0 instruction (branches; ISB, WFI, WFE and TSTART where the protocol "
        "and\n"
        "the configuration make them P0) ` E` or ` N`. Nothing else carries a flag. Events are "
        "lines\n"
        "that begin with #. This format does not change.\n"
        "json: an object a range or event; docs/json.md and flow.schema.json have every key. Ranges:\n"
        "type (\"range\"), source, offset, file_offset, length, isa, address, end (exclusive),\n"
        "instructions, p0 (E or N, of the last instruction; null where it has none or the trace does\n"
        "not tell), code (unless --ranges: address, opcode, text, symbol, symbol_offset of each\n"
        "instruction). Gaps: type (\"gap\"), reason, address. Data transfers: see `cairn data "
        "--help`.",
    .exit_status = "0   all of the trace became flow (but the oldest bytes of a buffer that\n"
                   "    wrapped, and what was never certain to be executed)\n"
                   "1   decoded with gaps, or some source could not be decoded\n"
                   "2   nothing could be decoded to code, or the command line is wrong\n"
                   "130 stopped by Ctrl-C",
    .examples = "cairn flow snapshot/\n"
                "cairn flow --source-lines snapshot/\n"
                "cairn flow --last 1000 snapshot/\n"
                "cairn flow --around crash --context 50 snapshot/\n"
                "cairn flow --function main.c:120 --last 3 snapshot/\n"
                "zstdcat etb.zst | cairn flow --protocol etmv4 --image app.elf --last 100 -\n"
                "cairn flow --image vmlinux --image app.elf@0x400000 snapshot/\n"
                "cairn flow --format addresses --source 0x10 snapshot/ > cairn.txt\n"
                "cairn flow --summary snapshot/",
    .options = CLI_TELLS_THREADS | CLI_TAKES_CAPTURE | CLI_TAKES_SOURCE | CLI_TAKES_RANGE |
               CLI_TAKES_ADDRESSES | CLI_TAKES_MERGE | CLI_TAKES_OUTPUT | CLI_TAKES_DETAIL |
               CLI_TAKES_DECODER,
    .own = own,
    .take_own = take_own,
    .run = run,
};
