/* SPDX-License-Identifier: BSD-2-Clause */
/* ETMv3: what the files of this folder share. Nothing outside the folder includes this file. */
#ifndef CAIRN_PROTOCOL_ETMV3_ETMV3_H
#define CAIRN_PROTOCOL_ETMV3_ETMV3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/etmv3.h>
#include <cairn/packet.h>

#include "protocol/branches.h"
#include "protocol/protocol.h"

#define CAIRN_ETMV3_SYNC_ZEROS 5u /* zero bytes of an A-sync, at least (7.7.2) */

/* Exception[3:0] of the A and R profile, where more than the name depends on it (Table 7-12). */
enum cairn_etmv3_exception {
    CAIRN_ETMV3_HALTING_DEBUG = 1,
    CAIRN_ETMV3_SECURE_MONITOR_CALL = 2,
    CAIRN_ETMV3_RESET = 8,
    CAIRN_ETMV3_UNDEFINED = 9,
    CAIRN_ETMV3_SUPERVISOR_CALL = 10,
    CAIRN_ETMV3_OLD_DEBUG = CAIRN_ETMV3_EXCEPTION_OLD | 7, /* EEE of the fifth byte (Table 7-9) */
};

/* How many kinds of packets there are. */
#define CAIRN_ETMV3_KIND_COUNT (0u CAIRN_ETMV3_PACKETS(CAIRN_COUNT_ONE))

/* The registers, decoded. What a missing one counts as is in configure.c. */
struct cairn_etmv3_config {
    uint8_t minor;          /* ETMIDR[7:4]: ETMv3.minor, at most 5 */
    bool m_profile;         /* exception numbers, 7E and 76 as on Armv7-M */
    bool alternative;       /* ETMIDR[20] from v3.4: the alternative branch encoding */
    bool security;          /* ETMIDR[19]: Security Extensions */
    bool wide_is_one_atom;  /* ETMIDR[18]: a 32-bit Thumb instruction is one atom */
    bool loads_pc_first;    /* ETMIDR[16], and an ETM11RV that lacks the bit (3.5.18) */
    bool cycle_accurate;    /* ETMCR[12] */
    bool data_value;        /* ETMCR[2] */
    bool data_address;      /* ETMCR[3] */
    bool cprt;              /* ETMCR[1] */
    bool data_only;         /* ETMCR[20], from v3.1 */
    bool suppression;       /* ETMCR[18] */
    bool branch_output;     /* ETMCR[8]: direct branches have packets too */
    uint8_t context_bytes;  /* ETMCR[15:14]: 0, 1, 2, 4 */
    bool timestamps;        /* ETMCR[28], v3.5 */
    uint8_t timestamp_bits; /* ETMCCER[29]: 48 or 64; 0 before v3.5 */
    bool gray;              /* ETMCCER[28] is 0: timestamps are Gray coded */
    bool virtualization;    /* ETMCCER[26], v3.5 */
    bool vmid;              /* ETMCR[30], with virtualization */
    bool swp_stores_first;  /* ETMIDR2[1] */
    bool rfe_cpsr_first;    /* ETMIDR2[0] */
    uint8_t trace_id;       /* ETMTRACEIDR */
};

static inline const struct cairn_etmv3_config *cairn_etmv3_of(const struct cairn_config *config)
{
    return config->decoded;
}

/* A branch packet that says no more than that Halting debug was entered: its address, instruction
 * set, NS and Hyp mean nothing (7.3.5). */
static inline bool cairn_etmv3_is_halting(const struct cairn_etmv3_config *config,
                                          const struct cairn_packet_fields *fields)
{
    if (!(fields->flags & CAIRN_PACKET_HAS_EXCEPTION))
        return false;
    return fields->type == CAIRN_ETMV3_OLD_DEBUG ||
           (fields->type == CAIRN_ETMV3_HALTING_DEBUG && !config->m_profile);
}

/* What packets are compressed against. `_known`: how many low bits are certain, 0 to 32 or 64. */
struct cairn_etmv3_state {
    uint32_t address; /* the last one broadcast: of a branch or I-sync */
    uint32_t data_address;
    uint64_t timestamp; /* as traced: before Gray decoding */
    uint32_t context_id;
    uint8_t vmid;
    uint8_t state;  /* enum cairn_packet_state, as broadcast */
    uint8_t reason; /* of the last I-sync that was not periodic, if cycles are counted */
    uint8_t address_known, data_known, timestamp_known;
    bool non_secure, hyp, big_endian;
    bool zero_stored; /* the packet before has a value of 0: Store failed may follow */
};

/* What packets are compressed against while nothing is known. A core of the M profile has one
 * instruction set, also before an I-sync says so. */
static inline struct cairn_etmv3_state cairn_etmv3_unknown(const struct cairn_etmv3_config *config)
{
    return (struct cairn_etmv3_state){.state =
                                          config->m_profile ? CAIRN_STATE_THUMB : CAIRN_STATE_ARM};
}

/* Without the Security Extensions all is Secure (3.5.18; unknown before v3.2); Hyp mode is
 * Non-secure. */
static inline bool cairn_etmv3_security_contradicts(const struct cairn_etmv3_config *config,
                                                    const struct cairn_etmv3_state *state)
{
    if (state->non_secure)
        return !config->security && config->minor >= 2;
    return state->hyp;
}

/* The next data address is whole again. */
static inline void cairn_etmv3_forget_data(struct cairn_etmv3_state *state)
{
    state->data_address = 0;
    state->data_known = 0;
    state->big_endian = false;
}

/* What an I-sync leaves of the data addresses (7.7.4): all of it where nothing is missing, none
 * behind a gap. */
static inline void cairn_etmv3_sync_data(struct cairn_etmv3_state *state, unsigned reason)
{
    if (reason != CAIRN_ETMV3_PERIODIC)
        cairn_etmv3_forget_data(state);
}

/* And what suppressed data leave (7.4.6): none up to v3.2. */
static inline void cairn_etmv3_suppress(const struct cairn_etmv3_config *config,
                                        struct cairn_etmv3_state *state)
{
    if (config->minor <= 2)
        cairn_etmv3_forget_data(state);
}

/* Bits of an address below which a state has none. */
static inline unsigned cairn_etmv3_alignment(unsigned state)
{
    return state == CAIRN_STATE_ARM ? 2 : state == CAIRN_STATE_JAZELLE ? 0 : 1;
}

/* `bits` low ones. */
static inline uint64_t cairn_etmv3_mask(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* configure.c */
cairn_status cairn_etmv3_configure(const struct cairn_source_config *source,
                                   struct cairn_config *config, struct cairn_error *error);

/* headers.c: the kind that each header byte begins, CAIRN_ETMV3_RESERVED for none. A_SYNC for 00.
 */
void cairn_etmv3_headers(const struct cairn_etmv3_config *config, uint8_t kinds[256]);
enum cairn_account cairn_etmv3_account(unsigned kind);
extern const uint8_t cairn_etmv3_accounts[]; /* the same, by kind */

/* print.c */
extern const struct cairn_kind_name cairn_etmv3_kind_names[CAIRN_ETMV3_KIND_COUNT];
size_t cairn_etmv3_describe_config(const struct cairn_config *config, struct cairn_field *fields,
                                   size_t capacity);
size_t cairn_etmv3_describe_packet(const struct cairn_config *config,
                                   const struct cairn_packet_batch *batch, size_t index,
                                   struct cairn_field *fields, size_t capacity);
/* exceptions.c: reserved in this version and profile */
bool cairn_etmv3_is_reserved(const struct cairn_etmv3_config *config, unsigned type);
const char *cairn_etmv3_exception_name(const struct cairn_config *config, unsigned type);
/* Those that an undefined instruction may raise. */
void cairn_etmv3_undefined(const struct cairn_etmv3_config *config,
                           uint16_t types[CAIRN_RULES_UNDEFINED]);

/* sync.c: cairn_find_sync */
size_t cairn_etmv3_find_sync(const uint8_t *data, size_t size, size_t from);

/* parse.c: cairn_packets_... */
struct cairn_etmv3_parser;
CAIRN_MUST_CHECK cairn_status cairn_etmv3_parser_new(struct cairn_config *config,
                                                     struct cairn_etmv3_parser **parser);
void cairn_etmv3_parser_free(struct cairn_etmv3_parser *parser);
CAIRN_MUST_CHECK cairn_status cairn_etmv3_parser_run(struct cairn_etmv3_parser *parser,
                                                     const uint8_t *data, size_t size,
                                                     size_t *position,
                                                     struct cairn_packet_batch *batch);
CAIRN_MUST_CHECK cairn_status cairn_etmv3_parser_finish(struct cairn_etmv3_parser *parser,
                                                        struct cairn_packet_batch *batch);

/* What the next packet is compressed against; NULL unless the parser stands between two packets and
 * nothing is damaged. Of the bytes that it has taken, *unused are in no packet yet. */
const struct cairn_etmv3_state *cairn_etmv3_parser_stands(const struct cairn_etmv3_parser *parser,
                                                          size_t *unused);
/* The same, to be moved on, and the parser's place. */
struct cairn_etmv3_state *cairn_etmv3_parser_state(struct cairn_etmv3_parser *parser,
                                                   uint64_t *offset);
/* The kind that each header byte begins. */
const uint8_t *cairn_etmv3_parser_kinds(const struct cairn_etmv3_parser *parser);
/* What it has in its window is not there, and so many bytes from its place on were taken. */
void cairn_etmv3_parser_skip(struct cairn_etmv3_parser *parser, size_t bytes);
/* Bytes of packets between two P-headers, and a P-header, at most. */
#define CAIRN_ETMV3_BETWEEN 64u
/* It stands in front of a packet at this offset of the source, and nothing is known. */
void cairn_etmv3_parser_begin(struct cairn_etmv3_parser *parser, uint64_t offset);
/* `skipped` bytes on from its place, where branch packets are compressed against `place`: takes
 * packets that say nothing of atoms, if a P-header with atoms is behind them. Returns their bytes;
 * 0: it is not so, and nothing was taken. */
size_t cairn_etmv3_parser_between(struct cairn_etmv3_parser *parser, size_t skipped,
                                  const struct cairn_branch_place *place, const uint8_t *bytes,
                                  size_t size, struct cairn_packet_batch *batch);

/* write.c: cairn_packet_write */
struct cairn_etmv3_writer;
CAIRN_MUST_CHECK cairn_status cairn_etmv3_writer_new(struct cairn_config *config,
                                                     struct cairn_etmv3_writer **writer);
void cairn_etmv3_writer_free(struct cairn_etmv3_writer *writer);
size_t cairn_etmv3_writer_write(struct cairn_etmv3_writer *writer, unsigned kind,
                                const struct cairn_packet_fields *fields, uint8_t *bytes,
                                size_t capacity);

extern const struct cairn_about cairn_etmv3_about;

#endif
