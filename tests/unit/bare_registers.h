/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers of a unit of ETMv4 or ETE with nothing that is optional, for tests of single fields. */
#ifndef CAIRN_TEST_BARE_REGISTERS_H
#define CAIRN_TEST_BARE_REGISTERS_H

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "unit/etmv4/register_table.h"

static struct cairn_unit_registers registers;

static void set(const char *name, uint64_t value)
{
    struct cairn_error error = {0};

    if (cairn_unit_registers_write(&registers, name, value, true, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
}

/* A unit with nothing that is optional. */
static void bare(enum cairn_protocol_id protocol)
{
    const struct cairn_arch arch = {.profile = CAIRN_PROFILE_A, .major = 8};

    cairn_unit_registers_reset(&registers, protocol, &arch);
    set("TRCIDR0", 0x1);
    set("TRCIDR2", protocol == CAIRN_PROTOCOL_ETE ? 0x88 : 0x4);
    set("TRCIDR3", 0x4);
    set("TRCIDR4", 0);
    set("TRCIDR5", 0);
    set("TRCIDR6", 0);
}

#endif
