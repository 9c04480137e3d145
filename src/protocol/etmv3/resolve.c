/* SPDX-License-Identifier: BSD-2-Clause */
/* Cancelled instructions taken back (IHI0014 7.3.5, docs/legacy.md). The last Atom waits with all
 * that is behind it, until another Atom or a break in the trace shows that nothing cancels it. */
#include "protocol/etmv3/elements.h"

#include <stdlib.h>
#include <string.h>

enum {
    HELD_MAX = 4096, /* elements that wait, at most: behind so many the Atom counts as certain */
    FIRST_CAPACITY = 64,
    HEADER_ONLY = 1, /* length of a P-header */
};

struct entry {
    uint64_t offset;
    uint64_t length;
    uint8_t kind;
    uint16_t flags;
    struct cairn_element_data data;
};

/* entries[first, ready) are on their way out, entries[ready, end) wait. The first that waits is an
 * Atom, or on the M profile an Exception Return whose Atom was not seen. */
struct cairn_etmv3_resolver {
    struct cairn_config *config;
    bool m_profile;
    bool ended;
    struct entry *entries;
    size_t capacity;
    size_t first, ready, end;
};

cairn_status cairn_etmv3_resolver_new(struct cairn_config *config,
                                      struct cairn_etmv3_resolver **resolver)
{
    struct cairn_etmv3_resolver *r = calloc(1, sizeof *r);

    if (!r)
        return CAIRN_E_MEMORY;
    r->entries = malloc(FIRST_CAPACITY * sizeof *r->entries);
    if (!r->entries) {
        free(r);
        return CAIRN_E_MEMORY;
    }
    r->capacity = FIRST_CAPACITY;
    r->config = cairn_config_ref(config);
    r->m_profile = cairn_etmv3_of(config)->m_profile;
    *resolver = r;
    return CAIRN_OK;
}

void cairn_etmv3_resolver_free(struct cairn_etmv3_resolver *resolver)
{
    if (!resolver)
        return;
    free(resolver->entries);
    cairn_config_unref(resolver->config);
    free(resolver);
}

/* False: memory is short. */
static bool make_room(struct cairn_etmv3_resolver *r)
{
    if (r->end < r->capacity)
        return true;
    const size_t capacity = 2 * r->capacity;
    struct entry *entries = realloc(r->entries, capacity * sizeof *entries);

    if (!entries)
        return false;
    r->entries = entries;
    r->capacity = capacity;
    return true;
}

/* Whether it is one of a P-header's: of those of Cycle Count packets each stays what it is. */
static bool is_wait(const struct entry *entry)
{
    return entry->kind == CAIRN_ELEMENT_CYCLE_COUNT && entry->length == HEADER_ONLY &&
           !(entry->flags & CAIRN_ELEMENT_UNKNOWN);
}

/* --- cancelling --- */

/* What stands behind the Atom and is of its instruction goes with it: the branch's address, the
 * return. A periodic I-sync told the address behind the instruction, where execution no longer
 * stands. Behind an exception is what its handler did. */
static void strip(struct cairn_etmv3_resolver *r)
{
    size_t kept = r->ready + 1;
    bool handled = false;

    for (size_t i = kept; i < r->end; i++) {
        struct entry *entry = &r->entries[i];
        const bool is_address = entry->kind == CAIRN_ELEMENT_TARGET_ADDRESS;
        const bool is_check = is_address && (entry->flags & CAIRN_ELEMENT_CHECK);

        handled |= entry->kind == CAIRN_ELEMENT_EXCEPTION;
        if (!handled && is_check)
            entry->flags |= CAIRN_ELEMENT_UNKNOWN;
        else if (!handled && (is_address || entry->kind == CAIRN_ELEMENT_EXCEPTION_RETURN))
            continue;
        r->entries[kept++] = *entry;
    }
    r->end = kept;
}

/* A transfer of the instruction or the return before it. */
static bool is_popped(const struct entry *entry)
{
    const uint32_t form = entry->data.cycles;

    return entry->kind == CAIRN_ELEMENT_DATA && !CAIRN_DATA_IS_LATE(form) &&
           CAIRN_DATA_KIND(form) != CAIRN_DATA_SUPPRESSED;
}

/* On the M profile what is cancelled is the return, if one came behind the instruction: what it
 * popped goes with it, and the instruction stays (7.5.4). What an exception then pushed stays too,
 * and so does what tells of data that is missing. False: there was none. */
static bool cancel_return(struct cairn_etmv3_resolver *r)
{
    size_t kept = r->end;
    bool stacking = false;

    while (kept > r->ready && r->entries[kept - 1].kind != CAIRN_ELEMENT_EXCEPTION_RETURN)
        kept--;
    if (kept == r->ready)
        return false;
    kept--;
    for (size_t i = kept + 1; i < r->end; i++) {
        const struct entry *entry = &r->entries[i];

        stacking |= entry->kind == CAIRN_ELEMENT_STACKING;
        if (stacking || !is_popped(entry))
            r->entries[kept++] = *entry;
    }
    r->end = kept;
    return true;
}

/* The Cancel is the last entry. */
static void cancel(struct cairn_etmv3_resolver *r)
{
    struct entry *last = &r->entries[r->end - 1];

    if (r->ready == r->end - 1) {
        last->flags |= CAIRN_ELEMENT_UNCERTAIN; /* the instruction was not traced, or is lost */
    } else {
        const struct entry cancel = *last;

        r->end--;
        if (!r->m_profile || !cancel_return(r)) {
            struct entry *atom = &r->entries[r->ready];

            strip(r);
            atom->kind = CAIRN_ELEMENT_CANCELLED;
            atom->flags &= (uint16_t)~CAIRN_ELEMENT_INITIAL_E;
            atom->flags |= cancel.flags & CAIRN_ELEMENT_PAUSED;
            atom->data.info = cancel.data.info;
        }
    }
    r->ready = r->end;
}

/* --- elements as they come --- */

/* What took the Atom back may be among what is missing. */
static void doubt(struct cairn_etmv3_resolver *r)
{
    if (r->ready + 1 < r->end && r->entries[r->ready].kind == CAIRN_ELEMENT_ATOM)
        r->entries[r->ready].flags |= CAIRN_ELEMENT_UNCERTAIN;
}

/* The last entry has just come: decides what waits from now on. */
static void arrive(struct cairn_etmv3_resolver *r)
{
    const struct entry *entry = &r->entries[r->end - 1];
    const bool alone = r->ready == r->end - 1;

    switch (entry->kind) {
    case CAIRN_ELEMENT_ATOM: r->ready = r->end - 1; return;
    case CAIRN_ELEMENT_CANCEL: cancel(r); return;
    case CAIRN_ELEMENT_TRACE_ON: r->ready = r->end; return;
    case CAIRN_ELEMENT_OVERFLOW:
    case CAIRN_ELEMENT_GAP:
        doubt(r);
        r->ready = r->end;
        return;
    case CAIRN_ELEMENT_EXCEPTION_RETURN:
        if (alone && !r->m_profile)
            r->ready = r->end;
        break;
    case CAIRN_ELEMENT_CYCLE_COUNT:
        if (alone) {
            r->ready = r->end;
        } else if (is_wait(entry) && is_wait(entry - 1)) {
            r->entries[r->end - 2].data.value += entry->data.value;
            r->end--;
        }
        break;
    default:
        if (alone)
            r->ready = r->end;
        break;
    }
    if (r->end - r->ready >= HELD_MAX)
        r->ready = r->end;
}

/* Moves what is ready into the batch. False: more is ready than fits. */
static bool flush(struct cairn_etmv3_resolver *r, struct cairn_element_batch *out)
{
    for (; r->first < r->ready && out->count < out->capacity; r->first++) {
        const struct entry *entry = &r->entries[r->first];
        const size_t i = out->count++;

        out->offset[i] = entry->offset;
        out->length[i] = entry->length;
        out->kind[i] = entry->kind;
        out->flags[i] = entry->flags;
        out->data[i] = entry->data;
    }
    if (r->first < r->ready)
        return false;
    /* What stays behind something that left is one entry at most. */
    if (r->first > 0)
        memmove(r->entries, r->entries + r->first, (r->end - r->first) * sizeof *r->entries);
    r->end -= r->first;
    r->first = 0;
    r->ready = 0;
    return true;
}

cairn_status cairn_etmv3_resolver_run(struct cairn_etmv3_resolver *r,
                                      const struct cairn_element_batch *in, size_t *position,
                                      struct cairn_element_batch *out)
{
    if (*position > in->count || (r->ended && *position < in->count))
        return CAIRN_E_ARGUMENT;
    while (flush(r, out) && *position < in->count) {
        if (!make_room(r))
            return CAIRN_E_MEMORY;
        const size_t i = (*position)++;

        r->entries[r->end++] = (struct entry){.offset = in->offset[i],
                                              .length = in->length[i],
                                              .kind = in->kind[i],
                                              .flags = in->flags[i],
                                              .data = in->data[i]};
        arrive(r);
    }
    return CAIRN_OK;
}

cairn_status cairn_etmv3_resolver_finish(struct cairn_etmv3_resolver *r,
                                         struct cairn_element_batch *out)
{
    if (!r->ended) {
        r->ended = true;
        r->ready = r->end;
    }
    (void)flush(r, out);
    return CAIRN_OK;
}

/* To W's that come last, others may still come. */
void cairn_etmv3_resolver_settle(struct cairn_etmv3_resolver *r)
{
    if (r->ready < r->end)
        r->ready = is_wait(&r->entries[r->end - 1]) ? r->end - 1 : r->end;
}

uint64_t cairn_etmv3_resolver_release(struct cairn_etmv3_resolver *r, uint64_t *offset)
{
    if (r->ready == r->end)
        return 0;
    r->end = r->ready;
    *offset = r->entries[r->end].offset;
    return r->entries[r->end].data.value;
}

/* A settled resolver has room for it: nothing else is in it. */
void cairn_etmv3_resolver_hold(struct cairn_etmv3_resolver *r, uint64_t offset, uint64_t waits)
{
    r->entries[r->end++] = (struct entry){.offset = offset,
                                          .length = HEADER_ONLY,
                                          .kind = CAIRN_ELEMENT_CYCLE_COUNT,
                                          .data = {.value = waits}};
}

void cairn_etmv3_resolver_empty(struct cairn_etmv3_resolver *r)
{
    r->first = r->ready = r->end = 0;
}
