#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A protocol that is a folder and a line: packets, elements and flow of it, by the whole program.

usage: test_toy.py CAIRN_WITH_TOY CAIRN
"""
import os
import struct
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
from common import Folder, Tap, expect, expect_in, run  # noqa: E402

# A64, from 0x1000 on:
CODE = struct.pack('<5I',
                   0xd503201f,   # 1000  nop
                   0xb4000060,   # 1004  cbz x0, 0x1010
                   0xd503201f,   # 1008  nop
                   0xd65f03c0,   # 100c  ret
                   0x17fffffc)   # 1010  b 0x1000


def address(value):
    return b'A' + struct.pack('<Q', value)


SYNC = b'\0\0\0\0\0\x80'
# cbz taken, b, cbz not taken, ret, which goes to 0x1010, b
TRACE = SYNC + address(0x1000) + b'EE.NE' + address(0x1010) + b'E'
RAN = ['1000', '1004 E', '1010 E', '1000', '1004 N', '1008', '100c E', '1010 E']
KINDS = ['A_SYNC', 'ADDRESS', 'ATOM_E', 'ATOM_E', 'IGNORE', 'ATOM_N', 'ATOM_E', 'ADDRESS',
         'ATOM_E']
ELEMENTS = ['Context', 'Target Address', 'Atom', 'Atom', 'Atom', 'Atom', 'Context', 'Target Address', 'Atom']


def rows(answer, kind):
    return [row for row in answer.rows() if row['type'] == kind]


def check_packets(cairn, raw):
    answer = run(cairn, 'packets', '--format', 'json', '--protocol', 'toy', raw)
    yield from expect('status', answer.status, 0)
    yield from expect('kinds', [row['kind'] for row in rows(answer, 'packet')], KINDS)
    answer = run(cairn, 'packets', '--protocol', 'toy', raw)
    yield from expect('listed', len(answer.lines()), 1 + len(KINDS))


def check_elements(cairn, raw):
    answer = run(cairn, 'elements', '--format', 'json', '--protocol', 'toy', raw)
    yield from expect('status', answer.status, 0)
    yield from expect('kinds', [row['kind'] for row in rows(answer, 'element')
                                if row['kind'] != 'Gap'], ELEMENTS)


def check_flow(cairn, raw, image, *options):
    answer = run(cairn, 'flow', '--format', 'addresses', '--protocol', 'toy', '--image', image, *options, raw)
    yield from expect('status', answer.status, 0)
    yield from expect('what ran', [line for line in answer.lines() if line[0] != '#'], RAN)


def check_damage(cairn, folder, image):
    """What a reserved packet, a cut one and an end in the middle of one lose."""
    raw = folder.write('damaged.bin', SYNC + address(0x1000) + b'E?E' + SYNC + address(0x1000) + b'EA\1' + SYNC +
                       address(0x1000) + b'EA\1')
    flows = [run(cairn, 'flow', '--format', 'addresses', '--protocol', 'toy', '--image', image, *options, raw)
             for options in ([], ['--reference'])]
    for answer in flows:
        yield from expect('what ran', [line for line in answer.lines() if line[0] != '#'], ['1000', '1004 E'] * 3)
    packets = run(cairn, 'packets', '--format', 'json', '--protocol', 'toy', raw)
    yield from expect('damage', [row['kind'] for row in rows(packets, 'packet')
                                 if row['kind'] in ('RESERVED', 'CUT', 'INCOMPLETE')],
                      ['RESERVED', 'CUT', 'INCOMPLETE'])


def check_words(cairn, folder, raw):
    """Its name, its type, its witness, its registers and what it needs are known wherever others' are."""
    yield from expect_in('help', ' or toy', run(cairn, 'flow', '--help').out)
    ini = folder.write('unknown.ini', '[source core]\nprotocol=nothing\n')
    yield from expect_in('instead of an unknown one', ' or Toy', run(cairn, 'info', '--config', ini, raw).err)
    yield from expect('not recorded', 'toy' in run(cairn, 'record', '--help').out, False)
    ini = folder.write('toy.ini', '[source core]\nprotocol=toy1.2\nTOYCR=1\n')
    yield from expect_in('info by type', 'Toy', run(cairn, 'info', '--config', ini, raw).out)
    ini = folder.write('register.ini', '[source core]\nprotocol=toy\nTOYCT=1\n')
    yield from expect_in('a misspelt register', 'TOYCR', run(cairn, 'check', '--config', ini, raw).out)
    ini = folder.write('type.ini', '[source core]\nTOYCR=1\n')
    yield from expect_in('by its witness', 'Toy', run(cairn, 'info', '--config', ini, raw).out)


def snapshot_of(folder, unit_type):
    folder.write('%s/snapshot.ini' % unit_type,
                 '[snapshot]\nversion=1.0\n[device_list]\ndevice0=unit.ini\n[trace]\nmetadata=trace.ini\n')
    folder.write('%s/unit.ini' % unit_type,
                 '[device]\nname=UNIT\nclass=trace_source\ntype=%s\n[regs]\nTOYTRACEIDR=0x10\n' % unit_type)
    folder.write('%s/trace.ini' % unit_type, '[trace_buffers]\nbuffers=buffer0\n[buffer0]\nname=BUFFER\n'
                 'file=trace.bin\nformat=source_data\n[source_buffers]\nUNIT=BUFFER\n')
    folder.write('%s/trace.bin' % unit_type, TRACE)
    return os.path.join(folder.path, unit_type)


def check_snapshot(cairn, folder):
    answer = run(cairn, 'packets', '--format', 'json', snapshot_of(folder, 'TOY'))
    yield from expect('kinds', [row['kind'] for row in rows(answer, 'packet')], KINDS)
    answer = run(cairn, 'info', '--all', snapshot_of(folder, 'NOTHING'))
    yield from expect_in('instead of an unknown one', ' and Toy are)', answer.out)


def check_other(plain, raw):
    """Without the line there is no such protocol."""
    answer = run(plain, 'packets', '--protocol', 'toy', raw)
    yield from expect('status', answer.status, 2)
    yield from expect_in('refused', 'expected etmv4', answer.err)
    yield from expect('named', ' toy' in answer.err.partition('expected')[2], False)


def main():
    cairn, plain = sys.argv[1:3]
    tap = Tap()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        raw = folder.write('toy.bin', TRACE)
        image = '%s@0x1000' % folder.write('code.bin', CODE)
        tap.case('packets', check_packets(cairn, raw))
        tap.case('elements', check_elements(cairn, raw))
        tap.case('flow, by the engine', check_flow(cairn, raw, image))
        tap.case('flow, by the reference', check_flow(cairn, raw, image, '--reference'))
        tap.case('damage', check_damage(cairn, folder, image))
        tap.case('what is said of it', check_words(cairn, folder, raw))
        tap.case('in a snapshot', check_snapshot(cairn, folder))
        tap.case('the program without it', check_other(plain, raw))
    tap.end()


main()
