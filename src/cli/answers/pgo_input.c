/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/answers/pgo_input.h"

enum cli_exit cli_pgo_take_kept(struct cli_session *session, struct cli_counts_file *kept,
                                bool by_name, struct cairn_pgo *pgo)
{
    const struct cli_options *const options = session->options;

    if (!cli_kept_open(session, kept, true))
        return CLI_UNUSABLE;
    const bool is_whole = cairn_counts_flag(&kept->counts, CAIRN_COUNTS_WHOLE_RANGES) != 0;
    if (!by_name && options->pgo.rows != is_whole) {
        cli_session_say(
            session, "%s: its ranges were counted %s --whole-ranges: %s it here, or count anew",
            options->capture, is_whole ? "with" : "without", is_whole ? "give" : "leave out");
        return CLI_UNUSABLE;
    }
    const cairn_status status = cairn_counts_give_pgo(&kept->given, pgo);
    if (status == CAIRN_E_UNSUPPORTED) {
        cli_session_say(session,
                        "%s: several builds of one path have no build-id to tell them apart by. "
                        "Merge counts of one build, or link with --build-id",
                        options->capture);
        return CLI_UNUSABLE;
    }
    if (status) {
        cli_session_say(session, "%s: %s", options->capture, cairn_status_text(status));
        return CLI_UNUSABLE;
    }
    return cli_kept_result(kept);
}
