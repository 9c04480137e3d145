/* SPDX-License-Identifier: BSD-2-Clause */
/* What registers of the PTM model mean besides its resources (IHI0035 3.16). */
#include <string.h>

#include "ptm_bench.h"

static struct ptm_bench b;

static unsigned value_of(const struct cairn_unit *unit, const char *name)
{
    uint64_t value = 0;

    assert_int_equal(cairn_unit_read(unit, name, &value), CAIRN_OK);
    return (unsigned)value;
}

static struct cairn_unit *new_unit(const struct cairn_register *registers, size_t count)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_unit *unit = NULL;

    options.protocol = CAIRN_PROTOCOL_PTM;
    options.arch = (struct cairn_arch){.profile = CAIRN_PROFILE_A, .major = 7};
    options.registers = registers;
    options.register_count = count;
    return cairn_unit_new(&options, &unit, NULL) == CAIRN_OK ? unit : NULL;
}

static struct cairn_unit_counters counters(void)
{
    struct cairn_unit_counters now = {.size = sizeof now};

    cairn_unit_counters(b.unit, &now);
    return now;
}

static void test_reset(void **state)
{
    struct cairn_unit *unit = new_unit(NULL, 0);

    (void)state;
    assert_non_null(unit);
    /* proves: PFT-3.16.1-h */
    assert_int_equal(value_of(unit, "ETMCR") & 0x400, 0x400);
    /* proves: PFT-3.16.27-a */
    assert_int_equal(value_of(unit, "ETMSYNCFR"), 1024);
    /* proves: PFT-3.16.27-a */
    assert_int_equal(cairn_unit_write(unit, "ETMSYNCFR", 0x1000, NULL), CAIRN_E_CONFIG);
    /* proves: PFT-3.16.36-a */
    assert_int_equal(cairn_unit_write(unit, "ETMVMIDCVR", 0x100, NULL), CAIRN_E_CONFIG);
    assert_int_equal(cairn_unit_write(unit, "ETMTSEVR", 0x20000, NULL), CAIRN_E_CONFIG);
    cairn_unit_free(unit);
}

/* Whether what is given for the register at `offset` is that of `name`, and read back by both. */
static bool is_at(const char *offset, const char *name, uint32_t value)
{
    const struct cairn_register given[] = {{offset, value}};
    struct cairn_unit *unit = new_unit(given, 1);
    const bool same = unit && value_of(unit, name) == value && value_of(unit, offset) == value;

    cairn_unit_free(unit);
    return same;
}

static void test_offset_of_etmccr(void **state)
{
    (void)state;
    /* proves: PFT-3.16.2-c, PFT-3.16.2-d, PFT-3.16.2-g, PFT-3.16.2-h, PFT-3.16.2-i */
    assert_true(is_at("0x004", "ETMCCR", 0x8b098008));
}

static void test_offset_of_etmidr(void **state)
{
    (void)state;
    /* proves: PFT-3.16.28-d, PFT-3.16.28-f, PFT-3.16.28-g, PFT-3.16.2-j */
    assert_true(is_at("0x1E4", "ETMIDR", 0x411cf312) && is_at("0x004", "ETMCCR", 0x8f098007));
}

static void test_offset_of_etmccer(void **state)
{
    (void)state;
    /* proves: PFT-3.16.29-a, PFT-3.16.29-b, PFT-3.16.29-c, PFT-3.16.29-d, PFT-3.16.29-e */
    assert_true(is_at("0x1E8", "ETMCCER", 0x34c89884));
}

static void test_offset_of_etmccer_again(void **state)
{
    (void)state;
    /* proves: PFT-3.16.29-f, PFT-3.16.29-g, PFT-3.16.29-h, PFT-3.16.29-k, PFT-3.16.29-l */
    assert_true(is_at("0x1e8", "ETMCCER", 0x34489884));
}

static void test_offsets(void **state)
{
    struct cairn_unit *unit = new_unit(NULL, 0);
    uint64_t value;

    (void)state;
    /* proves: PFT-3.16.29-o, PFT-3.16.29-p */
    assert_true(is_at("0x1e8", "ETMCCER", 0x34c89882));
    /* proves: PFT-3.16.35-a */
    assert_true(value_of(unit, "0x200") == 0 && is_at("0x200", "ETMTRACEIDR", 0x13));
    /* proves: PFT-3.16.36-a */
    assert_true(is_at("0x240", "ETMVMIDCVR", 0x5a));
    assert_true(is_at("0x07c", "ETMACVR16", 0x1000) && is_at("0x080", "ETMACTR1", 1));
    assert_int_equal(cairn_unit_read(unit, "0x1e6", &value), CAIRN_E_NOT_FOUND);
    assert_int_equal(cairn_unit_read(unit, "0x244", &value), CAIRN_E_NOT_FOUND);
    assert_int_equal(cairn_unit_read(unit, "0x200z", &value), CAIRN_E_NOT_FOUND);
    cairn_unit_free(unit);
}

/* What was not built cannot be turned on. */
static void test_built(void **state)
{
    const struct cairn_register stack[] = {{"ETMCCER", 0x34c89884}, {"ETMCR", ETMCR_RETURN_STACK}};
    const struct cairn_register no_stack[] = {{"ETMCCER", 0x34489884},
                                              {"ETMCR", ETMCR_RETURN_STACK}};
    const struct cairn_register times[] = {{"ETMCCER", 0x34c89884}, {"ETMCR", ETMCR_TIMESTAMPS}};
    const struct cairn_register no_times[] = {{"ETMCCER", 0x34889884}, {"ETMCR", ETMCR_TIMESTAMPS}};
    struct cairn_unit *unit;

    (void)state;
    unit = new_unit(stack, 2);
    assert_non_null(unit);
    cairn_unit_free(unit);
    unit = new_unit(times, 2);
    assert_non_null(unit);
    cairn_unit_free(unit);
    /* proves: PFT-3.16.29-g */
    assert_null(new_unit(no_stack, 2));
    /* proves: PFT-3.16.29-h */
    assert_null(new_unit(no_times, 2));
}

/* With period 0 nothing is synchronised by itself, and a request from outside is served as ever. A
 * branch to where the last one went has one byte. */
static void test_no_period(void **state)
{
    static const uint32_t periods[] = {0, 1024};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        const struct cairn_register period[] = {{"ETMSYNCFR", periods[i]}};

        ptm_begin(&b, PTM_1_0, 0, period, 1);
        b.at = 0x1000;
        for (unsigned n = 0; n < 1200; n++)
            ptm_indirect(&b, 4, 0x1000, true, 0);
        assert_true(counters().bytes > 1100);
        /* proves: PFT-3.16.27-a */
        assert_int_equal(counters().syncs, periods[i] == 0 ? 1 : 2);
        ptm_end(&b);
    }
    ptm_begin(&b, PTM_1_0, 0, (const struct cairn_register[]){{"ETMSYNCFR", 0}}, 1);
    b.at = 0x1000;
    ptm_direct(&b, 4, 0x1000, true, 0);
    cairn_unit_request_sync(b.unit);
    ptm_direct(&b, 4, 0x1000, true, 0);
    ptm_direct(&b, 4, 0x1000, true, 0);
    /* proves: PFT-3.16.27-a */
    ptm_expect(&b, "08 00 10 00 00 21 84 00 00 00 00 00 80 08 00 10 00 00 01 88");
    ptm_end(&b);
}

/* ETMCR[7]: where the FIFO would overflow the PE waits. */
static void test_stall(void **state)
{
    (void)state;
    for (unsigned stalls = 0; stalls < 2; stalls++) {
        b.options = (struct cairn_unit_options)CAIRN_UNIT_OPTIONS_INIT;
        b.options.fifo_bytes = 64;
        b.options.fifo_drain = 16;
        ptm_begin(&b, PTM_1_0, stalls << 7, NULL, 0);
        b.at = 0x1000;
        for (unsigned i = 0; i < 100; i++)
            ptm_indirect(&b, 4, 0x1000, true, 0);
        /* proves: PFT-3.16.1-k */
        assert_int_equal(counters().overflows, stalls ? 0 : 1);
        ptm_end(&b);
    }
}

/* ETMSR[3] stays until the Programming bit was set and cleared; so does ETMSR[0] beyond that, and
 * the I-sync behind it tells of it. */
static void test_status(void **state)
{
    (void)state;
    b.options = (struct cairn_unit_options)CAIRN_UNIT_OPTIONS_INIT;
    b.options.fifo_bytes = 64;
    b.options.fifo_drain = 16;
    ptm_begin(&b, PTM_1_0, 0, NULL, 0);
    b.at = 0x1000;
    assert_int_equal(value_of(b.unit, "0x010"), 0);
    cairn_unit_event(b.unit, 0);
    cairn_unit_event(b.unit, 0);
    /* proves: PFT-3.16.4-a */
    assert_int_equal(value_of(b.unit, "0x010"), 8);
    ptm_expect(&b, "0c");
    for (unsigned i = 0; i < 60; i++)
        ptm_indirect(&b, 4, 0x1000, true, 0);
    /* proves: PFT-3.16.4-d */
    assert_int_equal(value_of(b.unit, "0x010"), 9);
    assert_int_equal(cairn_unit_write(b.unit, "ETMCR", 0x400, NULL), CAIRN_OK);
    assert_int_equal(value_of(b.unit, "0x010"), 8 + 2 + 1);
    assert_int_equal(cairn_unit_write(b.unit, "ETMCR", 0, NULL), CAIRN_OK);
    /* proves: PFT-3.16.4-a, PFT-3.16.4-d */
    assert_int_equal(value_of(b.unit, "0x010"), 1);
    (void)cairn_unit_position(b.unit);
    b.checked = b.size;
    cairn_unit_cycles(b.unit, 100);
    ptm_direct(&b, 4, 0x1000, true, 0);
    cairn_unit_event(b.unit, 0);
    /* proves: PFT-3.16.4-a, PFT-3.16.4-d */
    ptm_expect(&b, "08 00 10 00 00 41 84 0c");
    /* proves: PFT-3.16.4-d */
    assert_int_equal(value_of(b.unit, "0x010"), 8);
    ptm_end(&b);
}

/* With ETMCR[0], PowerDown, an overflow is forgotten: trace is turned on behind it. */
static void test_power_down(void **state)
{
    (void)state;
    b.options = (struct cairn_unit_options)CAIRN_UNIT_OPTIONS_INIT;
    b.options.fifo_bytes = 64;
    b.options.fifo_drain = 16;
    ptm_begin(&b, PTM_1_0, 0, NULL, 0);
    b.at = 0x1000;
    for (unsigned i = 0; i < 60; i++)
        ptm_indirect(&b, 4, 0x1000, true, 0);
    assert_int_equal(value_of(b.unit, "0x010"), 1);
    assert_int_equal(cairn_unit_write(b.unit, "ETMCR", 0x401, NULL), CAIRN_OK);
    /* proves: PFT-3.16.4-d */
    assert_int_equal(value_of(b.unit, "0x010"), 2);
    assert_int_equal(cairn_unit_write(b.unit, "ETMCR", 0, NULL), CAIRN_OK);
    (void)cairn_unit_position(b.unit);
    b.checked = b.size;
    ptm_direct(&b, 4, 0x1000, true, 0);
    ptm_expect(&b, "08 00 10 00 00 21 84");
    ptm_end(&b);
}

/* The start/stop block decides where ETMTECR1[25] is 1; ETMSR[2] shows it in any case. The recipe
 * of 3.23 traces all. */
static void test_trace_enable(void **state)
{
    static const struct {
        uint32_t control;
        const char *hex;
    } cases[] = {
        {0x01000000, "08 00 10 00 00 21 84"}, /* exclude nothing */
        {0x03000000, ""},                     /* and be started */
        {0x00000001, "08 00 10 00 00 21 84"}, /* include range 1 */
        {0x00000002, ""},                     /* range 2 */
        {0x01000001, ""},                     /* exclude range 1 */
        {0x01000002, "08 00 10 00 00 21 84"},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct cairn_register list[] = {
            {"ETMTECR1", cases[i].control}, {"ETMTEEVR", 0x6f},    {"ETMACVR1", 0x1000},
            {"ETMACVR2", 0x1004},           {"ETMACVR3", 0x2000},  {"ETMACVR4", 0x2004},
            {"ETMTSSCR", 0x00020004},       {"ETMTRACEIDR", 0x10},
        };

        ptm_begin(&b, PTM_1_0, 0, list, 8);
        b.at = 0x1000;
        ptm_direct(&b, 4, 0x2000, true, 0);
        /* proves: PFT-3.16.9-a, PFT-3.23-a */
        ptm_expect(&b, cases[i].hex);
        assert_int_equal(value_of(b.unit, "0x010") & 4, 0);
        ptm_direct(&b, 4, 0x1000, true, 0);
        /* proves: PFT-3.16.4-b */
        assert_int_equal(value_of(b.unit, "0x010") & 4, 4);
        ptm_end(&b);
    }
}

static void write(const char *name, uint64_t value, cairn_status status)
{
    assert_int_equal(cairn_unit_write(b.unit, name, value, NULL), status);
}

/* A counter at 3, the sequencer in state 2, started, triggered. Where the Programming bit is
 * cleared that begins anew, or as it was written since the bit was set. */
static void test_programming_state(void **state)
{
    const struct cairn_register program[] = {
        {"ETMCNTRLDVR1", 9}, {"ETMCNTENR1", 0x6f}, {"ETMSQ12EVR", 0x60},
        {"ETMTSSCR", 1},     {"ETMACVR1", 0x1000}, {"ETMTRIGGER", 0x60},
    };

    (void)state;
    for (unsigned keeps = 0; keeps < 2; keeps++) {
        ptm_begin(&b, PTM_1_1, 0, program, 6);
        b.at = 0x1000;
        ptm_direct(&b, 4, 0x1000, true, 0);
        cairn_unit_inputs(b.unit, 1);
        cairn_unit_cycles(b.unit, 5);
        write("ETMCNTVR1", 3, CAIRN_E_CONFIG);
        write("ETMCR", 0x400, CAIRN_OK);
        assert_int_equal(value_of(b.unit, "ETMCNTVR1"), 3);
        assert_int_equal(value_of(b.unit, "ETMSQR"), 1);
        /* proves: PFT-3.15.4-a */
        assert_int_equal(value_of(b.unit, "0x010"), 8 + 4 + 2);
        write("ETMSR", 1, CAIRN_E_CONFIG);
        if (keeps) {
            write("ETMCNTVR1", 4, CAIRN_OK);
            write("ETMSQR", 2, CAIRN_OK);
            write("ETMSR", 4, CAIRN_OK);
            assert_int_equal(value_of(b.unit, "ETMSR") & 8, 0);
            write("ETMSR", 8, CAIRN_OK);
            assert_int_equal(value_of(b.unit, "ETMSR") & 8, 8);
            write("ETMSR", 8 + 4, CAIRN_OK);
        }
        cairn_unit_inputs(b.unit, 0);
        write("ETMCR", 0, CAIRN_OK);
        /* proves: PFT-3.15.4-a */
        assert_int_equal(value_of(b.unit, "ETMCNTVR1"), keeps ? 4 : 9);
        /* proves: PFT-3.15.4-a */
        assert_int_equal(value_of(b.unit, "ETMSQR"), keeps ? 2 : 0);
        /* proves: PFT-3.15.4-a */
        assert_int_equal(value_of(b.unit, "0x010"), keeps ? 8 + 4 : 0);
        ptm_end(&b);
    }
}

/* What configures a decoder names the PE that the unit was made for. */
static void test_architecture(void **state)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_unit *unit = NULL;
    struct cairn_config *config;

    (void)state;
    options.protocol = CAIRN_PROTOCOL_PTM;
    options.arch = (struct cairn_arch){
        .profile = CAIRN_PROFILE_R, .major = 7, .features = CAIRN_FEATURE_THUMB2};
    assert_int_equal(cairn_unit_new(&options, &unit, NULL), CAIRN_OK);
    config = cairn_unit_config(unit);
    assert_non_null(config);
    assert_int_equal(cairn_config_arch(config)->profile, CAIRN_PROFILE_R);
    assert_int_equal(cairn_config_arch(config)->major, 7);
    assert_int_equal(cairn_config_arch(config)->features, CAIRN_FEATURE_THUMB2);
    cairn_config_unref(config);
    cairn_unit_free(unit);
}

/* 3.16.1: the Programming bit says whether the unit traces, however that was changed. */
static void test_programming(void **state)
{
    struct cairn_unit *unit = new_unit(NULL, 0);

    (void)state;
    assert_non_null(unit);
    for (unsigned i = 0; i < 3; i++) {
        cairn_unit_enable(unit);
        assert_int_equal(value_of(unit, "ETMCR") & 0x400, 0);
        cairn_unit_disable(unit);
        assert_int_equal(value_of(unit, "ETMCR") & 0x400, 0x400);
        assert_int_equal(cairn_unit_write(unit, "ETMCR", 0, NULL), CAIRN_OK);
        assert_int_equal(value_of(unit, "ETMCR") & 0x400, 0);
        assert_int_equal(cairn_unit_write(unit, "ETMCR", 0x400, NULL), CAIRN_OK);
        assert_int_equal(value_of(unit, "ETMCR") & 0x400, 0x400);
    }
    cairn_unit_free(unit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_programming),
        cmocka_unit_test(test_reset),
        cmocka_unit_test(test_offset_of_etmccr),
        cmocka_unit_test(test_offset_of_etmidr),
        cmocka_unit_test(test_offset_of_etmccer),
        cmocka_unit_test(test_offset_of_etmccer_again),
        cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_built),
        cmocka_unit_test(test_no_period),
        cmocka_unit_test(test_stall),
        cmocka_unit_test(test_status),
        cmocka_unit_test(test_programming_state),
        cmocka_unit_test(test_trace_enable),
        cmocka_unit_test(test_power_down),
        cmocka_unit_test(test_architecture),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
