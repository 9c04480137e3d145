/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements into packets: each in a random one of the forms that can express it. */
#ifndef CAIRN_TESTS_PEERS_EMIT_H
#define CAIRN_TESTS_PEERS_EMIT_H

#include <cairn/etmv4.h>

#include "settings.h"

enum { PEER_BYTES = 65536 };

struct peer_bytes {
    size_t size;
    uint8_t data[PEER_BYTES];
};

struct peer_emitter {
    struct cairn_packet_writer *writer;
    struct peer_random *random;
    const struct peer_settings *settings;
    struct peer_bytes *out;
    uint64_t atoms; /* not written yet, the oldest in bit 0 */
    unsigned atom_count;
    uint64_t timestamp;
    unsigned sub_isa; /* of the last address that was not a Source Address */
    bool failed;      /* a packet could not be written: the generator is wrong */
};

/* Writes the atoms that wait, then this packet, which must be possible. */
void peer_emit(struct peer_emitter *e, unsigned kind, const struct cairn_packet_fields *fields);
void peer_emit_kind(struct peer_emitter *e, unsigned kind); /* without fields */

/* The atom is written with its neighbours, later. */
void peer_emit_atom(struct peer_emitter *e, bool taken);
void peer_emit_flush(struct peer_emitter *e);

void peer_emit_sync(struct peer_emitter *e, uint32_t depth);
void peer_emit_address(struct peer_emitter *e, uint64_t address, unsigned sub_isa);
void peer_emit_context(struct peer_emitter *e, const struct cairn_context *context);
void peer_emit_address_context(struct peer_emitter *e, uint64_t address, unsigned sub_isa,
                               const struct cairn_context *context);
void peer_emit_source(struct peer_emitter *e, uint64_t address, unsigned sub_isa);

/* E=10 when `target`; with a context when that is not NULL. */
void peer_emit_exception(struct peer_emitter *e, unsigned type, uint64_t address, unsigned sub_isa,
                         const struct cairn_context *context, bool target);

/* Cancel `count` elements, then the Mispredict when `mispredict`; count may be 0 with it. The last
 * atoms that wait go into the same packet where one can hold them. */
void peer_emit_cancel(struct peer_emitter *e, uint32_t count, bool mispredict);
void peer_emit_commit(struct peer_emitter *e, uint32_t count);

/* Cycles above the threshold, and a Commit of `commits` in the same packet where the unit has
 * COMMOPT 0. Returns what a decoder should say: 0 for an unknown count. */
uint32_t peer_emit_cycles(struct peer_emitter *e, uint32_t commits);

/* Returns the timestamp. */
uint64_t peer_emit_timestamp(struct peer_emitter *e);

#endif
