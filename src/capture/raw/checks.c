/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/raw/checks.h"

#include "base/error.h"
#include "capture/raw/cores.h"
#include "capture/register_names.h"
#include "capture/trace_unit.h"
#include "protocol/about.h"

void cairn_raw_check_core(struct cairn_capture *capture, const struct cairn_source_info *info)
{
    const char *instead =
        info->core_type ? cairn_core_unit_instead(info->core_type, info->protocol) : NULL;
    if (instead)
        cairn_capture_say(capture, CAIRN_WARNING,
                          "%s: core type \"%.40s\" has no %s: its trace unit is %s. Check the core "
                          "and the protocol.",
                          info->name, info->core_type, cairn_protocol_word(info->protocol),
                          instead);
}

void cairn_raw_check_spelling(struct cairn_capture *capture, const char *config_path,
                              const struct cairn_source_info *info,
                              const struct cairn_raw_source *told)
{
    for (size_t i = 0; i < told->register_count; i++) {
        const char *name = told->registers[i].name;
        if (!cairn_register_names_known(info->protocol) ||
            cairn_register_name_exists(info->protocol, name))
            continue;
        const char *near = cairn_register_name_near(info->protocol, name);
        if (near)
            cairn_capture_say_as(
                capture, "CAIRN-REGISTER-ODD", CAIRN_WARNING,
                "%s: %.40s in %s is no register of the trace unit and does nothing; "
                "did you mean %s?",
                info->name, name, config_path, near);
    }
}

/* FSYNC, or what the protocol has; of frames as in memory there is none. */
static struct cairn_port_sync sync_of(enum cairn_format format, enum cairn_protocol_id protocol)
{
    if (format == CAIRN_FORMAT_CORESIGHT)
        return (struct cairn_port_sync){.bytes = 0};
    if (format == CAIRN_FORMAT_DSTREAM_CORESIGHT)
        return (struct cairn_port_sync){.bytes = 3, .ones = true};
    return (struct cairn_port_sync){.bytes = cairn_about(protocol)->sync_zeros};
}

static enum cairn_protocol_id seen_in(const struct cairn_register *registers, size_t count)
{
    const struct cairn_register *witness;

    return cairn_protocol_of_registers(registers, count, &witness);
}

cairn_status cairn_raw_check_port(const struct cairn_source_info *info, const char *type,
                                  struct cairn_error *error)
{
    const enum cairn_port_kind kind = cairn_port_kind_of_type(cairn_protocol_name(info->protocol));

    if (!type || !info->protocol || cairn_port_kind_of_type(type) == (kind ? kind : CAIRN_PORT_V3))
        return CAIRN_OK;
    return cairn_fail(error, CAIRN_E_CONFIG,
                      "%s: was read as the port of an %s, which %s does not write to; give the "
                      "protocol and the registers of the trace unit that does",
                      info->name, type, cairn_protocol_word(info->protocol));
}

struct cairn_port_request cairn_raw_port_request(const struct cairn_capture_options *options,
                                                 const struct cairn_raw_source *told,
                                                 const char *path, enum cairn_format format)
{
    const struct cairn_raw_source nothing = {.name = NULL};
    const struct cairn_raw_source *source = told ? told : &nothing;
    enum cairn_protocol_id protocol = seen_in(options->registers, options->register_count);
    if (!protocol)
        protocol = seen_in(source->registers, source->register_count);
    if (source->protocol)
        protocol = cairn_protocol_of_type(source->protocol);
    if (options->protocol)
        protocol = options->protocol;
    const char *type = protocol ? cairn_protocol_name(protocol) : NULL;
    if (source->protocol && !options->protocol)
        type = source->protocol;
    const struct cairn_register *etmcr =
        cairn_register_find(options->registers, options->register_count, "ETMCR");
    struct cairn_port_request request = {
        .what = path,
        .kind = cairn_port_kind_of_type(type),
        .pins = options->pins ? options->pins : source->pins,
        .mode = options->port_mode ? options->port_mode : source->port_mode,
        .width = options->port_width ? options->port_width : (unsigned)source->port_width,
    };
    if (!etmcr)
        etmcr = cairn_register_find(source->registers, source->register_count, "ETMCR");
    if (etmcr) {
        request.etmcr = etmcr->value;
        request.has_etmcr = true;
    }
    if (!protocol) /* TRACEDATA is then an ETMv3's */
        protocol = cairn_protocol_of_type(cairn_port_type(CAIRN_PORT_V3));
    request.sync = sync_of(format, protocol);
    /* what other trace units write leaves the chip by pins like an ETMv3's */
    if (type && !request.kind)
        request.kind = CAIRN_PORT_V3;
    return request;
}
