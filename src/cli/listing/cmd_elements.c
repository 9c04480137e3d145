/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/command.h"
#include "cli/listing/listing.h"
#include "cli/window/window_options.h"

static enum cli_exit run(const struct cli_options *options)
{
    return cli_listing_run(&cli_command_elements, options,
                           options->resolved ? CAIRN_LEVEL_RESOLVED : CAIRN_LEVEL_ELEMENTS);
}

static const struct cli_option own[] = {CLI_PART_OF("elements"), CLI_LOOK_NO_PAGER_OPTION, {0}};

static bool take_part(struct cli_options *options, int key, const char *argument)
{
    return cli_part_take("elements", options, key, argument);
}

const struct cli_command cli_command_elements = {
    .name = "elements",
    .summary = "list the trace elements that the packets stand for",
    .arguments = "CAPTURE",
    .description =
        "Lists the elements of the trace unit's element model: Trace On, Atom, Exception, Target\n"
        "Address, Context, Commit and so on. By default in the order in which the trace unit\n"
        "generated them, speculation included; with --resolved what was executed.",
    .output =
        "text: the offset of the element's packet in the file and in the source's bytes, the\n"
        "element's name, its values. Elements that no packet carries are marked (implied), those "
        "that\n"
        "a Discard, an Overflow or the end lost are marked (lost: reason).\n"
        "json: an object an element: type (\"element\"), source, offset, file_offset, length (of "
        "the\n"
        "packet), kind, nth (which element of its packet), fields; docs/json.md and\n"
        "elements.schema.json have every key.",
    .exit_status = "0   every byte was used (but the oldest of a buffer that wrapped)\n"
                   "1   decoded with gaps, or some source could not be decoded\n"
                   "2   nothing could be decoded, or the command line is wrong\n"
                   "130 stopped by Ctrl-C",
    .examples = "cairn elements snapshot/\n"
                "cairn elements --resolved --source ETM_0 snapshot/\n"
                "cairn elements --merge time --format json snapshot/",
    .options = CLI_TAKES_CAPTURE | CLI_TAKES_SOURCE | CLI_TAKES_RANGE | CLI_TAKES_FORMAT |
               CLI_TAKES_MERGE | CLI_TAKES_OUTPUT | CLI_TAKES_RESOLVED,
    .own = own,
    .take_own = take_part,
    .run = run,
};
