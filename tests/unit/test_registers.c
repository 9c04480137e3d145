/* SPDX-License-Identifier: BSD-2-Clause */
/* The register file of a trace unit: what is there, what may be written, and what the values mean.
 * Field positions: docs/trace.md, "Registers". */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "unit/etmv4/register_table.h"

static const struct cairn_arch armv8 = {.profile = CAIRN_PROFILE_A, .major = 8};
static const struct cairn_arch armv9_2 = {.profile = CAIRN_PROFILE_A, .major = 9, .minor = 2};

static struct cairn_unit_registers fresh(enum cairn_protocol_id protocol)
{
    struct cairn_unit_registers registers;
    cairn_unit_registers_reset(&registers, protocol, &armv8);
    return registers;
}

static void set(struct cairn_unit_registers *registers, const char *name, uint64_t value)
{
    struct cairn_error error = {0};
    if (cairn_unit_registers_write(registers, name, value, true, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
}

static uint64_t get(const struct cairn_unit_registers *registers, const char *name)
{
    uint64_t value = 0;
    assert_int_equal(cairn_unit_registers_read(registers, name, &value), CAIRN_OK);
    return value;
}

/* The write fails, leaves the register alone, and the sentence has `words` in it. */
static void refused(struct cairn_unit_registers *registers, const char *name, uint64_t value,
                    const char *words)
{
    struct cairn_error error = {0};
    uint64_t before = get(registers, name);
    assert_int_equal(cairn_unit_registers_write(registers, name, value, true, &error),
                     CAIRN_E_CONFIG);
    if (!strstr(error.text, name) || !strstr(error.text, words))
        fail_msg("no \"%s\" and \"%s\" in \"%s\"", name, words, error.text);
    assert_int_equal(get(registers, name), before);
}

static struct cairn_unit_program program(const struct cairn_unit_registers *registers)
{
    struct cairn_unit_program program;
    cairn_unit_program_read(registers, &program);
    return program;
}

/* What is listed is enough for a decoder, and nothing in it is odd. */
static void check_decoder(enum cairn_protocol_id protocol, const struct cairn_arch *arch)
{
    struct cairn_unit_registers registers;
    cairn_unit_registers_reset(&registers, protocol, arch);
    struct cairn_register list[CAIRN_UNIT_REGISTERS_MAX];
    size_t count = 0;
    while (cairn_unit_registers_list(&registers, count, &list[count]) == CAIRN_OK)
        count++;
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    source.protocol = protocol;
    source.arch = *arch;
    source.registers = list;
    source.register_count = count;
    struct cairn_config *config = NULL;
    struct cairn_error error = {0};
    if (cairn_config_new(&source, &config, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
    if (cairn_config_note(config, 0))
        fail_msg("%s", cairn_config_note(config, 0));
    cairn_config_unref(config);
}

static void test_defaults_decode(void **state)
{
    (void)state;
    check_decoder(CAIRN_PROTOCOL_ETE, &armv8);
    check_decoder(CAIRN_PROTOCOL_ETE, &armv9_2);
    check_decoder(CAIRN_PROTOCOL_ETMV4, &armv8);
    check_decoder(CAIRN_PROTOCOL_ETMV4, &(struct cairn_arch){.major = 7});
    check_decoder(CAIRN_PROTOCOL_ETMV4,
                  &(struct cairn_arch){.profile = CAIRN_PROFILE_M, .major = 8, .minor = 1});
}

static void test_defaults_trace_all(void **state)
{
    (void)state;
    struct cairn_unit_registers registers = fresh(CAIRN_PROTOCOL_ETE);
    assert_int_equal(get(&registers, "TRCVICTLR"), 0x201);
    assert_int_equal(get(&registers, "TRCSYNCPR"), 12);
    assert_int_equal(get(&registers, "TRCTRACEIDR"), 1);
    assert_int_equal(get(&registers, "TRCCONFIGR"), 1);
    assert_int_equal(get(&registers, "TRCIDR8"), 0);
    assert_int_equal(get(&registers, "TRCDEVARCH"), 0x47715a13);
    /* NUMEXTINSEL is 4; NUMEXTIN is all ones, the unified model (Chapter D16), of an ETMv4 the four
     * inputs that it has. */
    struct cairn_unit_registers etmv4 = fresh(CAIRN_PROTOCOL_ETMV4);
    assert_int_equal(get(&registers, "TRCIDR5") & 0xfff, 4u << 9 | 0x1ff);
    assert_int_equal(get(&etmv4, "TRCIDR5") & 0xfff, 4u << 9 | 4);
    /* NSNID and SNID: implemented and enabled; there is no invasive debug. */
    assert_int_equal(get(&registers, "TRCAUTHSTATUS"), 3u << 2 | 3u << 6);
    struct cairn_unit_program p = program(&registers);
    assert_true(p.views_all);
    assert_true(p.is_ete);
    assert_true(p.commopt);
    assert_true(p.commtrans_is_p0);
    assert_int_equal(p.maxspec, 0);
    assert_int_equal(p.sync_period, 4096);
    assert_int_equal(p.cycle_max, 0xfffff);
    assert_false(p.branch_broadcast || p.cycle_counting || p.timestamps || p.return_stack);
    assert_false(p.context_id || p.vmid || p.q || p.no_overflow || p.realm);
}

/* ETE 1.2 came with realms. */
static void test_realms(void **state)
{
    (void)state;
    struct cairn_unit_registers registers;
    cairn_unit_registers_reset(&registers, CAIRN_PROTOCOL_ETE, &armv9_2);
    assert_true(program(&registers).realm);
    set(&registers, "TRCVICTLR", 0x07000201);
    assert_int_equal(program(&registers).levels_realm, 7);
    set(&registers, "TRCACATR3", 0x70000);
    assert_int_equal(program(&registers).comparators[3].levels_realm, 7);

    registers = fresh(CAIRN_PROTOCOL_ETE);
    refused(&registers, "TRCVICTLR", 0x01000201, "0x1000000");
    registers = fresh(CAIRN_PROTOCOL_ETMV4);
    refused(&registers, "TRCACATR0", 0x10000, "0x10000");
}

static void test_names(void **state)
{
    (void)state;
    struct cairn_unit_registers registers = fresh(CAIRN_PROTOCOL_ETE);
    struct cairn_error error = {0};
    uint64_t value = 77;
    set(&registers, "trcacvr15", UINT64_MAX);
    assert_true(get(&registers, "TRCACVR15") == UINT64_MAX);
    assert_int_equal(get(&registers, "TRCACVR14"), 0);
    assert_int_equal(cairn_unit_registers_read(&registers, "TRCACVR16", &value), CAIRN_E_NOT_FOUND);
    assert_int_equal(cairn_unit_registers_read(&registers, NULL, &value), CAIRN_E_NOT_FOUND);
    assert_int_equal(value, 77);
    assert_int_equal(cairn_unit_registers_write(&registers, "TRCRSCTLR1", 0, false, &error),
                     CAIRN_E_NOT_FOUND);
    assert_non_null(strstr(error.text, "TRCRSCTLR1"));
    assert_int_equal(cairn_unit_registers_write(&registers, NULL, 0, false, NULL),
                     CAIRN_E_NOT_FOUND);

    /* Identifiers of contexts are of the A and R profiles. */
    registers = fresh(CAIRN_PROTOCOL_ETMV4);
    assert_int_equal(get(&registers, "TRCIDR2") >> 5 & 0x1f, 4); /* CIDSIZE */
    cairn_unit_registers_reset(&registers, CAIRN_PROTOCOL_ETMV4,
                               &(const struct cairn_arch){CAIRN_PROFILE_M, 8, 1, 0});
    assert_int_equal(get(&registers, "TRCIDR2") >> 5 & 0x1f, 0);
    registers = fresh(CAIRN_PROTOCOL_ETE);

    /* Each protocol has its own external input selectors. */
    set(&registers, "TRCEXTINSELR3", 0xffff);
    assert_int_equal(cairn_unit_registers_read(&registers, "TRCEXTINSELR", &value),
                     CAIRN_E_NOT_FOUND);
    set(&registers, "TRCIDR5", 0x28870204); /* one of them */
    set(&registers, "TRCEXTINSELR0", 0xffff);
    refused(&registers, "TRCEXTINSELR1", 1, "TRCEXTINSELR1");
    registers = fresh(CAIRN_PROTOCOL_ETMV4);
    set(&registers, "TRCEXTINSELR", 0x03020100);
    assert_int_equal(cairn_unit_registers_read(&registers, "TRCRSR", &value), CAIRN_E_NOT_FOUND);
}

/* Offsets by hand from the register summary; arrays by their steps. */
static void test_offsets(void **state)
{
    static const struct {
        const char *name;
        unsigned offset;
    } expected[] = {
        {"TRCPRGCTLR", 0x004},    {"TRCSTATR", 0x00c},      {"TRCCONFIGR", 0x010},
        {"TRCRSR", 0x028},        {"TRCSYNCPR", 0x034},     {"TRCQCTLR", 0x044},
        {"TRCVICTLR", 0x080},     {"TRCVIPCSSCTLR", 0x08c}, {"TRCSEQEVR2", 0x108},
        {"TRCEXTINSELR3", 0x12c}, {"TRCCNTVR3", 0x16c},     {"TRCIDR8", 0x180},
        {"TRCIDR13", 0x194},      {"TRCIMSPEC7", 0x1dc},    {"TRCIDR0", 0x1e0},
        {"TRCIDR7", 0x1fc},       {"TRCRSCTLR2", 0x208},    {"TRCRSCTLR31", 0x27c},
        {"TRCSSCCR7", 0x29c},     {"TRCSSCSR7", 0x2bc},     {"TRCSSPCICR7", 0x2dc},
        {"TRCACVR15", 0x478},     {"TRCACATR15", 0x4f8},    {"TRCCIDCVR7", 0x638},
        {"TRCVMIDCVR7", 0x678},   {"TRCCIDCCTLR1", 0x684},  {"TRCVMIDCCTLR1", 0x68c},
        {"TRCDEVARCH", 0xfbc},    {"TRCDEVTYPE", 0xfcc},
    };
    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct cairn_register_row *row = NULL;
        for (unsigned r = 0; r < CAIRN_REG_COUNT; r++)
            if (strcmp(cairn_register_rows[r].name, expected[i].name) == 0)
                row = &cairn_register_rows[r];
        assert_non_null(row);
        assert_int_equal(row->offset, expected[i].offset);
    }
}

static void test_read_only(void **state)
{
    (void)state;
    struct cairn_unit_registers registers = fresh(CAIRN_PROTOCOL_ETE);
    struct cairn_error error = {0};
    assert_int_equal(cairn_unit_registers_write(&registers, "TRCIDR8", 8, false, &error),
                     CAIRN_E_CONFIG);
    assert_non_null(strstr(error.text, "TRCIDR8 is read-only"));
    assert_int_equal(get(&registers, "TRCIDR8"), 0);
    set(&registers, "TRCIDR8", 8); /* as it was built */
    assert_int_equal(program(&registers).maxspec, 8);
    refused(&registers, "TRCSTATR", 0, "read-only");
}

static void test_reserved(void **state)
{
    (void)state;
    struct cairn_unit_registers registers = fresh(CAIRN_PROTOCOL_ETE);
    refused(&registers, "TRCCONFIGR", UINT64_C(0x100000001), "32 bits");
    refused(&registers, "TRCCONFIGR", 0x00000003, "0x2"); /* INSTP0 is not ETE's */
    refused(&registers, "TRCCONFIGR", 2u << 13, "QE");
    refused(&registers, "TRCSYNCPR", 7, "PERIOD");
    refused(&registers, "TRCSYNCPR", 21, "PERIOD");
    refused(&registers, "TRCTRACEIDR", 0x70, "reserved");
    refused(&registers, "TRCVICTLR", 0x220, "0x20");
    refused(&registers, "TRCVICTLR", 0x290, "pair"); /* pair 16 */
    refused(&registers, "TRCEVENTCTL0R", 0x90000000, "31:24");
    refused(&registers, "TRCRSCTLR2", 8u << 16, "GROUP");
    refused(&registers, "TRCRSCTLR2", 0x10, "group 0");      /* external inputs 0 to 3 */
    refused(&registers, "TRCRSCTLR3", 1u << 21, "0x200000"); /* PAIRINV: even ones (R_KTNJM) */
    refused(&registers, "TRCACATR0", 1, "0x1");              /* a data address */
    refused(&registers, "TRCCIDCCTLR0", 0x10, "0x10");
    set(&registers, "TRCSYNCPR", 8);
    assert_int_equal(program(&registers).sync_period, 256);
    set(&registers, "TRCSYNCPR", 20);
    assert_int_equal(program(&registers).sync_period, 1u << 20);
    set(&registers, "TRCSYNCPR", 0);
    assert_int_equal(program(&registers).sync_period, 0);
    set(&registers, "TRCTRACEIDR", 0x6f);
    set(&registers, "TRCRSCTLR2", 0x27ffffu & ~0xff00u);
    set(&registers, "TRCCONFIGR", 0); /* bit 0 is RES1 */
    assert_int_equal(get(&registers, "TRCCONFIGR"), 1);
}

/* The identification registers say what is there; what is not can only be written as 0. */
static void test_what_was_built(void **state)
{
    (void)state;
    struct cairn_unit_registers registers = fresh(CAIRN_PROTOCOL_ETE);
    /* All that the model can do, but PE comparators. */
    set(&registers, "TRCCNTRLDVR3", 1);
    set(&registers, "TRCSSCCR7", 1);
    set(&registers, "TRCSEQSTR", 3);
    set(&registers, "TRCEVENTCTL1R", 0x800);
    registers = fresh(CAIRN_PROTOCOL_ETE);
    set(&registers, "TRCIDR4", 0x880f0008); /* no single-shots */
    set(&registers, "TRCIDR5", 0x00870800); /* no sequencer, no counters */
    refused(&registers, "TRCCNTRLDVR0", 1, "TRCIDR5.NUMCNTR");
    set(&registers, "TRCCNTRLDVR0", 0);
    refused(&registers, "TRCSSCCR0", 1, "TRCIDR4.NUMSSCC");
    refused(&registers, "TRCVIPCSSCTLR", 1, "TRCIDR4.NUMPC");
    refused(&registers, "TRCSEQSTR", 1, "TRCIDR5.NUMSEQSTATE");

    set(&registers, "TRCIDR4", 0x11172002); /* 2 ARCs, 2 PE comparators, 8 pairs, 1 of each other */
    set(&registers, "TRCIDR5", 0x28870804); /* 4 states, 2 counters */
    set(&registers, "TRCACVR3", 1);
    refused(&registers, "TRCACVR4", 1, "TRCIDR4.NUMACPAIRS");
    set(&registers, "TRCVIIECTLR", 0x00030003);
    refused(&registers, "TRCVIIECTLR", 0x00040000, "0x40000");
    set(&registers, "TRCVISSCTLR", 0x000f000f);
    refused(&registers, "TRCVISSCTLR", 0x00100000, "0x100000");
    set(&registers, "TRCVIPCSSCTLR", 0x00030003);
    refused(&registers, "TRCVIPCSSCTLR", 4, "0x4");
    set(&registers, "TRCRSCTLR15", 0x100000);
    set(&registers, "TRCRSCTLR14", 0x60003); /* Context identifier comparators 0 and 1 */
    assert_int_equal(program(&registers).selectors[14], 0x60001);
    refused(&registers, "TRCRSCTLR16", 0x100000, "TRCIDR4.NUMRSPAIR");
    refused(&registers, "TRCVICTLR", 0x210, "selector 16");
    refused(&registers, "TRCVICTLR", 0x288, "selector 17");
    refused(&registers, "TRCACATR0", 0x14, "CONTEXT"); /* context id comparator 1 */
    set(&registers, "TRCACATR0", 0x0c);
    refused(&registers, "TRCCIDCVR1", 1, "TRCIDR4.NUMCIDC");
    refused(&registers, "TRCEVENTCTL1R", 0x800, "0x800"); /* TRCIDR5.ATBTRIG */
    set(&registers, "TRCIDR5", 0x28c70804);
    set(&registers, "TRCEVENTCTL1R", 0x800);
    set(&registers, "TRCSSCSR0", UINT64_C(0x80000000));
    refused(&registers, "TRCSSCSR1", UINT64_C(0x80000000), "TRCIDR4.NUMSSCC");
    set(&registers, "TRCCNTCTLR1", 0x38181);
    refused(&registers, "TRCCNTCTLR0", 0x20000, "0x20000"); /* CNTCHAIN is for odd ones */
    refused(&registers, "TRCCNTCTLR2", 1, "TRCIDR5.NUMCNTR");
    set(&registers, "TRCSSCCR0", 0x0103000f);
    refused(&registers, "TRCSSCCR0", 0x10, "0x10");
}

static void test_features_absent(void **state)
{
    (void)state;
    struct cairn_unit_registers registers = fresh(CAIRN_PROTOCOL_ETMV4);
    set(&registers, "TRCIDR0", 0x00000001); /* nothing */
    set(&registers, "TRCIDR2", 0x00000004);
    set(&registers, "TRCIDR3", 0x02000004); /* SYNCPR is read-only */
    set(&registers, "TRCIDR4", 0);
    refused(&registers, "TRCCONFIGR", 0x0008, "TRCIDR0");
    refused(&registers, "TRCCONFIGR", 0x0010, "TRCIDR0");
    refused(&registers, "TRCCONFIGR", 0x0040, "TRCIDR2");
    refused(&registers, "TRCCONFIGR", 0x0800, "TRCIDR0");
    refused(&registers, "TRCCONFIGR", 0x1000, "TRCIDR0");
    refused(&registers, "TRCSYNCPR", 10, "TRCIDR3.SYNCPR");
    refused(&registers, "TRCBBCTLR", 0x100, "TRCIDR0.TRCBB");
    refused(&registers, "TRCCCCTLR", 4, "TRCIDR0.TRCCCI");
    refused(&registers, "TRCSTALLCTLR", 0x100, "TRCIDR3.STALLCTL");
    refused(&registers, "TRCVICTLR", 0x00010001, "0x10001");
    set(&registers, "TRCVICTLR", 0x000); /* SSSTATUS without start and stop points: 1 */
    assert_int_equal(get(&registers, "TRCVICTLR"), 0x200);
    assert_true(program(&registers).views_all);
}

static void test_impossible_units(void **state)
{
    (void)state;
    struct cairn_unit_registers registers = fresh(CAIRN_PROTOCOL_ETE);
    refused(&registers, "TRCIDR1", 0x4100f440, "ETE");
    refused(&registers, "TRCIDR2", 0x00000488, "VMIDSIZE");
    refused(&registers, "TRCIDR2", 0x12001088, "CCSIZE"); /* 9: 21 bits */
    refused(&registers, "TRCIDR4", 0x00000009, "3:0");
    refused(&registers, "TRCIDR5", 0x50000000, "four counters");
    refused(&registers, "TRCIDR8", 4097, "4096");
    refused(&registers, "TRCIDR0", 0x07000001, "TSSIZE");
    refused(&registers, "TRCDEVARCH", 0x47704a13, "0x5a13");
    registers = fresh(CAIRN_PROTOCOL_ETMV4);
    refused(&registers, "TRCIDR1", 0x4100fff0, "ETMv4");
    refused(&registers, "TRCIDR2", 0x00000c88, "VMIDSIZE");
    refused(&registers, "TRCIDR2", 0x00000001, "IASIZE");
    set(&registers, "TRCIDR2", 0x00000488);
}

/* Identification is applied first, wherever it stands. */
static void test_program(void **state)
{
    (void)state;
    struct cairn_unit_registers registers = fresh(CAIRN_PROTOCOL_ETE);
    static const struct cairn_register list[] = {
        {"TRCCNTRLDVR1", 5}, {"TRCCONFIGR", 0x18c1}, {"TRCIDR5", 0x28870804}};
    assert_int_equal(cairn_unit_registers_program(&registers, list, 3, NULL), CAIRN_OK);
    assert_int_equal(get(&registers, "TRCCNTRLDVR1"), 5);
    struct cairn_unit_program p = program(&registers);
    assert_true(p.return_stack && p.timestamps && p.vmid && p.context_id);
    assert_false(p.branch_broadcast || p.cycle_counting);

    static const struct cairn_register unknown[] = {{"TRCIDR5", 0}, {"TRCFOO", 0}};
    struct cairn_error error = {0};
    assert_int_equal(cairn_unit_registers_program(&registers, unknown, 2, &error),
                     CAIRN_E_NOT_FOUND);
    assert_non_null(strstr(error.text, "TRCFOO"));
    assert_int_equal(cairn_unit_registers_program(&registers, NULL, 0, NULL), CAIRN_OK);
    assert_int_equal(cairn_unit_registers_program(&registers, NULL, 1, NULL), CAIRN_E_ARGUMENT);
}

/* One value a field, each different from its neighbours'. */
static void test_meaning(void **state)
{
    (void)state;
    struct cairn_unit_registers registers = fresh(CAIRN_PROTOCOL_ETE);
    set(&registers, "TRCIDR4", 0x880f2008);
    set(&registers, "TRCCONFIGR", 0x6019);
    set(&registers, "TRCEVENTCTL0R", 0x81020304);
    set(&registers, "TRCEVENTCTL1R", 0x100a);
    set(&registers, "TRCSTALLCTLR", 0x2100);
    set(&registers, "TRCTSCTLR", 0x8f);
    set(&registers, "TRCCCCTLR", 0xabc);
    set(&registers, "TRCBBCTLR", 0x112);
    set(&registers, "TRCQCTLR", 0x034);
    set(&registers, "TRCVICTLR", 0x00350c85);
    set(&registers, "TRCVIIECTLR", 0x00560078);
    set(&registers, "TRCVISSCTLR", 0x9abcdef0);
    set(&registers, "TRCVIPCSSCTLR", 0x00010002);
    set(&registers, "TRCACVR9", UINT64_C(0xffff000012345678));
    set(&registers, "TRCACATR9", 0x255c);
    set(&registers, "TRCCIDCVR5", 0x11223344);
    set(&registers, "TRCCIDCCTLR1", 0x0500); /* COMP5: bytes 0 and 2 */
    set(&registers, "TRCVMIDCVR3", 0x55667788);
    set(&registers, "TRCVMIDCCTLR0", 0x0a000000); /* COMP3: bytes 1 and 3 */
    set(&registers, "TRCRSCTLR31", 0x144321);
    struct cairn_unit_program p = program(&registers);
    assert_true(p.branch_broadcast && p.cycle_counting && p.no_overflow && p.low_power_override);
    assert_int_equal(p.q, 3);
    assert_true(p.events[3].pair);
    assert_int_equal(p.events[3].select, 1);
    assert_false(p.events[0].pair);
    assert_int_equal(p.events[0].select, 4);
    assert_int_equal(p.events_traced, 0xa);
    assert_true(p.timestamp_event.pair);
    assert_int_equal(p.timestamp_event.select, 15);
    assert_int_equal(p.cycle_threshold, 0xabc);
    assert_true(p.broadcast_includes);
    assert_int_equal(p.broadcast_ranges, 0x12);
    assert_false(p.q_includes);
    assert_int_equal(p.q_ranges, 0x34);
    assert_true(p.view_event.pair);
    assert_int_equal(p.view_event.select, 5);
    assert_int_equal(p.levels_secure, 5);
    assert_int_equal(p.levels_nonsecure, 3);
    assert_true(p.force_errors && p.force_resets);
    assert_int_equal(p.include, 0x78);
    assert_int_equal(p.exclude, 0x56);
    assert_int_equal(p.start, 0xdef0);
    assert_int_equal(p.stop, 0x9abc);
    assert_int_equal(p.pe_comparators, 2);
    assert_int_equal(p.pe_start, 2);
    assert_int_equal(p.pe_stop, 1);
    assert_true(p.comparators[9].address == UINT64_C(0xffff000012345678));
    assert_int_equal(p.comparators[9].context_type, 3);
    assert_int_equal(p.comparators[9].context, 5);
    assert_int_equal(p.comparators[9].levels_secure, 5);
    assert_int_equal(p.comparators[9].levels_nonsecure, 2);
    assert_int_equal(p.context_values[5], 0x11223344);
    assert_int_equal(p.context_masks[5], 0xff00ff00);
    assert_int_equal(p.context_masks[4], 0xffffffff);
    assert_int_equal(p.vmid_values[3], 0x55667788);
    assert_int_equal(p.vmid_masks[3], 0x00ff00ff);
    assert_int_equal(p.selectors[31], 0x144321);
    assert_false(p.views_all);
}

/* TRCIDR3.CCITMIN is the least threshold there is. */
static void test_least_threshold(void **state)
{
    (void)state;
    struct cairn_unit_registers registers = fresh(CAIRN_PROTOCOL_ETE);
    assert_int_equal(program(&registers).cycle_threshold, 1);
    set(&registers, "TRCIDR3", 0x0f7f0004);
    set(&registers, "TRCCCCTLR", 3);
    assert_int_equal(program(&registers).cycle_threshold, 4);
    set(&registers, "TRCCCCTLR", 5);
    assert_int_equal(program(&registers).cycle_threshold, 5);
}

/* Each of these alone makes blocks differ. */
static void test_views_all(void **state)
{
    static const struct cairn_register alone[] = {
        {"TRCVICTLR", 0x001}, {"TRCVICTLR", 0x200},        {"TRCVICTLR", 0x281},
        {"TRCVICTLR", 0x202}, {"TRCVICTLR", 0x00010201},   {"TRCVICTLR", 0x00400201},
        {"TRCVIIECTLR", 1},   {"TRCVIIECTLR", 0x00010000}, {"TRCVISSCTLR", 0x00010000},
    };
    (void)state;
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++) {
        struct cairn_unit_registers registers = fresh(CAIRN_PROTOCOL_ETE);
        set(&registers, alone[i].name, alone[i].value);
        assert_false(program(&registers).views_all);
    }
}

static void test_list(void **state)
{
    (void)state;
    struct cairn_unit_registers registers = fresh(CAIRN_PROTOCOL_ETMV4);
    struct cairn_unit_state unit = {.enabled = true, .start_stop = true, .traced = true};
    cairn_unit_registers_store(&registers, &unit);
    set(&registers, "TRCACVR7", 0x1234);
    bool seen = false;
    struct cairn_register entry;
    for (size_t i = 0; cairn_unit_registers_list(&registers, i, &entry) == CAIRN_OK; i++) {
        uint64_t value;
        assert_int_equal(cairn_unit_registers_read(&registers, entry.name, &value), CAIRN_OK);
        assert_true(entry.value == value);
        assert_string_not_equal(entry.name, "TRCSTATR");
        seen |= strcmp(entry.name, "TRCACVR7") == 0 && value == 0x1234;
        assert_string_not_equal(entry.name, "TRCACVR6");
    }
    assert_true(seen);
}

static void test_state(void **state)
{
    (void)state;
    struct cairn_unit_registers registers = fresh(CAIRN_PROTOCOL_ETE);
    struct cairn_unit_state unit;
    cairn_unit_registers_load(&registers, &unit);
    assert_false(unit.enabled || unit.traced);
    assert_true(unit.start_stop);
    assert_int_equal(get(&registers, "TRCSTATR"), 3);
    unit = (struct cairn_unit_state){.enabled = true, .start_stop = false, .traced = true};
    cairn_unit_registers_store(&registers, &unit);
    assert_int_equal(get(&registers, "TRCPRGCTLR"), 1);
    assert_int_equal(get(&registers, "TRCVICTLR"), 0x001);
    assert_int_equal(get(&registers, "TRCRSR"), 0x1000);
    assert_int_equal(get(&registers, "TRCSTATR"), 0);
    set(&registers, "TRCRSR", 0);
    cairn_unit_registers_load(&registers, &unit);
    assert_false(unit.traced);
}

/* TRCIDR2.IASIZE: 32-bit addresses where nothing else can be executed, else 64-bit ones. */
static void test_address_size(void **state)
{
    static const struct {
        enum cairn_protocol_id protocol;
        struct cairn_arch arch;
        unsigned size;
    } rows[] = {
        {CAIRN_PROTOCOL_ETMV4, {CAIRN_PROFILE_A, 0, 0, 0}, 8}, /* any */
        {CAIRN_PROTOCOL_ETMV4, {CAIRN_PROFILE_A, 7, 0, 0}, 4},
        {CAIRN_PROTOCOL_ETMV4, {CAIRN_PROFILE_A, 8, 0, 0}, 8},
        {CAIRN_PROTOCOL_ETMV4, {CAIRN_PROFILE_A, 9, 0, 0}, 8},
        {CAIRN_PROTOCOL_ETMV4, {CAIRN_PROFILE_R, 7, 0, 0}, 4},
        {CAIRN_PROTOCOL_ETMV4, {CAIRN_PROFILE_M, 0, 0, 0}, 4},
        {CAIRN_PROTOCOL_ETMV4, {CAIRN_PROFILE_M, 8, 1, 0}, 4},
        {CAIRN_PROTOCOL_ETE, {CAIRN_PROFILE_A, 9, 2, 0}, 8},
        {CAIRN_PROTOCOL_ETE, {CAIRN_PROFILE_A, 0, 0, 0}, 8},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cairn_unit_registers registers;

        cairn_unit_registers_reset(&registers, rows[i].protocol, &rows[i].arch);
        assert_int_equal(get(&registers, "TRCIDR2") & 0x1f, rows[i].size);
        assert_int_equal(get(&registers, "TRCIDR3") & 0xfff, 1); /* CCITMIN */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults_decode),
        cmocka_unit_test(test_defaults_trace_all),
        cmocka_unit_test(test_realms),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_read_only),
        cmocka_unit_test(test_reserved),
        cmocka_unit_test(test_what_was_built),
        cmocka_unit_test(test_features_absent),
        cmocka_unit_test(test_impossible_units),
        cmocka_unit_test(test_program),
        cmocka_unit_test(test_meaning),
        cmocka_unit_test(test_least_threshold),
        cmocka_unit_test(test_views_all),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_state),
        cmocka_unit_test(test_address_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
