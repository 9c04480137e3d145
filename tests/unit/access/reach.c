/* SPDX-License-Identifier: BSD-2-Clause */
#include "reach.h"

struct cairn_unit_register_info reach(struct bench *b, const char *name)
{
    struct cairn_unit_register_info info = {.size = sizeof info};

    if (cairn_unit_register_find(b->unit, name, &info) != CAIRN_OK)
        fail_msg("no register %s", name);
    return info;
}

uint64_t mrs(struct bench *b, const char *name)
{
    struct cairn_error why = {.text = ""};
    uint64_t value = 0;

    if (cairn_unit_mrs(b->unit, reach(b, name).sysreg, 1, &value, &why) != CAIRN_ANSWER_OK)
        fail_msg("mrs %s: %s", name, why.text);
    return value;
}

void msr(struct bench *b, const char *name, uint64_t value)
{
    struct cairn_error why = {.text = ""};

    if (cairn_unit_msr(b->unit, reach(b, name).sysreg, 1, value, &why) != CAIRN_ANSWER_OK)
        fail_msg("msr %s: %s", name, why.text);
}

uint64_t load(struct bench *b, const char *name)
{
    const struct cairn_unit_register_info info = reach(b, name);
    struct cairn_error why = {.text = ""};
    uint64_t value = 0;

    if (cairn_unit_load(b->unit, info.offset, info.bits / 8, 0, &value, &why) != CAIRN_ANSWER_OK)
        fail_msg("read %s: %s", name, why.text);
    return value;
}

void store(struct bench *b, const char *name, uint64_t value)
{
    const struct cairn_unit_register_info info = reach(b, name);
    struct cairn_error why = {.text = ""};

    if (cairn_unit_store(b->unit, info.offset, info.bits / 8, 0, value, &why) != CAIRN_ANSWER_OK)
        fail_msg("write %s: %s", name, why.text);
}

void lock(struct bench *b, unsigned locked)
{
    struct cairn_error why = {.text = ""};

    if (cairn_unit_msr(b->unit, CAIRN_SYSREG_OSLAR_EL1, 1, locked, &why) != CAIRN_ANSWER_OK)
        fail_msg("OSLAR_EL1: %s", why.text);
}

void sync_context(struct bench *b)
{
    cairn_unit_synchronize_context(b->unit);
}

enum cairn_answer try_mrs(struct bench *b, const char *name, unsigned EL)
{
    uint64_t value;

    return cairn_unit_mrs(b->unit, reach(b, name).sysreg, EL, &value, NULL);
}

enum cairn_answer try_msr(struct bench *b, const char *name, unsigned EL, uint64_t value)
{
    return cairn_unit_msr(b->unit, reach(b, name).sysreg, EL, value, NULL);
}

enum cairn_answer try_load(struct bench *b, uint32_t offset, uint32_t bytes, uint32_t flags)
{
    uint64_t value;

    return cairn_unit_load(b->unit, offset, bytes, flags, &value, NULL);
}

enum cairn_answer try_store(struct bench *b, uint32_t offset, uint32_t bytes, uint32_t flags,
                            uint64_t value)
{
    return cairn_unit_store(b->unit, offset, bytes, flags, value, NULL);
}

void choose_all(struct bench *b, const struct cairn_access_options *options)
{
    assert_int_equal(cairn_unit_access_options(b->unit, options), CAIRN_OK);
}

void choose(struct bench *b, uint32_t choices)
{
    struct cairn_access_options options = CAIRN_ACCESS_OPTIONS_INIT;

    options.choices = choices;
    choose_all(b, &options);
}

void delay(struct bench *b, uint32_t enabling, uint32_t unstable, uint32_t draining)
{
    struct cairn_access_options options = CAIRN_ACCESS_OPTIONS_INIT;

    options.enabling = enabling;
    options.unstable = unstable;
    options.draining = draining;
    choose_all(b, &options);
}
