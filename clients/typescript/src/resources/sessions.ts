import type { Place, PlaceOptions, Schemas } from '../place.js';
import { bodyOf, once, type CallOptions, type OnceOptions, type Transport } from '../transport.js';

export type SessionIdentity = Schemas['CreateSessionInput']['sessionIdentity'];

/** Names a session by a name of your own. */
export function byReference(value: string): [{ type: 'sessionReference'; value: string }] {
  return [{ type: 'sessionReference', value }];
}

/** Names a session by its id. */
export function bySessionId(value: string): [{ type: 'sessionId'; value: string }] {
  return [{ type: 'sessionId', value }];
}

type DetailsOptions = { include?: ('traces' | 'observations')[]; page?: number; limit?: number };

/** Conversations of users with the agent of an environment. */
export class Sessions {
  constructor(
    private readonly http: Transport,
    private readonly place: Place,
  ) {}

  /** Finds or creates a session. A new one has the agent's welcome in its events. */
  async create(
    body: Schemas['CreateSessionInput'],
    options: PlaceOptions & OnceOptions = {},
  ): Promise<Schemas['SessionOpened']> {
    const params = { header: once(options), path: await this.place.environment(options) };
    return bodyOf(
      this.http.api.POST('/api/v2/apps/{appId}/environments/{envName}/sessions', {
        params,
        body,
        ...this.http.with(options),
      }),
    );
  }

  /** Ends a session. Its memory is summarized and deleted. */
  async terminate(
    body: Schemas['TerminateSessionInput'],
    options: PlaceOptions & CallOptions = {},
  ): Promise<Schemas['SessionEnded']> {
    return bodyOf(
      this.http.api.POST('/api/v2/apps/{appId}/environments/{envName}/sessions/terminate', {
        params: { path: await this.place.environment(options) },
        body,
        ...this.http.with(options),
      }),
    );
  }

  /** Attaches a file to a session, so that its next messages may name it. */
  async attach(
    sessionId: string,
    fileId: string,
    options: PlaceOptions & OnceOptions = {},
  ): Promise<Schemas['SessionAttachments']> {
    const header = once(options);
    const path = { ...(await this.place.environment(options)), sessionId };
    return bodyOf(
      this.http.api.POST('/api/v2/apps/{appId}/environments/{envName}/sessions/{sessionId}/attachments', {
        params: { path, header },
        body: { fileId },
        ...this.http.with(options),
      }),
    );
  }

  /** Returns one page of the sessions of the app, the newest first. */
  async list(
    body: Schemas['ListSessionsInput'] = {},
    options: PlaceOptions & CallOptions & { limit?: number; offset?: number } = {},
  ): Promise<Schemas['SessionList']> {
    const { limit, offset } = options;
    return bodyOf(
      this.http.api.POST('/api/public/apps/{appId}/sessions/list', {
        params: { path: { appId: await this.place.app(options) }, query: { limit, offset } },
        body,
        ...this.http.with(options, { isRepeatable: true }),
      }),
    );
  }

  /** Returns a session with its traces, as far as they are asked for. */
  async details(
    sessionId: string,
    options: DetailsOptions & PlaceOptions & CallOptions = {},
  ): Promise<Schemas['SessionDetails']['sessions'][number] | undefined> {
    const { include, page, limit } = options;
    const query = { session_id: sessionId, include, page, limit };
    const { sessions } = await bodyOf(
      this.http.api.GET('/api/public/apps/{appId}/sessions', {
        params: { path: { appId: await this.place.app(options) }, query },
        ...this.http.with(options),
      }),
    );
    return sessions[0];
  }
}
