/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/register_names.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/letters.h"
#include "protocol/about.h"

static const char *bare(const struct cairn_about *about, const char *name)
{
    const size_t length = about->register_prefix ? strlen(about->register_prefix) : 0;
    return length && !strncasecmp(name, about->register_prefix, length) ? name + length : name;
}

static bool matches(const char *pattern, const char *name)
{
    for (; *pattern; pattern++) {
        if (*pattern != '#') {
            if (toupper((unsigned char)*name++) != *pattern)
                return false;
            continue;
        }
        if (!isdigit((unsigned char)*name))
            return false;
        while (isdigit((unsigned char)*name))
            name++;
    }
    return !*name;
}

#define FAR CAIRN_NAMES_FAR

/* Of a trace buffer, which stand beside those of any trace unit (capture/port/etb.h). */
static const char *const buffers[] = {"ETB_STS", "ETB_RWP", "ETB_RDP", "ETB_WIDTH"};

bool cairn_register_names_known(enum cairn_protocol_id protocol)
{
    return cairn_about(protocol)->registers != NULL;
}

bool cairn_register_name_exists(enum cairn_protocol_id protocol, const char *name)
{
    const struct cairn_about *about = cairn_about(protocol);
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) {
        if (matches(buffers[i], name))
            return true;
    }
    for (const char *const *known = about->registers; known && *known; known++) {
        if (matches(*known, bare(about, name)))
            return true;
    }
    return false;
}

const char *cairn_register_name_near(enum cairn_protocol_id protocol, const char *name)
{
    const struct cairn_about *about = cairn_about(protocol);
    const char *nearest = NULL;
    unsigned least = FAR;
    for (const char *const *known = about->registers; known && *known; known++) {
        const unsigned apart =
            strchr(*known, '#') ? FAR : cairn_letters_apart(bare(about, name), *known);
        if (apart < least) {
            least = apart;
            nearest = *known;
        }
    }
    return nearest;
}

const char *cairn_register_names_needed(enum cairn_protocol_id protocol)
{
    const char *needed = cairn_about(protocol)->needed;
    return needed ? needed : "others";
}
