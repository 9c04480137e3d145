/* SPDX-License-Identifier: BSD-2-Clause */
/* Out of memory, whichever piece of it is the one that is not there, what is made says so and leaves
 * nothing behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "protocol/words.h"
#include "random_trace.h"

static size_t blocks;             /* that were not given back */
static size_t granted = SIZE_MAX; /* pieces of memory that there are still */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *old);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *old);

static bool is_granted(void)
{
    if (granted == 0)
        return false;
    if (granted != SIZE_MAX)
        granted--;
    return true;
}

static void *counted(void *block)
{
    blocks += block != NULL;
    return block;
}

void *__wrap_malloc(size_t size)
{
    return is_granted() ? counted(__real_malloc(size)) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return is_granted() ? counted(__real_calloc(count, size)) : NULL;
}

void *__wrap_realloc(void *old, size_t size)
{
    if (!is_granted())
        return NULL;
    return old ? __real_realloc(old, size) : counted(__real_malloc(size));
}

void __wrap_free(void *old)
{
    blocks -= old != NULL;
    __real_free(old);
}

struct made {
    const char *name;
    cairn_status (*make)(struct cairn_config *config, void **state);
    void (*destroy)(struct cairn_config *config, void *state);
};

#define MADE(what)                                                                                 \
    static cairn_status make_##what(struct cairn_config *config, void **state)                     \
    {                                                                                              \
        return config->protocol->what##_new(config, state);                                        \
    }                                                                                              \
    static void destroy_##what(struct cairn_config *config, void *state)                           \
    {                                                                                              \
        config->protocol->what##_free(state);                                                      \
    }
MADE(packets)
MADE(elements)
MADE(resolver)
MADE(scan)

static cairn_status make_reader(struct cairn_config *config, void **state)
{
    static struct cairn_word_bytes bytes;

    return config->protocol->reader_new(config, &bytes, state);
}

static void destroy_reader(struct cairn_config *config, void *state)
{
    config->protocol->reader_free(state);
}

/* With no piece of memory, with one, with two, until they are enough. */
static void check(struct cairn_config *config, const struct made *made)
{
    const size_t before = blocks;
    cairn_status status = CAIRN_E_MEMORY;
    size_t pieces = 0;

    for (; status != CAIRN_OK; pieces++) {
        void *state = NULL;

        granted = pieces;
        status = made->make(config, &state);
        granted = SIZE_MAX;
        if (status == CAIRN_OK)
            made->destroy(config, state);
        else
            assert_int_equal(status, CAIRN_E_MEMORY);
        if (blocks != before)
            print_message("# %s, %zu pieces of memory: %zu left behind\n", made->name, pieces,
                          blocks - before);
        assert_int_equal(blocks, before);
    }
    assert_true(pieces > 1); /* it failed without any */
}

static void test_levels_and_readers(void **state)
{
    static const struct made all[] = {
        {"packets", make_packets, destroy_packets},
        {"elements", make_elements, destroy_elements},
        {"resolver", make_resolver, destroy_resolver},
        {"scan", make_scan, destroy_scan},
        {"reader", make_reader, destroy_reader},
    };
    const size_t before = blocks;
    (void)state;

    for (size_t u = 0; u < random_unit_count; u++) {
        struct cairn_config *config = random_configure(&random_units[u]);

        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            check(config, &all[i]);
        cairn_config_unref(config); /* the last one: nothing made has kept it */
        assert_int_equal(blocks, before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_levels_and_readers)};

    return cmocka_run_group_tests_name("no memory", tests, NULL, NULL);
}
