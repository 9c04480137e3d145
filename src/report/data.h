/* SPDX-License-Identifier: BSD-2-Clause */
/* What a Data record is in the words of its instruction: which way, which register. */
#ifndef CAIRN_REPORT_DATA_H
#define CAIRN_REPORT_DATA_H

#include "report/report.h"

#define CAIRN_DATA_REGISTER_TEXT 16

struct cairn_data_line {
    unsigned kind;        /* enum cairn_data_kind */
    bool has_instruction; /* `instruction` made the transfer */
    uint32_t instruction; /* its address */
    enum cairn_isa isa;   /* of it */
    const char
        *direction; /* "load", "store", "from-coprocessor", "to-coprocessor"; NULL: not known */
    unsigned size;  /* bytes of the transfer; 0: not known */
    /* "r4", "d3[63:32]"; empty: not known. Of an instruction with several transfers it is the one
     * if the trace has the first of them, since only those behind it are counted (IHI0014 7.4.4):
     * then it is not `certain`. */
    char name[CAIRN_DATA_REGISTER_TEXT];
    bool certain;
    /* Where the data is. The packet may have no address (7.4.1): that of a load or store multiple's
     * first transfer is enough once it is known which one each is, or where each is as far
     * behind the one before, and then it is `implied`. */
    bool has_address;
    bool implied;
    uint32_t address;
};

/* Looks at the instruction of Data record `index`. */
void cairn_data_line(const struct cairn_listing *listing, const struct cairn_flow_batch *batch,
                     size_t index, struct cairn_data_line *line);

/* Finds out which of their instruction's transfers those of a batch are, for the lines to come: all
 * of one instruction but for late values and the like. `complete`: it has no more. */
void cairn_data_count(struct cairn_listing *listing, const struct cairn_flow_batch *batch,
                      bool complete);

/* Writes it as a phrase: "load r4 = 0x12345678 <- [0x20000010]". The instruction is named where it
 * is not the one at `last`. */
void cairn_data_phrase(struct cairn_output *output, const struct cairn_data_line *line,
                       const struct cairn_flow_batch *batch, size_t index, uint64_t last);

/* The value, with the digits of its size. */
void cairn_data_value(struct cairn_output *output, const struct cairn_data_line *line,
                      uint64_t value);

#endif
