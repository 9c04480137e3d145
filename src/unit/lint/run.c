/* SPDX-License-Identifier: BSD-2-Clause */
/* What a unit's registers hold, and a script gone through. */
#include <stdlib.h>

#include "base/error.h"
#include "base/sizes.h"
#include "unit/lint/lint.h"

/* A unit that has everything (D16; register_table.c has the fields). */
static const struct {
    unsigned index;
    uint64_t ete, etmv4;
} everything[] = {
    {CAIRN_REG_TRCIDR + 0, 0x28c1cea1, 0x2881ceff},
    {CAIRN_REG_TRCIDR + 1, 0x0000fff0, 0x0000f460},
    {CAIRN_REG_TRCIDR + 2, 0x30001088, 0x30001088},
    {CAIRN_REG_TRCIDR + 3, 0x8d7f0000, 0x8d7f0000},
    {CAIRN_REG_TRCIDR + 4, 0x888f8008, 0x888f8008},
    {CAIRN_REG_TRCIDR + 5, 0x49c709ff, 0x48c709ff},
    {CAIRN_REG_TRCIDR + 6, 0x7, 0x0},
    {CAIRN_REG_TRCDEVARCH, 0x47735a13, 0x47764a13},
};
#define NUMRSPAIR UINT64_C(0x000f0000) /* of TRCIDR4 */
#define ETMV4_3 3u

/* What was built, with everything where it is not told. */
static void find_built(struct cairn_lint_run *run)
{
    const bool is_ete = run->unit == CAIRN_OF_ETE;
    uint64_t value;

    if (!(run->unit & CAIRN_OF_BOTH))
        return;
    run->all = (struct cairn_unit_registers){.protocol = cairn_protocol_of(run->unit)};
    for (size_t i = 0; i < sizeof everything / sizeof everything[0]; i++) {
        const unsigned index = everything[i].index;
        if (!cairn_lint_get(run, cairn_register_rows[index].name, &value))
            value = is_ete ? everything[i].ete : everything[i].etmv4;
        run->all.values[index] = value;
    }
    cairn_unit_built_read(&run->all, &run->built);
    /* Before ETMv4.3 no pairs means one, which is fixed. */
    uint64_t *idr4 = &run->all.values[CAIRN_REG_TRCIDR + 4];
    if (!is_ete && run->built.revision < ETMV4_3 && !(*idr4 & NUMRSPAIR)) {
        *idr4 |= UINT64_C(1) << 16;
        cairn_unit_built_read(&run->all, &run->built);
        run->built.selectors = 2;
    }
}

static void check_all(struct cairn_lint_run *run)
{
    const struct cairn_lint_rule *rule;

    find_built(run);
    cairn_lint_find_used(run);
    for (size_t i = 0; (rule = cairn_lint_rule_at(i)); i++)
        if (rule->check && (rule->units & run->unit)) {
            run->rule = rule;
            run->softly = false;
            rule->check(run);
        }
}

static void take(struct cairn_lint_run *run, struct cairn_register_place place, uint64_t value)
{
    const unsigned slot = cairn_register_slot(place);

    run->values[slot] = value;
    run->given[slot] = true;
}

/* What an access says of a register's value. */
static void remember(struct cairn_lint_run *run, const struct cairn_script_access *access,
                     struct cairn_register_place place)
{
    if (!place.family || access->field[0] || !access->has_value)
        return;
    take(run, place, access->value);
    if (access->kind == CAIRN_SCRIPT_WRITE)
        run->written[cairn_register_slot(place)] = true;
}

static void check_access(struct cairn_lint_run *run, struct cairn_script_access *access)
{
    const struct cairn_lint_rule *rule;
    struct cairn_register_place place = {NULL, 0};

    if (access->name[0])
        place = cairn_register_place_of(run->unit, access->name);
    if (place.family) /* as the specification writes it, for findings */
        cairn_register_name(place, access->name);
    run->line = access->line;
    for (size_t i = 0; (rule = cairn_lint_rule_at(i)); i++)
        if (rule->access && (rule->units & run->unit)) {
            run->rule = rule;
            run->softly = false;
            rule->access(run, access, place);
        }
    remember(run, access, place);
    if (cairn_lint_follow(run, access, place)) {
        run->session.enabled_once = true;
        check_all(run);
    }
}

static void check_end(struct cairn_lint_run *run)
{
    const struct cairn_lint_rule *rule;

    run->ended = true;
    for (size_t i = 0; (rule = cairn_lint_rule_at(i)); i++)
        if (rule->end && (rule->units & run->unit)) {
            run->rule = rule;
            run->softly = false;
            rule->end(run);
        }
}

static cairn_status run_script(struct cairn_lint_run *run, struct cairn_error *error)
{
    const struct cairn_lint_unit *unit = run->told;
    struct cairn_script_access access;
    struct cairn_script script;
    cairn_status status;

    cairn_script_begin(&script, unit->script_name ? unit->script_name : "script", unit->script,
                       unit->script_size);
    while ((status = cairn_script_next(&script, &access, error)) == CAIRN_OK)
        check_access(run, &access);
    if (status != CAIRN_E_NOT_FOUND)
        return status;
    run->line = 0;
    if (!run->session.enabled_once)
        check_all(run);
    check_end(run);
    return CAIRN_OK;
}

static cairn_status begin(struct cairn_lint_run *run, const struct cairn_lint_unit *unit,
                          struct cairn_error *error)
{
    if ((unit->register_count > 0 && !unit->registers) ||
        (unit->flags & ~(CAIRN_LINT_SHARED_BUS | CAIRN_LINT_OWN_SINK | CAIRN_LINT_AFTERWARDS)))
        return cairn_fail(error, CAIRN_E_ARGUMENT,
                          "a list of registers is missing, or a flag is not known");
    run->told = unit;
    run->unit = cairn_of_protocol(unit->protocol);
    if (!run->unit)
        return cairn_fail(error, CAIRN_E_UNSUPPORTED,
                          "there are no rules for the trace unit of %s; they are for ETE, ETMv4, "
                          "PTM, ETMv3 and MTB",
                          unit->name ? unit->name : "this protocol");
    for (size_t i = 0; i < unit->register_count; i++) {
        const char *name = unit->registers[i].name;
        const struct cairn_register_place place =
            name ? cairn_register_place_of(run->unit, name) : (struct cairn_register_place){0};
        if (place.family)
            take(run, place, unit->registers[i].value);
    }
    return CAIRN_OK;
}

cairn_status cairn_lint(const struct cairn_lint_unit *unit, cairn_lint_tell *tell_one,
                        void *context, struct cairn_error *error)
{
    struct cairn_lint_unit given = {.size = sizeof given};

    if (!tell_one || !unit || cairn_options_read(&given, sizeof given, unit) != CAIRN_OK)
        return cairn_fail(error, CAIRN_E_ARGUMENT,
                          "a unit begins with its size, and somebody is told");
    struct cairn_lint_run *run = calloc(1, sizeof *run);
    if (!run)
        return cairn_fail(error, CAIRN_E_MEMORY, "out of memory");
    run->tell = tell_one;
    run->context = context;
    cairn_status status = begin(run, &given, error);
    if (status == CAIRN_OK && given.script)
        status = run_script(run, error);
    else if (status == CAIRN_OK)
        check_all(run);
    free(run);
    return status;
}

cairn_status cairn_lint_rule(size_t index, struct cairn_lint_rule_info *info)
{
    const struct cairn_lint_rule *rule = cairn_lint_rule_at(index);

    if (!rule)
        return CAIRN_E_NOT_FOUND;
    const struct cairn_lint_rule_info made = {
        .size = sizeof made,
        .code = rule->code,
        .requirement = rule->requirement,
        .severity = rule->severity,
        .meaning = rule->meaning,
        .remedy = rule->remedy,
        .protocol = cairn_protocol_of(rule->example_unit),
        .example = rule->example,
    };
    return cairn_info_write(info, &made, sizeof made);
}
