/* SPDX-License-Identifier: BSD-2-Clause */
/* What is passed to the QEMU plugin: the names that the side that starts QEMU and the plugin share.
 *
 *     qemu-aarch64 -plugin .../cairn-qemu.so,folder=FOLDER,options=FILE PROGRAM ...
 *
 * The same of a machine: qemu-system-arm, with one core of M profile.
 *
 * FOLDER: where the recording goes (machine/recording.h). FILE: a text file, read once when the
 * plugin is loaded, so that a path below /proc/self/fd works. Both are written with %XX for a byte
 * that QEMU would take apart: the comma, '=' and '%' itself.
 *
 * A line of FILE is KEY=VALUE, "register NAME=VALUE", "filter ...", "name ..." or "told LINE"; empty lines and lines that begin with '#'
 * are skipped. Numbers are decimal or 0x. A key may stand on the command line as well, as
 * KEY=VALUE; FILE is read where `options` stands, and what comes later wins. Anything unknown stops
 * QEMU with a message and status 1. */
#ifndef CAIRN_MACHINE_QEMU_ARGUMENTS_H
#define CAIRN_MACHINE_QEMU_ARGUMENTS_H

#define CAIRN_QEMU_FOLDER "folder" /* required */
#define CAIRN_QEMU_OPTIONS "options"

#define CAIRN_QEMU_PROTOCOL "protocol" /* "ete" (default), "etmv4", "etmv3", "ptm", "mtb" */
#define CAIRN_QEMU_REGISTER "register" /* "register TRCCCCTLR=0x100": over the unit's defaults */
#define CAIRN_QEMU_TOLD "told"         /* "told path=/...": cairn_recorded_program_lines */
#define CAIRN_QEMU_CHOICES "choices"   /* CAIRN_UNIT_...; default CAIRN_UNIT_OPTIONS_INIT's */
#define CAIRN_QEMU_RETURN_STACK "return_stack_depth" /* 0 to 15 (default) */
#define CAIRN_QEMU_CONTEXT "context"     /* "tid": context id = thread id; "none" (default): 0 */
#define CAIRN_QEMU_CORE "core"           /* as cairn_arch_from_name reads it; default by target */
#define CAIRN_QEMU_NOTE "note"           /* free text for the snapshot's description */
#define CAIRN_QEMU_OVERWRITE "overwrite" /* 1: replace a folder with an earlier recording */
/* of a machine: it ends after that many instructions; 0: never */
#define CAIRN_QEMU_LIMIT "limit"

#define CAIRN_QEMU_EXPLAIN                                                                         \
    "explain" /* 1: what each unit makes of what it is told is left beside its trace */
#define CAIRN_QEMU_FIFO "fifo"   /* struct cairn_unit_options.fifo_bytes */
#define CAIRN_QEMU_DRAIN "drain" /* and fifo_drain */

/* What stands around each unit, in the words of cairn_around_read_buffer and cairn_around_read_events. */
#define CAIRN_QEMU_BUFFER "trbe"
#define CAIRN_QEMU_EVENTS "pmu"

/* What is traced (machine/filters.h): "filter include 0x1000 0x1fff", with both addresses of a start
 * or stop point the same; and by a name that is looked up when its file is mapped, at most 64 of them:
 * "name start own main" is the program's (`program`), "name exclude any libc.so.6:memcpy" that of
 * every file that has it (cairn_image_find). The registers are without them. */
#define CAIRN_QEMU_FILTER "filter"
#define CAIRN_QEMU_NAME "name"
#define CAIRN_QEMU_OWN "own"
#define CAIRN_QEMU_ANY "any"
#define CAIRN_QEMU_NAMES_MOST 64
#define CAIRN_QEMU_PROGRAM                                                                         \
    "program" /* path of the program's file, as the system has it; %XX is a byte */

/* Defaults of `core`: what the target of the emulator can at most be. */
#define CAIRN_QEMU_CORE_AARCH64 "ARMv9-A"
#define CAIRN_QEMU_CORE_ARM "ARMv8-A"
#define CAIRN_QEMU_CORE_MACHINE "ARMv7-M"

#endif
