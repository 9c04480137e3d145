/* SPDX-License-Identifier: BSD-2-Clause */
/* Branch stacks of samples: the branches that the processor took last, and between two of them what was executed in a
 * row, from where the older one went to where the younger one came from. */
#include "report/pgo.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "capture/files.h"
#include "capture/perf/perf.h"

#define BRANCH_SIZE 24u /* bytes, in a sample */

struct pgo_reader {
    struct cairn_pgo *pgo;
    struct cairn_pgo_maps *maps;
    struct cairn_pgo_samples *told;
    struct cairn_perf perf;
    struct cairn_pgo_taken taken[CAIRN_PERF_RECORD_MOST / BRANCH_SIZE + 1];
};

static cairn_status find_end(struct pgo_reader *reader, uint32_t process, uint64_t address,
                             struct cairn_pgo_end *end)
{
    const cairn_status status =
        address ? cairn_pgo_maps_find(reader->maps, process, address, &end->binary, &end->address)
                : CAIRN_E_NOT_FOUND;

    if (status != CAIRN_E_NOT_FOUND)
        return status;
    reader->told->unmapped += address != 0;
    *end = (struct cairn_pgo_end){.binary = CAIRN_PGO_NONE};
    return CAIRN_OK;
}

static cairn_status take_stack(struct pgo_reader *reader, const struct cairn_perf_fields *fields)
{
    struct cairn_pgo_samples *const told = reader->told;
    struct cairn_pgo_stack stack = {.taken = reader->taken};
    cairn_status status = find_end(reader, fields->process, fields->address, &stack.at);

    for (; stack.count < fields->branches && !status; stack.count++) {
        const struct cairn_branch_entry entry =
            cairn_perf_entry(&reader->perf, fields, stack.count);
        struct cairn_pgo_taken *const taken = &reader->taken[stack.count];

        taken->mispredicted = (entry.flags & CAIRN_BRANCH_ENTRY_MISPRED) != 0;
        status = find_end(reader, fields->process, entry.from, &taken->from);
        if (!status)
            status = find_end(reader, fields->process, entry.to, &taken->to);
    }
    if (status)
        return status;
    return told->keep ? told->keep(told->context, &stack)
                      : cairn_pgo_add_stack(reader->pgo, &stack);
}

static cairn_status take_sample(struct pgo_reader *reader, const struct cairn_perf_record *record)
{
    struct cairn_pgo_samples *const told = reader->told;
    struct cairn_perf_fields fields;

    if (cairn_perf_sample_read(&reader->perf, record, &fields) != CAIRN_PERF_READ) {
        told->unreadable++;
        return CAIRN_OK;
    }
    const struct cairn_pgo_sample sample = {
        .process = fields.process,
        .thread = fields.thread,
        .cpu = fields.cpu,
        .time = fields.time,
        .name = cairn_pgo_maps_name(reader->maps, fields.thread),
        .has_thread = (fields.event->sample_type & CAIRN_PERF_SAMPLE_TID) != 0,
        .has_cpu = (fields.event->sample_type & CAIRN_PERF_SAMPLE_CPU) != 0,
        .has_time = (fields.event->sample_type & CAIRN_PERF_SAMPLE_TIME) != 0,
    };
    if (told->wants && !told->wants(told->context, &sample)) {
        told->unwanted++;
        return CAIRN_OK;
    }
    told->samples += fields.branches != 0;
    return fields.has_branches ? take_stack(reader, &fields) : CAIRN_OK;
}

/* Build-ids stand behind the data, and are wanted with the first sample. */
static cairn_status take_build_ids(struct pgo_reader *reader)
{
    uint64_t offset, size;
    cairn_status status = CAIRN_OK;

    if (!cairn_perf_feature(&reader->perf, CAIRN_PERF_FEATURE_BUILD_ID, &offset, &size))
        return CAIRN_OK;
    while (size >= 8 && !status) {
        const uint8_t *header = cairn_perf_bytes(&reader->perf, offset, 8);
        const size_t own = header ? cairn_perf_u16(&reader->perf, header + 6) : 0;

        if (own < 8 || own > size || !(header = cairn_perf_bytes(&reader->perf, offset, own)))
            break;
        const struct cairn_perf_record record = {
            .type = CAIRN_PERF_RECORD_BUILD_ID,
            .misc = cairn_perf_u16(&reader->perf, header + 4),
            .bytes = header + 8,
            .size = own - 8,
        };
        status = cairn_pgo_maps_take(reader->maps, &reader->perf, &record);
        offset += own;
        size -= own;
    }
    return status;
}

static cairn_status take_all(struct pgo_reader *reader)
{
    struct cairn_pgo_samples *const told = reader->told;
    struct cairn_perf_record record;
    cairn_status status = take_build_ids(reader);

    while (!status && (!told->goes_on || told->goes_on(told->context)) &&
           cairn_perf_next(&reader->perf, &record))
        status = record.type == CAIRN_PERF_RECORD_SAMPLE
                     ? take_sample(reader, &record)
                     : cairn_pgo_maps_take(reader->maps, &reader->perf, &record);
    told->is_full = cairn_pgo_maps_is_full(reader->maps);
    told->packed = reader->perf.unpack.unreadable;
    told->is_cut = reader->perf.ended != CAIRN_PERF_END_WHOLE || reader->perf.is_front_cut;
    told->cut_at = reader->perf.is_front_cut ? reader->perf.front_at : reader->perf.at;
    return status;
}

/* AUXTRACE_INFO comes before all that was recorded. */
static bool begins_with_samples(struct cairn_perf *perf)
{
    struct cairn_perf_record record;

    while (cairn_perf_next(perf, &record))
        if (record.type == CAIRN_PERF_RECORD_AUXTRACE_INFO ||
            record.type == CAIRN_PERF_RECORD_SAMPLE)
            return record.type == CAIRN_PERF_RECORD_SAMPLE;
    return false;
}

bool cairn_pgo_has_samples(const char *path)
{
    struct cairn_perf *const perf = calloc(1, sizeof *perf);
    uint8_t head[CAIRN_PERF_PROBE];
    int fd;
    struct cairn_perf_input input = {.read = cairn_input_read_of, .context = &fd, .name = path};
    bool has = false;

    if (perf && cairn_perf_probe(head, cairn_input_head(path, head, sizeof head))) {
        if (cairn_input_open(path, &fd, &input.size, NULL) == CAIRN_OK)
            has = cairn_perf_open(perf, &input, NULL) == CAIRN_OK && begins_with_samples(perf);
        cairn_perf_close(perf);
        cairn_input_close(fd);
    }
    free(perf);
    return has;
}

cairn_status cairn_pgo_add_input(struct cairn_pgo *pgo, const struct cairn_perf_input *input,
                                 const struct cairn_capture_options *options,
                                 struct cairn_pgo_samples *told, struct cairn_error *error)
{
    struct pgo_reader *const reader = calloc(1, sizeof *reader);

    if (!reader)
        return cairn_fail(error, CAIRN_E_MEMORY, "%s: not enough memory to read it", input->name);
    reader->pgo = pgo;
    reader->told = told;
    pgo->is_sampled = true;
    cairn_status status = cairn_perf_open(&reader->perf, input, error);
    if (!status) {
        status = cairn_pgo_maps_new(pgo, options, &reader->maps);
        if (!status)
            status = take_all(reader);
        if (status)
            status = cairn_fail(error, status, "%s: not enough memory to read it", input->name);
    }
    cairn_pgo_maps_free(reader->maps);
    cairn_perf_close(&reader->perf);
    free(reader);
    return status;
}

cairn_status cairn_pgo_add_samples(struct cairn_pgo *pgo, const char *path,
                                   const struct cairn_capture_options *options,
                                   struct cairn_pgo_samples *told, struct cairn_error *error)
{
    int fd;
    struct cairn_perf_input input = {.read = cairn_input_read_of, .context = &fd, .name = path};
    cairn_status status = cairn_input_open(path, &fd, &input.size, error);

    if (!status)
        status = cairn_pgo_add_input(pgo, &input, options, told, error);
    cairn_input_close(fd);
    return status;
}
