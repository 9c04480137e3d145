/* SPDX-License-Identifier: BSD-2-Clause */
/* Each record of each source of a capture. */
#include <cairn/pipeline.h>

#include "base/error.h"
#include "base/sizes.h"

typedef cairn_status record_call(void *context, const struct cairn_each_record *record);

static cairn_status each_of_batch(const struct cairn_flow_batch *batch,
                                  struct cairn_each_record *record, record_call *call,
                                  void *context)
{
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < batch->count && !status; i++) {
        record->kind = batch->kind[i];
        record->isa = batch->isa[i];
        record->flags = batch->flags[i];
        record->instructions = batch->instructions[i];
        record->offset = batch->offset[i];
        record->length = batch->length[i];
        record->address = batch->address[i];
        record->value = batch->value[i];
        status = call(context, record);
    }
    return status;
}

static cairn_status each_of_source(struct cairn_capture *capture, size_t source,
                                   const struct cairn_pipeline_options *options, record_call *call,
                                   void *context, struct cairn_error *error)
{
    struct cairn_pipeline *pipeline = NULL;
    cairn_status status =
        cairn_pipeline_new(capture, source, NULL, NULL, options, &pipeline, error);

    if (status)
        return status;
    struct cairn_each_record record = {
        .size = sizeof record, .source = source, .config = cairn_pipeline_config(pipeline)};
    const struct cairn_flow_batch *batch = cairn_pipeline_flow(pipeline);
    do {
        status = cairn_pipeline_next(pipeline);
        if (!status)
            status = each_of_batch(batch, &record, call, context);
    } while (!status && batch->count);
    cairn_pipeline_free(pipeline);
    return status;
}

cairn_status cairn_capture_each(struct cairn_capture *capture,
                                const struct cairn_pipeline_options *options, record_call *record,
                                void *context, struct cairn_error *error)
{
    struct cairn_pipeline_options given = CAIRN_PIPELINE_OPTIONS_INIT;
    struct cairn_source_info info = {.size = sizeof info};
    cairn_status status = cairn_options_read(&given, sizeof given, options);

    if (!status && (given.level != CAIRN_LEVEL_FLOW || given.flags & CAIRN_PIPELINE_COUNTS))
        status = CAIRN_E_ARGUMENT;
    if (status)
        return cairn_fail(error, status, "cairn_capture_each is for all records of the flow");
    for (size_t i = 0; !status && !cairn_capture_source(capture, i, &info); i++)
        if (cairn_protocol_decodes(info.protocol))
            status = each_of_source(capture, i, &given, record, context, error);
    return status;
}
