/* SPDX-License-Identifier: BSD-2-Clause */
/* The records of a perf.data file, one after the other. */
#include "base/bytes.h"
#include "capture/perf/perf.h"

#define HEADER_SIZE 8u
#define AUXTRACE_AT_SIZE 0u /* u64, of what follows the record */
#define TRACING_AT_SIZE 0u  /* u32 */

/* --- numbers --- */

uint16_t cairn_perf_u16(const struct cairn_perf *perf, const uint8_t *bytes)
{
    return perf->big_endian ? cairn_load_be16(bytes) : cairn_load_le16(bytes);
}

uint32_t cairn_perf_u32(const struct cairn_perf *perf, const uint8_t *bytes)
{
    return perf->big_endian ? cairn_load_be32(bytes) : cairn_load_le32(bytes);
}

uint64_t cairn_perf_u64(const struct cairn_perf *perf, const uint8_t *bytes)
{
    return perf->big_endian ? cairn_load_be64(bytes) : cairn_load_le64(bytes);
}

/* Of LOST_SAMPLES: what a filter kept out (perf record --filter, by BPF), as was asked for. */
#define MISC_FILTERED (1u << 15)

uint64_t cairn_perf_lost(const struct cairn_perf *perf, const struct cairn_perf_record *record)
{
    if (record->type == CAIRN_PERF_RECORD_LOST && record->size >= 16)
        return cairn_perf_u64(perf, record->bytes + 8);
    if (record->type == CAIRN_PERF_RECORD_LOST_SAMPLES && record->size >= 8 &&
        !(record->misc & MISC_FILTERED))
        return cairn_perf_u64(perf, record->bytes);
    return 0;
}

/* --- bytes --- */

const uint8_t *cairn_perf_bytes(struct cairn_perf *perf, uint64_t offset, size_t size)
{
    if (size > CAIRN_PERF_RECORD_MOST || offset > perf->input.size ||
        size > perf->input.size - offset)
        return NULL;
    if (offset < perf->bytes_at || offset - perf->bytes_at > perf->bytes_count ||
        size > perf->bytes_count - (size_t)(offset - perf->bytes_at)) {
        const int64_t got =
            perf->input.read(perf->input.context, perf->bytes, sizeof perf->bytes, offset);

        perf->bytes_at = offset;
        perf->bytes_count = got > 0 ? (size_t)got : 0;
        if (perf->bytes_count < size)
            return NULL;
    }
    return perf->bytes + (size_t)(offset - perf->bytes_at);
}

/* --- records --- */

static bool end(struct cairn_perf *perf, enum cairn_perf_end why)
{
    perf->ended = why;
    perf->end = perf->at;
    return false;
}

/* What follows a record and is none. */
static uint64_t payload_of(const struct cairn_perf *perf, const struct cairn_perf_record *record)
{
    if (record->type == CAIRN_PERF_RECORD_AUXTRACE && record->size >= AUXTRACE_AT_SIZE + 8u)
        return cairn_perf_u64(perf, record->bytes + AUXTRACE_AT_SIZE);
    if (record->type == CAIRN_PERF_RECORD_TRACING_DATA && record->size >= TRACING_AT_SIZE + 4u)
        return ((uint64_t)cairn_perf_u32(perf, record->bytes + TRACING_AT_SIZE) + 7) / 8 * 8;
    return 0;
}

static bool next_in_file(struct cairn_perf *perf, struct cairn_perf_record *record)
{
    if (perf->at == perf->end)
        return perf->is_short ? end(perf, CAIRN_PERF_END_CUT) : false;
    const uint64_t left = perf->end - perf->at;
    const uint8_t *header =
        left >= HEADER_SIZE ? cairn_perf_bytes(perf, perf->at, HEADER_SIZE) : NULL;
    if (!header)
        return end(perf, left < HEADER_SIZE ? CAIRN_PERF_END_CUT : CAIRN_PERF_END_UNREADABLE);
    const size_t size = cairn_perf_u16(perf, header + 6);
    if (size < HEADER_SIZE)
        return end(perf, CAIRN_PERF_END_DAMAGED);
    if (size > left)
        return end(perf, CAIRN_PERF_END_CUT);
    header = cairn_perf_bytes(perf, perf->at, size);
    if (!header)
        return end(perf, CAIRN_PERF_END_UNREADABLE);
    *record = (struct cairn_perf_record){
        .type = cairn_perf_u32(perf, header),
        .misc = cairn_perf_u16(perf, header + 4),
        .offset = perf->at,
        .bytes = header + HEADER_SIZE,
        .size = size - HEADER_SIZE,
    };
    record->payload_size = payload_of(perf, record);
    if (record->payload_size > left - size)
        return end(perf, CAIRN_PERF_END_CUT);
    perf->at += size + record->payload_size;
    return true;
}

/* A record that is for the caller. */
static bool is_plain(struct cairn_perf *perf, const struct cairn_perf_record *record)
{
    if (!cairn_perf_is_packed(record->type))
        return true;
    if (record->is_unpacked)
        perf->unpack.unreadable++; /* nobody packs twice */
    else
        cairn_perf_unpack(perf, record);
    return false;
}

/* Behind the records in front. False: there are none, or the data began before. */
static bool begin_data(struct cairn_perf *perf)
{
    if (!perf->is_in_front)
        return false;
    perf->is_in_front = false;
    perf->is_front_cut = perf->ended != CAIRN_PERF_END_WHOLE;
    perf->front_at = perf->at;
    perf->ended = CAIRN_PERF_END_WHOLE;
    perf->at = perf->data_at;
    perf->end = perf->data_end;
    cairn_perf_unpack_anew(&perf->unpack);
    return true;
}

void cairn_perf_go_on(struct cairn_perf *perf, const struct cairn_perf_input *input)
{
    perf->input = *input;
    perf->at = 0;
    perf->end = input->size;
    perf->is_short = false;
    perf->ended = CAIRN_PERF_END_WHOLE;
    perf->bytes_at = 0;
    perf->bytes_count = 0;
    cairn_perf_unpack_anew(&perf->unpack);
}

bool cairn_perf_next(struct cairn_perf *perf, struct cairn_perf_record *record)
{
    do {
        if (cairn_perf_unpacked(perf, record))
            continue;
        if (!next_in_file(perf, record)) {
            cairn_perf_unpack_end(perf);
            if (!begin_data(perf) || !next_in_file(perf, record))
                return false;
        }
    } while (!is_plain(perf, record));
    if (record->type == CAIRN_PERF_RECORD_EVENT_ID)
        cairn_perf_take_ids(perf, record);
    if (record->type != CAIRN_PERF_RECORD_ATTR || !perf->pipe ||
        cairn_perf_take_attribute(perf, record->bytes, record->size))
        return true;
    perf->at = record->offset;
    return end(perf, CAIRN_PERF_END_DAMAGED);
}
