import {
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  Outlet,
  RouterProvider,
} from '@tanstack/react-router';
import { createElement as h, useState } from 'react';
import { createRoot } from 'react-dom/client';

/** A React application with a router; its form keeps what is typed in its state. Bundled for the browser by site-kinds.ts. */

const root = document.getElementById('root') as HTMLElement;
const { base = '', capture = '', site = '', form = '' } = root.dataset;

function Contact() {
  const [fields, setFields] = useState({ FIRSTNAME: '', EMAIL: '', USER_MESSAGE: '' });
  const inputs = Object.entries(fields).map(([name, value]) =>
    h('input', {
      key: name,
      name,
      value,
      'aria-label': name,
      onChange: (event: { target: HTMLInputElement }) => setFields({ ...fields, [name]: event.target.value }),
    }),
  );
  return h(
    'form',
    { 'data-leadtrail-form': form, 'data-site': site, action: capture, method: 'post' },
    h('input', { type: 'hidden', name: 'siteKey', value: site }),
    h('input', { type: 'hidden', name: 'formId', value: form }),
    h('input', { type: 'hidden', name: 'DOMAIN', value: base }),
    inputs,
    h('button', { type: 'submit' }, 'Send'),
  );
}

const rootRoute = createRootRoute({ component: () => h('main', null, h(Outlet)) });
const landing = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  component: () => h(Link, { to: '/contact' }, 'Contact'),
});
const contact = createRoute({ getParentRoute: () => rootRoute, path: '/contact', component: Contact });
const router = createRouter({ routeTree: rootRoute.addChildren([landing, contact]), basepath: base });

createRoot(root).render(h(RouterProvider, { router }));
