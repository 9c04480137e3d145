#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`cairn check --fix`: a description that is wrong in one place is written anew beside the old one, or the
command line is printed; what was made checks better. Nothing else is written, and nothing over what is there.

usage: test_fix.py CAIRN
"""
import os
import shlex
import struct
import sys
import tempfile

from common import (ALIGNMENT_SYNC, EXAMPLE_ADDRESSES, EXAMPLE_D11_1_1, EXAMPLE_PROGRAM, START, Folder, Tap,
                    bytes_of, expect, expect_in, frames, run, words)

DUMPS = [(address, words(values)) for address, values in EXAMPLE_PROGRAM.items()]
# Exception Return (07) is a packet of ETMv4 (IHI0064 6.4) and reserved in ETE (DDI0608 D5.2)
ETMV4 = (EXAMPLE_D11_1_1 + bytes_of('07')) * 6
ETE = EXAMPLE_D11_1_1 * 8


def files_of(path):
    """{name: contents} of a folder."""
    found = {}
    for name in os.listdir(path):
        with open(os.path.join(path, name), 'rb') as file:
            found[name] = file.read()
    return found


def findings(cairn, *arguments):
    answer = run(cairn, 'check', '--format', 'json', *arguments)
    return answer.status, [row for row in answer.rows() if row['type'] == 'finding']


def codes(rows):
    return [row['code'] for row in rows if 'because' not in row]


def cost(rows):
    """Bytes and branches of all that loses data."""
    return sum(row['cost']['bytes'] + row['cost']['branches'] for row in rows if row['loses_data'])


def next_command(answer):
    """The command that --fix says to check with."""
    lines = [line for line in answer.lines() if line.startswith(('check it: ', 'corrected command line: '))]
    return shlex.split(lines[0].split(': ', 1)[1])[2:] if len(lines) == 1 else None


def check_better(cairn, before, after, code, addresses=None):
    """The finding `code` is gone, and nothing new has come that costs more."""
    status, rows = findings(cairn, *before)
    fixed_status, fixed = findings(cairn, *after)
    yield from expect('code before', code in codes(rows), True)
    yield from expect('code after', code in codes(fixed), False)
    yield from expect('status after', fixed_status, 0)
    yield from expect('status before', status in (1, 2), True)
    yield from expect('losing after', [row['code'] for row in fixed if row['loses_data']], [])
    if addresses is not None:
        flow = run(cairn, 'flow', '--format', 'addresses', *after)
        yield from expect('flow', [line for line in flow.lines() if line[0] != '#'], addresses)


def check_snapshot(cairn, capture, code, written, addresses=None):
    """Of a snapshot: these files are written, and no other one changes."""
    before = files_of(capture)
    plain = run(cairn, 'check', capture)
    yield from expect('without --fix', files_of(capture), before)
    answer = run(cairn, 'check', '--fix', capture)
    after = files_of(capture)
    yield from expect('status is that of check', answer.status, plain.status)
    yield from expect('written', sorted(set(after) - set(before)), sorted(written))
    yield from expect('the others', {name: after[name] for name in before}, before)
    for name in written:
        yield from expect_in('said', name, answer.out)
    command = next_command(answer)
    yield from expect('command', command, [os.path.join(capture, 'snapshot.fixed.ini')])
    if command:
        yield from check_better(cairn, [capture], command, code, addresses)
    # it is there: nothing is written over it
    again = run(cairn, 'check', '--fix', capture)
    yield from expect('status where it exists', again.status, 2)
    yield from expect_in('where it exists', 'give --force', again.err)
    yield from expect('files', files_of(capture), after)
    forced = run(cairn, 'check', '--fix', '--force', capture)
    yield from expect('status with --force', forced.status, plain.status)
    yield from expect('files', files_of(capture), after)


def check_command(cairn, arguments, code, addresses=None, part=None, made=()):
    """Of a raw buffer that options describe: the command line."""
    folder = os.path.dirname(arguments[-1])
    before = set(os.listdir(folder))
    answer = run(cairn, 'check', '--fix', *arguments)
    command = next_command(answer)
    yield from expect('a command line', command is not None, True)
    yield from expect('made', set(os.listdir(folder)) - before, set(made))
    if command:
        if part:
            yield from expect_in('command', part, ' '.join(command))
        yield from check_better(cairn, arguments, command, code, addresses)


def check_config(cairn, folder, name, text, arguments, code, part, addresses=None):
    ini = folder.write(name, text)
    answer = run(cairn, 'check', '--fix', '--config', ini, *arguments)
    fixed = ini.replace('.ini', '.fixed.ini')
    with open(ini, encoding='utf-8') as file:
        yield from expect('the file itself', file.read(), text)
    yield from expect('written', os.path.exists(fixed), True)
    if os.path.exists(fixed):
        with open(fixed, encoding='utf-8') as file:
            yield from expect_in('fixed', part, file.read())
    command = next_command(answer)
    yield from expect('command', command and command[:2], ['--config', fixed])
    if command:
        yield from check_better(cairn, ['--config', ini, *arguments], command, code, addresses)


def reversed_words(data, size):
    return b''.join(data[at:at + size][::-1] for at in range(0, len(data), size))


def protocols(tap, cairn, folder):
    times = 6
    capture = folder.snapshot('as_ete', ETMV4, dumps=DUMPS)
    tap.case('snapshot: the protocol', check_snapshot(
        cairn, capture, 'CAIRN-WRONG-PROTOCOL', ['etm_0.fixed.ini', 'snapshot.fixed.ini'],
        EXAMPLE_ADDRESSES * times))
    raw = folder.write('raw/etmv4.bin', ETMV4)
    given = ['--protocol', 'ete', '--core', 'ARM-AA64', '--frames', 'none', '--set', 'TRCCONFIGR=1',
             '--set', 'TRCIDR0=0x28000ea1', '--set', 'TRCIDR2=0x488', '--set', 'TRCIDR8=0', *folder.program(), raw]
    tap.case('command line: the protocol', check_command(
        cairn, given, 'CAIRN-WRONG-PROTOCOL', EXAMPLE_ADDRESSES * times, '--protocol etmv4'))
    text = ('; mine\n[buffer]\nformat=source_data\n[source ETM_0]\nprotocol=ete   ; or so\ncore=ARM-AA64\n'
            'TRCDEVARCH=0x47705a13\nTRCCONFIGR=1\nTRCIDR0=0x28000ea1\nTRCIDR2=0x488\nTRCIDR8=0\n')
    tap.case('config: the protocol', check_config(
        cairn, folder, 'raw/mine.ini', text, [*folder.program(), raw], 'CAIRN-WRONG-PROTOCOL',
        'protocol=etmv4', EXAMPLE_ADDRESSES * times))


def layouts(tap, cairn, folder):
    capture = folder.snapshot('unframed', ETE, format_='coresight', dumps=DUMPS)
    tap.case('snapshot: no frames', check_snapshot(
        cairn, capture, 'CAIRN-WRONG-FRAMES', ['trace.fixed.ini', 'snapshot.fixed.ini'],
        EXAMPLE_ADDRESSES * 8))
    capture = folder.snapshot('framed', frames([(0x10, ETE)]), format_='source_data', dumps=DUMPS)
    tap.case('snapshot: frames', check_snapshot(
        cairn, capture, 'CAIRN-WRONG-FRAMES', ['trace.fixed.ini', 'snapshot.fixed.ini'],
        EXAMPLE_ADDRESSES * 8))
    registers = [part for pair in ('TRCCONFIGR=1', 'TRCDEVARCH=0x47705a13', 'TRCIDR0=0x2801cea1',
                                   'TRCIDR1=0x4100fff0', 'TRCIDR2=0xd0001088', 'TRCIDR8=0')
                 for part in ('--set', pair)]
    raw = folder.write('raw2/plain.bin', ETE)
    given = ['--protocol', 'ete', '--core', 'ARM-AA64', '--id', '0x10', *registers, *folder.program()]
    tap.case('command line: no frames', check_command(
        cairn, [*given, '--frames', 'coresight', raw], 'CAIRN-WRONG-FRAMES', EXAMPLE_ADDRESSES * 8,
        '--frames none'))
    text = ('[buffer]\nformat=coresight\n[source ETE_0]\nprotocol=ete\ncore=ARM-AA64\nTRCTRACEIDR=0x10\n' +
            '\n'.join(registers[1::2]) + '\n')
    tap.case('config: no frames', check_config(
        cairn, folder, 'raw2/frames.ini', text, [*folder.program(), raw], 'CAIRN-WRONG-FRAMES',
        'format=source_data', EXAMPLE_ADDRESSES * 8))
    turned = folder.write('raw3/turned.bin', reversed_words(ETE + bytes(-len(ETE) % 4), 4))
    tap.case('command line: byte order', check_command(
        cairn, [*given, '--frames', 'none', turned], 'CAIRN-BYTE-ORDER', EXAMPLE_ADDRESSES * 8,
        'turned.fixed.bin', ['turned.fixed.bin']))
    capture = folder.snapshot('turned', reversed_words(ETE + bytes(-len(ETE) % 4), 4), dumps=DUMPS)
    tap.case('snapshot: byte order', check_snapshot(
        cairn, capture, 'CAIRN-BYTE-ORDER', ['trace.fixed.ini', 'trace.fixed.bin', 'snapshot.fixed.ini'],
        EXAMPLE_ADDRESSES * 8))


def ids(tap, cairn, folder):
    for name, trace_id in ('lacks its ID', None), ('has another ID', 0x33):
        registers = {'TRCTRACEIDR': None} if trace_id is None else {}
        capture = folder.snapshot('id_%s' % trace_id, frames([(0x10, ETE)]), format_='coresight',
                                  dumps=DUMPS, trace_id=trace_id, registers=registers)
        tap.case('snapshot: a source ' + name, check_snapshot(
            cairn, capture, 'CAIRN-WRONG-ID', ['etm_0.fixed.ini', 'snapshot.fixed.ini'],
            EXAMPLE_ADDRESSES * 8))


# ETMv3, cycle-accurate: A-sync; I-sync in ARM state at 0x1000 (IHI0014 7.7.3); atoms W E of P-header
# format 1 (7.3.3): 84 is an instruction there, A4 one more
def registers(tap, cairn, folder):
    sync = bytes(5) + b'\x80'
    # context ID of a byte behind the I-sync's header (7.7.3): ETMCR[15:14] = 1
    trace = (sync + bytes_of('08 42 21 00 10 00 00') + bytes_of('84') * 20) * 12
    nops = folder.write('nops.bin', struct.pack('<64I', *[0xe1a00000] * 64)) + '@0x1000'
    raw = folder.write('raw4/etmv3.bin', trace)
    given = ['--protocol', 'etmv3', '--core', 'Cortex-A7', '--frames', 'none', '--set', 'ETMIDR=0x410cf250',
             '--set', 'ETMCCER=0x344008f2', '--set', 'ETMCR=0', '--image', nops, raw]
    tap.case('command line: a register', check_command(
        cairn, given, 'CAIRN-WRONG-REGISTERS', ['%x' % (0x1000 + 4 * i) for i in range(20)] * 12,
        'ETMCR=0x4000'))
    capture = folder.snapshot('etmcr', trace, kind='ETM3.5', core='Cortex-A7',
                              dumps=[(0x1000, struct.pack('<64I', *[0xe1a00000] * 64))],
                              registers={'ETMIDR': 0x410cf250, 'ETMCR': 0, 'ETMCCER': 0x344008f2})
    tap.case('snapshot: a register', check_snapshot(
        cairn, capture, 'CAIRN-WRONG-REGISTERS', ['etm_0.fixed.ini', 'snapshot.fixed.ini'],
        ['%x' % (0x1000 + 4 * i) for i in range(20)] * 12))


def positions(tap, cairn, folder):
    """The ring of a Micro Trace Buffer that has gone round (DDI0486 2.3.1): a loop 0x100..0x110 branches back
    to 0x100, and visits 0x200..0x210 in between; the newest packets are its first ones."""
    loop, visit, back = [0x110, 0x100], [0x10c, 0x200], [0x210, 0x10e]
    # the newest packet goes to 0x200, the oldest one comes from 0x110, which is below
    trace = (loop + visit + back) * 6 + loop + visit
    ring = trace[-10:] + trace[:-10]
    raw = folder.write('raw5/mtb.bin', struct.pack('<%dI' % len(ring), *ring))
    given = ['--protocol', 'mtb', '--core', 'Cortex-M0+', raw]
    answer = run(cairn, 'check', '--fix', *given)
    command = next_command(answer)
    rows = findings(cairn, *given)[1]
    # where the packets break off is the oldest one: 5 packets of 8 bytes, and WRAP (bit 2)
    tap.case('command line: POSITION', expect('code', 'CAIRN-NO-POSITION' in codes(rows), True) +
             expect('told once', [row['code'] for row in rows if row['code'] == 'CAIRN-IMAGE-MISMATCH' and
                                  'because' not in row], []) +
             expect('command', command and command[-3:], ['--set', 'POSITION=0x2c', raw]) +
             expect('after', 'CAIRN-NO-POSITION' in codes(findings(cairn, *(command or given))[1]), False) +
             expect('flow', [row for row in run(cairn, 'flow', '--format', 'json', *(command or given)).rows()
                             if row.get('reason') == 'inconsistent'], []))


def main():
    cairn = sys.argv[1]
    tap = Tap()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        protocols(tap, cairn, folder)
        layouts(tap, cairn, folder)
        ids(tap, cairn, folder)
        registers(tap, cairn, folder)
        positions(tap, cairn, folder)
        clean = folder.snapshot('clean', EXAMPLE_D11_1_1, dumps=DUMPS)
        before = files_of(clean)
        answer = run(cairn, 'check', '--fix', clean)
        tap.case('nothing to fix', expect('status', answer.status, 0) +
                 expect_in('said', 'nothing to fix', answer.out) + expect('files', files_of(clean), before))
        capture = folder.snapshot('json', ETMV4, dumps=DUMPS)
        answer = run(cairn, 'check', '--fix', '--format', 'json', capture)
        tap.case('JSON stays JSON', expect('rows', {row['type'] for row in answer.rows()},
                                           {'verdict', 'finding', 'result'}) +
                 expect_in('stderr', 'snapshot.fixed.ini', answer.err))
        capture = folder.snapshot('full', ETMV4, dumps=DUMPS)
        folder.write('full/snapshot.fixed.ini', 'mine')
        answer = run(cairn, 'check', '--fix', capture)
        tap.case('all or nothing', expect('status', answer.status, 2) +
                 expect('files', 'etm_0.fixed.ini' in files_of(capture), False) +
                 expect('mine', files_of(capture)['snapshot.fixed.ini'], b'mine'))
        turned = reversed_words(ETE + bytes(-len(ETE) % 4), 4)
        capture = folder.snapshot('full2', turned, dumps=DUMPS)
        folder.write('full2/trace.fixed.ini', 'mine')
        answer = run(cairn, 'check', '--fix', capture)
        tap.case('all or nothing of a buffer', expect('status', answer.status, 2) + expect(
            'files', [name for name in files_of(capture) if 'fixed' in name], ['trace.fixed.ini']))
        # written on Windows, by somebody who commented it
        capture = folder.snapshot('windows', ETMV4, dumps=DUMPS)
        with open(os.path.join(capture, 'etm_0.ini'), encoding='utf-8') as file:
            folder.write('windows/etm_0.ini', '; [device]\r\n' + file.read().replace('\n', '\r\n'))
        answer = run(cairn, 'check', '--fix', capture)
        fixed = files_of(capture).get('etm_0.fixed.ini', b'')
        tap.case('comments and ends of lines stay', expect('ends', fixed.count(b'\n'), fixed.count(b'\r\n')) +
                 expect('comment', fixed.startswith(b'; [device]\r\n'), True) +
                 expect_in('type', 'type=ETM4\r\n', fixed.decode()) +
                 expect_in('a witness', '; TRCDEVARCH=', fixed.decode()))
    tap.end()


if __name__ == '__main__':
    main()
