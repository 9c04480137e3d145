/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/trace_unit.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/letters.h"
#include "capture/register_names.h"
#include "protocol/about.h"

#define TRACE_ID_MASK 0x7fu

/* Older trace units, which are known by name alone. ETM10RV and ETM11RV are ETMv3. */
static const struct {
    const char *prefix, *name;
} old_types[] = {
    {"ETMv2", "ETMv2"},
    {"ETM2", "ETMv2"},
};

/* Of "PTM1.1" or "PTMv1.1" what stands behind "PTM"; false where it goes on in letters, as one that
 * is misspelt does: "MTBB". The x of Linux's drivers stands for any version: "etm4x". */
static bool is_version(const char *rest)
{
    if (tolower((unsigned char)*rest) == 'v' || tolower((unsigned char)*rest) == 'x')
        rest++;
    return !isalpha((unsigned char)*rest);
}

static bool begins(const char *type, const char *prefix)
{
    const size_t length = strlen(prefix);
    return !strncasecmp(type, prefix, length) && is_version(type + length);
}

enum cairn_protocol_id cairn_protocol_of_type(const char *type)
{
    const struct cairn_about *about;
    for (size_t i = 0; (about = cairn_about_at(i)); i++) {
        for (const char *const *prefix = about->types; *prefix; prefix++)
            if (begins(type, *prefix))
                return about->id;
    }
    return CAIRN_PROTOCOL_UNKNOWN;
}

void cairn_protocol_list(const char *last, char text[CAIRN_PROTOCOL_LIST])
{
    const struct cairn_about *about;
    size_t length = 0;

    *text = 0;
    for (size_t i = 0; (about = cairn_about_at(i)) && length < CAIRN_PROTOCOL_LIST; i++)
        length += (size_t)snprintf(text + length, CAIRN_PROTOCOL_LIST - length, "%s%s",
                                   !i                      ? ""
                                   : cairn_about_at(i + 1) ? ", "
                                                           : last,
                                   about->name);
}

const char *cairn_protocol_near(const char *type)
{
    const struct cairn_about *about, *nearest = NULL;
    const char *near = NULL;
    unsigned least = CAIRN_NAMES_FAR;
    bool tie = true;
    for (size_t i = 0; (about = cairn_about_at(i)); i++) {
        for (const char *const *prefix = about->types; *prefix; prefix++) {
            const unsigned apart = cairn_letters_apart(type, *prefix);
            if (apart > least || apart * 2 > strlen(*prefix)) /* two of three are nearly all */
                continue;
            tie = apart == least && (tie || about != nearest);
            if (apart < least) {
                nearest = about;
                near = *prefix;
            }
            least = apart;
        }
    }
    return tie ? NULL : near;
}

const struct cairn_register *cairn_register_find(const struct cairn_register *registers,
                                                 size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (!strcasecmp(registers[i].name, name))
            return &registers[i];
    }
    return NULL;
}

/* Of the ETMs before ETMv3 this one has an ETMIDR. */
#define ARCHITECTURE_SHIFT 8
#define ARCHITECTURE_MASK 0xfu
#define MAJOR_ETMV2 1

const char *cairn_old_etm(const char *type, const struct cairn_register *registers, size_t count)
{
    for (size_t i = 0; type && i < sizeof old_types / sizeof old_types[0]; i++) {
        const size_t length = strlen(old_types[i].prefix);
        if (!strncasecmp(type, old_types[i].prefix, length) &&
            !isalnum((unsigned char)type[length]))
            return old_types[i].name;
    }
    if (type && cairn_protocol_of_type(type))
        return NULL; /* its own configuration says what does not fit */
    const struct cairn_register *id = cairn_register_find(registers, count, "ETMIDR");
    return id && (id->value >> ARCHITECTURE_SHIFT & ARCHITECTURE_MASK) == MAJOR_ETMV2 ? "ETMv2"
                                                                                      : NULL;
}

static const struct cairn_register *witness_of(const struct cairn_about *about, unsigned rank,
                                               const struct cairn_register *registers, size_t count)
{
    for (const struct cairn_witness *w = about->witnesses; w && w->name; w++) {
        const struct cairn_register *found =
            w->rank == rank ? cairn_register_find(registers, count, w->name) : NULL;
        if (found && (found->value & w->mask) == w->value)
            return found;
    }
    return NULL;
}

static unsigned last_rank(void)
{
    const struct cairn_about *about;
    unsigned last = 0;
    for (size_t i = 0; (about = cairn_about_at(i)); i++)
        for (const struct cairn_witness *w = about->witnesses; w && w->name; w++)
            last = w->rank > last ? w->rank : last;
    return last;
}

enum cairn_protocol_id cairn_protocol_of_registers(const struct cairn_register *registers,
                                                   size_t count,
                                                   const struct cairn_register **witness)
{
    const unsigned last = last_rank();
    for (unsigned rank = 0; rank <= last; rank++) {
        const struct cairn_about *about;
        for (size_t i = 0; (about = cairn_about_at(i)); i++) {
            *witness = witness_of(about, rank, registers, count);
            if (*witness)
                return about->id;
        }
    }
    *witness = NULL;
    return CAIRN_PROTOCOL_UNKNOWN;
}

const char *cairn_protocol_word(enum cairn_protocol_id protocol)
{
    return protocol ? cairn_protocol_name(protocol) : "an unknown protocol";
}

const char *cairn_trace_id_register(enum cairn_protocol_id protocol)
{
    const char *const *names = cairn_about(protocol)->id_registers;
    return names ? *names : "TRCTRACEIDR";
}

int cairn_trace_id_of(enum cairn_protocol_id protocol, const struct cairn_register *registers,
                      size_t count)
{
    const struct cairn_about *about = cairn_about(protocol);
    for (const char *const *name = about->id_registers; name && *name; name++) {
        const struct cairn_register *holder = cairn_register_find(registers, count, *name);
        if (holder)
            return (int)(holder->value >> about->id_shift & TRACE_ID_MASK);
    }
    return -1;
}
