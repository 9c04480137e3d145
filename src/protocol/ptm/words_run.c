/* SPDX-License-Identifier: BSD-2-Clause */
/* Atoms and branch packets of PTM where they lie, as words of bits. */
#include "protocol/ptm/words_packet.h"

/* Words as far as they go. The count of a branch packet comes behind its address, so that it is of
 * the next word. */
static inline __attribute__((always_inline)) void ptm_read_words(struct cairn_ptm_word_run *run,
                                                                 const bool counts,
                                                                 const bool packets,
                                                                 const uint64_t branched)
{
    struct cairn_words *out = run->out;
    struct cairn_word *word = out->word + out->count;
    const struct cairn_word *const words = out->word + out->capacity - 1; /* one more has room */
    struct cairn_aside *aside = out->aside + out->aside_count;
    const struct cairn_aside *const asides =
        out->aside + out->aside_capacity - CAIRN_PTM_WORD_ASIDES;
    const uint8_t *const limit = run->limit;
    uint64_t read = 0; /* packets */
    struct cairn_branch_place place = run->place;
    const uint8_t *at = run->at;
    const uint8_t *last = run->last;
    const uint8_t *counted = NULL; /* a branch packet whose count is still to be told: */
    struct ptm_packet packet = {0};
    bool ended = false;

    while (word < words && aside <= asides && (!ended || counted)) {
        struct cairn_aside *const first = aside;
        const uint8_t *begin = at;
        uint64_t bits = 0;
        uint64_t target = CAIRN_WORD_NO_TARGET;
        unsigned count = 0;

        if (counts && counted) {
            begin = counted;
            ptm_put_count(&aside, 0, (uint32_t)((uintptr_t)counted + run->bias), &packet);
            counted = NULL;
        }
        while (!ended && count < CAIRN_WORD_ATOMS_MOST) {
            struct cairn_branch_place moved = place;

            ended = at >= limit;
            if (ended)
                break;
            packet = ptm_read(at, counts, &moved);
            if (__builtin_expect(packet.length == 0, 0)) {
                run->other = true;
                ended = true;
                break;
            }
            if (!counts && count + packet.atoms > CAIRN_WORD_ATOMS_MOST)
                break;
            if (count == 0)
                begin = at;
            if (packets)
                ptm_put_aside(&aside, CAIRN_ASIDE_PACKET, count,
                              (uint32_t)((uintptr_t)at + run->bias), packet.length);
            bits |= (uint64_t)packet.bits << count;
            count += packet.atoms;
            read++;
            last = at;
            at += packet.length;
            if (packet.branch) {
                place = moved;
                target = place.address | place.thumb;
                bits |= branched;
                counted = counts ? last : NULL;
                break;
            }
            if (counts)
                ptm_put_count(&aside, count, (uint32_t)((uintptr_t)last + run->bias), &packet);
        }
        if (count == 0 && aside == first)
            break;
        const bool addressed = target != CAIRN_WORD_NO_TARGET;

        word->atoms = count > 0 ? bits | (uint64_t)count << CAIRN_WORD_BITS_SHIFT : 0;
        word->target = target;
        word->at = (uint32_t)((uintptr_t)begin + run->bias);
        word->before = (uint16_t)((addressed ? last : at) - begin);
        word->target_length = addressed ? (uint8_t)packet.length : 0;
        word->asides = (uint8_t)(aside - first);
        word++;
    }
    run->place = place;
    run->at = at;
    run->last = last;
    run->packets = read;
    out->count = (size_t)(word - out->word);
    out->aside_count = (size_t)(aside - out->aside);
}

#define COUNTED_TARGET
#define COUNTED_BITS(bytes) (((bytes) >> 1 & EACH_BYTE) * UINT64_C(0x0102040810204080) >> 56)
#define COUNTED_PAYLOAD(bytes) cairn_branch_payload(bytes)
#define COUNTED_LOW(value, bits) counted_low(value, bits)

static inline uint64_t counted_low(uint64_t value, unsigned bits)
{
    return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

#include "protocol/ptm/words_counted.h"

/* Each way of its own. */
void cairn_ptm_run_words(struct cairn_ptm_word_run *run, const struct cairn_config *config)
{
    const bool counts = cairn_ptm_of(config)->cycle_accurate;
    const uint64_t branched = config->rules.return_stack ? CAIRN_WORD_BRANCH : 0;

    if (counts && run->out->packets)
        ptm_read_words(run, true, true, branched);
#if defined(__x86_64__)
    else if (counts && !run->portable)
        cairn_ptm_run_counted_x86(run, branched != 0);
#endif
    else if (counts)
        counted_run(run, branched != 0);
    else if (run->out->packets)
        ptm_read_words(run, false, true, branched);
    else
        ptm_read_words(run, false, false, branched);
}

size_t cairn_ptm_reader_packets(void *state, const struct cairn_word *word, const uint8_t *bytes,
                                struct cairn_aside *asides)
{
    const bool counts = cairn_ptm_of(cairn_ptm_reader_config(state))->cycle_accurate;
    const unsigned atoms = (unsigned)(word->atoms >> CAIRN_WORD_BITS_SHIFT);
    struct cairn_aside *aside = asides;
    uint32_t at = word->at;

    for (unsigned step = 0; step < atoms;) {
        struct cairn_branch_place place = {0};
        const struct ptm_packet packet = ptm_read(bytes, counts, &place);

        ptm_put_aside(&aside, CAIRN_ASIDE_PACKET, step, at, packet.length);
        step += packet.atoms;
        at += packet.length;
        bytes += packet.length;
    }
    return (size_t)(aside - asides);
}
