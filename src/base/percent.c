/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/percent.h"

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

void cairn_percent_decode(char *text)
{
    char *to = text;

    for (const char *at = text; *at; at++) {
        const int high = *at == '%' ? digit_of(at[1]) : -1;
        const int low = high >= 0 ? digit_of(at[2]) : -1;
        const int byte = low >= 0 ? high << 4 | low : 0;

        if (byte)
            at += 2;
        *to++ = byte ? (char)byte : *at;
    }
    *to = 0;
}
