/* SPDX-License-Identifier: BSD-2-Clause */
#include "protocol/framing.h"

enum {
    WINDOW = CAIRN_FRAMING_WINDOW,
    NO_CORE = CAIRN_FRAMING_NO_CORE,
    KEEP = 16,        /* old bytes behind `head`: an A-sync may have begun in a gap */
    SIP = 64,         /* bytes taken into the window before the fast way is tried again */
    FAST_LEAST = 256, /* bytes that make it worth trying */
};

void cairn_framing_begin(struct cairn_framing *f, const struct cairn_framing_rules *rules)
{
    f->rules = rules;
    f->place = CAIRN_FRAMING_GAP;
    f->core = NO_CORE;
}

void cairn_framing_amid(void *parser, uint64_t offset)
{
    struct cairn_framing *f = parser;

    f->base = offset;
    f->run_offset = offset;
}

void cairn_framing_move(struct cairn_framing *f, uint64_t at)
{
    f->place = CAIRN_FRAMING_PACKETS;
    f->suspect = false;
    f->run_length = 0;
    f->run_zeros = 0;
    f->base = at;
    f->head = 0;
    f->tail = 0;
    f->core = NO_CORE;
    f->scanned = 0;
}

/* Looks for the next A-sync in what has arrived since the last look. */
static void find_core(struct cairn_framing *f)
{
    const size_t zeros = f->rules->sync_zeros;

    if (f->core != NO_CORE || f->scanned >= f->tail)
        return;
    f->core = f->rules->find_sync(f->window, f->tail, f->scanned > zeros ? f->scanned - zeros : 0);
    if (f->core >= f->tail)
        f->core = NO_CORE;
    f->scanned = f->core == NO_CORE ? f->tail : f->core + zeros + 1;
}

void cairn_framing_put_async(struct cairn_framing *f, struct cairn_packet_batch *batch,
                             uint64_t offset)
{
    const size_t end = f->core + f->rules->sync_zeros + 1;
    const bool suspect = f->suspect;

    f->suspect = false;
    if (f->rules->synchronised)
        f->rules->synchronised(f, suspect);
    cairn_framing_put(f, batch, f->rules->async, offset, f->base + end - offset, NULL);
    f->head = end;
    f->core = NO_CORE;
    f->place = CAIRN_FRAMING_PACKETS;
}

static void put_damage_at(struct cairn_framing *f, struct cairn_packet_batch *batch, unsigned kind,
                          uint64_t offset, uint64_t length)
{
    if (kind == f->rules->reserved)
        f->suspect = true;
    if (f->rules->damaged)
        f->rules->damaged(f);
    cairn_framing_put(f, batch, kind, offset, length, NULL);
}

void cairn_framing_put_damage(struct cairn_framing *f, struct cairn_packet_batch *batch,
                              unsigned kind, size_t length)
{
    put_damage_at(f, batch, kind, cairn_framing_at(f), length);
    f->head += length;
}

bool cairn_framing_put_rest(struct cairn_framing *f, struct cairn_packet_batch *batch)
{
    if (f->core == NO_CORE && !f->ended)
        return false;
    cairn_framing_put_damage(f, batch, f->core == NO_CORE ? f->rules->incomplete : f->rules->cut,
                             cairn_framing_limit(f) - f->head);
    return true;
}

void cairn_framing_zero_run(struct cairn_framing *f)
{
    f->place = CAIRN_FRAMING_ZERO_RUN;
    f->run_offset = cairn_framing_at(f);
    f->run_length = 0;
}

/* Moves the bytes up to `end` into the gap. */
static void take_into_gap(struct cairn_framing *f, size_t end)
{
    const size_t size = end - f->head;
    size_t zeros = 0;

    while (zeros < size && f->window[end - 1 - zeros] == 0)
        zeros++;
    f->run_zeros = zeros == size ? f->run_zeros + size : zeros;
    f->run_length += size;
    f->head = end;
}

/* One step in the gap at the start. False: more bytes are needed. */
static bool step_gap(struct cairn_framing *f, struct cairn_packet_batch *batch)
{
    const size_t end = cairn_framing_limit(f);

    if (end > f->head)
        take_into_gap(f, end);
    if (f->core == NO_CORE)
        return false;
    if (f->run_length > f->run_zeros) {
        const uint64_t length = f->run_length - f->run_zeros;

        cairn_framing_put(f, batch, f->rules->not_sync, f->run_offset, length, NULL);
        f->run_offset += length;
        f->run_length = f->run_zeros;
    } else {
        cairn_framing_put_async(f, batch, f->run_offset);
    }
    return true;
}

/* One step in a run of zeros: it ends in an A-sync, or, with the byte that broke it, it is a
 * reserved packet. False: more bytes are needed. */
static bool step_zero_run(struct cairn_framing *f, struct cairn_packet_batch *batch)
{
    const size_t limit = cairn_framing_limit(f);

    while (f->head < limit && f->window[f->head] == 0) {
        f->head++;
        f->run_length++;
    }
    if (f->head < limit) {
        put_damage_at(f, batch, f->rules->reserved, f->run_offset, f->run_length + 1);
        f->head++;
        f->place = CAIRN_FRAMING_PACKETS;
        return true;
    }
    if (f->core == NO_CORE)
        return false;
    cairn_framing_put_async(f, batch, f->run_offset);
    return true;
}

/* Parses until the bytes or the batch are used up. */
static void parse(struct cairn_framing *f, struct cairn_packet_batch *batch)
{
    bool more = true;

    while (more && !cairn_batch_full(batch)) {
        find_core(f);
        switch (f->place) {
        case CAIRN_FRAMING_PACKETS: more = f->head < f->tail && f->rules->packets(f, batch); break;
        case CAIRN_FRAMING_GAP: more = step_gap(f, batch); break;
        case CAIRN_FRAMING_ZERO_RUN: more = step_zero_run(f, batch); break;
        }
    }
}

/* Makes room at the end of the window. */
static void slide(struct cairn_framing *f)
{
    const size_t drop = f->head > KEEP ? f->head - KEEP : 0;

    if (drop == 0)
        return;
    memmove(f->window, f->window + drop, f->tail - drop);
    f->base += drop;
    f->head -= drop;
    f->tail -= drop;
    f->scanned -= drop;
    if (f->core != NO_CORE)
        f->core -= drop;
}

/* No packet is as long as the window: whatever fills it is none. Zeros at its end are left: they may
 * be those of an A-sync. */
static void give_up_packet(struct cairn_framing *f, struct cairn_packet_batch *batch)
{
    size_t end = f->tail;

    while (end > f->head + 1 && f->window[end - 1] == 0)
        end--;
    cairn_framing_put_damage(f, batch, f->rules->reserved, end - f->head);
    slide(f);
}

/* Between two packets: gives back what was taken in, at most to data[begin], and goes on without
 * the window. False: it did not come to that, or no further. */
static bool run_fast(struct cairn_framing *f, const uint8_t *data, size_t size, size_t begin,
                     size_t *position, struct cairn_packet_batch *batch)
{
    const size_t unread = f->tail - f->head;
    const uint64_t at = cairn_framing_at(f);

    if (!f->rules->fast || batch->fields || f->place != CAIRN_FRAMING_PACKETS || f->suspect ||
        unread > *position - begin)
        return false;
    const size_t from = *position - unread;
    if (size - from < FAST_LEAST)
        return false;
    const size_t taken = f->rules->fast(f, at, data + from, size - from, batch);
    *position = from + taken;
    cairn_framing_move(f, at + taken);
    return taken > 0;
}

cairn_status cairn_framing_run(struct cairn_framing *f, const uint8_t *data, size_t size,
                               size_t *position, struct cairn_packet_batch *batch)
{
    const size_t begin = *position;
    uint64_t stopped = UINT64_MAX; /* where the fast way got no further */
    size_t sip = f->rules->fast && !batch->fields ? SIP : WINDOW;

    if (*position > size || f->ended)
        return CAIRN_E_ARGUMENT;
    cairn_batch_begin(batch);
    for (;;) {
        parse(f, batch);
        if (!cairn_batch_full(batch) && cairn_framing_at(f) != stopped) {
            if (run_fast(f, data, size, begin, position, batch))
                sip = SIP;
            stopped = cairn_framing_at(f);
        }
        if (cairn_batch_full(batch) || *position == size)
            return CAIRN_OK;
        slide(f);
        if (f->tail == WINDOW)
            give_up_packet(f, batch);
        const size_t room = WINDOW - f->tail < sip ? WINDOW - f->tail : sip;
        const size_t take = size - *position < room ? size - *position : room;

        memcpy(f->window + f->tail, data + *position, take);
        f->tail += take;
        *position += take;
        sip = 2 * sip < WINDOW ? 2 * sip : WINDOW;
    }
}

/* Zeros up to the end where a header should be are the start of an A-sync, or memory that the trace
 * did not fill: no packet is lost. If framing is, few of them may be the rest of a packet. */
static unsigned kind_of_zeros(struct cairn_framing *f)
{
    if (f->suspect && f->run_length < f->rules->sync_zeros)
        return f->rules->incomplete;
    f->suspect = false;
    return f->rules->incomplete_sync;
}

cairn_status cairn_framing_finish(struct cairn_framing *f, struct cairn_packet_batch *batch)
{
    f->ended = true;
    cairn_batch_begin(batch);
    parse(f, batch);
    if (cairn_batch_full(batch) || f->place == CAIRN_FRAMING_PACKETS || f->run_length == 0)
        return CAIRN_OK;
    cairn_framing_put(f, batch,
                      f->place == CAIRN_FRAMING_ZERO_RUN ? kind_of_zeros(f) : f->rules->not_sync,
                      f->run_offset, f->run_length, NULL);
    f->run_offset += f->run_length;
    f->run_length = 0;
    f->run_zeros = 0;
    return CAIRN_OK;
}
