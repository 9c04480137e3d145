/* SPDX-License-Identifier: BSD-2-Clause */
/* The end by a signal, of which QEMU tells no plugin: once it has found that a signal kills the
 * program it sends that signal to itself. Its call of kill is led past here, by the entry for that
 * function in the table through which the executable calls functions of libraries. */
#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "machine/qemu/plugin.h"

typedef int kill_function(pid_t process, int number);

/* Waits until no other thread executes translated code; from QEMU, NULL if it is not exported. */
static void (*start_exclusive)(void);

/* For these QEMU writes a core file first, and has stopped the other threads for it. */
static bool dumps_core(int number)
{
    switch (number) {
    case SIGABRT:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGQUIT:
    case SIGSEGV:
    case SIGTRAP: return true;
    default: return false;
    }
}

/* True if the other threads execute no translated code from here on. */
static bool stop_others(int number)
{
    if (dumps_core(number))
        return true;
    if (start_exclusive)
        start_exclusive();
    return start_exclusive != NULL;
}

static void end_recording(int number)
{
    struct cairn_qemu_thread *thread = cairn_qemu_self;
    int state = CAIRN_QEMU_RUNNING;

    atomic_store(&cairn_qemu.stopped, true);
    if (thread && atomic_compare_exchange_strong(&thread->state, &state, CAIRN_QEMU_BUSY)) {
        cairn_qemu_killed(thread, number);
        cairn_qemu_thread_end(thread);
    }
    if (cairn_qemu_take_all(thread && stop_others(number)))
        atomic_store(&cairn_qemu.control->finished, 1);
}

/* The program's own calls of kill do not come here: they are system calls. */
static int kill_in_passing(pid_t process, int number)
{
    if (process == getpid() && !cairn_qemu.abandoned)
        end_recording(number);
    return kill(process, number);
}

/* --- the table --- */

/* The executable: where it is, and what its dynamic section says. */
struct tables {
    uintptr_t base;
    uintptr_t fixed; /* read-only since all was bound: PT_GNU_RELRO */
    size_t fixed_size;
    const ElfW(Sym) * symbols;
    const char *names;
    const ElfW(Rela) * calls;
    size_t call_bytes;
    const ElfW(Rela) * data;
    size_t data_bytes;
    bool with_addends;
};

static void read_dynamic(struct tables *tables, const ElfW(Dyn) * entry)
{
    for (; entry->d_tag != DT_NULL; entry++) {
        /* Some loaders write the address it is loaded at into the section, some do not. */
        const uintptr_t value = entry->d_un.d_ptr;
        const void *pointer = (const void *)(value < tables->base ? tables->base + value : value);
        switch (entry->d_tag) {
        case DT_SYMTAB: tables->symbols = pointer; break;
        case DT_STRTAB: tables->names = pointer; break;
        case DT_JMPREL: tables->calls = pointer; break;
        case DT_PLTRELSZ: tables->call_bytes = entry->d_un.d_val; break;
        case DT_RELA: tables->data = pointer; break;
        case DT_RELASZ: tables->data_bytes = entry->d_un.d_val; break;
        case DT_PLTREL: tables->with_addends = entry->d_un.d_val == DT_RELA; break;
        default: break;
        }
    }
}

static bool set_slot(const struct tables *tables, uintptr_t slot, void *value)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *start = (void *)(slot & ~(page - 1));
    const bool fixed = slot - tables->fixed < tables->fixed_size;

    if (fixed && mprotect(start, page, PROT_READ | PROT_WRITE) != 0)
        return false;
    *(void **)slot = value;
    if (fixed)
        (void)mprotect(start, page, PROT_READ);
    return true;
}

static bool redirect(const struct tables *tables, const ElfW(Rela) * entries, size_t bytes,
                     void *value)
{
    for (size_t i = 0; i < bytes / sizeof *entries; i++) {
        const size_t symbol =
            (size_t)(__ELF_NATIVE_CLASS == 64 ? entries[i].r_info >> 32 : entries[i].r_info >> 8);
        if (symbol != 0 && strcmp(tables->names + tables->symbols[symbol].st_name, "kill") == 0)
            return set_slot(tables, tables->base + entries[i].r_offset, value);
    }
    return false;
}

/* The executable is the first that is shown; the others are left alone. */
static int visit(struct dl_phdr_info *info, size_t size, void *value)
{
    struct tables tables = {.base = info->dlpi_addr};

    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type == PT_DYNAMIC)
            read_dynamic(&tables, (const ElfW(Dyn) *)(tables.base + header->p_vaddr));
        if (header->p_type == PT_GNU_RELRO) {
            tables.fixed = tables.base + header->p_vaddr;
            tables.fixed_size = header->p_memsz;
        }
    }
    if (!tables.symbols || !tables.names || !tables.with_addends)
        return -1;
    if (tables.calls && redirect(&tables, tables.calls, tables.call_bytes, value))
        return 1;
    return tables.data && redirect(&tables, tables.data, tables.data_bytes, value) ? 1 : -1;
}

bool cairn_qemu_watch_death(void)
{
    kill_function *function = kill_in_passing;
    void *exclusive = dlsym(RTLD_DEFAULT, "start_exclusive");
    void *value = NULL;

    /* Through memcpy: a pointer to data is no pointer to a function in C. */
    memcpy(&start_exclusive, &exclusive, sizeof exclusive);
    memcpy(&value, &function, sizeof function);
    return dl_iterate_phdr(visit, value) > 0;
}
