/* SPDX-License-Identifier: BSD-2-Clause */
/* What a trace buffer's writes are to the tables: DDI0608 E1.2.1.2 to E1.2.1.6, E1.2.1.10, E1.2.2.4. */
#include "tables.h"

#define nVM_E 0x21 /* TRBLIMITR_EL1 */

/* --- translation enabled --- */

static void test_virtual(void **state)
{
    struct tables t;
    (void)state;
    begin(&t);
    put(&t, L3 + 0x90, FRAME | PAGE); /* the same frame at 0x40212000 */
    assert_true(trace_write(&t, VA + 0x123));
    /* proves: R_XRNCQ */
    assert_int_equal(t.out.address, FRAME + 0x123);
    assert_true(trace_write(&t, 0x40212123));
    /* proves: R_XRNCQ */
    assert_int_equal(t.out.address, FRAME + 0x123);
    assert_int_equal(t.out.security, CAIRN_NONSECURE);
}

/* The same answers as those of any other privileged write, fault for fault. */
static void test_same_checks(void **state)
{
    static const struct {
        uint64_t descriptor;
        unsigned fault, FSC;
    } rows[] = {
        {FRAME | PAGE, CAIRN_PE_FAULT_NONE, 0},
        {0, CAIRN_PE_FAULT_TRANSLATION, 0x07},
        {FRAME | BLOCK | 0x700, CAIRN_PE_FAULT_TRANSLATION, 0x07}, /* no block at level 3 */
        {UINT64_C(0x10000000000) | PAGE, CAIRN_PE_FAULT_ADDRESS_SIZE, 0x03},
        {(FRAME | PAGE) & ~ACCESSED, CAIRN_PE_FAULT_ACCESS_FLAG, 0x0b},
        {FRAME | PAGE | READ_ONLY, CAIRN_PE_FAULT_PERMISSION, 0x0f},
    };
    struct tables t;
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(&t);
        put(&t, L3 + 8, rows[i].descriptor);
        access_by(&t, VA, CAIRN_PE_MEMORY_WRITE, true);
        struct cairn_pe_translation other = t.out;
        trace_write(&t, VA);
        assert_int_equal(t.out.fault, rows[i].fault);
        /* proves: R_CMDTG, R_QKLXR */
        assert_int_equal(t.out.FSC, rows[i].FSC);
        assert_int_equal(t.out.fault_address, rows[i].fault ? VA : 0);
        /* proves: R_CMDTG */
        assert_true(other.fault == t.out.fault && other.FSC == t.out.FSC &&
                    other.stage == t.out.stage && other.address == t.out.address);
    }
}

/* The next page is not there: its first byte is the first that faults. */
static void test_unmapped_page(void **state)
{
    struct tables t;
    (void)state;
    begin(&t);
    assert_true(trace_write(&t, VA + 0xfff));
    assert_int_equal(t.out.size, 0x1000);
    assert_false(trace_write(&t, VA + 0x1000));
    /* proves: R_CMDTG */
    assert_fault(&t, 1, 0x07);
    assert_int_equal(t.out.fault_address, VA + 0x1000);
}

static void test_attributes(void **state)
{
    struct tables t;
    (void)state;
    begin(&t);
    assert_true(trace_write(&t, VA));
    assert_int_equal(t.out.attributes, 0xff);
    assert_int_equal(t.out.shareability, 3);
    put(&t, L3 + 8, FRAME | PAGE | 2 << 2); /* nGnRE */
    assert_true(trace_write(&t, VA));
    assert_int_equal(t.out.attributes, 0x04);
    assert_int_equal(t.out.shareability, 2);
    put(&t, L3 + 8, FRAME | PAGE);
    set(&t, CAIRN_PE_SCTLR_EL1, 0x1); /* C is 0 */
    assert_true(trace_write(&t, VA));
    /* proves: I_GKBYK */
    assert_int_equal(t.out.attributes, 0x44);
    put(&t, L3 + 8, FRAME | PAGE | 2 << 2);
    assert_true(trace_write(&t, VA));
    assert_int_equal(t.out.attributes, 0x04); /* Device memory is not concerned */
    set(&t, CAIRN_PE_SCTLR_EL1, 0x4);         /* M is 0 */
    assert_true(trace_write(&t, 0x1234));
    assert_int_equal(t.out.address, 0x1234);
    /* proves: I_GKBYK */
    assert_int_equal(t.out.attributes, 0x00);
    assert_int_equal(t.out.shareability, 2);
}

static void test_top_byte(void **state)
{
    uint64_t tagged = VA | UINT64_C(0x5a) << 56;
    struct tables t;
    (void)state;
    begin(&t);
    assert_false(trace_write(&t, tagged));
    assert_fault(&t, 1, 0x04);
    t.registers.value[CAIRN_PE_TCR_EL1] |= UINT64_C(1) << 37; /* TBI0 */
    assert_true(trace_write(&t, tagged));
    /* proves: I_GKBYK */
    assert_int_equal(t.out.address, FRAME);
    /* TBI1 is for the other range, which bit 55 selects. */
    assert_false(trace_write(&t, tagged | UINT64_C(1) << 55));
    assert_fault(&t, 1, 0x04);
}

/* --- translation disabled --- */

static void test_untranslated(void **state)
{
    struct tables t;
    (void)state;
    begin(&t);
    set(&t, CAIRN_PE_TRBLIMITR_EL1, nVM_E);
    set(&t, CAIRN_PE_TRBMAR_EL1, 0x3bb);
    assert_true(trace_write(&t, VA));
    /* proves: R_PBZRZ */
    assert_int_equal(t.out.address, VA);
    assert_int_equal(t.reads, 0);
    /* With stage 2 it is an IPA. */
    enable_stage2(&t);
    put(&t, S2L1 + 8, 0x21000 | TABLE);
    put(&t, 0x21008, 0x22000 | TABLE);
    put(&t, 0x22008, 0x70000000 | S2PAGE);
    assert_true(trace_write(&t, VA + 8));
    /* proves: R_PBZRZ, R_XWDZV */
    assert_int_equal(t.out.address, 0x70000008);
    /* Of EL2 it is a physical address, whatever HCR_EL2.VM says. */
    assert_true(trace_write_as(&t, 2, CAIRN_NONSECURE, VA));
    /* proves: R_PBZRZ, R_SHXTV */
    assert_int_equal(t.out.address, VA);
    assert_int_equal(t.out.security, CAIRN_NONSECURE);
    assert_true(trace_write_as(&t, 2, CAIRN_SECURE, VA));
    assert_int_equal(t.out.security, CAIRN_SECURE);
}

static void test_TRBMAR(void **state)
{
    struct tables t;
    (void)state;
    begin(&t);
    set(&t, CAIRN_PE_TRBLIMITR_EL1, nVM_E);
    set(&t, CAIRN_PE_TRBMAR_EL1, 0x3bb); /* Inner Shareable, Write-Through */
    for (unsigned sctlr = 0; sctlr < 8; sctlr++) {
        set(&t, CAIRN_PE_SCTLR_EL1, sctlr & 5);
        assert_true(trace_write(&t, 0x8000));
        /* proves: R_FJKLW, I_GLNHS */
        assert_int_equal(t.out.attributes, 0xbb);
        assert_int_equal(t.out.shareability, 3);
    }
    set(&t, CAIRN_PE_TRBMAR_EL1, 0x008); /* nGRE */
    assert_true(trace_write(&t, 0x8000));
    /* proves: R_FJKLW */
    assert_int_equal(t.out.attributes, 0x08);
    assert_int_equal(t.out.shareability, 2);
    /* Stage 2 makes it weaker. */
    enable_stage2(&t);
    put(&t, S2L1, S2BLOCK & ~UINT64_C(0x3c)); /* nGnRnE */
    assert_true(trace_write(&t, 0x8000));
    assert_int_equal(t.out.attributes, 0x00);
}

static void test_address_size(void **state)
{
    struct tables t;
    (void)state;
    begin(&t);
    set(&t, CAIRN_PE_TRBLIMITR_EL1, nVM_E);
    assert_true(trace_write(&t, UINT64_C(0xfffffff000)));
    for (unsigned bit = 40; bit < 48; bit++)
        for (unsigned ignore = 0; ignore < 2; ignore++) {
            t.choices.ignore_top = ignore;
            assert_false(trace_write(&t, UINT64_C(0x1000) | UINT64_C(1) << bit));
            /* proves: R_MXRFD */
            assert_fault(&t, 1, 0x00);
            assert_int_equal(t.out.fault_address, UINT64_C(0x1000) | UINT64_C(1) << bit);
        }
    /* FEAT_LPA: all of [51:0] is an address. */
    set(&t, CAIRN_PE_ID_AA64MMFR0_EL1, 0x6);
    t.choices.ignore_top = false;
    assert_true(trace_write(&t, UINT64_C(0xfffffffff1000)));
    /* proves: R_MXRFD */
    assert_int_equal(t.out.address, UINT64_C(0xfffffffff1000));
}

static void test_above_top(void **state)
{
    struct tables t;
    (void)state;
    for (unsigned large = 0; large < 2; large++)
        for (unsigned bit = large ? 52 : 48; bit < 64; bit++) {
            begin(&t);
            set(&t, CAIRN_PE_TRBLIMITR_EL1, nVM_E);
            set(&t, CAIRN_PE_ID_AA64MMFR0_EL1, large ? 0x6 : 0x2);
            assert_false(trace_write(&t, UINT64_C(0x1000) | UINT64_C(1) << bit));
            /* proves: R_BRRK */
            assert_fault(&t, 1, 0x00);
            t.choices.ignore_top = true;
            assert_true(trace_write(&t, UINT64_C(0x1001) | UINT64_C(1) << bit));
            /* proves: R_BRRK */
            assert_int_equal(t.out.address, 0x1001);
        }
}

/* --- stage 2 --- */

static void test_stage2(void **state)
{
    struct tables t;
    (void)state;
    begin(&t);
    enable_stage2(&t);
    assert_true(trace_write(&t, VA));
    assert_int_equal(t.out.address, FRAME);
    put(&t, S2L1 + 16, 0); /* of 0x80000000 to 0xbfffffff */
    assert_false(trace_write(&t, VA + 4));
    /* proves: R_JCMKS */
    assert_fault(&t, 2, 0x05);
    assert_false(t.out.S1PTW);
    assert_int_equal(t.out.IPA, FRAME + 4);
    assert_int_equal(t.out.fault_address, VA + 4);
    put(&t, S2L1 + 16, (0x80000000 | S2BLOCK) & ~UINT64_C(0x80)); /* not writable */
    assert_false(trace_write(&t, VA));
    /* proves: R_JCMKS */
    assert_fault(&t, 2, 0x0d);
    /* The tables themselves are at IPAs. */
    put(&t, S2L1, 0);
    assert_false(trace_write(&t, VA));
    /* proves: R_JCMKS */
    assert_fault(&t, 2, 0x05);
    assert_true(t.out.S1PTW);
    assert_int_equal(t.out.IPA, L1 + 8);
}

static void test_combination(void **state)
{
    static const struct {
        unsigned index, MemAttr, attributes, shareability;
    } rows[] = {
        {0, 0xf, 0xff, 3}, /* WB and WB */
        {0, 0xa, 0xbb, 3}, /* WB and WT: stage 1's hints */
        {0, 0x5, 0x44, 2}, /* WB and NC */
        {0, 0x7, 0x4f, 3}, /* outer NC, inner WB */
        {0, 0x1, 0x04, 2}, /* WB and nGnRE */
        {1, 0xf, 0x00, 2}, /* nGnRnE and WB */
        {2, 0x0, 0x00, 2}, /* nGnRE and nGnRnE */
        {2, 0x3, 0x04, 2}, /* nGnRE and GRE */
        {3, 0xf, 0xbb, 3}, /* WT and WB */
        {4, 0xf, 0xf0, 3}, /* Tagged stays Tagged */
        {4, 0xa, 0xbb, 3}, /* if it is Write-Back */
        {5, 0xf, 0x44, 2}, /* NC and WB */
    };
    struct tables t;
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(&t);
        enable_stage2(&t);
        put(&t, L3 + 8, FRAME | PAGE | rows[i].index << 2);
        put(&t, S2L1 + 16, 0x80000000 | (S2BLOCK & ~UINT64_C(0x3c)) | rows[i].MemAttr << 2);
        assert_true(trace_write(&t, VA));
        /* proves: R_JCMKS, I_ZSDMR */
        assert_int_equal(t.out.attributes, rows[i].attributes);
        assert_int_equal(t.out.shareability, rows[i].shareability);
    }
}

static void test_default_cacheable(void **state)
{
    struct tables t;
    (void)state;
    begin(&t);
    enable_stage2(&t);
    set(&t, CAIRN_PE_HCR_EL2, 0x80001000); /* DC: VM is 1, stage 1 is off */
    set(&t, CAIRN_PE_SCTLR_EL1, 0x1);      /* M 1, C 0: both without effect */
    put(&t, S2L1 + 8, 0x80000000 | (S2BLOCK & ~UINT64_C(0x300))); /* Non-shareable */
    assert_true(trace_write(&t, VA));
    /* proves: I_ZSDMR */
    assert_int_equal(t.out.address, VA + 0x40000000);
    assert_int_equal(t.out.attributes, 0xff);
    assert_int_equal(t.out.shareability, 0);
}

/* --- accesses --- */

static void test_privileged(void **state)
{
    struct tables t;
    (void)state;
    begin(&t);
    /* Of EL1 alone: EL0 may not, the trace buffer may. */
    assert_false(access_by(&t, VA, CAIRN_PE_MEMORY_WRITE, false));
    assert_fault(&t, 1, 0x0f);
    assert_true(trace_write(&t, VA));
    /* Of EL0 too: PAN is for others. */
    put(&t, L3 + 8, FRAME | PAGE | EL0);
    struct cairn_pe_translate_request request = {.address = VA,
                                                 .security = CAIRN_NONSECURE,
                                                 .access = CAIRN_PE_MEMORY_WRITE,
                                                 .privileged = true,
                                                 .PAN = true};
    assert_false(
        cairn_pe_translate(&t.features, &t.registers, &request, &t.choices, &t.memory, &t.out));
    assert_fault(&t, 1, 0x0f);
    assert_true(trace_write(&t, VA));
    /* proves: R_JTVDD, R_QKLXR */
    assert_int_equal(t.out.address, FRAME);
    /* And so is E0PD0. */
    set(&t, CAIRN_PE_ID_AA64MMFR2_EL1, UINT64_C(1) << 60);
    t.registers.value[CAIRN_PE_TCR_EL1] |= UINT64_C(1) << 55;
    assert_false(access_by(&t, VA, CAIRN_PE_MEMORY_WRITE, false));
    assert_fault(&t, 1, 0x04);
    assert_true(trace_write(&t, VA));
    /* proves: R_QKLXR */
    assert_int_equal(t.out.address, FRAME);
}

/* TRBIDR_EL1.F, HA and HD, and what the descriptor becomes. */
static void test_management(void **state)
{
    static const struct {
        unsigned F, HA, HD;
        bool clean; /* DBM, read-only */
        unsigned fault;
    } rows[] = {
        {0, 1, 1, false, CAIRN_PE_FAULT_ACCESS_FLAG}, {1, 0, 0, false, CAIRN_PE_FAULT_ACCESS_FLAG},
        {1, 0, 1, false, CAIRN_PE_FAULT_ACCESS_FLAG}, {1, 1, 0, false, CAIRN_PE_FAULT_NONE},
        {0, 1, 1, true, CAIRN_PE_FAULT_PERMISSION},   {1, 0, 1, true, CAIRN_PE_FAULT_PERMISSION},
        {1, 1, 0, true, CAIRN_PE_FAULT_PERMISSION},   {1, 1, 1, true, CAIRN_PE_FAULT_NONE},
    };
    struct tables t;
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(&t);
        uint64_t from = rows[i].clean ? FRAME | PAGE | READ_ONLY | DBM : (FRAME | PAGE) & ~ACCESSED;
        put(&t, L3 + 8, from);
        set(&t, CAIRN_PE_ID_AA64MMFR1_EL1, 2); /* the PE manages both */
        set(&t, CAIRN_PE_TRBIDR_EL1, rows[i].F << 5);
        t.registers.value[CAIRN_PE_TCR_EL1] |= (uint64_t)rows[i].HA << 39 | (uint64_t)rows[i].HD
                                                                                << 40;
        trace_write(&t, VA);
        /* proves: R_FBKCC, R_QKLXR */
        assert_int_equal(t.out.fault, rows[i].fault);
        uint64_t to = from;
        if (!rows[i].fault)
            to = rows[i].clean ? FRAME | PAGE | DBM : FRAME | PAGE;
        /* proves: R_FBKCC */
        assert_int_equal(get(&t, L3 + 8), to);
    }
}

/* A page is dirty as soon as its address is translated, before anything is written, and if nothing ever is. */
static void test_dirty_before_data(void **state)
{
    struct tables t;
    (void)state;
    begin(&t);
    put(&t, L3 + 8, FRAME | PAGE | READ_ONLY | DBM);
    set(&t, CAIRN_PE_ID_AA64MMFR1_EL1, 2);
    set(&t, CAIRN_PE_TRBIDR_EL1, 1 << 5);
    t.registers.value[CAIRN_PE_TCR_EL1] |= UINT64_C(3) << 39;
    assert_true(trace_write(&t, VA + 0x800));
    /* proves: R_SHWSL */
    assert_int_equal(get(&t, L3 + 8) & READ_ONLY, 0);
    /* Not where the write is not permitted otherwise: a table above forbids it. */
    put(&t, L3 + 8, FRAME | PAGE | READ_ONLY | DBM);
    put(&t, L2 + 8, L3 | TABLE | UINT64_C(1) << 62);
    assert_false(trace_write(&t, VA));
    /* proves: R_SHWSL */
    assert_int_equal(get(&t, L3 + 8) & READ_ONLY, READ_ONLY);
}

static void test_aborts(void **state)
{
    struct tables t;
    (void)state;
    begin(&t);
    t.abort_read = L2 + 8;
    assert_false(trace_write(&t, VA));
    /* proves: R_DJLWB */
    assert_fault(&t, 1, 0x16);
    t.abort_read = 1;
    t.abort_update = L3 + 8;
    put(&t, L3 + 8, (FRAME | PAGE) & ~ACCESSED);
    set(&t, CAIRN_PE_ID_AA64MMFR1_EL1, 2);
    set(&t, CAIRN_PE_TRBIDR_EL1, 1 << 5);
    t.registers.value[CAIRN_PE_TCR_EL1] |= UINT64_C(1) << 39;
    assert_false(trace_write(&t, VA));
    /* proves: R_DJLWB */
    assert_fault(&t, 1, 0x17);
    /* An update that the memory cannot make atomically */
    t.memory.update = NULL;
    assert_false(trace_write(&t, VA));
    /* proves: R_QKLXR */
    assert_fault(&t, 1, 0x31);
}

/* Tagged memory, and a pointer with any tag: nothing asks for the tag. */
static void test_unchecked(void **state)
{
    struct tables t;
    (void)state;
    begin(&t);
    put(&t, L3 + 8, FRAME | PAGE | 4 << 2);
    t.registers.value[CAIRN_PE_TCR_EL1] |= UINT64_C(1) << 37;
    for (uint64_t tag = 0; tag < 16; tag++) {
        assert_true(trace_write(&t, VA | tag << 56));
        /* proves: R_YGMLW */
        assert_int_equal(t.out.address, FRAME);
        assert_int_equal(t.out.attributes, 0xf0);
    }
    assert_int_equal(t.reads, 16 * 3);
}

/* --- owners --- */

static void test_owner_regimes(void **state)
{
    struct tables t;
    (void)state;
    begin(&t);
    enable_stage2(&t);
    set(&t, CAIRN_PE_SCTLR_EL2, 0x5);
    set(&t, CAIRN_PE_MAIR_EL2, 0xff);
    set(&t, CAIRN_PE_TCR_EL2, 0x80023519); /* one range: 39 bits, 4KB, 40-bit outputs */
    set(&t, CAIRN_PE_TTBR0_EL2, 0x30000);
    put(&t, 0x30008, 0x40000000 | (PAGE - 2)); /* a block, other than EL1's page */
    assert_true(trace_write(&t, VA));
    /* proves: R_XWDZV */
    assert_int_equal(t.out.address, FRAME);
    assert_true(trace_write_as(&t, 2, CAIRN_NONSECURE, VA));
    /* proves: R_SHXTV */
    assert_int_equal(t.out.address, VA);
    /* E2H: the same tables are those of the lower of two ranges, and TCR_EL2 is like TCR_EL1. */
    t.registers.value[CAIRN_PE_HCR_EL2] |= UINT64_C(1) << 34;
    set(&t, CAIRN_PE_TCR_EL2, 0x2b5193519);
    set(&t, CAIRN_PE_TTBR1_EL2, 0x31000);
    put(&t, 0x31008, 0xc0000000 | (PAGE - 2));
    assert_true(trace_write_as(&t, 2, CAIRN_NONSECURE, VA | UINT64_C(0xffffff8000000000)));
    /* proves: R_SHXTV */
    assert_int_equal(t.out.address, 0xc0201000);
}

/* The owner is Secure and SCR_EL3.NS is 1: each stage may be of either Security state. */
static void test_changed_security(void **state)
{
    struct tables t;
    (void)state;
    for (unsigned choice = 0; choice < 4; choice++) {
        begin(&t);
        enable_stage2(&t);
        put(&t, S2L1 + 16, 0xc0000000 | S2BLOCK);
        t.choices.stage1_by_SCR = choice & 1;
        t.choices.stage2_by_SCR = choice & 2;
        /* Secure EL2 is off: only Non-secure state has a stage 2. */
        assert_true(trace_write_as(&t, 1, CAIRN_SECURE, VA));
        /* proves: R_RRCNN */
        assert_int_equal(t.out.address, choice & 2 ? 0xc0005000 : FRAME);
        unsigned security = choice ? CAIRN_NONSECURE : CAIRN_SECURE;
        /* proves: R_RRCNN */
        assert_int_equal(t.out.security, security);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_virtual),
        cmocka_unit_test(test_same_checks),
        cmocka_unit_test(test_unmapped_page),
        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_top_byte),
        cmocka_unit_test(test_untranslated),
        cmocka_unit_test(test_TRBMAR),
        cmocka_unit_test(test_address_size),
        cmocka_unit_test(test_above_top),
        cmocka_unit_test(test_stage2),
        cmocka_unit_test(test_combination),
        cmocka_unit_test(test_default_cacheable),
        cmocka_unit_test(test_privileged),
        cmocka_unit_test(test_management),
        cmocka_unit_test(test_dirty_before_data),
        cmocka_unit_test(test_aborts),
        cmocka_unit_test(test_unchecked),
        cmocka_unit_test(test_owner_regimes),
        cmocka_unit_test(test_changed_security),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
