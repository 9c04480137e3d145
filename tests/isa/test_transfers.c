/* SPDX-License-Identifier: BSD-2-Clause */
/* What reads and what writes memory, one word a class of the Arm ARM's load and store tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vector.h"

#define NONE 0
#define LOAD CAIRN_INSN_LOAD
#define STORE CAIRN_INSN_STORE
#define BOTH (CAIRN_INSN_LOAD | CAIRN_INSN_STORE)

struct transfer {
    const char *text;
    uint32_t opcode;
    uint8_t size;
    uint32_t flags;
};

static const struct transfer a64[] = {
    {"ldr x0, [x1]", 0xf9400020, 4, LOAD},
    {"strb w0, [x1], #1", 0x38001420, 4, STORE},
    {"ldrsw x0, [x1, x2]", 0xb8a26820, 4, LOAD},
    {"ldr x0, .", 0x58000000, 4, LOAD},
    {"prfm pldl1keep, .", 0xd8000000, 4, NONE},
    {"prfm pldl1keep, [x1]", 0xf9800020, 4, NONE},
    {"ldp x0, x1, [sp], #16", 0xa8c107e0, 4, LOAD},
    {"stp q0, q1, [sp]", 0xad0007e0, 4, STORE},
    {"str q0, [x1]", 0x3d800020, 4, STORE},
    {"ldr q0, [x1]", 0x3dc00020, 4, LOAD},
    {"ldxr x0, [x1]", 0xc85f7c20, 4, LOAD},
    {"stlr x0, [x1]", 0xc89ffc20, 4, STORE},
    {"cas x0, x1, [x2]", 0xc8a07c41, 4, BOTH},
    {"ldadd x0, x1, [x2]", 0xf8200041, 4, BOTH},
    {"swp x0, x1, [x2]", 0xf8208041, 4, BOTH},
    {"ldapr x0, [x1]", 0xf8bfc020, 4, LOAD},
    {"ldraa x0, [x1]", 0xf8200420, 4, LOAD},
    {"ld1 {v0.16b}, [x0]", 0x4c407000, 4, LOAD},
    {"st1 {v0.16b}, [x0]", 0x4c007000, 4, STORE},
    {"stg x0, [x1]", 0xd9200820, 4, NONE},
    {"stzg x0, [x1]", 0xd9600820, 4, STORE},
    {"cpyp [x0]!, [x1]!, x2!", 0x1d010440, 4, BOTH},
    {"setp [x0]!, x1!, x2", 0x19c20420, 4, STORE},
    {"ld1w {z0.s}, p0/z, [x0]", 0xa540a000, 4, LOAD},
    {"st1w {z0.s}, p0, [x0]", 0xe540e000, 4, STORE},
    {"prfw pldl1keep, p0, [x0]", 0x85c04000, 4, NONE},
    {"add x0, x1, x2", 0x8b020020, 4, NONE},
    {"dc zva, x0", 0xd50b7420, 4, NONE},
};

static const struct transfer a32[] = {
    {"ldr r0, [r1]", 0xe5910000, 4, LOAD},
    {"strb r0, [r1], #1", 0xe4c10001, 4, STORE},
    {"ldr pc, [r0]", 0xe590f000, 4, LOAD},
    {"ldrd r0, r1, [r2]", 0xe1c200d0, 4, LOAD},
    {"strd r0, r1, [r2]", 0xe1c200f0, 4, STORE},
    {"ldrsh r0, [r1]", 0xe1d100f0, 4, LOAD},
    {"swp r0, r1, [r2]", 0xe1020091, 4, BOTH},
    {"ldrex r0, [r1]", 0xe1910f9f, 4, LOAD},
    {"strex r0, r1, [r2]", 0xe1820f91, 4, STORE},
    {"mul r0, r1, r2", 0xe0000291, 4, NONE},
    {"push {r0, lr}", 0xe92d4001, 4, STORE},
    {"pop {r0, pc}", 0xe8bd8001, 4, LOAD},
    {"rfeia sp!", 0xf8bd0a00, 4, LOAD},
    {"srsia sp!, #19", 0xf8ed0513, 4, STORE},
    {"vldr d0, [r0]", 0xed900b00, 4, LOAD},
    {"vmov d0, r0, r1", 0xec410b10, 4, NONE},
    {"vld1.8 {d0}, [r0]", 0xf420070f, 4, LOAD},
    {"vst1.8 {d0}, [r0]", 0xf400070f, 4, STORE},
    {"pld [r0]", 0xf5d0f000, 4, NONE},
    {"usat r0, #1, r1", 0xe6e10011, 4, NONE},
};

static const struct transfer t32[] = {
    {"ldr r0, [r1]", 0x6808, 2, LOAD},
    {"strh r0, [r1, r2]", 0x5288, 2, STORE},
    {"ldrsb r0, [r1, r2]", 0x5688, 2, LOAD},
    {"ldr r0, [pc]", 0x4800, 2, LOAD},
    {"push {r0}", 0xb401, 2, STORE},
    {"pop {r0, pc}", 0xbd01, 2, LOAD},
    {"stm r0!, {r1}", 0xc002, 2, STORE},
    {"ldm r0!, {r1}", 0xc802, 2, LOAD},
    {"cbz r1, .+4", 0xb101, 2, NONE},
    {"add sp, #4", 0xb001, 2, NONE},
    {"tbb [r0, r1]", 0xe8d0f001, 4, LOAD},
    {"ldrd r0, r1, [r2]", 0xe9d20100, 4, LOAD},
    {"strex r0, r1, [r2]", 0xe8421000, 4, STORE},
    {"ldrb.w r0, [r1]", 0xf8910000, 4, LOAD},
    {"pld [r0]", 0xf890f000, 4, NONE},
    {"pli [r0]", 0xf990f000, 4, NONE},
    {"vld1.8 {d0}, [r0]", 0xf920070f, 4, LOAD},
    {"vcmla.f32 q0, q0, q0, #0", 0xfc300840, 4, NONE},
};

static const struct transfer t32_m[] = {
    {"tt r0, r1", 0xe841f000, 4, NONE},          {"sg", 0xe97fe97f, 4, NONE},
    {"vscclrm {s0, vpr}", 0xec9f0a01, 4, NONE},  {"clrm {r0}", 0xe89f0001, 4, NONE},
    {"vldrw.u32 q0, [r0]", 0xed901f00, 4, LOAD}, {"vst20.8 {q0, q1}, [r0]", 0xfc801e00, 4, STORE},
};

static size_t wrong(const struct cairn_arch *arch, enum cairn_isa isa, const struct transfer *list,
                    size_t count)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        const struct cairn_insn insn = vector_decode(arch, isa, 0, list[i].opcode, list[i].size);
        if ((insn.flags & BOTH) == list[i].flags)
            continue;
        print_message("# %s (%08x): flags %#x\n", list[i].text, list[i].opcode, insn.flags);
        found++;
    }
    return found;
}

static void transfers(void **state)
{
    const struct cairn_arch any = cairn_arch_any_a();
    const struct cairn_arch m = vector_arch_m();

    (void)state;
    assert_int_equal(wrong(&any, CAIRN_ISA_A64, a64, COUNT(a64)), 0);
    assert_int_equal(wrong(&any, CAIRN_ISA_A32, a32, COUNT(a32)), 0);
    assert_int_equal(wrong(&any, CAIRN_ISA_T32, t32, COUNT(t32)), 0);
    assert_int_equal(wrong(&m, CAIRN_ISA_T32, t32_m, COUNT(t32_m)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(transfers)};

    return cmocka_run_group_tests_name("isa: transfers", tests, NULL, NULL);
}
