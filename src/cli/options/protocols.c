/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/options/protocols.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "unit/model.h"

enum group {
    GROUP_ALL,
    GROUP_FLOW,
    GROUP_PACKETS_ONLY,
    GROUP_RECORDED,
};

static bool is_in(enum group group, enum cairn_protocol_id protocol)
{
    const enum cairn_depth depth = cairn_protocol_depth(protocol);

    switch (group) {
    case GROUP_ALL: break;
    case GROUP_FLOW: return depth == CAIRN_DEPTH_FLOW;
    case GROUP_PACKETS_ONLY: return depth == CAIRN_DEPTH_PACKETS || depth == CAIRN_DEPTH_ELEMENTS;
    case GROUP_RECORDED: return cairn_unit_has_model(protocol);
    }
    return depth != CAIRN_DEPTH_NONE;
}

/* The next of a group from *index on, in the registry's order; NULL: there is none. */
static const char *next_of(enum group group, size_t *index)
{
    const struct cairn_about *about;

    while ((about = cairn_about_at((*index)++)))
        if (is_in(group, about->id))
            return about->name;
    return NULL;
}

static void append(char text[CLI_PROTOCOLS_TEXT], const char *more)
{
    size_t length = strlen(text);

    snprintf(text + length, CLI_PROTOCOLS_TEXT - length, "%s", more);
}

/* "A, B and C" behind what `text` has. */
static void append_list(enum group group, const char *comma, const char *last,
                        char text[CLI_PROTOCOLS_TEXT])
{
    size_t index = 0;
    const char *name = next_of(group, &index);

    for (bool first = true; name; first = false) {
        const char *next = next_of(group, &index);

        append(text, first ? "" : next ? comma : last);
        append(text, name);
        name = next;
    }
}

static enum group group_of(bool records)
{
    return records ? GROUP_RECORDED : GROUP_ALL;
}

void cli_protocols_word(enum cairn_protocol_id protocol, char text[CLI_PROTOCOLS_TEXT])
{
    snprintf(text, CLI_PROTOCOLS_TEXT, "%s", cairn_protocol_name(protocol));
    for (char *at = text; *at; at++)
        *at = (char)tolower((unsigned char)*at);
}

static void write_choice(bool records, const char *comma, const char *last,
                         char text[CLI_PROTOCOLS_TEXT])
{
    *text = 0;
    append_list(group_of(records), comma, last, text);
    for (char *at = text; *at; at++)
        *at = (char)tolower((unsigned char)*at);
}

void cli_protocols_choice(bool records, char text[CLI_PROTOCOLS_TEXT])
{
    write_choice(records, ", ", " or ", text);
}

void cli_protocols_words(bool records, char text[CLI_PROTOCOLS_TEXT])
{
    write_choice(records, " ", " ", text);
}

enum cairn_protocol_id cli_protocols_find(bool records, const char *word)
{
    const struct cairn_about *about;

    for (size_t i = 0; (about = cairn_about_at(i)); i++)
        if (is_in(group_of(records), about->id) && !strcasecmp(about->name, word))
            return about->id;
    return CAIRN_PROTOCOL_UNKNOWN;
}

enum cairn_protocol_id cli_protocols_recorded(enum cairn_record_trait trait)
{
    const struct cairn_about *about;

    for (size_t i = 0; (about = cairn_about_at(i)); i++)
        if (about->record & trait)
            return about->id;
    return CAIRN_PROTOCOL_UNKNOWN;
}

void cli_protocols_sentence(char text[CLI_PROTOCOLS_TEXT])
{
    size_t index = 0;

    snprintf(text, CLI_PROTOCOLS_TEXT, "this version decodes ");
    append_list(GROUP_FLOW, ", ", " and ", text);
    if (!next_of(GROUP_PACKETS_ONLY, &index))
        return;
    append(text, ", and the packets of ");
    append_list(GROUP_PACKETS_ONLY, ", ", " and ", text);
}

void cli_protocols_packets_only(enum cairn_protocol_id protocol, char text[CLI_PROTOCOLS_TEXT])
{
    snprintf(text, CLI_PROTOCOLS_TEXT, "%s: packets are decoded, flow is not yet",
             cairn_protocol_name(protocol));
}
