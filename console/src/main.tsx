import '@mantine/core/styles.css';
import './app/styles.css';
import { createTheme, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { correctLanguage } from './app/language.js';
import { queries } from './api/queries.js';
import { router } from './app/router.js';
import { SessionProvider } from './app/session.js';
import { buttonRoot } from './parts/button-root.js';

/** Dark enough for text on the light backgrounds of buttons and badges. */
const theme = createTheme({
  // Someone who asked the system for less motion sees dialogs and menus at once.
  respectReducedMotion: true,
  primaryColor: 'blue',
  primaryShade: { light: 8, dark: 8 },
  cursorType: 'pointer',
  components: {
    // The browser would take a header for another banner of the page.
    DrawerHeader: { defaultProps: { component: 'div' } },
    ModalHeader: { defaultProps: { component: 'div' } },
    Button: { defaultProps: { renderRoot: buttonRoot } },
    // An element without a role may have no label.
    Loader: { defaultProps: { role: 'status', 'aria-label': 'Loading', 'aria-busy': true } },
  },
});

/** The policy of the page allows style elements that carry its nonce. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
// The library that stops the page from scrolling behind a dialog looks for the nonce under this name.
Object.assign(window, { __webpack_nonce__: nonce });

correctLanguage();

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <QueryClientProvider client={queries}>
        <SessionProvider>
          <RouterProvider router={router} />
        </SessionProvider>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
