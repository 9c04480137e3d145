/* SPDX-License-Identifier: BSD-2-Clause */
/* Snapshots and raw configurations of any text, without a file system: the input is a sequence of
 * "@NAME" lines, each followed by the text of the file of that name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/model.h"

enum { MOST_FILES = 32, NAME_SIZE = 64 };

struct text_file {
    char name[NAME_SIZE];
    const char *text;
    size_t size;
};

struct text_files {
    struct text_file files[MOST_FILES];
    size_t count;
};

static const struct text_file *find(const struct text_files *files, const char *name)
{
    for (size_t i = 0; i < files->count; i++) {
        if (!strcmp(files->files[i].name, name))
            return &files->files[i];
    }
    return NULL;
}

static cairn_status read_text(void *context, const char *path, char **text, size_t *size,
                              struct cairn_error *error)
{
    (void)error;
    const struct text_file *file = find(context, path);
    if (!file)
        return CAIRN_E_NOT_FOUND;
    *text = malloc(file->size + 1);
    if (!*text)
        return CAIRN_E_MEMORY;
    memcpy(*text, file->text, file->size);
    (*text)[file->size] = 0;
    *size = file->size;
    return CAIRN_OK;
}

/* Such a file exists, but no real one does: opening it fails, which must be answered as well. */
static bool size_of(void *context, const char *path, uint64_t *size)
{
    const struct text_file *file = *path == '/' ? NULL : find(context, path);
    if (file)
        *size = file->size;
    return file != NULL;
}

static void split(struct text_files *files, const char *data, size_t size)
{
    const char *const end = data + size;
    while (data < end && *data == '@' && files->count < MOST_FILES) {
        struct text_file *file = &files->files[files->count++];
        const char *line = memchr(data, '\n', (size_t)(end - data));
        line = line ? line : end;
        snprintf(file->name, sizeof file->name, "%.*s", (int)(line - data - 1), data + 1);
        file->text = line < end ? line + 1 : end;
        const char *next = file->text;
        while (next < end && !(next[0] == '@' && next[-1] == '\n'))
            next++;
        file->size = (size_t)(next - file->text);
        data = next;
    }
}

/* Every name is a string, every index exists. */
static void walk(struct cairn_capture *capture)
{
    struct cairn_remark remark;
    struct cairn_source_info source = {.size = sizeof source};
    struct cairn_buffer_info buffer = {.size = sizeof buffer};
    size_t length = 0;
    for (size_t i = 0; cairn_capture_remark(capture, i, &remark) == CAIRN_OK; i++)
        length += strlen(remark.text);
    for (size_t i = 0; cairn_capture_buffer(capture, i, &buffer) == CAIRN_OK; i++)
        length += strlen(buffer.name) + strlen(buffer.path);
    for (size_t i = 0; cairn_capture_source(capture, i, &source) == CAIRN_OK; i++) {
        length += strlen(source.name);
        if (source.buffer >= cairn_capture_buffer_count(capture) || source.trace_id > 0x7f)
            abort();
        for (size_t k = 0; k < source.register_count; k++)
            length += strlen(source.registers[k].name);
    }
    if (length > (size_t)64 << 20)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text_files texts = {.count = 0};
    split(&texts, (const char *)data, size);
    const struct cairn_files files = {
        .read_text = read_text, .size_of = size_of, .context = &texts};
    const struct cairn_register registers[] = {{"TRCTRACEIDR", 0x10}, {"trcidr0", 1}};
    for (unsigned round = 0; round < 3; round++) {
        struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;
        struct cairn_capture *capture;
        struct cairn_error error;
        if (cairn_capture_new(&capture, NULL) != CAIRN_OK)
            return 0;
        cairn_status status;
        if (round < 2) {
            options.registers = registers;
            options.register_count = round ? 2 : 0;
            status = cairn_snapshot_open(capture, &files, "snapshot.ini", &options, &error);
        } else {
            options.config_path = "config";
            status = cairn_raw_open(capture, &files, "trace.bin", &options, &error);
        }
        if (status == CAIRN_OK)
            walk(capture);
        else if (!memchr(error.text, 0, sizeof error.text))
            abort();
        cairn_capture_free(capture);
    }
    return 0;
}
