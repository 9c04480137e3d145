/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of System registers: names, encodings, bits, aliases, classes, reset. Expectations are from
 * DDI0608 E1.2.3 and F1.1.13, and from the public register pages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pe/state.h"
#include "pe/sysreg.h"

static struct cairn_pe_sysreg_place named(const char *name)
{
    const struct cairn_pe_sysreg_place place = cairn_pe_sysreg_named(name);

    if (!place.sysreg)
        fail_msg("there is no %s", name);
    return place;
}

static uint32_t encoding_of(const char *name)
{
    return cairn_pe_sysreg_encoding(named(name));
}

/* Each name and each encoding is one register's, and the two ways lead to the same. */
static void test_both_ways(void **state)
{
    static uint8_t taken[0x10000];
    const struct cairn_pe_sysreg *sysreg;
    unsigned slots[CAIRN_PE_REGISTERS] = {0}, records = 0;

    (void)state;
    for (size_t i = 0; (sysreg = cairn_pe_sysreg_at(i)) != NULL; i++)
        for (unsigned n = 0; n < sysreg->count; n++) {
            const struct cairn_pe_sysreg_place place = {.sysreg = sysreg, .number = n};
            const uint32_t encoding = cairn_pe_sysreg_encoding(place);
            char name[CAIRN_PE_SYSREG_NAME];

            assert_non_null(sysreg->name);
            assert_true(sysreg->access != 0);
            cairn_pe_sysreg_name(place, name);
            assert_int_equal(taken[encoding]++, 0);
            assert_ptr_equal(cairn_pe_sysreg_encoded(encoding).sysreg, sysreg);
            assert_int_equal(cairn_pe_sysreg_encoded(encoding).number, n);
            assert_ptr_equal(named(name).sysreg, sysreg);
            assert_int_equal(named(name).number, n);
            for (char *at = name; *at; at++)
                *at = (char)(*at >= 'A' && *at <= 'Z' ? *at | 0x20 : *at);
            assert_ptr_equal(named(name).sysreg, sysreg);
            if (cairn_pe_sysreg_slot(place) == CAIRN_PE_REGISTERS)
                records++;
            else
                slots[cairn_pe_sysreg_slot(place)]++;
            assert_int_equal(sysreg->writable & ~sysreg->bits, 0);
        }
    for (size_t i = 0; i < CAIRN_PE_REGISTERS; i++)
        assert_int_equal(slots[i], 1);
    assert_int_equal(records, 96);
}

static void test_no_such_name(void **state)
{
    static const char *const names[] = {
        "",
        "TRBSR",
        "TRBSR_EL2",
        "BRBINF32_EL1",
        "BRBINF01_EL1",
        "BRBINF_EL1",
        "BRBINF-1_EL1",
        "PMEVCNTR31_EL0",
        "PMEVCNTR1",
        "MDCR_EL12",
        "_EL12",
        "TRBSR_EL12",
        "BRBINF1_EL1_EL1",
        "TRFCR_EL12_EL12",
        "BRBINF99999999999999999999_EL1",
    };

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (cairn_pe_sysreg_named(names[i]).sysreg)
            fail_msg("\"%s\" is a register", names[i]);
    assert_null(cairn_pe_sysreg_encoded(CAIRN_SYSREG(3, 7, 15, 15, 7)).sysreg);
    assert_null(cairn_pe_sysreg_encoded(UINT32_MAX).sysreg);
}

/* The twelve names of F1.1.13, and which way each goes. */
static void test_branch_registers(void **state)
{
    static const struct {
        const char *name;
        unsigned access;
        uint64_t bits;
    } rows[] = {
        {"BRBSRCINJ_EL1", 3, UINT64_MAX},     {"BRBTGTINJ_EL1", 3, UINT64_MAX},
        {"BRBINFINJ_EL1", 3, 0x7fff00033fe3}, {"BRBCR_EL1", 3, 0xc0017b},
        {"BRBCR_EL2", 3, 0xc0017b},           {"BRBCR_EL12", 3, 0xc0017b},
        {"BRBFCR_EL1", 3, 0x307f00c0},        {"BRBIDR0_EL1", 1, 0xffff},
        {"BRBSRC31_EL1", 1, UINT64_MAX},      {"BRBTGT0_EL1", 1, UINT64_MAX},
        {"BRBINF16_EL1", 1, 0x7fff00033fe3},  {"BRBTS_EL1", 3, UINT64_MAX},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct cairn_pe_sysreg_place place = cairn_pe_sysreg_named(rows[i].name);

        /* proves: R_XVQKS */
        assert_non_null(place.sysreg);
        /* proves: R_XVQKS, R_LKWNB, R_FYXNL */
        assert_int_equal(place.sysreg->access, rows[i].access);
        assert_int_equal(place.sysreg->bits, rows[i].bits);
    }
}

/* A record is three registers: of record n they are encoded beside each other. */
static void test_record_encodings(void **state)
{
    static const struct {
        const char *name;
        uint32_t encoding;
    } rows[] = {
        {"BRBINF0_EL1", CAIRN_SYSREG(2, 1, 8, 0, 0)},
        {"BRBSRC0_EL1", CAIRN_SYSREG(2, 1, 8, 0, 1)},
        {"BRBTGT0_EL1", CAIRN_SYSREG(2, 1, 8, 0, 2)},
        {"BRBINF15_EL1", CAIRN_SYSREG(2, 1, 8, 15, 0)},
        {"BRBINF16_EL1", CAIRN_SYSREG(2, 1, 8, 0, 4)},
        {"BRBSRC16_EL1", CAIRN_SYSREG(2, 1, 8, 0, 5)},
        {"BRBTGT31_EL1", CAIRN_SYSREG(2, 1, 8, 15, 6)},
        {"PMEVCNTR8_EL0", CAIRN_SYSREG(3, 3, 14, 9, 0)},
        {"PMEVTYPER30_EL0", CAIRN_SYSREG(3, 3, 14, 15, 6)},
        {"BRBCR_EL12", CAIRN_SYSREG(2, 5, 9, 0, 0)},
        {"TRFCR_EL12", CAIRN_SYSREG(3, 5, 1, 2, 1)},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        /* proves: I_JBTBH */
        assert_int_equal(encoding_of(rows[i].name), rows[i].encoding);
}

/* What a name reaches, by level and HCR_EL2.E2H. */
static void test_aliases(void **state)
{
    static const struct {
        const char *name;
        unsigned EL;
        bool E2H;
        const char *reached; /* NULL: UNDEFINED */
    } rows[] = {
        {"BRBCR_EL1", 1, true, "BRBCR_EL1"},  {"BRBCR_EL1", 2, false, "BRBCR_EL1"},
        {"BRBCR_EL1", 2, true, "BRBCR_EL2"},  {"BRBCR_EL1", 3, true, "BRBCR_EL1"},
        {"BRBCR_EL12", 1, true, NULL},        {"BRBCR_EL12", 2, false, NULL},
        {"BRBCR_EL12", 2, true, "BRBCR_EL1"}, {"BRBCR_EL12", 3, true, "BRBCR_EL1"},
        {"BRBCR_EL12", 3, false, NULL},       {"BRBCR_EL2", 2, true, "BRBCR_EL2"},
        {"TRFCR_EL1", 2, true, "TRFCR_EL2"},  {"TRFCR_EL12", 2, true, "TRFCR_EL1"},
        {"CPACR_EL1", 2, true, "CPTR_EL2"},   {"CONTEXTIDR_EL1", 2, true, "CONTEXTIDR_EL2"},
        {"TTBR1_EL1", 2, true, "TTBR1_EL2"},  {"BRBFCR_EL1", 2, true, "BRBFCR_EL1"},
        {"TRBSR_EL1", 2, true, "TRBSR_EL1"},  {"BRBINF7_EL1", 2, true, "BRBINF7_EL1"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct cairn_pe_sysreg_place place =
            cairn_pe_sysreg_reached(named(rows[i].name), rows[i].EL, rows[i].E2H);
        char name[CAIRN_PE_SYSREG_NAME] = "";

        if (place.sysreg)
            cairn_pe_sysreg_name(place, name);
        /* proves: REG_BRBCR_EL2 */
        assert_string_equal(name, rows[i].reached ? rows[i].reached : "");
    }
}

/* What a write leaves: RES0 stays 0, read-only bits stay. */
static void test_writes(void **state)
{
    static const struct {
        const char *name;
        uint64_t before, after; /* all ones are written */
    } rows[] = {
        {"TRBBASER_EL1", 0, 0xfffffffffffff000},
        {"TRBLIMITR_EL1", 0, 0xfffffffffffff03f},
        {"TRBPTR_EL1", 0, UINT64_MAX},
        {"TRBTRG_EL1", 0, 0xffffffff},
        {"TRBMAR_EL1", 0, 0x3ff},
        {"TRBSR_EL1", 0, 0xfc76ffff},
        {"TRBIDR_EL1", 0x25, 0x25},
        {"BRBIDR0_EL1", 0x5020, 0x5020},
        {"PMCR_EL0", 0x41003000, 0x410032f9},
        {"TRFCR_EL1", 0, 0x63},
        {"TRFCR_EL2", 0, 0x6b},
        {"OSDLR_EL1", 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        /* proves: R_JMPCB, R_LLBBS, R_KXRTY, R_PBGNS, REG_TRBBASER */
        assert_int_equal(
            cairn_pe_sysreg_written(named(rows[i].name).sysreg, rows[i].before, UINT64_MAX),
            rows[i].after);
}

/* The write pointer is all 64 bits, at every bit. */
static void test_pointer(void **state)
{
    const struct cairn_pe_sysreg *sysreg = named("TRBPTR_EL1").sysreg;

    (void)state;
    for (unsigned i = 0; i < 64; i++)
        /* proves: REG_TRBPTR, R_KXRTY, R_WKBRT */
        assert_int_equal(cairn_pe_sysreg_written(sysreg, UINT64_MAX, UINT64_C(1) << i), UINT64_C(1)
                                                                                            << i);
}

/* R_SXXQJ: each bit that trace depends on has its class. */
static void test_classes(void **state)
{
    enum { I = CAIRN_PE_BY_INSTRUCTION, O = CAIRN_PE_BY_OPERATION, X = CAIRN_PE_BY_OTHER };
    static const struct {
        uint32_t encoding;
        uint64_t bits;
        unsigned class;
    } rows[] = {
        /* by the instruction: the four of R_NRLDV, TRCPRGCTLR.EN, TRCOSLSR.OSLK */
        {CAIRN_SYSREG(3, 0, 1, 2, 1), 0x3, I},
        {CAIRN_SYSREG(3, 4, 1, 2, 1), 0x3, I},
        {CAIRN_SYSREG(2, 1, 0, 1, 0), 0x1, I},
        {CAIRN_SYSREG(2, 1, 1, 1, 4), 0x2, I},
        /* and the rest of those registers not so */
        {CAIRN_SYSREG(3, 0, 1, 2, 1), 0x60, O},
        {CAIRN_SYSREG(3, 4, 1, 2, 1), 0x68, O},
        /* by the trace operation: the buffer, VMSA, SCR_EL3.NS */
        {CAIRN_SYSREG(3, 0, 9, 11, 0), UINT64_MAX, O},
        {CAIRN_SYSREG(3, 0, 9, 11, 1), UINT64_MAX, O},
        {CAIRN_SYSREG(3, 0, 9, 11, 3), 0x20000, O},
        {CAIRN_SYSREG(3, 0, 2, 0, 0), UINT64_MAX, O},
        {CAIRN_SYSREG(3, 4, 2, 1, 0), UINT64_MAX, O},
        {CAIRN_SYSREG(3, 0, 10, 2, 0), UINT64_MAX, O},
        {CAIRN_SYSREG(3, 6, 1, 1, 0), 0x1, O},
        /* other registers of the ETE, context identifiers, offsets */
        {CAIRN_SYSREG(2, 1, 0, 4, 0), UINT64_MAX, O},
        {CAIRN_SYSREG(2, 1, 0, 0, 2), UINT64_MAX, O},
        {CAIRN_SYSREG(3, 0, 13, 0, 1), UINT64_MAX, O},
        {CAIRN_SYSREG(3, 4, 13, 0, 1), UINT64_MAX, O},
        {CAIRN_SYSREG(3, 4, 14, 0, 3), UINT64_MAX, O},
        {CAIRN_SYSREG(3, 4, 14, 0, 6), UINT64_MAX, O},
        /* by neither: counters and the sequencer */
        {CAIRN_SYSREG(2, 1, 0, 8, 5), UINT64_MAX, X},
        {CAIRN_SYSREG(2, 1, 0, 7, 4), UINT64_MAX, X},
        /* no matter of trace */
        {CAIRN_SYSREG(2, 1, 9, 0, 0), UINT64_MAX, 0},
        {CAIRN_SYSREG(3, 3, 9, 12, 0), UINT64_MAX, 0},
        {CAIRN_SYSREG(3, 0, 9, 11, 0), 0, 0},
        {CAIRN_SYSREG(3, 7, 15, 15, 7), UINT64_MAX, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        /* proves: R_SXXQJ, I_DDLVC */
        assert_int_equal(cairn_pe_sysreg_class(rows[i].encoding, rows[i].bits), rows[i].class);
    /* E2TB is read twice: for prohibition, and for the owner (I_GGPH). */
    assert_int_equal(cairn_pe_sysreg_class(encoding_of("MDCR_EL2"), 0x3000000), I | O);
}

/* The same of all registers of an ETE, by name. */
static void test_classes_of_trace(void **state)
{
    static const char *const others[] = {"TRCSTATR",  "TRCRSR",    "TRCSEQSTR",
                                         "TRCCNTVR0", "TRCCNTVR1", "TRCCNTVR2",
                                         "TRCCNTVR3", "TRCSSCSR0", "TRCSSCSR7"};
    static const struct cairn_register every = {.name = "TRCIDR4", .value = 0x888f8008};
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_unit_register_info info = {.size = sizeof info};
    struct cairn_unit *unit;
    unsigned neither = 0;

    (void)state;
    options.protocol = CAIRN_PROTOCOL_ETE;
    options.arch = cairn_arch_any_a();
    options.registers = &every;
    options.register_count = 1;
    assert_int_equal(cairn_unit_new(&options, &unit, NULL), CAIRN_OK);
    for (size_t i = 0; cairn_unit_register_info(unit, i, &info) == CAIRN_OK; i++) {
        unsigned expected = CAIRN_PE_BY_OPERATION;

        if (!info.sysreg || strncmp(info.name, "TRCSSCSR", 8) == 0)
            continue;
        for (size_t j = 0; j < sizeof others / sizeof others[0]; j++)
            if (strcmp(info.name, others[j]) == 0)
                expected = CAIRN_PE_BY_OTHER;
        neither += expected == CAIRN_PE_BY_OTHER;
        if (strcmp(info.name, "TRCPRGCTLR") == 0 || strcmp(info.name, "TRCOSLSR") == 0)
            expected = CAIRN_PE_BY_INSTRUCTION;
        if (cairn_pe_sysreg_class(info.sysreg, UINT64_MAX) != expected)
            fail_msg("%s: %u", info.name, cairn_pe_sysreg_class(info.sysreg, UINT64_MAX));
    }
    assert_true(neither >= 5);
    /* EN and OSLK alone; TRCSSCSR<n> are S2_1_C1_C8_2 and on */
    assert_int_equal(cairn_pe_sysreg_class(CAIRN_SYSREG(2, 1, 0, 1, 0), ~UINT64_C(1)), 0);
    assert_int_equal(cairn_pe_sysreg_class(CAIRN_SYSREG(2, 1, 1, 1, 4), ~UINT64_C(2)), 0);
    assert_int_equal(cairn_pe_sysreg_class(CAIRN_SYSREG(2, 1, 1, 8, 2), 1), CAIRN_PE_BY_OTHER);
    assert_int_equal(cairn_pe_sysreg_class(CAIRN_SYSREG(2, 1, 1, 15, 2), 1), CAIRN_PE_BY_OTHER);
    assert_int_equal(cairn_pe_sysreg_class(CAIRN_SYSREG(2, 1, 1, 7, 2), 1), CAIRN_PE_BY_OPERATION);
    /* behind the last CRn of the trace unit: branch records */
    assert_false(cairn_pe_is_trace_sysreg(CAIRN_SYSREG(2, 1, 8, 0, 0)));
    assert_true(cairn_pe_is_trace_sysreg(CAIRN_SYSREG(2, 1, 7, 15, 7)));
    cairn_unit_free(unit);
}

#define E3BREC (UINT64_C(1) << 38)
#define E3BREW (UINT64_C(1) << 37)

static void test_reset_recording(void **state)
{
    const struct cairn_pe_features features = {.EL3 = true, .brbe = 2};

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct cairn_pe_registers registers = {{0}};
        const uint64_t before = (i & 1 ? E3BREC : 0) | (i & 2 ? E3BREW : 0);

        registers.value[CAIRN_PE_MDCR_EL3] = before;
        cairn_pe_registers_reset(&registers, &features, CAIRN_PE_RESET_WARM, 0);
        /* proves: X_FFPJPO */
        assert_int_equal(registers.value[CAIRN_PE_MDCR_EL3], before & E3BREC);
        registers.value[CAIRN_PE_MDCR_EL3] = before;
        cairn_pe_registers_reset(&registers, &features, CAIRN_PE_RESET_COLD, 0);
        /* proves: X_FFPJPO */
        assert_int_equal(registers.value[CAIRN_PE_MDCR_EL3], 0);
    }
}

static void test_reset_controls(void **state)
{
    static const enum cairn_pe_register controls[] = {CAIRN_PE_BRBCR_EL1, CAIRN_PE_BRBCR_EL2,
                                                      CAIRN_PE_BRBFCR_EL1};

    (void)state;
    for (unsigned version = 1; version <= 2; version++)
        for (uint64_t unknown = 0; unknown < 3; unknown++) {
            const struct cairn_pe_features features = {.brbe = (uint8_t)version, .counters = 6};
            struct cairn_pe_registers registers = {{0}};

            for (size_t i = 0; i < 3; i++)
                registers.value[controls[i]] = 0xc00008;
            cairn_pe_registers_reset(&registers, &features, CAIRN_PE_RESET_WARM, unknown);
            for (size_t i = 0; i < 3 && version == 2; i++)
                /* proves: I_NZMWQ */
                assert_int_equal(registers.value[controls[i]], 0xc00008);
            cairn_pe_registers_reset(&registers, &features, CAIRN_PE_RESET_COLD, unknown);
            for (size_t i = 0; i < 3; i++)
                /* proves: I_NZMWQ */
                assert_int_equal(registers.value[controls[i]] == 0, unknown == 0);
            assert_int_equal(registers.value[CAIRN_PE_BRBCR_EL1] & ~UINT64_C(0xc0017b), 0);
            /* Whatever is UNKNOWN, the unit is Disabled and the counters stand still. */
            /* proves: RESET_TRBE */
            assert_int_equal(registers.value[CAIRN_PE_TRBLIMITR_EL1] & 1, 0);
            assert_int_equal(registers.value[CAIRN_PE_PMCR_EL0] & 1, 0);
            assert_int_equal(registers.value[CAIRN_PE_MDCR_EL2], 6);
            assert_int_equal(registers.value[CAIRN_PE_OSLSR_EL1], 0xa);
        }
}

static void test_reset_keeps(void **state)
{
    const struct cairn_pe_features features = {.brbe = 1};
    struct cairn_pe_registers registers = {{0}};

    (void)state;
    registers.value[CAIRN_PE_BRBIDR0_EL1] = 0x5020;
    registers.value[CAIRN_PE_TRBIDR_EL1] = 0x25;
    registers.value[CAIRN_PE_PMCR_EL0] = 0x41023007;
    registers.value[CAIRN_PE_OSLSR_EL1] = 8;
    cairn_pe_registers_reset(&registers, &features, CAIRN_PE_RESET_WARM, 7);
    assert_int_equal(registers.value[CAIRN_PE_BRBIDR0_EL1], 0x5020);
    assert_int_equal(registers.value[CAIRN_PE_TRBIDR_EL1], 0x25);
    assert_int_equal(registers.value[CAIRN_PE_PMCR_EL0] >> 11, 0x41023007 >> 11);
    assert_int_equal(registers.value[CAIRN_PE_OSLSR_EL1], 8); /* the lock is of Cold reset */
}

/* Words that are none of the instructions, and the syndrome of one that is. */
static void test_words(void **state)
{
    static const uint32_t others[] = {
        0,          0xffffffff, 0xd503201f, /* NOP */
        0xd503309f,                         /* SSBB */
        0xd503349f,                         /* PSSBB */
        0xd5097280,                         /* as BRB IALL, with X0 */
        0xd50972a0, 0xd503225e,             /* not HINT */
        0xd65f03c0,                         /* RET */
    };
    struct cairn_pe_instruction instruction = cairn_pe_instruction_of(0xd5399203u);

    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_int_equal(cairn_pe_instruction_of(others[i]).kind, CAIRN_PE_OTHER);
    instruction = cairn_pe_instruction_of(0xd5319203u); /* MRS X3, BRBIDR0_EL1 */
    /* Op0 2 at 21:20, Op2 0, Op1 1 at 16:14, CRn 9 at 13:10, Rt 3 at 9:5, CRm 2 at 4:1, read */
    assert_int_equal(cairn_pe_instruction_syndrome(&instruction), 0x206465);
    instruction = cairn_pe_instruction_of(0xd509729fu); /* BRB IALL */
    assert_int_equal(cairn_pe_instruction_syndrome(&instruction), 0x185fe4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_ways),        cmocka_unit_test(test_no_such_name),
        cmocka_unit_test(test_branch_registers), cmocka_unit_test(test_record_encodings),
        cmocka_unit_test(test_aliases),          cmocka_unit_test(test_writes),
        cmocka_unit_test(test_pointer),          cmocka_unit_test(test_classes),
        cmocka_unit_test(test_reset_recording),  cmocka_unit_test(test_reset_controls),
        cmocka_unit_test(test_reset_keeps),      cmocka_unit_test(test_words),
        cmocka_unit_test(test_classes_of_trace),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
