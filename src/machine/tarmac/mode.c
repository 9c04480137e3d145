/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include <strings.h>

#include "machine/tarmac/line.h"

struct word {
    const char *text;
    uint8_t value;
};

static const struct word modes[] = {
    {"EL0", CAIRN_TARMAC_MODE_EL0},          {"EL0t", CAIRN_TARMAC_MODE_EL0},
    {"EL1", CAIRN_TARMAC_MODE_EL1},          {"EL1t", CAIRN_TARMAC_MODE_EL1},
    {"EL1h", CAIRN_TARMAC_MODE_EL1},         {"EL2", CAIRN_TARMAC_MODE_EL2},
    {"EL2t", CAIRN_TARMAC_MODE_EL2},         {"EL2h", CAIRN_TARMAC_MODE_EL2},
    {"EL3", CAIRN_TARMAC_MODE_EL3},          {"EL3t", CAIRN_TARMAC_MODE_EL3},
    {"EL3h", CAIRN_TARMAC_MODE_EL3},         {"usr", CAIRN_TARMAC_MODE_USR},
    {"fiq", CAIRN_TARMAC_MODE_FIQ},          {"irq", CAIRN_TARMAC_MODE_IRQ},
    {"svc", CAIRN_TARMAC_MODE_SVC},          {"abt", CAIRN_TARMAC_MODE_ABT},
    {"und", CAIRN_TARMAC_MODE_UND},          {"undef", CAIRN_TARMAC_MODE_UND},
    {"sys", CAIRN_TARMAC_MODE_SYS},          {"hyp", CAIRN_TARMAC_MODE_HYP},
    {"mon", CAIRN_TARMAC_MODE_MON},          {"---", CAIRN_TARMAC_MODE_NONE},
    {"thread", CAIRN_TARMAC_MODE_M_PROFILE}, {"handler", CAIRN_TARMAC_MODE_M_PROFILE},
    {"thrd", CAIRN_TARMAC_MODE_M_PROFILE},   {"hdlr", CAIRN_TARMAC_MODE_M_PROFILE},
    {"hndlr", CAIRN_TARMAC_MODE_M_PROFILE},  {"hand", CAIRN_TARMAC_MODE_M_PROFILE},
};

static const struct word securities[] = {
    {"s", CAIRN_SECURE}, {"ns", CAIRN_NONSECURE}, {"n", CAIRN_NONSECURE},
    {"rt", CAIRN_ROOT},  {"root", CAIRN_ROOT},    {"r", CAIRN_REALM},
    {"rl", CAIRN_REALM}, {"realm", CAIRN_REALM},  {"-", CAIRN_TARMAC_NO_SECURITY},
};

static bool find(const struct word *words, size_t count, const char *text, size_t size,
                 uint8_t *value)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(words[i].text) == size && !strncasecmp(words[i].text, text, size)) {
            *value = words[i].value;
            return true;
        }
    }
    return false;
}

bool cairn_tarmac_mode_parse(const char *text, size_t size, uint8_t *mode, uint8_t *security)
{
    const char *bar = memchr(text, '_', size);
    const size_t head = bar ? (size_t)(bar - text) : size;
    uint8_t m, s = CAIRN_TARMAC_NO_SECURITY;

    if (!find(modes, sizeof modes / sizeof modes[0], text, head, &m))
        return false;
    if (bar &&
        !find(securities, sizeof securities / sizeof securities[0], bar + 1, size - head - 1, &s))
        return false;
    *mode = m;
    *security = s;
    return true;
}
