import { Group, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, type Schemas } from '../../api/client.js';
import { filled } from '../../api/path.js';
import { useApp } from '../../app/app-context.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { ErrorBox } from '../../parts/error-box.js';
import { Facts } from '../../parts/facts.js';
import { REFRESH_MS } from '../../api/refresh.js';
import { SectionTitle } from '../../parts/section-title.js';
import { TableHead } from '../../parts/table-head.js';
import { useAction } from '../../parts/use-action.js';
import { activationBeforeOptions, APP_ENVIRONMENT, APP_ENVIRONMENTS, environmentsOptions } from './requests.js';
import { useVersionName } from './version-name.js';

type Environment = Schemas['Environment'];
type Active = Pick<Environment, 'agentId' | 'appVersionId'>;

export function useEnvironments() {
  const { appId } = useApp();
  return useQuery({ ...environmentsOptions(appId), refetchInterval: REFRESH_MS });
}

/** The version that answers in each environment, and the way back to the one before. */
export function Environments() {
  const { appId } = useApp();
  const { data, error } = useEnvironments();
  return (
    <>
      <SectionTitle
        title="Environments"
        request={{ path: filled(APP_ENVIRONMENTS, { appId }), access: 'administration' }}
      />
      {error && <ErrorBox error={error} />}
      <Table aria-label="Active versions">
        <TableHead titles={['Environment', 'Active agent', 'Action']} />
        <Table.Tbody>
          {data?.map((environment) => (
            <Table.Tr key={environment.name}>
              <Table.Td>{environment.name}</Table.Td>
              <Table.Td className="cell" dir="auto">
                <VersionName of={environment} />
              </Table.Td>
              <Table.Td className="cell" dir="auto">
                {environment.agentId !== null && (
                  <Group gap="xs">
                    <RollBack of={environment} />
                    <Deactivate envName={environment.name} agentId={environment.agentId} />
                  </Group>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </>
  );
}

/** Says in which environments an agent answers, and by which version. */
export function ActiveVersions({ of: agentId }: { of: string }) {
  const { data, error } = useEnvironments();
  const active = data?.filter((environment) => environment.agentId === agentId) ?? [];
  return (
    <>
      {error && <ErrorBox error={error} />}
      {data && active.length === 0 && <Text size="sm">No version of this agent is active in an environment.</Text>}
      <Facts of={Object.fromEntries(active.map((each) => [`Active in ${each.name}`, <VersionName of={each} />]))} />
    </>
  );
}

/** Activates the version before the active one again. An environment may have had no other one. */
function RollBack({ of: { name: envName, appVersionId } }: { of: Environment }) {
  const { appId } = useApp();
  const { data: before, error } = useQuery(activationBeforeOptions(appId, envName, appVersionId));
  const rollBack = useAction(() => api.POST(`${APP_ENVIRONMENT}/rollback`, { params: { path: { appId, envName } } }));
  return (
    <>
      {before && (
        <Group gap="xs">
          <ConfirmButton
            label="Roll back"
            row={envName}
            isBusy={rollBack.isPending}
            onConfirm={() => rollBack.mutate()}
          />
          <span>
            to <VersionName of={before} />
          </span>
        </Group>
      )}
      {before === null && 'No other version was active before.'}
      {error && <ErrorBox error={error} />}
      {rollBack.error && <ErrorBox error={rollBack.error} />}
    </>
  );
}

/** Afterwards no agent answers in the environment, and the agent can be deleted. */
function Deactivate({ envName, agentId }: { envName: Environment['name']; agentId: string }) {
  const { appId } = useApp();
  const deactivate = useAction(() =>
    api.PUT(APP_ENVIRONMENT, { params: { path: { appId, envName } }, body: { agentId, active: false } }),
  );
  return (
    <>
      <ConfirmButton
        label="Deactivate"
        row={envName}
        warning="Messages to this environment are then refused."
        isBusy={deactivate.isPending}
        onConfirm={() => deactivate.mutate()}
      />
      {deactivate.error && <ErrorBox error={deactivate.error} />}
    </>
  );
}

/** The ids are shown until the names are read. */
export function VersionName({ of: { agentId, appVersionId } }: { of: Active }) {
  const { name, error } = useVersionName(agentId, appVersionId);
  return (
    <>
      {name ?? (agentId === null ? 'none' : `${agentId}, ${appVersionId}`)}
      {error && <ErrorBox error={error} />}
    </>
  );
}
