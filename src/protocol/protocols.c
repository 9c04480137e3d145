/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding a protocol in the registry, and configuring a source of it. Only what asks for a protocol
 * by its number needs this file; no protocol does. */
#include "protocol/protocols.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/sizes.h"

static const struct cairn_protocol *find_protocol(enum cairn_protocol_id id)
{
    for (size_t i = 0; i < cairn_protocol_count; i++)
        if (cairn_protocols[i]->about->id == id)
            return cairn_protocols[i];
    return NULL;
}

const struct cairn_about *cairn_about(enum cairn_protocol_id protocol)
{
    static const struct cairn_about unknown = {.name = "unknown"};
    const struct cairn_protocol *found = find_protocol(protocol);

    return found ? found->about : &unknown;
}

const struct cairn_about *cairn_about_at(size_t index)
{
    return index < cairn_protocol_count ? cairn_protocols[index]->about : NULL;
}

const char *cairn_protocol_name(enum cairn_protocol_id protocol)
{
    return cairn_about(protocol)->name;
}

enum cairn_depth cairn_protocol_depth(enum cairn_protocol_id protocol)
{
    const struct cairn_protocol *found = find_protocol(protocol);

    return found ? cairn_depth_of(found) : CAIRN_DEPTH_NONE;
}

bool cairn_protocol_decodes(enum cairn_protocol_id protocol)
{
    return cairn_protocol_depth(protocol) == CAIRN_DEPTH_FLOW;
}

bool cairn_protocol_decodes_packets(enum cairn_protocol_id protocol)
{
    return cairn_protocol_depth(protocol) >= CAIRN_DEPTH_PACKETS;
}

cairn_status cairn_config_new(const struct cairn_source_config *source,
                              struct cairn_config **config, struct cairn_error *error)
{
    struct cairn_source_config given = CAIRN_SOURCE_CONFIG_INIT;

    if (!source || !config || cairn_options_read(&given, sizeof given, source) != CAIRN_OK ||
        (given.register_count != 0 && !given.registers))
        return cairn_fail(error, CAIRN_E_ARGUMENT,
                          "cairn_config_new: begin with CAIRN_SOURCE_CONFIG_INIT and give the "
                          "registers and a place for the result");
    const struct cairn_protocol *protocol = find_protocol(given.protocol);
    if (!protocol || cairn_depth_of(protocol) == CAIRN_DEPTH_NONE)
        return cairn_fail(error, CAIRN_E_UNSUPPORTED,
                          "protocol %s is not decoded, and others are, ETMv4 and ETE first of all: "
                          "give one of them if the source is of another type than the capture says",
                          cairn_protocol_name(given.protocol));

    struct cairn_config *made = calloc(1, sizeof *made);
    if (!made)
        return cairn_fail(error, CAIRN_E_MEMORY, "no memory for the configuration of a source");
    atomic_init(&made->references, 1);
    made->protocol = protocol;
    made->arch = given.arch;
    made->source = given.source;
    cairn_status status = protocol->configure(&given, made, error);
    if (status != CAIRN_OK) {
        cairn_config_unref(made);
        return status;
    }
    *config = made;
    return CAIRN_OK;
}
