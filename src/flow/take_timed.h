/* SPDX-License-Identifier: BSD-2-Clause */
/* Words whose asides are cycle counts, waits, packets and data, for take_loop.h: nearly all of a
 * source that counts cycles or traces data. A word's events are written before it is looked up, and only kept if that
 * covers all of it. */

/* Events of a word beyond one for each aside. */
#define TIMED_ROOM ((size_t)EVENTS_SPARE + CAIRN_WORD_ATOMS_MOST)

/* What moves. */
struct timed {
    struct cairn_word_event *event; /* the next one's place */
    uint64_t cycles;                /* the total */
    struct cairn_aside *aside;
};

/* What an event is of. */
struct timed_place {
    size_t number;
    unsigned step;
    unsigned length; /* of its packet */
    uint64_t offset;
};

HOT_INLINE void timed_put(struct timed *now, unsigned kind, struct timed_place place,
                          unsigned instructions, uint64_t address, uint64_t value)
{
    struct cairn_word_event *event = now->event++;

    event->word = (uint32_t)place.number;
    event->step = (uint16_t)place.step;
    event->kind = (uint8_t)kind;
    event->isa = 0;
    event->flags = 0;
    event->reserved = 0;
    event->instructions = instructions;
    event->offset = place.offset;
    event->length = place.length;
    event->address = address;
    event->value = value;
}

HOT_INLINE void timed_data(const struct cairn_words *words, const struct cairn_aside *aside,
                           struct cairn_word_event *event)
{
    struct cairn_element_data plain;
    const struct cairn_element_data *data = &plain;

    if (aside->data != 0)
        data = &words->data[aside->data - 1];
    else
        plain = cairn_aside_data(words, aside);
    cairn_data_record(data, aside->flags, event);
}

/* The packets of a run of them, at `aside`, in a word of so many atoms. False: something else stands
 * between them. */
HOT_INLINE bool timed_put_packets(struct timed *now, const struct cairn_aside *behind,
                                  uint64_t origin, unsigned atoms, size_t number)
{
    const struct cairn_aside *const run = now->aside;
    const bool more = run + 1 < behind;
    const unsigned end = more && run[1].kind == CAIRN_ASIDE_PACKET ? run[1].step : atoms;

    if (more && run[1].step < end)
        return false;
    for (unsigned step = run->step; step < end; step++)
        timed_put(now, CAIRN_WORD_PACKET,
                  (struct timed_place){number, step, run->length,
                                       origin + run->at + run->value * (step - run->step)},
                  0, 0, 0);
    return true;
}

/* Cycle Counts behind one atom each, of a word of so many, and the one in front of them. */
HOT_INLINE void timed_put_counts(struct timed *now, const struct cairn_aside *counts,
                                 unsigned atoms, size_t number, uint64_t offset, const bool listing)
{
    const unsigned end = counts->step + counts->length;
    const unsigned lead = counts->lead;
    struct timed_place place = {number, counts->step, lead, offset - lead};
    uint64_t values = counts->value;

    now->cycles += counts->data;
    timed_put(now, CAIRN_FLOW_CYCLES, place, 0, now->cycles, counts->data);
    now->event -= lead == 0;
    place.length = 1;
    place.offset = offset;
    while (place.step < end) {
        place.step++;
        now->cycles += values & 0xff;
        timed_put(now, CAIRN_FLOW_CYCLES, place, 0, now->cycles, values & 0xff);
        values >>= 8;
        place.offset++;
    }
    if (__builtin_expect(end == atoms, 0)) { /* the last stands in front of the next word */
        now->event[-1].word += listing && atoms > 0;
        now->event[-1].step = 0;
    }
}

/* Waits that stand before all else: as a rule there is nothing else. */
HOT_INLINE void timed_put_waits(struct timed *now, const struct cairn_aside *behind,
                                uint64_t origin, unsigned atoms, size_t number)
{
    for (; now->aside < behind; now->aside++) {
        const struct cairn_aside *aside = now->aside;
        const uint64_t value = aside->value;

        if (aside->kind != CAIRN_ASIDE_WAITS || value == 0 || aside->step + value > atoms)
            return;
        timed_put(now, CAIRN_WORD_WAITS,
                  (struct timed_place){number, aside->step, aside->length, origin + aside->at},
                  (unsigned)value, now->cycles, 0);
        now->cycles += value;
    }
}

/* The events of a word of so many atoms, which comes `number`-th in the batch's column. False: it
 * has other asides. */
HOT_INLINE bool timed_put_events(const struct cairn_take_job *job, struct timed *now,
                                 const struct cairn_word *word, unsigned atoms, size_t number,
                                 const bool listing)
{
    const struct cairn_aside *const behind = now->aside + word->asides;
    const uint64_t origin = job->taking->words.origin;

    timed_put_waits(now, behind, origin, atoms, number);
    for (; now->aside < behind; now->aside++) {
        const struct cairn_aside *aside = now->aside;
        const bool last = aside->step == atoms; /* it stands in front of the next word */
        const struct timed_place place = {.number =
                                              last && listing && atoms > 0 ? number + 1 : number,
                                          .step = last ? 0 : aside->step,
                                          .length = aside->length,
                                          .offset = origin + aside->at};

        if (aside->kind == CAIRN_ASIDE_COUNTS) {
            timed_put_counts(now, aside, atoms, number, origin + aside->at, listing);
        } else if (aside->kind == CAIRN_ELEMENT_CYCLE_COUNT && aside->flags == 0) {
            now->cycles += aside->value;
            timed_put(now, CAIRN_FLOW_CYCLES, place, 0, now->cycles, aside->value);
        } else if (aside->kind == CAIRN_ASIDE_WAITS && aside->value > 0) {
            if (aside->step + aside->value > atoms)
                return false;
            timed_put(now, CAIRN_WORD_WAITS, place, (unsigned)aside->value, now->cycles, 0);
            now->cycles += aside->value;
        } else if ((aside->kind == CAIRN_ASIDE_PACKET || aside->kind == CAIRN_ASIDE_WAITS) &&
                   aside->value == 0) {
            if (job->packets)
                timed_put(now, CAIRN_WORD_PACKET, place, 0, 0, 0);
        } else if (aside->kind == CAIRN_ASIDE_PACKET) {
            if (job->packets && !timed_put_packets(now, behind, origin, atoms, number))
                return false;
        } else if (aside->kind == CAIRN_ELEMENT_DATA) {
            if (job->flow->config->rules.every_instruction) {
                timed_put(now, CAIRN_FLOW_DATA, place, 0, 0, 0);
                timed_data(&job->taking->words, aside, now->event - 1);
            }
        } else {
            return false;
        }
    }
    return true;
}

/* Where taking stands, in the loop's own terms. */
HOT_INLINE void timed_keep(const struct cairn_take_job *job, const struct timed *now,
                           const struct cairn_word *word)
{
    struct cairn_taking *t = job->taking;

    t->next = (size_t)(word - t->words.word);
    t->aside = (size_t)(now->aside - t->words.aside);
    t->first_aside = t->aside;
    job->flow->total_cycles = now->cycles;
    job->out->event_count = (size_t)(now->event - job->out->event);
}

/* The word in hand, of which an entry covers the first few atoms only. */
HOT_INLINE void timed_take_part(const struct cairn_take_job *job, const struct cairn_word *word,
                                const struct looked_up *found, const bool listing)
{
    struct cairn_taking *t = job->taking;
    struct cairn_lane *lane = job->lane;

    t->begun = true;
    t->left = cairn_take_rest(word->atoms, found->count);
    t->taken = found->count;
    t->untold = false;
    cairn_take_asides(job, 0, found->count, false);
    if (listing)
        take_list(job, found->path, t->words.origin + word->at);
    lane->path = found->path & ~CAIRN_WORD_INFERRED;
    lane->code = found->next;
    lane->expected = found->next;
}

HOT_INLINE void timed_ask(const struct cairn_memo *memo, uint32_t at, const bool stacked)
{
    if (stacked)
        __builtin_prefetch(&memo->stacked[at]);
    else
        __builtin_prefetch(&memo->entries[at]);
}

/* Takes them as far as they go, none of which is begun, and nothing is to be marked. */
HOT_INLINE bool take_timed_words(const struct cairn_take_job *job, const bool stacked,
                                 const bool counting, const bool listing,
                                 enum cairn_take_stop *stop)
{
    struct cairn_taking *t = job->taking;
    struct cairn_lane *lane = job->lane;
    struct cairn_word_batch *out = job->out;
    const struct cairn_memo *memo = job->memo->memo;
    const struct cairn_word *word = t->words.word + t->next;
    const struct cairn_word *const end = t->words.word + job->end;
    const struct cairn_word *const ask = take_ask_end(memo, 1, word, end);
    const struct cairn_word_event *const full = out->event + out->event_capacity;
    struct timed now = {.event = out->event + out->event_count,
                        .cycles = job->flow->total_cycles,
                        .aside = t->words.aside + t->aside};
    struct timed kept;
    struct looked_up found = {0};
    size_t number = out->count;
    uint64_t code = lane->code;
    uint64_t expected = lane->expected;
    uint32_t path = lane->path;
    bool went = true;

    for (;; word++) {
        kept = now;
        if (word == end)
            break;
        const uint64_t atoms = word->atoms;

        if (word < ask)
            timed_ask(memo, take_ahead(word, 32 - memo->bits), stacked);
        if ((size_t)(full - now.event) < word->asides + TIMED_ROOM ||
            job->events_most < word->asides + TIMED_ROOM || (listing && number == out->capacity) ||
            !timed_put_events(job, &now, word, cairn_take_count(atoms), number, listing))
            break;
        if (__builtin_expect(atoms != 0, 1)) {
            struct cairn_memo_entry *entry = NULL;

            if (!stacked && __builtin_expect(memo->bits != 0, 1))
                entry = take_first_look(memo->entries, 32 - memo->bits, code, atoms);
            if (!stacked && __builtin_expect(entry != NULL, 1)) {
                path = entry->path;
                code = entry->next;
                if (counting)
                    entry->count++;
            } else {
                went = take_look_up(job, code, atoms, stacked, counting, &found, stop);
                if (!went || found.count != 0)
                    break;
                path = found.path;
                code = found.next;
            }
            expected = code;
            if (listing) {
                out->path[number] = path;
                if (out->offset)
                    out->offset[number] = t->words.origin + word->at;
                number++;
            }
        }
        if (word->target == CAIRN_WORD_NO_TARGET)
            continue;
        if (__builtin_expect(expected != CAIRN_CODE_NEED && expected != word->target, 0)) {
            kept = now;
            *stop = CAIRN_TAKE_TARGET;
            went = false;
            break;
        }
        code = word->target;
        expected = CAIRN_CODE_NEED;
    }
    timed_keep(job, &kept, word);
    out->count = number;
    lane->code = code;
    lane->expected = expected;
    lane->path = path & ~CAIRN_WORD_INFERRED;
    if (went && found.count != 0) {
        timed_take_part(job, word, &found, listing);
    } else if (!went && *stop == CAIRN_TAKE_TARGET) {
        t->first_aside -= word->asides;
        t->begun = true;
        t->left = 0;
        t->taken = cairn_take_count(word->atoms);
    }
    return went;
}
