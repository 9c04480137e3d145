/* SPDX-License-Identifier: BSD-2-Clause */
#include "pe/walked.h"

#include "base/bytes.h"
#include "pe/pe.h"

#define PAGE UINT64_C(4096)
/* Bits of a descriptor that hardware ignores: they are software's. */
#define SOFTWARE CAIRN_MASK2(58, 55)

static bool differs(const struct cairn_pe_walked_word *a, const struct cairn_pe_walked_word *b)
{
    return a->is_there != b->is_there || (a->is_there && ((a->value ^ b->value) & ~SOFTWARE));
}

/* Where it has changed trace may go by it or by what was there before. */
static void compare(struct cairn_pe *pe, struct cairn_pe_walked_word *word)
{
    struct cairn_pe_walked_word now = *word;
    uint8_t bytes[8];

    now.is_there = pe->walk(pe->caller, word->security, word->address, bytes);
    now.value = now.is_there ? cairn_load_le64(bytes) : 0;
    if (differs(word, &now)) {
        pe->mapped_place = pe->order.place;
        cairn_order_remap(&pe->order, word->operation, word->VA);
    }
    *word = now;
}

void cairn_pe_walked_check(struct cairn_pe *pe)
{
    for (unsigned i = 0; i < pe->walked.count; i++)
        compare(pe, &pe->walked.words[i]);
}

void cairn_pe_walked_use(struct cairn_pe *pe, uint64_t VA, uint64_t operation)
{
    struct cairn_pe_walked *walked = &pe->walked;

    walked->VA = VA - VA % PAGE;
    walked->operation = operation;
    for (unsigned i = 0; i < walked->count; i++) {
        struct cairn_pe_walked_word *word = &walked->words[i];

        if (word->VA != walked->VA)
            continue;
        compare(pe, word);
        word->operation = operation;
    }
}

void cairn_pe_walked_add(struct cairn_pe *pe, const struct cairn_pe_walked_word *added)
{
    struct cairn_pe_walked *walked = &pe->walked;
    struct cairn_pe_walked_word *word = NULL;

    if (!pe->walk)
        return;
    for (unsigned i = 0; !word && i < walked->count; i++)
        if (walked->words[i].address == added->address &&
            walked->words[i].security == added->security)
            word = &walked->words[i];
    if (word) {
        compare(pe, word);
    } else {
        word = &walked->words[walked->next];
        if (walked->count == CAIRN_PE_WALKED_MOST)
            compare(pe, word); /* before it is forgotten */
        walked->next = (walked->next + 1) % CAIRN_PE_WALKED_MOST;
        walked->count += walked->count < CAIRN_PE_WALKED_MOST;
    }
    *word = *added;
    word->VA = walked->VA;
    word->operation = walked->operation;
}
