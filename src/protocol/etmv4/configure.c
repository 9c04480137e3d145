/* SPDX-License-Identifier: BSD-2-Clause */
/* Register values -> struct cairn_etmv4_config. Which registers a decoder needs: DDI0608 D9.1.3;
 * the fields: docs/trace.md, "Registers". Only what makes decoding impossible is refused;
 * everything odd becomes a note. */
#include "protocol/etmv4/etmv4.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "protocol/registers.h"

enum reg {
    REG_TRCCONFIGR,
    REG_TRCCCCTLR,
    REG_TRCTRACEIDR,
    REG_TRCIDR0,
    REG_TRCIDR1,
    REG_TRCIDR2,
    REG_TRCIDR8,
    REG_TRCIDR9,
    REG_TRCIDR12,
    REG_TRCIDR13,
    REG_TRCDEVARCH,
    REG_COUNT,
};

static const char *const reg_names[REG_COUNT] = {
    "TRCCONFIGR", "TRCCCCTLR", "TRCTRACEIDR", "TRCIDR0",  "TRCIDR1",    "TRCIDR2",
    "TRCIDR8",    "TRCIDR9",   "TRCIDR12",    "TRCIDR13", "TRCDEVARCH",
};

static_assert(REG_COUNT <= CAIRN_REGISTERS_MAX, "too many registers");

/* Values assumed for registers that are missing. */
#define TRCCONFIGR_NOTHING_ON 0x00000001u /* bit 0 is RES1 */
#define TRCIDR0_COMMON 0x28000ea1u        /* BB, CCI, RS, 4 events, 64-bit timestamps, COMMOPT 1 */
#define TRCIDR1_ETMV4_0 0x00000400u
#define TRCIDR1_ETMV4_2 0x00000420u /* the first with v8-M */
#define TRCIDR1_ETE 0x00000ff0u     /* "see TRCDEVARCH" */
#define TRCIDR2_A_4_0 0x00000488u   /* 64-bit addresses, 32-bit context id, 8-bit VMID */
#define TRCIDR2_A 0x00001088u       /* the same with a 32-bit VMID */
#define TRCIDR2_M 0x00000004u       /* 32-bit addresses, no context */
#define TRCIDR2_ETE 0x40001088u     /* as ETE demands (DDI0608 D16): VMIDOPT fixed */
#define TRCDEVARCH_ETE_1_3 0x47735a13u

#define MAJOR_ETMV4 4u
#define MAJOR_SEE_DEVARCH 0xfu /* TRCIDR1.TRCARCHMAJ and TRCARCHMIN of ETE */
#define ARCHID_ETM 0xa13u      /* TRCDEVARCH.ARCHPART */
#define ARCHVER_ETMV4 4u
#define ARCHVER_ETE 5u
#define ETE_NEWEST_REVISION 3u

static void assume_all(struct cairn_config *config, struct cairn_registers *regs, bool is_ete)
{
    const struct cairn_arch *arch = &config->arch;
    cairn_registers_assume(regs, config, REG_TRCCONFIGR, TRCCONFIGR_NOTHING_ON,
                           "no return stack, cycle counts, timestamps, context ids");
    cairn_registers_assume(regs, config, REG_TRCIDR0, TRCIDR0_COMMON,
                           "64-bit timestamps, cycle counts without commits, no Q elements");
    cairn_registers_assume(regs, config, REG_TRCIDR8, 0, "no speculation");
    if (is_ete) {
        regs->value[REG_TRCIDR1] =
            regs->given[REG_TRCIDR1] ? regs->value[REG_TRCIDR1] : TRCIDR1_ETE;
        cairn_registers_assume(regs, config, REG_TRCIDR2, TRCIDR2_ETE,
                               "64-bit addresses, 32-bit context ids");
        /* 1.3 understands every stream of an earlier revision. */
        cairn_registers_assume(regs, config, REG_TRCDEVARCH, TRCDEVARCH_ETE_1_3, "ETE 1.3");
        return;
    }
    if (arch->profile == CAIRN_PROFILE_M) {
        if (arch->major >= 8)
            cairn_registers_assume(regs, config, REG_TRCIDR1, TRCIDR1_ETMV4_2, "ETMv4.2");
        else
            cairn_registers_assume(regs, config, REG_TRCIDR1, TRCIDR1_ETMV4_0, "ETMv4.0");
        cairn_registers_assume(regs, config, REG_TRCIDR2, TRCIDR2_M,
                               "32-bit addresses, no context ids");
        return;
    }
    cairn_registers_assume(regs, config, REG_TRCIDR1, TRCIDR1_ETMV4_0, "ETMv4.0");
    if (cairn_register_bits(regs->value[REG_TRCIDR1], 7, 4) == 0)
        cairn_registers_assume(regs, config, REG_TRCIDR2, TRCIDR2_A_4_0,
                               "64-bit addresses, 32-bit context ids, 8-bit VMID");
    else
        cairn_registers_assume(regs, config, REG_TRCIDR2, TRCIDR2_A,
                               "64-bit addresses, 32-bit context ids");
}

static cairn_status decode_version_etmv4(const struct cairn_registers *regs,
                                         struct cairn_config *config,
                                         struct cairn_etmv4_config *etm, struct cairn_error *error)
{
    uint32_t idr1 = regs->value[REG_TRCIDR1];
    uint32_t major = cairn_register_bits(idr1, 11, 8);
    if (major == MAJOR_SEE_DEVARCH)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "TRCIDR1 is 0x%08" PRIx32 ": major version 0xf is an ETE trace unit, not "
                          "ETMv4; give the protocol of the source as ETE",
                          idr1);
    if (major != MAJOR_ETMV4)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "TRCIDR1 is 0x%08" PRIx32 ": major version (bits 11:8) is %" PRIu32
                          ", but ETMv4 has 4; check the value or the protocol of the source",
                          idr1, major);
    etm->major = (uint8_t)major;
    etm->minor = (uint8_t)cairn_register_bits(idr1, 7, 4);
    etm->revision = (uint8_t)cairn_register_bits(idr1, 3, 0);

    uint32_t devarch = regs->value[REG_TRCDEVARCH];
    if (cairn_register_bits(devarch, 11, 0) == ARCHID_ETM &&
        cairn_register_bits(devarch, 15, 12) == ARCHVER_ETE)
        cairn_config_add_note(config,
                              "TRCDEVARCH is 0x%08" PRIx32 ", which is an ETE trace unit, but the "
                              "source is given as ETMv4",
                              devarch);
    return CAIRN_OK;
}

static void decode_version_ete(const struct cairn_registers *regs, struct cairn_config *config,
                               struct cairn_etmv4_config *etm)
{
    uint32_t devarch = regs->value[REG_TRCDEVARCH];
    uint32_t idr1 = regs->value[REG_TRCIDR1];
    etm->major = 1;
    etm->revision = (uint8_t)cairn_register_bits(idr1, 3, 0);
    if (cairn_register_bits(devarch, 11, 0) != ARCHID_ETM ||
        cairn_register_bits(devarch, 15, 12) != ARCHVER_ETE) {
        cairn_config_add_note(config,
                              "TRCDEVARCH is 0x%08" PRIx32 ", but an ETE trace unit has 0x477n5a13 "
                              "with its revision in n: ETE 1.0 is assumed",
                              devarch);
        etm->minor = 0;
    } else {
        etm->minor = (uint8_t)cairn_register_bits(devarch, 19, 16);
    }
    if (etm->minor > ETE_NEWEST_REVISION)
        cairn_config_add_note(config,
                              "TRCDEVARCH is 0x%08" PRIx32 ": ETE 1.%u is newer than the newest "
                              "known here, 1.3; packets that it adds are shown as reserved",
                              devarch, (unsigned)etm->minor);
    if (cairn_register_bits(idr1, 11, 8) != MAJOR_SEE_DEVARCH)
        cairn_config_add_note(config,
                              "TRCIDR1 is 0x%08" PRIx32 ", whose major version (bits 11:8) is not "
                              "ETE's 0xf: the source may be ETMv4",
                              idr1);
}

static void decode_speculation(const struct cairn_registers *regs, struct cairn_config *config,
                               struct cairn_etmv4_config *etm)
{
    uint32_t idr0 = regs->value[REG_TRCIDR0];
    etm->maxspec = regs->value[REG_TRCIDR8];
    etm->max_speculation = etm->maxspec;
    if (etm->max_speculation > CAIRN_ETMV4_MAX_SPECULATION) {
        etm->max_speculation = CAIRN_ETMV4_MAX_SPECULATION;
        cairn_config_add_note(config,
                              "TRCIDR8 is 0x%08" PRIx32 ": a speculation depth above %u is not "
                              "followed, deeper elements become a gap",
                              etm->maxspec, CAIRN_ETMV4_MAX_SPECULATION);
    }
    /* ETMv4 units without cycle counting may have any value in COMMOPT. */
    etm->commopt = cairn_register_bit(idr0, 29) && (etm->is_ete || cairn_register_bit(idr0, 7));
    etm->commtrans_is_p0 = etm->is_ete && !cairn_register_bit(idr0, 30);
    if (etm->is_ete && etm->maxspec == 0 && !etm->commtrans_is_p0)
        cairn_config_add_note(config,
                              "TRCIDR0 is 0x%08" PRIx32
                              " with COMMTRANS (bit 30) 1, but TRCIDR8 is "
                              "0: a unit without speculation has COMMTRANS 0 (DDI0608 D1.10.1.1)",
                              idr0);
}

static void decode_time(const struct cairn_registers *regs, struct cairn_config *config,
                        struct cairn_etmv4_config *etm)
{
    uint32_t configr = regs->value[REG_TRCCONFIGR];
    uint32_t idr0 = regs->value[REG_TRCIDR0];
    etm->cc_enabled = cairn_register_bit(configr, 4);
    if (etm->cc_enabled && !cairn_register_bit(idr0, 7))
        cairn_config_add_note(config,
                              "TRCCONFIGR is 0x%08" PRIx32 " with cycle counting (CCI), but "
                              "TRCIDR0 0x%08" PRIx32 " says that the unit has none (TRCCCI)",
                              configr, idr0);
    etm->cc_threshold = cairn_register_bits(regs->value[REG_TRCCCCTLR], 11, 0);
    uint32_t ccsize = cairn_register_bits(regs->value[REG_TRCIDR2], 28, 25);
    if (ccsize > 8) {
        cairn_config_add_note(config,
                              "TRCIDR2 is 0x%08" PRIx32 ": CCSIZE (bits 28:25) is %" PRIu32
                              ", but 0 to 8 exist; 8 (20 bits) is used",
                              regs->value[REG_TRCIDR2], ccsize);
        ccsize = 8;
    }
    etm->ccsize_bits = (uint8_t)(12 + ccsize);

    etm->timestamps = cairn_register_bit(configr, 11);
    uint32_t tssize = cairn_register_bits(idr0, 28, 24);
    etm->tssize_bits = tssize == 6 ? 48 : tssize == 8 ? 64 : 0;
    bool odd_size = tssize != 0 && etm->tssize_bits == 0;
    if (odd_size || (etm->timestamps && etm->tssize_bits == 0)) {
        cairn_config_add_note(config,
                              "TRCIDR0 is 0x%08" PRIx32 ": TSSIZE (bits 28:24) is %" PRIu32
                              ", but 6 (48 bits) or 8 (64 bits) is expected; 64 bits are used",
                              idr0, tssize);
        etm->tssize_bits = 64;
    }
    etm->tsmark = cairn_register_bit(idr0, 23);
    etm->timestamp_marker = etm->is_ete || (etm->minor >= 6 && etm->tsmark);
}

static cairn_status decode_sizes(const struct cairn_registers *regs, struct cairn_config *config,
                                 struct cairn_etmv4_config *etm, struct cairn_error *error)
{
    uint32_t idr2 = regs->value[REG_TRCIDR2];
    uint32_t iasize = cairn_register_bits(idr2, 4, 0);
    uint32_t cidsize = cairn_register_bits(idr2, 9, 5);
    uint32_t vmidsize = cairn_register_bits(idr2, 14, 10);
    if (iasize != 4 && iasize != 8)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "TRCIDR2 is 0x%08" PRIx32 ": IASIZE (bits 4:0) is %" PRIu32
                          ", but it should be 4 (32-bit addresses) or 8 (64-bit); check the value",
                          idr2, iasize);
    etm->address_size = (uint8_t)iasize;
    if (etm->is_ete) {
        /* Packets of ETE have four bytes of each (DDI0608 D9.2.14). A unit that says something else
         * and could be an ETMv4 is one: the register describes its packets. */
        const bool shorter = vmidsize == 1 || vmidsize == 2;

        if (shorter)
            cairn_config_add_note(config,
                                  "TRCIDR2 is 0x%08" PRIx32 ": VMIDSIZE (bits 14:10) is %" PRIu32
                                  ", which ETMv4 has and ETE has not; virtual context ids of "
                                  "%" PRIu32 " bytes are decoded: is the source ETMv4?",
                                  idr2, vmidsize, vmidsize);
        if (iasize != 8 || cidsize != 4 || (vmidsize != 0 && vmidsize != 4 && !shorter))
            cairn_config_add_note(config,
                                  "TRCIDR2 is 0x%08" PRIx32 ", but ETE has IASIZE 8, CIDSIZE 4 and "
                                  "VMIDSIZE 0 or 4; those sizes are used",
                                  idr2);
        etm->address_size = 8;
        etm->context_id_size = 4;
        etm->vmid_size = shorter ? (uint8_t)vmidsize : 4;
        return CAIRN_OK;
    }
    if (cidsize != 0 && cidsize != 4)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "TRCIDR2 is 0x%08" PRIx32 ": CIDSIZE (bits 9:5) is %" PRIu32
                          ", but it should be 0 or 4; check the value",
                          idr2, cidsize);
    if (vmidsize > 4 || vmidsize == 3)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "TRCIDR2 is 0x%08" PRIx32 ": VMIDSIZE (bits 14:10) is %" PRIu32
                          ", but it should be 0, 1, 2 or 4; check the value",
                          idr2, vmidsize);
    if (vmidsize > 1 && etm->minor == 0)
        cairn_config_add_note(config,
                              "TRCIDR2 is 0x%08" PRIx32 ": a VMID of %" PRIu32
                              " bytes came with ETMv4.1, but TRCIDR1 says 4.0",
                              idr2, vmidsize);
    etm->context_id_size = (uint8_t)cidsize;
    etm->vmid_size = (uint8_t)vmidsize;
    return CAIRN_OK;
}

static void decode_context(const struct cairn_registers *regs, struct cairn_config *config,
                           struct cairn_etmv4_config *etm)
{
    uint32_t configr = regs->value[REG_TRCCONFIGR];
    etm->context_id = cairn_register_bit(configr, 6);
    etm->vmid = cairn_register_bit(configr, 7);
    if ((etm->context_id && etm->context_id_size == 0) || (etm->vmid && etm->vmid_size == 0))
        cairn_config_add_note(config,
                              "TRCCONFIGR is 0x%08" PRIx32 " with context ids (CID, VMID) that "
                              "TRCIDR2 0x%08" PRIx32 " says the unit has not",
                              configr, regs->value[REG_TRCIDR2]);
    /* TRCIDR2.VMIDOPT: 0 VTTBR_EL2 only, 1 TRCCONFIGR.VMIDOPT chooses, 2 CONTEXTIDR_EL2 only. */
    switch (cairn_register_bits(regs->value[REG_TRCIDR2], 30, 29)) {
    case 0: etm->vmidopt = etm->is_ete; break;
    case 1: etm->vmidopt = cairn_register_bit(configr, 15); break;
    default: etm->vmidopt = true; break;
    }
    etm->realm = etm->is_ete && etm->minor >= 2;
}

static void decode_flow(const struct cairn_registers *regs, struct cairn_config *config,
                        struct cairn_etmv4_config *etm)
{
    uint32_t configr = regs->value[REG_TRCCONFIGR];
    uint32_t idr0 = regs->value[REG_TRCIDR0];
    bool v8m = etm->profile == CAIRN_PROFILE_M && config->arch.major >= 8;

    etm->return_stack = cairn_register_bit(configr, 12);
    if (etm->return_stack && !cairn_register_bit(idr0, 9))
        cairn_config_add_note(config,
                              "TRCCONFIGR is 0x%08" PRIx32 " with the return stack on (RS), but "
                              "TRCIDR0 0x%08" PRIx32 " says that the unit has none (RETSTACK)",
                              configr, idr0);
    etm->branch_broadcast = cairn_register_bit(configr, 3);
    etm->qsupp = (uint8_t)cairn_register_bits(idr0, 16, 15);
    etm->qe = (uint8_t)cairn_register_bits(configr, 14, 13);
    if (etm->qe != 0 && etm->qsupp == 0)
        cairn_config_add_note(config,
                              "TRCCONFIGR is 0x%08" PRIx32 " with Q elements on (QE), but TRCIDR0 "
                              "0x%08" PRIx32 " says that the unit has none (QSUPP)",
                              configr, idr0);
    etm->wfx_is_p0 =
        cairn_register_bit(regs->value[REG_TRCIDR2], 31) && (etm->is_ete || etm->minor >= 3);

    etm->exception_return = !etm->is_ete;
    etm->exception_return_is_p0 = !etm->is_ete && etm->profile == CAIRN_PROFILE_M;
    etm->function_return = !etm->is_ete && v8m && etm->minor >= 2;
    etm->branch_future =
        !etm->is_ete && v8m && (config->arch.minor >= 1 || cairn_register_bits(idr0, 19, 18) != 0);
    etm->transactions = etm->is_ete;
    etm->source_addresses = etm->is_ete;
    etm->instrumentation = etm->is_ete && etm->minor >= 3;
    etm->ite = etm->is_ete && cairn_register_bit(idr0, 22);
    etm->ito = etm->is_ete && cairn_register_bit(configr, 18);
}

/* ETMv4 only: loads and stores as P0 elements, conditional instructions, data trace. */
static void decode_data(const struct cairn_registers *regs, struct cairn_config *config,
                        struct cairn_etmv4_config *etm)
{
    uint32_t configr = regs->value[REG_TRCCONFIGR];
    uint32_t idr0 = regs->value[REG_TRCIDR0];
    uint32_t instp0 = cairn_register_bits(configr, 2, 1);
    uint32_t cond = cairn_register_bits(configr, 10, 8);
    if (etm->is_ete) {
        if (instp0 != 0 || cond != 0)
            cairn_config_add_note(config,
                                  "TRCCONFIGR is 0x%08" PRIx32 ": bits 2:1 and 10:8 (INSTP0, COND) "
                                  "do not exist in ETE and are taken as 0",
                                  configr);
        return;
    }
    if (instp0 != 0 && cairn_register_bits(idr0, 2, 1) == 0)
        cairn_config_add_note(config,
                              "TRCCONFIGR is 0x%08" PRIx32 " with loads or stores as P0 (INSTP0), "
                              "but TRCIDR0 0x%08" PRIx32 " says that the unit cannot",
                              configr, idr0);
    etm->loads_are_p0 = (instp0 & 1) != 0;
    etm->stores_are_p0 = (instp0 & 2) != 0;
    etm->data_address = instp0 != 0 && cairn_register_bit(configr, 16);
    etm->data_value = instp0 != 0 && cairn_register_bit(configr, 17);
    etm->trcexdata = cairn_register_bit(idr0, 17);
    etm->nump0key = regs->value[REG_TRCIDR9];

    if (cond != 0 && !cairn_register_bit(idr0, 6))
        cairn_config_add_note(config,
                              "TRCCONFIGR is 0x%08" PRIx32 " with conditional instructions (COND), "
                              "but TRCIDR0 0x%08" PRIx32 " says that the unit cannot (TRCCOND)",
                              configr, idr0);
    if (cond >= 4 && cond <= 6) {
        cairn_config_add_note(config,
                              "TRCCONFIGR is 0x%08" PRIx32 ": COND (bits 10:8) is %" PRIu32
                              ", which is reserved; 7 (all) is used",
                              configr, cond);
        cond = CAIRN_ETMV4_COND_ALL;
    }
    etm->cond = (enum cairn_etmv4_cond)cond;
    etm->condtype = cairn_register_bits(idr0, 13, 12) == 0 ? CAIRN_ETMV4_CONDTYPE_PASS_FAIL
                                                           : CAIRN_ETMV4_CONDTYPE_APSR;
    etm->numcondkey = regs->value[REG_TRCIDR12];
    etm->numcondspc = regs->value[REG_TRCIDR13];
    if (etm->cond != CAIRN_ETMV4_COND_NONE && etm->numcondkey <= etm->numcondspc)
        cairn_config_add_note(config,
                              "TRCIDR12 is %" PRIu32 " and TRCIDR13 is %" PRIu32 ": conditional "
                              "instructions are traced, so there should be more keys than special "
                              "ones",
                              etm->numcondkey, etm->numcondspc);
}

cairn_status cairn_etmv4_configure(const struct cairn_source_config *source,
                                   struct cairn_config *config, struct cairn_error *error)
{
    struct cairn_etmv4_config *etm = calloc(1, sizeof *etm);
    if (!etm)
        return cairn_fail(error, CAIRN_E_MEMORY, "no memory for the configuration of a source");
    config->decoded = etm;
    etm->protocol = config->protocol->about->id;
    etm->is_ete = etm->protocol == CAIRN_PROTOCOL_ETE;
    etm->profile = config->arch.profile;

    struct cairn_registers regs = {.names = reg_names, .count = REG_COUNT};
    cairn_registers_take(&regs, source, config);
    assume_all(config, &regs, etm->is_ete);
    etm->trace_id = (uint8_t)cairn_register_bits(regs.value[REG_TRCTRACEIDR], 6, 0);

    if (etm->is_ete) {
        decode_version_ete(&regs, config, etm);
    } else {
        cairn_status status = decode_version_etmv4(&regs, config, etm, error);
        if (status != CAIRN_OK)
            return status;
    }
    cairn_status status = decode_sizes(&regs, config, etm, error);
    if (status != CAIRN_OK)
        return status;
    decode_speculation(&regs, config, etm);
    decode_time(&regs, config, etm);
    decode_context(&regs, config, etm);
    decode_flow(&regs, config, etm);
    decode_data(&regs, config, etm);
    config->rules.return_stack = etm->return_stack;
    config->rules.wfx_is_p0 = etm->wfx_is_p0;
    config->rules.loads_are_p0 = etm->loads_are_p0;
    config->rules.stores_are_p0 = etm->stores_are_p0;
    config->rules.return_packets = etm->exception_return;
    config->rules.m_profile = etm->profile == CAIRN_PROFILE_M;
    config->cycles = etm->cc_enabled;
    config->timestamps = etm->timestamps;
    cairn_etmv4_find_headers(etm);
    return CAIRN_OK;
}
