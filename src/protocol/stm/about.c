/* SPDX-License-Identifier: BSD-2-Clause */
/* STM (IHI0054), which is known by name: its packets are not decoded. */
#include "protocol/protocol.h"

static const char *const types[] = {"STM", NULL};
static const char *const id_registers[] = {"STMTCSR", NULL};
static const struct cairn_witness witnesses[] = {{.name = "STMTCSR", .rank = 3}, {0}};

static const struct cairn_about about = {
    .id = CAIRN_PROTOCOL_STM,
    .name = "STM",
    .types = types,
    .id_registers = id_registers,
    .id_shift = 16, /* STMTCSR.TRACEID, bits 22:16 */
    .witnesses = witnesses,
    .beside_cores = true,
};

const struct cairn_protocol cairn_stm = {.about = &about};
