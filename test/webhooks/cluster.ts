import { Balancer } from '../faults/balancer.js';
import { CuttingProxy } from '../faults/cutting-proxy.js';
import { type ServiceProcess, startProcess } from '../support/process.js';
import { settingsFor, type SettingsOfTest } from '../support/settings.js';
import { TestDatabase } from '../support/test-database.js';
import { OwnServers } from './own-servers.js';

type Role = 'api' | 'worker';

/**
 * Two processes for requests behind a balancer and two for jobs, with a PostgreSQL and a Redis of their own. They reach
 * PostgreSQL through a network that can be cut.
 */
export class Cluster {
  private constructor(
    readonly processes: Record<Role, ServiceProcess[]>,
    readonly servers: OwnServers,
    readonly network: CuttingProxy,
    /** Reaches PostgreSQL around the network that can be cut. */
    readonly database: TestDatabase,
    private readonly settings: SettingsOfTest,
    private balancer: Balancer,
  ) {}

  static async start(changes: SettingsOfTest): Promise<Cluster> {
    const servers = await OwnServers.start();
    const network = await CuttingProxy.before(servers.databaseUrl);
    const settings = { ...settingsFor(network.url), REDIS_URL: servers.redisUrl, ...changes };
    const processes: Cluster['processes'] = { api: [], worker: [] };
    const balancer = await Balancer.before(() => processes.api.map(({ url }) => url));
    const database = new TestDatabase(servers.databaseUrl);
    const cluster = new Cluster(processes, servers, network, database, settings, balancer);
    for (const role of ['api', 'worker', 'api', 'worker'] as const) await cluster.add(role);
    return cluster;
  }

  get url(): string {
    return this.balancer.url;
  }

  get adminKey(): string {
    return this.settings.SLIPWAY_ADMIN_KEY!;
  }

  get dataDir(): string {
    return this.settings.DATA_DIR!;
  }

  get databaseUrl(): string {
    return this.servers.databaseUrl;
  }

  async add(role: Role, changes: SettingsOfTest = {}): Promise<ServiceProcess> {
    const process = await startProcess({ ...this.settings, SLIPWAY_ROLE: role, ...changes });
    this.processes[role].push(process);
    return process;
  }

  /** Kills the oldest process of the role, and starts another one. */
  async killOne(role: Role, changes?: SettingsOfTest): Promise<void> {
    const [oldest] = this.processes[role];
    await oldest!.kill();
    this.processes[role].shift();
    await this.add(role, changes);
  }

  /** Replaces all processes one after the other, as an upgrade does. */
  async replaceAll(): Promise<void> {
    for (const role of ['api', 'worker'] as const) {
      for (const old of [...this.processes[role]]) {
        await this.add(role);
        await old.stop();
        this.processes[role] = this.processes[role].filter((process) => process !== old);
      }
    }
  }

  async stop(): Promise<void> {
    const all = Object.values(this.processes).flat();
    await Promise.all(all.map((process) => process.kill()));
    await this.balancer.stop();
    await this.network.stop();
    await this.database.end();
    await this.servers.stop();
  }
}
