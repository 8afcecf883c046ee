import type { IdKind } from '../../kernel/ids.js';
import { Mark } from '../extension/mark.js';

/** Provides ids of existing rows, such as those of the demo. They replace the example ids in the served document. */
export abstract class ExampleSource {
  /** Returns at most one id for each kind, and none if there is no such row. */
  abstract ids(): Promise<Partial<Record<IdKind, string>>>;
}

export const exampleSources = new Mark<ExampleSource>([ExampleSource], 'give ids for examples');
