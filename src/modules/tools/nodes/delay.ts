import { z } from 'zod';
import { clock } from '../../../kernel/clock.js';
import { JsonText } from '../../../kernel/json-text.js';
import { Templates } from '../../../platform/template/templates.js';
import { FlowNodeKind, type NodeContext, NodeFailure, NodeKind, type NodeOutcome } from '../node-kind.port.js';
import { DelayNode } from './delay.schema.js';
import { MAX_SUSPENSION_SECONDS } from './members.schema.js';

const NUMBER = /^\d+(\.\d+)?$/;
const Time = z.iso.datetime({ offset: true });

@FlowNodeKind({
  type: 'delay',
  description: 'Waits for some seconds, or until a time. The run is suspended meanwhile.',
  members: DelayNode,
})
export class DelayKind extends NodeKind<DelayNode> {
  constructor(private readonly templates: Templates) {
    super();
  }

  async run({ seconds, until }: DelayNode, context: NodeContext): Promise<NodeOutcome> {
    const filled = await this.templates.value({ seconds, until }, context.variables, context);
    const end = endOf(filled.value as { seconds?: unknown; until?: unknown });
    return { input: filled.value, output: JsonText.of({ until: end.toISOString() }), until: end };
  }
}

function endOf({ seconds, until }: { seconds?: unknown; until?: unknown }): Date {
  const now = clock.now().getTime();
  const ms = until === undefined ? msOf(seconds) : timeOf(until) - now;
  if (Number.isNaN(ms)) throw invalid(until === undefined ? 'seconds' : 'until');
  if (ms > MAX_SUSPENSION_SECONDS * 1_000) throw new NodeFailure('DELAY_INVALID', 'The delay is longer than 30 days.');
  return new Date(now + Math.max(0, ms));
}

function msOf(seconds: unknown): number {
  const isDuration = typeof seconds === 'number' ? seconds >= 0 : typeof seconds === 'string' && NUMBER.test(seconds);
  return isDuration ? Number(seconds) * 1_000 : NaN;
}

function timeOf(until: unknown): number {
  const { data } = Time.safeParse(until);
  return data === undefined ? NaN : Date.parse(data);
}

function invalid(member: 'seconds' | 'until'): NodeFailure {
  const wanted = member === 'seconds' ? 'a number from 0' : 'a date and time with offset, such as 2026-11-21T09:30:00Z';
  return new NodeFailure('DELAY_INVALID', `With its values filled in, \`${member}\` is not ${wanted}.`);
}
