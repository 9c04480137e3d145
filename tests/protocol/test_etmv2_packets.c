/* SPDX-License-Identifier: BSD-2-Clause */
/* Cycles of a trace port -> statuses and packets of the FIFO, by hand from IHI0014 chapter 6: its own
 * tables and examples first, then rule by rule. */
#include "etmv2_session.h"

#include <stdio.h>
#include <string.h>

enum { HEADERS = 256, PINS = 3 };

/* Trace on at 0x8000 in ARM state, on 8 pins without context IDs: its status, and the five bytes of the
 * packet. Status cycles of what comes behind it begin at 6. */
#define ON "TD:09 WT:20 WT:00 WT:80 WT:00 WT:00 "
#define ON_READ "TFO=0 WT WT WT WT WT [tfo 0 r1 8000] "

/* --- the specification's own --- */

/* 6.5.1: the example of the rows, value tracing only. */
static void first_trace(void **state)
{
    (void)state;
    /* proves: ETM2-6.5.1-p, ETM2-6.2-b, ETM2-6.3-c, ETM2-6.5.1-f */
    assert_etmv2_packets(ETMV2_VALUES | ETMV2_PINS_8,
                         "TD:09 IE:20 DE:00 WT:80 WT:00 WT:00 WT:26 WT:12 TD:00",
                         "TFO=0 IE DE WT WT WT [tfo 0 r1 8000] WT WT [data 2 A =12/1] TD");
}

/* Example 6-1: a value of 1 is 0x19. */
static void example_6_1(void **state)
{
    (void)state;
    /* proves: ETM2-6.5.1-i */
    assert_etmv2_packets(ETMV2_PINS_8, "TD:19 WT:66 WT:20 WT:00 WT:80 WT:00 WT:00",
                         "TFO=1 WT WT WT WT WT WT [tfo 0 r1 8000]");
}

/* Table 6-4, each value of TRACEPKT[7:0] with TD. */
static void table_6_4(void **state)
{
    /* by the low nibble: the first of 16 offsets, none, or reserved */
    static const int bases[16] = {-1, 64, -1, 80, -1, -2, -1, -1, -1, 0, -1, 16, -1, 32, -1, 48};
    struct cairn_config *config = etmv2_config(ETMV2_PINS_8);
    static char text[ETMV2_TEXT];
    unsigned offsets = 0;

    (void)state;
    for (unsigned packet = 0; packet < 256; packet++) {
        char cycles[128], wanted[128];
        const int base = bases[packet & 15];
        const unsigned value = (unsigned)(base + (int)(packet >> 4));

        snprintf(cycles, sizeof cycles, ON "TD:%x", packet);
        if (base >= 0)
            snprintf(wanted, sizeof wanted, ON_READ "TFO=%u <INCOMPLETE>", value);
        else
            snprintf(wanted, sizeof wanted, ON_READ "TD%s", base == -2 ? "!" : "");
        etmv2_packets(config, cycles, text);
        /* proves: ETM2-6.5.1-g, ETM2-6.5.1-h, ETM2-6.1.6-a, ETM2-6.1-i */
        assert_string_equal(text, wanted);
        offsets += base >= 0;
    }
    assert_int_equal(offsets, 96); /* 0 to 95 */
    cairn_config_unref(config);
}

/* Table 6-5 as it is printed, but for the first status, which is DE in ETMv2: nothing is known before
 * the TFO, whose offset is the byte of the gap nibble and the last data nibble. */
static void table_6_5(void **state)
{
    (void)state;
    /* proves: ETM2-6.5.1-n, ETM2-6.5.1-o */
    assert_etmv2_packets(ETMV2_PINS_4,
                         "DE:d IE:c WT:b TD:9 IE:1 WT:6 IN:a DN:0 WT:0 WT:c WT:0 WT:0 WT:8 WT:0 "
                         "WT:0 WT:0 WT:0 WT:9 WT:0",
                         "DE? IE? WT? TFO~ IE=1 WT IN DN WT WT WT WT WT WT WT WT WT "
                         "[tfo 3 r0 800c] WT WT [branch 7 8010/8]");
}

/* The same where all is known: the data 0xABCD is that of a Normal data packet, and the gap nibble is
 * dropped. */
static void table_6_5_in_step(void **state)
{
    (void)state;
    /* proves: ETM2-6.5.1-m, ETM2-6.5.1-j, ETM2-6.2-a */
    assert_etmv2_packets(
        ETMV2_VALUES | ETMV2_PINS_4,
        "TD:9 IE:0 WT:0 WT:2 WT:0 WT:0 WT:0 WT:8 WT:0 WT:0 WT:0 WT:0 DE:a WT:0 "
        "WT:d IE:c WT:b TD:9 IE:1 WT:6 IN:a DN:0 WT:0 WT:c WT:0 WT:0 WT:8 WT:0 WT:0 WT:0 WT:0 WT:2 WT:0",
        "TFO~ IE=0 WT WT WT WT WT WT WT WT WT WT [tfo 0 r1 8000] DE WT WT IE WT TFO~ IE=1 WTg "
        "IN [data 12 =abcd/2] DN WT WT WT WT WT WT WT WT WT [tfo 17 r0 800c] WT WT [data 21 =0/0]");
}

/* --- statuses --- */

/* Table 6-1: those with a D in their name place packets, the others do not. Behind an odd one the byte
 * 6A is a packet, behind the others nothing comes out. */
static void placing(void **state)
{
    static const char *const names[] = {"IE",   "DE",   "IN",   "DN",   "PTIE", "PTDE", "PTIN",
                                        "PTDN", "PNIE", "PNDE", "PNIN", "PNDN", "DW"};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char cycles[128], wanted[128];

        snprintf(cycles, sizeof cycles, ON "%s:6a", names[i]);
        snprintf(wanted, sizeof wanted, ON_READ "%s%s", names[i],
                 strchr(names[i], 'D') ? " [untraced 6]" : "");
        /* proves: ETM2-6.1-l, ETM2-6.3-e */
        assert_etmv2_packets(ETMV2_VALUES | ETMV2_PINS_8, cycles, wanted);
    }
}

/* A wait with nothing to wait for, and an end of trace with something in the FIFO: bytes are missing. */
static void promises(void **state)
{
    (void)state;
    /* proves: ETM2-6.4.1-l */
    assert_etmv2_packets(ETMV2_VALUES | ETMV2_PINS_8, ON "WT:66 IE:0", ON_READ "WT! IE?");
    assert_etmv2_packets(ETMV2_VALUES | ETMV2_PINS_8, ON "DE:06 TD:0 IE:0", ON_READ "DE TD! IE?");
    assert_etmv2_packets(ETMV2_VALUES | ETMV2_PINS_8, ON "DE:06 WT:12 TD:0 IE:0 TD:7",
                         ON_READ "DE WT [data 6 =12/1] TD IE TD");
    /* the next TFO is where it goes on */
    /* proves: ETM2-6.4.1-l */
    assert_etmv2_packets(ETMV2_VALUES | ETMV2_PINS_8,
                         ON "WT:66 IE:0 TD:09 WT:20 WT:00 WT:90 WT:00 WT:00 IE:0",
                         ON_READ "WT! IE? TFO=0 WT WT WT WT WT [tfo 8 r1 9000] IE");
}

/* --- triggers --- */

/* The status that TR takes the place of is on TRACEPKT, and no byte comes out. */
static void trigger_statuses(void **state)
{
    static const char *const names[] = {"IE", "DE", "IN", "DN", "WT", "DW"};

    (void)state;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        char cycles[128], wanted[160];

        snprintf(cycles, sizeof cycles, ON "DE:06 TR:%x WT:12%s", i, i & 1 ? " WT:6a" : "");
        snprintf(wanted, sizeof wanted, ON_READ "DE TR(%s WT [data 6 =12/1]%s", names[i],
                 i & 1 ? " WT [untraced 7]" : "");
        /* proves: ETM2-6.1-h, ETM2-6.1.7-a, ETM2-4.4.1-a */
        assert_etmv2_packets(ETMV2_VALUES | ETMV2_PINS_8, cycles, wanted);
    }
    for (unsigned i = 8; i < 16; i++) {
        static const char *const phantoms[] = {"PTIE", "PTDE", "PTIN", "PTDN",
                                               "PNIE", "PNDE", "PNIN", "PNDN"};
        char cycles[128], wanted[160];

        snprintf(cycles, sizeof cycles, ON "TR:%x%s", i, i & 1 ? " WT:6a" : "");
        snprintf(wanted, sizeof wanted, ON_READ "TR(%s%s", phantoms[i - 8],
                 i & 1 ? " WT [untraced 6]" : "");
        /* proves: ETM2-6.1-h */
        assert_etmv2_packets(ETMV2_VALUES | ETMV2_PINS_8, cycles, wanted);
    }
}

/* With an empty FIFO the status is WT, which promises nothing there. */
static void trigger_on_empty(void **state)
{
    (void)state;
    /* proves: ETM2-6.1.7-b */
    assert_etmv2_packets(ETMV2_VALUES | ETMV2_PINS_8, ON "TR:4 IE:66 DE:6a",
                         ON_READ "TR(WT IE DE [untraced 8]");
}

/* With TD it is a TFO, whose offset is in the next cycle, or with 4 pins in the next two. */
static void trigger_on_tfo(void **state)
{
    (void)state;
    /* proves: ETM2-6.1.7-c */
    assert_etmv2_packets(ETMV2_PINS_8, "TR:7 IE:09 WT:20 WT:00 WT:80 WT:00 WT:00",
                         "TR(TD IE=0 WT WT WT WT WT [tfo 0 r1 8000]");
    /* proves: ETM2-6.1.7-c */
    assert_etmv2_packets(ETMV2_PINS_4,
                         "TR:7 WT:9 IE:0 WT:0 WT:2 WT:0 WT:0 WT:0 WT:8 WT:0 WT:0 WT:0 WT:0",
                         "TR(TD WT~ IE=0 WT WT WT WT WT WT WT WT WT WT [tfo 0 r1 8000]");
    assert_etmv2_packets(ETMV2_PINS_8, "TR:7 IE:05 IE:0", "TR(TD IE! IE?");
}

/* In the second nibble of an offset, or in the gap cycle: that comes one later. */
static void trigger_in_offset(void **state)
{
    (void)state;
    /* proves: ETM2-6.5.1-m */
    assert_etmv2_packets(
        ETMV2_VALUES | ETMV2_PINS_4,
        "TD:9 TR:0 WT:0 WT:0 WT:2 WT:0 WT:0 WT:0 WT:8 WT:0 WT:0 WT:0 WT:0 DE:6 WT:0 WT:d "
        "TD:9 IE:1 TR:2 WT:6 IN:c WT:0 WT:0 WT:0 WT:0 WT:0 WT:8 WT:0 WT:0 WT:0 WT:0",
        "TFO~ TR(IE WT=0 WT WT WT WT WT WT WT WT WT WT [tfo 0 r1 8000] DE WT WT "
        "TFO~ IE=1 TR(IN WTg IN [data 13 =cd/1] WT WT WT WT WT WT WT WT WT WT [tfo 16 r0 8000]");
}

/* --- pins --- */

/* 16 pins: two bytes a cycle, and 66 above where there is one; that may be a byte of a packet, too, and
 * only the lengths of packets tell. A branch may begin in the upper half. */
static void sixteen_pins(void **state)
{
    (void)state;
    /* proves: ETM2-6.2-c, ETM2-6.2-f */
    assert_etmv2_packets(ETMV2_VALUES | ETMV2_PINS_16,
                         "TD:ff09 IE:0020 DE:0080 WT:2600 WT:6612 IE:1234",
                         "TFO=0 IE DE WT [tfo 0 r1 8000] WT [data 2 A =12/1] IE");
    /* proves: ETM2-6.2-d */
    assert_etmv2_packets(
        ETMV2_VALUES | ETMV2_PINS_16, "TD:5509 WT:0020 WT:0080 DE:0a00 DE:6612 WT:660a WT:6666",
        "TFO=0 WT WT DE [tfo 0 r1 8000] DE [data 3 =6612/2] WT WT [data 4 =6666/2]");
    /* proves: ETM2-6.4.1-h */
    assert_etmv2_packets(ETMV2_VALUES | ETMV2_PINS_16,
                         "TD:0009 WT:0020 WT:0080 DE:8200 WT:6609 IE:0",
                         "TFO=0 WT WT DE [tfo 0 r1 8000] [data 3 =0/0 C] WT [branch 3 8010/8] IE");
}

/* Both halves of one cycle may end a packet each. */
static void two_packets_a_cycle(void **state)
{
    (void)state;
    assert_etmv2_packets(ETMV2_VALUES | ETMV2_PINS_16,
                         "TD:0009 WT:0020 WT:0080 WT:6600 DE:02ea IE:0",
                         "TFO=0 WT WT WT [tfo 0 r1 8000] DE [untraced 4 C] [data 4 =0/0] IE");
}

/* --- headers --- */

static bool fits(const char *pattern, unsigned byte)
{
    for (unsigned i = 0; i < 8; i++)
        if ((pattern[i] == '0' || pattern[i] == '1') &&
            (unsigned)(pattern[i] - '0') != (byte >> (7 - i) & 1))
            return false;
    return true;
}

/* Table 6-2. */
static void headers(void **state)
{
    static const struct {
        const char *pattern, *wanted;
        unsigned count;
    } rows[] = {
        {"cxxxxxx1", "[branch", 128},   {"C0A0SS10", "[data", 16},
        {"C1A1TT00", "[miss", 16},      {"CTT0SS00", "[late", 32},
        {"C1101010", "[untraced", 2},   {"C1101110", "[ctx", 2},
        {"X0X1XX00", "<RESERVED>", 16}, {"X0X1XX10", "<RESERVED>", 16},
        {"X10XXX10", "<RESERVED>", 16}, {"X1100X10", "<RESERVED>", 4},
        {"X111XX10", "<RESERVED>", 8},
    };
    struct cairn_config *config = etmv2_config(ETMV2_DATA | ETMV2_CONTEXT_1 | ETMV2_PINS_8);
    static char text[ETMV2_TEXT];
    unsigned seen[sizeof rows / sizeof *rows] = {0};

    (void)state;
    for (unsigned byte = 0; byte < HEADERS; byte++) {
        char cycles[256];
        unsigned fitting = 0;

        /* with a context ID of one byte; zeros are a legal rest of each packet, and 01 ends a branch */
        snprintf(cycles, sizeof cycles,
                 "TD:09 WT:20 WT:55 WT:00 WT:80 WT:00 WT:00 DE:%x IE:%x IE:0 IE:0 IE:0 IE:0 IE:0",
                 byte, byte & 1);
        etmv2_packets(config, cycles, text);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            if (!fits(rows[i].pattern, byte))
                continue;
            seen[i]++;
            fitting++;
            /* proves: ETM2-6.4.1-a, ETM2-6.4.1-b, ETM2-6.4.1-c, ETM2-6.4.1-d, ETM2-6.4.1-g */
            assert_non_null(strstr(text, rows[i].wanted));
        }
        assert_int_equal(fitting, 1);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(seen[i], rows[i].count);
    cairn_config_unref(config);
}

static void plain_headers(void **state)
{
    (void)state;
    /* proves: ETM2-6.4.4-b, ETM2-6.4.1-e */
    assert_etmv2_packets(ETMV2_VALUES | ETMV2_PINS_8, ON "DE:ea WT:6a",
                         ON_READ "DE [untraced 6 C] WT [untraced 6]");
    /* proves: ETM2-6.4.5-a, ETM2-6.4.1-f */
    assert_etmv2_packets(
        ETMV2_CONTEXT_2 | ETMV2_PINS_8,
        "TD:09 WT:20 WT:cd WT:ab WT:00 WT:80 WT:00 WT:00 DE:6e WT:34 WT:12",
        "TFO=0 WT WT WT WT WT WT WT [tfo 0 r1 8000 ctx abcd] DE WT WT [ctx 8 1234]");
    assert_etmv2_packets(ETMV2_CONTEXT_4 | ETMV2_PINS_8,
                         "TD:09 WT:20 WT:04 WT:03 WT:02 WT:01 WT:00 WT:80 WT:00 WT:00 DE:ee WT:44 "
                         "WT:33 WT:22 WT:11 WT:09",
                         "TFO=0 WT WT WT WT WT WT WT WT WT [tfo 0 r1 8000 ctx 1020304] DE WT WT WT "
                         "WT [ctx 10 11223344 C] WT [branch 10 8010/8]");
    /* what this unit does not write */
    assert_etmv2_packets(ETMV2_PINS_8, ON "DE:6e IE:0", ON_READ "DE <RESERVED> IE?");
    assert_etmv2_packets(ETMV2_PINS_8, ON "DE:02 IE:0", ON_READ "DE <RESERVED> IE?");
    assert_etmv2_packets(ETMV2_CPRT | ETMV2_PINS_8, ON "DE:00 IE:0", ON_READ "DE <RESERVED> IE?");
}

/* --- data --- */

/* Tables 6-2 and 6-3. */
static void data_sizes(void **state)
{
    (void)state;
    /* proves: ETM2-6.4.1-j */
    assert_etmv2_packets(ETMV2_VALUES | ETMV2_PINS_8,
                         ON "DE:02 DE:06 WT:ab DE:0a WT:34 WT:12 DE:0e WT:78 WT:56 WT:34 WT:12",
                         ON_READ
                         "DE [data 6 =0/0] DE WT [data 7 =ab/1] DE WT WT [data 9 =1234/2] DE "
                         "WT WT WT WT [data 12 =12345678/4]");
    /* without values there are none, whatever SS is; and the address needs A */
    /* proves: ETM2-6.4.2-b, ETM2-6.4.1-i, ETM2-6.4.2-a */
    assert_etmv2_packets(ETMV2_ADDRESSES | ETMV2_PINS_8,
                         ON
                         "DE:22 WT:80 WT:80 WT:82 WT:80 WT:00 DE:0e DE:2e WT:04 DE:26 WT:88 WT:01",
                         ON_READ "DE WT WT WT WT WT [data 6 A 8000] DE [data 12] DE WT [data 13 A "
                                 "8004] DE WT WT [data 15 A 8088]");
    /* with values alone A says no more than that it is the first */
    /* proves: ETM2-6.4.1-i */
    assert_etmv2_packets(ETMV2_VALUES | ETMV2_PINS_8, ON "DE:22 DE:02",
                         ON_READ "DE [data 6 A =0/0] DE [data 7 =0/0]");
}

/* Seven bits a byte, four in the fifth, and less replaces the low bits of the last one. */
static void data_addresses(void **state)
{
    (void)state;
    /* proves: ETM2-6.4.2-c */
    assert_etmv2_packets(ETMV2_DATA | ETMV2_PINS_8,
                         ON "DE:22 WT:f8 WT:ac WT:d1 WT:91 WT:01 DE:22 WT:7f DE:22 WT:80 WT:7f "
                            "DE:22 WT:80 WT:80 WT:7f DE:22 WT:80 WT:80 WT:80 WT:7f",
                         ON_READ "DE WT WT WT WT WT [data 6 A 12345678 =0/0] DE WT [data 12 A "
                                 "1234567f =0/0] DE WT WT [data 14 A 12347f80 =0/0] "
                                 "DE WT WT WT [data 17 A 123fc000 =0/0] DE WT WT WT WT [data 21 A "
                                 "1fe00000 =0/0]");
    /* behind a TFO that begins trace the next one is whole; until then low bits are all there is */
    /* proves: ETM2-6.4.2-c */
    assert_etmv2_packets(ETMV2_ADDRESSES | ETMV2_PINS_8, ON "DE:22 WT:04",
                         ON_READ "DE WT [data 6 A ..4]");
}

/* Loads that miss: an address or none, a tag, and a value later. */
static void misses(void **state)
{
    (void)state;
    /* proves: ETM2-6.4.3-a, ETM2-6.4.3-b */
    assert_etmv2_packets(ETMV2_DATA | ETMV2_PINS_8,
                         ON "DE:74 WT:80 WT:80 WT:80 WT:80 WT:02 DE:5c DW:24 WT:7f DW:60 DW:00",
                         ON_READ
                         "DE WT WT WT WT WT [miss 6 t1 A 20000000] DE [miss 12 t3] DW WT [late "
                         "13 t1 =7f/1] DW [late 15 t3 =0/0] DW [late 16 t0 =0/0]");
    /* where values are not traced the header is all of it */
    /* proves: ETM2-6.4.3-a */
    assert_etmv2_packets(ETMV2_ADDRESSES | ETMV2_PINS_8,
                         ON "DE:74 WT:80 WT:80 WT:80 WT:80 WT:02 DW:2c IE:0",
                         ON_READ "DE WT WT WT WT WT [miss 6 t1 A 20000000] DW [late 12 t1] IE");
}

/* --- branches --- */

/* 6.7.1 and Table 6-9. */
static void branches(void **state)
{
    (void)state;
    /* proves: ETM2-6.7.1-a, ETM2-6.7.1-b, ETM2-6.7.1-k */
    assert_etmv2_packets(ETMV2_PINS_8,
                         ON "DE:81 WT:80 WT:81 WT:80 WT:08 DE:81 WT:82 WT:82 WT:80 WT:10",
                         ON_READ "DE WT WT WT WT [branch 6 8000/32] DE WT WT WT WT [branch 11 "
                                 "8100/T/32]");
    /* shorter ones are in the instruction set of the last, and have its high bits */
    /* proves: ETM2-6.7.1-d */
    assert_etmv2_packets(ETMV2_PINS_8, ON "DE:09 DE:83 WT:01 DE:81 WT:82 WT:02 DE:03",
                         ON_READ "DE [branch 6 8010/8] DE WT [branch 7 8104/15] DE WT WT [branch 9 "
                                 "10200/22] DE [branch 12 10204/8]");
    assert_etmv2_packets(ETMV2_PINS_8, "TD:09 WT:20 WT:01 WT:80 WT:00 WT:00 DE:03 DE:83 WT:02",
                         "TFO=0 WT WT WT WT WT [tfo 0 r1 8000/T] DE [branch 6 8002/T/7] DE WT "
                         "[branch 7 8102/T/14]");
}

/* Every fifth byte. */
static void fifth_bytes(void **state)
{
    struct cairn_config *config = etmv2_config(ETMV2_PINS_8);
    static char text[ETMV2_TEXT];

    (void)state;
    for (unsigned byte = 0; byte < 256; byte++) {
        char cycles[128], wanted[160];
        const bool arm = fits("0E001xxx", byte), thumb = fits("0001xxxx", byte);

        snprintf(cycles, sizeof cycles, ON "DE:85 WT:80 WT:80 WT:80 WT:%x", byte);
        if (arm)
            snprintf(wanted, sizeof wanted, ON_READ "DE WT WT WT WT [branch 6 %x/32%s]",
                     8 | (byte & 7) << 29, byte & 0x40 ? " E exc13" : "");
        else if (thumb)
            snprintf(wanted, sizeof wanted, ON_READ "DE WT WT WT WT [branch 6 %x/T/32]",
                     4 | (byte & 15) << 28);
        else
            snprintf(wanted, sizeof wanted, ON_READ "DE WT WT WT WT <RESERVED>");
        if (byte == 8 || byte == 0x48) /* a vector, that of SVC */
            snprintf(wanted, sizeof wanted, ON_READ "DE WT WT WT WT [branch 6 8/32%s exc10]",
                     byte == 0x48 ? " E" : "");
        etmv2_packets(config, cycles, text);
        /* proves: ETM2-6.7.1-c */
        assert_string_equal(text, wanted);
    }
    cairn_config_unref(config);
}

/* --- packets of TFOs --- */

static void tfo_headers(void **state)
{
    struct cairn_config *config = etmv2_config(ETMV2_PINS_8);
    static char text[ETMV2_TEXT];

    (void)state;
    for (unsigned byte = 0; byte < HEADERS; byte++) {
        char cycles[128], wanted[160];
        const unsigned reason = byte >> 5 & 3;

        snprintf(cycles, sizeof cycles, "TD:09 IE:%x IE:01 IE:80 IE:00 IE:00 IE:05 IE:0", byte);
        if (byte & 0x1f)
            snprintf(wanted, sizeof wanted, "TFO=0 IE <RESERVED> IE? IE? IE? IE? IE? IE?");
        else if (byte & 0x80)
            snprintf(wanted, sizeof wanted,
                     "TFO=0 IE IE IE IE IE IE [lsm 0 r%u 8000/T now 8004/T%s] IE", reason,
                     reason ? "" : " !");
        else
            snprintf(wanted, sizeof wanted, "TFO=0 IE IE IE IE IE [tfo 0 r%u 8000/T] IE IE",
                     reason);
        etmv2_packets(config, cycles, text);
        /* proves: ETM2-6.5.3-a, ETM2-6.5.4-a, ETM2-6.5.4-b */
        assert_string_equal(text, wanted);
    }
    cairn_config_unref(config);
}

static void lsm_in_progress(void **state)
{
    (void)state;
    /* proves: ETM2-6.5.5-b, ETM2-6.5.5-e */
    assert_etmv2_packets(ETMV2_DATA | ETMV2_PINS_8, "TD:09 IE:a0 WT:00 WT:80 WT:00 WT:00 WT:03",
                         "TFO=0 IE WT WT WT WT WT [lsm 0 r1 8000 now 8004]");
    /* proves: ETM2-6.5.5-e */
    assert_etmv2_packets(
        ETMV2_DATA | ETMV2_PINS_8 | ETMV2_CONTEXT_1,
        "TD:09 IE:c0 WT:77 WT:00 WT:80 WT:00 WT:00 WT:81 WT:80 WT:81 WT:80 WT:10",
        "TFO=0 IE WT WT WT WT WT WT WT WT WT WT [lsm 0 r2 8000 now 4000/T ctx 77]");
}

/* --- in step --- */

/* From the middle: what the offset says is skipped, and statuses behind the TFO go with groups behind
 * its packet. */
static void from_the_middle(void **state)
{
    (void)state;
    /* proves: ETM2-6.5.1-f */
    assert_etmv2_packets(
        ETMV2_VALUES | ETMV2_PINS_8,
        "WT:12 DE:34 TD:39 IE:56 DE:78 WT:9a WT:00 IE:00 WT:80 WT:00 WT:00 WT:06 WT:44",
        "WT? DE? TFO=3 IE DE WT WT IE WT WT WT [tfo 2 r0 8000] WT WT [data 4 =44/1]");
}

/* A TFO whose packet is not where the groups before it end: something was missing. It is where
 * decoding goes on, whether groups seem too short or too long. */
static void out_of_step(void **state)
{
    (void)state;
    /* too short: one byte of the group of cycle 6 is missing, so that its TFO comes too late */
    /* proves: ETM2-6.4.1-l */
    assert_etmv2_packets(
        ETMV2_VALUES | ETMV2_PINS_8, ON "DE:02 TD:19 IE:77 IE:00 WT:00 WT:90 WT:00 WT:00 DE:02",
        ON_READ "DE [data 6 =0/0] TFO=1 IE <OUT_OF_STEP 7> IE WT WT WT WT [tfo 7 r0 "
                "9000] DE [data 14 =0/0]");
    /* too long */
    /* proves: ETM2-6.4.1-l */
    assert_etmv2_packets(
        ETMV2_VALUES | ETMV2_PINS_8, ON "DE:0e TD:19 IE:77 IE:00 WT:00 WT:90 WT:00 WT:00 DE:02",
        ON_READ "DE TFO=1 IE IE <OUT_OF_STEP 7> WT WT WT WT [tfo 7 r0 9000] DE [data "
                "14 =0/0]");
    /* in the packet of another TFO: that of cycle 3 cannot be where it is said to be */
    /* proves: ETM2-6.4.1-l */
    assert_etmv2_packets(
        ETMV2_VALUES | ETMV2_PINS_8,
        "TD:09 WT:20 WT:00 TD:19 WT:80 WT:00 WT:00 WT:20 WT:00 WT:90 WT:00 WT:00 IE:0",
        "TFO=0 WT WT TFO=1 WT WT WT [tfo 0 r1 8000] WT <OUT_OF_STEP> WT? WT? WT? WT? "
        "IE?");
    /* so that the next one is where decoding goes on, and what the statuses in between placed is lost */
    /* proves: ETM2-6.4.1-l */
    assert_etmv2_packets(
        ETMV2_VALUES | ETMV2_PINS_8,
        "TD:09 WT:20 DE:00 TD:09 WT:80 DE:00 TD:39 WT:00 WT:02 WT:02 WT:20 WT:00 WT:90 WT:00 WT:00 "
        "IE:0",
        "TFO=0 WT DE TFO=0 WT DE TFO=3 WT [tfo 0 r1 8000] WT <OUT_OF_STEP 6> WT WT WT WT WT WT "
        "[tfo 6 r1 9000] IE");
    /* and a reserved header in front of one */
    /* proves: ETM2-6.4.1-g */
    assert_etmv2_packets(
        ETMV2_VALUES | ETMV2_PINS_8,
        ON "DE:0e DE:11 TD:59 WT:22 WT:33 WT:44 WT:12 WT:77 WT:00 WT:00 WT:90 WT:00 "
           "WT:00",
        ON_READ "DE DE TFO=5 WT WT WT [data 6 =44332211/4] WT <RESERVED 8> WT WT WT "
                "WT WT WT [tfo 8 r0 9000]");
}

/* Cycles that the capture device left out, and pins that should be 0. */
static void lost_cycles(void **state)
{
    (void)state;
    assert_etmv2_packets(ETMV2_VALUES | ETMV2_PINS_8,
                         ON "DE:06 WT:12/4 TD:09 WT:20 WT:00 WT:90 WT:00 WT:00/2",
                         ON_READ "DE WT? TFO=0 WT WT WT WT WT [tfo 8 r1 9000]");
}

/* More groups than any FIFO has room for, a group that is longer than one, and a status that waits for
 * longer than one drains. */
static void bounds(void **state)
{
    static char cycles[8192];
    static char text[ETMV2_TEXT];
    struct cairn_config *config = etmv2_config(ETMV2_VALUES | ETMV2_PINS_8);

    (void)state;
    strcpy(cycles, ON);
    for (unsigned i = 0; i < 129; i++)
        strcat(cycles, "TR:1 ");
    etmv2_packets(config, cycles, text);
    assert_non_null(strstr(text, "TR(DE TR(DE!"));
    strcpy(cycles, ON "DE:ea ");
    for (unsigned i = 0; i < 130; i++)
        strcat(cycles, "WT:ea ");
    etmv2_packets(config, cycles, text);
    assert_non_null(strstr(text, "<RESERVED> WT?"));
    strcpy(cycles, ON "DE:0e ");
    for (unsigned i = 0; i < 1023; i++)
        strcat(cycles, "TR:0 ");
    etmv2_packets(config, cycles, text);
    assert_null(strchr(text, '!'));
    strcat(cycles, "TR:0 ");
    etmv2_packets(config, cycles, text);
    assert_non_null(strstr(text, "TR(IE TR(IE!"));
    cairn_config_unref(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_trace),
        cmocka_unit_test(example_6_1),
        cmocka_unit_test(table_6_4),
        cmocka_unit_test(table_6_5),
        cmocka_unit_test(table_6_5_in_step),
        cmocka_unit_test(placing),
        cmocka_unit_test(promises),
        cmocka_unit_test(trigger_statuses),
        cmocka_unit_test(trigger_on_empty),
        cmocka_unit_test(trigger_on_tfo),
        cmocka_unit_test(trigger_in_offset),
        cmocka_unit_test(sixteen_pins),
        cmocka_unit_test(two_packets_a_cycle),
        cmocka_unit_test(headers),
        cmocka_unit_test(plain_headers),
        cmocka_unit_test(data_sizes),
        cmocka_unit_test(data_addresses),
        cmocka_unit_test(misses),
        cmocka_unit_test(branches),
        cmocka_unit_test(fifth_bytes),
        cmocka_unit_test(tfo_headers),
        cmocka_unit_test(lsm_in_progress),
        cmocka_unit_test(from_the_middle),
        cmocka_unit_test(out_of_step),
        cmocka_unit_test(lost_cycles),
        cmocka_unit_test(bounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
