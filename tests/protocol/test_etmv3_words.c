/* SPDX-License-Identifier: BSD-2-Clause */
/* ETMv3's reader gives what its levels give: of P-headers, branch packets and data packets, which go
 * past the levels, with anything between them, damaged and as noise, however the bytes are cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "etmv3_session.h"
#include "readers_compare.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum { ROUNDS = 120, BYTES = 3000, LONGEST = 24, DAMAGED = 6 };

static const struct scan_cut cuts[] = {
    {0, 4096, 4096},      {0, 9, 2},   {1, 64, 64}, {7, 1, 1},
    {0, 50, 50},          {23, 64, 8}, {40, 64, 9}, {SCAN_UNEVEN, 30, 5},
    {SCAN_UNEVEN, 90, 60}};

/* What a source traces, so that packets can be written for it. */
struct source {
    struct cairn_config *config;
    unsigned minor;
    unsigned context_bytes;
    bool cycles;
    bool addresses;
    bool values;
    bool data; /* either, or those of coprocessors */
};

struct trace {
    uint8_t bytes[BYTES];
    size_t size;
};

static unsigned below(uint64_t *seed, unsigned limit)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)((*seed >> 33) % limit);
}

static void put(struct trace *trace, unsigned byte)
{
    trace->bytes[trace->size++] = (uint8_t)byte;
}

static void put_any(struct trace *trace, uint64_t *seed, unsigned count)
{
    while (count-- > 0)
        put(trace, below(seed, 4) ? below(seed, 256) : 0);
}

/* One to five bytes; the fifth as a rule has BE and no reserved bits (7.4.2). */
static void put_data_address(struct trace *trace, uint64_t *seed)
{
    const unsigned more = below(seed, 5);

    for (unsigned i = 0; i < more; i++)
        put(trace, 0x80 | below(seed, 128));
    put(trace, more == 4 ? below(seed, below(seed, 8) ? 0x20 : 0x80)
                         : below(seed, below(seed, 4) ? 128 : 2));
}

/* Many are 0, as a value is behind which Store failed may come. */
static void put_value(struct trace *trace, uint64_t *seed, unsigned half)
{
    const unsigned size = half == 3 ? 4 : half;
    const bool zero = below(seed, 4) == 0;

    for (unsigned i = 0; i < size; i++)
        put(trace, zero ? 0 : below(seed, 4) ? below(seed, 256) : 0x80 * below(seed, 2));
}

/* All kinds of data packets (7.4), the Normal ones mostly; one that this source does not have is a
 * reserved packet, and is left out. */
static void put_data(struct trace *trace, uint64_t *seed, const struct source *source)
{
    const unsigned kind = below(seed, 16);
    const unsigned half = below(seed, 4);
    const unsigned tag = 1 + below(seed, 3);
    const unsigned first = below(seed, 3) > 0;
    bool has_address = first;
    bool has_value = true;

    if (kind >= 5) {
        put(trace, 0x02 | half << 2 | first << 5);
    } else if (kind == 4) {
        put(trace, 0x6a | first << 4);
        has_value = false;
    } else if (kind == 3) {
        put(trace, 0x50 | tag << 2 | first << 5);
        has_value = false;
    } else if (kind == 2 && source->values) {
        put(trace, tag << 5 | half << 2);
        has_address = false;
    } else if (kind == 1 && source->values && source->minor >= 1) {
        put(trace, 0x50);
        return;
    } else {
        put(trace, kind ? 0x62 : 0x66);
        return;
    }
    if (has_address && source->addresses)
        put_data_address(trace, seed);
    if (has_value && source->values)
        put_value(trace, seed, half);
}

/* A-sync, and an I-sync that as a rule is legal: ARM or Thumb, any reason. */
static void put_syncs(struct trace *trace, uint64_t *seed, unsigned context_bytes)
{
    for (unsigned zeros = 5 + below(seed, 3); zeros > 0; zeros--)
        put(trace, 0);
    put(trace, 0x80);
    put(trace, 0x08);
    put_any(trace, seed, context_bytes);
    put(trace, 0x01 | below(seed, 4) << 5 | below(seed, 2) << 3);
    put(trace, below(seed, 2) ? 0x01 : 0x00);
    put_any(trace, seed, 3);
}

/* One to five address bytes; with some luck, information bytes. */
static void put_branch(struct trace *trace, uint64_t *seed)
{
    const unsigned more = below(seed, 5);
    unsigned byte = below(seed, 128) | 1;

    for (unsigned i = 0; i < more; i++) {
        put(trace, byte | 0x80);
        byte = below(seed, 5) ? below(seed, 0x40) : below(seed, 128) & (below(seed, 2) ? 0x40 : 0);
    }
    if (more == 4 && below(seed, 8))
        byte = below(seed, 2) ? 0x08 | (byte & 7) : 0x10 | (byte & 15);
    put(trace, byte);
    if ((byte & 0x40) && below(seed, 2))
        put(trace, below(seed, 128));
}

static void put_packet(struct trace *trace, uint64_t *seed, const struct source *source)
{
    static const uint8_t headers[] = {0x0c, 0x66, 0x76, 0x7e, 0x42, 0x46, 0x04, 0x6e, 0x3c};
    const unsigned kind = below(seed, 64);

    if (kind == 0 && below(seed, 2)) {
        put_syncs(trace, seed, source->context_bytes);
    } else if (source->data && below(seed, 2)) {
        for (unsigned count = below(seed, 4); count < 4; count++)
            put_data(trace, seed, source);
    } else if (kind == 1) {
        put(trace, headers[below(seed, COUNT_OF(headers))]);
        put_any(trace, seed, below(seed, 4));
    } else if (kind < 20) {
        put_branch(trace, seed);
    } else if (kind < 52) {
        put(trace, 0x80 | below(seed, 16) << 2 | (below(seed, 4) ? 0 : 0x40));
    } else if (kind == 52 && source->cycles && source->minor >= 3) {
        put(trace, 0x92 | below(seed, 2) << 2);
    } else {
        put(trace, 0x82 | below(seed, 4) << 2);
    }
}

static void make_trace(uint64_t *seed, const struct source *source, struct trace *trace)
{
    trace->size = 0;
    put_syncs(trace, seed, source->context_bytes);
    while (trace->size < BYTES - LONGEST)
        put_packet(trace, seed, source);
}

static struct source any_source(uint64_t *seed)
{
    const unsigned minor = below(seed, 6);
    const unsigned size = below(seed, 2) ? 0 : below(seed, 4);
    const unsigned data = below(seed, 2) ? 0 : below(seed, 8); /* ETMCR[3:1] */
    struct source source = {.minor = minor,
                            .context_bytes = size == 3 ? 4 : size,
                            .cycles = below(seed, 3) == 0,
                            .addresses = data & 4,
                            .values = data & 2,
                            .data = data > 0};
    const uint32_t control = size << 14 | data << 1 | (source.cycles ? 1u << 12 : 0);
    uint32_t id = 0x410cf200u | minor << 4 | 1u << 19 | below(seed, 2) << 18;
    struct cairn_error error = {0};

    if (minor >= 4)
        id |= below(seed, 2) << 20;
    source.config = etmv3_configure(CAIRN_PROFILE_A, id, control, 0, &error);
    assert_non_null(source.config);
    return source;
}

static size_t check(struct cairn_config *config, const struct trace *trace)
{
    size_t runs = 0;

    return scan_check(config, trace->bytes, trace->size, cuts, COUNT_OF(cuts), &runs);
}

static void test_packets(void **state)
{
    uint64_t seed = 1;
    size_t elements = 0;
    (void)state;

    for (unsigned i = 0; i < ROUNDS; i++) {
        const struct source source = any_source(&seed);
        struct trace trace;

        make_trace(&seed, &source, &trace);
        elements += check(source.config, &trace);
        for (unsigned k = 0; k < DAMAGED; k++)
            trace.bytes[below(&seed, BYTES - LONGEST)] = (uint8_t)below(&seed, 256);
        (void)check(source.config, &trace);
        cairn_config_unref(source.config);
    }
    assert_true(elements > (size_t)ROUNDS * BYTES / 4); /* most of it is no gap */
}

/* Addresses whose last byte is 00, in front of zeros that may be an A-sync's. */
static void test_zeros(void **state)
{
    uint64_t seed = 3;
    (void)state;

    for (unsigned i = 0; i < ROUNDS; i++) {
        const struct source source = any_source(&seed);
        struct trace trace = {.size = 0};

        put_syncs(&trace, &seed, source.context_bytes);
        while (trace.size < BYTES - LONGEST) {
            put(&trace, 0x84);
            if (source.data && below(&seed, 2))
                put_data(&trace, &seed, &source);
            else
                put(&trace, below(&seed, 128) | 0x81);
            for (unsigned zeros = below(&seed, 8); zeros > 0; zeros--)
                put(&trace, 0);
            if (below(&seed, 2))
                put(&trace, 0x80);
            if (below(&seed, 16) == 0)
                put_syncs(&trace, &seed, source.context_bytes);
        }
        assert_true(check(source.config, &trace) > 0);
        cairn_config_unref(source.config);
    }
}

/* 1,000 P-headers of 15 E in a row go past the levels, but the first and the last few. */
static void test_past_levels(void **state)
{
    static const uint8_t syncs[] = {0, 0, 0, 0, 0, 0x80, 0x08, 0x21, 0x00, 0x80, 0x00, 0x00};
    const struct scan_cut cut = {0, 4096, 4096};
    struct scan_elements got = {0};
    struct cairn_error error = {0};
    struct cairn_config *config =
        etmv3_configure(CAIRN_PROFILE_A, 0x410cf250u | 1u << 19, 0, 0, &error);
    uint8_t bytes[sizeof syncs + 1000];
    (void)state;

    assert_non_null(config);
    memset(bytes, 0x80 | 15 << 2, sizeof bytes);
    memcpy(bytes, syncs, sizeof syncs);
    assert_true(readers_expand(config, bytes, sizeof bytes, &cut, &got) < 200);
    assert_true(got.count >= 15000);
    scan_elements_free(&got);
    cairn_config_unref(config);
}

/* A data packet, and what it says. */
struct data_case {
    uint8_t bytes[11];
    uint8_t size;
    uint8_t kind;
    uint8_t form_size;
    uint8_t tag;
    uint8_t info;
    uint32_t address;
    uint32_t value;
};
#define BYTES_OF(...)                                                                              \
    {__VA_ARGS__}, sizeof(const uint8_t[])                                                         \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
enum {
    ADDRESS = CAIRN_DATA_FIRST | CAIRN_DATA_HAS_ADDRESS | CAIRN_DATA_BIG_ENDIAN,
    VALUE = CAIRN_DATA_HAS_VALUE,
};

/* v3.4, addresses and values: each address has the upper bits of the one before it (7.4.2), and BE
 * is what the last one of five bytes said. */
static const struct data_case data_cases[] = {
    {BYTES_OF(0x2e, 0x81, 0x82, 0x83, 0x84, 0x15, 0x78, 0x56, 0x34, 0x12), CAIRN_DATA_NORMAL, 4, 0,
     ADDRESS | VALUE, 0x5080c101, 0x12345678},
    {BYTES_OF(0x26, 0x05, 0xff), CAIRN_DATA_NORMAL, 1, 0, ADDRESS | VALUE, 0x5080c105, 0xff},
    {BYTES_OF(0x0a, 0xcd, 0xab), CAIRN_DATA_NORMAL, 2, 0, VALUE, 0, 0xabcd},
    {BYTES_OF(0x22, 0x90, 0x20), CAIRN_DATA_NORMAL, 0, 0, ADDRESS | VALUE, 0x5080d010, 0},
    {BYTES_OF(0x02), CAIRN_DATA_NORMAL, 0, 0, VALUE, 0, 0},
    /* 7.4.7, 7.4.5, 7.4.3: a placeholder, and its value; 7.4.6 */
    {BYTES_OF(0x50), CAIRN_DATA_STORE_FAILED, 0, 0, 0, 0, 0},
    {BYTES_OF(0x7a, 0x81, 0x81, 0x01), CAIRN_DATA_NOT_TRACED, 0, 0, ADDRESS, 0x50804081, 0},
    {BYTES_OF(0x74, 0x84, 0x80, 0x80, 0x02), CAIRN_DATA_PLACEHOLDER, 0, 1, ADDRESS, 0x50400004, 0},
    {BYTES_OF(0x28, 0x0d, 0xf0), CAIRN_DATA_LATE, 2, 1, VALUE, 0, 0xf00d},
    {BYTES_OF(0x62), CAIRN_DATA_SUPPRESSED, 0, 0, 0, 0, 0},
    {BYTES_OF(0x22, 0x00), CAIRN_DATA_NORMAL, 0, 0, ADDRESS | VALUE, 0x50400000, 0},
};

/* `placeholder`: where that of a late value is. */
static void check_data(const struct scan_element *element, const struct data_case *wanted,
                       uint64_t placeholder)
{
    const bool late = wanted->kind == CAIRN_DATA_LATE;

    assert_int_equal(element->kind, CAIRN_ELEMENT_DATA);
    assert_int_equal(element->flags, 0);
    assert_int_equal(element->length, wanted->size);
    assert_int_equal(element->data.cycles,
                     CAIRN_DATA_FORM(wanted->kind, wanted->form_size, wanted->tag));
    assert_int_equal(element->data.info, wanted->info);
    assert_int_equal(element->data.address, late ? placeholder : wanted->address);
    assert_int_equal(element->data.value, wanted->value);
}

/* 15 E and a data packet, in turn, past the levels. */
static void test_data_past_levels(void **state)
{
    static const uint8_t syncs[] = {0, 0, 0, 0, 0, 0x80, 0x08, 0x21, 0x00, 0x80, 0x00, 0x00};
    const struct scan_cut cut = {0, 4096, 4096};
    const size_t cases = COUNT_OF(data_cases);
    struct scan_elements got = {0};
    struct cairn_error error = {0};
    struct cairn_config *config =
        etmv3_configure(CAIRN_PROFILE_A, 0x410cf240u | 1u << 19, 3u << 2, 0, &error);
    struct trace trace = {.size = 0};
    uint64_t by_levels;
    uint64_t placeholder = 0;
    size_t n = 0;
    (void)state;

    assert_non_null(config);
    for (size_t i = 0; i < sizeof syncs; i++)
        put(&trace, syncs[i]);
    while (trace.size < BYTES - LONGEST) {
        const struct data_case *one = &data_cases[n++ % cases];

        if (one->kind != CAIRN_DATA_STORE_FAILED)
            put(&trace, 0x80 | 15 << 2);
        for (size_t i = 0; i < one->size; i++)
            put(&trace, one->bytes[i]);
    }
    by_levels = readers_expand(config, trace.bytes, trace.size, &cut, &got);
    n = 0;
    for (size_t i = 0; i < got.count; i++) {
        const struct scan_element *element = &got.list[i];

        if (element->kind != CAIRN_ELEMENT_DATA)
            continue;
        if (data_cases[n % cases].kind == CAIRN_DATA_PLACEHOLDER)
            placeholder = element->offset;
        check_data(element, &data_cases[n++ % cases], placeholder);
    }
    assert_true(n > 500);
    assert_true(got.count > 15 * 500 && by_levels < 200);
    scan_elements_free(&got);
    cairn_config_unref(config);
}

/* The last data packet of a trace is held with the atom before it, and its bytes are counted as the
 * levels count them. */
static void test_data_ledger(void **state)
{
    static const uint8_t bytes[] = {
        0,    0,    0,    0,    0,    0x80, 0x08, 0x21, 0x00, 0x80, 0,    0,    0x84, 0x06,
        1,    0x84, 0x22, 0x00, 0x0e, 1,    2,    3,    4,    0x88, 0x01, 0x84, 0x02, 0x8c,
        0x8c, 0x8c, 0x84, 0x8c, 0x8c, 0x8c, 0x8c, 0x8c, 0x8c, 0x8c, 0x8c, 0x8c, 0x84, 0x02};
    const struct scan_cut cut = {0, 4096, 4096};
    struct scan_elements got = {0};
    struct cairn_error error = {0};
    struct cairn_config *config =
        etmv3_configure(CAIRN_PROFILE_A, 0x410cf240u | 1u << 19, 3u << 2, 0, &error);
    (void)state;

    assert_non_null(config);
    (void)readers_expand(config, bytes, sizeof bytes, &cut, &got);
    assert_int_equal(got.ledger.total, sizeof bytes);
    assert_int_equal(got.ledger.account[CAIRN_ACCOUNT_METADATA].packets, 5);
    assert_int_equal(got.ledger.account[CAIRN_ACCOUNT_METADATA].bytes, 2 + 2 + 5 + 1 + 1);
    assert_int_equal(got.ledger.account[CAIRN_ACCOUNT_PADDING].packets, 1);
    assert_int_equal(got.ledger.account[CAIRN_ACCOUNT_FLOW].bytes, sizeof bytes - 6 - 11);
    scan_elements_free(&got);
    cairn_config_unref(config);
}

/* Five zeros and 80 are an A-sync, also where a data packet would end in them and 80 be a W of v3.0
 * (7.3.1, 7.7.2): what began before them is cut. */
static void test_data_cut(void **state)
{
    static const uint8_t syncs[] = {0, 0, 0, 0, 0, 0x80, 0x08, 0x21, 0x00, 0x80, 0x00, 0x00};
    static const uint8_t all[] = {0x2e, 0x00, 0, 0, 0, 0, 0x80};  /* address and value */
    static const uint8_t most[] = {0x0e, 0, 0, 0, 0, 0x00, 0x80}; /* and a byte behind them */
    enum { TIMES = 60 };
    (void)state;

    for (unsigned cycles = 0; cycles < 2; cycles++) {
        struct trace trace = {.size = 0};
        struct scan_elements got = {0};
        struct cairn_error error = {0};
        struct cairn_config *config = etmv3_configure(CAIRN_PROFILE_A, 0x410cf200u | 1u << 19,
                                                      3u << 2 | cycles << 12, 0, &error);

        assert_non_null(config);
        for (size_t i = 0; i < sizeof syncs; i++)
            put(&trace, syncs[i]);
        for (unsigned n = 0; n < TIMES; n++) {
            for (unsigned i = 0; i < 8; i++)
                put(&trace, 0x84);
            for (size_t i = 0; i < sizeof all; i++)
                put(&trace, n % 2 ? all[i] : most[i]);
            for (unsigned i = 0; i < 8; i++)
                put(&trace, 0x84);
            for (size_t i = 0; i < sizeof syncs; i++)
                put(&trace, syncs[i]);
        }
        assert_true(check(config, &trace) > 0);
        (void)readers_expand(config, trace.bytes, trace.size, &cuts[0], &got);
        assert_int_equal(got.ledger.account[CAIRN_GAP_CUT].packets, TIMES);
        assert_int_equal(got.ledger.account[CAIRN_GAP_CUT].bytes, TIMES); /* their headers */
        scan_elements_free(&got);
        cairn_config_unref(config);
    }
}

/* Behind 4,096 elements an atom counts as certain, and W's are added up no longer: so it is past
 * the levels, too. */
static void test_data_far(void **state)
{
    static const uint8_t syncs[] = {0, 0, 0, 0, 0, 0x80, 0x08, 0x21, 0x00, 0x80, 0x00, 0x00};
    static const struct scan_cut large = {0, 8192, 8192};
    enum { HELD = 4200, ATOMS = 40, HEADERS = 2 * ATOMS + 2 };
    static uint8_t bytes[sizeof syncs + HEADERS + HELD];
    struct cairn_error error = {0};
    struct cairn_config *config =
        etmv3_configure(CAIRN_PROFILE_A, 0x410cf240u | 1u << 19, 3u << 2 | 1u << 12, 0, &error);
    size_t runs = 0;
    (void)state;

    assert_non_null(config);
    memset(bytes, 0x84, sizeof bytes); /* WE */
    memcpy(bytes, syncs, sizeof syncs);
    memset(bytes + sizeof syncs + ATOMS, 0x02, HELD); /* Normal data without address or value */
    bytes[sizeof syncs + ATOMS + HELD] = 0xa8;        /* WWW, */
    bytes[sizeof syncs + ATOMS + HELD + 1] = 0xa0;    /* and W */
    assert_int_equal(scan_check(config, bytes, sizeof bytes, &large, 1, &runs) > HELD, true);
    cairn_config_unref(config);
}

/* A word has 255 asides at most: behind that many data packets another one begins. */
static void test_data_many(void **state)
{
    static const uint8_t syncs[] = {0, 0, 0, 0, 0, 0x80, 0x08, 0x21, 0x00, 0x80, 0x00, 0x00};
    enum { LEAST = 245, MOST = 260, HEADERS = 16 };
    (void)state;

    for (unsigned cycles = 0; cycles < 2; cycles++) {
        struct cairn_error error = {0};
        struct cairn_config *config = etmv3_configure(CAIRN_PROFILE_A, 0x410cf240u | 1u << 19,
                                                      3u << 2 | cycles << 12, 0, &error);

        assert_non_null(config);
        for (unsigned count = LEAST; count <= MOST; count++) {
            struct trace trace = {.size = 0};

            for (size_t i = 0; i < sizeof syncs; i++)
                put(&trace, syncs[i]);
            for (unsigned n = 0; n < 4 * HEADERS; n++) {
                put(&trace, 0x84); /* E, or WE */
                for (unsigned i = 0; n % HEADERS == HEADERS / 2 && i < count; i++)
                    put(&trace, 0x02); /* Normal data without address or value */
            }
            assert_true(check(config, &trace) >= 4 * (HEADERS + count));
        }
        cairn_config_unref(config);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packets),     cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_past_levels), cmocka_unit_test(test_data_past_levels),
        cmocka_unit_test(test_data_ledger), cmocka_unit_test(test_data_cut),
        cmocka_unit_test(test_data_far),    cmocka_unit_test(test_data_many)};

    return cmocka_run_group_tests_name("words of ETMv3", tests, NULL, NULL);
}
