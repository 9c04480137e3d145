/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/protocols.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define PROTOCOLS_MAX 16 /* enum cairn_protocol_id is below */

enum group {
    GROUP_ALL = 0,
    GROUP_FLOW = 1,
    GROUP_PACKETS_ONLY = 2,
};

static bool is_in(enum group group, enum cairn_protocol_id protocol)
{
    if (!cairn_protocol_decodes_packets(protocol))
        return false;
    return group == GROUP_ALL || (group == GROUP_FLOW) == cairn_protocol_decodes(protocol);
}

static size_t list_of(enum group group, enum cairn_protocol_id list[PROTOCOLS_MAX])
{
    size_t count = 0;

    for (unsigned id = 1; id < PROTOCOLS_MAX; id++)
        if (is_in(group, (enum cairn_protocol_id)id))
            list[count++] = (enum cairn_protocol_id)id;
    return count;
}

static void append(char text[CLI_PROTOCOLS_TEXT], const char *more)
{
    size_t length = strlen(text);

    snprintf(text + length, CLI_PROTOCOLS_TEXT - length, "%s", more);
}

/* "A, B and C" behind what `text` has. */
static void append_list(enum group group, const char *last, char text[CLI_PROTOCOLS_TEXT])
{
    enum cairn_protocol_id list[PROTOCOLS_MAX];
    size_t count = list_of(group, list);

    for (size_t i = 0; i < count; i++) {
        if (i)
            append(text, i + 1 < count ? ", " : last);
        append(text, cairn_protocol_name(list[i]));
    }
}

void cli_protocols_choice(bool flow, char text[CLI_PROTOCOLS_TEXT])
{
    *text = 0;
    append_list(flow ? GROUP_FLOW : GROUP_ALL, " or ", text);
    for (char *at = text; *at; at++)
        *at = (char)tolower((unsigned char)*at);
}

enum cairn_protocol_id cli_protocols_find(bool flow, const char *word)
{
    enum cairn_protocol_id list[PROTOCOLS_MAX];
    size_t count = list_of(flow ? GROUP_FLOW : GROUP_ALL, list);

    for (size_t i = 0; i < count; i++)
        if (!strcasecmp(cairn_protocol_name(list[i]), word))
            return list[i];
    return CAIRN_PROTOCOL_UNKNOWN;
}

void cli_protocols_sentence(char text[CLI_PROTOCOLS_TEXT])
{
    enum cairn_protocol_id list[PROTOCOLS_MAX];

    snprintf(text, CLI_PROTOCOLS_TEXT, "this version decodes ");
    append_list(GROUP_FLOW, " and ", text);
    if (!list_of(GROUP_PACKETS_ONLY, list))
        return;
    append(text, ", and the packets of ");
    append_list(GROUP_PACKETS_ONLY, " and ", text);
}

void cli_protocols_packets_only(enum cairn_protocol_id protocol, char text[CLI_PROTOCOLS_TEXT])
{
    snprintf(text, CLI_PROTOCOLS_TEXT, "%s: packets are decoded, flow is not yet",
             cairn_protocol_name(protocol));
}
