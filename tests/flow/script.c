/* SPDX-License-Identifier: BSD-2-Clause */
#include "script.h"

#include "protocol/pass_on.h"
#include "protocol/words_of_levels.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 4096 };

/* A packet is this, as it lies in memory. */
struct packet {
    uint8_t kind;
    uint8_t sub_isa;
    uint16_t flags;
    uint8_t reason;
    uint8_t info;
    uint8_t EL;
    uint8_t SF;
    uint64_t address;
    uint64_t value;
    uint32_t cycles;
    uint32_t context_id;
};
_Static_assert(sizeof(struct packet) == SCRIPT_PACKET, "no gaps");
_Static_assert(sizeof(struct packet) <= sizeof(struct cairn_packet_fields), "it is kept there");

/* --- bytes -> packets --- */

struct packets {
    uint8_t bytes[SCRIPT_PACKET];
    size_t have;
    uint64_t offset;
};

static cairn_status packets_new(struct cairn_config *config, void **state)
{
    (void)config;
    *state = calloc(1, sizeof(struct packets));
    return *state ? CAIRN_OK : CAIRN_E_MEMORY;
}

static uint8_t account_of(const struct packet *packet, bool whole)
{
    if (!whole)
        return CAIRN_GAP_TRUNCATED;
    if (packet->kind == CAIRN_ELEMENT_GAP)
        return (uint8_t)packet->value;
    return packet->kind == CAIRN_ELEMENT_ATOM ? CAIRN_ACCOUNT_FLOW : CAIRN_ACCOUNT_METADATA;
}

static void give(struct packets *p, struct cairn_packet_batch *batch)
{
    const bool whole = p->have == SCRIPT_PACKET;
    const size_t i = batch->count++;
    struct packet packet = {.kind = CAIRN_ELEMENT_GAP, .value = CAIRN_GAP_TRUNCATED};

    if (whole)
        memcpy(&packet, p->bytes, sizeof packet);
    if (batch->offset)
        batch->offset[i] = p->offset;
    if (batch->length)
        batch->length[i] = p->have;
    if (batch->kind)
        batch->kind[i] = 0;
    if (batch->account)
        batch->account[i] = account_of(&packet, whole);
    if (batch->fields)
        memcpy(&batch->fields[i], &packet, sizeof packet);
    p->offset += p->have;
    p->have = 0;
}

static cairn_status packets_run(void *state, const uint8_t *data, size_t size, size_t *position,
                                struct cairn_packet_batch *batch)
{
    struct packets *p = state;

    while (*position < size && batch->count < batch->capacity) {
        p->bytes[p->have++] = data[(*position)++];
        if (p->have == SCRIPT_PACKET)
            give(p, batch);
    }
    return CAIRN_OK;
}

static cairn_status packets_finish(void *state, struct cairn_packet_batch *batch)
{
    struct packets *p = state;

    if (p->have > 0 && batch->count < batch->capacity)
        give(p, batch);
    return CAIRN_OK;
}

/* --- packets -> elements --- */

static cairn_status elements_new(struct cairn_config *config, void **state)
{
    (void)config;
    *state = malloc(1);
    return *state ? CAIRN_OK : CAIRN_E_MEMORY;
}

/* Other elements have no context at all, as those of a protocol. */
static uint8_t security_of(unsigned kind)
{
    return kind == CAIRN_ELEMENT_CONTEXT ? CAIRN_NONSECURE : 0;
}

static cairn_status elements_run(void *state, const struct cairn_packet_batch *in, size_t *position,
                                 struct cairn_element_batch *out)
{
    (void)state;
    for (; *position < in->count && out->count < out->capacity; ++*position) {
        const size_t i = out->count++;
        struct packet packet;

        memcpy(&packet, &in->fields[*position], sizeof packet);
        out->offset[i] = in->offset[*position];
        out->length[i] = in->length[*position];
        out->kind[i] = packet.kind;
        out->flags[i] = packet.flags;
        out->data[i] = (struct cairn_element_data){.address = packet.address,
                                                   .value = packet.value,
                                                   .cycles = packet.cycles,
                                                   .sub_isa = packet.sub_isa,
                                                   .reason = packet.reason,
                                                   .info = packet.info,
                                                   .context = {.EL = packet.EL,
                                                               .security = security_of(packet.kind),
                                                               .SF = packet.SF,
                                                               .context_id = packet.context_id}};
    }
    return CAIRN_OK;
}

static bool is_p0(const struct cairn_config *config, unsigned kind)
{
    (void)config;
    return kind == CAIRN_ELEMENT_ATOM;
}

static const char *exception_name(const struct cairn_config *config, unsigned type)
{
    (void)config;
    (void)type;
    return "?";
}

static const struct cairn_about script_about = {.name = "script"};

static const struct cairn_protocol script_protocol = {
    .about = &script_about,
    .packets_new = packets_new,
    .packets_free = free,
    .packets_run = packets_run,
    .packets_finish = packets_finish,
    .elements_new = elements_new,
    .elements_free = free,
    .elements_run = elements_run,
    .is_p0 = is_p0,
    .exception_name = exception_name,
    CAIRN_PASS_ON,
    CAIRN_WORDS_OF_LEVELS,
};

/* --- the script --- */

bool script_begin(struct script *script, const struct cairn_arch *arch,
                  const struct cairn_follow_rules *rules)
{
    static const struct cairn_register registers[] = {
        {"TRCCONFIGR", 0x1},     {"TRCTRACEIDR", 1},      {"TRCDEVARCH", 0x47735a13},
        {"TRCIDR0", 0x080006a1}, {"TRCIDR1", 0x4100fff0}, {"TRCIDR2", 0xc0001088},
    };
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;

    memset(script, 0, sizeof *script);
    source.protocol = CAIRN_PROTOCOL_ETE;
    source.arch = *arch;
    source.registers = registers;
    source.register_count = sizeof registers / sizeof registers[0];
    if (cairn_config_new(&source, &script->config, NULL) != CAIRN_OK)
        return false;
    script->config->protocol = &script_protocol;
    script->config->rules = *rules;
    script->capacity = FIRST_CAPACITY * SCRIPT_PACKET;
    script->data = malloc(script->capacity);
    return script->data && cairn_image_new(&script->image) == CAIRN_OK;
}

void script_end(struct script *script)
{
    cairn_image_unref(script->image);
    cairn_config_unref(script->config);
    free(script->data);
}

bool script_code(struct script *script, uint64_t address, const void *bytes, size_t size)
{
    const struct cairn_scope any = cairn_scope_any();

    return cairn_image_add_bytes(script->image, "code", &any, CAIRN_ORDER_LITTLE, address, bytes,
                                 size, NULL) == CAIRN_OK;
}

void script_restart(struct script *script)
{
    script->size = 0;
}

bool script_put(struct script *script, unsigned kind, unsigned flags,
                const struct cairn_element_data *data)
{
    const struct packet packet = {.kind = (uint8_t)kind,
                                  .sub_isa = data->sub_isa,
                                  .flags = (uint16_t)flags,
                                  .reason = data->reason,
                                  .info = data->info,
                                  .EL = data->context.EL,
                                  .SF = data->context.SF,
                                  .address = data->address,
                                  .value = data->value,
                                  .cycles = data->cycles,
                                  .context_id = data->context.context_id};

    if (script->size + SCRIPT_PACKET > script->capacity)
        return false;
    memcpy(script->data + script->size, &packet, SCRIPT_PACKET);
    script->size += SCRIPT_PACKET;
    return true;
}

struct engine_case script_case(const struct script *script)
{
    return (struct engine_case){.config = script->config,
                                .image = script->image,
                                .data = script->data,
                                .size = script->size};
}
