/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding a protocol in the registry, and configuring a source of it. Only what asks for a protocol
 * by its number needs this file; no protocol does. */
#include "protocol/protocols.h"

#include <stdlib.h>

#include "base/error.h"

static const struct cairn_protocol *find_protocol(enum cairn_protocol_id id)
{
    for (size_t i = 0; i < cairn_protocol_count; i++)
        if (cairn_protocols[i]->id == id)
            return cairn_protocols[i];
    return NULL;
}

const char *cairn_protocol_name(enum cairn_protocol_id protocol)
{
    switch (protocol) {
    case CAIRN_PROTOCOL_UNKNOWN: break;
    case CAIRN_PROTOCOL_ETMV4: return "ETMv4";
    case CAIRN_PROTOCOL_ETE: return "ETE";
    case CAIRN_PROTOCOL_ETMV3: return "ETMv3";
    case CAIRN_PROTOCOL_PTM: return "PTM";
    case CAIRN_PROTOCOL_STM: return "STM";
    case CAIRN_PROTOCOL_ITM: return "ITM";
    case CAIRN_PROTOCOL_MTB: return "MTB";
    }
    return "unknown";
}

bool cairn_protocol_decodes(enum cairn_protocol_id protocol)
{
    const struct cairn_protocol *found = find_protocol(protocol);

    return found && cairn_protocol_has_flow(found);
}

bool cairn_protocol_decodes_packets(enum cairn_protocol_id protocol)
{
    return find_protocol(protocol) != NULL;
}

cairn_status cairn_config_new(const struct cairn_source_config *source,
                              struct cairn_config **config, struct cairn_error *error)
{
    if (!source || !config || source->size < sizeof *source ||
        (source->register_count != 0 && !source->registers))
        return cairn_fail(error, CAIRN_E_ARGUMENT,
                          "cairn_config_new: begin with CAIRN_SOURCE_CONFIG_INIT and give the "
                          "registers and a place for the result");
    const struct cairn_protocol *protocol = find_protocol(source->protocol);
    if (!protocol)
        return cairn_fail(error, CAIRN_E_UNSUPPORTED,
                          "protocol %s is not decoded, and others are, ETMv4 and ETE first of all: "
                          "give one of them if the source is of another type than the capture says",
                          cairn_protocol_name(source->protocol));

    struct cairn_config *made = calloc(1, sizeof *made);
    if (!made)
        return cairn_fail(error, CAIRN_E_MEMORY, "no memory for the configuration of a source");
    atomic_init(&made->references, 1);
    made->protocol = protocol;
    made->arch = source->arch;
    made->source = source->source;
    cairn_status status = protocol->configure(source, made, error);
    if (status != CAIRN_OK) {
        cairn_config_unref(made);
        return status;
    }
    *config = made;
    return CAIRN_OK;
}
