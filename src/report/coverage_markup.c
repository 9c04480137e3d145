/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/coverage_markup.h"

#include <string.h>

#define PIECE 256u /* bytes that are looked at in one go */

static void put_character(struct cairn_output *output, char character)
{
    switch (character) {
    case '&': cairn_output_text(output, "&amp;"); break;
    case '<': cairn_output_text(output, "&lt;"); break;
    case '>': cairn_output_text(output, "&gt;"); break;
    case '"': cairn_output_text(output, "&quot;"); break;
    case '\'': cairn_output_text(output, "&#39;"); break;
    default:
        /* the other control characters are in no XML */
        if ((unsigned char)character < ' ' && character != '\t')
            cairn_output_text(output, "\xef\xbf\xbd");
        else
            cairn_output_char(output, character);
    }
}

/* Where to cut, so that no character of UTF-8 is. */
static size_t piece_of(const char *text, size_t length)
{
    size_t size = PIECE;

    if (length <= PIECE)
        return length;
    while (size > PIECE - 4 && ((unsigned char)text[size] & 0xc0u) == 0x80u)
        size--;
    return size;
}

void cairn_markup_text(struct cairn_output *output, const char *text, size_t length)
{
    while (length) {
        char raw[PIECE + 1], clean[3 * PIECE + 4];
        const size_t size = piece_of(text, length);

        memcpy(raw, text, size);
        raw[size] = '\0';
        for (size_t i = 0; i < size; i++)
            if (raw[i] == '\0')
                raw[i] = '\1';
        cairn_text_to_utf8(raw, clean, sizeof clean);
        for (const char *at = clean; *at; at++)
            put_character(output, *at);
        text += size;
        length -= size;
    }
}
