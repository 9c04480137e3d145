/* SPDX-License-Identifier: BSD-2-Clause */
/* The hot loop for x86-64 machines with BMI2 and the CRC instruction of SSE4.2. */
#if defined(__x86_64__)

#define HOT_TARGET __attribute__((target("bmi,bmi2,sse4.2")))
#define HOT_HASH(a, b) ((uint32_t)_mm_crc32_u64(_mm_crc32_u64(0, (a)), (b)))
#define HOT_HASH_FUNCTION hash
#define HOT_GATHER(x, mask) _pext_u64((x), (mask))
#define HOT_LOW(x, n) _bzhi_u64((x), (n))

#include <immintrin.h>
#include <stdint.h>

static HOT_TARGET uint32_t hash(uint64_t code, uint64_t word)
{
    return HOT_HASH(code, word);
}

#include "flow/hot_loop.h"

const struct cairn_hot_loops cairn_hot_x86 = {
    .hash = hash, .plain = hot_plain, .stacked = hot_stacked};

#endif
