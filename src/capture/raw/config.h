/* SPDX-License-Identifier: BSD-2-Clause */
/* The small INI file that describes a raw buffer: docs/formats.md, "Raw buffers". */
#ifndef CAIRN_CAPTURE_RAW_CONFIG_H
#define CAIRN_CAPTURE_RAW_CONFIG_H

#include "capture/model.h"

/* A [source NAME] section. */
struct cairn_raw_source {
    const char *name;
    const char *protocol;  /* as written, or NULL */
    const char *core;      /* or NULL */
    const char *file;      /* that it is in, where the description is the capture; or NULL */
    const char *pins;      /* of a trace port, as --pins; or NULL */
    const char *port_mode; /* or NULL */
    uint64_t port_width;   /* 0: not given */
    int trace_id;          /* -1: not given */
    struct cairn_register *registers;
    size_t register_count, register_capacity;
};

/* An [image] section. */
struct cairn_raw_image {
    const char *file;   /* or NULL */
    const char *source; /* name, or NULL: all */
    const char *space;  /* or NULL */
    uint64_t address, length, offset;
    bool has_address, has_length;
    unsigned line; /* where the section begins */
};

struct cairn_raw_config {
    const char *format; /* of [buffer], or NULL */
    uint64_t start;     /* of [buffer]: offset of the oldest byte */
    bool has_start;
    struct cairn_raw_source *sources;
    size_t source_count, source_capacity;
    struct cairn_raw_image *images;
    size_t image_count, image_capacity;
};

/* Reads `text` (cut up in place); strings go to the capture's arena. Fails with the line's number
 * when a value cannot be what it should: the file was written by hand for this purpose. */
CAIRN_MUST_CHECK cairn_status cairn_raw_config_read(struct cairn_capture *capture, const char *path,
                                                    char *text, size_t size,
                                                    struct cairn_raw_config *config,
                                                    struct cairn_error *error);
void cairn_raw_config_free(struct cairn_raw_config *config);

#endif
