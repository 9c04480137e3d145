/* SPDX-License-Identifier: BSD-2-Clause */
/* What a recording tells of its program and threads, on the way from whoever records to program.ini. */
#ifndef CAIRN_MACHINE_TOLD_H
#define CAIRN_MACHINE_TOLD_H

#include "capture/arena.h"
#include "capture/snapshot/write.h"
#include "machine/recording.h"

/* What the snapshot says of the program; nothing else is set. */
struct cairn_snapshot_parts cairn_told_parts(const struct cairn_recorded_program *program);

/* The lines that a journal has of the program, as text. Nobody vouches for them: what would be a section
 * of its own becomes a comment. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_told_lines(struct cairn_arena *arena, const uint8_t *bytes,
                                               uint32_t size, const char **lines);

/* A thread's name; one without a name of its own has the program's, as the system gives it. *name is
 * NULL where neither is known. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_told_thread(struct cairn_arena *arena,
                                                const struct cairn_recorded_program *program,
                                                const uint8_t *bytes, uint32_t size,
                                                const char **name);

#endif
