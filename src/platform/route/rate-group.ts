/** A group of routes whose requests are counted together. The setting `RATE_LIMIT_<group>` is its limit. */
export type RateGroup = 'DEFAULT' | 'LEDGER' | 'MESSAGES' | 'SIGN_IN';
