import { Injectable } from '@nestjs/common';
import { withRetries } from '../../../kernel/retries.js';
import type { NodeOf } from '../documents/documents.schema.js';
import { HEADER_VALUE } from '../../../platform/outbound/header-rules.js';
import { OutboundFault } from '../../../platform/outbound/outbound.errors.js';
import { Outbound } from '../../../platform/outbound/outbound.js';
import { Filling, type Variables } from '../../../platform/template/template.js';
import { type NodeContext, NodeFailure, NodeKind, type NodeOutcome } from './node-kind.js';
import { pausesOf } from './retries.js';

const MAX_ANSWER_BYTES = 1024 * 1024;
const TRANSIENT = [408, 425, 429];

const FAULTS = {
  address: 'ADDRESS_NOT_ALLOWED',
  unreachable: 'HTTP_UNREACHABLE',
  timeout: 'HTTP_TIMED_OUT',
  tooLarge: 'OUTPUT_TOO_LARGE',
} as const;

interface Prepared {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
}

@Injectable()
export class HttpKind extends NodeKind<'http'> {
  constructor(private readonly outbound: Outbound) {
    super();
  }

  async run(node: NodeOf<'http'>, { variables, signal }: NodeContext): Promise<NodeOutcome> {
    const request = prepare(node, variables);
    const input = { ...request, attempts: 1 };
    const attempt = async (attempts: number) => {
      const output = await this.send(request, node.timeoutMs, signal, input);
      return { input: { ...input, attempts }, output };
    };
    return withRetries(attempt, pausesOf(node.retry), signal);
  }

  private async send({ url, ...init }: Prepared, timeoutMs: number, signal: AbortSignal, input: object) {
    try {
      const options = { ...init, signal, ...(init.body === undefined && { body: undefined }) } as RequestInit;
      const response = await this.outbound.fetch(url, options, { timeoutMs, maxBytes: MAX_ANSWER_BYTES });
      const text = await response.text();
      const { status } = response;
      if (status < 200 || status > 299) {
        const isTransient = TRANSIENT.includes(status) || status >= 500;
        throw new NodeFailure('HTTP_STATUS', `The other side answered ${status}.`, isTransient, input);
      }
      return { status, headers: Object.fromEntries(response.headers), body: bodyOf(response, text) };
    } catch (error) {
      if (!(error instanceof OutboundFault)) throw error;
      const hasNoAnswer = error.kind === 'unreachable' || error.kind === 'timeout';
      throw new NodeFailure(FAULTS[error.kind], `${error.message}.`, hasNoAnswer, input);
    }
  }
}

function prepare(node: NodeOf<'http'>, variables: Variables): Prepared {
  const filling = new Filling(variables);
  const address = filling.text(node.url);
  if (!URL.canParse(address)) throw new NodeFailure('ADDRESS_NOT_ALLOWED', 'What the url was filled to is no address.');
  const url = new URL(address);
  for (const [name, value] of Object.entries(node.query ?? {})) {
    url.searchParams.append(name, filling.text(value));
  }
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(node.headers ?? {})) {
    const filled = filling.text(value);
    if (!HEADER_VALUE.test(filled)) {
      throw new NodeFailure('HEADER_NOT_ALLOWED', `The header ${name} was filled to what no header may hold.`);
    }
    headers[name.toLowerCase()] = filled;
  }
  const body = node.body === undefined ? undefined : filling.value(node.body);
  if (body !== undefined && typeof body !== 'string') headers['content-type'] ??= 'application/json';
  return {
    url: url.href,
    method: node.method,
    headers,
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
  };
}

/** JSON where it says so and is. */
function bodyOf(response: Response, text: string): unknown {
  if (!/^application\/([\w.+-]+\+)?json/i.test(response.headers.get('content-type') ?? '')) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
