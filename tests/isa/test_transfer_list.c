/* SPDX-License-Identifier: BSD-2-Clause */
/* Which transfers an instruction makes, in which order: opcodes and registers by hand from the Arm
 * ARM, orders from IHI0014 (4.9, 4.10, 7.4.4, ETMIDR, ETMIDR2). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "transfer_text.h"
#include "vector.h"

struct listed {
    const char *assembly;
    uint32_t opcode;
    uint8_t size;
    const char *transfers; /* transfer_text.h */
};

static size_t wrong(const struct cairn_arch *arch, enum cairn_isa isa, uint32_t order,
                    const struct listed *list, size_t count)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        const struct cairn_insn insn =
            vector_decode(arch, isa, 0x1000, list[i].opcode, list[i].size);
        struct cairn_transfers transfers;
        char text[TRANSFER_TEXT_SIZE];

        cairn_insn_transfers(arch, isa, &insn, order, &transfers);
        transfer_text(&transfers, text);
        if (strcmp(text, list[i].transfers) == 0)
            continue;
        print_message("# %s (%08x): \"%s\", not \"%s\"\n", list[i].assembly, list[i].opcode, text,
                      list[i].transfers);
        found++;
    }
    return found;
}

static size_t wrong_a32(uint32_t order, const struct listed *list, size_t count)
{
    const struct cairn_arch any = cairn_arch_any_a();

    return wrong(&any, CAIRN_ISA_A32, order, list, count);
}

static size_t wrong_t32(const struct listed *list, size_t count)
{
    const struct cairn_arch any = cairn_arch_any_a();

    return wrong(&any, CAIRN_ISA_T32, 0, list, count);
}

static void a32_single(void **state)
{
    static const struct listed list[] = {
        {"ldr r3, [r1, #4]!", 0xe5b13004, 4, "L4:r3@0"},
        {"ldr pc, [r0]", 0xe590f000, 4, "L4:r15@0"},
        {"strbt r0, [r1], #1", 0xe4e10001, 4, "S1:r0@0"},
        {"ldrh r5, [r1]", 0xe1d150b0, 4, "L2:r5@0"},
        {"ldrsbt r2, [r1], #0", 0xe0f120d0, 4, "L1:r2@0"},
        {"ldrsh r0, [r1]", 0xe1d100f0, 4, "L2:r0@0"},
        {"strht r2, [r1], #2", 0xe0e120b2, 4, "S2:r2@0"},
        {"ldrex r1, [r0]", 0xe1901f9f, 4, "L4:r1@0"},
        {"strex r2, r1, [r0]", 0xe1802f91, 4, "S4:r1@0"},
        {"ldrexb r1, [r0]", 0xe1d01f9f, 4, "L1:r1@0"},
        {"strexh r2, r1, [r0]", 0xe1e02f91, 4, "S2:r1@0"},
        {"lda r3, [r0]", 0xe1903c9f, 4, "L4:r3@0"},
        {"stlb r3, [r0]", 0xe1c0fc93, 4, "S1:r3@0"},
        {"mul r0, r1, r2", 0xe0000291, 4, ""},
        {"usat r0, #1, r1", 0xe6e10011, 4, ""},
    };

    (void)state;
    assert_int_equal(wrong_a32(0, list, COUNT(list)), 0);
}

/* ETMIDR[16] clear: ascending addresses; RFE's PC is at the lower one (DDI0406 B9.3.13). */
static void a32_multiple(void **state)
{
    static const struct listed list[] = {
        {"ldmib r0, {r1, r3, r12}", 0xe990100a, 4, "L4:r1@0 L4:r3@4 L4:r12@8"},
        {"stmda r0!, {r2, r4}", 0xe8200014, 4, "S4:r2@0 S4:r4@4"},
        {"ldm sp!, {r0, r1, pc}", 0xe8bd8003, 4, "L4:r0@0 L4:r1@4 L4:r15@8"},
        {"ldm sp, {r0, r1, pc}^", 0xe8dd8003, 4, "L4:r0@0 L4:r1@4 L4:r15@8"},
        {"ldm r0, {r1, r2}^", 0xe8d00006, 4, "L4:r1@0 L4:r2@4 user"},
        {"stm r0, {r1, r2}^", 0xe8c00006, 4, "S4:r1@0 S4:r2@4 user"},
        {"stm r0, {r1, pc}^", 0xe8c08002, 4, "S4:r1@0 S4:r15@4 user"},
        {"ldm r0, {}", 0xe8900000, 4, "unknown"},
        {"push {r0, lr}", 0xe92d4001, 4, "S4:r0@0 S4:r14@4"},
        {"pop {r4}", 0xe49d4004, 4, "L4:r4@0"},
        {"ldrd r4, r5, [r2]", 0xe1c240d0, 4, "L4:r4@0 L4:r5@4"},
        {"strd r6, r7, [r2, r3]", 0xe18260f3, 4, "S4:r6@0 S4:r7@4"},
        {"ldrexd r2, r3, [r0]", 0xe1b02f9f, 4, "L4:r2@0 L4:r3@4"},
        {"strexd r1, r4, r5, [r0]", 0xe1a01f94, 4, "S4:r4@0 S4:r5@4"},
        {"ldaexd r2, r3, [r0]", 0xe1b02e9f, 4, "L4:r2@0 L4:r3@4"},
        {"rfedb r1!", 0xf9310a00, 4, "L4:r15@0 L4:psr@4"},
        {"srsia sp!, #19", 0xf8ed0513, 4, "S4:r14@0 S4:psr@4"},
        {"swp r0, r1, [r2]", 0xe1020091, 4, "L4:r0@0 S4:r1@0"},
        {"swpb r3, r4, [r5]", 0xe1453094, 4, "L1:r3@0 S1:r4@0"},
    };

    (void)state;
    /* proves: ETM3-4.10.1-a, ETM3-4.10.2-a, ETM3-7.4-b */
    assert_int_equal(wrong_a32(0, list, COUNT(list)), 0);
}

static void orders(void **state)
{
    static const struct listed pc_first[] = {
        {"ldm sp!, {r0, r1, pc}", 0xe8bd8003, 4, "L4:r15@8 L4:r0@0 L4:r1@4"},
        {"ldm sp!, {r0, r1}", 0xe8bd0003, 4, "L4:r0@0 L4:r1@4"},
        {"stm r0, {r1, pc}", 0xe8808002, 4, "S4:r1@0 S4:r15@4"},
        {"rfedb r1!", 0xf9310a00, 4, "L4:r15@0 L4:psr@4"},
    };
    static const struct listed store_first[] = {
        {"swp r0, r1, [r2]", 0xe1020091, 4, "S4:r1@0 L4:r0@0"}};
    static const struct listed psr_first[] = {{"rfedb r1!", 0xf9310a00, 4, "L4:psr@4 L4:r15@0"},
                                              {"srsia sp!", 0xf8ed0513, 4, "S4:r14@0 S4:psr@4"}};

    (void)state;
    /* proves: ETM3-7.4.4-c */
    assert_int_equal(wrong_a32(CAIRN_TRANSFERS_PC_FIRST, pc_first, COUNT(pc_first)), 0);
    /* proves: ETM35Q-3.5.49-a */
    assert_int_equal(wrong_a32(CAIRN_TRANSFERS_STORE_FIRST, store_first, COUNT(store_first)), 0);
    assert_int_equal(wrong_a32(CAIRN_TRANSFERS_PSR_FIRST, psr_first, COUNT(psr_first)), 0);
}

static void coprocessors(void **state)
{
    static const struct listed list[] = {
        {"ldc p6, c5, [r1]", 0xed915600, 4, "L4:c5@0 more"},
        {"stcl p6, c5, [r1], #4", 0xece15601, 4, "S4:c5@0 more"},
        {"ldc p14, c5, [r1]", 0xed915e00, 4, "L4:c5@0"},
        {"mcr p15, #0, r2, c7, c10, #4", 0xee072f9a, 4, "T4:r2"},
        {"mrc p15, #0, r3, c13, c0, #1", 0xee1d3f30, 4, "F4:r3"},
        {"mrc p14, #0, apsr_nzcv, c0, c1, #0", 0xee10fe11, 4, "F4:flags"},
        {"mcrr p15, #0, r2, r3, c7", 0xec432f07, 4, "T4:r2 T4:r3 assumed"},
        {"mrrc p15, #1, r4, r5, c14", 0xec554f1e, 4, "F4:r4 F4:r5 assumed"},
        {"mrc2 p6, #0, r2, c1, c2, #0", 0xfe112612, 4, "F4:r2"},
        {"cdp p6, #0, c1, c2, c3, #0", 0xee021603, 4, ""},
        {"svc #0x10", 0xef000010, 4, ""},
        {"clrex", 0xf57ff01f, 4, "unknown"},
        {"pld [r0]", 0xf5d0f000, 4, ""},
    };

    (void)state;
    /* proves: ETM3-4.10.1-a, ETM3-4.10.2-a, ETM3-4.10.2-b */
    assert_int_equal(wrong_a32(0, list, COUNT(list)), 0);
}

static void floats(void **state)
{
    static const struct listed list[] = {
        {"vldr s5, [r1]", 0xedd12a00, 4, "L4:s5@0"},
        {"vldr d17, [r1]", 0xedd11b00, 4, "L4:d17.0@0 L4:d17.1@4"},
        {"vstr.16 s3, [r1]", 0xedc11900, 4, "S2:s3@0"},
        {"vldmia r1!, {s3, s4, s5}", 0xecf11a03, 4, "L4:s3@0 L4:s4@4 L4:s5@8"},
        {"vstmdb r1!, {d16, d17}", 0xed610b04, 4, "S4:d16.0@0 S4:d16.1@4 S4:d17.0@8 S4:d17.1@12"},
        {"fstmdbx r1!, {d16, d17}", 0xed610b05, 4, "S4:d16.0@0 S4:d16.1@4 S4:d17.0@8 S4:d17.1@12"},
        {"vpush {d8}", 0xed2d8b02, 4, "S4:d8.0@0 S4:d8.1@4"},
        {"vpop {s0, s1}", 0xecbd0a02, 4, "L4:s0@0 L4:s1@4"},
        {"vldmia r1!, {s31, s32}", 0xecf1fa02, 4, "unknown"},
        {"vmov s3, r2", 0xee012a90, 4, "T4:r2"},
        {"vmov r2, s3", 0xee112a90, 4, "F4:r2"},
        {"vmov r1, r2, d7", 0xec521b17, 4, "F4:r1 F4:r2 assumed"},
        {"vmov s4, s5, r0, r1", 0xec410a12, 4, "T4:r0 T4:r1 assumed"},
        {"vmov.32 d3[1], r5", 0xee235b10, 4, "T4:r5"},
        {"vdup.32 q2, r6", 0xeea46b10, 4, "T4:r6"},
        {"vmrs apsr_nzcv, fpscr", 0xeef1fa10, 4, "F4:flags"},
        {"vmsr fpscr, r1", 0xeee11a10, 4, "T4:r1"},
        {"vorr d0, d1, d1", 0xf2210111, 4, ""},
        {"vdup.32 d0, d1[1]", 0xf3bc0c01, 4, ""},
        {"vmov.i32 d0, #1", 0xf2800011, 4, ""},
        {"vmov.f32 s0, s1", 0xeeb00a60, 4, ""},
        {"vdot", 0xfe200d10, 4, ""},
    };

    (void)state;
    /* proves: ETM3-4.10.1-a, ETM3-4.10.2-a, ETM3-4.10.2-b */
    assert_int_equal(wrong_a32(0, list, COUNT(list)), 0);
}

/* 4.9.1: with B or E set the word at the lower address is the higher half. Core registers, and
 * single-precision ones, stay in order. */
static void big_endian(void **state)
{
    static const struct listed list[] = {
        {"vldr d17, [r1]", 0xedd11b00, 4, "L4:d17.1@0 L4:d17.0@4"},
        {"vstmdb r1!, {d16, d17}", 0xed610b04, 4, "S4:d16.1@0 S4:d16.0@4 S4:d17.1@8 S4:d17.0@12"},
        {"vpop {s0, s1}", 0xecbd0a02, 4, "L4:s0@0 L4:s1@4"},
        {"ldrd r4, r5, [r2]", 0xe1c240d0, 4, "L4:r4@0 L4:r5@4"},
        {"vld1.64 {d4}, [r0]", 0xf42047cf, 4, "L4:d4.1@0 L4:d4.0@4 assumed"},
        {"vld1.32 {d4}, [r0]", 0xf420478f, 4, "L4:d4.0@0 L4:d4.1@4 assumed"},
    };

    (void)state;
    assert_int_equal(wrong_a32(CAIRN_TRANSFERS_BIG_ENDIAN, list, COUNT(list)), 0);
}

static void elements(void **state)
{
    static const struct listed list[] = {
        {"vld1.32 {d1, d2}, [r0]", 0xf4201a8f, 4,
         "L4:d1.0@0 L4:d1.1@4 L4:d2.0@8 L4:d2.1@12 assumed"},
        {"vld1.64 {d4}, [r0]", 0xf42047cf, 4, "L4:d4.0@0 L4:d4.1@4 assumed"},
        {"vld2.32 {d0, d2}, [r0]", 0xf420098f, 4,
         "L4:d0.0@0 L4:d2.0@4 L4:d0.1@8 L4:d2.1@12 assumed"},
        {"vld2.32 {d0, d1, d2, d3}, [r0]", 0xf420038f, 4,
         "L4:d0.0@0 L4:d2.0@4 L4:d0.1@8 L4:d2.1@12 L4:d1.0@16 L4:d3.0@20 L4:d1.1@24 L4:d3.1@28 "
         "assumed"},
        {"vst3.8 {d0, d1, d2}, [r0]", 0xf400040f, 4,
         "S4:d0+@0 S4:d0+@4 S4:d0+@8 S4:d0+@12 S4:d0+@16 S4:d0+@20 assumed"},
        {"vld4.16 {d0[2], d2[2], d4[2], d6[2]}, [r0]", 0xf4a007af, 4,
         "L2:d0.2@0 L2:d2.2@2 L2:d4.2@4 L2:d6.2@6 assumed"},
        {"vst1.8 {d20[7]}, [r0]", 0xf4c040ef, 4, "S1:d20.7@0 assumed"},
        {"vld3.32 {d0[], d1[], d2[]}, [r0]", 0xf4a00e8f, 4,
         "L4:d0.*@0 L4:d1.*@4 L4:d2.*@8 assumed"},
        {"vst1 to all lanes: undefined", 0xf4800e8f, 4, "unknown"},
        {"vld4.32 {d30, ...}: beyond d31", 0xf460e08f, 4, "unknown"},
    };

    (void)state;
    /* proves: ETM3-4.10.1-a */
    assert_int_equal(wrong_a32(0, list, COUNT(list)), 0);
}

static void t16(void **state)
{
    static const struct listed list[] = {
        {"ldr r3, [pc, #4]", 0x4b01, 2, "L4:r3@0"},
        {"str r1, [sp, #8]", 0x9102, 2, "S4:r1@0"},
        {"str r2, [r3, r4]", 0x511a, 2, "S4:r2@0"},
        {"strh r2, [r3, r4]", 0x531a, 2, "S2:r2@0"},
        {"strb r2, [r3, r4]", 0x551a, 2, "S1:r2@0"},
        {"ldrsb r2, [r3, r4]", 0x571a, 2, "L1:r2@0"},
        {"ldr r2, [r3, r4]", 0x591a, 2, "L4:r2@0"},
        {"ldrh r2, [r3, r4]", 0x5b1a, 2, "L2:r2@0"},
        {"ldrb r2, [r3, r4]", 0x5d1a, 2, "L1:r2@0"},
        {"ldrsh r2, [r3, r4]", 0x5f1a, 2, "L2:r2@0"},
        {"ldrb r2, [r3, #1]", 0x785a, 2, "L1:r2@0"},
        {"strh r2, [r3, #2]", 0x805a, 2, "S2:r2@0"},
        {"ldr r2, [r3, #4]", 0x685a, 2, "L4:r2@0"},
        {"push {r0, r7, lr}", 0xb581, 2, "S4:r0@0 S4:r7@4 S4:r14@8"},
        {"pop {r1, pc}", 0xbd02, 2, "L4:r1@0 L4:r15@4"},
        {"stm r0!, {r1, r2}", 0xc006, 2, "S4:r1@0 S4:r2@4"},
        {"ldm r0!, {r1, r2}", 0xc806, 2, "L4:r1@0 L4:r2@4"},
        {"adds r0, r1, r2", 0x1888, 2, ""},
        {"bx lr", 0x4770, 2, ""},
    };

    (void)state;
    assert_int_equal(wrong_t32(list, COUNT(list)), 0);
}

static void t32(void **state)
{
    static const struct listed list[] = {
        {"ldrsh.w r9, [r1]", 0xf9b19000, 4, "L2:r9@0"},
        {"strb.w r9, [r1]", 0xf8819000, 4, "S1:r9@0"},
        {"ldrt r3, [r1]", 0xf8513e00, 4, "L4:r3@0"},
        {"ldm.w r0, {r1, r8, pc}", 0xe8908102, 4, "L4:r1@0 L4:r8@4 L4:r15@8"},
        {"stmdb r0!, {r1, r8}", 0xe9200102, 4, "S4:r1@0 S4:r8@4"},
        {"rfeia r3", 0xe993c000, 4, "L4:r15@0 L4:psr@4"},
        {"srsdb sp!, #19", 0xe82dc013, 4, "S4:r14@0 S4:psr@4"},
        {"ldrd r0, r3, [r2]", 0xe9d20300, 4, "L4:r0@0 L4:r3@4"},
        {"strd r1, r4, [r2], #8", 0xe8e21402, 4, "S4:r1@0 S4:r4@4"},
        {"strex r5, r1, [r2, #4]", 0xe8421501, 4, "S4:r1@0"},
        {"ldrex r1, [r2]", 0xe8521f00, 4, "L4:r1@0"},
        {"ldrexd r1, r6, [r2]", 0xe8d2167f, 4, "L4:r1@0 L4:r6@4"},
        {"strexd r3, r1, r6, [r2]", 0xe8c21673, 4, "S4:r1@0 S4:r6@4"},
        {"ldrexh r1, [r2]", 0xe8d21f5f, 4, "L2:r1@0"},
        {"strexb r3, r1, [r2]", 0xe8c21f43, 4, "S1:r1@0"},
        {"ldab r1, [r2]", 0xe8d21f8f, 4, "L1:r1@0"},
        {"stlexd r3, r1, r6, [r2]", 0xe8c216f3, 4, "S4:r1@0 S4:r6@4"},
        {"tbb [r0, r1]", 0xe8d0f001, 4, "L1:-@0"},
        {"tbh [r0, r1, lsl #1]", 0xe8d0f011, 4, "L2:-@0"},
        {"vldr d17, [r1]", 0xedd11b00, 4, "L4:d17.0@0 L4:d17.1@4"},
        {"vld1.16 {d0[3]}, [r0]", 0xf9a004cf, 4, "L2:d0.3@0 assumed"},
        {"stc2 p6, c5, [r1]", 0xfd815600, 4, "S4:c5@0 more"},
        {"mcr p15, #0, r2, c7, c10, #4", 0xee072f9a, 4, "T4:r2"},
        {"clrex", 0xf3bf8f2f, 4, "unknown"},
        {"pld [r0]", 0xf890f000, 4, ""},
        {"b.w", 0xf000b800, 4, ""},
    };

    (void)state;
    /* proves: ETM3-4.10.1-a, ETM3-4.10.2-a */
    assert_int_equal(wrong_t32(list, COUNT(list)), 0);
}

/* What later profiles have made of the space of coprocessors is not guessed at. */
static void not_known(void **state)
{
    static const struct listed m[] = {
        {"vldrw.u32 q0, [r0]", 0xed901f00, 4, "unknown"},
        {"vst20.8 {q0, q1}, [r0]", 0xfc801e00, 4, "unknown"},
        {"vlstm r0", 0xec200a00, 4, "unknown"},
        {"vldr s5, [r1]", 0xedd12a00, 4, "L4:s5@0"},
        {"vldr.16 s3, [r1]", 0xedd11900, 4, "L2:s3@0"},
        {"clrm {r0}", 0xe89f0001, 4, ""},
        {"sg", 0xe97fe97f, 4, ""},
        {"vscclrm {s0, vpr}", 0xec9f0a01, 4, ""},
        {"vmul.i8 q0, q0, q0", 0xef000950, 4, ""},
        {"vadd.i32 q0, q0, r1", 0xee211f41, 4, ""},
    };
    static const struct listed a64[] = {{"ldr x0, [x1]", 0xf9400020, 4, "unknown"},
                                        {"add x0, x1, x2", 0x8b020020, 4, ""}};
    const struct cairn_arch any = cairn_arch_any_a();
    const struct cairn_arch v8m = vector_arch_m();

    (void)state;
    assert_int_equal(wrong(&v8m, CAIRN_ISA_T32, 0, m, COUNT(m)), 0);
    assert_int_equal(wrong(&any, CAIRN_ISA_A64, 0, a64, COUNT(a64)), 0);
}

/* splitmix64 */
static uint64_t next(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint32_t memory_flags(const struct cairn_transfers *transfers)
{
    uint32_t flags = 0;

    for (unsigned i = 0; i < transfers->count; i++) {
        if (transfers->list[i].kind == CAIRN_TRANSFER_LOAD)
            flags |= CAIRN_INSN_LOAD;
        if (transfers->list[i].kind == CAIRN_TRANSFER_STORE)
            flags |= CAIRN_INSN_STORE;
    }
    return flags;
}

/* What the classifier says a word reads and writes is what its transfers read and write, and the
 * order changes nothing but the order. */
static void agrees_with_flags(void **state)
{
    const struct cairn_arch archs[] = {
        cairn_arch_any_a(), vector_arch_m(), {CAIRN_PROFILE_A, 5, 0, 0}};
    const uint32_t memory = CAIRN_INSN_LOAD | CAIRN_INSN_STORE;
    uint64_t seed = 1;
    unsigned long known = 0;

    (void)state;
    for (unsigned i = 0; i < 600000; i++) {
        const uint64_t dice = next(&seed);
        const enum cairn_isa isa = dice & 1 ? CAIRN_ISA_A32 : CAIRN_ISA_T32;
        const struct cairn_arch *arch = &archs[(dice >> 1) % COUNT(archs)];
        const uint8_t bytes[] = {(uint8_t)(dice >> 32), (uint8_t)(dice >> 40),
                                 (uint8_t)(dice >> 48), (uint8_t)(dice >> 56)};
        struct cairn_transfers transfers;
        struct cairn_transfers turned;
        struct cairn_insn insn;

        assert_int_not_equal(cairn_insn_decode(arch, isa, 0, bytes, sizeof bytes, &insn), 0);
        cairn_insn_transfers(arch, isa, &insn, 0, &transfers);
        cairn_insn_transfers(arch, isa, &insn, 0xf, &turned);
        assert_int_equal(turned.count, transfers.count);
        assert_int_equal(turned.flags, transfers.flags);
        if (transfers.flags & CAIRN_TRANSFERS_UNKNOWN) {
            assert_int_equal(transfers.count, 0);
            continue;
        }
        known += transfers.count != 0;
        assert_int_equal(memory_flags(&transfers), insn.flags & memory);
        assert_int_equal(memory_flags(&turned), insn.flags & memory);
    }
    assert_true(known > 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a32_single),
                                       cmocka_unit_test(a32_multiple),
                                       cmocka_unit_test(orders),
                                       cmocka_unit_test(coprocessors),
                                       cmocka_unit_test(floats),
                                       cmocka_unit_test(big_endian),
                                       cmocka_unit_test(elements),
                                       cmocka_unit_test(t16),
                                       cmocka_unit_test(t32),
                                       cmocka_unit_test(not_known),
                                       cmocka_unit_test(agrees_with_flags)};

    return cmocka_run_group_tests_name("isa: lists of transfers", tests, NULL, NULL);
}
