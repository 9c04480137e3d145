#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Registers and cores given by hand that cannot be right: they are told, and do no harm.

usage: test_registers.py CAIRN
"""
import os
import struct
import sys
import tempfile

from common import START, Folder, Tap, bytes_of, expect, expect_in, frames, run

RING = struct.pack('<4I', 0x100, 0x201, 0x210, 0x300)
LISTINGS = ['packets', 'elements', 'flow']


def check_misspelt(cairn, dump):
    """One slip for each family of registers: the register that it is next to is named."""
    for protocol, name, meant in [('mtb', 'POSITON', 'POSITION'), ('mtb', 'mtb_basse', 'BASE'),
                                  ('ptm', 'ETMXR', 'ETMCR'), ('etmv3', 'ETMIDDR', 'ETMIDR'),
                                  ('etmv4', 'TRCCONFGIR', 'TRCCONFIGR'),
                                  ('ete', 'TRCIDRO', 'TRCIDR0')]:
        wrong = ['--protocol', protocol, '--frames', 'none', '--set', name + '=1', dump]
        for command in LISTINGS:
            answer = run(cairn, command, *wrong)
            yield from expect_in('%s %s' % (command, name),
                                 '%s is no register of the trace unit and does nothing; did you '
                                 'mean %s?' % (name, meant), answer.err)
        yield from expect_in('check', 'warning: %s is no register' % name,
                             run(cairn, 'check', *wrong).out)
        yield from expect_in('info', 'did you mean %s?' % meant, run(cairn, 'info', '--all', *wrong).out)
    answer = run(cairn, 'packets', '--protocol', 'mtb', '--set', 'WIBBLE=1', dump)
    yield from expect_in('nothing is near', 'POSITION, MASTER, FLOW and BASE', answer.err)


def check_silent(cairn, folder, dump):
    """Registers that exist, though decoding does without; and the letters may be small."""
    for protocol, names in [('mtb', ['MTB_FLOW', 'base', 'MTB_TSTART']),
                            ('ptm', ['etmacvr16', 'ETMSQ12EVR', 'ETMTSSCR']),
                            ('etmv3', ['ETMSYNCFR', 'ETMCNTRLDEVR1']),
                            ('ete', ['TRCACVR0', 'TRCEVENTCTL1R', 'TRCIDR5', 'TRCPIDR4'])]:
        given = [part for name in names for part in ('--set', name + '=0')]
        answer = run(cairn, 'packets', '--protocol', protocol, '--frames', 'none', *given, dump)
        yield from expect_in(protocol, '== ', answer.out)
        yield from expect('%s: said' % protocol, [line for line in answer.err.splitlines()
                                                  if 'no register' in line], [])


def check_file(cairn, folder, dump):
    """In an INI file a slip is told; what a snapshot may have besides is not."""
    for line, told in [('POSITON=0', True), ('MASTRE(0x004)=3', True),
                       ('WIBBLE=1', False), ('CORTEXM_DHCSR(0xdf0)=1', False)]:
        ini = folder.write('mtb.ini', '[source core]\nprotocol=MTB\ncore=Cortex-M33\n%s\n' % line)
        answer = run(cairn, 'packets', '--config', ini, dump)
        yield from expect(line, 'did you mean' in answer.err, told)
        yield from expect(line + ': status', answer.status, 0)


def check_cores(cairn, dump):
    for protocol, core, instead in [
            ('mtb', 'Cortex-A53', 'MTB: its trace unit is an ETMv4 or ETE'),
            ('mtb', 'Cortex-A9', 'MTB: its trace unit is a PTM'),
            ('ptm', 'Cortex-M4', 'PTM: its trace unit is an ETMv3'),
            ('etmv3', 'Cortex-M7', 'ETMv3: its trace unit is an ETMv4'),
            ('etmv3', 'arm_cortex_a15', 'ETMv3: its trace unit is a PTM'),
            ('etmv3', 'Cortex-M0+', 'ETMv3: its trace unit is an MTB'),
            ('ptm', 'ARMv8-A', 'PTM: its trace unit is an ETMv4 or ETE'),
            ('ptm', 'ARMv7-M', 'PTM: its trace unit is an MTB, ETMv3 or ETMv4'),
            ('ete', 'Cortex-R5', 'ETE: its trace unit is an ETMv3')]:
        given = ['--protocol', protocol, '--frames', 'none', '--core', core, dump]
        sentence = 'core type "%s" has no %s.' % (core, instead)
        yield from expect_in('flow', sentence, run(cairn, 'flow', *given).err)
        yield from expect_in('check', 'warning: ring.bin: ' + sentence,
                             run(cairn, 'check', *given).out)
    for protocol, core in [('etmv3', 'Cortex-M4'), ('etmv3', 'Cortex-M23'), ('mtb', 'Cortex-M23'),
                           ('mtb', 'Cortex-M33'), ('ptm', 'Cortex-A9'), ('ptm', 'ARMv7-A'),
                           ('etmv3', 'ARM1136'), ('etmv3', 'XScale'), ('ete', 'Cortex-A510')]:
        answer = run(cairn, 'flow', '--protocol', protocol, '--frames', 'none', '--core', core, dump)
        yield from expect('%s of %s' % (protocol, core), 'its trace unit is' in answer.err, False)
    answer = run(cairn, 'flow', '--protocol', 'mtb', '--core', 'Cortex-M0+', dump)
    yield from expect('a core that has one', 'core type' in answer.err, False)


def check_short(cairn, folder):
    empty = folder.write('empty.bin', b'')
    answer = run(cairn, 'flow', '--protocol', 'mtb', empty)
    yield from expect_in('empty', 'the file is empty', answer.err)
    for protocol in 'mtb', 'etmv3', 'ptm', 'ete':
        for command in LISTINGS + ['data', 'check']:
            answer = run(cairn, command, '--protocol', protocol, empty)
            yield from expect('%s of nothing' % command, answer.status, 2)
            said = answer.out if command == 'check' else answer.err
            yield from expect_in(command, 'empty' if command == 'check' else
                                 'no source of %s has a byte' % empty, said)
    summary = run(cairn, 'flow', '--summary', '--protocol', 'etmv3', empty)
    yield from expect('summary of nothing', summary.status, 2)
    short = folder.write('short.bin', RING[:13])
    answer = run(cairn, 'check', '--protocol', 'mtb', '--core', 'Cortex-M33', short)
    yield from expect_in('short', 'dump a multiple of 8 bytes', answer.out)


def check_protocol(cairn, folder):
    """What has no synchronisation of a protocol is not guessed to be it: A-sync and I-sync of PTM, then
    30, which is no header (IHI0035 4.3), has none of ETE."""
    dump = folder.write('ptm.bin', bytes_of('00 00 00 00 00 80' '08 00 10 00 00 01') + b'0' * 40)
    for protocol in 'etmv3', 'ptm':
        answer = run(cairn, 'check', '--protocol', protocol, '--frames', 'none', dump)
        yield from expect(protocol + ': guess', 'probably ETE' in answer.out, False)
    answer = run(cairn, 'check', '--protocol', 'ptm', '--frames', 'none', dump)
    yield from expect_in('advice', 'ETMCR is not as it was', answer.out)


EXAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'examples', 'capture')


def check_snapshot(cairn, folder):
    """What is given of a snapshot counts, or is refused: a protocol, and registers of one source."""
    # an ETMv4, an ETE and an STM
    trace = START + bytes_of('F7')
    capture = folder.snapshot('given', frames([(0x10, trace), (0x11, trace)]), format_='coresight', kind='ETM4',
                              registers={'TRCDEVARCH': None, 'TRCIDR0': 0x28000ea1, 'TRCIDR1': 0x4100f402,
                                         'TRCIDR2': 0x488})
    for name, text in [('etm_1.ini', '[device]\nname=ETM_1\nclass=trace_source\ntype=ETE\n[regs]\n'
                        'TRCTRACEIDR=0x11\nTRCCONFIGR=1\n'),
                       ('stm.ini', '[device]\nname=STM_1\nclass=trace_source\ntype=STM\n[regs]\n'
                        'STMTCSR=0x120000\n')]:
        folder.write('given/' + name, text)
    for name, old, new in [('snapshot.ini', '[trace]', 'device2=etm_1.ini\ndevice3=stm.ini\n[trace]'),
                           ('trace.ini', 'ETM_0=ETB_0', 'ETM_0=ETB_0\nETM_1=ETB_0\nSTM_1=ETB_0')]:
        with open(os.path.join(capture, name), encoding='utf-8') as file:
            folder.write('given/' + name, file.read().replace(old, new))

    def sources(*arguments):
        return {source['name']: source for source in
                run(cairn, 'info', '--format', 'json', *arguments, capture).rows()[0]['sources']}

    def protocols(*arguments):
        return [sources(*arguments)[name]['protocol'] for name in ('ETM_0', 'ETM_1', 'STM_1')]
    yield from expect('as it stands', protocols(), ['ETMv4', 'ETE', 'STM'])
    yield from expect('--protocol', protocols('--protocol', 'ptm'), ['PTM', 'PTM', 'STM'])
    said = run(cairn, 'check', '--all', '--protocol', 'ete', capture).out
    yield from expect_in('said', 'ETM_0: its type is ETM4; it is read as the protocol that was given, ETE', said)
    yield from expect_in('said', 'STM_1: its type is STM; it stays one', said)

    def ids(*arguments):
        return [sources(*arguments)[name]['configuration']['return_stack'] for name in ('ETM_0', 'ETM_1')]
    yield from expect('as it stands', ids(), [False, False])
    yield from expect('of both', ids('--set', 'TRCCONFIGR=0x1001'), [True, True])
    yield from expect('of one', ids('--set', 'ETM_1:TRCCONFIGR=0x1001'), [False, True])
    yield from expect('in small letters', ids('--set', 'etm_0:trcconfigr=0x1001'), [True, False])
    said = run(cairn, 'check', '--all', '--set', 'TRCCONFIGR=1', capture).out
    yield from expect_in('said', 'TRCCONFIGR is given to the sources whose trace unit has it, 2 of 3', said)
    said = run(cairn, 'check', '--set', 'ETM_0:TRCCONFGIR=1', capture).out
    yield from expect_in('a slip', 'did you mean TRCCONFIGR?', said)
    # TRCDEVARCH is no STM's, and nothing is said of it there
    said = run(cairn, 'check', '--set', 'TRCDEVARCH=0x47705a13', capture).out
    yield from expect('of an STM', 'STM_1: wrong protocol guess' in said, False)
    for given, part in [('ETM_3:TRCCONFIGR=1', 'no source ETM_3; did you mean ETM_'),
                        ('WIBBLE:TRCCONFIGR=1', 'no source WIBBLE; its names are what `cairn info` shows')]:
        answer = run(cairn, 'flow', '--set', given, capture)
        yield from expect(given, answer.status, 2)
        yield from expect_in(given, part, answer.err)
    yield from expect('the example as PTM', {source['protocol'] for source in run(
        cairn, 'info', '--format', 'json', '--protocol', 'ptm', EXAMPLE).rows()[0]['sources']} - {None}, {'PTM'})


def main():
    cairn = sys.argv[1]
    tap = Tap()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        dump = folder.write('ring.bin', RING)
        tap.case('names that no register has', check_misspelt(cairn, dump))
        tap.case('names that registers have', check_silent(cairn, folder, dump))
        tap.case('names in a file', check_file(cairn, folder, dump))
        tap.case('cores without such a trace unit', check_cores(cairn, dump))
        tap.case('files with too little', check_short(cairn, folder))
        tap.case('another protocol', check_protocol(cairn, folder))
        tap.case('given of a snapshot', check_snapshot(cairn, folder))
    tap.end()


if __name__ == '__main__':
    main()
