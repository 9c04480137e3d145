#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What `cairn check` says: the verdict against a count by hand and by listings, causes that are told once and
fit a screen, and the codes, which docs/findings.md, the sources and `--explain` have alike.

usage: test_findings.py CAIRN
"""
import os
import re
import sys
import tempfile

from common import (ALIGNMENT_SYNC, ALIGNMENT_SYNC, EXAMPLE_D11_1_1, EXAMPLE_PROGRAM, START, Folder, Tap, bytes_of, captures,
                    expect, expect_in, frames, lost_elements, run, words)
from perf_file import RAW_TRACE
from test_perf_process import Recording, turns

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
LINES_MOST = 25
DUMPS = [(address, words(values)) for address, values in EXAMPLE_PROGRAM.items()]
NOT_SYNC = bytes_of('F7 F6') * 500


# ---- codes ----

def codes_of_sources():
    found = set()
    for folder, _, names in os.walk(os.path.join(TOP, 'src')):
        for name in names:
            if name.endswith(('.c', '.h')):
                with open(os.path.join(folder, name), encoding='utf-8') as file:
                    found |= set(re.findall(r'"(CAIRN-(?!LINT-)[A-Z][A-Z-]*)"', file.read()))
    return found


def page():
    with open(os.path.join(TOP, 'docs', 'findings.md'), encoding='utf-8') as file:
        return file.read()


def entries(cairn):
    """{code: its entry} of --explain all."""
    text = run(cairn, 'check', '--explain', 'all').out
    parts = re.split(r'^## ', text, flags=re.M)[1:]
    return {part.split('\n', 1)[0]: '## ' + part.rstrip('\n') for part in parts}


def check_codes(cairn):
    told, text = entries(cairn), page()
    yield from expect('codes of the sources', sorted(codes_of_sources()), sorted(told))
    yield from expect('codes of the page', re.findall(r'^## (CAIRN-\S+)$', text, re.M), list(told))
    for code, entry in told.items():
        if entry not in text:
            yield '%s: docs/findings.md does not have what --explain says: %s' % (code, entry)
        example = entry.split('```\n')[1]
        yield from expect('%s: ends in its code' % code, example.split('\n')[0].split()[-1], '[%s]' % code)
        yield from expect('%s: severity' % code, example.split(':')[0] in ('problem', 'warning', 'note'), True)
        yield from expect('%s: help' % code, '\nWhat to do: ' in entry, True)


def check_explain(cairn):
    for word in 'CAIRN-NO-IMAGE', 'no-image', 'cairn-no-image':
        answer = run(cairn, 'check', '--explain', word)
        yield from expect(word, (answer.status, answer.lines()[0], answer.err), (0, '## CAIRN-NO-IMAGE', ''))
    answer = run(cairn, 'check', '--explain', 'NO-IMGE')
    yield from expect('a slip', (answer.status, answer.out), (2, ''))
    yield from expect_in('a slip', 'Did you mean CAIRN-NO-IMAGE?', answer.err)
    answer = run(cairn, 'check', '--explain', 'quux')
    yield from expect('nothing near', (answer.status, 'Did you mean' in answer.err), (2, False))


def shape(line):
    """A line without its numbers."""
    return re.sub(r'0x[0-9a-f]+|\d+(\.\d+)?', 'N', line)


def check_example(cairn, code, arguments):
    """The example of the page is as it is printed, but for numbers and names of files."""
    answer = run(cairn, 'check', '--all', *arguments)
    mine = [line for line in answer.lines() if line.endswith('[%s]' % code)]
    yield from expect('%s is found' % code, bool(mine), True)
    wanted = entries(cairn)[code].split('```\n')[1].split('\n')[0]
    name = os.path.basename(arguments[-1])
    shapes = [shape(line.replace('follows from it: ', '').strip().replace(arguments[-1] + '/', '').replace(
        name, 'FILE').replace('trace.bin', 'FILE')) for line in mine]
    if shape(re.sub(r'\b(etb|trace|mtb)\.bin\b', 'FILE', wanted)) not in shapes:
        yield '%s: the page has %r, printed is %r' % (code, wanted, mine)


def with_holes(folder):
    """A perf.data file in which the bytes of the second and the fourth of five parts are missing."""
    made, parts = Recording(folder), [turns(7, (0x1000, n)) for n in range(1, 6)]
    made.map(7, 0x1000, 'first')
    at = 0
    for i, part in enumerate(parts):
        made.perf.aux(at, len(part), RAW_TRACE, 3, tid=7, time=1 + i)
        if i % 2 == 0:
            made.perf.trace(part, at, 3)
        at += len(part)
    return folder.write('holes.data', made.perf.file())


def changed_amid(folder):
    """A perf.data file of one part, in the midst of which a file takes the place of another."""
    made = Recording(folder)
    made.map(7, 0x1000, 'first')
    made.map(7, 0x1000, 'second', time=8)
    made.part(10, 7, (0x1000, 2), began=5)
    return made.write('amid.data')


def examples(folder):
    """(code, arguments of check)."""
    snapshot = folder.snapshot
    yield 'CAIRN-NO-IMAGE', [snapshot('e-image', EXAMPLE_D11_1_1, dumps=DUMPS[:1])]
    yield 'CAIRN-WRAPPED', [snapshot('e-wrapped', bytes_of('F7 F7') + EXAMPLE_D11_1_1, dumps=DUMPS)]
    yield 'CAIRN-NO-SYNC', [snapshot('e-sync', NOT_SYNC, dumps=DUMPS)]
    yield 'CAIRN-RESERVED', [snapshot('e-reserved', EXAMPLE_D11_1_1 + bytes_of('08 F7 F7') + START, dumps=DUMPS)]
    yield 'CAIRN-TRUNCATED', [snapshot('e-truncated', EXAMPLE_D11_1_1 + bytes_of('9D 01 02'), dumps=DUMPS)]
    yield 'CAIRN-OVERFLOW', [snapshot('e-overflow', EXAMPLE_D11_1_1 + bytes_of('00 05') + START, dumps=DUMPS)]
    yield 'CAIRN-TRACE-LOST', ['--sysroot', folder.path, with_holes(folder)]
    yield 'CAIRN-IMAGE-CHANGED', ['--sysroot', folder.path, changed_amid(folder)]
    yield 'CAIRN-CUT', [snapshot('e-cut', EXAMPLE_D11_1_1 + bytes_of('9D 01') + EXAMPLE_D11_1_1, dumps=DUMPS)]
    two = frames([(0x10, EXAMPLE_D11_1_1), (0x22, EXAMPLE_D11_1_1)])
    yield 'CAIRN-UNCONFIGURED-ID', [snapshot('e-id', two, format_='coresight', dumps=DUMPS)]
    yield 'CAIRN-WRONG-ID', [snapshot('e-wrong', frames([(0x10, EXAMPLE_D11_1_1)]), format_='coresight', dumps=DUMPS,
                                      registers={'TRCTRACEIDR': None})]
    yield 'CAIRN-FRAME-CUT', [snapshot('e-frame', frames([(0x10, EXAMPLE_D11_1_1)]) + bytes(5), format_='coresight',
                                       dumps=DUMPS)]
    yield 'CAIRN-WRONG-PROTOCOL', [snapshot('e-protocol', (EXAMPLE_D11_1_1 + bytes_of('07')) * 6, dumps=DUMPS)]
    yield 'CAIRN-NO-DATA', [snapshot('e-other', frames([(0x10, EXAMPLE_D11_1_1)]), format_='coresight', dumps=DUMPS,
                                     trace_id=0x33)]
    yield 'CAIRN-EMPTY-BUFFER', [snapshot('e-empty', b'', dumps=DUMPS)]
    yield 'CAIRN-REGISTER-ASSUMED', [snapshot('e-assumed', EXAMPLE_D11_1_1, dumps=DUMPS, registers={'TRCIDR8': None})]
    yield 'CAIRN-REGISTER-IMPOSSIBLE', [snapshot('e-impossible', EXAMPLE_D11_1_1, kind='ETM4', dumps=DUMPS,
                                                 registers={'TRCIDR2': 0x4000109f, 'TRCDEVARCH': None,
                                                            'TRCIDR1': 0x4100f402})]
    yield 'CAIRN-REGISTER-ODD', ['--set', 'TRCCONFGIR=1', snapshot('e-odd', EXAMPLE_D11_1_1, dumps=DUMPS)]
    thumbee = bytes(5) + bytes_of('80' '08 01 10 00 00 21' '84' '84')
    yield 'CAIRN-NOT-DECODED', [snapshot('e-thumbee', thumbee, kind='PTM', core='Cortex-A9',
                                         dumps=[(0x1000, bytes_of('bff3 1f8f 00bf'))],
                                         registers={'ETMIDR': 0x411cf300, 'ETMCR': 0, 'ETMCCER': 0x00c008c2})]
    other = dict(EXAMPLE_PROGRAM)
    other[0x1000] = [0x14000c00]  # B 0x4000
    told = START + bytes_of('F7' '9A 00 10 00 00')  # E, and the address that it led to: 0x2000
    yield 'CAIRN-IMAGE-CONTRADICTED', [snapshot('e-other-image', told + bytes_of('F7') * 3, dumps=[
        (address, words(values)) for address, values in other.items()])]
    mismatch = snapshot('e-mismatch', EXAMPLE_D11_1_1, dumps=DUMPS)
    bad = folder.write('e-mismatch/bad.bin', words(other[0x1000]))
    yield 'CAIRN-IMAGE-MISMATCH', ['--image', bad + '@0x1000', mismatch]
    with open(folder.elf('e-raw.elf', {0x2000: DUMPS[1][1]}, [('f', 0x2000, 20)]), 'rb') as file:
        yield 'CAIRN-ELF-AS-RAW', [snapshot('e-raw', EXAMPLE_D11_1_1, dumps=[DUMPS[0], (0, file.read())])]
    missing = snapshot('e-missing', EXAMPLE_D11_1_1, dumps=DUMPS)
    os.unlink(os.path.join(missing, 'trace.bin'))
    yield 'CAIRN-MISSING-FILE', [missing]
    raw = folder.write('e/etb.bin', EXAMPLE_D11_1_1)
    yield 'CAIRN-NO-PROTOCOL', [raw]
    yield 'CAIRN-FORMAT-GUESSED', ['--protocol', 'ete', folder.write('e/two/etb.bin', two * 3)]


# ---- the verdict ----

def verdicts(cairn, *arguments):
    answer = run(cairn, 'check', '--format', 'json', *arguments)
    return {row['where']: row for row in answer.rows() if row['type'] == 'verdict'}


def check_measure(cairn, folder):
    """The example of D11.1.1 has two branches: 0x1000, taken, and 0x200c, not taken; then an exception."""
    capture = folder.snapshot('whole', EXAMPLE_D11_1_1, dumps=DUMPS)
    row = verdicts(cairn, capture)['ETM_0']
    yield from expect('whole', (row['unit'], row['followed'], row['lost'], row['causes'], row['what']),
                      ('branches', 2, 0, 0, '100 % of the branches followed'))
    # without memory at 0x2000 the second atom is lost: they are in one packet of a byte
    capture = folder.snapshot('half', EXAMPLE_D11_1_1, dumps=DUMPS[:1])
    row = verdicts(cairn, capture)['ETM_0']
    yield from expect('half', (row['followed'], row['lost'], row['causes'], row['what']),
                      (1, 1, 1, '50 % of the branches followed (1 of 2); 1 cause'))
    # five atoms of a packet (F5: D5.43; format 5 is five atoms), and no memory at all
    capture = folder.snapshot('five', START + bytes_of('F5'))
    row = verdicts(cairn, capture)['ETM_0']
    yield from expect('five', (row['followed'], row['lost'], row['what']),
                      (0, 5, '0 instructions; 5 branches fell where there is no memory; 1 cause'))
    for command in ['flow'], ['flow', '--summary'], ['check']:
        yield from expect(' '.join(command), run(cairn, *command, capture).status, 2)
    for ways in ['--reference'], ['--jobs', 4]:
        for name in 'half', 'five':
            path = os.path.join(folder.path, name)
            yield from expect('%s %s' % (name, ways), verdicts(cairn, *ways, path), verdicts(cairn, path))
    # what precedes the first synchronisation is no gap that matters, in no command
    capture = folder.snapshot('round', bytes_of('F7 F7') + EXAMPLE_D11_1_1, dumps=DUMPS)
    for command in ['check'], ['flow'], ['flow', '--summary'], ['flow', '--to', '0x14'], ['info'], ['packets'], \
            ['elements'], ['elements', '--resolved']:
        yield from expect(' '.join(command), run(cairn, *command, capture).status, 0)
    # ETMv3: atoms are instructions; of four one is behind the end of memory
    trace = bytes(5) + bytes_of('80' '08 21 00 10 00 00') + bytes_of('84') * 4
    capture = folder.snapshot('v3', trace, kind='ETM3.5', core='Cortex-A7', dumps=[(0x1000, words([0xe1a00000] * 3))],
                              registers={'ETMIDR': 0x410cf250, 'ETMCR': 0, 'ETMCCER': 0x344008f2})
    row = verdicts(cairn, capture)['ETM_0']
    yield from expect('ETMv3', (row['unit'], row['followed'], row['lost'], row['what']),
                      ('instructions', 3, 1, '75 % of the instructions followed (3 of 4); 1 cause'))


def check_capture(cairn, capture):
    """The verdict of a real capture against its listings; what is printed fits a screen, and each cause is told
    once."""
    info = run(cairn, 'info', '--format', 'json', capture).rows()[0]
    for name, row in verdicts(cairn, capture).items():
        source = next(s for s in info['sources'] if s['name'] == name)
        if not source['decoded']:
            continue
        summary = [r for r in run(cairn, 'flow', '--summary', '--format', 'json', '--source', name, capture).rows()
                   if r['type'] == 'summary'][0]
        followed = summary['instructions'] if row['unit'] == 'instructions' else \
            summary['taken'] + summary['not_taken']
        yield from expect(name + ': followed', row['followed'], followed)
        lost = lost_elements(cairn, '--source', name, capture)
        most = sum(count for reason, count in lost.items() if reason not in ('discard', 'unresolved'))
        # of a packet that is a gap some elements may have been followed before
        yield from expect(name + ': lost', 0 <= most - row['lost'] <= summary['gaps'] * 5, True)
        if not summary['instructions']:  # and of one of which nothing was followed, none
            yield from expect(name + ': lost', row['lost'], most)
    answer = run(cairn, 'check', capture)
    yield from expect('lines', len(answer.lines()) <= LINES_MOST, True)
    told = [line for line in answer.lines() if re.search(r' \[CAIRN-[A-Z-]+\]$', line)]
    yield from expect('each once', len(told), len(set(told)))
    yield from expect('status by reference', run(cairn, 'check', '--reference', capture).status, answer.status)


# ---- causes ----

def check_many(cairn, folder):
    """41 sources of which the same is true are one line; one of them that differs is another."""
    count = 41
    names = ['ETM_%d' % i for i in range(count)]
    capture = folder.snapshot('many', EXAMPLE_D11_1_1, dumps=DUMPS)
    with open(os.path.join(capture, 'etm_0.ini'), encoding='utf-8') as file:
        first = file.read()
    for name in names[1:]:
        folder.write('many/%s.ini' % name.lower(), first.replace('ETM_0', name))
    with open(os.path.join(capture, 'snapshot.ini'), encoding='utf-8') as file:
        root = file.read()
    folder.write('many/snapshot.ini', root.replace('[trace]', ''.join(
        'device%d=%s.ini\n' % (i + 1, name.lower()) for i, name in enumerate(names[1:], 1)) + '[trace]'))
    folder.write('many/trace.ini', '[trace_buffers]\nbuffers=%s\n' % ','.join('buffer%d' % i for i in range(count)) +
                 ''.join('[buffer%d]\nname=B_%d\nfile=trace.bin\nformat=source_data\n' % (i, i) for i in range(count)) +
                 '[source_buffers]\n' + ''.join('%s=B_%d\n' % (name, i) for i, name in enumerate(names)) +
                 '[core_trace_sources]\ncpu_0=%s\n' % ','.join(names))
    answer = run(cairn, 'check', capture)
    yield from expect('lines', answer.lines(), ['ETM_0, ETM_1, ETM_2 and 38 more: 100 % of the branches followed',
                                                'nothing to complain about: every byte was decoded'])
    # without memory all have one cause, and are one entry
    for name in os.listdir(capture):
        if name.startswith('dump'):
            os.unlink(os.path.join(capture, name))
    answer = run(cairn, 'check', capture)
    told = [line for line in answer.lines() if '[CAIRN-NO-IMAGE]' in line]
    yield from expect('entries', len(told), 1)
    yield from expect_in('others', 'the same in ETM_1, ETM_2, ETM_3 and 37 more', answer.out)
    yield from expect_in('costs', 'costs 82 branches', answer.out)
    yield from expect('lines', len(answer.lines()) <= LINES_MOST, True)
    yield from expect('--all tells each', run(cairn, 'check', '--all', capture).out.count('[CAIRN-NO-IMAGE]'), count)


def check_noise(cairn, folder):
    """A source without frames in a buffer that is said to have some: its bytes become trace IDs of anything. One
    cause, and the right one."""
    trace = EXAMPLE_D11_1_1 + b''.join(START + bytes_of('9D') + bytes((i * j * 37 + 11) % 251 for j in range(1, 9)) +
                                       bytes_of('F7 DA 00 05') for i in range(1, 160))
    capture = folder.snapshot('noise', trace, format_='coresight', dumps=DUMPS)
    rows = run(cairn, 'check', '--format', 'json', capture).rows()
    roots = [row for row in rows if row['type'] == 'finding' and 'because' not in row]
    ids = [row for row in rows if row['type'] == 'verdict' and row['where'].startswith('id-')]
    yield from expect('trace IDs', len(ids) > 40, True)
    yield from expect('causes', [row['code'] for row in roots], ['CAIRN-WRONG-FRAMES'])
    for row in roots:
        yield from expect_in('advice', 'format=source_data', row['advice'])
        yield from expect_in('what', '%d trace IDs' % len(ids), row['what'])
    answer = run(cairn, 'check', capture)
    yield from expect('lines', len(answer.lines()) < 10, True)
    yield from expect('told once', [answer.out.count(code) for code in
                                    ('[CAIRN-WRONG-FRAMES]', 'CAIRN-UNCONFIGURED-ID')], [1, 0])


def check_noise_of_other(cairn, folder):
    """The same of a source whose packets are not decoded here, so that no layout can be tried: it is the only one of
    the buffer."""
    trace = bytes((i * i * 31 + i * 7 + (i >> 3) * 13) % 256 for i in range(3000))
    capture = folder.snapshot('stm', trace, kind='STM', format_='coresight',
                              registers={'TRCDEVARCH': None, 'STMTCSR': 0x200000})
    answer = run(cairn, 'check', capture)
    ids = [row for row in verdicts(cairn, capture) if row.startswith('id-')]
    yield from expect('trace IDs', len(ids) > 40, True)
    told = re.findall(r'\[(CAIRN-[A-Z-]+)\]', answer.out)
    yield from expect('causes', told, ['CAIRN-WRONG-FRAMES'])
    yield from expect_in('advice', 'format=source_data', answer.out)
    fixed = run(cairn, 'check', '--fix', capture)
    yield from expect_in('fixed', 'ETB_0: format=source_data', fixed.out)
    after = verdicts(cairn, os.path.join(capture, 'snapshot.fixed.ini'))
    yield from expect('sources after', list(after), ['ETM_0'])
    yield from expect('bytes after', after['ETM_0']['bytes'], len(trace))


STARTS = {'TRCVISSCTLR': 0x1, 'TRCVICTLR': 0x1}  # comparator 0 starts, and SSSTATUS says that it has not (DDI0608 S_XMMLP)


def check_nothing_traced(cairn, folder):
    """A source without trace is no problem: what is said of it, and what can be done."""
    padding = ALIGNMENT_SYNC + bytes_of('70') * 32  # and Ignore, D5.67
    for name, trace, registers, severity, code, what, advice in [
            ('bare', b'', {}, 'warning', 'CAIRN-EMPTY-BUFFER', 'the buffer is empty', 'was the trace unit enabled'),
            ('waits', b'', STARTS, 'warning', 'CAIRN-NO-DATA', 'execution never came to a start point', 'choose a start point'),
            ('padded', padding, {}, 'warning', 'CAIRN-NO-DATA', 'all bytes are padding', 'check that its trace unit was enabled'),
            ('pads', padding, STARTS, 'warning', 'CAIRN-NO-DATA', 'execution never came to a start point', 'choose a start')]:
        capture = folder.snapshot('nothing-' + name, trace, dumps=DUMPS, registers=registers)
        rows = run(cairn, 'check', '--format', 'json', capture).rows()
        found = [row for row in rows if row['type'] == 'finding' and 'because' not in row]
        yield from expect(name, [(row['code'], row['severity'], row['loses_data']) for row in found],
                          [(code, severity, False)])
        for row in found:
            yield from expect_in(name, what, row['what'])
            yield from expect_in(name, advice, row['advice'])
    # Beside a source that has trace it is a note, and nothing is lost.
    capture = folder.snapshot('nothing-beside', EXAMPLE_D11_1_1, dumps=DUMPS)
    for text, old, new in [('snapshot.ini', '[trace]', 'device2=etm_1.ini\n[trace]'),
                           ('trace.ini', 'buffers=buffer1', 'buffers=buffer1,buffer2'),
                           ('trace.ini', 'ETM_0=ETB_0', 'ETM_0=ETB_0\nETM_1=ETB_1'),
                           ('trace.ini', 'cpu_0=ETM_0', 'cpu_0=ETM_0\ncpu_0=ETM_1\n[buffer2]\nname=ETB_1\nfile=empty.bin\n'
                                         'format=source_data')]:
        with open(os.path.join(capture, text), encoding='utf-8') as file:
            folder.write('nothing-beside/' + text, file.read().replace(old, new))
    folder.write('nothing-beside/empty.bin', b'')
    with open(os.path.join(capture, 'etm_0.ini'), encoding='utf-8') as file:
        folder.write('nothing-beside/etm_1.ini', file.read().replace('ETM_0', 'ETM_1') + 'TRCVISSCTLR=1\nTRCVICTLR=1\n')
    answer = run(cairn, 'check', '--all', capture)
    yield from expect('status', answer.status, 0)
    yield from expect('verdicts', [line for line in answer.lines() if line.startswith('ETM_')],
                      ['ETM_0: 100 % of the branches followed',
                       'ETM_1: nothing was traced: execution never came to a start point of the trace unit'])
    yield from expect_in('a note', 'note: ETM_1: nothing was traced', answer.out)


def check_differing(cairn, folder):
    """Beside an image of which executed instructions are others no verdict says that all is well."""
    capture = folder.snapshot('differing', EXAMPLE_D11_1_1, dumps=DUMPS)
    values = {address: list(words_) for address, words_ in EXAMPLE_PROGRAM.items()}
    values[0x2000][0], values[0x2000][4] = 0xd2800040, 0xf9000002  # MOV X0, #2; STR X2, [X0]
    for change, wanted in [(None, ''), (1, '; but 1 executed instruction differs from the image; 1 cause'),
                           (2, '; but 2 executed instructions differ from the image; 1 cause')]:
        given = [*EXAMPLE_PROGRAM[0x2000]]
        given[:1] = values[0x2000][:1] if change else given[:1]
        given[4:] = values[0x2000][4:] if change == 2 else given[4:]
        path = folder.write('differing.bin', words(given))
        rows = run(cairn, 'check', '--format', 'json', '--image', path + '@0x2000', capture).rows()
        verdict = next(row for row in rows if row['type'] == 'verdict')
        yield from expect('%s changed' % change, verdict['what'], '100 % of the branches followed' + wanted)


def check_source(cairn, folder):
    """What is asked of one source is not answered of another, and a source without a byte has none to lose."""
    capture = folder.snapshot('two', frames([(0x10, EXAMPLE_D11_1_1)]), format_='coresight', dumps=DUMPS)
    folder.write('two/etm_1.ini', '[device]\nname=ETM_1\nclass=trace_source\ntype=ETE\n[regs]\nTRCTRACEIDR=0x11\n'
                 'TRCIDR8=0x99\n')
    folder.write('two/itm.ini', '[device]\nname=ITM_0\nclass=trace_source\ntype=ITM\n[regs]\nITMTCR=0x120000\n')
    for name, old, new in [('snapshot.ini', '[trace]', 'device2=etm_1.ini\ndevice3=itm.ini\n[trace]'),
                           ('trace.ini', 'ETM_0=ETB_0', 'ETM_0=ETB_0\nETM_1=ETB_0\nITM_0=ETB_0')]:
        with open(os.path.join(capture, name), encoding='utf-8') as file:
            folder.write('two/' + name, file.read().replace(old, new))
    everything = run(cairn, 'check', '--all', capture).out
    yield from expect('of both', 'ETM_1: no core is given' in everything, True)
    yield from expect_in('ITM', 'ITM_0: no data in the buffer', everything)
    yield from expect('0 bytes', ' 0 bytes' in everything, False)
    one = run(cairn, 'check', '--all', '--source', 'ETM_0', capture)
    yield from expect('of one', [line for line in one.lines() if 'ETM_1' in line or 'ITM_0' in line], [])
    yield from expect('its status', one.status, 0)


def check_stray(cairn, folder):
    """A byte under a trace ID that nobody has is no problem, and no reason for another status."""
    frame = bytearray(frames([(0x10, EXAMPLE_D11_1_1)]))
    # behind it a frame with one byte of ID 0x41, and nothing else: ID 0 has the rest
    frame += bytes([0x41 << 1 | 1, 0x55, 0x01]) + bytes(13)
    capture = folder.snapshot('stray', bytes(frame), format_='coresight', dumps=DUMPS)
    answer = run(cairn, 'check', '--format', 'json', capture)
    rows = [row for row in answer.rows() if row['type'] == 'finding']
    yield from expect('status', answer.status, 0)
    yield from expect('findings', [(row['code'], row['severity'], row['loses_data']) for row in rows],
                      [('CAIRN-STRAY-ID', 'note', False)])
    for row in rows:
        yield from expect_in('what', '1 byte has a trace ID', row['what'])


def check_contradictions(cairn, folder):
    """An image of something else: it loses data, and the status says so."""
    other = dict(EXAMPLE_PROGRAM)
    other[0x1000] = [0x14000c00]  # B 0x4000
    # E, and the address that it led to, 0x2000 (Exact: D5.49); then N at 0x200c
    capture = folder.snapshot('other', START + bytes_of('F7' '95 80 10' 'F6'), dumps=[
        (address, words(values)) for address, values in other.items()])
    answer = run(cairn, 'check', '--format', 'json', capture)
    rows = [row for row in answer.rows() if row['type'] == 'finding']
    yield from expect('status', answer.status, 1)
    yield from expect('findings', [(row['code'], row['severity'], row['loses_data'], row['cost']['branches'])
                                   for row in rows], [('CAIRN-IMAGE-CONTRADICTED', 'problem', True, 1)])
    yield from expect_in('one alone', 'is probably not what ran', rows[0]['advice'])
    # All the time: 0x1000 leads to 0x4000 by the image, and to 0x2000 by the trace, from where B leads back.
    for times, wanted in ((80, 'is not what ran: what did is not contradicted once in 2 instructions'),
                          (60, 'is probably not what ran')):
        capture = folder.snapshot('often', START + bytes_of('F7' '95 80 10' 'F7') * times, dumps=[
            (0x1000, words([0x14000c00])), (0x2000, words([0x17fffc00]))])
        rows = [row for row in run(cairn, 'check', '--format', 'json', capture).rows() if row['type'] == 'finding']
        yield from expect('%d times' % times, [(row['code'], row['count']) for row in rows],
                          [('CAIRN-IMAGE-CONTRADICTED', times)])
        yield from expect_in('%d times' % times, wanted, rows[0]['advice'])


def check_order(cairn, folder):
    """The costliest first, whatever it is; an overflow that costs nothing is behind a gap that does."""
    capture = folder.snapshot('order', EXAMPLE_D11_1_1 + bytes_of('00 05') + START + bytes_of('08') + NOT_SYNC[:200] +
                              START + bytes_of('F7 F7'), dumps=DUMPS[:1])
    rows = [row for row in run(cairn, 'check', '--format', 'json', capture).rows() if row['type'] == 'finding']
    roots = [row for row in rows if 'because' not in row]
    weights = [max(row['cost']['branches'] + row['cost']['instructions'], row['cost']['bytes']) for row in roots]
    yield from expect('causes', sorted(row['code'] for row in roots),
                      ['CAIRN-NO-IMAGE', 'CAIRN-OVERFLOW', 'CAIRN-RESERVED'])
    yield from expect('worst first', weights, sorted(weights, reverse=True))
    yield from expect('first', roots[0]['code'], 'CAIRN-RESERVED')


def check_zephyr(cairn, top):
    """A buffer that turns to noise after about 28.6 KB (README of the captures): that is said, and no more of the
    100 and more trace IDs that it is taken for."""
    capture = os.path.join(top, 'cortex-r5', 'zephyr')
    rows = [row for row in run(cairn, 'check', '--format', 'json', capture).rows() if row['type'] == 'finding']
    noise = [row for row in rows if row['code'] == 'CAIRN-NOISE']
    yield from expect('findings', len(noise), 1)
    for row in noise:
        begin = int(re.search(r'file offset (0x[0-9a-f]+)', row['what']).group(1), 16)
        yield from expect('where', abs(begin - 28600) < 500, True)
    yield from expect('IDs', [row['code'] for row in rows if '-ID' in row['code'] and 'because' not in row], [])
    yield from expect('lines', len(run(cairn, 'check', capture).lines()) <= LINES_MOST, True)


def check_ring(cairn, top):
    """The dump of a ring of 2^(3 + 4) bytes that has gone round: its packets break off where POSITION points to."""
    path = os.path.join(top, 'mtb', 'mtb_derived_wrap_mask3.bin')
    given = ['--protocol', 'mtb', '--core', 'Cortex-M33']
    answer = run(cairn, 'check', '--fix', *given, path)
    yield from expect('contradictions', 'CAIRN-IMAGE-MISMATCH' in answer.out, False)
    yield from expect_in('cause', '[CAIRN-NO-POSITION]', answer.out)
    yield from expect_in('fix', 'cairn check --protocol mtb --core Cortex-M33 --set POSITION=0x1c ' + path, answer.out)
    fixed = run(cairn, 'check', *given, '--set', 'POSITION=0x1c', path)
    yield from expect('fixed', '[CAIRN-NO-POSITION]' in fixed.out, False)


def main():
    cairn = sys.argv[1]
    tap = Tap()
    tap.case('codes: sources, page, --explain', check_codes(cairn))
    tap.case('--explain', check_explain(cairn))
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        for code, arguments in examples(folder):
            tap.case('example of ' + code, check_example(cairn, code, arguments))
        tap.case('the measure', check_measure(cairn, folder))
        tap.case('many sources', check_many(cairn, folder))
        tap.case('no frames', check_noise(cairn, folder))
        tap.case('no frames, and no packets', check_noise_of_other(cairn, folder))
        tap.case('nothing traced', check_nothing_traced(cairn, folder))
        tap.case('executed instructions that differ', check_differing(cairn, folder))
        tap.case('one source', check_source(cairn, folder))
        tap.case('a stray trace ID', check_stray(cairn, folder))
        tap.case('contradictions', check_contradictions(cairn, folder))
        tap.case('order of causes', check_order(cairn, folder))
    real = captures()
    if real is None:
        tap.skip('verdicts of snapshots', 'CAIRN_CAPTURES is not set')
    for name, path in real or []:
        tap.case('%s: verdict' % name, check_capture(cairn, path))
    if real is not None:
        top = os.environ['CAIRN_CAPTURES']
        tap.case('noise behind the trace', check_zephyr(cairn, top))
        tap.case('the ring of a Micro Trace Buffer', check_ring(cairn, top))
    tap.end()


if __name__ == '__main__':
    main()
