import { EntityRepository } from '@mikro-orm/postgresql';
import { clock } from '../../../kernel/clock.js';
import { columnsOf, newRows, someColumnsOf } from '../../../platform/database/columns.js';
import { sql } from '../../../platform/database/sql.js';
import { row, type Statement, write } from '../../../platform/database/statement.js';
import { AuthProfile, type AuthProfileRow } from './auth-profile.entity.js';
import { SignInFlow, type SignInFlowRow } from './sign-in-flow.entity.js';

export type NewSignInFlow = Omit<SignInFlowRow, 'usedAt' | 'tries' | 'browserDigest'>;

/** A sign-in as its page shows it. */
export interface OpenSignIn extends Pick<SignInFlowRow, 'codeDigest'>, Pick<AuthProfileRow, 'idpName'> {
  appName: string;
  userReference: string;
}

/** With so many wrong codes a sign-in is over. */
export const MOST_TRIES = 5;

export class SignInFlowRepository extends EntityRepository<SignInFlow> {
  add(flows: readonly NewSignInFlow[]): Statement<void> {
    return write(sql`insert into auth_flow ${newRows(SignInFlow, flows)}`);
  }

  /** Null where it is over, was used, or never was. */
  open(id: string): Statement<OpenSignIn | null> {
    return row(
      sql`select ${someColumnsOf(SignInFlow, ['codeDigest'], 'f')}, ${someColumnsOf(AuthProfile, ['idpName'], 'p')},
            a.name as "appName", u.reference as "userReference"
          from auth_flow f
            join auth_profile p on p.id = f.profile_id
            join app a on a.id = p.app_id
            join app_user u on u.id = f.user_id
          where f.id = ${id} and f.used_at is null and f.expires_at > ${clock.now()}`,
    );
  }

  /**
   * Binds it to the browser where the code is right or none is wanted, and counts the try otherwise; the last one ends
   * it. One statement, so that no more codes are tried side by side. Null as of `open`.
   */
  bind(id: string, codeDigest: string, browserDigest: string): Statement<SignInFlowRow | null> {
    const now = clock.now();
    const isRight = sql`(code_digest is null or code_digest = ${codeDigest})`;
    return row(
      sql`update auth_flow set
            browser_digest = case when ${isRight} then ${browserDigest} else browser_digest end,
            tries = case when ${isRight} then tries else tries + 1 end,
            used_at = case when not ${isRight} and tries + 1 >= ${MOST_TRIES} then ${now}::timestamptz end
          where id = ${id} and used_at is null and expires_at > ${now}
          returning ${columnsOf(SignInFlow)}`,
    );
  }

  /** Of two who come back with one state one finds it. Null as of `open`. */
  use(id: string): Statement<SignInFlowRow | null> {
    const now = clock.now();
    return row(
      sql`update auth_flow set used_at = ${now} where id = ${id} and used_at is null and expires_at > ${now}
          returning ${columnsOf(SignInFlow)}`,
    );
  }
}
