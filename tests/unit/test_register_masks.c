/* SPDX-License-Identifier: BSD-2-Clause */
/* Which bits of which registers a unit has, by what its identification registers say: one field of
 * them at a time, over all its values (DDI0608 D16 and IHI0064 7.3: TRCIDR0 to TRCIDR6, and the
 * register that each field speaks of). A unit of which they say nothing is where each begins. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "bare_registers.h"

#define BOTH_PROTOCOLS                                                                             \
    {                                                                                              \
        CAIRN_PROTOCOL_ETE, CAIRN_PROTOCOL_ETMV4                                                   \
    }

static uint64_t mask(const char *name)
{
    const unsigned mine =
        registers.protocol == CAIRN_PROTOCOL_ETE ? CAIRN_REGISTER_ETE : CAIRN_REGISTER_ETMV4;

    for (unsigned i = 0; i < CAIRN_REG_COUNT; i++)
        if (strcmp(cairn_register_rows[i].name, name) == 0 &&
            (cairn_register_rows[i].protocols & mine))
            return cairn_register_implemented(&registers, i);
    fail_msg("no register %s", name);
    return 0;
}

static uint64_t mask_n(const char *name, unsigned n)
{
    char text[32];

    snprintf(text, sizeof text, "%s%u", name, n);
    return mask(text);
}

static uint64_t ones(unsigned count)
{
    return (UINT64_C(1) << count) - 1;
}

static void test_nothing(void **state)
{
    static const enum cairn_protocol_id protocols[] = BOTH_PROTOCOLS;
    static const struct {
        const char *name;
        uint64_t mask;
    } rows[] = {
        {"TRCPRGCTLR", 1},     {"TRCEVENTCTL0R", 0}, {"TRCEVENTCTL1R", 0}, {"TRCSTALLCTLR", 0},
        {"TRCTSCTLR", 0},      {"TRCSYNCPR", 0x1f},  {"TRCCCCTLR", 0},     {"TRCBBCTLR", 0},
        {"TRCTRACEIDR", 0x7f}, {"TRCQCTLR", 0},      {"TRCVICTLR", 0x400}, {"TRCVIIECTLR", 0},
        {"TRCVISSCTLR", 0},    {"TRCVIPCSSCTLR", 0}, {"TRCSEQEVR0", 0},    {"TRCSEQEVR2", 0},
        {"TRCSEQRSTEVR", 0},   {"TRCSEQSTR", 0},     {"TRCCNTRLDVR0", 0},  {"TRCCNTCTLR0", 0},
        {"TRCCNTVR0", 0},      {"TRCRSCTLR2", 0},    {"TRCSSCCR0", 0},     {"TRCSSCSR0", 0},
        {"TRCSSPCICR0", 0},    {"TRCACVR0", 0},      {"TRCACATR0", 0},     {"TRCCIDCVR0", 0},
        {"TRCVMIDCVR0", 0},    {"TRCCIDCCTLR0", 0},  {"TRCVMIDCCTLR0", 0}, {"TRCIMSPEC0", 0},
        {"TRCAUXCTLR", 0},
    };

    (void)state;
    for (unsigned p = 0; p < 2; p++) {
        bare(protocols[p]);
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
            assert_int_equal(mask(rows[i].name), rows[i].mask);
        /* ETE: context identifiers are of every unit */
        assert_int_equal(mask("TRCCONFIGR"), p == 0 ? 0x41 : 0x1);
    }
    bare(CAIRN_PROTOCOL_ETE);
    for (unsigned n = 0; n < 4; n++)
        assert_int_equal(mask_n("TRCEXTINSELR", n), 0);
    assert_int_equal(mask("TRCRSR"), 0x1f0f);
    bare(CAIRN_PROTOCOL_ETMV4);
    assert_int_equal(mask("TRCEXTINSELR"), 0);
    assert_int_equal(mask("TRCPROCSELR"), 0);
}

/* Fields that are a bit, or that say of a bit elsewhere that it is there. */
static void test_single_fields(void **state)
{
    static const struct {
        const char *built;
        uint32_t value;
        const char *name;
        uint32_t bits;
    } rows[] = {
        {"TRCIDR0", 1u << 5, "TRCCONFIGR", 1u << 3}, /* TRCBB: BB */
        {"TRCIDR0", 1u << 7, "TRCCONFIGR", 1u << 4}, /* TRCCCI: CCI */
        {"TRCIDR0", 1u << 7, "TRCCCCTLR", 0xfff},
        {"TRCIDR0", 1u << 9, "TRCCONFIGR", 1u << 12},  /* RETSTACK: RS */
        {"TRCIDR0", 1u << 15, "TRCCONFIGR", 3u << 13}, /* QSUPP: QE */
        {"TRCIDR0", 2u << 15, "TRCCONFIGR", 3u << 13},
        {"TRCIDR0", 3u << 15, "TRCCONFIGR", 3u << 13},
        {"TRCIDR0", 6u << 24, "TRCCONFIGR", 1u << 11}, /* TSSIZE: TS */
        {"TRCIDR0", 8u << 24, "TRCCONFIGR", 1u << 11},
        {"TRCIDR0", 3u << 10, "TRCEVENTCTL1R", 0},     /* NUMEVENT without selectors */
        {"TRCIDR0", 8u << 24, "TRCTSCTLR", 0},         /* TSSIZE without selectors */
        {"TRCIDR0", 1u << 14, "TRCQCTLR", 0},          /* QFILT without comparators */
        {"TRCIDR2", 4u << 10, "TRCCONFIGR", 1u << 7},  /* VMIDSIZE: VMID */
        {"TRCIDR2", 1u << 15, "TRCCONFIGR", 0},        /* DASIZE says nothing of it */
        {"TRCIDR2", 1u << 29, "TRCCONFIGR", 1u << 15}, /* VMIDOPT */
        {"TRCIDR2", 2u << 29, "TRCCONFIGR", 1u << 15},
        {"TRCIDR3", 1u << 24, "TRCVICTLR", 1u << 11}, /* TRCERR */
        {"TRCIDR3", 1u << 16, "TRCVICTLR", 1u << 16}, /* EXLEVEL_S */
        {"TRCIDR3", 1u << 17, "TRCVICTLR", 1u << 17},
        {"TRCIDR3", 1u << 18, "TRCVICTLR", 1u << 18},
        {"TRCIDR3", 1u << 19, "TRCVICTLR", 1u << 19},
        {"TRCIDR3", 1u << 20, "TRCVICTLR", 1u << 20}, /* EXLEVEL_NS */
        {"TRCIDR3", 1u << 21, "TRCVICTLR", 1u << 21},
        {"TRCIDR3", 1u << 22, "TRCVICTLR", 1u << 22},
        {"TRCIDR3", 1u << 26, "TRCSTALLCTLR", 0x10f},     /* STALLCTL: ISTALL, LEVEL */
        {"TRCIDR3", 1u << 31, "TRCSTALLCTLR", 1u << 13},  /* NOOVERFLOW */
        {"TRCIDR5", 1u << 22, "TRCEVENTCTL1R", 1u << 11}, /* ATBTRIG: ATB */
        {"TRCIDR5", 1u << 23, "TRCEVENTCTL1R", 1u << 12}, /* LPOVERRIDE */
        {"TRCIDR5", 4u << 25, "TRCSEQEVR0", 0x9f9f},      /* NUMSEQSTATE */
        {"TRCIDR5", 4u << 25, "TRCSEQEVR1", 0x9f9f},
        {"TRCIDR5", 4u << 25, "TRCSEQEVR2", 0x9f9f},
        {"TRCIDR5", 4u << 25, "TRCSEQRSTEVR", 0x9f},
        {"TRCIDR5", 4u << 25, "TRCSEQSTR", 3},
        {"TRCIDR4", 1u << 12, "TRCVICTLR", 1u << 9}, /* NUMPC: SSSTATUS */
        {"TRCIDR4", 1u << 0, "TRCVICTLR", 1u << 9},  /* NUMACPAIRS: SSSTATUS */
        {"TRCIDR4", 1u << 16, "TRCVICTLR", 0x9f},    /* NUMRSPAIR: EVENT */
    };
    static const enum cairn_protocol_id protocols[] = BOTH_PROTOCOLS;

    (void)state;
    for (unsigned p = 0; p < 2; p++)
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            uint64_t before, value = 0;

            bare(protocols[p]);
            before = mask(rows[i].name);
            assert_int_equal(before & rows[i].bits, 0);
            assert_int_equal(cairn_unit_registers_read(&registers, rows[i].built, &value),
                             CAIRN_OK);
            set(rows[i].built, value | rows[i].value);
            assert_int_equal(mask(rows[i].name), before | rows[i].bits);
        }
    /* TRCIDR3.SYNCPR: the period cannot be changed */
    bare(CAIRN_PROTOCOL_ETE);
    set("TRCIDR3", 0x02000004);
    assert_int_equal(mask("TRCSYNCPR"), 0);
}

/* NUMACPAIRS: comparators, and a bit or two each in what selects them. */
static void test_pairs(void **state)
{
    static const enum cairn_protocol_id protocols[] = BOTH_PROTOCOLS;

    (void)state;
    for (unsigned p = 0; p < 2; p++)
        for (unsigned pairs = 0; pairs <= 8; pairs++) {
            const uint64_t ranges = ones(pairs), singles = ones(2 * pairs);

            bare(protocols[p]);
            set("TRCIDR4", 0x00100000 | pairs); /* a single-shot comparator control */
            assert_int_equal(mask("TRCVIIECTLR"), ranges << 16 | ranges);
            assert_int_equal(mask("TRCVISSCTLR"), singles << 16 | singles);
            assert_int_equal(mask("TRCSSCCR0"), 1u << 24 | ranges << 16 | singles);
            assert_int_equal(mask("TRCBBCTLR"), 0);
            assert_int_equal(mask("TRCQCTLR"), 0);
            for (unsigned n = 0; n < 16; n++) {
                assert_true(mask_n("TRCACVR", n) == (n < 2 * pairs ? UINT64_MAX : 0));
                assert_int_equal(mask_n("TRCACATR", n), 0);
            }
            set("TRCIDR3", 0x00590004); /* EXLEVEL_S 9, EXLEVEL_NS 5 */
            for (unsigned n = 0; n < 16; n++)
                assert_int_equal(mask_n("TRCACATR", n), n < 2 * pairs ? 0x5900 : 0);
            set("TRCIDR0", 1u | 1u << 5);
            assert_int_equal(mask("TRCBBCTLR"), pairs ? 0x100 | ranges : 0);
            set("TRCIDR0", 1u | 1u << 14);
            assert_int_equal(mask("TRCQCTLR"), pairs ? 0x100 | ranges : 0);
        }
}

/* NUMPC, NUMSSCC. */
static void test_inputs_and_single_shots(void **state)
{
    (void)state;
    for (unsigned count = 0; count <= 8; count++) {
        bare(CAIRN_PROTOCOL_ETE);
        set("TRCIDR4", count << 12 | 1u << 20);
        assert_int_equal(mask("TRCVIPCSSCTLR"), ones(count) << 16 | ones(count));
        assert_int_equal(mask("TRCSSPCICR0"), ones(count));
        assert_int_equal(mask("TRCSSPCICR1"), 0);
        bare(CAIRN_PROTOCOL_ETE);
        set("TRCIDR4", count << 20 | 3u << 12);
        for (unsigned n = 0; n < 8; n++) {
            assert_int_equal(mask_n("TRCSSCCR", n), n < count ? 1u << 24 : 0);
            assert_int_equal(mask_n("TRCSSCSR", n), n < count ? 0xc0000000 : 0);
            assert_int_equal(mask_n("TRCSSPCICR", n), n < count ? 7 : 0);
        }
    }
}

/* NUMCIDC and NUMVMIDC: a mask byte each, four to a control register. */
static void test_contexts(void **state)
{
    static const struct {
        const char *values, *controls;
        unsigned shift;
    } kinds[] = {{"TRCCIDCVR", "TRCCIDCCTLR", 24}, {"TRCVMIDCVR", "TRCVMIDCCTLR", 28}};

    (void)state;
    for (unsigned k = 0; k < 2; k++)
        for (unsigned count = 0; count <= 8; count++) {
            bare(CAIRN_PROTOCOL_ETE);
            set("TRCIDR4", count << kinds[k].shift | 1);
            for (unsigned n = 0; n < 8; n++) {
                assert_int_equal(mask_n(kinds[k].values, n), n < count ? 0xffffffff : 0);
                assert_int_equal(mask_n(kinds[1 - k].values, n), 0);
            }
            assert_int_equal(mask_n(kinds[k].controls, 0), count > 0 ? 0x0f0f0f0f : 0);
            assert_int_equal(mask_n(kinds[k].controls, 1), count > 4 ? 0x0f0f0f0f : 0);
            assert_int_equal(mask_n(kinds[1 - k].controls, 0), 0);
            assert_int_equal(mask_n("TRCACATR", 0), count > 0 ? 0x7c : 0);
        }
}

/* NUMRSPAIR counts pairs without the first, of which there is one if there is any; PAIRINV is of
 * the lower one of a pair (R_KTNJM). NUMEVENT counts from 0. */
static void test_selectors(void **state)
{
    (void)state;
    for (unsigned pairs = 0; pairs < 16; pairs++) {
        const unsigned selectors = pairs ? 2 * (pairs + 1) : 0;

        bare(CAIRN_PROTOCOL_ETE);
        set("TRCIDR4", pairs << 16);
        for (unsigned n = 2; n < 32; n++)
            assert_int_equal(mask_n("TRCRSCTLR", n), n >= selectors ? 0
                                                     : n % 2        ? 0x1fffff
                                                                    : 0x3fffff);
        for (unsigned events = 0; events < 4; events++) {
            set("TRCIDR0", 1u | events << 10 | 8u << 24);
            assert_int_equal(mask("TRCEVENTCTL0R"),
                             pairs ? 0x9f9f9f9f & ones(8 * (events + 1)) : 0);
            assert_int_equal(mask("TRCEVENTCTL1R"), pairs ? ones(events + 1) : 0);
            assert_int_equal(mask("TRCTSCTLR"), pairs ? 0x9f : 0);
        }
    }
}

/* NUMCNTR and NUMEXTINSEL; CNTCHAIN is of the odd counters (D7.7.1). */
static void test_counters_and_inputs(void **state)
{
    (void)state;
    for (unsigned count = 0; count <= 4; count++) {
        bare(CAIRN_PROTOCOL_ETE);
        set("TRCIDR5", count << 28);
        for (unsigned n = 0; n < 4; n++) {
            const uint64_t control = n % 2 ? 0x39f9f : 0x19f9f;

            assert_int_equal(mask_n("TRCCNTRLDVR", n), n < count ? 0xffff : 0);
            assert_int_equal(mask_n("TRCCNTVR", n), n < count ? 0xffff : 0);
            assert_int_equal(mask_n("TRCCNTCTLR", n), n < count ? control : 0);
            assert_int_equal(mask_n("TRCEXTINSELR", n), 0);
        }
        bare(CAIRN_PROTOCOL_ETE);
        set("TRCIDR5", count << 9);
        for (unsigned n = 0; n < 4; n++)
            assert_int_equal(mask_n("TRCEXTINSELR", n), n < count ? 0xffff : 0);
        bare(CAIRN_PROTOCOL_ETMV4);
        set("TRCIDR5", count << 9);
        assert_int_equal(mask("TRCEXTINSELR"), count ? 0xffffffff : 0);
    }
}

/* TRCIDR6.EXLEVEL_RL, from ETE 1.2. */
static void test_realm(void **state)
{
    (void)state;
    for (unsigned revision = 0; revision < 4; revision++)
        for (unsigned levels = 0; levels < 8; levels++) {
            bare(CAIRN_PROTOCOL_ETE);
            set("TRCDEVARCH", 0x47705a13 | revision << 16);
            set("TRCIDR4", 1);
            set("TRCIDR6", levels);
            assert_int_equal(mask("TRCVICTLR"),
                             0x600 | (revision >= 2 ? (uint64_t)levels << 24 : 0));
            assert_int_equal(mask("TRCACATR1"), revision >= 2 ? (uint64_t)levels << 16 : 0);
        }
    bare(CAIRN_PROTOCOL_ETMV4);
    set("TRCIDR4", 1);
    set("TRCIDR1", 0x4100f460);
    set("TRCIDR6", 7);
    assert_int_equal(mask("TRCVICTLR"), 0x600);
    assert_int_equal(mask("TRCACATR0"), 0);
}

/* What software cannot write: the identification registers at their borders, and reserved values
 * where the bits are there. */
static void test_values(void **state)
{
    static const struct {
        enum cairn_protocol_id protocol;
        const char *name;
        uint64_t value;
        bool fits;
    } rows[] = {
        {CAIRN_PROTOCOL_ETE, "TRCIDR0", 0x06000001, true},
        {CAIRN_PROTOCOL_ETE, "TRCIDR0", 0x05000001, false},
        {CAIRN_PROTOCOL_ETE, "TRCIDR0", 0x09000001, false},
        {CAIRN_PROTOCOL_ETE, "TRCIDR0", 0x18000001, false},
        {CAIRN_PROTOCOL_ETE, "TRCIDR1", 0x4100fff0, true},
        {CAIRN_PROTOCOL_ETE, "TRCIDR1", 0x4100fef0, false},
        {CAIRN_PROTOCOL_ETMV4, "TRCIDR1", 0x4100f400, true},
        {CAIRN_PROTOCOL_ETMV4, "TRCIDR1", 0x4100f500, false},
        {CAIRN_PROTOCOL_ETE, "TRCIDR2", 0x00001088, true},
        {CAIRN_PROTOCOL_ETE, "TRCIDR2", 0x00000088, true},
        {CAIRN_PROTOCOL_ETE, "TRCIDR2", 0x00001084, false},
        {CAIRN_PROTOCOL_ETE, "TRCIDR2", 0x00001008, false},
        {CAIRN_PROTOCOL_ETE, "TRCIDR2", 0x00000888, false},
        {CAIRN_PROTOCOL_ETE, "TRCIDR2", 0x10001088, true}, /* CCSIZE 8 */
        {CAIRN_PROTOCOL_ETE, "TRCIDR2", 0x40001088, true}, /* VMIDOPT 2 */
        {CAIRN_PROTOCOL_ETE, "TRCIDR2", 0x60001088, false},
        {CAIRN_PROTOCOL_ETMV4, "TRCIDR2", 0x00000004, true},
        {CAIRN_PROTOCOL_ETMV4, "TRCIDR2", 0x00000008, true},
        {CAIRN_PROTOCOL_ETMV4, "TRCIDR2", 0x00000005, false},
        {CAIRN_PROTOCOL_ETMV4, "TRCIDR2", 0x00000024, false}, /* CIDSIZE 1 */
        {CAIRN_PROTOCOL_ETMV4, "TRCIDR2", 0x00000404, true},  /* VMIDSIZE 1 */
        {CAIRN_PROTOCOL_ETMV4, "TRCIDR2", 0x00000804, true},
        {CAIRN_PROTOCOL_ETMV4, "TRCIDR2", 0x00000c04, false},
        {CAIRN_PROTOCOL_ETMV4, "TRCIDR2", 0x00001004, true},
        {CAIRN_PROTOCOL_ETMV4, "TRCIDR2", 0x00001404, false},
        {CAIRN_PROTOCOL_ETE, "TRCIDR4", 0x880f8008, true},
        {CAIRN_PROTOCOL_ETE, "TRCIDR4", 0x00000009, false},
        {CAIRN_PROTOCOL_ETE, "TRCIDR4", 0x00009000, false},
        {CAIRN_PROTOCOL_ETE, "TRCIDR4", 0x00900000, false},
        {CAIRN_PROTOCOL_ETE, "TRCIDR4", 0x09000000, false},
        {CAIRN_PROTOCOL_ETE, "TRCIDR4", 0x90000000, false},
        {CAIRN_PROTOCOL_ETE, "TRCIDR5", 0x40000800, true},
        {CAIRN_PROTOCOL_ETE, "TRCIDR5", 0x50000000, false},
        {CAIRN_PROTOCOL_ETE, "TRCIDR5", 0x00000a00, false},
        {CAIRN_PROTOCOL_ETE, "TRCIDR8", 4096, true},
        {CAIRN_PROTOCOL_ETE, "TRCIDR8", 4097, false},
        {CAIRN_PROTOCOL_ETE, "TRCDEVARCH", 0x47715a13, true},
        {CAIRN_PROTOCOL_ETE, "TRCDEVARCH", 0x47714a13, false},
        {CAIRN_PROTOCOL_ETMV4, "TRCDEVARCH", 0x47724a13, true},
        {CAIRN_PROTOCOL_ETMV4, "TRCDEVARCH", 0x47725a13, false},
        {CAIRN_PROTOCOL_ETE, "TRCSYNCPR", 0, true},
        {CAIRN_PROTOCOL_ETE, "TRCSYNCPR", 1, false},
        {CAIRN_PROTOCOL_ETE, "TRCSYNCPR", 7, false},
        {CAIRN_PROTOCOL_ETE, "TRCSYNCPR", 8, true},
        {CAIRN_PROTOCOL_ETE, "TRCSYNCPR", 20, true},
        {CAIRN_PROTOCOL_ETE, "TRCSYNCPR", 21, false},
        {CAIRN_PROTOCOL_ETE, "TRCTRACEIDR", 0x6f, true},
        {CAIRN_PROTOCOL_ETE, "TRCTRACEIDR", 0x70, false},
    };
    struct cairn_error error;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bare(rows[i].protocol);
        assert_int_equal(
            cairn_unit_registers_write(&registers, rows[i].name, rows[i].value, true, &error),
            rows[i].fits ? CAIRN_OK : CAIRN_E_CONFIG);
    }
    /* TRCCONFIGR.QE: 2 is reserved, whatever stands beside it; 1 is of units that count */
    for (unsigned supported = 1; supported < 4; supported++)
        for (unsigned qe = 0; qe < 4; qe++)
            for (unsigned beside = 0; beside < 2; beside++) {
                bare(CAIRN_PROTOCOL_ETE);
                set("TRCIDR0", 1u | supported << 15);
                set("TRCIDR2", 0x20001088);
                assert_int_equal(
                    cairn_unit_registers_write(&registers, "TRCCONFIGR",
                                               1u | qe << 13 | beside << 15, false, &error),
                    qe == 2 || (qe == 1 && supported == 2) ? CAIRN_E_CONFIG : CAIRN_OK);
            }
}

/* Resource events of 4, 16 and 18 selectors: single ones and pairs, up to the last one there is. */
static void test_events(void **state)
{
    static const struct {
        const char *name;
        unsigned bytes;
    } events[] = {{"TRCEVENTCTL0R", 4}, {"TRCTSCTLR", 1},  {"TRCVICTLR", 1},
                  {"TRCSEQRSTEVR", 1},  {"TRCSEQEVR0", 2}, {"TRCCNTCTLR0", 2}};
    static const unsigned pairs[] = {1, 7, 8, 15};
    struct cairn_error error;

    (void)state;
    for (unsigned p = 0; p < 4; p++)
        for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
            for (unsigned byte = 0; byte < events[i].bytes; byte++)
                for (unsigned event = 0; event < 0x100; event++) {
                    const unsigned select = event & 0x1f, selectors = 2 * (pairs[p] + 1);
                    const bool there = event & 0x80 ? select < 16 && 2 * select + 1 < selectors
                                                    : select < selectors;

                    bare(CAIRN_PROTOCOL_ETE);
                    set("TRCIDR0", 0x08000c01);
                    set("TRCIDR4", pairs[p] << 16);
                    set("TRCIDR5", 0x48000000);
                    assert_int_equal(cairn_unit_registers_write(&registers, events[i].name,
                                                                (uint64_t)event << 8 * byte, false,
                                                                &error),
                                     there && !(event & 0x60) ? CAIRN_OK : CAIRN_E_CONFIG);
                }
}

/* Table D7.1: how many resources each group has. */
static void test_groups(void **state)
{
    static const unsigned resources[16] = {4, 8, 8, 8, 16, 8, 8, 8};
    struct cairn_error error;

    (void)state;
    bare(CAIRN_PROTOCOL_ETE);
    set("TRCIDR4", 1u << 16);
    for (unsigned group = 0; group < 16; group++)
        for (unsigned bit = 0; bit < 16; bit++)
            assert_int_equal(cairn_unit_registers_write(&registers, "TRCRSCTLR2",
                                                        group << 16 | 1u << bit, false, &error),
                             bit < resources[group] ? CAIRN_OK : CAIRN_E_CONFIG);
}

/* TRCACATR.CONTEXT: of a comparator that is there, of the kinds that CONTEXTTYPE asks for. */
static void test_context_of_comparators(void **state)
{
    struct cairn_error error;

    (void)state;
    for (unsigned cids = 0; cids <= 8; cids += 2)
        for (unsigned vmids = 0; vmids <= 8; vmids += 4)
            for (unsigned type = 0; type < 4; type++)
                for (unsigned context = 0; context < 8; context++) {
                    const bool there = (!(type & 1) || context < cids) &&
                                       (!(type & 2) || context < vmids) &&
                                       (cids || vmids || (type == 0 && context == 0));

                    bare(CAIRN_PROTOCOL_ETE);
                    set("TRCIDR4", 1u | cids << 24 | vmids << 28);
                    assert_int_equal(cairn_unit_registers_write(&registers, "TRCACATR1",
                                                                type << 2 | context << 4, false,
                                                                &error),
                                     there ? CAIRN_OK : CAIRN_E_CONFIG);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_single_fields),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_inputs_and_single_shots),
        cmocka_unit_test(test_contexts),
        cmocka_unit_test(test_selectors),
        cmocka_unit_test(test_counters_and_inputs),
        cmocka_unit_test(test_realm),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_context_of_comparators),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
