#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""An ETMv1 of a program under QEMU."""
from pins import run

run('etmv1', 'ARM926EJ-S', [['--set=ETMCR=0', '--set=ETMCCR=0x10898088', '--data=both']])
