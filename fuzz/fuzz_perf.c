/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as a perf.data file: records lie in it one behind the other, what a sample tells is within its
 * record, and the same bytes are the same a second time; so is the profile of what samples tell. The first byte chooses how much is read at a time. */
#include <stdlib.h>
#include <string.h>

#include "capture/perf/perf.h"
#include "report/pgo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct source {
    const uint8_t *at;
    size_t size, piece;
};

static int64_t read_source(void *context, void *bytes, size_t size, uint64_t offset)
{
    const struct source *source = context;

    if (offset >= source->size)
        return 0;
    const size_t left = source->size - (size_t)offset;
    const size_t least = size < left ? size : left;
    const size_t count = least < source->piece ? least : source->piece;
    memcpy(bytes, source->at + offset, count);
    return (int64_t)count;
}

static void require(bool condition)
{
    if (!condition)
        abort();
}

static uint64_t check_sample(struct cairn_perf *perf, const struct cairn_perf_record *record)
{
    struct cairn_perf_fields fields;
    uint64_t sum = 0;

    if (cairn_perf_sample_read(perf, record, &fields) != CAIRN_PERF_READ)
        return 1;
    require(fields.event >= perf->events && fields.event < perf->events + perf->event_count);
    require(fields.branches * 24 <= record->size);
    for (size_t i = 0; i < fields.branches; i++) {
        const struct cairn_branch_entry entry = cairn_perf_entry(perf, &fields, i);

        require(entry.type < 16 && entry.spec < 4 && entry.new_type < 16 && entry.priv < 8);
        /* the same bits again, in the order of a little-endian file */
        if (!perf->big_endian) {
            const uint64_t bits = cairn_perf_u64(perf, fields.entries + 24 * i + 16);
            require(cairn_branch_entry_word(&entry) == (bits & ((UINT64_C(1) << 33) - 1)));
        }
        sum = sum * 31 + entry.from + entry.to + entry.flags;
        if (fields.counters)
            sum += cairn_perf_u64(perf, fields.counters + 8 * i);
    }
    return sum;
}

static uint64_t read_all(struct cairn_perf *perf, const struct cairn_perf_input *input)
{
    struct cairn_perf_record record;
    uint64_t sum = 0, at = 0;

    if (cairn_perf_open(perf, input, NULL) == CAIRN_OK) {
        while (cairn_perf_next(perf, &record)) {
            require(record.offset >= at && record.size + 8 <= input->size - record.offset);
            at = record.offset + record.size + 8;
            require(record.payload_size <= input->size - at);
            at += record.payload_size;
            sum = sum * 31 + record.type;
            if (record.type == CAIRN_PERF_RECORD_SAMPLE)
                sum += check_sample(perf, &record);
        }
        require(perf->at <= input->size);
        sum = sum * 31 + (uint64_t)perf->ended;
    }
    cairn_perf_close(perf);
    return sum;
}

/* Nothing is looked for outside of a folder that is not there. */
static uint64_t profile(const struct cairn_perf_input *input)
{
    const struct cairn_capture_options options = {
        .size = sizeof options, .trace_id = -1, .sysroot = "/nowhere"};
    struct cairn_pgo pgo = {0};
    struct cairn_pgo_samples told = {0};
    uint64_t sum = (uint64_t)cairn_pgo_add_input(&pgo, input, &options, &told, NULL);

    require(cairn_pgo_settle(&pgo) == CAIRN_OK);
    require(pgo.binary_count <= CAIRN_PGO_BINARIES_MOST);
    for (size_t i = 0; i < pgo.range_count; i++) {
        require(pgo.ranges[i].binary < pgo.binary_count &&
                pgo.ranges[i].first <= pgo.ranges[i].last);
        sum = sum * 31 + pgo.ranges[i].first + pgo.ranges[i].last * 7 + pgo.ranges[i].count;
    }
    for (size_t i = 0; i < pgo.branch_count; i++)
        sum = sum * 31 + pgo.branches[i].from + pgo.branches[i].to * 7 + pgo.branches[i].count;
    cairn_pgo_clear(&pgo);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct cairn_perf perf;

    if (size == 0)
        return 0;
    struct source source = {data + 1, size - 1,
                            data[0] & 1 ? 3 * CAIRN_PERF_RECORD_MOST / 2 : CAIRN_PERF_RECORD_MOST};
    const struct cairn_perf_input input = {read_source, &source, source.size, "fuzz"};
    require(read_all(&perf, &input) == read_all(&perf, &input));
    require(profile(&input) == profile(&input));
    return 0;
}
