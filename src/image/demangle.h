/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of C++, as they are written, of names that a file has. */
#ifndef CAIRN_IMAGE_DEMANGLE_H
#define CAIRN_IMAGE_DEMANGLE_H

/* "ns::f(int)" of "_ZN2ns1fEi", to be freed; NULL: it is no such name, or this machine has no C++
 * library, which is loaded at the first call. Safe in any thread. */
char *cairn_demangle(const char *name);

#endif
