/* SPDX-License-Identifier: BSD-2-Clause */
#include "captured.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint8_t *captured_bytes(const struct captured *source, size_t *size)
{
    struct cairn_reader *reader;
    struct cairn_chunk chunk;
    uint8_t *bytes = malloc(CAPTURED_MOST);

    *size = 0;
    assert_non_null(bytes);
    assert_int_equal(cairn_reader_new(source->capture, source->index, &reader, NULL), CAIRN_OK);
    for (;;) {
        assert_int_equal(cairn_reader_next(reader, &chunk), CAIRN_OK);
        if (chunk.size == 0)
            break;
        assert_true(*size + chunk.size <= CAPTURED_MOST);
        memcpy(bytes + *size, chunk.data, chunk.size);
        *size += chunk.size;
    }
    cairn_reader_free(reader);
    return bytes;
}

static void each_source(struct cairn_capture *capture,
                        void (*each)(void *context, const struct captured *source), void *context)
{
    for (size_t i = 0; i < cairn_capture_source_count(capture); i++) {
        struct captured source = {.capture = capture, .index = i, .info.size = sizeof source.info};
        struct cairn_source_config wanted = CAIRN_SOURCE_CONFIG_INIT;

        assert_int_equal(cairn_capture_source(capture, i, &source.info), CAIRN_OK);
        if (!cairn_protocol_decodes(source.info.protocol))
            continue;
        wanted.protocol = source.info.protocol;
        wanted.arch = source.info.arch;
        wanted.registers = source.info.registers;
        wanted.register_count = source.info.register_count;
        assert_int_equal(cairn_config_new(&wanted, &source.config, NULL), CAIRN_OK);
        each(context, &source);
        cairn_config_unref(source.config);
    }
}

void captured_each(void (*each)(void *context, const struct captured *source), void *context)
{
    const char *captures = getenv("CAIRN_CAPTURES");
    const struct cairn_capture_options options = CAIRN_CAPTURE_OPTIONS_INIT;
    char folder[512];
    char path[1024];

    if (!captures) {
        print_message("# skipped: CAIRN_CAPTURES is not set\n");
        skip();
    }
    snprintf(folder, sizeof folder, "%s/snapshots", captures);
    DIR *directory = opendir(folder);

    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        struct cairn_capture *capture;

        snprintf(path, sizeof path, "%s/%s/snapshot.ini", folder, entry->d_name);
        FILE *file = fopen(path, "r");

        if (!file)
            continue;
        fclose(file);
        assert_int_equal(cairn_capture_open(path, &options, &capture, NULL), CAIRN_OK);
        each_source(capture, each, context);
        cairn_capture_free(capture);
    }
    closedir(directory);
}
