/* SPDX-License-Identifier: BSD-2-Clause */
/* What those see who watch a trace unit of any protocol (cairn_unit_watch): each element with the members
 * and flags that <cairn/element.h> gives its kind, and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/unit.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum { STEPS = 20000, KINDS = 256 };

struct row {
    enum cairn_protocol_id protocol;
    struct cairn_arch arch;
    enum cairn_isa isa;
    struct cairn_register registers[5];
    size_t register_count;
    uint8_t seen[8]; /* kinds that have to come */
    size_t seen_count;
};

/* Cycle counts, timestamps, return stack, Events. */
static const struct row rows[] = {
    {CAIRN_PROTOCOL_ETE,
     {CAIRN_PROFILE_A, 9, 2, 0},
     CAIRN_ISA_A64,
     {{"TRCCONFIGR", 0x18d1}, {"TRCCCCTLR", 4}, {"TRCEVENTCTL1R", 1}, {"TRCSYNCPR", 8}},
     4,
     {CAIRN_ELEMENT_ATOM, CAIRN_ELEMENT_EXCEPTION, CAIRN_ELEMENT_TARGET_ADDRESS,
      CAIRN_ELEMENT_CONTEXT, CAIRN_ELEMENT_CYCLE_COUNT, CAIRN_ELEMENT_TIMESTAMP,
      CAIRN_ELEMENT_EVENT, CAIRN_ELEMENT_A_SYNC},
     8},
    {CAIRN_PROTOCOL_ETMV4,
     {CAIRN_PROFILE_A, 8, 0, 0},
     CAIRN_ISA_A64,
     {{"TRCCONFIGR", 0x18d1}, {"TRCCCCTLR", 4}, {"TRCEVENTCTL1R", 1}, {"TRCSYNCPR", 8}},
     4,
     {CAIRN_ELEMENT_ATOM, CAIRN_ELEMENT_EXCEPTION, CAIRN_ELEMENT_TARGET_ADDRESS,
      CAIRN_ELEMENT_CONTEXT, CAIRN_ELEMENT_CYCLE_COUNT, CAIRN_ELEMENT_TIMESTAMP,
      CAIRN_ELEMENT_EVENT, CAIRN_ELEMENT_EXCEPTION_RETURN},
     8},
    {CAIRN_PROTOCOL_ETMV3,
     {CAIRN_PROFILE_A, 7, 0, 0},
     CAIRN_ISA_A32,
     {{"ETMIDR", 0x410cf250}, {"ETMCR", 0x10001000}, {"ETMSYNCFR", 200}},
     3,
     {CAIRN_ELEMENT_ATOM, CAIRN_ELEMENT_EXCEPTION, CAIRN_ELEMENT_TARGET_ADDRESS,
      CAIRN_ELEMENT_CONTEXT, CAIRN_ELEMENT_CYCLE_COUNT, CAIRN_ELEMENT_TIMESTAMP,
      CAIRN_ELEMENT_A_SYNC},
     7},
    {CAIRN_PROTOCOL_PTM,
     {CAIRN_PROFILE_A, 7, 0, 0},
     CAIRN_ISA_A32,
     {{"ETMIDR", 0x411cf310}, {"ETMCR", 0x30001000}, {"ETMSYNCFR", 200}},
     3,
     {CAIRN_ELEMENT_ATOM, CAIRN_ELEMENT_EXCEPTION, CAIRN_ELEMENT_TARGET_ADDRESS,
      CAIRN_ELEMENT_CONTEXT, CAIRN_ELEMENT_CYCLE_COUNT, CAIRN_ELEMENT_TIMESTAMP,
      CAIRN_ELEMENT_WAYPOINT_UPDATE, CAIRN_ELEMENT_A_SYNC},
     8},
};

static size_t seen[KINDS];

static void check_nothing_else(const struct cairn_element_data *rest)
{
    static const struct cairn_element_data nothing;

    assert_memory_equal(rest, &nothing, sizeof nothing);
}

static void check_timestamp(uint16_t flags, const struct cairn_element_data *data,
                            enum cairn_protocol_id protocol)
{
    const bool is_etmv4 = protocol == CAIRN_PROTOCOL_ETE || protocol == CAIRN_PROTOCOL_ETMV4;

    if (protocol != CAIRN_PROTOCOL_ETMV3) /* whose 0 may be a time */
        assert_int_equal((flags & CAIRN_ELEMENT_UNKNOWN) != 0, data->value == 0);
    assert_false(flags & ~(unsigned)(CAIRN_ELEMENT_UNKNOWN | CAIRN_ELEMENT_CYCLES));
    if (!(flags & CAIRN_ELEMENT_CYCLES))
        assert_int_equal(data->cycles, 0);
    assert_true(is_etmv4 || !(flags & CAIRN_ELEMENT_CYCLES));
    assert_true(data->info <= 1);
}

static void watch(void *context, unsigned kind, uint16_t flags,
                  const struct cairn_element_data *data)
{
    const enum cairn_protocol_id *protocol = context;
    const unsigned statuses = CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E;
    struct cairn_element_data rest = *data;

    assert_true(kind < KINDS);
    seen[kind]++;
    switch (kind) {
    case CAIRN_ELEMENT_ATOM:
        assert_false(flags & ~(statuses | CAIRN_ELEMENT_ADDRESSED));
        assert_true((flags & statuses) == 0 || (flags & statuses) == statuses);
        break;
    case CAIRN_ELEMENT_CYCLE_COUNT:
        assert_false(flags & ~(unsigned)(*protocol == CAIRN_PROTOCOL_ETMV3
                                             ? CAIRN_ELEMENT_CYCLES /* of a gap */
                                             : CAIRN_ELEMENT_UNKNOWN));
        if (flags & CAIRN_ELEMENT_UNKNOWN)
            assert_int_equal(data->value, 0);
        rest.value = 0;
        break;
    case CAIRN_ELEMENT_TIMESTAMP:
        check_timestamp(flags, data, *protocol);
        rest.value = 0;
        rest.cycles = 0;
        rest.info = 0;
        break;
    case CAIRN_ELEMENT_COMMIT:
        assert_false(flags & ~(unsigned)CAIRN_ELEMENT_IMPLIED);
        assert_true(data->value > 0);
        rest.value = 0;
        break;
    case CAIRN_ELEMENT_EVENT:
        assert_int_equal(flags, 0);
        assert_true(data->value <= 3);
        rest.value = 0;
        break;
    case CAIRN_ELEMENT_CONTEXT:
        assert_int_equal(flags, 0);
        rest.context = (struct cairn_context){0};
        break;
    case CAIRN_ELEMENT_TARGET_ADDRESS:
    case CAIRN_ELEMENT_WAYPOINT_UPDATE:
        assert_false(flags & ~(unsigned)(CAIRN_ELEMENT_CHECK | CAIRN_ELEMENT_UNKNOWN));
        rest.address = 0;
        rest.sub_isa = 0;
        break;
    case CAIRN_ELEMENT_EXCEPTION:
        assert_false(flags & ~(unsigned)(CAIRN_ELEMENT_HERE | CAIRN_ELEMENT_UNKNOWN));
        rest.address = 0;
        rest.sub_isa = 0;
        rest.value = 0;
        break;
    case CAIRN_ELEMENT_TRACE_INFO:
        assert_int_equal(flags, 0);
        rest.info = 0;
        rest.cycles = 0;
        rest.value = 0;
        break;
    case CAIRN_ELEMENT_TRACE_ON: /* PTM: of what */
        assert_int_equal(flags, 0);
        rest.value = 0;
        break;
    case CAIRN_ELEMENT_CANCEL: /* ETMv3 */
    default: assert_int_equal(flags, 0);
    }
    check_nothing_else(&rest);
}

/* --- a program that goes anywhere --- */

static uint32_t random_state;

static uint32_t below(uint32_t limit)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % limit;
}

static uint64_t go(struct cairn_unit *unit, const struct row *row, uint64_t at)
{
    static const uint8_t kinds[] = {CAIRN_INSN_OTHER, CAIRN_INSN_BRANCH_DIRECT,
                                    CAIRN_INSN_BRANCH_DIRECT, CAIRN_INSN_BRANCH_INDIRECT,
                                    CAIRN_INSN_ISB};
    const unsigned kind = kinds[below(COUNT_OF(kinds))];
    const uint32_t count = 1 + below(4);
    const uint64_t target = 0x1000 + 4 * (uint64_t)below(64);
    const bool indirect = kind == CAIRN_INSN_BRANCH_INDIRECT;
    const bool branches = indirect || kind == CAIRN_INSN_BRANCH_DIRECT;
    const bool taken = kind != CAIRN_INSN_BRANCH_DIRECT || below(2);
    const struct cairn_block block = {
        .address = at,
        .target = kind == CAIRN_INSN_BRANCH_DIRECT ? target : 0,
        .size = 4 * count,
        .count = count,
        .flags = indirect && below(4) == 0 ? CAIRN_INSN_ERET
                 : branches && below(2)    ? CAIRN_INSN_LINK
                                           : 0,
        .isa = (uint8_t)row->isa,
        .kind = (uint8_t)kind,
        .last_size = 4,
        .target_isa = (uint8_t)(indirect ? CAIRN_ISA_UNKNOWN : row->isa),
    };

    cairn_unit_execute(unit, &block, taken);
    return taken && branches ? target : at + 4 * count;
}

static void run(struct cairn_unit *unit, const struct row *row)
{
    static struct cairn_context context = {.EL = 1, .security = CAIRN_NONSECURE};
    uint64_t at = 0x1000;
    uint64_t time = 100;

    for (unsigned i = 0; i < STEPS; i++) {
        at = go(unit, row, at);
        switch (below(32)) {
        case 0:
            cairn_unit_exception(unit, CAIRN_EXCEPTION_IRQ, at, row->isa);
            at = 0x400;
            break;
        case 1:
            context.context_id = below(3);
            cairn_unit_context(unit, &context);
            break;
        case 2: cairn_unit_request_sync(unit); break;
        case 3: cairn_unit_event(unit, 0); break;
        case 4: cairn_unit_clock_stopped(unit); break;
        case 5:
            cairn_unit_prohibit(unit, true);
            cairn_unit_prohibit(unit, false);
            break;
        case 6: cairn_unit_cycles(unit, UINT32_C(1) << below(30)); break;
        case 7: cairn_unit_flush(unit); break;
        default: cairn_unit_cycles(unit, below(8)); break;
        }
        cairn_unit_time(unit, below(64) ? time++ : 0);
    }
}

static void check(const struct row *row)
{
    enum cairn_protocol_id protocol = row->protocol;
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_unit *unit = NULL;
    struct cairn_error error = {.status = CAIRN_OK};

    options.protocol = row->protocol;
    options.arch = row->arch;
    options.registers = row->registers;
    options.register_count = row->register_count;
    options.watch = watch;
    options.watch_context = &protocol;
    if (cairn_unit_new(&options, &unit, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
    memset(seen, 0, sizeof seen);
    random_state = 1;
    cairn_unit_enable(unit);
    run(unit, row);
    cairn_unit_disable(unit);
    assert_int_equal(cairn_unit_status(unit), CAIRN_OK);
    for (size_t i = 0; i < row->seen_count; i++)
        assert_true(seen[row->seen[i]] > 0);
    cairn_unit_free(unit);
}

static void test_etmv4(void **state)
{
    (void)state;
    check(&rows[0]);
    check(&rows[1]);
}

static void test_etmv3(void **state)
{
    (void)state;
    check(&rows[2]);
}

static void test_ptm(void **state)
{
    (void)state;
    check(&rows[3]);
}

/* Of the protocol that is named; ETMv4 and ETE without a name. */
int main(int argc, char **argv)
{
    const struct CMUnitTest etmv4[] = {cmocka_unit_test(test_etmv4)};
    const struct CMUnitTest etmv3[] = {cmocka_unit_test(test_etmv3)};
    const struct CMUnitTest ptm[] = {cmocka_unit_test(test_ptm)};

    if (argc > 1 && strcmp(argv[1], "etmv3") == 0)
        return cmocka_run_group_tests(etmv3, NULL, NULL);
    if (argc > 1 && strcmp(argv[1], "ptm") == 0)
        return cmocka_run_group_tests(ptm, NULL, NULL);
    return cmocka_run_group_tests(etmv4, NULL, NULL);
}
