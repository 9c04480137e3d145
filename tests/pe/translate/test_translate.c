/* SPDX-License-Identifier: BSD-2-Clause */
/* What AT does not show, or QEMU does otherwise: fetches, alignment, level -1, large addresses, sizes out
 * of range, Secure stage 2, updates that lose a race, tables that lead back to themselves. */
#include <stdio.h>

#include "tables.h"

#define BIT_UXN (UINT64_C(1) << 54)
#define BIT_PXN (UINT64_C(1) << 53)

/* --- rights --- */

/* What read, write and fetch at EL1 and EL0 give, in letters. */
static const char *rights(struct tables *t)
{
    static char text[8];
    unsigned at = 0;
    for (unsigned privileged = 1; privileged < 2; privileged--)
        for (unsigned access = CAIRN_PE_MEMORY_READ; access <= CAIRN_PE_MEMORY_FETCH; access++)
            text[at++] =
                access_by(t, VA, (enum cairn_pe_access)access, privileged) ? "rwx"[access] : '-';
    text[at] = 0;
    return text;
}

static void test_rights(void **state)
{
    /* AP[2:1], UXN, PXN, SCTLR_EL1.WXN; EL1's rights and EL0's */
    static const struct {
        unsigned AP, UXN, PXN, WXN;
        const char *rights;
    } rows[] = {
        {0, 0, 0, 0, "rwx--x"}, {0, 1, 0, 0, "rwx---"}, {0, 0, 1, 0, "rw---x"},
        {1, 0, 0, 0, "rw-rwx"}, /* what EL0 writes EL1 does not execute */
        {1, 1, 0, 0, "rw-rw-"}, {2, 0, 0, 0, "r-x--x"}, {3, 0, 0, 0, "r-xr-x"},
        {3, 1, 1, 0, "r--r--"}, {0, 0, 0, 1, "rw---x"}, {1, 0, 0, 1, "rw-rw-"},
        {3, 0, 0, 1, "r-xr-x"},
    };
    struct tables t;
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(&t);
        set(&t, CAIRN_PE_SCTLR_EL1, 0x5 | rows[i].WXN << 19);
        put(&t, L3 + 8,
            FRAME | PAGE | rows[i].AP << 6 | (rows[i].UXN ? BIT_UXN : 0) |
                (rows[i].PXN ? BIT_PXN : 0));
        assert_string_equal(rights(&t), rows[i].rights);
    }
}

static void test_table_rights(void **state)
{
    /* bits 63:59 of the table above: NS, AP[1:0], UXN, PXN */
    static const struct {
        uint64_t bits;
        const char *rights, *ignored;
    } rows[] = {
        {0x00, "rw-rwx", "rw-rwx"}, {0x04, "rwx--x", "rw-rwx"}, /* not for EL0 */
        {0x08, "r-xr-x", "rw-rwx"}, {0x0c, "r-x--x", "rw-rwx"}, {0x02, "rw-rw-", "rw-rwx"},
        {0x01, "rw-rwx", "rw-rwx"}, {0x05, "rw---x", "rw-rwx"},
    };
    struct tables t;
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (unsigned level = 1; level < 3; level++) {
            begin(&t);
            put(&t, L3 + 8, FRAME | PAGE | EL0);
            put(&t, level == 1 ? L1 + 8 : L2 + 8,
                (level == 1 ? L2 : L3) | TABLE | rows[i].bits << 59);
            assert_string_equal(rights(&t), rows[i].rights);
            set(&t, CAIRN_PE_ID_AA64MMFR1_EL1, 1 << 12);              /* FEAT_HPDS */
            t.registers.value[CAIRN_PE_TCR_EL1] |= UINT64_C(1) << 41; /* HPD0 */
            assert_string_equal(rights(&t), rows[i].ignored);
        }
}

static void test_stage2_rights(void **state)
{
    /* XN[1:0], S2AP; rights with FEAT_XNX, and without */
    static const struct {
        uint64_t XN;
        unsigned S2AP;
        const char *XNX, *plain;
    } rows[] = {
        {0, 3, "r-xr-x", "r-xr-x"}, {1, 3, "r--r-x", "r-xr-x"}, {2, 3, "r--r--", "r--r--"},
        {3, 3, "r-xr--", "r--r--"}, {0, 1, "r-xr-x", "r-xr-x"}, {0, 2, "--x--x", "--x--x"},
    };
    struct tables t;
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(&t);
        enable_stage2(&t);
        put(&t, L3 + 8, FRAME | PAGE | EL0 | READ_ONLY);
        put(&t, S2L1 + 16,
            (0x80000000 | (S2BLOCK & ~UINT64_C(0xc0))) | rows[i].XN << 53 | rows[i].S2AP << 6);
        assert_string_equal(rights(&t), rows[i].plain);
        set(&t, CAIRN_PE_ID_AA64MMFR1_EL1, 1 << 28);
        assert_string_equal(rights(&t), rows[i].XNX);
    }
}

static void test_secure_fetch(void **state)
{
    struct tables t;
    (void)state;
    begin(&t);
    set(&t, CAIRN_PE_SCR_EL3, 0);
    put(&t, L3 + 8, FRAME | PAGE | 1 << 5); /* NS */
    struct cairn_pe_translate_request request = {.address = VA,
                                                 .security = CAIRN_SECURE,
                                                 .access = CAIRN_PE_MEMORY_FETCH,
                                                 .privileged = true};
    assert_true(
        cairn_pe_translate(&t.features, &t.registers, &request, &t.choices, &t.memory, &t.out));
    assert_int_equal(t.out.security, CAIRN_NONSECURE);
    set(&t, CAIRN_PE_SCR_EL3, 1 << 9); /* SIF */
    assert_false(
        cairn_pe_translate(&t.features, &t.registers, &request, &t.choices, &t.memory, &t.out));
    assert_fault(&t, 1, 0x0f);
    /* A page that is Secure by its descriptor is not beneath a table that is Non-secure. */
    put(&t, L3 + 8, FRAME | PAGE);
    put(&t, L1 + 8, L2 | TABLE | UINT64_C(1) << 63);
    t.securities = 0;
    assert_false(
        cairn_pe_translate(&t.features, &t.registers, &request, &t.choices, &t.memory, &t.out));
    assert_int_equal(t.securities, 1u << CAIRN_SECURE | 1u << CAIRN_NONSECURE);
}

/* --- alignment --- */

static void test_alignment(void **state)
{
    struct tables t;
    (void)state;
    struct cairn_pe_translate_request request = {
        .address = VA + 4, .security = CAIRN_NONSECURE, .privileged = true, .size = 8};
    begin(&t);
    assert_true(
        cairn_pe_translate(&t.features, &t.registers, &request, &t.choices, &t.memory, &t.out));
    t.registers.value[CAIRN_PE_SCTLR_EL1] |= 2; /* A */
    assert_false(
        cairn_pe_translate(&t.features, &t.registers, &request, &t.choices, &t.memory, &t.out));
    assert_fault(&t, 1, 0x21);
    begin(&t);
    put(&t, L3 + 8, FRAME | PAGE | 2 << 2); /* nGnRE */
    assert_false(
        cairn_pe_translate(&t.features, &t.registers, &request, &t.choices, &t.memory, &t.out));
    assert_fault(&t, 1, 0x21);
    begin(&t);
    enable_stage2(&t);
    put(&t, S2L1 + 16, 0x80000000 | (S2BLOCK & ~UINT64_C(0x3c)));
    assert_false(
        cairn_pe_translate(&t.features, &t.registers, &request, &t.choices, &t.memory, &t.out));
    assert_fault(&t, 2, 0x21);
    request.size = 4;
    assert_true(
        cairn_pe_translate(&t.features, &t.registers, &request, &t.choices, &t.memory, &t.out));
}

/* --- sizes --- */

static void test_granules(void **state)
{
    /* TG0, T0SZ, address; where each level's descriptor is, the first level last */
    static const struct {
        unsigned TG, size, tables;
        uint64_t address;
        unsigned indexes[4];
    } rows[] = {
        {0, 16, 4, UINT64_C(0x8080805678), {5, 4, 2, 1}},   /* 4KB, 48 bits: levels 0 to 3 */
        {0, 25, 3, UINT64_C(0x0040a05678), {5, 5, 1}},      /* 39 bits: from level 1 */
        {2, 28, 2, UINT64_C(0x0002014678), {5, 1}},         /* 16KB, 36 bits: from level 2 */
        {2, 17, 3, UINT64_C(0x1002014678), {5, 1, 1}},      /* 47 bits: from level 1 */
        {2, 16, 4, UINT64_C(0x801002014678), {5, 1, 1, 1}}, /* 48 bits: level 0 has two entries */
        {1, 16, 3, UINT64_C(0x40020051234), {5, 1, 1}},     /* 64KB, 48 bits: from level 1 */
        {1, 22, 2, UINT64_C(0x20051234), {5, 1}},           /* 42 bits: from level 2 */
    };
    static const uint8_t bits[3] = {12, 16, 14};
    struct tables t;
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(&t);
        set(&t, CAIRN_PE_TCR_EL1, rows[i].size | rows[i].TG << 14 | UINT64_C(2) << 32);
        uint64_t table = 0x100000;
        set(&t, CAIRN_PE_TTBR0_EL1, table);
        for (unsigned n = rows[i].tables - 1; n < 4; n--) {
            uint64_t to = n ? table + 0x100000 : UINT64_C(0x80000000);
            put(&t, table + 8 * rows[i].indexes[n], to | (n ? TABLE : PAGE));
            table = to;
        }
        assert_true(access_by(&t, rows[i].address, CAIRN_PE_MEMORY_READ, true));
        assert_int_equal(t.reads, rows[i].tables);
        uint64_t offset = rows[i].address & ((UINT64_C(1) << bits[rows[i].TG]) - 1);
        assert_int_equal(t.out.address, 0x80000000 + offset);
        assert_int_equal(t.out.size, UINT64_C(1) << bits[rows[i].TG]);
    }
}

static void test_blocks(void **state)
{
    /* TG0, T0SZ, PARange, DS; the level that has a block, and whether there is such */
    static const struct {
        unsigned TG, size, range, DS, level, is_block;
    } rows[] = {
        {0, 16, 5, 0, 0, 0}, {0, 16, 5, 0, 1, 1}, {0, 16, 5, 0, 2, 1}, {0, 16, 6, 1, 0, 1},
        {2, 17, 5, 0, 1, 0}, {2, 17, 5, 0, 2, 1}, {2, 17, 6, 1, 1, 1}, {2, 16, 6, 1, 0, 0},
        {1, 16, 5, 0, 1, 0}, {1, 16, 5, 0, 2, 1}, {1, 16, 6, 0, 1, 1},
    };
    static const uint8_t bits[3] = {12, 16, 14}, starts[3] = {0, 1, 1};
    struct tables t;
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(&t);
        set(&t, CAIRN_PE_ID_AA64MMFR0_EL1,
            rows[i].range | (rows[i].DS ? UINT64_C(0x10200000) : UINT64_C(0x00100000)));
        set(&t, CAIRN_PE_TCR_EL1,
            rows[i].size | rows[i].TG << 14 | UINT64_C(6) << 32 | (uint64_t)rows[i].DS << 59);
        unsigned start = rows[i].size == 16 && rows[i].TG == 2 ? 0 : starts[rows[i].TG];
        uint64_t table = 0x100000;
        set(&t, CAIRN_PE_TTBR0_EL1, table);
        for (unsigned level = start; level < rows[i].level; level++, table += 0x100000)
            put(&t, table, (table + 0x100000) | TABLE);
        put(&t, table, (PAGE & ~UINT64_C(0x302)));
        bool found = access_by(&t, 0x345, CAIRN_PE_MEMORY_READ, true);
        assert_int_equal(found, rows[i].is_block);
        if (found) {
            unsigned shift = bits[rows[i].TG] + (3 - rows[i].level) * (bits[rows[i].TG] - 3u);
            assert_int_equal(t.out.size, UINT64_C(1) << shift);
            assert_int_equal(t.out.address, 0x345);
        } else {
            assert_fault(&t, 1, 0x04 + rows[i].level);
        }
    }
}

/* FEAT_LPA2: level -1, with codes of its own, and addresses in pieces. */
static void test_level_minus_1(void **state)
{
    struct tables t;
    (void)state;
    begin(&t);
    set(&t, CAIRN_PE_ID_AA64MMFR0_EL1, 0x10200006);
    set(&t, CAIRN_PE_TCR_EL1,
        12 | UINT64_C(6) << 32 | UINT64_C(1) << 59 | 2 << 12); /* 52 bits, SH0 2 */
    put(&t, L1 + 8, 0);
    assert_false(access_by(&t, UINT64_C(0x1000000000000), CAIRN_PE_MEMORY_READ, true));
    assert_fault(&t, 1, 0x2b);
    t.abort_read = L1 + 8;
    assert_false(access_by(&t, UINT64_C(0x1000000000000), CAIRN_PE_MEMORY_READ, true));
    assert_fault(&t, 1, 0x13);
    t.abort_read = 1;
    put(&t, L1 + 8, L2 | TABLE);
    put(&t, L2, UINT64_C(0x0003000000000000) | 2 << 8 | ACCESSED | BLOCK); /* [51:48] is 0b1011 */
    assert_true(access_by(&t, UINT64_C(0x1000000000000), CAIRN_PE_MEMORY_READ, true));
    assert_int_equal(t.out.address, UINT64_C(0xb000000000000));
    assert_int_equal(t.out.shareability, 2);                               /* of TCR_EL1 */
    set(&t, CAIRN_PE_TCR_EL1, 12 | UINT64_C(5) << 32 | UINT64_C(1) << 59); /* 48 bits come out */
    put(&t, L1 + 8, L2 | TABLE | 1 << 8);
    assert_false(access_by(&t, UINT64_C(0x1000000000000), CAIRN_PE_MEMORY_READ, true));
    assert_fault(&t, 1, 0x29);
    /* The table that TTBR0_EL1 names: level 0, whatever the first level. */
    set(&t, CAIRN_PE_TTBR0_EL1, L1 | 1 << 2);
    assert_false(access_by(&t, UINT64_C(0x1000000000000), CAIRN_PE_MEMORY_READ, true));
    assert_fault(&t, 1, 0x00);
}

static void test_size_out_of_range(void **state)
{
    struct tables t;
    (void)state;
    begin(&t);
    set(&t, CAIRN_PE_TCR_EL1, 45 | UINT64_C(2) << 32); /* 39 is most: 25 bits, from level 2 */
    put(&t, L1 + 8, L3 | TABLE);
    put(&t, L3 + 8, FRAME | PAGE);
    assert_false(access_by(&t, 0x201000, CAIRN_PE_MEMORY_READ, true));
    assert_fault(&t, 1, 0x04);
    t.choices.clamp_size = true;
    assert_true(access_by(&t, 0x201000, CAIRN_PE_MEMORY_READ, true));
    assert_int_equal(t.out.address, FRAME);
    assert_false(access_by(&t, 0x2201000, CAIRN_PE_MEMORY_READ, true)); /* 26 bits */
    assert_fault(&t, 1, 0x04);
    /* FEAT_TTST has it: 19 bits, from level 3. */
    t.choices.clamp_size = false;
    set(&t, CAIRN_PE_ID_AA64MMFR2_EL1, 1 << 28);
    put(&t, L1 + 8, FRAME | PAGE);
    assert_true(access_by(&t, 0x1000, CAIRN_PE_MEMORY_READ, true));
    assert_int_equal(t.out.address, FRAME);
    assert_int_equal(t.reads, 3);
}

/* --- stage 2 in Secure state --- */

static void test_secure_stage2(void **state)
{
    struct tables t;
    (void)state;
    for (unsigned bits = 0; bits < 16; bits++)
        for (unsigned NS = 0; NS < 2; NS++) {
            bool SW = bits & 1, SA = bits & 2, NSW = bits & 4, NSA = bits & 8;
            begin(&t);
            enable_stage2(&t);
            set(&t, CAIRN_PE_SCR_EL3, UINT64_C(1) << 18); /* EEL2, Secure */
            t.registers.value[CAIRN_PE_VTCR_EL2] |= (uint64_t)NSW << 29 | (uint64_t)NSA << 30;
            set(&t, CAIRN_PE_VSTCR_EL2, 0x3559 | (uint64_t)SW << 29 | (uint64_t)SA << 30);
            set(&t, CAIRN_PE_VSTTBR_EL2, 0x28000);
            put(&t, 0x28000, S2BLOCK);
            put(&t, 0x28010, 0xc0000000 | S2BLOCK); /* a Secure IPA goes elsewhere */
            put(&t, L3 + 8, FRAME | PAGE | NS << 5);
            t.securities = 0;
            assert_true(trace_write_as(&t, 1, CAIRN_SECURE, VA));
            assert_int_equal(t.out.address, NS ? FRAME : 0xc0005000);
            bool out_NS = NS ? SW || SA || NSW || NSA : SW || SA;
            assert_int_equal(t.out.security, out_NS ? CAIRN_NONSECURE : CAIRN_SECURE);
        }
}

/* --- bounds --- */

static void test_loops(void **state)
{
    struct tables t;
    (void)state;
    begin(&t);
    /* Every table is the first one, at both stages. */
    for (unsigned i = 0; i < 16; i++)
        put(&t, L1 + 8 * i, L1 | TABLE | PAGE);
    set(&t, CAIRN_PE_TCR_EL1, 16 | UINT64_C(2) << 32);
    assert_true(access_by(&t, 0, CAIRN_PE_MEMORY_READ, true));
    assert_int_equal(t.reads, 4);
    enable_stage2(&t);
    set(&t, CAIRN_PE_VTCR_EL2, 0x80023559);
    set(&t, CAIRN_PE_VTTBR_EL2, L1);
    for (unsigned i = 0; i < 16; i++)
        put(&t, L1 + 8 * i, L1 | TABLE | S2PAGE);
    /* The address of stage 1's first descriptor is in the table that all are. */
    for (unsigned i = 0; i < 16; i++)
        put(&t, L1 + 8 * (0x10 + i), L1 | TABLE | S2PAGE);
    t.reads = 0;
    access_by(&t, 0, CAIRN_PE_MEMORY_READ, true);
    assert_in_range(t.reads, 1, 4 + 5 * 3);
}

static void test_race(void **state)
{
    struct tables t;
    (void)state;
    for (unsigned changes = 0; changes < 6; changes++) {
        begin(&t);
        put(&t, L3 + 8, (FRAME | PAGE) & ~ACCESSED);
        set(&t, CAIRN_PE_ID_AA64MMFR1_EL1, 1);
        set(&t, CAIRN_PE_TRBIDR_EL1, 1 << 5);
        t.registers.value[CAIRN_PE_TCR_EL1] |= UINT64_C(1) << 39;
        t.changes = changes;
        bool found = trace_write(&t, VA);
        /* Four tries, each with a walk of its own */
        assert_int_equal(found, changes < 4);
        assert_int_equal(t.updates, changes < 4 ? changes + 1 : 4);
        assert_int_equal(t.reads, 3 * t.updates);
        if (!found)
            assert_fault(&t, 1, 0x31);
    }
}

/* Stage 2 has to let an update of stage 1's descriptor through. */
static void test_update_through_stage2(void **state)
{
    struct tables t;
    (void)state;
    begin(&t);
    enable_stage2(&t);
    put(&t, L3 + 8, (FRAME | PAGE) & ~ACCESSED);
    put(&t, S2L1, S2BLOCK & ~UINT64_C(0x80));
    set(&t, CAIRN_PE_ID_AA64MMFR1_EL1, 1);
    set(&t, CAIRN_PE_TRBIDR_EL1, 1 << 5);
    t.registers.value[CAIRN_PE_TCR_EL1] |= UINT64_C(1) << 39;
    assert_false(trace_write(&t, VA));
    assert_fault(&t, 2, 0x0d);
    assert_true(t.out.S1PTW);
    assert_int_equal(t.out.IPA, L3 + 8);
    put(&t, S2L1, S2BLOCK);
    assert_true(trace_write(&t, VA));
    assert_int_equal(get(&t, L3 + 8), FRAME | PAGE);
}

static void test_forced_attributes(void **state)
{
    /* MAIR's index, MemAttr; with HCR_EL2.FWB */
    static const struct {
        unsigned index, MemAttr, attributes;
    } rows[] = {
        {0, 7, 0xff}, {2, 7, 0x04}, {3, 7, 0xbb}, {4, 7, 0xf0}, /* as stage 1 */
        {0, 6, 0xff}, {2, 6, 0xff}, {3, 6, 0xff}, {5, 6, 0xff}, /* Write-Back */
        {0, 5, 0x44}, {2, 5, 0x04}, {5, 5, 0x44},               /* Non-cacheable */
        {0, 1, 0x04}, {1, 1, 0x00}, {2, 3, 0x04},               /* Device */
    };
    struct tables t;
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(&t);
        enable_stage2(&t);
        set(&t, CAIRN_PE_ID_AA64MMFR2_EL1, UINT64_C(1) << 40);
        t.registers.value[CAIRN_PE_HCR_EL2] |= UINT64_C(1) << 46;
        put(&t, S2L1, S2BLOCK & ~UINT64_C(0x20)); /* the tables: forced Write-Back */
        put(&t, L3 + 8, FRAME | PAGE | rows[i].index << 2);
        put(&t, S2L1 + 16, 0x80000000 | (S2BLOCK & ~UINT64_C(0x3c)) | rows[i].MemAttr << 2);
        assert_true(access_by(&t, VA, CAIRN_PE_MEMORY_READ, true));
        assert_int_equal(t.out.attributes, rows[i].attributes);
    }
}

static void test_PAR(void **state)
{
    struct cairn_pe_translation t = {
        .address = 0x80005678, .security = CAIRN_NONSECURE, .attributes = 0xff, .shareability = 3};
    (void)state;
    assert_int_equal(cairn_pe_translation_PAR(&t), UINT64_C(0xff00000080005b80));
    t.security = CAIRN_SECURE;
    assert_int_equal(cairn_pe_translation_PAR(&t), UINT64_C(0xff00000080005980));
    t.fault = CAIRN_PE_FAULT_PERMISSION;
    t.FSC = 0x0f;
    t.stage = 2;
    t.S1PTW = true;
    assert_int_equal(cairn_pe_translation_PAR(&t), 0xb1f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rights),
        cmocka_unit_test(test_table_rights),
        cmocka_unit_test(test_stage2_rights),
        cmocka_unit_test(test_secure_fetch),
        cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_granules),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_level_minus_1),
        cmocka_unit_test(test_size_out_of_range),
        cmocka_unit_test(test_secure_stage2),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_race),
        cmocka_unit_test(test_update_through_stage2),
        cmocka_unit_test(test_forced_attributes),
        cmocka_unit_test(test_PAR),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
