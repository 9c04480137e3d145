/* SPDX-License-Identifier: BSD-2-Clause */
/* The trace unit model of ETMv4 and ETE as a table: one model, which its registers tell apart. */
#include "unit/etmv4/core.h"
#include "unit/etmv4/ways_in.h"

static const struct cairn_unit_ways_in port = {
    .mrs = cairn_etmv4_unit_mrs,
    .msr = cairn_etmv4_unit_msr,
    .load = cairn_etmv4_unit_load,
    .store = cairn_etmv4_unit_store,
    .register_info = cairn_etmv4_unit_register_info,
    .register_find = cairn_etmv4_unit_register_find,
    .deny_external = cairn_etmv4_unit_deny_external,
    .denied = cairn_etmv4_unit_denied,
    .session = cairn_etmv4_unit_session,
    .access_options = cairn_etmv4_unit_access_options,
    .os_lock = cairn_etmv4_unit_os_lock,
    .reset = cairn_etmv4_unit_reset,
    .power = cairn_etmv4_unit_power,
    .tsb = cairn_etmv4_unit_tsb,
};

#define OPERATIONS                                                                                 \
    .create = cairn_etmv4_unit_new, .free = cairn_etmv4_unit_free,                                 \
    .status = cairn_etmv4_unit_status, .counters = cairn_etmv4_unit_counters,                      \
    .read = cairn_etmv4_unit_read, .write = cairn_etmv4_unit_write,                                \
    .register_at = cairn_etmv4_unit_register, .config = cairn_etmv4_unit_config,                   \
    .enable = cairn_etmv4_unit_enable, .disable = cairn_etmv4_unit_disable,                        \
    .context = cairn_etmv4_unit_context, .execute = cairn_etmv4_unit_execute,                      \
    .exception = cairn_etmv4_unit_exception, .prohibit = cairn_etmv4_unit_prohibit,                \
    .flush = cairn_etmv4_unit_flush, .position = cairn_etmv4_unit_position,                        \
    .synchronize_context = cairn_etmv4_unit_synchronize_context,                                   \
    .debug_state = cairn_etmv4_unit_debug_state, .low_power = cairn_etmv4_unit_low_power,          \
    .cycles = cairn_etmv4_unit_cycles, .time = cairn_etmv4_unit_time,                              \
    .clock_stopped = cairn_etmv4_unit_clock_stopped, .inputs = cairn_etmv4_unit_inputs,            \
    .pmu_event = cairn_etmv4_unit_pmu_event, .event = cairn_etmv4_unit_event,                      \
    .needs = cairn_etmv4_unit_needs, .speculate = cairn_etmv4_unit_speculate,                      \
    .mark = cairn_etmv4_unit_mark, .resolve = cairn_etmv4_unit_resolve,                            \
    .cancel = cairn_etmv4_unit_cancel, .mispredict = cairn_etmv4_unit_mispredict,                  \
    .transaction_start = cairn_etmv4_unit_transaction_start,                                       \
    .transaction_commit = cairn_etmv4_unit_transaction_commit,                                     \
    .transaction_fail = cairn_etmv4_unit_transaction_fail,                                         \
    .request_sync = cairn_etmv4_unit_request_sync, .offer = cairn_etmv4_unit_offer,                \
    .pending = cairn_etmv4_unit_pending, .stalls = cairn_etmv4_unit_stalls,                        \
    .authenticate = cairn_etmv4_unit_authenticate, .port = &port

const struct cairn_unit_model cairn_ete_unit_model = {
    .protocol = CAIRN_PROTOCOL_ETE,
    OPERATIONS,
};

const struct cairn_unit_model cairn_etmv4_unit_model = {
    .protocol = CAIRN_PROTOCOL_ETMV4,
    OPERATIONS,
};
