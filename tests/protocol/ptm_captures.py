#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every PTM source of the real captures against OpenCSD 1.8.0's listings: the same packets with the
same bytes, addresses, states, exceptions, atoms, cycle counts and timestamps; the same instructions
with the same outcomes, cycles and exceptions.

usage: ptm_captures.py CAIRN TOP

The two differ in these places, and in no other:
- Timestamps. OpenCSD prints them as they were encoded. A unit of PFT 1.0, and one with ETMCCER[28] = 0,
  encodes them in Gray code (IHI0035 4.5.9), and so they do not grow; decoded they do, which is checked.
- A branch before the first I-sync. OpenCSD prints its low bits as if the state were Thumb, with question
  marks; it is not known, and no address is.
- Bytes before the first synchronisation, which OpenCSD lists in blocks as it was fed. The listing of
  Snowball's PTM_1 has a byte there (0f, in the block at 4670) that its frame has not.
- Cycles of a waypoint that the image does not have: OpenCSD leaves them out.
"""
import lzma
import os
import re
import sys

TOP = sys.argv[2] if len(sys.argv) > 2 else os.path.join(os.path.dirname(__file__), '..', '..')
sys.path.insert(0, os.path.join(TOP, 'tests', 'captures'))
sys.path.insert(0, os.path.join(TOP, 'tests', 'house'))
import cairn_cli  # noqa: E402
import ppl  # noqa: E402
from frame_index import opencsd_index  # noqa: E402
from tap import Tap  # noqa: E402

CAPTURES = (('Snowball', ('PTM_0', 'PTM_1')), ('trace_cov_a15', ('PTM_0_2',)))
LISTING = 'expected/%s.opencsd-1.8.0.ppl.xz'
PACKET = re.compile(r'^Idx:\d+; ID:([0-9a-f]+); \[([^\]]*)\];\s*(\w+) : (.*)$')
KINDS = {'NOTSYNC': 'NOT_SYNC', 'ASYNC': 'ALIGNMENT_SYNC', 'ISYNC': 'INSTRUCTION_SYNC',
         'ATOM': 'ATOM', 'BRANCH_ADDRESS': 'BRANCH_ADDRESS', 'WP_UPDATE': 'WAYPOINT_UPDATE',
         'TRIGGER': 'TRIGGER', 'CTXTID': 'CONTEXT_ID', 'VMID': 'VMID', 'TIMESTAMP': 'TIMESTAMP',
         'EXCEP_RET': 'EXCEPTION_RETURN', 'IGNORE': 'IGNORE'}
REASONS = {'periodic': 'Periodic', 'trace on': 'Trace Enable', 'after overflow': 'Restart Overflow',
           'debug exit': 'Debug Exit'}
STATES = {'ARM': 'ARM(32)', 'Thumb': 'Thumb2'}
GRAY = ('Snowball',)


def listing(path, trace_id):
    """[(kind, bytes, text)] of a source; bytes before the first synchronisation joined."""
    packets = []
    with lzma.open(path, 'rt', errors='replace') as file:
        for line in file:
            m = PACKET.match(line)
            if not m or int(m[1], 16) != trace_id:
                continue
            kind, data = KINDS[m[3]], bytes(int(b, 16) for b in m[2].split())
            if kind == 'NOT_SYNC' and packets and packets[-1][0] == kind:
                packets[-1] = (kind, packets[-1][1] + data, '')
            else:
                packets.append((kind, data, m[4]))
    return packets


def in_words(text, pattern):
    m = re.search(pattern, text)
    return m[1] if m else None


def check(row, kind, data, text, capture, state):
    """What is wrong with our packet, given theirs. `state`: what lasts from packet to packet."""
    fields = row['fields']
    if row['kind'] == kind == 'NOT_SYNC':
        return
    if row['kind'] != kind or row['length'] != len(data):
        yield 'ours %s of %d bytes, theirs %s of %d' % (row['kind'], row['length'], kind, len(data))
        return
    if not data.hex().startswith(row['bytes']):
        yield 'ours has the bytes %s, theirs %s' % (row['bytes'], data.hex())
    cycles = in_words(text, r'Cycles=(\d+)')
    if fields.get('cycles') != (int(cycles) if cycles else None):
        yield 'cycle count %s, theirs %s' % (fields.get('cycles'), cycles)
    address = in_words(text, r'Addr=0x([0-9A-Fa-f?]+)')
    if address and '?' in address:
        if fields['address'] is not None:
            yield 'an address %s that cannot be known' % fields['address']
    elif address and int(fields['address'], 16) != int(address, 16):
        yield 'address %s, theirs 0x%s' % (fields['address'], address)
    if kind == 'INSTRUCTION_SYNC':
        if fields['reason'] not in REASONS or '(%s)' % REASONS[fields['reason']] not in text:
            yield 'reason %s, theirs %s' % (fields['reason'], text)
        if fields['ns'] != (in_words(text, r' (N?S);') == 'NS'):
            yield 'NS %s, theirs %s' % (fields['ns'], text)
    isa = in_words(text, r'ISA=(\S+);')
    if isa and STATES.get(fields['state']) != isa:
        yield 'state %s, theirs %s' % (fields['state'], isa)
    if kind == 'ATOM' and fields['atoms'] != in_words(text, r'; ([EN]+);'):
        yield 'atoms %s, theirs %s' % (fields['atoms'], text)
    exception = in_words(text, r'Excep=.*\[([0-9a-f]+)\]')
    if int(exception or '0', 16) != fields.get('exception', 0):
        yield 'exception %s, theirs %s' % (fields.get('exception'), text)
    if kind == 'TIMESTAMP':
        yield from check_time(fields, text, capture, state)


def check_time(fields, text, capture, state):
    value = int(fields['timestamp'], 16)
    encoded = value ^ value >> 1 if capture in GRAY else value
    if encoded != int(in_words(text, r'TS=0x([0-9A-Fa-f]+)'), 16):
        yield 'TS %x is %x encoded, theirs %s' % (value, encoded, text)
    if value < state.get('time', 0):
        yield 'TS %x is before the last one, %x' % (value, state['time'])
    state['time'] = value


def compare(cairn, captures, capture, source):
    path = os.path.join(captures, 'snapshots', capture)
    rows = cairn_cli.packets(cairn, path, source)
    framed = capture in GRAY
    trace_id = next(s['trace_id'] for s in cairn_cli.info(cairn, path)['sources']
                    if s['name'] == source) if framed else 0
    theirs = listing(os.path.join(captures, LISTING % capture), trace_id)
    state, at = {}, 0
    if len(rows) != len(theirs):
        yield 'ours %d packets, theirs %d' % (len(rows), len(theirs))
    for number, (row, packet) in enumerate(zip(rows, theirs)):
        if row['offset'] != at:
            yield 'packet %d begins at %d, not %d' % (number, row['offset'], at)
        at = row['offset'] + row['length']
        for problem in check(row, *packet, capture, state):
            yield 'packet %d at %d: %s' % (number, row['offset'], problem)
    if len(theirs) < 10:
        yield 'the listing has only %d packets' % len(theirs)


# --- flow ---

class Flow:
    """What OpenCSD made of one source."""

    def __init__(self, path, trace_id):
        self.ranges = ppl.Stream()
        self.cycles = []      # (index, cycles), of a packet once
        self.exceptions = []  # (index, type, return address)
        with lzma.open(path, 'rt', errors='replace') as file:
            for line in file:
                m = ppl.ELEMENT.search(line)
                if m and int(m[2], 16) == trace_id:
                    self.take(int(m[1]), m[3], m[4])

    def take(self, index, kind, text):
        if kind == 'INSTR_RANGE':
            ppl.add_range(self.ranges, ppl.RANGE.match(text), index)
        m = re.search(r'\[CC=(\d+)\]', text)
        if m and self.cycles[-1:] != [(index, int(m[1]))]:
            self.cycles.append((index, int(m[1])))
        m = re.match(r'pref ret addr:0x([0-9a-f]+); excep num \(0x([0-9a-f]+)\)', text)
        if m:
            self.exceptions.append((index, int(m[2], 16), int(m[1], 16)))


def first_difference(name, ours, theirs):
    if ours == theirs:
        return
    at = next((i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b), min(len(ours), len(theirs)))
    yield '%s: ours %d, theirs %d, at %d: %s, theirs %s' % (
        name, len(ours), len(theirs), at, ours[at:at + 3], theirs[at:at + 3])


def compare_flow(cairn, captures, capture, source):
    path = os.path.join(captures, 'snapshots', capture)
    info = cairn_cli.info(cairn, path)
    entry = next(s for s in info['sources'] if s['name'] == source)
    index = {}
    if capture in GRAY:
        with open(info['buffers'][entry['buffer']]['path'], 'rb') as file:
            index = opencsd_index(file.read())
    theirs = Flow(os.path.join(captures, LISTING % capture), entry['trace_id'])
    records = cairn_cli.records(cairn, path, source)
    ours = cairn_cli.addresses(cairn, path, source)
    yield from first_difference('instructions', ours, [i[:2] for i in theirs.ranges.flow])
    missing = {r['offset'] for r in records if r['type'] == 'gap' and r['reason'] == 'no_image'}

    def at(record):
        return index.get(record['file_offset'], record['file_offset'])
    cycles = [(at(r), r['cycles']) for r in records
              if r['type'] == 'cycles' and r['offset'] not in missing]
    yield from first_difference('cycles', cycles, theirs.cycles)
    exceptions = [(at(r), r['exception'], int(r['address'] or '0', 16)) for r in records
                  if r['type'] == 'exception']
    yield from first_difference('exceptions', exceptions, theirs.exceptions)
    if len(ours) < 50:
        yield 'only %d instructions' % len(ours)


def main():
    tap = Tap()
    captures = os.environ.get('CAIRN_CAPTURES')
    cases = [(capture, source, what, function) for capture, sources in CAPTURES
             for source in sources
             for what, function in (('packets', compare), ('flow', compare_flow))]
    for capture, source, what, function in cases:
        name = '%s %s: %s as in the listing' % (capture, source, what)
        if captures:
            tap.case(name, function(sys.argv[1], captures, capture, source))
        elif os.environ.get('CAIRN_REQUIRE_CAPTURES') == '1' or os.environ.get('CI') == 'true':
            tap.case(name, ['CAIRN_CAPTURES is not set'])
        else:
            tap.skip(name, 'CAIRN_CAPTURES is not set')
    tap.end()


if __name__ == '__main__':
    main()
