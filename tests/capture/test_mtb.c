/* SPDX-License-Identifier: BSD-2-Clause */
/* Dumps of a Micro Trace Buffer as captures: the bytes come in the order of the trace, and their
 * offsets in the file are those of the dump. Real ones under CAIRN_CAPTURES. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/mtb.h>

#include "folder.h"

#define RING 32

/* Packets 0x10 to 0x13, the oldest in the third place; 16 bytes before and 8 behind. */
static const uint8_t memory[16 + RING + 8] = {
    [16] = 0x12, [20] = 0x12, [24] = 0x14, [28] = 0x14,
    [32] = 0x0e, [36] = 0x0f, [40] = 0x10, [44] = 0x10,
};

static void set(struct cairn_capture_options *options, const struct cairn_register *registers,
                size_t count)
{
    options->protocol = CAIRN_PROTOCOL_MTB;
    options->registers = registers;
    options->register_count = count;
}

/* The file offset of each byte, by the runs of the reader. */
static void file_offsets(const struct cairn_capture *capture, uint64_t *offsets, size_t count)
{
    struct cairn_reader *reader;
    struct cairn_chunk chunk;
    size_t at = 0;
    assert_int_equal(cairn_reader_new(capture, 0, &reader, NULL), CAIRN_OK);
    for (;;) {
        assert_int_equal(cairn_reader_next(reader, &chunk), CAIRN_OK);
        if (!chunk.size)
            break;
        assert_int_equal(chunk.offset, at);
        for (size_t i = 0; i < chunk.run_count; i++) {
            assert_int_equal(chunk.runs[i].offset, at);
            for (uint64_t k = 0; k < chunk.runs[i].length; k++) {
                assert_true(at < count);
                offsets[at++] = chunk.runs[i].file_offset + k;
            }
        }
        assert_int_equal(at, chunk.offset + chunk.size);
        assert_int_equal(cairn_reader_file_position(reader), at);
    }
    assert_int_equal(at, count);
    cairn_reader_free(reader);
}

static void assert_order(const char *path, const struct cairn_capture_options *options,
                         const uint8_t *dump, size_t size, const struct cairn_span *parts)
{
    struct cairn_capture *capture = open_ok(path, options);
    uint64_t offsets[sizeof memory];
    size_t got, at = 0;
    assert_int_equal(buffer_at(capture, 0).format, CAIRN_FORMAT_SOURCE_DATA);
    assert_int_equal(source_at(capture, 0).arch.profile, CAIRN_PROFILE_M);
    uint8_t *bytes = read_source(capture, 0, &got);
    assert_int_equal(got, size);
    file_offsets(capture, offsets, size);
    for (; parts->length; parts++) {
        for (uint64_t i = 0; i < parts->length; i++, at++) {
            assert_int_equal(offsets[at], parts->offset + i);
            assert_int_equal(bytes[at], dump[parts->offset + i]);
        }
    }
    assert_int_equal(at, size);
    struct cairn_buffer_account account = {.size = sizeof account};
    assert_int_equal(cairn_capture_survey(capture, 0, &account, NULL, NULL, NULL), CAIRN_OK);
    assert_int_equal(account.data[0], size);
    free(bytes);
    cairn_capture_free(capture);
}

static void order(void **state)
{
    const struct folder *folder = *state;
    struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;
    const struct cairn_register wrapped[] = {{"POSITION", 0x14}, {"MASTER", 1}};
    const struct cairn_register placed[] = {
        {"POSITION", 0x14}, {"MASTER", 1}, {"BASE", 0x20000010}, {"DUMP", 0x20000000}};
    folder_write(folder, "ring.bin", memory + 16, RING);
    folder_write(folder, "ram.bin", memory, sizeof memory);
    set(&options, wrapped, 2);
    assert_order(folder_path(folder, "ring.bin"), &options, memory + 16, RING,
                 (const struct cairn_span[]){{16, 16}, {0, 16}, {0, 0}});
    set(&options, placed, 4);
    assert_order(folder_path(folder, "ram.bin"), &options, memory, sizeof memory,
                 (const struct cairn_span[]){{32, 16}, {16, 16}, {0, 16}, {48, 8}, {0, 0}});
}

static void described(void **state)
{
    const struct folder *folder = *state;
    struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;
    folder_write(folder, "ring.bin", memory + 16, RING);
    folder_text(folder, "mtb.ini",
                "[source core]\nprotocol=MTB\ncore=Cortex-M0+\nPOSITION=0x10\nMASTER=0x1\n");
    options.config_path = folder_path(folder, "mtb.ini");
    assert_order(folder_path(folder, "ring.bin"), &options, memory + 16, RING,
                 (const struct cairn_span[]){{0, 16}, {16, 16}, {0, 0}});
    /* a snapshot that names one */
    folder_text(folder, "snapshot.ini",
                "[device_list]\na=mtb_device.ini\n[trace]\nmetadata=trace.ini\n");
    folder_text(folder, "mtb_device.ini",
                "[device]\nname=MTB_0\nclass=trace_source\ntype=MTB\n[regs]\nPOSITION=0x14\n"
                "MASTER=0x1\n");
    folder_text(folder, "trace.ini",
                "[trace_buffers]\nbuffers=b\n[b]\nname=MTB_0\nfile=ring.bin\nformat=source_data\n"
                "[source_buffers]\nMTB_0=MTB_0\n");
    assert_order(folder->path, NULL, memory + 16, RING,
                 (const struct cairn_span[]){{16, 16}, {0, 16}, {0, 0}});
}

static void refused(void **state)
{
    const struct folder *folder = *state;
    struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;
    const struct cairn_register small[] = {{"POSITION", 0x14}, {"MASTER", 2}};
    const struct cairn_register lacking[] = {{"POSITION", 0x14}};
    folder_write(folder, "ring.bin", memory + 16, RING);
    set(&options, small, 2);
    open_fails(folder_path(folder, "ring.bin"), &options, CAIRN_E_CONFIG,
               "ring.bin: the dump has 32 bytes, but MASTER.MASK says that the buffer has 64");
    set(&options, lacking, 1);
    open_fails(folder_path(folder, "ring.bin"), &options, CAIRN_E_CONFIG, "MASTER is missing");
    set(&options, NULL, 0);
    options.format = CAIRN_FORMAT_CORESIGHT;
    open_fails(folder_path(folder, "ring.bin"), &options, CAIRN_E_CONFIG, "memory without frames");
}

/* "SOURCE>DESTINATION" of each packet of a real dump, which are all branches but for A. */
static void assert_packets(const char *name, const struct cairn_register *registers, size_t count,
                           const char *wanted)
{
    const char *captures = getenv("CAIRN_CAPTURES");
    char path[512], text[1024] = "";
    struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;
    snprintf(path, sizeof path, "%s/mtb/%s", captures, name);
    set(&options, registers, count);
    struct cairn_capture *capture = open_ok(path, &options);
    const struct cairn_source_info info = source_at(capture, 0);
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config;
    struct cairn_packets *packets;
    struct cairn_packet_batch *batch;
    size_t size, position = 0;
    source.protocol = info.protocol;
    source.arch = info.arch;
    source.registers = info.registers;
    source.register_count = info.register_count;
    assert_int_equal(cairn_config_new(&source, &config, NULL), CAIRN_OK);
    assert_int_equal(cairn_packets_new(config, &packets), CAIRN_OK);
    assert_int_equal(cairn_packet_batch_new(64, &batch), CAIRN_OK);
    uint8_t *bytes = read_source(capture, 0, &size);
    assert_int_equal(cairn_packets_run(packets, bytes, size, &position, batch), CAIRN_OK);
    assert_int_equal(position, size);
    assert_int_equal(batch->count, size / 8);
    for (size_t i = 0; i < batch->count; i++) {
        const struct cairn_packet_fields *fields = &batch->fields[i];
        const size_t at = strlen(text);
        assert_int_equal(batch->kind[i],
                         fields->info & CAIRN_MTB_A ? CAIRN_MTB_EXCEPTION : CAIRN_MTB_BRANCH);
        snprintf(text + at, sizeof text - at, "%s%llx>%llx%s%s", at ? " " : "",
                 (unsigned long long)fields->value, (unsigned long long)fields->address,
                 fields->info & CAIRN_MTB_A ? "A" : "", fields->info & CAIRN_MTB_S ? "S" : "");
    }
    assert_string_equal(text, wanted);
    free(bytes);
    cairn_packet_batch_free(batch);
    cairn_packets_free(packets);
    cairn_config_unref(config);
    cairn_capture_free(capture);
}

/* The listings are the published ones (vectors/mtb_vectors.txt). */
#define LOOP "20000348>2000032a"
#define CRASH                                                                                      \
    "20002f24>20001ef6 20001efa>20001f16 20001f16>20002bd4 20002bda>20002be6 20002bf2>20001f1a "   \
    "20001f1e>2000045e 20000468>200003ec 200003f6>bf00de4c bf00de4c>20000486A 20000488>200004e0"

static void real(void **state)
{
    const struct cairn_register loop[] = {
        {"POSITION", 0x30}, {"MASTER", 0x80000009}, {"FLOW", 0}, {"BASE", 0x2007e000}};
    const struct cairn_register wrapped[] = {{"POSITION", 0x1c}, {"MASTER", 3}};
    (void)state;
    if (!getenv("CAIRN_CAPTURES")) {
        print_message("# skipped: CAIRN_CAPTURES is not set\n");
        skip();
    }
    assert_packets("mtb_memfault_case0.bin", loop, 4,
                   "20000510>20000368S 2000036e>20000324 " LOOP " " LOOP " " LOOP " " LOOP);
    assert_packets("mtb_memfault_case2_last10.bin", NULL, 0, CRASH);
    assert_packets("mtb_derived_wrap_mask3.bin", wrapped, 2,
                   LOOP " " LOOP " " LOOP " " LOOP " " LOOP " " LOOP " " CRASH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(order, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(described, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(refused, folder_make, folder_remove),
        cmocka_unit_test(real),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
