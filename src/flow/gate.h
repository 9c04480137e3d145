/* SPDX-License-Identifier: BSD-2-Clause */
/* One dictionary for several threads: who adds to it or reads it passes the gate, one at a time.
 * Between the calls of its user the gate is shut, and nothing changes what he reads. */
#ifndef CAIRN_FLOW_GATE_H
#define CAIRN_FLOW_GATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct cairn_gate {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool open;
};

/* False: no memory for it. */
bool cairn_gate_init(struct cairn_gate *gate);
void cairn_gate_release(struct cairn_gate *gate);

void cairn_gate_open(struct cairn_gate *gate);
void cairn_gate_shut(struct cairn_gate *gate);

/* Makes those who wait look at what cancels them. */
void cairn_gate_call(struct cairn_gate *gate);

/* Waits until the gate is open and nobody is inside. False: `cancelled` was set before that, and
 * the gate is not passed. NULL is a gate that nobody else goes through. */
bool cairn_gate_enter(struct cairn_gate *gate, const atomic_bool *cancelled);
/* The same at once or not at all. False: somebody is inside, or the gate is shut. */
bool cairn_gate_try(struct cairn_gate *gate);
void cairn_gate_leave(struct cairn_gate *gate);

#endif
