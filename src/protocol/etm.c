/* SPDX-License-Identifier: BSD-2-Clause */
#include "protocol/etm.h"

/* IHI0014 3.5, IHI0035 3.11 */
const char *const cairn_etm_registers[] = {
    "ETMCR",         "ETMIDR",     "ETMCCER",       "ETMCCR",         "ETMTRACEIDR", "ETMIDR2",
    "ETMAUXCR",      "ETMTRIGGER", "ETMASICCR",     "ETMASICCTLR",    "ETMSR",       "ETMSCR",
    "ETMTSSCR",      "ETMTECR1",   "ETMTECR2",      "ETMTEEVR",       "ETMFFRR",     "ETMFFLR",
    "ETMVDEVR",      "ETMVDCR#",   "ETMACVR#",      "ETMACTR#",       "ETMDCVR#",    "ETMDCMR#",
    "ETMCNTRLDVR#",  "ETMCNTENR#", "ETMCNTRLDEVR#", "ETMCNTVR#",      "ETMSQ#EVR",   "ETMSQR",
    "ETMEXTOUTEVR#", "ETMCIDCVR#", "ETMCIDCMR",     "ETMIMPSPEC#",    "ETMSYNCFR",   "ETMEXTINSELR",
    "ETMTESSEICR",   "ETMTSSEICR", "ETMEIBCR",      "ETMTSEVR",       "ETMVMIDCVR",  "ETMOSLAR",
    "ETMOSLSR",      "ETMOSSRR",   "ETMPDCR",       "ETMPDSR",        "ETMITCTRL",   "ETMCLAIMSET",
    "ETMCLAIMCLR",   "ETMLAR",     "ETMLSR",        "ETMAUTHSTATUS",  "ETMDEVID",    "ETMDEVTYPE",
    "ETMPIDR#",      "ETMCIDR#",   "ETMPERIPHID#",  "ETMCOMPONENTID", NULL,
};

const char *const cairn_etm_id_registers[] = {"ETMTRACEIDR", NULL};

/* IHI0014 3.3 */
const struct cairn_register_number cairn_etm_numbers[] = {
    {"ETMCR", 0x000},    {"ETMCCR", 0x001},      {"ETMTEEVR", 0x008},
    {"ETMTECR1", 0x009}, {"ETMSYNCFR", 0x078},   {"ETMIDR", 0x079},
    {"ETMCCER", 0x07a},  {"ETMTRACEIDR", 0x080}, {0},
};

/* Entry to Hyp mode may be any exception; it is told as the call that it is as a rule. What has no name
 * there is IMPLEMENTATION DEFINED. */
const uint8_t cairn_etm_exceptions[CAIRN_ETM_EXCEPTIONS] = {
    0x10, 0x01, 0x02, 0x02, 0x04, 0x18, 0x10, 0x10, 0x00, 0x03, 0x02, 0x0b, 0x0c, 0x10, 0x0e, 0x0f,
};
