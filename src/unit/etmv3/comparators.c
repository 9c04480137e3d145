/* SPDX-License-Identifier: BSD-2-Clause */
/* Address, data value and context ID comparators (IHI0014 2.7, 2.8, 3.5.10, 3.5.11, 3.5.15). */
#include "unit/etmv3/comparators.h"

/* ETMACTR */
#define TYPE(control) ((control)&7u)
#define SIZE(control) ((control) >> 3 & 3u)
#define COMPARE(control) ((control) >> 5 & 3u)
#define CONTEXT(control) ((control) >> 8 & 3u)
#define SECURITY(control) ((control) >> 10 & 3u)

enum { /* TYPE */
       FETCH = 0,
       EXECUTE = 1,
       PASSED = 2,
       FAILED = 3,
       LOAD_OR_STORE = 4,
       LOAD = 5,
       STORE = 6,
};
enum { COMPARE_NONE = 0, COMPARE_EQUAL = 1, COMPARE_DIFFERENT = 3 };
enum { NONSECURE_ONLY = 1, SECURE_ONLY = 2 };
enum { SIZE_WORD = 3 };

#define MINOR_OVERLAP 1u /* from v3.1 an access matches by any of its bytes (2.7.2) */
#define MINOR_LANES 3u   /* from v3.3 a value is compared where it is (2.8.3) */

static uint32_t value_of(const struct cairn_etmv3_registers *registers, unsigned n)
{
    return registers->values[CAIRN_ETMV3_REG_ETMACVR + n];
}

static uint32_t control_of(const struct cairn_etmv3_registers *registers, unsigned n)
{
    return registers->values[CAIRN_ETMV3_REG_ETMACTR + n];
}

bool cairn_etmv3_context_matches(const struct cairn_etmv3_registers *registers, unsigned n,
                                 const struct cairn_context *context)
{
    const uint32_t ignored = registers->values[CAIRN_ETMV3_REG_ETMCIDCMR];

    return ((registers->values[CAIRN_ETMV3_REG_ETMCIDCVR + n] ^ context->context_id) & ~ignored) ==
           0;
}

/* The conditions of a comparator besides the address: security state and context ID. */
static bool qualifies(const struct cairn_etmv3_registers *registers, uint32_t control,
                      const struct cairn_context *context)
{
    const bool secure = context->security == CAIRN_SECURE;

    if ((SECURITY(control) == NONSECURE_ONLY && secure) ||
        (SECURITY(control) == SECURE_ONLY && !secure))
        return false;
    return CONTEXT(control) == 0 ||
           cairn_etmv3_context_matches(registers, CONTEXT(control) - 1, context);
}

static bool type_fits_instruction(uint32_t control, bool passed)
{
    switch (TYPE(control)) {
    case FETCH:
    case EXECUTE: return true;
    case PASSED: return passed;
    case FAILED: return !passed;
    default: return false;
    }
}

static bool type_fits_transfer(uint32_t control, bool store)
{
    switch (TYPE(control)) {
    case LOAD_OR_STORE: return true;
    case LOAD: return !store;
    case STORE: return store;
    default: return false;
    }
}

/* --- instructions --- */

static bool has_halves(const struct cairn_etmv3_registers *registers)
{
    return !(registers->values[CAIRN_ETMV3_REG_ETMIDR] & 1u << 18) &&
           cairn_etmv3_minor(registers) >= 2;
}

static bool instruction_is_at(const struct cairn_etmv3_registers *registers,
                              const struct cairn_etmv3_instruction *instruction, uint32_t address,
                              bool thumb)
{
    if (instruction->address == address)
        return true;
    return thumb && instruction->size == 4 && has_halves(registers) &&
           instruction->address + 2 == address;
}

uint16_t cairn_etmv3_match_instruction(const struct cairn_etmv3_registers *registers,
                                       const struct cairn_etmv3_instruction *instruction,
                                       const struct cairn_context *context)
{
    uint16_t matches = 0;

    for (unsigned n = 0; n < CAIRN_ETMV3_ADDRESSES; n++) {
        const uint32_t control = control_of(registers, n);

        if (type_fits_instruction(control, instruction->passed) &&
            instruction_is_at(registers, instruction, value_of(registers, n),
                              SIZE(control) != SIZE_WORD) &&
            qualifies(registers, control, context))
            matches |= (uint16_t)(1u << n);
    }
    return matches;
}

uint8_t cairn_etmv3_match_instruction_ranges(const struct cairn_etmv3_registers *registers,
                                             const struct cairn_etmv3_instruction *instruction,
                                             const struct cairn_context *context)
{
    uint8_t matches = 0;

    for (unsigned n = 0; n < CAIRN_ETMV3_RANGES; n++) {
        const uint32_t control = control_of(registers, 2 * n);

        if (type_fits_instruction(control, instruction->passed) &&
            instruction->address >= value_of(registers, 2 * n) &&
            instruction->address < value_of(registers, 2 * n + 1) &&
            qualifies(registers, control, context))
            matches |= (uint8_t)(1u << n);
    }
    return matches;
}

/* --- data --- */

static uint32_t replicate(uint32_t value, unsigned bytes)
{
    if (bytes == 1)
        return (value & 0xff) * 0x01010101u;
    return bytes == 2 ? (value & 0xffff) * 0x00010001u : value;
}

/* Of a word of the transfer: its value, where a comparator of `bytes` bytes at `offset` looks. */
static bool pick(const struct cairn_unit_transfer *transfer, uint32_t offset, uint32_t bytes,
                 uint32_t *value)
{
    const uint32_t size = transfer->bytes;

    if (offset > size || bytes > size - offset || offset % bytes != 0)
        return false;
    const uint32_t lane =
        transfer->flags & CAIRN_UNIT_DATA_BIG_ENDIAN ? size - offset - bytes : offset;
    *value = replicate((uint32_t)(transfer->value >> 8 * lane), bytes);
    return true;
}

/* The data value comparator that goes with address comparator `n`, if ETMACTR asks for one. */
static bool value_fits(const struct cairn_etmv3_registers *registers, unsigned n,
                       const struct cairn_unit_transfer *transfer)
{
    static const uint8_t bytes_by_size[] = {1, 2, 4, 4};
    const uint32_t control = control_of(registers, n);
    const uint32_t wanted = registers->values[CAIRN_ETMV3_REG_ETMDCVR + n / 2];
    const uint32_t ignored = registers->values[CAIRN_ETMV3_REG_ETMDCMR + n / 2];
    uint32_t value = (uint32_t)transfer->value;

    if (COMPARE(control) == COMPARE_NONE || n % 2 != 0)
        return true;
    if (transfer->flags & CAIRN_UNIT_DATA_NO_VALUE)
        return false;
    if (cairn_etmv3_minor(registers) >= MINOR_LANES &&
        !pick(transfer, value_of(registers, n) - (uint32_t)transfer->address,
              bytes_by_size[SIZE(control)], &value))
        return false;
    return (((value ^ wanted) & ~ignored) == 0) == (COMPARE(control) == COMPARE_EQUAL);
}

/* In a range the value is that of the transfer itself, which has the comparator's size (2.8.3). */
static bool range_value_fits(const struct cairn_etmv3_registers *registers, unsigned n,
                             const struct cairn_unit_transfer *transfer)
{
    static const uint8_t bytes_by_size[] = {1, 2, 4, 4};
    const uint32_t control = control_of(registers, n);
    const uint32_t wanted = registers->values[CAIRN_ETMV3_REG_ETMDCVR + n / 2];
    const uint32_t ignored = registers->values[CAIRN_ETMV3_REG_ETMDCMR + n / 2];
    uint32_t value = (uint32_t)transfer->value;

    if (COMPARE(control) == COMPARE_NONE)
        return true;
    if (transfer->flags & CAIRN_UNIT_DATA_NO_VALUE)
        return false;
    if (cairn_etmv3_minor(registers) >= MINOR_LANES) {
        if (transfer->bytes != bytes_by_size[SIZE(control)])
            return false;
        value = replicate(value, transfer->bytes);
    }
    return (((value ^ wanted) & ~ignored) == 0) == (COMPARE(control) == COMPARE_EQUAL);
}

/* Whether the transfer touches the bytes from `first` to `last`. */
static bool touches(const struct cairn_unit_transfer *transfer, uint32_t first, uint32_t last)
{
    const uint64_t begin = transfer->address & UINT32_MAX;

    return begin <= last && begin + transfer->bytes > first;
}

static bool address_fits(const struct cairn_etmv3_registers *registers, unsigned n,
                         const struct cairn_unit_transfer *transfer)
{
    const uint32_t masks[] = {0, 1, 3, 3}; /* by SIZE: address bits that are left out */
    const uint32_t mask = masks[SIZE(control_of(registers, n))];
    const uint32_t address = value_of(registers, n);

    if (cairn_etmv3_minor(registers) >= MINOR_OVERLAP)
        return touches(transfer, address, address + mask < address ? UINT32_MAX : address + mask);
    return (((uint32_t)transfer->address ^ address) & ~mask) == 0;
}

uint16_t cairn_etmv3_match_transfer(const struct cairn_etmv3_registers *registers,
                                    const struct cairn_unit_transfer *transfer,
                                    const struct cairn_context *context)
{
    const bool store = (transfer->flags & CAIRN_UNIT_DATA_STORE) != 0;
    uint16_t matches = 0;

    for (unsigned n = 0; n < CAIRN_ETMV3_ADDRESSES; n++) {
        const uint32_t control = control_of(registers, n);

        if (type_fits_transfer(control, store) && address_fits(registers, n, transfer) &&
            value_fits(registers, n, transfer) && qualifies(registers, control, context))
            matches |= (uint16_t)(1u << n);
    }
    return matches;
}

static bool is_in_range(const struct cairn_etmv3_registers *registers, unsigned n,
                        const struct cairn_unit_transfer *transfer)
{
    const uint32_t low = value_of(registers, 2 * n);
    const uint32_t high = value_of(registers, 2 * n + 1);
    const uint32_t address = (uint32_t)transfer->address;
    /* The last address of all is inside if the comparator says word (2.7.7). */
    const bool to_the_end =
        high == UINT32_MAX && SIZE(control_of(registers, 2 * n + 1)) == SIZE_WORD;

    if (high <= low)
        return false;
    if (cairn_etmv3_minor(registers) >= MINOR_OVERLAP)
        return touches(transfer, low, to_the_end ? high : high - 1);
    return address >= low && (address < high || to_the_end);
}

uint8_t cairn_etmv3_match_transfer_ranges(const struct cairn_etmv3_registers *registers,
                                          const struct cairn_unit_transfer *transfer,
                                          const struct cairn_context *context)
{
    const bool store = (transfer->flags & CAIRN_UNIT_DATA_STORE) != 0;
    uint8_t matches = 0;

    for (unsigned n = 0; n < CAIRN_ETMV3_RANGES; n++) {
        const uint32_t control = control_of(registers, 2 * n);

        if (type_fits_transfer(control, store) && is_in_range(registers, n, transfer) &&
            range_value_fits(registers, 2 * n, transfer) && qualifies(registers, control, context))
            matches |= (uint8_t)(1u << n);
    }
    return matches;
}
