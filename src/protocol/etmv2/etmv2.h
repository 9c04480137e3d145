/* SPDX-License-Identifier: BSD-2-Clause */
/* ETMv2: what the files of this folder share. Nothing outside the folder includes this file. Sections
 * are IHI0014's. */
#ifndef CAIRN_PROTOCOL_ETMV2_ETMV2_H
#define CAIRN_PROTOCOL_ETMV2_ETMV2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/etmv2.h>
#include <cairn/packet.h>

#include "protocol/protocol.h"
#include "protocol/samples.h"

/* How many kinds of packets there are. */
#define CAIRN_ETMV2_KIND_COUNT (0u CAIRN_ETMV2_PACKETS(CAIRN_COUNT_ONE))

enum {
    /* Offsets of TFOs go up to 95 bytes (Table 6-4), so no FIFO has more than these, the packet of a
     * TFO included: neither a group of packets nor those that wait can be longer. */
    CAIRN_ETMV2_FIFO = 128,
    /* Cycles in which such a FIFO drains, with room for triggers, offsets and gap nibbles in between: 256
     * with 4 pins. A status that waits for longer waits for packets that are not in the trace. */
    CAIRN_ETMV2_WAIT = 1024,
    CAIRN_ETMV2_LONGEST = 14, /* bytes: an LSM in progress TFO packet */
};

/* PIPESTAT[3:0] (Table 6-1). */
enum cairn_etmv2_status {
    CAIRN_ETMV2_STATUS_WT = 4,
    CAIRN_ETMV2_STATUS_DW = 5,
    CAIRN_ETMV2_STATUS_TR = 6,
    CAIRN_ETMV2_STATUS_TD = 7,
};

/* HIVECS, as it was given. */
enum cairn_etmv2_vectors {
    CAIRN_ETMV2_VECTORS_UNKNOWN, /* at either place */
    CAIRN_ETMV2_VECTORS_LOW,
    CAIRN_ETMV2_VECTORS_HIGH,
};

/* The registers, decoded. What a missing one counts as is in configure.c. */
struct cairn_etmv2_config {
    uint8_t minor;         /* ETMIDR[7:4]: ETMv2.minor, at most 1 */
    uint8_t pins;          /* of TRACEPKT: 4, 8 or 16; ETMCR[6:4] */
    bool cycle_accurate;   /* ETMCR[12] */
    bool data_value;       /* ETMCR[2] */
    bool data_address;     /* ETMCR[3] */
    bool cprt;             /* ETMCR[1] */
    bool branch_output;    /* ETMCR[8]: direct branches have packets too */
    bool loads_pc_first;   /* ETMIDR[16], from v2.1 */
    uint8_t context_bytes; /* ETMCR[15:14]: 0, 1, 2, 4 */
    uint8_t vectors;       /* enum cairn_etmv2_vectors */
};

static inline const struct cairn_etmv2_config *cairn_etmv2_of(const struct cairn_config *config)
{
    return config->decoded;
}

static inline bool cairn_etmv2_has_data(const struct cairn_etmv2_config *config)
{
    return config->data_value || config->data_address || config->cprt;
}

/* Whether a status places a group of packets in the FIFO (6.1.3). */
static inline bool cairn_etmv2_places(unsigned status)
{
    return (status & 1) != 0 && status != CAIRN_ETMV2_STATUS_TD;
}

/* Whether it is a cycle without trace: nothing is in the FIFO, and no instruction executed. */
static inline bool cairn_etmv2_is_idle(unsigned kind, const struct cairn_packet_fields *status)
{
    return (kind == CAIRN_ETMV2_TD && !(status->info & CAIRN_ETMV2_COUNTED)) ||
           (kind == CAIRN_ETMV2_TR && status->type == CAIRN_ETMV2_STATUS_WT &&
            !(status->info & CAIRN_ETMV2_IN_STEP));
}

/* The instructions of a status, 1 = E, the oldest in bit 0; returns how many (Tables 6-1, 7-24). */
static inline unsigned cairn_etmv2_atoms(unsigned status, uint32_t *atoms)
{
    const uint32_t last = !(status & 2); /* IE, DE; IN and DN have bit 1 */

    *atoms = last;
    if (status >= CAIRN_ETMV2_STATUS_WT && status <= CAIRN_ETMV2_STATUS_TD)
        return 0;
    if (status < CAIRN_ETMV2_STATUS_WT)
        return 1;
    *atoms = last << 1 | !(status & 4); /* a phantom that was taken, or was not */
    return 2;
}

/* What packets are compressed against. `_known`: how many low bits are certain, 0 to 32. */
struct cairn_etmv2_state {
    uint32_t address; /* the last one of a branch or TFO */
    uint32_t data_address;
    uint32_t context_id;
    uint8_t state; /* enum cairn_packet_state */
    uint8_t address_known, data_known;
};

/* configure.c */
cairn_status cairn_etmv2_configure(const struct cairn_source_config *source,
                                   struct cairn_config *config, struct cairn_error *error);

/* payload.c: packets of the FIFO. Whether these are the bytes of one: */
enum cairn_etmv2_frame {
    CAIRN_ETMV2_FRAME_MORE, /* more are needed */
    CAIRN_ETMV2_FRAME_WHOLE,
    CAIRN_ETMV2_FRAME_RESERVED, /* of none */
};
enum cairn_etmv2_frame cairn_etmv2_frame(const struct cairn_etmv2_config *config, bool tfo,
                                         const uint8_t *bytes, size_t size);
/* A whole one: its kind, its fields, and what the next one is compressed against. */
enum cairn_etmv2_kind cairn_etmv2_read(const struct cairn_etmv2_config *config, bool tfo,
                                       const uint8_t *bytes, size_t size,
                                       struct cairn_etmv2_state *state,
                                       struct cairn_packet_fields *fields);
enum cairn_account cairn_etmv2_account(unsigned kind);

enum { CAIRN_ETMV2_UNDEFINED = 9 /* Undefined Instruction */ };

/* exceptions.c: the number of the exception whose vector a branch to this address in ARM state is; 0:
 * none. `cancels`: the branch has its E bit. */
unsigned cairn_etmv2_vector(const struct cairn_etmv2_config *config, uint32_t address,
                            enum cairn_packet_state state, bool cancels);
bool cairn_etmv2_is_data_abort(unsigned type);
/* Whether the instruction that it came to executed, by the trace, and is the one to return to (4.5.3). */
bool cairn_etmv2_goes_on_again(unsigned type);
const char *cairn_etmv2_exception_name(const struct cairn_config *config, unsigned type);

/* print.c */
extern const struct cairn_kind_name cairn_etmv2_kind_names[CAIRN_ETMV2_KIND_COUNT];
size_t cairn_etmv2_describe_config(const struct cairn_config *config, struct cairn_field *fields,
                                   size_t capacity);
size_t cairn_etmv2_describe_packet(const struct cairn_config *config,
                                   const struct cairn_packet_batch *batch, size_t index,
                                   struct cairn_field *fields, size_t capacity);

/* parse.c: cairn_packets_... */
cairn_status cairn_etmv2_packets_new(struct cairn_config *config, void **state);
void cairn_etmv2_packets_free(void *state);
cairn_status cairn_etmv2_packets_run(void *state, const uint8_t *data, size_t size,
                                     size_t *position, struct cairn_packet_batch *batch);
cairn_status cairn_etmv2_packets_finish(void *state, struct cairn_packet_batch *batch);

/* elements.c: cairn_elements_... */
cairn_status cairn_etmv2_elements_new(struct cairn_config *config, void **state);
void cairn_etmv2_elements_free(void *state);
cairn_status cairn_etmv2_elements_run(void *state, const struct cairn_packet_batch *in,
                                      size_t *position, struct cairn_element_batch *out);

/* resolve.c: cairn_resolver_... */
cairn_status cairn_etmv2_resolver_new(struct cairn_config *config, void **state);
void cairn_etmv2_resolver_free(void *state);
cairn_status cairn_etmv2_resolver_run(void *state, const struct cairn_element_batch *in,
                                      size_t *position, struct cairn_element_batch *out);
cairn_status cairn_etmv2_resolver_finish(void *state, struct cairn_element_batch *out);

extern const struct cairn_about cairn_etmv2_about;

#endif
