/* SPDX-License-Identifier: Apache-2.0
 *
 * unpack FILE: reads OTLP protobuf with protobuf-c's generated code, counts
 * the spans, and nothing else. Not even the objects are freed.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "otlp_trace.pb-c.h"

static size_t count_spans(const Tracefind__Otlp__TracesData *data)
{
	size_t count = 0;

	for (size_t i = 0; i < data->n_resource_spans; i++) {
		const Tracefind__Otlp__ResourceSpans *r =
			data->resource_spans[i];

		for (size_t j = 0; j < r->n_scope_spans; j++)
			count += r->scope_spans[j]->n_spans;
	}
	return count;
}

int main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	Tracefind__Otlp__TracesData *data;
	uint8_t *bytes;
	long size;

	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0)
		return perror("unpack"), 1;
	rewind(file);
	bytes = malloc((size_t)size + 1);
	if (!bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size)
		return perror(argv[1]), 1;
	data = tracefind__otlp__traces_data__unpack(NULL, (size_t)size, bytes);
	if (!data)
		return fprintf(stderr, "%s: not OTLP\n", argv[1]), 1;
	printf("%zu\n", count_spans(data));
	return 0;
}
