#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""cairn calls and cairn profile of hand-made traces: threads, gaps and clocks, where each row follows from the program.

usage: test_calls.py CAIRN
"""
import json
import sys
import tempfile

from common import START, Folder, Tap, bytes_of, expect, expect_in, run, words

NOP, RET, E = 0xd503201f, 0xd65f03c0, b'\xf7'
SYNC = bytes(11) + bytes_of('80 01 00 04')  # A-sync, Trace Info
OVERFLOW = bytes_of('00 05')


def link(at, to):
    return 0x94000000 | (to - at) >> 2 & 0x3ffffff


def jump(at, to):
    return 0x14000000 | (to - at) >> 2 & 0x3ffffff


def code(size, at):
    """Words of a program at 0x1000: NOP where nothing is said."""
    return words([at.get(0x1000 + i, NOP) for i in range(0, size, 4)])


def address(at):
    """Target Address, long, of 32 bits."""
    return bytes([0x9a, at >> 2 & 0x7f, at >> 9 & 0x7f]) + (at >> 16).to_bytes(2, 'little')


def context(at, number=None):
    """Target Address with Context: EL1, with a context ID if one is given."""
    tail = b'\x31' if number is None else b'\xb1' + number.to_bytes(4, 'little')
    return bytes([0x82, at >> 2 & 0x7f, at >> 9 & 0x7f]) + (at >> 16).to_bytes(2, 'little') + tail


def basic(elf, trace, *more):
    return ['--protocol', 'ete', '--frames', 'none', *more, '--image', elf, trace]


def calls_of(cairn, *arguments):
    return [row for row in run(cairn, 'calls', '--format', 'json', *arguments).rows() if row['type'] == 'call']


def check_threads(cairn, folder):
    """Trace is lost while context 1 executes; context 2, which was in g, goes on in h: nothing tells how it came there."""
    elf = folder.elf('threads.elf', {0x1000: code(0x90, {
        0x1000: link(0x1000, 0x1010), 0x1008: jump(0x1008, 0x1000), 0x1014: jump(0x1014, 0x1018), 0x101c: RET,
        0x1064: link(0x1064, 0x1080), 0x1068: RET, 0x1084: RET})},
        [('main', 0x1000, 12), ('g', 0x1010, 16), ('h', 0x1060, 12), ('leaf', 0x1080, 8)])
    trace = folder.write('threads.bin', SYNC + context(0x1000, 1) + E + E + context(0x1000, 2) + E + E +
                         context(0x1018, 1) + E + address(0x1004) + E +
                         OVERFLOW + SYNC + context(0x1064, 2) + E + E + address(0x1068))
    rows = calls_of(cairn, *basic(elf, trace, '--set', 'TRCCONFIGR=0x41'))
    second = [(row['function'], row['kind'], row['end']) for row in rows if row['context_id'] == 2]
    yield from expect('context 2', second, [('g', 'called', 'cut'), ('main', 'found', 'cut'),
                                            ('leaf', 'called', 'open'), ('h', 'found', 'open')])


def check_totals(cairn, folder):
    """main calls code without a symbol twice, of two instructions: what threads execute is no call of it."""
    elf = folder.elf('unknown.elf', {0x1000: code(12, {0x1000: link(0x1000, 0x2000), 0x1008: jump(0x1008, 0x1000)})},
                     [('main', 0x1000, 12)])
    raw = folder.write('raw.bin', words([NOP, RET]))
    trace = folder.write('unknown.bin', START + E + E + address(0x1004) + E + E + E + address(0x1004) + E)
    arguments = basic(elf, trace, '--image', raw + '@0x2000')
    rows = run(cairn, 'profile', '--format', 'json', *arguments).rows()
    yield from expect('totals', {row['function']: (row['instructions'], row['total_instructions'], row['calls'])
                                 for row in rows if row['type'] == 'function'}, {'main': (6, 10, 0), None: (4, 4, 2)})


def main():
    cairn, tap = sys.argv[1], Tap()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        tap.case('a gap is one of every thread', check_threads(cairn, folder))
        tap.case('totals where some code is of no function', check_totals(cairn, folder))
    tap.end()


main()
