/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes between Secure and Non-secure state that are no exceptions (DDI0553 B3.4, C2.4.211 ff.):
 *
 *     BXNS, BLXNS   of Secure code. BLXNS pushes the return address and gives FNC_RETURN in LR; in
 * a handler IPSR is 1 from there on FNC_RETURN    branched to by Non-secure code: back to Secure
 * code, behind BLXNS SG            what Non-secure code has to branch to in Secure memory. QEMU
 * executes it by itself, in no TB: execution shows behind it
 */
#include <string.h>

#include "machine/qemu/core.h"
#include "machine/qemu/plugin.h"

enum { FUNCTION_CALLED = 1, SG_SIZE = 4 }; /* IPSR in Non-secure code that a Secure handler calls */

#define FNC_RETURN UINT32_C(0xfeffffff)

/* Secure code branched out of it; unless an exception has returned. */
static enum cairn_qemu_crossing leave_secure(const struct cairn_qemu_thread *thread,
                                             uint32_t number)
{
    const struct cairn_qemu_tb *previous = thread->previous;
    const bool calls = previous->anywhere && !previous->returns; /* with link */

    if (!calls && !(previous->returns && number == thread->exception))
        return CAIRN_QEMU_CROSSED_NOT;
    if (calls && number == FUNCTION_CALLED && thread->exception != FUNCTION_CALLED)
        cairn_qemu_call_begins(number);
    return CAIRN_QEMU_CROSSED;
}

static const uint8_t gateway[SG_SIZE] = {0x7f, 0xe9, 0x7f, 0xe9};

bool cairn_qemu_is_behind_gateway(cairn_entry entry)
{
    uint8_t bytes[SG_SIZE];

    return cairn_qemu_core_read((uint32_t)cairn_entry_address(entry - SG_SIZE), bytes, SG_SIZE) &&
           memcmp(bytes, gateway, SG_SIZE) == 0;
}

bool cairn_qemu_pass_gateway(struct cairn_qemu_thread *thread, cairn_entry entry)
{
    const struct cairn_qemu_tb *tb =
        cairn_qemu_stand_in(cairn_entry_address(entry - SG_SIZE), gateway, SG_SIZE);

    if (!tb)
        return false;
    cairn_qemu_machine_settle(thread, entry - SG_SIZE, CAIRN_QEMU_BETWEEN);
    cairn_qemu_begin(thread, tb);
    thread->left -= tb->instructions;
    return true;
}

enum cairn_qemu_crossing cairn_qemu_cross(struct cairn_qemu_thread *thread, bool secure,
                                          uint32_t number, cairn_entry at)
{
    const struct cairn_qemu_tb *previous = thread->previous;

    if (previous == &cairn_qemu_nothing || thread->partial)
        return CAIRN_QEMU_CROSSED_NOT;
    if (!secure)
        return leave_secure(thread, number);
    if (number == thread->exception && cairn_qemu_is_behind_gateway(at) &&
        cairn_qemu_leads(previous, at - SG_SIZE) && cairn_qemu_pass_gateway(thread, at))
        return CAIRN_QEMU_CROSSED;
    if (!previous->returns || (number != thread->exception && thread->exception != FUNCTION_CALLED))
        return CAIRN_QEMU_CROSSED_NOT;
    cairn_qemu_complete_return(thread, FNC_RETURN);
    if (number != thread->exception)
        cairn_qemu_call_ends(number);
    return CAIRN_QEMU_CROSSED_BACK;
}
