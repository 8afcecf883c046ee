/** Routes that are counted together, each group for itself. Its limit is the setting `RATE_LIMIT_<group>`. */
export type RateGroup = 'DEFAULT' | 'LEDGER' | 'MESSAGES';
