/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements of the Micro Trace Buffer: words by hand from DDI0486 2.3.1, and what docs/legacy.md
 * says that they mean; in batches of any size; the scan. */
#include "mtb_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/element.h>

#include "scan_compare.h"

enum { BYTES_MAX = 256, WIDE = 64, CAPACITIES = 8, ROUNDS = 600 };

/* Of instructions alone: no times, no data, nothing of an instruction that does not branch. */
#define FLOW_ONLY                                                                                  \
    (1u << CAIRN_ELEMENT_TRACE_ON | 1u << CAIRN_ELEMENT_CONTEXT | 1u << CAIRN_ELEMENT_GAP |        \
     1u << CAIRN_ELEMENT_TARGET_ADDRESS | 1u << CAIRN_ELEMENT_SOURCE_ADDRESS |                     \
     1u << CAIRN_ELEMENT_EXCEPTION | 1u << CAIRN_ELEMENT_EXCEPTION_RETURN |                        \
     1u << CAIRN_ELEMENT_FUNCTION_RETURN)

static const struct mtb_registers no_registers = {0};

/* --- elements as text --- */

static void add(char text[MTB_TEXT], const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(char text[MTB_TEXT], const char *format, ...)
{
    const size_t length = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    const int more = vsnprintf(text + length, MTB_TEXT - length, format, arguments);
    va_end(arguments);
    assert_true(more >= 0 && length + (size_t)more < MTB_TEXT);
}

/* "OFFSET kind address". Addresses are Thumb code's, and a type stands for both that A may mean. */
static void add_element(const struct cairn_element_batch *batch, size_t i, char text[MTB_TEXT])
{
    const struct cairn_element_data *data = &batch->data[i];
    const unsigned unknown = batch->flags[i] & CAIRN_ELEMENT_UNKNOWN;

    add(text, "%s%llx ", *text ? "; " : "", (unsigned long long)batch->offset[i]);
    assert_int_equal(batch->flags[i] & ~CAIRN_ELEMENT_UNKNOWN, 0);
    /* proves: MTB-2.3.1-ah */
    assert_true(FLOW_ONLY & 1u << batch->kind[i]);
    switch (batch->kind[i]) {
    case CAIRN_ELEMENT_TRACE_ON: add(text, "on"); return;
    case CAIRN_ELEMENT_EXCEPTION_RETURN: add(text, "exception-return"); return;
    case CAIRN_ELEMENT_FUNCTION_RETURN: add(text, "function-return"); return;
    case CAIRN_ELEMENT_GAP:
        add(text, "gap %s", cairn_account_name((enum cairn_account)data->value));
        return;
    case CAIRN_ELEMENT_CONTEXT:
        assert_int_equal(data->context.EL, 0);
        assert_int_equal(data->context.security, CAIRN_NONSECURE);
        assert_int_equal(data->context.SF, 0);
        add(text, "context");
        return;
    case CAIRN_ELEMENT_TARGET_ADDRESS: add(text, "to "); break;
    case CAIRN_ELEMENT_SOURCE_ADDRESS: add(text, "from "); break;
    case CAIRN_ELEMENT_EXCEPTION:
        assert_int_equal(data->value, 0xffff);
        add(text, "exception ");
        break;
    default: fail_msg("element %u", batch->kind[i]);
    }
    if (unknown) {
        assert_int_equal(data->reason, CAIRN_GAP_NO_ADDRESS);
        add(text, "?");
        return;
    }
    assert_int_equal(data->sub_isa, 1);
    add(text, "%llx", (unsigned long long)data->address);
}

struct session {
    struct cairn_elements *elements;
    struct cairn_resolver *resolver;
    struct cairn_packet_batch *packets;
    struct cairn_element_batch *raw;
    struct cairn_element_batch *resolved;
    char *text;
};

static void pass_packets(struct session *s)
{
    size_t at = 0;

    do {
        size_t raw_at = 0;

        s->raw->count = 0;
        assert_int_equal(cairn_elements_run(s->elements, s->packets, &at, s->raw), CAIRN_OK);
        while (raw_at < s->raw->count) {
            assert_int_equal(cairn_resolver_run(s->resolver, s->raw, &raw_at, s->resolved),
                             CAIRN_OK);
            assert_true(s->resolved->count > 0);
            for (size_t i = 0; i < s->resolved->count; i++)
                add_element(s->resolved, i, s->text);
            s->resolved->count = 0;
        }
    } while (s->raw->count > 0 || at < s->packets->count);
    s->packets->count = 0;
}

/* `capacity` is that of both lists of elements; of the packets there is one more than a batch. */
static void decode(struct cairn_config *config, const uint8_t *bytes, size_t size, size_t capacity,
                   char text[MTB_TEXT])
{
    struct session s = {.text = text};
    struct cairn_packets *packets;
    size_t position = 0;
    size_t given;

    *text = '\0';
    assert_int_equal(cairn_packets_new(config, &packets), CAIRN_OK);
    assert_int_equal(cairn_elements_new(config, &s.elements), CAIRN_OK);
    assert_int_equal(cairn_resolver_new(config, &s.resolver), CAIRN_OK);
    assert_int_equal(cairn_packet_batch_new(capacity + 1, &s.packets), CAIRN_OK);
    assert_int_equal(cairn_element_batch_new(capacity, &s.raw), CAIRN_OK);
    assert_int_equal(cairn_element_batch_new(capacity, &s.resolved), CAIRN_OK);
    do {
        assert_int_equal(cairn_packets_run(packets, bytes, size, &position, s.packets), CAIRN_OK);
        given = s.packets->count;
        pass_packets(&s);
    } while (given > 0);
    do {
        assert_int_equal(cairn_packets_finish(packets, s.packets), CAIRN_OK);
        given = s.packets->count;
        pass_packets(&s);
    } while (given > 0);
    assert_int_equal(cairn_resolver_finish(s.resolver, s.resolved), CAIRN_OK);
    assert_int_equal(s.resolved->count, 0);
    cairn_packets_free(packets);
    cairn_elements_free(s.elements);
    cairn_resolver_free(s.resolver);
    cairn_packet_batch_free(s.packets);
    cairn_element_batch_free(s.raw);
    cairn_element_batch_free(s.resolved);
}

static void assert_elements(const char *words, const char *wanted)
{
    struct cairn_config *config = mtb_configure(&no_registers);
    uint8_t bytes[BYTES_MAX];
    char text[MTB_TEXT];
    const size_t size = mtb_bytes(words, bytes, sizeof bytes);

    for (size_t capacity = 1; capacity < CAPACITIES; capacity++) {
        decode(config, bytes, size, capacity, text);
        assert_string_equal(text, wanted);
    }
    cairn_config_unref(config);
}

/* --- what packets mean --- */

/* The derived example: trace starts at the branch at 0x100, then runs from 0x200 to 0x210. */
static void test_branches(void **state)
{
    (void)state;
    /* proves: MTB-2.3.1-z, MTB-2.3.1-n */
    assert_elements("00000100 00000201 00000210 00000300",
                    "0 on; 0 context; 0 to 100; 0 from 100; 0 to 200; 8 from 210; 8 to 300");
    /* one instruction, which branches to itself */
    assert_elements("00000100 00000101 00000100 00000100",
                    "0 on; 0 context; 0 to 100; 0 from 100; 0 to 100; 8 from 100; 8 to 100");
}

/* Three sessions: what ran between one's last destination and the next one's source is not known.
 */
static void test_sessions(void **state)
{
    (void)state;
    /* proves: MTB-2.3.1-o */
    assert_elements("00000100 00000201 00000210 00000301 00000103 00000401",
                    "0 on; 0 context; 0 to 100; 0 from 100; 0 to 200; "
                    "8 on; 8 to 210; 8 from 210; 8 to 300; "
                    "10 on; 10 to 102; 10 exception 102; 10 to 400");
}

/* The first packet of a buffer that has gone round: nothing is known but its own source. */
static void test_first(void **state)
{
    (void)state;
    /* proves: MTB-2.3.1-af */
    assert_elements("00000100 00000200", "0 to ?; 0 context; 0 to 100; 0 from 100; 0 to 200");
    assert_elements("00000103 00000200", "0 to ?; 0 context; 0 to 102; 0 exception 102; 0 to 200");
    assert_elements("00000100 fffffff8",
                    "0 to ?; 0 context; 0 to 100; 0 from 100; 0 exception-return");
}

/* The derived example of an exception whose return address is 0x102, and its return. */
static void test_exception_return(void **state)
{
    (void)state;
    /* proves: MTB-2.3.1-aa, MTB-2.3.1-t */
    assert_elements("00000080 00000101 00000103 00000400 00000410 fffffff8 fffffff9 00000102",
                    "0 on; 0 context; 0 to 80; 0 from 80; 0 to 100; 8 exception 102; 8 to 400; "
                    "10 from 410; 10 exception-return; 18 to 102");
    /* proves: MTB-2.3.1-w */
    assert_elements("fffffff9 00000102 00000110 00000200",
                    "0 to ?; 0 context; 0 exception-return; 0 to 102; 8 from 110; 8 to 200");
    assert_elements("fffffff1 00000103", "0 on; 0 context; 0 exception-return; 0 to 102");
    /* proves: MTB-2.3.1-v */
    assert_elements("00000080 00000401 00000410 fffffff8 fffffff9 00000500 00000510 fffffff8",
                    "0 on; 0 context; 0 to 80; 0 from 80; 0 to 400; 8 from 410; "
                    "8 exception-return; 10 to 500; 18 from 510; 18 exception-return");
}

/* EXC_RETURN, FNC_RETURN, lockup and system space are no addresses that anything is followed to. */
static void test_no_code(void **state)
{
    (void)state;
    /* proves: MTB-2.3.1-u */
    assert_elements("00000080 00000401 00000410 fffffff0 fffffff1 00000102 00000110 fffffffc",
                    "0 on; 0 context; 0 to 80; 0 from 80; 0 to 400; 8 from 410; "
                    "8 exception-return; 10 to 102; 18 from 110; 18 exception-return");
    assert_elements("00000080 fefffffe fefffffe 00000102 00000110 00000200",
                    "0 to ?; 0 context; 0 to 80; 0 from 80; 0 function-return; 8 to 102; "
                    "10 from 110; 10 to 200");
    assert_elements("fefffffe 00000102", "0 to ?; 0 context; 0 function-return; 0 to 102");
    assert_elements(
        "00000080 fffffffe ffffffff 00000400",
        "0 to ?; 0 context; 0 to 80; 0 from 80; 0 to ?; 8 exception fffffffe; 8 to 400");
    assert_elements(
        "00000080 e0001000 e0001001 00000400",
        "0 to ?; 0 context; 0 to 80; 0 from 80; 0 to ?; 8 exception e0001000; 8 to 400");
}

/* A packet is missing: the source lies below the last destination, or a return has lost its other
 * packet. */
static void test_missing(void **state)
{
    (void)state;
    assert_elements("00000100 00000201 000001fe 00000300 00000302 00000400",
                    "0 on; 0 context; 0 to 100; 0 from 100; 0 to 200; "
                    "8 gap gap: trace and image disagree; 8 context; 8 to 1fe; 8 from 1fe; "
                    "8 to 300; 10 from 302; 10 to 400");
    assert_elements("00000100 00000201 000001ff 00000300",
                    "0 on; 0 context; 0 to 100; 0 from 100; 0 to 200; "
                    "8 gap gap: trace and image disagree; 8 context; 8 to 1fe; 8 exception 1fe; "
                    "8 to 300");
    assert_elements("00000100 00000401 00000410 fffffff8 00000110 00000200",
                    "0 on; 0 context; 0 to 100; 0 from 100; 0 to 400; 8 from 410; "
                    "8 exception-return; 10 gap gap: trace and image disagree; 10 context; "
                    "10 to 110; 10 from 110; 10 to 200");
    assert_elements("00000100 00000401 fffffff9 00000102",
                    "0 on; 0 context; 0 to 100; 0 from 100; 0 to 400; "
                    "8 gap gap: trace and image disagree; 8 context; 8 exception-return; 8 to 102");
}

/* What is no packet. Unwritten words have no elements, and what is behind them is a beginning. */
static void test_no_packet(void **state)
{
    (void)state;
    assert_elements("00000100 00000201 e0000000 00000300 00000310 00000400 00000500",
                    "0 on; 0 context; 0 to 100; 0 from 100; 0 to 200; 8 gap gap: reserved packet; "
                    "10 to ?; 10 context; 10 to 310; 10 from 310; 10 to 400; "
                    "18 gap gap: truncated at the end");
    assert_elements("00000100 00000201 00000000 00000000 00000310 00000400 ffffffff ffffffff",
                    "0 on; 0 context; 0 to 100; 0 from 100; 0 to 200; "
                    "10 to ?; 10 to 310; 10 from 310; 10 to 400");
    assert_elements("", "");
}

/* --- the rest of the table --- */

static void test_table(void **state)
{
    struct cairn_config *config = mtb_configure(&no_registers);
    struct cairn_elements *elements;
    (void)state;

    assert_true(cairn_protocol_decodes(CAIRN_PROTOCOL_MTB));
    assert_true(config->rules.any_source && config->rules.m_profile &&
                config->rules.return_packets);
    assert_false(config->rules.return_stack);
    assert_string_equal(cairn_exception_name(config, 0xffff), "unknown-or-debug");
    assert_string_equal(cairn_exception_name(config, 11), "unknown");
    assert_false(cairn_element_is_p0(config, CAIRN_ELEMENT_SOURCE_ADDRESS));
    assert_int_equal(cairn_elements_new(config, &elements), CAIRN_OK);
    assert_int_equal(cairn_elements_depth(elements), 0);
    cairn_elements_free(elements);
    cairn_config_unref(config);
}

static uint32_t next_random(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return (uint32_t)((*seed * 0x2545f4914f6cdd1d) >> 32);
}

/* Words that are often special ones, and often near one another. */
static void fill(uint64_t *seed, uint8_t *bytes, size_t size)
{
    static const uint32_t special[] = {0,          UINT32_MAX, 0xfffffff8, 0xfffffff9,
                                       0xfffffffe, 0xfefffffe, 0xe0000000};
    for (size_t i = 0; i < size; i += 4) {
        uint32_t word = next_random(seed) & 0xfff;
        if (next_random(seed) % 3 == 0)
            word = special[next_random(seed) % (sizeof special / sizeof *special)];
        for (size_t k = 0; k < 4 && i + k < size; k++)
            bytes[i + k] = (uint8_t)(word >> (8 * k));
    }
}

/* Any bytes: the same elements in batches of any size, and the same from the scan. */
static void test_any_bytes(void **state)
{
    static const struct scan_cut cuts[] = {{0, 4096, 4096}, {1, 1, 1}, {7, 3, 2}};
    uint64_t seed = 22;
    size_t runs = 0;
    (void)state;

    for (unsigned round = 0; round < ROUNDS; round++) {
        struct cairn_config *config = mtb_configure(&no_registers);
        uint8_t bytes[BYTES_MAX];
        char whole[MTB_TEXT], cut[MTB_TEXT];
        const size_t size = next_random(&seed) % sizeof bytes;

        fill(&seed, bytes, size);
        decode(config, bytes, size, WIDE, whole);
        decode(config, bytes, size, 1 + next_random(&seed) % CAPACITIES, cut);
        assert_string_equal(cut, whole);
        scan_check(config, bytes, size, cuts, sizeof cuts / sizeof *cuts, &runs);
        cairn_config_unref(config);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_branches),  cmocka_unit_test(test_sessions),
        cmocka_unit_test(test_first),     cmocka_unit_test(test_exception_return),
        cmocka_unit_test(test_no_code),   cmocka_unit_test(test_missing),
        cmocka_unit_test(test_no_packet), cmocka_unit_test(test_table),
        cmocka_unit_test(test_any_bytes),
    };
    return cmocka_run_group_tests_name("mtb elements", tests, NULL, NULL);
}
