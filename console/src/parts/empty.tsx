import { Code, Stack, Text } from '@mantine/core';
import { type CurlRequest, curlOf } from './copy-curl.js';

/** Says that there is nothing yet, and shows the request that changes that. */
export function Empty({ text, request }: { text: string; request?: CurlRequest | undefined }) {
  return (
    <Stack gap="xs" py="md">
      <Text>{text}</Text>
      {request && (
        <Code block className="wrapped" tabIndex={0}>
          {curlOf(request)}
        </Code>
      )}
    </Stack>
  );
}
