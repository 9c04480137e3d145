/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine beside the reference path on any input: the same records, the same ledger, the same
 * counts, however it is fed and whatever its tables hold. Byte 5 of the header says in which two
 * ways, byte 6 how the bytes are cut. */
#include "fuzz/setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/engine/compare.h"
#include "tests/engine/mutate.h"

enum {
    HEADER = 8, /* what fuzz_setup_begin takes off */
    WAYS = 5,
    CUTS = 6,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *header = data;
    struct fuzz_setup setup;
    uint32_t ways;

    if (!fuzz_setup_begin(&setup, &data, &size))
        return 0;
    ways = UINT32_C(1) << (header[WAYS] & 0xf) | UINT32_C(1) << (header[WAYS] >> 4);
    const struct engine_case input = {
        .config = setup.config, .image = setup.image, .data = data, .size = size};

    if (!engine_compare_ways(&input, ways, header[CUTS], stderr))
        abort();
    fuzz_setup_end(&setup);
    return 0;
}

#ifdef CAIRN_LIBFUZZER
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

/* Bytes alone rarely become packets that belong together: two of three changes are whole packets.
 */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    uint8_t *room;
    size_t changed;

    if (seed % 3 == 0 || size <= HEADER)
        return LLVMFuzzerMutate(data, size, most);
    room = malloc(size + MUTATE_MORE);
    if (!room)
        abort();
    memcpy(room, data, size);
    changed = HEADER + mutate(room + HEADER, size - HEADER, seed);
    if (changed > most)
        changed = most;
    memcpy(data, room, changed);
    free(room);
    if (seed % 16 == 1) /* the configuration, the program, the ways */
        data[seed / 16 % HEADER] = (uint8_t)(seed >> 16);
    return changed;
}
#endif
