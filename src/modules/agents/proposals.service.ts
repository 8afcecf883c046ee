import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import { Gateway } from '../gateway/gateway.service.js';
import type { ModelRequest } from '../gateway/gateway.port.js';
import { AgentsService } from './agents.service.js';

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
  signal: AbortSignal;
  traceId?: Id<'trace'>;
  sessionId?: string;
  channel?: string;
}

/** One reply of an agent outside of any session: nothing is remembered of it. */
@Injectable()
export class Proposals {
  constructor(
    private readonly agents: AgentsService,
    private readonly gateway: Gateway,
  ) {}

  async propose(wish: ProposalWish): Promise<{ text: string }> {
    const { projectId, agentId, conversation, text, signal: abortSignal, traceId, sessionId, channel } = wish;
    const version = await this.agents.latestInProject(projectId, agentId);
    const origin = {
      projectId,
      agentName: version.agent.name,
      sourceId: version.agent.id,
      source: 'runtime',
      sourceSubtype: 'response_generation',
      ...(traceId && { traceId }),
      ...(sessionId && { sessionId }),
      ...(channel && { channel, channelType: channel }),
    };
    const said = [...conversation, { role: 'user' as const, text }].map(({ role, text: words }) => {
      const content = [{ type: 'text' as const, text: words }];
      return role === 'user' ? { role: 'user' as const, content } : { role: 'assistant' as const, content };
    });
    const prompt: ModelRequest['prompt'] = [{ role: 'system', content: version.instructions }, ...said];
    const generated = await this.gateway.generate(origin, version.modelName, { prompt, abortSignal });
    return { text: generated.said.text };
  }
}
