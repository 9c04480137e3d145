/* SPDX-License-Identifier: BSD-2-Clause */
/* Words where execution is not known: each of their packets is a gap. */
#include "flow/engine.h"
#include "flow/follow.h"
#include "flow/reading.h"

enum { LOST_ROOM = 8 /* events of a packet that cannot be followed */ };

/* True when no atom can be followed before an address comes, and that is all there is to say. */
bool cairn_reading_is_lost(const struct cairn_engine *engine)
{
    const struct cairn_flow *flow = engine->levels->flow;
    const struct cairn_taking *t = &engine->reading.taking;

    return engine->lane.code == CAIRN_CODE_LOST && t->left != 0 && !cairn_word_is_bits(t->left) &&
           !t->transaction && flow->context_known && !flow->address_known &&
           !flow->awaiting_target && flow->lost > CAIRN_GAP_NOT_DECODED;
}

static void give_gap(struct cairn_engine *engine, uint64_t offset, unsigned atoms)
{
    struct cairn_flow *flow = engine->levels->flow;
    struct cairn_word_batch *out = engine->out;
    struct cairn_account_sum *account = engine->levels->ledger.account;

    flow->gap_given = true;
    flow->gap_offset = offset;
    out->event[out->event_count++] = (struct cairn_word_event){.word = (uint32_t)out->count,
                                                               .kind = CAIRN_FLOW_GAP,
                                                               .offset = offset,
                                                               .length = 1,
                                                               .address = flow->lost_at,
                                                               .value = flow->lost};
    account[CAIRN_ACCOUNT_FLOW].bytes--;
    account[CAIRN_ACCOUNT_FLOW].packets--;
    account[flow->lost].bytes++;
    account[flow->lost].packets++;
    engine->levels->ledger.lost[flow->lost] += atoms;
}

/* Each packet of the word in hand is a gap then, whatever its atoms are, and the follower need not
 * be asked. `*again` false: the batch is full. */
void cairn_reading_pass_lost(struct cairn_engine *engine, bool *again)
{
    struct cairn_taking *t = &engine->reading.taking;
    const struct cairn_word_batch *out = engine->out;
    struct cairn_take_job job = {
        .taking = t, .lane = &engine->lane, .out = engine->out, .flow = engine->levels->flow};

    while (t->left != 0) {
        uint64_t length;

        if (t->taken == 0)
            cairn_take_asides(&job, 0, 0, false);
        if (out->event_capacity - out->event_count < LOST_ROOM) {
            *again = false;
            return;
        }
        give_gap(engine, cairn_take_packet(t, t->taken, &length),
                 engine->reading.bytes.atoms[t->left & 0xff]);
        t->left = cairn_take_rest(t->left, 1);
        t->taken++;
    }
    engine->lane.stack.base = engine->lane.stack.sp; /* calls and returns went by unseen */
    engine->stuck = false;
}
