/* SPDX-License-Identifier: BSD-2-Clause */
/* Traces, damaged: what a decoder has to survive, and two of them to survive alike. */
#ifndef CAIRN_TESTS_ENGINE_MUTATE_H
#define CAIRN_TESTS_ENGINE_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* Room that a damaged trace may need beyond the sound one. */
#define MUTATE_MORE 512

/* Changes bytes[0 .. size) at a few places drawn from `seed`: flips bits, overwrites, deletes,
 * doubles and moves stretches, puts packets, alignment synchronisations, atoms and zeros between,
 * cuts the end off. Room for MUTATE_MORE more bytes is needed. Returns the new size. */
size_t mutate(uint8_t *bytes, size_t size, uint64_t seed);

#endif
