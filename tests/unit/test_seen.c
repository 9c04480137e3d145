/* SPDX-License-Identifier: BSD-2-Clause */
/* What a unit says of why it traces what it traces (cairn_unit_observe): each term of each kind of unit, each
 * instruction once and in order; what its resources come to (cairn_unit_changes); and that being asked makes
 * no difference to the trace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/unit.h>

enum { SEEN_MAX = 256, BYTES_MAX = 4096, CHANGES_MAX = 64 };

struct bench {
    struct cairn_unit *unit;
    struct cairn_unit_seen seen[SEEN_MAX];
    size_t count;
    struct cairn_unit_resources changes[CHANGES_MAX];
    size_t change_count;
    uint8_t bytes[BYTES_MAX];
    size_t size;
};

static void observe(void *context, const struct cairn_unit_seen *seen)
{
    struct bench *bench = context;

    assert_true(bench->count < SEEN_MAX);
    bench->seen[bench->count++] = *seen;
}

static void change(void *context, const struct cairn_unit_resources *resources)
{
    struct bench *bench = context;

    assert_true(bench->change_count < CHANGES_MAX);
    bench->changes[bench->change_count++] = *resources;
}

static cairn_status keep(void *context, const uint8_t *bytes, size_t size)
{
    struct bench *bench = context;

    assert_true(bench->size + size <= BYTES_MAX);
    memcpy(bench->bytes + bench->size, bytes, size);
    bench->size += size;
    return CAIRN_OK;
}

struct made {
    enum cairn_protocol_id protocol;
    struct cairn_register registers[8];
    size_t count;
    uint32_t fifo_bytes;
    bool unasked;
};

static void make(struct bench *bench, const struct made *made)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_error error = {.status = CAIRN_OK};

    memset(bench, 0, sizeof *bench);
    options.protocol = made->protocol;
    options.arch = cairn_arch_any_a();
    if (made->protocol == CAIRN_PROTOCOL_PTM || made->protocol == CAIRN_PROTOCOL_ETMV3)
        assert_int_equal(cairn_arch_from_name("Cortex-A15", &options.arch), CAIRN_OK);
    options.registers = made->registers;
    options.register_count = made->count;
    options.fifo_bytes = made->fifo_bytes;
    options.sink = keep;
    options.sink_context = bench;
    if (!made->unasked) {
        options.observe = observe;
        options.observe_context = bench;
        options.changes = change;
        options.changes_context = bench;
    }
    assert_int_equal(cairn_unit_new(&options, &bench->unit, &error), CAIRN_OK);
    cairn_unit_enable(bench->unit);
    cairn_unit_context(bench->unit,
                       &(struct cairn_context){.EL = 1,
                                               .security = CAIRN_NONSECURE,
                                               .SF = made->protocol <= CAIRN_PROTOCOL_ETE});
}

static uint8_t isa_of(const struct made *made)
{
    return made->protocol == CAIRN_PROTOCOL_MTB   ? CAIRN_ISA_T32
           : made->protocol <= CAIRN_PROTOCOL_ETE ? CAIRN_ISA_A64
                                                  : CAIRN_ISA_A32;
}

/* A direct branch at the end of `count` instructions, not taken. */
static void run_to_branch(struct bench *bench, uint8_t isa, uint64_t address, uint32_t count)
{
    const struct cairn_block block = {.address = address,
                                      .target = 0x100,
                                      .size = 4 * count,
                                      .count = count,
                                      .isa = isa,
                                      .kind = CAIRN_INSN_BRANCH_DIRECT,
                                      .last_size = 4,
                                      .target_isa = isa};

    cairn_unit_execute(bench->unit, &block, false);
}

static void run_straight(struct bench *bench, uint8_t isa, uint64_t address, uint32_t count)
{
    const struct cairn_block block = {
        .address = address, .size = 4 * count, .count = count, .isa = isa, .last_size = 4};

    cairn_unit_execute(bench->unit, &block, false);
}

/* The last thing told, and that it is of these instructions. */
static void expect(const struct bench *bench, size_t index, uint64_t address, uint64_t instructions,
                   bool traced, uint32_t why)
{
    assert_true(index < bench->count);
    assert_int_equal(bench->seen[index].size, sizeof(struct cairn_unit_seen));
    assert_int_equal(bench->seen[index].address, address);
    assert_int_equal(bench->seen[index].instructions, instructions);
    assert_int_equal(bench->seen[index].end, address + 4 * instructions);
    assert_int_equal(bench->seen[index].traced, traced);
    assert_int_equal(bench->seen[index].why, why);
}

/* One block of two instructions at 0x1000, and what is said of it. */
struct row {
    struct made made;
    bool prohibited, debug, disabled;
    bool traced;
    uint32_t why;
};

#define PTM CAIRN_PROTOCOL_PTM
#define ETE CAIRN_PROTOCOL_ETE
#define ETMV4 CAIRN_PROTOCOL_ETMV4
#define ETMV3 CAIRN_PROTOCOL_ETMV3
#define MTB CAIRN_PROTOCOL_MTB

static const struct row rows[] = {
    {.made = {.protocol = ETE}, .traced = true},
    {.made = {.protocol = ETMV4}, .traced = true},
    {.made = {.protocol = PTM}, .traced = true},
    {.made = {.protocol = MTB}, .traced = true},
    {.made = {.protocol = ETE}, .disabled = true, .why = CAIRN_UNIT_WHY_DISABLED},
    {.made = {.protocol = PTM}, .disabled = true, .why = CAIRN_UNIT_WHY_DISABLED},
    {.made = {.protocol = MTB}, .disabled = true, .why = CAIRN_UNIT_WHY_DISABLED},
    {.made = {.protocol = ETE}, .prohibited = true, .why = CAIRN_UNIT_WHY_PROHIBITED},
    {.made = {.protocol = PTM}, .prohibited = true, .why = CAIRN_UNIT_WHY_PROHIBITED},
    {.made = {.protocol = MTB}, .prohibited = true, .why = CAIRN_UNIT_WHY_PROHIBITED},
    {.made = {.protocol = ETE}, .debug = true, .why = CAIRN_UNIT_WHY_DEBUG},
    {.made = {.protocol = PTM}, .debug = true, .why = CAIRN_UNIT_WHY_DEBUG},
    {.made = {.protocol = ETE},
     .debug = true,
     .prohibited = true,
     .why = CAIRN_UNIT_WHY_DEBUG | CAIRN_UNIT_WHY_PROHIBITED},
    /* the terms of ViewInst */
    {.made = {.protocol = ETE, .registers = {{"TRCVICTLR", 1}}, .count = 1},
     .why = CAIRN_UNIT_WHY_START_STOP},
    {.made = {.protocol = ETMV4, .registers = {{"TRCVICTLR", 0x200}}, .count = 1},
     .why = CAIRN_UNIT_WHY_EVENT},
    {.made = {.protocol = ETE, .registers = {{"TRCVICTLR", 0x00200201}}, .count = 1},
     .why = CAIRN_UNIT_WHY_LEVEL},
    {.made = {.protocol = ETE, .registers = {{"TRCVICTLR", 0x00100201}}, .count = 1},
     .traced = true}, /* EL0 alone is left out */
    {.made = {.protocol = ETE,
              .registers = {{"TRCVIIECTLR", 1}, {"TRCACVR0", 0x2000}, {"TRCACVR1", 0x2fff}},
              .count = 3},
     .why = CAIRN_UNIT_WHY_INCLUDE},
    {.made = {.protocol = ETE,
              .registers = {{"TRCVIIECTLR", 1}, {"TRCACVR0", 0x1004}, {"TRCACVR1", 0x2fff}},
              .count = 3},
     .traced = true}, /* it touches the range */
    {.made = {.protocol = ETE,
              .registers = {{"TRCVIIECTLR", 0x10000}, {"TRCACVR0", 0x1000}, {"TRCACVR1", 0x1fff}},
              .count = 3},
     .why = CAIRN_UNIT_WHY_EXCLUDE},
    {.made = {.protocol = ETE,
              .registers = {{"TRCVIIECTLR", 0x10000}, {"TRCACVR0", 0x1004}, {"TRCACVR1", 0x1fff}},
              .count = 3},
     .traced = true}, /* it is not all of it inside */
    {.made = {.protocol = ETE,
              .registers = {{"TRCVICTLR", 0x00200000},
                            {"TRCVIIECTLR", 0x10001},
                            {"TRCACVR0", 0x2000},
                            {"TRCACVR1", 0x2fff}},
              .count = 4},
     .why = CAIRN_UNIT_WHY_START_STOP | CAIRN_UNIT_WHY_EVENT | CAIRN_UNIT_WHY_LEVEL |
            CAIRN_UNIT_WHY_INCLUDE}, /* all that are low */
    /* those of TraceEnable */
    {.made = {.protocol = PTM, .registers = {{"ETMTECR1", 0x03000000}}, .count = 1},
     .why = CAIRN_UNIT_WHY_START_STOP},
    {.made = {.protocol = PTM, .registers = {{"ETMTEEVR", 0x406f}}, .count = 1},
     .why = CAIRN_UNIT_WHY_EVENT},
    {.made = {.protocol = PTM,
              .registers = {{"ETMTECR1", 1}, {"ETMACVR1", 0x2000}, {"ETMACVR2", 0x3000}},
              .count = 3},
     .why = CAIRN_UNIT_WHY_INCLUDE},
    {.made = {.protocol = PTM,
              .registers = {{"ETMTECR1", 0x01000001}, {"ETMACVR1", 0x1000}, {"ETMACVR2", 0x3000}},
              .count = 3},
     .why = CAIRN_UNIT_WHY_EXCLUDE},
};

static void test_terms(void **state)
{
    static struct bench bench;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];

        make(&bench, &row->made);
        if (row->disabled)
            cairn_unit_disable(bench.unit);
        if (row->prohibited)
            cairn_unit_prohibit(bench.unit, true);
        if (row->debug)
            cairn_unit_debug_state(bench.unit, true);
        run_to_branch(&bench, isa_of(&row->made), 0x1000, 2);
        assert_int_equal(bench.count, 1);
        expect(&bench, 0, 0x1000, 2, row->traced, row->why);
        assert_int_equal(bench.seen[0].isa, isa_of(&row->made));
        cairn_unit_free(bench.unit);
    }
}

/* Each instruction by itself. */
static void test_etmv3(void **state)
{
    static const struct {
        struct made made;
        bool traced;
        uint32_t why;
    } etmv3[] = {
        {.made = {.protocol = ETMV3}, .traced = true},
        {.made = {.protocol = ETMV3, .registers = {{"ETMTECR1", 0x03000000}}, .count = 1},
         .why = CAIRN_UNIT_WHY_START_STOP},
        {.made = {.protocol = ETMV3, .registers = {{"ETMTEEVR", 0x406f}}, .count = 1},
         .why = CAIRN_UNIT_WHY_EVENT},
        {.made = {.protocol = ETMV3, .registers = {{"ETMTECR1", 0}}, .count = 1},
         .why = CAIRN_UNIT_WHY_INCLUDE},
        {.made = {.protocol = ETMV3,
                  .registers = {{"ETMTECR1", 0x01000001},
                                {"ETMACVR1", 0x1000},
                                {"ETMACVR2", 0x3000}},
                  .count = 3},
         .why = CAIRN_UNIT_WHY_EXCLUDE},
    };
    static struct bench bench;

    (void)state;
    for (size_t i = 0; i < sizeof etmv3 / sizeof *etmv3; i++) {
        make(&bench, &etmv3[i].made);
        run_to_branch(&bench, CAIRN_ISA_A32, 0x1000, 2);
        assert_int_equal(bench.count, 2);
        expect(&bench, 0, 0x1000, 1, etmv3[i].traced, etmv3[i].why);
        expect(&bench, 1, 0x1004, 1, etmv3[i].traced, etmv3[i].why);
        cairn_unit_prohibit(bench.unit, true);
        run_straight(&bench, CAIRN_ISA_A32, 0x1008, 1);
        expect(&bench, 2, 0x1008, 1, false, CAIRN_UNIT_WHY_PROHIBITED);
        cairn_unit_disable(bench.unit);
        run_straight(&bench, CAIRN_ISA_A32, 0x100c, 3);
        expect(&bench, 3, 0x100c, 3, false, CAIRN_UNIT_WHY_DISABLED);
        cairn_unit_free(bench.unit);
    }
}

/* Of code in which the unit writes nothing. */
static void test_no_packets(void **state)
{
    static struct bench bench;

    (void)state;
    make(&bench, &(struct made){.protocol = MTB});
    run_to_branch(&bench, CAIRN_ISA_A32, 0x1000, 2);
    expect(&bench, 0, 0x1000, 2, false, CAIRN_UNIT_WHY_NO_PACKETS);
    cairn_unit_free(bench.unit);
    make(&bench, &(struct made){.protocol = PTM});
    run_to_branch(&bench, CAIRN_UNIT_ISA_JAZELLE, 0x1000, 2);
    expect(&bench, 0, 0x1000, 2, false, CAIRN_UNIT_WHY_NO_PACKETS);
    cairn_unit_free(bench.unit);
}

/* Blocks without a P0 instruction are told of when something ends them, or nothing will any more. */
static void test_open(void **state)
{
    static struct bench bench;

    (void)state;
    make(&bench, &(struct made){.protocol = ETE});
    run_straight(&bench, CAIRN_ISA_A64, 0x1000, 3);
    run_straight(&bench, CAIRN_ISA_A64, 0x100c, 1);
    assert_int_equal(bench.count, 0);
    run_to_branch(&bench, CAIRN_ISA_A64, 0x1010, 1);
    assert_int_equal(bench.count, 2);
    expect(&bench, 0, 0x1000, 4, true, 0);
    expect(&bench, 1, 0x1010, 1, true, 0);
    run_straight(&bench, CAIRN_ISA_A64, 0x1014, 2);
    cairn_unit_exception(bench.unit, CAIRN_EXCEPTION_IRQ, 0x101c, CAIRN_ISA_A64);
    assert_int_equal(bench.count, 3);
    expect(&bench, 2, 0x1014, 2, true, 0);
    run_straight(&bench, CAIRN_ISA_A64, 0x4000, 2);
    cairn_unit_prohibit(bench.unit, true);
    expect(&bench, 3, 0x4000, 2, false, CAIRN_UNIT_WHY_CUT);
    cairn_unit_prohibit(bench.unit, false);
    run_straight(&bench, CAIRN_ISA_A64, 0x5000, 2);
    run_straight(&bench, CAIRN_ISA_A64, 0x6000, 1); /* from elsewhere */
    expect(&bench, 4, 0x5000, 2, false, CAIRN_UNIT_WHY_CUT);
    cairn_unit_disable(bench.unit);
    expect(&bench, 5, 0x6000, 1, false, CAIRN_UNIT_WHY_CUT);
    assert_int_equal(bench.count, 6);
    cairn_unit_free(bench.unit);
}

/* R_KHDNX: it is told to its end, whatever ViewInst says there. */
static void test_completed(void **state)
{
    const struct made made = {
        .protocol = ETE,
        .registers = {{"TRCVIIECTLR", 1}, {"TRCACVR0", 0x1000}, {"TRCACVR1", 0x1003}},
        .count = 3};
    static struct bench bench;

    (void)state;
    make(&bench, &made);
    run_straight(&bench, CAIRN_ISA_A64, 0x1000, 1);
    run_to_branch(&bench, CAIRN_ISA_A64, 0x1004, 2);
    run_to_branch(&bench, CAIRN_ISA_A64, 0x100c, 2);
    assert_int_equal(bench.count, 3);
    expect(&bench, 0, 0x1000, 1, true, 0);
    expect(&bench, 1, 0x1004, 2, true, CAIRN_UNIT_WHY_INCLUDE);
    expect(&bench, 2, 0x100c, 2, false, CAIRN_UNIT_WHY_INCLUDE);
    cairn_unit_free(bench.unit);
}

/* A run of a PTM goes from waypoint to waypoint, and is decided as a whole. */
static void test_run(void **state)
{
    static struct bench bench;

    (void)state;
    make(&bench, &(struct made){.protocol = PTM});
    run_straight(&bench, CAIRN_ISA_A32, 0x1000, 3);
    run_to_branch(&bench, CAIRN_ISA_A32, 0x100c, 2);
    assert_int_equal(bench.count, 1);
    expect(&bench, 0, 0x1000, 5, true, 0);
    run_straight(&bench, CAIRN_ISA_A32, 0x1014, 1);
    cairn_unit_exception(bench.unit, CAIRN_EXCEPTION_IRQ, 0x1018, CAIRN_ISA_A32);
    assert_int_equal(bench.count, 2);
    expect(&bench, 1, 0x1014, 1, true, 0);
    cairn_unit_free(bench.unit);
}

static void test_overflow(void **state)
{
    static const enum cairn_protocol_id protocols[] = {ETE, ETMV4, PTM};
    static struct bench bench;

    (void)state;
    for (size_t i = 0; i < sizeof protocols / sizeof *protocols; i++) {
        const struct made made = {.protocol = protocols[i], .fifo_bytes = 128};
        uint64_t address = 0x1000;

        make(&bench, &made);
        /* Places that nobody can infer fill the FIFO, from which nothing drains. */
        for (unsigned n = 0; n < 40; n++, address += 0x01010100)
            run_to_branch(&bench, isa_of(&made), address, 1);
        assert_int_equal(bench.count, 40);
        assert_true(bench.seen[0].traced);
        assert_false(bench.seen[39].traced);
        assert_int_equal(bench.seen[39].why, CAIRN_UNIT_WHY_OVERFLOW);
        cairn_unit_free(bench.unit);
    }
}

/* Counter 0 goes from 2 to 0 and is loaded again; the sequencer moves on when it is 0. */
static void test_changes(void **state)
{
    const struct made made = {.protocol = ETE,
                              .registers = {{"TRCRSCTLR2", 0x20001},
                                            {"TRCCNTRLDVR0", 2},
                                            {"TRCCNTVR0", 2},
                                            {"TRCCNTCTLR0", 0x10001},
                                            {"TRCSEQEVR0", 2}},
                              .count = 5};
    static struct bench bench;

    (void)state;
    make(&bench, &made);
    cairn_unit_cycles(bench.unit, 9);
    cairn_unit_disable(bench.unit);
    assert_true(bench.change_count >= 4);
    assert_int_equal(bench.changes[0].size, sizeof(struct cairn_unit_resources));
    assert_int_equal(bench.changes[0].clock, 1);
    assert_int_equal(bench.changes[0].reached, 1);
    assert_int_equal(bench.changes[0].counters[0], 0);
    assert_false(bench.changes[0].moved);
    assert_int_equal(bench.changes[0].sequencer, 0);
    assert_int_equal(bench.changes[1].clock, 2); /* loaded */
    assert_int_equal(bench.changes[1].counters[0], 2);
    for (size_t i = 1; i < bench.change_count; i++)
        assert_true(bench.changes[i].clock >= bench.changes[i - 1].clock);
    bool moved = false;
    for (size_t i = 0; i < bench.change_count; i++)
        moved |= bench.changes[i].moved && bench.changes[i].sequencer == 1;
    assert_true(moved);
    cairn_unit_free(bench.unit);
}

/* However many clocks one call passes: each time is told in its clock. */
static void test_changes_far_apart(void **state)
{
    const struct made made = {.protocol = ETE,
                              .registers = {{"TRCRSCTLR2", 0x20001},
                                            {"TRCCNTRLDVR0", 99},
                                            {"TRCCNTVR0", 99},
                                            {"TRCCNTCTLR0", 0x10001},
                                            {"TRCEVENTCTL0R", 2},
                                            {"TRCEVENTCTL1R", 1}},
                              .count = 6};
    static struct bench bench;

    (void)state;
    make(&bench, &made);
    cairn_unit_cycles(bench.unit, 250);
    /* It counts in every clock, from 99: 0 behind clock 98, loaded in 99, 0 behind 198, loaded in 199. */
    assert_int_equal(bench.change_count, 4);
    for (unsigned n = 0; n < 4; n++) {
        assert_int_equal(bench.changes[n].clock, 98 + n % 2 + 100 * (n / 2));
        assert_int_equal(bench.changes[n].reached, 1);
        assert_int_equal(bench.changes[n].counters[0], n % 2 ? 99 : 0);
    }
    cairn_unit_free(bench.unit);
}

/* The same calls, asked and not asked. */
static void test_same_trace(void **state)
{
    static const enum cairn_protocol_id protocols[] = {ETE, ETMV4, PTM, ETMV3};
    static struct bench asked, unasked;

    (void)state;
    for (size_t i = 0; i < sizeof protocols / sizeof *protocols; i++) {
        struct made made = {.protocol = protocols[i]};
        struct bench *const both[] = {&asked, &unasked};

        for (size_t k = 0; k < 2; k++) {
            const uint8_t isa = isa_of(&made);

            made.unasked = k == 1;
            make(both[k], &made);
            for (unsigned n = 0; n < 50; n++) {
                run_straight(both[k], isa, 0x1000 + 16 * n, 2);
                run_to_branch(both[k], isa, 0x1008 + 16 * n, 2);
                if (n % 7 == 3) {
                    cairn_unit_exception(both[k]->unit, CAIRN_EXCEPTION_IRQ, 0x1010 + 16 * n,
                                         (enum cairn_isa)isa);
                    run_to_branch(both[k], isa, 0x8000, 1);
                }
            }
            cairn_unit_disable(both[k]->unit);
            cairn_unit_free(both[k]->unit);
        }
        assert_int_equal(unasked.count, 0);
        assert_true(asked.count > 50);
        assert_int_equal(asked.size, unasked.size);
        assert_memory_equal(asked.bytes, unasked.bytes, asked.size);
    }
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(cairn_unit_why_name(CAIRN_UNIT_WHY_DISABLED), "disabled");
    assert_string_equal(cairn_unit_why_name(CAIRN_UNIT_WHY_START_STOP), "start/stop");
    assert_string_equal(cairn_unit_why_name(CAIRN_UNIT_WHY_EVENT | CAIRN_UNIT_WHY_CUT), "event");
    for (unsigned bit = 0; bit < 32; bit++)
        assert_int_equal(strcmp(cairn_unit_why_name(UINT32_C(1) << bit), "?") != 0,
                         bit < CAIRN_UNIT_WHY_COUNT);
    assert_string_equal(cairn_unit_why_name(0), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_terms),
        cmocka_unit_test(test_etmv3),
        cmocka_unit_test(test_no_packets),
        cmocka_unit_test(test_open),
        cmocka_unit_test(test_completed),
        cmocka_unit_test(test_run),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_changes_far_apart),
        cmocka_unit_test(test_same_trace),
        cmocka_unit_test(test_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
