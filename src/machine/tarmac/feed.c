/* SPDX-License-Identifier: BSD-2-Clause */
/* A log to its end: a processor, with its unit and source, for each that executes something. */
#include <ctype.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "machine/tarmac/processor.h"
#include "protocol/about.h"

#define LOOK_UP 65536u /* records between two looks at the recording's state */

struct feed {
    struct cairn_tarmac_reader *reader;
    struct cairn_tarmac_shared shared;
    char names[CAIRN_TARMAC_CPUS][CAIRN_TARMAC_NAME + 4];
};

static bool name_is_taken(const struct feed *feed, uint32_t cpu, const char *name)
{
    for (uint32_t i = 0; i < feed->shared.count; i++) {
        if (i != cpu && !strcmp(feed->names[i], name))
            return true;
    }
    return false;
}

/* The name of a processor as the name of a source, which is part of a file's. */
static void name_source(struct feed *feed, uint32_t cpu)
{
    const char *from = cairn_tarmac_reader_cpu(feed->reader, cpu);
    char *to = feed->names[cpu], plain[CAIRN_TARMAC_NAME];
    size_t i = 0;

    for (; from[i] && i + 1 < sizeof plain; i++)
        plain[i] = (char)(isalnum((unsigned char)from[i]) || (i && from[i] == '.') || from[i] == '-'
                              ? from[i]
                              : '_');
    plain[i] = 0;
    snprintf(to, sizeof feed->names[cpu], "%s", plain);
    for (unsigned n = 2; name_is_taken(feed, cpu, to) && n <= CAIRN_TARMAC_CPUS; n++)
        snprintf(to, sizeof feed->names[cpu], "%.*s_%u", (int)sizeof plain - 1, plain, n);
}

static bool is_wanted(const struct feed *feed, uint32_t cpu)
{
    const char *only = feed->shared.options->cpu;

    return !only || !strcmp(only, cairn_tarmac_reader_cpu(feed->reader, cpu));
}

/* The processor of a record, started when it executes its first instruction. NULL: not wanted. */
static cairn_status find(struct feed *feed, const struct cairn_tarmac_record *record,
                         struct cairn_tarmac_processor **processor, struct cairn_error *error)
{
    struct cairn_tarmac_shared *shared = &feed->shared;
    const uint32_t cpu = record->cpu;

    *processor = shared->processors[cpu];
    if (!*processor) {
        if (!is_wanted(feed, cpu))
            return CAIRN_OK;
        *processor = cairn_tarmac_processor_new(shared);
        if (!*processor)
            return cairn_fail(error, CAIRN_E_MEMORY, "no memory for another processor");
        shared->processors[cpu] = *processor;
        if (shared->count <= cpu)
            shared->count = cpu + 1;
    }
    if ((*processor)->unit || record->kind != CAIRN_TARMAC_INSTRUCTION)
        return CAIRN_OK;
    name_source(feed, cpu);
    return cairn_tarmac_processor_start(*processor, feed->names[cpu], error);
}

/* Shows progress, and sees whether to end. CAIRN_E_IO when the recording cannot go on. */
static cairn_status look_up(struct feed *feed, bool *ends)
{
    struct cairn_recording *recording = feed->shared.options->recording;

    if (!recording)
        return CAIRN_OK;
    struct cairn_recording_control *control = cairn_recording_control(recording);
    atomic_store_explicit(&control->instructions, feed->shared.result->instructions,
                          memory_order_relaxed);
    *ends |= atomic_load_explicit(&control->interrupt, memory_order_relaxed) != 0;
    return atomic_load_explicit(&control->stopped, memory_order_relaxed) ? CAIRN_E_IO : CAIRN_OK;
}

static bool is_started(const struct feed *feed, uint32_t cpu)
{
    return feed->shared.processors[cpu] && feed->shared.processors[cpu]->unit;
}

static bool any_started(const struct feed *feed)
{
    for (uint32_t i = 0; i < feed->shared.count; i++)
        if (is_started(feed, i))
            return true;
    return false;
}

/* A64 where the trace unit is one of a core that has none. */
static bool is_a64_in_vain(const struct feed *feed, const struct cairn_tarmac_record *record)
{
    return record->isa == CAIRN_ISA_A64 && !cairn_tarmac_has_trace(&feed->shared, CAIRN_ISA_A64);
}

/* What no trace unit of this kind can have seen. */
static cairn_status check_state(const struct feed *feed, const struct cairn_tarmac_record *record,
                                struct cairn_error *error)
{
    const char *cpu = cairn_tarmac_reader_cpu(feed->reader, record->cpu);

    if (record->mode == CAIRN_TARMAC_MODE_M_PROFILE)
        return cairn_fail(
            error, CAIRN_E_UNSUPPORTED,
            "line %llu: %s is an M-profile processor (Cortex-M), and the %s trace unit "
            "of a log is that of an A or R profile one; record the firmware itself, "
            "with --machine",
            (unsigned long long)record->line, cpu,
            cairn_protocol_name(feed->shared.options->unit->protocol));
    /* Behind other code, of another processor as a rule, it is left out and counted. */
    if (is_a64_in_vain(feed, record) && is_wanted(feed, record->cpu) && !any_started(feed))
        return cairn_fail(error, CAIRN_E_UNSUPPORTED,
                          "line %llu: %s executes A64, of which %s traces nothing; record it with "
                          "--protocol ete or etmv4",
                          (unsigned long long)record->line, cpu,
                          cairn_protocol_name(feed->shared.options->unit->protocol));
    return CAIRN_OK;
}

static cairn_status take(struct feed *feed, const struct cairn_tarmac_record *record,
                         struct cairn_error *error)
{
    struct cairn_tarmac_processor *processor;

    if (record->kind == CAIRN_TARMAC_INSTRUCTION) {
        const cairn_status refused = check_state(feed, record, error);
        if (refused)
            return refused;
        if (!cairn_tarmac_has_trace(&feed->shared, record->isa) && !is_started(feed, record->cpu)) {
            feed->shared.result->untold += is_wanted(feed, record->cpu);
            return CAIRN_OK;
        }
    }
    const cairn_status status = find(feed, record, &processor, error);
    if (!status && processor)
        cairn_tarmac_processor_take(processor, record);
    return status;
}

/* Why a log without instructions has none. */
static cairn_status nothing(const struct feed *feed, struct cairn_error *error)
{
    const struct cairn_tarmac_counts *counts = cairn_tarmac_reader_counts(feed->reader);

    if (counts->instructions && feed->shared.options->cpu)
        return cairn_fail(error, CAIRN_E_NOT_FOUND,
                          "no processor %s executes an instruction in the log; its first one is %s",
                          feed->shared.options->cpu, cairn_tarmac_reader_cpu(feed->reader, 0));
    if (counts->note_count)
        return cairn_fail(error, CAIRN_E_FORMAT,
                          "not a TARMAC log: no instruction in %llu lines, and line %llu begins "
                          "\"%.40s\"",
                          (unsigned long long)counts->lines,
                          (unsigned long long)counts->notes[0].line, counts->notes[0].text);
    return cairn_fail(error, CAIRN_E_FORMAT, "the log has no instruction in %llu lines",
                      (unsigned long long)counts->lines);
}

/* An MTB has packets of branches of T32 code alone. */
static cairn_status unseen(const struct feed *feed, struct cairn_error *error)
{
    return cairn_fail(
        error, CAIRN_E_UNSUPPORTED,
        "its %llu instructions are A32, of which an %s traces nothing (it traces T32); "
        "record it with --protocol ptm, etmv3, etmv4 or ete",
        (unsigned long long)feed->shared.result->instructions,
        cairn_protocol_name(feed->shared.options->unit->protocol));
}

static cairn_status read_all(struct feed *feed, struct cairn_error *error)
{
    struct cairn_tarmac_record record;
    cairn_status status;
    bool ends = false;
    uint32_t until = 0;

    while (!ends) {
        status = cairn_tarmac_next(feed->reader, &record, error);
        if (status || record.kind == CAIRN_TARMAC_END)
            return status;
        status = take(feed, &record, error);
        if (status)
            return status;
        if (!until--) {
            until = LOOK_UP;
            status = look_up(feed, &ends);
            if (status)
                return cairn_fail(error, status, "the recording cannot be written any further");
        }
    }
    return CAIRN_OK;
}

cairn_status cairn_tarmac_feed(struct cairn_tarmac_reader *reader,
                               const struct cairn_tarmac_options *options,
                               struct cairn_tarmac_result *result, struct cairn_error *error)
{
    struct feed *feed = calloc(1, sizeof *feed);
    cairn_status status;

    memset(result, 0, sizeof *result);
    if (!feed)
        return cairn_fail(error, CAIRN_E_MEMORY, "no memory to follow a log");
    feed->reader = reader;
    feed->shared.options = options;
    feed->shared.result = result;
    feed->shared.leaves_a32_out =
        cairn_about(options->unit->protocol)->record & CAIRN_RECORD_T32_ALONE;
    if (options->recording)
        feed->shared.epoch = cairn_recording_epoch(options->recording);
    status = read_all(feed, error);
    for (uint32_t i = 0; i < feed->shared.count; i++) {
        struct cairn_tarmac_processor *processor = feed->shared.processors[i];
        if (!processor)
            continue;
        /* The first thing that went wrong is what is told. */
        const cairn_status ended = cairn_tarmac_processor_finish(processor, status ? NULL : error);
        status = status ? status : ended;
        result->cpus += processor->unit != NULL;
    }
    if (options->recording) {
        struct cairn_recording_control *control = cairn_recording_control(options->recording);
        atomic_store(&control->instructions, result->instructions);
        atomic_store(&control->unseen, result->unseen);
        atomic_store(&control->discontinuities, result->discontinuities);
        atomic_store(&control->finished, !status);
    }
    for (uint32_t i = 0; i < feed->shared.count; i++)
        cairn_tarmac_processor_free(feed->shared.processors[i]);
    if (!status && !result->instructions && !result->aborted && !result->untold)
        status = nothing(feed, error);
    else if (!status && result->instructions && result->instructions == result->unseen)
        status = unseen(feed, error);
    free(feed);
    return status;
}
