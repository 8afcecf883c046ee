import { z } from 'zod';

/*
 * The request of an exporter, as OTLP defines it in JSON. Unknown members are ignored, because exporters may be newer or
 * older than this schema. The values of attributes are checked when they are read.
 *
 * A malformed attribute or event is replaced by an empty one. There may be very many of them, too many to report each.
 */
const UNDOCUMENTED = { default: undefined };
const Attribute = z.object({ key: z.string().nullish(), value: z.unknown().optional() });
const attributes = z.array(Attribute.catch({}).meta(UNDOCUMENTED)).nullish();
const hex = z.string().nullish();
const nanoseconds = z.union([z.string(), z.number()]).nullish();

const Event = z.object({ timeUnixNano: nanoseconds, name: z.string().nullish(), attributes });

const Span = z.object({
  traceId: hex,
  spanId: hex,
  parentSpanId: hex,
  name: z.string().nullish(),
  startTimeUnixNano: nanoseconds,
  endTimeUnixNano: nanoseconds,
  attributes,
  events: z.array(Event.catch({}).meta(UNDOCUMENTED)).nullish(),
  status: z.object({ code: z.union([z.number(), z.string()]).nullish(), message: z.string().nullish() }).nullish(),
});
export type SentSpan = z.output<typeof Span>;
export type SentAttributes = z.output<typeof attributes>;

const ScopeSpans = z.object({ spans: z.array(Span).nullish() });
const ResourceSpans = z.object({
  resource: z.object({ attributes }).nullish(),
  scopeSpans: z.array(ScopeSpans).nullish(),
});

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const number = (key: string, intValue: string) => ({ key, value: { intValue } });

export const EXAMPLE_EXPORT = {
  resourceSpans: [
    {
      resource: {
        attributes: [text('service.name', 'returns-desk'), text('deployment.environment.name', 'production')],
      },
      scopeSpans: [
        {
          spans: [
            {
              traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
              spanId: '00f067aa0ba902b7',
              name: 'chat gpt-4o',
              startTimeUnixNano: '1795253400000000000',
              endTimeUnixNano: '1795253401240000000',
              attributes: [
                text('gen_ai.operation.name', 'chat'),
                text('gen_ai.provider.name', 'openai'),
                text('gen_ai.request.model', 'gpt-4o'),
                text('gen_ai.conversation.id', 's-0VJ8kQ2xT4bN7mRw1ZcYp3'),
                number('gen_ai.usage.input_tokens', '812'),
                number('gen_ai.usage.output_tokens', '96'),
              ],
              status: { code: 1 },
            },
          ],
        },
      ],
    },
  ],
};

export const ExportTraces = z
  .object({ resourceSpans: z.array(ResourceSpans).nullish() })
  .meta({ id: 'ExportTraces', examples: [EXAMPLE_EXPORT] });
export type ExportTraces = z.output<typeof ExportTraces>;

const PartialSuccess = z.object({
  rejectedSpans: z
    .string()
    .describe('The number of rejected spans, as a text, like all 64-bit numbers in protobuf’s JSON.'),
  errorMessage: z.string(),
});
export type PartialSuccess = z.output<typeof PartialSuccess>;

export const TracesExported = z
  .object({
    partialSuccess: PartialSuccess.optional().describe(
      'The result for the spans that were rejected. It is left out if there are none.',
    ),
  })
  .meta({ id: 'TracesExported', examples: [{}] });
