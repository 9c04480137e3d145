/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a file given with --image and what else claims its addresses have different bytes, and which of
 * these were executed. */
#ifndef CAIRN_CLI_SESSION_DIFFERENCES_H
#define CAIRN_CLI_SESSION_DIFFERENCES_H

#include <cairn/engine.h>
#include <cairn/pipeline.h>

#include "cli/session/images.h"
#include "image/compare.h"

/* Addresses at which all bytes, or one of each instruction, differ. */
struct cli_difference {
    uint64_t first, last;
    size_t layer; /* the other one */
    size_t bit;   /* of the first half word in `ran` */
};

/* One file. Of ELF files only what can be executed is compared: data changes while a program runs. */
struct cli_compared {
    const struct cli_image *image;
    struct cli_difference *items; /* ascending */
    size_t count, capacity;
    uint64_t longest; /* of the items, in bytes */
    uint64_t bytes;   /* that differ */
    size_t bits;
    uint8_t
        *ran; /* a bit each half word: an instruction that begins to differ there was executed */
    uint64_t served;    /* instructions executed at its addresses, each as often as it was */
    uint64_t a64, a32;  /* of these, in A64, and in A32 and T32 */
    uint64_t differing; /* different ones that were executed */
    uint64_t first;     /* of those: lowest address, */
    enum cairn_isa isa;
    size_t layer; /* and whose the other bytes are */
};

#define CLI_OTHER_MAX 512
struct cli_differences {
    const struct cli_session *session;
    const struct cairn_layers *layers;
    struct cairn_layer_index own; /* the capture's */
    struct cli_compared *files;   /* one for each of the session's images */
    size_t count;
    uint64_t executed; /* instructions at all */
    uint64_t executed_a64;
    char other[CLI_OTHER_MAX];
};

/* Compares. False: memory is out. Free in every case. */
bool cli_differences_find(struct cli_differences *differences, const struct cli_session *session);
void cli_differences_free(struct cli_differences *differences);

/* Instructions that were executed, `times` times. */
void cli_differences_ran(struct cli_differences *differences, enum cairn_isa isa, uint64_t address,
                         uint64_t end, uint64_t instructions, uint64_t times);

/* The same of all that a pipeline counts and lists. */
struct cairn_consumer cli_differences_consumer(struct cli_differences *differences);

/* What the layer is, for a message; valid until the next call. */
const char *cli_differences_other(struct cli_differences *differences, size_t layer);

/* The bytes of a layer or of a file's layers at an address; NULL: there are none. */
const uint8_t *cli_differences_layer_at(const struct cli_differences *differences, size_t layer,
                                        uint64_t address, uint64_t *left);
const uint8_t *cli_differences_file_at(const struct cli_differences *differences,
                                       const struct cli_compared *file, uint64_t address,
                                       uint64_t *left);

#endif
