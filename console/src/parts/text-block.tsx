interface TextBlockProps {
  children: string;
  /** Whether it is a text of people, and not one of a program, whose letters have one width. */
  isProse?: boolean;
}

/** Shows a text as it is, with its line breaks, from the side from which its language is read. */
export function TextBlock({ children, isProse = false }: TextBlockProps) {
  return (
    <pre className={isProse ? 'text-block wrapped prose' : 'text-block wrapped'} tabIndex={0} dir="auto">
      {children}
    </pre>
  );
}
