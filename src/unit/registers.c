/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/registers.h"
