import { Button, Card, Group, NativeSelect, Stack, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useApp } from '../app/app-context.js';
import { useSession } from '../app/session.js';
import { ENVIRONMENTS, type Environment } from '../parts/environments.js';
import { ErrorBox } from '../parts/error-box.js';
import { JsonText } from '../parts/json-text.js';
import { Page } from '../parts/page.js';
import { Conversation } from './session-conversation.js';
import { streamRun } from './run-stream.js';

/** Talks to the active agent of an environment. The trace of each answer appears below. */
export default function PlaygroundPage() {
  const { asApp, appId } = useApp();
  const { session: administrator } = useSession();
  const queries = useQueryClient();
  const [envName, setEnvironment] = useState<Environment>('production');
  const [sessionId, setSessionId] = useState<string | null>(null);
  const [input, setInput] = useState('');
  const [answer, setAnswer] = useState<string | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);

  const begin = async () => {
    const { data } = await asApp.POST('/api/v2/apps/{appId}/environments/{envName}/sessions', {
      params: { path: { appId, envName } },
      body: { sessionIdentity: [{ type: 'userReference', value: administrator?.name ?? 'admin' }], source: 'console' },
    });
    const opened = data as { session: { sessionId: string } };
    setSessionId(opened.session.sessionId);
    return opened.session.sessionId;
  };

  const send = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    setAnswer('');
    try {
      const id = sessionId ?? (await begin());
      await streamRun({ appId, envName, sessionId: id, input }, (delta) => setAnswer((text) => (text ?? '') + delta));
      setInput('');
      await queries.invalidateQueries({ queryKey: ['session', appId, id] });
    } catch (refusal) {
      setError(refusal as Error);
    } finally {
      setBusy(false);
    }
  };
  const startOver = (next: Environment) => {
    setEnvironment(next);
    setSessionId(null);
    setAnswer(null);
  };

  return (
    <Page title="Playground">
      <form onSubmit={(event) => void send(event)} aria-label="Send a message">
        <Stack gap="xs">
          <Group align="end">
            <NativeSelect
              size="xs"
              label="Environment"
              value={envName}
              onChange={({ currentTarget }) => startOver(currentTarget.value as Environment)}
              data={[...ENVIRONMENTS]}
            />
            {sessionId !== null && (
              <Button size="xs" variant="default" onClick={() => startOver(envName)}>
                Begin another session
              </Button>
            )}
          </Group>
          <Textarea
            label="Message"
            autosize
            value={input}
            onChange={({ currentTarget }) => setInput(currentTarget.value)}
            required
          />
          <Group>
            <Button size="xs" type="submit" loading={isBusy}>
              Send
            </Button>
          </Group>
        </Stack>
      </form>
      {error && <ErrorBox error={error} />}
      {answer !== null && (
        <Card withBorder aria-live="polite">
          <JsonText title="Answer" value={answer} />
        </Card>
      )}
      {sessionId !== null && <Conversation sessionId={sessionId} onClose={() => startOver(envName)} />}
    </Page>
  );
}
