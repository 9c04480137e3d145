/* SPDX-License-Identifier: BSD-2-Clause */
/* What the bench's ETMv3 model traced, written once more by a second writer that knows the
 * specification alone (tests/protocol/second_writer.h). */
#ifndef CAIRN_TESTS_UNIT_ETMV3_SECOND_H
#define CAIRN_TESTS_UNIT_ETMV3_SECOND_H

#include <cairn/unit.h>

/* To be the model's watch: notes the elements that it generates. */
void second_watch(void *context, unsigned kind, uint16_t flags,
                  const struct cairn_element_data *data);
void second_forget(void);
/* The bench's bytes are those that the second writer makes of these elements. */
void expect_second(void);

#endif
