/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands that are shown so that somebody may run them: their words as a shell takes them. */
#ifndef CAIRN_BASE_SHELL_H
#define CAIRN_BASE_SHELL_H

/* For every path that can be opened, and the quotes around it. */
#define CAIRN_SHELL_ROOM (4u * 4096u + 8u)

/* The word as it has to be written: in quotes where it is not plain. One that `text` has no room for comes
 * back as it is. */
const char *cairn_shell_word(const char *word, char text[CAIRN_SHELL_ROOM]);
/* The same of a file's name, which is not to be taken for an option. */
const char *cairn_shell_file(const char *name, char text[CAIRN_SHELL_ROOM]);

#endif
