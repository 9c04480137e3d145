/* SPDX-License-Identifier: BSD-2-Clause */
/* The memo's tables, where many entries want the same places: each is found wherever others were brought to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "flow/dictionary.h"
#include "flow/hot.h"
#include "flow/memo.h"

enum { ENTRIES = 400, ROUNDS = 20000, KEYS = 100 };

/* Few places for many keys, some of them at the end of the table, where chains go on at its beginning. */
static uint32_t crowded(uint64_t code, uint64_t word)
{
    return (uint32_t)(7 - (code * 3 + word * 5) % 7) << 29 | 0x1f000000u;
}

static uint32_t pseudo_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Which entries `held` names: all of them, and no other place. */
static void check_held(const struct cairn_memo *memo)
{
    uint32_t used = 0;

    for (uint32_t i = 0; i < 1u << memo->bits; i++) {
        const bool is_held = memo->held[i / 64] >> i % 64 & 1;
        const uint64_t atoms = memo->entries ? memo->entries[i].atoms : memo->stacked[i].atoms;

        assert_int_equal(is_held, atoms != 0);
        used += is_held;
    }
    assert_int_equal(used, memo->used);
}

static void test_plain(void **state)
{
    struct cairn_dictionary dictionary = {.limit = UINT64_C(1) << 24};
    struct cairn_memo memo = {0};
    uint32_t random = 1;

    (void)state;
    for (uint32_t i = 0; i < ENTRIES; i++) {
        const struct cairn_word_path worked = {.atoms = 1 + i / 16, .next = 4 * i, .path = i + 1};

        assert_true(cairn_memo_room(&memo, &dictionary, false, crowded));
        (void)cairn_memo_add(&memo, i % 16, &worked, crowded);
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        const uint32_t i = pseudo_random(&random) % ENTRIES;
        const uint64_t code = i % 16, atoms = 1 + i / 16;
        struct cairn_memo_entry *entry = cairn_memo_find(&memo, code, atoms, crowded);

        assert_non_null(entry);
        assert_int_equal(entry->path, i + 1);
        entry = cairn_memo_bring(&memo, entry, crowded);
        assert_ptr_equal(entry, &memo.entries[crowded(code, atoms) >> (32 - memo.bits)]);
        assert_int_equal(entry->path, i + 1);
        assert_int_equal(entry->next, 4 * i);
    }
    check_held(&memo);
    assert_int_equal(dictionary.bytes, cairn_memo_bytes(&memo));
    cairn_memo_clear(&memo);
    check_held(&memo);
    cairn_memo_release(&memo);
}

/* Four of each key, which differ in what they pop. */
static struct cairn_word_path stacked_of(uint32_t i)
{
    struct cairn_word_path made = {.atoms = 1 + i / 4 % 16,
                                   .next = 4 * i,
                                   .path = i + 1,
                                   .pops = 1 + (i % 4 == 3),
                                   .pop = {0x1000 + 8 * (i % 4 % 3), 0x2000}};

    return made;
}

static void test_stacked(void **state)
{
    struct cairn_dictionary dictionary = {.limit = UINT64_C(1) << 24};
    struct cairn_memo memo = {0};
    uint32_t random = 1, lost = 0;

    (void)state;
    for (uint32_t i = 0; i < 4 * KEYS; i++) {
        const struct cairn_word_path worked = stacked_of(i);

        assert_true(cairn_memo_room(&memo, &dictionary, true, crowded));
        (void)cairn_memo_add_stacked(&memo, i / 64, worked.atoms, &worked, crowded);
    }
    check_held(&memo);
    for (unsigned round = 0; round < ROUNDS; round++) {
        const uint32_t i = pseudo_random(&random) % (4 * KEYS);
        const struct cairn_word_path worked = stacked_of(i);
        struct cairn_hot_stack stack = {0};

        stack.bottom = stack.base = stack.entries + CAIRN_HOT_STACK_FIRST;
        stack.sp = stack.base + 2;
        stack.base[0] = worked.pops == 2 ? worked.pop[1] : 0x3000;
        stack.base[1] = worked.pop[0];
        struct cairn_stack_entry *entry =
            cairn_memo_find_stacked(&memo, i / 64, worked.atoms, &stack, crowded);
        if (!entry) { /* it was moved behind one of its key: it is worked out again */
            assert_true(cairn_memo_room(&memo, &dictionary, true, crowded));
            entry = cairn_memo_add_stacked(&memo, i / 64, worked.atoms, &worked, crowded);
            assert_ptr_equal(cairn_memo_find_stacked(&memo, i / 64, worked.atoms, &stack, crowded),
                             entry);
            lost++;
        }
        /* one that pops one entry fits wherever one of two with the same first does, and may come first */
        assert_int_equal(entry->code, i / 64);
        assert_int_equal(entry->atoms, worked.atoms);
        assert_true(cairn_memo_pops(&memo, entry, &stack));
        const uint32_t path = entry->path;
        entry = cairn_memo_bring_stacked(&memo, entry, crowded);
        assert_int_equal(entry->path, path);
        assert_int_equal(entry->atoms, worked.atoms);
        assert_true(cairn_memo_pops(&memo, entry, &stack));
        assert_ptr_equal(cairn_memo_find_stacked(&memo, i / 64, worked.atoms, &stack, crowded),
                         entry);
    }
    check_held(&memo);
    print_message("# %u of %u were worked out again\n", lost, ROUNDS);
    assert_true(lost < ROUNDS / 10);
    assert_int_equal(dictionary.bytes, cairn_memo_bytes(&memo));
    cairn_memo_release(&memo);
}

static uint32_t spread(uint64_t code, uint64_t word)
{
    return (uint32_t)(code * 2654435761u ^ word * 40503u);
}

/* A table has guesses once it is a large one, and with return stack only; they are counted as memory. */
static void test_guesses(void **state)
{
    struct cairn_dictionary dictionary = {.limit = UINT64_C(1) << 28};
    struct cairn_memo plain = {0}, stacked = {0};
    struct cairn_word_path worked = {.atoms = 1};

    (void)state;
    for (uint32_t i = 0; i < 1u << CAIRN_MEMO_GUESS_BITS; i++) {
        worked.path = i + 1;
        assert_true(cairn_memo_room(&plain, &dictionary, false, spread));
        (void)cairn_memo_add(&plain, i, &worked, spread);
        assert_true(cairn_memo_room(&stacked, &dictionary, true, spread));
        (void)cairn_memo_add_stacked(&stacked, i, 1, &worked, spread);
        assert_null(plain.guess);
        assert_int_equal(stacked.guess != NULL, stacked.bits >= CAIRN_MEMO_GUESS_BITS);
    }
    assert_non_null(stacked.guess);
    assert_int_equal(dictionary.bytes, cairn_memo_bytes(&plain) + cairn_memo_bytes(&stacked));
    cairn_memo_release(&plain);
    cairn_memo_release(&stacked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_stacked),
        cmocka_unit_test(test_guesses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
