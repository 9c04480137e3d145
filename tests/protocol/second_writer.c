/* SPDX-License-Identifier: BSD-2-Clause */
#include "second_writer.h"

#include <string.h>

/* Table 7-1; 3C, 42 and 46 of issue Q. */
enum {
    H_A_SYNC = 0x00,
    H_CYCLE_COUNT = 0x04,
    H_I_SYNC = 0x08,
    H_TRIGGER = 0x0c,
    H_LATE_DATA = 0x00,   /* 0TT0SS00 */
    H_PLACEHOLDER = 0x50, /* 01A1TT00 */
    H_DATA = 0x02,        /* 00A0SS10 */
    H_VMID = 0x3c,
    H_TIMESTAMP = 0x42,
    H_STORE_FAILED = 0x50,
    H_SUPPRESSED = 0x62,
    H_IGNORE = 0x66,
    H_NOT_TRACED = 0x6a, /* 011A1010 */
    H_CONTEXT_ID = 0x6e,
    H_I_SYNC_CYCLES = 0x70,
    H_EXCEPTION_EXIT = 0x76,
    H_EXCEPTION_ENTRY = 0x7e,
};

enum { CONTINUE = 0x80, INFORMATION_FOLLOWS = 0x40, FULL_ADDRESS = 5, A_SYNC_ZEROS = 5 };

static void put(struct second_writer *w, unsigned byte)
{
    if (w->size < SECOND_BYTES_MAX)
        w->bytes[w->size] = (uint8_t)byte;
    w->size++;
}

static void put_low_first(struct second_writer *w, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        put(w, value >> 8 * i & 0xff);
}

static unsigned choose(struct second_writer *w, unsigned count)
{
    if (w->seed == 0)
        return 0;
    w->seed ^= w->seed << 13;
    w->seed ^= w->seed >> 7;
    w->seed ^= w->seed << 17;
    return (unsigned)(w->seed % count);
}

void second_begin(struct second_writer *writer, const struct second_settings *settings,
                  uint64_t seed)
{
    memset(writer, 0, sizeof *writer);
    writer->settings = *settings;
    writer->seed = seed;
}

/* 7.3.1: P-headers ------------------------------------------------------------------------- */

bool second_can_say(const struct second_settings *settings, const char *atoms)
{
    bool sayable[SECOND_RUN_MAX + 1];

    if (strlen(atoms) > SECOND_RUN_MAX)
        return false;
    second_find_sayable(settings, atoms, sayable);
    return sayable[0];
}

/* The one that `lead` has here, if it may stand here; the one that says most; or one by chance. */
static struct second_header choose_header(struct second_writer *w,
                                          const struct second_header *headers, size_t count)
{
    struct second_header best = headers[0];

    for (size_t i = 0; i < count && w->size < w->lead_size; i++)
        if (headers[i].byte == w->lead[w->size])
            return headers[i];
    if (w->seed)
        return headers[choose(w, (unsigned)count)];
    for (size_t i = 1; i < count; i++)
        if (headers[i].atoms > best.atoms)
            best = headers[i];
    return best;
}

static void put_atoms(struct second_writer *w, const char *atoms)
{
    struct second_header headers[SECOND_HEADERS_MAX];
    bool sayable[SECOND_RUN_MAX + 1];
    size_t at = 0;

    second_find_sayable(&w->settings, atoms, sayable);
    w->header_count = 0;
    while (atoms[at] != '\0') {
        const size_t count = second_headers(&w->settings, atoms + at, sayable + at, headers);
        const struct second_header header = choose_header(w, headers, count);
        put(w, header.byte);
        at += header.atoms;
        if (w->header_count < SECOND_ATOMS_MAX)
            w->headers[w->header_count] = header;
        w->header_count++;
    }
}

bool second_write_atoms(struct second_writer *writer, const char *atoms)
{
    const size_t length = strlen(atoms);

    if (length > SECOND_RUN_MAX || writer->size + length > SECOND_BYTES_MAX ||
        writer->settings.data_only || !second_can_say(&writer->settings, atoms))
        return false;
    put_atoms(writer, atoms);
    return true;
}

/* 7.3.4: low seven bits first, bit 7 says that more follow. */
static void put_count(struct second_writer *w, uint32_t count)
{
    while (count > 0x7f) {
        put(w, CONTINUE | (count & 0x7f));
        count >>= 7;
    }
    put(w, count);
}

/* 7.3.5: branch packets --------------------------------------------------------------------- */

/* "Branch address generation": bit 32 set as a mark, shifted by the alignment, a one at the low
 * end; cut into five times seven bits. */
static uint64_t branch_code(const struct second_place *place)
{
    const uint64_t marked = UINT64_C(1) << 32 | place->address;

    switch (place->state) {
    case SECOND_ARM: return marked >> 2 << 1 | 1;
    case SECOND_THUMB:
    case SECOND_THUMBEE: return marked >> 1 << 1 | 1;
    default: return marked << 1 | 1;
    }
}

/* How many bits of the code `bytes` address bytes hold. In the alternative scheme bit 6 of a last
 * byte other than the first is no part of the address (Table 7-6). */
static unsigned code_bits(const struct second_settings *settings, unsigned bytes)
{
    return settings->alternative && bytes > 1 ? 7 * bytes - 1 : 7 * bytes;
}

static unsigned lengthened(unsigned bytes, unsigned spare, unsigned longest)
{
    return bytes + spare < longest ? bytes + spare : longest;
}

static unsigned branch_bytes(const struct second_writer *w, const struct second_place *to,
                             unsigned information, unsigned spare)
{
    const uint64_t changed = branch_code(to) ^ branch_code(&w->base);
    unsigned bytes = information ? 2 : 1;

    if (to->state != w->base.state) /* Table 7-14 */
        return FULL_ADDRESS;
    if (information && !w->settings.alternative)
        return FULL_ADDRESS;
    while (bytes < FULL_ADDRESS && changed >> code_bits(&w->settings, bytes) != 0)
        bytes++;
    return lengthened(bytes, spare, FULL_ADDRESS);
}

/* The address bytes; `information` says that there are information bytes behind. */
static void put_branch_address(struct second_writer *w, const struct second_event *e,
                               unsigned information)
{
    const struct second_place *to = &e->place;
    const unsigned bytes = branch_bytes(w, to, information, e->spare);
    const uint64_t code = branch_code(to);
    const unsigned last = (unsigned)(code >> 7 * (bytes - 1) & 0x7f);

    w->address_bytes = bytes;
    for (unsigned i = 0; i + 1 < bytes; i++)
        put(w, CONTINUE | (unsigned)(code >> 7 * i & 0x7f));
    if (bytes == FULL_ADDRESS)
        put(w, last | (information ? INFORMATION_FOLLOWS : 0)); /* Table 7-8 */
    else if (w->settings.alternative && bytes > 1)
        put(w, (last & 0x3f) | (information ? INFORMATION_FOLLOWS : 0)); /* Table 7-6 */
    else
        put(w, last);
}

enum { BYTE_0 = 1, BYTE_1 = 2, BYTE_2 = 4 };

/* Which exception information bytes there are: Figures 7-26 to 7-29; the Hyp bit of ETMv3.5 is in
 * byte 1 (issue Q, Table 7-10). */
static unsigned information_bytes(const struct second_writer *w, const struct second_event *e)
{
    const bool ee = e->place.state == SECOND_THUMBEE || w->base.state == SECOND_THUMBEE;
    const bool hyp_changes = e->place.hyp != w->base.hyp;
    unsigned which = 0;

    if (e->resume)
        which |= BYTE_2;
    if (e->exception > 15 || hyp_changes)
        which |= BYTE_1;
    if (which || e->informed || e->exception || e->cancel ||
        e->place.nonsecure != w->base.nonsecure || (ee && e->place.state != w->base.state))
        which |= BYTE_0;
    return which;
}

static void put_information(struct second_writer *w, const struct second_event *e, unsigned which)
{
    if (which & BYTE_0)
        put(w, (which & (BYTE_1 | BYTE_2) ? 0x80u : 0) |
                   (e->place.state == SECOND_THUMBEE ? 0x40u : 0) | (e->cancel ? 0x20u : 0) |
                   (e->exception & 15) << 1 | (e->place.nonsecure ? 1u : 0));
    if (which & BYTE_1)
        put(w, (which & BYTE_2 ? 0x80u : 0) | (e->place.hyp ? 0x20u : 0) | e->exception >> 4);
    if (which & BYTE_2)
        put(w, 0x40u | e->resume);
}

/* Tables 7-8 and 7-9: 1CEEExxx in the fifth byte, and nothing behind it. */
static void put_old_exception(struct second_writer *w, const struct second_event *e)
{
    const uint64_t code = branch_code(&e->place);

    for (unsigned i = 0; i + 1 < FULL_ADDRESS; i++)
        put(w, CONTINUE | (unsigned)(code >> 7 * i & 0x7f));
    put(w, 0x80u | (e->cancel ? 0x40u : 0) | e->exception << 3 | e->place.address >> 29);
}

static void put_branch(struct second_writer *w, const struct second_event *e)
{
    const unsigned which = information_bytes(w, e);

    if (e->old) {
        put_old_exception(w, e);
    } else {
        put_branch_address(w, e, which);
        put_information(w, e, which);
    }
    w->base = e->place;
}

/* 7.7.3: I-sync ------------------------------------------------------------------------------ */

/* The information byte; Hyp by ETMv3.5. */
static unsigned sync_information(const struct second_settings *settings,
                                 const struct second_event *e)
{
    const bool has_state = !settings->data_only;

    return (e->in_progress ? 0x80u : 0) | e->reason << 5 |
           (has_state && e->place.state == SECOND_JAZELLE ? 0x10u : 0) |
           (e->place.nonsecure ? 0x08u : 0) |
           (has_state && e->place.state == SECOND_THUMBEE ? 0x04u : 0) |
           (e->place.hyp ? 0x02u : 0) | 0x01u;
}

/* Bit 0 of the address is the Thumb bit, but for Jazelle state (Table 7-22). */
static uint32_t sync_address(const struct second_place *place)
{
    const bool thumb = place->state == SECOND_THUMB || place->state == SECOND_THUMBEE;

    return place->address | thumb;
}

/* The current instruction's address: compressed against the data instruction's, as a branch without
 * exception. */
static void put_current(struct second_writer *w, const struct second_event *e)
{
    const struct second_event branch = {.kind = SECOND_BRANCH, .place = e->current};

    put_branch(w, &branch);
}

static void put_i_sync(struct second_writer *w, const struct second_event *e)
{
    put(w, e->has_count ? H_I_SYNC_CYCLES : H_I_SYNC);
    if (e->has_count)
        put_count(w, e->cycles);
    put_low_first(w, e->id, w->settings.context_bytes);
    put(w, sync_information(&w->settings, e));
    w->base = e->place;
    if (!w->settings.data_only)
        put_low_first(w, sync_address(&e->place), 4);
    if (e->in_progress)
        put_current(w, e);
    if (e->reason != 0)
        w->data_known = false; /* 7.7.4: D-sync on the first data address after a gap */
    if (e->reason == 2)
        w->time_known = false; /* issue Q, 7.7.1: whole behind an overflow */
}

/* 7.4: data ---------------------------------------------------------------------------------- */

/* Table 7-19. */
static unsigned size_code(uint32_t value)
{
    if (value == 0)
        return 0;
    if (value < 256)
        return 1;
    return value < 65536 ? 2 : 3;
}

/* 7.4.2, "Data value": what the size says. */
static void put_value(struct second_writer *w, uint32_t value)
{
    static const unsigned bytes[] = {0, 1, 2, 4};

    if (w->settings.values)
        put_low_first(w, value, bytes[size_code(value)]);
}

/* 7.4.2, "Data address", "BE bit", which is of v3.1 (B.3.2); the fifth byte is Figure 7-34: BE
 * above A[31:28]. */
static void put_data_address(struct second_writer *w, const struct second_event *e)
{
    const uint32_t address = e->data_address;
    const uint32_t changed = address ^ w->data_address;
    const bool must = e->whole || !w->data_known || e->big_endian != w->data_big_endian;
    unsigned bytes = 1;

    if (!e->has_address || !w->settings.addresses)
        return;
    while (bytes < FULL_ADDRESS && (must || changed >> 7 * bytes != 0))
        bytes++;
    bytes = lengthened(bytes, e->spare, FULL_ADDRESS);
    w->address_bytes = bytes;
    for (unsigned i = 0; i + 1 < bytes; i++)
        put(w, CONTINUE | (address >> 7 * i & 0x7f));
    if (bytes == FULL_ADDRESS)
        put(w, (e->big_endian ? 0x10u : 0) | address >> 28);
    else
        put(w, address >> 7 * (bytes - 1) & 0x7f);
    w->data_known = true;
    w->data_address = address;
    w->data_big_endian = e->big_endian;
}

static void put_data(struct second_writer *w, const struct second_event *e)
{
    put(w, H_DATA | (e->has_address ? 0x20u : 0) | size_code(e->value) << 2);
    put_data_address(w, e);
    put_value(w, e->value);
}

/* 7.4.3. */
static void put_placeholder(struct second_writer *w, const struct second_event *e)
{
    put(w, H_PLACEHOLDER | (e->has_address ? 0x20u : 0) | e->tag << 2);
    put_data_address(w, e);
}

/* 7.4.3: an address never. */
static void put_late_data(struct second_writer *w, const struct second_event *e)
{
    put(w, H_LATE_DATA | e->tag << 5 | size_code(e->value) << 2);
    put_value(w, e->value);
}

/* 7.4.5. */
static void put_not_traced(struct second_writer *w, const struct second_event *e)
{
    put(w, H_NOT_TRACED | (e->has_address ? 0x10u : 0));
    put_data_address(w, e);
}

/* 7.4.6: up to ETMv3.2 D-sync follows. */
static void put_suppressed(struct second_writer *w)
{
    put(w, H_SUPPRESSED);
    if (w->settings.minor <= 2)
        w->data_known = false;
}

/* Timestamps, issue Q 7.7.4: the low bits that changed, seven a byte; the seventh byte has six (48
 * bits), the ninth eight (64 bits). */
static void put_timestamp(struct second_writer *w, const struct second_event *e)
{
    const uint64_t code = w->settings.binary_time ? e->time : e->time ^ e->time >> 1;
    const uint64_t changed = code ^ w->time_code;
    const unsigned longest = w->settings.wide_time ? 9 : 7;
    unsigned bytes = 1;

    while (bytes < longest && (e->whole || !w->time_known || changed >> 7 * bytes != 0))
        bytes++;
    bytes = lengthened(bytes, e->spare, longest);
    w->address_bytes = bytes;
    put(w, H_TIMESTAMP | (e->clock_changed ? 0x04u : 0));
    for (unsigned i = 0; i + 1 < bytes; i++)
        put(w, CONTINUE | (unsigned)(code >> 7 * i & 0x7f));
    put(w, (unsigned)(code >> 7 * (bytes - 1)) & (bytes == 9 ? 0xffu : 0x7fu));
    w->time_known = true;
    w->time_code = code;
}

/* 7.7.2: five zeros or more, then 80. */
static void put_a_sync(struct second_writer *w)
{
    const unsigned zeros = A_SYNC_ZEROS + choose(w, 3);

    for (unsigned i = 0; i < zeros; i++)
        put(w, H_A_SYNC);
    put(w, 0x80);
}

/* Which events a setting has no packet for -------------------------------------------------- */

static bool is_data(enum second_kind kind)
{
    return kind == SECOND_DATA || kind == SECOND_PLACEHOLDER || kind == SECOND_LATE_DATA ||
           kind == SECOND_NOT_TRACED;
}

/* 7.4.10, and issue Q for VMID and Timestamp. */
static bool is_in_data_only(enum second_kind kind)
{
    return is_data(kind) || kind == SECOND_A_SYNC || kind == SECOND_I_SYNC ||
           kind == SECOND_CONTEXT_ID || kind == SECOND_TRIGGER || kind == SECOND_IGNORE ||
           kind == SECOND_VMID || kind == SECOND_TIMESTAMP;
}

static bool can_branch(const struct second_settings *s, const struct second_event *e)
{
    if (e->place.state == SECOND_THUMBEE && s->minor < 3)
        return false;
    if (e->old)
        return !s->alternative && e->place.state == SECOND_ARM && e->exception < 8;
    if (e->exception > 15 || e->resume)
        return s->m_profile && s->minor >= 4 && e->exception < 512 && e->resume < 16;
    return !e->place.hyp || s->minor >= 5;
}

static bool can_write(const struct second_settings *s, const struct second_event *e)
{
    if (s->data_only && !is_in_data_only(e->kind))
        return false;
    if (is_data(e->kind) && ((!s->addresses && !s->values) || (e->big_endian && s->minor < 1)))
        return false;
    switch (e->kind) {
    case SECOND_ATOMS: return second_can_say(s, e->atoms);
    case SECOND_BRANCH: return can_branch(s, e);
    case SECOND_PLACEHOLDER: return e->tag >= 1 && e->tag <= 3;
    case SECOND_LATE_DATA: return e->tag >= 1 && e->tag <= 3 && s->values;
    case SECOND_STORE_FAILED: return s->values && s->minor >= 1; /* B.3.2 */
    case SECOND_CONTEXT_ID: return s->context_bytes != 0;
    case SECOND_VMID:
    case SECOND_TIMESTAMP: return s->minor >= 5;
    case SECOND_EXCEPTION_ENTRY: return s->m_profile && s->minor >= 4;
    case SECOND_EXCEPTION_EXIT: return s->minor >= (s->m_profile ? 4u : 5u);
    default: return true;
    }
}

static void put_event(struct second_writer *w, const struct second_event *e)
{
    switch (e->kind) {
    case SECOND_A_SYNC: put_a_sync(w); return;
    case SECOND_I_SYNC: put_i_sync(w, e); return;
    case SECOND_ATOMS: put_atoms(w, e->atoms); return;
    case SECOND_BRANCH: put_branch(w, e); return;
    case SECOND_DATA: put_data(w, e); return;
    case SECOND_PLACEHOLDER: put_placeholder(w, e); return;
    case SECOND_LATE_DATA: put_late_data(w, e); return;
    case SECOND_NOT_TRACED: put_not_traced(w, e); return;
    case SECOND_SUPPRESSED: put_suppressed(w); return;
    case SECOND_STORE_FAILED: put(w, H_STORE_FAILED); return;
    case SECOND_CONTEXT_ID:
        put(w, H_CONTEXT_ID);
        put_low_first(w, e->id, w->settings.context_bytes);
        return;
    case SECOND_VMID:
        put(w, H_VMID);
        put(w, e->id & 0xff);
        return;
    case SECOND_TIMESTAMP: put_timestamp(w, e); return;
    case SECOND_CYCLE_COUNT:
        put(w, H_CYCLE_COUNT);
        put_count(w, e->cycles);
        return;
    case SECOND_TRIGGER: put(w, H_TRIGGER); return;
    case SECOND_IGNORE: put(w, H_IGNORE); return;
    case SECOND_EXCEPTION_ENTRY: put(w, H_EXCEPTION_ENTRY); return;
    case SECOND_EXCEPTION_EXIT: put(w, H_EXCEPTION_EXIT); return;
    case SECOND_KIND_COUNT: return;
    }
}

bool second_write(struct second_writer *writer, const struct second_event *event)
{
    enum { LONGEST = SECOND_ATOMS_MAX + 32 };

    if (writer->size + LONGEST > SECOND_BYTES_MAX || !can_write(&writer->settings, event))
        return false;
    put_event(writer, event);
    return true;
}
