/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples -> packets, one a cycle. A branch is given once its address is whole, which may be some
 * cycles further on: what executed where is then in the order of the trace for all that read it. */
#include "protocol/etmv1/parse.h"
#include "base/bytes.h"
#include "protocol/framing.h"

#include <stdlib.h>
#include <string.h>

static const uint8_t accounts[] = {
#define ROW(NAME, ACCOUNT, TEXT, SECTION) ACCOUNT,
    CAIRN_ETMV1_PACKETS(ROW)
#undef ROW
};

cairn_status cairn_etmv1_packets_new(struct cairn_config *config, void **state)
{
    struct cairn_etmv1_parser *p = calloc(1, sizeof *p);

    if (!p)
        return CAIRN_E_MEMORY;
    p->config = cairn_config_ref(config);
    p->etm = cairn_etmv1_of(config);
    p->addresses.etm = p->etm;
    *state = p;
    return CAIRN_OK;
}

void cairn_etmv1_packets_free(void *state)
{
    struct cairn_etmv1_parser *p = state;

    if (!p)
        return;
    cairn_config_unref(p->config);
    free(p);
}

/* --- a branch and its address --- */

static struct cairn_etmv1_address *address_of(struct cairn_etmv1_parser *p,
                                              const struct cairn_etmv1_cycle *c)
{
    struct cairn_etmv1_address *address = &p->table[c->turn % CAIRN_ETMV1_WINDOW];
    const bool began = c->turn < p->syncs && address->number == c->turn;

    return (c->info & CAIRN_ETMV1_ADDRESS_TO_COME) && began && address->epoch == c->epoch ? address
                                                                                          : NULL;
}

/* Whether there is nothing more to wait for. */
static bool is_settled(struct cairn_etmv1_parser *p, const struct cairn_etmv1_cycle *c)
{
    const struct cairn_etmv1_address *address;

    if (p->collecting && p->places[0].cycle <= p->first)
        return false;
    if (!cairn_etmv1_is_branch(c->status) || c->kind == CAIRN_ETMV1_RESERVED || c->broken)
        return true;
    if (c->epoch != p->epoch)
        return true;
    if (!(c->info & CAIRN_ETMV1_ABANDONED) && !c->has_apo)
        return false;
    if (!(c->info & CAIRN_ETMV1_ADDRESS_TO_COME))
        return true;
    address = address_of(p, c);
    return address && address->over;
}

/* The account of a branch that leads nowhere known. */
static enum cairn_account account_of_lost(const struct cairn_etmv1_parser *p,
                                          const struct cairn_etmv1_cycle *c,
                                          const struct cairn_etmv1_address *address)
{
    if (address && address->reserved)
        return CAIRN_GAP_RESERVED;
    if (!p->synced)
        return CAIRN_GAP_NO_SYNC;
    return p->ended && c->epoch == p->epoch ? CAIRN_GAP_TRUNCATED : CAIRN_GAP_CUT;
}

/* Whether flow may go on at it. Where something is missing in front of it the Context ID may be another
 * one: then it has to have its own (5.6.3). Where the offset says that it is not the address that comes
 * next, it has to be a whole one. */
static bool leads_on(const struct cairn_etmv1_parser *p, const struct cairn_etmv1_cycle *c,
                     const struct cairn_etmv1_address *address)
{
    const bool contradicts = (c->info & CAIRN_ETMV1_CONTRADICTION) != 0;

    if (!address || !address->whole || !address->known)
        return false;
    if (contradicts && address->bits < CAIRN_ETMV1_ADDRESS_WHOLE)
        return false;
    return address->has_context || p->etm->context_bytes == 0 || (p->synced && !contradicts);
}

static enum cairn_account take_branch(struct cairn_etmv1_parser *p, struct cairn_etmv1_cycle *c,
                                      struct cairn_packet_fields *fields)
{
    struct cairn_etmv1_address *address = address_of(p, c);

    if (c->has_apo) {
        fields->flags |= CAIRN_PACKET_HAS_COUNT;
        fields->count = c->apo;
    }
    if (address)
        address->taken = true;
    else
        c->info &= (uint8_t)~CAIRN_ETMV1_ADDRESS_TO_COME;
    if (c->info & CAIRN_ETMV1_ABANDONED)
        return p->synced ? CAIRN_ACCOUNT_METADATA : CAIRN_GAP_NO_SYNC;
    if (!leads_on(p, c, address)) {
        const enum cairn_account account = account_of_lost(p, c, address);

        if (address && address->reserved)
            fields->info |= CAIRN_ETMV1_CONTRADICTION;
        p->synced = false;
        return account;
    }
    fields->flags |=
        CAIRN_PACKET_HAS_ADDRESS | (address->has_context ? CAIRN_PACKET_HAS_CONTEXT_ID : 0u);
    fields->address = address->address;
    fields->address_bits = address->bits;
    fields->state = address->state;
    fields->sub_isa = address->state == CAIRN_STATE_THUMB;
    fields->reason = address->reason;
    fields->context.context_id = address->context_id;
    p->synced = true;
    if (c->info & CAIRN_ETMV1_CONTRADICTION)
        return CAIRN_GAP_CUT;
    return cairn_etmv1_is_reserved_reason(p->etm, address->reason) ? CAIRN_GAP_RESERVED
                                                                   : CAIRN_ACCOUNT_FLOW;
}

/* --- a cycle --- */

/* In cycle-accurate trace a TD counts (5.10). */
static enum cairn_account account_of_status(const struct cairn_etmv1_parser *p,
                                            const struct cairn_etmv1_cycle *c)
{
    if (c->status == CAIRN_ETMV1_TD)
        return p->etm->cycle_accurate && p->synced ? CAIRN_ACCOUNT_METADATA : CAIRN_ACCOUNT_PADDING;
    return (enum cairn_account)accounts[c->status];
}

static enum cairn_account take_cycle(struct cairn_etmv1_parser *p, struct cairn_etmv1_cycle *c,
                                     struct cairn_packet_fields *fields)
{
    enum cairn_account account;

    *fields = (struct cairn_packet_fields){
        .flags = CAIRN_PACKET_HAS_VALUE,
        .type = c->status,
        .value = c->packet,
        .atoms = c->lanes,
        .count = c->apo,
        .size = p->etm->pins > 8 ? 2 : 1,
        .context.security = CAIRN_NONSECURE,
    };
    if (c->kind == CAIRN_ETMV1_RESERVED || (c->info & CAIRN_ETMV1_LOST))
        p->synced = false;
    if (!p->synced)
        c->info |= CAIRN_ETMV1_NOT_SYNC;
    account = CAIRN_GAP_RESERVED;
    if (c->kind != CAIRN_ETMV1_RESERVED)
        account =
            cairn_etmv1_is_branch(c->status) ? take_branch(p, c, fields) : account_of_status(p, c);
    /* a branch's own address may begin in its own cycle */
    if ((c->info & CAIRN_ETMV1_SYNC) && p->table[c->sync % CAIRN_ETMV1_WINDOW].taken)
        c->info |= CAIRN_ETMV1_SYNC_TAKEN;
    fields->info |= c->info;
    fields->tag = (uint8_t)account;
    if (CAIRN_ACCOUNT_IS_GAP(account) || cairn_etmv1_is_branch(c->status))
        return account;
    return p->synced || account == CAIRN_ACCOUNT_PADDING ? account : CAIRN_GAP_NO_SYNC;
}

static void give_cycle(struct cairn_etmv1_parser *p, struct cairn_packet_batch *batch)
{
    struct cairn_etmv1_cycle *c = cairn_etmv1_cycle_at(p, p->first);
    struct cairn_packet_fields scratch;
    struct cairn_packet_fields *fields = batch->fields ? &batch->fields[batch->count] : &scratch;
    const enum cairn_account account = take_cycle(p, c, fields);

    cairn_batch_put(batch, c->kind, account, c->number * CAIRN_SAMPLE_BYTES, CAIRN_SAMPLE_BYTES,
                    fields);
    c->number++;
    if (c->repeats > 0)
        c->repeats--;
    else
        p->first++;
}

/* The first cycle has waited long enough. */
static void settle(struct cairn_etmv1_parser *p)
{
    struct cairn_etmv1_cycle *c = cairn_etmv1_cycle_at(p, p->first);

    if (p->collecting && p->places[0].cycle <= p->first)
        cairn_etmv1_stop_collecting(p);
    if (!is_settled(p, c))
        c->broken = true;
}

static void give_settled(struct cairn_etmv1_parser *p, struct cairn_packet_batch *batch)
{
    while (p->first < p->next && !cairn_batch_full(batch) &&
           is_settled(p, cairn_etmv1_cycle_at(p, p->first)))
        give_cycle(p, batch);
}

cairn_status cairn_etmv1_packets_run(void *state, const uint8_t *data, size_t size,
                                     size_t *position, struct cairn_packet_batch *batch)
{
    struct cairn_etmv1_parser *p = state;

    cairn_batch_begin(batch);
    for (;;) {
        give_settled(p, batch);
        if (cairn_batch_full(batch))
            return CAIRN_OK;
        if (p->next - p->first == CAIRN_ETMV1_WINDOW) {
            settle(p);
            continue;
        }
        if (*position >= size)
            return CAIRN_OK;
        p->partial[p->partial_size++] = data[(*position)++];
        if (p->partial_size < CAIRN_SAMPLE_BYTES)
            continue;
        p->partial_size = 0;
        cairn_etmv1_scan(p, cairn_sample_load(p->partial));
    }
}

cairn_status cairn_etmv1_packets_finish(void *state, struct cairn_packet_batch *batch)
{
    struct cairn_etmv1_parser *p = state;

    cairn_batch_begin(batch);
    if (!p->ended)
        cairn_etmv1_stop_collecting(p);
    p->ended = true;
    while (p->first < p->next && !cairn_batch_full(batch)) {
        settle(p);
        give_settled(p, batch);
    }
    if (p->partial_size == 0 || cairn_batch_full(batch))
        return CAIRN_OK;
    cairn_batch_put(batch, CAIRN_ETMV1_INCOMPLETE, CAIRN_GAP_TRUNCATED,
                    p->cycles * CAIRN_SAMPLE_BYTES, p->partial_size, NULL);
    p->partial_size = 0;
    return CAIRN_OK;
}
