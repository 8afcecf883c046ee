import { Templates } from '../../../platform/template/templates.js';
import type { Id } from '../../../kernel/ids.js';
import type { Issue } from '../../../platform/route/validation.js';
import type { ModelProtocol, ModelRequest } from '../../gateway/gateway.port.js';
import { apiModel, apiRefusal } from '../api-model.js';
import { apiConnection, missingMembers } from '../api-connection.schema.js';
import { ApiFields } from '../connection-fields.schema.js';
import { warningsOf } from '../connection-warnings.js';
import { type CalledConnection, ConnectionProtocol, type ConnectionWarning, ConnectsTo } from '../connections.port.js';
import { badHeaders } from '../filled-headers.js';

/** A request with an Idempotency-Key occupies a database connection while it waits, so few of a project may wait. */
const MAX_WAITING = 3;

@ConnectsTo({
  provider: 'API',
  title: 'API (any endpoint)',
  ledgerName: 'custom',
  fields: ApiFields,
  addresses: ['BASE_URL', 'LLM_API_URL', 'endpointUrl'],
  isChangedByAdministratorsOnly: true,
  body: apiConnection,
})
export class AnyEndpoint extends ConnectionProtocol<ApiFields> {
  constructor(private readonly templates: Templates) {
    super();
  }

  model({ model, fields, projectId }: CalledConnection<ApiFields>, send: typeof fetch): ModelProtocol {
    return apiModel(fields, model, send, this.templates.of(projectId));
  }

  override refusalOf(request: ModelRequest, { model, fields }: CalledConnection<ApiFields>): string | undefined {
    return apiRefusal(fields, model, request);
  }

  override async faultsIn(fields: ApiFields, projectId: Id<'project'>): Promise<Issue[]> {
    const missing = missingMembers(fields);
    if (missing.length > 0) return missing;
    return badHeaders(fields, this.templates.of(projectId, { mostWaiting: MAX_WAITING }));
  }

  override warningsOf(fields: ApiFields): ConnectionWarning[] {
    return warningsOf(fields);
  }
}
