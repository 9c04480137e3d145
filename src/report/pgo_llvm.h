/* SPDX-License-Identifier: BSD-2-Clause */
/* LLVM's sample profile while it is made: pgo_llvm.c counts, pgo_llvm_text.c puts in order and writes. */
#ifndef CAIRN_REPORT_PGO_LLVM_H
#define CAIRN_REPORT_PGO_LLVM_H

#include "base/table.h"
#include "report/pgo.h"

struct llvm_place {
    uint32_t line, discriminator;
};

/* A function, or one that was inlined at a place of its parent. */
struct llvm_node {
    uint32_t parent; /* NONE: a function */
    struct llvm_place place;
    const char *name; /* of `length` letters; of the debug information */
    size_t length;
    uint64_t total, head;
    uint32_t number;
    /* when all is in order: of the lines, and of the children */
    size_t first, lines;
    size_t first_child, children;
};

struct llvm_line {
    uint32_t node;
    struct llvm_place place;
    uint64_t count;
    uint64_t called; /* from there */
    size_t first_call, calls;
};

struct llvm_call {
    uint32_t line; /* as the lines were made */
    uint64_t count;
    const char *name;
    size_t length;
};

struct llvm_event; /* pgo_llvm.c */

struct llvm_profile {
    const struct cairn_pgo *pgo;
    struct cairn_pgo_binary *binary;
    uint32_t number;
    uint32_t step; /* bytes from one instruction to the next */
    struct llvm_node *nodes;
    size_t node_count, node_room;
    struct llvm_line *lines;
    size_t line_count, line_room;
    struct llvm_call *calls;
    size_t call_count, call_room;
    struct cairn_table by_node, by_line, by_call;
    struct llvm_event *events;
    size_t event_count, event_room;
    struct llvm_node
        *children; /* copies of the nodes, those of one parent in a row, functions last */
    size_t first_function;
    uint64_t named, unnamed;
    struct cairn_output *output;
};

static inline uint64_t llvm_plus(uint64_t one, uint64_t other)
{
    return one > UINT64_MAX - other ? UINT64_MAX : one + other;
}

/* Writes what was counted. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_pgo_llvm_write(struct llvm_profile *profile);

#endif
