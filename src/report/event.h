/* SPDX-License-Identifier: BSD-2-Clause */
/* Flow records other than ranges, in words; the same words in every listing. */
#ifndef CAIRN_REPORT_EVENT_H
#define CAIRN_REPORT_EVENT_H

#include <cairn/capture.h>
#include <cairn/flow.h>

#include "report/output.h"

/* "no-sync", "no-image" ...: an account as one word, for listings that programs read. */
const char *cairn_account_word(unsigned account);

/* "Secure", "Non-secure", "Root", "Realm". */
const char *cairn_security_name(unsigned security);

/* What a Data record is, by its `instructions`: "transfer", "placeholder", "late" ... */
const char *cairn_data_word(uint32_t form);

/* Writes the heading of a source: "== ETM_0: ETMv4, Cortex-A53 (cpu_0), trace ID 0x10, buffer ETB_0".
 * `buffer` may be NULL. */
void cairn_source_write(struct cairn_output *output, const struct cairn_source_info *source,
                        const char *buffer);

/* Writes record `index` as a phrase: "trace on", "exception IRQ at 0x8000",
 * "gap no-image 0x8000 bytes 12". Not for ranges. */
void cairn_event_write(struct cairn_output *output, const struct cairn_config *config,
                       const struct cairn_flow_batch *batch, size_t index);

#endif
