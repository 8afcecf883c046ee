import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { plain } from '../../../platform/route/answer.js';
import { Route } from '../../../platform/route/route.js';
import { asyncApiDocument } from './asyncapi.js';

const AsyncApiDocument = z
  .looseObject({ asyncapi: z.literal('3.0.0') })
  .meta({ id: 'AsyncApiDocument', examples: [{ asyncapi: '3.0.0' }] });

const document = asyncApiDocument() as z.infer<typeof AsyncApiDocument>;

@ApiTags('Webhook channel')
@Controller()
export class AsyncApiController {
  @Route('GET /asyncapi.json', {
    access: 'public',
    summary: 'Read the AsyncAPI 3 document of the callbacks',
    returns: plain(AsyncApiDocument),
  })
  async read() {
    return document;
  }
}
