// Renders what the code declares as pages.
import { z } from 'zod';
import {
  errorCatalogue,
  eventDefinitions,
  exampleError,
  PERMISSIONS,
  reasonCatalogue,
  retentionRules,
  settingsWithPlugins,
} from '../../dist/bundle/documents.js';

const GENERATED = '<!-- Made from the code by `npm run docs`; changes here are lost. -->';

export function errorsPage() {
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

/** @param {import('../../dist/bundle/documents.js').IndexedRoute[]} routes */
export function permissionsPage(routes) {
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
 * @param {import('../../dist/bundle/documents.js').IndexedRoute[]} routes
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

export function eventsPage() {
  const rows = eventDefinitions()
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, payload }) => `| \`${name}\` | ${cell(payload.description ?? '')} | ${members(payload)} |`);
  const introduction =
    'Look up here which events modules and plugins can listen to, and what a listener receives. [Plug points](extend/plug-points.md#events) explains how to listen. A payload has ids and states; a listener reads what else it needs.';
  return page('Events', introduction, ['| Event | Published when | Payload |', '| - | - | - |', ...rows]);
}

/** @param {z.ZodType} payload */
function members(payload) {
  const { properties = {} } = z.toJSONSchema(payload, { unrepresentable: 'any' });
  return Object.entries(properties)
    .map(([name, property]) => {
      const values = /** @type {{ enum?: string[] }} */ (property).enum?.map((value) => `\`${value}\``);
      return values ? `\`${name}\`: ${values.join(', ')}` : `\`${name}\``;
    })
    .join('<br>');
}

/** @param {number} count @param {string} unit */
function quantity(count, unit) {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

export function retentionPage() {
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

export function settingsPage() {
  const rows = settingList().map(({ name, fallback, required, description }) => {
    const value = required ? '*required*' : fallback === '' ? '' : `\`${fallback}\``;
    return `| \`${name}\` | ${value} | ${cell(description)} |`;
  });
  const introduction =
    'Look up here how to configure Slipway. It reads its settings from the environment at the start, and names all invalid ones at once.';
  return page('Settings', introduction, ['| Name | Default | Meaning |', '| - | - | - |', ...rows]);
}

export function environmentExample() {
  const entries = settingList().map(({ name, fallback, description }) => `# ${description}\n#${name}=${fallback}\n`);
  return `# Every setting with its default. Made from the code by \`npm run docs\`; copy it, and change the copy.\n\n${entries.join('\n')}`;
}

export function namesOfSettings() {
  return `${JSON.stringify(
    settingList().map(({ name }) => name),
    null,
    2,
  )}\n`;
}

function settingList() {
  const { properties = {}, required = [] } = z.toJSONSchema(settingsWithPlugins(), {
    io: 'input',
    unrepresentable: 'any',
  });
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
