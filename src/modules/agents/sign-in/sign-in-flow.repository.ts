import { EntityRepository } from '@mikro-orm/postgresql';
import { clock } from '../../../kernel/clock.js';
import { columnsOf, newRows, someColumnsOf } from '../../../platform/database/columns.js';
import { sql } from '../../../platform/database/sql.js';
import { row, type Statement, write } from '../../../platform/database/statement.js';
import { AuthProfile, type AuthProfileRow } from './auth-profile.entity.js';
import { SignInFlow, type SignInFlowRow } from './sign-in-flow.entity.js';

export type NewSignInFlow = Omit<SignInFlowRow, 'usedAt' | 'tries' | 'browserDigest'>;

/** The data that the page of a sign-in shows. */
export interface OpenSignIn extends Pick<SignInFlowRow, 'codeDigest'>, Pick<AuthProfileRow, 'idpName'> {
  appName: string;
  userReference: string;
}

/** This number of wrong codes ends a sign-in. */
export const MAX_TRIES = 5;

export class SignInFlowRepository extends EntityRepository<SignInFlow> {
  add(flows: readonly NewSignInFlow[]): Statement<void> {
    return write(sql`insert into auth_flow ${newRows(SignInFlow, flows)}`);
  }

  /** Answers null if the sign-in has expired, was used, or never existed. */
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
   * Binds the sign-in to the browser if the code is right or none is required. Otherwise it counts the try, and the last
   * try ends the sign-in. This is one statement, so that parallel requests cannot exceed the number of tries. Answers
   * null when `open` does.
   */
  bind(id: string, codeDigest: string, browserDigest: string): Statement<SignInFlowRow | null> {
    const now = clock.now();
    const isRight = sql`(code_digest is null or code_digest = ${codeDigest})`;
    return row(
      sql`update auth_flow set
            browser_digest = case when ${isRight} then ${browserDigest} else browser_digest end,
            tries = case when ${isRight} then tries else tries + 1 end,
            used_at = case when not ${isRight} and tries + 1 >= ${MAX_TRIES} then ${now}::timestamptz end
          where id = ${id} and used_at is null and expires_at > ${now}
          returning ${columnsOf(SignInFlow)}`,
    );
  }

  /** Marks the sign-in as used. If two requests come back with one state, only one gets it. Answers null when `open` does. */
  use(id: string): Statement<SignInFlowRow | null> {
    const now = clock.now();
    return row(
      sql`update auth_flow set used_at = ${now} where id = ${id} and used_at is null and expires_at > ${now}
          returning ${columnsOf(SignInFlow)}`,
    );
  }
}
