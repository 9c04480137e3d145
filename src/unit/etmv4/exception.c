/* SPDX-License-Identifier: BSD-2-Clause */
/* Exceptional occurrences (DDI0608 D6.8.5, D6.8.6, D6.9.3). */
#include "unit/etmv4/core.h"

/* Types that packets can state (D5.13). */
static bool is_type(unsigned type)
{
    const uint32_t types = 0x00ffdcdfu; /* bit n: type n */

    return type < 32 && (types >> type & 1u);
}

/* The preferred return address of these need not be where execution stopped (D2.2.2.1). */
static bool is_imprecise(unsigned type)
{
    return type == CAIRN_EXCEPTION_SYSTEM_ERROR || type == CAIRN_EXCEPTION_DEBUG_HALT;
}

static bool is_forced(const struct cairn_etmv4_unit *unit, unsigned type)
{
    return (type == CAIRN_EXCEPTION_SYSTEM_ERROR && unit->program.force_errors) ||
           (type == CAIRN_EXCEPTION_PE_RESET && unit->program.force_resets);
}

/* A PE Reset has no address: its element tells nothing of execution. */
static void trace_reset(struct cairn_etmv4_unit *unit)
{
    struct cairn_unit_path *path = &unit->path;

    if (path->owed & CAIRN_OWED_TRACE_ON) {
        struct cairn_unit_place place = path->next;

        if (place.isa == CAIRN_ISA_UNKNOWN)
            place.isa = path->context.SF ? CAIRN_ISA_A64 : CAIRN_ISA_A32;
        cairn_unit_introduce_exception(unit, place);
    }
    /* A target that matched is not taken off a decoder's stack: no execution is told behind it. */
    cairn_unit_returns_clear(&path->returns);
    cairn_unit_generate(unit, CAIRN_ELEMENT_EXCEPTION, CAIRN_ELEMENT_UNKNOWN,
                        &(struct cairn_element_data){.value = CAIRN_EXCEPTION_PE_RESET});
}

static void trace_exception(struct cairn_etmv4_unit *unit, unsigned type,
                            struct cairn_unit_place place)
{
    struct cairn_unit_path *path = &unit->path;
    const bool was_traced = path->traced;

    if (type == CAIRN_EXCEPTION_PE_RESET) {
        cairn_unit_see_cut(&unit->base.sight);
        trace_reset(unit);
    } else {
        cairn_unit_see_end(&unit->base.sight);
        cairn_unit_end_q(unit, path->next.isa != CAIRN_ISA_UNKNOWN ? path->next : place);
        cairn_unit_introduce_exception(unit, place);
        cairn_unit_put_place(unit, CAIRN_ELEMENT_EXCEPTION, place, type);
    }
    unit->counters.exceptions++;
    path->blocks = 0;
    path->omitted = 0;
    path->owed &= ~(uint32_t)CAIRN_OWED_LANDING;
    path->owed |= CAIRN_OWED_TARGET | CAIRN_OWED_EXPLICIT | CAIRN_OWED_CHANGE;
    if (!was_traced) { /* the block before it was not, either (R_LMLSN) */
        path->owed |= CAIRN_OWED_TRACE_ON;
        path->traced = (unit->choices & CAIRN_UNIT_FORCED_SETS_TA) != 0;
    }
}

/* A reset ends a transaction, and what was traced of it has no outcome (R_QWGL, R_NSMJF). */
static void reset_transaction(struct cairn_etmv4_unit *unit)
{
    struct cairn_unit_path *path = &unit->path;
    const bool started = path->started;

    path->in_transaction = false;
    path->transaction_matches = 0;
    cairn_unit_fail_started(unit);
    path->owed &= ~(uint32_t)CAIRN_OWED_START;
    if (!started)
        return;
    cairn_unit_generate_resolved(unit, CAIRN_ELEMENT_DISCARD);
    path->owed |= CAIRN_OWED_CONTEXT;
}

/* Nothing of it is seen, but what the PE is afterwards. */
static void pass_unseen(struct cairn_unit_path *path, unsigned type)
{
    if (type != CAIRN_EXCEPTION_PE_RESET)
        return;
    path->in_transaction = false;
    path->transaction_matches = 0;
    path->owed &= ~(uint32_t)CAIRN_OWED_START;
}

static bool is_asynchronous(unsigned type)
{
    return type == CAIRN_EXCEPTION_SYSTEM_ERROR || type == CAIRN_EXCEPTION_PE_RESET;
}

/* A System Error or PE Reset where a Prohibited region has just begun or ended may be on this side or
 * on the other (I_GWHRM, I_JGVSY, I_PXJWM, I_JKQHF). */
static bool is_prohibited(const struct cairn_etmv4_unit *unit, unsigned type)
{
    const bool prohibited = (unit->path.owed & CAIRN_PATH_PROHIBITED) != 0;

    if ((unit->choices & CAIRN_UNIT_ERRORS_ACROSS) && is_asynchronous(type) &&
        unit->path.crossed_at == unit->told)
        return !prohibited;
    return prohibited;
}

static void observe(struct cairn_etmv4_unit *unit, unsigned type, struct cairn_unit_place place)
{
    struct cairn_unit_path *path = &unit->path;

    if ((unit->mode & CAIRN_MODE_LOW) && !(unit->mode & CAIRN_MODE_DISABLED)) /* it wakes the PE */
        cairn_etmv4_unit_low_power(&unit->base, false);
    cairn_unit_begin(unit);
    if (type == CAIRN_EXCEPTION_PE_RESET)
        path->owed &= ~(uint32_t)CAIRN_PATH_DEBUG; /* I_NPQLT */
    if ((unit->mode & CAIRN_MODE_DISABLED) || (path->owed & CAIRN_PATH_DEBUG) ||
        is_prohibited(unit, type)) {
        pass_unseen(path, type);
        return;
    }
    cairn_unit_get_ready(unit);
    if (type != CAIRN_EXCEPTION_PE_RESET && !is_imprecise(type) &&
        path->next.isa != CAIRN_ISA_UNKNOWN &&
        (path->next.address != place.address || path->next.isa != place.isa)) {
        unit->counters.discontinuities++;
        cairn_unit_lose_path(unit);
    }
    if (type == CAIRN_EXCEPTION_PE_RESET) {
        cairn_unit_settle_path(unit);
        if (!(unit->mode & CAIRN_MODE_INOPERATIVE))
            cairn_unit_land(unit);
        reset_transaction(unit);
    }
    if (unit->mode & CAIRN_MODE_INOPERATIVE) {
        path->owed |= CAIRN_OWED_TRACE_ON;
    } else if (path->traced || is_forced(unit, type)) {
        trace_exception(unit, type, place);
    } else {
        path->owed |= CAIRN_OWED_TRACE_ON;
        path->blocks = 0;
    }
    cairn_unit_synchronize(unit);
    cairn_unit_request_timestamp(unit);
    path->next.isa = CAIRN_ISA_UNKNOWN;
    cairn_unit_end(unit);
    if (path->owed & CAIRN_PATH_PROHIBITED)
        cairn_unit_lose_path(unit);
}

void cairn_etmv4_unit_exception(struct cairn_unit *base, unsigned type, uint64_t address,
                                enum cairn_isa isa)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    struct cairn_unit_place place = {.address = address, .isa = (uint8_t)isa};

    if (isa == CAIRN_ISA_UNKNOWN)
        place.isa = unit->path.context.SF ? CAIRN_ISA_A64 : CAIRN_ISA_A32;
    place.address &= ~(uint64_t)(place.isa == CAIRN_ISA_T32 ? 1 : 3);
    observe(unit, is_type(type) ? type : CAIRN_EXCEPTION_IMPLEMENTATION_DEFINED, place);
    cairn_unit_synchronized(unit);
}
