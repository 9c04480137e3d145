/* SPDX-License-Identifier: BSD-2-Clause */
/* The JSON writer of the listings beside jansson, in rounds that take turns: the same records of ranges
 * as the same bytes, to /dev/null. usage: json-writers [ROUNDS] */
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report/report.h"

#define RECORDS 4096u /* of a batch */
#define BATCHES 64u   /* of a round */
#define ROUNDS_MAX 100u

struct contest {
    struct cairn_flow_batch *batch;
    struct cairn_listing listing;
    struct cairn_output output;
};

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void fill(struct cairn_flow_batch *batch)
{
    for (size_t i = 0; i < RECORDS; i++) {
        batch->kind[i] = CAIRN_FLOW_RANGE;
        batch->isa[i] = CAIRN_ISA_A64;
        batch->flags[i] = (uint16_t)(CAIRN_FLOW_P0 | (i % 3 ? CAIRN_FLOW_TAKEN : 0) |
                                     (i % 7 ? 0 : CAIRN_FLOW_TAKEN | CAIRN_FLOW_LINK));
        batch->instructions[i] = (uint32_t)(i % 13 + 1);
        batch->offset[i] = 1000000 + i;
        batch->length[i] = 1;
        batch->address[i] = UINT64_C(0xffff800008000000) + i * 64;
        batch->value[i] = batch->address[i] + 4 * batch->instructions[i];
    }
    batch->count = RECORDS;
}

static void by_own(struct contest *contest, size_t i)
{
    const struct cairn_origin origin = {.offset = contest->batch->offset[i],
                                        .file_offset = contest->batch->offset[i] + 16,
                                        .length = contest->batch->length[i]};

    cairn_report_json.flow(&contest->listing, contest->batch, i, &origin);
}

static int put(const char *data, size_t size, void *output)
{
    cairn_output_data(output, data, size);
    return 0;
}

static json_t *hex(uint64_t value)
{
    char text[19];

    snprintf(text, sizeof text, "0x%" PRIx64, value);
    return json_string(text);
}

static void by_jansson(struct contest *contest, size_t i)
{
    const struct cairn_flow_batch *batch = contest->batch;
    const unsigned flags = batch->flags[i];
    json_t *record = json_object();

    json_object_set_new(record, "type", json_string("range"));
    json_object_set_new(record, "source", json_string(contest->listing.source->name));
    json_object_set_new(record, "offset", json_integer((json_int_t)batch->offset[i]));
    json_object_set_new(record, "file_offset", json_integer((json_int_t)batch->offset[i] + 16));
    json_object_set_new(record, "length", json_integer((json_int_t)batch->length[i]));
    json_object_set_new(record, "isa", json_string(cairn_isa_name(batch->isa[i])));
    json_object_set_new(record, "address", hex(batch->address[i]));
    json_object_set_new(record, "end", hex(batch->value[i]));
    json_object_set_new(record, "instructions", json_integer(batch->instructions[i]));
    json_object_set_new(record, "p0", json_string(flags & CAIRN_FLOW_TAKEN ? "E" : "N"));
    if (flags & CAIRN_FLOW_LINK)
        json_object_set_new(record, "link", json_true());
    json_dump_callback(record, put, &contest->output, JSON_COMPACT);
    json_decref(record);
    cairn_output_line(&contest->output);
}

/* Nanoseconds a record. */
static double run(struct contest *contest, void (*write)(struct contest *, size_t))
{
    const double start = now();

    for (unsigned times = 0; times < BATCHES; times++)
        for (size_t i = 0; i < RECORDS; i++)
            write(contest, i);
    return (now() - start) / (BATCHES * RECORDS);
}

/* The first difference of what the two write, if any: nothing is timed that they write differently. */
static bool agree(struct contest *contest)
{
    static char own[CAIRN_OUTPUT_CAPACITY];

    contest->output.line_seen = true;
    for (size_t i = 0; i < RECORDS; i++) {
        contest->output.used = 0;
        by_own(contest, i);
        const size_t size = contest->output.used;
        memcpy(own, contest->output.buffer, size);
        contest->output.used = 0;
        by_jansson(contest, i);
        if (size != contest->output.used || memcmp(own, contest->output.buffer, size)) {
            printf("they differ: %.*s%.*s", (int)size, own, (int)contest->output.used,
                   contest->output.buffer);
            return false;
        }
    }
    contest->output.used = 0;
    return true;
}

static int compare(const void *one, const void *other)
{
    const double a = *(const double *)one, b = *(const double *)other;

    return (a > b) - (a < b);
}

static void report(const char *name, double *times, unsigned rounds)
{
    qsort(times, rounds, sizeof *times, compare);
    printf("%-8s %8.0f %8.0f %8.0f  ns a record\n", name, times[0], times[rounds / 2],
           times[rounds - 1]);
}

int main(int argc, char **argv)
{
    static const struct cairn_source_info source = {.size = sizeof source, .name = "ETM_0"};
    static double own[ROUNDS_MAX], other[ROUNDS_MAX];
    static struct contest contest;
    const unsigned asked = argc > 1 ? (unsigned)atoi(argv[1]) : 9;
    const unsigned rounds = asked && asked <= ROUNDS_MAX ? asked : 9;

    if (cairn_flow_batch_new(RECORDS, &contest.batch))
        return 1;
    fill(contest.batch);
    cairn_output_init(&contest.output, open("/dev/null", O_WRONLY));
    contest.listing = (struct cairn_listing){
        .output = &contest.output, .detail = CAIRN_DETAIL_RANGES, .source = &source};
    if (!agree(&contest))
        return 1;
    for (unsigned i = 0; i < rounds; i++) {
        own[i] = run(&contest, by_own);
        other[i] = run(&contest, by_jansson);
    }
    printf("%u rounds of %u records        min   median      max\n", rounds, RECORDS * BATCHES);
    report("own", own, rounds);
    report("jansson", other, rounds);
    printf("medians: %.1f times\n", other[rounds / 2] / own[rounds / 2]);
    cairn_flow_batch_free(contest.batch);
    return 0;
}
