/* SPDX-License-Identifier: BSD-2-Clause */
/* The Trace Buffer Unit and its trace unit together: E1.2.3.1. */
#include "pe/trbe.h"

/* All that the trace unit has goes out, with as much time for it as the memory wants. */
static bool write_out(struct cairn_pe_trbe *trbe, struct cairn_unit *unit)
{
    uint64_t pending;

    cairn_unit_flush(unit);
    while ((pending = cairn_unit_pending_bytes(unit)) > 0) {
        cairn_pe_trbe_drain(trbe);
        if (cairn_unit_offer(unit) >= pending)
            return false;
    }
    return true;
}

bool cairn_pe_trbe_synchronize(struct cairn_pe_trbe *trbe, struct cairn_unit *unit)
{
    bool all = write_out(trbe, unit);

    /* The bytes may have brought a Trigger Event; its flush is another one of the trace unit. */
    if (trbe->flush_wanted) {
        all = write_out(trbe, unit) && all;
        cairn_pe_trbe_flushed(trbe);
    }
    cairn_pe_trbe_drain(trbe);
    return all;
}
