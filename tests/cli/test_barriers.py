#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""cairn barriers: the page's own script gives what the page says; a right one is silent; what cannot be is told.

usage: test_barriers.py CAIRN
"""
import os
import re
import sys
import tempfile

from common import Folder, Tap, expect, expect_in, sanitized
from common import run as run_as_is


def run(cairn, command, *arguments):
    """Under sanitizers in a fifth of the orders, of which nothing else is said."""
    few = command == 'barriers' and '--orders' not in arguments and sanitized(cairn)
    answer = run_as_is(cairn, command, *(['--orders', '20'] if few else []), *arguments)
    answer.out = answer.out.replace('in 20 orders', 'in 100 orders') if few else answer.out
    return answer


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


def check_fault(cairn, folder, top):
    """The page's fault, which registers explain; and what a line left out of it is found to lack."""
    with open(os.path.join(top, 'docs', 'pe.md')) as file:
        blocks = re.findall(r'^```\n(.*?)^```', file.read(), re.M | re.S)
    script = next(b for b in blocks if 'map 0xffff000080000000' in b)
    output = next(b for b in blocks if b.startswith('$ cairn barriers --all fault.pe')).split('\n', 1)[1]
    path = folder.write('fault.pe', script.encode())
    answer = run(cairn, 'barriers', '--all', path)
    yield from expect('status', 0, answer.status)
    yield from expect('output', output, answer.out.replace(path, 'fault.pe'))
    answer = run(cairn, 'registers', 'TRBSR_EL1=0x90420007')
    yield from expect_in('in words', 'a stage 1 Data Abort', answer.out)
    yield from expect_in('in words', 'Translation fault, level 3', answer.out)
    moved = script.replace('map 0xffff000080001000 0x40008000 0xf000 ',
                           'map 0xffff000080000000 0x40008000 0x10000 ').replace(
                               'msr TRBSR_EL1, 0', 'msr TRBPTR_EL1, 0xffff000080000000\nmsr TRBSR_EL1, 0')
    answer = run(cairn, 'barriers', folder.write('moved.pe', moved.encode()))
    yield from expect('moved: status', 1, answer.status)
    yield from expect_in('moved', 'there is not: TLBI, DSB', answer.out)
    yield from expect_in('moved', '[R_GQJMC]', answer.out)
    unmapped = re.sub(r'(?m)^tsb csync\ndsb\nisb\nmrs x0, TRBSR.*\n', 'unmap 0xffff000080000000 4096\n', script)
    answer = run(cairn, 'barriers', folder.write('unmapped.pe', unmapped.encode()))
    yield from expect_in('unmapped', '[R_MRVPT]', answer.out)


def check_abort(cairn, folder, top):
    """The page's memory that fails, and what a late abort lacks without a DSB."""
    with open(os.path.join(top, 'docs', 'pe.md')) as file:
        blocks = re.findall(r'^```\n(.*?)^```', file.read(), re.M | re.S)
    script = next(b for b in blocks if '\nabort 0x80000200' in b)
    output = next(b for b in blocks if b.startswith('$ cairn barriers --all abort.pe')).split('\n', 1)[1]
    path = folder.write('abort.pe', script.encode())
    answer = run(cairn, 'barriers', '--all', path)
    yield from expect('status', 0, answer.status)
    yield from expect('output', output, answer.out.replace(path, 'abort.pe'))
    late = script.replace('abort 0x80000200 4096', 'abort 0x80000200 4096 async')
    answer = run(cairn, 'barriers', '--all', folder.write('late.pe', late.encode()))
    yield from expect_in('late', 'TRBSR_EL1 was read as 0x90460011', answer.out)
    yield from expect_in('late', 'TRBPTR_EL1 was read as 0x80000241', answer.out)
    error = script.replace('abort 0x80000200 4096', 'abort 0x80000200 4 serror') + 'msr OSLAR_EL1, 1\n'
    error = error.replace('msr TRFCR_EL1, 0x1\n', 'msr TRFCR_EL1, 0x1\nmsr TRCEXTINSELR0, 0x401a\nmsr TRCRSCTLR2, 1\n'
                          'msr TRCEVENTCTL0R, 0x200\n').replace('run 100000\n', 'run 50000\ntrigger 6\nrun 50000\n')
    path = folder.write('error.pe', error.encode())
    answer = run(cairn, 'barriers', '--all', path)
    yield from expect_in('SError', '%s: SError interrupt: 1 time, first of trace that was to go to 0x80000200\n' % path, answer.out)
    yield from expect_in('CTI', '%s: trigger input 5 of the CTI: 1 time\n' % path, answer.out)
    yield from expect('without --all', 'SError' in run(cairn, 'barriers', path).out, False)
    answer = run(cairn, 'registers', 'TRBSR_EL1=0x90460010')
    yield from expect_in('in words', 'synchronous External Abort', answer.out)


def check_unit(cairn, folder):
    """Registers of the trace unit and of the monitors, without what they need; where the script cannot go on
    what was found is told."""
    begin = ('msr SCR_EL3, 0x401\nmsr MDCR_EL3, 0x303000000\nmsr MDCR_EL2, 0x3000006\nenter EL1n\nmsr TRFCR_EL1, 2\n'
             'msr TRCCONFIGR, 1\nmsr TRCVICTLR, 0x201\nisb\nmsr TRCPRGCTLR, 1\n')
    text = begin + 'run 40\npoll TRCSTATR.IDLE 0\nmsr TRCPRGCTLR, 0\nisb\nmsr TRCVICTLR, 0x201\n'
    text += 'msr TRCPRGCTLR, 1\nrun 40\npoll TRCSTATR.IDLE 0\n'
    answer = run(cairn, 'barriers', folder.write('unit.pe', text.encode()))
    yield from expect('status', 2, answer.status)
    yield from expect_in('enabled', ':10: TRCPRGCTLR: whether this instruction is traced', answer.out)
    yield from expect_in('enabled', '[R_KNQWS]', answer.out)
    yield from expect_in('busy', ':14: TRCVICTLR: ', answer.out)
    yield from expect_in('busy', 'there is not: TRCSTATR read with IDLE 1', answer.out)
    yield from expect_in('ended', ':17: TRCSTATR never has that value', answer.err)
    text = ('msr SCR_EL3, 0x401\nmsr MDCR_EL2, 6\nenter EL1n\nmsr PMEVTYPER0_EL0, 8\nmsr PMCNTENSET_EL0, 1\n'
            'msr PMCR_EL0, 1\n%srun 400\n%smrs x0, PMEVCNTR0_EL0\n')
    answer = run(cairn, 'barriers', folder.write('counted.pe', (text % ('', '')).encode()))
    yield from expect('counted: status', 1, answer.status)
    yield from expect_in('counted', ':7: PMCNTENSET_EL0: what is counted from here on', answer.out)
    yield from expect_in('counted', ':8: PMEVCNTR0_EL0 was read as 0x0 to 0x190', answer.out)
    answer = run(cairn, 'barriers', '--all', folder.write('counted.pe', (text % ('isb\n', 'isb\n')).encode()))
    yield from expect('counted, all: status', 0, answer.status)
    yield from expect_in('counted, all', 'PMEVCNTR0_EL0 was read as 0x190\n', answer.out)


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
    script = ('msr SCR_EL3, 0x401\nmsr MDCR_EL3, 0x3000000\nmsr MDCR_EL2, 0x3000000\n'
              'msr TRBPTR_EL1, 0x80000000\nisb\nmsr TRBLIMITR_EL1, 0x80010001\nisb\n'
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


def main():
    cairn = sys.argv[1]
    top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    tap = Tap()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        tap.case('the page', check_page(cairn, folder, top))
        tap.case('an abort', check_abort(cairn, folder, top))
        tap.case('a fault', check_fault(cairn, folder, top))
        tap.case('the trace unit and the monitors', check_unit(cairn, folder))
        tap.case('what cannot be', check_wrong(cairn, folder))
        tap.case('tables of the owner', check_tables(cairn, folder))
    tap.end()


if __name__ == '__main__':
    main()
