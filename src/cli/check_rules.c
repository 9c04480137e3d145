/* SPDX-License-Identifier: BSD-2-Clause */
/* What can be wrong with a capture, how to tell, and what helps: one table or function a rule. */
#include <stdio.h>
#include <string.h>

#include "base/letters.h"
#include "cli/findings.h"
#include "cli/protocols.h"
#include "protocol/about.h"

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

/* A gap that needs no more than its name and what helps. */
struct gap_rule {
    enum cairn_account account;
    enum cairn_severity severity;
    const char *what;
    const char *advice;
};

static const struct gap_rule gap_rules[] = {
    {CAIRN_GAP_NO_SYNC, CAIRN_NOTE, "before the first synchronisation",
     "normal where the buffer wrapped around; a smaller TRCSYNCPR (ETMSYNCFR) makes the trace unit "
     "synchronise "
     "more often"},
    {CAIRN_GAP_RESERVED, CAIRN_PROBLEM, "in reserved packets and behind them",
     "the bytes are damaged, or they are not of this protocol or this trace ID: compare the "
     "protocol, TRCDEVARCH, the frame layout and the trace ID with what the hardware is set to"},
    {CAIRN_GAP_CUT, CAIRN_PROBLEM, "in packets that a synchronisation cuts short",
     "bytes are missing there: a dump taken while the trace unit was running, a lossy trace port "
     "or "
     "a buffer that wrapped"},
    {CAIRN_GAP_TRUNCATED, CAIRN_NOTE, "in a packet that the end of the source cuts short",
     "the buffer was full, or it was read before the trace unit was flushed: disable the trace "
     "unit "
     "and wait for TRCSTATR.IDLE, flush the formatter, then read"},
    {CAIRN_GAP_NOT_DECODED, CAIRN_WARNING,
     "in packets, or of ThumbEE or Jazelle code, that this version does not decode",
     "leave data trace and conditional trace off in TRCCONFIGR (INSTP0, COND, DA, DV)"},
    {CAIRN_GAP_NO_ADDRESS, CAIRN_WARNING, "before an address and a context were known",
     "nothing, if it is a few bytes behind a synchronisation or follows from missing memory; else "
     "packets are missing before"},
    {CAIRN_GAP_RETURN_STACK, CAIRN_PROBLEM,
     "in returns without an address and an empty return stack",
     "TRCCONFIGR.RS may be given as 1 although the trace was made without it, the image may be of "
     "another build, or calls were lost before"},
    {CAIRN_GAP_OVERFLOW, CAIRN_PROBLEM, "not resolved when the trace unit overflowed",
     "trace less (filters, no cycle counts or timestamps), or let the trace unit stall the core "
     "(TRCSTALLCTLR)"},
    {CAIRN_GAP_DISCARD, CAIRN_NOTE, "not resolved when the trace unit discarded them",
     "normal where tracing was switched off in the middle of speculative execution"},
    {CAIRN_GAP_UNRESOLVED, CAIRN_NOTE, "still speculative at the end of the source",
     "normal at the end of a buffer: whether these were executed is not in the trace"},
    {CAIRN_GAP_LIMIT, CAIRN_PROBLEM, "beyond a bound on speculation, transactions or walks",
     "TRCIDR8.MAXSPEC or a Trace Info packet gives an impossible speculation depth, or the image "
     "holds endless straight code: the bytes are damaged or the image is not the program"},
    {CAIRN_GAP_INCONSISTENT, CAIRN_PROBLEM, "where the trace and the image contradict each other",
     "the image is not what ran: another build, another load address, code changed at run time "
     "(patched kernel text, JIT), or a core type with other instructions; in the dump of an MTB "
     "packets may be missing or in another order: check POSITION and MASTER"},
};

static const char *warning_advice(unsigned warning, enum cairn_protocol_id protocol)
{
    const struct cairn_about *about = cairn_about(protocol);

    if (about->over_commit_advice && warning == CAIRN_WARNING_OVER_COMMIT)
        return about->over_commit_advice;
    if (about->mismatch_advice && warning == CAIRN_WARNING_TARGET_MISMATCH)
        return about->mismatch_advice;
    switch ((enum cairn_flow_warning)warning) {
    case CAIRN_WARNING_RESERVED_N:
    case CAIRN_WARNING_TARGET_MISMATCH:
    case CAIRN_WARNING_UNDEFINED:
        return "the image is probably not what ran: another build or load address, or code that "
               "changed at run time";
    case CAIRN_WARNING_UNCERTAIN:
        return "the trace unit stopped there: do not rely on the last branch";
    case CAIRN_WARNING_IMPRECISE:
        return "nothing: some exceptions do not tell exactly what ran, or was stored, before them";
    case CAIRN_WARNING_SF_IS1:
    case CAIRN_WARNING_CONTEXT_SBZ:
        return "damaged bytes, or an architecture newer than the trace unit's TRCDEVARCH says";
    case CAIRN_WARNING_TRANSACTION_UNRESOLVED:
    case CAIRN_WARNING_TRANSACTION_NESTED:
        return "damaged bytes, or the end of a transaction was lost";
    case CAIRN_WARNING_OVER_COMMIT:
        return "TRCIDR8.MAXSPEC or TRCIDR0.COMMOPT may be given wrong, or packets are missing";
    case CAIRN_WARNING_CONTINUES:
        return "an address is missing behind the exception: packets were lost, or the exception is "
               "of a kind that this core defines";
    case CAIRN_WARNING_STALE_RETURN:
        return "give the missing memory: calls and returns in it went by unseen, so this return "
               "may "
               "have gone elsewhere";
    case CAIRN_WARNING_SOURCE_ISA:
        return "nothing: the address was followed in the instruction set that is being executed; "
               "some models of trace units write T32 for A32 code";
    }
    return NULL;
}

void cli_check_capture(struct cli_findings *findings)
{
    struct cairn_capture *capture = findings->audit->session->capture;
    struct cairn_remark remark;

    for (size_t i = 0; !cairn_capture_remark(capture, i, &remark); i++) {
        struct cli_finding finding = {.severity = remark.severity, .what = remark.text};
        cli_findings_add(findings, &finding);
    }
    if (!findings->audit->source_count) {
        struct cli_finding finding = {
            .severity = CAIRN_PROBLEM,
            .loss = CLI_LOSES_DATA,
            .what = "the capture has no trace source",
            .advice = "for a raw buffer give --protocol (etmv4, ete ...), and --frames when it "
                      "holds formatter frames",
        };
        cli_findings_add(findings, &finding);
    }
}

static void check_buffer_part(struct cli_findings *findings, const struct cli_audit_buffer *buffer,
                              uint64_t bytes, const char *what, const char *advice)
{
    char sentence[CLI_SENTENCE_MAX];

    if (!bytes)
        return;
    cli_finding_sentence(sentence, "%llu byte%s (%.2f%%) %s", (unsigned long long)bytes,
                         cairn_plural(bytes), percent(bytes, buffer->info.bytes), what);
    struct cli_finding finding = {
        .severity = CAIRN_WARNING,
        .loss = CLI_LOSES_DATA,
        .where = buffer->info.name,
        .what = sentence,
        .advice = advice,
        .bytes = bytes,
    };
    cli_findings_add(findings, &finding);
}

void cli_check_buffer(struct cli_findings *findings, const struct cli_audit_buffer *buffer)
{
    const struct cairn_buffer_account *account = &buffer->account;

    if (!buffer->info.bytes) {
        struct cli_finding finding = {
            .severity = CAIRN_PROBLEM,
            .loss = CLI_LOSES_DATA,
            .where = buffer->info.name,
            .what = "the buffer is empty or its file is missing",
            .advice =
                "was the trace unit enabled (TRCPRGCTLR.EN), did the traced code run, and did "
                "the dump read the right memory?",
        };
        cli_findings_add(findings, &finding);
    }
    check_buffer_part(findings, buffer, account->truncated, "of an incomplete last frame",
                      "frames are 16 bytes: the file was cut off, or it is not made of frames "
                      "(--frames none)");
    check_buffer_part(
        findings, buffer, account->unaligned, "before the first frame",
        "normal for a few bytes of a trace port stream that was joined in the middle");
    check_buffer_part(findings, buffer, account->no_id, "before the first trace ID",
                      "normal where the buffer wrapped around");
    cli_check_order(findings, buffer);
    if (buffer->accounted != buffer->info.bytes) {
        struct cli_finding finding = {
            .severity = CAIRN_PROBLEM,
            .where = buffer->info.name,
            .what = "the ledger does not add up to the file's size: an error in cairn",
            .advice = "please report it with the capture",
        };
        cli_findings_add(findings, &finding);
    }
}

/* A source that was not decoded at all. */
static void check_refused(struct cli_findings *findings, const struct cli_audit_source *source)
{
    char sentence[CLI_SENTENCE_MAX], words[CLI_PROTOCOLS_TEXT], advice[CLI_SENTENCE_MAX];
    struct cli_finding finding = {
        .severity = CAIRN_PROBLEM,
        .loss = source->bytes ? CLI_LOSES_DATA : CLI_LOSES_NOTHING,
        .where = source->info.name,
        .what = sentence,
        .bytes = source->bytes,
    };

    switch (source->state) {
    case CLI_AUDIT_DECODED:
    case CLI_AUDIT_NOT_CHOSEN: return;
    case CLI_AUDIT_OTHER_PROTOCOL:
        if (source->bytes == 0)
            return;
        finding.severity = CAIRN_WARNING;
        cli_finding_sentence(sentence, "%llu byte%s of %s trace %s not decoded",
                             (unsigned long long)source->bytes, cairn_plural(source->bytes),
                             source->info.type ? source->info.type
                                               : cairn_protocol_name(source->info.protocol),
                             source->bytes == 1 ? "is" : "are");
        cli_protocols_sentence(words);
        cli_finding_sentence(advice, "%s; the bytes are accounted as a gap", words);
        finding.advice = advice;
        break;
    case CLI_AUDIT_PACKETS_ONLY:
        finding.severity = CAIRN_WARNING;
        cli_finding_sentence(sentence, "%s", source->why.text);
        finding.advice = "`cairn packets` lists them; the bytes that decide the flow are accounted "
                         "as a gap";
        finding.bytes = source->ledger.account[CAIRN_GAP_NOT_DECODED].bytes;
        break;
    case CLI_AUDIT_NO_CONFIG:
        if (source->info.trace_id < 0) {
            cli_finding_sentence(sentence, "%llu byte%s of an unknown protocol %s not decoded",
                                 (unsigned long long)source->bytes, cairn_plural(source->bytes),
                                 source->bytes == 1 ? "is" : "are");
            finding.advice = "give --protocol and --core, and the trace unit's registers with "
                             "--set or --config";
            break;
        }
        cli_finding_sentence(sentence,
                             "%llu byte%s %s a trace ID that no trace unit is configured for",
                             (unsigned long long)source->bytes, cairn_plural(source->bytes),
                             source->bytes == 1 ? "has" : "have");
        finding.advice = "describe the trace unit with that TRCTRACEIDR in the capture, or give "
                         "--id with --protocol and its registers for a raw buffer";
        break;
    case CLI_AUDIT_REFUSED:
        finding.loss = CLI_LOSES_DATA;
        cli_finding_sentence(sentence, "%s", source->why.text);
        finding.advice = "correct the value in the capture's file, or over it with "
                         "--set REGISTER=VALUE";
        break;
    }
    cli_findings_add(findings, &finding);
}

static void check_notes(struct cli_findings *findings, const struct cli_audit_source *source)
{
    const char *note;

    for (size_t i = 0; (note = cairn_config_note(source->config, i)); i++) {
        struct cli_finding finding = {
            .severity = CAIRN_WARNING,
            .where = source->info.name,
            .what = note,
        };
        cli_findings_add(findings, &finding);
    }
}

/* The protocol has synchronisations, and the source none. */
static bool no_sync_at_all(const struct cli_audit_source *source)
{
    return cairn_about(source->info.protocol)->sync_zeros && source->bytes &&
           source->ledger.account[CAIRN_GAP_NO_SYNC].bytes == source->bytes;
}

static void check_no_sync_at_all(struct cli_findings *findings,
                                 const struct cli_audit_source *source)
{
    const struct cairn_about *about = cairn_about(source->info.protocol);
    char sentence[CLI_SENTENCE_MAX], advice[CLI_SENTENCE_MAX];
    struct cli_finding finding = {
        .severity = CAIRN_PROBLEM,
        .loss = CLI_LOSES_DATA,
        .where = source->info.name,
        .what = sentence,
        .advice = advice,
        .bytes = source->bytes,
    };

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

static void check_missing_image(struct cli_findings *findings,
                                const struct cli_audit_source *source)
{
    uint64_t bytes = source->ledger.account[CAIRN_GAP_NO_IMAGE].bytes;
    const struct cli_sighting *first = &source->gaps[CAIRN_GAP_NO_IMAGE];
    struct cairn_image *image = cairn_capture_image(findings->audit->session->capture);
    char sentence[CLI_SENTENCE_MAX];

    if (!bytes && !first->count)
        return;
    cli_finding_sentence(
        sentence,
        "%llu byte%s (%.2f%%) in %llu packet%s could not be followed: no image for these "
        "addresses",
        (unsigned long long)bytes, cairn_plural(bytes), percent(bytes, source->bytes),
        (unsigned long long)first->count, cairn_plural(first->count));
    struct cli_finding finding = {
        .severity = CAIRN_PROBLEM,
        .loss = CLI_LOSES_DATA,
        .where = source->info.name,
        .what = sentence,
        .advice =
            cairn_image_layer_count(image)
                ? "give the program or library that was loaded there: --image FILE.elf, "
                  "--image FILE.elf@LOAD_OFFSET (position independent) or --image "
                  "DUMP.bin@ADDRESS"
                : "the capture has no image at all: give the program with --image FILE.elf or "
                  "--image DUMP.bin@ADDRESS",
        .first = first,
        .ranges = source->missing.count ? &source->missing : NULL,
        .bytes = bytes,
    };
    cli_findings_add(findings, &finding);
}

/* What the protocol says against a gap, else what is said of most. */
static const char *gap_advice(enum cairn_account account, const char *of_most,
                              enum cairn_protocol_id protocol)
{
    const struct cairn_gap_advice *own = cairn_about(protocol)->gap_advice;

    for (; own && own->text; own++)
        if (own->account == account)
            return own->text;
    return of_most;
}

static void check_gaps(struct cli_findings *findings, const struct cli_audit_source *source)
{
    char sentence[CLI_SENTENCE_MAX];

    for (size_t i = 0; i < sizeof gap_rules / sizeof gap_rules[0]; i++) {
        const struct gap_rule *rule = &gap_rules[i];
        uint64_t bytes = source->ledger.account[rule->account].bytes;
        const struct cli_sighting *first = &source->gaps[rule->account];
        bool all_unsynced = rule->account == CAIRN_GAP_NO_SYNC && no_sync_at_all(source);
        bool told =
            rule->account == CAIRN_GAP_NOT_DECODED && source->state == CLI_AUDIT_PACKETS_ONLY;
        if ((!bytes && !first->count) || all_unsynced || told)
            continue;
        cli_finding_sentence(sentence, "%llu byte%s (%.2f%%) %s", (unsigned long long)bytes,
                             cairn_plural(bytes), percent(bytes, source->bytes), rule->what);
        struct cli_finding finding = {
            .severity = rule->severity,
            .loss = CLI_LOSES_DATA,
            .where = source->info.name,
            .what = sentence,
            .advice = gap_advice(rule->account, rule->advice, source->info.protocol),
            .first = first,
            .bytes = bytes,
        };
        cli_findings_add(findings, &finding);
    }
}

static void check_warnings(struct cli_findings *findings, const struct cli_audit_source *source)
{
    char sentence[CLI_SENTENCE_MAX];

    for (unsigned warning = 0; warning < CLI_AUDIT_WARNINGS; warning++) {
        const struct cli_sighting *first = &source->warnings[warning];
        if (!first->count)
            continue;
        cli_finding_sentence(sentence, "%s: %llu time%s, first at address 0x%llx",
                             cairn_flow_warning_text(warning), (unsigned long long)first->count,
                             cairn_plural(first->count), (unsigned long long)first->address);
        struct cli_finding finding = {
            .severity = CAIRN_WARNING,
            .where = source->info.name,
            .what = sentence,
            .advice = warning_advice(warning, source->info.protocol),
            .first = first,
        };
        cli_findings_add(findings, &finding);
    }
}

/* An overflow loses what was executed, even where no byte of the trace is a gap. */
static void check_overflows(struct cli_findings *findings, const struct cli_audit_source *source)
{
    uint64_t overflows = source->summary.records[CAIRN_FLOW_OVERFLOW];
    char sentence[CLI_SENTENCE_MAX];

    if (!overflows)
        return;
    cli_finding_sentence(sentence,
                         "the trace unit overflowed %llu time%s: what ran then is not traced",
                         (unsigned long long)overflows, cairn_plural(overflows));
    struct cli_finding finding = {
        .severity = CAIRN_PROBLEM,
        .loss = CLI_LOSES_DATA,
        .where = source->info.name,
        .what = sentence,
        .advice = gap_advice(CAIRN_GAP_OVERFLOW,
                             "trace less (filters, no cycle counts or timestamps), or let the "
                             "trace unit stall the core (TRCSTALLCTLR)",
                             source->info.protocol),
    };
    cli_findings_add(findings, &finding);
}

void cli_check_source(struct cli_findings *findings, size_t index)
{
    const struct cli_audit_source *source = &findings->audit->sources[index];

    check_refused(findings, source);
    if (source->config)
        check_notes(findings, source);
    if (source->state != CLI_AUDIT_DECODED && source->state != CLI_AUDIT_PACKETS_ONLY)
        return;
    if (no_sync_at_all(source))
        check_no_sync_at_all(findings, source);
    if (!source->bytes) {
        struct cli_finding finding = {
            .severity = CAIRN_NOTE,
            .where = source->info.name,
            .what = "the buffer holds no data of this source",
        };
        cli_findings_add(findings, &finding);
    }
    check_gaps(findings, source);
    if (source->state != CLI_AUDIT_DECODED)
        return;
    cli_check_description(findings, index);
    check_missing_image(findings, source);
    check_overflows(findings, source);
    check_warnings(findings, source);
}
