/* SPDX-License-Identifier: BSD-2-Clause */
#include "image/names.h"

#include "image/layer.h"
#include "image/symbol.h"

#include <stdlib.h>

void cairn_names_clear(struct cairn_names_list *names)
{
    for (size_t i = 0; i < names->count; i++) {
        free(names->list[i].path);
        free(names->list[i].own);
    }
    free(names->list);
    *names = (struct cairn_names_list){0};
}

static bool matches(const struct cairn_scope *scope, const struct cairn_place *place)
{
    return cairn_scope_matches(scope, place) && place->offset >= scope->epoch_from &&
           place->offset <= cairn_scope_epoch_last(scope);
}

const struct cairn_names *cairn_names_find(const struct cairn_names_list *names,
                                           const struct cairn_place *place, uint64_t address)
{
    for (size_t i = names->count; i-- > 0;) {
        const struct cairn_names *one = &names->list[i];

        if (address >= one->first && address <= one->last && matches(&one->scope, place))
            return one;
    }
    return NULL;
}

void cairn_names_narrow(const struct cairn_names_list *names, const struct cairn_place *place,
                        uint64_t address, uint64_t *first, uint64_t *last)
{
    for (size_t i = names->count; i-- > 0;) {
        const struct cairn_names *one = &names->list[i];

        if (!matches(&one->scope, place))
            continue;
        if (one->first > address) {
            *last = one->first - 1 < *last ? one->first - 1 : *last;
        } else if (one->last < address) {
            *first = one->last + 1 > *first ? one->last + 1 : *first;
        } else {
            *first = one->first > *first ? one->first : *first;
            *last = one->last < *last ? one->last : *last;
            return;
        }
    }
}

void cairn_names_hold(const struct cairn_names_list *names, const struct cairn_place *place,
                      uint64_t *from, uint64_t *until)
{
    for (size_t i = 0; i < names->count; i++) {
        const struct cairn_scope *scope = &names->list[i].scope;
        const uint64_t last = cairn_scope_epoch_last(scope);

        if (!cairn_scope_matches(scope, place))
            continue;
        if (place->offset < scope->epoch_from)
            *until = scope->epoch_from - 1 < *until ? scope->epoch_from - 1 : *until;
        else if (place->offset > last)
            *from = last + 1 > *from ? last + 1 : *from;
        else {
            *from = scope->epoch_from > *from ? scope->epoch_from : *from;
            *until = last < *until ? last : *until;
        }
    }
}

cairn_status cairn_names_symbol(const struct cairn_names *names, uint64_t address,
                                const char **name, uint64_t *offset)
{
    const struct cairn_symbols *symbols = NULL;
    const cairn_status status = cairn_file_symbols(names->file, &symbols);

    return status ? status : cairn_symbols_find(symbols, address - names->bias, name, offset);
}
