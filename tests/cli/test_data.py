#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`cairn data`, and data transfers in `cairn flow`: a program and its trace made by hand.

usage: test_data.py CAIRN
"""
import struct
import sys
import tempfile

from common import Folder, Tap, bytes_of, expect, expect_in, run

BASE = 0x8000
CODE = struct.pack('<6I', 0xe5d10000,  # ldrb r0, [r1]
                   0xe8a1000c,         # stm r1!, {r2, r3}
                   0xe5913000,         # ldr r3, [r1]
                   0xe320f000,         # nop
                   0xe1c120d0,         # ldrd r2, r3, [r1]
                   0xe1c140d0)         # ldrd r4, r5, [r1]

# IHI0014 7.7.2 A-sync, 7.7.3 I-sync, 7.3.1 P-headers of one E each, 7.4.2 and 7.4.3 data
TRACE = bytes_of('00 00 00 00 00 80' '08 21 00 80 00 00'
                 '84' '26 84 80 80 80 02 11'  # 13: a byte, at 0x20000004
                 '84' '26 08 33' '06 44'      # 21, 24: two words, at 0x20000008
                 '84' '74 90 01'              # 27: a placeholder with tag 1, at 0x20000090
                 '84' '2c 78 56 34 12'        # 31: its value
                 '84' '06 55'                 # 37: a word of LDRD: the last one, as another is executed
                 '84' '06 66')                # 40: a word of LDRD, of which no more is known
REGISTERS = ['--protocol', 'etmv3', '--core', 'Cortex-R4', '--frames', 'none',
             '--set', 'ETMIDR=0x4104f230']
BOTH = [*REGISTERS, '--set', 'ETMCR=0xc']


def check_columns(cairn, arguments):
    answer = run(cairn, 'data', *arguments)
    yield from expect('status', answer.status, 0)
    got = [line.split()[1:8] for line in answer.lines()[1:]]
    # proves: ETM3-7.4.4-b
    yield from expect('lines', got, [
        ['0x0000000d', '00008000', 'load', 'r0', '0x20000004', '1', '0x11'],
        ['0x00000015', '00008004', 'store', 'r2', '0x20000008', '4', '0x00000033'],
        ['0x00000018', '00008004', 'store', 'r3', '0x2000000c', '4', '0x00000044'],
        ['0x0000001b', '00008008', 'load', 'r3', '0x20000090', '4', '-'],
        ['0x0000001f', '-', '-', '-', '-', '-', '0x12345678'],
        ['0x00000025', '00008010', 'load', 'r3', '-', '4', '0x00000055'],
        ['0x00000028', '00008014', 'load', 'r4?', '-', '4', '0x00000066']])
    yield from expect_in('placeholder', '(placeholder)  (tag 1)', answer.lines()[4])
    yield from expect_in('late value', '(late)  (tag 1)  (of 0x0000001b)', answer.lines()[5])


def check_kinds(cairn, folder):
    """A swap, a 64-bit floating-point load, a coprocessor, an exclusive store that fails; then with
    ETMIDR2[1], by which a swap stores first (IHI0014 3.5, 4.10, 7.4.7)."""
    code = struct.pack('<5I', 0xe1020091,  # swp r0, r1, [r2]
                       0xed921b00,         # vldr d1, [r2]
                       0xee0d0f70,         # mcr p15, 0, r0, c13, c0, 3
                       0xe1c12f90,         # strexb r2, r0, [r1]
                       0xe320f000)         # nop
    trace = TRACE[:12] + bytes_of('84' '26 84 80 80 80 02 11' '26 04 22' '84' '26 10 33' '06 44'
                                  '84' '06 55' '84' '22 20' '50' '84')
    arguments = [*REGISTERS, '--set', 'ETMCR=0xe', '--image',
                 folder.write('kinds.code', code) + '@%#x' % BASE, folder.write('kinds.bin', trace)]
    got = [line.split()[2:8] for line in run(cairn, 'data', *arguments).lines()[1:]]
    yield from expect('lines', got, [
        ['00008000', 'load', 'r0', '0x20000004', '4', '0x00000011'],
        ['00008000', 'store', 'r1', '0x20000004', '4', '0x00000022'],
        ['00008004', 'load', 'd1[31:0]', '0x20000010', '4', '0x00000033'],
        ['00008004', 'load', 'd1[63:32]', '0x20000014', '4', '0x00000044'],
        ['00008008', 'to-cp', 'r0', '-', '4', '0x00000055'],
        ['0000800c', 'store', 'r0', '0x20000020', '1', '0x00'],
        ['0000800c', '-', '-', '-', '-', '-']])
    yield from expect_in('failed', '(store failed)', run(cairn, 'data', *arguments).out)
    got = [line.split()[3:5] for line in
           run(cairn, 'data', '--set', 'ETMIDR2=2', *arguments).lines()[1:3]]
    yield from expect('store first', got, [['store', 'r1'], ['load', 'r0']])


def check_big_endian(cairn, folder):
    """Only an address tells the order of bytes (IHI0014 7.4.2), and with it which half of a D register
    comes first (4.9.1): that of all words of its instruction, and of no other's."""
    code = struct.pack('<4I', 0xec920b04,  # vldm r2, {d0, d1}
                       0xe8920003,         # ldm r2, {r0, r1}
                       0xee0d0f70,         # mcr p15, 0, r0, c13, c0, 3
                       0xe320f000)         # nop
    trace = TRACE[:12] + bytes_of('84' '26 84 80 80 80 12 11' '06 22' '06 33' '06 44'
                                  '84' '26 94 80 80 80 02 55' '06 66' '84' '06 77' '84')
    arguments = [*REGISTERS, '--set', 'ETMCR=0xe', '--image',
                 folder.write('big.code', code) + '@%#x' % BASE, folder.write('big.bin', trace)]
    lines = run(cairn, 'data', *arguments).lines()[1:]
    yield from expect('registers', [line.split()[4:6] for line in lines], [
        ['d0[63:32]', '0x20000004'], ['d0[31:0]', '0x20000008'], ['d1[63:32]', '0x2000000c'],
        ['d1[31:0]', '0x20000010'], ['r0', '0x20000014'], ['r1', '0x20000018'], ['r0', '-']])
    yield from expect('order', ['(big-endian)' in line for line in lines], 4 * [True] + 3 * [False])


def arm_elf(flags, code):
    """A big-endian executable for Arm: one segment, at BASE."""
    header = b'\x7fELF' + bytes([1, 2, 1]) + bytes(9) + struct.pack(
        '>2H5I6H', 2, 40, 1, BASE, 52, 0, flags, 52, 32, 1, 0, 0, 0)
    return header + struct.pack('>8I', 1, 84, BASE, BASE, len(code), len(code), 5, 4) + code


def check_order_without_addresses(cairn, folder):
    """Then only the program's file tells the order (IHI0014 4.9.1): which half of a D register comes
    first is uncertain where there is none. BE-32 is never in the trace."""
    words = (0xed921b00, 0xe5913000, 0xe320f000)  # vldr d1, [r2]; ldr r3, [r1]; nop
    values = folder.write('values.bin', TRACE[:12] + bytes_of('84' '06 33' '06 44' '84' '06 55' '84'))
    both = folder.write('both.bin', TRACE[:12] + bytes_of('84' '26 84 80 80 80 02 33' '06 44' '84'))
    little, big = struct.pack('<3I', *words), struct.pack('>3I', *words)
    be8 = folder.write('be8.elf', arm_elf(0x05800000, little))
    be32 = folder.write('be32.elf', arm_elf(0x05000000, big))
    dump = folder.write('dump.code', little) + '@%#x' % BASE
    low, high = 'd1[31:0]', 'd1[63:32]'
    for name, image, trace, control, wanted in (
            ('a dump', dump, values, 4, [low + '?', high + '?', 'r3']),
            ('BE-8', be8, values, 4, [high, low, 'r3']),
            ('BE-32', be32, values, 4, [high, low, 'r3']),
            ('BE-8, with addresses that say little-endian', be8, both, 12, [low, high]),
            ('BE-32, with addresses', be32, both, 12, [high, low]),
            ('a dump, with addresses', dump, both, 12, [low, high])):
        answer = run(cairn, 'data', *REGISTERS, '--set', 'ETMCR=%#x' % control, '--image', image, trace)
        got = [line.split()[4] for line in answer.lines()[1:]]
        yield from expect(name, got, wanted)


def check_json(cairn, arguments):
    rows = run(cairn, 'data', '--format', 'json', *arguments).rows()
    keys = ('offset', 'data', 'data_address', 'value', 'size', 'address', 'transfer', 'direction',
            'register', 'placeholder')
    yield from expect('types', {row['type'] for row in rows}, {'data'})
    yield from expect('a byte', [rows[0].get(key) for key in keys], [
        13, 'transfer', '0x20000004', '0x11', 1, '0x8000', 0, 'load', 'r0', None])
    yield from expect('a second word', [rows[2].get(key) for key in keys], [
        24, 'transfer', '0x2000000c', '0x44', 1, '0x8004', 1, 'store', 'r3', None])
    yield from expect('addresses that follow from others',
                      [row['offset'] for row in rows if row.get('data_address_implied')], [24])
    yield from expect('a late value', [rows[4].get(key) for key in keys], [
        31, 'late', None, '0x12345678', 4, None, None, None, None, 27])
    yield from expect('uncertain', [row.get('register_uncertain', False) for row in rows],
                      [False, False, False, False, False, False, True])
    flow = [row for row in run(cairn, 'flow', '--format', 'json', *arguments).rows()
            if row['type'] == 'data']
    yield from expect('the same transfers in the flow', [row['offset'] for row in flow],
                      [row['offset'] for row in rows])


def check_flow(cairn, arguments):
    answer = run(cairn, 'flow', '--format', 'full', *arguments)
    for line in ('# load r0 = 0x11 <- [0x20000004]', '# store r2? = 0x00000033 -> [0x20000008]',
                 '# store r3? = 0x00000044', '# load r3 <- [0x20000090], value comes late, tag 1',
                 '# late value 0x12345678, tag 1, of the transfer at offset 0x0000001b'):
        yield from expect_in('flow', line + '\n', answer.out)
    lines = answer.lines()
    at = [i for i, line in enumerate(lines) if line.endswith('[0x20000004]')]
    yield from expect('it stands under its instruction', '  00008000   e5d10000' in lines[at[0] - 1], True)


def check_ways(cairn, arguments):
    for command in ('data', 'flow'):
        for form in ('text', 'json'):
            fast = run(cairn, command, '--format', form, *arguments)
            slow = run(cairn, command, '--format', form, '--reference', *arguments)
            yield from expect('%s %s' % (command, form), fast.raw, slow.raw)


def check_part(cairn, arguments):
    rows = run(cairn, 'data', '--format', 'json', '--from', '21', '--to', '31', *arguments).rows()
    yield from expect('offsets', [row['offset'] for row in rows], [21, 24, 27])


def check_last(cairn, arguments):
    lines = run(cairn, 'data', *arguments).lines()
    for count in (1, 3, len(lines) + 5):
        last = run(cairn, 'data', '--last', count, *arguments).lines()
        yield from expect('--last %d' % count, last[1:], lines[1:][-count:])
        first = run(cairn, 'data', '--first', count, *arguments).lines()
        yield from expect('--first %d' % count, first, lines[:count + 1])
    both = run(cairn, 'data', '--last', 4, '--first', 2, *arguments).lines()
    yield from expect('--last 4 --first 2', both[1:], lines[-4:][:2])


def check_none(cairn, folder):
    arguments = [*REGISTERS, '--set', 'ETMCR=0', '--image', folder.write('none.code', CODE) +
                 '@%#x' % BASE, folder.write('none.bin', TRACE[:13])]
    answer = run(cairn, 'data', *arguments)
    yield from expect_in('note', 'no data transfers', answer.out)
    yield from expect('status', answer.status, 0)


def check_no_image(cairn, folder):
    answer = run(cairn, 'data', *BOTH, folder.write('alone.bin', TRACE))
    yield from expect('status', answer.status, 1)
    yield from expect('what is known', answer.lines()[1].split()[1:],
                      ['0x0000000d', '-', '-', '-', '0x20000004', '-', '0x11'])


def check_view(cairn, folder):
    """Values are the register's, before sign extension, also where memory's bytes are the other way
    round; but the words of a 64-bit floating-point register come in memory's order (4.9.2)."""
    code = struct.pack('<4I', 0xe1d200d0,  # ldrsb r0, [r2]
                       0xe5921000,         # ldr r1, [r2]
                       0xed921b00,         # vldr d1, [r2]
                       0xed821b00)         # vstr d1, [r2]
    # BE is bit 4 of an address's fifth byte (7.4.2)
    trace = TRACE[:12] + bytes_of('84' '26 80 80 80 80 12 ab' '84' '2e 80 80 80 80 12 78 56 34 12'
                                  '84' '26 80 80 80 80 12 33' '06 44'
                                  '84' '26 80 80 80 80 02 55' '06 66' '84')
    arguments = [*BOTH, '--image', folder.write('view.code', code) + '@%#x' % BASE,
                 folder.write('view.bin', trace)]
    got = [line.split()[3:8] for line in run(cairn, 'data', *arguments).lines()[1:]]
    # proves: ETM3-4.9.2-a
    yield from expect('values and registers', got, [
        ['load', 'r0', '0x20000000', '1', '0xab'],
        ['load', 'r1', '0x20000000', '4', '0x12345678'],
        ['load', 'd1[63:32]', '0x20000000', '4', '0x00000033'],
        ['load', 'd1[31:0]', '0x20000004', '4', '0x00000044'],
        ['store', 'd1[31:0]', '0x20000000', '4', '0x00000055'],
        ['store', 'd1[63:32]', '0x20000004', '4', '0x00000066']])


def check_swap(cairn, folder):
    """ETMv3.0: the second access of SWP and SWPB has no address, and it is not behind the first but
    at the same one (7.4.2); that of an STM is behind it."""
    code = struct.pack('<3I', 0xe1020091,  # swp r0, r1, [r2]
                       0xe1420091,         # swpb r0, r1, [r2]
                       0xe8820003)         # stm r2, {r0, r1}
    trace = TRACE[:12] + bytes_of('84' '26 80 80 80 80 02 11' '06 22' '84' '26 05 33' '06 44'
                                  '84' '26 08 55' '06 66' '84')
    got = [line.split()[3:8] for line in run(
        cairn, 'data', '--protocol', 'etmv3', '--core', 'ARM1136', '--frames', 'none', '--set',
        'ETMIDR=0x41002200', '--set', 'ETMCR=0xc', '--image',
        folder.write('swap.code', code) + '@%#x' % BASE,
        folder.write('swap.bin', trace)).lines()[1:]]
    # proves: ETM3-7.4.2-g
    yield from expect('addresses', got, [
        ['load', 'r0', '0x20000000', '4', '0x00000011'],
        ['store', 'r1', '0x20000000', '4', '0x00000022'],
        ['load', 'r0', '0x20000005', '1', '0x33'],
        ['store', 'r1', '0x20000005', '1', '0x44'],
        ['store', 'r0', '0x20000008', '4', '0x00000055'],
        ['store', 'r1', '0x2000000c', '4', '0x00000066']])


def check_late_store(cairn, folder):
    """An exclusive store whose value comes late and that fails, with a load in between: what failed is the
    late value's transfer (7.4.7)."""
    code = struct.pack('<3I', 0xe1812f90,  # strex r2, r0, [r1]
                       0xe5943000,         # ldr r3, [r4]
                       0xe320f000)         # nop
    trace = TRACE[:12] + bytes_of('84' '74 80 80 80 80 02' '84' '26 10 05' '20' '50' '84')
    arguments = [*BOTH, '--image', folder.write('late.code', code) + '@%#x' % BASE,
                 folder.write('late.bin', trace)]
    lines = run(cairn, 'data', *arguments).lines()[1:]
    # proves: ETM3-7.4.7-a
    yield from expect('lines', [line.split()[1:8] for line in lines], [
        ['0x0000000d', '00008000', 'store', 'r0', '0x20000000', '4', '-'],
        ['0x00000014', '00008004', 'load', 'r3', '0x20000010', '4', '0x00000005'],
        ['0x00000017', '-', '-', '-', '-', '-', '0x0'],
        ['0x00000018', '-', '-', '-', '-', '-', '-']])
    yield from expect_in('failed', '(store failed)  (tag 1)  (of 0x0000000d)', lines[-1])
    row = run(cairn, 'data', '--format', 'json', *arguments).rows()[-1]
    yield from expect('json', [row.get(key) for key in ('data', 'tag', 'placeholder', 'address')],
                      ['store_failed', 1, 13, None])
    yield from expect_in('flow', '# exclusive store failed, tag 1, of the transfer at offset 0x0000000d\n',
                         run(cairn, 'flow', '--format', 'full', *arguments).out)


def check_data_only(cairn, folder):
    """Data alone: a packet without address is the next word of a load multiple, or an MCR behind it.
    Nothing tells which, so it gets no address, though the program is at hand (7.4.10)."""
    trace = bytes_of('00 00 00 00 00 80' '08 21' '26 84 80 80 80 02 11' '06 22' '06 99')
    got = [line.split()[1:8] for line in run(
        cairn, 'data', *REGISTERS, '--set', 'ETMCR=0x10000e', '--image',
        folder.write('only.code', CODE) + '@%#x' % BASE, folder.write('only.bin', trace)).lines()[1:]]
    # proves: ETM3-7.4.10-d
    yield from expect('addresses', got, [
        ['0x00000008', '-', '-', '-', '0x20000004', '-', '0x11'],
        ['0x0000000f', '-', '-', '-', '-', '-', '0x22'],
        ['0x00000011', '-', '-', '-', '-', '-', '0x99']])


def main(cairn):
    tap = Tap()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        arguments = [*BOTH, '--image', folder.write('code.bin', CODE) + '@%#x' % BASE,
                     folder.write('trace.bin', TRACE)]
        tap.case('data: columns', check_columns(cairn, arguments))
        tap.case('data: kinds of transfers', check_kinds(cairn, folder))
        tap.case('data: big-endian', check_big_endian(cairn, folder))
        tap.case('data: order of bytes without addresses', check_order_without_addresses(cairn, folder))
        tap.case('data: json', check_json(cairn, arguments))
        tap.case('flow: under the instructions', check_flow(cairn, arguments))
        tap.case('both decoders', check_ways(cairn, arguments))
        tap.case('--from and --to', check_part(cairn, arguments))
        tap.case('--last and --first', check_last(cairn, arguments))
        tap.case('a source without data', check_none(cairn, folder))
        tap.case('without the program', check_no_image(cairn, folder))
        tap.case('big-endian: the view of registers', check_view(cairn, folder))
        tap.case('ETMv3.0: a swap has one address', check_swap(cairn, folder))
        tap.case('a late store that failed', check_late_store(cairn, folder))
        tap.case('data-only: no address is made up', check_data_only(cairn, folder))
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])
