/* SPDX-License-Identifier: BSD-2-Clause */
/* Firmware that begins at EL3 and programs what a core has for trace, as on silicon. What it reads it says on the console;
 * what is right is in test_firmware.py. */
#include "firmware.h"

/* At EL1, on a machine that has no EL3: nothing that it has there is trapped. */
void main_below(void)
{
    say("CurrentEL", MRS(CurrentEL) >> 2);
    say("TRCIDR2", MRS(TRCIDR2));
    say("TRCIDR3", MRS(TRCIDR3));
    MSR(BRBCR_EL1, 2);
    MSR(TRFCR_EL1, 3);
    ISB();
    say("BRBCR_EL1", MRS(BRBCR_EL1));
    say("TRFCR_EL1", MRS(TRFCR_EL1));
    MSR(TRBPTR_EL1, 0);
    put("end\n");
}

void main(void)
{
    say("CurrentEL", MRS(CurrentEL) >> 2);
    say("TRCIDR2", MRS(TRCIDR2));
    say("TRCIDR3", MRS(TRCIDR3));
    if (!(MRS(ID_AA64PFR0_EL1) >> 8 & 15)) { /* no EL2 */
        put("end\n");
        return;
    }
    try_levels();
    trace_program();
    trace_say_unit();
    try_prohibited();
    try_accesses();
    try_buffers();
    try_branches();
    try_counters();
    try_lock();
    try_fetch();
    put("end\n");
}
