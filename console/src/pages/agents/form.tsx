import { Checkbox, Code, Stack, Text, Textarea } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, pageOf, type Schemas } from '../../api/client.js';
import { readAll } from '../../api/read-all.js';
import { useApp } from '../../app/app-context.js';
import { ActionForm } from '../../parts/action-form.js';
import { ErrorBox } from '../../parts/error-box.js';
import { growing } from '../../parts/growing.js';
import { sentenceOf } from '../../parts/sentences.js';
import { useReadingPause } from '../../parts/use-reading-pause.js';
import { MCP_CONNECTIONS } from '../mcp-connections/requests.js';
import { AGENT, agentOptions } from './reading.js';

/** The changes that the user has not saved. A member that is left out is as the agent has it. */
interface Draft {
  /** The version that the user saw when the first change was made. */
  begunWith: number;
  instructions?: string;
  mcpConnectionIds?: readonly string[];
}

/** Changes the instructions of an agent, and the MCP connections whose tools it may call. */
export function AgentForm({ agent }: { agent: Schemas['Agent'] }) {
  const { appId, agentId, version } = agent;
  const queries = useQueryClient();
  const [draft, setDraft] = useState<Draft | null>(null);
  const { instructions = agent.instructions, mcpConnectionIds: servers = agent.mcpConnectionIds } = draft ?? {};
  const edit = (edited: Partial<Draft>) => setDraft((before) => ({ begunWith: version, ...before, ...edited }));
  const changes = {
    ...(instructions !== agent.instructions && { instructions }),
    ...(!areSame(servers, agent.mcpConnectionIds) && { mcpConnectionIds: [...servers] }),
  };
  const isChanged = Object.keys(changes).length > 0;
  const isOutdated = draft !== null && isChanged && draft.begunWith !== version;
  const isReadable = useReadingPause(isOutdated);
  const save = async () => {
    // Another tab may have made a version since the page read the agent. Then the form says so, and saves on request.
    const latest = await queries.fetchQuery(agentOptions(appId, agentId));
    if (latest.version !== version) return;
    const saved = await dataOf(api.PATCH(AGENT, { params: { path: { appId, agentId } }, body: changes }));
    queries.setQueryData(agentOptions(appId, agentId).queryKey, saved);
    setDraft(null);
  };
  return (
    <ActionForm
      label="Change the agent"
      button="Save as a version"
      fields={{ instructions: 'The instructions' }}
      send={save}
      isDisabled={!isChanged || (isOutdated && !isReadable)}
    >
      {(faultOf) => (
        <>
          <Textarea
            label="Instructions"
            description={`These belong to version ${version}. A change makes the next version, which answers once you activate it.`}
            {...growing(20)}
            value={instructions}
            onChange={({ currentTarget }) => edit({ instructions: currentTarget.value })}
            error={faultOf('instructions')}
          />
          <McpServers
            known={agent.mcpConnectionIds}
            chosen={servers}
            onChange={(mcpConnectionIds) => edit({ mcpConnectionIds })}
          />
          {isOutdated && (
            <Text size="sm" role="status">
              Version {version} was made meanwhile. What you changed began with version {draft.begunWith}. If you save,
              it replaces the same parts of version {version}.
            </Text>
          )}
        </>
      )}
    </ActionForm>
  );
}

interface McpServersProps {
  /** The connections of the present version, of which some may have been deleted. */
  known: readonly string[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}

function McpServers({ known, chosen, onChange }: McpServersProps) {
  const { projectId } = useApp();
  const { data: connections, error } = useQuery({
    queryKey: ['mcp-connections-to-choose', projectId],
    queryFn: () => readConnections(projectId),
  });
  if (!connections) return error && <ErrorBox error={error} />;
  const gone = known.filter((id) => !connections.some(({ mcpConnectionId }) => mcpConnectionId === id));
  if (connections.length === 0 && gone.length === 0) return null;
  return (
    <Checkbox.Group
      label="MCP connections"
      description="The agent may call the tools of these servers."
      error={error && sentenceOf(error)}
      value={[...chosen]}
      onChange={onChange}
    >
      <Stack gap={4} mt="xs">
        {connections.map(({ mcpConnectionId, name, status }) => (
          <Checkbox
            key={mcpConnectionId}
            value={mcpConnectionId}
            label={
              <span className="cell" dir="auto">
                {status === 'ACTIVE' ? name : `${name} (inactive)`}
              </span>
            }
          />
        ))}
        {gone.map((id) => (
          <Checkbox
            key={id}
            value={id}
            label={
              <Text span size="sm">
                <Code>{id}</Code> is deleted. Take it out before you choose others.
              </Text>
            }
          />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

function readConnections(projectId: string): Promise<Schemas['McpConnection'][]> {
  const params = { path: { projectId } };
  return readAll((cursor) =>
    pageOf(api.GET(MCP_CONNECTIONS, { params: { ...params, query: { limit: 100, cursor } } })),
  );
}

function areSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id) => other.includes(id));
}
