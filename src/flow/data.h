/* SPDX-License-Identifier: BSD-2-Clause */
/* Which instruction a data transfer belongs to (IHI0014 7.4, 7.5.3): worked out from the records as
 * they come, by the reference follower and by the engine's records view alike. */
#ifndef CAIRN_FLOW_DATA_H
#define CAIRN_FLOW_DATA_H

#include <cairn/engine.h>

#include "protocol/protocol.h"

/* Whose the transfers up to the next instruction are, if not the last transferring one's: the
 * `value` of a mark CAIRN_WORD_DATA. */
enum cairn_data_whose {
    CAIRN_DATA_OF_LAST = 0,
    CAIRN_DATA_OF_CORE = 1,      /* it stacks or unstacks by itself */
    CAIRN_DATA_OF_CANCELLED = 2, /* an instruction that did not execute: they are dropped */
    CAIRN_DATA_OF_PAUSED = 3,    /* one that did so in part, at the mark's address */
    CAIRN_DATA_OF_UNKNOWN = 4,
    CAIRN_DATA_RESUMES =
        5, /* the next instruction has done as many as the mark's `instructions` says */
};

/* The last instruction that transfers data. */
struct cairn_word_data {
    uint32_t address;
    uint8_t transfers; /* of it so far */
    uint8_t done;      /* of the next instruction: it was paused */
    uint8_t whose;     /* the transfers are, if not its */
    uint8_t isa;       /* enum cairn_isa of it */
    bool known;
    bool big_endian; /* its last address said so */
    uint8_t dropped; /* bit n: tag n's placeholder was of an instruction that did not execute */
};

/* Whether an instruction that passed its condition has data in the trace. BXJ may: a load of
 * Jazelle's local variable 0 (IHI0014 4.10.2). */
bool cairn_data_has(const struct cairn_follow_rules *rules, const struct cairn_arch *arch,
                    enum cairn_isa isa, const struct cairn_insn *insn);

/* A Data element as a record that belongs to no instruction yet. */
void cairn_data_record(const struct cairn_element_data *element, unsigned element_flags,
                       struct cairn_word_event *record);

/* The next record, or mark. What is said of a data transfer's instruction is put into it. False: it
 * is not to be given. */
bool cairn_data_pass(struct cairn_word_data *data, bool m_profile, struct cairn_word_event *record);

#endif
