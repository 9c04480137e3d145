#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What answers cost beside decoding alone: processor time of whole runs of the program, warm, in rounds that take
turns. Each answer's figure is the median of its rounds' ratios to `flow --summary` of the same round; and the most
memory that it had.

usage: answers.py CAIRN PROGRAMS [--rounds N] [--only NAME,...] [--answers 'NAME;...']

PROGRAMS: the folder of recordings that run.py keeps."""
import argparse
import os
import statistics
import subprocess

BESIDE = ['flow', '--summary']
ANSWERS = {
    'profile': ['profile'],
    'profile, no calls': ['profile', '--no-calls'],
    'profile, lines': ['profile', '--by', 'line'],
    'folded': ['profile', '--format', 'folded'],
    'coverage': ['coverage'],
    'calls, depth 3': ['calls', '--depth', '3'],
    'calls, last 50': ['calls', '--last', '50'],
    'pgo': ['pgo'],
}
GOALS = {'profile': 1.5, 'coverage': 1.5, 'calls, depth 3': 4, 'calls, last 50': 4}
PROGRAMS = ('xz', 'sqlite3', 'cc1')


def cost(command):
    """Seconds of processor time, and MB; None where it failed."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):  # 1: with gaps
        return None
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure(cairn, capture, answers, rounds):
    """{answer: ([ratio], [seconds], MB)}, and the seconds of decoding alone."""
    found, alone = {name: ([], [], []) for name in answers}, []
    cost([cairn, *BESIDE, capture])  # brings the files into memory
    for _ in range(rounds):
        beside = cost([cairn, *BESIDE, capture])
        alone.append(beside[0])
        for name in answers:
            one = cost([cairn, *ANSWERS[name], capture])
            if one:
                ratios, seconds, most = found[name]
                ratios.append(one[0] / beside[0])
                seconds.append(one[0])
                most.append(one[1])
    return found, alone


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('cairn')
    parser.add_argument('programs')
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--only', default=','.join(PROGRAMS))
    parser.add_argument('--answers')
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
        found, alone = measure(options.cairn, capture, answers, options.rounds)
        print('%-10s %-18s %22s %10.0f' % (program, 'flow --summary', '1', 1e3 * statistics.median(alone)))
        for name, (ratios, seconds, most) in found.items():
            if not ratios:
                print('%-10s %-18s FAILED' % (program, name))
                continue
            figure, goal = statistics.median(ratios), GOALS.get(name)
            print('%-10s %-18s %22s %10.0f %8.0f %s' % (
                program, name, '%.2f (%.2f to %.2f)' % (figure, min(ratios), max(ratios)),
                1e3 * statistics.median(seconds), max(most),
                '' if goal is None else '%.1f %s' % (goal, 'met' if figure <= goal else 'NOT MET')))


main()
