import { newId } from '../../src/kernel/ids.js';
import { SessionCountRepository } from '../../src/modules/sessions/list/session-count.repository.js';
import { SessionCounting } from '../../src/modules/sessions/list/counting.service.js';
import { Database } from '../../src/platform/database/database.js';
import { DAY, HOUR, MINUTE } from '../support/clock.js';
import type { Service } from '../support/service.js';

export const ENVIRONMENTS = ['production', 'staging', 'development'];
export const SOURCES = ['AP', 'MP', 'AIP'];

export interface Begun {
  id: string;
  at: string;
  environment: string;
  source: string;
}

export function dice(seed: number) {
  let state = seed;
  const roll = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  return { roll, of: <T>(faces: readonly T[]): T => faces[Math.floor(roll() * faces.length)]! };
}

export type Dice = ReturnType<typeof dice>;

/** Returns a random time of the last minutes, days or months. Some times are exactly on the boundary of a slot. */
export function aTime({ roll, of }: Dice): number {
  const back = of([20 * MINUTE, 3 * HOUR, 3 * DAY, 40 * DAY]) * roll();
  const unit = of([1, 1, 10 * MINUTE]);
  return Math.floor((Date.now() - back) / unit) * unit;
}

export function randomSessions(chance: Dice, count: number): Begun[] {
  return Array.from({ length: count }, () => ({
    id: newId('session'),
    at: new Date(aTime(chance)).toISOString(),
    // The last of the three environments is rare.
    environment: chance.of([...ENVIRONMENTS, ...ENVIRONMENTS.slice(0, 2), ...ENVIRONMENTS.slice(0, 2)]),
    source: chance.of(SOURCES),
  }));
}

/** Inserts sessions that began at the given times, with the app and user of an existing session. */
export async function insertLike({ database }: Service, sessionId: string, sessions: readonly Begun[]): Promise<void> {
  await database.rows(
    `insert into session (id, project_id, app_id, environment, env_id, user_id, user_reference, source, status, run_id,
                          created_at, last_activity_at)
     select input.id, project_id, app_id, input.environment, env_id, user_id, user_reference, input.source, 'idle', run_id,
            input.at, now()
     from session, jsonb_to_recordset($2) as input (id text, at timestamptz, environment text, source text)
     where session.id = $1`,
    [sessionId, JSON.stringify(sessions)],
  );
}

/** Restores the state after the migration, in which nothing has been counted. */
export async function forgetCounts({ database }: Service): Promise<void> {
  await database.rows(
    `with gone as (delete from session_count) update session_counting set counted_until = '-infinity'`,
  );
}

export function count({ app }: Service): Promise<void> {
  return app.get(SessionCounting).count(new AbortController().signal);
}

export async function addUp({ app }: Service): Promise<void> {
  const counts = app.get(SessionCountRepository);
  while ((await app.get(Database).ask(counts.addUp(1_000))) > 0);
}

/** Returns the sum of each slot, even if several rows make it up. */
export function sums({ database }: Service, appId: string): Promise<object[]> {
  return database.rows(
    `select environment, source, slot, sum(n)::integer as n from session_count
     where app_id = $1 and slot < (select counted_until from session_counting)
     group by 1, 2, 3 having sum(n) <> 0 order by 1, 2, 3`,
    [appId],
  );
}
