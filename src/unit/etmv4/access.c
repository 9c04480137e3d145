/* SPDX-License-Identifier: BSD-2-Clause */
/* Accesses to registers and what they are answered: by instruction (DDI0608 D8.1.2), and by offset
 * (D8.1.1). */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/sizes.h"
#include "unit/etmv4/core.h"
#include "unit/etmv4/location.h"
#include "unit/etmv4/register_table.h"
#include "unit/etmv4/ways_in.h"

#define UNLOCK_KEY UINT64_C(0xc5acce55) /* of TRCLAR */
#define OSLAR_OSLK UINT64_C(1)
#define OSLSR_OSLK UINT64_C(2)
#define OSLSR_PE UINT64_C(0x10)   /* TRCOSLSR.OSLM 0b100: the PE's lock */
#define OSLSR_UNIT UINT64_C(0x08) /* the unit has one */
#define OSLSR_EL1_OSLM UINT64_C(0x08)
#define PDCR_PU UINT64_C(0x08)
#define PDSR_POWER UINT64_C(1)
#define PDSR_STICKYPD UINT64_C(2)
#define PDSR_OSLK UINT64_C(0x20)
#define LSR_SLI UINT64_C(1)
#define LSR_SLK UINT64_C(2)
#define CLAIM_TAGS UINT64_C(0xff)
#define DEVAFF_RES1 UINT64_C(0x80000000)
#define PIDR2_JEDEC UINT64_C(0x08)
#define FIRST_CRn_NOT_THERE 8u
#define DEBUG_POWER 0x310u /* TRCPDCR, TRCPDSR */
#define DEBUG_POWER_COMMON 0xfa8u

enum who { BY_INSTRUCTION, BY_DEBUGGER, BY_SOFTWARE };

/* An access, and what is said of it. */
struct access {
    struct cairn_etmv4_unit *unit;
    enum who who;
    struct cairn_location at;
    struct cairn_error *why;
};

#define SAY(why, answer, ...) (cairn_fail((why), CAIRN_E_CONFIG, __VA_ARGS__), (answer))

static bool is_ete(const struct cairn_etmv4_unit *unit)
{
    return unit->registers.protocol == CAIRN_PROTOCOL_ETE;
}

static bool has(const struct cairn_etmv4_unit *unit, uint32_t choice)
{
    return (unit->session.options.choices & choice) != 0;
}

static const char *state_name(enum cairn_session state)
{
    static const char *const names[] = {
        [CAIRN_SESSION_IDLE] = "Idle",       [CAIRN_SESSION_ENABLING] = "Enabling",
        [CAIRN_SESSION_RUNNING] = "Running", [CAIRN_SESSION_UNSTABLE] = "Unstable",
        [CAIRN_SESSION_STABLE] = "Stable",
    };

    return names[state];
}

/* --- reading --- */

static uint64_t read_identification(enum cairn_management management)
{
    switch (management) {
    case CAIRN_MANAGEMENT_TRCCIDR0: return 0x0d;
    case CAIRN_MANAGEMENT_TRCCIDR1: return 0x90; /* a CoreSight component */
    case CAIRN_MANAGEMENT_TRCCIDR2: return 0x05;
    case CAIRN_MANAGEMENT_TRCCIDR3: return 0xb1;
    case CAIRN_MANAGEMENT_TRCPIDR2: return PIDR2_JEDEC;
    case CAIRN_MANAGEMENT_TRCDEVAFF0: return DEVAFF_RES1; /* MPIDR_EL1 */
    default: return 0;
    }
}

/* Reading clears STICKYPD where nothing is locked that would have to be restored first. */
static uint64_t read_PDSR(struct cairn_etmv4_unit *unit)
{
    struct cairn_unit_session *session = &unit->session;
    uint64_t value = cairn_session_has_power(unit) ? PDSR_POWER : 0;

    if (session->sticky_down)
        value |= PDSR_STICKYPD;
    if (session->os_locked)
        value |= PDSR_OSLK;
    if (!session->os_locked && cairn_session_has_power(unit))
        session->sticky_down = false;
    return value;
}

static uint64_t read_register(const struct access *access)
{
    struct cairn_etmv4_unit *unit = access->unit;
    const struct cairn_unit_session *session = &unit->session;

    switch (access->at.management) {
    case CAIRN_MANAGEMENT_NONE: break;
    case CAIRN_MANAGEMENT_TRCOSLSR:
        return (is_ete(unit) ? OSLSR_PE : OSLSR_UNIT) | (session->os_locked ? OSLSR_OSLK : 0);
    case CAIRN_MANAGEMENT_TRCPDCR: return session->PDCR;
    case CAIRN_MANAGEMENT_TRCPDSR: return read_PDSR(unit);
    case CAIRN_MANAGEMENT_TRCCLAIMSET: return CLAIM_TAGS;
    case CAIRN_MANAGEMENT_TRCCLAIMCLR: return session->claims;
    case CAIRN_MANAGEMENT_TRCLSR:
        if (access->who != BY_SOFTWARE)
            return 0;
        return LSR_SLI | (session->software_locked ? LSR_SLK : 0);
    default: return read_identification(access->at.management);
    }
    return access->who == BY_INSTRUCTION ? cairn_session_read_direct(unit, access->at.index)
                                         : cairn_session_read_external(unit, access->at.index);
}

/* --- writing --- */

/* R_MDZDN. */
static enum cairn_answer write_enable(const struct access *access, uint64_t value)
{
    struct cairn_etmv4_unit *unit = access->unit;
    const enum cairn_session state = cairn_session_state(unit);
    const bool now = cairn_session_read_direct(unit, CAIRN_REG_TRCPRGCTLR) != 0;
    enum cairn_answer answer = CAIRN_ANSWER_OK;
    bool EN = value & 1;

    if (EN != now && state != CAIRN_SESSION_IDLE && state != CAIRN_SESSION_RUNNING) {
        answer = has(unit, CAIRN_ACCESS_BUSY_ENABLE_UNKNOWN) ? CAIRN_ANSWER_UNKNOWN
                                                             : CAIRN_ANSWER_IGNORED;
        answer = SAY(access->why, answer,
                     "TRCPRGCTLR.EN is changed while the unit is neither Idle nor Running, but %s: "
                     "wait for TRCSTATR.IDLE to be %d (D8.3)",
                     state_name(state), EN ? 1 : 0);
        if (answer == CAIRN_ANSWER_IGNORED)
            return answer;
        EN = cairn_session_unknown(unit) >> 63;
    }
    if (access->who == BY_INSTRUCTION)
        cairn_session_enable_direct(unit, EN);
    else
        cairn_session_enable(unit, EN);
    return answer;
}

/* R_RWYQD. */
static enum cairn_answer write_program(const struct access *access, uint64_t value)
{
    struct cairn_etmv4_unit *unit = access->unit;
    const enum cairn_session state = cairn_session_state(unit);
    struct cairn_unit_registers *registers = &unit->registers;
    const unsigned index = access->at.index;
    uint64_t held;

    if (state != CAIRN_SESSION_IDLE) {
        const bool forgets = has(unit, CAIRN_ACCESS_BUSY_WRITES_UNKNOWN);

        if (forgets)
            cairn_session_forget(unit, index);
        return SAY(
            access->why, forgets ? CAIRN_ANSWER_UNKNOWN : CAIRN_ANSWER_IGNORED,
            "%s is written while the unit is not Idle, but %s: clear TRCPRGCTLR.EN, and wait "
            "for TRCSTATR.IDLE to be 1 (D8.3)",
            access->at.name, state_name(state));
    }
    if (!cairn_unit_registers_holds(registers, index, value, &held, access->why))
        return CAIRN_ANSWER_IGNORED;
    if (access->who == BY_INSTRUCTION)
        cairn_session_write_direct(unit, index, held);
    else
        cairn_session_write_external(unit, index, held);
    return CAIRN_ANSWER_OK;
}

static enum cairn_answer write_lock(const struct access *access, uint64_t value)
{
    const bool locked = value & OSLAR_OSLK;

    if (access->who == BY_INSTRUCTION) {
        cairn_session_lock_direct(access->unit, locked);
    } else {
        access->unit->session.late_lock.waits = false;
        cairn_session_lock(access->unit, locked);
    }
    return CAIRN_ANSWER_OK;
}

static enum cairn_answer write_register(const struct access *access, uint64_t value)
{
    struct cairn_unit_session *session = &access->unit->session;

    switch (access->at.management) {
    case CAIRN_MANAGEMENT_NONE: break;
    case CAIRN_MANAGEMENT_TRCOSLAR: return write_lock(access, value);
    case CAIRN_MANAGEMENT_TRCPDCR: session->PDCR = (uint32_t)(value & PDCR_PU); break;
    case CAIRN_MANAGEMENT_TRCCLAIMSET: session->claims |= (uint8_t)value; break;
    case CAIRN_MANAGEMENT_TRCCLAIMCLR: session->claims &= (uint8_t)~value; break;
    case CAIRN_MANAGEMENT_TRCLAR:
        if (access->who == BY_SOFTWARE)
            session->software_locked = (value & UINT32_MAX) != UNLOCK_KEY;
        break;
    default: break; /* TRCITCTRL: there is no integration mode */
    }
    if (access->at.management != CAIRN_MANAGEMENT_NONE)
        return CAIRN_ANSWER_OK;
    if (access->at.index == CAIRN_REG_TRCPRGCTLR)
        return write_enable(access, value);
    return write_program(access, value);
}

/* --- by instruction --- */

static enum cairn_answer find_sysreg(struct access *access, uint32_t sysreg, unsigned EL)
{
    struct cairn_etmv4_unit *unit = access->unit;

    access->who = BY_INSTRUCTION;
    if (EL == 0)
        return SAY(access->why, CAIRN_ANSWER_UNDEFINED,
                   "EL0 has no access to trace unit registers (R_SGPQB)");
    if (is_ete(unit) && (sysreg == CAIRN_SYSREG_OSLAR_EL1 || sysreg == CAIRN_SYSREG_OSLSR_EL1))
        return CAIRN_ANSWER_OK;
    if (sysreg > 0xffffu || sysreg >> 14 != 2 || (sysreg >> 11 & 7u) != 1 ||
        (sysreg >> 7 & 15u) >= FIRST_CRn_NOT_THERE)
        return SAY(access->why, CAIRN_ANSWER_UNDEFINED,
                   "S%u_%u_C%u_C%u_%u is no trace unit register: they have op0 2, op1 1, and CRn "
                   "below 8 (D8.1.2)",
                   (unsigned)(sysreg >> 14 & 3u), (unsigned)(sysreg >> 11 & 7u),
                   (unsigned)(sysreg >> 7 & 15u), (unsigned)(sysreg >> 3 & 15u),
                   (unsigned)(sysreg & 7u));
    if (!cairn_session_has_power(unit))
        return SAY(access->why, CAIRN_ANSWER_ERROR, "the trace unit has no power (D6.5)");
    if (!cairn_location_of_sysreg(&unit->registers, sysreg, &access->at))
        return SAY(access->why, CAIRN_ANSWER_UNDEFINED,
                   "S2_1_C%u_C%u_%u is no register of this trace unit (I_WCXDT)",
                   (unsigned)(sysreg >> 7 & 15u), (unsigned)(sysreg >> 3 & 15u),
                   (unsigned)(sysreg & 7u));
    return CAIRN_ANSWER_OK;
}

enum cairn_answer cairn_etmv4_unit_mrs(struct cairn_unit *base, uint32_t sysreg, unsigned EL,
                                       uint64_t *value, struct cairn_error *why)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    struct access access = {.unit = unit, .why = why};
    const enum cairn_answer answer = find_sysreg(&access, sysreg, EL);

    if (answer != CAIRN_ANSWER_OK)
        return answer;
    if (sysreg == CAIRN_SYSREG_OSLSR_EL1)
        *value = OSLSR_EL1_OSLM | (unit->session.os_locked ? OSLSR_OSLK : 0);
    else if (!access.at.reads || sysreg == CAIRN_SYSREG_OSLAR_EL1)
        return SAY(why, CAIRN_ANSWER_UNDEFINED, "%s is write-only (I_WCXDT)",
                   sysreg == CAIRN_SYSREG_OSLAR_EL1 ? "OSLAR_EL1" : access.at.name);
    else
        *value = read_register(&access);
    cairn_session_count(unit);
    return CAIRN_ANSWER_OK;
}

enum cairn_answer cairn_etmv4_unit_msr(struct cairn_unit *base, uint32_t sysreg, unsigned EL,
                                       uint64_t value, struct cairn_error *why)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    struct access access = {.unit = unit, .why = why};
    enum cairn_answer answer = find_sysreg(&access, sysreg, EL);

    if (answer != CAIRN_ANSWER_OK)
        return answer;
    cairn_session_count(unit);
    if (sysreg == CAIRN_SYSREG_OSLAR_EL1)
        return write_lock(&access, value);
    if (!access.at.writes)
        return SAY(why, CAIRN_ANSWER_UNDEFINED, "%s is read-only (I_WCXDT)",
                   sysreg == CAIRN_SYSREG_OSLSR_EL1 ? "OSLSR_EL1" : access.at.name);
    return write_register(&access, value);
}

/* --- from outside --- */

/* ETMv4: TRCPDCR, TRCPDSR, the software lock and what identifies it are in the Debug power domain. */
static bool has_debug_power(const struct cairn_etmv4_unit *unit, uint32_t offset)
{
    return !is_ete(unit) && ((offset & ~4u) == DEBUG_POWER || offset >= DEBUG_POWER_COMMON);
}

/* Registers that debuggers reach whatever the OS Lock is. */
static bool is_beside_lock(enum cairn_management management)
{
    return management == CAIRN_MANAGEMENT_TRCOSLAR || management == CAIRN_MANAGEMENT_TRCOSLSR ||
           management == CAIRN_MANAGEMENT_TRCPDCR || management == CAIRN_MANAGEMENT_TRCPDSR;
}

static bool is_claim(enum cairn_management management)
{
    return management == CAIRN_MANAGEMENT_TRCCLAIMSET || management == CAIRN_MANAGEMENT_TRCCLAIMCLR;
}

/* What keeps an access from the register at `offset`, or from the place where none is, in the order
 * of R_YSHRS. */
static enum cairn_answer check_permission(const struct access *access, uint32_t offset,
                                          uint32_t flags, bool is_there)
{
    struct cairn_etmv4_unit *unit = access->unit;
    const enum cairn_management management = access->at.management;
    const bool guarded =
        access->who == BY_DEBUGGER && (offset < CAIRN_LOCATION_COMMON || is_claim(management));

    if (access->who == BY_SOFTWARE && is_ete(unit))
        return SAY(access->why, CAIRN_ANSWER_ERROR,
                   "software has no access through memory to an ETE (D16)");
    if (!cairn_session_has_power(unit) && !has_debug_power(unit, offset))
        return SAY(access->why, CAIRN_ANSWER_ERROR, "the trace unit has no power (D6.5)");
    if (guarded && unit->session.os_locked && !is_beside_lock(management) &&
        (is_there || has(unit, CAIRN_ACCESS_LOCKED_ERROR)))
        return SAY(access->why, CAIRN_ANSWER_ERROR, "the OS Lock is locked (D8.1.1)");
    if (guarded && unit->session.ETAD && (flags & CAIRN_EXTERNAL_NONSECURE) &&
        (is_there || has(unit, CAIRN_ACCESS_DENIED_ERROR))) {
        unit->session.STAD = true;
        return SAY(access->why, CAIRN_ANSWER_ERROR,
                   "MDCR_EL3.ETAD denies Non-secure accesses (D8.1.1)");
    }
    return CAIRN_ANSWER_OK;
}

/* R_VQWLY, R_KYDTQ. */
static bool is_supported(const struct cairn_etmv4_unit *unit, uint32_t offset, uint32_t bytes,
                         uint32_t flags)
{
    struct cairn_location at;

    if ((flags & CAIRN_EXTERNAL_EXCLUSIVE) || offset % (bytes ? bytes : 1) != 0)
        return false;
    if (bytes == 8)
        return cairn_location_of_offset(&unit->registers, offset, &at) && at.bits == 64;
    return bytes == 4;
}

/* An access in parts: the words of registers that it touches. */
struct words {
    uint32_t first; /* offset */
    uint32_t count;
};

static struct words words_of(uint32_t offset, uint32_t bytes)
{
    return (struct words){
        .first = offset & ~UINT32_C(3),
        .count = ((offset & 3u) + (bytes ? bytes : 1) + 3) / 4,
    };
}

/* R_YFRMG: what is written becomes UNKNOWN, as far as software may write it. */
static void forget_words(struct cairn_etmv4_unit *unit, struct words words)
{
    for (uint32_t i = 0; i < words.count; i++) {
        struct access access = {.unit = unit, .who = BY_DEBUGGER};

        if (cairn_location_of_offset(&unit->registers, words.first + 4 * i, &access.at) &&
            access.at.writes)
            (void)write_register(&access, cairn_session_unknown(unit));
    }
}

static enum cairn_answer refuse_size(struct cairn_etmv4_unit *unit, uint32_t offset, uint32_t bytes,
                                     uint64_t *read, struct cairn_error *why)
{
    const bool ignored = has(unit, CAIRN_ACCESS_UNSUPPORTED_IGNORED);
    const bool error = has(unit, CAIRN_ACCESS_UNSUPPORTED_ERROR);

    if (!read && !ignored)
        forget_words(unit, words_of(offset, bytes));
    if (read && !error)
        *read = cairn_session_unknown(unit);
    return SAY(why,
               error              ? CAIRN_ANSWER_ERROR
               : ignored && !read ? CAIRN_ANSWER_IGNORED
                                  : CAIRN_ANSWER_UNKNOWN,
               "%" PRIu32 " bytes at offset 0x%03" PRIx32
               ": only aligned words, aligned doublewords of 64-bit registers, and no exclusives, "
               "are supported (D8.1.1)",
               bytes, offset);
}

/* What comes before the register is reached; CAIRN_ANSWER_OK: go on with access->at. */
static enum cairn_answer find_offset(struct access *access, uint32_t offset, uint32_t bytes,
                                     uint32_t flags, uint64_t *read)
{
    struct cairn_etmv4_unit *unit = access->unit;
    enum cairn_answer answer;
    bool is_there;

    access->who = flags & CAIRN_EXTERNAL_SOFTWARE ? BY_SOFTWARE : BY_DEBUGGER;
    if (offset >= CAIRN_LOCATION_SPAN || bytes > CAIRN_LOCATION_SPAN - offset)
        return SAY(access->why, CAIRN_ANSWER_ERROR,
                   "offset 0x%" PRIx32 " is outside of the unit's 4 KiB", offset);
    is_there = cairn_location_of_offset(&unit->registers, offset & ~UINT32_C(3), &access->at);
    answer = check_permission(access, offset, flags, is_there);
    if (answer != CAIRN_ANSWER_OK)
        return answer;
    if (!is_supported(unit, offset, bytes, flags) && (is_there || bytes != 4 || offset % 4))
        return refuse_size(unit, offset, bytes, read, access->why);
    if (!is_there)
        return SAY(access->why, CAIRN_ANSWER_RES0, "there is no register at offset 0x%03" PRIx32,
                   offset);
    return CAIRN_ANSWER_OK;
}

enum cairn_answer cairn_etmv4_unit_load(struct cairn_unit *base, uint32_t offset, uint32_t bytes,
                                        uint32_t flags, uint64_t *value, struct cairn_error *why)
{
    struct access access = {.unit = cairn_etmv4_unit(base), .why = why};
    const enum cairn_answer answer = find_offset(&access, offset, bytes, flags, value);
    uint64_t whole;

    if (answer == CAIRN_ANSWER_RES0)
        *value = 0;
    if (answer != CAIRN_ANSWER_OK)
        return answer;
    if (!access.at.reads) {
        *value = 0;
        return SAY(why, CAIRN_ANSWER_RES0, "%s is write-only (R_WPKDP)", access.at.name);
    }
    whole = read_register(&access);
    cairn_session_count(access.unit);
    *value = bytes == 8 ? whole : whole >> 8 * (offset - access.at.offset) & UINT32_MAX;
    return CAIRN_ANSWER_OK;
}

enum cairn_answer cairn_etmv4_unit_store(struct cairn_unit *base, uint32_t offset, uint32_t bytes,
                                         uint32_t flags, uint64_t value, struct cairn_error *why)
{
    struct access access = {.unit = cairn_etmv4_unit(base), .why = why};
    const enum cairn_answer answer = find_offset(&access, offset, bytes, flags, NULL);
    unsigned shift;

    if (answer != CAIRN_ANSWER_OK)
        return answer;
    cairn_session_count(access.unit);
    if (!access.at.writes)
        return SAY(why, CAIRN_ANSWER_RES0, "%s is read-only (R_SVSNR)", access.at.name);
    if (access.who == BY_SOFTWARE && access.unit->session.software_locked &&
        access.at.management != CAIRN_MANAGEMENT_TRCLAR)
        return SAY(why, CAIRN_ANSWER_IGNORED,
                   "%s is written while the software lock is locked: write 0xc5acce55 to TRCLAR",
                   access.at.name);
    if (access.at.bits == 64 && bytes == 4) {
        const uint64_t whole = read_register(&access);

        shift = 8 * (offset - access.at.offset);
        value = (whole & ~((uint64_t)UINT32_MAX << shift)) | (value & UINT32_MAX) << shift;
    }
    return write_register(&access, bytes == 8 || access.at.bits == 64 ? value : value & UINT32_MAX);
}

/* --- what there is --- */

static void describe(const struct cairn_location *location, struct cairn_unit_register_info *info)
{
    struct cairn_unit_register_info made = {
        .offset = location->offset,
        .sysreg = location->sysreg,
        .bits = location->bits,
        .flags = (location->reads ? CAIRN_REGISTER_READABLE : 0) |
                 (location->writes ? CAIRN_REGISTER_WRITABLE : 0),
    };

    memcpy(made.name, location->name, strlen(location->name) + 1);
    cairn_info_write(info, &made, sizeof made);
}

cairn_status cairn_etmv4_unit_register_info(const struct cairn_unit *base, size_t index,
                                            struct cairn_unit_register_info *info)
{
    const struct cairn_etmv4_unit *unit = cairn_etmv4_unit_const(base);
    struct cairn_location location;
    bool more = true;

    for (size_t number = 0; more; number++)
        if (cairn_location_at(&unit->registers, number, &location, &more) && index-- == 0) {
            describe(&location, info);
            return CAIRN_OK;
        }
    return CAIRN_E_NOT_FOUND;
}

cairn_status cairn_etmv4_unit_register_find(const struct cairn_unit *base, const char *name,
                                            struct cairn_unit_register_info *info)
{
    const struct cairn_etmv4_unit *unit = cairn_etmv4_unit_const(base);
    struct cairn_location location;

    if (!cairn_location_of_name(&unit->registers, name, &location))
        return CAIRN_E_NOT_FOUND;
    describe(&location, info);
    return CAIRN_OK;
}

void cairn_etmv4_unit_deny_external(struct cairn_unit *base, bool ETAD)
{
    cairn_etmv4_unit(base)->session.ETAD = ETAD;
}

bool cairn_etmv4_unit_denied(struct cairn_unit *base)
{
    struct cairn_etmv4_unit *unit = cairn_etmv4_unit(base);
    const bool STAD = unit->session.STAD;

    unit->session.STAD = false;
    return STAD;
}
