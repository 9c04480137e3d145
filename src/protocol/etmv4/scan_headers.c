/* SPDX-License-Identifier: BSD-2-Clause */
/* What each header byte is to the fast mode of a scan, as a source's configuration has it. */
#include "protocol/etmv4/address.h"
#include "protocol/etmv4/scan.h"

static enum cairn_scan_op op_of(const struct cairn_etmv4_scan *s, unsigned kind)
{
    switch ((enum cairn_etmv4_kind)kind) {
    case CAIRN_ETMV4_ATOM_F1:
    case CAIRN_ETMV4_ATOM_F2:
    case CAIRN_ETMV4_ATOM_F3:
    case CAIRN_ETMV4_ATOM_F4:
    case CAIRN_ETMV4_ATOM_F5_1:
    case CAIRN_ETMV4_ATOM_F5_2:
    case CAIRN_ETMV4_ATOM_F6: return CAIRN_SCAN_ATOMS;
    case CAIRN_ETMV4_ADDRESS_EXACT: return CAIRN_SCAN_EXACT;
    case CAIRN_ETMV4_ADDRESS_SHORT_IS0:
    case CAIRN_ETMV4_ADDRESS_SHORT_IS1: return CAIRN_SCAN_SHORT;
    case CAIRN_ETMV4_ADDRESS_32_IS0:
    case CAIRN_ETMV4_ADDRESS_32_IS1:
    case CAIRN_ETMV4_ADDRESS_64_IS0:
    case CAIRN_ETMV4_ADDRESS_64_IS1: return CAIRN_SCAN_LONG;
    case CAIRN_ETMV4_CYCLE_COUNT_F1: return CAIRN_SCAN_CYCLES_F1;
    case CAIRN_ETMV4_CYCLE_COUNT_F2: return CAIRN_SCAN_CYCLES_F2;
    case CAIRN_ETMV4_CYCLE_COUNT_F3: return CAIRN_SCAN_CYCLES_F3;
    case CAIRN_ETMV4_COMMIT: return CAIRN_SCAN_COMMIT;
    case CAIRN_ETMV4_CANCEL_F1: return CAIRN_SCAN_CANCEL_F1;
    case CAIRN_ETMV4_CANCEL_F2:
    case CAIRN_ETMV4_CANCEL_F3:
    case CAIRN_ETMV4_MISPREDICT: return CAIRN_SCAN_CANCEL;
    case CAIRN_ETMV4_EVENT: return CAIRN_SCAN_EVENT;
    case CAIRN_ETMV4_IGNORE: return CAIRN_SCAN_IGNORE;
    case CAIRN_ETMV4_ALIGNMENT_SYNC: return CAIRN_SCAN_EXTENSION;
    case CAIRN_ETMV4_TIMESTAMP: return s->tsmark ? CAIRN_SCAN_OTHER : CAIRN_SCAN_TIMESTAMP;
    case CAIRN_ETMV4_TRANSACTION_START:
    case CAIRN_ETMV4_TRANSACTION_COMMIT:
    case CAIRN_ETMV4_RESERVED: return CAIRN_SCAN_LEVELS;
    default: return CAIRN_SCAN_OTHER;
    }
}

/* A packet of one byte that gives one token at most. */
static void set_single(const struct cairn_etmv4_scan *s, struct cairn_scan_header *header,
                       unsigned byte)
{
    const bool commopt = s->decoded->commopt;

    header->token.length = 1;
    header->tokens = 1;
    switch (header->op) {
    case CAIRN_SCAN_ATOMS:
        header->single = 1;
        header->token.kind = CAIRN_ELEMENT_ATOM;
        header->token.count = header->count;
        header->token.value = header->atoms;
        header->p0 = header->count;
        header->recent = s->tsmark ? header->count : 0;
        header->runs = header->count == 1 && s->max > 0 &&
                       s->kinds[CAIRN_SCAN_COMMIT_HEADER] == CAIRN_ETMV4_COMMIT;
        break;
    case CAIRN_SCAN_CYCLES_F3:
        header->single = !commopt || (byte & 0x0c) == 0;
        header->token.kind = CAIRN_ELEMENT_CYCLE_COUNT;
        header->token.value = byte & 3;
        header->cycle_mask = UINT32_MAX;
        header->zero_flags = CAIRN_ELEMENT_UNKNOWN;
        header->commits = commopt ? 0 : (uint8_t)(((byte >> 2) & 3) + 1);
        break;
    case CAIRN_SCAN_EVENT:
        header->single = (byte & (byte - 1) & 0xf) == 0;
        header->token.kind = CAIRN_ELEMENT_EVENT;
        header->token.value = (unsigned)__builtin_ctz(byte & 0xf);
        header->recent = s->tsmark;
        break;
    case CAIRN_SCAN_IGNORE:
        header->single = 1;
        header->tokens = 0;
        break;
    default: break;
    }
}

void cairn_etmv4_scan_headers(struct cairn_etmv4_scan *s)
{
    static const uint8_t none[1];

    cairn_etmv4_headers(s->decoded, s->kinds);
    for (unsigned i = 0; i < 256; i++) {
        struct cairn_scan_header *header = &s->header[i];
        const uint8_t byte = (uint8_t)i;
        struct cairn_packet_fields fields = {0};
        struct cairn_etmv4_state state = {0};
        unsigned kind = s->kinds[i];
        size_t length = 0;

        header->op = (uint8_t)op_of(s, kind);
        header->account = (uint8_t)cairn_etmv4_account(kind);
        switch (header->op) {
        case CAIRN_SCAN_ATOMS:
        case CAIRN_SCAN_CANCEL:
            (void)cairn_etmv4_payload(s->decoded, s->kinds, &state, &byte, sizeof none, &length,
                                      &kind, &fields);
            header->count = fields.atom_count;
            header->atoms = fields.atoms;
            header->cancel = (uint8_t)fields.count;
            break;
        case CAIRN_SCAN_SHORT:
        case CAIRN_SCAN_LONG: {
            const struct cairn_etmv4_address_form form = cairn_etmv4_form_of(kind);

            header->count = form.sub_isa;
            header->cancel = form.form == CAIRN_ETMV4_FORM_64 ? 8 : 4;
            break;
        }
        default: break;
        }
        set_single(s, header, i);
    }
    (void)cairn_etmv4_hot_table(s->config, &s->hot);
}
