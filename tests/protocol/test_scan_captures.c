/* SPDX-License-Identifier: BSD-2-Clause */
/* Real captures: the scan gives what the levels give for every ETMv4 and ETE source, as it is and
 * damaged, however it is cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "captured.h"
#include "scan_compare.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define DAMAGE_EVERY 2500u

struct total {
    size_t sources;
    size_t bytes;
    size_t elements;
    size_t runs;
};

static void check_source(void *context, const struct captured *source)
{
    static const struct scan_cut whole[] = {{0, 4096, 4096}, {SCAN_UNEVEN, 200, 20}};
    static const struct scan_cut damaged[] = {{0, 2048, 512}};
    struct total *const total = context;
    uint32_t random = 1;
    size_t size;

    uint8_t *bytes = captured_bytes(source, &size);

    total->sources++;
    total->bytes += size;
    total->elements +=
        scan_check(source->config, bytes, size, whole, COUNT_OF(whole), &total->runs);
    for (size_t at = DAMAGE_EVERY / 2; at < size; at += 1 + random % DAMAGE_EVERY) {
        random = random * 1664525u + 1013904223u;
        bytes[at] = (uint8_t)(random >> 16);
    }
    (void)scan_check(source->config, bytes, size, damaged, COUNT_OF(damaged), &total->runs);
    free(bytes);
}

static void test_captures(void **state)
{
    struct total total = {0};

    (void)state;
    captured_each(check_source, &total);
    print_message("# %zu sources, %zu bytes, %zu elements\n", total.sources, total.bytes,
                  total.elements);
    assert_true(total.sources > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_captures)};

    return cmocka_run_group_tests_name("scan of captures", tests, NULL, NULL);
}
