/* SPDX-License-Identifier: BSD-2-Clause */
/* What of a source's flow is missing or in doubt, why, and what helps: a table, or a function, a
 * rule. */
#include <stdio.h>
#include <string.h>

#include "base/letters.h"
#include "cli/audit/contradictions.h"
#include "cli/audit/findings.h"
#include "cli/audit/verdict.h"
#include "protocol/about.h"

#define MUCH 20 /* one branch, or instruction, of so many */

/* A gap that needs no more than its name and what helps. Nothing is known to have been executed in
 * those that are notes. */
struct gap_rule {
    enum cairn_account account;
    const char *code;
    enum cairn_severity severity;
    const char *what;
    const char *advice;
};

static const struct gap_rule gap_rules[] = {
    {CAIRN_GAP_NO_SYNC, CLI_WRAPPED, CAIRN_NOTE, "before the first synchronisation",
     "normal where the buffer wrapped around; a smaller TRCSYNCPR (ETMSYNCFR) makes the trace unit "
     "synchronise more often"},
    {CAIRN_GAP_RESERVED, CLI_RESERVED, CAIRN_PROBLEM, "in reserved packets and behind them",
     "the bytes are damaged, or they are not of this protocol or this trace ID: compare the "
     "protocol, TRCDEVARCH, the frame layout and the trace ID with what the hardware is set to"},
    {CAIRN_GAP_CUT, CLI_CUT, CAIRN_PROBLEM, "in packets that a synchronisation cuts short",
     "bytes are missing there: a dump taken while the trace unit was running, a lossy trace port "
     "or a buffer that wrapped"},
    {CAIRN_GAP_TRUNCATED, CLI_TRUNCATED, CAIRN_WARNING,
     "in a packet that the end of the source cuts short",
     "the buffer was full, or it was read before the trace unit was flushed: disable the trace "
     "unit and wait for TRCSTATR.IDLE, flush the formatter, then read"},
    {CAIRN_GAP_NOT_DECODED, CLI_NOT_DECODED, CAIRN_WARNING,
     "in packets, or of ThumbEE or Jazelle code, that this version does not decode",
     "leave data trace and conditional trace off in TRCCONFIGR (INSTP0, COND, DA, DV)"},
    {CAIRN_GAP_NO_ADDRESS, CLI_NO_ADDRESS, CAIRN_WARNING,
     "before an address and a context were known",
     "nothing, if it is a few bytes behind a synchronisation or follows from missing memory; else "
     "packets are missing before"},
    {CAIRN_GAP_RETURN_STACK, CLI_RETURN_STACK, CAIRN_PROBLEM,
     "in returns without an address and an empty return stack",
     "TRCCONFIGR.RS may be given as 1 although the trace was made without it, the image may be of "
     "another build, or calls were lost before"},
    {CAIRN_GAP_DISCARD, CLI_DISCARD, CAIRN_NOTE, "not resolved when the trace unit discarded them",
     "normal where tracing was switched off in the middle of speculative execution"},
    {CAIRN_GAP_UNRESOLVED, CLI_UNRESOLVED, CAIRN_NOTE, "still speculative at the end of the source",
     "normal at the end of a buffer: whether these were executed is not in the trace"},
    {CAIRN_GAP_LIMIT, CLI_LIMIT, CAIRN_PROBLEM,
     "beyond a bound on speculation, transactions or walks",
     "TRCIDR8.MAXSPEC or a Trace Info packet gives an impossible speculation depth, or the image "
     "holds endless straight code: the bytes are damaged or the image is not the program"},
};

/* What the protocol says of a gap, else what is said of most. */
static const char *gap_text(enum cairn_account account, const struct cairn_gap_advice *own,
                            const char *of_most)
{
    for (; own && own->text; own++)
        if (own->account == account)
            return own->text;
    return of_most;
}

static const char *gap_advice(enum cairn_account account, const char *of_most,
                              enum cairn_protocol_id protocol)
{
    return gap_text(account, cairn_about(protocol)->gap_advice, of_most);
}

/* "12 bytes (1.5 %) in reserved packets". */
static void gap_sentence(const struct cli_audit_source *source, enum cairn_account account,
                         const char *what, char sentence[CLI_SENTENCE_MAX])
{
    const uint64_t bytes = source->ledger.account[account].bytes;
    char share[CLI_SHARE_MAX];

    cli_share(bytes, source->bytes, share);
    cli_finding_sentence(sentence, "%llu byte%s (%s) %s", (unsigned long long)bytes,
                         cairn_plural(bytes), share, what);
}

static struct cli_cost gap_cost(const struct cli_audit_source *source, enum cairn_account account)
{
    return cli_cost_of(source, source->ledger.lost[account], source->ledger.account[account].bytes);
}

/* The protocol has synchronisations, and the source none. */
static bool no_sync_at_all(const struct cli_audit_source *source)
{
    const struct cairn_account_sum *account = source->ledger.account;

    if (cairn_about(source->info.protocol)->samples)
        return account[CAIRN_GAP_NO_SYNC].bytes && !account[CAIRN_ACCOUNT_FLOW].bytes &&
               !account[CAIRN_ACCOUNT_METADATA].bytes;
    return cairn_about(source->info.protocol)->sync_zeros && source->bytes &&
           source->ledger.account[CAIRN_GAP_NO_SYNC].bytes == source->bytes;
}

static void check_no_sync_at_all(struct cli_findings *findings,
                                 const struct cli_audit_source *source)
{
    const struct cairn_about *about = cairn_about(source->info.protocol);
    char sentence[CLI_SENTENCE_MAX], advice[CLI_SENTENCE_MAX];
    struct cli_finding finding = {
        .code = CLI_NO_SYNC,
        .severity = CAIRN_PROBLEM,
        .loss = CLI_LOSES_DATA,
        .where = source->info.name,
        .what = sentence,
        .advice = advice,
        .cost.bytes = source->bytes,
    };

    if (about->samples) {
        finding.advice = gap_advice(CAIRN_GAP_NO_SYNC, "", source->info.protocol);
        cli_finding_sentence(sentence, "no branch with a full address anywhere: nothing could be "
                                       "decoded");
        cli_findings_add(findings, &finding);
        return;
    }
    cli_finding_sentence(sentence,
                         "no synchronisation anywhere (%s zero bytes, then 0x80): nothing could be "
                         "decoded",
                         about->sync_text);
    cli_finding_sentence(
        advice,
        "the bytes are not %s trace, or formatter frames hide it (--frames "
        "coresight; --frames none if they are taken for frames wrongly), or the trace "
        "is shorter than one synchronisation period (%s)",
        about->family ? about->family : about->name, about->sync_register);
    cli_findings_add(findings, &finding);
}

/* A few branches before the first address are usual, and many are not. */
static enum cairn_severity severity_of(const struct cli_audit_source *source,
                                       const struct gap_rule *rule)
{
    const struct cli_known known = cli_known_of(source);
    const uint64_t all = known.followed + known.lost;

    return rule->account == CAIRN_GAP_NO_ADDRESS && source->ledger.lost[rule->account] > all / MUCH
               ? CAIRN_PROBLEM
               : rule->severity;
}

/* Places in the middle of a port's samples where the capture device left cycles out. */
static uint64_t missing_cycles(const struct cli_audit_source *source)
{
    const struct cli_sighting *first = &source->gaps[CAIRN_GAP_NO_SYNC];

    if (!cairn_about(source->info.protocol)->samples || !first->count)
        return 0;
    return first->count - (first->offset == 0);
}

/* With what could not be decoded at the beginning, since bytes are counted together. */
static void check_missing_cycles(struct cli_findings *findings,
                                 const struct cli_audit_source *source)
{
    const uint64_t places = missing_cycles(source);
    char sentence[CLI_SENTENCE_MAX], what[CLI_SENTENCE_MAX];
    struct cli_finding finding = {
        .code = CLI_MISSING_CYCLES,
        .severity = CAIRN_WARNING,
        .loss = CLI_LOSES_DATA,
        .where = source->info.name,
        .what = sentence,
        .advice = "the device could not keep up, or its memory was read in pieces: store no "
                  "cycles of Trace Disabled (PIPESTAT 7 with TRACEPKT[0] 0), or a shorter time",
        .first = &source->gaps[CAIRN_GAP_NO_SYNC],
        .cost = gap_cost(source, CAIRN_GAP_NO_SYNC),
    };

    cli_finding_sentence(what, "%sbehind cycles that are missing, in %llu place%s",
                         finding.first->offset == 0 ? "at the beginning and " : "",
                         (unsigned long long)places, cairn_plural(places));
    gap_sentence(source, CAIRN_GAP_NO_SYNC, what, sentence);
    cli_findings_add(findings, &finding);
}

static void check_gaps(struct cli_findings *findings, const struct cli_audit_source *source)
{
    char sentence[CLI_SENTENCE_MAX];

    for (size_t i = 0; i < sizeof gap_rules / sizeof gap_rules[0]; i++) {
        const struct gap_rule *rule = &gap_rules[i];
        const struct cli_sighting *first = &source->gaps[rule->account];
        const bool all_unsynced = rule->account == CAIRN_GAP_NO_SYNC && no_sync_at_all(source);
        const bool told =
            rule->account == CAIRN_GAP_NOT_DECODED && source->state == CLI_AUDIT_PACKETS_ONLY;
        if ((!source->ledger.account[rule->account].bytes && !first->count) || all_unsynced || told)
            continue;
        if (rule->account == CAIRN_GAP_NO_SYNC && missing_cycles(source)) {
            check_missing_cycles(findings, source);
            continue;
        }
        const bool by_losses =
            rule->account == CAIRN_GAP_TRUNCATED && source->gaps[CAIRN_GAP_LOST].count;
        gap_sentence(source, rule->account,
                     by_losses
                         ? "in packets that a loss of trace, or the end, cuts short"
                         : gap_text(rule->account, cairn_about(source->info.protocol)->gap_names,
                                    rule->what),
                     sentence);
        const bool harmless = cli_gap_is_harmless(&source->ledger, rule->account);
        struct cli_finding finding = {
            .code = rule->code,
            .severity = harmless ? CAIRN_NOTE : severity_of(source, rule),
            .loss = harmless ? CLI_LOSES_NOTHING : CLI_LOSES_DATA,
            .where = source->info.name,
            .what = sentence,
            .advice = by_losses
                          ? "the capture says where trace was lost: record with a larger buffer"
                          : gap_advice(rule->account, rule->advice, source->info.protocol),
            .first = first,
            .cost = gap_cost(source, rule->account),
        };
        cli_findings_add(findings, &finding);
    }
}

/* One instruction may have lost its data at the end (docs/etmv1.md). */
static void check_lost_data(struct cli_findings *findings, const struct cli_audit_source *source)
{
    const uint64_t lost = source->lost_transfers.count;
    char sentence[CLI_SENTENCE_MAX];
    const struct cli_finding finding = {
        .code = CLI_LOST_DATA,
        .severity = CAIRN_WARNING,
        .loss = CLI_LOSES_DATA,
        .where = source->info.name,
        .what = sentence,
        .advice = cairn_about(source->info.protocol)->lost_data_advice,
        .first = &source->lost_transfers,
    };

    if (!finding.advice || source->overflows.count || lost <= 1 + source->transfers / MUCH)
        return;
    cli_finding_sentence(sentence,
                         "data of %llu instructions did not come, of %llu transfers and "
                         "instructions",
                         (unsigned long long)lost, (unsigned long long)(source->transfers + lost));
    cli_findings_add(findings, &finding);
}

/* ---- memory ---- */

/* What follows from a gap costs less than it, as a rule, and does not come before it. */
static bool costs_less(const struct cli_audit_source *source, enum cairn_account other,
                       enum cairn_account cause)
{
    return source->ledger.lost[other] <= source->ledger.lost[cause] &&
           source->gaps[other].offset >= source->gaps[cause].offset;
}

static void check_missing_image(struct cli_findings *findings,
                                const struct cli_audit_source *source)
{
    static const char *const all[] = {CLI_NO_ADDRESS, CLI_RETURN_STACK, CLI_STALE_RETURN, NULL};
    const char *const *const unseen =
        all + !costs_less(source, CAIRN_GAP_NO_ADDRESS, CAIRN_GAP_NO_IMAGE);
    const struct cli_sighting *first = &source->gaps[CAIRN_GAP_NO_IMAGE];
    const uint64_t bytes = source->ledger.account[CAIRN_GAP_NO_IMAGE].bytes;
    char sentence[CLI_SENTENCE_MAX], share[CLI_SHARE_MAX];

    if (!bytes && !first->count)
        return;
    cli_share(bytes, source->bytes, share);
    cli_finding_sentence(sentence,
                         "%llu byte%s (%s) in %llu packet%s could not be followed: no image for "
                         "these addresses",
                         (unsigned long long)bytes, cairn_plural(bytes), share,
                         (unsigned long long)first->count, cairn_plural(first->count));
    struct cli_finding finding = {
        .code = CLI_NO_IMAGE,
        .severity = CAIRN_PROBLEM,
        .loss = CLI_LOSES_DATA,
        .where = source->info.name,
        .what = sentence,
        .advice = cli_missing_advice(findings, source),
        .first = first,
        .ranges = source->missing.count ? &source->missing : NULL,
        .cost = gap_cost(source, CAIRN_GAP_NO_IMAGE),
        .explains = unseen,
    };
    cli_findings_add(findings, &finding);
}

/* Contradictions between the trace and the image, of whatever kind. */
struct contradiction {
    unsigned warning;
    const char *one, *many; /* behind a number */
};
static const struct contradiction contradictions[] = {
    {CAIRN_WARNING_TARGET_MISMATCH, "direct branch goes elsewhere", "direct branches go elsewhere"},
    {CAIRN_WARNING_RESERVED_N, "N for an instruction that cannot be N",
     "N for instructions that cannot be N"},
};
#define CONTRADICTIONS (sizeof contradictions / sizeof contradictions[0])

static void count_first(const struct cli_sighting *seen, struct cli_sighting *first)
{
    if (!seen->count)
        return;
    if (!first->count || seen->offset < first->offset) {
        const uint64_t count = first->count;
        *first = *seen;
        first->count = count;
    }
    first->count += seen->count;
}

static const char *mismatch_advice(const struct cli_audit_source *source)
{
    const struct cairn_about *about = cairn_about(source->info.protocol);

    if (about->mismatch_advice && !source->ledger.account[CAIRN_GAP_INCONSISTENT].bytes)
        return about->mismatch_advice;
    return about->memory
               ? "the image is not what ran (another build or load address), or packets of the "
                 "dump are missing or in another order: check POSITION and MASTER"
               : "the image is not what ran: another build, another load address, code changed at "
                 "run time (patched kernel text, JIT), or a core type with other instructions";
}

/* Without a program there is nothing that the trace could contradict: packets did not join. */
static void check_no_program(struct cli_findings *findings, const struct cli_audit_source *source)
{
    char sentence[CLI_SENTENCE_MAX];

    gap_sentence(source, CAIRN_GAP_INCONSISTENT,
                 "in packets that do not join, and there is no image to follow", sentence);
    struct cli_finding finding = {
        .code = CLI_NO_IMAGE,
        .severity = CAIRN_PROBLEM,
        .loss = CLI_LOSES_DATA,
        .where = source->info.name,
        .what = sentence,
        .advice =
            "give the program with --image FILE.elf or --image DUMP.bin@ADDRESS; if the packets do "
            "not join then either, some are missing or their order is wrong: for the dump of an "
            "MTB give --set POSITION=VALUE, and --set MASTER=VALUE, as they were when it was read",
        .first = &source->gaps[CAIRN_GAP_INCONSISTENT],
        .cost = gap_cost(source, CAIRN_GAP_INCONSISTENT),
    };
    cli_findings_add(findings, &finding);
}

static void check_contradictions(struct cli_findings *findings,
                                 const struct cli_audit_source *source)
{
    static const char *const all[] = {CLI_NO_ADDRESS, CLI_RETURN_STACK, CLI_STALE_RETURN, CLI_LIMIT,
                                      NULL};
    const char *const *const follow =
        all + !costs_less(source, CAIRN_GAP_NO_ADDRESS, CAIRN_GAP_INCONSISTENT);
    const struct cli_sighting *gap = &source->gaps[CAIRN_GAP_INCONSISTENT];
    char sentence[CLI_SENTENCE_MAX];
    struct cli_sighting first = {.count = 0};
    uint64_t wrong = 0;

    count_first(gap, &first);
    for (size_t i = 0; i < CONTRADICTIONS; i++) {
        count_first(&source->warnings[contradictions[i].warning], &first);
        wrong += source->warnings[contradictions[i].warning].count;
    }
    /* else told by the file that has the instructions, if that is known */
    if (!first.count || findings->audit->contradictions->count)
        return;
    if (!cairn_image_layer_count(cairn_capture_image(findings->audit->session->capture))) {
        check_no_program(findings, source);
        return;
    }
    cli_finding_sentence(sentence, "the trace and the image contradict each other %llu time%s",
                         (unsigned long long)first.count, cairn_plural(first.count));
    for (size_t i = 0; i < CONTRADICTIONS; i++) {
        const uint64_t count = source->warnings[contradictions[i].warning].count;
        const size_t length = strlen(sentence);
        if (count)
            snprintf(sentence + length, CLI_SENTENCE_MAX - length, "; %llu %s",
                     (unsigned long long)count,
                     count == 1 ? contradictions[i].one : contradictions[i].many);
    }
    if (gap->count) {
        const size_t length = strlen(sentence);
        snprintf(sentence + length, CLI_SENTENCE_MAX - length,
                 "; %llu packet%s cannot be followed at all", (unsigned long long)gap->count,
                 cairn_plural(gap->count));
    }
    const size_t length = strlen(sentence);
    snprintf(sentence + length, CLI_SENTENCE_MAX - length, ", first at address 0x%llx",
             (unsigned long long)first.address);
    struct cli_finding finding = {
        .code = CLI_IMAGE_CONTRADICTED,
        .severity = CAIRN_PROBLEM,
        .loss = CLI_LOSES_DATA,
        .where = source->info.name,
        .what = sentence,
        .advice = mismatch_advice(source),
        .first = &first,
        .cost = cli_cost_of(source, source->ledger.lost[CAIRN_GAP_INCONSISTENT] + wrong,
                            source->ledger.account[CAIRN_GAP_INCONSISTENT].bytes),
        .explains = follow,
    };
    cli_findings_add(findings, &finding);
}

/* ---- warnings ---- */

struct warning_rule {
    unsigned warning;
    const char *code;
    enum cairn_severity severity;
    const char *advice;
};

static const struct warning_rule warning_rules[] = {
    {CAIRN_WARNING_UNCERTAIN, CLI_UNCERTAIN, CAIRN_NOTE,
     "the trace unit stopped there: do not rely on the last branch"},
    {CAIRN_WARNING_IMPRECISE, CLI_IMPRECISE, CAIRN_NOTE,
     "nothing: some exceptions do not tell exactly what ran, or was stored, before them"},
    {CAIRN_WARNING_UNDEFINED, CLI_UNDEFINED, CAIRN_WARNING,
     "the image is probably not what ran (another build or load address, or code that changed at "
     "run time), or the core has instructions that its type has not"},
    {CAIRN_WARNING_SF_IS1, CLI_CONTEXT, CAIRN_WARNING,
     "damaged bytes, or an architecture newer than the trace unit's TRCDEVARCH says"},
    {CAIRN_WARNING_CONTEXT_SBZ, CLI_CONTEXT, CAIRN_WARNING,
     "damaged bytes, or an architecture newer than the trace unit's TRCDEVARCH says"},
    {CAIRN_WARNING_TRANSACTION_UNRESOLVED, CLI_TRANSACTION, CAIRN_WARNING,
     "damaged bytes, or the end of a transaction was lost"},
    {CAIRN_WARNING_TRANSACTION_NESTED, CLI_TRANSACTION, CAIRN_WARNING,
     "damaged bytes, or the end of a transaction was lost"},
    {CAIRN_WARNING_OVER_COMMIT, CLI_OVER_COMMIT, CAIRN_WARNING,
     "TRCIDR8.MAXSPEC or TRCIDR0.COMMOPT may be given wrong, or packets are missing"},
    {CAIRN_WARNING_CONTINUES, CLI_CONTINUES, CAIRN_WARNING,
     "an address is missing behind the exception: packets were lost, or the exception is of a kind "
     "that this core defines"},
    {CAIRN_WARNING_STALE_RETURN, CLI_STALE_RETURN, CAIRN_WARNING,
     "give the missing memory: calls and returns in it went by unseen, so this return may have "
     "gone elsewhere"},
    {CAIRN_WARNING_SOURCE_ISA, CLI_SOURCE_ISA, CAIRN_NOTE,
     "nothing: the address was followed in the instruction set that is being executed; some models "
     "of trace units write T32 for A32 code"},
};

static void check_warnings(struct cli_findings *findings, const struct cli_audit_source *source)
{
    const char *over_commit = cairn_about(source->info.protocol)->over_commit_advice;
    char sentence[CLI_SENTENCE_MAX];

    for (size_t i = 0; i < sizeof warning_rules / sizeof warning_rules[0]; i++) {
        const struct warning_rule *rule = &warning_rules[i];
        const struct cli_sighting *first = &source->warnings[rule->warning];
        const bool told =
            rule->warning == CAIRN_WARNING_UNDEFINED && findings->audit->contradictions->count;
        if (!first->count || told)
            continue;
        cli_finding_sentence(sentence, "%s: %llu time%s, first at address 0x%llx",
                             cairn_flow_warning_text(rule->warning),
                             (unsigned long long)first->count, cairn_plural(first->count),
                             (unsigned long long)first->address);
        struct cli_finding finding = {
            .code = rule->code,
            .severity = rule->severity,
            .where = source->info.name,
            .what = sentence,
            .advice = rule->warning == CAIRN_WARNING_OVER_COMMIT && over_commit ? over_commit
                                                                                : rule->advice,
            .first = first,
        };
        cli_findings_add(findings, &finding);
    }
}

/* An overflow loses what was executed, even where no byte of the trace is a gap. */
static void check_overflows(struct cli_findings *findings, const struct cli_audit_source *source)
{
    const uint64_t overflows = source->summary.records[CAIRN_FLOW_OVERFLOW];
    const uint64_t bytes = source->ledger.account[CAIRN_GAP_OVERFLOW].bytes;
    const struct cli_sighting *gap = &source->gaps[CAIRN_GAP_OVERFLOW];
    const struct cli_sighting *first = source->overflows.count ? &source->overflows : gap;
    char sentence[CLI_SENTENCE_MAX];

    if (!overflows && !gap->count && !bytes)
        return;
    cli_finding_sentence(sentence,
                         "the trace unit overflowed %llu time%s: what ran then is not traced",
                         (unsigned long long)overflows, cairn_plural(overflows));
    if (bytes) {
        const size_t length = strlen(sentence);
        snprintf(sentence + length, CLI_SENTENCE_MAX - length,
                 ", and %llu byte%s before %s not resolved", (unsigned long long)bytes,
                 cairn_plural(bytes), bytes == 1 ? "was" : "were");
    }
    struct cli_finding finding = {
        .code = CLI_OVERFLOW,
        .severity = CAIRN_PROBLEM,
        .loss = CLI_LOSES_DATA,
        .where = source->info.name,
        .what = sentence,
        .advice = gap_advice(CAIRN_GAP_OVERFLOW,
                             "trace less (filters, no cycle counts or timestamps), or let the "
                             "trace unit stall the core (TRCSTALLCTLR)",
                             source->info.protocol),
        .first = first,
        .cost = gap_cost(source, CAIRN_GAP_OVERFLOW),
    };
    cli_findings_add(findings, &finding);
}

static void check_unknown_q(struct cli_findings *findings, const struct cli_audit_source *source)
{
    char sentence[CLI_SENTENCE_MAX];

    if (!source->unknown_q)
        return;
    cli_finding_sentence(sentence,
                         "%llu Q element%s tell%s that instructions were executed, and not which: "
                         "there was a branch among them, or no count",
                         (unsigned long long)source->unknown_q, cairn_plural(source->unknown_q),
                         source->unknown_q == 1 ? "s" : "");
    struct cli_finding finding = {
        .code = CLI_UNKNOWN_Q,
        .severity = CAIRN_WARNING, /* the trace was made so: no gap */
        .where = source->info.name,
        .what = sentence,
        .advice = "trace without Q elements (TRCCONFIGR.QE, TRCQCTLR), or with those that have a "
                  "count",
        .cost = cli_cost_of(source, source->unknown_q, 0),
    };
    cli_findings_add(findings, &finding);
}

/* Whether nothing at all was traced. */
static bool is_all_empty(const struct cli_audit *audit)
{
    for (size_t i = 0; i < audit->source_count; i++)
        if (audit->sources[i].bytes && !cli_is_without_trace(&audit->sources[i]))
            return false;
    return true;
}

/* Nothing is missing of what was to be traced; but perhaps something else was meant. */
static void check_no_data(struct cli_findings *findings, const struct cli_audit_source *source)
{
    const bool waits = cli_waits_for_start(&source->info);
    const struct cli_finding finding = {
        .code = CLI_NO_DATA,
        .severity = is_all_empty(findings->audit) ? CAIRN_WARNING : CAIRN_NOTE,
        .where = source->info.name,
        .what = waits           ? CLI_NEVER_STARTED
                : source->bytes ? "nothing was traced: all bytes are padding"
                                : "the buffer holds no data of this source",
        .advice = waits ? "nothing, if it was not to run there; else choose a start point that is "
                          "executed (cairn record --start), or none"
                        : "nothing, if its core was not to be traced; else check that its trace "
                          "unit was enabled, and its trace ID",
    };

    cli_findings_add(findings, &finding);
}

void cli_check_flow(struct cli_findings *findings, size_t index)
{
    const struct cli_audit_source *source = &findings->audit->sources[index];

    if (no_sync_at_all(source))
        check_no_sync_at_all(findings, source);
    if (!source->bytes || cli_is_without_trace(source))
        check_no_data(findings, source);
    check_gaps(findings, source);
    check_lost_data(findings, source);
    if (source->state != CLI_AUDIT_DECODED)
        return;
    check_missing_image(findings, source);
    check_contradictions(findings, source);
    check_overflows(findings, source);
    check_unknown_q(findings, source);
    check_warnings(findings, source);
}
