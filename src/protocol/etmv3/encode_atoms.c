/* SPDX-License-Identifier: BSD-2-Clause */
/* Atoms -> P-headers (IHI0014 7.3.1), as few as there can be without looking ahead. */
#include "protocol/etmv3/encode.h"

#define EXECUTED_MAX 15u       /* format 1 */
#define CYCLES_EXECUTED_MAX 7u /* cycle-accurate format 1 */
#define CYCLES_WAITS_MAX 8u    /* cycle-accurate format 3 */
#define MINOR_SINGLE_ATOM 3u   /* cycle-accurate format 4 */

static void write(struct cairn_etmv3_encoder *e, unsigned kind, unsigned count, uint32_t atoms,
                  uint32_t waits, struct cairn_encoder_out *out)
{
    const struct cairn_packet_fields fields = {
        .atom_count = (uint8_t)count, .atoms = atoms, .cycles = waits};

    cairn_etmv3_encode(e, kind, &fields, out);
}

/* Format 1: the E that have gathered, and the N. */
static void write_format_1(struct cairn_etmv3_encoder *e, struct cairn_encoder_out *out)
{
    struct cairn_etmv3_atoms *atoms = &e->atoms;
    const unsigned count = atoms->executed + atoms->not_executed;
    const uint32_t bits = (uint32_t)cairn_etmv3_mask(atoms->executed);

    if (count > 0 && e->etm->cycle_accurate)
        write(e, CAIRN_ETMV3_P_HEADER_CYCLES_F1, count, bits, count, out);
    else if (count > 0)
        write(e, CAIRN_ETMV3_P_HEADER_F1, count, bits, 0, out);
    atoms->executed = 0;
    atoms->not_executed = false;
}

/* All but the W that no instruction has ended. */
static void write_gathered(struct cairn_etmv3_encoder *e, struct cairn_encoder_out *out)
{
    if (e->atoms.late > 0)
        write(e, CAIRN_ETMV3_P_HEADER_CYCLES_F3, 1, 1, e->atoms.late, out);
    e->atoms.late = 0;
    write_format_1(e, out);
}

/* W atoms, until so many are left; those that fill no P-header first. */
static void write_waits(struct cairn_etmv3_encoder *e, uint32_t left, struct cairn_encoder_out *out)
{
    while (e->atoms.waits > left) {
        const uint32_t odd = (e->atoms.waits - left) % CYCLES_WAITS_MAX;
        const uint32_t some = odd > 0 ? odd : CYCLES_WAITS_MAX;

        write(e, CAIRN_ETMV3_P_HEADER_CYCLES_F3, 0, 0, some, out);
        e->atoms.waits -= some;
    }
}

static void add_plain(struct cairn_etmv3_encoder *e, bool executed, struct cairn_encoder_out *out)
{
    struct cairn_etmv3_atoms *atoms = &e->atoms;

    if (atoms->not_executed && atoms->executed == 0) {
        write(e, CAIRN_ETMV3_P_HEADER_F2, 2, executed ? 2 : 0, 0, out);
        atoms->not_executed = false;
        return;
    }
    if (atoms->not_executed || (executed && atoms->executed == EXECUTED_MAX))
        write_format_1(e, out);
    if (executed)
        atoms->executed++;
    else
        atoms->not_executed = true;
}

/* A second instruction in the cycle of the last one: it takes that one's W along into format 2. */
static void add_same_cycle(struct cairn_etmv3_encoder *e, bool executed,
                           struct cairn_encoder_out *out)
{
    struct cairn_etmv3_atoms *atoms = &e->atoms;
    const bool first_executed = !atoms->not_executed;
    const bool packs = atoms->not_executed || atoms->executed > 0 ||
                       (atoms->late > 0 && e->etm->minor < MINOR_SINGLE_ATOM);

    if (!packs) { /* the last one's P-header is out */
        write_gathered(e, out);
        if (e->etm->minor >= MINOR_SINGLE_ATOM) {
            write(e, CAIRN_ETMV3_P_HEADER_CYCLES_F4, 1, executed, 0, out);
            return;
        }
        /* Those versions have no such P-header, as their cores have no such instruction: a third in
         * its cycle, or one behind data. It gets a cycle of its own rather than be lost. */
        atoms->executed = executed;
        atoms->not_executed = !executed;
        return;
    }
    if (atoms->late > 0)
        write(e, CAIRN_ETMV3_P_HEADER_CYCLES_F3, 0, 0, atoms->late - 1u, out);
    else if (atoms->not_executed)
        atoms->not_executed = false;
    else
        atoms->executed--;
    atoms->late = 0;
    write_format_1(e, out);
    write(e, CAIRN_ETMV3_P_HEADER_CYCLES_F2, 2, (first_executed ? 1u : 0) | (executed ? 2u : 0), 1,
          out);
}

static void add_in_cycles(struct cairn_etmv3_encoder *e, bool executed,
                          struct cairn_encoder_out *out)
{
    struct cairn_etmv3_atoms *atoms = &e->atoms;

    if (atoms->waits == 0) {
        add_same_cycle(e, executed, out);
        return;
    }
    if (atoms->waits > 1 || atoms->late > 0 || atoms->not_executed ||
        (executed && atoms->executed == CYCLES_EXECUTED_MAX))
        write_gathered(e, out);
    if (atoms->waits > 1 && executed) {
        write_waits(e, CYCLES_WAITS_MAX, out);
        atoms->late = (uint8_t)atoms->waits;
    } else {
        write_waits(e, 1, out);
        if (executed)
            atoms->executed++;
        else
            atoms->not_executed = true;
    }
    atoms->waits = 0;
}

void cairn_etmv3_encode_atom(struct cairn_etmv3_encoder *encoder, bool executed,
                             struct cairn_encoder_out *out)
{
    if (encoder->etm->cycle_accurate)
        add_in_cycles(encoder, executed, out);
    else
        add_plain(encoder, executed, out);
}

void cairn_etmv3_encode_waits(struct cairn_etmv3_encoder *encoder, uint64_t waits,
                              struct cairn_encoder_out *out)
{
    if (!encoder->etm->cycle_accurate || waits == 0)
        return;
    encoder->atoms.waits += waits < CAIRN_ETMV3_WAITS_MAX ? (uint32_t)waits : CAIRN_ETMV3_WAITS_MAX;
    /* What is left goes into whole P-headers, whether it is an E that ends it or an N. */
    const uint32_t whole = encoder->atoms.waits / CYCLES_WAITS_MAX;
    if (whole < 2)
        return;
    write_gathered(encoder, out);
    write_waits(encoder, encoder->atoms.waits - (whole - 1) * CYCLES_WAITS_MAX, out);
}

void cairn_etmv3_encode_p_header(struct cairn_etmv3_encoder *encoder, struct cairn_encoder_out *out)
{
    write_gathered(encoder, out);
    write_waits(encoder, 0, out);
}
