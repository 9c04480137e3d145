/* SPDX-License-Identifier: BSD-2-Clause */
/* Flow records that were written by hand, told to a trace unit (<cairn/replay.h>): what the unit makes of them,
 * element by element. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/replay.h>

#include "base/bytes.h"

enum { TEXT_MAX = 4096, RECORDS_MAX = 32, CODE_MAX = 16 };

/* 0x1000: nop, b.eq 0x2000; 0x1008: nop, nop, isb, ret; 0x2000: wfi, svc, b 0x1000 */
static const uint32_t code_1000[] = {0xd503201f, 0x54007fe0, 0xd503201f,
                                     0xd503201f, 0xd5033fdf, 0xd65f03c0};
static const uint32_t code_2000[] = {0xd503207f, 0xd4000001, 0x17fffbfe};

struct bench {
    struct cairn_image *image;
    struct cairn_config *config;
    struct cairn_unit *unit;
    struct cairn_replay *replay;
    struct cairn_flow_batch *batch;
    char text[TEXT_MAX]; /* the elements, in words */
    size_t length;
    uint64_t code[CODE_MAX]; /* addresses told to `code` */
    size_t code_count;
    cairn_status refuse; /* what `code` answers */
};

static void watch(void *context, unsigned kind, uint16_t flags,
                  const struct cairn_element_data *data)
{
    struct bench *bench = context;
    const char *name = cairn_element_name(kind);
    size_t left = TEXT_MAX - bench->length;

    if (kind == CAIRN_ELEMENT_COMMIT || kind == CAIRN_ELEMENT_A_SYNC ||
        kind == CAIRN_ELEMENT_TRACE_INFO || kind == CAIRN_ELEMENT_TIMESTAMP_MARKER)
        return;
    char *to = bench->text + bench->length;
    switch (kind) {
    case CAIRN_ELEMENT_ATOM:
        bench->length += (size_t)snprintf(to, left, "%s ", flags & CAIRN_ELEMENT_E ? "E" : "N");
        break;
    case CAIRN_ELEMENT_TARGET_ADDRESS:
        bench->length += (size_t)snprintf(to, left, "@%llx ", (unsigned long long)data->address);
        break;
    case CAIRN_ELEMENT_EXCEPTION:
        bench->length +=
            (size_t)snprintf(to, left, "exception%llu@%llx ", (unsigned long long)data->value,
                             (unsigned long long)data->address);
        break;
    case CAIRN_ELEMENT_CONTEXT:
        bench->length += (size_t)snprintf(to, left, "EL%u ", data->context.EL);
        break;
    case CAIRN_ELEMENT_CYCLE_COUNT:
        bench->length +=
            (size_t)snprintf(to, left, flags & CAIRN_ELEMENT_UNKNOWN ? "cycles? " : "cycles%llu ",
                             (unsigned long long)data->value);
        break;
    case CAIRN_ELEMENT_TIMESTAMP:
        bench->length += (size_t)snprintf(to, left, "time%llu ", (unsigned long long)data->value);
        break;
    case CAIRN_ELEMENT_EVENT:
        bench->length += (size_t)snprintf(to, left, "event%llu ", (unsigned long long)data->value);
        break;
    default: bench->length += (size_t)snprintf(to, left, "%s ", name); break;
    }
}

static cairn_status code(void *context, uint64_t address, const uint8_t *bytes, size_t size)
{
    struct bench *bench = context;

    assert_non_null(bytes);
    assert_true(size >= 4);
    assert_true(bench->code_count < CODE_MAX);
    bench->code[bench->code_count++] = address;
    return bench->refuse;
}

static struct cairn_config *config_of(enum cairn_protocol_id protocol, const char *core,
                                      const struct cairn_register *registers, size_t count)
{
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config = NULL;

    source.protocol = protocol;
    assert_int_equal(cairn_arch_from_name(core, &source.arch), CAIRN_OK);
    source.registers = registers;
    source.register_count = count;
    assert_int_equal(cairn_config_new(&source, &config, NULL), CAIRN_OK);
    return config;
}

struct made {
    enum cairn_protocol_id from, to;
    struct cairn_register source[2], unit[4];
    size_t source_count, unit_count;
    uint32_t flags;
    bool code;
};

/* Instructions are little endian on any machine. */
static void add_code(struct cairn_image *image, uint64_t address, const uint32_t *words,
                     size_t count)
{
    uint8_t bytes[4 * 64];

    assert_true(count <= sizeof bytes / 4);
    for (size_t i = 0; i < count; i++)
        cairn_store_le32(bytes + 4 * i, words[i]);
    assert_int_equal(cairn_image_add_bytes(image, "code", NULL, CAIRN_ORDER_LITTLE, address, bytes,
                                           4 * count, NULL),
                     CAIRN_OK);
}

static void make(struct bench *bench, const struct made *made)
{
    struct cairn_unit_options unit = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_replay_options options = CAIRN_REPLAY_OPTIONS_INIT;

    memset(bench, 0, sizeof *bench);
    assert_int_equal(cairn_image_new(&bench->image), CAIRN_OK);
    add_code(bench->image, 0x1000, code_1000, sizeof code_1000 / sizeof *code_1000);
    add_code(bench->image, 0x2000, code_2000, sizeof code_2000 / sizeof *code_2000);
    bench->config =
        config_of(made->from, made->from <= CAIRN_PROTOCOL_ETE ? "ARMv9-A" : "Cortex-A15",
                  made->source, made->source_count);
    unit.protocol = made->to;
    unit.arch = *cairn_config_arch(bench->config);
    unit.registers = made->unit;
    unit.register_count = made->unit_count;
    unit.watch = watch;
    unit.watch_context = bench;
    assert_int_equal(cairn_unit_new(&unit, &bench->unit, NULL), CAIRN_OK);
    options.flags = made->flags;
    if (made->code) {
        options.code = code;
        options.context = bench;
    }
    assert_int_equal(
        cairn_replay_new(bench->config, bench->image, bench->unit, &options, &bench->replay, NULL),
        CAIRN_OK);
    assert_int_equal(cairn_flow_batch_new(RECORDS_MAX, &bench->batch), CAIRN_OK);
}

static void end(struct bench *bench)
{
    cairn_replay_free(bench->replay);
    cairn_unit_free(bench->unit);
    cairn_config_unref(bench->config);
    cairn_image_unref(bench->image);
    cairn_flow_batch_free(bench->batch);
}

static void add(struct bench *bench, unsigned kind, unsigned flags, uint64_t address,
                uint64_t value, uint32_t instructions)
{
    struct cairn_flow_batch *batch = bench->batch;
    const size_t i = batch->count++;

    assert_true(i < RECORDS_MAX);
    batch->kind[i] = (uint8_t)kind;
    batch->flags[i] = (uint16_t)flags;
    batch->isa[i] = kind == CAIRN_FLOW_RANGE ? CAIRN_ISA_A64 : 0;
    batch->instructions[i] = instructions;
    batch->offset[i] = i;
    batch->length[i] = 1;
    batch->address[i] = address;
    batch->value[i] = value;
}

static void range(struct bench *bench, uint64_t address, uint64_t to, char outcome)
{
    add(bench, CAIRN_FLOW_RANGE,
        (outcome ? CAIRN_FLOW_P0 : 0) | (outcome == 'E' ? CAIRN_FLOW_TAKEN : 0), address, to,
        (uint32_t)(to - address) / 4);
}

static void context(struct bench *bench, unsigned el)
{
    add(bench, CAIRN_FLOW_CONTEXT, 0, 0, el | CAIRN_NONSECURE << 2 | 1u << 4, 0);
}

static void event(struct bench *bench, unsigned kind, uint64_t address, uint64_t value)
{
    add(bench, kind, 0, address, value, 0);
}

/* All of it is told, and then the flow ends. */
static void expect(struct bench *bench, const char *elements)
{
    assert_int_equal(cairn_replay_records(bench->replay, bench->batch), CAIRN_OK);
    assert_int_equal(cairn_replay_end(bench->replay), CAIRN_OK);
    assert_string_equal(bench->text, elements);
}

static struct cairn_replay_counts counts(const struct bench *bench)
{
    struct cairn_replay_counts counts = {.size = sizeof counts};

    cairn_replay_counts(bench->replay, &counts);
    return counts;
}

#define ETE_TO_ETE .from = CAIRN_PROTOCOL_ETE, .to = CAIRN_PROTOCOL_ETE

static void test_ranges(void **state)
{
    struct bench b;

    (void)state;
    make(&b, &(struct made){ETE_TO_ETE});
    event(&b, CAIRN_FLOW_SYNC, 0, 0);
    event(&b, CAIRN_FLOW_TRACE_ON, 0, 0);
    context(&b, 1);
    range(&b, 0x1000, 0x1008, 'N');
    range(&b, 0x1008, 0x1014, 'E');
    range(&b, 0x1014, 0x1018, 'E');
    range(&b, 0x1000, 0x1008, 'E');
    range(&b, 0x2000, 0x2008, 0);
    event(&b, CAIRN_FLOW_EXCEPTION, 0x2008, CAIRN_EXCEPTION_CALL);
    context(&b, 2);
    range(&b, 0x1014, 0x1018, 'E');
    expect(&b, "Trace On @1000 EL1 N E E @1000 E exception2@2008 @1014 EL2 E ");
    assert_int_equal(counts(&b).ranges, 6);
    assert_int_equal(counts(&b).instructions, 11);
    assert_int_equal(counts(&b).exceptions, 1);
    assert_int_equal(counts(&b).cycles, 11);
    assert_int_equal(counts(&b).trace_ons, 1);
    end(&b);
}

/* Batch by batch, and in one: the unit cannot tell. */
static void test_batches(void **state)
{
    struct bench b;

    (void)state;
    make(&b, &(struct made){ETE_TO_ETE});
    for (unsigned i = 0; i < 6; i++) {
        b.batch->count = 0;
        switch (i) {
        case 0: context(&b, 0); break;
        case 1: range(&b, 0x2000, 0x2004, 0); break;
        case 2: range(&b, 0x2004, 0x2008, 0); break;
        case 3: event(&b, CAIRN_FLOW_EXCEPTION, 0x2008, CAIRN_EXCEPTION_IRQ); break;
        case 4: break;
        default: range(&b, 0x1014, 0x1018, 'E'); break;
        }
        if (i < 5)
            assert_int_equal(cairn_replay_records(b.replay, b.batch), CAIRN_OK);
    }
    expect(&b, "Trace On @2000 EL0 exception14@2008 @1014 E ");
    end(&b);
}

/* WFI is P0 in the other unit: inside a range it was executed; and blocks that go on in the next range are one. */
static void test_other_blocks(void **state)
{
    const struct made wfx = {ETE_TO_ETE, .unit = {{"TRCIDR2", 0xd0001088}}, .unit_count = 1};
    const struct made waits = {ETE_TO_ETE, .source = {{"TRCIDR2", 0xd0001088}}, .source_count = 1};
    const struct made touches = {
        ETE_TO_ETE, .source = {{"TRCIDR2", 0xd0001088}}, .source_count = 1,
        .unit = {{"TRCVIIECTLR", 1}, {"TRCACVR0", 0x2008}, {"TRCACVR1", 0x200b}}, .unit_count = 3};
    struct bench b;

    (void)state;
    make(&b, &wfx);
    context(&b, 1);
    range(&b, 0x2000, 0x200c, 'E');
    expect(&b, "Trace On @2000 EL1 E E ");
    end(&b);
    make(&b, &waits);
    context(&b, 1);
    range(&b, 0x2000, 0x2004, 'E');
    range(&b, 0x2004, 0x200c, 'E');
    expect(&b, "Trace On @2000 EL1 E ");
    end(&b);
    make(&b, &touches); /* the whole block touches the range */
    context(&b, 1);
    range(&b, 0x2000, 0x2004, 'E');
    range(&b, 0x2004, 0x200c, 'E');
    expect(&b, "Trace On @2000 EL1 E ");
    end(&b);
}

/* Wherever the flow does not go on, the unit has a Trace On: also where the next address happens to follow. */
static void test_breaks(void **state)
{
    static const unsigned kinds[] = {CAIRN_FLOW_TRACE_ON, CAIRN_FLOW_GAP, CAIRN_FLOW_OVERFLOW,
                                     CAIRN_FLOW_DISCARD};
    struct bench b;

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        make(&b, &(struct made){ETE_TO_ETE});
        context(&b, 1);
        range(&b, 0x1000, 0x1008, 'N');
        event(&b, kinds[i], 0, CAIRN_GAP_NO_IMAGE);
        range(&b, 0x1008, 0x1014, 'E');
        expect(&b, "Trace On @1000 EL1 N Trace On @1008 E ");
        assert_int_equal(
            counts(&b).trace_ons + counts(&b).gaps + counts(&b).overflows + counts(&b).discards, 1);
        assert_int_equal(counts(&b).halts, 0);
        end(&b);
    }
    make(&b, &(struct made){
                 ETE_TO_ETE}); /* a Q with a path is in the ranges behind it; one without is not */
    context(&b, 1);
    event(&b, CAIRN_FLOW_Q, 0x1000, 2);
    range(&b, 0x1000, 0x1008, 'N');
    add(&b, CAIRN_FLOW_Q, CAIRN_FLOW_UNKNOWN, 0x1008, 2, 0);
    range(&b, 0x1008, 0x1014, 'E');
    expect(&b, "Trace On @1000 EL1 N Trace On @1008 E ");
    assert_int_equal(counts(&b).unknown_qs, 1);
    end(&b);
}

/* Instructions that nothing ends: with a Debug halt, without, and where the flow ends. */
static void test_halts(void **state)
{
    struct bench b;

    (void)state;
    make(&b, &(struct made){ETE_TO_ETE});
    context(&b, 1);
    range(&b, 0x1008, 0x1010, 0);
    event(&b, CAIRN_FLOW_GAP, 0x1010, CAIRN_GAP_NO_IMAGE);
    range(&b, 0x2000, 0x2004, 0);
    expect(&b, "Trace On @1008 EL1 exception1@1010 Trace On @2000 exception1@2004 ");
    assert_int_equal(counts(&b).halts, 2);
    assert_int_equal(counts(&b).cut, 0);
    end(&b);
    make(&b, &(struct made){ETE_TO_ETE, .flags = CAIRN_REPLAY_NO_HALTS});
    context(&b, 1);
    range(&b, 0x1000, 0x1008, 'N');
    range(&b, 0x1008, 0x1010, 0);
    event(&b, CAIRN_FLOW_GAP, 0x1010, CAIRN_GAP_NO_IMAGE);
    range(&b, 0x2000, 0x2004, 0);
    expect(&b, "Trace On @1000 EL1 N Trace On @2000 ");
    assert_int_equal(counts(&b).halts, 0);
    assert_int_equal(counts(&b).cut, 3);
    end(&b);
}

/* A count is of the time before the P0 element that it stands behind, and so is a timestamp. */
static void test_time(void **state)
{
    const struct made told = {ETE_TO_ETE, .source = {{"TRCCONFIGR", 0x811}}, .source_count = 1,
                              .unit = {{"TRCCONFIGR", 0x811}, {"TRCCCCTLR", 4}}, .unit_count = 2};
    const struct made counted = {ETE_TO_ETE, .unit = {{"TRCCONFIGR", 0x11}, {"TRCCCCTLR", 1}},
                                 .unit_count = 2};
    struct bench b;

    (void)state;
    make(&b, &told);
    context(&b, 1);
    range(&b, 0x1000, 0x1008, 'N');
    event(&b, CAIRN_FLOW_CYCLES, 100, 100);
    range(&b, 0x1008, 0x1014, 'E');
    event(&b, CAIRN_FLOW_CYCLES, 117, 17);
    event(&b, CAIRN_FLOW_TIMESTAMP, 0, 4711);
    range(&b, 0x1014, 0x1018, 'E');
    range(&b, 0x2000, 0x2008, 0);
    event(&b, CAIRN_FLOW_EXCEPTION, 0x2008, CAIRN_EXCEPTION_IRQ);
    event(&b, CAIRN_FLOW_CYCLES, 126, 9);
    event(&b, CAIRN_FLOW_TIMESTAMP, 0, 4800);
    expect(
        &b,
        "Trace On @1000 EL1 N cycles? time0 E cycles17 time4711 E @2000 exception14@2008 cycles9 "
        "time4800 ");
    assert_int_equal(counts(&b).cycles, 126);
    end(&b);
    make(&b, &counted); /* of a flow that tells none: an instruction each */
    context(&b, 1);
    range(&b, 0x1000, 0x1008, 'N');
    range(&b, 0x1008, 0x1014, 'E');
    range(&b, 0x1014, 0x1018, 'E');
    expect(&b, "Trace On @1000 EL1 N cycles? E cycles3 E cycles1 ");
    end(&b);
}

static void test_events(void **state)
{
    const struct made made = {ETE_TO_ETE, .unit = {{"TRCEVENTCTL1R", 0xf}}, .unit_count = 1};
    struct made kept = made;
    struct bench b;

    (void)state;
    make(&b, &made);
    context(&b, 1);
    range(&b, 0x1000, 0x1008, 'N');
    event(&b, CAIRN_FLOW_EVENT, 0, 2);
    event(&b, CAIRN_FLOW_INSTRUMENTATION, 1, 7);
    range(&b, 0x1008, 0x1014, 'E');
    expect(&b, "Trace On @1000 EL1 N E ");
    assert_int_equal(counts(&b).events, 1);
    assert_int_equal(counts(&b).instrumentation, 1);
    end(&b);
    kept.flags = CAIRN_REPLAY_EVENTS;
    make(&b, &kept);
    context(&b, 1);
    range(&b, 0x1000, 0x1008, 'N');
    event(&b, CAIRN_FLOW_EVENT, 0, 2);
    range(&b, 0x1008, 0x1014, 'E');
    expect(&b, "Trace On @1000 EL1 N event2 E ");
    assert_int_equal(counts(&b).events, 0);
    end(&b);
}

/* A context in which nothing is executed is not told; one that is, with what is executed first in it. */
static void test_contexts(void **state)
{
    struct bench b;

    (void)state;
    make(&b, &(struct made){ETE_TO_ETE});
    context(&b, 3);
    context(&b, 1);
    range(&b, 0x1000, 0x1008, 'N');
    context(&b, 2);
    event(&b, CAIRN_FLOW_TRACE_ON, 0, 0);
    context(&b, 0);
    event(&b, CAIRN_FLOW_EXCEPTION, 0x1008, CAIRN_EXCEPTION_IRQ);
    context(&b, 1);
    expect(&b, "Trace On @1000 EL1 N Trace On @1008 EL0 exception14@1008 ");
    end(&b);
}

static void test_transactions(void **state)
{
    struct bench b;

    (void)state;
    make(&b, &(struct made){ETE_TO_ETE});
    context(&b, 1);
    range(&b, 0x1000, 0x1008, 'N');
    event(&b, CAIRN_FLOW_TRANSACTION_START, 0x1008, 0);
    range(&b, 0x1008, 0x1014, 'E');
    event(&b, CAIRN_FLOW_TRANSACTION_COMMIT, 0x1014, 0);
    range(&b, 0x1014, 0x1018, 'E');
    event(&b, CAIRN_FLOW_TRANSACTION_COMMIT, 0x1014, 0); /* of none */
    expect(&b, "Trace On @1000 EL1 N Transaction Start E Transaction Commit E ");
    end(&b);
}

/* Code is told before it is executed, once; and whoever is told can end it. */
static void test_code(void **state)
{
    struct bench b;

    (void)state;
    make(&b, &(struct made){ETE_TO_ETE, .code = true});
    context(&b, 1);
    range(&b, 0x1000, 0x1008, 'N');
    range(&b, 0x1008, 0x1014, 'E');
    range(&b, 0x1014, 0x1018, 'E');
    range(&b, 0x1000, 0x1008, 'E');
    range(&b, 0x2000, 0x200c, 'E');
    range(&b, 0x1000, 0x1008, 'N');
    assert_int_equal(cairn_replay_records(b.replay, b.batch), CAIRN_OK);
    assert_int_equal(b.code_count, 4);
    assert_int_equal(b.code[0], 0x1000);
    assert_int_equal(b.code[3], 0x2000);
    end(&b);
    make(&b, &(struct made){ETE_TO_ETE, .code = true});
    b.refuse = CAIRN_E_IO;
    context(&b, 1);
    range(&b, 0x1000, 0x1008, 'N');
    assert_int_equal(cairn_replay_records(b.replay, b.batch), CAIRN_E_IO);
    assert_int_equal(cairn_replay_end(b.replay), CAIRN_E_IO);
    end(&b);
}

/* What the image has not any more, and what such a unit's core has not. */
static void test_cannot(void **state)
{
    struct bench b;

    (void)state;
    make(&b, &(struct made){ETE_TO_ETE});
    context(&b, 1);
    range(&b, 0x1000, 0x1008, 'N');
    range(&b, 0x9000, 0x9010, 'E');
    range(&b, 0x1008, 0x1014, 'E');
    expect(&b, "Trace On @1000 EL1 N Trace On @1008 E ");
    assert_int_equal(counts(&b).no_memory, 4);
    end(&b);
    make(&b, &(struct made){.from = CAIRN_PROTOCOL_ETE, .to = CAIRN_PROTOCOL_MTB});
    context(&b, 1);
    range(&b, 0x1000, 0x1008, 'N');
    event(&b, CAIRN_FLOW_EXCEPTION, 0x1008, CAIRN_EXCEPTION_IRQ);
    expect(&b, "");
    assert_int_equal(counts(&b).unknown_isa, 2);
    assert_int_equal(counts(&b).exceptions, 0);
    end(&b);
}

/* A PTM's exception numbers are others. */
static void test_exception_numbers(void **state)
{
    static const struct {
        uint8_t from, to;
    } rows[] = {{1, CAIRN_EXCEPTION_DEBUG_HALT},
                {2, CAIRN_EXCEPTION_CALL},
                {4, CAIRN_EXCEPTION_SYSTEM_ERROR},
                {9, CAIRN_EXCEPTION_TRAP},
                {10, CAIRN_EXCEPTION_CALL},
                {11, CAIRN_EXCEPTION_INST_FAULT},
                {12, CAIRN_EXCEPTION_DATA_FAULT},
                {14, CAIRN_EXCEPTION_IRQ},
                {15, CAIRN_EXCEPTION_FIQ},
                {13, CAIRN_EXCEPTION_IMPLEMENTATION_DEFINED},
                {77, CAIRN_EXCEPTION_IMPLEMENTATION_DEFINED}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench b;
        char wanted[64];

        make(&b, &(struct made){.from = CAIRN_PROTOCOL_PTM, .to = CAIRN_PROTOCOL_ETE});
        add(&b, CAIRN_FLOW_CONTEXT, 0, 0, CAIRN_NONSECURE << 2, 0);
        range(&b, 0x1000, 0x1004, 0);
        b.batch->isa[1] = CAIRN_ISA_A32;
        event(&b, CAIRN_FLOW_EXCEPTION, 0x1004, rows[i].from);
        snprintf(wanted, sizeof wanted, "Trace On @1000 EL0 exception%u@1004 ", rows[i].to);
        expect(&b, wanted);
        end(&b);
    }
}

static void test_arguments(void **state)
{
    struct cairn_replay_options options = CAIRN_REPLAY_OPTIONS_INIT;
    struct cairn_error error = {.status = CAIRN_OK};
    struct cairn_replay *replay = NULL;
    struct bench b;

    (void)state;
    make(&b, &(struct made){ETE_TO_ETE});
    assert_int_equal(cairn_replay_new(NULL, b.image, b.unit, NULL, &replay, &error),
                     CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_replay_new(b.config, b.image, NULL, NULL, &replay, NULL),
                     CAIRN_E_ARGUMENT);
    options.flags = 1u << 31;
    assert_int_equal(cairn_replay_new(b.config, b.image, b.unit, &options, &replay, &error),
                     CAIRN_E_ARGUMENT);
    struct cairn_config *m = config_of(CAIRN_PROTOCOL_ETMV3, "Cortex-M4", NULL, 0);
    assert_int_equal(cairn_replay_new(m, b.image, b.unit, NULL, &replay, &error),
                     CAIRN_E_UNSUPPORTED);
    assert_non_null(strstr(error.text, "M profile"));
    assert_null(replay);
    cairn_replay_free(NULL);
    cairn_config_unref(m);
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges),       cmocka_unit_test(test_batches),
        cmocka_unit_test(test_other_blocks), cmocka_unit_test(test_breaks),
        cmocka_unit_test(test_halts),        cmocka_unit_test(test_time),
        cmocka_unit_test(test_events),       cmocka_unit_test(test_contexts),
        cmocka_unit_test(test_transactions), cmocka_unit_test(test_code),
        cmocka_unit_test(test_cannot),       cmocka_unit_test(test_exception_numbers),
        cmocka_unit_test(test_arguments),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
