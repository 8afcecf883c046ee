import { createParamDecorator } from '@nestjs/common';
import type { AdminActor, JwtClientActor, KeyActor } from '../../kernel/actor.js';
import { currentRequest } from '../context/request-context.js';

/** The calling API key, as a parameter of a method. */
export const CallingKey = createParamDecorator((): KeyActor => {
  const actor = currentRequest()?.actor;
  if (actor?.kind !== 'key') throw new Error('The route asks for an API key, and its access does not require one');
  return actor;
});

/** The calling administrator, as a parameter of a method. */
export const Administrator = createParamDecorator((): AdminActor => {
  const actor = currentRequest()?.actor;
  if (actor?.kind !== 'admin')
    throw new Error('The route asks for an administrator, and its access does not require one');
  return actor;
});

/** The calling contact centre, as a parameter of a method. */
export const CallingClient = createParamDecorator((): JwtClientActor => {
  const actor = currentRequest()?.actor;
  if (actor?.kind !== 'jwtClient')
    throw new Error('The route asks for a JWT client, and its access does not require one');
  return actor;
});
