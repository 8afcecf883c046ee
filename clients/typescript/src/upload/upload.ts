import { Refusal, SlipwayError } from '../errors.js';
import type { Schemas } from '../place.js';
import { bodyOf, once, type CallOptions, type Transport } from '../transport.js';
import { digestOf } from './digest.js';
import type { Content } from './source.js';

const CHUNK_BYTES = 8 * 1024 * 1024;
const MAX_CHUNKS = 10_000;
/** A service that restarts is back after a few of these. */
const RETRIES = 8;
const ABANDON_TIMEOUT_MS = 10_000;
const SESSION = '/api/public/files/session/{sessionId}';

export interface UploadProgress {
  sentBytes: number;
  totalBytes: number;
  percent: number;
}

export interface UploadOptions extends CallOptions {
  /** Says what the file is for, such as `tool`, `model` or `dataset`. */
  context?: string;
  /** The name with its extension; that of the path or of the `File`, unless given. */
  name?: string;
  isAdapter?: boolean;
  /** The size of a chunk: 8 MiB unless given, and at most 25 MiB. */
  chunkBytes?: number;
  /** How many chunks are sent at the same time: three, unless given. */
  concurrency?: number;
  onProgress?: (progress: UploadProgress) => void;
  /**
   * Is called with the id of the upload, which `resume` takes. With it, an upload that is interrupted stays, so that it
   * can be continued. In all other cases, an upload that fails is abandoned.
   */
  onSession?: (sessionId: string) => void;
  /** The id of an interrupted upload of the same file. Only its missing chunks are sent. */
  resume?: string;
}

export type Uploaded = Schemas['FileLink'] | Schemas['ImportStarted'];

interface Session {
  sessionId: string;
  totalChunks: number;
  missing: number[];
}

/** Uploads a content in chunks. Chunks that a fault has lost are sent again. */
export class ChunkedUpload {
  private readonly calls: CallOptions;
  private sentBytes = 0;

  constructor(
    private readonly http: Transport,
    private readonly content: Content,
    private readonly options: UploadOptions,
  ) {
    const { signal, timeoutMs, retries = RETRIES } = options;
    this.calls = { signal, timeoutMs, retries };
  }

  async run(): Promise<Uploaded> {
    const session = await (this.options.resume === undefined ? this.start() : this.continue(this.options.resume));
    try {
      this.options.onSession?.(session.sessionId);
      return await this.sendMissing(session);
    } catch (error) {
      if (!this.mayBeContinued(error)) await this.abandon(session);
      throw error;
    }
  }

  private async sendMissing(session: Session): Promise<Uploaded> {
    const missing = new Set(session.missing);
    for (let chunk = 0; chunk < session.totalChunks; chunk += 1) {
      if (!missing.has(chunk)) this.sentBytes += this.sizeOf(session, chunk);
    }
    this.report();
    await this.sendAll(session, session.missing);
    return this.complete(session);
  }

  /** An upload can be continued only by a caller that has its id. */
  private mayBeContinued(error: unknown): boolean {
    const { onSession, resume, signal } = this.options;
    return (onSession !== undefined || resume !== undefined) && isInterruption(error, signal);
  }

  /** Deletes what was begun, among it the model that waits for its file. If this fails, the upload expires later. */
  private async abandon({ sessionId }: Session): Promise<void> {
    const params = { path: { sessionId } };
    const how = this.http.with({ timeoutMs: ABANDON_TIMEOUT_MS, retries: 1 });
    await this.http.api.DELETE(SESSION, { params, ...how }).catch(() => undefined);
  }

  private async start(): Promise<Session> {
    const { size } = this.content;
    const { chunkBytes = CHUNK_BYTES, context = 'model', isAdapter } = this.options;
    const totalChunks = Math.max(Math.ceil(size / Math.max(chunkBytes, Math.ceil(size / MAX_CHUNKS))), 1);
    const { fileName, fileExtension } = nameOf(this.content, this.options);
    const body = { fileContext: context, fileName, fileExtension, fileSize: size, totalChunks };
    const { sessionId } = await bodyOf(
      this.http.api.POST('/api/public/files/session/start', {
        params: { header: once() },
        body: isAdapter === undefined ? body : { ...body, isAdapter },
        ...this.http.with(this.calls),
      }),
    );
    return { sessionId, totalChunks, missing: Array.from({ length: totalChunks }, (_, chunk) => chunk) };
  }

  private async continue(sessionId: string): Promise<Session> {
    const found = await bodyOf(
      this.http.api.GET(SESSION, { params: { path: { sessionId } }, ...this.http.with(this.calls) }),
    );
    this.refuseAnother(found);
    return { sessionId, totalChunks: found.totalChunks, missing: found.missingChunks };
  }

  /** The service knows the name and the size of the file, but nothing of the bytes that have arrived. */
  private refuseAnother(found: Schemas['Upload']): void {
    if (found.fileSize !== this.content.size) throw ofAnotherFile(`it has ${found.fileSize} bytes`);
    // A content without a name has nothing to compare.
    if ((this.options.name ?? this.content.name) === undefined) return;
    const [ours, began] = [fullName(nameOf(this.content, this.options)), fullName(found)];
    if (ours !== began) throw ofAnotherFile(`it is called ${began}, not ${ours}`);
  }

  private async sendAll(session: Session, chunks: readonly number[]): Promise<void> {
    const waiting = [...chunks];
    const sender = async (): Promise<void> => {
      for (let chunk = waiting.shift(); chunk !== undefined; chunk = waiting.shift()) {
        await this.send(session, chunk);
        this.sentBytes += this.sizeOf(session, chunk);
        this.report();
      }
    };
    const senders = Array.from({ length: this.options.concurrency ?? 3 }, sender);
    try {
      await Promise.all(senders);
    } finally {
      // The other senders stop after their present chunk, so that nothing is sent once the upload has failed.
      waiting.length = 0;
      await Promise.allSettled(senders);
    }
  }

  private async send({ sessionId, totalChunks }: Session, chunk: number): Promise<void> {
    const file = await this.content.slice(...this.range(totalChunks, chunk));
    const digest = await digestOf(file);
    await this.http.api.POST(SESSION, {
      params: { path: { sessionId }, ...(digest !== undefined && { header: { 'Content-Digest': digest } }) },
      body: { chunkNumber: String(chunk), file: '' },
      bodySerializer: ({ chunkNumber }) => toForm({ chunkNumber, file: new File([file], 'chunk') }),
      // A chunk that is sent again replaces itself.
      ...this.http.with(this.calls, { isRepeatable: true }),
    });
  }

  private async complete(session: Session): Promise<Uploaded> {
    try {
      return await this.askToComplete(session);
    } catch (error) {
      if (!(error instanceof Refusal && error.is('CHUNKS_MISSING'))) throw error;
      await this.sendAll(session, error.details.missingChunks as number[]);
      return this.askToComplete(session);
    }
  }

  private askToComplete({ sessionId }: Session): Promise<Uploaded> {
    const params = { path: { sessionId } };
    const how = this.http.with(this.calls, { isRepeatable: true });
    return bodyOf(this.http.api.POST(`${SESSION}/complete`, { params, ...how }));
  }

  /** The number of chunks decides their sizes, so that a resumed upload makes the same ones. */
  private range(totalChunks: number, chunk: number): [from: number, to: number] {
    const { size } = this.content;
    return [Math.floor((size * chunk) / totalChunks), Math.floor((size * (chunk + 1)) / totalChunks)];
  }

  private sizeOf({ totalChunks }: Session, chunk: number): number {
    const [from, to] = this.range(totalChunks, chunk);
    return to - from;
  }

  private report(): void {
    const { size: totalBytes } = this.content;
    const sentBytes = Math.min(this.sentBytes, totalBytes);
    const percent = totalBytes === 0 ? 100 : Math.floor((sentBytes / totalBytes) * 100);
    this.options.onProgress?.({ sentBytes, totalBytes, percent });
  }
}

/** Whether another attempt with the same file may have what this one lacked. */
export function isInterruption(error: unknown, signal?: AbortSignal): boolean {
  if (signal?.aborted) return true;
  if (error instanceof Refusal) return error.status >= 500 || error.status === 429;
  return error instanceof SlipwayError && error.is('NO_ANSWER', 'TIMED_OUT');
}

export function nameOf(content: Content, { name = content.name }: UploadOptions) {
  const [, fileName, fileExtension] = /^(.+)\.([^.]+)$/.exec(name ?? '') ?? [];
  if (fileName === undefined || fileExtension === undefined) {
    throw new SlipwayError('FILE_NAME_MISSING', 'Give the option name with an extension, such as report.pdf.');
  }
  return { fileName, fileExtension };
}

/** Returns the name under which the service keeps a file. */
function fullName({ fileName, fileExtension }: { fileName: string; fileExtension: string }): string {
  const [name, ending] = [
    fileName
      .replace(/^.*[/\\]/s, '')
      .trim()
      .normalize(),
    `.${fileExtension.toLowerCase()}`,
  ];
  return name.toLowerCase().endsWith(ending) ? name : name + ending;
}

function ofAnotherFile(difference: string): SlipwayError {
  return new SlipwayError('UPLOAD_OF_ANOTHER_FILE', `The interrupted upload is of another file: ${difference}.`);
}

export function toForm(fields: Record<string, string | File>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}
