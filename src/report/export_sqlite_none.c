/* SPDX-License-Identifier: BSD-2-Clause */
/* A build without SQLite. */
#include "base/error.h"
#include "report/export.h"

cairn_status cairn_export_sqlite(const char *path, struct cairn_export_writer *writer,
                                 struct cairn_error *error)
{
    (void)writer;
    return cairn_fail(error, CAIRN_E_UNSUPPORTED,
                      "%s: Cairn was built without SQLite, and writes no databases. --format csv "
                      "writes the same rows; or build it again where libsqlite3-dev is installed",
                      path);
}
