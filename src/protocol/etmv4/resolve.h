/* SPDX-License-Identifier: BSD-2-Clause */
/* The resolver's state and what its two halves call of each other: resolve.c (speculation) and
 * transaction.c. */
#ifndef CAIRN_ETMV4_RESOLVE_H
#define CAIRN_ETMV4_RESOLVE_H

#include "protocol/etmv4/queue.h"

/* Trace Info, INFO: inside a transaction (DDI0608 D5.7). */
#define CAIRN_ETMV4_INFO_T (1u << 6)

enum cairn_etmv4_transaction {
    CAIRN_TRANSACTION_OUTSIDE,
    CAIRN_TRANSACTION_HELD,     /* inside; its elements wait for the outcome */
    CAIRN_TRANSACTION_RELEASED, /* inside; there were too many to hold: they pass through, marked
                                   unresolved */
};

struct cairn_etmv4_resolver {
    struct cairn_config *config;
    struct cairn_etmv4_queue queue;
    struct cairn_etmv4_queue held;     /* the open transaction's elements */
    struct cairn_etmv4_queue out;      /* what the batch had no room for */
    struct cairn_element_batch *batch; /* of the call under way */
    size_t ready;                      /* of queue: that many are committed or handed over */
    size_t last_p0;     /* of queue: 1 + index of the last P0 element before ready; 0 for none */
    size_t mispredicts; /* in queue */
    size_t atoms;       /* in queue */
    size_t outstanding; /* P0 elements in queue behind ready */
    size_t voided;      /* of queue: how far Target Addresses were voided by a Mispredict */
    uint64_t unseen;    /* P0 elements outstanding that were never seen (D9.3.2) */
    bool initialised;   /* a Trace Info gave `unseen` */
    bool failed;        /* out of memory: sticky */
    bool ended;
    enum cairn_etmv4_transaction transaction;
    /* Timestamp Markers (D2.4.3): the P0 element or Event that the next Timestamp belongs to. */
    bool tsmark;
    bool marked;
    bool mark_approximate;
    uint64_t mark_offset;
    uint64_t recent_offset; /* last P0 element or Event that arrived */
    uint8_t recent_nth;
    uint8_t mark_nth;
    bool recent_known;
};

/* Elements that stay when the execution around them is cancelled or withdrawn (D9.3.4, D9.4.4). */
bool cairn_etmv4_survives(unsigned kind);

/* Appends to a batch that has room. */
static inline void cairn_etmv4_put(struct cairn_element_batch *batch,
                                   const struct cairn_etmv4_entry *entry)
{
    const size_t i = batch->count++;

    batch->offset[i] = entry->offset;
    batch->length[i] = entry->length;
    batch->kind[i] = entry->kind;
    batch->flags[i] = entry->flags;
    batch->data[i] = entry->data;
}

/* Hands an element to the caller: into the batch, or behind what waits for room in it. */
void cairn_etmv4_give(struct cairn_etmv4_resolver *r, const struct cairn_etmv4_entry *entry);

/* The same for one that was never resolved: marked lost if it decides the path, kept if it
 * survives, otherwise dropped. */
void cairn_etmv4_give_lost(struct cairn_etmv4_resolver *r, const struct cairn_etmv4_entry *entry,
                           enum cairn_account reason);

/* An element leaves the resolution queue (D9.4.1). */
void cairn_etmv4_leave(struct cairn_etmv4_resolver *r, struct cairn_etmv4_entry *entry);

/* The open transaction, if any, failed; or its outcome will never be known. */
void cairn_etmv4_fail_transaction(struct cairn_etmv4_resolver *r);
void cairn_etmv4_lose_transaction(struct cairn_etmv4_resolver *r, enum cairn_account reason);

#endif
