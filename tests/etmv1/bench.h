/* SPDX-License-Identifier: BSD-2-Clause */
/* Cycles of an ETMv1 trace port written down as text, and what the levels make of them as text. */
#ifndef CAIRN_TESTS_ETMV1_BENCH_H
#define CAIRN_TESTS_ETMV1_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/etmv1.h>
#include <cairn/flow.h>

#define ETMV1_BYTES 16384
#define ETMV1_TEXT 32768

/* ETMCR */
#define CR_4 0x00u
#define CR_8 0x10u
#define CR_16 0x20u
#define CR_CPRT 0x2u
#define CR_VALUE 0x4u
#define CR_ADDRESS 0x8u
#define CR_BRANCH 0x100u
#define CR_CYCLES 0x1000u
#define CR_CONTEXT(size) ((uint32_t)(size) << 14) /* 1: 8 bits, 2: 16, 3: 32 */
/* ETMCCR[30:28] */
#define CCR(protocol) ((uint32_t)(protocol) << 28)

struct etmv1_bench {
    struct cairn_config *config;
    struct cairn_image *image; /* NULL: no memory at all */
    uint8_t bytes[ETMV1_BYTES];
    size_t size;
    char text[ETMV1_TEXT];
};

/* Of an ARM9 core with these two registers, and up to three others by name. */
struct etmv1_more {
    const char *name;
    uint64_t value;
};
void etmv1_begin(struct etmv1_bench *bench, uint32_t cr, uint32_t ccr);
void etmv1_begin_with(struct etmv1_bench *bench, uint32_t cr, uint32_t ccr,
                      const struct etmv1_more more[3]);
void etmv1_end(struct etmv1_bench *bench);
/* Code at an address: A32 words, or Thumb halfwords. */
void etmv1_words(struct etmv1_bench *bench, uint32_t address, const uint32_t *words, size_t count);
void etmv1_halfwords(struct etmv1_bench *bench, uint32_t address, const uint16_t *halfwords,
                     size_t count);
#define ETMV1_WORDS(bench, address, ...)                                                           \
    etmv1_words(bench, address, (const uint32_t[]){__VA_ARGS__},                                   \
                sizeof((const uint32_t[]){__VA_ARGS__}) / 4)
#define ETMV1_HALFWORDS(bench, address, ...)                                                       \
    etmv1_halfwords(bench, address, (const uint16_t[]){__VA_ARGS__},                               \
                    sizeof((const uint16_t[]){__VA_ARGS__}) / 2)

/* Cycles: STATUS[*][!][^][/HEX], with spaces between. STATUS is IE, ID, IN, WT, BE, BD, TR, TD, or A0
 * to A3 for PIPESTAT 0 to 3 of an offset cycle, or X and two hex digits for any PIPESTAT byte. * is
 * TRACESYNC, ! cycles are missing, ^ the capture device's trigger, HEX is TRACEPKT (0 without). Begins
 * anew. */
void etmv1_cycles(struct etmv1_bench *bench, const char *text);

/* One packet after another, "; " between them:
 *   KIND[(STATUS)] LANE[,LANE][ apo N][ >ADDRESS A|T|J][ reason N][ id N][ abandoned][ lost]
 * where LANE is aN/M (byte N of M of an address), cN/M (of a Context ID), d (data), o (data or
 * nothing), s (a status), - (nothing); the STATUS of a TR is what it replaced; lost: a BE or BD that
 * leads nowhere. In all ways of cutting. */
void etmv1_packets_text(struct etmv1_bench *bench);
/* E, N (with + if data is in the pins), >ADDRESS (Thumb with bit 0; ? unknown), context ID,
 * exception N, on, overflow, gap ACCOUNT, cycles N|?, event. Pins are left out. */
void etmv1_elements_text(struct etmv1_bench *bench);
/* [first ]ADDRESS[-END] E|N, gap ACCOUNT, exception N [at ADDRESS], warning N, data [at ADDRESS ][= VALUE
 * ]of ADDRESS.TRANSFER, lost of ADDRESS.TRANSFER, cycles N|?, event, on, overflow, context ID. Also by
 * the engine, in all ways, which has to make the same of it. */
void etmv1_flow_text(struct etmv1_bench *bench);

void assert_packets(struct etmv1_bench *bench, const char *cycles, const char *wanted);
void assert_elements(struct etmv1_bench *bench, const char *cycles, const char *wanted);
void assert_flow(struct etmv1_bench *bench, const char *cycles, const char *wanted);

#endif
