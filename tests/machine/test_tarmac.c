/* SPDX-License-Identifier: BSD-2-Clause */
/* The TARMAC reader line by line, its bounds, and how logs that cannot be recorded are refused. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "machine/tarmac/exception.h"
#include "machine/tarmac/tarmac.h"

/* A log in memory, given out in pieces. */
struct text {
    const char *at;
    size_t left;
    size_t piece;
    int then; /* errno at the end, instead of an end */
};

static long read_text(void *context, char *bytes, size_t size)
{
    struct text *text = context;
    size_t count = text->left < text->piece ? text->left : text->piece;

    count = count < size ? count : size;
    if (!count)
        return -text->then;
    memcpy(bytes, text->at, count);
    text->at += count;
    text->left -= count;
    return (long)count;
}

static struct cairn_tarmac_reader *open_text(struct text *text, const char *log)
{
    struct cairn_tarmac_reader *reader;

    *text = (struct text){log, strlen(log), SIZE_MAX, 0};
    assert_int_equal(cairn_tarmac_reader_new(read_text, text, &reader), CAIRN_OK);
    return reader;
}

/* The only record of a line, and that it is. */
static struct cairn_tarmac_record only(const char *line)
{
    struct cairn_tarmac_record record, end;
    struct text text;
    struct cairn_tarmac_reader *reader = open_text(&text, line);

    assert_int_equal(cairn_tarmac_next(reader, &record, NULL), CAIRN_OK);
    if (record.kind != CAIRN_TARMAC_END) {
        assert_int_equal(cairn_tarmac_next(reader, &end, NULL), CAIRN_OK);
        assert_int_equal(end.kind, CAIRN_TARMAC_END);
        record.name = NULL; /* went with the reader */
    }
    const struct cairn_tarmac_counts *counts = cairn_tarmac_reader_counts(reader);
    assert_int_equal(counts->lines, counts->instructions + counts->registers + counts->events +
                                        counts->other + counts->unknown + counts->unparsable);
    cairn_tarmac_reader_free(reader);
    return record;
}

static void instructions_of_every_dialect(void **unused)
{
    static const struct {
        const char *line;
        uint64_t time, address;
        uint32_t opcode;
        uint8_t unit, isa, size, mode, security;
        bool passed;
    } cases[] = {
        {"12 clk IS (12) 0000802c 1afb T svc_s : SUBNE r3,r7,r3\n", 12, 0x802c, 0x1afb,
         CAIRN_TARMAC_CLK, CAIRN_ISA_T32, 2, CAIRN_TARMAC_MODE_SVC, CAIRN_SECURE, false},
        {"23 clk IT (23) 0000815c:00000000815c_NS,00000000815e_NS f7ffef76 T hyp_n : BLX x\n", 23,
         0x815c, 0xf7ffef76, CAIRN_TARMAC_CLK, CAIRN_ISA_T32, 4, CAIRN_TARMAC_MODE_HYP,
         CAIRN_NONSECURE, true},
        {"7 clk cluster1.cpu3 IT (9) ffffffc0_08081000 d503201f O EL2h_ns : NOP\r\n", 7,
         0xffffffc008081000, 0xd503201f, CAIRN_TARMAC_CLK, CAIRN_ISA_A64, 4, CAIRN_TARMAC_MODE_EL2,
         CAIRN_NONSECURE, true},
        {"6000000 cs IT (00000000004d6eb8) 54fffea1 O  ---_- :\tb.ne\t0x4d6e8c\n", 6000000,
         0x4d6eb8, 0x54fffea1, CAIRN_TARMAC_CLK, CAIRN_ISA_A64, 4, CAIRN_TARMAC_MODE_NONE,
         CAIRN_TARMAC_NO_SECURITY, true},
        {"IT 00008000 e1a00000 A usr_ns : NOP\n", 0, 0x8000, 0xe1a00000, CAIRN_TARMAC_NO_TIME,
         CAIRN_ISA_A32, 4, CAIRN_TARMAC_MODE_USR, CAIRN_NONSECURE, true},
        {"   800 ns  ES  (000001a4:03a06a01) A svc:     CCFAIL MOVEQ r6,#0x1000\n", 800, 0x1a4,
         0x03a06a01, CAIRN_TARMAC_NS, CAIRN_ISA_A32, 4, CAIRN_TARMAC_MODE_SVC,
         CAIRN_TARMAC_NO_SECURITY, false},
        {"94 ps  ES  (000000008000d1fc:a90d8be1) O el3t_rt:  STP x1,x2,[sp]\n", 94, 0x8000d1fc,
         0xa90d8be1, CAIRN_TARMAC_PS, CAIRN_ISA_A64, 4, CAIRN_TARMAC_MODE_EL3, CAIRN_ROOT, true},
        {"307754 tic ES  (0000aaaaabaf59f0:--------) O el0t_ns:\n", 307754, 0xaaaaabaf59f0, 0,
         CAIRN_TARMAC_CLK, CAIRN_ISA_A64, 0, CAIRN_TARMAC_MODE_EL0, CAIRN_NONSECURE, true},
        {"271ns IT (1) 00008000 bf00 T und_rl : NOP", 271, 0x8000, 0xbf00, CAIRN_TARMAC_NS,
         CAIRN_ISA_T32, 2, CAIRN_TARMAC_MODE_UND, CAIRN_REALM, true},
        {"3 cyc IT (00022a7c:00000006) 00022a7c     48f6 T16 LDR r0,[pc,#984]\n", 3, 0x22a7c,
         0x48f6, CAIRN_TARMAC_CLK, CAIRN_ISA_T32, 2, CAIRN_TARMAC_MODE_M_PROFILE,
         CAIRN_TARMAC_NO_SECURITY, true},
        {"1 clk IT (2) 10001848 f64f6000 X svc_s : unknown set\n", 1, 0x10001848, 0,
         CAIRN_TARMAC_CLK, CAIRN_ISA_UNKNOWN, 0, CAIRN_TARMAC_MODE_SVC, CAIRN_SECURE, true},
    };

    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct cairn_tarmac_record record = only(cases[i].line);
        assert_int_equal(record.kind, CAIRN_TARMAC_INSTRUCTION);
        assert_int_equal(record.time, cases[i].time);
        assert_int_equal(record.address, cases[i].address);
        if (record.size)
            assert_int_equal(record.opcode, cases[i].opcode);
        assert_int_equal(record.unit, cases[i].unit);
        assert_int_equal(record.isa, cases[i].isa);
        assert_int_equal(record.size, cases[i].size);
        assert_int_equal(record.mode, cases[i].mode);
        assert_int_equal(record.security, cases[i].security);
        assert_int_equal(record.passed, cases[i].passed);
    }
}

static void lines_that_are_no_instruction(void **unused)
{
    static const struct {
        const char *line;
        uint8_t kind;
        bool has_value;
        uint64_t value;
    } cases[] = {
        {"0 clk R X30 0000000000008004\n", CAIRN_TARMAC_REGISTER, true, 0x8004},
        {"R R1 (USR) 00000800\n", CAIRN_TARMAC_REGISTER, true, 0x800},
        {"R X0 01234567 89abcdef\n", CAIRN_TARMAC_REGISTER, true, 0x0123456789abcdef},
        {"5 clk R FPCR 01230123:23452345\n", CAIRN_TARMAC_REGISTER, true, 0x0123012323452345},
        {"5 cs R cpsr 20000000 __C_\n", CAIRN_TARMAC_REGISTER, true, 0x20000000},
        {"R X0 -------- --------\n", CAIRN_TARMAC_REGISTER, false, 0},
        {"0 clk R X30 0000000000", CAIRN_TARMAC_REGISTER, false, 0}, /* cut */
        {"9 ps E 00008100 00000084 CoreEvent_CURRENT_SPx_SYNC\n", CAIRN_TARMAC_EVENT, true, 0x84},
        {"9 ps E 0000000c 00dfdfdf00000003 CoreEvent_SWI\n", CAIRN_TARMAC_EVENT, true, 3},
        {"9 ps E 00000014 svc 00000019 CoreEvent_ModeChange\n", CAIRN_TARMAC_EVENT, true, 0x19},
        {"0 clk cpu0 E DebugEvent_HaltingDebugState 00000000\n", CAIRN_TARMAC_EVENT, true, 0},
        {"   EXC [0x280] IRQ Current EL with SP_ELx\n", CAIRN_TARMAC_EVENT, true, 0x280},
        {"  0 tic ES  EXC Reset\n", CAIRN_TARMAC_EVENT, false, 0},
        {"2 clk MR8 dfdfdfcf (ABORTED)\n", CAIRN_TARMAC_ABORTED, false, 0},
        {"1 clk MR8 0000c7c8:00000000c7c8 00000000_0000ca68\n", CAIRN_TARMAC_END, false, 0},
        {"  ST b0080100 ........ ........ ffffffff ........ 00b0080100 DV\n", CAIRN_TARMAC_END,
         false, 0},
        {"     000000009884cfa0  00000000 00000007 ........ ........\n", CAIRN_TARMAC_END, false,
         0},
        {"     00004010  3e000a73 ........ ........ ........   S:00004010\n", CAIRN_TARMAC_END,
         false, 0},
        {"Tarmac Text Rev 3t\n", CAIRN_TARMAC_END, false, 0},
        {"\n", CAIRN_TARMAC_END, false, 0},
    };

    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct cairn_tarmac_record record = only(cases[i].line);
        assert_int_equal(record.kind, cases[i].kind);
        if (record.kind == CAIRN_TARMAC_END)
            continue;
        assert_int_equal(record.has_value, cases[i].has_value);
        if (record.has_value)
            assert_int_equal(record.value, cases[i].value);
    }
}

static void broken_lines_are_counted_and_shown(void **unused)
{
    static const char *const lines[] = {
        "5103 clk IT (5103) 000201",
        "5103 clk IT (5103) 00020150 e3a0",
        "1 clk IT (1 00020150 e3a00601 A",
        "1 clk IT (1) 00020150 e3a00601 A svc_s",
        "1 clk IT (1) 00020150 e3a0 A svc_s : MOV\n",
        "1 clk IT (1) zz e3a00601 A svc_s : MOV\n",
        "1 clk ES (00020150:e3a00601 A svc_s: MOV\n",
        "12\n",
        "12 parsecs IT\n",
        "1 clk\n",
        "1 clk E 00008100 00000084\n",
        "EXC [0x28\n",
        "hello world\n",
        "1 clk R\n",
    };
    struct cairn_tarmac_record record;
    struct text text;

    (void)unused;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct cairn_tarmac_reader *reader = open_text(&text, lines[i]);
        const struct cairn_tarmac_counts *counts = cairn_tarmac_reader_counts(reader);
        assert_int_equal(cairn_tarmac_next(reader, &record, NULL), CAIRN_OK);
        assert_int_equal(record.kind, CAIRN_TARMAC_END);
        assert_int_equal(counts->lines, 1);
        assert_int_equal(counts->unparsable, 1);
        assert_int_equal(counts->note_count, 1);
        assert_int_equal(counts->notes[0].line, 1);
        assert_memory_equal(counts->notes[0].text, lines[i], 2);
        cairn_tarmac_reader_free(reader);
    }
    struct cairn_tarmac_reader *reader = open_text(&text, "1 clk TTW ITLB\n2 clk NEW thing\n");
    assert_int_equal(cairn_tarmac_next(reader, &record, NULL), CAIRN_OK);
    assert_int_equal(cairn_tarmac_reader_counts(reader)->other, 1);
    assert_int_equal(cairn_tarmac_reader_counts(reader)->unknown, 1);
    cairn_tarmac_reader_free(reader);
}

/* Lines longer than the bound, of any length, are one unparsable line each. */
static void long_lines_cost_no_memory(void **unused)
{
    enum { LONG = 1 << 20 };
    const char *const line = "1 clk IT (1) 00020150 e3a00601 A svc_s : MOV\n";
    static char log[LONG + 200];
    struct cairn_tarmac_record record;
    struct text text;

    (void)unused;
    memset(log, 'x', LONG);
    log[LONG - 1] = '\n';
    strcpy(log + LONG, line);
    const size_t pieces[] = {1, 7, 4096, SIZE_MAX};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        struct cairn_tarmac_reader *reader = open_text(&text, log);
        text.piece = pieces[i];
        assert_int_equal(cairn_tarmac_next(reader, &record, NULL), CAIRN_OK);
        assert_int_equal(record.kind, CAIRN_TARMAC_INSTRUCTION);
        assert_int_equal(record.line, 2);
        assert_int_equal(cairn_tarmac_reader_counts(reader)->unparsable, 1);
        assert_int_equal(cairn_tarmac_reader_counts(reader)->lines, 2);
        cairn_tarmac_reader_free(reader);
    }
}

static void processors_are_told_apart(void **unused)
{
    struct cairn_tarmac_record record;
    struct text text;
    struct cairn_tarmac_reader *reader =
        open_text(&text, "1 clk cpu1 IT (1) 00001000 d503201f O EL1h_ns : NOP\n"
                         "2 clk cpu0 IT (1) 00002000 d503201f O EL1h_ns : NOP\n"
                         "3 clk R X0 00\n"
                         "4 clk cpu1 R X0 00\n");
    static const uint32_t cpus[] = {0, 1, 1, 0};

    (void)unused;
    for (size_t i = 0; i < sizeof cpus / sizeof cpus[0]; i++) {
        assert_int_equal(cairn_tarmac_next(reader, &record, NULL), CAIRN_OK);
        assert_int_equal(record.cpu, cpus[i]);
    }
    assert_string_equal(cairn_tarmac_reader_cpu(reader, 0), "cpu1");
    assert_string_equal(cairn_tarmac_reader_cpu(reader, 1), "cpu0");
    assert_null(cairn_tarmac_reader_cpu(reader, 2));
    cairn_tarmac_reader_free(reader);
}

static void there_are_not_too_many_processors(void **unused)
{
    static char log[300 * 80];
    size_t size = 0;
    struct cairn_tarmac_record record = {.kind = CAIRN_TARMAC_INSTRUCTION};
    struct text text;

    (void)unused;
    for (int i = 0; i < 300; i++)
        size += (size_t)snprintf(&log[size], sizeof log - size,
                                 "1 clk c%d IT (1) 00001000 d503201f O EL1h_s : NOP\n", i);
    struct cairn_tarmac_reader *reader = open_text(&text, log);
    while (record.kind != CAIRN_TARMAC_END)
        assert_int_equal(cairn_tarmac_next(reader, &record, NULL), CAIRN_OK);
    assert_int_equal(cairn_tarmac_reader_counts(reader)->instructions, CAIRN_TARMAC_CPUS);
    assert_int_equal(cairn_tarmac_reader_counts(reader)->unparsable, 300 - CAIRN_TARMAC_CPUS);
    cairn_tarmac_reader_free(reader);
}

static void logs_that_cannot_be_read(void **unused)
{
    struct cairn_tarmac_record record;
    struct cairn_tarmac_reader *reader;
    struct cairn_error error = {0};
    struct text text;

    (void)unused;
    assert_int_equal(cairn_tarmac_reader_open("/nowhere/log", &reader, &error), CAIRN_E_IO);
    assert_non_null(strstr(error.text, "/nowhere/log"));
    assert_int_equal(cairn_tarmac_reader_open("/", &reader, &error), CAIRN_OK);
    assert_int_equal(cairn_tarmac_next(reader, &record, &error), CAIRN_E_IO);
    cairn_tarmac_reader_free(reader);
    reader = open_text(&text, "1 clk R X0 00\n");
    text.then = EIO;
    assert_int_equal(cairn_tarmac_next(reader, &record, &error), CAIRN_OK);
    assert_int_equal(cairn_tarmac_next(reader, &record, &error), CAIRN_E_IO);
    assert_non_null(strstr(error.text, "line 1"));
    cairn_tarmac_reader_free(reader);
}

/* --- the feed --- */

static cairn_status feed(const char *log, const char *cpu, struct cairn_tarmac_result *result,
                         struct cairn_error *error)
{
    struct cairn_unit_options unit = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_tarmac_options options = CAIRN_TARMAC_OPTIONS_INIT;
    struct text text;
    struct cairn_tarmac_reader *reader = open_text(&text, log);

    unit.arch = cairn_arch_any_a();
    options.unit = &unit;
    options.cpu = cpu;
    const cairn_status status = cairn_tarmac_feed(reader, &options, result, error);
    cairn_tarmac_reader_free(reader);
    return status;
}

static void logs_without_a_flow_are_refused(void **unused)
{
    struct cairn_tarmac_result result;
    struct cairn_error error;

    (void)unused;
    assert_int_equal(feed("", NULL, &result, &error), CAIRN_E_FORMAT);
    assert_int_equal(feed("1 clk R X0 00\n", NULL, &result, &error), CAIRN_E_FORMAT);
    assert_int_equal(feed("<html>\n", NULL, &result, &error), CAIRN_E_FORMAT);
    assert_non_null(strstr(error.text, "<html>"));
    assert_int_equal(feed("1 clk IT (1) 10001848 bf00 T thread_s : NOP\n", NULL, &result, &error),
                     CAIRN_E_UNSUPPORTED);
    assert_non_null(strstr(error.text, "line 1"));
    assert_non_null(strstr(error.text, "Cortex-M"));
    assert_int_equal(
        feed("1 clk IT (1) 00001848 d503201f O EL1h_s : NOP\n", "cpu7", &result, &error),
        CAIRN_E_NOT_FOUND);
    assert_non_null(strstr(error.text, "cpu7"));
}

static void instructions_are_accounted_for(void **unused)
{
    struct cairn_tarmac_result result;
    struct cairn_error error;

    (void)unused;
    /* Executed, an unknown opcode, aborted by its line, executed. */
    assert_int_equal(feed("1 clk IT (1) 00001000 d503201f O EL1h_s : NOP\n"
                          "1 clk IT (2) 00001004 -------- O EL1h_s :\n"
                          "1 clk IT (3) 00001008 f9400020 O EL1h_s : LDR x0,[x1] (ABORTED)\n"
                          "1 clk cpu1 IT (3) 00001008 f9400020 O EL1h_s : LDR x0,[x1]\n",
                          "cpu0", &result, &error),
                     CAIRN_OK);
    assert_int_equal(result.instructions, 1);
    assert_int_equal(result.untold, 1);
    assert_int_equal(result.aborted, 1);
    assert_int_equal(result.halts, 1);
    assert_int_equal(result.cpus, 1);
}

/* --- exceptions --- */

/* A synchronous exception of class `ec` taken to ELn; `here`: the return address is the
 * instruction's own. */
struct class_case {
    uint8_t ec, el;
    bool here;
    uint8_t type;
};

static const struct cairn_tarmac_before nop = {
    .exists = true, .isa = CAIRN_ISA_A64, .size = 4, .opcode = 0xd503201f, .address = 0x1000};

static uint8_t type_of_class(const struct class_case *c, bool to_a32)
{
    struct cairn_tarmac_outcome outcome;
    const struct cairn_tarmac_exception exception = {
        .cause = CAIRN_TARMAC_SYNC,
        .to_a32 = to_a32,
        .has_elr = true,
        .elr = c->here ? 0x1000 : 0x1004,
        .has_esr = true,
        .esr_el = c->el,
        .esr = (uint64_t)c->ec << 26 | 1u << 25,
    };

    cairn_tarmac_exception_resolve(&exception, &nop, &outcome);
    assert_int_equal(outcome.address, exception.elr);
    assert_int_equal(outcome.executed, !c->here);
    return outcome.type;
}

static uint8_t type_of_cause(enum cairn_tarmac_cause cause, bool to_a32)
{
    struct cairn_tarmac_outcome outcome;
    const struct cairn_tarmac_exception exception = {
        .cause = (uint8_t)cause, .to_a32 = to_a32, .has_elr = true, .elr = 0x1004};

    cairn_tarmac_exception_resolve(&exception, &nop, &outcome);
    return outcome.type;
}

/* DDI0608 table D3.13. */
static void types_of_exceptions_taken_to_aarch64(void **unused)
{
    static const struct class_case cases[] = {
        {0x00, 1, true, CAIRN_EXCEPTION_TRAP},       /* undefined */
        {0x07, 1, true, CAIRN_EXCEPTION_TRAP},       /* access to SIMD, trapped */
        {0x0d, 1, true, CAIRN_EXCEPTION_INST_FAULT}, /* branch target */
        {0x0e, 1, true, CAIRN_EXCEPTION_TRAP},       /* illegal state */
        {0x11, 1, false, CAIRN_EXCEPTION_CALL},      /* SVC from AArch32 */
        {0x12, 2, false, CAIRN_EXCEPTION_CALL},      /* HVC from AArch32 */
        {0x13, 3, false, CAIRN_EXCEPTION_CALL},      /* SMC from AArch32 */
        {0x15, 1, false, CAIRN_EXCEPTION_CALL},      /* SVC */
        {0x15, 2, true, CAIRN_EXCEPTION_TRAP},       /* trapped SVC */
        {0x16, 2, false, CAIRN_EXCEPTION_CALL},      /* HVC */
        {0x17, 3, false, CAIRN_EXCEPTION_CALL},      /* SMC */
        {0x17, 2, true, CAIRN_EXCEPTION_TRAP},       /* trapped SMC */
        {0x18, 2, true, CAIRN_EXCEPTION_TRAP},       /* MSR, MRS, trapped */
        {0x1c, 1, true, CAIRN_EXCEPTION_DATA_FAULT}, /* PAC Fail */
        {0x20, 1, true, CAIRN_EXCEPTION_INST_FAULT}, /* Instruction Abort */
        {0x21, 1, true, CAIRN_EXCEPTION_INST_FAULT},
        {0x22, 1, true, CAIRN_EXCEPTION_ALIGNMENT},  /* PC */
        {0x24, 1, true, CAIRN_EXCEPTION_DATA_FAULT}, /* Data Abort */
        {0x25, 1, true, CAIRN_EXCEPTION_DATA_FAULT},
        {0x26, 1, true, CAIRN_EXCEPTION_ALIGNMENT}, /* SP */
        {0x27, 1, true, CAIRN_EXCEPTION_TRAP},      /* MemCopy, MemSet */
        {0x2f, 1, false, CAIRN_EXCEPTION_SYSTEM_ERROR},
        {0x30, 1, true, CAIRN_EXCEPTION_INST_DEBUG}, /* breakpoint */
        {0x31, 1, true, CAIRN_EXCEPTION_INST_DEBUG},
        {0x32, 1, false, CAIRN_EXCEPTION_INST_DEBUG}, /* software step */
        {0x33, 1, false, CAIRN_EXCEPTION_INST_DEBUG},
        {0x34, 1, true, CAIRN_EXCEPTION_DATA_DEBUG}, /* watchpoint */
        {0x35, 1, true, CAIRN_EXCEPTION_DATA_DEBUG},
        {0x38, 1, true, CAIRN_EXCEPTION_INST_DEBUG}, /* BKPT */
        {0x3c, 1, true, CAIRN_EXCEPTION_INST_DEBUG}, /* BRK */
    };

    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        /* proves: D3.5.A64 */
        assert_int_equal(type_of_class(&cases[i], false), cases[i].type);
    assert_int_equal(type_of_cause(CAIRN_TARMAC_IRQ, false), CAIRN_EXCEPTION_IRQ);
    assert_int_equal(type_of_cause(CAIRN_TARMAC_FIQ, false), CAIRN_EXCEPTION_FIQ);
    assert_int_equal(type_of_cause(CAIRN_TARMAC_SERROR, false), CAIRN_EXCEPTION_SYSTEM_ERROR);
}

/* DDI0608 table D3.14: AArch32 has one Prefetch Abort and one Data Abort, whatever the reason. */
static void types_of_exceptions_taken_to_aarch32(void **unused)
{
    /* To Hyp mode, which has a class. */
    static const struct class_case cases[] = {
        {0x00, 2, true, CAIRN_EXCEPTION_TRAP},       {0x07, 2, true, CAIRN_EXCEPTION_TRAP},
        {0x0e, 2, true, CAIRN_EXCEPTION_TRAP},       {0x11, 2, false, CAIRN_EXCEPTION_CALL},
        {0x12, 2, false, CAIRN_EXCEPTION_CALL},      {0x13, 2, true, CAIRN_EXCEPTION_TRAP},
        {0x20, 2, true, CAIRN_EXCEPTION_INST_FAULT}, {0x21, 2, true, CAIRN_EXCEPTION_INST_FAULT},
        {0x22, 2, true, CAIRN_EXCEPTION_INST_FAULT}, {0x24, 2, true, CAIRN_EXCEPTION_DATA_FAULT},
        {0x25, 2, true, CAIRN_EXCEPTION_DATA_FAULT}, {0x30, 2, true, CAIRN_EXCEPTION_INST_FAULT},
        {0x34, 2, true, CAIRN_EXCEPTION_DATA_FAULT}, {0x38, 2, true, CAIRN_EXCEPTION_INST_FAULT},
        {0x3a, 2, true, CAIRN_EXCEPTION_INST_FAULT},
    };
    static const struct {
        enum cairn_tarmac_cause cause;
        uint8_t type;
    } causes[] = {
        {CAIRN_TARMAC_PREFETCH, CAIRN_EXCEPTION_INST_FAULT},
        {CAIRN_TARMAC_DATA, CAIRN_EXCEPTION_DATA_FAULT},
        {CAIRN_TARMAC_UNDEFINED, CAIRN_EXCEPTION_TRAP},
        {CAIRN_TARMAC_CALL, CAIRN_EXCEPTION_CALL},
        {CAIRN_TARMAC_SERROR, CAIRN_EXCEPTION_SYSTEM_ERROR},
        {CAIRN_TARMAC_IRQ, CAIRN_EXCEPTION_IRQ},
        {CAIRN_TARMAC_FIQ, CAIRN_EXCEPTION_FIQ},
    };

    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        /* proves: D3.5.A32 */
        assert_int_equal(type_of_class(&cases[i], true), cases[i].type);
    for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++)
        assert_int_equal(type_of_cause(causes[i].cause, true), causes[i].type);
}

/* r14 of AArch32's modes is beyond the preferred return address (Arm ARM, G1.16). */
static void link_registers_are_ahead_of_return_addresses(void **unused)
{
    static const struct {
        enum cairn_tarmac_cause cause;
        bool is_t32;
        uint32_t link, address;
    } cases[] = {
        {CAIRN_TARMAC_CALL, false, 0x8004, 0x8004},
        {CAIRN_TARMAC_CALL, true, 0x8002, 0x8002},
        {CAIRN_TARMAC_UNDEFINED, false, 0x8004, 0x8000},
        {CAIRN_TARMAC_UNDEFINED, true, 0x8002, 0x8000},
        {CAIRN_TARMAC_PREFETCH, false, 0x8004, 0x8000},
        {CAIRN_TARMAC_PREFETCH, true, 0x8004, 0x8000},
        {CAIRN_TARMAC_DATA, false, 0x8008, 0x8000},
        {CAIRN_TARMAC_DATA, true, 0x8008, 0x8000},
        {CAIRN_TARMAC_IRQ, false, 0x8008, 0x8004},
        {CAIRN_TARMAC_IRQ, true, 0x8006, 0x8002},
        {CAIRN_TARMAC_FIQ, false, 0x8008, 0x8004},
    };
    struct cairn_tarmac_outcome outcome;

    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct cairn_tarmac_exception exception = {.cause = (uint8_t)cases[i].cause,
                                                         .to_a32 = true,
                                                         .has_link = true,
                                                         .link = cases[i].link,
                                                         .has_spsr = true,
                                                         .spsr = cases[i].is_t32 ? 0x30 : 0x10};
        cairn_tarmac_exception_resolve(&exception, &nop, &outcome);
        assert_int_equal(outcome.address, cases[i].address);
        assert_int_equal(outcome.isa, cases[i].is_t32 ? CAIRN_ISA_T32 : CAIRN_ISA_A32);
    }
}

static uint8_t cause_of(const char *name, uint64_t value, bool is_vector, bool *to_a32)
{
    const struct cairn_tarmac_record record = {.kind = CAIRN_TARMAC_EVENT,
                                               .name = name,
                                               .name_size = (uint32_t)strlen(name),
                                               .value = value,
                                               .has_value = true,
                                               .is_vector = is_vector};

    return (uint8_t)cairn_tarmac_cause(&record, to_a32);
}

static void events_are_named_or_numbered(void **unused)
{
    bool to_a32;

    (void)unused;
    assert_int_equal(cause_of("CoreEvent_LOWER_64_SYNC", 0x88, false, &to_a32), CAIRN_TARMAC_SYNC);
    assert_false(to_a32);
    assert_int_equal(cause_of("CoreEvent_CURRENT_SP0_SERROR", 0x83, false, &to_a32),
                     CAIRN_TARMAC_SERROR);
    assert_int_equal(cause_of("CoreEvent_IRQSpotted", 0x17, false, &to_a32), CAIRN_TARMAC_NO_CAUSE);
    assert_int_equal(cause_of("CoreEvent_ModeChange", 0x19, false, &to_a32), CAIRN_TARMAC_NO_CAUSE);
    assert_int_equal(cause_of("CoreEvent_handlePrefetchAbort", 4, false, &to_a32),
                     CAIRN_TARMAC_PREFETCH);
    assert_true(to_a32);
    assert_int_equal(cause_of("CoreEvent_other", 0x86, false, &to_a32), CAIRN_TARMAC_FIQ);
    assert_int_equal(cause_of("CoreEvent_other", 0x20, false, &to_a32), CAIRN_TARMAC_NO_CAUSE);
    assert_int_equal(cause_of("", 0x480, true, &to_a32), CAIRN_TARMAC_IRQ);
    assert_int_equal(cause_of("", 0x780, true, &to_a32), CAIRN_TARMAC_SERROR);
    assert_int_equal(cause_of("", 0x10, true, &to_a32), CAIRN_TARMAC_DATA);
    assert_int_equal(cause_of("Asynchronous Data Abort", 0x10, true, &to_a32), CAIRN_TARMAC_SERROR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_of_every_dialect),
        cmocka_unit_test(lines_that_are_no_instruction),
        cmocka_unit_test(broken_lines_are_counted_and_shown),
        cmocka_unit_test(long_lines_cost_no_memory),
        cmocka_unit_test(processors_are_told_apart),
        cmocka_unit_test(there_are_not_too_many_processors),
        cmocka_unit_test(logs_that_cannot_be_read),
        cmocka_unit_test(logs_without_a_flow_are_refused),
        cmocka_unit_test(instructions_are_accounted_for),
        cmocka_unit_test(types_of_exceptions_taken_to_aarch64),
        cmocka_unit_test(types_of_exceptions_taken_to_aarch32),
        cmocka_unit_test(link_registers_are_ahead_of_return_addresses),
        cmocka_unit_test(events_are_named_or_numbered),
    };

    return cmocka_run_group_tests_name("tarmac", tests, NULL, NULL);
}
