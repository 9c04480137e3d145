/* SPDX-License-Identifier: BSD-2-Clause */
#include "run.h"

uint32_t sw_control(const struct sw_settings *settings)
{
    static const unsigned context_sizes[] = {0, 1, 2, 0, 3};
    uint32_t control = 1 << 11; /* the trace port is selected */

    control |= (settings->pins == 4 ? 0U : settings->pins == 8 ? 1U : 2U) << 4;
    control |= (uint32_t)context_sizes[settings->context_bytes] << 14;
    control |= (uint32_t)settings->has_values << 2;
    control |= (uint32_t)settings->has_addresses << 3;
    control |= (uint32_t)settings->has_registers << 1;
    control |= (uint32_t)settings->is_branch_output << 8;
    control |= (uint32_t)settings->is_cycle_accurate << 12;
    return control;
}

uint32_t sw_id(const struct sw_settings *settings)
{
    /* Arm, an ARM10, ETMv2 */
    return 0x41002100 | (uint32_t)settings->minor << 4 | (uint32_t)settings->loads_pc_first << 16;
}

void sw_settings_draw(struct sw_settings *settings, struct peer_random *random)
{
    static const unsigned pins[] = {4, 8, 16};
    static const unsigned context_bytes[] = {0, 1, 2, 4};

    *settings = (struct sw_settings){
        .minor = peer_random_below(random, 2),
        .pins = pins[peer_random_below(random, 3)],
        .depth = peer_random_range(random, 20, 120),
        .sync = peer_random_range(random, 40, 1024),
        .context_bytes = context_bytes[peer_random_below(random, 4)],
        .has_addresses = peer_random_percent(random, 60),
        .has_values = peer_random_percent(random, 60),
        .is_branch_output = peer_random_percent(random, 15),
        .is_cycle_accurate = peer_random_percent(random, 40),
        .has_high_vectors = peer_random_percent(random, 15),
        .tells_context_twice = peer_random_percent(random, 50),
        .sizes_alone = peer_random_percent(random, 50),
        .forgets_misses = peer_random_percent(random, 50),
    };
    if (peer_random_percent(random, 60))
        settings->sync = peer_random_range(random, 20, 120);
    settings->data_phase = settings->sync / 2;
    /* What of a CPRT is traced without values is not told. */
    settings->has_registers = settings->has_values && peer_random_percent(random, 60);
    settings->loads_pc_first = settings->minor > 0 && peer_random_percent(random, 50);
}
