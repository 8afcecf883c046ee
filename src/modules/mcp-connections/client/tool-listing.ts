import { isNestedDeeper } from '../../../kernel/json-rules.js';
import { shortened } from '../../../kernel/shortened.js';
import type { McpListing, McpTool } from '../mcp-connections.port.js';
import { DescribedTool } from './mcp-messages.js';

export const MAX_TOOLS = 128;
const MAX_NAME = 128;
const MAX_DESCRIPTION = 4_096;
const MAX_SCHEMA_CHARACTERS = 32_768;
/** The limit of all schemas of a server together, because each call of a model sends them. */
const MAX_CHARACTERS = 512 * 1024;
const MAX_LEVELS = 32;

/** Takes tools as a server describes them, as long as they are within the limits. */
export class ToolListing {
  private readonly listing: McpListing = { tools: [], omitted: [] };
  private readonly names = new Set<string>();
  private characters = 0;

  constructor(
    private readonly allows: (name: string) => boolean,
    private readonly wanted: readonly string[],
  ) {}

  /** Whether there is no more room, so that further pages need not be read. */
  get isFull(): boolean {
    return this.listing.tools.length + this.listing.omitted.length >= MAX_TOOLS;
  }

  add(described: readonly unknown[]): void {
    for (const one of described) {
      if (this.isFull) return;
      const { data } = DescribedTool.safeParse(one);
      if (data && (this.names.has(data.name) || !this.allows(data.name))) continue;
      const name = shortened(data?.name ?? nameIn(one), MAX_NAME);
      const tool = data && { name, description: data.description ?? '', inputSchema: data.inputSchema };
      const reason = tool ? this.refusalOf(tool, data.name) : 'Its description does not follow the protocol.';
      this.names.add(name);
      if (reason !== undefined) this.listing.omitted.push({ name, reason });
      else this.take(tool!);
    }
  }

  /** Returns the listing. Allowed tools that the server does not have are named among the omitted ones. */
  end(): McpListing {
    const missing = this.wanted.filter((name) => !this.names.has(name));
    this.listing.omitted.push(...missing.map((name) => ({ name, reason: 'The server does not offer it.' })));
    return this.listing;
  }

  private take({ description, ...tool }: McpTool): void {
    this.listing.tools.push({ ...tool, description: shortened(description, MAX_DESCRIPTION) });
  }

  private refusalOf({ inputSchema }: McpTool, name: string): string | undefined {
    if (name === '' || name.length > MAX_NAME || /\p{Cc}/u.test(name))
      return `Its name is not a text of 1 to ${MAX_NAME} characters.`;
    if (inputSchema.type !== 'object') return 'Its input schema is not that of an object.';
    if (isNestedDeeper(inputSchema, MAX_LEVELS)) return `Its input schema is nested deeper than ${MAX_LEVELS} levels.`;
    const { length } = JSON.stringify(inputSchema);
    if (length > MAX_SCHEMA_CHARACTERS) return `Its input schema has more than ${MAX_SCHEMA_CHARACTERS} characters.`;
    if (this.characters + length > MAX_CHARACTERS)
      return `The input schemas of the tools have more than ${MAX_CHARACTERS} characters together.`;
    this.characters += length;
    return undefined;
  }
}

function nameIn(described: unknown): string {
  const name = (described as { name?: unknown } | null)?.name;
  return typeof name === 'string' ? name : '';
}
