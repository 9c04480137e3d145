/* SPDX-License-Identifier: BSD-2-Clause */
/* What the PTM model traced, written once more by a second writer that knows the specification
 * alone (tests/protocol/second_ptm.h). */
#ifndef CAIRN_TESTS_PEERS_SECOND_PTM_TRACE_H
#define CAIRN_TESTS_PEERS_SECOND_PTM_TRACE_H

#include <stdbool.h>

#include <cairn/unit.h>

/* To be the unit's watch: notes the elements that it generates. */
void peer_second_watch(void *context, unsigned kind, uint16_t flags,
                       const struct cairn_element_data *data);
void peer_second_forget(void);
/* Whether the second writer makes these bytes of them; false with a comment on the output. */
bool peer_second_equal(uint32_t id, uint32_t control, uint32_t ccer, const uint8_t *bytes,
                       size_t size);

#endif
