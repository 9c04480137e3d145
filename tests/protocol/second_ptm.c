/* SPDX-License-Identifier: BSD-2-Clause */
#include "second_ptm.h"

#include <string.h>

/* Table 4-1. */
enum {
    H_I_SYNC = 0x08,
    H_TRIGGER = 0x0c,
    H_VMID = 0x3c,
    H_TIMESTAMP = 0x42,
    H_CONTEXT_ID = 0x6e,
    H_WAYPOINT_UPDATE = 0x72,
    H_EXCEPTION_RETURN = 0x76,
};

enum { CONTINUE = 0x80, INFORMATION_FOLLOWS = 0x40, FULL_ADDRESS = 5, A_SYNC_ZEROS = 5 };

static void put(struct ptm_writer *w, unsigned byte)
{
    if (w->size < PTM_BYTES_MAX)
        w->bytes[w->size++] = (uint8_t)byte;
}

static void put_low_first(struct ptm_writer *w, uint32_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        put(w, value >> 8 * i & 0xff);
}

/* Figures 4-29 to 4-34: four bits, then seven a byte. `first` is what else the first byte has, and
 * how far its count is from bit 2: an Atom's stands there, too. The first byte says in bit 6 that
 * more follow, the others in bit 7. */
static void put_count(struct ptm_writer *w, unsigned first, uint32_t count)
{
    uint32_t rest = count >> 4;

    put(w, first | (rest ? 0x40u : 0) | (count & 15) << 2);
    while (rest) {
        const unsigned low = rest & 0x7f;

        rest >>= 7;
        put(w, (rest ? CONTINUE : 0) | low);
    }
}

/* 4.5.3. Without counts the oldest is the highest F, and a one above them tells how many there are.
 */
static unsigned atoms_byte(const bool *executed, size_t count)
{
    static const unsigned headers[] = {0, 0x84, 0x88, 0x90, 0xa0, 0xc0};
    unsigned bits = 0;

    for (size_t i = 0; i < count; i++)
        bits = bits << 1 | !executed[i];
    return headers[count] | bits << 1;
}

/* How many of the atoms go into the next packet. */
static size_t choose_atoms(const struct ptm_writer *w, const bool *executed, size_t left)
{
    const size_t most = left < PTM_ATOMS_MAX ? left : PTM_ATOMS_MAX;

    for (size_t count = 1; count <= most && w->size < w->lead_size; count++)
        if (atoms_byte(executed, count) == w->lead[w->size])
            return count;
    return most;
}

static void put_atoms(struct ptm_writer *w)
{
    size_t at = 0;

    while (at < w->atoms) {
        const size_t count = choose_atoms(w, w->executed + at, w->atoms - at);

        put(w, atoms_byte(w->executed + at, count));
        at += count;
    }
    w->atoms = 0;
}

static void put_atom(struct ptm_writer *w, const struct ptm_event *e)
{
    if (w->settings.cycles) {
        put_count(w, 0x80 | (e->executed ? 0u : 0x02u), e->cycles);
        return;
    }
    if (w->atoms == PTM_RUN_MAX)
        put_atoms(w);
    w->executed[w->atoms++] = e->executed;
}

/* 4.5.4: low bits in the first byte above bit 0, then seven a byte. */
static uint64_t code_of(const struct ptm_place *place)
{
    return place->thumb ? (uint64_t)place->address >> 1 : (uint64_t)place->address >> 2;
}

/* Table 4-5: a last byte other than the first and the fifth has six bits. */
static unsigned code_bits(unsigned bytes)
{
    return bytes == 1 ? 6 : 6 + 7 * (bytes - 2) + 6;
}

static unsigned address_bytes(const struct ptm_writer *w, const struct ptm_place *to, bool whole,
                              bool information)
{
    const uint64_t changed = code_of(to) ^ code_of(&w->base);
    unsigned bytes = information ? 2 : 1;

    if (whole || to->thumb != w->base.thumb)
        return FULL_ADDRESS;
    while (bytes < FULL_ADDRESS && changed >> code_bits(bytes) != 0)
        bytes++;
    return bytes;
}

static void put_address(struct ptm_writer *w, const struct ptm_event *e, bool information)
{
    const struct ptm_place *to = &e->place;
    const unsigned bytes = address_bytes(w, to, e->whole, information);
    const unsigned x = information ? INFORMATION_FOLLOWS : 0;
    uint64_t code = code_of(to);

    put(w, (bytes > 1 ? CONTINUE : 0) | (unsigned)(code & 0x3f) << 1 | 1);
    code >>= 6;
    for (unsigned i = 2; i < bytes; i++, code >>= 7)
        put(w, CONTINUE | (unsigned)(code & 0x7f));
    if (bytes == FULL_ADDRESS) /* 0X001aaa, 0X01aaaa */
        put(w, x | (to->thumb ? 0x10u : 0x08u) | (unsigned)code);
    else if (bytes > 1)
        put(w, x | (unsigned)(code & 0x3f));
}

static void put_branch(struct ptm_writer *w, const struct ptm_event *e)
{
    const bool byte_1 = e->exception > 15 || e->place.hyp != w->base.hyp;
    const bool byte_0 = byte_1 || e->exception || e->place.nonsecure != w->base.nonsecure;

    put_address(w, e, byte_0);
    if (byte_0)
        put(w, (byte_1 ? 0x80u : 0) | (e->exception & 15) << 1 | e->place.nonsecure);
    if (byte_1)
        put(w, (e->place.hyp ? 0x20u : 0) | e->exception >> 4);
    if (w->settings.cycles)
        put_count(w, 0, e->cycles);
    w->base = e->place;
}

/* 4.5.2. */
static void put_i_sync(struct ptm_writer *w, const struct ptm_event *e)
{
    put(w, H_I_SYNC);
    put_low_first(w, e->place.address | e->place.thumb, 4);
    put(w, e->reason << 5 | (e->place.nonsecure ? 0x08u : 0) | (e->place.hyp ? 0x02u : 0) | 1);
    if (w->settings.cycles && e->reason != 0)
        put_count(w, 0x80, e->cycles);
    put_low_first(w, e->id, w->settings.context_bytes);
    w->base = e->place;
}

/* 4.5.9; in PFT 1.1 the count is always 0 (4.4). */
static void put_timestamp(struct ptm_writer *w, const struct ptm_event *e)
{
    const unsigned longest = w->settings.wide_time ? 9 : 7;
    const uint64_t code = w->settings.binary_time ? e->time : e->time ^ e->time >> 1;
    const uint64_t changed = code ^ w->time_code;
    unsigned bytes = 1;

    while (bytes < longest && (e->whole || changed >> 7 * bytes != 0))
        bytes++;
    put(w, H_TIMESTAMP | (e->clock_changed ? 0x04u : 0));
    for (unsigned i = 0; i + 1 < bytes; i++)
        put(w, CONTINUE | (unsigned)(code >> 7 * i & 0x7f));
    put(w, (unsigned)(code >> 7 * (bytes - 1)) & (bytes == 9 ? 0xffu : 0x7fu));
    if (w->settings.cycles)
        put_count(w, 0, w->settings.minor == 0 ? e->cycles : 0);
    w->time_code = code;
}

void ptm_second_begin(struct ptm_writer *writer, const struct ptm_settings *settings)
{
    memset(writer, 0, offsetof(struct ptm_writer, bytes));
    writer->settings = *settings;
}

void ptm_second_write(struct ptm_writer *w, const struct ptm_event *e)
{
    if (e->kind == PTM_ATOM) {
        put_atom(w, e);
        return;
    }
    put_atoms(w);
    switch (e->kind) {
    case PTM_A_SYNC:
        put_low_first(w, 0, A_SYNC_ZEROS - 1);
        put(w, 0);
        put(w, 0x80);
        return;
    case PTM_I_SYNC: put_i_sync(w, e); return;
    case PTM_BRANCH: put_branch(w, e); return;
    case PTM_UPDATE: /* 4.5.5: no count, and no new base */
        put(w, H_WAYPOINT_UPDATE);
        put_address(w, e, false);
        return;
    case PTM_CONTEXT_ID:
        put(w, H_CONTEXT_ID);
        put_low_first(w, e->id, w->settings.context_bytes);
        return;
    case PTM_VMID:
        put(w, H_VMID);
        put(w, e->id & 0xff);
        return;
    case PTM_TIMESTAMP: put_timestamp(w, e); return;
    case PTM_RETURN: put(w, H_EXCEPTION_RETURN); return;
    case PTM_TRIGGER: put(w, H_TRIGGER); return;
    case PTM_ATOM:
    case PTM_EVENT_KINDS: return;
    }
}

void ptm_second_end(struct ptm_writer *writer)
{
    put_atoms(writer);
}
