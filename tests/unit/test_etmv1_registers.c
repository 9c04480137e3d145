/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers of an ETMv1, bit by bit and version by version: IHI0014 Table 3-3 and 3.5; and which
 * instructions end a block of it. */
#include <stdio.h>
#include <string.h>

#include "etmv1_bench.h"
#include "unit/etmv1/registers.h"

#define CCR(protocol) ((uint32_t)(protocol) << 28 | 0x898088u)

static const struct row {
    const char *name;
    uint32_t bits;
    unsigned count; /* of an array, from 1 on; 0: it is none */
    unsigned since; /* the minor version that it came with */
} rows[] = {
    {"ETMTRIGGER", 0x1ffff, 0, 0},   {"ETMTSSCR", 0xffffffff, 0, 2}, {"ETMTECR2", 0xffff, 0, 2},
    {"ETMTEEVR", 0x1ffff, 0, 0},     {"ETMFFRR", 0x10000ff, 0, 0},   {"ETMFFLR", 0xff, 0, 0},
    {"ETMVDEVR", 0x1ffff, 0, 0},     {"ETMVDCR1", 0xffffffff, 0, 0}, {"ETMVDCR3", 0x1ffff, 0, 0},
    {"ETMACVR", 0xffffffff, 16, 0},  {"ETMACTR", 0x7f, 16, 0},       {"ETMDCVR", 0xffffffff, 8, 0},
    {"ETMDCMR", 0xffffffff, 8, 0},   {"ETMCNTRLDVR", 0xffff, 4, 0},  {"ETMCNTENR", 0x3ffff, 4, 0},
    {"ETMCNTRLDEVR", 0x1ffff, 4, 0}, {"ETMCNTVR", 0xffff, 4, 0},     {"ETMSQ12EVR", 0x1ffff, 0, 0},
    {"ETMSQ21EVR", 0x1ffff, 0, 0},   {"ETMSQ23EVR", 0x1ffff, 0, 0},  {"ETMSQ31EVR", 0x1ffff, 0, 0},
    {"ETMSQ32EVR", 0x1ffff, 0, 0},   {"ETMSQ13EVR", 0x1ffff, 0, 0},  {"ETMSQR", 0x3, 0, 0},
};

static struct cairn_etmv1_registers file;

/* With all at reset, of that version. */
static void of_version(unsigned minor)
{
    cairn_etmv1_registers_reset(&file, false);
    assert_int_equal(cairn_etmv1_registers_write(&file, "ETMCCR", CCR(minor), true, NULL),
                     CAIRN_OK);
}

/* Each bit of the register alone: it is taken, kept, and no other register's, or refused. */
static void expect_bits(const char *name, unsigned minor, uint32_t bits, bool exists)
{
    uint64_t value;

    for (unsigned bit = 0; bit < 33; bit++) {
        const uint64_t one = UINT64_C(1) << bit;
        const bool taken = exists && (bits & one);

        of_version(minor);
        if ((cairn_etmv1_registers_write(&file, name, one, false, NULL) == CAIRN_OK) != taken)
            fail_msg("%s of an ETMv1.%u, bit %u", name, minor, bit);
        assert_int_equal(cairn_etmv1_registers_read(&file, name, &value),
                         exists ? CAIRN_OK : CAIRN_E_NOT_FOUND);
        if (taken)
            assert_int_equal(value, one);
    }
}

static void test_bits(void **state)
{
    (void)state;
    for (unsigned minor = 0; minor < 4; minor++) {
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            const struct row *row = &rows[i];
            char name[24];

            if (row->count == 0)
                expect_bits(row->name, minor, row->bits, minor >= row->since);
            for (unsigned n = 0; row->count > 0 && n <= row->count + 1; n++) {
                snprintf(name, sizeof name, "%s%u", row->name, n);
                expect_bits(name, minor, row->bits, n > 0 && n <= row->count);
            }
        }
        /* STARTSTOP came with the start and stop points, in v1.2 */
        expect_bits("ETMTECR1", minor, minor >= 2 ? 0x30000ff : 0x10000ff, true);
        /* Context IDs too; of the port's size bit 6 alone is none, PROGRAMMING is the unit's */
        expect_bits("ETMCR", minor, minor >= 2 ? 0x3fbbf : 0x33bbf, true);
        /* nobody writes these */
        expect_bits("ETMCCR", minor, 0, true);
        expect_bits("ETMSCR", minor, 0, minor >= 2);
        expect_bits("ETMSR", minor, 0, minor >= 1);
        expect_bits("HIVECS", minor, 0, true);
        expect_bits("BIGENDIAN", minor, 0, true);
        expect_bits("ETMSYNCFR", minor, 0, false); /* from ETMv2 on */
        expect_bits("ETMCIDCVR1", minor, 0, false);
    }
}

/* Written, each is listed once with its value; what is 0 is left out, but where a decoder has to know
 * it. */
static void test_list(void **state)
{
    (void)state;
    for (unsigned minor = 0; minor < 4; minor++)
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            struct cairn_register one;
            unsigned found = 0;
            char name[24];

            snprintf(name, sizeof name, rows[i].count ? "%s%u" : "%s", rows[i].name, rows[i].count);
            of_version(minor);
            const bool exists =
                cairn_etmv1_registers_write(&file, name, rows[i].bits, false, NULL) == CAIRN_OK;
            for (size_t n = 0; cairn_etmv1_registers_list(&file, n, &one) == CAIRN_OK; n++) {
                if (strcmp(one.name, name) != 0) {
                    assert_true(one.value != 0 || strcmp(one.name, "HIVECS") == 0);
                    continue;
                }
                assert_int_equal(one.value, rows[i].bits);
                found++;
            }
            assert_int_equal(found, exists);
        }
}

/* 5.1: a status tells of one instruction and whether it has data: transfers end a block where they are
 * traced, and coprocessor transfers where those are. */
static void test_block_ends(void **state)
{
    /* mov r0, r0; mrc p15, 0, r0, c1, c0, 0; ldr r1, [r2]; b . */
    static const uint8_t code[] = {0x00, 0x00, 0xa0, 0xe1, 0x10, 0x0f, 0x11, 0xee,
                                   0x00, 0x10, 0x92, 0xe5, 0xfe, 0xff, 0xff, 0xea};
    static const struct {
        const char *control;
        unsigned count;
    } programs[] = {{"ETMCR=10", 4}, {"ETMCR=14", 3}, {"ETMCR=18", 3},
                    {"ETMCR=1c", 3}, {"ETMCR=12", 2}, {"ETMCR=16", 2}};

    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        struct cairn_block block;

        pins_begin(programs[i].control);
        assert_int_equal(
            cairn_unit_scan(pins.unit, CAIRN_ISA_A32, 0x8000, code, sizeof code, &block),
            4 * programs[i].count);
        assert_int_equal(block.count, programs[i].count);
        pins_end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_block_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
