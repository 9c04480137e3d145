/* SPDX-License-Identifier: BSD-2-Clause */
/* Every header byte of ETMv3 and PTM, with second bytes of every sort, between runs of atoms and
 * branches: scan, readers of words and packets without fields give of it what the levels give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../house/share.h"
#include "packets_compare.h"
#include "scan_compare.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* An A-sync and an I-sync in ARM state, with a count and Context ID where there are any. */
#define A_SYNC "\0\0\0\0\0\x80"

struct source {
    enum cairn_protocol_id protocol;
    uint32_t control, id, extensions;
    const char *before, *behind; /* the header and its second byte */
    size_t before_size, behind_size;
};

#define SOURCE(PROTOCOL, CONTROL, ID, EXTENSIONS, BEFORE, BEHIND)                                  \
    {                                                                                              \
        CAIRN_PROTOCOL_##PROTOCOL, CONTROL, ID, EXTENSIONS, A_SYNC BEFORE, BEHIND,                 \
            sizeof(A_SYNC BEFORE) - 1, sizeof(BEHIND) - 1                                          \
    }

static const struct source sources[] = {
    SOURCE(PTM, 0, 0x411cf312, 0x34c01ac2, "\x08\0\x80\0\0\x21\x84\x86\x8e\x05\x84\x84\x84\x84\x84",
           "\x05\x84\x86\x9d\x01\x84\xc4\xa0\x84"),
    SOURCE(PTM, 0x20000000, 0x411cf301, 0x000008ea, "\x08\0\x80\0\0\x21\x84\x86\x84\x84\x84\x84",
           "\x84\x86\x84\x9d\x01\x84\x84"),
    SOURCE(PTM, 0x1000c000, 0x411cf312, 0x34c01ac2, "\x08\0\x80\0\0\x21\1\2\3\4\x84\x86\x05\x84",
           "\x05\x84\x42\x05\x86\x84\x6e\1\1\1\1\x84"),
    SOURCE(PTM, 0x1000, 0x411cf312, 0x34c01ac2, "\x08\0\x80\0\0\x21\x84\x84\x86\x05\x04\x88\x90",
           "\x05\x08\x84\x86\x84\x84\x84"),
    SOURCE(ETMV3, 0, 0x4104f230, 0, "\x08\0\x80\0\0\x21\x84\xc8\x82\x05\xbc\x84",
           "\x05\x84\x8a\xfc\x84\x9d\x01\x84"),
    SOURCE(ETMV3, 0xc, 0x4104f230, 0, "\x08\0\x80\0\0\x21\x84\x26\x80\x80\x80\x80\x02\x01\x84",
           "\x06\x07\x84\x22\x05\x62\x84\x84"),
    SOURCE(ETMV3, 0x1000, 0x4104f230, 0, "\x08\0\x80\0\0\x21\x04\x05\x84\xc8\x82\xa4\x92\x05\x84",
           "\x05\x84\x96\xfc\x84\x84"),
    SOURCE(ETMV3, 0x50004000, 0x410cf250, 0x34400800, "\x08\1\0\x80\0\0\x21\x84\xc8\x05\x84\x42\5",
           "\x05\x84\x6e\x07\x3c\x05\x84\x76\x84\x84"),
};

static const uint8_t seconds[] = {0x00, 0x01, 0x08, 0x21, 0x3f, 0x41, 0x7e, 0x80, 0x84, 0x85, 0xff};

/* Every fourth of them where few are tried. */
enum { SECONDS_STEP = TEST_SHARE > 1 ? 4 : 1 };

static const struct scan_cut scan_cuts[] = {{0, 4096, 4096}, {53, 64, 64}};
static const struct packets_cut packet_cuts[] = {
    {0, 4096, PACKETS_KIND | PACKETS_ADDRESS | PACKETS_ADDRESS_PACKET},
    {0, 100, PACKETS_COLUMNS},
    {61, 333, PACKETS_COLUMNS},
    {0, 4096, PACKETS_COLUMNS | PACKETS_PORTABLE},
};

static struct cairn_config *configure(const struct source *source)
{
    const struct cairn_register registers[] = {
        {"ETMCR", source->control}, {"ETMIDR", source->id}, {"ETMCCER", source->extensions}};
    struct cairn_source_config given = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config = NULL;

    given.protocol = source->protocol;
    given.arch = (struct cairn_arch){CAIRN_PROFILE_A, 7, 0, 0};
    given.registers = registers;
    given.register_count = COUNT_OF(registers);
    assert_int_equal(cairn_config_new(&given, &config, NULL), CAIRN_OK);
    return config;
}

static void check(const struct source *source)
{
    const size_t each = source->before_size + 2 + source->behind_size;
    struct cairn_config *config = configure(source);
    uint8_t *bytes = malloc(256 * COUNT_OF(seconds) * each);
    size_t size = 0, runs = 0;

    assert_non_null(bytes);
    for (unsigned header = 0; header < 256; header++)
        for (size_t i = 0; i < COUNT_OF(seconds); i += SECONDS_STEP) {
            memcpy(bytes + size, source->before, source->before_size);
            bytes[size + source->before_size] = (uint8_t)header;
            bytes[size + source->before_size + 1] = seconds[i];
            memcpy(bytes + size + source->before_size + 2, source->behind, source->behind_size);
            size += each;
        }
    assert_true(packets_check(config, bytes, size, packet_cuts, COUNT_OF(packet_cuts)) > 1000);
    for (size_t cut = 0; cut < COUNT_OF(scan_cuts); cut++) /* each reader with each */
        assert_true(scan_check(config, bytes, size, scan_cuts, COUNT_OF(scan_cuts), &runs) > 1000);
    free(bytes);
    cairn_config_unref(config);
}

static void test_ptm(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++)
        check(&sources[i]);
}

static void test_etmv3(void **state)
{
    (void)state;
    for (size_t i = 4; i < COUNT_OF(sources); i++)
        check(&sources[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ptm),
        cmocka_unit_test(test_etmv3),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
