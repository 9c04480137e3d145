/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of PTM with cycle counts on x86-64 machines with BMI2. */
#if defined(__x86_64__)

#include <immintrin.h>

#define COUNTED_TARGET __attribute__((target("bmi,bmi2")))
#define COUNTED_BITS(bytes) _pext_u64(bytes, UINT64_C(0x0202020202020202))
#define COUNTED_PAYLOAD(bytes) ((uint32_t)_pext_u64(bytes, UINT64_C(0x7f7f7f7e)))
#define COUNTED_LOW(value, bits) _bzhi_u64(value, bits)

#include "protocol/ptm/words_counted.h"

COUNTED_TARGET void cairn_ptm_run_counted_x86(struct cairn_ptm_word_run *run, bool branched)
{
    counted_run(run, branched);
}

#endif
