/* SPDX-License-Identifier: BSD-2-Clause */
/* What the elements mean that the library's encoder of ETMv3 is given (docs/legacy.md), told to the
 * second writer as events: so that both write the same, and their bytes can be compared. Nothing
 * here knows how a packet looks. Where IHI0014 leaves a choice, the elements state it, or the unit
 * that is modelled makes it always the same way:
 *   - a periodic D-sync and a whole timestamp come with each A-sync (7.7.4; 7.10.2 of issue Q);
 *   - a Context ID packet stands where the CONTEXT does, or behind the branch packet of an
 * exception that stands before it (7.3.6); so does VMID, which besides is behind each I-sync (7.3.7
 * of Q);
 *   - a cycle count directly behind an I-sync that is not periodic is in it (7.7.3);
 *   - exceptions in ARM state are in the fifth address byte before ETMv3.2, and never later
 * (7.3.5);
 *   - where values are not traced the header has the size 0 (7.4.2). */
#ifndef CAIRN_TESTS_PROTOCOL_SECOND_TRANSLATE_H
#define CAIRN_TESTS_PROTOCOL_SECOND_TRANSLATE_H

#include <cairn/element.h>

#include "second_writer.h"

struct second_registers {
    bool m_profile;
    uint32_t id, control, ccer; /* ETMIDR, ETMCR, ETMCCER */
};

/* An I-sync that may still grow: what is there of it. */
enum second_sync { SECOND_SYNC_NONE, SECOND_SYNC_BEGUN, SECOND_SYNC_UNDER, SECOND_SYNC_WHOLE };

struct second_translator {
    struct second_writer *writer;
    bool security, virtualization, vmid; /* traced */
    struct cairn_context context;        /* as told */
    uint32_t known_id, known_vmid;       /* of packets */
    bool whole_address, whole_time;      /* due since the last A-sync */
    enum second_sync sync;
    struct second_event event;  /* the I-sync */
    struct second_event branch; /* what is known of the branch packet to come */
    size_t run;
    char atoms[SECOND_RUN_MAX + 1];
    bool counts;                   /* `fewest` is wanted */
    unsigned long headers, fewest; /* P-headers: written, and how many would do */
    bool refused;                  /* the second writer has no packet for something, or no room */
};

/* Begins the writer, too. */
void second_translate_begin(struct second_translator *t, struct second_writer *writer,
                            const struct second_registers *registers);
void second_translate(struct second_translator *t, unsigned kind, uint16_t flags,
                      const struct cairn_element_data *data);
void second_translate_end(struct second_translator *t);

#endif
