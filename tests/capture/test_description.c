/* SPDX-License-Identifier: BSD-2-Clause */
/* Snapshots' INI files: dialects, what is missing, what is odd, and what is said about it. */
#include "plain.h"

#include <stdlib.h>
#include <string.h>

static void other_spelling(void **state)
{
    const struct folder *folder = *state;
    folder_text(folder, "snapshot.ini",
                "; a comment\r\n[SNAPSHOT]\r\n[Device_List]\r\n d0 = sub\\cpu.ini \r\n"
                "d1=etm.ini\r\n[TRACE]\r\nMetaData=trace.ini\r\n");
    folder_text(folder, "sub/cpu.ini",
                "[Device]\nName=cpu_0\nClass=CORE\nType=cortex-a53\n[dump]\n"
                "file=sub\\bin\\one.bin\naddress=4096\n[dump]\nfile=sub/bin/two.bin\n"
                "address=0x2000\nlength=0x2\noffset=1\n");
    folder_text(folder, "etm.ini",
                "[device]\nname=ETM_0\nclass=trace_source\ntype=etmv4\n[regs]\n"
                "trctraceidr=20\nTRCIDR0(size:64)=0xFFFFFFFFFFFFFFFF\nTRCIDR1=zz\nnothing\n"
                "TRCIDR2=1\nTRCIDR2=2\n");
    folder_text(folder, "trace.ini",
                "[trace_buffers]\nbuffers=buffer1, ,\n[BUFFER1]\nNAME=ETB_0\nFILE=trace.bin\n"
                "format=CoreSight\n[source_buffers]\netm_0=etb_0\n[core_trace_sources]\n"
                "CPU_0=ETM_0\n");
    folder_write(folder, "trace.bin", plain_frames, sizeof plain_frames);
    folder_write(folder, "sub/bin/one.bin", "\x11\x12", 2);
    folder_write(folder, "sub/bin/two.bin", "\x21\x22\x23\x24", 4);
    struct cairn_capture *capture = open_ok(folder->path, NULL);
    const struct cairn_source_info source = source_at(capture, 0);
    assert_int_equal(source.trace_id, 20);
    assert_int_equal(source.protocol, CAIRN_PROTOCOL_ETMV4);
    assert_true(register_of(&source, "TRCIDR0") == UINT64_MAX);
    assert_int_equal(register_of(&source, "TRCIDR2"), 2);
    assert_int_equal(source.register_count, 3);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "etm.ini:8: \"zz\" is no value"), 1);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "etm.ini:9:"), 1);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "TRCIDR2 is given twice"), 1);
    assert_int_equal(memory_at(capture, 0, 4096), 0x11);
    assert_int_equal(memory_at(capture, 0, 4097), 0x12);
    assert_int_equal(memory_at(capture, 0, 4098), -1);
    assert_int_equal(memory_at(capture, 0, 0x2000), 0x22);
    assert_int_equal(memory_at(capture, 0, 0x2001), 0x23);
    assert_int_equal(memory_at(capture, 0, 0x2002), -1);
    cairn_capture_free(capture);
}

static void missing_files(void **state)
{
    const struct folder *folder = *state;
    open_fails(folder->path, NULL, CAIRN_E_NOT_FOUND, "no snapshot.ini");
    open_fails(folder_path(folder, "nowhere"), NULL, CAIRN_E_NOT_FOUND, "does not exist");

    folder_text(folder, "snapshot.ini", SNAPSHOT);
    open_fails(folder->path, NULL, CAIRN_E_NOT_FOUND, "trace.ini");

    folder_text(folder, "trace.ini", TRACE("source_data"));
    struct cairn_capture *capture = open_ok(folder->path, NULL);
    assert_int_equal(remarks_with(capture, CAIRN_PROBLEM, "cpu_0.ini"), 1);
    assert_int_equal(remarks_with(capture, CAIRN_PROBLEM, "etm_0.ini"), 1);
    assert_int_equal(remarks_with(capture, CAIRN_PROBLEM, "trace.bin"), 1);
    assert_int_equal(remarks_with(capture, CAIRN_PROBLEM, "ETM_0: [source_buffers] names it"), 1);
    assert_int_equal(buffer_at(capture, 0).bytes, 0);
    size_t size;
    assert_null(read_source(capture, 0, &size));
    struct cairn_buffer_account account = {.size = sizeof account};
    assert_int_equal(cairn_capture_survey(capture, 0, &account, NULL, NULL, NULL), CAIRN_OK);
    cairn_capture_free(capture);

    folder_text(folder, "etm_0.ini", ETM);
    folder_text(folder, "cpu_0.ini",
                CORE "[dump1]\nfile=gone.bin\naddress=0x1000\nlength=0x20\n"
                     "[dump2]\nfile=short.bin\naddress=0x2000\nlength=0x20\n"
                     "[dump3]\nfile=short.bin\naddress=0x3000\noffset=4\n"
                     "[dump4]\nfile=short.bin\n[dump5]\naddress=1\n");
    folder_write(folder, "short.bin", "abcd", 4);
    folder_write(folder, "trace.bin", plain_frames, sizeof plain_frames);
    capture = open_ok(folder->path, NULL);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING,
                                  "gone.bin is missing: no memory from 0x1000 to 0x101f"),
                     1);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING,
                                  "short.bin is too short: memory from 0x2004 to 0x201f"),
                     1);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "offset 0x4 is not inside"), 1);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "no address="), 1);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "[dump5] has no file="), 1);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, ""), 5);
    assert_int_equal(memory_at(capture, 0, 0x2003), 'd');
    cairn_capture_free(capture);
}

/* Sessions: one core, one trace unit device or several, a buffer each. */
static void sessions(void **state)
{
    const struct folder *folder = *state;
    write_plain(folder);
    folder_text(folder, "trace.ini",
                "[trace_buffers]\nbuffers=buffer1,buffer2\n[buffer1]\nname=ETB_1\nfile=a.bin\n"
                "format=source_data\n[buffer2]\nname=ETB_2\nfile=b.bin\nformat=source_data\n"
                "[buffer3]\nname=ETB_3\nfile=c.bin\nformat=source_data\n"
                "[source_buffers]\nETM_0=ETB_1\nETM_0=ETB_2\nETM_9=ETB_7\n"
                "[core_trace_sources]\ncpu_0=ETM_0,STM_0\n");
    folder_write(folder, "a.bin", "a", 1);
    folder_write(folder, "b.bin", "bb", 2);
    struct cairn_capture *capture = open_ok(folder->path, NULL);
    assert_int_equal(cairn_capture_buffer_count(capture), 2);
    assert_int_equal(cairn_capture_source_count(capture), 2);
    assert_string_equal(source_at(capture, 0).name, "ETM_0@ETB_1");
    assert_string_equal(source_at(capture, 1).name, "ETM_0@ETB_2");
    assert_int_equal(source_at(capture, 1).buffer, 1);
    assert_string_equal(source_at(capture, 1).core, "cpu_0");
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "ETB_7, which does not exist"), 1);
    assert_int_equal(remarks_with(capture, CAIRN_NOTE, "[buffer3]"), 1);
    size_t size;
    uint8_t *bytes = read_source(capture, 1, &size);
    assert_int_equal(size, 2);
    free(bytes);
    cairn_capture_free(capture);

    /* the same, written as a list; and two sources for a buffer that can have one */
    folder_text(folder, "trace.ini",
                "[trace_buffers]\nbuffers=x,y\n[x]\nfile=a.bin\nformat=source_data\n[y]\n"
                "file=b.bin\nformat=source_data\n[source_buffers]\nETM_0=x,y\ncpu_0=y\n");
    capture = open_ok(folder->path, NULL);
    assert_int_equal(cairn_capture_source_count(capture), 2);
    assert_string_equal(buffer_at(capture, 1).name, "y");
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "holds one source only"), 1);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "no core is given for it"), 2);
    cairn_capture_free(capture);
}

static void incomplete_metadata(void **state)
{
    const struct folder *folder = *state;
    write_plain(folder);
    folder_text(folder, "trace.ini", "[buffer0]\nname=ETB_0\nfile=trace.bin\n");
    struct cairn_capture *capture = open_ok(folder->path, NULL);
    assert_int_equal(cairn_capture_source_count(capture), 1);
    assert_int_equal(buffer_at(capture, 0).format, CAIRN_FORMAT_CORESIGHT);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "no [source_buffers]"), 1);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "no format="), 1);
    cairn_capture_free(capture);

    folder_text(folder, "trace.ini", TRACE("magic"));
    capture = open_ok(folder->path, NULL);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "unknown format=magic"), 1);
    cairn_capture_free(capture);

    folder_text(folder, "trace.ini", "[trace_buffers]\nbuffers=\n");
    capture = open_ok(folder->path, NULL);
    assert_int_equal(remarks_with(capture, CAIRN_PROBLEM, "names no trace buffer"), 1);
    cairn_capture_free(capture);

    folder_text(folder, "trace.ini",
                "[trace_buffers]\nbuffers=b\n[b]\nfile=trace.bin\nformat=source_data\n"
                "[source_buffers]\n");
    folder_text(folder, "snapshot.ini", "[trace]\nmetadata=trace.ini\n");
    capture = open_ok(folder->path, NULL);
    assert_int_equal(source_at(capture, 0).protocol, CAIRN_PROTOCOL_UNKNOWN);
    assert_int_equal(remarks_with(capture, CAIRN_PROBLEM, "names no source for it"), 1);
    cairn_capture_free(capture);

    folder_text(folder, "other.ini", "[a]\nb=c\n");
    open_fails(folder_path(folder, "other.ini"), NULL, CAIRN_E_FORMAT, "INI file without");
}

/* ---- trace units ---- */

static void check_unit(const struct folder *folder, const char *type, const char *registers,
                       enum cairn_protocol_id protocol, int trace_id)
{
    char text[512];
    strcpy(text, "[device]\nname=ETM_0\nclass=trace_source\ntype=");
    strcat(text, type);
    strcat(text, "\n[regs]\n");
    strcat(text, registers);
    folder_text(folder, "etm_0.ini", text);
    struct cairn_capture *capture = open_ok(folder->path, NULL);
    assert_int_equal(source_at(capture, 0).protocol, protocol);
    assert_int_equal(source_at(capture, 0).trace_id, trace_id);
    cairn_capture_free(capture);
}

static void unit_types(void **state)
{
    const struct folder *folder = *state;
    write_plain(folder);
    check_unit(folder, "ETM4", "TRCTRACEIDR=0x114\n", CAIRN_PROTOCOL_ETMV4, 0x14);
    check_unit(folder, "ETE", "TRCTRACEIDR=0x14\n", CAIRN_PROTOCOL_ETE, 0x14);
    check_unit(folder, "ETM3.5", "ETMTRACEIDR(0x080)=18\n", CAIRN_PROTOCOL_ETMV3, 18);
    check_unit(folder, "ETMv3", "ETMTRACEIDR=18\n", CAIRN_PROTOCOL_ETMV3, 18);
    check_unit(folder, "PTM1.0", "ETMTRACEIDR=18\n", CAIRN_PROTOCOL_PTM, 18);
    check_unit(folder, "PFT1.1", "ETMTRACEIDR=18\n", CAIRN_PROTOCOL_PTM, 18);
    check_unit(folder, "STM", "STMTCSR(0x3A0)=0x00A00007\n", CAIRN_PROTOCOL_STM, 0x20);
    check_unit(folder, "ITM", "ITMTCR(0xE80)=0x00010001\n", CAIRN_PROTOCOL_ITM, 1);
    check_unit(folder, "XYZ", "TRCTRACEIDR=1\n", CAIRN_PROTOCOL_UNKNOWN, -1);
    check_unit(folder, "ETM4", "TRCCONFIGR=1\n", CAIRN_PROTOCOL_ETMV4, -1);
    check_unit(folder, "XYZ", "TRCTRACEIDR=1\nTRCDEVARCH=0x47705A13\n", CAIRN_PROTOCOL_ETE, 1);
}

static void unit_remark(const struct folder *folder, const char *type, const char *registers,
                        enum cairn_severity severity, const char *part)
{
    char text[512];
    strcpy(text, "[device]\nname=ETM_0\nclass=trace_source\ntype=");
    strcat(text, type);
    strcat(text, "\n[regs]\n");
    strcat(text, registers);
    folder_text(folder, "etm_0.ini", text);
    struct cairn_capture *capture = open_ok(folder->path, NULL);
    assert_int_equal(remarks_with(capture, severity, part), 1);
    cairn_capture_free(capture);
}

static void unit_remarks(void **state)
{
    const struct folder *folder = *state;
    write_plain(folder);
    unit_remark(folder, "ETM4", "TRCTRACEIDR=1\nTRCDEVARCH=0x47705A13\n", CAIRN_WARNING,
                "wrong protocol guess");
    unit_remark(folder, "ETE", "TRCTRACEIDR=1\nTRCDEVARCH=0x47724A13\n", CAIRN_WARNING,
                "wrong protocol guess");
    unit_remark(folder, "XYZ", "TRCTRACEIDR=1\n", CAIRN_PROBLEM, "type \"XYZ\" is not known");
    unit_remark(folder, "ETM4", "TRCCONFIGR=1\n", CAIRN_PROBLEM, "lack TRCTRACEIDR");
    unit_remark(folder, "ETM3", "TRCCONFIGR=1\n", CAIRN_PROBLEM, "lack ETMTRACEIDR");
    unit_remark(folder, "ETM4", "TRCTRACEIDR=0\n", CAIRN_PROBLEM, "trace ID 0x00 is reserved");
    unit_remark(folder, "ETM4", "TRCTRACEIDR=0x75\n", CAIRN_PROBLEM, "trace ID 0x75 is reserved");
    /* a core that ETE cannot be in */
    unit_remark(folder, "ETE", "TRCTRACEIDR=1\n", CAIRN_NOTE, "older than Armv9");
    folder_text(folder, "cpu_0.ini", "[device]\nname=cpu_0\nclass=core\ntype=Denver-2\n");
    unit_remark(folder, "ETM4", "TRCTRACEIDR=1\n", CAIRN_WARNING, "\"Denver-2\" is not known");
}

static void one_id_twice(void **state)
{
    const struct folder *folder = *state;
    write_plain(folder);
    folder_text(folder, "snapshot.ini",
                "[device_list]\na=etm_0.ini\nb=etm_1.ini\n[trace]\nmetadata=trace.ini\n");
    folder_text(folder, "etm_1.ini",
                "[device]\nname=ETM_1\nclass=trace_source\ntype=ETM4\n[regs]\nTRCTRACEIDR=20\n");
    folder_text(folder, "trace.ini", TRACE("coresight") "[source_buffers]\nETM_1=ETB_0\n");
    struct cairn_capture *capture = open_ok(folder->path, NULL);
    assert_int_equal(cairn_capture_source_count(capture), 2);
    assert_int_equal(remarks_with(capture, CAIRN_PROBLEM, "both have trace ID 0x14"), 1);
    cairn_capture_free(capture);
}

static void overriding_options(void **state)
{
    const struct folder *folder = *state;
    write_plain(folder);
    const struct cairn_register registers[] = {{"trctraceidr", 0x22}, {"TRCIDR12", 5}};
    struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;
    options.registers = registers;
    options.register_count = 2;
    options.core = "Cortex-A57";
    options.format = CAIRN_FORMAT_SOURCE_DATA;
    struct cairn_capture *capture = open_ok(folder->path, &options);
    const struct cairn_source_info source = source_at(capture, 0);
    assert_int_equal(source.trace_id, 0x22);
    assert_int_equal(source.register_count, 4);
    assert_int_equal(register_of(&source, "TRCIDR12"), 5);
    assert_string_equal(source.core_type, "Cortex-A57");
    assert_int_equal(buffer_at(capture, 0).format, CAIRN_FORMAT_CORESIGHT);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "describes itself"), 1);
    cairn_capture_free(capture);
    options.size = 0;
    open_fails(folder->path, &options, CAIRN_E_ARGUMENT, "size");
}

/* A description that repeats itself without end is answered with a bounded number of remarks. */
static void endless(void **state)
{
    const struct folder *folder = *state;
    write_plain(folder);
    char *text = malloc(200000);
    assert_non_null(text);
    memset(text, 0, 200000);
    for (size_t at = 0; at + 10 < 200000; at += 4)
        memcpy(text + at, "odd\n", 4);
    folder_text(folder, "etm_0.ini", text);
    struct cairn_capture *capture = open_ok(folder->path, NULL);
    assert_in_range(remarks_with(capture, CAIRN_WARNING, ""), 900, 1000);
    cairn_capture_free(capture);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(other_spelling),      TEST(missing_files),      TEST(sessions),
        TEST(incomplete_metadata), TEST(unit_types),         TEST(unit_remarks),
        TEST(one_id_twice),        TEST(overriding_options), TEST(endless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
