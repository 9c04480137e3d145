/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs scenarios through the public API, one after another. Reads orders from standard input, one a line, writes
 * what the library answered; run_scenarios.py writes the orders and judges the answers.
 *
 * Orders: protocol NAME; arch PROFILE MAJOR MINOR FEATURES; register NAME VALUE;
 *   layer ADDRESS EL_MASK SECURITY_MASK VMID|- CONTEXT_ID|- HEX;
 *   bytes LINE HEX; packet LINE KIND name=value ...   (in trace order; LINE is for messages);
 *   end   (of this scenario; the next one has a line of its own for each of these again)
 * Answers: B LINE HEX (bytes of that trace line), P packet, E element, R resolved element, D depth,
 *   F flow, L ledger, X mode: a way of feeding the bytes that gave another flow; end. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cairn/flow.h>

#include "../engine/compare.h"
#include "words.h"

#define BATCH 512
#define MAX_REGISTERS 32
#define MAX_LAYERS 64
#define MAX_WORDS 64
#define MAX_LINE (1u << 20)
#define MAX_PACKET 64
#define KINDS_MAX 256    /* no protocol has as many kinds of packets */
#define PROTOCOLS_MAX 16 /* enum cairn_protocol_id is below */

struct bytes {
    uint8_t *data;
    size_t size;
};

struct layer {
    uint64_t address;
    struct bytes bytes;
};

struct tool {
    struct cairn_source_config source;
    struct cairn_register registers[MAX_REGISTERS];
    struct layer layers[MAX_LAYERS];
    size_t layer_count;
    struct cairn_config *config;
    struct cairn_image *image;
    struct cairn_packet_writer *writer;
    struct bytes trace;
};

static void die(const char *what, const char *detail)
{
    printf("error %s: %s\n", what, detail);
    exit(2);
}

static void must(cairn_status status, const char *what)
{
    if (status != CAIRN_OK)
        die(what, cairn_status_text(status));
}

static void append(struct bytes *bytes, const uint8_t *data, size_t size)
{
    if (size == 0)
        return;
    uint8_t *grown = realloc(bytes->data, bytes->size + size);
    if (!grown)
        exit(3);
    memcpy(grown + bytes->size, data, size);
    bytes->data = grown;
    bytes->size += size;
}

static struct bytes from_hex(const char *hex)
{
    struct bytes bytes = {0};
    for (; hex[0] && hex[1]; hex += 2) {
        char pair[3] = {hex[0], hex[1], 0};
        uint8_t byte = (uint8_t)strtoul(pair, NULL, 16);
        append(&bytes, &byte, 1);
    }
    return bytes;
}

static const unsigned char *find_in_layers(void *user, unsigned long long address)
{
    const struct tool *tool = user;
    for (size_t i = 0; i < tool->layer_count; i++) {
        const struct layer *layer = &tool->layers[i];
        if (address >= layer->address && address + 2 <= layer->address + layer->bytes.size)
            return layer->bytes.data + (address - layer->address);
    }
    return NULL;
}

static void order_protocol(struct tool *tool, char **words)
{
    for (unsigned id = 1; id < PROTOCOLS_MAX; id++)
        if (strcasecmp(words[1], cairn_protocol_name((enum cairn_protocol_id)id)) == 0)
            tool->source.protocol = (enum cairn_protocol_id)id;
    if (tool->source.protocol == CAIRN_PROTOCOL_UNKNOWN)
        die("protocol", words[1]);
}

static void order_arch(struct tool *tool, char **words)
{
    tool->source.arch.profile = words[1][0] == 'M'   ? CAIRN_PROFILE_M
                                : words[1][0] == 'R' ? CAIRN_PROFILE_R
                                                     : CAIRN_PROFILE_A;
    tool->source.arch.major = (uint8_t)strtoul(words[2], NULL, 0);
    tool->source.arch.minor = (uint8_t)strtoul(words[3], NULL, 0);
    tool->source.arch.features = (uint32_t)strtoul(words[4], NULL, 0);
}

static void order_register(struct tool *tool, char **words)
{
    if (tool->source.register_count == MAX_REGISTERS)
        die("register", "too many");
    tool->registers[tool->source.register_count++] =
        (struct cairn_register){strdup(words[1]), strtoull(words[2], NULL, 0)};
}

static void order_layer(struct tool *tool, char **words)
{
    struct cairn_scope scope = cairn_scope_any();
    struct cairn_error error;
    uint64_t address = strtoull(words[1], NULL, 16);
    struct bytes bytes = from_hex(words[6]);
    if (tool->layer_count == MAX_LAYERS)
        die("layer", "too many");
    scope.el_mask = (uint8_t)strtoul(words[2], NULL, 16);
    scope.security_mask = (uint8_t)strtoul(words[3], NULL, 16);
    scope.any_vmid = words[4][0] == '-';
    scope.any_context_id = words[5][0] == '-';
    scope.vmid = (uint32_t)strtoul(words[4], NULL, 0);
    scope.context_id = (uint32_t)strtoul(words[5], NULL, 0);
    if (cairn_image_add_bytes(tool->image, "scenario", &scope, CAIRN_ORDER_LITTLE, address,
                              bytes.data, bytes.size, &error) != CAIRN_OK)
        die("layer", error.text);
    tool->layers[tool->layer_count++] = (struct layer){address, bytes};
}

static void configure(struct tool *tool)
{
    struct cairn_error error;
    if (tool->config)
        return;
    tool->source.registers = tool->registers;
    if (cairn_config_new(&tool->source, &tool->config, &error) != CAIRN_OK)
        die("config", error.text);
    must(cairn_packet_writer_new(tool->config, &tool->writer), "writer");
}

static unsigned kind_of(const struct tool *tool, const char *name)
{
    for (unsigned kind = 0; kind < KINDS_MAX; kind++)
        if (strcmp(name, cairn_packet_mnemonic(tool->config, kind)) == 0)
            return kind;
    die("packet", "unknown kind");
    return 0;
}

static void set_field(struct cairn_packet_fields *fields, const char *name, uint64_t value)
{
    const struct {
        const char *name;
        void *member;
        size_t size;
    } members[] = {
        {"flags", &fields->flags, sizeof fields->flags},
        {"type", &fields->type, sizeof fields->type},
        {"sub_isa", &fields->sub_isa, sizeof fields->sub_isa},
        {"atom_count", &fields->atom_count, sizeof fields->atom_count},
        {"atoms", &fields->atoms, sizeof fields->atoms},
        {"count", &fields->count, sizeof fields->count},
        {"address", &fields->address, sizeof fields->address},
        {"value", &fields->value, sizeof fields->value},
        {"cycles", &fields->cycles, sizeof fields->cycles},
        {"info", &fields->info, sizeof fields->info},
        {"address_bits", &fields->address_bits, sizeof fields->address_bits},
        {"state", &fields->state, sizeof fields->state},
        {"reason", &fields->reason, sizeof fields->reason},
        {"size", &fields->size, sizeof fields->size},
        {"tag", &fields->tag, sizeof fields->tag},
        {"resume", &fields->resume, sizeof fields->resume},
        {"EL", &fields->context.EL, sizeof fields->context.EL},
        {"security", &fields->context.security, sizeof fields->context.security},
        {"SF", &fields->context.SF, sizeof fields->context.SF},
        {"vmid", &fields->context.vmid, sizeof fields->context.vmid},
        {"cid", &fields->context.context_id, sizeof fields->context.context_id},
    };
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (strcmp(members[i].name, name) != 0)
            continue;
        switch (members[i].size) {
        case 1: *(uint8_t *)members[i].member = (uint8_t)value; return;
        case 2: *(uint16_t *)members[i].member = (uint16_t)value; return;
        case 4: *(uint32_t *)members[i].member = (uint32_t)value; return;
        default: *(uint64_t *)members[i].member = value; return;
        }
    }
    die("field", name);
}

static void answer_bytes(struct tool *tool, const char *line, const uint8_t *data, size_t size)
{
    append(&tool->trace, data, size);
    printf("B %s ", line);
    for (size_t i = 0; i < size; i++)
        printf("%02x", data[i]);
    printf("\n");
}

static void order_packet(struct tool *tool, char **words, size_t count)
{
    struct cairn_packet_fields fields = {0};
    uint8_t bytes[MAX_PACKET];
    for (size_t i = 3; i < count; i++) {
        char *value = strchr(words[i], '=');
        if (!value)
            die("field", words[i]);
        *value++ = 0;
        set_field(&fields, words[i], strtoull(value, NULL, 0));
    }
    size_t size =
        cairn_packet_write(tool->writer, kind_of(tool, words[2]), &fields, bytes, sizeof bytes);
    if (size == 0)
        die(words[1], "the writer cannot express this packet");
    answer_bytes(tool, words[1], bytes, size);
}

static void obey(struct tool *tool, char *line)
{
    char *words[MAX_WORDS + 1] = {0};
    size_t count = 0;
    for (char *word = strtok(line, " \n"); word && count < MAX_WORDS; word = strtok(NULL, " \n"))
        words[count++] = word;
    if (count == 0)
        return;
    if (strcmp(words[0], "protocol") == 0) {
        order_protocol(tool, words);
    } else if (strcmp(words[0], "arch") == 0) {
        order_arch(tool, words);
    } else if (strcmp(words[0], "register") == 0) {
        order_register(tool, words);
    } else if (strcmp(words[0], "layer") == 0) {
        order_layer(tool, words);
    } else if (strcmp(words[0], "bytes") == 0) {
        struct bytes bytes = from_hex(words[2]);
        configure(tool);
        answer_bytes(tool, words[1], bytes.data, bytes.size);
        free(bytes.data);
    } else if (strcmp(words[0], "packet") == 0) {
        configure(tool);
        order_packet(tool, words, count);
    } else {
        die("order", words[0]);
    }
}

/* Where the records of one run go. */
struct run {
    struct tool *tool;
    struct text flow;
    struct cairn_flow_batch *batch;
    struct cairn_ledger ledger;
};

static void drain(struct run *run)
{
    for (size_t i = 0; i < run->batch->count; i++)
        add_flow(&run->flow, run->batch, i, find_in_layers, run->tool);
    run->batch->count = 0;
}

/* The bytes in pieces of `step` through the decoder, with flow batches of `capacity`. */
static struct text decode(struct tool *tool, size_t step, size_t capacity,
                          struct cairn_ledger *ledger)
{
    struct run run = {.tool = tool};
    struct cairn_decoder *decoder;
    must(cairn_flow_batch_new(capacity, &run.batch), "flow batch");
    must(cairn_decoder_new(tool->config, tool->image, &decoder), "decoder");
    for (size_t from = 0; from < tool->trace.size; from += step) {
        size_t left = tool->trace.size - from;
        size_t size = left < step ? left : step;
        size_t position = 0;
        bool more = true;
        while (more) {
            must(cairn_decoder_run(decoder, tool->trace.data + from, size, &position, run.batch),
                 "run");
            more = position < size || run.batch->count == capacity;
            drain(&run);
        }
    }
    size_t added;
    do {
        must(cairn_decoder_finish(decoder, run.batch), "finish");
        added = run.batch->count;
        drain(&run);
    } while (added > 0);
    if (ledger)
        *ledger = *cairn_decoder_ledger(decoder);
    cairn_decoder_free(decoder);
    cairn_flow_batch_free(run.batch);
    return run.flow;
}

/* The levels one by one, as a caller would chain them. */
struct levels {
    struct cairn_packets *packets;
    struct cairn_elements *elements;
    struct cairn_resolver *resolver;
    struct cairn_flow *flow;
    struct cairn_packet_batch *packet_batch;
    struct cairn_element_batch *element_batch;
    struct cairn_element_batch *resolved_batch;
    struct text packet_text;
    struct text element_text;
    struct text resolved_text;
    struct run run;
};

static void pass_resolved(struct levels *levels)
{
    size_t position = 0;
    bool full;
    for (size_t i = 0; i < levels->resolved_batch->count; i++)
        add_element(&levels->resolved_text, levels->resolved_batch, i);
    do {
        must(cairn_flow_run(levels->flow, levels->resolved_batch, &position, levels->run.batch),
             "flow");
        full = levels->run.batch->count == levels->run.batch->capacity;
        drain(&levels->run);
    } while (position < levels->resolved_batch->count || full);
    levels->resolved_batch->count = 0;
}

static void pass_elements(struct levels *levels)
{
    size_t position = 0;
    bool full;
    for (size_t i = 0; i < levels->element_batch->count; i++)
        add_element(&levels->element_text, levels->element_batch, i);
    do {
        must(cairn_resolver_run(levels->resolver, levels->element_batch, &position,
                                levels->resolved_batch),
             "resolver");
        full = levels->resolved_batch->count == levels->resolved_batch->capacity;
        pass_resolved(levels);
    } while (position < levels->element_batch->count || full);
    levels->element_batch->count = 0;
}

static void pass_packets(struct levels *levels, struct tool *tool)
{
    size_t position = 0;
    bool full;
    const struct cairn_packet_batch *batch = levels->packet_batch;
    for (size_t i = 0; i < batch->count; i++)
        text_add(&levels->packet_text, "%" PRIu64 " %" PRIu64 " %s %s\n", batch->offset[i],
                 batch->length[i], cairn_packet_mnemonic(tool->config, batch->kind[i]),
                 account_word(batch->account[i]));
    do {
        must(cairn_elements_run(levels->elements, levels->packet_batch, &position,
                                levels->element_batch),
             "elements");
        full = levels->element_batch->count == levels->element_batch->capacity;
        pass_elements(levels);
    } while (position < levels->packet_batch->count || full);
    levels->packet_batch->count = 0;
}

static void print_text(const char *letter, const struct text *text)
{
    const char *line = text->bytes;
    while (line && *line) {
        const char *end = strchr(line, '\n');
        printf("%s %.*s\n", letter, (int)(end - line), line);
        line = end + 1;
    }
}

static void run_levels(struct tool *tool, struct levels *levels)
{
    size_t position = 0;
    levels->run.tool = tool;
    must(cairn_packets_new(tool->config, &levels->packets), "packets");
    must(cairn_elements_new(tool->config, &levels->elements), "elements");
    must(cairn_resolver_new(tool->config, &levels->resolver), "resolver");
    must(cairn_flow_new(tool->config, tool->image, &levels->flow), "flow");
    must(cairn_packet_batch_new(BATCH, &levels->packet_batch), "packet batch");
    must(cairn_element_batch_new(BATCH, &levels->element_batch), "element batch");
    must(cairn_element_batch_new(BATCH, &levels->resolved_batch), "element batch");
    must(cairn_flow_batch_new(BATCH, &levels->run.batch), "flow batch");
    bool full;
    do {
        must(cairn_packets_run(levels->packets, tool->trace.data, tool->trace.size, &position,
                               levels->packet_batch),
             "packets");
        full = levels->packet_batch->count == BATCH;
        pass_packets(levels, tool);
    } while (position < tool->trace.size || full);
    size_t added;
    do {
        must(cairn_packets_finish(levels->packets, levels->packet_batch), "packets");
        added = levels->packet_batch->count;
        pass_packets(levels, tool);
    } while (added > 0);
    printf("D %" PRIu32 "\n", cairn_elements_depth(levels->elements));
    do {
        must(cairn_resolver_finish(levels->resolver, levels->resolved_batch), "resolver");
        added = levels->resolved_batch->count;
        pass_resolved(levels);
    } while (added > 0);
    do {
        must(cairn_flow_finish(levels->flow, levels->run.batch), "flow");
        added = levels->run.batch->count;
        drain(&levels->run);
    } while (added > 0);
}

static void free_levels(struct levels *levels)
{
    cairn_packets_free(levels->packets);
    cairn_elements_free(levels->elements);
    cairn_resolver_free(levels->resolver);
    cairn_flow_free(levels->flow);
    cairn_packet_batch_free(levels->packet_batch);
    cairn_element_batch_free(levels->element_batch);
    cairn_element_batch_free(levels->resolved_batch);
    cairn_flow_batch_free(levels->run.batch);
    text_free(&levels->packet_text);
    text_free(&levels->element_text);
    text_free(&levels->resolved_text);
    text_free(&levels->run.flow);
}

/* The first line that differs. */
static void compare(const char *mode, const struct text *whole, const struct text *other)
{
    const char *a = whole->bytes ? whole->bytes : "";
    const char *b = other->bytes ? other->bytes : "";
    while (*a || *b) {
        const char *a_end = *a ? strchr(a, '\n') + 1 : a;
        const char *b_end = *b ? strchr(b, '\n') + 1 : b;
        if (a_end - a != b_end - b || memcmp(a, b, (size_t)(a_end - a)) != 0) {
            printf("X %s: got \"%.*s\", in one piece \"%.*s\"\n", mode,
                   *b ? (int)(b_end - b) - 1 : 0, b, *a ? (int)(a_end - a) - 1 : 0, a);
            return;
        }
        a = a_end;
        b = b_end;
    }
}

/* The engine, in every way of feeding it. */
static void compare_engine(const struct tool *tool)
{
    const struct engine_case input = {.config = tool->config,
                                      .image = tool->image,
                                      .data = tool->trace.data,
                                      .size = tool->trace.size};
    char *text = NULL;
    size_t size = 0;
    FILE *report = open_memstream(&text, &size);
    if (!report)
        exit(3);
    const bool good = engine_compare_ways(&input, ENGINE_ALL_WAYS, 1, report);
    fclose(report);
    if (!good)
        for (const char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
            printf("X engine: %s\n", line);
    if (!good && size == 0)
        printf("X engine: the reference path failed\n");
    free(text);
}

/* The bytes as they lie in memory -> in the order of the trace. */
static void put_in_order(struct tool *tool)
{
    struct cairn_span spans[CAIRN_SPANS_MAX];
    struct bytes trace = {0};
    struct cairn_error error;
    size_t count;
    if (cairn_config_spans(tool->config, tool->trace.size, spans, &count, &error) != CAIRN_OK)
        die("order", error.text);
    for (size_t i = 0; i < count; i++)
        append(&trace, tool->trace.data + spans[i].offset, (size_t)spans[i].length);
    free(tool->trace.data);
    tool->trace = trace;
}

static void run_all(struct tool *tool)
{
    struct levels levels = {0};
    struct cairn_ledger ledger;
    struct text whole = decode(tool, tool->trace.size, BATCH, &ledger);
    struct text single = decode(tool, 1, BATCH, NULL);
    struct text narrow = decode(tool, tool->trace.size, 1, NULL);
    struct text crumbs = decode(tool, 1, 1, NULL);
    run_levels(tool, &levels);
    compare("byte by byte", &whole, &single);
    compare("batches of one", &whole, &narrow);
    compare("byte by byte, batches of one", &whole, &crumbs);
    compare("level by level", &whole, &levels.run.flow);
    compare_engine(tool);
    print_text("P", &levels.packet_text);
    print_text("E", &levels.element_text);
    print_text("R", &levels.resolved_text);
    print_text("F", &whole);
    for (unsigned i = 0; i < CAIRN_LEDGER_ACCOUNTS; i++)
        if (ledger.account[i].bytes != 0)
            printf("L %s %" PRIu64 "\n", account_word(i), ledger.account[i].bytes);
    printf("L total %" PRIu64 "\n", ledger.total);
    free_levels(&levels);
    text_free(&whole);
    text_free(&single);
    text_free(&narrow);
    text_free(&crumbs);
}

/* One scenario, up to the order `end` or the end of what there is. False: there is none. */
static bool run_one(char *line)
{
    struct tool tool = {.source = CAIRN_SOURCE_CONFIG_INIT};
    bool any = false, ended = false;

    tool.source.arch = cairn_arch_any_a();
    must(cairn_image_new(&tool.image), "image");
    while (!ended && fgets(line, MAX_LINE, stdin)) {
        any = true;
        ended = strcmp(line, "end\n") == 0;
        if (!ended)
            obey(&tool, line);
    }
    if (any) {
        configure(&tool);
        put_in_order(&tool);
        run_all(&tool);
    }
    cairn_packet_writer_free(tool.writer);
    cairn_config_unref(tool.config);
    cairn_image_unref(tool.image);
    for (size_t i = 0; i < tool.layer_count; i++)
        free(tool.layers[i].bytes.data);
    for (size_t i = 0; i < tool.source.register_count; i++)
        free((char *)(uintptr_t)tool.registers[i].name);
    free(tool.trace.data);
    return any;
}

int main(void)
{
    char *line = malloc(MAX_LINE);

    while (line && run_one(line)) {
        printf("end\n");
        fflush(stdout);
    }
    free(line);
    return 0;
}
