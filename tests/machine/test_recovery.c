/* SPDX-License-Identifier: BSD-2-Clause */
/* Recordings that did not end in order: killed at any moment, cut short, damaged. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/journal.h"
#include "recorded.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)

/* ---- killed ---- */

enum { CHUNK = 997, CODES = 4096 };

/* The instruction at a place in code that changes all the time, by how often it did. */
static void code_of(uint64_t version, uint8_t bytes[8])
{
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = pattern(99, version * 8 + i);
}

/* Records until it is killed. */
static void record_for_ever(struct cairn_recording *recording)
{
    struct cairn_recorded_source *one, *two;
    if (cairn_recorded_source_new(recording, "one", &one, NULL) ||
        cairn_recorded_source_new(recording, "two", &two, NULL))
        _exit(1);
    for (uint64_t i = 0;; i++) {
        uint8_t bytes[CHUNK], code[8];
        for (unsigned j = 0; j < CHUNK; j++)
            bytes[j] = pattern(1, i * CHUNK + j);
        code_of(i / 16, code);
        const uint64_t epoch = cairn_recording_code(recording, CODE, code, 8);
        cairn_recording_code(recording, 0x100000 + 16 * (i % CODES), recorded_loop, 8);
        if (cairn_recorded_source_epoch(one, epoch, i * CHUNK) ||
            cairn_recorded_source_sink(one, bytes, CHUNK) ||
            cairn_recorded_source_sink(two, bytes, 1))
            _exit(1);
        atomic_fetch_add(&cairn_recording_control(recording)->instructions, 1);
    }
}

static void check_killed(const struct folder *folder, uint64_t least)
{
    const struct cairn_recording_result result = finish_ok(folder);
    assert_int_equal(result.sources, 2);
    assert_false(result.finished);
    assert_int_equal(result.stopped, 0);
    struct cairn_capture *capture = open_ok(record_path(folder), NULL);
    const uint64_t bytes = check_pattern(capture, 0, 1);
    assert_true(bytes >= least);
    assert_int_equal(bytes % CHUNK, 0);
    assert_int_equal(memory_at(capture, 0, 0x100000), 0x00);
    struct cairn_space *space;
    assert_int_equal(cairn_space_new(cairn_capture_image(capture), &space), CAIRN_OK);
    for (uint64_t i = 0; i < bytes / CHUNK; i += 7) {
        const struct cairn_place place = {.security = CAIRN_NONSECURE, .offset = i * CHUNK};
        struct cairn_window window;
        uint8_t code[8];
        code_of(i / 16, code);
        assert_int_equal(cairn_space_select(space, &place), CAIRN_OK);
        assert_true(cairn_space_window(space, CODE, &window));
        assert_memory_equal(window.bytes, code, 8);
    }
    cairn_space_free(space);
    cairn_capture_free(capture);
}

static void killed(void **state)
{
    const struct folder *folder = *state;
    for (uint64_t least = 1; least < 3 << 20; least = least * 3 + 5) {
        struct cairn_recording *recording = record_new(folder);
        struct cairn_recording_control *control = cairn_recording_control(recording);
        const pid_t child = fork();
        if (!child)
            record_for_ever(recording);
        /* a byte more or less each of `two`: the moments of death differ */
        while (control->bytes < least && waitpid(child, NULL, WNOHANG) == 0)
            usleep(100);
        kill(child, SIGKILL);
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        assert_true(control->bytes >= least);
        const uint64_t last = control->bytes;
        cairn_recording_free(recording);
        check_killed(folder, least > CHUNK ? least - least / CHUNK - CHUNK : 0);
        assert_true(last >= least);
    }
}

/* The recording process is gone before it has a source. */
static void killed_at_once(void **state)
{
    const struct folder *folder = *state;
    cairn_recording_free(record_new(folder));
    const struct cairn_recording_result result = finish_ok(folder);
    assert_int_equal(result.sources, 0);
    assert_int_equal(result.bytes, 0);
    struct cairn_capture *capture = open_ok(record_path(folder), NULL);
    assert_int_equal(remarks_with(capture, CAIRN_PROBLEM, "no trace buffer"), 1);
    cairn_capture_free(capture);
}

/* ---- damaged ---- */

struct left {
    uint8_t *ctl, *code;
    size_t ctl_size, code_size; /* that are used */
};

/* A small recording with all there is: two sources, registers, an epoch. */
static struct left leave(const struct folder *folder)
{
    struct left left;
    struct cairn_recording *recording = record_new(folder);
    struct cairn_recorded_source *one = record_source(recording, "one");
    record_describe(one);
    record_describe(record_source(recording, "two"));
    cairn_recording_code(recording, CODE, recorded_loop, 8);
    record_bytes(one, recorded_start, sizeof recorded_start);
    cairn_recording_code(recording, CODE, recorded_self, 4);
    assert_int_equal(cairn_recorded_source_epoch(one, 1, 24), CAIRN_OK);
    record_bytes(one, (const uint8_t[]){ATOM_E}, 1);
    const size_t code_size = (size_t)cairn_recording_control(recording)->code_bytes;
    cairn_recording_free(recording);
    left.ctl = read_whole(folder_path(folder, "record/" CAIRN_JOURNAL_CTL), &left.ctl_size);
    left.code = read_whole(folder_path(folder, "record/" CAIRN_JOURNAL_CODE), &left.code_size);
    left.ctl_size = sizeof(struct cairn_journal_head) + 2 * sizeof(struct cairn_journal_row);
    left.code_size = code_size;
    return left;
}

static void forget(struct left *left)
{
    free(left->ctl);
    free(left->code);
}

/* Finishes these files: a snapshot that opens, or an error that says something. Returns the
 * sources, or -1. */
static int finish_any(const struct folder *folder, const struct left *left, size_t ctl_size,
                      size_t code_size)
{
    uint8_t trace[25];
    memcpy(trace, recorded_start, sizeof recorded_start);
    trace[24] = ATOM_E;
    folder_write(folder, "record/one.bin", trace, sizeof trace);
    folder_write(folder, "record/two.bin", trace, 0);
    folder_write(folder, "record/" CAIRN_JOURNAL_CTL, left->ctl, ctl_size);
    folder_write(folder, "record/" CAIRN_JOURNAL_CODE, left->code, code_size);
    struct cairn_recording_result result = {0};
    struct cairn_error error = {0};
    if (cairn_recording_finish(record_path(folder), NULL, &result, &error) != CAIRN_OK) {
        assert_int_not_equal(error.text[0], 0);
        return -1;
    }
    assert_true(result.sources <= 2);
    assert_true(result.bytes <= sizeof trace);
    struct cairn_capture *capture = open_ok(record_path(folder), NULL);
    assert_int_equal(cairn_capture_source_count(capture), result.sources);
    size_t size;
    for (size_t i = 0; i < result.sources; i++)
        free(read_source(capture, i, &size));
    cairn_capture_free(capture);
    return (int)result.sources;
}

static void every_byte_flipped(void **state)
{
    const struct folder *folder = *state;
    struct left left = leave(folder);
    static const uint8_t flips[] = {0xff, 0x01, 0x80};
    unsigned whole = 0, errors = 0;
    assert_int_equal(finish_any(folder, &left, left.ctl_size, left.code_size), 2);
    for (size_t i = 0; i < left.ctl_size + left.code_size; i++) {
        uint8_t *byte = i < left.ctl_size ? &left.ctl[i] : &left.code[i - left.ctl_size];
        const size_t note = offsetof(struct cairn_journal_head, note);
        if (i > note + 8 && i < note + CAIRN_JOURNAL_NOTE - 8)
            continue; /* text, all alike */
        const uint8_t before = *byte;
        /* to no other protocol's number, whichever of its bytes is the low one */
        const size_t protocol = offsetof(struct cairn_journal_head, protocol);
        *byte ^= i >= protocol && i < protocol + 4 ? 0xff : flips[i % 3];
        const int sources = finish_any(folder, &left, left.ctl_size, left.code_size);
        whole += sources == 2;
        errors += sources < 0;
        *byte = before;
    }
    /* magic, version, protocol, row size: 16 bytes; what else there is leads to less or to other */
    assert_int_equal(errors, 16);
    assert_true(whole > 0);
    forget(&left);
}

static void every_length(void **state)
{
    const struct folder *folder = *state;
    struct left left = leave(folder);
    const size_t step = getenv("CAIRN_QUICK") ? 7 : 1;
    for (size_t size = 0; size < left.ctl_size; size += step) {
        const size_t head = sizeof(struct cairn_journal_head);
        const int rows = (int)((size - head) / sizeof(struct cairn_journal_row));
        assert_int_equal(finish_any(folder, &left, size, left.code_size), size < head ? -1 : rows);
    }
    for (size_t size = 0; size < left.code_size; size += step)
        assert_int_equal(finish_any(folder, &left, left.ctl_size, size), 2);
    forget(&left);
}

/* A header that tells of more than there is. */
static void impossible_counts(void **state)
{
    const struct folder *folder = *state;
    struct left left = leave(folder);
    struct cairn_journal_head *head = (struct cairn_journal_head *)(void *)left.ctl;
    head->control.code_bytes = UINT64_MAX;
    head->control.sources = UINT64_MAX;
    head->rows[0].bytes = UINT64_MAX;
    head->rows[1].bytes = 1000;
    assert_int_equal(finish_any(folder, &left, left.ctl_size, left.code_size), 2);
    struct cairn_capture *capture = open_finished(folder);
    char ranges[64];
    ranges_of(capture, 0, ranges, sizeof ranges);
    assert_string_equal(ranges, "1@1000 ");
    cairn_capture_free(capture);

    memcpy(head->rows[1].name, "../../x", 8); /* outside */
    assert_int_equal(finish_any(folder, &left, left.ctl_size, left.code_size), 1);
    memcpy(head->rows[1].name, "ONE", 4); /* twice */
    assert_int_equal(finish_any(folder, &left, left.ctl_size, left.code_size), 1);
    memset(head->rows[1].name, 'a', sizeof head->rows[1].name); /* without an end */
    assert_int_equal(finish_any(folder, &left, left.ctl_size, left.code_size), 1);
    memset(head->core, 'a', sizeof head->core);
    memset(head->note, '\n', sizeof head->note);
    assert_int_equal(finish_any(folder, &left, left.ctl_size, left.code_size), 1);
    forget(&left);
}

/* Finishing may itself be killed: as long as recording.ctl is there it can be done again. */
static void finished_twice(void **state)
{
    const struct folder *folder = *state;
    struct left left = leave(folder);
    assert_int_equal(finish_any(folder, &left, left.ctl_size, left.code_size), 2);
    folder_write(folder, "record/" CAIRN_JOURNAL_CTL, left.ctl, left.ctl_size);
    folder_write(folder, "record/" CAIRN_JOURNAL_CODE, left.code, left.code_size);
    assert_int_equal(finish_ok(folder).bytes, 25);
    cairn_capture_free(open_finished(folder));
    struct cairn_error error;
    assert_int_equal(cairn_recording_finish(record_path(folder), NULL, NULL, &error),
                     CAIRN_E_NOT_FOUND);
    assert_non_null(strstr(error.text, "no unfinished recording"));
    /* without the trace of a source, that is left out; without the code, there is no memory */
    folder_write(folder, "record/" CAIRN_JOURNAL_CTL, left.ctl, left.ctl_size);
    remove(folder_path(folder, "record/two.bin"));
    const struct cairn_recording_result result = finish_ok(folder);
    assert_int_equal(result.sources, 1);
    assert_int_equal(result.code_bytes, 0);
    /* links are not followed */
    folder_write(folder, "record/" CAIRN_JOURNAL_CTL, left.ctl, left.ctl_size);
    folder_text(folder, "precious", "as it was");
    remove(folder_path(folder, "record/one.bin"));
    remove(folder_path(folder, "record/memory.bin"));
    assert_int_equal(symlink("../precious", folder_path(folder, "record/one.bin")), 0);
    assert_int_equal(symlink("../precious", folder_path(folder, "record/memory.bin")), 0);
    assert_int_equal(finish_ok(folder).sources, 0);
    size_t size;
    free(read_whole(folder_path(folder, "precious"), &size));
    assert_int_equal(size, 9);
    forget(&left);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(killed),       TEST(killed_at_once),    TEST(every_byte_flipped),
        TEST(every_length), TEST(impossible_counts), TEST(finished_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
