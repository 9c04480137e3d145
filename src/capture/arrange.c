/* SPDX-License-Identifier: BSD-2-Clause */
/* A trace unit that writes memory round and round leaves a file that begins in the middle of its
 * trace. The registers say where; readers then give the bytes in the order of the trace, and their
 * runs tell where in the file each of them stands. */
#include "base/error.h"
#include "capture/model.h"
#include "capture/port/etb.h"
#include "capture/trbe/trbe.h"
#include "protocol/about.h"

/* By the registers of a trace buffer in memory: what they do not call trace is left out. */
static cairn_status order_by_trbe(struct cairn_capture *capture,
                                  const struct cairn_source_info *info, struct cairn_buffer *buffer,
                                  struct cairn_error *error)
{
    const bool is_file = !buffer->memory && !buffer->part_count && !buffer->view;
    struct cairn_trbe_spans spans;

    if (buffer->info.format != CAIRN_FORMAT_SOURCE_DATA)
        return cairn_fail(
            error, CAIRN_E_CONFIG,
            "%s: a trace buffer in memory (TRBPTR_EL1 ...) has no frames, but buffer %s "
            "is to have them; give format source_data, or leave its registers out",
            info->name, buffer->info.name);
    if (buffer->order_count)
        return cairn_fail(
            error, CAIRN_E_CONFIG,
            "%s: TRBPTR_EL1 tells where the oldest byte of buffer %s is, and start= as "
            "well; leave one of them out",
            info->name, buffer->info.name);
    const cairn_status status = cairn_trbe_spans_of(
        capture, info, is_file ? buffer->info.path : NULL, buffer->info.bytes, &spans, error);
    if (status)
        return status;
    buffer->unwritten = spans.unwritten;
    buffer->outside = spans.outside;
    return cairn_buffer_set_order(capture, buffer, spans.span, spans.count);
}

cairn_status cairn_capture_order(struct cairn_capture *capture, size_t source,
                                 struct cairn_error *error)
{
    const struct cairn_source_info *info = &capture->sources[source];
    struct cairn_buffer *buffer = &capture->buffers[info->buffer];
    struct cairn_config *config;
    struct cairn_error why = {0};
    struct cairn_span order[CAIRN_SPANS_MAX];
    size_t count = 0;
    if (cairn_trbe_is_given(info->registers, info->register_count))
        return order_by_trbe(capture, info, buffer, error);
    const struct cairn_etb etb = cairn_etb_of(info->registers, info->register_count);
    if (etb.is_given)
        return cairn_etb_order(capture, info->name, &etb, buffer, error);
    if (!cairn_about(info->protocol)->memory)
        return CAIRN_OK;
    if (buffer->info.format != CAIRN_FORMAT_SOURCE_DATA)
        return cairn_fail(
            error, CAIRN_E_CONFIG,
            "%s: a Micro Trace Buffer's trace is memory without frames, but buffer %s "
            "is to have them; give format source_data, or another protocol",
            info->name, buffer->info.name);
    struct cairn_source_config wanted = CAIRN_SOURCE_CONFIG_INIT;
    wanted.protocol = info->protocol;
    wanted.arch = info->arch;
    wanted.source = (uint32_t)source;
    wanted.registers = info->registers;
    wanted.register_count = info->register_count;
    cairn_status status = cairn_config_new(&wanted, &config, &why);
    if (status != CAIRN_OK)
        return cairn_fail(error, status, "%s: %s", info->name, why.text);
    status = cairn_config_spans(config, buffer->info.bytes, order, &count, &why);
    cairn_config_unref(config);
    if (status == CAIRN_OK)
        return cairn_buffer_set_order(capture, buffer, order, count);
    return cairn_fail(error, status, "%s: %s", info->name, why.text);
}
