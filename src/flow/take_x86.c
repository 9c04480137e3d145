/* SPDX-License-Identifier: BSD-2-Clause */
/* Taking words on x86-64 machines with BMI2 and the CRC instruction of SSE4.2. */
#if defined(__x86_64__)

#define HOT_TARGET __attribute__((target("bmi,bmi2,sse4.2")))
/* The code address last: where that comes from the word before, only half of it has to wait. */
#define HOT_HASH(a, b) ((uint32_t)_mm_crc32_u64(_mm_crc32_u64(0, (b)), (a)))
#define HOT_HASH_FUNCTION take_hash

#include <immintrin.h>
#include <stdint.h>

static HOT_TARGET uint32_t take_hash(uint64_t code, uint64_t word)
{
    return HOT_HASH(code, word);
}

#include "flow/take_loop.h"

const struct cairn_take_loops cairn_take_x86 = {
    .hash = take_hash, .plain = take_plain, .stacked = take_stacked};

#endif
