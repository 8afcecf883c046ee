import type { Media, OpenApiOperation, OpenApiReader, Parameter } from '../../support/open-api.js';

/** A request as the document prints it. */
export interface PrintedRequest {
  params: Record<string, unknown>;
  query: Record<string, unknown>;
  headers: Record<string, string>;
  mediaType: string | undefined;
  body: unknown;
}

/** The media types of bodies that have printed examples. Bodies of other types are taken from the sample. */
const PRINTABLE = ['application/json', 'application/x-ndjson', 'multipart/form-data'];

/** Returns enough requests for every example of the body and of each parameter. */
export function printedRequests(reader: OpenApiReader, operation: OpenApiOperation): PrintedRequest[] {
  const bodies = Object.entries(reader.bodies(operation))
    .filter(([mediaType]) => PRINTABLE.includes(mediaType))
    .flatMap(([mediaType, media]) => reader.examples(media).map((body) => ({ mediaType, body })));
  if (bodies.length === 0) bodies.push({ mediaType: undefined as never, body: undefined });

  const parameters = reader.parameters(operation);
  const most = Math.max(1, ...parameters.map((parameter) => reader.examples(parameter).length));
  const rounds = Array.from({ length: most }, (_, round) => round);
  const first = bodies[0]!;
  return [
    ...bodies.map((body) => ({ ...parametersOf(reader, parameters, 0), ...body })),
    ...rounds.slice(1).map((round) => ({ ...parametersOf(reader, parameters, round), ...first })),
  ];
}

function parametersOf(reader: OpenApiReader, parameters: Parameter[], round: number) {
  const printed = (place: Parameter['in']) =>
    Object.fromEntries(
      parameters
        .filter((parameter) => parameter.in === place)
        .map((parameter) => [parameter.name, exampleOf(reader, parameter, round)])
        .filter(([, value]) => value !== undefined),
    ) as Record<string, unknown>;
  return { params: printed('path'), query: printed('query'), headers: printed('header') as Record<string, string> };
}

/** Returns an example of the parameter. If it has fewer examples than there are requests, they are repeated. */
function exampleOf(reader: OpenApiReader, parameter: Media, round: number): unknown {
  const examples = reader.examples(parameter);
  return examples[round % (examples.length || 1)];
}
