/* SPDX-License-Identifier: BSD-2-Clause */
/* What units are built with: DDI0608 D16, D4.1, D1.5, D6.10, D7.3, D7.4. */
#include "reach.h"

static const struct cairn_arch armv8 = {.profile = CAIRN_PROFILE_A, .major = 8};
static const struct cairn_arch armv9_2 = {.profile = CAIRN_PROFILE_A, .major = 9, .minor = 2};

/* A unit with one register built otherwise. */
static cairn_status try_build(enum cairn_protocol_id protocol, const char *name, uint64_t value,
                              uint32_t choices, struct cairn_error *error)
{
    const struct cairn_register one = {.name = name, .value = value};
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_unit *unit = NULL;
    cairn_status status;

    options.protocol = protocol;
    options.arch = cairn_arch_any_a();
    options.registers = &one;
    options.register_count = name ? 1 : 0;
    options.choices |= choices;
    status = cairn_unit_new(&options, &unit, error);
    cairn_unit_free(unit);
    return status;
}

static uint64_t default_of(enum cairn_protocol_id protocol, const struct cairn_arch *arch,
                           const char *name)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_unit *unit;
    uint64_t value;

    options.protocol = protocol;
    options.arch = *arch;
    assert_int_equal(cairn_unit_new(&options, &unit, NULL), CAIRN_OK);
    assert_int_equal(cairn_unit_read(unit, name, &value), CAIRN_OK);
    cairn_unit_free(unit);
    return value;
}

static uint64_t ete(const char *name)
{
    const struct cairn_arch any = cairn_arch_any_a();

    return default_of(CAIRN_PROTOCOL_ETE, &any, name);
}

/* --- mandatory in ETE, and not in ETMv4 --- */

/* A field of an ETE that has this value in every unit: no other can be built. */
static cairn_status with_field(const char *name, unsigned high, unsigned low, uint64_t value)
{
    const uint64_t mask = (UINT64_C(1) << (high - low + 1)) - 1;
    struct cairn_error error = {.text = ""};
    const cairn_status status =
        try_build(CAIRN_PROTOCOL_ETE, name, (ete(name) & ~(mask << low)) | value << low, 0, &error);

    if (status != CAIRN_OK)
        assert_non_null(strstr(error.text, name));
    return status;
}

static uint64_t field_of(const char *name, unsigned high, unsigned low)
{
    return ete(name) >> low & ((UINT64_C(1) << (high - low + 1)) - 1);
}

/* All values of a field of few bits but one are refused. */
static bool has_only(const char *name, unsigned high, unsigned low, uint64_t value)
{
    bool only = field_of(name, high, low) == value;

    for (uint64_t other = 0; other < UINT64_C(1) << (high - low + 1); other++)
        only &= (with_field(name, high, low, other) == CAIRN_OK) == (other == value);
    return only;
}

static void test_mandatory(void **state)
{
    (void)state;
    /* proves: D16.37 */
    assert_true(has_only("TRCIDR0", 5, 5, 1));
    /* proves: D16.40 */
    assert_true(has_only("TRCIDR0", 7, 7, 1));
    /* proves: D16.39 */
    assert_true(has_only("TRCIDR3", 24, 24, 1));
    /* proves: D16.38 */
    assert_true(has_only("TRCIDR3", 25, 25, 0));
    /* proves: D16.14 */
    assert_true(has_only("TRCIDR5", 8, 0, 0x1ff));
}

static void test_mandatory_sizes(void **state)
{
    (void)state;
    /* proves: D16.07, R_GVMFG */
    assert_true(has_only("TRCIDR2", 9, 5, 4));
    /* proves: D16.12 */
    assert_true(has_only("TRCIDR2", 4, 0, 8));
    /* proves: D16.10, D16.11 */
    assert_true(has_only("TRCIDR0", 28, 24, 8));
}

static void test_versions(void **state)
{
    (void)state;
    /* proves: D16.03 */
    assert_true(has_only("TRCDEVARCH", 20, 20, 1));
    /* ARCHVER 5, where ETMv4 has 4; REVISION is of the PE's architecture. */
    /* proves: D16.04 */
    assert_true(has_only("TRCDEVARCH", 15, 12, 5));
    /* proves: D16.04 */
    assert_int_equal(default_of(CAIRN_PROTOCOL_ETE, &armv9_2, "TRCDEVARCH") >> 16 & 0xf, 2);
    assert_int_equal(default_of(CAIRN_PROTOCOL_ETMV4, &armv8, "TRCDEVARCH") >> 12 & 0xf, 4);
    /* proves: D16.05 */
    assert_true(has_only("TRCIDR1", 11, 8, 0xf));
    /* proves: D16.05 */
    assert_true(has_only("TRCIDR1", 7, 4, 0xf));
    assert_int_equal(default_of(CAIRN_PROTOCOL_ETMV4, &armv8, "TRCIDR1") >> 4 & 0xff, 0x44);
}

/* No data trace, and nothing that it needs. */
static void test_no_data_trace(void **state)
{
    static const char *const names[] = {"TRCVDCTLR", "TRCVDSACCTLR", "TRCVDARCCTLR", "TRCDVCVR0"};
    struct cairn_unit_register_info info = {.size = sizeof info};
    struct bench b;

    (void)state;
    /* proves: D16.06 */
    assert_int_equal(ete("TRCIDR9"), 0);
    /* proves: D16.06 */
    assert_int_equal(try_build(CAIRN_PROTOCOL_ETE, "TRCIDR9", 1, 0, NULL), CAIRN_E_CONFIG);
    /* proves: D16.01 */
    assert_true(has_only("TRCIDR0", 4, 3, 0) && has_only("TRCIDR0", 2, 1, 0));
    bench_open(&b, "");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        /* proves: D16.01 */
        assert_int_equal(cairn_unit_register_find(b.unit, names[i], &info), CAIRN_E_NOT_FOUND);
    msr(&b, "TRCCONFIGR", UINT32_MAX & ~0x6000u); /* QE 3 is fine, 2 is not */
    /* INSTP0, COND, DA and DV are not there. */
    /* proves: D16.01 */
    assert_int_equal(mrs(&b, "TRCCONFIGR") & 0x30706, 0);
    bench_end(&b);
}

/* One PE a unit. */
static void test_one_PE(void **state)
{
    (void)state;
    /* proves: D16.20, R_TLJSQ */
    assert_true(has_only("TRCIDR3", 13, 12, 0));
    /* proves: D16.20, R_TLJSQ */
    assert_true(has_only("TRCIDR3", 30, 28, 0));
}

/* Virtual context identifiers where there is EL2, and only there. */
static void test_vmid(void **state)
{
    (void)state;
    for (unsigned levels = 0; levels < 4; levels++) {
        for (unsigned size = 0; size < 2; size++) {
            const bool has_EL2 = levels != 0;
            struct cairn_register registers[] = {
                {.name = "TRCIDR3",
                 .value = (ete("TRCIDR3") & ~UINT64_C(0x440000)) | (levels & 1 ? 0x400000 : 0) |
                          (levels & 2 ? 0x40000 : 0)},
                {.name = "TRCIDR2",
                 .value = (ete("TRCIDR2") & ~UINT64_C(0x7c00)) | (size ? 4u << 10 : 0)},
            };
            struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
            struct cairn_unit *unit = NULL;
            struct cairn_error error = {.text = ""};
            cairn_status status;

            options.arch = cairn_arch_any_a();
            options.registers = registers;
            options.register_count = 2;
            status = cairn_unit_new(&options, &unit, &error);
            if (has_EL2)
                /* proves: R_PTVYD, D16.08 */
                assert_int_equal(status == CAIRN_OK, size);
            else
                /* proves: R_BRDYF, D16.08 */
                assert_int_equal(status == CAIRN_OK, !size);
            if (status == CAIRN_OK && !size)
                /* proves: R_BRDYF */
                assert_int_equal(cairn_unit_write(unit, "TRCCONFIGR", 0x81, NULL), CAIRN_E_CONFIG);
            cairn_unit_free(unit);
        }
    }
}

/* What is traced then is CONTEXTIDR_EL2, all 32 bits of it; without EL2, nothing. */
static void test_vmid_traced(void **state)
{
    (void)state;
    for (int EL2 = 0; EL2 < 2; EL2++) {
        struct cairn_context context = {
            .EL = 1, .security = CAIRN_NONSECURE, .SF = 1, .vmid = 0xdeadbeef};
        struct bench b;

        bench_begin(&b, EL2 ? "VMID CID" : "CID TRCIDR3=0x8d3b0001 TRCIDR2=0x50000088");
        cairn_unit_context(b.unit, &context);
        branch(&b, 0x1000, 0x2000, TAKEN);
        if (EL2)
            /* proves: R_PTVYD */
            assert_true(strstr(bench_trace(&b), "vmid=3735928559") != NULL);
        else
            /* proves: R_BRDYF */
            assert_trace(&b, BEGIN("1000") " E");
        bench_end(&b);
    }
}

/* TRCSYNCPR can be written in every configuration, and is what it was written. */
static void test_syncpr(void **state)
{
    struct bench b;

    (void)state;
    bench_open(&b, "");
    for (unsigned period = 0; period < 32; period++) {
        const bool legal = period == 0 || (period >= 8 && period <= 20);

        /* proves: D16.38 */
        assert_int_equal(try_msr(&b, "TRCSYNCPR", 1, period),
                         legal ? CAIRN_ANSWER_OK : CAIRN_ANSWER_IGNORED);
        if (legal)
            /* proves: D16.38 */
            assert_int_equal(mrs(&b, "TRCSYNCPR"), period);
    }
    bench_end(&b);
    /* An ETMv4 may have a fixed one. */
    bench_open(&b, "etmv4 TRCIDR3=0x8f7f0001");
    assert_int_equal(try_msr(&b, "TRCSYNCPR", 1, 9), CAIRN_ANSWER_UNDEFINED);
    bench_end(&b);
}

/* --- sizes --- */

static void test_sizes(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < 16; n++) {
        /* proves: R_YCRNP */
        assert_int_equal(with_field("TRCIDR4", 3, 0, n) == CAIRN_OK, n <= 8);
        /* proves: R_TYNZR */
        assert_int_equal(with_field("TRCIDR2", 28, 25, n) == CAIRN_OK, n <= 8);
    }
    for (unsigned pairs = 0; pairs <= 8; pairs++) {
        struct cairn_unit_register_info info = {.size = sizeof info};
        struct bench b;
        unsigned found = 0;
        char text[32];

        snprintf(text, sizeof text, "TRCIDR4=0x888f000%u", pairs);
        bench_open(&b, text);
        for (size_t i = 0; cairn_unit_register_info(b.unit, i, &info) == CAIRN_OK; i++)
            found += strncmp(info.name, "TRCACVR", 7) == 0;
        /* proves: R_YCRNP */
        assert_int_equal(found, 2 * pairs);
        bench_end(&b);
    }
}

/* The cycle counter counts as far as it says: at most 2^20 - 1. */
static void test_cycle_counter(void **state)
{
    (void)state;
    for (unsigned size = 0; size <= 8; size++) {
        const uint64_t most = (UINT64_C(1) << (12 + size)) - 1;
        struct bench b;
        char text[64], word[32];

        snprintf(text, sizeof text, "CCI THRESHOLD=1 CCSIZE=%u", size);
        bench_begin(&b, text);
        cycles(&b, 1);
        branch(&b, 0x1000, 0x1000, TAKEN);
        (void)bench_trace(&b);
        cycles(&b, most);
        branch(&b, 0x1000, 0x1000, TAKEN);
        snprintf(word, sizeof word, "E CC(%llu)", (unsigned long long)most);
        /* proves: R_TYNZR */
        assert_trace(&b, word);
        cycles(&b, most + 1);
        branch(&b, 0x1000, 0x1000, TAKEN);
        /* proves: R_TYNZR */
        assert_trace(&b, "E CC(?)");
        bench_end(&b);
    }
}

static void test_return_stack(void **state)
{
    (void)state;
    for (uint32_t depth = 0; depth < 20; depth++) {
        struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
        struct cairn_unit *unit = NULL;
        struct bench b;
        char text[32];
        unsigned addresses;

        options.arch = cairn_arch_any_a();
        options.return_stack_depth = depth;
        /* proves: R_HNDJJ */
        assert_int_equal(cairn_unit_new(&options, &unit, NULL) == CAIRN_OK, depth <= 15);
        cairn_unit_free(unit);
        if (depth > 15)
            continue;
        /* 16 calls, and back: as many returns are predicted as it has entries. */
        snprintf(text, sizeof text, "RS depth=%u", depth);
        bench_begin(&b, text);
        for (unsigned i = 0; i < 16; i++)
            call(&b, 0x1000 * (i + 1), 0x1000 * (i + 2));
        (void)bench_trace(&b);
        for (unsigned i = 16; i > 0; i--)
            ret(&b, i == 16 ? 0x1000 * 17 : 0x1000 * (i + 1) + 4);
        branch(&b, 0x1004, 0x2000, NOT_TAKEN);
        addresses = (unsigned)bench_count(bench_trace(&b), "ADDR");
        /* proves: R_HNDJJ */
        assert_int_equal(addresses, 16 - depth);
        bench_end(&b);
    }
}

/* --- what the architecture recommends --- */

static uint64_t recommended(const char *name, unsigned high, unsigned low)
{
    struct cairn_register value;

    for (size_t i = 0; cairn_unit_recommended(i, &value) == CAIRN_OK; i++)
        if (strcmp(value.name, name) == 0)
            return value.value >> low & ((UINT64_C(1) << (high - low + 1)) - 1);
    fail_msg("%s is not recommended", name);
    return 0;
}

/* The table of D4.1, row by row. */
static void test_recommended(void **state)
{
    static const struct {
        const char *what, *name;
        unsigned high, low;
        uint64_t least, most;
    } rows[] = {
        {"ATBTRIG", "TRCIDR5", 22, 22, 1, 1},     {"NUMACPAIRS", "TRCIDR4", 3, 0, 4, 4},
        {"NUMCIDC", "TRCIDR4", 27, 24, 1, 8},     {"NUMVMIDC", "TRCIDR4", 31, 28, 1, 8},
        {"NUMCNTR", "TRCIDR5", 30, 28, 2, 2},     {"NUMEVENT", "TRCIDR0", 11, 10, 3, 3},
        {"NUMEXTINSEL", "TRCIDR5", 11, 9, 4, 4},  {"NUMRSPAIR", "TRCIDR4", 19, 16, 7, 15},
        {"NUMSEQSTATE", "TRCIDR5", 27, 25, 4, 4}, {"NUMSSCC", "TRCIDR4", 23, 20, 1, 8},
        {"RETSTACK", "TRCIDR0", 9, 9, 1, 1},      {"STALLCTL", "TRCIDR3", 26, 26, 1, 1},
        {"TRACEIDSIZE", "TRCIDR5", 21, 16, 7, 7}, {"CCITMIN", "TRCIDR3", 11, 0, 4, 4},
        {"CCSIZE", "TRCIDR2", 28, 25, 0, 8},      {"WFXMODE", "TRCIDR2", 31, 31, 1, 1},
    };
    struct cairn_register list[16];
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_unit *unit;
    size_t count = 0;

    (void)state;
    while (cairn_unit_recommended(count, &list[count]) == CAIRN_OK)
        assert_true(++count < 16);
    options.arch = armv9_2;
    options.registers = list;
    options.register_count = count;
    options.choices |= CAIRN_UNIT_HAS_ATB;
    assert_int_equal(cairn_unit_new(&options, &unit, NULL), CAIRN_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint64_t value = recommended(rows[i].name, rows[i].high, rows[i].low);
        uint64_t held;

        /* proves: I_YCKVP */
        assert_in_range(value, rows[i].least, rows[i].most);
        assert_int_equal(cairn_unit_read(unit, rows[i].name, &held), CAIRN_OK);
        /* proves: I_YCKVP */
        assert_int_equal(
            held >> rows[i].low & ((UINT64_C(1) << (rows[i].high - rows[i].low + 1)) - 1), value);
    }
    cairn_unit_free(unit);
}

/* An ATB port takes triggers and trace IDs of seven bits. */
static void test_ATB(void **state)
{
    static const enum cairn_protocol_id protocols[] = {CAIRN_PROTOCOL_ETE, CAIRN_PROTOCOL_ETMV4};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        const struct cairn_arch any = cairn_arch_any_a();
        const uint64_t idr5 = default_of(protocols[i], &any, "TRCIDR5");
        const uint64_t no_trigger = idr5 & ~UINT64_C(0x400000);
        const uint64_t no_id = idr5 & ~UINT64_C(0x3f0000);

        assert_int_equal(try_build(protocols[i], "TRCIDR5", idr5, CAIRN_UNIT_HAS_ATB, NULL),
                         CAIRN_OK);
        /* proves: R_RWPFQ */
        assert_int_equal(try_build(protocols[i], "TRCIDR5", no_trigger, CAIRN_UNIT_HAS_ATB, NULL),
                         CAIRN_E_CONFIG);
        /* proves: R_RWPFQ */
        assert_int_equal(try_build(protocols[i], "TRCIDR5", no_id, CAIRN_UNIT_HAS_ATB, NULL),
                         CAIRN_E_CONFIG);
        assert_int_equal(try_build(protocols[i], "TRCIDR5", no_trigger, 0, NULL), CAIRN_OK);
        assert_int_equal(try_build(protocols[i], "TRCIDR5", no_id, 0, NULL), CAIRN_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mandatory),    cmocka_unit_test(test_mandatory_sizes),
        cmocka_unit_test(test_versions),     cmocka_unit_test(test_no_data_trace),
        cmocka_unit_test(test_one_PE),       cmocka_unit_test(test_vmid),
        cmocka_unit_test(test_vmid_traced),  cmocka_unit_test(test_syncpr),
        cmocka_unit_test(test_sizes),        cmocka_unit_test(test_cycle_counter),
        cmocka_unit_test(test_return_stack), cmocka_unit_test(test_recommended),
        cmocka_unit_test(test_ATB),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
