/* SPDX-License-Identifier: BSD-2-Clause */
/* ETMv2 to those who decode no packet of it. */
#include "protocol/etm.h"
#include "protocol/etmv2/etmv2.h"

static const char *const types[] = {"ETMv2", "ETM2", NULL};
static const struct cairn_witness witnesses[] = CAIRN_ETM_WITNESSES(1);

/* IHI0014 3.3, those of ETMv2; HIVECS is a pin of the core. */
static const char *const registers[] = {
    "ETMCR",       "ETMIDR",    "ETMCCR",   "HIVECS",        "ETMTRIGGER", "ETMASICCR",
    "ETMASICCTLR", "ETMSR",     "ETMSCR",   "ETMTSSCR",      "ETMTECR1",   "ETMTECR2",
    "ETMTEEVR",    "ETMFFRR",   "ETMFFLR",  "ETMVDEVR",      "ETMVDCR#",   "ETMACVR#",
    "ETMACTR#",    "ETMDCVR#",  "ETMDCMR#", "ETMCNTRLDVR#",  "ETMCNTENR#", "ETMCNTRLDEVR#",
    "ETMCNTVR#",   "ETMSQ#EVR", "ETMSQR",   "ETMEXTOUTEVR#", "ETMCIDCVR#", "ETMCIDCMR",
    "ETMIMPSPEC#", "ETMSYNCFR", NULL,
};

static const struct cairn_register_part parts[] = {
    CAIRN_ETM_CONTEXT_ID,
    {"ETMCR", 4, 3, true, true, "bits 6:4, the pins of TRACEPKT"},
    {"ETMCR", 2, 2, true, true, "bits 3:2, data addresses and values"},
    CAIRN_ETM_CYCLES,
    {0},
};

static const struct cairn_gap_advice gap_advice[] = {
    {CAIRN_GAP_RESERVED,
     "the samples are damaged (cycles that the capture device left out, pins that are swapped or "
     "read at the wrong edge), or ETMCR is not as it was: compare its port size (bits 6:4), context "
     "IDs (15:14) and data trace (3:1) with what the hardware is set to"},
    {CAIRN_GAP_TRUNCATED,
     "the capture ended while packets were in the trace unit's FIFO: set the programming bit (ETMCR "
     "bit 10) and capture until it is empty"},
    {CAIRN_GAP_OVERFLOW,
     "trace less (filters, no data), use more pins, or let the trace unit stall the core where it "
     "can (ETMCR bit 7, ETMFFLR)"},
    {0},
};

const struct cairn_about cairn_etmv2_about = {
    .id = CAIRN_PROTOCOL_ETMV2,
    .name = "ETMv2",
    .types = types,
    .type = "ETM2",
    .registers = registers,
    .needed = "ETMCR and ETMIDR",
    .numbers = cairn_etm_numbers,
    .witnesses = witnesses,
    .parts = parts,
    .arch = "ARM1026EJ-S",
    .assumed = "every instruction of an ARM1026EJ-S (ARMv5TE)",
    .last_arch = 6,
    .samples = true,
    .choose =
        "samples of a trace port: --protocol etmv2; snapshot: type=ETM2 for the trace source, "
        "and ETMIDR as the hardware has it",
    .gap_advice = gap_advice,
    .mismatch_advice = "the image is probably not what ran: another build or load address, or code "
                       "that changed at run time; or HIVECS is not as it was",
    .over_commit_advice = "branch packets with the E bit had no instruction to take back: samples "
                          "are missing, or they are of another protocol",
    .exceptions = cairn_etm_exceptions,
    .exception_count = CAIRN_ETM_EXCEPTIONS,
    .record = CAIRN_RECORD_DATA | CAIRN_RECORD_EVERY_INSTRUCTION,
    .record_core = "ARM1026EJ-S",
};
