/* SPDX-License-Identifier: BSD-2-Clause */
/* One packet under construction: bytes, and the compression state as it will be behind the packet.
 * The layouts of addresses and contexts that many packets share (DDI0608 D5.3, D5.47 to D5.55). */
#ifndef CAIRN_PROTOCOL_ETMV4_DRAFT_H
#define CAIRN_PROTOCOL_ETMV4_DRAFT_H

#include "protocol/etmv4/etmv4.h"

#define CAIRN_DRAFT_BYTES 32u /* the longest packet is an ETMv4 exception with context: 21 */
#define CAIRN_DRAFT_HISTORY 3u

/* What the writer compresses against (DDI0608 D9.2.1.1): the parser's state, kept on its own. */
struct cairn_draft_state {
    struct {
        uint64_t address;
        uint8_t sub_isa;
    } history[CAIRN_DRAFT_HISTORY];
    uint64_t timestamp;
    struct cairn_context context;
    uint32_t cc_threshold;
};

struct cairn_draft {
    const struct cairn_etmv4_config *etm;
    const struct cairn_packet_fields *fields;
    struct cairn_draft_state state;
    size_t size;
    uint8_t bytes[CAIRN_DRAFT_BYTES];
};

/* Every function that returns bool returns false when the fields cannot be expressed; what is in
 * the draft is worthless then. */

bool cairn_draft_has(const struct cairn_draft *draft, uint32_t flag);
/* Always true, so that a packet of one byte is `return cairn_draft_put(...)`. */
bool cairn_draft_put(struct cairn_draft *draft, unsigned byte);
void cairn_draft_put_little_endian(struct cairn_draft *draft, uint64_t value, unsigned bytes);

/* Unsigned LE128n of `width` bits, as few bytes as hold the value. */
bool cairn_draft_put_le128(struct cairn_draft *draft, uint64_t value, unsigned width);
/* Bit replacement of `width` bits over `old`, as few bytes as hold all bits that changed. */
void cairn_draft_put_replacement(struct cairn_draft *draft, uint64_t value, uint64_t old,
                                 unsigned width);

/* fields->address in each form; the address becomes history entry 0. */
void cairn_draft_push(struct cairn_draft *draft, uint64_t address, uint8_t sub_isa);
bool cairn_draft_put_exact(struct cairn_draft *draft, unsigned first_header);
bool cairn_draft_put_short(struct cairn_draft *draft, unsigned header, unsigned sub_isa);
bool cairn_draft_put_long(struct cairn_draft *draft, unsigned header, unsigned sub_isa,
                          unsigned bits);

/* fields->context: the information byte and the identifiers that the flags say are there. */
bool cairn_draft_put_context(struct cairn_draft *draft);
/* True when fields->context, where given, is the last one. */
bool cairn_draft_is_same_context(const struct cairn_draft *draft);

#endif
