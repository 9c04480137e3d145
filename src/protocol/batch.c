/* SPDX-License-Identifier: BSD-2-Clause */
/* Batches: columns of one capacity. */
#include <stdlib.h>

#include <cairn/element.h>
#include <cairn/packet.h>

cairn_status cairn_packet_batch_new(size_t capacity, struct cairn_packet_batch **batch)
{
    if (capacity == 0 || !batch)
        return CAIRN_E_ARGUMENT;
    struct cairn_packet_batch *made = calloc(1, sizeof *made);
    if (!made)
        return CAIRN_E_MEMORY;
    made->size = sizeof *made;
    made->capacity = capacity;
    made->offset = calloc(capacity, sizeof *made->offset);
    made->length = calloc(capacity, sizeof *made->length);
    made->kind = calloc(capacity, sizeof *made->kind);
    made->account = calloc(capacity, sizeof *made->account);
    made->fields_size = sizeof *made->fields;
    made->fields = calloc(capacity, sizeof *made->fields);
    made->address = calloc(capacity, sizeof *made->address);
    made->address_packet = calloc(capacity, sizeof *made->address_packet);
    if (!made->offset || !made->length || !made->kind || !made->account || !made->fields ||
        !made->address || !made->address_packet) {
        cairn_packet_batch_free(made);
        return CAIRN_E_MEMORY;
    }
    *batch = made;
    return CAIRN_OK;
}

void cairn_packet_batch_free(struct cairn_packet_batch *batch)
{
    if (!batch)
        return;
    free(batch->offset);
    free(batch->length);
    free(batch->kind);
    free(batch->account);
    free(batch->fields);
    free(batch->address);
    free(batch->address_packet);
    free(batch);
}

cairn_status cairn_element_batch_new(size_t capacity, struct cairn_element_batch **batch)
{
    if (capacity == 0 || !batch)
        return CAIRN_E_ARGUMENT;
    struct cairn_element_batch *made = calloc(1, sizeof *made);
    if (!made)
        return CAIRN_E_MEMORY;
    made->size = sizeof *made;
    made->capacity = capacity;
    made->offset = calloc(capacity, sizeof *made->offset);
    made->length = calloc(capacity, sizeof *made->length);
    made->kind = calloc(capacity, sizeof *made->kind);
    made->flags = calloc(capacity, sizeof *made->flags);
    made->data_size = sizeof *made->data;
    made->data = calloc(capacity, sizeof *made->data);
    if (!made->offset || !made->length || !made->kind || !made->flags || !made->data) {
        cairn_element_batch_free(made);
        return CAIRN_E_MEMORY;
    }
    *batch = made;
    return CAIRN_OK;
}

void cairn_element_batch_free(struct cairn_element_batch *batch)
{
    if (!batch)
        return;
    free(batch->offset);
    free(batch->length);
    free(batch->kind);
    free(batch->flags);
    free(batch->data);
    free(batch);
}
