/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions for people: each record of a capture, the text of an instruction, its function and
 * source line.
 *
 * usage: test_code CAPTURE [ELF ADDRESS FUNCTION OFFSET FILE LINE] */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cairn.h>

static char **given;
static int given_count;

struct sum {
    uint64_t instructions[2];
    size_t records;
    size_t most; /* of records, then it refuses */
};

static cairn_status add(void *context, const struct cairn_each_record *record)
{
    struct sum *sum = context;

    assert_true(record->source < 2);
    assert_int_equal(cairn_config_source(record->config), record->source);
    if (record->kind == CAIRN_FLOW_RANGE)
        sum->instructions[record->source] += record->instructions;
    return ++sum->records == sum->most ? CAIRN_E_LIMIT : CAIRN_OK;
}

/* 107 and 58 are the lines of the example's *.addresses. */
static void each_record_of_each_source(void **unused)
{
    struct cairn_pipeline_options options = CAIRN_PIPELINE_OPTIONS_INIT;
    struct cairn_capture *capture = NULL;
    struct sum sum = {0};
    (void)unused;

    assert_int_equal(cairn_capture_open(given[1], NULL, &capture, NULL), CAIRN_OK);
    assert_int_equal(cairn_capture_each(capture, NULL, add, &sum, NULL), CAIRN_OK);
    assert_int_equal(sum.instructions[0], 107);
    assert_int_equal(sum.instructions[1], 58);
    sum = (struct sum){.most = 5};
    assert_int_equal(cairn_capture_each(capture, NULL, add, &sum, NULL), CAIRN_E_LIMIT);
    assert_int_equal(sum.records, 5);
    options.flags = CAIRN_PIPELINE_COUNTS; /* counted ranges are no records */
    assert_int_equal(cairn_capture_each(capture, &options, add, &sum, NULL), CAIRN_E_ARGUMENT);
    cairn_capture_free(capture);
}

/* Where no LLVM is, the text is that of what the library knows itself, or the opcode. */
static void the_text_of_an_instruction(void **unused)
{
    const struct cairn_arch arch = cairn_arch_any_a();
    struct cairn_disasm *disasm = cairn_disasm_new();
    const struct cairn_insn nop = {.opcode = 0xd503201f, .size = 4};
    const struct cairn_insn add = {.opcode = 0x91000421, .size = 4};
    const char *name = cairn_disasm_name(disasm);
    char text[64];
    (void)unused;

    assert_int_equal(name != NULL, cairn_disasm_has_names(disasm));
    if (name)
        assert_memory_equal(name, "LLVM ", 5);
    cairn_disassemble(disasm, &arch, CAIRN_ISA_A64, 0x1000, &nop, text, sizeof text);
    assert_string_equal(text, "nop");
    cairn_disassemble(disasm, &arch, CAIRN_ISA_A64, 0x1000, &add, text, sizeof text);
    assert_string_equal(text, name ? "add x1, x1, #0x1" : ".inst 0x91000421");
    cairn_disasm_free(disasm);
    assert_null(cairn_disasm_name(NULL));
    cairn_disassemble(NULL, &arch, CAIRN_ISA_A64, 0x1000, &nop, text, sizeof text);
    assert_string_equal(text, "nop");
    cairn_disassemble(NULL, &arch, CAIRN_ISA_A64, 0x1000, &add, text, sizeof text);
    assert_string_equal(text, ".inst 0x91000421");
}

static void where_an_address_is(void **unused)
{
    const struct cairn_place place = {.security = CAIRN_NONSECURE};
    struct cairn_image *image = NULL;
    struct cairn_space *space = NULL;
    struct {
        struct cairn_symbol symbol;
        uint8_t later[8];
    } newer = {.later = {1, 1, 1, 1, 1, 1, 1, 1}};
    struct cairn_symbol older;
    (void)unused;

    if (given_count < 8)
        skip();
    const uint64_t address = strtoull(given[3], NULL, 16);
    assert_int_equal(cairn_image_new(&image), CAIRN_OK);
    assert_int_equal(cairn_image_add_elf(image, given[2], 0, NULL, NULL), CAIRN_OK);
    assert_int_equal(cairn_space_new(image, &space), CAIRN_OK);
    assert_int_equal(cairn_space_select(space, &place), CAIRN_OK);
    newer.symbol.size = sizeof newer;
    assert_int_equal(cairn_symbolize(space, address, &newer.symbol), CAIRN_OK);
    assert_int_equal(newer.symbol.size, sizeof newer);
    assert_string_equal(newer.symbol.object, given[2]);
    assert_string_equal(newer.symbol.function, given[4]);
    assert_int_equal(newer.symbol.offset, strtoull(given[5], NULL, 16));
    assert_string_equal(strrchr(newer.symbol.file, '/') + 1, given[6]);
    assert_int_equal(newer.symbol.line, strtoull(given[7], NULL, 10));
    assert_int_equal(newer.later[0] | newer.later[7], 0); /* what the library does not know */

    memset(&older, 0x5a, sizeof older);
    older.size = offsetof(struct cairn_symbol, file);
    const char *kept = older.file;
    assert_int_equal(cairn_symbolize(space, address, &older), CAIRN_OK);
    assert_string_equal(older.function, given[4]);
    assert_ptr_equal(older.file, kept); /* behind what the caller knows */
    older.function = kept;
    assert_int_equal(cairn_symbolize(space, 1, &older), CAIRN_E_NOT_FOUND);
    assert_ptr_equal(older.function, kept);
    cairn_space_free(space);
    cairn_image_unref(image);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_record_of_each_source),
        cmocka_unit_test(the_text_of_an_instruction),
        cmocka_unit_test(where_an_address_is),
    };

    given = argv;
    given_count = argc;
    return argc < 2 ? 2 : cmocka_run_group_tests(tests, NULL, NULL);
}
