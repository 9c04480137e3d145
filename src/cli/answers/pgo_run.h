/* SPDX-License-Identifier: BSD-2-Clause */
/* What `cairn pgo` does, step by step: counts are taken from a trace or from samples, binaries chosen, a profile
 * written (cmd_pgo.c). Everything that goes wrong is told. */
#ifndef CAIRN_CLI_ANSWERS_PGO_RUN_H
#define CAIRN_CLI_ANSWERS_PGO_RUN_H

#include "cli/session/session.h"
#include "report/branch_lists.h"

struct pgo_run {
    struct cli_session *session;
    struct cairn_pgo pgo;
    struct cairn_branch_lists *lists; /* that are made, or read; NULL: none are */
    struct cairn_lister_told listed;  /* of all sources */
    bool has_return_stack;            /* some of these */
    size_t decoded;                   /* sources, or files of branch lists */
    uint64_t lost_bytes;              /* of trace that gave no flow */
    bool gaps;
};

/* llvm and bolt: of one binary, and the same of either kind of recording. */
bool cli_pgo_is_by_name(enum cli_pgo_format format);

/* A binary by the end of its path, or the beginning of its build-id (which may be NULL). */
bool cli_pgo_is_called(const char *path, const char *build_id, const char *name);

/* Into the profile, or into run->lists. CLI_CLEAN where there is something to write, else CLI_UNUSABLE. */
enum cli_exit cli_pgo_take_trace(struct pgo_run *run);
enum cli_exit cli_pgo_take_samples(struct pgo_run *run, const char *path);

/* Which binaries are written: as the user says, or one if the format has room for no more. */
enum cli_exit cli_pgo_choose(struct pgo_run *run);

#endif
