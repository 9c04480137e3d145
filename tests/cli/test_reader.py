#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What somebody who reads the listing of `cairn flow` looks for, in whatever form it stands: which instruction a remark
is about, what an exception was about, both sides of a contradiction, and that gaps and cycles do not bury the
instructions. These were wrong once, and each case fails with the program of then, whose lines had another form.

usage: test_reader.py CAIRN
"""
import re
import struct
import sys
import tempfile

from common import ALIGNMENT_SYNC, START, Folder, Tap, bytes_of, expect, run, words

ETE = ['--protocol', 'ete', '--frames', 'none', '--set', 'TRCIDR8=0']
E, N = b'\xf7', b'\xf6'  # Atom format 1 (DDI0608 D5.40)
NOP, ERET, SVC, B_SELF, LDR = 0xd503201f, 0xd69f03e0, 0xd4000001, 0x14000000, 0xf9400001


def short_address(address):
    """DDI0608 D5.47, IS0: bits 8:2 and 16:9 of an address whose others are known."""
    return bytes([0x95, address >> 2 & 0x7f | 0x80, address >> 9 & 0xff])


def exception(kind, address):
    """DDI0608 D5.13: an exception with an address."""
    return bytes([0x06, kind << 1 | 1]) + short_address(address)


def names(line, address):
    """Whether a line has the address as a number of its own, with zeros in front or without."""
    return re.search(r'(?<![\w+])(0x)?0*%x(?!\w)' % address, line) is not None


def listing(cairn, *arguments):
    return run(cairn, 'flow', *arguments).lines()


def elf(folder, code, symbols):
    return ['--image', folder.elf('reader.elf', {address: words(values) for address, values in code.items()}, symbols)]


def check_return_stack(cairn, folder):
    """BL at 0x1000, RET at 0x1010, then NOP at 0x1004, NOP, B: it is the address of the first that came from the stack."""
    image = folder.program({0x1000: [0x94000004, NOP, NOP, B_SELF, 0xd65f03c0]})
    trace = folder.write('returns.bin', START + b'\xff')  # Atom format 3: E E E
    lines = [line for line in listing(cairn, *ETE, '--set', 'TRCCONFIGR=0x1001', *image, trace)
             if 'from the return stack' in line]
    yield from expect('lines', len(lines), 1)
    yield from expect('of 0x1004, 0x1008, 0x100c', [[names(line, a) for a in (0x1004, 0x1008, 0x100c)] for line in lines],
                      [[True, False, False]])


def check_exceptions(cairn, folder):
    """Of a data fault: the function, the instruction, and the handler; of an SVC: the instruction that calls."""
    image = elf(folder, {0x1000: [SVC, LDR, NOP, B_SELF], 0x8000: [NOP, ERET]}, [('main', 0x1000, 16), ('handler', 0x8000, 8)])
    handled = short_address(0x8000) + E
    trace = folder.write('exceptions.bin', START + exception(0x02, 0x1004) + handled + short_address(0x1004) +
                         exception(0x0c, 0x1004) + handled)
    lines = listing(cairn, *ETE, *image, trace)
    faults = [line for line in lines if 'Data Fault' in line]
    load = 'ldr' if not any('.inst' in line for line in lines) else '.inst'
    yield from expect('lines of the fault', len(faults), 1)
    for line in faults:
        yield from expect('of the fault', [part in line for part in ('main', load, 'handler')], [True] * 3)
    calls = [line for line in lines if 'exception' in line and ('SVC' in line or 'Call' in line)]
    yield from expect('lines of the call', len(calls), 1)
    for line in calls:
        yield from expect('the instruction that calls', names(line, 0x1000), True)


def check_vectors(cairn, folder):
    """An MTB does not say which exception it was: entry 3 of the vector table alone leads to 0x400, a HardFault's."""
    ring = folder.write('mtb.bin', struct.pack('<8I', 0x410, 0xfffffff8, 0xfffffff9, 0x102, 0x100, 0x201, 0x211, 0x400))
    code = bytearray(struct.pack('<H', 0xbf00) * 0x200)
    code[:2], code[0x310:0x312] = struct.pack('<H', 0xe07e), struct.pack('<H', 0x4770)
    table = [0x20001000] + [0x301] * 15
    table[3] = 0x401
    image = ['--image', folder.write('code.bin', bytes(code)) + '@0x100',
             '--image', folder.write('table.bin', struct.pack('<16I', *table)) + '@0']
    lines = [line for line in listing(cairn, '--protocol', 'mtb', '--core', 'Cortex-M0+', '--set', 'POSITION=0x14',
                                      '--set', 'MASTER=0x1', '--set', 'FLOW=0', '--set', 'BASE=0x20000000', *image, ring)
             if 'exception' in line and 'return' not in line]
    yield from expect('lines', len(lines), 1)
    yield from expect('its name, and where it went', [('HardFault' in line, names(line, 0x400)) for line in lines],
                      [(True, True)])


def check_contradiction(cairn, folder):
    """The branch, where it leads by the image, and where execution went on by the trace."""
    image = elf(folder, {0x1000: [0x14000400], 0x2000: [B_SELF], 0x3000: [B_SELF]}, [('first', 0x1000, 4)])
    trace = folder.write('mismatch.bin', START + E + short_address(0x3000) + E)
    lines = [line for line in listing(cairn, *ETE, *image, trace) if 'warning' in line]
    yield from expect('lines', len(lines), 1)
    yield from expect('addresses', [[names(line, a) for a in (0x1000, 0x2000, 0x3000)] for line in lines], [[True] * 3])


def check_gaps(cairn, folder):
    """Fifty packets without memory are a line, and no instruction is hidden by them."""
    image = folder.program({0x1000: [0x14000400]})
    trace = folder.write('gaps.bin', START + E * 51 + short_address(0x1000) + E)
    lines = listing(cairn, *ETE, *image, trace)
    yield from expect('lines of gaps', len([line for line in lines if 'gap' in line and not line.startswith('==')
                                         and 'lost in gaps' not in line]), 1)
    yield from expect('instructions', len([line for line in lines if names(line, 0x1000) and 'gap' not in line]), 2)


def check_cycles(cairn, folder):
    """Each count stands on the instruction that it is of, and takes no line: 5, 4 and 6 cycles of ETE (DDI0608 D2.4.1)
    behind a branch; of ETMv3 in front of one (IHI0014 7.3)."""
    start = ALIGNMENT_SYNC + bytes_of('01 09 01 04' '04' '82 00 08 00 00 31')
    trace = folder.write('cycles.bin', start + E + b'\x11' + E + b'\x10' + E + E + b'\x12')
    lines = listing(cairn, *ETE, '--set', 'TRCCONFIGR=0x11', *folder.program({0x1000: [B_SELF]}), trace)
    rows = [line for line in lines if names(line, 0x1000)]
    yield from expect('ETE: totals on their lines', [[str(total) in re.findall(r'\d+', line) for total in (5, 9, 15)] for
                                                     line in rows],
                      [[True, False, False], [False, True, False], [False] * 3, [False, False, True]])
    code = folder.write('cycles.code', struct.pack('<I', 0xe1a00000) * 8)
    trace = folder.write('cycles3.bin', bytes_of('00 00 00 00 00 80' '70 05 21 00 10 00 00' '84' '88' 'E8' '84'))
    lines = listing(cairn, '--protocol', 'etmv3', '--core', 'Cortex-A7', '--frames', 'none', '--set', 'ETMIDR=0x410cf250',
                    '--set', 'ETMCCER=0x344008f2', '--set', 'ETMCR=0x1000', '--image', code + '@0x1000', trace)
    found = {address: line for address in range(0x1000, 0x1014, 4) for line in lines if names(line, address)}
    yield from expect('ETMv3: totals on their lines',
                      [str(total) in re.findall(r'\d+', found.get(0x1000 + 4 * i, '')) for i, total in
                       enumerate((6, 7, 8, 11, 12))], [True] * 5)
    for line in lines:
        if 'cycles' in line and not line.startswith('==') and not any(name in line for name in ('address', 'end of the trace')):
            yield 'a line of cycles alone: %r' % line


def main():
    cairn, tap = sys.argv[1], Tap()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        tap.case('a remark stands at its instruction', check_return_stack(cairn, folder))
        tap.case('what an exception was about', check_exceptions(cairn, folder))
        tap.case('which exception it was', check_vectors(cairn, folder))
        tap.case('both sides of a contradiction', check_contradiction(cairn, folder))
        tap.case('gaps do not bury the instructions', check_gaps(cairn, folder))
        tap.case('nor do cycles', check_cycles(cairn, folder))
    tap.end()


if __name__ == '__main__':
    main()
