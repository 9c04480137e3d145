#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tasks that take turns in one context, in hand-made traces: an interrupt of one returns to where another one was
interrupted, or to the beginning of a new one. Each row follows from the packets.

usage: test_switches.py CAIRN
"""
import json
import struct
import sys
import tempfile

from common import START, Folder, Tap, bytes_of, expect, expect_in, run
from test_calls import E, NOP, OVERFLOW, RET, SYNC, address, basic, calls_of, code, context, jump, link
from test_latency import ERET, IRQ, bounds, cycles, latency
from test_people import elf32


def program(folder):
    """main calls f and then w, task calls g and then w; w calls y. The handler is two instructions."""
    return folder.elf('tasks.elf', {0x1000: code(0x120, {
        0x1000: link(0x1000, 0x1040), 0x1004: link(0x1004, 0x10c0), 0x1008: jump(0x1008, 0x1000),
        0x1020: link(0x1020, 0x1080), 0x1024: link(0x1024, 0x10c0), 0x1028: jump(0x1028, 0x1020),
        0x1048: RET, 0x1088: RET, 0x10c0: link(0x10c0, 0x10e0), 0x10c8: RET, 0x10e4: RET, 0x1104: ERET})},
        [('main', 0x1000, 12), ('task', 0x1020, 12), ('f', 0x1040, 12), ('g', 0x1080, 12), ('w', 0x10c0, 12),
         ('y', 0x10e0, 8), ('handler', 0x1100, 8)])


def switch(here, there):
    """What leads to `here` has been told."""
    return IRQ + address(here) + address(0x1100) + E + address(there)


# f is interrupted behind its first instruction for the task, and that in g likewise; f goes on, and is called again.
# Then main is interrupted, and g goes on.
TURNS = (START + E + switch(0x1044, 0x1020) + E + switch(0x1084, 0x1044) + E + address(0x1004) +
         E + E + E + address(0x10c4) + E + address(0x1008) + E + E + E + address(0x1004) +
         switch(0x1004, 0x1084) + E + address(0x1024) + E)


def rows_of(cairn, *arguments):
    return [(row['function'], row.get('stack'), row['kind'], row['end'], row['instructions'])
            for row in calls_of(cairn, *arguments)]


def check_turns(cairn, folder, elf, arguments):
    trace = folder.write('turns.bin', TURNS)
    given = basic(elf, trace, *arguments)
    yield from expect('calls', rows_of(cairn, *given), [
        ('handler', 0, 'exception', 'returned', 2), ('handler', 1, 'exception', 'returned', 2),
        ('f', 0, 'called', 'returned', 5),  # its three, and the handler
        ('y', 0, 'called', 'returned', 2), ('w', 0, 'called', 'returned', 5), ('f', 0, 'called', 'returned', 3),
        ('handler', 0, 'exception', 'returned', 2), ('g', 1, 'called', 'returned', 5),
        ('main', 0, 'found', 'open', 19), ('task', 1, 'called', 'open', 7)])
    text = run(cairn, 'calls', '--no-pager', *given).lines()
    yield from expect('text', [line for line in text if line.startswith('--')],
                      ['-- turns.bin', '-- turns.bin stack 2'] * 3)
    rows = run(cairn, 'profile', '--format', 'json', *given).rows()
    counted = {row['function']: row['calls'] for row in rows if row['type'] == 'function'}
    yield from expect('profile', counted, {'main': 0, 'task': 1, 'f': 2, 'g': 1, 'w': 1, 'y': 1, 'handler': 3})
    rows = run(cairn, 'profile', '--by', 'instruction', '--format', 'json', *given).rows()
    times = {row['address']: row['times'] for row in rows if row['type'] == 'instruction'}
    yield from expect('first instructions', {name: times[hex(at)] for name, at in (
        ('task', 0x1020), ('f', 0x1040), ('g', 0x1080), ('w', 0x10c0), ('handler', 0x1100))},
        {name: counted[name] for name in ('task', 'f', 'g', 'w', 'handler')})
    _, rows = latency(cairn, *given)
    yield from expect('exceptions', [(row['of'], row['function'], row['count'], bounds(row)[0]) for row in rows],
                      [('exception', 'handler', 3, (2, 2, 2))])
    for without, most in ((False, 5), (True, 3)):
        _, rows = latency(cairn, '--function', 'f', *(['--without-exceptions'] if without else []), *given)
        yield from expect('f', [(row['count'], row['measured'], row['switched'], row['low']['min'], row['low']['max'])
                                for row in rows], [(2, 2, 1, 3, most)])
    answer = run(cairn, 'latency', '--function', 'f', *given)
    yield from expect_in('what is left out', '1 were left for other threads or tasks: what those did is not in them', answer.out)


def check_ways(cairn, folder):
    """From an interrupt to the task that it wakes, which is another stack: from the handler's second instruction
    to g's first one it is two. The handlers behind that have no such end."""
    given = basic(program(folder), folder.write('turns.bin', TURNS))
    _, rows = latency(cairn, '--begin', '0x1104', '--end', '0x1080', *given)
    yield from expect('way', (rows[0]['measured'], rows[0]['again'], rows[0]['open'], bounds(rows[0])[0]), (1, 1, 1, (2, 2, 2)))
    _, rows = latency(cairn, '--period', '--function', 'f', *given)
    yield from expect('period', bounds(rows[0])[0], (17, 17, 17))
    _, rows = latency(cairn, '--begin', '0x1104', '--end', '0x1080', '--without-exceptions', *given)
    yield from expect('over stacks', (rows[0]['measured'], rows[0]['unknown']), (0, 1))


# Both wait in y, which w called; the interrupt of the task's y returns to y: main's, as what w returns to shows.
WAIT = (START + E + E + address(0x1004) + E + E + switch(0x10e4, 0x1020) + E + E + address(0x1024) + E + E +
        switch(0x10e4, 0x10e4) + E + address(0x10c4) + E + address(0x1008))


def check_doubt(cairn, folder):
    given = basic(program(folder), folder.write('wait.bin', WAIT + E + E))
    yield from expect('calls', rows_of(cairn, *given)[4:], [
        ('y', 1, 'called', 'switched', 4), ('y', 0, 'called', 'switched', 6), ('w', 0, 'called', 'returned', 7),
        ('main', 0, 'found', 'open', 14),
        ('y', 1, 'resumed', 'open', 0), ('w', 1, 'called', 'open', 4), ('task', 1, 'called', 'open', 9)])
    _, rows = latency(cairn, '--function', 'y', *given)
    yield from expect('y', [(row['count'], row['cut_by_switch'], row['cut'], row['running']) for row in rows], [(3, 2, 0, 1)])
    _, rows = latency(cairn, '--function', 'w', *given)
    yield from expect('w', [(row['measured'], row['open'], bounds(row)[0]) for row in rows], [(1, 1, (7, 7, 7))])
    text = run(cairn, 'latency', '--function', 'y', *given).out
    yield from expect_in('told', 'not measured: 2 cut by a switch to another stack', text)
    text = run(cairn, 'calls', '--no-pager', *given).out
    yield from expect_in('not known', '?      } y  (switched)', text)
    chains = run(cairn, 'profile', '--format', 'json', *given).rows()
    yield from expect('instructions', sum(row['instructions'] for row in chains if row['type'] == 'function'), 23)


def thumb(folder):
    """main: BL f; B main. task: BL g; B task. f and g: NOP, NOP, BX LR. The handlers: NOP, BX LR."""
    def bl(at, to):
        offset = (to - at - 4) >> 1
        return struct.pack('<HH', 0xf000 | offset >> 11 & 0x7ff, 0xf800 | offset & 0x7ff)
    halves = {0x1000: bl(0x1000, 0x1040), 0x1004: bytes_of('fce7'), 0x1020: bl(0x1020, 0x1060), 0x1024: bytes_of('fce7')}
    for at in (0x1044, 0x1064, 0x1082, 0x1092):
        halves[at] = bytes_of('7047')
    data = bytearray(bytes_of('00bf') * 0x60)
    for at, half in halves.items():
        data[at - 0x1000:at - 0x1000 + len(half)] = half
    return elf32(folder, 'thumb.elf', 0x1000, bytes(data), [
        ('main', 0x1000, 6), ('task', 0x1020, 6), ('f', 0x1040, 6), ('g', 0x1060, 6), ('systick', 0x1080, 4), ('pendsv', 0x1090, 4)])


def short(at):
    """Target Address, long, of 32 bits, IS1."""
    return bytes([0x9b, at >> 1 & 0x7f, at >> 8 & 0xff]) + (at >> 16).to_bytes(2, 'little')


def chained(here, there):
    """SysTick, which makes PendSV pending: that is chained to it (a return address of 0xfffffffe), and returns to another
    task (IHI0064 4.4.2, 6.4.12)."""
    return (bytes_of('06 1f') + short(here) + short(0x1080) + E + bytes_of('07') + bytes_of('06 1d') + short(0xfffffffe) +
            short(0x1090) + E + bytes_of('07') + short(there))


def check_m_profile(cairn, folder):
    """There are no signals: what is returned to is another task, at its beginning, in its midst, or in front of a function's
    first instruction."""
    start = SYNC + bytes_of('83 00 10 00 00 20')
    trace = folder.write('m.bin', start + E + chained(0x1042, 0x1020) + E + chained(0x1060, 0x1042) + E + short(0x1004) + E + E +
                         chained(0x1040, 0x1060) + E + short(0x1024) + E + E)
    given = ['--protocol', 'etmv4', '--core', 'Cortex-M33', '--frames', 'none', '--image', thumb(folder), trace]
    for name, at in (('TRCIDR0', 0x280006e1), ('TRCIDR1', 0x4100f400), ('TRCIDR2', 4), ('TRCIDR8', 0), ('TRCCONFIGR', 1)):
        given[0:0] = ['--set', '%s=0x%x' % (name, at)]
    rows = rows_of(cairn, *given)
    yield from expect('calls', [row for row in rows if row[2] != 'exception'], [
        ('f', 0, 'called', 'returned', 7), ('g', 1, 'called', 'returned', 7), ('f', 0, 'called', 'open', 4),
        ('main', 0, 'found', 'open', 14), ('task', 1, 'called', 'open', 10)])
    yield from expect('handlers', [row[:4] for row in rows if row[2] == 'exception'],
                      [(name, stack, 'exception', 'returned') for stack in (0, 1, 0) for name in ('systick', 'pendsv')])
    rows = run(cairn, 'profile', '--format', 'json', *given).rows()
    yield from expect('profile', {row['function']: row['calls'] for row in rows if row['type'] == 'function'},
                      {'main': 0, 'task': 1, 'f': 2, 'g': 1, 'systick': 3, 'pendsv': 3})
    _, rows = latency(cairn, *given)
    yield from expect('latency', [(row['of'], row['exception'], row['function'], row['count'], bounds(row)[0]) for row in rows],
                      [('exception', 'SysTick', 'systick', 3, (2, 2, 2)), ('exception', 'PendSV', 'pendsv', 3, (2, 2, 2))])


def check_chains(cairn, folder):
    """Folded stacks, timelines and a comparison keep the calls of the tasks apart, too."""
    given = basic(program(folder), folder.write('turns.bin', TURNS))
    lines = run(cairn, 'profile', '--format', 'folded', *given).lines()
    yield from expect('chains', sorted(lines), sorted([
        'main 4', 'main;f 6', 'main;f;IRQ: handler 2', 'main;w 3', 'main;w;y 2', 'main;IRQ: handler 2',
        'task 2', 'task;g 3', 'task;g;IRQ: handler 2']))
    events = json.loads(run(cairn, 'calls', '--format', 'chrome', *given).out)['traceEvents']
    names = {event['tid']: event['args']['name'] for event in events if event.get('name') == 'thread_name'}
    yield from expect('tracks', sorted(names.values()), ['turns.bin', 'turns.bin stack 2'])
    tracks = {(names[event['tid']], event['name']) for event in events if event['ph'] == 'B'}
    yield from expect('begun', {one for one in tracks if one[1] in ('f', 'g')},
                      {('turns.bin', 'f'), ('turns.bin stack 2', 'g')})


def main():
    cairn, tap = sys.argv[1], Tap()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        tap.case('two tasks that are interrupted', check_turns(cairn, folder, program(folder), []))
        tap.case('the same by the reference path', check_turns(cairn, folder, program(folder), ['--reference']))
        tap.case('from a task to another one', check_ways(cairn, folder))
        tap.case('two at one place', check_doubt(cairn, folder))
        tap.case('tasks of a Cortex-M', check_m_profile(cairn, folder))
        tap.case('chains and tracks', check_chains(cairn, folder))
    tap.end()


if __name__ == '__main__':
    main()
