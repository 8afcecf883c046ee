import { clock } from '../../kernel/clock.js';
import type { Id } from '../../kernel/ids.js';
import { HOUR_MS } from '../../kernel/spans.js';
import { LedgerSummaries } from '../ledger/read/ledger-summaries.service.js';
import { TracesService } from '../traces/traces.service.js';
import { counted, FindsProblems, type Problem, type ProblemSource } from '../tenancy/problems.port.js';
import { ConnectionProtocols } from './connection-protocols.js';
import { ConnectionRepository } from './connection.repository.js';
import { ConnectionSafe } from './connection-safe.js';
import type { Connection } from './connection.entity.js';

const CONNECTIONS = 100;
const MODELS = 20;

interface FailuresOfModel {
  model: string;
  calls: number;
}

/**
 * A connection has no state of its own for failures, so the calls of the last hour tell. A call has the names of its
 * model and provider and not its connection, which is therefore known only if no other connection has both.
 */
@FindsProblems()
export class ConnectionProblems implements ProblemSource {
  constructor(
    private readonly connections: ConnectionRepository,
    private readonly safe: ConnectionSafe,
    private readonly protocols: ConnectionProtocols,
    private readonly summaries: LedgerSummaries,
    private readonly traces: TracesService,
  ) {}

  async problemsOf(projectId: Id<'project'>): Promise<Problem[]> {
    const { items: connections } = await this.connections.page(projectId, { limit: CONNECTIONS });
    return [...this.unreadable(connections), ...(await this.failing(projectId, connections))];
  }

  private unreadable(connections: readonly Connection[]): Problem[] {
    return connections
      .filter((connection) => this.safe.secretsOf(connection) === undefined)
      .map(({ id, name }) => {
        const message = `The secrets of the connection “${name}” cannot be read.`;
        return { kind: 'CONNECTION_UNREADABLE', message, subject: id };
      });
  }

  private async failing(projectId: Id<'project'>, connections: readonly Connection[]): Promise<Problem[]> {
    const since = new Date(clock.now().getTime() - HOUR_MS);
    const failed = await this.failedCalls(projectId, since);
    if (failed.length === 0) return [];
    const own = (await this.traces.failedCalls(projectId, since)).flatMap(({ provider, ...calls }) => {
      const [connection, ...others] = connections.filter(
        (each) => each.model === calls.model && this.protocols.find(each)?.description.ledgerName === provider,
      );
      return connection && others.length === 0 ? [{ ...calls, connectionId: connection.id }] : [];
    });
    const rest = failed.map(({ model, calls }) => {
      const known = own.filter((each) => each.model === model).reduce((sum, each) => sum + each.calls, 0);
      return { model, calls: calls - known };
    });
    return [
      ...own.map((each): Problem => {
        return { kind: 'CONNECTION_FAILING', message: inWords(each), subject: each.connectionId };
      }),
      ...rest
        .filter(({ calls }) => calls > 0)
        .map((each): Problem => ({ kind: 'MODEL_CALLS_FAILING', message: inWords(each), subject: each.model })),
    ];
  }

  /** Counts the failed calls in the ledger, also those that others wrote. */
  private async failedCalls(projectId: Id<'project'>, fromDate: Date): Promise<FailuresOfModel[]> {
    // The window ends later than now, because the clocks of those who write calls may be ahead.
    const toDate = new Date(fromDate.getTime() + 2 * HOUR_MS);
    const query = { fromDate, toDate, status: 'failed', groupBy: 'model', limit: MODELS } as const;
    const { groups } = await this.summaries.summary(projectId, query);
    return groups.map(({ key: model, calls }) => ({ model, calls }));
  }
}

function inWords({ model, calls }: FailuresOfModel): string {
  return `${counted(calls, 'call')} of ${model} failed in the last hour.`;
}
