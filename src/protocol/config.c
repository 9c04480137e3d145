/* SPDX-License-Identifier: BSD-2-Clause */
/* A checked configuration: its count, its notes, and what it tells of its source. */
#include "protocol/protocol.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void cairn_config_add_note(struct cairn_config *config, const char *format, ...)
{
    if (config->note_count == CAIRN_CONFIG_NOTES_MAX)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(config->notes[config->note_count], CAIRN_CONFIG_NOTE_TEXT, format, arguments);
    va_end(arguments);
    config->note_count++;
}

struct cairn_config *cairn_config_ref(struct cairn_config *config)
{
    atomic_fetch_add_explicit(&config->references, 1, memory_order_relaxed);
    return config;
}

void cairn_config_unref(struct cairn_config *config)
{
    if (!config || atomic_fetch_sub_explicit(&config->references, 1, memory_order_acq_rel) != 1)
        return;
    free(config->decoded);
    free(config);
}

const char *cairn_config_note(const struct cairn_config *config, size_t index)
{
    return index < config->note_count ? config->notes[index] : NULL;
}

enum cairn_protocol_id cairn_config_protocol(const struct cairn_config *config)
{
    return config->protocol->about->id;
}

unsigned cairn_config_tells(const struct cairn_config *config)
{
    return (config->untold.EL ? 0 : CAIRN_TELLS_EL) |
           (config->untold.security ? 0 : CAIRN_TELLS_SECURITY) |
           (config->rules.every_instruction ? CAIRN_TELLS_CONDITIONS : 0) |
           (config->untold.exceptions ? 0 : CAIRN_TELLS_EXCEPTIONS) |
           (config->cycles ? CAIRN_TELLS_CYCLES : 0) |
           (config->cycles && config->cycles_ahead ? CAIRN_TELLS_CYCLES_AHEAD : 0) |
           (config->timestamps ? CAIRN_TELLS_TIME : 0);
}

const struct cairn_arch *cairn_config_arch(const struct cairn_config *config)
{
    return &config->arch;
}

uint32_t cairn_config_source(const struct cairn_config *config)
{
    return config->source;
}

size_t cairn_config_describe(const struct cairn_config *config, struct cairn_field *fields,
                             size_t capacity)
{
    return config->protocol->describe_config
               ? config->protocol->describe_config(config, fields, capacity)
               : 0;
}

cairn_status cairn_config_spans(const struct cairn_config *config, uint64_t size,
                                struct cairn_span spans[CAIRN_SPANS_MAX], size_t *count,
                                struct cairn_error *error)
{
    if (config->protocol->spans)
        return config->protocol->spans(config, size, spans, count, error);
    spans[0] = (struct cairn_span){.offset = 0, .length = size};
    *count = size != 0;
    return CAIRN_OK;
}
