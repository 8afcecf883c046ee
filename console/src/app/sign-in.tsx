import { Button, Divider, getDefaultZIndex, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { api, dataOf } from '../api/client.js';
import { ErrorBox } from '../parts/error-box.js';
import { useSession } from './session.js';

const ENDED =
  'Your session has ended. A session ends after eight hours, when you sign out, when an administrator ends it, when its key is revoked, or when the settings of the sign-in change.';
/** The service signs the browser in here, or sends it on to a provider. */
const SIGN_IN = '/api/admin/v1/console-sign-in/';

/** Marks the document while a key is needed. The styles then hide what the pages have read. */
const MARK = 'data-needs-key';

/**
 * Asks for an administration key or another sign-in, in front of the page. The page is hidden and stays as it is, so that
 * nothing typed is lost when a session ends.
 */
export function SignIn() {
  const { session, needsKey, signIn } = useSession();
  const [key, setKey] = useState('');
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  // The page learns this when it opens, because it asks for nothing while a key is needed.
  const ways = useQuery({
    queryKey: ['console-sign-in'],
    queryFn: () => dataOf(api.GET('/api/admin/v1/console-sign-in')),
    staleTime: Infinity,
  });
  // This runs after the dialog has noted which element had the keyboard, because an element that is hidden loses it.
  useEffect(() => {
    document.documentElement.toggleAttribute(MARK, needsKey);
  }, [needsKey]);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await signIn(key.trim());
      setKey('');
    } catch (refusal) {
      setError(refusal as Error);
    } finally {
      setBusy(false);
    }
  };

  return (
    <Modal
      opened={needsKey}
      onClose={() => undefined}
      withCloseButton={false}
      title="Sign in to Slipway"
      // A side panel has the same place in front of the page, and the link that skips the navigation is before both.
      zIndex={getDefaultZIndex('overlay')}
      centered
      transitionProps={{ duration: 0 }}
    >
      <form onSubmit={(event) => void submit(event)}>
        <Stack>
          {session && <Text size="sm">{ENDED}</Text>}
          {ways.data && <Identities identities={ways.data.identities} keepsPage={session !== null} />}
          <PasswordInput
            label="Administration key"
            description="The key is exchanged for a cookie that ends after eight hours. The browser does not keep it."
            value={key}
            onChange={(event) => setKey(event.currentTarget.value)}
            autoComplete="off"
            required
            data-autofocus
            visibilityToggleButtonProps={{ 'aria-label': 'Show the key' }}
          />
          {error && <ErrorBox error={error} />}
          <Button type="submit" loading={isBusy}>
            Sign in
          </Button>
          <Text size="sm" c="dimmed">
            The first key is in <code>SLIPWAY_ADMIN_KEY</code>; <code>npm start</code> prints where. An owner creates
            further ones on the page <em>Administrators</em>.
          </Text>
        </Stack>
      </form>
    </Modal>
  );
}

interface IdentitiesProps {
  identities: { name: string; title: string }[];
  keepsPage: boolean;
}

/** Offers the ways to sign in without a key. A page with something typed stays, because another tab opens. */
function Identities({ identities, keepsPage }: IdentitiesProps) {
  if (identities.length === 0) return null;
  return (
    <>
      {identities.map(({ name, title }) => (
        <Button
          key={name}
          component="a"
          href={SIGN_IN + name}
          {...(keepsPage && { target: '_blank', rel: 'noopener' })}
        >
          Sign in with {title}
        </Button>
      ))}
      <Divider label="or with a key" />
    </>
  );
}
