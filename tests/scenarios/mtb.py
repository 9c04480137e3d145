# SPDX-License-Identifier: BSD-2-Clause
"""The trace of a Micro Trace Buffer in a scenario (docs/scenarios.md): a packet a line, source and
destination by address or label, and the bits A and S; as they lie in memory."""

REGISTERS = ('POSITION', 'MASTER', 'FLOW', 'BASE', 'DUMP')
EXCEPTION_TYPE = 0xffff  # of any exception: an MTB does not tell which


def packet(scenario, line, text):
    """The order for `@source > @destination A S`."""
    words = text.split()
    if len(words) < 3 or words[1] != '>':
        scenario.fail(line, 'a packet of an MTB is SOURCE > DESTINATION, then perhaps A and S')
    for word in words[3:]:
        if word not in ('A', 'S'):
            scenario.fail(line, 'no such bit of an MTB packet: %s' % word)
    source = scenario.address(line, words[0]) & ~1 | ('A' in words[3:])
    destination = scenario.address(line, words[2]) & ~1 | ('S' in words[3:])
    return 'bytes %d %s' % (line, (source.to_bytes(4, 'little') +
                                   destination.to_bytes(4, 'little')).hex())
