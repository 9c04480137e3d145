/* SPDX-License-Identifier: BSD-2-Clause */
#include "protocol/pass_on.h"

#include <string.h>

cairn_status cairn_pass_on_new(struct cairn_config *config, void **state)
{
    (void)config;
    *state = NULL; /* it holds nothing back */
    return CAIRN_OK;
}

void cairn_pass_on_free(void *state)
{
    (void)state;
}

cairn_status cairn_pass_on_run(void *state, const struct cairn_element_batch *in, size_t *position,
                               struct cairn_element_batch *out)
{
    const size_t from = *position;
    const size_t to = out->count;
    size_t count;

    (void)state;
    if (from > in->count || to > out->capacity)
        return CAIRN_E_ARGUMENT;
    count = in->count - from;
    if (count > out->capacity - to)
        count = out->capacity - to;
    if (count == 0)
        return CAIRN_OK;
    memcpy(out->offset + to, in->offset + from, count * sizeof *out->offset);
    memcpy(out->length + to, in->length + from, count * sizeof *out->length);
    memcpy(out->kind + to, in->kind + from, count * sizeof *out->kind);
    memcpy(out->flags + to, in->flags + from, count * sizeof *out->flags);
    memcpy(out->data + to, in->data + from, count * sizeof *out->data);
    *position = from + count;
    out->count = to + count;
    return CAIRN_OK;
}

cairn_status cairn_pass_on_finish(void *state, struct cairn_element_batch *out)
{
    (void)state;
    (void)out;
    return CAIRN_OK;
}
