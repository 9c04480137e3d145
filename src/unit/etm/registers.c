/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of registers, and access by name. */
#include "unit/etm/registers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/error.h"
#include "unit/etm/derived.h"

struct row {
    const char *name;
    uint32_t mask;
    uint16_t offset;
    uint8_t count;
    uint8_t access;
};

static const struct row rows[] = {
#define ROW(name, count, offset, mask, access) {#name, mask, offset, count, CAIRN_ETM_##access},
    CAIRN_ETM_REGISTER_LIST(ROW)
#undef ROW
};

/* The names of all, arrays numbered. */
static const char *const names[CAIRN_ETM_COUNT] = {
#define ONE(name) [CAIRN_ETM_##name] = #name
#define NUMBERED(name, n) [CAIRN_ETM_##name + (n)-1] = #name #n
#define FOUR(name) NUMBERED(name, 1), NUMBERED(name, 2), NUMBERED(name, 3), NUMBERED(name, 4)
#define SIXTEEN(name)                                                                              \
    FOUR(name), NUMBERED(name, 5), NUMBERED(name, 6), NUMBERED(name, 7), NUMBERED(name, 8),        \
        NUMBERED(name, 9), NUMBERED(name, 10), NUMBERED(name, 11), NUMBERED(name, 12),             \
        NUMBERED(name, 13), NUMBERED(name, 14), NUMBERED(name, 15), NUMBERED(name, 16)
    ONE(ETMCR),
    ONE(ETMCCR),
    ONE(ETMTRIGGER),
    ONE(ETMSR),
    ONE(ETMSCR),
    ONE(ETMTSSCR),
    ONE(ETMTEEVR),
    ONE(ETMTECR1),
    SIXTEEN(ETMACVR),
    SIXTEEN(ETMACTR),
    FOUR(ETMCNTRLDVR),
    FOUR(ETMCNTENR),
    FOUR(ETMCNTRLDEVR),
    FOUR(ETMCNTVR),
    ONE(ETMSQ12EVR),
    ONE(ETMSQ21EVR),
    ONE(ETMSQ23EVR),
    ONE(ETMSQ31EVR),
    ONE(ETMSQ32EVR),
    ONE(ETMSQ13EVR),
    ONE(ETMSQR),
    NUMBERED(ETMCIDCVR, 1),
    NUMBERED(ETMCIDCVR, 2),
    NUMBERED(ETMCIDCVR, 3),
    ONE(ETMCIDCMR),
    ONE(ETMSYNCFR),
    ONE(ETMIDR),
    ONE(ETMCCER),
    ONE(ETMEXTINSELR),
    ONE(ETMTSEVR),
    ONE(ETMTRACEIDR),
    ONE(ETMVMIDCVR),
};

static const struct row *row_of(unsigned index)
{
    unsigned first = 0;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (index < first + rows[i].count)
            return &rows[i];
        first += rows[i].count;
    }
    return NULL;
}

const char *cairn_etm_register_name(unsigned index)
{
    return names[index];
}

/* The register at an offset of the memory map, written as 0x1e4. */
static unsigned find_offset(const char *text)
{
    char *end = NULL;
    const unsigned long offset = strtoul(text, &end, 16);
    unsigned first = 0;

    for (size_t i = 0; *end == '\0' && i < sizeof rows / sizeof rows[0]; i++) {
        const unsigned long size = 4ul * rows[i].count;

        if (offset % 4 == 0 && offset >= rows[i].offset && offset - rows[i].offset < size)
            return first + (unsigned)(offset - rows[i].offset) / 4;
        first += rows[i].count;
    }
    return CAIRN_ETM_COUNT;
}

unsigned cairn_etm_register_find(const char *name)
{
    if (name && strncasecmp(name, "0x", 2) == 0)
        return find_offset(name);
    for (unsigned i = 0; name && i < CAIRN_ETM_COUNT; i++)
        if (strcasecmp(names[i], name) == 0)
            return i;
    return CAIRN_ETM_COUNT;
}

cairn_status cairn_etm_registers_read(const struct cairn_etm_registers *registers, const char *name,
                                      uint64_t *value)
{
    const unsigned index = cairn_etm_register_find(name);

    if (index == CAIRN_ETM_COUNT)
        return CAIRN_E_NOT_FOUND;
    *value = registers->values[index];
    return CAIRN_OK;
}

cairn_status cairn_etm_registers_write(struct cairn_etm_registers *registers, const char *name,
                                       uint64_t value, bool built, struct cairn_error *error)
{
    const unsigned index = cairn_etm_register_find(name);
    const struct row *row;

    if (index == CAIRN_ETM_COUNT)
        return cairn_fail(error, CAIRN_E_NOT_FOUND, "the trace unit has no register %s",
                          name ? name : "(null)");
    row = row_of(index);
    if (row->access == CAIRN_ETM_STATUS || (row->access == CAIRN_ETM_BUILT && !built))
        return cairn_fail(error, CAIRN_E_CONFIG, "%s is read-only", names[index]);
    if (value & ~(uint64_t)row->mask)
        return cairn_fail(error, CAIRN_E_CONFIG,
                          "%s: 0x%" PRIx64 " has bits that the trace unit has not (it has 0x%08x)",
                          names[index], value, row->mask);
    registers->values[index] = (uint32_t)value;
    return CAIRN_OK;
}

/* The events of counters and the sequencer, of which 0 is one: single address 1. */
static bool is_moving(unsigned index)
{
    return (index >= CAIRN_ETM_ETMCNTENR && index <= CAIRN_ETM_ETMCNTRLDEVR_LAST) ||
           (index >= CAIRN_ETM_ETMSQ12EVR && index <= CAIRN_ETM_ETMSQ13EVR);
}

static bool is_listed(const struct cairn_etm_registers *registers, unsigned index)
{
    switch (index) {
    case CAIRN_ETM_ETMCR:
    case CAIRN_ETM_ETMIDR:
    case CAIRN_ETM_ETMCCER:
    case CAIRN_ETM_ETMTRACEIDR: return true; /* what a decoder reads, even where it is 0 */
    default: break;
    }
    if (row_of(index)->access >= CAIRN_ETM_STATUS)
        return false;
    if (is_moving(index))
        return registers->values[index] != CAIRN_ETM_NEVER;
    if (index >= CAIRN_ETM_ETMACTR && index <= CAIRN_ETM_ETMACTR_LAST &&
        registers->values[index - CAIRN_ETM_ETMACTR + CAIRN_ETM_ETMACVR] == 0 &&
        registers->values[index] == CAIRN_ETMACTR_EXECUTE)
        return false; /* a comparator that nobody uses */
    return registers->values[index] != 0;
}

cairn_status cairn_etm_registers_list(const struct cairn_etm_registers *registers, size_t index,
                                      struct cairn_register *value)
{
    for (unsigned i = 0; i < CAIRN_ETM_COUNT; i++) {
        if (!is_listed(registers, i) || index-- > 0)
            continue;
        *value = (struct cairn_register){.name = names[i], .value = registers->values[i]};
        return CAIRN_OK;
    }
    return CAIRN_E_NOT_FOUND;
}
