/* SPDX-License-Identifier: BSD-2-Clause */
/* The built-in branch predictor. */
#include "pe/brbe_predict.h"

#include <cairn/brbe.h>

#define INSN_SIZE 4u
#define COUNTER_MOST 3
#define COUNTER_TAKEN 2

/* The prediction, and what becomes of the counter. */
static bool direction(struct cairn_brbe_predictor *predictor, uint64_t source, bool taken)
{
    uint8_t *counter = &predictor->counters[source / INSN_SIZE % CAIRN_BRBE_COUNTERS];
    const bool predicted = *counter >= COUNTER_TAKEN;

    if (taken && *counter < COUNTER_MOST)
        ++*counter;
    else if (!taken && *counter > 0)
        --*counter;
    return predicted;
}

static bool knows_target(struct cairn_brbe_predictor *predictor, uint64_t source, uint64_t target)
{
    const uint64_t at = source / INSN_SIZE % CAIRN_BRBE_TARGETS;
    const bool right = predictor->targets[at].known && predictor->targets[at].source == source &&
                       predictor->targets[at].target == target;

    predictor->targets[at].known = true;
    predictor->targets[at].source = source;
    predictor->targets[at].target = target;
    return right;
}

static void push(struct cairn_brbe_predictor *predictor, uint64_t address)
{
    predictor->top = (predictor->top + 1) % CAIRN_BRBE_RETURNS;
    predictor->returns[predictor->top] = address;
    if (predictor->depth < CAIRN_BRBE_RETURNS)
        predictor->depth++;
}

static bool pops(struct cairn_brbe_predictor *predictor, uint64_t target)
{
    if (predictor->depth == 0)
        return false;
    const bool right = predictor->returns[predictor->top] == target;
    predictor->top = (predictor->top + CAIRN_BRBE_RETURNS - 1) % CAIRN_BRBE_RETURNS;
    predictor->depth--;
    return right;
}

bool cairn_brbe_mispredicts(struct cairn_brbe_predictor *predictor, unsigned type, uint64_t source,
                            bool taken, uint64_t target)
{
    bool right = true;

    if (type == CAIRN_BRANCH_CONDITIONAL)
        right = direction(predictor, source, taken) == taken;
    if (!taken)
        return !right;
    if (type == CAIRN_BRANCH_RETURN)
        return !pops(predictor, target);
    right &= knows_target(predictor, source, target);
    if (type == CAIRN_BRANCH_DIRECT_CALL || type == CAIRN_BRANCH_INDIRECT_CALL)
        push(predictor, source + INSN_SIZE);
    return !right;
}
