import { Alert, Anchor, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, bodyOf, dataOf } from '../api/client.js';
import { type AppContext, useApp } from '../app/app-context.js';
import { ErrorBox } from '../parts/error-box.js';
import { formatBytes, formatNumber, formatTime } from '../parts/format.js';
import { lastHours } from '../parts/last-hours.js';
import { REFRESH_MS } from '../parts/refresh.js';

/** Something that is wrong now, and the page that mends it. */
interface Problem {
  text: string;
  to: string;
  search?: Record<string, string>;
}

const MANY = { limit: 100 };
/** Storage counts as full before the first upload is refused. */
const FULL = 0.95;

/** The list of what is wrong in the project now. It shows nothing while all is well. */
export function Problems() {
  const app = useApp();
  const { data: problems, error } = useProblems(app, REFRESH_MS);
  if (error) return <ErrorBox error={error} />;
  if (!problems) return null;
  if (problems.length === 0) return <Text size="sm">Nothing is wrong now.</Text>;
  return (
    <Alert color="red" title="Wrong now" role="region" aria-label="Wrong now">
      <List size="sm">
        {problems.map((problem, at) => (
          <List.Item key={at}>
            <ProblemLink of={problem} appId={app.appId} />
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

export function useProblems(app: AppContext, refetchInterval: number) {
  return useQuery({ queryKey: ['problems', app.projectId], queryFn: () => problemsOf(app), refetchInterval });
}

/** Leads to the page that mends the problem. */
export function ProblemLink({ of: { text, to, search = {} }, appId }: { of: Problem; appId: string }) {
  return (
    <Anchor
      component={Link}
      to={to}
      params={{ appId } as never}
      search={search as never}
      size="sm"
      c="var(--mantine-color-text)"
      underline="always"
      className="cell"
      dir="auto"
    >
      {text}
    </Anchor>
  );
}

async function problemsOf(app: AppContext): Promise<Problem[]> {
  const kinds = [connectionProblems, receiverProblems, modelProblems, jobProblems, storageProblems];
  return (await Promise.all(kinds.map((find) => find(app)))).flat();
}

/** A connection has no state of its own for failures, so the calls of the last hour tell. */
async function connectionProblems({ asApp, projectId }: AppContext): Promise<Problem[]> {
  const path = { projectId };
  const [connections, { groups }] = await Promise.all([
    dataOf(api.GET('/api/admin/v1/projects/{projectId}/connections', { params: { path, query: MANY } })),
    bodyOf(
      asApp.GET('/api/public/analytics/projects/{projectId}/llm-ledger/summary', {
        params: { path, query: { ...lastHours(1), status: 'failed', groupBy: 'model' } as never },
      }),
    ),
  ]);
  const unreadable = connections.filter((connection) => connection.unreadable);
  return [
    ...unreadable.map(({ connectionId, connectionName }) => ({
      text: `The secrets of the connection ${connectionName} cannot be read.`,
      to: '/apps/$appId/connections',
      search: { connection: connectionId },
    })),
    ...groups.map(({ key, calls }): Problem => {
      const connection = connections.find(({ model }) => model === key);
      const text = `${counted(calls, 'call')} of ${key} failed in the last hour.`;
      if (connection) return { text, to: '/apps/$appId/connections', search: { connection: connection.connectionId } };
      return { text, to: '/apps/$appId/ledger', search: { status: 'failed', model: key, period: '1h' } };
    }),
  ];
}

function counted(count: number, what: string): string {
  return `${formatNumber(count)} ${what}${count === 1 ? '' : 's'}`;
}

async function receiverProblems({ projectId }: AppContext): Promise<Problem[]> {
  const subscriptions = await dataOf(
    api.GET('/api/admin/v1/projects/{projectId}/webhook-subscriptions', {
      params: { path: { projectId }, query: MANY },
    }),
  );
  return subscriptions.flatMap(({ subscriptionId, displayName, status, disabledReason, pausedUntil, failingSince }) => {
    const about = (text: string) => [{ text, to: '/apps/$appId/webhooks', search: { subscription: subscriptionId } }];
    if (status === 'DISABLED') return about(`The receiver ${displayName} is disabled. ${disabledReason ?? ''}`);
    if (pausedUntil && Date.parse(pausedUntil) > Date.now())
      return about(`The receiver ${displayName} is paused until ${formatTime(pausedUntil)}.`);
    if (failingSince) return about(`The receiver ${displayName} has failed since ${formatTime(failingSince)}.`);
    return [];
  });
}

async function modelProblems({ projectId }: AppContext): Promise<Problem[]> {
  const models = await dataOf(
    api.GET('/api/admin/v1/projects/{projectId}/models', { params: { path: { projectId }, query: MANY } }),
  );
  return models.flatMap(({ modelId, name, state, error, deployment }) => {
    const about = (text: string) => [{ text, to: '/apps/$appId/models', search: { model: modelId } }];
    if (state === 'FAILED') return about(`The model ${name} could not be imported. ${error?.message ?? ''}`);
    if (deployment?.error) return about(`The model ${name} is not served as it should be. ${deployment.error.message}`);
    return [];
  });
}

async function jobProblems({ projectId }: AppContext): Promise<Problem[]> {
  const query = { ...MANY, projectId, state: 'failed' } as const;
  const failed = await dataOf(api.GET('/api/admin/v1/jobs', { params: { query } }));
  const names = Map.groupBy(failed, ({ name }) => name);
  return [...names].map(([name, jobs]) => ({
    text: `${counted(jobs.length, 'job')} ${name} failed. ${jobs[0]!.error ?? ''}`,
    to: '/jobs',
    search: { state: 'failed', projectId, name },
  }));
}

async function storageProblems({ projectId }: AppContext): Promise<Problem[]> {
  const { fileBytes, heldBytes, limitBytes } = await dataOf(
    api.GET('/api/admin/v1/projects/{projectId}/storage', { params: { path: { projectId } } }),
  );
  const used = fileBytes + heldBytes;
  if (limitBytes === null || used < limitBytes * FULL) return [];
  const text = `The storage is full: ${formatBytes(used)} of ${formatBytes(limitBytes)} are used.`;
  return [{ text, to: '/apps/$appId/files' }];
}
