/* SPDX-License-Identifier: BSD-2-Clause */
/* The device tree that an emulated machine gives to its kernel, in its flattened form (Devicetree Specification 5). */
#ifndef CAIRN_CLI_RECORD_RUN_TREE_H
#define CAIRN_CLI_RECORD_RUN_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The tree with a trace unit for each core and their trace buffers; the caller's to free. NULL: out of memory, or it is no
 * tree that has cores with handles. */
uint8_t *cli_run_tree(const uint8_t *tree, size_t size, size_t *made);

#endif
