/* SPDX-License-Identifier: BSD-2-Clause */
/* MTB to those who decode no packet of it. */
#include "protocol/mtb/mtb.h"

static const char *const types[] = {"MTB", NULL};

/* DUMP is none, but given like one: docs/formats.md. */
static const char *const registers[] = {
    "POSITION", "MASTER",     "FLOW",       "BASE",     "DUMP",     "TSTART",
    "TSTOP",    "SECURE",     "ITCTRL",     "CLAIMSET", "CLAIMCLR", "DEVARCH",
    "DEVTYPE",  "LOCKACCESS", "DEVID",      "DEVCFG",   "PIDR#",    "AUTHSTATUS",
    "CIDR#",    "LAR",        "LOCKSTATUS", "LSR",      "DEVAFF#",  NULL,
};

static const struct cairn_gap_advice gap_advice[] = {
    {CAIRN_GAP_TRUNCATED,
     "a packet is two words: dump a multiple of 8 bytes, at best the whole buffer of 2^(MASK + 4) "
     "bytes"},
    {0},
};

const struct cairn_about cairn_mtb_about = {
    .id = CAIRN_PROTOCOL_MTB,
    .name = "MTB",
    .types = types,
    .type = "MTB",
    .registers = registers,
    .register_prefix = "MTB_", /* as most headers and debuggers write them */
    .needed = "POSITION, MASTER, FLOW and BASE",
    .memory = true,
    .arch = "ARM-M-profile",
    .assumed = "every instruction of the newest M profile",
    .gap_advice = gap_advice,
    .record = CAIRN_RECORD_MACHINE_DEFAULT | CAIRN_RECORD_T32_ALONE,
    .record_core = "Cortex-A15", /* what executes the program */
};
