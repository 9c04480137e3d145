/* SPDX-License-Identifier: BSD-2-Clause */
/* ITM (DDI0403 D4), which is known by name: its packets are not decoded. */
#include "protocol/protocol.h"

static const char *const types[] = {"ITM", NULL};
/* ITM_TCR is CMSIS's name, ITM_CTRL one that captures from Linux boards have. */
static const char *const id_registers[] = {"ITMTCR", "ITM_TCR", "ITM_CTRL", NULL};
static const struct cairn_witness witnesses[] = {
    {.name = "ITMTCR", .rank = 4}, {.name = "ITM_TCR", .rank = 5}, {0}};

static const struct cairn_about about = {
    .id = CAIRN_PROTOCOL_ITM,
    .name = "ITM",
    .types = types,
    .id_registers = id_registers,
    .id_shift = 16, /* ITM_TCR.TraceBusID, bits 22:16 */
    .witnesses = witnesses,
    .sync_zeros = 5,
    .sync_text = "5 or more",
    .beside_cores = true,
};

const struct cairn_protocol cairn_itm = {.about = &about};
