/* SPDX-License-Identifier: BSD-2-Clause */
/* The plugin interface of this version of QEMU shows no registers, and its debugger interface not
 * both stack pointers. But QEMU saves and restores machines, and describes for that where in a core
 * each member is, by name: the description tells whether it is what is expected here. */
#include <dlfcn.h>
#include <string.h>

#include "machine/qemu/core.h"
#include "machine/qemu/described.h"

enum {
    FIELDS_MAX = 256,
    SUBSECTIONS_MAX = 64,
};

#define SECURE_SPACE 1 /* the second of a core's address spaces */

struct cairn_qemu_core cairn_qemu_core;
static void *cpu;
static void *(*address_space)(void *cpu, int index);
static uint32_t (*access_space)(void *space, uint64_t address,
                                struct cairn_qemu_attributes attributes, void *bytes, uint64_t size,
                                bool is_write);
static int (*read_write)(void *cpu, uint64_t address, void *bytes, size_t size, bool is_write);

static const uint32_t *find_field(const struct cairn_qemu_description *description,
                                  const char *name)
{
    const struct cairn_qemu_field *field = description->fields;

    for (unsigned i = 0; field && field->name && i < FIELDS_MAX; i++, field++)
        if (strcmp(field->name, name) == 0)
            return (const uint32_t *)(const void *)((const char *)cpu + field->offset);
    return NULL;
}

static const struct cairn_qemu_description *
find_subsection(const struct cairn_qemu_description *description, const char *name)
{
    const struct cairn_qemu_description *const *at = description->subsections;

    for (unsigned i = 0; at && *at && i < SUBSECTIONS_MAX; i++, at++)
        if (strcmp((*at)->name, name) == 0)
            return *at;
    return NULL;
}

static bool find_all(const struct cairn_qemu_description *all)
{
    struct cairn_qemu_core *core = &cairn_qemu_core;

    if (strcmp(all->name, "cpu") != 0)
        return false;
    const struct cairn_qemu_description *m = find_subsection(all, "cpu/m");
    const struct cairn_qemu_description *other_sp = m ? find_subsection(m, "cpu/m/other-sp") : NULL;
    const struct cairn_qemu_description *security = find_subsection(all, "cpu/m-security");
    if (!other_sp || !security || !m->needed || !m->needed(cpu)) /* which other profiles do not */
        return false;
    core->registers = find_field(all, "env.regs");
    core->exception = find_field(m, "env.v7m.exception");
    core->other_sp = find_field(other_sp, "env.v7m.other_sp");
    core->control[0] = find_field(m, "env.v7m.control[M_REG_NS]");
    core->vectors[0] = find_field(m, "env.v7m.vecbase[M_REG_NS]");
    core->has_security = security->needed && security->needed(cpu);
    core->secure = find_field(security, "env.v7m.secure");
    core->other_main = find_field(security, "env.v7m.other_ss_msp");
    core->other_process = find_field(security, "env.v7m.other_ss_psp");
    core->control[1] = find_field(security, "env.v7m.control[M_REG_S]");
    core->vectors[1] = find_field(security, "env.v7m.vecbase[M_REG_S]");
    return core->registers && core->exception && core->other_sp && core->secure &&
           core->other_main && core->other_process && core->control[0] && core->control[1] &&
           core->vectors[0] && core->vectors[1];
}

bool cairn_qemu_core_find(void)
{
    const struct cairn_qemu_description *all = dlsym(RTLD_DEFAULT, "vmstate_arm_cpu");
    void *const getter = dlsym(RTLD_DEFAULT, "qemu_get_cpu");
    void *const reader = dlsym(RTLD_DEFAULT, "cpu_memory_rw_debug");
    void *const space = dlsym(RTLD_DEFAULT, "cpu_get_address_space");
    void *const accessor = dlsym(RTLD_DEFAULT, "address_space_rw");
    void *(*get_cpu)(int index) = NULL;

    /* Through memcpy: a pointer to data is no pointer to a function in C. */
    memcpy(&get_cpu, &getter, sizeof getter);
    memcpy(&read_write, &reader, sizeof reader);
    memcpy(&address_space, &space, sizeof space);
    memcpy(&access_space, &accessor, sizeof accessor);
    if (!all || !get_cpu || !read_write)
        return false;
    cpu = get_cpu(0);
    return cpu && find_all(all);
}

bool cairn_qemu_core_is_here(void)
{
    /* A variable of the thread: the symbol's address is this thread's. */
    void *const *current = dlsym(RTLD_DEFAULT, "current_cpu");
    void *const getter = dlsym(RTLD_DEFAULT, "qemu_get_cpu");
    void *(*get_cpu)(int index) = NULL;

    memcpy(&get_cpu, &getter, sizeof getter);
    return !current || !get_cpu || *current == get_cpu(0);
}

/* What Secure code was interrupted at, Non-secure state does not see. */
static bool read_secure(uint32_t address, void *bytes, uint32_t size)
{
    const struct cairn_qemu_core *core = &cairn_qemu_core;
    const struct cairn_qemu_attributes attributes = {CAIRN_QEMU_SECURE_ACCESS};

    if (!core->has_security || *core->secure || !address_space || !access_space)
        return false;
    return access_space(address_space(cpu, SECURE_SPACE), address, attributes, bytes, size,
                        false) == 0;
}

bool cairn_qemu_core_read(uint32_t address, void *bytes, uint32_t size)
{
    return read_write(cpu, address, bytes, size, false) == 0 || read_secure(address, bytes, size);
}
