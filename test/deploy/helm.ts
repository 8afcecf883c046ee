import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { loadAll } from 'js-yaml';
import { Cluster, type KubernetesObject, type Release } from './cluster.js';
import { pathOf } from './queries.js';

const CHART = pathOf('deploy/helm/slipway');

export type Values = Record<string, unknown>;

export interface Rendered {
  objects: KubernetesObject[];
  /** Those that Helm makes before the others, in its order. */
  hooks: KubernetesObject[];
  notes: string;
}

/**
 * Helm itself, which a program in npm contains: an MCP server whose tool installs charts. It installs into a cluster of
 * ours, which stores nothing.
 */
export class Helm {
  private client: Promise<Client> | undefined;

  private constructor(
    readonly cluster: Cluster,
    private readonly folder: string,
  ) {}

  static async start(): Promise<Helm> {
    const cluster = await Cluster.start();
    const folder = mkdtempSync(join(tmpdir(), 'slipway-helm-'));
    writeFileSync(join(folder, 'kubeconfig'), kubeconfig(cluster.url));
    return new Helm(cluster, folder);
  }

  async stop(): Promise<void> {
    await this.endProgram();
    await this.cluster.stop();
    rmSync(this.folder, { recursive: true });
  }

  /** Returns what Helm would install, or fails with its sentence. */
  async render(values: Values, { release = 'shop', namespace = 'apps' } = {}): Promise<Rendered> {
    this.cluster.release = undefined;
    this.client ??= this.startProgram();
    const { content } = await (
      await this.client
    ).callTool({ name: 'helm_install', arguments: { chart: CHART, name: release, namespace, values } });
    const rendered = this.cluster.release as Release | undefined;
    if (!rendered) throw new Error((content as { text: string }[]).map(({ text }) => text).join('\n'));
    // A program has few requests a second, of which an accepted chart takes many.
    await this.endProgram();
    const hooks = [...(rendered.hooks ?? [])].sort((a, b) => (a.weight ?? 0) - (b.weight ?? 0));
    return {
      objects: objectsIn(rendered.manifest),
      hooks: hooks.flatMap(({ manifest }) => objectsIn(manifest)),
      notes: rendered.info.notes,
    };
  }

  private async startProgram(): Promise<Client> {
    const client = new Client({ name: 'slipway-tests', version: '1' });
    const config = join(this.folder, 'kubeconfig');
    const args = ['--kubeconfig', config, '--cluster-provider', 'kubeconfig', '--toolsets', 'helm'];
    // Helm's cache and its settings stay in the folder.
    const env = {
      HOME: this.folder,
      HELM_CACHE_HOME: this.folder,
      HELM_CONFIG_HOME: this.folder,
      HELM_DATA_HOME: this.folder,
    };
    await client.connect(new StdioClientTransport({ command: executable(), args, env, stderr: 'ignore' }));
    return client;
  }

  private async endProgram(): Promise<void> {
    const client = await this.client;
    this.client = undefined;
    await client?.close();
  }
}

function objectsIn(manifest: string): KubernetesObject[] {
  return (loadAll(manifest) as (KubernetesObject | null)[]).filter((each) => each !== null);
}

function executable(): string {
  const system = { win32: 'windows' }[process.platform as string] ?? process.platform;
  const processor = { x64: 'amd64' }[process.arch as string] ?? process.arch;
  const name = `kubernetes-mcp-server-${system}-${processor}`;
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return fileURLToPath(new URL(`../../node_modules/${name}/bin/${name}${suffix}`, import.meta.url));
}

function kubeconfig(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'tests', cluster: { server } }],
    users: [{ name: 'tests', user: {} }],
    contexts: [{ name: 'tests', context: { cluster: 'tests', user: 'tests' } }],
    'current-context': 'tests',
  });
}
