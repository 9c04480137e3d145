/* SPDX-License-Identifier: BSD-2-Clause */
/* Configurations and packets as named fields, for listings. */
#include "protocol/fields.h"
#include "protocol/mtb/mtb.h"

#define LOCKUP UINT32_C(0xfffffffe) /* where a core in the lockup state says that it executes */

/* EXC_RETURN (ARMv6-M B1.5.8; Armv8-M adds S, DCRS and ES, and FType where there is an FPU). */
#define EXC_RETURN_THREAD UINT32_C(0x08)
#define EXC_RETURN_PSP UINT32_C(0x04)
#define EXC_RETURN_BASIC UINT32_C(0x10) /* FType: 0 means that floating-point state is stacked */

const struct cairn_kind_name cairn_mtb_kind_names[CAIRN_MTB_KIND_COUNT] = {
#define NAMES(NAME, ACCOUNT, TEXT, SECTION) {TEXT, #NAME},
    CAIRN_MTB_PACKETS(NAMES)
#undef NAMES
};

size_t cairn_mtb_describe_config(const struct cairn_config *config, struct cairn_field *fields,
                                 size_t capacity)
{
    const struct cairn_mtb_config *mtb = cairn_mtb_of(config);
    struct cairn_field_list list = {.fields = fields, .capacity = fields ? capacity : 0};
    if (mtb->has_master) {
        cairn_fields_add(&list, "buffer bytes", CAIRN_FIELD_DECIMAL, mtb->ring);
        cairn_fields_add(&list, "trace was on", CAIRN_FIELD_FLAG, mtb->enabled);
    }
    if (mtb->has_position) {
        if (mtb->base)
            cairn_fields_add(&list, "buffer address", CAIRN_FIELD_HEX,
                             (uint32_t)(mtb->base + (mtb->pointer & ~(mtb->ring - 1))));
        cairn_fields_add(&list, "written bytes", CAIRN_FIELD_DECIMAL, cairn_mtb_written(mtb));
        cairn_fields_add(&list, "wrapped", CAIRN_FIELD_FLAG, mtb->wrapped);
    }
    cairn_fields_add(&list, "stop at watermark", CAIRN_FIELD_FLAG, mtb->autostop);
    cairn_fields_add(&list, "halt at watermark", CAIRN_FIELD_FLAG, mtb->autohalt);
    if (!mtb->autostop && !mtb->autohalt)
        return list.count;
    cairn_fields_add(&list, "watermark", CAIRN_FIELD_HEX, mtb->watermark);
    if (mtb->has_position)
        cairn_fields_add(&list, "at the watermark", CAIRN_FIELD_FLAG,
                         mtb->watermark == mtb->pointer);
    return list.count;
}

/* What an address that is none of code stands for; NULL for others. */
static const char *meaning(uint64_t address)
{
    if (address == LOCKUP)
        return "lockup";
    return address == CAIRN_MTB_FNC_RETURN ? "FNC_RETURN" : NULL;
}

static void add_exc_return(struct cairn_field_list *list, uint64_t value)
{
    cairn_fields_add(list, "EXC_RETURN", CAIRN_FIELD_HEX, value);
    cairn_fields_add_text(list, "mode", value & EXC_RETURN_THREAD ? "Thread" : "Handler");
    cairn_fields_add_text(list, "stack", value & EXC_RETURN_PSP ? "PSP" : "MSP");
    if (!(value & EXC_RETURN_BASIC))
        cairn_fields_add(list, "floating-point frame", CAIRN_FIELD_FLAG, 1);
}

static void add_place(struct cairn_field_list *list, const char *name, const char *what,
                      uint64_t address)
{
    cairn_fields_add(list, name, CAIRN_FIELD_HEX, address);
    if (meaning(address))
        cairn_fields_add_text(list, what, meaning(address));
}

size_t cairn_mtb_describe_packet(const struct cairn_config *config,
                                 const struct cairn_packet_batch *batch, size_t index,
                                 struct cairn_field *fields, size_t capacity)
{
    struct cairn_field_list list = {.fields = fields, .capacity = fields ? capacity : 0};
    (void)config;
    if (index >= batch->count || !batch->kind || !batch->fields)
        return 0;
    const struct cairn_packet_fields *packet = cairn_packet_fields_at(batch, index);
    switch ((enum cairn_mtb_kind)batch->kind[index]) {
    case CAIRN_MTB_INCOMPLETE:
    case CAIRN_MTB_UNWRITTEN:
    case CAIRN_MTB_OUTSIDE: return 0;
    case CAIRN_MTB_RESERVED:
    case CAIRN_MTB_BRANCH:
    case CAIRN_MTB_EXCEPTION:
        add_place(&list, "source", "source is", packet->value);
        add_place(&list, "destination", "destination is", packet->address);
        break;
    case CAIRN_MTB_EXCEPTION_RETURN:
        cairn_fields_add(&list, "source", CAIRN_FIELD_HEX, packet->value);
        add_exc_return(&list, packet->address);
        break;
    case CAIRN_MTB_RETURN_TARGET:
        add_exc_return(&list, packet->value);
        add_place(&list, "destination", "destination is", packet->address);
        cairn_fields_add(&list, "joined", CAIRN_FIELD_FLAG, (packet->info & CAIRN_MTB_JOINED) != 0);
        break;
    }
    cairn_fields_add(&list, "A", CAIRN_FIELD_FLAG, (packet->info & CAIRN_MTB_A) != 0);
    cairn_fields_add(&list, "S", CAIRN_FIELD_FLAG, (packet->info & CAIRN_MTB_S) != 0);
    return list.count;
}
