/* SPDX-License-Identifier: BSD-2-Clause */
/* Where packets can be read in another way (protocol/etmv4/hot.h): the parser says whether it stands
 * between two of them, and one is taken alone only when its bytes cannot mean anything else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "protocol/etmv4/etmv4.h"
#include "protocol/etmv4/hot.h"
#include "random_trace.h"

enum {
    ASYNC = 12, /* bytes of an Alignment Synchronization packet (DDI0608 D5.4) */
    ROOM = 64,
    RESERVED_OF_EXTENSION = 0x09, /* behind 00: no packet (DDI0608 D5.2) */
    ATOM_E = 0xf7,
};

/* An Alignment Synchronization, a Trace Info that says nothing and, since its last zero may be the
 * first of another A-sync, an Atom. */
static const uint8_t start[ASYNC + 3] = {[ASYNC - 1] = 0x80, [ASYNC] = 0x01, [ASYNC + 2] = ATOM_E};

struct parsing {
    struct cairn_config *config;
    struct cairn_etmv4_parser *parser;
    struct cairn_packet_batch *batch;
};

static void parse(struct parsing *p, const uint8_t *bytes, size_t size)
{
    size_t at = 0;

    p->batch->count = 0;
    assert_int_equal(cairn_etmv4_parser_run(p->parser, bytes, size, &at, p->batch), CAIRN_OK);
    assert_int_equal(at, size);
}

static bool stands(const struct parsing *p, uint64_t *offset)
{
    struct cairn_hot_state state;

    *offset = UINT64_MAX;
    return cairn_etmv4_parser_stands(p->parser, offset, &state);
}

/* Before the first A-sync nobody knows where packets begin (DDI0608 D5.4), nor where damage is, until
 * the next one. Bytes that are the beginning of a packet are still to come. */
static void test_where_a_parser_stands(void **state)
{
    static const uint8_t junk[] = {0x55, 0x66};
    static const uint8_t address[] = {0x9d, 0x01}; /* the first of nine bytes */
    static const uint8_t damage[] = {0x00, RESERVED_OF_EXTENSION, ATOM_E};
    struct parsing p = {.config = random_configure(&random_units[0])};
    uint64_t offset;
    (void)state;

    assert_int_equal(cairn_etmv4_parser_new(p.config, &p.parser), CAIRN_OK);
    assert_int_equal(cairn_packet_batch_new(ROOM, &p.batch), CAIRN_OK);
    assert_false(stands(&p, &offset));
    parse(&p, junk, sizeof junk);
    assert_false(stands(&p, &offset));
    parse(&p, start, ASYNC);
    parse(&p, start + ASYNC, sizeof start - ASYNC);
    assert_true(stands(&p, &offset));
    assert_int_equal(offset, sizeof junk + sizeof start);
    parse(&p, address, sizeof address);
    assert_true(stands(&p, &offset));
    assert_int_equal(offset, sizeof junk + sizeof start);
    cairn_packet_batch_free(p.batch);
    cairn_etmv4_parser_free(p.parser);

    assert_int_equal(cairn_etmv4_parser_new(p.config, &p.parser), CAIRN_OK);
    assert_int_equal(cairn_packet_batch_new(ROOM, &p.batch), CAIRN_OK);
    parse(&p, start, sizeof start);
    assert_true(stands(&p, &offset));
    parse(&p, damage, sizeof damage);
    assert_false(stands(&p, &offset));
    parse(&p, start, sizeof start);
    assert_true(stands(&p, &offset));
    assert_int_equal(offset, 2 * sizeof start + sizeof damage);
    cairn_packet_batch_free(p.batch);
    cairn_etmv4_parser_free(p.parser);
    cairn_config_unref(p.config);
}

/* Zeros may be the first of an A-sync's eleven, or more than those, when the packet before ends with
 * zeros (DDI0608 D5.4): only all of it says so. */
static void test_zeros(void **state)
{
    static const uint8_t other[] = {0x00, 0x00, 0x05};
    struct cairn_config *config = random_configure(&random_units[0]);
    struct cairn_hot_state hot = {.timestamp = 0};
    struct cairn_etmv4_taker *taker;
    enum cairn_account account;
    size_t length;
    (void)state;

    assert_int_equal(cairn_etmv4_taker_new(config, &taker), CAIRN_OK);
    for (size_t size = 1; size < ASYNC; size++)
        assert_int_equal(cairn_etmv4_take(taker, &hot, start, size, 0, &length, &account, NULL),
                         CAIRN_HOT_MORE);
    assert_int_equal(cairn_etmv4_take(taker, &hot, start, ASYNC, 0, &length, &account, NULL),
                     CAIRN_HOT_TAKEN);
    assert_int_equal(length, ASYNC);
    assert_int_equal(
        cairn_etmv4_take(taker, &hot, start + 1, ASYNC - 1, 0, &length, &account, NULL),
        CAIRN_HOT_LEVELS);
    assert_int_equal(cairn_etmv4_take(taker, &hot, other, sizeof other, 0, &length, &account, NULL),
                     CAIRN_HOT_LEVELS);
    cairn_etmv4_taker_free(taker);
    cairn_config_unref(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_where_a_parser_stands),
        cmocka_unit_test(test_zeros),
    };
    return cmocka_run_group_tests_name("etmv4-hot", tests, NULL, NULL);
}
