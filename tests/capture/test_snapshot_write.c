/* SPDX-License-Identifier: BSD-2-Clause */
/* Snapshots that are written, opened again: by the reader here, and by libopencsd's lister. */
#include "capture/snapshot/write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "folder.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)

enum { CODE = 0x1000, MANY = 300 };

static const struct cairn_register registers[] = {
    {"TRCCONFIGR", 0x1},     {"TRCDEVARCH", 0x47735a13}, {"TRCIDR0", 0x080006a1},
    {"TRCIDR1", 0x4100fff0}, {"TRCIDR2", 0xc0001088},    {"TRCIDR8", 0},
};
#define REGISTERS (sizeof registers / sizeof registers[0])

/* Bytes 0 to 7: ADD, B to it. From 8: B to itself. */
static const uint8_t memory[] = {0x00, 0x04, 0x00, 0x91, 0xff, 0xff,
                                 0xff, 0x17, 0x00, 0x00, 0x00, 0x14};

/* A-sync, Trace Info, 0x1000 in Non-secure EL1, then an E Atom at each of 23 and 24 (DDI0608 D5).
 */
static const uint8_t trace[] = {0, 0,    0, 0, 0, 0, 0, 0, 0, 0, 0,    0x80, 0x01,
                                0, 0x85, 0, 8, 0, 0, 0, 0, 0, 0, 0x31, 0xf7, 0xf7};
enum { FIRST_ATOM = 24, SECOND_ATOM = 25 };

static const struct cairn_snapshot_span whole = {"memory.bin", CODE, 8, 0, NULL};

static struct cairn_snapshot_stream stream_of(const char *name, const char *core)
{
    return (struct cairn_snapshot_stream){
        .name = name,
        .core = core,
        .core_type = "ARM-AA64",
        .file = "a.bin",
        .protocol = CAIRN_PROTOCOL_ETE,
        .registers = registers,
        .register_count = REGISTERS,
    };
}

static struct cairn_snapshot_parts
parts_of(const struct folder *folder, const struct cairn_snapshot_stream *streams, size_t count)
{
    folder_write(folder, "memory.bin", memory, sizeof memory);
    folder_write(folder, "a.bin", trace, sizeof trace);
    return (struct cairn_snapshot_parts){.folder = folder->path,
                                         .recorder = "test",
                                         .memory = &whole,
                                         .memory_count = 1,
                                         .streams = streams,
                                         .stream_count = count};
}

static void write_ok(const struct cairn_snapshot_parts *parts)
{
    struct cairn_error error;
    if (cairn_snapshot_write(parts, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
}

static struct cairn_capture *open_without_remarks(const struct folder *folder)
{
    struct cairn_capture *capture = open_ok(folder->path, NULL);
    struct cairn_remark remark;
    if (cairn_capture_remark(capture, 0, &remark) == CAIRN_OK)
        fail_msg("%s", remark.text);
    return capture;
}

/* The byte that a source sees at an address when its packet at `offset` is decoded; -1: none. */
static int byte_at(struct cairn_capture *capture, uint32_t source, uint64_t address,
                   uint64_t offset)
{
    struct cairn_space *space;
    struct cairn_window window;
    const struct cairn_place place = {
        .source = source, .security = CAIRN_NONSECURE, .offset = offset};
    assert_int_equal(cairn_space_new(cairn_capture_image(capture), &space), CAIRN_OK);
    assert_int_equal(cairn_space_select(space, &place), CAIRN_OK);
    const int byte =
        cairn_space_window(space, address, &window) ? window.bytes[address - window.address] : -1;
    cairn_space_free(space);
    return byte;
}

static void round_trip(void **state)
{
    const struct folder *folder = *state;
    struct cairn_snapshot_stream streams[] = {stream_of("one", "core_a"),
                                              stream_of("two", "core_b")};
    const struct cairn_register etm[] = {{"TRCIDR1", 0x4100f402}, {"TRCIDR0", 0x28000ea1},
                                         {"TRCIDR2", 0x488},      {"TRCCONFIGR", 0x18c1},
                                         {"TRCTRACEIDR", 0x33},   {"TRCVICTLR", 0x201}};
    streams[1] = (struct cairn_snapshot_stream){.name = "two",
                                                .core = "core_b",
                                                .core_type = "Cortex-A53",
                                                .file = "b.bin",
                                                .protocol = CAIRN_PROTOCOL_ETMV4,
                                                .registers = etm,
                                                .register_count = 6};
    struct cairn_snapshot_parts parts = parts_of(folder, streams, 2);
    parts.description = "a ; b\n[trace]\nmetadata=no.ini # c";
    folder_write(folder, "b.bin", "\1\2\3", 3);
    write_ok(&parts);
    struct cairn_capture *capture = open_without_remarks(folder);
    assert_int_equal(cairn_capture_source_count(capture), 2);
    const struct cairn_source_info one = source_at(capture, 0), two = source_at(capture, 1);
    assert_string_equal(one.name, "one");
    assert_string_equal(one.type, "ETE");
    assert_string_equal(one.core, "core_a");
    assert_string_equal(one.core_type, "ARM-AA64");
    assert_int_equal(one.protocol, CAIRN_PROTOCOL_ETE);
    assert_int_equal(one.register_count, REGISTERS + 1); /* and an ID for readers that want one */
    for (size_t i = 0; i < REGISTERS; i++)
        assert_int_equal(register_of(&one, registers[i].name), registers[i].value);
    assert_int_equal(register_of(&one, "TRCTRACEIDR"), 1);
    assert_string_equal(two.type, "ETM4");
    assert_string_equal(two.core_type, "Cortex-A53");
    assert_int_equal(two.protocol, CAIRN_PROTOCOL_ETMV4);
    assert_int_equal(two.register_count, 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(register_of(&two, etm[i].name), etm[i].value);
    size_t size;
    uint8_t *bytes = read_source(capture, 0, &size);
    assert_int_equal(size, sizeof trace);
    assert_memory_equal(bytes, trace, size);
    free(bytes);
    bytes = read_source(capture, 1, &size);
    assert_int_equal(size, 3);
    free(bytes);
    for (uint32_t source = 0; source < 2; source++) {
        assert_int_equal(byte_at(capture, source, CODE + 7, 0), 0x17);
        assert_int_equal(byte_at(capture, source, CODE + 8, 0), -1);
    }
    cairn_capture_free(capture);
}

/* Readers know the version of a PTM by its type; an MTB has no ID, and its registers say where in
 * the ring the oldest packet is. */
static void older_units(void **state)
{
    const struct folder *folder = *state;
    const struct cairn_register ptm[] = {{"ETMCR", 0x20000000}, {"ETMIDR", 0x411cf310}};
    const struct cairn_register old[] = {
        {"ETMCR", 0}, {"ETMIDR", 0x411cf301}, {"ETMTRACEIDR", 0x12}};
    const struct cairn_register mtb[] = {{"MTB_POSITION", 0x8 | 4}, {"MTB_MASTER", 0}};
    struct cairn_snapshot_stream streams[] = {
        stream_of("one", "core_a"), stream_of("two", "core_b"), stream_of("three", "core_c")};
    static const uint8_t ring[16] = {0x00, 0x03, 0, 0, 0x00, 0x04, 0, 0,
                                     0x00, 0x01, 0, 0, 0x01, 0x03, 0, 0};
    size_t size;

    streams[0].protocol = streams[1].protocol = CAIRN_PROTOCOL_PTM;
    streams[0].registers = ptm;
    streams[0].register_count = 2;
    streams[1].registers = old;
    streams[1].register_count = 3;
    streams[2].protocol = CAIRN_PROTOCOL_MTB;
    streams[2].registers = mtb;
    streams[2].register_count = 2;
    streams[2].file = "ring.bin";
    for (size_t i = 0; i < 3; i++)
        streams[i].core_type = "Cortex-A15";
    struct cairn_snapshot_parts parts = parts_of(folder, streams, 3);
    folder_write(folder, "ring.bin", ring, sizeof ring);
    write_ok(&parts);
    struct cairn_capture *capture = open_ok(folder->path, NULL);
    const struct cairn_source_info one = source_at(capture, 0), two = source_at(capture, 1),
                                   three = source_at(capture, 2);
    assert_string_equal(one.type, "PTM1.1");
    assert_int_equal(one.protocol, CAIRN_PROTOCOL_PTM);
    assert_int_equal(register_of(&one, "ETMCR"), 0x20000000);
    assert_int_equal(register_of(&one, "ETMTRACEIDR"), 1);
    assert_string_equal(two.type, "PTM1.0");
    assert_int_equal(register_of(&two, "ETMTRACEIDR"), 0x12);
    assert_int_equal(two.register_count, 3);
    assert_string_equal(three.type, "MTB");
    assert_int_equal(three.protocol, CAIRN_PROTOCOL_MTB);
    assert_int_equal(three.register_count, 2);
    uint8_t *bytes = read_source(capture, 2, &size);
    assert_int_equal(size, sizeof ring);
    assert_memory_equal(bytes, ring + 8, 8); /* the oldest packet first */
    assert_memory_equal(bytes + 8, ring, 8);
    free(bytes);
    cairn_capture_free(capture);
}

/* Written twice over; and what cannot be. */
static void overwrites_and_fails(void **state)
{
    const struct folder *folder = *state;
    struct cairn_snapshot_stream streams[] = {stream_of("one", "core_a"),
                                              stream_of("two", "core_b")};
    struct cairn_snapshot_parts parts = parts_of(folder, streams, 2);
    struct cairn_error error = {0};
    write_ok(&parts);
    parts.stream_count = 1;
    write_ok(&parts);
    struct cairn_capture *capture = open_without_remarks(folder);
    assert_int_equal(cairn_capture_source_count(capture), 1);
    cairn_capture_free(capture);

    streams[0].protocol = CAIRN_PROTOCOL_STM;
    assert_int_equal(cairn_snapshot_write(&parts, &error), CAIRN_E_ARGUMENT);
    assert_non_null(strstr(error.text, "one"));
    streams[0].protocol = CAIRN_PROTOCOL_ETE;
    parts.folder = folder_path(folder, "nowhere");
    assert_int_equal(cairn_snapshot_write(&parts, &error), CAIRN_E_IO);
    assert_non_null(strstr(error.text, "nowhere/core_a.ini"));
}

static void open_many(const struct folder *folder, size_t memory_count)
{
    static struct cairn_snapshot_stream streams[MANY];
    static char names[MANY][16], cores[MANY][16];
    struct cairn_snapshot_span *spans = calloc(memory_count, sizeof *spans);
    assert_non_null(spans);
    for (size_t i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "thread_%zu", i);
        snprintf(cores[i], sizeof cores[i], "core_%zu", i);
        streams[i] = stream_of(names[i], cores[i]);
    }
    struct cairn_snapshot_parts parts = parts_of(folder, streams, MANY);
    for (size_t i = 0; i < memory_count; i++)
        spans[i] = (struct cairn_snapshot_span){"memory.bin", CODE + 0x100 * i, 8, 0, NULL};
    parts.memory = spans;
    parts.memory_count = memory_count;
    write_ok(&parts);
    struct cairn_capture *capture = open_without_remarks(folder);
    assert_int_equal(cairn_capture_source_count(capture), MANY);
    for (uint32_t i = 0; i < MANY; i += 37) {
        assert_string_equal(source_at(capture, i).name, names[i]);
        assert_string_equal(source_at(capture, i).core_type, "ARM-AA64");
        assert_int_equal(byte_at(capture, i, CODE + 0x100 * (memory_count - 1) + 7, 0), 0x17);
    }
    assert_string_equal(source_at(capture, MANY - 1).core,
                        memory_count * MANY > CAIRN_SNAPSHOT_REPEATED_MOST ? cores[0]
                                                                           : cores[MANY - 1]);
    /* one layer a span, however many cores there are */
    assert_int_equal(cairn_image_layer_count(cairn_capture_image(capture)), memory_count);
    cairn_capture_free(capture);
    free(spans);
}

/* More sources than there are trace IDs. */
static void many_sources(void **state)
{
    open_many(*state, 2);
}

static void many_sources_with_much_memory(void **state)
{
    open_many(*state, 1000);
}

/* ---- epochs ---- */

static void epochs_by_offset(void **state)
{
    const struct folder *folder = *state;
    struct cairn_snapshot_stream streams[] = {stream_of("one", "core_a"),
                                              stream_of("two", "core_b")};
    /* of source one: byte 0 is that at 8 in [10, 20), byte 4 (ff) from 15 on, byte 1 from 0 on */
    const struct cairn_snapshot_epoch epochs[] = {
        {{"memory.bin", CODE, 2, 4, NULL}, 0, 30},              /* ff ff */
        {{"memory.bin", CODE, 1, 3, NULL}, 10, 20},             /* 91 */
        {{"memory.bin", CODE, 1, 7, NULL}, 15, UINT64_MAX},     /* 17 */
        {{"memory.bin", CODE + 1, 1, 11, NULL}, 0, UINT64_MAX}, /* 14: over the first */
        {{"memory.bin", CODE + 0x100, 1, 7, NULL}, 40, UINT64_MAX},
    };
    streams[0].epochs = epochs;
    streams[0].epoch_count = sizeof epochs / sizeof epochs[0];
    const struct cairn_snapshot_parts parts = parts_of(folder, streams, 2);
    write_ok(&parts);
    struct cairn_capture *capture = open_without_remarks(folder);
    static const struct {
        uint64_t offset;
        int byte;
    } first[] = {{0, 0xff},  {9, 0xff},  {10, 0x91}, {14, 0x91},
                 {15, 0x17}, {20, 0x17}, {30, 0x17}, {UINT64_MAX / 2, 0x17}};
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++) {
        assert_int_equal(byte_at(capture, 0, CODE, first[i].offset), first[i].byte);
        assert_int_equal(byte_at(capture, 0, CODE + 1, first[i].offset), 0x14);
        assert_int_equal(byte_at(capture, 0, CODE + 2, first[i].offset), 0x00);
        assert_int_equal(byte_at(capture, 1, CODE, first[i].offset), 0x00);
    }
    assert_int_equal(byte_at(capture, 0, CODE + 0x100, 39), -1);
    assert_int_equal(byte_at(capture, 0, CODE + 0x100, 40), 0x17);
    cairn_capture_free(capture);
}

/* One address, executed before and after its instruction changed. */
static void epochs_decode(void **state)
{
    const struct folder *folder = *state;
    struct cairn_snapshot_stream streams[] = {stream_of("one", "core_a"),
                                              stream_of("two", "core_b")};
    struct cairn_snapshot_epoch epoch = {{"memory.bin", CODE, 4, 8, NULL}, SECOND_ATOM, UINT64_MAX};
    char ranges[128];
    streams[0].epochs = &epoch;
    streams[0].epoch_count = 1;
    const struct cairn_snapshot_parts parts = parts_of(folder, streams, 2);
    write_ok(&parts);
    struct cairn_capture *capture = open_without_remarks(folder);
    ranges_of(capture, 0, ranges, sizeof ranges);
    assert_string_equal(ranges, "2@1000 1@1000 ");
    ranges_of(capture, 1, ranges, sizeof ranges);
    assert_string_equal(ranges, "2@1000 2@1000 ");
    cairn_capture_free(capture);

    epoch.from = FIRST_ATOM;
    epoch.to = SECOND_ATOM;
    write_ok(&parts);
    capture = open_without_remarks(folder);
    ranges_of(capture, 0, ranges, sizeof ranges);
    assert_string_equal(ranges, "1@1000 2@1000 ");
    cairn_capture_free(capture);
}

static void lost_epochs_are_told(void **state)
{
    const struct folder *folder = *state;
    struct cairn_snapshot_stream stream = stream_of("one", "core_a");
    stream.epochs_lost = 12;
    const struct cairn_snapshot_parts parts = parts_of(folder, &stream, 1);
    write_ok(&parts);
    struct cairn_capture *capture = open_ok(folder->path, NULL);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "one.ini: memory changed more often"), 1);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "12 changes"), 1);
    cairn_capture_free(capture);
}

#define EPOCH_FILE "file=memory.bin\n"
#define EPOCH_PLACE "address=0x1000\nlength=1\noffset=7\n"

/* Each says what is wrong, and adds nothing. */
static void malformed_epochs(void **state)
{
    const struct folder *folder = *state;
    static const struct {
        const char *text, *remark;
    } cases[] = {
        {EPOCH_PLACE "from=0\n", "[epoch1] has no file="},
        {EPOCH_FILE "length=1\nfrom=0\n", "[epoch1] has no address="},
        {EPOCH_FILE EPOCH_PLACE, "[epoch1] has no from="},
        {EPOCH_FILE EPOCH_PLACE "from=x\n", "\"x\" is no number for from"},
        {EPOCH_FILE EPOCH_PLACE "from=0\nto=-1\n", "[epoch1] has a number that cannot be read"},
        {EPOCH_FILE EPOCH_PLACE "from=5\nto=5\n", "[epoch1] ends where it begins"},
        {EPOCH_FILE EPOCH_PLACE "from=5\nto=4\n", "[epoch1] ends where it begins"},
        {"file=none.bin\n" EPOCH_PLACE "from=0\n", "none.bin is missing"},
        {EPOCH_FILE "address=0x1000\nlength=1\noffset=12\nfrom=0\n", "is not inside"},
        {EPOCH_FILE "address=0xffffffffffffffff\nlength=2\nfrom=0\n", "[epoch1] of one"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct cairn_snapshot_stream stream = stream_of("one", "core_a");
        const struct cairn_snapshot_parts parts = parts_of(folder, &stream, 1);
        char text[1024];
        write_ok(&parts);
        snprintf(text, sizeof text,
                 "[device]\nname=one\nclass=trace_source\ntype=ETE\n[regs]\nTRCCONFIGR=1\n"
                 "[epoch1]\n%s",
                 cases[i].text);
        folder_text(folder, "one.ini", text);
        struct cairn_capture *capture = open_ok(folder->path, NULL);
        if (remarks_with(capture, CAIRN_WARNING, cases[i].remark) != 1)
            fail_msg("case %zu: no remark \"%s\"", i, cases[i].remark);
        assert_int_equal(byte_at(capture, 0, CODE, 0), 0x00);
        cairn_capture_free(capture);
    }
    const struct cairn_snapshot_stream stream = stream_of("one", "core_a");
    const struct cairn_snapshot_parts parts = parts_of(folder, &stream, 1);
    write_ok(&parts);
    folder_text(folder, "core_a.ini",
                "[device]\nname=core_a\nclass=core\ntype=ARM-AA64\n[dump1]\n" EPOCH_FILE
                "address=0x1000\nlength=8\n[epoch1]\n" EPOCH_FILE EPOCH_PLACE "from=0\n");
    struct cairn_capture *capture = open_ok(folder->path, NULL);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "belong into the file of a trace"), 1);
    assert_int_equal(byte_at(capture, 0, CODE, 0), 0x00);
    cairn_capture_free(capture);
}

/* ---- another reader ---- */

/* How many lines of the lister's output for a buffer have `part`; -1: it is not installed. */
static int listed(const struct folder *folder, const char *buffer, const char *part)
{
    char command[512], line[512];
    int count = 0;
    if (system("command -v trc_pkt_lister >/dev/null 2>&1") != 0)
        return -1;
    snprintf(command, sizeof command,
             "trc_pkt_lister -ss_dir '%s' -src_name '%s' -decode -logstdout 2>&1", folder->path,
             buffer);
    FILE *output = popen(command, "r");
    assert_non_null(output);
    while (fgets(line, sizeof line, output))
        count += strstr(line, part) != NULL;
    assert_int_equal(pclose(output), 0);
    return count;
}

static void opencsd_reads(void **state)
{
    const struct folder *folder = *state;
    struct cairn_snapshot_stream streams[] = {stream_of("one", "core_a"),
                                              stream_of("two", "core_b")};
    static struct cairn_snapshot_span spans[CAIRN_SNAPSHOT_REPEATED_MOST / 2 + 1];
    const struct cairn_snapshot_epoch epoch = {
        {"memory.bin", CODE, 4, 8, NULL}, SECOND_ATOM, UINT64_MAX};
    streams[0].epochs = &epoch; /* which it does not know, and must pass over */
    streams[0].epoch_count = 1;
    streams[0].epochs_lost = 1;
    streams[1].file = "b.bin";
    struct cairn_snapshot_parts parts = parts_of(folder, streams, 2);
    folder_write(folder, "b.bin", trace, sizeof trace - 1);
    /* with a core each, and with one for both */
    const size_t some = 2, many = sizeof spans / sizeof spans[0];
    for (size_t i = 0; i < many; i++)
        spans[i] = (struct cairn_snapshot_span){"memory.bin", CODE + 0x10 * i, 8, i ? 4 : 0, NULL};
    parts.memory = spans;
    for (size_t count = some; count <= many; count += many - some) {
        parts.memory_count = count;
        write_ok(&parts);
        const int ranges = listed(folder, "one", "INSTR_RANGE(exec range=0x1000:[0x1008]");
        if (ranges < 0) {
            print_message("# skipped: trc_pkt_lister is not installed (Debian: libopencsd-bin)\n");
            skip();
        }
        assert_int_equal(ranges, 2);
        assert_int_equal(listed(folder, "two", "INSTR_RANGE(exec range=0x1000:[0x1008]"), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(round_trip),    TEST(overwrites_and_fails),          TEST(older_units),
        TEST(many_sources),  TEST(many_sources_with_much_memory), TEST(epochs_by_offset),
        TEST(epochs_decode), TEST(lost_epochs_are_told),          TEST(malformed_epochs),
        TEST(opencsd_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
