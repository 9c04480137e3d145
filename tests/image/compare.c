/* SPDX-License-Identifier: BSD-2-Clause */
/* Two files that say what is at an address: where they differ, which is seen, and one that is not what it
 * is used as. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <elf.h>

#include <cairn/image.h>

#include "../house/share.h"
#include "elf_maker.h"
#include "image/compare.h"
#include "image/elf.h"
#include "image/names.h"
#include "scratch.h"

#define SPAN 9000 /* bytes: more than what is compared at once */
#define BASE 0x10000u
#define ROUNDS TEST_PART(400)

/* --- differences --- */

/* What a comparison told, a mark a byte. */
struct told {
    uint64_t base;
    uint8_t marks[2 * SPAN];
    uint64_t end; /* of the last run */
    size_t runs, most;
};

static bool mark(void *context, uint64_t address, uint64_t size)
{
    struct told *const told = context;

    assert_true(size > 0);
    assert_true(told->runs == 0 || address > told->end); /* ascending, and apart */
    memset(told->marks + (address - told->base), 1, (size_t)size);
    told->end = address + size;
    return ++told->runs < told->most;
}

/* Asks each unit of an address for itself. */
static void expect_marks(const struct cairn_bytes *one, const struct cairn_bytes *other,
                         unsigned unit, const struct told *told)
{
    for (uint64_t at = 0; at < 2 * SPAN; at++) {
        const uint64_t address = told->base + at, begin = address / unit * unit;
        bool both = false, differs = false;

        for (uint64_t byte = begin; byte < begin + unit; byte++) {
            uint64_t left;
            const uint8_t *const a = cairn_bytes_at(one, byte, &left);
            const uint8_t *const b = cairn_bytes_at(other, byte, &left);

            both |= byte == address && a && b;
            differs |= a && b && *a != *b;
        }
        assert_int_equal(told->marks[at], both && differs);
    }
}

static void differences_are_those_of_each_unit(void **state)
{
    static uint8_t a[SPAN], b[SPAN];
    struct dice dice = {1};
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        static struct told told;
        const unsigned unit = 1u << dice_roll(&dice, 4);
        const uint64_t shift = dice_roll(&dice, 64), size = 1 + dice_roll(&dice, SPAN - 64);
        const struct cairn_bytes one = {BASE + shift, size, a + shift};
        const uint64_t from = dice_roll(&dice, 64);
        const struct cairn_bytes other = {BASE + from, 1 + dice_roll(&dice, SPAN - 64), b + from};

        memset(a, 0x5a, sizeof a);
        memset(b, 0x5a, sizeof b);
        for (uint64_t i = dice_roll(&dice, 12); i > 0; i--)
            b[dice_roll(&dice, SPAN)] ^= 1;
        told = (struct told){.base = BASE, .most = SIZE_MAX};
        const uint64_t both = cairn_bytes_compare(&one, &other, unit, mark, &told);
        const uint64_t first = one.address > other.address ? one.address : other.address;
        const uint64_t one_end = one.address + one.size, other_end = other.address + other.size;
        const uint64_t end = one_end < other_end ? one_end : other_end;

        assert_int_equal(both, end > first ? end - first : 0);
        expect_marks(&one, &other, unit, &told);
    }
}

static void a_comparison_ends_when_told(void **state)
{
    static const uint8_t a[32], b[32] = {[1] = 1, [9] = 1, [31] = 1};
    const struct cairn_bytes one = {0, sizeof a, a}, other = {0, sizeof b, b};
    struct told told = {.most = 2};
    (void)state;
    assert_int_equal(cairn_bytes_compare(&one, &other, 4, mark, &told), 32);
    assert_int_equal(told.runs, 2);
    assert_int_equal(told.end, 12);
}

static void the_end_of_the_addresses(void **state)
{
    static const uint8_t a[8], b[8] = {[7] = 1};
    const struct cairn_bytes one = {UINT64_MAX - 7, sizeof a, a},
                             other = {UINT64_MAX - 3, 4, b + 4};
    struct told told = {.base = UINT64_MAX - 7, .most = 9};
    (void)state;
    assert_int_equal(cairn_bytes_compare(&one, &other, 4, mark, &told), 4);
    assert_int_equal(told.runs, 1);
    assert_int_equal(told.marks[4], 1);
    assert_int_equal(told.marks[3], 0);
}

/* --- which is seen --- */

/* The first byte at an address, or -1. */
static int seen(struct cairn_image *image, uint64_t address)
{
    const struct cairn_place place = {.EL = 1, .security = CAIRN_NONSECURE};
    struct cairn_window window;
    struct cairn_space *space;
    int byte = -1;

    assert_int_equal(cairn_space_new(image, &space), CAIRN_OK);
    assert_int_equal(cairn_space_select(space, &place), CAIRN_OK);
    if (cairn_space_window(space, address, &window))
        byte = window.bytes[address - window.address];
    cairn_space_free(space);
    return byte;
}

static void add(struct cairn_image *image, const struct cairn_scope *scope, uint64_t address,
                uint8_t byte, enum cairn_precedence precedence)
{
    const size_t before = cairn_image_layer_count(image);

    assert_int_equal(
        cairn_image_add_bytes(image, "layer", scope, CAIRN_ORDER_LITTLE, address, &byte, 1, NULL),
        CAIRN_OK);
    cairn_image_set_precedence(image, before, precedence);
}

/* Whatever the order in which they come, and however many conditions a scope has. */
static void precedence_goes_before_scopes(void **state)
{
    const struct cairn_scope any = cairn_scope_any();
    struct cairn_scope narrow = any;
    static const enum cairn_precedence orders[][3] = {
        {CAIRN_PREVAILS, CAIRN_BY_SCOPE, CAIRN_YIELDS},
        {CAIRN_YIELDS, CAIRN_BY_SCOPE, CAIRN_PREVAILS},
        {CAIRN_BY_SCOPE, CAIRN_YIELDS, CAIRN_PREVAILS},
    };
    (void)state;
    narrow.source = 0;
    narrow.el_mask = 1u << 1;
    narrow.security_mask = 1u << CAIRN_NONSECURE;
    narrow.any_vmid = narrow.any_context_id = false;
    narrow.epoch_to = 100;
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        struct cairn_image *image;

        assert_int_equal(cairn_image_new(&image), CAIRN_OK);
        for (size_t j = 0; j < 3; j++) {
            const enum cairn_precedence precedence = orders[i][j];
            const struct cairn_scope *const scope = precedence == CAIRN_PREVAILS ? &any : &narrow;

            add(image, scope, 0x100, (uint8_t)precedence, precedence); /* all three */
            if (precedence != CAIRN_PREVAILS)
                add(image, precedence == CAIRN_YIELDS ? &narrow : &any, 0x200, (uint8_t)precedence,
                    precedence);
            if (precedence == CAIRN_YIELDS)
                add(image, &any, 0x300, (uint8_t)precedence, precedence);
        }
        assert_int_equal(seen(image, 0x100), CAIRN_PREVAILS);
        assert_int_equal(seen(image, 0x200), CAIRN_BY_SCOPE);
        assert_int_equal(seen(image, 0x300), CAIRN_YIELDS);
        assert_int_equal(seen(image, 0x400), -1);
        cairn_image_unref(image);
    }
}

static void the_last_of_those_that_prevail(void **state)
{
    struct cairn_image *image;
    (void)state;
    assert_int_equal(cairn_image_new(&image), CAIRN_OK);
    add(image, NULL, 0, 1, CAIRN_PREVAILS);
    add(image, NULL, 0, 2, CAIRN_PREVAILS);
    add(image, NULL, 0, 3, CAIRN_BY_SCOPE);
    assert_int_equal(seen(image, 0), 2);
    cairn_image_drop_layers(image, 1);
    assert_int_equal(cairn_image_layer_count(image), 1);
    assert_int_equal(seen(image, 0), 1);
    cairn_image_unref(image);
}

/* Each layer that has an address is found, once, whatever the layers are. */
static void an_index_finds_all_layers_of_an_address(void **state)
{
    static const uint8_t bytes[64];
    struct dice dice = {3};
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct cairn_layer_index index;
        struct cairn_image *image;
        const size_t count = (size_t)dice_roll(&dice, 30);

        assert_int_equal(cairn_image_new(&image), CAIRN_OK);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(
                cairn_image_add_bytes(image, "layer", NULL, CAIRN_ORDER_LITTLE,
                                      dice_roll(&dice, 4) ? dice_roll(&dice, 100) : UINT64_MAX - 63,
                                      bytes, 1 + (size_t)dice_roll(&dice, 64), NULL),
                CAIRN_OK);
        const struct cairn_layers *const layers = cairn_image_layers(image);
        const size_t first = (size_t)dice_roll(&dice, count + 1);
        assert_int_equal(cairn_layer_index_make(&index, layers, first), CAIRN_OK);
        for (uint64_t at = 0; at < 400; at++) {
            const uint64_t address = at < 200 ? at : UINT64_MAX - (at - 200);
            size_t place = 0, layer, found = 0, wanted = 0;
            bool told[30] = {false};

            for (size_t i = 0; i < first; i++)
                wanted += address - layers->list[i].address < layers->list[i].size;
            while (cairn_layer_index_next(&index, address, &place, &layer)) {
                assert_true(layer < first && !told[layer]);
                assert_true(address - layers->list[layer].address < layers->list[layer].size);
                told[layer] = true;
                found++;
            }
            assert_int_equal(found, wanted);
        }
        cairn_layer_index_clear(&index);
        cairn_image_unref(image);
    }
}

static void names_are_taken_back(void **state)
{
    struct scratch scratch;
    static struct maker maker;
    struct cairn_image *image;
    (void)state;
    scratch_open(&scratch);
    maker_begin(&maker, true, false, EM_AARCH64, BASE);
    maker_write(&maker);
    const char *const path = scratch_write(&scratch, "prog", maker.bytes, maker.size);
    assert_int_equal(cairn_image_new(&image), CAIRN_OK);
    assert_int_equal(cairn_image_add_names(image, path, 0, NULL, 0, 0, NULL), CAIRN_OK);
    assert_int_equal(cairn_image_add_names(image, path, 0x1000, NULL, 0, 0, NULL), CAIRN_OK);
    cairn_image_drop_names(image, path, 0);
    const struct cairn_names_list *const names = cairn_image_names(image);
    assert_int_equal(names->count, 1);
    assert_int_equal(names->list[0].bias, 0x1000);
    cairn_image_drop_names(image, path, 0x1000);
    assert_int_equal(names->count, 0);
    cairn_image_unref(image);
    scratch_close(&scratch);
}

/* --- an ELF file as raw bytes --- */

struct use {
    uint64_t vaddr; /* of its code, which is at MAKER_CONTENT in the file */
    uint64_t at;    /* where the file is put */
    uint16_t type;  /* ET_EXEC, ET_DYN */
    bool sections;  /* else it has lost them, as a dump of a loaded program has */
    bool is_raw, misplaced;
};

static void what_a_raw_layer_is(void **state)
{
    static const struct use uses[] = {
        {BASE, 0, ET_EXEC, true, true, true},
        {BASE, BASE - MAKER_CONTENT, ET_EXEC, true, true,
         false}, /* its code is where it should be */
        {BASE, BASE, ET_EXEC, true, true, true},
        {BASE, 0, ET_EXEC, false, false, false},
        {BASE, 0, ET_DYN, true, true, false}, /* nobody knows where it should be */
        {BASE, 0, ET_DYN, false, false, false},
    };
    struct scratch scratch;
    static struct maker maker;
    (void)state;
    scratch_open(&scratch);
    for (size_t i = 0; i < 2 * sizeof uses / sizeof uses[0]; i++) {
        const struct use *const use = &uses[i / 2];
        const bool is_64 = i % 2;
        struct cairn_image *image;
        struct cairn_raw_elf raw;

        maker_begin(&maker, is_64, false, is_64 ? EM_AARCH64 : EM_ARM, use->vaddr);
        maker.text_address = use->vaddr;
        maker.text_size = 0x100;
        maker.symbols[0] = (struct maker_symbol){.name = "f", .value = use->vaddr, .section = 1};
        maker.symbol_count = use->sections ? 1 : 0;
        maker_write(&maker);
        maker_put(&maker, 16, use->type, 2); /* e_type */
        const char *const path = scratch_write(&scratch, "prog", maker.bytes, maker.size);
        assert_int_equal(cairn_image_new(&image), CAIRN_OK);
        assert_int_equal(
            cairn_image_add_file(image, path, 0, 0, NULL, CAIRN_ORDER_LITTLE, use->at, NULL),
            CAIRN_OK);
        const struct cairn_layer *const layer = &cairn_image_layers(image)->list[0];
        assert_int_equal(cairn_layer_is_raw_elf(layer, &raw), use->is_raw);
        if (use->is_raw) {
            assert_int_equal(raw.code, use->vaddr);
            assert_int_equal(raw.at, use->at + MAKER_CONTENT);
            assert_int_equal(raw.misplaced, use->misplaced);
        }
        /* loaded as what it is, it is none */
        assert_int_equal(cairn_image_add_elf(image, path, 0, NULL, NULL), CAIRN_OK);
        assert_false(cairn_layer_is_raw_elf(&cairn_image_layers(image)->list[1], &raw));
        cairn_image_unref(image);
    }
    scratch_close(&scratch);
}

static void bytes_that_are_no_elf(void **state)
{
    static const uint8_t zeros[64], magic[4] = {0x7f, 'E', 'L', 'F'};
    struct cairn_image *image;
    struct cairn_raw_elf raw;
    (void)state;
    assert_int_equal(cairn_image_new(&image), CAIRN_OK);
    assert_int_equal(cairn_image_add_bytes(image, "zeros", NULL, CAIRN_ORDER_LITTLE, 0, zeros,
                                           sizeof zeros, NULL),
                     CAIRN_OK);
    assert_int_equal(cairn_image_add_bytes(image, "magic", NULL, CAIRN_ORDER_LITTLE, 0, magic,
                                           sizeof magic, NULL),
                     CAIRN_OK);
    assert_int_equal(
        cairn_image_add_bytes(image, "short", NULL, CAIRN_ORDER_LITTLE, 0, magic, 3, NULL),
        CAIRN_OK);
    for (size_t i = 0; i < 3; i++)
        assert_false(cairn_layer_is_raw_elf(&cairn_image_layers(image)->list[i], &raw));
    cairn_image_unref(image);
}

/* What a file lacks of its code: the maker's segment has 0x100 bytes from MAKER_CONTENT on. */
static void what_a_truncated_file_lacks(void **state)
{
    static const struct {
        size_t size;
        uint64_t lost;
    } cuts[] = {{MAKER_CONTENT + 0x100, 0}, {MAKER_CONTENT + 0xfc, 4}, {MAKER_CONTENT + 4, 0xfc}};
    struct scratch scratch;
    static struct maker maker;
    (void)state;
    scratch_open(&scratch);
    maker_begin(&maker, true, false, EM_AARCH64, BASE);
    maker_write(&maker);
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        struct cairn_segments segments;
        struct cairn_file *file;
        const char *const path = scratch_write(&scratch, "cut", maker.bytes, cuts[i].size);

        assert_int_equal(cairn_file_open(path, &file, NULL), CAIRN_OK);
        assert_int_equal(cairn_elf_segments(file, path, &segments, NULL), CAIRN_OK);
        assert_int_equal(segments.lost, cuts[i].lost);
        assert_int_equal(segments.machine, EM_AARCH64);
        assert_true(segments.list[0].executable);
        cairn_segments_clear(&segments);
        cairn_file_close(file);
    }
    scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_are_those_of_each_unit),
        cmocka_unit_test(a_comparison_ends_when_told),
        cmocka_unit_test(the_end_of_the_addresses),
        cmocka_unit_test(precedence_goes_before_scopes),
        cmocka_unit_test(the_last_of_those_that_prevail),
        cmocka_unit_test(an_index_finds_all_layers_of_an_address),
        cmocka_unit_test(names_are_taken_back),
        cmocka_unit_test(what_a_raw_layer_is),
        cmocka_unit_test(bytes_that_are_no_elf),
        cmocka_unit_test(what_a_truncated_file_lacks),
    };
    return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
