/* SPDX-License-Identifier: BSD-2-Clause */
/* Branch stacks for the command `branches`: what a dump or a sample says, and how it is told.
 *   branch_dump.c     registers as text -> records
 *   branch_samples.c  perf.data -> samples
 *   branch_flows.c    the sources of a capture, or the processors of a log (branch_log.c)
 *   branch_model.c    the flow of one -> records
 *   branch_check.c    a dump beside the flow
 *   branch_flow.c     the command where there is a capture
 *   branches_text.c, branches_json.c, branches_perf.c   how they are told */
#ifndef CAIRN_CLI_BRANCHES_BRANCHES_H
#define CAIRN_CLI_BRANCHES_BRANCHES_H

#include <cairn/brbe.h>
#include <cairn/image.h>

#include "capture/perf/perf.h"
#include "cli/branches/branch_check.h"
#include "cli/branches/branch_dump.h"
#include "report/naming.h"
#include "report/perf_data.h"

/* A stack as it is told. */
struct cli_branch_stack {
    const struct cli_branch_dump *dump;
    const char *path;
    struct cairn_branch branches[CLI_BRANCHES_MOST]; /* the youngest first */
    uint32_t findings[CLI_BRANCHES_MOST];            /* CAIRN_BRANCH_BAD_..., of each */
    size_t count;
    size_t hole;            /* the first valid record behind an invalid one; 0: none */
    uint32_t hole_findings; /* of the records from the first invalid one on */
    bool failed_last;       /* BRBFCR_EL1.LASTFAILED: a transaction, behind the youngest record */
    bool has_predictions;   /* as far as the dump says: BRBCR_ELx.MPRED */
    bool has_cycles;        /* and CC */
    const struct cli_branch_check *check; /* beside a flow; NULL: it is not */
    const char *beside;                   /* the name of its source; NULL: there is none */
    bool of_flow;                         /* run through a model */
    uint64_t behind; /* of a flow's: the buffer had these behind so many records; 0: at its end */
};

/* A sample of a perf.data file as it is told. */
struct cli_branch_sample {
    const struct cairn_perf *perf;
    struct cairn_perf_fields fields;
    const char *path;
    const char *name; /* of the thread; NULL: not known */
    uint8_t level;    /* enum cairn_perf_level */
};

/* What became of a perf.data file's samples. */
struct cli_branch_file {
    const char *path;
    uint64_t samples;       /* told */
    uint64_t without;       /* whose event has no branch stack, or with none in it */
    uint64_t unknown_event; /* not told: of no event of the file */
    uint64_t unreadable;    /* not told: shorter than what they should hold */
    uint64_t compressed;    /* records that could not be unpacked */
    uint64_t lost;          /* by the kernel, as it says itself */
    enum cairn_perf_end ended;
    uint64_t ended_at;
    uint64_t unread; /* bytes behind it */
    bool killed;
};

struct cli_branch_totals {
    size_t stacks, branches, half_sources, half_targets, mispredicted, possibly_rolled_back,
        findings;
    size_t differing, not_in_flow, fit_nowhere; /* --check */
};

/* What it is told with. */
struct cli_branch_list {
    struct cli_session *session;
    struct cairn_image *image; /* NULL: none was given */
    struct cairn_space *space;
    struct cairn_naming *naming;
    struct cairn_perf_data data; /* of --format perf: what was told */
    struct cli_branch_totals totals;
    uint64_t unread; /* lines of a log that are not understood */
};

/* What the registers of a dump say. */
void cli_branch_read_stack(const struct cli_branch_dump *dump, const char *path,
                           struct cli_branch_stack *stack);
/* Counts a stack, and tells it as --format says. */
void cli_branch_tell(struct cli_branch_list *list, const struct cli_branch_stack *stack,
                     size_t number);

/* --- with a capture: branch_flow.c. False after a message --- */

/* Checks stacks beside the flow of the session's capture, and tells them. */
bool cli_branches_check(struct cli_branch_list *list, struct cli_branch_stack *stacks,
                        size_t count);
/* What a buffer that is programmed as --brbe says would have of each source. */
bool cli_branches_flow(struct cli_branch_list *list);

/* Number n of `count` in the order of telling, by --oldest-first or not. */
size_t cli_branch_at(const struct cli_branch_list *list, size_t count, size_t i);

/* The function at an address, and how far behind its start that is; NULL: none is known. */
const char *cli_branch_function(const struct cli_branch_list *list, uint64_t address,
                                uint64_t *offset);

/* A name out of a file, for people: what is no printable ASCII or UTF-8 is left out. */
void cli_branch_clean(const char *text, char *copy, size_t capacity);

/* --- perf.data --- */

bool cli_branches_is_perf(const char *path);
/* Tells the samples of a file, the stacks of which are numbered from *number on. False after a message. */
bool cli_branches_perf_file(struct cli_branch_list *list, const char *path, size_t *number);

/* An entry's type as perf calls it: "COND", "FAULT_DATA"; "-": unknown. */
const char *cli_branch_entry_type(const struct cairn_branch_entry *entry);
/* "user", "kernel", "hypervisor"; NULL: unknown. */
const char *cli_branch_entry_level(const struct cairn_branch_entry *entry);
/* How it was speculated, in words; NULL: not known. */
const char *cli_branch_entry_speculation(const struct cairn_branch_entry *entry);

/* --- how they are told; `number` counts stacks from 0 on --- */

void cli_branches_text(struct cli_branch_list *list, const struct cli_branch_stack *stack);
void cli_branches_text_sample(struct cli_branch_list *list, const struct cli_branch_sample *sample);
void cli_branches_text_file(struct cli_branch_list *list, const struct cli_branch_file *file);
void cli_branches_text_end(struct cli_branch_list *list);

void cli_branches_json(struct cli_branch_list *list, const struct cli_branch_stack *stack,
                       size_t number);
void cli_branches_json_sample(struct cli_branch_list *list, const struct cli_branch_sample *sample,
                              size_t number);
void cli_branches_json_file(struct cli_branch_list *list, const struct cli_branch_file *file);
void cli_branches_json_end(struct cli_branch_list *list);

/* --format perf and perfscript */
void cli_branches_perf(struct cli_branch_list *list, const struct cli_branch_stack *stack,
                       size_t number);
void cli_branches_perf_name(struct cli_branch_list *list, uint32_t thread, const char *name);
void cli_branches_perf_map(struct cli_branch_list *list, const struct cairn_perf_map *map);
void cli_branches_perf_sample(struct cli_branch_list *list, const struct cairn_perf_sample *sample);

#endif
