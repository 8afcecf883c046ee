import { SlipwayError } from '../../errors.js';
import type { EnvironmentName } from '../../place.js';
import { byReference } from '../../resources/sessions.js';
import type { Slipway } from '../../slipway.js';
import { oneAction, UsageError, type Command, type Invocation } from '../command.js';

export const chat: Command = {
  summary: 'Talks to the agent of an environment. The answer appears as it is written.',
  ...oneAction('chat', {
    usage: [
      'slipway chat [--session NAME] [--environment NAME]           a conversation',
      'slipway chat TEXT [--session NAME] [--environment NAME]      one message',
      'echo TEXT | slipway chat',
    ].join('\n'),
    options: { session: { type: 'string' }, environment: { type: 'string' } },
    async run(call) {
      const session = call.text('session') ?? `cli-${crypto.randomUUID()}`;
      const slipway = await call.slipway();
      if (call.words.length === 0 && call.terminal.isInteractive) return converse(slipway, session, call);
      const text = call.words.length > 0 ? call.words.join(' ') : await call.terminal.input();
      if (!text) throw new UsageError('There is no message. Give it as slipway chat TEXT, or pipe it.');
      await say(slipway, session, text, call);
    },
  }),
};

async function converse(slipway: Slipway, session: string, call: Invocation): Promise<void> {
  call.terminal.note('An empty line or Ctrl-D ends the conversation.');
  for (;;) {
    const text = await call.terminal.ask('> ', 'the message');
    if (!text) return;
    await say(slipway, session, text, call);
  }
}

async function say(slipway: Slipway, session: string, input: string, call: Invocation): Promise<void> {
  const { terminal, isJson } = call;
  const environment = call.text('environment') as EnvironmentName | undefined;
  let isWritten = false;
  for await (const event of slipway.runs.stream({ sessionIdentity: byReference(session), input }, { environment })) {
    if (event.event === 'run') call.facts.runId = event.data.runId;
    if (isJson) terminal.json(event);
    else if (event.event === 'delta') {
      await terminal.write(visible(event.data.content));
      isWritten = true;
    }
    if (event.event !== 'done') continue;
    const { output, status, error } = event.data;
    // Pieces may be lost on their way; the end has the whole answer.
    if (!isJson) terminal.say(isWritten ? '' : visible(output.map(({ content }) => content).join('\n')));
    if (status === 'failed')
      throw new SlipwayError(error?.code ?? 'RUN_FAILED', `The run has failed. ${error?.message}`);
  }
}

/** The model's text may break lines, but must not move the cursor or change the terminal's colours. */
function visible(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]/gu, '');
}
