/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

cairn_status cairn_fail(struct cairn_error *error, cairn_status status, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
        error->status = status;
    }
    return status;
}

const char *cairn_status_text(cairn_status status)
{
    switch (status) {
    case CAIRN_OK: return "success";
    case CAIRN_E_MEMORY: return "out of memory";
    case CAIRN_E_ARGUMENT: return "wrong use of the library";
    case CAIRN_E_IO: return "a file cannot be read";
    case CAIRN_E_FORMAT: return "a file is not of the expected format";
    case CAIRN_E_UNSUPPORTED: return "not supported";
    case CAIRN_E_NOT_FOUND: return "not found";
    case CAIRN_E_LIMIT: return "a limit was reached";
    case CAIRN_E_CONFIG: return "the trace unit's registers are inconsistent";
    }
    return "unknown status";
}

const char *cairn_version(void)
{
    return CAIRN_VERSION;
}
