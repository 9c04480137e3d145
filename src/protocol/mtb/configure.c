/* SPDX-License-Identifier: BSD-2-Clause */
/* Register values -> struct cairn_mtb_config (DDI0486 3.2; the fields: docs/formats.md). */
#include "protocol/mtb/mtb.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "protocol/registers.h"

enum reg {
    REG_POSITION,
    REG_MASTER,
    REG_FLOW,
    REG_BASE,
    REG_DUMP,
    REG_COUNT,
};

static const char *const reg_names[REG_COUNT] = {"POSITION", "MASTER", "FLOW", "BASE", "DUMP"};
static const char prefix[] = "MTB_"; /* as most headers and debuggers write them */

static_assert(REG_COUNT <= CAIRN_REGISTERS_MAX, "too many registers");

#define POSITION_WRAP (UINT32_C(1) << 2)
#define POSITION_RESERVED UINT32_C(3)
#define POINTER_MASK (~UINT32_C(7)) /* POSITION.POINTER and FLOW.WATERMARK */
#define MASTER_MASK UINT32_C(0x1f)
#define MASTER_EN (UINT32_C(1) << 31)
#define FLOW_AUTOSTOP (UINT32_C(1) << 0)
#define FLOW_AUTOHALT (UINT32_C(1) << 1)
#define MASK_LARGEST 27u /* 2 GiB: a larger ring has no room beside the program */

static cairn_status decode_master(const struct cairn_registers *regs, struct cairn_config *config,
                                  struct cairn_mtb_config *mtb, struct cairn_error *error)
{
    const uint32_t master = regs->value[REG_MASTER];
    const unsigned mask = master & MASTER_MASK;
    mtb->has_master = regs->given[REG_MASTER];
    if (!mtb->has_master)
        return CAIRN_OK;
    if (mask > MASK_LARGEST)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "MASTER is 0x%08" PRIx32
                          ": MASK (bits 4:0) is %u, a buffer of 2^%u bytes, "
                          "but it should be 0 to %u; check the value",
                          master, mask, mask + 4, MASK_LARGEST);
    mtb->ring = UINT64_C(1) << (mask + 4);
    mtb->enabled = (master & MASTER_EN) != 0;
    if (mtb->enabled)
        cairn_config_add_note(config,
                              "MASTER is 0x%08" PRIx32 ": EN (bit 31) is 1, so trace was still on; "
                              "what ran between reading POSITION and reading the memory may have "
                              "overwritten the oldest packets",
                              master);
    return CAIRN_OK;
}

static cairn_status decode_position(const struct cairn_registers *regs, struct cairn_config *config,
                                    struct cairn_mtb_config *mtb, struct cairn_error *error)
{
    const uint32_t position = regs->value[REG_POSITION];
    mtb->has_position = regs->given[REG_POSITION];
    if (!mtb->has_position) {
        cairn_config_add_note(config, "POSITION is missing: the bytes are taken for packets in the "
                                      "order of the trace, the oldest first; words that are all "
                                      "zeros or all ones count as unwritten");
        return CAIRN_OK;
    }
    if (!mtb->has_master)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "POSITION is 0x%08" PRIx32 ", but MASTER is missing: its MASK (bits 4:0) "
                          "says how large the buffer is; give MASTER, too",
                          position);
    mtb->wrapped = (position & POSITION_WRAP) != 0;
    mtb->pointer = position & POINTER_MASK;
    if (position & POSITION_RESERVED)
        cairn_config_add_note(config,
                              "POSITION is 0x%08" PRIx32 ": bits 1:0 are reserved and should be 0; "
                              "is it the value of the register?",
                              position);
    if (cairn_mtb_written(mtb) == 0)
        cairn_config_add_note(config,
                              "POSITION is 0x%08" PRIx32 ": its pointer is at the start of the "
                              "buffer and WRAP (bit 2) is 0, so nothing was traced",
                              position);
    return CAIRN_OK;
}

static void decode_rest(const struct cairn_registers *regs, struct cairn_config *config,
                        struct cairn_mtb_config *mtb)
{
    const uint32_t flow = regs->value[REG_FLOW];
    mtb->autostop = (flow & FLOW_AUTOSTOP) != 0;
    mtb->autohalt = (flow & FLOW_AUTOHALT) != 0;
    mtb->watermark = flow & POINTER_MASK;
    mtb->base = regs->value[REG_BASE];
    mtb->has_dump = regs->given[REG_DUMP];
    mtb->dump = regs->value[REG_DUMP];
    if (mtb->base & (CAIRN_MTB_PACKET_SIZE - 1))
        cairn_config_add_note(config,
                              "BASE is 0x%08" PRIx32 ", but packets stand at multiples of 8; is it "
                              "the value of the register?",
                              mtb->base);
}

cairn_status cairn_mtb_configure(const struct cairn_source_config *source,
                                 struct cairn_config *config, struct cairn_error *error)
{
    struct cairn_mtb_config *mtb = calloc(1, sizeof *mtb);
    struct cairn_registers regs = {.names = reg_names, .count = REG_COUNT, .prefix = prefix};
    if (!mtb)
        return cairn_fail(error, CAIRN_E_MEMORY, "no memory for the configuration of a source");
    config->decoded = mtb;
    config->rules.m_profile = true;
    config->rules.return_packets = true; /* an exception return has two packets */
    config->rules.any_source = true;
    config->untold.EL = true;
    config->untold.security = true;
    config->untold.exceptions = true; /* of one that another follows at once there is no packet */
    cairn_registers_take(&regs, source, config);
    cairn_status status = decode_master(&regs, config, mtb, error);
    if (status == CAIRN_OK)
        status = decode_position(&regs, config, mtb, error);
    if (status == CAIRN_OK)
        decode_rest(&regs, config, mtb);
    return status;
}
