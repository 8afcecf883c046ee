import { rowsOf } from '../lists.js';
import type { Place, PlaceOptions, Schemas } from '../place.js';
import { bodyOf, once, type CallOptions, type OnceOptions, type Transport } from '../transport.js';

const KEYS = '/aaa/api/public/apps/{appId}/apikeys';

/** API keys of the app. */
export class Keys {
  constructor(
    private readonly http: Transport,
    private readonly admin: Transport,
    private readonly place: Place,
  ) {}

  /** Creates a key. Only this answer has its value. */
  async create(body: Schemas['CreateKeyInput'], options: PlaceOptions & OnceOptions = {}) {
    const params = { header: once(options), path: { appId: await this.place.app(options) } };
    return (await bodyOf(this.http.api.POST(`${KEYS}/create`, { params, body, ...this.http.with(options) }))).api_key;
  }

  /** Gives a key another value. The old one works for `grace_seconds`. */
  async rotate(keyId: string, body: Schemas['RotateKeyInput'] = {}, options: PlaceOptions & OnceOptions = {}) {
    const params = { header: once(options), path: { appId: await this.place.app(options), keyId } };
    const answer = this.http.api.POST(`${KEYS}/{keyId}/rotate`, { params, body, ...this.http.with(options) });
    return (await bodyOf(answer)).api_key;
  }

  /** Revokes a key. When this has been answered, no process does anything for it any more. */
  async revoke(keyId: string, options: PlaceOptions & CallOptions = {}): Promise<void> {
    const params = { path: { appId: await this.place.app(options), keyId } };
    await this.http.api.DELETE(`${KEYS}/{keyId}`, { params, ...this.http.with(options) });
  }

  /** Yields the keys of the app, without their values. Needs an administration key. */
  async *list(options: PlaceOptions & CallOptions = {}): AsyncGenerator<Schemas['AdminApiKey'], void, undefined> {
    const path = { appId: await this.place.app(options) };
    yield* rowsOf((cursor) =>
      this.admin.api.GET('/api/admin/v1/apps/{appId}/apikeys', {
        params: { path, query: { cursor } },
        ...this.admin.with(options),
      }),
    );
  }
}
