/* SPDX-License-Identifier: BSD-2-Clause */
/* The scan members of a protocol's table (protocol/scan.h) over its own levels: bytes through
 * packets, elements and resolver, and of each resolved element one token. It is right for every
 * protocol whose levels are, and no faster than they are, but for packets that go past them
 * (plain_... in protocol.h): of these it makes tokens from the bytes. */
#ifndef CAIRN_PROTOCOL_LEVEL_SCAN_H
#define CAIRN_PROTOCOL_LEVEL_SCAN_H

#include <cairn/status.h>

#include "protocol/branches.h"
#include "protocol/scan.h"

struct cairn_config;

cairn_status cairn_level_scan_new(struct cairn_config *config, void **state);
void cairn_level_scan_free(void *state);
cairn_status cairn_level_scan_run(void *state, const uint8_t *data, size_t size, size_t *position,
                                  struct cairn_scan_batch *batch);
cairn_status cairn_level_scan_finish(void *state, struct cairn_scan_batch *batch);
const struct cairn_scan_ledger *cairn_level_scan_ledger(const void *state);

/* For a protocol with `branches` (protocol.h), and a source for which that is true. *stands when
 * the scan stands between two packets, in step, has given all that it holds, and the next packet
 * may be taken without it: the first of the *unused bytes that it has taken last, of `position`.
 * What it gives to `batch`, which is empty, comes before. */
CAIRN_MUST_CHECK cairn_status cairn_level_scan_stand(void *state, const uint8_t *data, size_t size,
                                                     size_t position,
                                                     struct cairn_scan_batch *batch, size_t *unused,
                                                     struct cairn_branch_place *place,
                                                     bool *stands);
/* From there, so many bytes were taken without it; the last packet of them is at offset `last`. */
void cairn_level_scan_skip(void *state, size_t bytes, uint64_t last,
                           const struct cairn_branch_place *place);
/* Where it stands: takes out the W's that it still holds, of a packet at *offset, or 0; and puts in
 * some, of those that were taken without it. */
uint64_t cairn_level_scan_release(void *state, uint64_t *offset);
void cairn_level_scan_hold(void *state, uint64_t offset, uint64_t waits);
/* `skipped` bytes on, at `place`, nothing but packets that say nothing of atoms stands in front of
 * a P-header with atoms: takes them, and what came before is behind the scan as well. Their
 * elements go to `out`, which has room for all that so few packets can have. *length 0: it is not
 * so. */
CAIRN_MUST_CHECK cairn_status cairn_level_scan_between(void *state, size_t skipped,
                                                       const struct cairn_branch_place *place,
                                                       const uint8_t *bytes, size_t size,
                                                       struct cairn_element_batch *out,
                                                       size_t *length);

/* For the initializer of a struct cairn_protocol. */
#define CAIRN_LEVEL_SCAN                                                                           \
    .scan_new = cairn_level_scan_new, .scan_free = cairn_level_scan_free,                          \
    .scan_run = cairn_level_scan_run, .scan_finish = cairn_level_scan_finish,                      \
    .scan_ledger = cairn_level_scan_ledger

#endif
