/* SPDX-License-Identifier: BSD-2-Clause */
/* How a comparison is shown. */
#ifndef CAIRN_REPORT_DIFF_VIEW_H
#define CAIRN_REPORT_DIFF_VIEW_H

#include <cairn/code.h>

#include "report/diff.h"

enum cairn_diff_by {
    CAIRN_DIFF_BY_FUNCTION = 0,
    CAIRN_DIFF_BY_LINE = 1,
    CAIRN_DIFF_BY_BLOCK = 2,
    CAIRN_DIFF_BY_COVERAGE =
        3, /* source lines; where these are not known, consecutive instructions */
};

struct cairn_diff_view {
    struct cairn_diff *diff;
    struct cairn_output *output;
    struct cairn_naming *naming;
    struct cairn_disasm *disasm;
    enum cairn_diff_by by;
    size_t top;      /* rows; 0: all */
    size_t partings; /* of each pair */
    bool coverage;   /* what was executed in one of them only, in place of the table */
};

/* A line of a table: a function, a source line or a block. */
struct cairn_diff_row {
    const char *function; /* NULL: no symbol */
    const char *object;   /* NULL: memory */
    const char *file;     /* or NULL */
    uint32_t line;
    uint32_t key;     /* its object, or of two builds the one that was seen first */
    uint64_t address; /* in the file, where it is of one build */
    uint64_t end;     /* by coverage: behind the last one of consecutive instructions; else 0 */
    uint64_t instructions[CAIRN_DIFF_SIDES];
    uint64_t unknown[CAIRN_DIFF_SIDES]; /* of them: opposite to gaps of the other one */
    uint64_t cycles[CAIRN_DIFF_SIDES];
    uint64_t
        calls[CAIRN_DIFF_SIDES]; /* of a function: how often its first instruction was executed */
};
/* Those that differ most first; by coverage: only what one of them is known to have executed alone. To be freed. */
CAIRN_MUST_CHECK cairn_status cairn_diff_rows(const struct cairn_diff *diff, enum cairn_diff_by by,
                                              struct cairn_diff_row **rows, size_t *count);

/* A way of a conditional branch that one run went and the other one, which executed it, did not. */
struct cairn_diff_way {
    uint32_t block;
    uint32_t side; /* the one that went it */
    bool taken;
    uint64_t times;
};
CAIRN_MUST_CHECK cairn_status cairn_diff_ways(const struct cairn_diff *diff,
                                              struct cairn_diff_way **ways, size_t *count);

/* --- an address of a run, for people --- */

struct cairn_diff_where {
    const char *function; /* as the file has it, or NULL */
    uint64_t offset;
    const char *object; /* or NULL */
    const char *file;   /* or NULL */
    uint32_t line;
};
/* False: there is no block, or its place cannot be looked at. */
bool cairn_diff_where(const struct cairn_diff *diff, unsigned side, uint32_t block,
                      uint64_t address, struct cairn_diff_where *where);
/* The address in a run of an instruction of a block, by how many are in front of it. */
uint64_t cairn_diff_insn(const struct cairn_diff *diff, unsigned side, uint32_t block,
                         uint32_t index);
/* The last instruction that is in common in front of a parting: its block and its address there; false: there is none. */
bool cairn_diff_common(const struct cairn_diff *diff, const struct cairn_diff_pair *pair,
                       const struct cairn_diff_parting *parting, unsigned side, uint32_t *block,
                       uint64_t *address);
/* What a thread executed next, and of which token. False: it ended, or there is a gap. */
bool cairn_diff_next(const struct cairn_diff *diff, const struct cairn_diff_pair *pair,
                     const struct cairn_diff_parting *parting, unsigned side, uint32_t *block,
                     uint64_t *address, size_t *token);
/* What happened at a parting, in one word for programs: "taken", "end" and so on. */
const char *cairn_diff_what(const struct cairn_diff *diff, const struct cairn_diff_pair *pair,
                            const struct cairn_diff_parting *parting, unsigned side);
/* The exception of the flow that a thread took there, or whose handler returned there elsewhere than to where it came
 * from; NULL: none. */
const char *cairn_diff_exception(const struct cairn_diff *diff, const struct cairn_diff_pair *pair,
                                 const struct cairn_diff_parting *parting, unsigned side,
                                 bool *returns);
/* The last timestamp in front of a token; 0: none. */
uint64_t cairn_diff_time(const struct cairn_diff_thread *thread, size_t token);
/* The account of the gap that a token is. */
uint64_t cairn_diff_account(const struct cairn_diff_thread *thread, size_t token);
/* "thread_1 context 0x77". */
#define CAIRN_DIFF_NAME 256
void cairn_diff_thread_name(const struct cairn_diff *diff, const struct cairn_diff_thread *thread,
                            char text[CAIRN_DIFF_NAME]);

static inline const char *cairn_diff_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}
void cairn_diff_put_address(const struct cairn_diff_view *view, uint64_t address,
                            const struct cairn_diff_where *where);
void cairn_diff_put_line(const struct cairn_diff_view *view, const struct cairn_diff_where *where);
/* The part of a text behind the partings. */
CAIRN_MUST_CHECK cairn_status cairn_diff_put_tables(const struct cairn_diff_view *view);

cairn_status cairn_diff_text(const struct cairn_diff_view *view);
cairn_status cairn_diff_json(const struct cairn_diff_view *view);

#endif
