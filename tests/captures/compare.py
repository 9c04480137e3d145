#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every ETMv4 and ETE source of the real captures against OpenCSD 1.8.0's listings: the same packets
(kind, offset, length), the same instructions and flags; and the ledger recomputed from the packets.

usage: compare.py CAIRN TOP

The two write the same things down differently in these places, and in no other:
- Exceptions. OpenCSD lists an Exception packet's address as a packet of its own. DDI0608 D5.13 to D5.23
  draw one packet: header, information bytes, and the address. The two are joined before they are compared.
- Bytes before the first synchronisation. OpenCSD lists them in blocks as it was fed; joined.
- File offsets inside formatter frames: frame_index.py.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'house'))
import cairn_cli  # noqa: E402
import ppl  # noqa: E402
from frame_index import opencsd_index  # noqa: E402
from tap import Tap  # noqa: E402

LISTING = '%s.opencsd-1.8.0.ppl.xz'
LISTED = ('ETMv4', 'ETE')  # whose listings are read here; of the others the ledger is checked
ROOM = 4  # entries shown around a difference


def joined_exceptions(packets):
    """An Exception packet and the address packet behind it as one."""
    out, rest = [], iter(packets)
    for kind, offset, length in rest:
        if kind == 'EXCEPTION':
            address = next(rest, None)
            if address and (address[0].startswith('ADDRESS') or address[0].startswith('CONTEXT')):
                length += address[2]
            elif address:
                out.append((kind, offset, length))
                kind, offset, length = address
        out.append((kind, offset, length))
    return out


def difference(name, ours, theirs, show):
    """A sentence about the first place where two lists differ; nothing when they agree."""
    if ours == theirs:
        return
    at = next((i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b), min(len(ours), len(theirs)))
    yield '%s: ours %d, OpenCSD %d, first difference at %d' % (name, len(ours), len(theirs), at)
    low = max(0, at - ROOM)
    yield '  ours:    ' + '; '.join(map(show, ours[low:at + ROOM]))
    yield '  OpenCSD: ' + '; '.join(map(show, theirs[low:at + ROOM]))


def show_packet(packet):
    return '%s at %d, %d bytes' % packet


def show_instruction(instruction):
    return ('%x %s' % instruction).rstrip()


def check_packets(rows, stream, index):
    ours = [(row['kind'], index.get(row['file_offset'], row['file_offset']), row['length'])
            for row in rows]
    return difference('packets', ours, joined_exceptions(stream.packets), show_packet)


def check_flow(cairn, capture, source, stream):
    ours = cairn_cli.addresses(cairn, capture, source)
    return difference('instructions', ours, [i[:2] for i in stream.flow], show_instruction)


def check_ledger(cairn, capture, source, rows):
    """The accounts of `cairn info`, computed again: every packet's bytes in its own account, and those
    of a gap in the flow moved out of the flow account."""
    accounts, at = {}, 0
    for row in rows:
        if row['offset'] != at:
            yield 'bytes %d to %d are in no packet' % (at, row['offset'])
        at = row['offset'] + row['length']
        accounts[row['account']] = accounts.get(row['account'], 0) + row['length']
    by_offset = {row['offset']: row for row in rows}
    for gap in cairn_cli.gaps(cairn, capture, source['name']):
        row = by_offset.get(gap['offset'])
        if row is None or row['length'] != gap['length']:
            yield 'a gap at %d of %d bytes that is no packet' % (gap['offset'], gap['length'])
        elif row['account'] == 'flow':
            accounts['flow'] -= gap['length']
            accounts[gap['reason']] = accounts.get(gap['reason'], 0) + gap['length']
        elif row['account'] != gap['reason']:
            yield 'a gap %s at %d in the account %s' % (gap['reason'], gap['offset'], row['account'])
    accounts = {name: bytes_ for name, bytes_ in accounts.items() if bytes_}
    if accounts != {name: bytes_ for name, bytes_ in source['ledger'].items() if bytes_}:
        yield 'ledger: from the packets %s, from info %s' % (accounts, source['ledger'])
    if at != source['bytes'] or sum(source['ledger'].values()) != source['bytes']:
        yield 'ledger: %d bytes in packets, %d in accounts, %d in the source' % \
            (at, sum(source['ledger'].values()), source['bytes'])


def check_buffers(info):
    for buffer in info['buffers']:
        if not buffer['adds_up'] or buffer['accounted'] != buffer['bytes']:
            yield '%s: %d of %d bytes accounted for' % (buffer['name'], buffer['accounted'],
                                                        buffer['bytes'])


def compare(tap, cairn, capture, listing):
    name = os.path.basename(capture)
    info = cairn_cli.info(cairn, capture)
    tap.case('%s: every byte of every buffer is in one account' % name, check_buffers(info))
    streams = ppl.read(listing)
    for source in info['sources']:
        if not source['decoded'] or source['bytes'] == 0:
            continue
        buffer = info['buffers'][source['buffer']]
        framed = buffer['format'] != 'source_data'
        stream = streams.pop((buffer['name'], source['trace_id'] if framed else None), None)
        if source['protocol'] not in LISTED:
            tap.case('%s %s: ledger' % (name, source['name']),
                     check_ledger(cairn, capture, source,
                                  cairn_cli.packets(cairn, capture, source['name'])))
            continue
        if stream is None:
            tap.case('%s %s' % (name, source['name']), ['the listing has nothing of this source'])
            continue
        with open(buffer['path'], 'rb') as file:
            index = opencsd_index(file.read()) if framed else {}
        rows = cairn_cli.packets(cairn, capture, source['name'])
        case = '%s %s: %d packets, %d instructions' % (name, source['name'], len(stream.packets),
                                                      len(stream.flow))
        tap.case(case + ': same packets', check_packets(rows, stream, index))
        tap.case(case + ': same instructions and flags',
                 check_flow(cairn, capture, source['name'], stream))
        tap.case('%s %s: ledger' % (name, source['name']),
                 check_ledger(cairn, capture, source, rows))
    if streams:
        tap.case('%s: sources' % name, ['not found in the capture: %s' % list(streams)])


def main():
    cairn, top = sys.argv[1:3]
    tap = Tap()
    example = os.path.join(top, 'examples', 'capture')
    for source in cairn_cli.info(cairn, example)['sources']:
        tap.case('example %s: ledger' % source['name'],
                 check_ledger(cairn, example, source,
                              cairn_cli.packets(cairn, example, source['name'])))
    captures = os.environ.get('CAIRN_CAPTURES')
    if not captures:
        tap.skip('real captures against OpenCSD 1.8.0', 'CAIRN_CAPTURES is not set')
        tap.end()
    snapshots = os.path.join(captures, 'snapshots')
    for name in sorted(os.listdir(snapshots)):
        listing = os.path.join(captures, 'expected', LISTING % name)
        if os.path.isdir(os.path.join(snapshots, name)) and os.path.exists(listing):
            compare(tap, cairn, os.path.join(snapshots, name), listing)
    tap.end()


if __name__ == '__main__':
    main()
