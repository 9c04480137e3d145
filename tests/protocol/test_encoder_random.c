/* SPDX-License-Identifier: BSD-2-Clause */
/* Random elements through the encoder and back through the packet and element decoders: the same
 * elements, whatever the configuration and the choices. */
#include "encoder_session.h"

#define ELEMENTS 3000u
#define ROUNDS 12u

static struct encoder_session session;
static uint64_t seed;
static uint32_t threshold; /* of the last Trace Info, if it had cycle counting on */

/* xorshift64*: below `limit`. */
static uint32_t below(uint32_t limit)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return (uint32_t)((seed * 0x2545f4914f6cdd1du) >> 33) % limit;
}

/* Mostly near or equal to one of the last few, in every form; aligned for either instruction set.
 */
static uint64_t some_address(unsigned bits)
{
    static uint64_t recent[4];
    uint64_t *address = &recent[below(4)];

    switch (below(5)) {
    case 0: break;
    case 1: *address ^= below(1u << 9) & ~3u; break;
    case 2: *address ^= below(1u << 17) & ~3u; break;
    case 3: *address ^= (uint64_t)below(1u << 30) << 2; break;
    default: *address ^= (uint64_t)below(1u << 30) << 34; break;
    }
    if (bits == 32)
        *address &= UINT32_MAX;
    return *address;
}

static struct cairn_context some_context(bool aarch64, uint32_t vmids)
{
    return (struct cairn_context){
        .EL = (uint8_t)below(3),
        .SF = aarch64 && below(2),
        .security = below(2) ? CAIRN_NONSECURE : CAIRN_SECURE,
        .vmid = below(vmids) * 0x21,
        .context_id = below(3) * 0x01020304,
    };
}

static void put_any_trace_info(uint32_t maxspec)
{
    const uint8_t info = (uint8_t)below(2);

    threshold = info ? below(4) * 100 : 0;
    put_trace_info(&session, info, maxspec ? below(maxspec + 1) : 0, threshold);
}

static void put_any_cycle_count(void)
{
    static const uint32_t ranges[] = {4, 20, 300, 0x100000};

    if (below(8) == 0)
        put(&session, CAIRN_ELEMENT_CYCLE_COUNT, CAIRN_ELEMENT_UNKNOWN, D(0));
    else /* 0 is UNKNOWN */
        put_value(&session, CAIRN_ELEMENT_CYCLE_COUNT,
                  threshold + below(ranges[below(4)]) + (threshold == 0));
}

static void put_any_timestamp(void)
{
    static uint64_t now;
    const bool cycles = below(2);

    now += (uint64_t)below(1u << 20) << below(20);
    put(&session, CAIRN_ELEMENT_TIMESTAMP, cycles ? CAIRN_ELEMENT_CYCLES : 0,
        D(.value = now + 1, .cycles = cycles ? below(0x100000) : 0));
}

/* What ETE and ETMv4 both have. */
static void put_any(uint32_t maxspec, unsigned bits, uint32_t vmids)
{
    const uint8_t sub_isa = (uint8_t)below(2);
    const struct cairn_context context = some_context(bits == 64, vmids);

    switch (below(14)) {
    case 0: put_target(&session, some_address(bits), sub_isa); break;
    case 1: put_context(&session, &context); break;
    case 2:
        put_context(&session, &context);
        put_target(&session, some_address(bits), sub_isa);
        break;
    case 3: put_exception(&session, 2 + below(16), some_address(bits), sub_isa); break;
    case 4: {
        const uint64_t address = some_address(bits);

        put_target(&session, address, sub_isa);
        if (below(2))
            put_context(&session, &context);
        put_exception(&session, 2 + below(16), address, sub_isa);
        break;
    }
    case 5: put_value(&session, CAIRN_ELEMENT_COMMIT, 1 + below(below(2) ? 20 : 300)); break;
    case 6: put_value(&session, CAIRN_ELEMENT_CANCEL, 1 + below(below(4) ? 6 : 300)); break;
    case 7: put_kind(&session, CAIRN_ELEMENT_MISPREDICT); break;
    case 8: put_any_cycle_count(); break;
    case 9: put_value(&session, CAIRN_ELEMENT_EVENT, below(4)); break;
    case 10: put_any_timestamp(); break;
    case 11: put_kind(&session, CAIRN_ELEMENT_TRACE_ON); break;
    case 12:
        if (below(2))
            put_value(&session, CAIRN_ELEMENT_Q, below(2000));
        else
            put(&session, CAIRN_ELEMENT_Q, CAIRN_ELEMENT_UNKNOWN, D(0));
        if (below(4))
            put_target(&session, some_address(bits), sub_isa);
        break;
    default:
        if (below(10))
            break;
        put_kind(&session, CAIRN_ELEMENT_A_SYNC);
        put_any_trace_info(maxspec);
        break;
    }
}

static void put_any_ete(void)
{
    switch (below(8)) {
    case 0:
        put(&session, CAIRN_ELEMENT_SOURCE_ADDRESS, 0,
            D(.address = some_address(64), .sub_isa = (uint8_t)below(2)));
        break;
    case 1: put_kind(&session, CAIRN_ELEMENT_TRANSACTION_START); break;
    case 2: put_kind(&session, CAIRN_ELEMENT_TRANSACTION_COMMIT); break;
    case 3: put_kind(&session, CAIRN_ELEMENT_TRANSACTION_FAILURE); break;
    case 4: put(&session, CAIRN_ELEMENT_EXCEPTION, CAIRN_ELEMENT_UNKNOWN, D(0)); break;
    case 5: put_kind(&session, CAIRN_ELEMENT_TIMESTAMP_MARKER); break;
    case 6:
        put_kind(&session, CAIRN_ELEMENT_DISCARD);
        if (below(2))
            put_kind(&session, CAIRN_ELEMENT_OVERFLOW);
        break;
    default: put(&session, CAIRN_ELEMENT_COMMIT, CAIRN_ELEMENT_IMPLIED, D(.value = 1)); break;
    }
}

static void put_any_atoms(void)
{
    const uint32_t taken = 1 + below(10);

    for (uint32_t count = below(12); count > 0; count--)
        put_atoms(&session, below(10) < taken ? "E" : "N");
}

static void run_ete(uint32_t maxspec, bool commopt, uint32_t choices)
{
    encoder_begin_ete(&session, maxspec, commopt, choices);
    put_kind(&session, CAIRN_ELEMENT_A_SYNC);
    put_any_trace_info(maxspec);
    while (session.count < ELEMENTS) {
        put_any_atoms();
        if (below(4) == 0)
            put_any_ete();
        else
            put_any(maxspec, 64, 4);
        if (below(20) == 0)
            flush(&session);
    }
    expect_elements(&session);
    encoder_end(&session);
}

static void test_ete(void **state)
{
    static const uint32_t depths[] = {0, 1, 17, 500};
    (void)state;

    for (unsigned round = 0; round < ROUNDS; round++) {
        seed = 0x9e3779b97f4a7c15u + round;
        run_ete(depths[round % 4], round / 4 == 1, 0);
        run_ete(depths[round % 4], round / 4 == 2, CAIRN_ENCODER_EXPLICIT_ADDRESSES);
        run_ete(depths[round % 4], false, CAIRN_ENCODER_SEPARATE_PACKETS);
        run_ete(depths[round % 4], true,
                CAIRN_ENCODER_EXPLICIT_ADDRESSES | CAIRN_ENCODER_SEPARATE_PACKETS);
    }
}

static void put_any_m(void)
{
    switch (below(4)) {
    case 0: put_kind(&session, CAIRN_ELEMENT_EXCEPTION_RETURN); break;
    case 1: put_kind(&session, CAIRN_ELEMENT_FUNCTION_RETURN); break;
    case 2: put_exception(&session, 0x208 + below(100), some_address(32), 1); break;
    default:
        put(&session, CAIRN_ELEMENT_EXCEPTION, CAIRN_ELEMENT_UNKNOWN, D(.value = 2 + below(600)));
        break;
    }
}

/* ETMv4.2 of a v8.1-M core: two-byte exception types, returns, a VMID of 8 bits. */
static void test_etmv4(void **state)
{
    static const struct cairn_register registers[] = {
        {"TRCCONFIGR", 0x60d1},  {"TRCIDR0", 0x08018ee1}, {"TRCIDR1", 0x4100f420},
        {"TRCIDR2", 0x00000488}, {"TRCIDR8", 8},
    };
    (void)state;

    for (unsigned round = 0; round < ROUNDS; round++) {
        seed = 0xd1b54a32d192ed03u + round;
        encoder_begin(&session, CAIRN_PROTOCOL_ETMV4, (struct cairn_arch){CAIRN_PROFILE_M, 8, 1, 0},
                      registers, COUNT_OF(registers),
                      round & 1 ? CAIRN_ENCODER_EXPLICIT_ADDRESSES : 0);
        put_kind(&session, CAIRN_ELEMENT_A_SYNC);
        put_any_trace_info(8);
        while (session.count < ELEMENTS) {
            put_any_atoms();
            if (below(6) == 0)
                put_any_m();
            else
                put_any(8, 32, 7);
        }
        expect_elements(&session);
        encoder_end(&session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ete), cmocka_unit_test(test_etmv4)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
