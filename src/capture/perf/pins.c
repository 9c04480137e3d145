/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/perf/pins.h"

#include <stdlib.h>

#include "base/room.h"
#include "protocol/protocol.h"

/* Of all parts together: so much is read in a few seconds. */
#define BYTES_MOST (UINT64_C(1) << 28)
#define HITS_MOST 4096u /* of an entry, in a part: what is executed more often is none */
#define BATCH_PACKETS 1024u
#define BATCH_ELEMENTS 4096u

/* An address was reached that is the entry of a program. */
struct hit {
    uint64_t offset, address;
    struct cairn_context context;
};

/* A part that is read. */
struct reading {
    struct cairn_perf_pinning *pinning;
    struct cairn_perf_place *place;
    const struct cairn_perf_mark *mark;
    struct cairn_perf_pins *pins;
    enum cairn_thread_mark thread_mark;
    bool has_times; /* the trace has timestamps, of the system's clock */
    bool is_whole;  /* all of the part was read */
    struct cairn_context context;
    bool has_marker;
    uint64_t marker;                      /* of what the next timestamp is of */
    const struct cairn_perf_exec **execs; /* those in the part, by process and time */
    size_t exec_count, exec_room;
    struct hit *hits;
    size_t hit_count, hit_room;
};

static cairn_status add_pin(struct cairn_perf_pins *pins, size_t at, struct cairn_perf_pin pin)
{
    if (cairn_enlarge(&pins->list, &pins->room, pins->count + 1, sizeof *pins->list) != CAIRN_OK)
        return CAIRN_E_MEMORY;
    memmove(&pins->list[at + 1], &pins->list[at], (pins->count - at) * sizeof *pins->list);
    pins->list[at] = pin;
    pins->count++;
    return CAIRN_OK;
}

/* --- timestamps --- */

/* A timestamp is that of the last P0 element in front of it, or in front of its marker. What goes back in time, or is
 * outside of the part, is of another clock. */
static cairn_status take_time(struct reading *reading, uint64_t offset, uint64_t timestamp)
{
    const struct cairn_perf_pins *const pins = reading->pins;
    const struct cairn_perf_pin pin = {
        .time = cairn_clock_time(&reading->pinning->capture->clock, timestamp),
        .offset = reading->marker != UINT64_MAX ? reading->marker : offset,
    };
    const struct cairn_perf_pin *const last = pins->count ? &pins->list[pins->count - 1] : NULL;
    /* where there are markers, one without is of what was in front of the part */
    const bool is_of_before = reading->has_marker && reading->marker == UINT64_MAX;

    reading->marker = UINT64_MAX;
    if (is_of_before || pin.time < reading->mark->began || pin.time > reading->mark->time ||
        (last && (pin.time < last->time || pin.offset < last->offset)))
        return CAIRN_OK;
    return add_pin(reading->pins, pins->count, pin);
}

static void take_marker(struct reading *reading, uint64_t offset)
{
    if (!reading->has_marker)
        reading->pins->count = 0;
    reading->has_marker = true;
    reading->marker = offset;
}

/* --- entries --- */

static bool is_entry(const struct reading *reading, uint64_t address)
{
    for (size_t i = 0; i < reading->exec_count; i++)
        if (reading->execs[i]->entry && reading->execs[i]->entry == address)
            return true;
    return false;
}

static cairn_status take_address(struct reading *reading, uint64_t offset, uint64_t address)
{
    if (!is_entry(reading, address) || reading->hit_count == HITS_MOST)
        return CAIRN_OK;
    if (cairn_enlarge(&reading->hits, &reading->hit_room, reading->hit_count + 1,
                      sizeof *reading->hits) != CAIRN_OK)
        return CAIRN_E_MEMORY;
    reading->hits[reading->hit_count++] =
        (struct hit){.offset = offset, .address = address, .context = reading->context};
    return CAIRN_OK;
}

/* An address and the context that its packet has with it come in either order. */
static void take_context(struct reading *reading, uint64_t offset,
                         const struct cairn_context *context)
{
    reading->context = *context;
    if (reading->hit_count && reading->hits[reading->hit_count - 1].offset == offset)
        reading->hits[reading->hit_count - 1].context = *context;
}

/* The program is started by the thread that has the number of its process. */
static bool is_of_process(const struct reading *reading, const struct hit *hit, uint32_t process)
{
    switch (reading->thread_mark) {
    case CAIRN_THREAD_CONTEXT_ID: return hit->context.context_id == process;
    case CAIRN_THREAD_VMID: return hit->context.vmid == process;
    default: return reading->pinning->is_one_process || reading->place->thread == process;
    }
}

/* Between those in front of it and those behind it in the trace; what does not fit there in time is none. */
static cairn_status put_pin(struct cairn_perf_pins *pins, struct cairn_perf_pin pin)
{
    size_t at = 0;

    while (at < pins->count && pins->list[at].offset <= pin.offset)
        at++;
    if ((at && pins->list[at - 1].time > pin.time) ||
        (at < pins->count && pins->list[at].time < pin.time))
        return CAIRN_OK;
    return add_pin(pins, at, pin);
}

/* Programs that a process has started, one after the other: the n-th is where an entry was reached the n-th time, if there
 * are as many of one as of the other. */
static cairn_status pin_process(struct reading *reading, const struct cairn_perf_exec *const *execs,
                                size_t count)
{
    cairn_status status = CAIRN_OK;
    size_t found = 0;

    for (size_t i = 0; i < reading->hit_count; i++) {
        const struct hit *const hit = &reading->hits[i];

        if (!is_of_process(reading, hit, execs[0]->process))
            continue;
        if (found == count || execs[found]->entry != hit->address)
            return CAIRN_OK;
        found++;
    }
    for (size_t i = 0, n = 0; i < reading->hit_count && found == count && !status; i++)
        if (is_of_process(reading, &reading->hits[i], execs[0]->process))
            status = put_pin(reading->pins,
                             (struct cairn_perf_pin){execs[n++]->time, reading->hits[i].offset});
    return status;
}

static cairn_status pin_entries(struct reading *reading)
{
    cairn_status status = CAIRN_OK;

    for (size_t i = 0, end = 0; i < reading->exec_count && reading->is_whole && !status; i = end) {
        while (end < reading->exec_count &&
               reading->execs[end]->process == reading->execs[i]->process)
            end++;
        status = pin_process(reading, reading->execs + i, end - i);
    }
    return status;
}

/* --- a part --- */

static cairn_status take_elements(struct reading *reading, const struct cairn_element_batch *batch,
                                  uint64_t base)
{
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < batch->count && status == CAIRN_OK; i++) {
        const struct cairn_element_data *const data = &batch->data[i];
        const uint64_t offset = base + batch->offset[i];

        switch (batch->kind[i]) {
        case CAIRN_ELEMENT_TIMESTAMP:
            if (reading->has_times && !(batch->flags[i] & CAIRN_ELEMENT_UNKNOWN))
                status = take_time(reading, offset, data->value);
            break;
        case CAIRN_ELEMENT_TIMESTAMP_MARKER: take_marker(reading, offset); break;
        case CAIRN_ELEMENT_TARGET_ADDRESS:
            if (!(batch->flags[i] & CAIRN_ELEMENT_UNKNOWN))
                status = take_address(reading, offset, data->address & ~UINT64_C(1));
            break;
        case CAIRN_ELEMENT_CONTEXT: take_context(reading, offset, &data->context); break;
        default: break;
        }
    }
    return status;
}

/* What decodes a part up to its elements. */
struct decoding {
    struct cairn_config *config;
    struct cairn_reader *reader;
    struct cairn_packets *packets;
    struct cairn_elements *elements;
    struct cairn_packet_batch *packet_batch;
    struct cairn_element_batch *element_batch;
};

static void end_decoding(struct decoding *decoding)
{
    cairn_element_batch_free(decoding->element_batch);
    cairn_packet_batch_free(decoding->packet_batch);
    cairn_elements_free(decoding->elements);
    cairn_packets_free(decoding->packets);
    cairn_reader_free(decoding->reader);
    cairn_config_unref(decoding->config);
}

static cairn_status begin_decoding(struct decoding *decoding, const struct cairn_capture *capture,
                                   size_t source)
{
    const struct cairn_source_info *const info = &capture->sources[source];
    struct cairn_source_config wanted = CAIRN_SOURCE_CONFIG_INIT;

    wanted.protocol = info->protocol;
    wanted.arch = info->arch;
    wanted.source = (uint32_t)source;
    wanted.registers = info->registers;
    wanted.register_count = info->register_count;
    cairn_status status = cairn_config_new(&wanted, &decoding->config, NULL);
    if (!status)
        status = cairn_reader_new(capture, source, &decoding->reader, NULL);
    if (!status)
        status = cairn_packets_new(decoding->config, &decoding->packets);
    if (!status)
        status = cairn_elements_new(decoding->config, &decoding->elements);
    if (!status)
        status = cairn_packet_batch_new(BATCH_PACKETS, &decoding->packet_batch);
    if (!status)
        status = cairn_element_batch_new(BATCH_ELEMENTS, &decoding->element_batch);
    return status;
}

/* All elements that the packets give. */
static cairn_status give_elements(struct reading *reading, struct decoding *decoding, uint64_t base)
{
    struct cairn_element_batch *const batch = decoding->element_batch;
    size_t position = 0;
    cairn_status status = CAIRN_OK;

    do {
        batch->count = 0;
        status = cairn_elements_run(decoding->elements, decoding->packet_batch, &position, batch);
        if (!status)
            status = take_elements(reading, batch, base);
    } while (!status && batch->count);
    return status;
}

static cairn_status give_bytes(struct reading *reading, struct decoding *decoding,
                               const uint8_t *bytes, size_t size, uint64_t base)
{
    struct cairn_packet_batch *const batch = decoding->packet_batch;
    size_t position = 0;
    cairn_status status = CAIRN_OK;

    do {
        batch->count = 0;
        status = cairn_packets_run(decoding->packets, bytes, size, &position, batch);
        if (!status)
            status = give_elements(reading, decoding, base);
    } while (!status && (position < size || batch->count));
    return status;
}

/* Source bytes [from, until), up to where something is missing. What cannot be read, or decoded, tells nothing. */
static cairn_status read_bytes(struct reading *reading, struct decoding *decoding, uint64_t from,
                               uint64_t until)
{
    uint64_t *const taken = &reading->pinning->taken;
    struct cairn_chunk chunk;
    cairn_status status = cairn_reader_seek(decoding->reader, from);

    while (!status && *taken < BYTES_MOST) {
        status = cairn_reader_next(decoding->reader, &chunk);
        reading->is_whole = !status && (!chunk.size || chunk.offset >= until);
        if (status || reading->is_whole ||
            (cairn_reader_lost(decoding->reader) && chunk.offset > from))
            break;
        const uint64_t left = until - chunk.offset;
        const size_t size = chunk.size < left ? chunk.size : (size_t)left;

        status = give_bytes(reading, decoding, chunk.data, size, from);
        *taken += size;
    }
    return status;
}

static cairn_status find_execs(struct reading *reading)
{
    const struct cairn_perf_pinning *const pinning = reading->pinning;

    for (size_t i = 0; i < pinning->exec_count; i++) {
        const struct cairn_perf_exec *const exec = &pinning->execs[i];

        if (exec->time <= reading->mark->began || exec->time >= reading->mark->time)
            continue;
        if (cairn_enlarge(&reading->execs, &reading->exec_room, reading->exec_count + 1,
                          sizeof *reading->execs) != CAIRN_OK)
            return CAIRN_E_MEMORY;
        reading->execs[reading->exec_count++] = exec;
    }
    return CAIRN_OK;
}

cairn_status cairn_perf_pin_part(struct cairn_perf_pinning *pinning, struct cairn_perf_place *place,
                                 size_t part)
{
    const struct cairn_perf_stream *const stream = place->stream;
    struct decoding decoding = {0};

    if (!place->pins && !(place->pins = calloc(stream->mark_count, sizeof *place->pins)))
        return CAIRN_E_MEMORY;
    struct cairn_perf_pins *const pins = &place->pins[part];
    struct reading reading = {
        .pinning = pinning,
        .place = place,
        .mark = &stream->marks[part],
        .pins = pins,
        .thread_mark = pinning->capture->sources[place->source].thread_mark,
        .marker = UINT64_MAX,
    };
    if (pins->is_read)
        return CAIRN_OK;
    pins->is_read = true;
    cairn_status status = find_execs(&reading);
    if (!status)
        status = begin_decoding(&decoding, pinning->capture, place->source);
    reading.has_times = !status && pinning->capture->has_clock && decoding.config->timestamps;
    if (!status && (reading.has_times || reading.exec_count))
        status = read_bytes(&reading, &decoding, place->before[part],
                            part + 1 < stream->mark_count ? place->before[part + 1] : UINT64_MAX);
    if (!status)
        status = pin_entries(&reading);
    end_decoding(&decoding);
    free(reading.hits);
    free(reading.execs);
    return status == CAIRN_E_MEMORY ? status : CAIRN_OK;
}
