/* SPDX-License-Identifier: BSD-2-Clause */
/* Where listings are written: a buffer over a file descriptor, quick for millions of lines. */
#ifndef CAIRN_REPORT_OUTPUT_H
#define CAIRN_REPORT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cairn_output_state {
    CAIRN_OUTPUT_OPEN = 0,
    CAIRN_OUTPUT_CLOSED = 1, /* the reader of a pipe went away: nothing more to do, no error */
    CAIRN_OUTPUT_FAILED = 2, /* `error` is the errno */
};

enum cairn_output_flush {
    CAIRN_OUTPUT_FLUSH_BLOCKS = 0, /* when the buffer is full; the first line at once */
    CAIRN_OUTPUT_FLUSH_LINES = 1,  /* a terminal */
};

#define CAIRN_OUTPUT_CAPACITY 65536

struct cairn_output {
    int fd;
    enum cairn_output_flush flush;
    enum cairn_output_state state;
    int error;
    bool line_seen; /* a first line was written and flushed */
    size_t used;
    char buffer[CAIRN_OUTPUT_CAPACITY];
};

/* Chooses the flushing by what `fd` is. Does not own the descriptor. */
void cairn_output_init(struct cairn_output *output, int fd);

/* True as long as writing makes sense. */
static inline bool cairn_output_wanted(const struct cairn_output *output)
{
    return output->state == CAIRN_OUTPUT_OPEN;
}

/* Writes out what is held. After a failure everything is dropped. */
void cairn_output_flush(struct cairn_output *output);

void cairn_output_data(struct cairn_output *output, const void *data, size_t size);
void cairn_output_text(struct cairn_output *output, const char *text);
void cairn_output_format(struct cairn_output *output, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A name as it may stand in a line, whatever a file is called: `?` for each control character. */
void cairn_output_harmless(struct cairn_output *output, const char *name);
/* The same of a line of source, with blanks in place of that: of a tab up to the next of every eighth letter. */
void cairn_output_source(struct cairn_output *output, const char *text, size_t length);

/* Lower-case hex without prefix; at least `digits` digits (0 and 1: no padding), at most 16. */
void cairn_output_hex(struct cairn_output *output, uint64_t value, unsigned digits);
void cairn_output_decimal(struct cairn_output *output, uint64_t value);

/* Bytes as hex pairs, `separator` between them when it is not 0. */
void cairn_output_bytes(struct cairn_output *output, const uint8_t *bytes, size_t count,
                        char separator);

/* `text` as a JSON string with its quotes. What is not UTF-8 becomes U+FFFD. */
void cairn_output_json(struct cairn_output *output, const char *text);

/* Ends the line: flushes on a terminal, and after the very first line. */
void cairn_output_line(struct cairn_output *output);

/* Makes room for `size` bytes (at most CAIRN_OUTPUT_CAPACITY) and returns where to put them; add
 * what was used to output->used. For the fast listings. */
static inline char *cairn_output_room(struct cairn_output *output, size_t size)
{
    if (CAIRN_OUTPUT_CAPACITY - output->used < size)
        cairn_output_flush(output);
    return output->buffer + output->used;
}

static inline void cairn_output_char(struct cairn_output *output, char character)
{
    *cairn_output_room(output, 1) = character;
    output->used++;
}

/* Copies `text` into `copy` with what is not UTF-8 replaced by U+FFFD, cut where it does not fit:
 * for writers that insist on UTF-8. */
void cairn_text_to_utf8(const char *text, char *copy, size_t capacity);

#endif
