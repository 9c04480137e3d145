/* SPDX-License-Identifier: BSD-2-Clause */
#include "entries.h"

struct writer {
    const struct trip_case *trip;
    struct trip_truth *truth;
    uint32_t pending;  /* where the entries begin that only the next P0 element will tell */
    uint8_t announced; /* of entries that were dropped */
};

static bool has_q(const struct trip_case *trip)
{
    return trip->options.q && trip->options.q_instructions;
}

static struct trip_entry *add_entry(struct writer *w, const struct trip_item *item, uint32_t op,
                                    unsigned kind)
{
    struct trip_truth *truth = w->truth;
    struct trip_entry *entry = &truth->entries[truth->count];

    if (truth->count == TRIP_ENTRIES_MAX - 1)
        truth->impossible = "too long";
    else
        truth->count++;
    *entry = (struct trip_entry){.kind = (uint8_t)kind,
                                 .loose = item->loose,
                                 .landed = item->landed,
                                 .may_be_left_out = has_q(w->trip) && item->unviewed,
                                 .transaction = item->in_transaction ? TRIP_YES : TRIP_NO,
                                 .op = op,
                                 .context = item->context,
                                 .context_last = item->context,
                                 .stops = item->stops,
                                 .time = item->time,
                                 .cycle = item->cycle};
    return entry;
}

static void mark_beginnings(const struct writer *w)
{
    struct trip_entry *entries = w->truth->entries;

    for (uint32_t i = w->pending; i < w->truth->count; i++)
        entries[i].begins = i == w->pending || (entries[i - 1].landed && !entries[i].landed);
}

/* N Atoms that come late come in the context of then. */
static void spread_context(const struct writer *w, uint32_t context)
{
    struct trip_entry *entries = w->truth->entries;

    if (!(w->trip->options.choices & CAIRN_UNIT_OMIT_NOT_TAKEN))
        return;
    for (uint32_t i = w->pending;
         i-- > 0 && entries[i].kind != TRIP_TAKEN && entries[i].kind != TRIP_EXCEPT;) {
        if (context > entries[i].context_last)
            entries[i].context_last = context;
        if (entries[i].announced == TRIP_YES)
            break;
    }
}

/* Nothing will tell what is pending, except where a Cancel ended behind it. */
static void drop_pending(struct writer *w)
{
    struct trip_truth *truth = w->truth;
    uint32_t kept = w->pending;

    mark_beginnings(w);
    for (; kept < truth->count && (truth->entries[kept].landed || has_q(w->trip)); kept++) {
        struct trip_entry *entry = &truth->entries[kept];

        entry->may_be_left_out = true;
        entry->loose |= entry->landed;
        if (entry->transaction == TRIP_YES)
            entry->transaction = TRIP_MAYBE;
    }
    for (uint32_t i = w->pending; i < kept; i++)
        truth->entries[i].context_last = truth->entries[kept - 1].context;
    for (uint32_t i = kept; i < truth->count; i++)
        if (truth->entries[i].announced > w->announced)
            w->announced = truth->entries[i].announced;
    if (truth->count > w->pending)
        spread_context(w, truth->entries[truth->count - 1].context);
    truth->count = w->pending = kept;
}

/* The entries since the last P0 element are told by this one. */
static void close_group(struct writer *w)
{
    struct trip_truth *truth = w->truth;
    const struct trip_entry *last = &truth->entries[truth->count - 1];
    bool loose = false, mixed = false;

    mark_beginnings(w);
    for (uint32_t i = w->pending; i < truth->count; i++) {
        loose |= truth->entries[i].loose;
        mixed |= truth->entries[i].transaction != last->transaction;
    }
    for (uint32_t i = w->pending; i < truth->count; i++) {
        truth->entries[i].loose = loose;
        truth->entries[i].context_last = last->context;
        truth->entries[i].stops = last->stops;
        truth->entries[i].time = last->time;
        truth->entries[i].cycle = last->cycle;
        if (mixed)
            truth->entries[i].transaction = TRIP_MAYBE;
    }
    w->pending = truth->count;
}

static void write_block(struct writer *w, const struct trip_item *item)
{
    const struct trip_step *step = item->step;
    const uint32_t first = w->truth->count;
    const bool closes = trip_closes(w->trip, step);

    for (uint32_t i = 0; i < step->count; i++)
        add_entry(w, item, step->first + i,
                  !closes || i + 1 < step->count ? TRIP_PLAIN
                  : item->taken                  ? TRIP_TAKEN
                                                 : TRIP_NOT_TAKEN);
    w->truth->entries[first].announced = w->announced;
    w->announced = TRIP_NO;
    if (closes)
        close_group(w);
}

static void write_exception(struct writer *w, const struct trip_item *item)
{
    struct trip_entry *entry;

    if (item->step->type == CAIRN_EXCEPTION_PE_RESET)
        drop_pending(w);
    entry = add_entry(w, item, item->step->first, TRIP_EXCEPT);
    entry->type = item->step->type;
    entry->announced = w->announced;
    w->announced = TRIP_NO;
    close_group(w);
}

void trip_entries_add(struct trip_truth *truth, const struct trip_case *trip,
                      const struct trip_item *items, uint32_t count, uint32_t context)
{
    struct writer w = {.trip = trip, .truth = truth, .pending = truth->count};

    for (uint32_t i = 0; i < count && !truth->impossible; i++) {
        const struct trip_item *item = &items[i];

        if (!item->traced)
            continue;
        if (item->failed) { /* a Trace On in it may show, and leaves what is pending untold */
            if (item->announced == TRIP_YES)
                drop_pending(&w);
            if (item->announced != TRIP_NO && w.announced == TRIP_NO)
                w.announced = TRIP_MAYBE;
            continue;
        }
        if (item->announced == TRIP_YES)
            drop_pending(&w);
        if (item->announced > w.announced)
            w.announced = item->announced;
        if (item->step->kind == TRIP_BLOCK)
            write_block(&w, item);
        else
            write_exception(&w, item);
    }
    drop_pending(&w);
    spread_context(&w, context);
}

/* N Atoms that were left out show only when something later implies them, in its context. */
static void mark_optional(struct trip_truth *truth, const struct trip_options *options)
{
    bool at_end = true;
    uint32_t context = 0;

    if (!(options->choices & CAIRN_UNIT_OMIT_NOT_TAKEN))
        return;
    for (uint32_t i = truth->count; i-- > 0;) {
        struct trip_entry *entry = &truth->entries[i];

        if (entry->kind == TRIP_EXCEPT && entry->type == CAIRN_EXCEPTION_PE_RESET) {
            at_end = true;
            context = 0;
        } else if (entry->kind == TRIP_TAKEN || entry->kind == TRIP_EXCEPT) {
            at_end = false;
            context = entry->context;
        }
        if (entry->kind != TRIP_EXCEPT)
            entry->may_be_left_out |= at_end;
        if (context == 0)
            context = entry->context;
        if (context > entry->context_last)
            entry->context_last = context;
        if (entry->announced != TRIP_NO) {
            at_end = true;
            context = 0;
        }
    }
}

/* The announcement in front of what is left out stays. */
static void move_announcements(struct trip_truth *truth, const struct trip_options *options)
{
    const bool has_gaps = options->q && options->q_instructions; /* what is left out may be one */
    bool is_carried = false;

    for (uint32_t i = 0; i < truth->count; i++) {
        struct trip_entry *entry = &truth->entries[i];

        if (entry->may_be_left_out) {
            is_carried |= has_gaps || entry->announced != TRIP_NO;
            continue;
        }
        if (is_carried && entry->announced == TRIP_NO)
            entry->announced = TRIP_MAYBE;
        is_carried = false;
    }
}

void trip_entries_finish(struct trip_truth *truth, const struct trip_options *options)
{
    mark_optional(truth, options);
    move_announcements(truth, options);
}
