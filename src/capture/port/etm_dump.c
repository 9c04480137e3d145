/* SPDX-License-Identifier: BSD-2-Clause */
/* OpenOCD's `etm dump`: big-endian words of 32 bits: status of the capture, ETMCR, how many records;
 * then records of PIPESTAT, TRACEPKT and flags. */
#include <cairn/port.h>

#include "base/bytes.h"
#include "capture/port/view.h"

#define FLAG_SYNC (1u << 0)
#define FLAG_TRIGGER (1u << 1)
/* idle, or a set of: running, triggered, completed, overflowed */
#define STATUS_MASK 0xfu
#define FLAGS_MASK (FLAG_SYNC | FLAG_TRIGGER)
#define PIPESTAT_MASK 0xfu
#define PACKET_MASK 0xffffu

static bool is_record(const uint8_t *record)
{
    return !(cairn_load_be32(record) & ~PIPESTAT_MASK) &&
           !(cairn_load_be32(record + 4) & ~PACKET_MASK) &&
           !(cairn_load_be32(record + 8) & ~FLAGS_MASK);
}

bool cairn_etm_dump_is(const uint8_t *head, size_t head_size, uint64_t file_size)
{
    size_t at = CAIRN_ETM_DUMP_HEAD;

    if (head_size < CAIRN_ETM_DUMP_HEAD + CAIRN_ETM_DUMP_RECORD ||
        cairn_load_be32(head) & ~STATUS_MASK)
        return false;
    /* a file that was cut has fewer than it says */
    if (cairn_load_be32(head + 8) < (file_size - CAIRN_ETM_DUMP_HEAD) / CAIRN_ETM_DUMP_RECORD)
        return false;
    for (; at + CAIRN_ETM_DUMP_RECORD <= head_size; at += CAIRN_ETM_DUMP_RECORD)
        if (!is_record(head + at))
            return false;
    return true;
}

void cairn_etm_dump_summary(const uint8_t *head, uint64_t file_size,
                            struct cairn_port_summary *summary)
{
    summary->kind = CAIRN_PORT_V1;
    summary->status = cairn_load_be32(head);
    summary->etmcr = cairn_load_be32(head + 4);
    summary->depth = cairn_load_be32(head + 8);
    summary->bytes = (file_size - CAIRN_ETM_DUMP_HEAD) / CAIRN_ETM_DUMP_RECORD * CAIRN_SAMPLE_BYTES;
}

static struct cairn_sample sample_of(const uint8_t *record)
{
    const uint32_t flags = cairn_load_be32(record + 8);

    return (struct cairn_sample){
        .pipestat = (uint8_t)(cairn_load_be32(record) & PIPESTAT_MASK),
        .flags = (uint8_t)((flags & FLAG_SYNC ? CAIRN_SAMPLE_SYNC : 0) |
                           (flags & FLAG_TRIGGER ? CAIRN_SAMPLE_TRIGGER : 0)),
        .packet = (uint16_t)cairn_load_be32(record + 4),
    };
}

/* Records that are read at once. */
#define RECORDS 256u

static int64_t read_dump(const struct cairn_buffer_view *view, int fd, void *bytes, size_t size,
                         uint64_t offset)
{
    uint8_t records[RECORDS * CAIRN_ETM_DUMP_RECORD], sample[CAIRN_SAMPLE_BYTES];
    uint8_t *to = bytes;
    size_t done = 0;

    (void)view;
    while (done < size) {
        const uint64_t first = (offset + done) / CAIRN_SAMPLE_BYTES;
        const int64_t got = cairn_input_read(fd, records, sizeof records,
                                             CAIRN_ETM_DUMP_HEAD + first * CAIRN_ETM_DUMP_RECORD);
        if (got < 0)
            return -1;
        const size_t count = (size_t)got / CAIRN_ETM_DUMP_RECORD;
        size_t within = (size_t)((offset + done) % CAIRN_SAMPLE_BYTES);
        for (size_t i = 0; i < count && done < size; i++, within = 0) {
            cairn_sample_store(sample, sample_of(records + i * CAIRN_ETM_DUMP_RECORD));
            while (within < CAIRN_SAMPLE_BYTES && done < size)
                to[done++] = sample[within++];
        }
        if (!count)
            break;
    }
    return (int64_t)done;
}

const struct cairn_buffer_view *cairn_etm_dump_view(void)
{
    static const struct cairn_buffer_view view = {.read = read_dump};
    return &view;
}

/* --- writing --- */

static void store(uint8_t *bytes, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> (24 - 8 * i));
}

void cairn_etm_dump_head(uint32_t status, uint32_t etmcr, uint32_t samples,
                         uint8_t head[CAIRN_ETM_DUMP_HEAD])
{
    store(head, status);
    store(head + 4, etmcr);
    store(head + 8, samples);
}

void cairn_etm_dump_record(const uint8_t sample[4], uint8_t record[CAIRN_ETM_DUMP_RECORD])
{
    const struct cairn_sample told = cairn_sample_load(sample);

    store(record, told.pipestat);
    store(record + 4, told.packet);
    store(record + 8, (told.flags & CAIRN_SAMPLE_SYNC ? FLAG_SYNC : 0) |
                          (told.flags & CAIRN_SAMPLE_TRIGGER ? FLAG_TRIGGER : 0));
}
