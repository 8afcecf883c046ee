import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { ModelDouble } from '../support/providers/model-double.js';

/** These tests check the doubles: the official clients of the providers have to understand them. */
const double = await ModelDouble.start();
afterAll(() => double.stop());

const anthropic = new Anthropic({ baseURL: double.url, apiKey: 'sk-ant', maxRetries: 0 });
const openai = new OpenAI({ baseURL: `${double.url}/v1`, apiKey: 'sk', maxRetries: 0 });

const ASKED = { role: 'user' as const, content: 'Is it cold in Oslo?' };
const TOOL = { name: 'weather', description: 'The weather in a city' };
const INPUT = { type: 'object' as const, properties: { city: { type: 'string' } } };

describe('Anthropic’s client', () => {
  const request = { model: 'claude-sonnet', max_tokens: 100, messages: [ASKED] };

  it('understands an answer and its usage', async () => {
    const message = await anthropic.messages.create(request);
    expect(message.content).toMatchObject([{ type: 'text' }]);
    expect(JSON.stringify(message.content)).toContain('Oslo');
    expect(message.usage).toMatchObject({ input_tokens: 12, cache_read_input_tokens: 8, output_tokens: 9 });
  });

  it('understands a stream', async () => {
    const stream = anthropic.messages.stream(request);
    expect(await stream.finalText()).toContain('Oslo');
    expect((await stream.finalMessage()).stop_reason).toBe('end_turn');
  });

  it.each([false, true])('receives a tool call and sends its result (stream: %s)', async (isStream) => {
    const ask = (messages: Anthropic.MessageParam[]) => {
      const asked = { ...request, messages, tools: [{ ...TOOL, input_schema: INPUT }] };
      return isStream ? anthropic.messages.stream(asked).finalMessage() : anthropic.messages.create(asked);
    };
    const called = await ask([ASKED]);
    expect(called.stop_reason).toBe('tool_use');
    const use = called.content.find((block) => block.type === 'tool_use')!;
    expect(use).toMatchObject({ name: 'weather', input: { city: 'Oslo' } });
    const result = { type: 'tool_result' as const, tool_use_id: use.id, content: '3 degrees' };
    const answered = await ask([
      ASKED,
      { role: 'assistant', content: called.content },
      { role: 'user', content: [result] },
    ]);
    expect(answered.stop_reason).toBe('end_turn');
  });
});

describe('OpenAI’s client', () => {
  const request = { model: 'gpt-4o', messages: [ASKED] };

  it('understands an answer and its usage', async () => {
    const { choices, usage } = await openai.chat.completions.create(request);
    expect(choices[0]!.message.content).toContain('Oslo');
    expect(usage!.total_tokens).toBe(usage!.prompt_tokens + usage!.completion_tokens);
  });

  it.each([false, true])('receives a tool call (stream: %s)', async (isStream) => {
    const asked = { ...request, tools: [{ type: 'function' as const, function: { ...TOOL, parameters: INPUT } }] };
    const { choices } = isStream
      ? await openai.chat.completions.stream(asked).finalChatCompletion()
      : await openai.chat.completions.create(asked);
    expect(choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { tool_calls: [{ type: 'function', function: { name: 'weather' } }] },
    });
  });

  it('understands a stream', async () => {
    const stream = openai.chat.completions.stream(request);
    expect((await stream.finalChatCompletion()).choices[0]!.message.content).toContain('Oslo');
  });
});
