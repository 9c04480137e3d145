/* SPDX-License-Identifier: BSD-2-Clause */
/* Names with a number behind them, for tables: those of exceptions. */
#ifndef CAIRN_PROTOCOL_NUMBERED_H
#define CAIRN_PROTOCOL_NUMBERED_H

/* P0 to P9, P10 to P99, and P00 to P99. */
#define TEN(P) P "0", P "1", P "2", P "3", P "4", P "5", P "6", P "7", P "8", P "9"
#define TENS_FROM_10(P)                                                                            \
    TEN(P "1"), TEN(P "2"), TEN(P "3"), TEN(P "4"), TEN(P "5"), TEN(P "6"), TEN(P "7"),            \
        TEN(P "8"), TEN(P "9")
#define HUNDRED(P) TEN(P "0"), TENS_FROM_10(P)

#endif
