import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../api/client.js';
import { useApp } from '../../app/app-context.js';
import { type Field, FieldsForm, filledIn, type Texts } from '../../parts/fields-form.js';
import { formatJson } from '../../parts/format.js';
import { useAction } from '../../parts/use-action.js';

type McpConnection = Schemas['McpConnection'];
type NewMcpConnection = Schemas['CreateMcpConnectionInput'];

const PATH = '/api/admin/v1/projects/{projectId}/mcp-connections';

const NAME: Field<keyof NewMcpConnection> = { name: 'name', label: 'Name', isRequired: true };
const URL: Field<keyof NewMcpConnection> = {
  name: 'url',
  label: 'Address',
  isRequired: true,
  hint: 'The endpoint of the server for streamable HTTP, such as https://mcp.example.com/mcp',
};
const HEADERS: Field<keyof NewMcpConnection> = {
  name: 'headers',
  label: 'Headers',
  kind: 'json',
  hint: 'A list, such as [{"key": "x-api-key", "value": "…"}]. The values are sealed.',
};
const ALLOWED_TOOLS: Field<keyof NewMcpConnection> = {
  name: 'allowedTools',
  label: 'Allowed tools',
  kind: 'json',
  hint: 'A list of names, such as ["search_issues"]. If it is empty, all tools of the server may be called.',
};
const AUTH_PROFILE: Field<keyof NewMcpConnection> = {
  name: 'authProfile',
  label: 'Authorization profile',
  hint: 'Its name, if the server gets the access token of each user.',
};
const TIMEOUT: Field<keyof NewMcpConnection> = {
  name: 'timeoutMs',
  label: 'Time limit of a call, in milliseconds',
  kind: 'number',
};

const TO_CREATE = [NAME, URL, HEADERS, ALLOWED_TOOLS, AUTH_PROFILE, { ...TIMEOUT, hint: 'The default is 30,000.' }];
const KEPT = 'A mask that stays keeps its value. An address at another host needs the values again.';
const TO_CHANGE = [
  NAME,
  URL,
  { ...HEADERS, hint: KEPT },
  ALLOWED_TOOLS,
  AUTH_PROFILE,
  { ...TIMEOUT, isRequired: true },
] as const;

/** The values of members whose fields were emptied. The other fields are required. */
const EMPTIED: Readonly<Record<string, unknown>> = { headers: [], allowedTools: null, authProfile: null };

/** Creates a connection to an MCP server. */
export function NewMcpConnectionForm({ onDone }: { onDone: (mcpConnectionId?: string) => void }) {
  const { projectId } = useApp();
  const [texts, setTexts] = useState<Texts>({});
  const create = useAction(async () => {
    const body = filledIn(TO_CREATE, texts) as NewMcpConnection;
    onDone((await dataOf(api.POST(PATH, { params: { path: { projectId } }, body }))).mcpConnectionId);
  });
  return (
    <FieldsForm
      label="Create an MCP connection"
      fields={TO_CREATE}
      texts={texts}
      onChange={setTexts}
      onSubmit={() => create.mutate()}
      isBusy={create.isPending}
      error={create.error}
      onCancel={() => onDone()}
    />
  );
}

/** Changes only the members whose texts were changed, so that the changes of another administrator stay. */
export function ChangeMcpConnectionForm({ of, onDone }: { of: McpConnection; onDone: () => void }) {
  const { projectId } = useApp();
  const [shown] = useState<Texts>(() => textsOf(of));
  const [texts, setTexts] = useState(shown);
  const change = useAction(async () => {
    const changed = TO_CHANGE.filter(({ name }) => texts[name]!.trim() !== shown[name]);
    const emptied = changed
      .filter(({ name }) => !texts[name]!.trim())
      .map(({ name }) => [name, EMPTIED[name]] as const);
    const params = { path: { projectId, mcpConnectionId: of.mcpConnectionId } };
    const body = { ...Object.fromEntries(emptied), ...filledIn(changed, texts) };
    await api.PATCH(`${PATH}/{mcpConnectionId}`, { params, body });
  });
  return (
    <FieldsForm
      label="Change the MCP connection"
      fields={TO_CHANGE}
      texts={texts}
      onChange={setTexts}
      // The page beside the form shows the change before the form is gone.
      onSubmit={() => change.mutate(undefined, { onSuccess: onDone })}
      isBusy={change.isPending}
      error={change.error}
      onCancel={onDone}
    />
  );
}

function textsOf({ name, url, headers, allowedTools, authProfile, timeoutMs }: McpConnection): Texts {
  return {
    name,
    url,
    headers: headers.length > 0 ? formatJson(headers) : '',
    allowedTools: allowedTools === null ? '' : formatJson(allowedTools),
    authProfile: authProfile ?? '',
    timeoutMs: String(timeoutMs),
  };
}
