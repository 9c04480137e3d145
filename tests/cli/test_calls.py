#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""cairn calls and cairn profile of hand-made traces: threads, gaps and clocks, where each row follows from the program.

usage: test_calls.py CAIRN
"""
import json
import sys
import tempfile

from common import START, Folder, Tap, bytes_of, expect, expect_in, run, words
from debug import sections

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
    arguments = basic(elf, trace, '--set', 'TRCCONFIGR=0x41')
    rows = calls_of(cairn, *arguments)
    second = [(row['function'], row['kind'], row['end']) for row in rows if row['context_id'] == 2]
    chrome = json.loads(run(cairn, 'calls', '--format', 'chrome', '--function', 'h', *arguments).out)['traceEvents']
    yield from expect('processes', [event['args']['name'] for event in chrome if event.get('name') == 'process_name'],
                      ['threads.bin'])
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


def check_exceptions(cairn, folder):
    """Type 0xe of an M-profile core is PendSV, of the A-profile core in front of it an IRQ."""
    path = folder.snapshot('two', START + E, dumps=[(0x1000, words([jump(0x1000, 0x1000), NOP]))])
    put = lambda name, text: folder.write('two/' + name, text)  # noqa: E731
    thumb = bytes_of('fee7') + bytes_of('00bf') * 8 + bytes_of('7047')  # B to itself, NOP, BX LR at 0x1012
    put('m.bin', thumb)
    put('cpu_1.ini', '[device]\nname=cpu_1\nclass=core\ntype=Cortex-M33\n[regs]\n'
                     '[dump0]\nfile=m.bin\naddress=0x1000\nlength=%d\n' % len(thumb))
    put('etm_1.ini', '[device]\nname=ETM_1\nclass=trace_source\ntype=ETM4\n[regs]\nTRCCONFIGR=1\nTRCTRACEIDR=0x11\n'
                     'TRCIDR0=0x280006e1\nTRCIDR1=0x4100f400\nTRCIDR2=4\nTRCIDR8=0\n')
    # Address with Context, IS1; Exception 0xe, two addresses; an atom of the handler
    put('m_trace.bin', SYNC + bytes_of('83 00 10 00 00 20' '06 1d' '9b 00 10 00 00' '9b 08 10 00 00') + E)
    put('snapshot.ini', '[snapshot]\nversion=1.0\n[device_list]\ndevice0=cpu_0.ini\ndevice1=cpu_1.ini\n'
                        'device2=etm_0.ini\ndevice3=etm_1.ini\n[trace]\nmetadata=trace.ini\n')
    put('trace.ini', '[trace_buffers]\nbuffers=buffer0,buffer1\n[buffer0]\nname=ETB_0\nfile=trace.bin\nformat=source_data\n'
                     '[buffer1]\nname=ETB_1\nfile=m_trace.bin\nformat=source_data\n'
                     '[source_buffers]\nETM_0=ETB_0\nETM_1=ETB_1\n[core_trace_sources]\ncpu_0=ETM_0\ncpu_1=ETM_1\n')
    answer = run(cairn, 'profile', '--format', 'folded', '--threads', path)
    yield from expect('chains', answer.lines(), ['ETM_0;[unknown] 1', 'ETM_1;[unknown];PendSV 2'])
    answer = run(cairn, 'profile', '--format', 'speedscope', path)
    yield from expect('names', [frame['name'] for frame in json.loads(answer.out)['shared']['frames']],
                      ['[unknown]', 'PendSV'])


def check_last(cairn, folder):
    """Rows are those of ends: where calls begin takes none of their room."""
    elf = folder.elf('twice.elf', {0x1000: code(0x24, {
        0x1000: link(0x1000, 0x1010), 0x1004: jump(0x1004, 0x1000),
        0x1010: link(0x1010, 0x1020), 0x1014: RET, 0x1020: RET})}, [('main', 0x1000, 8), ('g', 0x1010, 8), ('leaf', 0x1020, 4)])
    turn = E + E + E + address(0x1014) + E + address(0x1004) + E
    arguments = basic(elf, folder.write('twice.bin', START + turn + turn))
    rows = calls_of(cairn, *arguments)
    yield from expect('calls', [row['function'] for row in rows], ['leaf', 'g', 'leaf', 'g', 'main'])
    for last in (2, 5):
        yield from expect('the last %d' % last, calls_of(cairn, '--last', last, *arguments), rows[-last:])


def timestamp(ticks):
    """Timestamp packet with seven bits a byte, five of them: more bits are to come."""
    return bytes([2] + [ticks >> shift & 0x7f | 0x80 for shift in (0, 7, 14, 21)] + [ticks >> 28 & 0x7f])


def check_time(cairn, folder):
    """main calls g four times: before the first timestamp, across it, across the next, and across one that goes back."""
    elf = folder.elf('time.elf', {0x1000: code(0x18, {
        0x1000: link(0x1000, 0x1010), 0x1004: jump(0x1004, 0x1000), 0x1010: jump(0x1010, 0x1014), 0x1014: RET})},
        [('main', 0x1000, 8), ('g', 0x1010, 8)])
    turn = lambda inside: E + E + inside + E + address(0x1004) + E  # noqa: E731
    before = turn(b'')
    trace = folder.write('time.bin', START + before + turn(timestamp(1000000000)) + turn(timestamp(1000000007)) +
                         turn(timestamp(999999000)))
    text = run(cairn, 'calls', '--no-pager', '--clock', 'time', *basic(elf, trace))
    got = [line.split()[:3] for line in text.lines()[2:]]
    yield from expect('text', got, [
        ['?', 'main', '{'], ['?', '?', 'g'], ['?', '?', 'g'], ['1000000000', '7', 'g'], ['1000000007', '?', 'g'],
        ['999999000', '?', '}']])
    yield from expect('status', text.status, 0)
    chrome = json.loads(run(cairn, 'calls', '--format', 'chrome', '--clock', 'time', *basic(elf, trace)).out)['traceEvents']
    got = [(event['ph'], event.get('name'), round(event['ts'] * 1000)) for event in chrome if event['ph'] in 'BE']
    first, last = 1000000000, 1000000007
    yield from expect('chrome', got, [('B', 'main', first), ('B', 'g', first), ('E', None, first), ('B', 'g', first),
                                      ('E', None, last), ('B', 'g', last), ('E', None, last), ('E', None, last)])
    for words_of, message in ((['calls', '--clock', 'cycles', '--no-pager'], 'counts no cycles'),
                              (['profile', '--sort', 'cycles'], 'counts no cycles')):
        answer = run(cairn, *words_of, *basic(elf, trace))
        yield from expect_in(words_of[0], message, answer.err)
        yield from expect(words_of[0], answer.status, 1)
    trace = folder.write('no_time.bin', START + before)
    for form in ('text', 'chrome'):
        answer = run(cairn, 'calls', '--clock', 'time', '--format', form, *basic(elf, trace))
        yield from expect_in(form, 'has no timestamps', answer.err)
        yield from expect(form, answer.status, 1)


def check_timeline(cairn, folder):
    """Ten turns of main, which is two instructions and calls g, which is four, behind each of two timestamps; then trace
    is lost for 2,000 ticks."""
    elf = folder.elf('rate.elf', {0x1000: code(0x20, {
        0x1000: link(0x1000, 0x1010), 0x1004: jump(0x1004, 0x1000), 0x101c: RET})}, [('main', 0x1000, 8), ('g', 0x1010, 16)])
    turns = (E + E + address(0x1004) + E) * 10
    trace = folder.write('rate.bin', START + timestamp(1000) + turns + timestamp(2000) + turns + timestamp(3000) + OVERFLOW +
                         START + timestamp(5000) + turns + timestamp(6000) + turns)
    events = json.loads(run(cairn, 'calls', '--format', 'chrome', '--clock', 'time', *basic(elf, trace)).out)['traceEvents']
    yield from expect('gaps', [(event['ph'], round(event['ts'] * 1000), event.get('dur')) for event in events if event.get('cat') == 'gap'],
                      [('i', 3000, None), ('X', 3000, 2.0)])
    # told where the first call behind a timestamp begins, of which BL was executed; 20 turns in front of the gap
    counted = [(event['name'], round(event['ts'] * 1000), event['args']['value']) for event in events if event['ph'] == 'C']
    yield from expect('rates', [row for row in counted if row[0] == 'instructions per tick'], [
        ('instructions per tick', 1000, 0.061), ('instructions per tick', 2000, 0.059), ('instructions per tick', 5000, 0.061)])
    depths = [value for name, _, value in counted if name == 'stack depth: rate.bin']
    yield from expect('depths', depths, [1] + [2, 1] * 20 + [0, 0, 1] + [2, 1] * 20 + [0])


def check_cycles_ahead(cairn, folder):
    """ETMv3's cycles are of the instruction behind them (IHI0014 Example 7-2): BL W; NOP WWW, BX LR W; B W, BL W; then
    two cycles in which nothing is executed."""
    elf = folder.write('arm.bin', words([0xeb000002, 0xeafffffd, 0xe1a00000, 0xe1a00000, 0xe1a00000, 0xe12fff1e]))
    trace = folder.write('arm.trace', bytes(5) + bytes_of('80 08 21 00 10 00 00' '84' 'e8' '84 83 10' '88' 'a4'))
    arguments = ['--protocol', 'etmv3', '--core', 'Cortex-R4', '--frames', 'none', '--set', 'ETMCR=0x1000',
                 '--set', 'ETMIDR=0x41000230', '--image', elf + '@0x1000', trace]
    rows = run(cairn, 'profile', '--by', 'instruction', '--format', 'json', *arguments).rows()
    yield from expect('cycles', {row['address']: (row['times'], row['cycles']) for row in rows if row['type'] == 'instruction'},
                      {'0x1000': (2, 2), '0x1004': (1, 1), '0x1010': (1, 3), '0x1014': (1, 1)})
    yield from expect('sums', [row['cycles'] for row in rows if row['type'] in ('source', 'total')], [9, 7])
    call = [row for row in calls_of(cairn, *arguments) if row['kind'] == 'called'][0]
    yield from expect('call', (call['began_cycles'], call['cycles']), (1, 4))


def check_annotated(cairn, folder):
    """Of main, 20 bytes, four are another symbol's, and four were jumped over."""
    elf = folder.elf('inner.elf', {0x1000: code(0x14, {
        0x1000: jump(0x1000, 0x1004), 0x1004: jump(0x1004, 0x100c), 0x100c: jump(0x100c, 0x1000)})},
        [('main', 0x1000, 20), ('inner', 0x1004, 4)])
    answer = run(cairn, 'profile', '--annotate', 'main', *basic(elf, folder.write('inner.bin', START + E + E + E)))
    got = [' '.join(line.split()) for line in answer.lines()[2:]]
    yield from expect('lines', got, ['1 1 1000 b 0x1004 <inner>', '1004 executed as inner: 4 bytes', '- 1008 not executed: 4 bytes',
                                     '1 1 100c b 0x1000 <main>'])


def check_callgrind_head(cairn, folder):
    elf = folder.elf('head.elf', {0x1000: words([jump(0x1000, 0x1000)])}, [('main', 0x1000, 4)])
    trace = folder.write('/'.join(['long\n' + 'x' * 240] * 5) + '/head.bin', START + E)  # more than 1,024 letters
    lines = run(cairn, 'profile', '--format', 'callgrind', *basic(elf, trace)).out.split('\n')
    yield from expect('head', lines[3:8], ['cmd: ' + trace.replace('\n', ' '), 'positions: instr line',
                                           'event: Ir : Instructions executed', 'events: Ir', 'summary: 1'])


def check_many_chains(cairn, folder):
    """32 contexts that each call themselves 65,544 times take the room of all chains; two more come after them."""
    elf = folder.elf('deep.elf', {0x1000: words([link(0x1000, 0x1000)])}, [('f', 0x1000, 4)])
    trace = b''.join(SYNC + context(0x1000, i + 1) + b'\xd4' * 2731 +  # 24 atoms each
                     OVERFLOW + SYNC + context(0x1000, i + 1) + E for i in range(34))
    answer = run(cairn, 'profile', '--format', 'callgrind', *basic(elf, folder.write('deep.bin', trace), '--set', 'TRCCONFIGR=0x41'))
    yield from expect_in('it is said', 'more than 2097152 different chains of calls in one source', answer.err)
    yield from expect_in('instructions', '\nsummary: %d\n' % (34 * (24 * 2731 + 1)), answer.out)


def check_callgrind_files(cairn, folder):
    """What main has of h.h calls g: the call's line is one of h.h, as the instruction's is."""
    unit = {'name': 'a.c', 'folder': '/src', 'files': ['a.c', 'h.h'], 'range': (0x1000, 0x1014),
            'rows': [(0x1000, 1, 10, True), (0x1004, 2, 5, True), (0x1008, 1, 12, True), (0x1010, 1, 20, True)],
            'functions': [('main', 1, 9, 0x1000, 0x100c, [('inner', 2, 4, 0x1004, 0x1008, 1, 11)]),
                          ('g', 1, 19, 0x1010, 0x1014, [])]}
    elf = folder.elf('files.elf', {0x1000: code(0x14, {
        0x1000: jump(0x1000, 0x1004), 0x1004: link(0x1004, 0x1010), 0x1008: jump(0x1008, 0x1000), 0x1010: RET})},
        [('main', 0x1000, 12), ('g', 0x1010, 4)], sections([unit]))
    trace = folder.write('files.bin', START + E + E + E + address(0x1008) + E)
    lines = run(cairn, 'profile', '--format', 'callgrind', *basic(elf, trace)).lines()
    main = lines[[line.endswith(' main') for line in lines].index(True) + 1:]
    main = main[:main.index('')]
    yield from expect('main', main, [
        '0x1000 10 1', 'jump=1 0x1004 0', '0x1000 10', 'fi=(2) /src/h.h', '0x1004 5 1', 'fe=(1)', '0x1008 12 1',
        'jump=1 0x1000 10', '0x1008 12', 'fi=(2)', 'cob=(1)', 'cfi=(1)', 'cfn=(3) g', 'calls=1 0x1010 19', '0x1004 5 1'])


NAMED = (  # an address and a symbol each; a symbol with its file where it is local to one
    (0x1100, '_ZN2ns1fEi'), (0x1104, '_ZN2ns1fEPKc'),  # ns::f(int), ns::f(char const*)
    (0x1108, '_ZN2ns4PoolIiE3putESt6vectorIiSaIiEE'),  # ns::Pool<int>::put(std::vector<int, std::allocator<int> >)
    (0x110c, '_ZN2ns4PoolIcE3putESt6vectorIiSaIiEE'), (0x1110, '_Z4makeIiESt6vectorIT_SaIS1_EES1_'),
    (0x1114, '_ZZ4mainENKUlvE_clEv'),  # main::{lambda()#1}::operator()() const
    (0x1118, 'helper', 'a.c'), (0x111c, 'helper', 'b.c'), (0x1120, 'helper.cold', 'b.c'), (0x1124, 'start.of.all'),
    (0x1128, 'a_function_of_more_than_34_letters_x'), (0x2000, 'helper', 'c.c'), (0x2004, 'only'))
MEANT = {  # what a user may write, and which are meant by it
    'ns::f(int)': {0x1100}, 'ns::f(char const*)': {0x1104}, '_ZN2ns1fEi': {0x1100}, 'ns::f': {0x1100, 0x1104},
    'f': {0x1100, 0x1104}, 'f(int)': {0x1100}, 'ns::Pool<int>::put(std::vector<int>)': {0x1108},
    'ns::Pool<int>::put(std::vector<int, std::allocator<int> >)': {0x1108}, 'ns::Pool<..>::put': {0x1108, 0x110c},
    'std::vector<int> make<int>(int)': {0x1110}, 'make<..>': {0x1110},
    'main::{lambda()#1}::operator()() const': {0x1114}, 'helper': {0x1118, 0x111c, 0x1120, 0x2000},
    'prog.elf:helper': {0x1118, 0x111c, 0x1120}, 'lib.so:helper': {0x2000}, 'a.c:helper': {0x1118},
    'b.c:helper': {0x111c, 0x1120}, 'c.c:helper': {0x2000}, 'helper.cold': {0x1120}, 'start.of.all': {0x1124},
    'a_function_of_more_than_34_lette..': {0x1128}, 'lib.so:only': {0x2004}, '0x1124': {0x1124},
    'prog.elf:ns::f(int)': {0x1100}}
WRONG = (('hepler', "no function 'hepler' in lib.so, prog.elf; did you mean 'helper'?"), ('lib.so:make', "no function 'make' in lib.so"),
         ('main+4', 'expected a function, and this is an address inside of one'), ('d.c:helper', "no 'helper' in 'd.c', which"),
         ('main..only', 'expected a function, and this is a part of the code'))


def named(folder):
    """main calls each of NAMED once, whose only instruction returns."""
    returns = [0x1000 + 4 * (i + 1) for i in range(len(NAMED))]
    calls = {0x1000 + 4 * i: link(0x1000 + 4 * i, one[0]) for i, one in enumerate(NAMED)}
    symbols = lambda first, last: [  # noqa: E731
        row for at, name, *file in NAMED if first <= at < last
        for row in ([(file[0], 0, 0, 0x04)] if file else []) + [(name, at, 4, 0x02 if file else 0x12)]]
    own = code(0x130, {**calls, returns[-1]: jump(returns[-1], 0x1000), **{one[0]: RET for one in NAMED}})
    elf = folder.elf('prog.elf', {0x1000: own}, [('main', 0x1000, 0x100)] + symbols(0x1100, 0x2000))
    library = folder.elf('lib.so', {0x2000: words([RET, RET])}, symbols(0x2000, 0x3000))
    trace = folder.write('named.bin', START + b''.join(E + E + address(at) for at in returns) + E)
    return ['--image', library, *basic(elf, trace)]


def check_named(cairn, folder):
    """One reader for all: what is written after NAMED, by hand."""
    arguments = named(folder)
    for name, meant in MEANT.items():
        called = run(cairn, 'calls', '--format', 'json', '--function', name, *arguments)
        # no part of a function is one that is called by its name
        functions = meant - {0x1120} if len(meant) > 1 else meant
        yield from expect('calls --function ' + name, {int(row['address'], 16) for row in called.rows() if row['type'] == 'call'},
                          functions)
        measured = run(cairn, 'latency', '--format', 'json', '--function', name, *arguments)
        yield from expect('latency --function ' + name, sum(row['count'] for row in measured.rows() if row['type'] == 'latency'),
                          len(functions))
        listed = run(cairn, 'flow', '--format', 'addresses', '--function', name, *arguments)
        yield from expect('flow --function ' + name, {int(line.split()[0], 16) for line in listed.lines() if line[:1] != '#'}, meant)
        annotated = run(cairn, 'profile', '--annotate', name, *arguments)
        yield from expect('profile --annotate ' + name,
                          {int(line.split()[2], 16) for line in annotated.lines() if line.endswith('  ret')}, meant)
        note = '%d functions are called so, and all are meant' % len(functions)
        for answer in (called, measured, listed, annotated):
            yield from expect('a note of ' + name, note in answer.err, len(functions) > 1)
    for name, said in WRONG:
        for command, option in (('calls', 'function'), ('latency', 'function'), ('profile', 'annotate')):
            answer = run(cairn, command, '--' + option, name, *arguments)
            yield from expect_in('what is said of ' + name, 'cairn %s: --%s %s: %s' % (command, option, name, said), answer.err)
            yield from expect(name, (answer.status, answer.out), (2, ''))


def check_counted(cairn, folder):
    """Counts are by files and addresses in them; names are those of the files, as of a trace."""
    arguments, counts = named(folder), folder.path + '/named.counts'
    yield from expect('count', run(cairn, 'count', '--force', '-o', counts, *arguments).status, 0)
    for name in MEANT:
        of_trace, of_counts = (run(cairn, 'profile', '--annotate', name, *what) for what in (arguments, [counts]))
        yield from expect('annotated ' + name, (of_counts.out, of_counts.err), (of_trace.out, of_trace.err))
    answer = run(cairn, 'profile', '--annotate', 'hepler', counts)
    yield from expect_in('what is said', "no function 'hepler' in lib.so, prog.elf; did you mean 'helper'?", answer.err)


def main():
    cairn, tap = sys.argv[1], Tap()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        tap.case('a gap is one of every thread', check_threads(cairn, folder))
        tap.case('totals where some code is of no function', check_totals(cairn, folder))
        tap.case('exceptions of two architectures', check_exceptions(cairn, folder))
        tap.case('the last rows of JSON', check_last(cairn, folder))
        tap.case('times that are not known, or go back', check_time(cairn, folder))
        tap.case('gaps and counters on a timeline', check_timeline(cairn, folder))
        tap.case('cycles in front of instructions', check_cycles_ahead(cairn, folder))
        tap.case('a symbol inside of an annotated function', check_annotated(cairn, folder))
        tap.case('functions by every name that they are shown by', check_named(cairn, folder))
        tap.case('the same of counts', check_counted(cairn, folder))
        tap.case("Callgrind's head, of a long path", check_callgrind_head(cairn, folder))
        tap.case('more chains of calls than there is room for', check_many_chains(cairn, folder))
        tap.case("Callgrind's calls out of inlined code", check_callgrind_files(cairn, folder))
    tap.end()


if __name__ == '__main__':
    main()
