import type { Id } from '../../../kernel/ids.js';
import { defineSealed } from '../../../platform/crypto/sealed-column.js';
import type { Vault } from '../../../platform/crypto/vault.js';

const tokensColumn = defineSealed({ table: 'tool_run', column: 'tokens_sealed' });

/** What a tool does not name, it does not get: a token is all that its user may do elsewhere. */
export function tokensFor(
  profiles: readonly string[],
  tokens: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return Object.fromEntries(Object.entries(tokens).filter(([name]) => profiles.includes(name)));
}

/** The user's tokens stand sealed in the run as long as it runs: whoever goes on with it needs them. */
export function sealTokens(vault: Vault, runId: Id<'toolRun'>, tokens: Record<string, string>): string | null {
  return Object.keys(tokens).length === 0 ? null : vault.seal(JSON.stringify(tokens), tokensColumn, runId);
}

export function tokensOf(
  vault: Vault,
  { id, tokensSealed }: { id: Id<'toolRun'>; tokensSealed: string | null },
): Record<string, string> {
  return tokensSealed === null
    ? {}
    : (JSON.parse(vault.open(tokensSealed, tokensColumn, id)) as Record<string, string>);
}
