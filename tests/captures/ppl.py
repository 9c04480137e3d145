# SPDX-License-Identifier: BSD-2-Clause
"""OpenCSD's packet listings (trc_pkt_lister -decode), read into packets and instructions."""
import lzma
import re

PACKET = re.compile(r'^Idx:(\d+); ID:([0-9a-f]+); \[([^\]]*)\];\s*(\w+)')
ELEMENT = re.compile(r'Idx:(\d+); ID:([0-9a-f]+); OCSD_GEN_TRC_ELEM_(\w+)\s*\((.*)')
RANGE = re.compile(r'exec range=0x([0-9a-f]+):\[0x([0-9a-f]+)\] num_i\((\d+)\) last_sz\((\d+)\) '
                   r'\(ISA=(\w+)\) (\S) (.*)\)')
BUFFER = re.compile(r'^(?:####### Multi Session decode: Buffer \d+ of \d+; Source name = '
                    r'(?P<session>\S+?)\.?|Using (?P<single>\S+) as trace source)$')

# OpenCSD's packet names -> ours, where the name alone decides.
NAMES = {
    'I_NOT_SYNC': 'NOT_SYNC', 'I_ASYNC': 'ALIGNMENT_SYNC', 'I_TRACE_INFO': 'TRACE_INFO',
    'I_TIMESTAMP': 'TIMESTAMP', 'I_TRACE_ON': 'TRACE_ON', 'I_FUNC_RET': 'FUNCTION_RETURN',
    'I_EXCEPT': 'EXCEPTION', 'I_EXCEPT_RTN': 'EXCEPTION_RETURN', 'I_ITE': 'INSTRUMENTATION',
    'I_PE_RESET': 'PE_RESET', 'I_TRANS_FAIL': 'TRANSACTION_FAILURE',
    'I_TRANS_ST': 'TRANSACTION_START', 'I_TRANS_COMMIT': 'TRANSACTION_COMMIT',
    'I_CCNT_F1': 'CYCLE_COUNT_F1', 'I_CCNT_F2': 'CYCLE_COUNT_F2', 'I_CCNT_F3': 'CYCLE_COUNT_F3',
    'I_NUM_DS_MKR': 'DATA_SYNC_NUMBERED', 'I_UNNUM_DS_MKR': 'DATA_SYNC_UNNUMBERED',
    'I_COMMIT': 'COMMIT', 'I_CANCEL_F1': 'CANCEL_F1', 'I_CANCEL_F1_MISPRED': 'CANCEL_F1',
    'I_CANCEL_F2': 'CANCEL_F2', 'I_CANCEL_F3': 'CANCEL_F3', 'I_MISPREDICT': 'MISPREDICT',
    'I_COND_FLUSH': 'COND_FLUSH', 'I_COND_I_F1': 'COND_INSTRUCTION_F1',
    'I_COND_I_F2': 'COND_INSTRUCTION_F2', 'I_COND_I_F3': 'COND_INSTRUCTION_F3',
    'I_COND_RES_F1': 'COND_RESULT_F1', 'I_COND_RES_F2': 'COND_RESULT_F2',
    'I_COND_RES_F3': 'COND_RESULT_F3', 'I_COND_RES_F4': 'COND_RESULT_F4',
    'I_IGNORE': 'IGNORE', 'I_EVENT': 'EVENT', 'I_TS_MARKER': 'TIMESTAMP_MARKER',
    'I_ADDR_MATCH': 'ADDRESS_EXACT', 'I_DISCARD': 'DISCARD', 'I_OVERFLOW': 'OVERFLOW',
    'I_ADDR_S_IS0': 'ADDRESS_SHORT_IS0', 'I_ADDR_S_IS1': 'ADDRESS_SHORT_IS1',
    'I_ADDR_L_32IS0': 'ADDRESS_32_IS0', 'I_ADDR_L_32IS1': 'ADDRESS_32_IS1',
    'I_ADDR_L_64IS0': 'ADDRESS_64_IS0', 'I_ADDR_L_64IS1': 'ADDRESS_64_IS1',
    'I_ADDR_CTXT_L_32IS0': 'ADDRESS_CONTEXT_32_IS0', 'I_ADDR_CTXT_L_32IS1': 'ADDRESS_CONTEXT_32_IS1',
    'I_ADDR_CTXT_L_64IS0': 'ADDRESS_CONTEXT_64_IS0', 'I_ADDR_CTXT_L_64IS1': 'ADDRESS_CONTEXT_64_IS1',
    'I_SRC_ADDR_MATCH': 'SOURCE_EXACT',
    'I_SRC_ADDR_S_IS0': 'SOURCE_SHORT_IS0', 'I_SRC_ADDR_S_IS1': 'SOURCE_SHORT_IS1',
    'I_SCR_ADDR_L_32IS0': 'SOURCE_32_IS0', 'I_SCR_ADDR_L_32IS1': 'SOURCE_32_IS1',
    'I_SRC_ADDR_L_32IS0': 'SOURCE_32_IS0', 'I_SRC_ADDR_L_32IS1': 'SOURCE_32_IS1',
    'I_SCR_ADDR_L_64IS0': 'SOURCE_64_IS0', 'I_SCR_ADDR_L_64IS1': 'SOURCE_64_IS1',
    'I_SRC_ADDR_L_64IS0': 'SOURCE_64_IS0', 'I_SRC_ADDR_L_64IS1': 'SOURCE_64_IS1',
    'I_ATOM_F1': 'ATOM_F1', 'I_ATOM_F2': 'ATOM_F2', 'I_ATOM_F3': 'ATOM_F3', 'I_ATOM_F4': 'ATOM_F4',
    'I_ATOM_F6': 'ATOM_F6', 'I_INCOMPLETE_EOT': 'INCOMPLETE', 'I_RESERVED': 'RESERVED',
    'I_BAD_SEQUENCE': 'RESERVED', 'I_RESERVED_CFG': 'RESERVED',
}
# ... and where one of OpenCSD's names covers several of ours: the header byte decides (DDI0608 D5.1).
BY_HEADER = {
    'I_ATOM_F5': {0xf5: 'ATOM_F5_1', 0xd5: 'ATOM_F5_2', 0xd6: 'ATOM_F5_2', 0xd7: 'ATOM_F5_2'},
    'I_CTXT': {0x80: 'CONTEXT_SAME', 0x81: 'CONTEXT'},
    'I_Q': {0xa0: 'Q_EXACT', 0xa1: 'Q_EXACT', 0xa2: 'Q_EXACT', 0xa5: 'Q_SHORT_IS0',
            0xa6: 'Q_SHORT_IS1', 0xaa: 'Q_32_IS0', 0xab: 'Q_32_IS1', 0xac: 'Q_COUNT', 0xaf: 'Q'},
}

FLAGGED = ('ISB', 'WFI.WFE', 'TSTART')  # P0 in ETMv4 and ETE besides branches (DDI0608 D3.1)


class Stream:
    """What OpenCSD made of one source."""

    def __init__(self):
        self.packets = []  # (kind, offset in the file, length); blocks of NOT_SYNC merged
        self.flow = []     # (address, 'E', 'N' or '', offset in the file), one an instruction


def our_kind(name, header):
    if name in NAMES:
        return NAMES[name]
    if name in BY_HEADER and header in BY_HEADER[name]:
        return BY_HEADER[name][header]
    raise ValueError('unknown packet of the listing: %s with header %#x' % (name, header))


def is_etmv4(text):
    return any(m in text for m in ('I_ASYNC :', 'I_TRACE_INFO :'))


def read(path):
    """{(buffer, trace ID or None): Stream}; None for buffers without frames. Empty for listings of
    other protocols."""
    with lzma.open(path, 'rt', errors='replace') as file:
        text = file.read()
    streams, buffer, raw = {}, None, ' ID:0; [' in text
    if not is_etmv4(text):
        return streams
    for line in text.splitlines():
        m = BUFFER.match(line)
        if m:
            buffer = m['session'] or m['single']
            continue
        m = PACKET.match(line)
        if m:
            stream = streams.setdefault((buffer, None if raw else int(m[2], 16)), Stream())
            data = bytes(int(b, 16) for b in m[3].split())
            add_packet(stream, our_kind(m[4], data[0]), int(m[1]), len(data))
            continue
        m = ELEMENT.search(line)
        if m and m[3] == 'INSTR_RANGE':
            stream = streams.setdefault((buffer, None if raw else int(m[2], 16)), Stream())
            add_range(stream, RANGE.match(m[4]), int(m[1]))
    return streams


def add_packet(stream, kind, offset, length):
    last = stream.packets[-1] if stream.packets else None
    if kind == 'NOT_SYNC' and last and last[0] == 'NOT_SYNC':
        stream.packets[-1] = (kind, last[1], last[2] + length)
    else:
        stream.packets.append((kind, offset, length))


def add_range(stream, m, offset):
    start, end, count, size, isa = int(m[1], 16), int(m[2], 16), int(m[3]), int(m[4]), m[5]
    if isa not in ('A64', 'A32') or end - start != 4 * count or size != 4:
        raise ValueError('a range of %s that this reader cannot expand: %s' % (isa, m[0]))
    for address in range(start, end - 4, 4):
        stream.flow.append((address, '', offset))
    word = (m[7].split() or [''])[0]
    flagged = 'BR' in word or m[6] == 'N' or word in FLAGGED
    stream.flow.append((end - 4, m[6] if flagged else '', offset))
