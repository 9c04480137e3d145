/* SPDX-License-Identifier: BSD-2-Clause */
#include "vector_decode.h"

#include <stdarg.h>
#include <string.h>

char vector_trouble[VECTOR_TROUBLE_MAX];

bool vector_fail(const char *file, size_t line, const char *format, ...)
{
    size_t used = strlen(vector_trouble);
    va_list arguments;

    used += (size_t)snprintf(vector_trouble + used, sizeof(vector_trouble) - used,
                             "# %s:%zu: ", file, line);
    if (used >= sizeof(vector_trouble) - 2)
        return false;
    va_start(arguments, format);
    vsnprintf(vector_trouble + used, sizeof(vector_trouble) - used - 2, format, arguments);
    va_end(arguments);
    strcat(vector_trouble, "\n");
    return false;
}

bool vector_ok(cairn_status status, const struct vector_case *vector, const char *what)
{
    if (status == CAIRN_OK)
        return true;
    return vector_fail(vector->file, vector->line, "%s: %s", what, cairn_status_text(status));
}

struct cairn_config *vector_configure(const struct vector_case *vector)
{
    struct cairn_register registers[VECTOR_REGISTERS_MAX];
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config = NULL;
    struct cairn_error error = {.text = ""};

    for (size_t i = 0; i < vector->config.count; i++)
        registers[i] = (struct cairn_register){vector->config.names[i], vector->config.values[i]};
    source.protocol = vector->config.protocol;
    source.arch = vector->config.arch;
    source.registers = registers;
    source.register_count = vector->config.count;
    if (cairn_config_new(&source, &config, &error) == CAIRN_OK)
        return config;
    vector_fail(vector->file, vector->line, "configuration: %s", error.text);
    return NULL;
}

struct decoder {
    const struct vector_case *vector;
    struct outcome *out;
    struct cairn_packets *packets;
    struct cairn_elements *elements;
    struct cairn_resolver *resolver;
    struct cairn_packet_batch *packet_batch;
    struct cairn_element_batch *element_batch, *resolved_batch;
};

static void keep_elements(const struct cairn_element_batch *batch, struct element *out,
                          size_t *count)
{
    for (size_t i = 0; i < batch->count && *count < VECTOR_OUT_ELEMENTS_MAX; i++) {
        out[(*count)++] = (struct element){batch->offset[i], batch->length[i], batch->kind[i],
                                           batch->flags[i], batch->data[i]};
    }
}

static bool resolve(struct decoder *d)
{
    size_t position = 0;

    do {
        d->resolved_batch->count = 0;
        if (!vector_ok(
                cairn_resolver_run(d->resolver, d->element_batch, &position, d->resolved_batch),
                d->vector, "cairn_resolver_run"))
            return false;
        keep_elements(d->resolved_batch, d->out->resolved, &d->out->resolved_count);
    } while (position < d->element_batch->count || d->resolved_batch->count != 0);
    return true;
}

/* What the packet batch holds, through the other levels. */
static bool take_packets(struct decoder *d)
{
    struct cairn_packet_batch *batch = d->packet_batch;
    size_t position = 0;

    for (size_t i = 0; i < batch->count && d->out->packet_count < VECTOR_OUT_PACKETS_MAX; i++) {
        d->out->packets[d->out->packet_count++] =
            (struct packet){batch->offset[i], batch->length[i], batch->kind[i], batch->account[i],
                            batch->fields[i]};
    }
    do {
        d->element_batch->count = 0;
        if (!vector_ok(cairn_elements_run(d->elements, batch, &position, d->element_batch),
                       d->vector, "cairn_elements_run"))
            return false;
        keep_elements(d->element_batch, d->out->elements, &d->out->element_count);
        if (!resolve(d))
            return false;
    } while (position < batch->count || d->element_batch->count != 0);
    return true;
}

static bool push(struct decoder *d, const uint8_t *data, size_t size)
{
    size_t position = 0;

    do {
        d->packet_batch->count = 0;
        if (!vector_ok(cairn_packets_run(d->packets, data, size, &position, d->packet_batch),
                       d->vector, "cairn_packets_run") ||
            !take_packets(d))
            return false;
    } while (position < size || d->packet_batch->count != 0);
    return true;
}

static bool finish(struct decoder *d)
{
    do {
        d->packet_batch->count = 0;
        if (!vector_ok(cairn_packets_finish(d->packets, d->packet_batch), d->vector,
                       "cairn_packets_finish") ||
            !take_packets(d))
            return false;
    } while (d->packet_batch->count != 0);
    do {
        d->resolved_batch->count = 0;
        if (!vector_ok(cairn_resolver_finish(d->resolver, d->resolved_batch), d->vector,
                       "cairn_resolver_finish"))
            return false;
        keep_elements(d->resolved_batch, d->out->resolved, &d->out->resolved_count);
    } while (d->resolved_batch->count != 0);
    return true;
}

bool vector_decode(const struct vector_case *vector, struct cairn_config *config,
                   const struct way *way, const uint8_t *data, size_t size, struct outcome *out)
{
    struct decoder d = {.vector = vector, .out = out};
    size_t step = way->bytes_at_once != 0 ? way->bytes_at_once : size;
    bool good =
        vector_ok(cairn_packets_new(config, &d.packets), vector, "cairn_packets_new") &&
        vector_ok(cairn_elements_new(config, &d.elements), vector, "cairn_elements_new") &&
        vector_ok(cairn_resolver_new(config, &d.resolver), vector, "cairn_resolver_new") &&
        vector_ok(cairn_packet_batch_new(way->capacity, &d.packet_batch), vector, "batch") &&
        vector_ok(cairn_element_batch_new(way->capacity, &d.element_batch), vector, "batch") &&
        vector_ok(cairn_element_batch_new(way->capacity, &d.resolved_batch), vector, "batch");

    out->packet_count = out->element_count = out->resolved_count = 0;
    for (size_t at = 0; good && at < size; at += step)
        good = push(&d, data + at, step < size - at ? step : size - at);
    good = good && finish(&d);
    cairn_packet_batch_free(d.packet_batch);
    cairn_element_batch_free(d.element_batch);
    cairn_element_batch_free(d.resolved_batch);
    cairn_resolver_free(d.resolver);
    cairn_elements_free(d.elements);
    cairn_packets_free(d.packets);
    return good;
}

/* --- a test of files --- */

static unsigned run_file(const char *path, bool (*run)(struct vector_case *vector), unsigned number,
                         bool *all_good)
{
    static struct vector_reader reader;
    static struct vector_case vector;

    if (!vector_open(&reader, path)) {
        printf("not ok %u - %s cannot be read\n", ++number, path);
        *all_good = false;
        return number;
    }
    while (vector_next(&reader, &vector)) {
        vector_trouble[0] = '\0';
        const bool good = run(&vector);

        printf("%s %u - %s: %s\n%s", good ? "ok" : "not ok", ++number, reader.file, vector.name,
               vector_trouble);
        *all_good &= good;
    }
    if (reader.error[0] != '\0') {
        printf("not ok %u - %s: %s\n", ++number, reader.file, reader.error);
        *all_good = false;
    }
    vector_clear(&vector);
    fclose(reader.in);
    return number;
}

int vector_main(int count, char **files, bool (*run)(struct vector_case *vector))
{
    unsigned number = 0;
    bool all_good = true;

    for (int i = 1; i < count; i++)
        number = run_file(files[i], run, number, &all_good);
    printf("1..%u\n", number);
    return all_good ? 0 : 1;
}
