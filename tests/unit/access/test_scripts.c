/* SPDX-License-Identifier: BSD-2-Clause */
/* Register scripts that trace: those of DDI0608 D10, and what Linux's driver does. Each is run through
 * <cairn/access.h>, with accesses seen as early and as late as may be and states that take their time;
 * then a program runs, and the trace is what the script's text says.
 *
 * usage: test_unit_access_scripts FOLDER */
#include <stdlib.h>

#include <cairn/lint.h>

#include "reach.h"
#include "unit/scripts/run.h"

#define TEXT_MOST 65536
#define MARK "# -- the program runs"

static const char *folder;

static const char *read_script(const char *name)
{
    static char text[TEXT_MOST];
    char path[512];
    FILE *file;
    size_t size;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "rb");
    if (!file)
        fail_msg("no file %s", path);
    size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = '\0';
    return text;
}

/* --- what it runs on --- */

#define WAYS 32 /* of LATE_... in bits 0 to 2, delays in bits 3 and 4 */

static struct cairn_access_options way(unsigned n)
{
    struct cairn_access_options options = CAIRN_ACCESS_OPTIONS_INIT;

    options.choices =
        (n & 1 ? CAIRN_ACCESS_LATE_WRITES : 0) | (n & 2 ? CAIRN_ACCESS_LATE_ENABLE : 0) |
        (n & 4 ? CAIRN_ACCESS_LATE_READS : 0) | (n & 8 ? CAIRN_ACCESS_STABLE_WHEN_ENABLED : 0);
    if (n & 8) {
        options.enabling = 7;
        options.unstable = 5;
    }
    if (n & 16)
        options.draining = 9;
    options.unknown = n + 1;
    return options;
}

/* A unit out of reset whose registers hold anything, and a PE that may be traced. */
static void power_on(struct bench *b, struct cairn_script_machine *machine, const char *text,
                     unsigned n)
{
    const struct cairn_access_options options = way(n);

    bench_open(b, text);
    *machine = (struct cairn_script_machine)CAIRN_SCRIPT_MACHINE_INIT;
    machine->unit = b->unit;
    choose_all(b, &options);
    cairn_unit_reset(b->unit, CAIRN_RESET_COLD);
    cairn_unit_os_lock(b->unit, false);
    cairn_unit_prohibit(b->unit, false);
    level(b, "EL1n");
}

static cairn_status run_text(struct cairn_script_machine *machine, const char *name,
                             const char *text, size_t size, struct cairn_error *error)
{
    return cairn_script_run(machine, name, text, size, error);
}

static void run(struct bench *b, struct cairn_script_machine *machine, const char *name)
{
    const char *text = read_script(name);
    struct cairn_error error = {.text = ""};

    if (run_text(machine, name, text, strlen(text), &error) != CAIRN_OK)
        fail_msg("%s", error.text);
    cairn_config_unref(b->config);
    b->config = cairn_unit_config(b->unit);
}

static void say(struct cairn_script_machine *machine, const char *text)
{
    struct cairn_error error = {.text = ""};

    if (run_text(machine, "test", text, strlen(text), &error) != CAIRN_OK)
        fail_msg("%s", error.text);
}

/* --- the program --- */

/* A process at EL0, identifier 42: a loop that calls a function, and the kernel. */
static void process(struct bench *b, struct cairn_script_machine *machine, unsigned rounds)
{
    const struct cairn_context user = {
        .EL = 0, .security = CAIRN_NONSECURE, .SF = 1, .context_id = 42, .vmid = 3};
    struct cairn_context kernel = user;

    kernel.EL = 1;
    eret(b, 0xffff0000);
    cairn_script_level(machine, 0);
    cairn_unit_context(b->unit, &user);
    for (unsigned i = 0; i < rounds; i++) {
        call(b, 0x400000, 0x400100);
        code(b, 0x400100, 1);
        ret(b, 0x400104);
        code(b, 0x400004, 1);
        exception(b, CAIRN_EXCEPTION_CALL, 0x400008);
        cairn_script_level(machine, 1);
        cairn_unit_context(b->unit, &kernel);
        branch(b, 0xffff8000, 0xffff9000, TAKEN);
        eret(b, 0xffff9000);
        cairn_script_level(machine, 0);
        cairn_unit_context(b->unit, &user);
        branch(b, 0x400008, 0x400000, i + 1 < rounds ? TAKEN : NOT_TAKEN);
    }
    exception(b, CAIRN_EXCEPTION_IRQ, 0x40000c);
    cairn_script_level(machine, 1);
    cairn_unit_context(b->unit, &kernel);
}

#define USER "CTX(EL0n,cid=42,vmid=3)"

/* D10.2: only what is EL0, with identifiers, timestamps and the return stack. */
static void test_minimal(void **state)
{
    (void)state;
    for (unsigned n = 0; n < WAYS; n++) {
        struct cairn_script_machine machine;
        struct bench b;
        const char *text;

        power_on(&b, &machine, "TSMARK=0", n);
        at_time(&b, 1000);
        run(&b, &machine, "d10-2-minimal.regs");
        run(&b, &machine, "d10-1-1-enable.regs");
        /* proves: D10.1.1, D16.27 */
        assert_int_equal(cairn_unit_session(b.unit), CAIRN_SESSION_RUNNING);
        process(&b, &machine, 3);
        text = bench_trace(&b);
        /* proves: D10.2 */
        assert_true(
            bench_order(text, "SYNC", "INFO", "ON", USER, "ADDR(400000)", "E", "EXC(Call", NULL));
        /* proves: D10.2 */
        assert_int_equal(bench_count(text, "CTX"), bench_count(text, USER));
        /* The return to 0x400004 is on the return stack: no address. */
        /* proves: D10.2 */
        assert_true(bench_count(text, "ADDR(400004)") == 0 &&
                    bench_count(text, "ADDR(400008)") == 3 &&
                    bench_count(text, "ADDR(ffff8000)") == 0);
        /* proves: D10.2 */
        assert_true(bench_count(text, "TS(1000)") > 0);
        bench_end(&b);
    }
}

/* D10.1.2: what was traced is all in the buffer, and the unit is idle. */
static void test_disable(void **state)
{
    (void)state;
    for (unsigned n = 0; n < WAYS; n++) {
        struct cairn_unit_counters counters = {.size = sizeof counters};
        struct cairn_script_machine machine;
        struct bench b;
        size_t written;

        power_on(&b, &machine, "", n);
        run(&b, &machine, "d10-2-minimal.regs");
        run(&b, &machine, "d10-1-1-enable.regs");
        process(&b, &machine, 2);
        run(&b, &machine, "d10-1-2-disable.regs");
        cairn_unit_counters(b.unit, &counters);
        /* proves: D10.1.2, D16.27 */
        assert_int_equal(cairn_unit_session(b.unit), CAIRN_SESSION_IDLE);
        /* proves: D10.1.2 */
        assert_true(counters.bytes > 30 && b.size == counters.bytes);
        written = b.size;
        process(&b, &machine, 2);
        cairn_unit_flush(b.unit);
        /* proves: D10.1.2 */
        assert_int_equal(b.size, written);
        /* And again. */
        run(&b, &machine, "d10-1-1-enable.regs");
        process(&b, &machine, 1);
        (void)bench_trace(&b);
        run(&b, &machine, "d10-1-2-disable.regs");
        /* proves: D10.1.1, D10.1.2 */
        assert_true(b.size > written);
        bench_end(&b);
    }
}

/* D10.4 and D10.5: a function left out, or nothing but it. */
static void test_ranges(void **state)
{
    (void)state;
    for (unsigned n = 0; n < WAYS; n++) {
        struct cairn_script_machine machine;
        struct bench b;
        const char *text;

        power_on(&b, &machine, "", n);
        run(&b, &machine, "d10-4-exclude.regs");
        run(&b, &machine, "d10-1-1-enable.regs");
        process(&b, &machine, 1);
        run(&b, &machine, "d10-1-2-disable.regs");
        text = bench_trace(&b);
        /* The call is, the function is not, and what follows it is again. */
        /* proves: D10.4 */
        assert_true(bench_order(text, USER, "ADDR(400000)", "E", "ON", "ADDR(400004)", "N", NULL));
        /* proves: D10.4 */
        assert_int_equal(bench_count(text, "ADDR(400100)"), 0);
        bench_end(&b);

        power_on(&b, &machine, "", n);
        run(&b, &machine, "d10-5-include.regs");
        run(&b, &machine, "d10-1-1-enable.regs");
        process(&b, &machine, 2);
        run(&b, &machine, "d10-1-2-disable.regs");
        text = bench_trace(&b);
        /* proves: D10.5 */
        assert_true(bench_order(text, USER, "ADDR(400100)", "E", "ON", "ADDR(400100)", "E", NULL));
        /* proves: D10.5 */
        assert_int_equal(bench_count(text, "ADDR(400000)") + bench_count(text, "N") +
                             bench_count(text, "EXC(IRQ,40000c)"),
                         0);
        bench_end(&b);
    }
}

/* --- Linux --- */

#define LINUX_UNIT                                                                                 \
    "REVISION=2 TRCIDR0=0x2881cea1 TRCIDR2=0x50001088 TRCIDR3=0x8d7f0001 TRCIDR4=0x880f0008 "      \
    "TRCIDR5=0x8709ff"

/* All accesses of the driver are answered, and with what it read; EL0 is traced where it lets a program
 * run, each time from the beginning. */
static void test_linux_driver(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 16; n += 8) { /* the log has no barriers: nothing may be late */
        struct cairn_script_machine machine;
        struct bench b;
        const char *text = read_script("linux-ete.regs"), *part = text;
        unsigned runs = 0;

        power_on(&b, &machine, LINUX_UNIT, n & 8 ? 16 : 0);
        if (n & 8) { /* but states may last */
            struct cairn_access_options options = CAIRN_ACCESS_OPTIONS_INIT;

            options.enabling = 2;
            choose_all(&b, &options);
        }
        for (;;) {
            const char *end = strstr(part, MARK);
            struct cairn_error error = {.text = ""};

            if (run_text(&machine, "linux-ete.regs", part,
                         end ? (size_t)(end - part) : strlen(part), &error) != CAIRN_OK)
                fail_msg("run %u: %s", runs, error.text);
            if (!end)
                break;
            cairn_config_unref(b.config);
            b.config = cairn_unit_config(b.unit);
            say(&machine, "isb");
            process(&b, &machine, 2);
            {
                const char *trace = bench_trace(&b);

                /* No identifiers, timestamps or return stack were asked for. */
                assert_true(bench_order(trace, "SYNC", "INFO", "ON", "CTX(EL0n)", "ADDR(400000)",
                                        "E", "E", "ADDR(400004)", "EXC(Call,400008)", "ON",
                                        "ADDR(400008)", "E", "N", "EXC(IRQ,40000c)", NULL));
                assert_int_equal(bench_count(trace, "CTX"), bench_count(trace, "CTX(EL0n)"));
            }
            say(&machine, "isb");
            part = strchr(end, '\n');
            runs++;
        }
        assert_int_equal(runs, 2);
        assert_int_equal(cairn_unit_session(b.unit), CAIRN_SESSION_IDLE);
        assert_true(machine.accesses > 200);
        bench_end(&b);
    }
}

/* Strobing: windows of 20 clocks, one of five, for as long as the program runs. */
static void test_linux_strobing(void **state)
{
    struct cairn_script_machine machine;
    bool was_on = false;
    unsigned windows = 0;
    uint64_t began = 0;
    struct bench b;

    (void)state;
    power_on(&b, &machine, "", 8);
    run(&b, &machine, "linux-strobing.regs");
    assert_int_equal(read_register(&b, "TRCSEQSTR"), 0);
    level(&b, "EL0n");
    for (uint64_t clock = 0; clock < 2000; clock++) {
        bool on;

        branch(&b, 0x1000, 0x1000, TAKEN);
        on = bench_count(bench_trace(&b), "E") > 0;
        cycles(&b, 1);
        if (on && !was_on) {
            if (windows > 0) /* from one to the next: five windows */
                assert_int_equal(clock - began, 100);
            began = clock;
            windows++;
        }
        if (!on && was_on) {
            assert_int_equal(clock - began, 20);
            assert_int_equal(read_register(&b, "TRCSEQSTR"), 1);
        }
        was_on = on;
    }
    assert_int_equal(windows, 20);
    bench_end(&b);
}

/* --- the runner --- */

static void check_refused(const char *script, const char *expected)
{
    struct cairn_script_machine machine = CAIRN_SCRIPT_MACHINE_INIT;
    struct cairn_error error = {.text = ""};
    struct bench b;

    bench_open(&b, "");
    machine.unit = b.unit;
    machine.polls = 3;
    machine.external = CAIRN_EXTERNAL_NONSECURE;
    assert_int_equal(run_text(&machine, "x.regs", script, strlen(script), &error), CAIRN_E_CONFIG);
    assert_string_equal(error.text, expected);
    bench_end(&b);
}

static void test_refusals(void **state)
{
    struct cairn_script_machine machine = CAIRN_SCRIPT_MACHINE_INIT;
    struct cairn_error error = {.text = ""};
    struct bench b;

    (void)state;
    check_refused("write TRCSYNCPR 12\nwrite TRCFOO 1",
                  "x.regs:2: TRCFOO: this trace unit has no such register");
    check_refused("msr TRCSTATR, 0",
                  "x.regs:1: TRCSTATR: UNDEFINED: TRCSTATR is read-only (I_WCXDT)");
    check_refused("mrs x0, TRCPDSR", "x.regs:1: TRCPDSR: UNDEFINED: no instruction reaches it");
    check_refused("write 0x00c 0", "x.regs:1: 0x00c: RES0: TRCSTATR is read-only (R_SVSNR)");
    check_refused("write 0x004 0\nmsr 0x400, 0x123456789ab\nread 0x400 0x123456789ab\nread 0x004 1",
                  "x.regs:4: 0x004: 0x0 is read, not 0x1");
    check_refused("read 0x308", "x.regs:1: 0x308: RES0: there is no register at offset 0x308");
    check_refused("write TRCPRGCTLR 1\nwrite TRCVICTLR 1",
                  "x.regs:2: TRCVICTLR: ignored: TRCVICTLR is written while the unit is not Idle, "
                  "but Running: clear TRCPRGCTLR.EN, and wait for TRCSTATR.IDLE to be 1 (D8.3)");
    check_refused("read TRCSYNCPR 5", "x.regs:1: TRCSYNCPR: 0xc is read, not 0x5");
    check_refused("write TRCSYNCPR 3",
                  "x.regs:1: TRCSYNCPR: ignored: TRCSYNCPR is 0x3: PERIOD (bits 4:0) is 0 (off) or "
                  "8 to 20: 256 bytes to 1 MiB");
    check_refused("wait TRCSTATR.IDLE 0",
                  "x.regs:1: TRCSTATR.IDLE: it was read 3 times, and is 0x1, not 0x0");
    check_refused("poll TRCSTATR.IDEL 0",
                  "x.regs:1: TRCSTATR.IDEL: the register has no such field");
    check_refused("msr OSLAR_EL1, 1\nread TRCVICTLR",
                  "x.regs:2: TRCVICTLR: error: the OS Lock is locked (D8.1.1)");
    check_refused("write TRFCR_EL1 1",
                  "x.regs:1: TRFCR_EL1: it is a register of the PE: only msr and mrs reach it");
    check_refused("msr TRFCR_EL1, 1\nmrs x0, TRFCR_EL1 3",
                  "x.regs:2: TRFCR_EL1: it has another value");
    check_refused("write OSLAR_EL1 1", "x.regs:1: OSLAR_EL1: this trace unit has no such register");
    bench_open(&b, "");
    machine.unit = b.unit;
    machine.script_EL = 0;
    assert_int_equal(run_text(&machine, "x.regs", "mrs x0, TRCSTATR", 16, &error), CAIRN_E_CONFIG);
    assert_non_null(strstr(error.text, "EL0"));
    assert_int_equal(run_text(&machine, "x.regs", "poke", 4, &error), CAIRN_E_FORMAT);
    bench_end(&b);
}

/* TRFCR_EL1 says it of EL0 and EL1, TRFCR_EL2 of EL2, and what was never written says nothing. */
static void test_levels(void **state)
{
    static const struct {
        const char *script;
        bool traced[4];
    } rows[] = {
        {"isb\n", {true, true, true, true}},
        {"msr TRFCR_EL1, 0\nisb\n", {false, false, true, true}},
        {"msr TRFCR_EL1, 1\nisb\n", {true, false, true, true}},
        {"msr TRFCR_EL1, 2\nisb\n", {false, true, true, true}},
        {"msr TRFCR_EL2, 0\nisb\n", {true, true, false, true}},
        {"msr TRFCR_EL2, 2\nmsr TRFCR_EL1, 0\nisb\n", {false, false, true, true}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cairn_script_machine machine = CAIRN_SCRIPT_MACHINE_INIT;
        struct bench b;

        bench_begin(&b, "");
        machine.unit = b.unit;
        say(&machine, rows[i].script);
        for (unsigned EL = 0; EL < 4; EL++) {
            exception(&b, CAIRN_EXCEPTION_CALL, 0x5000);
            cairn_script_level(&machine, EL);
            (void)bench_trace(&b);
            branch(&b, 0x1000 * EL, 0x1000, NOT_TAKEN);
            assert_int_equal(bench_count(bench_trace(&b), "N"), rows[i].traced[EL]);
        }
        bench_end(&b);
    }
}

/* Without an ISB where one is needed, or without waiting, some way of seeing things finds it out. */
static unsigned failing_ways(const char *first, const char *second)
{
    unsigned failing = 0;

    for (unsigned n = 0; n < WAYS; n++) {
        struct cairn_script_machine machine;
        struct cairn_error error;
        struct bench b;
        bool fails;

        power_on(&b, &machine, "", n);
        fails = run_text(&machine, "a", first, strlen(first), &error) != CAIRN_OK;
        if (!fails) {
            exception(&b, CAIRN_EXCEPTION_IRQ, 0x40000c); /* some time later */
            fails = run_text(&machine, "b", second, strlen(second), &error) != CAIRN_OK;
        }
        failing += fails;
        bench_end(&b);
    }
    return failing;
}

static void test_what_must_not_be_left_out(void **state)
{
    static const char right[] =
        "msr TRCVICTLR, 0x201\nisb\nmsr TRCPRGCTLR, 1\npoll TRCSTATR.IDLE 0\n";
    static const char stop[] = "msr TRCPRGCTLR, 0\npoll TRCSTATR.IDLE 1\nmsr TRCVICTLR, 0x200\n";

    (void)state;
    assert_int_equal(failing_ways(right, stop), 0);
    /* no isb before TRCSTATR is read */
    assert_true(failing_ways("isb\nmsr TRCPRGCTLR, 1\nmrs x0, TRCSTATR 0\n", stop) > 0);
    /* programmed before it is idle */
    assert_true(failing_ways(right, "msr TRCPRGCTLR, 0\nisb\nmsr TRCVICTLR, 0x200\n") > 0);
    /* disabled before it runs */
    assert_true(failing_ways("isb\nmsr TRCPRGCTLR, 1\nisb\nmsr TRCPRGCTLR, 0\nisb\n", stop) > 0);
}

/* --- lint says the same --- */

static void count_finding(void *context, const struct cairn_lint_finding *finding)
{
    unsigned *count = context;

    if (finding->severity > CAIRN_LINT_NOTE)
        (*count)++;
}

static void test_lint(void **state)
{
    static const char *const parts[][2] = {
        {"d10-2-minimal.regs", "d10-1-1-enable.regs"},
        {"d10-4-exclude.regs", "d10-1-1-enable.regs"},
        {"d10-5-include.regs", "d10-1-1-enable.regs"},
        {"linux-strobing.regs", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        static char text[TEXT_MOST];
        struct cairn_lint_unit unit = {
            .size = sizeof unit, .protocol = CAIRN_PROTOCOL_ETE, .script = text};
        unsigned findings = 0;

        snprintf(text, sizeof text, "%s", read_script(parts[i][0]));
        if (parts[i][1])
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s",
                     read_script(parts[i][1]));
        unit.script_size = strlen(text);
        assert_int_equal(cairn_lint(&unit, count_finding, &findings, NULL), CAIRN_OK);
        assert_int_equal(findings, 0);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_minimal),        cmocka_unit_test(test_disable),
        cmocka_unit_test(test_ranges),         cmocka_unit_test(test_linux_driver),
        cmocka_unit_test(test_linux_strobing), cmocka_unit_test(test_levels),
        cmocka_unit_test(test_refusals),       cmocka_unit_test(test_what_must_not_be_left_out),
        cmocka_unit_test(test_lint),
    };

    folder = argc > 1 ? argv[1] : ".";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
