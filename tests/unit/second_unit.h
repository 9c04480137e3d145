/* SPDX-License-Identifier: BSD-2-Clause */
/* The trace unit model that a program of second_program.h asks for. */
#ifndef CAIRN_TESTS_UNIT_SECOND_UNIT_H
#define CAIRN_TESTS_UNIT_SECOND_UNIT_H

#include <cairn/unit.h>

#include "second_program.h"

/* Programmed and disabled; NULL if the unit refuses it. */
struct cairn_unit *second_unit(const struct second_program *program, cairn_unit_watch *watch,
                               cairn_unit_outputs *outputs);

#endif
