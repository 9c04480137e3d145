/* SPDX-License-Identifier: BSD-2-Clause */
/* An image of ELF files that a test makes of symbols: AArch64, code of 0x100 bytes at BENCH_BASE. */
#ifndef CAIRN_TEST_IMAGE_BENCH_H
#define CAIRN_TEST_IMAGE_BENCH_H

#include <elf.h>
#include <stdint.h>

#include <cairn/image.h>

#include "elf_maker.h"
#include "scratch.h"

#define BENCH_BASE UINT64_C(0x400000)
#define FUNCTION (STB_GLOBAL << 4 | STT_FUNC)
#define LOCAL_FUNCTION (STB_LOCAL << 4 | STT_FUNC)
#define WEAK_FUNCTION (STB_WEAK << 4 | STT_FUNC)
#define CHOOSER (STB_GLOBAL << 4 | STT_GNU_IFUNC)
#define LABEL (STB_LOCAL << 4 | STT_NOTYPE)
#define OBJECT (STB_GLOBAL << 4 | STT_OBJECT)
#define SOURCE (STB_LOCAL << 4 | STT_FILE) /* of the local symbols behind it */

struct bench {
    struct scratch scratch;
    struct maker maker; /* of the next file */
    struct cairn_image *image;
};

/* For cmocka: *state is the bench. */
int bench_open(void **state);
int bench_close(void **state);

/* The next file has this symbol. */
void bench_symbol(struct bench *bench, const char *name, uint64_t value, uint64_t size,
                  unsigned info);

/* Writes the file and adds it to an image, loaded at a bias. The next one has no symbols. */
void bench_add_to(struct bench *bench, struct cairn_image *image, const char *name, uint64_t bias);
/* To the bench's own. */
void bench_add(struct bench *bench, const char *name, uint64_t bias);

#endif
