#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What examples/waveform.c draws is read back as the same trace, on ports of every width.

usage: waveform.py CAIRN EXAMPLE-WAVEFORM
"""
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'house'))
from tap import Tap, program  # noqa: E402

# A-sync, I-sync at 0x8000, E, a trigger, EE, W (cycle-accurate tracing is off: Ignore), EEE
TRACE = bytes.fromhex('000000000080 082100800000 84 0c 88 66 8c')
INI = '[source arm]\nfile=%s\nprotocol=ETMv3\nETMCR=0\nETMIDR=0x4104f230\n'


def run(*command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True).stdout


def packets(cairn, folder, name):
    """Kinds and payloads, without what only fills the port."""
    ini = os.path.join(folder, name + '.ini')
    with open(ini, 'w') as file:
        file.write(INI % name)
    rows = run(*program(cairn), 'packets', ini).decode().splitlines()[1:]
    texts = [row[22:].split('  ', 1) for row in rows]
    return ini, [(bytes.fromhex(raw.replace(' ', '')), rest.strip()) for raw, rest in texts
                 if 'Ignore' not in rest]


def check(cairn, example, folder, pins):
    ini, wanted = packets(cairn, folder, 'trace.bin')
    with open(os.path.join(folder, 'trace.vcd'), 'wb') as file:
        file.write(run(*program(example), ini, str(pins)))
    _, got = packets(cairn, folder, 'trace.vcd')
    if got != wanted or len(got) != 6:
        yield 'got %s, wanted %s' % (got, wanted)


# An ETMv1's cycles as OpenOCD dumps them: PIPESTAT, TRACEPKT, flags.
DUMP = struct.pack('>3I', 4, 0x1014, 4) + b''.join(
    struct.pack('>3I', *record) for record in [(4, 0x80, 1), (0, 0xa0, 0), (3, 0x55, 0), (7, 1, 0)])
# PIPESTAT, TRACESYNC and TRACEPKT at each rising edge; what does not change is not written again.
CHANGES = """b100 "
1#
b10000000 $
b000 "
0#
b10100000 $
b011 "
b01010101 $
b111 "
b00000001 $
"""


def check_samples(example, folder):
    """The wires are those of the cycles, and a waveform of the waveform is the same."""
    with open(os.path.join(folder, 'etm.bin'), 'wb') as file:
        file.write(DUMP)
    drawn = run(*program(example), file.name, '8')
    with open(os.path.join(folder, 'etm.vcd'), 'wb') as file:
        file.write(drawn)
    lines = drawn.decode().split('$end\n')[-1].splitlines()
    got = ''.join(line + '\n' for line in lines if line[0] != '#' and line[-1] != '!')
    if got != CHANGES:
        yield 'got %r' % got
    if run(*program(example), file.name, '8') != drawn:
        yield 'a waveform of the waveform is another one'


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 'trace.bin'), 'wb') as file:
            file.write(TRACE)
        for pins in (1, 2, 4, 8, 16, 24, 32):
            tap.case('%d pins' % pins, check(sys.argv[1], sys.argv[2], folder, pins))
        tap.case('samples', check_samples(sys.argv[2], folder))
    tap.end()


main()
