/* SPDX-License-Identifier: BSD-2-Clause */
#include "pipeline/unfold.h"

#include "flow/dictionary.h"

/* From the first packet of a path of packets to its last one. */
#define SPAN 7u

bool cairn_unfold_reaches(const struct cairn_word_batch *batch, uint64_t offset)
{
    const uint64_t from = offset > SPAN ? offset - SPAN : 0;
    bool reaches = false;

    for (size_t i = 0; i < batch->count; i++)
        reaches |= batch->offset[i] >= from;
    for (size_t i = 0; i < batch->event_count && !reaches; i++)
        reaches = cairn_word_event_at(batch, i)->offset >= offset;
    return reaches;
}

static void note_packet(struct cairn_unfold *unfold, const struct cairn_word_event *event)
{
    if (event->kind != CAIRN_WORD_PACKET && event->kind != CAIRN_WORD_WAITS)
        return;
    unfold->packet_offset = event->offset;
    unfold->packet_length = event->length;
    unfold->packet_flags = event->kind == CAIRN_WORD_PACKET ? event->flags : 0;
}

void cairn_unfold_pass(struct cairn_unfold *unfold, const struct cairn_word_batch *batch)
{
    for (size_t i = batch->event_count; i > 0; i--) {
        const struct cairn_word_event *const event = cairn_word_event_at(batch, i - 1);

        if (event->kind == CAIRN_WORD_PACKET || event->kind == CAIRN_WORD_WAITS) {
            note_packet(unfold, event);
            return;
        }
    }
}

/* A batch that is told. */
struct telling {
    struct cairn_unfold *unfold;
    const struct cairn_word_batch *batch;
    size_t event;
    bool breaks; /* the next range does not follow from the last one */
    struct cairn_word_event mark;
    cairn_status (*tell)(void *context, const struct cairn_word_event *event);
    void *context;
};

static cairn_status tell_event(struct telling *telling, const struct cairn_word_event *given)
{
    struct cairn_word_event event = *given;

    event.word = 0;
    event.step = 0;
    note_packet(telling->unfold, &event);
    if (event.kind == CAIRN_WORD_DISCONTINUITY) {
        telling->breaks = true;
        telling->mark = event;
        return CAIRN_OK;
    }
    if (event.kind == CAIRN_FLOW_RANGE && event.instructions) {
        event.flags = (uint16_t)(event.flags | (telling->breaks ? CAIRN_FLOW_DISCONTINUITY : 0));
        telling->breaks = false;
    }
    return telling->tell(telling->context, &event);
}

/* Those that stand in front of a step. */
static cairn_status tell_events(struct telling *telling, size_t word, uint32_t step)
{
    cairn_status status = CAIRN_OK;

    for (; !status && telling->event < telling->batch->event_count; telling->event++) {
        const struct cairn_word_event *const event =
            cairn_word_event_at(telling->batch, telling->event);

        if (event->word > word || (event->word == word && event->step > step))
            break;
        status = tell_event(telling, event);
    }
    return status;
}

static cairn_status tell_step(struct telling *telling, size_t word, const struct cairn_path *path,
                              uint32_t number)
{
    const struct cairn_dictionary *const dictionary = telling->batch->dictionary;
    const struct cairn_unfold *const unfold = telling->unfold;
    const uint32_t step = dictionary->steps[path->first + number];
    const struct cairn_code_block *const block = &dictionary->blocks[step >> 1];
    const bool is_bits = path->kind == CAIRN_PATH_BITS;
    unsigned flags = is_bits ? unfold->packet_flags : 0;

    if (!block->instructions)
        return CAIRN_OK;
    if (block->flags & CAIRN_BLOCK_P0)
        flags |= CAIRN_FLOW_P0 | (step & 1 ? CAIRN_FLOW_TAKEN : 0u);
    return tell_event(
        telling, &(struct cairn_word_event){
                     .kind = CAIRN_FLOW_RANGE,
                     .isa = block->isa,
                     .flags = (uint16_t)flags,
                     .instructions = block->instructions,
                     .offset = is_bits ? unfold->packet_offset
                                       : telling->batch->offset[word] +
                                             cairn_path_packet(dictionary, path->atoms, number),
                     .length = is_bits ? unfold->packet_length : 1,
                     .address = block->address,
                     .value = block->end,
                 });
}

cairn_status cairn_unfold_words(struct cairn_unfold *unfold, const struct cairn_word_batch *batch,
                                cairn_status (*tell)(void *context,
                                                     const struct cairn_word_event *event),
                                void *context)
{
    struct telling telling = {.unfold = unfold, .batch = batch, .tell = tell, .context = context};
    cairn_status status = CAIRN_OK;

    for (size_t word = 0; word < batch->count && !status; word++) {
        const struct cairn_path *const path =
            &batch->dictionary->paths[batch->path[word] & ~CAIRN_WORD_INFERRED];

        for (uint32_t i = 0; i < path->steps && !status; i++) {
            status = tell_events(&telling, word, i);
            if (!status)
                status = tell_step(&telling, word, path, i);
        }
    }
    if (!status)
        status = tell_events(&telling, batch->count, UINT32_MAX);
    return !status && telling.breaks ? tell(context, &telling.mark) : status;
}
