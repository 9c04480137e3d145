/* SPDX-License-Identifier: BSD-2-Clause */
/* What the processor that this runs on can do beyond what the build takes for granted. */
#ifndef CAIRN_BASE_CPU_H
#define CAIRN_BASE_CPU_H

#include <stdbool.h>

/* Functions that may be called when cairn_cpu_has_avx2() only; they are built everywhere where that
 * can be. */
#if defined(__x86_64__)
#define CAIRN_AVX2 1
#define CAIRN_TARGET_AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))
#else
#define CAIRN_AVX2 0
#endif

/* AVX2 with what came along with it: BMI1, BMI2, LZCNT and POPCNT. */
static inline bool cairn_cpu_has_avx2(void)
{
#if CAIRN_AVX2
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
#else
    return false;
#endif
}

/* BMI2 and the CRC instruction of SSE4.2, with a PEXT that is one: before Zen 3 AMD's was a loop.
 */
static inline bool cairn_cpu_has_fast_bits(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("sse4.2") && !__builtin_cpu_is("amdfam15h") &&
           !__builtin_cpu_is("amdfam17h");
#else
    return false;
#endif
}

#endif
