/* SPDX-License-Identifier: BSD-2-Clause */
/* What a space shows of random layers, against asking every layer for every address. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/image.h>

#include "../house/share.h"
#include "image/space.h"
#include "scratch.h"

#define SPAN 20 /* addresses looked at */
#define MANY 10
#define OFFSETS 8
#define NOBODY SIZE_MAX

/* The layers as they were given, and the image made of them. */
struct world {
    uint64_t base;
    size_t count;
    struct cairn_layer_info layers[600];
    struct cairn_image *image;
    struct cairn_space *space;
};

static unsigned wildcards(const struct cairn_scope *s)
{
    const bool list[] = {s->source == CAIRN_ANY_SOURCE,
                         s->el_mask == 0xf,
                         s->security_mask == 0xf,
                         s->any_vmid,
                         s->any_context_id,
                         s->epoch_from == 0 && s->epoch_to == UINT64_MAX};
    unsigned sum = 0;
    for (size_t i = 0; i < sizeof list; i++)
        sum += list[i];
    return sum;
}

static bool matches(const struct cairn_scope *s, const struct cairn_place *p)
{
    return (s->source == CAIRN_ANY_SOURCE || s->source == p->source) &&
           (s->el_mask & 1u << p->EL) && (s->security_mask & 1u << p->security) &&
           (s->any_vmid || s->vmid == p->vmid) &&
           (s->any_context_id || s->context_id == p->context_id) && s->epoch_from <= p->offset &&
           (p->offset < s->epoch_to || s->epoch_to == UINT64_MAX);
}

static size_t expected(const struct world *world, const struct cairn_place *place, uint64_t address)
{
    size_t best = NOBODY;
    for (size_t i = 0; i < world->count; i++) {
        const struct cairn_layer_info *const layer = &world->layers[i];
        if (address < layer->address || address - layer->address >= layer->bytes ||
            !matches(&layer->scope, place))
            continue;
        if (best == NOBODY || wildcards(&layer->scope) <= wildcards(&world->layers[best].scope))
            best = i;
    }
    return best;
}

static void add(struct world *world, const struct cairn_layer_info *layer)
{
    uint8_t bytes[SPAN];
    for (size_t n = 0; n < sizeof bytes; n++)
        bytes[n] = (uint8_t)(world->count * 31 + n);
    assert_int_equal(cairn_image_add_bytes(world->image, "layer", &layer->scope, layer->order,
                                           layer->address, bytes, (size_t)layer->bytes, NULL),
                     CAIRN_OK);
    world->layers[world->count++] = *layer;
}

static struct cairn_scope roll_scope(struct dice *dice)
{
    struct cairn_scope scope = cairn_scope_any();
    if (dice_roll(dice, 3) == 0)
        scope.source = (uint32_t)dice_roll(dice, 2);
    if (dice_roll(dice, 3) == 0)
        scope.el_mask = (uint8_t)(1 + dice_roll(dice, 15));
    if (dice_roll(dice, 3) == 0)
        scope.security_mask = (uint8_t)(1 + dice_roll(dice, 15));
    if (dice_roll(dice, 3) == 0) {
        scope.any_vmid = false;
        scope.vmid = (uint32_t)dice_roll(dice, 2);
    }
    if (dice_roll(dice, 2) == 0) {
        scope.any_context_id = false;
        scope.context_id = (uint32_t)dice_roll(dice, 3);
    }
    if (dice_roll(dice, 2) == 0) {
        scope.epoch_from = dice_roll(dice, OFFSETS);
        scope.epoch_to = scope.epoch_from + 1 + dice_roll(dice, OFFSETS);
        if (dice_roll(dice, 4) == 0)
            scope.epoch_to = UINT64_MAX;
    }
    return scope;
}

static struct cairn_layer_info roll_layer(struct dice *dice, uint64_t base)
{
    const uint64_t first = dice_roll(dice, SPAN);
    return (struct cairn_layer_info){.address = base + first,
                                     .bytes = 1 + dice_roll(dice, SPAN - first),
                                     .order = (enum cairn_order)dice_roll(dice, 3),
                                     .scope = roll_scope(dice)};
}

static struct cairn_place roll_place(struct dice *dice)
{
    return (struct cairn_place){.source = (uint32_t)dice_roll(dice, 3),
                                .EL = (uint8_t)dice_roll(dice, 4),
                                .security = (uint8_t)dice_roll(dice, 4),
                                .vmid = (uint32_t)dice_roll(dice, 3),
                                .context_id = (uint32_t)dice_roll(dice, 4),
                                .offset = dice_roll(dice, 2 * OFFSETS + 2)};
}

static void check_window(const struct world *world, const struct cairn_place *place,
                         uint64_t address, const struct cairn_window *window)
{
    const struct cairn_layer_info *const layer = &world->layers[window->layer];
    const uint64_t last = window->address + (window->size - 1);
    assert_true(window->address <= address && address <= last);
    assert_int_equal(window->order, layer->order);
    for (uint64_t n = 0; n < window->size; n++) {
        const uint64_t in_layer = window->address + n - layer->address;
        assert_int_equal(window->bytes[n], (uint8_t)(window->layer * 31 + in_layer));
        assert_int_equal(expected(world, place, window->address + n), window->layer);
    }
    /* As large as it can be. */
    if (window->address > world->base)
        assert_true(expected(world, place, window->address - 1) != window->layer);
    if (last < world->base + SPAN - 1)
        assert_true(expected(world, place, last + 1) != window->layer);
}

static void check_place(struct world *world, const struct cairn_place *place)
{
    assert_int_equal(cairn_space_select(world->space, place), CAIRN_OK);
    for (uint64_t n = 0; n < SPAN; n++) {
        struct cairn_window window;
        const size_t layer = expected(world, place, world->base + n);
        const bool found = cairn_space_window(world->space, world->base + n, &window);
        assert_int_equal(found, layer != NOBODY);
        if (!found)
            continue;
        assert_int_equal(window.layer, layer);
        check_window(world, place, world->base + n, &window);
    }
}

static void open_world(struct world *world, uint64_t base)
{
    *world = (struct world){.base = base};
    assert_int_equal(cairn_image_new(&world->image), CAIRN_OK);
    assert_int_equal(cairn_space_new(world->image, &world->space), CAIRN_OK);
}

static void close_world(struct world *world)
{
    cairn_space_free(world->space);
    cairn_image_unref(world->image);
}

/* Layers are added now and then between the lookups, so that a space notices. */
static void against_the_naive_way(uint64_t base)
{
    static struct world world;
    struct dice dice = {base | 1};
    for (unsigned round = 0; round < TEST_PART(300); round++) {
        open_world(&world, base);
        for (unsigned step = 0; step < 60; step++) {
            while (world.count < MANY && dice_roll(&dice, 4) == 0) {
                const struct cairn_layer_info layer = roll_layer(&dice, base);
                add(&world, &layer);
            }
            const struct cairn_place place = roll_place(&dice);
            check_place(&world, &place);
        }
        close_world(&world);
    }
}

static void at_the_bottom(void **state)
{
    (void)state;
    against_the_naive_way(0);
}

static void in_the_middle(void **state)
{
    (void)state;
    against_the_naive_way(0xffffffffffff0000);
}

static void at_the_top(void **state)
{
    (void)state;
    against_the_naive_way(UINT64_MAX - SPAN + 1);
}

/* Where no layer has an epoch, spaces share what they look up: two of one image, in turns, while layers are added. */
static void without_epochs(void **state)
{
    (void)state;
    static struct world world;
    struct dice dice = {5};
    for (unsigned round = 0; round < TEST_PART(300); round++) {
        struct cairn_space *other = NULL;
        open_world(&world, 0x1000);
        assert_int_equal(cairn_space_new(world.image, &other), CAIRN_OK);
        for (unsigned step = 0; step < 60; step++) {
            while (world.count < MANY && dice_roll(&dice, 4) == 0) {
                struct cairn_layer_info layer = roll_layer(&dice, 0x1000);
                layer.scope.epoch_from = 0;
                layer.scope.epoch_to = UINT64_MAX;
                add(&world, &layer);
            }
            const struct cairn_place place = roll_place(&dice);
            check_place(&world, &place);
            struct cairn_space *const swap = world.space;
            world.space = other;
            other = swap;
        }
        cairn_space_free(other);
        close_world(&world);
    }
}

/* More processes than a space remembers, each with its own layer over a shared one, and with an
 * epoch each. */
static void many_contexts(void **state)
{
    (void)state;
    static struct world world;
    struct dice dice = {99};
    open_world(&world, 0x1000);
    const struct cairn_layer_info kernel = {
        .address = 0x1000, .bytes = SPAN, .scope = cairn_scope_any()};
    add(&world, &kernel);
    for (uint32_t id = 0; id < 400; id++) {
        struct cairn_layer_info layer = kernel;
        layer.address = 0x1000 + id % 7;
        layer.bytes = 1 + id % 11;
        layer.scope.any_context_id = false;
        layer.scope.context_id = id * 3;
        layer.scope.epoch_from = id % 5;
        layer.scope.epoch_to = 100 + id % 5;
        add(&world, &layer);
    }
    for (unsigned step = 0; step < TEST_PART(3000); step++) {
        struct cairn_place place = {.context_id = (uint32_t)dice_roll(&dice, 1200),
                                    .offset = dice_roll(&dice, 110)};
        if (dice_roll(&dice, 2) == 0)
            place.context_id = (uint32_t)dice_roll(&dice, 5) * 3;
        check_place(&world, &place);
    }
    /* In turn: when a process comes back its view has gone, and the place may still be known. */
    for (uint32_t step = 0; step < TEST_PART(1200); step++) {
        const struct cairn_place place = {.context_id = step % 400 * 3, .offset = 50};
        check_place(&world, &place);
    }
    close_world(&world);
}

/* A program that writes code, seen from contexts of its own: the layers of many epochs, some of a
 * source, a context or a level only, over two that are always there. Offsets go forwards as in a
 * trace, with some steps back. */
static void many_epochs(void **state)
{
    (void)state;
    static struct world world;
    struct dice dice = {77};
    open_world(&world, 0x1000);
    struct cairn_layer_info layer = {.address = 0x1000, .bytes = SPAN, .scope = cairn_scope_any()};
    add(&world, &layer);
    layer.scope.any_context_id = false;
    layer.scope.context_id = 1;
    layer.bytes = 3;
    add(&world, &layer);
    for (unsigned n = 0; n < 500; n++) {
        layer = roll_layer(&dice, 0x1000);
        if (dice_roll(&dice, 2) == 0)
            layer.scope = cairn_scope_any();
        layer.scope.epoch_from = 4 * dice_roll(&dice, 500);
        layer.scope.epoch_to = layer.scope.epoch_from + 1 + dice_roll(&dice, 40);
        add(&world, &layer);
    }
    for (uint64_t offset = 0; offset < 2100; offset++) {
        struct cairn_place place = roll_place(&dice);
        place.offset = offset;
        if (dice_roll(&dice, 10) == 0)
            place.offset = dice_roll(&dice, 2100);
        check_place(&world, &place);
    }
    close_world(&world);
}

/* How much is done for 20,000 epochs of a source, in turn or on top of each other, whatever the
 * context: O(log^2 n) a change, and nothing in between. */
static void work_of_epochs(void **state)
{
    (void)state;
    enum { EPOCHS = 20000, CONTEXTS = 40, CHANGE = 500 };
    struct cairn_image *image = NULL;
    struct cairn_space *space = NULL;
    struct cairn_scope scope = cairn_scope_any();
    struct cairn_window window;
    assert_int_equal(cairn_image_new(&image), CAIRN_OK);
    assert_int_equal(
        cairn_image_add_bytes(image, "first", NULL, CAIRN_ORDER_LITTLE, 0x1000, "first", 5, NULL),
        CAIRN_OK);
    scope.source = 0;
    for (uint64_t i = 0; i < EPOCHS; i++) {
        scope.epoch_from = 10 * i;
        scope.epoch_to = i % 2 ? UINT64_MAX - 1 : 10 * i + 10;
        assert_int_equal(cairn_image_add_bytes(image, "code", &scope, CAIRN_ORDER_LITTLE,
                                               0x1000 + i % 300 * 4, &i, 4, NULL),
                         CAIRN_OK);
    }
    assert_int_equal(cairn_space_new(image, &space), CAIRN_OK);
    for (uint64_t i = 0; i < EPOCHS; i++) {
        for (uint32_t n = 0; n < 3; n++) {
            const struct cairn_place place = {.context_id = (uint32_t)i * 3 % CONTEXTS + n,
                                              .offset = 10 * i + n};
            assert_int_equal(cairn_space_select(space, &place), CAIRN_OK);
        }
        assert_true(cairn_space_window(space, 0x1000 + i % 300 * 4, &window));
        assert_memory_equal(window.bytes, &i, 4);
        assert_int_equal(window.layer, i + 1);
    }
    assert_true(cairn_space_work(space) < (uint64_t)EPOCHS * CHANGE);
    const uint64_t before = cairn_space_work(space);
    for (uint64_t n = 0; n < 10; n++) {
        const struct cairn_place place = {.offset = 10 * (EPOCHS - 1) + n};
        uint64_t from = 0, until = 0;
        assert_int_equal(cairn_space_select(space, &place), CAIRN_OK);
        cairn_space_hold(space, &from, &until);
        assert_int_equal(from, 10 * (EPOCHS - 1));
        assert_int_equal(until, UINT64_MAX - 2);
    }
    assert_true(cairn_space_work(space) - before <= 2); /* the first one changed the context */
    cairn_space_free(space);
    cairn_image_unref(image);
}

static void before_a_selection(void **state)
{
    (void)state;
    static struct world world;
    open_world(&world, 0);
    const struct cairn_layer_info layer = {.address = 0, .bytes = 4, .scope = cairn_scope_any()};
    add(&world, &layer);
    struct cairn_window window;
    assert_false(cairn_space_window(world.space, 0, &window));
    close_world(&world);
}

static void places_that_cannot_be(void **state)
{
    (void)state;
    static struct world world;
    open_world(&world, 0);
    const struct cairn_layer_info layer = {.address = 0, .bytes = 4, .scope = cairn_scope_any()};
    add(&world, &layer);
    struct cairn_place place = {.EL = 3, .security = CAIRN_REALM};
    assert_int_equal(cairn_space_select(world.space, &place), CAIRN_OK);
    place.EL = 4;
    assert_int_equal(cairn_space_select(world.space, &place), CAIRN_E_ARGUMENT);
    place.EL = 0;
    place.security = 4;
    assert_int_equal(cairn_space_select(world.space, &place), CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_space_select(world.space, NULL), CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_space_select(NULL, &place), CAIRN_E_ARGUMENT);
    /* What was selected stays. */
    struct cairn_window window;
    assert_true(cairn_space_window(world.space, 0, &window));
    close_world(&world);
}

/* A space and the windows it gave outlive the caller's own reference. */
static void references(void **state)
{
    (void)state;
    struct cairn_image *image = NULL;
    struct cairn_space *space = NULL;
    assert_int_equal(cairn_image_new(&image), CAIRN_OK);
    assert_int_equal(
        cairn_image_add_bytes(image, "four", NULL, CAIRN_ORDER_LITTLE, 16, "abcd", 4, NULL),
        CAIRN_OK);
    assert_int_equal(cairn_space_new(image, &space), CAIRN_OK);
    assert_ptr_equal(cairn_image_ref(image), image);
    cairn_image_unref(image);
    cairn_image_unref(image);
    const struct cairn_place place = {.EL = 1};
    assert_int_equal(cairn_space_select(space, &place), CAIRN_OK);
    struct cairn_window window;
    assert_true(cairn_space_window(space, 18, &window));
    assert_memory_equal(window.bytes, "abcd", 4);
    cairn_space_free(space);
    cairn_space_free(NULL);
    cairn_image_unref(NULL);
    assert_null(cairn_image_ref(NULL));
    assert_int_equal(cairn_space_new(NULL, &space), CAIRN_E_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_the_bottom),      cmocka_unit_test(in_the_middle),
        cmocka_unit_test(at_the_top),         cmocka_unit_test(many_contexts),
        cmocka_unit_test(many_epochs),        cmocka_unit_test(work_of_epochs),
        cmocka_unit_test(before_a_selection), cmocka_unit_test(places_that_cannot_be),
        cmocka_unit_test(references),         cmocka_unit_test(without_epochs),
    };
    return cmocka_run_group_tests_name("space", tests, NULL, NULL);
}
