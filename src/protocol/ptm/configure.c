/* SPDX-License-Identifier: BSD-2-Clause */
/* Register values -> struct cairn_ptm_config (IHI0035 3.16). Only what makes decoding impossible is
 * refused; everything odd becomes a note. */
#include "protocol/ptm/ptm.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "protocol/registers.h"

enum reg {
    REG_ETMCR,
    REG_ETMIDR,
    REG_ETMCCER,
    REG_ETMTRACEIDR,
    REG_ETMAUXCR,
    REG_COUNT,
};

static const char *const reg_names[REG_COUNT] = {
    "ETMCR", "ETMIDR", "ETMCCER", "ETMTRACEIDR", "ETMAUXCR",
};

static_assert(REG_COUNT <= CAIRN_REGISTERS_MAX, "too many registers");

/* Values assumed for registers that are missing. PFT 1.1 understands every stream of PFT 1.0, and
 * 64-bit timestamps hold shorter ones. */
#define ETMIDR_PFT_1_1 0x411cf310u
#define ETMCCER_1_0 0x00c008c2u /* return stack, 48-bit timestamps in Gray code */
#define ETMCCER_1_1 0x34c008c2u /* return stack, virtualization, 64-bit binary timestamps */

#define ARCH_MAJOR_ETMV3 2u /* ETMIDR[11:8] of ETMv3; PFT 1 has 3 */
#define ARCH_MAJOR_PFT 3u
#define PFT_NEWEST_MINOR 1u

/* a waypoint further on than this has a waypoint update before it (4.10) */
#define BLOCK_BYTES 4096u

static cairn_status decode_version(const struct cairn_registers *regs, struct cairn_config *config,
                                   struct cairn_ptm_config *ptm, struct cairn_error *error)
{
    uint32_t idr = regs->value[REG_ETMIDR];
    uint32_t major = cairn_register_bits(idr, 11, 8);
    if (major == ARCH_MAJOR_ETMV3)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "ETMIDR is 0x%08" PRIx32
                          ": major version (bits 11:8) 2 is an ETMv3 trace "
                          "unit, not PTM; give the protocol of the source as ETMv3",
                          idr);
    if (major != ARCH_MAJOR_PFT)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "ETMIDR is 0x%08" PRIx32 ": major version (bits 11:8) is %" PRIu32
                          ", but PTM has 3; check the value or the protocol of the source",
                          idr, major);
    ptm->major = 1;
    ptm->minor = (uint8_t)cairn_register_bits(idr, 7, 4);
    ptm->revision = (uint8_t)cairn_register_bits(idr, 3, 0);
    ptm->thumb32_is_one = cairn_register_bit(idr, 18);
    if (ptm->minor > PFT_NEWEST_MINOR)
        cairn_config_add_note(config,
                              "ETMIDR is 0x%08" PRIx32 ": PFT 1.%u is newer than the newest known "
                              "here, 1.1; packets that it adds are shown as reserved",
                              idr, (unsigned)ptm->minor);
    return CAIRN_OK;
}

static void decode_sizes(const struct cairn_registers *regs, struct cairn_ptm_config *ptm)
{
    static const uint8_t context_id_sizes[] = {0, 1, 2, 4};
    uint32_t ccer = regs->value[REG_ETMCCER];

    ptm->context_id_size = context_id_sizes[cairn_register_bits(regs->value[REG_ETMCR], 15, 14)];
    /* Bits 29:26 came with PFT 1.1. */
    ptm->timestamp_bits = ptm->minor >= 1 && cairn_register_bit(ccer, 29) ? 64 : 48;
    ptm->timestamp_binary = ptm->minor >= 1 && cairn_register_bit(ccer, 28);
    ptm->virtualization = ptm->minor >= 1 && cairn_register_bit(ccer, 26);
    ptm->barriers_give_time = cairn_register_bit(ccer, 25);
    ptm->barriers_are_waypoints = cairn_register_bit(ccer, 24);
}

static void decode_control(const struct cairn_registers *regs, struct cairn_config *config,
                           struct cairn_ptm_config *ptm)
{
    uint32_t cr = regs->value[REG_ETMCR];
    uint32_t ccer = regs->value[REG_ETMCCER];

    ptm->vmid = ptm->minor >= 1 && cairn_register_bit(cr, 30);
    ptm->return_stack = cairn_register_bit(cr, 29);
    ptm->timestamps = cairn_register_bit(cr, 28);
    ptm->cycle_accurate = cairn_register_bit(cr, 12);
    ptm->branch_broadcast = cairn_register_bit(cr, 8);
    if (ptm->minor == 0 && cairn_register_bit(cr, 30))
        cairn_config_add_note(config,
                              "ETMCR is 0x%08" PRIx32 " with bit 30, which PFT 1.0 does not have "
                              "(VMID trace came with 1.1)",
                              cr);
    if (ptm->vmid && !ptm->virtualization)
        cairn_config_add_note(config,
                              "ETMCR is 0x%08" PRIx32 " with VMID trace (bit 30), but ETMCCER "
                              "0x%08" PRIx32 " says that the core has no virtualization (bit 26)",
                              cr, ccer);
    if (ptm->return_stack && !cairn_register_bit(ccer, 23))
        cairn_config_add_note(config,
                              "ETMCR is 0x%08" PRIx32 " with the return stack on (bit 29), but "
                              "ETMCCER 0x%08" PRIx32 " says that the unit has none (bit 23)",
                              cr, ccer);
    /* The PTM of Cortex-A9 (1.0) has timestamps and says 0. */
    if (ptm->timestamps && !cairn_register_bit(ccer, 22) && ptm->minor >= 1)
        cairn_config_add_note(config,
                              "ETMCR is 0x%08" PRIx32 " with timestamps on (bit 28), but ETMCCER "
                              "0x%08" PRIx32 " says that the unit has none (bit 22)",
                              cr, ccer);
    if (ptm->return_stack && ptm->branch_broadcast)
        cairn_config_add_note(config,
                              "ETMCR is 0x%08" PRIx32 " with both branch broadcast (bit 8) and the "
                              "return stack (bit 29): what a unit traces then is UNPREDICTABLE",
                              cr);
    if (regs->value[REG_ETMAUXCR] != 0)
        cairn_config_add_note(config,
                              "ETMAUXCR is 0x%08" PRIx32 ": its bits are the implementation's own "
                              "and may change the protocol",
                              regs->value[REG_ETMAUXCR]);
}

/* PFT 1.0 of A and R profile cores has no packet for exception returns: there the instruction
 * itself tells (4.5.10). */
static void set_rules(const struct cairn_ptm_config *ptm, struct cairn_follow_rules *rules)
{
    rules->return_stack = ptm->return_stack;
    rules->pop_first = true;
    rules->barriers_are_p0 = ptm->barriers_are_waypoints;
    rules->walk_bytes = BLOCK_BYTES;
    rules->return_packets = ptm->minor >= 1 || ptm->m_profile;
    rules->m_profile = ptm->m_profile;
    cairn_ptm_undefined(ptm, rules->undefined);
}

cairn_status cairn_ptm_configure(const struct cairn_source_config *source,
                                 struct cairn_config *config, struct cairn_error *error)
{
    struct cairn_ptm_config *ptm = calloc(1, sizeof *ptm);
    if (!ptm)
        return cairn_fail(error, CAIRN_E_MEMORY, "no memory for the configuration of a source");
    config->decoded = ptm;
    ptm->m_profile = config->arch.profile == CAIRN_PROFILE_M;

    struct cairn_registers regs = {.names = reg_names, .count = REG_COUNT};
    cairn_registers_take(&regs, source, config);
    cairn_registers_assume(&regs, config, REG_ETMCR, 0,
                           "no cycle counts, return stack, timestamps, context ids");
    cairn_registers_assume(&regs, config, REG_ETMIDR, ETMIDR_PFT_1_1, "PFT 1.1");
    cairn_status status = decode_version(&regs, config, ptm, error);
    if (status != CAIRN_OK)
        return status;
    if (ptm->minor == 0)
        cairn_registers_assume(&regs, config, REG_ETMCCER, ETMCCER_1_0,
                               "48-bit timestamps in Gray code");
    else
        cairn_registers_assume(&regs, config, REG_ETMCCER, ETMCCER_1_1,
                               "64-bit binary timestamps, virtualization");
    ptm->trace_id = (uint8_t)cairn_register_bits(regs.value[REG_ETMTRACEIDR], 6, 0);
    decode_sizes(&regs, ptm);
    decode_control(&regs, config, ptm);
    set_rules(ptm, &config->rules);
    config->untold.EL = true;
    config->untold.security = ptm->m_profile;
    config->cycles = ptm->cycle_accurate;
    config->timestamps = ptm->timestamps;
    return CAIRN_OK;
}
