/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/lint/lint.h"

const struct cairn_lint_rule *cairn_lint_rule_at(size_t index)
{
    static const struct cairn_lint_rule *const tables[] = {
        cairn_lint_value_rules, cairn_lint_option_rules,   cairn_lint_view_rules,
        cairn_lint_event_rules, cairn_lint_state_rules,    cairn_lint_session_rules,
        cairn_lint_etm_rules,   cairn_lint_etm_unit_rules,
    };

    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        for (const struct cairn_lint_rule *rule = tables[i]; rule->code; rule++)
            if (index-- == 0)
                return rule;
    return NULL;
}
