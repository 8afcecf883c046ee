import { oldRows } from '../../platform/retention/old-rows.js';
import { defineRetention } from '../../platform/retention/retention-rule.js';
import { KEPT_DAYS } from './write/check-calls.js';
import { dropDuePayloads, dropDueRows } from './ledger.sweeps.js';

export const callRetention = defineRetention({
  name: 'calls',
  holds: 'LLM calls of the ledger',
  keep: { days: KEPT_DAYS },
  perProject: { minDays: 1, maxDays: KEPT_DAYS },
  // `ledger_dim` is listed, but its rows are never deleted, because a concurrent writer may rely on one.
  sweep: { tables: ['ledger_row', 'ledger_key', 'ledger_rollup', 'ledger_dim'], run: dropDueRows },
});

export const repricingRetention = defineRetention({
  name: 'repricings',
  holds: 'Repricings of past calls',
  keep: { days: 90 },
  sweep: oldRows({ table: 'ledger_repricing', time: 'created_at' }),
});

export const payloadRetention = defineRetention({
  name: 'payloads',
  holds: 'Requests and responses of LLM calls',
  keep: { days: 30 },
  perProject: { minDays: 1, maxDays: KEPT_DAYS },
  sweep: { tables: ['ledger_payload', 'ledger_expiry'], run: dropDuePayloads },
});
