/* SPDX-License-Identifier: BSD-2-Clause */
#include "protocol/etmv4/etmv4.h"
