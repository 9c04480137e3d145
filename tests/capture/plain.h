/* SPDX-License-Identifier: BSD-2-Clause */
/* The smallest whole snapshot: one core, one trace unit, one buffer of two frames. Tests replace
 * one file of it. */
#ifndef CAIRN_TESTS_PLAIN_H
#define CAIRN_TESTS_PLAIN_H

#include "folder.h"

#define SNAPSHOT                                                                                   \
    "[snapshot]\nversion=1.0\n\n[device_list]\ndevice0=cpu_0.ini\ndevice1=etm_0.ini\n"             \
    "[trace]\nmetadata=trace.ini\n"
#define CORE "[device]\nname=cpu_0\nclass=core\ntype=Cortex-A53\n[regs]\nPC(size:64)=0x10\n"
#define ETM                                                                                        \
    "[device]\nname=ETM_0\nclass=trace_source\ntype=ETM4.1\n[regs]\nTRCCONFIGR(0x004)="            \
    "0x000010C1\n"                                                                                 \
    "TRCTRACEIDR(id:0x10)=0x00000014\nTRCIDR0(id:0x78,size:32)=0x28000EA1\n"
#define TRACE(format)                                                                              \
    "[trace_buffers]\nbuffers=buffer0\n[buffer0]\nname=ETB_0\nfile=trace.bin\nformat=" format      \
    "\n[source_buffers]\nETM_0=ETB_0\n[core_trace_sources]\ncpu_0=ETM_0\n"

/* 14 bytes of ID 0x14, from 1 on, and 14 of ID 0x22, from 0x31 on. */
extern const uint8_t plain_frames[32];

void write_plain(const struct folder *folder);

#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)

#endif
