// Makes a Postman collection of the OpenAPI document: imported and run top to bottom, each request finds what it needs.
import { Description } from './description.mjs';
import { FIRST, FOLDERS, LAST, LEFT_OUT, OWN, REQUESTS } from './journey.mjs';

/**
 * @import { OpenApi, Operation } from './description.mjs'
 * @import { Folder, Step } from './journey.mjs'
 */

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';
/** Every id that the document prints reads alike after its prefix. */
const PRINTED_ID = /^[a-z]+(-[a-z]+)*-0VJ8kQ2xT4bN7mRw1ZcYp3$/;
/** The resources that the key belongs to. The collection reads their ids once, and no request changes them. */
const FIXED = ['projectId', 'appId', 'scopeId'];
/** The rows that these routes take bring their own ids, so their examples are sent unchanged. */
const AS_PRINTED = /\/(llm-ledger|otel\/v1\/traces)$/;

const DESCRIPTION = `Every operation of Slipway with its example, in the order of a journey. Set \`apiKey\` (of the demo: \
\`apiKey\` in \`.data/demo.json\`) and \`adminKey\` (\`SLIPWAY_ADMIN_KEY\` in \`.data/secrets.json\`) among the variables of \
the collection, and run it top to bottom: requests keep what later ones name in variables. What the collection \
administrates it makes itself, and deletes at the end.

Not here, because no collection can make them succeed:`;

/** @param {object} openApi */
export function postmanCollection(openApi) {
  return new Collection(new Description(/** @type {OpenApi} */ (openApi))).toJson();
}

class Collection {
  /** @param {Description} description */
  constructor(description) {
    this.description = description;
    const ids = [...description.operations.keys()].flatMap(parametersIn).filter((name) => name.endsWith('Id'));
    /** Ids in paths: what answers tell under these names is kept. */
    this.names = new Set(ids);
  }

  toJson() {
    const left = Object.entries(LEFT_OUT).map(([name, why]) => `- \`${name}\`: ${why}`);
    return {
      info: { name: 'Slipway', description: [DESCRIPTION, '', ...left].join('\n'), schema: SCHEMA },
      auth: keyAuth('apiKey'),
      variable: [
        { key: 'baseUrl', value: 'http://127.0.0.1:3000' },
        { key: 'apiKey', value: '' },
        { key: 'adminKey', value: '' },
        { key: 'envName', value: 'production' },
        { key: 'conversationId', value: 'call-4711' },
        { key: 'flowId', value: 'main' },
        { key: 'name', value: 'tool' },
        { key: 'include', value: 'traces' },
      ],
      item: [
        { name: 'First', item: FIRST.map((step) => this.item(step, {})) },
        ...this.description.document.tags.map(({ name, description }) => this.folder(name, description)),
        { name: 'Last', item: LAST.map((step) => this.item(step, OWN)) },
      ].filter(({ item }) => item.length > 0),
    };
  }

  /**
   * @param {string} tag
   * @param {string | undefined} description
   */
  folder(tag, description) {
    const folder = FOLDERS[tag] ?? {};
    const { before = [], after = {}, variables = {} } = folder;
    const names = this.description.namesUnder(tag);
    const inOrder = names
      .filter((name) => !(name in LEFT_OUT))
      .map((name) => ({ name, rank: this.rank(name, names, folder) }))
      .sort((a, b) => a.rank - b.rank);
    const steps = inOrder.flatMap(({ name }) => [{ operation: name }, ...(after[name] ?? [])]);
    const item = [...before, ...steps].map((step) => this.item(step, variables));
    return { name: tag, ...(description && { description }), item };
  }

  /**
   * Sorts the requests that create things first, and those that delete them last, inner things before outer ones. The
   * others keep the order of the document.
   * @param {string} name
   * @param {string[]} names
   * @param {Folder} folder
   */
  rank(name, names, { first = [], last = [], variables = {} }) {
    if (first.includes(name)) return 0;
    if (last.includes(name)) return 3;
    if (name.startsWith('DELETE ')) return 5 - parametersIn(name).length / 10 - names.indexOf(name) / 1000;
    const makes = this.kept(name).some(
      ([variable]) => !this.isFixed(variable, variables) && isNamedIn(variable, names),
    );
    return makes ? 1 : 2;
  }

  /**
   * Variables that an answer to the operation fills, and where in it they stand.
   * @param {string} name
   * @returns {[variable: string, path: string][]}
   */
  kept(name) {
    if (!name.startsWith('POST ')) return [];
    const known = parametersIn(name);
    const described = this.description
      .answerOf(name)
      .map(([member, path]) => /** @type {[string, string]} */ ([camelCase(member), path]));
    const wanted = described.filter(([variable]) => this.names.has(variable) && !known.includes(variable));
    // If several members have the same name, the outer one is kept.
    return [...new Map(wanted.reverse())];
  }

  /**
   * @param {Step} step
   * @param {Record<string, string>} ofFolder
   */
  item(step, ofFolder) {
    const { operation: name } = step;
    const operation = this.description.operation(name);
    const { title, query = {}, raw, body, before = [], ...more } = { ...REQUESTS[name], ...step };
    const variables = { ...ofFolder, ...more.variables };
    const lines = Object.entries(step.keep ?? { ...this.keptUnder(name, variables), ...more.keep }).map(
      ([variable, value]) => `pm.collectionVariables.set('${variable}', ${value});`,
    );
    const path = name.split(' ')[1] ?? '';
    const auth = this.authOf(path, operation);
    return {
      name: title ?? operation.summary,
      event: [
        ...(before.length > 0 ? [script('prerequest', before)] : []),
        script('test', [
          "pm.test('answers 2xx', () => pm.expect(pm.response.code).to.be.within(200, 299));",
          ...(lines.length > 0 ? ['const answer = pm.response.json();', ...lines] : []),
        ]),
      ],
      request: {
        method: name.split(' ')[0],
        ...(auth && { auth }),
        header: this.headers(operation, raw),
        ...this.body(name, operation, { body, raw }, variables),
        url: this.url(path, operation, query, variables),
        description: operation.description ?? '',
      },
    };
  }

  /**
   * @param {string} name
   * @param {Record<string, string>} variables
   */
  keptUnder(name, variables) {
    const kept = this.kept(name).filter(([variable]) => !this.isFixed(variable, variables));
    return Object.fromEntries(kept.map(([variable, path]) => [variables[variable] ?? variable, path]));
  }

  /**
   * @param {string} variable
   * @param {Record<string, string>} variables
   */
  isFixed(variable, variables) {
    return FIXED.includes(variables[variable] ?? variable);
  }

  /**
   * @param {string} path
   * @param {Operation} operation
   */
  authOf(path, { security = [] }) {
    if (path.startsWith('/api/admin/')) return keyAuth('adminKey');
    return security.some((scheme) => 'apiKey' in scheme) ? undefined : { type: 'noauth' };
  }

  /**
   * @param {Operation} operation
   * @param {{ type: string } | undefined} raw
   */
  headers(operation, raw) {
    const isSigned = operation.security?.some((scheme) => 'clientToken' in scheme) ?? false;
    const type = raw?.type ?? (operation.requestBody ? 'application/json' : undefined);
    return [
      ...(type ? [{ key: 'content-type', value: type }] : []),
      ...(isSigned ? [{ key: 'token', value: '{{token}}' }] : []),
    ];
  }

  /**
   * @param {string} name
   * @param {Operation} operation
   * @param {{ body?: unknown, raw?: { text: string } }} given
   * @param {Record<string, string>} variables
   */
  body(name, operation, { body, raw }, variables) {
    const media = this.description.bodyOf(operation)?.['application/json'];
    if (!raw && !media) return {};
    if (raw) return { body: { mode: 'raw', raw: raw.text } };
    const example = body ?? this.description.exampleOf(media);
    const filled = AS_PRINTED.test(name) ? example : withVariables(example, variables);
    return { body: { mode: 'raw', raw: JSON.stringify(filled, null, 2), options: { raw: { language: 'json' } } } };
  }

  /**
   * Optional query parameters are present, but disabled.
   * @param {string} path
   * @param {Operation} operation
   * @param {Record<string, string>} given
   * @param {Record<string, string>} variables
   */
  url(path, { parameters = [] }, given, variables) {
    const query = parameters
      .map((each) => this.description.resolve(each))
      .filter((each) => each.in === 'query')
      .map((each) => {
        const example = withVariables(this.description.exampleOf(each), variables, each.name);
        const placeholder = each.required ? `{{${camelCase(each.name)}}}` : '';
        const value = given[each.name] ?? (example === undefined ? placeholder : textOf(example));
        const isOff = !each.required && !(each.name in given);
        return { key: each.name, value, ...(isOff && { disabled: true }), description: each.description ?? '' };
      });
    const filled = path.replace(/\{(\w+)\}/g, (_, /** @type {string} */ name) => `{{${variables[name] ?? name}}}`);
    const on = query.filter((each) => !each.disabled).map(({ key, value }) => `${key}=${value}`);
    return {
      raw: `{{baseUrl}}${filled}${on.length > 0 ? `?${on.join('&')}` : ''}`,
      host: ['{{baseUrl}}'],
      path: filled.split('/').slice(1),
      ...(query.length > 0 && { query }),
    };
  }
}

/** @param {string} variable */
function keyAuth(variable) {
  const values = { key: 'x-api-key', value: `{{${variable}}}`, in: 'header' };
  return {
    type: 'apikey',
    apikey: Object.entries(values).map(([key, value]) => ({ key, value, type: 'string' })),
  };
}

/**
 * @param {'prerequest' | 'test'} listen
 * @param {string[]} exec
 */
function script(listen, exec) {
  return { listen, script: { type: 'text/javascript', exec } };
}

/** @param {string} name */
function parametersIn(name) {
  return [...name.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter);
}

/**
 * @param {string} variable
 * @param {string[]} names
 */
function isNamedIn(variable, names) {
  return names.some((name) => parametersIn(name).includes(variable));
}

/**
 * With a variable for each printed id: that of its name.
 * @param {unknown} value
 * @param {Record<string, string>} variables
 * @returns {unknown}
 */
function withVariables(value, variables, name = '') {
  if (typeof value === 'string' && PRINTED_ID.test(value))
    return `{{${variables[camelCase(name)] ?? camelCase(name)}}}`;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => withVariables(each, variables, name));
  const members = Object.entries(value).map(([key, each]) => [key, withVariables(each, variables, key)]);
  return Object.fromEntries(members);
}

/**
 * Writes an example as the value of a query parameter.
 * @param {unknown} example
 */
function textOf(example) {
  return typeof example === 'string' ? example : JSON.stringify(example);
}

/** @param {string} name */
function camelCase(name) {
  return name.replace(/_(\w)/g, (_, /** @type {string} */ letter) => letter.toUpperCase());
}
