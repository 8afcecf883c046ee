import type { NextFunction, Request, Response } from 'express';
import type { RouteIndex } from '../route/route-index.js';

/** Reads the method of a request from `X-HTTP-Method-Override`, for clients whose network lets only GET and POST pass. */
export function methodOverride(routes: RouteIndex) {
  return (request: Request, _response: Response, next: NextFunction): void => {
    const asked = request.headers['x-http-method-override'];
    if (asked !== undefined && request.method === 'POST') {
      const route = routes.on(request.path).find(({ verb }) => verb === asked);
      if (route?.takesMethodOverride) request.method = route.verb;
    }
    next();
  };
}
