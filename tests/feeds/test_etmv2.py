#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""An ETMv2 of a program under QEMU: with phantoms, values out of order and short periods too."""
from pins import run

run('etmv2', 'ARM1026EJ-S', [['--set=ETMCR=0', '--set=ETMIDR=0x41002100', '--data=both', '--set=ETMSYNCFR=101'],
                             ['--set=ETMCR=0x20', '--data=both', '--cycle-counts', '--sync-period=256']])
