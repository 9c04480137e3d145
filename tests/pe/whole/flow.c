/* SPDX-License-Identifier: BSD-2-Clause */
/* The run as the trace has it: bytes -> flow -> a list of what BRBE might record. Types of branches are the
 * program's own, by their addresses. */
#include "run.h"

#include <stdio.h>
#include <string.h>

#include <cairn/flow.h>
#include <cairn/unit.h>

#define AT_ONCE 512u

struct whole_follower {
    struct whole_run *run;
    const struct whole_program *program;
    struct whole_list *list;
    bool waits;     /* the last event's target is what comes next */
    bool arrives;   /* nothing was seen before what comes next */
    unsigned level; /* of the last Context */
};

static bool complain(struct whole_follower *f, const char *what, uint64_t address)
{
    snprintf(f->run->error, sizeof f->run->error, "the flow: %s at %llx", what,
             (unsigned long long)address);
    return false;
}

/* Execution goes on here. */
static bool reach(struct whole_follower *f, uint64_t address, unsigned level)
{
    if (f->waits && f->list->count > 0) {
        f->list->events[f->list->count - 1].target = address;
        f->list->events[f->list->count - 1].to = (uint8_t)level;
    } else if (f->arrives) {
        const struct whole_event event = {
            .target = address, .type = WHOLE_ARRIVAL, .from = WHOLE_NOWHERE, .to = (uint8_t)level};

        whole_add(f->list, &event);
    }
    f->waits = f->arrives = false;
    return true;
}

static bool range(struct whole_follower *f, const struct cairn_flow_batch *batch, size_t i)
{
    const uint64_t last = batch->value[i] - 4;
    struct whole_event event = {.source = last, .to = WHOLE_NOWHERE};
    unsigned level, word, at;

    if (!whole_find(batch->address[i], &level, &at) || !whole_find(last, &level, &word))
        return complain(f, "no code of the program", last);
    if (level != f->level)
        return complain(f, "another level than the address says", last);
    reach(f, batch->address[i], level);
    f->list->totals.instructions += batch->instructions[i];
    if (!(batch->flags[i] & CAIRN_FLOW_P0) || whole_type(f->program, level, word) == WHOLE_NO_TYPE)
        return true;
    f->list->totals.branches += f->program->ops[level][word] != WHOLE_ISB;
    if (!(batch->flags[i] & CAIRN_FLOW_TAKEN))
        return true;
    event.type = whole_type(f->program, level, word);
    event.from = (uint8_t)level;
    whole_aim(f->program, &event);
    whole_add(f->list, &event);
    f->waits = true;
    return true;
}

static bool record(struct whole_follower *f, const struct cairn_flow_batch *batch, size_t i)
{
    struct whole_event event = {.source = batch->address[i], .to = WHOLE_NOWHERE};
    unsigned level, word;

    switch (batch->kind[i]) {
    case CAIRN_FLOW_RANGE: return range(f, batch, i);
    case CAIRN_FLOW_CONTEXT:
        f->level = cairn_flow_context(batch->address[i], batch->value[i]).EL;
        return true;
    case CAIRN_FLOW_TRACE_ON:
        f->arrives = true;
        f->waits = false;
        return true;
    case CAIRN_FLOW_EXCEPTION:
        if (!whole_find(event.source, &level, &word))
            return complain(f, "an exception in no code of the program", event.source);
        reach(f, event.source, level);
        event.type = (uint8_t)(0x20 | batch->value[i]);
        event.from = (uint8_t)level;
        f->list->totals.exceptions += event.type != CAIRN_BRANCH_DEBUG_HALT;
        whole_add(f->list, &event);
        f->waits = true;
        return true;
    case CAIRN_FLOW_WARNING:
        /* Of a Debug halt the trace does not say whether its address is exact (S_RDJXM); here it is. */
        return (batch->value[i] == CAIRN_WARNING_IMPRECISE && f->waits &&
                f->list->events[f->list->count - 1].type == CAIRN_BRANCH_DEBUG_HALT) ||
               complain(f, "Warning", batch->address[i]);
    case CAIRN_FLOW_GAP:
    case CAIRN_FLOW_OVERFLOW:
    case CAIRN_FLOW_DISCARD:
        return complain(f, cairn_flow_kind_name(batch->kind[i]), batch->address[i]);
    default: return true;
    }
}

static bool take(struct whole_follower *f, struct cairn_flow_batch *batch)
{
    bool good = true;

    for (size_t i = 0; i < batch->count && good; i++)
        good = record(f, batch, i);
    batch->count = 0;
    return good;
}

static bool decode(struct whole_follower *f, struct cairn_decoder *decoder,
                   struct cairn_flow_batch *batch)
{
    size_t at = 0, added;

    while (at < f->run->size)
        if (cairn_decoder_run(decoder, f->run->bytes, f->run->size, &at, batch) != CAIRN_OK ||
            !take(f, batch))
            return false;
    do {
        if (cairn_decoder_finish(decoder, batch) != CAIRN_OK)
            return false;
        added = batch->count;
        if (!take(f, batch))
            return false;
    } while (added > 0);
    return true;
}

bool whole_follow(struct whole_run *run, const struct whole_program *program,
                  struct whole_list *list)
{
    struct whole_follower f = {
        .run = run, .program = program, .list = list, .level = WHOLE_NOWHERE};
    struct cairn_image *image = NULL;
    struct cairn_decoder *decoder = NULL;
    struct cairn_flow_batch *batch = NULL;
    struct cairn_error error;
    bool good = cairn_image_new(&image) == CAIRN_OK;

    whole_clear(list);
    for (unsigned level = 0; level < WHOLE_LEVELS && good; level++)
        good = cairn_image_add_bytes(image, "code", NULL, CAIRN_ORDER_LITTLE, whole_base(level),
                                     program->bytes[level], sizeof program->bytes[level],
                                     &error) == CAIRN_OK;
    good = good && cairn_decoder_new(run->config, image, &decoder) == CAIRN_OK &&
           cairn_flow_batch_new(AT_ONCE, &batch) == CAIRN_OK && decode(&f, decoder, batch);
    if (!good && !run->error[0])
        snprintf(run->error, sizeof run->error, "the trace cannot be decoded");
    cairn_flow_batch_free(batch);
    cairn_decoder_free(decoder);
    cairn_image_unref(image);
    return good;
}
