import { DockJob } from '../dock-job.js';
import { countedRowsOf } from '../lists.js';
import type { Schemas } from '../place.js';
import { bodyOf, once, type CallOptions, type OnceOptions, type Transport } from '../transport.js';
import type { UploadSource } from '../upload/source.js';
import type { UploadOptions } from '../upload/upload.js';
import type { Files } from './files.js';

type ImportOptions = Omit<UploadOptions, 'context' | 'onProgress'> & { context?: 'model' | 'dataset' };
type DeployOptions = Schemas['DeployModelInput'] & { modelType?: 'openSource' | 'fineTune' };

const MODEL = '/api/public/models/{modelId}';

/** Models and datasets of the project. */
export class Models {
  constructor(
    private readonly http: Transport,
    private readonly files: Files,
  ) {}

  /** Uploads and imports a model or a dataset. */
  import(source: UploadSource, options: ImportOptions = {}): DockJob<Schemas['ImportStarted']> {
    const { context = 'model' } = options;
    return new DockJob(this.http, (report) =>
      this.files.uploadToImport(source, {
        ...options,
        context,
        onProgress: ({ percent }) => report({ phase: 'upload', percent }),
      }),
    );
  }

  list(options: CallOptions = {}): AsyncGenerator<Schemas['Model'], void, undefined> {
    return countedRowsOf(
      (offset) =>
        this.http.api.GET('/api/public/models', { params: { query: { offset } }, ...this.http.with(options) }),
      ({ models }) => models,
    );
  }

  read(modelId: string, options?: CallOptions): Promise<Schemas['Model']> {
    return bodyOf(this.http.api.GET(MODEL, { params: { path: { modelId } }, ...this.http.with(options) }));
  }

  deploy(modelId: string, { modelType = 'openSource', ...body }: DeployOptions, options: OnceOptions = {}): DockJob {
    return new DockJob(this.http, async () => {
      const params = { header: once(options), path: { modelId }, query: { modelType } };
      return bodyOf(this.http.api.POST(`${MODEL}/deploy`, { params, body, ...this.http.with(options) }));
    });
  }

  undeploy(modelId: string, options: OnceOptions = {}): DockJob {
    return new DockJob(this.http, async () => {
      const params = { header: once(options), path: { modelId } };
      return bodyOf(this.http.api.POST(`${MODEL}/undeploy`, { params, ...this.http.with(options) }));
    });
  }

  /** Exports a model. The job that has ended has the link in `response.downloadUrl`. */
  export(modelId: string, options: OnceOptions = {}): DockJob {
    return new DockJob(this.http, async () => {
      const params = { header: once(options), path: { modelId } };
      return bodyOf(this.http.api.POST(`${MODEL}/export`, { params, ...this.http.with(options) }));
    });
  }
}
