// Writes the documents that are made from the code. With --check, it reports those that differ from the code instead.
import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { Parser } from '@asyncapi/parser';
import { AppModule } from '../dist/src/app.module.js';
import { errorCatalogue, exampleError, reasonCatalogue } from '../dist/src/kernel/errors.js';
import { PERMISSIONS } from '../dist/src/kernel/permissions.js';
import { asyncApiDocument } from '../dist/src/modules/webhooks/callbacks/asyncapi.js';
import { createApplication } from '../dist/src/platform/application.js';
import { settingsSchema } from '../dist/src/platform/config/settings-schema.js';
import { openApiDocument } from '../dist/src/platform/openapi/openapi.js';
import { retentionRules } from '../dist/src/platform/retention/retention-rule.js';
import { RouteIndex } from '../dist/src/platform/route/route-index.js';
import { postmanCollection } from './postman/collection.mjs';
import { sqlDocuments } from './sql.mjs';

/** The settings without which the application cannot be created. It is not started, so it connects to no database. */
const WIRING = {
  DATABASE_URL: 'postgres://user@127.0.0.1:1/nothing',
  REDIS_URL: 'redis://127.0.0.1:1',
  SLIPWAY_PEPPER: 'wiring-needs-some-pepper-of-this-length',
  SLIPWAY_MASTER_KEYS: `1:${randomBytes(32).toString('base64')}`,
  SLIPWAY_LINK_SECRETS: `1:${randomBytes(32).toString('base64')}`,
  LOG_LEVEL: 'silent',
};

const GENERATED = '<!-- Made from the code by `npm run docs`; changes here are lost. -->';

process.exitCode = await main();
// The application has timers and sockets that would keep the process running.
process.exit();

async function main() {
  Object.assign(process.env, WIRING);
  const app = await createApplication(AppModule);
  const routes = app.get(RouteIndex).all();
  const openApi = openApiDocument(app);
  const documents = {
    'docs/openapi.json': `${JSON.stringify(openApi, null, 2)}\n`,
    'docs/slipway.postman_collection.json': `${JSON.stringify(postmanCollection(openApi), null, 2)}\n`,
    'docs/asyncapi.json': `${JSON.stringify(asyncApiDocument(), null, 2)}\n`,
    'docs/errors.md': errors(),
    'docs/permissions.md': permissions(routes),
    'docs/retention.md': retention(),
    'docs/settings.md': settings(),
    'config/env.example': environmentExample(),
    ...(await sqlDocuments()),
  };
  const faults = await asyncApiFaults(documents['docs/asyncapi.json']);
  if (faults.length > 0) {
    console.error(`docs/asyncapi.json is not as it should be:\n${faults.join('\n')}`);
    return 1;
  }
  return process.argv.includes('--check') ? check(documents) : write(documents);
}

/**
 * Returns the errors and warnings of the specification's own parser.
 * @param {string} text
 */
async function asyncApiFaults(text) {
  const diagnostics = await new Parser().validate(text);
  return diagnostics
    .filter(({ severity }) => Number(severity) <= 1)
    .map(({ path, message }) => `  ${path.join('.')}: ${message}`);
}

/** @param {Record<string, string>} documents */
async function write(documents) {
  for (const [path, text] of Object.entries(documents)) await writeFile(inProject(path), text);
  return 0;
}

/** @param {Record<string, string>} documents */
async function check(documents) {
  const stale = [];
  for (const [path, text] of Object.entries(documents)) {
    if ((await readFile(inProject(path), 'utf8').catch(() => '')) !== text) stale.push(path);
  }
  if (stale.length === 0) return 0;
  console.error(`No longer what the code says: ${stale.join(', ')}. Run \`npm run docs\` and commit what it writes.`);
  return 1;
}

function errors() {
  const rows = errorCatalogue().map(
    (spec) => `| \`${spec.code}\` | ${spec.status} | ${cell(exampleError(spec).message)} |`,
  );
  const introduction =
    'Look up an error here by its code: its message says what has happened and what to do next. Codes never change, while messages may become clearer.';
  return page('Errors', introduction, [
    '| Code | Status | Message |',
    '| - | - | - |',
    ...rows,
    ...reasonCatalogue().flatMap((list) => [
      '',
      `## ${list.title}`,
      '',
      list.introduction,
      '',
      ...reasons(list.reasons),
    ]),
  ]);
}

/** @param {Record<string, string>} all */
function reasons(all) {
  const rows = Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1));
  return ['| Code | Message |', '| - | - |', ...rows.map(([code, message]) => `| \`${code}\` | ${cell(message)} |`)];
}

/** @param {import('../dist/src/platform/route/route-index.js').IndexedRoute[]} routes */
function permissions(routes) {
  const specs = /** @type {Record<string, { allows: string, implies?: readonly string[] }>} */ (PERMISSIONS);
  const rows = Object.entries(specs).map(([name, { allows, implies = [] }]) => {
    const implied = implies.map((other) => `\`${other}\``).join(', ');
    return `| \`${name}\` | ${cell(allows)} | ${implied} | ${operations(routes, name)} |`;
  });
  const others = ['anyKey', 'administration', 'jwtClient', 'public'].map(
    (access) => `| ${access} | ${operations(routes, access)} |`,
  );
  const introduction =
    'After reading this page you know which permissions a scope can grant, and which operations need them. A permission also grants those that it implies. Implied permissions are not stored with the scope.';
  return page('Permissions', introduction, [
    '| Permission | Allows | Implies | Operations |',
    '| - | - | - | - |',
    ...rows,
    '',
    '`anyKey` is every key of the project except one whose scope grants `HTTP_ASYNC_SEND` alone.',
    '',
    '| Other access | Operations |',
    '| - | - |',
    ...others,
  ]);
}

/**
 * @param {import('../dist/src/platform/route/route-index.js').IndexedRoute[]} routes
 * @param {string} access
 */
function operations(routes, access) {
  return (
    routes
      .filter((route) => route.access === access || route.permissionForOtherScopes === access)
      .map(({ verb, path }) => `\`${verb} ${path}\``)
      .join('<br>') || 'none yet'
  );
}

/** @param {number} count @param {string} unit */
function quantity(count, unit) {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

function retention() {
  const rows = retentionRules().map(({ name, holds, keep, perProject }) => {
    const kept = 'days' in keep ? quantity(keep.days, 'day') : quantity(keep.hours, 'hour');
    const own = perProject ? `${perProject.minDays} to ${perProject.maxDays} days` : 'no';
    return `| \`${name}\` | ${cell(holds)} | ${kept} | ${own} |`;
  });
  const introduction =
    'After reading this page you know how long rows of each kind are kept, and for which of them a project can set its own period. [security.md](security.md) describes how old rows are deleted.';
  return page('Retention', introduction, [
    '| Name | Holds | Kept | A project may have its own |',
    '| - | - | - | - |',
    ...rows,
  ]);
}

function settings() {
  const rows = settingList().map(({ name, fallback, required, description }) => {
    const value = required ? '*required*' : fallback === '' ? '' : `\`${fallback}\``;
    return `| \`${name}\` | ${value} | ${cell(description)} |`;
  });
  const introduction =
    'Look up here how to configure Slipway. It reads its settings from the environment at the start, and names all invalid ones at once.';
  return page('Settings', introduction, ['| Name | Default | Meaning |', '| - | - | - |', ...rows]);
}

function environmentExample() {
  const entries = settingList().map(({ name, fallback, description }) => `# ${description}\n#${name}=${fallback}\n`);
  return `# Every setting with its default. Made from the code by \`npm run docs\`; copy it, and change the copy.\n\n${entries.join('\n')}`;
}

function settingList() {
  const { properties = {}, required = [] } = z.toJSONSchema(settingsSchema, { io: 'input', unrepresentable: 'any' });
  return Object.entries(properties).map(([name, property]) => {
    const { default: fallback = '', description = '' } = /** @type {{ default?: unknown, description?: string }} */ (
      property
    );
    return { name, fallback: [fallback].flat().join(','), required: required.includes(name), description };
  });
}

/**
 * @param {string} title
 * @param {string} introduction
 * @param {string[]} lines
 */
function page(title, introduction, lines) {
  return [`# ${title}`, '', GENERATED, '', introduction, '', ...lines, ''].join('\n');
}

/** @param {string} text */
function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** @param {string} path */
function inProject(path) {
  return new URL(`../${path}`, import.meta.url);
}
