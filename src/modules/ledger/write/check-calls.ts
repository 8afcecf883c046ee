import { clock } from '../../../kernel/clock.js';
import type { SlipwayError } from '../../../kernel/errors.js';
import { findJsonFaults } from '../../../kernel/json-rules.js';
import { DAY_MS } from '../../../kernel/spans.js';
import { httpErrors } from '../../../platform/route/http.errors.js';
import { check, type Issue, validationError } from '../../../platform/route/validation.js';
import { GivenCall } from '../call.schema.js';

/** Calls are kept so long; an older one would be deleted as soon as it was written. */
export const KEPT_DAYS = 400;
/** Nobody reads more of one row. */
const FAULTS_OF_A_ROW = 20;
/** Above a row of a batch: the list, and what it is a member of. */
const LEVELS_ABOVE_ROW = 2;

/** A row with its defaults, or what is wrong with it. */
export type CheckedRow = { call: GivenCall; faults: null } | { call: null; faults: Issue[] };

/** A row as another module gives it. */
export function checkRow(row: unknown): CheckedRow {
  const { value, issues } = check(GivenCall, row);
  return issues.length > 0 ? { call: null, faults: issues } : { call: value as GivenCall, faults: null };
}

/** A row as it came from outside, where texts may be that cannot be kept. */
export function checkForeignRow(row: unknown): CheckedRow {
  const faults = findJsonFaults(row, LEVELS_ABOVE_ROW);
  return faults.length > 0 ? { call: null, faults } : checkRow(row);
}

/** The calls, or the refusal that names every bad one; one that is due already is bad too. */
export function callsOf(rows: readonly CheckedRow[], keptDays: number): GivenCall[] {
  const calls: GivenCall[] = [];
  const issues: Issue[] = [];
  const badRows: number[] = [];
  rows.forEach(({ call, faults }, at) => {
    const bad = faults ?? timeFaults(call, keptDays);
    if (call && bad.length === 0) {
      calls.push(call);
      return;
    }
    badRows.push(at);
    for (const { path, message } of bad.slice(0, FAULTS_OF_A_ROW)) {
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

function timeFaults({ timestamp }: GivenCall, keptDays: number): Issue[] {
  const path = ['timestamp'];
  if (isOlder(timestamp, keptDays)) {
    return [{ path, message: `is older than the ${keptDays} days for which calls are kept` }];
  }
  return isOlder(timestamp, -1) ? [] : [{ path, message: 'is more than a day ahead' }];
}
