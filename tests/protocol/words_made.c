/* SPDX-License-Identifier: BSD-2-Clause */
#include "words_made.h"

#include <string.h>

#include "protocol/pass_on.h"

#define STATUSES (CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E)

struct made made[MADE_MOST];
size_t made_given;

static cairn_status new_state(struct cairn_config *config, void **state)
{
    (void)config;
    *state = NULL;
    return CAIRN_OK;
}

static void free_state(void *state)
{
    (void)state;
}

static cairn_status run_packets(void *state, const uint8_t *data, size_t size, size_t *position,
                                struct cairn_packet_batch *batch)
{
    (void)state;
    (void)data;
    for (; *position < size && batch->count < batch->capacity; ++*position) {
        batch->offset[batch->count] = *position;
        batch->length[batch->count] = 1;
        batch->kind[batch->count] = 0;
        batch->account[batch->count] = CAIRN_ACCOUNT_FLOW;
        batch->count++;
    }
    return CAIRN_OK;
}

static cairn_status finish_packets(void *state, struct cairn_packet_batch *batch)
{
    (void)state;
    (void)batch;
    return CAIRN_OK;
}

static cairn_status run_elements(void *state, const struct cairn_packet_batch *in, size_t *position,
                                 struct cairn_element_batch *out)
{
    (void)state;
    for (; *position < in->count && out->count < out->capacity; ++*position) {
        const struct made *next = &made[made_given++];
        const size_t n = out->count++;

        out->offset[n] = next->offset;
        out->length[n] = next->length;
        out->flags[n] = next->flags;
        out->kind[n] = next->kind;
        out->data[n] = next->data;
    }
    return CAIRN_OK;
}

static struct cairn_scan_ledger taken;

/* As a scan makes it: data of its own where the token cannot say it, and a status that is the bit in
 * `value` unless the element's flags say more. */
static void make_token(const struct made *from, struct cairn_scan_batch *batch)
{
    struct cairn_token *token = &batch->token[batch->count++];
    const bool atom = from->kind == CAIRN_ELEMENT_ATOM;
    const bool address =
        from->kind == CAIRN_ELEMENT_TARGET_ADDRESS || from->kind == CAIRN_ELEMENT_SOURCE_ADDRESS;
    struct cairn_element_data said;

    *token = (struct cairn_token){.offset = from->offset,
                                  .length = from->length,
                                  .value = atom      ? (from->flags & CAIRN_ELEMENT_E) != 0
                                           : address ? from->data.address
                                                     : from->data.value,
                                  .flags = from->flags,
                                  .kind = from->kind,
                                  .count = atom      ? 1
                                           : address ? from->data.sub_isa
                                                     : 0};
    if (atom && (from->flags == 0 || from->flags == STATUSES))
        token->flags = 0;
    else if (atom)
        token->flags |= CAIRN_TOKEN_ODD;
    said = cairn_token_data(batch, token);
    if (memcmp(&said, &from->data, sizeof said) == 0)
        return;
    batch->data[batch->data_count++] = from->data;
    token->data = (uint32_t)batch->data_count;
}

static cairn_status run_scan(void *state, const uint8_t *data, size_t size, size_t *position,
                             struct cairn_scan_batch *batch)
{
    (void)state;
    (void)data;
    for (; *position < size && batch->count < batch->capacity; ++*position)
        make_token(&made[made_given++], batch);
    return CAIRN_OK;
}

static cairn_status finish_scan(void *state, struct cairn_scan_batch *batch)
{
    (void)state;
    (void)batch;
    return CAIRN_OK;
}

static const struct cairn_scan_ledger *ledger_of_scan(const void *state)
{
    (void)state;
    return &taken;
}

const struct cairn_protocol made_protocol = {.packets_new = new_state,
                                             .packets_free = free_state,
                                             .packets_run = run_packets,
                                             .packets_finish = finish_packets,
                                             .elements_new = new_state,
                                             .elements_free = free_state,
                                             .elements_run = run_elements,
                                             .scan_new = new_state,
                                             .scan_free = free_state,
                                             .scan_run = run_scan,
                                             .scan_finish = finish_scan,
                                             .scan_ledger = ledger_of_scan,
                                             CAIRN_PASS_ON};
