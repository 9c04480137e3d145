/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace On elements, the order of elements, and the example of filtering: DDI0608 D2.2, D2.3,
 * D6.9.17, D11.1.2. */
#include "bench.h"

#include <inttypes.h>
#include <stdlib.h>

static void test_gaps(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, ONLY("0x1000", "0x1fff"));
    branch(&b, 0x1000, 0x1100, TAKEN);
    /* proves: R_NHDFC, R_JKFBS, R_KMFKP */
    assert_trace(&b, BEGIN("1000") " E");
    branch(&b, 0x1100, 0x8000, TAKEN);
    code(&b, 0x8000, 1);
    branch(&b, 0x8004, 0x1200, TAKEN);
    branch(&b, 0x1200, 0x1300, TAKEN);
    /* proves: R_LMLSN, R_NHDFC, R_KMFKP, R_QCSJJ */
    assert_trace(&b, "E ON ADDR(1200) E");
    bench_end(&b);
}

static void test_prohibited_and_debug(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "");
    branch(&b, 0x1000, 0x1100, TAKEN);
    (void)bench_trace(&b);
    cairn_unit_prohibit(b.unit, true);
    code(&b, 0x1100, 1);
    cairn_unit_prohibit(b.unit, false);
    branch(&b, 0x1104, 0x1300, TAKEN);
    /* proves: R_RXMJF, R_NHDFC, R_QCSJJ */
    assert_trace(&b, "ON ADDR(1104) E");
    /* Nothing at all executed inside: it was left all the same. */
    cairn_unit_prohibit(b.unit, true);
    cairn_unit_prohibit(b.unit, false);
    branch(&b, 0x1300, 0x1400, TAKEN);
    /* proves: R_RXMJF */
    assert_trace(&b, "ON ADDR(1300) E");
    exception(&b, CAIRN_EXCEPTION_DEBUG_HALT, 0x1400);
    cairn_unit_debug_state(b.unit, true);
    code(&b, 0x8000, 1);
    cairn_unit_debug_state(b.unit, false);
    branch(&b, 0x1400, 0x1500, TAKEN);
    /* proves: R_NHDFC */
    assert_trace(&b, "EXC(Debug_halt,1400) ON ADDR(1400) E");
    bench_end(&b);
}

/* After a Trace On the Context only if it is another than the last one told. */
static void test_context_behind(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, ONLY("0x1000", "0x1fff"));
    branch(&b, 0x1000, 0x8000, TAKEN);
    exception(&b, CAIRN_EXCEPTION_CALL, 0x8000);
    level(&b, "EL2n");
    (void)bench_trace(&b);
    code(&b, 0x9000, 1);
    branch(&b, 0x9004, 0x1100, TAKEN);
    branch(&b, 0x1100, 0x8000, TAKEN);
    /* proves: R_TJLYH */
    assert_trace(&b, "ON CTX(EL2n) ADDR(1100) E");
    code(&b, 0x8000, 1);
    branch(&b, 0x8004, 0x1100, TAKEN);
    branch(&b, 0x1100, 0x1200, TAKEN);
    /* proves: R_TJLYH */
    assert_trace(&b, "ON ADDR(1100) E");
    bench_end(&b);
}

/* Blocks that filters leave out but that were traced all the same are no gap: the P0 instruction
 * behind traced code is traced whatever the filter says (R_KHDNX), and its neighbour then follows.
 */
static void test_no_gap(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "TRCACVR0=0x1004 TRCACVR1=0x100b TRCVIIECTLR=0x10000"); /* excluded */
    code(&b, 0x1000, 1);
    branch(&b, 0x1004, 0x1100, NOT_TAKEN); /* traced, as it ends what was viewed */
    branch(&b, 0x1008, 0x1100, NOT_TAKEN); /* not traced */
    branch(&b, 0x100c, 0x1100, TAKEN);
    /* proves: I_RVCQT */
    assert_trace(&b, BEGIN("1000") " N ON ADDR(100c) E");
    bench_end(&b);

    bench_begin(&b, "TRCACVR0=0x1004 TRCACVR1=0x1007 TRCVIIECTLR=0x10000");
    code(&b, 0x1000, 1);
    branch(&b, 0x1004, 0x1100, NOT_TAKEN);
    branch(&b, 0x1008, 0x1100, TAKEN);
    /* proves: I_RVCQT */
    assert_trace(&b, BEGIN("1000") " N E");
    bench_end(&b);
}

/* A PE Reset: what ran since the last P0 element is lost, and that is no gap. */
static void test_no_gap_at_reset(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "");
    branch(&b, 0x1000, 0x2000, TAKEN);
    code(&b, 0x2000, 4);
    cairn_unit_exception(b.unit, CAIRN_EXCEPTION_PE_RESET, 0, CAIRN_ISA_A64);
    branch(&b, 0, 0x100, TAKEN);
    /* proves: I_GPQZW */
    assert_trace(&b, BEGIN("1000") " E EXC(PE_Reset) ADDR(0) E");
    bench_end(&b);
}

static void test_filtering_example(void **state)
{
    struct bench b;

    (void)state;
    bench_begin(&b, "TRCACVR0=0x2000 TRCACVR1=0x200f TRCVIIECTLR=0x10000");
    branch(&b, 0x1000, 0x2000, TAKEN);
    code(&b, 0x2000, 3);
    branch(&b, 0x200c, 0x3000, NOT_TAKEN);
    code(&b, 0x2010, 1);
    exception(&b, CAIRN_EXCEPTION_IRQ, 0x2014);
    /* proves: D11.1.2 */
    assert_trace(&b, BEGIN("1000") " E ON ADDR(2010) EXC(IRQ,2014)");
    bench_end(&b);
}

/* --- order, over random runs --- */

#define STEPS 400

struct expected {
    char text[BENCH_TEXT];
    size_t used;
};

__attribute__((format(printf, 2, 3))) static void expect_word(struct expected *e,
                                                              const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    e->text[e->used++] = ' ';
    e->used += (size_t)vsnprintf(e->text + e->used, sizeof(e->text) - e->used, format, arguments);
    va_end(arguments);
}

/* Branches of every kind, exceptions and context changes; each element is expected in the order in
 * which the PE did what it stands for. */
static void test_order(void **state)
{
    static struct expected e;
    static const char *const settings[] = {"CID", "CID CCI THRESHOLD=4095",
                                           "CID MAXSPEC=16 choices=0"};

    (void)state;
    for (size_t n = 0; n < sizeof(settings) / sizeof *settings; n++) {
        struct bench b;
        unsigned seed = 99;
        uint64_t pc = 0x1000;
        uint32_t id = 0;

        e.used =
            (size_t)snprintf(e.text, sizeof(e.text),
                             n == 1 ? "SYNC INFO(CC=4095) ON CTX(EL1n) ADDR(1000)" : BEGIN("1000"));
        bench_begin(&b, settings[n]);
        for (unsigned i = 0; i < STEPS; i++) {
            uint64_t target;

            seed = seed * 1103515245 + 12345;
            target = 0x1000 + (seed >> 12 & 0xffc);
            switch (seed >> 24 & 7) {
            case 0:
                jump(&b, pc);
                expect_word(&e, "E");
                expect_word(&e, "ADDR(%" PRIx64 ")", target);
                break;
            case 1:
                code(&b, pc, 1);
                exception(&b, CAIRN_EXCEPTION_IRQ, pc + 4);
                expect_word(&e, "EXC(IRQ,%" PRIx64 ")", pc + 4);
                expect_word(&e, "ADDR(%" PRIx64 ")", target);
                break;
            case 2:
                eret(&b, pc);
                expect_word(&e, "E");
                context_id(&b, ++id);
                expect_word(&e, "CTX(EL1n,cid=%u)", id);
                expect_word(&e, "ADDR(%" PRIx64 ")", target);
                break;
            case 3:
                branch(&b, pc, target, NOT_TAKEN);
                expect_word(&e, "N");
                target = pc + 4;
                break;
            default:
                branch(&b, pc, target, TAKEN);
                expect_word(&e, "E");
                break;
            }
            pc = target;
        }
        code(&b, pc, 1); /* the last target */
        exception(&b, CAIRN_EXCEPTION_FIQ, pc + 4);
        expect_word(&e, "EXC(FIQ,%" PRIx64 ")", pc + 4);
        if (n == 2) {
            /* Explicit Commits between them are not the matter here. */
            char *text = strdup(bench_trace(&b)), *save;
            struct expected *got = calloc(1, sizeof(*got));

            assert_non_null(got);
            for (char *w = strtok_r(text, " ", &save); w != NULL; w = strtok_r(NULL, " ", &save)) {
                if (strncmp(w, "COMMIT", 6) != 0)
                    got->used +=
                        (size_t)snprintf(got->text + got->used, sizeof(got->text) - got->used,
                                         "%s%s", got->used ? " " : "", w);
            }
            /* proves: R_XVHWG, R_ZRYPK, R_LYYMG, R_HMWHY, R_WJDWF */
            assert_string_equal(got->text, e.text);
            free(got);
            free(text);
        } else {
            /* proves: R_XVHWG, R_ZRYPK, R_LYYMG, R_HMWHY, R_WJDWF */
            assert_trace(&b, e.text);
        }
        bench_end(&b);
    }
}

/* Cancels between Atoms, exceptions and addresses: what is left in stream order is what ran. */
static void test_order_of_cancels(void **state)
{
    struct bench b;
    uint64_t one, two;

    (void)state;
    bench_begin(&b, "MAXSPEC=16");
    speculate(&b);
    branch(&b, 0x1000, 0x2000, TAKEN);
    one = mark(&b);
    branch(&b, 0x2000, 0x3000, NOT_TAKEN);
    cancel(&b, one);
    jump(&b, 0x2000);
    two = mark(&b);
    branch(&b, 0x5000, 0x6000, TAKEN);
    exception(&b, CAIRN_EXCEPTION_IRQ, 0x6000);
    cancel(&b, two);
    branch(&b, 0x5000, 0x7000, NOT_TAKEN);
    resolve(&b, mark(&b));
    /* proves: R_GKDYR */
    assert_true(bench_order(bench_trace(&b), "E", "N", "CANCEL(1)", "E", "ADDR(5000)", "E",
                            "EXC(IRQ", "CANCEL(2)", "N", "COMMIT(3)", NULL));
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_prohibited_and_debug),
        cmocka_unit_test(test_context_behind),
        cmocka_unit_test(test_no_gap),
        cmocka_unit_test(test_no_gap_at_reset),
        cmocka_unit_test(test_filtering_example),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_order_of_cancels),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
