/* SPDX-License-Identifier: BSD-2-Clause */
/* From a core's or an architecture's name to what its instructions mean. A named core gets what its
 * version demands and what its technical reference manual adds. The name of an architecture alone
 * gets everything that the version allows: what it does not have would be undefined there, so a
 * traced program never executed it, and calling it by its name does no harm. */
#include <stdbool.h>
#include <string.h>

#include <cairn/isa.h>

#include "isa/cores.h"

enum { NAME_SIZE = 40, FIRST_THUMB2 = 7, ARMV7 = 7, FIRST_LOB_MINOR = 1, V9_IS_V8 = 5 };

/* Since which Armv8.x an A-profile feature is mandatory, and from which it is allowed; an Armv9.x
 * core implements Armv8.(5 + x). DDI0487 A2.1. */
enum { NEVER = 255 };
static const struct {
    uint32_t feature;
    uint8_t mandatory;
    uint8_t allowed;
    uint8_t major;
} a_features[] = {
    {CAIRN_FEATURE_PAUTH, 3, 2, 8},   {CAIRN_FEATURE_WFXT, 7, 6, 8},
    {CAIRN_FEATURE_HBC, 8, 7, 8},     {CAIRN_FEATURE_TME, NEVER, V9_IS_V8, 9},
    {CAIRN_FEATURE_CMPBR, 11, 10, 9}, {CAIRN_FEATURE_TEXIT, NEVER, 11, 9},
};

static uint32_t a_profile_features(unsigned major, unsigned minor, bool all_allowed)
{
    const unsigned v8 = major >= 9 ? minor + V9_IS_V8 : minor;
    uint32_t features = major >= FIRST_THUMB2 ? CAIRN_FEATURE_THUMB2 : 0;

    if (major < 8)
        return features;
    for (size_t i = 0; i < sizeof a_features / sizeof *a_features; i++) {
        const unsigned since = all_allowed ? a_features[i].allowed : a_features[i].mandatory;
        if (v8 >= since && major >= a_features[i].major)
            features |= a_features[i].feature;
    }
    return features;
}

static uint32_t m_profile_features(unsigned major, unsigned minor, bool all_allowed)
{
    uint32_t features = major >= FIRST_THUMB2 ? CAIRN_FEATURE_THUMB2 : 0;

    if (major >= 8 && minor >= FIRST_LOB_MINOR)
        features |= CAIRN_FEATURE_LOB | (all_allowed ? CAIRN_FEATURE_PAUTH : 0);
    return features;
}

static struct cairn_arch make(enum cairn_profile profile, unsigned major, unsigned minor,
                              bool all_allowed)
{
    struct cairn_arch arch = {.profile = profile, .major = (uint8_t)major, .minor = (uint8_t)minor};

    if (profile == CAIRN_PROFILE_M) {
        arch.features = m_profile_features(major, minor, all_allowed);
    } else {
        arch.features = a_profile_features(major, minor, all_allowed);
        /* Armv7-A demands ThumbEE, Armv7-R allows it, Armv8 has none (DDI0406 A1.4). */
        if (major == ARMV7 && (profile == CAIRN_PROFILE_A || all_allowed))
            arch.features |= CAIRN_FEATURE_THUMBEE;
        /* Armv8-R with AArch64 is built on Armv8.4; with AArch32 only, PAuth has no encoding. */
        if (profile == CAIRN_PROFILE_R && major >= 8 && all_allowed)
            arch.features |= CAIRN_FEATURE_PAUTH;
    }
    return arch;
}

struct cairn_arch cairn_arch_any_a(void)
{
    return (struct cairn_arch){.profile = CAIRN_PROFILE_A,
                               .major = 9,
                               .minor = 6,
                               .features =
                                   CAIRN_FEATURE_THUMB2 | CAIRN_FEATURE_TME | CAIRN_FEATURE_PAUTH |
                                   CAIRN_FEATURE_WFXT | CAIRN_FEATURE_CMPBR | CAIRN_FEATURE_HBC |
                                   CAIRN_FEATURE_LOB | CAIRN_FEATURE_TEXIT | CAIRN_FEATURE_THUMBEE};
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Lower case, without the separators that people put in or leave out. False if it is too long. */
static bool normalise(const char *name, char out[NAME_SIZE])
{
    size_t length = 0;

    for (; *name != '\0'; name++) {
        if (*name == '-' || *name == '_' || *name == ' ')
            continue;
        if (length + 1 >= NAME_SIZE)
            return false;
        out[length++] = lower(*name);
    }
    out[length] = '\0';
    return true;
}

static bool starts_with(const char **text, const char *prefix)
{
    const size_t length = strlen(prefix);

    if (strncmp(*text, prefix, length) != 0)
        return false;
    *text += length;
    return true;
}

/* One or two digits. */
static bool read_number(const char **text, unsigned *number)
{
    const char *at = *text;
    unsigned value = 0;

    while (*at >= '0' && *at <= '9' && at - *text < 2)
        value = value * 10 + (unsigned)(*at++ - '0');
    if (at == *text)
        return false;
    *text = at;
    *number = value;
    return true;
}

/* What stands behind the version: the profile and the older letters. */
struct suffix {
    const char *text;
    enum cairn_profile profile;
    uint32_t add;
    uint32_t remove;
};

static const struct suffix suffixes[] = {
    {"", CAIRN_PROFILE_A, 0, 0},
    {"a", CAIRN_PROFILE_A, 0, 0},
    {"r", CAIRN_PROFILE_R, 0, 0},
    {"m", CAIRN_PROFILE_M, 0, 0},
    {"em", CAIRN_PROFILE_M, 0, 0},
    {"m.main", CAIRN_PROFILE_M, 0, 0},
    {"mmain", CAIRN_PROFILE_M, 0, 0},
    {"mmainline", CAIRN_PROFILE_M, 0, 0},
    {"m.base", CAIRN_PROFILE_M, 0, CAIRN_FEATURE_THUMB2},
    {"mbase", CAIRN_PROFILE_M, 0, CAIRN_FEATURE_THUMB2},
    {"mbaseline", CAIRN_PROFILE_M, 0, CAIRN_FEATURE_THUMB2},
    {"t", CAIRN_PROFILE_A, 0, 0},
    {"te", CAIRN_PROFILE_A, 0, 0},
    {"tej", CAIRN_PROFILE_A, 0, 0},
    {"k", CAIRN_PROFILE_A, 0, 0},
    {"z", CAIRN_PROFILE_A, 0, 0},
    {"kz", CAIRN_PROFILE_A, 0, 0},
    {"t2", CAIRN_PROFILE_A, CAIRN_FEATURE_THUMB2, 0},
};

/* "armv8.3a", "armv7em", "armv8.1m.main" ... */
static bool parse_version(const char *name, struct cairn_arch *arch)
{
    unsigned major = 0;
    unsigned minor = 0;

    if (!starts_with(&name, "armv") && !starts_with(&name, "v"))
        return false;
    if (!read_number(&name, &major) || major < 4 || major > 9)
        return false;
    if (name[0] == '.' && name[1] >= '0' && name[1] <= '9') {
        name++;
        (void)read_number(&name, &minor);
    }
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        if (strcmp(name, suffixes[i].text) != 0)
            continue;
        *arch = make(suffixes[i].profile, major, minor, true);
        arch->features = (arch->features | suffixes[i].add) & ~suffixes[i].remove;
        return true;
    }
    return false;
}

/* "Arm Cortex-A53" is what some call a Cortex-A53. */
static const char *without_maker(const char *name)
{
    const char *model = name;
    if (starts_with(&model, "arm") &&
        (!strncmp(model, "cortex", 6) || !strncmp(model, "neoverse", 8)))
        return model;
    return name;
}

static bool find_core(const char *name, struct cairn_arch *arch)
{
    for (size_t i = 0; i < sizeof cairn_cores / sizeof *cairn_cores; i++) {
        const struct cairn_core *core = &cairn_cores[i];
        if (strcmp(name, core->name) != 0)
            continue;
        *arch = make(core->profile, core->major, core->minor, false);
        arch->features = (arch->features | core->add) & ~core->remove;
        return true;
    }
    return false;
}

static struct cairn_arch permissive(enum cairn_profile profile)
{
    switch (profile) {
    case CAIRN_PROFILE_R: return make(CAIRN_PROFILE_R, 8, 0, true);
    case CAIRN_PROFILE_M: return make(CAIRN_PROFILE_M, 8, 1, true);
    case CAIRN_PROFILE_A: break;
    }
    return cairn_arch_any_a();
}

/* Names that stand for all of a profile. */
static bool find_profile(const char *name, struct cairn_arch *arch)
{
    static const struct {
        const char *name;
        enum cairn_profile profile;
    } names[] = {
        {"armaa64", CAIRN_PROFILE_A},     {"armaa64a", CAIRN_PROFILE_A},
        {"armaa64r", CAIRN_PROFILE_R},    {"armaa64m", CAIRN_PROFILE_M},
        {"armaprofile", CAIRN_PROFILE_A}, {"armrprofile", CAIRN_PROFILE_R},
        {"armmprofile", CAIRN_PROFILE_M}, {"aprofile", CAIRN_PROFILE_A},
        {"rprofile", CAIRN_PROFILE_R},    {"mprofile", CAIRN_PROFILE_M},
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i].name) != 0)
            continue;
        *arch = permissive(names[i].profile);
        return true;
    }
    return false;
}

/* A new core is most likely named like its older siblings. */
static enum cairn_profile guess_profile(const char *name)
{
    if (starts_with(&name, "cortexm") || strstr(name, "mprofile") != NULL)
        return CAIRN_PROFILE_M;
    if (starts_with(&name, "cortexr") || strstr(name, "rprofile") != NULL)
        return CAIRN_PROFILE_R;
    if (starts_with(&name, "armv")) {
        const char last = *name == '\0' ? '\0' : name[strlen(name) - 1];
        if (strchr(name, 'm') != NULL)
            return CAIRN_PROFILE_M;
        if (last == 'r')
            return CAIRN_PROFILE_R;
    }
    return CAIRN_PROFILE_A;
}

cairn_status cairn_arch_from_name(const char *name, struct cairn_arch *arch)
{
    char normal[NAME_SIZE];

    if (name == NULL || !normalise(name, normal)) {
        *arch = cairn_arch_any_a();
        return CAIRN_E_NOT_FOUND;
    }
    const char *text = without_maker(normal);
    if (find_core(text, arch) || find_profile(text, arch) || parse_version(text, arch))
        return CAIRN_OK;
    *arch = permissive(guess_profile(text));
    return CAIRN_E_NOT_FOUND;
}
