import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import type { OpenAPIObject } from '@nestjs/swagger'
import { type Html, html } from '../../src/mail/html.js'
import type { Settings } from '../../src/platform/config/settings.js'
import { type DevPage, type DevPages, filterField } from '../pages.js'
import type { Schema } from './client-types.js'
import { type Operation, openApiDocument } from './document.js'

type Schemas = Readonly<Record<string, Schema>>
interface Endpoint {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** The address of the reference. */
export const API_DOCS = '/api/docs'

/** The API reference: as a page, and as an OpenAPI document beside it. */
export function serveApiDocs(pages: DevPages, app: NestFastifyApplication, { publicUrl }: Settings): void {
  pages.serve(API_DOCS, () => referencePage(openApiDocument(app, publicUrl)))
  pages.server.get(`${API_DOCS}-json`, () => openApiDocument(app, publicUrl))
}

/** The API reference as one page, which can be filtered; a link to an operation or a type unfolds it. */
export function referencePage(document: OpenAPIObject): DevPage {
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
    const parts = ofTag.map(endpoint => endpointPart(endpoint, schemas, servers[0]?.url ?? ''))
    return html`<div class="group"><h2 id="${idOf(name)}">${name}</h2>\n${paragraphs(description)}${parts}</div>`
  })
  const types = Object.entries(schemas).map(
    ([
      name,
      schema,
    ]) => html`<details id="type-${name}" data-filtered><summary><h3><code>${name}</code></h3></summary>
<div>${fields(schema)}</div></details>\n`,
  )
  const links = [...tags.map(({ name }) => name), 'Types'].map(
    name => html`<li><a href="#${idOf(name)}">${name}</a></li>\n`,
  )
  return {
    title: `${info.title} API`,
    lead: 'Every operation, with what it takes, what it answers, and a request for the command line.',
    content: html`<div class="reference">
<nav class="nav sections" aria-label="Sections"><ul>${links}</ul></nav>
<div>
${paragraphs(info.description ?? '')}
<p>In the examples, <code>$TOKEN</code> and <code>$SESSION</code> are the access token and the session identifier of a login.</p>
<p>As a file for other tools: <a href="${API_DOCS}-json">OpenAPI ${document.openapi}</a>.</p>
${filterField('Method, path or summary')}
${groups}
<div class="group"><h2 id="types">Types</h2>
${types}</div>
</div>
</div>`,
  }
}

function endpointPart({ method, path, operation }: Endpoint, schemas: Schemas, serverUrl: string): Html {
  const responses = Object.entries(operation.responses ?? {}) as [string, Response][]
  const answers = responses.filter(([status]) => Number(status) < 400)
  const refusals = responses.filter(([status]) => Number(status) >= 400)
  const { parameters = [], operationId: id = '' } = operation as Operation & { parameters?: Parameter[] }
  const body = contentOf(operation.requestBody as Response | undefined)
  const answer = answers.map(([, each]) => jsonOf(each)).find(Boolean)
  return html`<details id="${id}" data-filtered><summary><h3><span class="method">${method}</span> <code>${path}</code></h3> ${operation.summary ?? ''}</summary>
<div>
${paragraphs(operation.description ?? '')}
<h4>Credentials</h4>\n<p>${credentialsOf(operation)}</p>
${parameters.length > 0 ? html`<h4>Parameters</h4>\n<dl>${parameters.map(parameterPart)}</dl>` : ''}
${body ? html`<h4>Body</h4>\n<p>${typeOf(body)}</p>\n${fields(resolved(body, schemas))}` : ''}
<h4>Request</h4>\n<pre>${curlOf({ method, path, operation }, body && exampleOf(body, schemas), serverUrl)}</pre>
<h4>Answer</h4>\n<dl>${answers.map(([status, each]) => {
    const type = contentOf(each)
    return html`<div><dt>${status}${type ? html` ${typeOf(type)}` : ''}</dt><dd>${inline(each.description ?? '')}</dd></div>`
  })}</dl>
${answer ? html`<pre>${JSON.stringify(exampleOf(answer, schemas), null, 2)}</pre>` : ''}
<h4>Refusals</h4>\n<dl>${refusals.map(
    ([status, { description = '' }]) =>
      html`<div><dt>${status}</dt>${description.split('\n\n').map(line => html`<dd>${inline(line)}</dd>`)}</div>\n`,
  )}</dl>
<p><a href="#${id}">Link to this operation</a></p>
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

function jsonOf({ content }: Response): Schema | undefined {
  return content?.['application/json']?.schema
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
  return html`<div><dt><code>${name}</code> ${typeOf(schema)}${place}${isRequired ? '' : ', optional'}</dt><dd>${inline(text)}${nested ? fields(schema.properties ? schema : (schema.items as Schema)) : ''}</dd></div>\n`
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
