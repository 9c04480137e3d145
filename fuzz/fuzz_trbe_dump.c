/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers of a trace buffer, as a description has them, and dumps of any size: what is called trace
 * is in the buffer and in the dump, once; every byte of the dump is in one account; and every sentence
 * ends. */
#include <stdlib.h>
#include <string.h>

#include "capture/raw/config.h"
#include "capture/trbe/trbe.h"

#define FINDINGS_MOST 40

static void check_extent(const struct cairn_trbe_session *session,
                         const struct cairn_trbe_extent *extent)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < extent->count; i++) {
        const struct cairn_trbe_range *range = &extent->range[i];
        if (!range->length || range->address < extent->base || range->address >= extent->limit ||
            range->length > extent->limit - range->address)
            abort();
        bytes += range->length;
    }
    if (extent->count == 2 &&
        extent->range[1].address + extent->range[1].length > extent->range[0].address)
        abort(); /* the newer one is below, and they do not overlap */
    if (bytes != extent->bytes || extent->doubtful > bytes ||
        bytes > extent->limit - extent->base || (extent->has_total && extent->total < bytes))
        abort();
    if (extent->has_trigger &&
        (extent->trigger_from > extent->trigger_to || extent->trigger_to > bytes))
        abort();
    struct cairn_trbe_finding finding = {.size = sizeof finding};
    size_t count = 0;
    for (; !cairn_trbe_finding(session, count, &finding); count++)
        if (count > FINDINGS_MOST || !finding.text[0] ||
            !memchr(finding.text, 0, sizeof finding.text))
            abort();
}

static void check_dump(struct cairn_capture *capture, const struct cairn_source_info *source,
                       uint64_t size)
{
    struct cairn_trbe_spans spans;
    uint64_t bytes = 0;

    if (cairn_trbe_spans_of(capture, source, NULL, size, &spans, NULL))
        return;
    for (size_t i = 0; i < spans.count; i++) {
        if (spans.span[i].offset > size || spans.span[i].length > size - spans.span[i].offset)
            abort();
        bytes += spans.span[i].length;
    }
    if (bytes + spans.unwritten + spans.outside != size)
        abort();
}

static void check_source(struct cairn_capture *capture, const struct cairn_raw_source *told,
                         uint64_t size)
{
    const struct cairn_source_info source = {
        .name = told->name, .registers = told->registers, .register_count = told->register_count};
    struct cairn_trbe_extent extent = {.size = sizeof extent};
    struct cairn_trbe_session session;
    struct cairn_trbe_place dump;

    if (!cairn_trbe_is_given(told->registers, told->register_count))
        return;
    if (!cairn_trbe_session_of(told->registers, told->register_count, &session, &dump, NULL) &&
        !cairn_trbe_extent_of(&session, &extent, NULL)) {
        check_extent(&session, &extent);
        check_dump(capture, &source, extent.limit - extent.base);
        check_dump(capture, &source, extent.bytes);
    }
    check_dump(capture, &source, size);
    check_dump(capture, &source, UINT64_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cairn_raw_config config;
    struct cairn_capture *capture;
    char *text = malloc(size + 1);

    if (!text)
        return 0;
    if (size)
        memcpy(text, data, size);
    text[size] = 0;
    if (cairn_capture_new(&capture, NULL) == CAIRN_OK) {
        /* what is read in front of an error counts as well */
        if (cairn_raw_config_read(capture, "regs.ini", text, size, &config, NULL) != CAIRN_OK)
            capture->remark_count = 0;
        for (size_t i = 0; i < config.source_count; i++)
            check_source(capture, &config.sources[i], size);
        cairn_raw_config_free(&config);
        cairn_capture_free(capture);
    }
    free(text);
    return 0;
}
