/* SPDX-License-Identifier: BSD-2-Clause */
/* Which files a recording's code is from, and what its snapshot says of the program. */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../image/elf_maker.h"
#include "machine/mapped.h"
#include "recorded.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)

static void map(struct cairn_recording *recording, uint64_t address, const char *path,
                uint64_t epoch)
{
    const struct cairn_recorded_file file = {.address = address,
                                             .length = 0x100,
                                             .offset = MAKER_CONTENT,
                                             .executed = address + 8,
                                             .path = path};
    assert_int_equal(cairn_recording_mapped(recording, &file), epoch);
}

static const char *write_elf(const struct folder *folder, const char *name, const uint8_t *id)
{
    struct maker maker;
    maker_begin(&maker, true, false, EM_AARCH64, 0x400000);
    maker.symbols[maker.symbol_count++] =
        (struct maker_symbol){"work", 0x400000, 0x100, STB_GLOBAL << 4 | STT_FUNC, 1};
    maker.build_id = id;
    maker.build_id_size = id ? 4 : 0;
    maker_write(&maker);
    const char *path = folder_path(folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(maker.bytes, 1, maker.size, file), maker.size);
    fclose(file);
    return path;
}

static const char *name_at(const struct cairn_capture *capture, uint32_t source, uint64_t offset)
{
    static char text[64];
    const struct cairn_place place = {
        .source = source, .security = CAIRN_NONSECURE, .offset = offset};
    struct cairn_symbol symbol = {.size = sizeof symbol};
    struct cairn_space *space;
    assert_int_equal(
        cairn_space_new(cairn_capture_image((struct cairn_capture *)(uintptr_t)capture), &space),
        CAIRN_OK);
    assert_int_equal(cairn_space_select(space, &place), CAIRN_OK);
    const bool named =
        cairn_symbolize(space, CODE + 4, &symbol) == CAIRN_OK && symbol.function != NULL;
    const char *object = named ? strrchr(symbol.object, '/') + 1 : "-";
    snprintf(text, sizeof text, "%s", object);
    cairn_space_free(space);
    return text;
}

/* Which files the code is from: at first one, then another in its place, then one that is not what it
 * was. */
static void modules(void **state)
{
    static const uint8_t ids[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 9, 9, 9}};
    const struct folder *folder = *state;
    char *first = strdup(write_elf(folder, "first.elf", ids[0]));
    char *second = strdup(write_elf(folder, "second.elf", ids[1]));
    char *words[] = {(char[]){"./first.elf"}, (char[]){"a b"}, NULL};
    const struct cairn_recorded_program program = {
        .path = first, .arguments = words, .exit_status = 139};
    struct cairn_recording *recording = record_new(folder);
    struct cairn_recorded_source *one = record_source(recording, "thread_1");
    struct cairn_recorded_source *two = record_source(recording, "thread_2");
    struct cairn_module_info module = {.size = sizeof module};
    struct cairn_program_info told = {.size = sizeof told};
    record_describe(one);
    record_describe(two);
    record_pattern(one, 1, 0, 100);
    map(recording, CODE, first, 0);
    map(recording, CODE, first, 0);            /* again */
    map(recording, CODE + 0x100000, first, 0); /* twice in memory */
    map(recording, CODE, second, 1);
    map(recording, CODE, second, 1);
    assert_int_equal(cairn_recording_epoch(recording), 1);
    assert_int_equal(cairn_recorded_source_epoch(one, 1, 60), CAIRN_OK);
    record_pattern(two, 2, 0, 50); /* never comes to epoch 1 */
    cairn_recording_free(recording);
    assert_int_equal(cairn_recording_finish(record_path(folder), &program, NULL, NULL), CAIRN_OK);

    struct cairn_capture *capture = open_finished(folder);
    assert_int_equal(cairn_capture_program(capture, &told), CAIRN_OK);
    assert_string_equal(told.path, first);
    assert_int_equal(told.argument_count, 2);
    assert_string_equal(told.arguments[1], "a b");
    assert_int_equal(told.exit_status, 139);
    assert_int_equal(cairn_capture_module_count(capture), 3);
    assert_int_equal(cairn_capture_module(capture, 0, &module), CAIRN_OK);
    assert_string_equal(module.path, first);
    assert_string_equal(module.file, first);
    assert_string_equal(module.build_id, "01020304");
    assert_true(module.bias == CODE - UINT64_C(0x400000));
    assert_int_equal(module.address, CODE);
    assert_int_equal(module.length, 0x100);
    assert_int_equal(module.state, CAIRN_MODULE_USED);
    assert_int_equal(cairn_capture_module(capture, 3, &module), CAIRN_E_NOT_FOUND);
    assert_string_equal(name_at(capture, 0, 59), "first.elf");
    assert_string_equal(name_at(capture, 0, 60), "second.elf");
    assert_string_equal(name_at(capture, 1, 0), "first.elf");
    assert_string_equal(name_at(capture, 1, 49), "first.elf");
    cairn_capture_free(capture);

    struct cairn_remark remark;
    write_elf(folder, "first.elf", ids[2]);
    unlink(second);
    capture = open_ok(record_path(folder), NULL);
    assert_int_equal(cairn_capture_module(capture, 0, &module), CAIRN_OK);
    assert_int_equal(module.state, CAIRN_MODULE_CHANGED);
    assert_null(module.file);
    assert_int_equal(cairn_capture_remark(capture, 0, &remark), CAIRN_OK);
    assert_non_null(strstr(remark.text, "first.elf has changed since it was recorded"));
    assert_int_equal(cairn_capture_module(capture, 2, &module), CAIRN_OK);
    assert_int_equal(module.state, CAIRN_MODULE_MISSING);
    assert_string_equal(name_at(capture, 0, 59), "-");
    assert_string_equal(name_at(capture, 0, 60), "-");
    cairn_capture_free(capture);
    free(first);
    free(second);
}

/* A file is what it was when it was mapped, whatever has its place by the end: one that is replaced and loaded again,
 * at another address and at the same one; and one that is removed. Without a build-id nobody could tell. */
static void replaced(void **state)
{
    static const uint8_t ids[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    const struct folder *folder = *state;
    const struct timespec earlier[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    char *plugin = strdup(write_elf(folder, "plugin.so", ids[0]));
    char *nameless = strdup(write_elf(folder, "nameless.so", NULL));
    char *removed = strdup(write_elf(folder, "removed.so", ids[0]));
    struct cairn_recording_result result;
    struct cairn_module_info module = {.size = sizeof module};
    struct cairn_recording *recording = record_new(folder);
    struct cairn_recorded_source *one = record_source(recording, "thread_1");
    record_describe(one);
    record_pattern(one, 1, 0, 100);
    assert_int_equal(utimensat(AT_FDCWD, plugin, earlier, 0), 0);
    assert_int_equal(utimensat(AT_FDCWD, nameless, earlier, 0), 0);
    map(recording, CODE, plugin, 0);
    map(recording, CODE + 0x100000, nameless, 0);
    map(recording, CODE + 0x200000, removed, 0);
    write_elf(folder, "plugin.so", ids[1]);
    write_elf(folder, "nameless.so", NULL);
    unlink(removed);
    map(recording, CODE, plugin, 1);
    map(recording, CODE, plugin, 1); /* again */
    map(recording, CODE + 0x300000, plugin, 0);
    map(recording, CODE + 0x400000, nameless, 0);
    assert_int_equal(cairn_recorded_source_epoch(one, 1, 60), CAIRN_OK);
    cairn_recording_free(recording);
    assert_int_equal(cairn_recording_finish(record_path(folder), NULL, &result, NULL), CAIRN_OK);
    assert_int_equal(result.gone, 1);

    static const struct {
        uint64_t address;
        const char *build_id;
        enum cairn_module_state state;
    } expected[] = {{CODE, "01020304", CAIRN_MODULE_CHANGED},
                    {CODE + 0x200000, "01020304", CAIRN_MODULE_MISSING},
                    {CODE, "05060708", CAIRN_MODULE_USED},
                    {CODE + 0x300000, "05060708", CAIRN_MODULE_USED},
                    {CODE + 0x400000, NULL, CAIRN_MODULE_USED}};
    struct cairn_capture *capture = open_ok(record_path(folder), NULL);
    assert_int_equal(cairn_capture_module_count(capture), 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(cairn_capture_module(capture, i, &module), CAIRN_OK);
        assert_int_equal(module.address, expected[i].address);
        assert_int_equal(module.state, expected[i].state);
        if (expected[i].build_id)
            assert_string_equal(module.build_id, expected[i].build_id);
        else
            assert_null(module.build_id);
    }
    assert_string_equal(name_at(capture, 0, 59), "-");
    assert_string_equal(name_at(capture, 0, 60), "plugin.so");
    cairn_capture_free(capture);
    free(plugin);
    free(nameless);
    free(removed);
}

/* Firmware runs where its file says; a recording without a program has no program.ini. */
static void firmware(void **state)
{
    static const uint8_t id[4] = {1, 2, 3, 4};
    const struct folder *folder = *state;
    char *file = strdup(write_elf(folder, "firmware.elf", id));
    const struct cairn_recorded_program program = {.path = file, .exit_status = -1, .alone = true};
    struct cairn_program_info told = {.size = sizeof told};
    struct cairn_module_info module = {.size = sizeof module};
    for (unsigned known = 0; known < 2; known++) {
        struct cairn_recording *recording = record_new(folder);
        record_describe(record_source(recording, "cpu0"));
        cairn_recording_free(recording);
        assert_int_equal(
            cairn_recording_finish(record_path(folder), known ? &program : NULL, NULL, NULL),
            CAIRN_OK);
        struct cairn_capture *capture = open_finished(folder);
        assert_int_equal(cairn_capture_program(capture, &told),
                         known ? CAIRN_OK : CAIRN_E_NOT_FOUND);
        assert_int_equal(cairn_capture_module_count(capture), known);
        if (known) {
            assert_int_equal(told.exit_status, -1);
            assert_int_equal(cairn_capture_module(capture, 0, &module), CAIRN_OK);
            assert_true(module.bias == 0 && module.length == 0 &&
                        module.state == CAIRN_MODULE_USED);
        }
        cairn_capture_free(capture);
    }
    free(file);
}

/* Firmware that is built anew while it runs is what it was when it was loaded; without a build-id nothing tells what is there
 * from it. */
static void firmware_built_anew(void **state)
{
    static const uint8_t ids[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    const struct folder *folder = *state;
    for (unsigned known = 0; known < 2; known++) {
        struct cairn_module_info module = {.size = sizeof module};
        struct cairn_recording_result result = {0};
        struct cairn_journal_file loaded;
        char *const file = strdup(write_elf(folder, "anew.elf", known ? ids[0] : NULL));
        assert_non_null(file);
        cairn_mapped_look_at(file, &loaded);
        const struct cairn_recorded_program program = {
            .path = file, .exit_status = 0, .alone = true, .file = &loaded};
        struct cairn_recording *recording = record_new(folder);
        record_describe(record_source(recording, "cpu0"));
        assert_int_equal(unlink(file), 0);
        assert_string_equal(write_elf(folder, "anew.elf", ids[1]), file);
        cairn_recording_free(recording);
        assert_int_equal(cairn_recording_finish(record_path(folder), &program, &result, NULL),
                         CAIRN_OK);
        struct cairn_capture *capture;
        assert_int_equal(cairn_capture_open(record_path(folder), NULL, &capture, NULL), CAIRN_OK);
        assert_int_equal(cairn_capture_module_count(capture), known);
        if (known) {
            assert_int_equal(cairn_capture_module(capture, 0, &module), CAIRN_OK);
            assert_string_equal(module.build_id, "01020304");
            assert_int_equal(module.state, CAIRN_MODULE_CHANGED);
        }
        cairn_capture_free(capture);
        free(file);
    }
}

/* What a snapshot may say of modules that cannot be: a remark, and no names. */
static void modules_that_cannot_be(void **state)
{
    static const uint8_t id[4] = {1, 2, 3, 4};
    static const struct {
        const char *text, *remark;
    } cases[] = {
        {"[module1]\nbias=0\n", "a module without a path"},
        {"[module1]\npath=%s\nbias=much\n", "a number that cannot be read"},
        {"[module1]\npath=%s\nbias=0\nrange(cpu0)=5-4\n", "a number that cannot be read"},
        {"[module1]\npath=%s.gone\nbias=0\n", "is not there any more"},
        {"[module1]\npath=%s\nbias=0\nbuild_id=00\n", "has changed since it was recorded"},
        {"[module1]\npath=%s\nbias=0\naddress=0xffffffffffffffff\nlength=2\n", "cannot be what"},
        {"what is this\n", "is neither [section] nor key=value"},
    };
    const struct folder *folder = *state;
    char *file = strdup(write_elf(folder, "file.elf", id));
    const struct cairn_recorded_program program = {.path = file, .exit_status = -1};
    struct cairn_recording *recording = record_new(folder);
    record_describe(record_source(recording, "cpu0"));
    cairn_recording_free(recording);
    assert_int_equal(cairn_recording_finish(record_path(folder), &program, NULL, NULL), CAIRN_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024];
        struct cairn_remark remark;
        const char *at = strstr(cases[i].text, "%s");
        snprintf(text, sizeof text, "%.*s%s%s", at ? (int)(at - cases[i].text) : 1000,
                 cases[i].text, at ? file : "", at ? at + 2 : "");
        folder_text(folder, "record/program.ini", text);
        struct cairn_capture *capture = open_ok(record_path(folder), NULL);
        assert_int_equal(cairn_capture_remark(capture, 0, &remark), CAIRN_OK);
        if (!strstr(remark.text, cases[i].remark))
            fail_msg("%s: %s", cases[i].remark, remark.text);
        cairn_capture_free(capture);
    }
    /* A source that is not there: the module is named nowhere, and that is no reason for a word. */
    char text[1024];
    snprintf(text, sizeof text, "[module1]\npath=%s\nbias=0\nrange(cpu7)=0\n", file);
    folder_text(folder, "record/program.ini", text);
    struct cairn_capture *capture = open_finished(folder);
    assert_int_equal(cairn_capture_module_count(capture), 1);
    cairn_capture_free(capture);
    char path[600];
    snprintf(path, sizeof path, "%s/program.ini", record_path(folder));
    unlink(path);
    capture = open_ok(record_path(folder), NULL);
    assert_int_equal(remarks_with(capture, CAIRN_WARNING, "it cannot be read"), 1);
    cairn_capture_free(capture);
    free(file);
}

/* What a snapshot tells of where a program ran, and of its threads: the last name of each counts, and
 * a thread without one has the program's, cut as the system cuts it. */
static void surroundings(void **state)
{
    static const uint8_t id[4] = {1, 2, 3, 4};
    const struct folder *folder = *state;
    char *file = strdup(write_elf(folder, "a_program_with_a_long_name", id));
    char *variables[] = {(char[]){"LANG=C"}, (char[]){"TZ=UTC"}, NULL};
    const struct cairn_recorded_program program = {.path = file,
                                                   .exit_status = 139,
                                                   .signal = "SIGSEGV",
                                                   .host = "Linux 6.1 on x86_64",
                                                   .guest = "qemu-aarch64: version 7.2",
                                                   .folder = "/home/me",
                                                   .environment = variables};
    struct cairn_program_info told = {.size = sizeof told};
    struct cairn_source_info source = {.size = sizeof source};
    struct cairn_recording *recording = record_new(folder);
    struct cairn_recorded_source *sources[3];
    for (unsigned i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "thread_%u", i);
        sources[i] = record_source(recording, name);
        record_describe(sources[i]);
    }
    assert_int_equal(cairn_recorded_source_thread(sources[0], 4711, ""), CAIRN_OK);
    assert_int_equal(cairn_recorded_source_thread(sources[1], 4712, "first"), CAIRN_OK);
    assert_int_equal(cairn_recorded_source_thread(sources[1], 4712, "a_name_that_is_too_long"),
                     CAIRN_OK);
    cairn_recording_free(recording);
    assert_int_equal(cairn_recording_finish(record_path(folder), &program, NULL, NULL), CAIRN_OK);

    struct cairn_capture *capture = open_finished(folder);
    assert_int_equal(cairn_capture_program(capture, &told), CAIRN_OK);
    assert_string_equal(told.signal, "SIGSEGV");
    assert_string_equal(told.host, "Linux 6.1 on x86_64");
    assert_string_equal(told.guest, "qemu-aarch64: version 7.2");
    assert_string_equal(told.folder, "/home/me");
    assert_int_equal(strncmp(told.recorder, "cairn ", 6), 0);
    assert_int_equal(told.environment_count, 2);
    assert_string_equal(told.environment[1], "TZ=UTC");
    assert_int_equal(cairn_capture_source(capture, 0, &source), CAIRN_OK);
    assert_int_equal(source.thread_id, 4711);
    assert_string_equal(source.thread_name, "a_program_with_"); /* 15, as in TASK_COMM_LEN */
    assert_int_equal(cairn_capture_source(capture, 1, &source), CAIRN_OK);
    assert_int_equal(source.thread_id, 4712);
    assert_string_equal(source.thread_name, "a_name_that_is_");
    assert_int_equal(cairn_capture_source(capture, 2, &source), CAIRN_OK);
    assert_int_equal(source.thread_id, 0);
    assert_null(source.thread_name);
    cairn_capture_free(capture);
    free(file);
}

/* Whatever a file is called, and whatever its arguments are, they come back. */
static void odd_names(void **state)
{
    static const uint8_t id[4] = {1, 2, 3, 4};
    static const char *const names[] = {
        "blank behind ", " in front", "two\nlines", "a #b",    "a\t;b", "#all",     "\"both\"",
        "'q' and more",  "%20%0a",    "100%",       "equals=", "[s]",   "\x01\x7f", "caf\xc3\xa9"};
    const struct folder *folder = *state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *file = strdup(write_elf(folder, names[i], id));
        char *words[] = {file, (char *)(uintptr_t)names[i], (char[]){""}, NULL};
        const struct cairn_recorded_program program = {
            .path = file, .arguments = words, .exit_status = 0, .folder = file};
        struct cairn_program_info told = {.size = sizeof told};
        struct cairn_module_info module = {.size = sizeof module};
        struct cairn_recording *recording = record_new(folder);
        record_describe(record_source(recording, "thread_1"));
        map(recording, CODE, file, 0);
        cairn_recording_free(recording);
        assert_int_equal(cairn_recording_finish(record_path(folder), &program, NULL, NULL),
                         CAIRN_OK);
        struct cairn_capture *capture = open_finished(folder);
        assert_int_equal(cairn_capture_program(capture, &told), CAIRN_OK);
        assert_string_equal(told.path, file);
        assert_string_equal(told.folder, file);
        assert_int_equal(told.argument_count, 3);
        assert_string_equal(told.arguments[1], names[i]);
        assert_string_equal(told.arguments[2], "");
        assert_int_equal(cairn_capture_module(capture, 0, &module), CAIRN_OK);
        assert_string_equal(module.path, file);
        assert_int_equal(module.state, CAIRN_MODULE_USED);
        cairn_capture_free(capture);
        cairn_recording_discard(record_path(folder), true);
        free(file);
    }
}

/* Where files of a recording are looked for, and which of two counts. */
static void search(void **state)
{
    static const uint8_t ids[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    const struct folder *folder = *state;
    char *file = strdup(write_elf(folder, "file.elf", ids[0]));
    char *top = strdup(folder_path(folder, "debug"));
    const char *const tops[] = {top};
    const struct cairn_recorded_program program = {
        .path = file, .exit_status = 0, .embed = true, .alone = true};
    struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;
    struct cairn_module_info module = {.size = sizeof module};
    struct cairn_recording_result result;
    struct cairn_recording *recording = record_new(folder);
    record_describe(record_source(recording, "cpu0"));
    cairn_recording_free(recording);
    assert_int_equal(cairn_recording_finish(record_path(folder), &program, &result, NULL),
                     CAIRN_OK);
    assert_int_equal(result.copied, 1);
    assert_int_equal(result.not_copied, 0);

    /* the copy, also when the file is another one by now */
    write_elf(folder, "file.elf", ids[1]);
    struct cairn_capture *capture = open_finished(folder);
    assert_int_equal(cairn_capture_module(capture, 0, &module), CAIRN_OK);
    assert_int_equal(module.state, CAIRN_MODULE_USED);
    assert_string_equal(strrchr(module.file, '/'), "/module1-file.elf.debug");
    cairn_capture_free(capture);

    /* a damaged copy is no file of it, and another place is looked at */
    folder_text(folder, "record/module1-file.elf.debug", "no ELF file");
    assert_int_equal(mkdir(top, 0777), 0);
    write_elf(folder, "debug/file.elf", ids[0]);
    capture = open_ok(record_path(folder), NULL);
    assert_int_equal(cairn_capture_module(capture, 0, &module), CAIRN_OK);
    assert_int_equal(module.state, CAIRN_MODULE_CHANGED);
    cairn_capture_free(capture);
    options.debug_folders = tops;
    options.debug_folder_count = 1;
    capture = open_ok(record_path(folder), &options);
    assert_int_equal(cairn_capture_module(capture, 0, &module), CAIRN_OK);
    assert_int_equal(module.state, CAIRN_MODULE_USED);
    assert_string_equal(strrchr(module.file, '/') - 6, "/debug/file.elf");
    cairn_capture_free(capture);

    /* what a recording leaves goes with it */
    cairn_recording_discard(record_path(folder), true);
    assert_int_not_equal(access(record_path(folder), F_OK), 0);
    free(file);
    free(top);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(surroundings),
        TEST(search),
        TEST(modules),
        TEST(replaced),
        TEST(odd_names),
        TEST(firmware),
        TEST(firmware_built_anew),
        TEST(modules_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
