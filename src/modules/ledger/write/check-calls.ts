import { clock } from '../../../kernel/clock.js';
import type { SlipwayError } from '../../../kernel/errors.js';
import { findJsonFaults } from '../../../kernel/json-rules.js';
import { DAY_MS } from '../../../kernel/spans.js';
import { httpErrors } from '../../../platform/route/http.errors.js';
import { check, type Issue, validationError } from '../../../platform/route/validation.js';
import { GivenCall } from '../call.schema.js';
import { timeOfCall } from '../date-time.js';

/** How long calls are kept. An older call is refused, because it would be deleted as soon as it was written. */
export const KEPT_DAYS = 400;
/** Limits the size of the error for a row with very many faults. */
const MAX_FAULTS_PER_ROW = 20;
/** A row lies two levels deep in the body: in a list, which is a member of an object. */
const DEPTH_OF_ROW = 2;

/** A row with its defaults filled in, or its faults. */
export interface CheckedRow {
  call: GivenCall | null;
  faults: readonly Issue[];
  /** The time of the call, also if other members have faults. */
  time: Date | null;
}

/** Checks a row from another module. */
export function checkRow(row: unknown): CheckedRow {
  const { value, issues } = check(GivenCall, row);
  if (issues.length > 0) return { call: null, faults: issues, time: timeOf(row) };
  const call = value as GivenCall;
  return { call, faults: issues, time: call.timestamp };
}

/** Checks a row from a client, whose texts may contain characters that PostgreSQL cannot store. */
export function checkForeignRow(row: unknown): CheckedRow {
  const faults = findJsonFaults(row, DEPTH_OF_ROW);
  return faults.length > 0 ? { call: null, faults, time: timeOf(row) } : checkRow(row);
}

/** Returns the calls, or throws an error that names every bad row. A call older than `keptDays` is bad too. */
export function callsOf(rows: readonly CheckedRow[], keptDays: number): GivenCall[] {
  const calls: GivenCall[] = [];
  const issues: Issue[] = [];
  const badRows: number[] = [];
  rows.forEach(({ call, faults, time }, at) => {
    const bad = time ? [...faults, ...timeFaults(time, keptDays)] : faults;
    if (call && bad.length === 0) {
      calls.push(call);
      return;
    }
    badRows.push(at);
    for (const { path, message } of bad.slice(0, MAX_FAULTS_PER_ROW)) {
      issues.push({ path: ['generations', at, ...path], message });
    }
  });
  if (badRows.length > 0) throw refusal(issues, badRows);
  return calls;
}

export function isOlder(time: Date, days: number): boolean {
  return clock.now().getTime() - time.getTime() > days * DAY_MS;
}

function refusal(issues: readonly Issue[], badRows: readonly number[]): SlipwayError {
  return httpErrors.validation({ details: { ...validationError(issues).extras.details, badRows } });
}

function timeOf(row: unknown): Date | null {
  return timeOfCall.safeParse((row as { timestamp?: unknown } | null)?.timestamp).data ?? null;
}

function timeFaults(time: Date, keptDays: number): Issue[] {
  const path = ['timestamp'];
  if (isOlder(time, keptDays)) {
    return [{ path, message: `is older than the ${keptDays} days for which calls are kept` }];
  }
  return isOlder(time, -1) ? [] : [{ path, message: 'is more than a day in the future' }];
}
