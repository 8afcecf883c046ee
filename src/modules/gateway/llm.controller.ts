import { Body, Controller, Headers, Param } from '@nestjs/common';
import { ApiHeader, ApiTags } from '@nestjs/swagger';
import type { KeyActor } from '../../kernel/actor.js';
import { CallingKey } from '../../platform/auth/callers.js';
import { currentRequest } from '../../platform/context/request-context.js';
import { plain } from '../../platform/route/answer.js';
import { jsonBody } from '../../platform/route/body-format.js';
import { Route } from '../../platform/route/route.js';
import { validationError } from '../../platform/route/validation.js';
import { ENVIRONMENT_NAMES, type EnvironmentName, toEnvironmentName } from '../tenancy/app.entity.js';
import type { CallOrigin } from './call-record.js';
import { ModelList, ModelView, toCompletion, toModelList, toModelView } from './chat-answer.js';
import { ChatRequest } from './chat-request.schema.js';
import { toModelRequest } from './chat-request.js';
import { completionOrStream, toEventStream } from './chat-stream.js';
import { gatewayErrors } from './gateway.errors.js';
import { Gateway } from './gateway.service.js';
import { OPEN_AI_ERRORS } from './open-ai-error.js';

const MAX_BODY_MIB = 20;
const ENVIRONMENT = 'x-slipway-environment';

@ApiTags('Chat completions')
@Controller()
export class LlmController {
  constructor(private readonly gateway: Gateway) {}

  @Route('GET /api/public/llm/v1/models', {
    access: 'RUN_API',
    summary: 'List the models that the project can call, as OpenAI does',
    returns: plain(ModelList),
    acceptsBearer: true,
    errorShape: OPEN_AI_ERRORS,
  })
  async models(@CallingKey() { projectId }: KeyActor) {
    return toModelList(await this.gateway.models(projectId));
  }

  @Route('GET /api/public/llm/v1/models/{model}', {
    access: 'RUN_API',
    summary: 'Read a model that the project can call, as OpenAI does',
    description:
      'The path has the id of the model, or a name that calls may send, percent-encoded. A model that cannot be called now is answered with the error that a call would get.',
    returns: plain(ModelView),
    acceptsBearer: true,
    errorShape: OPEN_AI_ERRORS,
    errors: [gatewayErrors.modelNotFound, gatewayErrors.modelNotDeployed],
  })
  async model(@CallingKey() { projectId }: KeyActor, @Param('model') named: string) {
    return toModelView(await this.gateway.model(projectId, named));
  }

  @ApiHeader({
    name: ENVIRONMENT,
    required: false,
    description: 'The environment that the ledger records for the call, in upper or lower case.',
    schema: { type: 'string', enum: [...ENVIRONMENT_NAMES], default: 'production' },
  })
  @Route('POST /api/public/llm/v1/chat/completions', {
    access: 'RUN_API',
    summary: 'Call a model with the chat completions of OpenAI’s API',
    description:
      'Clients for OpenAI work with `/api/public/llm/v1` as their base address and the API key as their key. With `stream: true` the answer is server-sent events. The ledger records every call.',
    returns: completionOrStream,
    bodies: [jsonBody(MAX_BODY_MIB)],
    acceptsBearer: true,
    errorShape: OPEN_AI_ERRORS,
    takesIdempotencyKey: false,
    errors: Object.values(gatewayErrors),
  })
  async complete(
    @CallingKey() { projectId, appId }: KeyActor,
    @Headers(ENVIRONMENT) wanted: string | undefined,
    @Body({ schema: ChatRequest }) chat: ChatRequest,
  ) {
    const environment = environmentOf(wanted);
    const request = toModelRequest(chat, currentRequest()!.signal);
    const origin: CallOrigin = { projectId, appId, environment, channel: 'api', channelType: 'api' };
    if (!chat.stream) return toCompletion(await this.gateway.generate(origin, chat.model, request));
    const streamed = await this.gateway.stream(origin, chat.model, request);
    return toEventStream(streamed, chat.stream_options?.include_usage === true);
  }
}

function environmentOf(wanted = 'production'): EnvironmentName {
  const environment = toEnvironmentName(wanted);
  if (environment) return environment;
  throw validationError([{ path: [ENVIRONMENT], message: `must be one of ${ENVIRONMENT_NAMES.join(', ')}` }]);
}
