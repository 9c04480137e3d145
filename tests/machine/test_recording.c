/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording that ends in order, and the snapshot that it becomes. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorded.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)

static bool is_there(const struct folder *folder, const char *name)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", record_path(folder), name);
    return access(path, F_OK) == 0;
}

/* Longer than the largest piece that is mapped at once, in parts that do not divide one. */
static void round_trip(void **state)
{
    const struct folder *folder = *state;
    enum { LONG = 9 << 20, PART = 12345 };
    struct cairn_recording *recording = record_new(folder);
    struct cairn_recording_control *control = cairn_recording_control(recording);
    struct cairn_recorded_source *one = record_source(recording, "thread_1");
    struct cairn_recorded_source *two = record_source(recording, "cpu-0.x");
    record_describe(one);
    record_describe(two);
    for (size_t at = 0; at < LONG; at += PART)
        record_pattern(one, 1, at, LONG - at < PART ? LONG - at : PART);
    record_pattern(two, 2, 0, 1);
    record_describe(one); /* and on it goes */
    record_pattern(one, 1, LONG, 3);
    assert_int_equal(control->bytes, LONG + 4);
    assert_int_equal(control->sources, 2);
    assert_int_equal(cairn_recording_code(recording, CODE, recorded_loop, 8), 0);
    assert_int_equal(cairn_recording_code(recording, CODE + 0xffc, recorded_loop, 8), 0);
    control->instructions = 77;
    control->forks = 3;
    control->execs = 2;
    control->finished = 1;
    cairn_recording_free(recording);

    const struct cairn_recording_result result = finish_ok(folder);
    assert_int_equal(result.instructions, 77);
    assert_int_equal(result.bytes, LONG + 4);
    assert_int_equal(result.sources, 2);
    assert_int_equal(result.code_bytes, 16);
    assert_int_equal(result.epochs, 0);
    assert_int_equal(result.forks, 3);
    assert_int_equal(result.execs, 2);
    assert_int_equal(result.stopped, 0);
    assert_true(result.finished);
    assert_false(is_there(folder, "recording.ctl"));
    assert_false(is_there(folder, "recording.code"));
    struct cairn_capture *capture = open_finished(folder);
    assert_int_equal(cairn_capture_source_count(capture), 2);
    const struct cairn_source_info info = source_at(capture, 0);
    assert_string_equal(info.name, "thread_1");
    assert_string_equal(source_at(capture, 1).name, "cpu-0.x");
    assert_string_equal(info.core_type, "ARM-AA64");
    assert_int_equal(info.protocol, CAIRN_PROTOCOL_ETE);
    assert_int_equal(register_of(&info, "TRCDEVARCH") & 0xfff, 0xa13); /* D7.2.31 */
    assert_int_equal(check_pattern(capture, 0, 1), LONG + 3);
    assert_int_equal(check_pattern(capture, 1, 2), 1);
    assert_int_equal(memory_at(capture, 1, CODE + 7), 0x17);
    assert_int_equal(memory_at(capture, 1, CODE + 8), -1);
    assert_int_equal(memory_at(capture, 0, CODE + 0xffb), -1);
    assert_int_equal(memory_at(capture, 0, CODE + 0x1003), 0x17);
    assert_int_equal(memory_at(capture, 0, CODE + 0x1004), -1);
    /* the second is one layer, over the end of a page */
    assert_int_equal(cairn_image_layer_count(cairn_capture_image(capture)), 2);
    cairn_capture_free(capture);
}

static void names(void **state)
{
    const struct folder *folder = *state;
    static const char *const bad[] = {
        "",
        ".",
        "..",
        ".x",
        "a/b",
        "a b",
        "a=b",
        "a\n",
        "Trace",
        "memory",
        "recording",
        "snapshot",
        "core_1",
        "\xc3\xa4",
        "a,b",
        "[a]",
        "a234567890123456789012345678901234567890123456789012345678901234"};
    struct cairn_recording *recording = record_new(folder);
    struct cairn_recorded_source *source;
    struct cairn_error error;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(cairn_recorded_source_new(recording, bad[i], &source, &error),
                         CAIRN_E_ARGUMENT);
    record_source(recording, "a23456789012345678901234567890123456789012345678901234567890123");
    record_source(recording, "One");
    assert_int_equal(cairn_recorded_source_new(recording, "oNE", &source, &error),
                     CAIRN_E_ARGUMENT); /* files, on some systems */
    assert_int_equal(cairn_recording_control(recording)->sources, 2);
    cairn_recording_free(recording);
    assert_int_equal(finish_ok(folder).sources, 2);
}

static cairn_status start(const struct folder *folder, bool overwrite, struct cairn_error *error)
{
    const struct cairn_recording_options options = {
        .size = sizeof options, .protocol = CAIRN_PROTOCOL_ETE, .overwrite = overwrite};
    struct cairn_recording *recording;
    const cairn_status status =
        cairn_recording_new(record_path(folder), &options, &recording, error);
    if (status == CAIRN_OK)
        cairn_recording_free(recording);
    return status;
}

static void folders(void **state)
{
    const struct folder *folder = *state;
    struct cairn_error error;
    struct cairn_recording *recording = record_new(folder);
    record_source(recording, "thread_1");
    record_source(recording, "thread_2");
    cairn_recording_free(recording);

    /* unfinished */
    assert_int_equal(start(folder, false, &error), CAIRN_E_ARGUMENT);
    assert_non_null(strstr(error.text, "earlier recording"));
    assert_true(is_there(folder, "thread_2.bin"));
    folder_text(folder, "record/mine.txt", "notes");
    assert_int_equal(start(folder, true, &error), CAIRN_OK);
    assert_false(is_there(folder, "thread_2.bin"));
    assert_true(is_there(folder, "mine.txt"));

    /* finished */
    recording = record_new(folder);
    record_source(recording, "thread_3");
    cairn_recording_free(recording);
    finish_ok(folder);
    assert_int_equal(start(folder, false, &error), CAIRN_E_ARGUMENT);
    assert_true(is_there(folder, "core_thread_3.ini"));
    assert_int_equal(start(folder, true, &error), CAIRN_OK);
    static const char *const gone[] = {"thread_3.bin", "thread_3.ini", "core_thread_3.ini",
                                       "memory.bin",   "trace.ini",    "snapshot.ini"};
    for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++)
        assert_false(is_there(folder, gone[i]));
    assert_true(is_there(folder, "mine.txt"));

    /* somebody else's */
    folder_text(folder, "record/snapshot.ini", "[snapshot]\nversion=1.0\n[device_list]\n");
    remove(folder_path(folder, "record/recording.ctl"));
    assert_int_equal(start(folder, true, &error), CAIRN_E_ARGUMENT);
    assert_non_null(strstr(error.text, "no recording"));
    assert_true(is_there(folder, "snapshot.ini"));
    struct cairn_recording_result result;
    assert_int_equal(cairn_recording_finish(record_path(folder), NULL, &result, &error),
                     CAIRN_E_NOT_FOUND);

    const struct cairn_recording_options options = {.size = sizeof options,
                                                    .protocol = CAIRN_PROTOCOL_ETE};
    assert_int_equal(cairn_recording_new(folder_path(folder, "a/b"), &options, &recording, &error),
                     CAIRN_E_IO);
    assert_int_equal(
        cairn_recording_new(folder_path(folder, "record/mine.txt"), &options, &recording, &error),
        CAIRN_E_ARGUMENT);
}

/* ---- epochs ---- */

/* Epochs grow with bytes that differ, and only with those. */
static void epochs_count(void **state)
{
    const struct folder *folder = *state;
    struct cairn_recording *recording = record_new(folder);
    struct cairn_recording_control *control = cairn_recording_control(recording);
    assert_int_equal(cairn_recording_code(recording, CODE, recorded_loop, 8), 0);
    const uint64_t size = control->code_bytes;
    assert_int_equal(cairn_recording_code(recording, CODE, recorded_loop, 8), 0);
    assert_int_equal(cairn_recording_code(recording, CODE + 4, recorded_loop + 4, 4), 0);
    assert_int_equal(cairn_recording_code(recording, CODE, recorded_loop, 0), 0);
    assert_int_equal(control->code_bytes, size); /* known already */
    assert_int_equal(cairn_recording_code(recording, CODE + 4, recorded_loop + 4, 4), 0);
    assert_int_equal(cairn_recording_code(recording, CODE, recorded_self, 4), 1);
    assert_int_equal(cairn_recording_epoch(recording), 1);
    assert_int_equal(cairn_recording_code(recording, CODE, recorded_self, 4), 1);
    assert_int_equal(cairn_recording_code(recording, CODE, recorded_loop, 8), 2);
    assert_int_equal(cairn_recording_code(recording, CODE + 0x5000, recorded_loop, 8), 0);
    assert_int_equal(cairn_recording_epoch(recording), 2);
    /* the last bytes there are */
    assert_int_equal(cairn_recording_code(recording, UINT64_MAX - 3, recorded_loop, 8), 0);
    cairn_recording_free(recording);
    const struct cairn_recording_result result = finish_ok(folder);
    assert_int_equal(result.epochs, 2);
    assert_int_equal(result.code_bytes, 8 + 8 + 4);
}

/* A source that goes with the changes, one that came behind them, and one that saw none. */
static void epochs_decode(void **state)
{
    const struct folder *folder = *state;
    const uint8_t atom = ATOM_E;
    char ranges[128];
    struct cairn_recording *recording = record_new(folder);
    struct cairn_recorded_source *one = record_source(recording, "one");
    struct cairn_recorded_source *two = record_source(recording, "two");
    record_describe(one);
    record_describe(two);
    cairn_recording_code(recording, CODE, recorded_loop, 8);
    record_bytes(one, recorded_start, sizeof recorded_start);
    record_bytes(one, &atom, 1);
    record_bytes(two, recorded_start, sizeof recorded_start);
    record_bytes(two, &atom, 1);
    assert_int_equal(cairn_recording_code(recording, CODE, recorded_self, 4), 1);
    assert_int_equal(cairn_recorded_source_epoch(one, 2, 25), CAIRN_E_ARGUMENT); /* not yet */
    assert_int_equal(cairn_recorded_source_epoch(one, 1, 25), CAIRN_OK);
    record_bytes(one, &atom, 1);
    struct cairn_recorded_source *three = record_source(recording, "three");
    record_describe(three);
    record_bytes(three, recorded_start, sizeof recorded_start);
    record_bytes(three, &atom, 1);
    assert_int_equal(cairn_recording_code(recording, CODE, recorded_loop, 8), 2);
    assert_int_equal(cairn_recorded_source_epoch(one, 2, 20), CAIRN_E_ARGUMENT); /* backwards */
    assert_int_equal(cairn_recorded_source_epoch(one, 2, 26), CAIRN_OK);
    assert_int_equal(cairn_recorded_source_epoch(one, 1, 26), CAIRN_OK); /* there already */
    record_bytes(one, &atom, 1);
    assert_int_equal(cairn_recording_code(recording, CODE, recorded_self, 4), 3);
    assert_int_equal(cairn_recording_code(recording, CODE, recorded_loop, 8), 4);
    assert_int_equal(cairn_recorded_source_epoch(three, 4, 25), CAIRN_OK);
    record_bytes(three, &atom, 1);
    cairn_recording_free(recording);

    assert_int_equal(finish_ok(folder).epochs, 4);
    struct cairn_capture *capture = open_finished(folder);
    ranges_of(capture, 0, ranges, sizeof ranges);
    assert_string_equal(ranges, "2@1000 1@1000 2@1000 ");
    ranges_of(capture, 1, ranges, sizeof ranges);
    assert_string_equal(ranges, "2@1000 ");
    ranges_of(capture, 2, ranges, sizeof ranges);
    assert_string_equal(ranges, "1@1000 2@1000 ");
    cairn_capture_free(capture);
}

/* ---- processes and threads ---- */

/* A child of the program leaves the recording alone, whatever it still calls. */
static void abandoned(void **state)
{
    const struct folder *folder = *state;
    struct cairn_recording *recording = record_new(folder);
    struct cairn_recorded_source *source = record_source(recording, "thread_1");
    record_describe(source);
    record_pattern(source, 1, 0, 100);
    cairn_recording_code(recording, CODE, recorded_loop, 8);
    const pid_t child = fork();
    if (!child) {
        struct cairn_recording_control *control = cairn_recording_control(recording);
        struct cairn_recorded_source *other;
        cairn_recording_abandon(recording);
        control->instructions = 99;
        control->forks = 5;
        const bool refused =
            cairn_recorded_source_sink(source, recorded_start, 24) == CAIRN_E_IO &&
            cairn_recorded_source_new(recording, "b", &other, NULL) == CAIRN_E_IO &&
            cairn_recording_code(recording, CODE, recorded_self, 4) == 0 &&
            cairn_recorded_source_epoch(source, 1, 1) != CAIRN_OK;
        cairn_recording_free(recording);
        _exit(refused ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(cairn_recording_control(recording)->instructions, 0);
    assert_int_equal(cairn_recording_control(recording)->forks, 0);
    record_pattern(source, 1, 100, 100);
    cairn_recording_free(recording);
    assert_int_equal(finish_ok(folder).stopped, 0);
    struct cairn_capture *capture = open_finished(folder);
    assert_int_equal(check_pattern(capture, 0, 1), 200);
    assert_int_equal(memory_at(capture, 0, CODE), 0x00);
    cairn_capture_free(capture);
}

enum { THREADS = 8, ROUNDS = 2000, CHUNK = 61 };

struct worker {
    struct cairn_recording *recording;
    unsigned number;
    cairn_status status;
};

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct cairn_recorded_source *source;
    char name[32];
    snprintf(name, sizeof name, "thread_%u", worker->number);
    worker->status = cairn_recorded_source_new(worker->recording, name, &source, NULL);
    for (unsigned i = 0; i < ROUNDS && worker->status == CAIRN_OK; i++) {
        uint8_t bytes[CHUNK];
        for (unsigned j = 0; j < CHUNK; j++)
            bytes[j] = pattern(worker->number, (uint64_t)i * CHUNK + j);
        /* code that all have in common, and some that each changes for itself */
        const uint64_t own = UINT64_C(0x100000) * (worker->number + 1);
        cairn_recording_code(worker->recording, CODE + 8 * i, recorded_loop, 8);
        const uint64_t epoch = cairn_recording_code(
            worker->recording, own, i % 100 < 50 ? recorded_loop : recorded_self, 4);
        worker->status = cairn_recorded_source_epoch(source, epoch, (uint64_t)i * CHUNK);
        if (worker->status == CAIRN_OK)
            worker->status = cairn_recorded_source_sink(source, bytes, CHUNK);
    }
    return NULL;
}

static void threads(void **state)
{
    const struct folder *folder = *state;
    struct worker workers[THREADS];
    pthread_t running[THREADS];
    struct cairn_recording *recording = record_new(folder);
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.recording = recording, .number = i};
        assert_int_equal(pthread_create(&running[i], NULL, work, &workers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(running[i], NULL);
        assert_int_equal(workers[i].status, CAIRN_OK);
    }
    assert_int_equal(cairn_recording_control(recording)->bytes, THREADS * ROUNDS * CHUNK);
    cairn_recording_free(recording);
    const struct cairn_recording_result result = finish_ok(folder);
    assert_int_equal(result.bytes, THREADS * ROUNDS * CHUNK);
    assert_int_equal(result.epochs, THREADS * (ROUNDS / 50 - 1));
    assert_int_equal(result.code_bytes, 8 * ROUNDS + 4 * THREADS);
    struct cairn_capture *capture = open_ok(record_path(folder), NULL);
    for (unsigned i = 0; i < THREADS; i++) {
        unsigned number;
        assert_int_equal(sscanf(source_at(capture, i).name, "thread_%u", &number), 1);
        assert_int_equal(check_pattern(capture, i, number), ROUNDS * CHUNK);
        struct cairn_space *space;
        struct cairn_window window;
        const uint64_t own = UINT64_C(0x100000) * (number + 1);
        assert_int_equal(cairn_space_new(cairn_capture_image(capture), &space), CAIRN_OK);
        for (unsigned round = 0; round < ROUNDS; round += 10) {
            const struct cairn_place place = {
                .source = i, .security = CAIRN_NONSECURE, .offset = (uint64_t)round * CHUNK};
            assert_int_equal(cairn_space_select(space, &place), CAIRN_OK);
            assert_true(cairn_space_window(space, own, &window));
            assert_memory_equal(window.bytes + (own - window.address),
                                round % 100 < 50 ? recorded_loop : recorded_self, 4);
        }
        cairn_space_free(space);
    }
    cairn_capture_free(capture);
}

static void many_sources(void **state)
{
    const struct folder *folder = *state;
    enum { MANY = 300 };
    struct cairn_recording *recording = record_new(folder);
    for (unsigned i = 0; i < MANY; i++) {
        char name[32];
        snprintf(name, sizeof name, "thread_%u", i);
        struct cairn_recorded_source *source = record_source(recording, name);
        record_pattern(source, i, 0, i + 1);
        record_describe(source);
    }
    cairn_recording_code(recording, CODE, recorded_loop, 8);
    cairn_recording_free(recording);
    assert_int_equal(finish_ok(folder).sources, MANY);
    struct cairn_capture *capture = open_finished(folder);
    assert_int_equal(cairn_capture_source_count(capture), MANY);
    for (unsigned i = 0; i < MANY; i++)
        assert_int_equal(check_pattern(capture, i, i), i + 1);
    assert_int_equal(memory_at(capture, MANY - 1, CODE + 3), 0x91);
    cairn_capture_free(capture);
}

/* Up to what a recording holds, which its reader takes. */
static void too_many_sources(void **state)
{
    const struct folder *folder = *state;
    enum { MOST = 4096 };
    struct cairn_recording *recording = record_new(folder);
    struct cairn_recorded_source *source;
    struct cairn_error error;
    cairn_status status = CAIRN_OK;
    unsigned count = 0;
    for (; status == CAIRN_OK; count += status == CAIRN_OK) {
        char name[32];
        snprintf(name, sizeof name, "t%u", count);
        status = cairn_recorded_source_new(recording, name, &source, &error);
    }
    assert_int_equal(status, CAIRN_E_LIMIT);
    assert_int_equal(count, MOST);
    assert_int_equal(cairn_recording_control(recording)->stopped, 0);
    cairn_recording_free(recording);
    assert_int_equal(finish_ok(folder).sources, MOST);
    struct cairn_capture *capture = open_ok(record_path(folder), NULL);
    assert_int_equal(cairn_capture_source_count(capture), MOST);
    assert_string_equal(source_at(capture, MOST - 1).core, "core_t4095");
    cairn_capture_free(capture);
}

/* While somebody records there, nobody else begins, and nobody finishes. */
static void one_at_a_time(void **state)
{
    const struct folder *folder = *state;
    struct cairn_recording_result result;
    struct cairn_error error;
    for (unsigned apart = 0; apart < 2; apart++) {
        struct cairn_recording *recording, *other;
        const struct cairn_recording_options options = {.size = sizeof options,
                                                        .protocol = CAIRN_PROTOCOL_ETE,
                                                        .overwrite = true,
                                                        .apart = apart};
        assert_int_equal(cairn_recording_check(record_path(folder), true, &error), CAIRN_OK);
        assert_int_equal(cairn_recording_new(record_path(folder), &options, &recording, &error),
                         CAIRN_OK);
        record_pattern(record_source(recording, "thread_1"), 1, 0, 100);
        assert_int_equal(cairn_recording_new(record_path(folder), &options, &other, &error),
                         CAIRN_E_ARGUMENT);
        assert_int_equal(cairn_recording_check(record_path(folder), true, NULL), CAIRN_E_ARGUMENT);
        assert_int_equal(cairn_recording_finish(record_path(folder), NULL, &result, &error),
                         CAIRN_E_ARGUMENT);
        cairn_recording_free(recording);
        assert_int_equal(finish_ok(folder).bytes, 100);
        assert_int_equal(cairn_recording_check(record_path(folder), false, NULL), CAIRN_E_ARGUMENT);
    }
    cairn_recording_discard(record_path(folder), false);
    assert_int_equal(access(record_path(folder), F_OK), 0);
    assert_int_equal(cairn_recording_check(record_path(folder), false, &error), CAIRN_OK);
    cairn_recording_discard(record_path(folder), true);
    assert_int_not_equal(access(record_path(folder), F_OK), 0);
}

/* The program may leave itself no descriptor to open a file with. */
static int record_without_descriptors(const struct folder *folder)
{
    enum { LONG = 1 << 20 };
    const struct cairn_recording_options options = {
        .size = sizeof options, .protocol = CAIRN_PROTOCOL_ETE, .overwrite = true, .apart = true};
    struct cairn_recording *recording;
    struct cairn_recorded_source *source;
    struct rlimit limit;
    uint8_t *bytes = calloc(1, LONG);
    cairn_status status = cairn_recording_new(record_path(folder), &options, &recording, NULL);
    if (status != CAIRN_OK || !bytes || getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 1;
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = STDERR_FILENO + 1;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 2;
    status = cairn_recorded_source_new(recording, "thread_1", &source, NULL);
    if (status == CAIRN_OK)
        status = cairn_recorded_source_sink(source, bytes, LONG);
    limit.rlim_cur = before;
    free(bytes);
    return setrlimit(RLIMIT_NOFILE, &limit) == 0 && status == CAIRN_OK ? 0 : 3;
}

static void apart(void **state)
{
    const struct folder *folder = *state;
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(unshare(CLONE_FILES | CLONE_FS) != 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status != 0) {
        print_message("# skipped: only root may unshare its descriptors here\n");
        skip();
    }
    child = fork();
    if (child == 0)
        _exit(record_without_descriptors(folder));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(finish_ok(folder).bytes, 1 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(round_trip),       TEST(names),         TEST(folders), TEST(epochs_count),
        TEST(epochs_decode),    TEST(abandoned),     TEST(threads), TEST(many_sources),
        TEST(too_many_sources), TEST(one_at_a_time), TEST(apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
