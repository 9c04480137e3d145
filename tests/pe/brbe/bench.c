/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench.h"

static uint64_t count(void *context)
{
    const struct bench *b = context;

    return b->count;
}

static void captured(void *context, const struct cairn_pe_state *where, bool exception_related)
{
    struct bench *b = context;

    b->captured++;
    b->where = *where;
    b->exception_related = exception_related;
    if (b->captured == b->overflow_at) {
        const struct cairn_brbe_side now = bench_now(b);
        cairn_brbe_overflow(&b->brbe, &now, 1);
    }
}

static bool loses(void *context)
{
    struct bench *b = context;
    const bool lost = b->loses;

    b->loses = false;
    return lost;
}

static void finding(void *context, enum cairn_brbe_finding finding)
{
    struct bench *b = context;

    b->findings |= 1u << finding;
}

void bench_restart(struct bench *b)
{
    const struct cairn_brbe_host host = {b, count, captured, loses, finding};

    assert_int_equal(cairn_brbe_begin(&b->brbe, &b->features, &b->options, &host), CAIRN_OK);
    b->captured = 0;
    b->findings = 0;
}

void bench_begin(struct bench *b)
{
    memset(b, 0, sizeof *b);
    b->features = (struct cairn_pe_features){.EL2 = true,
                                             .EL3 = true,
                                             .secure_EL2 = true,
                                             .brbe = 2,
                                             .records = 32,
                                             .counters = 6,
                                             .transactions = true};
    b->state = (struct cairn_pe_state){.EL = 1, .security = CAIRN_NONSECURE};
    /* E1BRE, E0BRE; CC, MPRED; TS physical; ERTN, EXCEPTION: the same in both */
    b->registers.value[CAIRN_PE_BRBCR_EL1] = 0xc0007b;
    b->registers.value[CAIRN_PE_BRBCR_EL2] = 0xc0007b;
    b->registers.value[CAIRN_PE_BRBFCR_EL1] = 0x10000; /* EnI alone */
    b->registers.value[CAIRN_PE_MDCR_EL3] = UINT64_C(3) << 32 | UINT64_C(1) << 38;
    bench_set(b, MDCR_EL2, MDCR_EL2_HPMN, 4);
    bench_restart(b);
}

struct cairn_brbe_side bench_now(struct bench *b)
{
    return (struct cairn_brbe_side){&b->registers, &b->state};
}

void bench_look(struct bench *b)
{
    const struct cairn_brbe_side now = bench_now(b);

    cairn_brbe_look(&b->brbe, &now);
}

void bench_branch(struct bench *b, unsigned kind, uint32_t flags, uint64_t source, uint64_t target)
{
    const struct cairn_brbe_side now = bench_now(b);
    const struct cairn_brbe_branch branch = {.source = source,
                                             .target = target,
                                             .flags = flags,
                                             .kind = (uint8_t)kind,
                                             .prediction = CAIRN_BRBE_HIT,
                                             .taken = true,
                                             .has_target = true};

    cairn_brbe_branch(&b->brbe, &now, &branch);
}

void bench_b(struct bench *b, uint64_t source)
{
    bench_branch(b, CAIRN_INSN_BRANCH_DIRECT, 0, source, source + 0x100);
}

void bench_exception(struct bench *b, unsigned EL, unsigned type, uint64_t source, uint64_t target)
{
    const struct cairn_pe_state left = b->state;
    const struct cairn_brbe_side before = {&b->registers, &left};
    const struct cairn_brbe_exception exception = {source, target, (uint8_t)type};

    b->state.EL = (uint8_t)EL;
    b->state.aarch32 = false;
    const struct cairn_brbe_side after = bench_now(b);
    cairn_brbe_exception(&b->brbe, &before, &after, &exception);
}

void bench_return(struct bench *b, unsigned EL, uint64_t source, uint64_t target)
{
    const struct cairn_pe_state left = b->state;
    const struct cairn_brbe_side before = {&b->registers, &left};
    const struct cairn_brbe_return exception_return = {source, target, CAIRN_BRBE_HIT};

    b->state.EL = (uint8_t)EL;
    const struct cairn_brbe_side after = bench_now(b);
    cairn_brbe_return(&b->brbe, &before, &after, &exception_return);
}

void bench_halt(struct bench *b, uint64_t address)
{
    const struct cairn_pe_state left = b->state;
    const struct cairn_brbe_side before = {&b->registers, &left};

    b->state.debug = true;
    const struct cairn_brbe_side after = bench_now(b);
    cairn_brbe_debug_entry(&b->brbe, &before, &after, address);
}

void bench_resume(struct bench *b, uint64_t address)
{
    const struct cairn_pe_state left = b->state;
    const struct cairn_brbe_side before = {&b->registers, &left};

    b->state.debug = false;
    const struct cairn_brbe_side after = bench_now(b);
    cairn_brbe_debug_exit(&b->brbe, &before, &after, address);
}

void bench_control(struct bench *b, uint64_t value)
{
    b->registers.value[CAIRN_PE_BRBFCR_EL1] = value;
    const struct cairn_brbe_side now = bench_now(b);
    cairn_brbe_write_control(&b->brbe, &now, value);
}

bool bench_paused(struct bench *b)
{
    const struct cairn_brbe_side now = bench_now(b);

    return cairn_brbe_read_control(&b->brbe, &now) >> 7 & 1;
}

void bench_overflow(struct bench *b, uint64_t flags)
{
    const struct cairn_brbe_side now = bench_now(b);

    cairn_brbe_overflow(&b->brbe, &now, flags);
}

void bench_inject(struct bench *b, const struct cairn_branch_registers *record)
{
    const struct cairn_brbe_side now = bench_now(b);

    cairn_brbe_write_injection(&b->brbe, CAIRN_BRBE_INF, record->BRBINF);
    cairn_brbe_write_injection(&b->brbe, CAIRN_BRBE_SRC, record->BRBSRC);
    cairn_brbe_write_injection(&b->brbe, CAIRN_BRBE_TGT, record->BRBTGT);
    assert_int_equal(cairn_brbe_inject(&b->brbe, &now), 0);
}

unsigned bench_halves(struct bench *b, unsigned n)
{
    return (unsigned)cairn_brbe_read(&b->brbe, n / 32, n % 32, CAIRN_BRBE_INF) & 3;
}

unsigned bench_valid(struct bench *b)
{
    unsigned valid = 0;

    while (valid < 64 && bench_halves(b, valid))
        valid++;
    for (unsigned n = valid; n < 64; n++)
        assert_int_equal(bench_halves(b, n), 0);
    return valid;
}

struct cairn_branch bench_record(struct bench *b, unsigned n)
{
    const struct cairn_branch_registers registers = {
        cairn_brbe_read(&b->brbe, n / 32, n % 32, CAIRN_BRBE_INF),
        cairn_brbe_read(&b->brbe, n / 32, n % 32, CAIRN_BRBE_SRC),
        cairn_brbe_read(&b->brbe, n / 32, n % 32, CAIRN_BRBE_TGT),
    };
    struct cairn_branch branch = {.size = sizeof branch};
    uint32_t findings;

    assert_int_equal(cairn_branch_decode(&registers, &branch, &findings), CAIRN_OK);
    assert_int_equal(findings, 0);
    return branch;
}
