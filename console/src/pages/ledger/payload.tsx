import { Text } from '@mantine/core';
import type { Schemas } from '../../api/client.js';
import { JsonText } from '../../parts/json-text.js';

type Call = Schemas['LlmCall'];

/** Why a call has no payload, for people. */
const ABSENT: Readonly<Record<Exclude<Call['payloadState'], 'available'>, string>> = {
  omitted: 'The policy of the project hides the request and the answer.',
  missing: 'The request and the answer were never stored, are empty, or have expired.',
  unknown: 'The request and the answer should be stored, but they are not there.',
};

/** Shows the messages that a model was sent one by one, its answer, and everything else as it was reported. */
export function Payload({ of: { payload, payloadState } }: { of: Call }) {
  if (payloadState !== 'available') return <Text size="sm">{ABSENT[payloadState]}</Text>;
  const { messages = [], ...request } = payload?.request ?? {};
  const { text, ...response } = payload?.response ?? {};
  return (
    <>
      {messages.map(({ role, content, ...more }, at) => (
        <JsonText key={at} title={role} value={isEmpty(more) ? content : { content, ...more }} />
      ))}
      <JsonText title="Answer" value={text} />
      {!isEmpty(request) && <JsonText title="Other members of the request" value={request} />}
      {!isEmpty(response) && <JsonText title="Other members of the answer" value={response} />}
    </>
  );
}

const isEmpty = (members: object) => Object.keys(members).length === 0;
