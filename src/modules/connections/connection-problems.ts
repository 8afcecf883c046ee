import { clock } from '../../kernel/clock.js';
import type { Id } from '../../kernel/ids.js';
import { HOUR_MS } from '../../kernel/spans.js';
import { LedgerSummaries } from '../ledger/read/ledger-summaries.service.js';
import { counted, FindsProblems, type Problem, type ProblemSource } from '../tenancy/problems.port.js';
import { ConnectionRepository } from './connection.repository.js';
import { ConnectionSafe } from './connection-safe.js';

const CONNECTIONS = 100;
const MODELS = 20;

/**
 * A connection has no state of its own for failures, so the calls of the last hour tell. A call has the name of its
 * model and not its connection, which is therefore known only if no other connection has that model.
 */
@FindsProblems()
export class ConnectionProblems implements ProblemSource {
  constructor(
    private readonly connections: ConnectionRepository,
    private readonly safe: ConnectionSafe,
    private readonly summaries: LedgerSummaries,
  ) {}

  async problemsOf(projectId: Id<'project'>): Promise<Problem[]> {
    const { items: connections } = await this.connections.page(projectId, { limit: CONNECTIONS });
    const unreadable = connections.filter((connection) => this.safe.secretsOf(connection) === undefined);
    const failing = await this.failedCalls(projectId);
    return [
      ...unreadable.map(({ id, name }): Problem => {
        const message = `The secrets of the connection “${name}” cannot be read.`;
        return { kind: 'CONNECTION_UNREADABLE', message, subject: id };
      }),
      ...failing.map(({ key, calls }): Problem => {
        const message = `${counted(calls, 'call')} of ${key} failed in the last hour.`;
        const [connection, ...others] = connections.filter(({ model }) => model === key);
        const isKnown = connection !== undefined && others.length === 0;
        if (isKnown) return { kind: 'CONNECTION_FAILING', message, subject: connection.id };
        return { kind: 'MODEL_CALLS_FAILING', message, subject: key };
      }),
    ];
  }

  private async failedCalls(projectId: Id<'project'>) {
    // The window ends later than now, because the clocks of those who write calls may be ahead.
    const now = clock.now().getTime();
    const window = { fromDate: new Date(now - HOUR_MS), toDate: new Date(now + HOUR_MS) };
    const query = { ...window, status: 'failed', groupBy: 'model', limit: MODELS } as const;
    return (await this.summaries.summary(projectId, query)).groups;
  }
}
