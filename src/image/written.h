/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of functions as people write them: C++ and Rust symbols are taken apart. What is shown of a symbol is made here,
 * so that what is shown is understood when somebody gives it back. */
#ifndef CAIRN_IMAGE_WRITTEN_H
#define CAIRN_IMAGE_WRITTEN_H

#include <stddef.h>

/* What a symbol is written as, to be freed; NULL: as it is, or memory is short. Letters that a terminal would act on are
 * '?' in it. */
char *cairn_written(const char *symbol);

/* Leaves out of a C++ name what nobody has written in the source: template arguments that the standard
 * library's templates have by themselves (std::allocator<..>, std::less<..> and so on, at the end of
 * the list). What is basic_string<char> then is std::string. cairn_written has done so. */
void cairn_written_reduce(char *name);

/* For a column, of a name as it is written, in place of `size` bytes: without parameters and what is returned, template
 * arguments as <..>, what is in front or behind left out for that. Columns have CAIRN_WRITTEN_SHORT letters. */
void cairn_written_shorten(const char *name, char *text, size_t size);
#define CAIRN_WRITTEN_SHORT 34

#endif
