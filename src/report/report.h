/* SPDX-License-Identifier: BSD-2-Clause */
/* Listings: packets, elements and flow records as lines. One `const` table a format. */
#ifndef CAIRN_REPORT_REPORT_H
#define CAIRN_REPORT_REPORT_H

#include <cairn/capture.h>
#include <cairn/flow.h>

#include "report/code.h"
#include "report/output.h"

#define CAIRN_FILE_OFFSET_UNKNOWN UINT64_MAX

/* How much a flow listing says of a range. */
enum cairn_detail {
    CAIRN_DETAIL_INSTRUCTIONS = 0, /* a line an instruction */
    CAIRN_DETAIL_RANGES = 1,       /* a line a range */
    CAIRN_DETAIL_DATA = 2,         /* a line a data transfer, and nothing else */
};

struct cairn_people; /* report/people.h */

/* One source's part of a listing. */
struct cairn_listing {
    struct cairn_output *output;
    enum cairn_detail detail;
    const struct cairn_source_info *source;
    const char *buffer; /* name of its buffer */
    struct cairn_config *config;
    struct cairn_code *code; /* flow listings; NULL in the others */
    const char *function;    /* the last one that a heading named */
    uint64_t next_address;   /* behind the last instruction listed */
    uint64_t last_address;   /* of the last instruction listed */
    /* Of the data transfers being listed: which the first of them is, and whether that is known. */
    unsigned first_transfer;
    bool transfers_known;
    /* And the lowest address that their instruction accesses, where one of them tells it. */
    bool base_known;
    uint32_t base;
    /* And where the first one traced is, if each is as far behind the one before: for those of the same
     * execution that stand behind a break. */
    bool words_known;
    uint32_t words_of; /* the instruction */
    uint32_t words_at;
    struct cairn_people *people; /* what the listing for people remembers; NULL in the others */
};

/* Where a record comes from. */
struct cairn_origin {
    uint64_t offset;      /* in the source's bytes */
    uint64_t file_offset; /* or CAIRN_FILE_OFFSET_UNKNOWN */
    uint64_t length;
    const uint8_t *bytes; /* the first `byte_count` bytes of the packet; packet listings only */
    size_t byte_count;
};

/* A format. A member that is NULL: the format has no such listing. */
struct cairn_report {
    const char *name;
    /* A source begins, or in merged listings goes on. */
    void (*heading)(struct cairn_listing *listing);
    void (*packet)(struct cairn_listing *listing, const struct cairn_packet_batch *batch,
                   size_t index, const struct cairn_origin *origin);
    void (*element)(struct cairn_listing *listing, const struct cairn_element_batch *batch,
                    size_t index, const struct cairn_origin *origin);
    void (*flow)(struct cairn_listing *listing, const struct cairn_flow_batch *batch, size_t index,
                 const struct cairn_origin *origin);
    /* Something to tell about the source, a sentence. */
    void (*note)(struct cairn_listing *listing, const char *text);
    /* Prints what it holds back: another source goes on, or this one has ended. Both or neither. */
    void (*pause)(struct cairn_listing *listing);
    void (*end)(struct cairn_listing *listing);
};

extern const struct cairn_report cairn_report_text;      /* a flow: what each packet told */
extern const struct cairn_report cairn_report_json;      /* JSON lines */
extern const struct cairn_report cairn_report_addresses; /* flow only */

#endif
