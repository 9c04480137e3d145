/* SPDX-License-Identifier: BSD-2-Clause */
/* ELF files, right, cut and hostile: which bytes they load, and that they do no harm. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <cairn/image.h>

#include "elf_maker.h"
#include "scratch.h"

#define BASE UINT64_C(0x400000)

struct bench {
    struct scratch scratch;
    struct maker maker;
    struct cairn_image *image;
    struct cairn_space *space;
    struct cairn_error error;
};

static void open_image(struct bench *b)
{
    const struct cairn_place place = {.EL = 0};
    assert_int_equal(cairn_image_new(&b->image), CAIRN_OK);
    assert_int_equal(cairn_space_new(b->image, &b->space), CAIRN_OK);
    assert_int_equal(cairn_space_select(b->space, &place), CAIRN_OK);
}

static void close_image(struct bench *b)
{
    cairn_space_free(b->space);
    cairn_image_unref(b->image);
}

static int open_bench(void **state)
{
    struct bench *const b = calloc(1, sizeof *b);
    assert_non_null(b);
    scratch_open(&b->scratch);
    open_image(b);
    maker_begin(&b->maker, true, false, EM_AARCH64, BASE);
    *state = b;
    return 0;
}

static int close_bench(void **state)
{
    struct bench *const b = *state;
    close_image(b);
    scratch_close(&b->scratch);
    free(b);
    return 0;
}

/* Adds the maker's first `size` bytes as a file. */
static cairn_status add_cut(struct bench *b, uint64_t bias, size_t size)
{
    const char *const path = scratch_write(&b->scratch, "a.elf", b->maker.bytes, size);
    const cairn_status status = cairn_image_add_elf(b->image, path, bias, NULL, &b->error);
    const struct cairn_place place = {.EL = 0};
    assert_int_equal(cairn_space_select(b->space, &place), CAIRN_OK);
    return status;
}

static cairn_status add(struct bench *b, uint64_t bias)
{
    maker_write(&b->maker);
    return add_cut(b, bias, b->maker.size);
}

static void expect_error(struct bench *b, cairn_status status, cairn_status expected,
                         const char *words)
{
    assert_int_equal(status, expected);
    assert_int_equal(b->error.status, expected);
    assert_non_null(strstr(b->error.text, words));
    assert_int_equal(cairn_image_layer_count(b->image), 0);
    b->error = (struct cairn_error){0};
}

static struct cairn_layer_info layer(struct bench *b, size_t index)
{
    struct cairn_layer_info info = {.size = sizeof info};
    assert_int_equal(cairn_image_layer(b->image, index, &info), CAIRN_OK);
    return info;
}

static int byte_at(struct bench *b, uint64_t address)
{
    struct cairn_window window;
    if (!cairn_space_window(b->space, address, &window))
        return -1;
    return window.bytes[address - window.address];
}

static void one_segment(void **state)
{
    struct bench *const b = *state;
    assert_int_equal(add(b, 0), CAIRN_OK);
    assert_int_equal(cairn_image_layer_count(b->image), 1);
    const struct cairn_layer_info info = layer(b, 0);
    assert_int_equal(info.address, BASE);
    assert_int_equal(info.bytes, 0x100);
    assert_true(info.is_elf);
    assert_null(info.build_id);
    assert_string_equal(info.name, b->scratch.path);
    for (size_t n = 0; n < 0x100; n++)
        assert_int_equal(byte_at(b, BASE + n), maker_byte(n));
    assert_int_equal(byte_at(b, BASE - 1), -1);
    assert_int_equal(byte_at(b, BASE + 0x100), -1);
}

static void byte_orders(void **state)
{
    struct bench *const b = *state;
    const struct {
        bool is_64, is_big;
        uint16_t machine;
        uint32_t flags;
        enum cairn_order order;
    } list[] = {
        {true, false, EM_AARCH64, 0, CAIRN_ORDER_LITTLE},
        {true, true, EM_AARCH64, 0, CAIRN_ORDER_BE8},
        {false, false, EM_AARCH64, 0, CAIRN_ORDER_LITTLE}, /* ILP32 */
        {false, false, EM_ARM, EF_ARM_EABI_VER5, CAIRN_ORDER_LITTLE},
        {false, true, EM_ARM, EF_ARM_EABI_VER5 | EF_ARM_BE8, CAIRN_ORDER_BE8},
        {false, true, EM_ARM, EF_ARM_EABI_VER5, CAIRN_ORDER_BE32},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        maker_begin(&b->maker, list[i].is_64, list[i].is_big, list[i].machine, BASE);
        b->maker.flags = list[i].flags;
        assert_int_equal(add(b, i * 0x1000), CAIRN_OK);
        assert_int_equal(layer(b, i).order, list[i].order);
        assert_int_equal(layer(b, i).address, BASE + i * 0x1000);
        assert_int_equal(layer(b, i).bytes, 0x100);
        assert_int_equal(byte_at(b, BASE + i * 0x1000 + 9), maker_byte(9));
    }
}

static void zeros_behind_data(void **state)
{
    struct bench *const b = *state;
    b->maker.segments[0].memsz = 0x180; /* executable: what the file lacks is not made up */
    b->maker.segments[1] = (struct maker_segment){PT_LOAD,       PF_R | PF_W, MAKER_CONTENT + 0x100,
                                                  BASE + 0x1000, 0x40,        0x100};
    b->maker.segments[2] =
        (struct maker_segment){PT_LOAD, PF_R | PF_W, 0, BASE + 0x2000, 0, UINT64_C(1) << 60};
    b->maker.segments[3] = (struct maker_segment){PT_NOTE, PF_R, 0, BASE + 0x100, 0x40, 0x40};
    b->maker.segment_count = 4;
    assert_int_equal(add(b, 0), CAIRN_OK);
    assert_int_equal(cairn_image_layer_count(b->image), 4);
    assert_int_equal(byte_at(b, BASE + 0x100), -1);
    assert_int_equal(byte_at(b, BASE + 0x103f), maker_byte(0x13f));
    assert_int_equal(byte_at(b, BASE + 0x1040), 0);
    assert_int_equal(byte_at(b, BASE + 0x10ff), 0);
    assert_int_equal(byte_at(b, BASE + 0x1100), -1);
    /* The limit that the header names. */
    const uint64_t limit = UINT64_C(1) << 30;
    assert_true(layer(b, 3).bytes == limit);
    assert_int_equal(byte_at(b, BASE + 0x2000 + limit - 1), 0);
    assert_int_equal(byte_at(b, BASE + 0x2000 + limit), -1);
}

static void overlapping_segments(void **state)
{
    struct bench *const b = *state;
    b->maker.segments[1] = (struct maker_segment){PT_LOAD,     PF_R | PF_X, MAKER_CONTENT + 0x200,
                                                  BASE + 0x10, 0x10,        0x10};
    b->maker.segment_count = 2;
    assert_int_equal(add(b, 0), CAIRN_OK);
    assert_int_equal(byte_at(b, BASE + 0xf), maker_byte(0xf));
    assert_int_equal(byte_at(b, BASE + 0x10), maker_byte(0x200));
    assert_int_equal(byte_at(b, BASE + 0x20), maker_byte(0x20));
}

static void at_the_end_of_addresses(void **state)
{
    struct bench *const b = *state;
    b->maker.segments[0].vaddr = UINT64_MAX - 0x7f; /* 0x80 of 0x100 bytes fit */
    assert_int_equal(add(b, 0), CAIRN_OK);
    assert_int_equal(layer(b, 0).bytes, 0x80);
    assert_int_equal(byte_at(b, UINT64_MAX), maker_byte(0x7f));
    assert_int_equal(byte_at(b, 0), -1);
    b->maker.segments[0].flags = PF_R | PF_W; /* zeros would begin at 0x80 of the other end */
    b->maker.segments[0].memsz = 0x200;
    assert_int_equal(add(b, 0), CAIRN_OK);
    assert_int_equal(cairn_image_layer_count(b->image), 2);
    assert_int_equal(byte_at(b, 0x80), -1);
    b->maker.segments[0].flags = PF_R | PF_X;
    b->maker.segments[0].memsz = 0x100;
    /* A bias below zero is a large one; the sum wraps. */
    assert_int_equal(add(b, 0x80), CAIRN_OK);
    assert_int_equal(layer(b, 2).address, 0);
    assert_int_equal(add(b, 0x2000), CAIRN_OK);
    assert_int_equal(byte_at(b, 0x1f80), maker_byte(0));
    b->maker.segments[0].vaddr = BASE;
    assert_int_equal(add(b, (uint64_t)0 - BASE - 0x10), CAIRN_OK);
    assert_true(layer(b, 4).address == UINT64_MAX - 0xf);
    assert_int_equal(layer(b, 4).bytes, 0x10);
}

static void cut_files(void **state)
{
    struct bench *const b = *state;
    maker_write(&b->maker);
    expect_error(b, add_cut(b, 0, 0), CAIRN_E_FORMAT, "is empty");
    expect_error(b, add_cut(b, 0, 3), CAIRN_E_FORMAT, "not an ELF file");
    expect_error(b, add_cut(b, 0, EI_NIDENT), CAIRN_E_FORMAT, "truncated inside its ELF header");
    expect_error(b, add_cut(b, 0, sizeof(Elf64_Ehdr) - 1), CAIRN_E_FORMAT, "truncated");
    expect_error(b, add_cut(b, 0, sizeof(Elf64_Ehdr)), CAIRN_E_FORMAT, "truncated");
    expect_error(b, add_cut(b, 0, MAKER_CONTENT), CAIRN_E_FORMAT, "truncated");
    assert_int_equal(add_cut(b, 0, MAKER_CONTENT + 1), CAIRN_OK);
    assert_int_equal(layer(b, 0).bytes, 1);
}

/* What is left of a file when its section headers are gone: libelf refuses it. */
static void without_section_headers(void **state)
{
    struct bench *const b = *state;
    b->maker.symbols[0] = (struct maker_symbol){"main", BASE, 4, STB_GLOBAL << 4 | STT_FUNC, 1};
    b->maker.symbol_count = 1;
    maker_write(&b->maker);
    assert_int_equal(add_cut(b, 0, MAKER_CONTENT + 0x80), CAIRN_OK);
    assert_int_equal(layer(b, 0).bytes, 0x80);
    assert_int_equal(byte_at(b, BASE + 0x7f), maker_byte(0x7f));
    const char *name = NULL;
    uint64_t offset = 0;
    assert_int_equal(cairn_image_symbol(b->image, 0, BASE, &name, &offset), CAIRN_E_NOT_FOUND);
}

static void wrong_files(void **state)
{
    struct bench *const b = *state;
    memcpy(b->maker.bytes, "#!/bin/sh\nexec true and so on\n", 30);
    expect_error(b, add_cut(b, 0, 30), CAIRN_E_FORMAT, "not an ELF file");
    assert_false(cairn_file_is_elf(b->scratch.path));
    maker_begin(&b->maker, true, false, EM_X86_64, BASE);
    expect_error(b, add(b, 0), CAIRN_E_UNSUPPORTED, "machine 62");
    assert_true(cairn_file_is_elf(b->scratch.path));
    maker_begin(&b->maker, true, false, EM_AARCH64, BASE);
    b->maker.segment_count = 0;
    expect_error(b, add(b, 0), CAIRN_E_FORMAT, "no program headers");
    b->maker.segment_count = 1;
    b->maker.segments[0].type = PT_NOTE;
    expect_error(b, add(b, 0), CAIRN_E_FORMAT, "none of its 1 segments");
    maker_write(&b->maker);
    b->maker.bytes[EI_CLASS] = 3;
    expect_error(b, add_cut(b, 0, b->maker.size), CAIRN_E_FORMAT, "class 3");
    assert_false(cairn_file_is_elf(b->scratch.path));
    maker_write(&b->maker);
    b->maker.bytes[EI_DATA] = 0;
    expect_error(b, add_cut(b, 0, b->maker.size), CAIRN_E_FORMAT, "data encoding 0");
    assert_false(cairn_file_is_elf(b->scratch.path));
    assert_false(cairn_file_is_elf(b->scratch.folder));
    assert_false(cairn_file_is_elf(NULL));
    expect_error(b, cairn_image_add_elf(b->image, b->scratch.folder, 0, NULL, &b->error),
                 CAIRN_E_IO, "directory");
}

static void hostile_headers(void **state)
{
    struct bench *const b = *state;
    struct maker_segment *const s = &b->maker.segments[0];
    const struct maker_segment good = *s;
    s->filesz = s->memsz = UINT64_MAX;
    assert_int_equal(add(b, 0), CAIRN_OK);
    assert_int_equal(layer(b, 0).bytes, b->maker.size - MAKER_CONTENT);
    close_image(b);
    open_image(b);
    s->offset = UINT64_MAX - 8;
    expect_error(b, add(b, 0), CAIRN_E_FORMAT, "segments");
    *s = good;
    s->filesz = UINT64_MAX; /* more than the segment has in memory */
    assert_int_equal(add(b, 0), CAIRN_OK);
    assert_int_equal(layer(b, 0).bytes, 0x100);
    close_image(b);
    open_image(b);
    *s = good;
    maker_write(&b->maker);
    maker_put(&b->maker, offsetof(Elf64_Ehdr, e_phoff), UINT64_MAX - 7, 8);
    expect_error(b, add_cut(b, 0, b->maker.size), CAIRN_E_FORMAT, "segments");
    maker_write(&b->maker);
    maker_put(&b->maker, offsetof(Elf64_Ehdr, e_phentsize), 8, 2);
    expect_error(b, add_cut(b, 0, b->maker.size), CAIRN_E_FORMAT, "program headers of 8 bytes");
    maker_write(&b->maker);
    maker_put(&b->maker, offsetof(Elf64_Ehdr, e_phnum), PN_XNUM, 2);
    expect_error(b, add_cut(b, 0, b->maker.size), CAIRN_E_FORMAT, "no program headers");
}

/* PN_XNUM: the number of segments is in the first section header. */
static void very_many_segments(void **state)
{
    struct bench *const b = *state;
    maker_write(&b->maker);
    const size_t section = MAKER_CONTENT + 0x200;
    memset(b->maker.bytes + section, 0, sizeof(Elf64_Shdr));
    maker_put(&b->maker, offsetof(Elf64_Ehdr, e_phnum), PN_XNUM, 2);
    maker_put(&b->maker, offsetof(Elf64_Ehdr, e_shoff), section, 8);
    maker_put(&b->maker, section + offsetof(Elf64_Shdr, sh_info), 1, 4);
    assert_int_equal(add_cut(b, 0, b->maker.size), CAIRN_OK);
    assert_int_equal(cairn_image_layer_count(b->image), 1);
    /* A number that the file cannot hold. */
    maker_put(&b->maker, section + offsetof(Elf64_Shdr, sh_info), UINT32_MAX, 4);
    assert_int_equal(add_cut(b, 0, b->maker.size), CAIRN_OK);
    assert_true(cairn_image_layer_count(b->image) < 200);
}

static void build_ids(void **state)
{
    struct bench *const b = *state;
    const uint8_t id[] = {0x0c, 0x9a, 0x20, 0xff};
    b->maker.build_id = id;
    b->maker.build_id_size = sizeof id;
    assert_int_equal(add(b, 0), CAIRN_OK);
    assert_string_equal(layer(b, 0).build_id, "0c9a20ff");
    maker_begin(&b->maker, false, true, EM_ARM, BASE);
    b->maker.build_id = id;
    b->maker.build_id_size = 3;
    assert_int_equal(add(b, 0x1000), CAIRN_OK);
    assert_string_equal(layer(b, 1).build_id, "0c9a20");
}

/* Reads the ends of every window, and symbols, as a decoder would. */
static void use_everything(struct bench *b)
{
    for (size_t i = 0; i < cairn_image_layer_count(b->image); i++) {
        const struct cairn_layer_info info = layer(b, i);
        const uint64_t last = info.address + (info.bytes - 1);
        assert_true(last >= info.address);
        assert_true(byte_at(b, info.address) >= 0);
        assert_true(byte_at(b, last) >= 0);
        for (uint64_t n = 0; n < info.bytes && n < 64; n += 5) {
            const char *name = NULL;
            uint64_t offset = 0;
            if (cairn_image_symbol(b->image, i, info.address + n, &name, &offset) == CAIRN_OK)
                assert_true(strlen(name) > 0);
        }
    }
}

/* As add_cut, by way of a file in memory: thousands of files on a disk take their time. */
static cairn_status add_from_memory(struct bench *b, uint64_t bias, size_t size)
{
    const int fd = memfd_create("a.elf", MFD_CLOEXEC);
    if (fd < 0)
        return add_cut(b, bias, size);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assert_int_equal(write(fd, b->maker.bytes, size), size);
    const cairn_status status = cairn_image_add_elf(b->image, path, bias, NULL, &b->error);
    const struct cairn_place place = {.EL = 0};
    assert_int_equal(cairn_space_select(b->space, &place), CAIRN_OK);
    close(fd);
    return status;
}

/* A good file with some bytes of its headers, tables and notes replaced, and perhaps cut. */
static void damaged_at_random(void **state)
{
    struct bench *const b = *state;
    struct dice dice = {2024};
    const uint8_t id[20] = {1, 2, 3};
    static const uint8_t nasty[] = {0x00, 0x01, 0x7f, 0x80, 0xfe, 0xff};
    unsigned taken = 0;
    for (unsigned round = 0; round < 8000; round++) {
        const bool is_64 = dice_roll(&dice, 2);
        maker_begin(&b->maker, is_64, dice_roll(&dice, 2), is_64 ? EM_AARCH64 : EM_ARM, BASE);
        b->maker.build_id = id;
        b->maker.build_id_size = sizeof id;
        for (size_t i = 0; i < 6; i++)
            b->maker.symbols[b->maker.symbol_count++] =
                (struct maker_symbol){"name", BASE + i * 16, i * 8, STT_FUNC, 1};
        maker_write(&b->maker);
        const size_t headers = 0x100;
        const size_t tables = MAKER_CONTENT * 2;
        for (uint64_t i = dice_roll(&dice, 6); i > 0; i--) {
            const size_t at = dice_roll(&dice, 2)
                                  ? (size_t)dice_roll(&dice, headers)
                                  : tables + (size_t)dice_roll(&dice, b->maker.size - tables);
            b->maker.bytes[at] = nasty[dice_roll(&dice, sizeof nasty)];
        }
        const size_t size =
            dice_roll(&dice, 4) ? b->maker.size : (size_t)dice_roll(&dice, b->maker.size + 1);
        const uint64_t bias = dice_roll(&dice, 2) ? 0 : dice_roll(&dice, UINT64_MAX);
        if (add_from_memory(b, bias, size) == CAIRN_OK)
            taken++;
        use_everything(b);
        close_image(b);
        open_image(b);
    }
    assert_true(taken > 1000);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, open_bench, close_bench)
    const struct CMUnitTest tests[] = {
        CASE(one_segment),
        CASE(byte_orders),
        CASE(zeros_behind_data),
        CASE(overlapping_segments),
        CASE(at_the_end_of_addresses),
        CASE(cut_files),
        CASE(without_section_headers),
        CASE(wrong_files),
        CASE(hostile_headers),
        CASE(very_many_segments),
        CASE(build_ids),
        CASE(damaged_at_random),
    };
    return cmocka_run_group_tests_name("elf", tests, NULL, NULL);
}
