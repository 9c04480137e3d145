/* SPDX-License-Identifier: BSD-2-Clause */
/* ETMv4 and ETE to those who decode no packet of theirs. */
#include "protocol/etmv4/etmv4.h"

/* Those that decoding needs first. */
#define REGISTERS                                                                                  \
    "TRCCONFIGR", "TRCTRACEIDR", "TRCIDR0", "TRCIDR1", "TRCIDR2", "TRCIDR8", "TRCCCCTLR",          \
        "TRCDEVARCH", "TRCIDR9", "TRCIDR12", "TRCIDR13", "TRCIDR#", "TRCPRGCTLR", "TRCPROCSELR",   \
        "TRCSTATR", "TRCAUXCTLR", "TRCEVENTCTL#R", "TRCRSR", "TRCSTALLCTLR", "TRCTSCTLR",          \
        "TRCSYNCPR", "TRCBBCTLR", "TRCQCTLR", "TRCITEEDCR", "TRCVICTLR", "TRCVIIECTLR",            \
        "TRCVISSCTLR", "TRCVIPCSSCTLR", "TRCVDCTLR", "TRCVDSACCTLR", "TRCVDARCCTLR", "TRCSEQEVR#", \
        "TRCSEQRSTEVR", "TRCSEQSTR", "TRCEXTINSELR", "TRCEXTINSELR#", "TRCCNTRLDVR#",              \
        "TRCCNTCTLR#", "TRCCNTVR#", "TRCIMSPEC#", "TRCRSCTLR#", "TRCSSCCR#", "TRCSSCSR#",          \
        "TRCSSPCICR#", "TRCOSLAR", "TRCOSLSR", "TRCPDCR", "TRCPDSR", "TRCACVR#", "TRCACATR#",      \
        "TRCDVCVR#", "TRCDVCMR#", "TRCCIDCVR#", "TRCVMIDCVR#", "TRCCIDCCTLR#", "TRCVMIDCCTLR#",    \
        "TRCITCTRL", "TRCCLAIMSET", "TRCCLAIMCLR", "TRCDEVAFF#", "TRCLAR", "TRCLSR",               \
        "TRCAUTHSTATUS", "TRCDEVID", "TRCDEVID#", "TRCDEVTYPE", "TRCPIDR#", "TRCCIDR#"

static const char *const etmv4_registers[] = {REGISTERS, NULL};

/* The trace buffer of the same PE, which is its sink (DDI0608 part E), and what else is to be known of a
 * dump of it (capture/trbe). */
static const char *const ete_registers[] = {
    REGISTERS,    "TRBBASER_EL1", "TRBLIMITR_EL1", "TRBPTR_EL1", "TRBSR_EL1", "TRBIDR_EL1",
    "TRBTRG_EL1", "TRBMAR_EL1",   "TRBBASER",      "TRBLIMITR",  "TRBPTR",    "TRBSR",
    "TRBIDR",     "TRBTRG",       "TRBMAR",        "DUMP",       "START",     "LAPS",
    "TRIGGER",    "GRANULE",      "MAPPING",       NULL,
};

/* Of those that decoders read. */
static const struct cairn_register_number numbers[] = {
    {"TRCCONFIGR", 0x004},    {"TRCEVENTCTL0R", 0x008},
    {"TRCEVENTCTL1R", 0x009}, {"TRCSTALLCTLR", 0x00b},
    {"TRCTSCTLR", 0x00c},     {"TRCSYNCPR", 0x00d},
    {"TRCCCCTLR", 0x00e},     {"TRCBBCTLR", 0x00f},
    {"TRCTRACEIDR", 0x010},   {"TRCQCTLR", 0x011},
    {"TRCVICTLR", 0x020},     {"TRCVIIECTLR", 0x021},
    {"TRCVISSCTLR", 0x022},   {"TRCIDR8", 0x060},
    {"TRCIDR9", 0x061},       {"TRCIDR10", 0x062},
    {"TRCIDR11", 0x063},      {"TRCIDR12", 0x064},
    {"TRCIDR13", 0x065},      {"TRCIDR0", 0x078},
    {"TRCIDR1", 0x079},       {"TRCIDR2", 0x07a},
    {"TRCIDR3", 0x07b},       {"TRCIDR4", 0x07c},
    {"TRCIDR5", 0x07d},       {"TRCAUTHSTATUS", 0x3ee},
    {"TRCDEVARCH", 0x3ef},    {0},
};

static const char *const id_registers[] = {"TRCTRACEIDR", NULL};

/* TRCDEVARCH.ARCHID (DDI0608 D18): 0x4A13 is ETMv4, 0x5A13 is ETE. TRCIDR1.TRCARCHMAJ: 4 is ETMv4;
 * 15 refers to TRCDEVARCH, as all of ETE do (DDI0608 D18). */
#define WITNESSES(archid, major)                                                                   \
    {"TRCDEVARCH", 0xffff, archid, 0},                                                             \
    {                                                                                              \
        "TRCIDR1", 0xf00, (major) << 8, 1                                                          \
    }
static const struct cairn_witness etmv4_witnesses[] = {WITNESSES(0x4a13, 4), {0}};
/* An ETE alone writes to a trace buffer in memory (DDI0608 R_KLNJV). */
static const struct cairn_witness ete_witnesses[] = {
    WITNESSES(0x5a13, 15), {"TRBPTR_EL1", 0, 0, 2}, {"TRBPTR", 0, 0, 2}, {0}};

static const char *const etmv4_types[] = {"ETMv4", "ETM4", NULL};
static const char *const ete_types[] = {"ETE", NULL};

#define SHARED                                                                                     \
    .id_registers = id_registers,                                                                  \
    .needed = "TRCCONFIGR, TRCTRACEIDR, TRCCCCTLR, TRCIDR0, 1, 2 and 8, and TRCDEVARCH",           \
    .sync_zeros = 11, .sync_text = "11", .sync_register = "TRCSYNCPR", .family = "ETMv4 or ETE"

const struct cairn_about cairn_etmv4_about = {
    .id = CAIRN_PROTOCOL_ETMV4,
    .name = "ETMv4",
    .types = etmv4_types,
    .type = "ETM4",
    .registers = etmv4_registers,
    .numbers = numbers,
    .witnesses = etmv4_witnesses,
    .rival = CAIRN_PROTOCOL_ETE,
    .choose = "raw buffer: --protocol etmv4; snapshot: type=ETM4 for the trace source, and "
              "TRCDEVARCH as the hardware has it",
    .record = CAIRN_RECORD_A64 | CAIRN_RECORD_WANTS_END,
    SHARED,
};

const struct cairn_about cairn_ete_about = {
    .id = CAIRN_PROTOCOL_ETE,
    .name = "ETE",
    .types = ete_types,
    .type = "ETE",
    .registers = ete_registers,
    .witnesses = ete_witnesses,
    .info_has_T = true,
    .first_arch = 9, /* DDI0608 A1: ETE is of Armv9-A */
    .rival = CAIRN_PROTOCOL_ETMV4,
    .choose = "raw buffer: --protocol ete; snapshot: type=ETE for the trace source, and TRCDEVARCH "
              "as the hardware has it",
    .record =
        CAIRN_RECORD_DEFAULT | CAIRN_RECORD_A64 | CAIRN_RECORD_WANTS_END | CAIRN_RECORD_SURROUNDED,
    SHARED,
};
