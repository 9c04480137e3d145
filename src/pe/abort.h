/* SPDX-License-Identifier: BSD-2-Clause */
/* External aborts of the writes of a Trace Buffer Unit (DDI0608 E1.2.2.5): which memory answers with one. */
#ifndef CAIRN_PE_ABORT_H
#define CAIRN_PE_ABORT_H

#include <cairn/pe.h>

#define CAIRN_PE_ABORT_AREAS 16u

/* Of scripts and recordings. */
struct cairn_pe_abort_areas {
    struct {
        uint64_t address, size;
        enum cairn_pe_abort how;
    } areas[CAIRN_PE_ABORT_AREAS];
    unsigned count;
};

struct cairn_pe_lane;
struct cairn_pe_trbe_write;
struct cairn_pe_trbe_answer;

/* Writes of trace to `size` bytes from that physical address on abort. CAIRN_E_LIMIT: too many areas. */
CAIRN_MUST_CHECK cairn_status cairn_pe_abort_add(struct cairn_pe *pe, uint64_t address,
                                                 uint64_t size, enum cairn_pe_abort how);
/* They do not any more; size is above 0. What areas have in front of them and behind stays. CAIRN_E_LIMIT: these parts
 * would be too many, and nothing is changed. */
CAIRN_MUST_CHECK cairn_status cairn_pe_abort_remove(struct cairn_pe *pe, uint64_t address,
                                                    uint64_t size);

/* A translated write, as a cairn_pe_trbe_store: what does not abort is stored. */
size_t cairn_pe_abort_write(struct cairn_pe_lane *lane, uint64_t address,
                            const struct cairn_pe_trbe_write *write,
                            struct cairn_pe_trbe_answer *answer);
/* Memory has answered all that trace operations up to this one wrote, as a DSB waits for (R_NSFRQ). */
void cairn_pe_abort_complete(struct cairn_pe *pe, uint64_t last);
/* An instruction has read the register: an asynchronous abort may show there later (R_NSFRQ). */
void cairn_pe_abort_depend(struct cairn_pe *pe, uint32_t reg);
/* One that is not reported to the unit. */
void cairn_pe_abort_system_error(void *lane, uint64_t address, uint8_t FSC);

#endif
