/* SPDX-License-Identifier: BSD-2-Clause */
/* A protocol that does not exist, as docs/adding-a-protocol.md has one added: this folder, and a line
 * in a registry.
 *
 *   00 00 00 00 00 80   A-sync, of at least five zeros
 *   41 + 8 bytes        Address, the lowest byte first: execution is there
 *   45, 4e              E, N: an atom
 *   2e                  Ignore
 *   53 00               Stop; a byte that is not 0 makes it reserved */
#ifndef TESTS_TOY_H
#define TESTS_TOY_H

#include "protocol/protocol.h"

#define TOY_PACKETS(X)                                                                             \
    X(NOT_SYNC, CAIRN_GAP_NO_SYNC, "Not synchronised")                                             \
    X(RESERVED, CAIRN_GAP_RESERVED, "Reserved")                                                    \
    X(CUT, CAIRN_GAP_CUT, "Cut by synchronisation")                                                \
    X(INCOMPLETE, CAIRN_GAP_TRUNCATED, "Incomplete at the end")                                    \
    X(A_SYNC, CAIRN_ACCOUNT_PADDING, "A-sync")                                                     \
    X(ADDRESS, CAIRN_ACCOUNT_FLOW, "Address")                                                      \
    X(ATOM_E, CAIRN_ACCOUNT_FLOW, "Atom E")                                                        \
    X(ATOM_N, CAIRN_ACCOUNT_FLOW, "Atom N")                                                        \
    X(IGNORE, CAIRN_ACCOUNT_PADDING, "Ignore")                                                     \
    X(STOP, CAIRN_ACCOUNT_FLOW, "Stop")

enum toy_kind {
#define ROW(NAME, ACCOUNT, TEXT) TOY_##NAME,
    TOY_PACKETS(ROW)
#undef ROW
        TOY_KIND_COUNT
};

extern const struct cairn_about toy_about;
extern const uint8_t toy_accounts[TOY_KIND_COUNT];

/* parse.c */
size_t toy_find_sync(const uint8_t *data, size_t size, size_t from);
cairn_status toy_packets_new(struct cairn_config *config, void **state);
void toy_packets_free(void *state);
cairn_status toy_packets_run(void *state, const uint8_t *data, size_t size, size_t *position,
                             struct cairn_packet_batch *batch);
cairn_status toy_packets_finish(void *state, struct cairn_packet_batch *batch);

/* elements.c */
cairn_status toy_elements_new(struct cairn_config *config, void **state);
void toy_elements_free(void *state);
cairn_status toy_elements_run(void *state, const struct cairn_packet_batch *in, size_t *position,
                              struct cairn_element_batch *out);

#endif
