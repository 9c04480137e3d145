/* SPDX-License-Identifier: BSD-2-Clause */
/* What happens when there is no more room: recording stops, what was recorded stays. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorded.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)

enum { CHUNK = 1000, CANNOT_MOUNT = 77 };

/* Records until it cannot; returns the bytes of `one` that were taken, or -1 when that is not as it
 * should be. For children: no assertions. */
static long record_until_full(const char *path, int number)
{
    const struct cairn_recording_options options = {
        .size = sizeof options, .protocol = CAIRN_PROTOCOL_ETE, .core = "ARM-AA64"};
    struct cairn_recording *recording;
    struct cairn_recorded_source *one, *two;
    uint8_t bytes[CHUNK];
    long taken = 0;
    if (cairn_recording_new(path, &options, &recording, NULL) ||
        cairn_recorded_source_new(recording, "one", &one, NULL) ||
        cairn_recorded_source_new(recording, "two", &two, NULL))
        return -1;
    struct cairn_recording_control *control = cairn_recording_control(recording);
    cairn_recording_code(recording, CODE, recorded_loop, 8);
    cairn_status status = CAIRN_OK;
    while (status == CAIRN_OK && taken < 64 << 20) {
        for (unsigned i = 0; i < CHUNK; i++)
            bytes[i] = pattern(1, (uint64_t)taken + i);
        status = cairn_recorded_source_sink(one, bytes, CHUNK);
        taken += status == CAIRN_OK ? CHUNK : 0;
    }
    const bool right = status == CAIRN_E_IO && control->stopped == (uint32_t)number &&
                       control->bytes == (uint64_t)taken &&
                       cairn_recorded_source_sink(one, bytes, 1) == CAIRN_E_IO &&
                       cairn_recorded_source_sink(two, bytes, 1) == CAIRN_E_IO &&
                       cairn_recording_code(recording, 0x9000, bytes, 8) == 0;
    cairn_recording_free(recording);
    return right ? taken : -1;
}

/* The limit on a file's size stands for a full disk; going past it would be a signal. */
static void file_limit(void **state)
{
    const struct folder *folder = *state;
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    const pid_t child = fork();
    if (!child) {
        const struct rlimit limit = {700 * 1000, 700 * 1000};
        setrlimit(RLIMIT_FSIZE, &limit);
        const long taken = record_until_full(record_path(folder), EFBIG);
        _exit(taken < 0 || write(pipes[1], &taken, sizeof taken) != sizeof taken);
    }
    int status = -1;
    long taken = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(read(pipes[0], &taken, sizeof taken), sizeof taken);
    close(pipes[0]);
    close(pipes[1]);
    assert_in_range(taken, 600 * 1000, 700 * 1000);
    const struct cairn_recording_result result = finish_ok(folder);
    assert_int_equal(result.stopped, EFBIG);
    assert_int_equal(result.bytes, taken);
    struct cairn_capture *capture = open_ok(record_path(folder), NULL);
    assert_int_equal(check_pattern(capture, 0, 1), taken);
    assert_int_equal(memory_at(capture, 0, CODE + 3), 0x91);
    assert_int_equal(memory_at(capture, 0, 0x9000), -1);
    cairn_capture_free(capture);
}

/* A file system of the child's own, of `size` bytes. */
static bool mount_small(const char *path, const char *size)
{
    char text[64];
    if (unshare(CLONE_NEWNS) != 0) {
        const unsigned user = getuid(), group = getgid();
        if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
            return false;
        FILE *map = fopen("/proc/self/uid_map", "w");
        if (!map || fprintf(map, "0 %u 1", user) < 0 || fclose(map) != 0)
            return false;
        map = fopen("/proc/self/setgroups", "w");
        if (map) {
            fputs("deny", map);
            fclose(map);
        }
        map = fopen("/proc/self/gid_map", "w");
        if (map) {
            fprintf(map, "0 %u 1", group);
            fclose(map);
        }
    }
    snprintf(text, sizeof text, "size=%s", size);
    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
    return mkdir(path, 0777) == 0 && mount("tmpfs", path, "tmpfs", 0, text) == 0;
}

/* A disk that is really full, while recording and then for the snapshot's files. */
static void full_disk(void **state)
{
    const struct folder *folder = *state;
    char disk[300], path[320];
    snprintf(disk, sizeof disk, "%s", folder_path(folder, "disk"));
    snprintf(path, sizeof path, "%s/record", disk);
    fflush(NULL);
    const pid_t child = fork();
    if (!child) {
        struct cairn_recording_result result;
        if (!mount_small(disk, "1m"))
            _exit(CANNOT_MOUNT);
        const long taken = record_until_full(path, ENOSPC);
        if (taken < 500 * 1000)
            _exit(1);
        if (cairn_recording_finish(path, NULL, &result, NULL) != CAIRN_OK ||
            result.bytes != (uint64_t)taken || result.stopped != ENOSPC)
            _exit(2);
        struct cairn_capture *capture = open_ok(path, NULL);
        if (check_pattern(capture, 0, 1) != (uint64_t)taken ||
            memory_at(capture, 0, CODE + 3) != 0x91)
            _exit(3);
        cairn_capture_free(capture);
        _exit(0);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT_MOUNT) {
        print_message("# skipped: no file system can be mounted here\n");
        skip();
    }
    assert_int_equal(status, 0);
}

/* No room for the first source: what stopped it is told, and nothing has to be written. */
static void no_room_for_a_source(void **state)
{
    const struct folder *folder = *state;
    fflush(NULL);
    const pid_t child = fork();
    if (!child) {
        struct cairn_recording *recording = record_new(folder);
        const struct rlimit none = {0, 0};
        struct cairn_recording_result result = {.sources = 1};
        struct cairn_recorded_source *source = NULL;
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &none);
        if (cairn_recorded_source_new(recording, "one", &source, NULL) != CAIRN_E_IO)
            _exit(1);
        cairn_recording_free(recording);
        if (cairn_recording_finish(record_path(folder), NULL, &result, NULL) != CAIRN_OK)
            _exit(2);
        _exit(result.sources == 0 && result.stopped == EFBIG ? 0 : 3);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* Nor is there room for the snapshot: an error, and done again with room it works. */
static void no_room_to_finish(void **state)
{
    const struct folder *folder = *state;
    struct cairn_recording *recording = record_new(folder);
    struct cairn_recorded_source *one = record_source(recording, "one");
    record_describe(one);
    record_pattern(one, 1, 0, 5000);
    for (uint64_t i = 0; i < 4096; i++)
        cairn_recording_code(recording, CODE + 16 * i, recorded_loop, 8);
    cairn_recording_free(recording);
    for (rlim_t most = 0; most < 256 << 10; most = most * 2 + 1000) {
        const pid_t child = fork();
        if (!child) {
            const struct rlimit limit = {most, most};
            struct cairn_error error = {0};
            signal(SIGXFSZ, SIG_IGN);
            setrlimit(RLIMIT_FSIZE, &limit);
            const cairn_status status =
                cairn_recording_finish(record_path(folder), NULL, NULL, &error);
            _exit(status == CAIRN_OK ? 1 : !strstr(error.text, "cannot be written"));
        }
        int status = -1;
        assert_int_equal(waitpid(child, &status, 0), child);
        if (status == 0)
            continue;
        assert_int_equal(WEXITSTATUS(status), 1);
        assert_true(most > 100 << 10); /* 4096 sections [dump] do not fit in less */
        break;
    }
    if (access(folder_path(folder, "record/recording.ctl"), F_OK) == 0)
        assert_int_equal(finish_ok(folder).code_bytes, 4096 * 8);
    struct cairn_capture *capture = open_finished(folder);
    assert_int_equal(check_pattern(capture, 0, 1), 5000);
    assert_int_equal(memory_at(capture, 0, CODE + 16 * 4095 + 7), 0x17);
    cairn_capture_free(capture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(file_limit),
        TEST(full_disk),
        TEST(no_room_for_a_source),
        TEST(no_room_to_finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
