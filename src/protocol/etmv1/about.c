/* SPDX-License-Identifier: BSD-2-Clause */
/* ETMv1 to those who decode no packet of it. */
#include "protocol/etm.h"
#include "protocol/etmv1/etmv1.h"

/* "ETM1." and not "ETM1": ETM10RV and ETM11RV are ETMv3. */
static const char *const types[] = {"ETMv1", "ETM1.", "ETM7", "ETM9", NULL};

/* HIVECS, BIGENDIAN, VECTORQUIRK and LDCWORDS are none, but given like some: docs/etmv1.md. */
static const char *const registers[] = {
    "ETMCR",         "ETMCCR",       "ETMIDR",        "HIVECS",      "BIGENDIAN", "VECTORQUIRK",
    "LDCWORDS",      "LDCWORDSHIGH", "ETMTRIGGER",    "ETMASICCR",   "ETMSR",     "ETMSCR",
    "ETMTSSCR",      "ETMTECR1",     "ETMTECR2",      "ETMTEEVR",    "ETMFFRR",   "ETMFFLR",
    "ETMVDEVR",      "ETMVDCR#",     "ETMACVR#",      "ETMACTR#",    "ETMDCVR#",  "ETMDCMR#",
    "ETMCNTRLDVR#",  "ETMCNTENR#",   "ETMCNTRLDEVR#", "ETMCNTVR#",   "ETMSQ#EVR", "ETMSQR",
    "ETMEXTOUTEVR#", "ETMCIDCVR#",   "ETMCIDCMR",     "ETMIMPSPEC#", "ETMSYNCFR", NULL,
};

/* ETMIDR[11:8] counts from 0; without that register bit 31 of ETMCCR is 0 (1.2). */
static const struct cairn_witness witnesses[] = {
    {"ETMIDR", 0xf00, 0x000, 2},
    {"ETMCCR", UINT64_C(0x80000000), 0, 3},
    {0},
};

static const struct cairn_register_part parts[] = {
    CAIRN_ETM_CONTEXT_ID,
    {"ETMCR", 4, 3, true, true, "bits 6:4, the size of the trace port"},
    {"ETMCR", 2, 2, true, true, "bits 3:2, data addresses and values"},
    CAIRN_ETM_CYCLES,
    {0},
};

static const struct cairn_gap_advice gap_advice[] = {
    {CAIRN_GAP_NO_SYNC,
     "flow begins at the first branch with a full address, which comes at least every 1,536 cycles: "
     "give a longer capture; if there is none in it, compare the size of the port (ETMCR bits 6:4) "
     "and which pin is which signal"},
    {CAIRN_GAP_RESERVED,
     "a sample is 4 bytes: PIPESTAT, flags, TRACEPKT (2 bytes); other bytes are no ETMv1 trace. Of "
     "branches: compare the size of the port and of Context IDs (ETMCR bits 6:4 and 15:14), the "
     "version (ETMCCR bits 30:28) and which pin is which signal"},
    {CAIRN_GAP_CUT,
     "branches and their addresses do not fit together: cycles are missing, or the size of the port "
     "(ETMCR bits 6:4) or of Context IDs (bits 15:14) is not as it was"},
    {CAIRN_GAP_TRUNCATED,
     "the capture ended before an address came: capture some cycles more behind what is wanted"},
    {CAIRN_GAP_OVERFLOW,
     "trace less (filters, no data), use a wider port, or let the trace unit stall the core where it "
     "can (FIFOFULL, ETMFFLR)"},
    {CAIRN_GAP_NOT_DECODED,
     "code in Jazelle state is not followed: nothing, unless the program has "
     "none; flow goes on with the next address in ARM or Thumb state"},
    {0},
};

static const struct cairn_gap_advice gap_names[] = {
    {CAIRN_GAP_CUT, "in branches that contradict the order of their addresses"}, {0}};

/* Vectors as exception numbers of ETE. */
static const uint8_t exceptions[] = {0x00, 0x03, 0x02, 0x0b, 0x0c, 0x10, 0x0e, 0x0f};

const struct cairn_about cairn_etmv1_about = {
    .id = CAIRN_PROTOCOL_ETMV1,
    .name = "ETMv1",
    .types = types,
    .type = "ETM1.3",
    .registers = registers,
    .needed = "ETMCR and ETMCCR",
    .numbers = cairn_etm_numbers,
    .witnesses = witnesses,
    .parts = parts,
    .samples = true,
    .counts = true,
    .arch = "ARM926EJ-S",
    .assumed = "every instruction of an ARM926EJ-S (ARMv5TE)",
    .last_arch = 6,
    .choose =
        "raw samples: --protocol etmv1; snapshot: type=ETM1.3 for the trace source, and ETMCCR "
        "as the hardware has it",
    .gap_advice = gap_advice,
    .gap_names = gap_names,
    .mismatch_advice = "the image is probably not what ran: another build or load address, or code "
                       "that changed at run time",
    .lost_data_advice =
        "how many bytes an instruction has, its opcode and the registers tell: compare ETMCR "
        "bits 3:1 (data addresses, data values, moves of coprocessors) with what the unit was "
        "set to, the image with what ran, and LDCWORDS with the coprocessors",
    .exceptions = exceptions,
    .exception_count = sizeof exceptions / sizeof *exceptions,
    .record = CAIRN_RECORD_DATA | CAIRN_RECORD_EVERY_INSTRUCTION,
    .record_core = "ARM926EJ-S",
};
