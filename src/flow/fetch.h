/* SPDX-License-Identifier: BSD-2-Clause */
/* Instruction fetch: an address in a space -> a classified instruction. */
#ifndef CAIRN_FLOW_FETCH_H
#define CAIRN_FLOW_FETCH_H

#include <cairn/image.h>
#include <cairn/isa.h>

/* The window that the last fetch used; .size 0 when there is none. Clear it when the space's
 * selection changes. */
struct cairn_fetch {
    const struct cairn_space *space;
    struct cairn_arch arch;
    struct cairn_window window;
};

/* The instruction at `address`; its size in bytes, or 0 when the image does not have all of it. */
unsigned cairn_fetch_insn(struct cairn_fetch *fetch, enum cairn_isa isa, uint64_t address,
                          struct cairn_insn *insn);

#endif
