/* SPDX-License-Identifier: BSD-2-Clause */
/* Where stage 2 begins, what it makes of caches, sizes of addresses, and what registers say that a PE has not. */
#include "tables.h"

#define SMALL 1 /* FEAT_TTST */
#define DS 2    /* FEAT_LPA2, and VTCR_EL2.DS */
#define SL2 4

static void test_start(void **state)
{
    /* ID_AA64MMFR0_EL1.PARange, TG0, SL0, T0SZ; the level, or -2 where there is no such */
    static const struct {
        unsigned range, TG, SL0, size, with;
        int level;
    } rows[] = {
        /* 4KB */
        {5, 0, 0, 34, 0, 2},
        {5, 0, 1, 25, 0, 1},
        {4, 0, 2, 20, 0, 0},
        {3, 0, 2, 22, 0, -2}, /* 42 bits of PA have no level 0 */
        {5, 0, 3, 39, 0, -2},
        {5, 0, 3, 39, SMALL, 3},
        {5, 0, 3, 38, SMALL, -2}, /* 26 bits are more than sixteen tables of level 3 */
        {5, 0, 3, 48, SMALL, 3},
        {6, 0, 0, 12, DS | SL2, -1},
        {6, 0, 1, 12, DS | SL2, -2},
        {6, 0, 0, 34, SL2, 2}, /* without DS it is nothing */
        {5, 0, 1, 34, 0, -2},  /* too small for the level, */
        {5, 0, 1, 33, 0, 1},   /* just not, */
        {5, 0, 1, 21, 0, 1},   /* sixteen tables, */
        {5, 0, 1, 20, 0, -2},  /* and more */
        /* 16KB */
        {5, 2, 0, 39, 0, 3},
        {5, 2, 1, 28, 0, 2},
        {3, 2, 2, 22, 0, 1},
        {2, 2, 2, 24, 0, -2}, /* 40 bits of PA have no level 1 */
        {6, 2, 3, 16, 0, -2},
        {6, 2, 3, 16, DS, 0},
        /* 64KB */
        {5, 1, 0, 39, 0, 3},
        {5, 1, 1, 24, 0, 2},
        {4, 1, 2, 20, 0, 1},
        {5, 1, 3, 16, 0, -2},
        /* More than the PE has */
        {2, 0, 1, 24, 0, 1},
        {2, 0, 1, 23, 0, -2},
    };
    struct tables t;
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool large = rows[i].with & DS;
        begin(&t);
        enable_stage2(&t);
        put(&t, S2L1, 0);
        set(&t, CAIRN_PE_TRBLIMITR_EL1, 0x21);
        set(&t, CAIRN_PE_ID_AA64MMFR0_EL1, rows[i].range | (large ? 0x10200000 : 0x00100000));
        set(&t, CAIRN_PE_ID_AA64MMFR2_EL1, rows[i].with & SMALL ? 1 << 28 : 0);
        set(&t, CAIRN_PE_VTCR_EL2,
            rows[i].size | rows[i].SL0 << 6 | rows[i].TG << 14 | 6 << 16 | (uint64_t)large << 32 |
                (uint64_t)(rows[i].with & SL2 ? 1 : 0) << 33);
        assert_false(trace_write(&t, 0));
        assert_int_equal(t.reads, rows[i].level == -2 ? 0 : 1);
        assert_fault(&t, 2,
                     rows[i].level == -2   ? 0x04
                     : rows[i].level == -1 ? 0x2b
                                           : 0x04 + rows[i].level);
    }
}

/* An IPA of more bits than VTCR_EL2.T0SZ leaves */
static void test_IPA_size(void **state)
{
    struct tables t;
    (void)state;
    begin(&t);
    enable_stage2(&t);
    set(&t, CAIRN_PE_TRBLIMITR_EL1, 0x21);
    assert_true(trace_write(&t, UINT64_C(0x3fffffff)));
    assert_false(trace_write(&t, UINT64_C(0x8000000000)));
    assert_fault(&t, 2, 0x04);
    /* A block that lies above what VTCR_EL2.PS lets out: 36 bits */
    set(&t, CAIRN_PE_VTCR_EL2, 0x80013559);
    put(&t, S2L1, UINT64_C(0x1000000000) | S2BLOCK);
    assert_false(trace_write(&t, 0));
    assert_fault(&t, 2, 0x01);
    /* The same of its table */
    set(&t, CAIRN_PE_VTTBR_EL2, UINT64_C(0x1000000000));
    assert_false(trace_write(&t, 0));
    assert_fault(&t, 2, 0x00);
}

static void test_caches_off(void **state)
{
    struct tables t;
    (void)state;
    begin(&t);
    enable_stage2(&t);
    put(&t, L3 + 8, FRAME | PAGE);
    t.registers.value[CAIRN_PE_SCTLR_EL1] |= 1 << 12;                       /* I */
    static const uint64_t bits[2] = {UINT64_C(1) << 32, UINT64_C(1) << 33}; /* CD, ID */
    uint64_t HCR = t.registers.value[CAIRN_PE_HCR_EL2];
    for (unsigned i = 0; i < 3; i++) {
        set(&t, CAIRN_PE_HCR_EL2, i < 2 ? HCR | bits[i] : HCR);
        assert_true(access_by(&t, VA, CAIRN_PE_MEMORY_WRITE, true));
        assert_int_equal(t.out.attributes, i == 0 ? 0x44 : 0xff);
        assert_true(access_by(&t, VA, CAIRN_PE_MEMORY_FETCH, true));
        assert_int_equal(t.out.attributes, i == 1 ? 0x44 : 0xff);
    }
    /* And of stage 1, for fetches, with translation and without */
    set(&t, CAIRN_PE_SCTLR_EL1, 0x5);
    assert_true(access_by(&t, VA, CAIRN_PE_MEMORY_FETCH, true));
    assert_int_equal(t.out.attributes, 0x44);
    set(&t, CAIRN_PE_SCTLR_EL1, 0x0);
    assert_true(access_by(&t, VA, CAIRN_PE_MEMORY_FETCH, true));
    assert_int_equal(t.out.attributes, 0x44);
    set(&t, CAIRN_PE_SCTLR_EL1, 1 << 12);
    assert_true(access_by(&t, VA, CAIRN_PE_MEMORY_FETCH, true));
    assert_int_equal(t.out.attributes, 0xaa);
}

/* No walk of stage 1 in what stage 2 says is Device memory (HCR_EL2.PTW). */
static void test_protected_walk(void **state)
{
    struct tables t;
    (void)state;
    begin(&t);
    enable_stage2(&t);
    put(&t, S2L1, S2BLOCK & ~UINT64_C(0x3c));
    assert_true(trace_write(&t, VA));
    t.registers.value[CAIRN_PE_HCR_EL2] |= 4;
    assert_false(trace_write(&t, VA));
    assert_fault(&t, 2, 0x0d);
    assert_true(t.out.S1PTW);
    /* {E2H, TGE} of {1, 1}: there is no stage 2, nor anything of it. */
    t.registers.value[CAIRN_PE_HCR_EL2] |= UINT64_C(1) << 34 | UINT64_C(1) << 27 | 1 << 12;
    set(&t, CAIRN_PE_SCTLR_EL1, 0x4);
    assert_true(trace_write(&t, FRAME));
    assert_int_equal(t.out.address, FRAME);
    assert_int_equal(t.out.attributes, 0x00); /* DC neither */
}

/* A granule that is reserved, or not there, is the smallest that is. */
static void test_no_such_granule(void **state)
{
    /* ID_AA64MMFR0_EL1, TG0, how many descriptors a walk of 39 bits reads */
    static const struct {
        uint64_t MMFR0;
        unsigned TG, bits;
    } rows[] = {
        {0x00100002, 0, 12}, {0x00100002, 1, 16}, {0x00100002, 2, 14}, {0x00100002, 3, 12},
        {0x00000002, 2, 12}, {0x0f000002, 1, 12}, {0xf0100002, 0, 14}, {0xf0100002, 3, 14},
        {0xf0000002, 0, 16}, {0xf0000002, 2, 16},
    };
    struct tables t;
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(&t);
        set(&t, CAIRN_PE_ID_AA64MMFR0_EL1, rows[i].MMFR0);
        set(&t, CAIRN_PE_TCR_EL1, 25 | rows[i].TG << 14 | UINT64_C(2) << 32);
        set(&t, CAIRN_PE_TTBR0_EL1, 0x100000);
        put(&t, 0x100000, 0x200000 | TABLE);
        put(&t, 0x200000, rows[i].bits == 16 ? FRAME | PAGE : 0x300000 | TABLE);
        put(&t, 0x300000, FRAME | PAGE);
        assert_true(access_by(&t, 0, CAIRN_PE_MEMORY_READ, true));
        assert_int_equal(t.out.size, UINT64_C(1) << rows[i].bits);
    }
}

static void test_EPAN(void **state)
{
    struct cairn_pe_translate_request request = {
        .address = VA, .security = CAIRN_NONSECURE, .privileged = true, .PAN = true};
    struct tables t;
    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        begin(&t);
        put(&t, L3 + 8,
            FRAME | PAGE | (i & 4 ? UINT64_C(1) << 54 : 0));         /* EL0 executes it, or not */
        set(&t, CAIRN_PE_ID_AA64MMFR1_EL1, (i & 1 ? 3u : 2u) << 20); /* FEAT_PAN3 */
        t.registers.value[CAIRN_PE_SCTLR_EL1] |= (uint64_t)(i >> 1 & 1) << 57;
        bool found =
            cairn_pe_translate(&t.features, &t.registers, &request, &t.choices, &t.memory, &t.out);
        assert_int_equal(found, i != 3);
    }
}

/* 64KB pages anywhere in 52 bits: TCR_EL1.IPS and ID_AA64MMFR0_EL1.PARange each are a limit. */
static void test_output_sizes(void **state)
{
    static const uint8_t bits[8] = {32, 36, 40, 42, 44, 48, 52, 52};
    struct tables t;
    (void)state;
    for (unsigned i = 0; i < 16; i++)
        for (unsigned bit = 31; bit < 52; bit++) {
            unsigned range = i < 8 ? 6 : i & 7, IPS = i < 8 ? i : 6;
            unsigned limit = i < 8 ? bits[IPS] : bits[range];
            uint64_t address = UINT64_C(1) << bit;
            begin(&t);
            set(&t, CAIRN_PE_ID_AA64MMFR0_EL1, range);
            set(&t, CAIRN_PE_TCR_EL1, 22 | 1 << 14 | (uint64_t)IPS << 32);
            set(&t, CAIRN_PE_TTBR0_EL1, 0x100000);
            put(&t, 0x100000, 0x200000 | TABLE);
            put(&t, 0x200000, (address & UINT64_C(0xffffffff0000)) | address >> 48 << 12 | PAGE);
            bool found = access_by(&t, 0x18, CAIRN_PE_MEMORY_READ, true);
            /* Without 52 bits those in descriptors are not looked at. */
            if (bit >= 48 && i >= 8 && bits[range] < 52) {
                assert_true(found);
                assert_int_equal(t.out.address, 0x18);
                continue;
            }
            assert_int_equal(found, bit < limit);
            if (found)
                assert_int_equal(t.out.address, address + 0x18);
            else
                assert_fault(&t, 1, 0x03);
        }
}

/* With 52 bits TTBR0_EL1[5:2] are the highest of the table's address, which is a multiple of 64. */
static void test_table_address(void **state)
{
    struct tables t;
    (void)state;
    for (unsigned IPS = 5; IPS < 7; IPS++) {
        begin(&t);
        set(&t, CAIRN_PE_ID_AA64MMFR0_EL1, 6);
        set(&t, CAIRN_PE_TCR_EL1, 34 | 1 << 14 | (uint64_t)IPS << 32); /* 30 bits: two entries */
        set(&t, CAIRN_PE_TTBR0_EL1, 0x100040 | 0xc << 2 | 1);          /* CnP */
        put(&t, IPS == 6 ? UINT64_C(0xc000000100048) : 0x100078, 0x60000000 | (PAGE - 2));
        assert_true(access_by(&t, 0x20000123, CAIRN_PE_MEMORY_READ, true));
        assert_int_equal(t.out.address, 0x60000123);
    }
}

/* TCR_EL1.TG1, and the granules that stage 2 has and stage 1 has not. */
static void test_other_granules(void **state)
{
    static const uint8_t by_TG1[4] = {12, 14, 12, 16};
    static const struct {
        uint64_t MMFR0;
        unsigned TG, bits;
    } rows[] = {
        {0x20000000002, 0, 12}, {0x10000100002, 0, 14}, {0x21000100002, 1, 12},
        {0x21000100002, 2, 14}, {0x02100000002, 2, 12}, {0x02200000002, 2, 14},
        {0x01000000002, 1, 12},
    };
    struct tables t;
    (void)state;
    for (unsigned TG1 = 0; TG1 < 4; TG1++) {
        begin(&t);
        set(&t, CAIRN_PE_TCR_EL1, 25 << 16 | (uint64_t)TG1 << 30 | UINT64_C(2) << 32);
        set(&t, CAIRN_PE_TTBR1_EL1, 0x100000);
        put(&t, 0x100000, 0x200000 | TABLE);
        put(&t, 0x200000, by_TG1[TG1] == 16 ? FRAME | PAGE : 0x300000 | TABLE);
        put(&t, 0x300000, FRAME | PAGE);
        assert_true(access_by(&t, UINT64_C(0xffffff8000000000), CAIRN_PE_MEMORY_READ, true));
        assert_int_equal(t.out.size, UINT64_C(1) << by_TG1[TG1]);
    }
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(&t);
        enable_stage2(&t);
        set(&t, CAIRN_PE_ID_AA64MMFR0_EL1, rows[i].MMFR0);
        set(&t, CAIRN_PE_SCTLR_EL1, 0);
        /* 34 bits and level 2, whatever the granule: SL0 is 0 for 4KB, else 1 */
        set(&t, CAIRN_PE_VTCR_EL2,
            30 | (rows[i].bits == 12 ? 0u : 1u) << 6 | rows[i].TG << 14 | 2 << 16);
        set(&t, CAIRN_PE_VTTBR_EL2, 0x100000);
        put(&t, 0x100000, 0x200000 | TABLE);
        put(&t, 0x200000, FRAME | S2PAGE);
        assert_true(access_by(&t, 0, CAIRN_PE_MEMORY_READ, true));
        assert_int_equal(t.reads, 2);
        assert_int_equal(t.out.address, FRAME & ~((UINT64_C(1) << rows[i].bits) - 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start),           cmocka_unit_test(test_IPA_size),
        cmocka_unit_test(test_caches_off),      cmocka_unit_test(test_protected_walk),
        cmocka_unit_test(test_no_such_granule), cmocka_unit_test(test_EPAN),
        cmocka_unit_test(test_output_sizes),    cmocka_unit_test(test_table_address),
        cmocka_unit_test(test_other_granules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
