import { EntityRepository } from '@mikro-orm/postgresql';
import { clock } from '../../../kernel/clock.js';
import { columnsOf, newRows } from '../../../platform/database/columns.js';
import { sql } from '../../../platform/database/sql.js';
import { row, type Statement, write } from '../../../platform/database/statement.js';
import { SignInFlow, type SignInFlowRow } from './sign-in-flow.entity.js';

export type NewSignInFlow = Omit<SignInFlowRow, 'usedAt'>;

export class SignInFlowRepository extends EntityRepository<SignInFlow> {
  add(flows: readonly NewSignInFlow[]): Statement<void> {
    return write(sql`insert into auth_flow ${newRows(SignInFlow, flows)}`);
  }

  /** Null where it is over, was used, or never was. */
  open(id: string): Statement<SignInFlowRow | null> {
    return row(
      sql`select ${columnsOf(SignInFlow)} from auth_flow
          where id = ${id} and used_at is null and expires_at > ${clock.now()}`,
    );
  }

  /** The same, once: of two who come back with one state one finds it. */
  use(id: string): Statement<SignInFlowRow | null> {
    const now = clock.now();
    return row(
      sql`update auth_flow set used_at = ${now} where id = ${id} and used_at is null and expires_at > ${now}
          returning ${columnsOf(SignInFlow)}`,
    );
  }
}
