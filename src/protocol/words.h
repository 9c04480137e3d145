/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes of a source -> words: the seam between a protocol and the engine. A *reader*, one for each
 * protocol, turns bytes into words, which are runs of atoms and the address behind each, and into
 * elements where bytes mean something that is no word. The engine looks words up and follows
 * elements, and knows no protocol's bytes.
 *
 * What a reader promises
 *
 * 1. Order. A batch is words, and elements BEHIND the last of them. The source's resolved elements,
 *    in program order, are: for each word, its asides and atoms as their steps say, then its
 *    target; then the elements. What packets, elements and resolver of the reference path would
 *    give is exactly that, whatever the bytes are and however they are cut into calls.
 * 2. Certainty. What is handed over is final: no Cancel, Mispredict, Discard or damage behind it
 *    changes it. A reader holds back what is not certain yet, the youngest atom as a rule, by its
 *    own rule. Nothing is ever taken back by anyone, and the engine may use a batch long after the
 *    reader went on.
 * 3. Words are plain. An atom that has flags (but CAIRN_ELEMENT_TRANSACTIONAL, see
 *    CAIRN_ASIDE_TRANSACTION, and CAIRN_ELEMENT_ADDRESSED, see CAIRN_WORD_BRANCH) or, under
 *    rules.return_stack, two statuses that differ, a Target Address with flags, and every kind
 *    that is not named here, comes as an element.
 * 4. The same bytes give the same words in every pass: a run of atoms is cut only where a word is
 *    full (CAIRN_WORD_PACKETS_MOST, CAIRN_WORD_ATOMS_MOST, 255 asides), and where `until`, an
 *    element or the end of the caller's bytes cuts it. More cuts are right, and cost look-ups.
 * 5. The reader owns all of the protocol's state: synchronisation, compression, speculation, what
 *    is not whole yet, and the levels of the reference path, which it may hand any bytes to and
 *    take them over from again.
 * 6. The ledger. Each packet taken is added to the batch's ledger once, in the call that takes it,
 *    with the account that the reference path's parser gives it. That atoms were gaps is the
 *    engine's to move from one account to another.
 * 7. Content never fails. Out of memory is CAIRN_E_MEMORY, and sticky.
 *
 * What flow tells a reader back: nothing, but `packets` and `until`.
 *
 * Calls
 *
 * reader_words takes bytes from *position on and moves it behind them. It is called with a batch
 * that is empty (cairn_words_empty), and comes back when the bytes are used up, when the batch may
 * have no room for what the next packet gives, or as soon as there are elements. A packet that is
 * not whole at the end of the bytes is taken in and kept by the reader: *position == size, and
 * neither a word nor an element, means that it needs more bytes. The next call has the same bytes
 * and the *position that the last one left, or, when that was `size`, others that follow them.
 * Room for CAIRN_WORDS_ROOM words, asides and data, and CAIRN_WORDS_ELEMENTS elements, is enough
 * to go on; more than that many elements of one packet come in several calls.
 * reader_finish is the same behind the last byte: it is called until it gives nothing.
 *
 * Several threads. reader_stand tells whether the reader stands between two packets, has handed
 * over all that it holds, and nothing is speculative, damaged, transactional or unsynchronised:
 * then *place is all that what follows depends on, with every byte of it that is not used 0. Two
 * readers with equal places give the same from there on, so that places are compared as bytes.
 * That it may stand at `until`, a reader looks at bytes behind that, to know that the youngest atom
 * before it is certain. reader_begin_at makes a reader stand at a place; or, without one, in front
 * of a synchronisation (find_sync) at `offset` of which nothing before is known. reader_stand and
 * reader_begin_at NULL: the source is decoded by one thread. */
#ifndef CAIRN_PROTOCOL_WORDS_H
#define CAIRN_PROTOCOL_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/element.h>

#include "protocol/scan.h"

/* A word is full with so many packets, or with so many atoms as bits. */
#define CAIRN_WORD_PACKETS_MOST 8u
#define CAIRN_WORD_ATOMS_MOST 32u

/* `atoms` as bits: the top byte is how many there are, 1 to 32; the oldest is in bit 0, and 1 is E.
 * A packet byte in the top byte is larger than that (CAIRN_WORD_BITS_MOST of flow/memo.h). */
#define CAIRN_WORD_BITS_SHIFT 56u

/* In `atoms` as bits: the last one is of a packet that has its target as well (an Atom with
 * CAIRN_ELEMENT_ADDRESSED): PTM's branch packets. Such an atom is the last of its word. */
#define CAIRN_WORD_BRANCH (UINT64_C(1) << 55)

/* In `target`: there is none. */
#define CAIRN_WORD_NO_TARGET UINT64_MAX

/* A run of atoms, and what is behind it. */
struct cairn_word {
    /* As packets: up to eight packets of one byte each that stand side by side, the first in the
     * low byte, zeros behind them; what each byte means is in struct cairn_word_bytes. No byte of
     * them is 0. As bits: see CAIRN_WORD_BITS_SHIFT. 0: none; then the word is its asides and its
     * target. */
    uint64_t atoms;
    /* The Target Address behind the atoms: a code address, whose bit 0 is the sub_isa. Two
     * addresses on end are two words. */
    uint64_t target;
    /* The first of the atoms' packets, or without atoms the target's, or without either that of the
     * first aside, as a distance from the batch's origin. */
    uint32_t at;
    /* From `at` to the target's packet (CAIRN_WORD_BRANCH: to that of the last atom). Words of packets: that is how many there are, if
     * nothing stands between, and otherwise more. */
    uint16_t before;
    uint8_t target_length; /* of the target's packet */
    uint8_t asides;        /* the next so many of the batch's asides are this word's */
};

/* What stands between atoms and is no atom, in the order of the trace. */
struct cairn_aside {
    uint64_t value; /* of the element, as cairn_element_data has it; or see below */
    uint32_t at;    /* its packet, from the batch's origin */
    uint32_t data; /* 0: `value` is all there is to know (cairn_aside_data says how); else 1 + index
                       into the batch's data. See CAIRN_ASIDE_COUNTS */
    uint16_t length;
    uint16_t lead;  /* see CAIRN_ASIDE_COUNTS; else 0 */
    uint16_t flags; /* CAIRN_ELEMENT_..., never LOST */
    uint8_t kind;   /* an element kind, one of those named at CAIRN_ASIDE_PACKET, or that */
    uint8_t step;   /* it stands in front of so many-th atom of its word, from 0; as many as there
                       are atoms: behind them all, in front of the target. Never less than that of
                       the aside before it */
};

/* Kinds of asides: CAIRN_ELEMENT_CYCLE_COUNT, _TIMESTAMP, _TIMESTAMP_MARKER, _EVENT, _DATA without
 * CAIRN_ELEMENT_HERE, and those below, which are no elements. A word of packets has asides at step
 * 0, or behind all of its atoms, and nowhere else. Anything else, or a packet of 64 KiB or more,
 * comes as an element. */
enum cairn_aside_kind {
    /* Of words of bits: the atoms from this step on are of the packet `at`, `length`. `value` 0:
     * all of them up to the next such aside; else each next one's packet is so many bytes behind
     * the one before it. A word of bits has one at step 0, unless reader_packets finds it. */
    CAIRN_ASIDE_PACKET = 0xf0,
    /* The same, with `value` 0 understood; and in front of each of the next `value` atoms stands a
     * Cycle Count of 1 of the same packet. */
    CAIRN_ASIDE_WAITS = 0xf1,
    /* The atoms from here on are transactional (`value` 1), or not (0): up to the next such aside,
     * whatever batches and elements are between. A source begins with 0. */
    CAIRN_ASIDE_TRANSACTION = 0xf2,
    /* The next `length` atoms, 8 at most, are each of a packet of one byte, side by side from `at`
     * on, and behind each of them stands a Cycle Count of the same packet: that of the first is in
     * the low byte of `value`, which has nothing behind the last. In front of them all, if `lead`
     * is not 0, stands a Cycle Count of `data`, whose packet has so many bytes and ends at `at`;
     * there may be no atoms then. The next aside stands where the last of these does, or behind it.
     * Never in a word with PACKET or WAITS. */
    CAIRN_ASIDE_COUNTS = 0xf3,
};

/* What the packets of a word of packets mean, by byte: so many atoms, the oldest in bit 0, 1 = E.
 * 0: no such packet. */
struct cairn_word_bytes {
    uint8_t atoms[256];
    uint32_t bits[256];
};

/* What one call fills. All of the memory is the caller's. */
struct cairn_words {
    uint64_t origin; /* source offset that `at` counts from: the reader sets it when it gives the
                        first word of a batch, which ends before a distance needs 33 bits */
    size_t capacity;
    size_t count;
    struct cairn_word *word;
    size_t aside_capacity;
    size_t aside_count;
    struct cairn_aside *aside;
    size_t data_capacity;
    size_t data_count;
    struct cairn_element_data *data;
    struct cairn_element_batch *elements; /* resolved, BEHIND the last word */
    struct cairn_scan_ledger *ledger;     /* packets taken are added to it */
    uint64_t by_levels;                   /* so are bytes that the levels decoded */
    uint64_t
        until;    /* no packet that begins at this source offset, or behind it, is taken, though it
                       may be looked at. UINT64_MAX: there is no bound. A reader without
                       reader_stand need not know it */
    bool packets; /* CAIRN_ASIDE_PACKET is wanted wherever it belongs; else a reader may leave it
                       out of words that reader_packets finds it for */
};

/* Words, asides and data that a batch has room for, at least, and elements. */
#define CAIRN_WORDS_ROOM 256u
#define CAIRN_WORDS_ELEMENTS 256u

/* All that what a reader gives next depends on. */
struct cairn_reader_place {
    uint64_t offset; /* in the source: of the next packet */
    uint64_t atom;   /* 1: that is an atom's for sure */
    uint64_t state[30];
};

/* The reader of a protocol, as members of its table:
 *
 *  cairn_status reader_new(config, struct cairn_word_bytes *bytes, void **state)
 *      `bytes` is all 0; filled by a reader that gives words of packets.
 *  void reader_free(state)
 *  void reader_amid(state, uint64_t offset)
 *      Behind reader_new only: the first byte is at this offset of the source, and may be inside a packet. What
 *      comes before a synchronisation is for the levels to account for. NULL: see packets_amid.
 *  cairn_status reader_words(state, const uint8_t *data, size_t size, size_t *position,
 *                            struct cairn_words *words)
 *  cairn_status reader_finish(state, struct cairn_words *words)
 *  bool reader_stand(state, struct cairn_reader_place *place)
 *  void reader_begin_at(state, uint64_t offset, const struct cairn_reader_place *place)
 *      `place` NULL: see above; otherwise `offset` is its.
 *  size_t reader_packets(state, const struct cairn_word *word, const uint8_t *bytes,
 *                        struct cairn_aside *asides)
 *      The PACKET asides that were left out of a word of bits of the batch given last, of which
 *      `bytes` are what it was read from, at `at`, or NULL if it began in the bytes of a call
 *      before; there is room for 32. NULL: none are ever left out. */

/* Of so many bytes, the first of which is at a source offset, those in which packets may begin. */
static inline size_t cairn_words_left(const struct cairn_words *words, uint64_t offset, size_t size)
{
    const uint64_t left = words->until > offset ? words->until - offset : 0;

    return left < size ? (size_t)left : size;
}

/* The step in front of which the first Cycle Count of an aside of them stands. */
static inline unsigned cairn_aside_first_count(const struct cairn_aside *counts)
{
    return counts->lead > 0 ? counts->step : counts->step + 1u;
}

/* Takes the first Cycle Count off an aside of them, and makes an aside of its own of it. False:
 * that was the last. */
static inline bool cairn_aside_next_count(struct cairn_aside *counts, struct cairn_aside *count)
{
    *count = (struct cairn_aside){.kind = CAIRN_ELEMENT_CYCLE_COUNT};
    if (counts->lead > 0) {
        count->value = counts->data;
        count->at = counts->at - counts->lead;
        count->length = counts->lead;
        count->step = counts->step;
        counts->lead = 0;
        counts->data = 0;
        return counts->length > 0;
    }
    count->value = counts->value & 0xff;
    count->at = counts->at++;
    count->length = 1;
    count->step = ++counts->step;
    counts->value >>= 8;
    return --counts->length > 0;
}

/* Empties a batch for the next call. */
static inline void cairn_words_empty(struct cairn_words *words)
{
    words->count = 0;
    words->aside_count = 0;
    words->data_count = 0;
    words->elements->count = 0;
}

/* Whether a word's atoms are bits. */
static inline bool cairn_word_has_bits(const struct cairn_word *word)
{
    const uint64_t top = word->atoms >> CAIRN_WORD_BITS_SHIFT;

    return top > 0 && top <= CAIRN_WORD_ATOMS_MOST;
}

/* The element's data of an aside that is an element (but for `nth`, which only asides with data of
 * their own know). */
static inline struct cairn_element_data cairn_aside_data(const struct cairn_words *words,
                                                         const struct cairn_aside *aside)
{
    if (aside->data != 0)
        return words->data[aside->data - 1];
    if (aside->kind == CAIRN_ELEMENT_TIMESTAMP)
        return (struct cairn_element_data){.address = words->origin + aside->at,
                                           .value = aside->value};
    return (struct cairn_element_data){.value = aside->value};
}

#endif
