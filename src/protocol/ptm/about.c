/* SPDX-License-Identifier: BSD-2-Clause */
/* PTM to those who decode no packet of it. */
#include <strings.h>

#include "protocol/etm.h"
#include "protocol/ptm/ptm.h"

static const char *const types[] = {"PTM", "PFT", NULL};
static const struct cairn_witness witnesses[] = CAIRN_ETM_WITNESSES(3);

static const struct cairn_register_part parts[] = {
    CAIRN_ETM_CONTEXT_ID,
    CAIRN_ETM_CYCLES,
    CAIRN_ETM_TIMESTAMPS,
    {0},
};

static const struct cairn_gap_advice gap_advice[] = {
    CAIRN_ETM_GAP_ADVICE,
    {CAIRN_GAP_NO_ADDRESS,
     "nothing, if it is a few bytes behind a synchronisation or follows from missing memory; else "
     "packets are missing before, or the return stack was on (ETMCR bit 29) and ETMCR does not say "
     "so"},
    {0},
};

/* Readers tell the version of a PTM by its type. */
static const char *type_of(const struct cairn_register *registers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strcasecmp(registers[i].name, "ETMIDR") && (registers[i].value >> 4 & 0xf) == 0)
            return "PTM1.0";
    return "PTM1.1";
}

const struct cairn_about cairn_ptm_about = {
    .id = CAIRN_PROTOCOL_PTM,
    .name = "PTM",
    .types = types,
    .type_of = type_of,
    .id_registers = cairn_etm_id_registers,
    .registers = cairn_etm_registers,
    .needed = CAIRN_ETM_NEEDED,
    .numbers = cairn_etm_numbers,
    .witnesses = witnesses,
    .parts = parts,
    .sync_zeros = 5,
    .sync_text = "5 or more",
    .sync_register = "ETMSYNCFR",
    .last_arch = 7,
    .rival = CAIRN_PROTOCOL_ETMV3,
    .choose = "raw buffer: --protocol ptm; snapshot: type=PTM1.1 for the trace source, and ETMIDR "
              "as the hardware has it",
    .gap_advice = gap_advice,
    .mismatch_advice = CAIRN_ETM_MISMATCH,
    .exceptions = cairn_etm_exceptions,
    .exception_count = CAIRN_ETM_EXCEPTIONS,
    .record = CAIRN_RECORD_RETURN_STACK,
    .record_core = "Cortex-A15",
};
