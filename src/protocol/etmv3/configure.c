/* SPDX-License-Identifier: BSD-2-Clause */
/* Register values -> struct cairn_etmv3_config (IHI0014 3.5.1, 3.5.18; 3.5.41 of issue Q). Only
 * what makes decoding impossible is refused; everything odd becomes a note. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "protocol/etmv3/etmv3.h"
#include "protocol/registers.h"

enum reg {
    REG_ETMCR,
    REG_ETMIDR,
    REG_ETMCCR,
    REG_ETMCCER,
    REG_ETMTRACEIDR,
    REG_ETMIDR2,
    REG_COUNT,
};

static const char *const reg_names[REG_COUNT] = {
    "ETMCR", "ETMIDR", "ETMCCR", "ETMCCER", "ETMTRACEIDR", "ETMIDR2",
};

static_assert(REG_COUNT <= CAIRN_REGISTERS_MAX, "too many registers");

/* What is assumed for registers that are missing: v3.5 reads every older stream too, but for 80 in
 * cycle-accurate v3.0. */
#define ETMIDR_A 0x410cf250u  /* Cortex-A5, A7 */
#define ETMIDR_M 0x4114f250u  /* Cortex-M4 */
#define ETMCCER_A 0x344008f2u /* 64-bit binary timestamps, Virtualization Extensions: Cortex-A7 */
#define ETMCCER_M 0x18541800u /* 48-bit binary timestamps: Cortex-M4 */

#define MAJOR_ETMV2 1u
#define MAJOR_ETMV3 2u /* ETMIDR[11:8]; ETMv1 is 0, PFTv1 is 3 */
#define MAJOR_PFT 3u
#define MINOR_M 4u /* the first with Armv7-M */
#define MINOR_NEWEST 5u
#define ETM11RV_R0P0 0x41003210u /* loads the PC first, and does not say so */

static bool is_any_core(const struct cairn_arch *arch)
{
    const struct cairn_arch any = cairn_arch_any_a();

    return arch->profile == any.profile && arch->major == any.major && arch->minor == any.minor;
}

static cairn_status decode_version(const struct cairn_registers *regs, struct cairn_config *config,
                                   struct cairn_etmv3_config *etm, struct cairn_error *error)
{
    const uint32_t id = regs->value[REG_ETMIDR];
    const uint32_t major = cairn_register_bits(id, 11, 8);

    if (regs->given[REG_ETMCCR] && !cairn_register_bit(regs->value[REG_ETMCCR], 31))
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "ETMCCR is 0x%08" PRIx32 ": bit 31 is 0, so the trace unit has no ETMIDR "
                          "and is an ETMv1, which is not decoded",
                          regs->value[REG_ETMCCR]);
    if (major == MAJOR_PFT)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "ETMIDR is 0x%08" PRIx32 ": major version (bits 11:8) 3 is a PTM, not "
                          "ETMv3; give the protocol of the source as PTM",
                          id);
    if (major == MAJOR_ETMV2)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "ETMIDR is 0x%08" PRIx32 ": major version (bits 11:8) is 1, but ETMv3 "
                          "has 2: by this value the trace unit is an ETMv2; give the protocol of "
                          "the source as ETMv2",
                          id);
    if (major != MAJOR_ETMV3)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "ETMIDR is 0x%08" PRIx32 ": major version (bits 11:8) is %" PRIu32
                          ", but ETMv3 has 2; check the value or the protocol of the source",
                          id, major);
    etm->minor = (uint8_t)cairn_register_bits(id, 7, 4);
    if (etm->minor > MINOR_NEWEST) {
        cairn_config_add_note(config,
                              "ETMIDR is 0x%08" PRIx32 ": ETMv3.%u is not known; it is read as "
                              "ETMv3.%u",
                              id, etm->minor, MINOR_NEWEST);
        etm->minor = MINOR_NEWEST;
    }
    etm->wide_is_one_atom = cairn_register_bit(id, 18) && etm->minor >= 2;
    etm->security = cairn_register_bit(id, 19) && etm->minor >= 2;
    if (cairn_register_bits(id, 19, 18) && etm->minor < 2)
        cairn_config_add_note(config,
                              "ETMIDR is 0x%08" PRIx32 ": bits 19:18, the Security Extensions and "
                              "whole 32-bit Thumb instructions, are there from ETMv3.2 on only, "
                              "and are ignored",
                              id);
    etm->loads_pc_first = cairn_register_bit(id, 16) || id == ETM11RV_R0P0;
    etm->alternative = cairn_register_bit(id, 20) && etm->minor >= 4;
    if (cairn_register_bit(id, 20) && !etm->alternative)
        cairn_config_add_note(config,
                              "ETMIDR is 0x%08" PRIx32 ": bit 20 is the alternative branch "
                              "encoding from ETMv3.4 on only, and is ignored",
                              id);
    return CAIRN_OK;
}

/* No core was given, but the trace unit is of one with the M profile: only those have the
 * alternative branch encoding, and none has the Security Extensions. */
static void decide_profile(const struct cairn_registers *regs, struct cairn_config *config,
                           struct cairn_etmv3_config *etm)
{
    etm->m_profile = config->arch.profile == CAIRN_PROFILE_M;
    if (etm->m_profile && etm->minor < MINOR_M)
        cairn_config_add_note(config,
                              "ETMIDR is 0x%08" PRIx32 ": ETMv3.%u is older than trace units of "
                              "the M profile (ETMv3.%u); check the core and the register",
                              regs->value[REG_ETMIDR], etm->minor, MINOR_M);
    if (etm->m_profile && etm->security)
        cairn_config_add_note(config,
                              "ETMIDR is 0x%08" PRIx32 ": the Security Extensions (bit 19) are not "
                              "of the M profile; check the core and the register",
                              regs->value[REG_ETMIDR]);
    if (etm->m_profile || !is_any_core(&config->arch) || !etm->alternative || etm->security)
        return;
    etm->m_profile = true;
    cairn_config_add_note(config,
                          "no core is given; by ETMIDR 0x%08" PRIx32
                          " (alternative branch encoding) it is one of the M profile, and "
                          "exceptions are named so: give the core, such as Cortex-M4",
                          regs->value[REG_ETMIDR]);
}

static void decode_timestamps(struct cairn_registers *regs, struct cairn_config *config,
                              struct cairn_etmv3_config *etm)
{
    if (etm->minor < 5) {
        if (cairn_register_bit(regs->value[REG_ETMCR], 28) ||
            cairn_register_bit(regs->value[REG_ETMCR], 30))
            cairn_config_add_note(config,
                                  "ETMCR is 0x%08" PRIx32 ": bits 28 and 30, timestamps and VMID "
                                  "trace, are there from ETMv3.5 on only, and are ignored",
                                  regs->value[REG_ETMCR]);
        return;
    }
    if (etm->m_profile)
        cairn_registers_assume(regs, config, REG_ETMCCER, ETMCCER_M, "48-bit binary timestamps");
    else
        cairn_registers_assume(regs, config, REG_ETMCCER, ETMCCER_A,
                               "64-bit binary timestamps, Virtualization Extensions");
    const uint32_t ccer = regs->value[REG_ETMCCER];
    const uint32_t control = regs->value[REG_ETMCR];

    etm->timestamps = cairn_register_bit(control, 28);
    etm->timestamp_bits = cairn_register_bit(ccer, 29) ? 64 : 48;
    etm->gray = !cairn_register_bit(ccer, 28);
    etm->virtualization = cairn_register_bit(ccer, 26) && !etm->m_profile;
    etm->vmid = etm->virtualization && cairn_register_bit(control, 30);
    if (etm->timestamps && !cairn_register_bit(ccer, 22))
        cairn_config_add_note(config,
                              "ETMCR is 0x%08" PRIx32 ": bit 28 turns timestamps on, but ETMCCER "
                              "0x%08" PRIx32 " has none (bit 22)",
                              control, ccer);
    if (cairn_register_bit(ccer, 26) && etm->m_profile)
        cairn_config_add_note(config,
                              "ETMCCER is 0x%08" PRIx32 ": the Virtualization Extensions (bit 26) "
                              "are not of the M profile, and are ignored",
                              ccer);
    if (cairn_register_bit(control, 30) && !etm->virtualization)
        cairn_config_add_note(config,
                              "ETMCR is 0x%08" PRIx32 ": bit 30 turns VMID trace on, but by "
                              "ETMCCER 0x%08" PRIx32 " (bit 26) there are no Virtualization "
                              "Extensions: no VMID packets are expected",
                              control, ccer);
}

/* Bits of ETMCR that do not go together. */
static void note_control(uint32_t control, struct cairn_config *config,
                         const struct cairn_etmv3_config *etm)
{
    if (cairn_register_bit(control, 31) || cairn_register_bit(control, 29))
        cairn_config_add_note(config,
                              "ETMCR is 0x%08" PRIx32 ": bits 31 and 29 are reserved (29 is the "
                              "return stack of PTM, which ETMv3 does not have), and are ignored; "
                              "is it the register of this trace unit?",
                              control);
    if (cairn_register_bit(control, 19) && !etm->cprt)
        cairn_config_add_note(config,
                              "ETMCR is 0x%08" PRIx32 ": coprocessor transfers are filtered (bit "
                              "19) but not traced (bit 1): what a unit traces then is "
                              "UNPREDICTABLE",
                              control);
    if (etm->suppression && cairn_register_bit(control, 7))
        cairn_config_add_note(config,
                              "ETMCR is 0x%08" PRIx32 ": both data suppression (bit 18) and "
                              "stalling (bit 7) are on: what a unit traces then is UNPREDICTABLE",
                              control);
    if (etm->data_only && etm->cycle_accurate)
        cairn_config_add_note(config,
                              "ETMCR is 0x%08" PRIx32 ": cycle-accurate (bit 12), but data-only "
                              "mode (bit 20) has no packets that tell cycles",
                              control);
}

static void decode_control(const struct cairn_registers *regs, struct cairn_config *config,
                           struct cairn_etmv3_config *etm)
{
    static const uint8_t context_bytes[] = {0, 1, 2, 4};
    const uint32_t control = regs->value[REG_ETMCR];

    etm->cprt = cairn_register_bit(control, 1);
    etm->data_value = cairn_register_bit(control, 2);
    etm->data_address = cairn_register_bit(control, 3);
    etm->branch_output = cairn_register_bit(control, 8);
    etm->cycle_accurate = cairn_register_bit(control, 12);
    etm->context_bytes = context_bytes[cairn_register_bits(control, 15, 14)];
    etm->suppression = cairn_register_bit(control, 18);
    etm->data_only = cairn_register_bit(control, 20) && etm->minor >= 1;
    if (cairn_register_bit(control, 20) && !etm->data_only)
        cairn_config_add_note(config,
                              "ETMCR is 0x%08" PRIx32 ": bit 20 is data-only mode from ETMv3.1 on "
                              "only, and is ignored",
                              control);
    if (etm->data_only && !etm->data_value && !etm->data_address && !etm->cprt)
        cairn_config_add_note(config,
                              "ETMCR is 0x%08" PRIx32 ": data-only mode (bit 20) without data "
                              "tracing (bits 3:1)",
                              control);
    if (etm->cprt && !etm->data_value)
        cairn_config_add_note(config,
                              "ETMCR is 0x%08" PRIx32 ": coprocessor transfers are traced (bit 1) "
                              "but no data values (bit 2): their packets are taken to have none",
                              control);
}

cairn_status cairn_etmv3_configure(const struct cairn_source_config *source,
                                   struct cairn_config *config, struct cairn_error *error)
{
    struct cairn_registers regs = {.names = reg_names, .count = REG_COUNT};
    struct cairn_etmv3_config *etm = calloc(1, sizeof *etm);

    if (!etm)
        return cairn_fail(error, CAIRN_E_MEMORY, "no memory for the configuration of a source");
    config->decoded = etm;
    cairn_registers_take(&regs, source, config);
    cairn_registers_assume(&regs, config, REG_ETMCR, 0,
                           "no data, no context ids, not cycle-accurate, no timestamps");
    if (config->arch.profile == CAIRN_PROFILE_M)
        cairn_registers_assume(&regs, config, REG_ETMIDR, ETMIDR_M,
                               "ETMv3.5, alternative branch encoding");
    else
        cairn_registers_assume(&regs, config, REG_ETMIDR, ETMIDR_A,
                               "ETMv3.5, original branch encoding");
    const cairn_status status = decode_version(&regs, config, etm, error);
    if (status != CAIRN_OK)
        return status;
    decide_profile(&regs, config, etm);
    decode_control(&regs, config, etm);
    note_control(regs.value[REG_ETMCR], config, etm);
    decode_timestamps(&regs, config, etm);
    etm->swp_stores_first = etm->minor >= 5 && cairn_register_bit(regs.value[REG_ETMIDR2], 1);
    etm->rfe_cpsr_first = etm->minor >= 5 && cairn_register_bit(regs.value[REG_ETMIDR2], 0);
    etm->trace_id = (uint8_t)cairn_register_bits(regs.value[REG_ETMTRACEIDR], 6, 0);
    config->rules.every_instruction = true;
    cairn_etmv3_undefined(etm, config->rules.undefined);
    config->rules.thumb_halves = !etm->wide_is_one_atom;
    config->rules.coprocessor_data = etm->cprt;
    config->rules.return_packets = true;
    config->rules.m_profile = etm->m_profile;
    config->untold.EL = true;
    config->untold.security = etm->m_profile && !etm->security;
    config->cycles = etm->cycle_accurate;
    config->cycles_ahead = true; /* Example 7-2: WWWE is two cycles of none and one of the E */
    config->timestamps = etm->timestamps;
    return CAIRN_OK;
}
