/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow/fetch.h"

#include <cairn/flow.h>

#include <string.h>

enum { LONGEST = 4 }; /* bytes of an instruction */

void cairn_fetch_select(struct cairn_fetch *fetch, uint64_t number)
{
    const unsigned next = (unsigned)(number % CAIRN_FETCH_MEMORIES);
    struct cairn_fetch_memory *memory = &fetch->memories[next];

    fetch->memories[fetch->memory].last = fetch->window;
    if (memory->number != number)
        *memory = (struct cairn_fetch_memory){.number = number};
    fetch->memory = next;
    fetch->window = memory->last;
    fetch->absent_known = 0;
}

/* Points the window at `address`, which is not in it; false when nothing covers it. */
static bool fetch_find(struct cairn_fetch *fetch, uint64_t address)
{
    const unsigned slot = (unsigned)(address / LONGEST) % CAIRN_FETCH_ABSENT;
    const struct cairn_window before = fetch->window;
    struct cairn_window *const first = fetch->memories[fetch->memory].kept;
    struct cairn_window *kept;

    for (kept = first; kept < first + CAIRN_FETCH_KEPT; kept++)
        if (address - kept->address < kept->size) {
            fetch->window = *kept;
            *kept = before;
            return true;
        }
    if ((fetch->absent_known >> slot & 1) && fetch->absent[slot] == address)
        return false;
    if (!cairn_space_window(fetch->space, address, &fetch->window)) {
        fetch->window = before;
        fetch->absent[slot] = address;
        fetch->absent_known |= (uint8_t)(1u << slot);
        return false;
    }
    first[fetch->next_kept++ % CAIRN_FETCH_KEPT] = before;
    return true;
}

static inline bool fetch_look(struct cairn_fetch *fetch, uint64_t address)
{
    return address - fetch->window.address < fetch->window.size || fetch_find(fetch, address);
}

void cairn_fetch_reorder(enum cairn_isa isa, uint8_t *bytes, size_t size)
{
    const size_t unit = isa == CAIRN_ISA_T32 ? 2 : 4;

    for (size_t i = 0; i + unit <= size; i += unit)
        for (size_t k = 0; k < unit / 2; k++) {
            const uint8_t swap = bytes[i + k];

            bytes[i + k] = bytes[i + unit - 1 - k];
            bytes[i + unit - 1 - k] = swap;
        }
}

/* Byte by byte: at the end of a window, where an instruction may go on in another one. */
static unsigned fetch_slowly(struct cairn_fetch *fetch, enum cairn_isa isa, uint64_t address,
                             struct cairn_insn *insn)
{
    const uint64_t wrap = isa == CAIRN_ISA_A64 ? UINT64_MAX : UINT32_MAX;
    uint8_t bytes[LONGEST];
    enum cairn_order order = CAIRN_ORDER_LITTLE;
    size_t size = 0;

    while (size < LONGEST && fetch_look(fetch, (address + size) & wrap)) {
        bytes[size] = fetch->window.bytes[((address + size) & wrap) - fetch->window.address];
        order = fetch->window.order;
        size++;
    }
    if (order == CAIRN_ORDER_BE32)
        cairn_fetch_reorder(isa, bytes, size);
    return cairn_insn_decode(&fetch->arch, isa, address, bytes, size, insn);
}

unsigned cairn_fetch_insn(struct cairn_fetch *fetch, enum cairn_isa isa, uint64_t address,
                          struct cairn_insn *insn)
{
    if (!fetch_look(fetch, address))
        return fetch_slowly(fetch, isa, address, insn);
    const uint64_t at = address - fetch->window.address;

    if (fetch->window.size - at >= LONGEST && fetch->window.order != CAIRN_ORDER_BE32)
        return cairn_insn_decode(&fetch->arch, isa, address, fetch->window.bytes + at, LONGEST,
                                 insn);
    return fetch_slowly(fetch, isa, address, insn);
}

bool cairn_fetch_is(const struct cairn_fetch *fetch, uint64_t address, uint32_t opcode)
{
    const struct cairn_window *const window = &fetch->window;
    const uint64_t at = address - window->address;

    if (at >= window->size || window->size - at < LONGEST || window->order == CAIRN_ORDER_BE32)
        return false;
    const uint8_t *const bytes = window->bytes + at;
    return (bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
            (uint32_t)bytes[3] << 24) == opcode;
}

bool cairn_space_insn(const struct cairn_space *space, const struct cairn_arch *arch,
                      enum cairn_isa isa, uint64_t address, struct cairn_insn *insn)
{
    struct cairn_fetch fetch = {.space = space, .arch = *arch};

    return cairn_fetch_insn(&fetch, isa, address, insn) != 0;
}
