/* SPDX-License-Identifier: BSD-2-Clause */
/* libcairn: Arm program trace. Levels, each usable alone: capture, packets, elements, flow. */
#ifndef CAIRN_H
#define CAIRN_H

#include <cairn/access.h>
#include <cairn/brbe.h>
#include <cairn/calls.h>
#include <cairn/capture.h>
#include <cairn/code.h>
#include <cairn/element.h>
#include <cairn/engine.h>
#include <cairn/etmv1.h>
#include <cairn/etmv2.h>
#include <cairn/etmv3.h>
#include <cairn/etmv4.h>
#include <cairn/flow.h>
#include <cairn/image.h>
#include <cairn/isa.h>
#include <cairn/lint.h>
#include <cairn/mtb.h>
#include <cairn/packet.h>
#include <cairn/pe.h>
#include <cairn/pipeline.h>
#include <cairn/port.h>
#include <cairn/ptm.h>
#include <cairn/replay.h>
#include <cairn/status.h>
#include <cairn/trbe.h>
#include <cairn/unit.h>

#endif
