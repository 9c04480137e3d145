/* SPDX-License-Identifier: BSD-2-Clause */
/* A pipeline that begins in the midst of a source gives, from there on, what one gives that begins at
 * the beginning: record for record, whatever the protocol, on sound traces and damaged ones; so do
 * packets and elements.
 *
 * usage: test_engine_begin [--seeds FROM COUNT] [--ptm | --etmv3]
 * Prints TAP. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn.h>

#include "../house/share.h"
#include "compare.h"
#include "generate.h"
#include "mutate.h"

enum {
    PLACES = TEST_SHARE > 1 ? 4 : 12,
    DAMAGES = 2,
    SIZE = (TEST_SHARE > 1 ? 8 : 24) << 10,
    FIELDS = 32,
};

/* A record of any level, as a listing has it. */
struct record {
    uint64_t offset, length, address, value;
    uint32_t instructions;
    uint16_t flags;
    uint8_t kind, isa;
};

struct records {
    struct record *at;
    size_t count, capacity;
    uint64_t bytes; /* that were decoded */
};

static unsigned begun_amid, begun;
/* Of ETMv3 only flow is looked at, of sound traces: the generator compresses the first addresses behind
 * a synchronisation, which a trace unit does not. */
static bool only_flow;

static void add(struct records *records, const struct record *record)
{
    if (records->count == records->capacity) {
        records->capacity = records->capacity ? 2 * records->capacity : 4096;
        records->at = realloc(records->at, records->capacity * sizeof *records->at);
        if (!records->at)
            abort();
    }
    records->at[records->count++] = *record;
}

/* What a listing says of a packet or element: only that has to be the same. */
static uint64_t hash_of(const struct cairn_field *fields, size_t count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < count && i < FIELDS; i++) {
        const bool number = fields[i].type != CAIRN_FIELD_TEXT;
        const char *text = number || !fields[i].text ? "" : fields[i].text;

        hash = (hash ^ (uint64_t)fields[i].type) * UINT64_C(0x100000001b3);
        if (number && fields[i].type != CAIRN_FIELD_UNKNOWN)
            hash = (hash ^ fields[i].value) * UINT64_C(0x9e3779b97f4a7c15);
        for (; *text; text++)
            hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
        for (text = fields[i].name; *text; text++)
            hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static size_t add_packets(struct records *records, const struct engine_case *input,
                          const struct cairn_packet_batch *batch, uint64_t from)
{
    struct cairn_field fields[FIELDS];

    for (size_t i = 0; i < batch->count; i++) {
        if (batch->offset[i] < from)
            continue;
        const size_t count = cairn_packet_describe(input->config, batch, i, fields, FIELDS);
        add(records, &(struct record){.kind = (uint8_t)batch->kind[i],
                                      .offset = batch->offset[i],
                                      .length = batch->length[i],
                                      .value = hash_of(fields, count),
                                      .instructions = (uint32_t)count});
    }
    return batch->count;
}

static size_t add_elements(struct records *records, const struct engine_case *input,
                           const struct cairn_element_batch *batch, uint64_t from)
{
    struct cairn_field fields[FIELDS];

    for (size_t i = 0; i < batch->count; i++) {
        if (batch->offset[i] < from)
            continue;
        const size_t count = cairn_element_describe(input->config, batch, i, fields, FIELDS);
        add(records, &(struct record){.kind = batch->kind[i],
                                      .offset = batch->offset[i],
                                      .length = batch->length[i],
                                      .value = hash_of(fields, count),
                                      .flags = batch->flags[i],
                                      .instructions = (uint32_t)count});
    }
    return batch->count;
}

/* What is UNKNOWN may be anything. */
static bool is_unknown_time(const struct cairn_flow_batch *batch, size_t i)
{
    return batch->kind[i] == CAIRN_FLOW_TIMESTAMP && batch->flags[i] & CAIRN_FLOW_UNKNOWN;
}

static size_t add_flow(struct records *records, const struct cairn_flow_batch *batch, uint64_t from)
{
    for (size_t i = 0; i < batch->count; i++)
        if (batch->offset[i] >= from)
            add(records,
                &(struct record){.kind = batch->kind[i],
                                 .isa = batch->isa[i],
                                 .flags = batch->flags[i],
                                 .instructions = batch->instructions[i],
                                 .offset = batch->offset[i],
                                 .length = batch->length[i],
                                 .address = batch->address[i],
                                 .value = is_unknown_time(batch, i) ? 0 : batch->value[i]});
    return batch->count;
}

/* All that a pipeline gives of packets at `from` or behind it. The memory of `records` is kept from list to
 * list: under sanitizers new pages take longer than what is written to them. */
static void list(struct records *records, struct cairn_capture *capture,
                 const struct engine_case *input, const struct cairn_pipeline_options *options,
                 uint64_t from)
{
    struct cairn_pipeline *pipeline;
    size_t count = 1;

    records->count = 0;
    if (cairn_pipeline_new(capture, 0, input->config, input->image, options, &pipeline, NULL))
        abort();
    while (count) {
        if (cairn_pipeline_next(pipeline))
            abort();
        if (options->level == CAIRN_LEVEL_PACKETS)
            count = add_packets(records, input, cairn_pipeline_packets(pipeline), from);
        else if (options->level == CAIRN_LEVEL_FLOW)
            count = add_flow(records, cairn_pipeline_flow(pipeline), from);
        else
            count = add_elements(records, input, cairn_pipeline_elements(pipeline), from);
    }
    records->bytes = cairn_pipeline_ledger(pipeline)->total;
    cairn_pipeline_free(pipeline);
}

static void print(const char *what, const struct records *records, size_t at)
{
    const struct record *r = &records->at[at];

    if (at >= records->count)
        printf("#   %s: nothing more\n", what);
    else
        printf("#   %s: kind %u isa %u flags %x instructions %u offset %" PRIx64 "+%" PRIu64
               " address %" PRIx64 " value %" PRIx64 "\n",
               what, r->kind, r->isa, r->flags, r->instructions, r->offset, r->length, r->address,
               r->value);
}

static bool same(const struct records *all, const struct records *some, uint64_t from,
                 enum cairn_level level)
{
    size_t i = 0, k = 0;

    for (;; i++, k++) {
        while (i < all->count && all->at[i].offset < from)
            i++;
        if (i >= all->count || k >= some->count)
            break;
        if (memcmp(&all->at[i], &some->at[k], sizeof all->at[i])) {
            printf("# level %u from 0x%" PRIx64 ": record %zu\n", level, from, k);
            print("all", all, i);
            print("some", some, k);
            return false;
        }
    }
    if (i >= all->count && k >= some->count)
        return true;
    printf("# level %u from 0x%" PRIx64 ": one has more, at record %zu\n", level, from, k);
    print("all", all, i);
    print("some", some, k);
    return false;
}

static bool compare_level(struct cairn_capture *capture, const struct engine_case *input,
                          enum cairn_level level)
{
    static struct records all, some;
    struct cairn_pipeline_options options = CAIRN_PIPELINE_OPTIONS_INIT;
    bool good = true;

    options.level = level;
    options.flags = CAIRN_PIPELINE_REFERENCE;
    list(&all, capture, input, &options, 0);
    options.flags = 0;
    for (uint64_t place = 1; place <= PLACES && good; place++) {
        options.from = input->size * place / PLACES;
        options.jobs = place % 2 + 1;
        list(&some, capture, input, &options, options.from);
        good = same(&all, &some, options.from, level);
        begun++;
        begun_amid += some.bytes < all.bytes;
    }
    return good;
}

static struct cairn_capture *capture_of(const struct engine_case *input)
{
    const struct cairn_buffer_options buffer = {.size = sizeof buffer,
                                                .name = "buffer",
                                                .format = CAIRN_FORMAT_SOURCE_DATA,
                                                .memory = input->data,
                                                .memory_size = input->size};
    struct cairn_source_options source = CAIRN_SOURCE_OPTIONS_INIT;
    struct cairn_capture *capture;

    source.name = "source";
    source.protocol = CAIRN_PROTOCOL_ETE; /* the configuration is given beside it */
    if (cairn_capture_new(&capture, NULL) ||
        cairn_capture_put_buffer(capture, &buffer, NULL, NULL) ||
        cairn_capture_put_source(capture, &source, NULL, NULL))
        abort();
    return capture;
}

static bool compare(const struct engine_case *input)
{
    static const enum cairn_level levels[] = {CAIRN_LEVEL_FLOW, CAIRN_LEVEL_PACKETS,
                                              CAIRN_LEVEL_ELEMENTS, CAIRN_LEVEL_RESOLVED};
    struct cairn_capture *capture = capture_of(input);
    bool good = true;

    for (size_t i = 0; i < (only_flow ? (size_t)1 : sizeof levels / sizeof levels[0]) && good; i++)
        good = compare_level(capture, input, levels[i]);
    cairn_capture_free(capture);
    return good;
}

static bool run_seed(bool (*generate)(uint64_t, size_t, struct engine_case *), uint64_t seed)
{
    struct engine_case made;
    bool good = generate(seed, (size_t)SIZE << seed % 3, &made);
    uint8_t *bytes = good ? malloc(made.size + MUTATE_MORE) : NULL;

    if (!bytes)
        abort();
    good = compare(&made);
    for (unsigned i = 0; i < DAMAGES && good && !only_flow; i++) {
        struct engine_case damaged = made;

        memcpy(bytes, made.data, made.size);
        damaged.data = bytes;
        damaged.size = mutate(bytes, made.size, seed * DAMAGES + i);
        good = compare(&damaged);
    }
    free(bytes);
    engine_generated_free(&made);
    return good;
}

int main(int argc, char **argv)
{
    bool (*generate)(uint64_t, size_t, struct engine_case *) = engine_generate;
    uint64_t from = 1, count = 20;
    unsigned failures = 0;

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--ptm"))
            generate = engine_generate_ptm;
        else if (!strcmp(argv[i], "--etmv3"))
            generate = engine_generate_etmv3, only_flow = true;
        else if (!strcmp(argv[i], "--seeds") && i + 2 < argc) {
            from = strtoull(argv[++i], NULL, 0);
            count = strtoull(argv[++i], NULL, 0);
        }
    }
    engine_sync_tells_all = true;
    for (uint64_t seed = from; seed < from + count; seed++)
        if (!run_seed(generate, seed)) {
            printf("# seed %" PRIu64 " differs\n", seed);
            fflush(stdout);
            failures++;
        }
    printf("# %u of %u were begun in the midst\n1..2\n", begun_amid, begun);
    printf("%sok 1 - seeds %" PRIu64 " to %" PRIu64 "\n", failures ? "not " : "", from,
           from + count - 1);
    printf("%sok 2 - some were begun in the midst\n", begun_amid ? "" : "not ");
    return failures || !begun_amid;
}
