/* SPDX-License-Identifier: BSD-2-Clause */
/* Layers of bytes and of raw files: what is taken, what is refused and why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <cairn/image.h>

#include "scratch.h"

struct bench {
    struct scratch scratch;
    struct cairn_image *image;
    struct cairn_error error;
};

static int open_bench(void **state)
{
    struct bench *const b = calloc(1, sizeof *b);
    assert_non_null(b);
    scratch_open(&b->scratch);
    assert_int_equal(cairn_image_new(&b->image), CAIRN_OK);
    *state = b;
    return 0;
}

static int close_bench(void **state)
{
    struct bench *const b = *state;
    cairn_image_unref(b->image);
    scratch_close(&b->scratch);
    free(b);
    return 0;
}

static cairn_status add_bytes(struct bench *b, const struct cairn_scope *scope, uint64_t address,
                              size_t size)
{
    return cairn_image_add_bytes(b->image, "some bytes", scope, CAIRN_ORDER_LITTLE, address,
                                 "0123456789", size, &b->error);
}

static cairn_status add_file(struct bench *b, const char *path, uint64_t offset, uint64_t length,
                             uint64_t address)
{
    return cairn_image_add_file(b->image, path, offset, length, NULL, CAIRN_ORDER_LITTLE, address,
                                &b->error);
}

static void expect_error(struct bench *b, cairn_status status, cairn_status expected,
                         const char *words)
{
    assert_int_equal(status, expected);
    assert_int_equal(b->error.status, expected);
    assert_non_null(strstr(b->error.text, words));
    b->error = (struct cairn_error){0};
}

static struct cairn_layer_info layer(struct bench *b, size_t index)
{
    struct cairn_layer_info info = {.size = sizeof info};
    assert_int_equal(cairn_image_layer(b->image, index, &info), CAIRN_OK);
    return info;
}

/* The byte at an address under an ordinary place, or -1. */
static int byte_at(struct bench *b, uint64_t address)
{
    struct cairn_space *space = NULL;
    struct cairn_window window;
    const struct cairn_place place = {.EL = 0};
    int value = -1;
    assert_int_equal(cairn_space_new(b->image, &space), CAIRN_OK);
    assert_int_equal(cairn_space_select(space, &place), CAIRN_OK);
    if (cairn_space_window(space, address, &window))
        value = window.bytes[address - window.address];
    cairn_space_free(space);
    return value;
}

static void bytes_are_copied(void **state)
{
    struct bench *const b = *state;
    char text[] = "abc";
    assert_int_equal(
        cairn_image_add_bytes(b->image, "text", NULL, CAIRN_ORDER_BE32, 0x100, text, 3, &b->error),
        CAIRN_OK);
    text[1] = 'x';
    assert_int_equal(byte_at(b, 0x101), 'b');
    assert_int_equal(byte_at(b, 0xff), -1);
    assert_int_equal(byte_at(b, 0x103), -1);
    const struct cairn_layer_info info = layer(b, 0);
    assert_string_equal(info.name, "text");
    assert_int_equal(info.address, 0x100);
    assert_int_equal(info.bytes, 3);
    assert_int_equal(info.order, CAIRN_ORDER_BE32);
    assert_false(info.is_elf);
    assert_null(info.build_id);
}

static void layers_that_cannot_be(void **state)
{
    struct bench *const b = *state;
    expect_error(b, add_bytes(b, NULL, 0, 0), CAIRN_E_ARGUMENT, "at least one byte");
    expect_error(b, add_bytes(b, NULL, UINT64_MAX, 2), CAIRN_E_ARGUMENT, "below 2^64");
    expect_error(b, add_bytes(b, NULL, UINT64_MAX - 8, 10), CAIRN_E_ARGUMENT, "below 2^64");
    expect_error(
        b, cairn_image_add_bytes(b->image, "x", NULL, (enum cairn_order)3, 0, "x", 1, &b->error),
        CAIRN_E_ARGUMENT, "byte order 3");
    expect_error(
        b, cairn_image_add_bytes(b->image, "x", NULL, CAIRN_ORDER_LITTLE, 0, NULL, 1, &b->error),
        CAIRN_E_ARGUMENT, "no bytes");
    assert_int_equal(cairn_image_layer_count(b->image), 0);
    /* The last byte that there is can be used. */
    assert_int_equal(add_bytes(b, NULL, UINT64_MAX - 9, 10), CAIRN_OK);
    assert_int_equal(byte_at(b, UINT64_MAX), '9');
    assert_int_equal(byte_at(b, 0), -1);
    struct cairn_layer_info info = {.size = sizeof info};
    assert_int_equal(cairn_image_layer(b->image, 1, &info), CAIRN_E_NOT_FOUND);
}

static void scopes_that_match_nothing(void **state)
{
    struct bench *const b = *state;
    struct cairn_scope scope = cairn_scope_any();
    scope.el_mask = 0xf0;
    expect_error(b, add_bytes(b, &scope, 0, 1), CAIRN_E_ARGUMENT, "exception levels");
    scope = cairn_scope_any();
    scope.security_mask = 0;
    expect_error(b, add_bytes(b, &scope, 0, 1), CAIRN_E_ARGUMENT, "security");
    scope = cairn_scope_any();
    scope.epoch_from = scope.epoch_to = 5;
    expect_error(b, add_bytes(b, &scope, 0, 1), CAIRN_E_ARGUMENT, "epoch");
    const char *const path = scratch_write(&b->scratch, "dump", "0123", 4);
    expect_error(
        b, cairn_image_add_file(b->image, path, 0, 0, &scope, CAIRN_ORDER_LITTLE, 0, &b->error),
        CAIRN_E_ARGUMENT, "epoch");
    expect_error(b, cairn_image_add_elf(b->image, path, 0, &scope, &b->error), CAIRN_E_ARGUMENT,
                 "epoch");
}

static void files_as_far_as_they_go(void **state)
{
    struct bench *const b = *state;
    const char *const path = scratch_write(&b->scratch, "dump", "0123456789", 10);
    assert_int_equal(add_file(b, path, 0, 0, 0x1000), CAIRN_OK);
    assert_int_equal(add_file(b, path, 3, 4, 0x2000), CAIRN_OK);
    assert_int_equal(add_file(b, path, 8, 100, 0x3000), CAIRN_OK);
    assert_int_equal(add_file(b, path, 1, UINT64_MAX, 0x4000), CAIRN_OK);
    assert_int_equal(b->error.status, CAIRN_OK);
    assert_int_equal(layer(b, 0).bytes, 10);
    assert_int_equal(layer(b, 1).bytes, 4);
    assert_int_equal(layer(b, 2).bytes, 2);
    assert_int_equal(layer(b, 3).bytes, 9);
    assert_string_equal(layer(b, 2).name, path);
    assert_int_equal(byte_at(b, 0x1009), '9');
    assert_int_equal(byte_at(b, 0x2003), '6');
    assert_int_equal(byte_at(b, 0x2004), -1);
    assert_int_equal(byte_at(b, 0x3001), '9');
    /* What fits below 2^64 is what counts, not what was asked for. */
    assert_int_equal(add_file(b, path, 0, 100, UINT64_MAX - 9), CAIRN_OK);
    expect_error(b, add_file(b, path, 0, 0, UINT64_MAX - 8), CAIRN_E_ARGUMENT, "below 2^64");
    expect_error(b, add_file(b, path, 10, 0, 0), CAIRN_E_FORMAT, "offset 10");
    expect_error(b, add_file(b, path, UINT64_MAX, 1, 0), CAIRN_E_FORMAT, "behind");
    assert_int_equal(cairn_image_layer_count(b->image), 5);
}

/* Many files, each named twice: one mapping each, so that the bytes are the same ones. */
static void files_named_twice(void **state)
{
    enum { FILES = 100 };
    struct bench *const b = *state;
    const struct cairn_place place = {.EL = 0};
    struct cairn_space *space = NULL;
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < FILES; i++) {
            char name[8];
            snprintf(name, sizeof name, "%u", i);
            const char *const path = round ? scratch_path(&b->scratch, name)
                                           : scratch_write(&b->scratch, name, &i, sizeof i);
            assert_int_equal(add_file(b, path, 0, 0, (round * FILES + i) * sizeof i), CAIRN_OK);
        }
    }
    assert_int_equal(cairn_space_new(b->image, &space), CAIRN_OK);
    assert_int_equal(cairn_space_select(space, &place), CAIRN_OK);
    for (unsigned i = 0; i < FILES; i++) {
        struct cairn_window one, two;
        assert_true(cairn_space_window(space, i * sizeof i, &one));
        assert_true(cairn_space_window(space, (FILES + i) * sizeof i, &two));
        assert_memory_equal(one.bytes, &i, sizeof i);
        assert_ptr_equal(one.bytes, two.bytes);
    }
    cairn_space_free(space);
}

static void files_that_are_none(void **state)
{
    struct bench *const b = *state;
    expect_error(b, add_file(b, scratch_path(&b->scratch, "absent"), 0, 0, 0), CAIRN_E_NOT_FOUND,
                 "no such file");
    expect_error(b, add_file(b, b->scratch.folder, 0, 0, 0), CAIRN_E_IO, "is a directory");
    expect_error(b, add_file(b, scratch_write(&b->scratch, "empty", "", 0), 0, 0, 0),
                 CAIRN_E_FORMAT, "is empty");
    /* Nobody writes to this FIFO: waiting for it would never end. */
    const char *const fifo = scratch_path(&b->scratch, "fifo");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    expect_error(b, add_file(b, fifo, 0, 0, 0), CAIRN_E_IO, "not a regular file");
    assert_false(cairn_file_is_elf(fifo));
    expect_error(b, add_file(b, "/dev/null", 0, 0, 0), CAIRN_E_IO, "not a regular file");
    expect_error(b, add_file(b, NULL, 0, 0, 0), CAIRN_E_ARGUMENT, "no path");
    assert_int_equal(cairn_image_layer_count(b->image), 0);
}

static void symbolic_links(void **state)
{
    struct bench *const b = *state;
    scratch_write(&b->scratch, "target", "abc", 3);
    const char *const link = scratch_path(&b->scratch, "link");
    assert_int_equal(symlink("target", link), 0);
    assert_int_equal(add_file(b, link, 0, 0, 0x10), CAIRN_OK);
    assert_int_equal(byte_at(b, 0x12), 'c');
    assert_string_equal(layer(b, 0).name, link);
    const char *const loop = scratch_path(&b->scratch, "loop");
    assert_int_equal(symlink("loop", loop), 0);
    expect_error(b, add_file(b, loop, 0, 0, 0), CAIRN_E_IO, "cannot be read");
    const char *const dangling = scratch_path(&b->scratch, "dangling");
    assert_int_equal(symlink("nowhere", dangling), 0);
    expect_error(b, add_file(b, dangling, 0, 0, 0), CAIRN_E_NOT_FOUND, "no such file");
}

/* A file that is beyond 4 GiB, sparse on the disk. */
static void large_files(void **state)
{
    struct bench *const b = *state;
    const uint64_t far = UINT64_C(5) << 30;
    const char *const path = scratch_write(&b->scratch, "large", "x", 1);
    if (truncate(path, (off_t)(far + 4)) != 0) {
        print_message("# skipped: the file system holds no sparse file of 5 GiB\n");
        skip();
    }
    if (SIZE_MAX < UINT64_MAX) { /* they cannot be mapped */
        assert_int_equal(add_file(b, path, far, 0, 0x10), CAIRN_E_LIMIT);
        return;
    }
    assert_int_equal(add_file(b, path, far, 0, 0x10), CAIRN_OK);
    assert_int_equal(layer(b, 0).bytes, 4);
    assert_int_equal(byte_at(b, 0x13), 0);
    assert_int_equal(add_file(b, path, 0, 0, UINT64_C(1) << 40), CAIRN_OK);
    assert_true(layer(b, 1).bytes == far + 4);
    assert_int_equal(byte_at(b, UINT64_C(1) << 40), 'x');
}

static void without_an_error(void **state)
{
    struct bench *const b = *state;
    assert_int_equal(
        cairn_image_add_bytes(b->image, NULL, NULL, CAIRN_ORDER_LITTLE, 0, "", 0, NULL),
        CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_image_add_file(b->image, "/", 0, 0, NULL, CAIRN_ORDER_LITTLE, 0, NULL),
                     CAIRN_E_IO);
    assert_int_equal(cairn_image_add_elf(b->image, "/", 0, NULL, NULL), CAIRN_E_IO);
    assert_int_equal(cairn_image_add_elf(NULL, "/", 0, NULL, NULL), CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_image_new(NULL), CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_image_layer_count(NULL), 0);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, open_bench, close_bench)
    const struct CMUnitTest tests[] = {
        CASE(bytes_are_copied),        CASE(layers_that_cannot_be), CASE(scopes_that_match_nothing),
        CASE(files_as_far_as_they_go), CASE(files_named_twice),     CASE(files_that_are_none),
        CASE(symbolic_links),          CASE(large_files),           CASE(without_an_error),
    };
    return cmocka_run_group_tests_name("image", tests, NULL, NULL);
}
