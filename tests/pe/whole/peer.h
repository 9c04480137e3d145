/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PE_WHOLE_PEER_H
#define PE_WHOLE_PEER_H

#include "run.h"

/* Whether the test was built with libopencsd. */
bool whole_peer_is_there(void);
/* What it says was executed, of a trace in which nothing is left out. False after a message. */
bool whole_peer_follow(const struct whole_run *run, const struct whole_program *program,
                       uint64_t seed, struct whole_list *list);

#endif
