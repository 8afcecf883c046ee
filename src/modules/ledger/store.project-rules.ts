import { columns, planned, type Sql } from '../../platform/database/sql.js';
import type { Price } from './price-table.js';

/** A price that a project has of its own. */
export interface OwnPrice extends Required<Price> {
  model: string;
  provider: string;
}

const PRICE = columns<OwnPrice>({
  model: 'model',
  provider: 'provider',
  input: 'input::float8',
  cachedInput: 'cached_input::float8',
  output: 'output::float8',
  reasoning: 'reasoning::float8',
});

/** Asked with every call of a model, as the next one is. */
export function ownPrices(projectId: string): Sql {
  return planned`select ${PRICE} from model_price where project_id = ${projectId}`;
}

/** Nothing where the project has said nothing. */
export function ownPolicy(projectId: string): Sql {
  return planned`select payloads from ledger_policy where project_id = ${projectId}`;
}
