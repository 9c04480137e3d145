/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of a machine, as both plugins that record one ask for it. */
#include <dlfcn.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "machine/qemu/plugin.h"

enum { QUIT = 2 }; /* QEMU's cause of a shutdown: asked for by whoever controls it */

void cairn_qemu_quit(void)
{
    void *const symbol = dlsym(RTLD_DEFAULT, "qemu_system_shutdown_request");
    void (*request)(int cause) = NULL;

    memcpy(&request, &symbol, sizeof symbol);
    if (request)
        request(QUIT);
    else
        kill(getpid(), SIGTERM);
}
