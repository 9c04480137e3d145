/* SPDX-License-Identifier: BSD-2-Clause */
/* One line of a TARMAC log. */
#ifndef CAIRN_MACHINE_TARMAC_LINE_H
#define CAIRN_MACHINE_TARMAC_LINE_H

#include "machine/tarmac/tarmac.h"

enum cairn_tarmac_verdict {
    CAIRN_TARMAC_RECORD,  /* *record is filled in */
    CAIRN_TARMAC_OTHER,   /* fine, and of no interest */
    CAIRN_TARMAC_UNKNOWN, /* a record of an unknown kind */
    CAIRN_TARMAC_UNPARSABLE,
};

/* What a line says besides its record. */
struct cairn_tarmac_line {
    const char *cpu; /* NULL: not given */
    size_t cpu_size;
    uint64_t time;
    uint8_t unit;  /* enum cairn_tarmac_unit; NO_TIME: not given */
    bool complete; /* the line has an end: false for the last one of a log that was cut */
    /* The last mode, kept from line to line: nearly always the next one's too. */
    char mode_text[16];
    uint8_t mode_size;
    uint8_t mode;
    uint8_t security;
};

/* Parses text[0 .. size), which has no end of line and is followed by a byte that is not part of
 * any token ('\n', 0). *line begins as zeros; line->complete is the caller's to set. */
enum cairn_tarmac_verdict cairn_tarmac_line_parse(const char *text, size_t size,
                                                  struct cairn_tarmac_line *line,
                                                  struct cairn_tarmac_record *record);

/* "EL1h_ns" and its kin; false, and nothing written, for a word that is no mode. */
bool cairn_tarmac_mode_parse(const char *text, size_t size, uint8_t *mode, uint8_t *security);

#endif
