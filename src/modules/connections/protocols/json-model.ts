import type { ModelProtocol, ModelRequest } from '../../gateway/gateway.port.js';
import { type AnswerPiece, resultOf, streamOf } from './answer-pieces.js';
import { eventsIn } from './http-stream.js';
import { postJson, readJson, type Refusal } from './json-post.js';

/** A protocol that sends JSON, and gets JSON, or events or lines of it. */
export interface JsonProtocol {
  provider: string;
  model: string;
  addressOf(isStream: boolean): string;
  headers: Record<string, string>;
  bodyOf(request: ModelRequest, isStream: boolean): object;
  pieceIn(answer: unknown): AnswerPiece;
  refusalIn?: (body: unknown) => Refusal;
}

export function jsonModel(protocol: JsonProtocol, send: typeof fetch): ModelProtocol {
  const { headers, refusalIn } = protocol;
  const post = (request: ModelRequest, isStream: boolean) => {
    const body = JSON.stringify(protocol.bodyOf(request, isStream));
    return postJson(send, protocol.addressOf(isStream), { headers, body, signal: request.abortSignal, refusalIn });
  };
  return {
    specificationVersion: 'v4',
    provider: protocol.provider,
    modelId: protocol.model,
    supportedUrls: {},
    doGenerate: async (request) => {
      const response = await post(request, false);
      return readJson(protocol.addressOf(false), response, (answer) => resultOf(protocol.pieceIn(answer)));
    },
    doStream: async (request) => ({ stream: streamOf(piecesIn(await post(request, true), protocol)) }),
  };
}

async function* piecesIn(response: Response, protocol: JsonProtocol): AsyncGenerator<AnswerPiece> {
  for await (const event of eventsIn(response)) yield protocol.pieceIn(event);
}
