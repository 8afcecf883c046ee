import { Injectable } from '@nestjs/common';
import type { Id } from '../../../kernel/ids.js';
import { JsonText } from '../../../kernel/json-text.js';
import { RecentlyUsed } from '../../../kernel/recently-used.js';
import { Database } from '../../../platform/database/database.js';
import type { Callflow, ToolDocument } from '../documents/documents.schema.js';
import { type NextNodes, nextNodesOf } from '../documents/flow.js';
import { InputSchema } from '../documents/input-checks.js';
import type { FlowNode } from '../documents/node-schemas.js';
import { flowNodeKinds } from '../node-kind.port.js';
import { ToolVersionRepository } from './tool-version.repository.js';
import { VersionSecrets } from './version-secrets.js';

const KEPT = 500;

export interface CompiledFlow {
  readonly id: string;
  readonly start: string;
  readonly nodes: ReadonlyMap<string, FlowNode>;
  readonly nextNodes: ReadonlyMap<string, NextNodes>;
  /** The ids of the nodes that await a callback. */
  readonly waits: ReadonlySet<string>;
}

/** A version that is ready to run. */
export interface CompiledTool {
  readonly tool: ToolDocument['tool'];
  /** The first flow is the one that runs unless a request names another. */
  readonly flows: readonly CompiledFlow[];
  /** The variables by name, including the secret ones. */
  readonly env: JsonText;
  readonly secrets: readonly string[];
  readonly inputSchema: InputSchema;
}

/** Compiles versions, and caches them. They never change, so a cached one is always valid. */
@Injectable()
export class CompiledTools {
  private readonly compiled = new RecentlyUsed<string, CompiledTool>(KEPT);

  constructor(
    private readonly database: Database,
    private readonly versions: ToolVersionRepository,
    private readonly versionSecrets: VersionSecrets,
  ) {}

  /**
   * Two callers at the same moment both compile. If they shared the work, one would wait for the other's transaction,
   * or fail with it.
   */
  async of(versionId: Id<'toolVersion'>): Promise<CompiledTool> {
    const known = this.compiled.get(versionId);
    if (known) return known;
    const compiled = await this.compile(versionId);
    this.compiled.set(versionId, compiled);
    return compiled;
  }

  private async compile(versionId: Id<'toolVersion'>): Promise<CompiledTool> {
    const version = await this.database.ask(this.versions.rowOf(versionId));
    if (!version) throw new Error(`The version ${versionId} does not exist any more`);
    const tool = JSON.parse(version.toolJson) as ToolDocument['tool'];
    const secrets = this.versionSecrets.secretsOf(version);
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
    nextNodes: nextNodesOf(edges),
    waits: new Set(nodes.filter(({ type }) => flowNodeKinds.get(type)?.awaitsCallback).map(({ id: nodeId }) => nodeId)),
  };
}
