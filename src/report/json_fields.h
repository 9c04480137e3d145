/* SPDX-License-Identifier: BSD-2-Clause */
/* What every JSON output shares: its version, its words, and the named values of packets and elements
 * under one spelling for all protocols (docs/json.md). */
#ifndef CAIRN_REPORT_JSON_FIELDS_H
#define CAIRN_REPORT_JSON_FIELDS_H

#include <cairn/element.h>

#include "report/output.h"

/* Grows when a key goes, or means something else; not when one is added. */
#define CAIRN_JSON_SCHEMA 1

/* The longest key that is made of a name. */
#define CAIRN_JSON_KEY_MAX 64

/* The first line of JSON lines: what writes them, and by which schema. */
void cairn_json_begin(struct cairn_output *output, const char *command);

/* A further member of an object; of no text null, and an address as text in hex. */
void cairn_json_number(struct cairn_output *output, const char *key, uint64_t value);
void cairn_json_text(struct cairn_output *output, const char *key, const char *value);
void cairn_json_address(struct cairn_output *output, const char *key, uint64_t value);

/* "no_sync", "no_image" ...: an account as a key, and as a value. */
const char *cairn_json_account(unsigned account);

/* "transfer", "not_traced" ...: enum cairn_data_kind as a value. */
const char *cairn_json_data(unsigned kind);

/* Every account of a ledger with its bytes, as an object. */
void cairn_json_ledger(struct cairn_output *output, const struct cairn_account_sum *accounts);

/* A name in lower case, with _ for what is no letter and no digit: "history entry" is
 * "history_entry". What is longer than CAIRN_JSON_KEY_MAX is cut. */
void cairn_json_key(const char *name, char key[CAIRN_JSON_KEY_MAX]);

/* The fields of a packet, and those of an element, as an object; `data` is the element's. */
void cairn_json_packet_fields(struct cairn_output *output, const struct cairn_field *fields,
                              size_t count);
void cairn_json_element_fields(struct cairn_output *output, unsigned kind,
                               const struct cairn_element_data *data,
                               const struct cairn_field *fields, size_t count);

#endif
