/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "flow/fetch.h"
#include "image/space.h"
#include "machine/replay/replay.h"

cairn_status cairn_replay_memory_open(struct cairn_replay_memory *memory, struct cairn_image *image)
{
    memory->generation = 1;
    return cairn_space_new(image, &memory->space);
}

void cairn_replay_memory_close(struct cairn_replay_memory *memory)
{
    cairn_space_free(memory->space);
    free(memory->bytes);
}

cairn_status cairn_replay_select(struct cairn_replay *replay, uint64_t offset)
{
    struct cairn_replay_memory *memory = &replay->memory;
    const struct cairn_place place = {
        .source = cairn_config_source(replay->config),
        .EL = replay->context.EL,
        .security = replay->context.security,
        .vmid = replay->context.vmid,
        .context_id = replay->context.context_id,
        .offset = offset,
    };

    if (memory->selected && offset >= memory->from && offset <= memory->until)
        return CAIRN_OK;
    const cairn_status status = cairn_space_select(memory->space, &place);
    memory->selected = status == CAIRN_OK;
    memory->generation++;
    memory->window.size = 0;
    cairn_space_hold(memory->space, &memory->from, &memory->until);
    return status;
}

static bool look(struct cairn_replay_memory *memory, uint64_t address)
{
    return address - memory->window.address < memory->window.size ||
           cairn_space_window(memory->space, address, &memory->window);
}

static bool has_room(struct cairn_replay_memory *memory, size_t size)
{
    if (size <= memory->capacity)
        return true;
    uint8_t *grown = realloc(memory->bytes, size);
    if (!grown)
        return false;
    memory->bytes = grown;
    memory->capacity = size;
    return true;
}

const uint8_t *cairn_replay_bytes(struct cairn_replay_memory *memory, enum cairn_isa isa,
                                  uint64_t address, size_t size)
{
    const uint64_t wrap = isa == CAIRN_ISA_A64 ? UINT64_MAX : UINT32_MAX;
    bool turned = false;

    if (!look(memory, address))
        return NULL;
    if (memory->window.order != CAIRN_ORDER_BE32 &&
        size <= memory->window.size - (address - memory->window.address))
        return memory->window.bytes + (address - memory->window.address);
    if (!has_room(memory, size))
        return NULL;
    for (size_t done = 0; done < size;) {
        const uint64_t here = (address + done) & wrap;

        if (!look(memory, here))
            return NULL;
        const uint64_t left = memory->window.size - (here - memory->window.address);
        const size_t part = left < size - done ? (size_t)left : size - done;
        memcpy(memory->bytes + done, memory->window.bytes + (here - memory->window.address), part);
        turned |= memory->window.order == CAIRN_ORDER_BE32;
        done += part;
    }
    if (turned)
        cairn_fetch_reorder(isa, memory->bytes, size);
    return memory->bytes;
}
