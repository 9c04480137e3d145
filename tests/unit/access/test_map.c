/* SPDX-License-Identifier: BSD-2-Clause */
/* The register map of the external interface: DDI0608 D8.4, copied by hand. */
#include "reach.h"

enum { RO, RW, WO };

struct row {
    uint32_t offset;
    int access;
    const char *name; /* with %u: the number */
    unsigned first, count, step, bits;
};

/* D8.4.1. */
static const struct row trace[] = {
    {0x004, RW, "TRCPRGCTLR", 0, 1, 0, 32},    {0x00c, RO, "TRCSTATR", 0, 1, 0, 32},
    {0x010, RW, "TRCCONFIGR", 0, 1, 0, 32},    {0x018, RW, "TRCAUXCTLR", 0, 1, 0, 32},
    {0x020, RW, "TRCEVENTCTL0R", 0, 1, 0, 32}, {0x024, RW, "TRCEVENTCTL1R", 0, 1, 0, 32},
    {0x028, RW, "TRCRSR", 0, 1, 0, 32},        {0x02c, RW, "TRCSTALLCTLR", 0, 1, 0, 32},
    {0x030, RW, "TRCTSCTLR", 0, 1, 0, 32},     {0x034, RW, "TRCSYNCPR", 0, 1, 0, 32},
    {0x038, RW, "TRCCCCTLR", 0, 1, 0, 32},     {0x03c, RW, "TRCBBCTLR", 0, 1, 0, 32},
    {0x040, RW, "TRCTRACEIDR", 0, 1, 0, 32},   {0x044, RW, "TRCQCTLR", 0, 1, 0, 32},
    {0x080, RW, "TRCVICTLR", 0, 1, 0, 32},     {0x084, RW, "TRCVIIECTLR", 0, 1, 0, 32},
    {0x088, RW, "TRCVISSCTLR", 0, 1, 0, 32},   {0x08c, RW, "TRCVIPCSSCTLR", 0, 1, 0, 32},
    {0x100, RW, "TRCSEQEVR%u", 0, 3, 4, 32},   {0x118, RW, "TRCSEQRSTEVR", 0, 1, 0, 32},
    {0x11c, RW, "TRCSEQSTR", 0, 1, 0, 32},     {0x120, RW, "TRCEXTINSELR%u", 0, 4, 4, 32},
    {0x140, RW, "TRCCNTRLDVR%u", 0, 4, 4, 32}, {0x150, RW, "TRCCNTCTLR%u", 0, 4, 4, 32},
    {0x160, RW, "TRCCNTVR%u", 0, 4, 4, 32},    {0x180, RO, "TRCIDR%u", 8, 6, 4, 32},
    {0x1c0, RW, "TRCIMSPEC0", 0, 1, 0, 32},    {0x1e0, RO, "TRCIDR%u", 0, 8, 4, 32},
    {0x208, RW, "TRCRSCTLR%u", 2, 30, 4, 32},  {0x280, RW, "TRCSSCCR%u", 0, 8, 4, 32},
    {0x2a0, RW, "TRCSSCSR%u", 0, 8, 4, 32},    {0x2c0, RW, "TRCSSPCICR%u", 0, 8, 4, 32},
    {0x400, RW, "TRCACVR%u", 0, 16, 8, 64},    {0x480, RW, "TRCACATR%u", 0, 16, 8, 64},
    {0x600, RW, "TRCCIDCVR%u", 0, 8, 8, 64},   {0x640, RW, "TRCVMIDCVR%u", 0, 8, 8, 64},
    {0x680, RW, "TRCCIDCCTLR%u", 0, 2, 4, 32}, {0x688, RW, "TRCVMIDCCTLR%u", 0, 2, 4, 32},
    {0xfa0, RW, "TRCCLAIMSET", 0, 1, 0, 32},   {0xfa4, RW, "TRCCLAIMCLR", 0, 1, 0, 32},
};

/* D8.4.2. */
static const struct row management[] = {
    {0x304, RO, "TRCOSLSR", 0, 1, 0, 32},    {0x310, RW, "TRCPDCR", 0, 1, 0, 32},
    {0x314, RO, "TRCPDSR", 0, 1, 0, 32},     {0xf00, RW, "TRCITCTRL", 0, 1, 0, 32},
    {0xfa8, RO, "TRCDEVAFF%u", 0, 2, 4, 32}, {0xfb0, WO, "TRCLAR", 0, 1, 0, 32},
    {0xfb4, RO, "TRCLSR", 0, 1, 0, 32},      {0xfb8, RO, "TRCAUTHSTATUS", 0, 1, 0, 32},
    {0xfbc, RO, "TRCDEVARCH", 0, 1, 0, 32},  {0xfc0, RO, "TRCDEVID2", 0, 1, 0, 32},
    {0xfc4, RO, "TRCDEVID1", 0, 1, 0, 32},   {0xfc8, RO, "TRCDEVID", 0, 1, 0, 32},
    {0xfcc, RO, "TRCDEVTYPE", 0, 1, 0, 32},  {0xfd0, RO, "TRCPIDR%u", 4, 4, 4, 32},
    {0xfe0, RO, "TRCPIDR%u", 0, 4, 4, 32},   {0xff0, RO, "TRCCIDR%u", 0, 4, 4, 32},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define EVERYTHING "TRCIDR4=0x888f8008 "

static struct cairn_unit_register_info find(struct bench *b, const struct row *row, unsigned n)
{
    char name[24];

    snprintf(name, sizeof name, "%s", row->name);
    if (strchr(name, '%') != NULL)
        snprintf(strchr(name, '%'), 8, "%u", row->first + n);
    return reach(b, name);
}

static void check_rows(struct bench *b, const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct row *row = &rows[i];

        for (unsigned n = 0; n < row->count; n++) {
            const struct cairn_unit_register_info info = find(b, row, n);
            const uint32_t offset = row->offset + n * row->step;

            assert_int_equal(info.offset, offset);
            assert_int_equal(info.bits, row->bits);
            assert_int_equal(try_load(b, offset, row->bits / 8, 0),
                             row->access == WO ? CAIRN_ANSWER_RES0 : CAIRN_ANSWER_OK);
            assert_int_equal(try_store(b, offset, row->bits / 8, 0, 0),
                             row->access == RO ? CAIRN_ANSWER_RES0 : CAIRN_ANSWER_OK);
        }
    }
}

static size_t registers_in(const struct row *rows, size_t count)
{
    size_t sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += rows[i].count;
    return sum;
}

static void test_places(void **state)
{
    struct cairn_unit_register_info info = {.size = sizeof info};
    struct bench b;
    size_t all = 0;

    (void)state;
    bench_open(&b, EVERYTHING);
    check_rows(&b, trace, COUNT(trace));
    check_rows(&b, management, COUNT(management));
    while (cairn_unit_register_info(b.unit, all, &info) == CAIRN_OK)
        all++;
    /* proves: D8.4.1, D8.4.2 */
    assert_int_equal(all, registers_in(trace, COUNT(trace)) +
                              registers_in(management, COUNT(management)));
    bench_end(&b);
}

/* What is written is what is read, in bits that are there: each row of D8.4.1 is a register of its own. */
static void test_each_is_itself(void **state)
{
    struct bench b;

    (void)state;
    bench_open(&b, EVERYTHING);
    for (unsigned pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < COUNT(trace); i++) {
            for (unsigned n = 0; n < trace[i].count; n++) {
                const struct cairn_unit_register_info info = find(&b, &trace[i], n);
                const uint64_t value = (info.offset / 4) & 7u;
                uint64_t held = 0;

                /* Registers of one bit, of claim tags, or that only some values have. */
                if (trace[i].access != RW || info.offset == 0x004 || info.offset == 0x010 ||
                    info.offset == 0x018 || info.offset == 0x034 || info.offset == 0x1c0 ||
                    info.offset >= 0xfa0)
                    continue;
                if (pass == 0)
                    (void)try_store(&b, info.offset, info.bits / 8, 0, value);
                assert_int_equal(
                    cairn_unit_load(b.unit, info.offset, info.bits / 8, 0, &held, NULL),
                    CAIRN_ANSWER_OK);
                assert_int_equal(held, read_register(&b, info.name));
                if (strncmp(info.name, "TRCCNTVR", 8) == 0 ||
                    strncmp(info.name, "TRCACVR", 7) == 0 ||
                    strncmp(info.name, "TRCEXTINSELR", 12) == 0)
                    /* proves: D8.4.1 */
                    assert_int_equal(held, value);
            }
        }
    }
    bench_end(&b);
}

/* Registers that are read-only keep what they say. */
static void test_identification(void **state)
{
    static const struct {
        uint32_t offset;
        uint64_t value;
    } rows[] = {
        {0xff0, 0x0d}, {0xff4, 0x90},       {0xff8, 0x05},       {0xffc, 0xb1},
        {0xfcc, 0x13}, {0xfbc, 0x47725a13}, {0x1e4, 0x0000fff0}, {0xfb4, 0},
    };
    struct bench b;

    (void)state;
    bench_open(&b, "REVISION=2");
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t value = 1;

        assert_int_equal(try_store(&b, rows[i].offset, 4, 0, 0x5a5a5a5a), CAIRN_ANSWER_RES0);
        assert_int_equal(cairn_unit_load(b.unit, rows[i].offset, 4, 0, &value, NULL),
                         CAIRN_ANSWER_OK);
        /* proves: D8.4.2, R_SVSNR */
        assert_int_equal(value, rows[i].value);
    }
    bench_end(&b);
}

/* Everything else in the 4 KiB is nothing; so is the space of integration registers. */
static void test_holes(void **state)
{
    struct bench b;
    uint8_t there[0x1000 / 4] = {0};

    (void)state;
    for (size_t i = 0; i < COUNT(trace); i++)
        for (unsigned n = 0; n < trace[i].count; n++)
            memset(&there[(trace[i].offset + n * trace[i].step) / 4], 1, trace[i].bits / 32);
    for (size_t i = 0; i < COUNT(management); i++)
        for (unsigned n = 0; n < management[i].count; n++)
            there[(management[i].offset + n * management[i].step) / 4] = 1;
    bench_open(&b, EVERYTHING);
    for (uint32_t offset = 0; offset < 0x1000; offset += 4) {
        uint64_t value = 1;

        if (there[offset / 4])
            continue;
        assert_int_equal(try_store(&b, offset, 4, 0, UINT32_MAX), CAIRN_ANSWER_RES0);
        assert_int_equal(cairn_unit_load(b.unit, offset, 4, 0, &value, NULL), CAIRN_ANSWER_RES0);
        /* proves: D8.4.1 */
        assert_int_equal(value, 0);
        if (offset >= 0xe80 && offset < 0xf00)
            /* proves: D8.4.3 */
            assert_int_equal(value, 0);
    }
    bench_end(&b);
}

/* What was not built is not there. */
static void test_not_built(void **state)
{
    static const char *const names[] = {"TRCACVR8",     "TRCACATR15", "TRCCNTVR2",  "TRCCNTCTLR3",
                                        "TRCRSCTLR16",  "TRCSSCCR1",  "TRCCIDCVR1", "TRCVMIDCVR1",
                                        "TRCCIDCCTLR1", "TRCSSPCICR0"};
    char text[512] = "";
    struct cairn_register value;
    struct bench b;

    (void)state;
    for (size_t i = 0; cairn_unit_recommended(i, &value) == CAIRN_OK; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s=0x%llx ", value.name,
                 (unsigned long long)value.value);
    bench_open(&b, text);
    for (size_t i = 0; i < COUNT(names); i++) {
        struct cairn_unit_register_info info = {.size = sizeof info};

        assert_int_equal(cairn_unit_register_find(b.unit, names[i], &info), CAIRN_E_NOT_FOUND);
    }
    (void)reach(&b, "TRCACVR7");
    (void)reach(&b, "TRCCNTVR1");
    (void)reach(&b, "TRCRSCTLR15");
    /* proves: D8.4.1 */
    assert_int_equal(try_load(&b, 0x440, 8, 0), CAIRN_ANSWER_UNKNOWN);
    /* proves: D8.4.1 */
    assert_int_equal(try_load(&b, 0x440, 4, 0), CAIRN_ANSWER_RES0);
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),         cmocka_unit_test(test_each_is_itself),
        cmocka_unit_test(test_identification), cmocka_unit_test(test_holes),
        cmocka_unit_test(test_not_built),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
