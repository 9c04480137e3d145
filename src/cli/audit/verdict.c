/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/audit/verdict.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/letters.h"
#include "protocol/about.h"

static bool by_instructions(const struct cli_audit_source *source)
{
    return source->config && cairn_config_tells(source->config) & CAIRN_TELLS_CONDITIONS;
}

/* Bytes that were read as packets can be counted by what they tell; of the others only their number
 * is known. */
static bool is_unread(const struct cairn_ledger *ledger, enum cairn_account account)
{
    switch (account) {
    case CAIRN_GAP_RESERVED:
    case CAIRN_GAP_CUT:
    case CAIRN_GAP_TRUNCATED: return true;
    case CAIRN_GAP_NOT_DECODED: return !ledger->lost[account]; /* packets, not code */
    default: return false;
    }
}

struct cli_known cli_known_of(const struct cli_audit_source *source)
{
    struct cli_known known = {
        .unit = by_instructions(source) ? CLI_UNIT_INSTRUCTIONS : CLI_UNIT_BRANCHES,
        .unsynced = source->ledger.account[CAIRN_GAP_NO_SYNC].bytes,
        .lost = source->unknown_q,
    };

    if (known.unit == CLI_UNIT_INSTRUCTIONS)
        known.followed = source->summary.instructions;
    else if (cairn_about(source->info.protocol)->memory)
        known.followed = source->summary.taken; /* the others are not in the trace */
    else
        known.followed = source->summary.taken + source->summary.not_taken;
    for (unsigned account = 0; account < CAIRN_LEDGER_ACCOUNTS; account++) {
        if (cli_gap_matters((enum cairn_account)account)) /* the others may not have run at all */
            known.lost += source->ledger.lost[account];
        if (is_unread(&source->ledger, (enum cairn_account)account))
            known.unread += source->ledger.account[account].bytes;
    }
    return known;
}

const char *cli_unit_word(enum cli_unit unit, uint64_t count)
{
    switch (unit) {
    case CLI_UNIT_BRANCHES: return count == 1 ? "branch" : "branches";
    case CLI_UNIT_INSTRUCTIONS: return count == 1 ? "instruction" : "instructions";
    }
    return "";
}

struct cli_cost cli_cost_of(const struct cli_audit_source *source, uint64_t lost, uint64_t bytes)
{
    if (by_instructions(source))
        return (struct cli_cost){.instructions = lost, .bytes = bytes};
    return (struct cli_cost){.branches = lost, .bytes = bytes};
}

void cli_share(uint64_t part, uint64_t whole, char text[CLI_SHARE_MAX])
{
    const double percent = whole ? 100.0 * (double)part / (double)whole : 0.0;
    const double tenths = (double)(uint64_t)(percent * 10) / 10;

    if (part == whole || part == 0)
        snprintf(text, CLI_SHARE_MAX, "%s", part == whole ? "100 %" : "0 %");
    else if (tenths < 0.1)
        snprintf(text, CLI_SHARE_MAX, "under 0.1 %%");
    else if (percent >= 99 || percent < 10)
        snprintf(text, CLI_SHARE_MAX, "%.1f %%", tenths);
    else
        snprintf(text, CLI_SHARE_MAX, "%u %%", (unsigned)percent);
}

#define START_POINTS 0xffffu /* of TRCVISSCTLR and ETMTSSCR: comparators that start */
#define VICTLR_SSSTATUS (1u << 9)

static uint64_t register_of(const struct cairn_source_info *info, const char *name)
{
    for (size_t i = 0; i < info->register_count; i++)
        if (!strcasecmp(info->registers[i].name, name))
            return info->registers[i].value;
    return 0;
}

bool cli_waits_for_start(const struct cairn_source_info *info)
{
    return ((register_of(info, "TRCVISSCTLR") & START_POINTS) &&
            !(register_of(info, "TRCVICTLR") & VICTLR_SSSTATUS)) ||
           (register_of(info, "ETMTSSCR") & START_POINTS);
}

bool cli_is_without_trace(const struct cli_audit_source *source)
{
    return (source->state == CLI_AUDIT_DECODED || source->state == CLI_AUDIT_PACKETS_ONLY) &&
           source->ledger.account[CAIRN_ACCOUNT_PADDING].bytes == source->bytes;
}

bool cli_is_decoded(const struct cli_audit_source *source)
{
    if (source->state == CLI_AUDIT_PACKETS_ONLY)
        return source->ledger.total != 0;
    if (source->state != CLI_AUDIT_DECODED || !source->bytes)
        return false;
    if (source->summary.instructions)
        return true;
    /* Where nothing was to be followed, nothing is missing. */
    const struct cli_known known = cli_known_of(source);
    return !known.lost && !known.unread && known.unsynced < source->bytes &&
           source->ledger.account[CAIRN_ACCOUNT_PADDING].bytes < source->bytes;
}

/* ---- the sentence ---- */

struct text {
    char *text;
    size_t length;
};

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    const int written =
        vsnprintf(text->text + text->length, CLI_SENTENCE_MAX - text->length, format, arguments);
    va_end(arguments);
    if (written > 0)
        text->length += (size_t)written;
    if (text->length >= CLI_SENTENCE_MAX)
        text->length = CLI_SENTENCE_MAX - 1;
}

/* Why most of what is lost is lost. */
static const char *place_of_lost(const struct cli_audit_source *source)
{
    unsigned most = CAIRN_GAP_NO_IMAGE;

    for (unsigned account = 0; account < CAIRN_LEDGER_ACCOUNTS; account++)
        if (source->ledger.lost[account] > source->ledger.lost[most])
            most = account;
    switch ((enum cairn_account)most) {
    case CAIRN_GAP_NO_IMAGE: return "fell where there is no memory";
    case CAIRN_GAP_NO_ADDRESS: return "came without an address";
    case CAIRN_GAP_RETURN_STACK: return "came behind returns that the trace does not tell";
    case CAIRN_GAP_INCONSISTENT: return "contradict the image";
    default: return "could not be followed";
    }
}

static void add_unread(struct text *text, const struct cli_audit_source *source,
                       const struct cli_known *known)
{
    char share[CLI_SHARE_MAX];

    if (!known->unread)
        return;
    cli_share(known->unread, source->bytes, share);
    add(text, "; %llu byte%s (%s) could not be read", (unsigned long long)known->unread,
        cairn_plural(known->unread), share);
}

static void say_decoded(const struct cli_audit_source *source, struct text *text)
{
    const struct cli_known known = cli_known_of(source);
    const uint64_t all = known.followed + known.lost;
    char share[CLI_SHARE_MAX];

    if (known.unsynced == source->bytes) {
        add(text, "nothing decoded: no synchronisation in %llu byte%s",
            (unsigned long long)source->bytes, cairn_plural(source->bytes));
        return;
    }
    if (cli_is_without_trace(source)) {
        add(text, "%s",
            cli_waits_for_start(&source->info) ? CLI_NEVER_STARTED
                                               : "nothing was traced: all bytes are padding");
        return;
    }
    if (!source->summary.instructions && known.lost) {
        add(text, "0 instructions; %llu %s %s", (unsigned long long)known.lost,
            cli_unit_word(known.unit, known.lost), place_of_lost(source));
    } else if (!all) {
        add(text, "%llu instruction%s and no branch in the trace",
            (unsigned long long)source->summary.instructions,
            cairn_plural(source->summary.instructions));
    } else {
        cli_share(known.followed, all, share);
        add(text, "%s of the %s followed", share, cli_unit_word(known.unit, 2));
        if (known.lost)
            add(text, " (%llu of %llu)", (unsigned long long)known.followed,
                (unsigned long long)all);
    }
    add_unread(text, source, &known);
}

static void say_state(const struct cli_audit_source *source, struct text *text)
{
    const char *type =
        source->info.type ? source->info.type : cairn_protocol_name(source->info.protocol);
    const unsigned long long bytes = (unsigned long long)source->bytes;
    const char *plural = cairn_plural(source->bytes);

    if (!source->bytes && source->state != CLI_AUDIT_REFUSED &&
        source->state != CLI_AUDIT_NOT_CHOSEN) {
        add(text, "%s",
            cli_waits_for_start(&source->info) ? CLI_NEVER_STARTED : "no data in the buffer");
        return;
    }
    switch (source->state) {
    case CLI_AUDIT_DECODED: say_decoded(source, text); break;
    case CLI_AUDIT_PACKETS_ONLY:
        add(text, "%llu byte%s of %s trace, which has no program flow", bytes, plural,
            cairn_protocol_name(source->info.protocol));
        break;
    case CLI_AUDIT_OTHER_PROTOCOL:
        add(text, "%llu byte%s of %s trace, which is not decoded", bytes, plural, type);
        break;
    case CLI_AUDIT_NO_CONFIG:
        add(text, "%llu byte%s %s", bytes, plural,
            source->info.trace_id < 0 ? "of an unknown protocol"
                                      : "that no trace unit is configured for");
        break;
    case CLI_AUDIT_REFUSED: add(text, "not decoded: its description is impossible"); break;
    case CLI_AUDIT_NOT_CHOSEN: add(text, "not looked at"); break;
    }
}

/* Instructions that were executed and that a file has otherwise. What was followed may all be of the
 * wrong program then, and is not to be called known without a word of it. */
static void add_differing(struct text *text, const struct cli_findings *findings, size_t source)
{
    unsigned long long differing = 0;

    if (!findings->audit->sources[source].summary.instructions)
        return;
    for (size_t i = 0; i < findings->count; i++)
        if (strcmp(findings->items[i].finding.code, CLI_IMAGE_MISMATCH) == 0)
            differing += findings->items[i].finding.count;
    if (differing)
        add(text, "; but %llu executed instruction%s differ%s from the image", differing,
            cairn_plural(differing), differing == 1 ? "s" : "");
}

void cli_verdict_sentence(const struct cli_findings *findings, size_t source,
                          char sentence[CLI_SENTENCE_MAX])
{
    const size_t matter = cli_findings_causes_of(findings, source, true);
    const size_t others = matter ? 0 : cli_findings_causes_of(findings, source, false);
    struct text text = {.text = sentence};

    *sentence = 0;
    say_state(&findings->audit->sources[source], &text);
    add_differing(&text, findings, source);
    if (matter)
        add(&text, "; %zu cause%s", matter, cairn_plural(matter));
    else if (others)
        add(&text, "; %zu warning%s", others, cairn_plural(others));
}

/* ---- the exit status ---- */

enum cli_exit cli_verdict_result(const struct cli_findings *findings)
{
    const struct cli_audit *audit = findings->audit;
    bool decoded = false;

    for (size_t i = 0; i < audit->source_count; i++)
        decoded |= cli_is_decoded(&audit->sources[i]);
    if (!decoded)
        return CLI_UNUSABLE;
    for (size_t i = 0; i < findings->count; i++)
        if (cli_finding_matters(&findings->items[i].finding))
            return CLI_GAPS;
    return CLI_CLEAN;
}
