import type { IdKind } from '../../kernel/ids.js';
import { Mark } from '../extension/mark.js';

/** Knows things that are there to try the service with: their ids stand in the examples of the document it serves. */
export abstract class ExampleSource {
  /** By kind, one each; none where there is nothing to try. */
  abstract ids(): Promise<Partial<Record<IdKind, string>>>;
}

export const exampleSources = new Mark<ExampleSource>('give ids for examples');
