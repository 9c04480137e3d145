/* SPDX-License-Identifier: BSD-2-Clause */
/* A record between its three registers and struct cairn_branch (DDI0608 F1.1.1 to F1.1.3, F1.1.7). */
#include "protocol/brbe/brbe.h"

#include "base/sizes.h"

#define KNOWN_BITS                                                                                 \
    (CAIRN_BRBINF_MASK(CCU) | CAIRN_BRBINF_MASK(CC) | CAIRN_BRBINF_MASK(LASTFAILED) |              \
     CAIRN_BRBINF_MASK(T) | CAIRN_BRBINF_MASK(TYPE) | CAIRN_BRBINF_MASK(EL) |                      \
     CAIRN_BRBINF_MASK(MPRED) | CAIRN_BRBINF_MASK(VALID))
#define CC_ALL_ONES ((1u << CAIRN_BRBINF_CC_BITS) - 1)
#define ALL_FLAGS (CAIRN_BRANCH_TARGET_UNKNOWN * 2u - 1u)

/* Halves that a record of a type can have, SOURCE | TARGET; 0: any. */
static unsigned halves_of(unsigned type)
{
    if (type == CAIRN_BRANCH_DEBUG_HALT)
        return CAIRN_BRANCH_SOURCE;
    if (type == CAIRN_BRANCH_DEBUG_EXIT)
        return CAIRN_BRANCH_TARGET;
    if (type == CAIRN_BRANCH_EXCEPTION_RETURN || (type & CAIRN_BRANCH_TYPE_EXCEPTION))
        return 0;
    return CAIRN_BRANCH_BOTH;
}

static void decode_cycles(uint64_t BRBINF, struct cairn_branch *branch, uint32_t *findings)
{
    const uint32_t CC = CAIRN_BRBINF_GET(BRBINF, CC);

    if (BRBINF & CAIRN_BRBINF_MASK(CCU)) {
        branch->flags |= CAIRN_BRANCH_CYCLES_UNKNOWN;
        *findings |= CC ? CAIRN_BRANCH_BAD_CYCLES : 0;
        return;
    }
    branch->cycles = cairn_branch_cycles_decode(CC);
    if (CC == CC_ALL_ONES)
        branch->flags |= CAIRN_BRANCH_CYCLES_OVERFLOWED;
    else if (branch->cycles > CAIRN_BRANCH_CYCLES_MOST)
        *findings |= CAIRN_BRANCH_BAD_EXPONENT;
}

static uint32_t look_at_halves(const struct cairn_branch_registers *registers,
                               const struct cairn_branch *branch)
{
    const uint64_t BRBINF = registers->BRBINF;
    const unsigned halves = halves_of(branch->type);
    uint32_t findings = 0;

    if (!(branch->flags & CAIRN_BRANCH_SOURCE) &&
        (registers->BRBSRC || CAIRN_BRBINF_GET(BRBINF, MPRED)))
        findings |= CAIRN_BRANCH_BAD_HALF;
    if (!(branch->flags & CAIRN_BRANCH_TARGET) &&
        (registers->BRBTGT || CAIRN_BRBINF_GET(BRBINF, EL)))
        findings |= CAIRN_BRANCH_BAD_HALF;
    if ((branch->type & CAIRN_BRANCH_TYPE_EXCEPTION) && CAIRN_BRBINF_GET(BRBINF, MPRED))
        findings |= CAIRN_BRANCH_BAD_PREDICTION;
    if (!cairn_branch_type_is_known(branch->type))
        findings |= CAIRN_BRANCH_BAD_TYPE;
    else if (halves && (branch->flags & CAIRN_BRANCH_BOTH) != halves)
        findings |= CAIRN_BRANCH_BAD_SHAPE;
    return findings;
}

/* The record is valid. */
static void decode_valid(const struct cairn_branch_registers *registers,
                         struct cairn_branch *branch, uint32_t *findings)
{
    const uint64_t BRBINF = registers->BRBINF;
    const unsigned VALID = CAIRN_BRBINF_GET(BRBINF, VALID);

    branch->type = (uint8_t)CAIRN_BRBINF_GET(BRBINF, TYPE);
    if (BRBINF & CAIRN_BRBINF_MASK(LASTFAILED))
        branch->flags |= CAIRN_BRANCH_LAST_FAILED;
    if (BRBINF & CAIRN_BRBINF_MASK(T))
        branch->flags |= CAIRN_BRANCH_TRANSACTIONAL;
    if (VALID & CAIRN_BRBINF_VALID_SOURCE) {
        branch->flags |= CAIRN_BRANCH_SOURCE;
        branch->source = registers->BRBSRC;
        if (BRBINF & CAIRN_BRBINF_MASK(MPRED))
            branch->flags |= CAIRN_BRANCH_MISPREDICTED;
    }
    if (VALID & CAIRN_BRBINF_VALID_TARGET) {
        branch->flags |= CAIRN_BRANCH_TARGET;
        branch->target = registers->BRBTGT;
        branch->EL = (uint8_t)CAIRN_BRBINF_GET(BRBINF, EL);
    }
    decode_cycles(BRBINF, branch, findings);
    *findings |= look_at_halves(registers, branch);
}

cairn_status cairn_branch_decode(const struct cairn_branch_registers *registers,
                                 struct cairn_branch *branch, uint32_t *findings)
{
    struct cairn_branch made = {.size = sizeof made};
    uint32_t found = 0;

    if (!registers || !branch)
        return CAIRN_E_ARGUMENT;
    if (registers->BRBINF & ~KNOWN_BITS)
        found |= CAIRN_BRANCH_BAD_RESERVED;
    if (CAIRN_BRBINF_GET(registers->BRBINF, VALID))
        decode_valid(registers, &made, &found);
    else if (registers->BRBINF || registers->BRBSRC || registers->BRBTGT)
        found |= CAIRN_BRANCH_BAD_EMPTY;
    const cairn_status status = cairn_info_write(branch, &made, sizeof made);
    if (status == CAIRN_OK && findings)
        *findings = found;
    return status;
}

static uint64_t encode_cycles(const struct cairn_branch *branch)
{
    if (branch->flags & CAIRN_BRANCH_CYCLES_UNKNOWN)
        return CAIRN_BRBINF_MASK(CCU);
    if (branch->flags & CAIRN_BRANCH_CYCLES_OVERFLOWED)
        return CAIRN_BRBINF_MASK(CC);
    return CAIRN_BRBINF_PUT(CC, cairn_branch_cycles_encode(branch->cycles));
}

cairn_status cairn_branch_encode(const struct cairn_branch *branch,
                                 struct cairn_branch_registers *registers)
{
    struct cairn_branch given = {.size = sizeof given};
    struct cairn_branch_registers made = {0, 0, 0};

    if (!branch || !registers || cairn_options_read(&given, sizeof given, branch) != CAIRN_OK)
        return CAIRN_E_ARGUMENT;
    if (given.type >= 1u << CAIRN_BRBINF_TYPE_BITS || given.EL >= 1u << CAIRN_BRBINF_EL_BITS ||
        (given.flags & ~ALL_FLAGS))
        return CAIRN_E_ARGUMENT;
    if (given.flags & CAIRN_BRANCH_BOTH)
        made.BRBINF = CAIRN_BRBINF_PUT(TYPE, given.type) | encode_cycles(&given);
    if ((given.flags & CAIRN_BRANCH_BOTH) && (given.flags & CAIRN_BRANCH_LAST_FAILED))
        made.BRBINF |= CAIRN_BRBINF_MASK(LASTFAILED);
    if ((given.flags & CAIRN_BRANCH_BOTH) && (given.flags & CAIRN_BRANCH_TRANSACTIONAL))
        made.BRBINF |= CAIRN_BRBINF_MASK(T);
    if (given.flags & CAIRN_BRANCH_SOURCE) {
        made.BRBSRC = given.source;
        made.BRBINF |= CAIRN_BRBINF_PUT(VALID, CAIRN_BRBINF_VALID_SOURCE);
        if (given.flags & CAIRN_BRANCH_MISPREDICTED)
            made.BRBINF |= CAIRN_BRBINF_MASK(MPRED);
    }
    if (given.flags & CAIRN_BRANCH_TARGET) {
        made.BRBTGT = given.target;
        made.BRBINF |=
            CAIRN_BRBINF_PUT(VALID, CAIRN_BRBINF_VALID_TARGET) | CAIRN_BRBINF_PUT(EL, given.EL);
    }
    *registers = made;
    return CAIRN_OK;
}
