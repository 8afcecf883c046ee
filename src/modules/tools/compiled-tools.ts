import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import { Recent } from '../../kernel/recent.js';
import { Statements } from '../../platform/database/statements.js';
import type { Callflow, FlowNode, ToolDocument } from './documents.schema.js';
import { type Ways, waysOf } from './flow.js';
import { inputCheck, type InputIssue } from './input-schema.js';
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
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly check: (input: unknown) => InputIssue[];
}

interface VersionRow {
  id: Id<'toolVersion'>;
  tool: string;
  callflows: string;
  variables: string;
  secretsSealed: string | null;
}

/** Versions as they run. They never change, so what was compiled once is kept. */
@Injectable()
export class CompiledTools {
  private readonly compiled = new Recent<string, CompiledTool>(KEPT);

  constructor(
    private readonly statements: Statements,
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
    const [row] = await this.statements.run<VersionRow>(
      `select id, tool_json as tool, callflows_json as callflows, variables_json as variables,
         secrets_sealed as "secretsSealed" from tool_version where id = $1`,
      [versionId],
    );
    if (!row) throw new Error(`The version ${versionId} is gone`);
    const tool = JSON.parse(row.tool) as ToolDocument['tool'];
    const secrets = this.safe.secretsOf(row);
    const variables = JSON.parse(row.variables) as { name: string; value: string }[];
    return {
      tool,
      flows: (JSON.parse(row.callflows) as Callflow[]).map(compiledFlow),
      env: { ...Object.fromEntries(variables.map(({ name, value }) => [name, value])), ...secrets },
      secrets: Object.values(secrets),
      check: inputCheck(tool.inputSchema),
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
