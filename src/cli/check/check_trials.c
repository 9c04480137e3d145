/* SPDX-License-Identifier: BSD-2-Clause */
/* What is wrong with the description of a capture shows where another one fits better. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/audit/findings.h"
#include "cli/audit/trial.h"
#include "cli/options/protocols.h"
#include "protocol/about.h"

#define RESERVED_SUSPICIOUS 4 /* reserved packets from which on the protocol itself is in doubt */
#define ODD_SUSPICIOUS 2      /* packets that no such unit writes */
#define SHARE_SUSPICIOUS 8    /* reserved, one byte of so many: more than damage in one place */
#define TRIAL_FACTOR 4        /* how much better the other must fit */
#define TRIAL_BYTES (UINT64_C(256) << 10)
#define ROUNDS 2 /* fields that may be wrong at once */
#define INSTEAD_MAX 3

/* Registers that fit better than those of the capture. */
struct better {
    struct cairn_register instead[INSTEAD_MAX];
    size_t count;
    uint64_t bad;
    bool framed; /* with those of the capture the framing is not lost */
    const struct cairn_register_part *changed[ROUNDS];
};

static bool value_of(const struct cairn_source_info *info, const char *name, uint64_t *value)
{
    bool found = false;

    for (size_t i = 0; i < info->register_count; i++) {
        if (strcasecmp(info->registers[i].name, name))
            continue;
        *value = info->registers[i].value;
        found = true;
    }
    return found;
}

/* `better` with one part of a register set to `field`. */
static struct better changed(const struct better *better, const struct cairn_register_part *part,
                             uint64_t value, uint64_t field)
{
    const uint64_t mask = ((UINT64_C(1) << part->width) - 1) << part->shift;
    struct better made = *better;
    size_t at = 0;

    while (at < made.count && strcmp(made.instead[at].name, part->name))
        at++;
    if (at == made.count) {
        made.instead[made.count++] = (struct cairn_register){part->name, value};
    }
    made.instead[at].value = (made.instead[at].value & ~mask) | field << part->shift;
    return made;
}

static bool run_trial(struct cli_findings *findings, size_t index, const struct better *better,
                      struct cli_verdict *verdict)
{
    const struct cli_trial trial = {
        .protocol = findings->audit->sources[index].info.protocol,
        .keeps_version = true,
        .instead = better->instead,
        .instead_count = better->count,
        .bytes = TRIAL_BYTES,
    };

    return cli_trial_run(findings->audit->session, index, &trial, verdict);
}

/* The best of all values of all parts, one of them changed; `best` as it is when none is better. */
static void improve(struct cli_findings *findings, size_t index, unsigned round,
                    struct better *best)
{
    const struct cairn_source_info *info = &findings->audit->sources[index].info;
    const struct better from = *best;
    struct cli_verdict verdict;

    for (const struct cairn_register_part *part = cairn_about(info->protocol)->parts; part->name;
         part++) {
        uint64_t value = 0;
        const bool given = value_of(info, part->name, &value);
        if ((from.framed && part->by_frame) || (!given && !part->may_lack))
            continue;
        for (uint64_t field = 0; field < UINT64_C(1) << part->width; field++) {
            struct better other = changed(&from, part, value, field);
            other.changed[round] = part;
            if (!run_trial(findings, index, &other, &verdict) || verdict.bad >= best->bad)
                continue;
            other.bad = verdict.bad;
            *best = other;
        }
    }
}

/* What a source looks like that is read as what it is not. */
static const char *const broken[] = {CLI_RESERVED,
                                     CLI_CUT,
                                     CLI_TRUNCATED,
                                     CLI_NO_ADDRESS,
                                     CLI_NOT_DECODED,
                                     CLI_OVERFLOW,
                                     CLI_DISCARD,
                                     CLI_UNRESOLVED,
                                     CLI_LIMIT,
                                     CLI_RETURN_STACK,
                                     CLI_UNKNOWN_Q,
                                     CLI_NO_IMAGE,
                                     CLI_UNDEFINED,
                                     CLI_UNCERTAIN,
                                     CLI_IMPRECISE,
                                     CLI_CONTEXT,
                                     CLI_TRANSACTION,
                                     CLI_OVER_COMMIT,
                                     CLI_CONTINUES,
                                     CLI_STALE_RETURN,
                                     CLI_SOURCE_ISA,
                                     CLI_REGISTER_ODD,
                                     CLI_IMAGE_CONTRADICTED,
                                     NULL};

static void tell_better(struct cli_findings *findings, const struct cli_audit_source *source,
                        const struct better *better, const struct cli_verdict *as_given)
{
    char sentence[CLI_SENTENCE_MAX], advice[CLI_SENTENCE_MAX], values[CLI_SENTENCE_MAX] = "";
    char meanings[CLI_SENTENCE_MAX] = "", value[INSTEAD_MAX][24];

    for (size_t i = 0; i < better->count; i++) {
        const size_t length = strlen(values);
        snprintf(values + length, sizeof values - length, "%s%s=0x%llx", i ? " " : "",
                 better->instead[i].name, (unsigned long long)better->instead[i].value);
    }
    for (size_t i = 0; i < ROUNDS && better->changed[i]; i++) {
        const size_t length = strlen(meanings);
        snprintf(meanings + length, sizeof meanings - length, "%s%s", i ? "; " : "",
                 better->changed[i]->meaning);
    }
    cli_finding_sentence(sentence,
                         "the registers are probably not as they were: with %s %llu bytes would "
                         "not fit instead of %llu",
                         values, (unsigned long long)better->bad,
                         (unsigned long long)as_given->bad);
    cli_finding_sentence(advice,
                         "read the register while the trace unit is set up (%s), or try these "
                         "values over the capture's with --set",
                         meanings);
    struct cli_finding finding = {
        .code = CLI_WRONG_REGISTERS,
        .severity = CAIRN_PROBLEM,
        .loss = CLI_LOSES_DATA,
        .where = source->info.name,
        .what = sentence,
        .advice = advice,
        .explains = broken,
    };
    for (size_t i = 0; i < better->count; i++) {
        snprintf(value[i], sizeof value[i], "0x%llx", (unsigned long long)better->instead[i].value);
        finding.remedies[i] = (struct cli_remedy){CLI_MEND_REGISTER, source->info.name,
                                                  better->instead[i].name, value[i]};
    }
    cli_findings_add(findings, &finding);
}

/* False: nothing speaks for other registers, or none fit much better. */
static bool find_better(struct cli_findings *findings, size_t index, struct better *better,
                        struct cli_verdict *as_given)
{
    const struct cairn_about *about = cairn_about(findings->audit->sources[index].info.protocol);

    *better = (struct better){.count = 0};
    if (!about->parts || !run_trial(findings, index, better, as_given))
        return false;
    const bool reserved = as_given->reserved >= RESERVED_SUSPICIOUS &&
                          as_given->bad >= as_given->synced / SHARE_SUSPICIOUS;
    const bool unsynced =
        about->samples && as_given->bad >= as_given->synced / SHARE_SUSPICIOUS && as_given->bad > 0;
    if (!reserved && !unsynced && as_given->odd < ODD_SUSPICIOUS)
        return false;
    better->framed = as_given->reserved == 0 && !about->samples;
    better->bad = as_given->bad;
    for (unsigned round = 0; round < ROUNDS && better->bad; round++) {
        const uint64_t before = better->bad;
        improve(findings, index, round, better);
        if (better->bad == before)
            break;
    }
    return better->count && better->bad <= as_given->bad / TRIAL_FACTOR;
}

/* ---- protocols or registers ---- */

/* Reserved packets in numbers: would the other protocol fit better? */
static bool find_protocol(struct cli_findings *findings, size_t index, enum cairn_protocol_id rival,
                          struct cli_verdict *verdict)
{
    const struct cli_audit_source *source = &findings->audit->sources[index];
    const uint64_t reserved = source->ledger.account[CAIRN_GAP_RESERVED].packets;
    struct cli_trial trial = {0};

    if (!rival || reserved < RESERVED_SUSPICIOUS)
        return false;
    trial.protocol = rival;
    return cli_trial_run(findings->audit->session, index, &trial, verdict) &&
           verdict->reserved < reserved / TRIAL_FACTOR;
}

static void tell_protocol(struct cli_findings *findings, const struct cli_audit_source *source,
                          enum cairn_protocol_id rival, const struct cli_verdict *verdict)
{
    char sentence[CLI_SENTENCE_MAX], word[CLI_PROTOCOLS_TEXT];

    cli_finding_sentence(
        sentence, "%llu reserved packets as %s, %llu as %s: the protocol is probably %s",
        (unsigned long long)source->ledger.account[CAIRN_GAP_RESERVED].packets,
        cairn_protocol_name(source->info.protocol), (unsigned long long)verdict->reserved,
        cairn_protocol_name(rival), cairn_protocol_name(rival));
    cli_protocols_word(rival, word);
    struct cli_finding finding = {
        .code = CLI_WRONG_PROTOCOL,
        .severity = CAIRN_PROBLEM,
        .loss = CLI_LOSES_DATA,
        .where = source->info.name,
        .what = sentence,
        .advice = cairn_about(rival)->choose,
        .explains = broken,
        .remedies = {{.mend = CLI_MEND_PROTOCOL, .of = source->info.name, .value = word}},
    };
    cli_findings_add(findings, &finding);
}

/* A register that says what the trace unit is, is given. */
static bool has_witness(const struct cairn_source_info *info)
{
    uint64_t value;

    for (const struct cairn_witness *w = cairn_about(info->protocol)->witnesses; w && w->name; w++)
        if (value_of(info, w->name, &value))
            return true;
    return false;
}

/* Where both fit, that which leaves less; at a tie a witness, if it is given, speaks for the
 * protocol. */
void cli_check_description(struct cli_findings *findings, size_t index)
{
    const struct cli_audit_source *source = &findings->audit->sources[index];
    const enum cairn_protocol_id rival = cairn_about(source->info.protocol)->rival;
    struct cli_verdict as_given, as_other;
    struct better better;

    /* samples of a port that is described wrongly fit no registers */
    if (cli_check_port(findings, index))
        return;
    const bool other = find_protocol(findings, index, rival, &as_other);
    bool registers = find_better(findings, index, &better, &as_given);

    if (other && registers) {
        const uint64_t left = better.bad * (as_other.synced + 1);
        const uint64_t left_of_other = as_other.bad * (as_given.synced + 1);
        registers = left < left_of_other || (left == left_of_other && has_witness(&source->info));
    }
    if (registers)
        tell_better(findings, source, &better, &as_given);
    else if (other)
        tell_protocol(findings, source, rival, &as_other);
}
