#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`cairn check`: each thing that goes wrong in practice is named, with what to do, and the status says
whether data was lost.

usage: test_check.py CAIRN
"""
import sys
import tempfile

from common import (EXAMPLE_D11_1_1, EXAMPLE_PROGRAM, START, Folder, Tap, bytes_of, expect, expect_in,
                    frames, run, words)

DUMPS = [(address, words(values)) for address, values in EXAMPLE_PROGRAM.items()]


def findings(cairn, *arguments):
    answer = run(cairn, 'check', '--format', 'json', *arguments)
    rows = answer.rows() if answer.out else []
    return answer, [row for row in rows if row['type'] == 'finding']


def check_finding(cairn, arguments, status, severity, what, advice, loses, **values):
    """There is exactly one finding with `what` in it, and it is as expected."""
    answer, rows = findings(cairn, *arguments)
    yield from expect('status', answer.status, status)
    found = [row for row in rows if what in row['what']]
    yield from expect('findings about it', len(found), 1)
    for row in found:
        yield from expect('severity', row['severity'], severity)
        yield from expect('loses_data', row['loses_data'], loses)
        if advice:
            yield from expect_in('advice', advice, row.get('advice', ''))
        for name, value in values.items():
            yield from expect(name, row['cost'] if name == 'cost' else
                              row['cost']['bytes'] if name == 'bytes' else row.get(name), value)
    if len(found) != 1:
        yield answer.out
    # the same in words
    text = run(cairn, 'check', '--all', *arguments)
    yield from expect('status of the text', text.status, status)
    yield from expect_in('text', what, text.out)
    if advice:
        yield from expect_in('text', 'what to do: ', text.out)


def main():
    cairn = sys.argv[1]
    tap = Tap()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        clean = folder.snapshot('clean', EXAMPLE_D11_1_1, dumps=DUMPS)
        answer, rows = findings(cairn, clean)
        tap.case('a clean capture', expect('status', answer.status, 0) +
                 expect('findings', rows, []) +
                 expect('result', answer.rows()[-1],
                        {'type': 'result', 'schema': 1, 'causes': 0, 'problems': 0, 'warnings': 0,
                         'notes': 0, 'losing_data': 0}))

        # no memory: the Atom packet at 21 and the Exception at 22 fail at 0x2000
        capture = folder.snapshot('no_image', EXAMPLE_D11_1_1, dumps=DUMPS[:1])
        tap.case('missing image', check_finding(
            cairn, [capture], 1, 'problem', 'no image for these addresses', '--image', True,
            offset=21, file_offset=21, ranges=[{'first': '0x2000', 'last': '0x2000', 'count': 1}]))
        tap.case('missing image, given by hand',
                 expect('status', run(cairn, 'check', *folder.program(), capture).status, 0))
        far = START + b''.join(bytes_of('9A 00 00') + high.to_bytes(2, 'little') + b'\xf7'
                               for high in (0x10, 0x11, 0x10, 0x4000, 0x10))
        capture = folder.snapshot('ranges', far, dumps=DUMPS[:1])
        # none of these addresses has memory: nothing becomes code
        tap.case('missing image: ranges are merged', check_finding(
            cairn, [capture], 2, 'problem', 'no image', '--image', True,
            ranges=[{'first': '0x100000', 'last': '0x100000', 'count': 3},
                    {'first': '0x110000', 'last': '0x110000', 'count': 1},
                    {'first': '0x40000000', 'last': '0x40000000', 'count': 1}]))
        capture = folder.snapshot('bare', EXAMPLE_D11_1_1)
        tap.case('no image at all', check_finding(
            cairn, [capture], 2, 'problem', 'no image', 'has no image at all', True))

        capture = folder.snapshot('registers', EXAMPLE_D11_1_1, dumps=DUMPS,
                                  registers={'TRCIDR8': None})
        answer, rows = findings(cairn, capture)
        tap.case('a missing register', expect('status', answer.status, 0) + expect(
            'findings that name it', len([row for row in rows if 'TRCIDR8' in row['what']]), 1))
        # TRCIDR2.IASIZE (bits 4:0) is 4 or 8 bytes
        capture = folder.snapshot('impossible', EXAMPLE_D11_1_1, dumps=DUMPS,
                                  registers={'TRCIDR2': 0xd000109f})
        answer, rows = findings(cairn, capture)
        named = [row for row in rows if 'TRCIDR2' in row['what']]
        tap.case('an impossible register', expect('findings that name it', len(named), 1))

        trace = frames([(0x10, EXAMPLE_D11_1_1), (0x22, EXAMPLE_D11_1_1)])
        capture = folder.snapshot('unknown_id', trace, format_='coresight', dumps=DUMPS)
        tap.case('a trace ID without configuration', check_finding(
            cairn, [capture], 1, 'problem', '39 bytes have a trace ID that no trace unit', 'TRCTRACEIDR',
            True,
            bytes=39))
        capture = folder.snapshot('other_id', frames([(0x10, EXAMPLE_D11_1_1)]), format_='coresight',
                                  dumps=DUMPS, trace_id=0x33)
        tap.case('a configured source without data', check_finding(
            cairn, [capture], 2, 'note', 'no data of this source', None, False,
            because='CAIRN-WRONG-ID'))
        capture = folder.snapshot('cut_frame', frames([(0x10, EXAMPLE_D11_1_1)]) + bytes(5),
                                  format_='coresight', dumps=DUMPS)
        tap.case('an incomplete frame', check_finding(
            cairn, [capture], 1, 'warning', 'incomplete last frame', '16 bytes', True, bytes=5))

        capture = folder.snapshot('early', bytes_of('F7 F7') + EXAMPLE_D11_1_1, dumps=DUMPS)
        tap.case('data before synchronisation', check_finding(
            cairn, [capture], 0, 'note', 'before the first synchronisation', 'wrapped', False,
            bytes=2, offset=0))
        capture = folder.snapshot('never', bytes_of('F7 F6') * 500, dumps=DUMPS)
        tap.case('no synchronisation at all', check_finding(
            cairn, [capture], 2, 'problem', 'no synchronisation anywhere', '--frames', True,
            bytes=1000))
        # a Target Address (9D: eight address bytes, D5.51) that ends after two
        capture = folder.snapshot('cut', EXAMPLE_D11_1_1 + bytes_of('9D 01 02'), dumps=DUMPS)
        tap.case('truncated', check_finding(
            cairn, [capture], 1, 'warning', 'the end of the source cuts short', 'TRCSTATR', True, bytes=3))
        # an Overflow (00 05, D5.6), then synchronisation again
        capture = folder.snapshot('overflow', EXAMPLE_D11_1_1 + bytes_of('00 05') + START, dumps=DUMPS)
        tap.case('overflow', check_finding(
            cairn, [capture], 1, 'problem', 'overflowed 1 time:', 'TRCSTALLCTLR', True))
        # 08 is reserved (D5.2); up to the next synchronisation nothing can be known
        capture = folder.snapshot('reserved', EXAMPLE_D11_1_1 + bytes_of('08 F7 F7') + START,
                                  dumps=DUMPS)
        tap.case('reserved packets', check_finding(
            cairn, [capture], 1, 'problem', 'reserved packets and behind', 'protocol', True, offset=27,
            bytes=3))
        # Exception Return (07) is a packet of ETMv4 and reserved in ETE
        etmv4 = (EXAMPLE_D11_1_1 + bytes_of('07')) * 6
        capture = folder.snapshot('as_ete', etmv4, dumps=DUMPS)
        tap.case('the wrong protocol', check_finding(
            cairn, [capture], 1, 'problem', 'the protocol is probably ETMv4', 'etmv4', True))
        # the BEQ at 0x200c is a NOP in this image: the trace's addresses contradict it
        other = dict(EXAMPLE_PROGRAM)
        other[0x1000] = [0xd503201f]
        capture = folder.snapshot('other_image', EXAMPLE_D11_1_1, dumps=[
            (address, words(values)) for address, values in other.items()])
        answer, rows = findings(cairn, capture)
        tap.case('an image of something else loses data', expect('status', answer.status, 1))

        capture = folder.snapshot('stm', bytes(64), kind='STM')
        tap.case('a protocol that is not decoded', check_finding(
            cairn, [capture], 2, 'note', 'of STM trace are not decoded', 'this version decodes ETMv4, ETE',
            False, bytes=0))
        # A-sync, I-sync (IHI0014 7.7.2, 7.7.3), an atom, a reserved header
        capture = folder.snapshot('etmv3', bytes(5) + bytes_of('80' '08 21 00 10 00 00' '84' '10'),
                                  kind='ETM3.5', core='Cortex-A7', dumps=[(0x1000, bytes(4))],
                                  registers={'ETMIDR': 0x410cf250, 'ETMCR': 0, 'ETMCCER': 0x344008f2})
        tap.case('damage of ETMv3', check_finding(
            cairn, [capture], 1, 'problem', 'in reserved packets', 'damaged', True, bytes=1))
        answer = run(cairn, 'flow', '--format', 'addresses', capture)
        tap.case('its flow', expect('status', answer.status, 1) +
                 expect_in('listing', '\n1000\n', answer.out))
        answer = run(cairn, 'packets', capture)
        tap.case('its packets', expect('status', answer.status, 1) +
                 expect_in('listing', 'address=0x1000 state=ARM', answer.out))
        # A-sync, I-sync in Thumb state, E of the ENTERX there; an atom behind it
        capture = folder.snapshot('thumbee', bytes(5) + bytes_of('80' '08 01 10 00 00 21' '84' '84'),
                                  kind='PTM', core='Cortex-A9', dumps=[(0x1000, bytes_of('bff3 1f8f 00bf'))],
                                  registers={'ETMIDR': 0x411cf300, 'ETMCR': 0, 'ETMCCER': 0x00c008c2})
        tap.case('ThumbEE', check_finding(
            cairn, [capture], 1, 'warning', 'ThumbEE', 'next address', True, bytes=1))
        answer = run(cairn, 'flow', '--format', 'addresses', capture)
        tap.case('flow up to it', expect('status', answer.status, 1) +
                 expect_in('listing', '1000 E', answer.out))
        empty = folder.snapshot('empty', b'', dumps=DUMPS)
        answer, rows = findings(cairn, empty)
        tap.case('an empty buffer', expect_in('findings', 'empty', answer.out + answer.err) + (
            expect('status', answer.status, 2)))
        raw = folder.write('raw.bin', EXAMPLE_D11_1_1)
        answer, rows = findings(cairn, raw)
        tap.case('a raw buffer and nothing said', expect('status', answer.status, 2) +
                 expect_in('advice', '--protocol', answer.out))
    tap.end()


if __name__ == '__main__':
    main()
