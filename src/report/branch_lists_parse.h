/* SPDX-License-Identifier: BSD-2-Clause */
/* The messages in a file of branch lists, for branch_lists_read.c. */
#ifndef CAIRN_REPORT_BRANCH_LISTS_PARSE_H
#define CAIRN_REPORT_BRANCH_LISTS_PARSE_H

#include "report/branch_lists.h"
#include "report/protobuf_read.h"

/* One file, whose messages follow each other. Zero it but for `lists`, and clear it in the end. */
struct cairn_listed_file {
    struct cairn_branch_lists *lists;
    bool wants_magic;  /* of the message: it is the only one */
    uint32_t *numbers; /* of the binaries of samples, as the file counts them from 1 on */
    size_t number_count, number_room;
    /* where it is damaged, and how */
    const uint8_t *at;
    const char *problem;
};

/* Adds what a message has. CAIRN_E_FORMAT: it is damaged; CAIRN_E_LIMIT; CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_listed_message(struct cairn_listed_file *file,
                                                   const uint8_t *bytes, size_t size);
void cairn_listed_file_clear(struct cairn_listed_file *file);

#endif
