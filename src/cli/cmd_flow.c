/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/command.h"
#include "cli/listing.h"
#include "cli/window_options.h"

static enum cli_exit run(const struct cli_options *options)
{
    return cli_listing_run(&cli_command_flow, options, CAIRN_LEVEL_FLOW);
}

static const struct cli_option own[] = {CLI_PART_OF_FLOW, {0}};

static bool take_part(struct cli_options *options, int key, const char *argument)
{
    return cli_part_take("flow", options, key, argument);
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
        "text: the offset of the deciding packet in the file and in the source's bytes, then the\n"
        "address, E or N for a branch taken or not (? where the trace leaves it open), the "
        "opcode,\n"
        "the disassembly. A line with the function's name where the function changes. Events "
        "begin\n"
        "with #; data transfers (ETMv3) as `# load r4 = 0x12345678 <- [0x20000010]`, -> for a "
        "store,\n"
        "the register with ? if the first transfers of the instruction may be missing.\n"
        "addresses: one executed instruction a line: its address in lower-case hex without "
        "prefix,\n"
        "and behind each P0 instruction (branches; ISB, WFI, WFE and TSTART where the protocol "
        "and\n"
        "the configuration make them P0) ` E` or ` N`. Nothing else carries a flag. Events are "
        "lines\n"
        "that begin with #. This format does not change.\n"
        "json: an object a range or event. Ranges: type (\"range\"), source, offset, file_offset,\n"
        "length, isa, address, end (exclusive), instructions, p0 (E, N or unknown: of the last\n"
        "instruction), code (unless --ranges: address, opcode, text, symbol, symbol_offset of "
        "each\n"
        "instruction). Gaps: type (\"gap\"), reason, address. Data transfers: see `cairn data "
        "--help`.",
    .exit_status = "0   every byte of the trace became flow\n"
                   "1   decoded with gaps, or some source could not be decoded\n"
                   "2   nothing could be decoded, or the command line is wrong\n"
                   "130 stopped by Ctrl-C",
    .examples = "cairn flow snapshot/ | less\n"
                "cairn flow --last 1000 snapshot/\n"
                "cairn flow --around crash --context 50 snapshot/\n"
                "cairn flow --function main.c:120 --last 3 snapshot/\n"
                "zstdcat etb.zst | cairn flow --protocol etmv4 --image app.elf --last 100 -\n"
                "cairn flow --image vmlinux --image app.elf@0x400000 snapshot/\n"
                "cairn flow --format addresses --source 0x10 snapshot/ > cairn.txt\n"
                "cairn flow --summary snapshot/",
    .options = CLI_TAKES_CAPTURE | CLI_TAKES_SOURCE | CLI_TAKES_RANGE | CLI_TAKES_ADDRESSES |
               CLI_TAKES_MERGE | CLI_TAKES_OUTPUT | CLI_TAKES_DETAIL | CLI_TAKES_DECODER,
    .own = own,
    .take_own = take_part,
    .run = run,
};
