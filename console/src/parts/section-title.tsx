import { Group, Title } from '@mantine/core';
import { CopyCurl, type CurlRequest } from './copy-curl.js';

interface SectionTitleProps {
  title: string;
  /** The request that answers with what the section shows. It is left out if the request of the page does. */
  request?: CurlRequest | undefined;
}

/** The title of one section of a page. */
export function SectionTitle({ title, request }: SectionTitleProps) {
  return (
    <Group justify="space-between">
      <Title order={2} size="h4">
        {title}
      </Title>
      {request && <CopyCurl label={`Copy “${title}” as cURL`} request={request} />}
    </Group>
  );
}
