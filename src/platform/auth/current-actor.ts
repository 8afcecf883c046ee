import { createParamDecorator } from '@nestjs/common';
import { currentRequest } from '../context/request-context.js';

/** The caller, as a parameter of a controller's method. Its route's access says which kind it is. */
export const CurrentActor = createParamDecorator(() => {
  const actor = currentRequest()?.actor;
  if (!actor) throw new Error('A public route asks for an actor');
  return actor;
});
