/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of instructions (src/pipeline/disasm.h). The opcodes were encoded by hand from the Arm
 * ARM; the text is what the assembler takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pipeline/disasm.h"

#define BASE UINT64_C(0x8000)

static const char *const nowhere[] = {"libcairn-test-has-no-such-library.so.0", NULL};

static struct cairn_arch arch_of(enum cairn_profile profile, uint8_t major, uint8_t minor)
{
    struct cairn_arch arch = cairn_arch_any_a();
    arch.profile = profile;
    arch.major = major;
    arch.minor = minor;
    return arch;
}

static struct cairn_insn decode(const struct cairn_arch *arch, enum cairn_isa isa, uint64_t address,
                                uint32_t opcode, unsigned size)
{
    uint8_t bytes[4];
    uint32_t stored = opcode;
    if (isa == CAIRN_ISA_T32 && size == 4)
        stored = opcode >> 16 | opcode << 16;
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(stored >> 8 * i);
    struct cairn_insn insn;
    assert_int_equal(cairn_insn_decode(arch, isa, address, bytes, size, &insn), size);
    assert_int_equal(insn.opcode, opcode);
    return insn;
}

static void expect(struct cairn_disasm *disasm, const struct cairn_arch *arch, enum cairn_isa isa,
                   uint64_t address, uint32_t opcode, unsigned size, const char *expected)
{
    const struct cairn_insn insn = decode(arch, isa, address, opcode, size);
    char text[128];
    cairn_disassemble(disasm, arch, isa, address, &insn, text, sizeof text);
    assert_string_equal(text, expected);
}

static int open_llvm(void **state)
{
    *state = cairn_disasm_new();
    return *state ? 0 : -1;
}

static int close_llvm(void **state)
{
    cairn_disasm_free(*state);
    return 0;
}

static struct cairn_disasm *llvm(void **state)
{
    if (!cairn_disasm_has_names(*state)) {
        print_message("# skipped: LLVM is not installed (Debian: libllvm19)\n");
        skip();
    }
    return *state;
}

static void a64(void **state)
{
    struct cairn_disasm *const d = llvm(state);
    const struct cairn_arch arch = arch_of(CAIRN_PROFILE_A, 9, 5);
    const struct {
        uint32_t opcode;
        const char *text;
    } list[] = {
        {0xd503201f, "nop"},
        {0xd65f03c0, "ret"},
        {0xd65f0bff, "retaa"},
        {0x91000421, "add x1, x1, #0x1"},
        {0x14000004, "b 0x8010"},
        {0x97ffffff, "bl 0x7ffc"},
        {0x54000040, "b.eq 0x8008"},
        {0x54000050, "bc.eq 0x8008"},
        {0xb4ffffe0, "cbz x0, 0x7ffc"},
        {0x36180040, "tbz w0, #0x3, 0x8008"},
        {0x10000080, "adr x0, 0x8010"},
        {0x30ffffe1, "adr x1, 0x7ffd"},
        {0xb0000000, "adrp x0, 0x9000"},
        {0xf0ffffe0, "adrp x0, 0x7000"},
        {0x58000040, "ldr x0, 0x8008"},
        {0x98ffffe0, "ldrsw x0, 0x7ffc"},
        {0xf9400420, "ldr x0, [x1, #0x8]"},
        {0x00000000, "udf #0x0"},
        {0xd5233060, "tstart x0"},
        /* CBGT W0, W0: which LLVM knows from 20 on, and Cairn itself; and what no one knows. */
        {0x74000000, "cbgt w0, w0, 0x8000"},
        {0x7400bfe1, "cbbgt w1, w0, 0x7ffc"},
        {0xf501bfe1, "cbgt x1, #0x3, 0x7ffc"},
        {0x5500003f, "retaasppc 0x7ffc"},
        {0xd5233161, "ttest x1"}, /* a system register in versions that have no transactions */
        {0xd503307f, "tcommit"},
        {0xffffffff, ".inst 0xffffffff"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        expect(d, &arch, CAIRN_ISA_A64, BASE, list[i].opcode, 4, list[i].text);
    expect(d, &arch, CAIRN_ISA_A64, 0xffff800008000000, 0x14000001, 4, "b 0xffff800008000004");
}

static void a32(void **state)
{
    struct cairn_disasm *const d = llvm(state);
    const struct cairn_arch v8 = arch_of(CAIRN_PROFILE_A, 8, 0);
    const struct cairn_arch v7 = arch_of(CAIRN_PROFILE_A, 7, 0);
    expect(d, &v8, CAIRN_ISA_A32, BASE, 0xea000002, 4, "b 0x8010");
    expect(d, &v8, CAIRN_ISA_A32, BASE, 0x0bfffffd, 4, "bleq 0x7ffc");
    expect(d, &v8, CAIRN_ISA_A32, BASE, 0xfa000000, 4, "blx 0x8008");
    expect(d, &v8, CAIRN_ISA_A32, BASE, 0xe12fff1e, 4, "bx lr");
    expect(d, &v8, CAIRN_ISA_A32, BASE, 0xe59f0004, 4, "ldr r0, [pc, #0x4]");
    expect(d, &v8, CAIRN_ISA_A32, BASE, 0xf8bd0a00, 4, "rfeia sp!"); /* LLVM: "rfeia #0x1!" */
    /* SWP left the architecture with Armv8. */
    expect(d, &v8, CAIRN_ISA_A32, BASE, 0xe1010092, 4, ".inst 0xe1010092");
    expect(d, &v7, CAIRN_ISA_A32, BASE, 0xe12fff1e, 4, "bx lr");
}

static void t32(void **state)
{
    struct cairn_disasm *const d = llvm(state);
    const struct cairn_arch a = arch_of(CAIRN_PROFILE_A, 8, 0);
    const struct cairn_arch m = arch_of(CAIRN_PROFILE_M, 8, 1);
    expect(d, &a, CAIRN_ISA_T32, BASE, 0xe002, 2, "b 0x8008");
    expect(d, &a, CAIRN_ISA_T32, BASE, 0xd0fe, 2, "beq 0x8000");
    expect(d, &a, CAIRN_ISA_T32, BASE, 0xb118, 2, "cbz r0, 0x800a");
    expect(d, &a, CAIRN_ISA_T32, BASE, 0xf000f802, 4, "bl 0x8008");
    expect(d, &a, CAIRN_ISA_T32, BASE, 0x4770, 2, "bx lr");
    expect(d, &a, CAIRN_ISA_T32, BASE, 0xde00, 2, "udf #0x0");
    expect(d, &a, CAIRN_ISA_T32, BASE, 0xdefe, 2, "udf #0xfe"); /* LLVM: "trap" */
    expect(d, &a, CAIRN_ISA_T32, BASE, 0xf7f0a000, 4, "udf.w #0x0");
    /* DLS LR, R0 and LE LR, label (T1: immh 10:1, imml 11) are there in Armv8.1-M only. */
    expect(d, &m, CAIRN_ISA_T32, BASE, 0xf040e001, 4, "dls lr, r0");
    expect(d, &m, CAIRN_ISA_T32, BASE, 0xf00fc003, 4, "le lr, 0x8000");
    expect(d, &a, CAIRN_ISA_T32, BASE, 0xf040e001, 4, ".inst.w 0xf040e001");
}

static void it_blocks(void **state)
{
    struct cairn_disasm *const d = llvm(state);
    const struct cairn_arch arch = arch_of(CAIRN_PROFILE_M, 8, 1);
    /* The text of an instruction does not depend on what was printed before it. */
    expect(d, &arch, CAIRN_ISA_T32, BASE, 0xbf08, 2, "it eq");
    expect(d, &arch, CAIRN_ISA_T32, BASE + 2, 0x2001, 2, "movs r0, #0x1");
    expect(d, &arch, CAIRN_ISA_T32, BASE, 0xfe710f4d, 4, "vpst");
    expect(d, &arch, CAIRN_ISA_T32, BASE + 4, 0xef220844, 4, "vadd.i32 q0, q1, q2");
    /* ITE EQ: 0x0c; its second instruction has 0x18 (ITAdvance). */
    cairn_disasm_in_it(d, 0x0c);
    expect(d, &arch, CAIRN_ISA_T32, BASE, 0x2001, 2, "moveq r0, #0x1");
    cairn_disasm_in_it(d, 0x18);
    expect(d, &arch, CAIRN_ISA_T32, BASE, 0x2001, 2, "movne r0, #0x1");
    expect(d, &arch, CAIRN_ISA_T32, BASE, 0x2001, 2, "movs r0, #0x1");
}

static void it_found_behind(void **state)
{
    (void)state;
    /* itte eq; mov.w (4 bytes); moveq; movne */
    const uint8_t code[] = {0x06, 0xbf, 0x4f, 0xf0, 0x01, 0x00, 0x01, 0x20, 0x02, 0x20, 0x03, 0x20};
    assert_int_equal(cairn_disasm_it_behind(code, 0), 0);
    assert_int_equal(cairn_disasm_it_behind(code, 2), 0x06);
    assert_int_equal(cairn_disasm_it_behind(code, 6), 0x0c);
    assert_int_equal(cairn_disasm_it_behind(code, 8), 0x18);
    assert_int_equal(cairn_disasm_it_behind(code, 10), 0);
    /* In the middle of the 32-bit instruction is no instruction. */
    assert_int_equal(cairn_disasm_it_behind(code, 4), 0);
    /* The second half of b.w looks like IT EQ, and is none; behind bl there is a real one. */
    const uint8_t branch[] = {0x00, 0x20, 0xff, 0xf7, 0x08, 0xbf};
    assert_int_equal(cairn_disasm_it_behind(branch, sizeof branch), 0);
    const uint8_t call[] = {0x00, 0x20, 0x00, 0xf0, 0x02, 0xf8, 0x08, 0xbf};
    assert_int_equal(cairn_disasm_it_behind(call, sizeof call), 0x08);
    /* IT with four instructions of 32 bits: the fourth begins 14 bytes behind the IT's start. */
    uint8_t longest[14] = {0x01, 0xbf};
    for (size_t i = 2; i < sizeof longest; i += 4)
        memcpy(longest + i, "\x4f\xf0\x01\x00", 4);
    assert_int_equal(cairn_disasm_it_behind(longest, sizeof longest), 0x08);
}

/* What Cairn knows itself. The text of other instructions is the opcode. */
static void without_llvm(void **state)
{
    (void)state;
    struct cairn_disasm *const d = cairn_disasm_new_from(nowhere);
    const struct cairn_arch arch = arch_of(CAIRN_PROFILE_A, 8, 0);
    assert_false(cairn_disasm_has_names(d));
    assert_null(cairn_disasm_name(d));
    expect(d, &arch, CAIRN_ISA_A64, BASE, 0xd503201f, 4, "nop");
    expect(d, &arch, CAIRN_ISA_A64, BASE, 0x91000421, 4, ".inst 0x91000421");
    expect(d, &arch, CAIRN_ISA_A64, BASE, 0x14000004, 4, "b 0x8010");
    expect(d, &arch, CAIRN_ISA_A32, BASE, 0xea000002, 4, "b 0x8010");
    expect(d, &arch, CAIRN_ISA_A32, BASE, 0xe0800001, 4, ".inst 0xe0800001");
    expect(d, &arch, CAIRN_ISA_T32, BASE, 0xf000f802, 4, "bl 0x8008");
    expect(d, &arch, CAIRN_ISA_T32, BASE, 0xeb000001, 4, ".inst.w 0xeb000001");
    expect(d, &arch, CAIRN_ISA_T32, BASE, 0x4770, 2, "bx lr");
    expect(d, &arch, CAIRN_ISA_T32, BASE, 0x2001, 2, ".inst.n 0x2001");
    cairn_disasm_in_it(d, 0x18); /* NE */
    expect(d, &arch, CAIRN_ISA_T32, BASE, 0x4770, 2, "bxne lr");
    expect(d, &arch, CAIRN_ISA_T32, BASE, 0x4770, 2, "bx lr");
    expect(d, NULL, CAIRN_ISA_T32, BASE, 0xdf07, 2, "svc #0x7");
    expect(NULL, &arch, CAIRN_ISA_T32, BASE, 0x4770, 2, "bx lr");
    expect(NULL, &arch, CAIRN_ISA_T32, BASE, 0x2001, 2, ".inst.n 0x2001");
    cairn_disasm_free(d);
}

/* A library that is there and is no LLVM, or too old a one, is passed over. */
static void unfit_libraries(void **state)
{
    static const char *const unfit[] = {"libc.so.6", "libm.so.6", NULL};
    static const char *const behind[] = {"libc.so.6", "libLLVM.so.19.1", "libLLVM-14.so.1", NULL};
    struct cairn_disasm *d = cairn_disasm_new_from(unfit);
    const struct cairn_arch arch = arch_of(CAIRN_PROFILE_A, 8, 0);
    assert_false(cairn_disasm_has_names(d));
    expect(d, &arch, CAIRN_ISA_A64, BASE, 0xd65f03c0, 4, "ret");
    cairn_disasm_free(d);
    (void)llvm(state);
    d = cairn_disasm_new_from(behind);
    if (cairn_disasm_has_names(d))
        expect(d, &arch, CAIRN_ISA_A64, BASE, 0x91000421, 4, "add x1, x1, #0x1");
    cairn_disasm_free(d);
}

static void short_buffers(void **state)
{
    const struct cairn_arch arch = arch_of(CAIRN_PROFILE_A, 8, 0);
    const struct cairn_insn insn = decode(&arch, CAIRN_ISA_A64, BASE, 0x14000004, 4);
    char text[4] = "xyz";
    cairn_disassemble(*state, &arch, CAIRN_ISA_A64, BASE, &insn, text, 0);
    assert_string_equal(text, "xyz");
    cairn_disassemble(*state, &arch, CAIRN_ISA_A64, BASE, &insn, text, 3);
    assert_int_equal(strlen(text), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a64, open_llvm, close_llvm),
        cmocka_unit_test_setup_teardown(a32, open_llvm, close_llvm),
        cmocka_unit_test_setup_teardown(t32, open_llvm, close_llvm),
        cmocka_unit_test_setup_teardown(it_blocks, open_llvm, close_llvm),
        cmocka_unit_test(it_found_behind),
        cmocka_unit_test(without_llvm),
        cmocka_unit_test_setup_teardown(unfit_libraries, open_llvm, close_llvm),
        cmocka_unit_test_setup_teardown(short_buffers, open_llvm, close_llvm),
    };
    return cmocka_run_group_tests_name("disasm", tests, NULL, NULL);
}
