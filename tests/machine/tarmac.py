# SPDX-License-Identifier: BSD-2-Clause
"""TARMAC logs -> trace unit model -> snapshot -> decoder: the flow is what the log says."""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'house'))
import tarmac_log  # noqa: E402
from tap import Tap, program  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
OWN = ('a64', 'a32', 'es', 'gem5', 'broken')
CAPTURES = ('calculator-aarch32-fastmodel', 'calculator-aarch64-fastmodel',
            'calculator-aarch64-gem5', 'calltest64')
# TRCCONFIGR (DDI0608 D8): bit 0 is RES1.
BB, CCI, CID, VMID, RS, TS = 1 << 3, 1 << 4, 1 << 6, 1 << 7, 1 << 12, 1 << 11
THRESHOLD = 4  # TRCCCCTLR
SETTINGS = {'plain': 1, 'return stack': 1 | RS, 'branch broadcast': 1 | BB,
            'cycle counts': 1 | CCI, 'everything': 1 | BB | CCI | CID | VMID | RS | TS,
            'all but broadcast': 1 | CCI | CID | VMID | RS | TS}


def run(*words):
    return subprocess.run([*program(words[0]), *words[1:]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=300)


def decoded(cairn, folder):
    """Rows as tarmac_log gives them, and the cycles counted, by source."""
    done = run(cairn, 'flow', '--format', 'addresses', folder)
    rows, cycles, source, context, problems = {}, {}, None, None, []
    if done.returncode:
        problems.append('cairn flow: %d %s' % (done.returncode, done.stderr.decode()))
    for line in done.stdout.decode().splitlines():
        if not line.startswith('# '):
            rows[source].append('%s in %s' % (line, context))
            continue
        words = line[2:].split()
        if words[0] == 'source':
            source = words[1]
            rows[source], cycles[source] = [], 0
        elif words[0] == 'context':
            context = line[len('# context '):]
        elif words[0] == 'exception' and words[1] != 'return':
            rows[source].append(line[2:])
        elif words[0] == 'cycles':
            cycles[source] = int(words[-1])
        elif words[0] == 'gap':
            problems.append('%s: %s' % (source, line))
    return rows, cycles, problems


def compare(wanted, got):
    if wanted == got:
        return []
    for i, (a, b) in enumerate(zip(wanted, got)):
        if a != b:
            return ['item %d: the log has "%s", the trace "%s"' % (i, a, b)]
    return ['%d items in the log, %d in the trace' % (len(wanted), len(got))]


def check_cycles(cpu, total):
    """Counted from the first instruction to the last P0 element that the threshold lets count: a
    cycle is what the log's clock makes of it, a nanosecond where that is real time."""
    per_cycle = {'ps': 1000, None: 1}.get(cpu.instructions()[0].unit, 1)
    marked = [i.time for i in cpu.instructions() if i.mark]
    low = (marked[-1] - cpu.instructions()[0].time) // per_cycle
    low -= THRESHOLD + max(b - a for a, b in zip(marked, marked[1:])) // per_cycle
    high = (cpu.instructions()[-1].time - cpu.instructions()[0].time) // per_cycle
    if low <= total <= high:
        return []
    return ['%s: %d cycles counted, expected %d to %d' % (cpu.name, total, low, high)]


def round_trip(tools, log, protocol, setting, is_own):
    record, cairn = tools
    config = SETTINGS[setting]
    cpus = tarmac_log.read(log, is_own)
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, 'trace')
        done = run(record, log, target, protocol, 'TRCCONFIGR=%d' % config,
                   'TRCCCCTLR=%d' % THRESHOLD)
        if done.returncode:
            return ['recording: %d %s' % (done.returncode, done.stderr.decode())]
        counts = dict(line.split() for line in done.stdout.decode().splitlines())
        rows, cycles, problems = decoded(cairn, target)
    if sorted(rows) != sorted(cpus):
        return problems + ['sources %s, expected %s' % (sorted(rows), sorted(cpus))]
    executed = sum(len(cpu.instructions()) for cpu in cpus.values())
    if int(counts['executed']) != executed:
        problems.append('%s instructions told, expected %d' % (counts['executed'], executed))
    for name, cpu in cpus.items():
        problems += compare(cpu.rows(bool(config & CID)), rows[name])
        if config & CCI and not is_own:
            problems += check_cycles(cpu, cycles[name])
    return problems


def own_logs(tap, tools):
    for name in OWN:
        if 'aarch32' in name:
            tap.case(name + ', conditions', conditions(tools, log))
        for protocol in ('ete', 'etmv4'):
            for setting in SETTINGS:
                tap.case('%s, %s, %s' % (name, protocol, setting),
                         round_trip(tools, os.path.join(HERE, 'tarmac', name + '.tarmac'), protocol,
                                    setting, True))


def piped(tools):
    """A log comes through a pipe, in small pieces, as well as from a file."""
    record, cairn = tools
    path = os.path.join(HERE, 'tarmac', 'a32.tarmac')
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, 'trace')
        with subprocess.Popen([*program(record), '-', target, 'ete'], stdin=subprocess.PIPE,
                              stdout=subprocess.DEVNULL) as process:
            with open(path, 'rb') as file:
                for line in file:
                    process.stdin.write(line)
                    process.stdin.flush()
            process.stdin.close()
        rows, _, problems = decoded(cairn, target)
    for name, cpu in tarmac_log.read(path, True).items():
        problems += compare(cpu.rows(False), rows.get(name))
    return problems


def one_processor(tools):
    """cpu=: the others are read over."""
    record, cairn = tools
    path = os.path.join(HERE, 'tarmac', 'a32.tarmac')
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, 'trace')
        run(record, path, target, 'ete', 'cpu=cluster0.cpu1')
        rows, _, problems = decoded(cairn, target)
    wanted = tarmac_log.read(path, True)['cluster0.cpu1'].rows(False)
    if list(rows) != ['cluster0.cpu1']:
        problems.append('sources %s' % list(rows))
    return problems or compare(wanted, rows['cluster0.cpu1'])


def without_halts(tools):
    """What stands behind the last P0 element is lost then, and nothing else."""
    record, cairn = tools
    path = os.path.join(HERE, 'tarmac', 'a64.tarmac')
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, 'trace')
        run(record, path, target, 'ete', 'halts=no')
        rows, _, problems = decoded(cairn, target)
    wanted = tarmac_log.read(path, True)['cpu0'].rows(False)
    return problems + compare(wanted[:-3], rows['cpu0'])


def conditions(tools, log, most=None, left_out=0):
    """ETMv3 tells of every instruction whether it passed its condition: IT and IS in the log. Of its
    first processor: there is no A64 in ETMv3, so much of it is left out. At most so many instructions."""
    listed = re.compile(r'\d+ \w+ (?:cluster0\.cpu0 )?(I[TS]) \(\d+\) ([0-9a-f]{8})')
    with open(log) as lines:
        wanted = ['%s %s' % (m[2], 'E' if m[1] == 'IT' else 'N')
                  for m in map(listed.match, lines) if m]
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, 'trace')
        done = run(tools[1], 'record', '--protocol', 'etmv3', '-o', target, '--tarmac', log)
        told = '%d instructions without an opcode, or in an instruction set that has no trace' % left_out
        if done.returncode != (left_out > 0) or (left_out and told not in done.stderr.decode()):
            return ['cairn record: %d, %s' % (done.returncode, done.stderr.decode())]
        if os.path.exists(os.path.join(target, 'cluster0.cpu1.bin')):
            return ['a source for A64']
        lines = run(tools[1], 'flow', '--format', 'json', '--ranges', '--source', '0', target).stdout
    rows = map(json.loads, lines.splitlines())
    got = ['%08x %s' % (int(row['address'], 16), row['p0']) for row in rows if row['type'] == 'range']
    problems = [] if any(item.endswith('N') for item in wanted) else ['nothing failed its condition']
    return problems + compare(wanted[:most], got[:most])


def refused(cairn, log, protocol, *sentences):
    """Ends with 2 and says so, in one sentence, and leaves nothing."""
    with tempfile.TemporaryDirectory() as folder:
        path, target = os.path.join(folder, 'a.tarmac'), os.path.join(folder, 'trace')
        with open(path, 'w') as file:
            file.write(log)
        done = run(cairn, 'record', '--protocol', protocol, '-o', target, '--tarmac', path)
        said = done.stderr.decode()
        problems = [] if done.returncode == 2 else ['status %d' % done.returncode]
        if said.count('\n') != 1 or any(sentence not in said for sentence in sentences):
            problems.append('it said: ' + said)
        return problems + (['it left ' + target] if os.path.exists(target) else [])


A32_ONLY = ('1 clk cpu0 IT (1) 00008000 e3a00000 A usr_ns : MOV r0,#0\n'
            '2 clk cpu0 IT (2) 00008004 eafffffd A usr_ns : B 0x8000\n')
M_PROFILE = '1 clk IT (1) 10001848 f64f6000 T thread_s : MOV r0,#0xfe00\n'


def partly_seen(cairn):
    """An MTB records where T32 code branched to; of A32 code it has nothing, and that is said."""
    with tempfile.TemporaryDirectory() as folder:
        done = run(cairn, 'record', '--protocol', 'mtb', '-o', os.path.join(folder, 'trace'), '--tarmac',
                   os.path.join(HERE, 'tarmac', 'a32.tarmac'))
    said = done.stderr.decode()
    problems = [] if done.returncode == 1 else ['status %d' % done.returncode]
    log = tarmac_log.read(os.path.join(HERE, 'tarmac', 'a32.tarmac'), True)
    unseen = sum(item.isa == 'A' for item in log['cluster0.cpu0'].instructions())
    if '%d A32 instructions are in no packet' % unseen not in said:
        problems.append('not %d: %s' % (unseen, said))
    return problems


# What else a Fast Model writes into its log: warnings, what the program prints, and other lines.
CHATTER = '''Warning: TarmacTrace: cpu0: the trace file was opened late
1 clk cpu0 IT (1) 00008000 d2800020 O EL1h_n : MOV x0,#1
TUBE CPU0: Hello, world
Warning: cpu0: unknown register written
TUBE: 12345
2 clk cpu0 IT (2) 00008004 17ffffff O EL1h_n : B 0x8000
'''


def chatter(tools):
    """Such lines say nothing of execution, and are nothing that was not understood."""
    with tempfile.TemporaryDirectory() as folder:
        path, target = os.path.join(folder, 'a.tarmac'), os.path.join(folder, 'trace')
        with open(path, 'w') as file:
            file.write(CHATTER)
        done = run(tools[1], 'record', '-o', target, '--tarmac', path)
        problems = [] if done.returncode == 0 else ['status %d: %s' % (
            done.returncode, done.stderr.decode())]
        lines = run(tools[1], 'flow', '--format', 'addresses', target).stdout.decode().splitlines()
    return problems + compare(['8000', '8004 E'], [line for line in lines if line[0] != '#'])


def captures(tap, tools):
    folder = os.environ.get('CAIRN_CAPTURES')
    if not folder:
        tap.skip('captures/tarmac', 'no captures: CAIRN_CAPTURES is not set')
        return
    for name in CAPTURES:
        log = os.path.join(folder, 'tarmac', name + '.tarmac')
        if not os.path.exists(log):
            is_needed = os.environ.get('CAIRN_REQUIRE_CAPTURES') or os.environ.get('CI')
            if is_needed:
                tap.case(name, ['%s is missing' % log])
            else:
                tap.skip(name, 'no such capture')
            continue
        for protocol in ('ete', 'etmv4'):
            for setting in SETTINGS:
                tap.case('%s, %s, %s' % (name, protocol, setting),
                         round_trip(tools, log, protocol, setting, False))


def main():
    tap = Tap()
    own_logs(tap, sys.argv[1:3])
    tap.case('a log from a pipe', piped(sys.argv[1:3]))
    tap.case('one of two processors', one_processor(sys.argv[1:3]))
    tap.case('no halt at the end', without_halts(sys.argv[1:3]))
    # behind those the log lists an instruction that does not exist
    tap.case('conditions, by an ETMv3',
             conditions(sys.argv[1:3], os.path.join(HERE, 'tarmac', 'a32.tarmac'), 13, left_out=4))
    cairn = sys.argv[2]
    tap.case('A32 alone, by an MTB', refused(cairn, A32_ONLY, 'mtb', 'A32', '--protocol ptm'))
    tap.case('A32 and T32, by an MTB', partly_seen(cairn))
    for protocol, name in ('ete', 'ETE'), ('etmv4', 'ETMv4'), ('ptm', 'PTM'), ('etmv3', 'ETMv3'), ('mtb', 'MTB'):
        tap.case('M profile, by ' + name, refused(
            cairn, M_PROFILE, protocol, 'line 1', 'Cortex-M', ' %s ' % name, '--machine'))
    tap.case('warnings, and what the program prints', chatter(sys.argv[1:3]))
    captures(tap, sys.argv[1:3])
    tap.end()


if __name__ == '__main__':
    main()
