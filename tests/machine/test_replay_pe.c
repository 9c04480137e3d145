/* SPDX-License-Identifier: BSD-2-Clause */
/* Flow records that were written by hand, told to a PE (<cairn/replay.h>): what its trace buffer, its branch
 * records and its counters make of them. */
#include <stdlib.h>
#include <string.h>

#include <cairn/replay.h>

#include "base/bytes.h"

#include "traced_pe.h"

enum { RECORDS_MAX = 32, BUFFER_SIZE = 4096 };

/* 0x1000: nop, svc, b.eq 0x1000, ret; 0x8000: nop, eret */
static const uint32_t code_1000[] = {0xd503201f, 0xd4000001, 0x54ffffc0, 0xd65f03c0};
static const uint32_t code_8000[] = {0xd503201f, 0xd69f03e0};

struct bench {
    struct cairn_image *image;
    struct cairn_config *config;
    struct cairn_flow_batch *batch;
    struct cairn_pe *pe;
    struct traced_bytes bus, memory;
};

static void add_code(struct cairn_image *image, uint64_t address, const uint32_t *words,
                     size_t count)
{
    uint8_t bytes[4 * 8];

    assert_true(count <= sizeof bytes / 4);
    for (size_t i = 0; i < count; i++)
        cairn_store_le32(bytes + 4 * i, words[i]);
    assert_int_equal(cairn_image_add_bytes(image, "code", NULL, CAIRN_ORDER_LITTLE, address, bytes,
                                           4 * count, NULL),
                     CAIRN_OK);
}

static struct cairn_unit_options unit_options(struct bench *bench)
{
    struct cairn_unit_options unit = CAIRN_UNIT_OPTIONS_INIT;

    unit.arch = *cairn_config_arch(bench->config);
    unit.sink = traced_take;
    unit.sink_context = &bench->bus;
    return unit;
}

static void put(struct bench *bench, const char *name, uint64_t value)
{
    traced_put(bench->pe, name, value);
}

static struct bench *begin(void)
{
    struct bench *bench = calloc(1, sizeof *bench);
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_unit_options unit;

    assert_non_null(bench);
    assert_int_equal(cairn_image_new(&bench->image), CAIRN_OK);
    add_code(bench->image, 0x1000, code_1000, sizeof code_1000 / sizeof *code_1000);
    add_code(bench->image, 0x8000, code_8000, sizeof code_8000 / sizeof *code_8000);
    source.protocol = CAIRN_PROTOCOL_ETE;
    assert_int_equal(cairn_arch_from_name("ARMv9-A", &source.arch), CAIRN_OK);
    assert_int_equal(cairn_config_new(&source, &bench->config, NULL), CAIRN_OK);
    assert_int_equal(cairn_flow_batch_new(RECORDS_MAX, &bench->batch), CAIRN_OK);
    unit = unit_options(bench);
    bench->pe = traced_pe(&unit, &bench->memory, 0);
    put(bench, "TRCPRGCTLR", 1);
    return bench;
}

static void end(struct bench *bench)
{
    cairn_pe_free(bench->pe);
    cairn_config_unref(bench->config);
    cairn_image_unref(bench->image);
    cairn_flow_batch_free(bench->batch);
    free(bench);
}

static void add(struct bench *bench, unsigned kind, unsigned flags, uint64_t address,
                uint64_t value)
{
    struct cairn_flow_batch *batch = bench->batch;
    const size_t i = batch->count++;

    assert_true(i < RECORDS_MAX);
    batch->kind[i] = (uint8_t)kind;
    batch->flags[i] = (uint16_t)flags;
    batch->isa[i] = kind == CAIRN_FLOW_RANGE ? CAIRN_ISA_A64 : 0;
    batch->instructions[i] = kind == CAIRN_FLOW_RANGE ? (uint32_t)(value - address) / 4 : 0;
    batch->offset[i] = i;
    batch->length[i] = 1;
    batch->address[i] = address;
    batch->value[i] = value;
}

static void range(struct bench *bench, uint64_t address, uint64_t to, char outcome)
{
    add(bench, CAIRN_FLOW_RANGE,
        (outcome ? CAIRN_FLOW_P0 : 0) | (outcome == 'E' ? CAIRN_FLOW_TAKEN : 0), address, to);
}

static void context(struct bench *bench, unsigned EL)
{
    add(bench, CAIRN_FLOW_CONTEXT, 0, 0, EL | CAIRN_NONSECURE << 2 | 1u << 4);
}

/* A call of a kernel that the trace has. */
static void seen(struct bench *bench)
{
    context(bench, 0);
    range(bench, 0x1000, 0x1008, 0);
    add(bench, CAIRN_FLOW_EXCEPTION, 0, 0x1008, CAIRN_EXCEPTION_CALL);
    context(bench, 1);
    range(bench, 0x8000, 0x8008, 'E');
    context(bench, 0);
    range(bench, 0x1008, 0x100c, 'E');
    range(bench, 0x1000, 0x1008, 0);
}

/* And of one that it has not. */
static void unseen(struct bench *bench)
{
    context(bench, 0);
    range(bench, 0x1000, 0x1008, 0);
    add(bench, CAIRN_FLOW_EXCEPTION, 0, 0x1008, CAIRN_EXCEPTION_CALL);
    add(bench, CAIRN_FLOW_TRACE_ON, 0, 0, 0);
    context(bench, 0);
    range(bench, 0x1008, 0x100c, 'E');
    range(bench, 0x1000, 0x1008, 0);
    add(bench, CAIRN_FLOW_EXCEPTION, 0, 0x1008, CAIRN_EXCEPTION_IRQ);
}

static void replay(struct bench *bench, struct cairn_pe *pe, struct cairn_unit *unit)
{
    struct cairn_replay_options options = CAIRN_REPLAY_OPTIONS_INIT;
    struct cairn_replay *replay;

    options.pe = pe;
    assert_int_equal(cairn_replay_new(bench->config, bench->image, unit, &options, &replay, NULL),
                     CAIRN_OK);
    assert_int_equal(cairn_replay_records(replay, bench->batch), CAIRN_OK);
    assert_int_equal(cairn_replay_end(replay), CAIRN_OK);
    cairn_replay_free(replay);
}

/* The unit in a PE writes what it would alone: to its sink, or to the trace buffer. */
static void test_bytes(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct bench *bench = begin();
        const struct cairn_unit_options options = unit_options(bench);
        struct traced_bytes *taken = i & 1 ? &bench->memory : &bench->bus;
        struct traced_bytes alone;
        struct cairn_unit *unit;

        if (i & 2)
            unseen(bench);
        else
            seen(bench);
        assert_int_equal(cairn_unit_new(&options, &unit, NULL), CAIRN_OK);
        replay(bench, NULL, unit);
        cairn_unit_free(unit);
        alone = bench->bus;
        bench->bus.size = 0;
        if (i & 1)
            traced_enable_buffer(bench->pe, BUFFER_SIZE);
        replay(bench, bench->pe, i & 1 ? NULL : cairn_pe_unit(bench->pe));
        put(bench, "TRCPRGCTLR", 0);
        cairn_pe_settle(bench->pe);
        assert_true(alone.size > 20);
        assert_int_equal(taken->size, alone.size);
        assert_memory_equal(taken->bytes, alone.bytes, alone.size);
        end(bench);
    }
}

static void test_branches(void **state)
{
    static const struct traced_record of_seen[] = {
        {CAIRN_BRANCH_CONDITIONAL, 0x1008, 0x1000},
        {CAIRN_BRANCH_EXCEPTION_RETURN, 0x8004, 0x1008},
        {0x20 | CAIRN_EXCEPTION_CALL, 0x1008, 0x8000},
    };
    static const struct traced_record of_unseen[] = {
        {0x20 | CAIRN_EXCEPTION_IRQ, 0x1008, 0},
        {CAIRN_BRANCH_CONDITIONAL, 0x1008, 0x1000},
        {CAIRN_BRANCH_EXCEPTION_RETURN, 0, 0x1008},
        {0x20 | CAIRN_EXCEPTION_CALL, 0x1008, 0},
    };
    struct bench *bench = begin();

    (void)state;
    put(bench, "BRBCR_EL1", 1u << 23 | 1u << 22 | 3);
    put(bench, "BRBFCR_EL1", 0x7e0000);
    seen(bench);
    replay(bench, bench->pe, NULL);
    traced_records(bench->pe, of_seen, 3);
    end(bench);

    bench = begin();
    put(bench, "BRBCR_EL1", 1u << 23 | 1u << 22 | 1); /* of EL0 alone */
    put(bench, "BRBFCR_EL1", 0x7e0000);
    unseen(bench);
    replay(bench, bench->pe, NULL);
    traced_records(bench->pe, of_unseen, 4);
    end(bench);
}

/* A level is recorded that the flow does not have: of its halves the records say that they are not known. A handler
 * at address 0 is known. */
static void test_unknown(void **state)
{
    static const struct {
        unsigned type;
        uint32_t flags;
    } expected[] = {
        {0x20 | CAIRN_EXCEPTION_IRQ, CAIRN_BRANCH_TARGET_UNKNOWN},
        {CAIRN_BRANCH_CONDITIONAL, 0},
        {CAIRN_BRANCH_EXCEPTION_RETURN, CAIRN_BRANCH_SOURCE_UNKNOWN},
        {0x20 | CAIRN_EXCEPTION_CALL, CAIRN_BRANCH_TARGET_UNKNOWN},
    };
    static const uint32_t nop = 0xd503201f;
    const uint32_t both = CAIRN_BRANCH_SOURCE | CAIRN_BRANCH_TARGET;
    const uint32_t unknown = CAIRN_BRANCH_SOURCE_UNKNOWN | CAIRN_BRANCH_TARGET_UNKNOWN;
    struct cairn_branch records[8];
    struct cairn_branch_registers registers;
    struct bench *bench = begin();

    (void)state;
    for (size_t i = 0; i < 8; i++)
        records[i].size = sizeof records[i];
    put(bench, "BRBCR_EL1", 1u << 23 | 1u << 22 | 3);
    put(bench, "BRBFCR_EL1", 0x7e0000);
    unseen(bench);
    replay(bench, bench->pe, NULL);
    assert_int_equal(cairn_pe_branches(bench->pe, records, 8), 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(records[i].type, expected[i].type);
        assert_int_equal(records[i].flags & both, both);
        assert_int_equal(records[i].flags & unknown, expected[i].flags);
        assert_int_equal(cairn_branch_encode(&records[i], &registers), CAIRN_OK);
    }
    end(bench);

    bench = begin();
    add_code(bench->image, 0, &nop, 1);
    put(bench, "BRBCR_EL1", 1u << 23 | 3);
    put(bench, "BRBFCR_EL1", 0x7e0000);
    context(bench, 0);
    range(bench, 0x1000, 0x1008, 0);
    add(bench, CAIRN_FLOW_EXCEPTION, 0, 0x1008, CAIRN_EXCEPTION_CALL);
    context(bench, 1);
    range(bench, 0, 4, 0);
    replay(bench, bench->pe, NULL);
    assert_int_equal(cairn_pe_branches(bench->pe, records, 8), 1);
    assert_int_equal(records[0].flags & (both | unknown), both);
    assert_int_equal(records[0].target, 0);
    end(bench);
}

/* Where the flow breaks off, branches were executed that nobody saw. */
static void test_gap(void **state)
{
    static const struct traced_record behind = {CAIRN_BRANCH_CONDITIONAL, 0x1008, 0x1000};
    struct bench *bench = begin();

    (void)state;
    put(bench, "BRBCR_EL1", 3);
    put(bench, "BRBFCR_EL1", 0x7e0000);
    context(bench, 0);
    range(bench, 0x1000, 0x100c, 'E');
    range(bench, 0x1000, 0x100c, 'N');
    range(bench, 0x100c, 0x1010, 'E');
    add(bench, CAIRN_FLOW_GAP, 0, 0, CAIRN_GAP_NO_IMAGE);
    range(bench, 0x1008, 0x100c, 'E');
    range(bench, 0x1000, 0x100c, 'N');
    replay(bench, bench->pe, NULL);
    traced_records(bench->pe, &behind, 1);
    end(bench);
}

static void test_counters(void **state)
{
    uint64_t value;
    struct bench *bench = begin();

    (void)state;
    put(bench, "PMEVTYPER0_EL0", 0x08);
    put(bench, "PMEVTYPER1_EL0", 0x09);
    put(bench, "PMEVTYPER2_EL0", 0x11);
    put(bench, "PMCNTENSET_EL0", 7);
    put(bench, "PMCR_EL0", 1);
    seen(bench);
    replay(bench, bench->pe, NULL);
    assert_int_equal(cairn_pe_read(bench->pe, "PMEVCNTR0_EL0", &value), CAIRN_OK);
    assert_int_equal(value, 2 + 2 + 1 + 2);
    assert_int_equal(cairn_pe_read(bench->pe, "PMEVCNTR1_EL0", &value), CAIRN_OK);
    assert_int_equal(value, 1);
    /* the flow tells none: an instruction each */
    assert_int_equal(cairn_pe_read(bench->pe, "PMEVCNTR2_EL0", &value), CAIRN_OK);
    assert_int_equal(value, 7);
    end(bench);
}

static void test_arguments(void **state)
{
    struct cairn_replay_options options = CAIRN_REPLAY_OPTIONS_INIT;
    struct cairn_pe_options without = CAIRN_PE_OPTIONS_INIT;
    struct cairn_replay *replay = NULL;
    struct bench *bench = begin();
    const struct cairn_unit_options other = unit_options(bench);
    struct cairn_unit *unit;

    (void)state;
    assert_int_equal(cairn_unit_new(&other, &unit, NULL), CAIRN_OK);
    options.pe = bench->pe;
    assert_int_equal(cairn_replay_new(bench->config, bench->image, unit, &options, &replay, NULL),
                     CAIRN_E_ARGUMENT);
    cairn_unit_free(unit);
    assert_int_equal(cairn_pe_new(&without, &options.pe, NULL), CAIRN_OK);
    assert_int_equal(cairn_replay_new(bench->config, bench->image, NULL, &options, &replay, NULL),
                     CAIRN_E_ARGUMENT);
    assert_null(replay);
    cairn_pe_free(options.pe);
    end(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),    cmocka_unit_test(test_branches),
        cmocka_unit_test(test_unknown),  cmocka_unit_test(test_gap),
        cmocka_unit_test(test_counters), cmocka_unit_test(test_arguments),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
