/* SPDX-License-Identifier: BSD-2-Clause */
/* Anything that may happen to a Trace Buffer Unit: its byte loop and its block path come to the same, whatever
 * the pieces that trace comes in. */
#include <stdlib.h>

#include "tests/pe/trbe/history.h"

#define STEPS 200u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct history_source source = {.at = data, .left = size};
    uint32_t deeds = 0;

    if (history_run(&source, STEPS, &deeds))
        abort();
    return 0;
}
