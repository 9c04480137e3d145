/* SPDX-License-Identifier: BSD-2-Clause */
/* What can be wrong with a capture's description, its buffers and its registers, how to tell, and
 * what helps. */
#include <stdio.h>
#include <string.h>

#include "base/letters.h"
#include "capture/model.h"
#include "cli/audit/findings.h"
#include "cli/audit/verdict.h"
#include "cli/options/protocols.h"
#include "protocol/about.h"

/* ---- the description ---- */

static const char *const no_bytes[] = {CLI_EMPTY_BUFFER, CLI_NO_DATA, NULL};
static const char *const no_id[] = {CLI_NO_DATA, NULL};
static const char *const no_protocol[] = {CLI_NO_PROTOCOL, CLI_NO_SOURCE, NULL};
static const char *const no_end[] = {CLI_TRUNCATED, NULL};
static const char *const no_trace[] = {CLI_TRUNCATED, CLI_TRACE_LOST, NULL};

/* A remark that begins with the name of a source or buffer is about it: "ETB_0: ...", "Buffer ETB_0:
 * ...". What it says then, and *where. */
static const char *without_name(const struct cli_audit *audit, const char *text, const char **where)
{
    static const char kind[] = "Buffer ";
    const char *named = strncmp(text, kind, sizeof kind - 1) ? text : text + sizeof kind - 1;

    *where = NULL;
    for (size_t i = 0; i < audit->source_count + audit->buffer_count; i++) {
        const char *name = i < audit->source_count
                               ? audit->sources[i].info.name
                               : audit->buffers[i - audit->source_count].info.name;
        const size_t length = strlen(name);
        if (strncmp(named, name, length) || strncmp(named + length, ": ", 2))
            continue;
        *where = name;
        return named + length + 2;
    }
    return text;
}

static bool same(const char *code, const char *other)
{
    return code && !strcmp(code, other);
}

/* What a rule of its own tells, with what it costs. */
static bool is_told_elsewhere(const struct cli_audit *audit, const char *code, const char *where)
{
    if (same(code, CLI_UNCONFIGURED_ID))
        return true;
    if (same(code, CLI_FRAME_CUT) && where) {
        for (size_t i = 0; i < audit->buffer_count; i++)
            if (!strcmp(where, audit->buffers[i].info.name))
                return audit->buffers[i].account.truncated != 0;
    }
    return same(code, CLI_EMPTY_BUFFER);
}

/* A source that the user did not ask for. */
static bool is_not_chosen(const struct cli_audit *audit, const char *where)
{
    for (size_t i = 0; where && i < audit->source_count; i++)
        if (!strcmp(where, audit->sources[i].info.name))
            return audit->sources[i].state == CLI_AUDIT_NOT_CHOSEN;
    return false;
}

/* A packet of the source is cut short by its end. */
static bool ends_inside(const struct cli_audit *audit, const char *where)
{
    for (size_t i = 0; where && i < audit->source_count; i++)
        if (!strcmp(where, audit->sources[i].info.name))
            return audit->sources[i].ledger.account[CAIRN_GAP_TRUNCATED].bytes != 0;
    return false;
}

static void tell_remark(struct cli_findings *findings, const struct cairn_remark *remark,
                        const char *code)
{
    struct cli_finding finding = {
        .code = code ? code : CLI_DESCRIPTION,
        .severity = remark->severity,
    };

    finding.what = without_name(findings->audit, remark->text, &finding.where);
    if (is_told_elsewhere(findings->audit, code, finding.where) ||
        cli_check_images_has_told(findings, remark->text) ||
        is_not_chosen(findings->audit, finding.where))
        return;
    if (same(code, CLI_MISSING_FILE))
        finding.explains = no_bytes;
    else if (same(code, CLI_WRONG_ID))
        finding.explains = no_id;
    else if (same(code, CLI_TRBE_STOPPED)) {
        finding.explains = no_end; /* the last packet was not waited for */
        finding.loss =
            ends_inside(findings->audit, finding.where) ? CLI_LOSES_DATA : CLI_LOSES_NOTHING;
    } else if (same(code, CLI_TRACE_LOST)) {
        finding.loss = CLI_LOSES_DATA;
    } else if (same(code, CLI_NO_PROTOCOL)) {
        finding.loss = CLI_LOSES_DATA;
        finding.explains = no_protocol;
    }
    cli_findings_add(findings, &finding);
}

void cli_check_capture(struct cli_findings *findings)
{
    const struct cairn_capture *capture = findings->audit->session->capture;
    struct cairn_remark remark;

    for (size_t i = 0; !cairn_capture_remark(capture, i, &remark); i++)
        tell_remark(findings, &remark, cairn_capture_remark_code(capture, i));
    if (!findings->audit->source_count) {
        struct cli_finding finding = {
            .code = CLI_NO_SOURCE,
            .severity = CAIRN_PROBLEM,
            .loss = CLI_LOSES_DATA,
            .what = "the capture has no trace source",
            .advice = "for a raw buffer give --protocol (etmv4, ete ...), and --frames when it "
                      "holds formatter frames",
        };
        cli_findings_add(findings, &finding);
    }
}

/* ---- buffers ---- */

static void check_buffer_part(struct cli_findings *findings, const struct cli_audit_buffer *buffer,
                              const char *code, uint64_t bytes, const char *what,
                              const char *advice)
{
    char sentence[CLI_SENTENCE_MAX], share[CLI_SHARE_MAX];
    const bool cut = !strcmp(code, CLI_FRAME_CUT);

    if (!bytes)
        return;
    cli_share(bytes, buffer->info.bytes, share);
    cli_finding_sentence(sentence, "%llu byte%s (%s) %s", (unsigned long long)bytes,
                         cairn_plural(bytes), share, what);
    struct cli_finding finding = {
        .code = code,
        .severity = cut ? CAIRN_WARNING : CAIRN_NOTE,
        .loss = cut ? CLI_LOSES_DATA : CLI_LOSES_NOTHING,
        .where = buffer->info.name,
        .what = sentence,
        .advice = advice,
        .cost.bytes = bytes,
    };
    cli_findings_add(findings, &finding);
}

/* Whether it is empty because none of its trace units started, which is told of each of them. */
static bool waits_for_start(const struct cli_audit *audit, size_t buffer)
{
    bool waits = false;

    for (size_t i = 0; i < audit->source_count; i++) {
        if (audit->sources[i].info.buffer != buffer)
            continue;
        waits = cli_waits_for_start(&audit->sources[i].info);
        if (!waits)
            break;
    }
    return waits;
}

void cli_check_buffer(struct cli_findings *findings, size_t index)
{
    const struct cli_audit_buffer *buffer = &findings->audit->buffers[index];
    const struct cairn_buffer_account *account = &buffer->account;

    if (!buffer->info.bytes && !waits_for_start(findings->audit, index)) {
        struct cli_finding finding = {
            .code = CLI_EMPTY_BUFFER,
            .severity = CAIRN_WARNING, /* a file that is missing is told for itself */
            .where = buffer->info.name,
            .what = "the buffer is empty",
            .advice =
                "was the trace unit enabled (TRCPRGCTLR.EN), did the traced code run, and did "
                "the dump read the right memory?",
            .explains = no_id,
        };
        cli_findings_add(findings, &finding);
    }
    check_buffer_part(findings, buffer, CLI_FRAME_CUT, account->truncated,
                      "of an incomplete last frame",
                      "frames are 16 bytes: the file was cut off, or it is not made of frames "
                      "(--frames none)");
    check_buffer_part(
        findings, buffer, CLI_FRAME_START, account->unaligned, "before the first frame",
        "normal for a few bytes of a trace port stream that was joined in the middle");
    check_buffer_part(findings, buffer, CLI_FRAME_START, account->no_id,
                      "before the first trace ID", "normal where the buffer wrapped around");
    cli_check_frames(findings, index);
    cli_check_order(findings, index);
    if (buffer->accounted != buffer->info.bytes) {
        struct cli_finding finding = {
            .code = CLI_LEDGER,
            .severity = CAIRN_PROBLEM,
            .where = buffer->info.name,
            .what = "the ledger does not add up to the file's size: an error in cairn",
            .advice = "please report it with the capture",
        };
        cli_findings_add(findings, &finding);
    }
}

/* ---- sources that are not decoded to flow ---- */

/* Trace that is no program's: nothing of the flow is missing because of it. */
static bool is_no_flow(const struct cli_audit_source *source)
{
    return cairn_about(source->info.protocol)->no_flow ||
           cairn_about(source->info.protocol)->beside_cores;
}

static const char *are(uint64_t count)
{
    return count == 1 ? "is" : "are";
}

static void tell_other_protocol(struct cli_findings *findings,
                                const struct cli_audit_source *source)
{
    char sentence[CLI_SENTENCE_MAX], words[CLI_PROTOCOLS_TEXT], advice[CLI_SENTENCE_MAX];
    const bool no_flow = is_no_flow(source);

    if (!source->bytes)
        return;
    cli_finding_sentence(sentence, "%llu byte%s of %s trace %s not decoded",
                         (unsigned long long)source->bytes, cairn_plural(source->bytes),
                         source->info.type ? source->info.type
                                           : cairn_protocol_name(source->info.protocol),
                         are(source->bytes));
    cli_protocols_sentence(words);
    cli_finding_sentence(advice, "%s; the bytes are accounted as a gap", words);
    struct cli_finding finding = {
        .code = CLI_NO_FLOW,
        .severity = no_flow ? CAIRN_NOTE : CAIRN_WARNING,
        .loss = no_flow ? CLI_LOSES_NOTHING : CLI_LOSES_DATA,
        .where = source->info.name,
        .what = sentence,
        .advice = advice,
        .cost.bytes = no_flow ? 0 : source->bytes,
    };
    cli_findings_add(findings, &finding);
}

static void tell_packets_only(struct cli_findings *findings, const struct cli_audit_source *source)
{
    const bool no_flow = is_no_flow(source);
    const uint64_t bytes = source->ledger.account[CAIRN_GAP_NOT_DECODED].bytes;
    char sentence[CLI_SENTENCE_MAX];

    if (no_flow)
        cli_finding_sentence(sentence,
                             "%s is no trace of a program's flow: its packets are decoded",
                             cairn_protocol_name(source->info.protocol));
    else
        cli_finding_sentence(sentence, "%s", source->why.text);
    struct cli_finding finding = {
        .code = CLI_NO_FLOW,
        .severity = no_flow ? CAIRN_NOTE : CAIRN_WARNING,
        .loss = no_flow ? CLI_LOSES_NOTHING : CLI_LOSES_DATA,
        .where = source->info.name,
        .what = sentence,
        .advice = no_flow ? "`cairn packets` lists them"
                          : "`cairn packets` lists them; the bytes that decide the flow are "
                            "accounted as a gap",
        .cost.bytes = no_flow ? 0 : bytes,
    };
    cli_findings_add(findings, &finding);
}

static void tell_unknown_protocol(struct cli_findings *findings,
                                  const struct cli_audit_source *source)
{
    char sentence[CLI_SENTENCE_MAX];

    if (source->info.trace_id >= 0)
        return; /* those are told together: check_frames.c */
    cli_finding_sentence(sentence, "%llu byte%s of an unknown protocol %s not decoded",
                         (unsigned long long)source->bytes, cairn_plural(source->bytes),
                         are(source->bytes));
    struct cli_finding finding = {
        .code = CLI_NO_PROTOCOL,
        .severity = CAIRN_PROBLEM,
        .loss = source->bytes ? CLI_LOSES_DATA : CLI_LOSES_NOTHING,
        .where = source->info.name,
        .what = sentence,
        .advice = "give --protocol and --core, and the trace unit's registers with --set or "
                  "--config",
        .cost.bytes = source->bytes,
    };
    cli_findings_add(findings, &finding);
}

static void tell_refused(struct cli_findings *findings, const struct cli_audit_source *source)
{
    struct cli_finding finding = {
        .code = CLI_REGISTER_IMPOSSIBLE,
        .severity = CAIRN_PROBLEM,
        .loss = CLI_LOSES_DATA,
        .where = source->info.name,
        .what = source->why.text,
        .advice = "correct the value in the capture's file, or over it with --set REGISTER=VALUE",
        .cost.bytes = source->bytes,
    };

    cli_findings_add(findings, &finding);
}

/* ---- registers ---- */

static bool has_register(const struct cairn_source_info *info, const char *name)
{
    for (size_t i = 0; i < info->register_count; i++)
        if (!strcmp(info->registers[i].name, name))
            return true;
    return false;
}

/* A note on a register whose value is assumed: "TRCIDR8 is missing: 0x00000000 is assumed (...)". */
static bool is_assumption(const char *note)
{
    static const char missing[] = " is missing: ";
    const char *at = strstr(note, missing);

    return at && !memchr(note, ' ', (size_t)(at - note));
}

static void check_notes(struct cli_findings *findings, const struct cli_audit_source *source)
{
    const char *note;

    for (size_t i = 0; (note = cairn_config_note(source->config, i)); i++) {
        const bool assumed = is_assumption(note);
        struct cli_finding finding = {
            .code = assumed ? CLI_REGISTER_ASSUMED : CLI_REGISTER_ODD,
            .severity = CAIRN_WARNING,
            .where = source->info.name,
            .what = note,
            .advice = assumed ? "read the register while the trace unit is set up as it was, and "
                                "give it with --set or in the description"
                              : NULL,
        };
        cli_findings_add(findings, &finding);
    }
}

/* A ring that is read from its first byte on begins in the middle: there its packets break off. */
static void check_position(struct cli_findings *findings, const struct cli_audit_source *source)
{
    static const char *const all[] = {CLI_IMAGE_CONTRADICTED, CLI_REGISTER_ASSUMED, CLI_NO_ADDRESS,
                                      NULL};
    const struct cli_sighting *breaks = &source->gaps[CAIRN_GAP_INCONSISTENT];
    const bool has_memory =
        cairn_image_layer_count(cairn_capture_image(findings->audit->session->capture)) != 0;
    char sentence[CLI_SENTENCE_MAX], value[24];

    if (!cairn_about(source->info.protocol)->memory || !breaks->count ||
        has_register(&source->info, "POSITION") || (has_memory && breaks->count > 1))
        return;
    cli_finding_sentence(sentence,
                         "the packets do not continue one another at %llu place%s, and POSITION, "
                         "which tells where the oldest one stands, is missing",
                         (unsigned long long)breaks->count, cairn_plural(breaks->count));
    snprintf(value, sizeof value, "0x%llx", (unsigned long long)(breaks->offset | 4));
    struct cli_finding finding = {
        .code = CLI_NO_POSITION,
        .severity = CAIRN_PROBLEM,
        .loss = CLI_LOSES_DATA,
        .where = source->info.name,
        .what = sentence,
        .advice = "give MTB_POSITION as it was when the RAM was dumped (at the MTB's base + 0): "
                  "--set POSITION=VALUE",
        .first = breaks,
        .explains = all,
    };
    if (breaks->count == 1) /* the ring has one seam */
        finding.remedies[0] =
            (struct cli_remedy){CLI_MEND_REGISTER, source->info.name, "POSITION", value};
    cli_findings_add(findings, &finding);
}

/* The flow has a gap where no byte of the trace is one: nothing else would tell. */
static void check_losses(struct cli_findings *findings, const struct cli_audit_source *source)
{
    const struct cli_sighting *const first = &source->gaps[CAIRN_GAP_LOST];
    char sentence[CLI_SENTENCE_MAX];
    const struct cli_finding finding = {
        .code = CLI_TRACE_LOST,
        .severity = CAIRN_WARNING,
        .loss = CLI_LOSES_DATA,
        .where = source->info.name,
        .what = sentence,
        .advice = "record with a larger buffer (perf record -m,SIZE), or less at a time",
        .first = first,
        .explains = no_trace, /* a packet is cut short there; and what the capture says of it */
        .whole = true,
    };

    if (!first->count)
        return;
    cli_finding_sentence(sentence,
                         "trace was lost before it was recorded, in %llu place%s: what ran there "
                         "is not known",
                         (unsigned long long)first->count, cairn_plural(first->count));
    cli_findings_add(findings, &finding);
}

void cli_check_source(struct cli_findings *findings, size_t index)
{
    const struct cli_audit_source *source = &findings->audit->sources[index];

    if (source->config)
        check_notes(findings, source);
    switch (source->state) {
    case CLI_AUDIT_NOT_CHOSEN: return;
    case CLI_AUDIT_OTHER_PROTOCOL: tell_other_protocol(findings, source); return;
    case CLI_AUDIT_NO_CONFIG: tell_unknown_protocol(findings, source); return;
    case CLI_AUDIT_REFUSED: tell_refused(findings, source); return;
    case CLI_AUDIT_PACKETS_ONLY: tell_packets_only(findings, source); break;
    case CLI_AUDIT_DECODED: break;
    }
    cli_check_flow(findings, index);
    if (source->state != CLI_AUDIT_DECODED)
        return;
    check_losses(findings, source);
    check_position(findings, source);
    cli_check_description(findings, index);
}
