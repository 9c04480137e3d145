/* SPDX-License-Identifier: BSD-2-Clause */
/* Cycles of an ETMv2's trace port through the public functions, and packets and elements as text. */
#ifndef CAIRN_TESTS_PROTOCOL_ETMV2_SESSION_H
#define CAIRN_TESTS_PROTOCOL_ETMV2_SESSION_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cairn/element.h>
#include <cairn/etmv2.h>
#include <cairn/packet.h>

enum {
    ETMV2_TEXT = 16384,
    ETMV2_BYTES = 8192,
    /* ETMCR */
    ETMV2_CPRT = 1 << 1,
    ETMV2_VALUES = 1 << 2,
    ETMV2_ADDRESSES = 1 << 3,
    ETMV2_DATA = ETMV2_VALUES | ETMV2_ADDRESSES,
    ETMV2_PINS_4 = 0 << 4,
    ETMV2_PINS_8 = 1 << 4,
    ETMV2_PINS_16 = 2 << 4,
    ETMV2_CYCLES = 1 << 12,
    ETMV2_CONTEXT_1 = 1 << 14,
    ETMV2_CONTEXT_2 = 2 << 14,
    ETMV2_CONTEXT_4 = 3 << 14,
};

/* An ETMv2.1 with this ETMCR. */
struct cairn_config *etmv2_config(uint32_t control);
/* From any registers; NULL with *error when they are refused. */
struct cairn_config *etmv2_config_of(const struct cairn_register *registers, size_t count,
                                     struct cairn_error *error);

/* "TD:19 IE:01 ..." as samples: PIPESTAT by name and TRACEPKT in hex; a flag of the sample, in decimal,
 * may stand behind a '/'. Returns their bytes. */
size_t etmv2_samples(const char *cycles, uint8_t bytes[ETMV2_BYTES]);

/* Packets, in one line. A status: its name, with "=VALUE" for the offset of a TFO that is whole in this
 * cycle, "~" for a part of one, "g" for a gap nibble, "?" when it is out of step, "!" for a contradiction.
 * Of TR the other status stands behind a '('. A packet of the FIFO: "[what STATUS-CYCLE ...]". Decodes the
 * bytes in pieces of each length and with batches of each capacity, and checks that it makes no
 * difference, that packets tile the bytes, and the account of what is no status. */
void etmv2_packets(struct cairn_config *config, const char *cycles, char text[ETMV2_TEXT]);
void etmv2_packets_of(struct cairn_config *config, const uint8_t *bytes, size_t size,
                      char text[ETMV2_TEXT]);

/* Resolved elements, in one line. Also for a source of another protocol. */
void etmv2_elements(struct cairn_config *config, const char *cycles, char text[ETMV2_TEXT]);
void etmv2_elements_of(struct cairn_config *config, const uint8_t *bytes, size_t size, size_t step,
                       size_t capacity, char text[ETMV2_TEXT]);

/* Each with a configuration of its own: packets, or elements, of cycles are as wanted. */
void assert_etmv2_packets(uint32_t control, const char *cycles, const char *wanted);
void assert_etmv2_elements(uint32_t control, const char *cycles, const char *wanted);

#endif
