#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Sessions of sigrok's (.sr): what a trace port showed is the same flow in them as in a value change dump; damaged ones
are told; and sigrok-cli reads what is written, and writes what is read.

usage: test_sessions.py CAIRN EXAMPLE-WAVEFORM
"""
import io
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import warnings
import zipfile

import port
from common import Folder, Tap, expect, expect_in, program, run, spoiled

WITHOUT = 'was built without libzip'
WIDTH, BRANCHES = 8, 12


class Bench:
    def __init__(self, cairn, waveform, folder):
        self.cairn, self.waveform, self.folder = cairn, waveform, folder
        self.image = folder.program(port.image())
        self.cycles = port.cycles(WIDTH, BRANCHES)
        self.levels = port.steps(WIDTH, self.cycles)
        self.wanted = self.flow(folder.write('la.vcd', port.vcd(self.levels)))

    def flow(self, path, *options):
        """Addresses: the lines of them, without the name of the file."""
        return run(self.cairn, 'flow', '--format', 'addresses', *self.image, *options, path).lines()[1:]

    def info(self, data, *options):
        return run(self.cairn, 'info', *options, self.folder.write('la.sr', data))

    def same(self, data, *options):
        yield from expect('flow', self.flow(self.folder.write('la.sr', data), *options), self.wanted)

    def refused(self, data, *parts):
        answer = self.info(data)
        yield from expect('status', answer.status, 2)
        for part in parts:
            yield from expect_in('sentence', part, answer.err)


def layouts(bench):
    """Chunks of any size, in any order; units of one, two and nine bytes; version 1, which has one chunk without a number."""
    yield from expect('flow is long', len(bench.wanted) > BRANCHES * port.LENGTH, True)
    for options in ({}, {'chunk': 7}, {'chunk': 7, 'numbers': 'reversed'}, {'unit_size': 9, 'before': 55},
                    {'unit_size': 2}, {'numbers': 'none', 'version': '1'}):
        yield from bench.same(port.session(bench.levels, **options))
    answer = bench.info(port.session(bench.levels, chunk=500))
    yield from expect_in('session', "is a session of sigrok's, sampled at 24 MHz, in %d chunks."
                         % -(-len(bench.levels) // 500), ' '.join(answer.out.split()))


def seeking(bench):
    """Windows begin anywhere: places are kept inside chunks, whose bytes are unpacked from their beginning."""
    path = bench.folder.write('long.sr', port.session(port.steps(WIDTH, port.cycles(WIDTH, 120)), chunk=3000))
    whole = run(bench.cairn, 'packets', '--format', 'json', path).rows()
    rows = [row for row in whole if row['type'] == 'packet']
    for at in (len(rows) // 3, len(rows) - 5):
        offset = rows[at]['offset']
        answer = run(bench.cairn, 'packets', '--format', 'json', '--from', hex(offset), path)
        part = [row for row in answer.rows() if row['type'] == 'packet']
        yield from expect('packets from %#x' % offset, part[-3:], rows[-3:])


def names(bench):
    """Channels called otherwise, of which one is upside down."""
    names = {'PIPESTAT[%d]' % i: 'S%d' % i for i in range(3)}
    names.update({'TRACEPKT[%d]' % i: 'POD[%d]' % i for i in range(WIDTH)}, TRACESYNC='NSYNC')
    levels = [dict(step, NSYNC=1 - step['NSYNC']) for step in port.steps(WIDTH, bench.cycles, names=names)]
    pins = 'PIPESTAT[0]=S0,PIPESTAT[1]=S1,PIPESTAT[2]=S2,TRACEPKT=POD,TRACESYNC=!NSYNC'
    data = port.session(levels)
    yield from bench.same(data, '--pins', pins)
    yield from expect('upright', bench.flow('%s/la.sr' % bench.folder.path, '--pins', pins.replace('!', ''))
                      != bench.wanted, True)
    answer = bench.info(data)
    yield from expect_in('channels', 'Its wires are NSYNC, POD[0], POD[1]', answer.err)


def damage(bench):
    """A chunk that is missing or cannot be unpacked is a gap, and the rest is read."""
    chunk = len(bench.levels) // 4
    text = ' '.join(bench.info(port.session(bench.levels, chunk=chunk, leave=(2,))).out.split())
    yield from expect_in('missing', '1 chunk of it is missing between others (logic-1-NUMBER)', text)
    chunk = len(bench.levels) // 7
    for leave, part in (((1, 2), '2 chunks of it are missing in front of others'),
                        ((1, 3), '2 chunks of it are missing in front of and between others')):
        answer = bench.info(port.session(bench.levels, chunk=chunk, leave=leave))
        yield from expect_in('missing %s' % (leave,), part, ' '.join(answer.out.split()))
    out = io.BytesIO(port.session(bench.levels, chunk=chunk))
    with warnings.catch_warnings(), zipfile.ZipFile(out, 'a') as file:
        warnings.simplefilter('ignore')
        file.writestr('logic-1-2', bytes(4))
    yield from expect_in('twice', '1 chunk of it is there twice (logic-1-NUMBER)', ' '.join(bench.info(out.getvalue()).out.split()))
    chunk = len(bench.levels) // 4
    text = ' '.join(bench.info(port.session(bench.levels, chunk=chunk, leave=(2,))).out.split())
    yield from expect_in('break', 'in 1 place (a chunk is missing, or damaged)', text)
    lost = bench.flow(bench.folder.path + '/la.sr')
    yield from expect('some is there', 0 < len(lost) < len(bench.wanted), True)
    text = ' '.join(bench.info(port.session(port.steps(WIDTH, port.cycles(WIDTH, 100)), chunk=1 << 16,
                                            damage='logic-1-1')).out.split())
    yield from expect_in('damaged', '1 chunk of it cannot be unpacked to its end', text)
    text = ' '.join(bench.info(port.session(bench.levels, metadata='[device 2]\ncapturefile=logic-2\n')).out.split())
    yield from expect_in('devices', 'has more than one device', text)


def refused(bench):
    """What is no session, or none that can be read, is refused with what to do."""
    whole = port.session(bench.levels)
    yield from bench.refused(whole[:len(whole) // 2], 'the file was cut off', 'save the session, once more')
    yield from bench.refused(port.session(bench.levels, version='3'), 'version "3", of which 1 and 2 are known')
    yield from bench.refused(port.session(bench.levels, leave=(1,)), 'has no logic-1-1')
    yield from bench.refused(port.session(bench.levels).replace(b'metadata', b'metatada'), 'without the metadata')
    yield from bench.refused(port.session(bench.levels, version=None), 'without the version')
    out = io.BytesIO(port.session(bench.levels))
    with zipfile.ZipFile(out, 'a') as file:
        file.writestr('logic-1-4294967296', bytes(4))
    yield from bench.refused(out.getvalue(), 'has a logic-1-4294967296, a number that no session comes to')
    levels = [{name.replace('TRACECLK', '\x1b[31mX'): level for name, level in step.items()} for step in bench.levels]
    yield from bench.refused(port.session(levels), 'Its wires are ?[31mX, PIPESTAT[0]')
    yield from bench.refused(port.session(bench.levels, unit_size=2, metadata='unitsize=1\n'),
                             'but a unit has 1 byte, and so 8 channels')
    yield from bench.refused(port.session(bench.levels, metadata='unitsize=65\n'), 'units of 65 bytes (unitsize), of which 1 to 64')


def not_there(bench):
    """libzip is loaded when a session is read: where it cannot be, that is said, and all else is as before."""
    path = bench.folder.write('whole.sr', port.session(bench.levels))
    spoilt = spoiled(bench.folder, 'libzip.so.4', 'libzip.so.5')
    answer = run(bench.cairn, 'info', path, LD_LIBRARY_PATH=spoilt)
    yield from expect('status', answer.status, 2)
    yield from expect_in('sentence', 'whole.sr: is a session of sigrok\'s, and libzip, which reads it, cannot be loaded', answer.err)
    answer = run(bench.cairn, 'flow', '--format', 'addresses', *bench.image, bench.folder.write('la.vcd', port.vcd(bench.levels)),
                 LD_LIBRARY_PATH=spoilt)
    yield from expect('without a session', answer.lines()[1:], bench.wanted)


def bounds(bench):
    """Memory does not grow with what is packed: 24 MiB of zeros in a file of some KiB; nor with an archive's directory."""
    out = io.BytesIO(port.session(bench.levels))
    with zipfile.ZipFile(out, 'a', zipfile.ZIP_DEFLATED) as file:
        for number in range(2, 6):
            file.writestr('logic-1-%d' % number, bytes(6 << 20))
    path = bench.folder.write('bomb.sr', out.getvalue())
    script = 'import resource, subprocess, sys\n' \
        'subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n' \
        'print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n'
    used = [int(subprocess.run([sys.executable, '-c', script, *program(bench.cairn), 'info', name], check=True,
                               stdout=subprocess.PIPE).stdout) for name in (bench.folder.path + '/la.vcd', path)]
    yield from expect('KiB more than of a small one, %s' % used, used[1] - used[0] < 16 << 10, True)
    yield from expect('flow', bench.flow(path), bench.wanted)
    end = whole_end(port.session(bench.levels), directory=17 << 20)
    yield from bench.refused(end, 'the directory of this ZIP archive has more than 16 MiB')


def whole_end(data, directory):
    """The same archive, whose end says that its directory is so large (APPNOTE.TXT 4.3.16)."""
    at = data.rindex(b'PK\5\6') + 12
    return data[:at] + struct.pack('<I', directory) + data[at + 4:]


REAL = os.path.join('cortex-m3', 'stm32f105', 'trace_example.sr')


def real(bench):
    """Levels of a session as sigrok 0.3.0 saved it, three channels of eight: PC9 is its third, SWO the fifth, PC8 the seventh.
    What would be cycles of a port on them is counted here, byte by byte."""
    path = os.path.join(os.environ['CAIRN_CAPTURES'], REAL)
    with zipfile.ZipFile(path) as file:
        units = b''.join(file.read('logic-1-%d' % number) for number in range(1, 6))
    edges = [before for before, now in zip(units, units[1:]) if not before >> 4 & 1 and now >> 4 & 1]
    stored = [unit for unit in edges if not unit >> 6 & 1 or not unit >> 2 & 1]  # no cycle without trace (Table 4-1)
    pins = 'TRACECLK=SWO,TRACEDATA[0]=PC9,TRACECTL=PC8'
    answer = run(bench.cairn, 'info', '--protocol', 'etmv3', '--port-mode', 'dynamic', '--pins', pins, path)
    yield from expect_in('cycles', '1 pin, mode dynamic: %d cycles, %d of them with trace.' % (len(edges), len(stored)),
                         ' '.join(answer.out.split()))
    yield from expect('some', len(edges) > 1000, True)
    yield from expect_in('SWO', 'Of a serial wire (SWO) give the bytes that its UART carried', run(bench.cairn, 'info', path).err)


def sigrok(bench):
    """Both ways with sigrok-cli: what Cairn draws becomes a session, and is the same flow; and sigrok-cli's own dump of it."""
    dump = struct.pack('>3I', 4, 0x10, len(bench.cycles)) + b''.join(
        struct.pack('>3I', status, packet, sync) for status, sync, packet in bench.cycles)
    drawn = subprocess.run([*program(bench.waveform), bench.folder.write('etm.bin', dump), str(WIDTH), 'wires'], check=True,
                           stdout=subprocess.PIPE).stdout
    vcd, sr, back = (os.path.join(bench.folder.path, name) for name in ('drawn.vcd', 'drawn.sr', 'back.vcd'))
    bench.folder.write('drawn.vcd', drawn)
    subprocess.run(['sigrok-cli', '-I', 'vcd', '-i', vcd, '-o', sr], check=True)
    subprocess.run(['sigrok-cli', '-i', sr, '-O', 'vcd', '-o', back], check=True)
    for path in (vcd, sr, back):
        yield from expect('flow of ' + os.path.basename(path), bench.flow(path), bench.wanted)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as path:
        bench = Bench(sys.argv[1], sys.argv[2], Folder(path))
        answer = bench.info(port.session(bench.levels))
        if WITHOUT in answer.err:
            tap.case('without libzip', expect('status', answer.status, 2))
        cases = [('chunks and units', layouts), ('windows', seeking), ('names', names), ('damage', damage), ('refused', refused),
                 ('libzip cannot be loaded', not_there),
                 ('bounds', bounds), ('a real one', real), ('sigrok-cli', sigrok)]
        for name, case in cases:
            if WITHOUT in answer.err:
                tap.skip(name, 'this cairn ' + WITHOUT)
            elif case is real and 'CAIRN_CAPTURES' not in os.environ:
                tap.skip(name, 'CAIRN_CAPTURES is not set')
            elif case is sigrok and not shutil.which('sigrok-cli'):
                tap.skip(name, 'sigrok-cli is not installed')
            else:
                tap.case(name, case(bench))
    tap.end()


main()
