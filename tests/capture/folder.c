/* SPDX-License-Identifier: BSD-2-Clause */
#include "folder.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cairn/flow.h>

int folder_make(void **state)
{
    struct folder *folder = calloc(1, sizeof *folder);
    assert_non_null(folder);
    const char *temporary = getenv("TMPDIR");
    snprintf(folder->path, sizeof folder->path, "%s/cairn-capture-XXXXXX",
             temporary ? temporary : "/tmp");
    assert_non_null(mkdtemp(folder->path));
    *state = folder;
    return 0;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info;
    (void)type;
    (void)walk;
    return remove(path);
}

int folder_remove(void **state)
{
    struct folder *folder = *state;
    nftw(folder->path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(folder);
    return 0;
}

const char *folder_path(const struct folder *folder, const char *name)
{
    static char paths[4][512];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder->path, name);
    return path;
}

void folder_write(const struct folder *folder, const char *name, const void *bytes, size_t size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder->path, name);
    for (char *at = path + strlen(folder->path) + 1; (at = strchr(at, '/')) != NULL; at++) {
        *at = 0;
        mkdir(path, 0777);
        *at = '/';
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

void folder_text(const struct folder *folder, const char *name, const char *text)
{
    folder_write(folder, name, text, strlen(text));
}

struct cairn_capture *open_ok(const char *path, const struct cairn_capture_options *options)
{
    struct cairn_capture *capture = NULL;
    struct cairn_error error;
    if (cairn_capture_open(path, options, &capture, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
    return capture;
}

void open_fails(const char *path, const struct cairn_capture_options *options, cairn_status status,
                const char *part)
{
    struct cairn_capture *capture = NULL;
    struct cairn_error error = {0};
    assert_int_equal(cairn_capture_open(path, options, &capture, &error), status);
    assert_int_equal(error.status, status);
    assert_null(capture);
    if (!strstr(error.text, part))
        fail_msg("\"%s\" is not in: %s", part, error.text);
}

struct cairn_source_info source_at(const struct cairn_capture *capture, size_t index)
{
    struct cairn_source_info info = {.size = sizeof info};
    assert_int_equal(cairn_capture_source(capture, index, &info), CAIRN_OK);
    return info;
}

struct cairn_buffer_info buffer_at(const struct cairn_capture *capture, size_t index)
{
    struct cairn_buffer_info info = {.size = sizeof info};
    assert_int_equal(cairn_capture_buffer(capture, index, &info), CAIRN_OK);
    return info;
}

unsigned remarks_with(const struct cairn_capture *capture, enum cairn_severity severity,
                      const char *part)
{
    struct cairn_remark remark;
    unsigned count = 0;
    for (size_t i = 0; cairn_capture_remark(capture, i, &remark) == CAIRN_OK; i++)
        count += remark.severity == severity && strstr(remark.text, part);
    return count;
}

uint64_t register_of(const struct cairn_source_info *source, const char *name)
{
    for (size_t i = 0; i < source->register_count; i++) {
        if (!strcmp(source->registers[i].name, name))
            return source->registers[i].value;
    }
    fail_msg("%s has no %s", source->name, name);
    return 0;
}

uint8_t *read_source(const struct cairn_capture *capture, size_t source, size_t *size)
{
    struct cairn_reader *reader;
    struct cairn_chunk chunk;
    uint8_t *bytes = NULL;
    uint64_t position = 0;
    *size = 0;
    assert_int_equal(cairn_reader_new(capture, source, &reader, NULL), CAIRN_OK);
    for (;;) {
        assert_int_equal(cairn_reader_next(reader, &chunk), CAIRN_OK);
        if (!chunk.size)
            break;
        assert_int_equal(chunk.offset, *size);
        uint64_t covered = 0;
        for (size_t i = 0; i < chunk.run_count; i++) {
            assert_int_equal(chunk.runs[i].offset, *size + covered);
            covered += chunk.runs[i].length;
        }
        assert_int_equal(covered, chunk.size);
        bytes = realloc(bytes, *size + chunk.size);
        assert_non_null(bytes);
        memcpy(bytes + *size, chunk.data, chunk.size);
        *size += chunk.size;
        assert_true(cairn_reader_file_position(reader) >= position);
        position = cairn_reader_file_position(reader);
    }
    cairn_reader_free(reader);
    return bytes;
}

int memory_in(struct cairn_capture *capture, uint32_t source, uint64_t address, unsigned el,
              enum cairn_security security)
{
    struct cairn_space *space;
    struct cairn_window window;
    const struct cairn_place place = {
        .source = source, .EL = (uint8_t)el, .security = (uint8_t)security};
    assert_int_equal(cairn_space_new(cairn_capture_image(capture), &space), CAIRN_OK);
    assert_int_equal(cairn_space_select(space, &place), CAIRN_OK);
    int byte = -1;
    if (cairn_space_window(space, address, &window))
        byte = window.bytes[address - window.address];
    cairn_space_free(space);
    return byte;
}

int memory_at(struct cairn_capture *capture, uint32_t source, uint64_t address)
{
    return memory_in(capture, source, address, 1, CAIRN_NONSECURE);
}

void ranges_of(struct cairn_capture *capture, size_t source, char *text, size_t size)
{
    const struct cairn_source_info info = source_at(capture, source);
    struct cairn_source_config how = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config;
    struct cairn_decoder *decoder;
    struct cairn_flow_batch *batch;
    size_t length, position = 0, used = 0;
    how.protocol = info.protocol;
    how.arch = info.arch;
    how.source = (uint32_t)source;
    how.registers = info.registers;
    how.register_count = info.register_count;
    assert_int_equal(cairn_config_new(&how, &config, NULL), CAIRN_OK);
    assert_int_equal(cairn_decoder_new(config, cairn_capture_image(capture), &decoder), CAIRN_OK);
    assert_int_equal(cairn_flow_batch_new(64, &batch), CAIRN_OK);
    uint8_t *bytes = read_source(capture, source, &length);
    assert_int_equal(cairn_decoder_run(decoder, bytes, length, &position, batch), CAIRN_OK);
    assert_int_equal(cairn_decoder_finish(decoder, batch), CAIRN_OK);
    *text = 0;
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->kind[i] == CAIRN_FLOW_RANGE)
            used += (size_t)snprintf(text + used, size - used, "%u@%llx ", batch->instructions[i],
                                     (unsigned long long)batch->address[i]);
    }
    free(bytes);
    cairn_flow_batch_free(batch);
    cairn_decoder_free(decoder);
    cairn_config_unref(config);
}
