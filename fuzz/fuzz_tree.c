/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as the device tree of an emulated machine: it gets trace units and is a tree of the size that was said, which can be
 * given some once more; or it is refused. */
#include <stdlib.h>
#include <string.h>

#include "cli/record/run_tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t made = 0, again = 0;
    uint8_t *const tree = cli_run_tree(data, size, &made);
    uint8_t *second;

    if (!tree)
        return 0;
    require(made > 40 && tree[4] == (uint8_t)(made >> 24) && tree[7] == (uint8_t)made);
    second = cli_run_tree(tree, made, &again);
    require(second != NULL && again > made);
    free(second);
    free(tree);
    return 0;
}
