import type { ComponentProps, ReactNode } from 'react';
import { ChangeButton } from './change-button.js';
import { Page } from './page.js';
import { type Filters, useFilters, useOpen } from './use-filters.js';

interface CreatingPageProps extends Omit<ComponentProps<typeof Page>, 'back' | 'actions'> {
  /** The name of one thing that the page creates, such as "MCP connection". */
  noun: string;
  /** Whether the user may create one. */
  canCreate?: boolean;
  /**
   * The form that creates one. Closing it may open what was created. `create` is its value in the address, which the
   * button sets to `yes`.
   */
  form: (close: (opened?: Filters) => void, create: string) => ReactNode;
}

/** A page with a button that opens a form above its content. The address says whether the form is open. */
export function CreatingPage({ noun, canCreate = true, form, children, ...page }: CreatingPageProps) {
  const [{ create }, change] = useFilters();
  const open = useOpen();
  return (
    <Page
      {...page}
      actions={
        canCreate && (
          <ChangeButton data-opens-form onClick={() => open({ create: 'yes' })}>
            New {noun}
          </ChangeButton>
        )
      }
    >
      {create && form((opened) => change({ create: undefined, ...opened }), create)}
      {children}
    </Page>
  );
}
