/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of sentences: how near two are, so that what is misspelt can be told from what is unknown,
 * and how nouns end behind a number. */
#ifndef CAIRN_BASE_LETTERS_H
#define CAIRN_BASE_LETTERS_H

#include <stdint.h>

/* Longer words are not compared. */
#define CAIRN_LETTERS_MAX 32u

/* How many letters must be put in, left out or replaced to make one word of the other, in any case;
 * more than CAIRN_LETTERS_MAX when one of them is longer than that. */
unsigned cairn_letters_apart(const char *one, const char *other);

/* What a noun ends in behind a number of things: "1 byte", "2 bytes". */
static inline const char *cairn_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

#endif
