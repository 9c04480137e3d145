/* SPDX-License-Identifier: BSD-2-Clause */
/* The second writer's packets: bytes of one packet each, as IHI0014 6.4, 6.5 and 6.7 tell them. Each
 * function writes to `out` and returns how many bytes. */
#ifndef CAIRN_TESTS_ETMV2_PACKETS_H
#define CAIRN_TESTS_ETMV2_PACKETS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SW_MORE_PACKETS = 0x80, /* C of a header: others of this cycle follow */
    SW_VALUE_NOT_TRACED = 0x6a,
    SW_CONTEXT_HEADER = 0x6e,
    SW_BRANCH_MAX = 5,
    SW_TFO_PACKET_MAX = 1 + 4 + 4 + SW_BRANCH_MAX,
};

/* Where an instruction is. */
struct sw_place {
    uint32_t address;
    bool is_thumb;
};

enum sw_reason { /* Table 6-7 */
                 SW_PERIODIC = 0,
                 SW_TRACE_ON = 1,
                 SW_OVERFLOW = 2,
                 SW_DEBUG_EXIT = 3,
};

/* 6.7.1. last: the branch or TFO address output before, which becomes `to`. */
unsigned sw_put_branch(uint8_t *out, struct sw_place *last, struct sw_place to, bool is_cancelling);
/* 6.8.3. last becomes address. */
unsigned sw_put_data_address(uint8_t *out, uint32_t *last, uint32_t address, bool is_full);
/* Table 6-3: SS of a value, and its bytes. */
unsigned sw_value_code(uint32_t value);
unsigned sw_put_value(uint8_t *out, uint32_t value);
/* The low bytes of a Context ID. */
unsigned sw_put_context(uint8_t *out, uint32_t context, unsigned bytes);
/* 6.4.1: headers with C = 0 */
uint8_t sw_normal_header(bool has_address, unsigned value_code);
uint8_t sw_miss_header(bool has_address, unsigned tag);
uint8_t sw_miss_data_header(unsigned tag, unsigned value_code);
/* 6.5.4, and with lsm 6.5.5: at is then the instruction beneath it. last becomes at. */
unsigned sw_put_tfo(uint8_t *out, struct sw_place *last, enum sw_reason reason, uint32_t context,
                    unsigned context_bytes, struct sw_place at, const struct sw_place *lsm);

#endif
