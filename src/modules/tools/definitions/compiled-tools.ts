import { Injectable } from '@nestjs/common';
import type { Id } from '../../../kernel/ids.js';
import { JsonText } from '../../../kernel/json-text.js';
import { RecentlyUsed } from '../../../kernel/recently-used.js';
import { Database } from '../../../platform/database/database.js';
import type { Callflow, FlowNode, ToolDocument } from '../documents/documents.schema.js';
import { type Ways, waysOf } from '../documents/flow.js';
import { InputSchema } from '../documents/input-checks.js';
import { ToolVersionRepository } from './tool-version.repository.js';
import { VersionSafe } from './version-safe.js';

const KEPT = 500;

export interface CompiledFlow {
  readonly id: string;
  readonly start: string;
  readonly nodes: ReadonlyMap<string, FlowNode>;
  readonly ways: ReadonlyMap<string, Ways>;
  readonly waits: boolean;
}

/** A version, ready to run. */
export interface CompiledTool {
  readonly tool: ToolDocument['tool'];
  /** The first is the tool's own. */
  readonly flows: readonly CompiledFlow[];
  /** The variables by name. */
  readonly env: JsonText;
  readonly secrets: readonly string[];
  readonly inputSchema: InputSchema;
}

/** Versions as they run. They never change, so what was compiled once is kept. */
@Injectable()
export class CompiledTools {
  private readonly compiled = new RecentlyUsed<string, CompiledTool>(KEPT);

  constructor(
    private readonly database: Database,
    private readonly versions: ToolVersionRepository,
    private readonly safe: VersionSafe,
  ) {}

  /** Two who ask at the same moment both compile: neither waits for the other's transaction, nor fails with it. */
  async of(versionId: Id<'toolVersion'>): Promise<CompiledTool> {
    const known = this.compiled.get(versionId);
    if (known) return known;
    const compiled = await this.compile(versionId);
    this.compiled.set(versionId, compiled);
    return compiled;
  }

  private async compile(versionId: Id<'toolVersion'>): Promise<CompiledTool> {
    const version = await this.database.ask(this.versions.rowOf(versionId));
    if (!version) throw new Error(`The version ${versionId} is gone`);
    const tool = JSON.parse(version.toolJson) as ToolDocument['tool'];
    const secrets = this.safe.secretsOf(version);
    const variables = JSON.parse(version.variablesJson) as { name: string; value: string }[];
    return {
      tool,
      flows: (JSON.parse(version.callflowsJson) as Callflow[]).map(compiledFlow),
      env: JsonText.of({ ...Object.fromEntries(variables.map(({ name, value }) => [name, value])), ...secrets }),
      secrets: Object.values(secrets),
      inputSchema: new InputSchema(tool.inputSchema),
    };
  }
}

function compiledFlow({ id, nodes, edges }: Callflow): CompiledFlow {
  return {
    id,
    start: nodes.find(({ type }) => type === 'start')!.id,
    nodes: new Map(nodes.map((node) => [node.id, node])),
    ways: waysOf(edges),
    waits: nodes.some(({ type }) => type === 'wait'),
  };
}
