/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of a value change dump, one after the other. */
#ifndef CAIRN_CAPTURE_PORT_VCD_WORDS_H
#define CAIRN_CAPTURE_PORT_VCD_WORDS_H

#include <cairn/status.h>

#include "capture/port/vcd.h"

/* Vectors are no longer than that; of a longer word the rest is dropped. */
#define CAIRN_VCD_WORD ((size_t)4096)
#define CAIRN_VCD_WINDOW ((size_t)64 << 10)

struct cairn_vcd_words {
    struct cairn_port_input input;
    uint64_t loaded; /* offset behind the window */
    size_t size, used;
    bool failed;     /* the file cannot be read */
    uint64_t offset; /* of the word */
    size_t length;
    bool cut;
    char word[CAIRN_VCD_WORD + 1];
    uint8_t window[CAIRN_VCD_WINDOW];
};

/* On the heap; NULL when memory is out. */
struct cairn_vcd_words *cairn_vcd_words_new(const struct cairn_port_input *input, uint64_t offset);
/* False: there are no more, or the file cannot be read. */
bool cairn_vcd_words_next(struct cairn_vcd_words *words);
/* Passes over all up to "$end". */
void cairn_vcd_words_skip(struct cairn_vcd_words *words);

#endif
