/* SPDX-License-Identifier: BSD-2-Clause */
/* ETMv3: elements in, bytes out that were written by hand from the layouts of IHI0014 chapter 7. */
#include "encoder_session.h"

#define ID_V31 0x41000210u
#define ID_V32 0x41000220u
#define ID_R4 0x4104f230u          /* v3.3, original branch encoding, no Security Extensions */
#define ID_A7 0x410cf250u          /* v3.5, original, Security Extensions */
#define ID_M4 0x4114f250u          /* v3.5, alternative */
#define ID_ALTERNATIVE 0x411cf240u /* v3.4, alternative, Security Extensions */
#define CCER_A7 0x344008f2u        /* 64-bit binary timestamps, virtualization */
#define CCER_M4 0x18541800u        /* 48-bit binary timestamps */

#define CR_VALUE (1u << 2)
#define CR_ADDRESS (1u << 3)
#define CR_CYCLES (1u << 12)
#define CR_CONTEXT_2 (2u << 14)
#define CR_DATA_ONLY (1u << 20)
#define CR_TIMESTAMPS (1u << 28)
#define CR_VMID (1u << 30)

#define REASON(code) ((code) << 5)
enum { ARM, THUMB, IRQ = 0x0e, LSIP = 0x80 };

static struct encoder_session session;

static void begin(enum cairn_profile profile, uint32_t id, uint32_t control)
{
    const struct cairn_register registers[] = {
        {"ETMIDR", id},
        {"ETMCR", control},
        {"ETMCCER", profile == CAIRN_PROFILE_M ? CCER_M4 : CCER_A7},
    };

    encoder_begin(&session, CAIRN_PROTOCOL_ETMV3, (struct cairn_arch){profile, 7, 0, 0}, registers,
                  COUNT_OF(registers), 0);
}

static void put_sync(uint8_t info, uint64_t address, uint8_t sub_isa)
{
    put(&session, CAIRN_ELEMENT_TRACE_INFO, 0, D(.info = info));
    put_target(&session, address, sub_isa);
}

/* A-sync and an I-sync with reason 1, all bytes checked. */
static void start(enum cairn_profile profile, uint32_t id, uint32_t control, uint64_t address,
                  uint8_t sub_isa, const char *hex)
{
    begin(profile, id, control);
    put_kind(&session, CAIRN_ELEMENT_A_SYNC);
    expect_bytes(&session, "00 00 00 00 00 80");
    put(&session, CAIRN_ELEMENT_TRACE_INFO, 0, D(0));
    put_kind(&session, CAIRN_ELEMENT_TRACE_ON);
    put_target(&session, address, sub_isa);
    expect_bytes(&session, hex);
}

static void put_waits(uint64_t waits)
{
    put_value(&session, CAIRN_ELEMENT_CYCLE_COUNT, waits);
}

static void put_data(unsigned kind, uint8_t info, uint64_t address, uint64_t value, unsigned tag)
{
    put(&session, CAIRN_ELEMENT_DATA, 0,
        D(.address = address, .value = value, .info = info,
          .cycles = CAIRN_DATA_FORM(kind, 0, tag)));
}

#define FIRST (CAIRN_DATA_FIRST | CAIRN_DATA_HAS_ADDRESS)

/* The derived stream of 7.3.5: an indirect branch, an interrupt that cancels. */
static void test_stream(void **state)
{
    (void)state;
    start(CAIRN_PROFILE_R, ID_R4, 0, 0x8000, ARM, "08 21 00 80 00 00");
    put_atoms(&session, "EE");
    put_target(&session, 0x8104, ARM);
    put_atoms(&session, "E");
    expect_bytes(&session, "88 83 01 84");
    put_atoms(&session, "EE");
    put_value(&session, CAIRN_ELEMENT_CANCEL, 1);
    put_exception(&session, IRQ, 0x810c, ARM);
    put_target(&session, 0x18, ARM);
    put_atoms(&session, "E");
    expect_bytes(&session, "88 8d 80 80 80 48 3c 84");
    encoder_end(&session);
}

static void test_atoms(void **state)
{
    static const struct {
        const char *atoms, *hex;
    } cases[] = {
        {"EEN", "c8"},
        {"NE", "8a"},
        {"NN", "8e"},
        {"N", "c0"},
        {"NEN", "8a c0"},
        {"EEEEEEEEEEEEEEE", "bc"},
        {"EEEEEEEEEEEEEEEN", "fc"},
        {"EEEEEEEEEEEEEEEE", "bc 84"},
        {"ENNE", "c4 8a"},
    };

    (void)state;
    start(CAIRN_PROFILE_R, ID_R4, 0, 0x8000, ARM, "08 21 00 80 00 00");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        put_atoms(&session, cases[i].atoms);
        expect_bytes(&session, cases[i].hex);
    }
    encoder_end(&session);
}

/* "W3E" is three W and an E. */
static void put_cycles(const char *text)
{
    for (; *text; text++) {
        if (*text == 'W' && text[1] >= '1' && text[1] <= '9')
            put_waits((uint64_t)(*++text - '0'));
        else if (*text == 'W')
            put_waits(1);
        else
            put_atoms(&session, *text == 'E' ? "E" : "N");
    }
}

static void test_cycle_accurate(void **state)
{
    static const struct {
        const char *atoms, *hex;
    } cases[] = {
        {"WEWEWN", "c8"},
        {"WNE", "8a"},
        {"W3E", "e8"},
        {"WEE", "82"},
        {"WEN", "86"},
        {"WNN", "8e"},
        {"W8E", "fc"},
        {"W9E", "a0 fc"},
        {"W9N", "bc c0"},
        {"W5W5W5E", "b8 fc"}, /* however it is told */
        {"W5W5W9E", "bc a8 fc"},
        {"W3", "a8"},
        {"WEWEE", "84 82"},
        {"W2N", "a0 c0"},
        {"WEWNE", "84 8a"},
        {"W2EE", "e4 92"},
        {"WEEN", "82 96"},
        {"WEW9", "84 a0 bc"},
        {"WEWEWEWEWEWEWEWE", "9c 84"},
        {"WEWEWEWEWEWEWEWN", "dc"},
    };

    (void)state;
    start(CAIRN_PROFILE_R, ID_R4, CR_CYCLES, 0x8000, ARM, "08 21 00 80 00 00");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        put_cycles(cases[i].atoms);
        expect_bytes(&session, cases[i].hex);
    }
    /* A stall: 512 W are 64 P-headers of eight. */
    put_waits(CAIRN_ENCODER_ROOM * 4);
    flush(&session);
    assert_int_equal(session.size - session.checked, 64);
    assert_int_equal(session.bytes[session.checked], 0xbc);
    encoder_end(&session);
}

/* Table 7-4: data between two instructions of one cycle. Before ETMv3.3 there is no P-header for
 * the second. */
static void test_same_cycle(void **state)
{
    (void)state;
    start(CAIRN_PROFILE_R, ID_R4, CR_CYCLES | CR_VALUE, 0x1000, ARM, "08 21 00 10 00 00");
    put_cycles("WE");
    put_data(CAIRN_DATA_NORMAL, 0, 0, 0xab, 0);
    put_cycles("E");
    expect_bytes(&session, "84 06 ab 92");
    encoder_end(&session);

    start(CAIRN_PROFILE_R, ID_V32, CR_CYCLES | CR_VALUE, 0x1000, ARM, "08 21 00 10 00 00");
    put_cycles("W2EE");
    expect_bytes(&session, "a0 82");
    put_cycles("WE");
    put_data(CAIRN_DATA_NORMAL, 0, 0, 0xab, 0);
    put_cycles("E");
    expect_bytes(&session, "84 06 ab 84");
    encoder_end(&session);
}

/* How many address bytes, in the two encodings: Thumb 0x12345678 from a base that differs first at
 * bit 12, 13, 19. */
static void test_branch_lengths(void **state)
{
    static const struct {
        const char *sync;
        uint64_t base;
        const char *original, *alternative;
    } cases[] = {
        {"08 21 79 46 34 12", 0x12344678, "f9 2c", "f9 2c"},
        {"08 21 79 76 34 12", 0x12347678, "f9 2c", "f9 ac 11"},
        {"08 21 79 56 3c 12", 0x123c5678, "f9 ac 51", "f9 ac 11"},
        {"08 21 79 56 34 02", 0x02345678, "f9 ac d1 91 11", "f9 ac d1 91 11"},
        {"08 21 7d 56 34 12", 0x1234567c, "79", "79"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        start(CAIRN_PROFILE_A, ID_A7, 0, cases[i].base, THUMB, cases[i].sync);
        put_target(&session, 0x12345678, THUMB);
        /* proves: ETM3-7.3.5-l */
        expect_bytes(&session, cases[i].original);
        encoder_end(&session);
        start(CAIRN_PROFILE_A, ID_ALTERNATIVE, 0, cases[i].base, THUMB, cases[i].sync);
        put_target(&session, 0x12345678, THUMB);
        /* proves: ETM3-7.3.5-r */
        expect_bytes(&session, cases[i].alternative);
        encoder_end(&session);
    }
}

static void test_state_and_security(void **state)
{
    const struct cairn_context non_secure = {.security = CAIRN_NONSECURE};

    (void)state;
    start(CAIRN_PROFILE_A, ID_A7, 0, 0x8000, ARM, "08 21 00 80 00 00");
    put_target(&session, 0x8100, THUMB);
    put_target(&session, 0x8000, ARM);
    /* proves: ETM3-7.3.5-bi */
    expect_bytes(&session, "81 82 82 80 10 81 80 81 80 08");
    put_target(&session, 0x8100, THUMB);
    put_exception(&session, IRQ, 0x8100, THUMB);
    put_target(&session, 0x18, ARM);
    /* proves: ETM3-7.3.5-bi */
    expect_bytes(&session, "81 82 82 80 10 8d 80 80 80 48 1c");
    put_context(&session, &non_secure);
    put_target(&session, 0x8000, ARM);
    /* proves: ETM3-7.3.5-bh */
    expect_bytes(&session, "81 80 81 80 48 01");
    put_target(&session, 0x8020, ARM);
    put_target(&session, 0x8000, THUMB);
    put_exception(&session, IRQ, 0x8000, THUMB);
    put_target(&session, 0x18, THUMB);
    /* proves: ETM3-7.3.5-al */
    expect_bytes(&session, "11 81 80 82 80 10 99 80 80 80 50 1d");
    encoder_end(&session);

    start(CAIRN_PROFILE_A, ID_ALTERNATIVE, 0, 0x8000, ARM, "08 21 00 80 00 00");
    put_context(&session, &non_secure);
    put_target(&session, 0x8004, ARM);
    /* proves: ETM3-7.3.5-bh */
    expect_bytes(&session, "83 40 01");
    encoder_end(&session);
}

/* Which information bytes there are: entry to Hyp mode, and back; the vectors of Table 7-10. */
static void test_hyp(void **state)
{
    const struct cairn_context el1 = {.EL = 1, .security = CAIRN_NONSECURE};
    const struct cairn_context hyp = {.EL = 2, .security = CAIRN_NONSECURE};

    (void)state;
    begin(CAIRN_PROFILE_A, ID_A7, 0);
    put(&session, CAIRN_ELEMENT_TRACE_INFO, 0, D(.info = REASON(1)));
    put_context(&session, &el1);
    put_target(&session, 0x8000, ARM);
    expect_bytes(&session, "08 29 00 80 00 00");
    put_exception(&session, 3, 0x8000, ARM);
    put_context(&session, &hyp);
    put_target(&session, 0x40000014, ARM);
    put_context(&session, &el1);
    put_target(&session, 0x8004, ARM);
    /* proves: ETM35Q-7.3.5-b */
    expect_bytes(&session, "8b 80 80 80 4a 87 20 83 80 81 80 48 81 00");
    put_context(&session, &hyp);
    put_sync(REASON(0), 0x8000, ARM);
    expect_bytes(&session, "08 0b 00 80 00 00");
    encoder_end(&session);
}

/* Armv7-M, alternative encoding: more exceptions, instructions that are paused (7.3.5). */
static void test_extended_exceptions(void **state)
{
    (void)state;
    start(CAIRN_PROFILE_M, ID_M4, CR_VALUE, 0x1000, THUMB, "08 21 01 10 00 00");
    put(&session, CAIRN_ELEMENT_CANCEL, CAIRN_ELEMENT_PAUSED, D(.value = 1, .info = 5));
    put_exception(&session, 8, 0x1000, THUMB);
    put_target(&session, 0x1234, THUMB);
    /* proves: ETM35Q-7.3.5-b */
    expect_bytes(&session, "b5 64 b0 45");
    put(&session, CAIRN_ELEMENT_TARGET_ADDRESS, CAIRN_ELEMENT_PAUSED,
        D(.address = 0x1234, .sub_isa = THUMB, .info = 5));
    expect_bytes(&session, "b5 64 80 45");
    put_exception(&session, 0xf, 0x1234, THUMB);
    put_target(&session, 0x1234, THUMB);
    expect_bytes(&session, "b5 64 1e");
    put(&session, CAIRN_ELEMENT_CANCEL, CAIRN_ELEMENT_PAUSED, D(.value = 1, .info = 3));
    put_exception(&session, 0x18, 0x1234, THUMB);
    put_target(&session, 0x1234, THUMB);
    /* proves: ETM35Q-7.3.5-b */
    expect_bytes(&session, "b5 64 b0 81 43");
    put_target(&session, 0x1234, THUMB); /* none of it stays */
    expect_bytes(&session, "35");
    encoder_end(&session);
}

/* Before ETMv3.2 the exception is in the fifth byte. */
static void test_old_exceptions(void **state)
{
    (void)state;
    start(CAIRN_PROFILE_A, ID_V31, 0, 0x8000, ARM, "08 21 00 80 00 00");
    put_value(&session, CAIRN_ELEMENT_CANCEL, 1);
    put_exception(&session, IRQ, 0x8000, ARM);
    put_target(&session, 0x18, ARM);
    expect_bytes(&session, "8d 80 80 80 c8");
    put_exception(&session, 0xb, 0x8000, ARM);
    put_target(&session, 0xffff000c, ARM);
    expect_bytes(&session, "87 80 fe ff 87");
    encoder_end(&session);
}

static void test_sync_forms(void **state)
{
    const struct cairn_context context = {.security = CAIRN_NONSECURE, .context_id = 0x51234};

    (void)state;
    begin(CAIRN_PROFILE_A, ID_A7, CR_CYCLES);
    put_sync(REASON(1), 0x8000, ARM);
    put(&session, CAIRN_ELEMENT_CYCLE_COUNT, CAIRN_ELEMENT_CYCLES, D(.value = 300));
    expect_bytes(&session, "70 ac 02 21 00 80 00 00");
    put(&session, CAIRN_ELEMENT_TRACE_INFO, 0, D(.info = 1)); /* as it is decoded */
    put_value(&session, CAIRN_ELEMENT_CYCLE_COUNT, 300);
    put_kind(&session, CAIRN_ELEMENT_TRACE_ON);
    put_target(&session, 0x8000, ARM);
    expect_bytes(&session, "70 ac 02 21 00 80 00 00");
    put(&session, CAIRN_ELEMENT_TRACE_INFO, 0, D(.info = LSIP | REASON(1)));
    put_target(&session, 0x8000, ARM);
    put_atoms(&session, "E");
    put_target(&session, 0x8004, ARM);
    expect_bytes(&session, "08 a1 00 80 00 00 03");
    put(&session, CAIRN_ELEMENT_TRACE_INFO, 0, D(.info = LSIP));
    put_kind(&session, CAIRN_ELEMENT_OVERFLOW);
    put_kind(&session, CAIRN_ELEMENT_TRACE_ON);
    put_target(&session, 0x8000, ARM);
    put_atoms(&session, "E");
    put_target(&session, 0x8004, ARM);
    put(&session, CAIRN_ELEMENT_CYCLE_COUNT, CAIRN_ELEMENT_CYCLES, D(.value = 300));
    expect_bytes(&session, "70 ac 02 c1 00 80 00 00 03");
    put_sync(REASON(3), 0x9000, THUMB);
    put(&session, CAIRN_ELEMENT_CYCLE_COUNT, CAIRN_ELEMENT_CYCLES | CAIRN_ELEMENT_UNKNOWN,
        D(.value = 7));
    put(&session, CAIRN_ELEMENT_CYCLE_COUNT, CAIRN_ELEMENT_CYCLES, D(.value = 300));
    expect_bytes(&session, "70 00 61 01 90 00 00 04 ac 02");
    encoder_end(&session);

    begin(CAIRN_PROFILE_A, ID_A7, CR_CONTEXT_2);
    put(&session, CAIRN_ELEMENT_TRACE_INFO, 0, D(0));
    put_context(&session, &context);
    put_target(&session, 0xc0001000, ARM);
    expect_bytes(&session, "08 34 12 09 00 10 00 c0");
    encoder_end(&session);

    begin(CAIRN_PROFILE_A, ID_A7, CR_DATA_ONLY | CR_ADDRESS | CR_VALUE);
    put(&session, CAIRN_ELEMENT_TRACE_INFO, 0, D(0));
    put_kind(&session, CAIRN_ELEMENT_TRACE_ON);
    put_target(&session, 0x8000, ARM);
    expect_bytes(&session, "08 21");
    encoder_end(&session);
}

static void test_identifiers(void **state)
{
    struct cairn_context context = {.security = CAIRN_NONSECURE, .context_id = 0x1234, .vmid = 5};

    (void)state;
    begin(CAIRN_PROFILE_A, ID_A7, CR_CONTEXT_2 | CR_VMID);
    put(&session, CAIRN_ELEMENT_TRACE_INFO, 0, D(.info = REASON(1)));
    put_context(&session, &context);
    put_target(&session, 0x8000, ARM);
    put_atoms(&session, "E");
    expect_bytes(&session, "08 34 12 29 00 80 00 00 3c 05 84");
    context.context_id = 0x4321;
    put_context(&session, &context);
    put_atoms(&session, "E");
    expect_bytes(&session, "6e 21 43 84");
    context.context_id |= 0x10000; /* beyond what is traced */
    put_context(&session, &context);
    /* proves: ETM35Q-4.7-b */
    expect_bytes(&session, "");
    context.vmid = 6;
    put_context(&session, &context);
    expect_bytes(&session, "3c 06");
    put_sync(REASON(0), 0x8004, ARM);
    put_atoms(&session, "N");
    /* proves: ETM35Q-7.3.7-b */
    expect_bytes(&session, "08 21 43 09 04 80 00 00 3c 06 c0");
    encoder_end(&session);
}

static void test_timestamps(void **state)
{
    (void)state;
    begin(CAIRN_PROFILE_M, ID_M4, CR_TIMESTAMPS);
    put_kind(&session, CAIRN_ELEMENT_A_SYNC);
    put_sync(REASON(1), 0x1000, THUMB);
    put_value(&session, CAIRN_ELEMENT_TIMESTAMP, 5);
    expect_bytes(&session, "00 00 00 00 00 80 08 21 01 10 00 00 42 85 80 80 80 80 80 00");
    put_value(&session, CAIRN_ELEMENT_TIMESTAMP, 0x123456789abc);
    expect_bytes(&session, "42 bc b5 e2 b3 c5 c6 04");
    put(&session, CAIRN_ELEMENT_TIMESTAMP, 0, D(.value = 0x123456789abd, .info = 1));
    expect_bytes(&session, "46 3d");
    put_kind(&session, CAIRN_ELEMENT_A_SYNC);
    put_value(&session, CAIRN_ELEMENT_TIMESTAMP, 0x123456789abd);
    expect_bytes(&session, "00 00 00 00 00 80 42 bd b5 e2 b3 c5 c6 04");
    put(&session, CAIRN_ELEMENT_TIMESTAMP, CAIRN_ELEMENT_UNKNOWN, D(.value = 3));
    expect_bytes(&session, "42 80 80 80 80 80 80 00");
    encoder_end(&session);

    begin(CAIRN_PROFILE_A, ID_A7, CR_TIMESTAMPS);
    put_value(&session, CAIRN_ELEMENT_TIMESTAMP, 0x123456789abcdef0);
    expect_bytes(&session, "42 f0 bd f3 d5 89 cf 95 9a 12");
    encoder_end(&session);
}

static void test_data(void **state)
{
    (void)state;
    start(CAIRN_PROFILE_R, ID_R4, CR_ADDRESS | CR_VALUE, 0x8000, ARM, "08 21 00 80 00 00");
    put_data(CAIRN_DATA_NORMAL, FIRST, 0x20000000, 0x12345678, 0);
    /* proves: ETM3-7.7.4-a */
    expect_bytes(&session, "2e 80 80 80 80 02 78 56 34 12");
    put_data(CAIRN_DATA_NORMAL, 0, 0, 0x123456, 0);
    expect_bytes(&session, "0e 56 34 12 00");
    put_data(CAIRN_DATA_NORMAL, FIRST, 0x20000004, 0, 0);
    put_data(CAIRN_DATA_NORMAL, FIRST, 0x20000088, 0xab, 0);
    put_data(CAIRN_DATA_NORMAL, FIRST, 0x20004088, 0x1234, 0);
    expect_bytes(&session, "22 04 26 88 01 ab 2a 88 81 01 34 12");
    for (unsigned i = 0; i < 4; i++)
        put_data(CAIRN_DATA_NORMAL, 0, 0, (const uint32_t[]){0xff, 0x100, 0xffff, 0x10000}[i], 0);
    /* proves: ETM3-7.7.4-a */
    expect_bytes(&session, "06 ff 0a 00 01 0a ff ff 0e 00 00 01 00");
    put_sync(REASON(0), 0x8000, ARM);
    put_data(CAIRN_DATA_NORMAL, FIRST, 0x20004088, 0x1234, 0);
    /* proves: ETM3-7.7.4-a */
    expect_bytes(&session, "08 01 00 80 00 00 2a 08 34 12");
    put_sync(REASON(2), 0x8000, ARM);
    put_data(CAIRN_DATA_NOT_TRACED, FIRST, 0x20004088, 0, 0);
    put_data(CAIRN_DATA_NOT_TRACED, 0, 0, 0, 0);
    expect_bytes(&session, "08 41 00 80 00 00 7a 88 81 81 80 02 6a");
    put_data(CAIRN_DATA_NORMAL, FIRST | CAIRN_DATA_BIG_ENDIAN, 0x2000408c, 1, 0);
    put_data(CAIRN_DATA_NORMAL, FIRST, 0x20004090, 1, 0);
    /* proves: ETM3-7.4.2-e */
    expect_bytes(&session, "26 8c 81 81 80 12 01 26 90 81 81 80 02 01");
    encoder_end(&session);
}

static void test_data_out_of_order(void **state)
{
    (void)state;
    start(CAIRN_PROFILE_R, ID_R4, CR_ADDRESS | CR_VALUE, 0x8000, ARM, "08 21 00 80 00 00");
    put_data(CAIRN_DATA_PLACEHOLDER, FIRST | CAIRN_DATA_BIG_ENDIAN, 0x20000000, 0, 1);
    put_data(CAIRN_DATA_PLACEHOLDER, FIRST | CAIRN_DATA_BIG_ENDIAN, 0x20000010, 0, 2);
    put_data(CAIRN_DATA_PLACEHOLDER, 0, 0, 0, 3);
    put_data(CAIRN_DATA_LATE, 0, 0, 0xab, 1);
    put_data(CAIRN_DATA_LATE, 0, 0, 0x1234, 2);
    put_data(CAIRN_DATA_LATE, 0, 0, 0x12345678, 3);
    put_data(CAIRN_DATA_LATE, 0, 0, 0, 3);
    put_data(CAIRN_DATA_STORE_FAILED, 0, 0, 0, 0);
    put_data(CAIRN_DATA_SUPPRESSED, 0, 0, 0, 0);
    put_data(CAIRN_DATA_NORMAL, FIRST | CAIRN_DATA_BIG_ENDIAN, 0x20000014, 0, 0);
    expect_bytes(&session,
                 "74 80 80 80 80 12 78 10 5c 24 ab 48 34 12 6c 78 56 34 12 60 50 62 22 14");
    encoder_end(&session);
    /* Up to v3.2 the address behind suppressed data is whole. */
    start(CAIRN_PROFILE_R, ID_V32, CR_ADDRESS, 0x8000, ARM, "08 21 00 80 00 00");
    put_data(CAIRN_DATA_NORMAL, FIRST, 0x14, 0, 0);
    put_data(CAIRN_DATA_SUPPRESSED, 0, 0, 0, 0);
    put_data(CAIRN_DATA_NORMAL, FIRST, 0x14, 7, 0);
    expect_bytes(&session, "22 94 80 80 80 00 62 22 94 80 80 80 00");
    encoder_end(&session);
}

static void test_data_only(void **state)
{
    const struct cairn_context context = {.context_id = 9};

    (void)state;
    begin(CAIRN_PROFILE_R, ID_R4, CR_DATA_ONLY | CR_ADDRESS | CR_VALUE | CR_CONTEXT_2);
    put(&session, CAIRN_ELEMENT_TRACE_INFO, 0, D(.info = REASON(1)));
    put_atoms(&session, "EN");
    put_exception(&session, IRQ, 0x8000, ARM);
    put_target(&session, 0x18, ARM);
    put_data(CAIRN_DATA_SUPPRESSED, 0, 0, 0, 0);
    put_context(&session, &context);
    put_kind(&session, CAIRN_ELEMENT_EVENT);
    put_data(CAIRN_DATA_NORMAL, FIRST, 0x20000000, 1, 0);
    /* proves: ETM3-7.4.10-b */
    expect_bytes(&session, "08 00 00 21 6e 09 00 0c 26 80 80 80 80 02 01");
    encoder_end(&session);
}

static void test_single_bytes(void **state)
{
    (void)state;
    start(CAIRN_PROFILE_M, ID_M4, CR_VALUE, 0x1000, THUMB, "08 21 01 10 00 00");
    put_atoms(&session, "E");
    put_kind(&session, CAIRN_ELEMENT_STACKING);
    put_atoms(&session, "E");
    put_kind(&session, CAIRN_ELEMENT_EXCEPTION_RETURN);
    put_kind(&session, CAIRN_ELEMENT_EVENT);
    expect_bytes(&session, "84 7e 84 76 0c");
    encoder_end(&session);
}

/* The data instruction and the one beneath it each have a security state (7.7.3: "a change in
 * security level"). */
static void test_sync_in_two_states(void **state)
{
    static const struct cairn_context states[] = {{.security = CAIRN_NONSECURE},
                                                  {.security = CAIRN_SECURE}};

    (void)state;
    begin(CAIRN_PROFILE_A, ID_A7, 0);
    put(&session, CAIRN_ELEMENT_TRACE_INFO, 0, D(.info = LSIP | REASON(1)));
    put_context(&session, &states[0]);
    put_target(&session, 0x8000, ARM);
    put_atoms(&session, "E");
    put_context(&session, &states[1]);
    put_target(&session, 0x8004, ARM);
    expect_bytes(&session, "08 a9 00 80 00 00 83 80 81 80 48 00");
    encoder_end(&session);
}

/* In data-only mode no address completes an I-sync: what the context is then is in it. */
static void test_data_only_sync_and_context(void **state)
{
    static const struct cairn_context contexts[] = {{.context_id = 0x1234}, {.context_id = 0x5678}};

    (void)state;
    begin(CAIRN_PROFILE_R, ID_R4, CR_DATA_ONLY | CR_ADDRESS | CR_VALUE | CR_CONTEXT_2);
    put(&session, CAIRN_ELEMENT_TRACE_INFO, 0, D(.info = REASON(1)));
    put_context(&session, &contexts[0]);
    put_context(&session, &contexts[1]);
    expect_bytes(&session, "08 34 12 21 6e 78 56");
    encoder_end(&session);
}

/* No periodic I-sync has a count: the count is a packet of its own. */
static void test_periodic_sync_and_count(void **state)
{
    (void)state;
    begin(CAIRN_PROFILE_R, ID_R4, CR_CYCLES);
    put_sync(REASON(0), 0x8000, ARM);
    put(&session, CAIRN_ELEMENT_CYCLE_COUNT, CAIRN_ELEMENT_CYCLES, D(.value = 300));
    expect_bytes(&session, "08 01 00 80 00 00 04 ac 02");
    encoder_end(&session);
}

/* Behind an overflow the timestamp is whole again (7.7.1 of issue Q), also without an A-sync. */
static void test_timestamp_behind_overflow(void **state)
{
    (void)state;
    begin(CAIRN_PROFILE_M, ID_M4, CR_TIMESTAMPS);
    put_value(&session, CAIRN_ELEMENT_TIMESTAMP, 5);
    put_value(&session, CAIRN_ELEMENT_TIMESTAMP, 6);
    expect_bytes(&session, "42 85 80 80 80 80 80 00 42 06");
    put_sync(REASON(2), 0x1000, THUMB);
    put_value(&session, CAIRN_ELEMENT_TIMESTAMP, 7);
    expect_bytes(&session, "08 41 01 10 00 00 42 87 80 80 80 80 80 00");
    encoder_end(&session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stream),
        cmocka_unit_test(test_atoms),
        cmocka_unit_test(test_cycle_accurate),
        cmocka_unit_test(test_same_cycle),
        cmocka_unit_test(test_branch_lengths),
        cmocka_unit_test(test_state_and_security),
        cmocka_unit_test(test_hyp),
        cmocka_unit_test(test_extended_exceptions),
        cmocka_unit_test(test_old_exceptions),
        cmocka_unit_test(test_sync_forms),
        cmocka_unit_test(test_sync_in_two_states),
        cmocka_unit_test(test_data_only_sync_and_context),
        cmocka_unit_test(test_periodic_sync_and_count),
        cmocka_unit_test(test_timestamp_behind_overflow),
        cmocka_unit_test(test_identifiers),
        cmocka_unit_test(test_timestamps),
        cmocka_unit_test(test_data),
        cmocka_unit_test(test_data_out_of_order),
        cmocka_unit_test(test_data_only),
        cmocka_unit_test(test_single_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
