/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodings of the System registers of a PE, of its trace unit, and of the instructions beside them,
 * against LLVM 19's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../isa/llvm_disasm.h"
#include "pe/sysreg.h"

#define FEATURES "+v9.3a,+ete,+trbe,+brbe,+tme,+fgt,+ecv,+sel2,+perfmon,+tracev8.4,+vh,+spe"
#define NAMED_LEAST 300u
#define UNITS_MOST 400

static struct llvm_disasm *disasm;

/* The register's name in LLVM's words; "": it has none. */
static void text_of(uint32_t word, char text[128])
{
    uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                        (uint8_t)(word >> 24)};

    text[0] = '\0';
    if (llvm_disasm_text(disasm, 0, bytes, 4, text, 128) == 0)
        text[0] = '\0';
}

static bool has_word(const char *text, const char *name)
{
    const size_t length = strlen(name);
    const char *found = strstr(text, name);

    return found && (found == text || found[-1] == ' ' || found[-1] == '\t') &&
           strchr(", \t\n", found[length]) != NULL;
}

static uint32_t word_of(enum cairn_pe_instruction_kind kind, uint32_t encoding)
{
    return cairn_pe_instruction_word(
        &(struct cairn_pe_instruction){.kind = kind, .encoding = encoding, .Rt = 3});
}

static void check(struct cairn_pe_sysreg_place place)
{
    const uint32_t encoding = cairn_pe_sysreg_encoding(place);
    char name[CAIRN_PE_SYSREG_NAME], text[128];

    cairn_pe_sysreg_name(place, name);
    if (place.sysreg->access & CAIRN_PE_CAN_READ) {
        text_of(word_of(CAIRN_PE_MRS, encoding), text);
        if (!has_word(text, name) || !strstr(text, "mrs"))
            fail_msg("mrs %s: LLVM says %s", name, text);
    }
    text_of(word_of(CAIRN_PE_MSR, encoding), text);
    if (place.sysreg->access & CAIRN_PE_CAN_WRITE) {
        if (!has_word(text, name) || !strstr(text, "msr"))
            fail_msg("msr %s: LLVM says %s", name, text);
    } else if (has_word(text, name))
        fail_msg("msr %s: it cannot be written, LLVM says %s", name, text);
}

static bool is_there(void)
{
    if (llvm_load()) {
        disasm = llvm_disasm_new("aarch64", FEATURES);
        assert_non_null(disasm);
        return true;
    }
    print_message("# skipped: LLVM 19 (libLLVM.so.19.1) is not installed\n");
    return false;
}

static const char *const aliases[] = {
    "TRFCR_EL12", "BRBCR_EL12", "CPACR_EL12", "CONTEXTIDR_EL12", "SCTLR_EL12",
    "TTBR0_EL12", "TTBR1_EL12", "TCR_EL12",   "MAIR_EL12",
};

static size_t check_unit(void)
{
    static const struct cairn_register all = {.name = "TRCIDR4", .value = 0x888f8008};
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_unit_register_info info = {.size = sizeof info};
    struct cairn_unit *unit;
    size_t count = 0;

    options.protocol = CAIRN_PROTOCOL_ETE;
    options.arch = cairn_arch_any_a();
    options.registers = &all;
    options.register_count = 1;
    assert_int_equal(cairn_unit_new(&options, &unit, NULL), CAIRN_OK);
    for (size_t i = 0; cairn_unit_register_info(unit, i, &info) == CAIRN_OK; i++) {
        char text[128];
        if (!info.sysreg || strcmp(info.name, "TRCEXTINSELR0") == 0)
            continue; /* LLVM has no number there */
        assert_true(cairn_pe_is_trace_sysreg(info.sysreg));
        text_of(word_of(info.flags & CAIRN_REGISTER_READABLE ? CAIRN_PE_MRS : CAIRN_PE_MSR,
                        info.sysreg),
                text);
        if (!has_word(text, info.name))
            fail_msg("%s: LLVM says %s", info.name, text);
        count++;
    }
    cairn_unit_free(unit);
    return count;
}

static void test_names(void **state)
{
    const struct cairn_pe_sysreg *sysreg;
    size_t count = 0;

    (void)state;
    if (!is_there())
        skip();
    for (size_t i = 0; (sysreg = cairn_pe_sysreg_at(i)) != NULL; i++)
        for (unsigned n = 0; n < sysreg->count; n++, count++)
            check((struct cairn_pe_sysreg_place){.sysreg = sysreg, .number = n});
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++, count++) {
        const struct cairn_pe_sysreg_place place = cairn_pe_sysreg_named(aliases[i]);
        assert_non_null(place.sysreg);
        check(place);
    }
    count += check_unit();
    print_message("# %zu names\n", count);
    assert_true(count >= NAMED_LEAST);
    llvm_disasm_free(disasm);
}

/* Of these families LLVM has no name that is missing here. */
static void test_nothing_missing(void **state)
{
    /* FEAT_TRBE_MPAM, PMUv3p9, SPE and later; not of DDI0608. */
    static const char *const later[] = {"TRBMPAM_EL1", "PMICNTR_EL0", "PMICFILTR_EL0",
                                        "PMUACR_EL1",  "PMECR_EL1",   "PMIAR_EL1",
                                        "PMSSCR_EL1",  "PMZR_EL0",    "PMBLIMITR_EL1"};
    static const char *const families[] = {"TRB", "BRB",   "PMC",  "PMO", "PME",  "PMX",
                                           "PMU", "PMSEL", "PMSW", "PMI", "TRFCR"};
    unsigned seen = 0;

    (void)state;
    if (!is_there())
        skip();
    for (uint32_t encoding = CAIRN_SYSREG(2, 0, 0, 0, 0); encoding <= 0xffff; encoding++) {
        char text[128];
        const struct cairn_pe_sysreg_place place = cairn_pe_sysreg_encoded(encoding);
        bool wanted = false;

        text_of(word_of(CAIRN_PE_MRS, encoding), text);
        const char *name = strrchr(text, ' ');
        name = name ? name + 1 : text;
        for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
            wanted |= strncmp(name, families[i], strlen(families[i])) == 0;
        for (size_t i = 0; i < sizeof later / sizeof later[0]; i++)
            wanted &= strcmp(name, later[i]) != 0 && !strstr(name, "SVR"); /* FEAT_PMUv3_SS */
        if (!wanted)
            continue;
        if (!place.sysreg)
            fail_msg("%s is not known here", name);
        seen++;
    }
    assert_true(seen > 170); /* 96 records, 62 counters, and the single ones */
    llvm_disasm_free(disasm);
}

static void test_instructions(void **state)
{
    static const struct {
        struct cairn_pe_instruction instruction;
        uint32_t word; /* by hand, from the public encodings */
        const char *text;
    } rows[] = {
        {{CAIRN_PE_SYS, CAIRN_PE_BRB_IALL, 31, 0}, 0xd509729f, "brb\tiall"},
        {{CAIRN_PE_SYS, CAIRN_PE_BRB_INJ, 31, 0}, 0xd50972bf, "brb\tinj"},
        {{CAIRN_PE_TSB_CSYNC, 0, 0, 0}, 0xd503225f, "tsb\tcsync"},
        {{CAIRN_PE_PSB_CSYNC, 0, 0, 0}, 0xd503223f, "psb\tcsync"},
        {{CAIRN_PE_ISB, 0, 0, 15}, 0xd5033fdf, "isb"},
        {{CAIRN_PE_DSB, 0, 0, 15}, 0xd5033f9f, "dsb\tsy"},
        {{CAIRN_PE_DSB, 0, 0, 7}, 0xd503379f, "dsb\tnsh"},
        {{CAIRN_PE_DMB, 0, 0, 11}, 0xd5033bbf, "dmb\tish"},
        /* MSR TRBLIMITR_EL1, X3; MRS X3, BRBIDR0_EL1 */
        {{CAIRN_PE_MSR, CAIRN_SYSREG(3, 0, 9, 11, 0), 3, 0}, 0xd5189b03, "TRBLIMITR_EL1"},
        {{CAIRN_PE_MRS, CAIRN_SYSREG(2, 1, 9, 2, 0), 3, 0}, 0xd5319203, "BRBIDR0_EL1"},
    };
    const bool has_llvm = is_there();

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct cairn_pe_instruction back = cairn_pe_instruction_of(rows[i].word);
        char text[128];

        /* proves: REG_BRBINJ */
        assert_int_equal(cairn_pe_instruction_word(&rows[i].instruction), rows[i].word);
        assert_int_equal(back.kind, rows[i].instruction.kind);
        if (back.kind == CAIRN_PE_SYS || back.kind == CAIRN_PE_MSR || back.kind == CAIRN_PE_MRS) {
            /* proves: REG_BRBINJ */
            assert_int_equal(back.encoding, rows[i].instruction.encoding);
            assert_int_equal(back.Rt, rows[i].instruction.Rt);
        } else
            assert_int_equal(back.CRm, rows[i].instruction.CRm);
        if (!has_llvm)
            continue;
        text_of(rows[i].word, text);
        if (!strstr(text, rows[i].text))
            fail_msg("%08x: LLVM says %s", rows[i].word, text);
    }
    if (has_llvm)
        llvm_disasm_free(disasm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_nothing_missing),
        cmocka_unit_test(test_instructions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
