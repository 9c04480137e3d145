/* SPDX-License-Identifier: BSD-2-Clause */
/* What of a raw buffer's description cannot be, and what it says of a trace port. */
#ifndef CAIRN_CAPTURE_RAW_CHECKS_H
#define CAIRN_CAPTURE_RAW_CHECKS_H

#include "capture/port/port.h"
#include "capture/raw/config.h"

/* A core that cannot have such a trace unit: one of the two is wrong. Snapshots are not asked, for
 * a simulated trace unit may be at any core. */
void cairn_raw_check_core(struct cairn_capture *capture, const struct cairn_source_info *info);

/* Only what is near to a register's name is told: lines pasted from a snapshot may have others. */
void cairn_raw_check_spelling(struct cairn_capture *capture, const char *config_path,
                              const struct cairn_source_info *info,
                              const struct cairn_raw_source *told);

/* What the options, and `told` (or NULL) where they are silent, say of the port of a file. */
struct cairn_port_request cairn_raw_port_request(const struct cairn_capture_options *options,
                                                 const struct cairn_raw_source *told,
                                                 const char *path, enum cairn_format format);

/* CAIRN_E_CONFIG where the source's protocol is not what the port of a trace unit of `type` shows; NULL: it
 * came from no port. */
CAIRN_MUST_CHECK cairn_status cairn_raw_check_port(const struct cairn_source_info *info,
                                                   const char *type, struct cairn_error *error);

#endif
