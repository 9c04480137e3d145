/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of many inputs try a tenth of them where an emulator runs them (TEST_SHARE, tests/meson.build): they are there
 * for the order of bytes and the size of addresses, which few inputs tell. */
#ifndef CAIRN_TESTS_SHARE_H
#define CAIRN_TESTS_SHARE_H

#ifndef TEST_SHARE
#define TEST_SHARE 1
#endif

/* The share of `count`, rounded up. */
#define TEST_PART(count) (((count) + TEST_SHARE - 1) / TEST_SHARE)

#endif
