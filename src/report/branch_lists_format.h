/* SPDX-License-Identifier: BSD-2-Clause */
/* The numbers of branch list files: fields of simpleperf's branch_list.proto, and the head of files with several messages. */
#ifndef CAIRN_REPORT_BRANCH_LISTS_FORMAT_H
#define CAIRN_REPORT_BRANCH_LISTS_FORMAT_H

/* In every message of the old form, and in front of all of the new one. */
#define LISTED_MAGIC "simpleperf:EtmBranchList"
#define LISTED_MAGIC_SIZE 24u

/* Behind the magic: the version in four bytes, the lowest first, and whether messages are packed by zstd; in front of
 * each message its size in four bytes. */
#define LISTED_VERSION 1u
#define LISTED_HEAD_SIZE (LISTED_MAGIC_SIZE + 5u)
#define LISTED_SIZE_SIZE 4u

enum {
    LISTED_MESSAGE_MAGIC = 1,
    LISTED_MESSAGE_BINARY = 2,
    LISTED_MESSAGE_STACKS = 3,

    LISTED_BINARY_PATH = 1,
    LISTED_BINARY_BUILD_ID = 2,
    LISTED_BINARY_ADDRESS = 3,
    LISTED_BINARY_KIND = 4,
    LISTED_BINARY_KERNEL = 5,
    LISTED_BINARY_MODULE = 6,

    LISTED_ADDRESS_ADDRESS = 1,
    LISTED_ADDRESS_LIST = 2,

    LISTED_LIST_BRANCHES = 1,
    LISTED_LIST_SIZE = 2,
    LISTED_LIST_COUNT = 3,

    LISTED_KERNEL_START = 1,

    LISTED_MODULE_FIRST = 1,
    LISTED_MODULE_END = 2,
    LISTED_MODULE_SYMBOL = 3,
    LISTED_MODULE_SYMBOL_ADDRESS = 4,
    LISTED_MODULE_SYMBOL_SIZE = 5,

    LISTED_STACKS_SAMPLE = 1,
    LISTED_STACKS_BINARY = 2,

    LISTED_SAMPLE_BINARY = 1,
    LISTED_SAMPLE_ADDRESS = 2,
    LISTED_SAMPLE_BRANCH = 3,

    LISTED_BRANCH_FROM_BINARY = 1,
    LISTED_BRANCH_TO_BINARY = 2,
    LISTED_BRANCH_FROM = 3,
    LISTED_BRANCH_TO = 4,
};

#define LISTED_BUILD_ID_DIGITS                                                                     \
    40u /* shorter ones are padded with zeros, of longer ones these are there */

#endif
