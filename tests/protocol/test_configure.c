/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers -> configuration: the fields of TRCIDR0 to 13, TRCCONFIGR and TRCDEVARCH, what is
 * assumed for missing ones, and what is refused. Values are those of real trace units. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "protocol/etmv4/etmv4.h"

#define REGISTERS_MAX 16

static const struct cairn_arch armv8_a = {CAIRN_PROFILE_A, 8, 0, 0};
static const struct cairn_arch armv9_a = {CAIRN_PROFILE_A, 9, 0, 0};

/* A list of registers that tests change one of. */
struct registers {
    struct cairn_register list[REGISTERS_MAX];
    size_t count;
};

static void set(struct registers *registers, const char *name, uint64_t value)
{
    for (size_t i = 0; i < registers->count; i++) {
        if (strcmp(registers->list[i].name, name) == 0) {
            registers->list[i].value = value;
            return;
        }
    }
    assert_true(registers->count < REGISTERS_MAX);
    registers->list[registers->count++] = (struct cairn_register){name, value};
}

/* An ETE 1.0 unit of a model. */
static struct registers ete_1_0(void)
{
    struct registers registers = {0};
    set(&registers, "TRCCONFIGR", 0x1);
    set(&registers, "TRCDEVARCH", 0x47705a13);
    set(&registers, "TRCIDR0", 0x2801cea1);
    set(&registers, "TRCIDR1", 0x4100fff0);
    set(&registers, "TRCIDR2", 0xd0001088);
    set(&registers, "TRCIDR8", 0);
    return registers;
}

/* The ETMv4.0 unit of a Cortex-A53. */
static struct registers etmv4_a53(void)
{
    struct registers registers = {0};
    set(&registers, "TRCCONFIGR", 0x10c1);
    set(&registers, "TRCTRACEIDR", 0x12);
    set(&registers, "TRCIDR0", 0x28000ea1);
    set(&registers, "TRCIDR1", 0x4100f403);
    set(&registers, "TRCIDR2", 0x00000488);
    set(&registers, "TRCIDR8", 0);
    return registers;
}

static cairn_status try_config(enum cairn_protocol_id protocol, struct cairn_arch arch,
                               const struct registers *registers, struct cairn_config **config,
                               struct cairn_error *error)
{
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    source.protocol = protocol;
    source.arch = arch;
    source.source = 7;
    source.registers = registers->list;
    source.register_count = registers->count;
    return cairn_config_new(&source, config, error);
}

static struct cairn_config *configure(enum cairn_protocol_id protocol, struct cairn_arch arch,
                                      const struct registers *registers)
{
    struct cairn_config *config = NULL;
    struct cairn_error error = {0};
    if (try_config(protocol, arch, registers, &config, &error) != CAIRN_OK)
        print_message("# %s\n", error.text);
    assert_non_null(config);
    return config;
}

static struct cairn_config *ete(const struct registers *registers)
{
    return configure(CAIRN_PROTOCOL_ETE, armv9_a, registers);
}

/* How many notes speak of `what`. */
static size_t notes_with(const struct cairn_config *config, const char *what)
{
    size_t count = 0;
    const char *note;
    for (size_t i = 0; (note = cairn_config_note(config, i)) != NULL; i++)
        count += strstr(note, what) != NULL;
    return count;
}

static void assert_no_notes(const struct cairn_config *config)
{
    if (cairn_config_note(config, 0))
        print_message("# %s\n", cairn_config_note(config, 0));
    assert_null(cairn_config_note(config, 0));
}

/* Refused, with a sentence that has `name` and `value` in it. */
static void assert_refused(enum cairn_protocol_id protocol, const struct registers *registers,
                           const char *name, const char *value)
{
    struct cairn_config *config = NULL;
    struct cairn_error error = {0};
    assert_int_equal(try_config(protocol, armv8_a, registers, &config, &error), CAIRN_E_CONFIG);
    assert_null(config);
    assert_int_equal(error.status, CAIRN_E_CONFIG);
    if (!strstr(error.text, name) || !strstr(error.text, value))
        print_message("# %s\n", error.text);
    assert_non_null(strstr(error.text, name));
    assert_non_null(strstr(error.text, value));
    /* without a place for the sentence */
    assert_int_equal(try_config(protocol, armv8_a, registers, &config, NULL), CAIRN_E_CONFIG);
}

static void test_ete(void **state)
{
    const struct registers registers = ete_1_0();
    struct cairn_config *config = ete(&registers);
    const struct cairn_etmv4_config *etm = cairn_etmv4_of(config);
    (void)state;
    assert_int_equal(cairn_config_protocol(config), CAIRN_PROTOCOL_ETE);
    assert_int_equal(cairn_config_source(config), 7);
    assert_int_equal(cairn_config_arch(config)->major, 9);
    assert_true(etm->is_ete);
    assert_int_equal(etm->major, 1);
    assert_int_equal(etm->minor, 0);
    assert_int_equal(etm->max_speculation, 0);
    assert_true(etm->commopt);
    assert_true(etm->commtrans_is_p0);
    assert_false(etm->return_stack);
    assert_false(etm->cc_enabled);
    assert_false(etm->timestamps);
    assert_int_equal(etm->tssize_bits, 64);
    assert_int_equal(etm->ccsize_bits, 20);
    assert_int_equal(etm->vmid_size, 4);
    assert_int_equal(etm->context_id_size, 4);
    assert_int_equal(etm->address_size, 8);
    assert_int_equal(etm->qsupp, 3);
    assert_int_equal(etm->qe, 0);
    assert_true(etm->wfx_is_p0);
    assert_true(etm->vmidopt);
    assert_true(etm->transactions);
    assert_true(etm->source_addresses);
    assert_false(etm->exception_return);
    assert_false(etm->realm);
    assert_false(etm->instrumentation);
    assert_no_notes(config);
    cairn_config_unref(config);
}

/* TRCDEVARCH.REVISION: 1 is FEAT_ETEv1p1, 2 FEAT_ETEv1p2 (RME's NSE), 3 adds instrumentation. */
static void test_ete_revisions(void **state)
{
    (void)state;
    for (unsigned revision = 0; revision < 5; revision++) {
        struct registers registers = ete_1_0();
        set(&registers, "TRCDEVARCH", 0x47705a13 + (revision << 16));
        struct cairn_config *config = ete(&registers);
        const struct cairn_etmv4_config *etm = cairn_etmv4_of(config);
        assert_int_equal(etm->minor, revision);
        assert_int_equal(etm->realm, revision >= 2);
        assert_int_equal(etm->instrumentation, revision >= 3);
        assert_int_equal(notes_with(config, "newer"), revision > 3);
        cairn_config_unref(config);
    }
}

static void test_trcconfigr(void **state)
{
    struct registers registers = ete_1_0();
    (void)state;
    /* BB 3, CCI 4, CID 6, VMID 7, TS 11, RS 12, QE 14:13 */
    set(&registers, "TRCCONFIGR", 0x1 | 1u << 3 | 1u << 4 | 1u << 6 | 1u << 7);
    struct cairn_config *config = ete(&registers);
    const struct cairn_etmv4_config *etm = cairn_etmv4_of(config);
    assert_true(etm->branch_broadcast && etm->cc_enabled && etm->context_id && etm->vmid);
    assert_false(etm->timestamps || etm->return_stack || etm->qe);
    assert_no_notes(config);
    cairn_config_unref(config);

    set(&registers, "TRCCONFIGR", 0x1 | 1u << 11 | 1u << 12 | 3u << 13 | 1u << 18);
    set(&registers, "TRCCCCTLR", 0x123);
    config = ete(&registers);
    etm = cairn_etmv4_of(config);
    assert_true(etm->timestamps && etm->return_stack && etm->ito);
    assert_int_equal(etm->qe, 3);
    assert_int_equal(etm->cc_threshold, 0x123);
    assert_false(etm->branch_broadcast || etm->cc_enabled || etm->context_id || etm->vmid);
    assert_no_notes(config);
    cairn_config_unref(config);
}

static void test_commtrans(void **state)
{
    struct registers registers = ete_1_0();
    (void)state;
    set(&registers, "TRCIDR8", 4);
    struct cairn_config *config = ete(&registers);
    assert_true(cairn_element_is_p0(config, CAIRN_ELEMENT_TRANSACTION_START));
    cairn_config_unref(config);
    set(&registers, "TRCIDR0", 0x6801cea1);
    config = ete(&registers);
    /* proves: R_CTLXL */
    assert_false(cairn_element_is_p0(config, CAIRN_ELEMENT_TRANSACTION_START));
    assert_no_notes(config);
    cairn_config_unref(config);
    set(&registers, "TRCIDR8", 0);
    config = ete(&registers);
    /* proves: R_VVFQZ */
    assert_int_equal(notes_with(config, "COMMTRANS"), 1);
    cairn_config_unref(config);
}

static void test_speculation_is_bounded(void **state)
{
    struct registers registers = ete_1_0();
    (void)state;
    set(&registers, "TRCIDR8", 4096);
    struct cairn_config *config = ete(&registers);
    assert_int_equal(cairn_etmv4_of(config)->max_speculation, 4096);
    assert_no_notes(config);
    cairn_config_unref(config);
    set(&registers, "TRCIDR8", 0xffffffff);
    set(&registers, "TRCTRACEIDR", 0x92); /* bits 6:0 */
    config = ete(&registers);
    assert_int_equal(cairn_etmv4_of(config)->trace_id, 0x12);
    assert_int_equal(cairn_etmv4_of(config)->max_speculation, 4096);
    assert_int_equal(cairn_etmv4_of(config)->maxspec, 0xffffffff);
    assert_int_equal(notes_with(config, "TRCIDR8"), 1);
    cairn_config_unref(config);
}

static void test_etmv4(void **state)
{
    const struct registers registers = etmv4_a53();
    struct cairn_config *config = configure(CAIRN_PROTOCOL_ETMV4, armv8_a, &registers);
    const struct cairn_etmv4_config *etm = cairn_etmv4_of(config);
    (void)state;
    assert_false(etm->is_ete);
    assert_int_equal(etm->major, 4);
    assert_int_equal(etm->minor, 0);
    assert_int_equal(etm->revision, 3);
    assert_int_equal(etm->trace_id, 0x12);
    assert_true(etm->return_stack && etm->context_id && etm->vmid);
    assert_true(etm->commopt);
    assert_false(etm->commtrans_is_p0);
    assert_int_equal(etm->vmid_size, 1);
    assert_int_equal(etm->context_id_size, 4);
    assert_int_equal(etm->ccsize_bits, 12);
    assert_false(etm->vmidopt);
    assert_true(etm->exception_return);
    assert_false(etm->exception_return_is_p0 || etm->function_return || etm->branch_future);
    assert_false(etm->transactions || etm->source_addresses || etm->timestamp_marker);
    assert_false(etm->realm || etm->wfx_is_p0);
    assert_no_notes(config);
    cairn_config_unref(config);
}

/* TRCIDR0.TSSIZE: 6 is 48 bits, 8 is 64, 0 none. */
static void test_tssize(void **state)
{
    static const uint8_t rows[][2] = {{6, 48}, {8, 64}, {0, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct registers registers = etmv4_a53();
        set(&registers, "TRCIDR0", 0x20000ea1 | (uint32_t)rows[i][0] << 24);
        struct cairn_config *config = configure(CAIRN_PROTOCOL_ETMV4, armv8_a, &registers);
        assert_int_equal(cairn_etmv4_of(config)->tssize_bits, rows[i][1]);
        assert_no_notes(config);
        cairn_config_unref(config);
    }
}

/* COMMOPT counts only where the unit has cycle counting, and always in ETE. */
static void test_commopt(void **state)
{
    struct registers registers = etmv4_a53();
    (void)state;
    set(&registers, "TRCIDR0", 0x28000e21);
    struct cairn_config *config = configure(CAIRN_PROTOCOL_ETMV4, armv8_a, &registers);
    assert_false(cairn_etmv4_of(config)->commopt);
    cairn_config_unref(config);
    registers = ete_1_0();
    set(&registers, "TRCIDR0", 0x2801ce21);
    config = ete(&registers);
    assert_true(cairn_etmv4_of(config)->commopt);
    cairn_config_unref(config);
    set(&registers, "TRCIDR0", 0x0801ce21);
    config = ete(&registers);
    assert_false(cairn_etmv4_of(config)->commopt);
    cairn_config_unref(config);
}

/* Cortex-M: Function Return from 4.2 on v8-M, Exception Return as P0 element, branch future. */
static void test_m_profile(void **state)
{
    struct registers registers = {0};
    (void)state;
    set(&registers, "TRCCONFIGR", 0x1);
    set(&registers, "TRCIDR0", 0x280006e1);
    set(&registers, "TRCIDR1", 0x4100f421);
    set(&registers, "TRCIDR2", 0x00000004);
    set(&registers, "TRCIDR8", 1);
    struct cairn_config *config =
        configure(CAIRN_PROTOCOL_ETMV4, (struct cairn_arch){CAIRN_PROFILE_M, 8, 0, 0}, &registers);
    const struct cairn_etmv4_config *etm = cairn_etmv4_of(config);
    assert_true(etm->function_return && etm->exception_return_is_p0);
    assert_false(etm->branch_future);
    assert_int_equal(etm->address_size, 4);
    assert_int_equal(etm->context_id_size, 0);
    assert_int_equal(etm->max_speculation, 1);
    assert_true(cairn_element_is_p0(config, CAIRN_ELEMENT_EXCEPTION_RETURN));
    assert_true(cairn_element_is_p0(config, CAIRN_ELEMENT_FUNCTION_RETURN));
    cairn_config_unref(config);

    config =
        configure(CAIRN_PROTOCOL_ETMV4, (struct cairn_arch){CAIRN_PROFILE_M, 8, 1, 0}, &registers);
    assert_true(cairn_etmv4_of(config)->branch_future);
    cairn_config_unref(config);

    set(&registers, "TRCIDR1", 0x4100f401);
    config =
        configure(CAIRN_PROTOCOL_ETMV4, (struct cairn_arch){CAIRN_PROFILE_M, 7, 0, 0}, &registers);
    etm = cairn_etmv4_of(config);
    assert_true(etm->exception_return_is_p0);
    assert_false(etm->function_return);
    cairn_config_unref(config);
}

/* ETMv4's own: loads and stores as P0, conditional instructions, data trace. */
static void test_etmv4_data(void **state)
{
    struct registers registers = etmv4_a53();
    (void)state;
    set(&registers, "TRCIDR0", 0x28001ee7 | 0x40);
    set(&registers, "TRCIDR12", 4);
    set(&registers, "TRCIDR13", 1);
    set(&registers, "TRCCONFIGR", 0x1 | 3u << 1 | 7u << 8 | 1u << 16 | 1u << 17);
    struct cairn_config *config = configure(CAIRN_PROTOCOL_ETMV4, armv8_a, &registers);
    const struct cairn_etmv4_config *etm = cairn_etmv4_of(config);
    assert_true(etm->loads_are_p0 && etm->stores_are_p0 && etm->data_address && etm->data_value);
    assert_int_equal(etm->cond, CAIRN_ETMV4_COND_ALL);
    assert_int_equal(etm->condtype, CAIRN_ETMV4_CONDTYPE_APSR);
    assert_int_equal(etm->numcondkey, 4);
    assert_int_equal(etm->numcondspc, 1);
    assert_no_notes(config);
    cairn_config_unref(config);

    /* DA and DV do nothing while no load or store is a P0 element */
    set(&registers, "TRCCONFIGR", 0x1 | 1u << 16 | 1u << 17);
    config = configure(CAIRN_PROTOCOL_ETMV4, armv8_a, &registers);
    etm = cairn_etmv4_of(config);
    assert_false(etm->data_address || etm->data_value);
    cairn_config_unref(config);

    set(&registers, "TRCCONFIGR", 0x1 | 5u << 8);
    config = configure(CAIRN_PROTOCOL_ETMV4, armv8_a, &registers);
    assert_int_equal(cairn_etmv4_of(config)->cond, CAIRN_ETMV4_COND_ALL);
    assert_int_equal(notes_with(config, "COND"), 1);
    cairn_config_unref(config);
}

/* TRCIDR2.VMIDOPT: 0 never, 1 as TRCCONFIGR.VMIDOPT, 2 always CONTEXTIDR_EL2. */
static void test_vmidopt(void **state)
{
    static const struct {
        uint32_t idr2, configr;
        bool vmidopt;
    } rows[] = {
        {0x00001088, 0x8001, false}, {0x20001088, 0x8001, true},  {0x20001088, 0x0001, false},
        {0x40001088, 0x0001, true},  {0x80001088, 0x8001, false}, {0xa0001088, 0x0001, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct registers registers = etmv4_a53();
        set(&registers, "TRCIDR1", 0x4100f450);
        set(&registers, "TRCIDR2", rows[i].idr2);
        set(&registers, "TRCCONFIGR", rows[i].configr);
        struct cairn_config *config = configure(CAIRN_PROTOCOL_ETMV4, armv8_a, &registers);
        assert_int_equal(cairn_etmv4_of(config)->vmidopt, rows[i].vmidopt);
        cairn_config_unref(config);
    }
}

/* WFXMODE is bit 31, from ETMv4.3 on. */
static void test_wfxmode(void **state)
{
    struct registers registers = etmv4_a53();
    (void)state;
    set(&registers, "TRCIDR2", 0x80000488);
    struct cairn_config *config = configure(CAIRN_PROTOCOL_ETMV4, armv8_a, &registers);
    assert_false(cairn_etmv4_of(config)->wfx_is_p0);
    cairn_config_unref(config);
    set(&registers, "TRCIDR1", 0x4100f430);
    config = configure(CAIRN_PROTOCOL_ETMV4, armv8_a, &registers);
    assert_true(cairn_etmv4_of(config)->wfx_is_p0);
    cairn_config_unref(config);
}

static void test_impossible(void **state)
{
    struct registers registers = etmv4_a53();
    (void)state;
    set(&registers, "TRCIDR1", 0x4100f303);
    assert_refused(CAIRN_PROTOCOL_ETMV4, &registers, "TRCIDR1", "0x4100f303");
    set(&registers, "TRCIDR1", 0x4100fff0);
    assert_refused(CAIRN_PROTOCOL_ETMV4, &registers, "TRCIDR1", "ETE");
    registers = etmv4_a53();
    set(&registers, "TRCIDR2", 0);
    assert_refused(CAIRN_PROTOCOL_ETMV4, &registers, "IASIZE", "4 (32-bit addresses) or 8");
    set(&registers, "TRCIDR2", 0x00000448);
    assert_refused(CAIRN_PROTOCOL_ETMV4, &registers, "CIDSIZE", "0x00000448");
    set(&registers, "TRCIDR2", 0x00000c88);
    assert_refused(CAIRN_PROTOCOL_ETMV4, &registers, "VMIDSIZE", "0, 1, 2 or 4");
    registers = ete_1_0();
    set(&registers, "TRCIDR2", 0);
    assert_refused(CAIRN_PROTOCOL_ETE, &registers, "TRCIDR2", "IASIZE");
}

/* Odd, but it can be decoded: a note each, no refusal. */
static void test_odd(void **state)
{
    static const struct {
        const char *name;
        uint64_t value;
        const char *note;
    } rows[] = {
        {"TRCDEVARCH", 0x47704a13, "ETE 1.0 is assumed"},
        {"TRCDEVARCH", 0x4770da13, "ETE 1.0 is assumed"}, /* ARCHVER has four bits */
        {"TRCIDR1", 0x4100f403, "may be ETMv4"},
        {"TRCIDR0", 0x2901cea1, "TSSIZE"},
        {"TRCIDR2", 0xde001088, "CCSIZE"},
        {"TRCIDR2", 0xd0000488, "is the source ETMv4?"},
        {"TRCIDR2", 0xd0000c88, "those sizes are used"},
        {"TRCCONFIGR", 0x101, "COND"},
        {"TRCIDR0", UINT64_C(0x12801cea1), "32 bits"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct registers registers = ete_1_0();
        set(&registers, rows[i].name, rows[i].value);
        struct cairn_config *config = ete(&registers);
        if (notes_with(config, rows[i].note) != 1)
            print_message("# %s\n", rows[i].note);
        assert_int_equal(notes_with(config, rows[i].note), 1);
        assert_int_equal(notes_with(config, ""), 1);
        cairn_config_unref(config);
    }
}

/* On in TRCCONFIGR, absent in TRCIDR0: TRCCONFIGR is believed, with a note. */
static void test_contradictions(void **state)
{
    static const struct {
        uint32_t configr;
        const char *note;
    } rows[] = {
        {1u << 4, "TRCCCI"},
        {1u << 12, "RETSTACK"},
        {1u << 13, "QSUPP"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct registers registers = ete_1_0();
        set(&registers, "TRCCONFIGR", 1 | rows[i].configr);
        set(&registers, "TRCIDR0", 0x08000001);
        struct cairn_config *config = ete(&registers);
        assert_int_equal(notes_with(config, rows[i].note), 1);
        assert_int_equal(notes_with(config, ""), 1);
        cairn_config_unref(config);
    }
}

static void test_missing(void **state)
{
    const struct registers none = {0};
    struct cairn_config *config = ete(&none);
    const struct cairn_etmv4_config *etm = cairn_etmv4_of(config);
    (void)state;
    assert_int_equal(notes_with(config, "is missing"), 5);
    assert_int_equal(notes_with(config, "TRCCONFIGR is missing: 0x00000001 is assumed"), 1);
    assert_int_equal(notes_with(config, "TRCIDR0"), 1);
    assert_int_equal(notes_with(config, "TRCIDR2"), 1);
    assert_int_equal(notes_with(config, "TRCIDR8"), 1);
    assert_int_equal(notes_with(config, "TRCDEVARCH"), 1);
    assert_int_equal(etm->minor, 3); /* understands every earlier revision's streams */
    assert_int_equal(etm->max_speculation, 0);
    cairn_config_unref(config);

    config = configure(CAIRN_PROTOCOL_ETMV4, armv8_a, &none);
    assert_int_equal(notes_with(config, "TRCIDR1 is missing"), 1);
    assert_int_equal(notes_with(config, "TRCDEVARCH"), 0);
    assert_int_equal(cairn_etmv4_of(config)->address_size, 8);
    cairn_config_unref(config);

    config = configure(CAIRN_PROTOCOL_ETMV4, (struct cairn_arch){CAIRN_PROFILE_M, 8, 1, 0}, &none);
    assert_int_equal(cairn_etmv4_of(config)->minor, 2);
    assert_int_equal(cairn_etmv4_of(config)->address_size, 4);
    cairn_config_unref(config);
}

/* Names in any case; of several values the last one counts; unknown registers are no matter. */
static void test_names(void **state)
{
    struct registers registers = ete_1_0();
    (void)state;
    set(&registers, "trcidr8", 5);
    set(&registers, "TRCVICTLR", 0x201);
    struct cairn_config *config = ete(&registers);
    assert_int_equal(cairn_etmv4_of(config)->max_speculation, 5);
    assert_no_notes(config);
    cairn_config_unref(config);
}

static void test_arguments(void **state)
{
    const struct registers none = {0};
    struct cairn_config *config = NULL;
    struct cairn_error error;
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    (void)state;
    assert_int_equal(try_config(CAIRN_PROTOCOL_STM, armv8_a, &none, &config, &error),
                     CAIRN_E_UNSUPPORTED);
    assert_non_null(strstr(error.text, "STM"));
    assert_int_equal(cairn_config_new(NULL, &config, NULL), CAIRN_E_ARGUMENT);
    source.protocol = CAIRN_PROTOCOL_ETE;
    assert_int_equal(cairn_config_new(&source, NULL, NULL), CAIRN_E_ARGUMENT);
    source.register_count = 1;
    assert_int_equal(cairn_config_new(&source, &config, NULL), CAIRN_E_ARGUMENT);
    source.register_count = 0;
    source.size = sizeof source.size - 1;
    assert_int_equal(cairn_config_new(&source, &config, NULL), CAIRN_E_ARGUMENT);
    source.size = sizeof source.size; /* nothing but its size: no protocol is told */
    assert_int_equal(cairn_config_new(&source, &config, NULL), CAIRN_E_UNSUPPORTED);
    assert_null(config);
    cairn_config_unref(NULL);
}

static void test_references(void **state)
{
    const struct registers registers = ete_1_0();
    struct cairn_config *config = ete(&registers);
    struct cairn_packets *packets;
    (void)state;
    assert_ptr_equal(cairn_config_ref(config), config);
    cairn_config_unref(config);
    assert_int_equal(cairn_packets_new(config, &packets), CAIRN_OK);
    cairn_config_unref(config); /* the decoder keeps its own */
    assert_int_equal(cairn_config_protocol(config), CAIRN_PROTOCOL_ETE);
    cairn_packets_free(packets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ete),
        cmocka_unit_test(test_ete_revisions),
        cmocka_unit_test(test_trcconfigr),
        cmocka_unit_test(test_commtrans),
        cmocka_unit_test(test_speculation_is_bounded),
        cmocka_unit_test(test_etmv4),
        cmocka_unit_test(test_tssize),
        cmocka_unit_test(test_commopt),
        cmocka_unit_test(test_m_profile),
        cmocka_unit_test(test_etmv4_data),
        cmocka_unit_test(test_vmidopt),
        cmocka_unit_test(test_wfxmode),
        cmocka_unit_test(test_impossible),
        cmocka_unit_test(test_odd),
        cmocka_unit_test(test_contradictions),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_references),
    };
    return cmocka_run_group_tests_name("configure", tests, NULL, NULL);
}
