import type { Id } from '../../kernel/ids.js';
import { MCP_REASONS, type McpReason } from './mcp-connections.errors.js';

/** A tool as its server describes it, within the limits of this service. */
export interface McpTool {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
}

/** A tool of a server that is not offered, with the reason for people. */
export interface OmittedTool {
  name: string;
  reason: string;
}

export interface McpListing {
  tools: McpTool[];
  omitted: OmittedTool[];
}

export interface McpResult {
  /** The texts of the answer, with descriptions of its media, and its structured content as JSON if there is no text. */
  text: string;
  /** The structured content, which may be any value of JSON. Null if the server sent none. */
  structured: unknown;
}

/** A tool of an MCP server was not called, or failed. The message says why, for people and models. */
export class McpFailure extends Error {
  constructor(
    readonly reason: McpReason,
    message: string = MCP_REASONS[reason],
    cause?: unknown,
  ) {
    super(message, { cause });
    this.name = 'McpFailure';
  }
}

/** Knows the authorization profiles at whose providers users sign in. The module of agents implements it. */
export abstract class SignInProfiles {
  /** Whether an app of the project has a profile with this name. */
  abstract has(projectId: Id<'project'>, idpName: string): Promise<boolean>;
}
