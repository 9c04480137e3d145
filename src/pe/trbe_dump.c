/* SPDX-License-Identifier: BSD-2-Clause */
/* Where in a trace buffer the trace of a session is, in the order of time (DDI0608 E1.2.1.1, E1.2.2). */
#include "pe/trbe_dump.h"

#include "base/error.h"
#include "base/sizes.h"

#define TOP_BYTE_SHIFT 56
#define ALIGN_MOST 11u /* 2 KB (R_BWNRF) */
#define UNIT_MOST (UINT64_C(1) << ALIGN_MOST)

#define HEX(value) ((unsigned long long)(value))

uint64_t cairn_trbe_unit(const struct cairn_trbe_session *session)
{
    const uint64_t align = session->has_TRBIDR ? CAIRN_GET(session->TRBIDR, TRBIDR_ALIGN) : 0;

    return align > ALIGN_MOST ? 1 : UINT64_C(1) << align;
}

/* ---- whether a pointer can be one (R_MSPSD) ---- */

static bool same_top(uint64_t one, uint64_t other)
{
    return one >> TOP_BYTE_SHIFT == other >> TOP_BYTE_SHIFT;
}

static cairn_status check_pointer(const struct cairn_trbe_extent *extent, uint64_t pointer,
                                  const char *what, struct cairn_error *error)
{
    if (pointer >= extent->base && pointer < extent->limit)
        return CAIRN_OK;
    return cairn_fail(error, CAIRN_E_CONFIG,
                      "%s 0x%llx is outside of the trace buffer, which is 0x%llx up to 0x%llx "
                      "(TRBBASER_EL1, TRBLIMITR_EL1): the registers are not of one session",
                      what, HEX(pointer), HEX(extent->base), HEX(extent->limit));
}

static cairn_status check_buffer(const struct cairn_trbe_reading *reading,
                                 struct cairn_error *error)
{
    const struct cairn_trbe_session *session = &reading->session;
    const struct cairn_trbe_extent *extent = &reading->extent;

    if (extent->base >= extent->limit)
        return cairn_fail(
            error, CAIRN_E_CONFIG,
            "there is no trace buffer: its base 0x%llx (TRBBASER_EL1) is not below its "
            "limit 0x%llx (TRBLIMITR_EL1)",
            HEX(extent->base), HEX(extent->limit));
    if (!same_top(extent->base, extent->limit))
        return cairn_fail(
            error, CAIRN_E_CONFIG,
            "bits 63:56 of the trace buffer's base 0x%llx and limit 0x%llx differ, so "
            "that every pointer is outside of it",
            HEX(extent->base), HEX(extent->limit));
    const cairn_status status = check_pointer(extent, session->TRBPTR, "TRBPTR_EL1", error);
    if (status || !session->has_start)
        return status;
    return check_pointer(extent, session->start, "the session's first pointer", error);
}

/* ---- whether it wrapped ---- */

/* In Fill mode the status tells: collection stopped there, with the pointer at the base (R_MBSHC),
 * unless an External Abort that came later moved it (R_XRLSC). */
static enum cairn_trbe_lap lap_of_fill(const struct cairn_trbe_reading *reading)
{
    const struct cairn_trbe_status *status = &reading->status;
    const bool at_base = reading->session.TRBPTR == reading->extent.base || status->EA;

    if (!cairn_trbe_is_filled(status))
        return status->WRAP ? CAIRN_TRBE_LAP_STALE : CAIRN_TRBE_LAP_NONE;
    if (at_base)
        return status->WRAP ? CAIRN_TRBE_LAP_DONE : CAIRN_TRBE_LAP_LOST;
    return status->WRAP ? CAIRN_TRBE_LAP_MOVED : CAIRN_TRBE_LAP_NONE;
}

/* In the other modes WRAP is all that there is, and whoever counted. A wrap in Wrap mode requests an
 * interrupt as well (R_VBDJZ), which its handler may have taken back. */
static enum cairn_trbe_lap lap_of_ring(const struct cairn_trbe_reading *reading, unsigned FM)
{
    const struct cairn_trbe_session *session = &reading->session;
    const struct cairn_trbe_status *status = &reading->status;

    if (session->has_laps && !session->laps)
        return status->WRAP ? CAIRN_TRBE_LAP_STALE : CAIRN_TRBE_LAP_NONE;
    if (session->has_laps)
        return status->WRAP ? CAIRN_TRBE_LAP_DONE : CAIRN_TRBE_LAP_LOST;
    if (status->WRAP)
        return FM == CAIRN_TRBE_WRAP && !status->IRQ ? CAIRN_TRBE_LAP_DOUBTFUL
                                                     : CAIRN_TRBE_LAP_DONE;
    return session->has_start && session->TRBPTR < session->start ? CAIRN_TRBE_LAP_LOST
                                                                  : CAIRN_TRBE_LAP_NONE;
}

/* ---- ranges ---- */

static void put(struct cairn_trbe_extent *extent, uint64_t from, uint64_t to)
{
    if (from >= to)
        return;
    extent->range[extent->count++] =
        (struct cairn_trbe_range){.address = from, .length = to - from};
    extent->bytes += to - from;
}

/* One piece, up to where it ended. */
static void put_piece(struct cairn_trbe_reading *reading, uint64_t end)
{
    const struct cairn_trbe_session *session = &reading->session;
    struct cairn_trbe_extent *extent = &reading->extent;

    reading->start_is_behind = session->has_start && session->start > end;
    const bool is_certain = session->has_start && !reading->start_is_behind;
    put(extent, is_certain ? session->start : extent->base, end);
    extent->doubtful = is_certain ? 0 : extent->bytes;
    extent->has_total = is_certain;
    extent->total = is_certain ? extent->bytes : 0;
}

/* Bytes between base and pointer are never newer ones in Fill mode. Where the pointer moved after the
 * buffer was filled, they may be anything. */
static void put_filled(struct cairn_trbe_reading *reading)
{
    const struct cairn_trbe_session *session = &reading->session;
    struct cairn_trbe_extent *extent = &reading->extent;
    const bool has_moved = reading->lap == CAIRN_TRBE_LAP_MOVED;
    uint64_t from = session->has_start ? session->start : extent->base;

    if (has_moved && session->TRBPTR > from)
        from = session->TRBPTR;
    put(extent, from, extent->limit);
    extent->doubtful = has_moved || !session->has_start ? extent->bytes : 0;
    extent->has_total = session->has_start;
    extent->total = session->has_start ? extent->limit - session->start : 0;
}

/* All of the ring, except where the first lap was not closed. */
static void put_ring(struct cairn_trbe_reading *reading)
{
    const struct cairn_trbe_session *session = &reading->session;
    struct cairn_trbe_extent *extent = &reading->extent;
    const uint64_t pointer = session->TRBPTR;
    const uint64_t size = extent->limit - extent->base;
    const bool is_before = session->has_start && pointer < session->start;
    const bool one_lap = session->has_laps && session->laps == 1;
    const bool many_laps = session->has_laps && session->laps > 1;
    const uint64_t from = one_lap && is_before ? session->start : pointer;

    put(extent, from, extent->limit);
    put(extent, extent->base, pointer);
    if (one_lap && session->has_start)
        extent->overwritten = pointer > session->start;
    else
        extent->overwritten = true; /* as far as anyone knows */
    if (!many_laps && !session->has_start)
        extent->doubtful = extent->limit - pointer;
    else if (!many_laps && is_before && !one_lap)
        extent->doubtful = session->start - pointer;
    if (reading->lap == CAIRN_TRBE_LAP_DOUBTFUL)
        extent->doubtful = extent->limit - pointer;
    /* more laps than 64 bits have bytes for are a mistake of whoever counted */
    extent->has_total =
        session->has_start && session->has_laps && session->laps < UINT64_MAX / size;
    if (extent->has_total)
        extent->total = session->laps * size + pointer - session->start;
}

static void put_ranges(struct cairn_trbe_reading *reading, bool is_fill)
{
    const enum cairn_trbe_lap lap = reading->lap;

    reading->extent.wrapped = lap != CAIRN_TRBE_LAP_NONE && lap != CAIRN_TRBE_LAP_STALE;
    if (!reading->extent.wrapped)
        put_piece(reading, reading->session.TRBPTR);
    else if (is_fill)
        put_filled(reading);
    else
        put_ring(reading);
}

/* ---- what else follows ---- */

static bool is_aligned(const struct cairn_trbe_session *session, uint64_t value)
{
    return !(value & (cairn_trbe_unit(session) - 1));
}

/* R_HXZZM, R_XZWXQ */
static enum cairn_trbe_value value_of(const struct cairn_trbe_reading *reading)
{
    const struct cairn_trbe_session *session = &reading->session;
    const struct cairn_trbe_status *status = &reading->status;

    if (CAIRN_GET(session->TRBLIMITR, TRBLIMITR_E))
        return CAIRN_TRBE_VALUE_UNKNOWN;
    if ((session->has_start && !is_aligned(session, session->start)) ||
        (session->has_trigger && !is_aligned(session, session->trigger)))
        return CAIRN_TRBE_VALUE_UNKNOWN;
    if (status->EA || session->serror || status->reason == CAIRN_TRBE_ALIGNMENT_FAULT ||
        status->reason == CAIRN_TRBE_EXTERNAL_ABORT)
        return CAIRN_TRBE_VALUE_FAULT;
    return CAIRN_TRBE_VALUE_RESTART;
}

/* The counter went down by one for each byte since, and by up to a unit more at once (R_BQTGW,
 * R_QFGNQ); for a byte that failed it may have. At 0 it stays, so that any number of bytes may have
 * come behind. */
static void find_trigger(struct cairn_trbe_reading *reading)
{
    const struct cairn_trbe_session *session = &reading->session;
    struct cairn_trbe_extent *extent = &reading->extent;
    const uint64_t left = CAIRN_GET(session->TRBTRG, TRBTRG_TRG);

    if (!reading->status.TRG || !session->has_trigger || !session->has_TRBTRG ||
        session->trigger < left || reading->start_is_behind)
        return;
    const uint64_t counted = session->trigger - left;
    const uint64_t unit = session->has_TRBIDR ? cairn_trbe_unit(session) : UNIT_MOST;
    const uint64_t slack = unit + (reading->status.stage != 0);
    const uint64_t since = counted > slack ? counted - slack : 0;
    if (since > extent->bytes)
        return; /* it is among what was overwritten */
    extent->has_trigger = true;
    extent->trigger_to = extent->bytes - since;
    if (left)
        extent->trigger_from = extent->bytes > counted ? extent->bytes - counted : 0;
}

cairn_status cairn_trbe_read(const struct cairn_trbe_session *session,
                             struct cairn_trbe_reading *reading, struct cairn_error *error)
{
    *reading = (struct cairn_trbe_reading){.status.size = sizeof reading->status,
                                           .extent.size = sizeof reading->extent};
    cairn_status status = cairn_options_read(&reading->session, sizeof reading->session, session);
    if (status)
        return cairn_fail(error, status, "a session of a trace buffer begins with its size");
    struct cairn_trbe_extent *extent = &reading->extent;
    const unsigned FM = (unsigned)CAIRN_GET(reading->session.TRBLIMITR, TRBLIMITR_FM);
    extent->base = reading->session.TRBBASER & CAIRN_MASK(TRBBASER_BASE);
    extent->limit = reading->session.TRBLIMITR & CAIRN_MASK(TRBLIMITR_LIMIT);
    status = check_buffer(reading, error);
    if (!status)
        status = cairn_trbe_status_read(reading->session.TRBSR, &reading->status);
    if (status)
        return status;
    const bool is_fill = FM == CAIRN_TRBE_FILL;
    reading->lap = is_fill ? lap_of_fill(reading) : lap_of_ring(reading, FM);
    put_ranges(reading, is_fill);
    /* R_TVKJR: when an abort is told, other trace may have been written meanwhile */
    extent->approximate = CAIRN_GET(reading->session.TRBLIMITR, TRBLIMITR_E) ||
                          (reading->status.EA && !reading->status.exact) ||
                          (reading->status.stage && !reading->status.exact);
    extent->value = value_of(reading);
    find_trigger(reading);
    return CAIRN_OK;
}

cairn_status cairn_trbe_extent_of(const struct cairn_trbe_session *session,
                                  struct cairn_trbe_extent *extent, struct cairn_error *error)
{
    struct cairn_trbe_reading reading;

    if (!session || !extent)
        return cairn_fail(error, CAIRN_E_ARGUMENT,
                          "a session and a place for its extent are needed");
    const cairn_status status = cairn_trbe_read(session, &reading, error);
    return status ? status : cairn_info_write(extent, &reading.extent, sizeof reading.extent);
}
