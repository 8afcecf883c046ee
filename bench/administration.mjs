import { StartError } from '../scripts/start-error.mjs';

/**
 * The members of the answers that benchmarks read. Each route answers with some of them.
 * @typedef {object} Answer
 * @property {string} projectId
 * @property {string} appId
 * @property {string} scopeId
 * @property {string} keyId
 * @property {string} apikey
 * @property {string} agentId
 * @property {string} subscriptionId
 * @property {string} botId
 * @property {string} clientId
 * @property {string} clientSecret
 */

/** A client of the administration's routes, with which a benchmark prepares its tenant. */
export class Administration {
  #url;
  #adminKey;

  /**
   * @param {string} url of a process of the service
   * @param {string} adminKey
   */
  constructor(url, adminKey) {
    this.#url = url;
    this.#adminKey = adminKey;
  }

  /** @returns {Promise<string>} the id of an app in a project of its own */
  async makeApp() {
    const project = await this.#ask('POST', '/projects', { name: 'Benchmark' });
    const app = await this.#ask('POST', `/projects/${project.projectId}/apps`, { name: 'Benchmark' });
    return app.appId;
  }

  /** @param {string} appId */
  async projectOf(appId) {
    return (await this.#ask('GET', `/apps/${appId}`)).projectId;
  }

  /**
   * @param {string} appId
   * @param {string} scopeName
   * @param {string[]} permissions
   * @returns {Promise<string>} the scope's id
   */
  async makeScope(appId, scopeName, permissions) {
    const granted = Object.fromEntries(permissions.map((permission) => [permission, 'YES']));
    const { scopeId } = await this.#ask('POST', `/apps/${appId}/scopes`, { scopeName, permissions: granted });
    return scopeId;
  }

  /**
   * @param {string} appId
   * @param {string} scopeName
   * @param {string} apiKeyName
   * @returns {Promise<{ keyId: string, apikey: string }>}
   */
  makeKey(appId, scopeName, apiKeyName) {
    return this.#ask('POST', `/apps/${appId}/apikeys`, { scopeName, apiKeyName });
  }

  /**
   * Makes an agent on the built-in model and activates it in production.
   * @param {string} appId
   */
  async activateAgent(appId) {
    const input = { name: 'Benchmark', instructions: 'Answer.' };
    const { agentId } = await this.#ask('POST', `/apps/${appId}/agents`, input);
    await this.#ask('PUT', `/apps/${appId}/environments/production`, { agentId, active: true });
  }

  /**
   * @param {string} projectId
   * @param {string} callbackUrl
   * @returns {Promise<string>} the subscription's id
   */
  async subscribe(projectId, callbackUrl) {
    const input = { displayName: 'Benchmark', callbackUrl, events: ['agent.response'] };
    return (await this.#ask('POST', `/projects/${projectId}/webhook-subscriptions`, input)).subscriptionId;
  }

  /**
   * @param {string} appId
   * @param {string} keyId
   */
  async revokeKey(appId, keyId) {
    await this.#ask('DELETE', `/apps/${appId}/apikeys/${keyId}`);
  }

  /**
   * @param {string} projectId
   * @returns {Promise<{ botId: string, clientId: string, clientSecret: string }>}
   */
  async makeBot(projectId) {
    const { botId } = await this.#ask('POST', `/projects/${projectId}/bots`, { name: 'Benchmark' });
    const client = await this.#ask('POST', `/projects/${projectId}/jwt-clients`, { name: 'Benchmark' });
    return { botId, clientId: client.clientId, clientSecret: client.clientSecret };
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   * @returns {Promise<Answer>}
   */
  async #ask(method, path, body) {
    const response = await fetch(`${this.#url}/api/admin/v1${path}`, {
      method,
      headers: { 'x-api-key': this.#adminKey, ...(body && { 'content-type': 'application/json' }) },
      body: body ? JSON.stringify(body) : null,
    });
    if (!response.ok) throw new StartError(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    const { data } = /** @type {{ data: Answer }} */ (await response.json());
    return data;
  }
}
