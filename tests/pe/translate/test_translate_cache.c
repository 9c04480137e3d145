/* SPDX-License-Identifier: BSD-2-Clause */
/* Translations that the Trace Buffer Unit keeps, and what has them forgotten: DDI0608 E1.2.1.2, E1.2.1.7,
 * E1.2.1.11. */
#include "pe/translate_cache.h"

#include "tables.h"

#define OTHER UINT64_C(0x90009000) /* a frame that VA is mapped to later */

static struct cairn_pe_translation_cache cache;

static uint64_t write_at(struct tables *t, uint64_t pointer)
{
    if (!cairn_pe_cache_translate(&cache, &t->features, &t->registers, 1, CAIRN_NONSECURE, pointer,
                                  &t->choices, &t->memory, &t->out))
        return 0;
    return t->out.address;
}

static void maintain(struct tables *t, enum cairn_pe_TLBI operation, uint64_t argument)
{
    cairn_pe_cache_TLBI(&cache, &t->features, &t->registers, CAIRN_NONSECURE, operation, argument);
}

static void begin_enabled(struct tables *t, bool combined, unsigned nVM)
{
    begin(t);
    cache = (struct cairn_pe_translation_cache){.combined = combined};
    set(t, CAIRN_PE_TRBLIMITR_EL1, 1 | nVM << 5);
    set(t, CAIRN_PE_TRBMAR_EL1, 0x3ff);
}

/* VA's page by stage 2, of an IPA that is the same number. */
static void map_stage2(struct tables *t, uint64_t frame)
{
    enable_stage2(t);
    put(t, S2L1 + 8, 0x21000 | TABLE);
    put(t, 0x21008, 0x22000 | TABLE);
    put(t, 0x22008, frame | S2PAGE);
}

/* Kept until it is maintained: each instruction, with what it names, and with something else. */
static void test_maintenance(void **state)
{
    static const struct {
        enum cairn_pe_TLBI operation;
        uint64_t argument;
        bool forgets;
    } rows[] = {
        {CAIRN_PE_TLBI_ALLE1, 0, true},
        {CAIRN_PE_TLBI_VMALLS12E1, 0, true},
        {CAIRN_PE_TLBI_VMALLE1, 0, true},
        {CAIRN_PE_TLBI_ASIDE1, UINT64_C(0x21) << 48, true},
        {CAIRN_PE_TLBI_ASIDE1, UINT64_C(0x22) << 48, false},
        {CAIRN_PE_TLBI_VAE1, UINT64_C(0x21) << 48 | VA >> 12, true},
        {CAIRN_PE_TLBI_VAE1, UINT64_C(0x22) << 48 | VA >> 12, false},
        {CAIRN_PE_TLBI_VAE1, UINT64_C(0x21) << 48 | ((VA >> 12) + 1), false},
        {CAIRN_PE_TLBI_VAAE1, VA >> 12, true},
        {CAIRN_PE_TLBI_VAAE1, (VA >> 12) - 1, false},
        {CAIRN_PE_TLBI_ALLE2, 0, false},
        {CAIRN_PE_TLBI_VAE2, VA >> 12, false},
        {CAIRN_PE_TLBI_IPAS2E1, VA >> 12, false},
    };
    struct tables t;
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin_enabled(&t, false, 0);
        set(&t, CAIRN_PE_TTBR0_EL1, L1 | UINT64_C(0x21) << 48); /* the ASID */
        assert_int_equal(write_at(&t, VA + 8), FRAME + 8);
        put(&t, L3 + 8, OTHER | PAGE);
        unsigned reads = t.reads;
        /* proves: I_WYVVXK */
        assert_int_equal(write_at(&t, VA + 16), FRAME + 16);
        assert_int_equal(t.reads, reads);
        maintain(&t, rows[i].operation, rows[i].argument);
        /* proves: R_GQJMC */
        assert_int_equal(write_at(&t, VA), rows[i].forgets ? OTHER : FRAME);
    }
}

/* What is kept belongs to its VMID, ASID and Security state. */
static void test_contexts(void **state)
{
    struct tables t;
    (void)state;
    begin_enabled(&t, true, 0);
    assert_int_equal(write_at(&t, VA), FRAME);
    put(&t, L3 + 8, OTHER | PAGE);
    set(&t, CAIRN_PE_TTBR0_EL1, L1 | UINT64_C(1) << 48);
    assert_int_equal(write_at(&t, VA), OTHER);
    set(&t, CAIRN_PE_TTBR0_EL1, L1);
    assert_int_equal(write_at(&t, VA), FRAME);
    set(&t, CAIRN_PE_VTTBR_EL2, UINT64_C(7) << 48);
    assert_int_equal(write_at(&t, VA), OTHER);
    /* What another VMID's software does not concern it. */
    set(&t, CAIRN_PE_VTTBR_EL2, 0);
    assert_int_equal(write_at(&t, VA), FRAME);
    set(&t, CAIRN_PE_VTTBR_EL2, UINT64_C(7) << 48);
    maintain(&t, CAIRN_PE_TLBI_VMALLE1, 0);
    set(&t, CAIRN_PE_VTTBR_EL2, 0);
    assert_int_equal(write_at(&t, VA), FRAME);
    cairn_pe_cache_TLBI(&cache, &t.features, &t.registers, CAIRN_SECURE, CAIRN_PE_TLBI_ALLE1, 0);
    assert_int_equal(write_at(&t, VA), FRAME);
    maintain(&t, CAIRN_PE_TLBI_ALLE1, 0);
    assert_int_equal(write_at(&t, VA), OTHER);
}

/* Stage 2 changes, and IPAS2E1 alone follows: it is enough if the stages are kept apart, not if they are kept
 * together. */
static void test_combined(void **state)
{
    struct tables t;
    (void)state;
    for (unsigned nVM = 0; nVM < 2; nVM++)
        for (unsigned combined = 0; combined < 2; combined++) {
            begin_enabled(&t, combined, nVM);
            map_stage2(&t, 0x70000000);
            put(&t, L3 + 8, VA | PAGE); /* the IPA is VA, translated or not */
            assert_int_equal(write_at(&t, VA), 0x70000000);
            put(&t, 0x22008, OTHER | S2PAGE);
            maintain(&t, CAIRN_PE_TLBI_IPAS2E1, (VA >> 12) + 1);
            assert_int_equal(write_at(&t, VA), 0x70000000);
            maintain(&t, CAIRN_PE_TLBI_IPAS2E1, VA >> 12);
            /* proves: R_RNPNM */
            assert_int_equal(write_at(&t, VA), combined ? 0x70000000 : OTHER);
            maintain(&t, CAIRN_PE_TLBI_VMALLE1, 0);
            /* proves: S_LSZDR, LST_E1.2.1.11 */
            assert_int_equal(write_at(&t, VA), OTHER);
        }
}

/* The second half of the listing does not do without the first. */
static void test_half_listing(void **state)
{
    struct tables t;
    (void)state;
    for (unsigned all = 0; all < 2; all++) {
        begin_enabled(&t, false, 1);
        map_stage2(&t, 0x70000000);
        assert_int_equal(write_at(&t, VA), 0x70000000);
        put(&t, 0x22008, OTHER | S2PAGE);
        maintain(&t, all ? CAIRN_PE_TLBI_VMALLS12E1 : CAIRN_PE_TLBI_VMALLE1, 0);
        /* proves: S_LSZDR */
        assert_int_equal(write_at(&t, VA), all ? OTHER : 0x70000000);
    }
}

static void prefetch(struct tables *t, uint64_t address)
{
    cairn_pe_cache_prefetch(&cache, &t->features, &t->registers, 1, CAIRN_NONSECURE, address,
                            &t->choices, &t->memory);
}

static void test_prefetch(void **state)
{
    struct tables t;
    (void)state;
    begin_enabled(&t, true, 0);
    prefetch(&t, VA);
    put(&t, L3 + 8, OTHER | PAGE);
    /* proves: R_SJFRQ */
    assert_int_equal(write_at(&t, VA), FRAME);
    /* What faults is looked up again. */
    prefetch(&t, VA + 0x1000);
    put(&t, L3 + 16, OTHER | PAGE);
    assert_int_equal(write_at(&t, VA + 0x1000), OTHER);
}

/* Switched off it reads no table ahead, and what it had is gone. */
static void test_disabled(void **state)
{
    struct tables t;
    (void)state;
    begin_enabled(&t, true, 0);
    assert_int_equal(write_at(&t, VA), FRAME);
    unsigned reads = t.reads;
    set(&t, CAIRN_PE_TRBLIMITR_EL1, 0);
    prefetch(&t, VA);
    /* proves: R_BMSLW */
    assert_int_equal(t.reads, reads);
    put(&t, L3 + 8, OTHER | PAGE);
    set(&t, CAIRN_PE_TRBLIMITR_EL1, 1);
    /* proves: R_BMSLW */
    assert_int_equal(write_at(&t, VA), OTHER);
}

/* Other pages of a block go the same way; a page more does not. */
static void test_sizes(void **state)
{
    struct tables t;
    (void)state;
    begin_enabled(&t, true, 0);
    put(&t, L2 + 8, 0x80000000 | (PAGE - 2));
    assert_int_equal(write_at(&t, 0x40201234), 0x80001234);
    unsigned reads = t.reads;
    assert_int_equal(write_at(&t, 0x40200000), 0x80000000);
    assert_int_equal(write_at(&t, 0x403fffff), 0x801fffff);
    assert_int_equal(t.reads, reads);
    assert_int_equal(write_at(&t, 0x40400000), 0);
    assert_fault(&t, 1, 0x06);
    maintain(&t, CAIRN_PE_TLBI_VAAE1, 0x40300);
    assert_int_equal(write_at(&t, 0x40200000), 0x80000000);
    assert_true(t.reads > reads + 2);
    /* More pages than it has room for */
    put(&t, L2 + 8, L3 | TABLE);
    for (unsigned i = 0; i < 40; i++) {
        put(&t, L3 + 8 * (i + 100), (FRAME + i * 0x1000) | PAGE);
        maintain(&t, CAIRN_PE_TLBI_VAAE1, 0x40200);
        assert_int_equal(write_at(&t, 0x40264000 + i * 0x1000), FRAME + i * 0x1000);
    }
}

/* Eight bits of VMID and ASID, or sixteen. */
static void test_identifiers(void **state)
{
    struct tables t;
    (void)state;
    for (unsigned is_VMID = 0; is_VMID < 2; is_VMID++)
        for (unsigned wide = 0; wide < 2; wide++)
            for (unsigned bit = 0; bit < 16; bit++) {
                begin_enabled(&t, true, 0);
                if (is_VMID)
                    t.registers.value[CAIRN_PE_VTCR_EL2] |= (uint64_t)wide << 19;
                else
                    t.registers.value[CAIRN_PE_TCR_EL1] |= (uint64_t)wide << 36;
                assert_int_equal(write_at(&t, VA), FRAME);
                put(&t, L3 + 8, OTHER | PAGE);
                t.registers.value[is_VMID ? CAIRN_PE_VTTBR_EL2 : CAIRN_PE_TTBR0_EL1] |=
                    UINT64_C(1) << (48 + bit);
                bool is_another = wide || bit < 8;
                assert_int_equal(write_at(&t, VA), is_another ? OTHER : FRAME);
            }
}

/* The upper range, with a tag that TBI1 ignores: maintenance names bits 55:12. */
static void test_upper_range(void **state)
{
    const uint64_t upper = UINT64_C(0xffffff8040201000), tagged = UINT64_C(0x5affff8040201000);
    struct tables t;
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        begin_enabled(&t, true, 0);
        set(&t, CAIRN_PE_TTBR1_EL1, L1);
        t.registers.value[CAIRN_PE_TCR_EL1] |= UINT64_C(1) << 38;
        uint64_t pointer = i & 1 ? tagged : upper;
        assert_int_equal(write_at(&t, pointer), FRAME);
        put(&t, L3 + 8, OTHER | PAGE);
        uint64_t named = (i & 2 ? VA : upper) >> 12 & UINT64_C(0xfffffffffff);
        maintain(&t, CAIRN_PE_TLBI_VAAE1, named);
        /* proves: R_GQJMC */
        assert_int_equal(write_at(&t, pointer), i & 2 ? FRAME : OTHER);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_maintenance), cmocka_unit_test(test_contexts),
        cmocka_unit_test(test_combined),    cmocka_unit_test(test_half_listing),
        cmocka_unit_test(test_prefetch),    cmocka_unit_test(test_disabled),
        cmocka_unit_test(test_sizes),       cmocka_unit_test(test_upper_range),
        cmocka_unit_test(test_identifiers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
