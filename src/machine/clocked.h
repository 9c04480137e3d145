/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a feed that has no clock of its own, so that an instruction takes a cycle, has to tell a unit of
 * cycles and time: all such feeds do it alike. */
#ifndef CAIRN_MACHINE_CLOCKED_H
#define CAIRN_MACHINE_CLOCKED_H

#include <stdbool.h>

#include <cairn/unit.h>

bool cairn_unit_is_clocked(const struct cairn_unit *unit);

#endif
