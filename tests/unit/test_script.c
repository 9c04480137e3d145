/* SPDX-License-Identifier: BSD-2-Clause */
/* Register scripts: what each line is, and what is said of a line that is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "unit/script.h"

static void begin(struct cairn_script *script, const char *text)
{
    cairn_script_begin(script, "board.etm", text, strlen(text));
}

static void test_accesses(void **state)
{
    static const char text[] = "# a comment\n"
                               "\n"
                               "write TRCVICTLR 0x201   # everything\n"
                               "  WRITE trcsyncpr 12 // decimal\r\n"
                               "msr TRCPRGCTLR, 1\n"
                               "isb\n"
                               "mrs x3, TRCSTATR 0x3\n"
                               "mrs TRCSTATR\n"
                               "wait TRCSTATR.IDLE 1 ; until\n"
                               "dsb sy\n"
                               "tsb csync\n"
                               "read 0x1e4\n"
                               "poll TRCSTATR.IDLE 0";
    static const struct cairn_script_access expected[] = {
        {CAIRN_SCRIPT_WRITE, false, true, 3, "TRCVICTLR", "", 0x201, 0, 0},
        {CAIRN_SCRIPT_WRITE, false, true, 4, "trcsyncpr", "", 12, 0, 0},
        {CAIRN_SCRIPT_WRITE, true, true, 5, "TRCPRGCTLR", "", 1, 0, 0},
        {CAIRN_SCRIPT_ISB, true, false, 6, "", "", 0, 0, 0},
        {CAIRN_SCRIPT_READ, true, true, 7, "TRCSTATR", "", 3, 0, 0},
        {CAIRN_SCRIPT_READ, true, false, 8, "TRCSTATR", "", 0, 0, 0},
        {CAIRN_SCRIPT_WAIT, false, true, 9, "TRCSTATR", "IDLE", 1, 0, 0},
        {CAIRN_SCRIPT_DSB, true, false, 10, "", "", 0, 0, 0},
        {CAIRN_SCRIPT_TSB, true, false, 11, "", "", 0, 0, 0},
        {CAIRN_SCRIPT_READ, false, false, 12, "0x1e4", "", 0, 0, 0},
        {CAIRN_SCRIPT_WAIT, true, true, 13, "TRCSTATR", "IDLE", 0, 0, 0},
    };
    struct cairn_script script;
    struct cairn_script_access access;

    (void)state;
    begin(&script, text);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_int_equal(cairn_script_next(&script, &access, NULL), CAIRN_OK);
        assert_int_equal(access.kind, expected[i].kind);
        assert_int_equal(access.by_instruction, expected[i].by_instruction);
        assert_int_equal(access.has_value, expected[i].has_value);
        assert_int_equal(access.line, expected[i].line);
        assert_string_equal(access.name, expected[i].name);
        assert_string_equal(access.field, expected[i].field);
        assert_int_equal(access.value, expected[i].value);
    }
    assert_int_equal(cairn_script_next(&script, &access, NULL), CAIRN_E_NOT_FOUND);
    assert_int_equal(cairn_script_next(&script, &access, NULL), CAIRN_E_NOT_FOUND);
}

static void test_errors(void **state)
{
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"poke TRCVICTLR 1", "board.etm:1: \"poke TRCVICTLR 1\": no access begins so; expected "
                             "`write, read, wait, poll, msr, mrs, isb, dsb or tsb`"},
        {"\n\nwrite", "board.etm:3: \"write\": which register?; expected `write NAME VALUE`"},
        {"write TRCVICTLR", "board.etm:1: \"write TRCVICTLR\": the value is missing; expected "
                            "`write NAME VALUE`"},
        {"write TRCVICTLR x0", "board.etm:1: \"write TRCVICTLR x0\": the value is no number, "
                               "decimal or 0x... of 64 bits; expected `write NAME VALUE`"},
        {"write TRCVICTLR 0x10000000000000000",
         "board.etm:1: \"write TRCVICTLR 0x10000000000000000\": the value is no number, decimal or "
         "0x... of 64 bits; expected `write NAME VALUE`"},
        {"write A 1 2", "board.etm:1: \"write A 1 2\": there are words left over; expected `write "
                        "NAME VALUE`"},
        {"write A.B 1", "board.etm:1: \"write A.B 1\": a whole register is written or read; "
                        "expected `write NAME VALUE`"},
        {"wait A. 1", "board.etm:1: \"wait A. 1\": that is no name of a register; expected `wait "
                      "NAME[.FIELD] VALUE`"},
        {"wait A.B", "board.etm:1: \"wait A.B\": the value is missing; expected `wait "
                     "NAME[.FIELD] VALUE`"},
        {"mrs x0", "board.etm:1: \"mrs x0\": which register?; expected `mrs xN, NAME [VALUE]`"},
        {"mrs x0, A 1 b", "board.etm:1: \"mrs x0, A 1 b\": there are words left over; expected "
                          "`mrs xN, NAME [VALUE]`"},
        {"write TRCVICTLR 1\x01", "board.etm:1: \"write TRCVICTLR 1?\": the value is no number, "
                                  "decimal or 0x... of 64 bits; expected `write NAME VALUE`"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cairn_script script;
        struct cairn_script_access access;
        struct cairn_error error;

        begin(&script, rows[i].text);
        assert_int_equal(cairn_script_next(&script, &access, &error), CAIRN_E_FORMAT);
        assert_string_equal(error.text, rows[i].error);
        /* the next call goes on behind the line */
        assert_int_equal(cairn_script_next(&script, &access, &error), CAIRN_E_NOT_FOUND);
    }
}

/* Lines of any length, and names that have no room. */
static void test_long(void **state)
{
    char text[1000];
    struct cairn_script script;
    struct cairn_script_access access;

    (void)state;
    memset(text, 'A', sizeof text);
    cairn_script_begin(&script, "s", text, sizeof text);
    assert_int_equal(cairn_script_next(&script, &access, NULL), CAIRN_E_FORMAT);
    for (size_t length = 4; length < 300; length++) {
        memset(text, 'A', sizeof text);
        memcpy(text, "read ", 5);
        cairn_script_begin(&script, "s", text, length);
        const cairn_status wanted =
            length > 5 && length - 5 < CAIRN_SCRIPT_NAME ? CAIRN_OK : CAIRN_E_FORMAT;
        assert_int_equal(cairn_script_next(&script, &access, NULL), wanted);
    }
}

static void test_recognised(void **state)
{
    static const struct {
        const char *text;
        bool is_one;
    } rows[] = {
        {"# comment\nwrite A 1", true},
        {"isb", true},
        {"\n\n mrs x0, A", true},
        {"TRCVICTLR=0x201", false},
        {"TRCVICTLR: 0x201", false},
        {"[device]", false},
        {"", false},
        {"# nothing", false},
        {"writes A 1", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(cairn_script_is_one(rows[i].text, strlen(rows[i].text)), rows[i].is_one);
}

/* What a PE does besides: names, numbers, and what may stand behind them. */
static void test_of_pe(void **state)
{
    static const struct {
        const char *text;
        enum cairn_script_kind kind;
        const char *name;
        uint64_t value, size, third;
        bool has_value;
    } rows[] = {
        {"sys BRB_IALL", CAIRN_SCRIPT_SYS, "BRB_IALL", 0, 0, 0, false},
        {"enter EL1n", CAIRN_SCRIPT_ENTER, "EL1n", 0, 0, 0, false},
        {"run 100", CAIRN_SCRIPT_RUN, "", 100, 0, 0, true},
        {"load 0x1000 8", CAIRN_SCRIPT_LOAD, "", 0x1000, 8, 0, true},
        {"store 0x2000 0x10", CAIRN_SCRIPT_STORE, "", 0x2000, 16, 0, true},
        {"tlbi VMALLE1", CAIRN_SCRIPT_TLBI, "VMALLE1", 0, 0, 0, false},
        {"tlbi VAE1 0x7f", CAIRN_SCRIPT_TLBI, "VAE1", 0x7f, 0, 0, true},
        {"unmap 0x3000 4096", CAIRN_SCRIPT_UNMAP, "", 0x3000, 4096, 0, true},
        {"map 1 2 3", CAIRN_SCRIPT_MAP, "", 1, 2, 3, true},
        {"map 4 5 6 ro", CAIRN_SCRIPT_MAP, "ro", 4, 5, 6, true},
        {"map 4 5 6 noaf", CAIRN_SCRIPT_MAP, "noaf", 4, 5, 6, true},
        {"trigger 3", CAIRN_SCRIPT_TRIGGER, "", 3, 0, 0, true},
        {"reset cold", CAIRN_SCRIPT_RESET, "cold", 0, 0, 0, false},
        {"power down", CAIRN_SCRIPT_POWER, "down", 0, 0, 0, false},
        {"abort 0x80 64", CAIRN_SCRIPT_ABORT, "", 0x80, 64, 0, true},
        {"abort 0x80 64 serror", CAIRN_SCRIPT_ABORT, "serror", 0x80, 64, 0, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cairn_script_access access;
        struct cairn_script script;
        struct cairn_error error;
        char text[80];

        begin(&script, rows[i].text);
        script.of_pe = true;
        assert_int_equal(cairn_script_next(&script, &access, &error), CAIRN_OK);
        assert_int_equal(access.kind, rows[i].kind);
        assert_true(access.by_instruction);
        assert_string_equal(access.name, rows[i].name);
        assert_int_equal(access.value, rows[i].value);
        assert_int_equal(access.size, rows[i].size);
        assert_int_equal(access.third, rows[i].third);
        assert_int_equal(access.has_value, rows[i].has_value);
        /* of a unit's script it is no line */
        begin(&script, rows[i].text);
        assert_int_equal(cairn_script_next(&script, &access, &error), CAIRN_E_FORMAT);
        assert_non_null(strstr(error.text, "no access begins so"));
        /* each word but the last ones that may be left out is needed, and none more */
        snprintf(text, sizeof text, "%s extra more", rows[i].text);
        begin(&script, text);
        script.of_pe = true;
        assert_int_equal(cairn_script_next(&script, &access, &error), CAIRN_E_FORMAT);
        assert_non_null(strstr(error.text, "there are words left over"));
    }
}

static void test_errors_of_pe(void **state)
{
    static const struct {
        const char *text, *why;
    } rows[] = {
        {"sys", "something is missing"},     {"enter", "something is missing"},
        {"run", "something is missing"},     {"run x", "that is no number"},
        {"load 1", "something is missing"},  {"load x 1", "that is no number"},
        {"load 1 x", "that is no number"},   {"store 1", "something is missing"},
        {"unmap 1", "something is missing"}, {"map 1 2", "something is missing"},
        {"map x 2 3", "that is no number"},  {"map 1 x 3", "that is no number"},
        {"map 1 2 x", "that is no number"},  {"map 1 2 3 rw", "a page can be ro or noaf"},
        {"tlbi", "something is missing"},    {"tlbi VAE1 x", "that is no number"},
        {"trigger", "something is missing"}, {"trigger one", "that is no number"},
        {"abort 1", "something is missing"}, {"abort 1 x", "that is no number"},
        {"reset", "something is missing"},   {"power", "something is missing"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cairn_script_access access;
        struct cairn_script script;
        struct cairn_error error;

        begin(&script, rows[i].text);
        script.of_pe = true;
        assert_int_equal(cairn_script_next(&script, &access, &error), CAIRN_E_FORMAT);
        assert_non_null(strstr(error.text, rows[i].why));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accesses), cmocka_unit_test(test_errors),
        cmocka_unit_test(test_long),     cmocka_unit_test(test_recognised),
        cmocka_unit_test(test_of_pe),    cmocka_unit_test(test_errors_of_pe),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
