/* SPDX-License-Identifier: BSD-2-Clause */
/* A set of addresses as few ranges, in bounded memory: near ones are merged. */
#ifndef CAIRN_CLI_SESSION_RANGES_H
#define CAIRN_CLI_SESSION_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cli_range {
    uint64_t first; /* lowest and highest address seen */
    uint64_t last;
    uint64_t count; /* how often one in it was added */
};

struct cli_ranges {
    struct cli_range *items; /* ascending, apart from each other by more than `reach` */
    size_t count;
    size_t capacity;
    uint64_t reach; /* addresses as near as this are one range; grows when there are too many */
};

/* Adds an address; false without memory. Begin with a zeroed structure. */
bool cli_ranges_add(struct cli_ranges *ranges, uint64_t address);
void cli_ranges_free(struct cli_ranges *ranges);

#endif
