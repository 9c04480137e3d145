/* SPDX-License-Identifier: BSD-2-Clause */
/* Of the second writer of ETMv3: which P-headers say some atoms (IHI0014 7.3.1). Any that unpack to
 * the atoms are legal, so this lists them, and who writes chooses. Atoms are text: "WEWN". */
#ifndef CAIRN_TESTS_PROTOCOL_SECOND_ATOMS_H
#define CAIRN_TESTS_PROTOCOL_SECOND_ATOMS_H

#include <stdbool.h>
#include <stddef.h>

struct second_settings;

struct second_header {
    unsigned format; /* of Table 7-2, or in cycle-accurate mode of Table 7-3 */
    unsigned byte;
    size_t atoms; /* how many characters it says; 0: none such */
};

enum { SECOND_HEADERS_MAX = 32, SECOND_RUN_MAX = 16384 };

/* sayable[i]: P-headers can say the atoms from i on, to the end. So sayable[0] is whether they can
 * say all of them. There is one more than there are atoms, at most SECOND_RUN_MAX + 1. */
void second_find_sayable(const struct second_settings *settings, const char *atoms, bool *sayable);

/* The P-headers that say the first of the atoms and leave what can be said: how many. Those that
 * say most of their format come first. */
size_t second_headers(const struct second_settings *settings, const char *atoms,
                      const bool *sayable, struct second_header headers[SECOND_HEADERS_MAX]);

/* How many P-headers the atoms need; 0: there are none, or they cannot be said. */
size_t second_fewest(const struct second_settings *settings, const char *atoms);

#endif
