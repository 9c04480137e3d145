/* SPDX-License-Identifier: BSD-2-Clause */
/* A vector's bytes through every level of the public API. */
#ifndef CAIRN_TESTS_PROTOCOL_VECTOR_DECODE_H
#define CAIRN_TESTS_PROTOCOL_VECTOR_DECODE_H

#include "vector_file.h"

#define VECTOR_OUT_PACKETS_MAX 4096
#define VECTOR_OUT_ELEMENTS_MAX 32768

struct packet {
    uint64_t offset, length;
    uint16_t kind;
    uint8_t account;
    struct cairn_packet_fields fields;
};

struct element {
    uint64_t offset, length;
    uint8_t kind;
    uint16_t flags;
    struct cairn_element_data data;
};

struct outcome {
    size_t packet_count, element_count, resolved_count;
    struct packet packets[VECTOR_OUT_PACKETS_MAX];
    struct element elements[VECTOR_OUT_ELEMENTS_MAX];
    struct element resolved[VECTOR_OUT_ELEMENTS_MAX];
};

/* How the bytes come in, and how many entries the batches have. */
struct way {
    const char *name;
    size_t bytes_at_once; /* 0: all */
    size_t capacity;
};

/* What is wrong with the case at hand, as comments of TAP; empty while nothing is. */
#define VECTOR_TROUBLE_MAX 4096
extern char vector_trouble[VECTOR_TROUBLE_MAX];

/* Adds "# FILE:LINE: ..." to it; returns false. */
bool vector_fail(const char *file, size_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* False, with the trouble told, when a call failed. */
bool vector_ok(cairn_status status, const struct vector_case *vector, const char *what);

/* The configuration of a case; NULL when the library refuses it. */
struct cairn_config *vector_configure(const struct vector_case *vector);

/* Runs each case of these files: a line of TAP for each, with the trouble behind it. Returns what main does.
 * `run` may change the case. */
int vector_main(int count, char **files, bool (*run)(struct vector_case *vector));

/* Decodes data[0, size). */
bool vector_decode(const struct vector_case *vector, struct cairn_config *config,
                   const struct way *way, const uint8_t *data, size_t size, struct outcome *out);

#endif
