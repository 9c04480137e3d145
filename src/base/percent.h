/* SPDX-License-Identifier: BSD-2-Clause */
/* Text in which %20 is a blank: where lines, or a program that reads it, do not take every byte. */
#ifndef CAIRN_BASE_PERCENT_H
#define CAIRN_BASE_PERCENT_H

/* In place: each % with two hexadecimal digits becomes the byte, but for %00; another % stays. */
void cairn_percent_decode(char *text);

#endif
