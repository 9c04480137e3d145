/* SPDX-License-Identifier: BSD-2-Clause */
/* How a buffer is laid out, and whose its trace IDs are: what the description says against what the
 * bytes say. Wrong frames make trace IDs of anything, so that comes first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/letters.h"
#include "capture/detect.h"
#include "capture/model.h"
#include "capture/trace_unit.h"
#include "cli/audit/findings.h"
#include "cli/audit/trial.h"
#include "cli/audit/verdict.h"
#include "protocol/about.h"

#define TRIAL_BYTES (UINT64_C(256) << 10)
#define TRIED_MOST 16  /* sources of a buffer */
#define TRIAL_FACTOR 4 /* how much better another layout must fit */
#define MANY_IDS 8     /* that nobody described: more than a system has by mistake */
#define MOST_IDS 40    /* more than a system has */
#define NOISE_SHARE 8  /* damage in one place is a smaller part of a source */
/* A source without frames is its buffer; in frames there may be others. */
#define WHOLE_SHARE 2
#define FRAMED_SHARE 8
/* Less of an ID is no trace unit's: its first synchronisation alone is as long, and one frame has
 * no more of it. */
#define STRAY_BYTES 16
#define FEW_SHARE 8 /* of the unknown IDs, one of so many may be before the noise */
#define IDS_SHOWN 6
#define FRAME 16 /* bytes */

/* What of a source was read as packets that fit, out of the layout at hand. */
static uint64_t fitting(const struct cli_verdict *verdict)
{
    return verdict->synced > verdict->bad ? verdict->synced - verdict->bad : 0;
}

static bool is_unknown(const struct cli_audit_source *source, size_t buffer)
{
    return source->info.buffer == buffer && source->state == CLI_AUDIT_NO_CONFIG &&
           source->info.trace_id >= 0;
}

/* Described, and of a protocol whose packets can be told from noise. */
static bool is_described(const struct cli_audit_source *source, size_t buffer)
{
    return source->info.buffer == buffer && source->state != CLI_AUDIT_NO_CONFIG &&
           source->state != CLI_AUDIT_NOT_CHOSEN &&
           cairn_protocol_decodes_packets(source->info.protocol);
}

struct ids {
    size_t unknown; /* trace IDs that no trace unit is configured for */
    size_t strays;  /* of these, with hardly a byte */
    uint64_t bytes; /* of all of them */
    uint64_t stray_bytes;
    uint64_t most;               /* bytes of the largest */
    size_t configured;           /* sources, of whatever protocol */
    size_t described, with_data; /* those whose packets can be told from noise */
};

static struct ids count_ids(const struct cli_audit *audit, size_t buffer)
{
    struct ids ids = {0};

    for (size_t i = 0; i < audit->source_count; i++) {
        const struct cli_audit_source *source = &audit->sources[i];
        ids.configured += source->info.buffer == buffer && source->state != CLI_AUDIT_NO_CONFIG;
        if (is_described(source, buffer)) {
            ids.described++;
            ids.with_data += source->bytes != 0;
        }
        if (!is_unknown(source, buffer))
            continue;
        ids.unknown++;
        ids.bytes += source->bytes;
        ids.most = source->bytes > ids.most ? source->bytes : ids.most;
        if (source->bytes < STRAY_BYTES) {
            ids.strays++;
            ids.stray_bytes += source->bytes;
        }
    }
    return ids;
}

/* ---- layouts ---- */

/* The capture itself found that the bytes are no such frames. */
static bool is_remarked(const struct cli_audit *audit, const struct cli_audit_buffer *buffer)
{
    const struct cairn_capture *capture = audit->session->capture;
    const size_t length = strlen(buffer->info.name);
    struct cairn_remark remark;

    for (size_t i = 0; !cairn_capture_remark(capture, i, &remark); i++) {
        const char *code = cairn_capture_remark_code(capture, i);
        if (code && !strcmp(code, CLI_WRONG_FRAMES) &&
            !strncmp(remark.text, buffer->info.name, length) && remark.text[length] == ':')
            return true;
    }
    return false;
}

/* Nothing of the source fits, or much of it does not. */
static bool is_broken(const struct cli_audit_source *source)
{
    const struct cairn_ledger *ledger = &source->ledger;
    const uint64_t lost = ledger->account[CAIRN_GAP_RESERVED].bytes +
                          ledger->account[CAIRN_GAP_CUT].bytes +
                          ledger->account[CAIRN_GAP_NO_SYNC].bytes;

    return source->bytes && lost >= source->bytes / NOISE_SHARE;
}

/* So many IDs, and reserved ones among them, are data that was taken for IDs. */
static bool is_noise(const struct cli_audit *audit, size_t buffer, const struct ids *ids)
{
    return ids->unknown > MOST_IDS ||
           (ids->unknown >= MANY_IDS && is_remarked(audit, &audit->buffers[buffer]));
}

static bool is_suspicious(const struct cli_audit *audit, size_t buffer, const struct ids *ids)
{
    if (ids->unknown - ids->strays >= MANY_IDS || ids->unknown >= MANY_IDS ||
        is_remarked(audit, &audit->buffers[buffer]))
        return true;
    for (size_t i = 0; i < audit->source_count; i++)
        if (is_described(&audit->sources[i], buffer) && is_broken(&audit->sources[i]))
            return true;
    return ids->described && !ids->with_data && ids->unknown;
}

/* A part of a buffer's file. */
struct sample {
    uint8_t *bytes;
    size_t size;
};

/* From `offset` on; nothing where it cannot be read. */
static struct sample read_sample(const struct cli_audit *audit, size_t buffer, uint64_t offset)
{
    struct sample sample = {.bytes = malloc(TRIAL_BYTES)};

    if (sample.bytes)
        sample.size =
            cairn_buffer_sample(audit->session->capture, buffer, sample.bytes, TRIAL_BYTES, offset);
    return sample;
}

/* What fits of the described sources in a layout. Without frames there is room for one. */
static uint64_t try_layout(const struct cli_audit *audit, size_t buffer, const struct ids *ids,
                           enum cairn_format format, const struct sample *sample)
{
    const struct cli_other_layout layout = {
        .format = format, .trace_id = -1, .memory = sample->bytes, .memory_size = sample->size};
    uint64_t sum = 0;
    size_t tried = 0;

    if (format == CAIRN_FORMAT_SOURCE_DATA && ids->described != 1)
        return 0;
    for (size_t i = 0; i < audit->source_count && tried < TRIED_MOST; i++) {
        struct cli_verdict verdict;
        if (!is_described(&audit->sources[i], buffer))
            continue;
        tried++;
        if (cli_trial_run_laid_out(audit->session, i, &layout, 0, &verdict))
            sum += fitting(&verdict);
    }
    return sum;
}

/* So much of a buffer fits at least where its layout is right. */
static uint64_t fitting_least(const struct cli_audit *audit, size_t buffer,
                              enum cairn_format format)
{
    const uint64_t bytes = audit->buffers[buffer].info.bytes;
    const uint64_t sample = bytes < TRIAL_BYTES ? bytes : TRIAL_BYTES;

    return sample / (format == CAIRN_FORMAT_SOURCE_DATA ? WHOLE_SHARE : FRAMED_SHARE);
}

/* The layout that fits much better than that of the buffer; AUTO: none does. */
static enum cairn_format find_layout(const struct cli_audit *audit, size_t buffer,
                                     const struct ids *ids, uint64_t *found, uint64_t *given)
{
    static const enum cairn_format all[] = {CAIRN_FORMAT_SOURCE_DATA, CAIRN_FORMAT_CORESIGHT,
                                            CAIRN_FORMAT_DSTREAM_CORESIGHT};
    const enum cairn_format now = audit->buffers[buffer].info.format;
    enum cairn_format best = CAIRN_FORMAT_AUTO;

    const struct sample sample = read_sample(audit, buffer, 0);

    *given = try_layout(audit, buffer, ids, now, &sample);
    *found = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const uint64_t fits = all[i] == now ? 0 : try_layout(audit, buffer, ids, all[i], &sample);
        if (fits <= *found || fits < fitting_least(audit, buffer, all[i]))
            continue;
        *found = fits;
        best = all[i];
    }
    free(sample.bytes);
    return *found && *found / TRIAL_FACTOR >= *given ? best : CAIRN_FORMAT_AUTO;
}

static const char *frames_word(enum cairn_format format)
{
    switch (format) {
    case CAIRN_FORMAT_SOURCE_DATA: return "none";
    case CAIRN_FORMAT_CORESIGHT: return "coresight";
    case CAIRN_FORMAT_DSTREAM_CORESIGHT: return "dstream";
    case CAIRN_FORMAT_AUTO: break;
    }
    return "auto";
}

static const char *layout_text(enum cairn_format format)
{
    switch (format) {
    case CAIRN_FORMAT_SOURCE_DATA: return "one source without frames";
    case CAIRN_FORMAT_CORESIGHT: return "CoreSight frames in memory";
    case CAIRN_FORMAT_DSTREAM_CORESIGHT: return "a trace port's CoreSight frames";
    case CAIRN_FORMAT_AUTO: break;
    }
    return "anything";
}

static void tell_frames(struct cli_findings *findings, size_t index, const struct ids *ids,
                        enum cairn_format better, uint64_t found, uint64_t given)
{
    static const char *const all[] = {CLI_WRONG_FRAMES,   CLI_UNCONFIGURED_ID,
                                      CLI_STRAY_ID,       CLI_WRONG_ID,
                                      CLI_FRAME_CUT,      CLI_FRAME_START,
                                      CLI_NO_SYNC,        CLI_WRAPPED,
                                      CLI_RESERVED,       CLI_CUT,
                                      CLI_TRUNCATED,      CLI_NO_ADDRESS,
                                      CLI_NO_DATA,        CLI_NO_FLOW,
                                      CLI_WRONG_PROTOCOL, CLI_WRONG_REGISTERS,
                                      CLI_OVERFLOW,       CLI_DISCARD,
                                      CLI_UNRESOLVED,     CLI_IMAGE_CONTRADICTED,
                                      CLI_RETURN_STACK,   CLI_NOT_DECODED,
                                      CLI_LIMIT,          NULL};
    const struct cli_audit_buffer *buffer = &findings->audit->buffers[index];
    char sentence[CLI_SENTENCE_MAX], advice[CLI_SENTENCE_MAX];
    struct cli_finding finding = {
        .code = CLI_WRONG_FRAMES,
        .severity = CAIRN_PROBLEM,
        .loss = CLI_LOSES_DATA,
        .where = buffer->info.name,
        .what = sentence,
        .advice = advice,
        .explains = all,
    };
    size_t length;

    cli_finding_sentence(sentence, "the bytes are described as %s, and are not",
                         layout_text(buffer->info.format));
    length = strlen(sentence);
    if (ids->unknown > 1)
        snprintf(
            sentence + length, CLI_SENTENCE_MAX - length,
            ": %zu trace IDs that no trace unit is configured for, with %llu byte%s, none over "
            "%llu",
            ids->unknown, (unsigned long long)ids->bytes, cairn_plural(ids->bytes),
            (unsigned long long)ids->most);
    length = strlen(sentence);
    if (better != CAIRN_FORMAT_AUTO) {
        if (found)
            snprintf(sentence + length, CLI_SENTENCE_MAX - length,
                     "; as %s %llu byte%s fit, and %llu as described", layout_text(better),
                     (unsigned long long)found, cairn_plural(found), (unsigned long long)given);
        else
            snprintf(sentence + length, CLI_SENTENCE_MAX - length,
                     "; there is one source in it, which needs none");
        cli_finding_sentence(advice, "format=%s in the description of the buffer (--frames %s)",
                             cairn_format_name(better), frames_word(better));
        finding.remedies[0] = (struct cli_remedy){
            .mend = CLI_MEND_FORMAT, .of = buffer->info.name, .value = cairn_format_name(better)};
    } else {
        cli_finding_sentence(advice,
                             "if one source is in it, without frames: format=source_data in the "
                             "description of the buffer (--frames none); if it comes from a trace "
                             "port: format=dstream_coresight (--frames dstream)");
    }
    cli_findings_add(findings, &finding);
}

/* ---- noise ---- */

/* Where in the file the data of a source begins; 0: that is not known. */
static uint64_t begin_of(const struct cli_audit *audit, size_t source)
{
    struct cairn_reader *reader = NULL;
    struct cairn_chunk chunk;
    uint64_t begin = 0;

    if (!cairn_reader_new(audit->session->capture, source, &reader, NULL) &&
        !cairn_reader_next(reader, &chunk) && chunk.run_count)
        begin = chunk.runs[0].file_offset;
    cairn_reader_free(reader);
    return begin;
}

static int smaller_first(const void *one, const void *other)
{
    const uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

    return a < b ? -1 : a > b;
}

/* Where in the file such IDs begin to be many: a few may have gone astray before. */
static uint64_t begin_of_noise(const struct cli_audit *audit, size_t buffer)
{
    uint64_t *begins = calloc(audit->source_count + 1, sizeof *begins);
    size_t count = 0;

    for (size_t i = 0; begins && i < audit->source_count; i++)
        if (is_unknown(&audit->sources[i], buffer))
            begins[count++] = begin_of(audit, i);
    if (count)
        qsort(begins, count, sizeof *begins, smaller_first);
    const uint64_t begin = count ? begins[count / FEW_SHARE] : 0;
    free(begins);
    return begin;
}

/* The frames are right, and behind them stands something else. */
static void tell_noise(struct cli_findings *findings, size_t index, const struct ids *ids,
                       uint64_t fits)
{
    static const char *const all[] = {
        CLI_WRONG_FRAMES, CLI_UNCONFIGURED_ID, CLI_STRAY_ID,  CLI_RESERVED,
        CLI_CUT,          CLI_TRUNCATED,       CLI_FRAME_CUT, NULL};
    const struct cli_audit_buffer *buffer = &findings->audit->buffers[index];
    const uint64_t begin = begin_of_noise(findings->audit, index);
    char sentence[CLI_SENTENCE_MAX];

    cli_finding_sentence(
        sentence,
        "from about file offset 0x%llx on it holds no trace: %zu trace IDs that no trace "
        "unit is configured for, with %llu byte%s, none over %llu, while %llu "
        "bytes before fit",
        (unsigned long long)begin, ids->unknown, (unsigned long long)ids->bytes,
        cairn_plural(ids->bytes), (unsigned long long)ids->most, (unsigned long long)fits);
    const struct cli_finding finding = {
        .code = CLI_NOISE,
        .severity = CAIRN_WARNING,
        .loss = CLI_LOSES_DATA,
        .where = buffer->info.name,
        .what = sentence,
        .advice = "the trace did not fill the memory behind it, or that was overwritten: dump no "
                  "more than the trace unit wrote (the write pointer tells)",
        .explains = all,
    };
    cli_findings_add(findings, &finding);
}

/* ---- trace IDs ---- */

/* Whether the packets of a source are under that trace ID. */
static bool is_owner(const struct cli_audit *audit, size_t source, int id,
                     const struct sample *sample)
{
    const struct cairn_source_info *info = &audit->sources[source].info;
    const struct cli_other_layout layout = {.format = audit->buffers[info->buffer].info.format,
                                            .trace_id = id,
                                            .memory = sample->bytes,
                                            .memory_size = sample->size};
    struct cli_verdict verdict;

    return cli_trial_run_laid_out(audit->session, source, &layout, 0, &verdict) &&
           fitting(&verdict) && verdict.bad * NOISE_SHARE <= verdict.synced;
}

/* The described source without data whose packets an unknown ID has; SIZE_MAX: there is none, or more
 * than one. */
static size_t owner_of(const struct cli_audit *audit, size_t id_source)
{
    const struct cairn_source_info *id = &audit->sources[id_source].info;
    const uint64_t begin = begin_of(audit, id_source) / FRAME * FRAME;
    /* the frame before may have the ID already */
    struct sample sample = read_sample(audit, id->buffer, begin > FRAME ? begin - FRAME : 0);
    size_t owner = SIZE_MAX, tried = 0;
    bool several = false;

    for (size_t i = 0; i < audit->source_count && tried < TRIED_MOST; i++) {
        const struct cli_audit_source *source = &audit->sources[i];
        if (!is_described(source, id->buffer) || source->bytes ||
            !cairn_about(source->info.protocol)->sync_zeros)
            continue;
        tried++;
        if (!is_owner(audit, i, id->trace_id, &sample))
            continue;
        several = owner != SIZE_MAX;
        owner = i;
    }
    free(sample.bytes);
    return several ? SIZE_MAX : owner;
}

static void tell_owner(struct cli_findings *findings, size_t owner, size_t id_source)
{
    static const char *const no_data[] = {CLI_NO_DATA, CLI_WRONG_ID, NULL};
    const struct cli_audit_source *source = &findings->audit->sources[owner];
    const struct cli_audit_source *id = &findings->audit->sources[id_source];
    const char *name = cairn_trace_id_register(source->info.protocol);
    const unsigned shift = cairn_about(source->info.protocol)->id_shift;
    char sentence[CLI_SENTENCE_MAX], advice[CLI_SENTENCE_MAX], value[24], now[48] = "is missing";

    snprintf(value, sizeof value, "0x%llx", (unsigned long long)id->info.trace_id << shift);
    if (source->info.trace_id >= 0)
        snprintf(now, sizeof now, "gives it trace ID 0x%02x, which has no data",
                 (unsigned)source->info.trace_id);
    cli_finding_sentence(sentence,
                         "%s %s, and the %llu byte%s of trace ID 0x%02x, which no trace unit is "
                         "configured for, are packets of such a trace unit",
                         name, now, (unsigned long long)id->bytes, cairn_plural(id->bytes),
                         (unsigned)id->info.trace_id);
    cli_finding_sentence(advice, "%s=%s (--set %s:%s=%s)", name, value, source->info.name, name,
                         value);
    const struct cli_finding finding = {
        .code = CLI_WRONG_ID,
        .severity = CAIRN_PROBLEM,
        .loss = CLI_LOSES_DATA,
        .where = source->info.name,
        .what = sentence,
        .advice = advice,
        .cost.bytes = id->bytes,
        .explains = no_data,
        .remedies = {{CLI_MEND_REGISTER, source->info.name, name, value}},
    };
    cli_findings_add(findings, &finding);
}

static void add_id(char *list, size_t capacity, int id, size_t nth, size_t all)
{
    const size_t length = strlen(list);

    if (nth < IDS_SHOWN)
        snprintf(list + length, capacity - length, "%s0x%02x", nth ? ", " : "", (unsigned)id);
    else if (nth == IDS_SHOWN)
        snprintf(list + length, capacity - length, " and %zu more", all - nth);
}

/* IDs with at least, or fewer than, as many bytes as a trace unit's have. */
static void tell_ids(struct cli_findings *findings, size_t index, const bool *owned, bool strays)
{
    const struct cli_audit *audit = findings->audit;
    char sentence[CLI_SENTENCE_MAX], list[128] = "";
    uint64_t bytes = 0;
    size_t count = 0, shown = 0;

    for (size_t i = 0; i < audit->source_count; i++)
        if (is_unknown(&audit->sources[i], index) && !owned[i] &&
            (audit->sources[i].bytes < STRAY_BYTES) == strays) {
            bytes += audit->sources[i].bytes;
            count++;
        }
    for (size_t i = 0; i < audit->source_count; i++)
        if (is_unknown(&audit->sources[i], index) && !owned[i] &&
            (audit->sources[i].bytes < STRAY_BYTES) == strays)
            add_id(list, sizeof list, audit->sources[i].info.trace_id, shown++, count);
    if (!count)
        return;
    if (count == 1)
        cli_finding_sentence(
            sentence, "%llu byte%s %s a trace ID that no trace unit is configured for (%s)",
            (unsigned long long)bytes, cairn_plural(bytes), bytes == 1 ? "has" : "have", list);
    else
        cli_finding_sentence(sentence,
                             "%llu bytes have %zu trace IDs that no trace unit is configured for "
                             "(%s)",
                             (unsigned long long)bytes, count, list);
    const struct cli_finding finding = {
        .code = strays ? CLI_STRAY_ID : CLI_UNCONFIGURED_ID,
        .severity = strays ? CAIRN_NOTE : CAIRN_PROBLEM,
        .loss = strays ? CLI_LOSES_NOTHING : CLI_LOSES_DATA,
        .where = audit->buffers[index].info.name,
        .what = sentence,
        .advice = strays ? "nothing: no trace unit writes so little; a few bytes go astray where a "
                           "buffer wrapped or a trace port lost some"
                         : "describe the trace unit with that TRCTRACEIDR or ETMTRACEIDR (STM: "
                           "STMTCSR[22:16], ITM: ITMTCR[22:16]) in the capture, or give --id with "
                           "--protocol and its registers for a raw buffer",
        .cost.bytes = bytes,
    };
    cli_findings_add(findings, &finding);
}

/* Finds the IDs that a described source without data may have. How many there are. */
static size_t check_owners(struct cli_findings *findings, size_t index, const struct ids *ids,
                           bool *owned)
{
    const struct cli_audit *audit = findings->audit;
    size_t count = 0;

    /* noise may fit anything */
    if (ids->described <= ids->with_data || ids->unknown >= MANY_IDS)
        return 0;
    for (size_t i = 0; i < audit->source_count; i++) {
        if (!is_unknown(&audit->sources[i], index) || audit->sources[i].bytes < STRAY_BYTES)
            continue;
        const size_t owner = owner_of(audit, i);
        if (owner == SIZE_MAX)
            continue;
        owned[i] = true;
        count++;
        tell_owner(findings, owner, i);
    }
    return count;
}

/* A trace port's stream has synchronisations between its frames (FSYNC), or blocks. */
static bool may_be_port(const struct cli_audit_buffer *buffer)
{
    uint64_t offset, size;

    return cairn_first_fsync(buffer->info.path, &offset, &size, NULL) != CAIRN_OK || offset < size;
}

static void check_layout(struct cli_findings *findings, size_t index, const struct ids *ids)
{
    const struct cli_audit *audit = findings->audit;
    const struct cli_audit_buffer *buffer = &audit->buffers[index];
    const bool noise = is_noise(audit, index, ids);
    uint64_t found = 0, given = 0;

    if (!is_suspicious(audit, index, ids))
        return;
    enum cairn_format better = find_layout(audit, index, ids, &found, &given);
    if (better == CAIRN_FORMAT_AUTO && !noise)
        return;
    if (better == CAIRN_FORMAT_AUTO && given &&
        given >= fitting_least(audit, index, buffer->info.format)) {
        tell_noise(findings, index, ids, given);
        return;
    }
    /* one source that cannot be tried, and no frames of any kind */
    if (better == CAIRN_FORMAT_AUTO && ids->configured == 1 && !may_be_port(buffer))
        better = CAIRN_FORMAT_SOURCE_DATA;
    tell_frames(findings, index, ids, better, found, given);
}

void cli_check_frames(struct cli_findings *findings, size_t index)
{
    const struct cli_audit *audit = findings->audit;
    const struct ids ids = count_ids(audit, index);
    bool *owned = calloc(audit->source_count + 1, sizeof *owned);

    if (!owned) {
        findings->no_memory = true;
        return;
    }
    if (audit->buffers[index].info.bytes && !check_owners(findings, index, &ids, owned))
        check_layout(findings, index, &ids);
    tell_ids(findings, index, owned, false);
    tell_ids(findings, index, owned, true);
    free(owned);
}
