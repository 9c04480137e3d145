/* SPDX-License-Identifier: BSD-2-Clause */
#include "tables.h"

static enum cairn_pe_memory_answer read_word(void *user, uint64_t address, unsigned security,
                                             uint64_t *value)
{
    struct tables *t = user;
    t->reads++;
    t->securities |= 1u << security;
    assert_int_equal(address % 8, 0);
    if (address == t->abort_read)
        return CAIRN_PE_MEMORY_ABORT;
    *value = get(t, address);
    return CAIRN_PE_MEMORY_DONE;
}

static enum cairn_pe_memory_answer update_word(void *user, uint64_t address, unsigned security,
                                               uint64_t expected, uint64_t value)
{
    struct tables *t = user;
    (void)security;
    t->updates++;
    if (address == t->abort_update)
        return CAIRN_PE_MEMORY_ABORT;
    if (t->changes) {
        t->changes--;
        return CAIRN_PE_MEMORY_CHANGED;
    }
    assert_int_equal(get(t, address), expected);
    put(t, address, value);
    return CAIRN_PE_MEMORY_DONE;
}

void put(struct tables *t, uint64_t address, uint64_t value)
{
    unsigned i = 0;
    while (i < t->count && t->words[i].address != address)
        i++;
    assert_true(i < 64);
    if (i == t->count)
        t->count++;
    t->words[i].address = address;
    t->words[i].value = value;
}

uint64_t get(const struct tables *t, uint64_t address)
{
    for (unsigned i = 0; i < t->count; i++)
        if (t->words[i].address == address)
            return t->words[i].value;
    return 0;
}

void set(struct tables *t, enum cairn_pe_register name, uint64_t value)
{
    t->registers.value[name] = value;
}

void begin(struct tables *t)
{
    *t = (struct tables){
        .features = {.EL2 = true, .EL3 = true, .secure_EL2 = true, .trbe = true},
        .memory = {t, read_word, update_word},
        .abort_read = 1,
        .abort_update = 1,
    };
    set(t, CAIRN_PE_ID_AA64MMFR0_EL1, 0x00100002); /* 40 bits of PA; all three granules */
    set(t, CAIRN_PE_SCR_EL3, 0x1);                 /* NS */
    set(t, CAIRN_PE_SCTLR_EL1, 0x5);               /* M, C */
    set(t, CAIRN_PE_TCR_EL1, 0x2b5193519); /* 39 bits below and above, 4KB, 40-bit outputs */
    set(t, CAIRN_PE_MAIR_EL1, UINT64_C(0x44f0bb0400ff)); /* WB, nGnRnE, nGnRE, WT, Tagged, NC */
    set(t, CAIRN_PE_TTBR0_EL1, L1);
    put(t, L1 + 8, L2 | TABLE);
    put(t, L2 + 8, L3 | TABLE);
    put(t, L3 + 8, FRAME | PAGE);
}

void enable_stage2(struct tables *t)
{
    set(t, CAIRN_PE_HCR_EL2, 0x80000001);  /* RW, VM */
    set(t, CAIRN_PE_VTCR_EL2, 0x80023559); /* 39 bits, from level 1, 4KB, 40-bit outputs */
    set(t, CAIRN_PE_VTTBR_EL2, S2L1);
    put(t, S2L1, S2BLOCK);
    put(t, S2L1 + 8, 0x40000000 | S2BLOCK);
    put(t, S2L1 + 16, 0x80000000 | S2BLOCK);
}

bool trace_write_as(struct tables *t, unsigned EL, unsigned security, uint64_t pointer)
{
    return cairn_pe_translate_trace(&t->features, &t->registers, EL, security, pointer, &t->choices,
                                    &t->memory, &t->out);
}

bool trace_write(struct tables *t, uint64_t pointer)
{
    return trace_write_as(t, 1, CAIRN_NONSECURE, pointer);
}

bool access_by(struct tables *t, uint64_t address, enum cairn_pe_access access, bool privileged)
{
    struct cairn_pe_translate_request request = {
        .address = address,
        .regime = CAIRN_PE_EL10,
        .security = CAIRN_NONSECURE,
        .access = (uint8_t)access,
        .privileged = privileged,
    };
    return cairn_pe_translate(&t->features, &t->registers, &request, &t->choices, &t->memory,
                              &t->out);
}
