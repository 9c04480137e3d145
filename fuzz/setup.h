/* SPDX-License-Identifier: BSD-2-Clause */
/* A configuration and an image out of the first bytes of a fuzz input. */
#ifndef CAIRN_FUZZ_SETUP_H
#define CAIRN_FUZZ_SETUP_H

#include <cairn.h>

struct fuzz_setup {
    struct cairn_config *config;
    struct cairn_image *image;
};

/* Takes the header off *data. False when the input is too short or the registers are refused. */
bool fuzz_setup_begin(struct fuzz_setup *setup, const uint8_t **data, size_t *size);
void fuzz_setup_end(struct fuzz_setup *setup);

#endif
