import { Button, Card, Checkbox, Group, SimpleGrid, Stack, Text, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, dataOf } from '../api/client.js';
import { useApp } from '../app/app-context.js';
import { EnvironmentSelect } from '../parts/environment-select.js';
import type { Environment } from '../parts/environments.js';
import { ErrorBox } from '../parts/error-box.js';
import { JsonText } from '../parts/json-text.js';
import { Page } from '../parts/page.js';
import { useFilters } from '../parts/use-filters.js';
import { Conversation } from './session-conversation.js';
import { type Talk, useTalk } from './use-talk.js';

const AGENT = '/api/admin/v1/apps/{appId}/agents/{agentId}';

/**
 * Talks to the active agent of an environment, or to those of two environments side by side, which may have two versions.
 * The trace of each answer appears below it.
 */
export default function PlaygroundPage() {
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
    <Page title="Playground">
      <form onSubmit={(event) => void send(event)} aria-label="Send a message">
        <Stack gap="xs">
          <Checkbox
            label="Compare two environments"
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
  const { envName, sessionId, answer, error, startOver } = talk;
  return (
    <Stack component="section" aria-label={name} miw={0}>
      <Group align="end">
        <EnvironmentSelect value={envName} onChange={startOver} />
        <ActiveVersion envName={envName} />
        {sessionId !== null && (
          <Button size="xs" variant="default" onClick={() => startOver(envName)}>
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
      {sessionId !== null && <Conversation sessionId={sessionId} onClose={() => startOver(envName)} />}
    </Stack>
  );
}

/** The agent and the version that answer in an environment. */
function ActiveVersion({ envName }: { envName: Environment }) {
  const { appId } = useApp();
  const { data: active } = useQuery({
    queryKey: ['active', appId, envName],
    queryFn: async () => {
      const path = { appId, envName };
      const { agentId, appVersionId: versionId } = await dataOf(
        api.GET('/api/admin/v1/apps/{appId}/environments/{envName}/active', { params: { path } }),
      );
      if (agentId === null || versionId === null) return 'No agent is active here';
      const [{ name }, { version }] = await Promise.all([
        dataOf(api.GET(AGENT, { params: { path: { appId, agentId } } })),
        dataOf(api.GET(`${AGENT}/versions/{versionId}`, { params: { path: { appId, agentId, versionId } } })),
      ]);
      return `${name}, version ${version}`;
    },
  });
  return (
    <Text size="sm" className="cell" dir="auto">
      {active}
    </Text>
  );
}
