import { Button, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';

const select = (field: HTMLTextAreaElement | null) => {
  field?.focus();
  field?.select();
};

/** Copies a text. A browser that allows no copy, as over plain HTTP, gets the text selected instead. */
export function CopyText({ label, text }: { label: string; text: string }) {
  const [outcome, setOutcome] = useState<'copied' | 'selected' | null>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome('copied');
    } catch {
      setOutcome('selected');
    }
  };
  return (
    <Stack gap="xs">
      <Button variant="default" size="xs" w="max-content" onClick={() => void copy()}>
        {outcome === 'copied' ? 'Copied' : label}
      </Button>
      {outcome === 'selected' && (
        <Textarea
          ref={select}
          label="This browser does not let the console copy. The text is selected: copy it with the keyboard."
          size="xs"
          w="20rem"
          maw="100%"
          readOnly
          value={text}
        />
      )}
    </Stack>
  );
}
