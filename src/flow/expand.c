/* SPDX-License-Identifier: BSD-2-Clause */
/* The records view: paths and events -> flow records, exactly those of the reference path. */
#include "base/sizes.h"
#include "flow/cursor.h"
#include "flow/dictionary.h"

/* What a range consists of, in this order. */
enum part {
    PART_RANGE,
    PART_UNDEFINED, /* the warning of an undefined instruction, unless it was the last one told */
    PART_OUTCOME,   /* an exception return, or the warning of N where that is reserved */
    PART_END,
};

static size_t put(struct cairn_flow_batch *out, enum cairn_flow_kind kind, uint64_t offset,
                  uint64_t length)
{
    const size_t i = out->count++;

    if (out->kind)
        out->kind[i] = (uint8_t)kind;
    if (out->isa)
        out->isa[i] = 0;
    if (out->flags)
        out->flags[i] = 0;
    if (out->instructions)
        out->instructions[i] = 0;
    if (out->offset)
        out->offset[i] = offset;
    if (out->length)
        out->length[i] = length;
    if (out->address)
        out->address[i] = 0;
    if (out->value)
        out->value[i] = 0;
    return i;
}

static void put_address(struct cairn_flow_batch *out, size_t i, uint64_t address, uint64_t value)
{
    if (out->address)
        out->address[i] = address;
    if (out->value)
        out->value[i] = value;
}

static bool is_told(struct cairn_word_cursor *cursor, uint64_t address)
{
    const bool told = cursor->undefined_given && cursor->undefined_at == address;

    cursor->undefined_given = true;
    cursor->undefined_at = address;
    return told;
}

/* One event; a mark is no record. */
static void give_event(const struct cairn_dictionary *dictionary,
                       const struct cairn_word_event *given, struct cairn_word_cursor *cursor,
                       struct cairn_flow_batch *out)
{
    struct cairn_word_event copy = *given;
    const struct cairn_word_event *event = &copy;
    unsigned flags;
    size_t i;

    if (!cairn_data_pass(&cursor->data, dictionary->m_profile, &copy))
        return;
    flags = event->flags;
    switch (event->kind) {
    case CAIRN_WORD_DISCONTINUITY: cursor->discontinuity = event->word >= cursor->word; return;
    case CAIRN_WORD_TRANSACTION: cursor->transaction = event->value != 0; return;
    case CAIRN_WORD_WAITS:
        cursor->waits = event->instructions;
        cursor->waited = false;
        cursor->passed = event->word < cursor->word ||
                         (event->word == cursor->word && event->step < cursor->step);
        cursor->cycles = event->address;
        cursor->packet_offset = event->offset;
        cursor->packet_length = event->length;
        cursor->packet_flags = 0;
        return;
    case CAIRN_WORD_PACKET:
        cursor->packet_offset = event->offset;
        cursor->packet_length = event->length;
        cursor->packet_flags = event->flags;
        return;
    case CAIRN_FLOW_WARNING:
        if (event->value == CAIRN_WARNING_UNDEFINED && is_told(cursor, event->address))
            return;
        break;
    case CAIRN_FLOW_RANGE:
        if (cursor->discontinuity)
            flags |= CAIRN_FLOW_DISCONTINUITY;
        cursor->discontinuity = false;
        break;
    default: break;
    }
    i = put(out, (enum cairn_flow_kind)event->kind, event->offset, event->length);
    if (out->isa)
        out->isa[i] = event->isa;
    if (out->flags)
        out->flags[i] = (uint16_t)flags;
    if (out->instructions)
        out->instructions[i] = event->instructions;
    put_address(out, i, event->address, event->value);
}

static uint16_t range_flags(const struct cairn_word_cursor *cursor, const struct cairn_path *path,
                            const struct cairn_code_block *block, bool taken, bool inferred)
{
    unsigned flags = 0;

    if (inferred)
        flags |= CAIRN_FLOW_INFERRED;
    if (cursor->discontinuity)
        flags |= CAIRN_FLOW_DISCONTINUITY;
    if (cursor->transaction)
        flags |= CAIRN_FLOW_TRANSACTION;
    if (path->kind != CAIRN_PATH_PACKETS)
        flags |= cursor->packet_flags;
    if (!(block->flags & CAIRN_BLOCK_P0))
        return (uint16_t)flags;
    flags |= CAIRN_FLOW_P0;
    if (taken)
        flags |= CAIRN_FLOW_TAKEN;
    if (taken && (block->flags & CAIRN_BLOCK_TRANSFER))
        flags |= CAIRN_FLOW_TRANSFER;
    if (taken && (block->flags & CAIRN_BLOCK_BRANCH)) {
        if (block->flags & CAIRN_BLOCK_LINK)
            flags |= CAIRN_FLOW_LINK;
        if (block->flags & CAIRN_BLOCK_RETURN)
            flags |= CAIRN_FLOW_RETURN;
    }
    return (uint16_t)flags;
}

/* Behind a taken indirect branch inside a path only the return stack tells where it goes on. */
static bool is_inferred(const struct cairn_word_batch *batch, const struct cairn_path *path,
                        const struct cairn_word_cursor *cursor)
{
    const struct cairn_dictionary *dictionary = batch->dictionary;
    uint32_t before;

    if (cursor->step == 0)
        return (batch->path[cursor->word] & CAIRN_WORD_INFERRED) != 0;
    before = dictionary->steps[path->first + cursor->step - 1];
    return (before & 1) && (dictionary->blocks[before >> 1].flags & CAIRN_BLOCK_INDIRECT);
}

/* Data behind a range may be its. */
static void own_range(const struct cairn_dictionary *dictionary, struct cairn_word_cursor *cursor,
                      const struct cairn_code_block *block, uint16_t flags)
{
    struct cairn_word_event range = {
        .kind = CAIRN_FLOW_RANGE, .isa = block->isa, .flags = flags, .address = block->address};

    if ((flags & CAIRN_FLOW_TRANSFER) || cursor->data.whose != CAIRN_DATA_OF_LAST ||
        cursor->data.done > 0)
        (void)cairn_data_pass(&cursor->data, dictionary->m_profile, &range);
}

/* The next part of the step in hand; a part that is not there costs no room. */
static void give_part(const struct cairn_word_batch *batch, const struct cairn_path *path,
                      struct cairn_word_cursor *cursor, struct cairn_flow_batch *out)
{
    const struct cairn_dictionary *dictionary = batch->dictionary;
    const uint32_t step = dictionary->steps[path->first + cursor->step];
    const struct cairn_code_block *block = &dictionary->blocks[step >> 1];
    const bool taken = step & 1;
    const unsigned packet = path->kind == CAIRN_PATH_PACKETS
                                ? cairn_path_packet(dictionary, path->atoms, cursor->step)
                                : 0;
    const bool own = path->kind == CAIRN_PATH_PACKETS;
    const uint64_t offset = own ? batch->offset[cursor->word] + packet : cursor->packet_offset;
    const uint64_t length = own ? 1 : cursor->packet_length;
    uint16_t flags;
    size_t i;

    switch (cursor->part) {
    case PART_RANGE:
        if (block->instructions == 0)
            break;
        i = put(out, CAIRN_FLOW_RANGE, offset, length);
        flags = range_flags(cursor, path, block, taken, is_inferred(batch, path, cursor));
        own_range(dictionary, cursor, block, flags);
        if (out->isa)
            out->isa[i] = block->isa;
        if (out->flags)
            out->flags[i] = flags;
        if (out->instructions)
            out->instructions[i] = block->instructions;
        put_address(out, i, block->address, block->end);
        cursor->discontinuity = false;
        break;
    case PART_UNDEFINED:
        if (!(block->flags & CAIRN_BLOCK_UNDEFINED) ||
            is_told(cursor, dictionary->more[step >> 1].undefined_at))
            break;
        i = put(out, CAIRN_FLOW_WARNING, offset, length);
        put_address(out, i, dictionary->more[step >> 1].undefined_at, CAIRN_WARNING_UNDEFINED);
        break;
    case PART_OUTCOME:
        if (taken && (block->flags & CAIRN_BLOCK_ERET)) {
            i = put(out, CAIRN_FLOW_EXCEPTION_RETURN, offset, length);
            put_address(out, i, cairn_block_last(block), 0);
        } else if (!taken && (block->flags & CAIRN_BLOCK_NEVER_N)) {
            i = put(out, CAIRN_FLOW_WARNING, offset, length);
            put_address(out, i, cairn_block_last(block), CAIRN_WARNING_RESERVED_N);
        }
        break;
    default: break;
    }
    cursor->part++;
    if (cursor->part == PART_END) {
        cursor->part = PART_RANGE;
        cursor->step++;
        cursor->waited = false;
        if (cursor->waits > 0)
            cursor->waits--;
    }
}

/* The cycle before the step in hand. */
static void give_wait(struct cairn_word_cursor *cursor, struct cairn_flow_batch *out)
{
    const size_t i = put(out, CAIRN_FLOW_CYCLES, cursor->packet_offset, cursor->packet_length);

    put_address(out, i, ++cursor->cycles, 1);
    cursor->waited = true;
}

static bool event_is_next(const struct cairn_word_batch *batch,
                          const struct cairn_word_cursor *cursor)
{
    const struct cairn_word_event *event = &batch->event[cursor->event];

    return cursor->event < batch->event_count && cursor->part == PART_RANGE &&
           (event->word < cursor->word ||
            (event->word == cursor->word && event->step <= cursor->step));
}

/* An event, or a cycle of steps that were passed over, if one comes next. */
static bool give_between(const struct cairn_word_batch *batch, struct cairn_word_cursor *cursor,
                         struct cairn_flow_batch *out)
{
    if (cursor->passed && cursor->waits > 0) {
        if (!cursor->waited) /* of the first of them it may have been given */
            give_wait(cursor, out);
        cursor->waited = false;
        cursor->waits--;
        return true;
    }
    if (!event_is_next(batch, cursor))
        return false;
    give_event(batch->dictionary, &batch->event[cursor->event++], cursor, out);
    return true;
}

bool cairn_word_cursor_wait(struct cairn_word_cursor *cursor, struct cairn_flow_batch *out)
{
    if (cursor->waits == 0 || cursor->waited || cursor->passed || cursor->part != PART_RANGE)
        return true;
    if (out->count == out->capacity)
        return false;
    give_wait(cursor, out);
    return true;
}

cairn_status cairn_words_events(const struct cairn_word_batch *batch,
                                struct cairn_word_cursor *cursor, struct cairn_flow_batch *out)
{
    if (!batch->event || !CAIRN_ROWS_FIT(struct cairn_word_batch, batch, event, event_size))
        return CAIRN_E_ARGUMENT;
    if (cursor->word < batch->count)
        cairn_word_cursor_leave(cursor);
    cursor->word = batch->count;
    cursor->step = SIZE_MAX; /* behind what an event can stand before */
    cursor->part = PART_RANGE;
    while (out->count < out->capacity && give_between(batch, cursor, out))
        continue;
    return CAIRN_OK;
}

cairn_status cairn_words_records(const struct cairn_word_batch *batch,
                                 struct cairn_word_cursor *cursor, struct cairn_flow_batch *out)
{
    if (!batch->path || !batch->offset ||
        !CAIRN_ROWS_FIT(struct cairn_word_batch, batch, event, event_size))
        return CAIRN_E_ARGUMENT;
    while (out->count < out->capacity) {
        if (give_between(batch, cursor, out))
            continue;
        if (cursor->word >= batch->count)
            break;
        const struct cairn_path *path =
            &batch->dictionary->paths[batch->path[cursor->word] & ~CAIRN_WORD_INFERRED];

        if (cursor->step < path->steps) {
            if (cursor->waits > 0 && !cursor->waited && cursor->part == PART_RANGE)
                give_wait(cursor, out);
            else
                give_part(batch, path, cursor, out);
            continue;
        }
        cursor->word++;
        cursor->step = 0;
    }
    return CAIRN_OK;
}
