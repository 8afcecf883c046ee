import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, dataOf, type Schemas } from '../../api/client.js';
import { Awaited } from '../../parts/awaited.js';
import type { Field } from '../../parts/fields-form.js';

export type Protocol = Schemas['ConnectionProtocol'];

/** Shows what needs the protocols as soon as they have been read. Plugins bring more of them. */
export function OfProtocols({ children }: { children: (protocols: readonly Protocol[]) => ReactNode }) {
  const protocols = useQuery({
    queryKey: ['connection-protocols'],
    queryFn: () => dataOf(api.GET('/api/admin/v1/connection-protocols')),
  });
  return <Awaited of={protocols}>{children}</Awaited>;
}

export function fieldsOf({ fields }: Protocol): readonly Field[] {
  return fields.map(({ name, label, kind, isRequired, hint }) => ({
    name,
    label,
    ...(kind !== 'text' && { kind }),
    ...(isRequired && { isRequired }),
    ...(hint !== null && { hint }),
  }));
}
