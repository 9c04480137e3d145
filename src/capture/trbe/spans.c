/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>

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

/* Bytes of [address, address + size) that are the buffer's. */
static uint64_t inside(const struct cairn_trbe_extent *extent, uint64_t address, uint64_t size)
{
    const uint64_t end = size > UINT64_MAX - address ? UINT64_MAX : address + size;
    const uint64_t from = address > extent->base ? address : extent->base;
    const uint64_t to = end < extent->limit ? end : extent->limit;

    return to > from ? to - from : 0;
}

static cairn_status find_in_dump(const char *name, const struct cairn_trbe_extent *extent,
                                 uint64_t dump, uint64_t size, struct cairn_trbe_spans *spans,
                                 struct cairn_error *error)
{
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; !status && i < extent->count; i++)
        status = put(name, &extent->range[i], dump, size, spans, error);
    const uint64_t buffer = inside(extent, dump, size);
    spans->outside = size - buffer;
    spans->unwritten = buffer > extent->bytes ? buffer - extent->bytes : 0;
    return status;
}

/* ---- core files ---- */

static const struct cairn_trbe_piece *piece_with(const struct cairn_trbe_core *core,
                                                 uint64_t address)
{
    for (size_t i = 0; i < core->count; i++)
        if (address >= core->pieces[i].address &&
            address - core->pieces[i].address < core->pieces[i].length)
            return &core->pieces[i];
    return NULL;
}

static cairn_status put_pieces(const char *name, const struct cairn_trbe_core *core,
                               const struct cairn_trbe_range *range, const char *kind,
                               struct cairn_trbe_spans *spans, struct cairn_error *error)
{
    for (uint64_t done = 0, length; done < range->length; done += length) {
        const uint64_t address = range->address + done;
        const struct cairn_trbe_piece *piece = piece_with(core, address);
        if (!piece)
            return cairn_fail(
                error, CAIRN_E_CONFIG,
                "%s: the core file has no memory at the %s address 0x%llx, where trace "
                "is. Write the buffer out of it by what knows its page tables (crash, "
                "GDB), and give DUMP, the address of that file's first byte",
                name, kind, HEX(address));
        if (spans->count == CAIRN_TRBE_SPANS)
            return cairn_fail(error, CAIRN_E_LIMIT,
                              "%s: its trace is in more than %u pieces of the core file", name,
                              CAIRN_TRBE_SPANS);
        const uint64_t within = address - piece->address;
        length = piece->length - within;
        if (length > range->length - done)
            length = range->length - done;
        spans->span[spans->count++] =
            (struct cairn_span){.offset = piece->offset + within, .length = length};
    }
    return CAIRN_OK;
}

static cairn_status find_in_core(const char *name, const struct cairn_trbe_extent *extent,
                                 const char *path, bool physical, uint64_t size,
                                 struct cairn_trbe_spans *spans, struct cairn_error *error)
{
    struct cairn_trbe_core core = {.count = 0};
    uint64_t buffer = 0;

    cairn_status status = cairn_trbe_core_read(path, physical, &core, error);
    for (size_t i = 0; !status && i < extent->count; i++)
        status = put_pieces(name, &core, &extent->range[i], physical ? "physical" : "virtual",
                            spans, error);
    for (size_t i = 0; !status && i < core.count && buffer <= size; i++)
        buffer += inside(extent, core.pieces[i].address, core.pieces[i].length);
    free(core.pieces);
    if (!status && extent->bytes > size)
        status = cairn_fail(error, CAIRN_E_FORMAT,
                            "%s: the core file has some of its bytes at several addresses", name);
    if (status)
        return status;
    /* segments may overlap, of which no more can be made than there are bytes */
    const uint64_t rest = size - extent->bytes;
    spans->unwritten = buffer > extent->bytes ? buffer - extent->bytes : 0;
    if (spans->unwritten > rest)
        spans->unwritten = rest;
    spans->outside = rest - spans->unwritten;
    return CAIRN_OK;
}

static bool is_core_file(const char *path)
{
    uint8_t head[CAIRN_TRBE_CORE_HEAD];

    return path && cairn_trbe_is_core(head, cairn_input_head(path, head, sizeof head));
}

cairn_status cairn_trbe_spans_of(struct cairn_capture *capture,
                                 const struct cairn_source_info *source, const char *path,
                                 uint64_t size, struct cairn_trbe_spans *spans,
                                 struct cairn_error *error)
{
    struct cairn_trbe_extent extent = {.size = sizeof extent};
    struct cairn_trbe_session session;
    struct cairn_trbe_place dump;
    struct cairn_error why = {0};

    spans->count = 0;
    spans->unwritten = spans->outside = 0;
    cairn_status status =
        cairn_trbe_session_of(source->registers, source->register_count, &session, &dump, &why);
    if (!status)
        status = cairn_trbe_extent_of(&session, &extent, &why);
    if (status)
        return cairn_fail(error, status, "%s: %s", source->name, why.text);
    if (!dump.is_given && is_core_file(path))
        status = find_in_core(source->name, &extent, path,
                              CAIRN_GET(session.TRBLIMITR, TRBLIMITR_nVM), size, spans, error);
    else
        status = find_in_dump(source->name, &extent, dump.address, size, spans, error);
    if (status)
        return status;
    say_extent(capture, source->name, &session, &extent);
    say_findings(capture, source->name, &session);
    return CAIRN_OK;
}
