/* SPDX-License-Identifier: BSD-2-Clause */
/* PTM configurations and decoded packets for tests. */
#ifndef CAIRN_TESTS_PROTOCOL_PTM_SESSION_H
#define CAIRN_TESTS_PROTOCOL_PTM_SESSION_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cairn/packet.h>
#include <cairn/ptm.h>

#include "protocol/ptm/words.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* Register values of real units: Cortex-A9 (PFT 1.0), Cortex-A15 (PFT 1.1). */
#define A9_ETMIDR 0x411cf301u
#define A9_ETMCCER 0x000008eau
#define A15_ETMIDR 0x411cf312u
#define A15_ETMCCER 0x34c01ac2u

struct ptm_packet {
    uint64_t offset, length;
    uint16_t kind;
    uint8_t account;
    struct cairn_packet_fields fields;
};

struct ptm_packets {
    size_t count, capacity;
    struct ptm_packet *list;
};

struct cairn_config *ptm_config(uint32_t etmcr, uint32_t etmidr, uint32_t etmccer);

/* Decodes bytes[0, size) in pieces that end at `cut` and then every `step` bytes, with batches of
 * `capacity` entries; appends. Fails the test unless the packets are all the bytes, in order. */
void ptm_decode(struct cairn_config *config, const uint8_t *bytes, size_t size, size_t cut,
                size_t step, size_t capacity, struct ptm_packets *packets);
void ptm_forget(struct ptm_packets *packets);
void ptm_assert_same(const struct ptm_packets *got, const struct ptm_packets *wanted);

/* The same sequence everywhere. */
uint64_t ptm_random(uint64_t *seed);
uint32_t ptm_below(uint64_t *seed, uint32_t limit);

/* PTM's reader, called by hand, and what its last call gave. */
struct ptm_reading {
    struct cairn_config *config;
    void *reader;
    struct cairn_scan_ledger ledger;
    struct cairn_words words;
};

/* Takes the reference of `config`. */
void ptm_reading_begin(struct ptm_reading *reading, struct cairn_config *config);
void ptm_reading_read(struct ptm_reading *reading, const uint8_t *bytes, size_t size, size_t *at);
void ptm_reading_end(struct ptm_reading *reading);

/* Any configuration: cycle counts, Context ID sizes, timestamps of each kind, both versions. */
struct cairn_config *ptm_any_config(uint64_t *seed);

/* Random fields that often fit the kind, near the address before. */
struct cairn_packet_fields ptm_any_fields(uint64_t *seed, unsigned kind, uint64_t near);

#endif
