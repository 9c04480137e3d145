/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench.h"

static void note(struct bench *b, enum bench_what what, uint64_t value)
{
    assert_true(b->log_count < LOG);
    b->log[b->log_count].what = what;
    b->log[b->log_count].value = value;
    b->log[b->log_count++].stored = b->stored;
}

static void hear_line(void *context, bool level)
{
    struct bench *b = context;

    b->level = level;
    note(b, LINE, level);
}

static void hear_event(void *context, unsigned number)
{
    note(context, EVENT, number);
}

static void hear_flush(void *context)
{
    note(context, FLUSH, 0);
}

static void hear_error(void *context, uint64_t address, uint8_t FSC)
{
    (void)FSC;
    note(context, SYSTEM_ERROR, address);
}

static void hear_finding(void *context, enum cairn_pe_trbe_finding finding)
{
    note(context, FINDING, finding);
}

static size_t take_elsewhere(void *context, const uint8_t *bytes, size_t size, uint64_t cycles)
{
    struct bench *b = context;
    const size_t taken = size < b->bus_takes ? size : b->bus_takes;

    (void)bytes;
    (void)cycles;
    b->passed += taken;
    return taken;
}

static struct bench_fault *fault_at(struct bench *b, uint64_t address)
{
    for (size_t i = 0; i < b->fault_count; i++)
        if (b->faults[i].address == address)
            return &b->faults[i];
    return NULL;
}

static size_t store(void *context, const struct cairn_pe_trbe_write *write,
                    struct cairn_pe_trbe_answer *answer)
{
    struct bench *b = context;

    assert_true(write->size > 0 && write->size <= 2048);
    b->crossed += write->address >> 12 != (write->address + write->size - 1) >> 12;
    b->last = *write;
    b->last.bytes = NULL;
    b->writes++;
    b->most = write->size > b->most ? write->size : b->most;
    for (size_t i = 0; i < write->size; i++) {
        const uint64_t address = write->address + i;
        struct bench_fault *fault = fault_at(b, address);

        if (fault) {
            answer->fault.stage = fault->fault_stage;
            answer->fault.FSC = fault->fault_FSC;
            answer->abort.stage = fault->abort_stage;
            answer->abort.FSC = fault->abort_FSC;
            if (fault->once)
                fault->address = 1; /* nobody writes there */
            return i;
        }
        if (address - MEMORY >= MEMORY_SIZE) {
            if (b->outside++ == 0)
                b->outside_address = address;
        } else {
            b->memory[address - MEMORY] = write->bytes[i];
        }
        b->stored++;
    }
    return write->size;
}

void bench_begin(struct bench *b, const struct cairn_pe_trbe_options *options)
{
    static const struct cairn_pe_trbe_options plain;
    const struct cairn_pe_trbe_outside outside = {
        store, hear_line, hear_event, hear_flush, hear_error, hear_finding, take_elsewhere, b};

    memset(b, 0, sizeof *b);
    b->features = (struct cairn_pe_features){
        .EL2 = true, .EL3 = true, .secure_EL2 = true, .trbe = true, .trace_filter = true};
    b->state.security = CAIRN_NONSECURE;
    b->state.EL = 1;
    b->registers.value[CAIRN_PE_SCR_EL3] = 1;                  /* NS */
    b->registers.value[CAIRN_PE_MDCR_EL3] = UINT64_C(3) << 24; /* NSTB */
    b->registers.value[CAIRN_PE_MDCR_EL2] = UINT64_C(3) << 24; /* E2TB */
    b->registers.value[CAIRN_PE_TRFCR_EL1] = 3;
    b->bus_takes = SIZE_MAX;
    assert_int_equal(cairn_pe_trbe_begin(&b->trbe, options ? options : &plain, &outside,
                                         &b->features, &b->state, &b->authentication,
                                         &b->registers),
                     CAIRN_OK);
}

void bench_enable(struct bench *b, unsigned FM, unsigned TM, uint64_t base, uint64_t limit,
                  uint64_t pointer)
{
    const uint64_t TRBLIMITR = limit | TM << 3 | FM << 1;

    cairn_pe_trbe_write(&b->trbe, CAIRN_PE_TRBBASER_EL1, base);
    cairn_pe_trbe_write(&b->trbe, CAIRN_PE_TRBPTR_EL1, pointer);
    cairn_pe_trbe_write(&b->trbe, CAIRN_PE_TRBLIMITR_EL1, TRBLIMITR);
    cairn_pe_trbe_write(&b->trbe, CAIRN_PE_TRBLIMITR_EL1, TRBLIMITR | 1);
}

void bench_switch(struct bench *b, bool on)
{
    const uint64_t value = b->registers.value[CAIRN_PE_TRBLIMITR_EL1];

    cairn_pe_trbe_write(&b->trbe, CAIRN_PE_TRBLIMITR_EL1, (value & ~UINT64_C(1)) | on);
}

size_t bench_offer(struct bench *b, size_t size)
{
    uint8_t bytes[MEMORY_SIZE];
    size_t gone;

    assert_true(size <= sizeof bytes);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)((b->next + i) % 251 + 1);
    gone = cairn_pe_trbe_port(&b->trbe, bytes, size, 0);
    b->next = (uint8_t)((b->next + gone) % 251);
    return gone;
}

void bench_fault(struct bench *b, uint64_t address, uint8_t stage, uint8_t FSC)
{
    b->faults[b->fault_count++] = (struct bench_fault){address, stage, FSC, 0, 0, false};
}

void bench_abort(struct bench *b, uint64_t address, uint8_t stage, uint8_t FSC)
{
    b->faults[b->fault_count++] = (struct bench_fault){address, 0, 0, stage, FSC, false};
}

uint64_t bench_get(const struct bench *b, enum cairn_pe_register number)
{
    return b->registers.value[number];
}

uint64_t bench_status(const struct bench *b)
{
    return bench_get(b, CAIRN_PE_TRBSR_EL1);
}

uint64_t bench_pointer(const struct bench *b)
{
    return bench_get(b, CAIRN_PE_TRBPTR_EL1);
}

size_t bench_count(const struct bench *b, enum bench_what what, uint64_t value)
{
    size_t count = 0;

    for (size_t i = 0; i < b->log_count; i++)
        count += b->log[i].what == what && b->log[i].value == value;
    return count;
}

size_t bench_count_what(const struct bench *b, enum bench_what what)
{
    size_t count = 0;

    for (size_t i = 0; i < b->log_count; i++)
        count += b->log[i].what == what;
    return count;
}

uint8_t bench_at(const struct bench *b, uint64_t address)
{
    return b->memory[address - MEMORY];
}

bool bench_way(struct cairn_pe_trbe_options *options, unsigned way)
{
    options->choices &= ~CAIRN_PE_TRBE_BY_BYTE;
    if (way)
        options->choices |= CAIRN_PE_TRBE_BY_BYTE;
    return true;
}
