import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { APICallError } from '@ai-sdk/provider';
import { Agent, request as send } from 'undici';
import type { Id } from '../../kernel/ids.js';
import { linesOf, textsOf } from '../../kernel/lines.js';
import { beginWaiting } from '../../kernel/waiting.js';
import { Database } from '../../platform/database/database.js';
import { UnsupportedRequest } from '../gateway/gateway.port.js';
import type { GenerateLine, GenerateRequest } from './hosts/replica-calls.js';
import { ModelReplicaRepository } from './model-replica.repository.js';
import { ReplicaTokens } from './serving/replica-tokens.js';

const CONNECT_MS = 2_000;
/** Seconds after which a busy or restarting model may have room. */
const RETRY_AFTER = '1';

interface LiveReplica {
  readonly id: Id<'modelReplica'>;
  readonly address: string;
  readonly token: string;
}

/** Calls replicas. It needs no guarded client, because the service itself has written their addresses. */
@Injectable()
export class ReplicaClient implements OnApplicationShutdown {
  private readonly agent = new Agent({
    connect: { timeout: CONNECT_MS },
    connections: null,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 30_000,
  });
  /** The number of calls that this process has at each replica, as a hint of where the next call goes. */
  private readonly calls = new Map<string, number>();

  constructor(
    private readonly database: Database,
    private readonly replicas: ModelReplicaRepository,
    private readonly tokens: ReplicaTokens,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.agent.destroy();
  }

  /** Yields the lines of an answer. If a replica cannot be reached or refuses the call, the next one is asked. */
  async *generate(
    deploymentId: Id<'modelDeployment'>,
    request: GenerateRequest,
    signal: AbortSignal,
  ): AsyncGenerator<GenerateLine> {
    const candidates = this.leastBusyFirst(await this.liveOf(deploymentId));
    const endWaiting = beginWaiting();
    try {
      yield* this.generateOn(candidates, request, signal);
    } finally {
      endWaiting();
    }
  }

  private async *generateOn(
    candidates: LiveReplica[],
    request: GenerateRequest,
    signal: AbortSignal,
  ): AsyncGenerator<GenerateLine> {
    let refusal: APICallError | undefined;
    for (const replica of candidates) {
      const answer = await this.ask(replica, request, signal);
      if (!(answer instanceof Error)) {
        yield* this.lines(replica, answer, signal);
        return;
      }
      if (answer instanceof UnsupportedRequest) throw answer;
      refusal = answer;
    }
    throw refusal ?? callError(429, 'No replica of the model is ready');
  }

  private async liveOf(deploymentId: Id<'modelDeployment'>): Promise<LiveReplica[]> {
    const live = await this.database.ask(this.replicas.liveOf(deploymentId));
    return live.map((replica) => ({ id: replica.id, address: replica.address, token: this.tokens.open(replica) }));
  }

  /** Sorts replicas by the calls that this process has there, and equal ones at random. */
  private leastBusyFirst(replicas: LiveReplica[]): LiveReplica[] {
    return replicas
      .map((replica) => ({ replica, calls: (this.calls.get(replica.id) ?? 0) + Math.random() / 2 }))
      .toSorted((a, b) => a.calls - b.calls)
      .map(({ replica }) => replica);
  }

  private async ask(
    { address, token }: LiveReplica,
    request: GenerateRequest,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Buffer> | APICallError | UnsupportedRequest> {
    try {
      const { statusCode, body } = await send(`${address}/generate`, {
        method: 'POST',
        dispatcher: this.agent,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(request),
        signal,
      });
      if (statusCode === 200) return body as AsyncIterable<Buffer>;
      if (statusCode === 400) return new UnsupportedRequest(((await body.json()) as { message: string }).message);
      await body.dump();
      return callError(statusCode === 401 ? 503 : statusCode, 'The replica refused the call');
    } catch (error) {
      signal.throwIfAborted();
      return callError(503, 'The replica cannot be reached', error);
    }
  }

  private async *lines(
    { id }: LiveReplica,
    body: AsyncIterable<Buffer>,
    signal: AbortSignal,
  ): AsyncGenerator<GenerateLine> {
    this.count(id, 1);
    try {
      for await (const line of linesOf(textsOf(body))) yield JSON.parse(line) as GenerateLine;
    } catch (error) {
      signal.throwIfAborted();
      throw callError(503, 'The replica ended its answer before it was complete', error);
    } finally {
      this.count(id, -1);
    }
  }

  private count(id: string, more: number): void {
    const calls = (this.calls.get(id) ?? 0) + more;
    if (calls > 0) this.calls.set(id, calls);
    else this.calls.delete(id);
  }
}

/** Makes the error that the gateway takes for a provider's failure. Callers see neither its message nor its cause. */
function callError(statusCode: number, message: string, cause?: unknown): APICallError {
  const responseHeaders: Record<string, string> = statusCode === 429 ? { 'retry-after': RETRY_AFTER } : {};
  return new APICallError({ message, url: 'replica:', requestBodyValues: {}, statusCode, responseHeaders, cause });
}
