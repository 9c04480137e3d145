# SPDX-License-Identifier: BSD-2-Clause
"""Runs a Python test and writes down which of its lines were executed: reach.py OUT SCRIPT [argument...]"""
import os
import runpy
import sys


def main():
    out, script = sys.argv[1], os.path.abspath(sys.argv[2])
    lines = set()

    def trace(frame, event, _):
        if os.path.abspath(frame.f_code.co_filename) != script:
            return None
        lines.add(frame.f_lineno)
        return trace

    # meson's command has the script again as the first argument
    sys.argv = [script] + sys.argv[4:]
    sys.path.insert(0, os.path.dirname(script))
    sys.settrace(trace)
    try:
        runpy.run_path(script, run_name='__main__')
    finally:
        sys.settrace(None)
        with open(out, 'w') as file:
            file.write(''.join('%d\n' % n for n in sorted(lines)))


main()
