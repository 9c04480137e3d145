/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of functions as people write them: C++ and Rust symbols are taken apart. */
#ifndef CAIRN_REPORT_NAMING_H
#define CAIRN_REPORT_NAMING_H

#include <stdbool.h>
#include <stddef.h>

struct cairn_naming; /* remembers what it has taken apart; one thread */

struct cairn_naming *cairn_naming_new(void); /* NULL when memory is short: names stay as they are */
void cairn_naming_free(struct cairn_naming *naming); /* NULL is fine */

/* With parameters and all that was written. Valid until the next call, as the symbol is. */
const char *cairn_naming_whole(struct cairn_naming *naming, const char *symbol);

/* Whether a symbol is what a user means by `name`: as it is in the file, or as people write it, with parameters or
 * without. */
bool cairn_naming_is(struct cairn_naming *naming, const char *symbol, const char *name);

/* For a column: without parameters, template arguments as <..>, at most CAIRN_NAMING_SHORT letters,
 * what is in front or behind left out for that. The same, for as long. */
const char *cairn_naming_short(struct cairn_naming *naming, const char *symbol);
#define CAIRN_NAMING_SHORT 34

/* Leaves out of a C++ name what nobody has written in the source: template arguments that the standard
 * library's templates have by themselves (std::allocator<..>, std::less<..> and so on, at the end of
 * the list). What is basic_string<char> then is std::string. Both of the above are so. */
void cairn_naming_reduce(char *name);

/* Makes a name short in place of `size` bytes: what both of the above are made with. */
void cairn_naming_shorten(const char *name, char *text, size_t size);

#endif
