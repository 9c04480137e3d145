/* SPDX-License-Identifier: BSD-2-Clause */
/* ETMv1: what the files of this folder share. Nothing outside the folder includes this file. Sections
 * are IHI0014's. */
#ifndef CAIRN_PROTOCOL_ETMV1_ETMV1_H
#define CAIRN_PROTOCOL_ETMV1_ETMV1_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/etmv1.h>
#include <cairn/packet.h>

#include "protocol/protocol.h"
#include "protocol/samples.h"

/* How many kinds of packets there are. */
#define CAIRN_ETMV1_KIND_COUNT (0u CAIRN_ETMV1_PACKETS(CAIRN_COUNT_ONE))

enum {
    CAIRN_ETMV1_ADDRESS_BYTES = 5,  /* of a full address (5.5.4) */
    CAIRN_ETMV1_ADDRESS_WHOLE = 32, /* its bits */
    CAIRN_ETMV1_APO_CYCLES = 2,
    CAIRN_ETMV1_COPROCESSORS = 16,
    CAIRN_ETMV1_APO_MOST = 15, /* an offset that is too large to be told (5.6.1) */
};

/* What the versions differ in. */
struct cairn_etmv1_version {
    bool context_ids; /* 5.6.3, and a reason of its own for periodic addresses (5.5.5) */
    bool java;        /* bit 7 of the fifth address byte is the J bit (5.5.4) */
};

/* The registers, decoded. */
struct cairn_etmv1_config {
    uint8_t minor; /* ETMv1.minor */
    struct cairn_etmv1_version version;
    uint8_t pins; /* of TRACEPKT: 4, 8, 16 */
    uint8_t context_bytes;
    bool cprt, data_value, data_address;
    bool branch_output, cycle_accurate;
    /* no registers, but given like some */
    bool high_vectors;
    bool big_endian;
    bool executes_last;                          /* VECTORQUIRK */
    uint8_t ldc_words[CAIRN_ETMV1_COPROCESSORS]; /* that LDC and STC transfer; 0: not known */
};

static inline const struct cairn_etmv1_config *cairn_etmv1_of(const struct cairn_config *config)
{
    return config->decoded;
}

static inline bool cairn_etmv1_has_data(const struct cairn_etmv1_config *etm)
{
    return etm->data_value || etm->data_address;
}

/* Reason codes that the version does not have (Table 5-3). */
static inline bool cairn_etmv1_is_reserved_reason(const struct cairn_etmv1_config *etm,
                                                  unsigned reason)
{
    return reason > CAIRN_ETMV1_PERIODIC ||
           (reason == CAIRN_ETMV1_PERIODIC && !etm->version.context_ids);
}

/* Types of Exception elements: which vector (4.5.3). */
enum cairn_etmv1_exception {
    CAIRN_ETMV1_RESET = 0,
    CAIRN_ETMV1_UNDEFINED = 1,
    CAIRN_ETMV1_SVC = 2,
    CAIRN_ETMV1_PREFETCH_ABORT = 3,
    CAIRN_ETMV1_DATA_ABORT = 4,
    CAIRN_ETMV1_NO_VECTOR = 5, /* nothing goes there */
    CAIRN_ETMV1_IRQ = 6,
    CAIRN_ETMV1_FIQ = 7,
};

extern const struct cairn_kind_name cairn_etmv1_kind_names[CAIRN_ETMV1_KIND_COUNT];

/* One branch address of the trace, with the Context ID behind it. */
struct cairn_etmv1_address {
    uint64_t number;  /* which TRACESYNC of the trace began it */
    uint32_t epoch;   /* in which stretch without missing cycles */
    bool whole;       /* all bytes came, and they are legal */
    bool over;        /* there will be no more bytes */
    bool taken;       /* a branch of the trace is known to be its */
    bool known;       /* `address` is: nothing is missing of what it is compressed against */
    bool reserved;    /* its bytes are not legal */
    bool has_context; /* Context ID bytes came with it */
    uint8_t bits;     /* of the address that the bytes had */
    uint8_t state;    /* enum cairn_packet_state */
    uint8_t reason;
    uint32_t address;
    uint32_t context_id; /* behind it */
};

/* address.c: bytes of branch addresses, one after another, and what they are compressed against. */
struct cairn_etmv1_addresses {
    const struct cairn_etmv1_config *etm;
    bool known; /* `base` and `java` are */
    bool java;
    uint32_t base; /* the last address, with the bit for Thumb */
    uint32_t context_id;
    unsigned count; /* bytes of the address in hand */
    unsigned of;    /* that it has; 0: not known yet */
    uint8_t bytes[CAIRN_ETMV1_ADDRESS_BYTES + 4];
};

/* The address in hand, if there is one, is not whole, and the next byte is the first of another. */
void cairn_etmv1_address_begin(struct cairn_etmv1_addresses *addresses);
/* What later addresses are compressed against is not known. */
void cairn_etmv1_address_lose(struct cairn_etmv1_addresses *addresses);
/* The next byte; *address is filled in with the last one, and then true. */
bool cairn_etmv1_address_byte(struct cairn_etmv1_addresses *addresses, uint8_t byte,
                              struct cairn_etmv1_address *address);

/* The rooms of the table: see protocol/protocol.h. */
cairn_status cairn_etmv1_configure(const struct cairn_source_config *source,
                                   struct cairn_config *config, struct cairn_error *error);
size_t cairn_etmv1_describe_config(const struct cairn_config *config, struct cairn_field *fields,
                                   size_t capacity);
size_t cairn_etmv1_describe_packet(const struct cairn_config *config,
                                   const struct cairn_packet_batch *batch, size_t index,
                                   struct cairn_field *fields, size_t capacity);
const char *cairn_etmv1_exception_name(const struct cairn_config *config, unsigned type);
cairn_status cairn_etmv1_packets_new(struct cairn_config *config, void **state);
void cairn_etmv1_packets_free(void *state);
cairn_status cairn_etmv1_packets_run(void *state, const uint8_t *data, size_t size,
                                     size_t *position, struct cairn_packet_batch *batch);
cairn_status cairn_etmv1_packets_finish(void *state, struct cairn_packet_batch *batch);
cairn_status cairn_etmv1_elements_new(struct cairn_config *config, void **state);
void cairn_etmv1_elements_free(void *state);
cairn_status cairn_etmv1_elements_run(void *state, const struct cairn_packet_batch *in,
                                      size_t *position, struct cairn_element_batch *out);
cairn_status cairn_etmv1_pins_new(struct cairn_config *config, void **state);
void cairn_etmv1_pins_free(void *state);
void cairn_etmv1_pins_need(void *state, const struct cairn_pins_owner *owner,
                           const struct cairn_transfers *transfers);
void cairn_etmv1_pins_take(void *state, const struct cairn_element_data *pins);
bool cairn_etmv1_pins_give(void *state, struct cairn_pins_owner *owner,
                           struct cairn_element_data *data);
void cairn_etmv1_pins_end(void *state);

extern const struct cairn_about cairn_etmv1_about;

#endif
