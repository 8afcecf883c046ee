import type { Schemas } from '../place.js';
import { bodyOf, once, type CallOptions, type Transport } from '../transport.js';
import { ChunkedUpload, nameOf, toForm, type Uploaded, type UploadOptions } from '../upload/upload.js';
import { open, type Content, type UploadSource } from '../upload/source.js';

const ONE_REQUEST_BYTES = 8 * 1024 * 1024;
/** The service imports these while it completes their uploads, so they always have one. */
const IMPORTED = ['model', 'dataset'];

/** Files of the project. */
export class Files {
  constructor(private readonly http: Transport) {}

  /** Uploads a file: a small one in one request, a larger one in chunks that are sent again if they are lost. */
  async upload(source: UploadSource, options: UploadOptions = {}): Promise<Schemas['FileLink']> {
    return (await this.take(source, options)) as Schemas['FileLink'];
  }

  /** Uploads a model or a dataset, and returns the job that imports it. */
  async uploadToImport(source: UploadSource, options: UploadOptions): Promise<Schemas['ImportStarted']> {
    return (await this.take(source, options)) as Schemas['ImportStarted'];
  }

  /** Returns a new link to a file, which works for an hour without a key. */
  link(fileId: string, options?: CallOptions): Promise<Schemas['FileLink']> {
    const params = { path: { fileId } };
    return bodyOf(this.http.api.GET('/api/public/files/{fileId}', { params, ...this.http.with(options) }));
  }

  /** Returns which chunks of an upload have arrived. */
  uploadState(sessionId: string, options?: CallOptions): Promise<Schemas['Upload']> {
    const params = { path: { sessionId } };
    return bodyOf(this.http.api.GET('/api/public/files/session/{sessionId}', { params, ...this.http.with(options) }));
  }

  async abandonUpload(sessionId: string, options?: CallOptions): Promise<void> {
    const params = { path: { sessionId } };
    await this.http.api.DELETE('/api/public/files/session/{sessionId}', { params, ...this.http.with(options) });
  }

  private async take(source: UploadSource, options: UploadOptions): Promise<Uploaded> {
    const content = await open(source);
    try {
      const { context = 'bulkImport', chunkBytes = ONE_REQUEST_BYTES, resume } = options;
      const isSmall = content.size <= chunkBytes && resume === undefined && !IMPORTED.includes(context);
      if (isSmall) return await this.inOneRequest(content, { ...options, context });
      return await new ChunkedUpload(this.http, content, { ...options, context }).run();
    } finally {
      await content.close();
    }
  }

  private async inOneRequest(content: Content, options: UploadOptions): Promise<Schemas['FileLink']> {
    const { fileName, fileExtension } = nameOf(content, options);
    const file = new File([await content.slice(0, content.size)], `${fileName}.${fileExtension}`);
    const uploaded = await bodyOf(
      this.http.api.POST('/api/public/files', {
        params: { header: once() },
        body: { file: '', fileContext: options.context! },
        bodySerializer: ({ fileContext }) => toForm({ fileContext, file }),
        ...this.http.with(options),
      }),
    );
    options.onProgress?.({ sentBytes: content.size, totalBytes: content.size, percent: 100 });
    return uploaded;
  }
}
