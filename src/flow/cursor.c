/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow/cursor.h"

#include <stdlib.h>

cairn_status cairn_word_cursor_new(struct cairn_word_cursor **cursor)
{
    struct cairn_word_cursor *made = calloc(1, sizeof *made);

    if (!made)
        return CAIRN_E_MEMORY;
    *cursor = made;
    return CAIRN_OK;
}

void cairn_word_cursor_free(struct cairn_word_cursor *cursor)
{
    free(cursor);
}

void cairn_word_cursor_reset(struct cairn_word_cursor *cursor)
{
    *cursor = (struct cairn_word_cursor){.word = 0};
}

void cairn_word_cursor_next(struct cairn_word_cursor *cursor)
{
    cursor->word = 0;
    cursor->step = 0;
    cursor->event = 0;
}

void cairn_word_cursor_leave(struct cairn_word_cursor *cursor)
{
    cursor->passed = cursor->passed || cursor->waits > 0;
    cursor->discontinuity = false;
}

void cairn_word_cursor_pass(struct cairn_word_cursor *cursor, size_t word)
{
    if (word < cursor->word)
        return;
    if (word > cursor->word)
        cairn_word_cursor_leave(cursor);
    cursor->word = word;
    cursor->step = 0;
}

void cairn_word_cursor_jump(struct cairn_word_cursor *cursor)
{
    *cursor = (struct cairn_word_cursor){.undefined_given = cursor->undefined_given,
                                         .undefined_at = cursor->undefined_at};
}
