/* SPDX-License-Identifier: BSD-2-Clause */
/* The order in which a script does things: DDI0608 D8.3 (Table D8.2), D10.1; for PTM and ETMv3 the
 * Programming bit (IHI0014 3.4, IHI0035 3.15.4). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "unit/lint/lint.h"

#define ETMCR_PROGRAMMING UINT64_C(0x400)
#define ETMSR_PROGRAMMING UINT64_C(0x2)
#define STATR_IDLE UINT64_C(0x1)
#define NAMES_MOST 300u

static bool is(struct cairn_register_place place, const char *name)
{
    return place.family && strcmp(place.family->name, name) == 0;
}

static bool is_of_etm(const struct cairn_lint_run *run)
{
    return (run->unit & CAIRN_OF_ETM) != 0;
}

/* The register that enables the unit. */
static bool is_enable(const struct cairn_lint_run *run, struct cairn_register_place place)
{
    if (run->unit & CAIRN_OF_MTB)
        return is(place, "MTB_MASTER");
    return is(place, is_of_etm(run) ? "ETMCR" : "TRCPRGCTLR");
}

static bool enables(const struct cairn_lint_run *run, uint64_t value)
{
    if (run->unit & CAIRN_OF_MTB)
        return value >> 31 & 1;
    return is_of_etm(run) ? !(value & ETMCR_PROGRAMMING) : value & 1;
}

/* Writes that D8.3 does not restrict. */
static bool is_free(struct cairn_register_place place)
{
    switch ((enum cairn_family_access)place.family->access) {
    case CAIRN_FAMILY_FREE:
    case CAIRN_FAMILY_PE:
    case CAIRN_FAMILY_WRITE_ONLY:
    case CAIRN_FAMILY_BUILT:
    case CAIRN_FAMILY_STATUS: return true;
    case CAIRN_FAMILY_PROGRAM:
    case CAIRN_FAMILY_STATE: break;
    }
    return false;
}

static bool is_restricted(const struct cairn_lint_run *run,
                          const struct cairn_script_access *access,
                          struct cairn_register_place place)
{
    return place.family && access->kind == CAIRN_SCRIPT_WRITE && !(run->unit & CAIRN_OF_MTB) &&
           !is_enable(run, place) && !is_free(place);
}

static void check_enabled(struct cairn_lint_run *run, const struct cairn_script_access *access,
                          struct cairn_register_place place)
{
    if (is_restricted(run, access, place) &&
        (run->session.state == CAIRN_LINT_ENABLING || run->session.state == CAIRN_LINT_RUNNING))
        cairn_lint_say(run, access->name, "it is written while the unit is enabled");
}

static void check_idle(struct cairn_lint_run *run, const struct cairn_script_access *access,
                       struct cairn_register_place place)
{
    const char *wait = is_of_etm(run) ? "ETMSR.PROGRAMMING" : "TRCSTATR.IDLE";

    if (run->session.told_of_write || !is_restricted(run, access, place) ||
        (run->session.state != CAIRN_LINT_UNSTABLE && run->session.state != CAIRN_LINT_ANY))
        return;
    run->session.told_of_write = true;
    if (run->session.state == CAIRN_LINT_UNSTABLE)
        cairn_lint_say(run, access->name,
                       "it is written before the unit was seen idle: nothing waited for %s to be 1 "
                       "since it was disabled",
                       wait);
    else
        cairn_lint_note(run, access->name,
                        "it is written before the script disables the unit and waits for %s to be "
                        "1: right only if the unit is out of reset",
                        wait);
}

static void check_enabling(struct cairn_lint_run *run, const struct cairn_script_access *access,
                           struct cairn_register_place place)
{
    const enum cairn_lint_state state = run->session.state;

    if (access->kind != CAIRN_SCRIPT_WRITE || !is_enable(run, place) || (run->unit & CAIRN_OF_MTB))
        return;
    if (enables(run, access->value) && state == CAIRN_LINT_UNSTABLE)
        cairn_lint_say(run, access->name, "the unit is enabled again before it was seen idle");
    else if (!enables(run, access->value) && state == CAIRN_LINT_ENABLING)
        cairn_lint_say(run, access->name,
                       "the unit is disabled before it was seen running: nothing waited for %s to "
                       "be 0 since it was enabled",
                       is_of_etm(run) ? "ETMSR.PROGRAMMING" : "TRCSTATR.IDLE");
}

static void check_lock(struct cairn_lint_run *run, const struct cairn_script_access *access,
                       struct cairn_register_place place)
{
    if (access->kind == CAIRN_SCRIPT_WRITE && is_enable(run, place) &&
        enables(run, access->value) && run->session.lock == CAIRN_LINT_LOCK_ANY &&
        !run->session.enabled_once)
        cairn_lint_note(run, access->name,
                        "the script does not unlock the OS Lock, which is locked out of reset");
}

/* What is restored is enabled while the lock is locked, and runs when it is unlocked (D10.1.3). */
static void check_locked(struct cairn_lint_run *run)
{
    run->line = run->session.locked_line;
    if (run->line)
        cairn_lint_say(
            run, is_of_etm(run) ? "ETMCR" : "TRCPRGCTLR",
            "the unit is enabled while the OS Lock is locked, and nothing unlocks it: it "
            "stays disabled");
    run->line = 0;
}

/* Adds array[n] for each bit n, if it is not given. */
static size_t add_absent(const struct cairn_lint_run *run, const char *array, uint32_t bits,
                         char names[NAMES_MOST], size_t length)
{
    uint64_t value;

    for (unsigned n = 0; n < 32 && length < NAMES_MOST - 20; n++)
        if ((bits >> n & 1) && !cairn_lint_get_n(run, array, n, &value))
            length += (size_t)snprintf(names + length, NAMES_MOST - length, "%s%s%u",
                                       length ? ", " : "", array, n);
    return length;
}

/* Comparators, selectors and what has a state: of those that something uses. */
static size_t add_resources(const struct cairn_lint_run *run, char names[NAMES_MOST], size_t length)
{
    const struct cairn_lint_used *used = &run->used;
    uint32_t sacs = used->sacs, selectors = used->selectors;

    for (unsigned n = 0; n < 16; n++) {
        sacs |= (used->arcs >> n / 2 & 1u) << n;
        selectors |= (used->pairs >> n & 1u) * (3u << 2 * n);
    }
    length = add_absent(run, "TRCACVR", sacs, names, length);
    length = add_absent(run, "TRCACATR", sacs, names, length);
    length = add_absent(run, "TRCRSCTLR", selectors & ~3u, names, length);
    length = add_absent(run, "TRCCNTCTLR", used->counters, names, length);
    length = add_absent(run, "TRCCNTVR", used->counters, names, length);
    length = add_absent(run, "TRCSSCCR", used->controls, names, length);
    length = add_absent(run, "TRCSSCSR", used->controls, names, length);
    length = add_absent(run, "TRCSEQEVR", used->states ? 7u : 0, names, length);
    if (used->states && !cairn_lint_has(run, "TRCSEQRSTEVR") && length < NAMES_MOST - 20)
        length += (size_t)snprintf(names + length, NAMES_MOST - length, "%sTRCSEQRSTEVR",
                                   length ? ", " : "");
    if (used->states && !cairn_lint_has(run, "TRCSEQSTR") && length < NAMES_MOST - 20)
        length += (size_t)snprintf(names + length, NAMES_MOST - length, "%sTRCSEQSTR",
                                   length ? ", " : "");
    return length;
}

/* Options and what they need, besides what every unit needs (D10.2, D10.6). */
static void check_programmed(struct cairn_lint_run *run)
{
    static const struct {
        const char *name, *bit_of;
        unsigned high, low;
    } needed[] = {
        {"TRCCONFIGR", NULL, 0, 0},          {"TRCEVENTCTL0R", NULL, 0, 0},
        {"TRCEVENTCTL1R", NULL, 0, 0},       {"TRCSTALLCTLR", "TRCIDR3", 26, 26},
        {"TRCTSCTLR", "TRCCONFIGR", 11, 11}, {"TRCSYNCPR", NULL, 0, 0},
        {"TRCTRACEIDR", NULL, 0, 0},         {"TRCVICTLR", NULL, 0, 0},
        {"TRCVIIECTLR", NULL, 0, 0},         {"TRCVISSCTLR", NULL, 0, 0},
        {"TRCCCCTLR", "TRCCONFIGR", 4, 4},   {"TRCBBCTLR", "TRCCONFIGR", 3, 3},
        {"TRCQCTLR", "TRCCONFIGR", 14, 13},
    };
    char names[NAMES_MOST];
    size_t length = 0;

    if (!run->session.enabled_once)
        return;
    names[0] = '\0';
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (!cairn_lint_has(run, needed[i].name) && cairn_lint_has_bits(run, needed[i].name) &&
            (!needed[i].bit_of ||
             cairn_lint_bits(run, needed[i].bit_of, needed[i].high, needed[i].low)))
            length += (size_t)snprintf(names + length, NAMES_MOST - length, "%s%s",
                                       length ? ", " : "", needed[i].name);
    length = add_resources(run, names, length);
    if (length)
        cairn_lint_say(run, NULL,
                       "the unit is enabled, and nothing wrote these registers, which hold "
                       "anything out of reset: %s",
                       names);
}

static void check_isb(struct cairn_lint_run *run, const struct cairn_script_access *access,
                      struct cairn_register_place place)
{
    if (access->kind == CAIRN_SCRIPT_READ && access->by_instruction && is(place, "TRCSTATR") &&
        run->session.unsynchronised)
        cairn_lint_say(run, access->name,
                       "it is read by an MRS with no ISB since TRCPRGCTLR was written, or since it "
                       "was read: the value may be old");
}

static bool is_on(const struct cairn_lint_run *run)
{
    return run->session.state == CAIRN_LINT_ENABLING || run->session.state == CAIRN_LINT_RUNNING;
}

/* The sink is enabled before the unit, and disabled behind it. */
static void check_sink(struct cairn_lint_run *run, const struct cairn_script_access *access,
                       struct cairn_register_place place)
{
    if (access->kind != CAIRN_SCRIPT_WRITE || !is(place, "TRBLIMITR_EL1"))
        return;
    const bool on = access->value & 1;
    if (on && !run->session.sink_on && is_on(run))
        cairn_lint_say(
            run, access->name,
            "the trace buffer is enabled behind the unit: what is traced before is lost");
    else if (!on && run->session.sink_on && is_on(run))
        cairn_lint_say(run, access->name,
                       "the trace buffer is disabled before the unit: what the unit still has is "
                       "lost");
}

/* Bits that the unit changes by itself. */
static uint64_t state_bits(struct cairn_register_place place)
{
    if (is(place, "TRCVICTLR"))
        return UINT64_C(0x200);
    return is(place, "TRCCONFIGR") ? 1 : 0;
}

static void check_read(struct cairn_lint_run *run, const struct cairn_script_access *access,
                       struct cairn_register_place place)
{
    if (access->kind != CAIRN_SCRIPT_READ || !access->has_value || !place.family ||
        place.family->access != CAIRN_FAMILY_PROGRAM || is_enable(run, place) ||
        is(place, "TRCSEQSTR") || is(place, "TRCCNTVR") || is(place, "TRCRSR") ||
        is(place, "TRCSSCSR"))
        return;
    const unsigned slot = cairn_register_slot(place);
    const uint64_t differing = (run->values[slot] ^ access->value) & ~state_bits(place);
    if (run->written[slot] && differing)
        cairn_lint_say(run, access->name,
                       "0x%" PRIx64 " was written and 0x%" PRIx64 " is read: the unit lacks bits "
                       "0x%" PRIx64 ", or ignored the write",
                       run->values[slot], access->value, differing);
}

static void check_ever(struct cairn_lint_run *run)
{
    if (!run->session.enabled_once && !run->session.waits)
        cairn_lint_say(run, NULL, "the script never enables the unit");
}

/* --- what an access does --- */

static void follow_enable(struct cairn_lint_session *session, bool on)
{
    session->told_of_write = false;
    if (on)
        session->state = CAIRN_LINT_ENABLING;
    else if (session->state != CAIRN_LINT_IDLE)
        session->state = CAIRN_LINT_UNSTABLE;
}

/* The unit was seen idle (or ready to be programmed), or not. */
static void follow_status(struct cairn_lint_session *session, bool idle)
{
    if (idle && session->state == CAIRN_LINT_UNSTABLE)
        session->state = CAIRN_LINT_IDLE;
    if (!idle && session->state == CAIRN_LINT_ENABLING)
        session->state = CAIRN_LINT_RUNNING;
}

/* A read without a value is that of a loop that ends as it should. */
static void follow_read(struct cairn_lint_run *run, const struct cairn_script_access *access,
                        uint64_t bit)
{
    struct cairn_lint_session *session = &run->session;
    const bool of_field = access->field[0] != '\0';

    if (of_field && strcasecmp(access->field, is_of_etm(run) ? "PROGRAMMING" : "IDLE") != 0)
        return;
    if (access->has_value)
        follow_status(session, of_field ? access->value != 0 : (access->value & bit) != 0);
    else
        follow_status(session, session->state == CAIRN_LINT_UNSTABLE);
}

/* True: unlocking enabled the unit. */
static bool follow_lock(struct cairn_lint_run *run, const struct cairn_script_access *access,
                        struct cairn_register_place place)
{
    struct cairn_lint_session *session = &run->session;

    if (access->kind == CAIRN_SCRIPT_WRITE && (is(place, "OSLAR_EL1") || is(place, "TRCOSLAR")))
        session->lock = access->value & 1 ? CAIRN_LINT_LOCKED : CAIRN_LINT_UNLOCKED;
    else if (access->kind == CAIRN_SCRIPT_WRITE && is(place, "ETMOSLAR"))
        session->lock =
            access->value == UINT64_C(0xc5acce55) ? CAIRN_LINT_LOCKED : CAIRN_LINT_UNLOCKED;
    else if (access->has_value && !access->field[0] &&
             (is(place, "OSLSR_EL1") || is(place, "TRCOSLSR") || is(place, "ETMOSLSR")))
        session->lock = access->value & 2 ? CAIRN_LINT_LOCKED : CAIRN_LINT_UNLOCKED;
    else
        return false;
    /* R_TMLTF: the lock disables an enabled unit. */
    if (session->lock == CAIRN_LINT_LOCKED &&
        (session->state == CAIRN_LINT_ENABLING || session->state == CAIRN_LINT_RUNNING)) {
        session->state = CAIRN_LINT_UNSTABLE;
        session->told_of_write = false;
        session->waits = true;
    }
    if (session->lock == CAIRN_LINT_LOCKED || !session->waits)
        return false;
    session->waits = false;
    session->locked_line = 0;
    session->told_of_write = false;
    session->state = CAIRN_LINT_ENABLING;
    return true;
}

bool cairn_lint_follow(struct cairn_lint_run *run, const struct cairn_script_access *access,
                       struct cairn_register_place place)
{
    struct cairn_lint_session *session = &run->session;

    if (access->kind == CAIRN_SCRIPT_ISB)
        session->unsynchronised = false;
    if (access->by_instruction && is(place, "TRCPRGCTLR") && access->kind == CAIRN_SCRIPT_WRITE)
        session->unsynchronised = true;
    if (access->by_instruction && is(place, "TRCSTATR") && access->kind == CAIRN_SCRIPT_READ)
        session->unsynchronised = true;
    if (is(place, "TRCSTATR") && access->kind != CAIRN_SCRIPT_WRITE)
        follow_read(run, access, STATR_IDLE);
    if (is(place, "ETMSR") && access->kind != CAIRN_SCRIPT_WRITE)
        follow_read(run, access, ETMSR_PROGRAMMING);
    if (access->has_value && !access->field[0] && is(place, "TRBLIMITR_EL1"))
        session->sink_on = access->value & 1;
    if (follow_lock(run, access, place))
        return true;
    if (access->kind != CAIRN_SCRIPT_WRITE || !is_enable(run, place))
        return false;
    const bool was_on =
        session->state == CAIRN_LINT_ENABLING || session->state == CAIRN_LINT_RUNNING;
    const bool on = enables(run, access->value);
    if (session->lock == CAIRN_LINT_LOCKED) {
        session->waits = on;
        session->locked_line = on ? access->line : 0;
        return false;
    }
    if (on == was_on && session->state != CAIRN_LINT_ANY)
        return false;
    follow_enable(session, on);
    return on;
}

#define START "write TRCPRGCTLR 0\nwait TRCSTATR.IDLE 1\n"

const struct cairn_lint_rule cairn_lint_session_rules[] = {
    {.code = "CAIRN-LINT-WRITE-ENABLED",
     .requirement = "R_RWYQD; PFT-3.15.4-a",
     .units = CAIRN_OF_BOTH | CAIRN_OF_ETM,
     .severity = CAIRN_LINT_PROBLEM,
     .access = check_enabled,
     .meaning = "A register is written while the unit is enabled: the write is ignored, or the "
                "register takes any value, and the trace may be broken. Each such write is told "
                "of.",
     .remedy = "disable the unit and wait until it is idle (TRCPRGCTLR.EN, TRCSTATR.IDLE; PTM and "
               "ETMv3: ETMCR.PROGRAMMING, ETMSR.PROGRAMMING)",
     .example_unit = CAIRN_OF_ETE,
     .example = START "write TRCPRGCTLR 1\nwrite TRCVICTLR 0x201"},
    {.code = "CAIRN-LINT-WRITE-NOT-IDLE",
     .requirement = "R_RWYQD; PFT-3.15.4-a",
     .units = CAIRN_OF_BOTH | CAIRN_OF_ETM,
     .severity = CAIRN_LINT_PROBLEM,
     .access = check_idle,
     .meaning = "A register is written after the unit was disabled and before it is idle: it may "
                "still put out trace. Where a script begins with a write, a note is told.",
     .remedy = "wait for TRCSTATR.IDLE to be 1 (PTM and ETMv3: ETMSR.PROGRAMMING) before the first "
               "write",
     .example_unit = CAIRN_OF_ETE,
     .example = "write TRCPRGCTLR 0\nwrite TRCVICTLR 0x201"},
    {.code = "CAIRN-LINT-ENABLE-TOO-SOON",
     .requirement = "R_MDZDN",
     .units = CAIRN_OF_BOTH | CAIRN_OF_ETM,
     .severity = CAIRN_LINT_PROBLEM,
     .access = check_enabling,
     .meaning = "The unit is enabled before it is idle, or disabled before it runs: the write is "
                "ignored, or TRCPRGCTLR takes any value.",
     .remedy = "wait for TRCSTATR.IDLE to be 1 after disabling, and 0 after enabling",
     .example_unit = CAIRN_OF_ETE,
     .example = START "write TRCPRGCTLR 1\nwrite TRCPRGCTLR 0"},
    {.code = "CAIRN-LINT-OS-LOCK",
     .requirement = "R_TMLTF",
     .units = CAIRN_OF_BOTH | CAIRN_OF_ETM,
     .severity = CAIRN_LINT_PROBLEM,
     .access = check_lock,
     .end = check_locked,
     .meaning = "The unit is enabled while the OS Lock is locked, which keeps it disabled. Where a "
                "script says nothing of the lock, a note is told.",
     .remedy = "write 0 to OSLAR_EL1 (ETE) or TRCOSLAR (ETMv4) first",
     .example_unit = CAIRN_OF_ETE,
     .example = "msr OSLAR_EL1, 1\nmsr TRCPRGCTLR, 1"},
    {.code = "CAIRN-LINT-NOT-PROGRAMMED",
     .requirement = "S_XMMLP; S_LMPNV; D10.2",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_WARNING,
     .check = check_programmed,
     .meaning = "A script enables the unit, and registers that decide what is traced were never "
                "written: out of reset they hold any value.",
     .remedy = "write all of them; D10.2 has the least that is needed",
     .example_unit = CAIRN_OF_ETE,
     .example = START "write TRCVICTLR 0x201\nwrite TRCPRGCTLR 1"},
    {.code = "CAIRN-LINT-NO-ISB",
     .requirement = "S_HSXGZ",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_WARNING,
     .access = check_isb,
     .meaning = "TRCSTATR is read by an MRS without a Context synchronization event since "
                "TRCPRGCTLR was written, or since it was read before: it need not show what "
                "changed, and a loop may not end.",
     .remedy = "put an ISB between",
     .example_unit = CAIRN_OF_ETE,
     .example = "msr TRCPRGCTLR, 0\nmrs x0, TRCSTATR"},
    {.code = "CAIRN-LINT-SINK-ORDER",
     .requirement = "S_PWXHJ; S_WPVBX",
     .units = CAIRN_OF_BOTH,
     .severity = CAIRN_LINT_WARNING,
     .access = check_sink,
     .meaning = "The trace buffer (TRBE) is enabled after the unit, or disabled before it.",
     .remedy =
         "enable TRBLIMITR_EL1.E first; disable TRCPRGCTLR.EN, wait until the unit is idle, and "
         "then the buffer",
     .example_unit = CAIRN_OF_ETE,
     .example = "msr TRCPRGCTLR, 1\nisb\nmsr TRBLIMITR_EL1, 0x80100001"},
    {.code = "CAIRN-LINT-READ-DIFFERS",
     .requirement = "D8.3",
     .units = CAIRN_OF_BOTH | CAIRN_OF_ETM,
     .severity = CAIRN_LINT_WARNING,
     .access = check_read,
     .meaning = "A value that was read, as the script tells, is not what was written.",
     .remedy = "compare with the identification registers; a write to a unit that is enabled is "
               "ignored as well",
     .example_unit = CAIRN_OF_ETE,
     .example = START "write TRCCONFIGR 0x19\nread TRCCONFIGR 0x9"},
    {.code = "CAIRN-LINT-NEVER-ENABLED",
     .requirement = "D8.3",
     .units = CAIRN_OF_BOTH | CAIRN_OF_ETM,
     .severity = CAIRN_LINT_NOTE,
     .end = check_ever,
     .meaning = "A script programs the unit and does not enable it. The registers are looked at as "
                "they stand at its end.",
     .remedy = "write 1 to TRCPRGCTLR (PTM and ETMv3: clear ETMCR.PROGRAMMING), if it is to trace",
     .example_unit = CAIRN_OF_ETE,
     .example = START "write TRCVICTLR 0x201"},
    {0},
};
