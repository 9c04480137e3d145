/* SPDX-License-Identifier: BSD-2-Clause */
/* What was measured, for people and for programs. */
#ifndef BENCH_PRINT_H
#define BENCH_PRINT_H

#include "rounds.h"
#include "verify.h"

void bench_print_head(const struct bench_contest *contest, const struct bench_verdict *verdict);
void bench_print_table(const struct bench_contest *contest);
void bench_print_json(const struct bench_contest *contest, const struct bench_verdict *verdict);

#endif
