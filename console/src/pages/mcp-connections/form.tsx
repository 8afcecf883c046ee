import { api, dataOf, type Schemas } from '../../api/client.js';
import { useApp } from '../../app/app-context.js';
import { ChangeForm } from '../../parts/change-form.js';
import { type Field, FieldsForm, filledIn, type Texts } from '../../parts/fields-form.js';
import { MCP_CONNECTION, MCP_CONNECTIONS } from './requests.js';

type McpConnection = Schemas['McpConnection'];
type NewMcpConnection = Schemas['CreateMcpConnectionInput'];

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
  none: [],
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

/** Creates a connection to an MCP server. */
export function NewMcpConnectionForm({ onDone }: { onDone: (mcpConnectionId?: string) => void }) {
  const { projectId } = useApp();
  const create = async (texts: Texts) => {
    const body = filledIn<NewMcpConnection>(TO_CREATE, texts);
    return (await dataOf(api.POST(MCP_CONNECTIONS, { params: { path: { projectId } }, body }))).mcpConnectionId;
  };
  return <FieldsForm label="Create an MCP connection" fields={TO_CREATE} save={create} onDone={onDone} />;
}

export function ChangeMcpConnectionForm({ of, onDone }: { of: McpConnection; onDone: () => void }) {
  const { projectId } = useApp();
  const params = { path: { projectId, mcpConnectionId: of.mcpConnectionId } };
  return (
    <ChangeForm
      label="Change the MCP connection"
      fields={TO_CHANGE}
      of={of}
      change={(body) => api.PATCH(MCP_CONNECTION, { params, body })}
      onDone={onDone}
    />
  );
}
