/* SPDX-License-Identifier: BSD-2-Clause */
/* What is odd about the registers of a trace buffer, or lost, in sentences: what, then what to do. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/sizes.h"
#include "pe/trbe_dump.h"

enum { NOTE, WARNING, PROBLEM };
#define FM_RESERVED 2u
#define TM_RESERVED 2u
#define ALIGN_MOST 11u

#define HEX(value) ((unsigned long long)(value))

/* Findings are counted up to the one that is asked for. */
struct search {
    const struct cairn_trbe_reading *reading;
    struct cairn_trbe_finding *found;
    size_t left; /* how many come before it */
    bool done;
};

__attribute__((format(printf, 4, 5))) static void tell(struct search *search,
                                                       enum cairn_trbe_finding_kind kind,
                                                       unsigned severity, const char *format, ...)
{
    va_list arguments;

    if (search->done || search->left--)
        return;
    search->done = true;
    search->found->kind = kind;
    search->found->severity = severity;
    va_start(arguments, format);
    vsnprintf(search->found->text, sizeof search->found->text, format, arguments);
    va_end(arguments);
}

static const char *mode_of(const struct cairn_trbe_session *session)
{
    return cairn_trbe_mode_name((unsigned)CAIRN_GET(session->TRBLIMITR, TRBLIMITR_FM));
}

/* ---- why it stopped ---- */

/* S_GTLCY */
static const char *advice_for_fault(const struct cairn_trbe_session *session, unsigned FSC)
{
    const char *name = cairn_trbe_fault_name(FSC);
    const bool is_flag = name && !strncmp(name, "Access Flag", 11);
    const bool is_permission = name && !strncmp(name, "Permission", 10);

    if (!is_flag && !is_permission)
        return "pin the buffer's pages while it is in use, at stage 2 as well";
    if (session->has_TRBIDR && CAIRN_GET(session->TRBIDR, TRBIDR_F))
        return "the unit manages the Access flag and dirty state itself (TRBIDR_EL1.F), so look at "
               "whether the translation regime has that enabled, and at the page's permissions";
    return is_flag
               ? "mark the buffer's pages as accessed beforehand: the unit does not do it"
               : "make the buffer's pages writable, and mark them as dirty beforehand: the unit "
                 "does not do it";
}

static void tell_fault(struct search *search, const char *sentence)
{
    const struct cairn_trbe_reading *reading = search->reading;
    const bool may_go_on = reading->status.reason == CAIRN_TRBE_MMU_FAULT;

    tell(search, CAIRN_TRBE_FINDS_STOPPED, WARNING,
         "%s. What was traced after that is lost, and no packet tells of it. %s%s%s.", sentence,
         may_go_on ? "To avoid it, " : "The pointer is a fault value: start anew with another one",
         may_go_on ? advice_for_fault(&reading->session, reading->status.code) : "",
         may_go_on ? "; once that is mended collection may go on from this pointer" : "");
}

static void find_stop(struct search *search)
{
    const struct cairn_trbe_reading *reading = search->reading;
    char sentence[CAIRN_TRBE_TEXT];
    unsigned severity = WARNING;
    const char *advice = "";

    cairn_trbe_status_text(&reading->status, reading->session.TRBPTR, sentence);
    if (!*sentence)
        return;
    sentence[0] = 'C'; /* it begins with "collection" */
    if (reading->status.stage && reading->status.reason != CAIRN_TRBE_RESERVED) {
        tell_fault(search, sentence);
        return;
    }
    switch (reading->status.reason) {
    case CAIRN_TRBE_FILLED:
        advice = " A larger buffer takes more, Circular Buffer mode keeps the newest instead.";
        break;
    case CAIRN_TRBE_TRIGGERED: severity = NOTE; break;
    case CAIRN_TRBE_NOT_FILLED:
        advice = " Before it is disabled: prohibit tracing, ISB, TSB CSYNC.";
        break;
    default: break;
    }
    tell(search, CAIRN_TRBE_FINDS_STOPPED, severity,
         "%s. What was traced after that is lost, and no packet tells of it.%s", sentence, advice);
}

static void find_abort(struct search *search)
{
    const struct cairn_trbe_reading *reading = search->reading;

    if (!reading->status.EA || reading->status.exact)
        return;
    tell(
        search, CAIRN_TRBE_FINDS_ABORT, WARNING,
        "A write of the buffer's gave an External Abort (TRBSR_EL1.EA), and at which address is not "
        "known: trace before the pointer 0x%llx may be missing, and the pointer is no value to start "
        "from again.",
        HEX(reading->session.TRBPTR));
}

static void find_enabled(struct search *search)
{
    if (CAIRN_GET(search->reading->session.TRBLIMITR, TRBLIMITR_E))
        tell(
            search, CAIRN_TRBE_FINDS_ENABLED, WARNING,
            "The buffer was enabled when its registers were read (TRBLIMITR_EL1.E is 1): trace on "
            "its way is missing, and the pointer may be older than the bytes. Prohibit tracing, ISB, "
            "TSB CSYNC, E=0, DSB, ISB, and then read registers and memory.");
}

/* ---- WRAP ---- */

static void find_wrap(struct search *search)
{
    const struct cairn_trbe_session *session = &search->reading->session;
    const char *mode = mode_of(session);

    switch (search->reading->lap) {
    case CAIRN_TRBE_LAP_STALE:
        tell(search, CAIRN_TRBE_FINDS_STALE_WRAP, WARNING,
             "TRBSR_EL1.WRAP is 1, but %s: it is of before the session, and what is before the "
             "pointer counts alone. Clear WRAP when a session begins.",
             session->has_laps && !session->laps
                 ? "no wrap was counted"
                 : "in Fill mode the buffer would have stopped as filled, and has not");
        return;
    case CAIRN_TRBE_LAP_LOST:
        tell(
            search, CAIRN_TRBE_FINDS_LOST_WRAP, WARNING,
            "TRBSR_EL1.WRAP is 0, but the pointer wrapped (%s): WRAP was cleared in the session, and "
            "the bytes are read as after a wrap.",
            cairn_trbe_is_filled(&search->reading->status) &&
                    CAIRN_GET(session->TRBLIMITR, TRBLIMITR_FM) == CAIRN_TRBE_FILL
                ? "BSC says that the buffer was filled"
            : session->has_laps ? "wraps were counted"
                                : "it is before where the session began");
        return;
    case CAIRN_TRBE_LAP_DOUBTFUL:
        tell(search, CAIRN_TRBE_FINDS_WRAP, NOTE,
             "TRBSR_EL1.WRAP is 1 and IRQ is 0, though a wrap in %s requests an interrupt: it was "
             "handled, or WRAP is of before the session, and then what is behind the pointer is "
             "older. How often the pointer wrapped (LAPS) tells.",
             mode);
        return;
    case CAIRN_TRBE_LAP_MOVED:
        tell(
            search, CAIRN_TRBE_FINDS_STATUS, WARNING,
            "TRBSR_EL1 says that the buffer was filled, but the pointer 0x%llx is not at its base: "
            "registers of two moments, or a core that writes on after the wrap (an erratum of "
            "some). What is before the pointer is left out.",
            HEX(session->TRBPTR));
        return;
    case CAIRN_TRBE_LAP_NONE:
    case CAIRN_TRBE_LAP_DONE: return;
    }
}

static void find_overwritten(struct search *search)
{
    const struct cairn_trbe_extent *extent = &search->reading->extent;

    if (!extent->overwritten)
        return;
    if (extent->has_total && extent->total > extent->bytes)
        tell(search, CAIRN_TRBE_FINDS_OVERWRITTEN, NOTE,
             "The session wrote %llu bytes: the oldest %llu were overwritten by newer ones, and "
             "decoding begins at the first synchronisation behind.",
             HEX(extent->total), HEX(extent->total - extent->bytes));
    else
        tell(search, CAIRN_TRBE_FINDS_OVERWRITTEN, NOTE,
             "The pointer wrapped, and older trace was overwritten: decoding begins at the first "
             "synchronisation behind it.");
}

/* ---- contradictions ---- */

static void find_status(struct search *search)
{
    const struct cairn_trbe_reading *reading = search->reading;
    const struct cairn_trbe_session *session = &reading->session;
    const unsigned FM = (unsigned)CAIRN_GET(session->TRBLIMITR, TRBLIMITR_FM);
    const unsigned TM = (unsigned)CAIRN_GET(session->TRBLIMITR, TRBLIMITR_TM);

    if (cairn_trbe_is_filled(&reading->status)) {
        if (FM != CAIRN_TRBE_FILL)
            tell(
                search, CAIRN_TRBE_FINDS_STATUS, WARNING,
                "TRBSR_EL1 says that the buffer was filled, but in %s it never is: the status is of "
                "another session, or TRBLIMITR_EL1 was changed.",
                cairn_trbe_mode_name(FM));
        else if (reading->lap == CAIRN_TRBE_LAP_NONE)
            tell(
                search, CAIRN_TRBE_FINDS_STATUS, WARNING,
                "TRBSR_EL1 says that the buffer was filled, but WRAP is 0 and the pointer 0x%llx is "
                "not at its base: the status is of a session before, and with S=1 nothing was "
                "collected in this one.",
                HEX(session->TRBPTR));
    }
    if (reading->status.reason == CAIRN_TRBE_TRIGGERED && TM != CAIRN_TRBE_STOP_ON_TRIGGER)
        tell(search, CAIRN_TRBE_FINDS_STATUS, WARNING,
             "TRBSR_EL1 says that a Trigger Event stopped collection, but with %s none does: the "
             "status is of another session, or TRBLIMITR_EL1 was changed.",
             cairn_trbe_trigger_mode_name(TM));
    if (reading->status.reason == CAIRN_TRBE_TRIGGERED && !reading->status.TRG)
        tell(search, CAIRN_TRBE_FINDS_STATUS, WARNING,
             "TRBSR_EL1 says that a Trigger Event stopped collection, but TRG is 0: no trigger was "
             "detected, or TRG was cleared since.");
}

static void find_reserved(struct search *search)
{
    const struct cairn_trbe_session *session = &search->reading->session;

    if (CAIRN_GET(session->TRBLIMITR, TRBLIMITR_FM) == FM_RESERVED)
        tell(search, CAIRN_TRBE_FINDS_RESERVED, WARNING,
             "TRBLIMITR_EL1.FM has the reserved value 2: the buffer is taken for a ring, as in "
             "Circular Buffer mode.");
    if (CAIRN_GET(session->TRBLIMITR, TRBLIMITR_TM) == TM_RESERVED)
        tell(search, CAIRN_TRBE_FINDS_RESERVED, WARNING,
             "TRBLIMITR_EL1.TM has the reserved value 2: what a trigger did is not known.");
    if (search->reading->status.reason == CAIRN_TRBE_RESERVED)
        tell(
            search, CAIRN_TRBE_FINDS_RESERVED, WARNING,
            "TRBSR_EL1 0x%llx has a reserved reason (EC 0x%02x, MSS 0x%04x): a newer architecture, or "
            "another register's value.",
            HEX(session->TRBSR), search->reading->status.EC, search->reading->status.MSS);
    if (session->has_TRBIDR && CAIRN_GET(session->TRBIDR, TRBIDR_ALIGN) > ALIGN_MOST)
        tell(search, CAIRN_TRBE_FINDS_RESERVED, WARNING,
             "TRBIDR_EL1.Align has the reserved value %llu: alignment is not checked.",
             HEX(CAIRN_GET(session->TRBIDR, TRBIDR_ALIGN)));
}

/* ---- alignment (R_XXZHM, R_XBLPK) ---- */

static void check_unit(struct search *search, uint64_t value, const char *what)
{
    const uint64_t unit = cairn_trbe_unit(&search->reading->session);

    if (value & (unit - 1))
        tell(
            search, CAIRN_TRBE_FINDS_MISALIGNED, WARNING,
            "%s 0x%llx is no multiple of %llu bytes, as TRBIDR_EL1.Align wants it of a new session: "
            "where the unit wrote, and what the registers say of it, cannot be relied on.",
            what, HEX(value), HEX(unit));
}

static void check_granule(struct search *search, uint64_t value, const char *what)
{
    const uint32_t granule = search->reading->session.granule;

    if (granule && !(granule & (granule - 1)) && value & (granule - 1))
        tell(search, CAIRN_TRBE_FINDS_MISALIGNED, WARNING,
             "The buffer's %s 0x%llx is no multiple of the smallest translation granule, %u bytes: "
             "software has to align it.",
             what, HEX(value), granule);
}

static void find_misaligned(struct search *search)
{
    const struct cairn_trbe_reading *reading = search->reading;
    const struct cairn_trbe_session *session = &reading->session;
    const uint64_t unit = cairn_trbe_unit(session);

    if (session->has_start)
        check_unit(search, session->start, "The session's first pointer");
    if (session->has_trigger)
        check_unit(search, session->trigger, "The session's first trigger counter");
    /* one that was read back may be, and software writes it back as it is (I_SFTPM) */
    if (session->TRBPTR & (unit - 1))
        tell(search, CAIRN_TRBE_FINDS_MISALIGNED, NOTE,
             "TRBPTR_EL1 0x%llx is no multiple of the %llu bytes of TRBIDR_EL1.Align: as a pointer "
             "that was read back it may be, but no session may begin there anew.",
             HEX(session->TRBPTR), HEX(unit));
    check_granule(search, reading->extent.base, "base");
    check_granule(search, reading->extent.limit, "limit");
}

/* ---- what is not in the registers ---- */

static void find_start(struct search *search)
{
    const struct cairn_trbe_reading *reading = search->reading;
    const struct cairn_trbe_session *session = &reading->session;

    if (reading->start_is_behind)
        tell(
            search, CAIRN_TRBE_FINDS_START, WARNING,
            "The session is said to have begun at 0x%llx, but the pointer 0x%llx is before that and "
            "did not wrap: the start is not used.",
            HEX(session->start), HEX(session->TRBPTR));
    else if (!session->has_start && reading->extent.doubtful)
        tell(
            search, CAIRN_TRBE_FINDS_START, NOTE,
            "Where the session began is not known: the oldest %llu of %llu bytes may be of an earlier "
            "one. The pointer that it began with (START) tells.",
            HEX(reading->extent.doubtful), HEX(reading->extent.bytes));
    else if (reading->extent.doubtful && reading->lap == CAIRN_TRBE_LAP_DONE)
        tell(search, CAIRN_TRBE_FINDS_START, NOTE,
             "If the pointer wrapped only once, the oldest %llu of %llu bytes are older than the "
             "session. How often it wrapped (LAPS) tells.",
             HEX(reading->extent.doubtful), HEX(reading->extent.bytes));
}

static void find_trigger(struct search *search)
{
    const struct cairn_trbe_extent *extent = &search->reading->extent;

    if (!extent->has_trigger)
        return;
    if (extent->trigger_from == extent->trigger_to)
        tell(search, CAIRN_TRBE_FINDS_TRIGGER, NOTE,
             "The trigger was detected at offset %llu of the session's %llu bytes.",
             HEX(extent->trigger_from), HEX(extent->bytes));
    else
        tell(search, CAIRN_TRBE_FINDS_TRIGGER, NOTE,
             "The trigger was detected between offsets %llu and %llu of the session's %llu bytes.",
             HEX(extent->trigger_from), HEX(extent->trigger_to), HEX(extent->bytes));
}

/* S_ZMPXW */
static void find_physical(struct search *search)
{
    const struct cairn_trbe_session *session = &search->reading->session;
    const unsigned written = (unsigned)CAIRN_GET(session->TRBMAR, TRBMAR_ATTR);

    if (!CAIRN_GET(session->TRBLIMITR, TRBLIMITR_nVM))
        return;
    if (session->has_TRBMAR && session->has_mapping && session->mapping != written)
        tell(
            search, CAIRN_TRBE_FINDS_ATTRIBUTES, WARNING,
            "The buffer was written with the memory attributes 0x%02x (TRBMAR_EL1.Attr) and read by a "
            "mapping with 0x%02x: bytes may be older than what the unit wrote. Clean and invalidate "
            "the caches there before reading, or read by a mapping with the same attributes.",
            written, session->mapping);
    tell(search, CAIRN_TRBE_FINDS_PHYSICAL, NOTE,
         "TRBLIMITR_EL1.nVM is 1: the buffer's addresses are physical ones, or intermediate "
         "physical ones of a guest, and so has to be the dump's.");
}

cairn_status cairn_trbe_finding(const struct cairn_trbe_session *session, size_t index,
                                struct cairn_trbe_finding *finding)
{
    struct cairn_trbe_reading reading;
    struct cairn_trbe_finding found = {.size = sizeof found};
    struct search search = {.reading = &reading, .found = &found, .left = index};

    if (!session || !finding)
        return CAIRN_E_ARGUMENT;
    if (cairn_trbe_read(session, &reading, NULL))
        return CAIRN_E_NOT_FOUND;
    find_stop(&search);
    find_abort(&search);
    find_enabled(&search);
    find_wrap(&search);
    find_status(&search);
    find_reserved(&search);
    find_misaligned(&search);
    find_start(&search);
    find_overwritten(&search);
    find_trigger(&search);
    find_physical(&search);
    return search.done ? cairn_info_write(finding, &found, sizeof found) : CAIRN_E_NOT_FOUND;
}
