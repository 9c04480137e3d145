/* SPDX-License-Identifier: BSD-2-Clause */
/* Programming, rightly and wrongly: E1.2.1.8; what memory is told; reset. */
#include "bench.h"

static struct bench b;

/* --- what memory is told --- */

/* The pointer as it is, TRBLIMITR_EL1.nVM, TRBMAR_EL1, and whose write it is. */
static void test_attributes(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 16; n++) {
        const bool nVM = n & 1, VM = n & 2, host = n & 4, E2H = n & 8;

        bench_begin(&b, NULL);
        cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBMAR_EL1, ~UINT64_C(0) << 10 | 2u << 8 | 0x44);
        b.registers.value[CAIRN_PE_HCR_EL2] = VM | (uint64_t)E2H << 34;
        if (host)
            b.registers.value[CAIRN_PE_MDCR_EL2] = 0;
        bench_enable(&b, FILL, IGNORE, BASE, LIMIT | (nVM ? 1u << 5 : 0), BASE + 3);
        bench_offer(&b, 1);
        /* proves: R_FJKLW */
        assert_int_equal(b.last.SH << 8 | b.last.Attr, 0x244);
        /* proves: R_PBZRZ, R_XRNCQ */
        assert_int_equal(b.last.nVM, nVM);
        assert_int_equal(b.last.regime.stage2, !host && VM);
        assert_int_equal(b.last.regime.EL, host ? 2 : 1);
        assert_int_equal(b.last.regime.E2H, host && E2H);
        assert_int_equal(b.last.address, BASE + 3);
    }
}

/* EL0 executes and EL1 owns: the regime is the owner's, and the registers are those of now. */
static void test_owner_now(void **state)
{
    (void)state;
    bench_begin(&b, NULL);
    b.state.EL = 0;
    bench_enable(&b, FILL, IGNORE, BASE, LIMIT, BASE);
    bench_offer(&b, 1);
    assert_int_equal(b.last.regime.EL, 1);
    b.registers.value[CAIRN_PE_SCR_EL3] = 0; /* NS, before the trace is out */
    bench_offer(&b, 1);
    /* proves: R_RRCNN */
    assert_int_equal(bench_count(&b, FINDING, CAIRN_PE_TRBE_STATES_DISAGREE), 1);
    assert_int_equal(b.last.regime.security, CAIRN_NONSECURE);
    b.trbe.prohibit_choices = CAIRN_PE_PROHIBIT_TRANSLATES_AS_CURRENT;
    bench_offer(&b, 1);
    assert_int_equal(b.last.regime.security, CAIRN_SECURE);
    assert_int_equal(bench_count_what(&b, FINDING), 1); /* told once */
}

/* Whether monitors and transactions notice it is the implementation's. */
static void test_observed(void **state)
{
    (void)state;
    for (unsigned observed = 0; observed < 2; observed++) {
        const struct cairn_pe_trbe_options options = {.choices =
                                                          observed ? CAIRN_PE_TRBE_OBSERVED : 0};

        bench_begin(&b, &options);
        bench_enable(&b, FILL, IGNORE, BASE, LIMIT, BASE);
        bench_offer(&b, 1);
        assert_int_equal(b.last.observed, observed);
    }
}

/* --- out of range, misaligned --- */

static void test_range(void **state)
{
    static const struct {
        uint64_t base, limit, pointer;
        bool expected;
    } rows[] = {
        {BASE, LIMIT, BASE, true},
        {BASE, LIMIT, LIMIT - 1, true},
        {BASE, LIMIT, LIMIT, false},
        {BASE, LIMIT, BASE - 1, false},
        {BASE, BASE, BASE, false},
        {LIMIT, BASE, BASE, false},
        {0x00fffffffffff000, 0x0100000000001000, 0x00fffffffffff800, false}, /* the limit's byte */
        {0x00fffffffffff000, 0x0100000000001000, 0x0100000000000800, false}, /* the base's */
        {0xff00000000000000, 0xfffffffffffff000, 0xffffffffffffefff, true},
        {0x00ffffffffffe000, 0x00fffffffffff000, 0x01ffffffffffe800, false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bench_begin(&b, NULL);
        b.registers.value[CAIRN_PE_TRBBASER_EL1] = rows[i].base;
        b.registers.value[CAIRN_PE_TRBLIMITR_EL1] = rows[i].limit;
        /* proves: R_MSPSD */
        assert_int_equal(cairn_pe_trbe_in_range(&b.trbe, rows[i].pointer), rows[i].expected);
    }
}

/* Each outcome for a pointer at and behind the limit, one in front of the base, and a buffer without extent. */
static void test_out_of_range(void **state)
{
    static const struct {
        uint8_t astray;
        uint64_t base, pointer;
        uint64_t status, end; /* after three bytes, in Wrap mode */
        uint64_t first;       /* where the first one is, 0: nowhere */
        size_t wraps;
        uint8_t value; /* that is there at the end */
    } rows[] = {
        {CAIRN_PE_TRBE_ASTRAY_WRITES, BASE, LIMIT + 8, 0, LIMIT + 11, LIMIT + 8, 0, 1},
        {CAIRN_PE_TRBE_ASTRAY_WRITES, BASE, BASE - 2, 0, BASE + 1, BASE - 2, 0, 1},
        {CAIRN_PE_TRBE_ASTRAY_WRITES, LIMIT, LIMIT + 1, 0, LIMIT + 4, LIMIT + 1, 0, 1},
        {CAIRN_PE_TRBE_ASTRAY_FAULTS, BASE, LIMIT + 8, 0, LIMIT + 11, LIMIT + 8, 0, 1},
        {CAIRN_PE_TRBE_ASTRAY_WRAPS_BEFORE, BASE, LIMIT + 8, WRAP, BASE + 3, BASE, 1, 1},
        {CAIRN_PE_TRBE_ASTRAY_WRAPS_BEFORE, LIMIT, LIMIT + 1, WRAP, LIMIT + 1, LIMIT, 3, 3},
        {CAIRN_PE_TRBE_ASTRAY_WRAPS_AFTER, BASE, LIMIT + 8, WRAP | IRQ, BASE + 2, LIMIT + 8, 1, 1},
        {CAIRN_PE_TRBE_ASTRAY_EVENT, BASE, LIMIT + 8, S | IRQ | EC(0x15) | 0x77, LIMIT + 8, 0, 0,
         1},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct cairn_pe_trbe_options options = {.astray = rows[i].astray,
                                                .unknown = S | EC(0x15) | 0x77};

        EACH_WAY(options, way)
        {
            bench_begin(&b, &options);
            bench_enable(&b, WRAPS, IGNORE, rows[i].base, LIMIT, rows[i].pointer);
            assert_int_equal(bench_offer(&b, 3), 3);
            /* proves: R_MGZWR */
            assert_int_equal(bench_status(&b), rows[i].status);
            assert_int_equal(bench_pointer(&b), rows[i].end);
            if (rows[i].first)
                assert_int_equal(bench_at(&b, rows[i].first), rows[i].value);
            else
                assert_int_equal(b.stored, 0);
            assert_int_equal(bench_count(&b, EVENT, 0x400c), rows[i].wraps);
            assert_int_equal(bench_count(&b, FINDING, CAIRN_PE_TRBE_OUT_OF_RANGE), 1);
        }
    }
}

/* A management event that leaves S, and sets WRAP: each byte makes one, and none is written. */
static void test_unknown_event(void **state)
{
    struct cairn_pe_trbe_options options = {.astray = CAIRN_PE_TRBE_ASTRAY_EVENT,
                                            .unknown = WRAP | EC(0x15)};

    (void)state;
    EACH_WAY(options, way)
    {
        bench_begin(&b, &options);
        bench_enable(&b, CIRCULAR, IGNORE, BASE, BASE, BASE);
        bench_offer(&b, 3);
        /* proves: R_MGZWR */
        assert_int_equal(bench_status(&b), WRAP | IRQ | EC(0x15));
        assert_int_equal(b.stored, 0);
        assert_int_equal(bench_count(&b, EVENT, 0x400c), 3);
    }
}

/* Align 0 to 11: multiples of 2^Align are aligned and others are not; what a write by a misaligned one does. */
static void test_misaligned(void **state)
{
    static const struct {
        uint8_t astray;
        uint64_t status;
        uint64_t stored;
    } rows[] = {
        {CAIRN_PE_TRBE_ASTRAY_WRITES, 0, 10},
        {CAIRN_PE_TRBE_ASTRAY_WRAPS_BEFORE, 0, 10},
        {CAIRN_PE_TRBE_ASTRAY_WRAPS_AFTER, 0, 10},
        {CAIRN_PE_TRBE_ASTRAY_FAULTS, S | IRQ | EC(0x24) | 0x21, 0},
        {CAIRN_PE_TRBE_ASTRAY_EVENT, S | IRQ | EC(0x15) | 0x77, 0},
    };

    (void)state;
    for (uint8_t align = 0; align < 12; align++)
        for (size_t i = 0; i < COUNT_OF(rows); i++)
            for (unsigned aligned = 0; aligned < 2; aligned++) {
                struct cairn_pe_trbe_options options = {
                    .align = align, .astray = rows[i].astray, .unknown = S | EC(0x15) | 0x77};

                EACH_WAY(options, way)
                {
                    const uint64_t low = aligned ? 1u << align : (1u << align) - 1;
                    const bool strays = !aligned && align > 0;

                    bench_begin(&b, &options);
                    bench_enable(&b, FILL, IGNORE, BASE, LIMIT, BASE + low);
                    bench_offer(&b, 10);
                    /* proves: R_MGZWR, R_QKLXR */
                    assert_int_equal(bench_status(&b), strays ? rows[i].status : 0);
                    assert_int_equal(b.stored, strays ? rows[i].stored : 10);
                    /* proves: R_XXZHM */
                    assert_int_equal(bench_count(&b, FINDING, CAIRN_PE_TRBE_MISALIGNED_POINTER),
                                     strays);
                }
            }
}

/* A pointer that strays is right again when it has come to a boundary. */
static void test_aligned_again(void **state)
{
    struct cairn_pe_trbe_options options = {.align = 4};

    (void)state;
    EACH_WAY(options, way)
    {
        bench_begin(&b, &options);
        bench_enable(&b, FILL, IGNORE, BASE, LIMIT, BASE + 14);
        bench_offer(&b, 1);
        bench_offer(&b, 0);
        assert_true(b.trbe.strays);
        bench_offer(&b, 2);
        assert_false(b.trbe.strays);
    }
}

/* What is read back of a misaligned value: as it was written, or its low bits 0; and what hardware left may be
 * written again. */
static void test_low_bits(void **state)
{
    (void)state;
    for (unsigned fixed = 0; fixed < 2; fixed++) {
        const struct cairn_pe_trbe_options options = {
            .align = 6, .choices = fixed ? CAIRN_PE_TRBE_LOW_BITS_FIXED : 0};
        uint64_t pointer;

        bench_begin(&b, &options);
        cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBPTR_EL1, BASE + 0x47);
        /* proves: R_JWWW */
        assert_int_equal(cairn_pe_trbe_read(&b.trbe, CAIRN_PE_TRBPTR_EL1),
                         fixed ? BASE + 0x40 : BASE + 0x47);
        cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBTRG_EL1, 0x47);
        /* What was written so is none to restart from, read or not. */
        cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBPTR_EL1, BASE + 0x47);
        assert_int_equal(b.trbe.strays, !fixed);
        cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBPTR_EL1, BASE);
        /* proves: I_YSXXN, R_CPDMM */
        assert_int_equal(cairn_pe_trbe_read(&b.trbe, CAIRN_PE_TRBTRG_EL1), fixed ? 0x40 : 0x47);

        bench_enable(&b, FILL, IGNORE, BASE, LIMIT, BASE);
        bench_offer(&b, 0x47);
        b.log_count = 0;
        pointer = cairn_pe_trbe_read(&b.trbe, CAIRN_PE_TRBPTR_EL1);
        bench_switch(&b, false);
        cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBPTR_EL1, pointer); /* read of an Enabled unit */
        assert_int_equal(b.trbe.strays, !fixed);
        bench_enable(&b, FILL, IGNORE, BASE, LIMIT, BASE + 0x40);
        bench_offer(&b, 7);
        bench_switch(&b, false);
        pointer = cairn_pe_trbe_read(&b.trbe, CAIRN_PE_TRBPTR_EL1);
        assert_int_equal(pointer, BASE + 0x47);
        cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBPTR_EL1, 0);
        cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBPTR_EL1, pointer);
        bench_switch(&b, true);
        bench_offer(&b, 1);
        /* proves: R_HXZZM */
        assert_int_equal(bench_at(&b, BASE + 0x47), 0x47 + 7 + 1);
        /* proves: I_SFTPM */
        assert_int_equal(bench_count(&b, FINDING, CAIRN_PE_TRBE_MISALIGNED_POINTER), 0);
    }
}

static void leave(unsigned bytes)
{
    bench_enable(&b, FILL, IGNORE, BASE, LIMIT, BASE);
    bench_offer(&b, bytes);
    bench_switch(&b, false);
}

/* A pointer that hardware left may come back when others were read since: of the last sixteen. Another one of
 * the same page may not. */
static void test_contexts(void **state)
{
    const struct cairn_pe_trbe_options options = {.align = 6};

    (void)state;
    bench_begin(&b, &options);
    for (unsigned n = 1; n <= 17; n++) {
        leave(n);
        assert_int_equal(cairn_pe_trbe_read(&b.trbe, CAIRN_PE_TRBPTR_EL1), BASE + n);
    }
    for (unsigned n = 1; n <= 18; n++) {
        cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBPTR_EL1, BASE + n);
        /* proves: R_HXZZM */
        assert_int_equal(b.trbe.strays, n == 1 || n == 18);
    }
}

/* Nor one that was read while memory had still to answer. */
static void test_read_too_early(void **state)
{
    const struct cairn_pe_trbe_options options = {
        .align = 6, .aborts = CAIRN_PE_TRBE_ABORTS_ASYNCHRONOUS, .abort_delay = 100};

    (void)state;
    for (unsigned early = 0; early < 2; early++) {
        bench_begin(&b, &options);
        bench_abort(&b, BASE + 2, 1, 0x10);
        leave(7);
        if (!early)
            cairn_pe_trbe_complete(&b.trbe);
        assert_int_equal(cairn_pe_trbe_read(&b.trbe, CAIRN_PE_TRBPTR_EL1), BASE + 7);
        cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBPTR_EL1, BASE + 7);
        /* proves: R_XZWXQ */
        assert_int_equal(b.trbe.strays, early);
    }
}

/* --- while E is 1 --- */

static void test_ignored(void **state)
{
    static const enum cairn_pe_register numbers[] = {CAIRN_PE_TRBPTR_EL1,    CAIRN_PE_TRBBASER_EL1,
                                                     CAIRN_PE_TRBLIMITR_EL1, CAIRN_PE_TRBTRG_EL1,
                                                     CAIRN_PE_TRBSR_EL1,     CAIRN_PE_TRBMAR_EL1};
    static const uint64_t values[] = {BASE + 0x800, BASE - 0x1000, (LIMIT + 0x1000) | 1,
                                      0x800,        TRG,           0x344};

    (void)state;
    for (unsigned ignores = 0; ignores < 2; ignores++)
        for (size_t i = 0; i < COUNT_OF(numbers); i++) {
            const struct cairn_pe_trbe_options options = {
                .choices = ignores ? CAIRN_PE_TRBE_IGNORES_WRITES : 0};
            uint64_t before;

            bench_begin(&b, &options);
            bench_enable(&b, FILL, IGNORE, BASE, LIMIT, BASE);
            before = bench_get(&b, numbers[i]);
            assert_int_equal(cairn_pe_trbe_write(&b.trbe, numbers[i], values[i]), !ignores);
            /* proves: R_DJMD */
            assert_int_equal(bench_get(&b, numbers[i]), ignores ? before : values[i]);
            assert_int_equal(bench_count(&b, FINDING, CAIRN_PE_TRBE_WRITE_WHILE_ON), 1);
            /* One that changes E is not ignored, and takes the other fields with it. */
            assert_true(cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBLIMITR_EL1, LIMIT + 0x2000));
            assert_int_equal(bench_get(&b, CAIRN_PE_TRBLIMITR_EL1), LIMIT + 0x2000);
            assert_true(cairn_pe_trbe_write(&b.trbe, numbers[i], values[i]));
            assert_int_equal(bench_get(&b, numbers[i]), values[i]);
            /* Told once an enabling. */
            bench_switch(&b, false);
            bench_switch(&b, true);
            cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBMAR_EL1, 0);
            cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBMAR_EL1, 0);
            assert_int_equal(bench_count(&b, FINDING, CAIRN_PE_TRBE_WRITE_WHILE_ON), 2);
        }
}

/* --- reserved modes --- */

static void test_reserved(void **state)
{
    static const uint8_t modes[] = {0, 1, 3};
    static const uint64_t full[] = {WRAP | IRQ | S | 1, WRAP | IRQ, WRAP};
    static const uint64_t triggered[] = {TRG | IRQ | S | 2, TRG | IRQ, TRG};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        struct cairn_pe_trbe_options options = {.reserved_FM = modes[i], .reserved_TM = modes[i]};

        EACH_WAY(options, way)
        {
            bench_begin(&b, &options);
            bench_enable(&b, RESERVED, IGNORE, BASE, LIMIT, BASE);
            bench_offer(&b, 0x1000);
            /* proves: REG_TRBLIMITR */
            assert_int_equal(bench_status(&b), full[i]);
            assert_int_equal(bench_count(&b, FINDING, CAIRN_PE_TRBE_RESERVED_MODE), 1);
            bench_begin(&b, &options);
            bench_enable(&b, FILL, RESERVED, BASE, LIMIT, BASE);
            cairn_pe_trbe_detected_trigger(&b.trbe);
            cairn_pe_trbe_flushed(&b.trbe);
            assert_int_equal(bench_status(&b), triggered[i]);
            assert_int_equal(bench_count(&b, FINDING, CAIRN_PE_TRBE_RESERVED_MODE), 1);
        }
    }
}

/* --- the other registers --- */

/* The bits that each has, by public register descriptions. */
static void test_reserved_bits(void **state)
{
    const uint64_t ones = ~UINT64_C(0);

    (void)state;
    bench_begin(&b, NULL);
    cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBSR_EL1, ones);
    /* proves: REG_TRBSR */
    assert_int_equal(bench_status(&b), 0xfc76ffff);
    cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBMAR_EL1, ones);
    /* proves: REG_TRBMAR */
    assert_int_equal(bench_get(&b, CAIRN_PE_TRBMAR_EL1), 0x3ff);
    cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBBASER_EL1, ones);
    /* proves: REG_TRBBASER */
    assert_int_equal(bench_get(&b, CAIRN_PE_TRBBASER_EL1), UINT64_C(0xfffffffffffff000));
    cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBPTR_EL1, ones);
    /* proves: REG_TRBPTR */
    assert_int_equal(bench_get(&b, CAIRN_PE_TRBPTR_EL1), ones);
    cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBTRG_EL1, ones);
    /* proves: REG_TRBTRG */
    assert_int_equal(bench_get(&b, CAIRN_PE_TRBTRG_EL1), 0xffffffff);
    assert_false(cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRBIDR_EL1, 0));
    assert_false(cairn_pe_trbe_write(&b.trbe, CAIRN_PE_TRFCR_EL1, 0));
    assert_int_equal(bench_get(&b, CAIRN_PE_TRFCR_EL1), 3);
}

/* Align and F; and P where a higher level or another Security state owns the buffer. */
static void test_identification(void **state)
{
    static const struct {
        uint64_t NSTB, E2TB;
        uint8_t EL, security;
        bool P;
    } rows[] = {
        {3, 3, 1, CAIRN_NONSECURE, false}, {3, 3, 2, CAIRN_NONSECURE, false},
        {3, 0, 1, CAIRN_NONSECURE, true},  {3, 0, 2, CAIRN_NONSECURE, false},
        {3, 3, 1, CAIRN_SECURE, true},     {3, 0, 3, CAIRN_SECURE, false},
        {0, 3, 1, CAIRN_SECURE, false},    {0, 3, 2, CAIRN_NONSECURE, true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct cairn_pe_trbe_options options = {.align = 11, .F = i & 1};

        bench_begin(&b, &options);
        b.registers.value[CAIRN_PE_MDCR_EL3] = rows[i].NSTB << 24;
        b.registers.value[CAIRN_PE_MDCR_EL2] = rows[i].E2TB << 24;
        b.state.EL = rows[i].EL;
        b.state.security = rows[i].security;
        /* proves: REG_TRBIDR */
        assert_int_equal(cairn_pe_trbe_read(&b.trbe, CAIRN_PE_TRBIDR_EL1),
                         11 | (i & 1) << 5 | (unsigned)rows[i].P << 4);
    }
}

static void test_reset(void **state)
{
    (void)state;
    bench_begin(&b, NULL);
    bench_enable(&b, WRAPS, STOP, BASE, LIMIT, BASE);
    cairn_pe_trbe_detected_trigger(&b.trbe);
    bench_offer(&b, 0x1000);
    assert_true(b.level);
    cairn_pe_trbe_reset(&b.trbe, ~UINT64_C(0));
    /* proves: RESET_TRBE */
    assert_int_equal(cairn_pe_trbe_state(&b.trbe), CAIRN_PE_TRBE_DISABLED);
    assert_false(b.level);
    assert_int_equal(bench_get(&b, CAIRN_PE_TRBLIMITR_EL1), UINT64_C(0xfffffffffffff03e));
    assert_int_equal(bench_get(&b, CAIRN_PE_TRBTRG_EL1), 0xffffffffu);
    assert_true(cairn_pe_trbe_is_finished(&b.trbe));
    cairn_pe_trbe_reset(&b.trbe, 0);
    assert_int_equal(bench_get(&b, CAIRN_PE_TRBLIMITR_EL1), 0);
}

/* A host that says it stored more than it was given is taken to have stored all. */
static size_t store_more(void *context, const struct cairn_pe_trbe_write *write,
                         struct cairn_pe_trbe_answer *answer)
{
    (void)context;
    (void)answer;
    return write->size + 5;
}

static void test_store_more(void **state)
{
    (void)state;
    bench_begin(&b, NULL);
    b.trbe.outside.store = store_more;
    bench_enable(&b, FILL, IGNORE, BASE, LIMIT, BASE);
    bench_offer(&b, 10);
    assert_int_equal(bench_pointer(&b), BASE + 10);
    assert_int_equal(b.trbe.counts.written, 10);
    assert_int_equal(b.trbe.counts.lost, 0);
}

/* Options that cannot be. */
static void test_options(void **state)
{
    static const struct cairn_pe_trbe_options wrong[] = {
        {.align = 12},      {.over_decrement = 2},       {.align = 4, .over_decrement = 17},
        {.reserved_FM = 2}, {.reserved_TM = 4},          {.granule = 2049},
        {.rate = 1},        {.abort_delay = UINT32_MAX}, {.aborts = 3},
        {.astray = 5},      {.misaligned_trigger = 3},
    };
    const struct cairn_pe_trbe_options plain = {0};
    struct cairn_pe_trbe_outside outside;
    struct cairn_pe_trbe trbe;

    (void)state;
    bench_begin(&b, NULL);
    outside = b.trbe.outside;
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        assert_int_equal(cairn_pe_trbe_begin(&trbe, &wrong[i], &outside, &b.features, &b.state,
                                             &b.authentication, &b.registers),
                         CAIRN_E_ARGUMENT);
    outside.store = NULL;
    assert_int_equal(cairn_pe_trbe_begin(&trbe, &plain, &outside, &b.features, &b.state,
                                         &b.authentication, &b.registers),
                     CAIRN_E_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attributes),     cmocka_unit_test(test_owner_now),
        cmocka_unit_test(test_observed),       cmocka_unit_test(test_range),
        cmocka_unit_test(test_out_of_range),   cmocka_unit_test(test_unknown_event),
        cmocka_unit_test(test_misaligned),     cmocka_unit_test(test_aligned_again),
        cmocka_unit_test(test_low_bits),       cmocka_unit_test(test_contexts),
        cmocka_unit_test(test_read_too_early), cmocka_unit_test(test_ignored),
        cmocka_unit_test(test_reserved),       cmocka_unit_test(test_reserved_bits),
        cmocka_unit_test(test_identification), cmocka_unit_test(test_reset),
        cmocka_unit_test(test_store_more),     cmocka_unit_test(test_options),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
