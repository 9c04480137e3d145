/* SPDX-License-Identifier: BSD-2-Clause */
/* Cycles of an ETMv1 port as packets: statuses, lanes, branch addresses and whose they are (IHI0014 5.1
 * to 5.6). */
#include "bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "protocol/about.h"

/* Trace on at 0x8000 in ARM state on 8 pins: bytes 80 80 82 80 10. */
#define ON_8 "BE*/80 A0/80 A0/82 WT/80 WT/10 "
#define ON_8_TEXT "BE a1/5 apo 0 >8000 A reason 1; APO a2/5 0; APO a3/5 0; WT a4/5; WT a5/5; "

static struct etmv1_bench bench;

static void packets(uint32_t cr, unsigned protocol, const char *cycles)
{
    etmv1_begin(&bench, cr, CCR(protocol));
    etmv1_cycles(&bench, cycles);
    etmv1_packets_text(&bench);
    etmv1_end(&bench);
}

/* The vector of 5.8.1-c: statuses share cycles with address bytes. What stands on the pins in the last
 * two cycles means nothing. */
static void test_eight_pins(void **state)
{
    static const char *const wanted = "BE a1/5 apo 0 >8000 A reason 1; APO a2/5 0; APO a3/5 0; "
                                      "IE a4/5; IE a5/5; BE a1/1 apo 0 >8010 A; APO - 0; APO - 0";

    (void)state;
    etmv1_begin(&bench, CR_8, CCR(3));
    /* proves: ETM1-5.8.1-c, ETM1-5.2-b, ETM1-5.5.4-a */
    assert_packets(&bench, "BE*/80 A0/80 A0/82 IE/80 IE/10 BE*/10 A0/00 A0/00", wanted);
    /* proves: ETM1-5.6.1-g */
    assert_packets(&bench, "BE*/80 A0/80 A0/82 IE/80 IE/10 BE*/10 A0/ff A0/a5", wanted);
    etmv1_end(&bench);
}

/* The vector of 5.6.1-j: three branches in front of the end of the first one's address. */
static void test_four_pins(void **state)
{
    static const char first[] = "BE*/0 A0/8 A0/0 BE/8 A0/2 A0/8 ";
    static const char rest[] = "BE/0 A1/8 A0/0 WT/1 "
                               "WT*/0 WT/8 WT/0 WT/a WT/2 WT/8 WT/0 WT/8 WT/0 WT/0 "
                               "WT*/4 WT/8 WT/0 WT/c WT/2 WT/8 WT/0 WT/8 WT/0 WT/0";
    static const char address[] = "WT a1/5; WT a1/5; WT a2/5; WT a2/5; WT a3/5; WT a3/5; WT a4/5; "
                                  "WT a4/5; WT a5/5; WT a5/5";
    char cycles[512], wanted[1024];

    (void)state;
    etmv1_begin(&bench, CR_4, CCR(3));
    snprintf(cycles, sizeof cycles, "%s%s", first, rest);
    snprintf(wanted, sizeof wanted,
             "BE a1/5 apo 0 >8000 A reason 1; APO a1/5 0; APO a2/5 0; BE a2/5 apo 0 >9000 A; "
             "APO a3/5 0; APO a3/5 0; BE a4/5 apo 1 >a004 A; APO a4/5 1; APO a5/5 0; WT a5/5; "
             "%s; %s",
             address, address);
    /* proves: ETM1-5.6.1-j, ETM1-5.2-a, ETM1-5.2-e, ETM1-5.6.1-a */
    assert_packets(&bench, cycles, wanted);
    snprintf(wanted, sizeof wanted, "BE - apo 1 >a004 A; APO - 1; APO - 0; WT -; %s; %s", address,
             address);
    /* proves: ETM1-5.6.1-b */
    assert_packets(&bench, rest, wanted);
    etmv1_end(&bench);
}

/* Two bytes a cycle; the upper lane is a filler where an address comes next. */
static void test_sixteen_pins(void **state)
{
    (void)state;
    etmv1_begin(&bench, CR_16, CCR(3));
    /* 80 80 | 82 80 | 10 and a filler | the next address in the lower lane, 84 01 */
    /* proves: ETM1-5.2-c, ETM1-5.3.1-c */
    assert_packets(&bench, "BE*/8080 A0/8082 A0/6610 IE/6666 BE*/0184 A0 A0",
                   "BE a1/5,a2/5 apo 0 >8000 A reason 1; APO a3/5,a4/5 0; APO a5/5 0; IE -; "
                   "BE a1/2,a2/2 apo 0 >8084 A; APO - 0; APO - 0");
    etmv1_end(&bench);
}

/* Each status is told from all others. TR shows what it replaced, and no lane carries a packet then. */
static void test_statuses(void **state)
{
    (void)state;
    etmv1_begin(&bench, CR_8 | CR_VALUE, CCR(3));
    /* proves: ETM1-5.1-c, ETM1-5.1-d, ETM1-5.1-e, ETM1-5.1-f, ETM1-5.1-k */
    assert_packets(&bench, ON_8 "IE ID IN WT TD", ON_8_TEXT "IE o; ID o; IN o; WT d; TD -");
    etmv1_end(&bench);
}

static void test_triggers(void **state)
{
    (void)state;
    etmv1_begin(&bench, CR_8 | CR_VALUE, CCR(3));
    /* proves: ETM1-5.1-j, ETM1-5.4-g, ETM1-5.1.1-a */
    assert_packets(&bench, ON_8 "TR/0 TR/1 TR/2 TR/3 TR/7 TR/4 A0/0 A0/0",
                   ON_8_TEXT "TR(IE) s; TR(ID) s; TR(IN) s; TR(WT) s; TR(TD) s; "
                             "TR(BE) s apo 0 lost; APO o 0; APO o 0");
    etmv1_end(&bench);
}

/* A trigger in the middle of an address moves its bytes by a cycle; so does TD. */
static void test_interrupted(void **state)
{
    (void)state;
    etmv1_begin(&bench, CR_8, CCR(3));
    /* proves: ETM1-5.1.1-d, ETM1-5.3-c */
    assert_packets(&bench, "BE*/80 A0/80 A0/82 TR/3 WT/80 TD/55 TD/1 WT/10",
                   "BE a1/5 apo 0 >8000 A reason 1; APO a2/5 0; APO a3/5 0; TR(WT) s; WT a4/5; "
                   "TD -; TD -; WT a5/5");
    /* In an offset cycle the part of the offset is on the packet pins: here 1, then 0. The address of
     * the second branch is behind that of a branch that was before the capture. */
    /* proves: ETM1-5.6.1-h */
    assert_packets(&bench, "BE/0 TR/1 A0/0 WT*/1 WT*/80 WT/80 WT/82 WT/80 WT/10",
                   "BE - apo 1 >8000 A reason 1; TR(APO) s; APO - 0; WT a1/1; WT a1/5; WT a2/5; "
                   "WT a3/5; WT a4/5; WT a5/5");
    etmv1_end(&bench);
}

/* The value 15 says nothing; in step it is not needed. */
static void test_offset_too_large(void **state)
{
    (void)state;
    etmv1_begin(&bench, CR_8, CCR(3));
    assert_packets(&bench, "BE A3 A3 WT*/80 WT/80 WT/82 WT/80 WT/10",
                   "BE - apo 15 lost; APO - 3; APO - 3; WT a1/5; WT a2/5; WT a3/5; WT a4/5; "
                   "WT a5/5");
    /* proves: ETM1-5.6.1-c, ETM1-5.6-a */
    assert_packets(
        &bench, "BE A3 A3 BE*/80 A0/80 A0/82 WT/80 WT/10",
        "BE - apo 15 lost; APO - 3; APO - 3; BE a1/5 apo 0 >8000 A reason 1; APO a2/5 0; "
        "APO a3/5 0; WT a4/5; WT a5/5");
    etmv1_end(&bench);
}

/* Addresses of 17 branches behind the last one's offset cycles: that of the 16th and 17th is too large. */
static void test_offset_in_step(void **state)
{
    static char cycles[1024], wanted[2048];
    char *to = cycles, *text = wanted;

    (void)state;
    etmv1_begin(&bench, CR_8, CCR(3));
    to += sprintf(to, ON_8);
    text += sprintf(text, "%s", ON_8_TEXT);
    for (unsigned i = 0; i < 17; i++) {
        const unsigned apo = i < 15 ? i : 15;

        to += sprintf(to, "BE A%u A%u ", apo & 3, apo >> 2);
        text += sprintf(text, "BE - apo %u >%x A; APO - %u; APO - %u; ", apo, 0x8004 + 4 * i,
                        apo & 3, apo >> 2);
    }
    for (unsigned i = 0; i < 17; i++) {
        to += sprintf(to, "WT*/%x ", 4 + 4 * i);
        text += sprintf(text, "WT a1/1%s", i < 16 ? "; " : "");
    }
    /* proves: ETM1-5.6.1-b, ETM1-5.6.1-c */
    assert_packets(&bench, cycles, wanted);
    etmv1_end(&bench);
}

/* A branch in an offset cycle: the one before is given up, and its address passed over. */
static void test_abandoned(void **state)
{
    (void)state;
    etmv1_begin(&bench, CR_8, CCR(3));
    /* 0x8000 after an overflow, given up for 0x8004 after an overflow */
    /* proves: ETM1-5.6.1-f, ETM1-5.9-d */
    assert_packets(&bench,
                   ON_8 "BE*/80 BE/80 A0/82 A0/80 WT/20 WT*/84 WT/80 WT/82 WT/80 WT/20 "
                        "BE*/08 A0 A0",
                   ON_8_TEXT "BE a1/5 abandoned; BE a2/5 apo 0 >8004 A reason 2; APO a3/5 0; "
                             "APO a4/5 0; WT a5/5; WT a1/5; WT a2/5; WT a3/5; WT a4/5; WT a5/5; "
                             "BE a1/1 apo 0 >8008 A; APO - 0; APO - 0");
    /* the trigger hides such a branch as any other */
    assert_packets(&bench,
                   ON_8 "BE*/80 A0/80 TR/4 A0/82 A0/80 WT/20 WT*/84 WT/80 WT/82 WT/80 WT/20",
                   ON_8_TEXT "BE a1/5 abandoned; APO a2/5 0; TR(BE) s apo 0 >8004 A reason 2; "
                             "APO a3/5 0; APO a4/5 0; WT a5/5; WT a1/5; WT a2/5; WT a3/5; WT a4/5; "
                             "WT a5/5");
    etmv1_end(&bench);
}

/* On 16 pins the last byte of an address waits for the next status, which may come any time later (5.3.1).
 * Of cycles in between that are not alike, which no trace unit makes, so many are held as there is room. */
static void test_lone_packet(void **state)
{
    enum { IDLE = 1100 };
    static const char begins[] = "BE/1111 A0/2222 A0/3333 WT*/8080 WT/8082 ";
    static char cycles[16384], wanted[16384];
    char *to = cycles, *text = wanted;

    (void)state;
    etmv1_begin(&bench, CR_16 | CR_VALUE | CR_CYCLES, CCR(3));
    to += sprintf(to, "%s", begins);
    text += sprintf(text, "BE o,o apo 0 >8000 A reason 1; APO o,o 0; APO o,o 0; WT a1/5,a2/5; "
                          "WT a3/5,a4/5; ");
    for (unsigned i = 0; i < IDLE; i++) {
        to += sprintf(to, "TD/1 ");
        text += sprintf(text, "TD -; ");
    }
    sprintf(to, "IE/6610");
    sprintf(text, "IE a5/5,o");
    /* proves: ETM1-5.3-c */
    assert_packets(&bench, cycles, wanted);
    to = cycles + sprintf(cycles, "%s", begins);
    for (unsigned i = 0; i < IDLE; i++)
        to += sprintf(to, "TD/%u ", 1 + i % 2 * 2);
    sprintf(to, "IE/6610");
    etmv1_cycles(&bench, cycles);
    etmv1_packets_text(&bench);
    assert_non_null(strstr(bench.text, "BE o,o apo 0 lost; "));
    etmv1_end(&bench);
}

/* Compression replaces the low bits of the address before, whatever the PC is (5.5.4). */
static void test_compression(void **state)
{
    (void)state;
    etmv1_begin(&bench, CR_8, CCR(3));
    /* 0xa8124 in three bytes: 24, 82 and more, 2a: A[19] differs from 0x28124; then 7 and 14 bits; then
     * four bytes */
    /* proves: ETM1-5.5.4-c, ETM1-5.4-e */
    assert_packets(&bench,
                   "BE*/a4 A0/82 A0/8a WT/80 WT/10 "
                   "BE*/a4 A0/82 A0/2a BE*/04 A0 A0 BE*/80 A0/7f A0 BE*/80 A0/80 A0/80 WT/01",
                   "BE a1/5 apo 0 >28124 A reason 1; APO a2/5 0; APO a3/5 0; WT a4/5; WT a5/5; "
                   "BE a1/3 apo 0 >a8124 A; APO a2/3 0; APO a3/3 0; "
                   "BE a1/1 apo 0 >a8104 A; APO - 0; APO - 0; "
                   "BE a1/2 apo 0 >abf80 A; APO a2/2 0; APO - 0; "
                   "BE a1/4 apo 0 >200000 A; APO a2/4 0; APO a3/4 0; WT a4/4");
    /* A[31:28] in the fifth byte */
    /* proves: ETM1-5.5.4-b */
    assert_packets(&bench, "BE*/fc A0/ff A0/ff WT/ff WT/1f",
                   "BE a1/5 apo 0 >fffffffc A reason 1; APO a2/5 0; APO a3/5 0; WT a4/5; WT a5/5");
    etmv1_end(&bench);
}

/* Bit 0 is Thumb and is compressed with the rest; bit 1 counts in Thumb state alone (5.5.2). */
static void test_states(void **state)
{
    (void)state;
    etmv1_begin(&bench, CR_8, CCR(3));
    /* proves: ETM1-5.5.2-a, ETM1-5.5.2-b, ETM1-5.5.4-e */
    assert_packets(&bench, ON_8 "BE*/03 A0 A0 BE*/02 A0 A0 BE*/07 A0 A0",
                   ON_8_TEXT "BE a1/1 apo 0 >8002 T; APO - 0; APO - 0; "
                             "BE a1/1 apo 0 >8000 A; APO - 0; APO - 0; "
                             "BE a1/1 apo 0 >8006 T; APO - 0; APO - 0");
    etmv1_end(&bench);
}

/* Bit 7 of the fifth byte: the J bit in v1.3, and before not to be there (5.5.4). */
static void test_java(void **state)
{
    static const char cycles[] = "BE*/81 A0/80 A0/82 WT/80 WT/90 BE*/04 A0 A0 "
                                 "BE*/80 A0/80 A0/82 WT/80 WT/00";

    (void)state;
    packets(CR_8, 3, cycles);
    /* proves: ETM1-5.5.4-f, ETM1-5.5.3-a */
    assert_string_equal(bench.text,
                        "BE a1/5 apo 0 >8001 J reason 1; APO a2/5 0; APO a3/5 0; WT a4/5; WT a5/5; "
                        "BE a1/1 apo 0 >8004 J; APO - 0; APO - 0; "
                        "BE a1/5 apo 0 >8000 A; APO a2/5 0; APO a3/5 0; WT a4/5; WT a5/5");
    packets(CR_8, 2, cycles);
    assert_string_equal(bench.text,
                        "BE a1/5 apo 0 lost; APO a2/5 0; APO a3/5 0; WT a4/5; WT a5/5; "
                        "BE a1/1 apo 0 lost; APO - 0; APO - 0; "
                        "BE a1/5 apo 0 >8000 A; APO a2/5 0; APO a3/5 0; WT a4/5; WT a5/5");
}

/* 5.6.3: with a full address that has a reason, from v1.2 on; as many bytes as ETMCR[15:14] says. */
static void test_context_ids(void **state)
{
    static const char cycles[] = "BE*/81 A0/82 A0/82 WT/80 WT/40 WT/34 WT/12 WT/56 WT/78";
    static const char *const wanted[] = {
        "WT a5/5; WT -; WT -; WT -; WT -", "WT a5/5; WT c1/1; WT -; WT -; WT -",
        "WT a5/5; WT c1/2; WT c2/2; WT -; WT -", "WT a5/5; WT c1/4; WT c2/4; WT c3/4; WT c4/4"};
    static const char *const ids[] = {"", " id 34", " id 1234", " id 78561234"};
    char text[512];

    (void)state;
    for (unsigned size = 0; size < 4; size++) {
        packets(CR_8 | CR_CONTEXT(size), 2, cycles);
        snprintf(text, sizeof text,
                 "BE a1/5 apo 0 >8100 T reason 4%s; APO a2/5 0; APO a3/5 0; WT a4/5; %s", ids[size],
                 wanted[size]);
        /* proves: ETM1-5.6.3-a, ETM1-5.6.3-d, ETM1-3.5.1-a */
        assert_string_equal(bench.text, text);
    }
    packets(CR_8 | CR_CONTEXT(2), 1, cycles);
    /* proves: ETM1-4.7-a */
    assert_string_equal(bench.text, "BE a1/5 apo 0 >8100 T reason 4; APO a2/5 0; APO a3/5 0; "
                                    "WT a4/5; WT a5/5; WT -; WT -; WT -; WT -");
    packets(CR_8 | CR_CONTEXT(1), 2,
            "BE*/81 A0/82 A0/82 WT/80 WT/10 WT/34 BE*/81 A0/82 A0/82 WT/80 WT/00 WT/34");
    /* without a reason there is none */
    assert_string_equal(bench.text,
                        "BE a1/5 apo 0 >8100 T reason 1 id 34; APO a2/5 0; APO a3/5 0; WT a4/5; "
                        "WT a5/5; WT c1/1; BE a1/5 apo 0 >8100 T; APO a2/5 0; APO a3/5 0; "
                        "WT a4/5; WT a5/5; WT -");
}

/* The end of the capture, at each cycle of an address and of an offset. */
static void test_cut(void **state)
{
    static const char *const wanted[] = {
        "BE a1/0 lost",
        "BE a1/0 lost; APO a2/0 0",
        "BE a1/0 apo 0 lost; APO a2/0 0; APO a3/0 0",
        "BE a1/0 apo 0 lost; APO a2/0 0; APO a3/0 0; WT a4/0",
        "BE a1/5 apo 0 >8000 A reason 1; APO a2/5 0; APO a3/5 0; WT a4/5; WT a5/5",
    };

    (void)state;
    etmv1_begin(&bench, CR_8, CCR(3));
    for (unsigned cycles = 1; cycles <= 5; cycles++) {
        etmv1_cycles(&bench, ON_8);
        bench.size = (size_t)cycles * 4;
        etmv1_packets_text(&bench);
        /* proves: ETM1-5.9-f */
        assert_string_equal(bench.text, wanted[cycles - 1]);
    }
    etmv1_cycles(&bench, ON_8);
    bench.size = 21;
    bench.bytes[20] = 0;
    etmv1_packets_text(&bench);
    assert_string_equal(bench.text, ON_8_TEXT "INCOMPLETE");
    etmv1_end(&bench);
}

/* What is none of the protocol, and missing cycles, take all that was to come; offsets that contradict
 * the order of addresses, too. */
static void test_damage(void **state)
{
    static const char again[] = " BE*/80 A0/80 A0/82 WT/80 WT/10";
    static const char again_text[] = "; BE a1/5 apo 0 >8000 A reason 1; APO a2/5 0; APO a3/5 0; "
                                     "WT a4/5; WT a5/5";
    static const struct {
        const char *cycles, *wanted;
    } rows[] = {
        {"BE/0 A0 A0 X8", "BE - apo 0 lost; APO - 0; APO - 0; RESERVED"},
        {"BE/0 A0 A0 TR/6", "BE - apo 0 lost; APO - 0; APO - 0; RESERVED"},
        {"BE/0 A0 A0 IE!", "BE - apo 0 lost; APO - 0; APO - 0; IE -"},
        {"BE*/80 A0/80 X17/1", "BE a1/0 lost; APO a2/0 0; RESERVED"},
        {"BE*/80 TD", "BE a1/0 lost; TD -"},
    };
    char cycles[256], wanted[512];

    (void)state;
    etmv1_begin(&bench, CR_8, CCR(3));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(cycles, sizeof cycles, "%s%s", rows[i].cycles, again);
        snprintf(wanted, sizeof wanted, "%s%s", rows[i].wanted, again_text);
        assert_packets(&bench, cycles, wanted);
    }
    /* in step the second branch's offset has to be 0 */
    assert_packets(&bench, ON_8 "BE*/08 A1 A0 WT*/0c WT*/10",
                   ON_8_TEXT "BE a1/1 apo 1 lost; APO - 1; APO - 0; WT a1/1; WT a1/1");
    etmv1_end(&bench);
}

static unsigned version_of(uint32_t ccr, const struct etmv1_more *more)
{
    struct cairn_field fields[16];

    etmv1_begin_with(&bench, CR_8, ccr, more);
    assert_true(cairn_config_describe(bench.config, fields, 16) <= 16);
    etmv1_end(&bench);
    assert_string_equal(fields[0].name, "version");
    assert_int_equal(strncmp(fields[0].text_space, "ETMv1.", 6), 0);
    return (unsigned)(fields[0].text_space[6] - '0');
}

/* 1.2: ETMCCR[30:28] where bit 31 is 0, and otherwise ETMIDR[7:4]. */
static void test_versions(void **state)
{
    static const unsigned minors[] = {0, 1, 2, 3, 2, 3, 3, 3};
    static const struct etmv1_more id[3] = {{"ETMIDR", 0x41000020}};

    (void)state;
    for (unsigned protocol = 0; protocol < 8; protocol++)
        /* proves: ETM1-1.2-a */
        assert_int_equal(version_of(CCR(protocol), NULL), minors[protocol]);
    /* proves: ETM1-1.2-b */
    assert_int_equal(version_of(CCR(1), id), 1);
    assert_int_equal(version_of(0x80000000u | CCR(1), id), 2);
}

static bool is_refused(const struct cairn_register *registers, size_t count,
                       enum cairn_protocol_id protocol)
{
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config;
    struct cairn_error error = {0};

    source.protocol = protocol;
    source.arch = cairn_arch_any_a();
    source.registers = registers;
    source.register_count = count;
    if (cairn_config_new(&source, &config, &error) == CAIRN_OK) {
        cairn_config_unref(config);
        return false;
    }
    return strstr(error.text, registers[count - 1].name) != NULL;
}

/* The size of the port, ETMCR[6:4]: 0 to 2. And no other major version. */
static void test_refused(void **state)
{
    (void)state;
    for (uint32_t size = 0; size < 8; size++) {
        const struct cairn_register registers[] = {{"ETMCR", size << 4}};
        /* proves: ETM1-3.5.1-c */
        assert_int_equal(is_refused(registers, 1, CAIRN_PROTOCOL_ETMV1), size > 2);
    }
    for (uint32_t major = 0; major < 4; major++) {
        const struct cairn_register registers[] = {{"ETMCR", 0}, {"ETMIDR", major << 8}};
        /* proves: ETM1-4.2-a */
        assert_int_equal(is_refused(registers, 2, CAIRN_PROTOCOL_ETMV1), major > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_eight_pins),
        cmocka_unit_test(test_four_pins),
        cmocka_unit_test(test_sixteen_pins),
        cmocka_unit_test(test_statuses),
        cmocka_unit_test(test_triggers),
        cmocka_unit_test(test_interrupted),
        cmocka_unit_test(test_offset_too_large),
        cmocka_unit_test(test_offset_in_step),
        cmocka_unit_test(test_lone_packet),
        cmocka_unit_test(test_abandoned),
        cmocka_unit_test(test_compression),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_java),
        cmocka_unit_test(test_context_ids),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_refused),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
