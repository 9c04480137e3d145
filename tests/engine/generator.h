/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files that generate traces share. */
#ifndef CAIRN_TESTS_ENGINE_GENERATOR_H
#define CAIRN_TESTS_ENGINE_GENERATOR_H

#include <cairn/etmv4.h>

#include "../peers/random.h"
#include "reference.h"

enum {
    GENERATOR_HOT = 32,    /* addresses that come again */
    GENERATOR_PACKET = 64, /* bytes of a packet, at most */
};

#define GENERATOR_BASE UINT64_C(0x8000) /* where the program lies */

struct generator {
    struct peer_random random;
    struct engine_case *made;
    struct cairn_packet_writer *writer;
    uint8_t *bytes;
    size_t size;
    size_t capacity;
    bool ete;
    bool wide; /* AArch64 */
    bool both; /* AArch64 and AArch32 */
    uint32_t maxspec;
    uint32_t depth;          /* that a decoder counts, about */
    uint32_t code_size;      /* bytes */
    uint32_t far;            /* of a hundred branches lead anywhere */
    uint32_t plain;          /* instructions between two others, about */
    uint32_t loose;          /* of a hundred, what has no order at all */
    uint32_t sync;           /* bytes from one synchronisation to the next, about */
    uint32_t atoms;          /* Atom packets in a row, at most */
    uint32_t other;          /* of a hundred, packets that are neither Atoms nor addresses */
    bool begun;              /* the first synchronisation is written */
    struct cairn_flow *core; /* of calm traces: where execution is */
    struct cairn_element_batch *element;
    struct cairn_flow_batch *records;
    uint32_t held; /* atoms that are not written yet, the oldest in bit 0 */
    uint32_t held_count;
    uint64_t hot[GENERATOR_HOT];
    uint32_t hot_count;
    struct cairn_context context;
};

static inline uint32_t below(struct generator *g, uint32_t bound)
{
    return peer_random_below(&g->random, bound);
}

static inline bool percent(struct generator *g, unsigned part)
{
    return peer_random_percent(&g->random, part);
}

#define PICK(g, array) ((array)[below(g, sizeof(array) / sizeof(array)[0])])

/* generate_program.c: instructions for g->code_size bytes; fill g->made->image. False: there is no
 * memory. */
void generator_fill(struct generator *g, uint8_t *code);
bool generator_make_image(struct generator *g);

/* generate_trace.c: packets of every kind in legal order, with few bytes that lead nowhere. */
void generator_make_trace(struct generator *g);

void generator_put_bytes(struct generator *g, const uint8_t *bytes, size_t size);

/* Writes a packet. False: the kind cannot say it. */
bool generator_put(struct generator *g, unsigned kind, const struct cairn_packet_fields *fields);
void generator_put_plain(struct generator *g, unsigned kind);

/* Which Exception level, process and state what follows is in. */
void generator_draw_context(struct generator *g);

/* An address in the program, in the instruction set that is there. */
struct cairn_packet_fields generator_address(struct generator *g);

/* generate_calm.c: the reference follower stands for the core, and takes one element after the
 * other. False: there is no memory. */
bool generator_begin_core(struct generator *g);
void generator_execute(struct generator *g, unsigned kind, unsigned flags,
                       const struct cairn_element_data *data);
void generator_end_core(struct generator *g);

/* generate_calm.c: what a core could execute. False: there is no memory. */
bool generator_make_calm_trace(struct generator *g);

#endif
