import type { Place, ProjectOptions, Schemas } from '../place.js';
import { bodyOf, once, type CallOptions, type OnceOptions, type Transport } from '../transport.js';

type MessageInput = Omit<Schemas['SendMessageInput'], 'project_id'>;

/** The webhook channel: messages whose replies arrive as callbacks. */
export class Messages {
  constructor(
    private readonly http: Transport,
    private readonly place: Place,
  ) {}

  /** Sends a message once. The reply is a callback to the subscription. */
  async send(body: MessageInput, options: ProjectOptions & OnceOptions = {}): Promise<Schemas['MessageAccepted']> {
    return bodyOf(
      this.http.api.POST('/api/v1/channels/http-async/message', {
        params: { header: once(options) },
        body: { project_id: await this.place.project(options), ...body },
        ...this.http.with(options),
      }),
    );
  }

  /** Returns how far a message is, with the outcomes of its callbacks. */
  read(messageId: string, options?: CallOptions): Promise<Schemas['MessageStatus']> {
    const params = { path: { messageId } };
    return bodyOf(
      this.http.api.GET('/api/v1/channels/http-async/messages/{messageId}', { params, ...this.http.with(options) }),
    );
  }
}
