/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz/setup.h"

#include <stdlib.h>

enum {
    HEADER = 8,
    CODE = 4096, /* bytes of program, at BASE, the same in every run of one seed */
    BASE = 0x1000,
};

/* Instructions worth walking into: branches of every kind, in A64, A32 and T32 reading. */
static void fill(uint8_t *code, uint32_t seed)
{
    static const uint32_t words[] = {
        0xd503201f, 0x54000040, 0x94000004, 0xd65f03c0, 0xd63f0000, 0x14000002, 0x17fffff0,
        0x34000060, 0xd5033fdf, 0xd69f03e0, 0xd5233060, 0xe12fff1e, 0x0a000001, 0xebfffffe,
        0xfa000000, 0x47704770, 0xd0fdbf18, 0xf7ff4780, 0xf000f800, 0xe8bd8000, 0xd503207f,
        0x00000000, 0xffffffff, 0xbf304770, 0xd61f0200,
    };

    for (size_t i = 0; i < CODE; i += 4) {
        seed = seed * 1664525 + 1013904223;
        const uint32_t pick = seed >> 16;
        const uint32_t word = pick % 3 ? words[0] : words[pick % (sizeof words / sizeof words[0])];

        for (size_t k = 0; k < 4; k++)
            code[i + k] = (uint8_t)(word >> (8 * k));
    }
}

/* Bits of the first byte that say the protocol, where it is not ETMv4 or ETE. */
enum { ETMV1_BITS = 0x8d, ETMV1 = 0x89 };
enum { MTB_BITS = 0x8d, MTB = 0x88, PTM_BITS = 0x0d, PTM = 0x08, ETMV3 = 0x0c };

static bool configure_mtb(const uint8_t *h, struct fuzz_setup *setup)
{
    const struct cairn_register registers[] = {
        {"MASTER", h[1] >> 1 & 7},
        {"POSITION", (uint32_t)(h[2] & 0x3f) << 3 | (uint32_t)(h[2] >> 6 & 1) << 2},
    };
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;

    source.protocol = CAIRN_PROTOCOL_MTB;
    source.arch.profile = CAIRN_PROFILE_M;
    source.arch.major = h[0] & 2 ? 6 : 8;
    source.arch.features = h[0] & 2 ? 0 : CAIRN_FEATURE_THUMB2;
    source.registers = registers;
    source.register_count = h[1] & 1 ? sizeof registers / sizeof registers[0] : 0;
    return cairn_config_new(&source, &setup->config, NULL) == CAIRN_OK;
}

static bool configure_etmv1(const uint8_t *h, struct fuzz_setup *setup)
{
    const struct cairn_register registers[] = {
        {"ETMCR", (uint32_t)(h[1] & 3) % 3 << 4 | (uint32_t)(h[1] >> 2 & 7) << 1 |
                      (uint32_t)(h[1] >> 5 & 1) << 12 | (uint32_t)(h[1] >> 6) << 14},
        {"ETMCCR", (uint32_t)(h[0] >> 4 & 7) << 28},
        {"HIVECS", h[0] >> 1 & 1},
        {"BIGENDIAN", h[2] & 1},
        {"VECTORQUIRK", h[2] >> 1 & 1},
    };
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;

    source.protocol = CAIRN_PROTOCOL_ETMV1;
    source.arch = (struct cairn_arch){.profile = CAIRN_PROFILE_A, .major = 5};
    source.registers = registers;
    source.register_count = sizeof registers / sizeof registers[0];
    return cairn_config_new(&source, &setup->config, NULL) == CAIRN_OK;
}

static bool configure_ptm(const uint8_t *h, struct fuzz_setup *setup)
{
    const struct cairn_register registers[] = {
        {"ETMIDR", 0x411cf300u | (uint32_t)(h[0] >> 4 & 1) << 4},
        {"ETMCR", (uint32_t)(h[1] & 3) << 14 | (uint32_t)(h[1] >> 2 & 1) << 12 |
                      (uint32_t)(h[1] >> 3 & 1) << 29 | (uint32_t)(h[1] >> 4 & 3) << 28 |
                      (uint32_t)(h[1] >> 6 & 1) << 30},
        {"ETMCCER", 0x00c008c2u | (uint32_t)h[2] << 24},
    };
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;

    source.protocol = CAIRN_PROTOCOL_PTM;
    source.arch = (struct cairn_arch){.profile = CAIRN_PROFILE_A,
                                      .major = 7,
                                      .features = CAIRN_FEATURE_THUMB2 | CAIRN_FEATURE_THUMBEE};
    if (h[0] & 2)
        source.arch.profile = CAIRN_PROFILE_M;
    source.registers = registers;
    source.register_count = sizeof registers / sizeof registers[0];
    return cairn_config_new(&source, &setup->config, NULL) == CAIRN_OK;
}

static bool configure_etmv3(const uint8_t *h, struct fuzz_setup *setup)
{
    const struct cairn_register registers[] = {
        {"ETMIDR", 0x41000200u | (uint32_t)(h[1] & 7) << 4 | (uint32_t)(h[1] >> 3) << 16},
        {"ETMCR", (uint32_t)(h[2] & 1) << 12 | (uint32_t)(h[2] >> 1 & 3) << 14 |
                      (uint32_t)(h[2] >> 3 & 7) << 1 | (uint32_t)(h[2] >> 6 & 1) << 20 |
                      (uint32_t)(h[5] & 1) << 28 | (uint32_t)(h[5] >> 1 & 1) << 30},
        {"ETMCCER", 0x004008f2u | (uint32_t)h[6] << 24},
    };
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;

    source.protocol = CAIRN_PROTOCOL_ETMV3;
    source.arch = (struct cairn_arch){.profile = CAIRN_PROFILE_A,
                                      .major = 7,
                                      .features = CAIRN_FEATURE_THUMB2 | CAIRN_FEATURE_THUMBEE};
    if (h[0] & 2)
        source.arch.profile = CAIRN_PROFILE_M;
    source.registers = registers;
    source.register_count = sizeof registers / sizeof registers[0];
    return cairn_config_new(&source, &setup->config, NULL) == CAIRN_OK;
}

static bool configure_etm(const uint8_t *h, struct fuzz_setup *setup)
{
    static const uint32_t speculation[] = {0, 0, 1, 4, 8, 120, 255, 100000};
    const struct cairn_register registers[] = {
        {"TRCCONFIGR", 1u | (h[1] & 8u ? 1u << 12 : 0) | (uint32_t)(h[1] >> 5 & 3) << 1},
        {"TRCTRACEIDR", 1},
        {"TRCDEVARCH", h[0] & 1 ? 0x47705a13u | (uint32_t)(h[0] >> 4 & 3) << 16 : 0x47714a13u},
        {"TRCIDR0", 0x080006a1u | (uint32_t)(h[1] & 1) << 29 | (uint32_t)(h[1] >> 1 & 1) << 30 |
                        (uint32_t)(h[1] >> 2 & 1) << 23 | 3u << 15},
        {"TRCIDR1", 0x4100f400u | (uint32_t)(h[0] >> 4 & 7) << 4 | (h[0] & 1 ? 0xff0u : 0)},
        {"TRCIDR2", 0x40001088u | (uint32_t)(h[1] >> 4 & 1) << 31},
        {"TRCIDR8", speculation[h[2] & 7]},
    };
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;

    source.protocol = h[0] & 1 ? CAIRN_PROTOCOL_ETE : CAIRN_PROTOCOL_ETMV4;
    source.arch = cairn_arch_any_a();
    if (h[0] & 2) {
        source.arch.profile = CAIRN_PROFILE_M;
        source.arch.major = 8;
        source.arch.minor = 1;
    }
    source.registers = registers;
    source.register_count = sizeof registers / sizeof registers[0];
    return cairn_config_new(&source, &setup->config, NULL) == CAIRN_OK;
}

static bool configure(const uint8_t *h, struct fuzz_setup *setup)
{
    if ((h[0] & ETMV1_BITS) == ETMV1)
        return configure_etmv1(h, setup);
    if ((h[0] & MTB_BITS) == MTB)
        return configure_mtb(h, setup);
    switch (h[0] & PTM_BITS) {
    case PTM: return configure_ptm(h, setup);
    case ETMV3: return configure_etmv3(h, setup);
    default: return configure_etm(h, setup);
    }
}

bool fuzz_setup_begin(struct fuzz_setup *setup, const uint8_t **data, size_t *size)
{
    const struct cairn_scope any = cairn_scope_any();
    const uint8_t *h = *data;
    uint8_t code[CODE];

    if (*size < HEADER || !configure(h, setup))
        return false;
    if (cairn_image_new(&setup->image) != CAIRN_OK)
        abort();
    fill(code, (uint32_t)h[3]);
    if (cairn_image_add_bytes(setup->image, "low", &any, CAIRN_ORDER_LITTLE, 0, code, CODE / 2,
                              NULL) != CAIRN_OK ||
        cairn_image_add_bytes(setup->image, "code", &any,
                              h[4] & 1 ? CAIRN_ORDER_BE32 : CAIRN_ORDER_LITTLE, BASE, code, CODE,
                              NULL) != CAIRN_OK)
        abort();
    if (h[4] & 2) { /* EL0 has a program of its own, which ends within an instruction */
        struct cairn_scope el0 = any;

        el0.el_mask = 1;
        fill(code, (uint32_t)h[7]);
        if (cairn_image_add_bytes(setup->image, "EL0", &el0, CAIRN_ORDER_LITTLE, BASE, code,
                                  CODE / 4 + 2, NULL) != CAIRN_OK)
            abort();
    }
    *data += HEADER;
    *size -= HEADER;
    return true;
}

void fuzz_setup_end(struct fuzz_setup *setup)
{
    cairn_config_unref(setup->config);
    cairn_image_unref(setup->image);
}
