/* SPDX-License-Identifier: BSD-2-Clause */
/* Branches beyond DDI0608's tables, and what else the classifier says of a branch: target,
 * condition, size; how much of it the architecture argument decides. Sources are named beside the
 * opcodes: the Arm ARM (DDI0487), the Armv8-M ARM (DDI0553), Arm's machine-readable A64 tables
 * (AARCHMRS). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/plain.h"
#include "vector.h"

enum {
    OTHER = CAIRN_INSN_OTHER,
    DIRECT = CAIRN_INSN_BRANCH_DIRECT,
    INDIRECT = CAIRN_INSN_BRANCH_INDIRECT,
    UNDEFINED = CAIRN_INSN_UNDEFINED,
};

#define A64 CAIRN_ISA_A64
#define A32 CAIRN_ISA_A32
#define T32 CAIRN_ISA_T32
#define NEVER_N CAIRN_INSN_NEVER_N
#define LINK CAIRN_INSN_LINK
#define COND CAIRN_INSN_CONDITIONAL
#define RETURN CAIRN_INSN_RETURN
#define ERET CAIRN_INSN_ERET

/* FEAT_CMPBR: AARCHMRS CBGT_32_regs (74000000/ffe0c000) to CBNE_64_imm (f5e00000/ffe04000). */
static const struct vector cmpbr[] = {
    {"cbgt w1, w2, .", 0x74020001, 4, DIRECT, COND},
    {"cbge w1, w2, .", 0x74220001, 4, DIRECT, COND},
    {"cbhi w1, w2, .", 0x74420001, 4, DIRECT, COND},
    {"cbhs w1, w2, .", 0x74620001, 4, DIRECT, COND},
    {"cbeq w1, w2, .", 0x74c20001, 4, DIRECT, COND},
    {"cbne w1, w2, .", 0x74e20001, 4, DIRECT, COND},
    {"cbgt x5, x5, .", 0xf4051fe5, 4, DIRECT, COND},
    {"cbne x1, x2, .", 0xf4e20001, 4, DIRECT, COND},
    {"cbbgt w1, w2, .", 0x74028001, 4, DIRECT, COND},
    {"cbbhs w1, w2, .", 0x74628001, 4, DIRECT, COND},
    {"cbbne w1, w2, .", 0x74e28001, 4, DIRECT, COND},
    {"cbhgt w1, w2, .", 0x7402c001, 4, DIRECT, COND},
    {"cbhhi w1, w2, .", 0x7442c001, 4, DIRECT, COND},
    {"cbhne w1, w2, .", 0x74e2c001, 4, DIRECT, COND},
    {"cbgt w5, #63, .", 0x751f9fe5, 4, DIRECT, COND},
    {"cblt w1, #0, .", 0x75200001, 4, DIRECT, COND},
    {"cbhi x1, #0, .", 0xf5400001, 4, DIRECT, COND},
    {"cblo x1, #32, .", 0xf5608001, 4, DIRECT, COND},
    {"cbeq x1, #0, .", 0xf5c00001, 4, DIRECT, COND},
    {"cbne x1, #0, .", 0xf5e00001, 4, DIRECT, COND},
    {"unallocated: cc 100", 0x74820001, 4, OTHER, 0},
    {"unallocated: cc 101", 0xf4a20001, 4, OTHER, 0},
    {"unallocated: bits 15:14 01", 0x74024001, 4, OTHER, 0},
    {"unallocated: 64-bit byte form", 0xf4028001, 4, OTHER, 0},
    {"unallocated: 64-bit halfword form", 0xf402c001, 4, OTHER, 0},
    {"unallocated: immediate, bit 14", 0x75004001, 4, OTHER, 0},
    {"unallocated: immediate, cc 101", 0xf5a00001, 4, OTHER, 0},
};

/* FEAT_PAuth_LR: AARCHMRS RETAASPPC_only_miscbranch (5500001f/ffe0001f), RETAASPPCR_64M_branch_reg
 * (d65f0be0/ffffffe0, Rm not 31). FEAT_S1POE2: binutils gas/testsuite/gas/aarch64/poe2.d. */
static const struct vector later[] = {
    {"retaasppc .", 0x5500001f, 4, INDIRECT, NEVER_N | RETURN},
    {"retaasppc .-0x3fffc", 0x551fffff, 4, INDIRECT, NEVER_N | RETURN},
    {"retabsppc .-4", 0x5520003f, 4, INDIRECT, NEVER_N | RETURN},
    {"retaasppcr x1", 0xd65f0be1, 4, INDIRECT, NEVER_N | RETURN},
    {"retabsppcr x30", 0xd65f0ffe, 4, INDIRECT, NEVER_N | RETURN},
    {"texit", 0xd6ff03e0, 4, INDIRECT, NEVER_N | ERET},
    {"texit nb", 0xd6ff07e0, 4, INDIRECT, NEVER_N | ERET},
    {"tenter #1 (an exception, as svc)", 0xd4e00020, 4, OTHER, 0},
    {"tchangef x0, x1", 0xd5800020, 4, OTHER, 0},
    {"autiasppcr x1", 0xdac19021, 4, OTHER, 0},
    {"pacm", 0xd50324ff, 4, OTHER, 0},
    {"unallocated: op2 not 31", 0x55000000, 4, OTHER, 0},
    {"unallocated: opc 010", 0x5540001f, 4, OTHER, 0},
    {"unallocated: texit with Rn", 0xd6ff03c0, 4, OTHER, 0},
    {"unallocated: texit with op4", 0xd6ff03e1, 4, OTHER, 0},
    {"unallocated: texit with bit 11", 0xd6ff0be0, 4, OTHER, 0},
};

static void a64_extensions(void **state)
{
    const struct cairn_arch any = cairn_arch_any_a();

    (void)state;
    assert_int_equal(vector_wrong(&any, A64, cmpbr, COUNT(cmpbr)), 0);
    assert_int_equal(vector_wrong(&any, A64, later, COUNT(later)), 0);
}

/* Without its feature an encoding is OTHER; everything else stays what it is. */
static void absent_features(void **state)
{
    static const struct {
        uint32_t feature;
        uint32_t opcode;
    } cases[] = {
        {CAIRN_FEATURE_CMPBR, 0x74020001}, {CAIRN_FEATURE_PAUTH, 0x5500001f},
        {CAIRN_FEATURE_PAUTH, 0xd65f0be1}, {CAIRN_FEATURE_PAUTH, 0xd65f0bff},
        {CAIRN_FEATURE_PAUTH, 0xd71f0801}, {CAIRN_FEATURE_PAUTH, 0xd63f081f},
        {CAIRN_FEATURE_PAUTH, 0xd69f0bff}, {CAIRN_FEATURE_TEXIT, 0xd6ff03e0},
        {CAIRN_FEATURE_HBC, 0x54000010},   {CAIRN_FEATURE_WFXT, 0xd5031000},
        {CAIRN_FEATURE_TME, 0xd5233060},
    };
    const struct cairn_arch any = cairn_arch_any_a();

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cairn_arch arch = any;
        arch.features = cases[i].feature;
        assert_int_not_equal(vector_decode(&arch, A64, 0, cases[i].opcode, 4).kind, OTHER);
        arch.features = ~cases[i].feature;
        assert_int_equal(vector_decode(&arch, A64, 0, cases[i].opcode, 4).kind, OTHER);
        assert_int_equal(vector_decode(&arch, A64, 0, cases[i].opcode, 4).flags, 0);
        assert_int_equal(vector_decode(&arch, A64, 0, 0xd65f03c0, 4).kind, INDIRECT);
        assert_int_equal(vector_decode(&arch, A64, 0, 0x54000000, 4).kind, DIRECT);
    }
}

/* Armv8.1-M, DDI0553: low-overhead loops and branch future. */
static const struct vector loops[] = {
    {"wls lr, r3, .+8", 0xf043c003, 4, DIRECT, COND},
    {"wlstp.8 lr, r3, .+8", 0xf003c003, 4, DIRECT, COND},
    {"wlstp.64 lr, r3, .+8", 0xf033c003, 4, DIRECT, COND},
    {"le lr, .", 0xf00fc003, 4, DIRECT, COND},
    {"letp lr, .", 0xf01fc003, 4, DIRECT, COND},
    {"le .", 0xf02fc003, 4, DIRECT, 0},
    {"dls lr, r3", 0xf043e001, 4, OTHER, 0},
    {"dlstp.8 lr, r3", 0xf003e001, 4, OTHER, 0},
    {"lctp", 0xf00fe001, 4, OTHER, 0},
    {"bf .+4, .", 0xf0c0e001, 4, OTHER, 0},
    {"bfl .+4, .", 0xf0dec001, 4, OTHER, 0},
    {"bfx .+4, r0", 0xf0e0e001, 4, OTHER, 0},
    {"bflx .+4, r0", 0xf0f0e001, 4, OTHER, 0},
    {"bfcsel", 0xf12ee001, 4, OTHER, 0},
    {"clrm {r0, apsr}", 0xe89f8001, 4, OTHER, 0},
    {"bxns lr", 0x4774, 2, INDIRECT, RETURN},
    {"bxns r3", 0x471c, 2, INDIRECT, 0},
    {"blxns r3", 0x479c, 2, INDIRECT, LINK},
    {"bxaut r12, lr, sp", 0xfb5ecf1d, 4, INDIRECT, 0},
    {"sg", 0xe97fe97f, 4, OTHER, 0},
    {"isb", 0xf3bf8f6f, 4, CAIRN_INSN_ISB, 0},
    {"pop {r4, pc}", 0xbd10, 2, INDIRECT, RETURN},
    {"ldr.w pc, [pc, #4]", 0xf8dff004, 4, INDIRECT, 0},
    /* Not in the M profile. */
    {"blx .", 0xf000e800, 4, OTHER, 0},
    {"bxj r3", 0xf3c38f00, 4, UNDEFINED, 0},
    {"subs pc, lr, #4", 0xf3de8f04, 4, UNDEFINED, 0},
    {"rfeia sp!", 0xe9bdc000, 4, UNDEFINED, 0},
    {"mcr p15, 0, r0, c7, c5, 4", 0xee070f95, 4, OTHER, 0},
};

static void m_profile(void **state)
{
    const struct cairn_arch any = cairn_arch_any_a();
    const struct cairn_arch m = vector_arch_m();
    const struct cairn_arch baseline = {.profile = CAIRN_PROFILE_M, .major = 8};
    const struct cairn_arch v6m = {.profile = CAIRN_PROFILE_M, .major = 6};
    static const struct vector base[] = {
        {"b.w .", 0xf7ffbffe, 4, DIRECT, 0},       {"cbz r1, .+4", 0xb101, 2, DIRECT, COND},
        {"bl .", 0xf7fffffe, 4, DIRECT, LINK},     {"bxns lr", 0x4774, 2, INDIRECT, RETURN},
        {"beq.w .", 0xf43faffe, 4, OTHER, 0},      {"it eq", 0xbf08, 2, OTHER, 0},
        {"tbb [r0, r1]", 0xe8d0f001, 4, OTHER, 0},
    };
    static const struct vector oldest[] = {
        {"b.w .", 0xf7ffbffe, 4, OTHER, 0},    {"cbz r1, .+4", 0xb101, 2, OTHER, 0},
        {"bl .", 0xf7fffffe, 4, DIRECT, LINK}, {"bxns lr", 0x4774, 2, OTHER, 0},
        {"wfi", 0xbf30, 2, CAIRN_INSN_WFX, 0}, {"isb", 0xf3bf8f6f, 4, CAIRN_INSN_ISB, 0},
    };

    (void)state;
    assert_int_equal(vector_wrong(&m, T32, loops, COUNT(loops)), 0);
    assert_int_equal(vector_wrong(&baseline, T32, base, COUNT(base)), 0);
    assert_int_equal(vector_wrong(&v6m, T32, oldest, COUNT(oldest)), 0);
    /* In the A profile the loops' space is BLX with H set, which is undefined. */
    assert_int_equal(vector_decode(&any, T32, 0, 0xf00fc003, 4).kind, UNDEFINED);
}

struct aim {
    uint8_t isa;
    uint8_t size;
    uint32_t opcode;
    uint64_t address;
    uint64_t target;
    uint8_t target_isa;
    uint8_t cond;
};

/* DDI0487 C6.2, F5.1; DDI0553 C2.4: every form of offset, at its ends, and where it wraps. */
static const struct aim aims[] = {
    {A64, 4, 0x15ffffff, 0x10000000, 0x17fffffc, A64, 14},  /* B, furthest on */
    {A64, 4, 0x96000000, 0x10000000, 0x08000000, A64, 14},  /* BL, furthest back */
    {A64, 4, 0x17ffffff, 0, 0xfffffffffffffffc, A64, 14},   /* wraps at 64 bits */
    {A64, 4, 0x14000001, 0xffffffff, 0x100000003, A64, 14}, /* not at 32 */
    {A64, 4, 0x547fffe1, 0x10000000, 0x100ffffc, A64, 1},   /* B.NE */
    {A64, 4, 0x5480001b, 0x10000000, 0x0ff00000, A64, 11},  /* BC.LT */
    {A64, 4, 0xb4800000, 0x10000000, 0x0ff00000, A64, 14},  /* CBZ */
    {A64, 4, 0x3603ffe0, 0x10000000, 0x10007ffc, A64, 14},  /* TBZ */
    {A64, 4, 0xb7fc0000, 0x10000000, 0x0fff8000, A64, 14},  /* TBNZ */
    {A64, 4, 0x74001fe0, 0x10000000, 0x100003fc, A64, 14},  /* CBGT */
    {A64, 4, 0xf5002000, 0x10000000, 0x0ffffc00, A64, 14},  /* CBGT #0 */
    {A32, 4, 0xea7fffff, 0x10000000, 0x12000004, A32, 14},  /* B */
    {A32, 4, 0x1b800000, 0x10000000, 0x0e000008, A32, 1},   /* BLNE */
    {A32, 4, 0xeafffffd, 0, 0xfffffffc, A32, 14},           /* wraps at 32 bits */
    {A32, 4, 0xea000000, 0xfffffffc, 4, A32, 14},           /* the same, up */
    {A32, 4, 0xfb000000, 0x8000, 0x800a, T32, 14},          /* BLX, H set */
    {A32, 4, 0xfafffffe, 0x8000, 0x8000, T32, 14},          /* BLX */
    {T32, 2, 0xd07f, 0x8000, 0x8102, T32, 0},               /* BEQ T1 */
    {T32, 2, 0xdd80, 0x8000, 0x7f04, T32, 13},              /* BLE T1 */
    {T32, 2, 0xe3ff, 0x8000, 0x8802, T32, 14},              /* B T2 */
    {T32, 2, 0xe400, 0x8000, 0x7804, T32, 14},              /* B T2 */
    {T32, 2, 0xbbf8, 0x8002, 0x8084, T32, 14},              /* CBNZ, furthest */
    {T32, 4, 0xf03faf7f, 0x800000, 0x8fff02, T32, 0},       /* BEQ T3: J2, J1 */
    {T32, 4, 0xf5808000, 0x800000, 0x700004, T32, 6},       /* BVS T3 */
    {T32, 4, 0xf3ff97ff, 0x10000000, 0x11000002, T32, 14},  /* B T4 */
    {T32, 4, 0xf400d000, 0x10000000, 0x0f000004, T32, 14},  /* BL */
    {T32, 4, 0xf000f800, 0xfffffffe, 2, T32, 14},           /* BL, wraps */
    {T32, 4, 0xf000e804, 0x8002, 0x800c, A32, 14},          /* BLX aligns PC */
    {T32, 4, 0xf000e804, 0x8000, 0x800c, A32, 14},
};

static void targets(void **state)
{
    const struct cairn_arch any = cairn_arch_any_a();

    (void)state;
    for (size_t i = 0; i < COUNT(aims); i++) {
        const struct aim *aim = &aims[i];
        const struct cairn_insn insn =
            vector_decode(&any, (enum cairn_isa)aim->isa, aim->address, aim->opcode, aim->size);
        if (insn.target != aim->target)
            print_message("# %08x at %#llx\n", aim->opcode, (unsigned long long)aim->address);
        /* proves: D9.5.18.5 */
        assert_int_equal(insn.target, aim->target);
        assert_int_equal(insn.kind, DIRECT);
        assert_int_equal(insn.target_isa, aim->target_isa);
        assert_int_equal(insn.size, aim->size);
        assert_int_equal(insn.opcode, aim->opcode);
        assert_int_equal(insn.cond, aim->cond);
    }
}

/* What a decoder of PTM has to know of an instruction (IHI0035 B.3.2). Opcodes: DDI0406. */
static const struct {
    enum cairn_isa isa;
    uint32_t opcode;
    uint8_t size;
    uint8_t kind; /* OTHER is no waypoint */
    uint32_t flags;
    uint32_t target; /* from 0x8000 */
    enum cairn_isa target_isa;
} attributes[] = {
    {A32, 0xe1a00000, 4, OTHER, 0, 0, A32},          /* MOV r0, r0 */
    {A32, 0xea00003e, 4, DIRECT, 0, 0x8100, A32},    /* B */
    {A32, 0xeb00003e, 4, DIRECT, LINK, 0x8100, A32}, /* BL */
    {A32, 0xfa00003e, 4, DIRECT, LINK, 0x8100, T32}, /* BLX immediate */
    {A32, 0xe12fff33, 4, INDIRECT, LINK, 0, A32},    /* BLX r3 */
    {A32, 0xe12fff13, 4, INDIRECT, 0, 0, A32},       /* BX r3 */
    {A32, 0xe25ef004, 4, INDIRECT, ERET, 0, A32},    /* SUBS pc, lr, #4 */
    {A32, 0xf8bd0a00, 4, INDIRECT, ERET, 0, A32},    /* RFEIA sp! */
    {T32, 0xbf00, 2, OTHER, 0, 0, T32},              /* NOP */
    {T32, 0xe07e, 2, DIRECT, 0, 0x8100, T32},        /* B */
    {T32, 0xf000b87e, 4, DIRECT, 0, 0x8100, T32},    /* B.W */
    {T32, 0xf000f87e, 4, DIRECT, LINK, 0x8100, T32}, /* BL */
    {T32, 0xf000e87e, 4, DIRECT, LINK, 0x8100, A32}, /* BLX immediate */
    {T32, 0x4798, 2, INDIRECT, LINK, 0, T32},        /* BLX r3 */
    {T32, 0xf3de8f04, 4, INDIRECT, ERET, 0, T32},    /* SUBS pc, lr, #4 */
};

static void what_a_ptm_decoder_asks(void **state)
{
    const struct cairn_arch v7 = {
        .profile = CAIRN_PROFILE_A, .major = 7, .features = CAIRN_FEATURE_THUMB2};
    unsigned wrong = 0;

    (void)state;
    for (size_t i = 0; i < COUNT(attributes); i++) {
        const struct cairn_insn insn =
            vector_decode(&v7, attributes[i].isa, 0x8000, attributes[i].opcode, attributes[i].size);
        const bool direct = attributes[i].kind == DIRECT;

        if (insn.size == attributes[i].size && insn.kind == attributes[i].kind &&
            (insn.flags & (LINK | ERET)) == attributes[i].flags &&
            (!direct ||
             (insn.target == attributes[i].target && insn.target_isa == attributes[i].target_isa)))
            continue;
        print_message("# %08x\n", attributes[i].opcode);
        wrong++;
    }
    /* proves: PFT-B.3.2-e */
    assert_int_equal(wrong, 0);
}

static const struct cairn_arch armv7_a = {.profile = CAIRN_PROFILE_A,
                                          .major = 7,
                                          .features = CAIRN_FEATURE_THUMB2 | CAIRN_FEATURE_THUMBEE};

/* The direct waypoints of Thumb (IHI0035 Table 2-3): all of them, by their halfwords; and what
 * stands beside the last ones in the encoding. */
static void direct_waypoints_of_thumb(void **state)
{
    enum { ISB = CAIRN_INSN_ISB, BARRIER = CAIRN_INSN_BARRIER, EXCHANGE = CAIRN_INSN_EXCHANGE };
    static const struct vector waypoints[] = {
        {"b .+4", 0xe000, 2, DIRECT, 0},
        {"bne .+4", 0xd100, 2, DIRECT, COND},
        {"cbz r0, .+4", 0xb100, 2, DIRECT, COND},
        {"cbnz r0, .+4", 0xb900, 2, DIRECT, COND},
        {"b.w .+4", 0xf000b800, 4, DIRECT, 0},
        {"bne.w .+4", 0xf0408000, 4, DIRECT, COND},
        {"bl .+4", 0xf000f800, 4, DIRECT, LINK},
        {"blx .+4", 0xf000e800, 4, DIRECT, LINK | EXCHANGE},
        {"isb sy", 0xf3bf8f6f, 4, ISB, 0},
        {"enterx", 0xf3bf8f1f, 4, DIRECT, EXCHANGE},
        {"leavex", 0xf3bf8f0f, 4, DIRECT, 0},
        {"dmb sy", 0xf3bf8f5f, 4, BARRIER, 0},
        {"dsb sy", 0xf3bf8f4f, 4, BARRIER, 0},
    };
    static const struct vector beside[] = {
        {"clrex", 0xf3bf8f2f, 4, OTHER, 0},
        {"unallocated", 0xf3bf8f3f, 4, OTHER, 0},
        {"nop.w", 0xf3af8000, 4, OTHER, 0},
    };

    (void)state;
    /* proves: PFT-2.2-b */
    assert_int_equal(vector_wrong(&armv7_a, T32, waypoints, COUNT(waypoints)), 0);
    assert_int_equal(vector_wrong(&armv7_a, T32, beside, COUNT(beside)), 0);
}

/* ENTERX and LEAVEX go on behind themselves: the one in ThumbEE state, which has no name here, the
 * other in Thumb state. Only Armv7 has them. */
static void thumbee_changes(void **state)
{
    static const uint32_t words[] = {0xf3bf8f1f, 0xf3bf8f0f};
    static const enum cairn_isa leads_to[] = {CAIRN_ISA_UNKNOWN, T32};
    static const char *const others[] = {"ARM1156T2-S", "Cortex-R4", "Cortex-M3", "Cortex-M33",
                                         "Cortex-A53"};
    struct cairn_arch m = vector_arch_m();

    (void)state;
    m.features |= CAIRN_FEATURE_THUMBEE;
    for (size_t i = 0; i < COUNT(words); i++) {
        struct cairn_insn insn = vector_decode(&armv7_a, T32, 0x8002, words[i], 4);

        /* proves: ETM3-4.10.3-b */
        assert_int_equal(insn.kind, DIRECT);
        assert_int_equal(insn.target, 0x8006);
        assert_int_equal(insn.target_isa, leads_to[i]);
        insn = vector_decode(&armv7_a, T32, 0xfffffffc, words[i], 4);
        assert_int_equal(insn.target, 0);
        for (size_t k = 0; k < COUNT(others); k++) {
            struct cairn_arch arch;

            assert_int_equal(cairn_arch_from_name(others[k], &arch), CAIRN_OK);
            assert_int_equal(vector_decode(&arch, T32, 0x8002, words[i], 4).kind, OTHER);
        }
        assert_int_equal(vector_decode(&m, T32, 0x8002, words[i], 4).kind, OTHER);
    }
}

/* WLS and its kin go on, LE and LETP go back. */
static void loop_targets(void **state)
{
    static const struct aim list[] = {
        {T32, 4, 0xf043c001, 0x8000, 0x8004, T32, 14},
        {T32, 4, 0xf043c801, 0x8000, 0x8006, T32, 14},
        {T32, 4, 0xf003cfff, 0x8000, 0x9002, T32, 14},
        {T32, 4, 0xf00fc003, 0x8000, 0x8000, T32, 14},
        {T32, 4, 0xf02fcfff, 0x8000, 0x7006, T32, 14},
        {T32, 4, 0xf01fc801, 0, 2, T32, 14},
        {T32, 4, 0xf01fc005, 0, 0xfffffffc, T32, 14},
    };
    const struct cairn_arch m = vector_arch_m();

    (void)state;
    for (size_t i = 0; i < COUNT(list); i++) {
        const struct cairn_insn insn = vector_decode(&m, T32, list[i].address, list[i].opcode, 4);
        assert_int_equal(insn.target, list[i].target);
        assert_int_equal(insn.target_isa, T32);
        assert_int_equal(insn.cond, CAIRN_COND_AL);
    }
}

/* The condition field of A32, of branches and of everything else; AL and NV in A64. */
static void conditions(void **state)
{
    const struct cairn_arch any = cairn_arch_any_a();

    (void)state;
    for (uint32_t cond = 0; cond < 15; cond++) {
        const uint32_t opcodes[] = {0x0afffffe, 0x012fff1e, 0x0320f002, 0x00800001, 0x08bd8010};
        for (size_t i = 0; i < COUNT(opcodes); i++) {
            const struct cairn_insn insn = vector_decode(&any, A32, 0, opcodes[i] | cond << 28, 4);
            assert_int_equal(insn.cond, cond);
            assert_int_equal((insn.flags & COND) != 0, cond != CAIRN_COND_AL);
        }
    }
    for (uint32_t cond = 0; cond < 16; cond++) {
        const struct cairn_insn insn = vector_decode(&any, A64, 0, 0x54000040 | cond, 4);
        assert_int_equal(insn.cond, cond);
        assert_int_equal((insn.flags & COND) != 0, cond < 14);
        assert_int_equal(insn.flags & NEVER_N, 0);
    }
    assert_int_equal(vector_decode(&any, A32, 0, 0xfafffffe, 4).cond, CAIRN_COND_AL);
    assert_int_equal(vector_decode(&any, A64, 0, 0xb4000000, 4).cond, CAIRN_COND_AL);
}

/* Sizes, and input that is too short for them. */
static void sizes(void **state)
{
    static const uint8_t bl[] = {0xff, 0xf7, 0xfe, 0xff};
    static const uint8_t bx_lr[] = {0x70, 0x47};
    const struct cairn_arch any = cairn_arch_any_a();
    struct cairn_insn insn = {.opcode = 0x12345678};

    (void)state;
    for (size_t size = 0; size < 4; size++) {
        assert_int_equal(cairn_insn_decode(&any, CAIRN_ISA_A64, 0, bl, size, &insn), 0);
        assert_int_equal(cairn_insn_decode(&any, CAIRN_ISA_A32, 0, bl, size, &insn), 0);
        assert_int_equal(cairn_insn_decode(&any, CAIRN_ISA_T32, 0, bl, size, &insn), 0);
    }
    assert_int_equal(cairn_insn_decode(&any, CAIRN_ISA_T32, 0, bx_lr, 1, &insn), 0);
    assert_int_equal(cairn_insn_decode(&any, CAIRN_ISA_UNKNOWN, 0, bl, 4, &insn), 0);
    assert_int_equal(insn.opcode, 0x12345678); /* untouched so far */
    assert_int_equal(cairn_insn_decode(&any, CAIRN_ISA_T32, 0, bx_lr, 2, &insn), 2);
    assert_int_equal(insn.opcode, 0x4770);
    assert_int_equal(cairn_insn_decode(&any, CAIRN_ISA_T32, 0, bl, 4, &insn), 4);
    assert_int_equal(insn.opcode, 0xf7fffffe);
    assert_int_equal(cairn_insn_decode(&any, CAIRN_ISA_A32, 0, bl, 4, &insn), 4);
    assert_int_equal(insn.opcode, 0xfffef7ff);
}

/* Before Thumb-2 (DDI0100 A7.1.15): a prefix and its suffix are one instruction of four bytes. */
static void pairs_before_thumb2(void **state)
{
    const struct cairn_arch v5 = {.profile = CAIRN_PROFILE_A, .major = 5};
    const struct cairn_arch v4 = {.profile = CAIRN_PROFILE_A, .major = 4};
    static const uint8_t lone_prefix[] = {0x00, 0xf0, 0x70, 0x47}; /* then BX LR */
    struct cairn_insn insn;

    (void)state;
    assert_int_equal(cairn_insn_decode(&v5, CAIRN_ISA_T32, 0, lone_prefix, 2, &insn), 0);
    assert_int_equal(cairn_insn_decode(&v5, CAIRN_ISA_T32, 0, lone_prefix, 4, &insn), 2);
    assert_int_equal(insn.kind, OTHER);
    assert_int_equal(insn.opcode, 0xf000);

    insn = vector_decode(&v5, T32, 0x8000, 0xf7fffffe, 4); /* BL . */
    assert_int_equal(insn.kind, DIRECT);
    assert_int_equal(insn.target, 0x8000);
    assert_int_equal(insn.flags, LINK);
    insn = vector_decode(&v5, T32, 0x8002, 0xf000e804, 4); /* BLX */
    assert_int_equal(insn.target, 0x800c);
    assert_int_equal(insn.target_isa, A32);
    assert_int_equal(insn.flags, LINK | CAIRN_INSN_EXCHANGE);

    /* A suffix that is reached on its own branches to LR plus its offset. */
    insn = vector_decode(&v5, T32, 0x8000, 0xf802, 2);
    assert_int_equal(insn.kind, INDIRECT);
    assert_int_equal(insn.flags, LINK);
    insn = vector_decode(&v5, T32, 0x8000, 0xe802, 2);
    assert_int_equal(insn.kind, INDIRECT);
    /* Armv4T has no BLX. */
    insn = vector_decode(&v4, T32, 0x8000, 0xe802, 2);
    assert_int_equal(insn.kind, OTHER);
}

/* What cairn_a64_plain_run() passes over is OTHER, whatever the architecture; it stops at the first
 * word that may be more. */
static void plain_runs(void **state)
{
    static const uint8_t code[] = {
        0x20, 0x00, 0x02, 0x8b, /* add x0, x1, x2 */
        0xfe, 0x03, 0x40, 0xf9, /* ldr x30, [sp] */
        0xc0, 0x03, 0x5f, 0xd6, /* ret */
        0x20, 0x00, 0x02, 0x8b,
    };
    const struct cairn_arch any = cairn_arch_any_a();
    uint32_t word = 1;
    size_t plain = 0;

    (void)state;
    assert_int_equal(cairn_a64_plain_run(code, 4), 2);
    assert_int_equal(cairn_a64_plain_run(code, 1), 1);
    assert_int_equal(cairn_a64_plain_run(code, 0), 0);
    for (unsigned i = 0; i < 1000000; i++) {
        const uint8_t bytes[] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                                 (uint8_t)(word >> 24)};
        if (cairn_a64_plain_run(bytes, 1) == 1) {
            assert_int_equal(vector_decode(&any, A64, 0, word, 4).kind, OTHER);
            plain++;
        }
        word = word * 1664525u + 1013904223u; /* visits every word in time */
    }
    assert_in_range(plain, 600000, 750000); /* 11 of the 16 groups */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a64_extensions),
        cmocka_unit_test(absent_features),
        cmocka_unit_test(m_profile),
        cmocka_unit_test(targets),
        cmocka_unit_test(direct_waypoints_of_thumb),
        cmocka_unit_test(thumbee_changes),
        cmocka_unit_test(loop_targets),
        cmocka_unit_test(what_a_ptm_decoder_asks),
        cmocka_unit_test(conditions),
        cmocka_unit_test(sizes),
        cmocka_unit_test(pairs_before_thumb2),
        cmocka_unit_test(plain_runs),
    };

    return cmocka_run_group_tests_name("isa: branches", tests, NULL, NULL);
}
