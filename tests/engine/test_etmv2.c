/* SPDX-License-Identifier: BSD-2-Clause */
/* Random A32 programs as an ETMv2 traces them, at each width of the port: what both decoders make of it
 * is what ran; of damaged samples, and of any bytes, they make the same, and packets do not depend on how
 * the bytes are cut. Sections are IHI0014's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare.h"
#include "etmv2_port.h"

enum {
    CODE = 64,    /* instructions of the program */
    STEPS = 1200, /* instructions that execute, at most */
    RECORDS = 64,
    SAMPLE = 4,
    GROUP = 32, /* bytes of a group, at most */
    SYNC = 150, /* cycles from one periodic TFO to the next */
    IRQ = 0x18,
};

#define BASE UINT32_C(0x8000)
#define ALWAYS UINT32_C(0xe0000000)

enum opcode {
    MOV = 0x01a00000, /* r0, r0 */
    LDR = 0x05901000, /* r1, [r0] */
    B = 0x0a000000,
    LDR_PC = 0x0590f000, /* [r0]: loads the PC */
    RETURN = 0x025ef004, /* SUBS pc, lr, #4 */
    AL = 0xe,
};

struct ran {
    uint32_t at;
    bool executed; /* or failed its condition */
};

struct etmv2_run {
    uint64_t random;
    uint32_t code[CODE];
    uint32_t control;
    bool values, addresses;
    struct port port;
    uint32_t branch; /* the address that branches are compressed against */
    uint32_t data;
    bool data_known;
    uint32_t pc;
    unsigned since; /* cycles, the last TFO */
    uint8_t group[GROUP];
    unsigned bytes;
    struct ran ran[STEPS];
    size_t count, seen;
};

static uint32_t below(struct etmv2_run *run, uint32_t limit)
{
    run->random ^= run->random >> 12;
    run->random ^= run->random << 25;
    run->random ^= run->random >> 27;
    return (uint32_t)((run->random * UINT64_C(0x2545f4914f6cdd1d)) >> 33) % limit;
}

/* --- the program --- */

static uint32_t random_insn(struct etmv2_run *run, unsigned at)
{
    const uint32_t cond = (below(run, 2) ? AL : below(run, AL)) << 28;

    switch (below(run, 8)) {
    case 0:
    case 1: return cond | LDR;
    case 2:
    case 3: return cond | B | ((below(run, CODE - 1) - at - 2) & 0xffffff);
    case 4: return cond | LDR_PC;
    default: return cond | MOV;
    }
}

static void make_program(struct etmv2_run *run)
{
    for (unsigned i = 0; i < CODE; i++)
        run->code[i] = random_insn(run, i);
    run->code[CODE - 1] = ALWAYS | B | ((0u - (CODE - 1) - 2) & 0xffffff);
}

static uint32_t insn_at(const struct etmv2_run *run, uint32_t address)
{
    return run->code[(address - BASE) / 4];
}

static bool is_branch(uint32_t insn)
{
    return (insn & 0x0f000000) == B;
}

static uint32_t target_of(uint32_t insn, uint32_t at)
{
    return at + 8 + ((insn & 0xffffff) << 2 | (insn & 0x800000 ? 0xfc000000 : 0));
}

/* --- packets (6.4, 6.7.1) --- */

static void put_byte(struct etmv2_run *run, unsigned byte)
{
    run->group[run->bytes++] = (uint8_t)byte;
}

/* With the fewest bytes, or more. */
static void put_branch(struct etmv2_run *run, uint32_t address, bool cancels)
{
    const uint64_t whole = ((UINT64_C(1) << 32 | address) >> 2) << 1 | 1;
    unsigned bytes = 1 + below(run, 5);

    while (bytes < 5 && (cancels || (address ^ run->branch) >> (bytes * 7 + 1) != 0))
        bytes++;
    for (unsigned i = 0; i < bytes; i++)
        put_byte(run, (unsigned)(whole >> (7 * i) & 0x7f) | (i + 1 < bytes ? 0x80u : 0) |
                          (i == 4 && cancels ? 0x40u : 0));
    run->branch = address;
}

static void put_value(struct etmv2_run *run, uint32_t value, unsigned size)
{
    for (unsigned i = 0; run->values && i < size; i++)
        put_byte(run, value >> (8 * i) & 0xff);
}

static unsigned size_code(uint32_t value, unsigned *size)
{
    const unsigned code = value == 0 ? 0 : value < 256 ? 1 : value < 65536 ? 2 : 3;

    *size = code == 3 ? 4 : code;
    return code;
}

/* `more`: a branch follows. */
static void put_load(struct etmv2_run *run, bool more)
{
    const uint32_t address = (below(run, 4) ? run->data : below(run, UINT32_MAX)) ^ below(run, 512);
    const uint32_t value = below(run, UINT32_MAX) >> below(run, 32);
    unsigned size;
    const unsigned code = size_code(value, &size);

    put_byte(run, 0x22u | code << 2 | (more ? 0x80u : 0));
    if (run->addresses) {
        unsigned bytes = 1;

        while (bytes < 5 && (!run->data_known || (address ^ run->data) >> (7 * bytes) != 0))
            bytes++;
        for (unsigned i = 0; i < bytes; i++)
            put_byte(run,
                     (address >> (7 * i) & (i == 4 ? 0xfu : 0x7fu)) | (i + 1 < bytes ? 0x80u : 0));
        run->data = address;
        run->data_known = true;
    }
    put_value(run, value, size);
}

/* --- execution --- */

static void ran(struct etmv2_run *run, uint32_t at, bool executed)
{
    run->ran[run->count++] = (struct ran){at, executed};
}

/* WT until there is room. */
static void wait_for_room(struct etmv2_run *run, unsigned bytes)
{
    while (!port_has_room(&run->port, bytes) && run->port.level > 0)
        port_cycle(&run->port, PORT_WT, NULL, 0);
}

static void put_status(struct etmv2_run *run, unsigned status)
{
    wait_for_room(run, run->bytes);
    port_cycle(&run->port, status | (run->bytes > 0), run->group, run->bytes);
    run->bytes = 0;
    run->since++;
}

static void put_tfo(struct etmv2_run *run, unsigned reason, uint32_t address)
{
    const uint8_t packet[] = {(uint8_t)(reason << 5), (uint8_t)address, (uint8_t)(address >> 8),
                              (uint8_t)(address >> 16), (uint8_t)(address >> 24)};

    wait_for_room(run, sizeof packet);
    port_tfo(&run->port, packet, sizeof packet);
    run->branch = address;
    run->data_known = run->data_known && reason == 0;
    run->since = 0;
}

/* The instruction's packets, into the group; returns whether it executed, and moves the PC. */
static bool execute(struct etmv2_run *run)
{
    const uint32_t at = run->pc;
    const uint32_t insn = insn_at(run, at);
    const bool executed = insn >> 28 == AL || below(run, 2);

    run->pc = at + 4;
    ran(run, at, executed);
    if (executed && is_branch(insn)) {
        run->pc = target_of(insn, at);
    } else if (executed && (insn & 0x0fffffff) == LDR_PC) {
        run->pc = BASE + 4 * below(run, CODE);
        if (run->values || run->addresses)
            put_load(run, true);
        put_branch(run, run->pc, false);
    } else if (executed && (insn & 0x0fffffff) == LDR && (run->values || run->addresses)) {
        put_load(run, false);
    }
    return executed;
}

/* An instruction that did not complete, and the handler's return to it (6.1.5). */
static void interrupt(struct etmv2_run *run)
{
    put_status(run, below(run, 2) ? PORT_IE : 2);
    put_branch(run, IRQ, true);
    put_status(run, PORT_WT);
    put_branch(run, run->pc, false);
    ran(run, IRQ, true);
    put_status(run, PORT_IE);
}

/* A branch that was predicted, and the instruction behind it (6.1.2). */
static void step(struct etmv2_run *run)
{
    const uint32_t at = run->pc;
    const bool branch = is_branch(insn_at(run, at));
    const bool first = execute(run);
    unsigned status = first ? 0 : 2;

    if (branch && !is_branch(insn_at(run, run->pc)) && below(run, 2))
        status = (first ? 8u : 12u) | (execute(run) ? 0u : 2u);
    if (run->since > SYNC && status == 0 && run->bytes == 0)
        put_tfo(run, 0, at);
    else
        put_status(run, status);
}

static void make_run(struct etmv2_run *run, uint64_t seed)
{
    static const uint8_t pins[] = {4, 8, 16};

    memset(run, 0, sizeof *run);
    run->random = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
    run->port.pins = pins[seed % 3];
    run->values = below(run, 2);
    run->addresses = below(run, 2);
    run->control = (uint32_t)(seed % 3) << 4 | (run->values ? 4u : 0) | (run->addresses ? 8u : 0) |
                   (below(run, 2) ? 1u << 12 : 0);
    make_program(run);
    run->pc = BASE;
    put_tfo(run, 1, run->pc);
    while (run->count + 4 < STEPS && port_has_room(&run->port, 0)) {
        if (below(run, 300) == 0)
            run->port.trigger = true;
        if (below(run, 8) == 0) {
            put_status(run, PORT_WT);
        } else if (below(run, 60) == 0) {
            interrupt(run);
        } else if (below(run, 200) == 0) {
            port_drain(&run->port);
            run->pc = BASE + 4 * below(run, CODE);
            put_tfo(run, 1 + below(run, 3), run->pc);
        } else {
            step(run);
        }
    }
    port_drain(&run->port);
}

/* --- what ran --- */

static struct cairn_config *config_of(const struct etmv2_run *run)
{
    const struct cairn_register registers[] = {{"ETMIDR", 0x41002110}, {"ETMCR", run->control}};
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config;

    source.protocol = CAIRN_PROTOCOL_ETMV2;
    source.arch = (struct cairn_arch){CAIRN_PROFILE_A, 5, 0, 0};
    source.registers = registers;
    source.register_count = 2;
    assert_int_equal(cairn_config_new(&source, &config, NULL), CAIRN_OK);
    return config;
}

static void put_words(uint8_t *bytes, const uint32_t *words, unsigned count)
{
    for (unsigned i = 0; i < 4 * count; i++)
        bytes[i] = (uint8_t)(words[i / 4] >> (8 * (i % 4)));
}

static struct cairn_image *image_of(const struct etmv2_run *run)
{
    const struct cairn_scope any = cairn_scope_any();
    const uint32_t handler = ALWAYS | RETURN;
    struct cairn_image *image;
    uint8_t code[4 * CODE], vector[4];

    put_words(code, run->code, CODE);
    put_words(vector, &handler, 1);
    assert_int_equal(cairn_image_new(&image), CAIRN_OK);
    assert_int_equal(cairn_image_add_bytes(image, "program", &any, CAIRN_ORDER_LITTLE, BASE, code,
                                           sizeof code, NULL),
                     CAIRN_OK);
    assert_int_equal(cairn_image_add_bytes(image, "vector", &any, CAIRN_ORDER_LITTLE, IRQ, vector,
                                           sizeof vector, NULL),
                     CAIRN_OK);
    return image;
}

static void check_records(struct etmv2_run *run, uint64_t seed,
                          const struct cairn_flow_batch *records)
{
    for (size_t i = 0; i < records->count; i++) {
        const uint32_t at = (uint32_t)records->address[i];

        const bool uncertain =
            records->kind[i] == CAIRN_FLOW_WARNING &&
            records->value[i] == CAIRN_WARNING_UNCERTAIN; /* behind it is an overflow */

        if (records->kind[i] == CAIRN_FLOW_GAP ||
            (records->kind[i] == CAIRN_FLOW_WARNING && !uncertain))
            fail_msg("seed %llu: kind %u, value %llu, at %x, cycle %llu", (unsigned long long)seed,
                     records->kind[i], (unsigned long long)records->value[i], (unsigned)at,
                     (unsigned long long)records->offset[i] / SAMPLE);
        if (records->kind[i] != CAIRN_FLOW_RANGE)
            continue;
        assert_true(run->seen < run->count);
        const struct ran *truth = &run->ran[run->seen++];
        const bool executed = (records->flags[i] & CAIRN_FLOW_TAKEN) != 0;

        if (truth->at != at || truth->executed != executed)
            fail_msg("seed %llu: %x %s ran, not %x, cycle %llu", (unsigned long long)seed,
                     (unsigned)truth->at, truth->executed ? "E" : "N", (unsigned)at,
                     (unsigned long long)records->offset[i] / SAMPLE);
    }
}

static void check_reference(struct etmv2_run *run, uint64_t seed, const struct engine_case *input)
{
    struct cairn_decoder *decoder;
    struct cairn_flow_batch *records;
    size_t position = 0;
    size_t given;

    assert_int_equal(cairn_decoder_new(input->config, input->image, &decoder), CAIRN_OK);
    assert_int_equal(cairn_flow_batch_new(RECORDS, &records), CAIRN_OK);
    do {
        records->count = 0;
        assert_int_equal(cairn_decoder_run(decoder, input->data, input->size, &position, records),
                         CAIRN_OK);
        check_records(run, seed, records);
    } while (records->count > 0);
    do {
        records->count = 0;
        assert_int_equal(cairn_decoder_finish(decoder, records), CAIRN_OK);
        given = records->count;
        check_records(run, seed, records);
    } while (given > 0);
    assert_int_equal(run->seen, run->count);
    cairn_flow_batch_free(records);
    cairn_decoder_free(decoder);
}

static unsigned rounds = 60;

static void what_ran(void **state)
{
    static struct etmv2_run run;

    (void)state;
    for (uint64_t seed = 1; seed <= rounds; seed++) {
        make_run(&run, seed);
        const struct engine_case input = {.config = config_of(&run),
                                          .image = image_of(&run),
                                          .data = run.port.bytes,
                                          .size = run.port.size};

        /* proves: ETM2-6.3-c */
        check_reference(&run, seed, &input);
        if (!engine_compare_ways(&input, UINT32_C(0x1001) << seed % 4, seed, stdout))
            fail_msg("seed %llu", (unsigned long long)seed);
        cairn_image_unref(input.image);
        cairn_config_unref(input.config);
    }
}

/* --- packets, however they are cut --- */

struct sum {
    uint64_t hash, bytes, packets;
};

static struct sum packets_of(struct cairn_config *config, const uint8_t *data, size_t size,
                             size_t most, size_t capacity)
{
    struct sum sum = {.hash = 0xcbf29ce484222325ull};
    struct cairn_packets *packets;
    struct cairn_packet_batch *batch;
    size_t at = 0;

    assert_int_equal(cairn_packets_new(config, &packets), CAIRN_OK);
    assert_int_equal(cairn_packet_batch_new(capacity, &batch), CAIRN_OK);
    for (;;) {
        const size_t end = size - at < most ? size : at + most;
        const bool ends = at == size;

        batch->count = 0;
        assert_int_equal(ends ? cairn_packets_finish(packets, batch)
                              : cairn_packets_run(packets, data, end, &at, batch),
                         CAIRN_OK);
        if (ends && batch->count == 0)
            break;
        for (size_t i = 0; i < batch->count; i++) {
            assert_int_equal(batch->offset[i], sum.bytes);
            assert_true(batch->length[i] > 0);
            sum.bytes += batch->length[i];
            sum.packets++;
            sum.hash = (sum.hash ^ batch->kind[i]) * 0x100000001b3ull;
            sum.hash = (sum.hash ^ batch->account[i]) * 0x100000001b3ull;
            sum.hash = (sum.hash ^ batch->fields[i].flags) * 0x100000001b3ull;
            sum.hash = (sum.hash ^ batch->fields[i].address) * 0x100000001b3ull;
        }
    }
    cairn_packet_batch_free(batch);
    cairn_packets_free(packets);
    assert_int_equal(sum.bytes, size);
    return sum;
}

static void check_cuts(struct cairn_config *config, const uint8_t *data, size_t size)
{
    const struct sum whole = packets_of(config, data, size, size, 256);
    const struct sum bytes = packets_of(config, data, size, 1, 3);
    const struct sum odd = packets_of(config, data, size, 7, 1);

    /* proves: ETM2-6.3-f */
    assert_memory_equal(&whole, &bytes, sizeof whole);
    assert_memory_equal(&whole, &odd, sizeof whole);
}

/* Bits, cycles taken out and put in twice, the wrong width, and cycles that are marked as lost. */
static void damage(struct etmv2_run *run)
{
    struct port *port = &run->port;

    for (unsigned i = 1 + below(run, 12); i > 0; i--) {
        const size_t at = below(run, (uint32_t)port->size / SAMPLE - 2) * SAMPLE;
        const size_t rest = port->size - at - SAMPLE;

        switch (below(run, 5)) {
        case 0: port->bytes[at + below(run, SAMPLE)] ^= (uint8_t)(1u << below(run, 8)); break;
        case 1: port->bytes[at] = (uint8_t)below(run, 16); break;
        case 2: port->bytes[at + 1] |= 4; break;
        case 3: memmove(port->bytes + at, port->bytes + at + SAMPLE, rest); break;
        default: memmove(port->bytes + at + SAMPLE, port->bytes + at, rest); break;
        }
    }
    if (below(run, 8) == 0)
        run->control ^= 0x10u; /* 4 pins for 8, and so on */
    run->control &= ~0x40u;
    if ((run->control & 0x30) == 0x30)
        run->control ^= 0x20u;
    port->size -= below(run, SAMPLE);
}

static void check_any(struct etmv2_run *run, uint64_t seed)
{
    const struct engine_case input = {.config = config_of(run),
                                      .image = image_of(run),
                                      .data = run->port.bytes,
                                      .size = run->port.size};

    check_cuts(input.config, input.data, input.size);
    if (!engine_compare_ways(&input, UINT32_C(0x0101) << seed % 8, seed, stdout))
        fail_msg("seed %llu", (unsigned long long)seed);
    cairn_image_unref(input.image);
    cairn_config_unref(input.config);
}

static void damaged(void **state)
{
    static struct etmv2_run run;

    (void)state;
    for (uint64_t seed = 1; seed <= rounds; seed++) {
        make_run(&run, seed + rounds);
        damage(&run);
        check_any(&run, seed);
    }
}

/* Bytes that were never on any pins; half of them look like statuses. */
static void any_bytes(void **state)
{
    static struct etmv2_run run;

    (void)state;
    for (uint64_t seed = 1; seed <= rounds; seed++) {
        make_run(&run, seed);
        run.port.size = 4 + below(&run, 4000);
        for (size_t i = 0; i < run.port.size; i++)
            run.port.bytes[i] = (uint8_t)below(&run, 256);
        for (size_t i = 0; i < run.port.size && seed % 2; i++) {
            if (i % SAMPLE == 0)
                run.port.bytes[i] &= 15;
            if (i % SAMPLE == 1)
                run.port.bytes[i] = 0;
            if (i % SAMPLE == 2 && below(&run, 2) && (run.port.bytes[i - 2] & 15) == 7)
                run.port.bytes[i] = 9;
            if (i % SAMPLE == 2 && below(&run, 2))
                run.port.bytes[i] &= 0xa0; /* headers of TFOs, and the like */
        }
        check_any(&run, seed);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_ran),
        cmocka_unit_test(damaged),
        cmocka_unit_test(any_bytes),
    };

    if (argc > 1)
        rounds = (unsigned)strtoul(argv[1], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
