/* SPDX-License-Identifier: BSD-2-Clause */
/* Random programs under random programming: the records are the youngest that a second account of the
 * specification (second.h) selects from the list of what was done.
 * usage: test_pe_brbe_random [RUNS [FROM]] */
#include <inttypes.h>
#include <stdlib.h>

#include "bench.h"
#include "second.h"

static uint64_t runs = 20000, from;

static uint64_t random_state;
static unsigned draw(unsigned limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (unsigned)(random_state >> 33) % limit;
}

static bool often(void)
{
    return draw(4) != 0;
}

static struct second_settings draw_settings(const struct second_parts *p)
{
    struct second_settings s = {.E0BRE = often(),
                                .E1BRE = often(),
                                .E0HBRE = often(),
                                .E2BRE = draw(2),
                                .SBRBE = often() ? 3 : draw(4),
                                .E3BREC = draw(2),
                                .E3BREW = draw(2),
                                .TGE = draw(3) == 0,
                                .EEL2 = draw(2),
                                .EnI = draw(2),
                                .HPMN = draw(p->counters + 1)};

    for (unsigned i = 1; i < 3; i++) {
        s.EXCEPTION[i] = often();
        s.ERTN[i] = often();
        s.CC[i] = often();
        s.MPRED[i] = often();
        s.FZP[i] = draw(2);
    }
    for (unsigned i = 0; i < 6; i++)
        s.filter[i] = often() != s.EnI;
    return s;
}

/* A place that can be returned to, from that level. */
static void draw_place(const struct second_parts *p, struct second_place *place, unsigned most)
{
    const bool was_EL3 = place->EL == 3;

    do
        place->EL = draw(most + 1);
    while ((place->EL == 2 && !p->EL2) || (place->EL == 3 && !p->EL3));
    if (was_EL3 || most == 3)
        place->secure = place->EL == 3 || draw(3) == 0;
    place->aarch32 = place->EL == 0 && draw(5) == 0;
}

static void draw_crossing(const struct second_parts *p, struct second_step *s)
{
    static const uint8_t types[] = {0x22, 0x23, 0x24, 0x26, 0x27, 0x2a, 0x2b, 0x2c, 0x2e, 0x2f};

    s->type = types[draw(COUNT_OF(types))];
    if (s->from.EL == 0 || draw(2)) {
        s->deed = EXCEPTION;
        do
            s->to.EL = (s->from.EL ? s->from.EL : 1) + draw(3);
        while (s->to.EL > 3 || (s->to.EL == 2 && !p->EL2) || (s->to.EL == 3 && !p->EL3));
        s->to.aarch32 = false;
        s->to.secure |= s->to.EL == 3;
    } else {
        s->deed = ERET;
        draw_place(p, &s->to, s->from.EL);
    }
}

static void draw_deed(const struct second_parts *p, struct second_step *s)
{
    const unsigned what = draw(32);

    if (s->from.debug) {
        s->deed = draw(3) ? RESUME : draw(2) ? IALL : INJECT;
        if (s->deed == RESUME)
            s->to.debug = false;
    } else if (s->from.transactional && what >= 20) {
        s->deed = draw(2) ? TX_FAIL : TX_COMMIT;
        s->to.transactional = false;
    } else if (s->from.transactional || what < 14) {
        s->deed = BRANCH;
        s->branch = (enum second_branch)draw(7);
        s->taken = s->branch != CONDITIONAL || draw(2);
        s->missed = draw(2);
    } else if (what < 23)
        draw_crossing(p, s);
    else if (what < 25) {
        s->deed = TX_START;
        s->to.transactional = true;
    } else if (what < 26) {
        s->deed = HALT;
        s->to.debug = true;
    } else if (what < 28) {
        s->deed = SET;
        s->settings = draw_settings(p);
    } else if (what < 29) {
        s->deed = CONTROL;
        s->paused = draw(2);
        s->last_failed = draw(3) == 0;
    } else if (what < 30) {
        s->deed = OVERFLOW;
        s->overflow = draw(4) ? 0 : (uint32_t)random_state & 0xc000000f;
    } else
        s->deed = draw(4) ? INJECT : IALL;
}

/* Positions of the registers' fields, once more. */
static void program(struct bench *b, const struct second_settings *s, bool EL2)
{
    uint64_t *v = b->registers.value;

    for (unsigned i = 1; i < 3; i++)
        v[i == 1 ? CAIRN_PE_BRBCR_EL1 : CAIRN_PE_BRBCR_EL2] =
            (uint64_t)s->EXCEPTION[i] << 23 | (uint64_t)s->ERTN[i] << 22 |
            (uint64_t)s->FZP[i] << 8 | 3u << 5 | (uint64_t)s->MPRED[i] << 4 |
            (uint64_t)s->CC[i] << 3 | (uint64_t)(i == 1 ? s->E1BRE : s->E2BRE) << 1 |
            (i == 1 ? s->E0BRE : s->E0HBRE);
    v[CAIRN_PE_MDCR_EL3] =
        (uint64_t)s->SBRBE << 32 | (uint64_t)s->E3BREW << 37 | (uint64_t)s->E3BREC << 38;
    v[CAIRN_PE_MDCR_EL2] = EL2 ? s->HPMN : 0;
    v[CAIRN_PE_HCR_EL2] = (uint64_t)s->TGE << 27;
    v[CAIRN_PE_SCR_EL3] = (uint64_t)s->EEL2 << 18;
    v[CAIRN_PE_BRBFCR_EL1] =
        (uint64_t)s->EnI << 16 | (uint64_t)s->filter[DIRECT] << 17 |
        (uint64_t)s->filter[INDIRECT] << 18 | (uint64_t)s->filter[SUB_RETURN] << 19 |
        (uint64_t)s->filter[INDIRECT_CALL] << 20 | (uint64_t)s->filter[DIRECT_CALL] << 21 |
        (uint64_t)s->filter[CONDITIONAL] << 22;
}

static struct cairn_pe_state state_of(struct second_place place)
{
    return (struct cairn_pe_state){.EL = (uint8_t)place.EL,
                                   .security = place.secure ? CAIRN_SECURE : CAIRN_NONSECURE,
                                   .aarch32 = place.aarch32,
                                   .debug = place.debug,
                                   .transactional = place.transactional};
}

static void do_branch(struct bench *b, const struct second_step *s,
                      const struct cairn_brbe_side *now)
{
    static const struct {
        uint8_t kind;
        uint32_t flags;
    } kinds[] = {{CAIRN_INSN_BRANCH_DIRECT, CAIRN_INSN_CONDITIONAL},
                 {CAIRN_INSN_BRANCH_DIRECT, CAIRN_INSN_LINK},
                 {CAIRN_INSN_BRANCH_INDIRECT, CAIRN_INSN_LINK},
                 {CAIRN_INSN_BRANCH_INDIRECT, CAIRN_INSN_RETURN},
                 {CAIRN_INSN_BRANCH_INDIRECT, 0},
                 {CAIRN_INSN_BRANCH_DIRECT, 0},
                 {CAIRN_INSN_ISB, 0}};
    const bool told = s->source & 4;
    const struct cairn_brbe_branch branch = {.source = s->source,
                                             .target = s->target,
                                             .kind = kinds[s->branch].kind,
                                             .flags = kinds[s->branch].flags,
                                             .prediction =
                                                 s->missed ? CAIRN_BRBE_MISS : CAIRN_BRBE_HIT,
                                             .taken = s->taken,
                                             .has_target = told && s->branch != BARRIER};

    cairn_brbe_branch(&b->brbe, now, &branch);
    if (!told && s->branch != BARRIER)
        cairn_brbe_target(&b->brbe, now, s->target);
}

static void run_step(struct bench *b, const struct second_step *s, bool EL2)
{
    const struct cairn_pe_state before = state_of(s->from), after = state_of(s->to);
    const struct cairn_brbe_side left = {&b->registers, &before}, now = {&b->registers, &after};

    program(b, &s->settings, EL2);
    b->state = after;
    cairn_brbe_cycles(&b->brbe, s->cycles);
    switch (s->deed) {
    case SET: cairn_brbe_look(&b->brbe, &now); break;
    case CONTROL:
        cairn_brbe_write_control(&b->brbe, &now,
                                 (uint64_t)s->paused << 7 | (uint64_t)s->last_failed << 6);
        break;
    case BRANCH: do_branch(b, s, &now); break;
    case EXCEPTION:
        cairn_brbe_exception(
            &b->brbe, &left, &now,
            &(struct cairn_brbe_exception){s->source, s->target, (uint8_t)s->type});
        break;
    case ERET:
        cairn_brbe_return(&b->brbe, &left, &now,
                          &(struct cairn_brbe_return){
                              s->source, s->target, s->missed ? CAIRN_BRBE_MISS : CAIRN_BRBE_HIT});
        break;
    case HALT: cairn_brbe_debug_entry(&b->brbe, &left, &now, s->source); break;
    case RESUME: cairn_brbe_debug_exit(&b->brbe, &left, &now, s->target); break;
    case TX_START: cairn_brbe_transaction_start(&b->brbe, &left); break;
    case TX_COMMIT: cairn_brbe_transaction_commit(&b->brbe); break;
    case TX_FAIL: cairn_brbe_transaction_fail(&b->brbe, &left); break;
    case IALL: assert_int_equal(cairn_brbe_invalidate(&b->brbe, &now), 0); break;
    case INJECT:
        bench_inject(b, &(struct cairn_branch_registers){3 | 5u << 8, s->source, s->target});
        break;
    case OVERFLOW: cairn_brbe_overflow(&b->brbe, &now, s->overflow); break;
    }
}

static void compare(struct bench *b, const struct second_parts *parts,
                    const struct second_step *steps, size_t count, uint64_t seed)
{
    struct second_record wanted[SECOND_RECORDS];
    const unsigned found = second_select(parts, steps, count, wanted);
    bool same = bench_valid(b) == found;

    for (unsigned n = 0; same && n < found; n++) {
        const struct cairn_branch_registers r = cairn_brbe_record(&b->brbe, n);
        same = r.BRBINF == wanted[n].inf && r.BRBSRC == wanted[n].source &&
               r.BRBTGT == wanted[n].target;
        if (!same)
            print_message("# record %u: %" PRIx64 " %" PRIx64 " %" PRIx64 ", not %" PRIx64
                          " %" PRIx64 " %" PRIx64 "\n",
                          n, r.BRBINF, r.BRBSRC, r.BRBTGT, wanted[n].inf, wanted[n].source,
                          wanted[n].target);
    }
    if (!same)
        print_message("# seed %" PRIu64 ", %zu steps, %u records, not %u\n", seed, count,
                      bench_valid(b), found);
    /* proves: R_PKZCF */
    assert_true(same);
}

static struct {
    uint64_t records, halves, counted, overflowed, missed, failed, frozen;
} tally;

static void add_up(struct bench *b)
{
    for (unsigned n = 0; n < bench_valid(b); n++) {
        const struct cairn_branch r = bench_record(b, n);

        tally.records++;
        tally.halves += bench_halves(b, n) != 3;
        tally.counted +=
            !(r.flags & (CAIRN_BRANCH_CYCLES_UNKNOWN | CAIRN_BRANCH_CYCLES_OVERFLOWED));
        tally.overflowed += (r.flags & CAIRN_BRANCH_CYCLES_OVERFLOWED) != 0;
        tally.missed += (r.flags & CAIRN_BRANCH_MISPREDICTED) != 0;
        tally.failed += (r.flags & CAIRN_BRANCH_LAST_FAILED) != 0;
    }
    tally.frozen += b->brbe.timestamp != 0;
}

static void run(uint64_t seed)
{
    static const uint8_t sizes[] = {8, 16, 32, 64};
    static struct second_step steps[SECOND_STEPS];
    static struct bench b;

    random_state = seed * UINT64_C(0x9e3779b97f4a7c15);
    draw(2);
    const struct second_parts parts = {.EL2 = often(),
                                       .EL3 = often(),
                                       .v1p1 = often(),
                                       .records_ISB = draw(2),
                                       .records = sizes[draw(4)],
                                       .counters = draw(32)};
    const size_t count = 1 + draw(SECOND_STEPS);
    bench_begin(&b);
    b.features = (struct cairn_pe_features){.EL2 = parts.EL2,
                                            .EL3 = parts.EL3,
                                            .secure_EL2 = true,
                                            .brbe = parts.v1p1 ? 2 : 1,
                                            .records = (uint8_t)parts.records,
                                            .counters = (uint8_t)parts.counters,
                                            .transactions = true};
    b.options.flags = parts.records_ISB ? CAIRN_BRBE_RECORDS_ISB : 0;
    b.count = 1;
    bench_restart(&b);
    for (size_t i = 0; i < count; i++) {
        struct second_step *s = &steps[i];

        *s = (struct second_step){.deed = SET,
                                  .cycles = draw(8) ? draw(100) : draw(draw(4) ? 100000 : 3000000)};
        if (i == 0) {
            draw_place(&parts, &s->from, 3);
            s->to = s->from;
            s->settings = draw_settings(&parts);
        } else {
            s->settings = steps[i - 1].settings;
            s->from = s->to = steps[i - 1].to;
            draw_deed(&parts, s);
        }
        s->source = (uint64_t)draw(1u << 20) * 4;
        s->target = (uint64_t)draw(1u << 20) * 4;
        run_step(&b, s, parts.EL2);
        if (i % 16 == 0 || i + 1 == count)
            compare(&b, &parts, steps, i + 1, seed);
    }
    add_up(&b);
}

static void equal(void **state)
{
    (void)state;
    for (uint64_t seed = from; seed < from + runs; seed++)
        run(seed);
    print_message("# %" PRIu64 " runs: %" PRIu64 " records, of these %" PRIu64 " halves, %" PRIu64
                  " with a count, %" PRIu64 " beyond the counter, %" PRIu64
                  " mispredicted, %" PRIu64 " behind a failed transaction; %" PRIu64
                  " runs froze\n",
                  runs, tally.records, tally.halves, tally.counted, tally.overflowed, tally.missed,
                  tally.failed, tally.frozen);
    /* The programs are not all of one kind. */
    if (runs >= 1000) {
        assert_true(tally.records > 2 * runs);
        assert_true(tally.halves * 20 > tally.records && tally.counted * 5 > tally.records);
        assert_true(tally.missed * 20 > tally.records && tally.failed * 200 > tally.records);
        assert_true(tally.overflowed > 0 && tally.frozen > 0);
    }
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(equal)};

    if (count > 1)
        runs = strtoull(arguments[1], NULL, 10);
    if (count > 2)
        from = strtoull(arguments[2], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
