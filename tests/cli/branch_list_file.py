# SPDX-License-Identifier: BSD-2-Clause
"""Files of branch lists made and read by hand, as protocol buffers have messages (protobuf.dev, "Encoding") and simpleperf
its fields; and by protoc where it is there."""
import collections
import os
import struct
import subprocess

MAGIC = b'simpleperf:EtmBranchList'
FILE, KERNEL, MODULE = range(3)
PROTO = os.path.dirname(os.path.abspath(__file__))
TIMEOUT = 60


def varint(value):
    out = b''
    while value > 0x7f:
        out += bytes([value & 0x7f | 0x80])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    """A number, or bytes or text."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def packed_bits(bits):
    """"EEN" as bytes: the first is bit 0 of the first byte."""
    return bytes(sum((bit == 'E') << n for n, bit in enumerate(bits[at:at + 8])) for at in range(0, len(bits), 8))


def binary(path, lists, build_id='', kind=FILE, more=b''):
    """{address: {"EEN": count}}"""
    body = field(1, path) + (field(2, build_id) if build_id else b'')
    for address, counts in lists.items():
        body += field(3, field(1, address) + b''.join(
            field(2, field(1, packed_bits(bits)) + field(2, len(bits)) + field(3, count)) for bits, count in counts.items()))
    return field(2, body + (field(4, kind) if kind else b'') + more)


def message(*parts):
    return field(1, MAGIC) + b''.join(parts)


def several(*messages, packed=0, version=1):
    return MAGIC + struct.pack('<IB', version, packed) + b''.join(struct.pack('<I', len(one)) + one for one in messages)


def fields(data):
    """[(number, value)]; fails on anything but numbers and bytes that fill the message."""
    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value
    at, out = 0, []
    while at < len(data):
        tag = number()
        if tag & 7 == 0:
            out.append((tag >> 3, number()))
        else:
            assert tag & 7 == 2, 'a field of kind %d' % (tag & 7)
            size = number()
            assert at + size <= len(data), 'a field that is cut off'
            out.append((tag >> 3, data[at:at + size]))
            at += size
    return out


def lists_of(data):
    """Counter of (path, build-id, kind, address, "EEN") of a file with one message."""
    out = collections.Counter()
    whole = fields(data)
    assert whole[0] == (1, MAGIC)
    for number, body in whole:
        if number != 2:
            continue
        one = fields(body)
        known = dict(one)
        for inner, address in one:
            if inner != 3:
                continue
            parts = fields(address)
            for _, entry in parts[1 if parts[0][0] == 1 else 0:]:
                entry = dict(fields(entry))
                bits = ''.join('NE'[entry[1][n >> 3] >> (n & 7) & 1] for n in range(entry[2]))
                assert entry[1] == packed_bits(bits), 'bits behind the last'
                key = (known[1].decode(), known.get(2, b'').decode(), known.get(4, 0), dict(parts).get(1, 0), bits)
                assert key not in out, 'twice: %r' % (key,)
                out[key] = entry[3]
    return out


def decoded(data):
    """What protoc makes of it: text. Fails where that is no such message."""
    done = subprocess.run(['protoc', '--proto_path=' + PROTO, '--decode=simpleperf.BranchList', 'branch_list.proto'],
                          input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT, check=True)
    return done.stdout.decode()
