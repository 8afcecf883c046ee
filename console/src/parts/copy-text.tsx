import { Button, Stack, Textarea, VisuallyHidden } from '@mantine/core';
import { useEffect, useState } from 'react';

const COPIED_FOR_MS = 3_000;

const select = (field: HTMLTextAreaElement | null) => {
  field?.focus();
  field?.select();
};

/** Copies a text. A browser that allows no copy, as over plain HTTP, gets the text selected instead. */
export function CopyText({ label, text }: { label: string; text: string }) {
  const [last, setLast] = useState<{ text: string; how: 'copied' | 'selected' } | null>(null);
  // The outcome is that of the text that was there when the button was pressed.
  const outcome = last?.text === text ? last.how : null;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setLast({ text, how: 'copied' });
    } catch {
      setLast({ text, how: 'selected' });
    }
  };
  useEffect(() => {
    if (last?.how !== 'copied') return undefined;
    const timer = setTimeout(() => setLast(null), COPIED_FOR_MS);
    return () => clearTimeout(timer);
  }, [last]);
  return (
    <Stack gap="xs">
      <Button variant="default" size="xs" w="max-content" onClick={() => void copy()}>
        {outcome === 'copied' ? 'Copied' : label}
      </Button>
      <VisuallyHidden role="status">{outcome === 'copied' && 'Copied'}</VisuallyHidden>
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
