/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a reader stands in its source, beside what of its words has been taken. */
#include "flow/reading.h"

#include "flow/engine.h"

uint64_t cairn_reading_origin(const struct cairn_engine *engine, size_t position)
{
    const struct cairn_reading *reading = &engine->reading;

    return engine->offset - (reading->under_way ? reading->taken : position);
}

bool cairn_reading_can_stand(const struct cairn_engine *engine)
{
    const struct cairn_reading *reading = &engine->reading;

    return reading->reader && reading->protocol->reader_stand && reading->protocol->reader_begin_at;
}

bool cairn_reading_stands(const struct cairn_engine *engine, struct cairn_reader_place *place)
{
    const struct cairn_reading *reading = &engine->reading;
    const struct cairn_taking *t = &reading->taking;

    return t->next == t->words.count && t->words.elements->count == 0 && !t->transaction &&
           !t->told && reading->protocol->reader_stand(reading->reader, place) &&
           place->offset == engine->offset;
}

void cairn_reading_begin_at(struct cairn_engine *engine, uint64_t offset,
                            const struct cairn_reader_place *place)
{
    struct cairn_reading *reading = &engine->reading;
    const struct cairn_words words = reading->taking.words;

    reading->taking = (struct cairn_taking){.words = words};
    cairn_words_empty(&reading->taking.words);
    reading->under_way = false;
    reading->protocol->reader_begin_at(reading->reader, offset, place);
}
