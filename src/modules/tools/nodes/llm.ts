import { z } from 'zod';
import { withRetries } from '../../../kernel/retries.js';
import { SlipwayError } from '../../../kernel/errors.js';
import { Gateway } from '../../gateway/gateway.service.js';
import { JsonText } from '../../../kernel/json-text.js';
import { Templates } from '../../../platform/template/templates.js';
import { FlowNodeKind, type NodeContext, NodeFailure, NodeKind, type NodeOutcome } from '../node-kind.port.js';
import { pausesOf } from './retries.js';
import { retry, template, whole } from './members.schema.js';

const LlmNode = z.strictObject({
  model: z
    .string()
    .min(1)
    .max(256)
    .describe('The model: a connection or a deployed model by id or by name, or `mock`.'),
  system: template.optional(),
  prompt: template,
  temperature: z.number().min(0).max(2).optional(),
  maxTokens: whole(1, 100_000).optional(),
  timeoutMs: whole(1, 300_000).default(60_000).describe('The timeout of each attempt in milliseconds.'),
  retry,
});
type LlmNode = z.infer<typeof LlmNode>;

@FlowNodeKind({ type: 'llm', description: 'Calls a model.', members: LlmNode })
export class LlmKind extends NodeKind<LlmNode> {
  constructor(
    private readonly gateway: Gateway,
    private readonly templates: Templates,
  ) {
    super();
  }

  async run(node: LlmNode, context: NodeContext): Promise<NodeOutcome> {
    const { system, prompt } = await this.templates.texts(
      { system: node.system, prompt: node.prompt },
      context.variables,
      context,
    );
    const input = { model: node.model, ...(system !== undefined && { system }), prompt };
    const attempt = async (attempts: number) => {
      const output = await this.call(node, { system, prompt }, context, input);
      return { input: { ...input, attempts }, output };
    };
    return withRetries(attempt, pausesOf(node.retry), context.signal);
  }

  private async call(
    node: LlmNode,
    { system, prompt }: { system: string | undefined; prompt: string },
    context: NodeContext,
    input: object,
  ) {
    const late = AbortSignal.timeout(node.timeoutMs);
    try {
      const { answer: said, usage } = await this.gateway.generate(originOf(context), node.model, {
        prompt: [
          ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
          { role: 'user' as const, content: [{ type: 'text' as const, text: prompt }] },
        ],
        ...(node.temperature !== undefined && { temperature: node.temperature }),
        ...(node.maxTokens !== undefined && { maxOutputTokens: node.maxTokens }),
        abortSignal: AbortSignal.any([context.signal, late]),
      });
      const tokens = { input: usage.inputTokens.total ?? 0, output: usage.outputTokens.total ?? 0 };
      return JsonText.of({ text: said.text, tokens });
    } catch (error) {
      context.signal.throwIfAborted();
      if (late.aborted) throw new NodeFailure('MODEL_TIMED_OUT', 'The model did not answer in time.', true, input);
      if (!(error instanceof SlipwayError)) throw error;
      const { code, status } = error.spec;
      throw new NodeFailure(code, error.message, status >= 500 || status === 429, input);
    }
  }
}

function originOf({ projectId, toolId, environment, sessionId, traceId, observationId, mask }: NodeContext) {
  return {
    projectId,
    source: 'runtime',
    sourceSubtype: 'semantic_execution',
    sourceId: toolId,
    mask,
    ...(environment !== null && { environment }),
    ...(sessionId !== null && { sessionId }),
    ...(traceId !== null && { traceId, parentObservationId: observationId }),
  };
}
