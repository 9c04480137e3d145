/* SPDX-License-Identifier: BSD-2-Clause */
/* Register scripts executed against a unit, through <cairn/access.h>: each line is the access that it
 * says, by instruction or from outside, and the first that is not answered, or not with the value that
 * the script has, ends it.
 *
 * Of the PE, the script may name OSLAR_EL1 and OSLSR_EL1, TRFCR_EL1 and TRFCR_EL2, which begin and end
 * Prohibited regions at the next isb (FEAT_TRF), and others, which are kept and not looked at
 * (ID_AA64DFR0_EL1, TRBLIMITR_EL1, TRBPTR_EL1, TRBBASER_EL1, TRBSR_EL1, TRBIDR_EL1). Registers may be
 * named by their offset: 0x080. */
#ifndef CAIRN_UNIT_SCRIPTS_RUN_H
#define CAIRN_UNIT_SCRIPTS_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/access.h>

#define CAIRN_SCRIPT_PE_REGISTERS 8u

/* What a script runs on. Begin with CAIRN_SCRIPT_MACHINE_INIT. */
struct cairn_script_machine {
    struct cairn_unit *unit;
    unsigned script_EL; /* where its instructions are executed */
    uint32_t external;  /* CAIRN_EXTERNAL_... of its other accesses */
    unsigned polls;     /* reads that a wait or poll makes at most */
    uint64_t accesses;  /* that were made */
    struct cairn_script_pe {
        bool written;
        uint64_t value;
        uint64_t effective; /* behind the last isb */
    } pe[CAIRN_SCRIPT_PE_REGISTERS];
};
#define CAIRN_SCRIPT_MACHINE_INIT                                                                  \
    {                                                                                              \
        .script_EL = 1, .polls = 1000                                                              \
    }

/* Runs the text. CAIRN_E_FORMAT: a line is no access. CAIRN_E_CONFIG: an access was refused or
 * ignored, a value is not the script's, or a wait did not end; the error names the line and says why.
 */
CAIRN_MUST_CHECK cairn_status cairn_script_run(struct cairn_script_machine *machine,
                                               const char *name, const char *text, size_t size,
                                               struct cairn_error *error);

/* The program that is traced goes on at this Exception level, with an exception or exception return
 * just told: trace is prohibited there, or not, as TRFCR_EL1 and TRFCR_EL2 say. */
void cairn_script_level(struct cairn_script_machine *machine, unsigned EL);

#endif
