/* SPDX-License-Identifier: BSD-2-Clause */
/* The scenarios' own words for what the library gives: a listing that does not change when the
 * library words its own listings differently. */
#ifndef CAIRN_TESTS_SCENARIOS_WORDS_H
#define CAIRN_TESTS_SCENARIOS_WORDS_H

#include <stdarg.h>
#include <stddef.h>

#include <cairn/flow.h>

/* Text that grows. `length` is without the terminating zero; `bytes` is NULL while it is empty. */
struct text {
    char *bytes;
    size_t length;
    size_t room;
};
void text_add(struct text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3), nonnull(2)));
void text_free(struct text *text);

/* "no-image", "flow", ... */
const char *account_word(unsigned account);

/* "EL1 NS A64 vmid=1 cid=2" */
void add_context(struct text *text, const struct cairn_context *context);

/* One element as a line: "atom E", "exception 14 2014", ... with its packet's offset before it. */
void add_element(struct text *text, const struct cairn_element_batch *batch, size_t index);

/* Bytes at an address, whatever the context: how the tool finds the size of a T32 instruction.
 * NULL when there are fewer than two. */
typedef const unsigned char *find_bytes(void *user, unsigned long long address);

/* One flow record as lines: "i ADDRESS SIZE ISA OUTCOME flags" for each instruction of a range,
 * "# event ..." for the others. */
void add_flow(struct text *text, const struct cairn_flow_batch *batch, size_t index,
              find_bytes *find, void *user);

#endif
