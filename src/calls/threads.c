/* SPDX-License-Identifier: BSD-2-Clause */
#include "calls/threads.h"

#include <stdlib.h>
#include <string.h>

#include "base/golden.h"

enum { FIRST_THREADS = 8, FIRST_BITS = 4 };

void cairn_call_thread_free(struct cairn_call_thread *thread)
{
    free(thread->frames);
    free(thread->ghosts);
    free(thread->parked);
}

void cairn_call_threads_free(struct cairn_call_threads *threads)
{
    for (uint32_t i = 0; i < threads->count; i++) {
        cairn_call_thread_free(threads->list[i]);
        free(threads->list[i]);
    }
    free(threads->list);
    free(threads->slots);
}

static uint32_t thread_slot(uint32_t vmid, uint32_t context_id, uint32_t life, unsigned bits)
{
    const uint64_t key = ((uint64_t)vmid << 32 | context_id) + ((uint64_t)life << 24);

    return (uint32_t)(key * CAIRN_GOLDEN >> (64 - bits));
}

static bool rehash_threads(struct cairn_call_threads *threads)
{
    const unsigned bits = threads->bits ? threads->bits + 1 : FIRST_BITS;
    uint32_t *slots = calloc((size_t)1 << bits, sizeof *slots);

    if (!slots)
        return false;
    for (uint32_t i = 0; i < threads->count; i++) {
        const struct cairn_call_thread *one = threads->list[i];
        uint32_t at = thread_slot(one->vmid, one->context_id, one->life, bits);

        if (one->is_parked)
            continue;
        while (slots[at])
            at = (at + 1) & ((1u << bits) - 1);
        slots[at] = i + 1;
    }
    free(threads->slots);
    threads->slots = slots;
    threads->bits = bits;
    return true;
}

static struct cairn_call_thread *add_thread(struct cairn_call_threads *threads, uint32_t vmid,
                                            uint32_t context_id, uint32_t life)
{
    if (threads->count == threads->capacity) {
        const uint32_t capacity = threads->capacity ? threads->capacity * 2 : FIRST_THREADS;
        struct cairn_call_thread **grown = realloc(threads->list, (size_t)capacity * sizeof *grown);

        if (!grown)
            return NULL;
        threads->list = grown;
        threads->capacity = capacity;
    }
    struct cairn_call_thread *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->id = made->first = threads->count;
    made->vmid = vmid;
    made->context_id = context_id;
    made->life = life;
    made->now = UINT32_MAX;
    made->held = 1;
    threads->list[threads->count++] = made;
    return made;
}

static void switch_to(struct cairn_call_threads *threads, struct cairn_call_thread *thread,
                      uint64_t total)
{
    if (threads->now)
        threads->now->cycles = total - threads->now->others_cycles;
    thread->others_cycles = total - thread->cycles;
    threads->now = thread;
}

struct cairn_call_thread *cairn_call_threads_add_stack(struct cairn_call_threads *threads,
                                                       const struct cairn_call_thread *of,
                                                       uint32_t number)
{
    if (threads->count >= CAIRN_CALLS_THREADS_MAX)
        return NULL;
    struct cairn_call_thread *const made = add_thread(threads, of->vmid, of->context_id, of->life);

    if (made) {
        made->first = of->first;
        made->stack = number;
        made->gaps = of->gaps;
        made->is_parked = true;
    }
    return made;
}

void cairn_call_threads_exchange(struct cairn_call_threads *threads,
                                 struct cairn_call_thread *running,
                                 struct cairn_call_thread *parked, uint64_t total_cycles)
{
    const struct cairn_call_thread left = *running;
    uint32_t at = thread_slot(left.vmid, left.context_id, left.life, threads->bits);

    while (threads->slots[at] && threads->slots[at] != left.id + 1)
        at = (at + 1) & ((1u << threads->bits) - 1);
    *running = *parked;
    *parked = left;
    running->parked = left.parked;
    parked->parked = NULL;
    running->is_parked = false;
    parked->is_parked = true;
    threads->list[running->id] = running;
    threads->list[parked->id] = parked;
    threads->slots[at] = running->id + 1;
    parked->cycles = total_cycles - parked->others_cycles;
    running->others_cycles = total_cycles - running->cycles;
}

/* Nothing was executed before the first context that is told: that is the first thread's. */
static void rename_first(struct cairn_call_threads *threads, uint32_t vmid, uint32_t context_id,
                         uint32_t life)
{
    threads->now->vmid = vmid;
    threads->now->context_id = context_id;
    threads->now->life = life;
    memset(threads->slots, 0, ((size_t)1 << threads->bits) * sizeof *threads->slots);
    threads->slots[thread_slot(vmid, context_id, life, threads->bits)] = 1;
}

cairn_status cairn_call_threads_choose(struct cairn_call_threads *threads, uint32_t vmid,
                                       uint32_t context_id, uint32_t life, uint64_t total_cycles)
{
    struct cairn_call_thread *thread = threads->now;

    if (thread && thread->vmid == vmid && thread->context_id == context_id && thread->life == life)
        return CAIRN_OK;
    if (threads->count == 1 && thread->instructions == 0 && thread->depth == 0) {
        rename_first(threads, vmid, context_id, life);
        return CAIRN_OK;
    }
    if ((threads->bits == 0 || threads->count * 2 >= 1u << threads->bits) &&
        !rehash_threads(threads))
        return CAIRN_E_MEMORY;
    uint32_t at = thread_slot(vmid, context_id, life, threads->bits);
    for (; threads->slots[at]; at = (at + 1) & ((1u << threads->bits) - 1)) {
        thread = threads->list[threads->slots[at] - 1];
        if (thread->vmid == vmid && thread->context_id == context_id && thread->life == life) {
            switch_to(threads, thread, total_cycles);
            return CAIRN_OK;
        }
    }
    if (threads->count > CAIRN_CALLS_THREADS_MAX) { /* the last one is all the others */
        switch_to(threads, threads->list[CAIRN_CALLS_THREADS_MAX], total_cycles);
        return CAIRN_OK;
    }
    thread = add_thread(threads, vmid, context_id, life);
    if (!thread)
        return CAIRN_E_MEMORY;
    threads->slots[at] = threads->count;
    switch_to(threads, thread, total_cycles);
    return CAIRN_OK;
}
