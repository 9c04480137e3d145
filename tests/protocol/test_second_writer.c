/* SPDX-License-Identifier: BSD-2-Clause */
/* The second writer's bytes, each worked out by hand from the figures, tables and examples of
 * IHI0014 chapter 7. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "second_writer.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))
#define ARM(a)                                                                                     \
    {                                                                                              \
        .address = (a), .state = SECOND_ARM                                                        \
    }
#define THUMB(a)                                                                                   \
    {                                                                                              \
        .address = (a), .state = SECOND_THUMB                                                      \
    }
#define JAZELLE(a)                                                                                 \
    {                                                                                              \
        .address = (a), .state = SECOND_JAZELLE                                                    \
    }
#define THUMBEE(a)                                                                                 \
    {                                                                                              \
        .address = (a), .state = SECOND_THUMBEE                                                    \
    }

static struct second_writer writer;

/* What the writer wrote since `from`, "0A 1B". */
static void expect_bytes(size_t from, const char *expected, const char *name)
{
    char text[4096] = "";

    for (size_t i = from; i < writer.size && 3 * (i - from) + 4 < sizeof text; i++)
        (void)sprintf(text + 3 * (i - from), "%02X ", writer.bytes[i]);
    if (text[0])
        text[strlen(text) - 1] = '\0';
    if (strcmp(text, expected) != 0)
        print_message("# %s\n", name);
    assert_string_equal(text, expected);
}

static void expect_event(const struct second_event *event, const char *expected)
{
    const size_t from = writer.size;

    assert_true(second_write(&writer, event));
    expect_bytes(from, expected, expected);
}

static void begin(struct second_settings settings)
{
    second_begin(&writer, &settings, 0);
}

/* Where a branch comes from, and the bytes that say where it goes to. */
struct branch {
    struct second_place from, to;
    unsigned exception;
    bool cancel;
    unsigned resume;
    bool old;
    const char *bytes;
};

static void expect_branches(struct second_settings settings, const struct branch *list,
                            size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct branch *b = &list[i];

        begin(settings);
        writer.base = b->from;
        expect_event(&(struct second_event){.kind = SECOND_BRANCH,
                                            .place = b->to,
                                            .exception = b->exception,
                                            .cancel = b->cancel,
                                            .resume = b->resume,
                                            .old = b->old},
                     b->bytes);
    }
}

static void expect_atoms(struct second_settings settings, const char *atoms, const char *bytes)
{
    struct second_event event = {.kind = SECOND_ATOMS};

    begin(settings);
    strcpy(event.atoms, atoms);
    expect_event(&event, bytes);
}

/* Table 7-2, Example 7-1. */
static void plain_atoms(void **state)
{
    const struct second_settings s = {.minor = 4};

    (void)state;
    expect_atoms(s, "EEN", "C8");
    expect_atoms(s, "NE", "8A");
    expect_atoms(s, "NN", "8E");
    expect_atoms(s, "EEEEEEEEEEEEEEE", "BC");
    expect_atoms(s, "EEEEEEEEEEEEEEEN", "FC");
    expect_atoms(s, "EEEEEEEEEEEEEEEEN", "BC C4");
    assert_false(second_can_say(&s, "WE"));
}

/* Table 7-3, Example 7-2. */
static void cycle_atoms(void **state)
{
    const struct second_settings v30 = {.minor = 0, .cycle_accurate = true};
    const struct second_settings v32 = {.minor = 2, .cycle_accurate = true};
    const struct second_settings v33 = {.minor = 3, .cycle_accurate = true};

    (void)state;
    expect_atoms(v33, "WEWEWN", "C8");
    expect_atoms(v33, "WNE", "8A");
    expect_atoms(v33, "WWWE", "E8");
    expect_atoms(v33, "W", "A0");
    expect_atoms(v30, "W", "80");
    expect_atoms(v33, "WWWWWWWW", "BC");
    expect_atoms(v33, "WWWWWWWWWE", "BC 84");
    expect_atoms(v32, "WEE", "82");
    expect_atoms(v33, "WEEN", "82 96");
    expect_atoms(v32, "WWEE", "A0 82");  /* WWE would leave an E without a W */
    expect_atoms(v32, "WEWNE", "84 8A"); /* E0 8A would say the same */
    assert_false(second_can_say(&v32, "WEEN"));
    assert_false(second_can_say(&v32, "E"));
}

/* Table 7-4: the data of the first instruction stands between two atoms of one cycle. */
static void two_in_a_cycle(void **state)
{
    (void)state;
    begin((struct second_settings){.minor = 3, .cycle_accurate = true, .values = true});
    expect_event(&(struct second_event){.kind = SECOND_ATOMS, .atoms = "WE"}, "84");
    expect_event(&(struct second_event){.kind = SECOND_DATA, .value = 0xab}, "06 AB");
    expect_event(&(struct second_event){.kind = SECOND_ATOMS, .atoms = "E"}, "92");
}

/* Figures 7-2 to 7-11, 7-30 to 7-32. */
static void original_addresses(void **state)
{
    static const struct branch list[] = {
        {THUMB(0x12345600), THUMB(0x12345678), .bytes = "79"},
        {THUMB(0x12345478), THUMB(0x12345678), .bytes = "F9 2C"},
        {THUMB(0x12344678), THUMB(0x12345678), .bytes = "F9 2C"},
        {THUMB(0x12347678), THUMB(0x12345678), .bytes = "F9 2C"},
        {THUMB(0x12245678), THUMB(0x12345678), .bytes = "F9 AC 51"},
        {THUMB(0x1a345678), THUMB(0x12345678), .bytes = "F9 AC D1 11"},
        {THUMB(0x02345678), THUMB(0x12345678), .bytes = "F9 AC D1 91 11"},
        {ARM(0x12345600), ARM(0x12345678), .bytes = "3D"},
        {ARM(0x12341678), ARM(0x12345678), .bytes = "BD 56"},
        {ARM(0x12145678), ARM(0x12345678), .bytes = "BD D6 68"},
        {ARM(0x02345678), ARM(0x12345678), .bytes = "BD D6 E8 48"},
        {ARM(0x32345678), ARM(0x12345678), .bytes = "BD D6 E8 C8 08"},
        {JAZELLE(0x12345660), JAZELLE(0x12345679), .bytes = "73"},
        {JAZELLE(0x12344679), JAZELLE(0x12345679), .bytes = "F3 59"},
        {JAZELLE(0x123c5679), JAZELLE(0x12345679), .bytes = "F3 D9 22"},
        {JAZELLE(0x16345679), JAZELLE(0x12345679), .bytes = "F3 D9 A2 23"},
        {JAZELLE(0x1a345679), JAZELLE(0x12345679), .bytes = "F3 D9 A2 A3 22"},
        {THUMB(0x8100), THUMB(0x8100), .bytes = "01"},
        {ARM(0x8000), THUMB(0x8100), .bytes = "81 82 82 80 10"},
        {THUMB(0x8000), ARM(0x8000), .bytes = "81 80 81 80 08"},
    };

    (void)state;
    expect_branches((struct second_settings){.minor = 2}, list, COUNT(list));
}

/* Figures 7-12 to 7-18, Table 7-6. */
static void alternative_addresses(void **state)
{
    static const struct branch list[] = {
        {THUMB(0x12345600), THUMB(0x12345678), .bytes = "79"},
        {THUMB(0x12344678), THUMB(0x12345678), .bytes = "F9 2C"},
        {THUMB(0x12347678), THUMB(0x12345678), .bytes = "F9 AC 11"},
        {THUMB(0x123c5678), THUMB(0x12345678), .bytes = "F9 AC 11"},
        {THUMB(0x12245678), THUMB(0x12345678), .bytes = "F9 AC D1 11"},
        {THUMB(0x16345678), THUMB(0x12345678), .bytes = "F9 AC D1 11"},
        {THUMB(0x1a345678), THUMB(0x12345678), .bytes = "F9 AC D1 91 11"},
        {ARM(0x12347678), ARM(0x12345678), .bytes = "BD 16"},
        {ARM(0x12341678), ARM(0x12345678), .bytes = "BD D6 28"},
        {JAZELLE(0x12345e79), JAZELLE(0x12345679), .bytes = "F3 19"},
        {JAZELLE(0x12305679), JAZELLE(0x12345679), .bytes = "F3 D9 22"},
        {ARM(0x8000), THUMB(0x8100), .bytes = "81 82 82 80 10"},
    };

    (void)state;
    expect_branches((struct second_settings){.minor = 4, .alternative = true}, list, COUNT(list));
}

/* Tables 7-8 to 7-14; Figures 7-5, 7-6. */
static void original_exceptions(void **state)
{
    static const struct branch list[] = {
        {ARM(0x810c), ARM(0x18), .exception = 14, .cancel = true, .bytes = "8D 80 80 80 48 3C"},
        {ARM(0x8000), ARM(0x08), .exception = 10, .bytes = "85 80 80 80 48 14"},
        {ARM(0x8000), {.address = 0x8000, .nonsecure = true}, .bytes = "81 80 81 80 48 01"},
        {THUMB(0x8000), THUMBEE(0x9000), .bytes = "81 A0 82 80 50 40"},
        {THUMBEE(0x9000), THUMBEE(0x9010), .bytes = "11"},
        {THUMBEE(0x9000), THUMB(0x9000), .bytes = "81 A0 82 80 50 00"},
        {ARM(0x8000), ARM(0xffff000c), .exception = 0, .old = true, .bytes = "87 80 FE FF 87"},
        {ARM(0x8000), ARM(0x18), .exception = 1, .cancel = true, .old = true,
         .bytes = "8D 80 80 80 C8"},
    };

    (void)state;
    expect_branches((struct second_settings){.minor = 3}, list, COUNT(list));
}

/* Figures 7-19 to 7-29, Tables 7-17 and 7-18. */
static void extended_exceptions(void **state)
{
    static const struct branch alternative[] = {
        {THUMB(0x1000), THUMB(0x1234), .exception = 15, .bytes = "B5 64 1E"},
        {THUMB(0x1000), THUMB(0x1234), .resume = 5, .bytes = "B5 64 80 45"},
        {THUMB(0x1000), THUMB(0x1234), .exception = 8, .cancel = true, .resume = 5,
         .bytes = "B5 64 B0 45"},
        {THUMB(0x1000), THUMB(0x1234), .exception = 24, .cancel = true, .resume = 3,
         .bytes = "B5 64 B0 81 43"},
        {THUMB(0x02344), THUMB(0x12344), .exception = 24, .cancel = true,
         .bytes = "C5 C6 44 B0 01"},
        {THUMB(0x1234), THUMB(0x1234), .exception = 15, .bytes = "B5 64 1E"},
    };
    static const struct branch original[] = {{THUMB(0x12345600), THUMB(0x12345678),
                                              .exception = 255, .cancel = true, .resume = 7,
                                              .bytes = "F9 AC D1 91 51 BE 8F 47"}};
    const struct second_settings s = {.minor = 4, .m_profile = true};
    struct second_settings compressed = s;

    (void)state;
    compressed.alternative = true;
    expect_branches(compressed, alternative, COUNT(alternative));
    expect_branches(s, original, COUNT(original));
}

/* Issue Q: entry to Hyp mode. */
static void hyp(void **state)
{
    static const struct branch list[] = {
        {{.address = 0x8000, .nonsecure = true},
         {.address = 0x40000014, .nonsecure = true, .hyp = true},
         .exception = 3,
         .bytes = "8B 80 80 80 4A 87 20"},
        {{.address = 0x40000014, .nonsecure = true, .hyp = true},
         {.address = 0x40000018, .nonsecure = true, .hyp = true},
         .bytes = "0D"},
    };

    (void)state;
    expect_branches((struct second_settings){.minor = 5}, list, COUNT(list));
}

static void expect_sync(struct second_settings settings, struct second_event event,
                        const char *bytes)
{
    event.kind = SECOND_I_SYNC;
    begin(settings);
    expect_event(&event, bytes);
}

/* Figures 7-42 to 7-46, Tables 7-22 and 7-23. */
static void i_sync(void **state)
{
    const struct second_settings s = {.minor = 3};
    const struct second_settings context = {.minor = 3, .context_bytes = 2};
    const struct second_settings data_only = {.minor = 3, .values = true, .data_only = true};

    (void)state;
    expect_sync(s, (struct second_event){.place = ARM(0x8000), .reason = 1}, "08 21 00 80 00 00");
    expect_sync(s, (struct second_event){.place = THUMB(0x8000), .reason = 1}, "08 21 01 80 00 00");
    expect_sync(s, (struct second_event){.place = JAZELLE(0x9001), .reason = 1},
                "08 31 01 90 00 00");
    expect_sync(s, (struct second_event){.place = THUMBEE(0x9000), .reason = 3},
                "08 65 01 90 00 00");
    expect_sync(
        context,
        (struct second_event){.place = {.address = 0xc0001000, .nonsecure = true}, .id = 0x1234},
        "08 34 12 09 00 10 00 C0");
    expect_sync(
        s,
        (struct second_event){.place = ARM(0x8000), .reason = 1, .has_count = true, .cycles = 300},
        "70 AC 02 21 00 80 00 00");
    expect_sync(data_only, (struct second_event){.place = THUMB(0x8000), .reason = 1}, "08 21");
    expect_sync((struct second_settings){.minor = 5},
                (struct second_event){.place = {.address = 0x8000, .nonsecure = true, .hyp = true},
                                      .reason = 1},
                "08 2B 00 80 00 00");
}

static void in_progress(void **state)
{
    const struct second_settings s = {.minor = 3};
    struct second_event e = {.place = ARM(0x8000),
                             .reason = 1,
                             .in_progress = true,
                             .current = {.address = 0x8004, .state = SECOND_ARM}};

    (void)state;
    expect_sync(s, e, "08 A1 00 80 00 00 03");
    e.current.nonsecure = true;
    expect_sync(s, e, "08 A1 00 80 00 00 83 80 81 80 48 01");
    e.current.nonsecure = false;
    e.reason = 2;
    e.has_count = true;
    e.cycles = 300;
    expect_sync(s, e, "70 AC 02 C1 00 80 00 00 03");
}

/* Figure 7-34, Table 7-19, "BE bit". */
static void data(void **state)
{
    struct second_event e = {
        .kind = SECOND_DATA, .has_address = true, .data_address = 0x20000004, .value = 0};

    (void)state;
    begin((struct second_settings){.minor = 3, .addresses = true, .values = true});
    expect_event(&e, "22 84 80 80 80 02");
    e.data_address = 0x20000084;
    e.value = 0xab;
    expect_event(&e, "26 84 01 AB");
    e.has_address = false; /* the next word of an LSM */
    e.value = 0x1234;
    expect_event(&e, "0A 34 12");
    e.value = 0x12345678;
    expect_event(&e, "0E 78 56 34 12");
    e.has_address = true;
    e.value = 0;
    e.big_endian = true;
    expect_event(&e, "22 84 81 80 80 12");
    e.data_address = 0x20000080;
    expect_event(&e, "22 00");
    e.whole = true; /* D-sync */
    expect_event(&e, "22 80 81 80 80 12");
}

/* The A bit may be set where addresses are not traced, and SS where values are not. */
static void data_settings(void **state)
{
    const struct second_event e = {
        .kind = SECOND_DATA, .has_address = true, .data_address = 0x8000, .value = 0xab};

    (void)state;
    begin((struct second_settings){.minor = 3, .values = true});
    expect_event(&e, "26 AB");
    begin((struct second_settings){.minor = 3, .addresses = true});
    expect_event(&e, "26 80 80 82 80 00");
    begin((struct second_settings){.minor = 3});
    assert_false(second_write(&writer, &e));
}

/* Figures 7-35 to 7-39. */
static void other_data(void **state)
{
    (void)state;
    begin((struct second_settings){.minor = 3, .addresses = true, .values = true});
    expect_event(
        &(struct second_event){
            .kind = SECOND_PLACEHOLDER, .tag = 1, .has_address = true, .data_address = 0x8000},
        "74 80 80 82 80 00");
    expect_event(&(struct second_event){.kind = SECOND_PLACEHOLDER, .tag = 3}, "5C");
    expect_event(&(struct second_event){.kind = SECOND_LATE_DATA, .tag = 1, .value = 0xab},
                 "24 AB");
    expect_event(&(struct second_event){.kind = SECOND_LATE_DATA, .tag = 3}, "60");
    expect_event(&(struct second_event){.kind = SECOND_LATE_DATA, .tag = 2, .value = 0x10000},
                 "4C 00 00 01 00");
    expect_event(&(struct second_event){.kind = SECOND_NOT_TRACED}, "6A");
    expect_event(&(struct second_event){.kind = SECOND_NOT_TRACED,
                                        .has_address = true,
                                        .data_address = 0x8010},
                 "7A 10");
    expect_event(&(struct second_event){.kind = SECOND_DATA}, "02");
    expect_event(&(struct second_event){.kind = SECOND_STORE_FAILED}, "50");
}

/* 7.4.6, 7.7.4: what makes the next data address a whole one. */
static void data_sync(void **state)
{
    struct second_event e = {.kind = SECOND_DATA, .has_address = true, .data_address = 0x10};
    struct second_event sync = {.kind = SECOND_I_SYNC, .place = ARM(0x8000)};
    const struct second_event suppressed = {.kind = SECOND_SUPPRESSED};

    (void)state;
    for (unsigned minor = 2; minor <= 3; minor++) {
        begin((struct second_settings){.minor = minor, .addresses = true});
        expect_event(&e, "22 90 80 80 80 00");
        sync.reason = 0;
        expect_event(&sync, "08 01 00 80 00 00");
        expect_event(&e, "22 10");
        sync.reason = 1;
        expect_event(&sync, "08 21 00 80 00 00");
        expect_event(&e, "22 90 80 80 80 00");
        expect_event(&suppressed, "62");
        expect_event(&e, minor == 2 ? "22 90 80 80 80 00" : "22 10");
    }
}

/* "If a data address of any length is traced, bits that are not output are the same": 7.4.2; the
 * prefix of branches holds in the longer forms as well. */
static void more_than_needed(void **state)
{
    const struct second_settings s = {.minor = 4, .alternative = true, .addresses = true};

    (void)state;
    begin(s);
    writer.base = (struct second_place)THUMB(0x12345600);
    expect_event(
        &(struct second_event){.kind = SECOND_BRANCH, .place = THUMB(0x12345678), .spare = 2},
        "F9 AC 11");
    expect_event(
        &(struct second_event){.kind = SECOND_BRANCH, .place = THUMB(0x12345678), .informed = true},
        "F9 6C 00");
    writer.data_known = true;
    expect_event(
        &(struct second_event){
            .kind = SECOND_NOT_TRACED, .has_address = true, .data_address = 0x10, .spare = 1},
        "7A 90 00");
}

static void one_byte_packets(void **state)
{
    (void)state;
    begin((struct second_settings){.minor = 5, .context_bytes = 2});
    expect_event(&(struct second_event){.kind = SECOND_A_SYNC}, "00 00 00 00 00 80");
    expect_event(&(struct second_event){.kind = SECOND_TRIGGER}, "0C");
    expect_event(&(struct second_event){.kind = SECOND_IGNORE}, "66");
    expect_event(&(struct second_event){.kind = SECOND_EXCEPTION_EXIT}, "76");
    expect_event(&(struct second_event){.kind = SECOND_CONTEXT_ID, .id = 0x1234}, "6E 34 12");
    expect_event(&(struct second_event){.kind = SECOND_VMID, .id = 5}, "3C 05");
    expect_event(&(struct second_event){.kind = SECOND_CYCLE_COUNT, .cycles = 300}, "04 AC 02");
    expect_event(&(struct second_event){.kind = SECOND_CYCLE_COUNT}, "04 00");
    expect_event(&(struct second_event){.kind = SECOND_CYCLE_COUNT, .cycles = 0xffffffff},
                 "04 FF FF FF FF 0F");
    assert_false(second_write(&writer, &(struct second_event){.kind = SECOND_EXCEPTION_ENTRY}));
    begin((struct second_settings){.minor = 4, .m_profile = true});
    expect_event(&(struct second_event){.kind = SECOND_EXCEPTION_ENTRY}, "7E");
}

/* Issue Q, 7.7.4: 48 and 64 bits, natural binary and Gray. */
static void timestamps(void **state)
{
    struct second_event e = {.kind = SECOND_TIMESTAMP, .time = 0x123456789abc};

    (void)state;
    begin((struct second_settings){.minor = 5, .binary_time = true});
    expect_event(&e, "42 BC B5 E2 B3 C5 C6 04");
    e.time++;
    e.clock_changed = true;
    expect_event(&e, "46 3D");
    begin((struct second_settings){.minor = 5});
    e = (struct second_event){.kind = SECOND_TIMESTAMP, .time = 0x123456789abc};
    expect_event(&e, "42 E2 AF 93 EA E7 E5 06");
    e.time++;
    expect_event(&e, "42 63");
    begin((struct second_settings){.minor = 5, .binary_time = true, .wide_time = true});
    e.time = 0x123456789abcdef0;
    expect_event(&e, "42 F0 BD F3 D5 89 CF 95 9A 12");
}

/* Instructions at 8000 and 8004, a branch from there to 8104; 8108 and 810C, the second of which an
 * IRQ cancels. */
static void a_stream(void **state)
{
    const struct second_event events[] = {
        {.kind = SECOND_A_SYNC},
        {.kind = SECOND_I_SYNC, .place = ARM(0x8000), .reason = 1},
        {.kind = SECOND_ATOMS, .atoms = "EE"},
        {.kind = SECOND_BRANCH, .place = ARM(0x8104)},
        {.kind = SECOND_ATOMS, .atoms = "E"},
        {.kind = SECOND_ATOMS, .atoms = "EE"},
        {.kind = SECOND_BRANCH, .place = ARM(0x18), .exception = 14, .cancel = true},
        {.kind = SECOND_ATOMS, .atoms = "E"},
    };

    (void)state;
    begin((struct second_settings){.minor = 3});
    for (size_t i = 0; i < COUNT(events); i++)
        assert_true(second_write(&writer, &events[i]));
    expect_bytes(0,
                 "00 00 00 00 00 80 08 21 00 80 00 00 88 83 01 84 88 8D 80 80 80 48 3C "
                 "84",
                 "a stream");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plain_atoms),
                                       cmocka_unit_test(cycle_atoms),
                                       cmocka_unit_test(two_in_a_cycle),
                                       cmocka_unit_test(original_addresses),
                                       cmocka_unit_test(alternative_addresses),
                                       cmocka_unit_test(original_exceptions),
                                       cmocka_unit_test(extended_exceptions),
                                       cmocka_unit_test(hyp),
                                       cmocka_unit_test(i_sync),
                                       cmocka_unit_test(in_progress),
                                       cmocka_unit_test(data),
                                       cmocka_unit_test(data_settings),
                                       cmocka_unit_test(other_data),
                                       cmocka_unit_test(data_sync),
                                       cmocka_unit_test(one_byte_packets),
                                       cmocka_unit_test(timestamps),
                                       cmocka_unit_test(a_stream),
                                       cmocka_unit_test(more_than_needed)};

    return cmocka_run_group_tests_name("protocol: the second writer of ETMv3", tests, NULL, NULL);
}
