/* SPDX-License-Identifier: BSD-2-Clause */
/* The trace in a perf.data file, and what the file says of it (cs_etm, as perf and simpleperf record it):
 *   info.c     AUXTRACE_INFO: the trace units and their registers
 *   trace.c    records; AUX and AUXTRACE -> which bytes of the file are whose
 *   packed.c   also such as are packed
 *   rings.c    also in snapshots of older kernels
 *   padding.c  and what a trace buffer skips
 *   streams.c  and these in order
 *   resume.c   where they go on behind a loss
 *   switches.c who ran while a part was recorded
 *   silences.c when a thread ran and nothing was recorded
 *   further.c  further files of a folder
 *   forks.c    whose memory a process begins with
 *   lives.c    when the memory of a process ends
 *   epochs.c   where in a source's bytes it was what time
 *   pins.c     the same by what the trace itself tells
 *   maps.c     what was mapped where, and build-ids
 *   stored.c   also out of archives
 *   processes.c whether that is of one process
 *   held.c     who has what where
 *   images.c   and the code of it
 *   layers.c   in the memory of whom
 *   changes.c  and from where on, and until where
 *   kernel.c   the code of the kernel, and of its modules
 *   threads.c  who ran, and how the trace says so
 *   names.c    what they were called
 *   numbers.c  and which of several had a number
 *   units.c    of which trace unit bytes are
 *   open.c     the container
 *   sources.c  its buffers and sources
 *   tell.c     what was odd
 * Nothing is read of the trace itself. What is kept is bounded by numbers of records below. */
#ifndef CAIRN_CAPTURE_PERF_TRACE_H
#define CAIRN_CAPTURE_PERF_TRACE_H

#include "base/table.h"
#include "capture/model.h"
#include "capture/perf/perf.h"

#define CAIRN_PERF_CORES_MOST 4096u
#define CAIRN_PERF_PIECES_MOST (1u << 20) /* AUXTRACE records, and as many AUX */
#define CAIRN_PERF_WORD 8u                /* AUXTRACE records have whole ones */
#define CAIRN_PERF_MAPS_MOST (1u << 16)
#define CAIRN_PERF_BUILT_MOST 8192u
#define CAIRN_PERF_LOST "CAIRN-TRACE-LOST" /* the code of what is said of that (docs/findings.md) */
#define CAIRN_PERF_NOBODY UINT32_MAX       /* -1: no CPU, or no thread */

/* A trace unit, by its block of AUXTRACE_INFO. */
enum { CAIRN_PERF_REGISTERS_MOST = 9 };
struct cairn_perf_core {
    uint32_t cpu;
    enum cairn_protocol_id protocol; /* by the magic: registers may say another, PTM for ETMv3 */
    struct cairn_register registers[CAIRN_PERF_REGISTERS_MOST];
    size_t register_count;
    int trace_id;         /* -1: not known */
    bool is_id_told;      /* by a record of the kernel, which counts whatever the register says; */
    bool is_id_unsure;    /* else it may be another, by the register */
    bool has_sink;        /* it is told which sink it writes to: trace IDs count for that one */
    uint32_t sink;        /* a number that means nothing else */
    bool has_system_time; /* its timestamps are of the counter that the kernel makes times of */
};

/* The same by a record of the kernel (AUX_OUTPUT_HW_ID), which may stand in front of AUXTRACE_INFO. */
struct cairn_perf_told_id {
    uint32_t cpu;
    int trace_id;
    bool has_sink;
    uint32_t sink;
};

/* A buffer that perf fills: a CPU's, or a thread's. */
struct cairn_perf_owner {
    uint32_t cpu, thread; /* thread counts where cpu is CAIRN_PERF_NOBODY */
};

/* What an AUXTRACE record carries: `size` bytes, that lie at `file` in the file and had `offset` in the owner's
 * stream. */
struct cairn_perf_piece {
    struct cairn_perf_owner owner;
    uint64_t offset, size, file;
    uint32_t number; /* of the file: 0, or of a further one of its folder, or CAIRN_PERF_UNPACKED */
};

/* Bytes of pieces that were packed, one behind the other. */
#define CAIRN_PERF_UNPACKED UINT32_MAX
struct cairn_perf_packed {
    struct ZSTD_DCtx_s *stream; /* NULL: there was none yet */
    uint8_t *bytes;
    size_t size, room;
    uint64_t taken;      /* bytes that these were made of */
    uint64_t unreadable; /* pieces of which not all could be unpacked */
    bool is_kept;        /* the bytes are the capture's */
};

/* What an AUX record says: the driver has put so many bytes into the owner's stream. */
#define CAIRN_PERF_AUX_TRUNCATED (UINT64_C(1) << 0)
#define CAIRN_PERF_AUX_OVERWRITE (UINT64_C(1) << 1)
#define CAIRN_PERF_AUX_PARTIAL (UINT64_C(1) << 2)
#define CAIRN_PERF_AUX_COLLISION (UINT64_C(1) << 3)
#define CAIRN_PERF_AUX_LOSSES                                                                      \
    (CAIRN_PERF_AUX_TRUNCATED | CAIRN_PERF_AUX_PARTIAL | CAIRN_PERF_AUX_COLLISION)
#define CAIRN_PERF_AUX_FORMAT UINT64_C(0xff00) /* of the trace: 0 has frames */
#define CAIRN_PERF_AUX_RAW UINT64_C(0x0100)    /* a trace buffer (TRBE): one source, none */
struct cairn_perf_fragment {
    struct cairn_perf_owner owner;
    uint64_t offset, size, flags;
    uint64_t began;  /* not before; 0: nobody knows */
    uint64_t time;   /* when it was complete */
    uint64_t number; /* in the file */
    uint32_t cpu;    /* on which it was recorded, also where the buffer is a thread's */
    uint32_t thread; /* that ran when it was complete */
    size_t run; /* its number among the runs, if these say where it was, or CAIRN_PERF_NO_RUN */
    size_t happened;  /* the same, also of one that does not say where */
    bool is_elsewhen; /* at a time that is not asked for */
    bool is_place;    /* `offset` is one in a ring of `size` bytes, up to rings.c */
    uint32_t turn;    /* the thread that all of it is of; CAIRN_PERF_NOBODY: not known */
    uint32_t
        stretch; /* of parts that follow one another, where each is a stream, from 1 on; or 0 */
    bool is_behind_silence; /* a thread ran in front of it, and nothing was recorded; */
    bool is_before_silence; /* behind it, and no other part is behind that */
};

/* What happened on a processor: a part of the trace was complete, or tracing began, or a thread begins or ends to run. */
enum cairn_perf_run_kind {
    CAIRN_PERF_RUN_PART,
    CAIRN_PERF_RUN_START,
    CAIRN_PERF_RUN_BEGINS,
    CAIRN_PERF_RUN_ENDS,
};
#define CAIRN_PERF_INDEXES_MOST 65536u
#define CAIRN_PERF_RUNS_MOST (1u << 21)
#define CAIRN_PERF_NO_RUN SIZE_MAX
struct cairn_perf_run {
    uint32_t cpu; /* CAIRN_PERF_NOBODY: not told */
    uint32_t thread;
    uint64_t time;
    size_t number; /* in the file */
    enum cairn_perf_run_kind kind;
};

/* On which processor an event counts. */
struct cairn_perf_index {
    uint64_t event;
    uint32_t cpu;
};

/* Where an executable part of a file was in the memory of a process. */
struct cairn_perf_mapping {
    uint32_t process;
    uint64_t time; /* when: what was mapped before recording began has 0 */
    uint64_t address, size, offset;
    size_t number;        /* in the file, from 0 on */
    bool is_inherited;    /* by a fork; then */
    size_t origin;        /* the number of the mapping that was copied */
    const char *path;     /* in the arena */
    const char *build_id; /* in hex, or NULL */
};

struct cairn_perf_built {
    const char *path, *build_id; /* in the arena */
};

/* Who runs in the memory of a process. */
struct cairn_perf_task {
    uint32_t process, thread;
};

/* FORK of a process, which has begun with its parent's memory. */
struct cairn_perf_fork {
    uint32_t process, parent, thread;
    uint64_t time; /* 0: not told */
    size_t number; /* in the file */
};

/* From then on a process has nothing of what it had. */
struct cairn_perf_end_of_memory {
    uint32_t process;
    uint64_t time;
    bool is_exec; /* it has started another program */
};

/* COMM: what a thread is called from then on. */
struct cairn_perf_name {
    uint32_t thread;
    uint64_t time; /* 0: not told */
    char name[16]; /* without a 0, if it is as long */
};

struct cairn_perf_trace {
    struct cairn_arena *arena;
    bool has_info, is_foreign; /* of the last AUXTRACE_INFO: another kind of trace than cs_etm */
    uint32_t version;          /* of AUXTRACE_INFO's header */
    uint32_t event_type;       /* of the event that the trace is of */
    uint32_t unknown_cores;    /* blocks of a kind that is not known */
    struct cairn_perf_core *cores;
    size_t core_count, core_room;
    struct cairn_perf_told_id *ids; /* one of each processor, the last */
    size_t id_count, id_room;
    struct cairn_perf_piece *pieces;
    size_t piece_count, piece_room;
    struct cairn_perf_packed packed;
    struct cairn_perf_fragment *fragments;
    size_t fragment_count, fragment_room;
    struct cairn_perf_mapping *mappings;
    size_t mapping_count, mapping_room;
    struct cairn_perf_built *built;
    size_t built_count, built_room;
    struct cairn_perf_task *tasks;
    size_t task_count, task_room;
    struct cairn_perf_name *names;
    size_t name_count, name_room;
    struct cairn_perf_fork *forks;
    size_t fork_count, fork_room;
    size_t forks_left; /* whose memory is not known, for there is no room */
    struct cairn_perf_end_of_memory *ends;
    size_t end_count, end_room;
    struct cairn_perf_run *runs;
    size_t run_count, run_room;
    struct cairn_perf_index *indexes;
    size_t index_count, index_room;
    struct cairn_table indexed;
    const char **files; /* by their numbers, from 1 on; NULL: there are no further ones */
    uint32_t file;      /* the number of that which is read */
    char program[16]; /* the beginning of a file's name, by the last COMM of an exec; no 0 behind */
    uint64_t program_time;
    bool is_untimed;      /* a mapping or a fragment does not say when */
    bool has_forks;       /* of threads or processes, while this was recorded */
    bool has_switches;    /* there are records of them */
    bool is_of_tasks;     /* the event counts where some tasks run; also set by the caller */
    bool is_inherited;    /* set by the caller: and where those run that they start */
    bool is_unmarked;     /* set by the caller: some trace does not say whose it is; */
    bool is_mixed;        /* and other trace does */
    bool has_kernel;      /* set by the caller: the event takes the kernel in */
    bool has_untold_runs; /* records of switches are missing, or do not say when or where */
    bool has_turns; /* parts of one buffer are of several threads, as they ran: a stream each */
    bool has_many_turns;     /* more threads than there is room for: nobody knows whose parts are */
    bool has_many_stretches; /* or more turns of these */
    bool has_many_moves;     /* threads went between processors more often than there is room for */
    bool too_many;           /* records of a kind: the rest is left out */
    bool no_memory;          /* the same, for want of memory */
    uint64_t kernel_changes; /* of its code, told by records that are not read */
    uint64_t guests;         /* records of what ran in virtual machines, which are left out */
    bool has_clock;          /* `clock` is what a record says */
    struct cairn_clock_info clock;
    uint64_t silences,
        silent;            /* a thread ran and nothing was recorded: how often, and nanoseconds */
    bool has_open_silence; /* and one more time perhaps, for nothing is told behind it */
    uint64_t lost;         /* samples and records that the kernel lost */
    uint64_t aux_count;    /* AUX records, also those without bytes */
    uint64_t time_from, time_to; /* set by the caller: of AUX records that count; both 0: all */
    uint64_t elsewhen;           /* those that do not count for that */
    uint64_t nobodys; /* of these, such as do not say which of several buffers they are of */
};

/* A record of the file; what it is not about is left alone. */
void cairn_perf_trace_take(struct cairn_perf_trace *trace, struct cairn_perf *perf,
                           const struct cairn_perf_record *record);
void cairn_perf_trace_clear(struct cairn_perf_trace *trace);

/* Where a fragment begins in its stream, not before when, and when it and those before it were complete. */
struct cairn_perf_mark {
    uint64_t began, time, bytes;
};

/* A span in front of which bytes were lost, by the driver's word or by their offsets. */
struct cairn_perf_break {
    size_t span;
    bool is_hole;  /* by their offsets: bytes are not in the file */
    bool is_start; /* a fragment begins there */
    uint8_t phase; /* of its first byte in a frame, of 16 that begin where the fragment does */
};

/* The bytes of an owner that have one format, in order. */
struct cairn_perf_stream {
    struct cairn_perf_owner owner;
    uint32_t cpu;    /* of its first fragment */
    uint32_t thread; /* the owner, or who had its turn; CAIRN_PERF_NOBODY: not known */
    bool is_raw;
    uint32_t file;            /* the number of that which its bytes are in */
    uint32_t stretch;         /* 0: it is of all such parts of its owner and thread */
    uint32_t number;          /* among the stretches of these, from 0 on */
    uint32_t latest;          /* of the first of them: the last one */
    struct cairn_span *spans; /* of the file */
    size_t span_count, span_room;
    uint64_t bytes;
    uint64_t fragments, truncated, partial, collided;
    struct cairn_perf_break *breaks;
    size_t break_count, break_room;
    uint64_t left_out; /* bytes behind these; and in frames that a hole cuts */
    uint64_t
        *losses; /* where these are in the bytes that are left, and at their end if it is unsure */
    size_t loss_count;
    struct cairn_perf_mark *marks;
    size_t mark_count, mark_room;
    /* for streams.c: the offset that follows, and whether something is lost there, by the driver's word or since bytes of
     * a part are not in the file */
    uint64_t next;
    bool is_unsure;
};
struct cairn_perf_streams {
    struct cairn_perf_stream *list;
    size_t count, room;
    struct cairn_table first;                /* of each owner, thread and format */
    uint64_t missing;                        /* fragments of which the file lacks bytes */
    uint64_t missing_bytes;                  /* and of how many */
    uint64_t overwritten, overwritten_bytes; /* the same of snapshots */
    uint64_t untold_bytes;                   /* of AUXTRACE records, that no fragment tells of */
    uint64_t overlapping;                    /* fragments that have bytes of others */
    uint64_t unknown_formats;                /* fragments of a format that is not known */
    uint64_t nothing; /* fragments without bytes, lost, that no stream is of */
};
/* further.c: reads the further files of a folder whose first is `path`; what is wrong with one of them is said, and that
 * there are none if `are_there`. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_perf_read_further(struct cairn_capture *capture,
                                                      const struct cairn_files *files,
                                                      const char *path, struct cairn_perf *perf,
                                                      struct cairn_perf_trace *trace,
                                                      bool are_there);
/* packed.c, for trace.c: whether a piece of the file is packed; and unpacks it: what of it is readable is the piece. */
bool cairn_perf_is_packed_trace(struct cairn_perf *perf, const struct cairn_perf_piece *piece);
void cairn_perf_unpack_trace(struct cairn_perf_trace *trace, struct cairn_perf *perf,
                             struct cairn_perf_piece *piece);
/* The bytes live as long as the capture. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_perf_keep_packed(struct cairn_capture *capture,
                                                     struct cairn_perf_trace *trace);
void cairn_perf_packed_clear(struct cairn_perf_packed *packed);
/* Says why reading stopped. */
void cairn_perf_say_end(struct cairn_capture *capture, const struct cairn_perf *perf);
/* forks.c: of which processes the memory is not known. */
void cairn_perf_say_forks(struct cairn_capture *capture, const char *path,
                          const struct cairn_perf_trace *trace);
/* padding.c, for trace.c. All are in order. */
void cairn_perf_take_padding(struct cairn_perf_trace *trace);
/* rings.c, for trace.c: makes parts of the pieces of rings. They are in the order of the file. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_perf_settle_rings(struct cairn_perf_trace *trace);
/* silences.c, for trace.c: what ran while the buffer of its processor, or its own, was full. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_perf_find_silences(struct cairn_perf_trace *trace);
void cairn_perf_say_silences(struct cairn_capture *capture, const char *path,
                             const struct cairn_perf_trace *trace);
/* threads.c, for trace.c: by process, each once. */
void cairn_perf_sort_tasks(struct cairn_perf_trace *trace);
/* switches.c: whether the trace of a processor says whose it is; of one that is not described that of the first does. */
bool cairn_perf_is_marked(const struct cairn_perf_trace *trace, uint32_t cpu);
/* switches.c, for trace.c: on which processors events count. */
void cairn_perf_take_index(struct cairn_perf_trace *trace, const struct cairn_perf *perf,
                           const struct cairn_perf_record *record);
/* switches.c: records of an event that does not say where it happens come from the processor that it counts on. */
void cairn_perf_find_cpu(const struct cairn_perf_trace *trace, struct cairn_perf_sample_id *from);
/* switches.c, for silences.c: by processor and time. */
void cairn_perf_sort_runs(struct cairn_perf_trace *trace);
/* switches.c: what is not known of whose the parts are. */
void cairn_perf_say_turns(struct cairn_capture *capture, const char *path,
                          const struct cairn_perf_trace *trace,
                          const struct cairn_perf_streams *streams);
/* Puts AUX and AUXTRACE together; without any AUX the AUXTRACE records are fragments. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_perf_trace_settle(struct cairn_perf_trace *trace,
                                                      struct cairn_perf_streams *streams);
/* resume.c: leaves out what cannot be read behind a break. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_perf_resume(struct cairn_perf_stream *stream,
                                                enum cairn_protocol_id id,
                                                const struct cairn_perf_input *input);
void cairn_perf_streams_clear(struct cairn_perf_streams *streams);

/* What is in front of `offset`, in a source's bytes, was executed at `time` or before it; all behind it afterwards. */
struct cairn_perf_pin {
    uint64_t time, offset;
};
struct cairn_perf_pins {
    struct cairn_perf_pin *list; /* ascending in both */
    size_t count, room;
    bool is_read;
};

/* A source of the capture, and of what it is. */
struct cairn_perf_place {
    size_t source, buffer;
    int id; /* its trace ID; -1: no frames */
    const struct cairn_perf_stream *stream;
    uint32_t thread;              /* that it is of; CAIRN_PERF_NOBODY: not known */
    uint64_t *before;             /* of each mark, the source's bytes; NULL: not counted */
    struct cairn_perf_pins *pins; /* in each mark's part; NULL: nowhere yet */
};
void cairn_perf_place_clear(struct cairn_perf_place *place);

/* epochs.c, for trace.c: when parts began at the earliest. Fragments are in order. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_perf_find_beginnings(struct cairn_perf_trace *trace);
/* CAIRN_E_MEMORY. What cannot be read counts as the end. */
CAIRN_MUST_CHECK cairn_status cairn_perf_place_count(const struct cairn_capture *capture,
                                                     struct cairn_perf_place *place);
/* The part in which it was `time`, or which was complete next; as many as there are marks: none. */
size_t cairn_perf_place_part(const struct cairn_perf_place *place, uint64_t time);
/* Whether nobody knows without pins where in that part it was. It need not be counted for that. */
bool cairn_perf_place_is_amid(const struct cairn_perf_place *place, size_t part, uint64_t time);
/* Where it begins, or the source ends. It is counted. */
uint64_t cairn_perf_place_begin(const struct cairn_perf_place *place, size_t part);
/* In a source's bytes, a time: what is in front of `from` was executed before it, what is at `until` or behind it
 * afterwards, and of what is between nobody knows. At the end of the source both are CAIRN_PERF_OFFSET_END. */
#define CAIRN_PERF_OFFSET_END (UINT64_MAX - 1) /* of an epoch: UINT64_MAX is one that is always */
struct cairn_perf_between {
    uint64_t from, until;
};
/* By the pins that there are; it is counted. */
struct cairn_perf_between cairn_perf_place_between(const struct cairn_perf_place *place,
                                                   uint64_t time);

/* --- for each other --- */

/* info.c */
void cairn_perf_take_info(struct cairn_perf_trace *trace, const struct cairn_perf *perf,
                          const struct cairn_perf_record *record);
/* TIME_CONV */
void cairn_perf_take_clock(struct cairn_perf_trace *trace, const struct cairn_perf *perf,
                           const struct cairn_perf_record *record);
/* Whether it is that of all trace. */
bool cairn_perf_has_clock(const struct cairn_perf_trace *trace);
/* AUX_OUTPUT_HW_ID: the trace ID of a CPU. */
void cairn_perf_take_hardware_id(struct cairn_perf_trace *trace, struct cairn_perf *perf,
                                 const struct cairn_perf_record *record);
/* info.c, for trace.c: they count, whatever AUXTRACE_INFO says. */
void cairn_perf_settle_ids(struct cairn_perf_trace *trace);
/* maps.c */
void cairn_perf_take_mapping(struct cairn_perf_trace *trace, struct cairn_perf *perf,
                             const struct cairn_perf_record *record);
void cairn_perf_take_build_id(struct cairn_perf_trace *trace, const struct cairn_perf *perf,
                              const uint8_t *bytes, size_t size, uint16_t misc);
void cairn_perf_take_task(struct cairn_perf_trace *trace, uint32_t process, uint32_t thread);
const char *cairn_perf_build_id_of(const struct cairn_perf_trace *trace,
                                   const struct cairn_perf_mapping *mapping);
/* switches.c: SWITCH_CPU_WIDE, ITRACE_START and AUX. False: it does not say where it was, or less, or there is no room. */
bool cairn_perf_take_run(struct cairn_perf_trace *trace, struct cairn_perf *perf,
                         const struct cairn_perf_record *record);
/* Sets the turns of fragments, which are in order. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_perf_find_turns(struct cairn_perf_trace *trace);
/* lives.c */
void cairn_perf_take_end(struct cairn_perf_trace *trace, uint32_t process, uint64_t time,
                         bool is_exec);
void cairn_perf_sort_ends(struct cairn_perf_trace *trace);
/* When a mapping was gone, by what is sorted; 0: that is not told. */
uint64_t cairn_perf_end_of(const struct cairn_perf_trace *trace,
                           const struct cairn_perf_mapping *mapping);
/* The last end of a process at `time` or before it; NULL: there is none. */
const struct cairn_perf_end_of_memory *cairn_perf_last_end(const struct cairn_perf_trace *trace,
                                                           uint32_t process, uint64_t time);
/* forks.c */
void cairn_perf_take_fork(struct cairn_perf_trace *trace, struct cairn_perf *perf,
                          const struct cairn_perf_record *record);
/* Adds what forked processes began with to the mappings, in no order. */
void cairn_perf_inherit(struct cairn_perf_trace *trace);
/* processes.c: the kernel has its own. */
bool cairn_perf_is_of_user(const struct cairn_perf_mapping *mapping);
/* What is no file has no path: code that was made while the program ran. */
bool cairn_perf_has_file(const struct cairn_perf_mapping *mapping);
/* Whether `other` is `one`, or a part of it: mprotect makes such. */
bool cairn_perf_is_same(const struct cairn_perf_mapping *one,
                        const struct cairn_perf_mapping *other);
/* Of what is settled: code that is mapped is there whoever runs. *is_unsure: there are more pairs of mappings than are
 * looked at, and it is taken not to be. */
#define CAIRN_PERF_PAIRS_MOST (1u << 22)
bool cairn_perf_has_one_process(const struct cairn_perf_trace *trace, bool *is_unsure);
/* stored.c: names files in archives that are mapped by their place there. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_perf_find_stored(struct cairn_perf_trace *trace,
                                                     const struct cairn_capture_options *options);
/* images.c: code of the mapped files into the capture's image. */
CAIRN_MUST_CHECK cairn_status cairn_perf_add_images(struct cairn_capture *capture,
                                                    const struct cairn_files *files,
                                                    const struct cairn_perf_trace *trace,
                                                    struct cairn_perf_place *places,
                                                    size_t place_count,
                                                    const struct cairn_capture_options *options);

/* kernel.c: the same of the kernel. `folder` may have a `kcore` of it, or is NULL; `is_traced`: there may be trace of
 * it. What the user named and cannot be used is an error, with the reason. */
CAIRN_MUST_CHECK cairn_status cairn_perf_add_kernel(struct cairn_capture *capture,
                                                    const struct cairn_files *files,
                                                    const struct cairn_perf_trace *trace,
                                                    const struct cairn_capture_options *options,
                                                    const char *folder, bool is_traced,
                                                    struct cairn_error *error);

/* units.c. NULL: it is not described. */
const struct cairn_perf_core *cairn_perf_core_of_cpu(const struct cairn_perf_trace *trace,
                                                     uint32_t cpu);
/* That whose trace has the ID in the stream's frames, by the sink of the stream's processor; of several that processor's
 * own, or the first. Those whose ID a record tells come before those that have it by their registers. *count: how many
 * it may be. */
const struct cairn_perf_core *cairn_perf_core_of_id(const struct cairn_perf_trace *trace,
                                                    const struct cairn_perf_stream *stream, int id,
                                                    size_t *count);
/* Sets the stretches of threads' buffers: a new one where the thread has gone to a processor whose trace must be by
 * itself. Fragments are in order. */
void cairn_perf_part_moves(struct cairn_perf_trace *trace);
void cairn_perf_say_moves(struct cairn_capture *capture, const char *path,
                          const struct cairn_perf_trace *trace);

/* threads.c. COMM, of eight bytes or more. */
void cairn_perf_take_name(struct cairn_perf_trace *trace, struct cairn_perf *perf,
                          const struct cairn_perf_record *record);
/* What the thread was called at last, in the arena; NULL: nobody says. */
const char *cairn_perf_name_of(const struct cairn_perf_trace *trace, uint32_t thread);
enum cairn_thread_mark cairn_perf_mark_of(const struct cairn_perf_core *core);
/* That of the first trace unit that has one. */
enum cairn_thread_mark cairn_perf_thread_mark(const struct cairn_perf_trace *trace);
/* Settled before. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_perf_add_threads(struct cairn_capture *capture,
                                                     const struct cairn_perf_trace *trace);

/* names.c, for threads.c: what threads were called. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_perf_add_names(struct cairn_capture *capture,
                                                   const struct cairn_perf_trace *trace);
/* When the first and the last of the parts that count were complete. */
struct cairn_perf_parts {
    uint64_t first, last;
};
/* numbers.c, for names.c too. */
struct cairn_perf_parts cairn_perf_parts_of(const struct cairn_perf_trace *trace);
/* Of which number of a process there were several, and where in the trace; behind names and images. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_perf_add_lives(struct cairn_capture *capture, const char *path,
                                                   const struct cairn_perf_trace *trace,
                                                   struct cairn_perf_place *places,
                                                   size_t place_count);

/* streams.c, for trace.c: bytes of the part, which is behind those before it, into its stream. Pieces up to *at begin
 * in front of its end. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_perf_put_part(struct cairn_perf_trace *trace,
                                                  struct cairn_perf_streams *streams,
                                                  const struct cairn_perf_fragment *fragment,
                                                  size_t *at);
/* A part without bytes, of which the driver says that trace was lost. */
void cairn_perf_put_nothing(const struct cairn_perf_trace *trace,
                            struct cairn_perf_streams *streams,
                            const struct cairn_perf_fragment *fragment);
/* owners.c: of a buffer that is a thread's that one, or 0; and the order of buffers. */
uint32_t cairn_perf_thread_of(const struct cairn_perf_owner *owner);
int cairn_perf_by_owner(const struct cairn_perf_owner *one, const struct cairn_perf_owner *other);
/* owners.c: room for one more; false where there is none. */
bool cairn_perf_room(struct cairn_perf_trace *trace, void **list, size_t count, size_t *room,
                     size_t size, size_t most);

#endif
