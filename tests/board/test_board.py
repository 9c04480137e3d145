#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Debian's arm64 kernel and perf on a machine of `cairn run`: what a program did by the perf.data that the guest wrote equals
what a plain plugin beside was told, instruction by instruction.

usage: test_board.py CAIRN EXECUTED_PLUGIN FOLDER"""
import os
import re
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TOP, 'tests', 'house'))
from tap import Tap  # noqa: E402

FIRST, LAST = 0x10000000, 0x1fffffff
SCRIPT = '''cd /root
perf record -m ,1M -e cs_etm/@trbe0/u -o perf.data /programs/collatz
dmesg > dmesg
tar c . > /dev/vda
'''
# Told to the plain plugin, and not executed.
NOT_EXECUTED = ('Data Fault', 'Trap', 'Alignment', 'Inst Debug', 'Data Debug')


def run(words, **options):
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=300, **options)


def compare(flow, told):
    """The flow's instructions are those that were told."""
    at = count = 0
    for line in flow.splitlines():
        if line.startswith('#'):
            found = re.match(r'# exception (.*) at 0x([0-9a-f]+)', line)
            if found and found[1] in NOT_EXECUTED and at < len(told) and told[at] == int(found[2], 16):
                at += 1
            if line.startswith('# gap'):
                return ['a gap: ' + line]
            continue
        address = int(line.split()[0], 16)
        if at >= len(told) or told[at] != address:
            return ['instruction %d is at 0x%x, and told was %s' %
                    (count, address, '0x%x' % told[at] if at < len(told) else 'nothing more')]
        at += 1
        count += 1
    if at != len(told):
        return ['%d of %d instructions' % (at, len(told))]
    return [] if count > 100000 else ['only %d instructions' % count]


def main():
    cairn, plugin, folder = sys.argv[1:]
    tap = Tap()
    names = ['the kernel finds an ETE and a TRBE', 'nothing in its log is a warning',
             'the flow is what was executed']
    guest = os.environ.get('CAIRN_BOARD', os.path.join(TOP, 'build', 'board'))
    with tempfile.TemporaryDirectory() as temporary:
        program = os.path.join(folder, 'collatz')
        script = os.path.join(temporary, 'script')
        with open(script, 'w') as file:
            file.write(SCRIPT)
        made = None
        if os.path.exists(program):
            made = run([os.path.join(TOP, 'scripts', 'board'), guest, '--run', script, program])
        if made is None or made.returncode:
            for name in names:
                tap.skip(name, 'no guest: scripts/board %s makes it' % guest if made
                         else 'no aarch64-linux-gnu-gcc')
            tap.end()
        disk, told = os.path.join(temporary, 'disk'), os.path.join(temporary, 'told')
        with open(disk, 'wb') as file:
            file.truncate(64 << 20)
        beside = '%s,out=%s,first=0x%x,last=0x%x' % (plugin, told, FIRST, LAST)
        ran = run([cairn, 'run', '--kernel', os.path.join(guest, 'kernel'), '--initrd', os.path.join(guest, 'initrd.img'),
                   '--disk', disk, '--qemu-argument', '-plugin', '--qemu-argument', beside])
        run(['tar', 'xf', disk, '-C', temporary])
        log = ''
        if os.path.exists(os.path.join(temporary, 'dmesg')):
            with open(os.path.join(temporary, 'dmesg')) as file:
                log = file.read()
        tap.case(names[0], [] if 'ete0: CPU0: ete v1' in log and ran.returncode == 0 else [ran.stdout[-2000:]])
        tap.case(names[1], ['there is no log'] if not log else [line for line in log.splitlines()
                            if re.search(r'WARNING|Unsupported|BUG|wouldn|failed', line)] +
                 ([] if 'found 6 breakpoint and 4 watchpoint' in log else ['breakpoints are not those of the core']))
        root = os.path.join(temporary, 'root')
        os.makedirs(os.path.join(root, 'programs'))
        run(['cp', program, os.path.join(root, 'programs')])
        flow = subprocess.run([cairn, 'flow', '--format', 'addresses', '--sysroot', root,
                               os.path.join(temporary, 'perf.data')], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True)
        with open(told, 'rb') as file:
            words = [word & (1 << 56) - 1 for (word,) in struct.iter_unpack('<Q', file.read())]
        tap.case(names[2], compare(flow.stdout, words) if flow.returncode in (0, 1) else [flow.stderr])
    tap.end()


if __name__ == '__main__':
    main()
