/* SPDX-License-Identifier: BSD-2-Clause */
/* Dumps of a trace buffer in memory with its registers: the bytes come in the order of the trace, their
 * offsets in the file are those of the dump, and what is no trace has accounts of its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plain.h"

#define BASE UINT64_C(0xffff000010000000)
#define SIZE 0x1000u
#define AROUND 0x20u               /* memory before the buffer, and twice as much behind */
#define FILLED UINT64_C(0x520001)  /* TRBSR_EL1: IRQ, WRAP, S, BSC 1 */
#define WRAPPED UINT64_C(0x500000) /* IRQ, WRAP */
#define REGISTERS_MOST 12

/* A byte that tells where in the dump it is. */
static uint8_t dump_byte(size_t at)
{
    return (uint8_t)(at * 7 + (at >> 8));
}

static const char *write_dump(const struct folder *folder, size_t size)
{
    static uint8_t bytes[SIZE + 3 * AROUND];
    assert_true(size <= sizeof bytes);
    for (size_t i = 0; i < size; i++)
        bytes[i] = dump_byte(i);
    folder_write(folder, "dump.bin", bytes, size);
    return folder_path(folder, "dump.bin");
}

struct given {
    struct cairn_register registers[REGISTERS_MOST];
    size_t count;
};

static void set(struct given *given, const char *name, uint64_t value)
{
    assert_true(given->count < REGISTERS_MOST);
    given->registers[given->count++] = (struct cairn_register){.name = name, .value = value};
}

/* FM as a number. */
static struct given give(unsigned FM, uint64_t pointer, uint64_t TRBSR)
{
    struct given given = {.count = 0};
    set(&given, "TRBBASER_EL1", BASE);
    set(&given, "TRBLIMITR_EL1", (BASE + SIZE) | FM << 1);
    set(&given, "TRBPTR_EL1", pointer);
    set(&given, "TRBSR_EL1", TRBSR);
    set(&given, "TRBIDR_EL1", 0);
    return given;
}

static struct cairn_capture_options options_of(const struct given *given)
{
    struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;
    options.protocol = CAIRN_PROTOCOL_ETE;
    options.registers = given->registers;
    options.register_count = given->count;
    return options;
}

/* The parts of the dump, ended by one without length. */
static void assert_order(const char *path, const struct given *given, size_t size,
                         const struct cairn_span *parts, uint64_t unwritten, uint64_t outside)
{
    const struct cairn_capture_options options = options_of(given);
    struct cairn_capture *capture = open_ok(path, &options);
    struct cairn_buffer_account account = {.size = sizeof account};
    struct cairn_reader *reader;
    struct cairn_chunk chunk;
    uint64_t whole = 0, at = 0, left;
    size_t part = 0;

    for (size_t i = 0; parts[i].length; i++)
        whole += parts[i].length;
    assert_int_equal(buffer_at(capture, 0).format, CAIRN_FORMAT_SOURCE_DATA);
    assert_int_equal(buffer_at(capture, 0).bytes, size);
    assert_int_equal(cairn_capture_survey(capture, 0, &account, NULL, NULL, NULL), CAIRN_OK);
    assert_int_equal(account.data[0], whole);
    assert_int_equal(account.unwritten, unwritten);
    assert_int_equal(account.outside, outside);
    assert_int_equal(whole + unwritten + outside, size);
    assert_int_equal(cairn_reader_new(capture, 0, &reader, NULL), CAIRN_OK);
    assert_int_equal(cairn_reader_size(reader, NULL, NULL, &left), CAIRN_OK);
    assert_int_equal(left, whole);
    left = parts[0].length;
    for (;;) {
        assert_int_equal(cairn_reader_next(reader, &chunk), CAIRN_OK);
        if (!chunk.size)
            break;
        for (size_t i = 0; i < chunk.size; i++, at++, left--) {
            if (!left)
                left = parts[++part].length;
            const uint64_t offset = parts[part].offset + parts[part].length - left;
            assert_int_equal(chunk.data[i], dump_byte((size_t)offset));
            assert_int_equal(chunk.runs[0].file_offset + i, offset);
        }
    }
    assert_int_equal(at, whole);
    cairn_reader_free(reader);
    cairn_capture_free(capture);
}

static void order(void **state)
{
    const struct folder *folder = *state;
    const char *path = write_dump(folder, SIZE);

    struct given given = give(0, BASE + 0x700, 0);
    set(&given, "START", BASE + 0x100);
    assert_order(path, &given, SIZE, (struct cairn_span[]){{0x100, 0x600}, {0, 0}}, SIZE - 0x600,
                 0);
    given = give(0, BASE, FILLED);
    set(&given, "START", BASE + 0x100);
    assert_order(path, &given, SIZE, (struct cairn_span[]){{0x100, SIZE - 0x100}, {0, 0}}, 0x100,
                 0);
    given = give(1, BASE + 0x700, WRAPPED);
    assert_order(path, &given, SIZE,
                 (struct cairn_span[]){{0x700, SIZE - 0x700}, {0, 0x700}, {0, 0}}, 0, 0);
    set(&given, "START", BASE + 0x900);
    set(&given, "LAPS", 1);
    assert_order(path, &given, SIZE,
                 (struct cairn_span[]){{0x900, SIZE - 0x900}, {0, 0x700}, {0, 0}}, 0x200, 0);
    /* nothing was written */
    given = give(0, BASE, 0);
    assert_order(path, &given, SIZE, (struct cairn_span[]){{0, 0}}, SIZE, 0);
}

/* A dump of more than the buffer, or of no more than what was written. */
static void around(void **state)
{
    const struct folder *folder = *state;
    const char *path = write_dump(folder, SIZE + 3 * AROUND);

    struct given given = give(3, BASE + 0x700, WRAPPED);
    set(&given, "DUMP", BASE - AROUND);
    assert_order(path, &given, SIZE + 3 * AROUND,
                 (struct cairn_span[]){{AROUND + 0x700, SIZE - 0x700}, {AROUND, 0x700}, {0, 0}}, 0,
                 3 * AROUND);
    path = write_dump(folder, 0x700);
    given = give(0, BASE + 0x700, 0);
    assert_order(path, &given, 0x700, (struct cairn_span[]){{0, 0x700}, {0, 0}}, 0, 0);
    set(&given, "START", BASE + 0x300);
    set(&given, "DUMP", BASE + 0x200);
    assert_order(path, &given, 0x700, (struct cairn_span[]){{0x100, 0x400}, {0, 0}}, 0x300, 0);
}

static void assert_fails(const struct folder *folder, size_t size, const struct given *given,
                         cairn_status status, const char *part)
{
    const struct cairn_capture_options options = options_of(given);
    open_fails(write_dump(folder, size), &options, status, part);
}

static void damage(void **state)
{
    static const char *const needed[] = {"TRBBASER_EL1", "TRBLIMITR_EL1", "TRBPTR_EL1",
                                         "TRBSR_EL1"};
    const struct folder *folder = *state;

    struct given given = give(1, BASE + 0x700, WRAPPED);
    /* the file was cut, or is another one */
    for (size_t size = 0; size < SIZE; size += size < 8 ? 1 : 509)
        assert_fails(folder, size, &given, CAIRN_E_CONFIG, "of it are missing. Dump all");
    given = give(0, BASE + 0x700, 0);
    assert_fails(folder, 0x6ff, &given, CAIRN_E_CONFIG, "1 bytes of it are missing");
    set(&given, "DUMP", BASE + 1);
    assert_fails(folder, SIZE, &given, CAIRN_E_CONFIG, "the dump begins at 0xffff000010000001");
    given = give(0, BASE + 0x700, 0);
    set(&given, "DUMP", 0);
    assert_fails(folder, SIZE, &given, CAIRN_E_CONFIG, "of it are missing");
    /* registers that are missing, one at a time */
    for (size_t i = 0; i < 4; i++) {
        char part[64];
        given = give(0, BASE + 0x700, 0);
        given.registers[i] = given.registers[--given.count];
        snprintf(part, sizeof part, "%s is missing", needed[i]);
        assert_fails(folder, SIZE, &given, CAIRN_E_CONFIG, part);
    }
    /* registers that cannot be */
    given = give(0, BASE + SIZE, 0);
    assert_fails(folder, SIZE, &given, CAIRN_E_CONFIG, "outside of the trace buffer");
    given = give(0, BASE, 0);
    given.registers[1].value = BASE;
    assert_fails(folder, SIZE, &given, CAIRN_E_CONFIG, "there is no trace buffer");
    given = give(0, BASE, 0);
    set(&given, "START", BASE - 1);
    assert_fails(folder, SIZE, &given, CAIRN_E_CONFIG, "the session's first pointer");
    given = give(0, BASE, 0);
    set(&given, "GRANULE", 12);
    assert_fails(folder, SIZE, &given, CAIRN_E_CONFIG, "no translation granule");
    given = give(0, BASE, 0);
    set(&given, "MAPPING", 0x100);
    assert_fails(folder, SIZE, &given, CAIRN_E_CONFIG, "no memory attributes");
}

/* The same in the file beside the dump, where names may lack _EL1; options come before it. */
static void described(void **state)
{
    const struct folder *folder = *state;
    struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;
    struct cairn_capture *capture;
    size_t size;

    write_dump(folder, SIZE);
    folder_text(
        folder, "regs.ini",
        "[source cpu0]\ncore=Cortex-A710\nTRBBASER=0xffff000010000000\n"
        "trblimitr_el1=0xffff000010001002\nTRBPTR=0xffff000010000700\nTRBSR_EL1=0x500000\n");
    options.config_path = folder_path(folder, "regs.ini");
    capture = open_ok(folder_path(folder, "dump.bin"), &options);
    /* nobody said that it is ETE: these registers do */
    assert_int_equal(source_at(capture, 0).protocol, CAIRN_PROTOCOL_ETE);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, ""), 0);
    assert_int_equal(remarks_with(capture, CAIRN_NOTE, "Wrap mode, pointer 0xffff000010000700"), 1);
    assert_int_equal(remarks_with(capture, CAIRN_NOTE, "TRBIDR_EL1 is not given"), 1);
    free(read_source(capture, 0, &size));
    assert_int_equal(size, SIZE);
    cairn_capture_free(capture);
    const struct cairn_register pointer = {.name = "TRBPTR_EL1", .value = BASE + 0x10};
    const struct cairn_register status = {.name = "TRBSR_EL1", .value = 0};
    const struct cairn_register over[] = {pointer, status, {.name = "TRBPTX_EL1", .value = 0}};
    options.registers = over;
    options.register_count = 3;
    capture = open_ok(folder_path(folder, "dump.bin"), &options);
    free(read_source(capture, 0, &size));
    assert_int_equal(size, 0x10);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "did you mean TRBPTR_EL1"), 1);
    cairn_capture_free(capture);
    /* where the oldest byte is cannot be told twice, and there are no frames */
    options.register_count = 0;
    options.format = CAIRN_FORMAT_CORESIGHT;
    open_fails(folder_path(folder, "dump.bin"), &options, CAIRN_E_CONFIG, "has no frames");
    options.format = CAIRN_FORMAT_AUTO;
    folder_text(folder, "start.ini",
                "[buffer]\nstart=8\n[source cpu0]\nTRBBASER=0xffff000010000000\nTRBSR=0\n"
                "TRBLIMITR=0xffff000010001000\nTRBPTR=0xffff000010000700\n");
    options.config_path = folder_path(folder, "start.ini");
    open_fails(folder_path(folder, "dump.bin"), &options, CAIRN_E_CONFIG, "TRBPTR_EL1");
}

/* The stream in memory is the trace unit's bytes, whatever its trace ID is, and be they like frames. */
static void raw_stream(void **state)
{
    const struct folder *folder = *state;
    static uint8_t frames[SIZE];

    for (size_t i = 0; i < SIZE; i += sizeof plain_frames)
        memcpy(frames + i, plain_frames, sizeof plain_frames);
    folder_write(folder, "frames.bin", frames, sizeof frames);
    for (uint64_t id = 0x10; id < 0x30; id += 0x0f) {
        struct given given = give(0, BASE, FILLED);
        set(&given, "TRCTRACEIDR", id);
        const struct cairn_capture_options options = options_of(&given);
        struct cairn_capture *capture = open_ok(folder_path(folder, "frames.bin"), &options);
        size_t size;
        uint8_t *bytes = read_source(capture, 0, &size);
        assert_int_equal(size, SIZE);
        /* proves: R_PHSKP */
        assert_memory_equal(bytes, frames, SIZE);
        free(bytes);
        cairn_capture_free(capture);
    }
}

/* A snapshot whose trace unit has such registers is read by them; registers that do not fit leave the
 * file as it is, as everything odd does there. */
static void in_a_snapshot(void **state)
{
    const struct folder *folder = *state;
    static const char unit[] = "[device]\nname=ETM_0\nclass=trace_source\ntype=ETE\n[regs]\n"
                               "TRBBASER_EL1=0x1000\nTRBLIMITR_EL1=0x2002\nTRBSR_EL1=0x500000\n";
    char text[512];
    size_t size;

    write_plain(folder);
    folder_text(folder, "trace.ini", TRACE("source_data"));
    folder_write(folder, "trace.bin", (uint8_t[SIZE]){[0] = 1, [8] = 2}, SIZE);
    snprintf(text, sizeof text, "%sTRBPTR_EL1=0x1008\n", unit);
    folder_text(folder, "etm_0.ini", text);
    struct cairn_capture *capture = open_ok(folder->path, NULL);
    uint8_t *bytes = read_source(capture, 0, &size);
    assert_int_equal(size, SIZE);
    assert_int_equal(bytes[0], 2);
    assert_int_equal(bytes[SIZE - 8], 1);
    free(bytes);
    cairn_capture_free(capture);
    folder_text(folder, "etm_0.ini", unit);
    capture = open_ok(folder->path, NULL);
    bytes = read_source(capture, 0, &size);
    assert_int_equal(size, SIZE);
    assert_int_equal(bytes[0], 1);
    assert_int_equal(remarks_with(capture, CAIRN_PROBLEM, "TRBPTR_EL1 is missing"), 1);
    free(bytes);
    cairn_capture_free(capture);
}

/* ---- core files ---- */

#define HEADERS 0x200u
#define CORE_SIZE (HEADERS + SIZE + AROUND)

static void store(uint8_t *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* The n-th program header: PT_LOAD of `length` bytes at `offset` (System V ABI, ELF-64). */
static void put_segment(uint8_t *core, unsigned n, uint64_t offset, uint64_t address,
                        uint64_t physical, uint64_t length)
{
    uint8_t *at = core + 64 + n * 56;
    store(at, 1, 4);
    store(at + 8, offset, 8);
    store(at + 16, address, 8);
    store(at + 24, physical, 8);
    store(at + 32, length, 8);
}

/* Memory around the buffer in three segments: its second half stands in front of the first one. */
static void make_core(uint8_t core[CORE_SIZE])
{
    static const uint8_t ident[] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    for (size_t i = 0; i < CORE_SIZE; i++)
        core[i] = i < HEADERS ? 0 : dump_byte(i);
    memcpy(core, ident, sizeof ident);
    store(core + 16, 4, 2);
    store(core + 18, 183, 2);
    store(core + 32, 64, 8);
    store(core + 54, 56, 2);
    store(core + 56, 4, 2);
    store(core + 64 + 3 * 56, 4, 4); /* PT_NOTE, at the addresses of the rest */
    store(core + 64 + 3 * 56 + 16, BASE, 8);
    store(core + 64 + 3 * 56 + 32, SIZE, 8);
    put_segment(core, 0, HEADERS, BASE + SIZE / 2, 0x80000800, SIZE / 2);
    put_segment(core, 1, HEADERS + SIZE / 2, BASE, 0x80000000, SIZE / 2);
    put_segment(core, 2, HEADERS + SIZE, BASE + 0x100000, 0x90000000, AROUND);
}

static void core_file(void **state)
{
    const struct folder *folder = *state;
    static uint8_t core[CORE_SIZE];

    make_core(core);
    folder_write(folder, "vmcore", core, sizeof core);
    const char *path = folder_path(folder, "vmcore");
    /* a ring, the oldest at BASE + 0x700: that is in the first half, which is the second segment */
    struct given given = give(3, BASE + 0x700, WRAPPED);
    const uint64_t first = HEADERS + SIZE / 2, second = HEADERS;
    assert_order(path, &given, CORE_SIZE,
                 (struct cairn_span[]){
                     {first + 0x700, SIZE / 2 - 0x700}, {second, SIZE / 2}, {first, 0x700}, {0, 0}},
                 0, HEADERS + AROUND);
    /* the same by physical addresses */
    given.registers[0].value = 0x80000000;
    given.registers[1].value = 0x80001000 | 3 << 1 | 1 << 5;
    given.registers[2].value = 0x80000000 + 0x900;
    assert_order(
        path, &given, CORE_SIZE,
        (struct cairn_span[]){
            {second + 0x100, SIZE / 2 - 0x100}, {first, SIZE / 2}, {second, 0x100}, {0, 0}},
        0, HEADERS + AROUND);
    /* Fill: the rest of the buffer is not written */
    given = give(0, BASE + 0x10, 0);
    assert_order(path, &given, CORE_SIZE, (struct cairn_span[]){{first, 0x10}, {0, 0}}, SIZE - 0x10,
                 HEADERS + AROUND);
    /* told where it is, it is a dump as any other */
    set(&given, "DUMP", BASE - HEADERS);
    assert_order(path, &given, CORE_SIZE, (struct cairn_span[]){{HEADERS, 0x10}, {0, 0}},
                 SIZE - 0x10, HEADERS + AROUND);
}

static void core_damage(void **state)
{
    const struct folder *folder = *state;
    static uint8_t core[CORE_SIZE];
    const struct given given = give(3, BASE + 0x700, WRAPPED);
    const struct cairn_capture_options options = options_of(&given);

    /* cut anywhere: an error, and no crash */
    make_core(core);
    for (size_t size = 64; size < CORE_SIZE - AROUND; size += size < HEADERS ? 7 : 1021) {
        folder_write(folder, "vmcore", core, size);
        open_fails(folder_path(folder, "vmcore"), &options,
                   size < 64 + 4 * 56 ? CAIRN_E_FORMAT : CAIRN_E_CONFIG,
                   size < 64 + 4 * 56 ? "program headers" : "has no memory at the virtual address");
    }
    /* headers that cannot be */
    static const struct {
        unsigned at, bytes;
        uint64_t value;
    } wrong[] = {{32, 8, UINT64_MAX}, {32, 8, CORE_SIZE - 55}, {54, 2, 57}, {56, 2, 0xffff}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        make_core(core);
        store(core + wrong[i].at, wrong[i].value, wrong[i].bytes);
        folder_write(folder, "vmcore", core, sizeof core);
        open_fails(folder_path(folder, "vmcore"), &options, CAIRN_E_FORMAT, "program headers");
    }
    /* memory of more addresses than the file has bytes */
    make_core(core);
    put_segment(core, 0, CORE_SIZE - 1, BASE, 0, UINT64_MAX);
    folder_write(folder, "vmcore", core, sizeof core);
    open_fails(folder_path(folder, "vmcore"), &options, CAIRN_E_CONFIG, "has no memory at");
    /* the same bytes at two addresses: they may be trace twice, but are not counted twice */
    make_core(core);
    put_segment(core, 0, HEADERS, BASE, 0, SIZE);
    put_segment(core, 1, HEADERS, BASE + SIZE, 0, SIZE);
    folder_write(folder, "vmcore", core, sizeof core);
    struct given twice = give(0, BASE, FILLED);
    twice.registers[1].value = BASE + 2 * SIZE;
    const struct cairn_capture_options options_of_twice = options_of(&twice);
    open_fails(folder_path(folder, "vmcore"), &options_of_twice, CAIRN_E_FORMAT,
               "at several addresses");
    /* an ELF file that is no core file stays refused */
    make_core(core);
    store(core + 16, 2, 2);
    folder_write(folder, "program", core, sizeof core);
    open_fails(folder_path(folder, "program"), &options, CAIRN_E_FORMAT, "an ELF file");
}

/* A program that has dump and registers in memory: the same, without files. */
static void in_memory(void **state)
{
    struct cairn_capture *capture;
    struct cairn_buffer_options buffer = {.size = sizeof buffer};
    struct cairn_source_options source = CAIRN_SOURCE_OPTIONS_INIT;
    static uint8_t dump[SIZE];
    size_t index, size;

    (void)state;
    for (size_t i = 0; i < SIZE; i++)
        dump[i] = dump_byte(i);
    assert_int_equal(cairn_capture_new(&capture, NULL), CAIRN_OK);
    buffer.name = "cpu0";
    buffer.format = CAIRN_FORMAT_SOURCE_DATA;
    buffer.memory = dump;
    buffer.memory_size = SIZE;
    assert_int_equal(cairn_capture_put_buffer(capture, &buffer, &index, NULL), CAIRN_OK);
    struct given given = give(3, BASE + 0x700, WRAPPED);
    source.name = "cpu0";
    source.protocol = CAIRN_PROTOCOL_ETE;
    source.buffer = index;
    source.registers = given.registers;
    source.register_count = given.count;
    assert_int_equal(cairn_capture_put_source(capture, &source, NULL, NULL), CAIRN_OK);
    uint8_t *bytes = read_source(capture, 0, &size);
    assert_int_equal(size, SIZE);
    assert_memory_equal(bytes, dump + 0x700, SIZE - 0x700);
    assert_memory_equal(bytes + SIZE - 0x700, dump, 0x700);
    free(bytes);
    given.registers[2].value = BASE + SIZE;
    buffer.name = "cpu1";
    assert_int_equal(cairn_capture_put_buffer(capture, &buffer, &source.buffer, NULL), CAIRN_OK);
    struct cairn_error error = {0};
    assert_int_equal(cairn_capture_put_source(capture, &source, NULL, &error), CAIRN_E_CONFIG);
    assert_non_null(strstr(error.text, "outside of the trace buffer"));
    cairn_capture_free(capture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(order),     TEST(around),     TEST(damage),
                                       TEST(described), TEST(raw_stream), TEST(in_a_snapshot),
                                       TEST(in_memory), TEST(core_file),  TEST(core_damage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
