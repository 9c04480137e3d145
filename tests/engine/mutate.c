/* SPDX-License-Identifier: BSD-2-Clause */
#include "mutate.h"

#include <stdbool.h>
#include <string.h>

enum {
    CHANGES_MOST = 4,
    STRETCH_MOST = 64,
    MORE_EACH = MUTATE_MORE / CHANGES_MOST, /* that one change may add */
};

/* Pieces of ETE and ETMv4 that change what comes behind them (headers: DDI0608 D5), and of ETMv3.
 */
#define PIECE(...)                                                                                 \
    {                                                                                              \
        sizeof((const uint8_t[]){__VA_ARGS__}),                                                    \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
static const struct piece {
    size_t size;
    uint8_t bytes[24];
} pieces[] = {
    PIECE(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80),                   /* Alignment Synchronization */
    PIECE(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0x00),       /* ... and a Trace Info */
    PIECE(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0x04, 2),    /* ... that says SPEC = 2 */
    PIECE(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0x09, 1, 5), /* ... with cycle counting */
    PIECE(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    PIECE(0, 0, 0, 0),
    PIECE(0, 3),                   /* Discard */
    PIECE(0, 5),                   /* Overflow */
    PIECE(0x01, 0x00),             /* Trace Info without an A-sync */
    PIECE(0x02, 0x05, 0x03),       /* Timestamp */
    PIECE(0x04),                   /* Trace On */
    PIECE(0x06, 0x00),             /* Exceptions, which need an address packet behind them */
    PIECE(0x06, 0x02, 0x95, 0x04), /* Call, E = 1:0 of ETMv4 and ETE */
    PIECE(0x06, 0x1d, 0x95, 0x10), /* IRQ at a short address */
    PIECE(0x06, 0x03, 0x9a, 0, 8, 0, 0),
    PIECE(0x07), /* Exception Return of ETMv4 */
    PIECE(0x0a), /* Transactions of ETE */
    PIECE(0x0b),
    PIECE(0x0d, 3), /* Cycle Counts */
    PIECE(0x0f, 3),
    PIECE(0x13),
    PIECE(0x15),
    PIECE(0x2d, 1), /* Commit */
    PIECE(0x2d, 3),
    PIECE(0x2e, 1), /* Cancel formats */
    PIECE(0x2f, 2),
    PIECE(0x30), /* Mispredict */
    PIECE(0x35),
    PIECE(0x38),
    PIECE(0x71), /* Events */
    PIECE(0x7f),
    PIECE(0x80),                               /* Context, unchanged */
    PIECE(0x81, 0x31),                         /* ... EL1, Non-secure, A64 */
    PIECE(0x81, 0x21),                         /* ... EL1, Non-secure, A32 */
    PIECE(0x81, 0x30),                         /* ... EL0 */
    PIECE(0x81, 0xf1, 1, 2, 3, 4, 5, 6, 7, 8), /* ... with identifiers */
    PIECE(0x85, 0, 8, 0, 0, 0, 0, 0, 0, 0x31),
    PIECE(0x82, 0, 8, 0, 0, 0x31),
    PIECE(0x83, 0, 16, 0, 0, 0x21),
    PIECE(0x88), /* Timestamp Marker */
    PIECE(0x90), /* Exact matches */
    PIECE(0x91),
    PIECE(0x92),
    PIECE(0x95, 0x04), /* Short addresses */
    PIECE(0x95, 0x10),
    PIECE(0x95, 0x84, 0x08),
    PIECE(0x96, 0x08),
    PIECE(0x9a, 0, 8, 0, 0),
    PIECE(0x9b, 0, 16, 0, 0),
    PIECE(0x9d, 0, 8, 0, 0, 0, 0, 0, 0),
    PIECE(0xa0), /* Q */
    PIECE(0xa5, 4, 3),
    PIECE(0xac, 5),
    PIECE(0xaf),
    PIECE(0xb0), /* Source Addresses */
    PIECE(0xb4, 0x06),
    PIECE(0xb6, 8, 8, 0, 0),
    PIECE(0xc0), /* Atoms of every format */
    PIECE(0xd4),
    PIECE(0xd5),
    PIECE(0xd8),
    PIECE(0xda),
    PIECE(0xdc),
    PIECE(0xdf),
    PIECE(0xe8),
    PIECE(0xf5),
    PIECE(0xf6),
    PIECE(0xf7),
    PIECE(0xf8),
    PIECE(0xff),
    PIECE(0xf7, 0xf7, 0xf7, 0xf7, 0xf7, 0xf7, 0xf7, 0xf7, 0xf7),
    PIECE(0xd4, 0xd6, 0xd9, 0xe1, 0xc3, 0xf6, 0xf7, 0xfe),
    PIECE(0, 0, 0, 0, 0, 0x80, 0x08, 1, 0, 0x10, 0, 0), /* ETMv3's (IHI0014): A-sync, I-sync */
    PIECE(0, 0, 0, 0, 0, 0x80),
    PIECE(0x84), /* P-headers */
    PIECE(0xa8, 0xa0),
    PIECE(0x84, 0x26, 0x81, 0x82, 0x83, 0x84, 0x15, 7), /* Normal data */
    PIECE(0x8c, 0x2e, 0x04, 0, 0, 0, 0, 0x50),          /* ... and Store failed */
    PIECE(0x84, 0x02, 0x0a, 1, 2),
    PIECE(0x84, 0x78, 0x10, 0x84, 0x4c, 1, 2, 3, 4), /* a placeholder, and its value */
    PIECE(0x84, 0x62),                               /* Data suppressed */
    PIECE(0x84, 0x7a, 0x04),                         /* Value not traced */
    PIECE(0x81, 0x80, 0x81, 0x80, 0x48, 0x3c),       /* Can, and an IRQ */
};

static uint64_t draw(uint64_t *state, uint64_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*state >> 33) % below;
}

static size_t insert(uint8_t *bytes, size_t size, size_t at, const uint8_t *what, size_t count)
{
    memmove(bytes + at + count, bytes + at, size - at);
    memcpy(bytes + at, what, count);
    return size + count;
}

static size_t take_out(uint8_t *bytes, size_t size, size_t at, size_t count)
{
    if (count > size - at)
        count = size - at;
    memmove(bytes + at, bytes + at + count, size - at - count);
    return size - count;
}

/* One change; adds MORE_EACH bytes at most. */
static size_t change(uint8_t *bytes, size_t size, uint64_t *state)
{
    const size_t at = (size_t)draw(state, size + 1);
    const struct piece *piece = &pieces[draw(state, sizeof pieces / sizeof pieces[0])];
    const size_t stretch = (size_t)draw(state, STRETCH_MOST) + 1;
    uint8_t copy[STRETCH_MOST];
    size_t from;

    switch (draw(state, 10)) {
    case 0:
        if (at < size)
            bytes[at] ^= (uint8_t)(1u << draw(state, 8));
        return size;
    case 1:
        if (at < size)
            bytes[at] = (uint8_t)draw(state, 256);
        return size;
    case 2: return take_out(bytes, size, at, 1);
    case 3: return take_out(bytes, size, at, stretch);
    case 4: /* a stretch of the trace, once more and elsewhere */
        if (size < stretch)
            return size;
        from = (size_t)draw(state, size - stretch + 1);
        memcpy(copy, bytes + from, stretch);
        return insert(bytes, size, at, copy, stretch);
    case 5:
        memset(copy, (int)draw(state, 2) ? 0 : 0xf7, sizeof copy);
        return insert(bytes, size, at, copy, stretch);
    case 6:
        if (draw(state, 4) == 0)
            return at;
        return insert(bytes, size, at, piece->bytes, piece->size);
    default: return insert(bytes, size, at, piece->bytes, piece->size);
    }
}

size_t mutate(uint8_t *bytes, size_t size, uint64_t seed)
{
    uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    const uint64_t changes = draw(&state, CHANGES_MOST) + 1;

    for (uint64_t i = 0; i < changes; i++)
        size = change(bytes, size, &state);
    return size;
}
