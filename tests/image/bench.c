/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void begin(struct bench *bench)
{
    maker_begin(&bench->maker, true, false, EM_AARCH64, BENCH_BASE);
}

int bench_open(void **state)
{
    struct bench *const bench = calloc(1, sizeof *bench);

    assert_non_null(bench);
    scratch_open(&bench->scratch);
    assert_int_equal(cairn_image_new(&bench->image), CAIRN_OK);
    begin(bench);
    *state = bench;
    return 0;
}

int bench_close(void **state)
{
    struct bench *const bench = *state;

    cairn_image_unref(bench->image);
    scratch_close(&bench->scratch);
    free(bench);
    return 0;
}

void bench_symbol(struct bench *bench, const char *name, uint64_t value, uint64_t size,
                  unsigned info)
{
    assert_true(bench->maker.symbol_count < MAKER_SYMBOLS);
    bench->maker.symbols[bench->maker.symbol_count++] =
        (struct maker_symbol){name, value, size, (uint8_t)info, info == SOURCE ? SHN_ABS : 1};
}

void bench_add_to(struct bench *bench, struct cairn_image *image, const char *name, uint64_t bias)
{
    maker_write(&bench->maker);
    const char *const path =
        scratch_write(&bench->scratch, name, bench->maker.bytes, bench->maker.size);
    assert_int_equal(cairn_image_add_elf(image, path, bias, NULL, NULL), CAIRN_OK);
    begin(bench);
}

void bench_add(struct bench *bench, const char *name, uint64_t bias)
{
    bench_add_to(bench, bench->image, name, bias);
}
