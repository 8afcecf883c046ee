import { z } from 'zod';
import { clock } from '../../../kernel/clock.js';
import { JsonText } from '../../../kernel/json-text.js';
import { FlowNodeKind, NodeKind, type NodeOutcome } from '../node-kind.port.js';
import { MAX_SUSPENSION_SECONDS, whole } from './members.schema.js';

const WaitNode = z.strictObject({
  timeoutSeconds: whole(1, MAX_SUSPENSION_SECONDS)
    .default(3_600)
    .describe('The seconds after which the run fails if no callback has arrived.'),
});
type WaitNode = z.infer<typeof WaitNode>;

@FlowNodeKind({
  type: 'wait',
  description: 'Waits until an outside system calls back. Its output is the body of the callback.',
  members: WaitNode,
  awaitsCallback: true,
})
export class WaitKind extends NodeKind<WaitNode> {
  async run({ timeoutSeconds }: WaitNode): Promise<NodeOutcome> {
    return { output: JsonText.of(null), until: new Date(clock.now().getTime() + timeoutSeconds * 1_000) };
  }
}
