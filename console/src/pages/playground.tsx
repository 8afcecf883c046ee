import { Button, Card, Checkbox, Group, SimpleGrid, Stack, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { filled } from '../api/path.js';
import { useApp } from '../app/app-context.js';
import { EnvironmentSelect } from '../parts/environment-select.js';
import { ErrorBox } from '../parts/error-box.js';
import { JsonText } from '../parts/json-text.js';
import { Page } from '../parts/page.js';
import { useFilters } from '../parts/use-filters.js';
import { AnsweringVersion } from './playground-version.js';
import { Conversation } from './session-conversation.js';
import { type Talk, useTalk } from './use-talk.js';

/**
 * Talks to the active agent of an environment or to any version, or to two of them side by side, which get the same
 * messages. The trace of each answer appears below it.
 */
export default function PlaygroundPage() {
  const { appId } = useApp();
  const [{ compare }, change] = useFilters();
  const left = useTalk('production');
  const right = useTalk('working-copy');
  const talks = compare ? [left, right] : [left];
  const [input, setInput] = useState('');
  const [isBusy, setBusy] = useState(false);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    const hasAnswered = await Promise.all(talks.map((talk) => talk.send(input)));
    if (hasAnswered.every(Boolean)) setInput('');
    setBusy(false);
  };
  return (
    <Page
      title="Playground"
      request={{
        method: 'POST',
        path: filled('/api/v2/apps/{appId}/environments/{envName}/runs', { appId, envName: left.envName }),
        access: 'key',
        body: { sessionIdentity: [{ type: 'userReference', value: 'ada' }], input: input || 'Hello' },
      }}
    >
      <form onSubmit={(event) => void send(event)} aria-label="Send a message">
        <Stack gap="xs">
          <Checkbox
            label="Compare two versions"
            checked={compare !== undefined}
            onChange={({ currentTarget }) => change({ compare: currentTarget.checked ? 'yes' : undefined })}
          />
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
      <SimpleGrid cols={{ base: 1, md: talks.length }}>
        {talks.map((talk, at) => (
          <TalkColumn key={at} name={at === 0 ? 'Conversation' : 'Second conversation'} talk={talk} />
        ))}
      </SimpleGrid>
    </Page>
  );
}

function TalkColumn({ name, talk }: { name: string; talk: Talk }) {
  const { envName, tried, sessionId, answer, error, startOver } = talk;
  return (
    <Stack component="section" aria-label={name} miw={0}>
      <Group align="end">
        <EnvironmentSelect value={envName} onChange={(next) => startOver(next)} />
        <AnsweringVersion envName={envName} tried={tried} onTry={(version) => startOver(envName, version)} />
        {sessionId !== null && (
          <Button size="xs" variant="default" onClick={() => startOver(envName, tried)}>
            Begin another session
          </Button>
        )}
      </Group>
      {error && <ErrorBox error={error} />}
      {answer !== null && (
        <Card withBorder aria-live="polite">
          <JsonText title="Answer" value={answer} />
        </Card>
      )}
      {sessionId !== null && <Conversation sessionId={sessionId} onClose={() => startOver(envName, tried)} />}
    </Stack>
  );
}
