/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs of Atom, Address and Cycle Count packets, as words of bits whose asides are the counts. */
#include "base/bytes.h"
#include "protocol/etmv4/words.h"

enum {
    CYCLES_ASIDES = UINT8_MAX, /* of one word, at most */
    CYCLES_NUMBER_MOST = 3,    /* bytes of a count */
};

/* A word, as it is read. */
struct cycles_word {
    const uint8_t *first; /* Atom packet; NULL: none */
    uint64_t bits;
    unsigned count;
    unsigned length; /* of the Address packet behind it; 0: there is none */
    uint64_t target;
    bool cut; /* by what is not for here, or the end */
};

/* The length of a Cycle Count packet; 0: it is not for here. */
static inline unsigned cycles_read(unsigned form, const uint8_t *at, uint32_t threshold,
                                   uint32_t *cycles)
{
    uint32_t number = 0;

    switch (form) {
    case CAIRN_HOT_CYCLES_HEADER: *cycles = threshold + (at[0] & 3); return 1;
    case CAIRN_HOT_CYCLES_NIBBLE: *cycles = threshold + (at[1] & 0xf); return 2;
    case CAIRN_HOT_CYCLES_UNKNOWN: *cycles = 0; return 1;
    default: break;
    }
    for (unsigned i = 0; i < CYCLES_NUMBER_MOST; i++) {
        number |= (at[1 + i] & 0x7fu) << (7 * i);
        if (at[1 + i] & 0x80)
            continue;
        *cycles = threshold + number;
        return i == CYCLES_NUMBER_MOST - 1 && at[1 + i] >= 0x40 ? 0 : i + 2;
    }
    return 0;
}

static inline void cycles_put(struct cairn_etmv4_counts *counts, unsigned kind, unsigned step,
                              uint32_t at, unsigned length, uint32_t value)
{
    struct cairn_aside *aside = &counts->aside[counts->count++];

    /* Member by member: a copy would wait for the stores of its parts. */
    aside->value = value;
    aside->at = at;
    aside->data = 0;
    aside->length = (uint16_t)length;
    aside->lead = 0;
    aside->flags = kind == CAIRN_ELEMENT_CYCLE_COUNT && value == 0 ? CAIRN_ELEMENT_UNKNOWN : 0;
    aside->kind = (uint8_t)kind;
    aside->step = (uint8_t)step;
}

/* Reads up to an Address packet, or as far as the word goes. Returns where it ends: in front of the
 * Address packet. */
static inline const uint8_t *cycles_read_word(const struct cairn_etmv4_run *run,
                                              struct cairn_etmv4_counts *counts, const uint8_t *at,
                                              const uint64_t *newest, struct cycles_word *word)
{
    const struct cairn_hot_table *table = run->table;
    const uint8_t *const forms = counts->cycles->form;
    const uint8_t *const origin = run->origin;
    const uint8_t *const stop = run->stop;
    const size_t most = counts->count + CYCLES_ASIDES;

    for (;;) {
        const unsigned header = *at;

        word->cut = at >= stop;
        if (word->cut || counts->count == most)
            return at;
        if (header >= CAIRN_ETMV4_FIRST_ATOM) {
            const unsigned atoms = table->atoms[header];

            if (word->count + atoms > CAIRN_WORD_ATOMS_MOST)
                return at;
            if (counts->packets)
                cycles_put(counts, CAIRN_ASIDE_PACKET, word->count, (uint32_t)(at - origin), 1, 0);
            word->first = word->first ? word->first : at;
            word->bits |= (uint64_t)table->bits[header] << word->count;
            word->count += atoms;
            at++;
        } else if (forms[header] != CAIRN_HOT_CYCLES_NONE) {
            uint32_t cycles;
            const unsigned length = cycles_read(forms[header], at, counts->threshold, &cycles);

            word->cut = length == 0;
            if (word->cut)
                return at;
            cycles_put(counts, CAIRN_ELEMENT_CYCLE_COUNT, word->count, (uint32_t)(at - origin),
                       length, cycles);
            counts->packets_counted++;
            counts->bytes += length;
            at += length;
        } else {
            const uint64_t payload = cairn_load_le64(at + 1);
            const struct cairn_hot_address *form = &table->address[header | (payload & 0x80) << 1];
            const uint64_t target = (newest[-(ptrdiff_t)form->entry] & form->keep) |
                                    cairn_hot_gather(payload, form->mask) << form->shift |
                                    form->sub_isa;

            word->length = target == CAIRN_WORD_NO_TARGET ? 0 : form->length;
            word->target = target;
            word->cut = word->length == 0;
            return at;
        }
    }
}

void cairn_etmv4_run_cycles(struct cairn_etmv4_run *run, struct cairn_etmv4_counts *counts)
{
    const uint8_t *const origin = run->origin;
    const uint8_t *at = run->at;
    uint64_t *newest = run->history + 2 + run->addresses;
    struct cycles_word word = {0};

    while (!word.cut && run->count < run->capacity &&
           counts->capacity - counts->count >= CAIRN_ETMV4_CYCLES_ASIDES) {
        const uint8_t *const begin = at;
        const size_t asides = counts->count;
        struct cairn_word *out = &run->word[run->count];

        word = (struct cycles_word){0};
        at = cycles_read_word(run, counts, at, newest, &word);
        if (word.count == 0 && word.length == 0 && counts->count == asides)
            break;
        const uint8_t *const from = word.count > 0 ? word.first : word.length > 0 ? at : begin;

        out->atoms = word.count > 0 ? word.bits | (uint64_t)word.count << CAIRN_WORD_BITS_SHIFT : 0;
        out->target = word.length > 0 ? word.target : CAIRN_WORD_NO_TARGET;
        out->at = (uint32_t)(from - origin);
        out->before = (uint16_t)(at - from);
        out->target_length = (uint8_t)word.length;
        out->asides = (uint8_t)(counts->count - asides);
        run->count++;
        if (word.length == 0)
            continue;
        *++newest = word.target;
        run->address_bytes += word.length;
        at += word.length;
    }
    run->at = at;
    run->addresses = (size_t)(newest - (run->history + 2));
}

/* Takes the last asides off, those at `place` or behind it. Returns how many. */
static unsigned cycles_drop(struct cairn_etmv4_counts *counts, size_t asides, uint32_t place)
{
    unsigned dropped = 0;

    for (; dropped < asides; dropped++) {
        const struct cairn_aside *aside = &counts->aside[counts->count - 1];

        if (aside->at < place)
            break;
        if (aside->kind == CAIRN_ELEMENT_CYCLE_COUNT) {
            counts->packets_counted--;
            counts->bytes -= aside->length;
        }
        counts->count--;
    }
    return dropped;
}

/* The last Atom packet of a word, and how many atoms stand before it. */
static const uint8_t *cycles_last_atom(const struct cairn_etmv4_run *run,
                                       const struct cairn_etmv4_counts *counts,
                                       const struct cairn_word *word, unsigned *before)
{
    const unsigned count = (unsigned)(word->atoms >> CAIRN_WORD_BITS_SHIFT);
    const uint8_t *at = run->origin + word->at;
    unsigned done = 0;

    for (;;) {
        uint32_t cycles;

        if (*at < CAIRN_ETMV4_FIRST_ATOM) {
            at += cycles_read(counts->cycles->form[*at], at, 0, &cycles);
            continue;
        }
        *before = done;
        done += run->table->atoms[*at];
        if (done == count)
            return at;
        at++;
    }
}

void cairn_etmv4_shorten_cycles(struct cairn_etmv4_run *run, struct cairn_etmv4_counts *counts)
{
    size_t atoms = run->count; /* 1 + the last word that has some */

    while (atoms > 0 && run->word[atoms - 1].atoms == 0)
        atoms--;
    if (atoms == 0)
        return;
    unsigned before;
    const uint8_t *const at = cycles_last_atom(run, counts, &run->word[atoms - 1], &before);
    const uint32_t place = (uint32_t)(at - run->origin);

    for (; run->count >= atoms; run->count--) {
        struct cairn_word *word = &run->word[run->count - 1];

        word->asides = (uint8_t)(word->asides - cycles_drop(counts, word->asides, place));
        if (word->target == CAIRN_WORD_NO_TARGET)
            continue;
        run->addresses--;
        run->address_bytes -= word->target_length;
    }
    run->at = at;

    struct cairn_word *last = &run->word[run->count];

    if (before == 0 && last->asides == 0)
        return;
    last->atoms = before == 0 ? 0
                              : (last->atoms & ((UINT64_C(1) << before) - 1)) |
                                    (uint64_t)before << CAIRN_WORD_BITS_SHIFT;
    if (before == 0)
        last->at = counts->aside[counts->count - last->asides].at;
    last->before = (uint16_t)(place - last->at);
    last->target = CAIRN_WORD_NO_TARGET;
    last->target_length = 0;
    run->count++;
}

size_t cairn_etmv4_find_packets(const struct cairn_hot_table *table,
                                const struct cairn_hot_cycles *cycles,
                                const struct cairn_word *word, const uint8_t *bytes,
                                struct cairn_aside *asides)
{
    const unsigned atoms = (unsigned)(word->atoms >> CAIRN_WORD_BITS_SHIFT);
    struct cairn_etmv4_counts found = {.aside = asides};
    uint32_t at = word->at;

    for (unsigned step = 0; bytes && step < atoms;) {
        uint32_t count;
        unsigned length = 1;

        if (*bytes >= CAIRN_ETMV4_FIRST_ATOM) {
            cycles_put(&found, CAIRN_ASIDE_PACKET, step, at, 1, 0);
            step += table->atoms[*bytes];
        } else {
            length = cycles_read(cycles->form[*bytes], bytes, 0, &count);
        }
        bytes += length;
        at += length;
    }
    return found.count;
}
