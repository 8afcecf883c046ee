interface TextBlockProps {
  children: string;
  /** Whether it is a text of people, and not one of a program, whose letters have one width. */
  isProse?: boolean;
}

/** The browser finds the direction of each line slowly: it takes seconds for 1 MiB. */
const LONG = 50_000;

/**
 * Shows a text as it is, with its line breaks, from the side from which its language is read. The lines of a long text
 * are all read from the side of the first one.
 */
export function TextBlock({ children, isProse = false }: TextBlockProps) {
  const classes = ['text-block wrapped', isProse && 'prose', children.length > LONG && 'long'];
  return (
    <pre className={classes.filter(Boolean).join(' ')} tabIndex={0} dir="auto">
      {children}
    </pre>
  );
}
