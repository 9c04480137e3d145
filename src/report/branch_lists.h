/* SPDX-License-Identifier: BSD-2-Clause */
/* Branch lists, as Android's simpleperf collects them (`inject --output branch-list`): of each binary, for each address that
 * the trace told, which branches behind it were taken and which not, and how often it went so. No code is looked at
 * until a profile is made of them. Branch stacks of samples are kept beside them, as they are.
 *   branch_lists.c        the lists
 *   branch_lists_trace.c  what a trace adds; branch_lists_samples.c branch stacks
 *   branch_lists_write.c  the file
 *   branch_lists_read.c   files, also packed; branch_lists_parse.c the messages in them
 *   branch_lists_pgo.c    the profile that they make; branch_lists_code.c the code that they go through
 * The file is one message of protocol buffers (system/extras/simpleperf/branch_list.proto), or since 2024 a head and several. */
#ifndef CAIRN_REPORT_BRANCH_LISTS_H
#define CAIRN_REPORT_BRANCH_LISTS_H

#include <stdbool.h>

#include <cairn/capture.h>
#include <cairn/element.h>

#include "base/table.h"
#include "report/output.h"
#include "report/pgo.h"

/* More is left out, and counted. */
#define CAIRN_LISTED_MOST (1u << 24)                /* lists, and as many samples */
#define CAIRN_LISTED_BITS_MOST (1u << 24)           /* branches of one */
#define CAIRN_LISTED_BYTES_MOST ((uint64_t)1 << 31) /* of the branches of all */
#define CAIRN_LISTED_BINARIES_MOST 65536u
#define CAIRN_LISTED_BRANCHES_MOST (1u << 25) /* of all samples */
#define CAIRN_LISTED_STACK_MOST 4096u         /* of one */

#define CAIRN_LISTED_KERNEL_PATH "[kernel.kallsyms]"

/* The numbers are those of the file. */
enum cairn_listed_kind {
    CAIRN_LISTED_FILE = 0,
    CAIRN_LISTED_KERNEL = 1,
    CAIRN_LISTED_MODULE = 2, /* of the kernel */
};

/* Where a module was, and one of its symbols, by which its addresses are understood later. */
struct cairn_listed_module {
    uint64_t first, end;
    char *symbol; /* owned, or NULL */
    uint64_t symbol_address, symbol_size;
};

struct cairn_listed_binary {
    enum cairn_listed_kind kind;
    char *path;     /* as recorded; owned */
    char *build_id; /* lower-case hex, or NULL; owned */
    uint64_t
        kernel_start; /* of a kernel: addresses are those in memory, where it began here; 0: those of its file */
    bool has_module;
    struct cairn_listed_module module;
};

/* From `address` on (bit 0: T32 code) so many branches, of which bit 0 of the first byte is the first one. Bits behind
 * the last are 0. */
struct cairn_branch_list {
    uint32_t binary;
    uint32_t bits;
    uint64_t address;
    uint64_t count;
    size_t at; /* of the branches, among the bytes of all */
};

/* Of a sample, and of a branch in its stack, the youngest first: the binary, or CAIRN_PGO_NONE; and the address there. */
struct cairn_listed_end {
    uint32_t binary;
    uint64_t address;
};
struct cairn_listed_branch {
    struct cairn_listed_end from, to;
};
struct cairn_listed_sample {
    struct cairn_listed_end at;
    size_t first; /* of its branches among all */
    uint32_t count;
};

/* Zero it, and clear it in the end. */
struct cairn_branch_lists {
    struct cairn_listed_binary *binaries;
    size_t binary_count, binary_room;
    struct cairn_table by_binary;
    struct cairn_branch_list *lists; /* no two the same */
    size_t list_count, list_room;
    struct cairn_table by_list;
    uint8_t *bytes;
    size_t byte_count, byte_room;
    struct cairn_listed_sample *samples;
    size_t sample_count, sample_room;
    struct cairn_listed_branch *branches; /* of samples */
    size_t branch_count, branch_room;
    uint64_t
        left_out; /* lists, as often as they were so, and samples for which there was no room */
    bool is_saturated; /* some count is more than 64 bits have, and is the most they have */
};

void cairn_branch_lists_clear(struct cairn_branch_lists *lists);

/* The binary that is the same in all, added as a copy if need be. CAIRN_E_LIMIT: too many. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_branch_lists_binary(struct cairn_branch_lists *lists,
                                                        const struct cairn_listed_binary *wanted,
                                                        uint32_t *binary);
/* Adds a list, whose branches are at `bits`, to what there is; lists without branches, or that never were, are none.
 * CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_branch_lists_add(struct cairn_branch_lists *lists,
                                                     const struct cairn_branch_list *list,
                                                     const uint8_t *bits);
/* `sample->first` is of no matter. */
CAIRN_MUST_CHECK cairn_status cairn_branch_lists_add_sample(
    struct cairn_branch_lists *lists, const struct cairn_listed_sample *sample,
    const struct cairn_listed_branch *branches);
/* Adds all of another one. */
CAIRN_MUST_CHECK cairn_status cairn_branch_lists_merge(struct cairn_branch_lists *lists,
                                                       const struct cairn_branch_lists *other);
/* Leaves what is of binaries that `wants` wants. Binaries stay, and nothing more is added. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_branch_lists_keep(
    struct cairn_branch_lists *lists,
    bool (*wants)(void *context, const struct cairn_listed_binary *binary), void *context);
/* Puts lists in order: by kind, path and build-id of the binary, address, branches. Nothing is added behind that.
 * CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_branch_lists_settle(struct cairn_branch_lists *lists);

/* --- a trace: branch_lists_trace.c --- */

/* Makes lists of the resolved elements of one source whose Atoms are of branches. */
struct cairn_lister;
struct cairn_lister_options {
    struct cairn_capture *capture;
    struct cairn_config *config; /* of the source */
    /* Whose lists are wanted; NULL: all. */
    bool (*wants)(void *context, const struct cairn_place *place);
    void *context;
};
/* Why no lists can be made of a source: a sentence that goes on behind its name; NULL: they can. */
const char *cairn_lister_problem(const struct cairn_config *config);
/* What is known of binaries is added to `pgo`, which must live as long as this, and as the lists. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_lister_new(struct cairn_branch_lists *lists,
                                               struct cairn_pgo *pgo,
                                               const struct cairn_lister_options *options,
                                               struct cairn_lister **lister);
CAIRN_MUST_CHECK cairn_status cairn_lister_take(struct cairn_lister *lister,
                                                const struct cairn_element_batch *batch);
/* The source has ended. */
CAIRN_MUST_CHECK cairn_status cairn_lister_end(struct cairn_lister *lister);
/* Branches that are in no list. */
struct cairn_lister_told {
    uint64_t outside;  /* at addresses of no file that is here */
    uint64_t unplaced; /* where no address is known */
    uint64_t unsure;   /* speculative, and neither committed nor cancelled */
    uint64_t cut;      /* for which there was no room */
};
struct cairn_lister_told cairn_lister_told(const struct cairn_lister *lister);
void cairn_lister_free(struct cairn_lister *lister); /* NULL is fine */

/* --- samples: branch_lists_samples.c --- */

/* Keeps stacks of samples, whose binaries are those of a profile. Zero the rest, and clear it in the end. */
struct cairn_listed_keeper {
    struct cairn_branch_lists *lists;
    const struct cairn_pgo *pgo;
    uint32_t *numbers; /* of its binaries in the lists, and 1; 0: not looked at */
    size_t number_room;
};
/* Of a sample of which nothing is of a binary nothing is kept. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_listed_keep(struct cairn_listed_keeper *keeper,
                                                const struct cairn_pgo_stack *stack);
void cairn_listed_keeper_clear(struct cairn_listed_keeper *keeper);

/* --- files: branch_lists_write.c, branch_lists_read.c --- */

/* A message of protocol buffers has less than 2 GiB; memory bounds it sooner. */
#define CAIRN_LISTED_MESSAGE_MOST ((uint64_t)1 << 30)

/* Writes them, settled: one message, as every simpleperf reads it, or where that had more than `most` bytes several.
 * CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_branch_lists_write(const struct cairn_branch_lists *lists,
                                                       uint64_t most, struct cairn_output *output);

/* Whether a file is one of branch lists. */
bool cairn_branch_lists_is_file(const char *path);
/* Adds what a file has; nothing where it is damaged: CAIRN_E_FORMAT, CAIRN_E_LIMIT, CAIRN_E_UNSUPPORTED (of another
 * version), CAIRN_E_IO, CAIRN_E_NOT_FOUND, CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_branch_lists_open(struct cairn_branch_lists *lists,
                                                      const char *path, struct cairn_error *error);
/* The same of bytes. */
CAIRN_MUST_CHECK cairn_status cairn_branch_lists_read(struct cairn_branch_lists *lists,
                                                      const char *name, const uint8_t *bytes,
                                                      size_t size, struct cairn_error *error);

/* --- a profile: branch_lists_pgo.c --- */

struct cairn_listed_profile {
    /* set by the caller */
    const struct cairn_capture_options *options; /* where files are looked for; vmlinux */
    bool rows;                                   /* ranges go on over branches that are not taken */
    bool (*goes_on)(void *context);              /* NULL: to the end */
    void *context;
    /* what was found */
    uint64_t missing;          /* binaries of which the code is not here */
    const char *first_missing; /* the lists' */
    uint64_t modules;          /* modules of the kernel, whose files are not linked */
    uint64_t unfollowed; /* branches that the code does not have where the lists say they are */
};
/* Adds what the lists executed. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_branch_lists_profile(const struct cairn_branch_lists *lists,
                                                         struct cairn_listed_profile *told,
                                                         struct cairn_pgo *pgo);

#endif
