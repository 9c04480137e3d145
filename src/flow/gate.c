/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow/gate.h"

#include <stddef.h>

bool cairn_gate_init(struct cairn_gate *gate)
{
    gate->open = false;
    if (pthread_mutex_init(&gate->mutex, NULL) != 0)
        return false;
    if (pthread_cond_init(&gate->changed, NULL) == 0)
        return true;
    pthread_mutex_destroy(&gate->mutex);
    return false;
}

void cairn_gate_release(struct cairn_gate *gate)
{
    pthread_cond_destroy(&gate->changed);
    pthread_mutex_destroy(&gate->mutex);
}

static void set(struct cairn_gate *gate, bool open)
{
    pthread_mutex_lock(&gate->mutex);
    gate->open = open;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->mutex);
}

void cairn_gate_open(struct cairn_gate *gate)
{
    set(gate, true);
}

void cairn_gate_shut(struct cairn_gate *gate)
{
    set(gate, false);
}

void cairn_gate_call(struct cairn_gate *gate)
{
    pthread_mutex_lock(&gate->mutex);
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->mutex);
}

bool cairn_gate_enter(struct cairn_gate *gate, const atomic_bool *cancelled)
{
    if (!gate)
        return true;
    pthread_mutex_lock(&gate->mutex);
    while (!gate->open && !atomic_load(cancelled))
        pthread_cond_wait(&gate->changed, &gate->mutex);
    if (gate->open)
        return true;
    pthread_mutex_unlock(&gate->mutex);
    return false;
}

bool cairn_gate_try(struct cairn_gate *gate)
{
    if (!gate)
        return true;
    if (pthread_mutex_trylock(&gate->mutex) != 0)
        return false;
    if (gate->open)
        return true;
    pthread_mutex_unlock(&gate->mutex);
    return false;
}

void cairn_gate_leave(struct cairn_gate *gate)
{
    if (gate)
        pthread_mutex_unlock(&gate->mutex);
}
