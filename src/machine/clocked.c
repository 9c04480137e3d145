/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine/clocked.h"

enum {
    ETMCR_CYCLES = 1 << 12,
    ETMCR_TIMESTAMPS = 1 << 28,
};

/* Of an ETMv3 or PTM what its own trace tells: their models want to know of all they might look at. */
bool cairn_unit_is_clocked(const struct cairn_unit *unit)
{
    uint64_t value = 0;

    if (cairn_unit_read(unit, "ETMCR", &value) == CAIRN_OK)
        return (value & (ETMCR_CYCLES | ETMCR_TIMESTAMPS)) != 0;
    return (cairn_unit_needs(unit) & (CAIRN_UNIT_NEEDS_CYCLES | CAIRN_UNIT_NEEDS_TIME)) != 0;
}
