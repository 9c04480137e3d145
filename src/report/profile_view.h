/* SPDX-License-Identifier: BSD-2-Clause */
/* A profile in the forms that people and other programs read. */
#ifndef CAIRN_REPORT_PROFILE_VIEW_H
#define CAIRN_REPORT_PROFILE_VIEW_H

#include "report/naming.h"
#include "report/output.h"
#include "report/profile.h"
#include "report/wanted.h"

enum cairn_profile_by {
    CAIRN_PROFILE_BY_FUNCTION = 0,
    CAIRN_PROFILE_BY_LINE = 1,
    CAIRN_PROFILE_BY_BLOCK = 2,
    CAIRN_PROFILE_BY_BRANCH = 3,
    CAIRN_PROFILE_BY_INSTRUCTION = 4,
    CAIRN_PROFILE_BY_THREAD = 5,
    CAIRN_PROFILE_BY_PROCESS = 6,
};

enum cairn_profile_sort {
    CAIRN_PROFILE_SORT_SELF = 0,
    CAIRN_PROFILE_SORT_TOTAL = 1,
    CAIRN_PROFILE_SORT_CALLS = 2,
    CAIRN_PROFILE_SORT_CYCLES = 3,
    CAIRN_PROFILE_SORT_ADDRESS = 4,
};

struct cairn_profile_view {
    const struct cairn_profiled *profile;
    const struct cairn_capture *capture; /* names threads */
    struct cairn_output *output;
    struct cairn_naming *naming;
    enum cairn_profile_by by;
    enum cairn_profile_sort sort;
    size_t top;     /* rows; 0: all */
    bool by_thread; /* chains of calls begin with their thread */
};

/* One line of a table: a function, a line, a block, a branch or an instruction. */
struct cairn_profile_row {
    uint32_t function;
    uint32_t line;                         /* 0: not known */
    const char *file;                      /* or NULL */
    const struct cairn_profile_insn *insn; /* of a branch or an instruction */
    const struct cairn_block_count *block; /* of a block */
    uint64_t address;
    uint64_t executed; /* times; of a function and a line 0 */
    uint64_t taken;
    uint64_t self, self_cycles;
    uint64_t total, total_cycles, calls;
};

/* The rows that the view wants, in its order; to be freed. */
CAIRN_MUST_CHECK cairn_status cairn_profile_rows(const struct cairn_profile_view *view,
                                                 struct cairn_profile_row **rows, size_t *count);

/* What a function is called: "memcpy", "[libc.so.6]" for code without symbols, "[unknown]". Valid until
 * the next call of the same `naming`, or in `text`. */
#define CAIRN_PROFILE_NAME 512
#define CAIRN_PROFILE_TOP 40 /* rows of a text that nobody asked more of */
const char *cairn_profile_name(const struct cairn_profile_view *view, uint32_t function,
                               char text[CAIRN_PROFILE_NAME]);
/* "thread_1", with what tells threads of one source apart. */
const char *cairn_profile_thread_name(const struct cairn_profile_view *view,
                                      const struct cairn_profile_thread *thread,
                                      char text[CAIRN_PROFILE_NAME]);

/* --- chains of calls, for formats that have them --- */

/* Chains are told so far in; what is further in is counted with the last of them. */
#define CAIRN_PROFILE_CHAIN_MAX 1024u

/* What is told of: chains of `count` nodes, outermost first, with what was executed in the last one. */
typedef cairn_status cairn_profile_tell(void *context, const struct cairn_profile_thread *thread,
                                        const uint32_t *chain, size_t count, uint64_t instructions,
                                        uint64_t cycles);
cairn_status cairn_profile_walk(const struct cairn_profiled *profile,
                                const struct cairn_profile_thread *thread, cairn_profile_tell *tell,
                                void *context);

/* What calls are named by. */
struct cairn_profile_frame {
    uint32_t source;              /* of an exception: the first whose exceptions have that name */
    uint32_t exception, function; /* as of a node */
};
/* The names of calls, each once, ascending. */
struct cairn_profile_frames {
    struct cairn_profile_frame *list;
    size_t count;
};
CAIRN_MUST_CHECK cairn_status cairn_profile_frames(const struct cairn_profiled *profile,
                                                   struct cairn_profile_frames *frames);
/* The index of a node's name. */
size_t cairn_profile_frame_of(const struct cairn_profiled *profile,
                              const struct cairn_profile_frames *frames, uint32_t node);
/* Its text, and its file and line, which may be NULL. */
const char *cairn_profile_frame_name(const struct cairn_profile_view *view,
                                     struct cairn_profile_frame frame,
                                     char text[CAIRN_PROFILE_NAME]);
const char *cairn_profile_frame_file(const struct cairn_profile_view *view, uint32_t function,
                                     uint32_t *line);

/* Cycles that the trace tells of, and that are of no instruction that is known. */
uint64_t cairn_profile_unattributed(const struct cairn_profiled *profile);
cairn_status cairn_profile_text(const struct cairn_profile_view *view);
/* All contexts have the number 0: a kernel that puts no thread's there. Else 0 is the thread that idles. */
bool cairn_profile_lacks_numbers(const struct cairn_profile_view *view);
/* By thread or process, for the two others: their rows alone. */
cairn_status cairn_profile_threads_text(const struct cairn_profile_view *view);
cairn_status cairn_profile_threads_json(const struct cairn_profile_view *view);
cairn_status cairn_profile_json(const struct cairn_profile_view *view, uint64_t lost_bytes);
/* The functions that are wanted; *found: how many. */
cairn_status cairn_profile_annotate(const struct cairn_profile_view *view,
                                    const struct cairn_wanted *wanted, size_t *found);
/* A thread; or a process, of which it is the first thread. */
struct cairn_profile_whom {
    bool has_thread,
        has_process; /* what is so called by the capture; else the source's contexts are apart */
    uint64_t thread, process;
    const char *name;   /* or NULL */
    uint32_t life;      /* of several that had the number one after the other; */
    bool has_others;    /* there were such */
    uint64_t since;     /* nanoseconds; of the first 0 */
    const char *source; /* NULL: several */
    uint32_t vmid, context_id;
    uint64_t threads; /* of a process */
    size_t first;     /* of the profile's threads */
    uint64_t instructions, cycles;
};
#define CAIRN_PROFILE_NOBODY UINT32_MAX
struct cairn_profile_whoms {
    struct cairn_profile_whom *list; /* in the view's order */
    size_t count;
    uint32_t *of; /* of each thread of the profile; NOBODY: nothing is counted of it */
};
/* To be freed, also where it fails. */
CAIRN_MUST_CHECK cairn_status cairn_profile_whoms(const struct cairn_profile_view *view,
                                                  struct cairn_profile_whoms *whoms);
void cairn_profile_whoms_free(struct cairn_profile_whoms *whoms);
/* "server 98/101". */
const char *cairn_profile_whom_text(const struct cairn_profile_whom *whom,
                                    char text[CAIRN_PROFILE_NAME]);
cairn_status cairn_profile_folded(const struct cairn_profile_view *view);
cairn_status cairn_profile_callgrind(const struct cairn_profile_view *view, const char *command);
/* The calls of one of `whoms` alone, as a file of its own: what was executed, by function. */
cairn_status cairn_profile_callgrind_thread(const struct cairn_profile_view *view,
                                            const char *command,
                                            const struct cairn_profile_whoms *whoms, size_t index);
cairn_status cairn_profile_speedscope(const struct cairn_profile_view *view, const char *name);
cairn_status cairn_profile_pprof(const struct cairn_profile_view *view);

#endif
