import { median } from './measure.mjs';

/**
 * The members of all answers that the benchmark reads.
 * @typedef {object} Answered
 * @property {string} status
 * @property {string} toolId
 * @property {string} dockStatusId
 * @property {string} runId
 * @property {string} fileId
 * @property {string} endedAt
 * @property {{ startedAt: string }[]} nodes
 * @property {{ message: string }} [error]
 */

/** A client of the service that runs tools. */
export class ToolsClient {
  /**
   * @param {string} url
   * @param {string} key
   */
  constructor(url, key) {
    this.url = url;
    this.key = key;
  }

  /** @param {object[]} nodes in the order in which they run */
  async deploy(nodes) {
    const ids = nodes.map((node) => /** @type {{ id: string }} */ (node).id);
    const edges = ids.slice(1).map((to, at) => ({ from: ids[at], to }));
    const callflows = [{ id: 'main', name: 'Main', nodes, edges }];
    const tool = {
      name: 'benchmark',
      description: 'A tool that the benchmark measures.',
      inputSchema: { type: 'object' },
    };
    const { toolId, dockStatusId } = await this.ask('POST', '/api/public/tools/import', {
      toolName: 'Benchmark',
      toolDataFileId: await this.upload({ schemaVersion: '1.0', tool }),
      flowDataFileId: await this.upload({ schemaVersion: '1.0', callflows }),
    });
    for (;;) {
      const { status, error } = await this.ask('GET', `/api/public/dock-status/${dockStatusId}`);
      if (status === 'FAILED') throw new Error(error?.message);
      if (status === 'SUCCESS') break;
    }
    await this.ask('POST', `/api/public/tools/${toolId}/deploy`, { isAsync: false });
    return toolId;
  }

  /**
   * @param {string} toolId
   * @param {number} runs
   */
  async measure(toolId, runs) {
    const asked = [];
    const flow = [];
    let failed = 0;
    for (let n = 0; n < runs; n += 1) {
      const begun = performance.now();
      const { runId, status } = await this.ask('POST', `/api/public/tools/${toolId}/execute`, { input: { n } });
      asked.push(performance.now() - begun);
      if (status !== 'completed') failed += 1;
      if (n % 10 === 0) flow.push(await this.timeOf(toolId, runId));
    }
    return { asked: median(asked), flow: median(flow), failed };
  }

  /**
   * Measures from the start of a run's first node to the end of the run.
   * @param {string} toolId
   * @param {string} runId
   */
  async timeOf(toolId, runId) {
    const { nodes, endedAt } = await this.ask('GET', `/api/public/tools/${toolId}/runs/${runId}`);
    return Date.parse(endedAt) - Date.parse(nodes[0]?.startedAt ?? '');
  }

  /** @param {object} document */
  async upload(document) {
    const form = new FormData();
    form.append('fileContext', 'tool');
    form.append('file', new Blob([JSON.stringify(document)]), 'document.json');
    const headers = { 'x-api-key': this.key };
    const response = await fetch(`${this.url}/api/public/files`, { method: 'POST', headers, body: form });
    return /** @type {Answered} */ (await response.json()).fileId;
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   * @returns {Promise<Answered>}
   */
  async ask(method, path, body) {
    const headers = { 'x-api-key': this.key, 'content-type': 'application/json' };
    const response = await fetch(this.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    return /** @type {Answered} */ (await response.json());
  }
}
