/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "base/error.h"
#include "base/letters.h"
#include "capture/trbe/trbe.h"
#include "pe/fields.h"
#include "pe/registers.h"

#define HEX(value) ((unsigned long long)(value))
#define RANGE_TEXT 64

/* The codes of `cairn check` (docs/findings.md). */
static const char *code_of(enum cairn_trbe_finding_kind kind)
{
    switch (kind) {
    case CAIRN_TRBE_FINDS_STOPPED:
    case CAIRN_TRBE_FINDS_ABORT: return "CAIRN-TRBE-STOPPED";
    case CAIRN_TRBE_FINDS_ENABLED: return "CAIRN-TRBE-ENABLED";
    case CAIRN_TRBE_FINDS_STALE_WRAP:
    case CAIRN_TRBE_FINDS_LOST_WRAP:
    case CAIRN_TRBE_FINDS_WRAP: return "CAIRN-TRBE-WRAP";
    case CAIRN_TRBE_FINDS_STATUS:
    case CAIRN_TRBE_FINDS_RESERVED:
    case CAIRN_TRBE_FINDS_MISALIGNED:
    case CAIRN_TRBE_FINDS_ATTRIBUTES: return "CAIRN-TRBE-REGISTERS";
    case CAIRN_TRBE_FINDS_START:
    case CAIRN_TRBE_FINDS_OVERWRITTEN:
    case CAIRN_TRBE_FINDS_TRIGGER:
    case CAIRN_TRBE_FINDS_PHYSICAL: break;
    }
    return "CAIRN-TRBE-SESSION";
}

static void say_findings(struct cairn_capture *capture, const char *name,
                         const struct cairn_trbe_session *session)
{
    struct cairn_trbe_finding finding = {.size = sizeof finding};

    for (size_t i = 0; !cairn_trbe_finding(session, i, &finding); i++)
        cairn_capture_say_as(capture, code_of(finding.kind), (enum cairn_severity)finding.severity,
                             "%s: %s", name, finding.text);
}

static void range_text(const struct cairn_trbe_range *range, char text[RANGE_TEXT])
{
    snprintf(text, RANGE_TEXT, "0x%llx..0x%llx", HEX(range->address),
             HEX(range->address + range->length));
}

static void say_extent(struct cairn_capture *capture, const char *name,
                       const struct cairn_trbe_session *session,
                       const struct cairn_trbe_extent *extent)
{
    char first[RANGE_TEXT] = "", second[RANGE_TEXT] = "";

    for (size_t i = 0; i < extent->count; i++)
        range_text(&extent->range[i], i ? second : first);
    cairn_capture_say_as(
        capture, "CAIRN-TRBE-SESSION", CAIRN_NOTE,
        "%s: trace buffer 0x%llx..0x%llx, %s, pointer 0x%llx: %llu byte%s of trace%s%s%s%s.", name,
        HEX(extent->base), HEX(extent->limit),
        cairn_trbe_mode_name((unsigned)CAIRN_GET(session->TRBLIMITR, TRBLIMITR_FM)),
        HEX(session->TRBPTR), HEX(extent->bytes), cairn_plural(extent->bytes), *first ? ", " : "",
        first, *second ? ", then " : "", second);
    if (!session->has_TRBIDR)
        cairn_capture_say_as(
            capture, "CAIRN-TRBE-SESSION", CAIRN_NOTE,
            "%s: TRBIDR_EL1 is not given, so that the alignment of the pointers is "
            "not checked.",
            name);
}

/* The dump has to hold all of a range. */
static cairn_status put(const char *name, const struct cairn_trbe_range *range, uint64_t dump,
                        uint64_t size, struct cairn_trbe_spans *spans, struct cairn_error *error)
{
    const uint64_t offset = range->address - dump;
    char text[RANGE_TEXT];

    range_text(range, text);
    if (range->address < dump)
        return cairn_fail(
            error, CAIRN_E_CONFIG,
            "%s: trace is in %s of memory, but the dump begins at 0x%llx, behind its "
            "first byte. DUMP is the address of the dump's first byte, START the pointer "
            "that the session began with",
            name, text, HEX(dump));
    if (offset > size || range->length > size - offset)
        return cairn_fail(
            error, CAIRN_E_CONFIG,
            "%s: trace is in %s of memory, but the dump has 0x%llx bytes from 0x%llx on: %llu bytes "
            "of it are missing. Dump all of the buffer, or correct DUMP, the address of its first byte",
            name, text, HEX(size), HEX(dump),
            HEX(offset > size ? range->length : range->length - (size - offset)));
    spans->span[spans->count++] = (struct cairn_span){.offset = offset, .length = range->length};
    return CAIRN_OK;
}

/* Bytes of the dump that are the buffer's. */
static uint64_t inside(const struct cairn_trbe_extent *extent, uint64_t dump, uint64_t size)
{
    const uint64_t end = size > UINT64_MAX - dump ? UINT64_MAX : dump + size;
    const uint64_t from = dump > extent->base ? dump : extent->base;
    const uint64_t to = end < extent->limit ? end : extent->limit;

    return to > from ? to - from : 0;
}

cairn_status cairn_trbe_spans_of(struct cairn_capture *capture,
                                 const struct cairn_source_info *source, uint64_t size,
                                 struct cairn_trbe_spans *spans, struct cairn_error *error)
{
    struct cairn_trbe_extent extent = {.size = sizeof extent};
    struct cairn_trbe_session session;
    struct cairn_error why = {0};
    uint64_t dump;

    *spans = (struct cairn_trbe_spans){.count = 0};
    cairn_status status =
        cairn_trbe_session_of(source->registers, source->register_count, &session, &dump, &why);
    if (!status)
        status = cairn_trbe_extent_of(&session, &extent, &why);
    if (status)
        return cairn_fail(error, status, "%s: %s", source->name, why.text);
    for (size_t i = 0; !status && i < extent.count; i++)
        status = put(source->name, &extent.range[i], dump, size, spans, error);
    if (status)
        return status;
    const uint64_t buffer = inside(&extent, dump, size);
    spans->outside = size - buffer;
    spans->unwritten = buffer - extent.bytes;
    say_extent(capture, source->name, &session, &extent);
    say_findings(capture, source->name, &session);
    return CAIRN_OK;
}
