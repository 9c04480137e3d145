/* SPDX-License-Identifier: BSD-2-Clause */
/* Profiles for compilers and linkers: how often each range of a binary was executed and each of its branches taken,
 * by addresses in the file, of whatever processes and addresses it was loaded at.
 *   pgo.c           the profile
 *   pgo_flow.c      what a trace adds (pipeline/counted.h); pgo_places.c of which binaries
 *   pgo_samples.c   what branch stacks in a perf.data file add (LBR, BRBE)
 *   pgo_maps.c      what those need of what was mapped
 *   pgo_autofdo.c   AutoFDO's text, and BOLT's of counts (pre-aggregated)
 *   pgo_fdata.c     BOLT's by names
 *   pgo_symbols.c   names as BOLT has them
 *   pgo_json.c      how much there is of what, for programs
 *   pgo_llvm.c      LLVM's sample profile, by source lines; pgo_llvm_text.c writes it */
#ifndef CAIRN_REPORT_PGO_H
#define CAIRN_REPORT_PGO_H

#include <stdbool.h>

#include <cairn/capture.h>

#include "image/file.h"
#include "pipeline/counted.h"
#include "report/output.h"

#define CAIRN_PGO_NONE UINT32_MAX /* binary: none that is known */
#define CAIRN_PGO_BINARIES_MOST 8192u

struct cairn_pgo_binary {
    char *path;              /* as recorded; owned */
    char *build_id;          /* lower-case hex, or NULL; owned */
    struct cairn_file *file; /* with symbols and debug information; NULL: it is not here */
    struct cairn_file *code; /* the same, or another one of the build; NULL: its code is not here */
    char *file_path;         /* owned, or NULL */
    bool owns_file, owns_code;
    bool is_looked_for;
    bool has_addresses; /* what is counted of it is by them, though it may not be here */
    bool is_recorded;   /* the program that the recording is of */
    bool chosen;        /* it is written */
    uint64_t base;      /* address of its first segment that is loaded; of one that is not here 0 */
    uint64_t executed;  /* instructions of traces, or bytes of ranges between samples' branches */
};

/* Addresses are those of the binary; of one that is not here offsets in its file. */
struct cairn_pgo_range {
    uint32_t binary;
    uint64_t first, last; /* first and last instruction */
    uint64_t count;
};
struct cairn_pgo_address {
    uint32_t binary;
    uint64_t address;
    uint64_t count;
};
struct cairn_pgo_branch {
    uint32_t from_binary, to_binary; /* NONE: outside of all that is known */
    uint64_t from, to;
    uint64_t count, mispredicted;
    bool is_indirect; /* known to be */
    bool has_target;  /* false: where to is not known */
};

/* Zero it, and clear it in the end. */
struct cairn_pgo {
    struct cairn_folders folders;      /* of debug files; the caller's */
    struct cairn_pgo_binary *binaries; /* by path and build-id, when settled */
    size_t binary_count, binary_room;
    struct cairn_pgo_range *ranges; /* by binary, first, last; no two the same: when settled */
    size_t range_count, range_room;
    struct cairn_pgo_address *addresses; /* of samples */
    size_t address_count, address_room;
    struct cairn_pgo_branch *branches; /* by binary and address of `from` */
    size_t branch_count, branch_room;
    bool is_sampled;   /* some of it, if not every branch */
    uint64_t outside;  /* instructions of no file: counted, and nowhere in the profile */
    uint64_t left_out; /* executions of ranges for which there was no room */
};

void cairn_pgo_clear(struct cairn_pgo *pgo);

/* The binary of that name and build-id (or NULL), added if need be. CAIRN_E_LIMIT: too many. */
CAIRN_MUST_CHECK cairn_status cairn_pgo_binary(struct cairn_pgo *pgo, const char *path,
                                               const char *build_id, uint32_t *binary);
/* The file of a binary, at a path that it need not have been at. False: it cannot be read. */
bool cairn_pgo_open(struct cairn_pgo *pgo, struct cairn_pgo_binary *binary, const char *path);
/* Takes the code of a binary with a file from that, or else from the one at `path` (NULL: from none), which has its
 * build-id, or is known to be of the build. */
void cairn_pgo_find_code(struct cairn_pgo_binary *binary, const char *path, bool is_known);
/* CAIRN_E_MEMORY. What is in the profile already is counted together now and then. */
CAIRN_MUST_CHECK cairn_status cairn_pgo_add_range(struct cairn_pgo *pgo,
                                                  const struct cairn_pgo_range *range);
CAIRN_MUST_CHECK cairn_status cairn_pgo_add_address(struct cairn_pgo *pgo,
                                                    const struct cairn_pgo_address *address);
CAIRN_MUST_CHECK cairn_status cairn_pgo_add_branch(struct cairn_pgo *pgo,
                                                   const struct cairn_pgo_branch *branch);
/* A sample: where it was taken, and the branches taken last, the youngest first. Binaries may be NONE. */
struct cairn_pgo_end {
    uint32_t binary;
    uint64_t address; /* in it */
};
struct cairn_pgo_taken {
    struct cairn_pgo_end from, to;
    bool mispredicted;
};
struct cairn_pgo_stack {
    struct cairn_pgo_end at;
    const struct cairn_pgo_taken *taken;
    size_t count;
};
/* Adds what it says: the address, the branches, and what was executed in a row between two of them. */
CAIRN_MUST_CHECK cairn_status cairn_pgo_add_stack(struct cairn_pgo *pgo,
                                                  const struct cairn_pgo_stack *stack);
/* Sorts it, and counts together what is the same. Binaries get other numbers. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_pgo_settle(struct cairn_pgo *pgo);
/* What there is of a binary, when settled: the index of the first, and how many. */
size_t cairn_pgo_ranges_of(const struct cairn_pgo *pgo, uint32_t binary, size_t *count);
size_t cairn_pgo_addresses_of(const struct cairn_pgo *pgo, uint32_t binary, size_t *count);
size_t cairn_pgo_branches_of(const struct cairn_pgo *pgo, uint32_t binary, size_t *count);

/* pgo_flow.c: all that was counted of a source of the capture; rows instead of ranges, if there are any. */
CAIRN_MUST_CHECK cairn_status cairn_pgo_add_counted(struct cairn_pgo *pgo,
                                                    struct cairn_capture *capture,
                                                    const struct cairn_counted *counted);

/* Whose a sample is; what its event does not have is 0. */
struct cairn_pgo_sample {
    uint32_t process, thread, cpu;
    uint64_t time;
    const char *name; /* of the thread then, or NULL */
    bool has_thread, has_cpu, has_time;
};

/* pgo_samples.c: all branch stacks of a perf.data file. */
struct cairn_pgo_samples {
    /* set by the caller: whose samples count (NULL: all), and whether to go on (NULL: to the end) */
    bool (*wants)(void *context, const struct cairn_pgo_sample *sample);
    bool (*goes_on)(void *context);
    /* takes each stack that counts, instead of the profile; or NULL */
    cairn_status (*keep)(void *context, const struct cairn_pgo_stack *stack);
    void *context;
    /* what was found */
    uint64_t samples;    /* with branch stacks */
    uint64_t unwanted;   /* that do not count */
    uint64_t unreadable; /* cut off, or of no event of the file */
    uint64_t unmapped;   /* addresses of branches and samples that no file was mapped at */
    bool is_full;        /* more was mapped than there is room for: that is unmapped as well */
    uint64_t packed;     /* compressed records that cannot be unpacked */
    bool is_cut;         /* the file is, or it is damaged, at */
    uint64_t cut_at;
};
/* Whether the file is a perf.data file with samples and without trace. Reads up to the first of either. */
bool cairn_pgo_has_samples(const char *path);
/* The same of bytes. */
struct cairn_perf_input; /* capture/perf/perf.h */
CAIRN_MUST_CHECK cairn_status cairn_pgo_add_input(struct cairn_pgo *pgo,
                                                  const struct cairn_perf_input *input,
                                                  const struct cairn_capture_options *options,
                                                  struct cairn_pgo_samples *told,
                                                  struct cairn_error *error);
CAIRN_MUST_CHECK cairn_status cairn_pgo_add_samples(struct cairn_pgo *pgo, const char *path,
                                                    const struct cairn_capture_options *options,
                                                    struct cairn_pgo_samples *told,
                                                    struct cairn_error *error);

/* pgo_maps.c: which file was mapped where in which process, as records tell it in the order of the file. */
struct cairn_pgo_maps;
struct cairn_perf; /* capture/perf/perf.h */
struct cairn_perf_record;
CAIRN_MUST_CHECK cairn_status cairn_pgo_maps_new(struct cairn_pgo *pgo,
                                                 const struct cairn_capture_options *options,
                                                 struct cairn_pgo_maps **maps);
void cairn_pgo_maps_free(struct cairn_pgo_maps *maps); /* NULL is fine */
/* What a record says of mappings; others are passed over. */
CAIRN_MUST_CHECK cairn_status cairn_pgo_maps_take(struct cairn_pgo_maps *maps,
                                                  struct cairn_perf *perf,
                                                  const struct cairn_perf_record *record);
/* What a thread is called, up to what was taken; NULL: not known. Valid until more is taken. */
const char *cairn_pgo_maps_name(const struct cairn_pgo_maps *maps, uint32_t thread);
/* Whether more was mapped, or forked, than there is room for, or than is looked at. */
bool cairn_pgo_maps_is_full(const struct cairn_pgo_maps *maps);
/* The binary at an address of a process, and the address in that. CAIRN_E_NOT_FOUND: nothing was mapped
 * there. */
CAIRN_MUST_CHECK cairn_status cairn_pgo_maps_find(struct cairn_pgo_maps *maps, uint32_t process,
                                                  uint64_t address, uint32_t *binary,
                                                  uint64_t *in_file);

enum cairn_pgo_comments {
    CAIRN_PGO_BEHIND, /* two lines behind each binary: its build-id and its path */
    CAIRN_PGO_BEFORE, /* a line before it */
    CAIRN_PGO_NO_COMMENTS,
};
/* pgo_autofdo.c: with indirect branches' targets, or 0 for each as simpleperf has it. */
void cairn_pgo_autofdo(const struct cairn_pgo *pgo, enum cairn_pgo_comments comments,
                       bool with_indirect, struct cairn_output *output);
void cairn_pgo_preaggregated(const struct cairn_pgo *pgo, enum cairn_pgo_comments comments,
                             bool with_indirect, struct cairn_output *output);

/* pgo_json.c: a source of a trace, the samples, or the branch lists; then what there is of each binary, and of the functions of those
 * that are chosen. CAIRN_E_MEMORY. */
void cairn_pgo_json_source(struct cairn_output *output, const char *name, uint64_t bytes,
                           uint64_t lost_bytes);
void cairn_pgo_json_samples(struct cairn_output *output, const struct cairn_pgo_samples *told);
void cairn_pgo_json_lists(struct cairn_output *output, uint64_t files, uint64_t lists,
                          uint64_t samples, uint64_t missing, uint64_t unfollowed);
CAIRN_MUST_CHECK cairn_status cairn_pgo_json(const struct cairn_pgo *pgo, uint64_t lost_bytes,
                                             struct cairn_output *output);

/* pgo_fdata.c: how many lines there are goes to *lines. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_pgo_fdata(const struct cairn_pgo *pgo,
                                              struct cairn_output *output, uint64_t *lines);

/* pgo_llvm.c: instructions without debug information go to *unnamed. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_pgo_llvm(const struct cairn_pgo *pgo,
                                             struct cairn_output *output, uint64_t *named,
                                             uint64_t *unnamed);

#endif
