import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import { Gateway } from '../gateway/gateway.service.js';
import type { ModelRequest } from '../gateway/gateway.port.js';
import { modelNameOf } from './definitions/agent.entity.js';
import { AgentsService } from './definitions/agents.service.js';

/** Who said what, in a conversation that is no session here. */
export interface Utterance {
  role: 'user' | 'agent';
  text: string;
}

export interface ProposalWish {
  projectId: Id<'project'>;
  agentId: Id<'agent'>;
  /** What was said before, oldest first. */
  conversation: readonly Utterance[];
  /** What is to be answered. */
  text: string;
  /** By which the ledger knows the conversation. */
  sessionId: string;
  signal: AbortSignal;
}

/** One reply of an agent outside of any session: nothing is remembered of it. */
@Injectable()
export class Proposals {
  constructor(
    private readonly agents: AgentsService,
    private readonly gateway: Gateway,
  ) {}

  async propose(wish: ProposalWish): Promise<string> {
    const { projectId, agentId, conversation, text, sessionId, signal: abortSignal } = wish;
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
    const { said } = await this.gateway.generate(origin, modelNameOf(version), { prompt, abortSignal });
    return said.text;
  }
}

function toMessage({ role, text }: Utterance): ModelRequest['prompt'][number] {
  const content = [{ type: 'text' as const, text }];
  return role === 'user' ? { role, content } : { role: 'assistant', content };
}
