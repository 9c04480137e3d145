/* SPDX-License-Identifier: BSD-2-Clause */
/* Speculation and transactions resolved (DDI0608 D9.3, D9.4).
 *
 * Elements wait in `queue` in stream order. A Commit moves `ready` past the P0 elements it
 * resolves; a Cancel removes from the back. What is before `ready` leaves at the front, except that
 * the youngest committed Atom waits until another P0 element is committed: a Mispredict may still
 * invert it (D6.9.8). Transactions are recognised as elements leave, so an element belongs to one
 * by its place in the stream and not by the moment of its Commit. */
#include "protocol/etmv4/resolve.h"

#include <stdlib.h>
#include <string.h>

/* Bounds that do not come from the input. */
enum {
    QUEUE_MAX = 65536, /* elements waiting for a Commit */
};

cairn_status cairn_etmv4_resolver_new(struct cairn_config *config,
                                      struct cairn_etmv4_resolver **resolver)
{
    struct cairn_etmv4_resolver *r = calloc(1, sizeof *r);

    if (!r)
        return CAIRN_E_MEMORY;
    r->config = cairn_config_ref(config);
    r->tsmark = cairn_etmv4_of(config)->tsmark;
    *resolver = r;
    return CAIRN_OK;
}

void cairn_etmv4_resolver_free(struct cairn_etmv4_resolver *resolver)
{
    if (!resolver)
        return;
    cairn_etmv4_queue_free(&resolver->queue);
    cairn_etmv4_queue_free(&resolver->held);
    cairn_etmv4_queue_free(&resolver->out);
    cairn_config_unref(resolver->config);
    free(resolver);
}

static bool is_p0(const struct cairn_etmv4_resolver *r, unsigned kind)
{
    return kind == CAIRN_ELEMENT_ATOM || cairn_etmv4_is_p0(r->config, kind);
}

/* Applies the Mispredicts behind the Atom at the front: each inverts it, and voids the Target
 * Addresses between (D6.9.14). They reach up to the next Atom. */
static void apply_mispredicts(struct cairn_etmv4_resolver *r, struct cairn_etmv4_entry *atom)
{
    const size_t count = cairn_etmv4_queue_count(&r->queue);
    size_t last = 0;

    for (size_t i = 1; i < count; i++) {
        struct cairn_etmv4_entry *entry = cairn_etmv4_queue_at(&r->queue, i);

        if (entry->kind == CAIRN_ELEMENT_ATOM)
            break;
        if (entry->kind != CAIRN_ELEMENT_MISPREDICT || entry->drop)
            continue;
        atom->flags ^= CAIRN_ELEMENT_E;
        entry->drop = true;
        last = i;
    }
    for (size_t i = 1; i < last; i++) {
        struct cairn_etmv4_entry *entry = cairn_etmv4_queue_at(&r->queue, i);

        if (entry->kind == CAIRN_ELEMENT_TARGET_ADDRESS)
            entry->drop = true;
    }
}

static void pop_front(struct cairn_etmv4_resolver *r)
{
    struct cairn_etmv4_entry *entry = cairn_etmv4_queue_at(&r->queue, 0);

    if (entry->kind == CAIRN_ELEMENT_ATOM && r->mispredicts > 0)
        apply_mispredicts(r, entry);
    if (entry->kind == CAIRN_ELEMENT_MISPREDICT) {
        r->mispredicts--;
        entry->flags |= CAIRN_ELEMENT_UNCERTAIN; /* nothing was there for it to correct */
    }
    if (!entry->drop)
        cairn_etmv4_leave(r, entry);
    if (entry->kind == CAIRN_ELEMENT_ATOM)
        r->atoms--;
    if (r->voided > 0)
        r->voided--;
    r->queue.first++;
    r->ready--;
    if (r->last_p0 > 0)
        r->last_p0--;
}

/* Lets go what nothing can change any more. */
static void drain(struct cairn_etmv4_resolver *r)
{
    while (r->ready > 0) {
        const bool at_last = r->last_p0 == 1;

        if (at_last && cairn_etmv4_queue_at(&r->queue, 0)->kind == CAIRN_ELEMENT_ATOM)
            break;
        pop_front(r);
    }
}

/* The same, and the Atom that is still held as well. */
static void drain_all(struct cairn_etmv4_resolver *r)
{
    while (r->ready > 0)
        pop_front(r);
}

/* A Commit or Cancel of more than is outstanding: reported, never waited for. */
static void give_excess(struct cairn_etmv4_resolver *r, const struct cairn_etmv4_entry *entry,
                        uint64_t excess)
{
    struct cairn_etmv4_entry copy = *entry;

    copy.flags |= CAIRN_ELEMENT_UNCERTAIN;
    copy.data.value = excess;
    cairn_etmv4_give(r, &copy);
}

static void commit(struct cairn_etmv4_resolver *r, const struct cairn_etmv4_entry *entry)
{
    const size_t count = cairn_etmv4_queue_count(&r->queue);
    uint64_t left = entry->data.value;
    const uint64_t unseen = left < r->unseen ? left : r->unseen;

    r->unseen -= unseen;
    left -= unseen;
    for (size_t i = r->ready; i < count && left > 0 && r->outstanding > 0; i++) {
        if (!is_p0(r, cairn_etmv4_queue_at(&r->queue, i)->kind))
            continue;
        r->ready = i + 1;
        r->last_p0 = i + 1;
        left--;
        r->outstanding--;
    }
    drain(r);
    if (left > 0)
        give_excess(r, entry, left);
}

/* Removes the youngest P0 elements and, with them, what the table in D9.3.4 lists. */
static void cancel(struct cairn_etmv4_resolver *r, const struct cairn_etmv4_entry *entry)
{
    struct cairn_etmv4_queue *queue = &r->queue;
    uint64_t left = entry->data.value;
    size_t i = cairn_etmv4_queue_count(queue);
    size_t kept;
    bool start_removed = false;

    if (r->outstanding == 0 && r->unseen == 0) {
        give_excess(r, entry, left);
        return;
    }
    while (i > r->ready && left > 0)
        if (is_p0(r, cairn_etmv4_queue_at(queue, --i)->kind))
            left--;
    if (left > 0)
        i = r->ready;
    kept = i;
    for (; i < cairn_etmv4_queue_count(queue); i++) {
        const struct cairn_etmv4_entry *at = cairn_etmv4_queue_at(queue, i);

        if (is_p0(r, at->kind))
            r->outstanding--;
        if (at->kind == CAIRN_ELEMENT_ATOM)
            r->atoms--;
        if (cairn_etmv4_survives(at->kind)) {
            struct cairn_etmv4_entry *survivor = cairn_etmv4_queue_at(queue, kept++);

            *survivor = *at;
            /* Its transaction has just been cancelled (D9.3.4.1). */
            if (start_removed && survivor->kind == CAIRN_ELEMENT_TRACE_INFO)
                survivor->data.info &= (uint8_t)~CAIRN_ETMV4_INFO_T;
        } else if (at->kind == CAIRN_ELEMENT_TRANSACTION_START) {
            start_removed = true;
        } else if (at->kind == CAIRN_ELEMENT_MISPREDICT) {
            r->mispredicts--;
        } else if (r->marked && at->offset == r->mark_offset && at->data.nth == r->mark_nth) {
            r->mark_approximate = true;
        }
    }
    queue->end = queue->first + kept;
    if (r->voided > kept)
        r->voided = kept;
    if (left > 0) {
        const uint64_t unseen = left < r->unseen ? left : r->unseen;

        r->unseen -= unseen;
        left -= unseen;
    }
    if (left > 0 || entry->data.value == 0) /* a count of 0 is reserved (D5.36) */
        give_excess(r, entry, left);
}

/* What follows the last committed P0 element, up to the first outstanding one, cannot be cancelled.
 */
static void settle(struct cairn_etmv4_resolver *r)
{
    const size_t count = cairn_etmv4_queue_count(&r->queue);

    while (r->unseen == 0 && r->ready < count &&
           !is_p0(r, cairn_etmv4_queue_at(&r->queue, r->ready)->kind))
        r->ready++;
    drain_all(r);
}

/* What is committed leaves. After damage or a Discard the last committed P0 element may be wrong:
 * its Mispredict or Target Address may be among what is missing (D9.5.13). */
static void settle_uncertain(struct cairn_etmv4_resolver *r)
{
    if (r->last_p0 > 0)
        cairn_etmv4_queue_at(&r->queue, r->last_p0 - 1)->flags |= CAIRN_ELEMENT_UNCERTAIN;
    settle(r);
}

/* Everything still outstanding is lost for `reason`. */
static void lose_queue(struct cairn_etmv4_resolver *r, enum cairn_account reason)
{
    for (size_t i = 0; i < cairn_etmv4_queue_count(&r->queue); i++)
        cairn_etmv4_give_lost(r, cairn_etmv4_queue_at(&r->queue, i), reason);
    r->queue.first = r->queue.end;
    r->mispredicts = 0;
    r->atoms = 0;
    r->outstanding = 0;
    r->voided = 0;
    r->unseen = 0;
    r->marked = false;
}

/* --- markers --- */

static void mark(struct cairn_etmv4_resolver *r)
{
    r->marked = r->recent_known;
    r->mark_approximate = false;
    r->mark_offset = r->recent_offset;
    r->mark_nth = r->recent_nth;
}

/* Ties a Timestamp to what its marker named (D2.4.3). Without markers it belongs where it is. */
static void bind_timestamp(struct cairn_etmv4_resolver *r, struct cairn_etmv4_entry *entry)
{
    if (!r->tsmark)
        return;
    if (r->marked) {
        entry->data.address = r->mark_offset;
        if (r->mark_approximate)
            entry->flags |= CAIRN_ELEMENT_APPROXIMATE;
    } else { /* for something before the trace began, or lost */
        entry->data.address = UINT64_MAX;
        entry->flags |= CAIRN_ELEMENT_APPROXIMATE;
    }
    r->marked = false;
}

/* A bound was reached that is not the trace unit's: what is outstanding is lost, and the Commits
 * still to come find it unseen. */
static void lose_outstanding(struct cairn_etmv4_resolver *r)
{
    const uint64_t outstanding = r->outstanding + r->unseen;

    settle_uncertain(r);
    lose_queue(r, CAIRN_GAP_LIMIT);
    r->unseen = outstanding;
}

/* The queue has reached its bound. With no P0 element outstanding nothing in it is speculative: it
 * leaves. */
static void make_room(struct cairn_etmv4_resolver *r)
{
    if (r->outstanding > 0) {
        lose_outstanding(r);
        return;
    }
    r->ready = cairn_etmv4_queue_count(&r->queue);
    drain_all(r);
}

/* A Trace Info contradicts the depth that was counted. It cannot within one trace session, so
 * another one begins here, or packets are missing: what is outstanding will never be resolved. */
static void begin_again(struct cairn_etmv4_resolver *r)
{
    settle_uncertain(r);
    cairn_etmv4_lose_transaction(r, CAIRN_GAP_UNRESOLVED);
    lose_queue(r, CAIRN_GAP_UNRESOLVED);
    r->initialised = false;
    r->recent_known = false;
}

/* Elements that act on the queue; the others wait in it. */
static bool acts_at_once(unsigned kind)
{
    return kind == CAIRN_ELEMENT_COMMIT || kind == CAIRN_ELEMENT_CANCEL ||
           kind == CAIRN_ELEMENT_DISCARD || kind == CAIRN_ELEMENT_OVERFLOW ||
           kind == CAIRN_ELEMENT_GAP;
}

static void act(struct cairn_etmv4_resolver *r, struct cairn_etmv4_entry *entry)
{
    switch (entry->kind) {
    case CAIRN_ELEMENT_COMMIT:
        if (entry->data.reason == CAIRN_GAP_LIMIT)
            lose_outstanding(r);
        else
            commit(r, entry);
        return;
    case CAIRN_ELEMENT_CANCEL: cancel(r, entry); return;
    case CAIRN_ELEMENT_DISCARD:
        settle_uncertain(r);
        cairn_etmv4_fail_transaction(r);
        lose_queue(r, (enum cairn_account)entry->data.reason);
        cairn_etmv4_give(r, entry);
        return;
    case CAIRN_ELEMENT_OVERFLOW: cairn_etmv4_give(r, entry); return;
    case CAIRN_ELEMENT_GAP:
        begin_again(r);
        cairn_etmv4_give(r, entry);
        return;
    default: return;
    }
}

/* A Mispredict has come. If no Atom waits, the one that it inverts is older than all that waits,
 * and was never seen or has left: the Target Addresses here lie between the two (D6.9.14). */
static void void_older_targets(struct cairn_etmv4_resolver *r)
{
    const size_t count = cairn_etmv4_queue_count(&r->queue);

    if (r->atoms > 0)
        return;
    for (; r->voided < count; r->voided++) {
        struct cairn_etmv4_entry *entry = cairn_etmv4_queue_at(&r->queue, r->voided);

        if (entry->kind == CAIRN_ELEMENT_TARGET_ADDRESS)
            entry->drop = true;
    }
}

/* An element that waits has just been put into the queue. */
static void arrive(struct cairn_etmv4_resolver *r, struct cairn_etmv4_entry *entry)
{
    switch (entry->kind) {
    case CAIRN_ELEMENT_TRACE_INFO:
        if (!r->initialised)
            r->unseen = entry->data.value;
        r->initialised = true;
        break;
    case CAIRN_ELEMENT_MISPREDICT:
        r->mispredicts++;
        void_older_targets(r);
        break;
    case CAIRN_ELEMENT_TIMESTAMP_MARKER: mark(r); break;
    case CAIRN_ELEMENT_TIMESTAMP: bind_timestamp(r, entry); break;
    default: break;
    }
    if (entry->kind == CAIRN_ELEMENT_ATOM)
        r->atoms++;
    if (is_p0(r, entry->kind))
        r->outstanding++;
    if (entry->kind == CAIRN_ELEMENT_EVENT || is_p0(r, entry->kind)) {
        r->recent_offset = entry->offset;
        r->recent_nth = entry->data.nth;
        r->recent_known = true;
    }
}

/* An Atom that implies its own Commit. */
static bool is_committed_atom(const struct cairn_element_batch *in, size_t i)
{
    return i < in->count && in->kind[i] == CAIRN_ELEMENT_ATOM &&
           (in->flags[i] & CAIRN_ELEMENT_COMMITS);
}

/* The common case, without the queue: nothing is speculative, the last Atom is held, and each Atom
 * implies its Commit. The held one leaves and the next takes its place. Returns how many elements
 * of `in` were used. An Atom's data is its place in the packet and nothing else. */
static size_t pass_atoms(struct cairn_etmv4_resolver *r, const struct cairn_element_batch *in,
                         size_t first)
{
    struct cairn_element_batch *out = r->batch;
    struct cairn_etmv4_entry *held;
    size_t at = first;

    if (!is_committed_atom(in, at) || r->unseen > 0 ||
        r->transaction != CAIRN_TRANSACTION_OUTSIDE || r->ready != 1 || r->last_p0 != 1 ||
        cairn_etmv4_queue_count(&r->queue) != 1)
        return 0;
    held = cairn_etmv4_queue_at(&r->queue, 0);
    if (held->kind != CAIRN_ELEMENT_ATOM)
        return 0;
    uint64_t offset = held->offset;
    uint64_t length = held->length;
    uint16_t flags = held->flags;
    uint8_t nth = held->data.nth;

    for (; is_committed_atom(in, at) && out->count < out->capacity; at++) {
        const size_t i = out->count++;

        out->offset[i] = offset;
        out->length[i] = length;
        out->kind[i] = CAIRN_ELEMENT_ATOM;
        out->flags[i] = flags;
        out->data[i] = (struct cairn_element_data){.nth = nth};
        offset = in->offset[at];
        length = in->length[at];
        flags = in->flags[at] & (uint16_t)~CAIRN_ELEMENT_COMMITS;
        nth = in->data[at].nth;
    }
    held->offset = offset;
    held->length = length;
    held->flags = flags;
    held->data = (struct cairn_element_data){.nth = nth};
    r->recent_offset = offset;
    r->recent_nth = nth;
    r->recent_known = true;
    return at - first;
}

/* Moves the output into the batch. False: more is waiting than fits. */
static bool flush(struct cairn_etmv4_resolver *r, struct cairn_element_batch *out)
{
    while (cairn_etmv4_queue_count(&r->out) > 0 && out->count < out->capacity) {
        cairn_etmv4_put(out, cairn_etmv4_queue_at(&r->out, 0));
        r->out.first++;
    }
    return cairn_etmv4_queue_count(&r->out) == 0;
}

cairn_status cairn_etmv4_resolver_run(struct cairn_etmv4_resolver *r,
                                      const struct cairn_element_batch *in, size_t *position,
                                      struct cairn_element_batch *out)
{
    if (*position > in->count || (r->ended && *position < in->count))
        return CAIRN_E_ARGUMENT;
    r->batch = out;
    while (flush(r, out) && *position < in->count && !r->failed) {
        const size_t passed = pass_atoms(r, in, *position);

        *position += passed;
        if (passed > 0)
            continue;
        const size_t i = (*position)++;
        struct cairn_etmv4_entry acting;
        struct cairn_etmv4_entry *entry = &acting;
        const bool waits = !acts_at_once(in->kind[i]);

        if (in->kind[i] == CAIRN_ELEMENT_TRACE_INFO && (in->flags[i] & CAIRN_ELEMENT_UNCERTAIN))
            begin_again(r);
        if (waits) {
            if (cairn_etmv4_queue_count(&r->queue) >= QUEUE_MAX)
                make_room(r);
            entry = cairn_etmv4_queue_push(&r->queue);
        }
        if (!entry)
            return CAIRN_E_MEMORY;
        entry->offset = in->offset[i];
        entry->length = in->length[i];
        entry->flags = in->flags[i];
        entry->kind = in->kind[i];
        entry->drop = false;
        entry->data = in->data[i];
        if (!waits) {
            act(r, entry);
            continue;
        }
        arrive(r, entry);
        if (entry->flags & CAIRN_ELEMENT_COMMITS) {
            entry->flags &= (uint16_t)~CAIRN_ELEMENT_COMMITS;
            acting = (struct cairn_etmv4_entry){.offset = entry->offset,
                                                .length = entry->length,
                                                .kind = CAIRN_ELEMENT_COMMIT,
                                                .flags = CAIRN_ELEMENT_IMPLIED,
                                                .data.value = 1};
            act(r, &acting);
        }
    }
    return r->failed ? CAIRN_E_MEMORY : CAIRN_OK;
}

cairn_status cairn_etmv4_resolver_finish(struct cairn_etmv4_resolver *r,
                                         struct cairn_element_batch *out)
{
    r->batch = out;
    (void)flush(r, out);
    if (!r->ended) {
        r->ended = true;
        settle(r);
        cairn_etmv4_lose_transaction(r, CAIRN_GAP_UNRESOLVED);
        lose_queue(r, CAIRN_GAP_UNRESOLVED);
    }
    (void)flush(r, out);
    return r->failed ? CAIRN_E_MEMORY : CAIRN_OK;
}

/* Elements in the queue whose meaning depends on what follows them. */
static bool holds_more_than_atoms(const struct cairn_etmv4_resolver *r)
{
    for (size_t i = 0; i < cairn_etmv4_queue_count(&r->queue); i++) {
        const struct cairn_etmv4_entry *entry = cairn_etmv4_queue_at(&r->queue, i);
        const unsigned kind = entry->kind;

        if (kind == CAIRN_ELEMENT_Q || kind == CAIRN_ELEMENT_TRANSACTION_START ||
            kind == CAIRN_ELEMENT_TRANSACTION_COMMIT || kind == CAIRN_ELEMENT_TRANSACTION_FAILURE)
            return true;
        if (kind == CAIRN_ELEMENT_TRACE_INFO && (entry->data.info & CAIRN_ETMV4_INFO_T))
            return true; /* a transaction is under way */
    }
    return false;
}

bool cairn_etmv4_resolver_stands(const struct cairn_etmv4_resolver *r,
                                 struct cairn_hot_state *state)
{
    state->marked = r->marked;
    return r->initialised && !r->failed && !r->ended && r->unseen == 0 && r->outstanding == 0 &&
           r->transaction == CAIRN_TRANSACTION_OUTSIDE && cairn_etmv4_queue_count(&r->out) == 0 &&
           r->recent_known && !(r->marked && r->mark_approximate) && !holds_more_than_atoms(r);
}

bool cairn_etmv4_resolver_settle(struct cairn_etmv4_resolver *r, struct cairn_element_batch *out)
{
    r->batch = out;
    settle(r);
    return flush(r, out);
}

void cairn_etmv4_resolver_resume(struct cairn_etmv4_resolver *r,
                                 const struct cairn_hot_state *state)
{
    r->queue.first = r->queue.end;
    r->held.first = r->held.end;
    r->out.first = r->out.end;
    r->ready = 0;
    r->last_p0 = 0;
    r->mispredicts = 0;
    r->atoms = 0;
    r->outstanding = 0;
    r->voided = 0;
    r->unseen = 0;
    r->initialised = true;
    r->transaction = CAIRN_TRANSACTION_OUTSIDE;
    r->marked = state->marked;
    r->mark_approximate = false;
    r->mark_offset = UINT64_MAX; /* of what is behind long since: nothing takes it back */
    r->recent_known = true;
    r->recent_offset = UINT64_MAX;
}
