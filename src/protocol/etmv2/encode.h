/* SPDX-License-Identifier: BSD-2-Clause */
/* The packets that an ETMv2 puts into its FIFO (IHI0014 6.4, 6.5.3 to 6.5.5, 6.7.1), each with its header:
 * addresses are compressed against the ones before, values lose their leading zeros. When bytes leave is the
 * port's matter: unit/etmv2/port.h. */
#ifndef CAIRN_PROTOCOL_ETMV2_ENCODE_H
#define CAIRN_PROTOCOL_ETMV2_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAIRN_ETMV2_WHOLE_ADDRESS 5u /* bytes, of a branch or of data */
#define CAIRN_ETMV2_DATA_BYTES (1u + CAIRN_ETMV2_WHOLE_ADDRESS + 4u)
#define CAIRN_ETMV2_CONTEXT_BYTES (1u + 4u)
#define CAIRN_ETMV2_TFO_BYTES (1u + 4u + 4u + CAIRN_ETMV2_WHOLE_ADDRESS)

/* Bit 7 of every header but those of branch addresses and TFO packets: another packet of the same cycle
 * follows (6.4.1). The encoder leaves it 0. */
#define CAIRN_ETMV2_CONTINUES 0x80u

/* What addresses are compressed against: the last ones that were output. All 0 before, and then the first
 * of each has to be whole. */
struct cairn_etmv2_encoder {
    uint32_t address; /* of a branch or TFO */
    bool thumb;
    uint32_t data;
    uint8_t context_bytes; /* 0, 1, 2 or 4 (ETMCR[15:14]) */
    bool has_values, has_addresses;
};

struct cairn_etmv2_place {
    uint32_t address;
    bool thumb;
};

/* A transfer of at most 4 bytes. */
struct cairn_etmv2_transfer {
    uint32_t address;
    uint32_t value;
    bool first; /* the first packet of its instruction, and no CPRT: the A bit */
    bool full;  /* five bytes of address, whatever has changed */
};

size_t cairn_etmv2_encode_branch(struct cairn_etmv2_encoder *encoder,
                                 struct cairn_etmv2_place place, bool cancels,
                                 uint8_t bytes[CAIRN_ETMV2_WHOLE_ADDRESS]);
size_t cairn_etmv2_encode_data(struct cairn_etmv2_encoder *encoder,
                               const struct cairn_etmv2_transfer *transfer,
                               uint8_t bytes[CAIRN_ETMV2_DATA_BYTES]);
/* Its value comes later, with the same tag, 0 to 3. */
size_t cairn_etmv2_encode_miss(struct cairn_etmv2_encoder *encoder,
                               const struct cairn_etmv2_transfer *transfer, unsigned tag,
                               uint8_t bytes[CAIRN_ETMV2_DATA_BYTES]);
size_t cairn_etmv2_encode_miss_data(const struct cairn_etmv2_encoder *encoder, uint32_t value,
                                    unsigned tag, uint8_t bytes[CAIRN_ETMV2_DATA_BYTES]);
size_t cairn_etmv2_encode_not_traced(uint8_t bytes[1]);
/* Not where no Context IDs are traced. */
size_t cairn_etmv2_encode_context(const struct cairn_etmv2_encoder *encoder, uint32_t id,
                                  uint8_t bytes[CAIRN_ETMV2_CONTEXT_BYTES]);
/* `reason`: enum cairn_etmv2_reason. `current`: what executes beneath the load or store multiple at
 * `place`, whose packet is then one in progress; or NULL. */
size_t cairn_etmv2_encode_tfo(struct cairn_etmv2_encoder *encoder, unsigned reason, uint32_t id,
                              struct cairn_etmv2_place place,
                              const struct cairn_etmv2_place *current,
                              uint8_t bytes[CAIRN_ETMV2_TFO_BYTES]);
/* How many bytes one takes that is not in progress. */
size_t cairn_etmv2_tfo_size(const struct cairn_etmv2_encoder *encoder);

/* TRACEPKT[7:0] of a TFO, so many bytes of the FIFO being in front of its packet (6.5.1). */
unsigned cairn_etmv2_encode_offset(unsigned offset);
#define CAIRN_ETMV2_OFFSET_MOST 95u

#endif
