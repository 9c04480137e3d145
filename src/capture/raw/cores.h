/* SPDX-License-Identifier: BSD-2-Clause */
/* Which trace units real cores have. */
#ifndef CAIRN_CAPTURE_RAW_CORES_H
#define CAIRN_CAPTURE_RAW_CORES_H

#include <cairn/capture.h>

/* What the trace unit of the core is ("ETMv4", "ETMv3 or MTB") when it is known and not of
 * `protocol`; NULL: it may be, or the core is not known. */
const char *cairn_core_unit_instead(const char *core_type, enum cairn_protocol_id protocol);

#endif
