/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/audit/trial.h"

#include <stdlib.h>
#include <strings.h>

#include <cairn/pipeline.h>

#include "capture/model.h"
#include "cli/screen/watch.h"
#include "protocol/about.h"

/* Registers that tell the protocol's version would insist on the one that is in doubt. */
static bool tells_version(const char *name)
{
    return !strcasecmp(name, "TRCDEVARCH") || !strcasecmp(name, "TRCIDR1") ||
           !strcasecmp(name, "ETMIDR");
}

static struct cairn_register *other_registers(const struct cairn_source_info *info,
                                              const struct cli_trial *trial, size_t *count)
{
    struct cairn_register *registers =
        calloc(info->register_count + trial->instead_count + 1, sizeof *registers);

    *count = 0;
    for (size_t i = 0; registers && i < info->register_count; i++)
        if (trial->keeps_version || !tells_version(info->registers[i].name))
            registers[(*count)++] = info->registers[i];
    for (size_t i = 0; registers && i < trial->instead_count; i++) /* the last value counts */
        registers[(*count)++] = trial->instead[i];
    return registers;
}

static struct cairn_config *other_config(const struct cairn_source_info *info, size_t source,
                                         const struct cli_trial *trial)
{
    struct cairn_source_config wanted = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config = NULL;
    size_t count;
    struct cairn_register *registers = other_registers(info, trial, &count);

    if (!registers)
        return NULL;
    wanted.protocol = trial->protocol;
    wanted.arch = info->arch;
    wanted.source = (uint32_t)source;
    wanted.registers = registers;
    wanted.register_count = count;
    if (cairn_config_new(&wanted, &config, NULL))
        config = NULL;
    free(registers);
    return config;
}

static void judge(const struct cairn_packet_batch *batch, struct cli_verdict *verdict)
{
    for (size_t i = 0; i < batch->count; i++) {
        const bool odd = batch->fields[i].flags & (CAIRN_PACKET_SBZ | CAIRN_PACKET_CONTRADICTION);

        if (odd || batch->account[i] == CAIRN_GAP_RESERVED || batch->account[i] == CAIRN_GAP_CUT)
            verdict->bad += batch->length[i];
        verdict->odd += odd && batch->account[i] != CAIRN_GAP_RESERVED;
    }
}

bool cli_trial_run_on(struct cli_session *session, struct cairn_capture *capture, size_t source,
                      const struct cli_trial *trial, struct cli_verdict *verdict)
{
    struct cairn_source_info info = {.size = sizeof info};
    struct cairn_pipeline *pipeline = NULL;

    *verdict = (struct cli_verdict){0};
    if (cairn_capture_source(capture, source, &info))
        return false;
    struct cairn_config *config = other_config(&info, source, trial);
    if (!config)
        return false;
    const struct cairn_pipeline_options options = {
        .size = sizeof options,
        .level = CAIRN_LEVEL_PACKETS,
        .progress = cli_progress_watch,
    };
    cairn_status status =
        cairn_pipeline_new(capture, source, config, NULL, &options, &pipeline, NULL);
    while (!status) {
        status = cairn_pipeline_next(pipeline);
        const struct cairn_packet_batch *batch = cairn_pipeline_packets(pipeline);
        judge(batch, verdict);
        if (!batch->count || !cli_session_goes_on(session) ||
            (trial->bytes && cairn_pipeline_ledger(pipeline)->total >= trial->bytes))
            break;
    }
    if (!status) {
        const struct cairn_ledger *ledger = cairn_pipeline_ledger(pipeline);
        verdict->reserved = ledger->account[CAIRN_GAP_RESERVED].packets;
        verdict->synced = ledger->total - ledger->account[CAIRN_GAP_NO_SYNC].bytes;
        /* of a trace port what is read wrong is not synchronised, and that is all that shows it */
        if (cairn_about(trial->protocol)->samples) {
            verdict->bad += ledger->account[CAIRN_GAP_NO_SYNC].bytes;
            verdict->synced = ledger->total;
        } else if (ledger->account[CAIRN_GAP_NO_SYNC].bytes > ledger->total / 2) {
            /* nothing is reserved in what is never synchronised */
            status = CAIRN_E_NOT_FOUND;
        }
    }
    cairn_pipeline_free(pipeline);
    cairn_config_unref(config);
    return !status;
}

bool cli_trial_run(struct cli_session *session, size_t source, const struct cli_trial *trial,
                   struct cli_verdict *verdict)
{
    return cli_trial_run_on(session, session->capture, source, trial, verdict);
}

/* A capture with nothing but that source. */
static struct cairn_capture *lay_out(const struct cairn_source_info *info, const char *path,
                                     const struct cli_other_layout *layout, size_t *source)
{
    const bool framed = layout->format != CAIRN_FORMAT_SOURCE_DATA;
    const struct cairn_buffer_options buffer = {.size = sizeof buffer,
                                                .name = "trial",
                                                .format = layout->format,
                                                .path = layout->memory ? NULL : path,
                                                .memory = layout->memory,
                                                .memory_size = layout->memory_size};
    struct cairn_source_options options = CAIRN_SOURCE_OPTIONS_INIT;
    struct cairn_capture *capture = NULL;

    options.name = info->name;
    options.core = info->core_type;
    options.protocol = info->protocol;
    options.trace_id = layout->trace_id >= 0 ? layout->trace_id : info->trace_id;
    options.registers = info->registers;
    options.register_count = info->register_count;
    if (!framed)
        options.trace_id = -1;
    if ((framed && options.trace_id < 0) || cairn_capture_new(&capture, NULL))
        return NULL;
    cairn_status status = cairn_capture_put_buffer(capture, &buffer, &options.buffer, NULL);
    if (!status)
        status = cairn_capture_put_source(capture, &options, source, NULL);
    if (!status)
        return capture;
    cairn_capture_free(capture);
    return NULL;
}

bool cli_trial_run_laid_out(struct cli_session *session, size_t source,
                            const struct cli_other_layout *layout, uint64_t bytes,
                            struct cli_verdict *verdict)
{
    struct cairn_source_info info = {.size = sizeof info};
    struct cairn_buffer_info buffer = {.size = sizeof buffer};
    size_t index;

    *verdict = (struct cli_verdict){0};
    if (cairn_capture_source(session->capture, source, &info) ||
        cairn_capture_buffer(session->capture, info.buffer, &buffer) || !buffer.path)
        return false;
    /* what is not in the file as it stands has no other layout */
    if (!layout->memory && session->capture->buffers[info.buffer].view)
        return false;
    struct cairn_capture *capture = lay_out(&info, buffer.path, layout, &index);
    if (!capture)
        return false;
    const struct cli_trial trial = {
        .protocol = info.protocol, .keeps_version = true, .bytes = bytes};
    const bool fits = cli_trial_run_on(session, capture, index, &trial, verdict);
    cairn_capture_free(capture);
    return fits;
}
