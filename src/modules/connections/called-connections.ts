import { Injectable } from '@nestjs/common';
import type { Id } from '../../kernel/ids.js';
import { columns, planned, type Sql, sql } from '../../platform/database/sql.js';
import { Statements } from '../../platform/database/statements.js';
import type { Connection } from './connection.entity.js';

/** What of a connection has to be known to call its model. */
export type CalledConnection = Pick<
  Connection,
  'id' | 'provider' | 'model' | 'status' | 'shownFields' | 'secretsSealed' | 'createdAt'
>;

const CONNECTION = columns<CalledConnection>({
  id: 'id',
  provider: 'provider',
  model: 'model',
  status: 'status',
  shownFields: 'fields_json::json',
  secretsSealed: 'secrets_sealed',
  createdAt: 'created_at',
});

/** Asked with every call of a model, so without the entity. */
@Injectable()
export class CalledConnections {
  constructor(private readonly statements: Statements) {}

  inProject(projectId: Id<'project'>, connectionId: Id<'connection'>): Promise<CalledConnection | null> {
    return this.find(sql`id = ${connectionId} and project_id = ${projectId}`);
  }

  /** By its name, or by the model it leads to: the newest active one, else the newest. */
  newestNamed(projectId: Id<'project'>, named: string): Promise<CalledConnection | null> {
    return this.find(
      sql`project_id = ${projectId} and (name = ${named} or model = ${named})
          order by status = 'ACTIVE' desc, id desc limit 1`,
    );
  }

  private async find(where: Sql): Promise<CalledConnection | null> {
    const [connection] = await this.statements.run<CalledConnection>(
      planned`select ${CONNECTION} from connection where ${where}`,
    );
    return connection ?? null;
  }
}
