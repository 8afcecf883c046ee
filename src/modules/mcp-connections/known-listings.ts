import { RecentlyUsed } from '../../kernel/recently-used.js';
import { MINUTE_MS } from '../../kernel/spans.js';
import { McpFailure, type McpListing } from './mcp-connections.port.js';

const MAX_LISTINGS = 500;
/** A listing is asked for again after this time. */
const FRESH_MS = MINUTE_MS;
/** A server that failed is asked again after this time. It would otherwise slow down each step of a turn. */
const FAILED_MS = 15_000;

interface Known {
  result: McpListing | McpFailure;
  until: number;
}

/** Remembers what servers offered a moment ago, and that one of them could not be asked. */
export class KnownListings {
  private readonly known = new RecentlyUsed<string, Known>(MAX_LISTINGS);

  async of(key: string, list: () => Promise<McpListing>): Promise<McpListing> {
    const known = this.known.get(key);
    const { result } = known && known.until > performance.now() ? known : await this.ask(key, list);
    if (result instanceof McpFailure) throw result;
    return result;
  }

  forget(key: string): void {
    const known = this.known.get(key);
    if (known) known.until = 0;
  }

  private async ask(key: string, list: () => Promise<McpListing>): Promise<Known> {
    const result = await list().catch((error: unknown) => {
      if (error instanceof McpFailure) return error;
      throw error;
    });
    const known = { result, until: performance.now() + (result instanceof McpFailure ? FAILED_MS : FRESH_MS) };
    this.known.set(key, known);
    return known;
  }
}
