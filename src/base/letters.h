/* SPDX-License-Identifier: BSD-2-Clause */
/* How near two words are, so that what is misspelt can be told from what is unknown. */
#ifndef CAIRN_BASE_LETTERS_H
#define CAIRN_BASE_LETTERS_H

/* Longer words are not compared. */
#define CAIRN_LETTERS_MAX 32u

/* How many letters must be put in, left out or replaced to make one word of the other, in any case;
 * more than CAIRN_LETTERS_MAX when one of them is longer than that. */
unsigned cairn_letters_apart(const char *one, const char *other);

#endif
