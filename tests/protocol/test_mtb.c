/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets of the Micro Trace Buffer: words by hand from DDI0486 2.3.1 and what they are; the same
 * however the bytes are cut (mtb_assert); any bytes; the writer; listings. */
#include "mtb_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/element.h>

#include "protocol/mtb/mtb.h"

#define NOISE 4096

static const struct mtb_registers no_registers = {0};

/* 2.3.1: word 0 is the source and A, word 1 the destination and S. */
static void test_words(void **state)
{
    (void)state;
    /* proves: MTB-2.3.1-a, MTB-2.3.1-d, MTB-2.3.1-f, MTB-2.3.1-h, MTB-2.3.1-ab */
    mtb_assert(&no_registers,
               "00000100 00000200 00000101 00000200 00000100 00000201 00000101 00000201",
               "0 BRANCH 100>200; 8 EXCEPTION 100>200 A; 10 BRANCH 100>200 S; "
               "18 EXCEPTION 100>200 AS");
}

/* The source of a branch is the instruction; of an exception, where it returns to: for SVC at 0x100
 * the instruction behind it. Whether A means an exception or the debugger is not in the packet. */
static void test_a_bit(void **state)
{
    (void)state;
    /* proves: MTB-2.3.1-c, MTB-2.3.1-i, MTB-2.3.1-j, MTB-2.3.1-k, MTB-2.3.1-m */
    mtb_assert(&no_registers,
               "00000100 00000102 08000150 08000200 00000103 0000002c 20000011 00000400",
               "0 BRANCH 100>102; 8 BRANCH 8000150>8000200; 10 EXCEPTION 102>2c A; "
               "18 EXCEPTION 20000010>400 A");
}

static void test_sessions(void **state)
{
    (void)state;
    /* proves: MTB-2.3.1-n, MTB-2.3.1-o */
    mtb_assert(&no_registers,
               "00000100 00000201 00000210 00000300 00000400 00000501 00000103 00000601",
               "0 BRANCH 100>200 S; 8 BRANCH 210>300; 10 BRANCH 400>500 S; "
               "18 EXCEPTION 102>600 AS");
}

/* The two packets of an exception return, whole and each alone. */
static void test_exception_return(void **state)
{
    (void)state;
    /* proves: MTB-2.3.1-t, MTB-2.3.1-u, MTB-2.3.1-v, MTB-2.3.1-w */
    mtb_assert(&no_registers, "00000410 fffffff8 fffffff9 00000102",
               "0 EXCEPTION_RETURN 410>fffffff8; 8 RETURN_TARGET fffffff8>102 AJ");
    mtb_assert(&no_registers, "00000410 fffffff8 fffffff9 00000500 00000510 fffffff8",
               "0 EXCEPTION_RETURN 410>fffffff8; 8 RETURN_TARGET fffffff8>500 AJ; "
               "10 EXCEPTION_RETURN 510>fffffff8");
    mtb_assert(&no_registers, "fffffff1 00000102 00000110 00000120",
               "0 RETURN_TARGET fffffff0>102 A; 8 BRANCH 110>120");
    /* not of one return: another value, another session, something between */
    mtb_assert(&no_registers, "00000410 fffffff8 fffffffd 00000102",
               "0 EXCEPTION_RETURN 410>fffffff8; 8 RETURN_TARGET fffffffc>102 A");
    mtb_assert(&no_registers, "00000410 fffffff8 fffffff9 00000103",
               "0 EXCEPTION_RETURN 410>fffffff8; 8 RETURN_TARGET fffffff8>102 AS");
    mtb_assert(&no_registers, "00000410 fffffff8 00000103 00000600 fffffff9 00000102",
               "0 EXCEPTION_RETURN 410>fffffff8; 8 EXCEPTION 102>600 A; "
               "10 RETURN_TARGET fffffff8>102 A");
    /* Armv8-M's values, with and without floating-point state, Secure and Non-secure */
    mtb_assert(&no_registers,
               "00000410 ffffffbc ffffffbd 00000102 00000410 ffffffe8 ffffffe9 00000102",
               "0 EXCEPTION_RETURN 410>ffffffbc; 8 RETURN_TARGET ffffffbc>102 AJ; "
               "10 EXCEPTION_RETURN 410>ffffffe8; 18 RETURN_TARGET ffffffe8>102 AJ");
}

static void test_examples(void **state)
{
    (void)state;
    /* proves: MTB-2.3.1-z, MTB-2.3.1-aa */
    mtb_assert(&no_registers, "00000100 00000201 00000210 00000300",
               "0 BRANCH 100>200 S; 8 BRANCH 210>300");
    mtb_assert(&no_registers, "00000103 00000400 00000410 FFFFFFF8 FFFFFFF9 00000102",
               "0 EXCEPTION 102>400 A; 8 EXCEPTION_RETURN 410>fffffff8; "
               "10 RETURN_TARGET fffffff8>102 AJ");
}

/* Addresses that are none of code: system space is never executed from. */
static void test_no_code(void **state)
{
    (void)state;
    mtb_assert(&no_registers, "e0000000 00000200 dffffffe 00000200 fffffff8 00000200",
               "0 RESERVED e0000000>200; 8 BRANCH dffffffe>200; 10 RESERVED fffffff8>200");
    /* lockup (bit 1 tells it from EXC_RETURN), and Armv8-M's FNC_RETURN */
    mtb_assert(&no_registers,
               "00000100 fffffffe ffffffff 00000200 00000100 fefffffe fefffffe 00000200",
               "0 BRANCH 100>fffffffe; 8 EXCEPTION fffffffe>200 A; 10 BRANCH 100>fefffffe; "
               "18 BRANCH fefffffe>200");
}

/* Without POSITION, memory that was cleared or erased is no packets. */
static void test_blank(void **state)
{
    (void)state;
    mtb_assert(&no_registers,
               "00000000 00000000 00000100 00000200 ffffffff ffffffff 00000000 00000000",
               "0 UNWRITTEN 8; 8 BRANCH 100>200; 10 UNWRITTEN 10");
    mtb_assert(&no_registers, "00000000 ffffffff 00000100 00000000",
               "0 BRANCH 0>fffffffe S; 8 BRANCH 100>0");
    mtb_assert(&no_registers, "00000410 fffffff8 00000000 00000000 fffffff9 00000102",
               "0 EXCEPTION_RETURN 410>fffffff8; 8 UNWRITTEN 8; 10 RETURN_TARGET fffffff8>102 A");
    mtb_assert(&no_registers, "00000100 00000200 00000100", "0 BRANCH 100>200; 8 INCOMPLETE 4");
    mtb_assert(&no_registers, "00000000 00000000 00000000", "0 UNWRITTEN 8; 8 INCOMPLETE 4");
    mtb_assert(&no_registers, "", "");
}

/* A dump of 4 packets; the next one goes behind the second. */
#define RING "00000100 00000200 00000210 00000300 00000310 00000400 00000410 00000500"

/* 3.2.1, 3.2.2: the oldest packet is at the pointer once the pointer has gone round. */
static void test_ring(void **state)
{
    const struct mtb_registers wrapped = {{{"POSITION", 0x14}, {"MASTER", 1}}};
    const struct mtb_registers prefixed = {{{"MTB_POSITION", 0x14}, {"mtb_master", 1}}};
    const struct mtb_registers at_start = {{{"MTB_POSITION", 0x4}, {"mtb_master", 1}}};
    const struct mtb_registers once = {{{"POSITION", 0x10}, {"MASTER", 1}}};
    const struct mtb_registers nothing = {{{"POSITION", 0}, {"MASTER", 1}}};
    (void)state;
    /* proves: MTB-2.3.1-e, MTB-2.3.1-g, MTB-2.3.1-ad, MTB-2.3.1-ag */
    mtb_assert(&wrapped, RING,
               "0 BRANCH 310>400; 8 BRANCH 410>500; 10 BRANCH 100>200; 18 BRANCH 210>300");
    mtb_assert(&prefixed, RING,
               "0 BRANCH 310>400; 8 BRANCH 410>500; 10 BRANCH 100>200; 18 BRANCH 210>300");
    mtb_assert(&at_start, RING,
               "0 BRANCH 100>200; 8 BRANCH 210>300; 10 BRANCH 310>400; 18 BRANCH 410>500");
    mtb_assert(&once, RING, "0 BRANCH 100>200; 8 BRANCH 210>300; 10 UNWRITTEN 10");
    mtb_assert(&nothing, RING, "0 UNWRITTEN 20");
    /* registers that say what is written are believed, whatever it looks like */
    mtb_assert(&once, "00000000 00000000 00000210 00000300 00000310 00000400 00000410 00000500",
               "0 BRANCH 0>0; 8 BRANCH 210>300; 10 UNWRITTEN 10");
    /* what is not written need not be in the dump */
    mtb_assert(&once, "00000100 00000200 00000210 00000300", "0 BRANCH 100>200; 8 BRANCH 210>300");
}

/* A dump of more than the ring, which begins at BASE, or at DUMP. */
static void test_memory(void **state)
{
    const struct mtb_registers second = {{{"POSITION", 0x1c}, {"MASTER", 0}}};
    const struct mtb_registers once = {{{"POSITION", 0x18}, {"MASTER", 0}, {"BASE", 0x20000000}}};
    const struct mtb_registers dump = {
        {{"POSITION", 0x8}, {"MASTER", 0}, {"BASE", 0x20000010}, {"DUMP", 0x20000000}}};
    const struct mtb_registers lpc = {
        {{"POSITION", 0x10000018}, {"MASTER", 0}, {"BASE", 0}, {"DUMP", 0x10000000}}};
    (void)state;
    mtb_assert(&second, RING, "0 BRANCH 410>500; 8 BRANCH 310>400; 10 OUTSIDE 10");
    mtb_assert(&once, RING, "0 BRANCH 310>400; 8 UNWRITTEN 8; 10 OUTSIDE 10");
    mtb_assert(&dump, RING, "0 BRANCH 310>400; 8 UNWRITTEN 8; 10 OUTSIDE 10");
    /* LPC800: BASE reads as 0, the pointer is an address */
    mtb_assert(&lpc, RING, "0 BRANCH 310>400; 8 UNWRITTEN 8; 10 OUTSIDE 10");
}

/* Any ring, any pointer: each byte of the dump comes once, in the order in which it was written. */
static void test_every_ring(void **state)
{
    (void)state;
    for (unsigned mask = 0; mask < 8; mask++) {
        const uint64_t ring = UINT64_C(16) << mask;
        for (uint64_t pointer = 0; pointer < ring; pointer += 8) {
            for (unsigned wrap = 0; wrap < 2; wrap++) {
                const struct mtb_registers registers = {
                    {{"POSITION", pointer | (wrap ? 4 : 0)}, {"MASTER", mask}}};
                struct cairn_config *config = mtb_configure(&registers);
                struct cairn_span spans[CAIRN_SPANS_MAX];
                size_t count;
                uint64_t at = wrap ? pointer : 0;
                uint64_t total = 0;
                assert_int_equal(cairn_config_spans(config, ring, spans, &count, NULL), CAIRN_OK);
                for (size_t i = 0; i < count; i++) {
                    /* proves: MTB-2.3.1-ae */
                    assert_int_equal(spans[i].offset, at % ring);
                    assert_true(spans[i].length != 0);
                    at += spans[i].length;
                    total += spans[i].length;
                }
                assert_int_equal(total, ring);
                cairn_config_unref(config);
            }
        }
    }
}

static void assert_refused(const struct mtb_registers *registers, const char *part)
{
    struct cairn_config *config = NULL;
    struct cairn_error error = {0};
    assert_int_equal(mtb_try(registers, &config, &error), CAIRN_E_CONFIG);
    assert_null(config);
    if (!strstr(error.text, part))
        fail_msg("%s", error.text);
}

static void assert_no_spans(const struct mtb_registers *registers, uint64_t size, const char *part)
{
    struct cairn_config *config = mtb_configure(registers);
    struct cairn_span spans[CAIRN_SPANS_MAX];
    struct cairn_error error = {0};
    size_t count = 77;
    assert_int_equal(cairn_config_spans(config, size, spans, &count, &error), CAIRN_E_CONFIG);
    assert_int_equal(count, 77);
    if (!strstr(error.text, part))
        fail_msg("%s", error.text);
    assert_int_equal(cairn_config_spans(config, size, spans, &count, NULL), CAIRN_E_CONFIG);
    cairn_config_unref(config);
}

static void test_refused(void **state)
{
    (void)state;
    assert_refused(&(const struct mtb_registers){{{"POSITION", 8}}}, "MASTER is missing");
    assert_refused(&(const struct mtb_registers){{{"MASTER", 0x1c}}}, "MASK (bits 4:0) is 28");
    const struct mtb_registers wrapped = {{{"POSITION", 0xc}, {"MASTER", 1}}};
    assert_no_spans(&wrapped, 24,
                    "the dump has 24 bytes, but MASTER.MASK says that the buffer has 32");
    assert_no_spans(&wrapped, 0, "the dump has 0 bytes");
    const struct mtb_registers once = {{{"POSITION", 0x18}, {"MASTER", 1}}};
    assert_no_spans(&once, 16, "POSITION says that 24 are written");
    const struct mtb_registers above = {{{"POSITION", 0x5000}, {"MASTER", 1}}};
    assert_no_spans(&above, 64, "0x5000 behind BASE");
    const struct mtb_registers elsewhere = {
        {{"POSITION", 0}, {"MASTER", 1}, {"BASE", 0x20000000}, {"DUMP", 0x20001000}}};
    assert_no_spans(&elsewhere, 64, "DUMP 0x20001000");
}

static size_t notes_with(const struct mtb_registers *registers, const char *part)
{
    struct cairn_config *config = mtb_configure(registers);
    const char *note;
    size_t count = 0;
    for (size_t i = 0; (note = cairn_config_note(config, i)) != NULL; i++)
        count += strstr(note, part) != NULL;
    cairn_config_unref(config);
    return count;
}

static void test_notes(void **state)
{
    const struct mtb_registers good = {
        {{"POSITION", 0x14}, {"MASTER", 9}, {"FLOW", 0x21}, {"BASE", 0x20000000}}};
    (void)state;
    assert_int_equal(notes_with(&good, ""), 0);
    assert_int_equal(notes_with(&no_registers, "POSITION is missing"), 1);
    assert_int_equal(notes_with(&(const struct mtb_registers){{{"POSITION", 0}, {"MASTER", 9}}},
                                "nothing was traced"),
                     1);
    assert_int_equal(notes_with(&(const struct mtb_registers){{{"POSITION", 9}, {"MASTER", 9}}},
                                "bits 1:0 are reserved"),
                     1);
    assert_int_equal(
        notes_with(&(const struct mtb_registers){{{"POSITION", 8}, {"MASTER", 0x80000009}}},
                   "EN (bit 31) is 1"),
        1);
    assert_int_equal(notes_with(
                         &(const struct mtb_registers){
                             {{"POSITION", 8}, {"MASTER", 9}, {"BASE", UINT64_C(0x120000004)}}},
                         "BASE is 0x"),
                     2);
}

/* "name=value ...", flags as 0 and 1. */
static void as_text(const struct cairn_field *fields, size_t count, char *text, size_t size)
{
    size_t at = 0;
    *text = '\0';
    for (size_t i = 0; i < count && at < size; i++) {
        const struct cairn_field *field = &fields[i];
        const char *format = field->type == CAIRN_FIELD_HEX ? "%s%s=0x%llx" : "%s%s=%llu";
        const char *space = i ? " " : "";
        at +=
            field->type == CAIRN_FIELD_TEXT
                ? (size_t)snprintf(text + at, size - at, "%s%s=%s", space, field->name, field->text)
                : (size_t)snprintf(text + at, size - at, format, space, field->name,
                                   (unsigned long long)field->value);
    }
}

static void assert_described(uint32_t word0, uint32_t word1, const char *name, const char *wanted)
{
    struct cairn_config *config = mtb_configure(&no_registers);
    struct cairn_packets *packets;
    struct cairn_packet_batch *batch;
    struct cairn_field fields[16];
    uint8_t bytes[8];
    char words[32], text[512];
    size_t position = 0;
    snprintf(words, sizeof words, "%x %x", (unsigned)word0, (unsigned)word1);
    assert_int_equal(mtb_bytes(words, bytes, sizeof bytes), 8);
    assert_int_equal(cairn_packets_new(config, &packets), CAIRN_OK);
    assert_int_equal(cairn_packet_batch_new(1, &batch), CAIRN_OK);
    assert_int_equal(cairn_packets_run(packets, bytes, 8, &position, batch), CAIRN_OK);
    assert_int_equal(batch->count, 1);
    assert_string_equal(cairn_packet_name(config, batch->kind[0]), name);
    const size_t count = cairn_packet_describe(config, batch, 0, fields, 16);
    as_text(fields, count, text, sizeof text);
    assert_string_equal(text, wanted);
    assert_int_equal(cairn_packet_describe(config, batch, 0, NULL, 0), count);
    assert_int_equal(cairn_packet_describe(config, batch, 1, fields, 16), 0);
    cairn_packet_batch_free(batch);
    cairn_packets_free(packets);
    cairn_config_unref(config);
}

static void test_describe(void **state)
{
    (void)state;
    assert_described(0x100, 0x201, "Branch", "source=0x100 destination=0x200 A=0 S=1");
    assert_described(0x103, 0x2c, "Exception or debug", "source=0x102 destination=0x2c A=1 S=0");
    assert_described(0x410, 0xfffffff8, "Exception return",
                     "source=0x410 EXC_RETURN=0xfffffff8 mode=Thread stack=MSP A=0 S=0");
    assert_described(0x410, 0xffffffec, "Exception return",
                     "source=0x410 EXC_RETURN=0xffffffec mode=Thread stack=PSP "
                     "floating-point frame=1 A=0 S=0");
    assert_described(0xfffffff1, 0x102, "Exception return target",
                     "EXC_RETURN=0xfffffff0 mode=Handler stack=MSP destination=0x102 joined=0 A=1 "
                     "S=0");
    assert_described(0x100, 0xfffffffe, "Branch",
                     "source=0x100 destination=0xfffffffe destination is=lockup A=0 S=0");
    assert_described(0xfefffffe, 0x200, "Branch",
                     "source=0xfefffffe source is=FNC_RETURN destination=0x200 A=0 S=0");
    assert_described(0xe0000000, 0x200, "Reserved", "source=0xe0000000 destination=0x200 A=0 S=0");
}

static void test_describe_config(void **state)
{
    const struct mtb_registers registers = {
        {{"POSITION", 0x2014}, {"MASTER", 0x5}, {"FLOW", 0x2011}, {"BASE", 0x20000000}}};
    struct cairn_config *config = mtb_configure(&registers);
    struct cairn_field fields[16];
    char text[512];
    (void)state;
    as_text(fields, cairn_config_describe(config, fields, 16), text, sizeof text);
    assert_string_equal(text, "buffer bytes=512 trace was on=0 buffer address=0x20002000 "
                              "written bytes=512 wrapped=1 stop at watermark=1 halt at watermark=0 "
                              "watermark=0x2010 at the watermark=1");
    cairn_config_unref(config);
    config = mtb_configure(&no_registers);
    as_text(fields, cairn_config_describe(config, fields, 16), text, sizeof text);
    assert_string_equal(text, "stop at watermark=0 halt at watermark=0");
    assert_true(cairn_protocol_decodes_packets(CAIRN_PROTOCOL_MTB));
    assert_int_equal(cairn_find_sync(config, (const uint8_t *)text, sizeof text, 0), sizeof text);
    cairn_config_unref(config);
}

static uint32_t next_random(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return (uint32_t)((*seed * 0x2545f4914f6cdd1d) >> 32);
}

/* Words that are often special ones. */
static void fill(uint64_t *seed, uint8_t *bytes, size_t size)
{
    static const uint32_t special[] = {0,          UINT32_MAX, 0xfffffff8, 0xfffffff9, 0xfffffffe,
                                       0xfefffffe, 0xe0000000, 0x100,      0x201};
    for (size_t i = 0; i < size; i += 4) {
        uint32_t word = next_random(seed);
        if (next_random(seed) % 2)
            word = special[next_random(seed) % (sizeof special / sizeof *special)];
        for (size_t k = 0; k < 4 && i + k < size; k++)
            bytes[i + k] = (uint8_t)(word >> (8 * k));
    }
}

/* Any bytes under any registers: the same packets in every way of cutting, all bytes in one. */
static void test_any_bytes(void **state)
{
    uint64_t seed = 20;
    (void)state;
    for (unsigned round = 0; round < 2000; round++) {
        uint8_t bytes[256];
        char whole[MTB_TEXT], cut[MTB_TEXT];
        const size_t size = next_random(&seed) % 160;
        const struct mtb_registers some = {
            {{"POSITION", next_random(&seed) & 0x7f}, {"MASTER", next_random(&seed) % 4}}};
        struct cairn_config *config = mtb_configure(round % 3 ? &some : &no_registers);
        fill(&seed, bytes, size);
        mtb_decode(config, bytes, size, 0, 256, whole);
        mtb_decode(config, bytes, size, 1 + next_random(&seed) % 9, 1 + next_random(&seed) % 3,
                   cut);
        assert_string_equal(cut, whole);
        cairn_config_unref(config);
    }
}

static void test_noise(void **state)
{
    uint64_t seed = 21;
    uint8_t *bytes = malloc(NOISE);
    struct cairn_config *config = mtb_configure(&no_registers);
    (void)state;
    assert_non_null(bytes);
    for (size_t i = 0; i < NOISE; i++)
        bytes[i] = (uint8_t)next_random(&seed);
    mtb_decode(config, bytes, NOISE, 3, 7, NULL);
    cairn_config_unref(config);
    free(bytes);
}

static uint32_t word_at(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

/* Every kind, written from fields and read again; what is no packet of the kind is not written. */
static void test_writer(void **state)
{
    const struct mtb_registers large = {{{"POSITION", 4}, {"MASTER", 20}}};
    struct cairn_config *config = mtb_configure(&large);
    struct cairn_packet_writer *writer;
    struct cairn_packets *packets;
    struct cairn_packet_batch *batch;
    uint64_t seed = 22;
    unsigned written[CAIRN_MTB_KIND_COUNT] = {0};
    (void)state;
    assert_int_equal(cairn_packet_writer_new(config, &writer), CAIRN_OK);
    assert_int_equal(cairn_packets_new(config, &packets), CAIRN_OK);
    assert_int_equal(cairn_packet_batch_new(1, &batch), CAIRN_OK);
    for (unsigned round = 0; round < 20000; round++) {
        uint8_t words[8], bytes[8];
        size_t position = 0;
        fill(&seed, words, sizeof words);
        words[0] &= 0xfe;
        words[4] &= 0xfe;
        const struct cairn_packet_fields fields = {
            .value = word_at(words),
            .address = word_at(words + 4),
            .info = (uint8_t)(next_random(&seed) % 4),
        };
        const unsigned kind = next_random(&seed) % (CAIRN_MTB_KIND_COUNT + 1);
        const size_t size = cairn_packet_write(writer, kind, &fields, bytes, sizeof bytes);
        if (size == 0)
            continue;
        assert_int_equal(size, 8);
        assert_int_equal(cairn_packet_write(writer, kind, &fields, bytes, 7), 0);
        batch->count = 0;
        assert_int_equal(cairn_packets_run(packets, bytes, size, &position, batch), CAIRN_OK);
        assert_int_equal(batch->count, 1);
        assert_int_equal(batch->kind[0], kind);
        assert_int_equal(batch->fields[0].value, fields.value);
        assert_int_equal(batch->fields[0].address, fields.address);
        assert_int_equal(batch->fields[0].info & 3, fields.info);
        written[kind]++;
    }
    for (unsigned kind = 0; kind < CAIRN_MTB_KIND_COUNT; kind++)
        assert_int_equal(written[kind] != 0, kind >= CAIRN_MTB_BRANCH);
    const struct cairn_packet_fields odd = {.value = 0x101, .address = 0x200};
    const struct cairn_packet_fields wide = {.value = 0x100, .address = UINT64_C(0x100000200)};
    uint8_t bytes[8];
    assert_int_equal(cairn_packet_write(writer, CAIRN_MTB_BRANCH, &odd, bytes, 8), 0);
    assert_int_equal(cairn_packet_write(writer, CAIRN_MTB_BRANCH, &wide, bytes, 8), 0);
    cairn_packet_batch_free(batch);
    cairn_packets_free(packets);
    cairn_packet_writer_free(writer);
    cairn_config_unref(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),     cmocka_unit_test(test_a_bit),
        cmocka_unit_test(test_sessions),  cmocka_unit_test(test_exception_return),
        cmocka_unit_test(test_examples),  cmocka_unit_test(test_no_code),
        cmocka_unit_test(test_blank),     cmocka_unit_test(test_ring),
        cmocka_unit_test(test_memory),    cmocka_unit_test(test_every_ring),
        cmocka_unit_test(test_refused),   cmocka_unit_test(test_notes),
        cmocka_unit_test(test_describe),  cmocka_unit_test(test_describe_config),
        cmocka_unit_test(test_any_bytes), cmocka_unit_test(test_noise),
        cmocka_unit_test(test_writer),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
