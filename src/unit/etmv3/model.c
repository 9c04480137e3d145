/* SPDX-License-Identifier: BSD-2-Clause */
/* The trace unit model of ETMv3 as a table. There is no speculation, and there are no
 * transactions. */
#include "unit/etmv3/core.h"

const struct cairn_unit_model cairn_etmv3_unit_model = {
    .protocol = CAIRN_PROTOCOL_ETMV3,
    .create = cairn_etmv3_unit_new,
    .free = cairn_etmv3_unit_free,
    .status = cairn_etmv3_unit_status,
    .counters = cairn_etmv3_unit_counters,
    .read = cairn_etmv3_unit_read,
    .write = cairn_etmv3_unit_write,
    .register_at = cairn_etmv3_unit_register,
    .config = cairn_etmv3_unit_config,
    .enable = cairn_etmv3_unit_enable,
    .disable = cairn_etmv3_unit_disable,
    .context = cairn_etmv3_unit_context,
    .execute = cairn_etmv3_unit_execute,
    .exception = cairn_etmv3_unit_exception,
    .prohibit = cairn_etmv3_unit_prohibit,
    .flush = cairn_etmv3_unit_flush,
    .position = cairn_etmv3_unit_position,
    .data = cairn_etmv3_unit_data,
    .data_pending = cairn_etmv3_unit_data_pending,
    .debug_state = cairn_etmv3_unit_debug_state,
    .low_power = cairn_etmv3_unit_low_power,
    .cycles = cairn_etmv3_unit_cycles,
    .time = cairn_etmv3_unit_time,
    .clock_stopped = cairn_etmv3_unit_clock_stopped,
    .inputs = cairn_etmv3_unit_inputs,
    .authenticate = cairn_etmv3_unit_authenticate,
    .request_sync = cairn_etmv3_unit_request_sync,
    .offer = cairn_etmv3_unit_offer,
    .pending = cairn_etmv3_unit_pending,
};
