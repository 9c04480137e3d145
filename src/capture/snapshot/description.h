/* SPDX-License-Identifier: BSD-2-Clause */
/* What the INI files of a snapshot say (Arm Trace and Debug Snapshot file format 0.2), read from
 * texts: no trace or memory file is touched. */
#ifndef CAIRN_CAPTURE_SNAPSHOT_DESCRIPTION_H
#define CAIRN_CAPTURE_SNAPSHOT_DESCRIPTION_H

#include "capture/model.h"

/* A [dumpN] section of a core, or an [epochN] section of a trace source. */
struct cairn_snapshot_dump {
    const char *section;
    const char *file;
    const char *space; /* or NULL */
    uint64_t address, length, offset;
    bool has_address, has_length;
    bool broken;       /* a number could not be read */
    uint64_t from, to; /* of an epoch: offsets in the source's bytes */
    bool has_from, has_to;
};

enum cairn_device_class {
    CAIRN_DEVICE_OTHER = 0,
    CAIRN_DEVICE_CORE = 1,
    CAIRN_DEVICE_TRACE_SOURCE = 2,
};

struct cairn_snapshot_device {
    const char *ini; /* path as the device list has it */
    const char *name;
    const char *type; /* or NULL */
    enum cairn_device_class class;
    struct cairn_register *registers; /* while its file is read */
    size_t register_count, register_capacity;
    const struct cairn_register *settled; /* but of cores: in the arena, each name once */
    struct cairn_snapshot_dump *dumps;    /* of cores */
    size_t dump_count, dump_capacity;
    struct cairn_snapshot_dump *epochs; /* of trace sources */
    size_t epoch_count, epoch_capacity;
    uint64_t epochs_lost; /* that the writer had no room for, */
    uint64_t lost_from;   /* from this byte on */
};

struct cairn_snapshot_buffer {
    const char *section;
    const char *name;   /* or NULL */
    const char *file;   /* or NULL */
    const char *format; /* or NULL */
    bool listed;        /* [trace_buffers] buffers= names it */
};

/* "from=to" of [source_buffers] (source, buffer) and [core_trace_sources] (core, source). */
struct cairn_snapshot_link {
    const char *from, *to;
};

struct cairn_snapshot {
    struct cairn_snapshot_device *devices;
    size_t device_count, device_capacity;
    struct cairn_snapshot_buffer *buffers;
    size_t buffer_count, buffer_capacity;
    struct cairn_snapshot_link *source_buffers;
    size_t source_buffer_count, source_buffer_capacity;
    struct cairn_snapshot_link *core_sources;
    size_t core_source_count, core_source_capacity;
    const char *program; /* [program] metadata=, or NULL */
    bool has_buffer_list;
    bool has_source_buffers; /* the section is there */
};

/* Reads ini_path and the files that it names, in `folder`. Strings go to capture->arena, what is
 * odd to the capture's remarks. Fails only when no trace can be found: snapshot.ini or the trace
 * metadata is missing. Free what it left in *snapshot in any case. */
CAIRN_MUST_CHECK cairn_status cairn_snapshot_describe(struct cairn_capture *capture,
                                                      const struct cairn_files *files,
                                                      const char *ini_path, const char *folder,
                                                      struct cairn_snapshot *snapshot,
                                                      struct cairn_error *error);
void cairn_snapshot_free(struct cairn_snapshot *snapshot);

/* By its class, or by its type where the class is missing or wrong. */
bool cairn_is_trace_unit(const struct cairn_snapshot_device *device);

/* The file that a description calls `name`: in `folder`, with backslashes turned; absolute names
 * stay. When it is not there, one that differs in letter case only is taken, and for an absolute
 * name ("C:\dir\trace.bin") one of the same last part in `folder`; a remark says so. NULL when
 * memory is out. */
const char *cairn_snapshot_find(struct cairn_capture *capture, const struct cairn_files *files,
                                const char *folder, const char *name);

#endif
