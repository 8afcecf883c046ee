// A plugin with a kind of nodes. Its members have a default, and rules that JSON Schema does not have.
import { Module } from '@nestjs/common';
import { z } from 'zod';
import { defineSlipwayConfig, FlowNodeKind, JsonText, NodeFailure, NodeKind, Templates } from 'slipway/plugin';

const Members = z
  .object({
    word: z.string().min(1).describe('The word to repeat.'),
    times: z
      .int()
      .min(1)
      .max(10)
      .default(2)
      .refine((times) => times !== 7, 'must not be seven'),
  })
  .refine(({ word, times }) => word !== 'once' || times === 1, 'must not repeat that word');
/** @typedef {z.infer<typeof Members>} Members */

/** @extends {NodeKind<Members>} */
class RepeatKind extends NodeKind {
  /** @param {Templates} templates */
  constructor(templates) {
    super();
    this.templates = templates;
  }

  /** @override @param {Members} node @param {import('slipway/plugin').NodeContext} context */
  async run({ word: given, times }, context) {
    const { word } = await this.templates.texts({ word: given }, context.variables, context);
    const input = { word, times };
    if (word === 'stop') throw new NodeFailure('ACME_STOPPED', 'Acme was told to stop.', false, input);
    return { input, output: JsonText.of({ words: Array(times).fill(word) }) };
  }
}
FlowNodeKind({ type: 'acme-repeat', description: 'Repeats a word.', members: Members })(RepeatKind);
Reflect.defineMetadata('design:paramtypes', [Templates], RepeatKind);

class AcmeModule {}
Module({ providers: [RepeatKind] })(AcmeModule);

export default defineSlipwayConfig({
  plugins: [{ name: 'acme', slipway: '*', modules: () => Promise.resolve([AcmeModule]) }],
});
