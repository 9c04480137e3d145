/* SPDX-License-Identifier: BSD-2-Clause */
/* perf.data files as perf record of Linux writes them (PERFILE2, little-endian): samples with branch
 * stacks, and the names of what ran. What is added is kept until all is written. */
#ifndef CAIRN_REPORT_PERF_DATA_H
#define CAIRN_REPORT_PERF_DATA_H

#include <cairn/brbe.h>

#include "report/output.h"

/* All zero: empty. */
struct cairn_perf_data {
    uint8_t *bytes; /* of the data section */
    size_t used, room;
    bool failed; /* out of memory */
};

struct cairn_perf_sample {
    uint64_t address; /* of the instruction */
    uint64_t time;    /* in nanoseconds; samples are added in this order */
    uint32_t thread;
    uint8_t level;                            /* enum cairn_perf_level */
    const struct cairn_branch_entry *entries; /* the youngest first */
    size_t count;
};

/* PERF_RECORD_MISC_... of who was executing. */
enum cairn_perf_level { CAIRN_PERF_KERNEL = 1, CAIRN_PERF_USER = 2, CAIRN_PERF_HYPERVISOR = 3 };

/* A thread's name; what is longer than CAIRN_PERF_NAME letters is cut. */
#define CAIRN_PERF_NAME 256u
void cairn_perf_name(struct cairn_perf_data *data, uint32_t thread, const char *name);
/* Code of a file at an address of a thread, of which `offset` is where it is in the file. */
struct cairn_perf_map {
    uint32_t thread;
    uint64_t address, size, offset;
    const char *path; /* what is longer than CAIRN_PERF_PATH letters is cut */
};
#define CAIRN_PERF_PATH 4096u
void cairn_perf_map(struct cairn_perf_data *data, const struct cairn_perf_map *map);
/* At most CAIRN_PERF_ENTRIES entries: a record has no room for more. */
#define CAIRN_PERF_ENTRIES 1024u
void cairn_perf_sample(struct cairn_perf_data *data, const struct cairn_perf_sample *sample);
/* Writes the file. False when memory was short: then nothing is written. */
bool cairn_perf_write(const struct cairn_perf_data *data, struct cairn_output *output);
void cairn_perf_free(struct cairn_perf_data *data);

#endif
