/* SPDX-License-Identifier: BSD-2-Clause */
/* DDI0608 chapter D3, table by table: which instructions are P0 instructions, which of them are
 * Branches with Link, and for which N is reserved. Opcodes are from the Arm ARM. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vector.h"

enum {
    OTHER = CAIRN_INSN_OTHER,
    DIRECT = CAIRN_INSN_BRANCH_DIRECT,
    INDIRECT = CAIRN_INSN_BRANCH_INDIRECT,
    ISB = CAIRN_INSN_ISB,
    WFX = CAIRN_INSN_WFX,
    BARRIER = CAIRN_INSN_BARRIER,
    TSTART = CAIRN_INSN_TSTART,
    UNDEFINED = CAIRN_INSN_UNDEFINED,
};

#define NEVER_N CAIRN_INSN_NEVER_N
#define LINK CAIRN_INSN_LINK
#define COND CAIRN_INSN_CONDITIONAL
#define PASSES CAIRN_INSN_PASSES
#define RETURN CAIRN_INSN_RETURN
#define ERET CAIRN_INSN_ERET
#define EXCHANGE CAIRN_INSN_EXCHANGE

static const struct vector a64_direct[] = {
    {"b .-4", 0x17ffffff, 4, DIRECT, NEVER_N},
    {"b.ne .+8", 0x54000041, 4, DIRECT, COND},
    {"bc.ne .+8", 0x54000051, 4, DIRECT, COND},
    {"b.al .+8", 0x5400004e, 4, DIRECT, PASSES},
    {"b.nv .+8", 0x5400004f, 4, DIRECT, PASSES},
    {"bc.al .+8", 0x5400005e, 4, DIRECT, PASSES},
    {"bc.nv .+8", 0x5400005f, 4, DIRECT, PASSES},
    {"bl .", 0x94000000, 4, DIRECT, NEVER_N | LINK},
    {"cbz w3, .+8", 0x34000043, 4, DIRECT, COND},
    {"cbnz x3, .+8", 0xb5000043, 4, DIRECT, COND},
    {"tbz w3, #0, .+8", 0x36000043, 4, DIRECT, COND},
    {"tbnz x3, #63, .+8", 0xb7f80043, 4, DIRECT, COND},
    {"isb", 0xd5033fdf, 4, ISB, NEVER_N},
    {"tstart x0", 0xd5233060, 4, TSTART, NEVER_N},
    {"wfe", 0xd503205f, 4, WFX, NEVER_N},
    {"wfi", 0xd503207f, 4, WFX, NEVER_N},
    {"wfet x1", 0xd5031001, 4, WFX, NEVER_N},
    {"wfit x1", 0xd5031021, 4, WFX, NEVER_N},
};

static const struct vector a64_indirect[] = {
    {"blr x0", 0xd63f0000, 4, INDIRECT, NEVER_N | LINK},
    {"blraa x0, x1", 0xd73f0801, 4, INDIRECT, NEVER_N | LINK},
    {"blraaz x0", 0xd63f081f, 4, INDIRECT, NEVER_N | LINK},
    {"blrab x0, x1", 0xd73f0c01, 4, INDIRECT, NEVER_N | LINK},
    {"blrabz x0", 0xd63f0c1f, 4, INDIRECT, NEVER_N | LINK},
    {"br x0", 0xd61f0000, 4, INDIRECT, NEVER_N},
    {"braa x0, x1", 0xd71f0801, 4, INDIRECT, NEVER_N},
    {"braaz x0", 0xd61f081f, 4, INDIRECT, NEVER_N},
    {"brab x0, x1", 0xd71f0c01, 4, INDIRECT, NEVER_N},
    {"brabz x0", 0xd61f0c1f, 4, INDIRECT, NEVER_N},
    {"eret", 0xd69f03e0, 4, INDIRECT, NEVER_N | ERET},
    {"eretaa", 0xd69f0bff, 4, INDIRECT, NEVER_N | ERET},
    {"eretab", 0xd69f0fff, 4, INDIRECT, NEVER_N | ERET},
    {"ret", 0xd65f03c0, 4, INDIRECT, NEVER_N | RETURN},
    {"ret x1", 0xd65f0020, 4, INDIRECT, NEVER_N | RETURN},
    {"retaa", 0xd65f0bff, 4, INDIRECT, NEVER_N | RETURN},
    {"retab", 0xd65f0fff, 4, INDIRECT, NEVER_N | RETURN},
};

/* What stands beside them in the encoding, and what sounds like them. */
static const struct vector a64_other[] = {
    {"nop", 0xd503201f, 4, OTHER, 0},
    {"yield", 0xd503203f, 4, OTHER, 0},
    {"sev", 0xd503209f, 4, OTHER, 0},
    {"bti jc", 0xd50324df, 4, OTHER, 0},
    {"paciasp", 0xd503233f, 4, OTHER, 0},
    {"dsb sy", 0xd5033f9f, 4, OTHER, 0},
    {"dmb ish", 0xd5033bbf, 4, OTHER, 0},
    {"clrex", 0xd5033f5f, 4, OTHER, 0},
    {"sb", 0xd50330ff, 4, OTHER, 0},
    {"tcommit", 0xd503307f, 4, OTHER, 0},
    {"tcancel #1", 0xd4600020, 4, OTHER, 0},
    {"ttest x0", 0xd5233160, 4, OTHER, 0},
    {"svc #0", 0xd4000001, 4, OTHER, 0},
    {"hvc #0", 0xd4000002, 4, OTHER, 0},
    {"smc #0", 0xd4000003, 4, OTHER, 0},
    {"brk #0", 0xd4200000, 4, OTHER, 0},
    {"hlt #0", 0xd4400000, 4, OTHER, 0},
    {"adr x0, .", 0x10000000, 4, OTHER, 0},
    {"add x0, x0, x0", 0x8b000000, 4, OTHER, 0},
    {"ldr x30, [sp]", 0xf94003fe, 4, OTHER, 0},
    {"ldraa x0, [x1]", 0xf8200420, 4, OTHER, 0},
    {"csel x0, x1, x2, eq", 0x9a820020, 4, OTHER, 0},
    {"ccmp x0, x1, #0, eq", 0xfa410000, 4, OTHER, 0},
    {"drps", 0xd6bf03e0, 4, UNDEFINED, 0},
    {"udf #0", 0x00000000, 4, UNDEFINED, 0},
};

static size_t wrong_a64(const struct vector *list, size_t count)
{
    const struct cairn_arch arch = cairn_arch_any_a();

    return vector_wrong(&arch, CAIRN_ISA_A64, list, count);
}

static void a64_p0_instructions(void **state)
{
    (void)state;
    /* proves: D3.1.1, R_LLCQG */
    assert_int_equal(wrong_a64(a64_direct, COUNT(a64_direct)), 0);
    /* proves: D3.1.2 */
    assert_int_equal(wrong_a64(a64_indirect, COUNT(a64_indirect)), 0);
    assert_int_equal(wrong_a64(a64_other, COUNT(a64_other)), 0);
}

/* Every option of ISB, in A64, A32 and T32; and the older form through CP15. */
static void isb_variants(void **state)
{
    const struct cairn_arch any = cairn_arch_any_a();
    const struct cairn_arch m = vector_arch_m();

    (void)state;
    for (uint32_t option = 0; option < 16; option++) {
        const uint32_t a64 = 0xd50330df | option << 8;
        const uint32_t a32 = 0xf57ff060 | option;
        const uint32_t t32 = 0xf3bf8f60 | option;
        assert_int_equal(vector_decode(&any, CAIRN_ISA_A64, 0, a64, 4).kind, ISB);
        assert_int_equal(vector_decode(&any, CAIRN_ISA_A32, 0, a32, 4).kind, ISB);
        assert_int_equal(vector_decode(&any, CAIRN_ISA_T32, 0, t32, 4).kind, ISB);
        assert_int_equal(vector_decode(&m, CAIRN_ISA_T32, 0, t32, 4).kind, ISB);
    }
    for (uint32_t rt = 0; rt < 15; rt++) {
        const uint32_t mcr = 0xee070f95 | rt << 12; /* MCR p15, 0, Rt, c7, c5, 4 */
        /* proves: R_KJTCL */
        assert_int_equal(vector_decode(&any, CAIRN_ISA_A32, 0, mcr, 4).kind, ISB);
        assert_int_equal(vector_decode(&any, CAIRN_ISA_T32, 0, mcr, 4).kind, ISB);
        /* The M profile has no CP15. */
        assert_int_equal(vector_decode(&m, CAIRN_ISA_T32, 0, mcr, 4).kind, OTHER);
    }
    /* MRC is the other direction. */
    assert_int_equal(vector_decode(&any, CAIRN_ISA_A32, 0, 0xee170f95, 4).kind, OTHER);
}

/* Every option of DSB and DMB in A32 and T32, and MCR p15, 0, Rt, c7, c10, 4 and 5. In A64 they are
 * like any other instruction. */
static void barriers(void **state)
{
    const struct cairn_arch any = cairn_arch_any_a();
    const struct cairn_arch m = vector_arch_m();

    (void)state;
    for (uint32_t option = 0; option < 16; option++) {
        const uint32_t a32[] = {0xf57ff040 | option, 0xf57ff050 | option};
        const uint32_t t32[] = {0xf3bf8f40 | option, 0xf3bf8f50 | option};

        for (unsigned i = 0; i < 2; i++) {
            /* proves: PFT-2.2-a */
            assert_int_equal(vector_decode(&any, CAIRN_ISA_A32, 0, a32[i], 4).kind, BARRIER);
            assert_int_equal(vector_decode(&any, CAIRN_ISA_T32, 0, t32[i], 4).kind, BARRIER);
            assert_int_equal(vector_decode(&m, CAIRN_ISA_T32, 0, t32[i], 4).kind, BARRIER);
        }
    }
    for (uint32_t rt = 0; rt < 15; rt++) {
        const uint32_t mcr[] = {0xee070f9a | rt << 12, 0xee070fba | rt << 12};

        for (unsigned i = 0; i < 2; i++) {
            assert_int_equal(vector_decode(&any, CAIRN_ISA_A32, 0, mcr[i], 4).kind, BARRIER);
            assert_int_equal(vector_decode(&any, CAIRN_ISA_T32, 0, mcr[i], 4).kind, BARRIER);
            assert_int_equal(vector_decode(&m, CAIRN_ISA_T32, 0, mcr[i], 4).kind, OTHER);
        }
    }
    /* MRC, and c7, c10, 1: a cache is cleaned. CLREX lies between the barriers. */
    assert_int_equal(vector_decode(&any, CAIRN_ISA_A32, 0, 0xee170f9a, 4).kind, OTHER);
    assert_int_equal(vector_decode(&any, CAIRN_ISA_A32, 0, 0xee070f3a, 4).kind, OTHER);
    assert_int_equal(vector_decode(&any, CAIRN_ISA_A32, 0, 0xf57ff01f, 4).kind, OTHER);
    assert_int_equal(vector_decode(&any, CAIRN_ISA_T32, 0, 0xf3bf8f2f, 4).kind, OTHER);
}

static const struct vector a64_links[] = {
    {"bl .", 0x94000000, 4, DIRECT, NEVER_N | LINK},
    {"blr x0", 0xd63f0000, 4, INDIRECT, NEVER_N | LINK},
    {"blraa x0, x1", 0xd73f0801, 4, INDIRECT, NEVER_N | LINK},
    {"blraaz x0", 0xd63f081f, 4, INDIRECT, NEVER_N | LINK},
    {"blrab x0, x1", 0xd73f0c01, 4, INDIRECT, NEVER_N | LINK},
    {"blrabz x0", 0xd63f0c1f, 4, INDIRECT, NEVER_N | LINK},
    {"b .", 0x14000000, 4, DIRECT, NEVER_N},
    {"br x0", 0xd61f0000, 4, INDIRECT, NEVER_N},
    {"ret", 0xd65f03c0, 4, INDIRECT, NEVER_N | RETURN},
};

static const struct vector a32_links[] = {
    {"bl .", 0xebfffffe, 4, DIRECT, LINK},
    {"blne .", 0x1bfffffe, 4, DIRECT, LINK | COND},
    {"blx .", 0xfafffffe, 4, DIRECT, LINK | EXCHANGE},
    {"blx r3", 0xe12fff33, 4, INDIRECT, LINK},
    {"bx lr", 0xe12fff1e, 4, INDIRECT, RETURN},
    {"b .", 0xeafffffe, 4, DIRECT, 0},
    {"mov pc, lr", 0xe1a0f00e, 4, INDIRECT, RETURN},
};

static const struct vector t32_links[] = {
    {"bl .", 0xf7fffffe, 4, DIRECT, LINK}, {"blx .-4", 0xf7ffeffe, 4, DIRECT, LINK | EXCHANGE},
    {"blx r3", 0x4798, 2, INDIRECT, LINK}, {"bx lr", 0x4770, 2, INDIRECT, RETURN},
    {"b .", 0xe7fe, 2, DIRECT, 0},         {"b.w .", 0xf7ffbffe, 4, DIRECT, 0},
};

static void branches_with_link(void **state)
{
    const struct cairn_arch any = cairn_arch_any_a();

    (void)state;
    /* proves: D3.1.3 */
    assert_int_equal(vector_wrong(&any, CAIRN_ISA_A64, a64_links, COUNT(a64_links)), 0);
    /* proves: D3.2.3 */
    assert_int_equal(vector_wrong(&any, CAIRN_ISA_A32, a32_links, COUNT(a32_links)), 0);
    /* proves: D3.3.3 */
    assert_int_equal(vector_wrong(&any, CAIRN_ISA_T32, t32_links, COUNT(t32_links)), 0);
}

static const struct vector a32_direct[] = {
    {"b .", 0xeafffffe, 4, DIRECT, 0},
    {"bne .", 0x1afffffe, 4, DIRECT, COND},
    {"bl .", 0xebfffffe, 4, DIRECT, LINK},
    {"blx .", 0xfafffffe, 4, DIRECT, LINK | EXCHANGE},
    {"blx .+2", 0xfbfffffe, 4, DIRECT, LINK | EXCHANGE},
    {"isb", 0xf57ff06f, 4, ISB, 0},
    {"mcr p15, 0, r0, c7, c5, 4", 0xee070f95, 4, ISB, 0},
    {"wfe", 0xe320f002, 4, WFX, 0},
    {"wfieq", 0x0320f003, 4, WFX, COND},
};

static const struct vector a32_indirect[] = {
    {"blx r3", 0xe12fff33, 4, INDIRECT, LINK},
    {"bx lr", 0xe12fff1e, 4, INDIRECT, RETURN},
    {"bxne r3", 0x112fff13, 4, INDIRECT, COND},
    {"bxj r3", 0xe12fff23, 4, INDIRECT, 0},
    {"mov pc, lr", 0xe1a0f00e, 4, INDIRECT, RETURN},
    {"mov pc, r1, lsl #2", 0xe1a0f101, 4, INDIRECT, 0},
    {"add pc, pc, r1, lsl #2", 0xe08ff101, 4, INDIRECT, 0},
    {"sub pc, pc, #4", 0xe24ff004, 4, INDIRECT, 0},
    {"mvnne pc, #0", 0x13e0f000, 4, INDIRECT, COND},
    {"subs pc, lr, #4", 0xe25ef004, 4, INDIRECT, ERET},
    {"movs pc, lr", 0xe1b0f00e, 4, INDIRECT, ERET},
    {"eret", 0xe160006e, 4, INDIRECT, ERET},
    {"pop {r4, pc}", 0xe8bd8010, 4, INDIRECT, RETURN},
    {"ldm r0, {r1, pc}", 0xe8908002, 4, INDIRECT, 0},
    {"ldmdb r11, {r11, sp, pc}", 0xe91ba800, 4, INDIRECT, 0},
    {"ldm sp!, {r0, pc}^", 0xe8fd8001, 4, INDIRECT, ERET},
    {"ldr pc, [r0]", 0xe590f000, 4, INDIRECT, 0},
    {"ldr pc, [pc, r1, lsl #2]", 0xe79ff101, 4, INDIRECT, 0},
    {"pop {pc}", 0xe49df004, 4, INDIRECT, RETURN},
    {"rfeia sp!", 0xf8bd0a00, 4, INDIRECT, ERET | NEVER_N},
    {"rfedb r0", 0xf9100a00, 4, INDIRECT, ERET | NEVER_N},
};

static const struct vector a32_other[] = {
    {"nop", 0xe320f000, 4, OTHER, 0},
    {"sev", 0xe320f004, 4, OTHER, 0},
    {"cmp pc, #0", 0xe35f0000, 4, OTHER, 0},
    {"tst r0, #0 (Rd 15)", 0xe310f000, 4, OTHER, 0},
    {"teq r0, r0 (Rd 15)", 0xe130f000, 4, OTHER, 0},
    {"cmp r0, #0 (Rd 15)", 0xe350f000, 4, OTHER, 0},
    {"cmn r0, #0 (Rd 15)", 0xe370f000, 4, OTHER, 0},
    {"msr cpsr_f, r0", 0xe128f000, 4, OTHER, 0},
    {"movw lr, #0", 0xe300e000, 4, OTHER, 0},
    {"clz r0, r0", 0xe16f0f10, 4, OTHER, 0},
    {"mul r0, r1, r2", 0xe0000291, 4, OTHER, 0},
    {"str pc, [r0]", 0xe580f000, 4, OTHER, 0},
    {"ldrb r0, [pc]", 0xe5df0000, 4, OTHER, 0},
    {"stm r0, {r1, pc}", 0xe8808002, 4, OTHER, 0},
    {"ldm r0, {r1, lr}", 0xe8904002, 4, OTHER, 0},
    {"ldm r0, {r1}^", 0xe8d00002, 4, OTHER, 0},
    {"srsia sp!, #19", 0xf8ed0513, 4, OTHER, 0},
    {"svc #0", 0xef000000, 4, OTHER, 0},
    {"hvc #0", 0xe1400070, 4, OTHER, 0},
    {"smc #0", 0xe1600070, 4, OTHER, 0},
    {"bkpt #0", 0xe1200070, 4, OTHER, 0},
    {"dsb sy", 0xf57ff04f, 4, BARRIER, 0},
    {"mrc p15, 0, apsr_nzcv, c7, c14, 3", 0xee17ff7e, 4, OTHER, 0},
    {"udf #0", 0xe7f000f0, 4, UNDEFINED, 0},
};

static size_t wrong_a32(const struct vector *list, size_t count)
{
    const struct cairn_arch arch = cairn_arch_any_a();

    return vector_wrong(&arch, CAIRN_ISA_A32, list, count);
}

static void a32_p0_instructions(void **state)
{
    (void)state;
    /* proves: D3.2.1 */
    assert_int_equal(wrong_a32(a32_direct, COUNT(a32_direct)), 0);
    /* proves: D3.2.2 */
    assert_int_equal(wrong_a32(a32_indirect, COUNT(a32_indirect)), 0);
    assert_int_equal(wrong_a32(a32_other, COUNT(a32_other)), 0);
}

static const struct vector t32_direct[] = {
    {"b .", 0xe7fe, 2, DIRECT, 0},
    {"b.w .", 0xf7ffbffe, 4, DIRECT, 0},
    {"beq .", 0xd0fe, 2, DIRECT, COND},
    {"beq.w .", 0xf43faffe, 4, DIRECT, COND},
    {"bl .", 0xf7fffffe, 4, DIRECT, LINK},
    {"blx .-4", 0xf7ffeffe, 4, DIRECT, LINK | EXCHANGE},
    {"cbz r1, .+4", 0xb101, 2, DIRECT, COND},
    {"cbnz r1, .+4", 0xb901, 2, DIRECT, COND},
    {"isb", 0xf3bf8f6f, 4, ISB, 0},
    {"mcr p15, 0, r0, c7, c5, 4", 0xee070f95, 4, ISB, 0},
    {"wfe", 0xbf20, 2, WFX, 0},
    {"wfi", 0xbf30, 2, WFX, 0},
    {"wfe.w", 0xf3af8002, 4, WFX, 0},
    {"wfi.w", 0xf3af8003, 4, WFX, 0},
};

static const struct vector t32_indirect[] = {
    {"blx r3", 0x4798, 2, INDIRECT, LINK},
    {"bx lr", 0x4770, 2, INDIRECT, RETURN},
    {"bx r3", 0x4718, 2, INDIRECT, 0},
    {"bxj r3", 0xf3c38f00, 4, INDIRECT, 0},
    {"mov pc, r3", 0x469f, 2, INDIRECT, 0},
    {"mov pc, lr", 0x46f7, 2, INDIRECT, RETURN},
    {"add pc, r3", 0x449f, 2, INDIRECT, 0},
    {"subs pc, lr, #4", 0xf3de8f04, 4, INDIRECT, ERET},
    {"eret", 0xf3de8f00, 4, INDIRECT, ERET},
    {"ldm.w r0, {r1, pc}", 0xe8908002, 4, INDIRECT, 0},
    {"ldmdb r0!, {r1, pc}", 0xe9308002, 4, INDIRECT, 0},
    {"pop.w {r4, pc}", 0xe8bd8010, 4, INDIRECT, RETURN},
    {"pop {pc}", 0xbd00, 2, INDIRECT, RETURN},
    {"pop.w {pc}", 0xf85dfb04, 4, INDIRECT, RETURN},
    {"ldr.w pc, [r0, #4]", 0xf8d0f004, 4, INDIRECT, 0},
    {"ldr.w pc, [pc, #-4]", 0xf85ff004, 4, INDIRECT, 0},
    {"ldr pc, [r0, #-4]", 0xf850fc04, 4, INDIRECT, 0},
    {"ldr.w pc, [r0, r1, lsl #2]", 0xf850f021, 4, INDIRECT, 0},
    {"rfedb r0", 0xe810c000, 4, INDIRECT, ERET},
    {"rfeia sp!", 0xe9bdc000, 4, INDIRECT, ERET},
    {"tbb [r0, r1]", 0xe8d0f001, 4, INDIRECT, 0},
    {"tbh [pc, r1, lsl #1]", 0xe8dff011, 4, INDIRECT, 0},
};

static const struct vector t32_other[] = {
    {"nop", 0xbf00, 2, OTHER, 0},
    {"sev", 0xbf40, 2, OTHER, 0},
    {"nop.w", 0xf3af8000, 4, OTHER, 0},
    {"cmp r8, lr", 0x45f0, 2, OTHER, 0},
    {"mov r7, pc", 0x467f, 2, OTHER, 0},
    {"push {lr}", 0xb500, 2, OTHER, 0},
    {"pop {r0}", 0xbc01, 2, OTHER, 0},
    {"svc #0", 0xdf00, 2, OTHER, 0},
    {"bkpt #0", 0xbe00, 2, OTHER, 0},
    {"hvc #0", 0xf7e08000, 4, OTHER, 0},
    {"smc #0", 0xf7f08000, 4, OTHER, 0},
    {"dsb sy", 0xf3bf8f4f, 4, BARRIER, 0},
    {"pld [r0]", 0xf890f000, 4, OTHER, 0},
    {"ldm.w r0, {r1, lr}", 0xe8904002, 4, OTHER, 0},
    {"stmdb sp!, {r1, lr}", 0xe92d4002, 4, OTHER, 0},
    {"ldrex r0, [r1]", 0xe8510f00, 4, OTHER, 0},
    {"mrs r0, cpsr", 0xf3ef8000, 4, OTHER, 0},
    {"udf #0", 0xde00, 2, UNDEFINED, 0},
    {"udf.w #0", 0xf7f0a000, 4, UNDEFINED, 0},
};

static size_t wrong_t32(const struct vector *list, size_t count)
{
    const struct cairn_arch arch = cairn_arch_any_a();

    return vector_wrong(&arch, CAIRN_ISA_T32, list, count);
}

static void t32_p0_instructions(void **state)
{
    (void)state;
    /* proves: D3.3.1 */
    assert_int_equal(wrong_t32(t32_direct, COUNT(t32_direct)), 0);
    /* proves: D3.3.2 */
    assert_int_equal(wrong_t32(t32_indirect, COUNT(t32_indirect)), 0);
    assert_int_equal(wrong_t32(t32_other, COUNT(t32_other)), 0);
}

static void direct_and_indirect(void **state)
{
    const size_t direct = wrong_a64(a64_direct, COUNT(a64_direct)) +
                          wrong_a32(a32_direct, COUNT(a32_direct)) +
                          wrong_t32(t32_direct, COUNT(t32_direct));
    const size_t indirect = wrong_a64(a64_indirect, COUNT(a64_indirect)) +
                            wrong_a32(a32_indirect, COUNT(a32_indirect)) +
                            wrong_t32(t32_indirect, COUNT(t32_indirect));

    /* What is neither is no P0 instruction. */
    const size_t others = wrong_a64(a64_other, COUNT(a64_other)) +
                          wrong_a32(a32_other, COUNT(a32_other)) +
                          wrong_t32(t32_other, COUNT(t32_other));

    (void)state;
    /* proves: R_GFNRJ */
    assert_int_equal(direct, 0);
    /* proves: R_DJMQM */
    assert_int_equal(indirect, 0);
    /* proves: R_PBVZM */
    assert_int_equal(direct + indirect + others, 0);
}

/* How many of a list have N reserved, and how many have not. */
static size_t count_never_n(const struct cairn_arch *arch, enum cairn_isa isa,
                            const struct vector *list, size_t count)
{
    size_t never = 0;

    for (size_t i = 0; i < count; i++)
        never += (vector_decode(arch, isa, 0, list[i].opcode, list[i].size).flags & NEVER_N) != 0;
    return never;
}

static void where_n_is_reserved(void **state)
{
    enum { A64_MAY_BE_N = 10, A32_RFE = 2 };
    const struct cairn_arch any = cairn_arch_any_a();

    (void)state;
    /* All of A64 but B.cond, BC.cond, CBZ, CBNZ, TBZ, TBNZ. */
    /* proves: D3.1.4 */
    assert_int_equal(count_never_n(&any, CAIRN_ISA_A64, a64_direct, COUNT(a64_direct)) +
                         count_never_n(&any, CAIRN_ISA_A64, a64_indirect, COUNT(a64_indirect)),
                     COUNT(a64_direct) + COUNT(a64_indirect) - A64_MAY_BE_N);
    /* RFE only. */
    /* proves: D3.2.4 */
    assert_int_equal(count_never_n(&any, CAIRN_ISA_A32, a32_direct, COUNT(a32_direct)) +
                         count_never_n(&any, CAIRN_ISA_A32, a32_indirect, COUNT(a32_indirect)),
                     A32_RFE);
    /* None. */
    /* proves: D3.3.4 */
    assert_int_equal(count_never_n(&any, CAIRN_ISA_T32, t32_direct, COUNT(t32_direct)) +
                         count_never_n(&any, CAIRN_ISA_T32, t32_indirect, COUNT(t32_indirect)),
                     0);
}

/* WFE, WFET, WFI and WFIT are one kind, which no other instruction has: what TRCIDR2.WFXMODE says
 * holds for all four. TSTART has a kind of its own. */
static void instruction_types(void **state)
{
    static const struct vector types[] = {
        {"b .", 0x14000000, 4, DIRECT, NEVER_N},       {"br x0", 0xd61f0000, 4, INDIRECT, NEVER_N},
        {"isb", 0xd5033fdf, 4, ISB, NEVER_N},          {"wfi", 0xd503207f, 4, WFX, NEVER_N},
        {"tstart x0", 0xd5233060, 4, TSTART, NEVER_N}, {"add x0, x0, x0", 0x8b000000, 4, OTHER, 0},
    };
    static const uint32_t wfx[] = {0xd503205f, 0xd503207f, 0xd5031000, 0xd503103f};
    const struct cairn_arch any = cairn_arch_any_a();
    struct cairn_arch without = any;

    (void)state;
    /* proves: D15.2.3 */
    assert_int_equal(wrong_a64(types, COUNT(types)), 0);
    for (size_t i = 0; i < COUNT(wfx); i++) {
        /* proves: R_BBQHN */
        assert_int_equal(vector_decode(&any, CAIRN_ISA_A64, 0, wfx[i], 4).kind, WFX);
    }
    /* Without FEAT_WFxT there is no WFET and no WFIT. */
    without.features &= ~CAIRN_FEATURE_WFXT;
    assert_int_equal(vector_decode(&without, CAIRN_ISA_A64, 0, wfx[0], 4).kind, WFX);
    assert_int_equal(vector_decode(&without, CAIRN_ISA_A64, 0, wfx[2], 4).kind, OTHER);
    assert_int_equal(vector_decode(&without, CAIRN_ISA_A64, 0, wfx[3], 4).kind, OTHER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a64_p0_instructions),
        cmocka_unit_test(a32_p0_instructions),
        cmocka_unit_test(t32_p0_instructions),
        cmocka_unit_test(isb_variants),
        cmocka_unit_test(barriers),
        cmocka_unit_test(direct_and_indirect),
        cmocka_unit_test(branches_with_link),
        cmocka_unit_test(where_n_is_reserved),
        cmocka_unit_test(instruction_types),
    };

    return cmocka_run_group_tests_name("isa: DDI0608 D3", tests, NULL, NULL);
}
