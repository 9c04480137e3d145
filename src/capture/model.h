/* SPDX-License-Identifier: BSD-2-Clause */
/* An open capture, and how a container fills it. */
#ifndef CAIRN_CAPTURE_MODEL_H
#define CAIRN_CAPTURE_MODEL_H

#include <cairn/capture.h>

#include "capture/arena.h"
#include "capture/files.h"
#include "capture/frames.h"
#include "capture/measure.h"

/* A part of a buffer that is in several files or memories. */
struct cairn_capture_part {
    const char *path;
    const uint8_t *memory; /* NULL: it is in the file */
    uint64_t offset;       /* in the file or memory */
    uint64_t end;          /* in all parts together */
};

/* Of a buffer whose bytes are not those of its file, but made from them: up to `size` of them. Any thread
 * may call it. Negative: the file cannot be read. */
struct cairn_buffer_view {
    int64_t (*read)(const struct cairn_buffer_view *view, int fd, void *bytes, size_t size,
                    uint64_t offset);
    /* Gives up what it holds besides memory of the arena, of a view that the capture keeps; NULL: nothing. */
    void (*close)(struct cairn_buffer_view *view);
    struct cairn_buffer_view *next;
};

struct cairn_buffer {
    struct cairn_buffer_info info;
    const struct cairn_buffer_view *view; /* NULL: they are the file's; info.bytes are the view's */
    struct cairn_frame_layout layout;     /* of buffers with frames */
    bool surveyed;
    const uint8_t *memory;            /* where the bytes are if in no file; the caller's */
    struct cairn_capture_part *parts; /* the same if they are in several; in the arena */
    size_t part_count;
    struct cairn_span *order;    /* of the trace, oldest bytes first; in the arena */
    size_t order_count;          /* 0: that of the file */
    uint64_t unwritten, outside; /* bytes of the file that the order leaves out (account) */
    /* Bytes of the order in front of which trace was lost, ascending and none twice; in the arena. */
    const uint64_t *losses;
    size_t loss_count;
};

/* A remark, and the code that `cairn check` tells it under; NULL: that of any description. */
struct cairn_said {
    struct cairn_remark remark;
    const char *code;
    bool is_doubt; /* numbers do not show it: commands that answer repeat it */
};

/* What a thread was called from a time on, up to its next name. */
struct cairn_named {
    uint64_t thread_id;
    uint64_t time; /* 0: not told, or before all */
    const char *name;
    size_t number;    /* in the capture */
    bool is_elsewhen; /* there is no trace from when it was called so */
};

/* Of several threads that had a number one after the other: the n-th, from 0 on, where the capture tells of such. */
struct cairn_lived {
    uint64_t thread_id;
    uint32_t life;
    uint64_t since;   /* nanoseconds; of the first 0 */
    const char *name; /* its last one, or NULL */
};

/* From that offset on it is the next one of them in a source. */
struct cairn_border {
    uint64_t thread_id;
    size_t source;
    uint64_t offset;
};

struct cairn_capture {
    struct cairn_arena arena; /* every string and register that the lists point to */
    struct cairn_buffer *buffers;
    size_t buffer_count, buffer_capacity;
    struct cairn_source_info *sources;
    size_t source_count, source_capacity;
    struct cairn_said *remarks;
    size_t remark_count, remark_capacity;
    struct cairn_image *image;
    bool has_program;
    struct cairn_program_info program;
    struct cairn_module_info *modules;
    size_t module_count, module_capacity;
    struct cairn_thread_info *threads;
    size_t thread_count, thread_capacity;
    struct cairn_named *names; /* by thread, and of one in their order */
    size_t name_count;
    struct cairn_lived *lives; /* by thread, and of one by number */
    size_t life_count;
    struct cairn_border *borders; /* by thread, source and offset */
    size_t border_count;
    enum cairn_thread_mark thread_mark;
    bool has_clock;
    struct cairn_clock_info clock;
    bool has_times;                  /* options.time_from and time_to were heeded */
    bool is_perf;                    /* a recording by perf */
    struct cairn_measures *measures; /* of buffers with frames: filled while readers seek */
    struct cairn_buffer_view *views; /* that have something to close */
};

/* A broken description must not drown the reader. */
#define CAIRN_REMARK_LIMIT 1000
#define CAIRN_REMARK_SIZE 1024

/* Adds a sentence; when memory is out it is lost. */
void cairn_capture_say(struct cairn_capture *capture, enum cairn_severity severity,
                       const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A warning that a listing, or numbers, do not show and cannot be trusted without. */
void cairn_capture_doubt(struct cairn_capture *capture, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A sentence under a code of its own (docs/findings.md). */
void cairn_capture_say_as(struct cairn_capture *capture, const char *code,
                          enum cairn_severity severity, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The code of a remark; NULL: it has none, or there is no such remark. */
const char *cairn_capture_remark_code(const struct cairn_capture *capture, size_t index);

/* Closes the view when the capture is freed. */
void cairn_capture_keep_view(struct cairn_capture *capture, struct cairn_buffer_view *view);

/* They copy the structure but not what it points to, which must live in the arena. */
CAIRN_MUST_CHECK cairn_status cairn_capture_add_buffer(struct cairn_capture *capture,
                                                       const struct cairn_buffer *buffer);
CAIRN_MUST_CHECK cairn_status cairn_capture_add_source(struct cairn_capture *capture,
                                                       const struct cairn_source_info *source);
CAIRN_MUST_CHECK cairn_status cairn_capture_add_module(struct cairn_capture *capture,
                                                       const struct cairn_module_info *module);

CAIRN_MUST_CHECK cairn_status cairn_capture_add_thread(struct cairn_capture *capture,
                                                       const struct cairn_thread_info *thread);

/* The first of a thread's names, or of the next thread's that has any; their count: of none. */
size_t cairn_capture_first_name(const struct cairn_capture *capture, uint64_t thread);

/* lives.c: NULL: there was only one thread of the number. */
const struct cairn_lived *cairn_capture_lived(const struct cairn_capture *capture, uint64_t thread,
                                              uint32_t life);
/* Which of them executes at an offset of a source whose context there has these numbers; 0 also where there was only one. */
uint32_t cairn_capture_life(const struct cairn_capture *capture, size_t source, uint32_t vmid,
                            uint32_t context_id, uint64_t offset);

/* The architecture of a core type (or NULL) that a trace unit of `protocol` traces; permissive,
 * with a remark, when the name is not known or cannot have such a trace unit. */
struct cairn_arch cairn_capture_arch(struct cairn_capture *capture, const char *source,
                                     const char *core_type, enum cairn_protocol_id protocol);

/* `registers` over what *info has: names that occur in both take the value of `registers`. */
CAIRN_MUST_CHECK cairn_status cairn_source_override(struct cairn_capture *capture,
                                                    struct cairn_source_info *info,
                                                    const struct cairn_register *registers,
                                                    size_t register_count);

/* The same of those registers given for a whole capture that are this source's: of its name, or of
 * no source's name and such that a trace unit of `protocol` has them, if that is known. */
CAIRN_MUST_CHECK cairn_status cairn_source_set(struct cairn_capture *capture,
                                               struct cairn_source_info *info,
                                               enum cairn_protocol_id protocol,
                                               const struct cairn_register *registers,
                                               size_t register_count);

/* Whether a register is one of the core's that listings use. */
bool cairn_is_core_register(const char *name);

/* Those of the registers that are such, of the source's name or of none: over what *info has. */
CAIRN_MUST_CHECK cairn_status cairn_source_core_set(struct cairn_capture *capture,
                                                    struct cairn_source_info *info,
                                                    const struct cairn_register *registers,
                                                    size_t register_count);

/* CAIRN_E_NOT_FOUND where one of the registers given is of a source that does not exist. */
CAIRN_MUST_CHECK cairn_status cairn_capture_find_given(const struct cairn_capture *capture,
                                                       const struct cairn_register *registers,
                                                       size_t register_count,
                                                       struct cairn_error *error);

/* Says which of the registers given for every source (options, --set) no source's trace unit has.
 */
void cairn_capture_check_registers(struct cairn_capture *capture,
                                   const struct cairn_register *registers, size_t register_count);

/* Says when two sources of a buffer with frames have one trace ID. */
void cairn_capture_check_ids(struct cairn_capture *capture);

/* Gives a buffer its order, of any number of parts. */
CAIRN_MUST_CHECK cairn_status cairn_buffer_set_order(struct cairn_capture *capture,
                                                     struct cairn_buffer *buffer,
                                                     const struct cairn_span *order, size_t count);

/* Puts the buffer of a source in the order of its trace, where the registers tell of another one
 * than the file's (MTB, TRBE). Fails when they and the buffer do not fit. */
CAIRN_MUST_CHECK cairn_status cairn_capture_order(struct cairn_capture *capture, size_t source,
                                                  struct cairn_error *error);

/* Opens a buffer for cairn_buffer_read, and cairn_input_close when done; as cairn_input_open. */
CAIRN_MUST_CHECK cairn_status cairn_buffer_open(const struct cairn_buffer *buffer, int *fd,
                                                uint64_t *size, struct cairn_error *error);
int64_t cairn_buffer_read(const struct cairn_buffer *buffer, int fd, void *bytes, size_t size,
                          uint64_t offset);

/* The first bytes of a buffer, at most `size` from `offset` on: how many; 0 where it cannot be read. */
size_t cairn_buffer_sample(const struct cairn_capture *capture, size_t buffer, void *bytes,
                           size_t size, uint64_t offset);

/* Where the byte at `offset` of the order stands in the file; *left is how many follow it there. */
uint64_t cairn_buffer_place(const struct cairn_buffer *buffer, uint64_t offset, uint64_t *left);

/* Containers. Each fills a new capture. */
CAIRN_MUST_CHECK cairn_status cairn_snapshot_open(struct cairn_capture *capture,
                                                  const struct cairn_files *files,
                                                  const char *ini_path,
                                                  const struct cairn_capture_options *options,
                                                  struct cairn_error *error);
CAIRN_MUST_CHECK cairn_status cairn_raw_open(struct cairn_capture *capture,
                                             const struct cairn_files *files, const char *path,
                                             const struct cairn_capture_options *options,
                                             struct cairn_error *error);

/* perf.data with trace (capture/perf/open.c). */
bool cairn_perf_is_capture(const struct cairn_files *files, const char *path);
CAIRN_MUST_CHECK cairn_status cairn_perf_capture_open(struct cairn_capture *capture,
                                                      const struct cairn_files *files,
                                                      const char *path,
                                                      const struct cairn_capture_options *options,
                                                      struct cairn_error *error);

/* The same of an INI file as cairn_raw_config_read takes it, in which each source has a file. */
CAIRN_MUST_CHECK cairn_status cairn_raw_open_described(struct cairn_capture *capture,
                                                       const struct cairn_files *files,
                                                       const char *path,
                                                       const struct cairn_capture_options *options,
                                                       struct cairn_error *error);

/* True when the text of a file is that of a snapshot.ini. */
bool cairn_is_snapshot_text(const char *text, size_t size);
/* True when it has a [source NAME], as a description of raw buffers does. */
bool cairn_is_raw_text(const char *text);

#endif
