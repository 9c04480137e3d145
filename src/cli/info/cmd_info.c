/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "capture/model.h"
#include "cli/audit/audit.h"
#include "cli/audit/codes.h"
#include "cli/audit/port_trial.h"
#include "cli/command.h"
#include "cli/info/info.h"
#include "cli/session/session.h"

static enum cli_exit result_of(const struct cli_audit *audit)
{
    enum cli_exit result = CLI_CLEAN;

    if (!audit->buffer_count)
        return CLI_UNUSABLE;
    for (size_t i = 0; i < audit->buffer_count; i++) {
        const struct cairn_buffer_account *account = &audit->buffers[i].account;
        if (account->truncated)
            result = CLI_GAPS;
        if (audit->buffers[i].accounted != audit->buffers[i].info.bytes)
            return CLI_UNUSABLE;
    }
    for (size_t i = 0; i < audit->source_count; i++) {
        const struct cli_audit_source *source = &audit->sources[i];
        if (source->state != CLI_AUDIT_NOT_CHOSEN && cli_audit_gap_bytes(&source->ledger))
            result = CLI_GAPS;
    }
    return result;
}

/* A trace port that is described wrongly is a remark, as what the port was read as is. */
/* Threads are looked for among the contexts that were kept. */
static void remark_on_contexts(const struct cli_audit *audit)
{
    for (size_t i = 0; i < audit->source_count; i++)
        if (audit->sources[i].has_more_contexts &&
            cairn_capture_thread_count(audit->session->capture))
            cairn_capture_say(audit->session->capture, CAIRN_NOTE,
                              "%s: it is of more than %u contexts: of threads in the others is not "
                              "told that there is trace of them in it.",
                              audit->sources[i].info.name, CLI_AUDIT_CONTEXTS);
}

static void remark_on_ports(const struct cli_audit *audit)
{
    char what[CLI_SENTENCE_MAX], advice[CLI_SENTENCE_MAX];
    uint64_t left = CLI_PORT_INFO;

    for (size_t i = 0; i < audit->source_count; i++)
        if (cli_port_try(audit, i, &left, what, advice))
            cairn_capture_say(audit->session->capture, CAIRN_WARNING, "%s: %s; %s.",
                              audit->sources[i].info.name, what, advice);
}

/* A file without a byte is no capture, though it has a buffer and perhaps a source by what was said of it. */
static bool is_empty_file(const struct cairn_capture *capture)
{
    struct cairn_remark remark;

    for (size_t i = 0; !cairn_capture_remark(capture, i, &remark); i++) {
        const char *const code = cairn_capture_remark_code(capture, i);

        if (remark.severity == CAIRN_PROBLEM && code && !strcmp(code, CLI_EMPTY_BUFFER))
            return true;
    }
    return false;
}

static enum cli_exit run(const struct cli_options *options)
{
    struct cli_session session;
    struct cli_audit audit = {0};
    enum cli_exit result =
        cli_session_open(&session, &cli_command_info, options, CLI_SURVEY_ALWAYS);

    if (!result)
        result = cli_audit_run(&audit, &session);
    if (!result)
        remark_on_ports(&audit);
    remark_on_contexts(&audit);
    if (!result && cli_session_goes_on(&session)) {
        const bool printed =
            options->format == CLI_FORMAT_JSON ? cli_info_json(&audit) : cli_info_text(&audit);
        result = printed ? result_of(&audit) : CLI_UNUSABLE;
        if (!printed)
            cli_session_say(&session, "out of memory");
        if (printed && is_empty_file(session.capture)) {
            cli_session_say(&session, "%s is empty: there is no trace in it. Was it written whole?",
                            options->capture);
            result = CLI_UNUSABLE;
        }
    }
    cli_audit_free(&audit);
    return cli_session_close(&session, result);
}

static const struct cli_option own[] = {
    {"all", CLI_OWN_KEY, NULL,
     "Show everything: every source, setting, file and account, whatever its length. Default: what\n"
     "fits a screen of 40 lines of 100 columns; settings that are off are left out."},
    {0},
};

static bool take_own(struct cli_options *options, int key, const char *argument)
{
    (void)key;
    (void)argument;
    options->all = true;
    return true;
}

const struct cli_command cli_command_info = {
    .name = "info",
    .summary = "tell what a capture holds and where each of its bytes went",
    .arguments = "CAPTURE",
    .description =
        "Shows what ran, if the capture says so, the capture's buffers, its sources (protocol,\n"
        "version, core, configuration in words: one that several sources have stands once) and the\n"
        "memory in it, then decodes everything once for the ledger: every byte of every buffer is in\n"
        "exactly one account, and the accounts add up to the size of the file.",
    .output =
        "The ledger has for each buffer the bytes of the framing (frame ID and auxiliary bytes),\n"
        "synchronisation (FSYNC, HSYNC), null and trigger IDs, what lay before the first frame or "
        "ID\n"
        "and an incomplete last frame; and for each source flow (packets that decided the "
        "program's\n"
        "path), metadata (timestamps, events, cycle counts ...), padding, and gaps, which are listed\n"
        "by reason below. Each share is of the buffer's bytes.\n"
        "Sources of protocols that are not decoded here, such as STM and ITM, are in the account\n"
        "\"not decoded\"; of one whose packets alone are decoded, the packets that decide the\n"
        "flow are. With --source, the others are in \"filtered\".\n"
        "json: one object of type \"info\" (docs/json.md, info.schema.json).",
    .exit_status = "0   every byte was decoded (but the oldest of a buffer that wrapped)\n"
                   "1   there are gaps that matter, as `cairn check` counts them\n"
                   "2   the capture is unusable, or the command line is wrong\n"
                   "130 stopped by Ctrl-C",
    .examples = "cairn info snapshot/\n"
                "cairn info --format json snapshot/ | jq '.sources[].ledger'\n"
                "cairn info --protocol etmv4 --set TRCCONFIGR=0x10c1 --frames coresight etb.bin",
    .own = own,
    .take_own = take_own,
    .options = CLI_TAKES_CAPTURE | CLI_TAKES_SOURCE | CLI_TAKES_FORMAT | CLI_TAKES_OUTPUT |
               CLI_TAKES_DECODER,
    .run = run,
};
