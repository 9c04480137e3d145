/* SPDX-License-Identifier: BSD-2-Clause */
#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bench_must(cairn_status status, const struct cairn_error *error, const char *what)
{
    if (!status)
        return;
    fprintf(stderr, "cairn-bench: %s: %s\n", what,
            error && error->status ? error->text : cairn_status_text(status));
    exit(2);
}

static void read_source(struct bench_capture *loaded, size_t index, size_t limit,
                        struct bench_source *source)
{
    struct cairn_error error = {0};
    struct cairn_reader *reader = NULL;
    struct cairn_chunk chunk;
    size_t room = 0;

    bench_must(cairn_reader_new(loaded->capture, index, &reader, &error), &error, "reading");
    while (!limit || source->size < limit) {
        bench_must(cairn_reader_next(reader, &chunk), NULL, "reading");
        if (!chunk.size)
            break;
        if (limit && chunk.size > limit - source->size)
            chunk.size = limit - source->size;
        if (room - source->size < chunk.size) {
            room = 2 * (source->size + chunk.size);
            source->bytes = realloc(source->bytes, room);
            bench_must(source->bytes ? CAIRN_OK : CAIRN_E_MEMORY, NULL, "reading");
        }
        memcpy(source->bytes + source->size, chunk.data, chunk.size);
        source->size += chunk.size;
    }
    cairn_reader_free(reader);
}

static void configure(size_t index, struct bench_source *source)
{
    struct cairn_error error = {0};
    struct cairn_source_config config = CAIRN_SOURCE_CONFIG_INIT;

    config.protocol = source->info.protocol;
    config.arch = source->info.arch;
    config.source = (uint32_t)index;
    config.registers = source->info.registers;
    config.register_count = source->info.register_count;
    bench_must(cairn_config_new(&config, &source->config, &error), &error, source->info.name);
}

void bench_load(const char *path, size_t limit, struct bench_capture *loaded)
{
    struct cairn_error error = {0};

    *loaded = (struct bench_capture){0};
    bench_must(cairn_capture_open(path, NULL, &loaded->capture, &error), &error, path);
    loaded->image = bench_merged(cairn_capture_image(loaded->capture));

    size_t count = cairn_capture_source_count(loaded->capture);
    loaded->sources = calloc(count ? count : 1, sizeof *loaded->sources);
    bench_must(loaded->sources ? CAIRN_OK : CAIRN_E_MEMORY, NULL, path);
    for (size_t i = 0; i < count; i++) {
        struct bench_source *source = &loaded->sources[loaded->source_count];

        source->info.size = sizeof source->info;
        bench_must(cairn_capture_source(loaded->capture, i, &source->info), NULL, path);
        if (!cairn_protocol_decodes(source->info.protocol))
            continue;
        read_source(loaded, i, limit, source);
        if (!source->size)
            continue;
        configure(i, source);
        loaded->bytes += source->size;
        loaded->source_count++;
    }
}

void bench_unload(struct bench_capture *loaded)
{
    for (size_t i = 0; i < loaded->source_count; i++) {
        cairn_config_unref(loaded->sources[i].config);
        free(loaded->sources[i].registers);
        free(loaded->sources[i].bytes);
    }
    free(loaded->sources);
    cairn_image_unref(loaded->image);
    cairn_capture_free(loaded->capture);
}

struct cairn_image *bench_fresh_image(const char *path, const struct bench_capture *loaded)
{
    struct cairn_error error = {0};
    struct cairn_capture *capture = NULL;
    struct cairn_image *image;

    if (!loaded->capture)
        return cairn_image_ref(loaded->image);
    bench_must(cairn_capture_open(path, NULL, &capture, &error), &error, path);
    image = bench_merged(cairn_capture_image(capture));
    cairn_capture_free(capture);
    return image;
}
