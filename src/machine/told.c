/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine/told.h"

#include <string.h>

#include "machine/journal.h"

struct cairn_snapshot_parts cairn_told_parts(const struct cairn_recorded_program *program)
{
    return (struct cairn_snapshot_parts){
        .program = program->path,
        .arguments = program->arguments,
        .exit_status = program->exit_status,
        .signal = program->signal,
        .tool = "cairn " CAIRN_VERSION,
        .host = program->host,
        .guest = program->guest,
        .started_in = program->folder,
        .environment = program->environment,
    };
}

char *cairn_recorded_program_lines(const struct cairn_recorded_program *program)
{
    const struct cairn_snapshot_parts parts = cairn_told_parts(program);

    return cairn_snapshot_program_lines(&parts);
}

cairn_status cairn_told_lines(struct cairn_arena *arena, const uint8_t *bytes, uint32_t size,
                              const char **lines)
{
    char *const text = cairn_arena_format(arena, "%.*s", (int)size, (const char *)bytes);

    if (!text)
        return CAIRN_E_MEMORY;
    for (char *at = text; *at; at++)
        if (*at == '[' && (at == text || at[-1] == '\n'))
            *at = '#';
    *lines = text;
    return CAIRN_OK;
}

cairn_status cairn_told_thread(struct cairn_arena *arena,
                               const struct cairn_recorded_program *program, const uint8_t *bytes,
                               uint32_t size, const char **name)
{
    const char *text = (const char *)bytes;
    size_t length = size;

    *name = NULL;
    if (!length && program && program->path) {
        const char *const slash = strrchr(program->path, '/');
        text = slash ? slash + 1 : program->path;
        length = strnlen(text, CAIRN_JOURNAL_THREAD_NAME);
    }
    if (!length)
        return CAIRN_OK;
    *name = cairn_arena_format(arena, "%.*s", (int)length, text);
    return *name ? CAIRN_OK : CAIRN_E_MEMORY;
}
