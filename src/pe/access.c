/* SPDX-License-Identifier: BSD-2-Clause */
/* System registers of a PE: who answers for which, and in which order it counts. */
#include <string.h>

#include "pe/pe.h"
#include "pe/trap.h"

uint32_t cairn_pe_encoding(const char *name)
{
    const struct cairn_pe_sysreg_place place = cairn_pe_sysreg_named(name);

    return place.sysreg ? cairn_pe_sysreg_encoding(place) : 0;
}

const char *cairn_pe_name(uint32_t encoding, char name[24])
{
    const struct cairn_pe_sysreg_place place = cairn_pe_sysreg_encoded(encoding);

    if (!place.sysreg)
        return NULL;
    cairn_pe_sysreg_name(place, name);
    return name;
}

static enum cairn_pe_answer answer_of(enum cairn_pe_permission permission)
{
    switch (permission) {
    case CAIRN_PE_PERMITTED:
    case CAIRN_PE_NOTHING: return CAIRN_PE_ANSWER_OK;
    case CAIRN_PE_TRAP_EL1: return CAIRN_PE_ANSWER_TRAP_EL1;
    case CAIRN_PE_TRAP_EL2: return CAIRN_PE_ANSWER_TRAP_EL2;
    case CAIRN_PE_TRAP_EL3: return CAIRN_PE_ANSWER_TRAP_EL3;
    default: return CAIRN_PE_ANSWER_UNDEFINED;
    }
}

static enum cairn_pe_permission ask(const struct cairn_pe *pe, uint32_t encoding,
                                    enum cairn_pe_direction direction)
{
    return cairn_pe_permission(encoding, direction, &pe->features, &pe->state,
                               &pe->order.lanes[0].seen, 0);
}

/* The register that the name reaches, at the present level. */
static struct cairn_pe_sysreg_place reach(const struct cairn_pe *pe, uint32_t encoding)
{
    return cairn_pe_sysreg_reached(cairn_pe_sysreg_encoded(encoding), pe->state.EL,
                                   CAIRN_GETS(&pe->order.lanes[0].seen, HCR_EL2, HCR_EL2_E2H));
}

/* --- of the branch records --- */

static bool is_record(struct cairn_pe_sysreg_place place, enum cairn_brbe_part *part)
{
    static const char *const names[] = {"BRBINF", "BRBSRC", "BRBTGT"};

    for (unsigned i = 0; place.sysreg->after && i < 3; i++)
        if (strcmp(place.sysreg->name, names[i]) == 0) {
            *part = (enum cairn_brbe_part)i;
            return true;
        }
    return false;
}

static uint64_t read_branches(struct cairn_pe *pe, uint32_t reg)
{
    const struct cairn_brbe_side now = cairn_pe_side(pe);

    switch (reg) {
    case CAIRN_PE_BRBFCR_EL1: return cairn_brbe_read_control(&pe->brbe, &now);
    case CAIRN_PE_BRBTS_EL1: return pe->brbe.timestamp;
    case CAIRN_PE_BRBINFINJ_EL1: return cairn_brbe_read_injection(&pe->brbe, CAIRN_BRBE_INF);
    case CAIRN_PE_BRBSRCINJ_EL1: return cairn_brbe_read_injection(&pe->brbe, CAIRN_BRBE_SRC);
    case CAIRN_PE_BRBTGTINJ_EL1: return cairn_brbe_read_injection(&pe->brbe, CAIRN_BRBE_TGT);
    default: return 0;
    }
}

static bool is_branches(uint32_t reg)
{
    return reg == CAIRN_PE_BRBFCR_EL1 || reg == CAIRN_PE_BRBTS_EL1 ||
           reg == CAIRN_PE_BRBINFINJ_EL1 || reg == CAIRN_PE_BRBSRCINJ_EL1 ||
           reg == CAIRN_PE_BRBTGTINJ_EL1;
}

/* What the register's value means to its unit, beside that it has it. */
static void tell_branches(struct cairn_pe *pe, uint32_t reg, uint64_t value)
{
    const struct cairn_brbe_side now = cairn_pe_side(pe);

    switch (reg) {
    case CAIRN_PE_BRBFCR_EL1: cairn_brbe_write_control(&pe->brbe, &now, value); break;
    case CAIRN_PE_BRBTS_EL1: pe->brbe.timestamp = value; break;
    case CAIRN_PE_BRBINFINJ_EL1:
        cairn_brbe_write_injection(&pe->brbe, CAIRN_BRBE_INF, value);
        break;
    case CAIRN_PE_BRBSRCINJ_EL1:
        cairn_brbe_write_injection(&pe->brbe, CAIRN_BRBE_SRC, value);
        break;
    case CAIRN_PE_BRBTGTINJ_EL1:
        cairn_brbe_write_injection(&pe->brbe, CAIRN_BRBE_TGT, value);
        break;
    case CAIRN_PE_BRBCR_EL1:
    case CAIRN_PE_BRBCR_EL2: cairn_brbe_programmed(&pe->brbe, (enum cairn_pe_register)reg); break;
    default: break;
    }
}

/* --- reading --- */

/* Records that were made since the last Context synchronization event are read. */
static void depend_on_records(struct cairn_pe *pe, uint32_t encoding, uint32_t fresh)
{
    const struct cairn_order_finding finding = {.rule = "R_PGDLX",
                                                .reg = CAIRN_PE_OF_RECORDS | encoding,
                                                .missing = CAIRN_PE_MISSES_CSE,
                                                .place = pe->order.place,
                                                .since = pe->late_pmu.counted_place};

    if (fresh > 0 && pe->order.tell)
        pe->order.tell(pe->order.context, &finding);
}

static uint64_t read_record(struct cairn_pe *pe, struct cairn_pe_sysreg_place place,
                            enum cairn_brbe_part part, bool by_instruction)
{
    const unsigned number = place.number;
    struct cairn_access_lane *lane = &pe->order.lanes[0];
    const unsigned bank = (unsigned)CAIRN_GET(lane->seen.value[CAIRN_PE_BRBFCR_EL1], BRBFCR_BANK);
    const uint32_t fresh = pe->brbe.fresh < pe->brbe.valid ? pe->brbe.fresh : pe->brbe.valid;
    struct cairn_branch_registers record;
    const unsigned seen = number + fresh;

    if (by_instruction && pe->order.lane_count > 1) {
        cairn_order_depend(&pe->order, CAIRN_PE_BRBFCR_EL1, CAIRN_MASK(BRBFCR_BANK), "I_PPBZP");
        depend_on_records(pe, cairn_pe_sysreg_encoding(place), fresh);
    }
    if (!by_instruction || fresh == 0 || lane->kind == CAIRN_LANE_EARLY || bank > 1 ||
        cairn_lane_happens(lane, 2))
        return cairn_brbe_read(&pe->brbe, bank, number, part);
    /* As if the records since the last Context synchronization event were not there yet (R_PGDLX). */
    record = cairn_brbe_record(&pe->brbe, bank * CAIRN_PE_RECORDS_SEEN + seen);
    return part == CAIRN_BRBE_INF   ? record.BRBINF
           : part == CAIRN_BRBE_SRC ? record.BRBSRC
                                    : record.BRBTGT;
}

static uint64_t read_place(struct cairn_pe *pe, struct cairn_pe_sysreg_place place,
                           const struct cairn_pe_state *state)
{
    const uint32_t reg = cairn_pe_sysreg_slot(place);
    enum cairn_brbe_part part;
    uint64_t value;

    if (is_record(place, &part)) {
        return pe->has_brbe ? read_record(pe, place, part, state != NULL) : 0;
    }
    if (cairn_pmu_owns((enum cairn_pe_register)reg))
        return cairn_pe_late_pmu_read(pe, reg, state);
    if (pe->has_brbe && is_branches(reg))
        return read_branches(pe, reg);
    value = cairn_order_read(&pe->order, reg);
    if (state)
        cairn_pe_abort_depend(pe, reg);
    return value;
}

enum cairn_pe_answer cairn_pe_mrs(struct cairn_pe *pe, uint32_t encoding, uint64_t *value)
{
    const enum cairn_pe_permission permission = ask(pe, encoding, CAIRN_PE_READ);
    struct cairn_pe_sysreg_place place;

    *value = 0;
    if (!cairn_pe_hears(pe))
        return CAIRN_PE_ANSWER_UNDEFINED;
    if (permission != CAIRN_PE_PERMITTED)
        return answer_of(permission);
    if (cairn_pe_is_trace_sysreg(encoding)) {
        const enum cairn_answer answer =
            pe->unit ? cairn_unit_mrs(pe->unit, encoding, pe->state.EL, value, NULL)
                     : CAIRN_ANSWER_UNDEFINED;

        if (answer != CAIRN_ANSWER_UNDEFINED)
            cairn_pe_late_unit_read(pe, encoding, *value);
        return answer == CAIRN_ANSWER_UNDEFINED ? CAIRN_PE_ANSWER_UNDEFINED : CAIRN_PE_ANSWER_OK;
    }
    place = reach(pe, encoding);
    if (!place.sysreg)
        return CAIRN_PE_ANSWER_UNDEFINED;
    *value = read_place(pe, place, &pe->state);
    if (cairn_pe_sysreg_slot(place) == CAIRN_PE_TRBIDR_EL1)
        *value = CAIRN_PUT(
            *value, TRBIDR_P,
            cairn_pe_buffer_is_others(&pe->features, &pe->state, &pe->order.lanes[0].seen));
    cairn_order_step(&pe->order);
    return CAIRN_PE_ANSWER_OK;
}

/* --- writing --- */

static void write_place(struct cairn_pe *pe, struct cairn_pe_sysreg_place place, uint64_t value,
                        const struct cairn_pe_state *state)
{
    const uint32_t reg = cairn_pe_sysreg_slot(place);
    uint64_t written;

    if (reg == CAIRN_PE_REGISTERS) /* branch records are read-only */
        return;
    if (cairn_pmu_owns((enum cairn_pe_register)reg)) {
        cairn_pe_late_pmu_write(pe, reg, value, state);
        if (reg != CAIRN_PE_PMUSERENR_EL0) /* what is trapped at EL0 goes by it */
            return;
    }
    written = cairn_pe_sysreg_written(place.sysreg, pe->order.lanes[0].direct.value[reg], value);
    if (state && pe->has_trbe && pe->order.lane_count > 1 && pe->order.tell)
        cairn_pe_check_sequence(pe, reg, written);
    if (state)
        cairn_order_write(&pe->order, reg, written);
    else
        cairn_order_set(&pe->order, reg, written);
    if (reg == CAIRN_PE_CONTEXTIDR_EL1 || reg == CAIRN_PE_CONTEXTIDR_EL2)
        pe->identified = true;
    if (pe->has_brbe)
        tell_branches(pe, reg, written);
}

static void write_lock(struct cairn_pe *pe, uint64_t value)
{
    if (pe->unit) {
        (void)cairn_unit_msr(pe->unit, CAIRN_SYSREG_OSLAR_EL1, pe->state.EL, value, NULL);
        cairn_pe_late_unit_write(pe, CAIRN_SYSREG_OSLAR_EL1, value);
    }
    cairn_order_set(&pe->order, CAIRN_PE_OSLSR_EL1,
                    (pe->order.lanes[0].direct.value[CAIRN_PE_OSLSR_EL1] & ~CAIRN_PE_OSLSR_OSLK) |
                        (value & 1) << 1);
}

enum cairn_pe_answer cairn_pe_msr(struct cairn_pe *pe, uint32_t encoding, uint64_t value)
{
    const enum cairn_pe_permission permission = ask(pe, encoding, CAIRN_PE_WRITE);
    struct cairn_pe_sysreg_place place;

    if (!cairn_pe_hears(pe))
        return CAIRN_PE_ANSWER_UNDEFINED;
    if (permission != CAIRN_PE_PERMITTED)
        return answer_of(permission);
    if (cairn_pe_is_trace_sysreg(encoding)) {
        const enum cairn_answer answer =
            pe->unit ? cairn_unit_msr(pe->unit, encoding, pe->state.EL, value, NULL)
                     : CAIRN_ANSWER_UNDEFINED;

        cairn_pe_pass_trace(pe, false);
        cairn_pe_programmed(pe);
        if (answer != CAIRN_ANSWER_UNDEFINED)
            cairn_pe_late_unit_write(pe, encoding, value);
        return answer == CAIRN_ANSWER_UNDEFINED ? CAIRN_PE_ANSWER_UNDEFINED : CAIRN_PE_ANSWER_OK;
    }
    place = reach(pe, encoding);
    if (!place.sysreg)
        return CAIRN_PE_ANSWER_UNDEFINED;
    if (encoding == CAIRN_SYSREG_OSLAR_EL1)
        write_lock(pe, value);
    else
        write_place(pe, place, value, &pe->state);
    cairn_order_step(&pe->order);
    cairn_pe_follow(pe);
    return CAIRN_PE_ANSWER_OK;
}

void cairn_pe_written(struct cairn_pe *pe, uint32_t encoding, uint64_t value)
{
    const struct cairn_pe_sysreg_place place = cairn_pe_sysreg_encoded(encoding);

    if (!place.sysreg || !cairn_pe_hears(pe))
        return;
    write_place(pe, place, value, &pe->state);
    cairn_order_step(&pe->order);
    cairn_pe_follow(pe);
}

enum cairn_pe_answer cairn_pe_sys(struct cairn_pe *pe, uint32_t encoding, uint64_t value)
{
    const enum cairn_pe_permission permission = ask(pe, encoding, CAIRN_PE_WRITE);
    const struct cairn_brbe_side now = cairn_pe_side(pe);
    enum cairn_pe_answer answer;
    uint32_t failure;

    if (!cairn_pe_hears(pe))
        return CAIRN_PE_ANSWER_UNDEFINED;
    if (cairn_pe_TLBI(pe, encoding, value, &answer)) {
        cairn_order_step(&pe->order);
        return answer;
    }
    if (permission != CAIRN_PE_PERMITTED || !pe->has_brbe)
        return permission != CAIRN_PE_PERMITTED ? answer_of(permission) : CAIRN_PE_ANSWER_UNDEFINED;
    if (encoding == CAIRN_PE_BRB_IALL)
        failure = cairn_brbe_invalidate(&pe->brbe, &now);
    else if (encoding == CAIRN_PE_BRB_INJ)
        failure = cairn_brbe_inject(&pe->brbe, &now);
    else
        return CAIRN_PE_ANSWER_UNDEFINED;
    cairn_order_step(&pe->order);
    return failure ? CAIRN_PE_ANSWER_FAILS : CAIRN_PE_ANSWER_OK;
}

/* --- by name --- */

/* All are in the PE's power domain: a debugger gets an error through the external interface, and there is nobody who could
 * execute instructions for it (D6.5, D16). */

cairn_status cairn_pe_read(struct cairn_pe *pe, const char *name, uint64_t *value)
{
    const struct cairn_pe_sysreg_place place = cairn_pe_sysreg_named(name);

    *value = 0;
    if (cairn_pe_is_off(pe->power))
        return CAIRN_E_UNSUPPORTED;
    if (!place.sysreg)
        return pe->unit ? cairn_unit_read(pe->unit, name, value) : CAIRN_E_NOT_FOUND;
    *value = read_place(pe, place, NULL);
    return CAIRN_OK;
}

cairn_status cairn_pe_write(struct cairn_pe *pe, const char *name, uint64_t value)
{
    const struct cairn_pe_sysreg_place place = cairn_pe_sysreg_named(name);

    if (cairn_pe_is_off(pe->power))
        return CAIRN_E_UNSUPPORTED;
    if (!place.sysreg) {
        const cairn_status status =
            pe->unit ? cairn_unit_write(pe->unit, name, value, NULL) : CAIRN_E_NOT_FOUND;

        if (pe->unit) {
            cairn_pe_pass_trace(pe, false);
            cairn_pe_late_unit_set(pe);
        }
        cairn_pe_programmed(pe);
        return status;
    }
    write_place(pe, place, value, NULL);
    cairn_pe_follow(pe);
    return CAIRN_OK;
}
