/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CAIRN_BASE_ERROR_H
#define CAIRN_BASE_ERROR_H

#include <cairn/status.h>

/* Fills *error when it is not NULL, and returns `status`: `return cairn_fail(error, ...)`. */
cairn_status cairn_fail(struct cairn_error *error, cairn_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
