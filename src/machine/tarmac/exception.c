/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine/tarmac/exception.h"

#include <string.h>
#include <strings.h>

#include "machine/classes.h"

#define SPSR_T (1u << 5)
#define SPSR_AARCH32 (1u << 4)

/* --- events --- */

static bool contains(const struct cairn_tarmac_record *record, const char *word)
{
    const size_t size = strlen(word);

    for (size_t i = 0; i + size <= record->name_size; i++) {
        if (!strncasecmp(record->name + i, word, size))
            return true;
    }
    return false;
}

/* An offset in a vector table. AArch64's entries are 0x80 apart, AArch32's 4. */
static enum cairn_tarmac_cause vector_cause(uint64_t offset, bool *to_a32)
{
    static const uint8_t a64[4] = {CAIRN_TARMAC_SYNC, CAIRN_TARMAC_IRQ, CAIRN_TARMAC_FIQ,
                                   CAIRN_TARMAC_SERROR};
    static const uint8_t a32[8] = {CAIRN_TARMAC_RESET,    CAIRN_TARMAC_UNDEFINED, CAIRN_TARMAC_CALL,
                                   CAIRN_TARMAC_PREFETCH, CAIRN_TARMAC_DATA,      CAIRN_TARMAC_SYNC,
                                   CAIRN_TARMAC_IRQ,      CAIRN_TARMAC_FIQ};

    *to_a32 = offset < 0x20;
    return *to_a32 ? a32[offset >> 2] : a64[offset >> 7 & 3];
}

enum cairn_tarmac_cause cairn_tarmac_cause(const struct cairn_tarmac_record *record, bool *to_a32)
{
    static const struct {
        const char *word;
        uint8_t cause;
        bool to_a32;
    } words[] = {
        /* The first that occurs decides: "asynchronous" has "sync" in it. */
        {"ModeChange", CAIRN_TARMAC_NO_CAUSE, false},
        {"Spotted", CAIRN_TARMAC_NO_CAUSE, false},
        {"DebugEvent", CAIRN_TARMAC_NO_CAUSE, false},
        {"Reset", CAIRN_TARMAC_RESET, false},
        {"SError", CAIRN_TARMAC_SERROR, false},
        {"System Error", CAIRN_TARMAC_SERROR, false},
        {"async", CAIRN_TARMAC_SERROR, false},
        {"IRQ", CAIRN_TARMAC_IRQ, false},
        {"FIQ", CAIRN_TARMAC_FIQ, false},
        {"sync", CAIRN_TARMAC_SYNC, false},
        {"SWI", CAIRN_TARMAC_CALL, true},
        {"SVC", CAIRN_TARMAC_CALL, true},
        {"Supervisor", CAIRN_TARMAC_CALL, true},
        {"HVC", CAIRN_TARMAC_CALL, true},
        {"SMC", CAIRN_TARMAC_CALL, true},
        {"Undef", CAIRN_TARMAC_UNDEFINED, true},
        {"Prefetch", CAIRN_TARMAC_PREFETCH, true},
        {"DataAbort", CAIRN_TARMAC_DATA, true},
        {"Data Abort", CAIRN_TARMAC_DATA, true},
        {"Hyp", CAIRN_TARMAC_SYNC, true},
    };

    *to_a32 = false;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (contains(record, words[i].word)) {
            *to_a32 = words[i].to_a32;
            return words[i].cause;
        }
    }
    if (record->is_vector)
        return vector_cause(record->value, to_a32);
    /* Fast Models number the entries of AArch64's table from 0x80. */
    if (record->has_value && record->value >= 0x80 && record->value < 0x90)
        return vector_cause((record->value - 0x80) << 7 | 0x800, to_a32);
    return CAIRN_TARMAC_NO_CAUSE;
}

/* --- registers --- */

bool cairn_tarmac_register_is(const struct cairn_tarmac_record *record, const char *name)
{
    return strlen(name) == record->name_size && !strncasecmp(record->name, name, record->name_size);
}

/* "ESR_EL2": 2; 0 when it is another register. */
static uint8_t banked_by_level(const struct cairn_tarmac_record *record, const char *prefix)
{
    const size_t size = strlen(prefix);

    if (record->name_size != size + 1 || strncasecmp(record->name, prefix, size))
        return 0;
    const char level = record->name[size];
    return level >= '1' && level <= '3' ? (uint8_t)(level - '0') : 0;
}

static bool is_link(const struct cairn_tarmac_record *record)
{
    static const char modes[][4] = {"svc", "abt", "und", "irq", "fiq", "mon"};
    size_t head;

    if (record->name_size >= 7 && !strncasecmp(record->name, "r14_", 4))
        head = 4;
    else if (record->name_size >= 6 && !strncasecmp(record->name, "lr_", 3))
        head = 3;
    else
        return false;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (!strncasecmp(record->name + head, modes[i], 3))
            return true;
    }
    return false;
}

void cairn_tarmac_exception_register(struct cairn_tarmac_exception *exception,
                                     const struct cairn_tarmac_record *record)
{
    uint8_t level;

    if (!record->has_value || !record->name_size || !strchr("EeRrLlHhSs", *record->name))
        return;
    if (banked_by_level(record, "ELR_EL") || cairn_tarmac_register_is(record, "ELR_hyp")) {
        exception->elr = record->value;
        exception->has_elr = true;
    } else if ((level = banked_by_level(record, "ESR_EL")) != 0) {
        exception->esr = record->value;
        exception->esr_el = level;
        exception->has_esr = true;
    } else if (cairn_tarmac_register_is(record, "HSR")) {
        exception->esr = record->value;
        exception->esr_el = 2;
        exception->has_esr = exception->to_a32 = true;
    } else if (is_link(record)) {
        exception->link = record->value;
        exception->has_link = true;
    } else if (record->name_size > 5 && !strncasecmp(record->name, "SPSR_", 5)) {
        exception->spsr = record->value;
        exception->has_spsr = true;
    }
}

/* --- instructions --- */

bool cairn_tarmac_is_call(uint8_t isa, uint32_t opcode)
{
    switch (isa) {
    case CAIRN_ISA_A64: return (opcode & 0xffe0001cu) == 0xd4000000u && (opcode & 3u) != 0;
    case CAIRN_ISA_A32:
        if (opcode >> 28 == 0xf)
            return false;
        return (opcode & 0x0f000000u) == 0x0f000000u || (opcode & 0x0ff000f0u) == 0x01400070u ||
               (opcode & 0x0ff000f0u) == 0x01600070u;
    case CAIRN_ISA_T32:
        return (opcode & 0xffffff00u) == 0xdf00u || (opcode & 0xfff0f000u) == 0xf7e08000u ||
               (opcode & 0xfff0f000u) == 0xf7f08000u;
    default: return false;
    }
}

static bool is_breakpoint(uint8_t isa, uint32_t opcode)
{
    switch (isa) {
    case CAIRN_ISA_A64: return (opcode & 0xffe0001fu) == 0xd4200000u;
    case CAIRN_ISA_A32: return (opcode & 0xfff000f0u) == 0xe1200070u;
    case CAIRN_ISA_T32: return (opcode & 0xffffff00u) == 0xbe00u;
    default: return false;
    }
}

/* --- resolving --- */

static bool is_asynchronous(uint8_t cause)
{
    return cause == CAIRN_TARMAC_IRQ || cause == CAIRN_TARMAC_FIQ || cause == CAIRN_TARMAC_SERROR;
}

/* How far r14 is beyond the preferred return address. */
static uint64_t link_offset(uint8_t cause, uint8_t isa)
{
    switch (cause) {
    case CAIRN_TARMAC_IRQ:
    case CAIRN_TARMAC_FIQ:
    case CAIRN_TARMAC_PREFETCH: return 4;
    case CAIRN_TARMAC_DATA:
    case CAIRN_TARMAC_SERROR: return 8;
    case CAIRN_TARMAC_UNDEFINED: return isa == CAIRN_ISA_T32 ? 2 : 4;
    default: return 0;
    }
}

/* The address in the event's own line: of the instruction for synchronous exceptions, calls
 * included, and of the one that would have been next for interrupts. */
static uint64_t return_address(const struct cairn_tarmac_exception *e,
                               const struct cairn_tarmac_before *before)
{
    const bool here = before->exists && e->address == before->address;

    if (is_asynchronous(e->cause) || !here || e->cause == CAIRN_TARMAC_UNDEFINED)
        return e->address;
    return cairn_tarmac_is_call(before->isa, before->opcode) && !before->aborted
               ? e->address + before->size
               : e->address;
}

/* No register and no line tells: from the kind of exception. */
static bool guess(const struct cairn_tarmac_exception *e, const struct cairn_tarmac_before *before,
                  uint64_t *address)
{
    if (!before->exists)
        return false;
    *address = before->address;
    if (!before->size)
        return true;
    if (is_asynchronous(e->cause) || e->cause == CAIRN_TARMAC_PREFETCH) {
        *address = before->next;
        return before->has_next;
    }
    if ((e->cause == CAIRN_TARMAC_CALL || e->cause == CAIRN_TARMAC_SYNC) &&
        cairn_tarmac_is_call(before->isa, before->opcode))
        *address += before->size;
    return true;
}

/* Of a synchronous exception whose class is not shown. */
static uint8_t likely_type(const struct cairn_tarmac_exception *e,
                           const struct cairn_tarmac_before *before,
                           const struct cairn_tarmac_outcome *out)
{
    if (!before->exists)
        return CAIRN_EXCEPTION_INST_FAULT; /* straight after an exception: the fetch failed */
    if (cairn_tarmac_is_call(before->isa, before->opcode) && out->executed &&
        (!out->has_address || out->address == before->address + before->size))
        return CAIRN_EXCEPTION_CALL;
    if (out->executed || !before->size)
        return CAIRN_EXCEPTION_INST_FAULT; /* of the instruction that was to follow */
    if (before->aborted)
        return CAIRN_EXCEPTION_DATA_FAULT;
    if (is_breakpoint(before->isa, before->opcode))
        return e->to_a32 ? CAIRN_EXCEPTION_INST_FAULT : CAIRN_EXCEPTION_INST_DEBUG;
    return CAIRN_EXCEPTION_TRAP;
}

static uint8_t type_of(const struct cairn_tarmac_exception *e,
                       const struct cairn_tarmac_before *before,
                       const struct cairn_tarmac_outcome *out)
{
    switch (e->cause) {
    case CAIRN_TARMAC_RESET: return CAIRN_EXCEPTION_PE_RESET;
    case CAIRN_TARMAC_IRQ: return CAIRN_EXCEPTION_IRQ;
    case CAIRN_TARMAC_FIQ: return CAIRN_EXCEPTION_FIQ;
    case CAIRN_TARMAC_SERROR: return CAIRN_EXCEPTION_SYSTEM_ERROR;
    case CAIRN_TARMAC_CALL: return out->executed ? CAIRN_EXCEPTION_CALL : CAIRN_EXCEPTION_TRAP;
    case CAIRN_TARMAC_UNDEFINED: return CAIRN_EXCEPTION_TRAP;
    case CAIRN_TARMAC_PREFETCH: return CAIRN_EXCEPTION_INST_FAULT;
    case CAIRN_TARMAC_DATA: return CAIRN_EXCEPTION_DATA_FAULT;
    default:
        return e->has_esr ? cairn_exception_of_class(e->esr >> 26 & 0x3f, e->esr_el, out->executed,
                                                     e->to_a32)
                          : likely_type(e, before, out);
    }
}

void cairn_tarmac_exception_resolve(const struct cairn_tarmac_exception *exception,
                                    const struct cairn_tarmac_before *before,
                                    struct cairn_tarmac_outcome *outcome)
{
    struct cairn_tarmac_outcome out = {.isa = before->isa};

    if (exception->cause == CAIRN_TARMAC_RESET) {
        out.type = CAIRN_EXCEPTION_PE_RESET;
        out.executed = before->exists && before->size && !before->aborted;
        *outcome = out;
        return;
    }
    if (exception->has_spsr)
        out.isa = !(exception->spsr & SPSR_AARCH32) ? CAIRN_ISA_A64
                  : exception->spsr & SPSR_T        ? CAIRN_ISA_T32
                                                    : CAIRN_ISA_A32;
    out.has_address = true;
    if (exception->has_elr)
        out.address = exception->elr;
    else if (exception->has_link)
        out.address = exception->link - link_offset(exception->cause, out.isa);
    else if (exception->has_address)
        out.address = return_address(exception, before);
    else
        out.has_address = guess(exception, before, &out.address);
    if (out.isa != CAIRN_ISA_A64)
        out.address &= UINT32_MAX;
    /* Execution goes on at the instruction itself: it was not executed, unless it is a branch that
     * leads there and the exception is not its own. */
    out.executed = before->exists && before->size;
    if (out.has_address && out.address == before->address &&
        !(is_asynchronous(exception->cause) && before->may_stay))
        out.executed = false;
    out.type = type_of(exception, before, &out);
    *outcome = out;
}
