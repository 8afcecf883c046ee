import { countedRowsOf } from '../lists.js';
import type { Schemas } from '../place.js';
import type { operations } from '../schema.js';
import { bodyOf, once, type CallOptions, type OnceOptions, type Transport } from '../transport.js';

type ListQuery = Omit<NonNullable<operations['Connections_list']['parameters']['query']>, 'offset'>;

/** Models of other providers that the project calls. */
export class Connections {
  constructor(private readonly http: Transport) {}

  list(
    query: ListQuery = {},
    options: CallOptions = {},
  ): AsyncGenerator<Schemas['ConnectionSummary'], void, undefined> {
    return countedRowsOf(
      (offset) =>
        this.http.api.GET('/api/public/connections', {
          params: { query: { ...query, offset } },
          ...this.http.with(options),
        }),
      ({ connections }) => connections,
    );
  }

  async create(
    body: Schemas['CreateConnectionInput'],
    options: OnceOptions = {},
  ): Promise<Schemas['ConnectionCreated']> {
    const params = { header: once(options) };
    return bodyOf(this.http.api.POST('/api/public/connections', { params, body, ...this.http.with(options) }));
  }

  read(connectionId: string, options?: CallOptions): Promise<Schemas['Connection']> {
    const params = { path: { connectionId } };
    return bodyOf(this.http.api.GET('/api/public/connections/{connectionId}', { params, ...this.http.with(options) }));
  }

  update(
    connectionId: string,
    body: Schemas['UpdateConnectionInput'],
    options?: CallOptions,
  ): Promise<Schemas['ConnectionUpdated']> {
    const params = { path: { connectionId } };
    return bodyOf(
      this.http.api.PATCH('/api/public/connections/{connectionId}', { params, body, ...this.http.with(options) }),
    );
  }
}
