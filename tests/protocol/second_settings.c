/* SPDX-License-Identifier: BSD-2-Clause */
#include "second_settings.h"

#include <stdio.h>

#include "etmv3_session.h"

/* Table 3-46. */
static uint32_t id_of(const struct second_list *list)
{
    return 0x4104f200u | list->settings.minor << 4 | (list->settings.alternative ? 1u << 20 : 0) |
           (list->security ? 1u << 19 : 0);
}

/* 3.5.1; bits 28 and 30 of issue Q. */
static uint32_t control_of(const struct second_settings *s)
{
    const uint32_t context = s->context_bytes == 4 ? 3 : s->context_bytes;
    const bool virtualized = s->minor >= 5 && !s->m_profile;

    return (s->cycle_accurate ? 1u << 12 : 0) | (s->addresses ? 1u << 3 : 0) |
           (s->values ? 1u << 2 : 0) | (s->data_only ? 1u << 20 : 0) | context << 14 |
           (s->minor >= 5 ? 1u << 28 : 0) | (virtualized ? 1u << 30 : 0);
}

/* Issue Q, 3.5.41. */
static uint32_t ccer_of(const struct second_settings *s)
{
    if (s->minor < 5)
        return 0;
    return 1u << 22 | (s->m_profile ? 0 : 1u << 26) | (s->binary_time ? 1u << 28 : 0) |
           (s->wide_time ? 1u << 29 : 0);
}

void second_show_settings(const struct second_list *list, uint64_t seed)
{
    const struct second_settings *s = &list->settings;

    printf("# list %llu: ETMv3.%u%s%s%s%s%s%s, context %u\n", (unsigned long long)seed, s->minor,
           s->m_profile ? ", M profile" : "", s->alternative ? ", alternative" : "",
           s->cycle_accurate ? ", cycles" : "", s->addresses ? ", addresses" : "",
           s->values ? ", values" : "", s->data_only ? ", data only" : "", s->context_bytes);
}

void second_show_bytes(const char *name, const uint8_t *bytes, size_t size, size_t at)
{
    enum { AROUND = 12 };

    printf("#   %s:", name);
    for (size_t i = at > AROUND ? at - AROUND : 0; i < at + AROUND && i < size; i++)
        printf("%s%02x", i == at ? " > " : " ", bytes[i]);
    printf("\n");
}

struct second_registers second_registers_of(const struct second_list *list)
{
    const struct second_settings *s = &list->settings;

    return (struct second_registers){s->m_profile, id_of(list), control_of(s), ccer_of(s)};
}

struct cairn_config *second_configure(const struct second_list *list)
{
    const struct second_registers r = second_registers_of(list);
    struct cairn_error error = {0};
    struct cairn_config *config = etmv3_configure(r.m_profile ? CAIRN_PROFILE_M : CAIRN_PROFILE_A,
                                                  r.id, r.control, r.ccer, &error);

    if (config == NULL) {
        second_show_settings(list, 0);
        printf("# refused: %s\n", error.text);
    }
    return config;
}
