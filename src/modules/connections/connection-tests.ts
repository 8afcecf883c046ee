import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import { SlipwayError } from '../../kernel/errors.js';
import type { Id } from '../../kernel/ids.js';
import { Gateway, isUnsupported } from '../gateway/gateway.service.js';
import { ConnectionModels } from './connection-models.js';
import type { ConnectionTested } from './connections.admin.schema.js';
import { toWarnings } from './connections.schema.js';
import { ConnectionsService } from './connections.service.js';

const MAX_OUTPUT_TOKENS = 16;
const QUESTION = 'Answer with the word OK.';

/** Tests connections with a small real call. */
@Injectable()
export class ConnectionTests {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly models: ConnectionModels,
    private readonly gateway: Gateway,
  ) {}

  async run(
    projectId: Id<'project'>,
    connectionId: Id<'connection'>,
    abortSignal: AbortSignal,
  ): Promise<z.infer<typeof ConnectionTested>> {
    const { connection, warnings } = await this.connections.readForAdministration(projectId, connectionId);
    const origin = { projectId, source: 'studio_test_calls', sourceSubtype: 'studio_test_calls' };
    const begun = performance.now();
    const result = (reason: string | null) => {
      const latencyMs = Math.round(performance.now() - begun);
      return { connectionId, ok: reason === null, model: connection.model, latencyMs, reason, ...toWarnings(warnings) };
    };
    const problem = await this.models.problemOf(projectId, connection);
    if (problem !== undefined) return result(problem);
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: QUESTION }] }];
    try {
      await this.gateway.generate(origin, connectionId, { prompt, maxOutputTokens: MAX_OUTPUT_TOKENS, abortSignal });
      return result(null);
    } catch (error) {
      const reason = reasonIn(error);
      if (reason === undefined) throw error;
      return result(reason);
    }
  }
}

/**
 * Returns a sentence that says why the call failed; undefined if the failure was not one of the model or its provider.
 */
function reasonIn(error: unknown): string | undefined {
  if (!(error instanceof SlipwayError)) return undefined;
  const reason = error.extras.details?.reason;
  if (typeof reason !== 'string') return undefined;
  return `The ${isUnsupported(error) ? 'model' : 'provider'} ${reason}.`;
}
