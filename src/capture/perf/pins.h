/* SPDX-License-Identifier: BSD-2-Clause */
/* What the trace itself tells of when it was executed: timestamps, where these are of the counter that the kernel makes
 * times of, and the entry of a program that was started (exec), of which the file tells when. */
#ifndef CAIRN_CAPTURE_PERF_PINS_H
#define CAIRN_CAPTURE_PERF_PINS_H

#include "capture/perf/trace.h"

/* A process has started another program. */
struct cairn_perf_exec {
    uint32_t process;
    uint64_t time;
    uint64_t entry; /* the first address that is executed of it; 0: not known */
};

struct cairn_perf_pinning {
    const struct cairn_capture *capture;
    const struct cairn_perf_trace *trace;
    const struct cairn_perf_exec *execs; /* by process and time */
    size_t exec_count;
    bool is_one_process; /* there is no other that trace could be of */
    uint64_t taken;      /* bytes that were read for it */
};

/* Reads what the trace of a part tells, unless that was done, or too much was read. It is counted. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_perf_pin_part(struct cairn_perf_pinning *pinning,
                                                  struct cairn_perf_place *place, size_t part);

#endif
