/* SPDX-License-Identifier: BSD-2-Clause */
/* An encoder and all that it wrote: checked against bytes written by hand, and through the decoders
 * against the elements that it was given. */
#ifndef CAIRN_TESTS_PROTOCOL_ENCODER_SESSION_H
#define CAIRN_TESTS_PROTOCOL_ENCODER_SESSION_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cairn/element.h>
#include <cairn/etmv4.h>
#include <cairn/image.h>

#include "protocol/protocol.h"

#define ENCODED_BYTES 65536
#define ENCODED_ELEMENTS 32768
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

struct encoded_element {
    unsigned kind;
    uint16_t flags;
    struct cairn_element_data data;
};

struct encoder_session {
    struct cairn_config *config;
    void *state;
    uint8_t bytes[ENCODED_BYTES]; /* all that was written */
    size_t size;
    size_t checked;                               /* up to here expect_bytes has seen them */
    struct encoded_element put[ENCODED_ELEMENTS]; /* all that was told */
    size_t count;
};

/* Sessions are large: one at a time, and static. */
void encoder_begin(struct encoder_session *session, enum cairn_protocol_id protocol,
                   struct cairn_arch arch, const struct cairn_register *registers, size_t count,
                   uint32_t choices);
/* ETE 1.0, all options on, identifiers of 32 bits. */
void encoder_begin_ete(struct encoder_session *session, uint32_t maxspec, bool commopt,
                       uint32_t choices);
/* An Alignment Synchronization and a Trace Info that says nothing, checked. */
void encoder_start(struct encoder_session *session);
void encoder_end(struct encoder_session *session);

void put(struct encoder_session *session, unsigned kind, uint16_t flags,
         const struct cairn_element_data *data);
#define D(...) (&(const struct cairn_element_data){__VA_ARGS__})

void put_atoms(struct encoder_session *session, const char *atoms); /* "NEE": the oldest first */
void put_kind(struct encoder_session *session, unsigned kind);      /* an element without content */
void put_value(struct encoder_session *session, unsigned kind, uint64_t value);
void put_target(struct encoder_session *session, uint64_t address, uint8_t sub_isa);
void put_context(struct encoder_session *session, const struct cairn_context *context);
void put_exception(struct encoder_session *session, unsigned type, uint64_t address,
                   uint8_t sub_isa);
void put_trace_info(struct encoder_session *session, uint8_t info, uint32_t spec,
                    uint32_t threshold);
void flush(struct encoder_session *session);

/* Flushes; what was written since the last call is exactly this. */
void expect_bytes(struct encoder_session *session, const char *hex);

/* Flushes; what was written decodes to the elements that were put, by the rules of
 * protocol/encoder.h: Contexts and Target Addresses in a row may change places, Cancels in a row
 * are one. Returns how many packets there are. */
size_t expect_elements(struct encoder_session *session);

#endif
