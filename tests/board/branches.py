# SPDX-License-Identifier: BSD-2-Clause
"""What branches the programs of firmware/branches.c take, and which records DDI0608 part F has a Branch Record Buffer make of
them. Written down from the programs' text and from the rules; addresses are the labels' of the ELF file."""
import re
import subprocess

DIRECT, INDIRECT, DIRCALL, INDCALL, RTN, ERTN, CONDDIR, CALL, TRAP = 0, 1, 2, 3, 5, 7, 8, 0x22, 0x23
EXCEPTIONS = (CALL, TRAP)
VALID_TARGET, VALID_SOURCE, VALID_FULL = 1, 2, 3
CCU = 1 << 46  # cycles are not counted
# BRBFCR_EL1's bits, and the type that each is of (F1.1.9.1).
FILTERS = {17: DIRECT, 18: INDIRECT, 19: RTN, 20: INDCALL, 21: DIRCALL, 22: CONDDIR}

# Source, target, type, level of the source, of the target; the oldest first. A label may have a number of bytes behind it.
PROGRAM = [
    ('br_down', 'br_user', ERTN, 1, 0),
    ('br_call', 'br_callee', DIRCALL, 0, 0),
    ('br_ret', 'br_call+4', RTN, 0, 0),
    ('br_blr', 'br_callee', INDCALL, 0, 0),
    ('br_ret', 'br_blr+4', RTN, 0, 0),
    ('br_br', 'br_there', INDIRECT, 0, 0),
    ('br_cbnz', 'br_loop', CONDDIR, 0, 0),
    ('br_b', 'br_on', DIRECT, 0, 0),
    ('br_svc+4', 'br_vector', CALL, 0, 1),  # the preferred return address
    ('br_eret', 'br_udf', ERTN, 1, 0),
    ('br_udf', 'br_vector', TRAP, 0, 1),
    ('br_is_undefined', 'br_skip', CONDDIR, 1, 1),
    ('br_skip_eret', 'br_more', ERTN, 1, 0),
    ('br_last+4', 'br_vector', CALL, 0, 1),
    ('br_is_last', 'br_finish', CONDDIR, 1, 1),
]
PROGRAM_EL2 = [
    ('br_hvc+4', 'br_vector_EL2', CALL, 1, 2),
    ('br_eret_EL2', 'br_hvc_back', ERTN, 2, 1),
    ('br_hvc_last+4', 'br_vector_EL2', CALL, 1, 2),
    ('br_vector_EL2', 'br_finish_EL2', CONDDIR, 2, 2),
]
MANY = [('br_many_cbnz', 'br_many', CONDDIR, 1, 1)] * 39
MEASURED = ('br_measured', 'br_measured_on', DIRECT, 1, 1)
RECORDS = 32
EVERY = {DIRECT, INDIRECT, DIRCALL, INDCALL, RTN, CONDDIR}


def recorded(program, levels, taken=(), returned=(), types=EVERY):
    """The records, the oldest first: `levels` are not prohibited; an exception to a level of `taken` and a return from one
    of `returned` is recorded (F1.1.5, F1.1.6), half of it where the other side is prohibited."""
    found = []
    for source, target, kind, EL, to in program:
        if kind in EXCEPTIONS:
            wanted = to in taken
        elif kind == ERTN:
            wanted = EL in returned
        else:
            wanted = kind in types
        valid = (VALID_SOURCE if EL in levels else 0) | (VALID_TARGET if to in levels else 0)
        if wanted and valid:
            found.append((source, target, kind, to, valid))
    return found


def everything(levels):
    return recorded(PROGRAM, levels, {1}, {1})


WANTED = {
    'all': everything({0, 1}),
    'EL0': everything({0}),
    'EL1': everything({1}),
    'exceptions': recorded(PROGRAM, {0, 1}, {1}, types=()),
    'returns': recorded(PROGRAM, {0, 1}, (), {1}, types=()),
    'neither': recorded(PROGRAM, {0, 1}),
    'paused': [],
    'many': recorded(MANY, {1})[-RECORDS:],
    **{'filter-%d%d' % (EnI, bit - 16): recorded(PROGRAM, {0, 1}, types={kind for other, kind in FILTERS.items() if (other == bit) != EnI})
       for EnI in (False, True) for bit in FILTERS},
    'EL2': recorded(PROGRAM_EL2, {1, 2}, {2}, {2}),
    'EL2-half': recorded(PROGRAM_EL2, {1}, {2}, {2}),
    'EL2-only': recorded(PROGRAM_EL2, {2}, {2}, {2}),
    # MDCR_EL3.SBRBE: 0 prohibits in both Security states, 1 in Secure state
    **{'%s-%d' % (state, SBRBE): everything({0, 1}) if SBRBE > 1 or (SBRBE, state) == (1, 'N') else []
       for state in 'SN' for SBRBE in range(4)},
    'driver-twice': recorded([MEASURED] * 2, {1}),
    'driver-invalid': [],
    'driver-again': recorded([MEASURED], {1}),
}


def labels(firmware):
    text = subprocess.run(['readelf', '-sW', firmware], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {match[2]: int(match[1], 16) for match in re.finditer(r'^\s*\d+: ([0-9a-f]+) .* (br_\w+)$', text, re.M)}


def registers_of(record, where):
    """BRBINF<n>_EL1, BRBSRC<n>_EL1 and BRBTGT<n>_EL1: of half a record the other address is 0, and EL is the target's."""
    source, target, kind, EL, valid = record

    def place(label):
        name, _, more = label.partition('+')
        return where[name] + int(more or 0)

    return (CCU | kind << 8 | (EL << 6 if valid & VALID_TARGET else 0) | valid,
            place(source) if valid & VALID_SOURCE else 0, place(target) if valid & VALID_TARGET else 0)


def check_branches(said, firmware):
    where = labels(firmware)
    # FORMAT 0, 32 records, counters of 20 bits
    problems = [] if said.numbers('BRBIDR0_EL1') == [0x5020] else ['BRBIDR0_EL1 is %s' % said.numbers('BRBIDR0_EL1')]
    for name, wanted in WANTED.items():
        *numbers, beyond = said.numbers('branches:' + name) or [None]
        found = list(zip(numbers[::3], numbers[1::3], numbers[2::3]))
        expected = [registers_of(record, where) for record in reversed(wanted)]
        if found != expected or beyond != 0:
            problems.append('%s: %s, wanted %s; %s behind them' % (name, *([tuple(map(hex, row)) for row in rows] for rows in (found, expected)), beyond))
    return problems


# --- the Performance Monitors ---

# Of BRBINF<n>_EL1 for n of 0, 7, 8, 9, 10, 31 so many are valid; then PAUSED, PMOVSCLR_EL0, the counter of 64 bits, whether BRBTS_EL1 has the
# time, PMUIRQ (interrupt 23) before and behind the clearing of the flag.
OVERFLOW = 1 << 32
EXECUTED_AT_EL1 = 1 + 40 * 2 + 1 + 4  # NOP, the loop, SVC, and the vector's code up to SMC
FREEZES = {
    # the tenth record is the youngest (R_KSKLG), and nothing comes behind it
    'records': ((4,), 1, 1, OVERFLOW, 1, 1, 0),
    # the record of the branch that overflowed may be missing (I_RMGDV)
    'instructions': ((3, 4), 1, 1, OVERFLOW - 21 + EXECUTED_AT_EL1, 1, 1, 0),
    # an overflow without FZP; 39 branches are recorded, more than there is room for
    'none': ((6,), 0, 1, OVERFLOW - 10 + 39, 0, 1, 0),
    'later': ((6,), 0, 0, OVERFLOW - 1000 + 39, 0, 0, 0),
}


def check_freeze(said):
    problems = [] if said.numbers('counters') == [6] else ['PMCR_EL0.N is %s' % said.numbers('counters')]
    for name, (records, *wanted) in FREEZES.items():
        found, *rest = said.numbers('freeze:' + name) or [None]
        if found not in records or rest != wanted:
            problems.append('%s: %s records, %s, wanted %s' % (name, found, list(map(hex, rest)), list(map(hex, wanted))))
    return problems
