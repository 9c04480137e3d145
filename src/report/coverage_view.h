/* SPDX-License-Identifier: BSD-2-Clause */
/* Coverage in the forms that people and other programs read. */
#ifndef CAIRN_REPORT_COVERAGE_VIEW_H
#define CAIRN_REPORT_COVERAGE_VIEW_H

#include "report/coverage.h"
#include "report/naming.h"
#include "report/output.h"

enum cairn_coverage_by {
    CAIRN_COVERAGE_BY_FUNCTION = 0,
    CAIRN_COVERAGE_BY_LINE = 1,
    CAIRN_COVERAGE_BY_FILE = 2,
    CAIRN_COVERAGE_BY_INSTRUCTION = 3,
    CAIRN_COVERAGE_BY_BRANCH = 4,
    CAIRN_COVERAGE_BY_DECISION = 5,
};

struct cairn_disasm;

struct cairn_coverage_view {
    const struct cairn_coverage *coverage;
    struct cairn_output *output;
    struct cairn_naming *naming;
    struct cairn_sources *sources; /* texts of lines */
    struct cairn_disasm *disasm;   /* or NULL */
    enum cairn_coverage_by by;
};

#define CAIRN_COVERAGE_NAME 512

/* Behind the path of a file; how many functions, "s" or "". */
#define CAIRN_COVERAGE_PARTIAL                                                                     \
    " has names and no code of %zu function%s that ran: how much more of it there is. Keep the "   \
    "program beside it (--sysroot), or give it with --image"

/* What a function is called, as people write it. Valid until the next call of the same `naming`. */
const char *cairn_coverage_name(const struct cairn_coverage_view *view,
                                const struct cairn_coverage_function *function);
/* What stands for code of an object that is in no function: "[libc.so.6]". */
const char *cairn_coverage_others(const struct cairn_coverage *coverage, uint32_t object,
                                  char text[CAIRN_COVERAGE_NAME]);
/* How often it was entered; once at least if it was executed: it was running when the trace began. */
uint64_t cairn_coverage_entered(const struct cairn_coverage_function *function);
/* "both", "taken", "not_taken", "never", "not_told". */
const char *cairn_coverage_went(const struct cairn_coverage_insn *insn);
/* A name of a file or a symbol, whole and in one line: control characters become U+FFFD. */
void cairn_coverage_put(struct cairn_output *output, const char *text);
/* Bytes of trace that could not be followed. */
uint64_t cairn_coverage_lost(const struct cairn_coverage *coverage);
/* Times that a trace unit lost trace: bytes that never came. */
uint64_t cairn_coverage_overflows(const struct cairn_coverage *coverage);
/* Of 100, rounded down to a tenth, so that only all is 100.0; 0 of 0 is 100.0. */
struct cairn_coverage_share {
    unsigned whole, tenths;
};
struct cairn_coverage_share cairn_coverage_share(uint64_t part, uint64_t all);
/* The instruction's text. */
void cairn_coverage_disassemble(const struct cairn_coverage_view *view,
                                const struct cairn_coverage_insn *insn, char *text, size_t size);

/* Functions of the files, by file, line, name; those of no file last. To be freed; NULL: no memory. */
uint32_t *cairn_coverage_functions(const struct cairn_coverage *coverage);

cairn_status cairn_coverage_text(const struct cairn_coverage_view *view);
cairn_status cairn_coverage_json(const struct cairn_coverage_view *view);
cairn_status cairn_coverage_lcov(const struct cairn_coverage_view *view);
cairn_status cairn_coverage_cobertura(const struct cairn_coverage_view *view);
cairn_status cairn_coverage_html(const struct cairn_coverage_view *view);
cairn_status cairn_coverage_drcov(const struct cairn_coverage_view *view);

#endif
