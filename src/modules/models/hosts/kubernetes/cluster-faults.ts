import { z } from 'zod';
import { shortened } from '../../../../kernel/shortened.js';
import { FleetFault } from '../fleet-host.js';

const LONGEST_REASON = 300;

/** The error of the client for an answer of the API server. */
const ApiFault = z.object({ code: z.int(), body: z.unknown() });

/** The body with which the API server refuses. It sends none of this kind for a resource that it does not know. */
const Status = z.object({
  kind: z.literal('Status'),
  reason: z.string().optional(),
  message: z.string().default(''),
  details: z.object({ kind: z.string().optional() }).optional(),
});
type Status = z.infer<typeof Status>;

/** An object, or why there is none: it does not exist, or another one of its name or version does. */
export type ApiAnswer<T> = { value: T } | { missing: 'absent' | 'conflict' };

/** The call that was refused. */
interface RefusedCall {
  readonly verb: string;
  readonly kind: string;
  readonly namespace: string;
}

/** Returns the answer to a call. Throws the client's error for anything that is not about the object alone. */
export async function answerTo<T>(call: Promise<T>): Promise<ApiAnswer<T>> {
  try {
    return { value: await call };
  } catch (error) {
    const { code, status } = refusalIn(error);
    if (code === 409) return { missing: 'conflict' };
    if (code === 404 && status && status.details?.kind !== 'namespaces') return { missing: 'absent' };
    throw error;
  }
}

/** Returns the reason why the cluster cannot be used, for people. It has neither addresses nor credentials. */
export function faultOf(cause: unknown, call: RefusedCall): FleetFault {
  const { code, status } = refusalIn(cause);
  const final = (message: string) => new FleetFault(message, true, { cause });
  if (code === undefined && !isOfConnection(cause))
    return new FleetFault('The cluster cannot be asked. The log of the service says why.', false, { cause });
  if (code === undefined || code === 429 || code >= 500)
    return new FleetFault('The API server of Kubernetes does not answer.', false, { cause });
  // Another attempt reads the credentials again.
  if (code === 401)
    return new FleetFault('The API server of Kubernetes does not know the credentials of this service.', false, {
      cause,
    });
  if (code === 403) return final(forbidden(status, call));
  if (code === 404 && status) return final(`The cluster has no namespace ${call.namespace} (KUBERNETES_NAMESPACE).`);
  if (code === 404) return final(`The cluster has no ${call.kind}. KServe is not installed there.`);
  return final(`The cluster refuses to ${call.verb} ${call.kind}: ${reasonIn(status, code)}`);
}

export function isUnauthorized(error: unknown): boolean {
  return refusalIn(error).code === 401;
}

/** `fetch` throws a TypeError if it gets no answer. */
function isOfConnection(cause: unknown): boolean {
  return cause instanceof TypeError || (cause instanceof DOMException && cause.name === 'TimeoutError');
}

/** A role refuses with these words. Quotas and admission webhooks say in words of their own what is not allowed. */
function forbidden(status: Status | undefined, { verb, kind, namespace }: RefusedCall): string {
  const isByRole = !status || / cannot [a-z]+ resource /.test(status.message);
  if (isByRole) return `This service is not allowed to ${verb} ${kind} in the namespace ${namespace}.`;
  return `The cluster refuses to ${verb} ${kind}: ${reasonIn(status, 403)}`;
}

function reasonIn(status: Status | undefined, code: number): string {
  return shortened(status?.message || `status ${code}`, LONGEST_REASON);
}

function refusalIn(error: unknown): { code?: number; status?: Status } {
  const fault = ApiFault.safeParse(error);
  if (!fault.success) return {};
  const { code, body } = fault.data;
  const { data: status } = Status.safeParse(typeof body === 'string' ? parsed(body) : body);
  return { code, ...(status && { status }) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
