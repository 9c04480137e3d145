/* SPDX-License-Identifier: BSD-2-Clause */
/* What random trace seldom meets: a Timestamp Marker's element that is cancelled, a transaction
 * just as long as is held, a packet that an A-sync cuts, more that waits than there is room for, a
 * reader that begins elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/etmv4.h>

#include "../house/share.h"
#include "protocol/words_of_scan.h"
#include "random_trace.h"
#include "scan_compare.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define IDR0 0x08018ea1u
#define TSMARK (1u << 23)

enum {
    TIMES = 100,  /* so that the scan leaves the levels in between */
    HELD = 65536, /* elements of a transaction, its start among them, that are no longer held */
    ATOM_E = 0xf7,
    IGNORE = 0x70,
    TRANSACTION_START = 0x0a,
    TRANSACTION_COMMIT = 0x0b,
    EVENT_0 = 0x71,
    ADDRESS_64 = 0x9d,
    WAITING = 70000, /* elements: more than any queue holds */
    CUTS_STEP =
        TEST_SHARE > 1 ? 4 : 1, /* every fourth of a unit where few are tried, other ones of each */
    STATUSES = CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E,
};

static const uint8_t start[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0x00};
static uint8_t trace[sizeof start + HELD + 16];

static size_t repeat(const uint8_t *bytes, size_t size)
{
    memcpy(trace, start, sizeof start);
    for (size_t i = 0; i < TIMES; i++)
        memcpy(trace + sizeof start + i * size, bytes, size);
    return sizeof start + TIMES * size;
}

static size_t approximate_timestamps(struct cairn_config *config, size_t size)
{
    struct scan_elements elements = {0};
    size_t count = 0;

    scan_reference(config, trace, size, &elements);
    for (size_t i = 0; i < elements.count; i++)
        count += elements.list[i].kind == CAIRN_ELEMENT_TIMESTAMP &&
                 (elements.list[i].flags & CAIRN_ELEMENT_APPROXIMATE) != 0;
    scan_elements_free(&elements);
    return count;
}

/* The marker means the element before it; a Timestamp whose element is gone is only about right. */
static void check_marks(const uint8_t *bytes, size_t size, size_t approximate)
{
    static const struct random_unit unit = {"ETE, MAXSPEC 64, markers", true, false, 64,
                                            IDR0 | TSMARK};
    static const struct scan_cut cuts[] = {
        {0, 4096, 4096}, {0, 3, 2}, {1, 1, 1}, {300, 4096, 4096}};
    struct cairn_config *config = random_configure(&unit);
    const size_t all = repeat(bytes, size);
    size_t runs = 0;

    assert_int_equal(approximate_timestamps(config, all), approximate);
    scan_check(config, trace, all, cuts, COUNT_OF(cuts), &runs);
    cairn_config_unref(config);
}

/* DDI0608 D5.10 (Timestamp Marker), D5.36 (Cancel). */
static void test_marked_element_is_cancelled(void **state)
{
    /* E, E, marker, Cancel 1, Timestamp 5, Commit 1 */
    static const uint8_t last_of_two[] = {0xf7, 0xf7, 0x88, 0x2e, 0x01, 0x02, 0x05, 0x2d, 0x01};
    /* EEE in one packet, marker, Commit 1, Cancel 1, Timestamp 5, Commit 1 */
    static const uint8_t last_of_packet[] = {0xff, 0x88, 0x2d, 0x01, 0x2e,
                                             0x01, 0x02, 0x05, 0x2d, 0x01};
    /* The same with two Commits, and a pause, in which calls end, before the Cancel. */
    static uint8_t pause[410] = {0xff, 0x88, 0x2d, 0x01, 0x2d, 0x01};
    static const uint8_t end[] = {0x2e, 0x01, 0x02, 0x05};
    (void)state;
    memset(pause + 6, IGNORE, sizeof pause - 6);
    memcpy(pause + sizeof pause - sizeof end, end, sizeof end);
    check_marks(pause, sizeof pause, TIMES);
    check_marks(last_of_two, sizeof last_of_two, TIMES);
    check_marks(last_of_packet, sizeof last_of_packet, TIMES);
}

static void test_other_element_is_cancelled(void **state)
{
    /* E, marker, E, Cancel 1, Timestamp 5, Commit 1 */
    static const uint8_t older[] = {0xf7, 0x88, 0xf7, 0x2e, 0x01, 0x02, 0x05, 0x2d, 0x01};
    /* EEE in one packet, marker, Commit 1, E, Cancel 1, Timestamp 5, Commit 2 */
    static const uint8_t packet[] = {0xff, 0x88, 0x2d, 0x01, 0xf7, 0x2e,
                                     0x01, 0x02, 0x05, 0x2d, 0x02};
    (void)state;
    check_marks(older, sizeof older, 0);
    check_marks(packet, sizeof packet, 0);
}

/* DDI0608 D2.4.3: what a marker means is an Event as well, here two of one packet, and a Timestamp
 * says where it is. */
static void test_marker_behind_events(void **state)
{
    /* E, Events 0 and 1, marker, Timestamp 5, Commit 1 */
    static const uint8_t events[] = {0xf7, 0x73, 0x88, 0x02, 0x05, 0x2d, 0x01};
    (void)state;
    check_marks(events, sizeof events, 0);
}

/* A transaction of `count` elements, its start among them, and its Commit. */
static uint16_t flags_of_start(size_t count)
{
    static const struct random_unit unit = {"ETE without speculation", true, false, 0, IDR0};
    struct cairn_config *config = random_configure(&unit);
    struct scan_elements elements = {0};
    size_t size = sizeof start;
    size_t at = 0;
    uint16_t flags;

    memcpy(trace, start, sizeof start);
    trace[size++] = TRANSACTION_START;
    memset(trace + size, ATOM_E, count - 1);
    size += count - 1;
    trace[size++] = TRANSACTION_COMMIT;
    scan_reference(config, trace, size, &elements);
    while (at < elements.count && elements.list[at].kind != CAIRN_ELEMENT_TRANSACTION_START)
        at++;
    assert_true(at + count < elements.count);
    flags = elements.list[at].flags;
    scan_elements_free(&elements);
    cairn_config_unref(config);
    return flags;
}

/* The outcome of a transaction decides about what is in it (DDI0608 D9.4), but what is held is
 * bounded, whatever the trace says. */
static void test_held_transaction(void **state)
{
    (void)state;
    assert_int_equal(flags_of_start(HELD - 1) &
                         (CAIRN_ELEMENT_TRANSACTIONAL | CAIRN_ELEMENT_UNCERTAIN),
                     CAIRN_ELEMENT_TRANSACTIONAL);
    assert_int_equal(flags_of_start(HELD) & (CAIRN_ELEMENT_TRANSACTIONAL | CAIRN_ELEMENT_UNCERTAIN),
                     CAIRN_ELEMENT_UNCERTAIN);
}

/* An A-sync in a packet cuts it (DDI0608 D5.4): its first zeros are no payload, whatever the way by
 * which packets are taken. */
static void test_cut_packets(void **state)
{
    static const char *const cut[] = {
        "\x2d\x81",     "\x2e\x81",     "\x2f\x81",     "\x95\x85", "\x9a\x01\x02",
        "\x9d\x01\x02", "\x02\x85",     "\x03\x05\x81", "\x0f\x81", "\x0e\x01\x81",
        "\x0c",         "\x82\x05\x06", "\x81",         "\x06",     "\x06\x1d\x95\x85"};
    static const struct scan_cut cuts[] = {{0, 4096, 4096}, {0, 3, 2}, {1, 1, 1}, {300, 80, 80}};
    static const uint8_t atoms[] = {0xf7, 0xf6, 0xf7, 0xf7};
    (void)state;
    for (size_t u = 0; u < random_unit_count; u++) {
        struct cairn_config *config = random_configure(&random_units[u]);

        for (size_t c = u % CUTS_STEP; c < COUNT_OF(cut); c += CUTS_STEP) {
            uint8_t bytes[sizeof start + sizeof atoms + 8];
            const size_t length = strlen(cut[c]);
            size_t runs = 0;

            memcpy(bytes, atoms, sizeof atoms);
            memcpy(bytes + sizeof atoms, cut[c], length);
            memcpy(bytes + sizeof atoms + length, start, sizeof start);
            const size_t all = repeat(bytes, sizeof atoms + length + sizeof start);

            scan_check(config, trace, all, cuts, COUNT_OF(cuts), &runs);
        }
        cairn_config_unref(config);
    }
}

/* The A-sync is looked for where zeros are: those of an address that ends right before the packet
 * that it cuts do not hide it, wherever they lie (DDI0608 D5.4). */
static void test_cut_behind_zeros(void **state)
{
    static const struct scan_cut cuts[] = {{0, 4096, 4096}, {300, 80, 80}};
    enum { SHIFTS = 8, ATOMS = 40, LONG = 9 };
    (void)state;
    for (size_t u = 0; u < random_unit_count; u++) {
        struct cairn_config *config = random_configure(&random_units[u]);

        for (size_t shift = u % CUTS_STEP; shift < SHIFTS; shift += CUTS_STEP) {
            uint8_t bytes[ATOMS + SHIFTS + LONG + 1 + sizeof start] = {0};
            const size_t atoms = ATOMS + shift;
            size_t runs = 0;

            memset(bytes, ATOM_E, atoms);
            bytes[atoms] = ADDRESS_64;
            bytes[atoms + LONG] = ADDRESS_64;
            memcpy(bytes + atoms + LONG + 1, start, sizeof start);
            const size_t all = repeat(bytes, atoms + LONG + 1 + sizeof start);

            scan_check(config, trace, all, cuts, COUNT_OF(cuts), &runs);
        }
        cairn_config_unref(config);
    }
}

/* What waits for the Commit of one Atom is bounded, whatever the trace says: the scan gives up where
 * the levels do. */
static void test_bound_of_what_waits(void **state)
{
    static const struct scan_cut all[] = {{0, 4096, 4096}, {0, 100, 100}};
    const struct random_unit *const units[] = {&random_units[0], &random_units[5]};
    static uint8_t bytes[sizeof start + 1 + WAITING + 40];
    (void)state;
    memset(bytes, ATOM_E, sizeof bytes);
    memcpy(bytes, start, sizeof start);
    memset(bytes + sizeof start + 1, EVENT_0, WAITING);
    for (size_t u = 0; u < COUNT_OF(units); u++) {
        struct cairn_config *config = random_configure(units[u]);
        struct scan_elements elements = {0};
        size_t runs = 0, events = 0, lost = 0;

        /* where nothing is speculative nothing is lost (D9.3) */
        scan_reference(config, bytes, sizeof bytes, &elements);
        for (size_t i = 0; i < elements.count; i++) {
            events += elements.list[i].kind == CAIRN_ELEMENT_EVENT;
            lost += (elements.list[i].flags & CAIRN_ELEMENT_LOST) != 0 &&
                    elements.list[i].data.reason == CAIRN_GAP_LIMIT;
        }
        scan_elements_free(&elements);
        assert_int_equal(events, WAITING); /* lost ones say so */
        assert_int_equal(lost > 0, units[u]->maxspec > 0);
        scan_check(config, bytes, sizeof bytes, all, COUNT_OF(all), &runs);
        cairn_config_unref(config);
    }
}

/* However long some P0 elements are outstanding at any time, and whatever the room: elements leave in
 * the order of the trace (DDI0608 D9.3). */
static void test_always_outstanding(void **state)
{
    static const struct scan_cut cuts[] = {{0, 4096, 4096}, {0, 3, 2}, {1, 1, 1}};
    static const uint8_t turn[] = {0xf7, 0x95, 0x05, 0xf6, 0x72, 0x2d, 0x02};
    struct cairn_config *config = random_configure(&random_units[5]);
    uint8_t bytes[sizeof start + 6 + 400 * sizeof turn];
    size_t runs = 0;
    (void)state;
    memcpy(bytes, start, sizeof start);
    memset(bytes + sizeof start, ATOM_E, 6);
    for (size_t i = 0; i < 400; i++)
        memcpy(bytes + sizeof start + 6 + i * sizeof turn, turn, sizeof turn);
    scan_check(config, bytes, sizeof bytes, cuts, COUNT_OF(cuts), &runs);
    cairn_config_unref(config);
}

/* A transaction that nothing is before, behind a Discard, and that is not committed yet when much has
 * come: its elements are of it (DDI0608 D9.4), whoever reads them. */
static void test_transaction_at_the_start(void **state)
{
    static const struct scan_cut cuts[] = {{0, 4096, 4096}, {0, 3, 2}, {100, 80, 80}};
    /* Discard, Trace On, Transaction Start, Event 0 (40 times), E, E, Commit 1 (of the start),
     * Commit 2, E, Commit 1, Transaction Commit, E, Commit 1 */
    static const uint8_t discard[] = {0x00, 0x03, 0x04, TRANSACTION_START};
    static const uint8_t behind[] = {ATOM_E, ATOM_E, 0x2d, 0x01, 0x2d,
                                     0x02,   ATOM_E, 0x2d, 0x01, TRANSACTION_COMMIT,
                                     ATOM_E, 0x2d,   0x01};
    static uint8_t turn[sizeof start + sizeof discard + 40 + sizeof behind];
    struct cairn_config *config = random_configure(&random_units[5]);
    struct scan_elements elements = {0};
    size_t runs = 0, inside = 0, outside = 0;
    (void)state;
    memcpy(turn, discard, sizeof discard);
    memset(turn + sizeof discard, EVENT_0, 40);
    memcpy(turn + sizeof discard + 40, behind, sizeof behind);
    memcpy(turn + sizeof discard + 40 + sizeof behind, start, sizeof start);
    const size_t size = repeat(turn, sizeof turn);

    scan_reference(config, trace, size, &elements);
    for (size_t i = 0; i < elements.count; i++)
        if (elements.list[i].kind == CAIRN_ELEMENT_ATOM)
            *(elements.list[i].flags & CAIRN_ELEMENT_TRANSACTIONAL ? &inside : &outside) += 1;
    assert_int_equal(inside, 3 * TIMES);
    assert_int_equal(outside, TIMES);
    scan_elements_free(&elements);
    scan_check(config, trace, size, cuts, COUNT_OF(cuts), &runs);
    cairn_config_unref(config);
}

/* A Trace Info in the middle of the trace says that a transaction is open, of which the start was not traced: what
 * comes behind it waits for its end (DDI0608 D9.4.1). */
static void test_transaction_at_a_sync(void **state)
{
    static const struct scan_cut cuts[] = {{0, 4096, 4096}, {0, 3, 2}, {100, 80, 80}};
    enum { ATOMS = 60, WITH_T = 0x40 };
    static const uint8_t ends[] = {TRANSACTION_COMMIT, 0xf6, 0xf6};
    uint8_t turn[2 * ATOMS + sizeof start + 1 + sizeof ends];
    size_t with_transactions = 0;

    (void)state;
    for (size_t u = 0; u < random_unit_count; u++) {
        struct cairn_config *config;
        struct scan_elements elements = {0};
        size_t runs = 0, inside = 0;

        if (random_units[u].maxspec != 0)
            continue;
        config = random_configure(&random_units[u]);
        memset(turn, ATOM_E, sizeof turn);
        memcpy(turn + ATOMS, start, sizeof start);
        turn[ATOMS + sizeof start - 1] = 1; /* PLCTL: INFO follows */
        turn[ATOMS + sizeof start] = WITH_T;
        memcpy(turn + sizeof turn - sizeof ends, ends, sizeof ends);
        const size_t size = repeat(turn, sizeof turn);

        scan_reference(config, trace, size, &elements);
        for (size_t i = 0; i < elements.count; i++)
            inside += elements.list[i].kind == CAIRN_ELEMENT_ATOM &&
                      (elements.list[i].flags & CAIRN_ELEMENT_TRANSACTIONAL) != 0;
        with_transactions += inside == ATOMS * TIMES;
        scan_elements_free(&elements);
        scan_check(config, trace, size, cuts, COUNT_OF(cuts), &runs);
        cairn_config_unref(config);
    }
    assert_true(with_transactions > 0);
}

/* The Atom that a Mispredict inverts is older than the exception before it: the Target Address
 * between is void (DDI0608 D6.9.14). */
static void test_mispredict_without_atom(void **state)
{
    static const struct scan_cut cuts[] = {{0, 4096, 4096}, {0, 3, 2}, {100, 80, 80}};
    /* an exception, Commit 1, an address, Mispredict, an exception, E, E, Commit 3 */
    static const uint8_t turn[] = {0x06, 0x1d, 0x90, 0x2d, 0x01, 0x95, 0x05, 0x30,
                                   0x06, 0x1d, 0x90, 0xf7, 0xf7, 0x2d, 0x03};
    struct cairn_config *config = random_configure(&random_units[5]);
    const size_t size = repeat(turn, sizeof turn);
    struct scan_elements elements = {0};
    size_t runs = 0;
    (void)state;
    scan_reference(config, trace, size, &elements);
    for (size_t i = 0; i < elements.count; i++)
        assert_int_not_equal(elements.list[i].kind, CAIRN_ELEMENT_TARGET_ADDRESS);
    scan_elements_free(&elements);
    scan_check(config, trace, size, cuts, COUNT_OF(cuts), &runs);
    cairn_config_unref(config);
}

/* Bytes that gave no element are a gap, where no Trace Info has come yet as well (DDI0608 D1.9). */
static void test_end_without_trace_info(void **state)
{
    static const uint8_t bytes[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x9a, 0x01};
    struct cairn_config *config = random_configure(&random_units[0]);
    struct scan_elements elements = {0};
    (void)state;
    scan_reference(config, bytes, sizeof bytes, &elements);
    assert_int_equal(elements.count, 1);
    assert_int_equal(elements.list[0].kind, CAIRN_ELEMENT_GAP);
    assert_int_equal(elements.list[0].offset, 12);
    assert_int_equal(elements.list[0].length, 2);
    assert_int_equal(elements.list[0].data.value, CAIRN_GAP_TRUNCATED);
    scan_elements_free(&elements);
    cairn_config_unref(config);
}

/* A field without its flag is not there, whatever it holds: no Commit, and a count that is UNKNOWN
 * (DDI0608 D5.26). */
static void test_fields_without_flags(void **state)
{
    struct cairn_config *config = random_configure(&random_units[5]);
    struct cairn_elements *elements;
    struct cairn_packet_batch *packets;
    struct cairn_element_batch *out;
    size_t at = 0;
    (void)state;
    assert_int_equal(cairn_elements_new(config, &elements), CAIRN_OK);
    assert_int_equal(cairn_packet_batch_new(2, &packets), CAIRN_OK);
    assert_int_equal(cairn_element_batch_new(16, &out), CAIRN_OK);
    packets->count = 2;
    packets->offset[0] = packets->offset[1] = 0;
    packets->length[0] = packets->length[1] = 2;
    packets->kind[0] = CAIRN_ETMV4_TRACE_INFO;
    packets->fields[0] = (struct cairn_packet_fields){.flags = CAIRN_PACKET_HAS_COUNT, .count = 3};
    packets->kind[1] = CAIRN_ETMV4_CYCLE_COUNT_F1;
    packets->fields[1] = (struct cairn_packet_fields){.count = 2, .cycles = 5};
    assert_int_equal(cairn_elements_run(elements, packets, &at, out), CAIRN_OK);
    assert_int_equal(out->count, 2);
    assert_int_equal(out->kind[0], CAIRN_ELEMENT_TRACE_INFO);
    assert_int_equal(out->kind[1], CAIRN_ELEMENT_CYCLE_COUNT);
    assert_int_equal(out->flags[1], CAIRN_ELEMENT_UNKNOWN);
    cairn_elements_free(elements);
    cairn_packet_batch_free(packets);
    cairn_element_batch_free(out);
    cairn_config_unref(config);
}

/* --- the reader of words --- */

struct reading {
    struct cairn_config *config;
    void *reader;
    struct cairn_word words[CAIRN_WORDS_ROOM];
    struct cairn_aside asides[CAIRN_WORDS_ROOM];
    struct cairn_word_bytes meanings;
    struct cairn_scan_ledger ledger;
    struct cairn_words out;
};

static void reading_begin(struct reading *r, const struct random_unit *unit)
{
    memset(r, 0, sizeof *r);
    r->config = random_configure(unit);
    assert_int_equal(r->config->protocol->reader_new(r->config, &r->meanings, &r->reader),
                     CAIRN_OK);
    r->out = (struct cairn_words){.capacity = COUNT_OF(r->words),
                                  .word = r->words,
                                  .aside_capacity = COUNT_OF(r->asides),
                                  .aside = r->asides,
                                  .ledger = &r->ledger,
                                  .until = UINT64_MAX};
    assert_int_equal(cairn_element_batch_new(CAIRN_WORDS_ELEMENTS, &r->out.elements), CAIRN_OK);
}

static void reading_end(struct reading *r)
{
    r->config->protocol->reader_free(r->reader);
    cairn_element_batch_free(r->out.elements);
    cairn_config_unref(r->config);
}

/* So few bytes that what they give comes as elements. */
static void reading_read(struct reading *r, const uint8_t *bytes, size_t size)
{
    size_t at = 0;

    cairn_words_empty(&r->out);
    assert_int_equal(r->config->protocol->reader_words(r->reader, bytes, size, &at, &r->out),
                     CAIRN_OK);
    assert_int_equal(at, size);
    assert_int_equal(r->out.count, 0);
}

/* Room for one element is enough to go on; with none there is no way on (protocol/words.h). */
static void test_room_for_elements(void **state)
{
    static struct reading r;
    size_t at = 0;
    (void)state;
    reading_begin(&r, &random_units[0]);
    const size_t capacity = r.out.elements->capacity;

    r.out.elements->capacity = 0;
    assert_int_equal(r.config->protocol->reader_words(r.reader, start, sizeof start, &at, &r.out),
                     CAIRN_E_ARGUMENT);
    assert_int_equal(r.config->protocol->reader_finish(r.reader, &r.out), CAIRN_E_ARGUMENT);
    r.out.elements->capacity = 1;
    assert_int_equal(r.config->protocol->reader_words(r.reader, start, sizeof start, &at, &r.out),
                     CAIRN_OK);
    assert_int_equal(at, sizeof start);
    r.out.elements->capacity = capacity;
    reading_end(&r);
}

/* A word has up to 255 asides (protocol/words.h), each of which may have data: with room for fewer
 * the reader over a scan could not go on. */
static void test_room_for_asides(void **state)
{
    static struct reading r;
    static struct cairn_element_data data[CAIRN_WORDS_ROOM];
    void *reader;
    size_t at = 0;
    (void)state;
    reading_begin(&r, &random_units[0]);
    assert_int_equal(cairn_words_of_scan_new(r.config, &r.meanings, &reader), CAIRN_OK);
    r.out.data = data;
    for (unsigned lacks = 0; lacks < 4; lacks++) {
        r.out.aside_capacity = lacks & 1 ? 254 : 255;
        r.out.data_capacity = lacks & 2 ? 254 : 255;
        assert_int_equal(cairn_words_of_scan(reader, start, 1, &at, &r.out),
                         lacks ? CAIRN_E_ARGUMENT : CAIRN_OK);
    }
    cairn_words_of_scan_free(reader);
    reading_end(&r);
}

/* A reader that begins elsewhere knows nothing of what was before: not that a transaction was open,
 * whose outcome the elements would wait for (DDI0608 D9.4). */
static void test_reader_leaves_transaction(void **state)
{
    static struct reading r;
    static const uint8_t inside[] = {ATOM_E, TRANSACTION_START, ATOM_E, ATOM_E};
    static const uint8_t elsewhere[] = {0, 0, 0,    0,    0,    0,      0,      0,     0,
                                        0, 0, 0x80, 0x01, 0x00, ATOM_E, ATOM_E, ATOM_E};
    const struct cairn_element_batch *elements;
    (void)state;
    reading_begin(&r, &random_units[0]);
    reading_read(&r, start, sizeof start);
    reading_read(&r, inside, sizeof inside);
    r.config->protocol->reader_begin_at(r.reader, 1000, NULL);
    reading_read(&r, elsewhere, sizeof elsewhere);
    elements = r.out.elements;
    assert_int_equal(elements->count, 3); /* the last Atom may still change */
    assert_int_equal(elements->kind[0], CAIRN_ELEMENT_TRACE_INFO);
    for (size_t i = 1; i < elements->count; i++) {
        assert_int_equal(elements->kind[i], CAIRN_ELEMENT_ATOM);
        assert_int_equal(elements->flags[i], STATUSES);
        assert_int_equal(elements->offset[i], 1000 + sizeof start + i - 1);
    }
    reading_end(&r);
}

/* What a marker means may lie before the place that a reader begins at: it is there, and the
 * Timestamp is its own (DDI0608 D2.4.3). */
static void test_reader_begins_at_marker(void **state)
{
    static const struct random_unit unit = {"ETE without speculation, markers", true, false, 0,
                                            IDR0 | TSMARK};
    static const struct cairn_reader_place place = {.offset = 1000};
    static const uint8_t bytes[] = {0x88, 0x02, 0x05, ATOM_E, ATOM_E};
    static struct reading r;
    const struct cairn_element_batch *elements;
    (void)state;
    reading_begin(&r, &unit);
    r.config->protocol->reader_begin_at(r.reader, place.offset, &place);
    reading_read(&r, bytes, sizeof bytes);
    elements = r.out.elements;
    assert_int_equal(elements->count, 3);
    assert_int_equal(elements->kind[0], CAIRN_ELEMENT_TIMESTAMP_MARKER);
    assert_int_equal(elements->kind[1], CAIRN_ELEMENT_TIMESTAMP);
    assert_int_equal(elements->flags[1], 0);
    assert_int_equal(elements->data[1].value, 5);
    assert_int_equal(elements->kind[2], CAIRN_ELEMENT_ATOM);
    reading_end(&r);
}

/* Who goes on between two packets knows the identifiers of a context as well, of which a Context
 * packet without its V and C bits says nothing (DDI0608 D5.55). */
static void test_reader_begins_with_identifiers(void **state)
{
    static const uint8_t before[] = {0x81, 0xc1, 0x14, 0x13, 0x12, 0x11, 4, 3, 2, 1};
    static const uint8_t behind[] = {0x81, 0x02, ATOM_E};
    static struct reading r;
    static uint8_t bytes[sizeof start + sizeof before + 4096];
    struct cairn_reader_place place;
    const struct cairn_element_batch *elements;
    size_t at = 0;
    (void)state;
    reading_begin(&r, &random_units[1]);
    memcpy(bytes, start, sizeof start);
    memcpy(bytes + sizeof start, before, sizeof before);
    memset(bytes + sizeof start + sizeof before, ATOM_E, 4096);
    do {
        cairn_words_empty(&r.out);
        assert_int_equal(
            r.config->protocol->reader_words(r.reader, bytes, sizeof bytes, &at, &r.out), CAIRN_OK);
    } while (!r.config->protocol->reader_stand(r.reader, &place) && at < sizeof bytes);
    assert_true(r.config->protocol->reader_stand(r.reader, &place));
    reading_end(&r);
    reading_begin(&r, &random_units[1]);
    r.config->protocol->reader_begin_at(r.reader, place.offset, &place);
    reading_read(&r, behind, sizeof behind);
    elements = r.out.elements;
    assert_true(elements->count > 0);
    assert_int_equal(elements->kind[0], CAIRN_ELEMENT_CONTEXT);
    assert_int_equal(elements->data[0].context.EL, 2);
    assert_int_equal(elements->data[0].context.vmid, 0x11121314);
    assert_int_equal(elements->data[0].context.context_id, 0x01020304);
    reading_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marked_element_is_cancelled),
        cmocka_unit_test(test_other_element_is_cancelled),
        cmocka_unit_test(test_marker_behind_events),
        cmocka_unit_test(test_held_transaction),
        cmocka_unit_test(test_cut_packets),
        cmocka_unit_test(test_cut_behind_zeros),
        cmocka_unit_test(test_bound_of_what_waits),
        cmocka_unit_test(test_always_outstanding),
        cmocka_unit_test(test_transaction_at_the_start),
        cmocka_unit_test(test_transaction_at_a_sync),
        cmocka_unit_test(test_mispredict_without_atom),
        cmocka_unit_test(test_end_without_trace_info),
        cmocka_unit_test(test_fields_without_flags),
        cmocka_unit_test(test_room_for_elements),
        cmocka_unit_test(test_room_for_asides),
        cmocka_unit_test(test_reader_leaves_transaction),
        cmocka_unit_test(test_reader_begins_at_marker),
        cmocka_unit_test(test_reader_begins_with_identifiers),
    };
    return cmocka_run_group_tests_name("etmv4 borders", tests, NULL, NULL);
}
