/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory dumps of a snapshot's cores. */
#include "plain.h"

#include <stdlib.h>
#include <string.h>

/* Each source sees its own core's dump first, another core's only where it has none itself. */
static void dumps_of_cores(void **state)
{
    const struct folder *folder = *state;
    folder_text(folder, "snapshot.ini",
                "[device_list]\na=c0.ini\nb=c1.ini\nc=e0.ini\nd=e1.ini\n[trace]\n"
                "metadata=trace.ini\n");
    folder_text(folder, "c0.ini",
                "[device]\nname=c0\nclass=core\ntype=Cortex-A53\n"
                "[dump1]\nfile=zero.bin\naddress=0x1000\n[dump2]\nfile=both.bin\naddress=0x3000\n"
                "[dump3]\nfile=one.bin\naddress=0x3000\n");
    folder_text(folder, "c1.ini",
                "[device]\nname=c1\nclass=core\ntype=Cortex-A53\n"
                "[dump1]\nfile=one.bin\naddress=0x1000\n[dump2]\nfile=both.bin\naddress=0x3000\n"
                "[dump3]\nfile=one.bin\naddress=0x2000\n");
    folder_text(folder, "e0.ini",
                "[device]\nname=e0\nclass=trace_source\ntype=ETM4\n[regs]\nTRCTRACEIDR=20\n");
    folder_text(folder, "e1.ini",
                "[device]\nname=e1\nclass=trace_source\ntype=ETM4\n[regs]\nTRCTRACEIDR=34\n");
    folder_text(folder, "trace.ini",
                "[trace_buffers]\nbuffers=b\n[b]\nfile=trace.bin\nformat=coresight\n"
                "[source_buffers]\ne0=b\ne1=b\n[core_trace_sources]\nc0=e0\nc1=e1\n");
    folder_write(folder, "trace.bin", plain_frames, sizeof plain_frames);
    folder_write(folder, "zero.bin", "0", 1);
    folder_write(folder, "one.bin", "1", 1);
    folder_write(folder, "both.bin", "B", 1);
    struct cairn_capture *capture = open_ok(folder->path, NULL);
    assert_int_equal(memory_at(capture, 0, 0x1000), '0');
    assert_int_equal(memory_at(capture, 1, 0x1000), '1');
    assert_int_equal(memory_at(capture, 0, 0x2000), '1'); /* the other core's */
    assert_int_equal(memory_at(capture, 1, 0x2000), '1');
    assert_int_equal(memory_at(capture, 7, 0x1000), '0'); /* no core: the first that has it */
    assert_int_equal(memory_at(capture, 1, 0x3000), 'B'); /* what all have is one layer */
    cairn_capture_free(capture);
}

/* Of two dumps of a core that overlap the first counts. */
static void overlapping_dumps(void **state)
{
    const struct folder *folder = *state;
    write_plain(folder);
    folder_text(folder, "cpu_0.ini",
                CORE "[dump2]\nfile=a.bin\naddress=0x1002\n[dump1]\nfile=b.bin\naddress=0x1000\n");
    folder_write(folder, "a.bin", "aaaa", 4);
    folder_write(folder, "b.bin", "bbbb", 4);
    struct cairn_capture *capture = open_ok(folder->path, NULL);
    static const char wanted[] = "bbaaaa";
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(memory_at(capture, 0, 0x1000 + i), wanted[i]);
    assert_int_equal(cairn_image_layer_count(cairn_capture_image(capture)), 2);
    cairn_capture_free(capture);
}

static void memory_spaces(void **state)
{
    static const struct {
        const char *name;
        unsigned els;        /* bit n: seen at EL n */
        unsigned securities; /* bit n: seen in enum cairn_security n */
    } spaces[] = {
        {"EL1N", 0x3, 1 << CAIRN_NONSECURE},
        {"el1s", 0x3, 1 << CAIRN_SECURE},
        {"EL2", 0x4, 1 << CAIRN_NONSECURE},
        {"EL2S", 0x4, 1 << CAIRN_SECURE},
        {"H", 0x4, 1 << CAIRN_NONSECURE},
        {"EL3", 0x8, 0xf},
        {"EL1R", 0x3, 1 << CAIRN_REALM},
        {"EL2R", 0x4, 1 << CAIRN_REALM},
        {"S", 0xf, 1 << CAIRN_SECURE},
        {"N", 0xf, 1 << CAIRN_NONSECURE},
        {"R", 0xf, 1 << CAIRN_REALM},
        {"ROOT", 0xf, 1 << CAIRN_ROOT},
        {"any", 0xf, 0xf},
        {"", 0xf, 0xf},
        {"unheard", 0xf, 0xf},
    };
    const struct folder *folder = *state;
    write_plain(folder);
    folder_write(folder, "a.bin", "a", 1);
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        char text[512] = CORE "[dump1]\nfile=a.bin\naddress=0x1000\nspace=";
        strcat(text, spaces[i].name);
        folder_text(folder, "cpu_0.ini", text);
        struct cairn_capture *capture = open_ok(folder->path, NULL);
        for (unsigned el = 0; el < 4; el++) {
            for (unsigned security = 0; security < 4; security++) {
                const bool seen = spaces[i].els >> el & spaces[i].securities >> security & 1;
                assert_int_equal(memory_in(capture, 0, 0x1000, el, security), seen ? 'a' : -1);
            }
        }
        assert_int_equal(remarks_with(capture, CAIRN_WARNING, "memory space \"unheard\""),
                         strcmp(spaces[i].name, "unheard") == 0);
        cairn_capture_free(capture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(dumps_of_cores),
        TEST(overlapping_dumps),
        TEST(memory_spaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
