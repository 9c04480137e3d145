/* SPDX-License-Identifier: BSD-2-Clause */
/* Who may access a register: answers written by hand, from DDI0608 F1.1.13 and the public register pages.
 * A row changes what it names; all else lets everything pass. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pe/trap.h"

#define BIT(n) (UINT64_C(1) << (n))

enum { R = CAIRN_PE_READ, W = CAIRN_PE_WRITE };
enum {
    OK = CAIRN_PE_PERMITTED,
    NONE = CAIRN_PE_NOTHING,
    UD = CAIRN_PE_UNDEFINED,
    T1 = CAIRN_PE_TRAP_EL1,
    T2 = CAIRN_PE_TRAP_EL2,
    T3 = CAIRN_PE_TRAP_EL3,
};
enum { S = CAIRN_SECURE, N = CAIRN_NONSECURE, RL = CAIRN_REALM };

#define MDCR3_OPEN (UINT64_C(3) << 32 | UINT64_C(3) << 24)
#define MDCR2_OPEN (UINT64_C(3) << 24 | 6)
#define SCR_OPEN (BIT(0) | BIT(27) | BIT(28) | BIT(18))
#define nBRB_READ (BIT(59) | BIT(60) | BIT(61) | BIT(62))
#define nBRB_WRITE (BIT(60) | BIT(61) | BIT(62))
#define nBRB_SYS (BIT(55) | BIT(56))

static const struct cairn_pe_features all = {
    .EL2 = true,
    .EL3 = true,
    .secure_EL2 = true,
    .brbe = 2,
    .records = 64,
    .trbe = true,
    .counters = 8,
    .trace_filter = true,
    .fine_traps = true,
};

static void open_all(struct cairn_pe_registers *registers)
{
    memset(registers, 0, sizeof *registers);
    registers->value[CAIRN_PE_MDCR_EL3] = MDCR3_OPEN;
    registers->value[CAIRN_PE_MDCR_EL2] = MDCR2_OPEN;
    registers->value[CAIRN_PE_SCR_EL3] = SCR_OPEN;
    registers->value[CAIRN_PE_HDFGRTR_EL2] = nBRB_READ;
    registers->value[CAIRN_PE_HDFGWTR_EL2] = nBRB_WRITE;
    registers->value[CAIRN_PE_HFGITR_EL2] = nBRB_SYS;
    registers->value[CAIRN_PE_PMUSERENR_EL0] = 1;
}

static uint32_t encoding_of(const char *name)
{
    static const struct {
        const char *name;
        uint32_t encoding;
    } others[] = {
        {"BRB_IALL", CAIRN_SYSREG(1, 1, 7, 2, 4)},
        {"BRB_INJ", CAIRN_SYSREG(1, 1, 7, 2, 5)},
        {"TRCPRGCTLR", CAIRN_SYSREG(2, 1, 0, 1, 0)},
        {"TRCCONFIGR", CAIRN_SYSREG(2, 1, 0, 4, 0)},
        {"TRCVICTLR", CAIRN_SYSREG(2, 1, 0, 0, 2)},
        {"TRCIDR0", CAIRN_SYSREG(2, 1, 0, 8, 7)},
        {"TRCIDR8", CAIRN_SYSREG(2, 1, 0, 0, 6)},
        {"TRCSTATR", CAIRN_SYSREG(2, 1, 0, 3, 0)},
        {"TRCOSLSR", CAIRN_SYSREG(2, 1, 1, 1, 4)},
        {"TRCCLAIMSET", CAIRN_SYSREG(2, 1, 7, 8, 6)},
        {"TRCCNTVR3", CAIRN_SYSREG(2, 1, 0, 11, 5)},
        {"TRCSSCSR0", CAIRN_SYSREG(2, 1, 1, 8, 2)},
        {"TRCSEQSTR", CAIRN_SYSREG(2, 1, 0, 7, 4)},
        {"TRCAUXCTLR", CAIRN_SYSREG(2, 1, 0, 6, 0)},
        {"TRCAUTHSTATUS", CAIRN_SYSREG(2, 1, 7, 14, 6)},
        {"TRCDEVARCH", CAIRN_SYSREG(2, 1, 7, 15, 6)},
        {"TRCIMSPEC0", CAIRN_SYSREG(2, 1, 0, 0, 7)},
        {"TRCDEVID", CAIRN_SYSREG(2, 1, 7, 2, 7)},
        {"NOTHING", CAIRN_SYSREG(3, 7, 15, 15, 7)},
    };

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(others[i].name, name) == 0)
            return others[i].encoding;
    const struct cairn_pe_sysreg_place place = cairn_pe_sysreg_named(name);
    if (!place.sysreg)
        fail_msg("there is no %s", name);
    return cairn_pe_sysreg_encoding(place);
}

struct set {
    enum cairn_pe_register of;
    uint64_t value;
};

struct row {
    const char *name;
    int direction;
    int security;
    int answers[4]; /* at EL0 to EL3 */
    struct set sets[2];
    uint32_t choices;
    bool debug;
};

#define SET(name, value)                                                                           \
    {                                                                                              \
        CAIRN_PE_##name, value                                                                     \
    }

static int ask_with(const struct row *row, unsigned EL, const struct cairn_pe_features *features)
{
    struct cairn_pe_registers registers;
    struct cairn_pe_state state = {
        .EL = (uint8_t)EL, .security = (uint8_t)(row->security), .debug = row->debug};

    open_all(&registers);
    for (size_t i = 0; i < 2; i++)
        if (row->sets[i].of || row->sets[i].value)
            registers.value[row->sets[i].of] = row->sets[i].value;
    return (int)cairn_pe_permission(encoding_of(row->name), (enum cairn_pe_direction)row->direction,
                                    features, &state, &registers, row->choices);
}

static int ask(const struct row *row, unsigned EL)
{
    return ask_with(row, EL, &all);
}

/* Of `row`, in words, where it is not what was expected. */
static const char *told(const struct row *row, unsigned EL, int answer)
{
    static char text[160];

    snprintf(text, sizeof text, "%s %s at EL%u, security %d: %d",
             row->direction == R ? "mrs" : "msr", row->name, EL, row->security, answer);
    return text;
}

#define CHECK(row, EL)                                                                             \
    do {                                                                                           \
        const int answer = ask(row, EL);                                                           \
        if (answer != (row)->answers[EL])                                                          \
            print_message("# %s\n", told(row, EL, answer));                                        \
    } while (0)

/* --- BRBE --- */

static const struct row branches[] = {
    /* Nothing traps. */
    {"BRBCR_EL1", R, N, {UD, OK, OK, OK}, {{0}}, 0, 0},
    {"BRBCR_EL1", W, N, {UD, OK, OK, OK}, {{0}}, 0, 0},
    {"BRBCR_EL2", R, N, {UD, UD, OK, OK}, {{0}}, 0, 0},
    {"BRBCR_EL12", R, N, {UD, UD, UD, UD}, {{0}}, 0, 0},
    {"BRBCR_EL12", R, N, {UD, UD, OK, OK}, {SET(HCR_EL2, BIT(34))}, 0, 0},
    {"BRBCR_EL12", R, N, {UD, UD, OK, UD}, {SET(HCR_EL2, BIT(34)), SET(SCR_EL3, BIT(27))}, 0, 0},
    {"BRBCR_EL12", R, N, {UD, UD, OK, OK}, {SET(HCR_EL2, BIT(34)), SET(SCR_EL3, BIT(18))}, 0, 0},
    {"BRBIDR0_EL1", R, N, {UD, OK, OK, OK}, {{0}}, 0, 0},
    {"BRBIDR0_EL1", W, N, {UD, UD, UD, UD}, {{0}}, 0, 0},
    {"BRBINF31_EL1", R, N, {UD, OK, OK, OK}, {{0}}, 0, 0},
    {"BRBINF31_EL1", W, N, {UD, UD, UD, UD}, {{0}}, 0, 0},
    {"BRB_IALL", W, N, {UD, OK, OK, OK}, {{0}}, 0, 0},
    {"BRB_INJ", W, N, {UD, OK, OK, OK}, {{0}}, 0, 0},
    /* Fine-grained traps: a 0 traps EL1 to EL2 (I_BDKJJ). */
    {"BRBIDR0_EL1", R, N, {UD, T2, OK, OK}, {SET(HDFGRTR_EL2, nBRB_READ & ~BIT(59))}, 0, 0},
    {"BRBCR_EL1", R, N, {UD, OK, OK, OK}, {SET(HDFGRTR_EL2, nBRB_READ & ~BIT(59))}, 0, 0},
    {"BRBCR_EL1", R, N, {UD, T2, OK, OK}, {SET(HDFGRTR_EL2, nBRB_READ & ~BIT(60))}, 0, 0},
    {"BRBFCR_EL1", R, N, {UD, T2, OK, OK}, {SET(HDFGRTR_EL2, nBRB_READ & ~BIT(60))}, 0, 0},
    {"BRBFCR_EL1", W, N, {UD, OK, OK, OK}, {SET(HDFGRTR_EL2, nBRB_READ & ~BIT(60))}, 0, 0},
    {"BRBCR_EL1", W, N, {UD, T2, OK, OK}, {SET(HDFGWTR_EL2, nBRB_WRITE & ~BIT(60))}, 0, 0},
    {"BRBTS_EL1", W, N, {UD, OK, OK, OK}, {SET(HDFGWTR_EL2, nBRB_WRITE & ~BIT(60))}, 0, 0},
    {"BRBTS_EL1", W, N, {UD, T2, OK, OK}, {SET(HDFGWTR_EL2, nBRB_WRITE & ~BIT(61))}, 0, 0},
    {"BRBSRCINJ_EL1", W, N, {UD, T2, OK, OK}, {SET(HDFGWTR_EL2, nBRB_WRITE & ~BIT(61))}, 0, 0},
    {"BRBTGTINJ_EL1", W, N, {UD, T2, OK, OK}, {SET(HDFGWTR_EL2, nBRB_WRITE & ~BIT(61))}, 0, 0},
    {"BRBINFINJ_EL1", R, N, {UD, T2, OK, OK}, {SET(HDFGRTR_EL2, nBRB_READ & ~BIT(61))}, 0, 0},
    {"BRBINF0_EL1", R, N, {UD, T2, OK, OK}, {SET(HDFGRTR_EL2, nBRB_READ & ~BIT(61))}, 0, 0},
    {"BRBSRC16_EL1", R, N, {UD, T2, OK, OK}, {SET(HDFGRTR_EL2, nBRB_READ & ~BIT(61))}, 0, 0},
    {"BRBTGT31_EL1", R, N, {UD, T2, OK, OK}, {SET(HDFGRTR_EL2, nBRB_READ & ~BIT(61))}, 0, 0},
    {"BRB_IALL", W, N, {UD, T2, OK, OK}, {SET(HFGITR_EL2, nBRB_SYS & ~BIT(56))}, 0, 0},
    {"BRB_INJ", W, N, {UD, OK, OK, OK}, {SET(HFGITR_EL2, nBRB_SYS & ~BIT(56))}, 0, 0},
    {"BRB_INJ", W, N, {UD, T2, OK, OK}, {SET(HFGITR_EL2, nBRB_SYS & ~BIT(55))}, 0, 0},
    {"BRB_IALL", W, N, {UD, OK, OK, OK}, {SET(HFGITR_EL2, nBRB_SYS & ~BIT(55))}, 0, 0},
    /* SCR_EL3.FGTEn 0: they are not in force. */
    {"BRBCR_EL1", R, N, {UD, OK, OK, OK}, {SET(HDFGRTR_EL2, 0), SET(SCR_EL3, BIT(0))}, 0, 0},
    {"BRB_IALL", W, N, {UD, OK, OK, OK}, {SET(HFGITR_EL2, 0), SET(SCR_EL3, BIT(0))}, 0, 0},
    /* In Secure state they are where EL2 is enabled. */
    {"BRBCR_EL1", R, S, {UD, T2, OK, OK}, {SET(HDFGRTR_EL2, BIT(59))}, 0, 0},
    {"BRBCR_EL1", R, S, {UD, OK, OK, OK}, {SET(HDFGRTR_EL2, BIT(59)), SET(SCR_EL3, BIT(27))}, 0, 0},
    /* MDCR_EL3.SBRBE 0, 1, 2 */
    {"BRBCR_EL1", R, N, {UD, T3, T3, OK}, {SET(MDCR_EL3, 0)}, 0, 0},
    {"BRBCR_EL1", R, S, {UD, T3, T3, OK}, {SET(MDCR_EL3, 0)}, 0, 0},
    {"BRBCR_EL2", W, N, {UD, UD, T3, OK}, {SET(MDCR_EL3, 0)}, 0, 0},
    {"BRBIDR0_EL1", R, N, {UD, T3, T3, OK}, {SET(MDCR_EL3, 0)}, 0, 0},
    {"BRB_IALL", W, N, {UD, T3, T3, OK}, {SET(MDCR_EL3, 0)}, 0, 0},
    {"BRBINF5_EL1", R, N, {UD, OK, OK, OK}, {SET(MDCR_EL3, BIT(32))}, 0, 0},
    {"BRBINF5_EL1", R, S, {UD, T3, T3, OK}, {SET(MDCR_EL3, BIT(32))}, 0, 0},
    {"BRB_INJ", W, N, {UD, T3, T3, OK}, {SET(MDCR_EL3, BIT(33))}, 0, 0},
    {"BRB_INJ", W, S, {UD, T3, T3, OK}, {SET(MDCR_EL3, BIT(33))}, 0, 0},
    /* Both: EL2 has it. */
    {"BRBTS_EL1", R, N, {UD, T2, T3, OK}, {SET(MDCR_EL3, 0), SET(HDFGRTR_EL2, 0x0)}, 0, 0},
    /* In Debug state with EDSCR.SDD, what EL3 would have is UNDEFINED; perhaps before EL2 has it. */
    {"BRBTS_EL1", R, N, {UD, UD, UD, OK}, {SET(MDCR_EL3, 0)}, CAIRN_PE_SDD, 1},
    {"BRBTS_EL1", R, N, {UD, T3, T3, OK}, {SET(MDCR_EL3, 0)}, CAIRN_PE_SDD, 0},
    {"BRBTS_EL1",
     R,
     N,
     {UD, T2, UD, OK},
     {SET(MDCR_EL3, 0), SET(HDFGRTR_EL2, BIT(0))},
     CAIRN_PE_SDD,
     1},
    {"BRBTS_EL1",
     R,
     N,
     {UD, UD, UD, OK},
     {SET(MDCR_EL3, 0), SET(HDFGRTR_EL2, BIT(0))},
     CAIRN_PE_SDD | CAIRN_PE_SDD_FIRST,
     1},
};

static void test_branches(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof branches / sizeof branches[0]; i++)
        for (unsigned EL = 0; EL < 4; EL++) {
            CHECK(&branches[i], EL);
            /* proves: I_BDKJJ */
            assert_int_equal(ask(&branches[i], EL), branches[i].answers[EL]);
        }
}

/* --- TRBE --- */

static const struct row buffers[] = {
    {"TRBSR_EL1", R, N, {UD, OK, OK, OK}, {{0}}, 0, 0},
    {"TRBLIMITR_EL1", W, N, {UD, OK, OK, OK}, {{0}}, 0, 0},
    /* E2TB 0, 2: EL1 is trapped; 1 is reserved, 3 lets it pass. */
    {"TRBPTR_EL1", W, N, {UD, T2, OK, OK}, {SET(MDCR_EL2, 6)}, 0, 0},
    {"TRBPTR_EL1", W, N, {UD, T2, OK, OK}, {SET(MDCR_EL2, BIT(25))}, 0, 0},
    {"TRBPTR_EL1", W, S, {UD, T2, OK, OK}, {SET(MDCR_EL2, 6), SET(MDCR_EL3, BIT(24))}, 0, 0},
    /* NSTB 3: Non-secure state has it; Secure state is trapped. */
    {"TRBBASER_EL1", R, S, {UD, T3, T3, OK}, {{0}}, 0, 0},
    /* NSTB 2: nobody below EL3. */
    {"TRBBASER_EL1", R, N, {UD, T3, T3, OK}, {SET(MDCR_EL3, BIT(25))}, 0, 0},
    {"TRBBASER_EL1", R, S, {UD, T3, T3, OK}, {SET(MDCR_EL3, BIT(25))}, 0, 0},
    /* NSTB 1: Secure state. */
    {"TRBMAR_EL1", R, S, {UD, OK, OK, OK}, {SET(MDCR_EL3, BIT(24))}, 0, 0},
    {"TRBMAR_EL1", R, N, {UD, T3, T3, OK}, {SET(MDCR_EL3, BIT(24))}, 0, 0},
    /* NSTB 0: nobody. */
    {"TRBTRG_EL1", W, S, {UD, T3, T3, OK}, {SET(MDCR_EL3, 0)}, 0, 0},
    {"TRBTRG_EL1", W, N, {UD, T3, T3, OK}, {SET(MDCR_EL3, 0)}, 0, 0},
    /* Fine-grained: its own bit, its own direction. */
    {"TRBBASER_EL1", R, N, {UD, T2, OK, OK}, {SET(HDFGRTR_EL2, nBRB_READ | BIT(50))}, 0, 0},
    {"TRBLIMITR_EL1", W, N, {UD, T2, OK, OK}, {SET(HDFGWTR_EL2, nBRB_WRITE | BIT(52))}, 0, 0},
    {"TRBLIMITR_EL1", R, N, {UD, OK, OK, OK}, {SET(HDFGWTR_EL2, nBRB_WRITE | BIT(52))}, 0, 0},
    {"TRBMAR_EL1", W, N, {UD, T2, OK, OK}, {SET(HDFGWTR_EL2, nBRB_WRITE | BIT(53))}, 0, 0},
    {"TRBPTR_EL1", R, N, {UD, T2, OK, OK}, {SET(HDFGRTR_EL2, nBRB_READ | BIT(54))}, 0, 0},
    {"TRBSR_EL1", R, N, {UD, T2, OK, OK}, {SET(HDFGRTR_EL2, nBRB_READ | BIT(55))}, 0, 0},
    {"TRBTRG_EL1", W, N, {UD, T2, OK, OK}, {SET(HDFGWTR_EL2, nBRB_WRITE | BIT(56))}, 0, 0},
    /* TRBIDR_EL1: nothing but its fine-grained trap. */
    {"TRBIDR_EL1", R, N, {UD, OK, OK, OK}, {SET(MDCR_EL3, 0), SET(MDCR_EL2, 0)}, 0, 0},
    {"TRBIDR_EL1", R, N, {UD, T2, OK, OK}, {SET(HDFGRTR_EL2, nBRB_READ | BIT(51))}, 0, 0},
    {"TRBIDR_EL1", W, N, {UD, UD, UD, UD}, {{0}}, 0, 0},
    /* TRFCR_EL1, TRFCR_EL2, TRFCR_EL12 */
    {"TRFCR_EL1", R, N, {UD, OK, OK, OK}, {{0}}, 0, 0},
    {"TRFCR_EL1", R, N, {UD, T2, OK, OK}, {SET(MDCR_EL2, MDCR2_OPEN | BIT(19))}, 0, 0},
    {"TRFCR_EL1", W, N, {UD, T3, T3, OK}, {SET(MDCR_EL3, MDCR3_OPEN | BIT(19))}, 0, 0},
    {"TRFCR_EL2", R, N, {UD, UD, T3, OK}, {SET(MDCR_EL3, MDCR3_OPEN | BIT(19))}, 0, 0},
    {"TRFCR_EL2", R, N, {UD, UD, OK, OK}, {SET(MDCR_EL2, MDCR2_OPEN | BIT(19))}, 0, 0},
    {"TRFCR_EL12", R, N, {UD, UD, UD, UD}, {{0}}, 0, 0},
    {"TRFCR_EL12", R, N, {UD, UD, T3, OK}, {SET(MDCR_EL3, BIT(19)), SET(HCR_EL2, BIT(34))}, 0, 0},
    {"TRFCR_EL1", W, N, {UD, T2, OK, OK}, {SET(HDFGWTR_EL2, nBRB_WRITE | BIT(49))}, 0, 0},
    {"TRFCR_EL1", R, N, {UD, OK, OK, OK}, {SET(HDFGRTR_EL2, nBRB_READ | BIT(49))}, 0, 0},
};

static void test_buffers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        for (unsigned EL = 0; EL < 4; EL++) {
            CHECK(&buffers[i], EL);
            assert_int_equal(ask(&buffers[i], EL), buffers[i].answers[EL]);
        }
}

/* --- the trace unit --- */

static const struct row traces[] = {
    {"TRCPRGCTLR", W, N, {UD, OK, OK, OK}, {{0}}, 0, 0},
    {"TRCVICTLR", R, N, {UD, T1, OK, OK}, {SET(CPACR_EL1, BIT(28))}, 0, 0},
    /* CPTR_EL2.TTA is bit 20, and bit 28 with E2H; it traps EL2 as well. */
    {"TRCVICTLR", R, N, {UD, T2, T2, OK}, {SET(CPTR_EL2, BIT(20))}, 0, 0},
    {"TRCVICTLR", R, N, {UD, OK, OK, OK}, {SET(CPTR_EL2, BIT(28))}, 0, 0},
    {"TRCVICTLR", R, N, {UD, T2, T2, OK}, {SET(CPTR_EL2, BIT(28)), SET(HCR_EL2, BIT(34))}, 0, 0},
    {"TRCVICTLR", R, N, {UD, OK, OK, OK}, {SET(CPTR_EL2, BIT(20)), SET(HCR_EL2, BIT(34))}, 0, 0},
    {"TRCVICTLR", R, N, {UD, T1, T2, OK}, {SET(CPTR_EL2, BIT(20)), SET(CPACR_EL1, BIT(28))}, 0, 0},
    /* CPTR_EL3.TTA: EL3 traps itself. */
    {"TRCVICTLR", R, N, {UD, T3, T3, T3}, {SET(CPTR_EL3, BIT(20))}, 0, 0},
    {"TRCVICTLR", R, N, {UD, T1, T3, T3}, {SET(CPTR_EL3, BIT(20)), SET(CPACR_EL1, BIT(28))}, 0, 0},
    {"TRCVICTLR", R, N, {UD, UD, UD, UD}, {SET(CPTR_EL3, BIT(20))}, CAIRN_PE_SDD, 1},
    /* Fine-grained: bits of their own, and TRC for the rest. */
    {"TRCPRGCTLR", R, N, {UD, T2, OK, OK}, {SET(HDFGRTR_EL2, nBRB_READ | BIT(44))}, 0, 0},
    {"TRCPRGCTLR", W, N, {UD, OK, OK, OK}, {SET(HDFGRTR_EL2, nBRB_READ | BIT(44))}, 0, 0},
    {"TRCCONFIGR", R, N, {UD, T2, OK, OK}, {SET(HDFGRTR_EL2, nBRB_READ | BIT(33))}, 0, 0},
    {"TRCCONFIGR", W, N, {UD, T2, OK, OK}, {SET(HDFGWTR_EL2, nBRB_WRITE | BIT(33))}, 0, 0},
    {"TRCPRGCTLR", W, N, {UD, OK, OK, OK}, {SET(HDFGWTR_EL2, nBRB_WRITE | BIT(33))}, 0, 0},
    {"TRCVICTLR", W, N, {UD, T2, OK, OK}, {SET(HDFGWTR_EL2, nBRB_WRITE | BIT(48))}, 0, 0},
    {"TRCSTATR", R, N, {UD, T2, OK, OK}, {SET(HDFGRTR_EL2, nBRB_READ | BIT(47))}, 0, 0},
    {"TRCSSCSR0", R, N, {UD, T2, OK, OK}, {SET(HDFGRTR_EL2, nBRB_READ | BIT(46))}, 0, 0},
    {"TRCSEQSTR", R, N, {UD, T2, OK, OK}, {SET(HDFGRTR_EL2, nBRB_READ | BIT(45))}, 0, 0},
    {"TRCOSLSR", R, N, {UD, T2, OK, OK}, {SET(HDFGRTR_EL2, nBRB_READ | BIT(43))}, 0, 0},
    {"TRCIMSPEC0", R, N, {UD, T2, OK, OK}, {SET(HDFGRTR_EL2, nBRB_READ | BIT(41))}, 0, 0},
    {"TRCIDR0", R, N, {UD, T2, OK, OK}, {SET(HDFGRTR_EL2, nBRB_READ | BIT(40))}, 0, 0},
    {"TRCIDR8", R, N, {UD, T2, OK, OK}, {SET(HDFGRTR_EL2, nBRB_READ | BIT(40))}, 0, 0},
    {"TRCDEVARCH", R, N, {UD, T2, OK, OK}, {SET(HDFGRTR_EL2, nBRB_READ | BIT(40))}, 0, 0},
    {"TRCDEVID", R, N, {UD, T2, OK, OK}, {SET(HDFGRTR_EL2, nBRB_READ | BIT(40))}, 0, 0},
    {"TRCCNTVR3", W, N, {UD, T2, OK, OK}, {SET(HDFGWTR_EL2, nBRB_WRITE | BIT(37))}, 0, 0},
    {"TRCCLAIMSET", W, N, {UD, T2, OK, OK}, {SET(HDFGWTR_EL2, nBRB_WRITE | BIT(36))}, 0, 0},
    {"TRCAUXCTLR", R, N, {UD, T2, OK, OK}, {SET(HDFGRTR_EL2, nBRB_READ | BIT(35))}, 0, 0},
    {"TRCAUTHSTATUS", R, N, {UD, T2, OK, OK}, {SET(HDFGRTR_EL2, nBRB_READ | BIT(34))}, 0, 0},
    /* Debug and what belongs to the host. */
    {"OSLAR_EL1", W, N, {UD, OK, OK, OK}, {{0}}, 0, 0},
    {"OSLAR_EL1", R, N, {UD, UD, UD, UD}, {{0}}, 0, 0},
    {"OSLAR_EL1", W, N, {UD, T2, OK, OK}, {SET(MDCR_EL2, BIT(10))}, 0, 0},
    {"OSLSR_EL1", R, N, {UD, T2, OK, OK}, {SET(MDCR_EL2, BIT(8))}, 0, 0},
    {"OSLSR_EL1", R, N, {UD, T3, T3, OK}, {SET(MDCR_EL3, BIT(10))}, 0, 0},
    {"OSLSR_EL1", R, N, {UD, T2, OK, OK}, {SET(HDFGRTR_EL2, nBRB_READ | BIT(9))}, 0, 0},
    {"OSLAR_EL1", W, N, {UD, T2, OK, OK}, {SET(HDFGWTR_EL2, nBRB_WRITE | BIT(8))}, 0, 0},
    {"OSDLR_EL1", W, N, {UD, OK, OK, OK}, {SET(MDCR_EL2, BIT(10))}, 0, 0},
    {"OSDLR_EL1", W, N, {UD, T2, OK, OK}, {SET(MDCR_EL2, BIT(10))}, CAIRN_PE_TRAPS_OSDLR, 0},
    {"OSDLR_EL1", W, N, {UD, T3, T3, OK}, {SET(MDCR_EL3, BIT(10))}, CAIRN_PE_TRAPS_OSDLR, 0},
    {"OSDLR_EL1", W, N, {UD, OK, OK, OK}, {SET(MDCR_EL3, BIT(10))}, 0, 0},
    {"MDSCR_EL1", R, N, {UD, T2, OK, OK}, {SET(MDCR_EL2, BIT(9))}, 0, 0},
    {"MDSCR_EL1", R, N, {UD, T2, OK, OK}, {SET(MDCR_EL2, BIT(8))}, 0, 0},
    {"MDSCR_EL1", W, N, {UD, T3, T3, OK}, {SET(MDCR_EL3, BIT(9))}, 0, 0},
    {"MDCR_EL2", R, N, {UD, UD, T3, OK}, {SET(MDCR_EL3, BIT(9))}, 0, 0},
    {"MDCR_EL3", W, N, {UD, UD, UD, OK}, {{0}}, 0, 0},
    {"HDFGRTR_EL2", R, N, {UD, UD, OK, OK}, {{0}}, 0, 0},
    {"HDFGRTR_EL2", R, N, {UD, UD, T3, OK}, {SET(SCR_EL3, BIT(0))}, 0, 0},
    {"CNTPOFF_EL2", W, N, {UD, UD, T3, OK}, {SET(SCR_EL3, BIT(0) | BIT(27))}, 0, 0},
    {"CPACR_EL1", R, N, {UD, T2, OK, OK}, {SET(CPTR_EL2, BIT(31))}, 0, 0},
    {"CPTR_EL2", R, N, {UD, UD, T3, OK}, {SET(CPTR_EL3, BIT(31))}, 0, 0},
    {"TTBR0_EL1", W, N, {UD, T2, OK, OK}, {SET(HCR_EL2, BIT(26))}, 0, 0},
    {"TTBR0_EL1", R, N, {UD, OK, OK, OK}, {SET(HCR_EL2, BIT(26))}, 0, 0},
    {"CONTEXTIDR_EL1", R, N, {UD, T2, OK, OK}, {SET(HCR_EL2, BIT(30))}, 0, 0},
    {"ID_AA64DFR0_EL1", R, N, {T1, OK, OK, OK}, {{0}}, 0, 0},
    {"ID_AA64DFR0_EL1", R, N, {T2, OK, OK, OK}, {SET(HCR_EL2, BIT(27))}, 0, 0},
    {"ID_AA64DFR0_EL1", R, N, {T1, T2, OK, OK}, {SET(HCR_EL2, BIT(18))}, 0, 0},
    {"CNTVCT_EL0", R, N, {OK, OK, OK, OK}, {{0}}, 0, 0},
    {"NOTHING", R, N, {UD, UD, UD, UD}, {{0}}, 0, 0},
};

static void test_traces(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof traces / sizeof traces[0]; i++)
        for (unsigned EL = 0; EL < 4; EL++) {
            CHECK(&traces[i], EL);
            assert_int_equal(ask(&traces[i], EL), traces[i].answers[EL]);
        }
}

/* --- Performance Monitors --- */

#define HOST_EL0 (BIT(27) | BIT(34))

static const struct row monitors[] = {
    {"PMCR_EL0", R, N, {OK, OK, OK, OK}, {{0}}, 0, 0},
    {"PMCR_EL0", R, N, {T1, OK, OK, OK}, {SET(PMUSERENR_EL0, 0)}, 0, 0},
    {"PMCR_EL0", R, N, {T2, OK, OK, OK}, {SET(PMUSERENR_EL0, 0), SET(HCR_EL2, BIT(27))}, 0, 0},
    {"PMCR_EL0", R, N, {T1, OK, OK, OK}, {SET(PMUSERENR_EL0, 0xe)}, 0, 0},
    {"PMCCNTR_EL0", R, N, {OK, OK, OK, OK}, {SET(PMUSERENR_EL0, 4)}, 0, 0},
    {"PMCCNTR_EL0", W, N, {T1, OK, OK, OK}, {SET(PMUSERENR_EL0, 4)}, 0, 0},
    {"PMEVCNTR5_EL0", R, N, {OK, OK, OK, OK}, {SET(PMUSERENR_EL0, 8)}, 0, 0},
    {"PMEVCNTR5_EL0", W, N, {T1, OK, OK, OK}, {SET(PMUSERENR_EL0, 8)}, 0, 0},
    {"PMXEVCNTR_EL0", R, N, {OK, OK, OK, OK}, {SET(PMUSERENR_EL0, 8)}, 0, 0},
    {"PMSELR_EL0", W, N, {OK, OK, OK, OK}, {SET(PMUSERENR_EL0, 8)}, 0, 0},
    {"PMEVTYPER5_EL0", R, N, {T1, OK, OK, OK}, {SET(PMUSERENR_EL0, 8)}, 0, 0},
    {"PMSWINC_EL0", W, N, {OK, OK, OK, OK}, {SET(PMUSERENR_EL0, 2)}, 0, 0},
    {"PMSWINC_EL0", R, N, {UD, UD, UD, UD}, {{0}}, 0, 0},
    {"PMUSERENR_EL0", R, N, {OK, OK, OK, OK}, {SET(PMUSERENR_EL0, 0)}, 0, 0},
    {"PMUSERENR_EL0", W, N, {UD, OK, OK, OK}, {{0}}, 0, 0},
    {"PMINTENSET_EL1", R, N, {UD, OK, OK, OK}, {{0}}, 0, 0},
    {"PMMIR_EL1", R, N, {UD, T2, OK, OK}, {SET(MDCR_EL2, MDCR2_OPEN | BIT(6))}, 0, 0},
    {"PMCNTENSET_EL0", W, N, {T2, T2, OK, OK}, {SET(MDCR_EL2, MDCR2_OPEN | BIT(6))}, 0, 0},
    {"PMCR_EL0", W, N, {T2, T2, OK, OK}, {SET(MDCR_EL2, MDCR2_OPEN | BIT(5))}, 0, 0},
    {"PMSELR_EL0", W, N, {OK, OK, OK, OK}, {SET(MDCR_EL2, MDCR2_OPEN | BIT(5))}, 0, 0},
    {"PMCNTENSET_EL0", W, N, {T3, T3, T3, OK}, {SET(MDCR_EL3, BIT(6))}, 0, 0},
    {"PMUSERENR_EL0", R, N, {T3, T3, T3, OK}, {SET(MDCR_EL3, BIT(6))}, 0, 0},
    {"PMCNTENCLR_EL0", R, N, {T2, T2, OK, OK}, {SET(HDFGRTR_EL2, nBRB_READ | BIT(16))}, 0, 0},
    /* EL2's own EL0 meets no fine-grained trap. */
    {"PMCNTENCLR_EL0",
     R,
     N,
     {OK, T2, OK, OK},
     {SET(HDFGRTR_EL2, BIT(16)), SET(HCR_EL2, HOST_EL0)},
     0,
     0},
    {"PMCR_EL0", W, N, {T2, T2, OK, OK}, {SET(HDFGWTR_EL2, nBRB_WRITE | BIT(21))}, 0, 0},
    {"PMCR_EL0", R, N, {OK, OK, OK, OK}, {SET(HDFGRTR_EL2, nBRB_READ | BIT(21))}, 0, 0},
    {"PMSWINC_EL0", W, N, {T2, T2, OK, OK}, {SET(HDFGWTR_EL2, nBRB_WRITE | BIT(20))}, 0, 0},
    {"PMCEID1_EL0", R, N, {T2, T2, OK, OK}, {SET(HDFGRTR_EL2, nBRB_READ | BIT(58))}, 0, 0},
    /* HPMN 6 of 8: EL2 keeps 6 and 7; 8 is not there. */
    {"PMEVCNTR5_EL0", R, N, {OK, OK, OK, OK}, {{0}}, 0, 0},
    {"PMEVCNTR6_EL0", R, N, {T2, T2, OK, OK}, {{0}}, 0, 0},
    {"PMEVTYPER7_EL0", W, N, {T2, T2, OK, OK}, {{0}}, 0, 0},
    {"PMEVCNTR8_EL0", R, N, {UD, UD, UD, UD}, {{0}}, 0, 0},
    {"PMXEVCNTR_EL0", R, N, {OK, OK, OK, OK}, {SET(PMSELR_EL0, 5)}, 0, 0},
    {"PMXEVCNTR_EL0", R, N, {T2, T2, OK, OK}, {SET(PMSELR_EL0, 6)}, 0, 0},
    {"PMXEVTYPER_EL0", W, N, {UD, UD, UD, UD}, {SET(PMSELR_EL0, 8)}, 0, 0},
    {"PMXEVTYPER_EL0", W, N, {OK, OK, OK, OK}, {SET(PMSELR_EL0, 31)}, 0, 0},
};

static void test_monitors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof monitors / sizeof monitors[0]; i++)
        for (unsigned EL = 0; EL < 4; EL++) {
            CHECK(&monitors[i], EL);
            assert_int_equal(ask(&monitors[i], EL), monitors[i].answers[EL]);
        }
}

/* --- what is not there --- */

static void test_features(void **state)
{
    static const struct row cr = {"BRBCR_EL2", R, N, {0}, {{0}}, 0, 0};
    static const struct row ptr = {"TRBPTR_EL1", R, N, {0}, {{0}}, 0, 0};
    static const struct row filter = {"TRFCR_EL1", R, N, {0}, {SET(MDCR_EL3, 0)}, 0, 0};
    static const struct row fine = {"HFGITR_EL2", R, N, {0}, {{0}}, 0, 0};
    static const struct row zero = {
        "BRBCR_EL1", R, N, {0}, {SET(MDCR_EL3, 0), SET(HDFGRTR_EL2, BIT(0))}, 0, 0};
    static const struct row kept = {"PMEVCNTR6_EL0", R, N, {0}, {{0}}, 0, 0};
    struct cairn_pe_features features = all;

    (void)state;
    features.brbe = 0;
    assert_int_equal(ask_with(&cr, 3, &features), UD);
    features = all;
    features.trbe = false;
    assert_int_equal(ask_with(&ptr, 3, &features), UD);
    features = all;
    features.trace_filter = false;
    assert_int_equal(ask_with(&filter, 3, &features), UD);
    features = all;
    features.fine_traps = false;
    assert_int_equal(ask_with(&fine, 2, &features), UD);
    assert_int_equal(ask_with(&zero, 1, &features), T3);
    /* without FEAT_FGT: each of three behaviours */
    struct row choice = kept;
    assert_int_equal(ask_with(&choice, 1, &features), UD);
    choice.choices = CAIRN_PE_KEPT_NOTHING;
    assert_int_equal(ask_with(&choice, 0, &features), NONE);
    choice.choices = CAIRN_PE_KEPT_TRAP;
    assert_int_equal(ask_with(&choice, 1, &features), T2);
    assert_int_equal(ask_with(&choice, 2, &features), OK);
    /* EL2's registers at EL3, where there is no EL2 */
    features = all;
    features.EL2 = false;
    assert_int_equal(ask_with(&cr, 3, &features), NONE);
    assert_int_equal(ask_with(&cr, 1, &features), UD);
    assert_int_equal(ask_with(&zero, 1, &features), T3);
    assert_int_equal(ask_with(&kept, 1, &features), OK);
    /* no EL3: nothing goes there, and fine-grained traps need no enable */
    features = all;
    features.EL3 = false;
    assert_int_equal(ask_with(&zero, 1, &features), T2);
    assert_int_equal(ask_with(&zero, 2, &features), OK);
}

static void test_aarch32(void **state)
{
    struct cairn_pe_registers registers;
    const struct cairn_pe_state user = {.EL = 0, .security = CAIRN_NONSECURE, .aarch32 = true};

    (void)state;
    open_all(&registers);
    assert_int_equal(
        cairn_pe_permission(encoding_of("PMCR_EL0"), CAIRN_PE_READ, &all, &user, &registers, 0),
        UD);
}

/* With Realms {NSTBE, NSTB[1]} names the owner. */
static void test_realms(void **state)
{
    static const struct {
        uint64_t MDCR;
        int answers[3]; /* of Secure, Non-secure and Realm EL2 */
    } rows[] = {
        {BIT(24), {OK, T3, T3}},
        {BIT(24) | BIT(25), {T3, OK, T3}},
        {BIT(24) | BIT(25) | BIT(26), {T3, T3, OK}},
        {BIT(25) | BIT(26), {T3, T3, T3}},
    };
    struct cairn_pe_features features = all;

    (void)state;
    features.realms = true;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (unsigned j = 0; j < 3; j++) {
            const int states[] = {S, N, RL};
            const struct row row = {"TRBSR_EL1", R, states[j], {0}, {SET(MDCR_EL3, rows[i].MDCR)},
                                    0,           0};

            assert_int_equal(ask_with(&row, 2, &features), rows[i].answers[j]);
        }
    /* SBRBE 1 keeps only Secure state out. */
    const struct row realm = {"BRBCR_EL1", R, RL, {0}, {SET(MDCR_EL3, BIT(32))}, 0, 0};
    assert_int_equal(ask_with(&realm, 2, &features), OK);
}

/* TRBIDR_EL1.P, by owner and by who reads. */
static void test_programming(void **state)
{
    static const struct {
        uint64_t MDCR_EL3, MDCR_EL2;
        int security;
        bool others[4];
    } rows[] = {
        /* Secure state's, EL2 */
        {0, 0, S, {true, true, false, false}},
        {BIT(24), 0, S, {true, true, false, false}},
        {BIT(24), 0, N, {true, true, true, false}},
        /* Secure state's, EL1 */
        {BIT(24), BIT(25), S, {false, false, false, false}},
        {BIT(24), BIT(25), N, {true, true, true, false}},
        /* Non-secure state's, EL2, then EL1 */
        {BIT(25), 0, N, {true, true, false, false}},
        {BIT(25) | BIT(24), 0, S, {true, true, true, false}},
        {BIT(25) | BIT(24), BIT(25), N, {false, false, false, false}},
        {BIT(25), BIT(25) | BIT(24), N, {false, false, false, false}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (unsigned EL = 1; EL < 4; EL++) {
            struct cairn_pe_registers registers;
            const struct cairn_pe_state at = {.EL = (uint8_t)EL,
                                              .security = (uint8_t)rows[i].security};

            open_all(&registers);
            registers.value[CAIRN_PE_MDCR_EL3] = rows[i].MDCR_EL3;
            registers.value[CAIRN_PE_MDCR_EL2] = rows[i].MDCR_EL2;
            assert_int_equal(cairn_pe_buffer_is_others(&all, &at, &registers), rows[i].others[EL]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_branches), cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_traces),   cmocka_unit_test(test_monitors),
        cmocka_unit_test(test_features), cmocka_unit_test(test_aarch32),
        cmocka_unit_test(test_realms),   cmocka_unit_test(test_programming),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
