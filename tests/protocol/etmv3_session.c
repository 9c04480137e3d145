/* SPDX-License-Identifier: BSD-2-Clause */
#include "etmv3_session.h"

#include <string.h>

struct cairn_config *etmv3_configure(enum cairn_profile profile, uint32_t id, uint32_t control,
                                     uint32_t ccer, struct cairn_error *error)
{
    const struct cairn_register registers[] = {
        {"ETMIDR", id}, {"ETMCR", control}, {"ETMCCER", ccer}};
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config = NULL;

    source.protocol = CAIRN_PROTOCOL_ETMV3;
    source.arch = (struct cairn_arch){profile, 7, 0, 0};
    source.registers = registers;
    source.register_count = sizeof registers / sizeof registers[0];
    return cairn_config_new(&source, &config, error) == CAIRN_OK ? config : NULL;
}

static void keep(const struct cairn_packet_batch *batch, struct etmv3_list *list)
{
    for (size_t i = 0; i < batch->count && list->count < ETMV3_PACKETS_MAX; i++)
        list->packets[list->count++] =
            (struct etmv3_packet){batch->offset[i], batch->length[i], batch->kind[i],
                                  batch->account[i], batch->fields[i]};
}

/* Pushes data[0, size), or ends the source when there is none. */
static bool push(struct cairn_packets *packets, struct cairn_packet_batch *batch,
                 const uint8_t *data, size_t size, struct etmv3_list *list)
{
    size_t position = 0;

    do {
        batch->count = 0;
        if (size ? cairn_packets_run(packets, data, size, &position, batch)
                 : cairn_packets_finish(packets, batch))
            return false;
        keep(batch, list);
    } while (position < size || batch->count);
    return true;
}

static bool accounts(const struct etmv3_list *list, size_t size)
{
    uint64_t at = 0;

    for (size_t i = 0; i < list->count; i++) {
        if (list->packets[i].offset != at || list->packets[i].length == 0)
            return false;
        at += list->packets[i].length;
    }
    return at == size || list->count == ETMV3_PACKETS_MAX;
}

bool etmv3_decode(struct cairn_config *config, const uint8_t *data, size_t size, size_t step,
                  size_t capacity, struct etmv3_list *list)
{
    struct cairn_packets *packets = NULL;
    struct cairn_packet_batch *batch = NULL;
    bool good = cairn_packets_new(config, &packets) == CAIRN_OK &&
                cairn_packet_batch_new(capacity, &batch) == CAIRN_OK;

    list->count = 0;
    if (step == 0 || step > size)
        step = size;
    for (size_t at = 0; good && at < size; at += step)
        good = push(packets, batch, data + at, step < size - at ? step : size - at, list);
    good = good && push(packets, batch, NULL, 0, list);
    cairn_packet_batch_free(batch);
    cairn_packets_free(packets);
    return good && accounts(list, size);
}

static bool same_fields(const struct cairn_packet_fields *a, const struct cairn_packet_fields *b)
{
    return a->flags == b->flags && a->type == b->type && a->sub_isa == b->sub_isa &&
           a->atom_count == b->atom_count && a->atoms == b->atoms && a->count == b->count &&
           a->address == b->address && a->value == b->value && a->cycles == b->cycles &&
           a->info == b->info && a->address_bits == b->address_bits && a->state == b->state &&
           a->reason == b->reason && a->size == b->size && a->tag == b->tag &&
           a->resume == b->resume && a->context.EL == b->context.EL &&
           a->context.security == b->context.security && a->context.vmid == b->context.vmid &&
           a->context.context_id == b->context.context_id;
}

bool etmv3_same(const struct etmv3_list *a, const struct etmv3_list *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->packets[i].offset != b->packets[i].offset ||
            a->packets[i].length != b->packets[i].length ||
            a->packets[i].kind != b->packets[i].kind ||
            a->packets[i].account != b->packets[i].account ||
            !same_fields(&a->packets[i].fields, &b->packets[i].fields))
            return false;
    return true;
}
