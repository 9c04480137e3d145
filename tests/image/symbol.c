/* SPDX-License-Identifier: BSD-2-Clause */
/* Which symbol covers an address. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/image.h>

#include "bench.h"
#include "image/space.h"

#define BASE BENCH_BASE

/* The symbol of layer 0 as "name+offset", or "-". */
static const char *at(struct bench *b, uint64_t address)
{
    static char text[64];
    const char *name = NULL;
    uint64_t offset = 0;
    const cairn_status status = cairn_image_symbol(b->image, 0, address, &name, &offset);
    if (status) {
        assert_int_equal(status, CAIRN_E_NOT_FOUND);
        return "-";
    }
    snprintf(text, sizeof text, "%s+%llu", name, (unsigned long long)offset);
    return text;
}

static void functions_and_labels(void **state)
{
    struct bench *const b = *state;
    bench_symbol(b, "start", BASE + 0x10, 0, LABEL);
    bench_symbol(b, "loop", BASE + 0x18, 0, LABEL);
    bench_symbol(b, "main", BASE + 0x20, 0x20, FUNCTION);
    bench_symbol(b, "inside", BASE + 0x28, 0, LABEL);
    bench_symbol(b, "helper", BASE + 0x30, 0x08, LOCAL_FUNCTION);
    bench_symbol(b, "tail", BASE + 0x80, 0, FUNCTION);
    bench_add(b, "a.elf", 0);
    assert_string_equal(at(b, BASE), "-");
    assert_string_equal(at(b, BASE + 0x10), "start+0");
    assert_string_equal(at(b, BASE + 0x17), "start+7");
    assert_string_equal(at(b, BASE + 0x1c), "loop+4");
    assert_string_equal(at(b, BASE + 0x20), "main+0");
    /* A label inside a function of known size does not hide it; an inner function does. */
    assert_string_equal(at(b, BASE + 0x28), "main+8");
    assert_string_equal(at(b, BASE + 0x34), "helper+4");
    assert_string_equal(at(b, BASE + 0x38), "main+24");
    /* Behind a function that says where it ends is no man's land. */
    assert_string_equal(at(b, BASE + 0x40), "-");
    /* Without a size: to the end of the section, which is the end of the layer here. */
    assert_string_equal(at(b, BASE + 0xff), "tail+127");
    assert_string_equal(at(b, BASE + 0x100), "-");
}

static void labels_end_with_their_section(void **state)
{
    struct bench *const b = *state;
    b->maker.text_size = 0x40;
    bench_symbol(b, "label", BASE + 0x10, 0, LABEL);
    bench_add(b, "a.elf", 0);
    assert_string_equal(at(b, BASE + 0x3f), "label+47");
    assert_string_equal(at(b, BASE + 0x40), "-");
}

static void what_names_no_code(void **state)
{
    struct bench *const b = *state;
    bench_symbol(b, "code", BASE, 0x100, FUNCTION);
    bench_symbol(b, "$x", BASE + 4, 0, LABEL);
    bench_symbol(b, "$d.7", BASE + 4, 0, LABEL);
    bench_symbol(b, "$a", BASE + 4, 4, LABEL);
    bench_symbol(b, "$t.x", BASE + 4, 4, LABEL);
    bench_symbol(b, "table", BASE + 8, 8, OBJECT);
    bench_symbol(b, "constant", BASE + 16, 8, LABEL);
    b->maker.symbols[b->maker.symbol_count - 1].section = SHN_ABS;
    bench_symbol(b, "outside", BASE + 24, 8, FUNCTION);
    b->maker.symbols[b->maker.symbol_count - 1].section = SHN_UNDEF;
    bench_symbol(b, "", BASE + 32, 8, FUNCTION);
    bench_symbol(b, "a.c", BASE + 40, 8, STB_LOCAL << 4 | STT_FILE);
    bench_symbol(b, "$dollar", BASE + 48, 8, LABEL);
    bench_symbol(b, "$xy", BASE + 56, 8, LABEL);
    bench_add(b, "a.elf", 0);
    assert_string_equal(at(b, BASE + 4), "code+4");
    assert_string_equal(at(b, BASE + 8), "code+8");
    assert_string_equal(at(b, BASE + 16), "code+16");
    assert_string_equal(at(b, BASE + 24), "code+24");
    assert_string_equal(at(b, BASE + 32), "code+32");
    assert_string_equal(at(b, BASE + 40), "code+40");
    /* Mapping symbols are $, one letter, and a dot behind: these are names. */
    assert_string_equal(at(b, BASE + 48), "$dollar+0");
    assert_string_equal(at(b, BASE + 56), "$xy+0");
}

static void several_names_of_one_place(void **state)
{
    struct bench *const b = *state;
    bench_symbol(b, "local", BASE, 16, LOCAL_FUNCTION);
    bench_symbol(b, "weak", BASE, 16, WEAK_FUNCTION);
    bench_symbol(b, "global", BASE, 16, FUNCTION);
    bench_symbol(b, "also_global", BASE, 16, FUNCTION);
    bench_symbol(b, "no_size", BASE, 0, FUNCTION);
    bench_symbol(b, "longer", BASE, 32, LOCAL_FUNCTION);
    bench_add(b, "a.elf", 0);
    assert_string_equal(at(b, BASE + 15), "global+15");
    assert_string_equal(at(b, BASE + 16), "longer+16");
    assert_string_equal(at(b, BASE + 32), "no_size+32");
}

/* Bit 0 of an AArch32 function's value says T32. Big endian, for the table's sake. */
static void thumb_functions(void **state)
{
    struct bench *const b = *state;
    maker_begin(&b->maker, false, true, EM_ARM, BASE);
    bench_symbol(b, "thumb", BASE + 0x11, 8, FUNCTION);
    bench_symbol(b, "label", BASE + 0x21, 0, LABEL);
    bench_add(b, "a.elf", 0);
    assert_string_equal(at(b, BASE + 0x0f), "-");
    assert_string_equal(at(b, BASE + 0x10), "thumb+0");
    assert_string_equal(at(b, BASE + 0x17), "thumb+7");
    assert_string_equal(at(b, BASE + 0x20), "-");
    assert_string_equal(at(b, BASE + 0x21), "label+0");
}

static void with_a_bias(void **state)
{
    struct bench *const b = *state;
    bench_symbol(b, "main", BASE + 0x20, 0x20, FUNCTION);
    bench_add(b, "a.elf", UINT64_C(0xffff800000000000));
    assert_string_equal(at(b, UINT64_C(0xffff800000400024)), "main+4");
    assert_string_equal(at(b, BASE + 0x24), "-"); /* not in the layer */
}

static void dynamic_symbols(void **state)
{
    struct bench *const b = *state;
    b->maker.symbols_are_dynamic = true;
    bench_symbol(b, "exported", BASE + 0x20, 0x20, FUNCTION);
    bench_add(b, "a.elf", 0);
    assert_string_equal(at(b, BASE + 0x20), "exported+0");
}

static void sizes_that_cannot_be(void **state)
{
    struct bench *const b = *state;
    bench_symbol(b, "huge", BASE + 0x20, UINT64_MAX, FUNCTION);
    bench_symbol(b, "high", UINT64_MAX, 2, FUNCTION);
    bench_add(b, "a.elf", 0);
    assert_string_equal(at(b, BASE + 0x1f), "-");
    assert_string_equal(at(b, BASE + 0xff), "huge+223");
    assert_string_equal(at(b, BASE + 0x100), "-"); /* not in the layer */
}

static void layers_without_symbols(void **state)
{
    struct bench *const b = *state;
    const char *name = NULL;
    uint64_t offset = 0;
    assert_int_equal(
        cairn_image_add_bytes(b->image, "raw", NULL, CAIRN_ORDER_LITTLE, BASE, "abcd", 4, NULL),
        CAIRN_OK);
    assert_string_equal(at(b, BASE), "-");
    assert_int_equal(cairn_image_symbol(b->image, 1, BASE, &name, &offset), CAIRN_E_NOT_FOUND);
    assert_int_equal(cairn_image_symbol(NULL, 0, BASE, &name, &offset), CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_image_symbol(b->image, 0, BASE, NULL, &offset), CAIRN_E_ARGUMENT);
}

static void *look_up(void *image)
{
    const char *name = NULL;
    uint64_t offset = 0;
    for (unsigned i = 0; i < 1000; i++) {
        if (cairn_image_symbol(image, 0, BASE + 0x24, &name, &offset) || offset != 4 ||
            strcmp(name, "main") != 0)
            return NULL;
    }
    return image;
}

static void in_many_threads(void **state)
{
    struct bench *const b = *state;
    pthread_t threads[8];
    bench_symbol(b, "main", BASE + 0x20, 0x20, FUNCTION);
    bench_add(b, "a.elf", 0);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, look_up, b->image), 0);
    for (size_t i = 0; i < 8; i++) {
        void *result = NULL;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_ptr_equal(result, b->image);
    }
}

/* Names for memory that another layer has, and where there is none; by place and time. */
static void files_name_the_code_of_others(void **state)
{
    static const uint8_t code[8];
    struct bench *const b = *state;
    struct cairn_place place = {.EL = 0, .security = CAIRN_NONSECURE, .offset = 5};
    struct cairn_scope scope = cairn_scope_any();
    struct cairn_space *space;
    struct cairn_symbol found = {.size = sizeof found};
    const char *name;
    uint64_t offset;

    bench_symbol(b, "first", BASE, 0x10, FUNCTION);
    bench_symbol(b, "second", BASE + 0x10, 0x10, FUNCTION);
    maker_write(&b->maker);
    const char *path = scratch_write(&b->scratch, "a.elf", b->maker.bytes, b->maker.size);
    assert_int_equal(cairn_image_add_bytes(b->image, "dump", NULL, CAIRN_ORDER_LITTLE,
                                           BASE + 0x1000, code, sizeof code, NULL),
                     CAIRN_OK);
    scope.epoch_from = 4;
    scope.epoch_to = 8;
    assert_int_equal(
        cairn_image_add_names(b->image, path, 0x1000, &scope, BASE + 0x1000, 0x18, NULL), CAIRN_OK);
    assert_int_equal(cairn_space_new(b->image, &space), CAIRN_OK);
    assert_int_equal(cairn_space_symbol(space, BASE + 0x1000, &name, &offset), CAIRN_E_NOT_FOUND);
    assert_int_equal(cairn_space_select(space, &place), CAIRN_OK);
    assert_int_equal(cairn_space_symbol(space, BASE + 0x1004, &name, &offset), CAIRN_OK);
    assert_string_equal(name, "first");
    assert_int_equal(offset, 4);
    assert_int_equal(cairn_space_symbol(space, BASE + 0x1017, &name, &offset), CAIRN_OK);
    assert_string_equal(name, "second"); /* there is no memory */
    assert_int_equal(cairn_space_symbol(space, BASE + 0x1018, &name, &offset), CAIRN_E_NOT_FOUND);
    assert_int_equal(cairn_space_symbol(space, BASE + 0xfff, &name, &offset), CAIRN_E_NOT_FOUND);
    assert_int_equal(cairn_symbolize(space, BASE + 0x1004, &found), CAIRN_OK);
    assert_string_equal(found.function, "first");
    assert_string_equal(found.object, path);
    /* Behind and before its time it names nothing, and the space says how long that holds. */
    for (uint64_t at = 3; at <= 8; at++) {
        uint64_t from, until;

        place.offset = at;
        assert_int_equal(cairn_space_select(space, &place), CAIRN_OK);
        cairn_space_hold(space, &from, &until);
        const bool is_time = at >= 4 && at < 8;
        assert_int_equal(from, is_time ? 4 : at < 4 ? 0 : 8);
        assert_true(until == (is_time ? 7 : at < 4 ? 3 : UINT64_MAX));
        assert_int_equal(cairn_space_symbol(space, BASE + 0x1004, &name, &offset),
                         is_time ? CAIRN_OK : CAIRN_E_NOT_FOUND);
        assert_int_equal(cairn_symbolize(space, BASE + 0x1004, &found), CAIRN_OK);
        assert_string_equal(found.object, is_time ? path : "dump");
    }
    cairn_space_free(space);
}

/* Of two the one added last counts; a layer that is an ELF file's has its own names. */
static void the_last_names_count(void **state)
{
    struct bench *const b = *state;
    const struct cairn_place place = {.EL = 0, .security = CAIRN_NONSECURE};
    struct cairn_space *space;
    const char *name;
    uint64_t offset;

    bench_symbol(b, "old", BASE, 0x10, FUNCTION);
    maker_write(&b->maker);
    const char *path = scratch_write(&b->scratch, "old.elf", b->maker.bytes, b->maker.size);
    assert_int_equal(cairn_image_add_names(b->image, path, 0, NULL, 0, 0, NULL), CAIRN_OK);
    b->maker.symbol_count = 0;
    bench_symbol(b, "new", BASE, 0x10, FUNCTION);
    maker_write(&b->maker);
    path = scratch_write(&b->scratch, "new.elf", b->maker.bytes, b->maker.size);
    assert_int_equal(cairn_image_add_names(b->image, path, 0, NULL, BASE, 4, NULL), CAIRN_OK);
    assert_int_equal(cairn_space_new(b->image, &space), CAIRN_OK);
    assert_int_equal(cairn_space_select(space, &place), CAIRN_OK);
    assert_int_equal(cairn_space_symbol(space, BASE, &name, &offset), CAIRN_OK);
    assert_string_equal(name, "new");
    assert_int_equal(cairn_space_symbol(space, BASE + 4, &name, &offset), CAIRN_OK);
    assert_string_equal(name, "old");
    b->maker.symbol_count = 0;
    bench_symbol(b, "own", BASE, 0x10, FUNCTION);
    bench_add(b, "a.elf", 0);
    assert_int_equal(cairn_space_select(space, &place), CAIRN_OK);
    assert_int_equal(cairn_space_symbol(space, BASE, &name, &offset), CAIRN_OK);
    assert_string_equal(name, "own");
    assert_int_equal(cairn_image_add_names(b->image, "/nowhere", 0, NULL, 0, 0, NULL),
                     CAIRN_E_NOT_FOUND);
    assert_int_equal(cairn_image_add_names(b->image, path, 0, NULL, UINT64_MAX, 2, NULL),
                     CAIRN_E_ARGUMENT);
    cairn_space_free(space);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, bench_open, bench_close)
    const struct CMUnitTest tests[] = {
        CASE(functions_and_labels),
        CASE(labels_end_with_their_section),
        CASE(what_names_no_code),
        CASE(several_names_of_one_place),
        CASE(thumb_functions),
        CASE(with_a_bias),
        CASE(dynamic_symbols),
        CASE(sizes_that_cannot_be),
        CASE(layers_without_symbols),
        CASE(in_many_threads),
        CASE(files_name_the_code_of_others),
        CASE(the_last_names_count),
    };
    return cmocka_run_group_tests_name("symbol", tests, NULL, NULL);
}
