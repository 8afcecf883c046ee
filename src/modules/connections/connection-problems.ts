import { clock } from '../../kernel/clock.js';
import { type Id, isId } from '../../kernel/ids.js';
import { HOUR_MS } from '../../kernel/spans.js';
import { Vault } from '../../platform/crypto/vault.js';
import { Database } from '../../platform/database/database.js';
import { LedgerSummaries } from '../ledger/read/ledger-summaries.service.js';
import { counted, FindsProblems, type Problem, ProblemSource, quoted } from '../tenancy/problems.port.js';
import { type FailedCalls, TracesService } from '../traces/traces.service.js';
import { ConnectionRepository, type NamedConnection } from './connection.repository.js';

/** The most problems of one kind that are listed. */
const MOST = 100;
/** The models whose failed calls are listed although others wrote them, because those can name any number of models. */
const MODELS_OF_OTHERS = 20;
/** A model that has refused this many calls and answered none is named, even if each call seems to be at fault itself. */
const MANY_REFUSALS = 5;

interface FailuresOfModel {
  model: string;
  calls: number;
}

/** A connection has no state of its own for failures, so the calls of the last hour tell. */
@FindsProblems()
export class ConnectionProblems extends ProblemSource {
  constructor(
    private readonly database: Database,
    private readonly connections: ConnectionRepository,
    private readonly vault: Vault,
    private readonly summaries: LedgerSummaries,
    private readonly traces: TracesService,
  ) {
    super();
  }

  async problemsOf(projectId: Id<'project'>): Promise<Problem[]> {
    return [...(await this.unreadable(projectId)), ...(await this.failing(projectId))];
  }

  private async unreadable(projectId: Id<'project'>): Promise<Problem[]> {
    const unreadable = this.connections.unreadable(projectId, this.vault.keyNumbers, MOST);
    return (await this.database.ask(unreadable)).map(toUnreadable);
  }

  private async failing(projectId: Id<'project'>): Promise<Problem[]> {
    const since = new Date(clock.now().getTime() - HOUR_MS);
    const inLedger = await this.inLedger(projectId, since);
    if (inLedger.length === 0) return [];
    const own = await this.traces.failedCalls(projectId, since);
    const ids = own.flatMap(({ failedModelId }) => (isConnection(failedModelId) ? [failedModelId] : []));
    const names = await this.database.ask(this.connections.namesOf(projectId, ids));
    const ofConnections = own.flatMap((each): Problem[] => {
      const { failedModelId: subject } = each;
      const name = subject === null ? undefined : names.get(subject);
      if (subject === null || name === undefined) return [];
      const message = `${inWords(each)} The connection is ${quoted(name)} (${subject}).`;
      return [{ kind: 'CONNECTION_FAILING', message, subject }];
    });
    const ofOtherModels = own.filter(isOfOtherModel);
    // Calls that are written between the two reads are not among those of the ledger, so a difference can be negative.
    const ofOthers = inLedger.map(({ model, calls }) => ({ model, calls: calls - sumOf(own, model) }));
    return [...ofConnections.slice(0, MOST), ...toModelProblems([...ofOtherModels, ...ofOthers])];
  }

  /** Counts the failed calls in the ledger: those of the service, and those that others wrote. */
  private async inLedger(projectId: Id<'project'>, fromDate: Date): Promise<FailuresOfModel[]> {
    // The window ends later than now, because the clocks of those who write calls may be ahead.
    const toDate = new Date(fromDate.getTime() + 2 * HOUR_MS);
    const query = { fromDate, toDate, status: 'failed', groupBy: 'model', limit: MODELS_OF_OTHERS } as const;
    const { groups } = await this.summaries.summary(projectId, query);
    return groups.map(({ key: model, calls }) => ({ model, calls }));
  }
}

function toUnreadable({ id, name }: NamedConnection): Problem {
  const message = `The secrets of the connection ${quoted(name)} cannot be read.`;
  return { kind: 'CONNECTION_UNREADABLE', message, subject: id };
}

/** Adds up the failures of each model. The first models stay first. */
function toModelProblems(failures: readonly FailuresOfModel[]): Problem[] {
  return [...new Set(failures.map(({ model }) => model))]
    .map((model) => ({ model, calls: sumOf(failures, model) }))
    .filter(({ calls }) => calls > 0)
    .map((each) => ({ kind: 'MODEL_CALLS_FAILING', message: inWords(each), subject: each.model }));
}

/** Whether a model that is no connection failed the calls, or a provider has refused many and answered none. */
function isOfOtherModel({ failedModelId, callersLeft, calls, hasSucceeded }: FailedCalls): boolean {
  if (failedModelId !== null) return !isConnection(failedModelId);
  return !callersLeft && calls >= MANY_REFUSALS && !hasSucceeded;
}

function isConnection(modelId: string | null): modelId is Id<'connection'> {
  return modelId !== null && isId('connection', modelId);
}

function sumOf(failures: readonly FailuresOfModel[], ofModel: string): number {
  return failures.reduce((sum, { model, calls }) => sum + (model === ofModel ? calls : 0), 0);
}

function inWords({ model, calls }: FailuresOfModel): string {
  return `${counted(calls, 'call')} of ${quoted(model)} failed in the last hour.`;
}
