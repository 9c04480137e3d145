/* SPDX-License-Identifier: BSD-2-Clause */
/* Who may access what: each level of each Security state reads and writes registers, under each owner of the trace buffer
 * and with the traps of other registers; said is which level took the exception, and its class. */
#include "firmware.h"

#define ACCESS(name, number)                                                                       \
    asm(".text\nread_" #name ": mrs x0, " #number "\n    svc #0\n"                                 \
        "write_" #name ": msr " #number ", x0\n    svc #0\n");                                     \
    extern const char read_##name[], write_##name[]
#define ACCESS_(name, number) ACCESS(name, number)

ACCESS_(TRBPTR, TRBPTR_EL1);
ACCESS_(TRBLIMITR, TRBLIMITR_EL1);
ACCESS_(TRBIDR, TRBIDR_EL1);
ACCESS_(TRFCR1, TRFCR_EL1);
ACCESS_(TRFCR2, TRFCR_EL2);
ACCESS_(BRBFCR, BRBFCR_EL1);
ACCESS_(BRBCR2, BRBCR_EL2);
ACCESS_(VIEW, TRCVICTLR);
asm(".text\ninvalidate: sys #1, c7, c2, #4, xzr\n    svc #0\n"); /* BRB IALL */
extern const char invalidate[];

static const struct {
    const char *name, *code;
} accesses[] = {
    {"TRBPTR_EL1 read", read_TRBPTR},
    {"TRBPTR_EL1 write", write_TRBPTR},
    {"TRBLIMITR_EL1 write", write_TRBLIMITR},
    {"TRBIDR_EL1 read", read_TRBIDR},
    {"TRFCR_EL1 read", read_TRFCR1},
    {"TRFCR_EL1 write", write_TRFCR1},
    {"TRFCR_EL2 read", read_TRFCR2},
    {"BRBFCR_EL1 read", read_BRBFCR},
    {"BRBFCR_EL1 write", write_BRBFCR},
    {"BRBCR_EL2 read", read_BRBCR2},
    {"BRB IALL", invalidate},
    {"TRCVICTLR read", read_VIEW},
    {"TRCVICTLR write", write_VIEW},
};
enum { ACCESSES = sizeof accesses / sizeof accesses[0] };

/* "access:SETTING S|NS EL" and for each access a pair: level and class. */
static void say_level(const char *setting, unsigned NS, unsigned EL)
{
    put("access:");
    put(setting);
    put(NS ? " NS " : " S ");
    put_number(EL);
    for (unsigned i = 0; i < ACCESSES; i++) {
        run_at(EL, accesses[i].code, 0);
        put(" ");
        put_number(outcome.level);
        put(":");
        put_number(EC(outcome));
    }
    put("\n");
}

static void try_setting(const char *name, uint64_t MDCR3, uint64_t MDCR2, uint64_t HCR)
{
    MSR(MDCR_EL3, MDCR3);
    MSR(MDCR_EL2, MDCR2);
    MSR(HCR_EL2, HCR_RW | HCR);
    for (unsigned NS = 0; NS < 2; NS++) {
        MSR(SCR_EL3, SCR_BASE | SCR_EEL2 | NS);
        ISB();
        for (unsigned EL = 0; EL < 4; EL++)
            if (EL != 1 || !(HCR & HCR_TGE))
                say_level(name, NS, EL);
    }
    MSR(HCR_EL2, HCR_RW);
    ISB();
}

void try_accesses(void)
{
    static const uint64_t open = MDCR_EL3_NSTB(1) | MDCR_EL3_SBRBE(UINT64_C(3));
    char name[] = "buffer-00";

    put("accesses");
    for (unsigned i = 0; i < ACCESSES; i++) {
        put(i ? ", " : " ");
        put(accesses[i].name);
    }
    put("\n");
    for (uint64_t i = 0; i < 4 * 3; i++) {
        const uint64_t NSTB = i & 3, E2TB = i / 4 ? i / 4 + 1 : 0;

        name[7] = (char)('0' + NSTB);
        name[8] = (char)('0' + E2TB);
        try_setting(name, MDCR_EL3_NSTB(NSTB) | MDCR_EL3_SBRBE(UINT64_C(3)), MDCR_EL2_E2TB(E2TB),
                    0);
    }
    for (uint64_t SBRBE = 0; SBRBE < 4; SBRBE++) {
        char branches[] = "branches-0";

        branches[9] = (char)('0' + SBRBE);
        try_setting(branches, MDCR_EL3_NSTB(1) | MDCR_EL3_SBRBE(SBRBE), MDCR_EL2_E2TB(3), 0);
    }
    try_setting("filter-3", open | MDCR_EL3_TTRF, MDCR_EL2_E2TB(3), 0);
    try_setting("filter-2", open, MDCR_EL2_E2TB(3) | MDCR_EL2_TTRF, 0);
    try_setting("filter-23", open | MDCR_EL3_TTRF, MDCR_EL2_E2TB(3) | MDCR_EL2_TTRF, 0);
    try_setting("general", open, MDCR_EL2_E2TB(3), HCR_TGE);
    MSR(CPTR_EL3, CPTR_EL3_TTA);
    try_setting("trace-3", open, MDCR_EL2_E2TB(3), 0);
    MSR(CPTR_EL3, 0);
    MSR(CPTR_EL2, CPTR_EL2_RES1 | CPTR_EL2_TTA);
    try_setting("trace-2", open, MDCR_EL2_E2TB(3), 0);
    MSR(CPTR_EL2, CPTR_EL2_RES1);
    MSR(CPACR_EL1, CPACR_EL1_TTA);
    try_setting("trace-1", open, MDCR_EL2_E2TB(3), 0);
    MSR(CPACR_EL1, 0);
    ISB();
}
