/* SPDX-License-Identifier: BSD-2-Clause */
/* The library's configuration for what the second writer of ETMv3 writes. */
#ifndef CAIRN_TESTS_PROTOCOL_SECOND_SETTINGS_H
#define CAIRN_TESTS_PROTOCOL_SECOND_SETTINGS_H

#include <cairn/packet.h>

#include "second_events.h"
#include "second_translate.h"

struct second_registers second_registers_of(const struct second_list *list);

/* NULL, and a comment on the output, when it is refused. */
struct cairn_config *second_configure(const struct second_list *list);

void second_show_settings(const struct second_list *list, uint64_t seed);

/* A comment on the output: the bytes around `at`. */
void second_show_bytes(const char *name, const uint8_t *bytes, size_t size, size_t at);

#endif
