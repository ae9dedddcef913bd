// node packages/client/bundle.mjs: the built client as one small file, each of the others as one more,
// for pages without a build of their own.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build, transform } from 'esbuild'

/** Members of what never leaves the client, so no page, message or answer has them either. */
const INTERNAL_MEMBERS = [
  'after',
  'begin',
  'callOff',
  'calls',
  'change',
  'current',
  'deviceTime',
  'done',
  'end',
  'expiresAt',
  'explain',
  'fail',
  'finish',
  'follow',
  'forget',
  'inTurn',
  'isClosed',
  'isOver',
  'isOwn',
  'isSettled',
  'isUnnoted',
  'issuedAtSeconds',
  'keep',
  'leave',
  'left',
  'lifetimeMs',
  'listen',
  'live',
  'onWake',
  'openChannel',
  'presented',
  'reasonFor',
  'receive',
  'reset',
  'run',
  'session',
  'settle',
  'take',
  'tell',
  'token',
  'wait',
  'warn',
]

const fileIn = name => fileURLToPath(new URL(`dist/${name}`, import.meta.url))
await build({
  entryPoints: {
    mainstay: fileIn('index.js'),
    'mainstay-handoff': fileIn('handoff.js'),
    'mainstay-passkeys': fileIn('passkeys.js'),
    'mainstay-api': fileIn('api.js'),
    'mainstay-reauthentication': fileIn('reauthentication.js'),
  },
  outdir: fileIn(''),
  bundle: true,
  minify: true,
  // Private members by short names: 450 bytes less.
  mangleProps: new RegExp(`^(${[...privateMembers(), ...INTERNAL_MEMBERS].join('|')})$`),
  format: 'esm',
  target: 'es2022',
  plugins: [{ name: 'one-error-class', setup: shareErrors }],
})

/** For the element alone: in a page of its own, `:host` stands for nothing. */
const OF_ELEMENT = `:host { display: block }
.mainstay-here {
  display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0.75rem; max-width: none;
  padding: 0.5rem 0.5rem 0.5rem 1rem; border: 1px solid var(--mainstay-own-line); border-radius: var(--mainstay-own-radius);
  background: var(--mainstay-own-surface); overflow-wrap: anywhere
}`
const ofReact = readFileSync(new URL('../react/styles.css', import.meta.url), 'utf8')
const styles = await transform(`${ofReact}${OF_ELEMENT}`, { loader: 'css', minify: true })
await build({
  entryPoints: { 'mainstay-login': fileURLToPath(new URL('element/mainstay-login.ts', import.meta.url)) },
  outdir: fileIn(''),
  bundle: true,
  minify: true,
  // No short names here: the browser's own elements have members of the same ones.
  define: { STYLES: JSON.stringify(styles.code.trim()) },
  format: 'esm',
  target: 'es2022',
})

/**
 * The errors of the files beside the client are the client's own, so that `instanceof` holds for each of them.
 * The client itself imports nothing: it may be copied under any name.
 */
function shareErrors({ onResolve }) {
  onResolve({ filter: /\/mainstay-error\.js$/ }, ({ importer }) =>
    [fileIn('api.js'), fileIn('reauthentication.js'), fileIn('site.js')].includes(importer)
      ? { path: './mainstay.js', external: true }
      : null,
  )
}

/** Members that are private wherever they are declared, so no page, message or answer has them. */
function privateMembers() {
  const declarations = readdirSync(fileIn(''), { recursive: true }).filter(file => file.endsWith('.d.ts'))
  const text = declarations.map(file => readFileSync(fileIn(file), 'utf8')).join('\n')
  const names = new Set([...text.matchAll(/\bprivate (?:readonly )?(\w+)/g)].map(([, name]) => name))
  const members = withoutParameters(withoutComments(text)).replace(/ from '.*'/g, '')
  return [...names].filter(name => !new RegExp(`(?<!\\bprivate (readonly )?)\\b${name}\\b`).test(members))
}

function withoutComments(text) {
  return text.replace(/\/\*[\s\S]*?\*\//g, '')
}

/** Those of constructors and functions: a parameter may be called what a private member is. */
function withoutParameters(text) {
  return text.replace(/(\bconstructor|\bfunction \w+)\((?:[^()]|\([^()]*\))*\)/g, '$1()')
}
