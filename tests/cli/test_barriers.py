#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""cairn barriers: the page's own script gives what the page says; a right one is silent; what cannot be is told.

usage: test_barriers.py CAIRN
"""
import os
import re
import sys
import tempfile

from common import Folder, Tap, expect, expect_in, run


def page(top):
    """The script of docs/pe.md, and what the page says that it gives."""
    with open(os.path.join(top, 'docs', 'pe.md')) as file:
        blocks = re.findall(r'^```\n(.*?)^```', file.read(), re.M | re.S)
    script = next(b for b in blocks if b.startswith('msr SCR_EL3'))
    output = next(b for b in blocks if b.startswith('$ cairn barriers'))
    return script, output.split('\n', 1)[1]


def check_page(cairn, folder, top):
    script, output = page(top)
    path = folder.write('drain.pe', script.encode())
    answer = run(cairn, 'barriers', path)
    yield from expect('status', 1, answer.status)
    yield from expect('output', output, answer.out.replace(path, 'drain.pe'))
    whole = script.replace('dsb                              # the TSB', 'tsb csync\ndsb # the TSB')
    path = folder.write('whole.pe', whole.encode())
    answer = run(cairn, 'barriers', path)
    yield from expect('status of the whole', 0, answer.status)
    yield from expect('output of the whole', 'nothing is left open: the same in 100 orders\n', answer.out)
    answer = run(cairn, 'barriers', '--all', '--orders', '3', path)
    yield from expect_in('--all', 'TRBPTR_EL1 was read as 0x800000', answer.out)
    yield from expect_in('--orders', 'the same in 3 orders', answer.out)


def check_wrong(cairn, folder):
    for name, text, what in [
            ('word', 'isb\nmsr TRBPTR_EL1 1\nwibble\n', ':3: "wibble": no access begins so'),
            ('trap', 'enter EL1n\nmsr TRBPTR_EL1, 1\n', ':2: TRBPTR_EL1 is trapped to EL2'),
            ('undefined', 'enter EL0n\nmsr TRBPTR_EL1, 1\n', ':2: TRBPTR_EL1 is UNDEFINED here'),
            ('name', 'msr WIBBLE, 1\n', ':1: WIBBLE is no register of this PE'),
            ('level', 'enter EL5\n', ':1: EL5 is no level'),
            ('number', 'run many\n', 'that is no number'),
            ('system', 'sys WIBBLE\n', 'BRB_IALL'),
            ('too much', 'run 99999999999\n', 'more than 16,777,216')]:
        answer = run(cairn, 'barriers', folder.write('wrong.pe', text.encode()))
        yield from expect('%s: status' % name, 2, answer.status)
        yield from expect_in(name, what, answer.err)
    answer = run(cairn, 'barriers')
    yield from expect('no script: status', 2, answer.status)
    answer = run(cairn, 'barriers', folder.write('empty.pe', b'# nothing\n'))
    yield from expect('empty', 'nothing is left open: the same in 100 orders\n', answer.out)
    answer = run(cairn, 'barriers', '--orders', '0', folder.write('empty.pe', b''))
    yield from expect('--orders 0: status', 2, answer.status)


def check_tables(cairn, folder):
    """The owner's translation tables change while the buffer is on; or it is off, but perhaps not yet."""
    script = ('msr SCR_EL3, 0x401\nmsr MDCR_EL3, 0x3000000\nmsr MDCR_EL2, 0x3000000\nisb\n'
              'msr TRBPTR_EL1, 0x80000000\nmsr TRBLIMITR_EL1, 0x80010001\nisb\n'
              '%smsr TTBR0_EL1, 0x1000\nisb\n')
    wrong = ('tables.pe:%d: TTBR0_EL1: the buffer is on, or may be still, and prefetches translations: by the value '
             'before the write, or the new one [S_YKCNB]\n'
             '    between line %d and this one there is not: %s\n'
             '    it may be 0x0 or 0x1000\n'
             '    what to do: write TRBLIMITR_EL1.E 0 and a Context synchronization event before the owner\'s '
             'translation or Security state changes, and switch the buffer on behind that\n'
             '1 place without a barrier, in 100 orders\n')
    for name, between, status, output in [
            ('on', '', 1, wrong % (8, 6, 'TRBLIMITR_EL1.E written 0')),
            ('off', 'msr TRBLIMITR_EL1, 0x80010000\n', 1, wrong % (9, 8, 'a Context synchronization event')),
            ('off for certain', 'msr TRBLIMITR_EL1, 0x80010000\nisb\n', 0,
             'nothing is left open: the same in 100 orders\n')]:
        path = folder.write('tables.pe', (script % between).encode())
        answer = run(cairn, 'barriers', path)
        yield from expect('%s: status' % name, status, answer.status)
        yield from expect(name, output, answer.out.replace(path, 'tables.pe'))


def check_enabled(cairn, folder):
    """The trace unit is programmed, and its state read, while it is enabled; and when it is not."""
    path = folder.write('unit.pe', b'msr TRCPRGCTLR, 1\nisb\nmsr TRCCONFIGR, 1\nmrs x0, TRCSEQSTR\n'
                        b'msr TRCPRGCTLR, 0\nisb\nmsr TRCCONFIGR, 1\nmrs x0, TRCSEQSTR\n')
    answer = run(cairn, 'barriers', path)
    until = '    between line 1 and this one there is not: TRCPRGCTLR.EN written 0, and TRCSTATR.IDLE 1\n'
    yield from expect('status', 1, answer.status)
    yield from expect('output', (
        'unit.pe:3: TRCCONFIGR: the trace unit is enabled, or not idle yet: the write changes nothing '
        '[I_GDNWY]\n' + until +
        '    what to do: write TRCPRGCTLR.EN 0 and wait for TRCSTATR.IDLE before it is programmed\n'
        'unit.pe:4: TRCSEQSTR: the trace unit is enabled, or not stable yet, and writes to the register by '
        'itself [S_VKHHY]\n' + until +
        '    what to do: write TRCPRGCTLR.EN 0 and wait for TRCSTATR.IDLE before its registers are saved\n'
        '2 places without a barrier, in 100 orders\n'), answer.out.replace(path, 'unit.pe'))


def main():
    cairn = sys.argv[1]
    top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    tap = Tap()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        tap.case('the page', check_page(cairn, folder, top))
        tap.case('what cannot be', check_wrong(cairn, folder))
        tap.case('tables of the owner', check_tables(cairn, folder))
        tap.case('a trace unit that is enabled', check_enabled(cairn, folder))
    tap.end()


if __name__ == '__main__':
    main()
