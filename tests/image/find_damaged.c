/* SPDX-License-Identifier: BSD-2-Clause */
/* Names in a file that is this program, said to be for AArch64: what the linker knows is compared with
 * what the program itself knows, and then bytes of the file are broken. */
#include <elf.h>
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

#include "scratch.h"

#define ROUNDS 300
#define FLIPS 40
#define E_MACHINE 18 /* offset of e_machine in both classes */

int image_find_first(int n);
int image_find_second(int n);

__attribute__((noinline)) int image_find_first(int n)
{
    return n * 3;
}

__attribute__((noinline)) int image_find_second(int n)
{
    return n / 3;
}
enum { LAST_LINE = __LINE__ };

static struct scratch scratch;
static uint8_t *bytes;
static size_t size;

static int open_self(void **state)
{
    FILE *const file = fopen("/proc/self/exe", "rb");

    (void)state;
    scratch_open(&scratch);
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    size = (size_t)ftell(file);
    rewind(file);
    bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, size, file), size);
    fclose(file);
    const bool big = bytes[EI_DATA] == ELFDATA2MSB;
    bytes[E_MACHINE + big] = EM_AARCH64;
    bytes[E_MACHINE + !big] = 0;
    return 0;
}

static int close_self(void **state)
{
    (void)state;
    free(bytes);
    scratch_close(&scratch);
    return 0;
}

/* The first match, whose texts are gone but for this one. */
static char function[64];

static cairn_status find(const char *path, const char *text, struct cairn_match *match)
{
    struct cairn_image *image = NULL;
    struct cairn_matches *matches = NULL;
    struct cairn_error error = {.status = CAIRN_OK};

    assert_int_equal(cairn_image_new(&image), CAIRN_OK);
    cairn_status status = cairn_image_add_names(image, path, 0, NULL, 0, 0, NULL);
    if (status == CAIRN_OK) {
        status = cairn_image_find(image, text, CAIRN_FIND_INLINED, &matches, &error);
        assert_true(status == CAIRN_OK || strlen(error.text) > 0);
    }
    if (status == CAIRN_OK) {
        assert_int_equal(cairn_matches_at(matches, 0, match), CAIRN_OK);
        snprintf(function, sizeof function, "%s", match->function ? match->function : "");
    }
    cairn_matches_free(matches);
    cairn_image_unref(image);
    return status;
}

/* Whether it was compiled with debug information: by the section's name, which is not in this source. */
static bool has_lines(void)
{
    char name[16];

    snprintf(name, sizeof name, "%s%s", ".debug", "_abbrev");
    return memmem(bytes, size, name, strlen(name) + 1) != NULL;
}

/* Where the program is loaded is not known here, but how far its functions are apart is. */
static void this_program(void **state)
{
    const char *const path = scratch_write(&scratch, "self", bytes, size);
    struct cairn_match first = {.size = sizeof first}, second = {.size = sizeof second};
    const uintptr_t apart = (uintptr_t)image_find_second - (uintptr_t)image_find_first;
    char line[64];

    (void)state;
    assert_int_equal(find(path, "image_find_first", &first), CAIRN_OK);
    assert_int_equal(find(path, "image_find_second", &second), CAIRN_OK);
    assert_true((uintptr_t)(second.first - first.first) == apart);
    snprintf(line, sizeof line, "find_damaged.c:%d", LAST_LINE - 2);
    if (has_lines()) {
        assert_int_equal(find(path, line, &second), CAIRN_OK);
        assert_string_equal(function, "image_find_second");
        assert_int_equal(second.line, LAST_LINE - 2);
    } else {
        assert_int_equal(find(path, line, &second), CAIRN_E_NOT_FOUND);
    }
    assert_int_equal(find(path, "image_find_frist", &first), CAIRN_E_NOT_FOUND);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* Whatever is broken: an answer, or a sentence. */
static void broken_bytes(void **state)
{
    static const char *const texts[] = {"image_find_first", "find_damaged.c:30", "no_such_function",
                                        "a.c:helper"};
    uint8_t *const copy = malloc(size);
    uint32_t seed = 1;

    (void)state;
    assert_non_null(copy);
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct cairn_match match = {.size = sizeof match};
        memcpy(copy, bytes, size);
        /* Section headers and debug information are in the second half; the ELF header stays. */
        for (unsigned i = 0; i < FLIPS; i++)
            copy[size / 3 + next_random(&seed) % (size - size / 3)] ^=
                (uint8_t)(1u << next_random(&seed) % 8);
        const char *const path = scratch_write(&scratch, "broken", copy, size);
        (void)!find(path, texts[round % 4], &match);
    }
    free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(this_program),
        cmocka_unit_test(broken_bytes),
    };
    return cmocka_run_group_tests_name("find_damaged", tests, open_self, close_self);
}
