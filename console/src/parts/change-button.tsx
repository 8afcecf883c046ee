import { Button, type ButtonProps, type ElementProps } from '@mantine/core';
import { useWhyReadOnly } from './use-why-read-only.js';

type ChangeButtonProps = ButtonProps & ElementProps<'button', keyof ButtonProps>;

/**
 * The button of everything that changes something, or opens a form for that. With a role that only reads it is disabled,
 * and says why.
 */
export function ChangeButton({ disabled, title, ...others }: ChangeButtonProps) {
  const whyReadOnly = useWhyReadOnly();
  return (
    <Button size="xs" {...others} disabled={disabled === true || whyReadOnly !== null} title={whyReadOnly ?? title} />
  );
}
