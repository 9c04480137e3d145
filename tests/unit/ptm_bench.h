/* SPDX-License-Identifier: BSD-2-Clause */
/* A PTM model, a PE that executes what it is told, and the bytes that leave the unit. Blocks begin
 * where the one before led; `at` says where that is. */
#ifndef CAIRN_TESTS_UNIT_PTM_BENCH_H
#define CAIRN_TESTS_UNIT_PTM_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cairn/unit.h>

#define PTM_1_0 0x411cf301u
#define PTM_1_1 0x411cf310u
#define ETMCR_BROADCAST (1u << 8)
#define ETMCR_CYCLES (1u << 12)
#define ETMCR_CONTEXT_8 (1u << 14)
#define ETMCR_CONTEXT_32 (3u << 14)
#define ETMCR_TIMESTAMPS (1u << 28)
#define ETMCR_RETURN_STACK (1u << 29)
#define ETMCR_VMID (1u << 30)

struct ptm_bench {
    struct cairn_unit *unit;
    struct cairn_unit_options options;
    struct cairn_context context;
    enum cairn_isa isa;
    uint64_t at;
    uint8_t bytes[65536];
    size_t size, checked;
};

/* An enabled unit with these registers besides ETMIDR and ETMCR; the PE in Secure state at EL1. The
 * A-sync that comes first is checked. Benches are large: static. */
void ptm_begin(struct ptm_bench *bench, uint32_t etmidr, uint32_t etmcr,
               const struct cairn_register *registers, size_t count);
void ptm_end(struct ptm_bench *bench);

/* Straight instructions of `size` bytes, without waypoint. */
void ptm_straight(struct ptm_bench *bench, uint32_t size);
/* Instructions of `size` bytes, the last of them a waypoint instruction. */
void ptm_direct(struct ptm_bench *bench, uint32_t size, uint64_t target, bool taken,
                uint32_t flags);
void ptm_indirect(struct ptm_bench *bench, uint32_t size, uint64_t target, bool taken,
                  uint32_t flags);
void ptm_isb(struct ptm_bench *bench, uint32_t size);
/* An exception is taken where execution is, to the vector. */
void ptm_exception(struct ptm_bench *bench, unsigned type, uint64_t vector);
void ptm_context(struct ptm_bench *bench, unsigned el, unsigned security, uint32_t context_id,
                 uint32_t vmid);

/* What was written since the last call is exactly this. Packets are completed. */
void ptm_expect(struct ptm_bench *bench, const char *hex);

#endif
