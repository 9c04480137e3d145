/* SPDX-License-Identifier: BSD-2-Clause */
/* ETMv3 through the public API, for tests: a configuration from registers, bytes -> packets. */
#ifndef CAIRN_TESTS_PROTOCOL_ETMV3_SESSION_H
#define CAIRN_TESTS_PROTOCOL_ETMV3_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/etmv3.h>
#include <cairn/packet.h>

#define ETMV3_PACKETS_MAX 8192

struct etmv3_packet {
    uint64_t offset, length;
    uint16_t kind;
    uint8_t account;
    struct cairn_packet_fields fields;
};

struct etmv3_list {
    size_t count;
    struct etmv3_packet packets[ETMV3_PACKETS_MAX];
};

/* "ETMIDR=..., ETMCR=..." as arguments: id, control, CCER. NULL with *error when it is refused. */
struct cairn_config *etmv3_configure(enum cairn_profile profile, uint32_t id, uint32_t control,
                                     uint32_t ccer, struct cairn_error *error);

/* Decodes in pieces of `step` bytes (0: one piece) with batches of `capacity`. False: a call
 * failed, or the packets do not account for every byte once. */
bool etmv3_decode(struct cairn_config *config, const uint8_t *data, size_t size, size_t step,
                  size_t capacity, struct etmv3_list *list);

bool etmv3_same(const struct etmv3_list *a, const struct etmv3_list *b);

#endif
