/* SPDX-License-Identifier: BSD-2-Clause */
/* Layers that a function reads: what it is asked for, how often, and what of that can be seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/image.h>

#define BASE UINT64_C(0x10800) /* not where a page begins */
#define PAGE 4096u
#define SIZE (4 * PAGE)

/* The memory of a program that runs. */
struct live {
    uint8_t bytes[SIZE];
    uint64_t end;      /* from here on nothing can be read */
    unsigned calls;    /* of it */
    uint64_t first[8]; /* what was asked for */
    size_t size[8];
    struct cairn_image *image;
    struct cairn_space *space;
};

static size_t read_live(void *context, uint64_t address, void *bytes, size_t size)
{
    struct live *live = context;

    assert_true(live->calls < 8);
    live->first[live->calls] = address;
    live->size[live->calls++] = size;
    assert_true(address >= BASE && address - BASE + size <= SIZE);
    const size_t there = address < live->end ? (size_t)(live->end - address) : 0;
    memcpy(bytes, live->bytes + (address - BASE), there < size ? there : size);
    return there < size ? there : SIZE; /* more than was asked for says nothing */
}

static void open_live(struct live *live)
{
    const struct cairn_place place = {0};

    memset(live, 0, sizeof *live);
    for (size_t i = 0; i < SIZE; i++)
        live->bytes[i] = (uint8_t)(i * 7 + i / 256);
    live->end = BASE + SIZE;
    assert_int_equal(cairn_image_new(&live->image), CAIRN_OK);
    assert_int_equal(cairn_image_add_callback(live->image, "live", NULL, CAIRN_ORDER_LITTLE, BASE,
                                              SIZE, read_live, live, NULL),
                     CAIRN_OK);
    assert_int_equal(cairn_space_new(live->image, &live->space), CAIRN_OK);
    assert_int_equal(cairn_space_select(live->space, &place), CAIRN_OK);
}

static void close_live(struct live *live)
{
    cairn_space_free(live->space);
    cairn_image_unref(live->image);
}

static void pages_are_asked_for_once(void **unused)
{
    struct live live;
    struct cairn_window window;
    struct cairn_layer_info info = {.size = sizeof info};
    (void)unused;

    open_live(&live);
    assert_int_equal(live.calls, 0);
    assert_int_equal(cairn_image_layer(live.image, 0, &info), CAIRN_OK);
    assert_int_equal(info.bytes, SIZE);
    assert_false(cairn_space_window(live.space, BASE - 1, &window));
    assert_false(cairn_space_window(live.space, BASE + SIZE, &window));
    assert_int_equal(live.calls, 0);
    assert_true(cairn_space_window(live.space, BASE + 5, &window));
    assert_int_equal(window.address, BASE); /* the page is cut where the layer begins */
    assert_int_equal(window.size, 0x800);
    assert_memory_equal(window.bytes, live.bytes, 0x800);
    const uint8_t *kept = window.bytes;
    assert_true(cairn_space_window(live.space, 0x12345, &window));
    assert_int_equal(window.address, 0x12000);
    assert_int_equal(window.size, PAGE);
    assert_memory_equal(window.bytes, live.bytes + (0x12000 - BASE), PAGE);
    assert_true(cairn_space_window(live.space, BASE + SIZE - 1, &window));
    assert_int_equal(window.address, 0x14000);
    assert_int_equal(window.size, 0x800);
    assert_int_equal(live.calls, 3);
    memset(live.bytes, 0xee, sizeof live.bytes); /* it goes on, and what was seen stays */
    assert_true(cairn_space_window(live.space, BASE, &window));
    assert_ptr_equal(window.bytes, kept);
    assert_int_equal(kept[9], 9 * 7);
    assert_int_equal(live.calls, 3);
    assert_int_equal(live.first[0], BASE);
    assert_int_equal(live.size[0], 0x800);
    assert_int_equal(live.first[1], 0x12000);
    assert_int_equal(live.size[1], PAGE);
    close_live(&live);
}

static void what_is_not_given_is_no_memory(void **unused)
{
    struct live live;
    struct cairn_window window;
    (void)unused;

    open_live(&live);
    live.end = 0x12010;
    assert_true(cairn_space_window(live.space, 0x1200f, &window));
    assert_int_equal(window.address, 0x12000);
    assert_int_equal(window.size, 0x10);
    assert_false(cairn_space_window(live.space, 0x12010, &window));
    assert_false(cairn_space_window(live.space, 0x12fff, &window));
    assert_false(cairn_space_window(live.space, 0x13000, &window));
    assert_int_equal(live.calls, 2);
    live.end = BASE + SIZE; /* too late for these two */
    assert_false(cairn_space_window(live.space, 0x12010, &window));
    assert_false(cairn_space_window(live.space, 0x13000, &window));
    assert_int_equal(live.calls, 2);
    close_live(&live);
}

static void more_specific_layers_cut_pages(void **unused)
{
    struct cairn_scope scope = cairn_scope_any();
    const struct cairn_place place = {.source = 0};
    const uint8_t patch[4] = {1, 2, 3, 4};
    struct live live;
    struct cairn_window window;
    (void)unused;

    open_live(&live);
    scope.source = 0;
    assert_int_equal(cairn_image_add_bytes(live.image, "patch", &scope, CAIRN_ORDER_LITTLE, 0x12800,
                                           patch, sizeof patch, NULL),
                     CAIRN_OK);
    assert_int_equal(cairn_space_select(live.space, &place), CAIRN_OK);
    assert_true(cairn_space_window(live.space, 0x12900, &window));
    assert_int_equal(window.address, 0x12804);
    assert_int_equal(window.size, 0x7fc);
    assert_memory_equal(window.bytes, live.bytes + (0x12804 - BASE), 0x7fc);
    assert_true(cairn_space_window(live.space, 0x12801, &window));
    assert_memory_equal(window.bytes, patch, sizeof patch);
    close_live(&live);
}

/* Of a table of pages that grows. */
static size_t read_address(void *context, uint64_t address, void *bytes, size_t size)
{
    (void)context;
    memset(bytes, (uint8_t)(address / PAGE), size);
    return size;
}

static void many_pages(void **unused)
{
    const struct cairn_place place = {0};
    const uint8_t *kept[1000];
    struct cairn_image *image = NULL;
    struct cairn_space *space = NULL;
    struct cairn_window window;
    (void)unused;

    assert_int_equal(cairn_image_new(&image), CAIRN_OK);
    assert_int_equal(cairn_image_add_callback(image, NULL, NULL, CAIRN_ORDER_LITTLE, 0, UINT64_MAX,
                                              read_address, NULL, NULL),
                     CAIRN_OK);
    assert_int_equal(cairn_space_new(image, &space), CAIRN_OK);
    assert_int_equal(cairn_space_select(space, &place), CAIRN_OK);
    for (unsigned round = 0; round < 2; round++)
        for (uint64_t i = 0; i < 1000; i++) {
            assert_true(cairn_space_window(space, i * i * PAGE + 17, &window));
            assert_int_equal(window.address, i * i * PAGE);
            assert_int_equal(window.bytes[4095], (uint8_t)(i * i));
            if (round)
                assert_ptr_equal(window.bytes, kept[i]);
            kept[i] = window.bytes;
        }
    assert_true(cairn_space_window(space, UINT64_MAX - 1, &window));
    assert_int_equal(window.size, PAGE - 1); /* the layer has not the last byte */
    assert_false(cairn_space_window(space, UINT64_MAX, &window));
    cairn_space_free(space);
    cairn_image_unref(image);
}

static void what_cannot_be_is_refused(void **unused)
{
    struct cairn_scope nothing = cairn_scope_any();
    struct cairn_image *image = NULL;
    struct cairn_error error = {0};
    (void)unused;

    nothing.el_mask = 0;
    assert_int_equal(cairn_image_new(&image), CAIRN_OK);
    assert_int_equal(
        cairn_image_add_callback(image, "none", NULL, CAIRN_ORDER_LITTLE, 0, 1, NULL, NULL, &error),
        CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_image_add_callback(image, "empty", NULL, CAIRN_ORDER_LITTLE, 0, 0,
                                              read_address, NULL, &error),
                     CAIRN_E_ARGUMENT);
    assert_non_null(strstr(error.text, "empty: "));
    assert_int_equal(cairn_image_add_callback(image, "wraps", NULL, CAIRN_ORDER_LITTLE, UINT64_MAX,
                                              2, read_address, NULL, &error),
                     CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_image_add_callback(image, "nowhere", &nothing, CAIRN_ORDER_LITTLE, 0, 1,
                                              read_address, NULL, &error),
                     CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_image_layer_count(image), 0);
    cairn_image_unref(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_asked_for_once),
        cmocka_unit_test(what_is_not_given_is_no_memory),
        cmocka_unit_test(more_specific_layers_cut_pages),
        cmocka_unit_test(many_pages),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
