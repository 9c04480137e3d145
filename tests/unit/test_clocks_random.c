/* SPDX-License-Identifier: BSD-2-Clause */
/* Many clocks told in one call are the same as each told alone: programs of counters, sequencer and
 * events at random. One unit is told of clocks one by one, which are evaluated one by one; the other
 * of all of them at once, which jumps where nothing changes or where clocks repeat themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <cairn/unit.h>

#define PROGRAMS 1000u
#define REGISTERS 40u
#define CALLS 6u

static uint64_t state;
static uint64_t programs = PROGRAMS;

static uint32_t below(uint32_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32) % limit;
}

/* A hash of what the outputs did: in which clocks, and what. */
struct heard {
    uint64_t hash;
    uint64_t calls;
};

static void hear(void *context, uint64_t clock, uint32_t events)
{
    struct heard *heard = context;

    heard->hash = (heard->hash ^ clock) * UINT64_C(0x100000001b3);
    heard->hash = (heard->hash ^ events) * UINT64_C(0x100000001b3);
    heard->calls++;
}

static cairn_status count_bytes(void *context, const uint8_t *bytes, size_t size)
{
    struct heard *heard = context;

    for (size_t i = 0; i < size; i++)
        heard->hash = (heard->hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return CAIRN_OK;
}

struct program {
    struct cairn_register registers[REGISTERS];
    char names[REGISTERS][16];
    size_t count;
    bool outputs;
};

static void set(struct program *program, const char *name, unsigned number, uint64_t value)
{
    const size_t i = program->count++;

    assert_true(i < REGISTERS);
    (void)snprintf(program->names[i], sizeof program->names[i], name, number);
    program->registers[i] = (struct cairn_register){program->names[i], value};
}

/* FALSE, TRUE, one of selectors 2 to 7, or a pair of them. */
static uint32_t some_event(void)
{
    const uint32_t kind = below(8);

    if (kind == 0)
        return 0;
    if (kind == 1)
        return 1;
    return kind < 7 ? 2 + below(6) : 0x81 + below(3);
}

static uint16_t some_value(void)
{
    static const uint16_t limits[] = {1, 3, 8, 20, 300, 5000, 65535};

    return (uint16_t)below(limits[below(7)] + 1u);
}

static struct program some_program(void)
{
    struct program program = {.outputs = below(4) == 0};

    for (unsigned n = 2; n < 8; n++) {
        /* Counters and sequencer states mostly; external inputs, which stay as they are. */
        const uint32_t group = below(5) == 0 ? 0 : 2;
        const uint32_t select =
            group == 2 ? 1u << below(8) | (below(3) ? 0 : below(256)) : below(16);

        set(&program, "TRCRSCTLR%u", n,
            group << 16 | select | (below(4) ? 0u : 1u << 20) |
                (n % 2 == 0 && below(4) == 0 ? 1u << 21 : 0));
    }
    for (unsigned n = 0; n < 4; n++) {
        set(&program, "TRCCNTRLDVR%u", n, some_value());
        set(&program, "TRCCNTVR%u", n, some_value());
        set(&program, "TRCCNTCTLR%u", n,
            some_event() | (below(2) ? 0 : some_event()) << 8 | below(2) << 16 |
                (n % 2 == 1 ? below(2) << 17 : 0));
    }
    for (unsigned n = 0; n < 3; n++)
        set(&program, "TRCSEQEVR%u", n, some_event() | some_event() << 8);
    set(&program, "TRCSEQRSTEVR", 0, below(3) ? 0 : some_event());
    set(&program, "TRCSEQSTR", 0, below(4));
    if (below(2)) {
        set(&program, "TRCEVENTCTL0R", 0, some_event() | some_event() << 8);
        set(&program, "TRCEVENTCTL1R", 0, program.outputs ? 0 : below(4));
    }
    set(&program, "TRCVICTLR", 0, 0x201);
    return program;
}

static struct cairn_unit *make(struct program *program, struct heard *heard)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_unit *unit = NULL;

    for (size_t i = 0; i < program->count; i++)
        program->registers[i].name = program->names[i];
    options.arch = cairn_arch_any_a();
    options.registers = program->registers;
    options.register_count = program->count;
    options.sink = count_bytes;
    options.sink_context = heard;
    if (program->outputs) {
        options.outputs = hear;
        options.outputs_context = heard;
    }
    assert_int_equal(cairn_unit_new(&options, &unit, NULL), CAIRN_OK);
    cairn_unit_enable(unit);
    return unit;
}

static void compare(unsigned long long seed, const struct cairn_unit *a, const struct cairn_unit *b)
{
    static const char *const names[] = {"TRCCNTVR0", "TRCCNTVR1", "TRCCNTVR2",
                                        "TRCCNTVR3", "TRCSEQSTR", "TRCRSR"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint64_t one, other;

        assert_int_equal(cairn_unit_read(a, names[i], &one), CAIRN_OK);
        assert_int_equal(cairn_unit_read(b, names[i], &other), CAIRN_OK);
        if (one != other)
            print_message("# seed %llu, %s: %#llx, %#llx\n", seed, names[i],
                          (unsigned long long)one, (unsigned long long)other);
        assert_int_equal(one, other);
    }
}

static void one_program(uint64_t seed, uint32_t most)
{
    struct heard heard[2] = {{0}};
    struct program program;
    struct cairn_unit *alone, *at_once;

    state = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
    for (unsigned i = 0; i < 4; i++)
        (void)below(2);
    program = some_program();
    alone = make(&program, &heard[0]);
    at_once = make(&program, &heard[1]);
    for (unsigned call = 0; call < CALLS; call++) {
        const uint32_t clocks = 1 + below(call == 0 ? 3 : most);
        const uint32_t inputs = below(16);

        cairn_unit_inputs(alone, inputs);
        cairn_unit_inputs(at_once, inputs);
        for (uint32_t i = 0; i < clocks; i++)
            cairn_unit_cycles(alone, 1);
        cairn_unit_cycles(at_once, clocks);
        compare(seed, alone, at_once);
    }
    cairn_unit_disable(alone);
    cairn_unit_disable(at_once);
    compare(seed, alone, at_once);
    if (heard[0].hash != heard[1].hash)
        print_message("# seed %llu\n", (unsigned long long)seed);
    assert_int_equal(heard[0].calls, heard[1].calls);
    assert_int_equal(heard[0].hash, heard[1].hash);
    cairn_unit_free(alone);
    cairn_unit_free(at_once);
}

static void test_same(void **unused)
{
    const char *first = getenv("CLOCKS_SEED");
    const uint64_t begin = first ? strtoull(first, NULL, 0) : 1;
    const uint64_t end = begin + (first ? 1 : programs);

    (void)unused;
    for (uint64_t seed = begin; seed < end; seed++) {
        one_program(seed, seed % 10 == 0 ? 20000 : 700);
    }
    print_message("# %llu programs\n", (unsigned long long)(end - begin));
}

/* usage: test_unit_clocks_random [PROGRAMS] */
int main(int argc, char **argv)
{
    if (argc > 1)
        programs = strtoull(argv[1], NULL, 0);

    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
