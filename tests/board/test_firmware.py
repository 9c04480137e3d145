#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Firmware that begins at EL3 on a machine of `cairn run`: what it read of its core's trace, trace buffer and branch records is
what the architecture says. Nothing here comes from the models: tables and records are written down by hand.

usage: test_firmware.py CAIRN FIRMWARE"""
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TOP, 'tests', 'house'))
from tap import Tap  # noqa: E402

MACHINE = ['--machine', 'virt,secure=on,virtualization=on', '--cpu', 'max']
EC_SVC = 0x15


class Said:
    """What the firmware said on its console: lines of a name and numbers."""
    def __init__(self, text):
        self.text, self.lines = text, {}
        for line in text.splitlines():
            name, *rest = line.split() or ['']
            self.lines.setdefault(name, []).append(rest)

    def numbers(self, name):
        return [int(word, 16) for word in self.lines.get(name, [[]])[0]]


def boot(cairn, firmware, *arguments):
    done = subprocess.run([cairn, 'run', *MACHINE, '--kernel', firmware, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors='replace', timeout=60)
    return done.returncode, Said(done.stdout), done.stderr


def check_levels(said):
    """Each level is where it says it is, in both Security states, and what it takes comes from it."""
    problems = [] if said.numbers('CurrentEL') == [3] else ['it does not begin at EL3']
    for state in ('S', 'NS'):
        for EL in (1, 2):
            found = said.numbers('%s-EL%d' % (state, EL))
            if found != [EL, EL, EC_SVC]:
                problems.append('%s-EL%d: %s' % (state, EL, found))
    return problems


CASES = [('levels', check_levels)]


def main():
    cairn, firmware = sys.argv[1:]
    tap = Tap()
    names = ['the machine ends well', *(name for name, _ in CASES)]
    why = None if os.path.exists(firmware) else 'no aarch64-linux-gnu-gcc'
    if not shutil.which('qemu-system-aarch64'):
        why = 'no qemu-system-aarch64'
    if why:
        for name in names:
            tap.skip(name, why)
        tap.end()
    code, said, errors = boot(cairn, firmware)
    tap.case(names[0], [] if code == 0 and 'end' in said.lines and not errors else ['status %d' % code, said.text[-2000:], errors])
    for name, check in CASES:
        tap.case(name, check(said))
    tap.end()


if __name__ == '__main__':
    main()
