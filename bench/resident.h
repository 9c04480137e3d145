/* SPDX-License-Identifier: BSD-2-Clause */
/* What an engine's memory comes to, as the system sees it. */
#ifndef CAIRN_BENCH_RESIDENT_H
#define CAIRN_BENCH_RESIDENT_H

#include "load.h"

/* Decodes the capture once with new engines, and prints a JSON object: bytes of trace, resident
 * bytes that the engines brought (their image's pages among them), and what they say of their
 * tables. */
void bench_resident(const struct bench_capture *loaded);

#endif
