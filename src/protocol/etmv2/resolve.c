/* SPDX-License-Identifier: BSD-2-Clause */
/* Cancelled instructions taken back (IHI0014 6.7.1), as ETMv3's are (docs/legacy.md). The last Atom
 * waits with all that is behind it, until another Atom or a break in the trace shows that no branch with
 * the E bit cancels it. */
#include "protocol/etmv2/etmv2.h"

#include <stdlib.h>
#include <string.h>

enum {
    HELD_MAX = 4096, /* elements that wait, at most: behind so many the Atom counts as certain */
    FIRST_CAPACITY = 64,
};

struct etmv2_held {
    uint64_t offset;
    uint64_t length;
    uint8_t kind;
    uint16_t flags;
    struct cairn_element_data data;
};

/* held[first, ready) are on their way out, held[ready, end) wait: an Atom, and what is behind it. */
struct etmv2_resolver {
    struct etmv2_held *held;
    size_t capacity;
    size_t first, ready, end;
    bool ended;
};

cairn_status cairn_etmv2_resolver_new(struct cairn_config *config, void **state)
{
    struct etmv2_resolver *r = calloc(1, sizeof *r);

    (void)config; /* what cancels does not depend on the registers */
    if (!r)
        return CAIRN_E_MEMORY;
    r->held = malloc(FIRST_CAPACITY * sizeof *r->held);
    if (!r->held) {
        free(r);
        return CAIRN_E_MEMORY;
    }
    r->capacity = FIRST_CAPACITY;
    *state = r;
    return CAIRN_OK;
}

void cairn_etmv2_resolver_free(void *state)
{
    struct etmv2_resolver *r = state;

    if (!r)
        return;
    free(r->held);
    free(r);
}

/* False: memory is short. */
static bool etmv2_make_room(struct etmv2_resolver *r)
{
    if (r->end < r->capacity)
        return true;
    const size_t capacity = 2 * r->capacity;
    struct etmv2_held *held = realloc(r->held, capacity * sizeof *held);

    if (!held)
        return false;
    r->held = held;
    r->capacity = capacity;
    return true;
}

/* The branch's address goes with the Atom; of what a later TFO only repeats nothing is left to compare.
 * Behind an exception is what its handler did. */
static void strip_atom(struct etmv2_resolver *r)
{
    size_t kept = r->ready + 1;
    bool handled = false;

    for (size_t i = kept; i < r->end; i++) {
        struct etmv2_held *held = &r->held[i];
        const bool is_address = held->kind == CAIRN_ELEMENT_TARGET_ADDRESS;
        const bool is_check = is_address && (held->flags & CAIRN_ELEMENT_CHECK);

        handled |= held->kind == CAIRN_ELEMENT_EXCEPTION;
        if (!handled && is_check)
            held->flags |= CAIRN_ELEMENT_UNKNOWN;
        else if (!handled && is_address)
            continue;
        r->held[kept++] = *held;
    }
    r->end = kept;
}

/* The Cancel is the last one. */
static void cancel_atom(struct etmv2_resolver *r)
{
    if (r->ready == r->end - 1) {
        r->held[r->end - 1].flags |=
            CAIRN_ELEMENT_UNCERTAIN; /* the instruction was not traced, or is lost */
    } else {
        r->end--;
        strip_atom(r);
        r->held[r->ready].kind = CAIRN_ELEMENT_CANCELLED;
        r->held[r->ready].flags &= (uint16_t)~CAIRN_ELEMENT_INITIAL_E;
    }
    r->ready = r->end;
}

static bool is_known_count(const struct etmv2_held *held)
{
    return held->kind == CAIRN_ELEMENT_CYCLE_COUNT && !(held->flags & CAIRN_ELEMENT_UNKNOWN);
}

/* What took the Atom back may be among what is missing. */
static void doubt_atom(struct etmv2_resolver *r)
{
    if (r->ready < r->end - 1)
        r->held[r->ready].flags |= CAIRN_ELEMENT_UNCERTAIN;
    r->ready = r->end;
}

/* The last one has just come: decides what waits from now on. */
static void etmv2_arrive(struct etmv2_resolver *r)
{
    struct etmv2_held *last = &r->held[r->end - 1];
    const bool alone = r->ready == r->end - 1;

    if (last->flags & CAIRN_ELEMENT_LOST) {
        doubt_atom(r);
        return;
    }
    switch (last->kind) {
    case CAIRN_ELEMENT_ATOM: r->ready = r->end - 1; return;
    case CAIRN_ELEMENT_CANCEL: cancel_atom(r); return;
    case CAIRN_ELEMENT_TRACE_ON: r->ready = r->end; return;
    case CAIRN_ELEMENT_OVERFLOW:
    case CAIRN_ELEMENT_GAP: doubt_atom(r); return;
    default: break;
    }
    if (alone) {
        r->ready = r->end;
    } else if (is_known_count(last) && is_known_count(last - 1)) { /* cycles in a row are one */
        last[-1].data.value += last->data.value;
        r->end--;
    }
    if (r->end - r->ready >= HELD_MAX)
        r->ready = r->end;
}

/* Moves what is ready into the batch. False: more is ready than fits. */
static bool etmv2_flush(struct etmv2_resolver *r, struct cairn_element_batch *out)
{
    for (; r->first < r->ready && out->count < out->capacity; r->first++) {
        const struct etmv2_held *held = &r->held[r->first];
        const size_t i = out->count++;

        out->offset[i] = held->offset;
        out->length[i] = held->length;
        out->kind[i] = held->kind;
        out->flags[i] = held->flags;
        out->data[i] = held->data;
    }
    if (r->first < r->ready)
        return false;
    if (r->first > 0)
        memmove(r->held, r->held + r->first, (r->end - r->first) * sizeof *r->held);
    r->end -= r->first;
    r->first = 0;
    r->ready = 0;
    return true;
}

cairn_status cairn_etmv2_resolver_run(void *state, const struct cairn_element_batch *in,
                                      size_t *position, struct cairn_element_batch *out)
{
    struct etmv2_resolver *r = state;

    if (*position > in->count || (r->ended && *position < in->count))
        return CAIRN_E_ARGUMENT;
    while (etmv2_flush(r, out) && *position < in->count) {
        if (!etmv2_make_room(r))
            return CAIRN_E_MEMORY;
        const size_t i = (*position)++;

        r->held[r->end++] = (struct etmv2_held){.offset = in->offset[i],
                                                .length = in->length[i],
                                                .kind = in->kind[i],
                                                .flags = in->flags[i],
                                                .data = in->data[i]};
        etmv2_arrive(r);
    }
    return CAIRN_OK;
}

cairn_status cairn_etmv2_resolver_finish(void *state, struct cairn_element_batch *out)
{
    struct etmv2_resolver *r = state;

    if (!r->ended) {
        r->ended = true;
        r->ready = r->end;
    }
    (void)etmv2_flush(r, out);
    return CAIRN_OK;
}
