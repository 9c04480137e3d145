/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread that opens files for a process that is not ours to trust with them. Working folder,
 * root, descriptors and (as far as only raw system calls change them) the user belong to a thread
 * in Linux: what the traced program does to its own (chroot, setuid, closing all there is) does not
 * reach the keeper's. */
#ifndef CAIRN_MACHINE_KEEPER_H
#define CAIRN_MACHINE_KEEPER_H

struct cairn_keeper;

/* NULL where the system does not let a thread be apart (some containers), or memory is out. All
 * signals are blocked in it. */
struct cairn_keeper *cairn_keeper_new(void);
/* Ends the thread, with what it has open. Not for the child after a fork, where there is none. */
void cairn_keeper_free(struct cairn_keeper *keeper);

/* Runs `task` in the keeper's thread, and returns when it is done; one at a time. With NULL it runs
 * in the caller's. */
void cairn_keeper_run(struct cairn_keeper *keeper, void (*task)(void *context), void *context);

#endif
