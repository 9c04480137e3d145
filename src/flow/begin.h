/* SPDX-License-Identifier: BSD-2-Clause */
/* Where decoding can begin in the midst of a source so that from some place on it gives what it
 * would have given from the beginning.
 *
 * What a decoder knows comes from all that is before. Behind a synchronisation a trace unit tells
 * all of it anew, but not at once and not everywhere in the same order. So two decoders that know
 * nothing are started at two synchronisations, one some way behind the other, and are compared a
 * few synchronisations later. If they stand there alike (flow/standing.h), all that the one knows
 * from what only it has seen, the other has been told since; and so would any be that has seen
 * more. */
#ifndef CAIRN_FLOW_BEGIN_H
#define CAIRN_FLOW_BEGIN_H

#include "flow/standing.h"

/* Whether the source's decoder can be begun in the midst at all. */
bool cairn_begin_can(const struct cairn_engine *engine);

/* Looks for the last such place in `data`, which is the source's from `origin` on, for all that is
 * of packets at source offset `from` or behind it. `scout` is an engine for nothing else. *found
 * false: there is none here; one may be further in front. Cycles counted so far, and the last
 * undefined instruction told of, are in no standing. */
CAIRN_MUST_CHECK cairn_status cairn_begin_find(struct cairn_engine *scout, const uint8_t *data,
                                               size_t size, uint64_t origin, uint64_t from,
                                               struct cairn_standing *standing, bool *found);

/* The same by synchronisations alone, for packets and elements: the offset of the fifth one before
 * `from`. False: there are not so many in `data`. */
bool cairn_begin_sync(const struct cairn_config *config, const uint8_t *data, size_t size,
                      uint64_t origin, uint64_t from, uint64_t *offset);

#endif
