/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine/host/host.h"
#include "machine/qemu/described.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/access.h>

/* Of QEMU 7.2. */
enum {
    AA64 = 1,             /* a register's state */
    CONSTANT = 1 << 4,    /* types of registers: its value is that of a reset */
    OVERRIDES = 1 << 7,   /* another one may have been there */
    DEVICE = 1 << 9,      /* QEMU's lock is held */
    UNSAVED = 1 << 10,    /* no value that could be saved */
    RAISES = 1 << 11,     /* PC is exact */
    CLOCK_OF_MACHINE = 1, /* which runs while it does */
    NS_A_COUNT = 16,      /* of the system counter */
    PPI_TRBE = 31,        /* the interrupts' numbers, of the base system architecture */
    PPI_PMU = 23,
    INTERRUPTS_OF_CORE = 32,
    BEFORE_INDEXES = 32, /* bytes from the table of registers to the indexes of saved ones */
    OBJECTS = 256,
    FIELDS = 256,
};
#define KEY_AA64 (UINT32_C(1) << 28 | UINT32_C(0x13) << 16)

static struct {
    void *(*get_cpu)(int index);
    void (*define)(void *cpu, const struct cairn_host_register *reg, void *opaque);
    const struct cairn_host_register *(*find)(void *table, uint32_t key);
    void (*watch)(void *cpu, cairn_host_crossing *call, void *context);
    void *(*address_space)(void *cpu, int index);
    uint32_t (*access)(void *space, uint64_t address, struct cairn_qemu_attributes attributes,
                       void *bytes, uint64_t size, bool is_write);
    bool (*accepts)(void *space, uint64_t address, uint64_t size, bool is_write,
                    struct cairn_qemu_attributes attributes);
    void *(*resolve)(const char *path, bool *ambiguous);
    const char *(*type_name)(void *object);
    void *(*property)(void *object, const char *name, void *error);
    void *(*input)(void *device, int index);
    void (*set)(void *interrupt, int level);
    bool (*is_locked)(void);
    void (*lock)(const char *file, int line);
    void (*unlock)(void);
    void (*end)(void *cpu);
    int64_t (*clock)(int which);
    uint64_t (*number)(void *object, const char *name, void *error);
} qemu;
static const struct cairn_qemu_description *saved;

static bool look_up(const char *name, void *pointer)
{
    void *const found = dlsym(RTLD_DEFAULT, name);

    /* A pointer to data is no pointer to a function in C. */
    memcpy(pointer, &found, sizeof found);
    return found != NULL;
}

const char *cairn_host_find(void)
{
    const bool all =
        look_up("qemu_get_cpu", &qemu.get_cpu) &&
        look_up("define_one_arm_cp_reg_with_opaque", &qemu.define) &&
        look_up("get_arm_cp_reginfo", &qemu.find) &&
        look_up("arm_register_el_change_hook", &qemu.watch) &&
        look_up("cpu_get_address_space", &qemu.address_space) &&
        look_up("address_space_rw", &qemu.access) &&
        look_up("address_space_access_valid", &qemu.accepts) &&
        look_up("object_resolve_path", &qemu.resolve) &&
        look_up("object_get_typename", &qemu.type_name) &&
        look_up("object_property_get_uint", &qemu.number) &&
        look_up("qdev_get_gpio_in", &qemu.input) && look_up("qemu_set_irq", &qemu.set) &&
        look_up("qemu_mutex_iothread_locked", &qemu.is_locked) &&
        look_up("qemu_mutex_lock_iothread_impl", &qemu.lock) &&
        look_up("qemu_mutex_unlock_iothread", &qemu.unlock) && look_up("cpu_exec_end", &qemu.end) &&
        look_up("qemu_clock_get_ns", &qemu.clock) && look_up("vmstate_arm_cpu", &saved);

    return all ? NULL
               : "this QEMU does not export what a trace unit's registers are made with; Debian "
                 "12's qemu-system-aarch64 (7.2) does";
}

static size_t offset_of(const char *name)
{
    const struct cairn_qemu_field *field = saved->fields;

    for (unsigned i = 0; field && field->name && i < FIELDS; i++, field++)
        if (strcmp(field->name, name) == 0)
            return field->offset;
    return 0;
}

/* The interrupt controller has the shared interrupts first, then 32 of each core. */
static void *find_interrupt(unsigned core, unsigned number)
{
    for (unsigned i = 0; i < OBJECTS; i++) {
        char path[64];
        bool ambiguous = false;
        const char *type;
        void *object;

        snprintf(path, sizeof path, "/machine/unattached/device[%u]", i);
        object = qemu.resolve(path, &ambiguous);
        type = object ? qemu.type_name(object) : NULL;
        if (!type || !strstr(type, "arm-gicv3") || strstr(type, "its"))
            continue;
        const uint64_t interrupts = qemu.number(object, "num-irq", NULL);
        return qemu.input(
            object, (int)(interrupts - INTERRUPTS_OF_CORE + core * INTERRUPTS_OF_CORE + number));
    }
    return NULL;
}

bool cairn_host_core(unsigned index, struct cairn_host_core *core, const char **why)
{
    static const uint32_t known = CAIRN_SYSREG(3, 0, 4, 2, 2); /* CurrentEL, that all have */
    const size_t state = offset_of("env.regs"), X = offset_of("env.xregs"),
                 PC = offset_of("env.pc"), indexes = offset_of("cpreg_vmstate_indexes");
    void *cpu = qemu.get_cpu((int)index);

    *why = NULL;
    if (!cpu)
        return false;
    memset(core, 0, sizeof *core);
    core->cpu = cpu;
    core->index = index;
    if (state == 0 || X <= state || PC <= X || indexes <= BEFORE_INDEXES) {
        *why = "this QEMU's cores are not as Debian 12's (7.2) are";
        return true;
    }
    core->state = (uint8_t *)cpu + state;
    core->X = (const uint64_t *)(const void *)((const uint8_t *)cpu + X);
    core->PC = (const uint64_t *)(const void *)((const uint8_t *)cpu + PC);
    core->PSTATE = (const uint32_t *)(const void *)((const uint8_t *)cpu + PC + 8);
    core->is_A64 = (const uint8_t *)cpu + PC + 12;
    memcpy(&core->registers, (const uint8_t *)cpu + indexes - BEFORE_INDEXES,
           sizeof core->registers);
    const struct cairn_host_register *reg =
        core->registers ? cairn_host_register(core, known) : NULL;
    /* Later ones have more fields in front of this one. */
    const struct cairn_host_register *MIDR =
        core->registers ? cairn_host_register(core, CAIRN_SYSREG(3, 0, 0, 0, 0)) : NULL;
    if (!reg || !reg->name || strcmp(reg->name, "CURRENTEL") != 0 || !MIDR ||
        MIDR->reset_value == 0 || MIDR->reset_value > UINT32_MAX)
        *why = "this QEMU's System registers are not as Debian 12's (7.2) are";
    if (!*why) {
        core->interrupts[CAIRN_HOST_TRBIRQ] = find_interrupt(index, PPI_TRBE);
        core->interrupts[CAIRN_HOST_PMUIRQ] = find_interrupt(index, PPI_PMU);
    }
    return true;
}

const struct cairn_host_register *cairn_host_register(const struct cairn_host_core *core,
                                                      uint32_t encoding)
{
    return qemu.find(core->registers, KEY_AA64 | encoding);
}

uint64_t cairn_host_value(const struct cairn_host_core *core, const struct cairn_host_register *reg)
{
    uint64_t value = 0;

    if (reg->type & CONSTANT)
        return reg->reset_value;
    if (reg->field)
        memcpy(&value, core->state + reg->field, sizeof value);
    else if (reg->read)
        value = reg->read(core->state, reg);
    return value;
}

void cairn_host_define(const struct cairn_host_core *core, struct cairn_host_register *reg,
                       uint32_t encoding, unsigned EL, bool reads, bool writes)
{
    /* QEMU has two bits for each level, of which the lower one is for writing. */
    const int levels = EL == 0 ? 0xff : EL == 1 ? 0xfc : EL == 2 ? 0xf0 : 0xc0;

    reg->op0 = (uint8_t)(encoding >> 14 & 3);
    reg->op1 = (uint8_t)(encoding >> 11 & 7);
    reg->CRn = (uint8_t)(encoding >> 7 & 15);
    reg->CRm = (uint8_t)(encoding >> 3 & 15);
    reg->op2 = (uint8_t)(encoding & 7);
    reg->state = AA64;
    reg->type = OVERRIDES | UNSAVED | DEVICE | RAISES;
    reg->access = levels & ((reads ? 0xaa : 0) | (writes ? 0x55 : 0));
    qemu.define(core->cpu, reg, reg->opaque);
}

static bool access_memory(const struct cairn_host_core *core, bool secure, uint64_t address,
                          void *bytes, size_t size, bool writes)
{
    const struct cairn_qemu_attributes attributes = {secure ? CAIRN_QEMU_SECURE_ACCESS : 0};
    void *space = qemu.address_space(core->cpu, secure ? 1 : 0);

    return space && qemu.access(space, address, attributes, bytes, size, writes) == 0;
}

bool cairn_host_load(const struct cairn_host_core *core, bool secure, uint64_t address, void *bytes,
                     size_t size)
{
    return access_memory(core, secure, address, bytes, size, false);
}

bool cairn_host_store(const struct cairn_host_core *core, bool secure, uint64_t address,
                      const void *bytes, size_t size)
{
    return access_memory(core, secure, address, (void *)(uintptr_t)bytes, size, true);
}

size_t cairn_host_writable(const struct cairn_host_core *core, bool secure, uint64_t address,
                           size_t size)
{
    const struct cairn_qemu_attributes attributes = {secure ? CAIRN_QEMU_SECURE_ACCESS : 0};
    void *space = qemu.address_space(core->cpu, secure ? 1 : 0);
    size_t most = size;

    while (most > 0 && !qemu.accepts(space, address, most, true, attributes))
        most--;
    return most;
}

void cairn_host_interrupt(const struct cairn_host_core *core, enum cairn_host_line line, bool level)
{
    const bool locked = qemu.is_locked();

    if (!core->interrupts[line])
        return;
    if (!locked)
        qemu.lock(__FILE__, __LINE__);
    qemu.set(core->interrupts[line], level);
    if (!locked)
        qemu.unlock();
}

bool cairn_host_leave(const struct cairn_host_core *core)
{
    const bool locked = qemu.is_locked();

    if (locked)
        qemu.unlock();
    qemu.end(core->cpu);
    return locked;
}

void cairn_host_left(bool locked)
{
    if (locked)
        qemu.lock(__FILE__, __LINE__);
}

uint64_t cairn_host_count(const struct cairn_host_core *core)
{
    (void)core;
    return (uint64_t)qemu.clock(CLOCK_OF_MACHINE) / NS_A_COUNT;
}

void cairn_host_watch_levels(const struct cairn_host_core *core, cairn_host_crossing *after,
                             void *context)
{
    qemu.watch(core->cpu, after, context);
}
