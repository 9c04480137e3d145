/* SPDX-License-Identifier: BSD-2-Clause */
#include "second_ptm_trace.h"

#include <stdio.h>
#include <string.h>

#include "../protocol/second_ptm_translate.h"

enum { ELEMENTS = 1 << 14 };

static struct element {
    unsigned kind;
    uint16_t flags;
    struct cairn_element_data data;
} elements[ELEMENTS];
static size_t element_count;

void peer_second_forget(void)
{
    element_count = 0;
}

void peer_second_watch(void *unused, unsigned kind, uint16_t flags,
                       const struct cairn_element_data *data)
{
    (void)unused;
    if (element_count < ELEMENTS)
        elements[element_count] = (struct element){kind, flags, *data};
    element_count++;
}

bool peer_second_equal(uint32_t id, uint32_t control, uint32_t ccer, const uint8_t *bytes,
                       size_t size)
{
    static struct ptm_writer writer;
    static struct ptm_translator translator;
    size_t at = 0;

    ptm_translate_begin(&translator, &writer, id, control, ccer);
    writer.lead = bytes;
    writer.lead_size = size;
    for (size_t i = 0; i < element_count && i < ELEMENTS; i++)
        ptm_translate(&translator, elements[i].kind, elements[i].flags, &elements[i].data);
    ptm_translate_end(&translator);
    while (at < size && at < writer.size && bytes[at] == writer.bytes[at])
        at++;
    if (element_count <= ELEMENTS && !translator.refused && at == size && at == writer.size)
        return true;
    printf("# the second writer wrote %zu bytes, of %zu other ones from byte %zu on\n", writer.size,
           size, at);
    return false;
}
