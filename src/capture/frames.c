/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/frames.h"

#include <string.h>

#include "base/bytes.h"

#define PAIRS (CAIRN_FRAME_SIZE / 2)
#define AUXILIARY 15
#define SYNC_ONES 0xff /* every byte of FSYNC and HSYNC but the last ... */
#define SYNC_LAST 0x7f /* ... which is this */
#define FSYNC_SIZE 4
#define HSYNC_SIZE 2

/* Bit 0 of each even byte of eight, set in one that holds an ID, and what brings them together. */
#define ID_FLAGS 0x0001000100010001u
#define GATHER 0x0001000200040008u
/* Two FSYNCs as a little-endian doubleword. */
#define FSYNC_TWICE 0x7fffffff7fffffffu
#define FSYNC_ONCE 0x7fffffffu

/* Auxiliary bits 3:0 moved to bit 0 of bytes 0, 2, 4, 6. */
#define SPREAD(n)                                                                                  \
    (((uint64_t)((n)&1)) | ((uint64_t)((n) >> 1 & 1) << 16) | ((uint64_t)((n) >> 2 & 1) << 32) |   \
     ((uint64_t)((n) >> 3 & 1) << 48))
static const uint64_t spread[16] = {
    SPREAD(0), SPREAD(1), SPREAD(2),  SPREAD(3),  SPREAD(4),  SPREAD(5),  SPREAD(6),  SPREAD(7),
    SPREAD(8), SPREAD(9), SPREAD(10), SPREAD(11), SPREAD(12), SPREAD(13), SPREAD(14), SPREAD(15),
};

void cairn_frames_init(struct cairn_frames *frames, struct cairn_frame_layout layout)
{
    memset(frames, 0, sizeof *frames);
    frames->layout = layout;
    frames->aligned = !(layout.port && layout.hunt);
    frames->skip = layout.port ? 0 : layout.skip;
    frames->id = CAIRN_FRAME_NO_ID;
    frames->account.size = sizeof frames->account;
}

static bool is_reserved(unsigned id)
{
    return id != 0 && id != CAIRN_TRACE_ID_TRIGGER && !cairn_trace_id_is_source(id);
}

/* The account that data under `id` belongs to. */
static uint64_t *account_of(struct cairn_buffer_account *account, unsigned id)
{
    if (id == CAIRN_FRAME_NO_ID)
        return &account->no_id;
    if (id == CAIRN_TRACE_ID_TRIGGER)
        return &account->trigger_id;
    return cairn_trace_id_is_source(id) ? &account->data[id] : &account->null_id;
}

static bool has_room(const struct cairn_frames_out *out)
{
    return !out || (out->byte_capacity - out->byte_count >= CAIRN_FRAME_ROOM &&
                    out->run_capacity - out->run_count >= CAIRN_FRAME_MAX_RUNS);
}

static void append_run(struct cairn_frames_out *out, uint64_t file_offset, uint64_t length)
{
    out->runs[out->run_count++] =
        (struct cairn_run){.offset = out->offset, .file_offset = file_offset, .length = length};
    out->offset += length;
}

static void put(struct cairn_frames *frames, struct cairn_frames_out *out, uint8_t byte,
                uint64_t file_offset)
{
    ++*account_of(&frames->account, frames->id);
    if (!out || out->id != frames->id)
        return;
    out->bytes[out->byte_count++] = byte;
    struct cairn_run *last = out->run_count ? &out->runs[out->run_count - 1] : NULL;
    if (last && last->file_offset + last->length == file_offset) {
        last->length++;
        out->offset++;
    } else {
        append_run(out, file_offset, 1);
    }
}

/* Frames with synchronisation inside go halfword by halfword. */

/* One halfword of a whole frame. The auxiliary bit of byte 14, when that is an ID, means nothing:
 * no data byte follows it in the frame. */
static void split_pair(struct cairn_frames *frames, const uint8_t *bytes, unsigned auxiliary,
                       bool last, uint64_t at, struct cairn_frames_out *out)
{
    const unsigned even = bytes[0];
    if (!(even & 1)) {
        put(frames, out, (uint8_t)(even | auxiliary), at);
        if (!last)
            put(frames, out, bytes[1], at + 1);
        return;
    }
    frames->account.framing++;
    const uint8_t id = (uint8_t)(even >> 1);
    frames->reserved += is_reserved(id);
    if (last) {
        frames->id = id;
    } else if (auxiliary) {
        put(frames, out, bytes[1], at + 1);
        frames->id = id;
    } else {
        frames->id = id;
        put(frames, out, bytes[1], at + 1);
    }
}

static void split_frame(struct cairn_frames *frames, const uint8_t *bytes, const uint64_t *pair_at,
                        struct cairn_frames_out *out)
{
    const unsigned auxiliary = bytes[AUXILIARY];
    for (unsigned pair = 0; pair < PAIRS; pair++)
        split_pair(frames, bytes + 2 * pair, auxiliary >> pair & 1, pair == PAIRS - 1,
                   pair_at[pair], out);
    frames->account.framing++; /* byte 15 */
}

/* Which pairs of a frame hold an ID: bit n for bytes 2n and 2n + 1. */
static unsigned id_pairs(uint64_t low, uint64_t high)
{
    /* the product has bits 0, 16, 32, 48 of its argument in bits 48 to 51, and no carries */
    const unsigned first = (unsigned)((low & ID_FLAGS) * GATHER >> 48);
    const unsigned second = (unsigned)((high & ID_FLAGS) * GATHER >> 48);
    return (first & 15) | (second & 15) << 4;
}

/* Data bytes [from, to) of a frame at frames->position, under the current ID. 16 bytes are readable
 * from each. */
static void take_data(struct cairn_frames *frames, const uint8_t *data, unsigned from, unsigned to,
                      struct cairn_frames_out *out)
{
    const unsigned length = to - from;
    if (!length)
        return;
    *account_of(&frames->account, frames->id) += length;
    if (!out || out->id != frames->id)
        return;
    memcpy(out->bytes + out->byte_count, data + from, CAIRN_FRAME_SIZE);
    out->byte_count += length;
    append_run(out, frames->position + from, length);
}

/* A frame whose bytes lie together at frames->position. */
static void take_frame(struct cairn_frames *frames, const uint8_t *bytes,
                       struct cairn_frames_out *out)
{
    const uint64_t low = cairn_load_le64(bytes);
    const uint64_t high = cairn_load_le64(bytes + 8);
    const unsigned auxiliary = bytes[AUXILIARY];
    uint8_t data[2 * CAIRN_FRAME_SIZE] = {0}; /* with bit 0 of each data byte; then slack */
    cairn_store_le64(data, low | spread[auxiliary & 15]);
    cairn_store_le64(data + 8, high | spread[auxiliary >> 4]);
    unsigned from = 0;
    for (unsigned pairs = id_pairs(low, high); pairs; pairs &= pairs - 1) {
        const unsigned pair = (unsigned)__builtin_ctz(pairs);
        const uint8_t id = bytes[2 * pair] >> 1;
        take_data(frames, data, from, 2 * pair, out);
        frames->account.framing++;
        frames->reserved += is_reserved(id);
        from = 2 * pair + 1;
        if (auxiliary >> pair & 1 && pair < PAIRS - 1) { /* the next byte is still the old ID's */
            take_data(frames, data, from, from + 1, out);
            from++;
        }
        frames->id = id;
    }
    take_data(frames, data, from, AUXILIARY, out);
    frames->account.framing++; /* byte 15 */
    frames->position += CAIRN_FRAME_SIZE;
}

/* How many more frames of 15 data bytes and one run each *out has room for. */
static size_t room_for(const struct cairn_frames_out *out)
{
    const size_t bytes = out->byte_capacity - out->byte_count;
    const size_t runs = out->run_capacity - out->run_count;
    if (bytes < CAIRN_FRAME_ROOM || runs < CAIRN_FRAME_MAX_RUNS)
        return 0;
    const size_t by_bytes = (bytes - CAIRN_FRAME_ROOM) / CAIRN_FRAME_MAX_DATA + 1;
    const size_t by_runs = runs - CAIRN_FRAME_MAX_RUNS + 1;
    return by_bytes < by_runs ? by_bytes : by_runs;
}

/* How many of the `count` frames at `bytes` come before the first in which an even byte has bit 0
 * set: they hold neither an ID nor synchronisation. */
static size_t count_plain(const uint8_t *bytes, size_t count)
{
    size_t n = 0;
    for (; n < count; n++, bytes += CAIRN_FRAME_SIZE) {
        if ((cairn_load_le64(bytes) | cairn_load_le64(bytes + 8)) & ID_FLAGS)
            break;
    }
    return n;
}

/* The data of at most `count` frames, up to the first that is not plain; returns how many frames.
 * Local variables throughout: nothing that is stored here can change them. */
static size_t copy_plain(const uint8_t *bytes, size_t count, uint64_t position,
                         struct cairn_frames_out *out)
{
    uint8_t *to = out->bytes + out->byte_count;
    struct cairn_run *run = out->runs + out->run_count;
    uint64_t offset = out->offset;
    size_t n = 0;
    for (; n < count; n++, bytes += CAIRN_FRAME_SIZE) {
        const uint64_t low = cairn_load_le64(bytes);
        const uint64_t high = cairn_load_le64(bytes + 8);
        const unsigned auxiliary = bytes[AUXILIARY];
        if ((low | high) & ID_FLAGS)
            break;
        cairn_store_le64(to, low | spread[auxiliary & 15]);
        cairn_store_le64(to + 8, high | spread[auxiliary >> 4]);
        *run++ = (struct cairn_run){.offset = offset,
                                    .file_offset = position + n * CAIRN_FRAME_SIZE,
                                    .length = CAIRN_FRAME_MAX_DATA};
        to += CAIRN_FRAME_MAX_DATA;
        offset += CAIRN_FRAME_MAX_DATA;
    }
    out->byte_count += n * CAIRN_FRAME_MAX_DATA;
    out->run_count += n;
    out->offset = offset;
    return n;
}

/* Frames without IDs, which lie together at frames->position: 15 bytes each for the current ID, all
 * of them handled alike. Returns how many bytes it took. */
static size_t take_plain_frames(struct cairn_frames *frames, const uint8_t *bytes, size_t size,
                                struct cairn_frames_out *out)
{
    size_t count = size / CAIRN_FRAME_SIZE;
    if (out && out->id == frames->id) {
        const size_t room = room_for(out);
        count = copy_plain(bytes, count < room ? count : room, frames->position, out);
    } else {
        count = count_plain(bytes, count);
    }
    *account_of(&frames->account, frames->id) += count * CAIRN_FRAME_MAX_DATA;
    frames->account.framing += count; /* byte 15 */
    frames->position += count * CAIRN_FRAME_SIZE;
    return count * CAIRN_FRAME_SIZE;
}

/* Memory: frames at multiples of 16. */
static void take_memory_frame(struct cairn_frames *frames, const uint8_t *bytes,
                              struct cairn_frames_out *out)
{
    const uint64_t low = cairn_load_le64(bytes);
    if ((uint32_t)low == FSYNC_ONCE) {
        if (low == FSYNC_TWICE && cairn_load_le64(bytes + 8) == FSYNC_TWICE) {
            frames->account.sync += CAIRN_FRAME_SIZE;
            frames->position += CAIRN_FRAME_SIZE;
            frames->id = CAIRN_FRAME_NO_ID;
            return;
        }
        frames->stray++;
    }
    take_frame(frames, bytes, out);
}

static size_t run_memory(struct cairn_frames *frames, const uint8_t *data, size_t size,
                         struct cairn_frames_out *out)
{
    size_t taken = 0;
    while (taken < size && has_room(out)) {
        if (frames->filled == 0 && size - taken >= CAIRN_FRAME_SIZE) {
            const size_t plain = take_plain_frames(frames, data + taken, size - taken, out);
            taken += plain;
            if (plain == 0) {
                take_memory_frame(frames, data + taken, out);
                taken += CAIRN_FRAME_SIZE;
            }
            continue;
        }
        frames->frame[frames->filled++] = data[taken++];
        if (frames->filled == CAIRN_FRAME_SIZE) {
            frames->filled = 0;
            take_memory_frame(frames, frames->frame, out);
        }
    }
    return taken;
}

/* Port, no frame boundary known: up to and with the next FSYNC. */
static size_t hunt(struct cairn_frames *frames, const uint8_t *data, size_t size)
{
    for (size_t taken = 0; taken < size; taken++) {
        const uint8_t byte = data[taken];
        if (byte == SYNC_ONES) {
            if (frames->ones < FSYNC_SIZE - 1)
                frames->ones++;
        } else if (byte == SYNC_LAST && frames->ones == FSYNC_SIZE - 1) {
            frames->aligned = true;
            frames->position += taken + 1;
            /* the three bytes before were counted as unaligned */
            frames->account.unaligned += taken + 1;
            frames->account.unaligned -= FSYNC_SIZE;
            frames->account.sync += FSYNC_SIZE;
            return taken + 1;
        } else {
            frames->ones = 0;
        }
    }
    frames->position += size;
    frames->account.unaligned += size;
    return size;
}

static void take_fsync(struct cairn_frames *frames)
{
    frames->account.sync += FSYNC_SIZE;
    if (frames->filled) {
        frames->cut++;
        frames->account.truncated += frames->filled;
        frames->filled = 0;
    }
}

/* Behind a loss of an odd number of bytes the halfwords are out of step, and FSYNC shows as (x, FF)
 * (FF, FF) (7F, y). Nothing else can look like this: an even byte is never FF. */
static void take_late_fsync(struct cairn_frames *frames)
{
    frames->held = false;
    frames->cut++;
    if (frames->filled) {
        frames->account.truncated += frames->filled - 1u;
        frames->account.sync += FSYNC_SIZE;
    } else { /* its first byte was taken for an auxiliary byte */
        frames->account.sync += FSYNC_SIZE - 1;
    }
    frames->filled = 0;
    frames->last_odd = 0;
}

static void take_pair(struct cairn_frames *frames, uint8_t even, uint8_t odd, uint64_t at,
                      struct cairn_frames_out *out)
{
    frames->pair_at[frames->filled / 2] = at;
    frames->frame[frames->filled] = even;
    frames->frame[frames->filled + 1] = odd;
    frames->filled = (uint8_t)(frames->filled + 2);
    frames->last_odd = odd;
    if (frames->filled == CAIRN_FRAME_SIZE) {
        frames->filled = 0;
        split_frame(frames, frames->frame, frames->pair_at, out);
    }
}

static void take_byte(struct cairn_frames *frames, uint8_t byte, struct cairn_frames_out *out)
{
    const uint64_t at = frames->position++ - 1; /* of the halfword, once it is whole */
    if (!frames->half) {
        if (frames->held && byte == SYNC_LAST && frames->last_odd == SYNC_ONES) {
            take_late_fsync(frames);
            return;
        }
        frames->first = byte;
        frames->half = true;
        return;
    }
    frames->half = false;
    const uint8_t even = frames->first;
    const bool sync = even == SYNC_ONES && byte == SYNC_LAST;
    if (frames->held) {
        frames->held = false;
        if (sync) {
            take_fsync(frames);
            frames->last_odd = byte;
            return;
        }
        take_pair(frames, SYNC_ONES, SYNC_ONES, frames->held_at, out);
    }
    if (sync) {
        frames->account.sync += HSYNC_SIZE;
        frames->last_odd = byte;
    } else if (even == SYNC_ONES && byte == SYNC_ONES) {
        frames->held = true;
        frames->held_at = at;
    } else {
        take_pair(frames, even, byte, at, out);
    }
}

/* True when no even byte is FF: 16 such bytes at a frame's start are a frame. */
static bool has_no_sync(const uint8_t *bytes)
{
    for (unsigned pair = 0; pair < PAIRS; pair++) {
        if (bytes[2 * pair] == SYNC_ONES)
            return false;
    }
    return true;
}

static size_t run_port(struct cairn_frames *frames, const uint8_t *data, size_t size,
                       struct cairn_frames_out *out)
{
    size_t taken = 0;
    while (taken < size && has_room(out)) {
        if (!frames->aligned) {
            taken += hunt(frames, data + taken, size - taken);
        } else if (frames->filled == 0 && !frames->half && !frames->held &&
                   size - taken >= CAIRN_FRAME_SIZE && has_no_sync(data + taken)) {
            const size_t plain = take_plain_frames(frames, data + taken, size - taken, out);
            if (plain == 0)
                take_frame(frames, data + taken, out);
            taken += plain ? plain : CAIRN_FRAME_SIZE;
            frames->last_odd = data[taken - 1];
        } else {
            take_byte(frames, data[taken++], out);
        }
    }
    return taken;
}

static size_t run_blocks(struct cairn_frames *frames, const uint8_t *data, size_t size,
                         struct cairn_frames_out *out)
{
    size_t taken = 0;
    while (taken < size) {
        const size_t in_block = (size_t)(frames->position % CAIRN_DSTREAM_BLOCK);
        const bool payload = in_block < CAIRN_DSTREAM_PAYLOAD;
        const size_t left = (payload ? CAIRN_DSTREAM_PAYLOAD : CAIRN_DSTREAM_BLOCK) - in_block;
        const size_t part = left < size - taken ? left : size - taken;
        if (!payload) {
            frames->account.framing += part;
            frames->position += part;
            taken += part;
            continue;
        }
        const size_t done = run_port(frames, data + taken, part, out);
        taken += done;
        if (done < part)
            break;
    }
    return taken;
}

size_t cairn_frames_run(struct cairn_frames *frames, const uint8_t *data, size_t size,
                        struct cairn_frames_out *out)
{
    if (frames->skip) {
        const size_t skipped = frames->skip < size ? frames->skip : size;
        frames->skip = (uint8_t)(frames->skip - skipped);
        frames->position += skipped;
        frames->account.unaligned += skipped;
        return skipped == size ? size
                               : skipped + run_memory(frames, data + skipped, size - skipped, out);
    }
    if (!frames->layout.port)
        return run_memory(frames, data, size, out);
    return frames->layout.blocks ? run_blocks(frames, data, size, out)
                                 : run_port(frames, data, size, out);
}

void cairn_frames_finish(struct cairn_frames *frames)
{
    uint64_t left = frames->filled;
    if (frames->layout.port)
        left += (frames->half ? 1u : 0u) + (frames->held ? 2u : 0u);
    else
        frames->position += left; /* memory counts the position by frames */
    frames->account.truncated += left;
    frames->filled = 0;
    frames->half = false;
    frames->held = false;
}

uint64_t cairn_buffer_account_sum(const struct cairn_buffer_account *account)
{
    uint64_t sum = account->framing + account->sync + account->null_id + account->trigger_id +
                   account->unaligned + account->no_id + account->truncated;
    for (unsigned id = 0; id < CAIRN_FRAME_ID_COUNT; id++)
        sum += account->data[id];
    return sum;
}
