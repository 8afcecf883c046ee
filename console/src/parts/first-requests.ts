import { filled } from '../api/path.js';
import type { CurlRequest } from './copy-curl.js';

const TRACE = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const SPAN_MS = 600;
/** A document as cURL takes it in a form, in which a semicolon would end it. */
const TOOL_DOCUMENT = JSON.stringify({
  schemaVersion: '1.0',
  tool: { name: 'weather', description: 'Tells the weather of a city.', inputSchema: { type: 'object' } },
});

export function createProject(): CurlRequest {
  return {
    method: 'POST',
    path: '/api/admin/v1/projects',
    access: 'administration',
    body: { name: 'Customer service' },
  };
}

/** Creates an app of a project. */
export function createApp(projectId: string): CurlRequest {
  return {
    method: 'POST',
    path: filled('/api/admin/v1/projects/{projectId}/apps', { projectId }),
    access: 'administration',
    body: { name: 'Returns' },
  };
}

/** Creates a scope of an app, from which its keys are made. */
export function createScope(appId: string): CurlRequest {
  return {
    method: 'POST',
    path: filled('/api/admin/v1/apps/{appId}/scopes', { appId }),
    access: 'administration',
    body: { scopeName: 'Backend', permissions: { RUN_API: 'YES' } },
  };
}

export function createAgent(appId: string): CurlRequest {
  return {
    method: 'POST',
    path: filled('/api/admin/v1/apps/{appId}/agents', { appId }),
    access: 'administration',
    body: { name: 'Returns desk', instructions: 'You help customers with returns.' },
  };
}

/** Uploads a tool document, with which an import of a tool begins. */
export function uploadToolDocument(): CurlRequest {
  return {
    method: 'POST',
    path: '/api/public/files',
    access: 'key',
    form: { file: `${TOOL_DOCUMENT};filename=tool.json`, fileContext: 'tool' },
  };
}

/** Reports that an agent of a contact centre joins a conversation. */
export function reportConversation(botId: string): CurlRequest {
  const participant = { identity: 'agent-17', name: 'Ada', type: 'agent' };
  const joined = { name: 'INTERNAL_TRANSFER_EVENT', transfertype: 'NA', transition: 'entry', isExtAD: 'false' };
  return {
    method: 'POST',
    path: filled('/agentassist/api/v1/hooks/{botId}', { botId }),
    access: 'hook',
    body: { conversationId: 'call-4711', botId, events: [{ ...joined, experience: 'chat', participant }] },
  };
}

/** Reports a call of a model, as a program does that calls its provider itself. */
export function reportCall(projectId: string): CurlRequest {
  const timestamp = new Date().toISOString();
  const call = {
    // A second call of the same id would be ignored as a duplicate.
    callId: `call-${timestamp}`,
    timestamp,
    status: 'success',
    model: 'gpt-5-mini',
    provider: 'openai',
    inputTokens: 12,
    completionTokens: 34,
    latencyMs: 600,
  };
  return {
    method: 'POST',
    path: filled('/api/public/analytics/projects/{projectId}/llm-ledger', { projectId }),
    access: 'key',
    body: { generations: [call] },
  };
}

/** Reports a trace with one step, as OpenTelemetry does. */
export function reportTrace(): CurlRequest {
  const end = Date.now();
  const span = {
    ...TRACE,
    name: 'look up an order',
    startTimeUnixNano: nanoseconds(end - SPAN_MS),
    endTimeUnixNano: nanoseconds(end),
  };
  return {
    method: 'POST',
    path: '/api/public/otel/v1/traces',
    access: 'key',
    body: { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] },
  };
}

function nanoseconds(milliseconds: number): string {
  return `${milliseconds}000000`;
}
