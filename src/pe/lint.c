/* SPDX-License-Identifier: BSD-2-Clause */
/* What is wrong with the programming of a PE's System registers: the Trace Buffer Unit's (DDI0608 part E)
 * and the Branch Record Buffer's (part F). The trace unit's own rules are in src/unit/lint. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "pe/fields.h"
#include "pe/sysreg.h"
#include "unit/fields/fields.h"

#define TEXT_MOST 256u
#define TYPES 22, 17 /* of BRBFCR_EL1: CONDDIR to DIRECT */
#define BRBCR_LEVELS 1, 0

struct pe_lint_rule;

struct pe_lint_run {
    const struct cairn_register *registers;
    size_t count;
    const char *unit;
    cairn_lint_tell *tell;
    void *context;
    const struct pe_lint_rule *rule;
};

struct pe_lint_rule {
    const char *code, *requirement;
    enum cairn_lint_severity severity;
    void (*check)(struct pe_lint_run *run);
    const char *meaning, *remedy, *example;
};

static void say(struct pe_lint_run *run, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void say(struct pe_lint_run *run, const char *name, const char *format, ...)
{
    char text[TEXT_MOST];
    va_list arguments;
    struct cairn_lint_finding finding = {.size = sizeof finding,
                                         .code = run->rule->code,
                                         .requirement = run->rule->requirement,
                                         .severity = run->rule->severity,
                                         .unit = run->unit,
                                         .name = name,
                                         .what = text,
                                         .remedy = run->rule->remedy};

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    run->tell(run->context, &finding);
}

/* The last of that name counts. False: it is not given, and *value is 0. */
static bool get(const struct pe_lint_run *run, enum cairn_pe_register reg, uint64_t *value)
{
    *value = 0;
    for (size_t i = run->count; i > 0; i--) {
        const struct cairn_pe_sysreg_place place =
            cairn_pe_sysreg_named(run->registers[i - 1].name);

        if (!place.sysreg || cairn_pe_sysreg_slot(place) != reg)
            continue;
        *value = run->registers[i - 1].value;
        return true;
    }
    return false;
}

static uint64_t value_of(const struct pe_lint_run *run, enum cairn_pe_register reg)
{
    uint64_t value;

    (void)get(run, reg, &value);
    return value;
}

/* --- all --- */

static void check_bits(struct pe_lint_run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        const struct cairn_pe_sysreg_place place = cairn_pe_sysreg_named(run->registers[i].name);
        char name[CAIRN_PE_SYSREG_NAME];
        uint64_t reserved;

        if (!place.sysreg || place.sysreg->is_host || !(place.sysreg->access & CAIRN_PE_CAN_WRITE))
            continue;
        reserved = run->registers[i].value & ~place.sysreg->bits;
        if (!reserved)
            continue;
        cairn_pe_sysreg_name(place, name);
        say(run, name, "it is 0x%" PRIx64 ", but bits 0x%" PRIx64 " are reserved",
            run->registers[i].value, reserved);
    }
}

/* --- the Trace Buffer Unit --- */

static bool is_enabled(const struct pe_lint_run *run)
{
    return CAIRN_GET(value_of(run, CAIRN_PE_TRBLIMITR_EL1), TRBLIMITR_E);
}

/* What of it is given: base and limit; false: not both. */
static bool find_extent(const struct pe_lint_run *run, uint64_t *base, uint64_t *limit)
{
    const bool has_base = get(run, CAIRN_PE_TRBBASER_EL1, base);
    const bool has_limit = get(run, CAIRN_PE_TRBLIMITR_EL1, limit);

    *base &= CAIRN_MASK(TRBBASER_BASE);
    *limit &= CAIRN_MASK(TRBLIMITR_LIMIT);
    return has_base && has_limit;
}

static bool is_empty(uint64_t base, uint64_t limit)
{
    return base >= limit || base >> 56 != limit >> 56;
}

static void check_extent(struct pe_lint_run *run)
{
    uint64_t base, limit;

    if (find_extent(run, &base, &limit) && is_empty(base, limit))
        say(run, "TRBLIMITR_EL1",
            "the buffer has no room: its limit 0x%" PRIx64 " is not above its base 0x%" PRIx64
            ", or their bits 63:56 differ: any pointer is out of range",
            limit, base);
}

static void check_pointer(struct pe_lint_run *run)
{
    uint64_t base, limit, pointer;

    if (!find_extent(run, &base, &limit) || is_empty(base, limit) || !is_enabled(run) ||
        !get(run, CAIRN_PE_TRBPTR_EL1, &pointer) ||
        (pointer >= base && pointer < limit && pointer >> 56 == base >> 56))
        return;
    say(run, "TRBPTR_EL1",
        "it is 0x%" PRIx64 ", and the buffer 0x%" PRIx64 " up to 0x%" PRIx64
        ": trace may be written anywhere",
        pointer, base, limit);
}

static void check_alignment(struct pe_lint_run *run)
{
    static const struct {
        enum cairn_pe_register reg;
        const char *name;
    } pointers[] = {{CAIRN_PE_TRBPTR_EL1, "TRBPTR_EL1"}, {CAIRN_PE_TRBTRG_EL1, "TRBTRG_EL1"}};
    uint64_t identity;

    if (!get(run, CAIRN_PE_TRBIDR_EL1, &identity))
        return;
    const uint64_t align = UINT64_C(1) << CAIRN_GET(identity, TRBIDR_ALIGN);
    for (size_t i = 0; i < sizeof pointers / sizeof pointers[0]; i++) {
        const uint64_t value = value_of(run, pointers[i].reg);

        if (value % align)
            say(run, pointers[i].name,
                "it is 0x%" PRIx64 ", and no multiple of %" PRIu64 " (TRBIDR_EL1.Align)", value,
                align);
    }
}

static void check_stopped(struct pe_lint_run *run)
{
    if (is_enabled(run) && CAIRN_GET(value_of(run, CAIRN_PE_TRBSR_EL1), TRBSR_S))
        say(run, "TRBSR_EL1",
            "S is 1 and TRBLIMITR_EL1.E is 1: collection is stopped, and all trace is "
            "thrown away");
}

static void check_address(struct pe_lint_run *run)
{
    static const struct {
        enum cairn_pe_register reg;
        const char *name;
    } pointers[] = {{CAIRN_PE_TRBBASER_EL1, "TRBBASER_EL1"},
                    {CAIRN_PE_TRBPTR_EL1, "TRBPTR_EL1"},
                    {CAIRN_PE_TRBLIMITR_EL1, "TRBLIMITR_EL1"}};

    if (!CAIRN_GET(value_of(run, CAIRN_PE_TRBLIMITR_EL1), TRBLIMITR_nVM))
        return;
    for (size_t i = 0; i < sizeof pointers / sizeof pointers[0]; i++) {
        const uint64_t value = value_of(run, pointers[i].reg);

        if (value >> 52)
            say(run, pointers[i].name,
                "it is 0x%" PRIx64 ", and TRBLIMITR_EL1.nVM is 1: no physical address is so large",
                value);
    }
}

static void check_attributes(struct pe_lint_run *run)
{
    uint64_t attributes;

    if (!CAIRN_GET(value_of(run, CAIRN_PE_TRBLIMITR_EL1), TRBLIMITR_nVM) ||
        !get(run, CAIRN_PE_TRBMAR_EL1, &attributes) || CAIRN_GET(attributes, TRBMAR_ATTR) >> 4)
        return;
    say(run, "TRBMAR_EL1",
        "Attr (bits 7:0) is 0x%" PRIx64
        ", Device memory, and TRBLIMITR_EL1.nVM is 1: each write of trace goes out by itself",
        CAIRN_GET(attributes, TRBMAR_ATTR));
}

/* Which level takes TRBIRQ, an interrupt of the PE itself (a PPI) that is an IRQ: by SCR_EL3.IRQ EL3, by HCR_EL2.IMO or TGE
 * EL2, else EL1. A hypervisor may take it for a guest that owns the buffer. */
static void check_interrupt(struct pe_lint_run *run)
{
    uint64_t SCR, HCR, MDCR;
    const bool is_of_host =
        get(run, CAIRN_PE_MDCR_EL2, &MDCR) && CAIRN_GET(MDCR, MDCR_EL2_E2TB) == 0;

    if (!is_enabled(run))
        return;
    if (get(run, CAIRN_PE_SCR_EL3, &SCR) && CAIRN_GET(SCR, SCR_EL3_IRQ))
        say(run, "SCR_EL3",
            "IRQ (bit 1) is 1: EL3 takes the buffer's interrupt, and never owns it");
    else if (is_of_host && get(run, CAIRN_PE_HCR_EL2, &HCR) && !CAIRN_GET(HCR, HCR_EL2_IMO) &&
             !CAIRN_GET(HCR, HCR_EL2_TGE))
        say(run, "HCR_EL2",
            "IMO and TGE are 0: EL1 takes the buffer's interrupt, and by MDCR_EL2.E2TB EL2 owns it");
}

/* --- the Branch Record Buffer --- */

static void check_types(struct pe_lint_run *run)
{
    const uint64_t EL1 = value_of(run, CAIRN_PE_BRBCR_EL1), EL2 = value_of(run, CAIRN_PE_BRBCR_EL2);
    uint64_t filter;

    if (!get(run, CAIRN_PE_BRBFCR_EL1, &filter))
        return;
    if (CAIRN_GET(filter, TYPES) !=
        (CAIRN_GET(filter, BRBFCR_EnI) ? CAIRN_GET(~UINT64_C(0), TYPES) : 0))
        return;
    if (CAIRN_GET(EL1 | EL2, BRBCR_EXCEPTION) || CAIRN_GET(EL1 | EL2, BRBCR_ERTN))
        return; /* those alone may be what is wanted: kernel calls */
    say(run, "BRBFCR_EL1", "%s, and BRBCR_ELx have neither EXCEPTION nor ERTN: nothing is recorded",
        CAIRN_GET(filter, BRBFCR_EnI) ? "EnI is 1, and all types are left out"
                                      : "EnI is 0, and no type is chosen");
}

static void check_levels(struct pe_lint_run *run)
{
    const uint64_t EL2 = value_of(run, CAIRN_PE_BRBCR_EL2);
    uint64_t EL1, filter, control;
    const bool has_filter = get(run, CAIRN_PE_BRBFCR_EL1, &filter);

    if (!get(run, CAIRN_PE_BRBCR_EL1, &EL1) && !EL2)
        return;
    if (CAIRN_GET(EL1 | EL2, BRBCR_LEVELS)) {
        if (get(run, CAIRN_PE_MDCR_EL3, &control) && !CAIRN_GET(control, MDCR_EL3_SBRBE))
            say(run, "MDCR_EL3",
                "SBRBE (bits 33:32) is 0: EL0, EL1 and EL2 are prohibited in all "
                "Security states");
    } else if (EL1 || EL2 || (has_filter && filter)) {
        say(run, EL1 || !EL2 ? "BRBCR_EL1" : "BRBCR_EL2",
            "no Exception level is recorded: E0BRE and E1BRE are 0, and so are E0HBRE and E2BRE of "
            "BRBCR_EL2");
    }
}

static void check_paused(struct pe_lint_run *run)
{
    if (CAIRN_GET(value_of(run, CAIRN_PE_BRBFCR_EL1), BRBFCR_PAUSED) &&
        CAIRN_GET(value_of(run, CAIRN_PE_BRBCR_EL1) | value_of(run, CAIRN_PE_BRBCR_EL2),
                  BRBCR_LEVELS))
        say(run, "BRBFCR_EL1", "PAUSED is 1: nothing is recorded");
}

static void check_both(struct pe_lint_run *run)
{
    uint64_t EL1, EL2;

    if (!get(run, CAIRN_PE_BRBCR_EL1, &EL1) || !get(run, CAIRN_PE_BRBCR_EL2, &EL2))
        return;
    if (CAIRN_GET(EL1 ^ EL2, BRBCR_CC))
        say(run, CAIRN_GET(EL1, BRBCR_CC) ? "BRBCR_EL2" : "BRBCR_EL1",
            "CC is 0, and 1 in the other one: no record has a cycle count");
    if (CAIRN_GET(EL1 ^ EL2, BRBCR_MPRED))
        say(run, CAIRN_GET(EL1, BRBCR_MPRED) ? "BRBCR_EL2" : "BRBCR_EL1",
            "MPRED is 0, and 1 in the other one: no record says what was mispredicted");
}

/* --- the table --- */

static const struct pe_lint_rule rules[] = {
    {.code = "CAIRN-LINT-PE-RESERVED-BITS",
     .requirement = "E1.2.1; F1.1; Arm ARM",
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_bits,
     .meaning =
         "Bits that no field has are set in a System register of the trace buffer, the branch records, "
         "the Performance Monitors or the trace filters. They are RES0: a later version may give them a "
         "meaning.",
     .remedy = "write 0 there; `cairn registers` shows the fields of the value",
     .example = "BRBFCR_EL1=0x10001"},
    {.code = "CAIRN-LINT-TRBE-EMPTY",
     .requirement = "R_MSPSD",
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_extent,
     .meaning =
         "The trace buffer ends where it begins, or before: the limit is the first address behind it.",
     .remedy = "write the address behind the last page to TRBLIMITR_EL1.LIMIT",
     .example = "TRBBASER_EL1=0x80001000 TRBLIMITR_EL1=0x80001001"},
    {.code = "CAIRN-LINT-TRBE-POINTER",
     .requirement = "R_MSPSD; R_MGZWR",
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_pointer,
     .meaning =
         "The write pointer of an enabled trace buffer is outside of it: what is traced may be written "
         "to any address that the buffer's owner can write to.",
     .remedy = "write TRBPTR_EL1 before TRBLIMITR_EL1.E: the base, or where the buffer stopped",
     .example = "TRBBASER_EL1=0x80000000 TRBLIMITR_EL1=0x80001001 TRBPTR_EL1=0x80001000"},
    {.code = "CAIRN-LINT-TRBE-ALIGNMENT",
     .requirement = "R_XXZHM; R_CPDMM",
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_alignment,
     .meaning =
         "The write pointer or the trigger counter is no multiple of what TRBIDR_EL1.Align asks for. Only "
         "a value that the unit itself has left there may be written back so.",
     .remedy = "write 0 to the low bits",
     .example = "TRBIDR_EL1=0x6 TRBPTR_EL1=0x80000020"},
    {.code = "CAIRN-LINT-TRBE-STOPPED",
     .requirement = "R_FRHXV; R_YMVZL",
     .severity = CAIRN_LINT_WARNING,
     .check = check_stopped,
     .meaning =
         "The trace buffer is enabled with the status of a session that stopped: nothing is collected.",
     .remedy = "read what TRBSR_EL1 says, write 0 to it, and only then enable the buffer",
     .example = "TRBSR_EL1=0x20000 TRBLIMITR_EL1=0x80001001"},
    {.code = "CAIRN-LINT-TRBE-ADDRESS",
     .requirement = "R_BRRK; R_MXRFD",
     .severity = CAIRN_LINT_PROBLEM,
     .check = check_address,
     .meaning =
         "The trace buffer's addresses are not translated (nVM), and one of them can only be a virtual one: "
         "the first write faults, or goes to another address.",
     .remedy = "write physical addresses, or 0 to TRBLIMITR_EL1.nVM",
     .example = "TRBPTR_EL1=0xffff000080000000 TRBLIMITR_EL1=0x80001021"},
    {.code = "CAIRN-LINT-TRBE-ATTRIBUTES",
     .requirement = "R_FJKLW",
     .severity = CAIRN_LINT_WARNING,
     .check = check_attributes,
     .meaning =
         "The trace buffer's addresses are not translated (nVM), and TRBMAR_EL1 says that the memory there is "
         "a device: slow, and of other attributes than those by which software reads it.",
     .remedy =
         "write 0xff to TRBMAR_EL1.Attr and 3 to SH (Write-Back, Inner Shareable), as the reader's mapping has it",
     .example = "TRBLIMITR_EL1=0x80001021 TRBMAR_EL1=0x0"},
    {.code = "CAIRN-LINT-TRBE-INTERRUPT",
     .requirement = "S_XLNJY",
     .severity = CAIRN_LINT_WARNING,
     .check = check_interrupt,
     .meaning =
         "The interrupt of an enabled trace buffer is taken to another Exception level than the one whose "
         "driver programmed it: nobody there knows that it is full, or failed.",
     .remedy = "write 0 to SCR_EL3.IRQ, and for a buffer of EL2 1 to HCR_EL2.IMO or TGE",
     .example = "TRBLIMITR_EL1=0x80001001 MDCR_EL2=0x0 HCR_EL2=0x80000000"},
    {.code = "CAIRN-LINT-BRBE-TYPES",
     .requirement = "F1.1.9; S_XZRTW",
     .severity = CAIRN_LINT_WARNING,
     .check = check_types,
     .meaning =
         "The filters of the branch records leave out each type of branch, and exceptions and their returns "
         "are not recorded either.",
     .remedy = "write 0x10000 to BRBFCR_EL1 for all branches, or choose types",
     .example = "BRBCR_EL1=0x3 BRBFCR_EL1=0x0"},
    {.code = "CAIRN-LINT-BRBE-LEVELS",
     .requirement = "I_DMPQZ; R_DBPCP; R_YPHYG",
     .severity = CAIRN_LINT_WARNING,
     .check = check_levels,
     .meaning = "Branch records are programmed, and every Exception level is prohibited.",
     .remedy = "set BRBCR_EL1.E0BRE or E1BRE (of a host at EL2: E0HBRE, E2BRE), and MDCR_EL3.SBRBE",
     .example = "BRBCR_EL1=0xc00000 BRBFCR_EL1=0x10000"},
    {.code = "CAIRN-LINT-BRBE-PAUSED",
     .requirement = "R_PYBRZ",
     .severity = CAIRN_LINT_WARNING,
     .check = check_paused,
     .meaning = "Recording is enabled and paused: by software, or by a freeze that came before.",
     .remedy = "write 0 to BRBFCR_EL1.PAUSED once the records are read",
     .example = "BRBCR_EL1=0x3 BRBFCR_EL1=0x10080"},
    {.code = "CAIRN-LINT-BRBE-BOTH",
     .requirement = "R_MJDL; F1.1.3",
     .severity = CAIRN_LINT_WARNING,
     .check = check_both,
     .meaning =
         "Cycle counts or mispredictions are asked for in one of BRBCR_EL1 and BRBCR_EL2. It takes both, even "
         "where EL2 is disabled in the Security state.",
     .remedy = "set the bit in both registers",
     .example = "BRBCR_EL1=0xb BRBCR_EL2=0x0"},
};

void cairn_pe_lint(const struct cairn_register *registers, size_t count, const char *unit,
                   cairn_lint_tell *tell, void *context)
{
    struct pe_lint_run run = {
        .registers = registers, .count = count, .unit = unit, .tell = tell, .context = context};

    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        run.rule = &rules[i];
        rules[i].check(&run);
    }
}

cairn_status cairn_pe_lint_rule(size_t index, struct cairn_lint_rule_info *info)
{
    struct cairn_lint_rule_info rule = {.size = info->size, .protocol = CAIRN_PROTOCOL_UNKNOWN};

    if (index >= sizeof rules / sizeof rules[0])
        return CAIRN_E_NOT_FOUND;
    rule.code = rules[index].code;
    rule.requirement = rules[index].requirement;
    rule.severity = rules[index].severity;
    rule.meaning = rules[index].meaning;
    rule.remedy = rules[index].remedy;
    rule.example = rules[index].example;
    memcpy(info, &rule, info->size < sizeof rule ? info->size : sizeof rule);
    return CAIRN_OK;
}
