/* SPDX-License-Identifier: BSD-2-Clause */
/* What stands around a recorded trace unit: a PE (<cairn/pe.h>) with a trace buffer that takes what the unit
 * writes, besides the recording, and with counters. It is programmed before the first instruction as by
 * firmware that lets everything below EL3 be traced (of Non-secure state, where there is a buffer), recorded
 * and counted, and a driver at EL2; and again behind each reset of the core that the feed tells.
 *
 * A recording has then, for each SOURCE,
 *   SOURCE.trbe.bin   the memory of the trace buffer
 *   SOURCE.trbe.ini   the registers, as `cairn info SOURCE.trbe.bin --config SOURCE.trbe.ini` reads them
 *   SOURCE.pe.ini     [trbe] and [pmu]: what was counted; NAME=NUMBER lines */
#ifndef CAIRN_MACHINE_AROUND_H
#define CAIRN_MACHINE_AROUND_H

#include "machine/processor.h"
#include "machine/recording.h"

#define CAIRN_AROUND_MEMORY ".trbe.bin"
#define CAIRN_AROUND_REGISTERS ".trbe.ini"
#define CAIRN_AROUND_COUNTS ".pe.ini"

/* What a write of the trace buffer meets at a place of it. */
enum cairn_around_fault_kind {
    CAIRN_AROUND_TRANSLATION, /* of the page that the place is in: it is not mapped */
    CAIRN_AROUND_PERMISSION,  /* it is read-only */
    CAIRN_AROUND_ACCESS_FLAG,
    CAIRN_AROUND_ABORT,      /* of the bytes from there to the end of the page: an External abort */
    CAIRN_AROUND_LATE_ABORT, /* the same, asynchronous */
};
#define CAIRN_AROUND_FAULTS 8u

struct cairn_around_fault {
    uint8_t kind;    /* enum cairn_around_fault_kind */
    bool is_fixed;   /* software mends it when it is interrupted, and goes on; else nobody does */
    uint64_t offset; /* in the buffer */
};

struct cairn_around_settings {
    bool is_wanted;
    bool has_buffer;
    struct cairn_around_buffer {
        uint64_t base, size;
        uint8_t FM, TM; /* TRBLIMITR_EL1's */
        bool has_trigger;
        uint64_t trigger; /* TRBTRG_EL1 */
        bool empties;     /* software empties the buffer when it is interrupted, */
        uint64_t latency; /* so many instructions later */
        struct cairn_around_fault faults[CAIRN_AROUND_FAULTS];
        unsigned fault_count;
        bool
            stays; /* behind a reset nobody enables it: what it had stays. Else it begins anew, as at the beginning */
    } buffer;
    uint16_t events[CAIRN_PE_EVENT_COUNTERS];
    unsigned event_count;
};

/* "base=0x80000000,size=64K,mode=circular": see `cairn record --help`. CAIRN_E_ARGUMENT, with a sentence. */
cairn_status cairn_around_read_buffer(struct cairn_around_settings *settings, const char *text,
                                      struct cairn_error *error);
/* "INST_RETIRED,0x21", or "none": counters that are off. */
cairn_status cairn_around_read_events(struct cairn_around_settings *settings, const char *text,
                                      struct cairn_error *error);

struct cairn_around;

/* A PE around a unit with these options, whose sink gets all bytes, programmed. `source` gets the files, and
 * lives longer; `core` is what they call it. */
cairn_status cairn_around_new(const struct cairn_around_settings *settings,
                              const struct cairn_unit_options *unit,
                              struct cairn_recorded_source *source, const char *core,
                              struct cairn_around **around, struct cairn_error *error);
struct cairn_processor cairn_around_processor(struct cairn_around *around);
/* The unit has been disabled: the buffer is, and files are written. What cannot be written is not there. */
void cairn_around_end(struct cairn_around *around);
void cairn_around_free(struct cairn_around *around); /* with the unit; NULL is fine */

#endif
