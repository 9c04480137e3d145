/* SPDX-License-Identifier: BSD-2-Clause */
/* A profile: how often what was executed, in which functions, called by whom. Sources are added one
 * after the other; then it is looked at. */
#ifndef CAIRN_REPORT_PROFILE_H
#define CAIRN_REPORT_PROFILE_H

#include <cairn/calls.h>

#include "calls/counted.h"
#include "calls/functions.h"
#include "calls/stack.h"
#include "calls/totals.h"
#include "report/homes.h"

/* Calls of a function from one place inside of one chain of calls. 0 is none. */
struct cairn_profile_node {
    uint32_t parent;
    uint32_t function;
    uint32_t kind;      /* of the first of the calls: enum cairn_call_kind */
    uint32_t exception; /* 1 + type; 0: it handles none */
    uint32_t source;    /* of the profile: its architecture names the exception */
    uint32_t child,
        next;      /* the first inside of it; the next of its parent's: cairn_profile_finish */
    uint32_t last; /* inside of it, that was begun the last time */
    uint64_t site;
    uint64_t calls;
    uint64_t instructions, cycles; /* its own */
};
/* A node is one line of the cache: most of what following calls takes is waiting for these. */
_Static_assert(sizeof(struct cairn_profile_node) == 64, "struct cairn_profile_node");

/* What a node and those inside of it have. */
struct cairn_profile_sum {
    uint64_t instructions, cycles;
};

/* More chains are counted with the last call of them that there is room for: of a source, so that shards which have whole
 * sources add up to what the whole has, and of all, so that memory is bounded. */
#define CAIRN_PROFILE_NODES_MAX (1u << 21)
#define CAIRN_PROFILE_ALL_NODES_MAX (1u << 22)

/* A thread of a source: the root of its calls. */
struct cairn_profile_thread {
    uint32_t source;
    uint32_t vmid, context_id;
    uint32_t
        life; /* of several that had these numbers one after the other, where they are asked for */
    uint32_t root;                 /* node */
    uint32_t node;                 /* where it is */
    uint64_t above;                /* calls that no node stands for */
    uint64_t instructions, cycles; /* as far as they are counted */
};

/* An instruction that was executed. */
struct cairn_profile_insn {
    uint64_t address;
    const char *object;
    uint64_t memory; /* tells what is there apart where no file and no symbol does, and else 0 */
    uint64_t executed, taken, cycles;
    uint32_t block; /* in `counted`: one that has it */
    uint32_t function;
    uint16_t flags; /* CAIRN_BLOCK_... where it ends a block */
    uint8_t isa, size;
};

/* A function, all its calls together. */
struct cairn_profile_function {
    uint64_t self, self_cycles; /* executed in it, instruction for instruction */
    uint64_t total,
        total_cycles; /* with all that it called; what is inside of another call of it once */
    uint64_t calls;
};

struct cairn_profile_source {
    const char *name;
    struct cairn_config *config; /* a reference */
    uint32_t index;              /* in the capture */
    uint64_t instructions, cycles;
};

struct cairn_profiled {
    struct cairn_image *image;
    struct cairn_space *space;
    struct cairn_functions functions;
    struct cairn_block_counts counted;
    bool has_calls; /* stacks are kept */
    bool
        only_totals; /* ... of functions: nobody asks who called whom, and there are no nodes of calls */
    bool
        has_insns; /* `insns` is wanted: else functions are added up by blocks, and no list is made */
    bool
        is_ordered; /* functions, threads and calls get numbers that do not tell what came first, and code of a
                        file that is at several addresses is added up */
    const struct cairn_capture
        *capture; /* tells apart who had a number one after the other; or NULL */
    const struct cairn_calls_sink *also; /* with stacks: is told of each call too; or NULL */
    bool has_cycles;
    bool is_full; /* there are more chains of calls than nodes */
    struct cairn_profile_source *sources;
    size_t source_count;
    struct cairn_profile_node *nodes;
    uint32_t node_count, node_capacity;
    uint32_t first_node; /* of the source that is followed */
    uint32_t *slots;     /* a node, and above it some bits of its hash; 0 is empty */
    unsigned bits;
    struct cairn_call_totals added; /* of functions, for `only_totals` */
    struct cairn_profile_thread *threads;
    size_t thread_count, thread_capacity;
    size_t first_thread; /* of the source that is being added */
    /* Made by cairn_profile_finish: */
    struct cairn_homes homes;
    struct cairn_profile_insn *insns; /* ascending addresses */
    size_t insn_count;
    struct cairn_profile_sum *sums;        /* of each node */
    struct cairn_profile_function *totals; /* of each function */
    size_t total_count;
    uint64_t instructions, cycles;
    /* Of the source that is being added: */
    struct cairn_calls *calls;
    struct cairn_call_effects *effects; /* what is counted is noted there too; or NULL */
};

/* Zero it first. */
CAIRN_MUST_CHECK cairn_status cairn_profile_begin(struct cairn_profiled *profile,
                                                  struct cairn_image *image);
void cairn_profile_free(struct cairn_profiled *profile);

/* Adds the consumers of a source to its pipeline, and what was decoded when that has ended. With
 * `has_calls` stacks are kept. The name must live as long as the profile. */
CAIRN_MUST_CHECK cairn_status cairn_profile_add(struct cairn_profiled *profile, const char *name,
                                                struct cairn_pipeline *pipeline);
CAIRN_MUST_CHECK cairn_status cairn_profile_added(struct cairn_profiled *profile);

/* Adds everything up. */
CAIRN_MUST_CHECK cairn_status cairn_profile_finish(struct cairn_profiled *profile);

/* profile_order.c: what there is in an order of its own, in a profile that asks for it. Nothing can be added any more. */
CAIRN_MUST_CHECK cairn_status cairn_profile_order(struct cairn_profiled *profile);

/* profile_merge.c, for these: blocks before anything is added up by them; then functions. Of each that is the same as
 * another one same[] has the number of this, which has what both had, and else its own. */
CAIRN_MUST_CHECK cairn_status cairn_profile_merge_blocks(struct cairn_profiled *profile);
CAIRN_MUST_CHECK cairn_status cairn_profile_merge_functions(struct cairn_profiled *profile,
                                                            uint32_t *same);

/* Where a function's or an instruction's source is. False: it is not known. */
bool cairn_profile_line(const struct cairn_profiled *profile, const struct cairn_place *place,
                        uint64_t address, const char **file, uint32_t *line);
/* The same of a function that begins there: where it is declared. */
bool cairn_profile_declaration(const struct cairn_profiled *profile,
                               const struct cairn_place *place, uint64_t address, const char **file,
                               uint32_t *line);

#endif
