/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets -> elements: at most two of a packet. */
#include <stdlib.h>

#include "toy/toy.h"

struct toy_elements {
    unsigned given; /* elements of the packet at *position that are in a batch already */
};

cairn_status toy_elements_new(struct cairn_config *config, void **state)
{
    (void)config;
    *state = calloc(1, sizeof(struct toy_elements));
    return *state ? CAIRN_OK : CAIRN_E_MEMORY;
}

void toy_elements_free(void *state)
{
    free(state);
}

static unsigned toy_give(unsigned kind, uint64_t address, unsigned element_kinds[2],
                         uint16_t *flags, struct cairn_element_data data[2])
{
    *flags = 0;
    data[0] = data[1] = (struct cairn_element_data){0};
    if (CAIRN_ACCOUNT_IS_GAP(toy_accounts[kind])) {
        element_kinds[0] = CAIRN_ELEMENT_GAP;
        data[0].value = toy_accounts[kind];
        return kind == TOY_NOT_SYNC ? 0 : 1;
    }
    switch (kind) {
    case TOY_ADDRESS:
        element_kinds[0] = CAIRN_ELEMENT_CONTEXT;
        element_kinds[1] = CAIRN_ELEMENT_TARGET_ADDRESS;
        data[0].context = (struct cairn_context){.security = CAIRN_NONSECURE, .SF = 1};
        data[1].address = address;
        data[1].nth = 1;
        return 2;
    case TOY_ATOM_E: *flags = CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E; /* fall through */
    case TOY_ATOM_N: element_kinds[0] = CAIRN_ELEMENT_ATOM; return 1;
    case TOY_STOP: element_kinds[0] = CAIRN_ELEMENT_TRACE_ON; return 1;
    default: return 0;
    }
}

cairn_status toy_elements_run(void *state, const struct cairn_packet_batch *in, size_t *position,
                              struct cairn_element_batch *out)
{
    struct toy_elements *e = state;

    for (; *position < in->count; ++*position) {
        struct cairn_element_data data[2];
        unsigned kinds[2];
        uint16_t flags;
        const unsigned count =
            toy_give(in->kind[*position], in->fields[*position].address, kinds, &flags, data);

        for (; e->given < count; e->given++) {
            const size_t i = out->count;

            if (i == out->capacity)
                return CAIRN_OK;
            out->offset[i] = in->offset[*position];
            out->length[i] = in->length[*position];
            out->kind[i] = (uint8_t)kinds[e->given];
            out->flags[i] = flags;
            out->data[i] = data[e->given];
            out->count++;
        }
        e->given = 0;
    }
    return CAIRN_OK;
}
