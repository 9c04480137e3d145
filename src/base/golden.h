/* SPDX-License-Identifier: BSD-2-Clause */
/* 2^64 divided by the golden ratio: the product of a key with it is spread well in its highest bits, also of keys that
 * follow each other (Knuth, The Art of Computer Programming 3, 6.4, "Fibonacci hashing"). */
#ifndef CAIRN_BASE_GOLDEN_H
#define CAIRN_BASE_GOLDEN_H

#include <stdint.h>

#define CAIRN_GOLDEN UINT64_C(0x9e3779b97f4a7c15)

#endif
