/* SPDX-License-Identifier: BSD-2-Clause */
/* The scan members of a protocol's table (protocol/scan.h) over its own levels: bytes through
 * packets, elements and resolver, and of each resolved element one token. It is right for every
 * protocol whose levels are, and no faster than they are, but for packets that go past them
 * (plain_... in protocol.h): of these it makes tokens from the bytes. */
#ifndef CAIRN_PROTOCOL_LEVEL_SCAN_H
#define CAIRN_PROTOCOL_LEVEL_SCAN_H

#include "protocol/scan.h"

struct cairn_config;

cairn_status cairn_level_scan_new(struct cairn_config *config, void **state);
void cairn_level_scan_free(void *state);
cairn_status cairn_level_scan_run(void *state, const uint8_t *data, size_t size, size_t *position,
                                  struct cairn_scan_batch *batch);
cairn_status cairn_level_scan_finish(void *state, struct cairn_scan_batch *batch);
const struct cairn_scan_ledger *cairn_level_scan_ledger(const void *state);

/* For the initializer of a struct cairn_protocol. */
#define CAIRN_LEVEL_SCAN                                                                           \
    .scan_new = cairn_level_scan_new, .scan_free = cairn_level_scan_free,                          \
    .scan_run = cairn_level_scan_run, .scan_finish = cairn_level_scan_finish,                      \
    .scan_ledger = cairn_level_scan_ledger

#endif
