/* SPDX-License-Identifier: BSD-2-Clause */
/* A source whose packets are elements, written down by a test: for rules of the follower that need
 * no protocol to be shown. The rules are the test's, too. */
#ifndef CAIRN_TESTS_FLOW_SCRIPT_H
#define CAIRN_TESTS_FLOW_SCRIPT_H

#include "../engine/reference.h"
#include "protocol/protocol.h"

#define SCRIPT_PACKET 32u /* bytes of each */

struct script {
    struct cairn_config *config;
    struct cairn_image *image;
    uint8_t *data;
    size_t size;
    size_t capacity;
};

/* False: no memory. */
bool script_begin(struct script *script, const struct cairn_arch *arch,
                  const struct cairn_follow_rules *rules);
void script_end(struct script *script);

/* Code, little endian. */
bool script_code(struct script *script, uint64_t address, const void *bytes, size_t size);

/* Forgets the elements so far. */
void script_restart(struct script *script);

/* Of `data`: address, value, cycles, sub_isa, reason, info, and of the context EL, SF and
 * context_id. */
bool script_put(struct script *script, unsigned kind, unsigned flags,
                const struct cairn_element_data *data);

struct engine_case script_case(const struct script *script);

#endif
