/* SPDX-License-Identifier: BSD-2-Clause */
/* Random speculation against a plain queue: DDI0608 D6.6.5, D6.7, D6.9.8, D6.11.1. */
#include "bench.h"

#include <stdlib.h>

#define STEPS 120

struct observation {
    uint64_t before; /* mark */
    uint64_t address;
    bool taken;
};

struct queue {
    struct bench b;
    uint64_t seed;
    struct observation told[STEPS];
    size_t count, resolved; /* resolved: the oldest ones, these are executed */
    uint64_t pc;
    size_t maxspec;
    /* what the stream says */
    bool atoms[STEPS * 2];
    size_t traced, committed; /* not cancelled, and the oldest of them */
    size_t deepest;           /* uncommitted at once, implied Commits done */
    size_t mistakes;          /* more cancelled than there were, Discards */
};

static unsigned next_random(struct queue *q, unsigned limit)
{
    q->seed ^= q->seed >> 12;
    q->seed ^= q->seed << 25;
    q->seed ^= q->seed >> 27;
    return (unsigned)((q->seed * UINT64_C(0x2545f4914f6cdd1d) >> 33) % limit);
}

static uint64_t behind(const struct observation *o)
{
    return o->taken ? 0x1000 : o->address + 4;
}

static void tell(struct queue *q)
{
    struct observation *o = &q->told[q->count++];

    *o = (struct observation){mark(&q->b), q->pc, next_random(q, 3) != 0};
    branch(&q->b, o->address, 0x1000, o->taken);
    q->pc = behind(o);
}

static void change(struct queue *q)
{
    unsigned action = next_random(q, 10);

    if (action < 6 && q->count < STEPS) {
        tell(q);
    } else if (action < 8) {
        q->resolved += next_random(q, (unsigned)(q->count - q->resolved) + 1);
        resolve(&q->b, q->resolved == q->count ? mark(&q->b) : q->told[q->resolved].before);
    } else if (action == 8 && q->count > q->resolved) {
        q->count -= 1 + next_random(q, (unsigned)(q->count - q->resolved));
        q->pc = q->told[q->count].address;
        cancel(&q->b, q->told[q->count].before);
    } else if (action == 9 && q->count > q->resolved) {
        q->told[q->count - 1].taken ^= true;
        q->pc = behind(&q->told[q->count - 1]);
        mispredict(&q->b);
    }
}

static void read_words(struct queue *q)
{
    char *word, *save, *text = strdup(bench_trace(&q->b));

    for (word = strtok_r(text, " ", &save); word != NULL; word = strtok_r(NULL, " ", &save)) {
        size_t number = (size_t)strtoull(word + strcspn(word, "0123456789"), NULL, 10);
        bool implied = word[0] == 'c';

        if (!implied && q->traced - q->committed > q->deepest)
            q->deepest = q->traced - q->committed;
        if (strcmp(word, "E") == 0 || strcmp(word, "N") == 0)
            q->atoms[q->traced++] = word[0] == 'E';
        else if (implied || strncmp(word, "COMMIT", 6) == 0)
            q->committed += number;
        else if (strncmp(word, "CANCEL", 6) == 0 && number <= q->traced - q->committed)
            q->traced -= number;
        else if (strncmp(word, "CANCEL", 6) == 0 || strcmp(word, "DISCARD") == 0)
            q->mistakes++;
        else if (strcmp(word, "MISP") == 0)
            q->atoms[q->traced - 1] ^= true;
    }
    free(text);
}

static void run(struct queue *q, uint64_t seed)
{
    char text[64];

    memset(q, 0, sizeof(*q));
    q->seed = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    q->maxspec = next_random(q, 9);
    q->pc = 0x1000;
    snprintf(text, sizeof(text), "MAXSPEC=%zu choices=%u implied", q->maxspec,
             next_random(q, 2) ? CAIRN_UNIT_COMMIT_AT_ONCE : 0);
    bench_begin(&q->b, text);
    speculate(&q->b);
}

#define SEEDS 60

/* What was resolved is committed with its final outcome, what was cancelled is not, and nothing is
 * left over. */
static void test_random_outcome(void **state)
{
    static struct queue q;

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        run(&q, seed);
        while (q.count < STEPS - 20)
            change(&q);
        q.resolved = q.count;
        resolve(&q.b, mark(&q.b));
        cairn_unit_disable(q.b.unit);
        read_words(&q);
        /* proves: R_ZJJKY, R_TRVLX, R_NQPPX */
        assert_true(q.mistakes == 0 && q.committed == q.traced);
        assert_int_equal(q.committed, q.count);
        for (size_t i = 0; i < q.count; i++) {
            /* proves: R_PPJSK, R_WZBLY */
            assert_int_equal(q.atoms[i], q.told[i].taken);
        }
        bench_end(&q.b);
    }
}

/* At any moment: never deeper than MAXSPEC, and nothing committed that is not resolved yet. */
static void test_random_depth(void **state)
{
    static struct queue q;

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        run(&q, seed + SEEDS);
        for (unsigned i = 0; i < STEPS; i++) {
            change(&q);
            if (i % 8 != 0)
                continue;
            read_words(&q);
            /* proves: D6.7 */
            assert_true(q.mistakes == 0 && q.committed <= q.resolved);
        }
        resolve(&q.b, mark(&q.b));
        cairn_unit_flush(q.b.unit);
        read_words(&q);
        /* proves: R_GLQPL, R_MNXTW */
        assert_true(q.deepest <= q.maxspec);
        /* proves: D6.7, R_YKLRM */
        assert_int_equal(q.committed, q.count);
        bench_end(&q.b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_outcome),
        cmocka_unit_test(test_random_depth),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
