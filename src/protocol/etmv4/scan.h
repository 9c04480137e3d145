/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of a scan (protocol/scan.h), and what its files call of each other: scan.c (the run),
 * scan_view.c (the bytes), scan_headers.c (what a header is), scan_fast.c (packets), scan_direct.c,
 * scan_lay.c and scan_runs.c (the same, the fastest), scan_queue.c (what is not resolved yet),
 * scan_levels.c (handing over to the levels parse.c, elements.c and resolve.c, and back).
 *
 * A scan is in one of two modes. In the fast one it parses packets where they lie and keeps what is
 * not resolved as tokens; it is in step with the trace, nothing is damaged and no transaction is
 * open. Everything else the levels do, and the scan makes tokens of what they give. */
#ifndef CAIRN_ETMV4_SCAN_H
#define CAIRN_ETMV4_SCAN_H

#include "base/bytes.h"
#include "protocol/etmv4/cursor.h"
#include "protocol/etmv4/payload.h"
#include "protocol/etmv4/resolve.h"
#include "protocol/scan.h"

/* On a token in the queue: void, by a Mispredict. */
#define CAIRN_TOKEN_DROP (1u << 13)
/* In the queue, `value` of Atoms has the first one's place in its packet from this bit on. */
#define CAIRN_TOKEN_NTH_SHIFT 32u

/* What a header byte is to the fast mode. */
enum cairn_scan_op {
    CAIRN_SCAN_LEVELS, /* not for it */
    CAIRN_SCAN_ATOMS,
    CAIRN_SCAN_EXACT,
    CAIRN_SCAN_SHORT,
    CAIRN_SCAN_LONG,
    CAIRN_SCAN_CYCLES_F1,
    CAIRN_SCAN_CYCLES_F2,
    CAIRN_SCAN_CYCLES_F3,
    CAIRN_SCAN_COMMIT,
    CAIRN_SCAN_CANCEL_F1,
    CAIRN_SCAN_CANCEL, /* formats 2 and 3, and Mispredict: a header alone */
    CAIRN_SCAN_EVENT,
    CAIRN_SCAN_IGNORE,
    CAIRN_SCAN_TIMESTAMP,
    CAIRN_SCAN_EXTENSION,
    CAIRN_SCAN_OTHER, /* through payload.c and elements.c, one packet at a time */
};

struct cairn_scan_header {
    struct cairn_token token; /* of a packet that is its header, and gives one token or none */
    uint8_t single;           /* it is such a packet */
    uint8_t runs;             /* one Atom, and a Commit of it may follow */
    uint8_t tokens;           /* 0 or 1 */
    uint8_t p0;               /* P0 elements of it */
    uint8_t commits;
    uint8_t recent;      /* 1 + the place of the last P0 element or Event; 0: none that counts */
    uint16_t zero_flags; /* of the token if its value is 0 */
    uint32_t cycle_mask; /* all ones: the threshold is added */
    uint8_t op;          /* enum cairn_scan_op */
    uint8_t count;       /* Atoms; an address's sub_isa */
    uint8_t account;     /* enum cairn_account */
    uint8_t cancel;      /* CAIRN_SCAN_CANCEL: how many; LONG: bytes of the address */
    uint32_t atoms;      /* 1 = E */
};

/* A token that found no room in the caller's batch. */
struct cairn_scan_spill {
    struct cairn_token token;
    struct cairn_element_data data;
};

struct cairn_etmv4_scan {
    struct cairn_config *config;
    const struct cairn_etmv4_config *decoded;
    struct cairn_scan_batch *batch; /* of the call under way */
    uint64_t offset;                /* of the next byte to take in */
    bool fast;
    bool failed; /* out of memory: sticky */
    bool ended;

    /* Fast mode. The queue is the resolver's, in tokens; only the youngest committed Atom, and
     * those of its packet that come before it, stand apart, before the queue. */
    struct cairn_etmv4_state *compression; /* the parser's own */
    uint32_t max;                          /* speculation depth at most */
    uint32_t p0;                           /* kinds that are P0 elements: a bit each */
    struct cairn_token held;               /* count 0: none */
    struct cairn_token *queue;
    size_t capacity;
    size_t first;
    size_t end;
    size_t voided;         /* of queue: how far Target Addresses were voided by a Mispredict */
    uint32_t outstanding;  /* P0 elements in the queue */
    uint32_t atoms;        /* Atoms in the queue */
    uint32_t mispredicts;  /* in the queue */
    uint32_t unseen;       /* P0 elements outstanding that were never seen */
    uint64_t front_offset; /* of the first Atoms laid out: their packet, and their place in it */
    uint8_t front_nth;
    struct cairn_element_data *slot; /* data of tokens in the queue */
    uint32_t *free_slot;
    uint32_t slots;
    uint32_t free_slots;
    /* Timestamp Markers, as the resolver has them. */
    bool tsmark;
    bool marked;
    bool mark_approximate;
    bool recent_known;
    uint8_t recent_nth;
    uint8_t mark_nth;
    uint64_t mark_offset;
    uint64_t recent_offset;

    struct cairn_scan_spill *spill; /* what the batch had no room for */
    size_t spill_capacity;
    size_t spill_first;
    size_t spill_end;

    struct cairn_scan_ledger ledger;
    struct cairn_scan_header header[256];
    struct cairn_hot_table hot;
    uint8_t kinds[256];

    /* The levels. */
    struct cairn_etmv4_parser *parser;
    struct cairn_etmv4_elements *elements;
    struct cairn_etmv4_resolver *resolver;
    struct cairn_packet_batch *packets;
    struct cairn_element_batch *raw;
    struct cairn_element_batch *resolved;
    size_t packet_at;
    size_t raw_at;
    size_t resolved_at;
    size_t stride;      /* packets to take at once */
    uint64_t by_levels; /* packets since the levels took over */
};

/* Why the fast mode stopped. */
enum cairn_scan_stop {
    CAIRN_SCAN_STOP_FULL,   /* no more room in the batch */
    CAIRN_SCAN_STOP_LEVELS, /* the next packet is for the levels */
    CAIRN_SCAN_STOP_BYTES,  /* so few bytes are left that the next packet may not be whole */
};

/* What comes behind a packet that the fast mode tried. */
enum cairn_scan_next {
    CAIRN_SCAN_ON,    /* the next one */
    CAIRN_SCAN_LOOK,  /* the same again, if there is more to see: an A-sync may cut it */
    CAIRN_SCAN_LEAVE, /* it is for the next slower way, unless it was taken */
};

/* Bytes at hand, and up to where no A-sync cuts a packet. */
struct cairn_scan_view {
    const uint8_t *bytes;
    size_t size;
    size_t core; /* first of the last zeros of the next A-sync; size: none up to `looked` */
    size_t looked;
    size_t limit; /* a packet that ends here, or before, is whole */
};

/* Tokens that one packet can add, and more. */
#define CAIRN_SCAN_ROOM 16

/* Bytes of a packet that may be read without looking whether they are there. */
#define CAIRN_SCAN_MARGIN 32u

/* scan_view.c */
/* Looks on for an A-sync. False: all bytes were looked at, or one is known. */
bool cairn_etmv4_scan_look(struct cairn_scan_view *view, size_t at);
/* Up to here packets of one byte need no more care. */
size_t cairn_etmv4_scan_stop(const struct cairn_scan_view *view, size_t at);
/* The length of the A-sync at `at`; 0: it is none, or not known yet. */
size_t cairn_etmv4_scan_async(struct cairn_scan_view *view, size_t at);
/* The levels took the bytes up to `at`. */
void cairn_etmv4_scan_move(struct cairn_scan_view *view, size_t at);

/* scan_headers.c */
void cairn_etmv4_scan_headers(struct cairn_etmv4_scan *scan);

/* scan_fast.c */
/* Takes packets from *position on, moves it behind them. */
enum cairn_scan_stop cairn_etmv4_scan_fast(struct cairn_etmv4_scan *scan,
                                           struct cairn_scan_view *view, size_t *position);

/* Parses any other packet, at bytes[0], of which `size` are its own at most: its elements are in
 * `raw`. Returns its length; 0: it is for the levels, and nothing happened. */
size_t cairn_etmv4_scan_other(struct cairn_etmv4_scan *scan, const uint8_t *bytes, size_t size,
                              uint64_t offset, uint32_t depth, unsigned *kind);
/* The token of element `i` of `raw`, which arrives; `data` may change. */
struct cairn_token cairn_etmv4_scan_arrival(struct cairn_etmv4_scan *scan, size_t i,
                                            struct cairn_element_data *data);
/* A Mispredict into the queue. */
void cairn_etmv4_scan_mispredict(struct cairn_etmv4_scan *scan, uint64_t offset, uint64_t length);

static inline bool cairn_etmv4_scan_is_p0(const struct cairn_etmv4_scan *scan,
                                          const struct cairn_token *token)
{
    return (scan->p0 >> token->kind) & 1;
}

/* Leaves the oldest `count` Atoms of a token of the batch. */
static inline void cairn_etmv4_scan_shorten(struct cairn_token *token, unsigned count)
{
    token->value &= ((UINT64_C(1) << count) - 1) | ~(uint64_t)UINT32_MAX;
    token->count = (uint8_t)count;
}

/* A P0 element or Event arrived: the next Timestamp Marker may mean it. */
static inline void cairn_etmv4_scan_recent(struct cairn_etmv4_scan *scan, uint64_t offset,
                                           unsigned nth)
{
    if (!scan->tsmark)
        return;
    scan->recent_offset = offset;
    scan->recent_nth = (uint8_t)nth;
    scan->recent_known = true;
}

/* What a Cycle Count packet of format 1 or 2 says. */
struct cairn_scan_cycles {
    uint64_t commits;
    uint32_t cycles;
};
/* Returns its length; 0: reserved. */
size_t cairn_etmv4_scan_cycles(const struct cairn_etmv4_config *config, bool commopt,
                               uint32_t threshold, const uint8_t *bytes,
                               struct cairn_scan_cycles *cycles);

/* The LE128 number behind a header; *length becomes that of both. */
static inline uint64_t cairn_etmv4_scan_number(const uint8_t *bytes, size_t *length)
{
    struct cairn_etmv4_cursor in = {.bytes = bytes, .size = CAIRN_SCAN_MARGIN, .at = 1};
    const uint64_t number = cairn_etmv4_le128(&in, CAIRN_ETMV4_BITS_COMMIT);

    *length = in.at;
    return number;
}

/* What a Timestamp packet says, behind the timestamp `before`. */
struct cairn_scan_time {
    uint64_t value;
    uint32_t cycles; /* 0 if it has none */
    bool has_cycles;
};
/* Returns its length. */
static inline size_t cairn_etmv4_scan_time(const uint8_t *bytes, uint64_t before,
                                           struct cairn_scan_time *time)
{
    struct cairn_etmv4_cursor in = {.bytes = bytes, .size = CAIRN_SCAN_MARGIN, .at = 1};

    time->value = cairn_etmv4_bit_replacement(&in, CAIRN_ETMV4_BITS_TIMESTAMP, before);
    time->has_cycles = bytes[0] & 1;
    time->cycles = 0;
    if (time->has_cycles)
        time->cycles = (uint32_t)cairn_etmv4_le128(&in, CAIRN_ETMV4_BITS_CYCLES);
    return in.at;
}

/* scan_lay.c */
/* Whether the queue is as packets may go straight to the batch. */
bool cairn_etmv4_scan_is_direct(const struct cairn_etmv4_scan *scan);
/* Puts the queue behind what the batch has; returns the end of it. */
struct cairn_token *cairn_etmv4_scan_lay_out(struct cairn_etmv4_scan *scan);
/* Takes back from the batch, which has tokens up to `end`, what is not resolved: the last
 * `outstanding` P0 elements, and from the youngest Atom before them on if that is the last P0
 * element committed. */
void cairn_etmv4_scan_take_back(struct cairn_etmv4_scan *scan, struct cairn_token *end,
                                uint32_t outstanding);
/* Inverts the last Atom between `base` and `end`; returns the new end. NULL: the last P0 element is
 * no Atom, or not here, or there are Target Addresses to void, which come back if the Atom is lost.
 */
struct cairn_token *cairn_etmv4_scan_invert(const struct cairn_etmv4_scan *scan,
                                            const struct cairn_token *base,
                                            struct cairn_token *end);

/* scan_runs.c */
/* Atom packets of one Atom, each with a Commit of 1 behind it, and Address packets between them. */
#define CAIRN_SCAN_ATOM_N 0xf6u /* header of one Atom, N; the next one is E */
#define CAIRN_SCAN_COMMIT_HEADER 0x2du
struct cairn_scan_runs {
    uint64_t origin;           /* offset of bytes[0] */
    size_t at;                 /* place of the next packet; moved on */
    size_t stop;               /* packets end here or before, and a margin is behind */
    struct cairn_token *token; /* where the next one goes; moved on */
    const struct cairn_token *full;
    uint64_t *history;      /* three addresses (protocol/etmv4/hot.h) */
    uint64_t packets;       /* out: Atoms, and Commits */
    uint64_t addresses;     /* out */
    uint64_t address_bytes; /* out */
    uint64_t atom;          /* out: offset of the last Atom, if there are any */
};
void cairn_etmv4_scan_runs(const struct cairn_hot_table *table, const uint8_t *bytes,
                           struct cairn_scan_runs *runs);

/* The address of a packet, and in bit 0 its sub_isa (protocol/etmv4/hot.h). */
static inline uint64_t cairn_etmv4_scan_address(const struct cairn_hot_address *form,
                                                const uint64_t history[3], const uint8_t *payload)
{
    return (history[form->entry] & form->keep) |
           cairn_hot_gather(cairn_load_le64(payload), form->mask) << form->shift | form->sub_isa;
}

/* scan_direct.c */
/* Takes packets as far as it gets. */
void cairn_etmv4_scan_direct(struct cairn_etmv4_scan *scan, struct cairn_scan_view *view,
                             size_t *position);

/* scan_queue.c */
/* Room for what one packet can add to the queue. False: the queue is at its bound, or there is no
 * memory (`failed`). */
bool cairn_etmv4_scan_room(struct cairn_etmv4_scan *scan);
/* Makes an empty queue able to take so many tokens. False: no memory. */
bool cairn_etmv4_scan_reserve(struct cairn_etmv4_scan *scan, size_t count);
/* A place for data: 1 + its index. There was room. */
uint32_t cairn_etmv4_scan_keep(struct cairn_etmv4_scan *scan,
                               const struct cairn_element_data *data);
void cairn_etmv4_scan_free_data(struct cairn_etmv4_scan *scan, uint32_t data);
/* Hands a token to the caller, into the batch or behind what waits for room in it. Its data, if it
 * has some, is `data`. */
void cairn_etmv4_scan_give(struct cairn_etmv4_scan *scan, const struct cairn_token *token,
                           const struct cairn_element_data *data);
/* Moves what waits into the batch. False: more is waiting than fits. */
bool cairn_etmv4_scan_flush(struct cairn_etmv4_scan *scan);
/* Commits the oldest `count` P0 elements; no more than are outstanding. */
void cairn_etmv4_scan_commit(struct cairn_etmv4_scan *scan, uint64_t count);
/* Cancels the youngest `count` P0 elements; at least one, and no more than are in the queue. */
void cairn_etmv4_scan_cancel(struct cairn_etmv4_scan *scan, uint64_t count);
/* Gives what is committed and the whole queue, in which no P0 element is. */
void cairn_etmv4_scan_pass(struct cairn_etmv4_scan *scan);
/* A Mispredict is about to enter a queue that has no Atom: it voids the Target Addresses there. */
void cairn_etmv4_scan_void(struct cairn_etmv4_scan *scan);

/* scan_levels.c */
/* Fast mode ends: the levels go on at `offset`. */
void cairn_etmv4_scan_leave(struct cairn_etmv4_scan *scan);
/* Fast mode begins if the state of the levels is one that it can have. `taken`: bytes of this call
 * that they have; *unread: how many of those the parser has not parsed, to be taken again. */
bool cairn_etmv4_scan_enter(struct cairn_etmv4_scan *scan, size_t taken, size_t *unread);
/* Whether an element's data is more than its token says. */
bool cairn_etmv4_scan_has_more(const struct cairn_token *token,
                               const struct cairn_element_data *data);
/* Makes tokens of what the resolver gave. */
void cairn_etmv4_scan_translate(struct cairn_etmv4_scan *scan);

#endif
