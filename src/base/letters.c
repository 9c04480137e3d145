/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/letters.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

unsigned cairn_letters_apart(const char *one, const char *other)
{
    const size_t width = strlen(other);
    unsigned row[CAIRN_LETTERS_MAX + 1];

    if (width > CAIRN_LETTERS_MAX || strlen(one) > CAIRN_LETTERS_MAX)
        return CAIRN_LETTERS_MAX + 1;
    for (unsigned i = 0; i <= width; i++)
        row[i] = i;
    for (unsigned at = 1; *one; one++, at++) {
        unsigned corner = row[0];
        row[0] = at;
        for (size_t i = 0; i < width; i++) {
            const bool same = toupper((unsigned char)*one) == toupper((unsigned char)other[i]);
            const unsigned replaced = corner + !same;
            const unsigned moved = 1 + (row[i] < row[i + 1] ? row[i] : row[i + 1]);
            corner = row[i + 1];
            row[i + 1] = replaced < moved ? replaced : moved;
        }
    }
    return row[width];
}
