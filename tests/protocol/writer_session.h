/* SPDX-License-Identifier: BSD-2-Clause */
/* A packet writer and all that it wrote, checked against bytes written by hand and, through the
 * parser, against the fields that they came from. */
#ifndef CAIRN_TESTS_PROTOCOL_WRITER_SESSION_H
#define CAIRN_TESTS_PROTOCOL_WRITER_SESSION_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cairn/etmv4.h>
#include <cairn/image.h>
#include <cairn/packet.h>

#define SESSION_BYTES 4096
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

struct session {
    struct cairn_config *config;
    struct cairn_packet_writer *writer;
    uint8_t bytes[SESSION_BYTES]; /* all that was written */
    size_t size;
};

void session_begin(struct session *session, enum cairn_protocol_id protocol, struct cairn_arch arch,
                   const struct cairn_register *registers, size_t count);
/* ETE 1.3, MAXSPEC 64, COMMOPT as given. */
void session_begin_ete(struct session *session, bool commopt);
/* ETMv4.2 of a v8.1-M core with Q elements, conditional instructions and 8-bit VMID. */
void session_begin_etmv4(struct session *session);
/* Alignment Synchronization and Trace Info without sections. */
void session_start(struct session *session);
void session_end(struct session *session);

/* Fails the test unless both say the same. */
void assert_fields_equal(const struct cairn_packet_fields *got,
                         const struct cairn_packet_fields *wanted);
/* The fields give exactly these bytes. */
void assert_writes(struct session *session, unsigned kind, const struct cairn_packet_fields *packet,
                   const char *hex);
/* The fields give exactly these bytes, and the bytes give exactly these fields. */
void assert_packet(struct session *session, unsigned kind, const struct cairn_packet_fields *packet,
                   const char *hex);
/* The fields cannot be expressed. */
void assert_refused(struct session *session, unsigned kind,
                    const struct cairn_packet_fields *packet);

#define P(...) (&(const struct cairn_packet_fields){__VA_ARGS__})
#define ADDRESS CAIRN_PACKET_HAS_ADDRESS
#define CONTEXT CAIRN_PACKET_HAS_CONTEXT
#define VMID CAIRN_PACKET_HAS_VMID
#define CONTEXTID CAIRN_PACKET_HAS_CONTEXT_ID
#define COUNT CAIRN_PACKET_HAS_COUNT
#define CYCLES CAIRN_PACKET_HAS_CYCLES
#define TIME CAIRN_PACKET_HAS_TIMESTAMP
#define E10 CAIRN_PACKET_E10
#define MISPREDICT CAIRN_PACKET_MISPREDICT

#endif
