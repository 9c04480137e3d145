/* SPDX-License-Identifier: BSD-2-Clause */
/* All levels execute something, under each setting of what prohibits trace; then the trace buffer tells which of them were
 * traced (DDI0608 I_DCRYN, and the filters of FEAT_TRF). */
#include "firmware.h"

/* A loop for each level and Security state, 8 instructions up to SVC. */
#define VISIT(name)                                                                                \
    asm(".text\n.balign 64\n.global " #name "\n"                                                   \
        ".type " #name ", %function\n" #name ": mov x1, #3\n"                                      \
        "1:  sub x1, x1, #1\n"                                                                     \
        "    cbnz x1, 1b\n"                                                                        \
        "    svc #0\n"                                                                             \
        ".size " #name ", . - " #name "\n");                                                       \
    extern const char name[]
VISIT(visit_S_EL0);
VISIT(visit_S_EL1);
VISIT(visit_S_EL2);
VISIT(visit_S_EL3);
VISIT(visit_NS_EL0);
VISIT(visit_NS_EL1);
VISIT(visit_NS_EL2);
VISIT(visit_NS_EL3);

static const char *const visits[2][4] = {{visit_S_EL0, visit_S_EL1, visit_S_EL2, visit_S_EL3},
                                         {visit_NS_EL0, visit_NS_EL1, visit_NS_EL2, visit_NS_EL3}};

static void visit_all(const struct trace_setting *setting)
{
    const bool general = setting->HCR_EL2 & HCR_TGE;

    for (unsigned NS = 0; NS < 2; NS++) {
        const bool has_EL2 = NS || (setting->SCR_EL3 & SCR_EEL2);

        MSR(SCR_EL3, SCR_BASE | setting->SCR_EL3 | NS);
        ISB();
        for (unsigned EL = 0; EL < 4; EL++) {
            if ((EL == 2 && !has_EL2) || (EL == 1 && has_EL2 && general))
                continue;
            run_at(EL, visits[NS][EL], 0);
            trace_drain();
        }
    }
}

static void try_setting(const struct trace_setting *setting, const char *name)
{
    MSR(MDCR_EL3, setting->MDCR_EL3);
    MSR(MDCR_EL2, setting->MDCR_EL2);
    MSR(HCR_EL2, HCR_RW | setting->HCR_EL2);
    MSR(TRFCR_EL1, setting->TRFCR_EL1);
    MSR(TRFCR_EL2, setting->TRFCR_EL2);
    MSR(SCR_EL3, SCR_BASE | setting->SCR_EL3);
    ISB();
    trace_begin();
    visit_all(setting);
    trace_end();
    MSR(HCR_EL2, HCR_RW);
    ISB();
    trace_say(name, (uint64_t)trace_buffer);
}

/* Every combination of what the table is about, with all filters open; then each filter closed by itself, where each level
 * may be traced. The name is the values: NSTB, E2TB, STE, EEL2, TGE, E2H, filters. */
void try_prohibited(void)
{
    static const uint8_t E2TB[] = {0, 2, 3};
    char name[8] = "0000000";

    for (unsigned i = 0; i < 4 * 3 * 2 * 2 * 3; i++) {
        const unsigned NSTB = i % 4, which = i / 4 % 3, STE = i / 12 % 2, EEL2 = i / 24 % 2,
                       host = i / 48 % 3;
        const struct trace_setting setting = {
            .MDCR_EL3 = MDCR_EL3_NSTB(NSTB) | (STE ? MDCR_EL3_STE : 0),
            .MDCR_EL2 = MDCR_EL2_E2TB((uint64_t)E2TB[which]),
            .HCR_EL2 = (host ? HCR_TGE : 0) | (host > 1 ? HCR_E2H : 0),
            .SCR_EL3 = EEL2 ? SCR_EEL2 : 0,
            .TRFCR_EL1 = 3,
            .TRFCR_EL2 = 3,
        };
        const uint8_t values[] = {NSTB, E2TB[which], STE, EEL2, host > 0, host > 1, 15};
        for (unsigned n = 0; n < sizeof values; n++)
            name[n] = "0123456789abcdef"[values[n]];
        try_setting(&setting, name);
    }
    for (unsigned i = 0; i < 2 * 2 * 16; i++) {
        const unsigned NSTB = i % 2 * 2, TGE = i / 2 % 2, filters = i / 4;
        const struct trace_setting setting = {
            .MDCR_EL3 = MDCR_EL3_NSTB(NSTB) | MDCR_EL3_STE,
            .MDCR_EL2 = MDCR_EL2_E2TB(0),
            .HCR_EL2 = TGE ? HCR_TGE : 0,
            .SCR_EL3 = SCR_EEL2,
            .TRFCR_EL1 = filters & 3,
            .TRFCR_EL2 = filters >> 2,
        };
        const uint8_t values[] = {NSTB, 0, 1, 1, TGE, 0, filters};
        for (unsigned n = 0; n < sizeof values; n++)
            name[n] = "0123456789abcdef"[values[n]];
        if (filters != 15)
            try_setting(&setting, name);
    }
}
