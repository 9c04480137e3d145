/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers and memory of the traced program. The plugin interface of this version of QEMU has
 * neither; Debian's QEMU exports what it needs itself, and user mode has the program's memory in
 * its own. */
#include <dlfcn.h>
#include <fcntl.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "machine/qemu/plugin.h"

/* GLib's public structure: what QEMU's register reader appends to. */
struct bytes {
    uint8_t *data;
    unsigned length;
};

enum {
    AARCH32_CPSR = 25,      /* in QEMU's numbering of AArch32 registers for debuggers */
    PAGE_EXECUTES = 1 << 2, /* in QEMU's flags of a page: PAGE_EXEC */
};

typedef int register_reader(void *cpu, struct bytes *bytes, int number);
/* Addresses are as wide as the program's. */
typedef int page_reader_a64(uint64_t address);
typedef int page_reader_a32(uint32_t address);

static struct {
    bool is_a64;
    register_reader *read;
    page_reader_a64 *page_a64;
    page_reader_a32 *page_a32;
    struct bytes *(*bytes_new)(void);
    struct bytes *(*bytes_resize)(struct bytes *bytes, unsigned length);
    void *(*bytes_free)(struct bytes *bytes, int with_data);
    _Atomic uint64_t base;
    bool usable;
} guest;

/* The vCPU that the calling thread runs. */
static const char *cpu_variable(void)
{
    return cairn_qemu.is_machine ? "current_cpu" : "thread_cpu";
}

void cairn_qemu_guest_init(bool is_a64)
{
    /* Through memcpy: a pointer to data is no pointer to a function in C. */
    void *reader =
        dlsym(RTLD_DEFAULT, is_a64 ? "aarch64_cpu_gdb_read_register" : "arm_cpu_gdb_read_register");
    void *new = dlsym(RTLD_DEFAULT, "g_byte_array_new");
    void *resize = dlsym(RTLD_DEFAULT, "g_byte_array_set_size");
    void *release = dlsym(RTLD_DEFAULT, "g_byte_array_free");
    void *page = dlsym(RTLD_DEFAULT, "page_get_flags");

    guest.is_a64 = is_a64;
    memcpy(&guest.read, &reader, sizeof reader);
    memcpy(&guest.bytes_new, &new, sizeof new);
    memcpy(&guest.bytes_resize, &resize, sizeof resize);
    memcpy(&guest.bytes_free, &release, sizeof release);
    memcpy(&guest.page_a64, &page, sizeof page);
    memcpy(&guest.page_a32, &page, sizeof page);
    guest.usable = reader && new &&resize &&release &&dlsym(RTLD_DEFAULT, cpu_variable());
}

bool cairn_qemu_guest_has_registers(void)
{
    return guest.usable;
}

bool cairn_qemu_guest_register(unsigned number, uint64_t *value)
{
    static const unsigned widest = sizeof *value;
    bool fine = false;

    if (!guest.usable)
        return false;
    /* A variable of the thread: the symbol's address is this thread's. */
    void **cpu = dlsym(RTLD_DEFAULT, cpu_variable());
    if (!cpu || !*cpu)
        return false;
    struct bytes *bytes = guest.bytes_new();
    if (!bytes)
        return false;
    if (!guest.is_a64 && number == CAIRN_QEMU_CPSR)
        number = AARCH32_CPSR;
    guest.bytes_resize(bytes, 0);
    const int size = guest.read(*cpu, bytes, (int)number);
    if (size > 0 && (unsigned)size <= widest && bytes->length >= (unsigned)size) {
        *value = 0;
        memcpy(value, bytes->data, (size_t)size);
        fine = true;
    }
    guest.bytes_free(bytes, 1);
    return fine;
}

void cairn_qemu_guest_base(uint64_t base)
{
    atomic_store_explicit(&guest.base, base, memory_order_relaxed);
}

uint64_t cairn_qemu_guest_host(uint64_t address)
{
    return address + atomic_load_explicit(&guest.base, memory_order_relaxed);
}

/* Where containers forbid process_vm_readv. */
static bool read_from_file(uint64_t host, void *bytes, size_t size)
{
    const int file = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);

    if (file < 0)
        return false;
    const bool fine = pread(file, bytes, size, (off_t)host) == (ssize_t)size;
    close(file);
    return fine;
}

/* The program's pointers may be anything; the kernel reads them without a signal. */
bool cairn_qemu_guest_read(uint64_t address, void *bytes, size_t size)
{
    const uint64_t host = cairn_qemu_guest_host(address);
    const struct iovec local = {.iov_base = bytes, .iov_len = size};
    const struct iovec remote = {.iov_base = (void *)(uintptr_t)host, .iov_len = size};

    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size ||
           read_from_file(host, bytes, size);
}

/* QEMU's own mappings have no right of execution, whatever the program's have. */
static bool may_execute(uint64_t address)
{
    const int flags = !guest.page_a64 ? PAGE_EXECUTES
                      : guest.is_a64  ? guest.page_a64(address)
                                      : guest.page_a32((uint32_t)address);

    return (flags & PAGE_EXECUTES) != 0;
}

bool cairn_qemu_guest_executes(uint64_t address)
{
    uint16_t bytes; /* as many as the shortest instruction has */

    return may_execute(address) && cairn_qemu_guest_read(address, &bytes, sizeof bytes);
}
