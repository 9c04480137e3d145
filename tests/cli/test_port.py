#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Files of a trace port as a user lists them; docs/trace-port.md says what is true.

usage: test_port.py CAIRN
"""
import os
import re
import struct
import subprocess
import sys
import tempfile

from common import Folder, Tap, expect, expect_in, program, run

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')


def page():
    with open(os.path.join(TOP, 'docs', 'trace-port.md'), encoding='utf-8') as file:
        return file.read()


def blocks(text, kind):
    return re.findall(r'^```%s\n(.*?)^```' % kind, text, re.M | re.S)


def block(text, kind):
    return blocks(text, kind)[0]


def check_page(cairn, folder):
    """Each command of the page prints what the page says, of the files that the page has."""
    text = page()
    for name, data in zip(('port.vcd', 'board.vcd'), blocks(text, 'vcd')):
        folder.write(name, data)
    folder.write('board.ini', blocks(text, 'ini')[0])
    folder.write('firmware.bin', struct.pack('<4I', *(int(word, 16) for word in block(text, 'hex').split())))
    parts = [part for console in blocks(text, 'console') for part in re.split(r'^\$ (.*)\n', console, flags=re.M)[1:]]
    yield from expect('commands', len(parts) // 2, 6)
    for command, wanted in zip(parts[::2], parts[1::2]):
        done = subprocess.run([*program(os.path.abspath(cairn)), *command.split()[1:]], cwd=folder.path, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        got = done.stdout.decode()
        if '.inst' in got:  # without LLVM instructions have no text: addresses, E and N
            got, wanted = ([line[:14] for line in text.splitlines()] for text in (got, wanted))
        yield from expect(command, got, wanted)


# PIPESTAT 9, TRACEPKT a5 at the rising edge, PIPESTAT a at the falling one
V2 = ('$scope module la $end $var wire 1 c D0 $end $var wire 4 p STATUS [3:0] $end\n'
      '$var wire 8 d PKT [7:0] $end $upscope $end $enddefinitions $end\n'
      '#0 0c b1001 p b10100101 d #1 1c #2 b1010 p #3 0c #4\n')
PINS = 'TRACECLK=la.D0,PIPESTAT=STATUS,TRACEPKT=PKT'


def check_options(cairn, folder):
    """--pins, --port-width, --port-mode, and the same in an INI file."""
    path = folder.write('v2.vcd', V2)
    answer = run(cairn, 'info', path)
    yield from expect('status without --pins', answer.status, 2)
    yield from expect_in('what there is', 'Its wires are D0, STATUS, PKT', answer.err)
    answer = run(cairn, 'info', '--pins', PINS, path)
    yield from expect_in('ETMv2', 'an ETMv2, 8 pins, mode normal: 1 cycle, 1 of them', answer.out)
    answer = run(cairn, 'info', '--pins', PINS, '--port-width', 4, '--port-mode', 'half-rate', path)
    yield from expect_in('half-rate', 'an ETMv2, 4 pins, mode half-rate: 2 cycles', answer.out)
    ini = folder.write('v2.ini', '[source arm]\nfile=v2.vcd\nprotocol=ETMv2\npins=%s\n'
                       'port_width=4\nport_mode=half-rate\n' % PINS)
    answer = run(cairn, 'info', ini)
    yield from expect_in('INI', 'an ETMv2, 4 pins, mode half-rate: 2 cycles', answer.out)
    for option, value, part in [('--port-width', 33, 'how many pins, 1 to 32'),
                                ('--port-width', 'x', 'how many pins'),
                                ('--port-mode', 'fast', 'has no mode "fast"; give one of normal')]:
        answer = run(cairn, 'info', '--pins', PINS, option, value, path)
        yield from expect('status of %s %s' % (option, value), answer.status, 2)
        yield from expect_in(option, part, answer.err)


def check_names(cairn, folder):
    """Wires that stand one by one are listed with their numbers, and control characters of names are not printed."""
    path = folder.write('one.vcd', ''.join('$var wire 1 %s %s $end\n' % row for row in
                                           (('a', 'PIPESTAT[0]'), ('b', 'PIPESTAT [1]'), ('c', '\x1b[31mX'))) +
                        '$enddefinitions $end\n#0\n')
    answer = run(cairn, 'info', '--protocol', 'etmv1', path)
    yield from expect_in('wires', 'Its wires are PIPESTAT[0], PIPESTAT[1], ?[31mX', answer.err)


def check_pipe(cairn, folder):
    """A recording through a pipe is read as a file's is."""
    text = block(page(), 'vcd')
    as_file = run(cairn, 'packets', folder.write('port.vcd', text))
    piped = subprocess.run([*program(cairn), 'packets', '-'], input=text.encode(), check=False,
                           stdout=subprocess.PIPE)
    yield from expect('lines', piped.stdout.decode().splitlines()[1:], as_file.lines()[1:])
    yield from expect('packets', len(as_file.lines()), 6)


def check_dump(cairn, folder):
    dump = struct.pack('>9I', 4, 0x1014, 2, 4, 0x80, 1, 0, 0, 0)
    answer = run(cairn, 'info', folder.write('etm.bin', dump))
    yield from expect_in('dump', "OpenOCD's dump of an ETMv1, ETMCR 0x1014: 2 cycles", answer.out)
    yield from expect_in('account', 'every byte is in one account: 8 bytes in 1 buffer', answer.out)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        tap.case('docs/trace-port.md', check_page(sys.argv[1], folder))
        tap.case('pins, width and mode', check_options(sys.argv[1], folder))
        tap.case('names', check_names(sys.argv[1], folder))
        tap.case('a pipe', check_pipe(sys.argv[1], folder))
        tap.case("OpenOCD's dump", check_dump(sys.argv[1], folder))
    tap.end()


main()
