import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { plain } from '../../platform/route/answer.js';
import type { StreamedBody } from '../../platform/route/body-format.js';
import { Route } from '../../platform/route/route.js';
import { CallbackReceiver, CallbacksService, type SignedCallback } from './callbacks.service.js';
import { CallbackAnswer } from './tools.schema.js';
import { toolsErrors } from './tools.errors.js';

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

  @Route('POST /api/v1/callbacks/{callbackId}', {
    access: 'public',
    summary: 'Tell a run of a tool what it waits for',
    description:
      'Its address and secret are `{{callback.url}}` and `{{callback.secret}}` in the nodes before a wait node. Needs the header `X-Callback-Signature: sha256=<HMAC-SHA256 of the raw body in hexadecimal>`. A repeat is answered `already_processed`.',
    streamedBody: signedBody,
    returns: plain(CallbackAnswer),
    errors: [toolsErrors.callbackSignatureInvalid, toolsErrors.callbackExpired],
  })
  receive(@Body({ schema: CallbackBody }) callback: SignedCallback) {
    return this.callbacks.receive(callback);
  }
}
