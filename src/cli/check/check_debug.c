/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether the debug information of programs is here, where it is apart from them. */
#include "cli/audit/audit.h"
#include "cli/audit/codes.h"
#include "cli/audit/findings.h"
#include "cli/session/units.h"
#include "image/names.h"

static void check_file(struct cli_findings *findings, struct cairn_file *file)
{
    struct cairn_missing_units missing;
    char sentence[CLI_UNITS_TEXT];
    struct cli_finding finding = {
        .code = CLI_DEBUG_MISSING,
        .severity = CAIRN_NOTE,
        .what = sentence,
        .advice = "put it back, or tell its folder by --debug-dir",
    };

    const char *const path = file->origin ? file->origin : file->path;

    cairn_file_find_units(file, &missing);
    if (missing.common) {
        cli_units_common_text(path, &missing, sentence);
        cli_findings_add(findings, &finding);
    }
    if (!missing.count)
        return;
    cli_units_text(path, &missing, sentence);
    finding.count = missing.count;
    cli_findings_add(findings, &finding);
}

void cli_check_debug(struct cli_findings *findings)
{
    const struct cairn_image *const image = cairn_capture_image(findings->audit->session->capture);
    struct cairn_file *file;

    for (size_t i = 0; (file = cairn_image_file(image, i)) != NULL; i++)
        check_file(findings, file);
}
