// The collection sends each operation with its example. This file has the steps beyond that, which make sure that every
// request finds the resources it needs.

import { FLOW, form, MODEL, SILENCE, TOOL } from './uploads.mjs';

/**
 * A request of an operation with what is said otherwise than in its example.
 * @typedef {object} Step
 * @property {string} operation
 * @property {string} [title]
 * @property {unknown} [body]
 * @property {{ type: string, text: string }} [raw] a body that is sent as it is
 * @property {Record<string, string>} [query]
 * @property {Record<string, string>} [keep] variables, and what of `answer` they become
 * @property {Record<string, string>} [variables] as of a folder, for this request alone
 * @property {string[]} [before] lines of the script that runs before it
 */

/**
 * @typedef {object} Folder
 * @property {Record<string, string>} [variables] other names for variables, where the folder works on things of its own
 * @property {Step[]} [before]
 * @property {string[]} [first] operations that go before the others
 * @property {string[]} [last] operations that end what the others need
 * @property {Record<string, Step[]>} [after] what goes between an operation and the next one
 */

/** The operations that no collection can make succeed, with the reasons. */
export const LEFT_OUT = {
  'GET /auth/idp/{state}': 'a page for the browser of the user who signs in',
  'POST /auth/idp/{state}': 'the form of that page',
  'GET /auth/idp/callback': 'where an identity provider sends that browser',
  'GET /api/admin/v1/console-sign-in/{identity}':
    'a page for the browser of an administrator, if CONSOLE_OIDC_ISSUER is set',
  'GET /api/admin/v1/console-sign-in/{identity}/callback': 'where the provider sends that browser',
  'OPTIONS /api/public/files/tus': 'for clients of the protocol tus',
  'POST /api/public/files/tus': 'for clients of the protocol tus',
  'HEAD /api/public/files/tus/{sessionId}': 'for clients of the protocol tus',
  'PATCH /api/public/files/tus/{sessionId}': 'for clients of the protocol tus',
  'DELETE /api/public/files/tus/{sessionId}': 'for clients of the protocol tus',
  'POST /api/v1/callbacks/{callbackId}': 'for the system that a run of a tool waits for; a tool tells it id and secret',
  'POST /api/public/models/{modelId}/undeploy': 'needs a model that this machine can serve: see docs/models.md',
  'GET /api/admin/v1/projects/{projectId}/mcp-connections/{mcpConnectionId}/tools': 'needs an MCP server',
  'POST /api/admin/v1/projects/{projectId}/dock-jobs/{dockStatusId}/cancel': 'needs a dock job that is under way',
  'POST /api/admin/v1/jobs/{jobId}/cancel': 'needs a job that waits',
  'POST /api/admin/v1/jobs/{jobId}/retry': 'needs a job that has failed',
  'POST /api/admin/v1/deliveries/{deliveryId}/replay': 'needs a delivery that has failed for good',
};

const EVENTS = 'GET /api/public/dock-status/{dockStatusId}/events';
const FROM_LINK = (/** @type {string} */ link) => ({
  expires: `/expires=(\\d+)/.exec(${link})[1]`,
  signature: `/signature=([^&]+)/.exec(${link})[1]`,
});

/**
 * @param {string} title
 * @param {string} variable
 * @param {{ type: string, text: string }} raw
 * @returns {Step}
 */
function upload(title, variable, raw) {
  return { operation: 'POST /api/public/files', title, raw, keep: { [variable]: 'answer.fileId' } };
}

const TOOL_DOCUMENTS = [
  upload(
    'Upload the document of a tool',
    'toolDataFileId',
    form({ fileContext: 'tool' }, 'tool.json', JSON.stringify(TOOL)),
  ),
  upload('Upload its flows', 'flowDataFileId', form({ fileContext: 'tool' }, 'flow.json', JSON.stringify(FLOW))),
];

/** @type {(what: string) => Step} */
const wait = (what) => ({ operation: EVENTS, title: `Wait until the ${what} is done` });

const DEPLOYED_TOOL = [
  ...TOOL_DOCUMENTS,
  { operation: 'POST /api/public/tools/import', title: 'Import a tool' },
  wait('import'),
  { operation: 'POST /api/public/tools/{toolId}/deploy', title: 'Deploy it' },
];

const LEDGER = '/api/public/analytics/projects/{projectId}/llm-ledger';
const SESSIONS = '/api/v2/apps/{appId}/environments/{envName}/sessions';
const ADMIN = '/api/admin/v1';
const ACTIVATE = `PUT ${ADMIN}/apps/{appId}/environments/{envName}`;
const HOOK = 'POST /agentassist/api/v1/hooks/{botId}';
/** The variables with the ids of the project and the app that the collection makes and deletes. */
export const OWN = { projectId: 'ownProjectId', appId: 'ownAppId' };

/** The claims that a JWT client signs, and its signature. */
const SIGN = [
  "const encoded = (words) => CryptoJS.enc.Base64.stringify(words).replace(/=+$/, '').replace(/\\+/g, '-').replace(/\\//g, '_');",
  'const part = (value) => encoded(CryptoJS.enc.Utf8.parse(JSON.stringify(value)));',
  "const claims = { appId: pm.collectionVariables.get('clientId'), sub: 'contact-centre', iat: Math.floor(Date.now() / 1000) };",
  "const unsigned = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;",
  "const signature = CryptoJS.HmacSHA256(unsigned, pm.collectionVariables.get('clientSecret'));",
  "pm.collectionVariables.set('token', `${unsigned}.${encoded(signature)}`);",
];

/** Goes before all others. @type {Step[]} */
export const FIRST = [
  {
    operation: 'GET /api/public/me',
    title: 'Find out what the key belongs to',
    keep: { projectId: 'answer.project_id', appId: 'answer.app_id', scopeId: 'answer.scope_id' },
  },
  {
    operation: 'GET /aaa/api/public/apps/{appId}/scopes/{scopeId}',
    title: 'Find out the name of its scope',
    keep: { scopeName: 'answer.scope.scope_name' },
  },
  {
    operation: `POST ${ADMIN}/projects`,
    title: 'Create a project to administrate',
    keep: { ownProjectId: 'answer.data.projectId' },
  },
  {
    operation: `POST ${ADMIN}/projects/{projectId}/apps`,
    title: 'Create an app in it',
    variables: OWN,
    keep: { ownAppId: 'answer.data.appId' },
  },
];

/** Goes after all others. @type {Step[]} */
export const LAST = [
  { operation: `DELETE ${ADMIN}/apps/{appId}`, title: 'Delete the app that was administrated' },
  { operation: `DELETE ${ADMIN}/projects/{projectId}`, title: 'Delete its project' },
];

/** @type {Record<string, Folder>} */
export const FOLDERS = {
  Sessions: {
    before: [upload('Upload a file', 'fileId', form({ fileContext: 'chat' }, 'silence.wav', SILENCE))],
    last: [`POST ${SESSIONS}/terminate`],
  },
  'Webhook channel': {
    before: [
      {
        operation: `POST ${ADMIN}/projects/{projectId}/webhook-subscriptions`,
        title: 'Subscribe to the replies',
      },
    ],
    after: {
      'GET /api/v1/channels/http-async/messages/{messageId}': [
        { operation: `DELETE ${ADMIN}/webhook-subscriptions/{subscriptionId}`, title: 'End the subscription' },
      ],
    },
  },
  'Chat completions': {
    before: [
      {
        operation: 'GET /api/public/llm/v1/models',
        title: 'Find a model',
        keep: { model: 'answer.data[0].id' },
      },
    ],
  },
  'LLM ledger': {
    first: [`POST ${LEDGER}`],
    after: {
      [`GET ${LEDGER}/export.csv/{filters}`]: [
        {
          operation: `POST ${LEDGER}/export-links`,
          title: 'Make a link to an export as JSON Lines',
          body: { format: 'ndjson', fromDate: '2026-11-01T00:00:00Z', toDate: '2026-12-01T00:00:00Z' },
        },
      ],
    },
  },
  Models: {
    before: [
      {
        operation: 'POST /api/public/files/session/start',
        title: 'Start the upload of a model',
        body: {
          fileContext: 'model',
          fileName: 'four-numbers',
          fileExtension: 'safetensors',
          fileSize: MODEL.length,
          totalChunks: 1,
        },
      },
      {
        operation: 'POST /api/public/files/session/{sessionId}',
        title: 'Send it',
        raw: form({ chunkNumber: '0' }, 'blob', MODEL),
      },
      {
        operation: 'POST /api/public/files/session/{sessionId}/complete',
        title: 'Import it',
        keep: { modelId: 'answer.modelId', dockStatusId: 'answer.dockStatusId' },
      },
      wait('import'),
    ],
    last: ['POST /api/public/models/{modelId}/deploy'],
    after: {
      'POST /api/public/models/{modelId}/export': [wait('export')],
      'POST /api/public/models/{modelId}/deploy': [wait('deployment')],
    },
  },
  Tools: {
    before: TOOL_DOCUMENTS,
    first: ['POST /api/public/tools/import'],
    last: ['POST /api/public/tools/{toolId}/undeploy'],
    after: {
      'POST /api/public/tools/import': [wait('import')],
      'POST /api/public/tools/{toolId}/import': [wait('import')],
      'POST /api/public/tools/{toolId}/export': [wait('export')],
      'POST /api/public/tools/{toolId}/deploy': [wait('deployment')],
      'POST /api/public/tools/{toolId}/undeploy': [wait('undeployment')],
    },
  },
  'Tool runs': { before: DEPLOYED_TOOL },
  'Files in chunks': {
    after: {
      'POST /api/public/files/session/{sessionId}/complete': [
        { operation: 'POST /api/public/files/session/start', title: 'Start another upload' },
      ],
    },
  },
  'Dock status': {
    before: [
      ...TOOL_DOCUMENTS,
      { operation: 'POST /api/public/tools/import', title: 'Import a tool' },
      wait('import'),
      { operation: 'POST /api/public/tools/{toolId}/export', title: 'Export it' },
      wait('export'),
    ],
    last: ['GET /api/public/dock-status/{dockStatusId}/content'],
  },
  'Agent-assist hooks': {
    variables: OWN,
    before: [
      { operation: `POST ${ADMIN}/projects/{projectId}/bots`, title: 'Create a bot' },
      { operation: `POST ${ADMIN}/projects/{projectId}/jwt-clients`, title: 'Create a client that signs its tokens' },
    ],
    after: {
      [HOOK]: [
        { operation: `DELETE ${ADMIN}/bots/{botId}`, title: 'Delete the bot' },
        { operation: `DELETE ${ADMIN}/jwt-clients/{clientId}`, title: 'Delete the client' },
      ],
    },
  },
  'Administration: projects and apps': { variables: { projectId: 'madeProjectId', appId: 'madeAppId' } },
  'Administration: keys and scopes': {
    variables: { ...OWN, scopeId: 'madeScopeId' },
    first: [`POST ${ADMIN}/apps/{appId}/scopes`],
    last: [`DELETE ${ADMIN}/apps/{appId}/apikeys/{keyId}`],
  },
  'Administration: agents': {
    variables: OWN,
    after: {
      [ACTIVATE]: [
        { operation: `POST ${ADMIN}/apps/{appId}/agents`, title: 'Create another agent' },
        { operation: ACTIVATE, title: 'Let it answer instead' },
      ],
    },
    last: [`${ACTIVATE.replace('PUT', 'POST')}/rollback`],
  },
  'Administration: sign-in of users': { variables: OWN },
  'Administration: webhooks': { variables: OWN, first: [`GET ${ADMIN}/messages/{messageId}`] },
  'Administration: ledger': { variables: OWN },
  'Administration: model prices': { variables: OWN },
  'Administration: model connections': { last: [`PATCH ${ADMIN}/projects/{projectId}/connections/{connectionId}`] },
  'Administration: agent assist': {
    variables: OWN,
    after: { [`POST ${ADMIN}/projects/{projectId}/bots`]: [{ operation: HOOK, title: 'Tell it of a conversation' }] },
  },
  'Administration: retention': { variables: OWN },
};

/** Wherever they are sent. @type {Record<string, Omit<Step, 'operation'>>} */
export const REQUESTS = {
  'POST /api/public/files': {
    raw: form({ fileContext: 'bulkImport' }, 'orders.csv', 'order,item\nA-1001,Lamp\n'),
    keep: FROM_LINK('answer.url'),
  },
  'POST /api/public/files/session/start': {
    body: { fileContext: 'bulkImport', fileName: 'orders.csv', fileExtension: 'csv', fileSize: 11, totalChunks: 1 },
  },
  'POST /api/public/files/session/{sessionId}': { raw: form({ chunkNumber: '0' }, 'blob', 'order,item\n') },
  'GET /api/public/dock-status/{dockStatusId}': { keep: FROM_LINK('answer.response.downloadUrl') },
  'POST /api/public/tools/{toolId}/execute': { body: { input: {}, flowId: 'waiting', isAsync: true } },
  [`POST ${LEDGER}/export-links`]: {
    keep: { ...FROM_LINK('answer.url'), filters: '/export\\.\\w+\\/([^?]+)/.exec(answer.url)[1]' },
  },
  [`GET ${LEDGER}`]: { keep: { id: 'answer.generations[0].id' } },
  'POST /aaa/api/public/apps/{appId}/apikeys/create': {
    body: { scope_name: '{{scopeName}}', api_key_name: 'server-1' },
  },
  // The example takes a permission from the scope, which requests after this one need.
  'PUT /aaa/api/public/apps/{appId}/scopes/{scopeId}': { body: { permissions: { RUN_API: 'YES' } } },
  'POST /api/public/tools/import': { keep: { toolId: 'answer.toolId' } },
  // The example of a key names this scope.
  [`POST ${ADMIN}/apps/{appId}/scopes`]: { body: { scopeName: 'demo', permissions: { RUN_API: 'YES' } } },
  [HOOK]: { before: SIGN },
  // Only these answers show it.
  [`POST ${ADMIN}/projects/{projectId}/jwt-clients`]: { keep: { clientSecret: 'answer.data.clientSecret' } },
  [`POST ${ADMIN}/jwt-clients/{clientId}/rotate`]: { keep: { clientSecret: 'answer.data.clientSecret' } },
  [`GET ${ADMIN}/projects/{projectId}/tools/{toolId}/versions`]: { keep: { versionId: 'answer.data[0].versionId' } },
  [`GET ${ADMIN}/apps/{appId}/users`]: {
    query: { reference: 'customer-17' },
    keep: { userId: 'answer.data[0].userId' },
  },
  [`GET ${ADMIN}/apps/{appId}/session-settings`]: { variables: OWN },
  [`PATCH ${ADMIN}/apps/{appId}/session-settings`]: { variables: OWN },
  [`GET ${ADMIN}/audit`]: { keep: { auditId: 'answer.data[0].auditId' } },
  [`GET ${ADMIN}/jobs`]: { keep: { jobId: 'answer.data[0].jobId' } },
};
