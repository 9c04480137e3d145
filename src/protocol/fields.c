/* SPDX-License-Identifier: BSD-2-Clause */
#include "protocol/fields.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "protocol/protocol.h"

/* The next free field, or NULL when there is no room; counted either way. */
static struct cairn_field *next_field(struct cairn_field_list *list, const char *name,
                                      enum cairn_field_type type)
{
    size_t index = list->count++;
    if (index >= list->capacity)
        return NULL;
    struct cairn_field *field = &list->fields[index];
    memset(field, 0, sizeof *field);
    field->name = name;
    field->type = type;
    return field;
}

void cairn_fields_add(struct cairn_field_list *list, const char *name, enum cairn_field_type type,
                      uint64_t value)
{
    struct cairn_field *field = next_field(list, name, type);
    if (field)
        field->value = value;
}

void cairn_fields_add_text(struct cairn_field_list *list, const char *name, const char *text)
{
    struct cairn_field *field = next_field(list, name, CAIRN_FIELD_TEXT);
    if (field)
        field->text = text;
}

void cairn_fields_add_format(struct cairn_field_list *list, const char *name, const char *format,
                             ...)
{
    struct cairn_field *field = next_field(list, name, CAIRN_FIELD_TEXT);
    if (!field)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(field->text_space, sizeof field->text_space, format, arguments);
    va_end(arguments);
    field->text = field->text_space;
}

/* A security state is {NSE, NS} as a number. */
static const char *const security_names[] = {"Secure", "Non-secure", "Root", "Realm"};

void cairn_fields_add_context(struct cairn_field_list *list, const struct cairn_config *config,
                              const struct cairn_context *context, unsigned flags)
{
    if (cairn_tells_EL(config, context->EL))
        cairn_fields_add(list, "EL", CAIRN_FIELD_DECIMAL, context->EL);
    if (!config->untold.security)
        cairn_fields_add_text(list, "security", security_names[context->security & 3]);
    cairn_fields_add(list, "SF", CAIRN_FIELD_DECIMAL, context->SF);
    if (flags & CAIRN_PACKET_HAS_VMID)
        cairn_fields_add(list, "VMID", CAIRN_FIELD_HEX, context->vmid);
    if (flags & CAIRN_PACKET_HAS_CONTEXT_ID)
        cairn_fields_add(list, "CONTEXTID", CAIRN_FIELD_HEX, context->context_id);
}
