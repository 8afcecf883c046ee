import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { CallRepository, type DimOfProject } from '../call.repository.js';

const DIMS_AT_ONCE = 100;
const CALLS_AT_ONCE = 1_000;

/**
 * Calls made at design time have no channel and no environment. Earlier releases stored the values they were given, and
 * during an upgrade their processes still do. Therefore the job that calls this service runs periodically.
 */
@Injectable()
export class DesignTime {
  constructor(
    private readonly database: Database,
    private readonly calls: CallRepository,
  ) {}

  /**
   * Corrects the stored calls in small transactions. The database itself shows what is left, so a run that was
   * interrupted continues where it ended. Reports after each transaction how many calls have been corrected.
   */
  async correct(signal: AbortSignal, report: (calls: number) => Promise<void>): Promise<void> {
    let done = 0;
    for (let before = -1; before < done;) {
      before = done;
      for (const dim of await this.database.ask(this.calls.dimsWithChannelOrEnvironment(DIMS_AT_ONCE))) {
        signal.throwIfAborted();
        done += await this.correctSome(dim);
        await report(done);
      }
    }
  }

  private correctSome(dim: DimOfProject): Promise<number> {
    return this.database.ask(this.calls.removeChannelAndEnvironment(dim, CALLS_AT_ONCE));
  }
}
