/* SPDX-License-Identifier: BSD-2-Clause */
/* Real captures: the reader of words gives what the levels give for every ETMv4 and ETE source, as it is and
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
#include "words_compare.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define DAMAGE_EVERY 2500u

struct total {
    size_t sources;
    size_t bytes;
    struct words_total words;
};

static void check_source(void *context, const struct captured *source)
{
    static const struct words_cut whole[] = {{0, 512, 1024, false, 0, 0},
                                             {SCAN_UNEVEN, 100, 256, true, 7, 0}};
    static const struct words_cut damaged[] = {{0, 512, 1024, false, 3, 777}};
    struct total *const total = context;
    uint32_t random = 1;
    size_t size;

    if (source->info.protocol != CAIRN_PROTOCOL_ETMV4 &&
        source->info.protocol != CAIRN_PROTOCOL_ETE)
        return;

    uint8_t *bytes = captured_bytes(source, &size);

    total->sources++;
    total->bytes += size;
    words_check(source->config, bytes, size, whole, COUNT_OF(whole), &total->words);
    for (size_t at = DAMAGE_EVERY / 2; at < size; at += 1 + random % DAMAGE_EVERY) {
        random = random * 1664525u + 1013904223u;
        bytes[at] = (uint8_t)(random >> 16);
    }
    words_check(source->config, bytes, size, damaged, COUNT_OF(damaged), &total->words);
    free(bytes);
}

static void test_captures(void **state)
{
    struct total total = {0};

    (void)state;
    captured_each(check_source, &total);
    print_message("# %zu sources, %zu bytes, %zu elements, %zu words\n", total.sources, total.bytes,
                  total.words.elements, total.words.words);
    assert_true(total.sources > 0 && total.words.words > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_captures)};

    return cmocka_run_group_tests_name("words of captures", tests, NULL, NULL);
}
