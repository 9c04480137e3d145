#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Samples of an ETMv2's trace port as a user lists them, and what a program did by them.

usage: test_etmv2.py CAIRN
"""
import os
import struct
import sys
import tempfile

from common import Folder, Tap, expect, expect_in, run
from schemas import WANTED, Schemas, jsonschema

STATUSES = ('IE DE IN DN WT DW TR TD PTIE PTDE PTIN PTDN PNIE PNDE PNIN PNDN').split()

# A32, assembled with the Arm ARM at hand.
CODE = struct.pack('<8I',
                   0xe3a00a02,   # 8000  mov r0, #0x2000
                   0xe5901000,   # 8004  ldr r1, [r0]
                   0x0a000001,   # 8008  beq 0x8014
                   0xe8900006,   # 800c  ldm r0, {r1, r2}
                   0xea000000,   # 8010  b 0x8018
                   0xe12fff1e,   # 8014  bx lr
                   0xef000000,   # 8018  svc 0
                   0xe1a00000)   # 801c  nop
VECTOR = struct.pack('<I', 0xe1b0f00e)   # 8  movs pc, lr
# By hand from IHI0014 chapter 6, 8 pins, data addresses and values. The TFO of cycle 0 begins trace at
# 0x8000; the load's data (cycle 2) come out in cycles 6 to 12, those of LDM (cycle 4) in 13 to 17.
CYCLES = '''TD:09 IE:20 DE:00 IN:80 DE:00 WT:00
    WT:26 WT:80 WT:c0 WT:80 WT:80 WT:00 WT:12
    WT:a6 WT:04 WT:34 WT:06 WT:56
    IE:00 DE:85 WT:80 WT:00
    DE:8f WT:80 WT:01
    IE:00 TD:00'''
RAN = ['8000', '8004', '8008 N', '800c', '8010 E', '8018', '8 E', '801c']
PACKETS = [('NORMAL_TFO', 5, 1, 0), ('NORMAL_DATA', 12, 6, 2), ('NORMAL_DATA', 15, 13, 4),
           ('NORMAL_DATA', 17, 16, 4), ('BRANCH_ADDRESS', 21, 19, 19), ('BRANCH_ADDRESS', 24, 22, 22)]
UNIT = ['--protocol', 'etmv2', '--set', 'ETMIDR=0x41002110', '--set', 'ETMCR=0x1c']


def samples(cycles):
    for cycle in cycles.split():
        status, pins = cycle.split(':')
        yield struct.pack('<BBH', STATUSES.index(status), 0, int(pins, 16))


def rows(answer, kind):
    return [row for row in answer.rows() if row['type'] == kind]


def check_packets(cairn, port):
    answer = run(cairn, 'packets', '--format', 'json', *UNIT, port)
    yield from expect('status', answer.status, 0)
    found = rows(answer, 'packet')
    statuses = [row for row in found if row['kind'] in STATUSES or row['kind'] == 'TFO']
    yield from expect('a status a cycle', [row['fields']['cycle'] for row in statuses],
                      list(range(len(CYCLES.split()))))
    yield from expect('statuses', [row['kind'] for row in statuses[1:]],
                      [cycle.split(':')[0] for cycle in CYCLES.split()[1:]])
    others = [row for row in found if row not in statuses]
    yield from expect('packets', [(row['kind'], row['fields']['cycle'], row['fields']['first_cycle'],
                                   row['fields']['status_cycle']) for row in others], PACKETS)
    # proves: ETM2-6.7.2-a
    yield from expect('reasons', {row['kind'] for row in found if 'reason' in row['fields']}, {'NORMAL_TFO'})
    yield from expect('bytes', b''.join(bytes.fromhex(row['bytes']) for row in found),
                      b''.join(samples(CYCLES)))
    text = run(cairn, 'packets', *UNIT, port)
    yield from expect_in('text', 'Normal TFO packet', text.out)
    yield from expect_in('text', 'TFO value=0', text.out)


def check_flow(cairn, port, image, *options):
    answer = run(cairn, 'flow', '--format', 'addresses', *UNIT, *options, *image, port)
    yield from expect('status', answer.status, 0)
    yield from expect('what ran', [line for line in answer.lines() if line[0] != '#'], RAN)
    yield from expect_in('exception', 'exception Supervisor Call at 0x801c', answer.out)


def check_data(cairn, port, image):
    answer = run(cairn, 'data', '--format', 'json', *UNIT, *image, port)
    yield from expect('status', answer.status, 0)
    # proves: ETM2-6.4.2-e
    yield from expect('data', [(row['address'], row['data_address'], row['value'])
                               for row in rows(answer, 'data')],
                      [('0x8004', '0x2000', '0x12'), ('0x800c', '0x2004', '0x34'),
                       ('0x800c', '0x2008', '0x56')])


# ldm r0, {r1-r5}; ldr r1, [r0]; ldm r0, {r0, r1, pc}; ldr pc, [r0]; nop, and a nop at 0x8014
MULTIPLE = struct.pack('<6I', 0xe890003e, 0xe5901000, 0xe8908003, 0xe590f000, 0xe1a00000, 0xe1a00000)
ON = 'TD:09 WT:20 WT:00 WT:80 WT:00 WT:00 '
# The first LDM has words 3, 4 and 5 in the trace, at 0x2008; the fourth is filtered out. LDR at 0x2000. The second LDM
# has the PC first, from 0x2008, then r0 and r1, and goes to 0x8010.
PARTS = ON + '''DE:a6 WT:88 WT:c0 WT:80 WT:80 WT:00 WT:33 WT:ea WT:06 WT:55 DE:26 WT:00 WT:77
    DE:aa WT:08 WT:10 WT:80 WT:86 WT:11 WT:86 WT:22 WT:09 IE:0 TD:0'''
# Three words of the first LDM, then an overflow.
BROKEN = ON + '''DE:a6 WT:88 WT:c0 WT:80 WT:80 WT:00 WT:33 WT:86 WT:44 WT:06 WT:55 TD:0
    TD:09 WT:40 WT:10 WT:80 WT:00 WT:00 IE:0 TD:0'''
# LDR pc goes to 0x9000, where no memory is given; from there a branch leads to 0x8010.
HOLE = ON.replace('WT:00 WT:80', 'WT:0c WT:80') + 'DE:81 WT:90 WT:01 IE:0 IN:0 DE:89 WT:80 WT:01 IE:0 IE:0 TD:0'


def check_multiple(cairn, folder):
    image = ['--core', 'ARM1026EJ-S', '--image', folder.write('multiple.bin', MULTIPLE) + '@0x8000']
    port = folder.write('parts.bin', b''.join(samples(PARTS)))
    answer = run(cairn, 'data', '--format', 'json', '--protocol', 'etmv2', '--set', 'ETMIDR=0x41012110',
                 '--set', 'ETMCR=0x1c', *image, port)
    found = [(row.get('register'), row.get('data_address'), row.get('value')) for row in rows(answer, 'data')]
    # proves: ETM2-6.4.4-a
    yield from expect('a part of LDM', found[:3],
                      [('r3', '0x2008', '0x33'), ('r4', '0x200c', None), ('r5', '0x2010', '0x55')])
    # proves: ETM2-3.5.18-a
    yield from expect('PC first', found[4:], [('pc', '0x2008', '0x8010'), ('r0', '0x2000', '0x11'),
                                              ('r1', '0x2004', '0x22')])
    # trace breaks off behind three words, and goes on with another instruction: which registers they are is not
    # known, but where they are
    port = folder.write('broken.bin', b''.join(samples(BROKEN)))
    answer = run(cairn, 'data', '--format', 'json', *UNIT, *image, port)
    found = [(row['data_address'], row['value'], row.get('register_uncertain')) for row in rows(answer, 'data')]
    # proves: ETM2-6.4.2-e
    yield from expect('words in front of a break', found, [('0x2008', '0x33', True), ('0x200c', '0x44', True),
                                                           ('0x2010', '0x55', True)])


def check_aborts(cairn, folder):
    """The instruction that aborts counts as executed, and is the one to return to (4.5.3, 6.8.1), also if it would
    have led elsewhere, and in Thumb state. A branch to the vector by an instruction without data looks the same."""
    words = struct.pack('<5I', 0xe5901000, 0xe590f000, 0xe12fff11, 0xe1a00000, 0x46c06801) # ldr, ldr pc, bx r1, nop
    image = ['--core', 'ARM1026EJ-S', '--image', folder.write('aborts.bin', words) + '@0x8000',
             '--image', folder.write('vector.bin', VECTOR) + '@0x10']
    to_vector = '89 WT:80 WT:80 WT:80 WT:08 IE:0 TD:0'
    for what, begin, cycles, wanted in (
            ('LDR', ON, 'DE:a6 WT:12 WT:', ' at 0x8000'), ('LDR pc', ON, 'IE:0 DE:', ' at 0x8004'),
            ('BX', ON, 'IE:0 IN:0 DE:', ' at an unknown address'), ('Thumb LDR', ON.replace('WT:00 WT:80', 'WT:11 WT:80'), 'DE:', ' at 0x8010')):
        port = folder.write('abort.bin', b''.join(samples(begin + cycles + to_vector)))
        for way in ([], ['--reference']):
            answer = run(cairn, 'flow', '--format', 'addresses', *UNIT[:-1], 'ETMCR=0x14', *way, *image, port)
            told = [line for line in answer.lines() if '# exception' in line]
            # proves: ETM2-6.8.1-a
            yield from expect(what, told, ['# exception Data Abort or software watchpoint' + wanted])
    port = folder.write('abort.bin', b''.join(samples(ON + 'DE:a6 WT:12 WT:' + to_vector)))
    answer = run(cairn, 'data', '--format', 'json', *UNIT[:-1], 'ETMCR=0x14', *image, port)
    found = [(row['type'], row['address'], row.get('warning')) for row in answer.rows()]
    # proves: ETM2-6.8.1-a
    yield from expect('its data', found, [('data', '0x8000', None), ('warning', '0x8000', 'imprecise')])
    if jsonschema:
        schemas = Schemas(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
        yield from schemas.problems('data', answer.all_rows())
    text = run(cairn, 'data', *UNIT[:-1], 'ETMCR=0x14', *image, port)
    yield from expect_in('its data', '# warning at 0x8000: what ran before the exception, or its data', text.out)


def check_hole(cairn, folder):
    image = ['--core', 'ARM1026EJ-S', '--image', folder.write('multiple.bin', MULTIPLE) + '@0x8000']
    port = folder.write('hole.bin', b''.join(samples(HOLE)))
    answer = run(cairn, 'flow', '--format', 'addresses', '--protocol', 'etmv2', '--set', 'ETMIDR=0x41002110',
                 '--set', 'ETMCR=0x10', *image, port)
    # proves: ETM2-6.6-b
    yield from expect('what ran where memory is known', [line for line in answer.lines() if line[0] != '#'],
                      ['800c E', '8010', '8014'])
    yield from expect_in('the hole', 'gap', answer.out)


def check_data_of_hole(cairn, folder):
    """The first LDM has two of its five words in the trace when a branch leads where no memory is given: data there is
    not given to it, whether it says where it is (A) or not."""
    image = ['--core', 'ARM1026EJ-S', '--image', folder.write('multiple.bin', MULTIPLE) + '@0x8000']
    begins = ON + 'DE:a6 WT:88 WT:c0 WT:80 WT:80 WT:00 WT:33 WT:06 WT:44 DE:81 WT:90 WT:01 '
    for what, there in (('A is 0', 'DE:06 WT:55 '), ('A is 1', 'DE:26 WT:10 WT:55 ')):
        port = folder.write('hole.bin', b''.join(samples(begins + there + 'IE:0 DE:89 WT:80 WT:01 IE:0 IE:0 TD:0')))
        answer = run(cairn, 'data', '--format', 'json', *UNIT, *image, port)
        found = [(row.get('address'), row.get('value')) for row in rows(answer, 'data')]
        # proves: ETM2-6.6-c
        yield from expect(what, found, [('0x8000', '0x33'), ('0x8000', '0x44'), (None, '0x55')])


def check_beginnings(cairn, folder):
    """Trace that begins at the second half of a Thumb BL, which is an instruction of its own (4.5.4), and in the
    middle of an LDM, whose status has the address of what comes next (6.5.5)."""
    halves = struct.pack('<6H', 0xf000, 0xf802, 0x46c0, 0x46c0, 0x46c0, 0x46c0)   # 8000  bl 0x8008
    trace = ON.replace('WT:00 WT:80', 'WT:03 WT:80') + 'IE:0 IE:0 TD:0'
    for what, code, cycles, ran, warned in (
            ('the second half of BL', halves, trace, ['8000 E', '8008'], 0),
            ('LDM', MULTIPLE, ON + 'DE:09 IE:0 TD:0', ['8000', '8010'], 0),
            # another instruction than LDM leads where it leads, be it the first one
            ('MOV', CODE, ON + 'DE:09 IE:0 TD:0', ['8000', '8010 E'], 1)):
        port = folder.write('begin.bin', b''.join(samples(cycles)))
        image = ['--core', 'ARM1026EJ-S', '--image', folder.write('begin.code', code) + '@0x8000']
        for way in ([], ['--reference']):
            answer = run(cairn, 'flow', '--format', 'addresses', *UNIT[:-1], 'ETMCR=0x10', *way, *image, port)
            yield from expect(what, [line for line in answer.lines() if line[0] != '#'], ran)
            yield from expect('warnings of ' + what, len([line for line in answer.lines() if '# warning' in line]),
                              warned)


def check_undefined(cairn, folder):
    """A kernel's BUG(): an undefined instruction raises its exception (4.5.3). Where flow goes on behind it instead, the
    image has something else than what ran."""
    words = struct.pack('<4I', 0xe1a00000, 0xe7f001f2, 0xe1a00000, 0xe1a00000)   # nop, udf, nop, nop
    image = ['--core', 'ARM1026EJ-S', '--image', folder.write('bug.bin', words) + '@0x8000',
             '--image', folder.write('vector.bin', VECTOR) + '@4']
    raises = ON + 'IE:0 DE:83 WT:80 WT:00 DE:85 WT:80 WT:01 IE:0 IE:0 TD:0'
    for cycles, ran, warned in ((raises, ['8000', '8004', '4 E', '8008', '800c'], False),
                                (ON + 'IE:0 IE:0 IE:0 IE:0 TD:0', ['8000', '8004', '8008', '800c'], True)):
        port = folder.write('bug.port', b''.join(samples(cycles)))
        for way in ([], ['--reference']):
            answer = run(cairn, 'flow', '--format', 'addresses', *UNIT[:-1], 'ETMCR=0x10', *way, *image, port)
            yield from expect('what ran', [line for line in answer.lines() if line[0] != '#'], ran)
            yield from expect('warning', 'undefined instruction was reached' in answer.out, warned)
        answer = run(cairn, 'check', *UNIT[:-1], 'ETMCR=0x10', *image, port)
        yield from expect('contradiction', 'contradicts the trace' in answer.out, warned)
        yield from expect('status', answer.status, 1 if warned else 0)


def check_check(cairn, folder, port, image):
    answer = run(cairn, 'check', *UNIT, *image, port)
    yield from expect('status', answer.status, 0)
    damaged = list(samples(CYCLES))
    damaged.insert(8, damaged[8])   # a byte of the load's address comes twice, so that it has six
    answer = run(cairn, 'check', *UNIT, *image, folder.write('damaged.bin', b''.join(damaged)))
    yield from expect('status of a cycle too many', answer.status > 0, True)
    yield from expect_in('a cycle too many', 'could not be read', answer.out)
    answer = run(cairn, 'check', *UNIT[:-1], 'ETMCR=0xc', *image, port)
    yield from expect('status of a wrong width', answer.status > 0, True)
    yield from expect_in('a wrong width', 'with ETMCR=0x1c 0 bytes would not fit', ' '.join(answer.out.split()))
    yield from expect_in('a wrong width', 'bits 6:4, the pins of TRACEPKT', ' '.join(answer.out.split()))


def check_described(cairn, folder, port, image):
    """Registers in an INI file; without a protocol ETMIDR decides."""
    ini = folder.write('unit.ini', '[buffer]\nformat=source_data\n[source etm]\ncore=ARM1026EJ-S\n'
                       'ETMIDR=0x41002110\nETMCR=0x1c\n')
    info = run(cairn, 'info', '--config', ini, *image, port)
    yield from expect('status', info.status, 0)
    for part in ('ETMv2 2.1', 'trace port pins 8', 'every byte is in one account'):
        yield from expect_in('info', part, info.out)
    wrong = run(cairn, 'packets', '--protocol', 'etmv2', '--set', 'ETMCR=0x30', port)
    yield from expect('status of a port of 24 pins', wrong.status, 2)
    yield from expect_in('why', 'port size (bits 6:4) is 3', wrong.err)


def check_schemas(cairn, port, image):
    schemas = Schemas(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
    for command in ('info', 'packets', 'elements', 'flow', 'data'):
        answer = run(cairn, command, '--format', 'json', *UNIT, *(image if command != 'packets' else []), port)
        yield from schemas.problems(command, answer.all_rows())


def main():
    cairn = sys.argv[1]
    tap = Tap()
    with tempfile.TemporaryDirectory() as top:
        folder = Folder(top)
        port = folder.write('port.bin', b''.join(samples(CYCLES)))
        image = ['--core', 'ARM1026EJ-S', '--image', folder.write('code.bin', CODE) + '@0x8000',
                 '--image', folder.write('vector.bin', VECTOR) + '@8']
        tap.case('packets: a status a cycle, and packets where they end', check_packets(cairn, port))
        tap.case('flow is what ran', check_flow(cairn, port, image))
        tap.case('flow by the reference', check_flow(cairn, port, image, '--reference'))
        tap.case('data of the instructions that placed it', check_data(cairn, port, image))
        tap.case('load multiple: a part, and the PC first', check_multiple(cairn, folder))
        tap.case('flow goes on behind code that is not known', check_hole(cairn, folder))
        tap.case('data where code is not known', check_data_of_hole(cairn, folder))
        tap.case('trace that begins within an instruction', check_beginnings(cairn, folder))
        tap.case('data aborts return to the instruction', check_aborts(cairn, folder))
        tap.case('undefined instructions raise their exception', check_undefined(cairn, folder))
        tap.case('damage and a wrong width are told', check_check(cairn, folder, port, image))
        tap.case('a description by hand', check_described(cairn, folder, port, image[2:]))
        if jsonschema:
            tap.case('JSON is as the schemas say', check_schemas(cairn, port, image))
        else:
            tap.skip('JSON is as the schemas say', WANTED)
    tap.end()


if __name__ == '__main__':
    main()
