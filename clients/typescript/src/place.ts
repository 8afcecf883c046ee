import type { components } from './schema.js';
import { bodyOf, type CallOptions, type Transport } from './transport.js';

export type Schemas = components['schemas'];
export type EnvironmentName = Schemas['Environment']['name'];

/** Where a call happens, if that differs from what the client was made with. */
export interface PlaceOptions {
  appId?: string;
  environment?: EnvironmentName;
}

export interface ProjectOptions {
  projectId?: string;
}

/** The project, app and environment of calls. Those that were not named are those of the key. */
export class Place {
  private own: Promise<{ app_id: string; project_id: string }> | undefined;

  constructor(
    private readonly http: Transport,
    private readonly named: PlaceOptions & ProjectOptions,
  ) {}

  async app({ appId = this.named.appId, ...options }: PlaceOptions & CallOptions): Promise<string> {
    return appId ?? (await this.ofKey(options)).app_id;
  }

  async project({ projectId = this.named.projectId, ...options }: ProjectOptions & CallOptions): Promise<string> {
    return projectId ?? (await this.ofKey(options)).project_id;
  }

  async environment(options: PlaceOptions & CallOptions): Promise<{ appId: string; envName: EnvironmentName }> {
    const envName = options.environment ?? this.named.environment ?? 'production';
    return { appId: await this.app(options), envName };
  }

  private async ofKey(options: CallOptions): Promise<{ app_id: string; project_id: string }> {
    // The calls that follow share the answer, so it must not depend on the signal of the first one.
    this.own ??= bodyOf(this.http.api.GET('/api/public/me', this.http.with({ timeoutMs: options.timeoutMs })));
    try {
      return await this.own;
    } catch (error) {
      this.own = undefined;
      throw error;
    }
  }
}
