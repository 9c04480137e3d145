/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/command.h"
#include "cli/listing/listing.h"
#include "cli/window/window_options.h"

static enum cli_exit run(const struct cli_options *options)
{
    return cli_listing_run(&cli_command_packets, options, CAIRN_LEVEL_PACKETS);
}

static const struct cli_option own[] = {CLI_PART_OF("packets"), CLI_LOOK_NO_PAGER_OPTION, {0}};

static bool take_part(struct cli_options *options, int key, const char *argument)
{
    return cli_part_take("packets", options, key, argument);
}

const struct cli_command cli_command_packets = {
    .name = "packets",
    .summary = "list the packets of a capture's sources",
    .arguments = "CAPTURE",
    .description =
        "Lists every packet of every source, one source after another. Packets are decompressed:\n"
        "addresses are whole, timestamps absolute. Every byte of a source is in exactly one "
        "packet;\n"
        "bytes that are no packet of the protocol come as Not synchronised, Reserved, Cut by\n"
        "synchronisation and so on. No image is needed.",
    .output =
        "text: the packet's offset in the file, its offset in the source's bytes, its bytes, the\n"
        "specification's name, and its fields by the specification's names.\n"
        "json: an object a packet: type (\"packet\"), source, offset, file_offset, length, bytes "
        "(hex;\n"
        "bytes_cut if not all), kind (a short constant name), name, account (which account of the\n"
        "ledger the packet alone is in) and fields; docs/json.md and packets.schema.json have every\n"
        "key.",
    .exit_status = "0   every byte was a packet (but the oldest of a buffer that wrapped)\n"
                   "1   some bytes were not (a gap), or some source could not be decoded\n"
                   "2   nothing could be decoded, or the command line is wrong\n"
                   "130 stopped by Ctrl-C",
    .examples =
        "cairn packets snapshot/\n"
        "cairn packets --source 0x10 --from 0x4000 --to 0x4100 snapshot/\n"
        "cairn packets --format json snapshot/ | jq -r 'select(.kind).kind' | sort | uniq -c\n"
        "cairn packets --protocol ete --core Cortex-A510 --set TRCCONFIGR=0x1 etb.bin",
    .options = CLI_TAKES_CAPTURE | CLI_TAKES_SOURCE | CLI_TAKES_RANGE | CLI_TAKES_FORMAT |
               CLI_TAKES_MERGE | CLI_TAKES_OUTPUT,
    .own = own,
    .take_own = take_part,
    .run = run,
};
