/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture/ini.h"

/* Writes what the parser says, so that a test compares one text with another. */
static int write_line(void *context, const struct cairn_ini_line *line)
{
    char *to = context;
    to += strlen(to);
    switch (line->kind) {
    case CAIRN_INI_SECTION: sprintf(to, "%u[%s]\n", line->number, line->section); break;
    case CAIRN_INI_PAIR:
        sprintf(to, "%u%s:%s=%s\n", line->number, line->section, line->key, line->value);
        break;
    case CAIRN_INI_MALFORMED: sprintf(to, "%u?%s\n", line->number, line->value); break;
    }
    return 0;
}

static void check(const char *text, const char *wanted)
{
    char said[4096] = "";
    char *copy = strdup(text);
    assert_int_equal(cairn_ini_read(copy, strlen(text), write_line, said), 0);
    assert_string_equal(said, wanted);
    free(copy);
}

static void sections_and_pairs(void **state)
{
    (void)state;
    check("[a]\nk=v\n[b]\nl=w", "1[a]\n2a:k=v\n3[b]\n4b:l=w\n");
    check("k=v\r\n\r\n[ a ]\r\n  key one =  two words \t\r\n",
          "1:k=v\n3[a]\n4a:key one=two words\n");
    check("[dump]\nfile=a\n[dump]\nfile=b\n", "1[dump]\n2dump:file=a\n3[dump]\n4dump:file=b\n");
    check("[a]\nk=v=w\nk=\n", "1[a]\n2a:k=v=w\n3a:k=\n");
    check("\xef\xbb\xbf[a]\nk=v", "1[a]\n2a:k=v\n");
    check("", "");
    check("[regs]\nR(id:0x4,size:64)=0x1\n", "1[regs]\n2regs:R(id:0x4,size:64)=0x1\n");
}

static void comments(void **state)
{
    (void)state;
    check("; one\n# two\n  ; three\n[a]\nk=v ; w\nl=x;y\nm=x #1\nn=;\no=a#b\t# c\np=#\n",
          "4[a]\n5a:k=v\n6a:l=x;y\n7a:m=x\n8a:n=\n9a:o=a#b\n10a:p=\n");
}

static void quotes(void **state)
{
    (void)state;
    check("a=\"one two\"\nb='x ; y' ; z\nc=\" d \"\nd=\"\"\ne=\"x\"y\nf=\"x\n",
          "1:a=one two\n2:b=x ; y\n3:c=d\n4:d=\n5:e=\"x\"y\n6:f=\"x\n");
    check("a=\"C:\\dir\\file\"#x\n", "1:a=C:\\dir\\file\n");
}

/* What libinih would read otherwise: keys with ':', indented lines. */
static void registers_of_debuggers(void **state)
{
    (void)state;
    check("[regs]\nR(id:0x4)=1\n  S(id:0x8)=2\n",
          "1[regs]\n2regs:R(id:0x4)=1\n3regs:S(id:0x8)=2\n");
}

static void malformed(void **state)
{
    (void)state;
    check("[a\nnothing\n=v\n[b]\n", "1?[a\n2?nothing\n3?=v\n4[b]\n");
}

static int stop_at_two(void *context, const struct cairn_ini_line *line)
{
    (void)context;
    return line->number == 2 ? -7 : 0;
}

static void stops(void **state)
{
    (void)state;
    char text[] = "a=1\nb=2\nc=3\n";
    assert_int_equal(cairn_ini_read(text, sizeof text - 1, stop_at_two, NULL), -7);
}

static void long_line(void **state)
{
    (void)state;
    char said[4096] = "", text[2000];
    memset(text, 'x', sizeof text);
    memcpy(text, "file=", 5);
    text[sizeof text - 1] = 0;
    assert_int_equal(cairn_ini_read(text, sizeof text - 1, write_line, said), 0);
    assert_int_equal(strlen(said), sizeof text - 1 + strlen("1:\n"));
}

static void lists(void **state)
{
    (void)state;
    char text[] = " buffer1, ,buffer 2,buffer3 ,";
    char *list = text;
    assert_string_equal(cairn_ini_item(&list), "buffer1");
    assert_string_equal(cairn_ini_item(&list), "buffer 2");
    assert_string_equal(cairn_ini_item(&list), "buffer3");
    assert_null(cairn_ini_item(&list));
    char none[] = ",";
    list = none;
    assert_null(cairn_ini_item(&list));
}

static void numbers(void **state)
{
    (void)state;
    uint64_t value;
    static const struct {
        const char *text;
        uint64_t value;
    } good[] = {
        {"0", 0},
        {"000", 0},
        {"25000000", 25000000},
        {"0x1F", 31},
        {"0X1f", 31},
        {"0xFFFFFFFFFFFFFFFF", UINT64_MAX},
        {"18446744073709551615", UINT64_MAX},
        {"0x12;TRCIDR0", 0x12},
        {"12#", 12},
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_true(cairn_ini_number(good[i].text, &value));
        assert_int_equal(value, good[i].value);
    }
    static const char *const bad[] = {
        "",   "0x", "1F",  "0x1G", "-1", "1 2", "0x10000000000000000", "18446744073709551616",
        "+1", "x",  "0x;", "#"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(cairn_ini_number(bad[i], &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_and_pairs),
        cmocka_unit_test(comments),
        cmocka_unit_test(quotes),
        cmocka_unit_test(registers_of_debuggers),
        cmocka_unit_test(malformed),
        cmocka_unit_test(stops),
        cmocka_unit_test(long_line),
        cmocka_unit_test(lists),
        cmocka_unit_test(numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
