/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording in the making: the folder in which feeds leave trace bytes and executed memory as
 * they come, and which cairn_recording_finish turns into a snapshot. Everything is in files from
 * the first moment (shared mappings), so that whatever ends the recording process - a signal, a
 * full disk - leaves what was recorded, and another process can finish it. Memory use is bounded:
 * one mapped piece a source, one page map of executed code.
 *
 * In the folder while recording, all removed by finish:
 *   recording.ctl     struct cairn_recording_control: counters, state, a row a source
 *   recording.code    executed memory in the order it was first seen, with its epochs
 * and what stays: SOURCE.bin (trace bytes), snapshot.ini, trace.ini, program.ini, SOURCE.ini, memory
 * files. */
#ifndef CAIRN_MACHINE_RECORDING_H
#define CAIRN_MACHINE_RECORDING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/unit.h>

#include "machine/explain.h"

struct cairn_journal_file; /* machine/journal.h */

struct cairn_recording; /* of this process; thread safe unless said otherwise */
struct cairn_recorded_source;

/* What a progress display and finish read: at the start of recording.ctl, mapped shared. */
struct cairn_recording_control {
    uint32_t magic;
    uint32_t version;
    _Atomic uint64_t instructions; /* told to the units; updated at least every 2^20 a source */
    _Atomic uint64_t bytes;        /* trace bytes in all sources */
    _Atomic uint64_t sources;
    _Atomic uint64_t code_bytes; /* of recording.code that count */
    _Atomic uint32_t stopped;    /* errno when a file could not grow (ENOSPC): tracing stopped */
    _Atomic uint32_t finished;   /* the feed ended in order (units flushed) */
    _Atomic uint32_t forks;      /* child processes that are not followed */
    _Atomic uint32_t execs;      /* programs that replaced the process, not followed */
    _Atomic uint64_t discontinuities; /* places where the feed missed execution */
    _Atomic uint64_t unseen;          /* of `instructions`: of which the protocol has no packets */
    _Atomic uint32_t interrupt;       /* set by the watching process: end the recording in order */
    /* of the names that the feed looks up, by their number: found; but not programmed, for want of
     * comparators; and only code that chooses the function (STT_GNU_IFUNC) */
    _Atomic uint64_t names_found, names_refused, names_chosen;
    _Atomic uint64_t not_started; /* sources that never came to a start point */
    /* of a machine that is traced as a whole: */
    _Atomic uint32_t whole;      /* it is one */
    _Atomic uint32_t secure_EL2; /* something was executed at EL2 in Secure state */
    _Atomic uint64_t not_made;   /* cores whose source or unit could not be made */
    /* pieces of code of which nothing is told: pages or their versions had run out; in AArch32 state */
    _Atomic uint64_t no_room, in_AArch32;
};

/* How the sources of a recording are configured: the same for all. */
struct cairn_recording_options {
    size_t size;
    enum cairn_protocol_id protocol;
    const char *core; /* core type for the snapshot ("ARM-AA64", "Cortex-A53") */
    const char *note; /* free text for the snapshot's description, or NULL */
    bool overwrite;   /* replace a folder that holds an earlier recording */
    bool apart;       /* the process is a traced program's: open files where that does not reach */
};

/* Makes the folder (its parents must exist). A folder that exists and is not empty is
 * CAIRN_E_ARGUMENT unless it holds an earlier recording and `overwrite` is set. */
cairn_status cairn_recording_new(const char *folder, const struct cairn_recording_options *options,
                                 struct cairn_recording **recording, struct cairn_error *error);
/* What cairn_recording_new would refuse the folder for, without touching anything. */
cairn_status cairn_recording_check(const char *folder, bool overwrite, struct cairn_error *error);
/* Unmaps. Does not finish: call cairn_recording_finish (this or another process) afterwards. */
void cairn_recording_free(struct cairn_recording *recording);
struct cairn_recording_control *cairn_recording_control(struct cairn_recording *recording);

/* Forgets the shared files without touching them: for the child after a fork. Pointers stay valid,
 * the control too, and lead nowhere; calls answer CAIRN_E_IO; cairn_recording_free still frees. */
void cairn_recording_abandon(struct cairn_recording *recording);

/* A new source, of at most 4096 (CAIRN_E_LIMIT); `name` unique, of letters, digits and "_-."
 * ("thread_1", "cpu0"). Registers come from cairn_unit_register at cairn_recorded_source_describe.
 */
cairn_status cairn_recorded_source_new(struct cairn_recording *recording, const char *name,
                                       struct cairn_recorded_source **source,
                                       struct cairn_error *error);
/* Notes the unit's registers for the snapshot; call it after the unit is programmed and again when
 * it has been disabled: then the source has no mapping any more, until it gets more bytes. */
cairn_status cairn_recorded_source_describe(struct cairn_recorded_source *source,
                                            const struct cairn_unit *unit);
/* Whose execution the source is: the thread's number in its system (0: nothing is told), and its name,
 * "" if it has none of its own. Told again where it has another one: the last counts. */
cairn_status cairn_recorded_source_thread(struct cairn_recorded_source *source, uint64_t id,
                                          const char *name);
/* A cairn_unit_sink: appends trace bytes; `context` is the source. After ENOSPC it answers
 * CAIRN_E_IO and sets control->stopped. */
cairn_status cairn_recorded_source_sink(void *source, const uint8_t *bytes, size_t size);

/* A cairn_explained_sink: appends the record to SOURCE.why, a file that whoever asked for it reads, and removes
 * before anybody finishes the recording. Behind the last record zeros may follow. Of runs and changes the
 * first CAIRN_EXPLAINED_MOST are kept. `source` as above. */
#define CAIRN_EXPLAINED_MOST (UINT64_C(1) << 20)
#define CAIRN_EXPLAINED_SUFFIX ".why"
cairn_status cairn_recorded_source_explained(void *source, const struct cairn_explained *record);

/* A file of `size` bytes beside the source's trace, with `suffix` behind its name, anew; *mapped is the
 * caller's to munmap. */
cairn_status cairn_recorded_source_beside(struct cairn_recorded_source *source, const char *suffix,
                                          size_t size, uint8_t **mapped);
const char *cairn_recorded_source_name(const struct cairn_recorded_source *source);

/* Memory that is about to be executed. Bytes known already cost a lookup. Returns the epoch that
 * these bytes need: it grows when bytes differ from those at the same addresses before. */
uint64_t cairn_recording_code(struct cairn_recording *recording, uint64_t address,
                              const uint8_t *bytes, size_t size);
/* A file's code is at [address, address + length): `path`, absolute, from `offset` on. At `executed`
 * in it code is about to be executed. Told again it costs a lookup. Returns the epoch that code there
 * needs: a new one where another file was there before. */
struct cairn_recorded_file {
    uint64_t address, length, offset, executed;
    const char *path;
};
uint64_t cairn_recording_mapped(struct cairn_recording *recording,
                                const struct cairn_recorded_file *file);
/* The newest epoch; a source that is behind calls cairn_recorded_source_epoch before its next
 * block, with cairn_unit_position of its unit. */
uint64_t cairn_recording_epoch(const struct cairn_recording *recording);
cairn_status cairn_recorded_source_epoch(struct cairn_recorded_source *source, uint64_t epoch,
                                         uint64_t position);

/* What finish found, for the summary. */
struct cairn_recording_result {
    uint64_t instructions, bytes, sources, code_bytes, epochs, discontinuities, unseen;
    uint64_t epochs_lost; /* changes of code that the snapshot has no room for, of all sources */
    uint64_t names_found, names_refused, names_chosen, not_started; /* as the control has them */
    uint64_t pages_lost; /* of code that the snapshot has no room for */
    uint64_t not_made, no_room, in_AArch32;
    uint64_t copied;     /* files of modules */
    uint64_t not_copied; /* that should have been, and could not */
    uint64_t gone;       /* replaced or removed since they were mapped, and without a build-id */
    uint32_t stopped, forks, execs;
    bool finished, whole;
};

/* What was run, as far as whoever finishes the recording knows. */
struct cairn_recorded_program {
    const char *path;       /* of its file; NULL: not known, or no program was run */
    char *const *arguments; /* with argv[0], NULL behind the last; or NULL */
    int exit_status;        /* 128 + N: signal N ended it; -1: not known */
    bool alone;             /* it runs where its file says (firmware): that names all the code */
    const struct cairn_journal_file
        *file; /* of one alone, what it was when it was loaded; NULL: what it is now */
    /* NULL: not known */
    const char *signal; /* that ended it: "SIGSEGV" */
    const char *host, *guest;
    const char *folder;       /* in which it was started */
    char *const *environment; /* "NAME=value" each, NULL behind the last */
    /* Copies the files that the code is from into the recording, with their symbols and debug
     * information, which may be in another file of one of these folders. */
    bool embed;
    const char *const *debug_folders;
    size_t debug_folder_count;
};

/* What can be told of the program before it has ended, for whoever has to finish the recording without
 * knowing it: lines of text, on the heap. NULL when memory is out. */
char *cairn_recorded_program_lines(const struct cairn_recorded_program *program);
/* Notes them in the recording: they count where cairn_recording_finish is given no program. At most
 * 1 MiB (CAIRN_E_LIMIT). */
cairn_status cairn_recording_program(struct cairn_recording *recording, const char *lines);

/* Turns what is in the folder into a snapshot: truncates the trace files to what was written,
 * writes memory files and .ini files, removes the recording files. Works on a folder that another
 * process left in any state; that process must have ended, or have called cairn_recording_free
 * (CAIRN_E_ARGUMENT where it can be seen that it has not). May be done again after it failed (no
 * room) or was killed itself. Where tracing stopped before the first source there is nothing to write, and
 * result->sources is 0. `program` may be NULL. */
cairn_status cairn_recording_finish(const char *folder,
                                    const struct cairn_recorded_program *program,
                                    struct cairn_recording_result *result,
                                    struct cairn_error *error);
/* Removes a recording, finished or not: the files that recordings write, and the folder if it is
 * empty then and `folder_too` is set. */
void cairn_recording_discard(const char *folder, bool folder_too);

#endif
