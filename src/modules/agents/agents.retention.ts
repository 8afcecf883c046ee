import { oldRows } from '../../platform/retention/old-rows.js';
import { defineRetention } from '../../platform/retention/retention-rule.js';

export const activationRetention = defineRetention({
  name: 'agent-activations',
  holds: 'Past activations of agents',
  keep: { days: 400 },
  sweep: oldRows({ table: 'agent_activation', time: 'ended_at', where: 'ended_at is not null' }),
});

export const signInRetention = defineRetention({
  name: 'sign-ins',
  holds: 'Finished sign-ins',
  keep: { days: 1 },
  sweep: oldRows({ table: 'auth_flow', time: 'expires_at' }),
});

/** Tokens are deleted with their users and profiles. This period is for the tokens of users who do not come back. */
export const userTokenRetention = defineRetention({
  name: 'user-tokens',
  holds: 'Tokens of users at identity providers',
  keep: { days: 400 },
  sweep: oldRows({ table: 'user_token', time: 'updated_at' }),
});
