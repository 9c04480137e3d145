/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads that decode parts of the data ahead of the caller's, and what they share with it. */
#ifndef CAIRN_FLOW_CREW_H
#define CAIRN_FLOW_CREW_H

#include "flow/engine.h"
#include "flow/gate.h"
#include "flow/plan.h"

struct cairn_parallel {
    struct cairn_engine *engine; /* whose parts these are */
    bool counting;
    bool offsets;  /* batches have that column */
    bool decoding; /* the caller's thread decodes, and does not wait for parts */
    struct cairn_plan plan;

    pthread_mutex_t mutex; /* of all that follows, and of the parts' states */
    pthread_cond_t work;   /* a part can be begun */
    pthread_cond_t done;   /* a part has ended */
    bool quit;
    bool hold;                 /* no part is begun */
    struct cairn_part **parts; /* in order of their starts */
    unsigned part_count;
    unsigned part_room;
    struct cairn_engine **free_engines;
    unsigned free_engine_count;
    struct cairn_word_batch **free_batches;
    unsigned free_batch_count;
    unsigned batch_count; /* made so far */
    unsigned batch_room;

    uint64_t accepted; /* of the parts that others began */
    uint64_t rejected;

    struct cairn_engine **engines; /* all that decode; the first is `engine` */
    unsigned engine_count;
    pthread_t *threads;
    unsigned thread_count;
    struct cairn_gate gate;
};

/* Engines and threads for an engine whose options ask for them, with the gate open. NULL: there are
 * none to be had, and nothing has changed. */
struct cairn_parallel *cairn_crew_start(struct cairn_engine *engine);

/* Ends the threads; no part is left. */
void cairn_crew_end(struct cairn_parallel *p);

/* A part is decoded by the caller's engine, whose thread would have to wait: where it stands is of
 * no account then, only what it has counted. False: there is none. With the mutex. */
bool cairn_crew_help(struct cairn_parallel *p, struct cairn_engine *engine);

/* What is in the counters of a part that is not the caller's yet, not all of it, is taken off. With
 * the mutex. */
void cairn_crew_uncount(struct cairn_parallel *p, struct cairn_part *part);

/* An engine has nothing to do. With the mutex. */
void cairn_crew_give_back(struct cairn_parallel *p, struct cairn_engine *engine);

#endif
