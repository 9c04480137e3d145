/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/filter.h"
