/* SPDX-License-Identifier: BSD-2-Clause */
/* Which places of a capture an option's text means, and what is said of them. What is expected is
 * written by hand from the symbols that each case makes. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench.h"
#include "cli/window/where.h"

#define BASE BENCH_BASE

static const struct cli_command command = {.name = "flow"};

struct asked {
    struct bench *bench;
    struct cli_session session;
    struct cli_place *places;
    size_t count;
    char said[2048]; /* on standard error, with what the session's output held */
};

static int open_asked(void **state)
{
    struct asked *const a = calloc(1, sizeof *a);
    void *bench;

    assert_non_null(a);
    assert_int_equal(bench_open(&bench), 0);
    a->bench = bench;
    a->session.command = &command;
    assert_int_equal(cairn_capture_new(&a->session.capture, NULL), CAIRN_OK);
    *state = a;
    return 0;
}

static int close_asked(void **state)
{
    struct asked *const a = *state;
    void *bench = a->bench;

    free(a->places);
    cairn_capture_free(a->session.capture);
    assert_int_equal(bench_close(&bench), 0);
    free(a);
    return 0;
}

static void add(struct asked *a, const char *name, uint64_t bias)
{
    bench_add_to(a->bench, cairn_capture_image(a->session.capture), name, bias);
}

/* Asks with standard error in a file. */
static bool ask(struct asked *a, const char *text)
{
    const char *const path = scratch_path(&a->bench->scratch, "said");
    const int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    const int saved = dup(STDERR_FILENO);

    assert_true(file >= 0 && saved >= 0);
    free(a->places);
    a->places = NULL;
    a->count = 0;
    fflush(stderr);
    assert_int_equal(dup2(file, STDERR_FILENO), STDERR_FILENO);
    if (a->session.output)
        a->session.output->fd = file;
    const bool found = cli_where(&a->session, "function", text, &a->places, &a->count);
    fflush(stderr);
    assert_int_equal(dup2(saved, STDERR_FILENO), STDERR_FILENO);
    close(saved);
    const ssize_t size = pread(file, a->said, sizeof a->said - 1, 0);
    assert_true(size >= 0);
    a->said[size] = '\0';
    close(file);
    return found;
}

static void place_is(const struct asked *a, size_t index, uint64_t first, uint64_t end,
                     bool is_entry, enum cairn_match_kind kind)
{
    assert_true(index < a->count);
    assert_int_equal(a->places[index].first, first);
    assert_int_equal(a->places[index].end, end);
    assert_int_equal(a->places[index].is_entry, is_entry);
    assert_int_equal(a->places[index].kind, kind);
}

static void one_place(void **state)
{
    struct asked *const a = *state;

    bench_symbol(a->bench, "main", BASE + 0x20, 0x20, FUNCTION);
    bench_symbol(a->bench, "tail", BASE + 0x40, 0x10, LOCAL_FUNCTION);
    add(a, "prog", 0x1000);
    assert_true(ask(a, "0x400600"));
    assert_int_equal(a->count, 1);
    place_is(a, 0, 0x400600, 0x400601, true, CAIRN_MATCH_ADDRESS);
    assert_true(ask(a, "main"));
    assert_int_equal(a->count, 1);
    place_is(a, 0, BASE + 0x1020, BASE + 0x1040, true, CAIRN_MATCH_FUNCTION);
    assert_true(ask(a, "prog:tail+0x8"));
    assert_int_equal(a->count, 1);
    place_is(a, 0, BASE + 0x1048, BASE + 0x1049, true, CAIRN_MATCH_ADDRESS);
    assert_true(ask(a, "main+0x4..tail"));
    assert_int_equal(a->count, 1);
    /* To the end of what is named last. */
    place_is(a, 0, BASE + 0x1024, BASE + 0x1050, true, CAIRN_MATCH_RANGE);
    assert_string_equal(a->said, "");
}

/* `end` is behind the last address, and that has none behind it. */
static void the_last_address(void **state)
{
    struct asked *const a = *state;

    assert_true(ask(a, "0xffffffffffffffff"));
    place_is(a, 0, UINT64_MAX, UINT64_MAX, true, CAIRN_MATCH_ADDRESS);
    assert_true(ask(a, "0xfffffffffffffffe"));
    place_is(a, 0, UINT64_MAX - 1, UINT64_MAX, true, CAIRN_MATCH_ADDRESS);
    assert_true(ask(a, "0x10..0xffffffffffffffff"));
    place_is(a, 0, 0x10, UINT64_MAX, true, CAIRN_MATCH_RANGE);
    assert_string_equal(a->said, "");
}

static void nothing(void **state)
{
    struct asked *const a = *state;
    static const char begin[] = "cairn flow: --function mian: ";

    bench_symbol(a->bench, "main", BASE + 0x20, 0x20, FUNCTION);
    add(a, "prog", 0);
    assert_false(ask(a, "mian"));
    assert_null(a->places);
    assert_int_equal(a->count, 0);
    assert_int_equal(strncmp(a->said, begin, sizeof begin - 1), 0);
    assert_non_null(strstr(a->said, "main"));
    assert_ptr_equal(strchr(a->said, '\n'), a->said + strlen(a->said) - 1); /* one line */
    assert_false(ask(a, ""));
    assert_false(ask(a, "0x20..0x1f"));
    assert_non_null(strstr(a->said, "cairn flow: --function 0x20..0x1f: "));
}

/* All are meant, in the order of their addresses, and the note says how to mean one. */
static void several(void **state)
{
    struct asked *const a = *state;

    bench_symbol(a->bench, "a.c", 0, 0, SOURCE);
    bench_symbol(a->bench, "helper", BASE + 0x80, 0x10, LOCAL_FUNCTION);
    bench_symbol(a->bench, "b.c", 0, 0, SOURCE);
    bench_symbol(a->bench, "helper", BASE + 0x20, 0x10, LOCAL_FUNCTION);
    add(a, "prog", 0);
    assert_true(ask(a, "helper"));
    assert_int_equal(a->count, 2);
    place_is(a, 0, BASE + 0x20, BASE + 0x30, true, CAIRN_MATCH_FUNCTION);
    place_is(a, 1, BASE + 0x80, BASE + 0x90, true, CAIRN_MATCH_FUNCTION);
    assert_string_equal(a->said,
                        "cairn flow: --function helper: 2 functions are called so, and all are "
                        "meant; one is meant by its address, or as FILE:NAME, FILE the program's, "
                        "a library's or a source file's name:\n"
                        "    0x400020 helper in b.c of prog\n"
                        "    0x400080 helper in a.c of prog\n");
    assert_true(ask(a, "a.c:helper"));
    assert_int_equal(a->count, 1);
    place_is(a, 0, BASE + 0x80, BASE + 0x90, true, CAIRN_MATCH_FUNCTION);
    assert_string_equal(a->said, "");
}

/* Eight are listed, of more it is said how many. */
static void many(void **state)
{
    struct asked *const a = *state;
    size_t lines = 0;

    for (unsigned i = 0; i < 11; i++) {
        static char names[11][8];

        snprintf(names[i], sizeof names[i], "f%u.c", i);
        bench_symbol(a->bench, names[i], 0, 0, SOURCE);
        bench_symbol(a->bench, "helper", BASE + 0x10 * i, 0x10, LOCAL_FUNCTION);
    }
    add(a, "prog", 0);
    assert_true(ask(a, "helper"));
    assert_int_equal(a->count, 11);
    for (const char *line = a->said; (line = strchr(line, '\n')); line++)
        lines++;
    assert_int_equal(lines, 1 + 8 + 1);
    assert_non_null(strstr(a->said, "    0x400070 helper in f7.c of prog\n    and 3 more\n"));
}

static void chosen_when_it_starts(void **state)
{
    struct asked *const a = *state;

    bench_symbol(a->bench, "memcpy", BASE + 0x20, 0x20, CHOOSER);
    add(a, "libc.so", 0);
    assert_true(ask(a, "memcpy"));
    assert_int_equal(a->count, 1);
    assert_string_equal(a->said,
                        "cairn flow: --function memcpy: it is chosen among several when the "
                        "program starts (STT_GNU_IFUNC): what has this name is the code that "
                        "chooses\n");
}

/* A terminal would act on what a file's names have. */
static void control_characters(void **state)
{
    struct asked *const a = *state;

    bench_symbol(a->bench, "a\033[2J.c", 0, 0, SOURCE);
    bench_symbol(a->bench, "helper", BASE + 0x20, 0x10, LOCAL_FUNCTION);
    bench_symbol(a->bench, "b\x7f.c", 0, 0, SOURCE);
    bench_symbol(a->bench, "helper", BASE + 0x40, 0x10, LOCAL_FUNCTION);
    add(a, "prog", 0);
    assert_true(ask(a, "helper"));
    assert_int_equal(a->count, 2);
    assert_non_null(strstr(a->said, "helper in a?[2J.c of prog\n"));
    assert_non_null(strstr(a->said, "helper in b?.c of prog\n"));
}

/* What the listing has so far comes in front of the message. */
static void behind_the_listing(void **state)
{
    struct asked *const a = *state;

    a->session.output = malloc(sizeof *a->session.output);
    assert_non_null(a->session.output);
    cairn_output_init(a->session.output, STDOUT_FILENO);
    memcpy(a->session.output->buffer, "listed\n", 7);
    a->session.output->used = 7;
    assert_false(ask(a, "main"));
    assert_int_equal(strncmp(a->said, "listed\ncairn flow: --function main: ", 36), 0);
    free(a->session.output);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, open_asked, close_asked)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(one_place),
        CASE(the_last_address),
        CASE(nothing),
        CASE(several),
        CASE(many),
        CASE(chosen_when_it_starts),
        CASE(control_characters),
        CASE(behind_the_listing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
