/* SPDX-License-Identifier: BSD-2-Clause */
/* One write of the unit over the end of a page: DDI0608 E1.2.1.5, every outcome. */
#include "tables.h"

#define POINTER (VA + 0xff8)

/* The page at VA and the next, of these attributes at each stage: 0 Write-Back, 1 nGnRnE, 2 nGnRE. */
struct pages {
    unsigned first[2], second[2];
    unsigned second_SH; /* of stage 1 */
};

static const uint64_t MemAttrs[3] = {0xf, 0x0, 0x1};

static enum cairn_pe_crossing cross(struct tables *t, const struct pages *pages)
{
    struct cairn_pe_translation first, second;
    uint64_t SH = pages->second_SH;
    put(t, L3 + 8, FRAME | PAGE | pages->first[0] << 2);
    put(t, L3 + 16, (FRAME + 0x1000) | (PAGE & ~UINT64_C(0x300)) | SH << 8 | pages->second[0] << 2);
    put(t, 0x22028, FRAME | (S2PAGE & ~UINT64_C(0x3c)) | MemAttrs[pages->first[1]] << 2);
    put(t, 0x22030,
        (FRAME + 0x1000) | (S2PAGE & ~UINT64_C(0x3c)) | MemAttrs[pages->second[1]] << 2);
    assert_true(trace_write(t, POINTER));
    first = t->out;
    assert_true(trace_write(t, VA + 0x1000));
    second = t->out;
    return cairn_pe_translation_crossing(&first, &second, POINTER, true, &t->choices, &t->out);
}

static void begin_pages(struct tables *t, bool stage2)
{
    begin(t);
    if (!stage2)
        return;
    enable_stage2(t);
    put(t, S2L1 + 16, 0x21000 | TABLE);
    put(t, 0x21000, 0x22000 | TABLE);
}

/* Another memory type or shareability, of stage 1, of stage 2, of both. */
static void test_mismatch(void **state)
{
    static const struct {
        struct pages pages;
        bool stage2;
        unsigned stage; /* of the fault; 3: either */
    } rows[] = {
        {{{0, 0}, {1, 0}, 3}, false, 1}, {{{1, 0}, {2, 0}, 3}, false, 1},
        {{{0, 0}, {0, 0}, 2}, false, 1}, {{{0, 0}, {1, 0}, 3}, true, 1},
        {{{0, 0}, {0, 1}, 3}, true, 2},  {{{0, 1}, {0, 2}, 3}, true, 2},
        {{{0, 0}, {2, 1}, 3}, true, 3},
    };
    struct tables t;
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (unsigned n = 0; n < 8; n++) {
            unsigned choice = n & 3;
            begin_pages(&t, rows[i].stage2);
            t.choices.crossing = (uint8_t)choice;
            t.choices.crossing_is_stage2 = n & 4;
            enum cairn_pe_crossing got = cross(&t, &rows[i].pages);
            /* proves: R_RZTDD */
            assert_int_equal(got, choice == CAIRN_PE_CROSSING_UNORDERED ? CAIRN_PE_CROSSING_OWN
                                                                        : choice);
            if (choice != CAIRN_PE_CROSSING_FAULT)
                continue;
            unsigned stage = rows[i].stage < 3 ? rows[i].stage : n & 4 ? 2 : 1;
            /* proves: R_RZTDD */
            assert_fault(&t, stage, 0x21);
            assert_int_equal(t.out.fault_address, POINTER);
        }
}

/* Device memory on both sides of the boundary. */
static void test_device(void **state)
{
    static const struct {
        struct pages pages;
        bool stage2;
        unsigned stage;
    } rows[] = {
        {{{1, 0}, {1, 0}, 3}, false, 1},
        {{{2, 0}, {2, 0}, 3}, true, 1},
        {{{0, 1}, {0, 1}, 3}, true, 2},
        {{{2, 2}, {2, 2}, 3}, true, 3},
    };
    struct tables t;
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (unsigned n = 0; n < 8; n++) {
            unsigned choice = n & 3;
            begin_pages(&t, rows[i].stage2);
            t.choices.crossing = (uint8_t)choice;
            t.choices.crossing_is_stage2 = n & 4;
            enum cairn_pe_crossing got = cross(&t, &rows[i].pages);
            /* proves: R_XRQTN */
            assert_int_equal(got, choice);
            if (choice != CAIRN_PE_CROSSING_FAULT)
                continue;
            unsigned stage = rows[i].stage < 3 ? rows[i].stage : n & 4 ? 2 : 1;
            /* proves: R_XRQTN */
            assert_fault(&t, stage, 0x21);
        }
}

/* Nothing to choose: Normal memory alike, and Device memory within a granule. */
static void test_alike(void **state)
{
    struct tables t;
    (void)state;
    begin_pages(&t, true);
    t.choices.crossing = CAIRN_PE_CROSSING_DISCARD;
    struct pages pages = {{0, 0}, {0, 0}, 3};
    /* proves: R_RZTDD */
    assert_int_equal(cross(&t, &pages), CAIRN_PE_CROSSING_OWN);
    put(&t, L3 + 8, FRAME | PAGE | 1 << 2);
    assert_true(trace_write(&t, VA));
    struct cairn_pe_translation first = t.out;
    /* proves: R_XRQTN */
    assert_int_equal(
        cairn_pe_translation_crossing(&first, &first, VA + 8, false, &t.choices, &t.out),
        CAIRN_PE_CROSSING_OWN);
}

/* HCR_EL2.FWB: stage 2 forces one page to be Normal, or leaves both to stage 1. */
static void test_forced(void **state)
{
    /* MemAttr of both pages, which are nGnRnE in stage 1 */
    static const struct {
        uint64_t first, second;
    } rows[] = {{7, 7}, {6, 7}, {6, 5}, {5, 7}};
    struct tables t;
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cairn_pe_translation first, second;
        begin_pages(&t, true);
        put(&t, L3 + 8, FRAME | PAGE | 1 << 2);
        put(&t, L3 + 16, (FRAME + 0x1000) | PAGE | 1 << 2);
        set(&t, CAIRN_PE_ID_AA64MMFR2_EL1, UINT64_C(1) << 40);
        t.registers.value[CAIRN_PE_HCR_EL2] |= UINT64_C(1) << 46;
        put(&t, S2L1, S2BLOCK & ~UINT64_C(0x20));
        put(&t, 0x22028, FRAME | (S2PAGE & ~UINT64_C(0x3c)) | rows[i].first << 2);
        put(&t, 0x22030, (FRAME + 0x1000) | (S2PAGE & ~UINT64_C(0x3c)) | rows[i].second << 2);
        assert_true(trace_write(&t, POINTER));
        first = t.out;
        assert_true(trace_write(&t, VA + 0x1000));
        second = t.out;
        assert_int_equal(first.attributes, rows[i].first == 6 ? 0xff : 0x00);
        assert_int_equal(first.attributes_of[1], rows[i].first == 5 ? 0x44 : 0xff);
        assert_int_equal(second.attributes_of[1], rows[i].second == 5 ? 0x44 : 0xff);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mismatch),
        cmocka_unit_test(test_device),
        cmocka_unit_test(test_alike),
        cmocka_unit_test(test_forced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
