import type { Id } from '../../../kernel/ids.js';
import { defineSealed } from '../../../platform/crypto/sealed-column.js';
import type { Vault } from '../../../platform/crypto/vault.js';

const tokensColumn = defineSealed({ table: 'tool_run', column: 'tokens_sealed' });

/**
 * Returns the tokens of the profiles that the tool names. It gets no others, because a token permits all its user may
 * do.
 */
export function tokensFor(
  profiles: readonly string[],
  tokens: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return Object.fromEntries(Object.entries(tokens).filter(([name]) => profiles.includes(name)));
}

/** The user's tokens are sealed in the run's row until it ends, because another process may have to continue it. */
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
