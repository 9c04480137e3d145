/* SPDX-License-Identifier: BSD-2-Clause */
/* Which levels there are, as the PE and its trace unit say. */
#include "firmware.h"

asm(".text\n"
    "read_level: mrs x0, CurrentEL\n"
    "    svc #0\n");
extern const char read_level[];

void try_levels(void)
{
    for (unsigned NS = 0; NS < 2; NS++) {
        MSR(SCR_EL3, SCR_BASE | SCR_EEL2 | NS);
        for (unsigned EL = 1; EL < 3; EL++) {
            run_at(EL, read_level, 0);
            put(NS ? "NS-EL" : "S-EL");
            put_number(EL);
            put(" ");
            put_number(outcome.X0 >> 2);
            put(" ");
            put_number(outcome.level);
            put(" ");
            put_number(EC(outcome));
            put("\n");
        }
    }
}
