/* SPDX-License-Identifier: BSD-2-Clause */
/* Snapshots as different tools and people write them: spelling, paths of another system, and what
 * is left out but can be told from the rest. */
#include "plain.h"

#include <stdio.h>

#define ETM_NAMED(words, registers) "[device]\nname=ETM_0\n" words "[regs]\n" registers

static void quotes_and_comments(void **state)
{
    const struct folder *folder = *state;
    folder_text(folder, "snapshot.ini",
                "[device_list]\ndevice0=cpu_0.ini   # the core\ndevice1=\"etm_0.ini\"\n"
                "[trace]\nmetadata='trace.ini' ; buffers\n");
    folder_text(folder, "cpu_0.ini",
                "[device]\nname=cpu_0\nclass=core\ntype=Cortex-A53 # small\n"
                "[dump1]\nfile=\"my code.bin\"\naddress=0x1000;text\nspace='EL3'\n");
    folder_text(folder, "etm_0.ini",
                ETM_NAMED("class=trace_source\ntype=ETM4\n",
                          "TRCTRACEIDR(0x010)=\"0x14\"\nTRCIDR1=0x4100F422  # v4.2\n"
                          "TRCIDR0=0x28000EA1#x\n"));
    folder_text(folder, "trace.ini",
                "[trace_buffers]\nbuffers=buffer0 # one\n[buffer0]\nname=ETB_0\n"
                "file=trace.bin # raw\nformat=coresight # framed\n"
                "[source_buffers]\nETM_0=ETB_0 # here\n[core_trace_sources]\ncpu_0=ETM_0 # it\n");
    folder_write(folder, "trace.bin", plain_frames, sizeof plain_frames);
    folder_write(folder, "my code.bin", "\x11", 1);
    struct cairn_capture *capture = open_ok(folder->path, NULL);
    const struct cairn_source_info source = source_at(capture, 0);
    assert_int_equal(source.trace_id, 0x14);
    assert_string_equal(source.core_type, "Cortex-A53");
    assert_int_equal(register_of(&source, "TRCIDR1"), 0x4100f422);
    assert_int_equal(register_of(&source, "TRCIDR0"), 0x28000ea1);
    assert_int_equal(buffer_at(capture, 0).bytes, sizeof plain_frames);
    assert_int_equal(buffer_at(capture, 0).format, CAIRN_FORMAT_CORESIGHT);
    assert_int_equal(memory_in(capture, 0, 0x1000, 3, CAIRN_SECURE), 0x11);
    assert_int_equal(memory_in(capture, 0, 0x1000, 1, CAIRN_SECURE), -1);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, ""), 0);
    assert_int_equal(remarks_with(capture, CAIRN_PROBLEM, ""), 0);
    cairn_capture_free(capture);
}

/* Where class= is missing or wrong the type tells that a device is a trace unit. */
static void classes(void **state)
{
    static const char *const words[] = {"type=ETM4.2\n", "class=source\ntype=ETM4\n",
                                        "class=core\ntype=ETMv4\n", "class=trace_source\n",
                                        "class=Trace-Source\ntype=ETM4\n"};
    const struct folder *folder = *state;
    write_plain(folder);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "[device]\nname=ETM_0\n%s[regs]\nTRCTRACEIDR=0x14\nTRCIDR1=0x4100F401\n",
                 words[i]);
        folder_text(folder, "etm_0.ini", text);
        for (unsigned linked = 0; linked < 2; linked++) {
            folder_text(folder, "trace.ini",
                        linked ? TRACE("coresight")
                               : "[buffer0]\nname=ETB_0\nfile=trace.bin\nformat=coresight\n");
            struct cairn_capture *capture = open_ok(folder->path, NULL);
            if (linked || i != 3) {
                assert_int_equal(cairn_capture_source_count(capture), 1);
                assert_int_equal(source_at(capture, 0).trace_id, 0x14);
                assert_int_equal(source_at(capture, 0).protocol, CAIRN_PROTOCOL_ETMV4);
                assert_int_equal(source_at(capture, 0).register_count, 2);
            }
            cairn_capture_free(capture);
        }
    }
}

static void letter_case(void **state)
{
    const struct folder *folder = *state;
    folder_text(folder, "Snapshot.INI",
                "[device_list]\na=DEVICES\\CPU_0.INI\nb=etm_0.ini\n[trace]\nmetadata=Trace.ini\n");
    folder_text(folder, "Devices/cpu_0.ini",
                "[device]\nname=cpu_0\nclass=core\ntype=Cortex-A53\n"
                "[dump1]\nfile=MEM\\Code.BIN\naddress=0x1000\n");
    folder_text(folder, "etm_0.ini", ETM);
    folder_text(folder, "trace.ini", TRACE("coresight"));
    folder_write(folder, "TRACE.BIN", plain_frames, sizeof plain_frames);
    folder_write(folder, "mem/code.bin", "\x11", 1);
    struct cairn_capture *capture = open_ok(folder->path, NULL);
    assert_string_equal(buffer_at(capture, 0).path, folder_path(folder, "TRACE.BIN"));
    assert_int_equal(buffer_at(capture, 0).bytes, sizeof plain_frames);
    assert_string_equal(source_at(capture, 0).core_type, "Cortex-A53");
    assert_int_equal(memory_at(capture, 0, 0x1000), 0x11);
    assert_int_equal(remarks_with(capture, CAIRN_NOTE, "differs in letter case only"), 4);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, ""), 0);
    cairn_capture_free(capture);

    /* the right name wins over one that is only similar */
    folder_write(folder, "trace.bin", plain_frames, 16);
    capture = open_ok(folder->path, NULL);
    assert_int_equal(buffer_at(capture, 0).bytes, 16);
    cairn_capture_free(capture);
}

/* Paths of the machine that wrote the snapshot. */
static void absolute_paths(void **state)
{
    static const char *const names[] = {"C:\\captures\\run 1\\trace.bin", "d:/captures/TRACE.bin",
                                        "\\\\server\\share\\trace.bin", "/not/here/trace.bin"};
    const struct folder *folder = *state;
    write_plain(folder);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "[buffer0]\nname=ETB_0\nfile=%s\nformat=coresight\n[source_buffers]\n"
                 "ETM_0=ETB_0\n[core_trace_sources]\ncpu_0=ETM_0\n",
                 names[i]);
        folder_text(folder, "trace.ini", text);
        struct cairn_capture *capture = open_ok(folder->path, NULL);
        assert_string_equal(buffer_at(capture, 0).path, folder_path(folder, "trace.bin"));
        assert_int_equal(buffer_at(capture, 0).bytes, sizeof plain_frames);
        assert_int_equal(remarks_with(capture, CAIRN_WARNING, "is not there;"), 1);
        cairn_capture_free(capture);
    }
    /* a relative path is never looked for elsewhere: another folder's file is another file */
    folder_text(folder, "trace.ini",
                "[buffer0]\nname=ETB_0\nfile=run/trace.bin\nformat=coresight\n");
    struct cairn_capture *capture = open_ok(folder->path, NULL);
    assert_int_equal(buffer_at(capture, 0).bytes, 0);
    assert_int_equal(remarks_with(capture, CAIRN_PROBLEM, "run/trace.bin is missing"), 1);
    cairn_capture_free(capture);
}

static void cores(void **state)
{
    const struct folder *folder = *state;
    write_plain(folder);
    folder_text(folder, "snapshot.ini",
                "[device_list]\nb=etm_0.ini\n[trace]\nmetadata=trace.ini\n");
    folder_text(folder, "trace.ini",
                "[buffer0]\nname=ETB_0\nfile=trace.bin\nformat=coresight\n[source_buffers]\n"
                "ETM_0=ETB_0\n[core_trace_sources]\nCortex-M33_12=ETM_0\n");
    struct cairn_capture *capture = open_ok(folder->path, NULL);
    assert_string_equal(source_at(capture, 0).core, "Cortex-M33_12");
    assert_string_equal(source_at(capture, 0).core_type, "Cortex-M33");
    assert_int_equal(source_at(capture, 0).arch.profile, CAIRN_PROFILE_M);
    assert_int_equal(remarks_with(capture, CAIRN_NOTE, "by its name it is a Cortex-M33"), 1);
    cairn_capture_free(capture);

    /* one core and no word on which: it can only be that one */
    folder_text(folder, "snapshot.ini", SNAPSHOT);
    folder_text(folder, "cpu_0.ini", "[device]\nname=cpu_0\nclass=core\ntype=ARMv8.1-M.main\n");
    folder_text(folder, "trace.ini",
                "[buffer0]\nname=ETB_0\nfile=trace.bin\nformat=coresight\n[source_buffers]\n"
                "ETM_0=ETB_0\n");
    capture = open_ok(folder->path, NULL);
    assert_string_equal(source_at(capture, 0).core, "cpu_0");
    assert_int_equal(source_at(capture, 0).arch.profile, CAIRN_PROFILE_M);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "the only one. Add cpu_0=ETM_0"), 1);
    cairn_capture_free(capture);

    /* of two cores none is taken */
    folder_text(folder, "snapshot.ini", SNAPSHOT "[device_list]\nc=cpu_1.ini\n");
    folder_text(folder, "cpu_1.ini", "[device]\nname=cpu_1\nclass=core\ntype=Cortex-M3\n");
    capture = open_ok(folder->path, NULL);
    assert_null(source_at(capture, 0).core);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "no core is given for it; every"), 1);
    cairn_capture_free(capture);

    /* a core that is named but not described is not any other */
    folder_text(folder, "snapshot.ini", SNAPSHOT);
    folder_text(folder, "trace.ini",
                "[buffer0]\nname=ETB_0\nfile=trace.bin\nformat=coresight\n[source_buffers]\n"
                "ETM_0=ETB_0\n[core_trace_sources]\ncpu_7=ETM_0\n");
    capture = open_ok(folder->path, NULL);
    assert_null(source_at(capture, 0).core_type);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "the type of its core cpu_7; every"), 1);
    cairn_capture_free(capture);
}

static void core_types(void **state)
{
    static const struct {
        const char *type;
        enum cairn_profile profile;
        unsigned major, minor;
    } types[] = {
        {"Arm Cortex-A53", CAIRN_PROFILE_A, 8, 0},  {"ARM_Cortex-M4", CAIRN_PROFILE_M, 7, 0},
        {"Arm Neoverse N1", CAIRN_PROFILE_A, 8, 2}, {"ARM-aa64-R", CAIRN_PROFILE_R, 8, 0},
        {"ARM-AA64-M", CAIRN_PROFILE_M, 8, 1},      {"ARM-aa64-A", CAIRN_PROFILE_A, 9, 6},
        {"CORTEX-R52+", CAIRN_PROFILE_R, 8, 0},     {"ARMv8.4-R", CAIRN_PROFILE_R, 8, 4},
    };
    const struct folder *folder = *state;
    write_plain(folder);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "[device]\nname=cpu_0\nclass=core\ntype=%s\n", types[i].type);
        folder_text(folder, "cpu_0.ini", text);
        struct cairn_capture *capture = open_ok(folder->path, NULL);
        const struct cairn_source_info source = source_at(capture, 0);
        assert_int_equal(source.arch.profile, types[i].profile);
        assert_int_equal(source.arch.major, types[i].major);
        assert_int_equal(source.arch.minor, types[i].minor);
        assert_int_equal(remarks_with(capture, CAIRN_WARNING, ""), 0);
        cairn_capture_free(capture);
    }
}

/* What a trace unit is, told by its registers where the type does not, and its ID under other
 * names of the register. */
static void witnesses(void **state)
{
    static const struct {
        const char *type, *registers;
        enum cairn_protocol_id protocol;
        int trace_id;
        unsigned contradictions;
    } units[] = {
        {"CSETM", "TRCIDR1=0x4100F454\nTRCTRACEIDR=1\n", CAIRN_PROTOCOL_ETMV4, 1, 0},
        {"CSETM", "TRCIDR1=0x4100FFF0\nTRCTRACEIDR=1\n", CAIRN_PROTOCOL_ETE, 1, 0},
        {"CSETM", "TRCIDR1=0x4100FFF0\nTRCDEVARCH=0x47704A13\nTRCTRACEIDR=1\n",
         CAIRN_PROTOCOL_ETMV4, 1, 0},
        {"CSETM", "ETMIDR=0x410CF250\nETMTRACEIDR=2\n", CAIRN_PROTOCOL_ETMV3, 2, 0},
        {"CSPTM", "ETMIDR=0x411CF311\nETMTRACEIDR=2\n", CAIRN_PROTOCOL_PTM, 2, 0},
        {"CSSTM", "STMTCSR=0x00200001\n", CAIRN_PROTOCOL_STM, 0x20, 0},
        {"CSITM", "ITM_TCR=0x00140001\n", CAIRN_PROTOCOL_ITM, 0x14, 0},
        {"ITM", "ITM_CTRL(0x3A0)=0x00200006\n", CAIRN_PROTOCOL_ITM, 0x20, 0},
        {"CSETM", "ETMIDR=0x41000010\n", CAIRN_PROTOCOL_ETMV1, -1, 0},
        {"CSETM", "ETMIDR=0x41000110\n", CAIRN_PROTOCOL_ETMV2, -1, 0},
        {"CSETM", "ETMIDR=0x41000810\nETMTRACEIDR=2\n", CAIRN_PROTOCOL_UNKNOWN, -1, 0},
        {"ETM4", "TRCIDR1=0x4100FFF0\nTRCTRACEIDR=1\n", CAIRN_PROTOCOL_ETMV4, 1, 1},
        {"ETE", "TRCIDR1=0x4100F403\nTRCTRACEIDR=1\n", CAIRN_PROTOCOL_ETE, 1, 1},
        {"ETM3.5", "ETMIDR=0x411CF311\nETMTRACEIDR=2\n", CAIRN_PROTOCOL_ETMV3, 2, 1},
        {"PTM1.1", "ETMIDR=0x411CF311\nETMTRACEIDR=2\n", CAIRN_PROTOCOL_PTM, 2, 0},
    };
    const struct folder *folder = *state;
    write_plain(folder);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "[device]\nname=ETM_0\nclass=trace_source\ntype=%s\n[regs]\n%s",
                 units[i].type, units[i].registers);
        folder_text(folder, "etm_0.ini", text);
        struct cairn_capture *capture = open_ok(folder->path, NULL);
        assert_int_equal(source_at(capture, 0).protocol, units[i].protocol);
        assert_int_equal(source_at(capture, 0).trace_id, units[i].trace_id);
        assert_int_equal(remarks_with(capture, CAIRN_WARNING, "wrong protocol guess"),
                         units[i].contradictions);
        cairn_capture_free(capture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(quotes_and_comments), TEST(classes), TEST(letter_case),
        TEST(absolute_paths),      TEST(cores),   TEST(core_types),
        TEST(witnesses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
