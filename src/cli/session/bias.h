/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a file was loaded, when nobody said so. */
#ifndef CAIRN_CLI_SESSION_BIAS_H
#define CAIRN_CLI_SESSION_BIAS_H

#include "cli/session/session.h"
#include "image/compare.h"

enum cli_bias_found {
    CLI_BIAS_NONE = 0,    /* it fits nowhere */
    CLI_BIAS_ONE = 1,     /* at `address` */
    CLI_BIAS_SEVERAL = 2, /* at `address` and at `other`, and one cannot be told from the other */
};

#define CLI_BIAS_REASON_MAX 320
struct cli_bias {
    enum cli_bias_found found;
    uint64_t address; /* as --image FILE@ADDRESS takes it */
    uint64_t other;
    char reason[CLI_BIAS_REASON_MAX]; /* what speaks for it, or why there is none */
};

/* Looks for the address at which the file fits: by the modules that a recording names; by bytes that the
 * capture has and the file, too; by the addresses at which the flow of the chosen sources finds no
 * memory, which must be places where the file's code can be entered, and by following the trace through
 * the file there. Nothing of the session changes. */
void cli_bias_find(struct cli_session *session, const char *path, struct cli_bias *bias);

/* --- the steps --- */

/* The code of a file: of ELF files what can be executed, without bias. */
struct cli_file_code {
    struct cairn_image *image; /* of the file alone */
    struct cairn_bytes *parts;
    size_t count;
    bool is_elf;
    bool is_64;    /* what it holds is A64 */
    bool is_known; /* ... or A32 and T32; of a raw file neither is known */
};

/* An address, and what speaks for it. */
struct cli_candidate {
    uint64_t bias;
    uint64_t votes;
};

/* The candidates with the most votes, best first; at most `capacity`. Returns how many; *ties is how many
 * there are with as many votes as the best. (bias_votes.c) */
struct cli_votes;
struct cli_votes *cli_votes_new(void); /* NULL: memory is out */
void cli_votes_free(struct cli_votes *votes);
void cli_votes_add(struct cli_votes *votes, uint64_t bias); /* what there is no room for is lost */
size_t cli_votes_best(const struct cli_votes *votes, struct cli_candidate *best, size_t capacity,
                      size_t *ties);

/* Votes by bytes that the first `layers` layers of an image have too. (bias_bytes.c) */
void cli_bias_by_bytes(const struct cli_file_code *code, const struct cairn_layers *layers,
                       size_t count, struct cli_votes *votes);

/* How many bytes of the code the layers have the same, and otherwise, if it is loaded there. */
void cli_bias_compare(const struct cli_file_code *code, uint64_t bias,
                      const struct cairn_layers *layers, size_t count, uint64_t *same,
                      uint64_t *different);

/* Votes by addresses to which flow went: a place where the code can be entered has the same offset in
 * its page. (bias_starts.c) */
void cli_bias_by_starts(const struct cli_file_code *code, const uint64_t *addresses, size_t count,
                        struct cli_votes *votes);

#endif
