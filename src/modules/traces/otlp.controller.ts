import { Body, Controller, Headers, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { KeyActor } from '../../kernel/actor.js';
import { CallingKey } from '../../platform/auth/callers.js';
import type { Answer } from '../../platform/route/answer.js';
import { jsonBody, orGzipped } from '../../platform/route/body-format.js';
import { httpErrors } from '../../platform/route/http.errors.js';
import { Route } from '../../platform/route/route.js';
import { ExportTraces, type PartialSuccess, TracesExported } from './otlp/export-traces.schema.js';
import { withSpanLimit } from './otlp/span-limit.js';
import { encodeAnswer, isProtobuf, PROTOBUF, protobufBody } from './otlp/protobuf.js';
import { OtlpService } from './otlp.service.js';
import { tracesErrors } from './traces.errors.js';

const MAX_MIB = 16;
/** The most values in one body. An attribute counts as four of them, in JSON and in protobuf. */
const MAX_VALUES = 2_000_000;

interface Taken {
  partialSuccess?: PartialSuccess | undefined;
  isProtobuf: boolean;
}

/** OTLP requires that the answer has the format of the request. */
const inItsFormat: Answer<Taken> = {
  schema: TracesExported,
  result: TracesExported,
  otherContentTypes: [PROTOBUF],
  wrap: ({ isProtobuf: wantsProtobuf, ...answer }) =>
    wantsProtobuf ? new StreamableFile(encodeAnswer(answer), { type: PROTOBUF }) : answer,
};

@ApiTags('Traces')
@Controller()
export class OtlpController {
  constructor(private readonly otlp: OtlpService) {}

  @Route('POST /api/public/otel/v1/traces', {
    access: 'analytics:write',
    rateGroup: 'LEDGER',
    summary: 'Write spans of OpenTelemetry (OTLP/HTTP) to traces and the LLM ledger',
    description:
      'The body is protobuf (`application/x-protobuf`) or JSON, gzipped or not. Unpacked, it has up to 16 MiB, 10,000 spans and two million values (in protobuf: fields). Every span becomes an observation. A span that is one call of a model also gets a row in the ledger. A span that is already known changes nothing. `partialSuccess` reports spans that cannot be stored.',
    bodies: [jsonBody(MAX_MIB, MAX_VALUES), protobufBody(MAX_MIB, MAX_VALUES)].map((format) =>
      orGzipped(withSpanLimit(format)),
    ),
    returns: inItsFormat,
    errors: [tracesErrors.malformedProtobuf, httpErrors.malformedGzip],
    // The ids of a span already make a repeated request harmless: known spans are skipped.
    takesIdempotencyKey: false,
    acceptsBearer: true,
  })
  async take(
    @CallingKey() actor: KeyActor,
    @Headers('content-type') contentType: string,
    @Body({ schema: ExportTraces }) request: ExportTraces,
  ) {
    return { partialSuccess: await this.otlp.record(actor, request), isProtobuf: isProtobuf(mediaTypeOf(contentType)) };
  }
}

function mediaTypeOf(contentType: string): string {
  return contentType.split(';')[0]!.trim().toLowerCase();
}
