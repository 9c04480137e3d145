/* SPDX-License-Identifier: BSD-2-Clause */
/* One instruction at a time, for units whose trace tells of every instruction whether it passed its
 * condition (ETMv3). QEMU's registers are exact at the start of a TB only: with -singlestep that is
 * in front of each instruction. Without it a condition inside of a TB would be a guess. */
#include "machine/qemu/plugin.h"

#define FLAG_N (1u << 31)
#define FLAG_Z (1u << 30)
#define FLAG_C (1u << 29)
#define FLAG_V (1u << 28)

/* DDI0406 A8.3.1, DDI0403 A7.3.1. */
bool cairn_qemu_condition_holds(unsigned condition)
{
    uint64_t psr = 0;
    bool holds = true;

    if (condition == CAIRN_COND_AL || !cairn_qemu_guest_register(CAIRN_QEMU_CPSR, &psr))
        return true;
    const bool n = psr & FLAG_N, z = psr & FLAG_Z, c = psr & FLAG_C, v = psr & FLAG_V;
    switch (condition >> 1) {
    case 0: holds = z; break;            /* EQ, NE */
    case 1: holds = c; break;            /* CS, CC */
    case 2: holds = n; break;            /* MI, PL */
    case 3: holds = v; break;            /* VS, VC */
    case 4: holds = c && !z; break;      /* HI, LS */
    case 5: holds = n == v; break;       /* GE, LT */
    case 6: holds = n == v && !z; break; /* GT, LE */
    default: return true;
    }
    return holds != (condition & 1);
}

void cairn_qemu_on_step(unsigned cpu, void *data)
{
    const struct cairn_qemu_tb *tb = data;

    if (cairn_qemu.data && cairn_qemu_self)
        cairn_qemu_data_result(cairn_qemu_self, tb);
    cairn_qemu_follow(cpu, tb);

    struct cairn_qemu_thread *thread = cairn_qemu_self;
    if (!thread || thread->previous != tb)
        return;
    thread->left -= tb->instructions;
    thread->passed = cairn_qemu_condition_holds(tb->condition);
    if (cairn_qemu.data)
        cairn_qemu_data_begin(thread, tb);
}
