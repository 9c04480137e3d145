/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/json_fields.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/event.h"

/* How a value is written. */
enum form {
    FORM_PLAIN,   /* as its type says: decimal a number, hex a string, a flag true or false */
    FORM_NUMBER,  /* a number, though people read it in hex */
    FORM_FLAG,    /* 0 or 1: true or false */
    FORM_TRUE,    /* what is there at all is true ... */
    FORM_FALSE,   /* ... or false */
    FORM_ACCOUNT, /* the text is that of an account, if there is such a one */
    FORM_NUMBERS, /* the text is a list: "0,2" */
    FORM_DATA,    /* the word for an element's kind of data */
};

struct term {
    const char *name; /* as the protocol has it */
    const char *key;
    enum form form;
};

/* Sorted by name. What is not in here has its name in lower case, and is PLAIN. */
static const struct term terms[] = {
    {"BE", "big_endian", FORM_FLAG},
    {"CONTEXTID", "context_id", FORM_NUMBER},
    {"Can", "can", FORM_FLAG},
    {"Context ID", "context_id", FORM_NUMBER},
    {"Exception", "exception", FORM_NUMBER},
    {"Hyp", "hyp", FORM_FLAG},
    {"NS", "ns", FORM_FLAG},
    {"R", "r", FORM_FLAG},
    {"SF", "sf", FORM_FLAG},
    {"TS", "timestamp", FORM_PLAIN},
    {"TYPE", "exception", FORM_NUMBER},
    {"VMID", "vmid", FORM_NUMBER},
    {"address is", "address_valid", FORM_FALSE},
    {"bits traced", "address_bits", FORM_PLAIN},
    {"bytes", "timestamp_bytes", FORM_PLAIN},
    {"cycle count", "cycles", FORM_PLAIN},
    {"data instruction's Hyp", "data_instruction_hyp", FORM_FLAG},
    {"data instruction's NS", "data_instruction_ns", FORM_FLAG},
    {"events", "events", FORM_NUMBERS},
    {"exception", "exception_name", FORM_PLAIN},
    {"its state", "state", FORM_PLAIN},
    {"length", "length_known", FORM_TRUE},
    {"lost", "lost", FORM_ACCOUNT},
    {"low bits of TS", "timestamp_low_bits", FORM_PLAIN},
    {"low bits of address", "address_low_bits", FORM_PLAIN},
    {"reason", "reason", FORM_ACCOUNT},
};

/* What a name means behind another field of the same packet. */
static const struct {
    const char *behind;
    struct term term;
} behind[] = {
    {"TS", {"bits traced", "timestamp_bits", FORM_PLAIN}},
    {"low bits of TS", {"bits traced", "timestamp_bits", FORM_PLAIN}},
    {"TS", {"COUNT", "cycles", FORM_PLAIN}},
    {"data instruction", {"state", "data_instruction_state", FORM_PLAIN}},
};

/* What a name means in an element of a kind. */
static const struct {
    enum cairn_element_kind kind;
    struct term term;
} of_elements[] = {
    {CAIRN_ELEMENT_Q, {"count", "instructions", FORM_PLAIN}},
    {CAIRN_ELEMENT_CYCLE_COUNT, {"count", "cycles", FORM_PLAIN}},
    {CAIRN_ELEMENT_TIMESTAMP, {"value", "timestamp", FORM_PLAIN}},
    {CAIRN_ELEMENT_EVENT, {"number", "event", FORM_PLAIN}},
    {CAIRN_ELEMENT_DATA, {"kind", "data", FORM_DATA}},
};

void cairn_json_begin(struct cairn_output *output, const char *command)
{
    cairn_output_format(output,
                        "{\"type\":\"cairn\",\"schema\":%d,\"version\":", CAIRN_JSON_SCHEMA);
    cairn_output_json(output, cairn_version());
    cairn_output_text(output, ",\"command\":");
    cairn_output_json(output, command);
    /* not cairn_output_line, which is for a first line that tells something */
    cairn_output_text(output, "}\n");
}

void cairn_json_number(struct cairn_output *output, const char *key, uint64_t value)
{
    cairn_output_format(output, ",\"%s\":%" PRIu64, key, value);
}

void cairn_json_text(struct cairn_output *output, const char *key, const char *value)
{
    cairn_output_format(output, ",\"%s\":", key);
    if (value)
        cairn_output_json(output, value);
    else
        cairn_output_text(output, "null");
}

void cairn_json_address(struct cairn_output *output, const char *key, uint64_t value)
{
    cairn_output_format(output, ",\"%s\":\"0x%" PRIx64 "\"", key, value);
}

const char *cairn_json_account(unsigned account)
{
    switch ((enum cairn_account)account) {
    case CAIRN_GAP_NO_SYNC: return "no_sync";
    case CAIRN_GAP_NOT_DECODED: return "not_decoded";
    case CAIRN_GAP_NO_ADDRESS: return "no_address";
    case CAIRN_GAP_NO_IMAGE: return "no_image";
    case CAIRN_GAP_RETURN_STACK: return "return_stack";
    case CAIRN_ACCOUNT_FLOW:
    case CAIRN_ACCOUNT_METADATA:
    case CAIRN_ACCOUNT_PADDING:
    case CAIRN_GAP_RESERVED:
    case CAIRN_GAP_CUT:
    case CAIRN_GAP_TRUNCATED:
    case CAIRN_GAP_OVERFLOW:
    case CAIRN_GAP_DISCARD:
    case CAIRN_GAP_UNRESOLVED:
    case CAIRN_GAP_LIMIT:
    case CAIRN_GAP_INCONSISTENT:
    case CAIRN_GAP_FILTERED:
    case CAIRN_GAP_LOST: break;
    }
    return cairn_account_word(account);
}

const char *cairn_json_data(unsigned kind)
{
    switch ((enum cairn_data_kind)kind) {
    case CAIRN_DATA_NORMAL: return "transfer";
    case CAIRN_DATA_PLACEHOLDER: return "placeholder";
    case CAIRN_DATA_LATE: return "late";
    case CAIRN_DATA_NOT_TRACED: return "not_traced";
    case CAIRN_DATA_SUPPRESSED: return "suppressed";
    case CAIRN_DATA_STORE_FAILED: return "store_failed";
    case CAIRN_DATA_PINS: return "pins";
    }
    return "unknown";
}

void cairn_json_ledger(struct cairn_output *output, const struct cairn_account_sum *accounts)
{
    for (unsigned account = 0; account <= CAIRN_GAP_LOST; account++) {
        cairn_output_text(output, account ? ",\"" : "{\"");
        cairn_output_text(output, cairn_json_account(account));
        cairn_output_text(output, "\":");
        cairn_output_decimal(output, accounts[account].bytes);
    }
    cairn_output_char(output, '}');
}

static bool is_of_key(char character)
{
    return (character >= 'a' && character <= 'z') || (character >= '0' && character <= '9');
}

void cairn_json_key(const char *name, char key[CAIRN_JSON_KEY_MAX])
{
    size_t used = 0;

    for (; *name && used < CAIRN_JSON_KEY_MAX - 1; name++) {
        const char lower = *name >= 'A' && *name <= 'Z' ? (char)(*name + ('a' - 'A')) : *name;
        if (is_of_key(lower))
            key[used++] = lower;
        else if (used && key[used - 1] != '_')
            key[used++] = '_';
    }
    while (used && key[used - 1] == '_')
        used--;
    key[used] = '\0';
}

static int compare_names(const void *name, const void *term)
{
    return strcmp(name, ((const struct term *)term)->name);
}

static const struct term *find_term(const struct cairn_field *fields, size_t index)
{
    const char *name = fields[index].name;

    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++) {
        if (strcmp(name, behind[i].term.name))
            continue;
        for (size_t before = 0; before < index; before++)
            if (!strcmp(fields[before].name, behind[i].behind))
                return &behind[i].term;
    }
    return bsearch(name, terms, sizeof terms / sizeof *terms, sizeof *terms, compare_names);
}

static const struct term *find_in_element(const struct cairn_field *fields, size_t index,
                                          unsigned kind)
{
    for (size_t i = 0; i < sizeof of_elements / sizeof *of_elements; i++)
        if (of_elements[i].kind == kind && !strcmp(of_elements[i].term.name, fields[index].name))
            return &of_elements[i].term;
    return find_term(fields, index);
}

static void write_account(struct cairn_output *output, const char *text)
{
    for (unsigned account = 0; account <= CAIRN_GAP_LOST; account++)
        if (!strcmp(text, cairn_account_name((enum cairn_account)account))) {
            cairn_output_json(output, cairn_json_account(account));
            return;
        }
    cairn_output_json(output, text);
}

static void write_bool(struct cairn_output *output, bool value)
{
    cairn_output_text(output, value ? "true" : "false");
}

static void write_plain(struct cairn_output *output, const struct cairn_field *field)
{
    switch (field->type) {
    case CAIRN_FIELD_DECIMAL: cairn_output_decimal(output, field->value); return;
    case CAIRN_FIELD_HEX:
        cairn_output_text(output, "\"0x");
        cairn_output_hex(output, field->value, 0);
        cairn_output_char(output, '"');
        return;
    case CAIRN_FIELD_FLAG: write_bool(output, field->value != 0); return;
    case CAIRN_FIELD_TEXT: cairn_output_json(output, field->text ? field->text : ""); return;
    case CAIRN_FIELD_UNKNOWN: break;
    }
    cairn_output_text(output, "null");
}

static void write_value(struct cairn_output *output, const struct cairn_field *field,
                        enum form form, const struct cairn_element_data *data)
{
    const char *text = field->text ? field->text : "";

    if (field->type == CAIRN_FIELD_UNKNOWN)
        form = FORM_PLAIN;
    switch (form) {
    case FORM_PLAIN: write_plain(output, field); return;
    case FORM_NUMBER: cairn_output_decimal(output, field->value); return;
    case FORM_FLAG: write_bool(output, field->value != 0); return;
    case FORM_TRUE: write_bool(output, true); return;
    case FORM_FALSE: write_bool(output, false); return;
    case FORM_ACCOUNT: write_account(output, text); return;
    case FORM_NUMBERS:
        cairn_output_char(output, '[');
        cairn_output_text(output, text);
        cairn_output_char(output, ']');
        return;
    case FORM_DATA:
        cairn_output_json(output, cairn_json_data(CAIRN_DATA_KIND(data->cycles)));
        return;
    }
}

static void write_field(struct cairn_output *output, const struct cairn_field *field,
                        const struct term *term, const struct cairn_element_data *data)
{
    char key[CAIRN_JSON_KEY_MAX];

    cairn_output_char(output, '"');
    if (term) {
        cairn_output_text(output, term->key);
    } else {
        cairn_json_key(field->name, key);
        cairn_output_text(output, key);
    }
    cairn_output_text(output, "\":");
    write_value(output, field, term ? term->form : FORM_PLAIN, data);
}

void cairn_json_packet_fields(struct cairn_output *output, const struct cairn_field *fields,
                              size_t count)
{
    cairn_output_char(output, '{');
    for (size_t i = 0; i < count; i++) {
        if (i)
            cairn_output_char(output, ',');
        write_field(output, &fields[i], find_term(fields, i), NULL);
    }
    cairn_output_char(output, '}');
}

void cairn_json_element_fields(struct cairn_output *output, unsigned kind,
                               const struct cairn_element_data *data,
                               const struct cairn_field *fields, size_t count)
{
    cairn_output_char(output, '{');
    for (size_t i = 0; i < count; i++) {
        if (i)
            cairn_output_char(output, ',');
        write_field(output, &fields[i], find_in_element(fields, i, kind), data);
    }
    cairn_output_char(output, '}');
}
