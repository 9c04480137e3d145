/* SPDX-License-Identifier: BSD-2-Clause */
/* What leaves the resolution queue: transactions are held until their outcome (DDI0608 D9.4). */
#include "protocol/etmv4/resolve.h"

enum {
    TRANSACTION_MAX = 65536, /* elements held in one transaction: a bound that is not the input's */
};

/* Elements that decide the path: their bytes are a gap when they are lost. */
static bool decides_path(unsigned kind)
{
    switch (kind) {
    case CAIRN_ELEMENT_ATOM:
    case CAIRN_ELEMENT_EXCEPTION:
    case CAIRN_ELEMENT_SOURCE_ADDRESS:
    case CAIRN_ELEMENT_Q:
    case CAIRN_ELEMENT_TARGET_ADDRESS:
    case CAIRN_ELEMENT_CONTEXT:
    case CAIRN_ELEMENT_EXCEPTION_RETURN:
    case CAIRN_ELEMENT_FUNCTION_RETURN: return true;
    default: return false;
    }
}

/* --- speculation (D9.3) --- */

/* Elements that stay when the execution around them is cancelled or withdrawn (D9.3.4, D9.4.4). */
bool cairn_etmv4_survives(unsigned kind)
{
    switch (kind) {
    case CAIRN_ELEMENT_EVENT:
    case CAIRN_ELEMENT_TRACE_INFO:
    case CAIRN_ELEMENT_CYCLE_COUNT:
    case CAIRN_ELEMENT_TIMESTAMP:
    case CAIRN_ELEMENT_TIMESTAMP_MARKER:
    case CAIRN_ELEMENT_INSTRUMENTATION:
    case CAIRN_ELEMENT_DATA_SYNC:
    case CAIRN_ELEMENT_CONDITIONAL:
    case CAIRN_ELEMENT_BRANCH_FUTURE_FLUSH:
    case CAIRN_ELEMENT_GAP: return true;
    default: return false;
    }
}

static void append(struct cairn_etmv4_resolver *r, struct cairn_etmv4_queue *queue,
                   const struct cairn_etmv4_entry *entry)
{
    struct cairn_etmv4_entry *room = cairn_etmv4_queue_push(queue);

    if (room)
        *room = *entry;
    else
        r->failed = true;
}

void cairn_etmv4_give(struct cairn_etmv4_resolver *r, const struct cairn_etmv4_entry *entry)
{
    if (r->batch->count < r->batch->capacity && cairn_etmv4_queue_count(&r->out) == 0)
        cairn_etmv4_put(r->batch, entry);
    else
        append(r, &r->out, entry);
}

void cairn_etmv4_give_lost(struct cairn_etmv4_resolver *r, const struct cairn_etmv4_entry *entry,
                           enum cairn_account reason)
{
    struct cairn_etmv4_entry lost = *entry;

    if (cairn_etmv4_survives(entry->kind)) {
        cairn_etmv4_give(r, entry);
        return;
    }
    /* A Target Address that is UNKNOWN tells nothing that could be lost. */
    if (!decides_path(entry->kind) ||
        (entry->kind == CAIRN_ELEMENT_TARGET_ADDRESS && (entry->flags & CAIRN_ELEMENT_UNKNOWN)))
        return;
    lost.flags |= CAIRN_ELEMENT_LOST;
    lost.data.reason = (uint8_t)reason;
    cairn_etmv4_give(r, &lost);
}

static void end_transaction(struct cairn_etmv4_resolver *r)
{
    r->held.first = r->held.end;
    r->transaction = CAIRN_TRANSACTION_OUTSIDE;
}

static void commit_transaction(struct cairn_etmv4_resolver *r)
{
    for (size_t i = 0; i < cairn_etmv4_queue_count(&r->held); i++) {
        struct cairn_etmv4_entry *entry = cairn_etmv4_queue_at(&r->held, i);

        entry->flags |= CAIRN_ELEMENT_TRANSACTIONAL;
        cairn_etmv4_give(r, entry);
    }
    end_transaction(r);
}

/* Execution is withdrawn; Events, Timestamps and Cycle Counts stay. The last Context stays too: the
 * exception level and security state cannot change inside a transaction, and the trace unit, having
 * traced it, need not trace it again. */
void cairn_etmv4_fail_transaction(struct cairn_etmv4_resolver *r)
{
    const struct cairn_etmv4_entry *context = NULL;

    for (size_t i = 0; i < cairn_etmv4_queue_count(&r->held); i++) {
        const struct cairn_etmv4_entry *entry = cairn_etmv4_queue_at(&r->held, i);

        if (cairn_etmv4_survives(entry->kind) || entry->kind == CAIRN_ELEMENT_TRANSACTION_START)
            cairn_etmv4_give(r, entry);
        else if (entry->kind == CAIRN_ELEMENT_CONTEXT)
            context = entry;
    }
    if (context)
        cairn_etmv4_give(r, context);
    end_transaction(r);
}

void cairn_etmv4_lose_transaction(struct cairn_etmv4_resolver *r, enum cairn_account reason)
{
    for (size_t i = 0; i < cairn_etmv4_queue_count(&r->held); i++)
        cairn_etmv4_give_lost(r, cairn_etmv4_queue_at(&r->held, i), reason);
    end_transaction(r);
}

/* Too long to hold: what is held passes on, and what follows too, marked as unresolved. */
static void release_transaction(struct cairn_etmv4_resolver *r)
{
    for (size_t i = 0; i < cairn_etmv4_queue_count(&r->held); i++) {
        struct cairn_etmv4_entry *entry = cairn_etmv4_queue_at(&r->held, i);

        if (i == 0)
            entry->flags |= CAIRN_ELEMENT_UNCERTAIN;
        cairn_etmv4_give(r, entry);
    }
    r->held.first = r->held.end;
    r->transaction = CAIRN_TRANSACTION_RELEASED;
}

static void hold(struct cairn_etmv4_resolver *r, const struct cairn_etmv4_entry *entry)
{
    append(r, &r->held, entry);
    if (cairn_etmv4_queue_count(&r->held) >= TRANSACTION_MAX)
        release_transaction(r);
}

/* An element leaves the resolution queue (D9.4.1). */
void cairn_etmv4_leave(struct cairn_etmv4_resolver *r, struct cairn_etmv4_entry *entry)
{
    switch (entry->kind) {
    case CAIRN_ELEMENT_TRANSACTION_START:
        if (r->transaction == CAIRN_TRANSACTION_OUTSIDE) {
            r->transaction = CAIRN_TRANSACTION_HELD;
        } else {
            /* nesting is not traced (D6.9.9) */
            entry->flags |= CAIRN_ELEMENT_UNCERTAIN | CAIRN_ELEMENT_TRANSACTIONAL;
        }
        break;
    case CAIRN_ELEMENT_TRACE_INFO:
        if (r->transaction == CAIRN_TRANSACTION_HELD)
            break; /* in its place among what is held */
        cairn_etmv4_give(r, entry);
        if (r->transaction == CAIRN_TRANSACTION_OUTSIDE &&
            (entry->data.info & CAIRN_ETMV4_INFO_T) && cairn_etmv4_of(r->config)->is_ete)
            r->transaction = CAIRN_TRANSACTION_HELD;
        return;
    case CAIRN_ELEMENT_TRANSACTION_COMMIT:
        commit_transaction(r);
        cairn_etmv4_give(r, entry);
        return;
    case CAIRN_ELEMENT_TRANSACTION_FAILURE:
        cairn_etmv4_fail_transaction(r);
        cairn_etmv4_give(r, entry);
        return;
    default: break;
    }
    if (r->transaction == CAIRN_TRANSACTION_HELD)
        hold(r, entry);
    else
        cairn_etmv4_give(r, entry);
}
