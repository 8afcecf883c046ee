import { Entity, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { EntityRepositoryType } from '@mikro-orm/postgresql';
import { clock } from '../../../kernel/clock.js';
import { type Id, newId } from '../../../kernel/ids.js';
import { Audited } from '../../../platform/audit/audited.js';
import { ID, type RowOf } from '../../../platform/database/columns.js';
import type { Documents } from '../documents/documents.js';
import { Tool } from './tool.entity.js';
import { ToolVersionRepository } from './tool-version.repository.js';

type NewVersion = Pick<Documents, 'variables'> & Pick<ToolVersion, 'toolJson' | 'callflowsJson'>;

/** The documents of a tool as one import brought them. A version never changes. */
@Audited({ kind: 'toolVersion', project: 'tool.project', secrets: ['secretsSealed'] })
@Entity({ tableName: 'tool_version', repository: () => ToolVersionRepository })
@Unique({ properties: ['tool', 'number'] })
export class ToolVersion {
  [EntityRepositoryType]?: ToolVersionRepository;

  @PrimaryKey({ ...ID })
  readonly id: Id<'toolVersion'> = newId('toolVersion');

  @ManyToOne(() => Tool, { deleteRule: 'cascade' })
  readonly tool: Tool;

  @Property({ type: 'integer', check: 'number > 0' })
  readonly number: number;

  /** The scope of the key that imported the documents. It is null if it is not known. */
  @Property({ ...ID, nullable: true })
  readonly scopeId: Id<'scope'> | null;

  /** The documents are text, because `jsonb` would change the order of members and long numbers. */
  @Property({ type: 'text' })
  readonly toolJson: string;

  @Property({ type: 'text' })
  readonly callflowsJson: string;

  @Property({ type: 'text' })
  readonly variablesJson: string;

  /** The sealed values of the secret variables by name. It is null if there are none. */
  @Property({ type: 'text', nullable: true })
  secretsSealed: string | null = null;

  @Property({ type: 'timestamptz' })
  readonly createdAt: Date = clock.now();

  constructor(
    tool: Tool,
    scopeId: Id<'scope'> | null,
    number: number,
    { toolJson, callflowsJson, variables }: NewVersion,
  ) {
    if (variables.some(({ secret, value }) => secret && value !== ''))
      throw new Error('Secrets are stored sealed, in a column of their own');
    this.tool = tool;
    this.scopeId = scopeId;
    this.number = number;
    this.toolJson = toolJson;
    this.callflowsJson = callflowsJson;
    this.variablesJson = JSON.stringify(variables);
  }

  /** The documents, in which the values of secret variables are empty. */
  get documents(): Documents {
    return {
      tool: JSON.parse(this.toolJson) as Documents['tool'],
      callflows: JSON.parse(this.callflowsJson) as Documents['callflows'],
      variables: JSON.parse(this.variablesJson) as Documents['variables'],
    };
  }
}

export type ToolVersionRow = RowOf<ToolVersion, 'documents'>;
