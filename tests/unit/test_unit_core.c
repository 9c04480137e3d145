/* SPDX-License-Identifier: BSD-2-Clause */
/* The unit's core against the decoder: what wanders through a random program is traced and decoded.
 */
#include "walker.h"

enum { SEEDS = 150, STEPS = 400 };

#define REGISTERS(...)                                                                             \
    static const struct cairn_register list[] = {__VA_ARGS__};                                     \
    options.registers = list;                                                                      \
    options.register_count = sizeof list / sizeof *list

static void plain(void **unused)
{
    (void)unused;
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
        struct walker w = {.exceptions = 5, .prohibits = 1, .syncs = 2};

        options.protocol = seed & 1 ? CAIRN_PROTOCOL_ETE : CAIRN_PROTOCOL_ETMV4;
        REGISTERS({"TRCCONFIGR", 0x1001});
        options.choices = seed & 2 ? CAIRN_UNIT_OMIT_NOT_TAKEN : 0;
        options.choices |= seed & 4 ? CAIRN_UNIT_EXPLICIT_ADDRESSES : 0;
        walk_begin(&w, seed, &options);
        walk_run(&w, STEPS);
        walk_check(&w);
        walk_end(&w);
    }
}

static void speculative(void **unused)
{
    (void)unused;
    for (uint32_t seed = 1; seed <= 4 * SEEDS; seed++) {
        struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
        struct walker w = {.exceptions = 5, .guesses = 20, .lag = 1 + seed % 7};
        struct cairn_register list[] = {{"TRCCONFIGR", 0x1001 | (seed & 4 ? 0x810 : 0)},
                                        {"TRCIDR8", seed % 5 * (seed % 3)},
                                        {"TRCIDR0", 0x2881cea1 & ~(seed & 8 ? 0x20000000u : 0)},
                                        {"TRCCCCTLR", 4 + seed % 8}};

        options.registers = list;
        options.register_count = sizeof list / sizeof *list;
        options.choices = seed & 1 ? CAIRN_UNIT_COMMIT_AT_ONCE : 0;
        options.choices |= seed % 5 == 0 ? CAIRN_UNIT_OMIT_NOT_TAKEN : 0;
        w.cycles = seed & 4 ? 5 : 0;
        w.syncs = seed & 16 ? 5 : 0;
        w.events = seed & 32 ? 5 : 0;
        w.mispredicts = 20;
        w.transactions = seed & 64 ? 5 : 0;
        if (getenv("CAIRN_SEED") && (uint32_t)atoi(getenv("CAIRN_SEED")) != seed)
            continue;
        walk_begin(&w, seed, &options);
        cairn_unit_speculate(w.unit, true);
        walk_run(&w, STEPS);
        walk_check(&w);
        if (seed & 4)
            assert_true(w.cycle_counts > 0 && w.timestamps > 0);
        walk_end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain),
        cmocka_unit_test(speculative),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
