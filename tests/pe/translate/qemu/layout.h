/* SPDX-License-Identifier: BSD-2-Clause */
/* Where things are in the memory that the machine and the test share; the assembler reads it too. */
#ifndef QEMU_LAYOUT_H
#define QEMU_LAYOUT_H

#define RAM 0x40000000
#define RAM_BYTES 0x10000000
#define CODE 0x40400000
#define HEADER 0x41000000 /* count, ID_AA64MMFR0 to 2 */
#define CASES 0x41001000
#define TABLES 0x48000000 /* zero but for the descriptors of the case that runs */
#define TABLES_BYTES 0x04000000

/* A case: doublewords at these places, then pairs {address, descriptor}. */
#define CASE_OPERATION 0
#define CASE_ADDRESS 1
#define CASE_PAN 2
#define CASE_REGISTERS 3
#define CASE_SCR_EL3 18 /* the last of the registers */
#define CASE_PAR 19     /* written by the machine */
#define CASE_ESR 20     /* written by the machine: 0, or that of the exception that AT became */
#define CASE_DESCRIPTORS 21
#define CASE_WORDS 22

#endif
