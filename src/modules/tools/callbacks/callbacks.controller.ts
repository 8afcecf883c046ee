import { Body, Controller } from '@nestjs/common';
import { ApiHeader, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { plain } from '../../../platform/route/answer.js';
import type { StreamedBody } from '../../../platform/route/body-format.js';
import { Route } from '../../../platform/route/route.js';
import { CallbackReceiver, CallbacksService, type SignedCallback } from './callbacks.service.js';
import { CallbackAnswer } from '../definitions/tools.schema.js';
import { toolsErrors } from '../tools.errors.js';

const signedBody: StreamedBody = { mediaType: 'application/json', matches: () => true, receiver: CallbackReceiver };

export const CallbackBody: z.ZodType<SignedCallback> = z.custom<SignedCallback>().meta({
  id: 'CallbackBody',
  description: 'Any JSON: the output of the node that waits. Signed as it is sent.',
  examples: [{ approved: true, by: 'ops@example.com' }],
});

@ApiTags('Callbacks')
@Controller()
export class CallbacksController {
  constructor(private readonly callbacks: CallbacksService) {}

  @ApiHeader({
    name: 'X-Callback-Signature',
    description: '`sha256=` and the HMAC-SHA256 of the raw body in hexadecimal, by `{{callback.secret}}`.',
    required: true,
    schema: {
      type: 'string',
      example: 'sha256=5d5d139563c95b5967b9bd9a8c9b233a9dedb45072794cd232dc1b74832607d0',
    },
  })
  @Route('POST /api/v1/callbacks/{callbackId}', {
    access: 'public',
    summary: 'Tell a run of a tool what it waits for',
    description:
      'Its address and secret are `{{callback.url}}` and `{{callback.secret}}` in the nodes before a wait node. A repeat is answered `already_processed`.',
    streamedBody: signedBody,
    returns: plain(CallbackAnswer),
    errors: [toolsErrors.callbackSignatureInvalid, toolsErrors.callbackExpired],
  })
  receive(@Body({ schema: CallbackBody }) callback: SignedCallback) {
    return this.callbacks.receive(callback);
  }
}
