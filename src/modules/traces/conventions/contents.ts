/** The attributes in which the conventions send prompts and answers. These texts are not kept as attributes as well. */
export const INPUT_MESSAGES = ['gen_ai.input.messages', 'ai.prompt.messages', 'gen_ai.prompt'];
export const SYSTEM_INSTRUCTIONS = ['gen_ai.system_instructions'];
export const OUTPUT_MESSAGES = ['gen_ai.output.messages', 'gen_ai.completion'];

/** A naming scheme in which each member of a message is an attribute of its own, such as `gen_ai.prompt.0.content`. */
export interface Numbered {
  before: string;
  between: string;
}
export const NUMBERED_INPUT: readonly Numbered[] = [
  { before: 'llm.input_messages', between: 'message.' },
  { before: 'gen_ai.prompt', between: '' },
];
export const NUMBERED_OUTPUT: readonly Numbered[] = [
  { before: 'llm.output_messages', between: 'message.' },
  { before: 'gen_ai.completion', between: '' },
];

export const ANSWER_TEXT = ['ai.response.text', 'ai.response.object', 'ai.response.toolCalls'];
export const INPUT_TEXT = [
  'input.value',
  'traceloop.entity.input',
  'ai.prompt',
  'ai.toolCall.args',
  'gen_ai.tool.call.arguments',
  'gen_ai.prompt',
];
export const OUTPUT_TEXT = [
  'output.value',
  'traceloop.entity.output',
  'ai.toolCall.result',
  'gen_ai.tool.call.result',
  'gen_ai.completion',
];

/**
 * Attributes with these prefixes repeat prompts and answers, or have tools and files. They are neither read nor kept.
 */
const REPEATING = [
  'ai.prompt.',
  'ai.response.files',
  'ai.response.reasoning',
  'ai.result.object',
  'ai.result.text',
  'ai.result.toolCalls',
  'gen_ai.tool.definitions',
  'llm.completions',
  'llm.prompt_template.template',
  'llm.prompt_template.variables',
  'llm.prompts',
  'llm.request.functions',
  'llm.tools',
  'traceloop.prompt.template',
];

const CONTENTS: ReadonlySet<string> = new Set([
  ...[INPUT_MESSAGES, SYSTEM_INSTRUCTIONS, OUTPUT_MESSAGES, ANSWER_TEXT, INPUT_TEXT, OUTPUT_TEXT].flat(),
  ...[NUMBERED_INPUT, NUMBERED_OUTPUT].flat().map(({ before }) => before),
]);

/**
 * Whether the attribute has a prompt or an answer. A member of a message is recognized by the name before its number.
 */
export function isContent(name: string): boolean {
  return CONTENTS.has(name.replace(NUMBER_AND_MEMBER, '')) || REPEATING.some((start) => name.startsWith(start));
}

const NUMBER_AND_MEMBER = /\.\d.*$/s;
