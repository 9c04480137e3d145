/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of a vector file: bytes, the packets they are and the elements those mean, written by
 * hand from the specification. vectors/README.md describes the format. */
#ifndef CAIRN_TESTS_PROTOCOL_VECTOR_FILE_H
#define CAIRN_TESTS_PROTOCOL_VECTOR_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cairn/element.h>
#include <cairn/packet.h>

#define VECTOR_BYTES_MAX 16384
#define VECTOR_PACKETS_MAX 2048
#define VECTOR_REGISTERS_MAX 32
#define VECTOR_LINE_MAX 16384
#define VECTOR_NAME_MAX 160

/* What a source is configured with; set by `config`. */
struct vector_config {
    enum cairn_protocol_id protocol;
    struct cairn_arch arch;
    size_t count;
    char names[VECTOR_REGISTERS_MAX][24];
    uint64_t values[VECTOR_REGISTERS_MAX];
};

/* One packet line: its bytes stand at [offset, offset + length) of the case's. */
struct vector_packet {
    size_t line;
    size_t offset;
    size_t length;
    bool decode_only;
    char *expected; /* "KIND name=value +FLAG ..." */
    char *elements; /* "KIND ...; KIND ..."; NULL: the line has no element column */
};

struct vector_case {
    const char *file;
    size_t line;
    char name[VECTOR_NAME_MAX];
    struct vector_config config;
    bool decode_only;
    uint8_t bytes[VECTOR_BYTES_MAX];
    size_t size;
    size_t start; /* bytes of the prefix: their packets are not described */
    size_t packet_count;
    struct vector_packet packets[VECTOR_PACKETS_MAX];
    bool has_elements;
    bool has_resolved;
    size_t resolved_line;
    char *resolved; /* "KIND ...; KIND ..." */
    /* a `headers` line: each of these bytes, followed by zeros, is one packet */
    bool is_headers;
    bool headers[256];
    size_t header_length;
    char *header_kind;
};

struct vector_reader {
    FILE *in;
    const char *file;
    size_t line;
    struct vector_config config; /* of the file, until the next `config` between cases */
    uint8_t start[256];
    size_t start_size;
    char text[VECTOR_LINE_MAX];
    bool pending; /* `text` is not used yet */
    size_t pending_line;
    bool headers_seen[256]; /* since the last `config` between cases */
    char error[256];
};

bool vector_open(struct vector_reader *reader, const char *path);

/* Reads the next case. False at the end, or with reader->error set when the text is wrong. */
bool vector_next(struct vector_reader *reader, struct vector_case *vector);
void vector_clear(struct vector_case *vector);

/* The next word of *text, cut at white space: NULL at the end. Changes the text. */
char *vector_word(char **text);
/* A decimal or 0x number; false when it is not one. */
bool vector_number(const char *text, uint64_t *value);

#endif
