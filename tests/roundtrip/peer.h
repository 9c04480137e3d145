/* SPDX-License-Identifier: BSD-2-Clause */
/* The same traces through libopencsd, as far as it decodes them right: ../peers/opencsd.h. */
#ifndef CAIRN_TESTS_ROUNDTRIP_PEER_H
#define CAIRN_TESTS_ROUNDTRIP_PEER_H

#include "shrink.h"

/* Whether the good case that was tried last is one of those. */
bool trip_peer_shares(const struct trip_work *work);

/* Whether libopencsd says the same instructions and exceptions as Cairn; prints a message if not.
 */
bool trip_peer_agrees(const struct trip_work *work);

#endif
