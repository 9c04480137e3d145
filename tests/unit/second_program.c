/* SPDX-License-Identifier: BSD-2-Clause */
#include "second_program.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#define TRUE_EVENT 1u /* Resource Selector 1 */
#define PAIR 0x80u
#define LEGAL_PAIRS 6u
#define CONFIGR_OPTIONS 0x18d8u /* RS, TS, VMID, CID, CCI, BB */

const struct second_context second_contexts[CONTEXTS] = {
    {1, SECOND_NONSECURE, 0x00000001, 0x00000007}, {0, SECOND_NONSECURE, 0x00010001, 0x00000007},
    {0, SECOND_NONSECURE, 0x00020001, 0x01000007}, {2, SECOND_NONSECURE, 0x00000001, 0x01000008},
    {1, SECOND_SECURE, 0x00000002, 0x00000007},    {3, SECOND_SECURE, 0x00010001, 0x00000008}};
/* CPU_CYCLES and others of the Common events, and PMU_OVFS (0x400f would do as well). */
const unsigned second_pmu_numbers[PMU_EVENTS] = {0x0000, 0x0011, 0x0003, 0x400c, 0x0111};

/* splitmix64 */
uint64_t second_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static struct {
    uint64_t state;
    unsigned selectors; /* 2 to this are programmed */
    unsigned range_at;  /* the SACs from here on, 8 of them, are ranges; the others single */
    bool is_long;       /* in clocks */
} now;

static uint32_t below(uint32_t n)
{
    return (uint32_t)((second_random(&now.state) >> 32) * n >> 32);
}

static bool one_in(uint32_t n)
{
    return below(n) == 0;
}

/* One or a few bits of those from `at` on. */
static uint32_t some_bits(unsigned at, unsigned count)
{
    uint32_t bits = UINT32_C(1) << (at + below(count));

    while (one_in(3))
        bits |= UINT32_C(1) << (at + below(count));
    return bits;
}

static uint64_t an_address(void)
{
    return CODE_AT + 4 * below(CODE_INSTRUCTIONS);
}

/* TYPE and SEL of a resource event. */
static uint32_t an_event(void)
{
    const uint32_t kind = below(20);

    if (kind < 3)
        return 0;
    if (kind < 5)
        return TRUE_EVENT;
    if (kind < 11)
        return PAIR | (1 + below(now.selectors / 2));
    return 2 + below(now.selectors);
}

static uint32_t a_selection(void)
{
    const uint32_t kind = below(24);

    if (kind < 5)
        return 0u << 16 | some_bits(0, 4);
    if (kind < 6)
        return 1u << 16 | some_bits(0, 8);
    if (kind < 13)
        return 2u << 16 | some_bits(0, 8);
    if (kind < 16)
        return 3u << 16 | some_bits(0, 8);
    if (kind < 19)
        return 4u << 16 | some_bits(0, 16) | some_bits(0, 16);
    if (kind < 21)
        return 5u << 16 | some_bits(now.range_at / 2, 4);
    if (kind < 22)
        return 6u << 16 | some_bits(0, 4);
    return kind < 23 ? 7u << 16 | some_bits(0, 4) : 2u << 16;
}

/* Table D7.2 without what is reserved there. */
static void selectors(struct second_registers *reg)
{
    static const struct {
        uint8_t a, b, pair;
    } legal[LEGAL_PAIRS] = {{0, 0, 0}, {0, 0, 1}, {0, 1, 1}, {1, 0, 0}, {1, 1, 0}, {1, 1, 1}};

    now.selectors = 2 * (2 + below(5));
    for (unsigned n = 2; n < now.selectors + 2; n += 2) {
        const unsigned f = one_in(2) ? below(2) * 5 : below(LEGAL_PAIRS);

        reg->rsctlr[n] = a_selection() | (uint32_t)legal[f].a << 20 | (uint32_t)legal[f].pair << 21;
        reg->rsctlr[n + 1] = a_selection() | (uint32_t)legal[f].b << 20;
    }
}

static uint64_t attributes(void)
{
    uint64_t value = 0;

    if (one_in(3))
        value |= (uint64_t)below(4) << 2 | (uint64_t)below(4) << 4;
    if (one_in(4))
        value |= (uint64_t)some_bits(8, 7);
    return value;
}

/* Ranges begin before they end, with one set of attributes (S_WFSPV, R_XYJLC); single comparators
 * have addresses in order, each once (R_SFXZB, R_XHFYQ). */
static void comparators(struct second_registers *reg)
{
    const unsigned single_at = 8 - now.range_at;
    unsigned step = 0;

    for (unsigned n = now.range_at; n < now.range_at + 8; n += 2) {
        const uint64_t a = an_address(), b = one_in(2) ? an_address() : a + 4 * below(6);

        reg->acvr[n] = a < b ? a : b;
        reg->acvr[n + 1] = a < b ? b : a;
        reg->acatr[n] = reg->acatr[n + 1] = attributes();
    }
    for (unsigned n = single_at; n < single_at + 8; n++) {
        step += 1 + below(7);
        reg->acvr[n] = CODE_AT + 4 * step;
        reg->acatr[n] = attributes();
    }
    for (unsigned n = 0; n < 4; n++) {
        reg->cidcvr[n] = second_contexts[below(CONTEXTS)].context_id;
        reg->vmidcvr[n] = second_contexts[below(CONTEXTS)].vmid;
        reg->cidcctlr[0] |= (one_in(2) ? below(16) : 0) << 8 * n;
        reg->vmidcctlr[0] |= (one_in(2) ? below(16) : 0) << 8 * n;
    }
    if (one_in(2)) { /* the upper comparators are there, too */
        memcpy(&reg->cidcvr[4], &reg->cidcvr[0], 4 * sizeof reg->cidcvr[0]);
        reg->cidcctlr[1] = reg->cidcctlr[0];
    }
}

static void view(struct second_registers *reg)
{
    const unsigned single_at = 8 - now.range_at;

    reg->victlr = one_in(2) ? TRUE_EVENT : an_event();
    if (one_in(2)) {
        const uint32_t start = some_bits(single_at, 8) | some_bits(single_at, 8);

        reg->vissctlr = start | ((some_bits(single_at, 8) | some_bits(single_at, 8)) & ~start)
                                    << 16;
    }
    if (!reg->vissctlr && one_in(3)) {
        const uint32_t start = some_bits(0, 8) | some_bits(0, 8);

        reg->vipcssctlr = start | ((some_bits(0, 8) | some_bits(0, 8)) & ~start) << 16;
    }
    reg->victlr |= (reg->vissctlr || reg->vipcssctlr ? below(2) : !one_in(16)) << 9;
    reg->victlr |= (one_in(3) ? 1u : 0) << 11 | (one_in(3) ? 1u : 0) << 10;
    reg->victlr |= one_in(4) ? some_bits(16, 7) : 0;
    if (one_in(3))
        reg->viiectlr |= some_bits(now.range_at / 2, 4);
    if (one_in(3))
        reg->viiectlr |= some_bits(16 + now.range_at / 2, 4);
}

static uint32_t a_count(void)
{
    return one_in(12) ? below(0x10000) : below(7);
}

static void registers(struct second_registers *reg)
{
    now.range_at = 8 * below(2);
    selectors(reg);
    comparators(reg);
    view(reg);
    for (unsigned n = 0; n < 4; n++) {
        reg->cntrldvr[n] = a_count();
        reg->cntvr[n] = a_count();
        reg->cntctlr[n] = an_event() | (one_in(3) ? an_event() : 0) << 8 | below(2) << 16;
        reg->cntctlr[n] |= (n & 1 && one_in(2) ? 1u : 0) << 17;
        reg->extinsel[n] = second_pmu_numbers[below(PMU_EVENTS)];
        reg->eventctl0 |= (one_in(2) ? an_event() : 0) << 8 * n;
    }
    for (unsigned n = 0; n < 3; n++)
        reg->seqevr[n] = an_event() | an_event() << 8;
    reg->seqrstevr = one_in(3) ? an_event() : 0;
    reg->seqstr = below(4);
    reg->eventctl1 = below(16) | (one_in(4) ? 1u : 0) << 12;
    for (unsigned n = 0; n < 8; n++) {
        reg->sscc[n] = some_bits(0, 16) | some_bits(0, 16) | below(2) << 24;
        reg->sscc[n] |= one_in(3) ? some_bits(16 + now.range_at / 2, 4) : 0;
        reg->sspcic[n] = one_in(8) ? some_bits(0, 8) : 0;
        reg->sscs[n] = (one_in(4) ? UINT32_C(1) << 31 : 0) | (one_in(4) ? UINT32_C(1) << 30 : 0);
    }
    reg->rsr = one_in(3) ? below(0x2000) & 0x1f0f : 0;
}

/* A unit with fewer external inputs and ETEEvents: a program does not name those that are not there. */
static void have_fewer(struct second_program *program)
{
    struct second_registers *reg = &program->reg;
    const unsigned inputs = below(5), events = 1 + below(4);
    const uint32_t these = (1u << events) - 1;

    program->choices.inputs = inputs;
    program->choices.events = events;
    for (unsigned n = 2; n < 32; n++)
        if (!(reg->rsctlr[n] >> 16 & 15))
            reg->rsctlr[n] &= ~0xfu | ((1u << inputs) - 1);
    for (unsigned n = inputs; n < 4; n++)
        reg->extinsel[n] = 0;
    reg->eventctl0 &= (uint32_t)((UINT64_C(1) << 8 * events) - 1);
    reg->eventctl1 &= ~0xfu | these;
    reg->rsr &= second_rsr_mask(program);
}

uint32_t second_rsr_mask(const struct second_program *program)
{
    return 0x1000u | ((1u << program->choices.events) - 1) << 8 |
           ((1u << program->choices.inputs) - 1);
}

/* How often each kind of step comes, of the first family and of the second. */
static const uint8_t alone[STEP_KINDS] = {
    [STEP_EXECUTE] = 52,  [STEP_CYCLES] = 12, [STEP_INPUTS] = 6,    [STEP_PMU_EVENT] = 10,
    [STEP_ETE_EVENT] = 2, [STEP_CONTEXT] = 5, [STEP_EXCEPTION] = 4, [STEP_PROHIBIT] = 4,
    [STEP_LOW_POWER] = 2, [STEP_DEBUG] = 1,   [STEP_DISABLE] = 2,   [STEP_ASIDE] = 2,
};
static const uint8_t speculating[STEP_KINDS] = {
    [STEP_EXECUTE] = 56,
    [STEP_CYCLES] = 6,
    [STEP_INPUTS] = 3,
    [STEP_PMU_EVENT] = 3,
    [STEP_ETE_EVENT] = 2,
    [STEP_CONTEXT] = 3,
    [STEP_EXCEPTION] = 3,
    [STEP_PROHIBIT] = 6,
    [STEP_LOW_POWER] = 1,
    [STEP_DEBUG] = 1,
    [STEP_DISABLE] = 2,
    [STEP_ASIDE] = 2,
    [STEP_SPECULATE] = 2,
    [STEP_RESOLVE] = 11,
    [STEP_CANCEL] = 5,
    [STEP_TRANSACTION_START] = 6,
    [STEP_TRANSACTION_COMMIT] = 5,
    [STEP_TRANSACTION_FAIL] = 3,
};

static enum second_step_kind a_kind(const uint8_t *weight)
{
    unsigned sum = 0, at = 0, pick = 0;

    for (unsigned i = 0; i < STEP_KINDS; i++)
        sum += weight[i];
    pick = below(sum);
    while (pick >= weight[at])
        pick -= weight[at++];
    return (enum second_step_kind)at;
}

static uint32_t a_value(enum second_step_kind kind)
{
    if (kind == STEP_CYCLES && now.is_long && one_in(4))
        return below(50000);
    if (kind == STEP_CYCLES)
        return one_in(100) ? below(3000) : 1 + below(6);
    return (uint32_t)second_random(&now.state);
}

void second_generate(struct second_program *program, uint64_t seed, bool speculative)
{
    memset(program, 0, sizeof *program);
    now.state = seed * 2 + speculative;
    program->seed = seed;
    program->speculative = speculative;
    program->choices.forced_sets_ta = one_in(2);
    program->choices.prohibited_forgets = one_in(2);
    program->choices.pending_after_fired = one_in(2);
    program->overflows = one_in(5);
    registers(&program->reg);
    program->choices.inputs = program->choices.events = 4;
    if (one_in(4))
        have_fewer(program);
    program->configr = 1u | (one_in(2) ? below(0x2000) & CONFIGR_OPTIONS : 0);
    program->tsctlr = one_in(2) ? an_event() : 0;
    now.is_long = one_in(200);
    if (now.is_long) { /* more Event elements than fit would overflow the unit */
        program->reg.eventctl1 &= ~0xfu;
        program->reg.eventctl0 &= 0xff;
    }
    program->step_count = STEPS / 2 + below(STEPS / 2);
    for (size_t i = 0; i < program->step_count; i++) {
        program->steps[i].kind = a_kind(speculative ? speculating : alone);
        program->steps[i].value = a_value(program->steps[i].kind);
    }
}

bool second_is_legal(const struct second_registers *reg)
{
    for (unsigned n = 2; n < 32; n += 2) {
        const bool a = reg->rsctlr[n] >> 20 & 1, pair = reg->rsctlr[n] >> 21 & 1;
        const bool b = reg->rsctlr[n + 1] >> 20 & 1;

        if (a != b && b != pair)
            return false;
    }
    return true;
}

/* --- registers by name --- */

static struct second_name table[SECOND_NAMES];
static size_t named;

static void name(const char *text, unsigned n, bool numbered, size_t offset, bool wide, bool zeroed)
{
    struct second_name *entry = &table[named++];

    assert(named <= SECOND_NAMES);
    if (numbered)
        snprintf(entry->name, sizeof entry->name, "%s%u", text, n);
    else
        snprintf(entry->name, sizeof entry->name, "%s", text);
    entry->offset = offset;
    entry->wide = wide;
    entry->zeroed = zeroed;
}

#define AT(member) offsetof(struct second_registers, member)
#define ONE(text, member, zeroed) name(text, 0, false, AT(member), false, zeroed)
#define SOME(text, member, from, to, wide, zeroed)                                                 \
    for (unsigned n = (from); n < (to); n++)                                                       \
    name(text, n, true, AT(member) + n * sizeof((struct second_registers *)0)->member[0], wide,    \
         zeroed)

size_t second_names(const struct second_name **names)
{
    if (named == 0) {
        SOME("TRCRSCTLR", rsctlr, 2, 32, false, true);
        SOME("TRCCNTRLDVR", cntrldvr, 0, 4, false, true);
        SOME("TRCCNTCTLR", cntctlr, 0, 4, false, true);
        SOME("TRCCNTVR", cntvr, 0, 4, false, true);
        SOME("TRCSEQEVR", seqevr, 0, 3, false, true);
        ONE("TRCSEQRSTEVR", seqrstevr, true);
        ONE("TRCSEQSTR", seqstr, true);
        SOME("TRCSSCCR", sscc, 0, 8, false, true);
        SOME("TRCSSCSR", sscs, 0, 8, false, true);
        SOME("TRCSSPCICR", sspcic, 0, 8, false, true);
        ONE("TRCVIPCSSCTLR", vipcssctlr, true);
        ONE("TRCEVENTCTL0R", eventctl0, true);
        ONE("TRCEVENTCTL1R", eventctl1, true);
        SOME("TRCEXTINSELR", extinsel, 0, 4, false, true);
        ONE("TRCRSR", rsr, true);
        ONE("TRCVICTLR", victlr, true);
        ONE("TRCVIIECTLR", viiectlr, true);
        ONE("TRCVISSCTLR", vissctlr, true);
        SOME("TRCACVR", acvr, 0, 16, true, false);
        SOME("TRCACATR", acatr, 0, 16, true, false);
        SOME("TRCCIDCVR", cidcvr, 0, 8, true, true);
        SOME("TRCVMIDCVR", vmidcvr, 0, 8, true, true);
        SOME("TRCCIDCCTLR", cidcctlr, 0, 2, false, true);
        SOME("TRCVMIDCCTLR", vmidcctlr, 0, 2, false, true);
    }
    *names = table;
    return named;
}

uint64_t second_value(const struct second_registers *reg, const struct second_name *name)
{
    uint64_t wide = 0;
    uint32_t narrow = 0;

    if (name->wide) {
        memcpy(&wide, (const char *)reg + name->offset, sizeof wide);
        return wide;
    }
    memcpy(&narrow, (const char *)reg + name->offset, sizeof narrow);
    return narrow;
}

void second_set(struct second_registers *reg, const struct second_name *name, uint64_t value)
{
    const uint32_t narrow = (uint32_t)value;

    if (name->wide)
        memcpy((char *)reg + name->offset, &value, sizeof value);
    else
        memcpy((char *)reg + name->offset, &narrow, sizeof narrow);
}

void second_print(const struct second_program *program)
{
    const struct second_name *names;
    const size_t count = second_names(&names);

    printf("# seed %" PRIu64 "%s, choices %d %d %d\n", program->seed,
           program->speculative ? ", speculative" : "", program->choices.forced_sets_ta,
           program->choices.prohibited_forgets, program->choices.pending_after_fired);
    for (size_t i = 0; i < count; i++)
        if (second_value(&program->reg, &names[i]))
            printf("#   %s %#" PRIx64 "\n", names[i].name, second_value(&program->reg, &names[i]));
}
