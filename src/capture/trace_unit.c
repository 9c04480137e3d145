/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/trace_unit.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "capture/register_names.h"

/* Type names begin with one of these; a version may follow ("ETM4.1", "PFT1.1"). */
static const struct {
    const char *prefix;
    enum cairn_protocol_id protocol;
} types[] = {
    {"ETMv4", CAIRN_PROTOCOL_ETMV4}, {"ETM4", CAIRN_PROTOCOL_ETMV4}, {"ETE", CAIRN_PROTOCOL_ETE},
    {"ETMv3", CAIRN_PROTOCOL_ETMV3}, {"ETM3", CAIRN_PROTOCOL_ETMV3}, {"PTM", CAIRN_PROTOCOL_PTM},
    {"PFT", CAIRN_PROTOCOL_PTM},     {"STM", CAIRN_PROTOCOL_STM},    {"ITM", CAIRN_PROTOCOL_ITM},
    {"MTB", CAIRN_PROTOCOL_MTB},
};

/* TRCDEVARCH.ARCHID (DDI0608 D18): 0x4A13 is ETMv4, 0x5A13 is ETE. */
#define DEVARCH_ARCHID 0xffffu
#define ARCHID_ETMV4 0x4a13u
#define ARCHID_ETE 0x5a13u
/* TRCIDR1.TRCARCHMAJ: 4 is ETMv4; 15 refers to TRCDEVARCH, as all of ETE do (DDI0608 D18). */
#define ARCHITECTURE_SHIFT 8
#define ARCHITECTURE_MASK 0xfu
#define MAJOR_ETMV4 4
#define MAJOR_ETE 15
/* The same bits of ETMIDR: ETMv3 counts from 0 for ETMv1, and PFTv1 follows (IHI0014, IHI0035). */
#define MAJOR_ETMV3 2
#define MAJOR_PFT 3

#define TRACE_ID_MASK 0x7fu
#define BUS_ID_SHIFT 16 /* STMTCSR.TRACEID and ITM_TCR.TraceBusID are bits 22:16 */

/* Older trace units, which are known by name alone. ETM10RV and ETM11RV are ETMv3. */
static const struct {
    const char *prefix, *name;
} old_types[] = {
    {"ETMv1", "ETMv1"}, {"ETM1", "ETMv1"},  {"ETM7", "ETMv1"},
    {"ETM9", "ETMv1"},  {"ETMv2", "ETMv2"}, {"ETM2", "ETMv2"},
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
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (begins(type, types[i].prefix))
            return types[i].protocol;
    }
    return CAIRN_PROTOCOL_UNKNOWN;
}

const char *cairn_protocol_near(const char *type)
{
    size_t nearest = 0;
    unsigned least = CAIRN_NAMES_FAR;
    bool tie = true;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const unsigned apart = cairn_letters_apart(type, types[i].prefix);
        if (apart > least || apart * 2 > strlen(types[i].prefix)) /* two of three are nearly all */
            continue;
        tie = apart == least && (tie || types[i].protocol != types[nearest].protocol);
        if (apart < least)
            nearest = i;
        least = apart;
    }
    return tie ? NULL : types[nearest].prefix;
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

static enum cairn_protocol_id of_devarch(uint64_t value)
{
    switch (value & DEVARCH_ARCHID) {
    case ARCHID_ETMV4: return CAIRN_PROTOCOL_ETMV4;
    case ARCHID_ETE: return CAIRN_PROTOCOL_ETE;
    default: return CAIRN_PROTOCOL_UNKNOWN;
    }
}

static enum cairn_protocol_id of_trcidr1(uint64_t value)
{
    switch (value >> ARCHITECTURE_SHIFT & ARCHITECTURE_MASK) {
    case MAJOR_ETMV4: return CAIRN_PROTOCOL_ETMV4;
    case MAJOR_ETE: return CAIRN_PROTOCOL_ETE;
    default: return CAIRN_PROTOCOL_UNKNOWN;
    }
}

static enum cairn_protocol_id of_etmidr(uint64_t value)
{
    switch (value >> ARCHITECTURE_SHIFT & ARCHITECTURE_MASK) {
    case MAJOR_ETMV3: return CAIRN_PROTOCOL_ETMV3;
    case MAJOR_PFT: return CAIRN_PROTOCOL_PTM;
    default: return CAIRN_PROTOCOL_UNKNOWN;
    }
}

/* Of the ETMs before ETMv3 one has an ETMIDR, and ETMCCR[31] of the other tells that there is none.
 */
#define MAJOR_ETMV2 1
#define CCR_HAS_IDR_SHIFT 31

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
    const struct cairn_register *ccr = cairn_register_find(registers, count, "ETMCCR");
    if (ccr && !(ccr->value >> CCR_HAS_IDR_SHIFT & 1))
        return "ETMv1";
    return id && (id->value >> ARCHITECTURE_SHIFT & ARCHITECTURE_MASK) == MAJOR_ETMV2 ? "ETMv2"
                                                                                      : NULL;
}

static enum cairn_protocol_id of_stmtcsr(uint64_t value)
{
    (void)value; /* it is there: that is enough */
    return CAIRN_PROTOCOL_STM;
}

static enum cairn_protocol_id of_itmtcr(uint64_t value)
{
    (void)value;
    return CAIRN_PROTOCOL_ITM;
}

/* Best witness first. */
static const struct {
    const char *name;
    enum cairn_protocol_id (*protocol_of)(uint64_t value);
} witnesses[] = {
    {"TRCDEVARCH", of_devarch}, {"TRCIDR1", of_trcidr1}, {"ETMIDR", of_etmidr},
    {"STMTCSR", of_stmtcsr},    {"ITMTCR", of_itmtcr},   {"ITM_TCR", of_itmtcr},
};

enum cairn_protocol_id cairn_protocol_of_registers(const struct cairn_register *registers,
                                                   size_t count,
                                                   const struct cairn_register **witness)
{
    for (size_t i = 0; i < sizeof witnesses / sizeof witnesses[0]; i++) {
        *witness = cairn_register_find(registers, count, witnesses[i].name);
        const enum cairn_protocol_id protocol =
            *witness ? witnesses[i].protocol_of((*witness)->value) : CAIRN_PROTOCOL_UNKNOWN;
        if (protocol)
            return protocol;
    }
    *witness = NULL;
    return CAIRN_PROTOCOL_UNKNOWN;
}

const char *cairn_protocol_word(enum cairn_protocol_id protocol)
{
    switch (protocol) {
    case CAIRN_PROTOCOL_ETMV4: return "ETMv4";
    case CAIRN_PROTOCOL_ETE: return "ETE";
    case CAIRN_PROTOCOL_ETMV3: return "ETMv3";
    case CAIRN_PROTOCOL_PTM: return "PTM";
    case CAIRN_PROTOCOL_STM: return "STM";
    case CAIRN_PROTOCOL_ITM: return "ITM";
    case CAIRN_PROTOCOL_MTB: return "MTB";
    case CAIRN_PROTOCOL_UNKNOWN: break;
    }
    return "an unknown protocol";
}

const char *cairn_trace_id_register(enum cairn_protocol_id protocol)
{
    switch (protocol) {
    case CAIRN_PROTOCOL_ETMV4:
    case CAIRN_PROTOCOL_ETE: return "TRCTRACEIDR";
    case CAIRN_PROTOCOL_ETMV3:
    case CAIRN_PROTOCOL_PTM: return "ETMTRACEIDR";
    case CAIRN_PROTOCOL_STM: return "STMTCSR";
    case CAIRN_PROTOCOL_ITM: return "ITMTCR";
    case CAIRN_PROTOCOL_MTB: /* it has no trace ID */
    case CAIRN_PROTOCOL_UNKNOWN: break;
    }
    return "TRCTRACEIDR";
}

int cairn_trace_id_of(enum cairn_protocol_id protocol, const struct cairn_register *registers,
                      size_t count)
{
    /* ITM_TCR is CMSIS's name, ITM_CTRL one that captures from Linux boards have. */
    static const char *const of_itm[] = {"ITM_TCR", "ITM_CTRL"};
    if (protocol == CAIRN_PROTOCOL_UNKNOWN)
        return -1;
    const struct cairn_register *holder =
        cairn_register_find(registers, count, cairn_trace_id_register(protocol));
    for (size_t i = 0; protocol == CAIRN_PROTOCOL_ITM && !holder && i < 2; i++)
        holder = cairn_register_find(registers, count, of_itm[i]);
    if (!holder)
        return -1;
    const bool shifted = protocol == CAIRN_PROTOCOL_STM || protocol == CAIRN_PROTOCOL_ITM;
    return (int)(holder->value >> (shifted ? BUS_ID_SHIFT : 0) & TRACE_ID_MASK);
}
