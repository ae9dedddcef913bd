import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import type { OpenAPIObject } from '@nestjs/swagger'
import { type Html, html, Html as RawHtml } from '../../src/mail/html.js'
import type { Settings } from '../../src/platform/config/settings.js'
import type { Schema } from './client-types.js'
import { type Operation, openApiDocument } from './document.js'

type Schemas = Readonly<Record<string, Schema>>
interface Endpoint {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** The API reference as one page without scripts, which the browser's own search and links unfold. */
function referencePage(document: OpenAPIObject): Html {
  const { info, tags = [], servers = [], components } = document
  const schemas = (components?.schemas ?? {}) as Schemas
  const endpoints = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Operation>).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  )
  const groups = tags.map(({ name, description = '' }) => {
    const ofTag = endpoints.filter(({ operation }) => operation.tags?.includes(name))
    return html`<h2 id="${idOf(name)}">${name}</h2>\n${paragraphs(description)}
${ofTag.map(endpoint => endpointPart(endpoint, schemas, servers[0]?.url ?? ''))}`
  })
  const types = Object.entries(schemas).map(
    ([name, schema]) => html`<details><summary><h3><code>${name}</code></h3></summary>
<div id="type-${name}">${fields(schema)}</div></details>\n`,
  )
  const links = [...tags.map(({ name }) => name), 'Types'].map(
    name => html`<li><a href="#${idOf(name)}">${name}</a></li>\n`,
  )
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title} API</title>
<style>${STYLE}</style>
</head>
<body>
<nav aria-label="Sections"><ul>${links}</ul></nav>
<main>
<h1>${info.title} API</h1>
${paragraphs(info.description ?? '')}
<p>In the examples, <code>$TOKEN</code> and <code>$SESSION</code> are the access token and the session identifier of a login.</p>
<p>As a file for other tools: <a href="/api/docs-json">OpenAPI ${document.openapi}</a>.</p>
${groups}
<h2 id="types">Types</h2>
${types}
</main>
</body>
</html>
`
}

function endpointPart({ method, path, operation }: Endpoint, schemas: Schemas, serverUrl: string): Html {
  const responses = Object.entries(operation.responses ?? {}) as [string, Response][]
  const answers = responses.filter(([status]) => Number(status) < 400)
  const refusals = responses.filter(([status]) => Number(status) >= 400)
  const { parameters = [] } = operation as { parameters?: Parameter[] }
  const body = contentOf(operation.requestBody as Response | undefined)
  return html`<details><summary><h3><span class="method">${method}</span> <code>${path}</code></h3> ${operation.summary ?? ''}</summary>
<div id="${operation.operationId ?? ''}">
${paragraphs(operation.description ?? '')}
<h4>Credentials</h4>\n<p>${credentialsOf(operation)}</p>
${parameters.length > 0 ? html`<h4>Parameters</h4>\n<dl>${parameters.map(parameterPart)}</dl>` : ''}
${body ? html`<h4>Body</h4>\n<p>${typeOf(body)}</p>\n${fields(resolved(body, schemas))}` : ''}
<h4>Example</h4>\n<pre>${curlOf({ method, path, operation }, body && exampleOf(body, schemas), serverUrl)}</pre>
<h4>Answer</h4>\n<dl>${answers.map(([status, answer]) => {
    const type = contentOf(answer)
    return html`<dt>${status}${type ? html` ${typeOf(type)}` : ''}</dt><dd>${inline(answer.description ?? '')}</dd>`
  })}</dl>
<h4>Refusals</h4>\n<dl>${refusals.map(
    ([status, { description = '' }]) =>
      html`<dt>${status}</dt>${description.split('\n\n').map(line => html`<dd>${inline(line)}</dd>`)}\n`,
  )}</dl>
</div></details>\n`
}

interface Response {
  readonly description?: string
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>
}
interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
}

function contentOf(part: Response | undefined): Schema | undefined {
  return Object.values(part?.content ?? {})[0]?.schema
}

function credentialsOf({ security = [] }: Operation): string {
  const names: Record<string, string> = {
    accessToken: 'an access token',
    sessionCookie: 'the session cookie',
    sessionId: 'a session identifier in X-Session-ID',
  }
  const sets = security.map(set =>
    Object.keys(set)
      .map(name => names[name] ?? name)
      .join(' and '),
  )
  return sets.length > 0 ? `${sets.join(', or ')}`.replace(/^./, first => first.toUpperCase()) : 'None'
}

function parameterPart({ name, in: place, required, description, schema = {} }: Parameter): Html {
  return field(name, { ...schema, ...(description && { description }) }, required ?? false, ` in ${place}`)
}

/** The fields of an object, or of all parts of which it consists. */
function fields({ properties = {}, required = [], allOf = [] }: Schema): Html {
  const own = Object.entries(properties).map(([name, schema]) => field(name, schema, required.includes(name)))
  return html`${own.length > 0 ? html`<dl>${own}</dl>` : ''}${allOf.map(part => (part.$ref ? html`<p>All of ${typeOf(part)}</p>` : fields(part)))}`
}

function field(name: string, schema: Schema, isRequired: boolean, place = ''): Html {
  const values = schema.enum?.map(value => `\`${value}\``).join(', ')
  const limits = LIMITS.filter(key => schema[key] !== undefined).map(key => `${WORDS[key]} ${schema[key]}`)
  const text = [schema.description, values && `One of ${values}`, ...limits].filter(Boolean).join('. ')
  const nested = schema.properties ?? schema.items?.properties
  return html`<dt><code>${name}</code> ${typeOf(schema)}${place}${isRequired ? '' : ', optional'}</dt><dd>${inline(text)}${nested ? fields(schema.properties ? schema : (schema.items as Schema)) : ''}</dd>\n`
}

const WORDS = {
  ...{ format: 'Format', minLength: 'Length at least', maxLength: 'Length at most', default: 'Default' },
  ...{ minimum: 'At least', maximum: 'At most', minItems: 'Items at least', maxItems: 'Items at most' },
}
const LIMITS = Object.keys(WORDS) as (keyof typeof WORDS)[]

function typeOf({ $ref, anyOf, allOf, type, items }: Schema): Html {
  if ($ref) {
    const name = nameOf($ref)
    return html`<a href="#type-${name}">${name}</a>`
  }
  const parts = anyOf ?? allOf
  if (parts)
    return html`${parts.map((part, index) => html`${index > 0 ? (anyOf ? ' or ' : ' and ') : ''}${typeOf(part)}`)}`
  if (items) return html`array of ${typeOf(items)}`
  return html`${[type ?? 'anything'].flat().join(' or ')}`
}

function nameOf($ref: string): string {
  return $ref.slice($ref.lastIndexOf('/') + 1)
}

function resolved(schema: Schema, schemas: Schemas): Schema {
  return schema.$ref ? (schemas[nameOf(schema.$ref)] ?? {}) : schema
}

function exampleOf(given: Schema, schemas: Schemas): unknown {
  const schema = resolved(given, schemas)
  if (schema.example !== undefined) return schema.example
  const { default: usual = schema.enum?.[0], properties, allOf = [], anyOf } = schema
  if (usual !== undefined) return usual
  if (anyOf) return exampleOf(anyOf[0] ?? {}, schemas)
  const type = [schema.type].flat()[0]
  if (type === 'array') return [exampleOf(schema.items ?? {}, schemas)]
  if (properties || allOf.length > 0) {
    const own = Object.entries(properties ?? {}).map(([name, part]) => [name, exampleOf(part, schemas)])
    return Object.assign({}, ...allOf.map(part => exampleOf(part, schemas)), Object.fromEntries(own))
  }
  return type === 'boolean'
    ? true
    : type === 'integer' || type === 'number'
      ? (schema.minimum ?? 1)
      : type === 'object'
        ? {}
        : '…'
}

/** A request for the command line. */
function curlOf({ method, path, operation }: Endpoint, body: unknown, serverUrl: string): string {
  const needs = new Set(Object.keys(operation.security?.[0] ?? {}))
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}'${serverUrl}${path}'`,
    needs.has('accessToken') ? `-H "Authorization: Bearer $TOKEN"` : '',
    needs.has('sessionCookie') ? `-H "Cookie: sessionId=$SESSION"` : '',
    needs.has('sessionId') ? `-H "X-Session-ID: $SESSION"` : '',
    body ? `--json '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'` : '',
  ]
  return lines.filter(Boolean).join(' \\\n  ')
}

/** The little Markdown that our descriptions have. */
function paragraphs(text: string): Html {
  return html`${text
    .split('\n\n')
    .filter(Boolean)
    .map(part => html`<p>${inline(part)}</p>\n`)}`
}

function inline(text: string): Html {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*)/)
  return html`${parts.map(part => {
    if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`
    return part.startsWith('**') ? html`<strong>${part.slice(2, -2)}</strong>` : html`${part}`
  })}`
}

function idOf(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-')
}

const STYLE = new RawHtml(`
:root {
  --page: #f3f4f7; --card: #fff; --text: #1b1f2a; --quiet: #5a6274; --line: #dfe2ea; --link: #3b4fd8;
}
@media (prefers-color-scheme: dark) {
  :root { --page: #12141b; --card: #1c1f2a; --text: #e9ebf2; --quiet: #a3abbf; --line: #343948; --link: #9aa8ff; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
nav { padding: .75rem; border-bottom: 1px solid var(--line); background: var(--card); }
nav ul { display: flex; flex-wrap: wrap; gap: 0 1rem; margin: 0; padding: 0; list-style: none; }
nav a { display: block; padding: .25rem 0; }
main { width: min(52rem, 100% - 1.5rem); margin: 1.5rem auto 4rem; }
h1 { font-size: 1.75rem; line-height: 1.25; }
h2 { margin: 2.5rem 0 .25rem; font-size: 1.25rem; }
h3 { display: inline; font-size: 1rem; }
h4 { margin: 1.25rem 0 .25rem; font-size: .875rem; color: var(--quiet); }
a { color: var(--link); }
p { margin: .5rem 0; }
code, pre { font: .875rem/1.5 ui-monospace, monospace; }
details { margin: .5rem 0; border: 1px solid var(--line); border-radius: .75rem; background: var(--card); }
summary { padding: .75rem 1rem; cursor: pointer; }
details > div { padding: 0 1rem 1rem; scroll-margin-top: 4rem; }
.method { display: inline-block; min-width: 4rem; color: var(--link); }
dl { margin: 0; }
dt { margin-top: .5rem; }
dd { margin: 0 0 0 1rem; color: var(--quiet); }
pre { margin: 0; padding: .75rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--page); white-space: pre-wrap; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 3px; }
@media (min-width: 64rem) {
  body { display: grid; grid-template-columns: 14rem 1fr; }
  nav { position: sticky; top: 0; height: 100vh; padding: 1.5rem; border: 0; border-right: 1px solid var(--line); overflow-y: auto; }
  nav ul { display: block; }
}
`)

/** A page without scripts, and with its own inline styles. */
const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

/** The API reference: as a page at /api/docs, and as an OpenAPI document at /api/docs-json. */
export function serveApiDocs(app: NestFastifyApplication, { publicUrl }: Settings): void {
  const server = app.getHttpAdapter().getInstance()
  server.get('/api/docs', (_, reply) =>
    reply
      .headers({ 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': PAGE_POLICY })
      .send(referencePage(openApiDocument(app, publicUrl)).text),
  )
  server.get('/api/docs-json', () => openApiDocument(app, publicUrl))
}
