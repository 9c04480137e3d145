/* SPDX-License-Identifier: BSD-2-Clause */
/* Captures as users have them -> sources (trace streams with their registers) and an image. */
#ifndef CAIRN_CAPTURE_H
#define CAIRN_CAPTURE_H

#include <cairn/image.h>
#include <cairn/packet.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How the bytes of a buffer are laid out. */
enum cairn_format {
    CAIRN_FORMAT_AUTO = 0,
    CAIRN_FORMAT_SOURCE_DATA = 1,       /* one source, no frames */
    CAIRN_FORMAT_CORESIGHT = 2,         /* 16-byte formatter frames (IHI0029), memory aligned */
    CAIRN_FORMAT_DSTREAM_CORESIGHT = 3, /* the same with FSYNC/HSYNC between and inside frames */
};
CAIRN_API const char *cairn_format_name(enum cairn_format format);

/* For captures that do not describe themselves. Begin with CAIRN_CAPTURE_OPTIONS_INIT. */
struct cairn_capture_options {
    size_t size; /* of this structure */
    enum cairn_format format;
    /* CAIRN_PROTOCOL_UNKNOWN: not given. Else of a raw buffer what its configuration does not say
     * otherwise, and of a snapshot all sources that trace a core are taken for it. */
    enum cairn_protocol_id protocol;
    const char *core;        /* core type, as cairn_arch_from_name takes it; NULL */
    int trace_id;            /* -1: not given */
    const char *config_path; /* INI with [source NAME] sections; NULL */
    /* Over what any file says. "TRCCONFIGR" is that of each source whose trace unit has such a
     * register, "ETM_0:TRCCONFIGR" that of one source: CAIRN_E_NOT_FOUND where there is none. */
    const struct cairn_register *registers;
    size_t register_count;
    /* Where the files that a recording names are looked for, besides where they were. All that is found
     * by its build-id counts; a file that had none only at its path, below `sysroot` if that is given. */
    const char *sysroot;              /* a copy of the recorded machine's root; NULL */
    const char *const *debug_folders; /* as of /usr/lib/debug, of debuginfod's cache, or of files */
    size_t debug_folder_count;
    const char *name; /* of a raw buffer, if not that of its file; NULL */
    /* Of a trace port's file (docs/trace-port.md): which wire is which pin, a map ("mictor38"), SIGNAL=WIRE
     * with commas between, or both; the clocking mode ("multiplexed"); how many pins of TRACEPKT or
     * TRACEDATA. NULL and 0: as the file has it. */
    const char *pins;
    const char *port_mode;
    unsigned port_width;
    /* Of a perf.data file: only parts of the trace that were complete between these times, both included, in
     * nanoseconds as the file has them. Both 0: all. CAIRN_E_UNSUPPORTED where nothing says when. */
    uint64_t time_from;
    uint64_t time_to;
    /* Of a perf.data file, code of the kernel that ran: its vmlinux, which is put where it was, and refused
     * if its build-id is another; a copy of its memory (/proc/kcore), or the folder with kcore, kallsyms and
     * modules that `perf record --kcore` makes. NULL. CAIRN_E_UNSUPPORTED of other captures. */
    const char *vmlinux;
    const char *kcore;
};
#define CAIRN_CAPTURE_OPTIONS_INIT                                                                 \
    {                                                                                              \
        .size = sizeof(struct cairn_capture_options), .trace_id = -1                               \
    }

struct cairn_capture; /* read-only after opening; may be shared between threads */

/* Opens a snapshot (a folder, or its snapshot.ini), a perf.data file, a raw buffer, what a trace port showed (a
 * value change dump, sigrok's session, OpenOCD's `etm dump`), or an INI file that describes several of these
 * (docs/formats.md). Of a dump of memory the registers say where in it the trace is: those of a Micro
 * Trace Buffer, or of a trace buffer (TRBE). */
CAIRN_API CAIRN_MUST_CHECK cairn_status
cairn_capture_open(const char *path, const struct cairn_capture_options *options,
                   struct cairn_capture **capture, struct cairn_error *error);
CAIRN_API void cairn_capture_free(struct cairn_capture *capture);

/* A capture without buffers and sources, for what no file describes: memory, or another program's
 * container. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_capture_new(struct cairn_capture **capture,
                                                          struct cairn_error *error);

/* A part of a file or of memory. */
struct cairn_buffer_part {
    const char *path;   /* of the file, or */
    const void *memory; /* the bytes, which must live as long as the capture */
    uint64_t offset;    /* of the part in it */
    uint64_t length;
};

/* A buffer of a capture put together by the caller: a file, memory, any number of parts of one, or
 * of several, in the order of the trace. Zero it, then set `size`. */
struct cairn_buffer_options {
    size_t size; /* of this structure */
    const char *name;
    enum cairn_format format; /* with frames, each trace ID is a source's; AUTO looks */
    const char *path;         /* of the file, or */
    const void *memory;       /* the bytes, which must live as long as the capture */
    uint64_t memory_size;
    const struct cairn_span *spans; /* of the file or memory; NULL: all of it */
    size_t span_count;
    /* Instead of all these: parts of files and memories, one behind the other. Offsets "in the file"
     * are then those in all parts together. */
    const struct cairn_buffer_part *parts;
    size_t part_count;
    /* Where trace was lost, or NULL: in front of these bytes of all that is told above, or, with their
     * number, behind all of them; ascending. What a decoder knows does not hold there (cairn_reader_lost). Of no matter for MTB, and for ETMv1 and ETMv2, whose samples
     * say it themselves. */
    const uint64_t *losses;
    size_t loss_count;
};
/* Adds a buffer; cairn_capture_survey then finds the trace IDs in its frames. `index` may be NULL. */
CAIRN_API CAIRN_MUST_CHECK cairn_status
cairn_capture_put_buffer(struct cairn_capture *capture, const struct cairn_buffer_options *options,
                         size_t *index, struct cairn_error *error);

/* A source of such a buffer. Begin with CAIRN_SOURCE_OPTIONS_INIT. */
struct cairn_source_options {
    size_t size; /* of this structure */
    const char *name;
    const char *core; /* as in struct cairn_capture_options */
    enum cairn_protocol_id protocol;
    int trace_id;  /* -1: the buffer has no frames */
    size_t buffer; /* index */
    const struct cairn_register *registers;
    size_t register_count;
};
#define CAIRN_SOURCE_OPTIONS_INIT                                                                  \
    {                                                                                              \
        .size = sizeof(struct cairn_source_options), .trace_id = -1                                \
    }
CAIRN_API CAIRN_MUST_CHECK cairn_status
cairn_capture_put_source(struct cairn_capture *capture, const struct cairn_source_options *options,
                         size_t *index, struct cairn_error *error);

/* What is told of a capture is written up to the `size` that the caller sets: begin with
 * {.size = sizeof info}. */

/* Where contexts of the trace have the thread's number. The list is open. */
enum cairn_thread_mark {
    CAIRN_THREAD_NOT_MARKED = 0, /* nowhere that is known */
    CAIRN_THREAD_CONTEXT_ID = 1,
    CAIRN_THREAD_VMID = 2, /* where the kernel runs at EL2 */
};

/* One source: a stream of one trace ID of one buffer. Buffers with frames have one more source for
 * each trace ID that they carry and no trace unit is configured for (found by cairn_capture_survey;
 * protocol UNKNOWN). */
struct cairn_source_info {
    size_t size;           /* of this structure */
    const char *name;      /* "ETM_0", "id-0x22" */
    const char *core;      /* "cpu_0", or NULL */
    const char *core_type; /* "Cortex-A53", or NULL */
    const char *type;      /* trace unit type as the capture says ("ETM4", "ETE", "STM"), or NULL */
    enum cairn_protocol_id protocol;
    struct cairn_arch arch;
    int trace_id;  /* -1: not known (a buffer without frames) */
    size_t buffer; /* index */
    const struct cairn_register *registers;
    size_t register_count;
    uint64_t thread_id;      /* of the thread that was traced, as the system counts; 0: not known */
    const char *thread_name; /* or NULL */
    /* Of its core, as far as they are known and listings use them: VTOR (M profile), VTOR_S, VTOR_NS. */
    const struct cairn_register *core_registers;
    size_t core_register_count;
    enum cairn_thread_mark thread_mark; /* of its trace unit */
};
CAIRN_API size_t cairn_capture_source_count(const struct cairn_capture *capture);
CAIRN_API cairn_status cairn_capture_source(const struct cairn_capture *capture, size_t source,
                                            struct cairn_source_info *info);

/* One trace buffer: a file. */
struct cairn_buffer_info {
    size_t size;      /* of this structure */
    const char *name; /* "ETB_0" */
    const char *path;
    enum cairn_format format;
    uint64_t bytes; /* of the file */
};
CAIRN_API size_t cairn_capture_buffer_count(const struct cairn_capture *capture);
CAIRN_API cairn_status cairn_capture_buffer(const struct cairn_capture *capture, size_t buffer,
                                            struct cairn_buffer_info *info);

/* Where the bytes of a buffer are: they add up to buffer_info.bytes. */
struct cairn_buffer_account {
    size_t size;         /* of this structure */
    uint64_t framing;    /* ID bytes and auxiliary bytes of frames; the ends of DSTREAM's blocks */
    uint64_t sync;       /* FSYNC and HSYNC packets */
    uint64_t null_id;    /* data under ID 0x00 and the reserved IDs 0x70-0x7c, 0x7e, 0x7f */
    uint64_t trigger_id; /* data under ID 0x7d */
    uint64_t unaligned;  /* before the first frame boundary could be known */
    uint64_t no_id;      /* data before the first ID */
    uint64_t truncated;  /* an incomplete last frame; frames that an FSYNC cut short */
    uint64_t data[128]; /* data bytes per trace ID (0x01 to 0x6f); [0] for buffers without frames */
    /* Of a dump of a trace buffer in memory (TRBE), which no source has: */
    uint64_t
        unwritten;    /* in the buffer, but not written in the session that the registers are of */
    uint64_t outside; /* memory around the buffer */
};

/* Reads the whole buffer once and counts. Adds sources for IDs without configuration to the
 * capture: call it before sharing the capture between threads. `progress` may be NULL; non-zero
 * stops. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_capture_survey(
    struct cairn_capture *capture, size_t buffer, struct cairn_buffer_account *account,
    int (*progress)(void *context, uint64_t done, uint64_t total), void *context,
    struct cairn_error *error);

/* The memory of the traced program as the capture has it. Never NULL; may be without layers. The
 * caller may add layers before decoding. */
CAIRN_API struct cairn_image *cairn_capture_image(struct cairn_capture *capture);

/* What ran, if the capture says so: a recording does. */
struct cairn_program_info {
    size_t size;                  /* of this structure */
    const char *path;             /* of the program's file, or NULL */
    const char *const *arguments; /* with argv[0] */
    size_t argument_count;
    int exit_status; /* 128 + N: signal N ended it; -1: not known */
    /* NULL where the capture does not say: */
    const char *signal;   /* that ended it: "SIGSEGV" */
    const char *recorder; /* "cairn 0.1.0" */
    const char *host;     /* that it was recorded on: system and machine */
    const char *guest;    /* what executed it */
    const char *folder;   /* in which it was started */
    const char *const
        *environment; /* "NAME=value" of what changes how a program is loaded and runs */
    size_t environment_count;
};
/* CAIRN_E_NOT_FOUND: the capture does not say. */
CAIRN_API cairn_status cairn_capture_program(const struct cairn_capture *capture,
                                             struct cairn_program_info *info);

/* A file whose code ran, as the capture says. Where the file is still the same, or the capture or a
 * folder of debug_folders has one of its build-id, it gives the names of functions, and lines
 * (cairn_image_add_names); so does the file that it names for that (.gnu_debuglink). Of several the one counts that has symbols and debug information. */
enum cairn_module_state {
    CAIRN_MODULE_USED = 0,
    CAIRN_MODULE_MISSING = 1, /* there is no such file here */
    CAIRN_MODULE_CHANGED = 2, /* there is another one: its build-id differs, it is no ELF file, or
                                 (without a build-id) its code is not what was recorded */
};
struct cairn_module_info {
    size_t size;          /* of this structure */
    const char *path;     /* as recorded */
    const char *file;     /* that is used, or NULL */
    const char *build_id; /* as recorded: lower-case hex; NULL: the file had none */
    uint64_t bias;        /* address in memory minus address in the file */
    uint64_t address;     /* of the first byte that was mapped for execution; */
    uint64_t length;      /* 0: all that the file loads */
    enum cairn_module_state state;
    /* Instructions that were recorded and that the file at `path` has otherwise, as far as they were
     * counted, and where the first of them is. A file without a build-id is then CHANGED. */
    uint64_t differing;
    uint64_t differs_at;
    /* The file with the code, where `file` has debug information alone that was split off (found by
     * the build-id, or named by .gnu_debuglink) or more names; else NULL. */
    const char *code;
};
CAIRN_API size_t cairn_capture_module_count(const struct cairn_capture *capture);
CAIRN_API cairn_status cairn_capture_module(const struct cairn_capture *capture, size_t module,
                                            struct cairn_module_info *info);

/* A thread that the capture names: of a perf.data file those that ran or had something mapped. */
struct cairn_thread_info {
    size_t size;         /* of this structure */
    uint64_t process_id; /* as the system counts */
    uint64_t thread_id;
    const char *name; /* its last one, or NULL */
};
CAIRN_API size_t cairn_capture_thread_count(const struct cairn_capture *capture);
/* By process, then thread. CAIRN_E_NOT_FOUND past the last. */
CAIRN_API cairn_status cairn_capture_thread(const struct cairn_capture *capture, size_t index,
                                            struct cairn_thread_info *info);

/* That of its sources, or of the first that has one: these may differ (cairn_source_info.thread_mark). */
CAIRN_API enum cairn_thread_mark cairn_capture_thread_mark(const struct cairn_capture *capture);

/* How timestamps of the trace become times of the recorded system: of a perf.data file those that its records have
 * (TIME_CONV), if it says that the trace has the counter that they are made of. */
struct cairn_clock_info {
    size_t size;           /* of this structure */
    uint64_t shift;        /* nanoseconds of a count are multiplier / 2^shift; below 64 */
    uint64_t multiplier;   /* not 0 */
    uint64_t zero;         /* the time of count 0, modulo 2^64 */
    uint64_t counter;      /* a count that the counter had, and which of its bits */
    uint64_t counter_mask; /* a timestamp tells: all, or those of a counter that wraps */
};
/* CAIRN_E_NOT_FOUND: that is not known. */
CAIRN_API cairn_status cairn_capture_clock(const struct cairn_capture *capture,
                                           struct cairn_clock_info *info);
/* Nanoseconds. */
CAIRN_API uint64_t cairn_clock_time(const struct cairn_clock_info *clock, uint64_t timestamp);

/* What was odd: missing files, unknown core names ... a sentence each, with what to do. */
enum cairn_severity { CAIRN_NOTE = 0, CAIRN_WARNING = 1, CAIRN_PROBLEM = 2 };
struct cairn_remark {
    enum cairn_severity severity;
    const char *text;
};
CAIRN_API cairn_status
cairn_capture_remark(const struct cairn_capture *capture, size_t index,
                     struct cairn_remark *remark); /* NOT_FOUND past the last */

/* A run of source bytes that are also contiguous in the file (formatter frames interleave). */
struct cairn_run {
    uint64_t offset; /* in the source's bytes */
    uint64_t file_offset;
    uint64_t length;
};
struct cairn_chunk {
    const uint8_t *data;          /* valid until the next call */
    size_t size;                  /* 0: the source has ended */
    uint64_t offset;              /* of data[0] in the source's bytes */
    const struct cairn_run *runs; /* cover the chunk, in order */
    size_t run_count;
};

/* Reads one source's bytes in order, in constant memory. */
struct cairn_reader;
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_reader_new(const struct cairn_capture *capture,
                                                         size_t source,
                                                         struct cairn_reader **reader,
                                                         struct cairn_error *error);
CAIRN_API void cairn_reader_free(struct cairn_reader *reader);
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_reader_next(struct cairn_reader *reader,
                                                          struct cairn_chunk *chunk);
/* Whether trace was lost in front of the chunk given last, which the capture says: what is known at
 * its end does not hold at its beginning, and it may begin inside a packet. A pipeline heeds it:
 * there is a gap (CAIRN_GAP_LOST), and what follows counts from the next synchronisation on. No chunk has such a
 * place inside. False for the first one of the source, which nothing comes before. Trace that was lost behind all of the
 * source is told by the empty chunk at its end, once. */
CAIRN_API bool cairn_reader_lost(const struct cairn_reader *reader);
/* The next chunk begins at this offset of the source's bytes, or has ended if there are no more of
 * them. Where the bytes of a buffer with frames are, only counting tells: its file is gone through
 * up to there, once for all sources and readers of the capture. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_reader_seek(struct cairn_reader *reader,
                                                          uint64_t offset);
/* How many bytes the source has; the reader stays where it is. That of a buffer with frames is
 * counted, as above. `progress` may be NULL, and is told bytes of the file; non-zero ends it with
 * CAIRN_E_LIMIT. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_reader_size(
    struct cairn_reader *reader, int (*progress)(void *context, uint64_t done, uint64_t total),
    void *context, uint64_t *size);
/* Bytes of the buffer's file consumed so far, for progress. */
CAIRN_API uint64_t cairn_reader_file_position(const struct cairn_reader *reader);

#ifdef __cplusplus
}
#endif
#endif
