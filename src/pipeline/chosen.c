/* SPDX-License-Identifier: BSD-2-Clause */
#include "pipeline/chosen.h"

void cairn_chosen_begin(struct cairn_chosen *chosen,
                        bool (*wants)(void *context, const struct cairn_context *where),
                        void *context)
{
    *chosen = (struct cairn_chosen){.wants = wants, .context = context, .is_other = wants != NULL};
}

void cairn_chosen_context(struct cairn_chosen *chosen, const struct cairn_context *where)
{
    chosen->is_other = chosen->wants && !chosen->wants(chosen->context, where);
}

/* The trace tells how many there were: what the caller may know of that. */
static uint64_t count_cycles(struct cairn_chosen *chosen, uint64_t total)
{
    if (chosen->is_other)
        chosen->others += total - chosen->total;
    chosen->total = total;
    return total - chosen->others;
}

/* Whether a record says something of the source, and not of what is executed. */
static bool is_of_all(unsigned kind, uint64_t value)
{
    switch (kind) {
    case CAIRN_FLOW_GAP: return value != CAIRN_GAP_NO_IMAGE;
    case CAIRN_FLOW_TIMESTAMP:
    case CAIRN_FLOW_TIMESTAMP_MARKER:
    case CAIRN_FLOW_EVENT:
    case CAIRN_FLOW_OVERFLOW:
    case CAIRN_FLOW_DISCARD:
    case CAIRN_FLOW_SYNC:
    case CAIRN_WORD_DISCONTINUITY:
    case CAIRN_WORD_TRANSACTION:
    case CAIRN_WORD_DATA:
    case CAIRN_WORD_PACKET: return true;
    default: return false;
    }
}

/* Where another thread goes on: it does not follow from what was executed before. */
static void break_off(struct cairn_word_event *event)
{
    event->kind = CAIRN_WORD_DISCONTINUITY;
    event->address = event->value = 0;
}

/* Whether it stays. */
static bool take_event(struct cairn_chosen *chosen, struct cairn_word_event *event)
{
    const bool was_other = chosen->is_other;

    switch (event->kind) {
    case CAIRN_FLOW_CONTEXT: {
        const struct cairn_context where = cairn_flow_context(event->address, event->value);

        cairn_chosen_context(chosen, &where);
        if (chosen->is_other && !was_other)
            break_off(event);
        return !chosen->is_other || !was_other;
    }
    case CAIRN_FLOW_CYCLES: event->address = count_cycles(chosen, event->address); break;
    case CAIRN_WORD_WAITS: {
        const uint64_t total = event->address + event->instructions;

        event->address = count_cycles(chosen, event->address);
        (void)count_cycles(chosen, total);
        break;
    }
    default: break;
    }
    return !chosen->is_other || is_of_all(event->kind, event->value);
}

void cairn_chosen_words(struct cairn_chosen *chosen, struct cairn_word_batch *batch)
{
    size_t words = 0, events = 0, word = 0;

    if (!chosen->wants)
        return;
    for (size_t i = 0; i <= batch->event_count; i++) {
        const size_t until = i < batch->event_count ? batch->event[i].word : batch->count;

        /* contexts stand in front of a word: what stands inside of one changes nothing here */
        for (; word < until; word++) {
            if (chosen->is_other)
                continue;
            batch->path[words] = batch->path[word];
            if (batch->offset)
                batch->offset[words] = batch->offset[word];
            words++;
        }
        if (i == batch->event_count)
            break;
        struct cairn_word_event event = batch->event[i];
        const bool is_inside = !chosen->is_other;

        if (!take_event(chosen, &event)) {
            batch->instructions -= event.kind == CAIRN_FLOW_RANGE ? event.instructions : 0;
            continue;
        }
        event.word = (uint32_t)words;
        event.step = is_inside ? event.step : 0;
        batch->event[events++] = event;
    }
    batch->count = words;
    batch->event_count = events;
}

static void move_record(struct cairn_flow_batch *batch, size_t from, size_t to)
{
    batch->kind[to] = batch->kind[from];
    batch->isa[to] = batch->isa[from];
    batch->flags[to] = batch->flags[from];
    batch->instructions[to] = batch->instructions[from];
    batch->offset[to] = batch->offset[from];
    batch->length[to] = batch->length[from];
    batch->address[to] = batch->address[from];
    batch->value[to] = batch->value[from];
}

void cairn_chosen_records(struct cairn_chosen *chosen, struct cairn_flow_batch *batch)
{
    size_t kept = 0;

    if (!chosen->wants)
        return;
    for (size_t i = 0; i < batch->count; i++) {
        const unsigned kind = batch->kind[i];

        if (kind == CAIRN_FLOW_CONTEXT) {
            const struct cairn_context where =
                cairn_flow_context(batch->address[i], batch->value[i]);

            cairn_chosen_context(chosen, &where);
            chosen->breaks |= chosen->is_other;
        } else if (kind == CAIRN_FLOW_CYCLES) {
            batch->address[i] = count_cycles(chosen, batch->address[i]);
        }
        if (chosen->is_other && !is_of_all(kind, batch->value[i]))
            continue;
        if (kind == CAIRN_FLOW_RANGE && chosen->breaks) {
            batch->flags[i] |= CAIRN_FLOW_DISCONTINUITY;
            chosen->breaks = false;
        }
        move_record(batch, i, kept++);
    }
    batch->count = kept;
}
