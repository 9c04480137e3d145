#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Stands in the place of tests that were not built, and says why. TAP.

usage: left_out.py REASON
"""
import sys

print('1..0 # SKIP ' + sys.argv[1])
