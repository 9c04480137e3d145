#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What answers cost beside decoding alone: processor time of whole runs of the program, warm, in rounds that take
turns. Each answer's figure is the median of its rounds' ratios to `flow --summary` of the same round; and the most
memory that it had. And what others cost for the same answer as `profile`: perf script with a script behind it, on a file as
perf writes it of a part of the trace; and callgrind, which runs the program of the same name of this machine on the same
input.

usage: answers.py CAIRN PROGRAMS [--rounds N] [--only NAME,...] [--answers 'NAME;...'] [--long MB]

PROGRAMS: the folder of recordings that run.py keeps. --long: of each recording one whose trace is its own, put one
behind the other until it has MB; the file is made beside them and removed again."""
import argparse
import contextlib
import glob
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'tests', 'cli'))
import perf_of_snapshot  # noqa: E402
import programs  # noqa: E402

BESIDE = ['flow', '--summary']
ANSWERS = {
    'profile': ['profile'],
    'profile, no calls': ['profile', '--no-calls'],
    'profile, lines': ['profile', '--by', 'line'],
    'folded': ['profile', '--format', 'folded'],
    'coverage': ['coverage'],
    'calls, depth 1': ['calls', '--depth', '1'],
    'calls, depth 3': ['calls', '--depth', '3'],
    'calls, last 50': ['calls', '--last', '50'],
    'pgo': ['pgo'],
    'count': ['count', '--force', '-o', os.devnull],
}
GOALS = {'profile': 1.5, 'coverage': 1.5, 'calls, depth 1': 4, 'calls, depth 3': 4, 'calls, last 50': 4}
PROGRAMS = ('xz', 'sqlite3', 'cc1')
OTHERS_PROGRAM = 'xz'
PERF_BYTES = 400000  # of trace: perf takes seconds for that
PERF_SCRIPT = "perf script -i '%s' -F sym --itrace=i1i | awk '{ n[$0]++ } END { for (name in n) print n[name], name }'"


def cost(command, reads=os.devnull):
    """Seconds of processor time, and MB; None where it failed."""
    with open(reads, 'rb') as stdin:
        process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):  # 1: with gaps
        return None
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


@contextlib.contextmanager
def long_of(capture, megabytes):
    """The folder of a recording with so much trace."""
    traces = glob.glob(os.path.join(capture, 'thread_*.bin'))
    trace = max(traces, key=os.path.getsize)
    with tempfile.TemporaryDirectory(prefix='long-', dir=os.path.dirname(os.path.abspath(capture))) as folder:
        for name in os.listdir(capture):
            if name != os.path.basename(trace):
                os.symlink(os.path.abspath(os.path.join(capture, name)), os.path.join(folder, name))
        with open(trace, 'rb') as file:
            once = file.read()
        with open(os.path.join(folder, os.path.basename(trace)), 'wb') as file:
            while file.tell() < megabytes << 20:
                file.write(once)
        yield folder


def measure(cairn, capture, answers, rounds):
    """{answer: ([ratio], [seconds], [MB])}, and the seconds of decoding alone and its MB; None where it failed."""
    found, alone, most_alone = {name: ([], [], []) for name in answers}, [], 0
    cost([cairn, *BESIDE, capture])  # brings the files into memory
    for _ in range(rounds):
        beside = cost([cairn, *BESIDE, capture])
        if not beside:
            return None
        alone.append(beside[0])
        most_alone = max(most_alone, beside[1])
        for name in answers:
            one = cost([cairn, *ANSWERS[name], capture])
            if one:
                ratios, seconds, most = found[name]
                ratios.append(one[0] / beside[0])
                seconds.append(one[0])
                most.append(one[1])
    return found, alone, most_alone


def tell(program, found, alone, most_alone):
    print('%-10s %-18s %22s %10.0f %8.0f' % (program, 'flow --summary', '1', 1e3 * statistics.median(alone), most_alone))
    for name, (ratios, seconds, most) in found.items():
        if not ratios:
            print('%-10s %-18s FAILED' % (program, name))
            continue
        figure, goal = statistics.median(ratios), GOALS.get(name)
        print('%-10s %-18s %22s %10.0f %8.0f %s' % (
            program, name, '%.2f (%.2f to %.2f)' % (figure, min(ratios), max(ratios)),
            1e3 * statistics.median(seconds), max(most),
            '' if goal is None else '%.1f %s' % (goal, 'met' if figure <= goal else 'NOT MET')), flush=True)


def counted(command):
    """The sum of the numbers that lines begin with."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return sum(int(line.split()[0]) for line in done.stdout.splitlines())


def beside(cairn, capture, rounds, other, reads):
    """[ratio], [seconds of the other], [of cairn profile]"""
    pairs = []
    for _ in range(rounds):
        mine, theirs = cost([cairn, 'profile', capture]), cost(other, reads)
        if mine and theirs:
            pairs.append((theirs[0] / max(mine[0], 1e-3), theirs[0], mine[0]))
    return [list(column) for column in zip(*pairs)]


def tell_other(name, columns, what):
    if not columns:
        print('%-29s FAILED' % name)
        return
    ratios, theirs, mine = columns
    print('%-29s %22s %10.0f beside %.0f of cairn profile, %s' % (name, '%.0f (%.0f to %.0f)' % (
        statistics.median(ratios), min(ratios), max(ratios)), 1e3 * statistics.median(theirs), 1e3 * statistics.median(mine), what), flush=True)


def others(cairn, folder, rounds):
    """Ratios to `cairn profile`."""
    capture = os.path.join(folder, OTHERS_PROGRAM)
    missing = [tool for tool in ('perf', 'awk') if not shutil.which(tool)]
    if missing:
        print('perf script is left out: %s is not installed (Debian: linux-perf, mawk)' % ' and '.join(missing))
    else:
        with tempfile.NamedTemporaryFile(suffix='.data') as file:
            file.write(perf_of_snapshot.make(capture, PERF_BYTES))
            file.flush()
            other = ['sh', '-c', PERF_SCRIPT % file.name]
            instructions = counted(other)
            rows = subprocess.run([cairn, 'profile', '--format', 'json', file.name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            own = json.loads(rows.stdout.splitlines()[-1])['instructions']
            if instructions != own:
                sys.exit('perf counts %d instructions, cairn profile %d' % (instructions, own))
            tell_other('perf script, awk', beside(cairn, file.name, rounds, other, os.devnull), 'the same %d instructions' % own)
    missing = [tool for tool in ('valgrind', OTHERS_PROGRAM) if not shutil.which(tool)]
    if missing:
        print('callgrind is left out: %s is not installed' % ' and '.join(missing))
    else:
        other = ['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', OTHERS_PROGRAM, *programs.XZ]
        tell_other('callgrind', beside(cairn, capture, rounds, other, os.path.join(folder, 'input')), "this machine's %s on the same input" % OTHERS_PROGRAM)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('cairn')
    parser.add_argument('programs')
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--only', default=','.join(PROGRAMS))
    parser.add_argument('--answers')
    parser.add_argument('--long', type=int, metavar='MB')
    options = parser.parse_args()
    answers = options.answers.split(';') if options.answers else list(ANSWERS)
    print('answers beside flow --summary: processor time, %d rounds in turns; load %.2f' % (
        options.rounds, os.getloadavg()[0]))
    print('%-10s %-18s %22s %10s %8s %s' % ('program', 'answer', 'ratio (min to max)', 'ms', 'MB', 'goal'))
    for program in options.only.split(','):
        capture = os.path.join(options.programs, program)
        if not os.path.isdir(capture):
            print('%-10s was not recorded' % program)
            continue
        with long_of(capture, options.long) if options.long else contextlib.nullcontext(capture) as folder:
            measured = measure(options.cairn, folder, answers, options.rounds)
        if measured:
            tell(program, *measured)
        else:
            print('%-10s %-18s FAILED' % (program, 'flow --summary'))
    if OTHERS_PROGRAM in options.only.split(',') and os.path.isdir(os.path.join(options.programs, OTHERS_PROGRAM)) and not options.long:
        print('others beside cairn profile: processor time, and how many times that')
        others(options.cairn, options.programs, options.rounds)


main()
