/* SPDX-License-Identifier: BSD-2-Clause */
/* Saving a unit's registers and restoring them over a power down, at any instruction: DDI0608 D10.1.3,
 * D10.6. A unit that goes through it traces on as one whose PE was in the driver's Prohibited region for
 * as long, and its resources are where they were.
 *
 * usage: test_unit_access_restore FOLDER [SEEDS] */
#include <stdlib.h>

#include "reach.h"
#include "unit/scripts/run.h"

#define STEPS 60
#define SAVED_MOST 400
#define SEEDS 40
#define TEXT_MOST 4096

static const char *folder;
static unsigned long seeds = SEEDS;

static uint32_t draw(uint64_t *random, uint32_t below)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return (uint32_t)(*random >> 16) % below;
}

/* --- a program of resources --- */

/* Selectors: 2 to 5 inputs, 6 to 9 the first address comparators; what moves resources. */
static void make_program(char *text, size_t size, uint64_t *random)
{
    static const char *const targets[] = {"TRCCNTCTLR0", "TRCCNTCTLR1", "TRCSEQEVR0", "TRCSEQEVR1",
                                          "TRCSEQEVR2"};
    size_t used = (size_t)snprintf(
        text, size,
        "choices=%u TRCRSCTLR2=1 TRCRSCTLR3=2 TRCRSCTLR4=4 TRCRSCTLR5=8 TRCRSCTLR6=0x40001 "
        "TRCRSCTLR7=0x40002 TRCRSCTLR8=0x40004 TRCRSCTLR9=0x40008 TRCACVR0=0x1000 TRCACVR1=0x1100 "
        "TRCACVR2=0x1200 TRCACVR3=0x1300 TRCEVENTCTL0R=0x00060402 TRCEVENTCTL1R=7 "
        "TRCVICTLR=0x%x TRCVISSCTLR=%s TRCSSCCR0=4 TRCSSCCR1=0x1000008 TRCCNTRLDVR0=%u "
        "TRCCNTRLDVR1=%u TRCCNTVR0=%u TRCCNTVR1=%u TRCSEQRSTEVR=%u TRCCNTRLDVR2=%u TRCRSR=0x%x",
        CAIRN_UNIT_COMMIT_AT_ONCE, draw(random, 2) ? 0x201u : 1u,
        draw(random, 2) ? "0x20001" : "0x80002", draw(random, 20), draw(random, 20),
        draw(random, 20), draw(random, 20), draw(random, 4) ? 0 : 2 + draw(random, 8),
        draw(random, 9), draw(random, 2) ? 0x1000u : 0);

    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        used += (size_t)snprintf(text + used, size - used, " %s=0x%x", targets[i],
                                 (2 + draw(random, 8)) | (2 + draw(random, 8)) << 8);
}

/* --- what is saved --- */

/* All that D10.6 lists, in its order but for TRCPRGCTLR, which is last. */
static const char *const listed[] = {
    "TRCCONFIGR", "TRCAUXCTLR",   "TRCEVENTCTL0R", "TRCEVENTCTL1R", "TRCRSR",      "TRCSTALLCTLR",
    "TRCTSCTLR",  "TRCSYNCPR",    "TRCCCCTLR",     "TRCBBCTLR",     "TRCTRACEIDR", "TRCQCTLR",
    "TRCVICTLR",  "TRCVIIECTLR",  "TRCVISSCTLR",   "TRCVIPCSSCTLR", "TRCSEQEVR",   "TRCSEQRSTEVR",
    "TRCSEQSTR",  "TRCEXTINSELR", "TRCCNTRLDVR",   "TRCCNTCTLR",    "TRCCNTVR",    "TRCIMSPEC",
    "TRCRSCTLR",  "TRCSSCCR",     "TRCSSCSR",      "TRCSSPCICR",    "TRCACVR",     "TRCACATR",
    "TRCCIDCVR",  "TRCVMIDCVR",   "TRCCIDCCTLR",   "TRCVMIDCCTLR",  "TRCPRGCTLR",
};
/* What changes while the programming does not (S_HYDYT). */
static const char *const changing[] = {"TRCRSR", "TRCVICTLR", "TRCSEQSTR", "TRCCNTVR", "TRCSSCSR"};

struct saved {
    size_t count;
    struct cairn_unit_register_info info[SAVED_MOST];
    uint64_t value[SAVED_MOST];
};

/* "TRCCNTVR" names TRCCNTVR0 and so on. */
static bool is_of(const char *name, const char *family)
{
    const size_t length = strlen(family);

    return strncmp(name, family, length) == 0 &&
           strspn(name + length, "0123456789") == strlen(name + length);
}

/* All registers of the unit: the same in each history. */
static const struct cairn_unit_register_info *registers(struct bench *b, size_t *count)
{
    static struct cairn_unit_register_info infos[SAVED_MOST];
    static size_t known;

    if (known == 0) {
        for (infos[0].size = sizeof *infos;
             cairn_unit_register_info(b->unit, known, &infos[known]) == CAIRN_OK;
             infos[known].size = sizeof *infos)
            assert_true(++known < SAVED_MOST);
    }
    *count = known;
    return infos;
}

static void save(struct bench *b, struct saved *saved, const char *const *families, size_t count)
{
    size_t all;
    const struct cairn_unit_register_info *infos = registers(b, &all);

    saved->count = 0;
    for (size_t f = 0; f < count; f++) {
        for (size_t i = 0; i < all; i++) {
            uint64_t *value = &saved->value[saved->count];

            if (!is_of(infos[i].name, families[f]))
                continue;
            saved->info[saved->count++] = infos[i];
            assert_int_equal(cairn_unit_mrs(b->unit, infos[i].sysreg, 1, value, NULL),
                             CAIRN_ANSWER_OK);
        }
    }
}

static void restore(struct bench *b, const struct saved *saved, const char *without)
{
    for (size_t i = 0; i < saved->count; i++)
        if (!without || !is_of(saved->info[i].name, without))
            assert_int_equal(
                cairn_unit_msr(b->unit, saved->info[i].sysreg, 1, saved->value[i], NULL),
                CAIRN_ANSWER_OK);
}

/* --- one history, told twice --- */

enum how { STAYS, SAVES_ALL, SAVES_CHANGING };

struct history {
    struct bench b;
    struct cairn_script_machine machine;
    struct saved program; /* known: as it was before the unit was enabled first */
    enum how how;
    const char *without; /* of what changes: this is not restored */
};

static void run_file(struct history *h, const char *name)
{
    struct cairn_error error = {.text = ""};
    char path[512], text[TEXT_MOST];
    FILE *file;
    size_t size;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "rb");
    if (!file)
        fail_msg("no file %s", path);
    size = fread(text, 1, sizeof text, file);
    fclose(file);
    if (cairn_script_run(&h->machine, name, text, size, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
}

static void run_text(struct history *h, const char *text)
{
    struct cairn_error error = {.text = ""};

    if (cairn_script_run(&h->machine, "text", text, strlen(text), &error) != CAIRN_OK)
        fail_msg("%s", error.text);
}

/* The driver is entered here, and the PE loses its power; or not. */
static void interrupt(struct history *h)
{
    struct saved saved, state;
    uint64_t claims;

    if (h->how == STAYS) {
        run_text(h, "msr TRFCR_EL1, 0\nisb\nmsr TRFCR_EL1, 3\nisb\n");
        return;
    }
    run_file(h, "d10-1-3-save.regs");
    save(&h->b, &saved, listed, sizeof listed / sizeof *listed);
    save(&h->b, &state, changing, sizeof changing / sizeof *changing);
    claims = mrs(&h->b, "TRCCLAIMCLR");
    cairn_unit_power(h->b.unit, CAIRN_POWER_DOWN);
    cairn_unit_power(h->b.unit, CAIRN_POWER_NORMAL);
    if (h->how == SAVES_ALL) {
        restore(&h->b, &saved, h->without);
    } else {
        restore(&h->b, &h->program, NULL);
        restore(&h->b, &state, h->without);
        msr(&h->b, "TRCPRGCTLR", 1);
    }
    msr(&h->b, "TRCCLAIMSET", claims);
    run_file(h, "d10-1-3-restore.regs");
}

/* One thing that happens. */
static void step_once(struct history *h, uint64_t *random, uint64_t *address)
{
    const uint64_t target = 0x1000 + 0x100 * draw(random, 4);

    switch (draw(random, 8)) {
    case 0: clock_with(&h->b, draw(random, 16)); break;
    case 1: cycles(&h->b, 1 + draw(random, 3)); break;
    case 2:
        exception(&h->b, CAIRN_EXCEPTION_IRQ, *address);
        *address = 0x8000;
        break;
    case 3:
        code(&h->b, *address, 1);
        *address += 4;
        break;
    default:
        branch(&h->b, *address, target, TAKEN);
        *address = target;
        break;
    }
}

static void begin(struct history *h, const char *text, enum how how, const char *without,
                  unsigned late)
{
    struct cairn_access_options options = CAIRN_ACCESS_OPTIONS_INIT;

    memset(h, 0, sizeof *h);
    h->how = how;
    h->without = without;
    bench_open(&h->b, text);
    h->machine = (struct cairn_script_machine)CAIRN_SCRIPT_MACHINE_INIT;
    h->machine.unit = h->b.unit;
    options.choices = (late & 1 ? CAIRN_ACCESS_LATE_WRITES : 0) |
                      (late & 2 ? CAIRN_ACCESS_LATE_ENABLE : 0) |
                      (late & 4 ? CAIRN_ACCESS_LATE_READS : 0);
    options.enabling = options.unstable = options.draining = late & 8 ? 6 : 0;
    options.unknown = late + 1;
    choose_all(&h->b, &options);
    level(&h->b, "EL1n");
    msr(&h->b, "TRCCLAIMSET", 2);
    save(&h->b, &h->program, listed, sizeof listed / sizeof *listed);
    run_text(h, "msr TRCPRGCTLR, 1\npoll TRCSTATR.IDLE 0\n");
}

/* What was executed, as far as it is told: no synchronisation, and what that takes. */
static void keep_program_flow(const char *trace, char *flow, size_t size)
{
    size_t used = 0;

    flow[0] = '\0';
    while (*trace) {
        const size_t length = strcspn(trace, " ");

        if ((length == 1 || strncmp(trace, "EXC", 3) == 0 || strncmp(trace, "EV", 2) == 0) &&
            used + length + 2 < size)
            used += (size_t)snprintf(flow + used, size - used, "%.*s ", (int)length, trace);
        trace += length + strspn(trace + length, " ");
    }
}

/* The same history with an interruption behind step `at`; what it leaves. */
static void tell(uint64_t seed, unsigned at, enum how how, const char *without, unsigned late,
                 struct saved *left, char flow[TEXT_MOST])
{
    static struct history h;
    uint64_t random = seed * 0x9e3779b97f4a7c15u + 1, address = 0x1000;
    char text[1500];

    make_program(text, sizeof text, &random);
    begin(&h, text, how, without, late);
    for (unsigned i = 0; i < STEPS; i++) {
        step_once(&h, &random, &address);
        if (i == at)
            interrupt(&h);
    }
    keep_program_flow(bench_trace(&h.b), flow, TEXT_MOST);
    lock(&h.b, 1);
    sync_context(&h.b);
    cycles(&h.b, 20);
    sync_context(&h.b);
    save(&h.b, left, listed, sizeof listed / sizeof *listed);
    assert_int_equal(mrs(&h.b, "TRCCLAIMCLR"), 2);
    bench_end(&h.b);
}

static bool is_same(const struct saved *a, const struct saved *b)
{
    bool same = a->count == b->count;

    for (size_t i = 0; same && i < a->count; i++)
        same = a->value[i] == b->value[i];
    return same;
}

static void test_any_instruction(void **state)
{
    static struct saved stays, saves;
    static char expected[TEXT_MOST], flow[TEXT_MOST];
    size_t told = 0;

    (void)state;
    for (unsigned long seed = 1; seed <= seeds; seed++) {
        for (unsigned at = (unsigned)(seed % 3); at < STEPS; at += 3) {
            const unsigned late = (unsigned)(seed + at) % 16;

            tell(seed, at, STAYS, NULL, 0, &stays, expected);
            tell(seed, at, SAVES_ALL, NULL, late, &saves, flow);
            told += strlen(expected);
            /* proves: D10.1.3 */
            assert_string_equal(flow, expected);
            /* proves: D10.1.3 */
            assert_true(is_same(&stays, &saves));
            tell(seed, at, SAVES_CHANGING, NULL, late, &saves, flow);
            /* proves: S_HYDYT */
            assert_string_equal(flow, expected);
            /* proves: S_HYDYT */
            assert_true(is_same(&stays, &saves));
        }
    }
    assert_true(told > 1000 * seeds); /* there was something to tell */
}

/* None of the registers that change may be left out. */
static void test_all_are_needed(void **state)
{
    static struct saved stays, saves;
    static char expected[TEXT_MOST], flow[TEXT_MOST];

    (void)state;
    for (size_t i = 0; i < sizeof changing / sizeof *changing; i++) {
        unsigned differing = 0;

        for (uint64_t seed = 1; seed <= 10; seed++) {
            for (unsigned at = 5; at < STEPS; at += 9) {
                tell(seed, at, STAYS, NULL, 0, &stays, expected);
                tell(seed, at, SAVES_CHANGING, changing[i], 0, &saves, flow);
                differing += !is_same(&stays, &saves) || strcmp(flow, expected) != 0;
            }
        }
        /* proves: S_HYDYT */
        assert_true(differing > 0);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_instruction),
        cmocka_unit_test(test_all_are_needed),
    };

    folder = argc > 1 ? argv[1] : ".";
    if (argc > 2)
        seeds = strtoul(argv[2], NULL, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
