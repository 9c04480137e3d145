/* SPDX-License-Identifier: BSD-2-Clause */
/* System registers. Those of trace, the trace buffer and the branch records are the PE's, and QEMU is told that it has
 * them; those that are QEMU's, and a PE looks at, the PE is told of when they were written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/board/board.h"
#include "pe/sysreg.h"
#include "pe/trap.h"

/* ID_AA64DFR0_EL1: TraceVer, TraceFilt, TraceBuffer, BRBE. */
#define DFR0_TRACE (UINT64_C(1) << 4)
#define DFR0_FILTER (UINT64_C(1) << 40)
#define DFR0_BUFFER (UINT64_C(1) << 44)
#define DFR0_BRANCHES (UINT64_C(1) << 52)

/* Its PMUVer: FEAT_PMUv3p7; no Performance Monitors are 0 and 15. */
#define DFR0_MONITORS_AT 8
#define MONITORS_V3P7 UINT64_C(7)

#define PMCR_EL0 CAIRN_SYSREG(3, 3, 9, 12, 0)
#define ID_AA64DFR0 CAIRN_SYSREG(3, 0, 0, 5, 0)

/* One that QEMU was told of. */
struct defined {
    struct cairn_host_register reg;
    char name[24];
    uint32_t encoding;
    const struct cairn_host_register *before; /* a copy of QEMU's own, which QEMU frees; or NULL */
    struct cairn_host_register copy;
};

/* What the PE is to know of QEMU's. */
static const struct {
    uint32_t encoding;
    const char *name;
} mirrored[] = {
#define M(name, op0, op1, CRn, CRm, op2) {CAIRN_SYSREG(op0, op1, CRn, CRm, op2), #name},
    CAIRN_PE_SYSREGS_TRANSLATION(M)
#undef M
        {CAIRN_SYSREG(2, 0, 0, 2, 2), "MDSCR_EL1"},
    {CAIRN_SYSREG(3, 4, 1, 1, 1), "MDCR_EL2"},
    {CAIRN_SYSREG(3, 6, 1, 3, 1), "MDCR_EL3"},
    {CAIRN_SYSREG(3, 4, 1, 1, 0), "HCR_EL2"},
    {CAIRN_SYSREG(3, 6, 1, 1, 0), "SCR_EL3"},
    {CAIRN_SYSREG(3, 0, 1, 0, 2), "CPACR_EL1"},
    {CAIRN_SYSREG(3, 4, 1, 1, 2), "CPTR_EL2"},
    {CAIRN_SYSREG(3, 6, 1, 1, 2), "CPTR_EL3"},
    {CAIRN_SYSREG(3, 0, 13, 0, 1), "CONTEXTIDR_EL1"},
    {CAIRN_SYSREG(3, 4, 13, 0, 1), "CONTEXTIDR_EL2"},
    {CAIRN_SYSREG(3, 4, 14, 0, 3), "CNTVOFF_EL2"},
};
enum { MIRRORED = sizeof mirrored / sizeof mirrored[0] };

/* At EL2 with HCR_EL2.E2H, names of EL1 are registers of EL2; and *_EL12 are those of EL1. */
bool cairn_board_is_mirrored(uint32_t encoding)
{
    const uint32_t op1 = encoding >> 11 & 7;

    if (op1 == 5)
        encoding &= ~(UINT32_C(7) << 11);
    for (unsigned i = 0; i < MIRRORED; i++)
        if (mirrored[i].encoding == encoding)
            return true;
    return false;
}

void cairn_board_mirror(struct cairn_board_core *core)
{
    for (unsigned i = 0; i < core->mirror_count; i++) {
        struct cairn_board_mirror *mirror = &core->mirrors[i];
        const uint64_t value = cairn_host_value(&core->host, mirror->reg);

        if (value == mirror->value)
            continue;
        mirror->value = value;
        (void)cairn_pe_write(core->pe, mirror->name, value);
    }
}

/* At EL2 of a host the register of EL1 has another name. */
static void log_mirror(struct cairn_board_core *core, const struct cairn_board_mirror *mirror,
                       uint64_t PC)
{
    const uint64_t HCR = core->pe->order.lanes[0].direct.value[CAIRN_PE_HCR_EL2];
    const size_t length = strlen(mirror->name);
    char name[CAIRN_PE_SYSREG_NAME + 1];

    snprintf(name, sizeof name, "%s%s", mirror->name,
             core->context.EL == 2 && CAIRN_GET(HCR, HCR_EL2_E2H) && length > 4 &&
                     strcmp(mirror->name + length - 4, "_EL1") == 0
                 ? "2"
                 : "");
    cairn_board_log_access(core, &(struct cairn_board_access){.kind = CAIRN_BOARD_WRITES,
                                                              .name = name,
                                                              .encoding = mirror->encoding,
                                                              .value = mirror->value,
                                                              .PC = PC});
}

void cairn_board_mirror_behind(struct cairn_board_core *core, const struct cairn_host_code *code)
{
    if (!code || !code->writes)
        return;
    if (!cairn_board_watches()) {
        cairn_board_mirror(core);
        return;
    }
    const uint64_t PC = code->address + code->last; /* QEMU ends code behind an MSR */
    cairn_pe_at(core->pe, PC);
    for (unsigned i = 0; i < core->mirror_count; i++) {
        struct cairn_board_mirror *mirror = &core->mirrors[i];
        const uint64_t value = cairn_host_value(&core->host, mirror->reg);

        if (value == mirror->value)
            continue;
        mirror->value = value;
        log_mirror(core, mirror, PC);
        cairn_pe_written(core->pe, mirror->encoding, value);
    }
}

void cairn_board_attend(struct cairn_board_core *core)
{
    const uint64_t *seen = core->pe->order.lanes[0].seen.value;
    const uint32_t needs = cairn_unit_needs(core->pe->unit);
    /* BRBTS_EL1 gets the time. */
    const bool freezes = CAIRN_GET(seen[CAIRN_PE_BRBCR_EL1], BRBCR_FZP) ||
                         CAIRN_GET(seen[CAIRN_PE_BRBCR_EL2], BRBCR_FZP);
    const bool counts = core->pe->pmu_registers.value[CAIRN_PE_PMCNTENSET_EL0] != 0;
    const bool was = core->live;

    core->live = cairn_board_watches() ||
                 cairn_unit_session(core->pe->unit) != CAIRN_SESSION_IDLE ||
                 (seen[CAIRN_PE_BRBCR_EL1] & 3) || (seen[CAIRN_PE_BRBCR_EL2] & 3) ||
                 (seen[CAIRN_PE_MDCR_EL3] >> 37 & 3) || counts;
    core->clocked = core->live && ((needs & CAIRN_UNIT_NEEDS_CYCLES) || counts);
    core->timed = core->live && ((needs & CAIRN_UNIT_NEEDS_TIME) || freezes);
    if (core->live && !was)
        core->from = *core->host.PC;
}

/* An access is about to be made: the PE is where the core is. */
static void arrive(struct cairn_board_core *core)
{
    if (core->live) {
        cairn_board_settle_inside(core, *core->host.PC);
        cairn_pe_at(core->pe, *core->host.PC);
        return;
    }
    cairn_board_mirror(core);
    cairn_board_enter(core);
}

/* --- what QEMU calls --- */

/* The core that makes an access. Code that one core had translated is executed by all, and has the registers of that one:
 * only QEMU's state tells them apart. */
static struct cairn_board_core *core_of(const void *state)
{
    for (unsigned i = 0; i < cairn_board.count; i++)
        if (cairn_board.cores[i].host.state == state)
            return &cairn_board.cores[i];
    return &cairn_board.cores[0]; /* there is no other state */
}

static void log_access(struct cairn_board_core *core, const struct defined *defined,
                       enum cairn_board_kind kind, uint64_t value)
{
    cairn_board_log_access(core, &(struct cairn_board_access){.kind = kind,
                                                              .name = defined->name,
                                                              .encoding = defined->encoding,
                                                              .value = value,
                                                              .PC = *core->host.PC});
}

static enum cairn_pe_permission permission_of(const struct cairn_board_core *core,
                                              uint32_t encoding, bool is_read)
{
    return cairn_pe_permission(encoding, is_read ? CAIRN_PE_READ : CAIRN_PE_WRITE,
                               &core->pe->features, &core->pe->state,
                               &core->pe->order.lanes[0].seen, 0);
}

static int may_access(void *state, const struct cairn_host_register *reg, bool is_read)
{
    const struct defined *defined = reg->opaque;
    struct cairn_board_core *core = core_of(state);

    arrive(core);
    const enum cairn_pe_permission permission = permission_of(core, defined->encoding, is_read);
    if (permission != CAIRN_PE_PERMITTED && permission != CAIRN_PE_NOTHING)
        log_access(core, defined, CAIRN_BOARD_REFUSED, 0);
    switch (permission) {
    case CAIRN_PE_PERMITTED:
    case CAIRN_PE_NOTHING: return CAIRN_HOST_PERMITTED;
    case CAIRN_PE_TRAP_EL1: return CAIRN_HOST_TRAP;
    case CAIRN_PE_TRAP_EL2: return CAIRN_HOST_TRAP + 2;
    case CAIRN_PE_TRAP_EL3: return CAIRN_HOST_TRAP + 3;
    default: return CAIRN_HOST_UNDEFINED;
    }
}

static uint64_t on_read(void *state, const struct cairn_host_register *reg)
{
    const struct defined *defined = reg->opaque;
    struct cairn_board_core *core = core_of(state);
    uint64_t value = 0;

    (void)cairn_pe_mrs(core->pe, defined->encoding, &value);
    log_access(core, defined, CAIRN_BOARD_READS, value);
    cairn_board_attend(core);
    return value;
}

static void on_write(void *state, const struct cairn_host_register *reg, uint64_t value)
{
    const struct defined *defined = reg->opaque;
    struct cairn_board_core *core = core_of(state);

    const bool is_SYS = (defined->encoding >> 14 & 3) == 1;

    log_access(core, defined, is_SYS ? CAIRN_BOARD_DOES : CAIRN_BOARD_WRITES, value);
    if (is_SYS)
        (void)cairn_pe_sys(core->pe, defined->encoding, value);
    else
        (void)cairn_pe_msr(core->pe, defined->encoding, value);
    cairn_board_attend(core);
}

/* QEMU has an OS Lock as well, on which its debug exceptions depend. */
static void on_lock(void *state, const struct cairn_host_register *reg, uint64_t value)
{
    const struct defined *defined = reg->opaque;

    arrive(core_of(state));
    on_write(state, reg, value);
    if (defined->before && defined->before->write)
        defined->before->write(state, defined->before, value);
}

static bool has_monitors(uint64_t DFR0)
{
    return (DFR0 >> DFR0_MONITORS_AT & 15) != 0 && (DFR0 >> DFR0_MONITORS_AT & 15) != 15;
}

unsigned cairn_board_counters(const struct cairn_board_core *core)
{
    const struct cairn_host_register *reg = cairn_host_register(&core->host, PMCR_EL0);

    /* As MDCR_EL2.HPMN of QEMU says after a reset. */
    return reg ? (unsigned)CAIRN_GET(cairn_host_value(&core->host, reg), PMCR_N) : 0;
}

static uint64_t on_identify(void *state, const struct cairn_host_register *reg)
{
    const struct defined *defined = reg->opaque;
    const struct cairn_board_core *core = core_of(state);
    uint64_t value = cairn_host_value(&core->host, defined->before) &
                     ~(15 * (DFR0_TRACE | DFR0_FILTER | DFR0_BUFFER | DFR0_BRANCHES));

    if (core->pe->has_brbe)
        value |= DFR0_BRANCHES;
    if (has_monitors(value))
        value = (value & ~(UINT64_C(15) << DFR0_MONITORS_AT)) | MONITORS_V3P7 << DFR0_MONITORS_AT;
    return value | DFR0_TRACE | DFR0_FILTER | DFR0_BUFFER;
}

static void on_reset(void *state, const struct cairn_host_register *reg)
{
    struct cairn_board_core *core = core_of(state);

    (void)reg;
    cairn_pe_reset(core->pe, CAIRN_RESET_COLD, 0, CAIRN_ISA_A64);
    cairn_board_log_reset(core);
    core->code = NULL;
    core->live = false;
    for (unsigned i = 0; i < core->mirror_count; i++)
        core->mirrors[i].value = ~core->mirrors[i].value; /* what the PE has is of the reset */
}

/* --- what it is told of --- */

static struct defined *define(struct cairn_board_core *core, uint32_t encoding, const char *name)
{
    struct defined *defined = calloc(1, sizeof *defined);

    if (!defined)
        return NULL;
    snprintf(defined->name, sizeof defined->name, "%s", name);
    defined->encoding = encoding;
    const struct cairn_host_register *const before = cairn_host_register(&core->host, encoding);
    if (before) {
        defined->copy = *before;
        defined->copy.name = defined->name;
        defined->before = &defined->copy;
    }
    defined->reg.name = defined->name;
    defined->reg.opaque = defined;
    defined->reg.may = may_access;
    defined->reg.read = on_read;
    defined->reg.write = on_write;
    return defined;
}

static bool add(struct cairn_board_core *core, uint32_t encoding, const char *name, unsigned EL,
                bool reads, bool writes)
{
    struct defined *defined = define(core, encoding, name);

    if (!defined)
        return false;
    if (encoding == CAIRN_SYSREG(3, 0, 9, 11, 0)) /* one of them is enough to be told of resets */
        defined->reg.reset = on_reset;
    cairn_host_define(&core->host, &defined->reg, encoding, EL, reads, writes);
    return true;
}

static bool add_unit(struct cairn_board_core *core)
{
    struct cairn_unit_register_info info = {.size = sizeof info};

    for (size_t i = 0; cairn_unit_register_info(core->pe->unit, i, &info) == CAIRN_OK; i++)
        if (info.sysreg && cairn_pe_is_trace_sysreg(info.sysreg) &&
            !add(core, info.sysreg, info.name, 1, info.flags & CAIRN_REGISTER_READABLE,
                 info.flags & CAIRN_REGISTER_WRITABLE))
            return false;
    return true;
}

static bool is_of_PE(const struct cairn_board_core *core, const struct cairn_pe_sysreg *sysreg)
{
    if (strncmp(sysreg->name, "BRB", 3) == 0)
        return core->pe->has_brbe;
    if (strncmp(sysreg->name, "PM", 2) == 0)
        return cairn_host_register(&core->host, PMCR_EL0) != NULL;
    return strncmp(sysreg->name, "TRB", 3) == 0 || strncmp(sysreg->name, "TRFCR", 5) == 0;
}

static bool add_PE(struct cairn_board_core *core)
{
    const struct cairn_pe_sysreg *sysreg;

    for (size_t i = 0; (sysreg = cairn_pe_sysreg_at(i)) != NULL; i++) {
        struct cairn_pe_sysreg_place place = {.sysreg = sysreg};

        if (!is_of_PE(core, sysreg))
            continue;
        for (place.number = 0; place.number < sysreg->count; place.number++) {
            char name[CAIRN_PE_SYSREG_NAME], other[CAIRN_PE_SYSREG_NAME];
            const bool reads = sysreg->access & CAIRN_PE_CAN_READ,
                       writes = sysreg->access & CAIRN_PE_CAN_WRITE;
            const uint32_t encoding = cairn_pe_sysreg_encoding(place);

            cairn_pe_sysreg_name(place, name);
            if (!add(core, encoding, name, sysreg->EL, reads, writes))
                return false;
            const struct cairn_pe_sysreg_place EL12 =
                cairn_pe_sysreg_encoded((encoding & ~(UINT32_C(7) << 11)) | UINT32_C(5) << 11);
            if (sysreg->EL != 1 || !EL12.sysreg || !EL12.EL12 || EL12.sysreg != sysreg)
                continue;
            cairn_pe_sysreg_name(EL12, other);
            if (!add(core, cairn_pe_sysreg_encoding(EL12), other, 2, reads, writes))
                return false;
        }
    }
    return !core->pe->has_brbe || (add(core, CAIRN_PE_BRB_IALL, "BRB_IALL", 1, false, true) &&
                                   add(core, CAIRN_PE_BRB_INJ, "BRB_INJ", 1, false, true));
}

static bool replace(struct cairn_board_core *core)
{
    struct defined *lock = define(core, CAIRN_SYSREG_OSLAR_EL1, "OSLAR_EL1");
    struct defined *identity = define(core, ID_AA64DFR0, "ID_AA64DFR0_EL1");

    if (!lock || !identity || !identity->before)
        return false;
    lock->reg.may = lock->before ? lock->before->may : NULL;
    lock->reg.write = on_lock;
    cairn_host_define(&core->host, &lock->reg, CAIRN_SYSREG_OSLAR_EL1, 1, false, true);
    identity->reg.may = identity->before->may;
    identity->reg.read = on_identify;
    cairn_host_define(&core->host, &identity->reg, ID_AA64DFR0, 1, true, false);
    return true;
}

const char *cairn_board_registers(struct cairn_board_core *core)
{
    for (unsigned i = 0; i < MIRRORED && core->mirror_count < CAIRN_BOARD_MIRRORS; i++) {
        const struct cairn_host_register *reg =
            cairn_host_register(&core->host, mirrored[i].encoding);

        if (reg && reg->field)
            core->mirrors[core->mirror_count++] =
                (struct cairn_board_mirror){.reg = reg,
                                            .name = mirrored[i].name,
                                            .encoding = mirrored[i].encoding,
                                            .value = ~cairn_host_value(&core->host, reg)};
    }
    if (!add_unit(core) || !add_PE(core) || !replace(core))
        return "the System registers of trace could not be defined";
    return NULL;
}
