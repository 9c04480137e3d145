/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "folder.h"

#define SNAPSHOT                                                                                   \
    "[snapshot]\nversion=1.0\n\n[device_list]\ndevice0=cpu_0.ini\ndevice1=etm_0.ini\n"             \
    "[trace]\nmetadata=trace.ini\n"
#define CORE "[device]\nname=cpu_0\nclass=core\ntype=Cortex-A53\n[regs]\nPC(size:64)=0x10\n"
#define ETM                                                                                        \
    "[device]\nname=ETM_0\nclass=trace_source\ntype=ETM4.1\n[regs]\nTRCCONFIGR(0x004)="            \
    "0x000010C1\n"                                                                                 \
    "TRCTRACEIDR(id:0x10)=0x00000014\nTRCIDR0(id:0x78,size:32)=0x28000EA1\n"
#define TRACE(format)                                                                              \
    "[trace_buffers]\nbuffers=buffer0\n[buffer0]\nname=ETB_0\nfile=trace.bin\nformat=" format      \
    "\n[source_buffers]\nETM_0=ETB_0\n[core_trace_sources]\ncpu_0=ETM_0\n"

/* ID 0x14 at once, 13 data bytes; then 15 more. */
static const uint8_t frames[32] = {0x29, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a,
                                   0x0b, 0x0c, 0x0d, 0x0e, 0x80, 0x45, 0x31, 0x32, 0x33, 0x34, 0x35,
                                   0x36, 0x37, 0x38, 0x39, 0x3a, 0x3b, 0x3c, 0x3d, 0x3e, 0x00};

static void write_plain(const struct folder *folder)
{
    folder_text(folder, "snapshot.ini", SNAPSHOT);
    folder_text(folder, "cpu_0.ini", CORE);
    folder_text(folder, "etm_0.ini", ETM);
    folder_text(folder, "trace.ini", TRACE("coresight"));
    folder_write(folder, "trace.bin", frames, sizeof frames);
}

static void plain(void **state)
{
    const struct folder *folder = *state;
    write_plain(folder);
    struct cairn_capture *capture = open_ok(folder->path, NULL);
    assert_int_equal(cairn_capture_source_count(capture), 1);
    const struct cairn_source_info source = source_at(capture, 0);
    assert_string_equal(source.name, "ETM_0");
    assert_string_equal(source.core, "cpu_0");
    assert_string_equal(source.core_type, "Cortex-A53");
    assert_string_equal(source.type, "ETM4.1");
    assert_int_equal(source.protocol, CAIRN_PROTOCOL_ETMV4);
    assert_int_equal(source.arch.profile, CAIRN_PROFILE_A);
    assert_int_equal(source.arch.major, 8);
    assert_int_equal(source.trace_id, 0x14);
    assert_int_equal(source.register_count, 3);
    assert_int_equal(register_of(&source, "TRCCONFIGR"), 0x10c1);
    assert_int_equal(register_of(&source, "TRCIDR0"), 0x28000ea1);
    assert_int_equal(cairn_capture_buffer_count(capture), 1);
    const struct cairn_buffer_info buffer = buffer_at(capture, 0);
    assert_string_equal(buffer.name, "ETB_0");
    assert_string_equal(buffer.path, folder_path(folder, "trace.bin"));
    assert_int_equal(buffer.format, CAIRN_FORMAT_CORESIGHT);
    assert_int_equal(buffer.bytes, 32);
    assert_int_equal(remarks_with(capture, CAIRN_PROBLEM, ""), 0);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, ""), 0);
    struct cairn_source_info none;
    assert_int_equal(cairn_capture_source(capture, 1, &none), CAIRN_E_NOT_FOUND);
    cairn_capture_free(capture);

    capture = open_ok(folder_path(folder, "snapshot.ini"), NULL);
    assert_int_equal(cairn_capture_source_count(capture), 1);
    cairn_capture_free(capture);
}

/* Reading, the survey's account, and a source for the ID that nothing describes. */
static void bytes_of_sources(void **state)
{
    const struct folder *folder = *state;
    write_plain(folder);
    struct cairn_capture *capture = open_ok(folder->path, NULL);
    size_t size;
    uint8_t *bytes = read_source(capture, 0, &size);
    const uint8_t wanted[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15};
    assert_int_equal(size, sizeof wanted);
    assert_memory_equal(bytes, wanted, size);
    free(bytes);

    struct cairn_buffer_account account = {.size = sizeof account};
    for (unsigned twice = 0; twice < 2; twice++) {
        assert_int_equal(cairn_capture_survey(capture, 0, &account, NULL, NULL, NULL), CAIRN_OK);
        assert_int_equal(account.data[0x14], 14);
        assert_int_equal(account.data[0x22], 14);
        assert_int_equal(account.framing, 4);
        assert_int_equal(cairn_capture_source_count(capture), 2);
    }
    const struct cairn_source_info source = source_at(capture, 1);
    assert_string_equal(source.name, "id-0x22");
    assert_int_equal(source.protocol, CAIRN_PROTOCOL_UNKNOWN);
    assert_int_equal(source.trace_id, 0x22);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "Trace ID 0x22 has 14 bytes"), 1);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "TRCTRACEIDR"), 1);
    bytes = read_source(capture, 1, &size);
    assert_int_equal(size, 14);
    assert_int_equal(bytes[0], 0x31);
    free(bytes);
    assert_int_equal(cairn_capture_survey(capture, 1, &account, NULL, NULL, NULL),
                     CAIRN_E_NOT_FOUND);
    cairn_capture_free(capture);
}

static int stop(void *context, uint64_t done, uint64_t total)
{
    (void)context;
    assert_true(done <= total);
    return 1;
}

static void survey_stops(void **state)
{
    const struct folder *folder = *state;
    write_plain(folder);
    struct cairn_capture *capture = open_ok(folder->path, NULL);
    struct cairn_buffer_account account = {.size = sizeof account};
    assert_int_not_equal(cairn_capture_survey(capture, 0, &account, stop, NULL, NULL), CAIRN_OK);
    account.size = 0;
    assert_int_equal(cairn_capture_survey(capture, 0, &account, NULL, NULL, NULL),
                     CAIRN_E_ARGUMENT);
    cairn_capture_free(capture);
}

/* A reader holds a constant amount however long the buffer is: chunks are bounded. */
static void long_buffer(void **state)
{
    const struct folder *folder = *state;
    const size_t size = 3 << 20;
    uint8_t *bytes = calloc(1, size);
    assert_non_null(bytes);
    for (size_t at = 0; at < size; at++)
        bytes[at] = at % 16 % 2 || at % 16 == 15 ? (uint8_t)(at * 7) : (uint8_t)(at * 5 & 0xfe);
    bytes[0] = 0x29; /* at once */
    bytes[15] &= 0xfe;
    write_plain(folder);
    folder_write(folder, "trace.bin", bytes, size);
    struct cairn_capture *capture = open_ok(folder->path, NULL);
    struct cairn_reader *reader;
    struct cairn_chunk chunk;
    assert_int_equal(cairn_reader_new(capture, 0, &reader, NULL), CAIRN_OK);
    uint64_t total = 0;
    for (;;) {
        assert_int_equal(cairn_reader_next(reader, &chunk), CAIRN_OK);
        if (!chunk.size)
            break;
        assert_true(chunk.size <= 1 << 20);
        for (size_t i = 0; i < chunk.run_count; i++) {
            const struct cairn_run *run = &chunk.runs[i];
            for (uint64_t k = 0; k < run->length; k++) {
                const uint64_t at = run->file_offset + k;
                const unsigned in_frame = at % 16;
                const unsigned low =
                    in_frame % 2 ? 0u : bytes[at / 16 * 16 + 15] >> in_frame / 2 & 1u;
                assert_int_equal(chunk.data[run->offset - chunk.offset + k], bytes[at] | low);
            }
        }
        total += chunk.size;
    }
    assert_int_equal(total, size / 16 * 15 - 1);
    assert_int_equal(cairn_reader_file_position(reader), size);
    cairn_reader_free(reader);
    cairn_capture_free(capture);
    free(bytes);
}

static void plain_source_data(void **state)
{
    const struct folder *folder = *state;
    const size_t size = (1 << 20) + 13;
    uint8_t *bytes = malloc(size), *got;
    assert_non_null(bytes);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(i * i >> 3);
    write_plain(folder);
    folder_text(folder, "trace.ini", TRACE("source_data"));
    folder_write(folder, "trace.bin", bytes, size);
    struct cairn_capture *capture = open_ok(folder->path, NULL);
    size_t got_size;
    got = read_source(capture, 0, &got_size);
    assert_int_equal(got_size, size);
    assert_memory_equal(got, bytes, size);
    struct cairn_buffer_account account = {.size = sizeof account};
    assert_int_equal(cairn_capture_survey(capture, 0, &account, NULL, NULL, NULL), CAIRN_OK);
    assert_int_equal(account.data[0], size);
    free(got);
    free(bytes);
    cairn_capture_free(capture);
}

/* A trace port's buffer: FSYNCs found without being told where. */
static void dstream(void **state)
{
    const struct folder *folder = *state;
    uint8_t stream[3 + 4 + 32 + 4];
    memcpy(stream, "\x12\x34\x56\xff\xff\xff\x7f", 7);
    memcpy(stream + 7, frames, 32);
    memcpy(stream + 39, "\xff\xff\xff\x7f", 4);
    write_plain(folder);
    folder_text(folder, "trace.ini", TRACE("dstream_coresight"));
    folder_write(folder, "trace.bin", stream, sizeof stream);
    struct cairn_capture *capture = open_ok(folder->path, NULL);
    struct cairn_buffer_account account = {.size = sizeof account};
    assert_int_equal(cairn_capture_survey(capture, 0, &account, NULL, NULL, NULL), CAIRN_OK);
    assert_int_equal(account.unaligned, 3);
    assert_int_equal(account.sync, 8);
    assert_int_equal(account.data[0x14], 14);
    cairn_capture_free(capture);

    folder_write(folder, "trace.bin", frames, sizeof frames);
    capture = open_ok(folder->path, NULL);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "without any FSYNC"), 1);
    assert_int_equal(cairn_capture_survey(capture, 0, &account, NULL, NULL, NULL), CAIRN_OK);
    assert_int_equal(account.data[0x14], 14);
    cairn_capture_free(capture);
}

/* DSTREAM's blocks are recognised by frames that fit together only without the last 8 of 512 bytes.
 */
static void dstream_blocks(void **state)
{
    const struct folder *folder = *state;
    uint8_t stream[2048];
    size_t used = 0;
    for (size_t at = 0; at < sizeof stream; at++) {
        static const uint8_t fsync[] = {0xff, 0xff, 0xff, 0x7f};
        const size_t in_group = used % 52;
        if (at % 512 >= 504) {
            stream[at] = 0x5a;
            continue;
        }
        stream[at] = in_group < 4 ? fsync[in_group] : frames[(in_group - 4) % 16];
        used++;
    }
    write_plain(folder);
    folder_text(folder, "trace.ini", TRACE("dstream_coresight"));
    folder_write(folder, "trace.bin", stream, sizeof stream);
    struct cairn_capture *capture = open_ok(folder->path, NULL);
    assert_int_equal(remarks_with(capture, CAIRN_NOTE, "DSTREAM"), 1);
    struct cairn_buffer_account account = {.size = sizeof account};
    assert_int_equal(cairn_capture_survey(capture, 0, &account, NULL, NULL, NULL), CAIRN_OK);
    assert_int_equal(account.data[0x14], 2016 / 52 * 3 * 14 + 2016 % 52 / 16 * 14);
    assert_int_equal(account.null_id, 0);
    cairn_capture_free(capture);
}

/* ---- odd descriptions ---- */

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
    folder_write(folder, "trace.bin", frames, sizeof frames);
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
    open_fails(folder_path(folder, "nowhere"), NULL, CAIRN_E_IO, "does not exist");

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
    folder_write(folder, "trace.bin", frames, sizeof frames);
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
    assert_int_equal(remarks_with(capture, CAIRN_NOTE, "describes itself"), 1);
    cairn_capture_free(capture);
    options.size = 0;
    open_fails(folder->path, &options, CAIRN_E_ARGUMENT, "size");
}

/* ---- memory ---- */

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
    folder_write(folder, "trace.bin", frames, sizeof frames);
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(plain),          TEST(bytes_of_sources),    TEST(survey_stops),
        TEST(long_buffer),    TEST(plain_source_data),   TEST(dstream),
        TEST(dstream_blocks), TEST(other_spelling),      TEST(missing_files),
        TEST(sessions),       TEST(incomplete_metadata), TEST(unit_types),
        TEST(unit_remarks),   TEST(one_id_twice),        TEST(overriding_options),
        TEST(dumps_of_cores), TEST(overlapping_dumps),   TEST(memory_spaces),
        TEST(endless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
