/* SPDX-License-Identifier: BSD-2-Clause */
/* The form of the words that are put together from the levels' elements: what is a word's, what an
 * aside, what an element, and where a word is cut (protocol/words.h). That nothing is lost or out of
 * order is compared elsewhere, on all kinds of bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "protocol/words_of_levels.h"

#define A_SYNC "\0\0\0\0\0\0\0\0\0\0\0\x80"
#define INFO "\x01\x09\x01\x00" /* cycle counting, threshold 0 */
#define TRACE_ON "\x04"
#define ADDRESS_1000 "\x9d\x00\x08\0\0\0\0\0\0"
#define START A_SYNC INFO TRACE_ON ADDRESS_1000
#define EEE "\xff"
#define NNN "\xf8"

enum {
    ROOM = 512,
    AFTER_START = sizeof START - 1, /* where the next packet is */
    AT_ADDRESS = AFTER_START - 9,
};

static struct cairn_word words[ROOM];
static struct cairn_aside asides[ROOM];
static struct cairn_element_data data[ROOM];
static struct cairn_words out;
static struct cairn_scan_ledger ledger;
static struct cairn_config *config;
static void *reader;
static const uint8_t *bytes;
static size_t bytes_size, position;

/* ETE with cycle counts and timestamps; nothing is speculative. */
static void begin(const char *stream, size_t size)
{
    static const struct cairn_register registers[] = {
        {"TRCCONFIGR", 0x811},   {"TRCIDR0", 0x28018ea1}, {"TRCIDR1", 0x4100fff0},
        {"TRCIDR2", 0x40001088}, {"TRCIDR8", 0},          {"TRCDEVARCH", 0x47735a13},
    };
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;

    source.protocol = CAIRN_PROTOCOL_ETE;
    source.arch = (struct cairn_arch){CAIRN_PROFILE_A, 9, 2, 0};
    source.registers = registers;
    source.register_count = sizeof registers / sizeof registers[0];
    assert_int_equal(cairn_config_new(&source, &config, NULL), CAIRN_OK);
    assert_int_equal(cairn_words_of_levels_new(config, NULL, &reader), CAIRN_OK);
    memset(&ledger, 0, sizeof ledger);
    out = (struct cairn_words){.capacity = ROOM,
                               .word = words,
                               .aside_capacity = ROOM,
                               .aside = asides,
                               .data_capacity = ROOM,
                               .data = data,
                               .ledger = &ledger,
                               .until = UINT64_MAX,
                               .packets = true};
    assert_int_equal(cairn_element_batch_new(ROOM, &out.elements), CAIRN_OK);
    bytes = (const uint8_t *)stream;
    bytes_size = size;
    position = 0;
}

#define BEGIN(STREAM) begin(STREAM, sizeof(STREAM) - 1)

static void end(void)
{
    cairn_words_of_levels_free(reader);
    cairn_element_batch_free(out.elements);
    cairn_config_unref(config);
}

static void next(void)
{
    cairn_words_empty(&out);
    assert_int_equal(cairn_words_of_levels(reader, bytes, bytes_size, &position, &out), CAIRN_OK);
}

static void finish(void)
{
    cairn_words_empty(&out);
    assert_int_equal(cairn_words_of_levels_finish(reader, &out), CAIRN_OK);
}

/* The call that gives what stands in front of the first address, and no word. */
static void skip_start(void)
{
    next();
    assert_int_equal(out.count, 0);
    assert_int_equal(out.elements->kind[out.elements->count - 1], CAIRN_ELEMENT_TRACE_ON);
}

static uint64_t bits(unsigned count, uint64_t atoms)
{
    return (uint64_t)count << CAIRN_WORD_BITS_SHIFT | atoms;
}

static uint64_t place(const struct cairn_word *word)
{
    return out.origin + word->at;
}

static void check_aside(size_t i, unsigned kind, unsigned step, uint64_t at, unsigned length,
                        uint64_t value)
{
    assert_true(i < out.aside_count);
    assert_int_equal(asides[i].kind, kind);
    assert_int_equal(asides[i].step, step);
    assert_int_equal(out.origin + asides[i].at, at);
    assert_int_equal(asides[i].length, length);
    assert_int_equal(asides[i].value, value);
    assert_int_equal(asides[i].data, 0);
    assert_int_equal(asides[i].flags, 0);
}

/* Atoms on both sides of asides are one word, and the address behind them is its target. */
static void test_one_word(void **state)
{
    enum { AT = AFTER_START };

    (void)state;
    BEGIN(START EEE NNN "\x0e\x05"
                        "\x02\x07"
                        "\x72" EEE "\x95\x05" EEE TRACE_ON);
    skip_start();
    next();
    assert_int_equal(out.count, 3);
    assert_int_equal(words[0].atoms, 0);
    assert_int_equal(words[0].target, 0x1000);
    assert_int_equal(place(&words[0]), AT_ADDRESS);
    assert_int_equal(words[0].before, 0);
    assert_int_equal(words[0].target_length, 9);
    assert_int_equal(words[0].asides, 0);
    assert_true(words[1].atoms == bits(9, 0x1c7));
    assert_int_equal(words[1].target, 0x1014);
    assert_int_equal(place(&words[1]), AT);
    assert_int_equal(words[1].before, 8);
    assert_int_equal(words[1].target_length, 2);
    assert_int_equal(words[1].asides, 6);
    check_aside(0, CAIRN_ASIDE_PACKET, 0, AT, 1, 0);
    check_aside(1, CAIRN_ASIDE_PACKET, 3, AT + 1, 1, 0);
    check_aside(2, CAIRN_ELEMENT_CYCLE_COUNT, 6, AT + 2, 2, 5);
    check_aside(3, CAIRN_ELEMENT_TIMESTAMP, 6, AT + 4, 2, 7);
    check_aside(4, CAIRN_ELEMENT_EVENT, 6, AT + 6, 1, 1);
    check_aside(5, CAIRN_ASIDE_PACKET, 6, AT + 7, 1, 0);
    /* an address ends the word; the youngest atom is certain at the end only */
    assert_true(words[2].atoms == bits(2, 3));
    assert_true(words[2].target == CAIRN_WORD_NO_TARGET);
    assert_int_equal(place(&words[2]), AT + 10);
    assert_int_equal(words[2].asides, 1);
    assert_int_equal(out.aside_count, 7);
    assert_int_equal(out.data_count, 0);
    assert_int_equal(out.elements->count, 0);
    assert_int_equal(position, bytes_size);
    assert_int_equal(out.by_levels, bytes_size);
    finish();
    assert_int_equal(out.count, 1);
    assert_true(words[0].atoms == bits(1, 1));
    check_aside(0, CAIRN_ASIDE_PACKET, 0, AT + 10, 1, 0);
    assert_int_equal(out.elements->count, 1);
    assert_int_equal(out.elements->kind[0], CAIRN_ELEMENT_TRACE_ON);
    assert_int_equal(out.elements->offset[0], AT + 11);
    finish();
    assert_int_equal(out.count + out.elements->count, 0);
    assert_int_equal(ledger.total, bytes_size);
    assert_int_equal(ledger.account[CAIRN_ACCOUNT_PADDING].bytes, 12); /* the A-sync */
    assert_int_equal(ledger.account[CAIRN_ACCOUNT_PADDING].packets, 1);
    assert_int_equal(ledger.account[CAIRN_ACCOUNT_FLOW].bytes +
                         ledger.account[CAIRN_ACCOUNT_METADATA].bytes,
                     bytes_size - 12);
    assert_int_equal(ledger.account[CAIRN_ACCOUNT_FLOW].packets +
                         ledger.account[CAIRN_ACCOUNT_METADATA].packets,
                     12);
    end();
}

/* Two addresses on end are two words, and so is an aside in front of an address and that. */
static void test_addresses(void **state)
{
    (void)state;
    BEGIN(START "\x95\x05"
                "\x96\x06"
                "\x71"
                "\x95\x07" EEE);
    skip_start();
    next();
    assert_int_equal(out.count, 5);
    assert_int_equal(words[1].target, 0x1014);
    assert_int_equal(place(&words[1]), AFTER_START);
    assert_int_equal(words[2].target, 0x100c | 1); /* IS1 */
    assert_int_equal(place(&words[2]), AFTER_START + 2);
    assert_int_equal(words[3].target, 0x101c);
    assert_int_equal(words[3].asides, 1);
    assert_int_equal(place(&words[3]), AFTER_START + 5); /* the target's packet */
    assert_int_equal(words[3].before, 0);
    check_aside(0, CAIRN_ELEMENT_EVENT, 0, AFTER_START + 4, 1, 0);
    end();
}

/* A word is full with 32 atoms: the next atom of the packet says again where it is. */
static void test_full_of_atoms(void **state)
{
    (void)state;
    BEGIN(START EEE EEE EEE EEE EEE EEE EEE EEE EEE EEE NNN "\x95\x05" EEE);
    skip_start();
    next();
    assert_int_equal(out.count, 4);
    assert_true(words[1].atoms == bits(32, 0x3fffffff));
    assert_true(words[1].target == CAIRN_WORD_NO_TARGET);
    assert_int_equal(words[1].asides, 11);
    check_aside(10, CAIRN_ASIDE_PACKET, 30, AFTER_START + 10, 1, 0);
    assert_true(words[2].atoms == bits(1, 0));
    assert_int_equal(words[2].target, 0x1014);
    assert_int_equal(place(&words[2]), AFTER_START + 10);
    assert_int_equal(words[2].before, 1);
    check_aside(11, CAIRN_ASIDE_PACKET, 0, AFTER_START + 10, 1, 0);
    end();
}

/* A word is full with 255 asides. An atom may have two: its packet, and where a transaction began. */
static void test_full_of_asides(void **state)
{
    enum { EVENTS = 400 };
    char stream[AFTER_START + EVENTS + 4];

    (void)state;
    for (unsigned lead = 252; lead <= 256; lead++) {
        const unsigned first = lead < 254 ? lead : lead < 255 ? 254 : 255;

        memcpy(stream, START, AFTER_START);
        memset(stream + AFTER_START, 0x71, lead);
        stream[AFTER_START + lead] = '\xf7';
        memcpy(stream + AFTER_START + lead + 1, "\x95\x05" EEE, 3);
        begin(stream, AFTER_START + lead + 4);
        skip_start();
        next();
        assert_int_equal(words[1].asides, first + (lead <= 253));
        assert_true(words[1].atoms == (lead <= 253 ? bits(1, 1) : 0));
        assert_int_equal(out.count, lead <= 253 ? 3 : 4);
        assert_int_equal(words[out.count - 2].target, 0x1014);
        if (lead > 253) {
            assert_true(words[2].atoms == bits(1, 1));
            assert_int_equal(words[2].asides, 1 + lead - first);
        }
        end();
    }
}

/* In a transaction atoms say so once, when it begins for them and when it ends. */
static void test_transactions(void **state)
{
    (void)state;
    BEGIN(START "\x0a" EEE "\x95\x05" EEE "\x0b" EEE TRACE_ON);
    skip_start();
    next(); /* the first address */
    assert_int_equal(out.count, 1);
    for (unsigned i = 0; i < 8 && (out.count == 0 || words[0].target == 0x1000); i++)
        next();
    assert_int_equal(out.count, 2);
    assert_true(words[0].atoms == bits(3, 7));
    assert_int_equal(words[0].target, 0x1014);
    assert_int_equal(words[0].asides, 2);
    check_aside(0, CAIRN_ASIDE_PACKET, 0, AFTER_START + 1, 1, 0);
    check_aside(1, CAIRN_ASIDE_TRANSACTION, 0, AFTER_START + 1, 1, 1);
    assert_true(words[1].atoms == bits(3, 7));
    assert_int_equal(words[1].asides, 1);
    next();
    assert_int_equal(out.count, 1);
    assert_int_equal(words[0].asides, 2);
    check_aside(0, CAIRN_ASIDE_PACKET, 0, AFTER_START + 6, 1, 0);
    check_aside(1, CAIRN_ASIDE_TRANSACTION, 0, AFTER_START + 6, 1, 0);
    end();
}

/* Room for one of each thing is what a call needs; with more, it stops where there is none left. */
static void test_room(void **state)
{
    static const struct {
        size_t words, asides, data, elements;
        bool enough;
    } rows[] = {{1, 2, 1, 1, true},
                {0, 2, 1, 1, false},
                {1, 1, 1, 1, false},
                {1, 2, 0, 1, false},
                {1, 2, 1, 0, false}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        BEGIN(START EEE EEE TRACE_ON);
        out.capacity = rows[i].words;
        out.aside_capacity = rows[i].asides;
        out.data_capacity = rows[i].data;
        out.elements->capacity = rows[i].elements;
        cairn_words_empty(&out);
        assert_int_equal(cairn_words_of_levels(reader, bytes, bytes_size, &position, &out),
                         rows[i].enough ? CAIRN_OK : CAIRN_E_ARGUMENT);
        assert_int_equal(cairn_words_of_levels_finish(reader, &out),
                         CAIRN_E_ARGUMENT); /* the batch is not empty, or has no room */
        out.elements->capacity = ROOM;
        end();
    }
    BEGIN(START EEE);
    position = bytes_size + 1;
    cairn_words_empty(&out);
    assert_int_equal(cairn_words_of_levels(reader, bytes, bytes_size, &position, &out),
                     CAIRN_E_ARGUMENT);
    position = 0;
    skip_start();
    out.count = 1; /* a batch that is not empty */
    assert_int_equal(cairn_words_of_levels(reader, bytes, bytes_size, &position, &out),
                     CAIRN_E_ARGUMENT);
    next();
    finish();
    assert_int_equal(out.count, 1); /* the youngest atoms are certain at the end */
    assert_int_equal(cairn_words_of_levels(reader, bytes, bytes_size, &position, &out),
                     CAIRN_E_ARGUMENT);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_word),      cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_full_of_atoms), cmocka_unit_test(test_full_of_asides),
        cmocka_unit_test(test_transactions),  cmocka_unit_test(test_room),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
