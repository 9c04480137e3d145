/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements of ETMv2: in program order whatever the FIFO holds, and those of ETMv3 for the same
 * execution. By hand from IHI0014 chapter 6 and 7.11. */
#include "etmv2_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Trace on at 0x8000 in ARM state, on 8 pins without context IDs. Status cycles behind it begin at 6. */
#define ON "TD:09 WT:20 WT:00 WT:80 WT:00 WT:00 "
#define ON_TOLD "info on ctx0 >8000"

enum { VALUES = ETMV2_VALUES | ETMV2_PINS_8, ETMV3_ID = 0x4104f230, V3_BYTES = 256 };

static void first_trace(void **state)
{
    (void)state;
    /* proves: ETM2-6.5.1-p, ETM2-6.5.1-c, ETM2-6.1-b, ETM2-6.1-c */
    assert_etmv2_elements(VALUES, "TD:09 IE:20 DE:00 WT:80 WT:00 WT:00 WT:26 WT:12 TD:00",
                          ON_TOLD " E E data:A=12");
}

/* --- statuses --- */

static void each_status(void **state)
{
    (void)state;
    /* proves: ETM2-6.1-d, ETM2-6.1-f */
    assert_etmv2_elements(VALUES, ON "IN:0 IE:0 DE:06 WT:12", ON_TOLD " N E E data=12");
    /* proves: ETM2-6.1-j, ETM2-6.1.2-a */
    assert_etmv2_elements(VALUES, ON "PTIE:0 PTDE:06 PTIN:12 PTDN:06 WT:34",
                          ON_TOLD " E E E E data=12 E N E N data=34");
    /* proves: ETM2-6.1-k, ETM2-6.1.2-a */
    assert_etmv2_elements(VALUES, ON "PNIE:0 PNDE:06 PNIN:12 PNDN:06 WT:34",
                          ON_TOLD " N E N E data=12 N N N N data=34");
}

/* --- the same execution in ETMv3 --- */

static void put(uint8_t *bytes, size_t *size, const char *hex)
{
    while (*hex) {
        char *end;
        const unsigned long byte = strtoul(hex, &end, 16);

        bytes[(*size)++] = (uint8_t)byte;
        hex = end + strspn(end, " ");
    }
}

static void etmv3_elements(uint32_t control, const char *hex, char text[ETMV2_TEXT])
{
    const struct cairn_register registers[] = {{"ETMIDR", ETMV3_ID}, {"ETMCR", control}};
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config = NULL;
    uint8_t bytes[V3_BYTES];
    size_t size = 0;

    source.protocol = CAIRN_PROTOCOL_ETMV3;
    source.arch = (struct cairn_arch){CAIRN_PROFILE_A, 5, 0, 0};
    source.registers = registers;
    source.register_count = 2;
    assert_int_equal(cairn_config_new(&source, &config, NULL), CAIRN_OK);
    put(bytes, &size, "0 0 0 0 0 80 8 21 0 80 0 0"); /* A-sync, I-sync: trace on at 0x8000 */
    put(bytes, &size, hex);
    etmv2_elements_of(config, bytes, size, size, 64, text);
    cairn_config_unref(config);
}

static void assert_same(uint32_t control, const char *cycles, const char *v3)
{
    static char one[ETMV2_TEXT], other[ETMV2_TEXT];
    struct cairn_config *config = etmv2_config(control | ETMV2_PINS_8);

    etmv2_elements(config, cycles, one);
    etmv3_elements(control, v3, other);
    /* proves: ETM2-7.11.1-a */
    assert_string_equal(one, other);
    cairn_config_unref(config);
}

/* Table 7-24: each status beside the P-headers of its atoms (Tables 7-3 and 7-4: 84 is WE, C0 WN, A0 W,
 * 82, 86, 8A and 8E are W and two atoms). What is behind it are four cycles in which the TFO's packet
 * comes out, and the packet 6A, which is Value not traced in both. */
static void table_7_24(void **state)
{
    static const struct {
        const char *status, *headers;
        bool places;
    } rows[] = {
        {"IE", "84", false},   {"DE", "84", true},   {"IN", "c0", false},   {"DN", "c0", true},
        {"WT", "a0", false},   {"DW", "a0", true},   {"PTIE", "82", false}, {"PTDE", "82", true},
        {"PTIN", "86", false}, {"PTDN", "86", true}, {"PNIE", "8a", false}, {"PNDE", "8a", true},
        {"PNIN", "8e", false}, {"PNDN", "8e", true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char cycles[256], v3[128];

        snprintf(cycles, sizeof cycles, "TD:09 %s:20 WT:00 WT:80 WT:00 WT:00 %sIE:0",
                 rows[i].status, rows[i].places ? "WT:6a " : "");
        snprintf(v3, sizeof v3, "%s %sa0 a0 a0 a0 %s84", rows[i].headers,
                 rows[i].places ? "6a " : "", rows[i].places ? "a0 " : "");
        assert_same(ETMV2_VALUES | ETMV2_CYCLES, cycles, v3);
    }
}

/* A program of both: loads, a branch, an interrupt that cancels, a context; in ETMv3 with information
 * byte 0, whose exception is 14, IRQ, and which cancels. Its periodic I-sync is in front of the
 * instruction whose cycle an ETMv2 has the TFO in (7.11.2). */
static void same_program(void **state)
{
    (void)state;
    /* E, E with data, N, branch to 0x8010 by E, E */
    assert_same(ETMV2_VALUES, ON "IE:0 DE:26 IN:12 DE:09 IE:0", "88 26 12 c0 84 09 84");
    /* a load whose packet comes out four cycles later, when others have executed */
    assert_same(ETMV2_DATA,
                "TD:09 IE:20 DE:00 IE:80 DE:00 WT:00 WT:22 WT:80 WT:80 WT:80 WT:80 WT:02 WT:6a",
                "84 84 22 80 80 80 80 02 84 84 6a");
    /* an instruction cancelled by IRQ */
    assert_same(0, ON "IE:0 IE:0 DW:8d WT:80 WT:80 WT:80 WT:48 IE:0", "88 8d 80 80 80 48 3c 84");
    /* a periodic TFO at the second instruction, and a third one */
    assert_same(0, ON "IE:0 TD:09 WT:00 WT:04 WT:80 WT:00 WT:00 IE:0", "84 8 1 4 80 0 0 88");
    /* trace goes on behind an overflow */
    assert_same(0, ON "IE:0 TD:00 TD:09 WT:40 WT:00 WT:90 WT:00 WT:00 IE:0", "84 8 41 0 90 0 0 84");
    /* an LSM in progress */
    assert_same(ETMV2_VALUES, ON "IE:0 TD:00 TD:09 WT:a0 WT:00 WT:90 WT:00 WT:00 WT:03 DE:06 WT:55",
                "84 8 a1 0 90 0 0 03 84 06 55");
}

/* --- the FIFO behind the statuses --- */

/* What packets say stands behind the instruction that placed them, though others have executed. */
static void statuses_run_ahead(void **state)
{
    (void)state;
    /* proves: ETM2-6.3-c, ETM2-6.1-a, ETM2-6.4.2-d */
    assert_etmv2_elements(VALUES, ON "DE:2e DE:44 IN:33 DE:22 IE:11 IE:09 WT:82 WT:6a",
                          ON_TOLD " E data:A=11223344 E >8010 N E data=0 untraced E E");
    /* a branch address of DW is the last instruction's */
    /* proves: ETM2-6.1-g, ETM2-6.7.1-g */
    assert_etmv2_elements(VALUES, ON "IE:0 IN:0 DW:82 WT:83 WT:01", ON_TOLD " E N data=0 >8104");
}

/* Which TFO implies an instruction is known when its packet has come, later than the next statuses. */
static void reason_comes_late(void **state)
{
    (void)state;
    /* proves: ETM2-6.5.1-e, ETM2-6.5.1-d, ETM2-6.5.4-c */
    assert_etmv2_elements(VALUES,
                          ON "DE:0e TD:49 IE:11 IN:22 IE:33 IE:44 WT:00 WT:04 WT:80 WT:00 WT:00",
                          ON_TOLD " E data=44332211 info ctx0 >=8004 E E N E E");
    /* proves: ETM2-6.5.1-e, ETM2-6.5.1-c */
    assert_etmv2_elements(VALUES,
                          ON "DE:0e TD:49 IE:11 IN:22 IE:33 IE:44 WT:60 WT:04 WT:80 WT:00 WT:00",
                          ON_TOLD " E data=44332211 info on ctx0 >8004 E N E E");
}

/* --- exceptions --- */

static void cancelled(void **state)
{
    (void)state;
    /* proves: ETM2-6.1.5-a, ETM2-6.7.1-h */
    assert_etmv2_elements(ETMV2_PINS_8, ON "IE:0 IE:0 DW:8d WT:80 WT:80 WT:80 WT:48 IE:0",
                          ON_TOLD " E cancelled-E exc14 >18 E");
    /* whether it was told as one that failed its condition */
    /* proves: ETM2-6.1.5-a, ETM2-6.1-e */
    assert_etmv2_elements(ETMV2_PINS_8, ON "IE:0 DN:8d WT:80 WT:80 WT:80 WT:48 IE:0",
                          ON_TOLD " E cancelled-N exc14 >18 E");
    /* and if it had led somewhere */
    assert_etmv2_elements(ETMV2_PINS_8, ON "DE:09 DW:8d WT:80 WT:80 WT:80 WT:48 IE:0",
                          ON_TOLD " cancelled-E exc14 >18 E");
}

/* Every vector, at both places, with and without the E bit (4.5.3, 6.7.1). */
static void vectors(void **state)
{
    static const struct {
        unsigned address, plain, cancelling;
    } rows[] = {{0x00, 8, 8},  {0x04, 9, 9},   {0x08, 10, 10}, {0x0c, 11, 11}, {0x10, 12, 4},
                {0x14, 0, 13}, {0x18, 14, 14}, {0x1c, 15, 15}, {0x20, 0, 13}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (unsigned high = 0; high < 2; high++) {
            for (unsigned cancels = 0; cancels < 2; cancels++) {
                const unsigned number = cancels ? rows[i].cancelling : rows[i].plain;
                const unsigned address = rows[i].address | (high ? 0xffff0000u : 0u);
                char cycles[256], wanted[128], told[32] = "";

                /* A[7:2] A[14:8] A[21:15] A[28:22] A[31:29] */
                snprintf(cycles, sizeof cycles, ON "IE:0 DE:%x WT:%x WT:%x WT:%x WT:%x",
                         0x81 | (address >> 2 & 0x3f) << 1, 0x80 | (address >> 8 & 0x7f),
                         0x80 | (address >> 15 & 0x7f), 0x80 | (address >> 22 & 0x7f),
                         8 | (address >> 29 & 7) | (cancels ? 0x40 : 0));
                if (number)
                    snprintf(told, sizeof told, "exc%u ", number);
                snprintf(wanted, sizeof wanted, ON_TOLD " E %sE %s>%x", cancels ? "cancelled-" : "",
                         told, address);
                /* proves: ETM2-6.7.1-i */
                assert_etmv2_elements(ETMV2_PINS_8, cycles, wanted);
            }
        }
    }
}

/* The instruction executed, and what it transferred is not to be believed. */
static void data_aborts(void **state)
{
    (void)state;
    /* proves: ETM2-6.8.1-a */
    assert_etmv2_elements(VALUES, ON "DE:a6 WT:12 WT:89 WT:80 WT:80 WT:80 WT:08 IE:0",
                          ON_TOLD " E data:A=12 exc12:doubt >10 E");
    /* v2.1: an imprecise one cancels the last instruction */
    /* proves: ETM2-6.8.1-b */
    assert_etmv2_elements(VALUES, ON "DE:26 WT:12 IE:0 DW:89 WT:80 WT:80 WT:80 WT:48 IE:0",
                          ON_TOLD " E data:A=12 cancelled-E exc4:doubt >10 E");
}

/* --- data --- */

static void misses(void **state)
{
    (void)state;
    /* two tags, answered in reverse; the placeholders are those of packets that end in cycles 6 and 7 */
    /* proves: ETM2-6.4.3-a, ETM2-6.4.3-b */
    assert_etmv2_elements(VALUES, ON "DE:74 DE:78 IE:0 DW:44 WT:22 DW:24 WT:11",
                          ON_TOLD " E miss:A:t1 E miss:A:t2 E late:t2=22:of7 late:t1=11:of6");
    /* tag 0 is one as well, and the most recent miss of a tag is meant */
    /* proves: ETM2-6.4.3-b */
    assert_etmv2_elements(VALUES, ON "DE:70 DE:02 DE:70 DW:04 WT:11",
                          ON_TOLD " E miss:A:t0 E data=0 E miss:A:t0 late:t0=11:of8");
    /* proves: ETM2-6.4.3-c */
    assert_etmv2_elements(VALUES, ON "IE:0 DW:24 WT:11", ON_TOLD " E late:t1=11:orphan");
    /* both halves of 64 bits */
    /* proves: ETM2-6.4.3-h */
    assert_etmv2_elements(VALUES, ON "DE:f4 WT:54 DW:a4 WT:11 WT:24 WT:22",
                          ON_TOLD " E miss:A:t1 miss:t1 late:t1=11:of6 late:t1=22:of7");
}

/* A value that never comes leaves its placeholder as it is; behind damage a late one is nobody's. */
static void unanswered(void **state)
{
    static const char *const begins[] = {NULL, " E miss:A:t1 info on",
                                         " E:uncertain miss:A:t1 info overflow on",
                                         " E miss:A:t1 info on"};

    (void)state;
    for (unsigned reason = 1; reason <= 3; reason++) { /* trace on, overflow, debug */
        char cycles[128], wanted[128];

        snprintf(cycles, sizeof cycles, ON "DE:74 TD:00 TD:09 WT:%x WT:00 WT:90 WT:00 WT:00 IE:0",
                 reason << 5);
        snprintf(wanted, sizeof wanted, ON_TOLD "%s ctx0 >9000 E", begins[reason]);
        /* proves: ETM2-6.4.3-d */
        assert_etmv2_elements(VALUES, cycles, wanted);
    }
    /* nor behind a reset */
    /* proves: ETM2-6.4.3-d */
    assert_etmv2_elements(VALUES, ON "DE:74 IE:0 DW:81 WT:80 WT:80 WT:80 WT:48 IE:0 TD:0",
                          ON_TOLD " E miss:A:t1 cancelled-E exc8 >0 E");
    /* proves: ETM2-6.4.3-d */
    assert_etmv2_elements(
        VALUES, ON "DE:74 TD:00 TD:09 WT:40 WT:00 WT:90 WT:00 WT:00 DE:54 DW:24 WT:11",
        ON_TOLD " E:uncertain miss:A:t1 info overflow on ctx0 >9000 E miss:t1 late:t1=11:of14");
}

/* Parts of an LSM, and a context that an instruction writes. */
static void other_packets(void **state)
{
    (void)state;
    /* proves: ETM2-6.4.1-h */
    assert_etmv2_elements(VALUES, ON "DE:a2 WT:ea WT:06 WT:55",
                          ON_TOLD " E data:A=0 untraced data=55");
    assert_etmv2_elements(ETMV2_PINS_8 | ETMV2_CONTEXT_1,
                          "TD:09 WT:20 WT:11 WT:00 WT:80 WT:00 WT:00 DE:6e WT:22 IE:0 IE:0",
                          "info on ctx11 >8000 E ctx22 E E");
}

/* The PC is loaded first: a branch may come in front of the other data of its instruction. */
static void branch_before_data(void **state)
{
    (void)state;
    /* proves: ETM2-3.5.18-b */
    assert_etmv2_elements(VALUES, ON "DE:a2 WT:09 DW:06 WT:33 IE:0",
                          ON_TOLD " E data:A=0 >8010 data=33 E");
}

/* --- TFOs --- */

static void lsm_in_progress(void **state)
{
    (void)state;
    /* the LSM at 0x8000 executed; the next status is that of 0x8004, and data is the LSM's still */
    /* proves: ETM2-6.5.5-c, ETM2-6.5.5-b */
    assert_etmv2_elements(VALUES, "TD:09 DE:a0 WT:00 WT:80 WT:00 WT:00 WT:03 WT:06 WT:77 IE:0",
                          "info on ctx0 >8000 E >8004 E data=77 E");
    /* others were between the two */
    assert_etmv2_elements(VALUES, "TD:09 IE:a0 WT:00 WT:80 WT:00 WT:00 WT:05",
                          "info on ctx0 >8000 E >? >8008 E");
}

/* Nothing executes beneath it: a branch packet tells what comes next, and the data before that is of
 * the instruction that the TFO names. */
static void lsm_alone(void **state)
{
    (void)state;
    /* proves: ETM2-6.5.5-d */
    assert_etmv2_elements(VALUES, ON "DW:06 WT:77 DW:06 WT:78 DW:03 IE:0",
                          ON_TOLD " data=77:here data=78 >8004 E");
}

/* A capture that begins in the middle: the periodic TFO has the address of the instruction of its own
 * cycle. */
static void from_the_middle(void **state)
{
    (void)state;
    /* proves: ETM2-6.5.1-d, ETM2-6.5.4-c */
    assert_etmv2_elements(VALUES, "IE:12 DE:34 TD:19 IE:12 IE:00 WT:04 WT:80 WT:00 WT:00 IN:0",
                          "gap(gap: no synchronisation) info ctx0 >=8004 E E E N");
    /* a trigger is told wherever it is */
    /* proves: ETM2-6.1-h, ETM2-4.4.1-a */
    assert_etmv2_elements(VALUES, "TR:4 TD:0 " ON "IE:0", "trigger " ON_TOLD " E");
    assert_etmv2_elements(VALUES, "TR:0 " ON "IE:0",
                          "trigger gap(gap: no synchronisation) " ON_TOLD " E");
    /* idle cycles are none of that */
    assert_etmv2_elements(VALUES, "TD:0 TD:66 " ON "IE:0", ON_TOLD " E");
}

static void reasons(void **state)
{
    (void)state;
    /* proves: ETM2-6.5.4-b */
    assert_etmv2_elements(
        VALUES,
        "TD:09 IE:20 WT:00 WT:80 WT:00 WT:00 TD:0 TD:09 IE:40 WT:00 WT:90 WT:00 WT:00 TD:0 "
        "TD:09 IE:60 WT:01 WT:a0 WT:00 WT:00 TD:0",
        "info on ctx0 >8000 E:uncertain info overflow on ctx0 >9000 E info on ctx0 >a000/T E");
}

/* --- cycles --- */

static void cycles(void **state)
{
    (void)state;
    /* idle cycles count where TRACEPKT[3:0] is 7, and triggers have the cycle of their status; between
     * two runs the count is not known */
    /* proves: ETM2-6.11-a */
    assert_etmv2_elements(
        VALUES | ETMV2_CYCLES,
        "TD:09 IE:20 WT:00 WT:80 WT:00 WT:00 TD:7 TD:37 TR:0 TR:4 IE:0 TD:0 TD:09 IE:20 "
        "WT:00 WT:90 WT:00 WT:00",
        ON_TOLD " w1 E w6 trigger w1 E trigger w2 E info w? on ctx0 >9000 w1 E w4");
    /* a periodic TFO has the cycle of its instruction */
    /* proves: ETM2-6.11-a */
    assert_etmv2_elements(VALUES | ETMV2_CYCLES, "TD:09 IE:00 WT:00 WT:80 WT:00 WT:00 IN:0",
                          "info ctx0 >=8000 w1 E w1 E w5 N");
    /* nor is it known where cycles were lost, whatever TFO it goes on at; in front of the first one there
     * is nothing that could be counted on */
    /* proves: ETM2-6.11-a */
    assert_etmv2_elements(
        VALUES | ETMV2_CYCLES,
        "TD:09 IE:20 WT:00 WT:80 WT:00 WT:00 WT:66 IE:0 TD:09 WT:00 WT:04 WT:80 WT:00 WT:00 IE:0",
        ON_TOLD " w1 E:uncertain w4 gap(gap: reserved packet) info w? ctx0 >=8004 w1 E w6 E");
}

/* --- damage --- */

/* What waits for packets that do not come is lost, and said to be. */
static void damage(void **state)
{
    (void)state;
    /* proves: ETM2-6.4.1-l */
    assert_etmv2_elements(
        VALUES, ON "IE:0 DE:06 PTIE:32 IE:77 WT:10 IE:0 TD:09 WT:20 WT:00 WT:90 WT:00 WT:00 IE:0",
        ON_TOLD " E E data=32 E E E:uncertain gap(gap: reserved packet) info on ctx0 "
                ">9000 E");
    /* a group that has not come: the statuses behind it */
    assert_etmv2_elements(VALUES, ON "IE:0 DE:0e IN:11 IE:22 TD:0 IE:0",
                          ON_TOLD " E E:uncertain N:lost E:lost gap(gap: reserved packet)");
    /* and a trigger, which is nobody's: it has happened all the same */
    /* proves: ETM2-6.1-h */
    assert_etmv2_elements(VALUES, ON "IE:0 DE:0e TR:2 IE:22 TD:0 IE:0",
                          ON_TOLD " E E:uncertain trigger N:lost E:lost gap(gap: reserved packet)");
    assert_etmv2_elements(VALUES, ON "DE:0e IN:11 IE:22 IE:33",
                          ON_TOLD
                          " E:uncertain N:lost E:lost E:lost gap(gap: truncated at the end)");
    /* cycles that the device left out */
    assert_etmv2_elements(VALUES, ON "IE:0 IE:0/4 IE:0",
                          ON_TOLD " E:uncertain gap(gap: no synchronisation)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_trace),
        cmocka_unit_test(each_status),
        cmocka_unit_test(table_7_24),
        cmocka_unit_test(same_program),
        cmocka_unit_test(statuses_run_ahead),
        cmocka_unit_test(reason_comes_late),
        cmocka_unit_test(cancelled),
        cmocka_unit_test(vectors),
        cmocka_unit_test(data_aborts),
        cmocka_unit_test(misses),
        cmocka_unit_test(unanswered),
        cmocka_unit_test(other_packets),
        cmocka_unit_test(branch_before_data),
        cmocka_unit_test(lsm_in_progress),
        cmocka_unit_test(lsm_alone),
        cmocka_unit_test(from_the_middle),
        cmocka_unit_test(reasons),
        cmocka_unit_test(cycles),
        cmocka_unit_test(damage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
