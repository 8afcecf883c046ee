import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import { Gateway } from '../gateway/gateway.service.js';
import type { ModelRequest } from '../gateway/gateway.port.js';
import { modelNameOf } from './definitions/agent.entity.js';
import { AgentsService } from './definitions/agents.service.js';

/** One message of a conversation that takes place outside of Slipway's sessions. */
export interface Utterance {
  role: 'user' | 'agent';
  text: string;
}

export interface ProposalRequest {
  projectId: Id<'project'>;
  agentId: Id<'agent'>;
  /** The earlier messages, oldest first. */
  conversation: readonly Utterance[];
  /** The message that is to be answered. */
  text: string;
  /** The id under which the ledger records the conversation. */
  sessionId: string;
  signal: AbortSignal;
}

/** Asks an agent for one reply outside of any session. The reply is not added to a memory. */
@Injectable()
export class Proposals {
  constructor(
    private readonly agents: AgentsService,
    private readonly gateway: Gateway,
  ) {}

  async propose(request: ProposalRequest): Promise<string> {
    const { projectId, agentId, conversation, text, sessionId, signal: abortSignal } = request;
    const version = await this.agents.latestInProject(projectId, agentId);
    const origin = {
      projectId,
      agentName: version.agent.name,
      sourceId: version.agent.id,
      source: 'runtime',
      sourceSubtype: 'response_generation',
      sessionId,
    };
    const messages = [...conversation, { role: 'user' as const, text }].map(toMessage);
    const prompt: ModelRequest['prompt'] = [{ role: 'system', content: version.instructions }, ...messages];
    const { answer } = await this.gateway.generate(origin, modelNameOf(version), { prompt, abortSignal });
    return answer.text;
  }
}

function toMessage({ role, text }: Utterance): ModelRequest['prompt'][number] {
  const content = [{ type: 'text' as const, text }];
  return role === 'user' ? { role, content } : { role: 'assistant', content };
}
