// The site at /docs: the markdown of this repository, built by `npm run build:docs`.
import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'
import { accessibleTheme } from './accessible-theme.js'
import { followRepositoryLinks, LEFT_OUT, placeOf } from './repository-links.js'

/** As the main site has it. */
const ICON = readFileSync(new URL('../../web/main/icon.svg', import.meta.url), 'utf8')

/** On a phone, columns of tables keep room for a word or two, and no address takes it from the next one. */
const TABLES = `@media (max-width: 640px) {
  .vp-doc :is(th, td) { min-width: 6.5rem; padding: 8px 10px; }
  .vp-doc td a { overflow-wrap: anywhere; }
}`

/** Pictures that are there once for each theme. */
const THEMES = '.dark .light-only, html:not(.dark) .dark-only { display: none; }'

/** The theme's own colours of these are less than 4.5 : 1. */
const CONTRAST = `:root {
  --vp-button-brand-bg: #3a5ccc;
  --vp-button-brand-hover-bg: #3451b2;
  --vp-button-brand-active-bg: #3451b2;
  --vp-code-lang-color: var(--vp-c-text-2);
}
.DocSearch-Button .DocSearch-Button-Key:last-child::after { content: 'K'; }`

export default defineConfig({
  title: 'Mainstay',
  description: 'Authentication for one main site and many satellites',
  base: '/docs/',
  head: [
    ['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(ICON)}` }],
    ['style', {}, TABLES],
    ['style', {}, THEMES],
    ['style', {}, CONTRAST],
  ],
  // Links between pages are those of the repository, so all of it is the source.
  srcDir: '..',
  srcExclude: LEFT_OUT.map(path => (path.endsWith('.md') ? path : `${path}/**`)),
  outDir: '.vitepress/dist',
  cleanUrls: true,
  rewrites: placeOf,
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    config: followRepositoryLinks,
    // A picture of the other theme is not shown, and so not loaded.
    image: { lazyLoading: true },
    languageAlias: { conf: 'ini' },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  vite: { plugins: [accessibleTheme()] },
  themeConfig: {
    search: { provider: 'local', options: { detailedView: true } },
    notFound: {
      title: 'Page not found',
      quote:
        'The address may be mistyped, or the page may have moved. Search for it, or start from the beginning.',
      linkLabel: 'go to the start page',
      linkText: 'Start page',
    },
    outline: [2, 3],
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Integrate', link: '/integrate' },
      { text: 'Operate', link: '/operations' },
      { text: 'API', link: '/api' },
    ],
    sidebar: [
      {
        text: 'Begin',
        items: [
          { text: 'Five-minute start', link: '/start' },
          { text: 'Sessions, tokens and permissions', link: '/concepts' },
          { text: 'Satellites and hand-off', link: '/satellites' },
          { text: 'Billing with Stripe', link: '/billing' },
          { text: 'Migrating users', link: '/moving' },
          { text: 'The API with curl', link: '/curl' },
          { text: 'Troubleshooting', link: '/troubleshooting' },
        ],
      },
      {
        text: 'Integrate',
        items: [
          { text: 'Overview', link: '/integrate' },
          { text: 'HTML', link: '/integrate/html' },
          { text: 'React', link: '/integrate/react' },
          { text: 'React: components and hooks', link: '/integrate/react-components' },
          { text: 'Next', link: '/integrate/next' },
          { text: 'Vue', link: '/integrate/vue' },
          { text: 'Svelte', link: '/integrate/svelte' },
          { text: 'Rendered on a server', link: '/integrate/servers' },
          { text: 'Expo', link: '/integrate/expo' },
          { text: 'Express', link: '/integrate/express' },
          { text: 'Fastify', link: '/integrate/fastify' },
          { text: 'Nest', link: '/integrate/nest' },
          { text: 'Other backends', link: '/integrate/backends' },
          { text: 'Through the main site', link: '/integrate/handoff' },
          { text: 'What the client does', link: '/integrate/client' },
          { text: 'Typed calls', link: '/integrate/calls' },
          { text: 'Second factors and passkeys', link: '/integrate/second-factors' },
          { text: 'Payments', link: '/integrate/payments' },
          { text: 'Tests of a backend', link: '/integrate/testing' },
          { text: 'Other languages', link: '/integrate/other-languages' },
          { text: 'Inside another program', link: '/integrate/embedding' },
          { text: 'Examples', link: '/examples/' },
          { text: 'Endpoints', link: '/endpoints' },
          { text: 'API reference', link: '/api' },
        ],
      },
      {
        text: 'Operate',
        items: [
          { text: 'A production installation', link: '/operations' },
          { text: 'Doctor', link: '/operations/doctor' },
          { text: 'Redis', link: '/operations/redis' },
          { text: 'PostgreSQL', link: '/operations/postgresql' },
          { text: 'Health checks and pages', link: '/operations/serving' },
          { text: 'The operator console', link: '/operations/console' },
          { text: 'Watching', link: '/operations/watching' },
          { text: 'Keys', link: '/operations/keys' },
          { text: 'Outages', link: '/operations/outages' },
          { text: 'Importing users', link: '/operations/importing-users' },
          { text: 'The audit log', link: '/operations/audit-log' },
          { text: 'Mail', link: '/operations/mail' },
          { text: 'Payments', link: '/operations/payments' },
          { text: 'Protection', link: '/operations/protection' },
          { text: 'Satellites', link: '/operations/satellites' },
          { text: 'What is kept', link: '/operations/retention' },
          { text: 'Settings', link: '/settings' },
          { text: 'Commands', link: '/commands' },
          { text: 'Docker Compose', link: '/deploy/compose' },
          { text: 'Kubernetes', link: '/deploy/helm' },
          { text: 'Upgrading', link: '/upgrading' },
          { text: 'Recovery', link: '/recovery' },
          { text: 'Reliability', link: '/reliability' },
          { text: 'Capacity', link: '/capacity' },
        ],
      },
      {
        text: 'Project',
        items: [
          { text: 'Architecture', link: '/architecture' },
          { text: 'Testing', link: '/testing' },
          { text: 'Security', link: '/security' },
          { text: 'Accepted risks', link: '/accepted-risks' },
          { text: 'Decisions', link: '/decisions/' },
          { text: 'Contributing', link: '/contributing' },
        ],
      },
    ],
  },
})
