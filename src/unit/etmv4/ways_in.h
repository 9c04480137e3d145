/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of <cairn/access.h> as a unit of ETMv4 or ETE has them, for model.c. */
#ifndef CAIRN_UNIT_ETMV4_WAYS_IN_H
#define CAIRN_UNIT_ETMV4_WAYS_IN_H

#include <cairn/access.h>

enum cairn_answer cairn_etmv4_unit_mrs(struct cairn_unit *base, uint32_t sysreg, unsigned EL,
                                       uint64_t *value, struct cairn_error *why);
enum cairn_answer cairn_etmv4_unit_msr(struct cairn_unit *base, uint32_t sysreg, unsigned EL,
                                       uint64_t value, struct cairn_error *why);
enum cairn_answer cairn_etmv4_unit_load(struct cairn_unit *base, uint32_t offset, uint32_t bytes,
                                        uint32_t flags, uint64_t *value, struct cairn_error *why);
enum cairn_answer cairn_etmv4_unit_store(struct cairn_unit *base, uint32_t offset, uint32_t bytes,
                                         uint32_t flags, uint64_t value, struct cairn_error *why);
cairn_status cairn_etmv4_unit_register_info(const struct cairn_unit *base, size_t index,
                                            struct cairn_unit_register_info *info);
cairn_status cairn_etmv4_unit_register_find(const struct cairn_unit *base, const char *name,
                                            struct cairn_unit_register_info *info);
void cairn_etmv4_unit_deny_external(struct cairn_unit *base, bool ETAD);
bool cairn_etmv4_unit_denied(struct cairn_unit *base);
enum cairn_session cairn_etmv4_unit_session(const struct cairn_unit *base);
cairn_status cairn_etmv4_unit_access_options(struct cairn_unit *base,
                                             const struct cairn_access_options *options);
void cairn_etmv4_unit_os_lock(struct cairn_unit *base, bool locked);
void cairn_etmv4_unit_reset(struct cairn_unit *base, enum cairn_reset kind);
void cairn_etmv4_unit_power(struct cairn_unit *base, enum cairn_power power);
uint64_t cairn_etmv4_unit_tsb(struct cairn_unit *base);

#endif
