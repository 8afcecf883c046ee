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
  description:
    'Any JSON, which becomes the output of the waiting node. The signature is that of the bytes that are sent.',
  examples: [{ approved: true, by: 'ops@example.com' }],
});

@ApiTags('Callbacks')
@Controller()
export class CallbacksController {
  constructor(private readonly callbacks: CallbacksService) {}

  @ApiHeader({
    name: 'X-Callback-Signature',
    description:
      'The text `sha256=` and the HMAC-SHA256 of the raw body in hexadecimal, with `{{callback.secret}}` as its key.',
    required: true,
    schema: {
      type: 'string',
      example: 'sha256=5d5d139563c95b5967b9bd9a8c9b233a9dedb45072794cd232dc1b74832607d0',
    },
  })
  @Route('POST /api/v1/callbacks/{callbackId}', {
    access: 'public',
    summary: 'Send a tool run the data for which it waits',
    description:
      'The nodes before a wait node have the address and the secret of the callback as `{{callback.url}}` and `{{callback.secret}}`. A repeated callback is answered `already_processed`.',
    streamedBody: signedBody,
    returns: plain(CallbackAnswer),
    errors: [toolsErrors.callbackSignatureInvalid, toolsErrors.callbackExpired],
  })
  receive(@Body({ schema: CallbackBody }) callback: SignedCallback) {
    return this.callbacks.receive(callback);
  }
}
