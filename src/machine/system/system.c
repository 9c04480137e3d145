/* SPDX-License-Identifier: BSD-2-Clause */
/* Where QEMU loads the plugin, and the cores' units. */
#include "machine/system/system.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "machine/clocked.h"
#include "machine/qemu/arguments.h"
#include "protocol/about.h"

#define EXPORT __attribute__((visibility("default")))
enum {
    NAME_SIZE = 32,
};
#define TRCIDR2_VMIDOPT(value) ((value) >> 29 & 3)
#define TRCCONFIGR_VMIDOPT (UINT64_C(1) << 15)

EXPORT int qemu_plugin_version = 1;
struct cairn_system cairn_system;

void qemu_plugin_register_vcpu_idle_cb(qemu_id id, qemu_on_cpu *call);

void cairn_system_complain(const char *text)
{
    char line[CAIRN_ERROR_TEXT + 32];
    const int length = snprintf(line, sizeof line, "cairn: %s\n", text);

    /* Nobody is left to be told if even that fails. */
    if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0)
        return;
}

/* --- cores --- */

struct cairn_unit_options cairn_system_unit_options(void)
{
    const struct cairn_qemu_settings *settings = &cairn_system.settings;
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;

    options.protocol = settings->protocol;
    options.arch = cairn_system.arch;
    options.registers = settings->registers;
    options.register_count = settings->register_count;
    options.choices = settings->choices;
    options.return_stack_depth = settings->return_stack_depth;
    return options;
}

static const char *make_core(struct cairn_system_core *core)
{
    cairn_system_find_registers(core);
    if (!core->registers.ESR[1] || !core->registers.ELR[1] || !core->registers.CONTEXTIDR[1])
        return "this QEMU's System registers are not as Debian 12's (7.2) are";
    core->versions = calloc(CAIRN_VERSIONS_PAGES, sizeof *core->versions);
    if (!core->versions)
        return "out of memory for the machine's cores";
    cairn_host_watch_levels(&core->host, cairn_system_crossed, core);
    return NULL;
}

static const char *make_all(void)
{
    const char *why = NULL;
    struct cairn_host_core beyond;
    unsigned count = 0;

    if (cairn_host_core(CAIRN_SYSTEM_CORES, &beyond, &why))
        return "this machine has more than 512 cores";
    for (; !why && count < CAIRN_SYSTEM_CORES; count++) {
        struct cairn_system_core *core = &cairn_system.cores[count];

        if (!cairn_host_core(count, &core->host, &why))
            break;
        if (!why)
            why = make_core(core);
    }
    return why ? why : count == 0 ? "this machine has no cores" : NULL;
}

static void start(void)
{
    const char *why = make_all();

    if (!why)
        return;
    cairn_system_complain(why);
    atomic_store(&cairn_system.stopped, true);
    cairn_qemu_quit();
}

bool cairn_system_start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, start);
    return !atomic_load_explicit(&cairn_system.stopped, memory_order_relaxed);
}

struct cairn_system_core *cairn_system_here(void)
{
    /* A variable of the thread: the symbol's address is this thread's. */
    void *const *current = dlsym(RTLD_DEFAULT, "current_cpu");

    if (!current || !*current)
        return NULL;
    for (unsigned i = 0; i < CAIRN_SYSTEM_CORES && cairn_system.cores[i].host.cpu; i++)
        if (cairn_system.cores[i].host.cpu == *current)
            return &cairn_system.cores[i];
    return NULL;
}

static void enable(struct cairn_system_core *core)
{
    uint64_t identity = 0, configuration = 0;

    (void)!cairn_unit_read(core->unit, "TRCIDR2", &identity);
    (void)!cairn_unit_read(core->unit, "TRCCONFIGR", &configuration);
    core->vmid_is_context = TRCIDR2_VMIDOPT(identity) == 2 ||
                            (TRCIDR2_VMIDOPT(identity) == 1 && configuration & TRCCONFIGR_VMIDOPT);
    core->clocked = cairn_unit_is_clocked(core->unit);
    core->timed = (cairn_unit_needs(core->unit) & CAIRN_UNIT_NEEDS_TIME) != 0;
    cairn_unit_enable(core->unit);
    core->context = cairn_system_context(core);
    cairn_unit_context(core->unit, &core->context);
    core->left = cairn_system_until_look();
}

static cairn_status make_unit(struct cairn_system_core *core, struct cairn_error *error)
{
    struct cairn_unit_options options = cairn_system_unit_options();
    char name[NAME_SIZE];
    cairn_status status;

    snprintf(name, sizeof name, "cpu_%u", core->host.index);
    status = cairn_recorded_source_new(cairn_system.recording, name, &core->source, error);
    options.sink = cairn_recorded_source_sink;
    options.sink_context = core->source;
    if (status == CAIRN_OK)
        status = cairn_unit_new(&options, &core->unit, error);
    if (status == CAIRN_OK)
        status = cairn_filters_program(&cairn_system.settings.filters, cairn_system.scanner, NULL,
                                       core->unit, error);
    if (status == CAIRN_OK)
        status = cairn_recorded_source_describe(core->source, core->unit);
    return status;
}

bool cairn_system_begin(struct cairn_system_core *core)
{
    if (atomic_load_explicit(&cairn_system.stopped, memory_order_relaxed))
        return false;
    struct cairn_error error = {0};
    core->thread = pthread_self();
    if (make_unit(core, &error) != CAIRN_OK) {
        cairn_system_complain(error.text[0] ? error.text : "a core's trace unit cannot be made");
        atomic_fetch_add_explicit(&cairn_system.control->not_made, 1, memory_order_relaxed);
        atomic_store(&core->state, CAIRN_SYSTEM_ENDED);
        return false;
    }
    enable(core);
    atomic_store(&core->state, CAIRN_SYSTEM_RUNNING);
    return true;
}

/* --- loading --- */

static cairn_status examine(const struct qemu_info *info, struct cairn_error *error)
{
    const char *core =
        cairn_system.settings.core ? cairn_system.settings.core : CAIRN_QEMU_CORE_AARCH64;
    const char *why;

    if (!info->system || strcmp(info->target, "aarch64") != 0)
        return cairn_fail(
            error, CAIRN_E_UNSUPPORTED, "this emulator is for %s%s; use qemu-system-aarch64",
            info->system ? "whole machines of target " : "programs of target ", info->target);
    why = cairn_host_find();
    if (why)
        return cairn_fail(error, CAIRN_E_UNSUPPORTED, "%s", why);
    if (cairn_arch_from_name(core, &cairn_system.arch) != CAIRN_OK)
        return cairn_fail(error, CAIRN_E_NOT_FOUND, "%s=%s: no such core", CAIRN_QEMU_CORE, core);
    if (!(cairn_about(cairn_system.settings.protocol)->record & CAIRN_RECORD_A64))
        return cairn_fail(error, CAIRN_E_UNSUPPORTED, "%s=%s: it traces no A64",
                          CAIRN_QEMU_PROTOCOL, cairn_protocol_name(cairn_system.settings.protocol));
    return CAIRN_OK;
}

static cairn_status make_recording(struct cairn_error *error)
{
    const struct cairn_qemu_settings *settings = &cairn_system.settings;
    const struct cairn_unit_options unit = cairn_system_unit_options();
    struct cairn_recording_options options = {.size = sizeof options};
    cairn_status status = cairn_unit_new(&unit, &cairn_system.scanner, error);

    if (status != CAIRN_OK)
        return status;
    options.protocol = settings->protocol;
    options.core = settings->core ? settings->core : CAIRN_QEMU_CORE_AARCH64;
    options.note = settings->note;
    options.overwrite = settings->overwrite;
    status = cairn_recording_new(settings->folder, &options, &cairn_system.recording, error);
    if (status != CAIRN_OK)
        return status;
    cairn_system.control = cairn_recording_control(cairn_system.recording);
    atomic_store(&cairn_system.control->whole, 1);
    cairn_system.versions = cairn_versions_new(cairn_system.recording);
    if (!cairn_system.versions)
        return cairn_fail(error, CAIRN_E_MEMORY, "out of memory for the recording");
    /* Without it the recording has all but what it would have said of the program. */
    if (settings->told)
        (void)!cairn_recording_program(cairn_system.recording, settings->told);
    return CAIRN_OK;
}

EXPORT int qemu_plugin_install(qemu_id id, const struct qemu_info *info, int argc, char **argv)
{
    struct cairn_error error = {0};
    cairn_status status = cairn_qemu_settings_take(&cairn_system.settings, argc, argv, &error);

    if (status == CAIRN_OK)
        status = examine(info, &error);
    if (status == CAIRN_OK)
        status = make_recording(&error);
    if (status != CAIRN_OK) {
        cairn_system_complain(error.text);
        cairn_unit_free(cairn_system.scanner);
        cairn_recording_free(cairn_system.recording);
        cairn_qemu_settings_free(&cairn_system.settings);
        return 1;
    }
    cairn_system.id = id;
    for (unsigned i = 0; i < CAIRN_SYSTEM_CORES; i++)
        cairn_system.cores[i].code = &cairn_system_nothing;
    qemu_plugin_register_vcpu_tb_trans_cb(id, cairn_system_translated);
    qemu_plugin_register_flush_cb(id, cairn_system_flushed);
    qemu_plugin_register_vcpu_idle_cb(id, cairn_system_on_wait);
    qemu_plugin_register_atexit_cb(id, cairn_system_on_exit, NULL);
    return 0;
}
