/* SPDX-License-Identifier: BSD-2-Clause */
#include "traced_pe.h"

#include <string.h>

cairn_status traced_take(void *context, const uint8_t *bytes, size_t size)
{
    struct traced_bytes *taken = context;

    if (size > sizeof taken->bytes - taken->size)
        return CAIRN_E_LIMIT;
    memcpy(taken->bytes + taken->size, bytes, size);
    taken->size += size;
    return CAIRN_OK;
}

static void traced_remember(void *context, uint64_t address, const uint8_t *bytes, size_t size)
{
    struct traced_bytes *taken = context;

    assert_int_equal(address, TRACED_BUFFER + taken->size);
    assert_int_equal(traced_take(taken, bytes, size), CAIRN_OK);
}

void traced_put(struct cairn_pe *pe, const char *name, uint64_t value)
{
    assert_int_equal(cairn_pe_write(pe, name, value), CAIRN_OK);
}

uint64_t traced_get(struct cairn_pe *pe, const char *name)
{
    uint64_t value;

    assert_int_equal(cairn_pe_read(pe, name, &value), CAIRN_OK);
    return value;
}

struct cairn_pe *traced_pe(const struct cairn_unit_options *unit, struct traced_bytes *memory,
                           uint32_t flags)
{
    struct cairn_pe_options options = CAIRN_PE_OPTIONS_INIT;
    struct cairn_pe *pe;

    options.flags |= flags;
    options.unit = unit;
    options.memory = traced_remember;
    options.context = memory;
    assert_int_equal(cairn_pe_new(&options, &pe, NULL), CAIRN_OK);
    traced_put(pe, "SCR_EL3", 0x401);
    traced_put(pe, "MDCR_EL3", UINT64_C(3) << 32 | 3u << 24 | 1u << 17);
    traced_put(pe, "MDCR_EL2", 3u << 24 | 6u);
    traced_put(pe, "TRFCR_EL1", 3);
    return pe;
}

void traced_enable_buffer(struct cairn_pe *pe, uint64_t size)
{
    traced_put(pe, "TRBBASER_EL1", TRACED_BUFFER);
    traced_put(pe, "TRBPTR_EL1", TRACED_BUFFER);
    traced_put(pe, "TRBLIMITR_EL1", (TRACED_BUFFER + size) | 1);
}

void traced_records(struct cairn_pe *pe, const struct traced_record *expected, size_t count)
{
    struct cairn_branch records[8];

    for (size_t i = 0; i < 8; i++)
        records[i].size = sizeof records[i];
    assert_int_equal(cairn_pe_branches(pe, records, 8), count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(records[i].type, expected[i].type);
        assert_int_equal(records[i].flags & CAIRN_BRANCH_SOURCE ? records[i].source : 0,
                         expected[i].source);
        assert_int_equal(records[i].flags & CAIRN_BRANCH_TARGET ? records[i].target : 0,
                         expected[i].target);
    }
}
