/* SPDX-License-Identifier: BSD-2-Clause */
/* The second writer: what an ETMv2 writes of a run, from IHI0014 chapter 6 alone, and the account of what
 * it traced. Where the text leaves a choice, this is taken:
 *
 *   room         a group, or a TFO's packet, needs room beside all bytes that are not yet out completely,
 *                those that go out in the same cycle too
 *   trace on     the TFO has the last cycle in front of the first instruction that is traced
 *                where tracing is to turn on, a TFO that has no room is an overflow
 *   counter      counts the cycles in which tracing is on, and begins again at each TFO (3.5.17); a full
 *                data address is asked for at `data_phase` of it
 *   LSM          tracing that turns on among the transfers of an LSM takes it up (6.5.5), with its status
 *                in the cycle behind the TFO where no other instruction is in that
 *   overflow     the cycle that does not fit shows WT; a miss that is answered while the FIFO drains is
 *                never answered; debug state entered meanwhile gives reason 3
 *   registers    are not traced where values are not */
#ifndef CAIRN_TESTS_ETMV2_TRACE_H
#define CAIRN_TESTS_ETMV2_TRACE_H

#include "port.h"
#include "run.h"

/* What was traced, in order. */
enum sw_said_kind {
    SW_SAID_ON,          /* value: the reason; context, if it is traced */
    SW_SAID_INSTRUCTION, /* number */
    SW_SAID_CANCELLED,   /* number; value: the vector output */
    SW_SAID_BRANCH,      /* number; value: the address output */
    SW_SAID_TRANSFER,    /* number of the item; value: whether it is the first of its instruction */
    SW_SAID_MISS,        /* likewise */
    SW_SAID_RETURN,      /* of the item that missed */
    SW_SAID_NOT_TRACED,  /* of the item */
    SW_SAID_CONTEXT,     /* value */
    SW_SAID_TRIGGER,
    SW_SAID_LOST, /* overflow: from here on */
    SW_SAID_OFF,
    SW_SAID_PERIODIC, /* the TFO of the instruction before */
};

struct sw_said {
    enum sw_said_kind kind;
    uint32_t number;
    uint32_t value;
    uint32_t sample; /* the port's cycle */
    uint32_t cycles; /* of those that are counted, how many before it */
};

enum {
    SW_MOST_SAID = 1 << 17,
    SW_SAMPLES_BYTES = SW_MOST_CYCLES * 4,
};

struct sw_trace {
    struct sw_port port;
    uint8_t samples[SW_SAMPLES_BYTES];
    struct sw_said said[SW_MOST_SAID];
    uint32_t said_count;
};

/* The samples and the account of a run. noise: on pins that mean nothing, 0 for none. */
void sw_trace_run(struct sw_trace *trace, const struct sw_run *run, uint64_t noise);
/* Moves the run's trigger to one of the TFOs of its trace, or up to three cycles behind it, where the rest
 * of the value and the gap nibble are; the run is to be traced once more. False if there is none. */
bool sw_trigger_at_tfo(struct sw_run *run, const struct sw_trace *trace,
                       struct peer_random *random);

#endif
