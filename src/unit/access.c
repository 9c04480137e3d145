/* SPDX-License-Identifier: BSD-2-Clause */
/* The public functions of <cairn/access.h>: each is the model's. */
#include "base/error.h"
#include "unit/model.h"

static enum cairn_answer no_port(const struct cairn_unit *unit, struct cairn_error *why)
{
    cairn_fail(why, CAIRN_E_UNSUPPORTED,
               "how registers of an %s trace unit are reached is not modelled: of ETMv4 and ETE it "
               "is",
               cairn_protocol_name(unit->model->protocol));
    return CAIRN_ANSWER_ERROR;
}

enum cairn_answer cairn_unit_mrs(struct cairn_unit *unit, uint32_t sysreg, unsigned EL,
                                 uint64_t *value, struct cairn_error *why)
{
    const struct cairn_unit_ways_in *port = unit->model->port;

    return port ? port->mrs(unit, sysreg, EL, value, why) : no_port(unit, why);
}

enum cairn_answer cairn_unit_msr(struct cairn_unit *unit, uint32_t sysreg, unsigned EL,
                                 uint64_t value, struct cairn_error *why)
{
    const struct cairn_unit_ways_in *port = unit->model->port;

    return port ? port->msr(unit, sysreg, EL, value, why) : no_port(unit, why);
}

enum cairn_answer cairn_unit_load(struct cairn_unit *unit, uint32_t offset, uint32_t bytes,
                                  uint32_t flags, uint64_t *value, struct cairn_error *why)
{
    const struct cairn_unit_ways_in *port = unit->model->port;

    return port ? port->load(unit, offset, bytes, flags, value, why) : no_port(unit, why);
}

enum cairn_answer cairn_unit_store(struct cairn_unit *unit, uint32_t offset, uint32_t bytes,
                                   uint32_t flags, uint64_t value, struct cairn_error *why)
{
    const struct cairn_unit_ways_in *port = unit->model->port;

    return port ? port->store(unit, offset, bytes, flags, value, why) : no_port(unit, why);
}

cairn_status cairn_unit_register_info(const struct cairn_unit *unit, size_t index,
                                      struct cairn_unit_register_info *info)
{
    const struct cairn_unit_ways_in *port = unit->model->port;

    return port ? port->register_info(unit, index, info) : CAIRN_E_NOT_FOUND;
}

cairn_status cairn_unit_register_find(const struct cairn_unit *unit, const char *name,
                                      struct cairn_unit_register_info *info)
{
    const struct cairn_unit_ways_in *port = unit->model->port;

    return port ? port->register_find(unit, name, info) : CAIRN_E_NOT_FOUND;
}

void cairn_unit_deny_external(struct cairn_unit *unit, bool ETAD)
{
    if (unit->model->port)
        unit->model->port->deny_external(unit, ETAD);
}

bool cairn_unit_denied(struct cairn_unit *unit)
{
    return unit->model->port && unit->model->port->denied(unit);
}

enum cairn_session cairn_unit_session(const struct cairn_unit *unit)
{
    return unit->model->port ? unit->model->port->session(unit) : CAIRN_SESSION_IDLE;
}

cairn_status cairn_unit_access_options(struct cairn_unit *unit,
                                       const struct cairn_access_options *options)
{
    const struct cairn_unit_ways_in *port = unit->model->port;

    return port ? port->access_options(unit, options) : CAIRN_E_UNSUPPORTED;
}

void cairn_unit_os_lock(struct cairn_unit *unit, bool locked)
{
    if (unit->model->port)
        unit->model->port->os_lock(unit, locked);
}

void cairn_unit_reset(struct cairn_unit *unit, enum cairn_reset kind)
{
    if (unit->model->port)
        unit->model->port->reset(unit, kind);
}

void cairn_unit_power(struct cairn_unit *unit, enum cairn_power power)
{
    if (unit->model->port)
        unit->model->port->power(unit, power);
}

uint64_t cairn_unit_tsb(struct cairn_unit *unit)
{
    return unit->model->port ? unit->model->port->tsb(unit) : 0;
}
