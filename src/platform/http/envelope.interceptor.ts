import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import type { Page } from '../../kernel/page.js';
import { currentRequest } from '../context/request-context.js';
import { metaOf } from './envelope.js';
import type { Envelope } from './route-description.js';
import { routeOf } from './route.js';

/** Puts around a result what its route says it leaves in. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { envelope } = routeOf(context);
    if (envelope === 'none') return next.handle();
    return next.handle().pipe(map((result) => wrap(envelope, result)));
  }
}

function wrap(envelope: Exclude<Envelope, 'none'>, result: unknown): object {
  const meta = metaOf(currentRequest()!.requestId);
  switch (envelope) {
    case 'success':
      return { success: true, ...(result as object), meta };
    case 'data':
      return { success: true, data: result, meta };
    case 'page': {
      const { items, nextCursor } = result as Page<unknown>;
      return { success: true, data: items, meta: { ...meta, nextCursor } };
    }
  }
}
