/* SPDX-License-Identifier: BSD-2-Clause */
#include <cairn/unit.h>
