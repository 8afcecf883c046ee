import type { ComponentProps } from 'react';

type Link = ComponentProps<'a'> & { href: string };
type PlainButton = ComponentProps<'button'> & { 'data-loading'?: boolean };

/**
 * Draws the element of each button of the library, which would lose the keyboard if the browser disabled it. A button that
 * is disabled or waits for an answer says so to screen readers, and ignores presses.
 */
export function buttonRoot(props: Link | PlainButton) {
  if ('href' in props) return <a {...props} />;
  const { disabled, onClick, ...others } = props;
  return (
    <button
      {...others}
      aria-disabled={disabled || undefined}
      aria-busy={others['data-loading']}
      // A button of a form would send it otherwise.
      onClick={disabled ? (event) => event.preventDefault() : onClick}
    />
  );
}
