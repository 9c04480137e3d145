/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CAIRN_STATUS_H
#define CAIRN_STATUS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CAIRN_API __attribute__((visibility("default")))
#define CAIRN_MUST_CHECK __attribute__((warn_unused_result))
#else
#define CAIRN_API
#define CAIRN_MUST_CHECK
#endif

/* What a call that can fail returns: zero, or a negative code.
 * The list is open: a caller needs a default case. */
typedef enum cairn_status {
    CAIRN_OK = 0,
    CAIRN_E_MEMORY = -1,      /* an allocation failed */
    CAIRN_E_ARGUMENT = -2,    /* the caller broke the contract of the call */
    CAIRN_E_IO = -3,          /* the operating system refused to open or read a file */
    CAIRN_E_FORMAT = -4,      /* a file is not what it should be */
    CAIRN_E_UNSUPPORTED = -5, /* well formed, but nothing here handles it */
    CAIRN_E_NOT_FOUND = -6,   /* a file, source, register or symbol of that name does not exist */
    CAIRN_E_LIMIT = -7,       /* a bound that does not come from the input was reached */
    CAIRN_E_CONFIG = -8,      /* the register values of a source cannot be, or one is missing */
} cairn_status;

/* The status in a few words, for a caller that has no cairn_error. Never NULL. */
CAIRN_API const char *cairn_status_text(cairn_status status);

#define CAIRN_ERROR_TEXT 512

/* What went wrong, where, and what to do next, as one sentence for a person.
 * Every call that takes one accepts NULL; none touches it on success. */
struct cairn_error {
    cairn_status status;
    char text[CAIRN_ERROR_TEXT];
};

/* The version of these headers. Before 1.0 a new MINOR may break what was compiled against the one
 * before it; docs/api.md says what holds within one. */
#define CAIRN_VERSION_MAJOR 0
#define CAIRN_VERSION_MINOR 1
#define CAIRN_VERSION_PATCH 0

/* The version of the library that runs, "MAJOR.MINOR.PATCH": it may be newer than the headers. */
CAIRN_API const char *cairn_version(void);

#ifdef __cplusplus
}
#endif
#endif
