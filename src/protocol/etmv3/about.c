/* SPDX-License-Identifier: BSD-2-Clause */
/* ETMv3 to those who decode no packet of it. */
#include "protocol/etm.h"
#include "protocol/etmv3/etmv3.h"

static const char *const types[] = {"ETMv3", "ETM3", NULL};
static const struct cairn_witness witnesses[] = CAIRN_ETM_WITNESSES(2);

static const struct cairn_register_part parts[] = {
    CAIRN_ETM_CONTEXT_ID,
    CAIRN_ETM_CYCLES,
    {"ETMCR", 2, 2, true, true, "bits 3:2, data addresses and values"},
    {"ETMCR", 30, 1, true, true, "bit 30, VMID trace"},
    {"ETMIDR", 20, 1, true, false, "bit 20, the alternative branch encoding"},
    CAIRN_ETM_TIMESTAMPS,
    {0},
};

static const struct cairn_gap_advice gap_advice[] = {CAIRN_ETM_GAP_ADVICE, {0}};

const struct cairn_about cairn_etmv3_about = {
    .id = CAIRN_PROTOCOL_ETMV3,
    .name = "ETMv3",
    .types = types,
    .type = "ETM3",
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
    .rival = CAIRN_PROTOCOL_PTM,
    .choose =
        "raw buffer: --protocol etmv3; snapshot: type=ETM3.5 for the trace source, and ETMIDR "
        "as the hardware has it",
    .gap_advice = gap_advice,
    .mismatch_advice = CAIRN_ETM_MISMATCH,
    .over_commit_advice = "packets with Can = 1 had no instruction to take back: packets are "
                          "missing, or the bytes are no trace (memory that was never written, "
                          "another protocol)",
    .exceptions = cairn_etm_exceptions,
    .exception_count = CAIRN_ETM_EXCEPTIONS,
    .record = CAIRN_RECORD_DATA | CAIRN_RECORD_EVERY_INSTRUCTION,
    .record_core = "Cortex-A7", /* Cortex-A15's architecture, with an ETMv3 */
};
