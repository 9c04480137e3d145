/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/command.h"
#include "cli/listing/listing.h"
#include "cli/window/window_options.h"

static enum cli_exit run(const struct cli_options *options)
{
    struct cli_options data = *options;

    data.detail = CLI_DETAIL_DATA;
    return cli_listing_run(&cli_command_data, &data, CAIRN_LEVEL_FLOW);
}

static const struct cli_option own[] = {CLI_PART_OF("transfers"), CLI_LOOK_NO_PAGER_OPTION, {0}};

static bool take_part(struct cli_options *options, int key, const char *argument)
{
    return cli_part_take("data", options, key, argument);
}

const struct cli_command cli_command_data = {
    .name = "data",
    .summary = "list the data that instructions loaded and stored",
    .arguments = "CAPTURE",
    .description =
        "Follows the trace as `cairn flow` does and lists each data transfer in it with the\n"
        "instruction that made it, the register, the address and the value. Only ETMv1, "
        "ETMv2\n"
        "and ETMv3 trace data, if ETMCR says so; of other sources nothing is listed. Which\n"
        "registers an instruction transfers the program's memory tells: from the capture, and\n"
        "from --image.",
    .output =
        "text: the offset of the data packet in the file and in the source's bytes, then in "
        "columns,\n"
        "- for what is not known: the address of the instruction; load, store, from-cp or "
        "to-cp (moves\n"
        "from and to coprocessors); the register; the address of the data; its size in "
        "bytes; the value,\n"
        "as the register has it before any sign extension; the disassembly; the symbol. "
        "Where the trace\n"
        "of an instruction with several transfers breaks off it may have begun behind the "
        "first of\n"
        "them: a register with ? is the one if it did not. The trace has the address of an\n"
        "instruction's first transfer alone; those of the others follow from it, where it is "
        "known which\n"
        "they are, or where each is as far behind the one before. Behind that stand\n"
        "  (by the core)   the core stacked or unstacked by itself (M profile)\n"
        "  (placeholder)   the value comes later, with the tag; (late) is that value, and "
        "(of OFFSET)\n"
        "                  tells the placeholder's offset in the source's bytes\n"
        "  (not traced)    the transfer was filtered out\n"
        "  (suppressed)    from here on data is missing: the trace unit was overrun, or (ETMv1)\n"
        "                  how many bytes there are is not known, or they did not come; of the same\n"
        "                  instruction as the line before, that one may be none\n"
        "  (store failed)  the exclusive store before it stored nothing; with a tag, the "
        "late value\n"
        "  (big-endian)    reverse the bytes of the value for those in memory\n"
        "Data of an instruction that did not complete is left out. A data abort that leaves data\n"
        "in doubt is a line with #, with the address that it returns to: in ETMv1 and ETMv2 that of\n"
        "the instruction that aborted, whose data is to be ignored.\n"
        "json: an object a transfer: type (\"data\"), source, offset, file_offset, length, data (a\n"
        "word as above, or transfer), and what is known of address, register, direction,\n"
        "data_address, value ...; docs/json.md and data.schema.json have every key.",
    .exit_status = "0   all of the trace became flow (but the oldest bytes of a buffer that\n"
                   "    wrapped, and what was never certain to be executed)\n"
                   "1   decoded with gaps, or some source could not be decoded\n"
                   "2   nothing could be decoded, or the command line is wrong\n"
                   "130 stopped by Ctrl-C",
    .examples = "cairn data snapshot/\n"
                "cairn data --image firmware.elf --source ETM_0 snapshot/\n"
                "cairn data --format json snapshot/ | jq 'select(.data_address == "
                "\"0x20000010\")'",
    .options = CLI_TAKES_CAPTURE | CLI_TAKES_SOURCE | CLI_TAKES_RANGE | CLI_TAKES_FORMAT |
               CLI_TAKES_MERGE | CLI_TAKES_OUTPUT | CLI_TAKES_DECODER,
    .own = own,
    .take_own = take_part,
    .run = run,
};
