/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks of branch records, youngest first (DDI0608 F1.1.11), and as perf_branch_entry of Linux. */
#include "protocol/brbe/brbe.h"

size_t cairn_branch_stack(const struct cairn_branch_registers *registers, size_t count,
                          struct cairn_branch *branches, uint32_t *findings)
{
    const size_t size = branches && count ? branches->size : 0;
    uint32_t all = 0;
    size_t valid = 0;

    if (size < sizeof size || !registers)
        return 0;
    for (size_t i = 0; i < count; i++) {
        struct cairn_branch one = {.size = sizeof one};
        uint32_t found;

        if (cairn_branch_decode(&registers[i], &one, &found) != CAIRN_OK)
            return 0;
        all |= found;
        if (!(one.flags & CAIRN_BRANCH_BOTH))
            continue;
        if (valid < i) {
            all |= CAIRN_BRANCH_BAD_HOLE;
            continue;
        }
        struct cairn_branch *branch = cairn_branch_at(branches, i);
        branch->size = size;
        if (cairn_branch_decode(&registers[i], branch, NULL) != CAIRN_OK)
            return 0;
        valid++;
    }
    if (findings)
        *findings = all;
    return valid;
}

size_t cairn_branch_mark_rolled_back(struct cairn_branch *branches, size_t count)
{
    size_t marked = 0;
    bool failed = false; /* a failure came behind the record that is next */

    if (!branches || branches->size < sizeof *branches)
        return 0;
    for (size_t i = 0; i < count; i++) {
        struct cairn_branch *branch = cairn_branch_at(branches, i);

        if (failed && (branch->flags & CAIRN_BRANCH_TRANSACTIONAL)) {
            branch->flags |= CAIRN_BRANCH_POSSIBLY_ROLLED_BACK;
            marked++;
        } else
            failed = false;
        failed |= (branch->flags & CAIRN_BRANCH_LAST_FAILED) != 0;
    }
    return marked;
}

/* PERF_BR_..., and PERF_BR_NEW_... where that is PERF_BR_EXTEND_ABI. */
enum {
    UNKNOWN = 0,
    COND = 1,
    UNCOND = 2,
    IND = 3,
    CALL = 4,
    IND_CALL = 5,
    RET = 6,
    SYSCALL = 7,
    ERET = 11,
    IRQ = 12,
    SERROR = 13,
    EXTEND_ABI = 15,
};
enum {
    FAULT_ALGN = 0,
    FAULT_DATA = 1,
    FAULT_INST = 2,
    ARM64_FIQ = 3,
    ARM64_DEBUG_HALT = 4,
    ARM64_DEBUG_EXIT = 5,
    ARM64_DEBUG_INST = 6,
    ARM64_DEBUG_DATA = 7,
};
enum { PRIV_UNKNOWN = 0, PRIV_USER = 1, PRIV_KERNEL = 2, PRIV_HV = 3 };

#define ENTRY_CYCLES_MOST 0xffffu

/* A trap is an IRQ to Linux's driver, which knows no better. */
static void set_type(struct cairn_branch_entry *entry, unsigned type)
{
    static const struct {
        uint8_t type, new_type;
    } map[1 << CAIRN_BRBINF_TYPE_BITS] = {
        [CAIRN_BRANCH_DIRECT] = {UNCOND, 0},
        [CAIRN_BRANCH_INDIRECT] = {IND, 0},
        [CAIRN_BRANCH_DIRECT_CALL] = {CALL, 0},
        [CAIRN_BRANCH_INDIRECT_CALL] = {IND_CALL, 0},
        [CAIRN_BRANCH_RETURN] = {RET, 0},
        [CAIRN_BRANCH_EXCEPTION_RETURN] = {ERET, 0},
        [CAIRN_BRANCH_CONDITIONAL] = {COND, 0},
        [CAIRN_BRANCH_CALL] = {SYSCALL, 0},
        [CAIRN_BRANCH_TRAP] = {IRQ, 0},
        [CAIRN_BRANCH_IRQ] = {IRQ, 0},
        [CAIRN_BRANCH_SYSTEM_ERROR] = {SERROR, 0},
        [CAIRN_BRANCH_ALIGNMENT] = {EXTEND_ABI, FAULT_ALGN},
        [CAIRN_BRANCH_DATA_FAULT] = {EXTEND_ABI, FAULT_DATA},
        [CAIRN_BRANCH_INST_FAULT] = {EXTEND_ABI, FAULT_INST},
        [CAIRN_BRANCH_FIQ] = {EXTEND_ABI, ARM64_FIQ},
        [CAIRN_BRANCH_DEBUG_HALT] = {EXTEND_ABI, ARM64_DEBUG_HALT},
        [CAIRN_BRANCH_DEBUG_EXIT] = {EXTEND_ABI, ARM64_DEBUG_EXIT},
        [CAIRN_BRANCH_INST_DEBUG] = {EXTEND_ABI, ARM64_DEBUG_INST},
        [CAIRN_BRANCH_DATA_DEBUG] = {EXTEND_ABI, ARM64_DEBUG_DATA},
    };

    entry->type = map[type].type;
    entry->new_type = map[type].new_type;
}

static uint8_t privilege(const struct cairn_branch *branch, uint32_t options)
{
    if (!(branch->flags & CAIRN_BRANCH_TARGET))
        return PRIV_UNKNOWN;
    switch (branch->EL) {
    case 0: return PRIV_USER;
    case 1: return PRIV_KERNEL;
    case 2: return options & CAIRN_BRANCH_KERNEL_AT_EL2 ? PRIV_KERNEL : PRIV_HV;
    default: return PRIV_UNKNOWN; /* perf has no word for EL3 */
    }
}

static struct cairn_branch_entry entry_of(const struct cairn_branch *branch, uint32_t options)
{
    struct cairn_branch_entry entry = {.priv = privilege(branch, options)};
    const uint64_t cycles = branch->flags & CAIRN_BRANCH_CYCLES_UNKNOWN ? 0 : branch->cycles;

    set_type(&entry, branch->type);
    if (branch->flags & CAIRN_BRANCH_SOURCE) {
        entry.from = branch->source;
        entry.flags |= branch->flags & CAIRN_BRANCH_MISPREDICTED ? CAIRN_BRANCH_ENTRY_MISPRED
                                                                 : CAIRN_BRANCH_ENTRY_PREDICTED;
    }
    if (branch->flags & CAIRN_BRANCH_TARGET)
        entry.to = branch->target;
    if (branch->flags & CAIRN_BRANCH_TRANSACTIONAL)
        entry.flags |= CAIRN_BRANCH_ENTRY_IN_TX;
    entry.cycles = (uint16_t)(cycles < ENTRY_CYCLES_MOST ? cycles : ENTRY_CYCLES_MOST);
    if (cycles > ENTRY_CYCLES_MOST)
        entry.flags |= CAIRN_BRANCH_ENTRY_SATURATED;
    return entry;
}

cairn_status cairn_branch_entries(const struct cairn_branch *branches, size_t count,
                                  uint32_t options, struct cairn_branch_entry *entries)
{
    if (count == 0)
        return CAIRN_OK;
    if (!branches || !entries || branches->size < sizeof *branches ||
        (options & ~CAIRN_BRANCH_KERNEL_AT_EL2))
        return CAIRN_E_ARGUMENT;
    for (size_t i = 0; i < count; i++)
        if (((const struct cairn_branch *)(const void *)((const char *)branches +
                                                         i * branches->size))
                ->type >= 1u << CAIRN_BRBINF_TYPE_BITS)
            return CAIRN_E_ARGUMENT;
    for (size_t i = 0; i < count; i++)
        entries[i] = entry_of((const void *)((const char *)branches + i * branches->size), options);
    return CAIRN_OK;
}

uint64_t cairn_branch_entry_word(const struct cairn_branch_entry *entry)
{
    const uint64_t bits =
        entry->flags & (CAIRN_BRANCH_ENTRY_MISPRED | CAIRN_BRANCH_ENTRY_PREDICTED |
                        CAIRN_BRANCH_ENTRY_IN_TX | CAIRN_BRANCH_ENTRY_ABORT);

    return bits | (uint64_t)entry->cycles << 4 | (uint64_t)(entry->type & 0xf) << 20 |
           (uint64_t)(entry->spec & 3) << 24 | (uint64_t)(entry->new_type & 0xf) << 26 |
           (uint64_t)(entry->priv & 7) << 30;
}
