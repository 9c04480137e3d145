/* SPDX-License-Identifier: BSD-2-Clause */
/* The levels of a session, unit after unit. */
#include "capture/port/session.h"

#include <stdlib.h>
#include <string.h>

#define BIT(n) (UINT64_C(1) << (n))
#define WINDOW ((size_t)64 << 10)

struct unpacking {
    const struct cairn_sigrok *session;
    struct cairn_archive *archive;
    struct cairn_sigrok_chunk *chunks;
    size_t chunk_count;
    size_t size, used;                     /* of the window */
    bool entered;                          /* the chunk of the place is open */
    uint8_t before[CAIRN_SIGROK_UNIT_MAX]; /* the last unit */
    bool has_before;
    uint8_t window[WINDOW];
};

/* --- chunks --- */

/* "logic-1-12" of "logic-1" is 12, the stem itself 0; false: another file. */
static bool is_chunk(const char *name, const char *stem, uint64_t *number)
{
    const size_t length = strlen(stem);
    char *end;

    if (!name || strncmp(name, stem, length) != 0)
        return false;
    *number = 0;
    if (!name[length])
        return true;
    if (name[length] != '-' || name[length + 1] < '1' || name[length + 1] > '9')
        return false;
    *number = strtoull(name + length + 1, &end, 10);
    return !*end;
}

static int compare_chunks(const void *a, const void *b)
{
    const struct cairn_sigrok_chunk *one = a, *other = b;

    if (one->number != other->number)
        return one->number < other->number ? -1 : 1;
    return (one->index > other->index) - (one->index < other->index);
}

struct cairn_sigrok_chunk *cairn_sigrok_chunks(const struct cairn_archive *archive,
                                               const char *stem, size_t *count)
{
    const uint64_t entries = cairn_archive_count(archive);
    struct cairn_sigrok_chunk *chunks = NULL;
    uint64_t number;

    *count = 0;
    for (uint64_t i = 0; i < entries; i++)
        *count += is_chunk(cairn_archive_name(archive, i), stem, &number);
    if (*count)
        chunks = calloc(*count, sizeof *chunks);
    *count = 0;
    for (uint64_t i = 0; chunks && i < entries; i++)
        if (is_chunk(cairn_archive_name(archive, i), stem, &number))
            chunks[(*count)++] = (struct cairn_sigrok_chunk){number, i};
    if (chunks)
        qsort(chunks, *count, sizeof *chunks, compare_chunks);
    return chunks;
}

/* --- units --- */

static void take_levels(const struct cairn_sigrok *session, const uint8_t *unit,
                        struct cairn_port_levels *now)
{
    uint64_t high = 0;

    for (size_t i = 0; i < session->tap_count; i++)
        if (unit[session->taps[i].byte] >> session->taps[i].bit & 1)
            high |= BIT(session->taps[i].wire);
    now->high = high;
    now->unknown = 0;
}

/* What is in no chunk, or in one that cannot be unpacked, is not known. */
static void lose_levels(struct unpacking *u, struct cairn_port_place *place)
{
    struct cairn_port_levels *now = &place->sampler.now;
    uint8_t none[CAIRN_PORT_EDGE_BYTES];

    for (size_t i = 0; i < u->session->tap_count; i++)
        now->unknown |= BIT(u->session->taps[i].wire);
    now->high = 0;
    (void)cairn_port_sampler_settle(&place->sampler, none); /* nothing: the clock is not known */
    u->has_before = false;
}

/* One unit more than the last: an edge shows in the first one behind it. */
static int take_unit(struct unpacking *u, struct cairn_port_place *place,
                     const struct cairn_port_taker *taker)
{
    const size_t unit_size = u->session->unit_size;
    const uint8_t *unit = u->window + u->used;
    uint8_t bytes[CAIRN_PORT_EDGE_BYTES];

    u->used += unit_size;
    place->offset += unit_size;
    place->within += unit_size;
    if (u->has_before && !memcmp(u->before, unit, unit_size))
        return 0;
    memcpy(u->before, unit, unit_size);
    u->has_before = true;
    take_levels(u->session, unit, &place->sampler.now);
    const size_t size = cairn_port_sampler_settle(&place->sampler, bytes);
    return size ? taker->bytes(taker->context, bytes, size) : 0;
}

/* Fills the window, with what is left of it in front: false at the end of the chunk, or of what can be read. */
static bool refill(struct unpacking *u, bool *damaged)
{
    const size_t left = u->size - u->used;

    memmove(u->window, u->window + u->used, left);
    u->used = 0;
    u->size = left;
    const int64_t got = cairn_archive_read(u->archive, u->window + left, WINDOW - left);
    *damaged = got < 0;
    if (got <= 0)
        return false;
    u->size += (size_t)got;
    return true;
}

/* Opens the chunk of the place, and goes to where the place is in it. */
static bool enter_chunk(struct unpacking *u, const struct cairn_port_place *place)
{
    uint64_t skip = place->within;

    u->size = u->used = 0;
    if (!cairn_archive_enter(u->archive, u->chunks[place->chunk].index))
        return false;
    while (skip) {
        const size_t want = skip < WINDOW ? (size_t)skip : WINDOW;
        const int64_t got = cairn_archive_read(u->archive, u->window, want);
        if (got <= 0)
            return false;
        skip -= (uint64_t)got;
    }
    u->entered = true;
    return true;
}

/* Numbers that are left out in front of this chunk. */
static bool is_behind_hole(const struct unpacking *u, uint64_t chunk)
{
    const uint64_t number = u->chunks[chunk].number;

    return chunk ? number > u->chunks[chunk - 1].number + 1 : number > 1;
}

static void next_chunk(struct unpacking *u, struct cairn_port_place *place, bool damaged)
{
    if (damaged) {
        place->sampler.counts.damaged++;
        lose_levels(u, place);
    }
    u->entered = false;
    place->chunk++;
    place->within = 0;
}

static int run_chunk(struct unpacking *u, struct cairn_port_place *place,
                     const struct cairn_port_taker *taker)
{
    const size_t unit_size = u->session->unit_size;
    bool damaged = false;
    int stop = 0;

    if (!u->entered && !place->within && taker->place)
        stop = taker->place(taker->context, place);
    if (stop)
        return stop;
    if (!u->entered && !place->within && is_behind_hole(u, place->chunk) && place->offset)
        lose_levels(u, place);
    if (!u->entered && !enter_chunk(u, place)) {
        next_chunk(u, place, true);
        return 0;
    }
    do {
        if (taker->place && u->size - u->used < unit_size && u->size)
            stop = taker->place(taker->context, place);
        while (!stop && u->size - u->used >= unit_size)
            stop = take_unit(u, place, taker);
    } while (!stop && refill(u, &damaged));
    if (!stop) /* what is left fills no unit */
        next_chunk(u, place, damaged || u->size != u->used);
    return stop;
}

/* --- for view.c --- */

static void begin_session(const void *file, struct cairn_port_place *place)
{
    const struct cairn_sigrok *session = file;

    memset(place, 0, sizeof *place);
    cairn_port_sampler_init(&place->sampler, &session->layout);
}

static void close_session(void *stream)
{
    struct unpacking *u = stream;

    cairn_archive_close(u->archive);
    free(u->chunks);
    free(u);
}

static void *open_session(const void *file, int fd, const struct cairn_port_place *place)
{
    const struct cairn_sigrok *session = file;
    struct cairn_port_input input = session->input;
    struct unpacking *u = calloc(1, sizeof *u);

    (void)place; /* the first run goes there */
    if (!u)
        return NULL;
    input.fd = fd;
    u->session = session;
    if (cairn_archive_open(&input, "", &u->archive, NULL) == CAIRN_OK)
        u->chunks = cairn_sigrok_chunks(u->archive, session->stem, &u->chunk_count);
    if (u->chunks)
        return u;
    close_session(u);
    return NULL;
}

static cairn_status run_session(void *stream, struct cairn_port_place *place,
                                const struct cairn_port_taker *taker)
{
    struct unpacking *u = stream;
    int stop = 0;

    while (!stop && place->chunk < u->chunk_count)
        stop = run_chunk(u, place, taker);
    return CAIRN_OK;
}

static struct cairn_port_layout *layout_of(void *file)
{
    struct cairn_sigrok *session = file;

    return &session->layout;
}

static void tap_session(void *file)
{
    cairn_sigrok_tap(file);
}

const struct cairn_port_recording cairn_sigrok_recording = {
    .file_size = sizeof(struct cairn_sigrok),
    .begin = begin_session,
    .open = open_session,
    .run = run_session,
    .close = close_session,
    .layout = layout_of,
    .tap = tap_session,
};
