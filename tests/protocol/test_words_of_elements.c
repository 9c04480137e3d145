/* SPDX-License-Identifier: BSD-2-Clause */
/* What becomes of each element in words that are put together from elements or from tokens of a scan
 * (protocol/words.h): made-up ones of a made-up protocol, at the bounds of what a word, a target and an aside
 * can say. Whatever they cannot comes as the element that it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "protocol/words_of_levels.h"
#include "protocol/words_of_scan.h"
#include "words_made.h"

enum { ROOM = 512 };

static size_t made_count;

/* --- words of them --- */

static struct cairn_word words[ROOM];
static struct cairn_aside asides[ROOM];
static struct cairn_element_data own[ROOM]; /* data of asides */
static struct cairn_words out;
static struct cairn_scan_ledger ledger;
static struct cairn_config config = {.protocol = &made_protocol};
static void *reader;
static size_t position;
static bool of_scan; /* the words are made of tokens */

static struct made *add(unsigned kind, uint64_t offset, uint64_t length)
{
    assert_true(made_count < MADE_MOST);
    made[made_count] = (struct made){.offset = offset, .length = length, .kind = (uint8_t)kind};
    return &made[made_count++];
}

static void begin(bool return_stack)
{
    memset(&ledger, 0, sizeof ledger);
    out = (struct cairn_words){.capacity = ROOM,
                               .word = words,
                               .aside_capacity = ROOM,
                               .aside = asides,
                               .data_capacity = ROOM,
                               .data = own,
                               .ledger = &ledger,
                               .until = UINT64_MAX,
                               .packets = true};
    config.rules.return_stack = return_stack;
    made_count = 0;
    made_given = 0;
    position = 0;
    config.references = 1;
    assert_int_equal(of_scan ? cairn_words_of_scan_new(&config, NULL, &reader)
                             : cairn_words_of_levels_new(&config, NULL, &reader),
                     CAIRN_OK);
    assert_int_equal(cairn_element_batch_new(ROOM, &out.elements), CAIRN_OK);
}

static void end(void)
{
    if (of_scan)
        cairn_words_of_scan_free(reader);
    else
        cairn_words_of_levels_free(reader);
    cairn_element_batch_free(out.elements);
}

static void next(void)
{
    static const uint8_t bytes[MADE_MOST];

    cairn_words_empty(&out);
    assert_int_equal(of_scan ? cairn_words_of_scan(reader, bytes, made_count, &position, &out)
                             : cairn_words_of_levels(reader, bytes, made_count, &position, &out),
                     CAIRN_OK);
}

/* The element that came last is the last one made. */
static void check_element(void)
{
    const struct made *last = &made[made_count - 1];
    const size_t n = out.elements->count - 1;

    assert_int_equal(out.elements->count, 1);
    assert_int_equal(out.elements->kind[n], last->kind);
    assert_int_equal(out.elements->flags[n], last->flags);
    assert_int_equal(out.elements->offset[n], last->offset);
    assert_int_equal(out.elements->length[n], last->length);
    assert_memory_equal(&out.elements->data[n], &last->data, sizeof last->data);
}

/* Data of which one member is not 0: the n-th. False: there are no more. */
static bool with_member(unsigned n, struct cairn_element_data *one)
{
    *one = (struct cairn_element_data){0};
    switch (n) {
    case 0: one->address = 0x1000; return true;
    case 1: one->value = 0x123456789; return true;
    case 2: one->cycles = 7; return true;
    case 3: one->sub_isa = 1; return true;
    case 4: one->reason = CAIRN_GAP_LIMIT; return true;
    case 5: one->info = 1; return true;
    case 6: one->context.EL = 1; return true;
    case 7: one->context.security = CAIRN_NONSECURE; return true;
    case 8: one->context.SF = 1; return true;
    case 9: one->context.sbz = 1; return true;
    case 10: one->context.vmid = 1; return true;
    case 11: one->context.context_id = 1; return true;
    default: return false;
    }
}

enum { MEMBER_ADDRESS = 0, MEMBER_VALUE = 1, MEMBER_SUB_ISA = 3 };

/* Of an aside all data are told: in `value`, or in data of its own, if a member is not what `value` alone
 * stands for. */
static void test_data_of_asides(void **state)
{
    static const uint8_t kinds[] = {CAIRN_ELEMENT_CYCLE_COUNT, CAIRN_ELEMENT_TIMESTAMP,
                                    CAIRN_ELEMENT_TIMESTAMP_MARKER, CAIRN_ELEMENT_EVENT,
                                    CAIRN_ELEMENT_DATA};
    struct cairn_element_data one;

    (void)state;
    for (unsigned k = 0; k < sizeof kinds; k++)
        for (unsigned n = 0; with_member(n, &one); n++) {
            const bool is_timestamp = kinds[k] == CAIRN_ELEMENT_TIMESTAMP;
            struct cairn_element_data got;

            begin(false);
            add(kinds[k], 5, 2)->data = one;
            next();
            assert_int_equal(out.elements->count, 0);
            assert_int_equal(out.count, 1);
            assert_int_equal(words[0].asides, 1);
            assert_int_equal(out.aside_count, 1);
            assert_int_equal(asides[0].kind, kinds[k]);
            assert_int_equal(out.origin + asides[0].at, 5);
            got = cairn_aside_data(&out, &asides[0]);
            assert_memory_equal(&got, &one, sizeof one);
            /* a Timestamp's address is understood to be its packet's; here it is not */
            assert_int_equal(asides[0].data != 0, n != MEMBER_VALUE || is_timestamp);
            end();
        }
    begin(false);
    add(CAIRN_ELEMENT_TIMESTAMP, 5, 2)->data =
        (struct cairn_element_data){.address = 5, .value = 9};
    next();
    assert_int_equal(asides[0].data, 0);
    assert_int_equal(cairn_aside_data(&out, &asides[0]).address, 5);
    assert_int_equal(cairn_aside_data(&out, &asides[0]).value, 9);
    end();
}

/* Data of several asides, each its own. */
static void test_data_of_several(void **state)
{
    (void)state;
    begin(false);
    for (unsigned i = 0; i < 4; i++)
        add(CAIRN_ELEMENT_EVENT, 10 + i, 1)->data =
            (struct cairn_element_data){.value = i, .cycles = i % 2 ? 100 + i : 0};
    next();
    assert_int_equal(out.aside_count, 4);
    assert_int_equal(out.data_count, 2);
    for (unsigned i = 0; i < 4; i++) {
        const struct cairn_element_data got = cairn_aside_data(&out, &asides[i]);

        assert_memory_equal(&got, &made[i].data, sizeof got);
    }
    end();
}

/* What is too long for an aside, or lost, is an element. */
static void test_asides(void **state)
{
    static const struct {
        unsigned kind;
        uint64_t length;
        unsigned flags;
        bool aside;
    } rows[] = {
        {CAIRN_ELEMENT_EVENT, UINT16_MAX, 0, true},
        {CAIRN_ELEMENT_EVENT, UINT16_MAX + 1, 0, false},
        {CAIRN_ELEMENT_EVENT, 1, CAIRN_ELEMENT_LOST, false},
        {CAIRN_ELEMENT_TIMESTAMP, 1, CAIRN_ELEMENT_UNKNOWN, true},
        {CAIRN_ELEMENT_CYCLE_COUNT, 1, CAIRN_ELEMENT_UNKNOWN, true},
        {CAIRN_ELEMENT_DATA, 1, 0, true},
        {CAIRN_ELEMENT_DATA, 1, CAIRN_ELEMENT_HERE, false},
        {CAIRN_ELEMENT_CONTEXT, 1, 0, false},
        {CAIRN_ELEMENT_EXCEPTION, 1, 0, false},
        {CAIRN_ELEMENT_TRACE_ON, 1, 0, false},
        {CAIRN_ELEMENT_GAP, 1, 0, false},
        {CAIRN_ELEMENT_SOURCE_ADDRESS, 1, 0, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(false);
        add(rows[i].kind, 3, rows[i].length)->flags = (uint16_t)rows[i].flags;
        next();
        assert_int_equal(out.aside_count, rows[i].aside);
        if (rows[i].aside) {
            assert_int_equal(asides[0].length, rows[i].length);
            assert_int_equal(asides[0].flags, rows[i].flags);
            assert_int_equal(out.elements->count, 0);
        } else {
            assert_int_equal(out.count, 0);
            check_element();
        }
        end();
    }
}

/* A target is an even address of A32, A64 or T32 code, and nothing else; all others are elements. */
static void test_targets(void **state)
{
    static const struct {
        uint64_t address, length;
        unsigned sub_isa, flags;
        bool target;
    } rows[] = {
        {0x1000, 2, 0, 0, true},
        {0x1002, 2, 1, 0, true},
        {UINT64_MAX - 1, 9, 0, 0, true},
        {0x1000, UINT8_MAX, 0, 0, true},
        {0x1000, UINT8_MAX + 1, 0, 0, false},
        {0x1001, 2, 0, 0, false},
        {0x1001, 2, 1, 0, false},
        {0x1000, 2, 2, 0, false},
        {0x1000, 2, 0, CAIRN_ELEMENT_UNKNOWN, false},
        {0x1000, 2, 0, CAIRN_ELEMENT_TRANSACTIONAL, false}, /* nothing said that one began */
    };
    struct cairn_element_data one;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct made *element;

        begin(false);
        element = add(CAIRN_ELEMENT_TARGET_ADDRESS, 3, rows[i].length);
        element->flags = (uint16_t)rows[i].flags;
        element->data.address = rows[i].address;
        element->data.sub_isa = (uint8_t)rows[i].sub_isa;
        next();
        if (rows[i].target) {
            assert_int_equal(out.count, 1);
            assert_int_equal(out.elements->count, 0);
            assert_true(words[0].target == (rows[i].address | rows[i].sub_isa));
            assert_int_equal(words[0].target_length, rows[i].length);
            assert_int_equal(out.origin + words[0].at + words[0].before, 3);
        } else {
            assert_int_equal(out.count, 0);
            check_element();
        }
        end();
    }
    for (unsigned n = 0; with_member(n, &one); n++) {
        begin(false);
        add(CAIRN_ELEMENT_TARGET_ADDRESS, 3, 2)->data = one;
        next();
        if (n == MEMBER_ADDRESS || n == MEMBER_SUB_ISA) {
            assert_int_equal(out.count, 1);
        } else {
            assert_int_equal(out.count, 0);
            check_element();
        }
        end();
    }
}

/* An atom has a status, or with a return stack two that agree; it may be transactional and addressed. */
static void test_atoms(void **state)
{
    enum {
        E = CAIRN_ELEMENT_E,
        FIRST_E = CAIRN_ELEMENT_INITIAL_E,
        ADDRESSED = CAIRN_ELEMENT_ADDRESSED,
        TRANSACTIONAL = CAIRN_ELEMENT_TRANSACTIONAL,
    };
    static const struct {
        bool return_stack;
        unsigned flags;
        uint64_t length;
        bool atom;
        unsigned bit;
        bool branch;
    } rows[] = {
        {false, 0, 1, true, 0, false},
        {false, E | FIRST_E, 1, true, 1, false},
        {false, E, 1, true, 1, false},
        {false, FIRST_E, 1, true, 0, false},
        {false, E | FIRST_E | ADDRESSED, 1, true, 1, false},
        {true, 0, 1, true, 0, false},
        {true, E | FIRST_E, 1, true, 1, false},
        {true, E, 1, false, 0, false},
        {true, FIRST_E, 1, false, 0, false},
        {true, E | FIRST_E | ADDRESSED, 1, true, 1, true},
        {true, ADDRESSED, 1, true, 0, true},
        {false, E | FIRST_E | TRANSACTIONAL, 1, true, 1, false},
        {false, E | FIRST_E | CAIRN_ELEMENT_LOST, 1, false, 0, false},
        {false, CAIRN_ELEMENT_UNKNOWN, 1, false, 0, false},
        {false, 0, UINT16_MAX, true, 0, false},
        {false, 0, UINT16_MAX + 1, false, 0, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (of_scan && (rows[i].flags & ADDRESSED)) /* no protocol with a scan has them */
            continue;
        begin(rows[i].return_stack);
        add(CAIRN_ELEMENT_ATOM, 3, rows[i].length)->flags = (uint16_t)rows[i].flags;
        next();
        if (rows[i].atom) {
            assert_int_equal(out.count, 1);
            assert_int_equal(out.elements->count, 0);
            assert_true(words[0].atoms == (UINT64_C(1) << CAIRN_WORD_BITS_SHIFT | rows[i].bit |
                                           (rows[i].branch ? CAIRN_WORD_BRANCH : 0)));
            assert_int_equal(words[0].asides, rows[i].flags & TRANSACTIONAL ? 2 : 1);
            assert_int_equal(words[0].before, rows[i].length);
        } else {
            assert_int_equal(out.count, 0);
            check_element();
        }
        end();
    }
}

/* An addressed atom is the last of its word, where the return stack needs to know it. */
static void test_branch_ends_word(void **state)
{
    (void)state;
    for (unsigned return_stack = 0; return_stack < 2; return_stack++) {
        begin(return_stack != 0);
        add(CAIRN_ELEMENT_ATOM, 3, 1)->flags = CAIRN_ELEMENT_ADDRESSED;
        add(CAIRN_ELEMENT_ATOM, 4, 1);
        next();
        assert_int_equal(out.count, 1 + return_stack);
        end();
    }
}

/* A distance from the origin of a batch has 32 bits: what is further comes with the next one, and so does what
 * lies in front of it. */
static void test_distances(void **state)
{
    static const unsigned kinds[] = {CAIRN_ELEMENT_ATOM, CAIRN_ELEMENT_TARGET_ADDRESS,
                                     CAIRN_ELEMENT_EVENT};
    const uint64_t origin = 0x1234;

    (void)state;
    for (unsigned k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (unsigned beyond = 0; beyond < 2; beyond++) {
            const uint64_t far = origin + UINT32_MAX + beyond;

            begin(false);
            add(CAIRN_ELEMENT_TARGET_ADDRESS, origin, 2);
            add(kinds[k], far, 1);
            next();
            assert_int_equal(out.count, 2 - beyond);
            assert_int_equal(out.origin, origin);
            if (beyond)
                next();
            assert_true(out.origin + words[out.count - 1].at == far);
            assert_int_equal(words[out.count - 1].at, beyond ? 0 : UINT32_MAX);
            end();
        }
    begin(false);
    add(CAIRN_ELEMENT_TARGET_ADDRESS, origin, 2);
    add(CAIRN_ELEMENT_EVENT, origin - 1, 1);
    next();
    assert_int_equal(out.count, 1);
    next();
    assert_int_equal(out.count, 1);
    assert_int_equal(out.origin, origin - 1);
    end();
}

/* From a word's first atom to the end of its last one, or to its target, there are 16 bits. */
static void test_reach(void **state)
{
    const uint64_t at = 100;

    (void)state;
    for (unsigned beyond = 0; beyond < 2; beyond++) {
        begin(false);
        add(CAIRN_ELEMENT_ATOM, at, 1);
        add(CAIRN_ELEMENT_ATOM, at + UINT16_MAX - 1 + beyond, 1);
        next();
        assert_int_equal(out.count, 1 + beyond);
        assert_int_equal(words[0].before, beyond ? 1 : UINT16_MAX);
        end();
        begin(false);
        add(CAIRN_ELEMENT_ATOM, at, 1);
        add(CAIRN_ELEMENT_TARGET_ADDRESS, at + UINT16_MAX + beyond, 2)->data.address = 0x2000;
        next();
        assert_int_equal(out.count, 1 + beyond);
        assert_int_equal(words[beyond].target, 0x2000);
        assert_int_equal(words[beyond].before, beyond ? 0 : UINT16_MAX);
        assert_int_equal(out.origin + words[beyond].at + words[beyond].before,
                         at + UINT16_MAX + beyond);
        end();
    }
    /* Behind an aside alone a word is where its first atom is. */
    begin(false);
    add(CAIRN_ELEMENT_EVENT, at, 1);
    add(CAIRN_ELEMENT_ATOM, at + 2 * UINT16_MAX, 1);
    next();
    assert_int_equal(out.count, 1);
    assert_int_equal(out.origin + words[0].at, at + 2 * UINT16_MAX);
    assert_int_equal(words[0].before, 1);
    end();
}

/* The packet of an atom is told with the first atom of it, once. */
static void test_packets(void **state)
{
    (void)state;
    begin(false);
    for (unsigned i = 0; i < 6; i++)
        add(CAIRN_ELEMENT_ATOM, 10 + i / 3, 1);
    next();
    assert_int_equal(out.count, 1);
    assert_int_equal(out.aside_count, 2);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(asides[i].kind, CAIRN_ASIDE_PACKET);
        assert_int_equal(asides[i].step, 3 * i);
        assert_int_equal(out.origin + asides[i].at, 10 + i);
        assert_int_equal(asides[i].length, 1);
    }
    end();
}

/* --- tokens of several Atoms --- */

/* Atoms as tokens, and as what they stand for. */
static const struct run {
    uint64_t offset, length, bits, apart;
    unsigned count;
} runs[] = {
    {100, 1, 0x15, 1, 5},      /* a run of five packets */
    {105, 3, 0xabcdef, 0, 24}, /* of one packet: the word is full behind three of them */
    {108, 2, 0x5a, 9, 8},        {200, 1, 1, 0, 1},
    {201, 1, 0, 0, 1},           {65700, 2, 0xff, 2, 8}, /* too far from the word's beginning */
    {66000, 1, 0x33, 0x4000, 8},                         /* and from one another */
    {400000, 1, 0x7, 0, 3},
};

enum { RUNS = sizeof runs / sizeof runs[0] };

static cairn_status give_runs(void *state, const uint8_t *data, size_t size, size_t *at,
                              struct cairn_scan_batch *batch)
{
    (void)state;
    (void)data;
    for (; *at < size; ++*at) {
        const struct run *run = &runs[made_given++];

        batch->token[batch->count++] =
            (struct cairn_token){.offset = run->offset,
                                 .length = run->length,
                                 .value = run->bits | run->apart << CAIRN_TOKEN_APART_SHIFT,
                                 .kind = CAIRN_ELEMENT_ATOM,
                                 .count = (uint8_t)run->count};
    }
    return CAIRN_OK;
}

/* The i-th Atom of all, as it stands in a word, is the i-th Atom of the runs. */
static void check_atom(size_t i, unsigned bit, uint64_t offset, uint64_t length)
{
    size_t n = 0;

    while (i >= runs[n].count)
        i -= runs[n++].count;
    assert_true(n < RUNS);
    assert_int_equal(bit, runs[n].bits >> i & 1);
    assert_int_equal(offset, runs[n].offset + i * runs[n].apart);
    assert_int_equal(length, runs[n].length);
}

static size_t check_word(const struct cairn_word *word, const struct cairn_aside *packets,
                         size_t packet_count, size_t first)
{
    const unsigned count = (unsigned)(word->atoms >> CAIRN_WORD_BITS_SHIFT);
    size_t next = 0;

    assert_true(count <= CAIRN_WORD_ATOMS_MOST);
    assert_true(word->before <= UINT16_MAX);
    for (unsigned step = 0; step < count; step++) {
        while (next + 1 < packet_count && packets[next + 1].step <= step)
            next++;
        assert_int_equal(packets[next].kind, CAIRN_ASIDE_PACKET);
        assert_true(packets[next].step <= step);
        check_atom(first + step, word->atoms >> step & 1,
                   out.origin + packets[next].at +
                       packets[next].value * (step - packets[next].step),
                   packets[next].length);
    }
    assert_int_equal(packets[0].at, word->at);
    return first + count;
}

/* With the packets told at once, and with those that are asked for. */
static void test_runs(void **state)
{
    static const uint8_t bytes[RUNS];
    struct cairn_protocol with_runs = made_protocol;
    struct cairn_config config_of_runs = {.references = 1, .protocol = &with_runs};

    (void)state;
    with_runs.scan_run = give_runs;
    for (unsigned told = 0; told < 2; told++) {
        struct cairn_aside found[CAIRN_WORD_ATOMS_MOST];
        size_t atoms = 0, aside = 0;

        of_scan = true;
        begin(false);
        cairn_words_of_scan_free(reader);
        assert_int_equal(cairn_words_of_scan_new(&config_of_runs, NULL, &reader), CAIRN_OK);
        out.packets = told != 0;
        cairn_words_empty(&out);
        assert_int_equal(cairn_words_of_scan(reader, bytes, RUNS, &position, &out), CAIRN_OK);
        assert_int_equal(out.elements->count, 0);
        for (size_t i = 0; i < out.count; i++) {
            const size_t count = told
                                     ? words[i].asides
                                     : cairn_words_of_scan_packets(reader, &words[i], bytes, found);

            atoms = check_word(&words[i], told ? &asides[aside] : found, count, atoms);
            aside += words[i].asides;
        }
        assert_int_equal(atoms, 5 + 24 + 8 + 1 + 1 + 8 + 8 + 3);
        end();
    }
}

static int from_levels(void **state)
{
    (void)state;
    of_scan = false;
    return 0;
}

static int from_scan(void **state)
{
    (void)state;
    of_scan = true;
    return 0;
}

#define OF_BOTH(test)                                                                              \
    {#test " of elements", test, from_levels, NULL, NULL},                                         \
    {                                                                                              \
#test " of tokens", test, from_scan, NULL, NULL                                            \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        OF_BOTH(test_data_of_asides),
        OF_BOTH(test_data_of_several),
        OF_BOTH(test_asides),
        OF_BOTH(test_targets),
        OF_BOTH(test_atoms),
        OF_BOTH(test_distances),
        OF_BOTH(test_reach),
        OF_BOTH(test_packets),
        {"test_branch_ends_word", test_branch_ends_word, from_levels, NULL, NULL},
        {"test_runs", test_runs, from_scan, NULL, NULL},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
