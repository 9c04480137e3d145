/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a dump was written word by word in the other byte order. It is only said, never undone:
 * what the user gives counts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/mtb.h>

#include "capture/byte_order.h"
#include "capture/model.h"
#include "capture/port/variant.h"
#include "cli/audit/findings.h"
#include "cli/audit/trial.h"
#include "protocol/about.h"

#define SAMPLE_BYTES (UINT64_C(256) << 10)

static void tell(struct cli_findings *findings, const struct cli_audit_buffer *buffer,
                 const char *sentence, unsigned word)
{
    static const char *const all[] = {CLI_NO_SYNC,        CLI_WRONG_FRAMES, CLI_UNCONFIGURED_ID,
                                      CLI_STRAY_ID,       CLI_FRAME_CUT,    CLI_FRAME_START,
                                      CLI_RESERVED,       CLI_NO_ADDRESS,   CLI_IMAGE_CONTRADICTED,
                                      CLI_NO_IMAGE,       CLI_NO_DATA,      CLI_NO_POSITION,
                                      CLI_WRONG_PROTOCOL, CLI_NO_PROTOCOL,  NULL};
    char advice[CLI_SENTENCE_MAX], bytes[12];

    snprintf(bytes, sizeof bytes, "%u", word);
    cli_finding_sentence(
        advice, "turn them round: objcopy -I binary -O binary --reverse-bytes=%u FILE NEW", word);
    struct cli_finding finding = {
        .code = CLI_BYTE_ORDER,
        .severity = CAIRN_PROBLEM,
        .loss = CLI_LOSES_DATA,
        .where = buffer->info.name,
        .what = sentence,
        .advice = advice,
        .explains = all,
        .remedies = {{.mend = CLI_MEND_ORDER, .of = buffer->info.name, .value = bytes}},
    };
    cli_findings_add(findings, &finding);
}

/* ---- protocols with alignment synchronisations ---- */

/* Some of the buffer became flow, or no protocol in it has alignment synchronisations to go by. */
static bool is_in_order(const struct cli_audit *audit, const struct cli_audit_buffer *buffer)
{
    bool may_sync = false;

    for (size_t i = 0; i < audit->source_count; i++) {
        const struct cli_audit_source *source = &audit->sources[i];
        if (&audit->buffers[source->info.buffer] != buffer)
            continue;
        if (source->ledger.account[CAIRN_ACCOUNT_FLOW].bytes)
            return true;
        may_sync |= cairn_about(source->info.protocol)->sync_zeros != 0;
    }
    return !may_sync;
}

/* Bytes of packets that fit, of all sources of the buffer, in a sample. */
static uint64_t fitting(const struct cli_audit *audit, const struct cli_audit_buffer *buffer,
                        const uint8_t *sample, size_t size)
{
    const struct cli_other_layout layout = {
        .format = buffer->info.format, .trace_id = -1, .memory = sample, .memory_size = size};
    uint64_t sum = 0;

    for (size_t i = 0; i < audit->source_count; i++) {
        const struct cli_audit_source *source = &audit->sources[i];
        struct cli_verdict verdict;
        if (&audit->buffers[source->info.buffer] == buffer && source->config &&
            cli_trial_run_laid_out(audit->session, i, &layout, 0, &verdict) &&
            verdict.synced > verdict.bad)
            sum += verdict.synced - verdict.bad;
    }
    return sum;
}

/* Bytes in the other order may look like synchronisations of some protocol, too. What fits then is
 * most of the buffer, or, among frames, a good part of it. */
static unsigned find_fitting(const struct cli_audit *audit, const struct cli_audit_buffer *buffer,
                             const uint8_t *sample, size_t size, uint64_t *found)
{
    static const unsigned words[] = {4, 2, 8}; /* what is usual first */
    const size_t share = buffer->info.format == CAIRN_FORMAT_SOURCE_DATA ? 2 : 8;
    uint8_t *reversed = malloc(size + 1);
    unsigned best = 0;

    *found = 0;
    for (size_t i = 0; reversed && i < sizeof words / sizeof words[0]; i++) {
        const size_t whole = size / words[i] * words[i];
        cairn_reverse_words(sample, whole, words[i], reversed);
        const uint64_t fits = fitting(audit, buffer, reversed, whole);
        if (fits <= *found || fits < whole / share)
            continue;
        *found = fits;
        best = words[i];
    }
    free(reversed);
    return best;
}

static void check_syncs(struct cli_findings *findings, const struct cli_audit_buffer *buffer)
{
    char sentence[CLI_SENTENCE_MAX];
    uint64_t fits = 0;
    size_t found = 0;

    if (!buffer->info.bytes || is_in_order(findings->audit, buffer))
        return;
    uint8_t *sample = malloc(SAMPLE_BYTES);
    const struct cli_audit *audit = findings->audit;
    const size_t size =
        sample ? cairn_buffer_sample(audit->session->capture, (size_t)(buffer - audit->buffers),
                                     sample, SAMPLE_BYTES, 0)
               : 0;
    const unsigned word = size ? cairn_reversed_words(sample, size, buffer->info.bytes, &found) : 0;
    const unsigned fitted =
        size && !word ? find_fitting(findings->audit, buffer, sample, size, &fits) : 0;
    free(sample);
    if (fitted) {
        cli_finding_sentence(sentence,
                             "no packets are in it, but with the bytes of each word of %u in "
                             "reverse %llu bytes are: the dump has the other byte order",
                             fitted, (unsigned long long)fits);
        tell(findings, buffer, sentence, fitted);
    }
    if (!word)
        return;
    cli_finding_sentence(
        sentence,
        "no alignment synchronisation is in it, but with the bytes of each word of "
        "%u in reverse there %s %zu: the dump has the other byte order",
        word, found == 1 ? "is" : "are", found);
    tell(findings, buffer, sentence, word);
}

/* ---- Micro Trace Buffers ---- */

/* An MTB has nothing to synchronise to. But what ran between two packets is a run upwards in
 * memory, from the destination of the one to the source of the next (DDI0486 2.3.1), and a short
 * one: code branches often. With the bytes of the addresses in reverse, be it within halfwords, it
 * is 256 bytes at least. A run of one instruction is the same in both orders, and tells nothing. */
#define RUN_LARGEST 255u
#define RUNS_LEAST 4u     /* so many make sure */
#define RUNS_OF_BREAKS 4u /* and no more than one in so many may be broken: other memory */

struct runs {
    uint64_t whole, broken;
    uint64_t destination;
    bool follows; /* the packet before was one, and `destination` is its */
};

static void count_runs(const struct cairn_packet_batch *batch, struct runs *runs)
{
    for (size_t i = 0; i < batch->count; i++) {
        const struct cairn_packet_fields *fields = &batch->fields[i];
        const bool is_packet = fields->flags & CAIRN_PACKET_HAS_VALUE;
        if (is_packet && runs->follows && !(fields->info & CAIRN_MTB_S)) {
            const uint64_t length = fields->value - runs->destination; /* huge if it is below */
            runs->whole += length > 0 && length <= RUN_LARGEST;
            runs->broken += length > RUN_LARGEST;
        }
        runs->follows = is_packet;
        runs->destination = fields->address;
    }
}

/* The runs in `sample`, which is in the order of the trace. */
static struct runs runs_of(struct cairn_config *config, const uint8_t *sample, size_t size)
{
    struct runs runs = {.whole = 0};
    struct cairn_packets *packets = NULL;
    struct cairn_packet_batch *batch = NULL;
    size_t position = 0;

    cairn_status status = cairn_packets_new(config, &packets);
    if (status == CAIRN_OK)
        status = cairn_packet_batch_new(256, &batch);
    while (status == CAIRN_OK && position < size) {
        batch->count = 0;
        status = cairn_packets_run(packets, sample, size, &position, batch);
        if (status == CAIRN_OK)
            count_runs(batch, &runs);
    }
    if (status != CAIRN_OK) /* out of memory: nothing is known */
        runs = (struct runs){.whole = 0};
    cairn_packet_batch_free(batch);
    cairn_packets_free(packets);
    return runs;
}

static bool makes_sense(const struct runs *runs)
{
    return runs->whole >= RUNS_LEAST && runs->broken * RUNS_OF_BREAKS <= runs->whole;
}

/* The first bytes of the source, in the order of the trace. */
static size_t read_source(const struct cli_audit *audit, size_t source, uint8_t *sample)
{
    struct cairn_reader *reader = NULL;
    struct cairn_chunk chunk;
    size_t size = 0;

    cairn_status status = cairn_reader_new(audit->session->capture, source, &reader, NULL);
    while (status == CAIRN_OK && size < SAMPLE_BYTES) {
        status = cairn_reader_next(reader, &chunk);
        if (status != CAIRN_OK || !chunk.size)
            break;
        const size_t room = SAMPLE_BYTES - size;
        const size_t taken = chunk.size < room ? chunk.size : room;
        memcpy(sample + size, chunk.data, taken);
        size += taken;
    }
    cairn_reader_free(reader);
    return size;
}

/* The size of the words whose reversal makes runs of `sample`; 0: none does, or it has some. */
static unsigned find_word(struct cairn_config *config, const uint8_t *sample, size_t size,
                          struct runs *best)
{
    static const unsigned words[] = {4, 2, 8}; /* what is usual first */
    const struct runs given = runs_of(config, sample, size);
    unsigned found = 0;

    uint8_t *reversed = malloc(size + 1);
    for (size_t i = 0; reversed && i < sizeof words / sizeof words[0]; i++) {
        const size_t whole = size / words[i] * words[i];
        cairn_reverse_words(sample, whole, words[i], reversed);
        const struct runs runs = runs_of(config, reversed, whole);
        if (makes_sense(&runs) && runs.whole > best->whole) {
            *best = runs;
            found = words[i];
        }
    }
    free(reversed);
    return given.whole * RUNS_OF_BREAKS <= best->whole ? found : 0;
}

static void check_runs(struct cli_findings *findings, size_t index)
{
    const struct cli_audit *audit = findings->audit;
    const struct cli_audit_source *source = &audit->sources[index];
    char sentence[CLI_SENTENCE_MAX];
    struct runs runs = {.whole = 0};

    uint8_t *sample = malloc(SAMPLE_BYTES);
    const size_t size = sample ? read_source(audit, index, sample) : 0;
    const unsigned word = size ? find_word(source->config, sample, size, &runs) : 0;
    free(sample);
    if (!word)
        return;
    cli_finding_sentence(
        sentence,
        "the packets do not continue one another, but with the bytes of each word of %u in "
        "reverse %llu of %llu do: the dump has the other byte order",
        word, (unsigned long long)runs.whole, (unsigned long long)(runs.whole + runs.broken));
    tell(findings, &audit->buffers[source->info.buffer], sentence, word);
}

void cli_check_order(struct cli_findings *findings, size_t index)
{
    const struct cli_audit *audit = findings->audit;
    const struct cli_audit_buffer *buffer = &audit->buffers[index];

    if (cairn_port_layout_of(&audit->session->capture->buffers[index]))
        return; /* bytes of wires are in no words: what looks like that are pins (check_port.c) */
    check_syncs(findings, buffer);
    for (size_t i = 0; i < audit->source_count; i++) {
        const struct cli_audit_source *source = &audit->sources[i];
        if (&audit->buffers[source->info.buffer] == buffer && source->config &&
            cairn_about(source->info.protocol)->memory)
            check_runs(findings, i);
    }
}
