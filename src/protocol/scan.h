/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes of a source -> resolved elements, compact and fast: what packets, elements and resolver
 * give one after the other, with the Atoms of a packet in one token. The scan members of a
 * protocol's table make them. */
#ifndef CAIRN_PROTOCOL_SCAN_H
#define CAIRN_PROTOCOL_SCAN_H

#include <stddef.h>
#include <stdint.h>

#include <cairn/element.h>
#include <cairn/packet.h>

/* The most Atoms in one token, and in one whose Atoms are of several packets. */
#define CAIRN_TOKEN_ATOMS 24u
#define CAIRN_TOKEN_RUN 8u

/* On a token of one Atom: its flags are all of the element's, the statuses among them. */
#define CAIRN_TOKEN_ODD (1u << 14)

/* In `value` of Atoms: from this bit on, how many bytes each one's packet is behind that of the one
 * before it. */
#define CAIRN_TOKEN_APART_SHIFT 32u

/* A resolved element, or several Atoms in a row: of the same packet, or (a run) each of a packet of
 * its own, all of the same length and as far from one another. How the bytes are cut into calls,
 * and what room the batches have, may cut a packet's Atoms into more tokens than one; what the
 * tokens stand for is the same. */
struct cairn_token {
    uint64_t offset; /* of the packet, in the source's bytes */
    uint64_t length; /* of the packet */
    uint64_t value;  /* Atoms: 1 = E, the oldest in bit 0, and how far they are apart; Source and
                        Target Address: the address; others: cairn_element_data.value */
    uint32_t data;  /* 0: all that there is to know is here; else 1 + index into the batch's data */
    uint16_t flags; /* CAIRN_ELEMENT_..., CAIRN_TOKEN_ODD. Atoms without ODD: neither E nor
                       INITIAL_E, since both are the bit in `value` */
    uint8_t kind;   /* enum cairn_element_kind */
    uint8_t count;  /* Atoms: how many, 1 to 24; Source and Target Address: the sub_isa */
};

/* Tokens in program order: columns of the caller's. */
struct cairn_scan_batch {
    size_t capacity;
    size_t count;
    struct cairn_token *token;
    size_t data_capacity;
    size_t data_count;
    struct cairn_element_data *data;
};

/* What all packets taken so far are, by enum cairn_account. */
struct cairn_scan_ledger {
    uint64_t total;
    struct cairn_account_sum account[CAIRN_LEDGER_ACCOUNTS];
};

/* Atoms: how far apart their packets are; 0: they are of one packet. */
static inline uint64_t cairn_token_apart(const struct cairn_token *token)
{
    return token->value >> CAIRN_TOKEN_APART_SHIFT;
}

/* Atoms: the i-th alone. */
static inline struct cairn_token cairn_token_atom(const struct cairn_token *token, unsigned i)
{
    struct cairn_token atom = *token;

    atom.offset += cairn_token_apart(token) * i;
    atom.value = (token->value >> i) & 1;
    atom.count = 1;
    return atom;
}

/* The content of a token that is no Atom, as the element has it (but for `nth`, which only tokens
 * with data of their own know). */
static inline struct cairn_element_data cairn_token_data(const struct cairn_scan_batch *batch,
                                                         const struct cairn_token *token)
{
    if (token->data != 0)
        return batch->data[token->data - 1];
    switch (token->kind) {
    case CAIRN_ELEMENT_ATOM: return (struct cairn_element_data){0};
    case CAIRN_ELEMENT_SOURCE_ADDRESS:
    case CAIRN_ELEMENT_TARGET_ADDRESS:
        return (struct cairn_element_data){.address = token->value, .sub_isa = token->count};
    case CAIRN_ELEMENT_TIMESTAMP:
        return (struct cairn_element_data){.address = token->offset, .value = token->value};
    default: return (struct cairn_element_data){.value = token->value};
    }
}

#endif
