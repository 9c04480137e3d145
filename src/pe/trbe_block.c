/* SPDX-License-Identifier: BSD-2-Clause */
/* The loop of R_PLYXP in blocks: up to where something can happen, the memory is told once and the registers
 * change once. Equal to trbe_byte.c in all that can be seen but the size of writes (I_BTSCF, R_BWNRF). */
#include "pe/trbe.h"

static size_t at_most(size_t size, uint64_t limit)
{
    return limit < size ? (size_t)limit : size;
}

/* Bytes in which nothing happens but, perhaps, with the last one. */
static size_t quiet(const struct cairn_pe_trbe *trbe, size_t size)
{
    const uint64_t pointer = trbe->registers->value[CAIRN_PE_TRBPTR_EL1];
    const uint64_t counter = cairn_pe_trbe_counting(trbe);

    size = at_most(size, trbe->options.granule);
    size = at_most(size, CAIRN_PE_TRBE_PAGE_LEAST - pointer % CAIRN_PE_TRBE_PAGE_LEAST);
    size = at_most(size, cairn_pe_trbe_limit(trbe) - pointer);
    if (counter > 0)
        size = at_most(size, counter);
    if (counter > trbe->trigger_low)
        size = at_most(size, counter - trbe->trigger_low);
    if (trbe->abort.is_pending)
        size = at_most(size, trbe->abort.bytes_left);
    return size;
}

/* So many bytes, no more than are quiet, are done with. */
static void advance(struct cairn_pe_trbe *trbe, size_t size)
{
    uint64_t *const pointer = cairn_pe_trbe_at(trbe, CAIRN_PE_TRBPTR_EL1);
    uint64_t counter;

    if (size == 0)
        return;
    *pointer += size;
    if (*pointer == cairn_pe_trbe_limit(trbe))
        cairn_pe_trbe_wrap(trbe);
    counter = cairn_pe_trbe_counting(trbe);
    if (counter > 0)
        cairn_pe_trbe_count_down(trbe, size);
    if (trbe->abort.is_pending)
        cairn_pe_trbe_abort_nears(trbe, (uint32_t)size);
}

size_t cairn_pe_trbe_by_block(struct cairn_pe_trbe *trbe, const uint8_t *bytes, size_t size)
{
    size_t done = 0;

    while (done < size && !cairn_pe_trbe_is_stopped(trbe)) {
        struct cairn_pe_trbe_answer answer;
        size_t count, sent;

        if (cairn_pe_trbe_is_astray(trbe)) {
            done += cairn_pe_trbe_by_byte(trbe, bytes + done, 1);
            continue;
        }
        count = quiet(trbe, size - done);
        sent = cairn_pe_trbe_send(trbe, bytes + done, count, &answer);
        advance(trbe, sent);
        done += sent;
        if (sent == count)
            continue;
        done++;
        if (cairn_pe_trbe_failed(trbe, &answer))
            advance(trbe, 1);
        else if (trbe->options.choices & CAIRN_PE_TRBE_FAULTS_COUNT && cairn_pe_trbe_counting(trbe))
            cairn_pe_trbe_count_down(trbe, 1);
    }
    return done;
}
