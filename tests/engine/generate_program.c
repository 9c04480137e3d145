/* SPDX-License-Identifier: BSD-2-Clause */
/* A random program: branches of every kind, in A64, A32 and T32. */
#include "generator.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

/* Bytes from a branch to its target: near, mostly. */
static int32_t distance(struct generator *g, uint32_t at)
{
    const uint32_t near = percent(g, 50) ? 16 : 256;

    if (below(g, 100) < g->far)
        return (int32_t)(below(g, g->code_size) & ~3u) - (int32_t)at;
    return 4 * ((int32_t)below(g, 2 * near + 1) - (int32_t)near);
}

static uint32_t a64(struct generator *g, uint32_t at)
{
    static const uint32_t others[] = {
        0xd65f03c0, 0xd65f03c0, 0xd65f0bff, 0xd61f0200, 0xd63f0000, 0xd63f0120, /* RET, BR, BLR */
        0xd69f03e0, 0xd69f0bff, 0xd5033fdf, 0xd503207f, 0xd503205f, /* ERET, ISB, WFI, WFE */
        0xd4000001, 0xd4200000, 0x00000000, 0xd5233060, 0xd503307f, /* SVC, BRK, UDF, TSTART,
                                                                       TCOMMIT */
        0xd5031000, 0xffffffff, 0x04000000,                         /* WFET, and undefined */
    };
    const int32_t to = distance(g, at) / 4;
    const uint32_t long_to = (uint32_t)to & 0x3ffffff;
    const uint32_t short_to = ((uint32_t)to & 0x7ffff) << 5;

    switch (below(g, 10)) {
    case 0: return 0x14000000 | long_to;
    case 1:
    case 2: return 0x94000000 | long_to;
    case 3: return 0x34000000 | short_to | below(g, 32);
    case 4: return 0x36000000 | ((uint32_t)to & 0x3fff) << 5;
    case 5: return PICK(g, others);
    case 6: return 0xd65f03c0;
    default: return 0x54000000 | short_to | below(g, 16);
    }
}

static uint32_t a32(struct generator *g, uint32_t at)
{
    static const uint32_t others[] = {
        0xe12fff1e, 0xe12fff1e, 0x012fff1e, 0xe8bd8000,
        0xe49df004, /* BX LR, POP PC */
        0xe12fff33, 0xe1a0f00e, 0xe59ff004, 0xf57ff06f,
        0xe320f003,                                     /* BLX, MOV PC, LDR PC, ISB,
                                                           WFI */
        0xe7f000f0, 0xef000000, 0xe1b0f00e, 0xf8bd0a00, /* UDF, SVC, MOVS PC, RFE */
        0xf57ff05f, 0xee070f9a,                         /* DMB, and DSB of before Armv7 */
    };
    const uint32_t to = (uint32_t)(distance(g, at) / 4 - 2) & 0xffffff;

    switch (below(g, 8)) {
    case 0: return 0xea000000 | to;
    case 1: return 0xeb000000 | to;
    case 2: return 0xfa000000 | to | below(g, 2) << 24;
    case 3: return PICK(g, others);
    case 4: return 0xe12fff1e;
    default: return below(g, 14) << 28 | 0x0a000000 | to;
    }
}

/* Two narrow instructions, or a wide one: also across words. */
static uint32_t t32(struct generator *g, uint32_t at)
{
    static const uint32_t wide[] = {
        0xf800f000, 0xf801f7ff, 0xe800f000, 0x8000f3af, 0x8f6ff3bf,
        0x8000e8bd, 0xf004f85d, 0xaffef47f, 0x8010f000, 0xb800f000,
        0xf000e8df, 0x8c00f3de, 0x8f5ff3bf, 0x8f1ff3bf, 0x8f0ff3bf,
    };
    static const uint16_t narrow[] = {
        0x4770, 0x4770, 0x4780, 0xbd00, 0xbf30, 0xbf20, 0xbf08, 0xbf18, 0xde00, 0xdf00,
        0x4718, 0x46f7, 0xb100, 0xb910, 0xe7fe, 0x4487, 0xe001, 0xd0fd, 0x4668, 0xd101,
    };
    const uint32_t to = (uint32_t)(distance(g, at) / 4) & 0xff;

    switch (below(g, 6)) {
    case 0: return PICK(g, wide);
    case 1: return (uint32_t)PICK(g, narrow) | (uint32_t)PICK(g, wide) << 16;
    case 2: return 0xd000 | below(g, 14) << 8 | to | (uint32_t)0xbf00 << 16;
    case 3: return 0xe000 | to << 2 | (uint32_t)PICK(g, narrow) << 16;
    default: return (uint32_t)PICK(g, narrow) | (uint32_t)PICK(g, narrow) << 16;
    }
}

void generator_fill(struct generator *g, uint8_t *code)
{
    static const uint32_t plain[] = {0xd503201f, 0x91000400, 0xf9400000, 0xf9000000, 0x8b020020};
    static const uint32_t plain_32[] = {0xe320f000, 0xe0800001, 0xe5900000, 0xbf00bf00, 0x46c0e7ff};

    for (uint32_t at = 0; at < g->code_size; at += 4) {
        const bool wide = g->both ? at / 1024 % 2 : g->wide;
        uint32_t word = wide ? PICK(g, plain) : PICK(g, plain_32);

        if (below(g, g->plain + 1) == 0)
            word = wide ? a64(g, at) : at / 512 % 2 ? t32(g, at) : a32(g, at);
        cairn_store_le32(code + at, word);
    }
}

bool generator_make_image(struct generator *g)
{
    struct cairn_scope scope = cairn_scope_any();
    uint8_t *code = malloc(g->code_size);
    bool good = code && cairn_image_new(&g->made->image) == CAIRN_OK;

    if (good) {
        const uint32_t hole = below(g, 4) ? 0 : below(g, g->code_size / 4) * 2;
        const enum cairn_order order =
            !g->wide && below(g, 8) == 0 ? CAIRN_ORDER_BE32 : CAIRN_ORDER_LITTLE;

        generator_fill(g, code);
        good = cairn_image_add_bytes(g->made->image, "all", &scope, order, GENERATOR_BASE, code,
                                     g->code_size - hole, NULL) == CAIRN_OK;
        if (good && below(g, 3) == 0) { /* one Exception level, or process, has some of its own */
            const uint32_t from = below(g, g->code_size / 8) * 4;

            if (below(g, 2)) {
                scope.el_mask = 1;
            } else {
                scope.any_context_id = false;
                scope.context_id = 1;
            }
            generator_fill(g, code);
            good = cairn_image_add_bytes(g->made->image, "some", &scope, CAIRN_ORDER_LITTLE,
                                         GENERATOR_BASE + from, code, g->code_size / 4 + 2,
                                         NULL) == CAIRN_OK;
        }
    }
    free(code);
    return good;
}
