/* SPDX-License-Identifier: BSD-2-Clause */
#include "toy/toy.h"

static const char *const types[] = {"TOY", NULL};
static const char *const id_registers[] = {"TOYTRACEIDR", NULL};
static const char *const registers[] = {"TOYCR", "TOYTRACEIDR", NULL};
static const struct cairn_witness witnesses[] = {{.name = "TOYCR", .rank = 6}, {0}};

const struct cairn_about toy_about = {
    .id = (enum cairn_protocol_id)1000,
    .name = "Toy",
    .types = types,
    .type = "TOY",
    .id_registers = id_registers,
    .registers = registers,
    .needed = "TOYCR",
    .witnesses = witnesses,
    .sync_zeros = 5,
    .sync_text = "5 or more",
    .sync_register = "TOYCR",
};
