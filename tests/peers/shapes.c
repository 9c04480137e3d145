/* SPDX-License-Identifier: BSD-2-Clause */
#include "shapes.h"

#define A64 CAIRN_ISA_A64
#define A32 CAIRN_ISA_A32
#define T32 CAIRN_ISA_T32
#define LINK PEER_OP_LINK
#define RETURN PEER_OP_RETURN
#define ERET (PEER_OP_ERET | PEER_SHAPE_KERNEL)
#define FALLS PEER_OP_MAY_FALL
#define SAME PEER_OP_SAME_ISA
#define OTHER PEER_OP_OTHER_ISA
#define COND PEER_SHAPE_COND
#define NOT_IT PEER_SHAPE_NOT_IT
#define PAUTH PEER_SHAPE_PAUTH
#define END PEER_SHAPE_END
#define UNSHARED PEER_SHAPE_UNSHARED

#define PLAIN(isa, size, weight, flags, code, random)                                              \
    {                                                                                              \
        isa, size, PEER_OP_PLAIN, PEER_OFFSET_NONE, weight, flags, code, random                    \
    }
#define DIRECT(isa, size, weight, offset, flags, code, random)                                     \
    {                                                                                              \
        isa, size, PEER_OP_DIRECT, PEER_OFFSET_##offset, weight, flags, code, random               \
    }
#define INDIRECT(isa, size, weight, flags, code, random)                                           \
    {                                                                                              \
        isa, size, PEER_OP_INDIRECT, PEER_OFFSET_NONE, weight, flags, code, random                 \
    }
#define SPECIAL(isa, size, weight, kind, flags, code, random)                                      \
    {                                                                                              \
        isa, size, PEER_OP_##kind, PEER_OFFSET_NONE, weight, flags, code, random                   \
    }

static const struct peer_shape shapes[] = {
    PLAIN(A64, 4, 8, 0, 0x91000000, 0x007fffff),                       /* ADD (immediate) */
    PLAIN(A64, 4, 4, 0, 0xd2800000, 0x007fffff),                       /* MOVZ */
    PLAIN(A64, 4, 4, 0, 0xf9400000, 0x003fffff),                       /* LDR */
    PLAIN(A64, 4, 3, 0, 0xf9000000, 0x003fffff),                       /* STR */
    PLAIN(A64, 4, 2, 0, 0x18000000, 0x00ffffff),                       /* LDR (literal) */
    PLAIN(A64, 4, 2, 0, 0x10000000, 0x60ffffff),                       /* ADR */
    PLAIN(A64, 4, 2, 0, 0x1e602800, 0x001f03ff),                       /* FADD */
    PLAIN(A64, 4, 2, 0, 0xd503201f, 0),                                /* NOP */
    PLAIN(A64, 4, 1, 0, 0xd503241f, 0x000000c0),                       /* BTI */
    PLAIN(A64, 4, 1, 0, 0xd5033f9f, 0),                                /* DSB */
    PLAIN(A64, 4, 1, 0, 0xd53bd040, 0x0000001f),                       /* MRS */
    DIRECT(A64, 4, 5, A64_26, END, 0x14000000, 0),                     /* B */
    DIRECT(A64, 4, 6, A64_26, LINK, 0x94000000, 0),                    /* BL */
    DIRECT(A64, 4, 7, A64_19, FALLS, 0x54000000, 0x7),                 /* B.cond, EQ to VC */
    DIRECT(A64, 4, 2, A64_19, FALLS, 0x54000008, 0x3),                 /* HI to LT */
    DIRECT(A64, 4, 5, A64_19, FALLS, 0x34000000, 0x8100001f),          /* CBZ, CBNZ */
    DIRECT(A64, 4, 5, A64_14, FALLS, 0x36000000, 0x81f8001f),          /* TBZ, TBNZ */
    INDIRECT(A64, 4, 2, END, 0xd61f0000, 0x000003e0),                  /* BR */
    INDIRECT(A64, 4, 3, LINK, 0xd63f0000, 0x000003e0),                 /* BLR */
    INDIRECT(A64, 4, 6, END | RETURN, 0xd65f03c0, 0),                  /* RET */
    INDIRECT(A64, 4, 3, END | ERET, 0xd69f03e0, 0),                    /* ERET */
    INDIRECT(A64, 4, 2, END | PAUTH, 0xd61f081f, 0x000007e0),          /* BRAAZ, BRABZ */
    INDIRECT(A64, 4, 2, LINK | PAUTH, 0xd73f0800, 0x000007ff),         /* BLRAA, BLRAB */
    INDIRECT(A64, 4, 2, END | RETURN | PAUTH, 0xd65f0bff, 0x400),      /* RETAA, RETAB */
    INDIRECT(A64, 4, 1, END | ERET | PAUTH, 0xd69f0bff, 0x400),        /* ERETAA, ERETAB */
    SPECIAL(A64, 4, 2, ISB, 0, 0xd50330df, 0x00000f00),                /* ISB */
    SPECIAL(A64, 4, 1, WAIT, 0, 0xd503205f, 0x00000020),               /* WFE, WFI */
    SPECIAL(A64, 4, 1, CALL, PEER_SHAPE_CALL, 0xd4000001, 0x001fffe0), /* SVC */

    PLAIN(A32, 4, 6, COND, 0x02800000, 0x000f7fff),             /* ADD (immediate), not to PC */
    PLAIN(A32, 4, 4, COND, 0x03a00000, 0x00007fff),             /* MOV (immediate) */
    PLAIN(A32, 4, 4, COND, 0x05900000, 0x00077fff),             /* LDR, not to PC */
    PLAIN(A32, 4, 3, COND, 0x05800000, 0x00077fff),             /* STR */
    PLAIN(A32, 4, 2, COND, 0x08900001, 0x00077ffe),             /* LDM without PC */
    PLAIN(A32, 4, 1, COND, 0x08800001, 0x00077ffe),             /* STM */
    PLAIN(A32, 4, 2, COND, 0x03500000, 0x000f0fff),             /* CMP */
    PLAIN(A32, 4, 2, COND, 0x00000090, 0x00070707),             /* MUL */
    PLAIN(A32, 4, 1, 0, 0xe320f000, 0),                         /* NOP */
    PLAIN(A32, 4, 1, 0, 0xf57ff05f, 0),                         /* DMB */
    PLAIN(A32, 4, 1, 0, 0xee300a00, 0x00077007),                /* VADD */
    DIRECT(A32, 4, 9, A32_24, COND, 0x0a000000, 0),             /* B */
    DIRECT(A32, 4, 3, A32_24, END, 0xea000000, 0),              /* B, always */
    DIRECT(A32, 4, 6, A32_24, COND | LINK, 0x0b000000, 0),      /* BL */
    DIRECT(A32, 4, 3, A32_BLX, LINK | OTHER, 0xfa000000, 0),    /* BLX */
    INDIRECT(A32, 4, 4, COND, 0x012fff10, 0x00000007),          /* BX */
    INDIRECT(A32, 4, 2, END, 0xe12fff10, 0x00000007),           /* BX, always */
    INDIRECT(A32, 4, 4, COND | RETURN, 0x012fff1e, 0),          /* BX LR */
    INDIRECT(A32, 4, 4, COND | LINK, 0x012fff30, 0x00000007),   /* BLX (register) */
    INDIRECT(A32, 4, 2, COND, 0x051ff000, 0x00800fff),          /* LDR PC, literal */
    INDIRECT(A32, 4, 3, COND | RETURN, 0x08bd8000, 0x00001fff), /* POP with PC */
    INDIRECT(A32, 4, 2, COND | RETURN, 0x049df004, 0),          /* POP of PC alone */
    INDIRECT(A32, 4, 2, COND, 0x01a0f000, 0x00000007),          /* MOV PC */
    INDIRECT(A32, 4, 1, COND, 0x008ff000, 0x00000007),          /* ADD PC, PC, Rm */
    INDIRECT(A32, 4, 2, COND | ERET, 0x025ef000, 0x000000ff),   /* SUBS PC, LR */
    INDIRECT(A32, 4, 1, COND | ERET, 0x01b0f00e, 0),            /* MOVS PC, LR */
    INDIRECT(A32, 4, 1, COND | ERET, 0x08fd8000, 0x00001fff),   /* LDM ^ with PC */
    INDIRECT(A32, 4, 1, END | ERET, 0xf8900a00, 0x00270000),    /* RFEIA */
    INDIRECT(A32, 4, 1, COND | ERET | UNSHARED, 0x0160006e, 0), /* ERET */
    SPECIAL(A32, 4, 2, ISB, 0, 0xf57ff06f, 0),                  /* ISB */
    SPECIAL(A32, 4, 1, ISB, 0, 0xee070f95, 0x00007000),         /* CP15ISB */
    SPECIAL(A32, 4, 1, WAIT, 0, 0xe320f002, 0x00000001),        /* WFE, WFI */
    SPECIAL(A32, 4, 1, CALL, PEER_SHAPE_CALL, 0xef000000, 0x00ffffff), /* SVC */

    PLAIN(T32, 2, 6, 0, 0x2000, 0x07ff),                                /* MOVS */
    PLAIN(T32, 2, 4, 0, 0x1800, 0x03ff),                                /* ADDS, SUBS */
    PLAIN(T32, 2, 3, 0, 0x6800, 0x07ff),                                /* LDR */
    PLAIN(T32, 2, 3, 0, 0x6000, 0x07ff),                                /* STR */
    PLAIN(T32, 2, 2, 0, 0x4600, 0x007f),                                /* MOV, low destination */
    PLAIN(T32, 2, 2, 0, 0xb500, 0x00ff),                                /* PUSH */
    PLAIN(T32, 2, 2, 0, 0xbc01, 0x00fe),                                /* POP without PC */
    PLAIN(T32, 2, 2, 0, 0xbf00, 0),                                     /* NOP */
    PLAIN(T32, 4, 3, 0, 0xf2400000, 0x040f70ff),                        /* MOVW */
    PLAIN(T32, 4, 3, 0, 0xeb000000, 0x00070707),                        /* ADD.W */
    PLAIN(T32, 4, 3, 0, 0xf8d00000, 0x00077fff),                        /* LDR.W, not to PC */
    PLAIN(T32, 4, 2, 0, 0xf8c00000, 0x00077fff),                        /* STR.W */
    PLAIN(T32, 4, 2, 0, 0xe8b1000c, 0x00001ff0),                        /* LDM.W without PC */
    PLAIN(T32, 4, 1, 0, 0xee300a00, 0x00077007),                        /* VADD */
    PLAIN(T32, 4, 1, 0, 0xf3bf8f5f, 0),                                 /* DMB */
    PLAIN(T32, 4, 1, 0, 0xf3af8000, 0),                                 /* NOP.W */
    DIRECT(T32, 2, 6, T16_8, FALLS | NOT_IT, 0xd000, 0x0700),           /* B<c>, EQ to VC */
    DIRECT(T32, 2, 2, T16_8, FALLS | NOT_IT, 0xd800, 0x0300),           /* HI to LT */
    DIRECT(T32, 2, 4, T16_11, END, 0xe000, 0),                          /* B */
    DIRECT(T32, 2, 5, T16_CBZ, FALLS | NOT_IT, 0xb100, 0x0807),         /* CBZ, CBNZ */
    DIRECT(T32, 4, 4, T32_20, FALLS | NOT_IT, 0xf0008000, 0x01c00000),  /* B<c>.W */
    DIRECT(T32, 4, 3, T32_24, END, 0xf0009000, 0),                      /* B.W */
    DIRECT(T32, 4, 6, T32_24, LINK, 0xf000d000, 0),                     /* BL */
    DIRECT(T32, 4, 3, T32_BLX, LINK | OTHER, 0xf000c000, 0),            /* BLX */
    INDIRECT(T32, 2, 3, END, 0x4700, 0x0038),                           /* BX */
    INDIRECT(T32, 2, 4, END | RETURN, 0x4770, 0),                       /* BX LR */
    INDIRECT(T32, 2, 4, LINK, 0x4780, 0x0038),                          /* BLX (register) */
    INDIRECT(T32, 2, 5, END | RETURN, 0xbd00, 0x00ff),                  /* POP with PC */
    INDIRECT(T32, 2, 2, END | SAME, 0x4687, 0x0038),                    /* MOV PC */
    INDIRECT(T32, 2, 1, END | SAME, 0x4487, 0x0038),                    /* ADD PC */
    INDIRECT(T32, 4, 3, END | SAME, 0xe8d0f000, 0x00070017),            /* TBB, TBH */
    INDIRECT(T32, 4, 2, END, 0xf8dff000, 0x00000fff),                   /* LDR.W PC, literal */
    INDIRECT(T32, 4, 2, END, 0xf8d0f000, 0x00070fff),                   /* LDR.W PC */
    INDIRECT(T32, 4, 1, END | RETURN, 0xf85dfb04, 0),                   /* POP.W of PC alone */
    INDIRECT(T32, 4, 2, END | RETURN, 0xe8bd8001, 0x00001ffe),          /* POP.W with PC */
    INDIRECT(T32, 4, 1, END, 0xe9118001, 0x00001ffc),                   /* LDMDB with PC */
    INDIRECT(T32, 4, 2, END | ERET, 0xf3de8f00, 0x000000ff),            /* SUBS PC, LR; ERET */
    INDIRECT(T32, 4, 1, END | ERET, 0xe990c000, 0x00270000),            /* RFEIA */
    SPECIAL(T32, 4, 2, ISB, NOT_IT, 0xf3bf8f6f, 0),                     /* ISB */
    SPECIAL(T32, 2, 1, WAIT, NOT_IT, 0xbf20, 0x0010),                   /* WFE, WFI */
    SPECIAL(T32, 2, 1, CALL, NOT_IT | PEER_SHAPE_CALL, 0xdf00, 0x00ff), /* SVC */
};

enum { SHAPES = sizeof shapes / sizeof *shapes };

static bool fits(const struct peer_shape *shape, enum cairn_isa isa, unsigned size, bool plain,
                 unsigned with, unsigned without)
{
    return shape->isa == isa && (size == 0 || shape->size == size) &&
           (!plain || shape->kind == PEER_OP_PLAIN) && (shape->flags & with) == with &&
           (shape->flags & without) == 0;
}

const struct peer_shape *peer_shape_pick(struct peer_random *random, enum cairn_isa isa,
                                         unsigned size, bool plain, unsigned with, unsigned without)
{
    uint32_t total = 0, choice;

    for (unsigned i = 0; i < SHAPES; i++)
        if (fits(&shapes[i], isa, size, plain, with, without))
            total += shapes[i].weight;
    choice = peer_random_below(random, total);
    for (unsigned i = 0; i < SHAPES; i++) {
        if (!fits(&shapes[i], isa, size, plain, with, without))
            continue;
        if (choice < shapes[i].weight)
            return &shapes[i];
        choice -= shapes[i].weight;
    }
    return NULL;
}

/* An offset that has `bits` bits (sign included) above `shift` zeros. */
static bool reaches(int64_t offset, unsigned bits, unsigned shift)
{
    const int64_t limit = (int64_t)1 << (bits + shift - 1);

    return offset >= -limit && offset < limit && (offset & (((int64_t)1 << shift) - 1)) == 0;
}

static uint32_t field(int64_t offset, unsigned from, unsigned bits)
{
    return (uint32_t)((uint64_t)offset >> from) & ((1u << bits) - 1);
}

/* imm24 of B.W, BL and BLX: S:I1:I2:imm10:imm11, J = NOT(I) EOR S. */
static uint32_t t32_24(int64_t offset)
{
    const uint32_t s = field(offset, 24, 1);
    const uint32_t j1 = (field(offset, 23, 1) ^ 1) ^ s;
    const uint32_t j2 = (field(offset, 22, 1) ^ 1) ^ s;

    return s << 26 | field(offset, 12, 10) << 16 | j1 << 13 | j2 << 11 | field(offset, 1, 11);
}

/* imm20 of B<c>.W: S:J2:J1:imm6:imm11. */
static uint32_t t32_20(int64_t offset)
{
    return field(offset, 20, 1) << 26 | field(offset, 12, 6) << 16 | field(offset, 18, 1) << 13 |
           field(offset, 19, 1) << 11 | field(offset, 1, 11);
}

bool peer_shape_aim(enum peer_offset offset, uint64_t from, uint64_t to, uint32_t *code)
{
    const int64_t a64 = (int64_t)(to - from);
    const int64_t a32 = a64 - 8;
    const int64_t t32 = a64 - 4;
    const int64_t blx = (int64_t)(to - ((from + 4) & ~UINT64_C(3)));

    switch (offset) {
    case PEER_OFFSET_NONE: return true;
    case PEER_OFFSET_A64_26: *code |= field(a64, 2, 26); return reaches(a64, 26, 2);
    case PEER_OFFSET_A64_19: *code |= field(a64, 2, 19) << 5; return reaches(a64, 19, 2);
    case PEER_OFFSET_A64_14: *code |= field(a64, 2, 14) << 5; return reaches(a64, 14, 2);
    case PEER_OFFSET_A32_24: *code |= field(a32, 2, 24); return reaches(a32, 24, 2);
    case PEER_OFFSET_A32_BLX:
        *code |= field(a32, 2, 24) | field(a32, 1, 1) << 24;
        return reaches(a32, 25, 1);
    case PEER_OFFSET_T16_11: *code |= field(t32, 1, 11); return reaches(t32, 11, 1);
    case PEER_OFFSET_T16_8: *code |= field(t32, 1, 8); return reaches(t32, 8, 1);
    case PEER_OFFSET_T16_CBZ:
        *code |= field(t32, 6, 1) << 9 | field(t32, 1, 5) << 3;
        return t32 >= 0 && t32 < 128 && (t32 & 1) == 0;
    case PEER_OFFSET_T32_20: *code |= t32_20(t32); return reaches(t32, 20, 1);
    case PEER_OFFSET_T32_24: *code |= t32_24(t32); return reaches(t32, 24, 1);
    case PEER_OFFSET_T32_BLX: *code |= t32_24(blx); return reaches(blx, 24, 1) && (blx & 3) == 0;
    }
    return false;
}
