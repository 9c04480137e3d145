/* SPDX-License-Identifier: BSD-2-Clause */
/* Skipped cases of cmocka as TAP has them. cmocka 1.1.5 prints "not ok 3 # SKIP name", which is a
 * failure to every reader of TAP; here it becomes "ok 3 - name # SKIP reason". The reason is the line
 * "# skipped: REASON" that the case printed before it called skip().
 *
 * cmocka prints through print_message, which the test program defines in its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define LINE_BYTES 1024
#define REASON "# skipped: "

static char reason[LINE_BYTES];

/* Seen by the shared library. */
__attribute__((visibility("default"))) void print_message(const char *const format, ...)
{
    char line[LINE_BYTES];
    unsigned number;
    int at = 0;
    va_list list;

    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    if (strncmp(line, REASON, strlen(REASON)) == 0) {
        snprintf(reason, sizeof reason, "%s", line + strlen(REASON));
        reason[strcspn(reason, "\n")] = 0;
        return;
    }
    if (sscanf(line, "not ok %u # SKIP %n", &number, &at) == 1 && at > 0) {
        line[strcspn(line, "\n")] = 0;
        printf("ok %u - %s # SKIP %s\n", number, line + at, reason[0] ? reason : "no reason given");
        reason[0] = 0;
    } else {
        fputs(line, stdout);
    }
    fflush(stdout);
}
