/* SPDX-License-Identifier: BSD-2-Clause */
/* Coverage: which instructions, branches, lines and functions were executed. Captures are added one after
 * the other, counts by file and address in it, so that it does not matter where a program was loaded; then
 * it is settled, and looked at. */
#ifndef CAIRN_REPORT_COVERAGE_H
#define CAIRN_REPORT_COVERAGE_H

#include <stdbool.h>
#include <time.h>

#include <cairn/capture.h>
#include <cairn/isa.h>

#include "base/table.h"
#include "capture/arena.h"
#include "report/pgo_symbols.h"
#include "report/profile.h"
#include "report/source.h"

#define CAIRN_COVERAGE_NONE UINT32_MAX

/* Instructions of all files that are kept, and addresses of code without memory; more are CAIRN_E_LIMIT
 * and left out. */
#define CAIRN_COVERAGE_INSNS_MAX ((size_t)1 << 26)
#define CAIRN_COVERAGE_MISSING_MAX 4096u

/* Numbers of a function, a line, a file, or all. */
struct cairn_coverage_sums {
    uint64_t insns, insns_hit;
    uint64_t lines, lines_hit;
    uint64_t functions, functions_hit;
    uint64_t branches;   /* conditional ones */
    uint64_t both, one;  /* of these went both ways, one way only */
    uint64_t conditions; /* instructions with a condition whose outcome the trace tells */
    uint64_t conditions_both, conditions_one;
    uint64_t decisions;                     /* of several conditions */
    uint64_t decisions_met, decisions_open; /* MC/DC shown; not to be decided */
};

/* A file with code, or memory that is no file's. */
struct cairn_coverage_object {
    const char *path;        /* or the name of the memory */
    struct cairn_file *file; /* NULL: memory */
    uint64_t base;           /* lowest address that the file loads */
    struct cairn_arch arch;  /* of a source that executed it */
    bool is_aarch64;
    bool is_split; /* `file` is debug information that was split off from what is at `path` */
    struct cairn_pgo_functions functions;
    uint32_t number; /* that its executed instructions have, until objects are sorted: */
    /* where it was first seen: memory has the code of a file that has only names (debug information) */
    struct cairn_image *image;
    struct cairn_place place;
    uint64_t bias;
    size_t partial;   /* functions that ran, and of whose code not all is anywhere */
    bool is_unwanted; /* of a binary that is not asked for */
    struct cairn_coverage_sums others; /* of code that is in no function: only what was executed */
};

/* Whether an instruction has two ways to go. */
enum cairn_coverage_choice {
    CAIRN_CHOICE_NONE = 0,
    CAIRN_CHOICE_BRANCH = 1,    /* a conditional branch */
    CAIRN_CHOICE_CONDITION = 2, /* another instruction with a condition: A32, T32 in an IT block */
};

/* There are many of these, and each is looked at several times: it is one line of the cache. */
struct cairn_coverage_insn {
    uint64_t address;  /* in the file */
    uint64_t executed; /* times; of one with a condition also those that failed it */
    uint64_t told;     /* times that the trace told which way it went */
    uint64_t taken;    /* of those: E, taken or its condition passed */
    uint64_t
        memory; /* 0 in a program; of other memory: where in the object it is, less its address */
    uint32_t object;
    uint32_t function; /* index; NONE: in none */
    uint32_t line;     /* index; NONE: not known */
    uint32_t copy;     /* what it is inlined by, in its compilation unit; NONE: by nothing known */
    uint32_t opcode;   /* as struct cairn_insn has it */
    uint8_t isa, size;
    uint8_t choice;           /* enum cairn_coverage_choice */
    uint8_t optimisation : 6; /* enum cairn_optimisation */
    bool ends_block : 1;      /* a branch of any kind */
    bool is_call : 1;         /* with link: it comes back */
};

/* How often it did what it says: not when it failed its condition, where the trace tells that. */
static inline uint64_t cairn_coverage_ran(const struct cairn_coverage_insn *insn)
{
    return insn->choice == CAIRN_CHOICE_CONDITION ? insn->executed - insn->told + insn->taken
                                                  : insn->executed;
}

struct cairn_coverage_file {
    const char *name; /* the path, other folders put in (--source-path) */
    const char *path; /* as the debug information has it, without "//", "/./" and "folder/../" */
    struct timespec changed;       /* when the program was written */
    size_t first_line, line_count; /* in `lines` */
    struct cairn_coverage_sums sums;
};

struct cairn_coverage_line {
    uint32_t file, number;
    uint64_t count;                /* how often it was executed */
    size_t first_insn, insn_count; /* in `by_line` */
    struct cairn_coverage_sums sums;
    /* coverage_expressions.c: of the expression that the line is of, which may go on over several */
    uint32_t first;     /* its first line that has code: index */
    uint32_t operators; /* of that: && and || in it; of others 0 */
    uint32_t outer;     /* the first line of the expression that its braces stand in; NONE */
    bool has_block;     /* of that: its lines have statements in braces, `({ int t = a; t; })` */
    bool has_text;
};

struct cairn_coverage_function {
    uint32_t object;
    const char *name;     /* its symbol */
    uint64_t first, last; /* in the file, both included */
    uint32_t file, line;  /* of its beginning: file NONE, line 0: not known */
    uint64_t entered;     /* how often its first instruction was executed */
    uint32_t whole; /* the function that the compiler moved it out of (.cold), or its own index */
    uint32_t seen_line, hit_line;  /* the last that was added to its sums */
    size_t first_insn, insn_count; /* in `insns` */
    bool is_hit;
    bool is_partial; /* not all of its code is known: only what ran is counted */
    struct cairn_coverage_sums sums;
};

/* A decision: the conditional branches of an expression in one function, or in one copy of it, that lead to two
 * places at most; or an expression of conditions of which not each has a branch. */
enum cairn_coverage_verdict {
    CAIRN_DECISION_MET = 0,
    CAIRN_DECISION_NOT_MET = 1,
    CAIRN_DECISION_OPEN = 2,
};
/* Why it is open. */
enum cairn_coverage_reason {
    CAIRN_OPEN_NOT = 0,       /* it is not */
    CAIRN_OPEN_JOINS = 1,     /* two ways lead to one of its conditions */
    CAIRN_OPEN_OUTCOMES = 2,  /* the trace does not tell an outcome */
    CAIRN_OPEN_SIZE = 3,      /* more conditions than are looked at, or ways that are not found */
    CAIRN_OPEN_MERGED = 4,    /* some of its conditions have no branch */
    CAIRN_OPEN_OPTIMISED = 5, /* its branches need not be the source's conditions */
    CAIRN_OPEN_COMPILER = 6,  /* nobody knows whether that is so */
    CAIRN_OPEN_SOURCE = 7,    /* without the source's text nobody knows whether it is all of it */
    CAIRN_OPEN_LINES = 8,     /* a line of an expression of several decisions */
    CAIRN_OPEN_BLOCK = 9,     /* statements stand in braces within it */
};
struct cairn_coverage_decision {
    uint32_t line;
    uint32_t function;
    uint64_t address;        /* of its first branch, or instruction, in the file */
    uint32_t conditions;     /* that have branches */
    uint32_t conditions_met; /* both ways */
    uint32_t merged;         /* at least so many conditions have none */
    uint32_t verdict;        /* enum cairn_coverage_verdict */
    uint32_t reason;         /* enum cairn_coverage_reason */
};

struct cairn_coverage_source {
    const char *capture, *name; /* in the arena */
    uint64_t instructions;
    uint64_t bytes, lost_bytes; /* of trace */
    uint64_t overflows;         /* times that the trace unit itself lost trace */
};

/* An address without memory. */
struct cairn_coverage_missing {
    uint64_t address;
    uint64_t times;
};

struct cairn_coverage {
    bool of_program;
    const char *
        binary; /* only this one: the end of its path, or the beginning of its build-id; NULL: all */
    const struct cairn_source_path *paths; /* the caller's */
    size_t path_count;
    struct cairn_sources *texts; /* of lines, the caller's; NULL: there are none */

    struct cairn_arena arena;
    struct cairn_image **images; /* references: files are theirs */
    size_t image_count, image_room;
    struct cairn_coverage_source *sources;
    size_t source_count, source_room;
    struct cairn_coverage_missing *missing;
    size_t missing_count, missing_room;
    bool has_more_missing;
    struct cairn_coverage_object *objects;
    size_t object_count, object_room;
    struct cairn_coverage_insn *insns; /* settled: by object, address, isa */
    size_t insn_count, insn_room;
    size_t run;          /* where the last of them that are in order begin, each once, */
    size_t cursor;       /* and the one behind that which was put last among them */
    bool has_conditions; /* some have a condition, and are no branches */
    /* made by cairn_coverage_settle */
    struct cairn_coverage_file *files; /* by name */
    size_t file_count, file_room;
    struct cairn_coverage_line *lines; /* by file, number */
    size_t line_count, line_room;
    uint32_t *by_line; /* instructions by line, whole function, copy, address */
    size_t by_line_count;
    struct cairn_coverage_function *functions; /* by object, address */
    size_t function_count, function_room;
    struct cairn_coverage_decision *decisions; /* by line, function, copy */
    size_t decision_count, decision_room;
    struct cairn_coverage_sums sums;    /* of what is in functions, */
    struct cairn_coverage_sums partial; /* in those of which only what was executed is known, */
    struct cairn_coverage_sums others;  /* and in none: only what was executed */
    /* while lines are found: the file of the instruction before, as its debug information has it */
    const char *last_text;
    uint32_t last_file;
    /* while captures are added */
    struct cairn_profiled profile;
    size_t sorted_count; /* instructions after the last time that they were sorted */
    struct cairn_table by_name, by_place, by_missing; /* files; lines; addresses */
};

/* A capture begins: what its sources executed comes until cairn_coverage_captured. Zero the coverage
 * first. */
CAIRN_MUST_CHECK cairn_status cairn_coverage_capture(struct cairn_coverage *coverage,
                                                     struct cairn_image *image);
/* For each source: its pipeline, before it runs, and what came of it. */
CAIRN_MUST_CHECK cairn_status cairn_coverage_begin(struct cairn_coverage *coverage,
                                                   const char *capture, const char *name,
                                                   struct cairn_pipeline *pipeline);
CAIRN_MUST_CHECK cairn_status cairn_coverage_end(struct cairn_coverage *coverage,
                                                 const struct cairn_ledger *ledger,
                                                 uint64_t lost_bytes);
void cairn_coverage_captured(struct cairn_coverage *coverage);

/* Adds everything up. CAIRN_E_MEMORY, CAIRN_E_LIMIT. */
CAIRN_MUST_CHECK cairn_status cairn_coverage_settle(struct cairn_coverage *coverage);
void cairn_coverage_free(struct cairn_coverage *coverage);

/* Of counts that were kept (counts_give.c): an address without memory, and what the profile has counted. */
CAIRN_MUST_CHECK cairn_status cairn_coverage_miss(struct cairn_coverage *coverage, uint64_t address,
                                                  uint64_t times);
CAIRN_MUST_CHECK cairn_status cairn_coverage_blocks(struct cairn_coverage *coverage);

/* --- between the files of coverage --- */

/* coverage_sort.c: makes room for so many more instructions; without memory for all of them at once it is made when they
 * come. */
void cairn_coverage_reserve(struct cairn_coverage *coverage, size_t more);
CAIRN_MUST_CHECK cairn_status cairn_coverage_add(struct cairn_coverage *coverage,
                                                 const struct cairn_coverage_insn *insn);
/* The same, and adds it to what is there of it already, as far as what was put last is in order. */
CAIRN_MUST_CHECK cairn_status cairn_coverage_add_up(struct cairn_coverage *coverage,
                                                    const struct cairn_coverage_insn *insn);
/* The first instruction of an object, or behind where it would be, of a list that is sorted by objects. */
size_t cairn_coverage_first(const struct cairn_coverage_insn *list, size_t count, uint32_t object);
/* Sorts the instructions, and adds up those that are the same. */
void cairn_coverage_sort(struct cairn_coverage *coverage);
/* The order of their addresses; 0: they are the same one. */
int cairn_coverage_compare(const struct cairn_coverage_insn *a,
                           const struct cairn_coverage_insn *b);
/* One more time that the same was told of. */
void cairn_coverage_join(struct cairn_coverage_insn *same, const struct cairn_coverage_insn *insn);
/* coverage_code.c: an instruction at its address in the file. */
void cairn_coverage_decode(const struct cairn_coverage *coverage,
                           const struct cairn_coverage_insn *insn, struct cairn_insn *decoded);
/* Where it leads to, in the file; 0: it is no direct branch. */
uint64_t cairn_coverage_target(const struct cairn_coverage *coverage,
                               const struct cairn_coverage_insn *insn);
/* The functions, with their code that was not executed. */
CAIRN_MUST_CHECK cairn_status cairn_coverage_code(struct cairn_coverage *coverage);
/* coverage_lines.c: lines and files; all sums. */
CAIRN_MUST_CHECK cairn_status cairn_coverage_lines(struct cairn_coverage *coverage);
/* coverage_expressions.c: which lines are of one expression, by their texts. */
void cairn_coverage_expressions(struct cairn_coverage *coverage);
/* coverage_decisions.c */
CAIRN_MUST_CHECK cairn_status cairn_coverage_decide(struct cairn_coverage *coverage);

#endif
