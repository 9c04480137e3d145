/* SPDX-License-Identifier: BSD-2-Clause */
/* What the elements mean that the library's encoder of PTM is given (docs/legacy.md), told to the
 * second writer as events. Where IHI0035 leaves a choice, it is made as the unit that is modelled
 * makes it: a whole timestamp behind each A-sync (4.14); identifiers that have changed where the
 * CONTEXT stands, or behind the packet that it is part of, VMID first, and that behind each I-sync
 * as well (4.5.7, 4.5.8); a count that nobody knows (4.4) is 0. */
#ifndef CAIRN_TESTS_PROTOCOL_SECOND_PTM_TRANSLATE_H
#define CAIRN_TESTS_PROTOCOL_SECOND_PTM_TRANSLATE_H

#include <cairn/element.h>

#include "second_ptm.h"

struct ptm_translator {
    struct ptm_writer *writer;
    bool vmid; /* traced */
    bool virtualization;
    struct cairn_context context; /* as told */
    uint32_t known_id, known_vmid;
    bool whole_time;
    bool open; /* `event` is not complete: it waits for an address, or a count */
    struct ptm_event event;
    bool refused; /* an element that PTM has not */
};

/* Begins the writer, too. Registers: ETMIDR, ETMCR, ETMCCER. */
void ptm_translate_begin(struct ptm_translator *t, struct ptm_writer *writer, uint32_t id,
                         uint32_t control, uint32_t ccer);
void ptm_translate(struct ptm_translator *t, unsigned kind, uint16_t flags,
                   const struct cairn_element_data *data);
void ptm_translate_end(struct ptm_translator *t);

#endif
