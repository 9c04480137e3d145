/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether everybody decodes the same, before anything is timed. */
#ifndef BENCH_VERIFY_H
#define BENCH_VERIFY_H

#include "load.h"

struct bench_verdict {
    uint64_t instructions;
    uint64_t peer_instructions;
    uint64_t reference_hash; /* of every instruction with its outcome, and every event */
    uint64_t engine_hash;
};

void bench_verify(const struct bench_capture *loaded, struct bench_verdict *verdict);
/* `missed`: instructions of a million that libopencsd may count too many or too few. */
bool bench_agrees(const struct bench_verdict *verdict, unsigned missed);

#endif
