/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/trace_unit.h"

#include <string.h>
#include <strings.h>

/* Type names begin with one of these; a version may follow ("ETM4.1", "PFT1.1"). */
static const struct {
    const char *prefix;
    enum cairn_protocol_id protocol;
} types[] = {
    {"ETMv4", CAIRN_PROTOCOL_ETMV4}, {"ETM4", CAIRN_PROTOCOL_ETMV4}, {"ETE", CAIRN_PROTOCOL_ETE},
    {"ETMv3", CAIRN_PROTOCOL_ETMV3}, {"ETM3", CAIRN_PROTOCOL_ETMV3}, {"PTM", CAIRN_PROTOCOL_PTM},
    {"PFT", CAIRN_PROTOCOL_PTM},     {"STM", CAIRN_PROTOCOL_STM},    {"ITM", CAIRN_PROTOCOL_ITM},
};

/* TRCDEVARCH.ARCHID (DDI0608 D18): 0x4A13 is ETMv4, 0x5A13 is ETE. */
#define DEVARCH_ARCHID 0xffffu
#define ARCHID_ETMV4 0x4a13u
#define ARCHID_ETE 0x5a13u

#define TRACE_ID_MASK 0x7fu
#define BUS_ID_SHIFT 16 /* STMTCSR.TRACEID and ITM_TCR.TraceBusID are bits 22:16 */

enum cairn_protocol_id cairn_protocol_of_type(const char *type)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (!strncasecmp(type, types[i].prefix, strlen(types[i].prefix)))
            return types[i].protocol;
    }
    return CAIRN_PROTOCOL_UNKNOWN;
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

enum cairn_protocol_id cairn_protocol_of_registers(const struct cairn_register *registers,
                                                   size_t count)
{
    const struct cairn_register *devarch = cairn_register_find(registers, count, "TRCDEVARCH");
    if (!devarch)
        return CAIRN_PROTOCOL_UNKNOWN;
    switch (devarch->value & DEVARCH_ARCHID) {
    case ARCHID_ETMV4: return CAIRN_PROTOCOL_ETMV4;
    case ARCHID_ETE: return CAIRN_PROTOCOL_ETE;
    default: return CAIRN_PROTOCOL_UNKNOWN;
    }
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
    case CAIRN_PROTOCOL_UNKNOWN: break;
    }
    return "TRCTRACEIDR";
}

int cairn_trace_id_of(enum cairn_protocol_id protocol, const struct cairn_register *registers,
                      size_t count)
{
    if (protocol == CAIRN_PROTOCOL_UNKNOWN)
        return -1;
    const struct cairn_register *holder =
        cairn_register_find(registers, count, cairn_trace_id_register(protocol));
    if (!holder)
        return -1;
    const bool shifted = protocol == CAIRN_PROTOCOL_STM || protocol == CAIRN_PROTOCOL_ITM;
    return (int)(holder->value >> (shifted ? BUS_ID_SHIFT : 0) & TRACE_ID_MASK);
}
