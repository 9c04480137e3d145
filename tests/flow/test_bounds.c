/* SPDX-License-Identifier: BSD-2-Clause */
/* What 4 KB of the worst input may cost: one second of processor time and 64 MiB of heap, for the
 * whole decode from bytes to flow. Bounds do not come from the input. */
#include <cairn/flow.h>

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"

enum {
    INPUT = 4096,
    HEAP_MAX = 64 << 20,
    NOP_BYTES = 64 << 20,
    CODE = 0x1000,
};

static size_t heap_now;
static size_t heap_peak;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *old);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *old);

static void *counted(void *block)
{
    if (block)
        heap_now += malloc_usable_size(block);
    if (heap_now > heap_peak)
        heap_peak = heap_now;
    return block;
}

void *__wrap_malloc(size_t size)
{
    return counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size)
{
    if (old)
        heap_now -= malloc_usable_size(old);
    return counted(__real_realloc(old, size));
}

void __wrap_free(void *old)
{
    if (old)
        heap_now -= malloc_usable_size(old);
    __real_free(old);
}

struct input {
    size_t size;
    uint8_t bytes[INPUT];
};

static void put(struct input *in, const char *hex)
{
    for (; hex[0]; hex += 2) {
        unsigned byte;

        while (*hex == ' ')
            hex++;
        if (in->size == INPUT || sscanf(hex, "%2x", &byte) != 1)
            return;
        in->bytes[in->size++] = (uint8_t)byte;
    }
}

/* Fills the rest with repetitions of `hex`, whole ones. */
static void fill(struct input *in, const char *hex)
{
    struct input one = {0};

    put(&one, hex);
    while (in->size + one.size <= INPUT) {
        memcpy(in->bytes + in->size, one.bytes, one.size);
        in->size += one.size;
    }
}

#define START "00 00 00 00 00 00 00 00 00 00 00 80 "
#define AT_CODE "04 82 00 08 00 00 31 "

/* 64 MiB of one instruction at CODE, as a mapped file: the image is not the decoder's memory. */
static struct cairn_image *all(uint32_t insn)
{
    const struct cairn_scope any = cairn_scope_any();
    struct cairn_image *image;
    struct cairn_error error;
    char path[64];
    const int file = memfd_create("nops", 0);
    uint8_t *bytes;

    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, NOP_BYTES), 0);
    bytes = mmap(NULL, NOP_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    assert_ptr_not_equal(bytes, MAP_FAILED);
    for (size_t i = 0; i < NOP_BYTES; i += sizeof insn)
        cairn_store_le32(bytes + i, insn);
    munmap(bytes, NOP_BYTES);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    assert_int_equal(cairn_image_new(&image), CAIRN_OK);
    assert_int_equal(
        cairn_image_add_file(image, path, 0, 0, &any, CAIRN_ORDER_LITTLE, CODE, &error), CAIRN_OK);
    close(file);
    return image;
}

static struct cairn_image *nops(void)
{
    return all(0xd503201f);
}

struct cost {
    uint64_t records;
    uint64_t instructions;
    uint64_t lost; /* bytes in gaps */
};

/* Decodes the input under the two bounds; TRCIDR8 is what the trace unit claims. */
static struct cost decode(const struct input *in, struct cairn_image *image, uint32_t maxspec)
{
    const struct cairn_register registers[] = {
        {"TRCCONFIGR", 0x1},     {"TRCTRACEIDR", 1},      {"TRCDEVARCH", 0x47735a13},
        {"TRCIDR0", 0x280006a1}, {"TRCIDR1", 0x4100fff0}, {"TRCIDR2", 0xc0001088},
        {"TRCIDR8", maxspec},
    };
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config;
    struct cairn_decoder *decoder;
    struct cairn_flow_batch *batch;
    struct cost cost = {0};
    size_t at = 0;
    const clock_t began = clock();
    const size_t heap_before = heap_now;

    heap_peak = heap_now;
    source.protocol = CAIRN_PROTOCOL_ETE;
    source.arch = cairn_arch_any_a();
    source.registers = registers;
    source.register_count = sizeof registers / sizeof registers[0];
    assert_int_equal(cairn_config_new(&source, &config, NULL), CAIRN_OK);
    assert_int_equal(cairn_decoder_new(config, image, &decoder), CAIRN_OK);
    assert_int_equal(cairn_flow_batch_new(256, &batch), CAIRN_OK);
    do {
        batch->count = 0;
        if (at < in->size)
            assert_int_equal(cairn_decoder_run(decoder, in->bytes, in->size, &at, batch), CAIRN_OK);
        else
            assert_int_equal(cairn_decoder_finish(decoder, batch), CAIRN_OK);
        for (size_t i = 0; i < batch->count; i++) {
            cost.records++;
            if (batch->kind[i] == CAIRN_FLOW_RANGE)
                cost.instructions += batch->instructions[i];
            if (batch->kind[i] == CAIRN_FLOW_GAP)
                cost.lost += batch->length[i];
        }
    } while (batch->count > 0 || at < in->size);
    assert_int_equal(cairn_decoder_ledger(decoder)->total, in->size);
    cairn_flow_batch_free(batch);
    cairn_decoder_free(decoder);
    cairn_config_unref(config);
    assert_true(clock() - began < CLOCKS_PER_SEC);
    assert_true(heap_peak - heap_before < HEAP_MAX);
    return cost;
}

static void huge_speculation_depth(void **unused)
{
    struct input in = {0};
    struct cairn_image *image = nops();

    (void)unused;
    put(&in, START "01 04 FF FF FF FF 0F " AT_CODE);
    fill(&in, "D4 D4 D4 01 04 FF FF FF FF 0F");
    decode(&in, image, 0xffffffff);
    decode(&in, image, 0);
    cairn_image_unref(image);
}

static void atoms_over_nops(void **unused)
{
    struct input in = {0};
    struct cairn_image *image = nops();
    struct cost cost;

    (void)unused;
    put(&in, START "01 00 " AT_CODE);
    fill(&in, "F7 95 00"); /* each address starts a new walk */
    cost = decode(&in, image, 0);
    assert_int_equal(cost.instructions, 0);
    assert_true(cost.lost >= INPUT / 3 - 16); /* each atom is a gap, not a silence */
    cairn_image_unref(image);
}

/* From all over the image, so that no two walks have a stretch of code in common until they come
 * round; with an address packet of the sub-ISA between them. */
static void put_far_walks(struct input *in, const char *address)
{
    for (unsigned i = 0;; i++) {
        char packet[32];

        snprintf(packet, sizeof packet, "F7 %s %02X %02X %02X 00", address, i * 4 & 0x7f, i & 0x7f,
                 i * 3 & 0x3f);
        if (in->size + 6 > INPUT)
            return;
        put(in, packet);
    }
}

static void atoms_from_everywhere(void **unused)
{
    /* UDF in A64, ANDEQ in A32, LSL in T32; NOP in A64; SVC in A32, NOP.W in T32 */
    static const struct {
        uint32_t insn;
        const char *start;
        const char *address;
    } walks[] = {
        {0, AT_CODE, "9A"},
        {0, "04 82 00 08 00 00 21", "9A"},
        {0, "04 83 00 10 00 00 21", "9B"},
        {0xd503201f, AT_CODE, "9A"},
        {0xef000000, "04 82 00 08 00 00 21", "9A"},
        {0x8000f3af, "04 83 00 10 00 00 21", "9B"},
    };

    (void)unused;
    for (size_t i = 0; i < sizeof walks / sizeof walks[0]; i++) {
        struct cairn_image *image = all(walks[i].insn);
        struct input in = {0};
        struct cost cost;

        put(&in, START "01 00 ");
        put(&in, walks[i].start);
        put_far_walks(&in, walks[i].address);
        cost = decode(&in, image, 0);
        assert_int_equal(cost.instructions, 0);
        assert_true(cost.lost >= INPUT / 6 - 16);
        cairn_image_unref(image);
    }
}

/* Each branch is a range: B.EQ +4, and B +4, which a Q element with a count follows. */
static void branches_all_the_way(void **unused)
{
    static const struct {
        uint32_t insn;
        const char *packets;
    } walks[] = {
        {0x54000020, "95 00 06 1D 9A 00 00 00 03"},
        {0x54000020, "95 00 B6 00 00 00 03"},
        {0x14000001, "95 00 A5 00 FF FF FF FF 0F"},
    };

    (void)unused;
    for (size_t i = 0; i < sizeof walks / sizeof walks[0]; i++) {
        struct cairn_image *image = all(walks[i].insn);
        struct input in = {0};
        struct cost cost;

        put(&in, START "01 00 " AT_CODE);
        fill(&in, walks[i].packets);
        cost = decode(&in, image, 0);
        assert_true(cost.records <= INPUT / 7 * 4110ull);
        assert_true(cost.lost > 0);
        cairn_image_unref(image);
    }
}

static void far_exceptions_over_nops(void **unused)
{
    struct input in = {0};
    struct cairn_image *image = nops();

    (void)unused;
    put(&in, START "01 00 " AT_CODE);
    fill(&in, "95 00 06 1D 9A 00 00 00 03");
    assert_true(decode(&in, image, 0).records > 0);
    cairn_image_unref(image);
}

static void far_source_addresses_over_nops(void **unused)
{
    struct input in = {0};
    struct cairn_image *image = nops();

    (void)unused;
    put(&in, START "01 00 " AT_CODE);
    fill(&in, "95 00 B6 00 00 00 03");
    decode(&in, image, 0);
    cairn_image_unref(image);
}

static void counted_q_over_nops(void **unused)
{
    struct input in = {0};
    struct cairn_image *image = nops();

    (void)unused;
    put(&in, START "01 00 " AT_CODE);
    fill(&in, "A5 00 FF FF FF FF 0F");
    decode(&in, image, 0);
    cairn_image_unref(image);
}

static void transactions_never_closed(void **unused)
{
    struct input in = {0};
    struct cairn_image *image = nops();

    (void)unused;
    put(&in, START "01 00 " AT_CODE "0A");
    fill(&in, "D4 D4 D4 D4 0A");
    decode(&in, image, 0);
    cairn_image_unref(image);
}

static void speculation_never_committed(void **unused)
{
    struct input in = {0};
    struct cairn_image *image = nops();

    (void)unused;
    put(&in, START "01 00 " AT_CODE);
    fill(&in, "D4 7F 30 88 02 05 95 00");
    decode(&in, image, 4096);
    cairn_image_unref(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(huge_speculation_depth),
        cmocka_unit_test(atoms_over_nops),
        cmocka_unit_test(atoms_from_everywhere),
        cmocka_unit_test(branches_all_the_way),
        cmocka_unit_test(far_exceptions_over_nops),
        cmocka_unit_test(far_source_addresses_over_nops),
        cmocka_unit_test(counted_q_over_nops),
        cmocka_unit_test(transactions_never_closed),
        cmocka_unit_test(speculation_never_committed),
    };

    return cmocka_run_group_tests_name("bounds", tests, NULL, NULL);
}
