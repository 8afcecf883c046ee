import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { currentRequest } from '../context/request-context.js';
import { metaOf } from '../route/answer.js';
import { routeOf } from '../route/route.js';

/** Makes a method's result the answer that its route declares. */
@Injectable()
export class AnswerInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { returns } = routeOf(context);
    return next.handle().pipe(map((result) => returns.wrap(result, metaOf(currentRequest()!.requestId))));
  }
}
