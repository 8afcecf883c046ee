import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { check } from '../../../platform/route/validation.js';
import { type FlowNode, hasOwnRules } from '../documents/node-schemas.js';
import {
  flowNodeKinds,
  type NodeContext,
  type NodeDescription,
  NodeFailure,
  type NodeKind,
  type NodeOutcome,
} from '../node-kind.port.js';
import { StartKind } from './start.js';
import { HttpKind } from './http.js';
import { ScriptKind } from './script.js';
import { TransformKind } from './transform.js';
import { ConditionKind } from './condition.js';
import { LlmKind } from './llm.js';
import { McpKind } from './mcp.js';
import { DelayKind } from './delay.js';
import { WaitKind } from './wait.js';
import { EndKind } from './end.js';

/** Slipway's own kinds. Messages list them in the order of the imports, and then those of plugins. */
export const NODE_KINDS = [
  StartKind,
  HttpKind,
  ScriptKind,
  TransformKind,
  ConditionKind,
  LlmKind,
  McpKind,
  DelayKind,
  WaitKind,
  EndKind,
];

interface KnownKind {
  readonly description: NodeDescription;
  readonly kind: NodeKind;
}

/** The kinds of nodes by their type. */
@Injectable()
export class NodeKinds implements OnModuleInit {
  private byType = new Map<string, KnownKind>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    this.byType = flowNodeKinds.find(this.discovery, (description, kind) => ({ description, kind }));
  }

  isPure({ type }: FlowNode): boolean {
    return this.byType.get(type)?.kind.isPure ?? false;
  }

  async run(node: FlowNode, context: NodeContext): Promise<NodeOutcome> {
    const known = this.byType.get(node.type);
    if (!known) {
      const message = `This service has no nodes of the type ${node.type}, because the plugin that brings them is not installed.`;
      throw new NodeFailure('NODE_TYPE_MISSING', message);
    }
    return known.kind.run(membersOf(node, known.description), context);
  }
}

/** Returns the members of a node as its schema reads them. An older version of a plugin may have had another schema. */
function membersOf({ id: _id, name: _name, type, ...members }: FlowNode, description: NodeDescription): object {
  // Their code checks templates and conditions of strangers, which only compute threads do.
  if (hasOwnRules(type)) return members;
  const { value, issues } = check(description.members, members);
  const [issue] = issues;
  if (!issue) return value as object;
  const subject = issue.path.length > 0 ? issue.path.map(String).join('.') : 'the node';
  throw new NodeFailure(
    'NODE_INVALID',
    `The node does not match the present schema of ${type}: ${subject} ${issue.message}.`,
  );
}
