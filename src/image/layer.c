/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/layer.h"

#include <stdlib.h>
#include <string.h>

#include <cairn/image.h>

#include "base/sizes.h"
#include "image/file.h"

#define CONDITIONS 6u /* of a scope */

struct cairn_scope cairn_scope_any(void)
{
    return (struct cairn_scope){
        .source = CAIRN_ANY_SOURCE,
        .el_mask = CAIRN_EL_ANY,
        .security_mask = CAIRN_SECURITY_ANY,
        .any_vmid = true,
        .any_context_id = true,
        .epoch_from = 0,
        .epoch_to = UINT64_MAX,
    };
}

void cairn_layer_clear(struct cairn_layer *layer)
{
    free(layer->name);
    free(layer->origin);
    free(layer->copy);
    cairn_live_pages_free(layer->pages);
    *layer = (struct cairn_layer){0};
}

uint64_t cairn_layer_place(const struct cairn_layer *layer)
{
    return layer->file && layer->bytes
               ? (uint64_t)(layer->bytes - layer->file->data) - layer->address
               : layer->place;
}

const char *cairn_scope_problem(const struct cairn_scope *scope)
{
    if ((scope->el_mask & CAIRN_EL_ANY) == 0)
        return "its mask of exception levels is empty";
    if ((scope->security_mask & CAIRN_SECURITY_ANY) == 0)
        return "its mask of security states is empty";
    if (scope->epoch_from >= scope->epoch_to)
        return "its epoch ends before it begins";
    return NULL;
}

uint64_t cairn_scope_epoch_last(const struct cairn_scope *scope)
{
    return scope->epoch_to == UINT64_MAX ? UINT64_MAX : scope->epoch_to - 1;
}

unsigned cairn_scope_wildcards(const struct cairn_scope *scope)
{
    unsigned count = 0;
    count += scope->source == CAIRN_ANY_SOURCE;
    count += (scope->el_mask & CAIRN_EL_ANY) == CAIRN_EL_ANY;
    count += (scope->security_mask & CAIRN_SECURITY_ANY) == CAIRN_SECURITY_ANY;
    count += scope->any_vmid;
    count += scope->any_context_id;
    count += scope->epoch_from == 0 && scope->epoch_to == UINT64_MAX;
    return count;
}

bool cairn_scope_matches(const struct cairn_scope *scope, const struct cairn_place *place)
{
    if (scope->source != CAIRN_ANY_SOURCE && scope->source != place->source)
        return false;
    if (!(scope->el_mask >> place->EL & 1) || !(scope->security_mask >> place->security & 1))
        return false;
    if (!scope->any_vmid && scope->vmid != place->vmid)
        return false;
    return scope->any_context_id || scope->context_id == place->context_id;
}

static int order(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

int cairn_scope_compare(const struct cairn_scope *left, const struct cairn_scope *right)
{
    int result = order(!left->any_context_id, !right->any_context_id);
    if (!result && !left->any_context_id)
        result = order(left->context_id, right->context_id);
    if (!result)
        result = order(left->source, right->source);
    if (!result)
        result = order(left->el_mask & CAIRN_EL_ANY, right->el_mask & CAIRN_EL_ANY);
    if (!result)
        result = order(left->security_mask & CAIRN_SECURITY_ANY,
                       right->security_mask & CAIRN_SECURITY_ANY);
    if (!result)
        result = order(left->any_vmid, right->any_vmid);
    if (!result && !left->any_vmid)
        result = order(left->vmid, right->vmid);
    return result;
}

uint64_t cairn_layer_rank(const struct cairn_layer *layer, size_t index)
{
    uint64_t first = cairn_scope_wildcards(&layer->scope);

    switch (layer->precedence) {
    case CAIRN_PREVAILS: break;
    case CAIRN_BY_SCOPE: first += CONDITIONS + 1; break;
    case CAIRN_YIELDS: first += 2 * (CONDITIONS + 1); break;
    }
    return first << 32 | (UINT32_MAX - index);
}

size_t cairn_image_layer_count(const struct cairn_image *image)
{
    return image ? cairn_image_layers(image)->count : 0;
}

cairn_status cairn_image_layer(const struct cairn_image *image, size_t index,
                               struct cairn_layer_info *info)
{
    if (!image || !info)
        return CAIRN_E_ARGUMENT;
    const struct cairn_layers *const layers = cairn_image_layers(image);
    if (index >= layers->count)
        return CAIRN_E_NOT_FOUND;
    const struct cairn_layer *const layer = &layers->list[index];
    struct cairn_layer_info made;
    memset(&made, 0, sizeof made); /* what is between the members is the caller's to see, too */
    made.name = layer->name;
    made.address = layer->address;
    made.bytes = layer->size;
    made.scope = layer->scope;
    made.order = layer->order;
    made.is_elf = layer->is_elf;
    made.build_id = layer->is_elf ? layer->file->build_id : NULL;
    return cairn_info_write(info, &made, sizeof made);
}
