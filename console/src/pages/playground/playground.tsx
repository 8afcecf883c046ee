import './playground.css';
import { Button, Card, Checkbox, Group, SimpleGrid, Stack, Text, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { useApp } from '../../app/app-context.js';
import { ChangeButton } from '../../parts/change-button.js';
import { EnvironmentSelect } from '../../parts/environment-select.js';
import type { Environment } from '../../parts/environments.js';
import { ErrorBox } from '../../parts/error-box.js';
import { faultsByField } from '../../parts/field-faults.js';
import { growing } from '../../parts/growing.js';
import { Page } from '../../parts/page.js';
import { PageLink } from '../../parts/page-link.js';
import { useFilters } from '../../parts/use-filters.js';
import { environmentsOptions, versionChoiceOptions } from '../agents/requests.js';
import { NoAgent } from './no-agent.js';
import { requestOf } from './run-stream.js';
import { TalkTurns } from './turns.js';
import { AnsweringVersion, NoSuchVersion } from './version.js';
import { type Talk, useTalk } from './use-talk.js';

const LEFT = { env: 'env', version: 'version', session: 'talk' };
const RIGHT = { env: 'env2', version: 'version2', session: 'talk2' };
/** The members that show their faults themselves. */
const FIELDS = ['input'] as const;

/**
 * Talks to the active agent of an environment or to any version, or to two of them side by side, which get the same
 * messages. The trace of each answer grows beside it, or below it where there is no room.
 */
export default function PlaygroundPage() {
  const { appId } = useApp();
  const [{ compare, env2 }, change] = useFilters();
  const left = useTalk(LEFT, 'production');
  const other = useOther(left);
  const right = useTalk(RIGHT, other?.env2 ?? 'production');
  const talks = compare ? [left, right] : [left];
  const [input, setInput] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [refused, setRefused] = useState<{ input: string; by: readonly number[] } | null>(null);
  const numbers = talks.map((_, at) => at);
  // If one side refuses a message, the side that has answered it does not get it again.
  const refusing = refused?.input === input ? numbers.filter((at) => refused.by.includes(at)) : [];
  const asked = refusing.length > 0 ? refusing : numbers;
  const fault = talks.map(({ error }) => faultsByField(error, FIELDS).input).find(Boolean);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    const answers = await Promise.all(asked.map((at) => talks[at]!.send(input)));
    const by = asked.filter((_, at) => !answers[at]);
    setRefused(by.length > 0 ? { input, by } : null);
    if (by.length === 0) setInput((present) => (present === input ? '' : present));
    setBusy(false);
  };
  return (
    <Page
      title="Playground"
      request={requestOf(
        appId,
        { envName: left.envName, tried: left.tried },
        { sessionIdentity: [{ type: 'userReference', value: 'ada' }], input: input || 'Hello' },
      )}
    >
      <Checkbox
        label="Compare two versions"
        checked={compare !== undefined}
        disabled={!compare && !other}
        onChange={({ currentTarget: { checked } }) =>
          change({
            compare: checked ? 'yes' : undefined,
            // A comparison that is shown again goes on where it was. In a new one, both sides begin a session.
            ...(checked && env2 === undefined && { ...other, [LEFT.session]: undefined }),
          })
        }
      />
      <SimpleGrid cols={{ base: 1, md: talks.length }}>
        {talks.map((talk, at) => (
          <TalkColumn key={at} name={NAMES[at]!} talk={talk} />
        ))}
      </SimpleGrid>
      <Card withBorder pos="sticky" bottom={0} p="xs" style={{ zIndex: 1 }}>
        <form onSubmit={(event) => void send(event)} aria-label="Send a message">
          <Stack gap="xs">
            <Textarea
              label="Message"
              {...growing(8)}
              value={input}
              onChange={({ currentTarget }) => setInput(currentTarget.value)}
              onKeyDown={sendByEnter}
              error={fault && `The message ${fault}`}
              required
            />
            <Group>
              <ChangeButton type="submit" loading={isBusy} disabled={talks.some(({ missing }) => missing !== null)}>
                Send
              </ChangeButton>
              {isBusy && (
                <Button size="xs" variant="default" onClick={() => talks.forEach(({ stop }) => stop())}>
                  Stop
                </Button>
              )}
              <Text size="xs">
                {asked.length < talks.length
                  ? 'Only the one that refused this message gets it again.'
                  : 'Enter sends, Shift and Enter begin a line.'}
              </Text>
            </Group>
          </Stack>
        </form>
      </Card>
    </Page>
  );
}

const NAMES = ['Conversation', 'Second conversation'];

/** Enter presses the button, which may be disabled. While a text is composed, as in Japanese, it ends a word. */
function sendByEnter(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
  event.preventDefault();
  event.currentTarget.form?.querySelector<HTMLButtonElement>('[type=submit]')?.click();
}

/**
 * Returns what to compare with: the agent of another environment, or else another version of the same agent. It is
 * undefined until the environments and versions have been read.
 */
function useOther({ envName, tried }: Talk): { env2: Environment; version2?: string } | undefined {
  const { appId } = useApp();
  const { data: environments } = useQuery(environmentsOptions(appId));
  const active = environments?.filter(({ agentId }) => agentId !== null);
  const here = active?.find(({ name }) => name === envName);
  const agentId = tried?.agentId ?? here?.agentId ?? null;
  const { data: versions } = useQuery({ ...versionChoiceOptions(appId, agentId ?? ''), enabled: agentId !== null });
  const elsewhere = active?.find(({ name }) => name !== envName);
  if (elsewhere) return { env2: elsewhere.name };
  if (!active || (agentId !== null && !versions)) return undefined;
  const answering = tried?.versionId ?? here?.appVersionId;
  const version = versions?.find(({ versionId }) => versionId !== answering);
  return { env2: envName, ...(version && { version2: `${agentId}:${version.versionId}` }) };
}

function TalkColumn({ name, talk }: { name: string; talk: Talk }) {
  const { appId } = useApp();
  const { envName, tried, missing, sessionId, error, startOver } = talk;
  return (
    <section aria-label={name} className="talk">
      <Group align="end" style={{ alignContent: 'start' }}>
        <EnvironmentSelect value={envName} onChange={(next) => startOver(next)} />
        <AnsweringVersion envName={envName} tried={tried} onTry={(version) => startOver(envName, version)} />
        {sessionId !== null && (
          <>
            <Button size="xs" variant="default" onClick={() => startOver(envName, tried)}>
              Begin another session
            </Button>
            <PageLink to={`/apps/${appId}/sessions`} search={{ session: sessionId }}>
              Show the session
            </PageLink>
          </>
        )}
      </Group>
      <Stack>
        {missing && <NoSuchVersion of={missing} onLeave={() => startOver(envName)} />}
        {!tried && <NoAgent envName={envName} />}
        <TalkTurns talk={talk} />
        {error && <ErrorBox error={error} fields={FIELDS} />}
      </Stack>
    </section>
  );
}
