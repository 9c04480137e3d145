/* SPDX-License-Identifier: BSD-2-Clause */
/* The resolver of a protocol in which nothing is speculative: every element is what was executed,
 * at once, and is passed on as it is. */
#ifndef CAIRN_PROTOCOL_PASS_ON_H
#define CAIRN_PROTOCOL_PASS_ON_H

#include <cairn/element.h>

cairn_status cairn_pass_on_new(struct cairn_config *config, void **state);
void cairn_pass_on_free(void *state);
cairn_status cairn_pass_on_run(void *state, const struct cairn_element_batch *in, size_t *position,
                               struct cairn_element_batch *out);
cairn_status cairn_pass_on_finish(void *state, struct cairn_element_batch *out);

/* For the initializer of a struct cairn_protocol. */
#define CAIRN_PASS_ON                                                                              \
    .resolver_new = cairn_pass_on_new, .resolver_free = cairn_pass_on_free,                        \
    .resolver_run = cairn_pass_on_run, .resolver_finish = cairn_pass_on_finish

#endif
