#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""cairn profile and cairn calls: counts and trees are those of what was executed, whichever way it is decoded; each format
is opened by a program that reads it.

usage: test_profile.py CAIRN
"""
import collections
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

from common import EXAMPLE_D11_1_1, START, TIMEOUT, Folder, Tap, bytes_of, captures, expect, expect_in, run, words
from decoded import check_speedscope_file, decoded
from test_engine import CODE, CODE_WORDS, random_trace, random_word

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
CAPTURE = os.path.join(TOP, 'examples', 'capture')
PROGRAM = ['--image', os.path.join(CAPTURE, 'program.elf')]


def executed():
    """(address, outcome) of every instruction of the example capture, which its interpreter wrote."""
    for name in ('ETE_0.addresses', 'ETM_1.addresses'):
        with open(os.path.join(CAPTURE, name), encoding='utf-8') as file:
            for line in file:
                if line[0] != '#':
                    yield (line.split() + [None])[:2]


def check_counts(cairn):
    rows = run(cairn, 'profile', '--by', 'instruction', '--format', 'json', CAPTURE).rows()
    wanted = collections.Counter('0x' + address for address, _ in executed())
    yield from expect('times', {row['address']: row['times'] for row in rows if row['type'] == 'instruction'}, wanted)
    yield from expect('total', rows[-1]['instructions'], sum(wanted.values()))
    rows = run(cairn, 'profile', '--by', 'branch', '--format', 'json', CAPTURE).rows()
    outcomes = [('0x' + address, outcome) for address, outcome in executed() if outcome]
    # the first instruction is ISB, which has an atom and is no branch
    branches = {address for address, _ in outcomes} - {'0x80000000'}
    got = {row['address']: (row['times'], row['taken']) for row in rows if row['type'] == 'branch'}
    yield from expect('branches', got, {address: (wanted[address], outcomes.count((address, 'E'))) for address in branches})
    rows = run(cairn, 'profile', '--by', 'block', '--format', 'json', CAPTURE).rows()
    blocks = [row for row in rows if row['type'] == 'block']
    yield from expect('blocks', sum(row['instructions'] for row in blocks), sum(wanted.values()))
    for row in blocks:
        yield from expect('a block', row['instructions'],
                          row['times'] * (int(row['end'], 16) - int(row['address'], 16)) // 4)


def check_functions(cairn):
    """By hand, from program.s: weigh is called once a number (12 and 6), report once on each core, and the
    supervisor call is taken once on each."""
    rows = run(cairn, 'profile', '--format', 'json', *PROGRAM, CAPTURE).rows()
    got = {row['function']: row for row in rows if row['type'] == 'function'}
    counts = collections.Counter(int(address, 16) for address, _ in executed())
    yield from expect('calls', {name: row['calls'] for name, row in got.items() if row['calls']},
                      {'weigh': 18, 'report': 2, 'handler': 2})
    yield from expect('self of handler', got['handler']['instructions'],
                      counts[0x80000200] + counts[0x80000204])
    # weigh has a label inside: `even` is a symbol of its own, which a branch goes to
    inside = sum(n for address, n in counts.items() if 0x8000002c <= address < 0x80000040)
    yield from expect('total of weigh', got['weigh']['total_instructions'], inside)
    answer = run(cairn, 'profile', '--sort', 'calls', '--top', '1', *PROGRAM, CAPTURE)
    yield from expect_in('text', 'weigh', answer.lines()[-1])
    yield from expect('one line', len(answer.lines()), 4)
    answer = run(cairn, 'profile', '--annotate', 'handler', *PROGRAM, CAPTURE)
    yield from expect('annotated', [line.split()[:3] for line in answer.lines()[2:]],
                      [['2', '80000200', 'add'], ['2', '2', '80000204']])


def check_calls(cairn):
    rows = [row for row in run(cairn, 'calls', '--format', 'json', *PROGRAM, CAPTURE).rows() if row['type'] == 'call']
    # what is in a tail call's place is no call of its own
    tree = [(row['source'], row['depth'], row['function'], row['kind'], row['end'])
            for row in rows if row['kind'] != 'jumped_to']
    for source, numbers in (('ETE_0', 12), ('ETM_1', 6)):
        own = [row for row in tree if row[0] == source]
        yield from expect(source + ': of weigh', sum(row[2] == 'weigh' and row[1] == 1 for row in own), numbers)
        yield from expect(source + ': at last', [row[1:] for row in own[-1:]], [(0, '_start', 'found', 'open')])
        handler = [row for row in own if row[2] == 'handler']
        yield from expect(source + ': the supervisor call', [row[1] for row in handler], [1])
        yield from expect(source + ': its kind', [row[3] for row in handler], ['exception'])
    for row in rows:
        inside = row['ended'] - row['began']
        yield from expect('one thread a source', row['instructions'], inside)
    report = [row for row in rows if row['function'] == 'report']
    yield from expect('report is called by blr', {row['site'] for row in report}, {'0x8000001c'})
    yield from expect('and returns behind it', {row['return_address'] for row in report}, {'0x80000020'})
    text = run(cairn, 'calls', '--no-pager', '--function', 'report', *PROGRAM, CAPTURE)
    yield from expect('only report', [line.split()[-1] for line in text.lines()[1:] if line[0] != '-'], ['report'] * 2)
    text = run(cairn, 'calls', '--no-pager', '--last', '1', *PROGRAM, CAPTURE)
    yield from expect('the last line', [line.split()[2:4] for line in text.lines() if '_start' in line], [['}', '_start']] * 2)
    text = run(cairn, 'calls', '--no-pager', '--depth', '1', *PROGRAM, CAPTURE)
    yield from expect('outermost', [line.split()[2] for line in text.lines()[1:] if line[0] != '-'], ['_start'] * 2)


# --- whichever way it is decoded

WAYS = (['--jobs', '1'], ['--jobs', '3', '--table-memory', '1M'])
COMMANDS = (['calls', '--format', 'json'], ['calls', '--no-pager'], ['profile', '--format', 'json'],
            ['profile', '--by', 'branch', '--format', 'json'], ['profile', '--by', 'block', '--format', 'json'], ['profile', '--format', 'folded'])


def check_ways(cairn, folder):
    """Random trace, half of it damaged, of a program with many functions, into the midst of which it jumps."""
    chance = random.Random(7)
    code = words([random_word(chance, at) for at in range(CODE_WORDS)])
    elf = folder.elf('random.elf', {CODE: code},
                     [('f%d' % i, CODE + 0x40 * i, 0x40) for i in range(CODE_WORDS // 16)])
    basic = ['--protocol', 'ete', '--frames', 'none', '--set', 'TRCCONFIGR=0x1801', '--image', elf]
    met = collections.Counter()
    for seed, count, damage, times in ((0, 6000, 0, 1), (1, 6000, 0.5, 1), (2, 300, 0, 12), (3, 300, 0.1, 12)):
        # what comes again is remembered with its stack
        trace = folder.write('random%d.bin' % seed, random_trace(seed, count, damage) * times)
        for command in COMMANDS:
            wanted = run(cairn, *command, '--reference', *basic, trace)
            if command[0] == 'calls' and '--format' in command:
                met.update(row['type'] + row.get('end', '') for row in wanted.rows())
            way = WAYS[seed % 2]
            got = run(cairn, *command, *way, *basic, trace)
            if (got.raw, got.status) != (wanted.raw, wanted.status):
                yield '%s %s: %d lines, by the reference %d' % (command, way, len(got.lines()), len(wanted.lines()))
    # deeper than frames there are room for at first, and cut by overflows, where words that were remembered lead no more
    elf = folder.elf('deep.elf', {0x1000: words([0xb4000060, 0x97ffffff, 0xd65f03c0, 0xd65f03c0])}, [('f', 0x1000, 16)])
    trace = folder.write('deep.bin', (START + b'\xda' * 300 + b'\x00\x05') * 400)
    deep = ['--protocol', 'ete', '--frames', 'none', '--set', 'TRCCONFIGR=0x1801', '--image', elf, trace]
    wanted, got = (run(cairn, 'profile', '--format', 'folded', *way, *deep) for way in (['--reference'], []))
    yield from expect('deep', (got.raw, got.status, got.err), (wanted.raw, wanted.status, wanted.err))
    yield from expect('its sum', sum(int(line.split()[-1]) for line in got.lines()), 240000)
    yield from expect('counts', run(cairn, 'count', '-o', folder.path + '/deep.counts', *deep).status, 0)
    for kind in ('callreturned', 'calljumped', 'callunwound', 'callcut', 'gap'):
        if met[kind] < 5:
            yield 'the control: %d of %s' % (met[kind], kind)


def check_lost_epochs(cairn, folder):
    """Memory that changed more often than the recording could tell: whatever answers says so once, as nothing in it shows it."""
    capture = os.path.join(folder.path, 'changing')
    shutil.copytree(CAPTURE, capture)
    with open(os.path.join(capture, 'ete_0.ini'), 'a', encoding='utf-8') as file:
        file.write('\n[epochs]\nlost=3\nfrom=0x20\n')
    for command in ('flow', 'profile', 'calls', 'coverage', 'latency', 'pgo', 'count'):
        more = {'latency': ('--function', 'weigh'), 'pgo': (*PROGRAM,), 'count': ('--output', os.devnull, '--force')}.get(command, ())
        for path, times in ((capture, 1), (CAPTURE, 0)):
            said = run(cairn, command, *more, path).err
            yield from expect('%s: %s' % (command, said), said.count('memory changed more often than the recording could tell (3 changes'), times)


# --- cycles

COUNTING = ['--protocol', 'ete', '--frames', 'none', '--set', 'TRCCONFIGR=0x11', '--set', 'TRCIDR0=0x2881cea1', '--set', 'TRCCCCTLR=4']


def counting(*spans):
    """An ETE with cycle counts: each (address, cycles of each E)."""
    data = bytes(11) + b'\x80' + b'\x01\x09\x01\x04' + b'\x04'  # A-sync, Trace Info (CC, threshold 4), Trace On
    for address, cycles in spans:  # Address with Context (64-bit IS0): EL0, Non-secure, AArch64; E, Cycle Count format 3
        data += b'\x85' + bytes([address >> 2 & 0x7f, address >> 9 & 0x7f]) + (address >> 16).to_bytes(6, 'little') + b'\x30'
        data += b''.join(b'\xf7' + bytes([0x10 + count - 4]) for count in cycles)
    return data


def told_cycles(cairn, *arguments):
    """{source: what its Cycle Counts come to}, by the elements."""
    told = collections.Counter()
    for row in run(cairn, 'elements', '--format', 'json', *arguments).rows():
        if row.get('kind') == 'Cycle Count':
            told[row['source']] += row['fields'].get('cycles') or 0
    return told


def fields_of(data):
    """(number, value) of a protobuf message's varints and what has a length."""
    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at, value, shift = at + 1, value | (byte & 0x7f) << shift, shift + 7
            if byte < 0x80:
                return value
    at = 0
    while at < len(data):
        key = varint()
        value = varint()
        if key & 7 == 2:
            at, value = at + value, data[at:at + value]
        yield key >> 3, value


def cycles_of_pprof(raw):
    """Of all samples (Profile.sample 2, Sample.value 2, packed): the last value is cycles."""
    def last(packed):
        value = 0
        for byte in packed[1 + max((at for at in range(len(packed) - 1) if packed[at] < 0x80), default=-1):][::-1]:
            value = value << 7 | byte & 0x7f
        return value
    return sum(last(values) for number, sample in fields_of(raw) if number == 2 for field, values in fields_of(sample) if field == 2)


def cycles_of_callgrind(text):
    """(of its summary, of what functions have themselves): a line behind `calls=` is of what was called."""
    summary, own, is_call = 0, 0, False
    for line in text.splitlines():
        if line.startswith('summary:'):
            summary = int(line.split()[2])
        elif line.startswith('0x') and not is_call and len(line.split()) == 4:
            own += int(line.split()[3])
        is_call = line.startswith('calls=')
    return summary, own


def sums_by_chains(cairn, folder, arguments):
    """Cycles that chains of calls and threads have, by each format."""
    name = os.path.join(folder.path, 'chains')
    files = [line.split()[0] for line in run(cairn, 'profile', '--format', 'callgrind', '--threads', '--force', '--output', name, *arguments).lines()]
    texts = []
    for path in files:
        with open(path, encoding='utf-8') as file:
            texts.append(cycles_of_callgrind(file.read()))
        os.remove(path)
    rows = run(cairn, 'profile', '--by', 'thread', '--format', 'json', *arguments).rows()
    return {'summaries': sum(text[0] for text in texts), 'functions of threads': sum(text[1] for text in texts),
            'pprof': cycles_of_pprof(run(cairn, 'profile', '--format', 'pprof', *arguments).raw),
            'threads': sum(row['cycles'] for row in rows if row['type'] == 'thread')}


def sums_of_cycles(cairn, folder, arguments):
    """(cycles, unattributed ones) of a profile, and what is wrong with them: functions, sources and the trace must agree."""
    told, wrong, sums = told_cycles(cairn, *arguments), [], None
    for way in ((), ('--no-calls',), ('--reference',), ('--by', 'instruction'), ('--by', 'block', '--jobs', '2')):
        rows = run(cairn, 'profile', '--format', 'json', *way, *arguments).rows()
        sources = collections.Counter({row['source']: row['cycles'] for row in rows if row['type'] == 'source' and row.get('cycles')})
        got = (rows[-1].get('cycles', 0), rows[-1].get('unattributed_cycles', 0))
        wrong += expect('%r: sources' % (way,), +sources, +told)
        wrong += expect('%r: the sums' % (way,), sum(got), sum(told.values()))
        wrong += expect('%r: its rows' % (way,), sum(row['cycles'] for row in rows[:-1] if row['type'] != 'source' and 'cycles' in row), got[0])
        wrong += expect('%r: as the others' % (way,), got, sums or got)
        sums = got
    for name, cycles in sums_by_chains(cairn, folder, arguments).items() if sums[0] else ():
        wrong += expect(name, cycles, sums[0])
    return sums, wrong


def check_cycles(cairn, folder):
    """Cycles of a function are those that came behind its instructions, and not those of code of which there is no memory: these
    are told apart. By hand; and of random trace, with code that is missing and bytes that are damaged."""
    elf = folder.elf('loop.elf', {0x1000: words([0xd503201f, 0xd503201f, 0x17fffffe])}, [('f', 0x1000, 12)])
    trace = counting((0x1000, (5, 6)), (0x9000, (7,)), (0x1000, (4,)), (0x9000, (5,)), (0x1000, (6,)))
    for times in (1, 40):
        path = folder.write('loop.bin', trace * times)
        sums, wrong = sums_of_cycles(cairn, folder, [*COUNTING, '--image', elf, path])
        yield from wrong
        rows = run(cairn, 'profile', '--format', 'json', *COUNTING, '--image', elf, path).rows()
        yield from expect('f with what it calls', [row['total_cycles'] for row in rows if row['type'] == 'function'], [21 * times])
        yield from expect('of f and of nothing', sums, (21 * times, 12 * times))
    chance = random.Random(11)
    for seed in range(6):
        spans = [(chance.choice((0x1000, 0x1004, 0x1008, 0x9000)), [chance.choice((4, 5, 6, 7)) for _ in range(chance.randrange(4))])
                 for _ in range(300)]
        data = bytearray(b''.join(counting(*spans[at:at + 20]) for at in range(0, 300, 20)))
        for _ in range(seed * 3):
            data[chance.randrange(len(data))] = chance.randrange(256)
        path = folder.write('random-cycles.bin', bytes(data))
        yield from ['seed %d: %s' % (seed, text) for text in sums_of_cycles(cairn, folder, [*COUNTING, '--image', elf, path])[1]]


def check_cycles_of_captures(cairn, folder, snapshots):
    met = 0
    for name, path in snapshots:
        if not told_cycles(cairn, path):
            continue
        sums, wrong = sums_of_cycles(cairn, folder, [path])
        met += sum(sums)
        yield from [name + ': ' + text for text in wrong]
    yield from expect('the control', met > 3600000, True)


# --- programs that read it

def nested(events):
    """The names of what begins and ends, by track; an event is (track, 'B', 'E' or another, name, time)."""
    stacks, times = collections.defaultdict(list), {}
    for track, phase, name, time in events:
        if time < times.get(track, 0):
            yield 'time goes back: %r' % ((track, phase, name, time),)
        times[track] = time
        if phase == 'B':
            stacks[track].append(name)
        elif phase == 'E':
            if not stacks[track]:
                yield 'an end without a beginning'
            else:
                stacks[track].pop()
    yield from ['%s: not ended: %s' % item for item in stacks.items() if item[1]]


def check_chrome(cairn):
    data = json.loads(run(cairn, 'calls', '--format', 'chrome', *PROGRAM, CAPTURE).out)
    events = data['traceEvents']
    names = {(event['pid'], event['tid']): event['args']['name'] for event in events if event['name' if 'name' in event else 'ph'] == 'thread_name'}
    yield from expect('threads', sorted(names.values()), ['ETE_0 context 0x1234', 'ETM_1 context 0x77'])
    calls = [((e['pid'], e['tid']), e['ph'], e.get('name'), e['ts']) for e in events if e['ph'] not in 'MC']
    yield from nested(calls)
    yield from expect('of weigh', sum(call[2] == 'weigh' for call in calls), 18)
    yield from expect('a nanosecond an instruction', max(call[3] for call in calls), 0.107)


def perfetto_of(cairn, *arguments):
    """Names of threads; slices and instants; values of counters by name of track and of what that is below."""
    names, events, counters = {}, [], collections.defaultdict(list)
    kinds = {'TYPE_SLICE_BEGIN': 'B', 'TYPE_SLICE_END': 'E', 'TYPE_INSTANT': 'I'}
    for packet in decoded(run(cairn, 'calls', '--format', 'perfetto', *arguments).raw):
        for track in packet.get('track_descriptor', []):
            uuid = track['uuid'][0]
            parent = names.get(track.get('parent_uuid', [''])[0], ('',))[0]
            if 'counter' in track:
                names[uuid] = track['name'][0], parent
            else:
                names[uuid] = (track.get('process') or track['thread'])[0], parent
                key = 'process_name' if 'process' in track else 'thread_name'
                names[uuid] = names[uuid][0][key][0], parent
        for event in packet.get('track_event', []):
            track, at = names[event['track_uuid'][0]], int(packet['timestamp'][0])
            if event['type'] == ['TYPE_COUNTER']:
                value = (event.get('counter_value') or event.get('double_counter_value'))[0]
                counters[track].append((at, float(value)))
            else:
                events.append((track[0], kinds[event['type'][0]], event.get('name', [''])[0], at))
    return [name for name, parent in names.values() if parent and (name, parent) not in counters], events, counters


def check_perfetto(cairn):
    threads, events, counters = perfetto_of(cairn, *PROGRAM, CAPTURE)
    yield from expect('threads', threads, ['ETE_0 context 0x1234', 'ETM_1 context 0x77'])
    yield from nested(events)
    yield from expect('of handler', [event[2] for event in events if 'handler' in event[2]], ['Call: handler'] * 2)
    yield from expect('of weigh', sum(event[2] == 'weigh' for event in events), 18)
    depth, level = counters['stack depth', 'ETM_1 context 0x77'], 0
    for number, (_, phase, _, at) in enumerate(event for event in events if event[0] == 'ETM_1 context 0x77'):
        level += {'B': 1, 'E': -1}[phase]
        yield from expect('depth %d' % number, depth[number], (at, level))


def check_speedscope(cairn, folder):
    text = run(cairn, 'profile', '--format', 'speedscope', *PROGRAM, CAPTURE).out
    data = json.loads(text)
    yield from check_speedscope_file(text)
    frames = [frame['name'] for frame in data['shared']['frames']]
    yield from expect('profiles', [p['name'] for p in data['profiles']], ['ETE_0', 'ETM_1'])
    for profile, total in zip(data['profiles'], (107, 58)):
        yield from expect('type and unit', (profile['type'], profile['unit'], profile['startValue']), ('sampled', 'none', 0))
        yield from expect('weights', (len(profile['weights']), sum(profile['weights']), profile['endValue']),
                          (len(profile['samples']), total, total))
        yield from expect('outermost', {frames[sample[0]] for sample in profile['samples']}, {'_start'})
    # the control: what the reader of the schema is for it does see
    for wrong in (lambda d: d.update({'$schema': 'https://other'}), lambda d: d['profiles'][0]['samples'][0].append(len(frames)),
                  lambda d: d['profiles'][0]['weights'].pop(), lambda d: d['profiles'][0]['weights'].__setitem__(0, 0.5),
                  lambda d: d['profiles'][1].update(endValue=59), lambda d: d['profiles'][1].update(unit='instructions'),
                  lambda d: d['shared']['frames'][0].pop('name'), lambda d: d['shared']['frames'][0].update(line='1'),
                  lambda d: d.update(other=1), lambda d: d.update(activeProfileIndex=2)):
        damaged = json.loads(text)
        wrong(damaged)
        if not list(check_speedscope_file(json.dumps(damaged))):
            yield 'the control: nothing is found'
    yield from check_speedscope_of(cairn, folder)


def check_speedscope_of(cairn, folder):
    """Nothing executed of a thread, names with what JSON escapes, and one thread's calls only."""
    elf = folder.elf('odd.elf', {0x1000: words([0xb4000060, 0x97ffffff, 0xd65f03c0, 0xd65f03c0])}, [('f"\\\\\t\u00e9', 0x1000, 16)])
    trace = folder.write('odd.bin', (START + b'\xda' * 300 + b'\x00\x05') * 3)
    odd = ['--protocol', 'ete', '--frames', 'none', '--set', 'TRCCONFIGR=0x1801', '--image', elf, trace]
    text = run(cairn, 'profile', '--format', 'speedscope', *odd).out
    yield from check_speedscope_file(text)
    total = run(cairn, 'profile', '--format', 'json', *odd).rows()[-1]['instructions']
    yield from expect('the profile\'s sum', sum(profile['endValue'] for profile in json.loads(text)['profiles']), total)


def check_folded(cairn):
    lines = run(cairn, 'profile', '--format', 'folded', '--threads', *PROGRAM, CAPTURE).lines()
    counts = collections.Counter()
    for line in lines:
        chain, count = line.rsplit(' ', 1)
        counts[tuple(chain.split(';')[:1])] += int(count)
    yield from expect('of each core', counts, {('ETE_0',): 107, ('ETM_1',): 58})
    yield from expect_in('the handler', 'ETE_0;_start;Call: handler 2', '\n'.join(lines))


def check_callgrind(cairn, folder):
    path = os.path.join(folder.path, 'callgrind.out')
    run(cairn, 'profile', '--format', 'callgrind', '--output', path, *PROGRAM, CAPTURE)
    done = subprocess.run(['callgrind_annotate', '--tree=caller', '--inclusive=yes', path], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=TIMEOUT)
    yield from expect('messages', done.stderr, '')
    totals = re.search(r'^([\d,]+).*PROGRAM TOTALS', done.stdout, re.M)
    yield from expect('total', totals and totals[1], '165')
    called = re.findall(r'^\s*([\d,]+) .* < .*_start \((\d+)x\)', done.stdout, re.M)
    yield from expect('calls by _start', sorted(int(times) for _, times in called if int(times) > 2), [18])
    with open(path, encoding='utf-8') as file:
        text = file.read()
    taken = [outcome for address, outcome in executed() if address == '80000014']  # b.ne loop
    yield from expect_in('conditional jump', 'jcnd=%d/%d 0x80000004 0\n0x80000014 0' % (taken.count('E'), len(taken)), text)


def check_other_threads(cairn, folder):
    """Whoever opens one takes all for one profile: none of another one stays beside two threads', and none at all where one cannot
    be written. What has another name stays."""
    def profile(*more):
        return run(cairn, 'profile', '--format', 'callgrind', '--threads', *more, '--output', os.path.join(place, 'out'), *PROGRAM, CAPTURE)

    def there():
        return sorted(name for name in os.listdir(place) if os.path.getsize(os.path.join(place, name)) == len('old'))
    place = os.path.join(folder.path, 'others')
    os.mkdir(place)
    others = ['out', 'out-', 'out-003', 'out-1', 'out-3x', 'out.-03', 'oout-03']
    for name in ['out-02', 'out-03', 'out-11', 'out-123', *others]:
        folder.write(os.path.join('others', name), b'old')
    before = sorted(os.listdir(place))
    refused = profile()
    yield from expect('refused', (refused.status, there(), sorted(os.listdir(place))), (2, before, before))
    yield from expect_in('refused', 'out-02 exists; give --force', refused.err)
    yield from expect('replaced', profile('--force').status, 0)
    yield from expect('replaced', (there(), sorted(os.listdir(place))), (sorted(others), sorted(['out-01', 'out-02', *others])))
    for name in ('out-01', 'out-02'):
        os.remove(os.path.join(place, name))
    folder.write(os.path.join('others', 'out-03'), b'old')
    yield from expect('one behind', (profile().status, sorted(os.listdir(place))), (2, sorted(['out-03', *others])))
    os.mkdir(os.path.join(place, 'out-02'))
    failed = profile('--force')
    yield from expect('one that cannot be written', (failed.status, sorted(os.listdir(place))), (2, sorted(['out-02', *others])))
    yield from expect_in('one that cannot be written', 'cannot write ' + os.path.join(place, 'out-02'), failed.err)


def check_callgrind_threads(cairn, folder):
    """A file a thread: callgrind_annotate names it, and reads what was executed of it and called in it. weigh is called once a
    number, 12 and 6 times, by program.s."""
    path = os.path.join(folder.path, 'threads.out')
    told = run(cairn, 'profile', '--format', 'callgrind', '--threads', '--output', path, *PROGRAM, CAPTURE)
    yield from expect('files', [line.split() for line in told.lines()],
                      [[path + '-01', '107', 'ETE_0', 'context', '0x1234'], [path + '-02', '58', 'ETM_1', 'context', '0x77']])
    for number, thread, total, calls in (('01', 'ETE_0 context 0x1234', '107', '12'), ('02', 'ETM_1 context 0x77', '58', '6')):
        done = subprocess.run(['callgrind_annotate', '--tree=caller', path + '-' + number], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=TIMEOUT)
        yield from expect('messages', done.stderr, '')
        yield from expect_in('thread', 'Thread: %s\n' % thread, done.stdout)
        found = re.search(r'^([\d,]+).*PROGRAM TOTALS', done.stdout, re.M)
        yield from expect('total of ' + thread, found and found[1], total)
        costs = re.findall(r'^ *([\d,]+) \( *[\d.]+%\)  \*', done.stdout, re.M)
        yield from expect('all functions of ' + thread, sum(map(int, costs)), int(total))
        called = re.findall(r'< .*_start \((\d+)x\)[^\n]*\n[^\n]*\* +\S*:weigh', done.stdout)
        yield from expect('calls of weigh by ' + thread, called, [calls])
    again = run(cairn, 'profile', '--format', 'callgrind', '--threads', '--output', path, *PROGRAM, CAPTURE)
    yield from expect('files that are there', again.status, 2)
    yield from expect_in('files that are there', path + '-01 exists; give --force', again.err)
    yield from check_other_threads(cairn, folder)
    yield from expect('no file', run(cairn, 'profile', '--format', 'callgrind', '--threads', CAPTURE).status, 2)


def check_pprof(cairn, folder):
    path = folder.write('profile.pb', run(cairn, 'profile', '--format', 'pprof', *PROGRAM, CAPTURE).raw)
    done = subprocess.run(['go', 'tool', 'pprof', '-top', '-nodecount=100', path], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=TIMEOUT,
                          env={**os.environ, 'HOME': folder.path, 'PPROF_TMPDIR': folder.path})
    yield from expect_in('total', 'of 165 total', done.stdout)
    rows = {line.split()[-1]: line.split() for line in done.stdout.splitlines() if '%' in line}
    yield from expect('_start: flat, cumulative', [rows['_start'][i] for i in (3,)], ['165'])


# --- what a user gets wrong, and traces with gaps

def check_options(cairn):
    for words_of, message in (
            (['profile', '--by', 'lines'], 'Did you mean line?'),
            (['profile', '--format', 'folded', '--no-calls'], 'leave out --no-calls'),
            (['profile', '--format', 'pprof', '--top', '3'], 'about tables'),
            (['profile', '--by', 'line', '--sort', 'calls'], 'only functions have'),
            (['profile', '--top', '0'], 'how many lines'),
            (['profile', '--annotate', 'nobody'], "no function 'nobody' in program.elf"),
            (['calls', '--depth', '0'], 'a number from 1'),
            (['calls', '--last', '3', '--format', 'chrome'], 'leave it out with this format'),
            (['calls', '--clock', 'seconds'], 'instructions, cycles or time'),
            (['calls', '--function', 'nobody'], "no function 'nobody' in program.elf")):
        answer = run(cairn, *words_of, *PROGRAM, CAPTURE)
        yield from expect(' '.join(words_of), answer.status, 2)
        yield from expect_in(' '.join(words_of), message, answer.err)


def check_gaps(cairn, folder):
    """What lies behind a reserved packet begins anew; what is executed is counted all the same."""
    trace = folder.write('gap.bin', EXAMPLE_D11_1_1 + bytes_of('05') + START + bytes_of('D9'))
    arguments = ['--protocol', 'ete', '--frames', 'none', *folder.program(), trace]
    rows = run(cairn, 'calls', '--format', 'json', *arguments).rows()
    yield from expect('a gap', [row['reason'] for row in rows if row['type'] == 'gap'], ['reserved'])
    ends = [row['end'] for row in rows if row['type'] == 'call']
    yield from expect('ends', ends, ['cut', 'cut', 'open'])
    answer = run(cairn, 'profile', '--format', 'json', *arguments)
    yield from expect('counted', answer.rows()[-1]['instructions'], 6 + 5)
    empty = folder.write('none.bin', START)
    answer = run(cairn, 'profile', '--protocol', 'ete', '--frames', 'none', empty)
    yield from expect('nothing', answer.status, 2)
    yield from expect_in('nothing', 'nothing was executed', answer.err)


def check_pages(cairn):
    """The examples of the pages are what is printed."""
    for page in ('profile.md', 'calls.md'):
        with open(os.path.join(TOP, 'docs', page), encoding='utf-8') as file:
            blocks = re.findall(r'^```\n\$ cairn (.*?)\n(.*?)^```', file.read(), re.M | re.S)
        yield from expect(page, len(blocks), 1)
        for command, output in blocks:
            answer = run(cairn, *[os.path.join(TOP, word) if word.startswith('examples/') else word
                                  for word in command.split()])
            yield from expect(page, answer.out, output)


def main():
    cairn, tap = sys.argv[1], Tap()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        tap.case('instructions, branches and blocks as often as they were executed', check_counts(cairn))
        tap.case('functions, their calls and totals', check_functions(cairn))
        tap.case('calls of the example capture', check_calls(cairn))
        tap.case('the same by the reference path and by several threads', check_ways(cairn, folder))
        tap.case('memory that changed too often', check_lost_epochs(cairn, folder))
        tap.case('cycles', check_cycles(cairn, folder))
        if captures() is None:
            tap.skip('cycles of captures', 'CAIRN_CAPTURES is not set')
        else:
            tap.case('cycles of captures', check_cycles_of_captures(cairn, folder, captures()))
        tap.case("Chrome's JSON", check_chrome(cairn))
        if shutil.which('protoc'):
            tap.case("Perfetto's trace", check_perfetto(cairn))
        else:
            tap.skip("Perfetto's trace", 'protoc is not installed (Debian: protobuf-compiler)')
        tap.case('speedscope', check_speedscope(cairn, folder))
        tap.case('folded stacks', check_folded(cairn))
        for name, program, package, case in (
                ('callgrind_annotate', 'callgrind_annotate', 'valgrind', check_callgrind),
                ('callgrind_annotate, by thread', 'callgrind_annotate', 'valgrind', check_callgrind_threads),
                ('pprof', 'go', 'golang-go', check_pprof)):
            if shutil.which(program):
                tap.case('read by ' + name, case(cairn, folder))
            else:
                tap.skip('read by ' + name, '%s is not installed (Debian: %s)' % (program, package))
        tap.case('options that cannot be', check_options(cairn))
        tap.case('the examples of the pages', check_pages(cairn))
        tap.case('gaps, and nothing', check_gaps(cairn, folder))
    tap.end()


main()
