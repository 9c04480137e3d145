#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`cairn info` fits a screen: what is the same stands once, what goes without saying is left out, long
lists are cut and say so, every share is of the buffer, every term has one spelling.

usage: test_info.py CAIRN
"""
import os
import re
import sys
import tempfile

from common import (EXAMPLE_D11_1_1, START, Folder, Tap, bytes_of, expect, expect_in, frames, run)

LINES, COLUMNS = 40, 100  # of a screen
THREADS = 41
# What one protocol's specification calls otherwise than another's, and info calls as here.
TERMS = ('cycle-accurate', 'trace id', 'context id', 'direct branch packets', 'VMID trace',
         'virtualization', 'Q elements: no', 'data trace: no')
ETMV3 = ['--protocol', 'etmv3', '--frames', 'none', '--core', 'Cortex-A7', '--set', 'ETMIDR=0x410cf250',
         '--set', 'ETMCCER=0x344008f2', '--set', 'ETMCR=0x1000d000']
PTM = ['--protocol', 'ptm', '--frames', 'none', '--core', 'Cortex-A9', '--set', 'ETMIDR=0x411cf301',
       '--set', 'ETMCR=0x10001000']


def screen(answer):
    """What does not fit."""
    lines = answer.lines()
    if len(lines) > LINES:
        yield '%d lines' % len(lines)
    for line in lines:
        if len(line) > COLUMNS:
            yield '%d columns: %s' % (len(line), line)
    yield from expect('a message', answer.err, '')


def threads(folder, name, count, other=None):
    """A snapshot of so many threads with one configuration, but for one: each has its own buffer."""
    text = {'snapshot.ini': '[snapshot]\nversion=1.0\n[device_list]\ndevice0=cpu_0.ini\n',
            'cpu_0.ini': '[device]\nname=cpu_0\nclass=core\ntype=ARM-AA64\n[regs]\n',
            'trace.ini': '[trace_buffers]\nbuffers=%s\n' % ','.join('buffer%d' % i for i in range(1, count + 1))}
    sources, cores = '[source_buffers]\n', '[core_trace_sources]\ncpu_0=thread_1\n'
    for i in range(1, count + 1):
        text['snapshot.ini'] += 'device%d=thread_%d.ini\n' % (i, i)
        text['thread_%d.ini' % i] = (
            '[device]\nname=thread_%d\nclass=trace_source\ntype=ETE\n[regs]\nTRCCONFIGR=%#x\nTRCTRACEIDR=0x10\n'
            'TRCDEVARCH=0x47705a13\nTRCIDR0=0x2801cea1\nTRCIDR1=0x4100fff0\nTRCIDR2=0xd0001088\nTRCIDR8=0\n'
            % (i, 0x801 if i == other else 1))
        text['trace.ini'] += '[buffer%d]\nname=thread_%d.bin\nfile=thread_%d.bin\nformat=source_data\n' % (i, i, i)
        sources += 'thread_%d=thread_%d.bin\n' % (i, i)
        folder.write('%s/thread_%d.bin' % (name, i), EXAMPLE_D11_1_1)
    text['snapshot.ini'] += '[trace]\nmetadata=trace.ini\n'
    text['trace.ini'] += sources + cores
    for file, words in text.items():
        folder.write('%s/%s' % (name, file), words)
    return os.path.join(folder.path, name)


def section(answer, title):
    """The lines of a section behind its first."""
    lines, inside = [], False
    for line in answer.lines():
        if line[:1] != ' ':
            inside = line.split()[:1] == [title]
        elif inside:
            lines.append(line.strip())
    return lines


def configuration(answer):
    """Its lines without the notes, which are the protocols' own sentences."""
    lines = []
    for line in answer.lines()[answer.lines().index('configuration') + 1:]:
        if line[:1] != ' ':
            break
        if not re.match(r' {4}note:| {6}', line):
            lines.append(line.strip())
    return lines


def check_threads(cairn, folder):
    capture = threads(folder, 'threads', THREADS, other=7)
    answer = run(cairn, 'info', *folder.program(), capture)
    yield from screen(answer)
    told = section(answer, 'configuration')
    yield from expect('configurations', [line.split(':')[0] for line in told],
                      ['thread_1..6, thread_8..41', 'thread_7'])
    yield from expect_in('what is different', 'timestamps', told[1])
    yield from expect('in the other', 'timestamps' in told[0], False)
    shown = [line for line in section(answer, 'sources') if re.match(r'\d+  thread_\d+ ', line)]
    yield from expect_in('the rest', '... and %d more (--all)' % (THREADS - len(shown)),
                         '\n'.join(section(answer, 'sources')))
    yield from expect_in('the sum', 'every byte is in one account: %d bytes in %d buffers' %
                         (THREADS * len(EXAMPLE_D11_1_1), THREADS), answer.lines()[-1])
    whole = run(cairn, 'info', '--all', *folder.program(), capture)
    rows = [line for line in section(whole, 'sources') if re.match(r'\d+  thread_\d+ ', line)]
    yield from expect('sources with --all', len(rows), THREADS)
    yield from expect('cut with --all', '--all' in whole.out, False)
    for setting in ('return stack                     no', 'cycle counting                   no'):
        yield from expect_in('a default with --all', setting, whole.out)
        yield from expect('a default', setting.split('  ')[0] in answer.out, False)


def check_names(cairn, folder):
    """The names of a group: a run from its first to its last number, what breaks one, numbers with
    zeros in front."""
    def named(names):
        ini = folder.write('names.ini', '[buffer]\nformat=coresight\n' + ''.join(
            '[source %s]\nprotocol=ETE\ncore=Cortex-A510\ntrace_id=%d\n' % (name, i + 1)
            for i, name in enumerate(names)))
        raw = folder.write('names.bin', frames([(1, EXAMPLE_D11_1_1)]))
        return [line.split(':')[0] for line in configuration(run(cairn, 'info', '--config', ini, raw))]
    yield from expect('one', named(['a']), ['a'])
    yield from expect('a run', named(['a9', 'a10', 'a11']), ['a9..11'])
    yield from expect('two runs', named(['a1', 'a2', 'b2', 'b3', 'a4']), ['a1..2, b2..3, a4'])
    yield from expect('zeros', named(['a08', 'a09', 'a10']), ['a08, a09, a10'])


def check_shares(cairn, folder):
    """All shares have one base: those of a buffer's rows add up to 100 %, as their bytes to the file."""
    trace = frames([(0x11, EXAMPLE_D11_1_1), (0x22, bytes_of('F7 F7 F6') + EXAMPLE_D11_1_1)])
    raw = folder.write('shares.bin', trace)
    answer = run(cairn, 'info', '--protocol', 'ete', '--frames', 'coresight', *folder.program(), raw)
    rows = [re.search(r' (\d+) +([\d.]+) %', line) for line in section(answer, 'ledger')]
    *parts, total = [(int(row[1]), float(row[2])) for row in rows]
    yield from expect('total', total, (len(trace), 100.0))
    yield from expect('bytes', sum(bytes_ for bytes_, _ in parts), len(trace))
    for bytes_, share in parts:
        yield from expect('share', share, round(100 * bytes_ / len(trace), 2))
    gaps = [re.search(r' (\d+) +([\d.]+) %  (.*)', line) for line in section(answer, 'gaps')]
    yield from expect('gaps', [(int(gap[1]), float(gap[2]), gap[3]) for gap in gaps],
                      [(3, round(100 * 3 / len(trace), 2), 'no synchronisation')])
    head = next(line for line in answer.lines() if line.startswith('ledger'))
    yield from expect_in('the head says the base', '(share: of the buffer)', head)
    sources = [line for line in section(answer, 'ledger') if 'id-0x' in line]
    for line in sources:  # flow, metadata, padding and gaps are the source's bytes
        numbers = [int(word) for word in line.replace(' - ', ' 0 ').replace(' -', ' 0').split()[2:]
                   if word.isdigit()]
        yield from expect('accounts of ' + line.split()[1], sum(numbers[1:]), numbers[0])
    yield from expect('sources', len(sources), 2)


def check_spelling(cairn, folder):
    raw = folder.write('spelling.bin', START)
    said = {}
    for name, arguments in (('ete', ['--protocol', 'ete', '--set', 'TRCCONFIGR=0x8d1']),
                            ('etmv4', ['--protocol', 'etmv4', '--set', 'TRCCONFIGR=0x8d1', '--core', 'Cortex-A53']),
                            ('etmv3', ETMV3), ('ptm', PTM)):
        for all_ in [], ['--all']:
            answer = run(cairn, 'info', *all_, *arguments, raw)
            said[name, bool(all_)] = '\n'.join(configuration(answer))
            for term in TERMS:
                yield from expect('%s: %s' % (name, term), term in said[name, bool(all_)], False)
    for name in ('ete', 'etmv4', 'etmv3', 'ptm'):
        for term in ('cycle counting', 'timestamps', 'context ID'):
            if (name, term) not in (('ptm', 'context ID'),):
                yield from expect_in(name, term, said[name, True])
        yield from expect_in(name, 'cycle counting', said[name, False])
        yield from expect('%s: what is off' % name, re.findall(r'\bnone?\b', said[name, False]), [])


def check_trace_id(cairn, folder):
    """In frames an ID is known, whatever a register does not say; and 0 is none."""
    raw = folder.write('id.bin', frames([(0x10, EXAMPLE_D11_1_1)]))
    for all_ in [], ['--all']:
        answer = run(cairn, 'info', *all_, '--protocol', 'etmv4', '--frames', 'coresight', raw)
        yield from expect_in('of the frames', '0x10', ' '.join(section(answer, 'sources')))
        yield from expect('0x0', re.findall(r'\b0x0\b|\b0x00\b', answer.out.split('\nledger')[0]), [])
    plain = folder.write('plain.bin', EXAMPLE_D11_1_1)
    row = section(run(cairn, 'info', '--protocol', 'etmv4', '--frames', 'none', plain), 'sources')[0].split()
    yield from expect('without frames', row[4], '-')


def check_plurals(cairn, folder):
    one = folder.write('one.bin', b'\x70')
    answer = run(cairn, 'info', '--protocol', 'ete', '--frames', 'none', '--image', one + '@0x10', one)
    yield from expect('wrong', re.findall(r'\b1 (?:bytes|buffers|pieces)\b', answer.out), [])
    yield from expect_in('sum', ': 1 byte in 1 buffer\n', answer.out)
    yield from expect_in('image', '1 byte ', answer.out)


def check_image(cairn, folder):
    """The pieces of a file are one row, and a piece that is there for several contexts counts once."""
    dumps = [(0x1000 + 0x100 * i, bytes(16 + i)) for i in range(50)]
    capture = folder.snapshot('pieces', EXAMPLE_D11_1_1, dumps=dumps[:1])
    with open(os.path.join(capture, 'cpu_0.ini'), 'a', encoding='utf-8') as file:
        for number, (address, data) in enumerate(dumps[1:], 1):
            folder.write('pieces/dump0.bin', bytes(65536))
            file.write('[dump%d]\nfile=dump0.bin\naddress=0x%x\nlength=%d\n' % (number, address, len(data)))
    answer = run(cairn, 'info', capture)
    row = section(answer, 'image')
    size = sum(len(data) for _, data in dumps)
    yield from expect('rows', [line.split()[:5] for line in row],
                      [['dump0.bin', '50', '0x1000..0x%x' % (dumps[-1][0] + len(dumps[-1][1])), str(size),
                        'bytes']])
    info = run(cairn, 'info', '--format', 'json', capture).rows()[0]
    yield from expect('in JSON', sum(image['bytes'] for image in info['images']), size)


def check_strangers(cairn, folder):
    """Trace IDs that no trace unit is configured for are one row, and what is said of each is said once."""
    trace = frames([(0x10, EXAMPLE_D11_1_1)] + [(0x20 + i, EXAMPLE_D11_1_1) for i in range(30)])
    capture = folder.snapshot('strangers', trace, format_='coresight')
    answer = run(cairn, 'info', *folder.program(), capture)
    yield from screen(answer)
    size = len(EXAMPLE_D11_1_1) + -len(EXAMPLE_D11_1_1) % 13  # as frames() fills it up
    rows = section(answer, 'sources')
    yield from expect('sources', len(rows), 2)
    yield from expect('the others', rows[1].split(),
                      ['-', '30', 'IDs', 'not', 'configured', '0x20..0x3d', 'ETB_0', '-', str(30 * size), 'not', 'decoded'])
    yield from expect('their bytes', [line.split()[-1] for line in section(answer, 'ledger') if 'IDs not' in line],
                      [str(30 * size)])
    yield from expect('remarks', answer.out.count('but no trace unit is configured for it'), 1)
    yield from expect_in('how many', '(and 29 more like it)', ' '.join(answer.out.split()))
    whole = run(cairn, 'info', '--all', *folder.program(), capture)
    yield from expect('with --all', whole.out.count('but no trace unit is configured for it'), 30)


def check_hostile(cairn, folder):
    """A name that would move the cursor, one that is longer than a screen is wide, a remark without end."""
    name = 'E\x1b[2J' + 'X' * 300
    ini = folder.write('hostile.ini', '[source %s]\nprotocol=ETE\ncore=Cortex-A510\n' % name)
    raw = folder.write('hostile.bin', EXAMPLE_D11_1_1)
    answer = run(cairn, 'info', '--config', ini, raw)
    yield from screen(answer)
    yield from expect('status', answer.status in (0, 1, 2), True)
    yield from expect('escapes', '\x1b' in answer.out, False)
    if answer.status != 2:
        yield from expect_in('with --all', 'X' * 300, run(cairn, 'info', '--all', '--config', ini, raw).out)


def check_real(cairn, path, *arguments):
    answer = run(cairn, 'info', *arguments, path)
    yield from expect('status', answer.status in (0, 1), True)
    yield from screen(answer)
    whole = run(cairn, 'info', '--all', *arguments, path)
    yield from expect('with --all', len(whole.lines()) >= len(answer.lines()), True)


def tried(check, *arguments):
    """What a page lacks altogether is a failure of this case, not the end of all."""
    try:
        yield from check(*arguments)
    except (IndexError, KeyError, StopIteration, TypeError, ValueError, RuntimeError) as error:
        yield 'what should be on the page is not: %r' % error


def real_captures():
    """Every capture that info reads: [(name, path, what describes it)]."""
    top = os.environ.get('CAIRN_CAPTURES')
    if not top:
        return None
    found = []
    for folder in ('snapshots', 'cortex-r5'):
        for name in sorted(os.listdir(os.path.join(top, folder))):
            path = os.path.join(top, folder, name)
            if os.path.exists(os.path.join(path, 'snapshot.ini')) or folder == 'snapshots' and os.path.isdir(path):
                found.append((name, path, []))
    mtb = ['--protocol', 'mtb', '--frames', 'none', '--core', 'Cortex-M0+']
    found += [(name, os.path.join(top, 'mtb', name), mtb) for name in
              ('mtb_memfault_case0.bin', 'mtb_memfault_case2_last10.bin')]
    m3 = os.path.join(top, 'cortex-m3', 'stm32f105')
    found.append(('stm32f105', os.path.join(m3, 'derived.tpiu_id02_etm.bin'),
                  ['--protocol', 'etmv3', '--core', 'Cortex-M3', '--frames', 'none', '--set', 'ETMIDR=0x4114f240',
                   '--set', 'ETMCR=0', '--image', os.path.join(m3, 'trace_example.elf')]))
    return found


def main():
    cairn = sys.argv[1]
    tap = Tap()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        tap.case('41 threads', tried(check_threads, cairn, folder))
        tap.case('names of a group', tried(check_names, cairn, folder))
        tap.case('shares', tried(check_shares, cairn, folder))
        tap.case('one spelling', tried(check_spelling, cairn, folder))
        tap.case('trace IDs', tried(check_trace_id, cairn, folder))
        tap.case('plurals', tried(check_plurals, cairn, folder))
        tap.case('images', tried(check_image, cairn, folder))
        tap.case('trace IDs of nobody', tried(check_strangers, cairn, folder))
        tap.case('names that are no names', tried(check_hostile, cairn, folder))
    real = real_captures()
    if real is None:
        tap.skip('captures', 'CAIRN_CAPTURES is not set')
    for name, path, arguments in real or []:
        tap.case('a screen: ' + name, tried(check_real, cairn, path, *arguments))
    tap.end()


if __name__ == '__main__':
    main()
